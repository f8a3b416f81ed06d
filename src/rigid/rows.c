// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// rows.c: rows of the constraint Jacobian in contact frames, their law and reference accelerations.
//
// method   a dof d that moves body 2 (body 1: subtracted) adds S_d at the contact point, in the frame, to column d.
//          Limits and dry frictions have one entry, kept as numbers. The law's numbers come from
//          constraint_law_kernel.h.

#include <string.h>

#include "geom/contact_kernel.h"
#include "rigid/limit_kernel.h"
#include "rigid/work.h"

static void add_feature(vvRigidWork* w, int kind, int id, int side) {
  vvRowFeature feature = {kind, id, side};
  w->limits[w->nlimit++] = feature;
}

static void find_limits(const vvModel* m, const vvReal* q, vvRigidWork* w) {
  for (int j = 0; j < m->njnt; j++) {
    if (!m->jnt_limited[j] || (m->jnt_type[j] != VV_JOINT_HINGE && m->jnt_type[j] != VV_JOINT_SLIDE)) continue;
    vvReal value = q[m->jnt_q[j]];
    for (int side = 0; side < 2; side++) {
      vvReal gap = side == 0 ? value - m->jnt_range[2 * j] : m->jnt_range[2 * j + 1] - value;
      if (gap < m->jnt_margin[j]) {
        add_feature(w, VV_ROW_LIMIT, j, side);
      }
    }
  }
}

static void find_frictions(const vvModel* m, vvRigidWork* w) {
  for (int d = 0; d < m->nv; d++) {
    if (m->jnt_frictionloss[m->dof_jnt[d]] != 0) add_feature(w, VV_ROW_FRICTION, d, 0);
  }
}

static void find_equalities(const vvModel* m, vvRigidWork* w) {
  for (int e = 0; e < m->neq; e++) {
    bool still = m->eq_type[e] != VV_EQ_JOINT && m->body_tree[m->eq_body1[e]] < 0 && m->body_tree[m->eq_body2[e]] < 0;
    if (m->eq_active[e] && !still) add_feature(w, VV_ROW_EQUALITY, e, 0);
  }
}

static void find_ball_limits(const vvModel* m, const vvReal* q, vvRigidWork* w) {
  for (int j = 0; j < m->njnt; j++) {
    if (!m->jnt_limited[j] || m->jnt_type[j] != VV_JOINT_BALL) continue;
    if (vv_ball_violation(m, vv_ball_turn(m, q, j), j) < 0) add_feature(w, VV_ROW_BALL_LIMIT, j, 0);
  }
}

void vv_rigid_find_rows(const vvModel* m, const vvReal* q, vvRigidWork* w) {
  w->nlimit = 0;
  if (m->disable & VV_DISABLE_CONSTRAINT) return;
  if (!(m->disable & VV_DISABLE_FRICTIONLOSS)) find_frictions(m, w);
  if (!(m->disable & VV_DISABLE_LIMIT)) find_limits(m, q, w);
  if (!(m->disable & VV_DISABLE_EQUALITY)) find_equalities(m, w);
  if (!(m->disable & VV_DISABLE_LIMIT)) find_ball_limits(m, q, w);
}

int vv_rigid_law_branch(vvReal width, vvReal midpoint, vvReal power, vvReal x) {
  if (width <= VV_LAW_TINY) return 3;
  vvReal s = vv_fabs(x) / width;
  if (s >= 1) return 2;
  return power > 1 && s > midpoint ? 1 : 0;
}

