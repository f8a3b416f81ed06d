// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// rules_kernel.c: functions whose derivatives are written by hand, alone and inside other kernels. Signatures of the
// forms as in forms_kernel.h; test_forms.c holds them against differences, test_rules.py against generated derivatives.

#include "vvcc/rules_kernel.h"

// x^2 by a loop, with a loop in the rule too
VV_DIFF vvReal square(vvReal x) {
  vvReal s = 0;
  for (int i = 0; i < 4; i++) s += x * x / 4;
  return s;
}

VV_VJP_OF(square) void square_rule(vvReal x, vvReal r_bar, vvReal* x_bar) {
  for (int i = 0; i < 2; i++) *x_bar += r_bar * x;
}

VV_DIFF VV_SECOND vvReal r_square(const vvReal* x, vvReal* y, int n) {
  y[0] = square(x[0] * x[1]);
  return square(y[0] + x[n]) * square(y[1]);
}

// a root of r^3 + r = a by Newton's method; the derivative is that of the root
VV_DIFF static vvReal root(vvReal a) {
  vvReal r = 0;
  for (int i = 0; i < 60; i++) r -= (r * r * r + r - a) / (3 * r * r + 1);
  return r;
}

VV_VJP_OF(root) static void root_rule(vvReal a, vvReal r, vvReal r_bar, vvReal* a_bar) {
  (void)a;
  *a_bar += r_bar / (3 * r * r + 1);
}

VV_DIFF VV_SECOND vvReal r_root(const vvReal* x, vvReal* y, int n) {
  vvReal a = root(x[0]);
  a = root(a * x[1]) + a;
  y[1] = root(x[2]);
  return a * y[1] + n;
}

VV_DIFF VV_SECOND vvReal r_loop(const vvReal* x, vvReal* y, int n) {
  vvReal s = x[0];
  for (int i = 0; i < n; i++) {
    s = root(s + x[i]);
    y[i] = root(y[i] * s) * s;
    if (s > 50) break;
  }
  return s;
}

// The rotation of F = R S, by Newton's iteration X <- (X + X^-T) / 2; the iterates are orthogonal in the limit.
VV_DIFF vvMat3 polar(vvMat3 F) {
  vvMat3 X = F;
  for (int i = 0; i < 40; i++) {
    vvReal a = X.yy * X.zz - X.yz * X.zy, b = X.yz * X.zx - X.yx * X.zz, c = X.yx * X.zy - X.yy * X.zx;
    vvReal k = 1 / (X.xx * a + X.xy * b + X.xz * c);
    vvMat3 C = {a,
                b,
                c,
                X.xz * X.zy - X.xy * X.zz,
                X.xx * X.zz - X.xz * X.zx,
                X.xy * X.zx - X.xx * X.zy,
                X.xy * X.yz - X.xz * X.yy,
                X.xz * X.yx - X.xx * X.yz,
                X.xx * X.yy - X.xy * X.yx};
    X.xx = (X.xx + k * C.xx) / 2;
    X.xy = (X.xy + k * C.xy) / 2;
    X.xz = (X.xz + k * C.xz) / 2;
    X.yx = (X.yx + k * C.yx) / 2;
    X.yy = (X.yy + k * C.yy) / 2;
    X.yz = (X.yz + k * C.yz) / 2;
    X.zx = (X.zx + k * C.zx) / 2;
    X.zy = (X.zy + k * C.zy) / 2;
    X.zz = (X.zz + k * C.zz) / 2;
  }
  return X;
}

// dR = R [w], (tr(S) 1 - S) w = axial(R' dF), S = R' F. Transposed, with g the axial vector of R' R_bar - R_bar' R:
//   (tr(S) 1 - S) z = g     F_bar += R [z]
VV_VJP_OF(polar) static void polar_rule(vvMat3 F, vvMat3 R, vvMat3 R_bar, vvMat3* F_bar) {
  vvReal sxx = R.xx * F.xx + R.yx * F.yx + R.zx * F.zx, syy = R.xy * F.xy + R.yy * F.yy + R.zy * F.zy;
  vvReal szz = R.xz * F.xz + R.yz * F.yz + R.zz * F.zz, sxy = R.xx * F.xy + R.yx * F.yy + R.zx * F.zy;
  vvReal sxz = R.xx * F.xz + R.yx * F.yz + R.zx * F.zz, syz = R.xy * F.xz + R.yy * F.yz + R.zy * F.zz;
  vvReal gx = R.xz * R_bar.xy + R.yz * R_bar.yy + R.zz * R_bar.zy - R.xy * R_bar.xz - R.yy * R_bar.yz - R.zy * R_bar.zz;
  vvReal gy = R.xx * R_bar.xz + R.yx * R_bar.yz + R.zx * R_bar.zz - R.xz * R_bar.xx - R.yz * R_bar.yx - R.zz * R_bar.zx;
  vvReal gz = R.xy * R_bar.xx + R.yy * R_bar.yx + R.zy * R_bar.zx - R.xx * R_bar.xy - R.yx * R_bar.yy - R.zx * R_bar.zy;
  vvReal a = syy + szz, b = sxx + szz, c = sxx + syy;  // diagonal of tr(S) 1 - S
  vvReal axx = b * c - syz * syz, axy = sxy * c + sxz * syz, axz = sxy * syz + b * sxz;
  vvReal ayy = a * c - sxz * sxz, ayz = a * syz + sxy * sxz, azz = a * b - sxy * sxy;
  vvReal k = 1 / (a * axx - sxy * axy - sxz * axz);
  vvReal zx = k * (axx * gx + axy * gy + axz * gz), zy = k * (axy * gx + ayy * gy + ayz * gz);
  vvReal zz = k * (axz * gx + ayz * gy + azz * gz);
  F_bar->xx += R.xy * zz - R.xz * zy;
  F_bar->yx += R.yy * zz - R.yz * zy;
  F_bar->zx += R.zy * zz - R.zz * zy;
  F_bar->xy += R.xz * zx - R.xx * zz;
  F_bar->yy += R.yz * zx - R.yx * zz;
  F_bar->zy += R.zz * zx - R.zx * zz;
  F_bar->xz += R.xx * zy - R.xy * zx;
  F_bar->yz += R.yx * zy - R.yy * zx;
  F_bar->zz += R.zx * zy - R.zy * zx;
}

