// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// collide_box.c: the search of a box with plane, sphere and capsule.
//
// method   plane: at most four corners, in the order of their index, on the box's lower half. Capsule: the point of its
//          segment closest to the box and, where the segment runs along a face or an edge, a second point as far away
//          as it stays over the box, as MuJoCo's C engine chooses it; each is a sphere against the box.
// index    contact_box_kernel.h

#include "geom/collide_pair.h"

#define TINY 1e-15

void vv_search_plane_box(vvSearch* s, const vvSearchPair* p) {
  vvVec3 n = vv_mat3_mul_t(vv_search_frame(s, p->g2), vv_search_axis(s, p->g1));  // plane normal in box axes
  vvVec3 size = vv_search_size(s, p->g2);
  vvReal center = vv_search_plane(s, p, vv_search_pos(s, p->g2));
  int found = 0;
  for (int i = 0; i < 8 && found < 4; i++) {
    vvReal below = vv_vec3_dot(n, vv_contact_corner(size, i));
    if (below > 0) continue;
    if (vv_search_candidate(s, p, VV_FEATURE_PLANE_BOX, i, 0, NULL, center + below)) found++;
  }
}

// A sphere at c (world) of radius r against the box of geom 2.
static void sphere_candidate(vvSearch* s, const vvSearchPair* p, int kind, int index, vvVec3 c, vvReal r) {
  vvMat3 R = vv_search_frame(s, p->g2);
  vvVec3 local = vv_mat3_mul_t(R, vv_vec3_sub(c, vv_search_pos(s, p->g2))), size = vv_search_size(s, p->g2);
  const vvReal x[3] = {local.x, local.y, local.z}, h[3] = {size.x, size.y, size.z};
  vvReal d2 = 0, depth = (h[0] + h[1] + h[2]) * 2;
  int region = 0, inside = 27;
  for (int i = 0, unit = 1; i < 3; i++, unit *= 3) {
    if (x[i] > h[i]) region += unit;
    if (x[i] < -h[i]) region += 2 * unit;
    vvReal beyond = vv_fmax(vv_fabs(x[i]) - h[i], 0);
    d2 += beyond * beyond;
    for (int k = 0; k < 2; k++) {
      vvReal face = vv_fabs((k ? h[i] : -h[i]) - x[i]);
      if (face < depth) {
        depth = face;
        inside = 27 + 2 * i + k;
      }
    }
  }
  vvReal gap = vv_sqrt(d2);
  if (gap <= TINY) {
    gap = -depth;
    region = inside;
  }
  vv_search_candidate(s, p, kind, kind == VV_FEATURE_SPHERE_BOX ? region : index, region, NULL, gap - r);
}

void vv_search_sphere_box(vvSearch* s, const vvSearchPair* p) {
  sphere_candidate(s, p, VV_FEATURE_SPHERE_BOX, 0, vv_search_pos(s, p->g1), s->m->geom_dim[3 * p->g1]);
}

// A capsule's segment x + t a in box axes, and its point closest to the box.
typedef struct Segment {
  vvReal x[3], a[3], size[3], aa;
  int up;        // bits 0, 1, 2 set where a points to +
  vvReal t, on;  // closest point of the segment; of the edge, -1 to 1
  vvReal d2;
  int type;  // -4 none, -3 and -1 end at - and + over a face; else 3 edge state + segment state, 0 lower end,
             // 1 within, 2 upper end
  int face;  // axis of that face, -1 inside
  int corner, edge, lower;
} Segment;

static void closest_end(Segment* e) {
  for (int side = -1; side <= 1; side += 2) {
    vvReal d2 = 0;
    int outside = 0, face = -1;
    for (int i = 0; i < 3; i++) {
      vvReal x = e->x[i] + side * e->a[i], beyond = vv_fabs(x) - e->size[i];
      if (!(beyond > 0)) continue;
      outside++;
      face = i;
      d2 += beyond * beyond;
    }
    if (outside > 1 || !(d2 < e->d2)) continue;
    e->d2 = d2;
    e->t = side;
    e->type = side - 2;
    e->face = face;
  }
}

static vvReal cut(vvReal x, int* state) {
  if (x > 1) *state = 2;
  if (x < -1) *state = 0;
  return x > 1 ? 1 : x < -1 ? -1 : x;
}

// The edge along axis j from `corner`, its lower end.
static void closest_edge(Segment* e, int j, int corner) {
  vvReal d[3], s = e->size[j], ad = 0;
  for (int i = 0; i < 3; i++) {
    d[i] = (i == j ? 0 : corner >> i & 1 ? e->size[i] : -e->size[i]) - e->x[i];
    ad += e->a[i] * d[i];
  }
  vvReal ma = s * s, mb = -s * e->a[j], mc = e->aa, u = -s * d[j];
  vvReal det = ma * mc - mb * mb;
  if (vv_fabs(det) < TINY) return;
  int on_edge = 1, on_segment = 1;
  vvReal x1 = (mc * u - mb * ad) / det, x2 = (ma * ad - mb * u) / det;
  if (x1 > 1 || x1 < -1) {
    x1 = cut(x1, &on_edge);
    x2 = (ad - x1 * mb) / mc;
  }
  if (x2 > 1 || x2 < -1) {
    x2 = cut(x2, &on_segment);
    x1 = cut((u - x2 * mb) / ma, &on_edge);
  }
  vvReal d2 = 0;
  for (int i = 0; i < 3; i++) {
    vvReal k = d[i] - x2 * e->a[i] + (i == j ? s * x1 : 0);
    d2 += k * k;
  }
  if (!(d2 < e->d2 - TINY)) return;
  e->d2 = d2;
  e->t = x2;
  e->on = x1;
  e->type = 3 * on_edge + on_segment;
  e->edge = j;
  e->lower = corner;
  e->corner = corner + (on_edge == 2 ? 1 << j : 0);
}

