// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// roll_help.h: scenes in motion for the tests of rollouts: a model, an initial state and controls, all seeded.

#ifndef VISVIVA_TEST_ROLL_HELP_H_
#define VISVIVA_TEST_ROLL_HELP_H_

#include "core/random.h"
#include "visviva/roll.h"
#include "visviva/spec.h"

typedef struct rollScene {
  vvContext* ctx;
  vvModel* m;
  vvState* start;
  vvReal* ctrl;         // nstep x nu
  vvOutputItem* items;  // all qpos and qvel, then all sensors
  int nitem, nout, nstep;
} rollScene;

extern const char* const roll_scenes[];  // below the source folder, ends with NULL

// Loads a scene and moves it: start is `settle` steps of random controls after a random push. NULL when that fails.
rollScene* roll_scene_load(vvContext* ctx, const char* root, const char* path, int settle, int nstep);
void roll_scene_free(rollScene* s);
vvRolloutInput roll_scene_input(const rollScene* s);

void roll_fill_normal(vvRandom* random, vvReal* x, size_t n);

#endif  // VISVIVA_TEST_ROLL_HELP_H_
