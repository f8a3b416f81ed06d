// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// simulate.h: one window: its initial state and controls from the recording, the rollout, the residuals and their
// derivatives. For objective.c.

#ifndef VISVIVA_FIT_SIMULATE_H_
#define VISVIVA_FIT_SIMULATE_H_

#include "fit/problem.h"
#include "visviva/roll.h"

// What one thread owns.
typedef struct vvFitThread {
  vvRollout* roll;
  vvTape* tape;
  vvState* initial;
  vvReal* ctrl;          // nstep_max x nu
  vvReal* outputs;       // nrow_max x nout
  vvReal8* outputs_tan;  // ngroup x nrow_max x nout    forward sweeps
  vvReal* outputs_bar;   // nrow_max x nout             reverse sweeps
  vvReal* q0_bar;        // nv
  vvReal* q0_ambient;    // nq
  vvModel* shadow;
  double* residual;  // nresidual_max      of the window, weighted
  double* A;         // nresidual_max x (n + 1), column by column: [J r]
  vvReport report;
} vvFitThread;

// What all threads share during one evaluation: the model with its numbers, and its tangents.
typedef struct vvFitShared {
  const vvFitProblem* problem;
  vvContext* context;
  const vvModel* model;
  int ngroup;            // of eight parameters
  vvReal8** reals_tan;   // ngroup
  vvReal8** q0_tan;      // ngroup    of the entries of q that the recording does not set
  const double* slopes;  // n x n     dx/dt
  bool reverse;
} vvFitShared;

// Simulates a window; with a Jacobian a tape is recorded and, forward, the tangents of the outputs are made.
vvStatus vv_fit_simulate(const vvFitShared* shared, vvFitThread* thread, const vvFitWindow* window, bool jacobian);

// Residuals of sample j of the window (nresidual of them) and, forward, their Jacobian rows A[column * lead + row].
// squares: unweighted squared length per signal.
void vv_fit_residual(const vvFitShared* shared, const vvFitThread* thread, const vvFitWindow* window, int j, double* r,
                     double* A, int lead, double* squares);

// Jacobian rows of all samples by one reverse sweep per residual; A as above, rows sample by sample.
vvStatus vv_fit_reverse_rows(const vvFitShared* shared, vvFitThread* thread, const vvFitWindow* window, double* A,
                             int lead);

#endif  // VISVIVA_FIT_SIMULATE_H_
