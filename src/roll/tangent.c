// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// tangent.c: forward sensitivities of a rollout in eight directions, along its tape.
//
//   step     r(a; q, v, tau) = 0        (M + h B) a2 = M a        v' = v + h a2        q' = q (+) h v'
//   tangent  H a_tan = -r_tan at fixed a
//            (M + h B) a2_tan = M a_tan - [M_tan (a2 - a) + (h B)_tan a2], the bracket by its strong residual
//
// q_tan is carried in ambient form (nq) and leaves as a tangent.

#include "roll/tangent_work.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "force_kernel.vv.h"
#include "kinematics_kernel.vv.h"
#include "math/blocks.h"
#include "roll/output_row.h"
#include "roll/work.h"

typedef struct tangentRow {
  const vvRolloutInput* in;
  const vvModel* m;
  vvRollout* work;
  vvTangentWork* t;
  const vvTape* tape;
  vvTapeRow row;
  const vvReal* ctrl;
  const vvReal* applied;
  const vvReal* wrench;
  int nwrench;
  const vvReal8* ctrl_tan;
  bool damped;
} tangentRow;

static void zero8(vvReal8* x, int n) {
  if (n > 0) memset(x, 0, (size_t)n * sizeof(vvReal8));
}

static vvReal8* cut8(vvReal8* base, size_t* used, size_t n) {
  vvReal8* at = base ? base + *used : NULL;
  *used += n;
  return at;
}

static void cut_motion8(vvReal8* base, size_t* used, size_t nbody, vvRigidMotion_tan8* motion) {
  motion->V = cut8(base, used, 6 * nbody);
  motion->A = cut8(base, used, 6 * nbody);
  motion->G = cut8(base, used, 6 * nbody);
  motion->W = cut8(base, used, 6 * nbody);
}

static size_t cut_all8(vvTangentWork* t, const vvModel* m, vvReal8* base) {
  size_t used = 0;
  size_t nq = (size_t)m->nq;
  size_t nv = (size_t)m->nv;
  size_t nbody = (size_t)m->nbody;
  t->q_tan = cut8(base, &used, nq);
  t->q1_tan = cut8(base, &used, nq);
  t->v_tan = cut8(base, &used, nv);
  t->a_tan = cut8(base, &used, nv);
  t->a2_tan = cut8(base, &used, nv);
  t->tau_tan = cut8(base, &used, nv);
  t->r_tan = cut8(base, &used, nv);
  t->zero = cut8(base, &used, 6 * nbody > nv ? 6 * nbody : nv);
  size_t na = (size_t)m->na;
  t->act_tan = cut8(base, &used, na);
  t->act1_tan = cut8(base, &used, na);
  t->act_dot_tan = cut8(base, &used, na);
  t->rk_act_tan = cut8(base, &used, na);
  t->rk_sum_act = cut8(base, &used, na);
  t->rk_q_tan = cut8(base, &used, nq);
  t->rk_v_tan = cut8(base, &used, nv);
  t->rk_u_tan = cut8(base, &used, nv);
  t->rk_k_tan = cut8(base, &used, nv);
  t->rk_sum_v = cut8(base, &used, nv);
  t->rk_sum_a = cut8(base, &used, nv);
  t->ctrl_zero = cut8(base, &used, (size_t)m->nu);
  t->force_tan = cut8(base, &used, 6 * nbody);
  t->pose_tan.xpos = cut8(base, &used, 3 * nbody);
  t->pose_tan.xquat = cut8(base, &used, 4 * nbody);
  t->pose_tan.xmat = cut8(base, &used, 9 * nbody);
  t->pose_tan.S = cut8(base, &used, 6 * nv);
  cut_motion8(base, &used, nbody, &t->motion_tan);
  t->reals_zero = cut8(base, &used, vv_model_real_count(m));
  return used;
}

