// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// price_kernel.c: see price_kernel.h. Written the plain way, as a user would.

#include "price/price_kernel.h"

// tau = M(q) a + c(q, v): outward the motions, inward the forces (Newton and Euler), gravity as an acceleration.
VV_DIFF void price_tree(const vvPriceTree* m, const vvReal* q, const vvReal* v, const vvReal* a,
                        VV_WRITE_ONCE vvPriceBody* b, vvReal* force, VV_WRITE_ONCE vvReal* tau) {
  for (int i = 0; i < m->n; i++) {
    vvPriceBody up = {{1, 0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, (vvReal)9.81}};
    if (m->parent[i] >= 0) up = b[m->parent[i]];
    vvVec3 axis = vv_vec3_load(m->axis, 3 * i);
    vvVec3 r = vv_quat_rotate(up.q, vv_vec3_load(m->offset, 3 * i));
    vvPriceBody one;
    one.q = vv_quat_mul(up.q, vv_quat_axis_angle(axis, q[i]));
    one.p = vv_vec3_add(up.p, r);
    one.dv = vv_vec3_add(up.dv, vv_vec3_add(vv_vec3_cross(up.dw, r), vv_vec3_cross(up.w, vv_vec3_cross(up.w, r))));
    vvVec3 s = vv_quat_rotate(up.q, axis);
    one.w = vv_vec3_muladd(up.w, v[i], s);
    one.dw = vv_vec3_add(vv_vec3_muladd(up.dw, a[i], s), vv_vec3_scale(v[i], vv_vec3_cross(up.w, s)));
    b[i] = one;
    // the force on the body, at its hinge, in world axes
    vvQuat back = vv_quat_conj(one.q);
    vvVec3 w = vv_quat_rotate(back, one.w), dw = vv_quat_rotate(back, one.dw), dv = vv_quat_rotate(back, one.dv);
    const vvReal* I = m->inertia + 6 * i;
    vvVec3 c = vv_vec3_load(m->com, 3 * i);
    vvVec3 Iw = {I[0] * w.x + I[3] * w.y + I[4] * w.z, I[3] * w.x + I[1] * w.y + I[5] * w.z,
                 I[4] * w.x + I[5] * w.y + I[2] * w.z};
    vvVec3 Idw = {I[0] * dw.x + I[3] * dw.y + I[4] * dw.z, I[3] * dw.x + I[1] * dw.y + I[5] * dw.z,
                  I[4] * dw.x + I[5] * dw.y + I[2] * dw.z};
    vvVec3 f = vv_vec3_add(vv_vec3_scale(m->mass[i], dv),
                           vv_vec3_add(vv_vec3_cross(dw, c), vv_vec3_cross(w, vv_vec3_cross(w, c))));
    vvVec3 t = vv_vec3_add(vv_vec3_add(Idw, vv_vec3_cross(w, Iw)), vv_vec3_cross(c, dv));
    vv_vec3_store(force, 6 * i, vv_quat_rotate(one.q, f));
    vv_vec3_store(force, 6 * i + 3, vv_quat_rotate(one.q, t));
  }
  for (int i = m->n; i-- > 0;) {
    vvVec3 f = vv_vec3_load(force, 6 * i), t = vv_vec3_load(force, 6 * i + 3);
    int up = m->parent[i];
    tau[i] = vv_vec3_dot(vv_quat_rotate(b[i].q, vv_vec3_load(m->axis, 3 * i)), t);
    if (up >= 0) {
      vvVec3 moment = vv_vec3_add(t, vv_vec3_cross(vv_vec3_sub(b[i].p, b[up].p), f));
      force[6 * up] += f.x;
      force[6 * up + 1] += f.y;
      force[6 * up + 2] += f.z;
      force[6 * up + 3] += moment.x;
      force[6 * up + 4] += moment.y;
      force[6 * up + 5] += moment.z;
    }
  }
}

