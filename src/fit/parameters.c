// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// parameters.c: see parameters.h.
//
// method   pseudo-inertia P = [S_o, m c; m c', m], positive definite exactly when some distribution of mass has these
//          ten numbers; P = U U' with U upper triangular, its diagonal as logarithms: Rucker & Wensing, RA-L 2022
// symbols  m   mass [kg]     c   center of mass in the body's frame [m]
//          S   second moments about the center of mass, 3 x 3 [kg m2], S = tr(I)/2 1 - I
//          L   upper triangular 3 x 3, S = m L L' [m]     l   unit of length [m]
//          t   (ln m, c/l, ln L11, ln L22, ln L33, L12/l, L13/l, L23/l) in the slots of mass, ipos, fullinertia
// smooth   everywhere; every t is physical, and every physical inertia has a t

#include "fit/parameters.h"

#include <math.h>
#include <string.h>

enum { XX = 0, YY, ZZ, XY, XZ, YZ };

// Upper L with L L' = A (xx yy zz xy xz yz); false when A is not positive definite.
static bool upper_factor(const double A[6], double L[6]) {
  if (!(A[ZZ] > 0)) return false;
  L[ZZ] = sqrt(A[ZZ]);
  L[YZ] = A[YZ] / L[ZZ];
  L[XZ] = A[XZ] / L[ZZ];
  double yy = A[YY] - L[YZ] * L[YZ];
  if (!(yy > 0)) return false;
  L[YY] = sqrt(yy);
  L[XY] = (A[XY] - L[XZ] * L[YZ]) / L[YY];
  double xx = A[XX] - L[XY] * L[XY] - L[XZ] * L[XZ];
  if (!(xx > 0)) return false;
  L[XX] = sqrt(xx);
  return true;
}

// A = B C' + C B', both upper triangular.
static void symmetric_product(const double B[6], const double C[6], double A[6]) {
  A[XX] = 2 * (B[XX] * C[XX] + B[XY] * C[XY] + B[XZ] * C[XZ]);
  A[YY] = 2 * (B[YY] * C[YY] + B[YZ] * C[YZ]);
  A[ZZ] = 2 * B[ZZ] * C[ZZ];
  A[XY] = B[XY] * C[YY] + C[XY] * B[YY] + B[XZ] * C[YZ] + C[XZ] * B[YZ];
  A[XZ] = B[XZ] * C[ZZ] + C[XZ] * B[ZZ];
  A[YZ] = B[YZ] * C[ZZ] + C[YZ] * B[ZZ];
}

// I = tr(S) 1 - S
static void inertia_from_moments(const double S[6], double I[6]) {
  I[XX] = S[YY] + S[ZZ];
  I[YY] = S[XX] + S[ZZ];
  I[ZZ] = S[XX] + S[YY];
  for (int k = XY; k <= YZ; k++) I[k] = -S[k];
}

static bool block_factor(const vvFitInertia* b, const double* value, double L[6]) {
  double m = value[b->slot[0]], A[6];
  const int* s = b->slot + 4;
  double half = (value[s[XX]] + value[s[YY]] + value[s[ZZ]]) / 2;
  for (int k = XX; k <= ZZ; k++) A[k] = (half - value[s[k]]) / m;
  for (int k = XY; k <= YZ; k++) A[k] = -value[s[k]] / m;
  return m > 0 && upper_factor(A, L);
}

vvStatus vv_fit_prepare_inertias(vvFitProblem* p, vvReport* report) {
  for (int i = 0; i < p->ninertia; i++) {
    vvFitInertia* b = &p->inertias[i];
    for (int s = 0; s < p->nstart; s++) {
      double L[6];
      if (!block_factor(b, p->starts + (size_t)s * (size_t)p->nfree, L)) {
        return vv_report_set(
            report, VV_ERROR_FILE,
            "%s: free/%s: no body has these ten inertial numbers (start %d); mass must be positive, the "
            "inertia positive definite, and no principal moment above the sum of the others",
            p->file, p->free[b->slot[0]].name, s);
      }
      if (s == 0) b->length = cbrt(L[XX] * L[YY] * L[ZZ]);
    }
  }
  return VV_OK;
}

