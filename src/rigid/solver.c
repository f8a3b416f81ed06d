// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// solver.c: the acceleration node, found as the minimum of a strictly convex function
//
//   1/2 (a - a0)' M (a - a0) + s(J a - a_ref),    gradient r = M a + bias - tau - J' f,    f = -ds/dx
//
// method   Newton with H = M + J' C J and an exact line search: along p the slope is piecewise smooth and increasing;
//          its zero is found by Newton inside a bracket. A full step whose slope at the end is nearly 0 is taken as it
//          is. Finite for pyramids, limits, dry friction and equalities (s is piecewise quadratic), quadratic for
//          elliptic cones.
// ends     |r| <= 1e-14 of the forces' size, or <= 1e-12 and not halved by an iteration, or not halved by three; the
//          best iterate stands

#include <float.h>
#include <string.h>

#include "rigid/work.h"

// Tolerances follow the precision of vvReal; the figures are those of double.
#ifdef VV_REAL_IS_FLOAT
#define UNIT ((vvReal)(FLT_EPSILON / DBL_EPSILON))
#else
#define UNIT 1
#endif
#define TOLERANCE ((vvReal)1e-14 * UNIT)
#define GOOD ((vvReal)1e-12 * UNIT)
#define NOT_CONVERGED ((vvReal)1e-10 * UNIT)
#define SLOPE_TOLERANCE ((vvReal)1e-3)
enum { MAX_ITERATIONS = 200, MAX_SEARCH = 50, MAX_STALLED = 3 };

// Vectors of the solver in w->scratch, stride reals each.
typedef struct Vectors {
  vvReal* smooth;  // M a + bias - tau
  vvReal* r;       // residual
  vvReal* p;       // search direction
  vvReal* Mp;
  vvReal* best;  // a with the smallest residual so far
} Vectors;

static Vectors vectors(const vvRigidWork* w) {
  vvReal* s = w->scratch;
  size_t n = (size_t)w->stride;
  Vectors v = {s + n, s + 2 * n, s + 3 * n, s + 4 * n, s + 5 * n};
  return v;
}

// Largest |a|; not a number where an entry is not.
static vvReal largest(const vvReal* a, int n) {
  vvReal r = 0, bad = 0;
  for (int i = 0; i < n; i++) {
    vvReal size = vv_fabs(a[i]);
    r = size > r ? size : r;
    bad += a[i] * 0;
  }
  return r + bad;
}

// x, force and J' f at a.
void vv_rigid_constrain(const vvReal* a, vvRigidWork* w) {
  memset(w->constraint, 0, sizeof(vvReal) * (size_t)w->stride);
  for (int k = 0; k < w->nrow; k++) {
    vvRigidContact* c = &w->rows[k];
    for (int i = 0; i < c->dim; i++) c->x[i] = vv_rigid_row_dot(c, i, a) - c->a_ref[i];
    vv_cone_force(c);
    if (c->zone == 0) continue;
    for (int i = 0; i < c->dim; i++) vv_rigid_row_axpy(c, i, c->f[i], w->constraint);
  }
  for (int k = 0; k < w->nsingle; k++) {
    vvRigidSingle* s = &w->singles[k];
    s->x = s->sign * a[s->dof] - s->a_ref;
    w->constraint[s->dof] += s->sign * vv_single_force(s, s->x);
  }
}

// smooth and r at a.
static void evaluate(const vvReal* a, Vectors v, vvRigidWork* w) {
  vv_rigid_constrain(a, w);
  vv_rigid_multiply_mass(w, a, v.smooth);
  for (int i = 0; i < w->nv; i++) {
    v.smooth[i] += w->bias[i] - w->tau[i];
    v.r[i] = v.smooth[i] - w->constraint[i];
  }
}

// Slope and curvature of the cost at a + alpha p.
static vvReal slope_at(const vvRigidWork* w, vvReal alpha, vvReal g, vvReal pMp, const vvReal* p, vvReal* curve) {
  vvReal slope = g + alpha * pMp;
  *curve = pMp;
  for (int k = 0; k < w->nrow; k++) vv_cone_along(&w->rows[k], alpha, &slope, curve);
  for (int k = 0; k < w->nsingle; k++) {
    const vvRigidSingle* s = &w->singles[k];
    vvReal dx = s->sign * p[s->dof], x = s->x + alpha * dx;
    slope -= vv_single_force(s, x) * dx;
    *curve += vv_single_curvature(s, x) * dx * dx;
  }
  return slope;
}

