// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// fit.c: runs a problem and makes its result; the public functions of a fit.

#include "fit/search.h"

#include <math.h>
#include <string.h>

#include "fit/least.h"
#include "fit/parameters.h"

vvFitOptions vv_fit_options_default(void) {
  vvFitOptions options = {NULL, false, 100, VV_FIT_SWEEP_AUTO};
  return options;
}

// ---- result
// ----------------------------------------------------------------------------------------------------------

static vvStatus copy_starts(vvFit* f, vvFitResult* out) {
  const vvFitRun* r = &f->run;
  size_t n = (size_t)r->n;
  out->nstart = r->nstart;
  out->starts = VV_FIT_NEW(out->memory, vvFitStart, r->nstart);
  if (!out->starts) return VV_ERROR_MEMORY;
  for (int i = 0; i < r->nstart; i++) {
    vvFitStart* s = &out->starts[i];
    s->start = VV_FIT_NEW(out->memory, double, n);
    s->value = VV_FIT_NEW(out->memory, double, n);
    if (!s->start || !s->value) return VV_ERROR_MEMORY;
    memcpy(s->start, f->p->starts + (size_t)i * n, sizeof(double) * n);
    vv_fit_to_values(f->p, r->done[i].t, s->value);
    s->loss = r->done[i].loss;
    s->seconds = r->done[i].seconds;
    s->iterations = r->done[i].iterations;
    s->stop = r->done[i].stop;
    out->iterations += s->iterations;
    out->seconds += s->seconds;
  }
  return VV_OK;
}

static vvStatus copy_numbers(vvFit* f, vvFitResult* out) {
  const vvFitProblem* p = f->p;
  int n = p->nfree;
  const vvFitStart* best = &out->starts[out->best];
  const double* t = f->run.done[out->best].t;
  out->nnumber = n;
  out->numbers = VV_FIT_NEW(out->memory, vvFitNumber, n);
  if (!out->numbers) return VV_ERROR_MEMORY;
  for (int i = 0; i < n; i++) {
    vvFitNumber* x = &out->numbers[i];
    x->name = p->free[i].name;
    x->unit = p->free[i].unit;
    x->start = best->start[i];
    x->value = best->value[i];
    x->min = p->free[i].min;
    x->max = p->free[i].max;
    x->at_bound = t[i] <= f->low[i] || t[i] >= f->high[i];
  }
  return VV_OK;
}

static vvStatus copy_trace(vvFit* f, vvFitResult* out) {
  const vvFitTraceList* list = &f->run.best_trace;
  out->trace = VV_FIT_NEW(out->memory, vvFitTrace, list->n);
  if (!out->trace) return VV_ERROR_MEMORY;
  for (int i = 0; i < list->n; i++) {
    vvFitTrace* row = &out->trace[out->ntrace++];
    row->level = list->rows[i].level;
    row->loss_per_sample = list->rows[i].loss_per_sample;
    row->value = VV_FIT_NEW(out->memory, double, f->run.n);
    if (!row->value) return VV_ERROR_MEMORY;
    memcpy(row->value, list->rows[i].value, sizeof(double) * (size_t)f->run.n);
  }
  return VV_OK;
}

static double lag_rms(const vvFitValue* v, int nlag, int signal, int lag) {
  return v->lag_count[lag] > 0 ? sqrt(v->lag_squares[signal * nlag + lag] / v->lag_count[lag]) : (double)NAN;
}

