// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// dynamics_kernel.c: the residual of the acceleration node, weak and strong, and of the damping
// node and its kin in the implicit integrators.
//
//   r(a) = M a + c - tau - J' f(J a - a_ref) - (wrenches)          [N, N m]
//   w . r = sum over bodies of W.(I (A + G) + V x* I V) + sum over dofs of w (armature a - tau)
//           - sum over contacts and limits of (J w) . f
//
// method   see rigid_kernel.h. Inertial terms are evaluated at the body origin in body axes, where the ten inertial
//          parameters are constant: momentum of a motion (o, u) is linear m u + o x mc, angular I o + mc x u.

#include "rigid/equality_kernel.h"
#include "rigid/limit_kernel.h"

// Force of the limit of joint j on its dof along +q for side 0, along -q for side 1.
VV_DIFF static inline vvReal limit_force(const vvModel* m, int j, int side, const vvReal* q, const vvReal* v,
                                         VV_NO_DIFF const vvReal* a) {
  int d = m->jnt_v[j];
  vvReal s = 1;
  vvReal gap = q[m->jnt_q[j]] - m->jnt_range[2 * j];
  if (side == 1) {
    s = -1;
    gap = m->jnt_range[2 * j + 1] - q[m->jnt_q[j]];
  }
  vvReal x = gap - m->jnt_margin[j];
  vvLaw law = vv_law(m->jnt_solref[2 * j], m->jnt_solref[2 * j + 1], m->jnt_solimp[5 * j], m->jnt_solimp[5 * j + 1],
                     m->jnt_solimp[5 * j + 2], m->jnt_solimp[5 * j + 3], m->jnt_solimp[5 * j + 4], m->opt_timestep[0],
                     !(m->disable & VV_DISABLE_REFSAFE), x);
  vvReal D = 1 / vv_law_regularisation(law.d, m->dof_invweight[d]);
  return vv_law_row_force(D, s * a[d], -law.B * s * v[d] - law.K * law.d * x);
}

// Dry friction on dof d.
VV_DIFF static inline vvReal friction_force(const vvModel* m, int d, const vvReal* v, VV_NO_DIFF const vvReal* a) {
  int j = m->dof_jnt[d];
  vvLaw law =
      vv_law(m->jnt_friction_solref[2 * j], m->jnt_friction_solref[2 * j + 1], m->jnt_friction_solimp[5 * j],
             m->jnt_friction_solimp[5 * j + 1], m->jnt_friction_solimp[5 * j + 2], m->jnt_friction_solimp[5 * j + 3],
             m->jnt_friction_solimp[5 * j + 4], m->opt_timestep[0], !(m->disable & VV_DISABLE_REFSAFE), 0);
  vvReal D = 1 / vv_law_regularisation(law.d, m->dof_invweight[d]);
  return vv_law_friction_force(D, a[d], -law.B * v[d], m->jnt_frictionloss[j]);
}

