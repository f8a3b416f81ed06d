// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// fluid_kernel.h: forces of a surrounding fluid on bodies, each taken for a box with the inertia of the body (the
// "inertia box" model of MuJoCo 4.0's documentation, chapter "Fluid forces").
//
//   box      s_x = sqrt(6 (p_y + p_z - p_x)/mass), and so on, p the principal moments        [m]
//   viscous  force -3 pi D b u, torque -pi D^3 b o, D the mean of s, b the viscosity
//   drag     force_x -(1/2) r s_y s_z |u_x| u_x, torque_x -(1/64) r s_x (s_y^4 + s_z^4) |o_x| o_x, r the density
// symbols  u  velocity of the center of mass minus the wind, o angular velocity, both in the principal axes
// smooth   |x| x is, with derivative 0 at 0; not where two principal moments of a body without axes of its own
//          (several geoms, a full tensor) are equal: there the derivative holds these two axes fixed, and vv_compile
//          refuses the numbers on which they depend

#ifndef VISVIVA_RIGID_FLUID_KERNEL_H_
#define VISVIVA_RIGID_FLUID_KERNEL_H_

#include "rigid/derive_kernel.h"

// Principal moments nearer than this share of the largest count as equal.
#define VV_AXES_EQUAL 1e-6

// Stage "boxes" of vv_model_derive: principal axes and boxes of bodies from body_inertia10. axes0: nbody x 4, the
// principal axes of bodies without axes of their own, at the present numbers. Out: body_axes, body_box.
VV_DIFF void vv_rigid_derive_boxes(const vvModel* m, const vvRigidDeriveChoice* choice, VV_NO_DIFF const vvReal* axes0,
                                   VV_WRITE_ONCE vvReal* axes, VV_WRITE_ONCE vvReal* box);

// Drag and viscous force along one axis: -(a + b |x|) x.
VV_DIFF static inline vvReal vv_fluid_drag(vvReal a, vvReal b, vvReal x) {
  return -(a + b * vv_fabs(x)) * x;
}

// Velocity of the center of mass of body i relative to the wind and its angular velocity, principal axes. V and `wind`
// at the body origin in body axes.
VV_DIFF static inline vvMotion vv_fluid_velocity(const vvModel* m, int i, vvVec3 wind, vvMotion V) {
  vvQuat Q = vv_quat_conj(vv_quat_load(m->body_axes, 4 * i));
  vvVec3 c = vv_body_center(m, i);
  vvMotion r = {vv_quat_rotate(Q, V.ang),
                vv_quat_rotate(Q, vv_vec3_sub(vv_vec3_add(V.lin, vv_vec3_cross(V.ang, c)), wind))};
  return r;
}

// Coefficients of vv_fluid_drag: a of forces and torques, b of each.
typedef struct vvFluidDrag {
  vvReal force, torque;
  vvVec3 b_force, b_torque;
} vvFluidDrag;

VV_DIFF static inline vvFluidDrag vv_fluid_coefficients(const vvModel* m, int i) {
  vvVec3 s = vv_vec3_load(m->body_box, 3 * i);
  vvReal D = (s.x + s.y + s.z) / 3;
  vvReal ru = m->opt_density[0] / 2;
  vvReal ro = m->opt_density[0] / 64;
  vvReal x4 = s.x * s.x * s.x * s.x;
  vvReal y4 = s.y * s.y * s.y * s.y;
  vvReal z4 = s.z * s.z * s.z * s.z;
  vvFluidDrag r = {(vvReal)(3 * VV_PI) * D * m->opt_viscosity[0],
                   (vvReal)VV_PI * D * D * D * m->opt_viscosity[0],
                   {ru * s.y * s.z, ru * s.x * s.z, ru * s.x * s.y},
                   {ro * s.x * (y4 + z4), ro * s.y * (x4 + z4), ro * s.z * (x4 + y4)}};
  return r;
}

// Force f and torque t in the principal axes of body i, taken at its origin in body axes.
VV_DIFF static inline vvMotion vv_fluid_at_origin(const vvModel* m, int i, vvVec3 f, vvVec3 t) {
  vvQuat Q = vv_quat_load(m->body_axes, 4 * i);
  vvVec3 force = vv_quat_rotate(Q, f);
  vvMotion r = {vv_vec3_add(vv_quat_rotate(Q, t), vv_vec3_cross(vv_body_center(m, i), force)), force};
  return r;
}

// Force (.lin) and torque (.ang) of the fluid on body i moving with V; all at the body origin in body axes, `wind` too.
VV_DIFF static inline vvMotion vv_fluid_force(const vvModel* m, int i, vvVec3 wind, vvMotion V) {
  vvMotion u = vv_fluid_velocity(m, i, wind, V);
  vvFluidDrag k = vv_fluid_coefficients(m, i);
  vvVec3 f = {vv_fluid_drag(k.force, k.b_force.x, u.lin.x), vv_fluid_drag(k.force, k.b_force.y, u.lin.y),
              vv_fluid_drag(k.force, k.b_force.z, u.lin.z)};
  vvVec3 t = {vv_fluid_drag(k.torque, k.b_torque.x, u.ang.x), vv_fluid_drag(k.torque, k.b_torque.y, u.ang.y),
              vv_fluid_drag(k.torque, k.b_torque.z, u.ang.z)};
  return vv_fluid_at_origin(m, i, f, t);
}

// Derivative of vv_fluid_drag at x along y.
VV_DIFF static inline vvReal vv_fluid_drag_along(vvReal a, vvReal b, vvReal x, vvReal y) {
  return -(a + 2 * b * vv_fabs(x)) * y;
}

// Derivative of vv_fluid_force with respect to V along T.
VV_DIFF static inline vvMotion vv_fluid_force_along(const vvModel* m, int i, vvVec3 wind, vvMotion V, vvMotion T) {
  vvVec3 still = {0, 0, 0};
  vvMotion u = vv_fluid_velocity(m, i, wind, V);
  vvMotion y = vv_fluid_velocity(m, i, still, T);
  vvFluidDrag k = vv_fluid_coefficients(m, i);
  vvVec3 f = {vv_fluid_drag_along(k.force, k.b_force.x, u.lin.x, y.lin.x),
              vv_fluid_drag_along(k.force, k.b_force.y, u.lin.y, y.lin.y),
              vv_fluid_drag_along(k.force, k.b_force.z, u.lin.z, y.lin.z)};
  vvVec3 t = {vv_fluid_drag_along(k.torque, k.b_torque.x, u.ang.x, y.ang.x),
              vv_fluid_drag_along(k.torque, k.b_torque.y, u.ang.y, y.ang.y),
              vv_fluid_drag_along(k.torque, k.b_torque.z, u.ang.z, y.ang.z)};
  return vv_fluid_at_origin(m, i, f, t);
}

#endif  // VISVIVA_RIGID_FLUID_KERNEL_H_
