// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// derive_jvp.c: the forward derivative of vv_model_derive in eight directions,
// stage by stage. Only the tangents are written; the stages' values are
// recomputed into memory of their own.

#include <stddef.h>
#include <string.h>

#include "derive_kernel.vv.h"
#include "equality_kernel.vv.h"
#include "fluid_kernel.vv.h"
#include "kinematics_kernel.vv.h"
#include "model/derive.h"

// vvModel_tan8 holds the tangents of the real pointers of vvModel, in the same
// order without a gap.
#define REALS_BEGIN offsetof(vvModel, opt_timestep)
_Static_assert(offsetof(vvModel_tan8, key_ctrl) == offsetof(vvModel, key_ctrl) - REALS_BEGIN, "same order");

static void place_tangents(const vvModel* m, vvReal8* reals, vvModel_tan8* model) {
  size_t at = 0;
  for (const vvField* f = vv_model_fields(); f->attribute; f++) {
    vvReal8* tan = reals + at;
    memcpy((char*)model + (f->offset - REALS_BEGIN), &tan, sizeof tan);
    at += (size_t)vv_model_count(m, f->element) * (size_t)vv_field_width(m, f);
  }
}

// Tangent of an array of the work, at the same place in a block of its own.
static vvReal8* twin(const vvDeriveWork* w, const vvReal* array, vvReal8* block) {
  return block + (array - w->reals);
}

static void forward_stages(const vvModel* m, vvDeriveWork* w, vvReal8* block, vvModel_tan8* t) {
  vvRigidDerivePoses_tan8 poses = {twin(w, w->poses.frame_lpos, block),
                                   twin(w, w->poses.frame_lquat, block),
                                   t->body_lpos,
                                   t->body_lquat,
                                   t->jnt_lpos,
                                   t->jnt_laxis,
                                   t->geom_lpos,
                                   t->geom_lquat,
                                   t->geom_dim,
                                   t->site_lpos,
                                   t->site_lquat,
                                   t->qpos0,
                                   t->qpos_spring};
  vvRigidPose_tan8 pose = {twin(w, w->pose.xpos, block), twin(w, w->pose.xquat, block), twin(w, w->pose.xmat, block),
                           twin(w, w->pose.S, block)};
  vv_rigid_derive_poses_jvp8(m, t, &w->poses, &poses);
  vv_rigid_derive_inertia_jvp8(m, t, &w->choice, w->raw, twin(w, w->raw, block), w->inertia10, t->body_inertia10);
  vv_rigid_derive_boxes_jvp8(m, t, &w->choice, w->axes0, w->body_axes, t->body_axes, w->body_box, t->body_box);
  vv_rigid_kinematics_jvp8(m, t, m->qpos0, t->qpos0, w->ref, &w->pose, &pose);
  vv_rigid_derive_equalities_jvp8(m, t, &w->pose, &pose, w->eq_point1, t->eq_point1, w->eq_point2, t->eq_point2,
                                  w->eq_quat1, t->eq_quat1, w->eq_quat2, t->eq_quat2);
  vv_rigid_derive_weights_jvp8(m, t, w->ref, &w->pose, &pose, &w->choice, w->composite, twin(w, w->composite, block),
                               w->L, twin(w, w->L, block), w->y, twin(w, w->y, block), w->body_invweight,
                               t->body_invweight, w->dof_invweight, t->dof_invweight);
  vvRigidDeriveActuators_tan8 actuators = {t->actuator_gain, t->actuator_bias, t->actuator_dyn,
                                           t->actuator_acc0, t->tendon_spring, t->tendon_invweight};
  vv_rigid_derive_actuators_jvp8(m, t, w->L, twin(w, w->L, block), w->y, twin(w, w->y, block), &w->actuators,
                                 &actuators);
}

vvStatus vv_model_derive_jvp8(vvContext* ctx, const vvModel* m, void* reals_tan8) {
  vvDeriveWork work;
  vvModel_tan8 tangents;
  vvStatus status = vv_derive_work_create(ctx, m, &work);
  if (status != VV_OK) return status;
  vvReal8* block = VV_NEW(ctx, vvReal8, work.nreal);
  if (block != NULL) {
    memset(block, 0, work.nreal * sizeof(vvReal8));
    memset(&tangents, 0, sizeof tangents);
    place_tangents(m, reals_tan8, &tangents);
    vv_derive_prepare(m, &work);
    forward_stages(m, &work, block, &tangents);
    VV_DELETE(ctx, block, vvReal8, work.nreal);
  } else {
    status = VV_ERROR_MEMORY;
  }
  vv_derive_work_free(ctx, &work);
  return status;
}
