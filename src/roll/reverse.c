// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// reverse.c: the reverse sweep of a rollout.
//
//   step     r(a; q, v, tau) = 0        (M + h B) a2 = M a        v' = v + h a2        q' = q (+) h v'
//   reverse  v'_bar from q' = q (+) h v';  a2_bar = h v'_bar
//            (M + h B) w2 = a2_bar,  a_bar = M w2,  in_bar -= d(w2 . ((M + h B) a2 - M a))/d in
//            implicit: the same with M - h D, transposed in the solve
//            a_bar += outputs';  H w = a_bar,  in_bar -= d(w . r)/d in,  so that tau_bar = w
//            then tau, outputs and poses back to q, v, controls and the model's numbers
//   RK4      v_i = v + h c_i a_(i-1), q_i = q (+) h c_i k_(i-1);  v' = v + h sum b_i a_i, q' = q (+) h sum b_i k_i:
//            the node of each evaluation, last to first, then where its state came from
//
// q_bar is carried in ambient form (nq, orthogonal to each quaternion, as every stage normalises) and leaves as a
// tangent. Without a model gradient the kernels' state variants are used, whose results differ in the last bits only.

#include <math.h>
#include <string.h>

#include "dynamics_kernel.vv.h"
#include "force_kernel.vv.h"
#include "kinematics_kernel.vv.h"
#include "rigid/work.h"
#include "roll/output_row.h"
#include "roll/work.h"

typedef struct reverseRow {
  const vvRolloutInput* in;
  const vvModel* m;
  vvRollout* work;
  vvModel* m_bar;  // NULL: not wanted
  vvTapeRow row;
  const vvReal* ctrl;
  const vvReal* applied;
  const vvReal* wrench;
  int nwrench;
  bool damped;  // the damping node takes part
} reverseRow;

static void zero(vvReal* x, int n) {
  if (n > 0) memset(x, 0, (size_t)n * sizeof(vvReal));
}

static vvReal dot(const vvReal* x, const vvReal* y, int n) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

static vvRigidPose pose_of(const vvRollout* work) {
  vvRigidPose pose = {work->rigid->xpos, work->rigid->xquat, work->rigid->xmat, work->rigid->S};
  return pose;
}

// q1 = q (+) h u: from q1_bar to r->q_bar and u_bar, both added to.
static void retract_bar(reverseRow* s, const vvReal* q, const vvReal* u, vvReal* u_bar, vvReal* q1_bar) {
  vvReverseWork* r = &s->work->reverse;
  if (s->m_bar) {
    vv_rigid_integrate_vjp(s->m, q, u, s->work->q1, s->m_bar, r->q_bar, u_bar, q1_bar, &r->mem);
  } else {
    vv_rigid_integrate_state_vjp(s->m, q, u, s->work->q1, r->q_bar, u_bar, q1_bar, &r->mem);
  }
}

