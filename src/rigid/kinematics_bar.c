// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// kinematics_bar.c: the reverse derivative of vv_rigid_kinematics with respect to q, written by hand: a quarter of the
// generated one's time. test_kinematics_bar holds it against that one.
//
// method   one inward sweep. A small move of dof d displaces all that comes after it by the motion S_d: for a motion
//          (o, u) at ref,
//            dx = o x (x - ref) + u      dR = [o] R      dquat = (0, o) quat/2      dS_e = (o, u) x S_e
//          so that the cotangents of poses and of S are forces at ref, summed inward, and q_bar_d += S_d . sum. The
//          motion of a dof does not displace itself; those of a ball or of a free joint's rotations are displaced by
//          each other, a free joint's translations by nothing.
// symbols  F  nbody x 6   summed forces, angular first

#include <string.h>

#include "rigid/work.h"

static vvVec3 load(const vvReal* a) {
  return vv_vec3(a[0], a[1], a[2]);
}

// F += a force f with torque t.
static void add_force(vvReal* F, vvVec3 t, vvVec3 f) {
  F[0] += t.x;
  F[1] += t.y;
  F[2] += t.z;
  F[3] += f.x;
  F[4] += f.y;
  F[5] += f.z;
}

// Force of the cotangents of a body's pose.
static void add_pose(const vvReal* x, const vvReal* R, const vvReal* p, const vvReal* ref, const vvReal* x_bar,
                     const vvReal* R_bar, const vvReal* p_bar, vvReal* F) {
  vvVec3 f = load(x_bar), t = vv_vec3_cross(vv_vec3_sub(load(x), load(ref)), f);
  for (int c = 0; c < 3; c++) {
    vvVec3 axis = vv_vec3(R[c], R[3 + c], R[6 + c]), bar = vv_vec3(R_bar[c], R_bar[3 + c], R_bar[6 + c]);
    t = vv_vec3_add(t, vv_vec3_cross(axis, bar));
  }
  // half the vector part of p_bar times the conjugate of p
  vvVec3 v = load(p + 1), b = load(p_bar + 1);
  vvVec3 turn = vv_vec3_sub(vv_vec3_scale(p[0], b), vv_vec3_scale(p_bar[0], v));
  t = vv_vec3_muladd(t, (vvReal)0.5, vv_vec3_sub(turn, vv_vec3_cross(b, v)));
  add_force(F, t, f);
}

// Force of the cotangent of a dof's motion.
static void add_motion(const vvReal* S, const vvReal* S_bar, vvReal* F) {
  vvVec3 o = load(S), u = load(S + 3), g = load(S_bar), h = load(S_bar + 3);
  add_force(F, vv_vec3_add(vv_vec3_cross(o, g), vv_vec3_cross(u, h)), vv_vec3_cross(o, h));
}

static vvReal dot6(const vvReal* a, const vvReal* b) {
  return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

// A quaternion turned by the body's three rotations: q_bar += 2/|q|^2 sum of t_k (q e_k).
static void turn_bar(const vvReal* q, const vvReal* S, const vvReal* F, vvReal* q_bar) {
  vvReal s = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  vvReal t0 = s * dot6(S, F), t1 = s * dot6(S + 6, F), t2 = s * dot6(S + 12, F);
  q_bar[0] -= q[1] * t0 + q[2] * t1 + q[3] * t2;
  q_bar[1] += q[0] * t0 - q[3] * t1 + q[2] * t2;
  q_bar[2] += q[3] * t0 + q[0] * t1 - q[1] * t2;
  q_bar[3] += q[1] * t1 - q[2] * t0 + q[0] * t2;
}

static void joint_bar(const vvModel* m, int j, const vvReal* q, const vvReal* S, const vvReal* S_bar, vvReal* F,
                      vvReal* q_bar) {
  int iq = m->jnt_q[j], d = m->jnt_v[j], type = m->jnt_type[j];
  if (type == VV_JOINT_HINGE || type == VV_JOINT_SLIDE) {
    q_bar[iq] += dot6(S + 6 * d, F);
    add_motion(S + 6 * d, S_bar + 6 * d, F);
    return;
  }
  int turn = type == VV_JOINT_FREE ? d + 3 : d;
  for (int k = 0; k < 3; k++) add_motion(S + 6 * (turn + k), S_bar + 6 * (turn + k), F);
  if (type == VV_JOINT_FREE) {
    for (int k = 0; k < 3; k++) q_bar[iq + k] += F[3 + k];
    iq += 3;
  }
  turn_bar(q + iq, S + 6 * turn, F, q_bar + iq);
}

void vv_rigid_kinematics_bar(const vvModel* m, const vvReal* q, const vvReal* ref, const vvRigidPose* pose,
                             vvReal* q_bar, vvRigidPose* pose_bar, vvReal* F) {
  memset(F, 0, sizeof(vvReal) * 6 * (size_t)m->nbody);
  for (int i = m->nbody - 1; i > 0; i--) {
    if (m->body_tree[i] < 0) continue;
    int parent = m->body_parent[i];
    vvReal* force = F + 6 * i;
    add_pose(pose->xpos + 3 * i, pose->xmat + 9 * i, pose->xquat + 4 * i, ref + 3 * m->body_tree[i],
             pose_bar->xpos + 3 * i, pose_bar->xmat + 9 * i, pose_bar->xquat + 4 * i, force);
    for (int k = m->body_njnt[i] - 1; k >= 0; k--) {
      joint_bar(m, m->body_jnt[i] + k, q, pose->S, pose_bar->S, force, q_bar);
    }
    if (m->body_tree[parent] >= 0) add_force(F + 6 * parent, load(force), load(force + 3));
  }
  memset(pose_bar->xpos, 0, sizeof(vvReal) * 3 * (size_t)m->nbody);
  memset(pose_bar->xquat, 0, sizeof(vvReal) * 4 * (size_t)m->nbody);
  memset(pose_bar->xmat, 0, sizeof(vvReal) * 9 * (size_t)m->nbody);
  memset(pose_bar->S, 0, sizeof(vvReal) * 6 * (size_t)m->nv);
}
