// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// roll.c: the forward rollout: steps of the rigid solver, outputs at the rows asked for, the record on the tape.
//
// Row k is evaluated once: its accelerations serve the step that leaves it and the outputs at it. The last row has no
// step; its accelerations are solved for only when an output needs them.

#include <math.h>
#include <string.h>

#include "core/hash.h"
#include "roll/output_row.h"
#include "roll/work.h"

const vvReal* vv_held_row(const vvReal* rows, int nrow, int width, int k, const vvReal* none) {
  if (!rows || nrow <= 0) return none;
  int row = k < nrow ? k : nrow - 1;
  return rows + (size_t)row * (size_t)width;
}

int vv_rollout_rows(const vvRolloutInput* in) {
  if (in->rows) return in->nrow;
  return in->nstep / (in->stride > 0 ? in->stride : 1) + 1;
}

int vv_rollout_row(const vvRolloutInput* in, int r) {
  if (in->rows) return in->rows[r];
  return r * (in->stride > 0 ? in->stride : 1);
}

static uint64_t hash_rows(uint64_t hash, const vvReal* rows, int nrow, int width) {
  if (!rows) return vv_hash_u64(hash, 0);
  return vv_hash_bytes(hash, rows, (size_t)nrow * (size_t)width * sizeof(vvReal));
}

uint64_t vv_rollout_inputs(const vvRolloutInput* in) {
  const vvModel* m = in->model;
  uint64_t hash = hash_rows(VV_HASH_START, in->ctrl, in->nctrl, m->nu);
  hash = hash_rows(hash, in->applied, in->napplied, m->nv);
  return hash_rows(hash, in->wrench, in->nwrench, 6 * m->nbody);
}

static vvStatus check_rows(const vvRolloutInput* in, vvReport* report) {
  for (int r = 0; in->rows && r < in->nrow; r++) {
    int least = r > 0 ? in->rows[r - 1] + 1 : 0;
    if (in->rows[r] < least || in->rows[r] > in->nstep) {
      return vv_report_set(report, VV_ERROR_ARGUMENT, "output row %d: rows must ascend within 0..%d", in->rows[r],
                           in->nstep);
    }
  }
  return VV_OK;
}

vvStatus vv_rollout_check_input(const vvRolloutInput* in, const vvRollout* work, vvReport* report) {
  if (!in || !in->model || !work) return VV_ERROR_ARGUMENT;
  const vvModel* m = in->model;
  if (m->nq != work->nq || m->nv != work->nv || m->na != work->na || m->nu != work->nu || m->nbody != work->nbody) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "the workspace was made for a model of other sizes");
  }
  if (in->initial && (in->initial->nq != m->nq || in->initial->nv != m->nv || in->initial->na != m->na)) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "the initial state belongs to a model of other sizes");
  }
  if (in->nstep < 0 || (in->ctrl && in->nctrl < 1) || (in->applied && in->napplied < 1) ||
      (in->wrench && in->nwrench < 1) || in->nitem < 0 || (in->nitem > 0 && !in->items) || in->nrow < 0) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "a rollout's counts do not fit its arrays");
  }
  for (int i = 0; i < in->nitem; i++) {
    if (in->items[i].adr < 0 || in->items[i].dim < 1 || in->items[i].adr + in->items[i].dim > in->nout) {
      return vv_report_set(report, VV_ERROR_ARGUMENT, "output item %d lies outside the output row", i);
    }
    if (in->wrench && (in->items[i].kind == VV_SENSOR_FORCE || in->items[i].kind == VV_SENSOR_TORQUE)) {
      return vv_report_set(report, VV_ERROR_UNSUPPORTED,
                           "sensors of force and torque do not count applied wrenches yet; give no wrenches");
    }
  }
  return check_rows(in, report);
}

static void set_initial(const vvRolloutInput* in, vvState* state) {
  if (in->initial) {
    vv_state_copy(in->initial, state);
  } else {
    vv_state_reset(in->model, state);
  }
}