// v' = v + h a2 and the damping node: from v1_bar to v_bar, a_bar and poses.
static vvStatus advance_bar(reverseRow* s) {
  vvRollout* work = s->work;
  vvReverseWork* r = &work->reverse;
  const vvModel* m = s->m;
  vvReal h = m->opt_timestep[0];
  for (int i = 0; i < m->nv; i++) {
    r->v_bar[i] += r->v1_bar[i];
    r->a2_bar[i] = h * r->v1_bar[i];
  }
  if (!s->damped) {
    if (s->m_bar) s->m_bar->opt_timestep[0] += dot(r->v1_bar, s->row.a, m->nv);
    memcpy(r->a_bar, r->a2_bar, (size_t)m->nv * sizeof(vvReal));
    return VV_OK;
  }
  vvStatus status = vv_rigid_solve_damped_transposed(work->rigid, r->a2_bar, r->w2);
  if (status != VV_OK) return status;
  for (int i = 0; i < m->nv; i++) r->d[i] = s->row.a2[i] - s->row.a[i];
  vv_rigid_mul_mass(work->rigid, r->w2, r->a_bar);
  vvRigidPose pose = pose_of(work);
  if (s->m_bar) s->m_bar->opt_timestep[0] += dot(r->v1_bar, s->row.a2, m->nv);
  if (m->integrator != VV_INTEGRATOR_EULER) {
    if (s->m_bar) {
      vv_rigid_implicit_weak_vjp(m, work->rigid->ref, &pose, s->row.v, r->d, s->row.a2, r->w2, &work->motion, -1,
                                 s->m_bar, &r->pose_bar, r->v_bar, &r->motion_bar, &r->mem);
    } else {
      vv_rigid_implicit_weak_state_vjp(m, work->rigid->ref, &pose, s->row.v, r->d, s->row.a2, r->w2, &work->motion, -1,
                                       &r->pose_bar, r->v_bar, &r->motion_bar, &r->mem);
    }
    return VV_OK;
  }
  vv_rigid_damping_motions(m, &pose, r->d, r->w2, r->D, r->W);
  if (s->m_bar) {
    vv_rigid_damping_weak_rev(m, work->rigid->ref, &pose, r->d, s->row.a2, r->w2, r->D, r->W, -1, s->m_bar,
                              &r->pose_bar, r->D_bar, r->W_bar, &r->mem);
  } else {
    vv_rigid_damping_weak_state_rev(m, work->rigid->ref, &pose, r->d, s->row.a2, r->w2, r->D, r->W, -1, &r->pose_bar,
                                    r->D_bar, r->W_bar, &r->mem);
  }
  return VV_OK;
}

// The acceleration node and the forces: from a_bar to poses, q, v, controls. Of the forward half of the weak residual
// only the bodies' motions are wanted: it leaves nothing on the generated code's tape (a test holds this). Likewise for
// the damping node.
static vvStatus node_bar(reverseRow* s) {
  vvRollout* work = s->work;
  vvReverseWork* r = &work->reverse;
  const vvModel* m = s->m;
  const vvTapeRow* row = &s->row;
  vvStatus status = vv_rigid_solve_H(work->rigid, r->a_bar, r->w);
  if (status != VV_OK) return status;
  vvRigidPose pose = pose_of(work);
  zero(r->tau_bar, m->nv);
  vv_rigid_weak_motions(m, &pose, row->v, row->a, r->w, &work->motion);
  if (s->m_bar) {
    vv_rigid_weak_rev(m, work->rigid->ref, &pose, row->v, row->a, r->w, r->tau, s->wrench, s->nwrench, row->contacts,
                      row->ncontact, row->limits, row->nlimit, row->q, &work->motion, -1, s->m_bar, &r->pose_bar,
                      r->v_bar, r->tau_bar, r->wrench_bar, r->q_bar, &r->motion_bar, &r->mem);
    vv_rigid_force_vjp(m, row->q, row->v, row->act, s->ctrl, s->applied, r->tau, s->m_bar, r->q_bar, r->v_bar,
                       r->act_bar, r->ctrl_bar, r->applied_bar, r->tau_bar, &r->mem);
  } else {
    vv_rigid_weak_state_rev(m, work->rigid->ref, &pose, row->v, row->a, r->w, r->tau, s->wrench, s->nwrench,
                            row->contacts, row->ncontact, row->limits, row->nlimit, row->q, &work->motion, -1,
                            &r->pose_bar, r->v_bar, r->tau_bar, r->q_bar, &r->motion_bar, &r->mem);
    vv_rigid_force_state_vjp(m, row->q, row->v, row->act, s->ctrl, s->applied, r->tau, r->q_bar, r->v_bar, r->act_bar,
                             r->ctrl_bar, r->applied_bar, r->tau_bar, &r->mem);
  }
  return VV_OK;
}

