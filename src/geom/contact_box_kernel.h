// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// contact_box_kernel.h: a box with sphere, capsule and box.
//
// index    sphere-box: region of the centre, sum over the axes of 3^axis times 0 within, 1 above, 2 below; a centre
//          within the box: 27 + 2 axis + (0 face at -, 1 face at +), the nearest face
//          capsule-box: second is the region of a sphere at the point t of the segment, t in [-1, 1]; index says how t
//          follows, see vv_contact_segment_point
//          box-box, face: bit 0 set where box 2 owns the reference face, bits 1-2 its axis, bit 3 set where the other
//          box lies towards +; bits 4-5 axis of the incident face, bit 6 set for the one at +; bits 7-9 and 10-12 the
//          two lines whose intersection is the point: 0, 1 u = +1, -1; 2, 3 v = +1, -1 (edges of the incident face c +
//          u U + v V); 4, 5 x = +, - size; 6, 7 y = +, - size (sides of the reference box)
//          box-box, edges: bits 0-1 and 2-3 axes of the two edges; bit 4 set where the normal is the cross product
//          negated; bits 5-6 and 7-8 set where the edge lies at + along the two next axes; bits 9-10 and 11-12 where
//          the point lies on each edge: 0 within, 1 end at +, 2 end at -
// smooth   for a given feature, except where a sphere's centre lies on the surface

#ifndef VISVIVA_GEOM_CONTACT_BOX_KERNEL_H_
#define VISVIVA_GEOM_CONTACT_BOX_KERNEL_H_

#include "geom/contact_point_kernel.h"

// One coordinate moved to the face that region digit `side` names.
VV_DIFF static inline vvReal vv_contact_clamped(vvReal x, vvReal size, int side) {
  vvReal r = x;
  if (side == 1) r = size;
  if (side == 2) r = -size;
  return r;
}

VV_DIFF static inline vvContactPoint vv_contact_sphere_box(vvVec3 c, vvReal radius, vvVec3 p, vvQuat q, vvVec3 size,
                                                           int region) {
  vvMat3 R = vv_quat_matrix(q);
  vvVec3 x = vv_mat3_mul_t(R, vv_vec3_sub(c, p));
  vvVec3 n = {0, 0, 0};
  vvVec3 point = {0, 0, 0};
  vvVec3 none = {0, 0, 0};
  vvReal gap = 0;
  if (region < 27) {
    vvVec3 on = {vv_contact_clamped(x.x, size.x, region % 3), vv_contact_clamped(x.y, size.y, region / 3 % 3),
                 vv_contact_clamped(x.z, size.z, region / 9)};
    vvVec3 d = vv_vec3_sub(on, x);
    n = vv_contact_unit(d);
    gap = vv_vec3_length(d) - radius;
    point = vv_vec3_scale((vvReal)0.5, vv_vec3_muladd(vv_vec3_add(on, x), radius, n));
  } else {
    int axis = (region - 27) / 2;
    vvReal inward = 1;
    if ((region - 27) % 2 == 1) inward = -1;
    vvReal depth = vv_contact_entry(size, axis) + inward * vv_contact_entry(x, axis);
    if (axis == 0) n.x = inward;
    if (axis == 1) n.y = inward;
    if (axis == 2) n.z = inward;
    gap = -depth - radius;
    point = vv_vec3_muladd(x, (radius - depth) / 2, n);
  }
  return vv_contact_frame(vv_vec3_add(p, vv_mat3_mul(R, point)), vv_mat3_mul(R, n), none, gap);
}

