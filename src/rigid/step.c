// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// step.c: an evaluation of the rigid equations of motion, the steps made of evaluations, and the linear systems at a
// solution.

#include <string.h>

#include "core/hash.h"
#include "geom/collide.h"
#include "rigid/actuator_kernel.h"
#include "rigid/work.h"

static bool has_damping(const vvModel* m) {
  for (int j = 0; j < m->njnt; j++) {
    if (m->jnt_damping[j] > 0) return true;
  }
  return false;
}

bool vv_rigid_has_damping_node(const vvModel* m) {
  if (vv_rigid_is_implicit(m)) return true;
  return m->integrator == VV_INTEGRATOR_EULER && !(m->disable & (VV_DISABLE_DAMPER | VV_DISABLE_EULERDAMP));
}

// World pose of a body that cannot move.
static void static_pose(const vvModel* m, int body, vvVec3* pos, vvQuat* quat) {
  *pos = vv_vec3(0, 0, 0);
  vvQuat identity = {1, 0, 0, 0};
  *quat = identity;
  for (int b = body; b > 0; b = m->body_parent[b]) {
    vvQuat q = vv_quat_load(m->body_lquat, 4 * b);
    *pos = vv_vec3_add(vv_vec3_load(m->body_lpos, 3 * b), vv_quat_rotate(q, *pos));
    *quat = vv_quat_mul(q, *quat);
  }
}

// Position of a tree's root body after its joints.
static vvVec3 root_position(const vvModel* m, const vvReal* q, int body) {
  vvVec3 pos;
  vvQuat quat;
  static_pose(m, body, &pos, &quat);
  for (int k = 0; k < m->body_njnt[body]; k++) {
    int j = m->body_jnt[body] + k;
    int iq = m->jnt_q[j];
    if (m->jnt_type[j] == VV_JOINT_FREE) return vv_vec3_load(q, iq);
    if (m->jnt_type[j] == VV_JOINT_SLIDE) {
      vvVec3 axis = vv_quat_rotate(quat, vv_vec3_load(m->jnt_laxis, 3 * j));
      pos = vv_vec3_muladd(pos, q[iq] - m->qpos0[iq], axis);
      continue;
    }
    vvVec3 local = vv_vec3_load(m->jnt_lpos, 3 * j);
    vvVec3 anchor = vv_vec3_add(pos, vv_quat_rotate(quat, local));
    if (m->jnt_type[j] == VV_JOINT_BALL) {
      quat = vv_quat_mul(quat, vv_quat_normalize(vv_quat_load(q, iq)));
    } else {
      vvVec3 axis = vv_vec3_load(m->jnt_laxis, 3 * j);
      quat = vv_quat_mul(quat, vv_quat_axis_angle(axis, q[iq] - m->qpos0[iq]));
    }
    pos = vv_vec3_sub(anchor, vv_quat_rotate(quat, local));
  }
  return pos;
}

void vv_rigid_reference(const vvModel* m, const vvReal* q, vvReal* ref) {
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_tree[i] < 0 || m->body_tree[m->body_parent[i]] >= 0) continue;
    vv_vec3_store(ref, 3 * m->body_tree[i], root_position(m, q, i));
  }
}

static void build_pose(const vvModel* m, const vvReal* q, vvRigidWork* w) {
  vvRigidPose pose = vv_rigid_work_pose(w);
  w->model = m;
  vv_rigid_reference(m, q, w->ref);
  vv_rigid_kinematics(m, q, w->ref, &pose);
  vv_rigid_mass(m, w);
}

// Index of the first entry that is not finite, -1: none.
static int not_finite(const vvReal* a, int n) {
  vvReal sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * 0;
  if (sum == 0) return -1;
  for (int i = 0; i < n; i++) {
    if (!isfinite(a[i])) return i;
  }
  return -1;
}

static vvStatus check_finite(vvRigidWork* w, const char* what, const vvReal* a, int n) {
  int i = a ? not_finite(a, n) : -1;
  if (i < 0) return VV_OK;
  vv_report_set(&w->report, VV_ERROR_NOT_FINITE, "%s[%d] is not finite", what, i);
  w->report.element = i;
  return VV_ERROR_NOT_FINITE;
}

