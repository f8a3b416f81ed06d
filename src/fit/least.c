// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// least.c: see least.h.

#include "fit/least.h"

#include <math.h>
#include <string.h>

// Column j of [T; A] becomes (t, 0): reflection I - v v'/(v_0 alpha) with v = (t_jj - alpha, a_j). Only row j of T
// takes part, since T is triangular.
void vv_least_gather(int n, double* T, double* A, int nrow, int lead) {
  int w = n + 1;
  for (int j = 0; j < w; j++) {
    double* a = A + (long)j * lead;
    double sum = 0;
    for (int i = 0; i < nrow; i++) sum += a[i] * a[i];
    if (!(sum > 0)) continue;
    double t = T[j * w + j];
    double alpha = sqrt(t * t + sum);
    if (t > 0) alpha = -alpha;
    double v0 = t - alpha;
    double k = 1 / (-alpha * v0);  // 2 / |v|^2
    for (int c = j + 1; c < w; c++) {
      double* b = A + (long)c * lead;
      double dot = v0 * T[j * w + c];
      for (int i = 0; i < nrow; i++) dot += a[i] * b[i];
      dot *= k;
      T[j * w + c] -= dot * v0;
      for (int i = 0; i < nrow; i++) b[i] -= dot * a[i];
    }
    T[j * w + j] = alpha;
  }
}

void vv_least_join(int n, double* T, double* T2, double* work) {
  int w = n + 1;
  for (int i = 0; i < w; i++) {
    for (int c = 0; c < w; c++) work[c * w + i] = c >= i ? T2[i * w + c] : 0;
  }
  vv_least_gather(n, T, work, w, w);
}

int vv_least_work(int n) {
  return 4 * (n + 1) * (n + 1) + 4 * (n + 1);
}

// Solves the damped problem for the parameters that are not held; s of held ones is given.
static void solve_free(int n, const double* T, double damping, const double* D, const bool* held, double* s,
                       double* work) {
  int w = n + 1, nf = 0;
  int index[VV_LEAST_MAX];
  for (int j = 0; j < n; j++) {
    if (!held[j]) index[nf++] = j;
  }
  int wf = nf + 1, rows = n + nf;
  double* F = work;            // wf x wf
  double* A = work + wf * wf;  // rows x wf by columns
  memset(F, 0, sizeof(double) * (size_t)(wf * wf));
  memset(A, 0, sizeof(double) * (size_t)(rows * wf));
  for (int i = 0; i < n; i++) {
    double z = T[i * w + n];
    for (int j = i; j < n; j++) {
      if (held[j]) z += T[i * w + j] * s[j];
    }
    A[nf * rows + i] = z;
  }
  for (int c = 0; c < nf; c++) {
    int j = index[c];
    for (int i = 0; i <= j; i++) A[c * rows + i] = T[i * w + j];
    A[c * rows + n + c] = sqrt(damping) * D[j];
  }
  vv_least_gather(nf, F, A, rows, rows);
  for (int c = nf - 1; c >= 0; c--) {
    double x = -F[c * wf + nf];
    for (int k = c + 1; k < nf; k++) x -= F[c * wf + k] * s[index[k]];
    double pivot = F[c * wf + c];
    s[index[c]] = pivot != 0 ? x / pivot : 0;
  }
}

static double promise(int n, const double* T, const double* s) {
  int w = n + 1;
  double gain = 0;
  for (int i = 0; i < n; i++) {
    double z = T[i * w + n], y = z;
    for (int j = i; j < n; j++) y += T[i * w + j] * s[j];
    gain += (z - y) * (z + y);
  }
  return gain;
}

