// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// check_plan.c: preparation of vv_check (check_plan.h): the base rollout and its gradient, blocks and typical sizes,
// scratch per thread.
//
// sizes    positions 0.01 m and 0.1 rad, velocities 0.1 m/s and 1 rad/s, controls half their range (1 without), numbers
//          as their names say

#include "roll/check_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char* element_text(vvElement element) {
  switch (element) {
    case VV_ELEMENT_OPTION:
      return "opt";
    case VV_ELEMENT_COMPILER:
      return "compiler";
    case VV_ELEMENT_FRAME:
      return "frame";
    case VV_ELEMENT_BODY:
      return "body";
    case VV_ELEMENT_JOINT:
      return "joint";
    case VV_ELEMENT_DOF:
      return "dof";
    case VV_ELEMENT_GEOM:
      return "geom";
    case VV_ELEMENT_SITE:
      return "site";
    case VV_ELEMENT_TENDON:
    case VV_ELEMENT_WRAP:
      return "tendon";
    case VV_ELEMENT_ACTUATOR:
      return "actuator";
    case VV_ELEMENT_EQUALITY:
      return "equality";
    case VV_ELEMENT_SENSOR:
      return "sensor";
    default:
      return "key";
  }
}

double vv_check_loss(const vvCheckPlan* plan, const vvRolloutInput* rollout, const vvReal* outputs, const vvReal* time,
                     double* terms) {
  const vvCheckInput* in = plan->in;
  if (in->row_loss) {
    double value = 0;
    vvStatus status = vv_row_loss_value(in->row_loss, rollout, outputs, time, &value, terms);
    return status == VV_OK ? value : (double)NAN;
  }
  size_t n = (size_t)plan->nrow * (size_t)in->rollout.nout;
  double loss = 0;
  double size = 0;
  for (size_t i = 0; in->outputs_bar && i < n; i++) {
    double term = (double)(in->outputs_bar[i] * outputs[i]);
    loss += term;
    size += fabs(term);
  }
  for (int r = 0; in->time_bar && r < plan->nrow; r++) loss += (double)(in->time_bar[r] * time[r]);
  if (terms) *terms = size;
  return loss;
}

// ---- blocks ---------------------------------------------------------------------------------------------------------

static vvStatus add_block(vvCheckPlan* plan, vvCheckKind kind, const char* name, int n, vvCheckBlock** block) {
  if (plan->nblock == VV_CHECK_MAX_BLOCK) return VV_ERROR_CAPACITY;
  vvCheckBlock* b = &plan->block[plan->nblock++];
  b->kind = kind;
  snprintf(b->name, sizeof b->name, "%s", name);
  b->n = n;
  b->scale = VV_NEW(plan->ctx, double, n);
  b->bar = VV_NEW(plan->ctx, double, n);
  if (kind == VV_CHECK_NUMBERS) b->number = VV_NEW(plan->ctx, int, n);
  if (!b->scale || !b->bar || (kind == VV_CHECK_NUMBERS && !b->number)) return VV_ERROR_MEMORY;
  if (n > plan->most) plan->most = n;
  *block = b;
  return VV_OK;
}

static double control_size(const vvModel* m, int u) {
  double size = 0;
  if (m->actuator_ctrllimited[u]) {
    size = 0.5 * (double)(m->actuator_ctrlrange[2 * u + 1] - m->actuator_ctrlrange[2 * u]);
  }
  return size > 0 ? size : 1;
}

static bool is_translation(const vvModel* m, int d) {
  int j = m->dof_jnt[d];
  return m->jnt_type[j] == VV_JOINT_SLIDE || (m->jnt_type[j] == VV_JOINT_FREE && d < m->jnt_v[j] + 3);
}

static vvStatus add_state_blocks(vvCheckPlan* plan) {
  const vvCheckInput* in = plan->in;
  const vvModel* m = plan->m;
  vvCheckBlock* b = NULL;
  vvStatus status = VV_OK;
  if (in->ctrl && m->nu > 0 && in->rollout.nstep > 0) {
    status = add_block(plan, VV_CHECK_CTRL, "ctrl", in->rollout.nstep * m->nu, &b);
    for (int i = 0; status == VV_OK && i < b->n; i++) b->scale[i] = control_size(m, i % m->nu);
  }
  if (status == VV_OK && in->qpos0) {
    status = add_block(plan, VV_CHECK_QPOS0, "qpos0", m->nv, &b);
    for (int i = 0; status == VV_OK && i < b->n; i++) b->scale[i] = is_translation(m, i) ? 0.01 : 0.1;
  }
  if (status == VV_OK && in->qvel0) {
    status = add_block(plan, VV_CHECK_QVEL0, "qvel0", m->nv, &b);
    for (int i = 0; status == VV_OK && i < b->n; i++) b->scale[i] = is_translation(m, i) ? 0.1 : 1;
  }
  if (status == VV_OK && in->act0 && m->na > 0) {
    status = add_block(plan, VV_CHECK_ACT0, "act0", m->na, &b);
    for (int i = 0; status == VV_OK && i < b->n; i++) b->scale[i] = 1;
  }
  return status;
}