// Where on the capsule's segment x + t a (box axes) a sphere is put against the box, t in [-1, 1].
// index    bits 0-1: 0 t = 1, 1 t = -1, 2 closest to an edge of the box, 3 closest to a corner; bits 2-4 the corner
//          (of an edge: its lower end), bits 5-6 the axis of the edge
//          bits 7-10, a further point: 1 and 2 where the segment crosses the plane of the face at + and - of the axis
//          in bits 11-12; 3 and 4 t moved by + and - the box's width along that axis; 5 to 8 t moved along the rest of
//          the edge from the closest point to its end at + (5: forward, 6: backward) or at - (7, 8)
VV_DIFF static inline vvReal vv_contact_segment_point(vvVec3 x, vvVec3 a, vvVec3 size, int index) {
  int base = index & 3;
  int edge = index >> 5 & 3;
  int how = index >> 7 & 15;
  int axis = index >> 11 & 3;
  vvVec3 d = vv_vec3_sub(vv_contact_corner(size, index >> 2 & 7), x);
  vvReal aa = vv_vec3_dot(a, a);
  vvReal ad = vv_vec3_dot(a, d);
  vvReal ae = vv_contact_entry(a, edge);
  vvReal middle = -vv_contact_entry(x, edge);
  vvReal t = 1;
  if (base == 1) t = -1;
  if (base == 2) t = (ad - ae * vv_contact_entry(d, edge)) / (aa - ae * ae);
  if (base == 3) t = ad / aa;
  if (how == 1 || how == 2) {
    vvReal size_axis = vv_contact_clamped(0, vv_contact_entry(size, axis), how);
    t = (size_axis - vv_contact_entry(x, axis)) / vv_contact_entry(a, axis);
  } else if (how == 3 || how == 4) {
    vvReal step = 2 * vv_contact_entry(size, axis) / vv_fabs(vv_contact_entry(a, axis));
    if (how == 4) step = -step;
    t += step;
  } else if (how >= 5) {
    vvReal rest = vv_contact_entry(size, edge) - (ae * t - middle);
    if (how >= 7) rest = vv_contact_entry(size, edge) + (ae * t - middle);
    rest = rest / vv_fabs(ae);
    if (how == 6 || how == 8) rest = -rest;
    t += rest;
  }
  return t;
}

VV_DIFF static inline vvContactPoint vv_contact_capsule_box(vvVec3 p1, vvVec3 z1, vvReal radius, vvReal h, vvVec3 p2,
                                                            vvQuat q2, vvVec3 size, int index, int region) {
  vvMat3 R = vv_quat_matrix(q2);
  vvVec3 x = vv_mat3_mul_t(R, vv_vec3_sub(p1, p2));
  vvVec3 a = vv_vec3_scale(h, vv_mat3_mul_t(R, z1));
  vvReal t = vv_contact_segment_point(x, a, size, index);
  return vv_contact_sphere_box(vv_vec3_muladd(p1, t * h, z1), radius, p2, q2, size, region);
}

// Signed half size: +1 where bit `bit` of index is set.
VV_DIFF static inline vvReal vv_contact_signed(vvReal size, int index, int bit) {
  vvReal r = -size;
  if (index >> bit & 1) r = size;
  return r;
}

// Point of the incident face C + u U + v V, -1 <= u, v <= 1, on two lines; ex, ey, sx, sy: sides of the reference face.
VV_DIFF static inline vvVec3 vv_contact_clip(vvVec3 C, vvVec3 U, vvVec3 V, vvVec3 ex, vvReal sx, vvVec3 ey, vvReal sy,
                                             int line1, int line2) {
  vvReal u = 1;
  vvReal v = 1;
  if (line1 == 1) u = -1;
  if (line1 == 3 || line2 == 3) v = -1;
  vvReal X = sx;
  vvReal Y = sy;
  if (line1 == 5 || line2 == 5) X = -sx;
  if (line1 == 7 || line2 == 7) Y = -sy;
  if (line1 >= 4) {
    vvReal a = vv_vec3_dot(ex, U);
    vvReal b = vv_vec3_dot(ex, V);
    vvReal c = vv_vec3_dot(ey, U);
    vvReal d = vv_vec3_dot(ey, V);
    vvReal f = X - vv_vec3_dot(ex, C);
    vvReal g = Y - vv_vec3_dot(ey, C);
    vvReal det = a * d - b * c;
    u = (d * f - b * g) / det;
    v = (a * g - c * f) / det;
  } else if (line2 >= 4) {
    vvVec3 e = ex;
    vvReal target = X;
    if (line2 >= 6) {
      e = ey;
      target = Y;
    }
    target -= vv_vec3_dot(e, C);
    if (line1 < 2) {
      v = (target - u * vv_vec3_dot(e, U)) / vv_vec3_dot(e, V);
    } else {
      u = (target - v * vv_vec3_dot(e, V)) / vv_vec3_dot(e, U);
    }
  }
  return vv_vec3_muladd(vv_vec3_muladd(C, u, U), v, V);
}