static size_t cut_reals(vvTangentWork* t, const vvModel* m, vvReal* base) {
  size_t nv = ((size_t)m->nv + 7) & ~(size_t)7;
  vvReal** arrays[] = {&t->tau, &t->r, &t->d, &t->column, &t->rk_k, &t->rk_u};
  size_t used = 0;
  for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++, used += nv) *arrays[i] = base ? base + used : NULL;
  size_t na = ((size_t)m->na + 7) & ~(size_t)7;
  vvReal** activations[] = {&t->act_dot, &t->act1, &t->rk_act_dot};
  for (size_t i = 0; i < 3; i++, used += na) *activations[i] = base ? base + used : NULL;
  t->force = base ? base + used : NULL;
  return used + 6 * (size_t)m->nbody;
}

vvStatus vv_tangent_create(vvContext* ctx, const vvModel* m, vvTangentWork** work) {
  *work = NULL;
  vvTangentWork* t = VV_NEW(ctx, vvTangentWork, 1);
  if (!t) return VV_ERROR_MEMORY;
  t->block8_reals = cut_all8(t, m, NULL);
  t->block_reals = cut_reals(t, m, NULL);
  t->block8 = VV_NEW(ctx, vvReal8, t->block8_reals);
  t->block = VV_NEW(ctx, vvReal, t->block_reals);
  if (!t->block8 || !t->block) {
    vv_tangent_free(ctx, t);
    return VV_ERROR_MEMORY;
  }
  cut_all8(t, m, t->block8);
  cut_reals(t, m, t->block);
  *work = t;
  return VV_OK;
}

void vv_tangent_free(vvContext* ctx, vvTangentWork* work) {
  if (!work) return;
  VV_DELETE(ctx, work->block8, vvReal8, work->block8_reals);
  VV_DELETE(ctx, work->block, vvReal, work->block_reals);
  VV_DELETE(ctx, work, vvTangentWork, 1);
}

size_t vv_model_real_count(const vvModel* m) {
  return m->section_begin[VV_SECTION_COUNT];
}

void vv_number_tangent(const vvModel* m, int number, int direction, vvReal8* reals_tan) {
  const vvNumber* n = &m->names->numbers[number];
  for (int i = 0; i < n->nmember; i++) reals_tan[n->members[i]][direction] = 1;
}

// vvModel_tan8 holds the real pointers of vvModel, in the same order and nothing else.
enum { TAN8_BASE = offsetof(vvModel, opt_timestep) };
static_assert(offsetof(vvModel_tan8, geom_size) + TAN8_BASE == offsetof(vvModel, geom_size), "order of real pointers");
static_assert(offsetof(vvModel_tan8, key_ctrl) + TAN8_BASE == offsetof(vvModel, key_ctrl), "order of real pointers");

// The model's tangents as a struct whose pointers lead into `reals_tan`, laid out as the reals of a model.
static void place_model(const vvModel* m, const vvReal8* reals_tan, vvModel_tan8* model) {
  size_t at = 0;
  for (const vvField* f = vv_model_fields(); f->attribute; f++) {
    const vvReal8* tan = reals_tan + at;
    memcpy((char*)model + (f->offset - TAN8_BASE), &tan, sizeof tan);
    at += (size_t)vv_model_count(m, f->element) * (size_t)vv_field_width(m, f);
  }
}

static vvRigidPose pose_of(const vvRollout* work) {
  vvRigidPose pose = {work->rigid->xpos, work->rigid->xquat, work->rigid->xmat, work->rigid->S};
  return pose;
}

// First quaternion entry and first rotational dof of a joint; false where it has none.
static bool quaternion_of(const vvModel* m, int j, int* iq, int* iv) {
  bool free = m->jnt_type[j] == VV_JOINT_FREE;
  if (!free && m->jnt_type[j] != VV_JOINT_BALL) return false;
  *iq = m->jnt_q[j] + (free ? 3 : 0);
  *iv = m->jnt_v[j] + (free ? 3 : 0);
  return true;
}