// V, A and G of all bodies from the dofs' v and a.
VV_DIFF static void accumulate_motions(const vvModel* m, const vvRigidPose* pose, const vvReal* v,
                                       VV_NO_DIFF const vvReal* a, VV_WRITE_ONCE vvRigidMotion* motion) {
  vvMotion zero = {{0, 0, 0}, {0, 0, 0}};
  vvMotion fall = {{0, 0, 0}, {0, 0, 0}};
  if (!(m->disable & VV_DISABLE_GRAVITY)) fall.lin = vv_vec3_scale(-1, vv_vec3_load(m->opt_gravity, 0));
  vv_motion_store(motion->V, 0, zero);
  vv_motion_store(motion->A, 0, zero);
  vv_motion_store(motion->G, 0, fall);
  for (int i = 1; i < m->nbody; i++) {
    int parent = m->body_parent[i];
    vvMotion V = vv_motion_load(motion->V, parent);
    vvMotion A = vv_motion_load(motion->A, parent);
    vvMotion G = vv_motion_load(motion->G, parent);
    for (int k = 0; k < m->body_njnt[i]; k++) {
      int j = m->body_jnt[i] + k;
      int d = m->jnt_v[j];
      int type = m->jnt_type[j];
      if (type == VV_JOINT_HINGE || type == VV_JOINT_SLIDE) {
        vvMotion S = vv_motion_load(pose->S, d);
        G = vv_motion_muladd(G, v[d], vv_motion_cross(V, S));
        V = vv_motion_muladd(V, v[d], S);
        A = vv_motion_muladd(A, a[d], S);
      } else {
        if (type == VV_JOINT_FREE) {
          V = vv_motion_muladd(V, v[d], vv_motion_load(pose->S, d));
          V = vv_motion_muladd(V, v[d + 1], vv_motion_load(pose->S, d + 1));
          V = vv_motion_muladd(V, v[d + 2], vv_motion_load(pose->S, d + 2));
          A = vv_motion_muladd(A, a[d], vv_motion_load(pose->S, d));
          A = vv_motion_muladd(A, a[d + 1], vv_motion_load(pose->S, d + 1));
          A = vv_motion_muladd(A, a[d + 2], vv_motion_load(pose->S, d + 2));
          d = d + 3;
        }
        vvMotion turn = vv_motion_muladd(vv_motion_muladd(vv_motion_muladd(zero, v[d], vv_motion_load(pose->S, d)),
                                                          v[d + 1], vv_motion_load(pose->S, d + 1)),
                                         v[d + 2], vv_motion_load(pose->S, d + 2));
        G = vv_motion_muladd(G, 1, vv_motion_cross(V, turn));
        V = vv_motion_muladd(V, 1, turn);
        A = vv_motion_muladd(A, a[d], vv_motion_load(pose->S, d));
        A = vv_motion_muladd(A, a[d + 1], vv_motion_load(pose->S, d + 1));
        A = vv_motion_muladd(A, a[d + 2], vv_motion_load(pose->S, d + 2));
      }
    }
    vv_motion_store(motion->V, i, V);
    vv_motion_store(motion->A, i, A);
    vv_motion_store(motion->G, i, G);
  }
}

// T_i = sum over the dofs d that move body i of x_d S_d.
VV_DIFF static void accumulate_plain(const vvModel* m, const vvReal* S, VV_NO_DIFF const vvReal* x,
                                     VV_WRITE_ONCE vvReal* T) {
  vvMotion zero = {{0, 0, 0}, {0, 0, 0}};
  vv_motion_store(T, 0, zero);
  for (int i = 1; i < m->nbody; i++) {
    vvMotion t = vv_motion_load(T, m->body_parent[i]);
    for (int k = 0; k < m->body_ndof[i]; k++) {
      int d = m->body_dof[i] + k;
      t = vv_motion_muladd(t, x[d], vv_motion_load(S, d));
    }
    vv_motion_store(T, i, t);
  }
}

void vv_rigid_weak_motions(const vvModel* m, const vvRigidPose* pose, const vvReal* v, const vvReal* a, const vvReal* w,
                           vvRigidMotion* motion) {
  accumulate_motions(m, pose, v, a, motion);
  accumulate_plain(m, pose->S, w, motion->W);
}

void vv_rigid_damping_motions(const vvModel* m, const vvRigidPose* pose, const vvReal* d, const vvReal* w2, vvReal* D,
                              vvReal* W) {
  accumulate_plain(m, pose->S, d, D);
  accumulate_plain(m, pose->S, w2, W);
}

