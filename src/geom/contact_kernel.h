// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// contact_kernel.h: point, normal, tangents and gap of a contact from its feature and the poses of the two bodies.
//
// method   closest points of plane, sphere, segment and corner here; boxes in contact_box_kernel.h, cylinders and
//          ellipsoids in contact_round_kernel.h, other pairs in contact_convex_kernel.h; points and frames as MuJoCo's
//          C engine chooses them: the point lies midway between the surfaces, the normal points from geom 1 to geom 2,
//          tangent 1 is the capsule's axis for plane-capsule and else y (z where the normal leans more than 30 degrees
//          towards y), made orthogonal to the normal
// symbols  a capsule's segment is pos + x h axis, x in [-1, 1], h its half length
//          index of plane-capsule: 0 end at +z, 1 end at -z; of plane-box: bits 0, 1, 2 set where the corner lies at
//          +x, +y, +z; of sphere-capsule: 0 inside the segment, 1 end at +z, 2 end at -z
//          index of capsule-capsule: s1 + 3 s2, s = 0 inside, 1 end at +axis, 2 end at -axis of capsule 1 and 2
// smooth   for a given feature, except where two sphere centres or closest points coincide: there the direction is
//          the cross product of the two geoms' z axes, or x where those are parallel (derivative 0)

#ifndef VISVIVA_GEOM_CONTACT_KERNEL_H_
#define VISVIVA_GEOM_CONTACT_KERNEL_H_

#include "geom/contact_box_kernel.h"
#include "geom/contact_convex_kernel.h"
#include "geom/contact_round_kernel.h"

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

// The contact with feature contacts[k]. xpos: nbody x 3, xquat: nbody x 4, body poses.
VV_DIFF static inline vvContactPoint vv_contact_evaluate(const vvModel* m, const vvReal* xpos, const vvReal* xquat,
                                                         VV_NO_DIFF const vvContactFeature* contacts, int k) {
  int g1 = contacts[k].geom1;
  int g2 = contacts[k].geom2;
  int kind = contacts[k].kind;
  int index = contacts[k].index;
  vvVec3 p1 = vv_contact_geom_pos(m, xpos, xquat, g1);
  vvVec3 p2 = vv_contact_geom_pos(m, xpos, xquat, g2);
  vvQuat q1 = vv_contact_geom_quat(m, xquat, g1);
  vvQuat q2 = vv_contact_geom_quat(m, xquat, g2);
  vvVec3 z1 = vv_contact_axis(q1);
  vvVec3 z2 = vv_contact_axis(q2);
  vvVec3 dim1 = vv_vec3_load(m->geom_dim, 3 * g1);
  vvVec3 dim2 = vv_vec3_load(m->geom_dim, 3 * g2);
  vvVec3 none = {0, 0, 0};
  vvContactPoint r = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, 0};
  if (kind == VV_FEATURE_PLANE_SPHERE) {
    r = vv_contact_plane_sphere(p1, z1, p2, dim2.x, none);
  } else if (kind == VV_FEATURE_PLANE_CAPSULE) {
    vvReal side = 1;
    if (index == 1) side = -1;
    r = vv_contact_plane_sphere(p1, z1, vv_vec3_muladd(p2, side * dim2.y, z2), dim2.x, z2);
  } else if (kind == VV_FEATURE_PLANE_BOX) {
    vvVec3 corner = vv_contact_corner(dim2, index);
    r = vv_contact_plane_sphere(p1, z1, vv_vec3_add(p2, vv_quat_rotate(q2, corner)), 0, none);
  } else if (kind == VV_FEATURE_SPHERE_SPHERE) {
    r = vv_contact_sphere_sphere(p1, dim1.x, p2, dim2.x, z1, z2);
  } else if (kind == VV_FEATURE_SPHERE_CAPSULE) {
    vvReal x = dim2.y;
    if (index == 2) x = -dim2.y;
    if (index == 0) x = vv_vec3_dot(z2, vv_vec3_sub(p1, p2));
    r = vv_contact_sphere_sphere(p1, dim1.x, vv_vec3_muladd(p2, x, z2), dim2.x, z1, z2);
  } else if (kind == VV_FEATURE_CAPSULE_CAPSULE) {
    r = vv_contact_capsule_capsule(p1, z1, dim1.x, dim1.y, p2, z2, dim2.x, dim2.y, index);
  } else if (kind == VV_FEATURE_PLANE_CYLINDER) {
    r = vv_contact_plane_cylinder(p1, z1, p2, q2, dim2.x, dim2.y, index);
  } else if (kind == VV_FEATURE_PLANE_ELLIPSOID) {
    r = vv_contact_plane_ellipsoid(p1, z1, p2, q2, dim2);
  } else if (kind == VV_FEATURE_SPHERE_CYLINDER) {
    r = vv_contact_sphere_cylinder(p1, z1, dim1.x, p2, z2, dim2.x, dim2.y, index);
  } else if (kind == VV_FEATURE_SPHERE_BOX) {
    r = vv_contact_sphere_box(p1, dim1.x, p2, q2, dim2, index);
  } else if (kind == VV_FEATURE_CAPSULE_BOX) {
    r = vv_contact_capsule_box(p1, z1, dim1.x, dim1.y, p2, q2, dim2, index, contacts[k].second);
  } else if (kind == VV_FEATURE_BOX_FACE) {
    r = vv_contact_box_face(p1, q1, dim1, p2, q2, dim2, index);
  } else if (kind == VV_FEATURE_BOX_EDGE) {
    r = vv_contact_box_edge(p1, q1, dim1, p2, q2, dim2, index);
  } else {
    vvVec3 n = {(vvReal)contacts[k].y[0], (vvReal)contacts[k].y[1], (vvReal)contacts[k].y[2]};
    r = vv_contact_convex(p1, q1, dim1, m->geom_type[g1], p2, q2, dim2, m->geom_type[g2], n, index, contacts[k].second);
  }
  return r;
}

#endif  // VISVIVA_GEOM_CONTACT_KERNEL_H_