static int plain_count(const vvModel* m, int j) {
  return m->jnt_type[j] == VV_JOINT_FREE ? 3 : m->jnt_type[j] == VV_JOINT_BALL ? 0 : 1;
}

// q_tan (ambient) += E dq_tan: a rotation vector r in body axes moves the quaternion p by p (0, r)/2.
static void add_ambient(const vvModel* m, const vvReal* q, const vvReal8* dq, vvReal8* q_tan) {
  for (int j = 0; j < m->njnt; j++) {
    int iq = 0;
    int iv = 0;
    for (int i = 0; i < plain_count(m, j); i++) q_tan[m->jnt_q[j] + i] += dq[m->jnt_v[j] + i];
    if (!quaternion_of(m, j, &iq, &iv)) continue;
    const vvReal* p = q + iq;
    vvReal8 x = dq[iv] / 2;
    vvReal8 y = dq[iv + 1] / 2;
    vvReal8 z = dq[iv + 2] / 2;
    q_tan[iq] += -p[1] * x - p[2] * y - p[3] * z;
    q_tan[iq + 1] += p[0] * x + p[2] * z - p[3] * y;
    q_tan[iq + 2] += p[0] * y - p[1] * z + p[3] * x;
    q_tan[iq + 3] += p[0] * z + p[1] * y - p[2] * x;
  }
}

