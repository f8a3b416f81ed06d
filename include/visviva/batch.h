// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// batch.h: many worlds of one scene, each with its own state, controls and, where wanted, its own numbers, rolled out
// and differentiated on the context's threads. What a world gives does not depend on the others or on the threads.
//
//   vv_batch_create(ctx, m, nworld, VV_ROLLOUT_REVERSE, &batch);
//   vv_batch_rollout(batch, &in, true, &out, &report);
//   vv_batch_vjp(batch, &in, &seed, &grad, &report);
//
// layout   arrays of worlds are world by world; a world's state is the block of a vvState (vv_state_size reals)
// memory   a tape per world, kept from call to call; a workspace per thread

#ifndef VISVIVA_BATCH_H_
#define VISVIVA_BATCH_H_

#include "visviva/roll.h"

#ifdef __cplusplus
extern "C" {
#endif

// What to simulate. Zero it first; arrays stay the caller's and must not change until derivatives have been asked for.
typedef struct vvBatchInput {
  int nstep;
  const vvReal* state;  // nworld x state size      NULL: the scene's own, whose gradient includes qpos0's path
  const vvReal* ctrl;   // nworld x nctrl x nu      NULL: zeros; the last row is held
  int nctrl;
  const vvReal* applied;  // nworld x napplied x nv   generalized forces, NULL: zeros        [N, N m]
  int napplied;
  const int* numbers;  // nnumber   numbers (names.h) that each world has its own value of
  int nnumber;
  const vvReal* values;       // nworld x nnumber
  const vvOutputItem* items;  // nitem   as in vvRolloutInput
  int nitem;
  int nout;
  int stride;  // output rows 0, stride, 2 stride, ...; 0 stands for 1
} vvBatchInput;

// What comes back; pointers may be NULL.
typedef struct vvBatchOutput {
  vvReal* outputs;       // nworld x rows x nout
  vvReal* final;         // nworld x state size
  vvReal* trajectory;    // nworld x (nstep + 1) x (1 + nq + nv + na)   t, q, v, act
  uint64_t* signature;   // nworld x nstep
  double* residual_max;  // nworld
  vvStatus* status;      // nworld
} vvBatchOutput;

// Cotangents; pointers may be NULL (zero). q and q_bar in the tangent chart.
typedef struct vvBatchSeed {
  const vvReal* outputs_bar;  // nworld x rows x nout
  const vvReal* q_bar;        // nworld x nv   of the final state
  const vvReal* v_bar;        // nworld x nv
  const vvReal* act_bar;      // nworld x na
} vvBatchSeed;

// Gradients; NULL means not wanted; all are overwritten.
typedef struct vvBatchGradient {
  vvReal* ctrl_bar;     // nworld x nstep x nu   held rows are not summed
  vvReal* applied_bar;  // nworld x nstep x nv
  vvReal* q0_bar;       // nworld x nv
  vvReal* v0_bar;       // nworld x nv
  vvReal* act0_bar;     // nworld x na
  vvReal* number_bar;   // nworld x nwrt        of the numbers `wrt`
  const int* wrt;       // nwrt
  int nwrt;
  vvReal* adjoint_norm;  // nworld x (nstep + 1)
} vvBatchGradient;

// Tangents in one direction per world; pointers may be NULL (zero).
typedef struct vvBatchTangent {
  const vvReal* q0_tan;      // nworld x nv
  const vvReal* v0_tan;      // nworld x nv
  const vvReal* act0_tan;    // nworld x na
  const vvReal* ctrl_tan;    // nworld x nctrl x nu
  const vvReal* number_tan;  // nworld x nwrt
  const int* wrt;            // nwrt
  int nwrt;
} vvBatchTangent;

typedef struct vvBatchOutputTangent {
  vvReal* outputs_tan;  // nworld x rows x nout
  vvReal* q_tan;        // nworld x nv   of the final state
  vvReal* v_tan;        // nworld x nv
  vvReal* act_tan;      // nworld x na
} vvBatchOutputTangent;

// Derivatives of one step, x' = f(x, u), y = g(x, u) with y the outputs at the state that the step leaves; x in the
// order dq (tangent), v, act: nx = 2 nv + na entries. Pointers may be NULL.
typedef struct vvBatchJacobian {
  vvReal* A;  // nworld x nx x nx
  vvReal* B;  // nworld x nx x nu
  vvReal* C;  // nworld x nout x nx
  vvReal* D;  // nworld x nout x nu
} vvBatchJacobian;

typedef struct vvBatch vvBatch;

// The model must outlive the batch. `*batch` is NULL on error.
vvStatus vv_batch_create(vvContext* ctx, const vvModel* m, int nworld, vvRolloutUse use, vvBatch** batch);
void vv_batch_free(vvBatch* batch);  // NULL is allowed
int vv_batch_rows(const vvBatchInput* in);

// Simulates every world, recording when `record`. The status of the lowest world that failed; worlds after it may not
// have run. VV_ERROR_NOT_CONVERGED: all have run, some solve stayed above 1e-10. The report names the world as element.
vvStatus vv_batch_rollout(vvBatch* batch, const vvBatchInput* in, bool record, vvBatchOutput* out, vvReport* report);

// Reverse and forward sweeps over what the last vv_batch_rollout recorded, with the same input.
// VV_ERROR_ARGUMENT when nothing was recorded.
vvStatus vv_batch_vjp(vvBatch* batch, const vvBatchInput* in, const vvBatchSeed* seed, const vvBatchGradient* gradient,
                      vvReport* report);
vvStatus vv_batch_jvp(vvBatch* batch, const vvBatchInput* in, const vvBatchTangent* tangent,
                      const vvBatchOutputTangent* out, vvReport* report);

// Jacobians of one step (in->nstep is not used). VV_ERROR_NOT_CONVERGED: all are made, some solve stayed above 1e-10.
vvStatus vv_batch_jacobian(vvBatch* batch, const vvBatchInput* in, const vvBatchJacobian* jacobian, vvReport* report);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_BATCH_H_