// Step length along p: where the slope of the cost is 0, from the slope at 0 (v.r . p < 0).
static vvReal line_search(vvRigidWork* w, Vectors v) {
  for (int k = 0; k < w->nrow; k++) {
    vvRigidContact* c = &w->rows[k];
    for (int i = 0; i < c->dim; i++) c->dx[i] = vv_rigid_row_dot(c, i, v.p);
  }
  vv_rigid_multiply_mass(w, v.p, v.Mp);
  vvReal pMp = 0, g = 0, slope0 = 0;
  for (int i = 0; i < w->nv; i++) {
    pMp += v.p[i] * v.Mp[i];
    g += v.p[i] * v.smooth[i];
    slope0 += v.p[i] * v.r[i];
  }
  vvReal low = 0, high = 0, alpha = 1, good = SLOPE_TOLERANCE * vv_fabs(slope0);
  for (int k = 0; k < MAX_SEARCH; k++) {
    vvReal curve;
    vvReal slope = slope_at(w, alpha, g, pMp, v.p, &curve);
    if (!(vv_fabs(slope) > good)) break;
    if (slope < 0) {
      low = alpha;
    } else {
      high = alpha;
    }
    vvReal next = alpha - slope / curve;
    bool bracketed = high > 0;
    if (bracketed && !(next > low && next < high)) next = (vvReal)0.5 * (low + high);
    if (next == alpha) break;
    alpha = next;
  }
  return alpha;
}

// How far a solve is: residuals by the contract's scale and by the forces' own size.
typedef struct Progress {
  vvReal residual;  // |r| / (1 + size), what is reported
  vvReal share;     // |r| / size, what ends the solve
} Progress;

static Progress progress_at(const vvRigidWork* w, const vvReal* r) {
  int n = w->nv;
  vvReal size = largest(w->tau, n) + largest(w->bias, n) + largest(w->constraint, n);
  vvReal most = largest(r, n);
  Progress now = {most / (1 + size), most > 0 ? most / size : 0};
  return now;
}

vvReal vv_rigid_free_residual(vvRigidWork* w) {
  Vectors v = vectors(w);
  vv_rigid_multiply_mass(w, w->a, v.smooth);
  for (int i = 0; i < w->nv; i++) v.r[i] = v.smooth[i] + w->bias[i] - w->tau[i];
  return progress_at(w, v.r).residual;
}

static bool newton_step(vvRigidWork* w, Vectors v) {
  if (!vv_rigid_factor_hessian(w)) return false;
  for (int i = 0; i < w->nv; i++) v.p[i] = -v.r[i];
  vv_blocks_solve(w->coupled, w->LH, v.p);
  vvReal alpha = line_search(w, v);
  vv_dense_axpy(w->stride, alpha, v.p, w->a);
  return true;
}

vvStatus vv_rigid_solve(const vvReal* start, vvRigidWork* w) {
  Vectors v = vectors(w);
  size_t bytes = sizeof(vvReal) * (size_t)w->stride;
  memset(w->scratch, 0, 10 * bytes);
  memset(w->a, 0, bytes);
  if (start) memcpy(w->a, start, sizeof(vvReal) * (size_t)w->nv);
  evaluate(w->a, v, w);
  Progress now = progress_at(w, v.r), best = now;
  int stalled = 0;
  memcpy(v.best, w->a, bytes);
  for (w->iterations = 0; w->iterations < MAX_ITERATIONS; w->iterations++) {
    if (best.share <= TOLERANCE || stalled >= MAX_STALLED || (stalled > 0 && best.share <= GOOD)) break;
    if (!newton_step(w, v)) return VV_ERROR_SINGULAR;
    evaluate(w->a, v, w);
    now = progress_at(w, v.r);
    if (now.residual != now.residual) return VV_ERROR_NOT_FINITE;
    stalled = now.share < (vvReal)0.5 * best.share || best.residual > NOT_CONVERGED ? 0 : stalled + 1;
    if (now.share < best.share) {
      best = now;
      memcpy(v.best, w->a, bytes);
    }
  }
  if (now.share > best.share) {
    memcpy(w->a, v.best, bytes);
    evaluate(w->a, v, w);
    best = progress_at(w, v.r);
  }
  w->residual = best.residual;
  if (best.residual != best.residual) return VV_ERROR_NOT_FINITE;
  return best.residual <= NOT_CONVERGED ? VV_OK : VV_ERROR_NOT_CONVERGED;
}
