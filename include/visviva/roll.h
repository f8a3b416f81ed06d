// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// roll.h: rollouts and their derivatives: a simulation over N steps, a tape of it, the reverse sweep over the tape, and
// forward sensitivities in eight directions.
//
//   vv_rollout_create(ctx, m, VV_ROLLOUT_REVERSE, &work);    once per thread
//   vv_tape_create(ctx, &tape);                              once per rollout that is to be differentiated
//   vv_rollout(&in, tape, work, &out, &report);
//   vv_rollout_vjp(&in, tape, work, &seed, &grad, &report);
//   vv_rollout_jvp8(&in, tape, work, &tan, &out_tan, &report);
//
// A rollout's outputs are the items (output.h) at some of its rows; row k is the state after k steps with the items
// evaluated at it under control row k, the last row of controls being held. Asking for a tape changes no bit of a
// result. Nothing is allocated inside these calls, except tape chunks between steps when the tape is too small.
//
// chart    cotangents and tangents of q have nv entries: on a quaternion a rotation vector in body axes
// cost     a tape holds q, v, a and the contact features of each step; the reverse rebuilds the rest without any search

#ifndef VISVIVA_ROLL_H_
#define VISVIVA_ROLL_H_

#include "visviva/kernel.h"
#include "visviva/model.h"
#include "visviva/names.h"
#include "visviva/output.h"
#include "visviva/report.h"