// Poses back to q. Kinematics write each real once, so their forward half leaves nothing on the tape either (a test
// holds this) and the poses of vv_rigid_relinearize serve the reverse half. Without the model's numbers it is by hand.
static void kinematics_bar(reverseRow* s) {
  vvRollout* work = s->work;
  vvReverseWork* r = &work->reverse;
  vvRigidPose pose = pose_of(work);
  if (s->m_bar) {
    vv_rigid_kinematics_rev(s->m, s->row.q, work->rigid->ref, &pose, s->m_bar, r->q_bar, &r->pose_bar, &r->mem);
  } else {
    vv_rigid_kinematics_bar(s->m, s->row.q, work->rigid->ref, &pose, r->q_bar, &r->pose_bar, r->D);
  }
}

// act' = next(act, rate): from the cotangents in `next_bar` to r->act_bar (added) and r->act_dot_bar.
static void activate_bar(reverseRow* s, const vvReal* act, const vvReal* act_dot, vvReal* next_bar) {
  vvReverseWork* r = &s->work->reverse;
  zero(r->act_dot_bar, s->m->na);
  if (s->m_bar) {
    vv_rigid_activate_vjp(s->m, act, act_dot, r->act1, s->m_bar, r->act_bar, r->act_dot_bar, next_bar, &r->mem);
  } else {
    vv_rigid_activate_state_vjp(s->m, act, act_dot, r->act1, r->act_bar, r->act_dot_bar, next_bar, &r->mem);
  }
}

// Rates of activations at s->row: r->act_dot_bar to r->act_bar and r->ctrl_bar (added).
static void activation_bar(reverseRow* s) {
  vvReverseWork* r = &s->work->reverse;
  if (s->m_bar) {
    vv_rigid_activation_vjp(s->m, s->row.act, s->ctrl, r->act_dot, s->m_bar, r->act_bar, r->ctrl_bar, r->act_dot_bar,
                            &r->mem);
  } else {
    vv_rigid_activation_state_vjp(s->m, s->row.act, s->ctrl, r->act_dot, r->act_bar, r->ctrl_bar, r->act_dot_bar,
                                  &r->mem);
  }
}

static void swap(vvReal** x, vvReal** y) {
  vvReal* t = *x;
  *x = *y;
  *y = t;
}

static void copy(vvReal* y, const vvReal* x, int n) {
  if (n > 0) memcpy(y, x, (size_t)n * sizeof(vvReal));
}

static void add_scaled(vvReal* y, vvReal s, const vvReal* x, int n) {
  for (int i = 0; i < n; i++) y[i] += s * x[i];
}

static vvStatus relinearize(reverseRow* s) {
  const vvTapeRow* row = &s->row;
  return vv_rigid_relinearize(s->m, row->q, row->v, row->a, row->contacts, row->ncontact, row->limits, row->nlimit,
                              s->work->rigid);
}

