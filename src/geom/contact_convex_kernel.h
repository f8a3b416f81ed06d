// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// contact_convex_kernel.h: contact of two convex shapes among sphere, capsule, ellipsoid, cylinder and box by the
// direction of least penetration or of closest approach.
//
// method   the unit normal n maximises s(n) = n.(p2 - p1) - h1(n) - h2(n), h the shapes' support functions (all are
// even);
//          the gap is s(n). Search stores the converged n; evaluation takes one Newton step from it, held fixed, whose
//          derivative is that of the implicit function, curvature included.
// symbols  h has kinks where n is orthogonal to an axis a of a box, capsule or cylinder: there the support is a segment
//          size lambda a, |lambda| <= size; on a cylinder's axis it is the disc of the cap. w = x2 - x1 before these
//          parts are added; w = s n + sum of lambda a over the axes in `second`.
// index    code1 + 27 code2 + 729 cap1 + 1458 cap2 + 2916 where n = -(a x b)/|a x b|; a code is the sum over the axes
// of
//          3^axis times 0 (n orthogonal to it), 1, 2 (support at +, at -); cap: the support is a cylinder's cap
//          second: one or two axes that n is orthogonal to, 1 + axis of shape 1, 4 + axis of shape 2; the second times
//          8
// smooth   for a given feature, while the maximum is strict

#ifndef VISVIVA_GEOM_CONTACT_CONVEX_KERNEL_H_
#define VISVIVA_GEOM_CONTACT_CONVEX_KERNEL_H_

#include "geom/contact_point_kernel.h"

typedef struct vvConvex {
  vvVec3 p, x, y, z, size;  // centre, axes
} vvConvex;

// What follows from a pair's normal.
typedef struct vvConvexPair {
  vvVec3 n, x1, x2;
  vvReal gap;
} vvConvexPair;

VV_DIFF static inline vvConvex vv_convex(vvVec3 p, vvQuat q, vvVec3 size) {
  vvMat3 R = vv_quat_matrix(q);
  vvConvex r = {p, vv_contact_column(R, 0), vv_contact_column(R, 1), vv_contact_column(R, 2), size};
  return r;
}

VV_DIFF static inline vvReal vv_convex_sign(vvReal size, int digit) {
  vvReal r = 0;
  if (digit == 1) r = size;
  if (digit == 2) r = -size;
  return r;
}

// Point furthest along d, from the centre.
VV_DIFF static inline vvVec3 vv_convex_support(vvConvex c, int type, int code, int cap, vvVec3 d) {
  vvVec3 r = vv_vec3_scale(c.size.x, d);
  if (type == VV_GEOM_ELLIPSOID) {
    vvVec3 a = {c.size.x * vv_vec3_dot(c.x, d), c.size.y * vv_vec3_dot(c.y, d), c.size.z * vv_vec3_dot(c.z, d)};
    vvReal k = 1 / vv_sqrt(vv_vec3_dot(a, a));
    r = vv_vec3_scale(k * a.x * c.size.x, c.x);
    r = vv_vec3_muladd(r, k * a.y * c.size.y, c.y);
    r = vv_vec3_muladd(r, k * a.z * c.size.z, c.z);
  } else if (type == VV_GEOM_CAPSULE) {
    r = vv_vec3_muladd(r, vv_convex_sign(c.size.y, code / 9), c.z);
  } else if (type == VV_GEOM_CYLINDER) {
    r = vv_vec3_scale(vv_convex_sign(c.size.y, code / 9), c.z);
    if (cap == 0) {
      vvVec3 out = vv_contact_unit(vv_vec3_muladd(d, -vv_vec3_dot(d, c.z), c.z));
      r = vv_vec3_muladd(r, c.size.x, out);
    }
  } else if (type == VV_GEOM_BOX) {
    r = vv_vec3_scale(vv_convex_sign(c.size.x, code % 3), c.x);
    r = vv_vec3_muladd(r, vv_convex_sign(c.size.y, code / 3 % 3), c.y);
    r = vv_vec3_muladd(r, vv_convex_sign(c.size.z, code / 9), c.z);
  }
  return r;
}

// Hessian of the support function at d times t, t orthogonal to d.
VV_DIFF static inline vvVec3 vv_convex_curvature(vvConvex c, int type, int cap, vvVec3 d, vvVec3 t) {
  vvVec3 r = {0, 0, 0};
  if (type == VV_GEOM_SPHERE || type == VV_GEOM_CAPSULE) {
    r = vv_vec3_scale(c.size.x, t);
  } else if (type == VV_GEOM_ELLIPSOID) {
    vvVec3 a = {c.size.x * vv_vec3_dot(c.x, d), c.size.y * vv_vec3_dot(c.y, d), c.size.z * vv_vec3_dot(c.z, d)};
    vvVec3 b = {c.size.x * vv_vec3_dot(c.x, t), c.size.y * vv_vec3_dot(c.y, t), c.size.z * vv_vec3_dot(c.z, t)};
    vvReal aa = vv_vec3_dot(a, a);
    vvVec3 e = vv_vec3_scale(1 / vv_sqrt(aa), vv_vec3_muladd(b, -vv_vec3_dot(a, b) / aa, a));
    r = vv_vec3_scale(c.size.x * e.x, c.x);
    r = vv_vec3_muladd(r, c.size.y * e.y, c.y);
    r = vv_vec3_muladd(r, c.size.z * e.z, c.z);
  } else if (type == VV_GEOM_CYLINDER && cap == 0) {
    vvVec3 around = vv_vec3_cross(c.z, d);
    vvReal s2 = vv_vec3_dot(around, around);
    r = vv_vec3_scale(c.size.x * vv_vec3_dot(around, t) / (s2 * vv_sqrt(s2)), around);
  }
  return r;
}