// Errors at the start and at the end, over the fitted and the held out windows.
static vvStatus set_errors(vvFit* f, vvFitResult* out) {
  vvFitProblem* p = f->p;
  int nlag = vv_fit_lag_count(p), ns = p->nsignal;
  const double* t = f->run.done[out->best].t;
  vvFitSet fitted = vv_fit_fitted_set(f, 1), held = {p->nfitted, p->nwindow, 1};
  out->nsignal = ns;
  out->nlag = nlag;
  out->signals = VV_FIT_NEW(out->memory, vvFitSignal, ns);
  out->lag = VV_FIT_NEW(out->memory, double, nlag);
  out->lag_before = VV_FIT_NEW(out->memory, double, ns* nlag);
  out->lag_fitted = VV_FIT_NEW(out->memory, double, ns* nlag);
  if (!out->signals || !out->lag || !out->lag_before || !out->lag_fitted) return VV_ERROR_MEMORY;
  vv_fit_to_parameters(p, out->starts[out->best].start, f->trial);
  vvStatus status = vv_fit_evaluate(f->work, f->trial, fitted, false, NULL, &f->there, f->report);
  for (int s = 0; s < ns; s++) {
    out->signals[s].name = p->signals[s].name;
    out->signals[s].unit = p->signals[s].unit;
    out->signals[s].before = vv_fit_rms(&f->there, s);
    out->signals[s].fitted = vv_fit_rms(&f->best, s);
    out->signals[s].held_out = out->signals[s].held_out_before = (double)NAN;
    for (int k = 0; k < nlag; k++) {
      out->lag[k] = f->best.lag_count[k] > 0 ? f->best.lag_time[k] / f->best.lag_count[k] : (double)NAN;
      out->lag_before[s * nlag + k] = lag_rms(&f->there, nlag, s, k);
      out->lag_fitted[s * nlag + k] = lag_rms(&f->best, nlag, s, k);
    }
  }
  if (held.begin == held.end || status != VV_OK) return status;
  status = vv_fit_evaluate(f->work, f->trial, held, false, NULL, &f->there, f->report);
  if (status != VV_OK) return status;
  for (int s = 0; s < ns; s++) out->signals[s].held_out_before = vv_fit_rms(&f->there, s);
  status = vv_fit_evaluate(f->work, t, held, false, NULL, &f->there, f->report);
  for (int s = 0; s < ns; s++) out->signals[s].held_out = vv_fit_rms(&f->there, s);
  return status;
}

static vvStatus make_result(vvFit* f, vvFitResult** result) {
  vvContext* context = f->p->context;
  vvFitResult* out = VV_NEW(context, vvFitResult, 1);
  vvFitMemory* memory = VV_NEW(context, vvFitMemory, 1);
  if (!out || !memory) {
    VV_DELETE(context, out, vvFitResult, 1);
    VV_DELETE(context, memory, vvFitMemory, 1);
    return vv_report_set(f->report, VV_ERROR_MEMORY, "out of memory");
  }
  memory->context = context;
  out->memory = memory;
  out->best = vv_fit_best(&f->run);
  out->nwindow = f->p->nfitted;
  out->nwindow_held_out = f->p->nwindow - f->p->nfitted;
  out->nshort = f->p->nshort;
  const double* t = f->run.done[out->best].t;
  vvStatus status = VV_OK;
  if (f->best_start != out->best) {  // finished by an earlier process
    status = vv_fit_evaluate(f->work, t, vv_fit_fitted_set(f, 1), true, NULL, &f->best, f->report);
  }
  if (status == VV_OK) status = copy_starts(f, out);
  if (status == VV_OK) status = copy_numbers(f, out);
  if (status == VV_OK) status = copy_trace(f, out);
  if (status == VV_OK) status = set_errors(f, out);
  if (status == VV_OK) status = vv_fit_statistics(f->p, &f->best, t, out, f->report);
  if (status != VV_OK) {
    vv_fit_result_free(context, out);
    return status;
  }
  *result = out;
  return VV_OK;
}

void vv_fit_result_free(vvContext* context, vvFitResult* result) {
  if (!result) return;
  vv_fit_memory_free(result->memory);
  VV_DELETE(context, result->memory, vvFitMemory, 1);
  VV_DELETE(context, result, vvFitResult, 1);
}

// ---- public
// ----------------------------------------------------------------------------------------------------------

static vvStatus fit_create(vvFit* f) {
  int n = f->p->nfree;
  vvFitMemory* m = &f->memory;
  double** lists[] = {&f->trial, &f->step, &f->low, &f->high, &f->low_now, &f->high_now, &f->unit, &f->D, &f->walk};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    *lists[i] = VV_FIT_NEW(m, double, n);
    if (!*lists[i]) return VV_ERROR_MEMORY;
  }
  f->held = VV_FIT_NEW(m, bool, n);
  f->weights = VV_FIT_NEW(m, double, f->p->nfitted);
  f->sorted = VV_FIT_NEW(m, double, f->p->nfitted);
  f->scratch = VV_FIT_NEW(m, double, vv_least_work(n));
  if (!f->held || !f->scratch || !f->weights || !f->sorted) return VV_ERROR_MEMORY;
  for (int i = 0; i < n; i++) {
    const vvFitFree* x = &f->p->free[i];
    f->unit[i] = x->inertia >= 0 || x->scale == VV_FIT_LOG ? 1 : x->unit_size;
  }
  vv_fit_bounds(f->p, f->low, f->high);
  vvStatus status = vv_fit_run_create(m, f->p, &f->run);
  if (status == VV_OK) status = vv_fit_value_create(m, f->p, &f->here);
  if (status == VV_OK) status = vv_fit_value_create(m, f->p, &f->there);
  return status == VV_OK ? vv_fit_value_create(m, f->p, &f->best) : status;
}

