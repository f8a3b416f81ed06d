// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// describe.h: tables of a kernel file's functions, for loading at run time.

#ifndef VVCC_DESCRIBE_H_
#define VVCC_DESCRIBE_H_

#include "ir.h"

// Writes FILE.vv.info.c into dir.
void vv_describe(vvCc* cc, const char* dir);

#endif  // VVCC_DESCRIBE_H_
