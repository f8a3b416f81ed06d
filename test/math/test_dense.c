// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_dense.c: factorization of random positive definite matrices of every size up to 40, products.
// float: checked

#include "vvtest.h"

#include <string.h>

#include "math/dense.h"

enum { MAX = 40 };

typedef struct System {
  _Alignas(32) vvReal A[MAX * MAX];
  _Alignas(32) vvReal U[MAX * MAX];
} System;

static vvReal uniform(uint64_t* seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (vvReal)((double)(*seed >> 11) / (double)(UINT64_C(1) << 52) - 1);
}

// A = G G' + 1, both triangles; padding 0.
static void fill(System* s, int n, uint64_t* seed) {
  int stride = vv_dense_stride(n);
  vvReal G[MAX * MAX];
  memset(s, 0, sizeof *s);
  for (int i = 0; i < n * n; i++) G[i] = uniform(seed);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      vvReal sum = i == j ? 1 : 0;
      for (int k = 0; k < n; k++) sum += G[n * i + k] * G[n * j + k];
      s->A[stride * i + j] = sum;
    }
  }
}

// Largest entry of U' U - A in the upper triangle; U has inverted diagonal.
static double product_error(const System* s, int n, int stride) {
  double worst = 0;
  for (int i = 0; i < n; i++) {
    for (int j = i; j < n; j++) {
      double sum = -(double)s->A[stride * i + j];
      for (int k = 0; k <= i; k++) {
        double a = k == i ? 1 / (double)s->U[stride * k + k] : (double)s->U[stride * k + i];
        double b = k == j ? 1 / (double)s->U[stride * k + k] : (double)s->U[stride * k + j];
        sum += a * b;
      }
      worst = fmax(worst, fabs(sum));
    }
  }
  return worst;
}

static void test_factor(void** state) {
  (void)state;
  static System s;
  uint64_t seed = 1;
  for (int n = 1; n <= MAX; n++) {
    int stride = vv_dense_stride(n);
    fill(&s, n, &seed);
    assert_true(vv_dense_cholesky(n, stride, s.A, s.U));
    assert_true(product_error(&s, n, stride) < 200 * VV_EPSILON);
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
  assert_true(vv_dense_cholesky(n, stride, s.A, s.U));
  for (int i = 0; i < 5; i++) {
    for (int j = 5; j < n; j++) assert_true(s.U[stride * i + j] == 0);
  }
  assert_true(product_error(&s, n, stride) < 200 * VV_EPSILON);
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
  vv_dense_axpy(4, 1, a, b + 1);  // need not be aligned
  assert_near(b[1], 4, VV_EPSILON);
  assert_near(vv_dense_dot(4, a, b + 1), 1 * 4 + 2 * 9 + 3 * 14 + 4 * 16, 16 * VV_EPSILON);
  assert_int_equal(vv_dense_stride(9), 12);
  assert_int_equal(vv_dense_stride(12), 12);
}

// Every number of rows and columns, so that every tile is met.
static void test_subtract_product(void** state) {
  (void)state;
  _Alignas(32) vvReal A[5 * 8], B[5 * 16], T[8 * 20];
  for (int rows = 1; rows <= 8; rows++) {
    for (int cols = 4; cols <= 16; cols += 4) {
      uint64_t seed = 4;
      for (int i = 0; i < 5 * 8; i++) A[i] = uniform(&seed);
      for (int i = 0; i < 5 * 16; i++) B[i] = uniform(&seed);
      for (int i = 0; i < 8 * 20; i++) T[i] = 1;
      vv_dense_subtract_product(5, rows, cols, 8, A, 16, B, 20, T);
      for (int i = 0; i < 8; i++) {
        for (int j = 0; j < 20; j++) {
          vvReal right = 1;
          for (int k = 0; k < 5 && i < rows && j < cols; k++) right -= A[8 * k + i] * B[16 * k + j];
          assert_near(T[20 * i + j], right, 20 * VV_EPSILON);
        }
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_factor),   cmocka_unit_test(test_zeros_between_blocks), cmocka_unit_test(test_indefinite),
      cmocka_unit_test(test_products), cmocka_unit_test(test_subtract_product),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
