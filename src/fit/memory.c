// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// memory.c: see memory.h. Each block starts with a header of VV_ALIGNMENT bytes that links it to the one before.

#include "fit/memory.h"

#include <string.h>

void* vv_fit_memory(vvFitMemory* memory, size_t count, size_t size) {
  if (size && count > (SIZE_MAX - VV_ALIGNMENT) / size) return NULL;
  size_t bytes = VV_ALIGNMENT + count * size;
  vvFitBlock* block = (vvFitBlock*)vv_alloc(memory->context, bytes);
  if (!block) return NULL;
  block->next = memory->first;
  block->bytes = bytes;
  memory->first = block;
  return (unsigned char*)block + VV_ALIGNMENT;
}

char* vv_fit_text(vvFitMemory* memory, const char* text, size_t n) {
  char* copy = (char*)vv_fit_memory(memory, n + 1, 1);
  if (copy && n) memcpy(copy, text, n);
  return copy;
}

void vv_fit_memory_free(vvFitMemory* memory) {
  while (memory->first) {
    vvFitBlock* block = memory->first;
    memory->first = block->next;
    vv_free(memory->context, block, block->bytes);
  }
}
