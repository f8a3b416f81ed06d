// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// collide.c: the search for contacts among the model's pairs of geoms: plane, sphere, capsule with each other and plane
// with box.
//
// method   a bounding test, then the closest points; which corners, ends and regions count follows MuJoCo's C engine:
//          candidates lie within margin + gap (sums of both geoms'), at most four corners of a box in the order of
//          their index and on its lower half, the two ends of the overlap of parallel capsules (the same one twice where
//          there is no overlap); of these, the ones with distance < margin are contacts.
// index    contact_kernel.h

#include "geom/collide.h"

#include "geom/contact_kernel.h"

#define PARALLEL 1e-4  // capsules are parallel below this sine of the angle between them

typedef struct Search {
  const vvModel* m;
  const vvReal* xmat;
  const vvReal* geom_pos;
  const vvReal* geom_axis;
  vvContactFeature* contacts;
  int capacity;
  int count;
} Search;

// The two geoms of a pair.
typedef struct Pair {
  int g1, g2, kind;
  vvReal margin;  // contacts have gap < margin       [m]
  vvReal reach;   // candidates have gap <= reach     [m]
} Pair;

int vv_collide_max(int type1, int type2) {
  if (type1 == VV_GEOM_PLANE) {
    if (type2 == VV_GEOM_SPHERE) return 1;
    if (type2 == VV_GEOM_CAPSULE) return 2;
    if (type2 == VV_GEOM_BOX) return 4;
  } else if (type1 == VV_GEOM_SPHERE) {
    if (type2 == VV_GEOM_SPHERE || type2 == VV_GEOM_CAPSULE) return 1;
  } else if (type1 == VV_GEOM_CAPSULE && type2 == VV_GEOM_CAPSULE) {
    return 2;
  }
  return 0;
}

static int effective_dim(const vvModel* m, int g1, int g2) {
  int dim1 = m->geom_condim[g1], dim2 = m->geom_condim[g2];
  if (m->geom_priority[g1] > m->geom_priority[g2]) return dim1;
  if (m->geom_priority[g1] < m->geom_priority[g2]) return dim2;
  return dim1 > dim2 ? dim1 : dim2;
}

// Takes a candidate with the given gap; true when it counts as one.
static bool candidate(Search* s, const Pair* p, int index, vvReal gap) {
  if (!(gap <= p->reach)) return false;
  if (gap < p->margin) {
    if (s->count < s->capacity) {
      vvContactFeature c = {p->g1, p->g2, p->kind, index, effective_dim(s->m, p->g1, p->g2)};
      s->contacts[s->count] = c;
    }
    s->count++;
  }
  return true;
}

static vvVec3 pos_of(const Search* s, int g) {
  return vv_vec3_load(s->geom_pos, 3 * g);
}

static vvVec3 axis_of(const Search* s, int g) {
  return vv_vec3_load(s->geom_axis, 3 * g);
}

static vvReal plane_distance(const Search* s, const Pair* p, vvVec3 point) {
  return vv_vec3_dot(vv_vec3_sub(point, pos_of(s, p->g1)), axis_of(s, p->g1));
}

static void plane_capsule(Search* s, const Pair* p) {
  vvReal r = s->m->geom_dim[3 * p->g2], h = s->m->geom_dim[3 * p->g2 + 1];
  vvVec3 c = pos_of(s, p->g2), z = axis_of(s, p->g2);
  candidate(s, p, 0, plane_distance(s, p, vv_vec3_muladd(c, h, z)) - r);
  candidate(s, p, 1, plane_distance(s, p, vv_vec3_muladd(c, -h, z)) - r);
}

