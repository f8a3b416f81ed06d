// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// muscle.c: force of a muscle after Hill: activation times a bell over length and a hyperbola over velocity, plus the
// passive stretch. Lengths in optimal lengths, velocities in those per second over the fastest.
//
//   vv kernel samples/kernel/muscle.c --check

#include "visviva/kernel.h"

typedef struct Muscle {
  vvReal strength;  // at optimal length, isometric           [N]
  vvReal width;     // of the bell
  vvReal bend;      // of the hyperbola: smaller bends more
  vvReal passive;   // stiffness of the passive stretch
} Muscle;

VV_DIFF vvReal muscle_force(Muscle m, vvReal activation, vvReal length, vvReal velocity) {
  vvReal d = (length - 1) / m.width;
  vvReal bell = vv_exp(-d * d);
  vvReal speed = 1;
  if (velocity < 0) {
    speed = velocity < -1 ? 0 : (1 + velocity) / (1 - velocity / m.bend);  // shortening; no force at full speed
  } else {
    speed = (vvReal)1.5 - (vvReal)0.5 / (1 + 2 * velocity * (1 + 1 / m.bend));  // lengthening; same slope at 0
  }
  vvReal stretch = vv_fmax(length - 1, 0);
  return m.strength * (activation * bell * speed + m.passive * stretch * stretch);
}
