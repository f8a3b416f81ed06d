// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// contact_kernel.h: point, normal, tangents and gap of a contact from its feature and the poses of the two bodies.
//
// method   closest points of plane, sphere, segment and corner; points and frames as MuJoCo's C engine chooses them:
//          the point lies midway between the surfaces, the normal points from geom 1 to geom 2, tangent 1 is the
//          capsule's axis for plane-capsule and else y (z where the normal leans more than 30 degrees towards y), made
//          orthogonal to the normal
// symbols  a capsule's segment is pos + x h axis, x in [-1, 1], h its half length
//          index of capsule-capsule: s1 + 3 s2, s = 0 inside, 1 end at +axis, 2 end at -axis of capsule 1 and 2
// smooth   for a given feature, except where two sphere centres or closest points coincide: there the direction is
//          the cross product of the two geoms' z axes, or x where those are parallel (derivative 0)

#ifndef VISVIVA_GEOM_CONTACT_KERNEL_H_
#define VISVIVA_GEOM_CONTACT_KERNEL_H_

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
  vvVec3 r = {2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x),
              q.w * q.w - q.x * q.x - q.y * q.y + q.z * q.z};
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

// Corner `index` of a box: bits 0, 1, 2 set where it lies at +x, +y, +z.
VV_DIFF static inline vvVec3 vv_contact_corner(vvVec3 size, int index) {
  vvVec3 r = {-size.x, -size.y, -size.z};
  if (index & 1) r.x = size.x;
  if (index & 2) r.y = size.y;
  if (index & 4) r.z = size.z;
  return r;
}

// Closest points of two segments by region; a, b: axes times half lengths.
VV_DIFF static inline vvContactPoint vv_contact_capsule_capsule(vvVec3 p1, vvVec3 z1, vvReal r1, vvReal h1, vvVec3 p2,
                                                                vvVec3 z2, vvReal r2, vvReal h2, int index) {
  vvVec3 a = vv_vec3_scale(h1, z1);
  vvVec3 b = vv_vec3_scale(h2, z2);
  vvVec3 d = vv_vec3_sub(p1, p2);
  vvReal aa = vv_vec3_dot(a, a);
  vvReal ab = -vv_vec3_dot(a, b);
  vvReal bb = vv_vec3_dot(b, b);
  vvReal u = -vv_vec3_dot(a, d);
  vvReal v = vv_vec3_dot(b, d);
  vvReal x1 = 0;
  vvReal x2 = 0;
  int s1 = index % 3;
  int s2 = index / 3;
  if (s1 == 1) x1 = 1;
  if (s1 == 2) x1 = -1;
  if (s2 == 1) x2 = 1;
  if (s2 == 2) x2 = -1;
  if (s1 == 0 && s2 == 0) {
    vvReal det = aa * bb - ab * ab;
    x1 = (bb * u - ab * v) / det;
    x2 = (aa * v - ab * u) / det;
  } else if (s1 == 0) {
    x1 = (u - x2 * ab) / aa;
  } else if (s2 == 0) {
    x2 = (v - x1 * ab) / bb;
  }
  return vv_contact_sphere_sphere(vv_vec3_muladd(p1, x1, a), r1, vv_vec3_muladd(p2, x2, b), r2, z1, z2);
}

// The contact of geoms g1 and g2 with the given feature. xpos: nbody x 3, xquat: nbody x 4, body poses.
VV_DIFF static inline vvContactPoint vv_contact_evaluate(const vvModel* m, const vvReal* xpos, const vvReal* xquat,
                                                         int g1, int g2, int kind, int index) {
  vvVec3 p1 = vv_contact_geom_pos(m, xpos, xquat, g1);
  vvVec3 p2 = vv_contact_geom_pos(m, xpos, xquat, g2);
  vvVec3 z1 = vv_contact_axis(vv_contact_geom_quat(m, xquat, g1));
  vvQuat q2 = vv_contact_geom_quat(m, xquat, g2);
  vvVec3 z2 = vv_contact_axis(q2);
  vvReal r1 = m->geom_dim[3 * g1];
  vvReal r2 = m->geom_dim[3 * g2];
  vvReal h2 = m->geom_dim[3 * g2 + 1];
  vvVec3 none = {0, 0, 0};
  vvContactPoint r = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, 0};
  if (kind == VV_FEATURE_PLANE_SPHERE) {
    r = vv_contact_plane_sphere(p1, z1, p2, r2, none);
  } else if (kind == VV_FEATURE_PLANE_CAPSULE) {
    vvReal side = 1;
    if (index == 1) side = -1;
    r = vv_contact_plane_sphere(p1, z1, vv_vec3_muladd(p2, side * h2, z2), r2, z2);
  } else if (kind == VV_FEATURE_PLANE_BOX) {
    vvVec3 corner = vv_contact_corner(vv_vec3_load(m->geom_dim, 3 * g2), index);
    r = vv_contact_plane_sphere(p1, z1, vv_vec3_add(p2, vv_quat_rotate(q2, corner)), 0, none);
  } else if (kind == VV_FEATURE_SPHERE_SPHERE) {
    r = vv_contact_sphere_sphere(p1, r1, p2, r2, z1, z2);
  } else if (kind == VV_FEATURE_SPHERE_CAPSULE) {
    vvReal x = h2;
    if (index == 2) x = -h2;
    if (index == 0) x = vv_vec3_dot(z2, vv_vec3_sub(p1, p2));
    r = vv_contact_sphere_sphere(p1, r1, vv_vec3_muladd(p2, x, z2), r2, z1, z2);
  } else {
    r = vv_contact_capsule_capsule(p1, z1, r1, m->geom_dim[3 * g1 + 1], p2, z2, r2, h2, index);
  }
  return r;
}

#endif  // VISVIVA_GEOM_CONTACT_KERNEL_H_
