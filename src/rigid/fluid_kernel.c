// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// fluid_kernel.c: principal axes and inertia boxes of bodies (fluid_kernel.h).
//
// method   axes that are stated follow what states them. Others are Q = Q0 exp(r) with Q0 found by search and held,
//          r_x = T_yz/(T_yy - T_zz) and so on, T = Q0' F Q0: r is 0 up to rounding, and its derivative is that of the
//          eigenvectors

#include "rigid/fluid_kernel.h"

typedef struct vvCentral {
  vvVec3 x, y, z;  // rows of the tensor about the center of mass, body axes
} vvCentral;

VV_DIFF static inline vvCentral central(const vvModel* m, int i) {
  const vvReal* I = m->body_inertia10;
  vvReal mass = I[10 * i];
  vvVec3 c = vv_body_center(m, i);
  vvReal xy = I[10 * i + 7] + mass * c.x * c.y;
  vvReal xz = I[10 * i + 8] + mass * c.x * c.z;
  vvReal yz = I[10 * i + 9] + mass * c.y * c.z;
  vvCentral F = {{I[10 * i + 4] - mass * (c.y * c.y + c.z * c.z), xy, xz},
                 {xy, I[10 * i + 5] - mass * (c.x * c.x + c.z * c.z), yz},
                 {xz, yz, I[10 * i + 6] - mass * (c.x * c.x + c.y * c.y)}};
  return F;
}

// a' F b
VV_DIFF static inline vvReal between(vvCentral F, vvVec3 a, vvVec3 b) {
  return a.x * vv_vec3_dot(F.x, b) + a.y * vv_vec3_dot(F.y, b) + a.z * vv_vec3_dot(F.z, b);
}

// t/(p - q), 0 where p and q count as equal.
VV_DIFF static inline vvReal tilt(vvReal t, vvReal p, vvReal q) {
  vvReal r = 0;
  if (vv_fabs(p - q) > (vvReal)VV_AXES_EQUAL * (p + q)) r = t / (p - q);
  return r;
}

VV_DIFF static inline vvReal edge(vvReal moments, vvReal mass) {
  vvReal s = moments;
  if (s < (vvReal)1e-15) s = (vvReal)1e-15;
  return vv_sqrt(6 * s / mass);
}

VV_DIFF void vv_rigid_derive_boxes(const vvModel* m, const vvRigidDeriveChoice* choice, VV_NO_DIFF const vvReal* axes0,
                                   VV_WRITE_ONCE vvReal* axes, VV_WRITE_ONCE vvReal* box) {
  vvVec3 ex = {1, 0, 0};
  vvVec3 ey = {0, 1, 0};
  vvVec3 ez = {0, 0, 1};
  for (int i = 0; i < m->nbody; i++) {
    vvQuat Q = {1, 0, 0, 0};
    vvVec3 s = {0, 0, 0};
    int from = choice->axes[i];
    vvReal mass = m->body_inertia10[10 * i];
    if (m->fluid && mass >= (vvReal)1e-15) {
      vvCentral F = central(m, i);
      if (from >= 0) {
        Q = vv_quat_load(m->geom_lquat, 4 * from);
      } else if (from == VV_AXES_DIAGONAL) {
        Q = vv_quat_normalize(vv_stated_quat(m->body_iquat0, m->body_irot, i));
      } else if (from == VV_AXES_SEVERAL || from == VV_AXES_FULL) {
        vvQuat Q0 = vv_quat_load(axes0, 4 * i);
        vvVec3 a = vv_quat_rotate(Q0, ex);
        vvVec3 b = vv_quat_rotate(Q0, ey);
        vvVec3 c = vv_quat_rotate(Q0, ez);
        vvReal p = between(F, a, a);
        vvReal q = between(F, b, b);
        vvReal r = between(F, c, c);
        vvVec3 turn = {tilt(between(F, b, c), q, r), tilt(between(F, a, c), r, p), tilt(between(F, a, b), p, q)};
        Q = vv_quat_mul(Q0, vv_quat_exp(turn));
      }
      vvVec3 u = vv_quat_rotate(Q, ex);
      vvVec3 v = vv_quat_rotate(Q, ey);
      vvVec3 w = vv_quat_rotate(Q, ez);
      vvReal px = between(F, u, u);
      vvReal py = between(F, v, v);
      vvReal pz = between(F, w, w);
      s = vv_vec3(edge(py + pz - px, mass), edge(px + pz - py, mass), edge(px + py - pz, mass));
    }
    vv_quat_store(axes, 4 * i, Q);
    vv_vec3_store(box, 3 * i, s);
  }
}
