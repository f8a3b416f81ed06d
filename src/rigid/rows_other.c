// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// rows_other.c: rows, law and reference accelerations of the equalities (equality_kernel.h) and of the limits of balls
// (limit_kernel.h).

#include "rigid/equality_kernel.h"
#include "rigid/limit_kernel.h"
#include "rigid/work.h"

// Adds sign times the motion of a body at p to the rows of a connect or weld.
static void add_body(const vvModel* m, const vvRigidWork* w, int e, int body, vvReal sign, vvVec3 p,
                     const vvEqualityPlace* place, const vvRigidContact* c) {
  int d = vv_rigid_last_dof(m, body);
  if (d < 0) return;
  const vvRigidPart* part = &c->part[c->part[0].tree == m->body_tree[body] ? 0 : 1];
  int stride = part->width;
  vvReal* J = part->J - part->begin;
  vvVec3 r = vv_vec3_sub(p, vv_vec3_load(w->ref, 3 * m->body_tree[body]));
  for (; d >= 0; d = m->dof_parent[d]) {
    vvVec3 turn = vv_vec3_load(w->S, 6 * d);
    vvVec3 move = vv_vec3_add(vv_vec3_load(w->S, 6 * d + 3), vv_vec3_cross(turn, r));
    J[d] += sign * move.x;
    J[stride + d] += sign * move.y;
    J[2 * stride + d] += sign * move.z;
    if (c->dim == 3) continue;
    vvVec3 t = vv_equality_turn(m->eq_torquescale[e], *place, 0, turn);
    J[3 * stride + d] += sign * t.x;
    J[4 * stride + d] += sign * t.y;
    J[5 * stride + d] += sign * t.z;
  }
}

// V or G of a body at p; of one that cannot move: what is common to all, which cancels.
static vvMotion motion_at(const vvModel* m, const vvRigidWork* w, const vvReal* T, vvMotion still, int body, vvVec3 p) {
  if (m->body_tree[body] < 0) return still;
  return vv_motion_at(vv_motion_load(T, body), vv_vec3_load(w->ref, 3 * m->body_tree[body]), p);
}

static vvEqualityRows bias_of(const vvModel* m, const vvRigidWork* w, const vvEqualityPlace* place, int e) {
  int b1 = m->eq_body1[e], b2 = m->eq_body2[e];
  vvMotion zero = {{0, 0, 0}, {0, 0, 0}}, fall = zero;
  if (!(m->disable & VV_DISABLE_GRAVITY)) fall.lin = vv_vec3_scale(-1, vv_vec3_load(m->opt_gravity, 0));
  return vv_equality_bias(m, motion_at(m, w, w->V, zero, b1, place->p1), motion_at(m, w, w->G, fall, b1, place->p1),
                          motion_at(m, w, w->V, zero, b2, place->p2), motion_at(m, w, w->G, fall, b2, place->p2),
                          *place, e);
}

static void set_kind(const vvModel* m, int e, vvReal size, vvRigidContact* c) {
  const vvReal* imp = m->eq_solimp + 5 * e;
  c->kind = VV_ROWS_EQUALITY;
  c->law = vv_rigid_law_branch(imp[2], imp[3], imp[4], size);
  c->cone = 0;
  c->D0 = c->D[0];
}

static vvReal* body_rows(const vvModel* m, int e, const vvReal* vp, vvReal* J, vvRigidWork* w, vvRigidContact* c) {
  int b1 = m->eq_body1[e], b2 = m->eq_body2[e];
  vvEqualityPlace place = vv_equality_place(m, w->xpos, w->xquat, e);
  c->dim = m->eq_type[e] == VV_EQ_WELD ? 6 : 3;
  c->npart = 0;
  vv_rigid_widen(m, w, b1, c);
  vv_rigid_widen(m, w, b2, c);
  vvReal* end = vv_rigid_place_rows(c, J);
  add_body(m, w, e, b1, 1, place.p1, &place, c);
  add_body(m, w, e, b2, -1, place.p2, &place, c);
  vvEqualityRows at = vv_equality_violation(m, place, e), bias = bias_of(m, w, &place, e);
  vvReal size = vv_equality_size(at);
  vvLaw law = vv_equality_law(m, e, size);
  const vvReal x[VV_MAX_DIM] = {at.move.x, at.move.y, at.move.z, at.turn.x, at.turn.y, at.turn.z};
  const vvReal g[VV_MAX_DIM] = {bias.move.x, bias.move.y, bias.move.z, bias.turn.x, bias.turn.y, bias.turn.z};
  for (int k = 0; k < c->dim; k++) {
    int kind = k < 3 ? 0 : 1;
    c->D[k] = 1 / vv_law_regularisation(law.d, m->body_invweight[2 * b1 + kind] + m->body_invweight[2 * b2 + kind]);
    c->a_ref[k] = -law.B * vv_rigid_row_dot(c, k, vp) - law.K * law.d * x[k] - g[k];
  }
  set_kind(m, e, size, c);
  return end;
}

