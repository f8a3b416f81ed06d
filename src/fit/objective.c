// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// objective.c: see objective.h.
//
// robust   loss of a sample's signal with weighted length s: s^2 up to the width d, then 2 d s - d^2 (Huber 1964); its
//          rows are weighted by sqrt(rho'(s^2)), so that J'r is the gradient of half the loss
// switch   forward costs about 3 rollouts per eight parameters, reverse about 3 per residual of a window; the cheaper
//          one is taken (VV_FIT_SWEEP_AUTO)

#include "fit/objective.h"

#include <math.h>
#include <string.h>

#include "fit/least.h"
#include "fit/parameters.h"
#include "fit/simulate.h"

struct vvFitWork {
  vvFitMemory memory;
  vvFitProblem* problem;
  vvModel* model;  // variant with the numbers of the evaluation
  vvFitShared shared;
  vvFitThread* threads;
  int nthread;
  vvFitValue blocks[VV_FIT_BLOCKS];
  vvReport block_report[VV_FIT_BLOCKS];
  double* x;       // n       values
  double* slopes;  // n x n
  double* join;    // (n + 1)^2
  int lead;        // rows of A at most
  // the evaluation under way
  vvFitSet set;
  int nblock, count;
  bool jacobian;
  const double* weights;
  double* window_loss;
};

int vv_fit_lag_count(const vvFitProblem* p) {
  return p->nsample_max < VV_FIT_LAG_MAX ? p->nsample_max : VV_FIT_LAG_MAX;
}

vvStatus vv_fit_value_create(vvFitMemory* memory, const vvFitProblem* p, vvFitValue* value) {
  int nlag = vv_fit_lag_count(p), w = p->nfree + 1;
  memset(value, 0, sizeof *value);
  value->T = VV_FIT_NEW(memory, double, w* w);
  value->squares = VV_FIT_NEW(memory, double, p->nsignal);
  value->lag_squares = VV_FIT_NEW(memory, double, p->nsignal* nlag);
  value->lag_count = VV_FIT_NEW(memory, double, nlag);
  value->lag_time = VV_FIT_NEW(memory, double, nlag);
  value->window_loss = VV_FIT_NEW(memory, double, p->nwindow);
  bool all =
      value->window_loss && value->T && value->squares && value->lag_squares && value->lag_count && value->lag_time;
  return all ? VV_OK : VV_ERROR_MEMORY;
}

static void value_zero(const vvFitProblem* p, vvFitValue* v) {
  size_t nlag = (size_t)vv_fit_lag_count(p), w = (size_t)p->nfree + 1, ns = (size_t)p->nsignal;
  memset(v->T, 0, sizeof(double) * w * w);
  memset(v->squares, 0, sizeof(double) * ns);
  memset(v->lag_squares, 0, sizeof(double) * ns * nlag);
  memset(v->lag_count, 0, sizeof(double) * nlag);
  memset(v->lag_time, 0, sizeof(double) * nlag);
  v->loss = v->nresidual = v->nsample = 0;
  v->nrough = 0;
}

static void value_add(const vvFitProblem* p, const vvFitValue* from, vvFitValue* to) {
  int nlag = vv_fit_lag_count(p);
  for (int i = 0; i < p->nsignal; i++) to->squares[i] += from->squares[i];
  for (int i = 0; i < p->nsignal * nlag; i++) to->lag_squares[i] += from->lag_squares[i];
  for (int i = 0; i < nlag; i++) {
    to->lag_count[i] += from->lag_count[i];
    to->lag_time[i] += from->lag_time[i];
  }
  to->loss += from->loss;
  to->nresidual += from->nresidual;
  to->nsample += from->nsample;
  to->nrough += from->nrough;
}

double vv_fit_rms(const vvFitValue* value, int signal) {
  return value->nsample > 0 ? sqrt(value->squares[signal] / value->nsample) : (double)NAN;
}

// ---- memory
// ----------------------------------------------------------------------------------------------------------

