// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// dense.h: small dense linear algebra on padded rows, tuned for 6 to 30 unknowns.
//
// layout   a vector has `stride` reals, stride = n rounded up to a multiple of 4 (vv_dense_stride), 32-byte aligned; the
//          reals beyond n are 0 on entry and stay 0. A matrix is n such vectors, row by row.

#ifndef VISVIVA_MATH_DENSE_H_
#define VISVIVA_MATH_DENSE_H_

#include "visviva/base.h"

// Four reals at once.
typedef vvReal vvReal4 __attribute__((vector_size(4 * sizeof(vvReal))));

static inline int vv_dense_stride(int n) {
  return (n + 3) & ~3;
}

static inline vvReal4 vv_dense_load4(const vvReal* a) {
  return *(const vvReal4*)__builtin_assume_aligned(a, sizeof(vvReal4));
}

static inline void vv_dense_store4(vvReal* a, vvReal4 x) {
  *(vvReal4*)__builtin_assume_aligned(a, sizeof(vvReal4)) = x;
}

// a . b over `stride` reals, summed in four lanes.
static inline vvReal vv_dense_dot(int stride, const vvReal* a, const vvReal* b) {
  vvReal4 s = {0, 0, 0, 0};
  for (int i = 0; i < stride; i += 4) s += vv_dense_load4(a + i) * vv_dense_load4(b + i);
  return (s[0] + s[1]) + (s[2] + s[3]);
}

// y += s x
static inline void vv_dense_axpy(int stride, vvReal s, const vvReal* x, vvReal* y) {
  for (int i = 0; i < stride; i += 4) vv_dense_store4(y + i, vv_dense_load4(y + i) + s * vv_dense_load4(x + i));
}

// y = A x, A symmetric with both triangles stored.
void vv_dense_symv(int n, int stride, const vvReal* A, const vvReal* x, vvReal* y);

// A = U' U from the upper triangle of A (the rest is not read); U upper triangular with inverted diagonal. A and U may
// be the same array. False when A is not positive definite.
bool vv_dense_cholesky(int n, int stride, const vvReal* A, vvReal* U);

// x = inv(U' U) b; b and x may be the same array.
void vv_dense_cholesky_solve(int n, int stride, const vvReal* U, const vvReal* b, vvReal* x);

#endif  // VISVIVA_MATH_DENSE_H_
