// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// check.c: vv_check (check.h): ladders of differences along each direction, and verdicts.
//
// verdict  1. the best entry of the ladder from rungs without a change of branch: when resolved, ok or mismatch
//             a loss that stands still, by adjoint and ladder alike, is ok: below its noise nothing is resolved
//          2. else the best entry of all rungs: when resolved and equal, ok
//          3. else, by the signs of each: jump, grazing, kink, chaotic, unresolved

#include "visviva/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/random.h"
#include "roll/check_plan.h"

static const double RESOLVED = 1e-7;     // e/s of a resolved direction
static const double FIRST_STEP = 1e-3;   // of the typical size
static const double LEAST_SHARE = 1e-3;  // of the block's largest |gradient|
static const double ROUNDING = 1e-8;     // of the sum of |terms| of the loss; 1e-6 of this is rounding
static const double IDLE = 1e-13;        // of the same: a loss that moves by less stands still
static const double CHAOS = 12;          // growth of the adjoint over the rollout, as a logarithm

const char* vv_verdict_text(vvVerdict verdict) {
  switch (verdict) {
    case VV_VERDICT_OK:
      return "ok";
    case VV_VERDICT_KINK:
      return "kink";
    case VV_VERDICT_JUMP:
      return "jump";
    case VV_VERDICT_GRAZING:
      return "grazing";
    case VV_VERDICT_CHAOTIC:
      return "chaotic";
    case VV_VERDICT_UNRESOLVED:
      return "unresolved";
    case VV_VERDICT_MISMATCH:
      return "mismatch";
  }
  return "?";
}

void vv_check_free(vvContext* ctx, vvCheckResult* result) {
  if (!result) return;
  VV_DELETE(ctx, result->direction, vvCheckDirection, result->ndirection);
  VV_DELETE(ctx, result, vvCheckResult, 1);
}

// ---- evaluation along a direction -----------------------------------------------------------------------------------

// Where a number may not pass 0, how far the direction may go, and whether only forward.
static void limit_step(const vvCheckPlan* plan, const vvCheckBlock* b, double* coefficient, vvLadder* ladder) {
  ladder->eps = FIRST_STEP;
  ladder->one_sided = false;
  if (b->kind != VV_CHECK_NUMBERS) return;
  for (int i = 0; i < b->n; i++) {
    const vvNumber* number = &plan->m->names->numbers[b->number[i]];
    if (number->sign < 0 || coefficient[i] == 0) continue;
    double value = fabs((double)vv_number_value(plan->m, b->number[i]));
    double move = fabs(coefficient[i]) * b->scale[i];
    if (value > 0) {
      ladder->eps = fmin(ladder->eps, 0.25 * value / move);
    } else {
      coefficient[i] = fabs(coefficient[i]);
      ladder->one_sided = true;
    }
  }
}

static void set_direction(const vvCheckPlan* plan, const vvCheckBlock* b, const vvCheckDirection* d,
                          double* coefficient) {
  for (int i = 0; i < b->n; i++) coefficient[i] = i == d->index ? 1 : 0;
  if (d->index >= 0) return;
  uint64_t stream = vv_random_mix((uint64_t)b->kind * 1000 + (uint64_t)(b - plan->block) * 32 + (uint64_t)d->mixture);
  vvRandom random = vv_random_init(plan->in->seed, stream);
  double norm = sqrt((double)b->n);
  for (int i = 0; i < b->n; i++) coefficient[i] = vv_random_normal(&random) / norm;
}