// Neo-Hookean tetrahedra: E = V (mu/2 (tr F'F - 3) - mu log J + lambda/2 log^2 J), forces -dE/dx added to `force`.
VV_DIFF vvReal price_tet(int n, const int* index, const vvReal* x, const vvReal* Dm_inv, const vvReal* volume,
                         vvReal mu, vvReal lambda, vvReal* force) {
  vvReal energy = 0;
  for (int e = 0; e < n; e++) {
    const int* k = index + 4 * e;
    const vvReal* B = Dm_inv + 9 * e;
    vvVec3 x0 = vv_vec3_load(x, 3 * k[0]);
    vvVec3 d1 = vv_vec3_sub(vv_vec3_load(x, 3 * k[1]), x0), d2 = vv_vec3_sub(vv_vec3_load(x, 3 * k[2]), x0);
    vvVec3 d3 = vv_vec3_sub(vv_vec3_load(x, 3 * k[3]), x0);
    // columns of F
    vvVec3 f0 = {d1.x * B[0] + d2.x * B[3] + d3.x * B[6], d1.y * B[0] + d2.y * B[3] + d3.y * B[6],
                 d1.z * B[0] + d2.z * B[3] + d3.z * B[6]};
    vvVec3 f1 = {d1.x * B[1] + d2.x * B[4] + d3.x * B[7], d1.y * B[1] + d2.y * B[4] + d3.y * B[7],
                 d1.z * B[1] + d2.z * B[4] + d3.z * B[7]};
    vvVec3 f2 = {d1.x * B[2] + d2.x * B[5] + d3.x * B[8], d1.y * B[2] + d2.y * B[5] + d3.y * B[8],
                 d1.z * B[2] + d2.z * B[5] + d3.z * B[8]};
    // F^-T = [c0 c1 c2] / J
    vvVec3 c0 = vv_vec3_cross(f1, f2), c1 = vv_vec3_cross(f2, f0), c2 = vv_vec3_cross(f0, f1);
    vvReal J = vv_vec3_dot(f0, c0);
    vvReal log_J = vv_log(J);
    energy += volume[e] * (mu / 2 * (vv_vec3_dot(f0, f0) + vv_vec3_dot(f1, f1) + vv_vec3_dot(f2, f2) - 3) - mu * log_J +
                           lambda / 2 * log_J * log_J);
    vvReal s = (lambda * log_J - mu) / J;
    vvVec3 p0 = vv_vec3_muladd(vv_vec3_scale(mu, f0), s, c0), p1 = vv_vec3_muladd(vv_vec3_scale(mu, f1), s, c1);
    vvVec3 p2 = vv_vec3_muladd(vv_vec3_scale(mu, f2), s, c2);
    for (int i = 0; i < 3; i++) {
      vvReal a = -volume[e] * B[3 * i], b = -volume[e] * B[3 * i + 1], c = -volume[e] * B[3 * i + 2];
      vvReal gx = a * p0.x + b * p1.x + c * p2.x, gy = a * p0.y + b * p1.y + c * p2.y;
      vvReal gz = a * p0.z + b * p1.z + c * p2.z;
      force[3 * k[i + 1]] += gx;
      force[3 * k[i + 1] + 1] += gy;
      force[3 * k[i + 1] + 2] += gz;
      force[3 * k[0]] -= gx;
      force[3 * k[0] + 1] -= gy;
      force[3 * k[0] + 2] -= gz;
    }
  }
  return energy;
}

// Bending of hinges between two triangles: k (theta - theta0)^2 |e|^2 / (A1 + A2), edge x0 x1, wings x2 and x3.
VV_DIFF vvReal price_bend(int n, const int* index, const vvReal* x, const vvReal* stiffness, const vvReal* rest) {
  vvReal energy = 0;
  for (int i = 0; i < n; i++) {
    const int* k = index + 4 * i;
    vvVec3 x0 = vv_vec3_load(x, 3 * k[0]);
    vvVec3 e = vv_vec3_sub(vv_vec3_load(x, 3 * k[1]), x0);
    vvVec3 n1 = vv_vec3_cross(e, vv_vec3_sub(vv_vec3_load(x, 3 * k[2]), x0));
    vvVec3 n2 = vv_vec3_cross(vv_vec3_sub(vv_vec3_load(x, 3 * k[3]), x0), e);
    vvReal ee = vv_vec3_dot(e, e);
    vvReal length = vv_sqrt(ee);
    vvReal angle = vv_atan2(vv_vec3_dot(vv_vec3_cross(n1, n2), e), length * vv_vec3_dot(n1, n2));
    vvReal area = (vv_sqrt(vv_vec3_dot(n1, n1)) + vv_sqrt(vv_vec3_dot(n2, n2))) / 2;
    energy += stiffness[i] * (angle - rest[i]) * (angle - rest[i]) * ee / area;
  }
  return energy;
}

VV_DIFF static inline vvMat3 affine(vvReal a, vvMat3 C, vvReal b, vvMat3 s) {
  vvMat3 A = {a * C.xx - b * s.xx, a * C.xy - b * s.xy, a * C.xz - b * s.xz, a * C.yx - b * s.yx, a * C.yy - b * s.yy,
              a * C.yz - b * s.yz, a * C.zx - b * s.zx, a * C.zy - b * s.zy, a * C.zz - b * s.zz};
  return A;
}

