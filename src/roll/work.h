// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// work.h: the scratch of rollouts, one block per workspace, and small helpers that forward, reverse and tangent sweeps
// share.

#ifndef VISVIVA_ROLL_WORK_H_
#define VISVIVA_ROLL_WORK_H_

#include "rigid/rigid_kernel.h"
#include "roll/tangent.h"
#include "roll/tape.h"
#include "visviva/arena.h"
#include "visviva/rigid.h"
#include "visviva/roll.h"

// Scratch of the reverse sweep (reverse.c).
typedef struct vvReverseWork {
  // cotangents carried from row to row
  vvReal* q_bar;     // nq   ambient
  vvReal* v_bar;     // nv
  vvReal* q1_bar;    // nq   of the row after
  vvReal* v1_bar;    // nv
  vvReal* act_bar;   // na
  vvReal* act1_bar;  // na
  // within a step
  vvReal* act_dot;           // na
  vvReal* act_dot_bar;       // na
  vvReal* act1;              // na
  vvReal* a_bar;             // nv
  vvReal* a2_bar;            // nv
  vvReal* d;                 // nv   a2 - a
  vvReal* w;                 // nv   multiplier of the acceleration node
  vvReal* w2;                // nv   of the damping node
  vvReal* tau;               // nv
  vvReal* tau_bar;           // nv
  vvReal* ctrl_bar;          // nu
  vvReal* applied_bar;       // nv
  vvReal* wrench_bar;        // nbody x 6
  vvReal* held_ctrl_bar;     // nu   of the last row, which holds the controls of the row before
  vvReal* held_applied_bar;  // nv
  vvReal* tangent_bar;       // nv   chart of q_bar
  // of Runge-Kutta's evaluations
  vvReal* rk_q_bar;        // nq       of the present one's configuration
  vvReal* rk_v;            // nv       of the present one's velocity
  vvReal* rk_act_bar;      // na       of the present one's activations
  vvReal* rk_act_dot;      // na       weighted sum of the rates
  vvReal* rk_act_dot_bar;  // 4 x na
  vvReal* rk_u;            // nv       velocity that q advances by
  vvReal* rk_u_bar;        // nv
  vvReal* rk_x;            // nv       velocity in the chart that the present one's configuration comes from
  vvReal* rk_x_bar;        // nv
  vvReal* rk_k;            // 4 x nv   rates of all
  vvReal* rk_k_bar;        // 4 x nv
  vvReal* rk_a_bar;        // 4 x nv   of all accelerations
  vvRigidPose pose_bar;
  vvRigidMotion motion_bar;
  vvReal* D;  // nbody x 6   motions of d and w2 in the damping node
  vvReal* D_bar;
  vvReal* W;
  vvReal* W_bar;
  vvTapeMem mem;  // of the generated code
} vvReverseWork;

struct vvRollout {
  vvContext* ctx;
  vvRolloutUse use;
  int nq, nv, na, nu, nbody, ntree;  // sizes that the workspace was made for
  vvRigidWork* rigid;
  vvState* state;
  vvReal* zero;          // 6 nbody, at least nv and nu, zeros
  vvReal* q1;            // nq
  vvRigidMotion motion;  // of outputs and of the weak residual
  vvReverseWork reverse;
  vvTangentWork* tangent;
  uint64_t linear_tape;  // recording (vv_tape_id) that `rigid` is linearised at, 0: none
  int linear_row;        // and the row of it
  vvReal* out;           // out_reals   outputs of a row, rebuilt
  vvReal* out_bar;       // out_reals
  size_t out_reals;
  vvReal* block;  // all arrays above
  size_t block_reals;
};

// Row k of controls, applied forces or body wrenches, the last one held; `none` where there are none.
const vvReal* vv_held_row(const vvReal* rows, int nrow, int width, int k, const vvReal* none);

// Hash of the controls and forces of a rollout.
uint64_t vv_rollout_inputs(const vvRolloutInput* in);

// VV_ERROR_ARGUMENT with a message when `in` does not fit itself or the workspace.
vvStatus vv_rollout_check_input(const vvRolloutInput* in, const vvRollout* work, vvReport* report);

// Whether the damping node takes part in derivatives: a damping is not 0, or its own derivative is wanted.
bool vv_rollout_damped(const vvModel* m, bool with_model);

// Whether some item of `in` needs the acceleration node solved at the row where it is evaluated.
bool vv_rollout_needs_solve(const vvRolloutInput* in);

// Makes room for nout outputs a row.
vvStatus vv_rollout_reserve_outputs(vvRollout* work, int nout);

#endif  // VISVIVA_ROLL_WORK_H_
