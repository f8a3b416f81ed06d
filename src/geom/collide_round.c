// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// collide_round.c: the search among plane, sphere, capsule, cylinder and ellipsoid as far as closest points have a
// closed form.
//
// method   closest points; MuJoCo's C engine decides which ends, regions and points count
// index    contact_kernel.h, contact_round_kernel.h

#include "geom/collide_pair.h"

#define PARALLEL 1e-4  // capsules are parallel below this sine of the angle between them
#define TINY 1e-15

void vv_search_plane_sphere(vvSearch* s, const vvSearchPair* p) {
  vvReal gap = vv_search_plane(s, p, vv_search_pos(s, p->g2)) - s->m->geom_dim[3 * p->g2];
  vv_search_candidate(s, p, VV_FEATURE_PLANE_SPHERE, 0, 0, NULL, gap);
}

void vv_search_plane_capsule(vvSearch* s, const vvSearchPair* p) {
  vvReal r = s->m->geom_dim[3 * p->g2], h = s->m->geom_dim[3 * p->g2 + 1];
  vvVec3 c = vv_search_pos(s, p->g2), z = vv_search_axis(s, p->g2);
  vv_search_candidate(s, p, VV_FEATURE_PLANE_CAPSULE, 0, 0, NULL, vv_search_plane(s, p, vv_vec3_muladd(c, h, z)) - r);
  vv_search_candidate(s, p, VV_FEATURE_PLANE_CAPSULE, 1, 0, NULL, vv_search_plane(s, p, vv_vec3_muladd(c, -h, z)) - r);
}

void vv_search_plane_cylinder(vvSearch* s, const vvSearchPair* p) {
  vvReal r = s->m->geom_dim[3 * p->g2], h = s->m->geom_dim[3 * p->g2 + 1];
  vvVec3 n = vv_search_axis(s, p->g1), axis = vv_search_axis(s, p->g2);
  vvReal slope = vv_vec3_dot(n, axis), center = vv_search_plane(s, p, vv_search_pos(s, p->g2));
  int index = 0;
  if (slope > 0) {
    slope = -slope;
    axis = vv_vec3_scale(-1, axis);
    index = 4;
  }
  vvVec3 down = vv_vec3_sub(vv_vec3_scale(slope, axis), n);
  vvReal length = vv_vec3_length(down), dip = 0;  // dip: height of the rim's lowest point over its centre
  if (length >= TINY) {
    dip = r * vv_vec3_dot(down, n) / length;
  } else {
    dip = r * vv_vec3_dot(vv_contact_column(vv_search_frame(s, p->g2), 0), n);
    index += 8;
  }
  vvReal near = center + h * slope, far = center - h * slope;
  if (!vv_search_candidate(s, p, VV_FEATURE_PLANE_CYLINDER, index, 0, NULL, near + dip)) return;
  vv_search_candidate(s, p, VV_FEATURE_PLANE_CYLINDER, index + 1, 0, NULL, far + dip);
  vv_search_candidate(s, p, VV_FEATURE_PLANE_CYLINDER, index + 2, 0, NULL, near - dip / 2);
  vv_search_candidate(s, p, VV_FEATURE_PLANE_CYLINDER, index + 3, 0, NULL, near - dip / 2);
}

void vv_search_plane_ellipsoid(vvSearch* s, const vvSearchPair* p) {
  vvVec3 n = vv_mat3_mul_t(vv_search_frame(s, p->g2), vv_search_axis(s, p->g1)), size = vv_search_size(s, p->g2);
  vvVec3 a = {size.x * n.x, size.y * n.y, size.z * n.z};
  vvReal gap = vv_search_plane(s, p, vv_search_pos(s, p->g2)) - vv_vec3_length(a);
  vv_search_candidate(s, p, VV_FEATURE_PLANE_ELLIPSOID, 0, 0, NULL, gap);
}

static vvReal point_gap(vvVec3 a, vvReal r1, vvVec3 b, vvReal r2) {
  return vv_vec3_length(vv_vec3_sub(b, a)) - r1 - r2;
}

void vv_search_sphere_sphere(vvSearch* s, const vvSearchPair* p) {
  const vvReal* dim = s->m->geom_dim;
  vvReal gap = point_gap(vv_search_pos(s, p->g1), dim[3 * p->g1], vv_search_pos(s, p->g2), dim[3 * p->g2]);
  vv_search_candidate(s, p, VV_FEATURE_SPHERE_SPHERE, 0, 0, NULL, gap);
}

