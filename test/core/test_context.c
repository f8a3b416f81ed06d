// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_context.c: allocation counted and failing at every place, options refused, log, cancel.
//
// float: checked

#include "vvtest.h"

#include <stdlib.h>
#include <string.h>

// An allocator that fails at call number `fail_at` (from 0) and knows what is out.
typedef struct vvCounter {
  size_t ncall, fail_at, out, nbad;
  char logged[64];
  bool stop;
} vvCounter;

static void* count_allocate(size_t bytes, size_t alignment, void* user) {
  vvCounter* c = user;
  if (c->ncall++ == c->fail_at) return NULL;
  if (bytes % alignment != 0) c->nbad++;
  c->out += bytes;
  return aligned_alloc(alignment, bytes);
}

static void count_release(void* memory, size_t bytes, void* user) {
  vvCounter* c = user;
  c->out -= bytes;
  free(memory);
}

static void keep_log(vvLogLevel level, const char* message, void* user) {
  vvCounter* c = user;
  (void)level;
  strncpy(c->logged, message, sizeof c->logged - 1);
}

static bool ask_stop(void* user) {
  return ((vvCounter*)user)->stop;
}

static vvContextOptions counting_options(vvCounter* counter) {
  vvContextOptions o = vv_context_options_default();
  o.allocate = count_allocate;
  o.release = count_release;
  o.log = keep_log;
  o.cancel = ask_stop;
  o.user = counter;
  return o;
}

static void test_alloc(void** unused) {
  (void)unused;
  vvCounter counter = {.fail_at = SIZE_MAX};
  vvContextOptions o = counting_options(&counter);
  vvContext* c = NULL;
  assert_int_equal(vv_context_create(&o, &c), VV_OK);
  size_t own = counter.out;
  const size_t sizes[] = {0, 1, 63, 64, 65, 4096};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    unsigned char* p = vv_alloc(c, sizes[k]);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % VV_ALIGNMENT, 0);
    for (size_t i = 0; i < sizes[k]; i++) assert_int_equal(p[i], 0);
    if (sizes[k] > 0) p[sizes[k] - 1] = 7;
    p = vv_context_realloc(c, p, sizes[k], 2 * sizes[k] + 3);
    assert_non_null(p);
    if (sizes[k] > 0) assert_int_equal(p[sizes[k] - 1], 7);
    for (size_t i = sizes[k]; i < 2 * sizes[k] + 3; i++) assert_int_equal(p[i], 0);
    vv_free(c, p, 2 * sizes[k] + 3);
  }
  vvMemoryUse use = vv_context_memory(c);
  assert_int_equal(use.bytes, 0);
  assert_int_equal(use.ncall, 12);
  assert_int_equal(use.peak, 4096 + 8256);
  assert_null(vv_alloc(c, SIZE_MAX));
  assert_null(vv_alloc_array(c, SIZE_MAX / 2, 3));
  vv_free(c, NULL, 100);
  assert_int_equal(counter.out, own);
  assert_int_equal(counter.nbad, 0);
  vv_context_destroy(c);
  assert_int_equal(counter.out, 0);
}

// Each allocation of a piece of work fails in turn: a status every time, and nothing stays out.
static void test_nth_allocation_fails(void** unused) {
  (void)unused;
  for (size_t n = 0;; n++) {
    vvCounter counter = {.fail_at = n};
    vvContextOptions o = counting_options(&counter);
    o.nthread = 3;
    vvContext* c = NULL;
    vvArena arena = {0};
    vvTapeMem tape = {0};
    vvStatus status = vv_context_create(&o, &c);
    if (status == VV_OK) status = vv_arena_init(&arena, c, 1000);
    if (status == VV_OK) status = vv_arena_grow(&arena, c, 5000);
    if (status == VV_OK) status = vv_tape_mem_init(&tape, c, 1000);
    if (status == VV_OK) status = vv_tape_mem_grow(&tape, c, 3000);
    vv_tape_mem_free(&tape, c);
    vv_arena_free(&arena, c);
    vv_context_destroy(c);
    assert_int_equal(counter.out, 0);
    if (status == VV_OK) {
      assert_int_equal(counter.ncall, n);
      assert_int_equal(n, 7);
      return;
    }
    assert_int_equal(status, VV_ERROR_MEMORY);
  }
}

static void test_options(void** unused) {
  (void)unused;
  vvContext* c = NULL;
  vvContextOptions o = vv_context_options_default();
  assert_int_equal(vv_context_create(NULL, NULL), VV_ERROR_ARGUMENT);
  o.nthread = 0;
  assert_int_equal(vv_context_create(&o, &c), VV_ERROR_ARGUMENT);
  assert_null(c);
  o = vv_context_options_default();
  o.allocate = count_allocate;  // without its release
  assert_int_equal(vv_context_create(&o, &c), VV_ERROR_ARGUMENT);
  assert_int_equal(vv_context_create(NULL, &c), VV_OK);
  assert_int_equal(vv_context_thread_count(c), 1);
  assert_false(vv_context_cancelled(c));
  vv_context_destroy(c);
  vv_context_destroy(NULL);
}

static void test_log_and_cancel(void** unused) {
  (void)unused;
  vvCounter counter = {.fail_at = SIZE_MAX};
  vvContextOptions o = counting_options(&counter);
  vvContext* c = NULL;
  assert_int_equal(vv_context_create(&o, &c), VV_OK);
  vv_context_log(c, VV_LOG_INFO, "below the level");
  assert_string_equal(counter.logged, "");
  vv_context_log(c, VV_LOG_WARNING, "%s %d", "step", 7);
  assert_string_equal(counter.logged, "step 7");
  assert_ptr_equal(vv_context_user(c), &counter);
  counter.stop = true;
  assert_true(vv_context_cancelled(c));
  vv_context_destroy(c);
}

static void test_report(void** unused) {
  (void)unused;
  vvReport r;
  vv_report_clear(&r);
  vv_report_clear(NULL);
  assert_int_equal(r.step, -1);
  assert_int_equal(vv_report_set(NULL, VV_ERROR_FILE, "%d", 1), VV_ERROR_FILE);
  assert_int_equal(vv_report_set(&r, VV_ERROR_ARGUMENT, "timestep is %g; it must be positive", -1.0),
                   VV_ERROR_ARGUMENT);
  assert_string_equal(r.message, "timestep is -1; it must be positive");
  char text[600];
  memset(text, 'x', sizeof text);
  text[599] = 0;
  vv_report_set(&r, VV_ERROR_FILE, "%s", text);
  assert_int_equal(strlen(r.message), 255);
  for (int s = VV_OK; s <= VV_ERROR_CANCELLED; s++) {
    assert_true(strcmp(vv_status_text((vvStatus)s), "unknown status") != 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_alloc),   cmocka_unit_test(test_nth_allocation_fails),
      cmocka_unit_test(test_options), cmocka_unit_test(test_log_and_cancel),
      cmocka_unit_test(test_report),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
