// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_batch.c: worlds of a batch against single rollouts, bit by bit; their own numbers; Jacobians against tangents;
// a world that fails is named.

#include <math.h>
#include <string.h>

#include "visviva/batch.h"
#include "visviva/names.h"
#include "visviva/spec.h"
#include "vvtest.h"

enum { NWORLD = 5, NSTEP = 12 };

static const char scene[] =
    "<mujoco><option timestep='0.005'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
    "<body name='arm' pos='0 0 0.15'><joint name='x' type='slide' axis='1 0 0'/><joint name='z' type='slide' axis='0 0 "
    "1'/>"
    "<geom name='ball' size='0.1' mass='1'/></body></worldbody>"
    "<actuator><motor name='push' joint='x' gear='2'/></actuator></mujoco>";

typedef struct Fixture {
  vvContext* ctx;
  vvModel* m;
  vvBatch* batch;
  vvReal* state;  // NWORLD x size
  vvReal* ctrl;   // NWORLD x NSTEP x nu
  size_t size;
} Fixture;

static void make(Fixture* f, int nthread) {
  vvContextOptions options = vv_context_options_default();
  options.nthread = nthread;
  assert_int_equal(vv_context_create(&options, &f->ctx), VV_OK);
  vvSpec* spec = NULL;
  assert_int_equal(vv_spec_read_text(f->ctx, scene, strlen(scene), "batch.xml", &spec, NULL), VV_OK);
  assert_int_equal(vv_compile(f->ctx, spec, &f->m, NULL), VV_OK);
  vv_spec_free(spec);
  assert_int_equal(vv_batch_create(f->ctx, f->m, NWORLD, VV_ROLLOUT_ALL, &f->batch), VV_OK);
  f->size = vv_state_size(f->m);
  f->state = VV_NEW(f->ctx, vvReal, NWORLD * f->size);
  f->ctrl = VV_NEW(f->ctx, vvReal, NWORLD * NSTEP);
  vvState* s = NULL;
  assert_int_equal(vv_state_create(f->ctx, f->m, &s), VV_OK);
  assert_int_equal(s->size, f->size);
  for (int w = 0; w < NWORLD; w++) {
    s->v[0] = (vvReal)(0.1 * w);
    s->v[1] = (vvReal)(-0.5 * w);
    memcpy(f->state + (size_t)w * f->size, s->block, f->size * sizeof(vvReal));
    for (int k = 0; k < NSTEP; k++) f->ctrl[w * NSTEP + k] = (vvReal)sin(w + 0.3 * k);
  }
  vv_state_free(f->ctx, s);
}

static void unmake(Fixture* f) {
  VV_DELETE(f->ctx, f->state, vvReal, NWORLD * f->size);
  VV_DELETE(f->ctx, f->ctrl, vvReal, NWORLD * NSTEP);
  vv_batch_free(f->batch);
  vv_model_free(f->ctx, f->m);
  vv_context_destroy(f->ctx);
}

static vvBatchInput input_of(const Fixture* f) {
  vvBatchInput in = {.nstep = NSTEP, .state = f->state, .ctrl = f->ctrl, .nctrl = NSTEP};
  return in;
}

// Final states and gradients of all worlds; wrt: the ball's mass.
static void run(Fixture* f, const vvBatchInput* in, vvReal* final, vvReal* ctrl_bar, vvReal* mass_bar, int mass) {
  vvBatchOutput out = {.final = final};
  assert_int_equal(vv_batch_rollout(f->batch, in, true, &out, NULL), VV_OK);
  vvReal q_bar[2 * NWORLD];
  for (int i = 0; i < 2 * NWORLD; i++) q_bar[i] = 1;
  vvBatchSeed seed = {.q_bar = q_bar};
  vvBatchGradient g = {.ctrl_bar = ctrl_bar, .number_bar = mass_bar, .wrt = &mass, .nwrt = 1};
  assert_int_equal(vv_batch_vjp(f->batch, in, &seed, &g, NULL), VV_OK);
}

static int mass_number(const vvModel* m) {
  int mass = -1;
  assert_int_equal(vv_number_match(m, "geom/ball/mass", &mass, 1), 1);
  return mass;
}

static void test_worlds_are_independent_of_threads(void** unused) {
  (void)unused;
  vvReal final[2][NWORLD * 16], ctrl_bar[2][NWORLD * NSTEP], mass_bar[2][NWORLD];
  for (int i = 0; i < 2; i++) {
    Fixture f;
    make(&f, i == 0 ? 1 : 3);
    vvBatchInput in = input_of(&f);
    assert_true(f.size <= 16);
    memset(final[i], 0, sizeof final[i]);
    run(&f, &in, final[i], ctrl_bar[i], mass_bar[i], mass_number(f.m));
    unmake(&f);
  }
  assert_memory_equal(final[0], final[1], sizeof final[0]);
  assert_memory_equal(ctrl_bar[0], ctrl_bar[1], sizeof ctrl_bar[0]);
  assert_memory_equal(mass_bar[0], mass_bar[1], sizeof mass_bar[0]);
}

