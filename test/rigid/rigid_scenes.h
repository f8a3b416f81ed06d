// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// rigid_scenes.h: scenes and random states for the tests of rigid bodies.

#ifndef VISVIVA_TEST_RIGID_SCENES_H_
#define VISVIVA_TEST_RIGID_SCENES_H_

#include "visviva/model.h"
#include "visviva/rigid.h"

// Names of the scenes in test/scenes, ended by NULL.
extern const char* const vv_test_scenes[];

// Loads test/scenes/NAME.xml, or says why not and returns NULL.
vvModel* vv_test_scene(vvContext* context, const char* root, const char* name);

// A scene from MJCF text, likewise.
vvModel* vv_test_text(vvContext* context, const char* text);

// Number `k` of a scene's states, the same in every run: even ones are random, odd ones come from a driven motion, so
// that bodies touch. ctrl: nu.
void vv_test_state(const vvModel* m, int k, vvRigidWork* work, vvState* state, vvReal* ctrl);

// Uniform in [-1, 1]; the seed moves on.
double vv_test_uniform(uint64_t* seed);

#endif  // VISVIVA_TEST_RIGID_SCENES_H_
