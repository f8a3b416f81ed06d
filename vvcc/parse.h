// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// parse.h: reads a kernel file; afterwards cc->func holds every function with `state` 2 in the intermediate form.

#ifndef VVCC_PARSE_H_
#define VVCC_PARSE_H_

#include "ir.h"

void vv_parse_kernel(vvCc* cc, int narg, const char* const* arg);

#endif  // VVCC_PARSE_H_