static vvStatus check_inputs(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* act, const vvReal* ctrl,
                             const vvReal* applied, const vvReal* wrench, const vvReal* warmstart, vvRigidWork* w) {
  if (m->nv != w->nv || m->nbody != w->nbody || m->nu != w->nu) {
    return vv_report_set(&w->report, VV_ERROR_ARGUMENT, "the workspace was made for a model of other sizes");
  }
  vvStatus status = check_finite(w, "qpos", q, m->nq);
  if (status == VV_OK) status = check_finite(w, "qvel", v, m->nv);
  if (status == VV_OK) status = check_finite(w, "act", act, m->na);
  if (status == VV_OK) status = check_finite(w, "ctrl", ctrl, m->nu);
  if (status == VV_OK) status = check_finite(w, "applied force", applied, m->nv);
  if (status == VV_OK) status = check_finite(w, "body wrench", wrench, 6 * m->nbody);
  if (status == VV_OK) status = check_finite(w, "warmstart", warmstart, m->nv);
  return status;
}

static vvStatus find_contacts(const vvModel* m, vvRigidWork* w) {
  w->ncontact = 0;
  if (m->disable & (VV_DISABLE_CONSTRAINT | VV_DISABLE_CONTACT)) return VV_OK;
  vvStatus status =
      vv_collide(m, w->xpos, w->xmat, w->geom_pos, w->geom_axis, w->contacts, w->ncontact_max, &w->ncontact);
  if (status != VV_OK) {
    int found = w->ncontact;
    w->ncontact = 0;
    return vv_report_set(&w->report, status, "%d contacts; the workspace holds %d", found, w->ncontact_max);
  }
  return VV_OK;
}

// Where a value lies in a range: 0 inside, 1 below, 2 above.
static uint64_t side_of(vvReal a, const vvReal* range) {
  return a < range[0] ? 1 : a > range[1] ? 2 : 0;
}

// Pieces of a muscle's curves by parameters prm.
static uint64_t sign_curves(const vvModel* m, const vvReal* prm, int u, vvReal l, vvReal rate) {
  const vvReal* p = prm + 10 * u;
  vvReal L = vv_muscle_length(m, prm, u, l), V = rate / vv_fmax(vv_muscle_unit(m, prm, u) * p[6], VV_ACTUATOR_TINY);
  uint64_t word = (uint64_t)(L >= p[4]) + (L > (p[4] + 1) / 2) + (L > 1) + (L > (1 + p[5]) / 2) + (L > p[5]);
  return word << 2 | ((uint64_t)(V > -1) + (V > 0) + (V > p[8] - 1));
}

// Which way the activation of a muscle goes.
static uint64_t sign_activation(const vvModel* m, int u, vvReal ctrl, vvReal act) {
  vvReal d = vv_clamp(ctrl, 0, 1) - act, width = m->actuator_dyn[10 * u + 2];
  uint64_t word = ((uint64_t)(ctrl > 0) + (ctrl > 1)) << 2 | ((uint64_t)(act > 0) + (act > 1));
  return word << 3 | (uint64_t)(d > 0) << 2 | ((uint64_t)(2 * d > -width) + (2 * d > width));
}

static uint64_t sign_muscle(const vvModel* m, const vvReal* q, const vvReal* v, int u) {
  vvReal l = vv_actuator_length(m, u, q), rate = vv_actuator_velocity(m, u, q, v);
  uint64_t word = 0;
  if (m->actuator_gaintype[u] == VV_GAIN_MUSCLE) word = sign_curves(m, m->actuator_gain, u, l, rate);
  if (m->actuator_biastype[u] == VV_BIAS_MUSCLE) word |= sign_curves(m, m->actuator_bias, u, l, rate) << 8;
  return word;
}

