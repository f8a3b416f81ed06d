// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// compile.h: the steps of vv_compile.

#ifndef VISVIVA_MODEL_COMPILE_H_
#define VISVIVA_MODEL_COMPILE_H_

#include "scene/scene.h"

typedef struct vvCompile {
  vvContext* context;
  vvSpec* spec;
  vvModel* m;
  vvReport* report;
  vvSpecOrder order;
} vvCompile;

// Element by id in model order.
#define VV_ORDERED(c, type, element, i) ((type*)(void*)(c)->order.heads[element][i])

// Checks of single elements that need no model (compile_check.c).
vvStatus vv_compile_check(vvCompile* c);
// Text of an element for messages: geom "x" or geom #3; `buffer` of 80 bytes.
const char* vv_compile_title(const vvSpecHead* head, const char* word, char buffer[80]);

// True when limits hold: stated, or "auto" with a range.
bool vv_compile_is_limited(int limited, const double range[2]);

// Pairs of geoms that may touch (compile_pair.c): counts them first (m->pair_geom NULL), then fills.
vvStatus vv_compile_count_pairs(vvCompile* c, int* npair);
vvStatus vv_compile_fill_pairs(vvCompile* c);

// References by name (compile_reference.c); excludes before pairs are counted.
vvStatus vv_compile_excludes(vvCompile* c);
// Activations of all actuators.
int vv_compile_activations(const vvSpec* spec);
vvStatus vv_compile_references(vvCompile* c);
// Keyframes, after vv_model_derive.
vvStatus vv_compile_keys(vvCompile* c);

#endif  // VISVIVA_MODEL_COMPILE_H_