static void plane_box(Search* s, const Pair* p) {
  const vvModel* m = s->m;
  vvMat3 R = vv_mat3_load(s->xmat, 9 * m->geom_body[p->g2]);
  vvMat3 B = vv_quat_matrix(vv_quat_load(m->geom_lquat, 4 * p->g2));
  vvVec3 n = vv_mat3_mul_t(B, vv_mat3_mul_t(R, axis_of(s, p->g1)));  // plane normal in box axes
  vvVec3 size = vv_vec3_load(m->geom_dim, 3 * p->g2);
  vvReal center = plane_distance(s, p, pos_of(s, p->g2));
  int found = 0;
  for (int i = 0; i < 8 && found < 4; i++) {
    vvReal below = vv_vec3_dot(n, vv_contact_corner(size, i));
    if (below > 0) continue;
    if (candidate(s, p, i, center + below)) found++;
  }
}

static vvReal point_gap(vvVec3 a, vvReal r1, vvVec3 b, vvReal r2) {
  return vv_vec3_length(vv_vec3_sub(b, a)) - r1 - r2;
}

static void sphere_capsule(Search* s, const Pair* p) {
  vvReal r1 = s->m->geom_dim[3 * p->g1], r2 = s->m->geom_dim[3 * p->g2], h = s->m->geom_dim[3 * p->g2 + 1];
  vvVec3 c1 = pos_of(s, p->g1), c2 = pos_of(s, p->g2), z = axis_of(s, p->g2);
  vvReal x = vv_vec3_dot(z, vv_vec3_sub(c1, c2));
  int index = 0;
  if (x > h) {
    x = h;
    index = 1;
  } else if (x < -h) {
    x = -h;
    index = 2;
  }
  candidate(s, p, index, point_gap(c1, r1, vv_vec3_muladd(c2, x, z), r2));
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

static bool segments_candidate(Search* s, const Pair* p, const Segments* e, vvReal x1, int s1, vvReal x2, int s2) {
  vvVec3 c1 = vv_vec3_muladd(e->p1, x1, e->a), c2 = vv_vec3_muladd(e->p2, x2, e->b);
  return candidate(s, p, s1 + 3 * s2, point_gap(c1, e->r1, c2, e->r2));
}

static void crossing_segments(Search* s, const Pair* p, const Segments* e, vvReal det) {
  int s1, s2;
  vvReal x1 = cut((e->bb * e->u - e->ab * e->v) / det, &s1);
  vvReal x2 = s1 == 0 ? (e->aa * e->v - e->ab * e->u) / det : (e->v - x1 * e->ab) / e->bb;
  x2 = cut(x2, &s2);
  if (s2 != 0) x1 = cut((e->u - x2 * e->ab) / e->aa, &s1);
  segments_candidate(s, p, e, x1, s1, x2, s2);
}

// The ends of segment 2 against segment 1; where one lies beyond an end of segment 1, that end against segment 2.
static void parallel_segments(Search* s, const Pair* p, const Segments* e) {
  for (int turn = 0; turn < 2; turn++) {
    int s1, s2 = (turn == 0) == (e->ab < 0) ? 2 : 1;
    vvReal x2 = s2 == 1 ? 1 : -1;
    vvReal x1 = cut((e->u - x2 * e->ab) / e->aa, &s1);
    if (s1 != 0) x2 = cut((e->v - x1 * e->ab) / e->bb, &s2);
    segments_candidate(s, p, e, x1, s1, x2, s2);
  }
}

static void capsule_capsule(Search* s, const Pair* p) {
  const vvReal* dim1 = s->m->geom_dim + 3 * p->g1;
  const vvReal* dim2 = s->m->geom_dim + 3 * p->g2;
  Segments e;
  e.p1 = pos_of(s, p->g1);
  e.p2 = pos_of(s, p->g2);
  e.a = vv_vec3_scale(dim1[1], axis_of(s, p->g1));
  e.b = vv_vec3_scale(dim2[1], axis_of(s, p->g2));
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

// Radius of a sphere about the geom's centre that holds it (planes: not asked).
static vvReal bound(const vvModel* m, int g) {
  const vvReal* dim = m->geom_dim + 3 * g;
  if (m->geom_type[g] == VV_GEOM_SPHERE) return dim[0];
  if (m->geom_type[g] == VV_GEOM_CAPSULE) return dim[0] + dim[1];
  return vv_sqrt(dim[0] * dim[0] + dim[1] * dim[1] + dim[2] * dim[2]);
}

static bool apart(const Search* s, const Pair* p) {
  vvReal r2 = bound(s->m, p->g2);
  if (s->m->geom_type[p->g1] == VV_GEOM_PLANE) return plane_distance(s, p, pos_of(s, p->g2)) > p->reach + r2;
  vvVec3 d = vv_vec3_sub(pos_of(s, p->g2), pos_of(s, p->g1));
  vvReal reach = p->reach + bound(s->m, p->g1) + r2;
  return vv_vec3_dot(d, d) > reach * reach;
}

static void search_pair(Search* s, int g1, int g2) {
  const vvModel* m = s->m;
  Pair p = {g1, g2, 0, m->geom_margin[g1] + m->geom_margin[g2], 0};
  p.reach = p.margin + m->geom_gap[g1] + m->geom_gap[g2];
  if (apart(s, &p)) return;
  int type1 = m->geom_type[g1], type2 = m->geom_type[g2];
  if (type1 == VV_GEOM_PLANE && type2 == VV_GEOM_SPHERE) {
    p.kind = VV_FEATURE_PLANE_SPHERE;
    candidate(s, &p, 0, plane_distance(s, &p, pos_of(s, g2)) - m->geom_dim[3 * g2]);
  } else if (type1 == VV_GEOM_PLANE && type2 == VV_GEOM_CAPSULE) {
    p.kind = VV_FEATURE_PLANE_CAPSULE;
    plane_capsule(s, &p);
  } else if (type1 == VV_GEOM_PLANE && type2 == VV_GEOM_BOX) {
    p.kind = VV_FEATURE_PLANE_BOX;
    plane_box(s, &p);
  } else if (type1 == VV_GEOM_SPHERE && type2 == VV_GEOM_SPHERE) {
    p.kind = VV_FEATURE_SPHERE_SPHERE;
    candidate(s, &p, 0, point_gap(pos_of(s, g1), m->geom_dim[3 * g1], pos_of(s, g2), m->geom_dim[3 * g2]));
  } else if (type1 == VV_GEOM_SPHERE && type2 == VV_GEOM_CAPSULE) {
    p.kind = VV_FEATURE_SPHERE_CAPSULE;
    sphere_capsule(s, &p);
  } else if (type1 == VV_GEOM_CAPSULE && type2 == VV_GEOM_CAPSULE) {
    p.kind = VV_FEATURE_CAPSULE_CAPSULE;
    capsule_capsule(s, &p);
  }
}

vvStatus vv_collide(const vvModel* m, const vvReal* xpos, const vvReal* xmat, vvReal* geom_pos, vvReal* geom_axis,
                    vvContactFeature* contacts, int capacity, int* count) {
  Search s = {m, xmat, geom_pos, geom_axis, contacts, capacity, 0};
  for (int g = 0; g < m->ngeom && m->npair > 0; g++) {
    int b = m->geom_body[g];
    vvMat3 R = vv_mat3_load(xmat, 9 * b);
    vvVec3 offset = vv_mat3_mul(R, vv_vec3_load(m->geom_lpos, 3 * g));
    vv_vec3_store(geom_pos, 3 * g, vv_vec3_add(vv_vec3_load(xpos, 3 * b), offset));
    vv_vec3_store(geom_axis, 3 * g, vv_mat3_mul(R, vv_contact_axis(vv_quat_load(m->geom_lquat, 4 * g))));
  }
  for (int k = 0; k < m->npair; k++) search_pair(&s, m->pair_geom[2 * k], m->pair_geom[2 * k + 1]);
  *count = s.count;
  return s.count <= capacity ? VV_OK : VV_ERROR_CAPACITY;
}