static void limit_row(const vvModel* m, const vvReal* q, const vvReal* v, vvRowFeature limit, vvRigidSingle* s) {
  int j = limit.id, d = m->jnt_v[j];
  vvReal value = q[m->jnt_q[j]];
  vvReal gap = limit.side == 0 ? value - m->jnt_range[2 * j] : m->jnt_range[2 * j + 1] - value;
  vvReal x = gap - m->jnt_margin[j];
  const vvReal* ref = m->jnt_solref + 2 * j;
  const vvReal* imp = m->jnt_solimp + 5 * j;
  vvLaw law = vv_law(ref[0], ref[1], imp[0], imp[1], imp[2], imp[3], imp[4], m->opt_timestep[0],
                     !(m->disable & VV_DISABLE_REFSAFE), x);
  s->dof = d;
  s->friction = 0;
  s->sign = limit.side == 1 ? -1 : 1;
  s->branch = vv_rigid_law_branch(imp[2], imp[3], imp[4], x);
  s->D = 1 / vv_law_regularisation(law.d, m->dof_invweight[d]);
  s->a_ref = -law.B * s->sign * v[d] - law.K * law.d * x;
  s->loss = 0;
}

static void friction_row(const vvModel* m, const vvReal* v, int d, vvRigidSingle* s) {
  int j = m->dof_jnt[d];
  const vvReal* ref = m->jnt_friction_solref + 2 * j;
  const vvReal* imp = m->jnt_friction_solimp + 5 * j;
  vvLaw law = vv_law(ref[0], ref[1], imp[0], imp[1], imp[2], imp[3], imp[4], m->opt_timestep[0],
                     !(m->disable & VV_DISABLE_REFSAFE), 0);
  s->dof = d;
  s->friction = 1;
  s->sign = 1;
  s->branch = imp[2] <= VV_LAW_TINY ? 3 : 0;
  s->D = 1 / vv_law_regularisation(law.d, m->dof_invweight[d]);
  s->a_ref = -law.B * v[d];
  s->loss = m->jnt_frictionloss[j];
}

int vv_rigid_last_dof(const vvModel* m, int body) {
  while (body > 0 && m->body_ndof[body] == 0) body = m->body_parent[body];
  return body > 0 ? m->body_dof[body] + m->body_ndof[body] - 1 : -1;
}

// Adds sign times the motion of the body at the contact point to the rows at its tree.
static void add_body(const vvModel* m, const vvRigidWork* w, int body, vvReal sign, const vvContactPoint* p,
                     const vvRigidContact* c) {
  int d = vv_rigid_last_dof(m, body);
  if (d < 0) return;
  const vvRigidPart* part = &c->part[c->part[0].tree == m->body_tree[body] ? 0 : 1];
  int dim = c->dim, stride = part->width;
  vvReal* J = part->J - part->begin;
  vvVec3 r = vv_vec3_sub(p->point, vv_vec3_load(w->ref, 3 * m->body_tree[body]));
  vvVec3 n = vv_vec3_scale(sign, p->normal);
  vvVec3 t1 = vv_vec3_scale(sign, p->tangent1);
  vvVec3 t2 = vv_vec3_scale(sign, p->tangent2);
  for (; d >= 0; d = m->dof_parent[d]) {
    vvVec3 turn = vv_vec3_load(w->S, 6 * d);
    vvVec3 move = vv_vec3_add(vv_vec3_load(w->S, 6 * d + 3), vv_vec3_cross(turn, r));
    J[d] += vv_vec3_dot(n, move);
    if (dim > 1) {
      J[stride + d] += vv_vec3_dot(t1, move);
      J[2 * stride + d] += vv_vec3_dot(t2, move);
    }
    if (dim > 3) J[3 * stride + d] += vv_vec3_dot(n, turn);
    if (dim > 4) {
      J[4 * stride + d] += vv_vec3_dot(t1, turn);
      J[5 * stride + d] += vv_vec3_dot(t2, turn);
    }
  }
}