static uint64_t sign_actuators(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* act,
                               const vvReal* ctrl, uint64_t hash) {
  for (int u = 0; u < m->nu && !(m->disable & VV_DISABLE_ACTUATION); u++) {
    uint64_t word = 0;
    if (m->actuator_ctrllimited[u] && !(m->disable & VV_DISABLE_CLAMPCTRL)) {
      word = side_of(ctrl[u], m->actuator_ctrlrange + 2 * u);
    }
    if (m->actuator_act[u] >= 0) {
      vvReal a = act[m->actuator_act[u]];
      vvReal c = vv_actuator_control(m, ctrl, u);
      if (m->actuator_actlimited[u]) {
        vvReal next = vv_actuator_next(m, u, a, vv_actuator_act_dot(m, u, ctrl, a));  // clamped: on the edge
        word |= (uint64_t)(next <= m->actuator_actrange[2 * u]) << 2 |
                (uint64_t)(next >= m->actuator_actrange[2 * u + 1]) << 3;
      }
      if (m->actuator_dyntype[u] == VV_DYN_MUSCLE) word |= sign_activation(m, u, c, a) << 8;
    }
    if (m->actuator_gaintype[u] == VV_GAIN_MUSCLE || m->actuator_biastype[u] == VV_BIAS_MUSCLE) {
      word |= sign_muscle(m, q, v, u) << 16;
    }
    if (m->actuator_wrap[u]) {
      int turns = (int)vv_actuator_turns(m, q, vv_actuator_control(m, ctrl, u), u);
      hash = vv_hash_u64(vv_hash_u64(hash, (uint64_t)u), (uint64_t)turns);
    }
    if (m->actuator_forcelimited[u]) {
      vvReal f = vv_actuator_force(m, q, v, act, ctrl, u);
      word |= (uint64_t)(f <= m->actuator_forcerange[2 * u]) << 4 | (uint64_t)(f >= m->actuator_forcerange[2 * u + 1])
                                                                        << 5;
    }
    if (word) hash = vv_hash_u64(vv_hash_u64(hash, (uint64_t)u), word);
  }
  return hash;
}

// Sides of the ranges of joints and tendons for the sums of their actuators. scratch: nv.
static uint64_t sign_sums(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* act, const vvReal* ctrl,
                          vvReal* scratch, uint64_t hash) {
  bool limited = false;
  for (int j = 0; j < m->njnt; j++) limited = limited || m->jnt_actfrclimited[j];
  if (limited) vv_rigid_actuation(m, q, v, act, ctrl, scratch);  // clamped: on the edge
  for (int j = 0; j < m->njnt; j++) {
    if (!m->jnt_actfrclimited[j]) continue;
    vvReal f = scratch[m->jnt_v[j]];
    uint64_t side = (uint64_t)(f <= m->jnt_actfrcrange[2 * j]) | (uint64_t)(f >= m->jnt_actfrcrange[2 * j + 1]) << 1;
    if (side) hash = vv_hash_u64(vv_hash_u64(hash, (uint64_t)j), side);
  }
  for (int t = 0; t < m->ntendon; t++) {
    if (!m->tendon_actfrclimited[t]) continue;
    bool whole = vv_tendon_share(m, q, v, act, ctrl, t) == 1;
    hash = vv_hash_u64(vv_hash_u64(hash, (uint64_t)t), (uint64_t)whole);
  }
  return hash;
}

// Hash over every branch: contacts with zones and impedance, limits with sides, dry frictions, equalities, clamps
// of motors.
static uint64_t sign(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* act, const vvReal* ctrl,
                     const vvRigidWork* w) {
  uint64_t hash = vv_hash_u64(VV_HASH_START, (uint64_t)w->ncontact);
  for (int k = 0; k < w->ncontact; k++) {
    const vvContactFeature* f = &w->contacts[k];
    const vvRigidContact* c = &w->rows[k];
    hash = vv_hash_u64(hash, (uint64_t)f->geom1 << 32 | (uint64_t)f->geom2);
    hash = vv_hash_u64(hash, (uint64_t)(uint32_t)f->index << 32 | (uint64_t)(uint32_t)f->second);
    hash = vv_hash_u64(hash,
                       (uint64_t)f->kind << 32 | (uint64_t)f->dim << 20 | (uint64_t)c->law << 16 | (uint64_t)c->zone);
  }
  hash = vv_hash_u64(hash, (uint64_t)w->nlimit);
  for (int k = 0; k < w->nlimit; k++) {
    const vvRowFeature* f = &w->limits[k];
    const vvRigidSingle* s = &w->singles[k];
    const vvRigidContact* c = &w->rows[w->ncontact + k - w->nsingle];
    uint64_t branch = k < w->nsingle ? (uint64_t)s->branch << 2 | (uint64_t)vv_single_zone(s, s->x)
                                     : (uint64_t)c->law << 2 | (uint64_t)c->zone;
    hash = vv_hash_u64(hash, (uint64_t)f->id << 16 | (uint64_t)f->kind << 8 | (uint64_t)f->side << 4 | branch);
  }
  for (int t = 0; t < m->ntendon; t++) {
    uint64_t side = side_of(vv_tendon_sum(m, t, q, m->jnt_q), m->tendon_spring + 2 * t);
    if (side) hash = vv_hash_u64(vv_hash_u64(hash, (uint64_t)t), side);
  }
  if (m->nu > 0) hash = sign_sums(m, q, v, act, ctrl, w->scratch, hash);
  return sign_actuators(m, q, v, act, ctrl, hash);
}

