// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// shape.c: rays and shapes.
//
// method   the ray o + t d is moved into the shape's axes; spheres, ellipsoids, cylinders and capsules are quadratic
//          equations a t^2 + 2 b t + c = 0, boxes and caps are slabs

#include "cli/shape.h"

#include <math.h>

double vv_shape_radius(int type, const double size[3]) {
  switch (type) {
    case VV_GEOM_SPHERE:
      return size[0];
    case VV_GEOM_CAPSULE:
      return size[0] + size[1];
    case VV_GEOM_CYLINDER:
      return sqrt(size[0] * size[0] + size[1] * size[1]);
    case VV_GEOM_ELLIPSOID:
      return fmax(size[0], fmax(size[1], size[2]));
    case VV_GEOM_BOX:
      return sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
    default:
      return (double)INFINITY;
  }
}

// The smaller root of a t^2 + 2 b t + c above `least`.
static bool first_root(double a, double b, double c, double least, double* t) {
  double discriminant = b * b - a * c;
  if (!(a > 0) || discriminant < 0) return false;
  *t = (-b - sqrt(discriminant)) / a;
  return *t > least;
}

static bool hit_ball(const double o[3], const double d[3], double height, double radius, double least, double* t,
                     double n[3]) {
  double z = o[2] - height;
  double b = o[0] * d[0] + o[1] * d[1] + z * d[2];
  double c = o[0] * o[0] + o[1] * o[1] + z * z - radius * radius;
  if (!first_root(1, b, c, least, t)) return false;
  n[0] = o[0] + *t * d[0];
  n[1] = o[1] + *t * d[1];
  n[2] = z + *t * d[2];
  return true;
}

static bool hit_ellipsoid(const double o[3], const double d[3], const double s[3], double least, double* t,
                          double n[3]) {
  double a = 0, b = 0, c = -1;
  for (int k = 0; k < 3; k++) {
    double w = 1 / (s[k] * s[k]);
    a += w * d[k] * d[k];
    b += w * o[k] * d[k];
    c += w * o[k] * o[k];
  }
  if (!first_root(a, b, c, least, t)) return false;
  for (int k = 0; k < 3; k++) n[k] = (o[k] + *t * d[k]) / (s[k] * s[k]);
  return true;
}

// The curved side of a cylinder.
static bool hit_side(const double o[3], const double d[3], const double s[3], double least, double* t, double n[3]) {
  double a = d[0] * d[0] + d[1] * d[1];
  double b = o[0] * d[0] + o[1] * d[1];
  double c = o[0] * o[0] + o[1] * o[1] - s[0] * s[0];
  if (!first_root(a, b, c, least, t) || fabs(o[2] + *t * d[2]) > s[1]) return false;
  n[0] = o[0] + *t * d[0];
  n[1] = o[1] + *t * d[1];
  n[2] = 0;
  return true;
}

static bool hit_cap(const double o[3], const double d[3], const double s[3], double least, double* t, double n[3]) {
  if (d[2] == 0) return false;
  double side = d[2] > 0 ? -1 : 1;
  *t = (side * s[1] - o[2]) / d[2];
  double x = o[0] + *t * d[0], y = o[1] + *t * d[1];
  if (*t <= least || x * x + y * y > s[0] * s[0]) return false;
  n[0] = n[1] = 0;
  n[2] = side;
  return true;
}

static bool hit_capsule(const double o[3], const double d[3], const double s[3], double least, double* t, double n[3]) {
  if (hit_side(o, d, s, least, t, n)) return true;
  double t2 = 0, n2[3];
  bool low = hit_ball(o, d, -s[1], s[0], least, t, n);
  bool high = hit_ball(o, d, s[1], s[0], least, &t2, n2);
  if (high && (!low || t2 < *t)) {
    *t = t2;
    for (int k = 0; k < 3; k++) n[k] = n2[k];
  }
  return low || high;
}

static bool hit_box(const double o[3], const double d[3], const double s[3], double least, double* t, double n[3]) {
  double enter = -(double)INFINITY, leave = (double)INFINITY;
  int axis = 0;
  for (int k = 0; k < 3; k++) {
    if (d[k] == 0) {
      if (fabs(o[k]) > s[k]) return false;
      continue;
    }
    double side = d[k] > 0 ? -s[k] : s[k];
    double t0 = (side - o[k]) / d[k], t1 = (-side - o[k]) / d[k];
    if (t0 > enter) {
      enter = t0;
      axis = k;
    }
    leave = fmin(leave, t1);
  }
  if (enter > leave || enter <= least) return false;
  *t = enter;
  n[0] = n[1] = n[2] = 0;
  n[axis] = d[axis] > 0 ? -1 : 1;
  return true;
}

static bool hit_plane(const double o[3], const double d[3], double least, double* t, double n[3]) {
  if (o[2] <= 0 || d[2] >= 0) return false;
  *t = -o[2] / d[2];
  n[0] = n[1] = 0;
  n[2] = 1;
  return *t > least;
}

static bool hit_local(const vvShape* shape, const double o[3], const double d[3], double least, double* t,
                      double n[3]) {
  switch (shape->type) {
    case VV_GEOM_PLANE:
      return hit_plane(o, d, least, t, n);
    case VV_GEOM_SPHERE:
      return hit_ball(o, d, 0, shape->size[0], least, t, n);
    case VV_GEOM_CAPSULE:
      return hit_capsule(o, d, shape->size, least, t, n);
    case VV_GEOM_ELLIPSOID:
      return hit_ellipsoid(o, d, shape->size, least, t, n);
    case VV_GEOM_CYLINDER:
      return hit_side(o, d, shape->size, least, t, n) || hit_cap(o, d, shape->size, least, t, n);
    case VV_GEOM_BOX:
      return hit_box(o, d, shape->size, least, t, n);
    default:
      return false;
  }
}

bool vv_shape_hit(const vvShape* shape, const double start[3], const double dir[3], double least, double* t,
                  double* normal) {
  const double* R = shape->mat;
  double r[3] = {start[0] - shape->pos[0], start[1] - shape->pos[1], start[2] - shape->pos[2]};
  if (shape->type != VV_GEOM_PLANE) {  // bounding sphere
    double b = r[0] * dir[0] + r[1] * dir[1] + r[2] * dir[2];
    double c = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] - shape->radius * shape->radius;
    if ((c > 0 && b > 0) || b * b < c) return false;
  }
  double o[3], d[3], n[3], first = 0;
  for (int k = 0; k < 3; k++) {
    o[k] = R[k] * r[0] + R[3 + k] * r[1] + R[6 + k] * r[2];
    d[k] = R[k] * dir[0] + R[3 + k] * dir[1] + R[6 + k] * dir[2];
  }
  if (!hit_local(shape, o, d, least, &first, n) || first >= *t) return false;
  *t = first;
  if (normal) {
    double scale = 1 / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) normal[k] = scale * (R[3 * k] * n[0] + R[3 * k + 1] * n[1] + R[3 * k + 2] * n[2]);
  }
  return true;
}
