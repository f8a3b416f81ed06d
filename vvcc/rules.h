// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// rules.h: derivatives that the author wrote, VV_VJP_OF(f) and VV_JVP_OF(f).

#ifndef VVCC_RULES_H_
#define VVCC_RULES_H_

#include "ir.h"

// Ties rules to their functions; refuses those with other arguments than a generated derivative has.
void vv_rules_link(vvCc* cc);
// The reverse derivative of f by its rule, for the active parameters in mask.
vvFunc* vv_rules_reverse(vvCc* cc, vvFunc* f, uint64_t mask, bool restore);
// The forward derivative of f by its rule.
vvFunc* vv_rules_forward(vvCc* cc, vvFunc* f, uint64_t mask);
// The body of a public f_vjp, or of f_rev (again: the function has been called already).
void vv_rules_body(vvCc* cc, vvFunc* g, vvFunc* f, vvFunc* rule, bool again);

#endif  // VVCC_RULES_H_
