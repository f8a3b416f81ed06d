// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// derive.h: what the forward and the reverse of vv_model_derive share, and the axes in which a body's inertia is
// diagonal.

#ifndef VISVIVA_MODEL_DERIVE_H_
#define VISVIVA_MODEL_DERIVE_H_

#include "rigid/derive_kernel.h"
#include "rigid/equality_kernel.h"
#include "rigid/fluid_kernel.h"
#include "visviva/report.h"

// Memory of one derivation; one block of reals, one of integers.
typedef struct vvDeriveWork {
  vvRigidDeriveChoice choice;
  vvRigidDerivePoses poses;  // all in this block
  vvReal* raw;               // nbody x 10
  vvReal* inertia10;         // nbody x 10
  vvReal* ref;               // ntree x 3
  vvRigidPose pose;          // at qpos0
  vvReal* composite;         // nbody x 10
  vvReal* L;                 // nv x nv
  vvReal* y;                 // nv
  vvReal* body_invweight;    // nbody x 2
  vvReal* dof_invweight;     // nv
  vvRigidDeriveActuators actuators;
  vvReal* axes0;      // nbody x 4   principal axes as found
  vvReal* body_axes;  // nbody x 4
  vvReal* body_box;   // nbody x 3
  vvReal* eq_point1;  // neq x 3
  vvReal* eq_point2;  // neq x 3
  vvReal* eq_quat1;   // neq x 4
  vvReal* eq_quat2;   // neq x 4
  vvReal* reals;
  int* ints;
  size_t nreal, nint;
} vvDeriveWork;

vvStatus vv_derive_work_create(vvContext* ctx, const vvModel* m, vvDeriveWork* work);
void vv_derive_work_free(vvContext* ctx, vvDeriveWork* work);

// Where the inertia of body i comes from (vvInertiaAxes or a geom), from geom_dim.
int vv_derive_axes(const vvModel* m, int i);

// The branches of the stages "inertia" and "weights" from a model whose poses are derived. Writes work->raw as well.
void vv_derive_choose(const vvModel* m, vvDeriveWork* work);

// Principal axes of the bodies that have none of their own, from body_inertia10, in work->axes0.
void vv_derive_find_axes(const vvModel* m, vvDeriveWork* work);

// Whether two principal moments of body i count as equal in axes that only its tensor gives.
bool vv_derive_axes_free(const vvModel* m, int i);

// Reference points of the trees and kinematics at qpos0, in work->ref and work->pose.
void vv_derive_kinematics(const vvModel* m, vvDeriveWork* work);

// What the derivatives of a derived model start from: choice, raw, axes0, ref, pose.
void vv_derive_prepare(const vvModel* m, vvDeriveWork* work);

#endif  // VISVIVA_MODEL_DERIVE_H_
