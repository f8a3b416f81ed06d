// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// arena.c: the bump allocator of arena.h and the memory of reverse sweeps. Under AddressSanitizer free space and the
// rounding of each block to 64 bytes are poisoned.

#include "visviva/arena.h"

#include <assert.h>

#if defined(__SANITIZE_ADDRESS__)
#define VV_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VV_ASAN 1
#endif
#endif

#ifdef VV_ASAN
#include <sanitizer/asan_interface.h>
static void poison(const void* memory, size_t bytes) {
  __asan_poison_memory_region(memory, bytes);
}
static void unpoison(const void* memory, size_t bytes) {
  __asan_unpoison_memory_region(memory, bytes);
}
#else
static void poison(const void* memory, size_t bytes) {
  (void)memory;
  (void)bytes;
}
static void unpoison(const void* memory, size_t bytes) {
  (void)memory;
  (void)bytes;
}
#endif

// Rounds up to the alignment, and down to the largest multiple where that would overflow.
static size_t round_up(size_t bytes) {
  size_t mask = VV_ALIGNMENT - 1;
  return bytes > SIZE_MAX - mask ? SIZE_MAX - mask : (bytes + mask) & ~mask;
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

vvStatus vv_arena_wrap(vvArena* arena, void* memory, size_t capacity) {
  if (!arena || !memory || (uintptr_t)memory % VV_ALIGNMENT != 0) return VV_ERROR_ARGUMENT;
  *arena = (vvArena){.base = memory, .capacity = capacity};
  poison(memory, capacity);
  return VV_OK;
}

vvStatus vv_arena_init(vvArena* arena, vvContext* context, size_t capacity) {
  if (!arena) return VV_ERROR_ARGUMENT;
  *arena = (vvArena){0};
  capacity = round_up(capacity);
  void* memory = vv_alloc(context, capacity);
  if (!memory) return VV_ERROR_MEMORY;
  return vv_arena_wrap(arena, memory, capacity);
}

void vv_arena_free(vvArena* arena, vvContext* context) {
  if (!arena || !arena->base) return;
  unpoison(arena->base, arena->capacity);
  vv_free(context, arena->base, arena->capacity);
  *arena = (vvArena){0};
}

vvStatus vv_arena_grow(vvArena* arena, vvContext* context, size_t capacity) {
  if (!arena) return VV_ERROR_ARGUMENT;
  size_t peak = arena->peak;
  size_t wanted = round_up(larger(larger(peak, capacity), arena->capacity));
  vv_arena_free(arena, context);
  vvStatus status = vv_arena_init(arena, context, wanted);
  arena->peak = peak;
  return status;
}

void* vv_arena_alloc(vvArena* arena, size_t bytes) {
  size_t begin = arena->used;
  size_t rounded = round_up(bytes);
  arena->used = rounded > SIZE_MAX - begin ? SIZE_MAX : begin + rounded;
  arena->peak = larger(arena->peak, arena->used);
  if (arena->used > arena->capacity) {
    arena->overflow = true;
    return NULL;
  }
  unpoison(arena->base + begin, bytes);
  return arena->base + begin;
}

void* vv_arena_alloc_array(vvArena* arena, size_t count, size_t size) {
  if (size != 0 && count > SIZE_MAX / size) return vv_arena_alloc(arena, SIZE_MAX);
  return vv_arena_alloc(arena, count * size);
}

size_t vv_arena_mark(const vvArena* arena) {
  return arena->used;
}

void vv_arena_release(vvArena* arena, size_t mark) {
  assert(mark <= arena->used);
  arena->used = mark;
  if (mark < arena->capacity) poison(arena->base + mark, arena->capacity - mark);
}

vvStatus vv_arena_status(const vvArena* arena) {
  return arena->overflow ? VV_ERROR_CAPACITY : VV_OK;
}

void vv_arena_reset(vvArena* arena) {
  vv_arena_release(arena, 0);
  arena->overflow = false;
}

vvStatus vv_tape_mem_init(vvTapeMem* tape, vvContext* context, size_t capacity) {
  if (!tape) return VV_ERROR_ARGUMENT;
  *tape = (vvTapeMem){0};
  capacity = round_up(capacity);
  tape->base = vv_alloc(context, capacity);
  if (!tape->base) return VV_ERROR_MEMORY;
  tape->capacity = capacity;
  return VV_OK;
}

void vv_tape_mem_free(vvTapeMem* tape, vvContext* context) {
  if (!tape) return;
  vv_free(context, tape->base, tape->capacity);
  *tape = (vvTapeMem){0};
}

vvStatus vv_tape_mem_grow(vvTapeMem* tape, vvContext* context, size_t capacity) {
  if (!tape) return VV_ERROR_ARGUMENT;
  size_t peak = tape->peak;
  size_t wanted = larger(larger(peak, capacity), tape->capacity);
  vv_tape_mem_free(tape, context);
  vvStatus status = vv_tape_mem_init(tape, context, wanted);
  tape->peak = peak;
  return status;
}

vvStatus vv_tape_mem_status(const vvTapeMem* tape) {
  return tape->overflow ? VV_ERROR_CAPACITY : VV_OK;
}

void vv_tape_mem_reset(vvTapeMem* tape) {
  tape->used = 0;
  tape->overflow = 0;
}