void vv_search_sphere_cylinder(vvSearch* s, const vvSearchPair* p) {
  vvReal r1 = s->m->geom_dim[3 * p->g1], r = s->m->geom_dim[3 * p->g2], h = s->m->geom_dim[3 * p->g2 + 1];
  vvVec3 z = vv_search_axis(s, p->g2), d = vv_vec3_sub(vv_search_pos(s, p->g1), vv_search_pos(s, p->g2));
  vvReal x = vv_vec3_dot(z, d), height = vv_fabs(x), away = vv_vec3_length(vv_vec3_muladd(d, -x, z));
  bool side = height < h, cap = away < r;
  if (side && cap) {
    side = h - height >= r - away;
    cap = !side;
  }
  if (side) {
    vv_search_candidate(s, p, VV_FEATURE_SPHERE_CYLINDER, 0, 0, NULL, away - r - r1);
  } else if (cap) {
    vv_search_candidate(s, p, VV_FEATURE_SPHERE_CYLINDER, x > 0 ? 1 : 2, 0, NULL, height - h - r1);
  } else {
    vvReal gap = vv_hypot(away - r, height - h) - r1;
    vv_search_candidate(s, p, VV_FEATURE_SPHERE_CYLINDER, x > 0 ? 3 : 4, 0, NULL, gap);
  }
}

void vv_search_sphere_capsule(vvSearch* s, const vvSearchPair* p) {
  vvReal r1 = s->m->geom_dim[3 * p->g1], r2 = s->m->geom_dim[3 * p->g2], h = s->m->geom_dim[3 * p->g2 + 1];
  vvVec3 c1 = vv_search_pos(s, p->g1), c2 = vv_search_pos(s, p->g2), z = vv_search_axis(s, p->g2);
  vvReal x = vv_vec3_dot(z, vv_vec3_sub(c1, c2));
  int index = 0;
  if (x > h) {
    x = h;
    index = 1;
  } else if (x < -h) {
    x = -h;
    index = 2;
  }
  vv_search_candidate(s, p, VV_FEATURE_SPHERE_CAPSULE, index, 0, NULL, point_gap(c1, r1, vv_vec3_muladd(c2, x, z), r2));
}

// A coordinate on a segment cut to [-1, 1]; *side: where it was cut.
static vvReal cut(vvReal x, int* side) {
  *side = x > 1 ? 1 : x < -1 ? 2 : 0;
  return x > 1 ? 1 : x < -1 ? -1 : x;
}

// Two capsules' segments p + x a: see vv_contact_capsule_capsule for the symbols.
typedef struct Segments {
  vvVec3 p1, a, p2, b;
  vvReal r1, r2, aa, ab, bb, u, v;
} Segments;

static bool segments_candidate(vvSearch* s, const vvSearchPair* p, const Segments* e, vvReal x1, int s1, vvReal x2,
                               int s2) {
  vvVec3 c1 = vv_vec3_muladd(e->p1, x1, e->a), c2 = vv_vec3_muladd(e->p2, x2, e->b);
  return vv_search_candidate(s, p, VV_FEATURE_CAPSULE_CAPSULE, s1 + 3 * s2, 0, NULL, point_gap(c1, e->r1, c2, e->r2));
}

static void crossing_segments(vvSearch* s, const vvSearchPair* p, const Segments* e, vvReal det) {
  int s1, s2;
  vvReal x1 = cut((e->bb * e->u - e->ab * e->v) / det, &s1);
  vvReal x2 = s1 == 0 ? (e->aa * e->v - e->ab * e->u) / det : (e->v - x1 * e->ab) / e->bb;
  x2 = cut(x2, &s2);
  if (s2 != 0) x1 = cut((e->u - x2 * e->ab) / e->aa, &s1);
  segments_candidate(s, p, e, x1, s1, x2, s2);
}

// The ends of segment 2 against segment 1; where one lies beyond an end of segment 1, that end against segment 2.
static void parallel_segments(vvSearch* s, const vvSearchPair* p, const Segments* e) {
  for (int turn = 0; turn < 2; turn++) {
    int s1, s2 = (turn == 0) == (e->ab < 0) ? 2 : 1;
    vvReal x2 = s2 == 1 ? 1 : -1;
    vvReal x1 = cut((e->u - x2 * e->ab) / e->aa, &s1);
    if (s1 != 0) x2 = cut((e->v - x1 * e->ab) / e->bb, &s2);
    segments_candidate(s, p, e, x1, s1, x2, s2);
  }
}

void vv_search_capsule_capsule(vvSearch* s, const vvSearchPair* p) {
  const vvReal* dim1 = s->m->geom_dim + 3 * p->g1;
  const vvReal* dim2 = s->m->geom_dim + 3 * p->g2;
  Segments e;
  e.p1 = vv_search_pos(s, p->g1);
  e.p2 = vv_search_pos(s, p->g2);
  e.a = vv_vec3_scale(dim1[1], vv_search_axis(s, p->g1));
  e.b = vv_vec3_scale(dim2[1], vv_search_axis(s, p->g2));
  e.r1 = dim1[0];
  e.r2 = dim2[0];
  vvVec3 d = vv_vec3_sub(e.p1, e.p2);
  e.aa = vv_vec3_dot(e.a, e.a);
  e.ab = -vv_vec3_dot(e.a, e.b);
  e.bb = vv_vec3_dot(e.b, e.b);
  e.u = -vv_vec3_dot(e.a, d);
  e.v = vv_vec3_dot(e.b, d);
  vvReal det = e.aa * e.bb - e.ab * e.ab;
  if (det >= PARALLEL * PARALLEL * e.aa * e.bb) {
    crossing_segments(s, p, &e, det);
  } else {
    parallel_segments(s, p, &e);
  }
}
