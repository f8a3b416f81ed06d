// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// kernel_args.h: arguments of a loaded kernel from JSON or at random, each with memory of the same shape for its bar.

#ifndef VISVIVA_CLI_KERNEL_ARGS_H_
#define VISVIVA_CLI_KERNEL_ARGS_H_

#include <jansson.h>

#include "cli/json_out.h"
#include "visviva/load.h"

enum { VV_ARGS_SLOTS = 260 };

// Memory of one value or pointer, and of its bar.
typedef struct vvArgBlock {
  struct vvArgBlock* next;
  void *memory, *bar;
  size_t bytes, count;  // count: elements
} vvArgBlock;

typedef struct vvKernelArgs {
  vvContext* ctx;
  const vvKernelFunction* f;
  vvArgBlock* blocks;
  void* slot[VV_ARGS_SLOTS];  // as vvKernelFunction.call, vjp and jvp take them
  uint64_t seed;              // random values: state of the generator
  size_t extent;              // elements behind a pointer
  vvReport* report;
  const char* file;  // of errors
} vvKernelArgs;

// From {"x": [1, 2], "n": 3}.
vvStatus vv_kernel_args_json(vvKernelArgs* args, const json_t* object);
// Reals in 0.2 ... 1.2, integers in 1 ... 3.
vvStatus vv_kernel_args_random(vvKernelArgs* args);
void vv_kernel_args_free(vvKernelArgs* args);

// Puts cotangents of the value returned ("return") and of written memory into the bars.
vvStatus vv_kernel_args_seed(vvKernelArgs* args, const json_t* object);

// One argument, or with `bar` its cotangent; the value returned.
void vv_kernel_args_print(const vvKernelArgs* args, int i, bool bar, vvJsonOut* out);
void vv_kernel_args_print_value(const vvKernelArgs* args, vvJsonOut* out);

// Calls `visit` for every real of an argument with the same real of its bar.
typedef void (*vvArgVisit)(void* user, int arg, void* real, void* bar, size_t size);
void vv_kernel_args_visit(const vvKernelArgs* args, int i, vvArgVisit visit, void* user);

// False where a struct is named vvModel or vvState: those come from a scene.
bool vv_kernel_args_possible(const vvKernelFunction* f);

#endif  // VISVIVA_CLI_KERNEL_ARGS_H_
