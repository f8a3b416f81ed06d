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

// Force (.lin) and torque (.ang) of the fluid on body i moving with V; all at the body origin in body axes, `wind` too.
VV_DIFF static inline vvMotion vv_fluid_force(const vvModel* m, int i, vvVec3 wind, vvMotion V) {
  vvQuat Q = vv_quat_conj(vv_quat_load(m->body_axes, 4 * i));
  vvVec3 s = vv_vec3_load(m->body_box, 3 * i);
  vvVec3 c = vv_body_center(m, i);
  vvVec3 o = vv_quat_rotate(Q, V.ang);
  vvVec3 u = vv_quat_rotate(Q, vv_vec3_sub(vv_vec3_add(V.lin, vv_vec3_cross(V.ang, c)), wind));
  vvReal D = (s.x + s.y + s.z) / 3;
  vvReal bu = (vvReal)(3 * VV_PI) * D * m->opt_viscosity[0];
  vvReal bo = (vvReal)VV_PI * D * D * D * m->opt_viscosity[0];
  vvReal ru = m->opt_density[0] / 2;
  vvReal ro = m->opt_density[0] / 64;
  vvReal x4 = s.x * s.x * s.x * s.x;
  vvReal y4 = s.y * s.y * s.y * s.y;
  vvReal z4 = s.z * s.z * s.z * s.z;
  vvVec3 f = {vv_fluid_drag(bu, ru * s.y * s.z, u.x), vv_fluid_drag(bu, ru * s.x * s.z, u.y),
              vv_fluid_drag(bu, ru * s.x * s.y, u.z)};
  vvVec3 t = {vv_fluid_drag(bo, ro * s.x * (y4 + z4), o.x), vv_fluid_drag(bo, ro * s.y * (x4 + z4), o.y),
              vv_fluid_drag(bo, ro * s.z * (x4 + y4), o.z)};
  vvQuat back = vv_quat_load(m->body_axes, 4 * i);
  vvVec3 force = vv_quat_rotate(back, f);
  vvMotion r = {vv_vec3_add(vv_quat_rotate(back, t), vv_vec3_cross(c, force)), force};
  return r;
}

#endif  // VISVIVA_RIGID_FLUID_KERNEL_H_