// Cotangents of the evaluations' rates and accelerations from those of the step's end.
static void rk4_end_bar(reverseRow* s, const vvTape* tape, int k) {
  vvReverseWork* r = &s->work->reverse;
  int nv = s->m->nv;
  vvReal h = s->m->opt_timestep[0];
  zero(r->rk_u, nv);
  for (int i = 0; i < 4; i++) {
    vvTapeRow row = vv_tape_row(tape, k, i);
    vvReal b = vv_rigid_stage_weight(i);
    vvReal* rate = r->rk_k + i * nv;
    if (i == 0) {
      copy(rate, row.v, nv);
    } else {
      for (int d = 0; d < nv; d++) r->rk_x[d] = vv_rigid_stage_node(i) * r->rk_k[(i - 1) * nv + d];
      vv_rigid_chart_rate(s->m, r->rk_x, row.v, rate);
    }
    add_scaled(r->rk_u, b, rate, nv);
    for (int d = 0; d < nv; d++) r->rk_a_bar[i * nv + d] = h * b * r->v1_bar[d];
    if (s->m_bar) s->m_bar->opt_timestep[0] += b * dot(r->v1_bar, row.a, nv);
  }
  add_scaled(r->v_bar, 1, r->v1_bar, nv);
  zero(r->rk_u_bar, nv);
  retract_bar(s, s->row.q, r->rk_u, r->rk_u_bar, r->q1_bar);
  for (int i = 0; i < 4; i++) {
    for (int d = 0; d < nv; d++) r->rk_k_bar[i * nv + d] = vv_rigid_stage_weight(i) * r->rk_u_bar[d];
  }
  int na = s->m->na;
  if (na == 0) return;
  vvReal* rate = r->rk_act_dot;
  zero(rate, na);
  for (int i = 0; i < 4; i++) {
    vv_rigid_activation(s->m, vv_tape_row(tape, k, i).act, s->ctrl, r->act_dot);
    add_scaled(rate, vv_rigid_stage_weight(i), r->act_dot, na);
  }
  activate_bar(s, s->row.act, rate, r->act1_bar);
  for (int i = 0; i < 4; i++) {
    for (int d = 0; d < na; d++) r->rk_act_dot_bar[i * na + d] = vv_rigid_stage_weight(i) * r->act_dot_bar[d];
  }
}

// Evaluation i > 0 of the step at row k: its node, its poses, and the state that it was made at.
static vvStatus rk4_stage_bar(reverseRow* s, const vvTape* tape, int k, int i) {
  vvReverseWork* r = &s->work->reverse;
  const vvModel* m = s->m;
  int nv = m->nv;
  vvReal h = m->opt_timestep[0], c = vv_rigid_stage_node(i);
  vvTapeRow first = s->row;
  vvTapeRow before = vv_tape_row(tape, k, i - 1);
  s->row = vv_tape_row(tape, k, i);
  vvStatus status = relinearize(s);
  if (status != VV_OK) return status;
  swap(&r->q_bar, &r->rk_q_bar);
  swap(&r->v_bar, &r->rk_v);
  swap(&r->act_bar, &r->rk_act_bar);
  zero(r->act_bar, m->na);
  zero(r->q_bar, m->nq);
  zero(r->v_bar, nv);
  zero(r->rk_x_bar, nv);
  for (int d = 0; d < nv; d++) r->rk_x[d] = c * r->rk_k[(i - 1) * nv + d];
  if (s->m_bar) {
    vv_rigid_chart_rate_vjp(m, r->rk_x, s->row.v, r->rk_u, s->m_bar, r->rk_x_bar, r->v_bar, r->rk_k_bar + i * nv,
                            &r->mem);
  } else {
    vv_rigid_chart_rate_state_vjp(m, r->rk_x, s->row.v, r->rk_u, r->rk_x_bar, r->v_bar, r->rk_k_bar + i * nv, &r->mem);
  }
  memcpy(r->a_bar, r->rk_a_bar + i * nv, (size_t)nv * sizeof(vvReal));
  status = node_bar(s);
  kinematics_bar(s);
  memcpy(r->act_dot_bar, r->rk_act_dot_bar + i * m->na, (size_t)m->na * sizeof(vvReal));
  if (m->na > 0) activation_bar(s);
  swap(&r->q_bar, &r->rk_q_bar);
  swap(&r->v_bar, &r->rk_v);
  swap(&r->act_bar, &r->rk_act_bar);
  s->row = first;
  if (status != VV_OK) return status;
  if (m->na > 0) {  // act_i = act + h c act'_(i-1)
    add_scaled(r->act_bar, 1, r->rk_act_bar, m->na);
    add_scaled(r->rk_act_dot_bar + (i - 1) * m->na, h * c, r->rk_act_bar, m->na);
    if (s->m_bar) {
      vv_rigid_activation(m, before.act, s->ctrl, r->act_dot);
      s->m_bar->opt_timestep[0] += c * dot(r->rk_act_bar, r->act_dot, m->na);
    }
  }
  copy(r->rk_u, r->rk_x, nv);
  zero(r->rk_u_bar, nv);
  retract_bar(s, first.q, r->rk_u, r->rk_u_bar, r->rk_q_bar);
  add_scaled(r->rk_k_bar + (i - 1) * nv, c, r->rk_u_bar, nv);
  add_scaled(r->rk_k_bar + (i - 1) * nv, c, r->rk_x_bar, nv);
  add_scaled(r->v_bar, 1, r->rk_v, nv);
  add_scaled(r->rk_a_bar + (i - 1) * nv, h * c, r->rk_v, nv);
  if (s->m_bar) s->m_bar->opt_timestep[0] += c * dot(r->rk_v, before.a, nv);
  return VV_OK;
}

