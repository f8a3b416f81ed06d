// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// gradient.c: how far a pushed cube slides, and how that distance changes with its push, its mass and its friction.
//
//   cc gradient.c -o gradient $(pkg-config --cflags --libs visviva) && ./gradient

#include <stdio.h>
#include <string.h>

#include "visviva/visviva.h"

static const char scene[] =
    "<mujoco><worldbody>"
    "<geom name='floor' type='plane' size='5 5 1' friction='0.3'/>"
    "<body name='cube' pos='0 0 0.05'><freejoint/><geom name='cube' type='box' size='.05 .05 .05' mass='0.4'"
    " friction='0.3'/></body></worldbody></mujoco>";

int main(void) {
  vvContext* context = NULL;
  vvSpec* spec = NULL;
  vvModel *m = NULL, *m_bar = NULL;
  vvState *start = NULL, *final = NULL;
  vvRollout* work = NULL;
  vvTape* tape = NULL;
  vvReport report = {0};
  vvStatus status = vv_context_create(NULL, &context);
  if (!status) status = vv_spec_read_text(context, scene, strlen(scene), "cube", &spec, &report);
  if (!status) status = vv_compile(context, spec, &m, &report);
  if (!status) status = vv_model_shadow(context, m, &m_bar);
  if (!status) status = vv_state_create(context, m, &start);
  if (!status) status = vv_state_create(context, m, &final);
  if (!status) status = vv_rollout_create(context, m, VV_ROLLOUT_REVERSE, &work);
  if (!status) status = vv_tape_create(context, &tape);
  if (!status) {
    start->v[0] = 1;  // m/s along x

    // one second, recorded
    vvRolloutInput in = {.model = m, .initial = start, .nstep = 500};
    vvRolloutOutput out = {.final = final};
    status = vv_rollout(&in, tape, work, &out, &report);

    // the loss is x of the cube at the end: its cotangent is 1 there
    vvReal q_bar[6] = {1, 0, 0, 0, 0, 0}, v0_bar[6];
    vvRolloutSeed seed = {.q_bar = q_bar};
    vvGradient gradient = {.v0_bar = v0_bar, .model = m_bar};
    if (!status) status = vv_rollout_vjp(&in, tape, work, &seed, &gradient, &report);
    if (!status) status = vv_model_derive_vjp(context, m, m_bar);
    if (!status) {
      printf("the cube ends at x = %.6f m\n", (double) final->q[0]);
      printf("  d x / d (initial speed)  = %.6f s\n", (double)v0_bar[0]);
      const char* names[] = {"geom/cube/mass", "geom/floor/friction/0", "geom/cube/friction/0", "opt/gravity/2"};
      for (int i = 0; i < 4; i++) {
        int number;
        if (vv_number_match(m, names[i], &number, 1) == 1) {
          printf("  d x / d %-22s = %.6f\n", names[i], (double)vv_number_bar(m_bar, number));
        }
      }
    }
  }
  if (status) fprintf(stderr, "%s: %s\n", vv_status_text(status), report.message);
  vv_tape_free(tape);
  vv_rollout_free(work);
  vv_state_free(context, final);
  vv_state_free(context, start);
  vv_model_shadow_free(context, m_bar);
  vv_model_free(context, m);
  vv_spec_free(spec);
  vv_context_destroy(context);
  return status != VV_OK;
}