static vvStatus thread_create(vvFitWork* work, vvFitThread* th) {
  vvFitProblem* p = work->problem;
  const vvModel* m = p->model;
  vvFitMemory* mem = &work->memory;
  size_t rows = (size_t)p->nrow_max * (size_t)p->nout;
  bool reverse = work->shared.reverse;
  vvStatus status = vv_rollout_create(p->context, m, reverse ? VV_ROLLOUT_REVERSE : VV_ROLLOUT_TANGENT, &th->roll);
  if (status == VV_OK) status = vv_tape_create(p->context, &th->tape);
  if (status == VV_OK) status = vv_state_create(p->context, m, &th->initial);
  if (status == VV_OK && reverse) status = vv_model_shadow(p->context, m, &th->shadow);
  if (status != VV_OK) return status;
  th->ctrl = VV_FIT_NEW(mem, vvReal, (size_t)p->nstep_max * (size_t)m->nu);
  th->outputs = VV_FIT_NEW(mem, vvReal, rows);
  th->outputs_tan = VV_FIT_NEW(mem, vvReal8, reverse ? 1 : rows * (size_t)work->shared.ngroup);
  th->outputs_bar = VV_FIT_NEW(mem, vvReal, rows);
  th->q0_bar = VV_FIT_NEW(mem, vvReal, m->nv);
  th->q0_ambient = VV_FIT_NEW(mem, vvReal, m->nq);
  th->residual = VV_FIT_NEW(mem, double, work->lead);
  th->A = VV_FIT_NEW(mem, double, (size_t)work->lead*(size_t)(p->nfree + 1));
  bool all = th->ctrl && th->outputs && th->outputs_tan && th->outputs_bar && th->q0_bar && th->q0_ambient &&
             th->residual && th->A;
  return all ? VV_OK : VV_ERROR_MEMORY;
}

static vvStatus shared_create(vvFitWork* work) {
  vvFitProblem* p = work->problem;
  vvFitShared* s = &work->shared;
  s->reals_tan = VV_FIT_NEW(&work->memory, vvReal8*, s->ngroup);
  s->q0_tan = VV_FIT_NEW(&work->memory, vvReal8*, s->ngroup);
  if (!s->reals_tan || !s->q0_tan) return VV_ERROR_MEMORY;
  for (int g = 0; g < s->ngroup; g++) {
    s->reals_tan[g] = VV_FIT_NEW(&work->memory, vvReal8, vv_model_real_count(p->model));
    s->q0_tan[g] = VV_FIT_NEW(&work->memory, vvReal8, p->model->nv);
    if (!s->reals_tan[g] || !s->q0_tan[g]) return VV_ERROR_MEMORY;
  }
  return VV_OK;
}

static bool choose_reverse(const vvFitProblem* p, vvFitSweep sweep, int ngroup) {
  if (sweep != VV_FIT_SWEEP_AUTO) return sweep == VV_FIT_SWEEP_REVERSE;
  return (double)ngroup > (double)p->nsample_max * p->nresidual;
}

static vvStatus fill_work(vvFitWork* work, vvFitSweep sweep) {
  vvFitProblem* p = work->problem;
  int n = p->nfree;
  work->shared.problem = p;
  work->shared.context = p->context;
  work->shared.ngroup = (n + 7) / 8;
  work->shared.reverse = choose_reverse(p, sweep, work->shared.ngroup);
  work->nthread = vv_context_thread_count(p->context);
  work->lead = p->nsample_max * p->nresidual;
  work->x = VV_FIT_NEW(&work->memory, double, n);
  work->slopes = VV_FIT_NEW(&work->memory, double, n* n);
  work->join = VV_FIT_NEW(&work->memory, double, (n + 1) * (n + 1));
  work->threads = VV_FIT_NEW(&work->memory, vvFitThread, work->nthread);
  if (!work->x || !work->slopes || !work->join || !work->threads) return VV_ERROR_MEMORY;
  work->shared.slopes = work->slopes;
  vvStatus status = vv_model_variant(p->context, p->model, &work->model);
  work->shared.model = work->model;
  if (status == VV_OK) status = shared_create(work);
  for (int i = 0; i < VV_FIT_BLOCKS && status == VV_OK; i++) {
    status = vv_fit_value_create(&work->memory, p, &work->blocks[i]);
  }
  for (int i = 0; i < work->nthread && status == VV_OK; i++) status = thread_create(work, &work->threads[i]);
  return status;
}

vvStatus vv_fit_work_create(vvFitProblem* problem, vvFitSweep sweep, vvFitWork** work, vvReport* report) {
  *work = VV_NEW(problem->context, vvFitWork, 1);
  if (!*work) return vv_report_set(report, VV_ERROR_MEMORY, "out of memory");
  (*work)->problem = problem;
  (*work)->memory.context = problem->context;
  vvStatus status = fill_work(*work, sweep);
  if (status == VV_OK) return VV_OK;
  vv_fit_work_free(*work);
  *work = NULL;
  return vv_report_set(report, status, "making room for the windows: %s", vv_status_text(status));
}

