// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// dense.h: small dense linear algebra on padded rows, tuned for 6 to 30 unknowns.
//
// layout   a vector has `stride` reals, stride = n rounded up to a multiple of 4 (vv_dense_stride), 32-byte aligned;
// the
//          reals beyond n are 0 on entry and stay 0. A matrix is n such vectors, row by row.

#ifndef VISVIVA_MATH_DENSE_H_
#define VISVIVA_MATH_DENSE_H_

#include "visviva/base.h"

// Four reals at once, and the same anywhere in memory.
typedef vvReal vvReal4 __attribute__((vector_size(4 * sizeof(vvReal))));
typedef vvReal vvReal4Loose __attribute__((vector_size(4 * sizeof(vvReal)), aligned(sizeof(vvReal))));

static inline int vv_dense_stride(int n) {
  return (n + 3) & ~3;
}

static inline vvReal4 vv_dense_load4(const vvReal* a) {
  return *(const vvReal4*)__builtin_assume_aligned(a, sizeof(vvReal4));
}

static inline void vv_dense_store4(vvReal* a, vvReal4 x) {
  *(vvReal4*)__builtin_assume_aligned(a, sizeof(vvReal4)) = x;
}

static inline vvReal4 vv_dense_load4_loose(const vvReal* a) {
  return *(const vvReal4Loose*)a;
}

static inline void vv_dense_store4_loose(vvReal* a, vvReal4 x) {
  *(vvReal4Loose*)a = x;
}

// a . b over `stride` reals, summed in four lanes; b need not be aligned.
static inline vvReal vv_dense_dot(int stride, const vvReal* a, const vvReal* b) {
  vvReal4 s = {0, 0, 0, 0};
  for (int i = 0; i < stride; i += 4) s += vv_dense_load4(a + i) * vv_dense_load4_loose(b + i);
  return (s[0] + s[1]) + (s[2] + s[3]);
}

// y += s x; y need not be aligned.
static inline void vv_dense_axpy(int stride, vvReal s, const vvReal* x, vvReal* y) {
  for (int i = 0; i < stride; i += 4) {
    vv_dense_store4_loose(y + i, vv_dense_load4_loose(y + i) + s * vv_dense_load4(x + i));
  }
}

// T -= A' B, T rows x cols, A n x rows, B n x cols, in rows of stride_t, stride_a, stride_b reals; cols a multiple of
// 4, B and T aligned.
void vv_dense_subtract_product(int n, int rows, int cols, int stride_a, const vvReal* A, int stride_b, const vvReal* B,
                               int stride_t, vvReal* T);

// A = U' U from the upper triangle of n rows of A (the rest is not read); U upper triangular with inverted diagonal.
// Rows may be longer than n rounded up: columns further right become those of inv(U') times theirs. A and U may be the
// same array. False when A is not positive definite.
bool vv_dense_cholesky(int n, int stride, const vvReal* A, vvReal* U);

#endif  // VISVIVA_MATH_DENSE_H_
