// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// pending.c: derivatives that wait for generated kernels.

#include "roll/work.h"

vvStatus vv_tangent_create(vvContext* ctx, const vvModel* m, vvTangentWork** work) {
  (void)ctx;
  (void)m;
  *work = NULL;
  return VV_OK;
}

void vv_tangent_free(vvContext* ctx, vvTangentWork* work) {
  (void)ctx;
  (void)work;
}

vvStatus vv_rollout_jvp8(const vvRolloutInput* in, const vvTape* tape, vvRollout* work, const vvRolloutTangent* tangent,
                         vvRolloutOutputTangent* out, vvReport* report) {
  (void)in;
  (void)tape;
  (void)work;
  (void)tangent;
  (void)out;
  return vv_report_set(report, VV_ERROR_UNSUPPORTED, "gradients are not built yet");
}
