// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_threads.c: every index runs once, sums have the same bits for any thread count, the lowest failure is returned.
//
// float: checked

#include "vvtest.h"

#include <stdatomic.h>
#include <string.h>

#include "core/random.h"

enum { N = 10000, NBLOCK = 64 };

typedef struct vvWork {
  vvContext* context;
  int nthread;
  atomic_int count[N];
  double partial[NBLOCK];
  int fail_from;
  bool nested_refused;
} vvWork;

static vvContext* make_context(int nthread) {
  vvContext* c = NULL;
  vvContextOptions o = vv_context_options_default();
  o.nthread = nthread;
  assert_int_equal(vv_context_create(&o, &c), VV_OK);
  return c;
}

static vvStatus count_one(void* user, int index, int thread) {
  vvWork* w = user;
  if (thread < 0 || thread >= w->nthread) return VV_ERROR_ARGUMENT;
  atomic_fetch_add(&w->count[index], 1);
  return VV_OK;
}

static vvStatus sum_block(void* user, int block, int thread) {
  vvWork* w = user;
  (void)thread;
  double sum = 0;
  for (int i = vv_block_begin(N, NBLOCK, block); i < vv_block_begin(N, NBLOCK, block + 1); i++) {
    vvRandom r = vv_random_init(7, (uint64_t)i);
    sum += vv_random_normal(&r) * exp(10 * vv_random_uniform(&r));
  }
  w->partial[block] = sum;
  return VV_OK;
}

static vvStatus fail_late(void* user, int index, int thread) {
  vvWork* w = user;
  (void)thread;
  if (index == w->fail_from) return VV_ERROR_SINGULAR;
  return index > w->fail_from ? VV_ERROR_NOT_FINITE : VV_OK;
}

static vvStatus nested(void* user, int index, int thread) {
  vvWork* w = user;
  (void)thread;
  if (index == 0) w->nested_refused = vv_parallel_for(w->context, 2, count_one, w) == VV_ERROR_ARGUMENT;
  return VV_OK;
}

static vvWork work;

static void test_each_index_once(void** unused) {
  (void)unused;
  for (int nthread = 1; nthread <= 8; nthread *= 2) {
    memset(&work, 0, sizeof work);
    work.nthread = nthread;
    vvContext* c = make_context(nthread);
    for (int repeat = 0; repeat < 20; repeat++) assert_int_equal(vv_parallel_for(c, N, count_one, &work), VV_OK);
    for (int i = 0; i < N; i++) assert_int_equal(atomic_load(&work.count[i]), 20);
    assert_int_equal(vv_parallel_for(c, 0, count_one, &work), VV_OK);
    assert_int_equal(vv_parallel_for(c, -1, count_one, &work), VV_ERROR_ARGUMENT);
    vv_context_destroy(c);
  }
}

static void test_same_bits(void** unused) {
  (void)unused;
  double first = 0;
  for (int nthread = 1; nthread <= 8; nthread++) {
    vvContext* c = make_context(nthread);
    assert_int_equal(vv_parallel_for(c, NBLOCK, sum_block, &work), VV_OK);
    double sum = 0;
    for (int b = 0; b < NBLOCK; b++) sum += work.partial[b];
    if (nthread == 1) first = sum;
    assert_memory_equal(&sum, &first, sizeof sum);
    vv_context_destroy(c);
  }
  assert_true(first != 0);
}

static void test_lowest_failure(void** unused) {
  (void)unused;
  for (int nthread = 1; nthread <= 4; nthread++) {
    vvContext* c = make_context(nthread);
    for (work.fail_from = 0; work.fail_from < 200; work.fail_from += 13) {
      assert_int_equal(vv_parallel_for(c, 1000, fail_late, &work), VV_ERROR_SINGULAR);
    }
    vv_context_destroy(c);
  }
}

static void test_nested_is_refused(void** unused) {
  (void)unused;
  for (int nthread = 1; nthread <= 2; nthread++) {
    work.context = make_context(nthread);
    work.nested_refused = false;
    assert_int_equal(vv_parallel_for(work.context, 8, nested, &work), VV_OK);
    assert_true(work.nested_refused);
    vv_context_destroy(work.context);
  }
}

static void test_blocks(void** unused) {
  (void)unused;
  for (int n = 0; n < 40; n++) {
    for (int nblock = 1; nblock < 10; nblock++) {
      assert_int_equal(vv_block_begin(n, nblock, 0), 0);
      assert_int_equal(vv_block_begin(n, nblock, nblock), n);
      for (int b = 0; b < nblock; b++) assert_true(vv_block_begin(n, nblock, b) <= vv_block_begin(n, nblock, b + 1));
    }
  }
  assert_int_equal(vv_block_begin(2000000000, 64, 64), 2000000000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_each_index_once),   cmocka_unit_test(test_same_bits), cmocka_unit_test(test_lowest_failure),
      cmocka_unit_test(test_nested_is_refused), cmocka_unit_test(test_blocks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
