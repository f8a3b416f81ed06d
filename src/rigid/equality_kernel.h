// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// equality_kernel.h: soft equality constraints, as MuJoCo 4.0 defines them: their violation c, its rate, and the force.
//
//   connect  c = p1 - p2                               points of two bodies, world axes             3 rows [m]
//   weld     the same, and  t vec(conj(Q2) Q1)         Qi = orientation of body i times its quat    6 rows [m, 1]
//   joint    c = q1 - r1 - a0 - a1 x - ... - a4 x^4    x = q2 - r2, r the configuration qpos0       1 row  [m, rad]
//
// method   f = -D (c'' + B c' + K d(|c|) c), the same d for all rows of a constraint; c'' is the whole second
// derivative
//          (for joints J a alone). Rates of the weld's rotation rows, with d = o1 - o2:
//            rate    t/2 vec(conj(Q2) (0, d) Q1)
//            second  t/2 vec(conj(Q2) (-d.d/2, o1' - o2' + o1 x o2) Q1)
// smooth   in everything; |c| has the derivative 0 at c = 0

#ifndef VISVIVA_RIGID_EQUALITY_KERNEL_H_
#define VISVIVA_RIGID_EQUALITY_KERNEL_H_

#include "rigid/motion_kernel.h"

// Where the two bodies of a connect or weld stand.
typedef struct vvEqualityPlace {
  vvVec3 p1, p2;  // points, world   [m]
  vvQuat Q1;      // orientations; of the second the conjugate
  vvQuat C2;
} vvEqualityPlace;

// Rows of a connect or weld: translation, rotation.
typedef struct vvEqualityRows {
  vvVec3 move;
  vvVec3 turn;
} vvEqualityRows;

VV_DIFF static inline vvEqualityPlace vv_equality_place(const vvModel* m, const vvReal* xpos, const vvReal* xquat,
                                                        int e) {
  vvQuat q1 = vv_quat_load(xquat, 4 * m->eq_body1[e]);
  vvQuat q2 = vv_quat_load(xquat, 4 * m->eq_body2[e]);
  vvVec3 r1 = vv_quat_rotate(q1, vv_vec3_load(m->eq_point1, 3 * e));
  vvVec3 r2 = vv_quat_rotate(q2, vv_vec3_load(m->eq_point2, 3 * e));
  vvEqualityPlace place = {vv_vec3_add(vv_vec3_load(xpos, 3 * m->eq_body1[e]), r1),
                           vv_vec3_add(vv_vec3_load(xpos, 3 * m->eq_body2[e]), r2),
                           vv_quat_mul(q1, vv_quat_load(m->eq_quat1, 4 * e)),
                           vv_quat_conj(vv_quat_mul(q2, vv_quat_load(m->eq_quat2, 4 * e)))};
  return place;
}

// t/2 vec(C2 (w, d) Q1)
VV_DIFF static inline vvVec3 vv_equality_turn(vvReal scale, vvEqualityPlace place, vvReal w, vvVec3 d) {
  vvQuat p = {w, d.x, d.y, d.z};
  vvQuat e = vv_quat_mul(place.C2, vv_quat_mul(p, place.Q1));
  vvReal s = (vvReal)0.5 * scale;
  vvVec3 r = {s * e.x, s * e.y, s * e.z};
  return r;
}

// The transpose of vv_equality_turn in d: t/2 vec(conj(C2) (0, f) conj(Q1))
VV_DIFF static inline vvVec3 vv_equality_turn_back(vvReal scale, vvEqualityPlace place, vvVec3 f) {
  vvQuat p = {0, f.x, f.y, f.z};
  vvQuat e = vv_quat_mul(vv_quat_conj(place.C2), vv_quat_mul(p, vv_quat_conj(place.Q1)));
  vvReal s = (vvReal)0.5 * scale;
  vvVec3 r = {s * e.x, s * e.y, s * e.z};
  return r;
}

// c of a connect (turn 0) or weld.
VV_DIFF static inline vvEqualityRows vv_equality_violation(const vvModel* m, vvEqualityPlace place, int e) {
  vvEqualityRows c = {vv_vec3_sub(place.p1, place.p2), {0, 0, 0}};
  if (m->eq_type[e] == VV_EQ_WELD) {
    vvQuat error = vv_quat_mul(place.C2, place.Q1);
    c.turn = vv_vec3_scale(m->eq_torquescale[e], vv_vec3(error.x, error.y, error.z));
  }
  return c;
}

