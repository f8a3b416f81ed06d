// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// derive.h: what the forward and the reverse of vv_model_derive share, and the axes in which a body's inertia is
// diagonal.

#ifndef VISVIVA_MODEL_DERIVE_H_
#define VISVIVA_MODEL_DERIVE_H_

#include "rigid/derive_kernel.h"
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

// Reference points of the trees and kinematics at qpos0, in work->ref and work->pose.
void vv_derive_kinematics(const vvModel* m, vvDeriveWork* work);

// What the derivatives of a derived model start from: choice, raw, ref, pose.
void vv_derive_prepare(const vvModel* m, vvDeriveWork* work);

#endif  // VISVIVA_MODEL_DERIVE_H_
