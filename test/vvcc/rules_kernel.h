// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// rules_kernel.h: functions with derivatives written by hand; see rules_kernel.c.

#ifndef VISVIVA_TEST_RULES_KERNEL_H_
#define VISVIVA_TEST_RULES_KERNEL_H_

#include "visviva/kernel.h"

#define VV_RULES(F) F(r_square) F(r_root) F(r_loop) F(r_polar) F(r_polar_loop) F(r_solve) F(r_dot) F(r_forward)

#define VV_RULES_DECLARE(name) VV_DIFF vvReal name(const vvReal* x, vvReal* y, int n);
VV_RULES(VV_RULES_DECLARE)

VV_DIFF vvReal square(vvReal x);
VV_DIFF vvReal dot(const vvReal* a, const vvReal* b, int n);
VV_DIFF vvMat3 polar(vvMat3 F);

#endif  // VISVIVA_TEST_RULES_KERNEL_H_