// The inverse of add_ambient: r = 2 vec(conj(p) p_tan)/|p|^2.
static void to_tangent(const vvModel* m, const vvReal* q, const vvReal8* q_tan, vvReal8* dq) {
  for (int j = 0; j < m->njnt; j++) {
    int iq = 0;
    int iv = 0;
    for (int i = 0; i < plain_count(m, j); i++) dq[m->jnt_v[j] + i] = q_tan[m->jnt_q[j] + i];
    if (!quaternion_of(m, j, &iq, &iv)) continue;
    const vvReal* p = q + iq;
    const vvReal8* t = q_tan + iq;
    vvReal s = 2 / (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    dq[iv] = s * (p[0] * t[1] - p[1] * t[0] - p[2] * t[3] + p[3] * t[2]);
    dq[iv + 1] = s * (p[0] * t[2] + p[1] * t[3] - p[2] * t[0] - p[3] * t[1]);
    dq[iv + 2] = s * (p[0] * t[3] - p[1] * t[2] + p[2] * t[1] - p[3] * t[0]);
  }
}

// x = inv(H) x. A solve for one column makes the factor.
static vvStatus solve_H8(tangentRow* s, vvReal8* x) {
  vvRigidWork* rigid = s->work->rigid;
  vvStatus status = vv_rigid_solve_H(rigid, s->work->zero, s->t->column);
  if (status == VV_OK) vv_blocks_solve8(rigid->coupled, rigid->LH, x);
  return status;
}

static void mul_mass8(const tangentRow* s, const vvReal8* x, vvReal8* y) {
  const vvRigidWork* rigid = s->work->rigid;
  const vvBlocks* b = rigid->mass;
  for (int k = 0; k < b->nnode; k++) {
    for (int i = b->first[k]; i < b->first[k + 1]; i++) {
      const vvReal* row = vv_blocks_row(b, rigid->M, k, i - b->first[k]);
      vvReal8 sum = {0};
      for (int j = b->first[k]; j < b->first[k + 1]; j++) sum += row[j - b->first[k]] * x[j];
      y[i] = sum;
    }
  }
}

// Tangents of the acceleration node's solution.
static vvStatus node_tan(tangentRow* s) {
  vvTangentWork* t = s->t;
  vvRollout* work = s->work;
  const vvModel* m = s->m;
  const vvTapeRow* row = &s->row;
  vvRigidPose pose = pose_of(work);
  vv_rigid_force_jvp8(m, &t->model, row->q, t->q_tan, row->v, t->v_tan, row->act, t->act_tan, s->ctrl, s->ctrl_tan,
                      s->applied, t->zero, t->tau, t->tau_tan);
  vv_rigid_residual_jvp8(m, &t->model, work->rigid->ref, &pose, &t->pose_tan, row->v, t->v_tan, row->a, t->tau,
                         t->tau_tan, s->wrench, t->zero, s->nwrench, row->contacts, row->ncontact, row->limits,
                         row->nlimit, row->q, t->q_tan, &work->motion, &t->motion_tan, t->force, t->force_tan, t->r,
                         t->r_tan);
  for (int i = 0; i < m->nv; i++) t->a_tan[i] = -t->r_tan[i];
  return solve_H8(s, t->a_tan);
}

// Tangents of a2.
static vvStatus damping_tan(tangentRow* s) {
  vvTangentWork* t = s->t;
  vvRollout* work = s->work;
  const vvModel* m = s->m;
  if (!s->damped) {
    memcpy(t->a2_tan, t->a_tan, (size_t)m->nv * sizeof(vvReal8));
    return VV_OK;
  }
  // A solve for one column makes the factor.
  vvStatus status = vv_rigid_solve_damped(work->rigid, work->zero, t->column);
  if (status != VV_OK) return status;
  for (int i = 0; i < m->nv; i++) t->d[i] = s->row.a2[i] - s->row.a[i];
  vvRigidPose pose = pose_of(work);
  if (m->integrator == VV_INTEGRATOR_EULER) {
    vv_rigid_damping_residual_jvp8(m, &t->model, work->rigid->ref, &pose, &t->pose_tan, t->d, s->row.a2, work->motion.W,
                                   t->motion_tan.W, t->force, t->force_tan, t->r, t->r_tan);
  } else {
    vv_rigid_implicit_residual_jvp8(m, &t->model, work->rigid->ref, &pose, &t->pose_tan, s->row.v, t->v_tan, t->d,
                                    s->row.a2, &work->motion, &t->motion_tan, t->force, t->force_tan, t->r, t->r_tan);
  }
  mul_mass8(s, t->a_tan, t->a2_tan);
  for (int i = 0; i < m->nv; i++) t->a2_tan[i] -= t->r_tan[i];
  if (m->integrator == VV_INTEGRATOR_EULER) {
    vv_blocks_solve8(work->rigid->mass, work->rigid->LD, t->a2_tan);
    return VV_OK;
  }
  for (int k = 0; k < 8 && status == VV_OK; k++) {
    for (int i = 0; i < m->nv; i++) t->column[i] = t->a2_tan[i][k];
    status = vv_rigid_solve_damped(work->rigid, t->column, t->column);
    for (int i = 0; i < m->nv; i++) t->a2_tan[i][k] = t->column[i];
  }
  return status;
}

// Poses and factors at an evaluation of row k, unless they are there already: the columns of one step's Jacobians share
// them.
static vvStatus linearize(tangentRow* s, int k, int stage) {
  vvRollout* work = s->work;
  const vvTapeRow* row = &s->row;
  uint64_t id = vv_tape_id(s->tape);
  if (work->linear_tape == id && work->linear_row == 4 * k + stage) return VV_OK;
  work->linear_tape = 0;
  vvStatus status = vv_rigid_relinearize(s->m, row->q, row->v, row->a, row->contacts, row->ncontact, row->limits,
                                         row->nlimit, work->rigid);
  if (status != VV_OK) return status;
  work->linear_tape = id;
  work->linear_row = 4 * k + stage;
  return VV_OK;
}

static void pose_tan(tangentRow* s) {
  vvRigidPose pose = pose_of(s->work);
  vv_rigid_kinematics_jvp8(s->m, &s->t->model, s->row.q, s->t->q_tan, s->work->rigid->ref, &pose, &s->t->pose_tan);
}

// Rates of activations at s->row, into t->act_dot and its tangents.
static void activation_tan(tangentRow* s) {
  vvTangentWork* t = s->t;
  if (s->m->na == 0) return;
  vv_rigid_activation_jvp8(s->m, &t->model, s->row.act, t->act_tan, s->ctrl, s->ctrl_tan, t->act_dot, t->act_dot_tan);
}

// Activations after the step, from t->act_tan to t->act1_tan.
static void activate_tan(tangentRow* s, const vvReal* rate, const vvReal8* rate_tan) {
  vvTangentWork* t = s->t;
  if (s->m->na == 0) return;
  vv_rigid_activate_jvp8(s->m, &t->model, s->row.act, t->act_tan, rate, rate_tan, t->act1, t->act1_tan);
  vvReal8* swap = t->act_tan;
  t->act_tan = t->act1_tan;
  t->act1_tan = swap;
}

// Adds evaluation i of rate k with tangents k_tan, a_tan to the weighted sums of Runge-Kutta's step.
static void add_stage8(const tangentRow* s, int i, const vvReal* k_rate, const vvReal8* k_tan) {
  vvTangentWork* t = s->t;
  vvReal b = vv_rigid_stage_weight(i);
  for (int d = 0; d < s->m->nv; d++) {
    t->rk_sum_v[d] += b * k_tan[d];
    t->rk_sum_a[d] += b * t->a_tan[d];
    t->rk_u[d] += b * k_rate[d];
  }
  for (int k = 0; k < s->m->na; k++) {
    t->rk_sum_act[k] += b * t->act_dot_tan[k];
    t->rk_act_dot[k] += b * t->act_dot[k];
  }
}

// Runge-Kutta's step from the first evaluation, whose tangents are in q_tan, v_tan, a_tan.
static vvStatus rk4_tan(tangentRow* s, int k) {
  vvTangentWork* t = s->t;
  vvRollout* work = s->work;
  const vvModel* m = s->m;
  vvReal h = m->opt_timestep[0];
  vvReal8 h_tan = t->model.opt_timestep[0];
  vvTapeRow first = s->row;
  vvReal8 *q0_tan = t->q_tan, *v0_tan = t->v_tan, *act0_tan = t->act_tan;
  zero8(t->rk_sum_act, m->na);
  for (int d = 0; d < m->na; d++) t->rk_act_dot[d] = 0;
  zero8(t->rk_sum_v, m->nv);
  zero8(t->rk_sum_a, m->nv);
  memset(t->rk_u, 0, (size_t)m->nv * sizeof(vvReal));
  activation_tan(s);
  add_stage8(s, 0, s->row.v, v0_tan);
  vvStatus status = VV_OK;
  for (int i = 1; i < 4 && status == VV_OK; i++) {
    vvTapeRow before = s->row;
    vvReal c = vv_rigid_stage_node(i);
    const vvReal* k_before = i == 1 ? before.v : t->rk_k;
    const vvReal8* k_before_tan = i == 1 ? v0_tan : t->rk_k_tan;
    for (int d = 0; d < m->nv; d++) t->d[d] = c * k_before[d];
    for (int d = 0; d < m->nv; d++) t->rk_u_tan[d] = c * k_before_tan[d];
    vv_rigid_integrate_jvp8(m, &t->model, first.q, q0_tan, t->d, t->rk_u_tan, work->q1, t->rk_q_tan);
    for (int d = 0; d < m->nv; d++) t->rk_v_tan[d] = v0_tan[d] + c * (h * t->a_tan[d] + h_tan * before.a[d]);
    for (int d = 0; d < m->na; d++) {
      t->rk_act_tan[d] = act0_tan[d] + c * (h * t->act_dot_tan[d] + h_tan * t->act_dot[d]);
    }
    s->row = vv_tape_row(s->tape, k, i);
    vv_rigid_chart_rate_jvp8(m, &t->model, t->d, t->rk_u_tan, s->row.v, t->rk_v_tan, t->rk_k, t->rk_k_tan);
    t->q_tan = t->rk_q_tan;
    t->v_tan = t->rk_v_tan;
    t->act_tan = t->rk_act_tan;
    status = linearize(s, k, i);
    if (status == VV_OK) {
      pose_tan(s);
      status = node_tan(s);
      activation_tan(s);
    }
    t->q_tan = q0_tan;
    t->v_tan = v0_tan;
    t->act_tan = act0_tan;
    if (status == VV_OK) add_stage8(s, i, t->rk_k, t->rk_k_tan);
  }
  s->row = first;
  if (status != VV_OK) return status;
  for (int d = 0; d < m->nv; d++) {
    vvReal a = 0;
    for (int i = 0; i < 4; i++) a += vv_rigid_stage_weight(i) * vv_tape_row(s->tape, k, i).a[d];
    t->v_tan[d] += h * t->rk_sum_a[d] + h_tan * a;
  }
  vv_rigid_integrate_jvp8(m, &t->model, first.q, t->q_tan, t->rk_u, t->rk_sum_v, work->q1, t->q1_tan);
  activate_tan(s, t->rk_act_dot, t->rk_sum_act);
  return VV_OK;
}

// One row: from q_tan, v_tan at it to those after the step (v1 not NULL), outputs in between.
static vvStatus tangent_row(tangentRow* s, int k, const vvReal* v1, vvReal8* out_tan) {
  vvTangentWork* t = s->t;
  vvRollout* work = s->work;
  const vvModel* m = s->m;
  const vvTapeRow* row = &s->row;
  if (!v1 && !out_tan) return VV_OK;
  vvStatus status = linearize(s, k, 0);
  if (status != VV_OK) return status;
  pose_tan(s);
  zero8(t->a_tan, m->nv);
  if (row->solved) {
    status = node_tan(s);
    if (status != VV_OK) return status;
  }
  if (out_tan) status = vv_roll_output_jvp8(s->in, k, row, work, t, s->ctrl_tan, out_tan);
  if (!v1 || status != VV_OK) return status;
  if (m->integrator == VV_INTEGRATOR_RK4) {
    status = rk4_tan(s, k);
    if (status != VV_OK) return status;
  } else {
    status = damping_tan(s);
    if (status != VV_OK) return status;
    vvReal h = m->opt_timestep[0];
    for (int i = 0; i < m->nv; i++) t->v_tan[i] += h * t->a2_tan[i] + t->model.opt_timestep[0] * s->row.a2[i];
    vv_rigid_integrate_jvp8(m, &t->model, row->q, t->q_tan, v1, t->v_tan, work->q1, t->q1_tan);
    activation_tan(s);
    activate_tan(s, t->act_dot, t->act_dot_tan);
  }
  vvReal8* swap = t->q_tan;
  t->q_tan = t->q1_tan;
  t->q1_tan = swap;
  return VV_OK;
}

static void begin(tangentRow* s, const vvRolloutTangent* tangent) {
  vvTangentWork* t = s->t;
  const vvModel* m = s->m;
  const vvReal8* reals = tangent->reals_tan ? tangent->reals_tan : t->reals_zero;
  place_model(m, reals, &t->model);
  zero8(t->q_tan, m->nq);
  zero8(t->v_tan, m->nv);
  if (!s->in->initial) memcpy(t->q_tan, t->model.qpos0, (size_t)m->nq * sizeof(vvReal8));
  if (tangent->q0_tan) add_ambient(m, s->row.q, tangent->q0_tan, t->q_tan);
  zero8(t->act_tan, m->na);
  if (tangent->act0_tan && m->na > 0) memcpy(t->act_tan, tangent->act0_tan, (size_t)m->na * sizeof(vvReal8));
  if (tangent->v0_tan) memcpy(t->v_tan, tangent->v0_tan, (size_t)m->nv * sizeof(vvReal8));
}

static void set_row(tangentRow* s, const vvTape* tape, const vvRolloutTangent* tangent, int k) {
  const vvRolloutInput* in = s->in;
  const vvReal* none = s->work->zero;
  int nu = s->m->nu;
  s->row = vv_tape_row(tape, k, 0);
  s->ctrl = vv_held_row(in->ctrl, in->nctrl, nu, k, none);
  s->applied = vv_held_row(in->applied, in->napplied, s->m->nv, k, none);
  s->wrench = vv_held_row(in->wrench, in->nwrench, 6 * s->m->nbody, k, none);
  s->ctrl_tan = s->t->ctrl_zero;
  if (tangent->ctrl_tan && in->ctrl) {
    int row = k < in->nctrl ? k : in->nctrl - 1;
    s->ctrl_tan = tangent->ctrl_tan + (size_t)row * (size_t)nu;
  }
}

static vvStatus sweep(tangentRow* s, const vvTape* tape, const vvRolloutTangent* tangent, vvReal8* outputs_tan,
                      int* at) {
  const vvRolloutInput* in = s->in;
  int nrow = vv_rollout_rows(in);
  for (int k = 0, r = 0; k <= in->nstep; k++) {
    *at = k;
    set_row(s, tape, tangent, k);
    if (k == 0) begin(s, tangent);
    vvReal8* out_tan = NULL;
    if (r < nrow && vv_rollout_row(in, r) == k) {
      if (outputs_tan) out_tan = outputs_tan + (size_t)r * (size_t)in->nout;
      r++;
    }
    const vvReal* v1 = k < in->nstep ? vv_tape_row(tape, k + 1, 0).v : NULL;
    vvStatus status = tangent_row(s, k, v1, out_tan);
    if (status != VV_OK) return status;
    if ((k & 63) == 63 && vv_context_cancelled(s->work->ctx)) return VV_ERROR_CANCELLED;
  }
  return VV_OK;
}

vvStatus vv_rollout_jvp8(const vvRolloutInput* in, const vvTape* tape, vvRollout* work, const vvRolloutTangent* tangent,
                         vvRolloutOutputTangent* out, vvReport* report) {
  vv_report_clear(report);
  if (!tape || !tangent || !out) return VV_ERROR_ARGUMENT;
  vvStatus status = vv_rollout_check_input(in, work, report);
  if (status == VV_OK) status = vv_rollout_reserve_outputs(work, in->nout);
  if (status != VV_OK) return status;
  if (!work->tangent) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "the workspace was not made for forward sensitivities");
  }
  if (!vv_tape_complete(tape, in->model, in->nstep)) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "the tape does not hold this rollout");
  }
  if (vv_tape_inputs(tape) != vv_rollout_inputs(in)) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "controls or forces have changed since the rollout was recorded");
  }
  tangentRow s = {.in = in, .m = in->model, .work = work, .t = work->tangent, .tape = tape};
  s.nwrench = in->wrench ? in->model->nbody : 0;
  s.damped = vv_rollout_damped(in->model, tangent->reals_tan != NULL);
  int at = 0;
  status = sweep(&s, tape, tangent, out->outputs_tan, &at);
  if (status != VV_OK) {
    if (status != VV_ERROR_CANCELLED) {
      vv_report_set(report, status, "sensitivities of step %d: %s", at, vv_status_text(status));
      if (report) report->step = at;
    }
    return status;
  }
  if (out->q_tan) to_tangent(s.m, s.row.q, s.t->q_tan, out->q_tan);
  if (out->v_tan) memcpy(out->v_tan, s.t->v_tan, (size_t)s.m->nv * sizeof(vvReal8));
  if (out->act_tan && s.m->na > 0) memcpy(out->act_tan, s.t->act_tan, (size_t)s.m->na * sizeof(vvReal8));
  return VV_OK;
}
