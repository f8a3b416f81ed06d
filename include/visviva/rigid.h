// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// rigid.h: the step of trees of rigid bodies: contact search, the acceleration node M a + c = tau + J' f(J a - a_ref),
// the damping node (M + h B) a2 = M a of Euler's method or (M - h D) a2 = M a of the implicit ones, and the linear
// systems of both for reverse sweeps.
//
//   Euler          v' = v + h a2                q' = q (+) h v'
//   implicit       the same with D = d(tau - c)/dv; implicitfast: c of bodies that float alone only
//   Runge-Kutta 4  evaluations 0..3 at v_i = v + h c_i a_(i-1), q_i = q (+) h c_i k_(i-1), c = 0, 1/2, 1/2, 1;
//                  v' = v + h sum b_i a_i,  q' = q (+) h sum b_i k_i,  b = 1/6, 1/3, 1/3, 1/6
//                  k_i = v_i, for rotations the rate of the chart at q_i (vv_rigid_chart_rate)
//
// A workspace belongs to one thread at a time. Nothing allocates after vv_rigid_work_create, but for the factor of many
// trees coupled by contacts, which grows where it must.

#ifndef VISVIVA_RIGID_H_
#define VISVIVA_RIGID_H_

#include "visviva/contact.h"
#include "visviva/context.h"
#include "visviva/model.h"
#include "visviva/report.h"

