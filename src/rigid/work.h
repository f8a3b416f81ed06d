// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// work.h: the parts of a rigid evaluation, each a stage on the workspace. Order: pose, mass (inertia, M), bias, active
// set, rows, solver.

#ifndef VISVIVA_RIGID_WORK_H_
#define VISVIVA_RIGID_WORK_H_

#include "math/dense.h"
#include "rigid/constraint_law_kernel.h"
#include "rigid/rigid_kernel.h"
#include "visviva/rigid.h"

enum { VV_MAX_DIM = 6, VV_RIGID_MAX_CONTACT = 4096 };

// A contact's rows and law. Components are those of the contact frame: normal, two tangents, spin, two rolls.
typedef struct vvRigidContact {
  int row;     // first of its rows in J
  int dim;     // rows
  int begin;   // columns where its rows may differ from 0: begin .. end - 1, multiples of 4
  int end;
  int pyramid; // 1: frictionless or pyramid rows, 0: elliptic cone
  int zone;    // pyramid: bit 0 normal row (dim 1), bits 2k-1, 2k edges +k, -k active; elliptic: 0 top, 1 middle, 2 bottom
  int law;     // branch of the impedance: 0 below, 1 above the midpoint, 2 saturated, 3 constant
  vvReal D0;              // weight of the normal row, or of every edge
  vvReal D[VV_MAX_DIM];   // weights of the elliptic rows
  vvReal cone;            // mu of the regularised cone
  vvReal mu[VV_MAX_DIM];  // friction of component k, mu[0] unused
  vvReal a_ref[VV_MAX_DIM];
  vvReal x[VV_MAX_DIM];   // J a - a_ref
  vvReal dx[VV_MAX_DIM];  // J p along a search direction
  vvReal f[VV_MAX_DIM];   // force
} vvRigidContact;

// Offsets in limit_law.
enum { VV_LIMIT_REF = 0, VV_LIMIT_D = 1, VV_LIMIT_X = 2, VV_LIMIT_BRANCH = 3, VV_LIMIT_WIDTH = 4 };

static inline vvRigidPose vv_rigid_work_pose(const vvRigidWork* w) {
  vvRigidPose pose = {w->xpos, w->xquat, w->xmat, w->S};
  return pose;
}

static inline vvReal vv_limit_sign(vvLimitFeature limit) {
  return limit.side == 1 ? -1 : 1;
}

// mass.c: world inertias and M from the pose; bias from the pose, v and wrench.
void vv_rigid_mass(const vvModel* m, vvRigidWork* w);
void vv_rigid_bias(const vvModel* m, const vvReal* v, const vvReal* wrench, vvRigidWork* w);

// rows.c: limits within reach of q; J, law and a_ref of the active set at v.
void vv_rigid_find_limits(const vvModel* m, const vvReal* q, vvRigidWork* w);
void vv_rigid_rows(const vvModel* m, const vvReal* q, const vvReal* v, vvRigidWork* w);

// cone.c: from x the force and zone of a contact; curvature C = -df/dx (dim x dim in C, rows of VV_MAX_DIM);
// derivative and curvature of the cost along dx at x + alpha dx.
void vv_cone_force(vvRigidContact* c);
bool vv_cone_curvature(const vvRigidContact* c, vvReal* C);
void vv_cone_along(const vvRigidContact* c, vvReal alpha, vvReal* slope, vvReal* curve);

// solver.c: x, forces and J' f at a; H at that a; a from a start.
void vv_rigid_constrain(const vvReal* a, vvRigidWork* w);
void vv_rigid_hessian(vvRigidWork* w);
vvStatus vv_rigid_solve(const vvReal* start, vvRigidWork* w);

// Scaled residual of w->a with the forces in w->constraint.
vvReal vv_rigid_free_residual(vvRigidWork* w);

#endif  // VISVIVA_RIGID_WORK_H_