VV_DIFF vvReal vv_rigid_weak(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose, const vvReal* v,
                             VV_NO_DIFF const vvReal* a, VV_NO_DIFF const vvReal* w, const vvReal* tau,
                             const vvReal* wrench, int nwrench, VV_NO_DIFF const vvContactFeature* contacts,
                             int ncontact, const vvRowFeature* limits, int nlimit, const vvReal* q,
                             VV_WRITE_ONCE vvRigidMotion* motion) {
  vvReal psi = 0;
  accumulate_motions(m, pose, v, a, motion);
  accumulate_plain(m, pose->S, w, motion->W);
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_tree[i] < 0) continue;
    vvVec3 c = vv_vec3_load(ref, 3 * m->body_tree[i]);
    vvMat3 R = vv_mat3_load(pose->xmat, 9 * i);
    vvVec3 x = vv_vec3_load(pose->xpos, 3 * i);
    vvMotion V = vv_motion_in_body(R, x, c, vv_motion_load(motion->V, i));
    vvMotion A =
        vv_motion_in_body(R, x, c, vv_motion_muladd(vv_motion_load(motion->A, i), 1, vv_motion_load(motion->G, i)));
    vvMotion W = vv_motion_in_body(R, x, c, vv_motion_load(motion->W, i));
    vvMotion f = vv_body_force(m, i, R, V, A);
    psi += vv_vec3_dot(W.ang, f.ang) + vv_vec3_dot(W.lin, f.lin);
  }
  for (int i = 0; i < nwrench; i++) {
    vvMotion W = vv_motion_at(vv_motion_load(motion->W, i), vv_tree_ref(m, ref, i), vv_vec3_load(pose->xpos, 3 * i));
    psi -= vv_vec3_dot(W.lin, vv_vec3_load(wrench, 6 * i)) + vv_vec3_dot(W.ang, vv_vec3_load(wrench, 6 * i + 3));
  }
  for (int d = 0; d < m->nv; d++) {
    psi += w[d] * (m->jnt_armature[m->dof_jnt[d]] * a[d] - tau[d]);
  }
  for (int k = 0; k < nlimit; k++) {
    int id = limits[k].id;
    if (limits[k].kind == VV_ROW_LIMIT) {
      vvReal s = 1;
      if (limits[k].side == 1) s = -1;
      psi -= s * w[m->jnt_v[id]] * limit_force(m, id, limits[k].side, q, v, a);
    } else if (limits[k].kind == VV_ROW_FRICTION) {
      psi -= w[id] * friction_force(m, id, v, a);
    } else if (limits[k].kind == VV_ROW_BALL_LIMIT) {
      vvBallTurn turn = vv_ball_turn(m, q, id);
      psi -= vv_ball_rate(m, w, turn, id) * vv_ball_force(m, v, a, turn, id);
    } else if (m->eq_type[id] == VV_EQ_JOINT) {
      vvEqualityJoint at = vv_equality_joint(m, q, id);
      psi -= vv_equality_joint_rate(m, w, at.slope, id) * vv_equality_joint_force(m, v, a, at, id);
    } else {
      vvEqualityPlace place = vv_equality_place(m, pose->xpos, pose->xquat, id);
      vvEqualityRows f = vv_equality_force(m, ref, motion->V, motion->A, motion->G, place, id);
      vvEqualityRows x = vv_equality_rate(m, ref, motion->W, place, id);
      psi -= vv_vec3_dot(x.move, f.move) + vv_vec3_dot(x.turn, f.turn);
    }
  }
  for (int k = 0; k < ncontact; k++) {
    int g1 = contacts[k].geom1;
    int g2 = contacts[k].geom2;
    vvContactPoint p = vv_contact_evaluate(m, pose->xpos, pose->xquat, contacts, k);
    vvContactMotion f = vv_contact_force_of(m, ref, motion->V, motion->A, g1, g2, contacts[k].dim, p);
    vvContactMotion x = vv_contact_relative_motion(m, ref, motion->W, m->geom_body[g1], m->geom_body[g2], p);
    psi -= x.n * f.n + x.t1 * f.t1 + x.t2 * f.t2 + x.s * f.s + x.r1 * f.r1 + x.r2 * f.r2;
  }
  return psi;
}

// Adds s times a force at point p with torque t to body i of `force`, taken at the reference point of its tree.
VV_DIFF static inline void add_force(vvReal* force, int i, vvReal s, vvVec3 f, vvVec3 t, vvVec3 p, vvVec3 ref) {
  vvVec3 moment = vv_vec3_add(t, vv_vec3_cross(vv_vec3_sub(p, ref), f));
  force[6 * i] += s * moment.x;
  force[6 * i + 1] += s * moment.y;
  force[6 * i + 2] += s * moment.z;
  force[6 * i + 3] += s * f.x;
  force[6 * i + 4] += s * f.y;
  force[6 * i + 5] += s * f.z;
}

