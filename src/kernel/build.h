// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// build.h: where the tools lie, child processes, and the cache of built kernels.

#ifndef VISVIVA_SRC_KERNEL_BUILD_H_
#define VISVIVA_SRC_KERNEL_BUILD_H_

#include "visviva/load.h"

enum { VV_PATH_MAX = 1024 };

typedef struct vvKernelTools {
  char vvcc[VV_PATH_MAX];
  char compiler[VV_PATH_MAX];
  char include[VV_PATH_MAX];  // folder that holds visviva/kernel.h
  char cache[VV_PATH_MAX];    // folder, made when missing
} vvKernelTools;

// Finds the tools or says which one is missing.
vvStatus vv_kernel_tools(const vvKernelOptions* options, vvKernelTools* tools, vvReport* report);

// Runs argv (ends with NULL) and gives its exit code, -1: it could not be started. What it writes on stderr comes back
// in `text`; with `hash` its stdout is folded into *hash, else dropped.
int vv_kernel_child(const char* const* argv, char* text, size_t size, uint64_t* hash);

// FNV-1a, byte by byte: what comes through a pipe has no fixed pieces.
static inline uint64_t vv_kernel_hash(uint64_t hash, unsigned char byte) {
  return (hash ^ byte) * UINT64_C(0x100000001b3);
}

// Path of the shared object for a kernel file, built when the cache does not have it, and of its generated text.
vvStatus vv_kernel_build(const char* file, const vvKernelTools* tools, char* object, char* source, vvReport* report);

#endif  // VISVIVA_SRC_KERNEL_BUILD_H_
