// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// drag.c: drag of a moving box in still air, face by face.
//
//   vv kernel samples/kernel/drag.c --check

#include "visviva/kernel.h"

// Force along each axis: -rho/2 c A |v| v, with the areas of the faces from the half sizes. [N]
VV_DIFF void box_drag(const vvReal* half, const vvReal* v, vvReal rho, vvReal c, VV_WRITE_ONCE vvReal* force) {
  for (int i = 0; i < 3; i++) {
    vvReal area = 4 * half[(i + 1) % 3] * half[(i + 2) % 3];
    force[i] = -rho / 2 * c * area * vv_fabs(v[i]) * v[i];
  }
}
