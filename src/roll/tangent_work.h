// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// tangent_work.h: the scratch of forward sensitivities: eight tangents of everything that a step computes.

#ifndef VISVIVA_ROLL_TANGENT_WORK_H_
#define VISVIVA_ROLL_TANGENT_WORK_H_

#include "dynamics_kernel.vv.h"
#include "roll/tangent.h"

struct vvTangentWork {
  vvModel_tan8 model;    // pointers into the caller's block of tangents, or into reals_zero
  vvReal8* q_tan;        // nq   ambient
  vvReal8* q1_tan;       // nq
  vvReal8* v_tan;        // nv
  vvReal8* a_tan;        // nv
  vvReal8* a2_tan;       // nv
  vvReal8* tau_tan;      // nv
  vvReal8* r_tan;        // nv
  vvReal8* zero;         // 6 nbody, at least nv
  vvReal8* act_tan;      // na
  vvReal8* act1_tan;     // na
  vvReal8* act_dot_tan;  // na
  vvReal8* rk_act_tan;   // na
  vvReal8* rk_sum_act;   // na   sum of b_i act'_i
  vvReal8* rk_q_tan;     // nq   of Runge-Kutta's present evaluation
  vvReal8* rk_v_tan;     // nv
  vvReal8* rk_k_tan;     // nv   rate of its chart
  vvReal8* rk_u_tan;     // nv   velocity that its q advances by
  vvReal8* rk_sum_v;     // nv   sum of b_i v_i
  vvReal8* rk_sum_a;     // nv   sum of b_i a_i
  vvReal8* ctrl_zero;    // nu
  vvReal8* force_tan;    // nbody x 6
  vvReal8* reals_zero;   // reals of the model
  vvRigidPose_tan8 pose_tan;
  vvRigidMotion_tan8 motion_tan;
  vvReal* tau;         // nv
  vvReal* r;           // nv
  vvReal* d;           // nv   a2 - a
  vvReal* force;       // nbody x 6
  vvReal* column;      // nv
  vvReal* act_dot;     // na
  vvReal* act1;        // na
  vvReal* rk_act_dot;  // na   weighted sum of the rates
  vvReal* rk_k;        // nv   rate of the present evaluation
  vvReal* rk_u;        // nv   velocity that q advances by over the step
  vvReal8* block8;
  vvReal* block;
  size_t block8_reals;
  size_t block_reals;
};

#endif  // VISVIVA_ROLL_TANGENT_WORK_H_
