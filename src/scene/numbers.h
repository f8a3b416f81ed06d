// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// numbers.h: which primary reals are numbers of the scene, with their units and sizes.

#ifndef VISVIVA_SCENE_NUMBERS_H_
#define VISVIVA_SCENE_NUMBERS_H_

#include "scene/scene.h"

typedef struct vvSingle {
  int field;  // index into vv_model_fields()
  int id;     // element
  int component;
  int class_id;      // default class that its value comes from, -1: none
  const char* dead;  // why nothing depends on it, NULL: something does
  size_t offset;     // in vvModel.reals
} vvSingle;

// All of them in field and element order; free with VV_DELETE(context, *list, vvSingle, *n).
vvStatus vv_numbers_list(vvContext* context, const vvSpec* spec, const vvModel* m, const vvSpecOrder* order,
                         vvSingle** list, int* n);

// The attribute as names have it, and the index behind it (-1: none).
const char* vv_number_attribute(const vvModel* m, const vvSingle* s, int* index);
const char* vv_number_unit(const vvModel* m, const vvSingle* s);
vvReal vv_number_scale(const vvModel* m, const vvSingle* s);

#endif  // VISVIVA_SCENE_NUMBERS_H_