static void contact_law(const vvModel* m, const vvContactFeature* feature, const vvContactPoint* p, vvRigidContact* c) {
  int g1 = feature->geom1, g2 = feature->geom2;
  vvContactParameters par = vv_contact_parameters(m, g1, g2);
  vvReal x = p->gap - par.margin;
  vvLaw law = vv_law(par.ref0, par.ref1, par.imp0, par.imp1, par.width, par.midpoint, par.power, m->opt_timestep[0],
                     !(m->disable & VV_DISABLE_REFSAFE), x);
  vvContactWeights weights = vv_contact_weights(m, par, g1, g2, feature->dim, law.d);
  const vvReal D[VV_MAX_DIM] = {weights.D0, weights.D1, weights.D1, weights.D3, weights.D4, weights.D4};
  const vvReal mu[VV_MAX_DIM] = {1, par.slide, par.slide, par.spin, par.roll, par.roll};
  c->kind = feature->dim == 1 || m->cone == VV_CONE_PYRAMIDAL ? VV_ROWS_PYRAMID : VV_ROWS_ELLIPTIC;
  c->law = vv_rigid_law_branch(par.width, par.midpoint, par.power, x);
  c->D0 = weights.D0;
  c->cone = weights.mu;
  for (int k = 0; k < c->dim; k++) {
    c->D[k] = D[k];
    c->mu[k] = mu[k];
    c->a_ref[k] = -law.B * c->a_ref[k] - (k == 0 ? law.K * law.d * x : 0);
  }
}

void vv_rigid_widen(const vvModel* m, const vvRigidWork* w, int body, vvRigidContact* c) {
  int d = vv_rigid_last_dof(m, body);
  if (d < 0) return;
  int tree = m->body_tree[body], begin = w->mass->first[tree], width = vv_dense_stride(d + 1 - begin);
  for (int k = 0; k < c->npart; k++) {
    if (c->part[k].tree != tree) continue;
    if (width > c->part[k].width) c->part[k].width = width;
    return;
  }
  vvRigidPart part = {tree, begin, width, NULL};
  c->part[c->npart++] = part;
}

vvReal* vv_rigid_place_rows(vvRigidContact* c, vvReal* J) {
  vvReal* end = J;
  for (int k = 0; k < c->npart; k++) {
    c->part[k].J = end;
    end += c->dim * c->part[k].width;
  }
  memset(J, 0, sizeof(vvReal) * (size_t)(end - J));
  return end;
}

void vv_rigid_rows(const vvModel* m, const vvReal* q, const vvReal* v, vvRigidWork* w) {
  vvReal* vp = w->scratch;
  memcpy(vp, v, sizeof(vvReal) * (size_t)m->nv);
  for (int i = m->nv; i < w->stride; i++) vp[i] = 0;
  w->nsingle = 0;
  while (w->nsingle < w->nlimit && w->limits[w->nsingle].kind < VV_ROW_EQUALITY) w->nsingle++;
  w->nrow = w->ncontact + w->nlimit - w->nsingle;
  for (int k = 0; k < w->nsingle; k++) {
    if (w->limits[k].kind == VV_ROW_LIMIT) limit_row(m, q, v, w->limits[k], &w->singles[k]);
    if (w->limits[k].kind == VV_ROW_FRICTION) friction_row(m, v, w->limits[k].id, &w->singles[k]);
  }
  vvReal* J = w->J;
  for (int k = 0; k < w->ncontact; k++) {
    const vvContactFeature* feature = &w->contacts[k];
    vvRigidContact* c = &w->rows[k];
    vvContactPoint* p = &w->points[k];
    *p = vv_contact_evaluate(m, w->xpos, w->xquat, w->contacts, k);
    int body1 = m->geom_body[feature->geom1], body2 = m->geom_body[feature->geom2];
    c->dim = feature->dim;
    c->npart = 0;
    vv_rigid_widen(m, w, body1, c);
    vv_rigid_widen(m, w, body2, c);
    J = vv_rigid_place_rows(c, J);
    add_body(m, w, body2, 1, p, c);
    add_body(m, w, body1, -1, p, c);
    for (int i = 0; i < c->dim; i++) c->a_ref[i] = vv_rigid_row_dot(c, i, vp);
    contact_law(m, feature, p, c);
  }
  if (w->nlimit > w->nsingle) vv_rigid_other_rows(m, q, vp, J, w);
}