// Says once if two dofs move the bodies almost alike: a pivot of M is next to nothing of its diagonal.
static void warn_singular(vvRigidWork* w) {
  const vvModel* m = w->model;
  const vvReal tiny = sizeof(vvReal) == sizeof(float) ? (vvReal)1e-6 : (vvReal)1e-12;
  for (int d = 0; d < m->nv && !w->warned; d++) {
    int column = d - w->mass->first[m->body_tree[m->dof_body[d]]];
    vvReal inverse = vv_rigid_mass_row(m, w, w->LM, d)[column];
    if (vv_rigid_mass_row(m, w, w->M, d)[column] * inverse * inverse * tiny < 1) continue;
    vv_context_log(w->context, VV_LOG_WARNING,
                   "the mass matrix is nearly singular at dof %d: joints that move the bodies alike", d);
    w->warned = true;
  }
}

static bool factor_mass(vvRigidWork* w) {
  if (w->have_LM) return true;
  memcpy(w->LM, w->M, sizeof(vvReal) * w->mass->size);
  w->have_LM = vv_blocks_cholesky(w->mass, w->LM);
  if (w->have_LM && !w->warned) warn_singular(w);
  return w->have_LM;
}

static bool factor_damped(vvRigidWork* w) {
  const vvModel* m = w->model;
  if (vv_rigid_has_general_node(m)) return vv_rigid_factor_implicit(w);
  if (w->have_LD) return true;
  memcpy(w->LD, w->M, sizeof(vvReal) * w->mass->size);
  for (int d = 0; d < w->nv && vv_rigid_has_damping_node(m) && !(m->disable & VV_DISABLE_DAMPER); d++) {
    int column = d - w->mass->first[m->body_tree[m->dof_body[d]]];
    vv_rigid_mass_row(m, w, w->LD, d)[column] += m->opt_timestep[0] * m->jnt_damping[m->dof_jnt[d]];
  }
  w->have_LD = vv_blocks_cholesky(w->mass, w->LD);
  return w->have_LD;
}

static bool factor_H(vvRigidWork* w) {
  if (!w->have_LH) w->have_LH = vv_rigid_factor_hessian(w);
  return w->have_LH;
}

static vvStatus not_definite(vvRigidWork* w, const char* what) {
  return vv_report_set(&w->report, VV_ERROR_SINGULAR, "%s is not positive definite", what);
}

// a of a system without constraints: M a = tau - bias.
static vvStatus solve_free(vvRigidWork* w) {
  if (!factor_mass(w)) return not_definite(w, "the mass matrix");
  memset(w->constraint, 0, sizeof(vvReal) * (size_t)w->stride);
  memset(w->a, 0, sizeof(vvReal) * (size_t)w->stride);
  for (int d = 0; d < w->nv; d++) w->a[d] = w->tau[d] - w->bias[d];
  vv_blocks_solve(w->mass, w->LM, w->a);
  w->iterations = 0;
  w->residual = vv_rigid_free_residual(w);
  return VV_OK;
}

