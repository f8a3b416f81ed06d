// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// state_kernel.h: what users' losses, controllers and forces read off a model and a state: poses and velocities of
// bodies, differentiable in q, v and the model's numbers. kernel.h includes it where vv_kernel_load reads a file.
//
// method   from the body up to the world: its pose and velocity in the frame of the body above, level by level
// symbols  pos, quat of the body frame; lin: velocity of its origin, ang: angular velocity; all in world axes

#ifndef VISVIVA_STATE_KERNEL_H_
#define VISVIVA_STATE_KERNEL_H_

#include "visviva/kernel.h"
#include "visviva/model.h"

typedef struct vvBodyState {
  vvVec3 pos;  // [m]
  vvQuat quat;
  vvVec3 lin;  // [m/s]
  vvVec3 ang;  // [rad/s]
} vvBodyState;

// What joint j does to a body that stands at b in the frame of the body above.
VV_DIFF static inline vvBodyState vv_joint_apply(const vvModel* m, const vvState* s, int j, vvBodyState b) {
  int iq = m->jnt_q[j], d = m->jnt_v[j], type = m->jnt_type[j];
  vvBodyState r = b;
  if (type == VV_JOINT_FREE) {
    r.pos = vv_vec3_load(s->q, iq);
    r.quat = vv_quat_normalize(vv_quat_load(s->q, iq + 3));
    r.lin = vv_vec3_load(s->v, d);
    r.ang = vv_quat_rotate(r.quat, vv_vec3_load(s->v, d + 3));
  } else if (type == VV_JOINT_SLIDE) {
    vvVec3 axis = vv_quat_rotate(b.quat, vv_vec3_load(m->jnt_laxis, 3 * j));
    vvVec3 move = vv_vec3_scale(s->q[iq] - m->qpos0[iq], axis);
    r.pos = vv_vec3_add(b.pos, move);
    r.lin = vv_vec3_add(vv_vec3_muladd(b.lin, s->v[d], axis), vv_vec3_cross(b.ang, move));
  } else {
    vvVec3 local = vv_vec3_load(m->jnt_lpos, 3 * j);
    vvVec3 arm = vv_quat_rotate(b.quat, local);
    if (type == VV_JOINT_BALL) {
      r.quat = vv_quat_mul(b.quat, vv_quat_normalize(vv_quat_load(s->q, iq)));
      r.ang = vv_vec3_add(b.ang, vv_quat_rotate(r.quat, vv_vec3_load(s->v, d)));
    } else {
      vvVec3 axis = vv_vec3_load(m->jnt_laxis, 3 * j);
      r.quat = vv_quat_mul(b.quat, vv_quat_axis_angle(axis, s->q[iq] - m->qpos0[iq]));
      r.ang = vv_vec3_muladd(b.ang, s->v[d], vv_quat_rotate(b.quat, axis));
    }
    vvVec3 turned = vv_quat_rotate(r.quat, local);
    r.pos = vv_vec3_sub(vv_vec3_add(b.pos, arm), turned);
    r.lin = vv_vec3_sub(vv_vec3_add(b.lin, vv_vec3_cross(b.ang, arm)), vv_vec3_cross(r.ang, turned));
  }
  return r;
}

// Pose and velocity of a body; 0 is the world.
VV_DIFF static inline vvBodyState vv_body_state(const vvModel* m, const vvState* s, int body) {
  vvBodyState r = {{0, 0, 0}, {1, 0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (int i = body; i > 0; i = m->body_parent[i]) {
    vvBodyState b = {vv_vec3_load(m->body_lpos, 3 * i), vv_quat_load(m->body_lquat, 4 * i), {0, 0, 0}, {0, 0, 0}};
    for (int k = 0; k < m->body_njnt[i]; k++) b = vv_joint_apply(m, s, m->body_jnt[i] + k, b);
    vvVec3 arm = vv_quat_rotate(b.quat, r.pos);
    vvVec3 lin = vv_vec3_add(vv_vec3_add(b.lin, vv_vec3_cross(b.ang, arm)), vv_quat_rotate(b.quat, r.lin));
    r.ang = vv_vec3_add(b.ang, vv_quat_rotate(b.quat, r.ang));
    r.lin = lin;
    r.pos = vv_vec3_add(b.pos, arm);
    r.quat = vv_quat_mul(b.quat, r.quat);
  }
  return r;
}

VV_DIFF static inline vvVec3 vv_body_position(const vvModel* m, const vvState* s, int body) {
  return vv_body_state(m, s, body).pos;
}

VV_DIFF static inline vvQuat vv_body_orientation(const vvModel* m, const vvState* s, int body) {
  return vv_body_state(m, s, body).quat;
}

// Of the body frame's origin, world axes.
VV_DIFF static inline vvVec3 vv_body_velocity(const vvModel* m, const vvState* s, int body) {
  return vv_body_state(m, s, body).lin;
}

// World axes.
VV_DIFF static inline vvVec3 vv_body_angular_velocity(const vvModel* m, const vvState* s, int body) {
  return vv_body_state(m, s, body).ang;
}

// A point fixed to a body, given in its frame.
VV_DIFF static inline vvVec3 vv_body_point(const vvModel* m, const vvState* s, int body, vvVec3 local) {
  vvBodyState b = vv_body_state(m, s, body);
  return vv_vec3_add(b.pos, vv_quat_rotate(b.quat, local));
}

// Position and velocity of a hinge or slide joint.
VV_DIFF static inline vvReal vv_joint_position(const vvModel* m, const vvState* s, int joint) {
  return s->q[m->jnt_q[joint]];
}

VV_DIFF static inline vvReal vv_joint_velocity(const vvModel* m, const vvState* s, int joint) {
  return s->v[m->jnt_v[joint]];
}

#endif  // VISVIVA_STATE_KERNEL_H_
