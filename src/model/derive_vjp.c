// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// derive_vjp.c: the reverse derivative of vv_model_derive: its stages in reverse order.
//
// The stages' outputs are recomputed into memory of their own, so that the model is only read: several threads may
// share it. Branches are those of the model as it stands.

#include <string.h>

#include "derive_kernel.vv.h"
#include "equality_kernel.vv.h"
#include "fluid_kernel.vv.h"
#include "kinematics_kernel.vv.h"
#include "model/derive.h"
#include "visviva/arena.h"

// Cotangents of scratch; the model's own lie in its shadow.
typedef struct vvDeriveBars {
  vvDeriveWork work;  // all zero: frames, raw, pose, composite, L, y
  vvRigidDerivePoses poses;
} vvDeriveBars;

// Stages in reverse. Everything that they write is a copy or a cotangent.
static void reverse_stages(const vvModel* m, vvDeriveWork* w, vvDeriveBars* bars, vvModel* m_bar, vvTapeMem* tape) {
  vvDeriveWork* b = &bars->work;
  vv_rigid_derive_equalities_vjp(m, &w->pose, w->eq_point1, w->eq_point2, w->eq_quat1, w->eq_quat2, m_bar, &b->pose,
                                 m_bar->eq_point1, m_bar->eq_point2, m_bar->eq_quat1, m_bar->eq_quat2, tape);
  if (m->nu + m->ntendon > 0) {
    vvRigidDeriveActuators out = {m_bar->actuator_gain, m_bar->actuator_bias, m_bar->actuator_dyn,
                                  m_bar->actuator_acc0, m_bar->tendon_spring, m_bar->tendon_invweight};
    vv_rigid_derive_weights(m, w->ref, &w->pose, &w->choice, w->composite, w->L, w->y, w->body_invweight,
                            w->dof_invweight);
    vv_rigid_derive_actuators_vjp(m, w->L, w->y, &w->actuators, m_bar, b->L, b->y, &out, tape);
  }
  vv_rigid_derive_weights_vjp(m, w->ref, &w->pose, &w->choice, w->composite, w->L, w->y, w->body_invweight,
                              w->dof_invweight, m_bar, &b->pose, b->composite, b->L, b->y, m_bar->body_invweight,
                              m_bar->dof_invweight, tape);
  vv_rigid_kinematics_vjp(m, m->qpos0, w->ref, &w->pose, m_bar, m_bar->qpos0, &b->pose, tape);
  vv_rigid_derive_boxes_vjp(m, &w->choice, w->axes0, w->body_axes, w->body_box, m_bar, m_bar->body_axes,
                            m_bar->body_box, tape);
  vv_rigid_derive_inertia_vjp(m, &w->choice, w->raw, w->inertia10, m_bar, b->raw, m_bar->body_inertia10, tape);
  vv_rigid_derive_poses_vjp(m, &w->poses, m_bar, &bars->poses, tape);
}

static void clear_bars(vvDeriveBars* bars, vvModel* m_bar) {
  memset(bars->work.reals, 0, bars->work.nreal * sizeof(vvReal));
  vvRigidDerivePoses poses = {bars->work.poses.frame_lpos,
                              bars->work.poses.frame_lquat,
                              m_bar->body_lpos,
                              m_bar->body_lquat,
                              m_bar->jnt_lpos,
                              m_bar->jnt_laxis,
                              m_bar->geom_lpos,
                              m_bar->geom_lquat,
                              m_bar->geom_dim,
                              m_bar->site_lpos,
                              m_bar->site_lquat,
                              m_bar->qpos0,
                              m_bar->qpos_spring};
  bars->poses = poses;
}

// Runs the reverse with a tape that grows until it is large enough; `before` (n reals) restores the shadow.
static vvStatus reverse_with_tape(vvContext* ctx, const vvModel* m, vvDeriveWork* w, vvDeriveBars* bars, vvModel* m_bar,
                                  const vvReal* before, size_t n) {
  vvTapeMem tape;
  vvStatus status = vv_tape_mem_init(&tape, ctx, 1 << 16);
  while (status == VV_OK) {
    vv_tape_mem_reset(&tape);
    clear_bars(bars, m_bar);
    reverse_stages(m, w, bars, m_bar, &tape);
    if (vv_tape_mem_status(&tape) == VV_OK) break;
    memcpy(m_bar->reals, before, n * sizeof(vvReal));
    status = vv_tape_mem_grow(&tape, ctx, 2 * tape.capacity);
  }
  vv_tape_mem_free(&tape, ctx);
  return status;
}

vvStatus vv_model_derive_vjp(vvContext* ctx, const vvModel* m, vvModel* m_bar) {
  vvDeriveWork work;
  vvDeriveBars bars;
  size_t n = m->section_begin[VV_SECTION_BULK];
  vvStatus status = vv_derive_work_create(ctx, m, &work);
  if (status != VV_OK) return status;
  status = vv_derive_work_create(ctx, m, &bars.work);
  vvReal* before = status == VV_OK ? VV_NEW(ctx, vvReal, n) : NULL;
  if (before != NULL) {
    memcpy(before, m_bar->reals, n * sizeof(vvReal));
    vv_derive_prepare(m, &work);
    status = reverse_with_tape(ctx, m, &work, &bars, m_bar, before, n);
    VV_DELETE(ctx, before, vvReal, n);
  } else {
    status = VV_ERROR_MEMORY;
  }
  if (bars.work.reals != NULL) vv_derive_work_free(ctx, &bars.work);
  vv_derive_work_free(ctx, &work);
  return status;
}
