// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// memory.h: blocks that are freed together: what a problem or a result is made of.

#ifndef VISVIVA_FIT_MEMORY_H_
#define VISVIVA_FIT_MEMORY_H_

#include "visviva/context.h"

typedef struct vvFitBlock {
  struct vvFitBlock* next;
  size_t bytes;  // header included
} vvFitBlock;

typedef struct vvFitMemory {
  vvContext* context;
  vvFitBlock* first;
} vvFitMemory;

// Zeroed, 64-byte aligned; NULL when there is no memory or count * size overflows.
void* vv_fit_memory(vvFitMemory* memory, size_t count, size_t size);
#define VV_FIT_NEW(memory, type, n) ((type*)vv_fit_memory((memory), (size_t)(n), sizeof(type)))

// A copy of the first n bytes of a text, with a final 0.
char* vv_fit_text(vvFitMemory* memory, const char* text, size_t n);

void vv_fit_memory_free(vvFitMemory* memory);

#endif  // VISVIVA_FIT_MEMORY_H_
