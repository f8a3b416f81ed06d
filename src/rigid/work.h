// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// work.h: the parts of a rigid evaluation, each a stage on the workspace. Order: pose, mass (inertia, M), bias, active
// set, rows, solver.

#ifndef VISVIVA_RIGID_WORK_H_
#define VISVIVA_RIGID_WORK_H_

#include "math/blocks.h"
#include "math/dense.h"
#include "rigid/constraint_law_kernel.h"
#include "rigid/rigid_kernel.h"
#include "visviva/rigid.h"

enum { VV_MAX_DIM = 6, VV_RIGID_MAX_CONTACT = 4096 };

// The rows of a contact at the dofs of one tree.
typedef struct vvRigidPart {
  int tree;
  int begin;  // first dof of the tree
  int width;  // columns from there on, a multiple of 4
  vvReal* J;  // dim rows of `width` reals
} vvRigidPart;

// Laws of a vvRigidContact.
typedef enum vvRigidRows {
  VV_ROWS_ELLIPTIC = 0,
  VV_ROWS_PYRAMID,  // or frictionless: one-sided rows
  VV_ROWS_EQUALITY
} vvRigidRows;

// Rows and law of a contact, or of another constraint of more than one dof. Components are those of the contact frame:
// normal, two tangents, spin, two rolls.
typedef struct vvRigidContact {
  int dim;    // rows
  int npart;  // trees that it touches
  vvRigidPart part[2];
  int kind;   // vvRigidRows
  int zone;   // pyramid: bit 0 normal row (dim 1), bits 2k-1, 2k edges +k, -k active; elliptic: 0 top, 1 middle, 2
              // bottom
  int law;    // branch of the impedance: 0 below, 1 above the midpoint, 2 saturated, 3 constant
  vvReal D0;  // weight of the normal row, or of every edge
  vvReal D[VV_MAX_DIM];   // weights of the elliptic rows
  vvReal cone;            // mu of the regularised cone
  vvReal mu[VV_MAX_DIM];  // friction of component k, mu[0] unused
  vvReal a_ref[VV_MAX_DIM];
  vvReal x[VV_MAX_DIM];   // J a - a_ref
  vvReal dx[VV_MAX_DIM];  // J p along a search direction
  vvReal f[VV_MAX_DIM];   // force
} vvRigidContact;

// A constraint of one dof: a limit pushes one way, dry friction resists up to `loss`.
typedef struct vvRigidSingle {
  int dof;
  int branch;    // of the impedance
  int friction;  // 1: dry friction, 0: limit
  vvReal sign;   // of its row of J
  vvReal D;
  vvReal a_ref;
  vvReal loss;
  vvReal x;  // sign a - a_ref
} vvRigidSingle;

static inline vvRigidPose vv_rigid_work_pose(const vvRigidWork* w) {
  vvRigidPose pose = {w->xpos, w->xquat, w->xmat, w->S};
  return pose;
}

// Zone at x: a limit 0 free, 1 pushing; dry friction 0 sticking, 1 at its bound -loss, 2 at +loss.
static inline int vv_single_zone(const vvRigidSingle* s, vvReal x) {
  vvReal f = -s->D * x;
  if (!s->friction) return x < 0;
  return f >= s->loss ? 2 : f <= -s->loss ? 1 : 0;
}

// Force at x, minus the derivative of the cost.
static inline vvReal vv_single_force(const vvRigidSingle* s, vvReal x) {
  int zone = vv_single_zone(s, x);
  if (!s->friction) return zone ? -s->D * x : 0;
  return zone == 0 ? -s->D * x : zone == 1 ? -s->loss : s->loss;
}

// Second derivative of the cost at x.
static inline vvReal vv_single_curvature(const vvRigidSingle* s, vvReal x) {
  return vv_single_zone(s, x) == !s->friction ? s->D : 0;
}

// Row i of a contact times x.
static inline vvReal vv_rigid_row_dot(const vvRigidContact* c, int i, const vvReal* x) {
  vvReal sum = 0;
  for (int k = 0; k < c->npart; k++) {
    const vvRigidPart* p = &c->part[k];
    sum += vv_dense_dot(p->width, p->J + i * p->width, x + p->begin);
  }
  return sum;
}

// y += s times row i of a contact.
static inline void vv_rigid_row_axpy(const vvRigidContact* c, int i, vvReal s, vvReal* y) {
  for (int k = 0; k < c->npart; k++) {
    const vvRigidPart* p = &c->part[k];
    vv_dense_axpy(p->width, s, p->J + i * p->width, y + p->begin);
  }
}

