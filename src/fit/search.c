// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// search.c: the search for the numbers: starts, schedule, Levenberg-Marquardt.
//
// method   step s: least |R s + z|^2 + damping |D s|^2 within bounds (least.h), D the column norms of J (Marquardt
//          1963); damping after each step by its gain over what was promised (Nielsen 1999)
// schedule every 64th, 16th, 4th window first, as long as at least 32 are left, then all of them; each level goes on
//          from the last one's parameters
// end      of a level: the promised decrease of the loss is below (tol s)^2, s^2 = loss/(m - n), so the step is shorter
//          than tol standard errors. A loss with impacts in it is rough on a small scale, where no step does what it
//          promises: a level ends, too, when a strongly damped step gained less than a small share of the loss, or
//          when six shorter and shorter steps in a row gained nothing

#include "fit/search.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit/least.h"
#include "fit/parameters.h"

static const int strides[VV_FIT_LEVELS] = {64, 16, 4, 1};

enum { LEVEL_WINDOWS = 32, REFUSED_MAX = 6, POLISH_MAX = 12 };

static const double tolerance_coarse = 0.5, tolerance_fine = 0.02;
static const double share_coarse = 1e-3, share_fine = 3e-5, strong_damping = 1e-2;
static const double first_damping = 1e-3, least_damping = 1e-12;

static double seconds_since(struct timespec start) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - start.tv_sec) + 1e-9 * (double)(now.tv_nsec - start.tv_nsec);
}

vvFitSet vv_fit_fitted_set(const vvFit* f, int stride) {
  vvFitSet set = {0, f->p->nfitted, stride};
  return set;
}

static bool level_used(const vvFit* f, int level) {
  return strides[level] == 1 || f->p->nfitted / strides[level] >= LEVEL_WINDOWS;
}

// Error: this evaluation's status ends the fit (interrupted, no memory); else the numbers cannot be simulated.
static bool fatal(vvStatus status) {
  return status == VV_ERROR_CANCELLED || status == VV_ERROR_MEMORY || status == VV_ERROR_CAPACITY;
}

static double column_norm(int n, const double* T, int j) {
  double sum = 0;
  for (int i = 0; i <= j; i++) sum += T[i * (n + 1) + j] * T[i * (n + 1) + j];
  return sqrt(sum);
}

// The first Jacobian of a run: a number without any effect, on all windows, is refused by name.
static vvStatus check_effects(vvFit* f) {
  int n = f->run.n;
  bool all = true;
  f->checked = true;
  for (int j = 0; j < n; j++) all = all && column_norm(n, f->here.T, j) > 0;
  if (all) return VV_OK;
  vvStatus status = vv_fit_evaluate(f->work, f->run.t, vv_fit_fitted_set(f, 1), true, NULL, &f->there, f->report);
  for (int j = 0; j < n && status == VV_OK; j++) {
    if (column_norm(n, f->there.T, j) > 0) continue;
    status = vv_report_set(f->report, VV_ERROR_ARGUMENT,
                           "%s: free/%s: nothing in the recording depends on it; remove it from free", f->p->file,
                           f->p->free[j].name);
  }
  return status;
}

static void add_trace(vvFit* f) {
  vvFitTraceList* list = &f->run.trace;
  if (list->n == VV_FIT_TRACE_MAX) return;
  vvFitTraceRow* row = &list->rows[list->n];
  row->value = VV_FIT_NEW(&f->memory, double, f->run.n);
  if (!row->value) return;
  list->n++;
  row->level = f->run.level;
  row->loss_per_sample = f->here.loss / f->here.nsample;
  vv_fit_to_values(f->p, f->run.t, row->value);
}

static void tell(const vvFit* f) {
  const vvFitRun* r = &f->run;
  char text[96];
  int nwindow = (f->p->nfitted + strides[r->level] - 1) / strides[r->level];
  double part = (r->level + 1 - 1 / (1 + 0.2 * r->iteration)) / (double)VV_FIT_LEVELS;
  snprintf(text, sizeof text, "start %d of %d, %d windows, iteration %d", r->start + 1, r->nstart, nwindow,
           r->iterations + 1);
  vv_context_progress(f->p->context, fmin((r->start + part) / r->nstart, 0.99), text);
}

static vvStatus save(vvFit* f) {
  if (!f->options.state_path) return VV_OK;
  vvFitRun copy = f->run;
  copy.seconds += seconds_since(f->clock);
  return vv_fit_state_write(&copy, f->p->hash, f->options.state_path, f->report);
}

