// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_reference.c: the rigid step against the slow textbook step, over all joint types, pairs of shapes and cones.

#include "vvtest.h"

#include <stdlib.h>
#include <string.h>

#include "reference/reference.h"
#include "rigid/rigid_scenes.h"

#define STATES 10

static vvContext* context;

static int setup(void** state) {
  (void)state;
  vvContextOptions options = vv_context_options_default();
  return vv_context_create(&options, &context) == VV_OK ? 0 : -1;
}

static int teardown(void** state) {
  (void)state;
  size_t left = vv_context_memory(context).bytes;
  vv_context_destroy(context);
  return left == 0 ? 0 : -1;
}

// Largest |a - b| over the largest |b|, or over `floor` where that is less.
static double difference(const vvReal* a, const double* b, int n, double floor) {
  double worst = 0, scale = floor;
  for (int i = 0; i < n; i++) {
    scale = fmax(scale, fabs(b[i]));
    worst = fmax(worst, fabs((double)a[i] - b[i]));
  }
  return worst / scale;
}

// Compares one evaluation; returns its contacts.
static int compare(const vvModel* m, const vvState* s, const vvReal* ctrl, vvRigidWork* work) {
  assert_int_equal(vv_rigid_evaluate(m, s->q, s->v, NULL, ctrl, NULL, NULL, NULL, work), VV_OK);
  vvReference* r = vv_reference_evaluate(m, s->q, s->v, ctrl, NULL, work->contacts, work->points, work->ncontact);
  vvReal* M = malloc(sizeof(vvReal) * (size_t)(m->nv * m->nv));
  vv_query_mass_matrix(m, work, M);
  for (int i = 0; i < m->nv; i++) assert_true(difference(M + i * m->nv, r->M + i * m->nv, i + 1, 1e-3) < 1e-11);
  free(M);
  assert_true(r->residual < 1e-10);
  assert_true(difference(work->bias, r->bias, m->nv, 1e-3) < 1e-10);
  assert_true(difference(work->tau, r->tau, m->nv, 1e-3) < 1e-12);
  // at rest accelerations are small differences of large terms: their scale is that of gravity
  double error = difference(work->a, r->a, m->nv, 1), error2 = difference(work->a2, r->a2, m->nv, 1);
  if (!(error < 1e-9 && error2 < 1e-9)) {
    print_error("accelerations differ by %.3g, damped by %.3g\n", error, error2);
    fail();
  }
  vv_reference_free(r);
  return work->ncontact;
}

static void run(const vvModel* m, const char* name, int* touching) {
  vvRigidWork* work = NULL;
  vvState* s = NULL;
  vvReal ctrl[64] = {0};
  assert_non_null(m);
  assert_in_range(m->nu, 0, 64);
  assert_int_equal(vv_rigid_work_create(context, m, &work), VV_OK);
  assert_int_equal(vv_state_create(context, m, &s), VV_OK);
  *touching = 0;
  for (int k = 0; k < STATES; k++) {
    vv_test_state(m, k, work, s, ctrl);
    *touching += compare(m, s, ctrl, work) > 0;
  }
  print_message("%s: %d states, %d with contacts\n", name, STATES, *touching);
  vv_state_free(context, s);
  vv_rigid_work_free(work);
}

static void test_scenes(void** state) {
  (void)state;
  for (int i = 0; vv_test_scenes[i] != NULL; i++) {
    int touching;
    vvModel* m = vv_test_scene(context, VV_ROOT, vv_test_scenes[i]);
    run(m, vv_test_scenes[i], &touching);
    bool free = !strcmp(vv_test_scenes[i], "joints") || !strcmp(vv_test_scenes[i], "frictionloss");
    assert_true(free || touching >= 3);
    vv_model_free(context, m);
  }
}

// Numbers that the scenes leave at their defaults: springs of free and ball joints, motors on them, both solref forms.
static void test_seldom(void** state) {
  (void)state;
  int touching;
  vvModel* m = vv_test_text(
      context,
      "<mujoco><option cone='elliptic' impratio='3' timestep='0.003'/>"
      "<default><geom condim='6' friction='0.8 0.02 0.01'/></default><worldbody><geom type='plane' size='1 1 1'/>"
      "<body name='a' pos='0 0 .1'><joint name='f' type='free' stiffness='3' damping='.2' armature='.03'/>"
      "<geom type='capsule' size='.1 .2' solref='-900 -20' solimp='.8 .95 .01 .3 3'/><body pos='.3 0 .1'>"
      "<joint name='b' type='ball' stiffness='.4' damping='.1' armature='.01' pos='-.1 0 0'/>"
      "<geom size='.12' margin='.02' gap='.01'/></body></body></worldbody><actuator>"
      "<motor joint='f' gear='1 2 3 .4 .5 .6'/><motor jointinparent='f' gear='1 2 3 .4 .5 .6' ctrlrange='-.4 .3'/>"
      "<motor joint='b' gear='.1 .2 .3'/><motor jointinparent='b' gear='.3 .2 .1' forcerange='-.2 .5'/>"
      "</actuator></mujoco>");
  run(m, "seldom", &touching);
  assert_true(touching >= 3);
  vv_model_free(context, m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_scenes), cmocka_unit_test(test_seldom)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