// r += J' force: forces of bodies at the reference points of their trees, summed inward (force is used up).
VV_DIFF static void gather_forces(const vvModel* m, const vvReal* S, vvReal* force, vvReal* r) {
  for (int n = 1; n < m->nbody; n++) {
    int i = m->nbody - n;
    for (int k = 0; k < m->body_ndof[i]; k++) {
      int d = m->body_dof[i] + k;
      vvMotion s = vv_motion_load(S, d);
      r[d] += s.ang.x * force[6 * i] + s.ang.y * force[6 * i + 1] + s.ang.z * force[6 * i + 2] +
              s.lin.x * force[6 * i + 3] + s.lin.y * force[6 * i + 4] + s.lin.z * force[6 * i + 5];
    }
    if (m->body_tree[m->body_parent[i]] >= 0) {
      for (int k = 0; k < 6; k++) force[6 * m->body_parent[i] + k] += force[6 * i + k];
    }
  }
}

VV_DIFF void vv_rigid_residual(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose, const vvReal* v,
                               VV_NO_DIFF const vvReal* a, const vvReal* tau, const vvReal* wrench, int nwrench,
                               VV_NO_DIFF const vvContactFeature* contacts, int ncontact, const vvRowFeature* limits,
                               int nlimit, const vvReal* q, VV_WRITE_ONCE vvRigidMotion* motion, vvReal* force,
                               vvReal* r) {
  accumulate_motions(m, pose, v, a, motion);
  for (int i = 0; i < 6 * m->nbody; i++) force[i] = 0;
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_tree[i] < 0) continue;
    vvVec3 c = vv_vec3_load(ref, 3 * m->body_tree[i]);
    vvMat3 R = vv_mat3_load(pose->xmat, 9 * i);
    vvVec3 x = vv_vec3_load(pose->xpos, 3 * i);
    vvMotion V = vv_motion_in_body(R, x, c, vv_motion_load(motion->V, i));
    vvMotion A =
        vv_motion_in_body(R, x, c, vv_motion_muladd(vv_motion_load(motion->A, i), 1, vv_motion_load(motion->G, i)));
    vvMotion f = vv_body_force(m, i, R, V, A);
    add_force(force, i, 1, vv_mat3_mul(R, f.lin), vv_mat3_mul(R, f.ang), x, c);
  }
  for (int i = 0; i < nwrench; i++) {
    add_force(force, i, -1, vv_vec3_load(wrench, 6 * i), vv_vec3_load(wrench, 6 * i + 3),
              vv_vec3_load(pose->xpos, 3 * i), vv_tree_ref(m, ref, i));
  }
  for (int k = 0; k < ncontact; k++) {
    int g1 = contacts[k].geom1;
    int g2 = contacts[k].geom2;
    vvContactPoint p = vv_contact_evaluate(m, pose->xpos, pose->xquat, contacts, k);
    vvContactMotion f = vv_contact_force_of(m, ref, motion->V, motion->A, g1, g2, contacts[k].dim, p);
    vvVec3 push = vv_vec3_muladd(vv_vec3_muladd(vv_vec3_scale(f.n, p.normal), f.t1, p.tangent1), f.t2, p.tangent2);
    vvVec3 twist = vv_vec3_muladd(vv_vec3_muladd(vv_vec3_scale(f.s, p.normal), f.r1, p.tangent1), f.r2, p.tangent2);
    add_force(force, m->geom_body[g1], 1, push, twist, p.point, vv_tree_ref(m, ref, m->geom_body[g1]));
    add_force(force, m->geom_body[g2], -1, push, twist, p.point, vv_tree_ref(m, ref, m->geom_body[g2]));
  }
  for (int d = 0; d < m->nv; d++) r[d] = m->jnt_armature[m->dof_jnt[d]] * a[d] - tau[d];
  for (int k = 0; k < nlimit; k++) {
    int id = limits[k].id;
    if (limits[k].kind == VV_ROW_EQUALITY && m->eq_type[id] != VV_EQ_JOINT) {
      vvEqualityPlace place = vv_equality_place(m, pose->xpos, pose->xquat, id);
      vvEqualityRows f = vv_equality_force(m, ref, motion->V, motion->A, motion->G, place, id);
      vvVec3 t = {0, 0, 0};
      if (m->eq_type[id] == VV_EQ_WELD) t = vv_equality_turn_back(m->eq_torquescale[id], place, f.turn);
      add_force(force, m->eq_body1[id], -1, f.move, t, place.p1, vv_tree_ref(m, ref, m->eq_body1[id]));
      add_force(force, m->eq_body2[id], 1, f.move, t, place.p2, vv_tree_ref(m, ref, m->eq_body2[id]));
    } else if (limits[k].kind == VV_ROW_BALL_LIMIT) {
      vvBallTurn turn = vv_ball_turn(m, q, id);
      vvReal f = vv_ball_force(m, v, a, turn, id);
      int d = m->jnt_v[id];
      r[d] += turn.axis.x * f;
      r[d + 1] += turn.axis.y * f;
      r[d + 2] += turn.axis.z * f;
    } else if (limits[k].kind == VV_ROW_EQUALITY) {
      vvEqualityJoint at = vv_equality_joint(m, q, id);
      vvReal f = vv_equality_joint_force(m, v, a, at, id);
      r[m->jnt_v[m->eq_obj1[id]]] -= f;
      if (m->eq_obj2[id] >= 0) r[m->jnt_v[m->eq_obj2[id]]] += at.slope * f;
    } else if (limits[k].kind == VV_ROW_LIMIT) {
      vvReal s = 1;
      if (limits[k].side == 1) s = -1;
      r[m->jnt_v[id]] -= s * limit_force(m, id, limits[k].side, q, v, a);
    } else {
      r[id] -= friction_force(m, id, v, a);
    }
  }
  gather_forces(m, pose->S, force, r);
}

