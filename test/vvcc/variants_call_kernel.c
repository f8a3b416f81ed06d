// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// variants_call_kernel.c: a kernel that calls those of another file.

#include "vvcc/variants_kernel.h"

VV_DIFF vvReal toy_total(const vvToy* m, const vvReal* q, const vvReal* v, VV_NO_DIFF const vvReal* w,
                         VV_WRITE_ONCE vvToyPose* pose, const vvReal* bias) {
  vvReal e = toy_energy(m, q, v, w, pose);
  vvReal s = bias ? e * bias[0] : e;
  return s * s + vv_sin(e) + pose->pos[4] * s;
}
