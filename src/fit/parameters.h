// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// parameters.h: between the free numbers as they are named (values x) and the parameters t that the optimiser moves.
//
//   linear   t = x
//   log      t = ln x
//   ten inertial numbers of a body: log-Cholesky coordinates of the pseudo-inertia (parameters.c)

#ifndef VISVIVA_FIT_PARAMETERS_H_
#define VISVIVA_FIT_PARAMETERS_H_

#include "fit/problem.h"

// Sets the length unit of each block of ten; refuses starts whose inertia is not physical.
vvStatus vv_fit_prepare_inertias(vvFitProblem* problem, vvReport* report);

void vv_fit_to_parameters(const vvFitProblem* problem, const double* value, double* t);
void vv_fit_to_values(const vvFitProblem* problem, const double* t, double* value);
void vv_fit_bounds(const vvFitProblem* problem, double* low, double* high);  // of t

// G = dx/dt, nfree x nfree, row by row.
void vv_fit_slopes(const vvFitProblem* problem, const double* t, double* G);

// Sets the free numbers of a model; vv_model_derive is the caller's.
void vv_fit_set(const vvFitProblem* problem, vvModel* model, const double* value);

#endif  // VISVIVA_FIT_PARAMETERS_H_