// Copies the base into the worker's variant, state and controls, moved by t along the direction.
static vvStatus move(const vvCheckPlan* plan, const vvCheckBlock* b, double t, vvCheckWorker* w, vvRolloutInput* in) {
  const vvModel* m = plan->m;
  *in = plan->in->rollout;
  size_t nctrl = (size_t)in->nstep * (size_t)m->nu;
  in->ctrl = nctrl > 0 ? plan->ctrl : NULL;
  in->nctrl = nctrl > 0 ? in->nstep : 0;
  vv_state_copy(plan->initial, w->state);
  for (int i = 0; i < m->nv; i++) w->dq[i] = 0;
  switch (b->kind) {
    case VV_CHECK_CTRL:
      for (size_t i = 0; i < nctrl; i++) {
        w->ctrl[i] = plan->ctrl[i] + (vvReal)(t * w->coefficient[i] * b->scale[i]);
      }
      in->ctrl = w->ctrl;
      return VV_OK;
    case VV_CHECK_QPOS0:
      for (int i = 0; i < b->n; i++) w->dq[i] = (vvReal)(t * w->coefficient[i] * b->scale[i]);
      vv_q_retract(m, plan->initial->q, w->dq, w->state->q);
      in->initial = w->state;
      return VV_OK;
    case VV_CHECK_QVEL0:
      for (int i = 0; i < b->n; i++) w->state->v[i] += (vvReal)(t * w->coefficient[i] * b->scale[i]);
      in->initial = w->state;
      return VV_OK;
    case VV_CHECK_ACT0:
      for (int i = 0; i < b->n; i++) w->state->act[i] += (vvReal)(t * w->coefficient[i] * b->scale[i]);
      in->initial = w->state;
      return VV_OK;
    case VV_CHECK_NUMBERS:
      break;
  }
  memcpy(w->variant->reals, m->reals, m->section_begin[VV_SECTION_BULK] * sizeof(vvReal));
  for (int i = 0; i < b->n; i++) {
    const vvNumber* number = &m->names->numbers[b->number[i]];
    vvReal change = (vvReal)(t * w->coefficient[i] * b->scale[i]);
    for (int k = 0; k < number->nmember && change != 0; k++) w->variant->reals[number->members[k]] += change;
  }
  in->model = w->variant;
  return vv_model_derive(plan->ctx, w->variant, NULL);
}

// Loss at t; false when the rollout fails there.
static bool evaluate(const vvCheckPlan* plan, const vvCheckBlock* b, double t, vvCheckWorker* w, vvTape* tape,
                     double* loss, bool* unchanged) {
  vvRolloutInput in;
  if (move(plan, b, t, w, &in) != VV_OK) return false;
  vvRolloutOutput out = {.outputs = w->outputs, .time = w->time, .signature = w->signature};
  if (vv_rollout(&in, tape, w->work, &out, NULL) != VV_OK) return false;
  *loss = vv_check_loss(plan, &in, w->outputs, w->time, NULL);
  *unchanged = memcmp(w->signature, plan->signature, (size_t)in.nstep * sizeof(uint64_t)) == 0;
  return isfinite(*loss);
}

// How much the loss scatters (standard deviation of a value): from four points so near that it should be a straight
// line.
static double scatter(const vvCheckPlan* plan, const vvCheckBlock* b, vvCheckWorker* w, const vvLadder* ladder) {
  double noise = 0;
  for (int i = 0; i < 2; i++) {
    double t = ldexp(ladder->eps, -20) * (1 + 0.37 * i);
    double one = 0;
    double two = 0;
    bool unchanged = false;
    bool good = evaluate(plan, b, t, w, NULL, &one, &unchanged) &&
                evaluate(plan, b, ladder->one_sided ? 2 * t : -t, w, NULL, &two, &unchanged);
    double bend = ladder->one_sided ? two + ladder->f0 - 2 * one : one + two - 2 * ladder->f0;
    if (good) noise = fmax(noise, fabs(bend) / sqrt(6.0));
  }
  return noise;
}

static void climb(const vvCheckPlan* plan, const vvCheckBlock* b, vvCheckWorker* w, vvLadder* ladder) {
  ladder->f0 = plan->loss;
  ladder->noise = scatter(plan, b, w, ladder);
  for (int k = 0; k < VV_LADDER; k++) {
    double step = ldexp(ladder->eps, -k);
    bool still_plus = false;
    bool still_minus = true;
    ladder->minus[k] = ladder->f0;
    ladder->valid[k] = evaluate(plan, b, step, w, NULL, &ladder->plus[k], &still_plus);
    if (ladder->valid[k] && !ladder->one_sided) {
      ladder->valid[k] = evaluate(plan, b, -step, w, NULL, &ladder->minus[k], &still_minus);
    }
    ladder->unchanged[k] = ladder->valid[k] && still_plus && still_minus;
  }
}

