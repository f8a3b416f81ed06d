// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// forward.h: forward derivatives, of kernels and of their reverse derivatives.

#ifndef VVCC_FORWARD_H_
#define VVCC_FORWARD_H_

#include "ir.h"

// f_jvp for the active parameters in mask; wide: eight directions at once.
vvFunc* vv_forward(vvCc* cc, vvFunc* f, uint64_t mask, bool wide);

#endif  // VVCC_FORWARD_H_