// Particles to a grid of side^3 nodes with quadratic splines: mass and momentum, affine velocities, stresses.
VV_DIFF void price_p2g(int n, int side, const vvReal* x, const vvReal* v, const vvReal* C, const vvReal* stress,
                       vvReal mass, vvReal dt, vvReal* grid) {
  for (int p = 0; p < n; p++) {
    vvReal inv_dx = (vvReal)side;
    vvVec3 xp = vv_vec3_scale(inv_dx, vv_vec3_load(x, 3 * p));
    int bx = (int)(xp.x - (vvReal)0.5), by = (int)(xp.y - (vvReal)0.5), bz = (int)(xp.z - (vvReal)0.5);
    vvReal f[3] = {xp.x - (vvReal)bx, xp.y - (vvReal)by, xp.z - (vvReal)bz};
    vvReal w[3][3];
    for (int d = 0; d < 3; d++) {
      w[d][0] = (vvReal)0.5 * ((vvReal)1.5 - f[d]) * ((vvReal)1.5 - f[d]);
      w[d][1] = (vvReal)0.75 - (f[d] - 1) * (f[d] - 1);
      w[d][2] = (vvReal)0.5 * (f[d] - (vvReal)0.5) * (f[d] - (vvReal)0.5);
    }
    vvMat3 A = affine(mass, vv_mat3_load(C, 9 * p), dt, vv_mat3_load(stress, 9 * p));
    vvVec3 mv = vv_vec3_scale(mass, vv_vec3_load(v, 3 * p));
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) {
          vvReal weight = w[0][i] * w[1][j] * w[2][k];
          vvVec3 d = {((vvReal)i - f[0]) / inv_dx, ((vvReal)j - f[1]) / inv_dx, ((vvReal)k - f[2]) / inv_dx};
          vvVec3 momentum = vv_vec3_add(mv, vv_mat3_mul(A, d));
          int at = 4 * (((bx + i) * side + by + j) * side + bz + k);
          grid[at] += weight * mass;
          grid[at + 1] += weight * momentum.x;
          grid[at + 2] += weight * momentum.y;
          grid[at + 3] += weight * momentum.z;
        }
  }
}

// y = tanh(W x + b) with 64 units, for a batch.
VV_DIFF void price_mlp(int batch, const vvReal* W, const vvReal* b, const vvReal* x, VV_WRITE_ONCE vvReal* y) {
  for (int s = 0; s < batch; s++)
    for (int i = 0; i < 64; i++) {
      vvReal sum = b[i];
      for (int j = 0; j < 64; j++) sum += W[64 * i + j] * x[64 * s + j];
      y[64 * s + i] = vv_tanh(sum);
    }
}

// The rotation in F = R S: Newton's iteration X <- (X + X^-T) / 2.
VV_DIFF vvMat3 price_polar_one(vvMat3 F) {
  vvMat3 X = F;
  for (int i = 0; i < 12; i++) {
    vvMat3 c = {X.yy * X.zz - X.yz * X.zy, X.yz * X.zx - X.yx * X.zz, X.yx * X.zy - X.yy * X.zx,
                X.xz * X.zy - X.xy * X.zz, X.xx * X.zz - X.xz * X.zx, X.xy * X.zx - X.xx * X.zy,
                X.xy * X.yz - X.xz * X.yy, X.xz * X.yx - X.xx * X.yz, X.xx * X.yy - X.xy * X.yx};
    vvReal k = (vvReal)0.5 / (X.xx * c.xx + X.xy * c.xy + X.xz * c.xz);
    vvMat3 Y = {X.xx / 2 + k * c.xx, X.xy / 2 + k * c.xy, X.xz / 2 + k * c.xz, X.yx / 2 + k * c.yx, X.yy / 2 + k * c.yy,
                X.yz / 2 + k * c.yz, X.zx / 2 + k * c.zx, X.zy / 2 + k * c.zy, X.zz / 2 + k * c.zz};
    vvReal change = vv_fabs(Y.xx - X.xx) + vv_fabs(Y.yy - X.yy) + vv_fabs(Y.zz - X.zz) + vv_fabs(Y.xy - X.xy) +
                    vv_fabs(Y.yz - X.yz) + vv_fabs(Y.zx - X.zx);
    X = Y;
    if (change < 1e-9) break;
  }
  return X;
}

// dR = R [w], (tr(S) 1 - S) w = axial(R' dF), S = R' F. Transposed, with g the axial vector of R' R_bar - R_bar' R:
//   (tr(S) 1 - S) z = g     F_bar += R [z]
VV_VJP_OF(price_polar_one) static void price_polar_rule(vvMat3 F, vvMat3 R, vvMat3 R_bar, vvMat3* F_bar) {
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

VV_DIFF void price_polar(int n, const vvReal* F, VV_WRITE_ONCE vvReal* R) {
  for (int i = 0; i < n; i++) vv_mat3_store(R, 9 * i, price_polar_one(vv_mat3_load(F, 9 * i)));
}

// x <- r x (1 - x), n times
VV_DIFF vvReal price_recurrence(int n, vvReal x, vvReal r) {
  for (int i = 0; i < n; i++) x = r * x * (1 - x);
  return x;
}