void vv_fit_to_parameters(const vvFitProblem* p, const double* value, double* t) {
  for (int i = 0; i < p->nfree; i++) t[i] = p->free[i].scale == VV_FIT_LOG ? log(value[i]) : value[i];
  for (int i = 0; i < p->ninertia; i++) {
    const vvFitInertia* b = &p->inertias[i];
    double L[6] = {1, 1, 1, 0, 0, 0};
    block_factor(b, value, L);
    t[b->slot[0]] = log(value[b->slot[0]]);
    for (int k = 1; k <= 3; k++) t[b->slot[k]] = value[b->slot[k]] / b->length;
    for (int k = XX; k <= ZZ; k++) t[b->slot[4 + k]] = log(L[k]);
    for (int k = XY; k <= YZ; k++) t[b->slot[4 + k]] = L[k] / b->length;
  }
}

static void load_factor(const vvFitInertia* b, const double* t, double L[6]) {
  for (int k = XX; k <= ZZ; k++) L[k] = exp(t[b->slot[4 + k]]);
  for (int k = XY; k <= YZ; k++) L[k] = t[b->slot[4 + k]] * b->length;
}

void vv_fit_to_values(const vvFitProblem* p, const double* t, double* value) {
  for (int i = 0; i < p->nfree; i++) {
    const vvFitFree* f = &p->free[i];
    value[i] = t[i];
    if (f->inertia >= 0) continue;
    if (f->scale == VV_FIT_LOG) value[i] = exp(t[i]);
    value[i] = fmin(fmax(value[i], f->min), f->max);  // exp(log(max)) may be a bit above max
  }
  for (int i = 0; i < p->ninertia; i++) {
    const vvFitInertia* b = &p->inertias[i];
    double L[6], S[6], I[6], m = exp(t[b->slot[0]]);
    load_factor(b, t, L);
    symmetric_product(L, L, S);
    for (int k = 0; k < 6; k++) S[k] *= m / 2;
    inertia_from_moments(S, I);
    value[b->slot[0]] = m;
    for (int k = 1; k <= 3; k++) value[b->slot[k]] = t[b->slot[k]] * b->length;
    for (int k = 0; k < 6; k++) value[b->slot[4 + k]] = I[k];
  }
}

void vv_fit_bounds(const vvFitProblem* p, double* low, double* high) {
  for (int i = 0; i < p->nfree; i++) {
    const vvFitFree* f = &p->free[i];
    bool is_log = f->scale == VV_FIT_LOG && f->inertia < 0;
    low[i] = is_log ? log(f->min) : f->min;
    high[i] = is_log ? log(f->max) : f->max;
  }
}

// Columns of a block: derivatives of its ten numbers.
static void block_slopes(const vvFitInertia* b, int n, const double* t, double* G) {
  double L[6], S[6], I[6], m = exp(t[b->slot[0]]);
  load_factor(b, t, L);
  symmetric_product(L, L, S);
  for (int k = 0; k < 6; k++) S[k] *= m / 2;
  inertia_from_moments(S, I);
  G[b->slot[0] * n + b->slot[0]] = m;
  for (int k = 0; k < 6; k++) G[b->slot[4 + k] * n + b->slot[0]] = I[k];
  for (int k = 1; k <= 3; k++) G[b->slot[k] * n + b->slot[k]] = b->length;
  for (int c = 0; c < 6; c++) {
    double dL[6] = {0, 0, 0, 0, 0, 0};
    dL[c] = c <= ZZ ? L[c] : b->length;
    symmetric_product(dL, L, S);
    for (int k = 0; k < 6; k++) S[k] *= m;
    inertia_from_moments(S, I);
    for (int k = 0; k < 6; k++) G[b->slot[4 + k] * n + b->slot[4 + c]] = I[k];
  }
}

void vv_fit_slopes(const vvFitProblem* p, const double* t, double* G) {
  int n = p->nfree;
  memset(G, 0, sizeof(double) * (size_t)n * (size_t)n);
  for (int i = 0; i < n; i++) {
    if (p->free[i].inertia < 0) G[i * n + i] = p->free[i].scale == VV_FIT_LOG ? exp(t[i]) : 1;
  }
  for (int i = 0; i < p->ninertia; i++) block_slopes(&p->inertias[i], n, t, G);
}

void vv_fit_set(const vvFitProblem* p, vvModel* model, const double* value) {
  for (int i = 0; i < p->nfree; i++) {
    for (int k = 0; k < p->free[i].nnumber; k++) vv_number_set(model, p->free[i].numbers[k], (vvReal)value[i]);
  }
}
