// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// published_kernel.c: small kernels whose derivatives other compilers got wrong; test_published.c has the right values.
// Names are those of the case list: C1 ... C28 and RG15.

#include "vvcc/published_kernel.h"

// C1: a value made before a loop with a run-time bound and used after it.
VV_DIFF vvReal case_c1(vvReal x, const vvReal* w, int n) {
  vvReal a = x * x;
  vvReal s = 0;
  for (int k = 0; k < n; k++) s += w[k] * x;
  return s * a;
}

// C2: nonlinear use of an accumulator after a loop.
VV_DIFF vvReal case_c2(const vvReal* x, int n) {
  vvReal t = 1;
  for (int i = 0; i < n; i++) t += x[i];
  return 1 / t;
}

VV_DIFF static vvReal one_over_sum(const vvReal* x, int n) {
  vvReal t = 1;
  for (int i = 0; i < n; i++) t += x[i];
  return 1 / t;
}

// C2 with loop and division inside a helper.
VV_DIFF vvReal case_c2_inside(const vvReal* x, int n) {
  return one_over_sum(x, n);
}

// C5: break after the addition.
VV_DIFF vvReal case_c5(const vvReal* x, int n) {
  vvReal t = 1;
  for (int i = 0; i < n; i++) {
    t += x[i];
    if (t > 3) break;
  }
  return 1 / t;
}

// C8: reading and writing the same element.
VV_DIFF vvReal case_c8_add(const vvReal* x, int n, vvReal* a) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) a[i] = x[i];
  for (int i = 0; i < n; i++) a[i] = a[i] + 1;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}

VV_DIFF vvReal case_c8_square(const vvReal* x, int n, vvReal* a) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) a[i] = x[i];
  for (int i = 0; i < n; i++) a[i] = a[i] * a[i];
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}

// C9: x = cos(theta) x, stored back.
VV_DIFF void case_c9(vvReal theta, vvReal* x) {
  x[0] = vv_cos(theta) * x[0];
}

// C10: the first of two writes is dead.
VV_DIFF vvReal case_c10(const vvReal* x, int n, vvReal* y) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) y[i] = 2 * x[i];
  for (int i = 0; i < n; i++) y[i] = 3 * x[i];
  for (int i = 0; i < n; i++) s += y[i];
  return s;
}

// C14: one-dimensional perfect plasticity; plastic strain is carried from sample to sample in an array.
VV_DIFF vvReal case_c14(vvReal amplitude, VV_NO_DIFF const vvReal* wave, int n, vvReal* plastic) {
  vvReal E = 1000;
  vvReal yield = 2;
  vvReal sum = 0;
  plastic[0] = 0;
  for (int k = 0; k < n; k++) {
    vvReal stress = E * (amplitude * wave[k] - plastic[k]);
    vvReal flow = 0;
    if (stress > yield) flow = (stress - yield) / E;
    if (stress < -yield) flow = (stress + yield) / E;
    plastic[k + 1] = plastic[k] + flow;
    sum += vv_fabs(flow);
  }
  return sum;
}

// C16: sign as people write it, summed: constant between its jumps.
VV_DIFF vvReal case_c16(const vvReal* v, int n) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) s += vv_copysign(1, v[i]);
  return s;
}

// C16: every function that vvcc knows, by number.
VV_DIFF vvReal case_c16_function(int k, vvReal a, vvReal b) {
  switch (k) {
#define VV_CASE(number, name, expression) \
  case number:                            \
    return expression;
    VV_FUNCTIONS(VV_CASE)
    default:
      return 0;
  }
}

// C18: through an array of structs.
VV_DIFF vvReal case_c18(const vvReal* x, int n, vvCell* y) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) y[i].a = x[i];
  for (int i = 0; i < n; i++) s += y[i].a;
  return s;
}

// C25: norms at zero.
VV_DIFF vvReal case_c25_squared(const vvReal* y, const vvReal* z) {
  vvReal d = vv_vec3_length(vv_vec3_sub(vv_vec3_load(y, 0), vv_vec3_load(z, 0)));
  return d * d;
}

VV_DIFF vvReal case_c25_norm(const vvReal* v) {
  return vv_vec3_length(vv_vec3_load(v, 0));
}

// C27: angle of a rotation about z from its quaternion.
VV_DIFF vvReal case_c27(vvReal angle) {
  vvVec3 axis = {0, 0, 1};
  return vv_quat_log(vv_quat_axis_angle(axis, angle)).z;
}

// C28: equivalent forms of a kink.
VV_DIFF vvReal case_c28_max(vvReal x) {
  return vv_fmax(0, x);
}

VV_DIFF vvReal case_c28_select(vvReal x) {
  return x > 0 ? x : 0;
}

VV_DIFF vvReal case_c28_abs(vvReal x) {
  return vv_fabs(x);
}

// max of two active equal values: half each.
VV_DIFF vvReal case_c28_both(vvReal x, vvReal y) {
  return vv_fmax(x, y);
}

// RG15 a: a product in a dynamic loop.
VV_DIFF vvReal case_rg15_product(const vvReal* x, int n) {
  vvReal p = 1;
  for (int i = 0; i < n; i++) p *= x[i];
  return p;
}

// RG15 b: a weighted mean in a dynamic loop.
VV_DIFF vvReal case_rg15_mean(const vvReal* x, const vvReal* w, int n) {
  vvReal a = 0;
  vvReal b = 0;
  for (int i = 0; i < n; i++) {
    a += x[i] * w[i];
    b += w[i];
  }
  return a / b;
}
