// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// windows.c: cuts episodes into windows, chooses those held out, places samples among the steps.
//
// window   starts at a recorded sample, whose state it takes; the samples after it are compared
// place    a sample at time t after the start lies between the steps k = floor(t/h) and k + 1; outputs are taken
//          linearly between the two. Within h/1000 of a step it lies on it, and its output is that step's own.

#include <math.h>
#include <string.h>

#include "core/random.h"
#include "fit/problem.h"

enum { STEPS_MAX = 10000000 };

static const double on_step = 1e-3;  // [step]

static double row_time(const vvFitProblem* p, int row) {
  return p->recording.values[(size_t)row * (size_t)p->recording.ncolumn];
}

// Rows of outputs and places of a window's samples; with NULL arrays only counted.
static vvStatus place_samples(const vvFitProblem* p, vvFitWindow* w, int* rows, vvFitPlace* places, vvReport* report) {
  double h = (double)p->model->opt_timestep[0];
  int nrow = 0, last = -1;
  for (int j = 0; j < w->nsample; j++) {
    double x = (row_time(p, w->first + 1 + j) - row_time(p, w->first)) / h;
    if (!(x < (double)STEPS_MAX)) {
      return vv_report_set(report, VV_ERROR_FILE, "%s: a window of %.9g s needs more than %d steps of %.9g s; cut it",
                           p->recording.file, x * h, STEPS_MAX, h);
    }
    double near = floor(x + 0.5), k = fabs(x - near) <= on_step ? near : floor(x);
    double share = fabs(x - near) <= on_step ? 0 : x - k;
    int row = (int)k;
    bool between = row == last - 1;  // of the two rows listed last
    if (row > last) {
      if (rows) rows[nrow] = row;
      nrow++;
      last = row;
    }
    if (places) {
      places[j].row = nrow - (between ? 2 : 1);
      places[j].share = share;
    }
    if (share > 0 && !between) {
      last = row + 1;
      if (rows) rows[nrow] = last;
      nrow++;
    }
  }
  w->nstep = last;
  w->nrow = nrow;
  return VV_OK;
}

static int episode_windows(const vvFitProblem* p, const vvEpisode* e) {
  if (p->samples == 0) return e->nrow > 1;
  int room = e->nrow - p->samples;  // starts 0, hop, 2 hop, ... < room
  return room > 0 ? (room - 1) / p->hop + 1 : 0;
}

static vvStatus check_column(const vvFitProblem* p, int column, vvReport* report) {
  const vvRecording* rec = &p->recording;
  for (int k = 0; k < rec->nepisode; k++) {
    const vvEpisode* e = &rec->episodes[k];
    for (int i = 0; i < e->nrow; i++) {
      double x = rec->values[(size_t)(e->first + i) * (size_t)rec->ncolumn + (size_t)column];
      double first = rec->values[(size_t)e->first * (size_t)rec->ncolumn + (size_t)column];
      if (x != floor(x) || fabs(x) > 1e15) {
        return vv_report_set(report, VV_ERROR_FILE,
                             "%s:%d: held_out/episodes: the column is %.9g in this episode; whole numbers are needed",
                             rec->file, e->line, x);
      }
      if (x != first) {
        return vv_report_set(
            report, VV_ERROR_FILE,
            "%s:%d: held_out/episodes: the column changes within the episode that starts here; it must "
            "be the same in all of its rows",
            rec->file, e->line);
      }
    }
  }
  return VV_OK;
}

// Chooses round(share n) episodes, at least one, at most all but one: the first ones of a seeded shuffle.
static void choose_share(int n, double share, uint64_t seed, int* order, bool* held) {
  vvRandom random = vv_random_init(seed, 0x68656c64);
  int count = (int)floor(share * n + 0.5);
  if (count < 1) count = 1;
  if (count > n - 1) count = n - 1;
  for (int i = 0; i < n; i++) order[i] = i;
  for (int i = 0; i < count; i++) {
    int j = i + (int)vv_random_below(&random, (uint64_t)(n - i));
    int keep = order[i];
    order[i] = order[j];
    order[j] = keep;
    held[order[i]] = true;
  }
}

static vvStatus choose_held(const vvFitProblem* p, const vvFitHeldOut* out, uint64_t seed, bool* held, int* order,
                            vvReport* report) {
  const vvRecording* rec = &p->recording;
  if (out->column >= 0) {
    vvStatus status = check_column(p, out->column, report);
    for (int k = 0; k < rec->nepisode && status == VV_OK; k++) {
      double x = rec->values[(size_t)rec->episodes[k].first * (size_t)rec->ncolumn + (size_t)out->column];
      double m = out->modulus;
      held[k] = x - m * floor(x / m) == out->remainder;
    }
    return status;
  }
  if (out->share <= 0) return VV_OK;
  int n = 0;  // among the episodes that have windows
  int* usable = order + rec->nepisode;
  for (int k = 0; k < rec->nepisode; k++) {
    if (episode_windows(p, &rec->episodes[k]) > 0) usable[n++] = k;
  }
  if (n < 2) {
    return vv_report_set(report, VV_ERROR_FILE, "%s: held_out/share: the recording has one episode; two are needed",
                         p->file);
  }
  bool* chosen = held + rec->nepisode;
  choose_share(n, out->share, seed, order, chosen);
  for (int k = 0; k < n; k++) held[usable[k]] = chosen[k];
  return VV_OK;
}