// From the cotangents after a Runge-Kutta step to those of its first evaluation: r->q_bar, r->v_bar, r->a_bar.
static vvStatus rk4_bar(reverseRow* s, const vvTape* tape, int k) {
  vvReverseWork* r = &s->work->reverse;
  rk4_end_bar(s, tape, k);
  for (int i = 3; i > 0; i--) {
    vvStatus status = rk4_stage_bar(s, tape, k, i);
    if (status != VV_OK) return status;
  }
  add_scaled(r->v_bar, 1, r->rk_k_bar, s->m->nv);
  memcpy(r->a_bar, r->rk_a_bar, (size_t)s->m->nv * sizeof(vvReal));
  if (s->m->na > 0) {
    memcpy(r->act_dot_bar, r->rk_act_dot_bar, (size_t)s->m->na * sizeof(vvReal));
    activation_bar(s);
  }
  return VV_OK;
}

// One row: q_bar, v_bar hold what reaches it from its own seeds, q1_bar, v1_bar what the step from it gets back.
static vvStatus reverse_row(reverseRow* s, const vvTape* tape, int k, const vvReal* v1, const vvReal* out_bar) {
  vvRollout* work = s->work;
  vvReverseWork* r = &work->reverse;
  bool step = v1 != NULL, rk4 = s->m->integrator == VV_INTEGRATOR_RK4;
  zero(r->a_bar, s->m->nv);
  zero(r->ctrl_bar, s->m->nu);
  zero(r->applied_bar, s->m->nv);
  if (!step && !out_bar) return VV_OK;
  vvStatus status = step && rk4 ? rk4_bar(s, tape, k) : VV_OK;
  if (status == VV_OK) status = relinearize(s);
  if (status != VV_OK) return status;
  if (step && !rk4) {
    retract_bar(s, s->row.q, v1, r->v1_bar, r->q1_bar);
    status = advance_bar(s);
    if (status != VV_OK) return status;
    if (s->m->na > 0) {
      vv_rigid_activation(s->m, s->row.act, s->ctrl, r->act_dot);
      activate_bar(s, s->row.act, r->act_dot, r->act1_bar);
      activation_bar(s);
    }
  }
  if (out_bar) {
    status = vv_roll_output_vjp(s->in, k, &s->row, work, out_bar, s->m_bar);
    if (status != VV_OK) return status;
  }
  if (s->row.solved) {
    status = node_bar(s);
    if (status != VV_OK) return status;
  }
  kinematics_bar(s);
  return vv_tape_mem_status(&r->mem);
}

// Everything that is carried or must be zero where the kernels expect it.
static void begin(vvRollout* work) {
  vvReverseWork* r = &work->reverse;
  zero(r->q1_bar, work->nq);
  zero(r->v1_bar, work->nv);
  zero(r->act1_bar, work->na);
  zero(r->tau, work->nv);
  zero(r->pose_bar.xpos, 3 * work->nbody);
  zero(r->pose_bar.xquat, 4 * work->nbody);
  zero(r->pose_bar.xmat, 9 * work->nbody);
  zero(r->pose_bar.S, 6 * work->nv);
  zero(r->motion_bar.V, 6 * work->nbody);
  zero(r->motion_bar.A, 6 * work->nbody);
  zero(r->motion_bar.G, 6 * work->nbody);
  zero(r->motion_bar.W, 6 * work->nbody);
  zero(r->D_bar, 6 * work->nbody);
  zero(r->W_bar, 6 * work->nbody);
  vv_tape_mem_reset(&r->mem);
}

