// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// check_plan.h: what vv_check goes through: blocks of numbers, their gradients and sizes, and the scratch of a thread.

#ifndef VISVIVA_ROLL_CHECK_PLAN_H_
#define VISVIVA_ROLL_CHECK_PLAN_H_

#include "roll/ladder.h"
#include "roll/work.h"
#include "visviva/check.h"

enum { VV_CHECK_SINGLES = 50, VV_CHECK_MIXTURES = 20, VV_CHECK_MAX_BLOCK = 96 };

typedef enum vvCheckKind {
  VV_CHECK_CTRL = 0,
  VV_CHECK_QPOS0,
  VV_CHECK_QVEL0,
  VV_CHECK_ACT0,
  VV_CHECK_NUMBERS
} vvCheckKind;

typedef struct vvCheckBlock {
  vvCheckKind kind;
  char name[32];
  int n;           // entries
  int* number;     // n   of numbers: indices into names; else NULL
  double* scale;   // n   typical sizes
  double* bar;     // n   gradient
  double largest;  // largest |bar| x scale
  int first;       // direction
  int nsingle;     // single directions: n or 0
} vvCheckBlock;

// Everything that the threads share; read-only while directions run.
typedef struct vvCheckPlan {
  vvContext* ctx;
  const vvCheckInput* in;
  const vvModel* m;
  int nrow;             // of outputs
  vvState* initial;     // as the rollout begins
  vvReal* ctrl;         // N x nu   controls, held rows written out
  vvTape* tape;         // of the unperturbed rollout
  uint64_t* signature;  // N
  double loss;
  double terms;  // sum of |terms| of the loss
  double growth_per_s;
  double tolerance;
  vvCheckBlock block[VV_CHECK_MAX_BLOCK];
  int nblock;
  int most;                      // entries of the largest block
  struct vvCheckWorker* worker;  // per thread
  int nworker;
  vvCheckResult* result;
} vvCheckPlan;

// Scratch of one thread.
typedef struct vvCheckWorker {
  vvRollout* work;
  vvModel* variant;
  vvState* state;
  vvReal* ctrl;         // N x nu
  vvReal* outputs;      // rows x nout
  vvReal* time;         // rows
  vvReal* dq;           // nv
  uint64_t* signature;  // N
  double* coefficient;  // most   the direction, in typical sizes
  vvTape* tape;         // of a perturbed rollout whose branches are looked at
} vvCheckWorker;

// Rolls the base out, makes its gradient and the blocks.
vvStatus vv_check_plan_create(vvContext* ctx, const vvCheckInput* in, vvCheckPlan** plan, vvReport* report);
void vv_check_plan_free(vvCheckPlan* plan);

// The block that direction `index` belongs to.
const vvCheckBlock* vv_check_plan_block(const vvCheckPlan* plan, int index);

// Loss of a rollout's outputs, NaN where it cannot be had; terms (NULL allowed): the sum of its terms' sizes.
double vv_check_loss(const vvCheckPlan* plan, const vvRolloutInput* rollout, const vvReal* outputs, const vvReal* time,
                     double* terms);

// Which contact or limit makes the rollout on `tape` differ from the plan's at row `step`, as text, and whether it
// grazes: its gap moves by less than 1e-6 m in that step.
void vv_check_where(const vvCheckPlan* plan, const vvTape* tape, int step, vvCheckWorker* worker,
                    vvCheckDirection* direction, bool* grazing);

#endif  // VISVIVA_ROLL_CHECK_PLAN_H_