// Lists the windows of the episodes that are held out (or not), after those listed already.
static void list_windows(vvFitProblem* p, const bool* held, bool which) {
  for (int k = 0; k < p->recording.nepisode; k++) {
    const vvEpisode* e = &p->recording.episodes[k];
    if (held[k] != which) continue;
    int n = episode_windows(p, e);
    for (int i = 0; i < n; i++) {
      vvFitWindow* w = &p->windows[p->nwindow++];
      w->first = e->first + i * p->hop;
      w->nsample = p->samples ? p->samples : e->nrow - 1;
    }
  }
}

static vvStatus place_windows(vvFitProblem* p, vvReport* report) {
  size_t nrow = 0, nplace = 0;
  for (int i = 0; i < p->nwindow; i++) {
    vvFitWindow* w = &p->windows[i];
    vvStatus status = place_samples(p, w, NULL, NULL, report);
    if (status != VV_OK) return status;
    w->rows = (int)nrow;
    w->places = (int)nplace;
    nrow += (size_t)w->nrow;
    nplace += (size_t)w->nsample;
    if (nrow > INT32_MAX / 2 || nplace > INT32_MAX / 2) {
      return vv_report_set(report, VV_ERROR_FILE, "%s: too many windows; a larger hop is needed", p->file);
    }
    if (w->nrow > p->nrow_max) p->nrow_max = w->nrow;
    if (w->nstep > p->nstep_max) p->nstep_max = w->nstep;
    if (w->nsample > p->nsample_max) p->nsample_max = w->nsample;
  }
  p->rows = VV_FIT_NEW(&p->memory, int, nrow + 1);
  p->places = VV_FIT_NEW(&p->memory, vvFitPlace, nplace + 1);
  if (!p->rows || !p->places) return vv_report_set(report, VV_ERROR_MEMORY, "not enough memory for the windows");
  for (int i = 0; i < p->nwindow; i++) {
    vvFitWindow* w = &p->windows[i];
    place_samples(p, w, p->rows + w->rows, p->places + w->places, report);
  }
  return VV_OK;
}

static vvStatus check_counts(const vvFitProblem* p, const vvFitHeldOut* out, vvReport* report) {
  if (p->nwindow == 0) {
    return vv_report_set(report, VV_ERROR_FILE, "%s: no episode has the %d samples that a window needs",
                         p->recording.file, (p->samples ? p->samples : 1) + 1);
  }
  if (p->nfitted == 0) {
    return vv_report_set(report, VV_ERROR_FILE, "%s: held_out: holds out every episode; some are needed to fit",
                         p->file);
  }
  if ((out->column >= 0 || out->share > 0) && p->nfitted == p->nwindow) {
    return vv_report_set(report, VV_ERROR_FILE, "%s: held_out: no episode is held out; change or remove it", p->file);
  }
  return VV_OK;
}

vvStatus vv_fit_windows(vvFitProblem* p, const vvFitHeldOut* out, uint64_t seed, vvReport* report) {
  const vvRecording* rec = &p->recording;
  size_t total = 0;
  for (int k = 0; k < rec->nepisode; k++) {
    int n = episode_windows(p, &rec->episodes[k]);
    if (n == 0 && p->samples == 0) {
      return vv_report_set(report, VV_ERROR_FILE, "%s:%d: the episode that starts here has one sample; two are needed",
                           rec->file, rec->episodes[k].line);
    }
    p->nshort += n == 0;
    total += (size_t)n;
  }
  vvFitMemory local = {p->context, NULL};
  bool* held = VV_FIT_NEW(&local, bool, 2 * rec->nepisode);
  int* order = VV_FIT_NEW(&local, int, 2 * rec->nepisode);
  p->windows = VV_FIT_NEW(&p->memory, vvFitWindow, total + 1);
  vvStatus status = held && order && p->windows ? VV_OK : vv_report_set(report, VV_ERROR_MEMORY, "out of memory");
  if (status == VV_OK) status = choose_held(p, out, seed, held, order, report);
  if (status == VV_OK) {
    list_windows(p, held, false);
    p->nfitted = p->nwindow;
    list_windows(p, held, true);
    status = check_counts(p, out, report);
  }
  if (status == VV_OK) status = place_windows(p, report);
  vv_fit_memory_free(&local);
  return status;
}