// The damped step from t on the factor T. A parameter whose effect, in its own unit, is below 1e-9 of the largest is
// noise and stays where it is.
static double damped_step(vvFit* f, const double* T, const double* t, double damping) {
  int n = f->run.n;
  double most = 0;
  for (int j = 0; j < n; j++) {
    f->D[j] = column_norm(n, T, j);
    most = fmax(most, f->D[j] * f->unit[j]);
  }
  for (int j = 0; j < n; j++) {
    bool dead = !(f->D[j] * f->unit[j] > 1e-9 * most);
    f->low_now[j] = dead ? t[j] : f->low[j];
    f->high_now[j] = dead ? t[j] : f->high[j];
  }
  double gain = vv_least_step(n, T, damping, f->D, t, f->low_now, f->high_now, f->step, f->held, f->scratch);
  for (int j = 0; j < n; j++) f->trial[j] = fmin(fmax(t[j] + f->step[j], f->low[j]), f->high[j]);
  return gain;
}

// Tries steps from `here` until one gains; *stop says why none did.
static vvStatus advance(vvFit* f, vvFitSet set, bool* stopped, vvFitStop* stop) {
  vvFitRun* r = &f->run;
  int n = r->n;
  double tolerance = set.stride > 1 ? tolerance_coarse : tolerance_fine;
  double share = set.stride > 1 ? share_coarse : share_fine;
  for (;;) {
    double gain = damped_step(f, f->here.T, r->t, r->damping);
    double freedom = f->here.nresidual - n, s2 = freedom > 0 ? f->here.loss / freedom : 0;
    bool still = true;
    for (int j = 0; j < n; j++) {
      still = still && fabs(f->trial[j] - r->t[j]) <= 4 * DBL_EPSILON * fabs(r->t[j]);
    }
    bool exact = f->here.loss / f->here.nsample <= 1e-22 * r->trace.rows[0].loss_per_sample;
    bool rough = r->little || r->rejected >= REFUSED_MAX;
    *stopped = !(gain > tolerance * tolerance * s2) || still || rough || exact;
    *stop = rough || r->rejected > 0 ? VV_FIT_STALLED : VV_FIT_CONVERGED;
    if (*stopped) return VV_OK;
    vvReport trouble;
    vv_report_clear(&trouble);
    vvStatus status = vv_fit_evaluate(f->work, f->trial, set, false, NULL, &f->there, &trouble);
    if (fatal(status)) {
      if (f->report) *f->report = trouble;
      return status;
    }
    double ratio = status == VV_OK ? (f->here.loss - f->there.loss) / gain : -1;
    if (ratio > 1e-4) {
      double k = 2 * ratio - 1;
      r->damping = fmax(r->damping * fmax(1.0 / 3, 1 - k * k * k), least_damping);
      r->growth = 2;
      r->rejected = 0;
      memcpy(r->t, f->trial, sizeof(double) * (size_t)n);
      r->little = r->damping > strong_damping && f->here.loss - f->there.loss < share * f->here.loss;
      return VV_OK;
    }
    r->rejected++;
    r->damping *= r->growth;
    r->growth *= 2;
  }
}

// ---- beyond ripples
// --------------------------------------------------------------------------------------------------

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(vvFit* f, const double* values, int n) {
  memcpy(f->sorted, values, sizeof(double) * (size_t)n);
  qsort(f->sorted, (size_t)n, sizeof(double), compare);
  return f->sorted[n / 2];
}