VV_DIFF static inline vvContactPoint vv_contact_box_face(vvVec3 p1, vvQuat q1, vvVec3 size1, vvVec3 p2, vvQuat q2,
                                                         vvVec3 size2, int index) {
  vvVec3 p = p1;
  vvVec3 s = size1;
  vvVec3 si = size2;
  vvMat3 R = vv_quat_matrix(q1);
  vvMat3 Ri = vv_quat_matrix(q2);
  vvVec3 d = vv_vec3_sub(p2, p1);
  if (index & 1) {
    p = p2;
    s = size2;
    si = size1;
    R = vv_quat_matrix(q2);
    Ri = vv_quat_matrix(q1);
    d = vv_vec3_sub(p1, p2);
  }
  int a = index >> 1 & 3;
  int b = index >> 4 & 3;
  int ax = (a + 1) % 3;
  int ay = (a + 2) % 3;
  int bu = (b + 1) % 3;
  int bv = (b + 2) % 3;
  vvVec3 n = vv_vec3_scale(vv_contact_signed(1, index, 3), vv_contact_column(R, a));
  vvVec3 C = vv_vec3_muladd(d, vv_contact_signed(vv_contact_entry(si, b), index, 6), vv_contact_column(Ri, b));
  vvVec3 U = vv_vec3_scale(vv_contact_entry(si, bu), vv_contact_column(Ri, bu));
  vvVec3 V = vv_vec3_scale(vv_contact_entry(si, bv), vv_contact_column(Ri, bv));
  vvVec3 x = vv_contact_clip(C, U, V, vv_contact_column(R, ax), vv_contact_entry(s, ax), vv_contact_column(R, ay),
                             vv_contact_entry(s, ay), index >> 7 & 7, index >> 10 & 7);
  vvReal gap = vv_vec3_dot(n, x) - vv_contact_entry(s, a);
  vvVec3 point = vv_vec3_add(p, vv_vec3_muladd(x, -gap / 2, n));
  vvVec3 none = {0, 0, 0};
  if (index & 1) n = vv_vec3_scale(-1, n);
  return vv_contact_frame(point, n, none, gap);
}

VV_DIFF static inline vvContactPoint vv_contact_box_edge(vvVec3 p1, vvQuat q1, vvVec3 size1, vvVec3 p2, vvQuat q2,
                                                         vvVec3 size2, int index) {
  vvMat3 R1 = vv_quat_matrix(q1);
  vvMat3 R2 = vv_quat_matrix(q2);
  int i = index & 3;
  int j = index >> 2 & 3;
  int iu = (i + 1) % 3;
  int iv = (i + 2) % 3;
  int ju = (j + 1) % 3;
  int jv = (j + 2) % 3;
  vvVec3 a = vv_contact_column(R1, i);
  vvVec3 b = vv_contact_column(R2, j);
  vvVec3 n = vv_vec3_scale(-vv_contact_signed(1, index, 4), vv_contact_unit(vv_vec3_cross(a, b)));
  vvVec3 c1 = vv_vec3_muladd(p1, vv_contact_signed(vv_contact_entry(size1, iu), index, 5), vv_contact_column(R1, iu));
  c1 = vv_vec3_muladd(c1, vv_contact_signed(vv_contact_entry(size1, iv), index, 6), vv_contact_column(R1, iv));
  vvVec3 c2 = vv_vec3_muladd(p2, vv_contact_signed(vv_contact_entry(size2, ju), index, 7), vv_contact_column(R2, ju));
  c2 = vv_vec3_muladd(c2, vv_contact_signed(vv_contact_entry(size2, jv), index, 8), vv_contact_column(R2, jv));
  vvVec3 e = vv_vec3_sub(c2, c1);
  vvReal ab = vv_vec3_dot(a, b);
  vvReal ae = vv_vec3_dot(a, e);
  vvReal be = vv_vec3_dot(b, e);
  int end1 = index >> 9 & 3;
  int end2 = index >> 11 & 3;
  vvReal s = vv_contact_clamped(0, vv_contact_entry(size1, i), end1);
  vvReal t = vv_contact_clamped(0, vv_contact_entry(size2, j), end2);
  if (end1 == 0 && end2 == 0) {
    s = (ae - ab * be) / (1 - ab * ab);
    t = ab * s - be;
  } else if (end1 == 0) {
    s = ae + ab * t;
  } else if (end2 == 0) {
    t = ab * s - be;
  }
  c1 = vv_vec3_muladd(c1, s, a);
  c2 = vv_vec3_muladd(c2, t, b);
  vvVec3 none = {0, 0, 0};
  return vv_contact_frame(vv_vec3_scale((vvReal)0.5, vv_vec3_add(c1, c2)), n, none,
                          vv_vec3_dot(n, vv_vec3_sub(c2, c1)));
}

#endif  // VISVIVA_GEOM_CONTACT_BOX_KERNEL_H_