// a from tau, bias and the rows.
static vvStatus solve_acceleration(const vvReal* warmstart, vvRigidWork* w) {
  if (w->ncontact == 0 && w->nlimit == 0) return solve_free(w);
  vvStatus status = vv_rigid_couple(w);
  if (status != VV_OK) return status;
  status = vv_rigid_solve(warmstart, w);
  w->have_LH = false;
  if (status == VV_ERROR_SINGULAR) return not_definite(w, "the matrix of the acceleration");
  if (status == VV_ERROR_NOT_CONVERGED) {
    vv_report_set(&w->report, status, "scaled residual %.3g after %d iterations", (double)w->residual, w->iterations);
  }
  if (status == VV_ERROR_NOT_FINITE) {
    int i = not_finite(w->a, w->nv);
    w->report.element = i;
    vv_report_set(&w->report, status, "acceleration of dof %d is not finite", i);
  }
  return status;
}

// a2 = inv(M + h B) M a, or a.
static vvStatus solve_damping(const vvModel* m, vvRigidWork* w) {
  bool general = vv_rigid_has_general_node(m);
  w->damped = general || (vv_rigid_has_damping_node(m) && has_damping(m));
  if (!w->damped) {
    memcpy(w->a2, w->a, sizeof(vvReal) * (size_t)w->stride);
    return VV_OK;
  }
  if (!factor_damped(w)) return not_definite(w, "the mass matrix with damping");
  vv_rigid_multiply_mass(w, w->a, w->a2);
  if (general) {
    vv_rigid_solve_implicit(w, false, w->a2);
  } else {
    vv_blocks_solve(w->mass, w->LD, w->a2);
  }
  return VV_OK;
}

vvStatus vv_rigid_evaluate(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* act, const vvReal* ctrl,
                           const vvReal* applied, const vvReal* wrench, const vvReal* warmstart, vvRigidWork* w) {
  vv_report_clear(&w->report);
  vvStatus status = check_inputs(m, q, v, act, ctrl, applied, wrench, warmstart, w);
  if (status != VV_OK) return status;
  build_pose(m, q, w);
  w->at_v = v;
  act = act ? act : w->zero;
  ctrl = ctrl ? ctrl : w->zero;
  vv_rigid_force(m, q, v, act, ctrl, applied ? applied : w->zero, w->tau);
  vv_rigid_activation(m, act, ctrl, w->act_dot);
  vv_rigid_bias(m, v, wrench, w);
  status = find_contacts(m, w);
  if (status != VV_OK) return status;
  vv_rigid_find_rows(m, q, w);
  vv_rigid_rows(m, q, v, w);
  status = solve_acceleration(m->disable & VV_DISABLE_WARMSTART ? NULL : warmstart, w);
  if (status != VV_OK && status != VV_ERROR_NOT_CONVERGED) return status;
  vvStatus damping = solve_damping(m, w);
  if (damping != VV_OK) return damping;
  damping = check_finite(w, "acceleration", w->a2, m->nv);
  if (damping != VV_OK) return damping;
  w->signature = vv_rigid_sign_implicit(m, w, sign(m, q, v, act, ctrl, w));
  w->report.iterations = w->iterations;
  w->report.residual = (double)w->residual;
  return status;
}

static const vvReal stage_node[] = {0, (vvReal)0.5, (vvReal)0.5, 1};
static const vvReal stage_weight[] = {(vvReal)1 / 6, (vvReal)1 / 3, (vvReal)1 / 3, (vvReal)1 / 6};

int vv_rigid_stages(const vvModel* m) {
  return m->integrator == VV_INTEGRATOR_RK4 ? 4 : 1;
}

vvReal vv_rigid_stage_node(int stage) {
  return stage_node[stage];
}

vvReal vv_rigid_stage_weight(int stage) {
  return stage_weight[stage];
}

// Adds evaluation i to the weighted sums.
static void add_stage(const vvModel* m, const vvState* s, int i, vvRigidWork* w) {
  const vvReal* k = i == 0 ? s->v : w->stage_k;
  for (int d = 0; d < m->nv; d++) {
    w->sum_v[d] = (i == 0 ? 0 : w->sum_v[d]) + stage_weight[i] * k[d];
    w->sum_a[d] = (i == 0 ? 0 : w->sum_a[d]) + stage_weight[i] * w->a[d];
  }
  for (int n = 0; n < m->na; n++) {
    w->sum_act_dot[n] = (i == 0 ? 0 : w->sum_act_dot[n]) + stage_weight[i] * w->act_dot[n];
  }
}

