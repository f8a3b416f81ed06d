// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// ladder.h: the derivative of a function of one variable at 0 from its values at +-eps 2^-k, k = 0..7, by Richardson's
// extrapolation, with an estimate of its own error.

#ifndef VISVIVA_ROLL_LADDER_H_
#define VISVIVA_ROLL_LADDER_H_

#include <stdbool.h>

enum { VV_LADDER = 8 };

typedef struct vvLadder {
  double eps;                 // step of rung 0
  double f0;                  // value at 0
  double noise;               // of f: what it scatters by as its argument moves by next to nothing
  double plus[VV_LADDER];     // values at +eps 2^-k
  double minus[VV_LADDER];    // at -eps 2^-k; not used where one_sided
  bool valid[VV_LADDER];      // the rung's values exist
  bool unchanged[VV_LADDER];  // no branch differs from that at 0
  bool one_sided;             // only the positive side is allowed
} vvLadder;

typedef struct vvLadderValue {
  double derivative;
  double error;    // estimate; infinite when fewer than two neighbouring rungs serve
  bool unchanged;  // every rung used is unchanged
} vvLadderValue;

// Best derivative; from unchanged rungs alone where `only_unchanged`.
vvLadderValue vv_ladder_central(const vvLadder* ladder, bool only_unchanged);

// One-sided derivative: side +1 or -1.
vvLadderValue vv_ladder_side(const vvLadder* ladder, int side);

// True when the difference between both sides stays as the step shrinks: |f(+) - f(-)| of the smallest valid rungs.
bool vv_ladder_jumps(const vvLadder* ladder);

#endif  // VISVIVA_ROLL_LADDER_H_
