// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// state.c: the state file of a fit: one line of text per number, reals as the 16 hexadecimal digits of their bits, so
// that a resumed run goes on with the same bits.

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit/run.h"

static const char* const heading = "visviva-fit-state 1";

vvStatus vv_fit_run_create(vvFitMemory* memory, const vvFitProblem* p, vvFitRun* run) {
  int n = p->nfree;
  memset(run, 0, sizeof *run);
  run->n = n;
  run->nstart = p->nstart;
  run->t = VV_FIT_NEW(memory, double, n);
  run->done = VV_FIT_NEW(memory, vvFitDone, p->nstart);
  run->trace.rows = VV_FIT_NEW(memory, vvFitTraceRow, VV_FIT_TRACE_MAX);
  run->best_trace.rows = VV_FIT_NEW(memory, vvFitTraceRow, VV_FIT_TRACE_MAX);
  double* t = VV_FIT_NEW(memory, double, (size_t)n*(size_t)p->nstart);
  if (!run->t || !run->done || !run->trace.rows || !run->best_trace.rows || !t) return VV_ERROR_MEMORY;
  for (int i = 0; i < p->nstart; i++) run->done[i].t = t + (size_t)i * (size_t)n;
  return VV_OK;
}

int vv_fit_best(const vvFitRun* run) {
  int best = -1;
  for (int i = 0; i < run->start && i < run->nstart; i++) {
    if (best < 0 || run->done[i].loss < run->done[best].loss) best = i;
  }
  return best;
}

// A field at a time, in one place for both directions: reading and writing cannot disagree.
typedef struct File {
  FILE* file;
  vvFitMemory* memory;  // NULL when writing
  bool good;
} File;

static void move_bits(File* f, uint64_t* bits) {
  if (!f->memory) {
    f->good = f->good && fprintf(f->file, "%016" PRIx64 "\n", *bits) > 0;
  } else {
    f->good = f->good && fscanf(f->file, "%16" SCNx64, bits) == 1;
  }
}

static void move_int(File* f, int least, int most, int* value) {
  uint64_t bits = (uint64_t)(unsigned)*value;
  move_bits(f, &bits);
  if (f->memory) {
    f->good = f->good && bits <= INT32_MAX && (int)bits >= least && (int)bits <= most;
    *value = f->good ? (int)bits : least;
  }
}

static void move_reals(File* f, double* values, int n) {
  for (int i = 0; i < n && f->good; i++) {
    uint64_t bits = 0;
    memcpy(&bits, &values[i], sizeof bits);
    move_bits(f, &bits);
    if (f->memory) memcpy(&values[i], &bits, sizeof bits);
  }
}

static void move_trace(File* f, vvFitTraceList* list, int n) {
  move_int(f, 0, VV_FIT_TRACE_MAX, &list->n);
  for (int i = 0; i < list->n && f->good; i++) {
    vvFitTraceRow* row = &list->rows[i];
    if (f->memory) row->value = VV_FIT_NEW(f->memory, double, n);
    if (!row->value) f->good = false;
    move_int(f, 0, VV_FIT_LEVELS, &row->level);
    move_reals(f, &row->loss_per_sample, 1);
    move_reals(f, row->value, n);
  }
}

static void move_run(File* f, vvFitRun* run) {
  int n = run->n, nstart = run->nstart;
  move_int(f, n, n, &n);
  move_int(f, nstart, nstart, &nstart);
  move_int(f, 0, run->nstart, &run->start);
  move_int(f, 0, VV_FIT_LEVELS, &run->level);
  move_int(f, 0, INT32_MAX, &run->iteration);
  move_int(f, 0, INT32_MAX, &run->iterations);
  move_int(f, 0, INT32_MAX, &run->rejected);
  move_int(f, 0, 1, &run->little);
  move_int(f, 0, 1, &run->polish);
  move_reals(f, &run->damping, 1);
  move_reals(f, &run->growth, 1);
  move_reals(f, &run->seconds, 1);
  move_reals(f, run->t, run->n);
  for (int i = 0; i < run->start && f->good; i++) {
    vvFitDone* d = &run->done[i];
    int stop = (int)d->stop;
    move_reals(f, d->t, run->n);
    move_reals(f, &d->loss, 1);
    move_reals(f, &d->seconds, 1);
    move_int(f, 0, INT32_MAX, &d->iterations);
    move_int(f, VV_FIT_CONVERGED, VV_FIT_MAX_ITERATIONS, &stop);
    d->stop = (vvFitStop)stop;
  }
  move_trace(f, &run->trace, run->n);
  move_trace(f, &run->best_trace, run->n);
}

vvStatus vv_fit_state_write(const vvFitRun* run, uint64_t hash, const char* path, vvReport* report) {
  char name[4096];
  if (snprintf(name, sizeof name, "%s.new", path) >= (int)sizeof name) {
    return vv_report_set(report, VV_ERROR_FILE, "the path of the state file is too long");
  }
  vvFitRun copy = *run;
  File f = {fopen(name, "w"), NULL, true};
  if (!f.file) return vv_report_set(report, VV_ERROR_FILE, "%s: cannot be written: %s", name, strerror(errno));
  f.good = fprintf(f.file, "%s\n", heading) > 0;
  move_bits(&f, &hash);
  move_run(&f, &copy);
  f.good = f.good && fputs("end\n", f.file) >= 0;
  if (fclose(f.file) != 0) f.good = false;
  if (!f.good || rename(name, path) != 0) {
    return vv_report_set(report, VV_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
  }
  return VV_OK;
}

vvStatus vv_fit_state_read(vvFitMemory* memory, vvFitRun* run, uint64_t hash, const char* path, vvReport* report) {
  char line[64] = "", end[8] = "";
  uint64_t found = 0;
  File f = {fopen(path, "r"), memory, true};
  if (!f.file) {
    return vv_report_set(report, VV_ERROR_FILE, "%s: cannot be read: %s; there is nothing to resume", path,
                         strerror(errno));
  }
  f.good = fgets(line, sizeof line, f.file) != NULL && strncmp(line, heading, strlen(heading)) == 0;
  move_bits(&f, &found);
  bool same = f.good && found == hash;
  if (same) move_run(&f, run);
  bool whole = same && f.good && fscanf(f.file, "%7s", end) == 1 && strcmp(end, "end") == 0;
  fclose(f.file);
  if (f.good && !same) {
    return vv_report_set(report, VV_ERROR_FILE,
                         "%s: is of another problem (or its scene, recording or seed changed); use another --out",
                         path);
  }
  return whole ? VV_OK : vv_report_set(report, VV_ERROR_FILE, "%s: is not a whole state file; remove it", path);
}
