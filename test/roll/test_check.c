// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_check.c: the ladder of differences on functions with known derivatives, and the verdicts of vv_check on scenes
// made to earn them.

#include "vvtest.h"

#include <string.h>

#include "roll/ladder.h"
#include "roll/roll_help.h"
#include "visviva/check.h"

// ---- the ladder -----------------------------------------------------------------------------------------------------

typedef double (*scalarFn)(double x);

static double smooth(double x) {
  return exp(3 * x) + sin(7 * x);
}

static double kinked(double x) {
  return sin(x) + (x > 0 ? 2 * x + 5 * x * x : -x);
}

static double jumping(double x) {
  return x + (x > 0 ? 1e-3 : 0);
}

static double rough(double x) {
  return x + 1e-6 * sin(1e9 * x);
}

static vvLadder ladder_of(scalarFn f, double eps) {
  vvLadder ladder = {.eps = eps, .f0 = f(0)};
  for (int k = 0; k < VV_LADDER; k++) {
    ladder.plus[k] = f(ldexp(eps, -k));
    ladder.minus[k] = f(-ldexp(eps, -k));
    ladder.valid[k] = true;
    ladder.unchanged[k] = true;
  }
  return ladder;
}

static void test_ladder(void** state) {
  (void)state;
  vvLadder ladder = ladder_of(smooth, 0.02);
  vvLadderValue value = vv_ladder_central(&ladder, true);
  assert_near(value.derivative, 10, 1e-12);
  assert_true(value.error < 1e-10 && value.unchanged);
  ladder.one_sided = true;
  value = vv_ladder_central(&ladder, true);
  assert_near(value.derivative, 10, 1e-9);
  ladder = ladder_of(kinked, 1e-3);
  assert_near(vv_ladder_side(&ladder, 1).derivative, 3, 1e-9);
  assert_near(vv_ladder_side(&ladder, -1).derivative, 0, 1e-9);
  assert_false(vv_ladder_jumps(&ladder));
  ladder = ladder_of(jumping, 1e-3);
  assert_true(vv_ladder_jumps(&ladder));
  assert_true(vv_ladder_central(&ladder, false).error > 1e-3);
  ladder = ladder_of(rough, 1e-3);
  assert_true(vv_ladder_central(&ladder, false).error > 1e-7);
  assert_false(vv_ladder_jumps(&ladder));
}

// Only the rungs that serve are used, and a change of branch is told.
static void test_ladder_rungs(void** state) {
  (void)state;
  vvLadder ladder = ladder_of(smooth, 0.02);
  for (int k = 0; k < 4; k++) ladder.plus[k] += 1;
  for (int k = 0; k < 4; k++) ladder.unchanged[k] = false;
  vvLadderValue value = vv_ladder_central(&ladder, true);
  assert_near(value.derivative, 10, 1e-9);
  assert_true(value.unchanged);
  for (int k = 0; k < VV_LADDER; k++) ladder.unchanged[k] = false;
  assert_true(isinf(vv_ladder_central(&ladder, true).error));
  assert_false(vv_ladder_central(&ladder, false).unchanged);
  memset(ladder.valid, 0, sizeof ladder.valid);
  assert_true(isinf(vv_ladder_central(&ladder, false).error));
}

// ---- verdicts on scenes ---------------------------------------------------------------------------------------------

typedef struct checked {
  vvContext* ctx;
  vvModel* m;
  vvCheckResult* result;
} checked;

