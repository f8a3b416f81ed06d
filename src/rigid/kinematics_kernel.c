// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// kinematics_kernel.c: poses of all bodies and motions of all dofs from q, and the update of q by a velocity.
//
// Conventions of MuJoCo's format: a free joint's six dofs are the velocity of the body origin in world axes and the
// angular velocity in body axes; a ball joint's three the angular velocity in body axes; hinge and slide positions
// count from qpos0. Quaternions of q are normalised first.

#include "rigid/rigid_kernel.h"

// Motion of a unit rotation about `axis` through `point`, at `ref`.
VV_DIFF static inline void store_rotation(vvReal* S, int d, vvVec3 axis, vvVec3 point, vvVec3 ref) {
  vv_vec3_store(S, 6 * d, axis);
  vv_vec3_store(S, 6 * d + 3, vv_vec3_cross(axis, vv_vec3_sub(ref, point)));
}

VV_DIFF static inline void store_translation(vvReal* S, int d, vvVec3 axis) {
  vv_vec3_store(S, 6 * d, vv_vec3(0, 0, 0));
  vv_vec3_store(S, 6 * d + 3, axis);
}

// Rotations about the three body axes (columns of R) through `point`.
VV_DIFF static inline void store_body_rotations(vvReal* S, int d, vvQuat quat, vvVec3 point, vvVec3 ref) {
  vvMat3 R = vv_quat_matrix(quat);
  store_rotation(S, d, vv_vec3(R.xx, R.yx, R.zx), point, ref);
  store_rotation(S, d + 1, vv_vec3(R.xy, R.yy, R.zy), point, ref);
  store_rotation(S, d + 2, vv_vec3(R.xz, R.yz, R.zz), point, ref);
}

VV_DIFF void vv_rigid_kinematics(const vvModel* m, const vvReal* q, VV_NO_DIFF const vvReal* ref,
                                 VV_WRITE_ONCE vvRigidPose* pose) {
  vv_vec3_store(pose->xpos, 0, vv_vec3(0, 0, 0));
  vvQuat world = {1, 0, 0, 0};
  vv_quat_store(pose->xquat, 0, world);
  vv_mat3_store(pose->xmat, 0, vv_quat_matrix(world));
  for (int i = 1; i < m->nbody; i++) {
    int parent = m->body_parent[i];
    vvQuat parent_quat = vv_quat_load(pose->xquat, 4 * parent);
    vvQuat quat = vv_quat_mul(parent_quat, vv_quat_load(m->body_lquat, 4 * i));
    vvVec3 pos = vv_vec3_add(vv_vec3_load(pose->xpos, 3 * parent),
                             vv_quat_rotate(parent_quat, vv_vec3_load(m->body_lpos, 3 * i)));
    vvVec3 c = {0, 0, 0};
    if (m->body_tree[i] >= 0) c = vv_vec3_load(ref, 3 * m->body_tree[i]);
    for (int k = 0; k < m->body_njnt[i]; k++) {
      int j = m->body_jnt[i] + k;
      int iq = m->jnt_q[j];
      int d = m->jnt_v[j];
      int type = m->jnt_type[j];
      if (type == VV_JOINT_FREE) {
        pos = vv_vec3_load(q, iq);
        quat = vv_quat_normalize(vv_quat_load(q, iq + 3));
        store_translation(pose->S, d, vv_vec3(1, 0, 0));
        store_translation(pose->S, d + 1, vv_vec3(0, 1, 0));
        store_translation(pose->S, d + 2, vv_vec3(0, 0, 1));
        store_body_rotations(pose->S, d + 3, quat, pos, c);
      } else if (type == VV_JOINT_BALL) {
        vvVec3 local = vv_vec3_load(m->jnt_lpos, 3 * j);
        vvVec3 anchor = vv_vec3_add(pos, vv_quat_rotate(quat, local));
        quat = vv_quat_mul(quat, vv_quat_normalize(vv_quat_load(q, iq)));
        pos = vv_vec3_sub(anchor, vv_quat_rotate(quat, local));
        store_body_rotations(pose->S, d, quat, anchor, c);
      } else if (type == VV_JOINT_SLIDE) {
        vvVec3 axis = vv_quat_rotate(quat, vv_vec3_load(m->jnt_laxis, 3 * j));
        pos = vv_vec3_muladd(pos, q[iq] - m->qpos0[iq], axis);
        store_translation(pose->S, d, axis);
      } else {
        vvVec3 local = vv_vec3_load(m->jnt_lpos, 3 * j);
        vvVec3 local_axis = vv_vec3_load(m->jnt_laxis, 3 * j);
        vvVec3 anchor = vv_vec3_add(pos, vv_quat_rotate(quat, local));
        vvVec3 axis = vv_quat_rotate(quat, local_axis);
        quat = vv_quat_mul(quat, vv_quat_axis_angle(local_axis, q[iq] - m->qpos0[iq]));
        pos = vv_vec3_sub(anchor, vv_quat_rotate(quat, local));
        store_rotation(pose->S, d, axis, anchor, c);
      }
    }
    vv_vec3_store(pose->xpos, 3 * i, pos);
    vv_quat_store(pose->xquat, 4 * i, quat);
    vv_mat3_store(pose->xmat, 9 * i, vv_quat_matrix(quat));
  }
}

