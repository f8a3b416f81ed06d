// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// search.h: the search for the numbers, as fit.c runs it.

#ifndef VISVIVA_FIT_SEARCH_H_
#define VISVIVA_FIT_SEARCH_H_

#include <time.h>

#include "fit/run.h"

// A fit under way.
typedef struct vvFit {
  vvFitProblem* p;
  vvFitOptions options;
  vvFitMemory memory;
  vvFitWork* work;
  vvFitRun run;
  vvFitValue here, there;  // at t, at a trial
  vvFitValue best;         // at the best finished start, when it was finished by this process
  int best_start;          // whose value `best` is, -1: none
  double *trial, *step, *low, *high, *low_now, *high_now, *unit, *D, *scratch, *weights, *sorted, *walk;
  bool* held;
  bool checked;  // every number has an effect
  struct timespec clock;
  vvReport* report;
} vvFit;

// The fitted windows 0, stride, 2 stride, ...
vvFitSet vv_fit_fitted_set(const vvFit* f, int stride);

// Makes run.start begin at its first level.
void vv_fit_begin_start(vvFit* f);

// Runs all starts from where the run stands.
vvStatus vv_fit_run_starts(vvFit* f);

#endif  // VISVIVA_FIT_SEARCH_H_