vvStatus vv_rigid_stage(const vvModel* m, const vvState* s, int stage, const vvReal* ctrl, const vvReal* applied,
                        const vvReal* wrench, vvRigidWork* w) {
  vvReal c = stage_node[stage];
  add_stage(m, s, stage - 1, w);
  const vvReal* before = stage == 1 ? s->v : w->stage_k;
  for (int d = 0; d < m->nv; d++) w->scratch[d] = c * before[d];
  vv_rigid_integrate(m, s->q, w->scratch, w->stage_q);
  for (int d = 0; d < m->nv; d++) w->stage_v[d] = s->v[d] + m->opt_timestep[0] * c * w->a[d];
  vv_rigid_chart_rate(m, w->scratch, w->stage_v, w->stage_k);
  for (int k = 0; k < m->na; k++) w->stage_act[k] = s->act[k] + m->opt_timestep[0] * c * w->act_dot[k];
  memcpy(w->stage_start, w->a, sizeof(vvReal) * (size_t)m->nv);
  uint64_t signature = w->signature;
  vvReal residual = w->residual;
  int iterations = w->iterations;
  vvStatus status =
      vv_rigid_evaluate(m, w->stage_q, w->stage_v, w->stage_act, ctrl, applied, wrench, w->stage_start, w);
  w->signature = vv_hash_u64(signature, w->signature);
  if (residual > w->residual) w->residual = residual;
  if (iterations > w->iterations) w->iterations = iterations;
  return status;
}

void vv_rigid_advance(const vvModel* m, vvState* s, vvRigidWork* w) {
  vvReal h = m->opt_timestep[0];
  const vvReal* v = s->v;
  const vvReal* a = w->a2;
  const vvReal* act_dot = w->act_dot;
  if (m->integrator == VV_INTEGRATOR_RK4) {
    add_stage(m, s, 3, w);
    v = w->sum_v;
    a = w->sum_a;
    act_dot = w->sum_act_dot;
  }
  vv_rigid_activate(m, s->act, act_dot, w->stage_act);
  if (m->na > 0) memcpy(s->act, w->stage_act, sizeof(vvReal) * (size_t)m->na);
  for (int d = 0; d < m->nv; d++) {
    s->v[d] += h * a[d];
    s->warmstart[d] = w->a[d];
  }
  vv_rigid_integrate(m, s->q, v, w->q1);
  memcpy(s->q, w->q1, sizeof(vvReal) * (size_t)m->nq);
  s->time[0] += h;
}

vvStatus vv_rigid_step(const vvModel* m, vvState* s, const vvReal* ctrl, const vvReal* applied, const vvReal* wrench,
                       vvRigidWork* w) {
  vvStatus worst = vv_rigid_evaluate(m, s->q, s->v, s->act, ctrl, applied, wrench, s->warmstart, w);
  for (int i = 1; i < vv_rigid_stages(m) && (worst == VV_OK || worst == VV_ERROR_NOT_CONVERGED); i++) {
    vvStatus status = vv_rigid_stage(m, s, i, ctrl, applied, wrench, w);
    if (status != VV_OK) worst = status;
  }
  if (worst == VV_OK || worst == VV_ERROR_NOT_CONVERGED) vv_rigid_advance(m, s, w);
  return worst;
}

vvStatus vv_rigid_relinearize(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* a,
                              const vvContactFeature* contacts, int ncontact, const vvRowFeature* limits, int nlimit,
                              vvRigidWork* w) {
  vv_report_clear(&w->report);
  if (ncontact > w->ncontact_max || nlimit > w->nlimit_max || m->nv != w->nv || m->nbody != w->nbody) {
    return vv_report_set(&w->report, VV_ERROR_ARGUMENT, "contacts or rows are not of this workspace's model");
  }
  build_pose(m, q, w);
  w->at_v = v;
  w->ncontact = ncontact;
  w->nlimit = nlimit;
  if (ncontact > 0) memmove(w->contacts, contacts, sizeof(vvContactFeature) * (size_t)ncontact);
  if (nlimit > 0) memmove(w->limits, limits, sizeof(vvRowFeature) * (size_t)nlimit);
  if (m->neq > 0) vv_rigid_motions(m, v, w);
  vv_rigid_rows(m, q, v, w);
  if (a != w->a) memcpy(w->a, a, sizeof(vvReal) * (size_t)m->nv);
  vv_rigid_constrain(w->a, w);
  vvStatus status = vv_rigid_couple(w);
  if (status != VV_OK) return status;
  w->have_LH = false;
  return factor_H(w) ? VV_OK : not_definite(w, "the matrix of the acceleration");
}