// One block per attribute among the numbers wanted.
static vvStatus add_number_blocks(vvCheckPlan* plan) {
  const vvCheckInput* in = plan->in;
  const vvNumber* numbers = plan->m->names ? plan->m->names->numbers : NULL;
  for (int f = 0; vv_model_fields()[f].attribute; f++) {
    int n = 0;
    for (int i = 0; i < in->nnumber; i++) n += numbers[in->numbers[i]].field == f;
    if (n == 0) continue;
    const vvField* field = &vv_model_fields()[f];
    char name[32];
    snprintf(name, sizeof name, "%s/%s", element_text(field->element), field->attribute);
    vvCheckBlock* b = NULL;
    vvStatus status = add_block(plan, VV_CHECK_NUMBERS, name, n, &b);
    if (status != VV_OK) return status;
    n = 0;
    for (int i = 0; i < in->nnumber; i++) {
      if (numbers[in->numbers[i]].field != f) continue;
      double size = (double)numbers[in->numbers[i]].scale;
      b->number[n] = in->numbers[i];
      b->scale[n++] = size > 0 ? size : 1;
    }
  }
  return VV_OK;
}

static void count_directions(vvCheckPlan* plan) {
  vvCheckResult* result = plan->result;
  for (int i = 0; i < plan->nblock; i++) {
    vvCheckBlock* b = &plan->block[i];
    b->first = result->ndirection;
    b->nsingle = b->n <= VV_CHECK_SINGLES ? b->n : 0;
    result->ndirection += b->nsingle + (b->n > 1 ? VV_CHECK_MIXTURES : 0);
  }
}

const vvCheckBlock* vv_check_plan_block(const vvCheckPlan* plan, int index) {
  int i = plan->nblock - 1;
  while (i > 0 && plan->block[i].first > index) i--;
  return &plan->block[i];
}

// ---- base rollout and gradient --------------------------------------------------------------------------------------

typedef struct baseGradient {
  vvGradient g;
  vvReal* block;
  size_t reals;
} baseGradient;

static vvStatus allocate_gradient(vvCheckPlan* plan, baseGradient* base) {
  const vvModel* m = plan->m;
  size_t n = (size_t)plan->in->rollout.nstep;
  size_t nv = (size_t)m->nv;
  size_t nctrl = n * (size_t)m->nu;
  base->reals = nctrl + 2 * nv + (size_t)m->na + n + 1;
  base->block = VV_NEW(plan->ctx, vvReal, base->reals);
  if (!base->block) return VV_ERROR_MEMORY;
  base->g.ctrl_bar = base->block;
  base->g.q0_bar = base->block + nctrl;
  base->g.v0_bar = base->g.q0_bar + nv;
  base->g.act0_bar = base->g.v0_bar + nv;
  base->g.adjoint_norm = base->g.act0_bar + m->na;
  return plan->in->nnumber > 0 ? vv_model_shadow(plan->ctx, m, &base->g.model) : VV_OK;
}

static void take_gradient(vvCheckPlan* plan, const vvGradient* g) {
  for (int i = 0; i < plan->nblock; i++) {
    vvCheckBlock* b = &plan->block[i];
    const vvReal* from[] = {g->ctrl_bar, g->q0_bar, g->v0_bar, g->act0_bar};
    for (int k = 0; k < b->n; k++) {
      b->bar[k] = (double)(b->kind == VV_CHECK_NUMBERS ? vv_number_bar(g->model, b->number[k]) : from[b->kind][k]);
      b->largest = fmax(b->largest, fabs(b->bar[k]) * b->scale[k]);
    }
  }
  plan->growth_per_s = vv_adjoint_growth(g->adjoint_norm, plan->in->rollout.nstep, (double)plan->m->opt_timestep[0]);
}

// Cotangents that a user's loss starts from.
typedef struct rowSeeds {
  vvReal *block, *ctrl_bar;
  size_t reals, nctrl;
} rowSeeds;