VV_DIFF vvReal vv_rigid_damping_weak(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                     VV_NO_DIFF const vvReal* d, VV_NO_DIFF const vvReal* a2,
                                     VV_NO_DIFF const vvReal* w2, VV_WRITE_ONCE vvReal* D, VV_WRITE_ONCE vvReal* W) {
  vvReal psi = 0;
  accumulate_plain(m, pose->S, d, D);
  accumulate_plain(m, pose->S, w2, W);
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_tree[i] < 0) continue;
    vvVec3 c = vv_vec3_load(ref, 3 * m->body_tree[i]);
    vvMat3 R = vv_mat3_load(pose->xmat, 9 * i);
    vvVec3 x = vv_vec3_load(pose->xpos, 3 * i);
    vvMotion p = vv_body_momentum(m, i, vv_motion_in_body(R, x, c, vv_motion_load(D, i)));
    vvMotion w = vv_motion_in_body(R, x, c, vv_motion_load(W, i));
    psi += vv_vec3_dot(w.ang, p.ang) + vv_vec3_dot(w.lin, p.lin);
  }
  for (int k = 0; k < m->nv; k++) {
    int j = m->dof_jnt[k];
    psi += w2[k] * (m->jnt_armature[j] * d[k] + m->opt_timestep[0] * m->jnt_damping[j] * a2[k]);
  }
  return psi;
}

VV_DIFF void vv_rigid_damping_residual(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                       VV_NO_DIFF const vvReal* d, VV_NO_DIFF const vvReal* a2, VV_WRITE_ONCE vvReal* D,
                                       vvReal* force, vvReal* r) {
  accumulate_plain(m, pose->S, d, D);
  for (int i = 0; i < 6 * m->nbody; i++) force[i] = 0;
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_tree[i] < 0) continue;
    vvVec3 c = vv_vec3_load(ref, 3 * m->body_tree[i]);
    vvMat3 R = vv_mat3_load(pose->xmat, 9 * i);
    vvVec3 x = vv_vec3_load(pose->xpos, 3 * i);
    vvMotion p = vv_body_momentum(m, i, vv_motion_in_body(R, x, c, vv_motion_load(D, i)));
    add_force(force, i, 1, vv_mat3_mul(R, p.lin), vv_mat3_mul(R, p.ang), x, c);
  }
  for (int k = 0; k < m->nv; k++) {
    int j = m->dof_jnt[k];
    r[k] = m->jnt_armature[j] * d[k] + m->opt_timestep[0] * m->jnt_damping[j] * a2[k];
  }
  gather_forces(m, pose->S, force, r);
}

