// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_arena.c: marks, alignment, overflow that names the size needed and a repetition that gives the same bits.
//
// float: checked

#include "vvtest.h"

#include <stdlib.h>
#include <string.h>

#include "core/hash.h"

static vvContext* make_context(void) {
  vvContext* c = NULL;
  assert_int_equal(vv_context_create(NULL, &c), VV_OK);
  return c;
}

static void test_mark_release(void** unused) {
  (void)unused;
  vvContext* c = make_context();
  vvArena a;
  assert_int_equal(vv_arena_init(&a, c, 1000), VV_OK);
  assert_int_equal(a.capacity, 1024);
  double* x = VV_ARENA_NEW(&a, double, 3);
  size_t mark = vv_arena_mark(&a);
  char* y = vv_arena_alloc(&a, 65);
  assert_non_null(x);
  assert_int_equal((uintptr_t)x % 64, 0);
  assert_ptr_equal(y, (char*)x + 64);
  y[64] = 1;
  vv_arena_release(&a, mark);
  assert_ptr_equal(vv_arena_alloc(&a, 1), y);
  assert_int_equal(a.used, 128);
  assert_int_equal(a.peak, 192);
  assert_non_null(vv_arena_alloc(&a, 0));
  assert_int_equal(vv_arena_status(&a), VV_OK);
  vv_arena_reset(&a);
  assert_ptr_equal(vv_arena_alloc(&a, 1024), x);  // all of it is one block
  assert_int_equal(vv_arena_status(&a), VV_OK);
  vv_arena_free(&a, c);
  vv_arena_free(&a, c);
  assert_int_equal(vv_context_memory(c).bytes, 0);
  vv_context_destroy(c);
}

// A made-up step: it asks for memory in three nested pieces and fills a result.
static vvStatus made_up_step(vvArena* arena, int n, double* result) {
  size_t mark = vv_arena_mark(arena);
  double* x = VV_ARENA_NEW(arena, double, n);
  double* y = VV_ARENA_NEW(arena, double, n);
  size_t inner = vv_arena_mark(arena);
  double* z = VV_ARENA_NEW(arena, double, 5 * n);
  vv_arena_release(arena, inner);
  double* w = VV_ARENA_NEW(arena, double, n);
  vvStatus status = vv_arena_status(arena);
  if (status == VV_OK) {
    *result = 0;
    for (int i = 0; i < n; i++) {
      x[i] = sin(i);
      y[i] = x[i] * x[i];
      w[i] = y[i] / (1 + x[i]);
      *result += w[i];
    }
  }
  (void)z;
  vv_arena_release(arena, mark);
  return status;
}

static void test_overflow_repeats(void** unused) {
  (void)unused;
  vvContext* c = make_context();
  vvArena large, small;
  double expected = 0, result = 0;
  assert_int_equal(vv_arena_init(&large, c, 100000), VV_OK);
  assert_int_equal(made_up_step(&large, 100, &expected), VV_OK);
  for (size_t capacity = 0; capacity < large.peak; capacity += 500) {
    assert_int_equal(vv_arena_init(&small, c, capacity), VV_OK);
    result = -1;
    if (small.capacity < large.peak) {
      assert_int_equal(made_up_step(&small, 100, &result), VV_ERROR_CAPACITY);
      assert_int_equal(small.peak, large.peak);
      assert_true(result == -1);
      assert_int_equal(made_up_step(&small, 100, &result), VV_ERROR_CAPACITY);  // sticky
      assert_int_equal(vv_arena_grow(&small, c, 0), VV_OK);
      assert_int_equal(small.capacity, large.peak);
    }
    assert_int_equal(made_up_step(&small, 100, &result), VV_OK);
    assert_memory_equal(&result, &expected, sizeof result);
    vv_arena_free(&small, c);
  }
  vv_arena_free(&large, c);
  assert_int_equal(vv_context_memory(c).bytes, 0);
  vv_context_destroy(c);
}

static void test_hostile_sizes(void** unused) {
  (void)unused;
  vvContext* c = make_context();
  vvArena a;
  assert_int_equal(vv_arena_init(&a, c, SIZE_MAX), VV_ERROR_MEMORY);
  assert_int_equal(vv_arena_init(NULL, c, 1), VV_ERROR_ARGUMENT);
  assert_int_equal(vv_arena_init(&a, c, 64), VV_OK);
  assert_null(VV_ARENA_NEW(&a, double, SIZE_MAX / 4));
  assert_null(vv_arena_alloc(&a, SIZE_MAX));
  assert_null(vv_arena_alloc(&a, 1));
  assert_int_equal(vv_arena_status(&a), VV_ERROR_CAPACITY);
  vv_arena_reset(&a);
  assert_non_null(vv_arena_alloc(&a, 1));
  vv_arena_free(&a, c);
  vv_context_destroy(c);
}

static void test_wrap(void** unused) {
  (void)unused;
  unsigned char* memory = aligned_alloc(64, 256);
  assert_non_null(memory);
  vvArena a;
  assert_int_equal(vv_arena_wrap(&a, memory + 1, 128), VV_ERROR_ARGUMENT);
  assert_int_equal(vv_arena_wrap(&a, memory, 256), VV_OK);
  memset(vv_arena_alloc(&a, 256), 1, 256);
  assert_null(vv_arena_alloc(&a, 1));
  free(memory);
}

static void test_tape_mem(void** unused) {
  (void)unused;
  vvContext* c = make_context();
  vvTapeMem t;
  assert_int_equal(vv_tape_mem_init(&t, c, 100), VV_OK);
  assert_int_equal(t.capacity, 128);
  assert_int_equal((uintptr_t)t.base % 64, 0);
  t.peak = 5000;
  t.overflow = 1;
  assert_int_equal(vv_tape_mem_status(&t), VV_ERROR_CAPACITY);
  assert_int_equal(vv_tape_mem_grow(&t, c, 0), VV_OK);
  assert_int_equal(t.capacity, 5056);
  assert_int_equal(vv_tape_mem_status(&t), VV_OK);
  vv_tape_mem_free(&t, c);
  assert_int_equal(vv_context_memory(c).bytes, 0);
  vv_context_destroy(c);
}

static void test_hash(void** unused) {
  (void)unused;
  unsigned char data[40] = {0};
  uint64_t seen[400];
  int n = 0;
  for (size_t length = 0; length <= sizeof data; length++) seen[n++] = vv_hash_bytes(VV_HASH_START, data, length);
  for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
    data[bit / 8] ^= (unsigned char)(1u << (bit % 8));
    seen[n++] = vv_hash_bytes(VV_HASH_START, data, sizeof data);
    data[bit / 8] ^= (unsigned char)(1u << (bit % 8));
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) assert_true(seen[i] != seen[j]);
  }
  assert_true(vv_hash_u64(1, 2) != vv_hash_u64(2, 1));  // order counts
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mark_release),  cmocka_unit_test(test_overflow_repeats),
      cmocka_unit_test(test_hostile_sizes), cmocka_unit_test(test_wrap),
      cmocka_unit_test(test_tape_mem),      cmocka_unit_test(test_hash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
