// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// statistics.c: what the Jacobian at the end says about the numbers.
//
// symbols  R   factor of J in parameters t, J'J = R'R     G = dx/dt     u   unit of each number (its size or its range)
//          M   = R G^-1 diag(u): residuals per unit of each number; numbers at a bound are left out
//          M = W diag(sigma) V: row i of V is a direction, its standard deviation s / sigma_i, s^2 = loss / (m - n)
// method   covariance V' diag((s/sigma)^2) V; standard errors are those of independent residuals of equal size. A
//          direction is not determined when its standard deviation is above one unit, or sigma_i < 1e-9 sigma_1
// limits   residuals within a window hang together, so true errors are larger than the standard errors

#include <math.h>
#include <string.h>

#include "fit/least.h"
#include "fit/parameters.h"
#include "fit/run.h"

typedef struct Study {
  int n, na;      // free numbers, those not at a bound
  int* index;     // na
  double* unit;   // n
  double* M;      // na x na
  double* V;      // na x na
  double* sigma;  // na
  double* work;   // for factors
  double* C;      // na x na   covariance in units
  double s;       // size of a residual
} Study;

static vvStatus study_create(vvFitMemory* memory, int n, Study* st) {
  size_t nn = (size_t)n * (size_t)n;
  st->n = n;
  st->index = VV_FIT_NEW(memory, int, n);
  st->unit = VV_FIT_NEW(memory, double, n);
  st->M = VV_FIT_NEW(memory, double, nn);
  st->V = VV_FIT_NEW(memory, double, nn);
  st->sigma = VV_FIT_NEW(memory, double, n);
  st->C = VV_FIT_NEW(memory, double, nn);
  st->work = VV_FIT_NEW(memory, double, 4 * (size_t)(n + 1) * (size_t)(n + 1));
  bool all = st->index && st->unit && st->M && st->V && st->sigma && st->C && st->work;
  return all ? VV_OK : VV_ERROR_MEMORY;
}

// M of the numbers that are not at a bound, made square again by a factor.
static bool residuals_per_unit(const vvFitProblem* p, const vvFitValue* value, const double* t, Study* st) {
  int n = st->n, w = n + 1, na = st->na, wa = na + 1;
  double *G = st->V, *B = st->C, *F = st->work, *A = st->work + wa * wa;
  for (int i = 0; i < n; i++) {  // row i of B G = row i of R
    for (int j = 0; j < n; j++) B[i * n + j] = j >= i ? value->T[i * w + j] : 0;
    vv_fit_slopes(p, t, G);
    if (!vv_least_solve_transposed(n, G, B + i * n)) return false;
  }
  memset(F, 0, sizeof(double) * (size_t)(wa * wa));
  memset(A, 0, sizeof(double) * (size_t)(n * wa));
  for (int c = 0; c < na; c++) {
    for (int i = 0; i < n; i++) A[c * n + i] = B[i * n + st->index[c]] * st->unit[st->index[c]];
  }
  vv_least_gather(na, F, A, n, n);
  for (int i = 0; i < na; i++) {
    for (int j = 0; j < na; j++) st->M[i * na + j] = j >= i ? F[i * wa + j] : 0;
  }
  return true;
}

static bool determined(const Study* st, int i) {
  return st->sigma[i] > 1e-9 * st->sigma[0];
}

static void covariance(Study* st) {
  int na = st->na;
  memset(st->C, 0, sizeof(double) * (size_t)(na * na));
  for (int i = 0; i < na; i++) {
    if (!determined(st, i)) continue;
    double k = st->s / st->sigma[i];
    for (int a = 0; a < na; a++) {
      for (int b = 0; b < na; b++) st->C[a * na + b] += k * st->V[i * na + a] * k * st->V[i * na + b];
    }
  }
}

static void set_errors(const Study* st, vvFitResult* result) {
  int na = st->na;
  for (int a = 0; a < na; a++) {
    double lost = 0;  // how much of this number lies in directions without any hold
    for (int i = 0; i < na; i++) {
      if (!determined(st, i)) lost += st->V[i * na + a] * st->V[i * na + a];
    }
    bool fixed = lost < 1e-12;
    result->numbers[st->index[a]].standard_error =
        fixed ? st->unit[st->index[a]] * sqrt(st->C[a * na + a]) : (double)NAN;
  }
}

static void set_correlations(const Study* st, vvFitResult* result) {
  int na = st->na, count = 0;
  for (int a = 0; a < na; a++) {
    for (int b = a + 1; b < na; b++) {
      double size = sqrt(st->C[a * na + a]) * sqrt(st->C[b * na + b]);
      if (!(size > 0)) continue;
      vvFitCorrelation c = {st->index[a], st->index[b], st->C[a * na + b] / size};
      int at = count++;
      while (at > 0 && fabs(result->correlations[at - 1].r) < fabs(c.r)) {
        result->correlations[at] = result->correlations[at - 1];
        at--;
      }
      result->correlations[at] = c;
    }
  }
  result->ncorrelation = count;
}

static void set_directions(const Study* st, vvFitResult* result) {
  int na = st->na;
  for (int i = na - 1; i >= 0; i--) {
    double spread = determined(st, i) ? st->s / st->sigma[i] : (double)INFINITY;
    if (!(spread > 1)) continue;
    vvFitDirection* d = &result->unidentifiable[result->nunidentifiable++];
    int most = 0;
    for (int a = 0; a < na; a++) {
      if (fabs(st->V[i * na + a]) > fabs(st->V[i * na + most])) most = a;
    }
    double sign = st->V[i * na + most] < 0 ? -1 : 1;
    for (int a = 0; a < na; a++) d->part[st->index[a]] = sign * st->V[i * na + a];
    d->spread = spread;
  }
}

static vvStatus result_arrays(vvFitResult* result) {
  int n = result->nnumber;
  result->correlations = VV_FIT_NEW(result->memory, vvFitCorrelation, n * (n - 1) / 2);
  result->unidentifiable = VV_FIT_NEW(result->memory, vvFitDirection, n);
  if (!result->correlations || !result->unidentifiable) return VV_ERROR_MEMORY;
  for (int i = 0; i < n; i++) {
    result->unidentifiable[i].part = VV_FIT_NEW(result->memory, double, n);
    if (!result->unidentifiable[i].part) return VV_ERROR_MEMORY;
  }
  return VV_OK;
}

vvStatus vv_fit_statistics(const vvFitProblem* p, const vvFitValue* value, const double* t, vvFitResult* result,
                           vvReport* report) {
  int n = p->nfree;
  vvFitMemory local = {p->context, NULL};
  Study st;
  memset(&st, 0, sizeof st);
  vvStatus status = study_create(&local, n, &st);
  if (status == VV_OK) status = result_arrays(result);
  if (status != VV_OK) {
    vv_fit_memory_free(&local);
    return vv_report_set(report, status, "out of memory");
  }
  for (int i = 0; i < n; i++) {
    vvFitNumber* x = &result->numbers[i];
    x->standard_error = (double)NAN;
    st.unit[i] = p->free[i].unit_size > 0 ? p->free[i].unit_size : fabs(x->value);
    if (!x->at_bound) st.index[st.na++] = i;
  }
  double freedom = value->nresidual - st.na;
  st.s = freedom > 0 ? sqrt(value->loss / freedom) : 0;
  if (st.na > 0 && residuals_per_unit(p, value, t, &st)) {
    vv_least_svd(st.na, st.M, st.sigma, st.V);
    covariance(&st);
    set_errors(&st, result);
    set_correlations(&st, result);
    set_directions(&st, result);
  }
  vv_fit_memory_free(&local);
  return VV_OK;
}
