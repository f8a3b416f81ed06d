// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// force_kernel.c: what acts on the dofs from outside the acceleration node: springs and damping of joints and tendons,
// actuators; and the rates of activations.
//
//   tau_d = applied_d - k (q - q_spring) - b v_d + sum over tendons of coef (spring - b l') + sum over actuators of
//           moment * force
//
// A rotation's spring pulls along the rotation vector from the spring's orientation, in body axes.

#include "rigid/actuator_kernel.h"
#include "rigid/rigid_kernel.h"

VV_DIFF static inline void add_spring_rotation(vvReal k, const vvReal* q, const vvReal* q_spring, int iq, vvReal* tau,
                                               int d) {
  vvQuat turn = vv_quat_mul(vv_quat_conj(vv_quat_load(q_spring, iq)), vv_quat_normalize(vv_quat_load(q, iq)));
  vvVec3 r = vv_quat_log(turn);
  tau[d] -= k * r.x;
  tau[d + 1] -= k * r.y;
  tau[d + 2] -= k * r.z;
}

VV_DIFF void vv_rigid_actuation(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* act,
                                const vvReal* ctrl, vvReal* tau) {
  for (int d = 0; d < m->nv; d++) tau[d] = 0;
  for (int u = 0; u < m->nu; u++) {
    if (m->disable & VV_DISABLE_ACTUATION) continue;
    int id = m->actuator_trnid[u];
    int inparent = m->actuator_trntype[u] == VV_TRN_JOINTINPARENT;
    vvReal f = vv_actuator_force(m, q, v, act, ctrl, u);
    if (m->actuator_trntype[u] == VV_TRN_SITE) {
      int ref = m->actuator_ref[u];
      vv_site_push(m, q, id, m->actuator_stop[u], vv_site_gear(m, q, u), f, tau);
      if (ref >= 0) vv_site_push(m, q, ref, m->actuator_stop[u], vv_site_counter(m, u), f, tau);
    } else if (m->actuator_trntype[u] == VV_TRN_TENDON) {
      for (int k = 0; k < m->tendon_num[id]; k++) {
        int w = m->tendon_wrap[id] + k;
        tau[m->jnt_v[m->wrap_jnt[w]]] += m->wrap_coef[w] * m->actuator_gear[6 * u] * f;
      }
    } else if (m->jnt_type[id] == VV_JOINT_FREE) {
      int d = m->jnt_v[id];
      vvVec3 g = vv_actuator_angular_gear(vv_vec3_load(m->actuator_gear, 6 * u + 3), inparent, q, m->jnt_q[id] + 3);
      tau[d] += f * m->actuator_gear[6 * u];
      tau[d + 1] += f * m->actuator_gear[6 * u + 1];
      tau[d + 2] += f * m->actuator_gear[6 * u + 2];
      tau[d + 3] += f * g.x;
      tau[d + 4] += f * g.y;
      tau[d + 5] += f * g.z;
    } else if (m->jnt_type[id] == VV_JOINT_BALL) {
      int d = m->jnt_v[id];
      vvVec3 g = vv_actuator_angular_gear(vv_vec3_load(m->actuator_gear, 6 * u), inparent, q, m->jnt_q[id]);
      tau[d] += f * g.x;
      tau[d + 1] += f * g.y;
      tau[d + 2] += f * g.z;
    } else {
      tau[m->jnt_v[id]] += f * m->actuator_gear[6 * u];
    }
  }
  for (int j = 0; j < m->njnt; j++) {
    if (!m->jnt_actfrclimited[j] || m->disable & VV_DISABLE_ACTUATION) continue;
    int d = m->jnt_v[j];
    tau[d] = vv_clamp(tau[d], m->jnt_actfrcrange[2 * j], m->jnt_actfrcrange[2 * j + 1]);
  }
}

VV_DIFF void vv_rigid_force(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* act, const vvReal* ctrl,
                            const vvReal* applied, vvReal* tau) {
  vv_rigid_actuation(m, q, v, act, ctrl, tau);
  for (int d = 0; d < m->nv; d++) {
    vvReal b = 0;
    if (!(m->disable & VV_DISABLE_DAMPER)) b = m->jnt_damping[m->dof_jnt[d]];
    tau[d] += applied[d] - b * v[d];
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
  for (int t = 0; t < m->ntendon; t++) {
    vvReal l = vv_tendon_sum(m, t, q, m->jnt_q);
    vvReal f = 0;
    if (!(m->disable & VV_DISABLE_SPRING)) {
      if (l < m->tendon_spring[2 * t]) f = m->tendon_stiffness[t] * (m->tendon_spring[2 * t] - l);
      if (l > m->tendon_spring[2 * t + 1]) f = m->tendon_stiffness[t] * (m->tendon_spring[2 * t + 1] - l);
    }
    if (!(m->disable & VV_DISABLE_DAMPER)) f -= m->tendon_damping[t] * vv_tendon_sum(m, t, v, m->jnt_v);
    for (int k = 0; k < m->tendon_num[t]; k++) {
      int w = m->tendon_wrap[t] + k;
      tau[m->jnt_v[m->wrap_jnt[w]]] += m->wrap_coef[w] * f;
    }
  }
}

VV_DIFF void vv_rigid_activation(const vvModel* m, const vvReal* act, const vvReal* ctrl,
                                 VV_WRITE_ONCE vvReal* act_dot) {
  for (int u = 0; u < m->nu; u++) {
    if (m->actuator_act[u] < 0) continue;
    vvReal rate = 0;
    if (!(m->disable & VV_DISABLE_ACTUATION) && !m->actuator_disabled[u])
      rate = vv_actuator_act_dot(m, u, ctrl, act[m->actuator_act[u]]);
    act_dot[m->actuator_act[u]] = rate;
  }
}

VV_DIFF void vv_rigid_activate(const vvModel* m, const vvReal* act, const vvReal* act_dot, VV_WRITE_ONCE vvReal* act1) {
  for (int u = 0; u < m->nu; u++) {
    if (m->actuator_act[u] < 0) continue;
    vvReal next = act[m->actuator_act[u]];
    if (!(m->disable & VV_DISABLE_ACTUATION)) {
      next = vv_actuator_next(m, u, act[m->actuator_act[u]], act_dot[m->actuator_act[u]]);
    }
    act1[m->actuator_act[u]] = next;
  }
}
