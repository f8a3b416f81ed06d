// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// run.h: the state of a fit under way, as kept in the state file, and what is made of its end.

#ifndef VISVIVA_FIT_RUN_H_
#define VISVIVA_FIT_RUN_H_

#include "fit/objective.h"

enum { VV_FIT_LEVELS = 4, VV_FIT_TRACE_MAX = 4096 };

// One start, at its end.
typedef struct vvFitDone {
  double* t;  // n
  double loss;
  double seconds;
  int iterations;
  vvFitStop stop;
} vvFitDone;

typedef struct vvFitTraceRow {
  int level;
  double loss_per_sample;
  double* value;  // n
} vvFitTraceRow;

typedef struct vvFitTraceList {
  vvFitTraceRow* rows;  // VV_FIT_TRACE_MAX
  int n;
} vvFitTraceList;

// All that a resumed run needs to go on with the same bits.
typedef struct vvFitRun {
  int n, nstart;
  int start;       // under way; nstart: all are done
  int level;       // of the schedule
  int iteration;   // Jacobians of this level
  int iterations;  // Jacobians of this start
  int rejected;    // steps refused since the last accepted one
  int little;      // 1: the last step was strongly damped and gained little
  int polish;      // 1: polishing is worth a try
  double damping;
  double growth;         // factor of the damping at the next refusal
  double seconds;        // spent on this start before
  double* t;             // n   parameters
  vvFitDone* done;       // nstart
  vvFitTraceList trace;  // of the start under way
  vvFitTraceList best_trace;
} vvFitRun;

vvStatus vv_fit_run_create(vvFitMemory* memory, const vvFitProblem* problem, vvFitRun* run);

// Index of the finished start with the least loss, -1: none.
int vv_fit_best(const vvFitRun* run);

// The state file appears whole or not at all.
vvStatus vv_fit_state_write(const vvFitRun* run, uint64_t hash, const char* path, vvReport* report);
vvStatus vv_fit_state_read(vvFitMemory* memory, vvFitRun* run, uint64_t hash, const char* path, vvReport* report);

// statistics.c: standard errors, correlations and directions that are not determined, into the result.
vvStatus vv_fit_statistics(const vvFitProblem* problem, const vvFitValue* value, const double* t, vvFitResult* result,
                           vvReport* report);

#endif  // VISVIVA_FIT_RUN_H_