// The quaternion at q + iq, turned by the body-frame rotation vector h v.
VV_DIFF static inline vvQuat turned(const vvReal* q, int iq, const vvReal* v, int d, vvReal h) {
  vvQuat quat = vv_quat_normalize(vv_quat_load(q, iq));
  return vv_quat_normalize(vv_quat_mul(quat, vv_quat_exp(vv_vec3_scale(h, vv_vec3_load(v, d)))));
}

// The rate of a rotation vector u when the body turns with w (body axes).
VV_DIFF static inline vvVec3 rotation_rate(vvVec3 u, vvVec3 w) {
  vvReal t2 = vv_vec3_dot(u, u);
  vvReal c = (vvReal)(1.0 / 12) + t2 / 720 + t2 * t2 / 30240 + t2 * t2 * t2 / 1209600;
  if (t2 > (vvReal)1e-2) {
    vvReal t = vv_sqrt(t2);
    c = 1 / t2 - (1 + vv_cos(t)) / (2 * t * vv_sin(t));
  }
  vvVec3 uw = vv_vec3_cross(u, w);
  return vv_vec3_muladd(vv_vec3_muladd(w, (vvReal)0.5, uw), c, vv_vec3_cross(u, uw));
}

VV_DIFF void vv_rigid_chart_rate(const vvModel* m, const vvReal* x, const vvReal* v, VV_WRITE_ONCE vvReal* k) {
  vvReal h = m->opt_timestep[0];
  for (int j = 0; j < m->njnt; j++) {
    int d = m->jnt_v[j];
    if (m->jnt_type[j] == VV_JOINT_FREE) {
      vv_vec3_store(k, d, vv_vec3_load(v, d));
      vv_vec3_store(k, d + 3, rotation_rate(vv_vec3_scale(h, vv_vec3_load(x, d + 3)), vv_vec3_load(v, d + 3)));
    } else if (m->jnt_type[j] == VV_JOINT_BALL) {
      vv_vec3_store(k, d, rotation_rate(vv_vec3_scale(h, vv_vec3_load(x, d)), vv_vec3_load(v, d)));
    } else {
      k[d] = v[d];
    }
  }
}

VV_DIFF void vv_rigid_integrate(const vvModel* m, const vvReal* q, const vvReal* v, VV_WRITE_ONCE vvReal* q1) {
  vvReal h = m->opt_timestep[0];
  for (int j = 0; j < m->njnt; j++) {
    int iq = m->jnt_q[j];
    int d = m->jnt_v[j];
    if (m->jnt_type[j] == VV_JOINT_FREE) {
      vv_vec3_store(q1, iq, vv_vec3_muladd(vv_vec3_load(q, iq), h, vv_vec3_load(v, d)));
      vv_quat_store(q1, iq + 3, turned(q, iq + 3, v, d + 3, h));
    } else if (m->jnt_type[j] == VV_JOINT_BALL) {
      vv_quat_store(q1, iq, turned(q, iq, v, d, h));
    } else {
      q1[iq] = q[iq] + h * v[d];
    }
  }
}