VV_DIFF static inline vvReal vv_equality_size(vvEqualityRows c) {
  vvReal sum = vv_vec3_dot(c.move, c.move) + vv_vec3_dot(c.turn, c.turn);
  vvReal size = 0;
  if (sum > 0) size = vv_sqrt(sum);
  return size;
}

// Rate of c from the motion T of the bodies: J T.
VV_DIFF static inline vvEqualityRows vv_equality_rate(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvReal* T,
                                                      vvEqualityPlace place, int e) {
  int b1 = m->eq_body1[e];
  int b2 = m->eq_body2[e];
  vvMotion a = vv_motion_at(vv_motion_load(T, b1), vv_tree_ref(m, ref, b1), place.p1);
  vvMotion b = vv_motion_at(vv_motion_load(T, b2), vv_tree_ref(m, ref, b2), place.p2);
  vvEqualityRows r = {vv_vec3_sub(a.lin, b.lin), {0, 0, 0}};
  if (m->eq_type[e] == VV_EQ_WELD) {
    r.turn = vv_equality_turn(m->eq_torquescale[e], place, 0, vv_vec3_sub(a.ang, b.ang));
  }
  return r;
}

// The part of c'' that comes from the velocity alone, of bodies that move with V and have the acceleration G from it;
// what both have in common, as gravity, cancels.
VV_DIFF static inline vvEqualityRows vv_equality_bias(const vvModel* m, vvMotion V1, vvMotion G1, vvMotion V2,
                                                      vvMotion G2, vvEqualityPlace place, int e) {
  vvVec3 a1 = vv_vec3_add(G1.lin, vv_vec3_cross(V1.ang, V1.lin));
  vvVec3 a2 = vv_vec3_add(G2.lin, vv_vec3_cross(V2.ang, V2.lin));
  vvEqualityRows r = {vv_vec3_sub(a1, a2), {0, 0, 0}};
  if (m->eq_type[e] == VV_EQ_WELD) {
    vvVec3 d = vv_vec3_sub(V1.ang, V2.ang);
    vvVec3 turn = vv_vec3_add(vv_vec3_sub(G1.ang, G2.ang), vv_vec3_cross(V1.ang, V2.ang));
    r.turn = vv_equality_turn(m->eq_torquescale[e], place, -(vvReal)0.5 * vv_vec3_dot(d, d), turn);
  }
  return r;
}

VV_DIFF static inline vvLaw vv_equality_law(const vvModel* m, int e, vvReal size) {
  return vv_law(m->eq_solref[2 * e], m->eq_solref[2 * e + 1], m->eq_solimp[5 * e], m->eq_solimp[5 * e + 1],
                m->eq_solimp[5 * e + 2], m->eq_solimp[5 * e + 3], m->eq_solimp[5 * e + 4], m->opt_timestep[0],
                !(m->disable & VV_DISABLE_REFSAFE), size);
}

// Force of a connect or weld on body 1 along its rows.
VV_DIFF static inline vvEqualityRows vv_equality_force(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvReal* V,
                                                       const vvReal* A, const vvReal* G, vvEqualityPlace place, int e) {
  int b1 = m->eq_body1[e];
  int b2 = m->eq_body2[e];
  vvVec3 ref1 = vv_tree_ref(m, ref, b1);
  vvVec3 ref2 = vv_tree_ref(m, ref, b2);
  vvEqualityRows c = vv_equality_violation(m, place, e);
  vvLaw law = vv_equality_law(m, e, vv_equality_size(c));
  vvReal move = m->body_invweight[2 * b1] + m->body_invweight[2 * b2];
  vvReal turn = m->body_invweight[2 * b1 + 1] + m->body_invweight[2 * b2 + 1];
  vvReal D0 = 1 / vv_law_regularisation(law.d, move);
  vvReal D1 = 1 / vv_law_regularisation(law.d, turn);
  vvEqualityRows v = vv_equality_rate(m, ref, V, place, e);
  vvEqualityRows a = vv_equality_rate(m, ref, A, place, e);
  vvEqualityRows g = vv_equality_bias(m, vv_motion_at(vv_motion_load(V, b1), ref1, place.p1),
                                      vv_motion_at(vv_motion_load(G, b1), ref1, place.p1),
                                      vv_motion_at(vv_motion_load(V, b2), ref2, place.p2),
                                      vv_motion_at(vv_motion_load(G, b2), ref2, place.p2), place, e);
  vvVec3 x = vv_vec3_muladd(vv_vec3_muladd(vv_vec3_add(a.move, g.move), law.B, v.move), law.K * law.d, c.move);
  vvVec3 y = vv_vec3_muladd(vv_vec3_muladd(vv_vec3_add(a.turn, g.turn), law.B, v.turn), law.K * law.d, c.turn);
  vvEqualityRows f = {vv_vec3_scale(-D0, x), vv_vec3_scale(-D1, y)};
  return f;
}

