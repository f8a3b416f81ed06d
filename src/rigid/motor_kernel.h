// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// motor_kernel.h: the force of a motor from its control, before its gear.

#ifndef VISVIVA_RIGID_MOTOR_KERNEL_H_
#define VISVIVA_RIGID_MOTOR_KERNEL_H_

#include "visviva/kernel.h"
#include "visviva/model.h"

// a limited to [lower, upper] with the derivative of whichever is in effect; a itself at equality.
VV_DIFF static inline vvReal vv_motor_clamp(vvReal a, vvReal lower, vvReal upper) {
  vvReal r = a;
  if (r < lower) r = lower;
  if (r > upper) r = upper;
  return r;
}

VV_DIFF static inline vvReal vv_motor_force(const vvModel* m, const vvReal* ctrl, int u) {
  vvReal f = ctrl[u];
  if (m->actuator_ctrllimited[u] && !(m->disable & VV_DISABLE_CLAMPCTRL)) {
    f = vv_motor_clamp(f, m->actuator_ctrlrange[2 * u], m->actuator_ctrlrange[2 * u + 1]);
  }
  if (m->actuator_forcelimited[u]) {
    f = vv_motor_clamp(f, m->actuator_forcerange[2 * u], m->actuator_forcerange[2 * u + 1]);
  }
  return f;
}

#endif  // VISVIVA_RIGID_MOTOR_KERNEL_H_
