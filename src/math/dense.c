// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// dense.c: small dense linear algebra.
//
// method   right-looking Cholesky by rows: after row k is scaled, k multiples of it leave the rows below; every inner
//          loop runs along a padded row, from the aligned start at or before the diagonal, four reals at a time

#include "math/dense.h"

#include <string.h>

#include "visviva/kernel.h"

void vv_dense_symv(int n, int stride, const vvReal* A, const vvReal* x, vvReal* y) {
  for (int i = 0; i < stride; i++) y[i] = 0;
  for (int j = 0; j < n; j++) vv_dense_axpy(stride, x[j], A + (size_t)j * (size_t)stride, y);
}

bool vv_dense_cholesky(int n, int stride, const vvReal* A, vvReal* U) {
  if (A != U) memcpy(U, A, sizeof(vvReal) * (size_t)n * (size_t)stride);
  for (int k = 0; k < n; k++) {
    vvReal* row = U + (size_t)k * (size_t)stride;
    int start = k & ~3;
    vvReal d = row[k];
    if (!(d > 0)) return false;
    vvReal s = 1 / vv_sqrt(d);
    for (int i = start; i < stride; i += 4) vv_dense_store4(row + i, s * vv_dense_load4(row + i));
    for (int i = k + 1; i < n; i++) {
      int from = i & ~3;
      vv_dense_axpy(stride - from, -row[i], row + from, U + (size_t)i * (size_t)stride + from);
    }
    for (int i = 0; i < k; i++) row[i] = 0;
    row[k] = s;
  }
  return true;
}

void vv_dense_cholesky_solve(int n, int stride, const vvReal* U, const vvReal* b, vvReal* x) {
  if (x != b) memcpy(x, b, sizeof(vvReal) * (size_t)stride);
  for (int k = 0; k < n; k++) {
    const vvReal* row = U + (size_t)k * (size_t)stride;
    int start = k & ~3;
    vvReal y = x[k] * row[k];
    vv_dense_axpy(stride - start, -y, row + start, x + start);
    x[k] = y;
  }
  for (int k = n - 1; k >= 0; k--) {
    const vvReal* row = U + (size_t)k * (size_t)stride;
    int start = k & ~3;
    vvReal y = x[k];
    x[k] = 0;
    x[k] = (y - vv_dense_dot(stride - start, row + start, x + start)) * row[k];
  }
}