void vv_fit_work_free(vvFitWork* work) {
  if (!work) return;
  vvContext* context = work->problem->context;
  for (int i = 0; work->threads && i < work->nthread; i++) {
    vvFitThread* th = &work->threads[i];
    vv_rollout_free(th->roll);
    vv_tape_free(th->tape);
    if (th->initial) vv_state_free(context, th->initial);
    if (th->shadow) vv_model_shadow_free(context, th->shadow);
  }
  if (work->model) vv_model_variant_free(context, work->model);
  vv_fit_memory_free(&work->memory);
  VV_DELETE(context, work, vvFitWork, 1);
}

// ---- tangents
// --------------------------------------------------------------------------------------------------------

// Tangents of q0 where the recording does not set it, from those of qpos0.
static void initial_tangent(const vvFitProblem* p, const vvModel* m, const vvReal8* reals_tan, vvReal8* q0_tan) {
  const vvReal8* q_tan = reals_tan + (m->qpos0 - m->reals);
  vvReal8 zero = {0};
  for (int j = 0; j < m->njnt; j++) {
    int q = m->jnt_q[j], v = m->jnt_v[j], type = m->jnt_type[j];
    if (type == VV_JOINT_FREE) {
      for (int k = 0; k < 3; k++) q0_tan[v + k] = p->q_set[q + k] ? zero : q_tan[q + k];
      q += 3;
      v += 3;
    }
    if (type == VV_JOINT_SLIDE || type == VV_JOINT_HINGE) {
      q0_tan[v] = p->q_set[q] ? zero : q_tan[q];
      continue;
    }
    const vvReal* a = m->qpos0 + q;  // 2 vec(a* b), b the tangent
    const vvReal8* b = q_tan + q;
    bool set = p->q_set[q];
    q0_tan[v] = set ? zero : 2 * (a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]);
    q0_tan[v + 1] = set ? zero : 2 * (a[0] * b[2] + a[1] * b[3] - a[2] * b[0] - a[3] * b[1]);
    q0_tan[v + 2] = set ? zero : 2 * (a[0] * b[3] - a[1] * b[2] + a[2] * b[1] - a[3] * b[0]);
  }
}

static vvStatus make_tangents(vvFitWork* work, const double* t) {
  vvFitProblem* p = work->problem;
  vvFitShared* s = &work->shared;
  int n = p->nfree;
  vv_fit_slopes(p, t, work->slopes);
  if (s->reverse) return VV_OK;
  for (int g = 0; g < s->ngroup; g++) {
    memset(s->reals_tan[g], 0, sizeof(vvReal8) * vv_model_real_count(work->model));
    for (int i = 0; i < n; i++) {
      for (int d = 0; d < 8 && 8 * g + d < n; d++) {
        double slope = work->slopes[i * n + 8 * g + d];
        if (slope == 0) continue;
        for (int k = 0; k < p->free[i].nnumber; k++) {
          const vvNumber* number = &work->model->names->numbers[p->free[i].numbers[k]];
          for (int j = 0; j < number->nmember; j++) s->reals_tan[g][number->members[j]][d] = (vvReal)slope;
        }
      }
    }
    vvStatus status = vv_model_derive_jvp8(p->context, work->model, s->reals_tan[g]);
    if (status != VV_OK) return status;
    initial_tangent(p, work->model, s->reals_tan[g], s->q0_tan[g]);
  }
  return VV_OK;
}

// ---- evaluation
// ------------------------------------------------------------------------------------------------------

// Loss of a signal's residuals; scales them and their rows by the square root of the robust weight.
static double robust(const vvFitProblem* p, double* r, int n, double* A, int lead) {
  double s2 = 0;
  for (int i = 0; i < n; i++) s2 += r[i] * r[i];
  double d = p->huber, s = sqrt(s2);
  if (!(d > 0) || s <= d) return s2;
  double k = sqrt(d / s);
  for (int i = 0; i < n; i++) {
    r[i] *= k;
    for (int c = 0; c < p->nfree && A; c++) A[(size_t)c * (size_t)lead + (size_t)i] *= k;
  }
  return 2 * d * s - d * d;
}

static void add_sample(vvFitWork* work, vvFitValue* v, const vvFitWindow* w, int j, double* r, double* A,
                       const double* squares) {
  const vvFitProblem* p = work->problem;
  int nlag = vv_fit_lag_count(p), at = 0;
  int lag = (int)((int64_t)j * nlag / p->nsample_max);
  for (int s = 0; s < p->nsignal; s++) {
    int n = p->signals[s].nresidual;
    v->loss += robust(p, r + at, n, A ? A + at : NULL, work->lead);
    v->squares[s] += squares[s];
    v->lag_squares[s * nlag + lag] += squares[s];
    at += n;
  }
  size_t nc = (size_t)p->recording.ncolumn;
  v->lag_count[lag] += 1;
  v->lag_time[lag] += p->recording.values[(size_t)(w->first + 1 + j) * nc] - p->recording.values[(size_t)w->first * nc];
  v->nsample += 1;
  v->nresidual += p->nresidual;
}

