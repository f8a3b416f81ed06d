// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// rigid_kernel.h: the differentiable stages of a rigid step and the residual of its acceleration node.
//
// method   motions are spatial vectors (angular, linear) in world axes, at one reference point per kinematic tree
//          (vvRigidPose.ref, the root body's position): carried outward they are just summed. Featherstone, Rigid Body
//          Dynamics Algorithms, 2008, chapters 2 and 5. Any reference point gives the same forces, so it is held fixed
//          in derivatives.
// symbols  S_d   motion of dof d at unit speed            6      angular rows first
//          v, a  velocity and acceleration of the dofs    nv     [m/s, rad/s], [m/s2, rad/s2]
//          w     test direction, any real                 nv
//          V, A, G, W  motions of a body: sum S v; sum S a; sum dS/dt v - gravity; sum S w       6
//          r     residual  M a + c - tau - J' f           nv     [N, N m]
// smooth   in everything real except the branches of the constraint law and of joint and contact types

#ifndef VISVIVA_RIGID_RIGID_KERNEL_H_
#define VISVIVA_RIGID_RIGID_KERNEL_H_

#include "visviva/contact.h"
#include "visviva/kernel.h"
#include "visviva/model.h"

// Poses and joint motions of a configuration (vv_rigid_kinematics). Reached only as base[index].
typedef struct vvRigidPose {
  vvReal* xpos;   // nbody x 3   body origins, world                       [m]
  vvReal* xquat;  // nbody x 4   body orientations, unit
  vvReal* xmat;   // nbody x 9   the same as matrices, row by row
  vvReal* S;      // nv x 6      joint motions, world axes, at ref of the dof's tree
} vvRigidPose;

// Motions of bodies (vv_rigid_motion).
typedef struct vvRigidMotion {
  vvReal* V;  // nbody x 6   velocity
  vvReal* A;  // nbody x 6   acceleration from a alone, J a
  vvReal* G;  // nbody x 6   acceleration from v alone, minus gravity
  vvReal* W;  // nbody x 6   test motion
} vvRigidMotion;

// Poses of all bodies and joint motions. ref: ntree x 3, the points at which motions are taken, constants here.
VV_DIFF_WRT(state, q)
VV_DIFF void vv_rigid_kinematics(const vvModel* m, const vvReal* q, VV_NO_DIFF const vvReal* ref,
                                 VV_WRITE_ONCE vvRigidPose* pose);

// Generalized force of the actuators (nv), within the joints' ranges.
VV_DIFF_WRT(state, q, v, act, ctrl)
VV_DIFF void vv_rigid_actuation(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* act,
                                const vvReal* ctrl, vvReal* tau);

// Applied generalized force tau: springs and damping of joints and tendons, actuators, plus `applied` (nv). act: na,
// ctrl: nu.
VV_DIFF_WRT(state, q, v, act, ctrl, applied)
VV_DIFF void vv_rigid_force(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* act, const vvReal* ctrl,
                            const vvReal* applied, vvReal* tau);

// Rates of the activations (na), and the activations after a step at given rates.
VV_DIFF_WRT(state, act, ctrl)
VV_DIFF void vv_rigid_activation(const vvModel* m, const vvReal* act, const vvReal* ctrl,
                                 VV_WRITE_ONCE vvReal* act_dot);
VV_DIFF_WRT(state, act, act_dot)
VV_DIFF void vv_rigid_activate(const vvModel* m, const vvReal* act, const vvReal* act_dot, VV_WRITE_ONCE vvReal* act1);

// Weak residual w . r(a; ...): one outward sweep, no Jacobian. wrench: nwrench x 6 (nwrench 0 or nbody), force then
// torque at each body's origin, world axes. ref as above.
VV_DIFF_WRT(state, pose, v, tau, q)
VV_DIFF vvReal vv_rigid_weak(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose, const vvReal* v,
                             VV_NO_DIFF const vvReal* a, VV_NO_DIFF const vvReal* w, const vvReal* tau,
                             const vvReal* wrench, int nwrench, VV_NO_DIFF const vvContactFeature* contacts,
                             int ncontact, const vvRowFeature* limits, int nlimit, const vvReal* q,
                             VV_WRITE_ONCE vvRigidMotion* motion);