#ifdef __cplusplus
extern "C" {
#endif

// What to simulate. Zero it first; all arrays stay the caller's and must not change while derivatives are asked for.
typedef struct vvRolloutInput {
  const vvModel* model;
  const vvState* initial;  // NULL: the model's own state; then its gradient includes the path through qpos0
  int nstep;               // N >= 0
  const vvReal* ctrl;      // nctrl x nu     controls, row k held during step k; NULL: zeros
  int nctrl;               // rows, at least 1 where ctrl is given; the last is held to the end
  const vvReal* applied;   // napplied x nv  generalized forces, held likewise; NULL: zeros   [N, N m]
  int napplied;
  const vvReal* wrench;       // nwrench x (nbody x 6)  forces and torques at body origins, world axes; NULL: zeros
  int nwrench;                // rows
  const vvOutputItem* items;  // nitem          outputs; item i fills out[adr .. adr + dim - 1]
  int nitem;
  int nout;         // entries of an output row
  const int* rows;  // nrow           ascending rows in 0..N to evaluate; NULL: by stride
  int nrow;
  int stride;  // rows 0, stride, 2 stride, ...; 0 stands for 1
} vvRolloutInput;

// What comes back; pointers may be NULL.
typedef struct vvRolloutOutput {
  vvReal* outputs;         // vv_rollout_rows(in) x nout
  vvState* final;          // state after N steps, fit to go on from (bit-identical)
  vvReal* time;            // rows of outputs                                [s]
  vvReal* trajectory;      // (N + 1) x (1 + nq + nv + na)   t, q, v, act of every row
  uint64_t* signature;     // N       hash of every branch taken in step k
  double residual_max;     // largest scaled residual of a solve
  int iterations_max;      // most Newton iterations of a solve
  int contacts_max;        // most contacts in a step
  double contacts_mean;    // contacts per step
  int steps_done;          // N, fewer when a step failed
  double iterations_mean;  // Newton iterations of a step's first evaluation
} vvRolloutOutput;

// What a workspace is for; more means more memory.
typedef enum vvRolloutUse {
  VV_ROLLOUT_FORWARD = 0,
  VV_ROLLOUT_REVERSE = 1,  // forward and vv_rollout_vjp
  VV_ROLLOUT_TANGENT = 2,  // forward and vv_rollout_jvp8
  VV_ROLLOUT_ALL = 3
} vvRolloutUse;

// Scratch of one rollout at a time, for one model's sizes: that model, its variants, or another of the same counts.
typedef struct vvRollout vvRollout;
vvStatus vv_rollout_create(vvContext* ctx, const vvModel* m, vvRolloutUse use, vvRollout** work);
void vv_rollout_free(vvRollout* work);  // NULL is allowed

// Tape of one rollout; keeps its memory from rollout to rollout.
typedef struct vvTape vvTape;
vvStatus vv_tape_create(vvContext* ctx, vvTape** tape);
void vv_tape_free(vvTape* tape);                       // NULL is allowed
vvStatus vv_tape_reserve(vvTape* tape, size_t bytes);  // so that recording that much allocates nothing
void vv_tape_limit(vvTape* tape, size_t bytes);        // VV_ERROR_CAPACITY beyond; 0: no limit
size_t vv_tape_bytes(const vvTape* tape);              // recorded now
int vv_tape_steps(const vvTape* tape);

// Rows of outputs that `in` asks for, and the r-th of them.
int vv_rollout_rows(const vvRolloutInput* in);
int vv_rollout_row(const vvRolloutInput* in, int r);

// Simulates. tape NULL: nothing is recorded. VV_ERROR_NOT_CONVERGED: a residual stayed above 1e-10; the rollout went on
// to its end and its results (and tape) are usable; other errors stop at the step that the report names.
vvStatus vv_rollout(const vvRolloutInput* in, vvTape* tape, vvRollout* work, vvRolloutOutput* out, vvReport* report);

// Cotangents of what a rollout gave; pointers may be NULL (zero).
typedef struct vvRolloutSeed {
  const vvReal* outputs_bar;  // rows x nout
  const vvReal* time_bar;     // rows   of the rows' times, which depend on the timestep
  const vvReal* q_bar;        // nv   of the final configuration, tangent
  const vvReal* v_bar;        // nv
  const vvReal* act_bar;      // na
} vvRolloutSeed;

// Gradient of sum(outputs_bar . outputs) + q_bar . q_N + ...; every pointer is the caller's, NULL means not wanted.
// `model` accumulates (+=) cotangents of primary AND derived reals, so that several rollouts may share one shadow:
// zero it before, call vv_model_derive_vjp once after the last, then read vv_number_bar. Its q0 path, taken where
// in->initial is NULL, is included. The other arrays are overwritten.
typedef struct vvGradient {
  vvReal* ctrl_bar;      // N x nu   a row per step; held rows are not summed (row N joins row N - 1)
  vvReal* applied_bar;   // N x nv   likewise
  vvReal* q0_bar;        // nv       tangent
  vvReal* v0_bar;        // nv
  vvReal* act0_bar;      // na
  vvModel* model;        //          shadow of in->model
  vvReal* adjoint_norm;  // N + 1    |(q_bar, v_bar, act_bar)| that reaches row k
} vvGradient;

// Reverse sweep over the tape of vv_rollout(in, tape, ...).
vvStatus vv_rollout_vjp(const vvRolloutInput* in, const vvTape* tape, vvRollout* work, const vvRolloutSeed* seed,
                        vvGradient* gradient, vvReport* report);

// Growth of the adjoint per second: log(|adjoint_0|/|adjoint_k|)/(t_k - t_0), k the last row with a nonzero one.
double vv_adjoint_growth(const vvReal* adjoint_norm, int nstep, double timestep);

// Eight directions at once; pointers may be NULL (zero).
typedef struct vvRolloutTangent {
  const vvReal8*
      reals_tan;            // reals of the model (vv_model_real_count): primary and derived, after vv_model_derive_jvp8
  const vvReal8* q0_tan;    // nv   tangent; added to the path through qpos0 where in->initial is NULL
  const vvReal8* v0_tan;    // nv
  const vvReal8* act0_tan;  // na
  const vvReal8* ctrl_tan;  // nctrl x nu
} vvRolloutTangent;

typedef struct vvRolloutOutputTangent {
  vvReal8* outputs_tan;  // rows x nout
  vvReal8* q_tan;        // nv   of the final configuration, tangent
  vvReal8* v_tan;        // nv
  vvReal8* act_tan;      // na
} vvRolloutOutputTangent;

// Forward sensitivities along the tape of vv_rollout(in, tape, ...).
vvStatus vv_rollout_jvp8(const vvRolloutInput* in, const vvTape* tape, vvRollout* work, const vvRolloutTangent* tangent,
                         vvRolloutOutputTangent* out, vvReport* report);

// Reals in the block of a model (m->reals), the length of vvRolloutTangent.reals_tan.
size_t vv_model_real_count(const vvModel* m);

// Sets direction 0..7 of a block of primary tangents to "this number moves by 1", in all its members. Then call
// vv_model_derive_jvp8 once for the whole block. The block is 64-byte aligned (vv_alloc) and zeroed before.
void vv_number_tangent(const vvModel* m, int number, int direction, vvReal8* reals_tan);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_ROLL_H_
