// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// derive.h: which derivatives a kernel file gets.

#ifndef VVCC_DERIVE_H_
#define VVCC_DERIVE_H_

#include "ir.h"

void vv_derive_all(vvCc* cc);

#endif  // VVCC_DERIVE_H_