// x = inv(U' U) b by way of padded scratch.
static void solve_padded(vvRigidWork* w, const vvBlocks* blocks, const vvReal* U, const vvReal* b, vvReal* x) {
  vvReal* y = w->scratch;
  for (int i = 0; i < w->stride; i++) y[i] = i < w->nv ? b[i] : 0;
  vv_blocks_solve(blocks, U, y);
  memcpy(x, y, sizeof(vvReal) * (size_t)w->nv);
}

vvStatus vv_rigid_solve_H(vvRigidWork* w, const vvReal* b, vvReal* x) {
  if (!factor_H(w)) return not_definite(w, "the matrix of the acceleration");
  solve_padded(w, w->coupled, w->LH, b, x);
  return VV_OK;
}

static vvStatus solve_damped(vvRigidWork* w, bool transposed, const vvReal* b, vvReal* x) {
  if (!factor_damped(w)) return not_definite(w, "the mass matrix with damping");
  if (vv_rigid_has_general_node(w->model)) {
    if (x != b) memcpy(x, b, sizeof(vvReal) * (size_t)w->nv);
    vv_rigid_solve_implicit(w, transposed, x);
  } else {
    solve_padded(w, w->mass, w->LD, b, x);
  }
  return VV_OK;
}

vvStatus vv_rigid_solve_damped(vvRigidWork* w, const vvReal* b, vvReal* x) {
  return solve_damped(w, false, b, x);
}

vvStatus vv_rigid_solve_damped_transposed(vvRigidWork* w, const vvReal* b, vvReal* x) {
  return solve_damped(w, true, b, x);
}

vvStatus vv_rigid_solve_mass(vvRigidWork* w, const vvReal* b, vvReal* x) {
  if (!factor_mass(w)) return not_definite(w, "the mass matrix");
  solve_padded(w, w->mass, w->LM, b, x);
  return VV_OK;
}

void vv_rigid_mul_mass(const vvRigidWork* w, const vvReal* x, vvReal* y) {
  vvReal* padded = w->scratch;
  vvReal* product = w->scratch + w->stride;
  for (int i = 0; i < w->stride; i++) padded[i] = i < w->nv ? x[i] : 0;
  vv_rigid_multiply_mass(w, padded, product);
  memcpy(y, product, sizeof(vvReal) * (size_t)w->nv);
}

// y = M x + J' C J x, row by row, without H.
void vv_rigid_apply_H(const vvRigidWork* w, const vvReal* x, vvReal* y) {
  int stride = w->stride;
  vvReal C[VV_MAX_DIM * VV_MAX_DIM], Jx[VV_MAX_DIM];
  vvReal* padded = w->scratch;
  vvReal* product = w->scratch + stride;
  for (int i = 0; i < stride; i++) padded[i] = i < w->nv ? x[i] : 0;
  vv_rigid_multiply_mass(w, padded, product);
  for (int k = 0; k < w->nrow; k++) {
    const vvRigidContact* c = &w->rows[k];
    if (!vv_cone_curvature(c, C)) continue;
    for (int i = 0; i < c->dim; i++) Jx[i] = vv_rigid_row_dot(c, i, padded);
    for (int i = 0; i < c->dim; i++) {
      vvReal f = 0;
      for (int j = 0; j < c->dim; j++) f += C[VV_MAX_DIM * i + j] * Jx[j];
      vv_rigid_row_axpy(c, i, f, product);
    }
  }
  for (int k = 0; k < w->nsingle; k++) {
    const vvRigidSingle* s = &w->singles[k];
    product[s->dof] += vv_single_curvature(s, s->x) * padded[s->dof];
  }
  memcpy(y, product, sizeof(vvReal) * (size_t)w->nv);
}
