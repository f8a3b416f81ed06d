// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// force_kernel.c: what acts on the dofs from outside the acceleration node: joint springs and damping, motors.
//
//   tau_d = applied_d - k (q - q_spring) - b v_d + sum over actuators of gear * clamp(clamp(ctrl))
//
// A rotation's spring pulls along the rotation vector from the spring's orientation, in body axes.

#include "rigid/motor_kernel.h"
#include "rigid/rigid_kernel.h"

VV_DIFF static inline void add_spring_rotation(vvReal k, const vvReal* q, const vvReal* q_spring, int iq, vvReal* tau,
                                               int d) {
  vvQuat turn = vv_quat_mul(vv_quat_conj(vv_quat_load(q_spring, iq)), vv_quat_normalize(vv_quat_load(q, iq)));
  vvVec3 r = vv_quat_log(turn);
  tau[d] -= k * r.x;
  tau[d + 1] -= k * r.y;
  tau[d + 2] -= k * r.z;
}

// Gear of an angular motor in body axes: as stated, or turned from the parent's (free: the world's) axes.
VV_DIFF static inline void add_motor_rotation(vvReal f, vvVec3 gear, int inparent, const vvReal* q, int iq, vvReal* tau,
                                              int d) {
  vvVec3 g = gear;
  if (inparent) g = vv_quat_rotate(vv_quat_conj(vv_quat_normalize(vv_quat_load(q, iq))), gear);
  tau[d] += f * g.x;
  tau[d + 1] += f * g.y;
  tau[d + 2] += f * g.z;
}

VV_DIFF void vv_rigid_force(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* ctrl,
                            const vvReal* applied, vvReal* tau) {
  for (int d = 0; d < m->nv; d++) {
    vvReal b = 0;
    if (!(m->disable & VV_DISABLE_DAMPER)) b = m->jnt_damping[m->dof_jnt[d]];
    tau[d] = applied[d] - b * v[d];
  }
  for (int j = 0; j < m->njnt; j++) {
    int iq = m->jnt_q[j];
    int d = m->jnt_v[j];
    if (m->disable & VV_DISABLE_SPRING) continue;
    if (m->jnt_type[j] == VV_JOINT_FREE) {
      vvReal k = m->jnt_stiffness[j];
      tau[d] -= k * (q[iq] - m->qpos_spring[iq]);
      tau[d + 1] -= k * (q[iq + 1] - m->qpos_spring[iq + 1]);
      tau[d + 2] -= k * (q[iq + 2] - m->qpos_spring[iq + 2]);
      add_spring_rotation(k, q, m->qpos_spring, iq + 3, tau, d + 3);
    } else if (m->jnt_type[j] == VV_JOINT_BALL) {
      add_spring_rotation(m->jnt_stiffness[j], q, m->qpos_spring, iq, tau, d);
    } else {
      tau[d] -= m->jnt_stiffness[j] * (q[iq] - m->qpos_spring[iq]);
    }
  }
  for (int u = 0; u < m->nu; u++) {
    if (m->disable & VV_DISABLE_ACTUATION) continue;
    int j = m->actuator_jnt[u];
    int iq = m->jnt_q[j];
    int d = m->jnt_v[j];
    vvReal f = vv_motor_force(m, ctrl, u);
    if (m->jnt_type[j] == VV_JOINT_FREE) {
      tau[d] += f * m->actuator_gear[6 * u];
      tau[d + 1] += f * m->actuator_gear[6 * u + 1];
      tau[d + 2] += f * m->actuator_gear[6 * u + 2];
      add_motor_rotation(f, vv_vec3_load(m->actuator_gear, 6 * u + 3), m->actuator_inparent[u], q, iq + 3, tau, d + 3);
    } else if (m->jnt_type[j] == VV_JOINT_BALL) {
      add_motor_rotation(f, vv_vec3_load(m->actuator_gear, 6 * u), m->actuator_inparent[u], q, iq, tau, d);
    } else {
      tau[d] += f * m->actuator_gear[6 * u];
    }
  }
}
