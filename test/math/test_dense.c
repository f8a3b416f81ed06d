// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_dense.c: factorization and solution of random positive definite systems of every size up to 40.
// float: checked

#include "vvtest.h"

#include <string.h>

#include "math/dense.h"

enum { MAX = 40 };

typedef struct System {
  _Alignas(32) vvReal A[MAX * MAX];
  _Alignas(32) vvReal U[MAX * MAX];
  _Alignas(32) vvReal x[MAX];
  _Alignas(32) vvReal b[MAX];
  _Alignas(32) vvReal y[MAX];
} System;

static vvReal uniform(uint64_t* seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (vvReal)((double)(*seed >> 11) / (double)(UINT64_C(1) << 52) - 1);
}

// A = G G' + 1, both triangles; x random; padding 0.
static void fill(System* s, int n, uint64_t* seed) {
  int stride = vv_dense_stride(n);
  vvReal G[MAX * MAX];
  memset(s, 0, sizeof *s);
  for (int i = 0; i < n * n; i++) G[i] = uniform(seed);
  for (int i = 0; i < n; i++) {
    s->x[i] = uniform(seed);
    for (int j = 0; j < n; j++) {
      vvReal sum = i == j ? 1 : 0;
      for (int k = 0; k < n; k++) sum += G[n * i + k] * G[n * j + k];
      s->A[stride * i + j] = sum;
    }
  }
}

static void test_solve(void** state) {
  (void)state;
  static System s;
  uint64_t seed = 1;
  for (int n = 1; n <= MAX; n++) {
    int stride = vv_dense_stride(n);
    fill(&s, n, &seed);
    vv_dense_symv(n, stride, s.A, s.x, s.b);
    assert_true(vv_dense_cholesky(n, stride, s.A, s.U));
    vv_dense_cholesky_solve(n, stride, s.U, s.b, s.y);
    for (int i = 0; i < n; i++) assert_near(s.y[i], s.x[i], 5e4 * VV_EPSILON);
    for (int i = n; i < stride; i++) assert_true(s.y[i] == 0);
    vv_dense_cholesky_solve(n, stride, s.U, s.b, s.b);
    assert_memory_equal(s.b, s.y, sizeof(vvReal) * (size_t)stride);
  }
}

static void test_zeros_between_blocks(void** state) {
  (void)state;
  static System s;
  uint64_t seed = 2;
  const int n = 13, stride = 16;
  fill(&s, n, &seed);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if ((i < 5) != (j < 5)) s.A[stride * i + j] = 0;
    }
  }
  vv_dense_symv(n, stride, s.A, s.x, s.b);
  assert_true(vv_dense_cholesky(n, stride, s.A, s.U));
  for (int i = 0; i < 5; i++) {
    for (int j = 5; j < n; j++) assert_true(s.U[stride * i + j] == 0);
  }
  vv_dense_cholesky_solve(n, stride, s.U, s.b, s.y);
  for (int i = 0; i < n; i++) assert_near(s.y[i], s.x[i], 5e4 * VV_EPSILON);
}

static void test_indefinite(void** state) {
  (void)state;
  static System s;
  uint64_t seed = 3;
  fill(&s, 7, &seed);
  s.A[8 * 4 + 4] = -1;
  assert_false(vv_dense_cholesky(7, 8, s.A, s.U));
  fill(&s, 7, &seed);
  s.A[8 * 6 + 6] = (vvReal)NAN;
  assert_false(vv_dense_cholesky(7, 8, s.A, s.U));
}

static void test_products(void** state) {
  (void)state;
  _Alignas(32) vvReal a[8] = {1, 2, 3, 4, 5, 0, 0, 0};
  _Alignas(32) vvReal b[8] = {2, -1, 1, 3, 2, 0, 0, 0};
  assert_near(vv_dense_dot(8, a, b), 25, VV_EPSILON);
  vv_dense_axpy(8, 2, a, b);
  assert_near(b[0], 4, VV_EPSILON);
  assert_near(b[4], 12, VV_EPSILON);
  assert_int_equal(vv_dense_stride(9), 12);
  assert_int_equal(vv_dense_stride(12), 12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solve),
      cmocka_unit_test(test_zeros_between_blocks),
      cmocka_unit_test(test_indefinite),
      cmocka_unit_test(test_products),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