static vvStatus seed_rows(vvCheckPlan* plan, const vvRolloutInput* in, vvModel* m_bar, rowSeeds* rows,
                          vvRolloutSeed* seed) {
  size_t nout = (size_t)plan->nrow * (size_t)in->nout;
  rows->nctrl = (size_t)in->nstep * (size_t)plan->m->nu;
  rows->reals = nout + (size_t)plan->nrow + rows->nctrl;
  rows->block = VV_NEW(plan->ctx, vvReal, rows->reals);
  if (!rows->block) {
    rows->nctrl = 0;
    return VV_ERROR_MEMORY;
  }
  vvReal* time_bar = rows->block + nout;
  rows->ctrl_bar = time_bar + plan->nrow;
  seed->outputs_bar = rows->block;
  seed->time_bar = time_bar;
  const vvCheckWorker* w = &plan->worker[0];
  return vv_row_loss_vjp(plan->in->row_loss, in, w->outputs, w->time, rows->block, time_bar, rows->ctrl_bar, m_bar);
}

// The rollout as the check sees it: a stated initial state unless the model's own counts, controls written out.
static vvStatus roll_base(vvCheckPlan* plan, vvReport* report) {
  vvCheckWorker* w = &plan->worker[0];
  vvRolloutInput in = plan->in->rollout;
  in.ctrl = plan->m->nu > 0 && in.nstep > 0 ? plan->ctrl : NULL;
  in.nctrl = in.ctrl ? in.nstep : 0;
  vvRolloutOutput out = {.outputs = w->outputs, .time = w->time, .signature = plan->signature};
  vvStatus status = vv_rollout(&in, plan->tape, w->work, &out, report);
  if (status != VV_OK && status != VV_ERROR_NOT_CONVERGED) return status;
  plan->loss = vv_check_loss(plan, &in, w->outputs, w->time, &plan->terms);
  if (!isfinite(plan->loss)) return vv_report_set(report, VV_ERROR_NOT_FINITE, "the loss is not finite");
  baseGradient base = {0};
  vvRolloutSeed seed = {.outputs_bar = plan->in->outputs_bar, .time_bar = plan->in->time_bar};
  rowSeeds rows = {0};
  status = allocate_gradient(plan, &base);
  if (status == VV_OK && plan->in->row_loss) status = seed_rows(plan, &in, base.g.model, &rows, &seed);
  if (status == VV_OK) status = vv_rollout_vjp(&in, plan->tape, w->work, &seed, &base.g, report);
  for (size_t i = 0; status == VV_OK && i < rows.nctrl; i++) base.g.ctrl_bar[i] += rows.ctrl_bar[i];
  VV_DELETE(plan->ctx, rows.block, vvReal, rows.reals);
  if (status == VV_OK && base.g.model) status = vv_model_derive_vjp(plan->ctx, plan->m, base.g.model);
  if (status == VV_OK) take_gradient(plan, &base.g);
  if (base.g.model) vv_model_shadow_free(plan->ctx, base.g.model);
  VV_DELETE(plan->ctx, base.block, vvReal, base.reals);
  return status;
}

// ---- making and freeing ---------------------------------------------------------------------------------------------

static vvStatus create_worker(vvCheckPlan* plan, vvCheckWorker* w, vvRolloutUse use) {
  vvContext* ctx = plan->ctx;
  const vvModel* m = plan->m;
  size_t n = (size_t)plan->in->rollout.nstep;
  vvStatus status = vv_rollout_create(ctx, m, use, &w->work);
  if (status == VV_OK) status = vv_model_variant(ctx, m, &w->variant);
  if (status == VV_OK) status = vv_state_create(ctx, m, &w->state);
  if (status == VV_OK) status = vv_tape_create(ctx, &w->tape);
  if (status != VV_OK) return status;
  w->ctrl = VV_NEW(ctx, vvReal, n * (size_t)m->nu);
  w->outputs = VV_NEW(ctx, vvReal, (size_t)plan->nrow * (size_t)plan->in->rollout.nout);
  w->time = VV_NEW(ctx, vvReal, plan->nrow);
  w->dq = VV_NEW(ctx, vvReal, m->nv);
  w->signature = VV_NEW(ctx, uint64_t, n);
  w->coefficient = VV_NEW(ctx, double, plan->most);
  bool good = w->ctrl && w->outputs && w->time && w->dq && w->signature && w->coefficient;
  return good ? VV_OK : VV_ERROR_MEMORY;
}