VV_DIFF static vvMat3 near_unit(const vvReal* x) {
  vvMat3 F = {1 + x[0], x[1] / 3, x[2] / 4, x[3] / 5, 1 + x[4], x[5] / 4, x[6] / 5, x[7] / 3, 1 + x[8]};
  return F;
}

VV_DIFF VV_SECOND vvReal r_polar(const vvReal* x, vvReal* y, int n) {
  vvMat3 R = polar(near_unit(x));
  y[n] = R.yz;
  return R.xy * x[9] + R.zx * R.zx + R.yy;
}

VV_DIFF VV_SECOND vvReal r_polar_loop(const vvReal* x, vvReal* y, int n) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) {
    vvMat3 F = near_unit(x + i % 3);
    F.xy *= y[i];
    vvMat3 R = polar(F);
    s += R.xy * R.yz - R.zx * x[i];
  }
  return s;
}

// Solves a two by two system into memory: the rule's seeds are the bars of what was written.
VV_DIFF static void solve(const vvReal* A, const vvReal* b, vvReal* z) {
  vvReal k = 1 / (A[0] * A[3] - A[1] * A[2]);
  z[0] = k * (A[3] * b[0] - A[1] * b[1]);
  z[1] = k * (A[0] * b[1] - A[2] * b[0]);
}

VV_VJP_OF(solve)
static void solve_rule(const vvReal* A, const vvReal* b, vvReal* z, vvReal* A_bar, vvReal* b_bar, vvReal* z_bar) {
  (void)b;
  vvReal k = 1 / (A[0] * A[3] - A[1] * A[2]);
  vvReal w0 = k * (A[3] * z_bar[0] - A[2] * z_bar[1]), w1 = k * (A[0] * z_bar[1] - A[1] * z_bar[0]);
  z_bar[0] = 0;
  z_bar[1] = 0;
  if (b_bar) {
    b_bar[0] += w0;
    b_bar[1] += w1;
  }
  if (A_bar != NULL) {
    A_bar[0] -= w0 * z[0];
    A_bar[1] -= w0 * z[1];
    A_bar[2] -= w1 * z[0];
    A_bar[3] -= w1 * z[1];
  }
}

VV_DIFF VV_SECOND vvReal r_solve(const vvReal* x, vvReal* y, int n) {
  vvReal z[2], w[2], A[4] = {4 + x[0], x[1], x[2], 3 + x[3]}, one[2] = {1, 2};
  const vvReal fixed[4] = {2, 1, 0, 3};
  solve(A, x + 4, z);
  solve(fixed, z, w);
  y[0] = w[0] * w[1];
  vvReal u[2];
  solve(A, one, u);
  return u[0] * u[1] * z[0] + n;
}

// Pointers only
VV_DIFF vvReal dot(const vvReal* a, const vvReal* b, int n) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

VV_VJP_OF(dot) void dot_rule(const vvReal* a, const vvReal* b, int n, vvReal r_bar, vvReal* a_bar, vvReal* b_bar) {
  if (a_bar)
    for (int i = 0; i < n; i++) a_bar[i] += r_bar * b[i];
  if (b_bar)
    for (int i = 0; i < n; i++) b_bar[i] += r_bar * a[i];
}

VV_DIFF VV_SECOND vvReal r_dot(const vvReal* x, vvReal* y, int n) {
  const vvReal fixed[4] = {2, 1, 0, 3};
  y[0] = dot(x, x + 4, n) + dot(x, x, 3);
  return dot(fixed, y, 4) * dot(y, fixed, 2);
}

// A forward rule: |a|^(3/2) sign(a), without the pole of the generated one at 0.
VV_DIFF static vvReal soft_power(vvReal a, vvReal k) {
  return k * a * vv_sqrt(vv_fabs(a));
}

VV_JVP_OF(soft_power) static vvReal soft_power_forward(vvReal a, vvReal a_tan, vvReal k, vvReal k_tan, vvReal* r_tan) {
  vvReal s = vv_sqrt(vv_fabs(a));
  *r_tan = k_tan * a * s + (vvReal)1.5 * k * s * a_tan;
  return k * a * s;
}

VV_DIFF VV_SECOND vvReal r_forward(const vvReal* x, vvReal* y, int n) {
  y[0] = soft_power(x[0] - x[1], 2);
  return soft_power(x[2], x[n]) * soft_power(2, x[3]) + y[0];
}
