// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// contact_point_kernel.h: poses of geoms, the frame of a contact, contacts of plane and sphere with a sphere.
//
// smooth   except where two centres coincide: see contact_kernel.h

#ifndef VISVIVA_GEOM_CONTACT_POINT_KERNEL_H_
#define VISVIVA_GEOM_CONTACT_POINT_KERNEL_H_

#include "visviva/contact.h"
#include "visviva/kernel.h"
#include "visviva/model.h"

#define VV_CONTACT_TINY 1e-15

VV_DIFF static inline vvQuat vv_contact_geom_quat(const vvModel* m, const vvReal* xquat, int g) {
  return vv_quat_mul(vv_quat_load(xquat, 4 * m->geom_body[g]), vv_quat_load(m->geom_lquat, 4 * g));
}

VV_DIFF static inline vvVec3 vv_contact_geom_pos(const vvModel* m, const vvReal* xpos, const vvReal* xquat, int g) {
  int b = m->geom_body[g];
  vvVec3 offset = vv_quat_rotate(vv_quat_load(xquat, 4 * b), vv_vec3_load(m->geom_lpos, 3 * g));
  return vv_vec3_add(vv_vec3_load(xpos, 3 * b), offset);
}

// Third column of the rotation matrix of q.
VV_DIFF static inline vvVec3 vv_contact_axis(vvQuat q) {
  vvVec3 r = {2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), q.w * q.w - q.x * q.x - q.y * q.y + q.z * q.z};
  return r;
}

// a / |a|, or x with derivative 0 where |a| < 1e-15.
VV_DIFF static inline vvVec3 vv_contact_unit(vvVec3 a) {
  vvVec3 r = {1, 0, 0};
  vvReal s = vv_vec3_dot(a, a);
  if (s >= VV_CONTACT_TINY * VV_CONTACT_TINY) r = vv_vec3_scale(1 / vv_sqrt(s), a);
  return r;
}

// Completes a contact: tangent 1 along `hint` (y or z where its length is below a half) made orthogonal to the normal.
VV_DIFF static inline vvContactPoint vv_contact_frame(vvVec3 point, vvVec3 normal, vvVec3 hint, vvReal gap) {
  vvVec3 t = hint;
  if (vv_vec3_dot(hint, hint) < (vvReal)0.25) {
    t = vv_vec3(0, 1, 0);
    if (normal.y >= (vvReal)0.5 || normal.y <= -(vvReal)0.5) t = vv_vec3(0, 0, 1);
  }
  t = vv_vec3_muladd(t, -vv_vec3_dot(normal, t), normal);
  if (vv_vec3_dot(t, t) < VV_CONTACT_TINY * VV_CONTACT_TINY) {
    vvVec3 other = {1, 0, 0};
    if (normal.x >= (vvReal)0.5 || normal.x <= -(vvReal)0.5) other = vv_vec3(0, 1, 0);
    t = vv_vec3_muladd(other, -vv_vec3_dot(normal, other), normal);
  }
  vvVec3 tangent1 = vv_contact_unit(t);
  vvContactPoint r = {point, normal, tangent1, vv_vec3_cross(normal, tangent1), gap};
  return r;
}

// Corner `index` of a box: bits 0, 1, 2 set where it lies at +x, +y, +z.
VV_DIFF static inline vvVec3 vv_contact_corner(vvVec3 size, int index) {
  vvVec3 r = {-size.x, -size.y, -size.z};
  if (index & 1) r.x = size.x;
  if (index & 2) r.y = size.y;
  if (index & 4) r.z = size.z;
  return r;
}

// Plane through `plane` with the given normal against a sphere of radius r at c.
VV_DIFF static inline vvContactPoint vv_contact_plane_sphere(vvVec3 plane, vvVec3 normal, vvVec3 c, vvReal r,
                                                             vvVec3 hint) {
  vvReal gap = vv_vec3_dot(vv_vec3_sub(c, plane), normal) - r;
  vvVec3 point = vv_vec3_muladd(c, -(gap / 2 + r), normal);
  return vv_contact_frame(point, normal, hint, gap);
}

// Spheres at c1 and c2; z1, z2: axes that give the direction where the centres coincide.
VV_DIFF static inline vvContactPoint vv_contact_sphere_sphere(vvVec3 c1, vvReal r1, vvVec3 c2, vvReal r2, vvVec3 z1,
                                                              vvVec3 z2) {
  vvVec3 d = vv_vec3_sub(c2, c1);
  vvReal length = vv_vec3_length(d);
  vvVec3 normal = {1, 0, 0};
  if (length < VV_CONTACT_TINY) normal = vv_contact_unit(vv_vec3_cross(z1, z2));
  if (length >= VV_CONTACT_TINY) normal = vv_vec3_scale(1 / length, d);
  vvReal gap = length - r1 - r2;
  vvVec3 point = vv_vec3_muladd(c1, r1 + gap / 2, normal);
  vvVec3 none = {0, 0, 0};
  return vv_contact_frame(point, normal, none, gap);
}

// Column i of a rotation matrix: axis i of the frame.
VV_DIFF static inline vvVec3 vv_contact_column(vvMat3 R, int i) {
  vvVec3 r = {R.xx, R.yx, R.zx};
  if (i == 1) r = vv_vec3(R.xy, R.yy, R.zy);
  if (i == 2) r = vv_vec3(R.xz, R.yz, R.zz);
  return r;
}

// Entry i of a vector.
VV_DIFF static inline vvReal vv_contact_entry(vvVec3 a, int i) {
  vvReal r = a.x;
  if (i == 1) r = a.y;
  if (i == 2) r = a.z;
  return r;
}

#endif  // VISVIVA_GEOM_CONTACT_POINT_KERNEL_H_
