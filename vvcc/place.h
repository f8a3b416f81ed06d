// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// place.h: where generated locals are declared.

#ifndef VVCC_PLACE_H_
#define VVCC_PLACE_H_

#include "ir.h"

// Declares, at the start of a block, the locals that it uses without declaration and that belong to the loop (NULL: to
// the function) or to a loop inside it. Bars start at zero.
void vv_place_decls(vvCc* cc, vvBlock* b, const vvStmt* loop);
// Moves declarations to the first assignment, where that is the same program.
void vv_place_sink(vvCc* cc, vvFunc* f);
// Gives every variable of f a name of its own.
void vv_place_names(vvCc* cc, vvFunc* f);

#endif  // VVCC_PLACE_H_
