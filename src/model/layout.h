// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// layout.h: the memory of a vvModel: one block of integers, one of reals, both laid out by tables from sizes alone.

#ifndef VISVIVA_MODEL_LAYOUT_H_
#define VISVIVA_MODEL_LAYOUT_H_

#include "visviva/model.h"

// One integer array of the model: count is `count` elements times `width`.
typedef enum vvIntCount {
  VV_COUNT_FRAME = 0,
  VV_COUNT_BODY,
  VV_COUNT_JOINT,
  VV_COUNT_DOF,
  VV_COUNT_GEOM,
  VV_COUNT_PAIR,
  VV_COUNT_SITE,
  VV_COUNT_TENDON,
  VV_COUNT_WRAP,
  VV_COUNT_ACTUATOR,
  VV_COUNT_SENSOR,
  VV_COUNT_EQUALITY
} vvIntCount;

typedef struct vvIntField {
  vvIntCount count;
  int width;
  size_t offset;  // of the pointer in vvModel [byte]
} vvIntField;

// Ended by width == 0.
const vvIntField* vv_model_int_fields(void);

// Integers and reals that the sizes in m need; SIZE_MAX when they overflow or a size is negative.
size_t vv_model_int_total(const vvModel* m);
size_t vv_model_real_total(const vvModel* m);

// Allocates both blocks (zeroed) of a model whose sizes are set.
vvStatus vv_model_allocate(vvContext* context, vvModel* m);
// Sets the real pointers into m->reals; the integer pointers into `integers`.
void vv_model_place_reals(vvModel* m, vvReal* reals);
void vv_model_place_ints(vvModel* m, int* integers);

#endif  // VISVIVA_MODEL_LAYOUT_H_
