// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// ray_kernel.h: where a ray first meets the surface of a shape.
//
// symbols  p + t d  the ray in the shape's frame, d unit, t >= 0; from inside it meets the surface where it leaves
//          a t^2 + 2 b t + c = 0 at a quadric
// result   t, -1 where nothing is hit. A plane is hit from its front only, within its drawn rectangle.
// smooth   in everything but at edges and where the ray grazes; there a double root has derivative 0

#ifndef VISVIVA_GEOM_RAY_KERNEL_H_
#define VISVIVA_GEOM_RAY_KERNEL_H_

#include "visviva/kernel.h"
#include "visviva/model.h"

#define VV_RAY_TINY 1e-15

typedef struct vvRayRoots {
  vvReal t0, t1;  // ascending, both -1: none
} vvRayRoots;

VV_DIFF static inline vvRayRoots vv_ray_roots(vvReal a, vvReal b, vvReal c) {
  vvRayRoots r = {-1, -1};
  vvReal det = b * b - a * c;
  if (det >= 0 && a >= (vvReal)VV_RAY_TINY) {
    vvReal root = 0;
    if (det > 0) root = vv_sqrt(det);
    r.t0 = (-b - root) / a;
    r.t1 = (root - b) / a;
  }
  return r;
}

// The nearer of a hit so far (-1: none) and one at t; negative t do not count.
VV_DIFF static inline vvReal vv_ray_nearer(vvReal hit, vvReal t) {
  vvReal r = hit;
  if (t >= 0 && (hit < 0 || t < hit)) r = t;
  return r;
}

VV_DIFF static inline vvReal vv_ray_plane(vvVec3 size, vvVec3 p, vvVec3 d) {
  vvReal r = -1;
  if (d.z <= -(vvReal)VV_RAY_TINY) {
    vvReal t = -p.z / d.z;
    vvReal x = p.x + t * d.x;
    vvReal y = p.y + t * d.y;
    if (t >= 0 && (size.x <= 0 || (x <= size.x && x >= -size.x)) && (size.y <= 0 || (y <= size.y && y >= -size.y)))
      r = t;
  }
  return r;
}

VV_DIFF static inline vvReal vv_ray_sphere(vvReal radius, vvVec3 p, vvVec3 d) {
  vvRayRoots s = vv_ray_roots(vv_vec3_dot(d, d), vv_vec3_dot(d, p), vv_vec3_dot(p, p) - radius * radius);
  return vv_ray_nearer(vv_ray_nearer(-1, s.t0), s.t1);
}

VV_DIFF static inline vvReal vv_ray_ellipsoid(vvVec3 size, vvVec3 p, vvVec3 d) {
  vvVec3 q = {p.x / size.x, p.y / size.y, p.z / size.z};
  vvVec3 e = {d.x / size.x, d.y / size.y, d.z / size.z};
  return vv_ray_sphere(1, q, e);
}

// Round side of half height h about z.
VV_DIFF static inline vvReal vv_ray_tube(vvReal radius, vvReal h, vvVec3 p, vvVec3 d) {
  vvRayRoots s = vv_ray_roots(d.x * d.x + d.y * d.y, d.x * p.x + d.y * p.y, p.x * p.x + p.y * p.y - radius * radius);
  vvReal z0 = p.z + s.t0 * d.z;
  vvReal z1 = p.z + s.t1 * d.z;
  vvReal r = -1;
  if (z0 <= h && z0 >= -h) r = vv_ray_nearer(r, s.t0);
  if (z1 <= h && z1 >= -h) r = vv_ray_nearer(r, s.t1);
  return r;
}

