// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// collide_pair.h: what the searches of single pairs share.

#ifndef VISVIVA_GEOM_COLLIDE_PAIR_H_
#define VISVIVA_GEOM_COLLIDE_PAIR_H_

#include "geom/contact_kernel.h"

typedef struct vvSearch {
  const vvModel* m;
  const vvReal* xmat;
  const vvReal* geom_pos;
  const vvReal* geom_axis;
  vvContactFeature* contacts;
  int capacity;
  int count;
} vvSearch;

// The two geoms of a pair.
typedef struct vvSearchPair {
  int g1, g2, dim;
  vvReal margin;  // contacts have gap < margin       [m]
  vvReal reach;   // candidates have gap <= reach     [m]
} vvSearchPair;

// Takes a candidate; true when it counts as one. y: 3 reals or NULL.
bool vv_search_candidate(vvSearch* s, const vvSearchPair* p, int kind, int index, int second, const vvReal* y,
                         vvReal gap);

static inline vvVec3 vv_search_pos(const vvSearch* s, int g) {
  return vv_vec3_load(s->geom_pos, 3 * g);
}

static inline vvVec3 vv_search_axis(const vvSearch* s, int g) {
  return vv_vec3_load(s->geom_axis, 3 * g);
}

static inline vvVec3 vv_search_size(const vvSearch* s, int g) {
  return vv_vec3_load(s->m->geom_dim, 3 * g);
}

// Axes of a geom as columns.
vvMat3 vv_search_frame(const vvSearch* s, int g);

// Signed distance of a point from the plane of geom 1.
static inline vvReal vv_search_plane(const vvSearch* s, const vvSearchPair* p, vvVec3 point) {
  return vv_vec3_dot(vv_vec3_sub(point, vv_search_pos(s, p->g1)), vv_search_axis(s, p->g1));
}

// collide_round.c
void vv_search_plane_sphere(vvSearch* s, const vvSearchPair* p);
void vv_search_plane_capsule(vvSearch* s, const vvSearchPair* p);
void vv_search_plane_cylinder(vvSearch* s, const vvSearchPair* p);
void vv_search_plane_ellipsoid(vvSearch* s, const vvSearchPair* p);
void vv_search_sphere_sphere(vvSearch* s, const vvSearchPair* p);
void vv_search_sphere_capsule(vvSearch* s, const vvSearchPair* p);
void vv_search_sphere_cylinder(vvSearch* s, const vvSearchPair* p);
void vv_search_capsule_capsule(vvSearch* s, const vvSearchPair* p);

// collide_box.c
void vv_search_plane_box(vvSearch* s, const vvSearchPair* p);
void vv_search_sphere_box(vvSearch* s, const vvSearchPair* p);
void vv_search_capsule_box(vvSearch* s, const vvSearchPair* p);

// collide_box_box.c
void vv_search_box_box(vvSearch* s, const vvSearchPair* p);

// collide_convex.c
void vv_search_convex(vvSearch* s, const vvSearchPair* p);

#endif  // VISVIVA_GEOM_COLLIDE_PAIR_H_