// The seed of the final state, where nothing else has reached it yet.
static void seed_final(const reverseRow* s, const vvRolloutSeed* seed) {
  vvReverseWork* r = &s->work->reverse;
  zero(r->q_bar, s->m->nq);
  zero(r->v_bar, s->m->nv);
  if (seed->q_bar) vv_q_bar_to_ambient(s->m, s->row.q, seed->q_bar, r->q_bar);
  zero(r->act_bar, s->m->na);
  if (seed->v_bar) memcpy(r->v_bar, seed->v_bar, (size_t)s->m->nv * sizeof(vvReal));
  if (seed->act_bar && s->m->na > 0) memcpy(r->act_bar, seed->act_bar, (size_t)s->m->na * sizeof(vvReal));
}

static void add(vvReal* y, const vvReal* x, int n) {
  for (int i = 0; i < n; i++) y[i] += x[i];
}

// Row k's cotangents into the gradient. The last row has no controls of its own: it holds those of the step before.
static void store_row(const reverseRow* s, int k, vvGradient* g) {
  const vvReverseWork* r = &s->work->reverse;
  int n = s->in->nstep;
  int nu = s->m->nu;
  int nv = s->m->nv;
  if (g->ctrl_bar && k < n) {
    copy(g->ctrl_bar + (size_t)k * (size_t)nu, r->ctrl_bar, nu);
    if (k == n - 1) add(g->ctrl_bar + (size_t)k * (size_t)nu, r->held_ctrl_bar, nu);
  }
  if (g->applied_bar && k < n) {
    copy(g->applied_bar + (size_t)k * (size_t)nv, r->applied_bar, nv);
    if (k == n - 1) add(g->applied_bar + (size_t)k * (size_t)nv, r->held_applied_bar, nv);
  }
  if (k == n) {
    copy(r->held_ctrl_bar, r->ctrl_bar, nu);
    copy(r->held_applied_bar, r->applied_bar, nv);
  }
  if (g->adjoint_norm) {
    vv_q_bar_to_tangent(s->m, s->row.q, r->q_bar, r->tangent_bar);
    g->adjoint_norm[k] = vv_sqrt(dot(r->tangent_bar, r->tangent_bar, nv) + dot(r->v_bar, r->v_bar, nv) +
                                 dot(r->act_bar, r->act_bar, s->m->na));
  }
}

static void store_initial(const reverseRow* s, vvGradient* g) {
  const vvReverseWork* r = &s->work->reverse;
  if (g->q0_bar) vv_q_bar_to_tangent(s->m, s->row.q, r->q_bar, g->q0_bar);
  if (g->v0_bar) copy(g->v0_bar, r->v_bar, s->m->nv);
  if (g->act0_bar) copy(g->act0_bar, r->act_bar, s->m->na);
  if (g->model && !s->in->initial) add(g->model->qpos0, r->q_bar, s->m->nq);
}

static void set_row(reverseRow* s, const vvTape* tape, int k) {
  const vvRolloutInput* in = s->in;
  const vvReal* none = s->work->zero;
  s->row = vv_tape_row(tape, k, 0);
  s->ctrl = vv_held_row(in->ctrl, in->nctrl, s->m->nu, k, none);
  s->applied = vv_held_row(in->applied, in->napplied, s->m->nv, k, none);
  s->wrench = vv_held_row(in->wrench, in->nwrench, 6 * s->m->nbody, k, none);
}

bool vv_rollout_damped(const vvModel* m, bool with_model) {
  if (!vv_rigid_has_damping_node(m)) return false;
  bool damped = with_model || m->integrator != VV_INTEGRATOR_EULER;
  for (int j = 0; j < m->njnt && !damped; j++) damped = m->jnt_damping[j] != 0;
  return damped;
}

