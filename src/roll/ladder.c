// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// ladder.c: Richardson's extrapolation of difference quotients.
//
// method   T[k][0] = D_k, T[k][j] = T[k][j-1] + (T[k][j-1] - T[k-1][j-1])/(b^j - 1), b = 4 for central quotients (even
//          powers of the step), 2 for one-sided ones. The entry whose error estimate is least wins; its estimate is the
//          larger of its differences to its two parents (Ridders, Adv. Eng. Software 1982) and of the noise of f.

#include "roll/ladder.h"

#include <float.h>
#include <math.h>

typedef struct quotients {
  double d[VV_LADDER];
  double noise[VV_LADDER];
  bool use[VV_LADDER];
} quotients;

// Noise of the values f and g.
static double noise_of(const vvLadder* ladder, double f, double g) {
  return fmax(DBL_EPSILON * fmax(fabs(f), fabs(g)), ladder->noise);
}

// True when f does not move at all: the derivative is 0 without any error.
static bool constant(const vvLadder* ladder) {
  for (int k = 0; k < VV_LADDER; k++) {
    if (!ladder->valid[k] || ladder->plus[k] != ladder->f0) return false;
    if (!ladder->one_sided && ladder->minus[k] != ladder->f0) return false;
  }
  return true;
}

static vvLadderValue extrapolate(const quotients* q, const bool* unchanged, double base) {
  vvLadderValue best = {0, INFINITY, false};
  double t[VV_LADDER][VV_LADDER];
  int run = 0;  // neighbouring rungs that serve, up to k
  for (int k = 0; k < VV_LADDER; k++) {
    run = q->use[k] ? run + 1 : 0;
    if (run == 0) continue;
    t[k][0] = q->d[k];
    double factor = 1;
    bool still = unchanged[k];
    for (int j = 1; j < run; j++) {
      factor *= base;
      t[k][j] = t[k][j - 1] + (t[k][j - 1] - t[k - 1][j - 1]) / (factor - 1);
      double error = fmax(fabs(t[k][j] - t[k][j - 1]), fabs(t[k][j] - t[k - 1][j - 1]));
      error = fmax(error, q->noise[k]);
      still = still && unchanged[k - j];
      if (error < best.error) best = (vvLadderValue){t[k][j], error, still};
    }
  }
  return best;
}

vvLadderValue vv_ladder_side(const vvLadder* ladder, int side) {
  quotients q;
  for (int k = 0; k < VV_LADDER; k++) {
    double step = ldexp(ladder->eps, -k);
    double f = side > 0 ? ladder->plus[k] : ladder->minus[k];
    q.d[k] = side * (f - ladder->f0) / step;
    q.noise[k] = noise_of(ladder, f, ladder->f0) / step;
    q.use[k] = ladder->valid[k] && isfinite(q.d[k]);
  }
  return extrapolate(&q, ladder->unchanged, 2);
}

vvLadderValue vv_ladder_central(const vvLadder* ladder, bool only_unchanged) {
  if (constant(ladder)) {
    vvLadderValue none = {0, 0, true};
    for (int k = 0; k < VV_LADDER; k++) none.unchanged = none.unchanged && ladder->unchanged[k];
    return none;
  }
  if (ladder->one_sided) {
    vvLadder side = *ladder;
    for (int k = 0; k < VV_LADDER; k++) side.valid[k] = ladder->valid[k] && (!only_unchanged || ladder->unchanged[k]);
    return vv_ladder_side(&side, 1);
  }
  quotients q;
  for (int k = 0; k < VV_LADDER; k++) {
    double step = ldexp(ladder->eps, -k);
    q.d[k] = (ladder->plus[k] - ladder->minus[k]) / (2 * step);
    q.noise[k] = noise_of(ladder, ladder->plus[k], ladder->minus[k]) / (2 * step);
    q.use[k] = ladder->valid[k] && isfinite(q.d[k]) && (!only_unchanged || ladder->unchanged[k]);
  }
  return extrapolate(&q, ladder->unchanged, 4);
}

bool vv_ladder_jumps(const vvLadder* ladder) {
  if (ladder->one_sided) return false;
  int last = VV_LADDER - 1;
  while (last >= 3 && !ladder->valid[last]) last--;
  if (last < 3) return false;
  double smallest = fabs(ladder->plus[last] - ladder->minus[last]);
  double noise = 64 * DBL_EPSILON * fmax(fabs(ladder->f0), fabs(ladder->plus[last]));
  for (int k = last - 3; k < last; k++) {
    if (!ladder->valid[k]) return false;
    double other = fabs(ladder->plus[k] - ladder->minus[k]);
    if (!(smallest > noise && other < 2 * smallest && other > 0.5 * smallest)) return false;
  }
  return true;
}