vvStatus vv_fit_run(vvFitProblem* problem, const vvFitOptions* options, vvFitResult** result, vvReport* report) {
  if (!problem || !result) return VV_ERROR_ARGUMENT;
  *result = NULL;
  vvFit f;
  memset(&f, 0, sizeof f);
  f.p = problem;
  f.memory.context = problem->context;
  f.options = options ? *options : vv_fit_options_default();
  f.report = report;
  f.best_start = -1;
  clock_gettime(CLOCK_MONOTONIC, &f.clock);
  vvStatus status = fit_create(&f);
  if (status != VV_OK) vv_report_set(report, status, "out of memory");
  if (status == VV_OK) status = vv_fit_work_create(problem, f.options.sweep, &f.work, report);
  if (status == VV_OK) vv_fit_begin_start(&f);
  if (status == VV_OK && f.options.resume) {
    status = vv_fit_state_read(&f.memory, &f.run, problem->hash, f.options.state_path, report);
    f.checked = f.run.iterations > 0 || f.run.start > 0;
  }
  if (status == VV_OK) status = vv_fit_run_starts(&f);
  if (status == VV_OK) status = make_result(&f, result);
  vv_fit_work_free(f.work);
  vv_fit_memory_free(&f.memory);
  return status;
}

vvStatus vv_fit_loss(vvFitProblem* p, const double* value, vvFitSweep sweep, double* loss, double* gradient,
                     vvReport* report) {
  if (!p || !value || !loss) return VV_ERROR_ARGUMENT;
  int n = p->nfree, w = n + 1;
  vvFitMemory local = {p->context, NULL};
  vvFitWork* work = NULL;
  vvFitValue v;
  double* t = VV_FIT_NEW(&local, double, n);
  double* G = VV_FIT_NEW(&local, double, n* n);
  double* slope = VV_FIT_NEW(&local, double, n);
  vvStatus status = t && G && slope ? vv_fit_value_create(&local, p, &v) : VV_ERROR_MEMORY;
  if (status == VV_OK) status = vv_fit_work_create(p, sweep, &work, report);
  if (status == VV_OK) {
    vvFitSet set = {0, p->nfitted, 1};
    vv_fit_to_parameters(p, value, t);
    status = vv_fit_evaluate(work, t, set, gradient != NULL, NULL, &v, report);
  }
  if (status == VV_OK) *loss = v.loss;
  if (status == VV_OK && gradient) {  // g_x = G^-T g_t, g_t = 2 R'z
    for (int j = 0; j < n; j++) {
      for (int i = 0; i <= j; i++) slope[j] += 2 * v.T[i * w + j] * v.T[i * w + n];
    }
    vv_fit_slopes(p, t, G);
    if (!vv_least_solve_transposed(n, G, slope)) status = vv_report_set(report, VV_ERROR_SINGULAR, "dx/dt is singular");
    memcpy(gradient, slope, sizeof(double) * (size_t)n);
  }
  vv_fit_work_free(work);
  vv_fit_memory_free(&local);
  return status;
}

vvStatus vv_fit_write_scene(vvFitProblem* p, const double* value, const char* path, vvReport* report) {
  if (!p || !value || !path) return VV_ERROR_ARGUMENT;
  vvModel* m = NULL;
  vvStatus status = vv_model_variant(p->context, p->model, &m);
  if (status != VV_OK) return vv_report_set(report, status, "out of memory");
  vv_fit_set(p, m, value);
  status = vv_model_derive(p->context, m, report);
  if (status == VV_OK) status = vv_spec_apply_model(p->spec, m, report);
  if (status == VV_OK) status = vv_spec_write(p->spec, path, report);
  vv_model_variant_free(p->context, m);
  return status;
}
