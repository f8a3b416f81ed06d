// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// published_kernel.h: the kernels of published_kernel.c.

#ifndef VISVIVA_TEST_PUBLISHED_KERNEL_H_
#define VISVIVA_TEST_PUBLISHED_KERNEL_H_

#include "visviva/kernel.h"

// clang-format off
// Every function of math.h that vvcc differentiates, of 0 < a, b < 1; those from VV_FIRST_STEP on have derivative 0.
#define VV_FUNCTIONS(F) \
  F(0, sqrt, vv_sqrt(a)) \
  F(1, sin, vv_sin(a)) \
  F(2, cos, vv_cos(a)) \
  F(3, tan, vv_tan(a)) \
  F(4, asin, vv_asin(a)) \
  F(5, acos, vv_acos(a)) \
  F(6, atan, vv_atan(a)) \
  F(7, atan2, vv_atan2(a, b)) \
  F(8, exp, vv_exp(a)) \
  F(9, log, vv_log(a)) \
  F(10, pow, vv_pow(a, b)) \
  F(11, fabs, vv_fabs(a - 1)) \
  F(12, fmin, vv_fmin(a, b)) \
  F(13, fmax, vv_fmax(a, b)) \
  F(14, sinh, vv_sinh(a)) \
  F(15, cosh, vv_cosh(a)) \
  F(16, tanh, vv_tanh(a)) \
  F(17, hypot, vv_hypot(a, b)) \
  F(18, expm1, vv_expm1(a)) \
  F(19, log1p, vv_log1p(a)) \
  F(20, cbrt, vv_cbrt(a)) \
  F(21, fmod, vv_fmod(a, b / 8)) \
  F(22, copysign, vv_copysign(a, -b)) \
  F(23, exp2, vv_exp2(a)) \
  F(24, log2, vv_log2(a)) \
  F(25, log10, vv_log10(a)) \
  F(26, asinh, vv_asinh(a)) \
  F(27, acosh, vv_acosh(1 + a)) \
  F(28, atanh, vv_atanh(a)) \
  F(29, fdim, vv_fdim(a, b)) \
  F(30, fma, vv_fma(a, b, a)) \
  F(31, erf, vv_erf(a)) \
  F(32, erfc, vv_erfc(a)) \
  F(33, remainder, vv_remainder(a, b / 8)) \
  F(34, ldexp, vv_ldexp(a, 3)) \
  F(35, floor, vv_floor(9 * a)) \
  F(36, ceil, vv_ceil(9 * a)) \
  F(37, trunc, vv_trunc(9 * a)) \
  F(38, round, vv_round(9 * a)) \
  F(39, rint, vv_rint(9 * a)) \
  F(40, nearbyint, vv_nearbyint(9 * a))
// clang-format on
#define VV_FUNCTION_COUNT 41
#define VV_FIRST_STEP 35

typedef struct vvCell {
  vvReal a;
  int tag;
} vvCell;

VV_DIFF vvReal case_c1(vvReal x, const vvReal* w, int n);
VV_DIFF vvReal case_c2(const vvReal* x, int n);
VV_DIFF vvReal case_c2_inside(const vvReal* x, int n);
VV_DIFF vvReal case_c5(const vvReal* x, int n);
VV_DIFF vvReal case_c8_add(const vvReal* x, int n, vvReal* a);
VV_DIFF vvReal case_c8_square(const vvReal* x, int n, vvReal* a);
VV_DIFF void case_c9(vvReal theta, vvReal* x);
VV_DIFF vvReal case_c10(const vvReal* x, int n, vvReal* y);
VV_DIFF vvReal case_c14(vvReal amplitude, VV_NO_DIFF const vvReal* wave, int n, vvReal* plastic);
VV_DIFF vvReal case_c16(const vvReal* v, int n);
VV_DIFF vvReal case_c16_function(int k, vvReal a, vvReal b);
VV_DIFF vvReal case_c18(const vvReal* x, int n, vvCell* y);
VV_DIFF vvReal case_c25_squared(const vvReal* y, const vvReal* z);
VV_DIFF vvReal case_c25_norm(const vvReal* v);
VV_DIFF vvReal case_c27(vvReal angle);
VV_DIFF vvReal case_c28_max(vvReal x);
VV_DIFF vvReal case_c28_select(vvReal x);
VV_DIFF vvReal case_c28_abs(vvReal x);
VV_DIFF vvReal case_c28_both(vvReal x, vvReal y);
VV_DIFF vvReal case_rg15_product(const vvReal* x, int n);
VV_DIFF vvReal case_rg15_mean(const vvReal* x, const vvReal* w, int n);

#endif  // VISVIVA_TEST_PUBLISHED_KERNEL_H_
