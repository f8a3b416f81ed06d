// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_least.c: triangular factors gathered in pieces, bounded damped steps, singular values.

#include "vvtest.h"

#include <stdlib.h>
#include <string.h>

#include "core/random.h"
#include "fit/least.h"

enum { N = 5, ROWS = 40, W = N + 1 };

static void random_rows(double* A, uint64_t seed) {
  vvRandom random = vv_random_init(seed, 0);
  for (int i = 0; i < ROWS * W; i++) A[i] = vv_random_normal(&random);
}

// T'T = [J r]'[J r], whatever the pieces.
static void gather_gives_normal_equations(void** state) {
  (void)state;
  double A[ROWS * W], T[W * W] = {0}, T2[W * W] = {0}, work[W * W], piece[ROWS * W];
  random_rows(A, 1);
  for (int part = 0; part < 4; part++) {  // rows 10 part ... of each column
    for (int c = 0; c < W; c++) memcpy(piece + c * 10, A + c * ROWS + part * 10, 10 * sizeof(double));
    vv_least_gather(N, part < 2 ? T : T2, piece, 10, 10);
  }
  vv_least_join(N, T, T2, work);
  for (int a = 0; a < W; a++) {
    for (int b = 0; b < W; b++) {
      double right = 0, got = 0;
      for (int i = 0; i < ROWS; i++) right += A[a * ROWS + i] * A[b * ROWS + i];
      for (int i = 0; i <= (a < b ? a : b); i++) got += T[i * W + a] * T[i * W + b];
      assert_near(got, right, 1e-13);
    }
  }
}

// An undamped, unbounded step solves the normal equations; its promise is the decrease of the loss.
static void step_solves(void** state) {
  (void)state;
  double A[ROWS * W], copy[ROWS * W], T[W * W] = {0}, D[N], p[N] = {0}, low[N], high[N], s[N], *work;
  bool held[N];
  work = malloc(sizeof(double) * (size_t)vv_least_work(N));
  random_rows(A, 2);
  memcpy(copy, A, sizeof A);
  vv_least_gather(N, T, copy, ROWS, ROWS);
  for (int j = 0; j < N; j++) {
    D[j] = 1;
    low[j] = -1e9;
    high[j] = 1e9;
  }
  double gain = vv_least_step(N, T, 0, D, p, low, high, s, held, work);
  double before = 0, after = 0, slope[N] = {0};
  for (int i = 0; i < ROWS; i++) {
    double r = A[N * ROWS + i], r1 = r;
    for (int j = 0; j < N; j++) r1 += A[j * ROWS + i] * s[j];
    for (int j = 0; j < N; j++) slope[j] += A[j * ROWS + i] * r1;
    before += r * r;
    after += r1 * r1;
  }
  assert_near(gain, before - after, 1e-12);
  for (int j = 0; j < N; j++) assert_near(slope[j], 0, 1e-12);
  free(work);
}

// Within bounds the step leaves no slope in the parameters that are not held.
static void step_respects_bounds(void** state) {
  (void)state;
  double T[W * W] = {0}, A[ROWS * W], D[N], p[N] = {0}, low[N], high[N], s[N];
  double* work = malloc(sizeof(double) * (size_t)vv_least_work(N));
  bool held[N];
  random_rows(A, 3);
  vv_least_gather(N, T, A, ROWS, ROWS);
  int nheld = 0;
  for (int j = 0; j < N; j++) {
    D[j] = 1;
    low[j] = -0.15;
    high[j] = 0.15;
  }
  vv_least_step(N, T, 0, D, p, low, high, s, held, work);
  for (int j = 0; j < N; j++) {
    double slope = 0;
    for (int i = 0; i <= j; i++) {
      double r = T[i * W + N];
      for (int k = i; k < N; k++) r += T[i * W + k] * s[k];
      slope += T[i * W + j] * r;
    }
    assert_true(s[j] >= low[j] && s[j] <= high[j]);
    if (!held[j]) assert_near(slope, 0, 1e-12);
    nheld += held[j];
  }
  assert_true(nheld > 0 && nheld < N);
  free(work);
}

// A column of zeros gets no step; a singular value is found at 1e-12 of the largest.
static void singular_values(void** state) {
  (void)state;
  double A[N * N], V[N * N], sigma[N], kept[N * N];
  vvRandom random = vv_random_init(4, 0);
  for (int i = 0; i < N * N; i++) A[i] = vv_random_normal(&random);
  for (int i = 0; i < N; i++) A[i * N + 4] = A[i * N + 3] * (1 + 1e-12 * i);
  memcpy(kept, A, sizeof A);
  vv_least_svd(N, A, sigma, V);
  assert_true(sigma[4] < 1e-11 * sigma[0] && sigma[4] > 1e-14 * sigma[0]);
  for (int k = 0; k < N; k++) {  // |A v_k| = sigma_k
    double sum = 0;
    for (int i = 0; i < N; i++) {
      double y = 0;
      for (int j = 0; j < N; j++) y += kept[i * N + j] * V[k * N + j];
      sum += y * y;
    }
    assert_near(sqrt(sum), sigma[k], 1e-13);
    if (k) assert_true(sigma[k] <= sigma[k - 1]);
  }
}

static void solve_transposed(void** state) {
  (void)state;
  double A[N * N], kept[N * N], b[N] = {0}, x[N];
  vvRandom random = vv_random_init(5, 0);
  for (int i = 0; i < N * N; i++) kept[i] = A[i] = vv_random_normal(&random);
  for (int i = 0; i < N; i++) x[i] = vv_random_normal(&random);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) b[j] += kept[i * N + j] * x[i];
  }
  assert_true(vv_least_solve_transposed(N, A, b));
  for (int i = 0; i < N; i++) assert_near(b[i], x[i], 1e-11);
  double zero[N * N] = {0};
  assert_false(vv_least_solve_transposed(N, zero, b));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gather_gives_normal_equations),
      cmocka_unit_test(step_solves),
      cmocka_unit_test(step_respects_bounds),
      cmocka_unit_test(singular_values),
      cmocka_unit_test(solve_transposed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
