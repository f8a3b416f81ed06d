// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// output_tan.c: eight tangents of the outputs of one row (output_row.h).

#include "output_kernel.vv.h"
#include "roll/output_row.h"
#include "roll/tangent_work.h"

vvStatus vv_roll_output_jvp8(const vvRolloutInput* in, int k, const vvTapeRow* row, vvRollout* work, vvTangentWork* t,
                             const vvReal8* ctrl_tan, vvReal8* out_tan) {
  const vvModel* m = in->model;
  const vvReal* ctrl = vv_held_row(in->ctrl, in->nctrl, m->nu, k, work->zero);
  vvRigidPose pose = {work->rigid->xpos, work->rigid->xquat, work->rigid->xmat, work->rigid->S};
  if (vv_output_needs(in->items, in->nitem) != 0) {
    vv_rigid_motion_jvp8(m, &t->model, &pose, &t->pose_tan, row->v, t->v_tan, row->a, t->a_tan, &work->motion,
                         &t->motion_tan);
  }
  vv_rigid_output_jvp8(m, &t->model, work->rigid->ref, &pose, &t->pose_tan, row->q, t->q_tan, row->v, t->v_tan,
                       row->act, t->act_tan, ctrl, ctrl_tan, &work->motion, &t->motion_tan, row->contacts,
                       row->ncontact, in->items, in->nitem, work->out, out_tan);
  return VV_OK;
}