static vvReal* joint_rows(const vvModel* m, int e, const vvReal* q, const vvReal* vp, vvReal* J, vvRigidWork* w,
                          vvRigidContact* c) {
  vvEqualityJoint at = vv_equality_joint(m, q, e);
  const int joints[2] = {m->eq_obj1[e], m->eq_obj2[e]};
  const vvReal slopes[2] = {1, -at.slope};
  c->dim = 1;
  c->npart = 0;
  for (int k = 0; k < 2; k++) {
    if (joints[k] >= 0) vv_rigid_widen(m, w, m->jnt_body[joints[k]], c);
  }
  vvReal* end = vv_rigid_place_rows(c, J);
  for (int k = 0; k < 2; k++) {
    if (joints[k] < 0) continue;
    const vvRigidPart* part = &c->part[c->part[0].tree == m->body_tree[m->jnt_body[joints[k]]] ? 0 : 1];
    part->J[m->jnt_v[joints[k]] - part->begin] += slopes[k];
  }
  vvLaw law = vv_equality_law(m, e, at.c);
  c->D[0] = 1 / vv_law_regularisation(law.d, vv_equality_joint_weight(m, e));
  c->a_ref[0] = -law.B * vv_rigid_row_dot(c, 0, vp) - law.K * law.d * at.c;
  set_kind(m, e, at.c, c);
  return end;
}

static vvReal* ball_rows(const vvModel* m, int j, const vvReal* q, const vvReal* vp, vvReal* J, vvRigidWork* w,
                         vvRigidContact* c) {
  vvBallTurn turn = vv_ball_turn(m, q, j);
  const vvReal axis[3] = {turn.axis.x, turn.axis.y, turn.axis.z};
  const vvReal* imp = m->jnt_solimp + 5 * j;
  vvReal x = vv_ball_violation(m, turn, j);
  vvLaw law = vv_joint_limit_law(m, j, x);
  c->kind = VV_ROWS_PYRAMID;
  c->dim = 1;
  c->npart = 0;
  vv_rigid_widen(m, w, m->jnt_body[j], c);
  vvReal* end = vv_rigid_place_rows(c, J);
  for (int k = 0; k < 3; k++) c->part[0].J[m->jnt_v[j] + k - c->part[0].begin] = -axis[k];
  c->law = vv_rigid_law_branch(imp[2], imp[3], imp[4], x);
  c->cone = 0;
  c->D0 = c->D[0] = 1 / vv_law_regularisation(law.d, m->dof_invweight[m->jnt_v[j]]);
  c->a_ref[0] = -law.B * vv_rigid_row_dot(c, 0, vp) - law.K * law.d * x;
  return end;
}

void vv_rigid_other_rows(const vvModel* m, const vvReal* q, const vvReal* vp, vvReal* J, vvRigidWork* w) {
  for (int k = w->nsingle; k < w->nlimit; k++) {
    vvRigidContact* c = &w->rows[w->ncontact + k - w->nsingle];
    int id = w->limits[k].id;
    if (w->limits[k].kind == VV_ROW_BALL_LIMIT) {
      J = ball_rows(m, id, q, vp, J, w, c);
    } else if (m->eq_type[id] == VV_EQ_JOINT) {
      J = joint_rows(m, id, q, vp, J, w, c);
    } else {
      J = body_rows(m, id, vp, J, w, c);
    }
  }
}