// All that the forward half of vv_rigid_weak leaves for its reverse half: the motions.
void vv_rigid_weak_motions(const vvModel* m, const vvRigidPose* pose, const vvReal* v, const vvReal* a, const vvReal* w,
                           vvRigidMotion* motion);

// Strong residual r (nv): the same by an outward and an inward sweep; force: nbody x 6 scratch.
VV_DIFF void vv_rigid_residual(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose, const vvReal* v,
                               VV_NO_DIFF const vvReal* a, const vvReal* tau, const vvReal* wrench, int nwrench,
                               VV_NO_DIFF const vvContactFeature* contacts, int ncontact, const vvRowFeature* limits,
                               int nlimit, const vvReal* q, VV_WRITE_ONCE vvRigidMotion* motion, vvReal* force,
                               vvReal* r);

// Weak residual of the damping node of the Euler step, w2 . ((M + h B) a2 - M a) with d = a2 - a. W, D: nbody x 6.
VV_DIFF_WRT(state, pose)
VV_DIFF vvReal vv_rigid_damping_weak(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                     VV_NO_DIFF const vvReal* d, VV_NO_DIFF const vvReal* a2,
                                     VV_NO_DIFF const vvReal* w2, VV_WRITE_ONCE vvReal* D, VV_WRITE_ONCE vvReal* W);

// All that the forward half of vv_rigid_damping_weak leaves for its reverse half.
void vv_rigid_damping_motions(const vvModel* m, const vvRigidPose* pose, const vvReal* d, const vvReal* w2, vvReal* D,
                              vvReal* W);

// Strong residual of the same node, (M + h B) a2 - M a (nv). D, force: nbody x 6.
VV_DIFF void vv_rigid_damping_residual(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                       VV_NO_DIFF const vvReal* d, VV_NO_DIFF const vvReal* a2, VV_WRITE_ONCE vvReal* D,
                                       vvReal* force, vvReal* r);

// Weak residual of the implicit integrators' node, w2 . ((M - h D) a2 - M a) with d = a2 - a and D the derivative of
// the applied and fluid forces, and minus that of the Coriolis forces (implicitfast: of bodies that float alone), with
// respect to v. motion: V, A = sum S d + h dG/dv a2, G = sum S a2, W of w2.
VV_DIFF_WRT(state, pose, v)
VV_DIFF vvReal vv_rigid_implicit_weak(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                      const vvReal* v, VV_NO_DIFF const vvReal* d, VV_NO_DIFF const vvReal* a2,
                                      VV_NO_DIFF const vvReal* w2, VV_WRITE_ONCE vvRigidMotion* motion);

// Strong residual of the same node, (M - h D) a2 - M a (nv). force: nbody x 6.
VV_DIFF void vv_rigid_implicit_residual(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                        const vvReal* v, VV_NO_DIFF const vvReal* d, VV_NO_DIFF const vvReal* a2,
                                        VV_WRITE_ONCE vvRigidMotion* motion, vvReal* force, vvReal* r);

// Rates of the chart in which an evaluation of Runge-Kutta's method is made (Munthe-Kaas): q = q0 (+) u with u = h x;
// k = v, but for rotations k = w + 1/2 u x w + c u x (u x w), c = 1/t^2 - (1 + cos t)/(2 t sin t), t = |u|, the inverse
// of the exponential's derivative.
VV_DIFF_WRT(state, x, v)
VV_DIFF void vv_rigid_chart_rate(const vvModel* m, const vvReal* x, const vvReal* v, VV_WRITE_ONCE vvReal* k);

// q1 = q (+) h v: positions advance by h v, quaternions turn by the body-frame rotation vector h v.
VV_DIFF_WRT(state, q, v)
VV_DIFF void vv_rigid_integrate(const vvModel* m, const vvReal* q, const vvReal* v, VV_WRITE_ONCE vvReal* q1);

#endif  // VISVIVA_RIGID_RIGID_KERNEL_H_
