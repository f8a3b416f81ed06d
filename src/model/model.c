// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// model.c: memory of models, shadows and variants; the model's hash. The two blocks of a model (integers, reals) are
// laid out by the tables of fields.c, so a shadow of the same sizes has the same layout.

#include "core/hash.h"
#include "model/layout.h"
#include "scene/scene.h"
#include "visviva/names.h"

#include <string.h>

static int int_count(const vvModel* m, vvIntCount count) {
  switch (count) {
    case VV_COUNT_FRAME:
      return m->nframe;
    case VV_COUNT_BODY:
      return m->nbody;
    case VV_COUNT_JOINT:
      return m->njnt;
    case VV_COUNT_DOF:
      return m->nv;
    case VV_COUNT_GEOM:
      return m->ngeom;
    case VV_COUNT_PAIR:
      return m->npair;
    case VV_COUNT_SITE:
      return m->nsite;
    case VV_COUNT_TENDON:
      return m->ntendon;
    case VV_COUNT_WRAP:
      return m->nwrap;
    case VV_COUNT_ACTUATOR:
      return m->nu;
    case VV_COUNT_SENSOR:
      return m->nsensor;
    case VV_COUNT_EQUALITY:
      return m->neq;
  }
  return 0;
}

// a + n * width, SIZE_MAX on overflow or a negative factor.
static size_t add_product(size_t a, int n, int width) {
  if (a == SIZE_MAX || n < 0 || width < 0) return SIZE_MAX;
  size_t product = (size_t)n * (size_t)width;
  return product > (SIZE_MAX >> 8) - (a < (SIZE_MAX >> 8) ? a : (SIZE_MAX >> 8)) ? SIZE_MAX : a + product;
}

size_t vv_model_int_total(const vvModel* m) {
  size_t total = 0;
  for (const vvIntField* f = vv_model_int_fields(); f->width; f++)
    total = add_product(total, int_count(m, f->count), f->width);
  return total;
}

size_t vv_model_real_total(const vvModel* m) {
  size_t total = 0;
  for (const vvField* f = vv_model_fields(); f->attribute; f++)
    total = add_product(total, vv_model_count(m, f->element), vv_field_width(m, f));
  return total;
}

void vv_model_place_ints(vvModel* m, int* integers) {
  for (const vvIntField* f = vv_model_int_fields(); f->width; f++) {
    *(int**)(void*)((unsigned char*)m + f->offset) = integers;
    integers += (size_t)int_count(m, f->count) * (size_t)f->width;
  }
}

void vv_model_place_reals(vvModel* m, vvReal* reals) {
  m->reals = reals;
  int section = -1;
  size_t at = 0;
  for (const vvField* f = vv_model_fields(); f->attribute; f++) {
    while (section < (int)f->section) m->section_begin[++section] = at;
    *(vvReal**)(void*)((unsigned char*)m + f->offset) = reals + at;
    at += (size_t)vv_model_count(m, f->element) * (size_t)vv_field_width(m, f);
  }
  while (section < VV_SECTION_COUNT) m->section_begin[++section] = at;
}

// Element 0 of both blocks exists even when they are empty, so that pointers are never NULL.
static int* int_block(const vvModel* m) {
  return m->frame_parent;
}

vvStatus vv_model_allocate(vvContext* context, vvModel* m) {
  size_t nint = vv_model_int_total(m), nreal = vv_model_real_total(m);
  if (nint == SIZE_MAX || nreal == SIZE_MAX) return VV_ERROR_MEMORY;
  int* integers = VV_NEW(context, int, nint + 1);
  vvReal* reals = VV_NEW(context, vvReal, nreal + 1);
  if (!integers || !reals) {
    VV_DELETE(context, integers, int, nint + 1);
    VV_DELETE(context, reals, vvReal, nreal + 1);
    return VV_ERROR_MEMORY;
  }
  vv_model_place_ints(m, integers);
  vv_model_place_reals(m, reals);
  return VV_OK;
}

