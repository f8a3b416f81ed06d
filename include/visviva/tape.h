// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// tape.h: pushing and popping in generated derivatives. A push beyond the capacity is dropped and counted; a pop of a
// dropped value gives zeros, and the generated code leaves before it uses one.

#ifndef VISVIVA_TAPE_H_
#define VISVIVA_TAPE_H_

#include <string.h>

#include "visviva/kernel.h"

static inline void vv_tape_push(vvTapeMem* tape, const void* value, size_t size) {
  size_t end = tape->used + size;
  if (end <= tape->capacity) {
    memcpy(tape->base + tape->used, value, size);
  } else {
    tape->overflow = 1;
  }
  tape->used = end;
  if (end > tape->peak) tape->peak = end;
}

static inline void vv_tape_pop(vvTapeMem* tape, void* value, size_t size) {
  size_t start = tape->used >= size ? tape->used - size : 0;
  if (tape->used <= tape->capacity && tape->used >= size) {
    memcpy(value, tape->base + start, size);
  } else {
    memset(value, 0, size);
  }
  tape->used = start;
}

#define VV_PUSH(tape, x) vv_tape_push((tape), &(x), sizeof(x))
#define VV_POP(tape, x) vv_tape_pop((tape), &(x), sizeof(x))

#endif  // VISVIVA_TAPE_H_