static void store_trajectory(const vvState* s, int k, vvReal* trajectory) {
  int width = 1 + s->nq + s->nv + s->na;
  vvReal* row = trajectory + (size_t)k * (size_t)width;
  row[0] = s->time[0];
  memcpy(row + 1, s->q, (size_t)s->nq * sizeof(vvReal));
  memcpy(row + 1 + s->nq, s->v, (size_t)s->nv * sizeof(vvReal));
  if (s->na > 0) memcpy(row + 1 + s->nq + s->nv, s->act, (size_t)s->na * sizeof(vvReal));
}

// Records an evaluation at q, v, act, with the solution in work->rigid where it was solved.
static vvStatus record(const vvRollout* work, const vvReal* q, const vvReal* v, const vvReal* act, bool solved,
                       vvTape* tape) {
  vvTapeRow row = {.q = q,
                   .v = v,
                   .act = act,
                   .a = work->rigid->a,
                   .a2 = work->rigid->a2,
                   .contacts = work->rigid->contacts,
                   .limits = work->rigid->limits,
                   .ncontact = work->rigid->ncontact,
                   .nlimit = work->rigid->nlimit,
                   .solved = solved};
  return vv_tape_append(tape, &row);
}

static void note_solve(const vvRigidWork* rigid, vvRolloutOutput* out) {
  if (rigid->residual > out->residual_max || isnan(rigid->residual)) out->residual_max = (double)rigid->residual;
  if (rigid->iterations > out->iterations_max) out->iterations_max = rigid->iterations;
  if (rigid->ncontact > out->contacts_max) out->contacts_max = rigid->ncontact;
}

// Solves the acceleration node at the present state under row k's inputs.
static vvStatus evaluate(const vvRolloutInput* in, int k, vvRollout* work) {
  const vvModel* m = in->model;
  return vv_rigid_evaluate(
      m, work->state->q, work->state->v, work->state->act, vv_held_row(in->ctrl, in->nctrl, m->nu, k, NULL),
      vv_held_row(in->applied, in->napplied, m->nv, k, NULL),
      vv_held_row(in->wrench, in->nwrench, 6 * m->nbody, k, NULL), work->state->warmstart, work->rigid);
}

static vvStatus fail(vvStatus status, int k, const vvRigidWork* rigid, vvReport* report) {
  const char* message = rigid->report.message[0] ? rigid->report.message : vv_status_text(status);
  if (report) {
    vv_report_set(report, status, "step %d: %s", k, message);
    report->step = k;
    report->element = rigid->report.element;
    report->needed = rigid->report.needed;
  }
  return status;
}

// The tape cannot hold row k of `nstep`; what it would need follows from the rows so far.
static vvStatus fail_tape(vvStatus status, int k, int nstep, const vvTape* tape, vvReport* report) {
  if (status != VV_ERROR_CAPACITY) return vv_report_set(report, status, "step %d: no memory for the tape", k);
  double row = k > 0 ? (double)vv_tape_bytes(tape) / k : 0;
  size_t needed = (size_t)(row * (nstep + 1.0) * 1.1);
  vv_report_set(report, status, "step %d: the tape is full at %.3g MiB; about %.3g MiB would do", k,
                (double)vv_tape_bytes(tape) / 1048576, (double)needed / 1048576);
  if (report) {
    report->step = k;
    report->needed = needed;
  }
  return status;
}

// The evaluations of step k beyond the first, recorded.
static vvStatus evaluate_stages(const vvRolloutInput* in, int k, vvRollout* work, vvTape* tape, vvRolloutOutput* out,
                                vvStatus* worst, vvReport* report) {
  const vvModel* m = in->model;
  for (int i = 1; i < vv_rigid_stages(m); i++) {
    vvStatus status = vv_rigid_stage(m, work->state, i, vv_held_row(in->ctrl, in->nctrl, m->nu, k, NULL),
                                     vv_held_row(in->applied, in->napplied, m->nv, k, NULL),
                                     vv_held_row(in->wrench, in->nwrench, 6 * m->nbody, k, NULL), work->rigid);
    if (status != VV_OK && status != VV_ERROR_NOT_CONVERGED) return fail(status, k, work->rigid, report);
    if (status != VV_OK && *worst == VV_OK) *worst = fail(status, k, work->rigid, report);
    note_solve(work->rigid, out);
    status =
        tape ? record(work, work->rigid->stage_q, work->rigid->stage_v, work->rigid->stage_act, true, tape) : VV_OK;
    if (status != VV_OK) return fail_tape(status, k, in->nstep, tape, report);
  }
  return VV_OK;
}