// Index of the closest point.
static int closest_index(const Segment* e) {
  if (e->type < 0) return e->t > 0 ? 0 : 1;
  if (e->type % 3 != 1) return e->type % 3 == 2 ? 0 : 1;
  return e->type / 3 == 1 ? 2 | e->lower << 2 | e->edge << 5 : 3 | e->corner << 2;
}

// A second point from t on by `step` >= 0 in direction `way`; where[how] is the index if that step is taken.
typedef struct Second {
  vvReal step;
  int how, axis;
} Second;

static void shorten(Second* b, vvReal step, int how, int axis) {
  if (!(step < b->step)) return;
  b->step = step;
  b->how = how;
  b->axis = axis;
}

// From a corner of the box. Returns the direction, 0: no second point.
static int second_of_corner(const Segment* e, Second* b) {
  int differ = e->up ^ e->corner;
  if (differ == 0 || differ == 7) return 0;
  bool single = differ == 1 || differ == 2 || differ == 4;
  if (!single) differ = 7 - differ;
  int way = single ? 1 : -1, axis = differ >> 1;
  b->how = 0;
  if (e->a[axis] * e->a[axis] > e->aa / 2) {
    b->step = 1 - way * e->t;
    shorten(b, 2 * e->size[axis] / vv_fabs(e->a[axis]), 3, axis);
    return way;
  }
  b->step = 1 + way * e->t;
  for (int k = 1; k < 3; k++) {
    int other = (axis + k) % 3;
    shorten(b, 2 * e->size[other] / vv_fabs(e->a[other]), 3, other);
  }
  return -way;
}

static int second_of_edge(const Segment* e, Second* b) {
  int axis = e->edge, differ = (e->up ^ e->corner) & (7 - (1 << axis));
  if (differ != 1 && differ != 2 && differ != 4) return 0;
  int one = (axis + 1) % 3, two = (axis + 2) % 3;
  if (vv_fabs(e->a[one]) > vv_fabs(e->a[two])) one = two;
  two = 3 - axis - one;
  bool forward = differ >> two & 1;
  int way = forward ? 1 : -1;
  b->how = 0;
  b->step = 1 - way * e->t;
  shorten(b, 2 * e->size[two] / vv_fabs(e->a[two]), 3, two);
  bool plus = (e->up >> axis & 1) == forward;
  shorten(b, e->size[axis] * (plus ? 1 - e->on : 1 + e->on) / vv_fabs(e->a[axis]), plus ? 5 : 7, axis);
  return way;
}

static int second_of_face(const Segment* e, Second* b) {
  if (e->face < 0) return 0;
  int way = e->type == -3 ? 1 : -1;
  b->how = 0;
  b->step = 2;
  for (int i = 0; i < 3; i++) {
    if (i == e->face) continue;
    vvReal end = e->x[i] - way * e->a[i];
    for (int side = 1; side <= 2; side++) {
      vvReal step = ((side == 1 ? e->size[i] : -e->size[i]) - end) / e->a[i] * way;
      if (step > 0) shorten(b, step, side, i);
    }
  }
  return way;
}

static int second_index(const Segment* e, const Second* b, int way) {
  if (b->how == 0) return way > 0 ? 0 : 1;
  if (b->how <= 2) return b->how << 7 | b->axis << 11;
  int base = closest_index(e) & 127;
  if (b->how >= 5) base = (base & 3) | e->lower << 2 | e->edge << 5;
  return base | (b->how + (way > 0 ? 0 : 1)) << 7 | b->axis << 11;
}

void vv_search_capsule_box(vvSearch* s, const vvSearchPair* p) {
  vvReal r = s->m->geom_dim[3 * p->g1], h = s->m->geom_dim[3 * p->g1 + 1];
  vvMat3 R = vv_search_frame(s, p->g2);
  vvVec3 size = vv_search_size(s, p->g2), c = vv_search_pos(s, p->g1), z = vv_search_axis(s, p->g1);
  vvVec3 x = vv_mat3_mul_t(R, vv_vec3_sub(c, vv_search_pos(s, p->g2)));
  vvVec3 a = vv_vec3_scale(h, vv_mat3_mul_t(R, z));
  Segment e = {.x = {x.x, x.y, x.z}, .a = {a.x, a.y, a.z}, .size = {size.x, size.y, size.z}, .aa = h * h, .type = -4};
  e.up = (a.x > 0) | (a.y > 0) << 1 | (a.z > 0) << 2;
  e.d2 = p->reach + 2 * (r + h + size.x + size.y + size.z);
  closest_end(&e);
  for (int j = 0; j < 3; j++) {
    for (int corner = 0; corner < 8; corner++) {
      if (!(corner >> j & 1)) closest_edge(&e, j, corner);
    }
  }
  if (e.type == -4) return;
  Second b = {0, 0, 0};
  int way = e.type < 0 ? second_of_face(&e, &b) : e.type / 3 == 1 ? second_of_edge(&e, &b) : second_of_corner(&e, &b);
  sphere_candidate(s, p, VV_FEATURE_CAPSULE_BOX, closest_index(&e), vv_vec3_muladd(c, e.t * h, z), r);
  if (way == 0) return;
  sphere_candidate(s, p, VV_FEATURE_CAPSULE_BOX, second_index(&e, &b, way),
                   vv_vec3_muladd(c, (e.t + way * b.step) * h, z), r);
}