static void free_worker(vvCheckPlan* plan, vvCheckWorker* w) {
  vvContext* ctx = plan->ctx;
  size_t n = (size_t)plan->in->rollout.nstep;
  vv_rollout_free(w->work);
  vv_model_variant_free(ctx, w->variant);
  vv_state_free(ctx, w->state);
  vv_tape_free(w->tape);
  VV_DELETE(ctx, w->ctrl, vvReal, n * (size_t)plan->m->nu);
  VV_DELETE(ctx, w->outputs, vvReal, (size_t)plan->nrow * (size_t)plan->in->rollout.nout);
  VV_DELETE(ctx, w->time, vvReal, plan->nrow);
  VV_DELETE(ctx, w->dq, vvReal, plan->m->nv);
  VV_DELETE(ctx, w->signature, uint64_t, n);
  VV_DELETE(ctx, w->coefficient, double, plan->most);
}

static vvStatus prepare_base(vvCheckPlan* plan) {
  const vvRolloutInput* in = &plan->in->rollout;
  const vvModel* m = plan->m;
  size_t n = (size_t)in->nstep;
  plan->ctrl = VV_NEW(plan->ctx, vvReal, n * (size_t)m->nu);
  plan->signature = VV_NEW(plan->ctx, uint64_t, n);
  if (!plan->ctrl || !plan->signature) return VV_ERROR_MEMORY;
  for (int k = 0; in->ctrl && k < in->nstep; k++) {
    memcpy(plan->ctrl + (size_t)k * (size_t)m->nu, vv_held_row(in->ctrl, in->nctrl, m->nu, k, in->ctrl),
           (size_t)m->nu * sizeof(vvReal));
  }
  vvStatus status = vv_state_create(plan->ctx, m, &plan->initial);
  if (status == VV_OK) status = vv_tape_create(plan->ctx, &plan->tape);
  if (status == VV_OK && in->initial) vv_state_copy(in->initial, plan->initial);
  return status;
}

static vvStatus prepare(vvCheckPlan* plan, vvReport* report) {
  vvStatus status = prepare_base(plan);
  if (status == VV_OK) status = add_state_blocks(plan);
  if (status == VV_OK) status = add_number_blocks(plan);
  if (status != VV_OK) return status;
  plan->result = VV_NEW(plan->ctx, vvCheckResult, 1);
  if (!plan->result) return VV_ERROR_MEMORY;
  count_directions(plan);
  plan->result->direction = VV_NEW(plan->ctx, vvCheckDirection, plan->result->ndirection);
  plan->nworker = vv_context_thread_count(plan->ctx);
  plan->worker = VV_NEW(plan->ctx, vvCheckWorker, plan->nworker);
  if (!plan->result->direction || !plan->worker) return VV_ERROR_MEMORY;
  for (int i = 0; i < plan->nworker && status == VV_OK; i++) {
    status = create_worker(plan, &plan->worker[i], i == 0 ? VV_ROLLOUT_REVERSE : VV_ROLLOUT_FORWARD);
  }
  return status == VV_OK ? roll_base(plan, report) : status;
}

vvStatus vv_check_plan_create(vvContext* ctx, const vvCheckInput* in, vvCheckPlan** plan, vvReport* report) {
  *plan = NULL;
  vvCheckPlan* p = VV_NEW(ctx, vvCheckPlan, 1);
  if (!p) return VV_ERROR_MEMORY;
  p->ctx = ctx;
  p->in = in;
  p->m = in->rollout.model;
  p->nrow = vv_rollout_rows(&in->rollout);
  p->tolerance = in->tolerance > 0 ? in->tolerance : 1e-6;
  vvStatus status = prepare(p, report);
  if (status != VV_OK) {
    vv_check_plan_free(p);
    return status;
  }
  *plan = p;
  return VV_OK;
}

void vv_check_plan_free(vvCheckPlan* plan) {
  if (!plan) return;
  vvContext* ctx = plan->ctx;
  size_t n = (size_t)plan->in->rollout.nstep;
  for (int i = 0; plan->worker && i < plan->nworker; i++) free_worker(plan, &plan->worker[i]);
  VV_DELETE(ctx, plan->worker, vvCheckWorker, plan->nworker);
  for (int i = 0; i < plan->nblock; i++) {
    vvCheckBlock* b = &plan->block[i];
    VV_DELETE(ctx, b->scale, double, b->n);
    VV_DELETE(ctx, b->bar, double, b->n);
    VV_DELETE(ctx, b->number, int, b->n);
  }
  vv_check_free(ctx, plan->result);
  vv_tape_free(plan->tape);
  vv_state_free(ctx, plan->initial);
  VV_DELETE(ctx, plan->ctrl, vvReal, n * (size_t)plan->m->nu);
  VV_DELETE(ctx, plan->signature, uint64_t, n);
  VV_DELETE(ctx, plan, vvCheckPlan, 1);
}
