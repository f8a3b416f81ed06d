// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_fluid.c: forces of a fluid and borne weight against closed forms; numbers that a fluid cannot give are refused.

#include "vvtest.h"

#include <string.h>

#include "rigid/rigid_scenes.h"
#include "visviva/names.h"
#include "visviva/rigid.h"

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

static vvModel* load(const char* text) {
  vvModel* m = vv_test_text(context, text);
  assert_non_null(m);
  return m;
}

// Acceleration of dof d at velocity v of all dofs.
static vvReal acceleration(const vvModel* m, const vvReal* v, int d) {
  vvRigidWork* work = NULL;
  assert_int_equal(vv_rigid_work_create(context, m, &work), VV_OK);
  assert_int_equal(vv_rigid_evaluate(m, m->qpos0, v, NULL, NULL, NULL, NULL, NULL, work), VV_OK);
  vvReal a = work->a[d];
  vv_rigid_work_free(work);
  return a;
}

// A ball of radius r: its box has edges r sqrt(12/5).
static void drag(void** state) {
  (void)state;
  vvModel* m = load(
      "<mujoco><option gravity='0 0 0' density='3' viscosity='0.2' wind='0.5 0 0'/><worldbody><body><freejoint/>"
      "<geom type='sphere' size='0.1' mass='2'/></body></worldbody></mujoco>");
  const double pi = acos(-1.0), s = 0.1 * sqrt(2.4), u = 1.5, o = -3;
  const vvReal v[6] = {2, 0, 0, 0, (vvReal)o, 0};
  double force = -3 * pi * s * 0.2 * u - 0.5 * 3 * s * s * fabs(u) * u;
  double torque = -pi * s * s * s * 0.2 * o - 3.0 / 64 * s * 2 * s * s * s * s * fabs(o) * o;
  assert_near(acceleration(m, v, 0), force / 2, 1e-12);
  assert_near(acceleration(m, v, 4), torque / (0.4 * 2 * 0.01), 1e-11);
  vv_model_free(context, m);
}

static void borne_weight(void** state) {
  (void)state;
  vvModel* m = load(
      "<mujoco><worldbody><body gravcomp='1'><freejoint/><geom type='sphere' pos='0.3 0 0' size='0.1'/></body>"
      "<body gravcomp='0.25'><joint type='slide' axis='0 0 1'/><geom type='sphere' size='0.1'/></body>"
      "</worldbody></mujoco>");
  const vvReal v[7] = {0};
  for (int d = 0; d < 6; d++) assert_near(acceleration(m, v, d), 0, 1e-14);
  assert_near(acceleration(m, v, 6), -9.81 * 0.75, 1e-13);
  vv_model_free(context, m);
}

// Springs and dampers both off take the fluid and borne weight along.
static void passive_off(void** state) {
  (void)state;
  vvModel* m = load(
      "<mujoco><option density='3'><flag spring='disable' damper='disable'/></option><worldbody><body gravcomp='1'>"
      "<freejoint/><geom type='sphere' size='0.1' mass='2'/></body></worldbody></mujoco>");
  const vvReal v[6] = {0, 0, 3, 0, 0, 0};
  assert_near(acceleration(m, v, 2), -9.81, 1e-13);
  vv_model_free(context, m);
}

static const char* reason(const vvModel* m, const char* name) {
  int number = -1;
  assert_int_equal(vv_number_match(m, name, &number, 1), 1);
  return m->names->numbers[number].reason;
}

static void refusals(void** state) {
  (void)state;
  vvModel* m = load("<mujoco><worldbody><body><freejoint/><geom name='a' size='0.1'/></body></worldbody></mujoco>");
  assert_non_null(reason(m, "opt/density"));
  assert_non_null(reason(m, "opt/wind/1"));
  assert_null(reason(m, "geom/a/size/0"));
  vv_model_free(context, m);
  // two balls: equal moments across the line between them; a bar of its own axes
  m = load(
      "<mujoco><option density='0'/><worldbody><body><freejoint/><geom name='a' size='0.1'/>"
      "<geom name='b' pos='1 0 0' size='0.1'/></body><body pos='0 0 9'><freejoint/>"
      "<geom name='c' type='capsule' size='0.1 0.2'/></body></worldbody></mujoco>");
  assert_null(reason(m, "opt/density"));
  assert_non_null(reason(m, "geom/a/size/0"));
  assert_non_null(reason(m, "geom/b/pos/0"));
  assert_null(reason(m, "geom/c/size/0"));
  vv_model_free(context, m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(drag), cmocka_unit_test(borne_weight),
                                     cmocka_unit_test(passive_off), cmocka_unit_test(refusals)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
