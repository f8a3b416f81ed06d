// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// variants_kernel.c: see variants_kernel.h.

#include "vvcc/variants_kernel.h"

VV_DIFF vvReal toy_energy(const vvToy* m, const vvReal* q, const vvReal* v, VV_NO_DIFF const vvReal* w,
                          VV_WRITE_ONCE vvToyPose* pose) {
  vvReal e = 0;
  for (int b = 0; b < m->nbody; b++) {
    int p = m->parent[b];
    vvVec3 x = {0, 0, 0};
    vvQuat r = {1, 0, 0, 0};
    if (p >= 0) {
      x = vv_vec3_load(pose->pos, 3 * p);
      r = vv_quat_load(pose->rot, 4 * p);
    }
    x = vv_vec3_add(x, vv_quat_rotate(r, vv_vec3_load(m->offset, 3 * b)));
    for (int k = 0; k < 2; k++) {
      vvVec3 axis = vv_vec3(k == 0, 0, k == 1);
      if (m->part.kind[b] == 1) {
        r = vv_quat_mul(r, vv_quat_axis_angle(axis, q[2 * b + k]));
      } else if (m->part.kind[b] == 2) {
        x = vv_vec3_muladd(x, q[2 * b + k], vv_quat_rotate(r, axis));
      }
    }
    vv_vec3_store(pose->pos, 3 * b, x);
    vv_quat_store(pose->rot, 4 * b, r);
    vvReal speed = v[2 * b] * v[2 * b] + v[2 * b + 1] * x.y;
    e += (vvReal)0.5 * m->mass[b] * speed * speed * w[b];
    e -= m->mass[b] * (m->gravity[0] * x.x + m->gravity[1] * x.y + m->gravity[2] * x.z);
    e += (vvReal)0.5 * m->part.stiffness[b] * q[2 * b] * q[2 * b];
  }
  return e;
}

VV_DIFF vvReal toy_squares(const vvReal* x, int n) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i] * x[i];
  return s;
}