// Whether the implicit node takes in the Coriolis forces of body i.
VV_DIFF static inline int has_gyration(const vvModel* m, int i) {
  return m->integrator == VV_INTEGRATOR_IMPLICIT || m->body_alone[i];
}

// V, A and G of the implicit node: A = sum S d + h dG/dv a2, G = sum S a2 (the change of V along a2).
VV_DIFF static void accumulate_implicit(const vvModel* m, const vvRigidPose* pose, const vvReal* v,
                                        VV_NO_DIFF const vvReal* x, VV_NO_DIFF const vvReal* a2,
                                        VV_WRITE_ONCE vvRigidMotion* motion) {
  vvMotion zero = {{0, 0, 0}, {0, 0, 0}};
  vv_motion_store(motion->V, 0, zero);
  vv_motion_store(motion->A, 0, zero);
  vv_motion_store(motion->G, 0, zero);
  for (int i = 1; i < m->nbody; i++) {
    int parent = m->body_parent[i];
    vvReal h = 0;
    if (has_gyration(m, i)) h = m->opt_timestep[0];
    vvMotion V = vv_motion_load(motion->V, parent);
    vvMotion A = vv_motion_load(motion->A, parent);
    vvMotion T = vv_motion_load(motion->G, parent);
    for (int k = 0; k < m->body_njnt[i]; k++) {
      int j = m->body_jnt[i] + k;
      int d = m->jnt_v[j];
      int type = m->jnt_type[j];
      int n = 3;
      if (type == VV_JOINT_HINGE || type == VV_JOINT_SLIDE) n = 1;
      if (type == VV_JOINT_FREE) {
        for (int e = 0; e < 3; e++) {
          vvMotion S = vv_motion_load(pose->S, d + e);
          V = vv_motion_muladd(V, v[d + e], S);
          A = vv_motion_muladd(A, x[d + e], S);
          T = vv_motion_muladd(T, a2[d + e], S);
        }
        d = d + 3;
      }
      vvMotion turn = zero;
      vvMotion turn_along = zero;
      for (int e = 0; e < n; e++) {
        vvMotion S = vv_motion_load(pose->S, d + e);
        turn = vv_motion_muladd(turn, v[d + e], S);
        turn_along = vv_motion_muladd(turn_along, a2[d + e], S);
        A = vv_motion_muladd(A, x[d + e], S);
      }
      A = vv_motion_muladd(vv_motion_muladd(A, h, vv_motion_cross(V, turn_along)), h, vv_motion_cross(T, turn));
      V = vv_motion_muladd(V, 1, turn);
      T = vv_motion_muladd(T, 1, turn_along);
    }
    vv_motion_store(motion->V, i, V);
    vv_motion_store(motion->A, i, A);
    vv_motion_store(motion->G, i, T);
  }
}

// Force of body i in the implicit node, body axes at its origin: M d - h D a2 without what acts on dofs.
VV_DIFF static inline vvMotion implicit_force(const vvModel* m, int i, vvMat3 R, vvMotion V, vvMotion A, vvMotion T) {
  vvReal h = m->opt_timestep[0];
  vvMotion f = vv_body_momentum(m, i, A);
  if (has_gyration(m, i)) {
    vvMotion p = vv_body_momentum(m, i, V);
    vvMotion pt = vv_body_momentum(m, i, T);
    f.ang = vv_vec3_muladd(f.ang, h, vv_vec3_add(vv_vec3_cross(T.ang, p.ang), vv_vec3_cross(T.lin, p.lin)));
    f.ang = vv_vec3_muladd(f.ang, h, vv_vec3_add(vv_vec3_cross(V.ang, pt.ang), vv_vec3_cross(V.lin, pt.lin)));
    f.lin = vv_vec3_muladd(f.lin, h, vv_vec3_add(vv_vec3_cross(T.ang, p.lin), vv_vec3_cross(V.ang, pt.lin)));
  }
  if (m->fluid && m->body_inertia10[10 * i] >= (vvReal)1e-15)
    f = vv_motion_muladd(f, -h, vv_fluid_force_along(m, i, vv_mat3_mul_t(R, vv_vec3_load(m->opt_wind, 0)), V, T));
  return f;
}