double vv_least_step(int n, const double* T, double damping, const double* D, const double* p, const double* low,
                     const double* high, double* step, bool* held, double* work) {
  int w = n + 1;
  for (int j = 0; j < n; j++) {
    double slope = 0;  // of the loss
    for (int i = 0; i <= j; i++) slope += T[i * w + j] * T[i * w + n];
    held[j] = (p[j] <= low[j] && slope > 0) || (p[j] >= high[j] && slope < 0);
    step[j] = 0;
  }
  for (int pass = 0; pass <= n; pass++) {
    bool changed = false;
    solve_free(n, T, damping, D, held, step, work);
    for (int j = 0; j < n; j++) {
      if (held[j]) continue;
      double to = p[j] + step[j];
      if (to >= low[j] && to <= high[j]) continue;
      step[j] = (to < low[j] ? low[j] : high[j]) - p[j];
      held[j] = changed = true;
    }
    if (!changed) break;
  }
  return promise(n, T, step);
}

// Rotates columns a, b of A (and rows of V) so that the columns become orthogonal; true when they were not.
static bool rotate(int n, double* A, double* V, int a, int b) {
  double aa = 0, bb = 0, ab = 0;
  for (int i = 0; i < n; i++) {
    aa += A[i * n + a] * A[i * n + a];
    bb += A[i * n + b] * A[i * n + b];
    ab += A[i * n + a] * A[i * n + b];
  }
  if (!(fabs(ab) > 1e-15 * sqrt(aa) * sqrt(bb))) return false;
  double tau = (bb - aa) / (2 * ab);
  double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
  double c = 1 / sqrt(1 + t * t), s = c * t;
  for (int i = 0; i < n; i++) {
    double x = A[i * n + a], y = A[i * n + b];
    A[i * n + a] = c * x - s * y;
    A[i * n + b] = s * x + c * y;
    x = V[a * n + i];
    y = V[b * n + i];
    V[a * n + i] = c * x - s * y;
    V[b * n + i] = s * x + c * y;
  }
  return true;
}

void vv_least_svd(int n, double* A, double* sigma, double* V) {
  for (int i = 0; i < n * n; i++) V[i] = i % (n + 1) == 0;
  for (int sweep = 0; sweep < 60; sweep++) {
    bool changed = false;
    for (int a = 0; a < n; a++) {
      for (int b = a + 1; b < n; b++) changed = rotate(n, A, V, a, b) || changed;
    }
    if (!changed) break;
  }
  for (int j = 0; j < n; j++) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += A[i * n + j] * A[i * n + j];
    sigma[j] = sqrt(sum);
  }
  for (int i = 0; i < n; i++) {  // sort, descending
    int most = i;
    for (int j = i + 1; j < n; j++) {
      if (sigma[j] > sigma[most]) most = j;
    }
    if (most == i) continue;
    double keep = sigma[i];
    sigma[i] = sigma[most];
    sigma[most] = keep;
    for (int c = 0; c < n; c++) {
      keep = V[i * n + c];
      V[i * n + c] = V[most * n + c];
      V[most * n + c] = keep;
    }
  }
}

// Elimination on A' with pivots: the unknowns of A' x = b are eliminated column by column of A'.
bool vv_least_solve_transposed(int n, double* A, double* b) {
  for (int c = 0; c < n; c++) {
    int pivot = c;
    for (int k = c + 1; k < n; k++) {
      if (fabs(A[c * n + k]) > fabs(A[c * n + pivot])) pivot = k;
    }
    if (!(fabs(A[c * n + pivot]) > 0)) return false;
    for (int i = 0; i < n && pivot != c; i++) {
      double keep = A[i * n + c];
      A[i * n + c] = A[i * n + pivot];
      A[i * n + pivot] = keep;
    }
    double keep = b[c];
    b[c] = b[pivot];
    b[pivot] = keep;
    for (int k = c + 1; k < n; k++) {
      double f = A[c * n + k] / A[c * n + c];
      for (int i = c; i < n && f != 0; i++) A[i * n + k] -= f * A[i * n + c];
      b[k] -= f * b[c];
    }
  }
  for (int c = n - 1; c >= 0; c--) {
    for (int k = c + 1; k < n; k++) b[c] -= A[k * n + c] * b[k];
    b[c] /= A[c * n + c];
  }
  return true;
}
