// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// query.h: what a program asks of a configuration: poses, contacts with forces, mass matrix, inverse dynamics,
// energies, Jacobians of points. All read a workspace (rigid.h) as vv_rigid_evaluate left it; nothing allocates.
//
// frames   world, unless said otherwise; matrices row by row

#ifndef VISVIVA_QUERY_H_
#define VISVIVA_QUERY_H_

#include "visviva/rigid.h"

#ifdef __cplusplus
extern "C" {
#endif

// Position of an element's frame [m] and its orientation (w, x, y, z). NULL: not wanted. VV_ERROR_ARGUMENT: no such
// element.
vvStatus vv_query_body_pose(const vvModel* m, const vvRigidWork* work, int body, vvReal pos[3], vvReal quat[4]);
vvStatus vv_query_geom_pose(const vvModel* m, const vvRigidWork* work, int geom, vvReal pos[3], vvReal quat[4]);
vvStatus vv_query_site_pose(const vvModel* m, const vvRigidWork* work, int site, vvReal pos[3], vvReal quat[4]);

// A contact and the wrench that geom 1 exerts on geom 2 at its point. work->ncontact of them.
typedef struct vvContactInfo {
  int geom1, geom2;
  int dim;           // condim in effect
  vvReal point[3];   // [m]
  vvReal normal[3];  // from geom 1 to geom 2
  vvReal gap;        // [m] < 0: penetration
  vvReal force[3];   // [N]
  vvReal torque[3];  // [N m] about the point: spin and roll
} vvContactInfo;

vvStatus vv_query_contact(const vvRigidWork* work, int contact, vvContactInfo* info);

// Mass matrix, nv x nv, armatures included.
void vv_query_mass_matrix(const vvModel* m, const vvRigidWork* work, vvReal* M);

// The applied force (nv) with which vv_rigid_evaluate(m, q, v, ctrl, applied, wrench, ...) returns the acceleration a:
// M a + c - tau(q, v, ctrl) - J' f(a) - wrenches. Evaluates the workspace at (q, v), which it is left at.
vvStatus vv_query_inverse_dynamics(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* a,
                                   const vvReal* ctrl, const vvReal* wrench, vvRigidWork* work, vvReal* applied);

// Potential (gravity, joint springs) and kinetic energy at q, v with the pose in `work`; NULL: not wanted.   [J]
void vv_query_energy(const vvModel* m, const vvReal* q, const vvReal* v, vvRigidWork* work, vvReal* potential,
                     vvReal* kinetic);

// Jacobians of the velocity of a point fixed to the body [m] and of the body's angular velocity: 3 x nv each, NULL: not
// wanted.
vvStatus vv_query_point_jacobian(const vvModel* m, const vvRigidWork* work, int body, const vvReal point[3],
                                 vvReal* translation, vvReal* rotation);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_QUERY_H_
