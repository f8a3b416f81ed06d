// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// output_row.c: outputs of one row, forward (output_row.h).

#include "roll/output_row.h"

vvStatus vv_rollout_reserve_outputs(vvRollout* work, int nout) {
  size_t need = (size_t)nout;
  if (need <= work->out_reals) return VV_OK;
  vvReal* out = VV_NEW(work->ctx, vvReal, 2 * need);
  if (!out) return VV_ERROR_MEMORY;
  VV_DELETE(work->ctx, work->out, vvReal, 2 * work->out_reals);
  work->out = out;
  work->out_bar = out + need;
  work->out_reals = need;
  return VV_OK;
}

bool vv_rollout_needs_solve(const vvRolloutInput* in) {
  return in->nitem > 0 && (vv_output_needs(in->items, in->nitem) & VV_OUTPUT_NEEDS_ACCELERATION) != 0;
}

vvStatus vv_roll_output(const vvRolloutInput* in, int k, bool solved, vvRollout* work, vvReal* out) {
  const vvModel* m = in->model;
  const vvState* s = work->state;
  if (!solved) {
    vvStatus status = vv_rigid_relinearize(m, s->q, s->v, work->zero, NULL, 0, NULL, 0, work->rigid);
    if (status != VV_OK) return status;
  }
  vv_output_evaluate(m, s->q, s->v, s->act, vv_held_row(in->ctrl, in->nctrl, m->nu, k, work->zero), in->items,
                     in->nitem, work->rigid, out);
  return VV_OK;
}