void vv_model_free(vvContext* ctx, vvModel* m) {
  if (!ctx || !m) return;
  if (m->reals) {
    VV_DELETE(ctx, int_block(m), int, vv_model_int_total(m) + 1);
    VV_DELETE(ctx, m->reals, vvReal, vv_model_real_total(m) + 1);
  }
  vv_names_free(ctx, m->names);
  vv_free(ctx, m, sizeof(vvModel));
}

vvStatus vv_model_shadow(vvContext* ctx, const vvModel* m, vvModel** shadow) {
  if (!ctx || !m || !shadow) return VV_ERROR_ARGUMENT;
  *shadow = vv_alloc(ctx, sizeof(vvModel));
  size_t n = vv_model_real_total(m) + 1;
  vvReal* reals = *shadow ? VV_NEW(ctx, vvReal, n) : NULL;
  if (!reals) {
    vv_free(ctx, *shadow, sizeof(vvModel));
    *shadow = NULL;
    return VV_ERROR_MEMORY;
  }
  **shadow = *m;
  vv_model_place_reals(*shadow, reals);
  return VV_OK;
}

void vv_model_shadow_zero(vvModel* shadow) {
  if (shadow) memset(shadow->reals, 0, vv_model_real_total(shadow) * sizeof(vvReal));
}

void vv_model_shadow_free(vvContext* ctx, vvModel* shadow) {
  if (!ctx || !shadow) return;
  VV_DELETE(ctx, shadow->reals, vvReal, vv_model_real_total(shadow) + 1);
  vv_free(ctx, shadow, sizeof(vvModel));
}

vvStatus vv_model_variant(vvContext* ctx, const vvModel* m, vvModel** variant) {
  if (!ctx || !m || !variant) return VV_ERROR_ARGUMENT;
  size_t own = m->section_begin[VV_SECTION_BULK];
  *variant = vv_alloc(ctx, sizeof(vvModel));
  vvReal* reals = *variant ? VV_NEW(ctx, vvReal, own + 1) : NULL;
  if (!reals) {
    vv_free(ctx, *variant, sizeof(vvModel));
    *variant = NULL;
    return VV_ERROR_MEMORY;
  }
  memcpy(reals, m->reals, own * sizeof(vvReal));
  **variant = *m;
  (*variant)->reals = reals;
  size_t at = 0;
  for (const vvField* f = vv_model_fields(); f->attribute && f->section != VV_SECTION_BULK; f++) {
    *(vvReal**)(void*)((unsigned char*)*variant + f->offset) = reals + at;
    at += (size_t)vv_model_count(m, f->element) * (size_t)vv_field_width(m, f);
  }
  return VV_OK;
}

void vv_model_variant_free(vvContext* ctx, vvModel* variant) {
  if (!ctx || !variant) return;
  VV_DELETE(ctx, variant->reals, vvReal, variant->section_begin[VV_SECTION_BULK] + 1);
  vv_free(ctx, variant, sizeof(vvModel));
}

uint64_t vv_model_hash(const vvModel* m) {
  if (!m) return 0;
  uint64_t hash = VV_HASH_START;
  const int sizes[] = {m->nq,          m->nv,    m->na,      m->nu,    m->nbody,      m->njnt,
                       m->ngeom,       m->nsite, m->nframe,  m->ntree, m->npair,      m->nsensor,
                       m->nsensordata, m->nkey,  m->disable, m->cone,  m->integrator, m->settotal,
                       m->balance,     m->fluid, m->ntendon, m->nwrap, m->neq};
  hash = vv_hash_bytes(hash, sizes, sizeof sizes);
  hash = vv_hash_bytes(hash, int_block(m), vv_model_int_total(m) * sizeof(int));
  for (const vvField* f = vv_model_fields(); f->attribute; f++) {
    size_t n = (size_t)vv_model_count(m, f->element) * (size_t)vv_field_width(m, f);
    hash = vv_hash_bytes(hash, vv_field_data(m, f), n * sizeof(vvReal));
  }
  return hash;
}
