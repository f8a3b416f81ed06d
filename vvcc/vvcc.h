// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// vvcc.h: the kernel compiler as a library.

#ifndef VVCC_VVCC_H_
#define VVCC_VVCC_H_

#include <stddef.h>

typedef struct vvccOptions {
  const char* file;         // FILE_kernel.c
  const char* out_dir;      // where FILE_kernel.vv.h and FILE_kernel.vv.c go
  const char* const* flag;  // passed to the C front end: -I, -D
  int nflag;
  int describe;      // write FILE_kernel.vv.info.c too, for loading at run time
  int no_rules;      // derivatives written by hand are ignored, to compare with them
  int wrong;         // deliberately wrong adjoint rule 1..20 (adjoint.c), 0: none
  unsigned seconds;  // time limit, 0: 60
} vvccOptions;

vvccOptions vvcc_options_default(void);

// Reads and differentiates a kernel file in a child process. 0: written; 2: refused or failed, `message` has one line
// "FILE:LINE: reason; remedy".
int vvcc_compile(const vvccOptions* options, char* message, size_t size);

#endif  // VVCC_VVCC_H_
