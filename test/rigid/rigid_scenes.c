// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// rigid_scenes.c: see rigid_scenes.h.

#include "rigid/rigid_scenes.h"

#include <stdio.h>
#include <string.h>

#include "visviva/spec.h"

const char* const vv_test_scenes[] = {"cube",           "joints", "creature",     "pairs_pyramidal",
                                      "pairs_elliptic", "pile",   "frictionloss", NULL};

vvModel* vv_test_scene(vvContext* context, const char* root, const char* name) {
  char path[512];
  vvModel* m = NULL;
  vvReport report;
  vv_report_clear(&report);
  snprintf(path, sizeof path, "%s/test/scenes/%s.xml", root, name);
  if (vv_model_load_file(context, path, &m, &report) != VV_OK) fprintf(stderr, "%s\n", report.message);
  return m;
}

vvModel* vv_test_text(vvContext* context, const char* text) {
  vvSpec* spec = NULL;
  vvModel* m = NULL;
  vvReport report;
  vv_report_clear(&report);
  if (vv_spec_read_text(context, text, strlen(text), "test.xml", &spec, &report) != VV_OK ||
      vv_compile(context, spec, &m, &report) != VV_OK) {
    fprintf(stderr, "%s\n", report.message);
  }
  vv_spec_free(spec);
  return m;
}

double vv_test_uniform(uint64_t* seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

void vv_test_state(const vvModel* m, int k, vvRigidWork* work, vvState* state, vvReal* ctrl) {
  uint64_t seed = 1000 + (uint64_t)k;
  for (int i = 0; i < 20; i++) vv_test_uniform(&seed);
  vv_state_reset(m, state);
  if (k % 2 == 0) {
    for (int d = 0; d < m->nv; d++) {
      state->v[d] = (vvReal)(2 * vv_test_uniform(&seed));
      work->scratch[d] = (vvReal)(0.4 * vv_test_uniform(&seed));
    }
    vv_q_retract(m, m->qpos0, work->scratch, state->q);
  } else {
    int n = (int)(0.8 / (double)m->opt_timestep[0]) + 7 * k;
    for (int i = 0; i < n; i++) {
      for (int u = 0; u < m->nu && i % 20 == 0; u++) ctrl[u] = (vvReal)vv_test_uniform(&seed);
      vv_rigid_step(m, state, ctrl, NULL, NULL, work);
    }
  }
  for (int u = 0; u < m->nu; u++) ctrl[u] = (vvReal)vv_test_uniform(&seed);
}
