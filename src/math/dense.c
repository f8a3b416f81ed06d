// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// dense.c: small dense linear algebra.
//
// method   right-looking Cholesky in blocks of four rows: a finished block leaves the rows below in one pass. Every
// inner
//          loop runs along a padded row, from the aligned start at or before the diagonal, four reals at a time; what a
//          block does not touch (trees that no contact couples) is skipped.

#include "math/dense.h"

#include <string.h>

#include "visviva/kernel.h"

static vvReal* row_of(vvReal* A, int stride, int i) {
  return A + (size_t)i * (size_t)stride;
}

// Finishes rows first .. last - 1 (first a multiple of 4, at most four) among themselves. Pivots become inverses.
static bool factor_block(int first, int last, int stride, vvReal* U) {
  for (int k = first; k < last; k++) {
    vvReal* row = row_of(U, stride, k);
    vvReal d = row[k];
    if (!(d > 0)) return false;
    vvReal s = 1 / vv_sqrt(d);
    for (int i = first; i < stride; i += 4) vv_dense_store4(row + i, s * vv_dense_load4(row + i));
    for (int i = k + 1; i < last; i++)
      vv_dense_axpy(stride - first, -row[i], row + first, row_of(U, stride, i) + first);
    for (int i = 0; i < k; i++) row[i] = 0;
    row[k] = s;
  }
  return true;
}

// End of the last group of four columns in which a row of the block is not 0.
static int block_end(int first, int last, int stride, vvReal* U) {
  int end = stride;
  for (; end > first + 4; end -= 4) {
    for (int k = first; k < last; k++) {
      const vvReal* a = row_of(U, stride, k) + end - 4;
      if (a[0] != 0 || a[1] != 0 || a[2] != 0 || a[3] != 0) return end;
    }
  }
  return end;
}

// Row i loses its multiples of four finished rows from R on.
static void reduce_row(int i, int end, int stride, const vvReal* R, vvReal* row) {
  const vvReal *R1 = R + stride, *R2 = R1 + stride, *R3 = R2 + stride;
  vvReal c0 = R[i], c1 = R1[i], c2 = R2[i], c3 = R3[i];
  if (c0 == 0 && c1 == 0 && c2 == 0 && c3 == 0) return;
  for (int j = i & ~3; j < end; j += 4) {
    vvReal4 x = vv_dense_load4(row + j) - c0 * vv_dense_load4(R + j) - c1 * vv_dense_load4(R1 + j);
    vv_dense_store4(row + j, x - c2 * vv_dense_load4(R2 + j) - c3 * vv_dense_load4(R3 + j));
  }
}

bool vv_dense_cholesky(int n, int stride, const vvReal* A, vvReal* U) {
  if (A != U) memcpy(U, A, sizeof(vvReal) * (size_t)n * (size_t)stride);
  for (int first = 0; first < n; first += 4) {
    int last = first + 4 < n ? first + 4 : n;
    if (!factor_block(first, last, stride, U)) return false;
    if (last - first < 4) break;
    int end = block_end(first, last, stride, U);
    for (int i = last; i < end && i < n; i++) {
      reduce_row(i, end, stride, row_of(U, stride, first), row_of(U, stride, i));
    }
  }
  return true;
}

// `rows` (1 to 3) rows and `wide` (1 or 2) groups of four columns of T, held in registers.
static inline __attribute__((always_inline)) void subtract_tile(int rows, int wide, int n, int stride_a,
                                                                const vvReal* A, int stride_b, const vvReal* B,
                                                                int stride_t, vvReal* T) {
  vvReal4 sum[3][2] = {{{0}}};
  for (int k = 0; k < n; k++, A += stride_a, B += stride_b) {
    for (int c = 0; c < wide; c++) {
      vvReal4 b = vv_dense_load4(B + 4 * c);
      for (int r = 0; r < rows; r++) sum[r][c] += A[r] * b;
    }
  }
  for (int r = 0; r < rows; r++) {
    for (int c = 0; c < wide; c++) {
      vvReal* t = T + r * stride_t + 4 * c;
      vv_dense_store4(t, vv_dense_load4(t) - sum[r][c]);
    }
  }
}

void vv_dense_subtract_product(int n, int rows, int cols, int stride_a, const vvReal* A, int stride_b, const vvReal* B,
                               int stride_t, vvReal* T) {
  for (int r = 0; r < rows; r += 3, T += 3 * stride_t) {
    int left = rows - r, c = 0;
    for (; c + 8 <= cols; c += 8) {
      if (left > 2) {
        subtract_tile(3, 2, n, stride_a, A + r, stride_b, B + c, stride_t, T + c);
      } else if (left == 2) {
        subtract_tile(2, 2, n, stride_a, A + r, stride_b, B + c, stride_t, T + c);
      } else {
        subtract_tile(1, 2, n, stride_a, A + r, stride_b, B + c, stride_t, T + c);
      }
    }
    for (int i = r; c < cols && i < rows && i < r + 3; i++) {
      subtract_tile(1, 1, n, stride_a, A + i, stride_b, B + c, stride_t, T + (i - r) * stride_t + c);
    }
  }
}