// Checks d(quantity after nstep steps) by the blocks given; numbers by a pattern (NULL: none).
static checked check_scene(vvModel* m, vvContext* ctx, const vvState* start, const vvReal* ctrl, const char* quantity,
                           int nstep, const char* pattern, vvCheckInput in) {
  vvReport report;
  vvOutputItem item;
  assert_int_equal(vv_output_find(m, quantity, &item, NULL), VV_OK);
  item.dim = 1;
  static const vvReal one = 1;
  int numbers[256];
  in.rollout = (vvRolloutInput){.model = m,
                                .initial = start,
                                .nstep = nstep,
                                .ctrl = ctrl,
                                .nctrl = ctrl ? 1 : 0,
                                .items = &item,
                                .nitem = 1,
                                .nout = 1,
                                .rows = &nstep,
                                .nrow = 1};
  in.outputs_bar = &one;
  if (pattern) in.nnumber = vv_number_match(m, pattern, numbers, 256);
  in.numbers = numbers;
  checked c = {.ctx = ctx, .m = m};
  vvStatus status = vv_check(ctx, &in, &c.result, &report);
  if (status != VV_OK) print_error("%s\n", report.message);
  assert_int_equal(status, VV_OK);
  return c;
}

static vvModel* model_of(vvContext* ctx, const char* text) {
  vvSpec* spec = NULL;
  vvModel* m = NULL;
  vvReport report;
  vvStatus status = vv_spec_read_text(ctx, text, strlen(text), "test", &spec, &report);
  if (status == VV_OK) status = vv_compile(ctx, spec, &m, &report);
  if (status != VV_OK) print_error("%s\n", report.message);
  assert_int_equal(status, VV_OK);
  vv_spec_free(spec);
  return m;
}

static vvContext* make_context(int nthread) {
  vvContextOptions options = vv_context_options_default();
  options.nthread = nthread;
  vvContext* ctx = NULL;
  assert_int_equal(vv_context_create(&options, &ctx), VV_OK);
  return ctx;
}

static void release(checked* c) {
  vv_check_free(c->ctx, c->result);
  vv_model_free(c->ctx, c->m);
  assert_int_equal(vv_context_memory(c->ctx).bytes, 0);
  vv_context_destroy(c->ctx);
}

// Scenes in motion: no mismatch, at least nine in ten directions resolved with unchanged branches.
static void test_scenes(void** state) {
  (void)state;
  for (int i = 0; roll_scenes[i]; i++) {
    vvContext* ctx = make_context(2);
    rollScene* s = roll_scene_load(ctx, VV_ROOT, roll_scenes[i], 150, 20);
    assert_non_null(s);
    vvCheckInput in = {.ctrl = true, .qpos0 = true, .qvel0 = true};
    int numbers[512];
    in.nnumber = vv_number_match(s->m, "joint/*/damping", numbers, 512);
    in.nnumber += vv_number_match(s->m, "opt/gravity", numbers + in.nnumber, 512 - in.nnumber);
    in.nnumber += vv_number_match(s->m, "opt/timestep", numbers + in.nnumber, 512 - in.nnumber);
    in.nnumber += vv_number_match(s->m, "geom/*/size", numbers + in.nnumber, 512 - in.nnumber);
    in.numbers = numbers;
    in.rollout = roll_scene_input(s);
    vvReal* weights = VV_NEW(ctx, vvReal, (size_t)vv_rollout_rows(&in.rollout) * (size_t)s->nout);
    vvRandom random = vv_random_init(2, 2);
    // Positions, velocities: sensors of acceleration would let every friction zone's curvature in.
    for (int r = 0; r < vv_rollout_rows(&in.rollout); r++) {
      roll_fill_normal(&random, weights + (size_t)r * (size_t)s->nout, (size_t)(s->m->nq + s->m->nv));
    }
    in.outputs_bar = weights;
    vvCheckResult* result = NULL;
    vvReport report;
    vvStatus status = vv_check(ctx, &in, &result, &report);
    if (status != VV_OK) print_error("%s: %s\n", roll_scenes[i], report.message);
    assert_int_equal(status, VV_OK);
    for (int k = 0; k < result->ndirection; k++) {
      const vvCheckDirection* d = &result->direction[k];
      if (d->verdict == VV_VERDICT_MISMATCH) {
        print_error("%s: %s[%d] %d: %.12g, difference %.12g\n", roll_scenes[i], d->block, d->index, d->mixture,
                    d->adjoint, d->difference);
      }
    }
    print_message("%s: %d directions, %d resolved, %d unchanged\n", roll_scenes[i], result->ndirection,
                  result->nresolved, result->nunchanged);
    assert_int_equal(result->nmismatch, 0);
    assert_true(10 * result->nunchanged >= 9 * result->ndirection);
    vv_check_free(ctx, result);
    VV_DELETE(ctx, weights, vvReal, (size_t)vv_rollout_rows(&in.rollout) * (size_t)s->nout);
    roll_scene_free(s);
    vv_context_destroy(ctx);
  }
}

