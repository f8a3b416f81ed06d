// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// equality_kernel.c: points and orientations of connects and welds in the frames of their bodies. Where a body's own
// frame is meant, the missing one of the two points and the relative orientation are those of qpos0.

#include "rigid/equality_kernel.h"

#include "rigid/derive_kernel.h"

// Point p of body b in the frame of body c, at the poses given.
VV_DIFF static inline vvVec3 seen_from(const vvRigidPose* pose, int b, vvVec3 p, int c) {
  vvVec3 world = vv_vec3_add(vv_vec3_load(pose->xpos, 3 * b), vv_quat_rotate(vv_quat_load(pose->xquat, 4 * b), p));
  return vv_quat_rotate(vv_quat_conj(vv_quat_load(pose->xquat, 4 * c)),
                        vv_vec3_sub(world, vv_vec3_load(pose->xpos, 3 * c)));
}

VV_DIFF void vv_rigid_derive_equalities(const vvModel* m, const vvRigidPose* pose, VV_WRITE_ONCE vvReal* point1,
                                        VV_WRITE_ONCE vvReal* point2, VV_WRITE_ONCE vvReal* quat1,
                                        VV_WRITE_ONCE vvReal* quat2) {
  for (int e = 0; e < m->neq; e++) {
    int b1 = m->eq_body1[e];
    int b2 = m->eq_body2[e];
    vvVec3 p1 = {0, 0, 0};
    vvVec3 p2 = {0, 0, 0};
    vvQuat q1 = {1, 0, 0, 0};
    vvQuat q2 = {1, 0, 0, 0};
    if (m->eq_type[e] <= VV_EQ_WELD && m->eq_issite[e]) {
      p1 = vv_vec3_load(m->site_lpos, 3 * m->eq_obj1[e]);
      p2 = vv_vec3_load(m->site_lpos, 3 * m->eq_obj2[e]);
      q1 = vv_quat_normalize(vv_quat_load(m->site_lquat, 4 * m->eq_obj1[e]));
      q2 = vv_quat_normalize(vv_quat_load(m->site_lquat, 4 * m->eq_obj2[e]));
    } else if (m->eq_type[e] == VV_EQ_CONNECT) {
      p1 = vv_vec3_load(m->eq_anchor, 3 * e);
      p2 = seen_from(pose, b1, p1, b2);
    } else if (m->eq_type[e] == VV_EQ_WELD) {
      p2 = vv_vec3_load(m->eq_anchor, 3 * e);
      if (m->eq_isrel[e]) {
        p1 = vv_vec3_load(m->eq_relpos, 3 * e);
        q1 = vv_quat_normalize(vv_stated_quat(m->eq_relquat0, m->eq_relrot, e));
      } else {
        p1 = seen_from(pose, b2, p2, b1);
        q1 = vv_quat_mul(vv_quat_conj(vv_quat_load(pose->xquat, 4 * b1)), vv_quat_load(pose->xquat, 4 * b2));
      }
    }
    vv_vec3_store(point1, 3 * e, p1);
    vv_vec3_store(point2, 3 * e, p2);
    vv_quat_store(quat1, 4 * e, q1);
    vv_quat_store(quat2, 4 * e, q2);
  }
}