// Where a step's loss ripples, because in some windows a contact begins a step sooner or later, most windows still
// point the right way: undamped steps with weights 1/(1 + e/m)^2, e a window's loss and m the median, for as long as
// the median halves. *better tells whether the loss itself fell; then t is where it was least.
static vvStatus polish(vvFit* f, vvFitSet set, bool* better) {
  vvFitRun* r = &f->run;
  int n = r->n, count = (set.end - set.begin + set.stride - 1) / set.stride;
  double least = f->here.loss, before = median(f, f->here.window_loss, count);
  const double* losses = f->here.window_loss;
  memcpy(f->walk, r->t, sizeof(double) * (size_t)n);
  *better = false;
  for (int k = 0; k < POLISH_MAX && before > 0; k++) {
    for (int i = 0; i < count; i++) {
      double q = 1 + losses[i] / before;
      f->weights[i] = 1 / (q * q);
    }
    vvStatus status = vv_fit_evaluate(f->work, f->walk, set, true, f->weights, &f->there, NULL);
    r->iterations++;
    if (status != VV_OK) return fatal(status) ? status : VV_OK;
    damped_step(f, f->there.T, f->walk, least_damping);
    memcpy(f->walk, f->trial, sizeof(double) * (size_t)n);
    status = vv_fit_evaluate(f->work, f->walk, set, false, NULL, &f->there, NULL);
    if (status != VV_OK) return fatal(status) ? status : VV_OK;
    if (f->there.loss < least) {
      *better = true;
      least = f->there.loss;
      memcpy(r->t, f->walk, sizeof(double) * (size_t)n);
    }
    double after = median(f, f->there.window_loss, count);
    if (!(after < 0.5 * before)) break;
    before = after;
    losses = f->there.window_loss;
  }
  return VV_OK;
}

// ---- schedule
// --------------------------------------------------------------------------------------------------------

static void settle(vvFitRun* r) {
  r->rejected = r->little = 0;
  r->damping = first_damping;
  r->growth = 2;
}

// One level of the schedule, from where the run stands.
static vvStatus run_level(vvFit* f, vvFitStop* stop) {
  vvFitRun* r = &f->run;
  vvFitSet set = vv_fit_fitted_set(f, strides[r->level]);
  for (bool stopped = false; !stopped;) {
    vvStatus status = save(f);
    if (status != VV_OK) return status;
    if (vv_context_cancelled(f->p->context)) return VV_ERROR_CANCELLED;
    tell(f);
    status = vv_fit_evaluate(f->work, r->t, set, true, NULL, &f->here, f->report);
    if (status == VV_OK && !f->checked) status = check_effects(f);
    if (status != VV_OK) return status;
    add_trace(f);
    r->iteration++;
    r->iterations++;
    if (r->iteration >= f->options.max_iterations) {
      *stop = VV_FIT_MAX_ITERATIONS;
      return VV_OK;
    }
    status = advance(f, set, &stopped, stop);
    if (status != VV_OK) return status;
    if (stopped && r->polish && f->here.loss > 0) {
      bool better = false;
      status = polish(f, set, &better);
      if (status != VV_OK) return status;
      r->polish = better;  // once it does not help, it is not tried again
      stopped = !better;
      if (better) settle(r);
    }
  }
  return VV_OK;
}

void vv_fit_begin_start(vvFit* f) {
  vvFitRun* r = &f->run;
  vv_fit_to_parameters(f->p, f->p->starts + (size_t)r->start * (size_t)r->n, r->t);
  r->level = r->iteration = r->iterations = 0;
  r->polish = 1;
  settle(r);
  r->seconds = 0;
  r->trace.n = 0;
}

static void begin_level(vvFit* f) {
  f->run.iteration = 0;
  settle(&f->run);
}

static void swap_values(vvFitValue* a, vvFitValue* b) {
  vvFitValue keep = *a;
  *a = *b;
  *b = keep;
}

static void end_start(vvFit* f, vvFitStop stop) {
  vvFitRun* r = &f->run;
  vvFitDone* done = &r->done[r->start];
  memcpy(done->t, r->t, sizeof(double) * (size_t)r->n);
  done->loss = f->here.loss;
  done->stop = stop;
  done->iterations = r->iterations;
  done->seconds = r->seconds + seconds_since(f->clock);
  int number = r->start++;
  if (vv_fit_best(r) == number) {
    vvFitTraceList keep = r->best_trace;
    r->best_trace = r->trace;
    r->trace = keep;
    swap_values(&f->best, &f->here);
    f->best_start = number;
  }
  r->trace.n = 0;
  clock_gettime(CLOCK_MONOTONIC, &f->clock);
}

vvStatus vv_fit_run_starts(vvFit* f) {
  vvFitRun* r = &f->run;
  vvStatus status = VV_OK;
  while (r->start < r->nstart) {
    vvFitStop stop = VV_FIT_CONVERGED;
    for (; r->level < VV_FIT_LEVELS; r->level++, begin_level(f)) {
      if (!level_used(f, r->level)) continue;
      status = run_level(f, &stop);
      if (status != VV_OK) return status;
    }
    r->level = 0;
    end_start(f, stop);
    if (r->start < r->nstart) vv_fit_begin_start(f);
  }
  return save(f);
}