static const char bouncing[] =
    "<mujoco><option timestep='0.00390625' gravity='0 0 0'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
    "<body name='ball' pos='0 0 0.125'><joint name='z' type='slide' axis='0 0 1'/>"
    "<geom name='ball' type='sphere' size='0.0625' mass='1'/></body></worldbody></mujoco>";

// The gap closes exactly on a step: how fast the ball leaves jumps with its height.
static void test_jump(void** state) {
  (void)state;
  vvContext* ctx = make_context(1);
  vvModel* m = model_of(ctx, bouncing);
  vvState* start = NULL;
  assert_int_equal(vv_state_create(ctx, m, &start), VV_OK);
  start->v[0] = -1;
  vvCheckInput in = {.qpos0 = true};
  checked c = check_scene(m, ctx, start, NULL, "joint/z/pos", 40, NULL, in);
  assert_int_equal(c.result->ndirection, 1);
  const vvCheckDirection* d = &c.result->direction[0];
  assert_int_equal(d->verdict, VV_VERDICT_JUMP);
  assert_int_equal(d->step, 16);
  assert_string_equal(d->where, "contact floor/ball");
  vv_state_free(ctx, start);
  release(&c);
}

static const char clamped[] =
    "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='x' type='slide' axis='1 0 0'/>"
    "<geom type='sphere' size='0.1' mass='1'/></body></worldbody>"
    "<actuator><motor joint='x' ctrllimited='true' ctrlrange='0 1'/></actuator></mujoco>";

// A control at the end of its range: the derivative from above is 10 steps' worth, from below 0.
static void test_kink(void** state) {
  (void)state;
  vvContext* ctx = make_context(1);
  vvModel* m = model_of(ctx, clamped);
  vvReal ctrl = 0;
  vvCheckInput in = {.ctrl = true};
  checked c = check_scene(m, ctx, NULL, &ctrl, "joint/x/vel", 1, NULL, in);
  const vvCheckDirection* d = &c.result->direction[0];
  assert_int_equal(d->verdict, VV_VERDICT_KINK);
  assert_int_equal(d->step, 0);
  release(&c);
}

// A difference that settles on another value than the adjoint is called what it is. Here the tolerance is made so small
// that rounding alone exceeds it.
static void test_mismatch(void** state) {
  (void)state;
  vvContext* ctx = make_context(1);
  vvModel* m = model_of(ctx, bouncing);
  vvState* start = NULL;
  assert_int_equal(vv_state_create(ctx, m, &start), VV_OK);
  start->v[0] = (vvReal)-1.03;
  vvCheckInput in = {.qpos0 = true, .qvel0 = true, .tolerance = 1e-300};
  checked c = check_scene(m, ctx, start, NULL, "joint/z/pos", 40, "geom/*/solref", in);
  assert_true(c.result->nmismatch > 0);
  vv_check_free(ctx, c.result);
  in.tolerance = 0;
  c = check_scene(m, ctx, start, NULL, "joint/z/pos", 40, "geom/*/solref", in);
  assert_int_equal(c.result->nmismatch, 0);
  vv_state_free(ctx, start);
  release(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ladder), cmocka_unit_test(test_ladder_rungs), cmocka_unit_test(test_scenes),
      cmocka_unit_test(test_jump),   cmocka_unit_test(test_kink),         cmocka_unit_test(test_mismatch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
