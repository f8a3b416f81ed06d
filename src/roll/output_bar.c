// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// output_bar.c: derivatives of the outputs of one row (output_row.h). Bodies' motions are made only where an item needs
// them; their cotangents go back through vv_rigid_motion before the acceleration node is reversed, so that what reaches
// the acceleration joins a_bar.

#include <string.h>

#include "output_kernel.vv.h"
#include "roll/output_row.h"

static const vvReal* controls(const vvRolloutInput* in, int k, const vvRollout* work) {
  return vv_held_row(in->ctrl, in->nctrl, in->model->nu, k, work->zero);
}

vvStatus vv_roll_output_vjp(const vvRolloutInput* in, int k, const vvTapeRow* row, vvRollout* work,
                            const vvReal* out_bar, vvModel* m_bar) {
  const vvModel* m = in->model;
  vvReverseWork* r = &work->reverse;
  vvRigidPose pose = {work->rigid->xpos, work->rigid->xquat, work->rigid->xmat, work->rigid->S};
  const vvReal* ref = work->rigid->ref;
  bool motion = vv_output_needs(in->items, in->nitem) != 0;
  memcpy(work->out_bar, out_bar, (size_t)in->nout * sizeof(vvReal));
  if (motion) vv_rigid_motion(m, &pose, row->v, row->a, &work->motion);
  if (m_bar) {
    vv_rigid_output_vjp(m, ref, &pose, row->q, row->v, row->act, controls(in, k, work), &work->motion, row->contacts,
                        row->ncontact, in->items, in->nitem, work->out, m_bar, &r->pose_bar, r->q_bar, r->v_bar,
                        r->act_bar, r->ctrl_bar, &r->motion_bar, work->out_bar, &r->mem);
    if (motion) {
      vv_rigid_motion_vjp(m, &pose, row->v, row->a, &work->motion, m_bar, &r->pose_bar, r->v_bar, r->a_bar,
                          &r->motion_bar, &r->mem);
    }
    return VV_OK;
  }
  vv_rigid_output_state_vjp(m, ref, &pose, row->q, row->v, row->act, controls(in, k, work), &work->motion,
                            row->contacts, row->ncontact, in->items, in->nitem, work->out, &r->pose_bar, r->q_bar,
                            r->v_bar, r->act_bar, r->ctrl_bar, &r->motion_bar, work->out_bar, &r->mem);
  if (motion) {
    vv_rigid_motion_state_vjp(m, &pose, row->v, row->a, &work->motion, &r->pose_bar, r->v_bar, r->a_bar, &r->motion_bar,
                              &r->mem);
  }
  return VV_OK;
}