// Of a joint equality: c, and minus the derivative of c by the second joint (0 without one).
typedef struct vvEqualityJoint {
  vvReal c;
  vvReal slope;
} vvEqualityJoint;

VV_DIFF static inline vvEqualityJoint vv_equality_poly(const vvModel* m, int e, vvReal x1, vvReal x2) {
  vvReal p0 = m->eq_polycoef[5 * e];
  vvReal p1 = m->eq_polycoef[5 * e + 1];
  vvReal p2 = m->eq_polycoef[5 * e + 2];
  vvReal p3 = m->eq_polycoef[5 * e + 3];
  vvReal p4 = m->eq_polycoef[5 * e + 4];
  vvEqualityJoint r = {x1 - p0, 0};
  if (m->eq_obj2[e] >= 0) {
    r.c = x1 - p0 - x2 * (p1 + x2 * (p2 + x2 * (p3 + x2 * p4)));
    r.slope = p1 + x2 * (2 * p2 + x2 * (3 * p3 + x2 * 4 * p4));
  }
  return r;
}

VV_DIFF static inline vvEqualityJoint vv_equality_joint(const vvModel* m, const vvReal* q, int e) {
  int iq = m->jnt_q[m->eq_obj1[e]];
  vvReal x1 = q[iq] - m->qpos0[iq];
  vvReal x2 = 0;
  if (m->eq_obj2[e] >= 0) {
    int kq = m->jnt_q[m->eq_obj2[e]];
    x2 = q[kq] - m->qpos0[kq];
  }
  return vv_equality_poly(m, e, x1, x2);
}

// Sum of x over the dofs of a joint equality's row.
VV_DIFF static inline vvReal vv_equality_joint_rate(const vvModel* m, const vvReal* x, vvReal slope, int e) {
  vvReal r = x[m->jnt_v[m->eq_obj1[e]]];
  if (m->eq_obj2[e] >= 0) r = r - slope * x[m->jnt_v[m->eq_obj2[e]]];
  return r;
}

VV_DIFF static inline vvReal vv_equality_joint_weight(const vvModel* m, int e) {
  vvReal weight = m->dof_invweight[m->jnt_v[m->eq_obj1[e]]];
  if (m->eq_obj2[e] >= 0) weight = weight + m->dof_invweight[m->jnt_v[m->eq_obj2[e]]];
  return weight;
}

// Force of a joint equality along its row.
VV_DIFF static inline vvReal vv_equality_joint_force(const vvModel* m, const vvReal* v, VV_NO_DIFF const vvReal* a,
                                                     vvEqualityJoint at, int e) {
  vvLaw law = vv_equality_law(m, e, at.c);
  vvReal D = 1 / vv_law_regularisation(law.d, vv_equality_joint_weight(m, e));
  return -D * (vv_equality_joint_rate(m, a, at.slope, e) + law.B * vv_equality_joint_rate(m, v, at.slope, e) +
               law.K * law.d * at.c);
}

// The derived points and orientations of connects and welds, from the poses at qpos0.
VV_DIFF void vv_rigid_derive_equalities(const vvModel* m, const vvRigidPose* pose, VV_WRITE_ONCE vvReal* point1,
                                        VV_WRITE_ONCE vvReal* point2, VV_WRITE_ONCE vvReal* quat1,
                                        VV_WRITE_ONCE vvReal* quat2);

#endif  // VISVIVA_RIGID_EQUALITY_KERNEL_H_