#ifdef __cplusplus
extern "C" {
#endif

// One constrained contact of an evaluation: dim rows of J and what the law needs. Internal to the solver.
struct vvRigidContact;
// A constraint of one dof. Internal to the solver.
struct vvRigidSingle;

typedef struct vvRigidWork {
  // sizes
  int nv, nbody, nu;
  int stride;        // room of vectors over the dofs: nv, 3 more where there are several trees, rounded up to 4
  int ncontact_max;  // room of contacts
  int nrow_max;      // room of `rows`
  int nlimit_max;    // room of other constraints

  // pose: from q (vv_rigid_evaluate, vv_rigid_relinearize)
  vvReal* ref;    // ntree x 3   reference points of the trees, world      [m]
  vvReal* xpos;   // nbody x 3   body origins, world                       [m]
  vvReal* xquat;  // nbody x 4   body orientations
  vvReal* xmat;   // nbody x 9   the same as matrices, row by row
  vvReal* S;      // nv x 6      joint motions at ref, world axes, angular first

  // active set: from q
  int ncontact;
  vvContactFeature* contacts;  // ncontact_max
  vvContactPoint* points;      // ncontact_max   their geometry
  int nlimit;                  // constraints other than contacts
  int nsingle;                 // of them, those of one dof, which come first
  int nrow;                    // contacts and constraints of more than one dof: entries of `rows`
  vvRowFeature* limits;        // nlimit_max

  // dynamics
  vvReal* M;           // mass matrix, a block for each tree: see `mass`; entries by vv_query_mass_matrix
  vvReal* bias;        // nv     c - J' (wrenches): Coriolis, centrifugal, gravity, minus body wrenches    [N, N m]
  vvReal* tau;         // nv     springs, damping, motors, applied                                         [N, N m]
  vvReal* constraint;  // nv     J' f                                                                      [N, N m]

  // result of vv_rigid_evaluate
  vvReal* a;           // nv   acceleration, the node's solution                [m/s2, rad/s2]
  vvReal* act_dot;     // na   rates of the activations
  vvReal* a2;          // nv   acceleration that advances v                     [m/s2, rad/s2]
  int damped;          // 1: a2 comes from the damping node, 0: a2 = a
  int iterations;      // of the solver
  vvReal residual;     // scaled residual |r| / (1 + |tau| + |c| + |J' f|), largest entries
  uint64_t signature;  // hash of every branch taken
  vvReport report;     // where and what, when the status is not VV_OK

  // internal to src/rigid
  struct vvBlocks* mass;          // structure of M, LM, LD: the trees' dofs, not coupled
  struct vvBlocks* coupled;       // structure of LH: the trees' dofs, coupled by contacts
  struct vvRigidContact* rows;    // nrow_max       law and rows of each contact, then of other constraints
  vvReal* J;                      // rows of all contacts in their frames, where rows[k].part says
  vvReal* CJ;                     // 2 x 6 x widest tree: C J of one contact
  struct vvRigidSingle* singles;  // nlimit_max   law of the limits and dry frictions
  vvReal* geom_pos;               // ngeom x 3        search only
  vvReal* geom_axis;              // ngeom x 3
  vvReal* inertia;                // nbody x 10       world axes at ref: mass, mass * center, moments
  vvReal* composite;              // nbody x 10       summed over subtrees
  vvReal* V;                      // nbody x 6        velocity
  vvReal* G;                      // nbody x 6        acceleration from v alone, minus gravity
  vvReal* F;                      // nbody x 6        force
  vvReal* LH;                     // triangular factor of H = M + J' C J, C = -df/dx
  size_t LH_max;                  // reals it has room for
  vvReal* LM;                     // triangular factors of M and M + h B
  vvReal* LD;
  vvReal* LU;           // blocks of M - h D and their factors, where an implicit integrator needs them
  int* LU_swap;         // nv   row exchanges
  vvReal* implicit[4];  // nbody x 6 each   motions of its residual
  const vvReal* at_v;   // velocity of the last evaluation or relinearisation
  bool have_LH, have_LM, have_LD, have_LU;
  bool warned;           // that M is nearly singular
  vvReal* scratch;       // 10 x stride
  vvReal* q1;            // nq               the next configuration
  vvReal* zero;          // max(nv, nu, na, 1) zeros
  vvReal* stage_q;       // nq   state of the present Runge-Kutta evaluation beyond the first
  vvReal* stage_v;       // nv
  vvReal* stage_start;   // nv   where its solve starts
  vvReal* stage_act;     // na
  vvReal* sum_act_dot;   // na   sum of b_i act'_i
  vvReal* stage_k;       // stride   k_i of the present evaluation
  vvReal* sum_v;         // stride   sum of b_i k_i
  vvReal* sum_a;         // stride   sum of b_i a_i
  const vvModel* model;  // of the last evaluation or relinearisation

  vvContext* context;
  unsigned char* block;  // all arrays of the above
  size_t bytes;          // of it
} vvRigidWork;

// A workspace for models with the sizes, pairs and condims of m. `*work` is NULL on error.
vvStatus vv_rigid_work_create(vvContext* context, const vvModel* m, vvRigidWork** work);
void vv_rigid_work_free(vvRigidWork* work);

// Reference points of the trees at q: the root bodies' positions (ntree x 3).
void vv_rigid_reference(const vvModel* m, const vvReal* q, vvReal* ref);

// Accelerations a and a2 at (q, v, act) under ctrl (nu, NULL: 0), applied (nv, NULL: 0) and wrench (nbody x 6: force,
// torque at each body's origin, world axes; NULL: none). warmstart (nv, NULL: none): where the solver may start.
// VV_ERROR_CAPACITY: more contacts than the workspace holds. VV_ERROR_NOT_CONVERGED: the result stands, residual >
// 1e-10.
vvStatus vv_rigid_evaluate(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* act, const vvReal* ctrl,
                           const vvReal* applied, const vvReal* wrench, const vvReal* warmstart, vvRigidWork* work);

// Evaluations of a step: 1, or 4 of Runge-Kutta's method; node c_i and weight b_i of evaluation i.
int vv_rigid_stages(const vvModel* m);
vvReal vv_rigid_stage_node(int stage);
vvReal vv_rigid_stage_weight(int stage);

// Evaluation 1, 2 or 3 of Runge-Kutta's step from `state`, after the ones before it. Its state is in stage_q, stage_v;
// signature, residual and iterations are those of the step so far.
vvStatus vv_rigid_stage(const vvModel* m, const vvState* state, int stage, const vvReal* ctrl, const vvReal* applied,
                        const vvReal* wrench, vvRigidWork* work);

// The rest of a step after its evaluations: v, q, time and warmstart advance.
void vv_rigid_advance(const vvModel* m, vvState* state, vvRigidWork* work);

// One step: evaluate and advance. The state stays as it was unless the status is VV_OK or VV_ERROR_NOT_CONVERGED.
vvStatus vv_rigid_step(const vvModel* m, vvState* state, const vvReal* ctrl, const vvReal* applied,
                       const vvReal* wrench, vvRigidWork* work);

// Rebuilds pose, M and rows at a known solution a with its contacts and limits, without search or solver, and factors
// H = M + J' C(a) J. Then the four functions below hold at it. tau, bias, a0, a2, signature are not touched.
vvStatus vv_rigid_relinearize(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* a,
                              const vvContactFeature* contacts, int ncontact, const vvRowFeature* limits, int nlimit,
                              vvRigidWork* work);

// True when a step has a damping node at all: where it has and all dampings are 0 now, a2 = a, but its derivative with
// respect to a damping is not 0.
bool vv_rigid_has_damping_node(const vvModel* m);

// x = inv(H) b; x = inv(M + h B) b, or of M - h D, and with its transpose; y = M x; y = H x. Arguments of nv reals; b
// and x may be the same array. The first use after an evaluation or relinearisation factors what it needs;
// VV_ERROR_SINGULAR when that fails.
vvStatus vv_rigid_solve_H(vvRigidWork* work, const vvReal* b, vvReal* x);
vvStatus vv_rigid_solve_damped(vvRigidWork* work, const vvReal* b, vvReal* x);
vvStatus vv_rigid_solve_damped_transposed(vvRigidWork* work, const vvReal* b, vvReal* x);
vvStatus vv_rigid_solve_mass(vvRigidWork* work, const vvReal* b, vvReal* x);
void vv_rigid_mul_mass(const vvRigidWork* work, const vvReal* x, vvReal* y);
void vv_rigid_apply_H(const vvRigidWork* work, const vvReal* x, vvReal* y);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_RIGID_H_