static void scale_rows(double* A, int ncolumn, int nrow, int lead, double scale) {
  for (int c = 0; c < ncolumn; c++) {
    for (int i = 0; i < nrow; i++) A[(size_t)c * (size_t)lead + (size_t)i] *= scale;
  }
}

static vvStatus add_window(vvFitWork* work, vvFitThread* th, vvFitValue* v, int number) {
  int index = work->set.begin + number * work->set.stride;
  const vvFitProblem* p = work->problem;
  const vvFitWindow* w = &p->windows[index];
  int rows = w->nsample * p->nresidual, n = p->nfree, lead = work->lead;
  double squares[VV_FIT_SIGNAL_MAX];
  double loss_before = v->loss;
  vvStatus status = vv_fit_simulate(&work->shared, th, w, work->jacobian);
  if (status == VV_ERROR_NOT_CONVERGED) {
    v->nrough++;
  } else if (status != VV_OK) {
    return status;
  }
  double* A = work->jacobian ? th->A : NULL;
  double* r = work->jacobian ? th->A + (size_t)n * (size_t)lead : th->residual;
  if (A) memset(A, 0, sizeof(double) * (size_t)n * (size_t)lead);
  if (A && work->shared.reverse) {
    status = vv_fit_reverse_rows(&work->shared, th, w, A, lead);
    if (status != VV_OK) return status;
  }
  for (int j = 0; j < w->nsample; j++) {
    int at = j * p->nresidual;
    bool forward = A && !work->shared.reverse;
    vv_fit_residual(&work->shared, th, w, j, r + at, forward ? A + at : NULL, lead, squares);
    add_sample(work, v, w, j, r + at, A ? A + at : NULL, squares);
  }
  if (!isfinite(v->loss)) return VV_ERROR_NOT_FINITE;
  work->window_loss[number] = v->loss - loss_before;
  if (A && work->weights) scale_rows(A, n + 1, rows, lead, sqrt(work->weights[number]));
  if (A) vv_least_gather(n, v->T, A, rows, lead);
  return VV_OK;
}

static vvStatus run_block(void* user, int block, int thread) {
  vvFitWork* work = user;
  const vvFitProblem* p = work->problem;
  vvFitThread* th = &work->threads[thread];
  int end = vv_block_begin(work->count, work->nblock, block + 1);
  value_zero(p, &work->blocks[block]);
  for (int i = vv_block_begin(work->count, work->nblock, block); i < end; i++) {
    vvStatus status = add_window(work, th, &work->blocks[block], i);
    if (status != VV_OK) {
      int index = work->set.begin + i * work->set.stride;
      const vvRecording* rec = &p->recording;
      return vv_report_set(&work->block_report[block], status, "%s:%d: simulating the window that starts here: %s",
                           rec->file, rec->lines[p->windows[index].first],
                           th->report.message[0] ? th->report.message : vv_status_text(status));
    }
  }
  return VV_OK;
}

vvStatus vv_fit_evaluate(vvFitWork* work, const double* t, vvFitSet set, bool jacobian, const double* weights,
                         vvFitValue* value, vvReport* report) {
  vvFitProblem* p = work->problem;
  vv_fit_to_values(p, t, work->x);
  vv_fit_set(p, work->model, work->x);
  vvStatus status = vv_model_derive(p->context, work->model, report);
  if (status == VV_OK && jacobian) status = make_tangents(work, t);
  if (status != VV_OK) return status;
  for (int b = 0; b < VV_FIT_BLOCKS; b++) vv_report_clear(&work->block_report[b]);
  work->set = set;
  work->jacobian = jacobian;
  work->weights = weights;
  work->window_loss = value->window_loss;
  work->count = (set.end - set.begin + set.stride - 1) / set.stride;
  work->nblock = work->count < VV_FIT_BLOCKS ? work->count : VV_FIT_BLOCKS;
  status = vv_parallel_for(p->context, work->nblock, run_block, work);
  value_zero(p, value);
  for (int b = 0; b < work->nblock && status == VV_OK; b++) {
    value_add(p, &work->blocks[b], value);
    if (jacobian) vv_least_join(p->nfree, value->T, work->blocks[b].T, work->join);
  }
  for (int b = 0; b < work->nblock && status != VV_OK && report; b++) {
    if (work->block_report[b].status == status) {
      *report = work->block_report[b];
      break;
    }
  }
  return status;
}