// Axis `which` - 1 of the two shapes' six.
VV_DIFF static inline vvVec3 vv_convex_axis(vvConvex a, vvConvex b, int which) {
  vvVec3 r = {0, 0, 0};
  if (which == 1) r = a.x;
  if (which == 2) r = a.y;
  if (which == 3) r = a.z;
  if (which == 4) r = b.x;
  if (which == 5) r = b.y;
  if (which == 6) r = b.z;
  return r;
}

// One Newton step for n from n0, and what follows from it.
VV_DIFF static inline vvConvexPair vv_convex_pair(vvConvex a, int type1, vvConvex b, int type2, vvVec3 n0, int index,
                                                  int second) {
  int code1 = index % 27;
  int code2 = index / 27 % 27;
  int cap1 = index / 729 % 2;
  int cap2 = index / 1458 % 2;
  int one = second & 7;
  int two = second >> 3;
  vvVec3 u = vv_convex_axis(a, b, one);
  vvVec3 v = vv_convex_axis(a, b, two);
  vvVec3 d = vv_vec3_sub(b.p, a.p);
  vvConvexPair r = {n0, {0, 0, 0}, {0, 0, 0}, 0};
  if (two != 0) {
    r.n = vv_contact_unit(vv_vec3_cross(u, v));
    if (index >= 2916) r.n = vv_vec3_scale(-1, r.n);
  } else {
    if (one != 0) r.n = vv_contact_unit(vv_vec3_muladd(n0, -vv_vec3_dot(n0, u), u));
    vvVec3 e = {1, 0, 0};
    if (n0.x > (vvReal)0.6 || n0.x < -(vvReal)0.6) e = vv_vec3(0, 1, 0);
    if (one != 0) e = u;
    vvVec3 t1 = vv_contact_unit(vv_vec3_cross(r.n, e));
    vvVec3 t2 = vv_vec3_cross(r.n, t1);
    vvVec3 back = vv_vec3_scale(-1, r.n);
    vvVec3 w = vv_vec3_sub(vv_vec3_add(d, vv_convex_support(b, type2, code2, cap2, back)),
                           vv_convex_support(a, type1, code1, cap1, r.n));
    vvReal s = vv_vec3_dot(w, r.n);
    vvVec3 k1 =
        vv_vec3_add(vv_convex_curvature(a, type1, cap1, r.n, t1), vv_convex_curvature(b, type2, cap2, back, t1));
    vvReal k11 = vv_vec3_dot(k1, t1) + s;
    vvReal w1 = vv_vec3_dot(w, t1);
    if (one != 0) {
      r.n = vv_contact_unit(vv_vec3_muladd(r.n, w1 / k11, t1));
    } else {
      vvVec3 k2 =
          vv_vec3_add(vv_convex_curvature(a, type1, cap1, r.n, t2), vv_convex_curvature(b, type2, cap2, back, t2));
      vvReal k12 = vv_vec3_dot(k2, t1);
      vvReal k22 = vv_vec3_dot(k2, t2) + s;
      vvReal w2 = vv_vec3_dot(w, t2);
      vvReal det = k11 * k22 - k12 * k12;
      r.n = vv_vec3_muladd(r.n, (k22 * w1 - k12 * w2) / det, t1);
      r.n = vv_contact_unit(vv_vec3_muladd(r.n, (k11 * w2 - k12 * w1) / det, t2));
    }
  }
  r.x1 = vv_convex_support(a, type1, code1, cap1, r.n);
  r.x2 = vv_vec3_add(d, vv_convex_support(b, type2, code2, cap2, vv_vec3_scale(-1, r.n)));
  vvVec3 w = vv_vec3_sub(r.x2, r.x1);
  r.gap = vv_vec3_dot(w, r.n);
  vvReal wu = vv_vec3_dot(w, u);
  vvReal wv = vv_vec3_dot(w, v);
  vvReal uv = vv_vec3_dot(u, v);
  if (two != 0) {
    vvReal det = 1 - uv * uv;
    vvReal lu = (wu - uv * wv) / det;
    wv = (wv - uv * wu) / det;
    wu = lu;
  }
  if (one >= 4) {
    r.x2 = vv_vec3_muladd(r.x2, -wu, u);
  } else {
    r.x1 = vv_vec3_muladd(r.x1, wu, u);
  }
  if (two >= 4) {
    r.x2 = vv_vec3_muladd(r.x2, -wv, v);
  } else {
    r.x1 = vv_vec3_muladd(r.x1, wv, v);
  }
  return r;
}

VV_DIFF static inline vvContactPoint vv_contact_convex(vvVec3 p1, vvQuat q1, vvVec3 size1, int type1, vvVec3 p2,
                                                       vvQuat q2, vvVec3 size2, int type2, vvVec3 n0, int index,
                                                       int second) {
  vvConvexPair r = vv_convex_pair(vv_convex(p1, q1, size1), type1, vv_convex(p2, q2, size2), type2, n0, index, second);
  vvVec3 none = {0, 0, 0};
  return vv_contact_frame(vv_vec3_muladd(p1, (vvReal)0.5, vv_vec3_add(r.x1, r.x2)), r.n, none, r.gap);
}

#endif  // VISVIVA_GEOM_CONTACT_CONVEX_KERNEL_H_
