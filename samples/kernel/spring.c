// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// spring.c: energy of springs between points, one launch index per spring.
//
//   vv kernel samples/kernel/spring.c --check

#include "visviva/kernel.h"

typedef struct Spring {
  vvReal k;     // [N/m]
  vvReal rest;  // [m]
} Spring;

// k/2 (|x_b - x_a| - rest)^2, the points given as six numbers; the length's derivative at 0 is 0.
VV_DIFF vvReal spring_energy(const vvReal* x, Spring s) {
  vvReal length = vv_vec3_length(vv_vec3_sub(vv_vec3_load(x, 3), vv_vec3_load(x, 0)));
  return s.k / 2 * (length - s.rest) * (length - s.rest);
}

// The same for spring i of many, between the points 2 i and 2 i + 1: run with vv_kernel_launch.
VV_DIFF void springs(int i, const vvReal* x, const Spring* s, VV_WRITE_ONCE vvReal* energy) {
  energy[i] = spring_energy(x + 6 * i, s[i]);
}