static vvStatus run(const vvRolloutInput* in, vvTape* tape, vvRollout* work, vvRolloutOutput* out, vvReport* report) {
  const vvModel* m = in->model;
  bool last_solve = vv_rollout_needs_solve(in);
  vvStatus worst = VV_OK;
  double contacts = 0, iterations = 0;
  int nrow = vv_rollout_rows(in);
  for (int k = 0, r = 0; k <= in->nstep; k++) {
    bool wanted = r < nrow && vv_rollout_row(in, r) == k;
    bool solve = k < in->nstep || (wanted && last_solve);
    if (out->trajectory) store_trajectory(work->state, k, out->trajectory);
    if (solve) {
      vvStatus status = evaluate(in, k, work);
      if (status != VV_OK && status != VV_ERROR_NOT_CONVERGED) return fail(status, k, work->rigid, report);
      if (status != VV_OK && worst == VV_OK) worst = fail(status, k, work->rigid, report);
      note_solve(work->rigid, out);
    }
    if (tape) {
      vvStatus status = record(work, work->state->q, work->state->v, work->state->act, solve, tape);
      if (status != VV_OK) return fail_tape(status, k, in->nstep, tape, report);
    }
    if (wanted) {
      if (out->time) out->time[r] = work->state->time[0];
      if (out->outputs) {
        vvStatus status = vv_roll_output(in, k, solve, work, out->outputs + (size_t)r * (size_t)in->nout);
        if (status != VV_OK) return fail(status, k, work->rigid, report);
      }
      r++;
    }
    if (k == in->nstep) break;
    contacts += work->rigid->ncontact;
    iterations += work->rigid->iterations;
    vvStatus status = evaluate_stages(in, k, work, tape, out, &worst, report);
    if (status != VV_OK) return status;
    if (out->signature) out->signature[k] = work->rigid->signature;
    vv_rigid_advance(m, work->state, work->rigid);
    out->steps_done = k + 1;
    if ((k & 63) == 63 && vv_context_cancelled(work->ctx)) return VV_ERROR_CANCELLED;
  }
  out->contacts_mean = in->nstep > 0 ? contacts / in->nstep : 0;
  out->iterations_mean = in->nstep > 0 ? iterations / in->nstep : 0;
  if (out->final) vv_state_copy(work->state, out->final);
  if (report) {
    report->iterations = out->iterations_max;
    report->residual = out->residual_max;
  }
  return worst;
}

vvStatus vv_rollout(const vvRolloutInput* in, vvTape* tape, vvRollout* work, vvRolloutOutput* out, vvReport* report) {
  vv_report_clear(report);
  vvStatus status = vv_rollout_check_input(in, work, report);
  if (status != VV_OK) return status;
  vvRolloutOutput none = {0};
  if (!out) out = &none;
  out->residual_max = 0;
  out->iterations_max = 0;
  out->contacts_max = 0;
  out->contacts_mean = 0;
  out->iterations_mean = 0;
  out->steps_done = 0;
  if (tape) {
    status = vv_tape_begin(tape, in->model, in->nstep);
    if (status != VV_OK) return status;
    vv_tape_mark(tape, vv_rollout_inputs(in));
  }
  status = vv_rollout_reserve_outputs(work, in->nout);
  if (status != VV_OK) return status;
  work->linear_tape = 0;
  set_initial(in, work->state);
  return run(in, tape, work, out, report);
}