// ---- verdicts -------------------------------------------------------------------------------------------------------

// The first step at which a branch differs on either side of the smallest rung that has a change.
static void look_where(const vvCheckPlan* plan, const vvCheckBlock* b, const vvLadder* ladder, vvCheckWorker* w,
                       vvCheckDirection* d, bool* grazing) {
  *grazing = false;
  int k = VV_LADDER - 1;
  while (k >= 0 && (!ladder->valid[k] || ladder->unchanged[k])) k--;
  if (k < 0) return;
  for (int side = 1; side >= (ladder->one_sided ? 1 : -1); side -= 2) {
    double loss = 0;
    bool unchanged = true;
    if (!evaluate(plan, b, side * ldexp(ladder->eps, -k), w, w->tape, &loss, &unchanged) || unchanged) continue;
    int step = 0;
    while (w->signature[step] == plan->signature[step]) step++;
    vv_check_where(plan, w->tape, step, w, d, grazing);
    return;
  }
}

static bool kinks(const vvLadder* ladder, double s) {
  if (ladder->one_sided) return false;
  vvLadderValue plus = vv_ladder_side(ladder, 1);
  vvLadderValue minus = vv_ladder_side(ladder, -1);
  double gap = fabs(plus.derivative - minus.derivative);
  return gap > 1e-6 * s && gap > 10 * (plus.error + minus.error);
}

static vvVerdict excuse(const vvCheckPlan* plan, const vvCheckBlock* b, const vvLadder* ladder, double s,
                        vvCheckWorker* w, vvCheckDirection* d) {
  bool grazing = false;
  look_where(plan, b, ladder, w, d, &grazing);
  double duration = plan->in->rollout.nstep * (double)plan->m->opt_timestep[0];
  if (grazing) return VV_VERDICT_GRAZING;
  if (vv_ladder_jumps(ladder)) return VV_VERDICT_JUMP;
  if (kinks(ladder, s)) return VV_VERDICT_KINK;
  if (plan->growth_per_s * duration > CHAOS) return VV_VERDICT_CHAOTIC;
  return VV_VERDICT_UNRESOLVED;
}

// Whether the loss stands still by adjoint and ladder alike: by its best entry, or on both sides of every rung (which
// an entry made of noise would hide).
static bool idle(const vvCheckPlan* plan, const vvLadder* ladder, const vvLadderValue* best, double adjoint) {
  double least = IDLE * plan->terms;
  bool still = true;
  for (int k = 0; k < VV_LADDER && still; k++) {
    double other = ladder->one_sided ? ladder->f0 : ladder->minus[k];
    still = ladder->valid[k] && ladder->unchanged[k] && fabs(ladder->plus[k] - other) <= least;
  }
  still = still || (best->unchanged && (fabs(best->derivative) + best->error) * ladder->eps <= least);
  return still && fabs(adjoint) * ladder->eps <= least;
}

