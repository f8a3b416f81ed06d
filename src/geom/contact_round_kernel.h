// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// contact_round_kernel.h: plane with cylinder and ellipsoid, sphere with cylinder.
//
// symbols  the cylinder is c + x z + y, |x| <= h, y orthogonal to z with |y| <= r
// index    plane-cylinder: 0 lowest point of the rim nearer to the plane, 1 the same on the other rim, 2 and 3 the two
//          other corners of an equilateral triangle on the nearer rim; + 4 where that rim is the one at -z; + 8 where
//          the axis is normal to the plane, so that the cylinder's x axis is taken for the lowest direction
//          sphere-cylinder: 0 side, 1 and 2 cap at +z and -z, 3 and 4 rim at +z and -z
// smooth   for a given index, except at a sphere's centre on the axis (side, rim)

#ifndef VISVIVA_GEOM_CONTACT_ROUND_KERNEL_H_
#define VISVIVA_GEOM_CONTACT_ROUND_KERNEL_H_

#include "geom/contact_point_kernel.h"

VV_DIFF static inline vvContactPoint vv_contact_plane_cylinder(vvVec3 plane, vvVec3 normal, vvVec3 c, vvQuat q,
                                                               vvReal radius, vvReal h, int index) {
  vvMat3 R = vv_quat_matrix(q);
  vvVec3 axis = vv_contact_column(R, 2);  // towards the plane
  if (index & 4) axis = vv_vec3_scale(-1, axis);
  vvVec3 down = vv_contact_column(R, 0);
  if (!(index & 8)) {
    down = vv_contact_unit(vv_vec3_sub(vv_vec3_scale(vv_vec3_dot(normal, axis), axis), normal));
  }
  vvVec3 rim = vv_vec3_scale(radius, down);
  vvVec3 none = {0, 0, 0};
  vvVec3 point = vv_vec3_add(c, rim);
  int corner = index & 3;
  if (corner == 0) {
    point = vv_vec3_muladd(point, h, axis);
  } else if (corner == 1) {
    point = vv_vec3_muladd(point, -h, axis);
  } else {
    vvReal s = radius * (vvReal)0.86602540378443864676;
    if (corner == 3) s = -s;
    point = vv_vec3_muladd(vv_vec3_muladd(c, (vvReal)-0.5, rim), h, axis);
    point = vv_vec3_muladd(point, s, vv_contact_unit(vv_vec3_cross(down, axis)));
  }
  return vv_contact_plane_sphere(plane, normal, point, 0, none);
}

VV_DIFF static inline vvContactPoint vv_contact_plane_ellipsoid(vvVec3 plane, vvVec3 normal, vvVec3 c, vvQuat q,
                                                                vvVec3 size) {
  vvMat3 R = vv_quat_matrix(q);
  vvVec3 n = vv_mat3_mul_t(R, normal);
  vvVec3 a = {-size.x * n.x, -size.y * n.y, -size.z * n.z};
  vvVec3 u = vv_contact_unit(a);
  vvVec3 local = {size.x * u.x, size.y * u.y, size.z * u.z};
  vvVec3 none = {0, 0, 0};
  return vv_contact_plane_sphere(plane, normal, vv_vec3_add(c, vv_mat3_mul(R, local)), 0, none);
}

// Sphere at c1 with axis z1 (for coincident centres) against a cylinder.
VV_DIFF static inline vvContactPoint vv_contact_sphere_cylinder(vvVec3 c1, vvVec3 z1, vvReal r1, vvVec3 c2, vvVec3 z2,
                                                                vvReal radius, vvReal h, int index) {
  vvVec3 none = {0, 0, 0};
  vvContactPoint r = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, 0};
  vvVec3 d = vv_vec3_sub(c1, c2);
  vvReal x = vv_vec3_dot(z2, d);
  vvReal s = 1;
  if (index == 2 || index == 4) s = -1;
  if (index == 0) {
    r = vv_contact_sphere_sphere(c1, r1, vv_vec3_muladd(c2, x, z2), radius, z1, z2);
  } else if (index < 3) {
    vvVec3 up = vv_vec3_scale(s, z2);
    vvReal gap = s * x - h - r1;
    r = vv_contact_frame(vv_vec3_muladd(c1, -(gap / 2 + r1), up), vv_vec3_scale(-1, up), none, gap);
  } else {
    vvVec3 out = vv_contact_unit(vv_vec3_muladd(d, -x, z2));
    vvVec3 rim = vv_vec3_muladd(vv_vec3_muladd(c2, radius, out), s * h, z2);
    r = vv_contact_sphere_sphere(c1, r1, rim, 0, z1, z2);
  }
  return r;
}

#endif  // VISVIVA_GEOM_CONTACT_ROUND_KERNEL_H_
