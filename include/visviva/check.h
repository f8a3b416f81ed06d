// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// check.h: the gradient of a rollout held against differences of the rollout, direction by direction, with verdicts.
//
// method   block by block (ctrl, qpos0, qvel0, act0, each attribute of numbers): each number when a block has at most
//          50, and 20 random mixtures; central differences at eps 2^-k, k = 0..7, eps = 1e-3 of the typical size, with
//          Richardson's extrapolation and its own error e; one-sided where the other side is not allowed
// scale    everything in units of typical sizes: s = max(|D|, 1e-3 x the block's largest |gradient|,
//          1e-8 x the sum of the loss's |terms|)

#ifndef VISVIVA_CHECK_H_
#define VISVIVA_CHECK_H_

#include "visviva/roll.h"
#include "visviva/row_loss.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum vvVerdict {
  VV_VERDICT_OK = 0,      // |adjoint - difference| <= tolerance x s
  VV_VERDICT_KINK,        // one-sided differences differ
  VV_VERDICT_JUMP,        // the difference grows as 1/step
  VV_VERDICT_GRAZING,     // a contact joins or leaves at almost no normal speed
  VV_VERDICT_CHAOTIC,     // small changes grow too fast for differences
  VV_VERDICT_UNRESOLVED,  // differences do not settle
  VV_VERDICT_MISMATCH     // a bug: differences settle, no branch changes, the gradient is another
} vvVerdict;

// A short constant text, never NULL.
const char* vv_verdict_text(vvVerdict verdict);

// Loss = sum(outputs_bar . outputs) + sum(time_bar . time), over the rows of `rollout`; or that of a user's kernel,
// whose items are then those of `rollout`, at all rows.
typedef struct vvCheckInput {
  vvRolloutInput rollout;
  const vvReal* outputs_bar;      // rows x nout
  const vvReal* time_bar;         // rows, NULL: zeros
  const vvRowLoss* row_loss;      // NULL: the weights above
  bool ctrl, qpos0, qvel0, act0;  // blocks wanted
  const int* numbers;             // numbers wanted, indices into the model's names
  int nnumber;
  double tolerance;  // 0 stands for 1e-6
  uint64_t seed;     // of the mixtures
} vvCheckInput;

typedef struct vvCheckDirection {
  char block[32];       // "ctrl", "qpos0", ... or the attribute, e.g. "geom/friction"
  int index;            // entry of the block, -1: a mixture
  int mixture;          // 0..19, -1: a single number
  int number;           // index into the model's names, -1: none
  double adjoint;       // from the reverse sweep; per unit of a number, per typical size of a mixture
  double difference;    // from the ladder, in the same unit
  double error;         // |adjoint - difference|/s, scaled
  double ladder_error;  // e/s
  vvVerdict verdict;
  bool resolved;    // e <= 1e-7 s
  bool unchanged;   // no branch changed within the differences used
  int step;         // where the first branch changed, -1: nowhere
  char where[128];  // which contact or limit, "" when none
} vvCheckDirection;

typedef struct vvCheckResult {
  vvCheckDirection* direction;
  int ndirection;
  int nresolved;   // directions resolved
  int nunchanged;  // of these, with unchanged signatures
  int nmismatch;
  double loss;
  double growth_per_s;  // of the adjoint
} vvCheckResult;

// Uses the context's threads; results do not depend on their number. *result is NULL on error.
vvStatus vv_check(vvContext* ctx, const vvCheckInput* in, vvCheckResult** result, vvReport* report);
void vv_check_free(vvContext* ctx, vvCheckResult* result);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_CHECK_H_