VV_DIFF static inline vvReal vv_ray_capsule(vvReal radius, vvReal h, vvVec3 p, vvVec3 d) {
  vvReal r = vv_ray_tube(radius, h, p, d);
  vvReal a = vv_vec3_dot(d, d);
  vvVec3 up = {p.x, p.y, p.z - h};
  vvVec3 low = {p.x, p.y, p.z + h};
  vvRayRoots s = vv_ray_roots(a, vv_vec3_dot(d, up), vv_vec3_dot(up, up) - radius * radius);
  if (p.z + s.t0 * d.z >= h) r = vv_ray_nearer(r, s.t0);
  if (p.z + s.t1 * d.z >= h) r = vv_ray_nearer(r, s.t1);
  vvRayRoots u = vv_ray_roots(a, vv_vec3_dot(d, low), vv_vec3_dot(low, low) - radius * radius);
  if (p.z + u.t0 * d.z <= -h) r = vv_ray_nearer(r, u.t0);
  if (p.z + u.t1 * d.z <= -h) r = vv_ray_nearer(r, u.t1);
  return r;
}

VV_DIFF static inline vvReal vv_ray_cylinder(vvReal radius, vvReal h, vvVec3 p, vvVec3 d) {
  vvReal r = vv_ray_tube(radius, h, p, d);
  if (d.z > (vvReal)VV_RAY_TINY || d.z < -(vvReal)VV_RAY_TINY) {
    vvReal t0 = (-h - p.z) / d.z;
    vvReal t1 = (h - p.z) / d.z;
    vvReal x0 = p.x + t0 * d.x;
    vvReal y0 = p.y + t0 * d.y;
    vvReal x1 = p.x + t1 * d.x;
    vvReal y1 = p.y + t1 * d.y;
    if (x0 * x0 + y0 * y0 <= radius * radius) r = vv_ray_nearer(r, t0);
    if (x1 * x1 + y1 * y1 <= radius * radius) r = vv_ray_nearer(r, t1);
  }
  return r;
}

// Both faces across the first of three axes, of half sizes s.
VV_DIFF static inline vvReal vv_ray_faces(vvReal hit, vvVec3 s, vvVec3 p, vvVec3 d) {
  vvReal r = hit;
  if (d.x > (vvReal)VV_RAY_TINY || d.x < -(vvReal)VV_RAY_TINY) {
    vvReal t0 = (-s.x - p.x) / d.x;
    vvReal t1 = (s.x - p.x) / d.x;
    vvReal y0 = p.y + t0 * d.y;
    vvReal z0 = p.z + t0 * d.z;
    vvReal y1 = p.y + t1 * d.y;
    vvReal z1 = p.z + t1 * d.z;
    if (y0 <= s.y && y0 >= -s.y && z0 <= s.z && z0 >= -s.z) r = vv_ray_nearer(r, t0);
    if (y1 <= s.y && y1 >= -s.y && z1 <= s.z && z1 >= -s.z) r = vv_ray_nearer(r, t1);
  }
  return r;
}

VV_DIFF static inline vvReal vv_ray_box(vvVec3 s, vvVec3 p, vvVec3 d) {
  vvReal r = vv_ray_faces(-1, s, p, d);
  r = vv_ray_faces(r, vv_vec3(s.y, s.z, s.x), vv_vec3(p.y, p.z, p.x), vv_vec3(d.y, d.z, d.x));
  return vv_ray_faces(r, vv_vec3(s.z, s.x, s.y), vv_vec3(p.z, p.x, p.y), vv_vec3(d.z, d.x, d.y));
}

VV_DIFF static inline vvReal vv_ray_shape(int type, vvVec3 size, vvVec3 p, vvVec3 d) {
  vvReal r = -1;
  if (type == VV_GEOM_PLANE) {
    r = vv_ray_plane(size, p, d);
  } else if (type == VV_GEOM_SPHERE) {
    r = vv_ray_sphere(size.x, p, d);
  } else if (type == VV_GEOM_CAPSULE) {
    r = vv_ray_capsule(size.x, size.y, p, d);
  } else if (type == VV_GEOM_ELLIPSOID) {
    r = vv_ray_ellipsoid(size, p, d);
  } else if (type == VV_GEOM_CYLINDER) {
    r = vv_ray_cylinder(size.x, size.y, p, d);
  } else if (type == VV_GEOM_BOX) {
    r = vv_ray_box(size, p, d);
  }
  return r;
}

#endif  // VISVIVA_GEOM_RAY_KERNEL_H_