// Row of dof d in a matrix with the structure of M, from the first dof of its tree on.
static inline vvReal* vv_rigid_mass_row(const vvModel* m, const vvRigidWork* w, vvReal* M, int d) {
  int tree = m->body_tree[m->dof_body[d]];
  return vv_blocks_row(w->mass, M, tree, d - w->mass->first[tree]);
}

// mass.c: world inertias and M from the pose; bias from the pose, v and wrench.
void vv_rigid_mass(const vvModel* m, vvRigidWork* w);
void vv_rigid_bias(const vvModel* m, const vvReal* v, const vvReal* wrench, vvRigidWork* w);

// mass.c: V and G of the bodies, gravity left out.
void vv_rigid_motions(const vvModel* m, const vvReal* v, vvRigidWork* w);

// mass.c: y = M x, both of w->stride reals, padding 0.
void vv_rigid_multiply_mass(const vvRigidWork* w, const vvReal* x, vvReal* y);

// kinematics_bar.c: what vv_rigid_kinematics_state_vjp does: adds to q_bar (ambient), zeroes pose_bar. F: nbody x 6.
void vv_rigid_kinematics_bar(const vvModel* m, const vvReal* q, const vvReal* ref, const vvRigidPose* pose,
                             vvReal* q_bar, vvRigidPose* pose_bar, vvReal* F);

// rows.c: limits within reach of q and dry frictions; J, law and a_ref of the active set at v.
void vv_rigid_find_rows(const vvModel* m, const vvReal* q, vvRigidWork* w);
void vv_rigid_rows(const vvModel* m, const vvReal* q, const vvReal* v, vvRigidWork* w);

// rows.c: last dof that moves a body, -1: none; columns of c made to hold the dofs that move a body; rows of c placed
// at J, zeroed, returns where they end; branch of the impedance at violation x: 0 below, 1 above the midpoint, 2
// saturated, 3 constant.
int vv_rigid_last_dof(const vvModel* m, int body);
void vv_rigid_widen(const vvModel* m, const vvRigidWork* w, int body, vvRigidContact* c);
vvReal* vv_rigid_place_rows(vvRigidContact* c, vvReal* J);
int vv_rigid_law_branch(vvReal width, vvReal midpoint, vvReal power, vvReal x);

// rows_other.c: rows of equalities and limits of balls from J on; vp: v, padded. Needs vv_rigid_motions or
// vv_rigid_bias.
void vv_rigid_other_rows(const vvModel* m, const vvReal* q, const vvReal* vp, vvReal* J, vvRigidWork* w);

// cone.c: from x the force and zone of a contact; curvature C = -df/dx (dim x dim in C, rows of VV_MAX_DIM);
// derivative and curvature of the cost along dx at x + alpha dx.
void vv_cone_force(vvRigidContact* c);
bool vv_cone_curvature(const vvRigidContact* c, vvReal* C);
void vv_cone_along(const vvRigidContact* c, vvReal alpha, vvReal* slope, vvReal* curve);

// hessian.c: structure of H for the active set; H at the forces of vv_rigid_constrain, factored in w->LH.
vvStatus vv_rigid_couple(vvRigidWork* w);
bool vv_rigid_factor_hessian(vvRigidWork* w);

// solver.c: x, forces and J' f at a; a from a start.
void vv_rigid_constrain(const vvReal* a, vvRigidWork* w);
vvStatus vv_rigid_solve(const vvReal* start, vvRigidWork* w);

// Scaled residual of w->a with the forces in w->constraint.
vvReal vv_rigid_free_residual(vvRigidWork* w);

// implicit.c
static inline bool vv_rigid_is_implicit(const vvModel* m) {
  return m->integrator == VV_INTEGRATOR_IMPLICIT || m->integrator == VV_INTEGRATOR_IMPLICITFAST;
}

// True where M - h D is more than M + h B: a fluid, or Coriolis forces that are taken in.
bool vv_rigid_has_general_node(const vvModel* m);
// Makes and factors M - h D at the velocity of the last evaluation; false when it is singular.
bool vv_rigid_factor_implicit(vvRigidWork* w);
// Adds to a signature the branches of D: the sides of the drag's |x|.
uint64_t vv_rigid_sign_implicit(const vvModel* m, const vvRigidWork* w, uint64_t hash);
// x = inv(M - h D) x, or inv((M - h D)') x.
void vv_rigid_solve_implicit(const vvRigidWork* w, bool transposed, vvReal* x);

#endif  // VISVIVA_RIGID_WORK_H_
