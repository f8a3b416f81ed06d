// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// objective.h: residuals of the windows and their Jacobian, gathered into a triangular factor.
//
// Windows are cut into a fixed number of blocks; each block sums and factors its own windows in order, and the blocks
// are joined in order: the same bits for any number of threads.

#ifndef VISVIVA_FIT_OBJECTIVE_H_
#define VISVIVA_FIT_OBJECTIVE_H_

#include "fit/problem.h"

enum { VV_FIT_BLOCKS = 64, VV_FIT_LAG_MAX = 100 };

// Windows begin, begin + stride, ... < end.
typedef struct vvFitSet {
  int begin, end, stride;
} vvFitSet;

// What an evaluation gives.
typedef struct vvFitValue {
  double* T;            // (n + 1)^2   factor of [J r] with robust weights (least.h); only with a Jacobian
  double loss;          // sum of rho(|r|^2)
  double nresidual;     // numbers in r
  double nsample;       // samples compared
  double* squares;      // nsignal           sums of the unweighted squared lengths
  double* lag_squares;  // nsignal x nlag    the same by time after the window's start
  double* lag_count;    // nlag
  double* lag_time;     // nlag              sums of times
  double* window_loss;  // nfitted or more   loss of each window of the set, in its order
  int nrough;           // windows in which a solve did not converge
} vvFitValue;

typedef struct vvFitWork vvFitWork;

vvStatus vv_fit_work_create(vvFitProblem* problem, vvFitSweep sweep, vvFitWork** work, vvReport* report);
void vv_fit_work_free(vvFitWork* work);
int vv_fit_lag_count(const vvFitProblem* problem);

// Allocates a value's arrays.
vvStatus vv_fit_value_create(vvFitMemory* memory, const vvFitProblem* problem, vvFitValue* value);

// Evaluates at the parameters t (parameters.h). weights (NULL: ones): of the windows of the set, in T, not in the
// losses. VV_ERROR_CANCELLED, VV_ERROR_MEMORY: stop; others: these numbers cannot be simulated, the report says where.
vvStatus vv_fit_evaluate(vvFitWork* work, const double* t, vvFitSet set, bool jacobian, const double* weights,
                         vvFitValue* value, vvReport* report);

// Root mean square of a signal's unweighted error.
double vv_fit_rms(const vvFitValue* value, int signal);

#endif  // VISVIVA_FIT_OBJECTIVE_H_