// x, or NULL when all of it is zero.
static const vvReal* wanted(const vvReal* x, int n) {
  for (int i = 0; i < n; i++) {
    if (x[i] != 0) return x;
  }
  return NULL;
}

static vvStatus sweep(reverseRow* s, const vvTape* tape, const vvRolloutSeed* seed, vvGradient* g, int* at) {
  vvReverseWork* r = &s->work->reverse;
  const vvRolloutInput* in = s->in;
  int next_row = vv_rollout_rows(in) - 1;
  for (int k = in->nstep; k >= 0; k--) {
    *at = k;
    set_row(s, tape, k);
    const vvReal* v1 = NULL;
    if (k == in->nstep) {
      seed_final(s, seed);
    } else {
      v1 = vv_tape_row(tape, k + 1, 0).v;
      zero(r->q_bar, s->m->nq);
      zero(r->v_bar, s->m->nv);
      zero(r->act_bar, s->m->na);
    }
    const vvReal* out_bar = NULL;
    if (next_row >= 0 && vv_rollout_row(in, next_row) == k) {
      if (seed->time_bar && g->model) g->model->opt_timestep[0] += (vvReal)k * seed->time_bar[next_row];
      if (seed->outputs_bar) out_bar = wanted(seed->outputs_bar + (size_t)next_row * (size_t)in->nout, in->nout);
      next_row--;
    }
    vvStatus status = reverse_row(s, tape, k, v1, out_bar);
    if (status != VV_OK) return status;
    store_row(s, k, g);
    if (k == 0) store_initial(s, g);
    swap(&r->q_bar, &r->q1_bar);
    swap(&r->v_bar, &r->v1_bar);
    swap(&r->act_bar, &r->act1_bar);
    if ((k & 63) == 63 && vv_context_cancelled(s->work->ctx)) return VV_ERROR_CANCELLED;
  }
  return VV_OK;
}

vvStatus vv_rollout_vjp(const vvRolloutInput* in, const vvTape* tape, vvRollout* work, const vvRolloutSeed* seed,
                        vvGradient* gradient, vvReport* report) {
  vv_report_clear(report);
  if (!tape || !seed || !gradient) return VV_ERROR_ARGUMENT;
  vvStatus status = vv_rollout_check_input(in, work, report);
  if (status == VV_OK) status = vv_rollout_reserve_outputs(work, in->nout);
  if (status != VV_OK) return status;
  if (!(work->use & VV_ROLLOUT_REVERSE)) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "the workspace was not made for reverse sweeps");
  }
  if (!vv_tape_complete(tape, in->model, in->nstep)) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "the tape does not hold this rollout");
  }
  if (vv_tape_inputs(tape) != vv_rollout_inputs(in)) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "controls or forces have changed since the rollout was recorded");
  }
  reverseRow s = {.in = in, .m = in->model, .work = work, .m_bar = gradient->model};
  s.nwrench = in->wrench ? in->model->nbody : 0;
  s.damped = vv_rollout_damped(in->model, gradient->model != NULL);
  work->linear_tape = 0;
  begin(work);
  int at = 0;
  status = sweep(&s, tape, seed, gradient, &at);
  if (status != VV_OK && status != VV_ERROR_CANCELLED) {
    vv_report_set(report, status, "reverse of step %d: %s", at, vv_status_text(status));
    if (report) report->step = at;
  }
  return status;
}

double vv_adjoint_growth(const vvReal* adjoint_norm, int nstep, double timestep) {
  int k = nstep;
  while (k > 0 && !(adjoint_norm[k] > 0)) k--;
  if (k == 0 || !(adjoint_norm[0] > 0)) return 0;
  return log((double)adjoint_norm[0] / (double)adjoint_norm[k]) / (k * timestep);
}
