// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// least.h: small dense least squares: triangular factors gathered row block by row block, damped steps within bounds,
// singular values.
//
// symbols  J   rows x n   Jacobian of the residuals r with respect to the parameters
//          T   (n + 1) x (n + 1), row by row, upper triangular: the factor of [J r], T = [R z; 0 s],
//              so R'R = J'J, R'z = J'r and |r|^2 = |z|^2 + s^2
// method   Householder reflections, so that nothing is squared: directions that the rows do not fix show up to 1e-14
//          of the largest singular value. Blocks are gathered in a fixed order: same bits for any number of threads.

#ifndef VISVIVA_FIT_LEAST_H_
#define VISVIVA_FIT_LEAST_H_

#include <stdbool.h>

enum { VV_LEAST_MAX = 256 };  // parameters

// Replaces T by the factor of [T; A]; A is column by column, nrow x (n + 1) with distance `lead` between columns, and
// is destroyed.
void vv_least_gather(int n, double* T, double* A, int nrow, int lead);

// Joins the factor T2 into T; T2 is destroyed.
void vv_least_join(int n, double* T, double* T2, double* work);

// Doubles of work for the two below.
int vv_least_work(int n);

// Least |R s + z|^2 + damping |D s|^2 with low <= p + s <= high: parameters whose bound stops the step are held there,
// the rest solved again. Returns the decrease |z|^2 - |R s + z|^2 that s promises; held[j] tells who stands at a bound.
double vv_least_step(int n, const double* T, double damping, const double* D, const double* p, const double* low,
                     const double* high, double* step, bool* held, double* work);

// Singular values (descending) of an n x n matrix given row by row, and right singular vectors: row i of V is the i-th.
// By one-sided Jacobi rotations, each value to relative precision of its column. A is destroyed.
void vv_least_svd(int n, double* A, double* sigma, double* V);

// Solves A' x = b in place of b, A n x n row by row, destroyed; false when A is singular.
bool vv_least_solve_transposed(int n, double* A, double* b);

#endif  // VISVIVA_FIT_LEAST_H_
