// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// roll_help.c: see roll_help.h.

#include "roll/roll_help.h"

#include <stdio.h>
#include <string.h>

const char* const roll_scenes[] = {"test/scenes/cube.xml",
                                   "test/scenes/joints.xml",
                                   "test/scenes/creature.xml",
                                   "test/scenes/pairs_elliptic.xml",
                                   "test/scenes/pairs_pyramidal.xml",
                                   "test/scenes/frictionloss.xml",
                                   "test/scenes/equality.xml",
                                   NULL};

void roll_fill_normal(vvRandom* random, vvReal* x, size_t n) {
  for (size_t i = 0; i < n; i++) x[i] = (vvReal)vv_random_normal(random);
}

static bool make_items(rollScene* s) {
  const vvModel* m = s->m;
  s->nitem = m->nq + m->nv + m->nsensor;
  s->nout = m->nq + m->nv + m->nsensordata;
  s->items = VV_NEW(s->ctx, vvOutputItem, s->nitem);
  if (!s->items || vv_output_sensors(m, s->items + m->nq + m->nv, NULL) != VV_OK) return false;
  for (int i = 0; i < m->nsensor; i++) s->items[m->nq + m->nv + i].adr += m->nq + m->nv;
  for (int i = 0; i < m->nq + m->nv; i++) {
    char name[32];
    snprintf(name, sizeof name, i < m->nq ? "qpos[%d]" : "qvel[%d]", i < m->nq ? i : i - m->nq);
    if (vv_output_find(m, name, &s->items[i], NULL) != VV_OK) return false;
    s->items[i].adr = i;
  }
  return true;
}

static bool settle_down(rollScene* s, int settle) {
  vvRandom random = vv_random_init(7, 1);
  int most = settle > s->nstep ? settle : s->nstep;
  size_t n = (size_t)most * (size_t)s->m->nu;
  vvReal* ctrl = VV_NEW(s->ctx, vvReal, n);
  vvRollout* work = NULL;
  bool good = ctrl && vv_rollout_create(s->ctx, s->m, VV_ROLLOUT_FORWARD, &work) == VV_OK;
  if (good) {
    roll_fill_normal(&random, s->start->v, (size_t)s->m->nv);
    for (int i = 0; i < s->m->nv; i++) s->start->v[i] *= (vvReal)0.3;
    for (size_t i = 0; i < n; i++) ctrl[i] = (vvReal)(0.4 + 0.3 * vv_random_uniform(&random));
    vvRolloutInput in = {.model = s->m,
                         .initial = s->start,
                         .nstep = settle,
                         .ctrl = s->m->nu > 0 ? ctrl : NULL,
                         .nctrl = s->m->nu > 0 ? settle : 0};
    vvRolloutOutput out = {.final = s->start};
    good = vv_rollout(&in, NULL, work, &out, NULL) == VV_OK;
    for (size_t i = 0; i < (size_t)s->nstep * (size_t)s->m->nu; i++) s->ctrl[i] = ctrl[i];
  }
  vv_rollout_free(work);
  VV_DELETE(s->ctx, ctrl, vvReal, n);
  return good;
}

rollScene* roll_scene_load(vvContext* ctx, const char* root, const char* path, int settle, int nstep) {
  char file[1024];
  snprintf(file, sizeof file, "%s/%s", root, path);
  rollScene* s = VV_NEW(ctx, rollScene, 1);
  if (!s) return NULL;
  s->ctx = ctx;
  s->nstep = nstep;
  vvReport report;
  vv_report_clear(&report);
  bool good = vv_model_load_file(ctx, file, &s->m, &report) == VV_OK;
  if (!good) fprintf(stderr, "%s\n", report.message);
  good = good && vv_state_create(ctx, s->m, &s->start) == VV_OK;
  if (good) s->ctrl = VV_NEW(ctx, vvReal, (size_t)nstep * (size_t)s->m->nu);
  good = good && s->ctrl && make_items(s) && settle_down(s, settle);
  if (good) return s;
  roll_scene_free(s);
  return NULL;
}

void roll_scene_free(rollScene* s) {
  if (!s) return;
  vvContext* ctx = s->ctx;
  if (s->m) {
    VV_DELETE(ctx, s->ctrl, vvReal, (size_t)s->nstep * (size_t)s->m->nu);
    VV_DELETE(ctx, s->items, vvOutputItem, s->nitem);
    vv_state_free(ctx, s->start);
    vv_model_free(ctx, s->m);
  }
  VV_DELETE(ctx, s, rollScene, 1);
}

vvRolloutInput roll_scene_input(const rollScene* s) {
  vvRolloutInput in = {.model = s->m,
                       .initial = s->start,
                       .nstep = s->nstep,
                       .ctrl = s->m->nu > 0 ? s->ctrl : NULL,
                       .nctrl = s->m->nu > 0 ? s->nstep : 0,
                       .items = s->items,
                       .nitem = s->nitem,
                       .nout = s->nout,
                       .stride = 5};
  return in;
}
