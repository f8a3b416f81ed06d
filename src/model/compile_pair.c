// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// compile_pair.c: which pairs of geoms may touch: bitmasks match, bodies are not welded together, they are not parent
// and child (unless the flag filterparent is off or the parent is fixed in the world), the bodies are not excluded.
//
// order    by body pair, then by geoms; within a pair the geom of the lower type comes first

#include "model/compile.h"

typedef struct vvPairFilter {
  vvCompile* c;
  int* weld;    // per body: body at the top of its welded group
  int* parent;  // per body: weld of the parent of that body, 0 for the world
} vvPairFilter;

static vvSpecBody* body_at(const vvCompile* c, int i) {
  return VV_ORDERED(c, vvSpecBody, VV_ELEMENT_BODY, i);
}

static vvStatus filter_create(vvPairFilter* f) {
  vvCompile* c = f->c;
  int n = c->spec->nbody;
  f->weld = VV_NEW(c->context, int, n);
  f->parent = VV_NEW(c->context, int, n);
  if (!f->weld || !f->parent) return vv_report_set(c->report, VV_ERROR_MEMORY, "out of memory");
  for (int j = 0; j < c->spec->njoint; j++) f->weld[c->spec->joints[j]->body->head.id] = 1;
  for (int i = 1; i < n; i++) f->weld[i] = f->weld[i] ? i : f->weld[body_at(c, i)->parent->head.id];
  for (int i = 1; i < n; i++) {
    const vvSpecBody* top = body_at(c, f->weld[i]);
    f->parent[i] = top->parent ? f->weld[top->parent->head.id] : 0;
  }
  return VV_OK;
}

static void filter_free(vvPairFilter* f) {
  VV_DELETE(f->c->context, f->weld, int, f->c->spec->nbody);
  VV_DELETE(f->c->context, f->parent, int, f->c->spec->nbody);
}

static bool excluded(const vvCompile* c, int b1, int b2) {
  for (int i = 0; i < c->spec->nexclude; i++) {
    int e1 = c->spec->excludes[i]->id1, e2 = c->spec->excludes[i]->id2;
    if ((e1 == b1 && e2 == b2) || (e1 == b2 && e2 == b1)) return true;
  }
  return false;
}

static bool bodies_may_touch(const vvPairFilter* f, int b1, int b2) {
  int w1 = f->weld[b1], w2 = f->weld[b2];
  if (w1 == w2) return false;
  bool family = w1 != 0 && w2 != 0 && (w1 == f->parent[b2] || w2 == f->parent[b1]);
  if (family && !(f->c->spec->option.disable & VV_DISABLE_FILTERPARENT)) return false;
  return !excluded(f->c, b1, b2);
}

static bool geoms_may_touch(const vvSpecGeom* a, const vvSpecGeom* b) {
  if (a->type == VV_GEOM_PLANE && b->type == VV_GEOM_PLANE) return false;
  return (a->contype & b->conaffinity) != 0 || (b->contype & a->conaffinity) != 0;
}

// Geoms from `start` (model order) that belong to body b; *end is the first beyond.
static int geoms_of(const vvCompile* c, int b, int start, int* end) {
  while (start < c->order.count[VV_ELEMENT_GEOM] &&
         VV_ORDERED(c, vvSpecGeom, VV_ELEMENT_GEOM, start)->body->head.id < b)
    start++;
  *end = start;
  while (*end < c->order.count[VV_ELEMENT_GEOM] && VV_ORDERED(c, vvSpecGeom, VV_ELEMENT_GEOM, *end)->body->head.id == b)
    (*end)++;
  return start;
}

// Pairs of bodies b1 < b2: counts them, and writes them when `out` is not NULL.
static vvStatus body_pairs(const vvPairFilter* f, const int range1[2], const int range2[2], int* n, int* out) {
  vvCompile* c = f->c;
  for (int i = range1[0]; i < range1[1]; i++) {
    const vvSpecGeom* a = VV_ORDERED(c, vvSpecGeom, VV_ELEMENT_GEOM, i);
    for (int j = range2[0]; j < range2[1]; j++) {
      const vvSpecGeom* b = VV_ORDERED(c, vvSpecGeom, VV_ELEMENT_GEOM, j);
      if (!geoms_may_touch(a, b)) continue;
      if (*n == INT32_MAX / 4) return vv_report_set(c->report, VV_ERROR_ARGUMENT, "too many pairs of geoms may touch");
      if (out) {
        bool swap = a->type > b->type;
        out[2 * *n] = swap ? j : i;
        out[2 * *n + 1] = swap ? i : j;
      }
      (*n)++;
    }
  }
  return VV_OK;
}

static vvStatus scan(vvCompile* c, int* n, int* out) {
  *n = 0;
  if (c->spec->option.disable & (VV_DISABLE_CONTACT | VV_DISABLE_CONSTRAINT)) return VV_OK;
  vvPairFilter f = {.c = c};
  vvStatus status = filter_create(&f);
  int range1[2] = {0, 0}, range2[2];
  for (int b1 = 0; b1 < c->spec->nbody && status == VV_OK; b1++) {
    range1[0] = geoms_of(c, b1, range1[1], &range1[1]);
    range2[1] = range1[1];
    if (range1[0] == range1[1]) continue;
    for (int b2 = b1 + 1; b2 < c->spec->nbody && status == VV_OK; b2++) {
      range2[0] = geoms_of(c, b2, range2[1], &range2[1]);
      if (range2[0] < range2[1] && bodies_may_touch(&f, b1, b2)) status = body_pairs(&f, range1, range2, n, out);
    }
  }
  filter_free(&f);
  return status;
}

vvStatus vv_compile_count_pairs(vvCompile* c, int* npair) {
  return scan(c, npair, NULL);
}

vvStatus vv_compile_fill_pairs(vvCompile* c) {
  int n = 0;
  return scan(c, &n, c->m->pair_geom);
}
