// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// collide.c: the search for contacts among the model's pairs of geoms.
//
// method   a bounding test, then the search of the pair of shapes (collide_round.c, collide_box.c, collide_box_box.c,
// collide_convex.c,
//          which also say what follows MuJoCo's C engine); candidates lie within margin + gap (sums of both geoms'), of
//          these, the ones with distance < margin are contacts

#include "geom/collide.h"

#include <string.h>

#include "geom/collide_pair.h"

int vv_collide_max(int type1, int type2) {
  bool capsule = type1 == VV_GEOM_CAPSULE, ellipsoid = type1 == VV_GEOM_ELLIPSOID || type2 == VV_GEOM_ELLIPSOID;
  if (type1 == VV_GEOM_PLANE && type2 == VV_GEOM_PLANE) return 0;
  if (type1 == VV_GEOM_SPHERE || type2 == VV_GEOM_SPHERE) return 1;
  if (type1 == VV_GEOM_PLANE) return ellipsoid ? 1 : type2 == VV_GEOM_CAPSULE ? 2 : 4;
  if (ellipsoid) return 1;
  if (capsule) return type2 == VV_GEOM_CYLINDER ? 1 : 2;
  return type1 == VV_GEOM_BOX ? 8 : 1;
}

static int effective_dim(const vvModel* m, int g1, int g2) {
  int dim1 = m->geom_condim[g1], dim2 = m->geom_condim[g2];
  if (m->geom_priority[g1] > m->geom_priority[g2]) return dim1;
  if (m->geom_priority[g1] < m->geom_priority[g2]) return dim2;
  return dim1 > dim2 ? dim1 : dim2;
}

bool vv_search_candidate(vvSearch* s, const vvSearchPair* p, int kind, int index, int second, const vvReal* y,
                         vvReal gap) {
  if (!(gap <= p->reach)) return false;
  if (gap < p->margin) {
    if (s->count < s->capacity) {
      vvContactFeature* c = &s->contacts[s->count];
      memset(c, 0, sizeof *c);
      c->geom1 = p->g1;
      c->geom2 = p->g2;
      c->kind = kind;
      c->index = index;
      c->second = second;
      c->dim = p->dim;
      for (int k = 0; k < 3 && y; k++) c->y[k] = (double)y[k];
    }
    s->count++;
  }
  return true;
}

vvMat3 vv_search_frame(const vvSearch* s, int g) {
  vvMat3 R = vv_mat3_load(s->xmat, 9 * s->m->geom_body[g]);
  vvMat3 B = vv_quat_matrix(vv_quat_load(s->m->geom_lquat, 4 * g));
  vvVec3 x = vv_mat3_mul(R, vv_contact_column(B, 0)), y = vv_mat3_mul(R, vv_contact_column(B, 1));
  vvVec3 z = vv_mat3_mul(R, vv_contact_column(B, 2));
  vvMat3 r = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
  return r;
}

// Radius of a sphere about the geom's centre that holds it (planes: not asked).
static vvReal bound(const vvModel* m, int g) {
  const vvReal* dim = m->geom_dim + 3 * g;
  switch (m->geom_type[g]) {
    case VV_GEOM_SPHERE:
      return dim[0];
    case VV_GEOM_CAPSULE:
      return dim[0] + dim[1];
    case VV_GEOM_CYLINDER:
      return vv_hypot(dim[0], dim[1]);
    case VV_GEOM_ELLIPSOID:
      return vv_fmax(vv_fmax(dim[0], dim[1]), dim[2]);
    default:
      return vv_sqrt(dim[0] * dim[0] + dim[1] * dim[1] + dim[2] * dim[2]);
  }
}

static bool apart(const vvSearch* s, const vvSearchPair* p) {
  vvReal r2 = bound(s->m, p->g2);
  if (s->m->geom_type[p->g1] == VV_GEOM_PLANE) return vv_search_plane(s, p, vv_search_pos(s, p->g2)) > p->reach + r2;
  vvVec3 d = vv_vec3_sub(vv_search_pos(s, p->g2), vv_search_pos(s, p->g1));
  vvReal reach = p->reach + bound(s->m, p->g1) + r2;
  return vv_vec3_dot(d, d) > reach * reach;
}

typedef void (*PairSearch)(vvSearch* s, const vvSearchPair* p);

// The search of two shapes, types ascending.
static PairSearch search_of(int type1, int type2) {
  static const PairSearch table[VV_GEOM_BOX + 1][VV_GEOM_BOX + 1] = {
      [VV_GEOM_PLANE] = {[VV_GEOM_SPHERE] = vv_search_plane_sphere,
                         [VV_GEOM_CAPSULE] = vv_search_plane_capsule,
                         [VV_GEOM_ELLIPSOID] = vv_search_plane_ellipsoid,
                         [VV_GEOM_CYLINDER] = vv_search_plane_cylinder,
                         [VV_GEOM_BOX] = vv_search_plane_box},
      [VV_GEOM_SPHERE] = {[VV_GEOM_SPHERE] = vv_search_sphere_sphere,
                          [VV_GEOM_CAPSULE] = vv_search_sphere_capsule,
                          [VV_GEOM_CYLINDER] = vv_search_sphere_cylinder,
                          [VV_GEOM_BOX] = vv_search_sphere_box},
      [VV_GEOM_CAPSULE] = {[VV_GEOM_CAPSULE] = vv_search_capsule_capsule, [VV_GEOM_BOX] = vv_search_capsule_box},
      [VV_GEOM_BOX] = {[VV_GEOM_BOX] = vv_search_box_box},
  };
  return table[type1][type2] ? table[type1][type2] : vv_search_convex;
}

static void search_pair(vvSearch* s, int g1, int g2) {
  const vvModel* m = s->m;
  vvSearchPair p = {g1, g2, 0, m->geom_margin[g1] + m->geom_margin[g2], 0};
  p.reach = p.margin + m->geom_gap[g1] + m->geom_gap[g2];
  if (apart(s, &p)) return;
  p.dim = effective_dim(m, g1, g2);
  search_of(m->geom_type[g1], m->geom_type[g2])(s, &p);
}

vvStatus vv_collide(const vvModel* m, const vvReal* xpos, const vvReal* xmat, vvReal* geom_pos, vvReal* geom_axis,
                    vvContactFeature* contacts, int capacity, int* count) {
  vvSearch s = {m, xmat, geom_pos, geom_axis, contacts, capacity, 0};
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
