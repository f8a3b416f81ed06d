// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// published_kernel.h: the kernels of published_kernel.c.

#ifndef VISVIVA_TEST_PUBLISHED_KERNEL_H_
#define VISVIVA_TEST_PUBLISHED_KERNEL_H_

#include "visviva/kernel.h"

VV_DIFF vvReal case_c1(vvReal x, const vvReal* w, int n);
VV_DIFF vvReal case_c2(const vvReal* x, int n);
VV_DIFF vvReal case_c2_inside(const vvReal* x, int n);
VV_DIFF vvReal case_c5(const vvReal* x, int n);
VV_DIFF vvReal case_c8_add(const vvReal* x, int n, vvReal* a);
VV_DIFF vvReal case_c8_square(const vvReal* x, int n, vvReal* a);
VV_DIFF void case_c9(vvReal theta, vvReal* x);
VV_DIFF vvReal case_c10(const vvReal* x, int n, vvReal* y);
VV_DIFF vvReal case_c14(vvReal amplitude, VV_NO_DIFF const vvReal* wave, int n, vvReal* plastic);
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