static void judge(const vvCheckPlan* plan, const vvCheckBlock* b, const vvLadder* ladder, double adjoint,
                  vvCheckWorker* w, vvCheckDirection* d) {
  double floor = fmax(LEAST_SHARE * b->largest, ROUNDING * plan->terms);
  vvLadderValue best = vv_ladder_central(ladder, true);
  double s = fmax(fabs(best.derivative), floor);
  bool resolved = best.error <= RESOLVED * s;
  if (!resolved) {
    vvLadderValue any = vv_ladder_central(ladder, false);
    double any_s = fmax(fabs(any.derivative), floor);
    if (any.error <= RESOLVED * any_s || !isfinite(best.error)) {
      best = any;
      s = any_s;
      resolved = best.error <= RESOLVED * s;
    }
  }
  d->difference = best.derivative;
  d->unchanged = best.unchanged;
  d->resolved = resolved;
  if (s == 0) s = 1;
  d->error = fabs(adjoint - best.derivative) / s;
  d->ladder_error = best.error / s;
  bool equal = d->error <= plan->tolerance;
  if (idle(plan, ladder, &best, adjoint)) d->resolved = d->unchanged = resolved = equal = true;
  if (resolved && equal) {
    d->verdict = VV_VERDICT_OK;
  } else if (resolved && best.unchanged) {
    d->verdict = VV_VERDICT_MISMATCH;
  } else {
    d->verdict = excuse(plan, b, ladder, s, w, d);
  }
}

static void name_direction(const vvCheckBlock* b, int index, vvCheckDirection* d) {
  int entry = index - b->first;
  snprintf(d->block, sizeof d->block, "%s", b->name);
  d->index = entry < b->nsingle ? entry : -1;
  d->mixture = entry < b->nsingle ? -1 : entry - b->nsingle;
  d->number = d->index >= 0 && b->number ? b->number[d->index] : -1;
  d->step = -1;
}

static vvStatus check_direction(void* user, int index, int thread) {
  vvCheckPlan* plan = user;
  vvCheckWorker* w = &plan->worker[thread];
  vvCheckDirection* d = &plan->result->direction[index];
  const vvCheckBlock* b = vv_check_plan_block(plan, index);
  name_direction(b, index, d);
  set_direction(plan, b, d, w->coefficient);
  vvLadder ladder;
  limit_step(plan, b, w->coefficient, &ladder);
  double adjoint = 0;
  for (int i = 0; i < b->n; i++) adjoint += b->bar[i] * b->scale[i] * w->coefficient[i];
  climb(plan, b, w, &ladder);
  judge(plan, b, &ladder, adjoint, w, d);
  double unit = d->index >= 0 ? b->scale[d->index] : 1;
  d->adjoint = adjoint / unit;
  d->difference /= unit;
  return VV_OK;
}

static vvStatus check_input(const vvCheckInput* in, vvReport* report) {
  if (!in || !in->rollout.model || (in->nnumber > 0 && !in->numbers)) return VV_ERROR_ARGUMENT;
  const vvModelNames* names = in->rollout.model->names;
  for (int i = 0; i < in->nnumber; i++) {
    int k = in->numbers[i];
    if (!names || k < 0 || k >= names->nnumber) {
      return vv_report_set(report, VV_ERROR_ARGUMENT, "number %d is not in the model", k);
    }
    if (names->numbers[k].reason) {
      return vv_report_set(report, VV_ERROR_UNSUPPORTED, "%s: %s", names->numbers[k].name, names->numbers[k].reason);
    }
  }
  return VV_OK;
}

vvStatus vv_check(vvContext* ctx, const vvCheckInput* in, vvCheckResult** result, vvReport* report) {
  if (!ctx || !result) return VV_ERROR_ARGUMENT;
  *result = NULL;
  vv_report_clear(report);
  vvStatus status = check_input(in, report);
  if (status != VV_OK) return status;
  vvCheckPlan* plan = NULL;
  status = vv_check_plan_create(ctx, in, &plan, report);
  if (status != VV_OK) return status;
  vvCheckResult* r = plan->result;
  r->loss = plan->loss;
  r->growth_per_s = plan->growth_per_s;
  status = vv_parallel_for(ctx, r->ndirection, check_direction, plan);
  if (status == VV_OK) {
    for (int i = 0; i < r->ndirection; i++) {
      r->nresolved += r->direction[i].resolved;
      r->nunchanged += r->direction[i].resolved && r->direction[i].unchanged;
      r->nmismatch += r->direction[i].verdict == VV_VERDICT_MISMATCH;
    }
    *result = r;
    plan->result = NULL;
  }
  vv_check_plan_free(plan);
  return status;
}