static void test_one_world_is_a_rollout(void** unused) {
  (void)unused;
  Fixture f;
  make(&f, 1);
  vvBatchInput in = input_of(&f);
  vvReal final[NWORLD * 16];
  vvBatchOutput out = {.final = final};
  assert_int_equal(vv_batch_rollout(f.batch, &in, false, &out, NULL), VV_OK);
  vvState* s = NULL;
  assert_int_equal(vv_state_create(f.ctx, f.m, &s), VV_OK);
  memcpy(s->block, f.state + 3 * f.size, f.size * sizeof(vvReal));
  vvRollout* work = NULL;
  assert_int_equal(vv_rollout_create(f.ctx, f.m, VV_ROLLOUT_FORWARD, &work), VV_OK);
  vvRolloutInput one = {.model = f.m, .initial = s, .nstep = NSTEP, .ctrl = f.ctrl + 3 * NSTEP, .nctrl = NSTEP};
  vvRolloutOutput single = {.final = s};
  assert_int_equal(vv_rollout(&one, NULL, work, &single, NULL), VV_OK);
  assert_memory_equal(s->block, final + 3 * f.size, f.size * sizeof(vvReal));
  vv_rollout_free(work);
  vv_state_free(f.ctx, s);
  unmake(&f);
}

static void test_own_numbers(void** unused) {
  (void)unused;
  Fixture f;
  make(&f, 2);
  int mass = mass_number(f.m);
  vvReal value[NWORLD], final[2][NWORLD * 16], ctrl_bar[NWORLD * NSTEP], mass_bar[NWORLD];
  const double eps = 1e-6;
  vvBatchInput in = input_of(&f);
  in.numbers = &mass;
  in.nnumber = 1;
  in.values = value;
  for (int side = 0; side < 2; side++) {
    for (int w = 0; w < NWORLD; w++) value[w] = (vvReal)(1 + w + (side == 0 ? eps : -eps));
    vvBatchOutput out = {.final = final[side]};
    assert_int_equal(vv_batch_rollout(f.batch, &in, false, &out, NULL), VV_OK);
  }
  for (int w = 0; w < NWORLD; w++) value[w] = (vvReal)(1 + w);
  vvReal middle[NWORLD * 16];
  run(&f, &in, middle, ctrl_bar, mass_bar, mass);
  for (int w = 0; w < NWORLD; w++) {
    double difference = 0;
    for (int i = 1; i <= 2; i++) {  // q follows the time
      difference += (double)(final[0][(size_t)w * f.size + i] - final[1][(size_t)w * f.size + i]) / (2 * eps);
    }
    assert_true(fabs(difference - (double)mass_bar[w]) < 1e-7 * (1 + fabs(difference)));
  }
  unmake(&f);
}

static void test_jacobian_is_the_tangent(void** unused) {
  (void)unused;
  Fixture f;
  make(&f, 1);
  vvBatchInput in = input_of(&f);
  in.nctrl = 1;
  vvReal A[NWORLD * 16], B[NWORLD * 4], v0[2 * NWORLD] = {0}, u[NWORLD];
  vvBatchJacobian j = {.A = A, .B = B};
  assert_int_equal(vv_batch_jacobian(f.batch, &in, &j, NULL), VV_OK);
  in.nstep = 1;
  assert_int_equal(vv_batch_rollout(f.batch, &in, true, NULL, NULL), VV_OK);
  for (int w = 0; w < NWORLD; w++) {
    v0[2 * w + 1] = 1;
    u[w] = 2;
  }
  vvReal q[2 * NWORLD], v[2 * NWORLD];
  vvBatchTangent tangent = {.v0_tan = v0, .ctrl_tan = u};
  vvBatchOutputTangent out = {.q_tan = q, .v_tan = v};
  assert_int_equal(vv_batch_jvp(f.batch, &in, &tangent, &out, NULL), VV_OK);
  for (int w = 0; w < NWORLD; w++) {
    for (int i = 0; i < 4; i++) {
      double expected = (double)(A[16 * w + 4 * i + 3] + 2 * B[4 * w + i]);
      double got = (double)(i < 2 ? q[2 * w + i] : v[2 * w + i - 2]);
      assert_true(fabs(expected - got) < 1e-13 * (1 + fabs(got)));
    }
  }
  unmake(&f);
}

static void test_failures(void** unused) {
  (void)unused;
  Fixture f;
  make(&f, 2);
  vvBatchInput in = input_of(&f);
  vvReport report;
  vvReal bar[2 * NWORLD] = {0}, ctrl_bar[NWORLD * NSTEP];
  vvBatchSeed seed = {.q_bar = bar};
  vvBatchGradient g = {.ctrl_bar = ctrl_bar};
  assert_int_equal(vv_batch_vjp(f.batch, &in, &seed, &g, &report), VV_ERROR_ARGUMENT);
  assert_non_null(strstr(report.message, "no recorded rollout"));
  f.state[3 * f.size + 1] = (vvReal)NAN;
  vvBatchOutput out = {0};
  assert_int_equal(vv_batch_rollout(f.batch, &in, true, &out, &report), VV_ERROR_NOT_FINITE);
  assert_non_null(strstr(report.message, "world 3"));
  assert_int_equal(report.element, 3);
  int none = 1 << 20;
  in.numbers = &none;
  in.nnumber = 1;
  in.values = bar;
  assert_int_equal(vv_batch_rollout(f.batch, &in, true, &out, &report), VV_ERROR_ARGUMENT);
  vvBatch* batch = NULL;
  assert_int_equal(vv_batch_create(f.ctx, f.m, 0, VV_ROLLOUT_ALL, &batch), VV_ERROR_ARGUMENT);
  unmake(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_worlds_are_independent_of_threads),
                                     cmocka_unit_test(test_one_world_is_a_rollout), cmocka_unit_test(test_own_numbers),
                                     cmocka_unit_test(test_jacobian_is_the_tangent), cmocka_unit_test(test_failures)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
