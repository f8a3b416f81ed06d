// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_implicit.c: the implicit integrators: a closed form, the matrix M - h D against differences of the forces, its
// transposed solve.

#include "vvtest.h"

#include <stdio.h>
#include <string.h>

#include "rigid/rigid_scenes.h"
#include "visviva/kernel.h"
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

// A slide of 2 kg with damping 3 under 5 N: a2 = (5 - 3 v)/(2 + 3 h).
static void slide(void** state) {
  (void)state;
  static const char* const kinds[] = {"implicit", "implicitfast"};
  for (int k = 0; k < 2; k++) {
    char text[400];
    snprintf(text, sizeof text,
             "<mujoco><option integrator='%s' timestep='0.1' gravity='5 0 0'/><worldbody><body><joint type='slide' "
             "axis='1 0 0' damping='3'/><geom size='0.1' mass='2'/></body></worldbody></mujoco>",
             kinds[k]);
    vvModel* m = load(text);
    vvRigidWork* work = NULL;
    const vvReal v[1] = {1.5};
    assert_int_equal(vv_rigid_work_create(context, m, &work), VV_OK);
    assert_int_equal(vv_rigid_evaluate(m, m->qpos0, v, NULL, NULL, NULL, NULL, NULL, work), VV_OK);
    assert_near(work->a2[0], (2 * 5 - 3 * 1.5) / (2 + 3 * 0.1), 1e-13);
    vv_rigid_work_free(work);
    vv_model_free(context, m);
  }
}

#define CHAIN                                                                                                      \
  "<worldbody><body><joint type='ball' damping='0.1'/><geom type='capsule' fromto='0 0 0 0.3 0.1 0' size='0.03'/>" \
  "<body pos='0.3 0 0'><joint axis='0 1 0.3' damping='0.2'/><joint type='slide' axis='1 0 0'/>"                    \
  "<geom type='box' pos='0.1 0 0.02' size='0.1 0.02 0.05' contype='0' conaffinity='0'/></body></body>"             \
  "<body pos='0 0 3'><freejoint/><inertial pos='0.1 0.2 0' mass='1' diaginertia='0.1 0.2 0.15'/></body></worldbody>"

// tau - bias at v.
static void forces(const vvModel* m, const vvReal* q, const vvReal* v, vvRigidWork* work, double* out) {
  assert_int_equal(vv_rigid_evaluate(m, q, v, NULL, NULL, NULL, NULL, NULL, work), VV_OK);
  for (int d = 0; d < m->nv; d++) out[d] = (double)work->tau[d] - (double)work->bias[d];
}

// (M - h D) x = b at the solution, D x by differences; and y . (inv(A) b) = b . (inv(A') y).
static void matrix(void** state) {
  (void)state;
  enum { N = 11 };
  vvModel* m =
      load("<mujoco><option integrator='implicit' density='30' viscosity='0.2' timestep='0.02'/>" CHAIN "</mujoco>");
  vvRigidWork* work = NULL;
  vvReal v[N], w[N], b[N], y[N], x[N], z[N], Mx[N];
  double plus[N], minus[N], xy = 0, zb = 0, size = 0;
  assert_int_equal(m->nv, N);
  assert_int_equal(vv_rigid_work_create(context, m, &work), VV_OK);
  for (int d = 0; d < N; d++) {
    v[d] = (vvReal)(1 + 0.37 * d - 0.06 * d * d);
    b[d] = (vvReal)(0.5 - 0.21 * d);
    y[d] = (vvReal)(0.3 + 0.13 * d * (d % 3 - 1));
  }
  assert_int_equal(vv_rigid_evaluate(m, m->qpos0, v, NULL, NULL, NULL, NULL, NULL, work), VV_OK);
  assert_int_equal(vv_rigid_solve_damped(work, b, x), VV_OK);
  assert_int_equal(vv_rigid_solve_damped_transposed(work, y, z), VV_OK);
  vv_rigid_mul_mass(work, x, Mx);
  for (int d = 0; d < N; d++) {
    xy += (double)(x[d] * y[d]);
    zb += (double)(z[d] * b[d]);
    size = fmax(size, fabs((double)x[d]));
  }
  assert_near(xy, zb, 1e-11 * (fabs(xy) + 1));
  const double e = 1e-5 / size;
  for (int d = 0; d < N; d++) w[d] = v[d] + (vvReal)e * x[d];
  forces(m, m->qpos0, w, work, plus);
  for (int d = 0; d < N; d++) w[d] = v[d] - (vvReal)e * x[d];
  forces(m, m->qpos0, w, work, minus);
  for (int d = 0; d < N; d++) assert_near((double)Mx[d] - 0.02 * (plus[d] - minus[d]) / (2 * e), b[d], 1e-7);
  vv_rigid_work_free(work);
  vv_model_free(context, m);
}

// implicitfast takes the Coriolis forces of the free body in, not those of the chain.
static void fast(void** state) {
  (void)state;
  vvModel* slow = load("<mujoco><option integrator='implicit'/>" CHAIN "</mujoco>");
  vvModel* quick = load("<mujoco><option integrator='implicitfast'/>" CHAIN "</mujoco>");
  assert_int_equal(quick->body_alone[3], 1);
  assert_int_equal(quick->body_alone[1], 0);
  vvRigidWork *one = NULL, *two = NULL;
  vvReal v[11];
  for (int d = 0; d < 11; d++) v[d] = (vvReal)(1 + 0.2 * d);
  assert_int_equal(vv_rigid_work_create(context, slow, &one), VV_OK);
  assert_int_equal(vv_rigid_work_create(context, quick, &two), VV_OK);
  assert_int_equal(vv_rigid_evaluate(slow, slow->qpos0, v, NULL, NULL, NULL, NULL, NULL, one), VV_OK);
  assert_int_equal(vv_rigid_evaluate(quick, quick->qpos0, v, NULL, NULL, NULL, NULL, NULL, two), VV_OK);
  for (int d = 5; d < 11; d++) assert_near(one->a2[d], two->a2[d], 1e-12);
  assert_true(fabs((double)(one->a2[3] - two->a2[3])) > 1e-3);
  vv_rigid_work_free(one);
  vv_rigid_work_free(two);
  vv_model_free(context, slow);
  vv_model_free(context, quick);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(slide), cmocka_unit_test(matrix), cmocka_unit_test(fast)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
