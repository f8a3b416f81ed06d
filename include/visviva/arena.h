// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// arena.h: scratch memory that is cut off in order and given back to a mark, and the memory of reverse sweeps. Both
// never allocate while in use: when one is full it keeps counting, so that `peak` says what was needed; the caller
// grows it and repeats the step with identical bits.

#ifndef VISVIVA_ARENA_H_
#define VISVIVA_ARENA_H_

#include "visviva/context.h"
#include "visviva/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

//   base .......... used .......... capacity            used > capacity: full, blocks beyond it were not handed out
//   [ blocks given ][ free, poisoned ]
typedef struct vvArena {
  unsigned char* base;  // capacity bytes, 64-byte aligned
  size_t capacity;      // [byte]
  size_t used;          // [byte] asked for since the start, rounded to 64 bytes a block; a mark is a value of it
  size_t peak;          // [byte] largest `used`, beyond capacity too: the size needed
  bool overflow;        // sticky: a block did not fit
} vvArena;

// An arena on memory of the context.
vvStatus vv_arena_init(vvArena* arena, vvContext* context, size_t capacity);

// An arena on the caller's memory: 64-byte aligned, alive as long as the arena; not for vv_arena_free or _grow.
vvStatus vv_arena_wrap(vvArena* arena, void* memory, size_t capacity);

// Gives the memory back; a zeroed arena is allowed.
void vv_arena_free(vvArena* arena, vvContext* context);

// Makes an arena at least `peak` and `capacity` bytes large, empty, with the flag cleared; its contents are lost.
vvStatus vv_arena_grow(vvArena* arena, vvContext* context, size_t capacity);

// A block, 64-byte aligned, not zeroed; NULL when it does not fit, which sets the flag and counts on.
void* vv_arena_alloc(vvArena* arena, size_t bytes);
void* vv_arena_alloc_array(vvArena* arena, size_t count, size_t size);
#define VV_ARENA_NEW(arena, type, n) ((type*)vv_arena_alloc_array((arena), (size_t)(n), sizeof(type)))

// Whoever marks, releases: all blocks since the mark are gone.
size_t vv_arena_mark(const vvArena* arena);
void vv_arena_release(vvArena* arena, size_t mark);

// VV_ERROR_CAPACITY when a block did not fit since vv_arena_init, _grow or _reset; `peak` is the size needed.
vvStatus vv_arena_status(const vvArena* arena);

// Empties the arena and clears the flag; `peak` stays.
void vv_arena_reset(vvArena* arena);

// The same for the memory of a reverse sweep, whose blocks the generated code pushes and pops.
vvStatus vv_tape_mem_init(vvTapeMem* tape, vvContext* context, size_t capacity);
void vv_tape_mem_free(vvTapeMem* tape, vvContext* context);
vvStatus vv_tape_mem_grow(vvTapeMem* tape, vvContext* context, size_t capacity);
vvStatus vv_tape_mem_status(const vvTapeMem* tape);
void vv_tape_mem_reset(vvTapeMem* tape);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_ARENA_H_
