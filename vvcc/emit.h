// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// emit.h: the intermediate form as C text.

#ifndef VVCC_EMIT_H_
#define VVCC_EMIT_H_

#include "ir.h"

// Writes DIR/NAME.vv.h and DIR/NAME.vv.c with the functions of cc->out and what they call.
void vv_emit_files(vvCc* cc, const char* dir);

// A declaration of `name` (may be empty) and a function's head on one line, as C text.
const char* vv_emit_type(vvCc* cc, const vvIrType* type, const char* name);
const char* vv_emit_head(vvCc* cc, const vvFunc* f);

#endif  // VVCC_EMIT_H_