// Damping of dof k.
VV_DIFF static inline vvReal damping_of(const vvModel* m, int k) {
  vvReal b = 0;
  if (!(m->disable & VV_DISABLE_DAMPER)) b = m->jnt_damping[m->dof_jnt[k]];
  return b;
}

VV_DIFF vvReal vv_rigid_implicit_weak(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                      const vvReal* v, VV_NO_DIFF const vvReal* d, VV_NO_DIFF const vvReal* a2,
                                      VV_NO_DIFF const vvReal* w2, VV_WRITE_ONCE vvRigidMotion* motion) {
  vvReal psi = 0;
  accumulate_implicit(m, pose, v, d, a2, motion);
  accumulate_plain(m, pose->S, w2, motion->W);
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_tree[i] < 0) continue;
    vvVec3 c = vv_vec3_load(ref, 3 * m->body_tree[i]);
    vvMat3 R = vv_mat3_load(pose->xmat, 9 * i);
    vvVec3 x = vv_vec3_load(pose->xpos, 3 * i);
    vvMotion V = vv_motion_in_body(R, x, c, vv_motion_load(motion->V, i));
    vvMotion A = vv_motion_in_body(R, x, c, vv_motion_load(motion->A, i));
    vvMotion T = vv_motion_in_body(R, x, c, vv_motion_load(motion->G, i));
    vvMotion W = vv_motion_in_body(R, x, c, vv_motion_load(motion->W, i));
    vvMotion f = implicit_force(m, i, R, V, A, T);
    psi += vv_vec3_dot(W.ang, f.ang) + vv_vec3_dot(W.lin, f.lin);
  }
  for (int k = 0; k < m->nv; k++) {
    psi += w2[k] * (m->jnt_armature[m->dof_jnt[k]] * d[k] + m->opt_timestep[0] * damping_of(m, k) * a2[k]);
  }
  return psi;
}

VV_DIFF void vv_rigid_implicit_residual(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                        const vvReal* v, VV_NO_DIFF const vvReal* d, VV_NO_DIFF const vvReal* a2,
                                        VV_WRITE_ONCE vvRigidMotion* motion, vvReal* force, vvReal* r) {
  accumulate_implicit(m, pose, v, d, a2, motion);
  for (int i = 0; i < 6 * m->nbody; i++) force[i] = 0;
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_tree[i] < 0) continue;
    vvVec3 c = vv_vec3_load(ref, 3 * m->body_tree[i]);
    vvMat3 R = vv_mat3_load(pose->xmat, 9 * i);
    vvVec3 x = vv_vec3_load(pose->xpos, 3 * i);
    vvMotion V = vv_motion_in_body(R, x, c, vv_motion_load(motion->V, i));
    vvMotion A = vv_motion_in_body(R, x, c, vv_motion_load(motion->A, i));
    vvMotion T = vv_motion_in_body(R, x, c, vv_motion_load(motion->G, i));
    vvMotion f = implicit_force(m, i, R, V, A, T);
    add_force(force, i, 1, vv_mat3_mul(R, f.lin), vv_mat3_mul(R, f.ang), x, c);
  }
  for (int k = 0; k < m->nv; k++) {
    r[k] = m->jnt_armature[m->dof_jnt[k]] * d[k] + m->opt_timestep[0] * damping_of(m, k) * a2[k];
  }
  gather_forces(m, pose->S, force, r);
}
