// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// limit_kernel.h: limits of ball joints: the angle of the joint's quaternion is at most the range's upper bound.
//
//   angle  of q from the identity, in [0, pi];  rate: axis . (angular velocity, body axes)
//   gap    bound - angle                                    [rad]
//
// smooth   except at angle 0, where the axis counts as x and has no derivative, and at pi, where it turns about

#ifndef VISVIVA_RIGID_LIMIT_KERNEL_H_
#define VISVIVA_RIGID_LIMIT_KERNEL_H_

#include "rigid/constraint_law_kernel.h"

typedef struct vvBallTurn {
  vvReal angle;  // [rad]
  vvVec3 axis;   // unit
} vvBallTurn;

VV_DIFF static inline vvBallTurn vv_ball_turn(const vvModel* m, const vvReal* q, int j) {
  vvQuat p = vv_quat_normalize(vv_quat_load(q, m->jnt_q[j]));
  vvBallTurn r = {0, {1, 0, 0}};
  vvReal s2 = p.x * p.x + p.y * p.y + p.z * p.z;
  if (s2 > 0) {
    vvReal s = vv_sqrt(s2);
    vvReal sign = 1;
    if (p.w < 0) sign = -1;
    vvReal k = sign / s;
    r.angle = 2 * vv_atan2(s, sign * p.w);
    r.axis = vv_vec3(k * p.x, k * p.y, k * p.z);
  }
  return r;
}

// Gap beyond the margin.
VV_DIFF static inline vvReal vv_ball_violation(const vvModel* m, vvBallTurn turn, int j) {
  return m->jnt_range[2 * j + 1] - turn.angle - m->jnt_margin[j];
}

VV_DIFF static inline vvLaw vv_joint_limit_law(const vvModel* m, int j, vvReal x) {
  return vv_law(m->jnt_solref[2 * j], m->jnt_solref[2 * j + 1], m->jnt_solimp[5 * j], m->jnt_solimp[5 * j + 1],
                m->jnt_solimp[5 * j + 2], m->jnt_solimp[5 * j + 3], m->jnt_solimp[5 * j + 4], m->opt_timestep[0],
                !(m->disable & VV_DISABLE_REFSAFE), x);
}

// Rate of the gap from the velocity (or acceleration, or test direction) v of the dofs.
VV_DIFF static inline vvReal vv_ball_rate(const vvModel* m, const vvReal* v, vvBallTurn turn, int j) {
  return -vv_vec3_dot(turn.axis, vv_vec3_load(v, m->jnt_v[j]));
}

// Force of the limit along its row.
VV_DIFF static inline vvReal vv_ball_force(const vvModel* m, const vvReal* v, VV_NO_DIFF const vvReal* a,
                                           vvBallTurn turn, int j) {
  vvReal x = vv_ball_violation(m, turn, j);
  vvLaw law = vv_joint_limit_law(m, j, x);
  vvReal D = 1 / vv_law_regularisation(law.d, m->dof_invweight[m->jnt_v[j]]);
  return vv_law_row_force(D, vv_ball_rate(m, a, turn, j), -law.B * vv_ball_rate(m, v, turn, j) - law.K * law.d * x);
}

#endif  // VISVIVA_RIGID_LIMIT_KERNEL_H_
