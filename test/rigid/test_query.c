// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_query.c: poses, contacts, mass matrix, inverse dynamics and Jacobians of points hold together.

#include "vvtest.h"

#include <string.h>

#include "rigid/rigid_scenes.h"
#include "visviva/query.h"

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

// Runs `check` on states of every scene.
static void over_scenes(void (*check)(const vvModel*, const vvState*, const vvReal*, vvRigidWork*)) {
  for (int i = 0; vv_test_scenes[i] != NULL; i++) {
    vvModel* m = vv_test_scene(context, VV_ROOT, vv_test_scenes[i]);
    vvRigidWork* work = NULL;
    vvState* s = NULL;
    vvReal ctrl[64] = {0};
    assert_non_null(m);
    assert_int_equal(vv_rigid_work_create(context, m, &work), VV_OK);
    assert_int_equal(vv_state_create(context, m, &s), VV_OK);
    for (int k = 0; k < 4; k++) {
      vv_test_state(m, k, work, s, ctrl);
      assert_int_equal(vv_rigid_evaluate(m, s->q, s->v, NULL, ctrl, NULL, NULL, NULL, work), VV_OK);
      check(m, s, ctrl, work);
    }
    vv_state_free(context, s);
    vv_rigid_work_free(work);
    vv_model_free(context, m);
  }
}

// The applied force that inverse dynamics gives for any acceleration brings it about.
static void check_inverse(const vvModel* m, const vvState* s, const vvReal* ctrl, vvRigidWork* work) {
  vvReal a[128], applied[128], wrench[6 * 64];
  double scale = 1;
  uint64_t seed = 7;
  for (int i = 0; i < 6 * m->nbody; i++) wrench[i] = (vvReal)vv_test_uniform(&seed);
  for (int d = 0; d < m->nv; d++) {
    a[d] = work->a[d] + (vvReal)vv_test_uniform(&seed);
    scale = fmax(scale, fabs((double)a[d]));
  }
  assert_int_equal(vv_query_inverse_dynamics(m, s->q, s->v, a, ctrl, wrench, work, applied), VV_OK);
  assert_int_equal(vv_rigid_evaluate(m, s->q, s->v, NULL, ctrl, applied, wrench, NULL, work), VV_OK);
  for (int d = 0; d < m->nv; d++) assert_true(fabs((double)(work->a[d] - a[d])) < 1e-9 * scale);
}

static void test_inverse(void** state) {
  (void)state;
  over_scenes(check_inverse);
}

// J v is the velocity of a point: the difference of geom positions along the motion.
static void check_jacobian(const vvModel* m, const vvState* s, const vvReal* ctrl, vvRigidWork* work) {
  vvReal Jt[3 * 128], Jr[3 * 128], dq[128], q1[128], point[3], quat[4], ahead[3], behind[3];
  double h = 1e-6, fastest = 1;
  (void)ctrl;
  for (int d = 0; d < m->nv; d++) fastest = fmax(fastest, fabs((double)s->v[d]));
  for (int g = 0; g < m->ngeom; g++) {
    assert_int_equal(vv_rigid_evaluate(m, s->q, s->v, NULL, NULL, NULL, NULL, NULL, work), VV_OK);
    assert_int_equal(vv_query_geom_pose(m, work, g, point, quat), VV_OK);
    assert_int_equal(vv_query_point_jacobian(m, work, m->geom_body[g], point, Jt, Jr), VV_OK);
    for (int side = -1; side <= 1; side += 2) {
      for (int d = 0; d < m->nv; d++) dq[d] = (vvReal)(side * h) * s->v[d];
      vv_q_retract(m, s->q, dq, q1);
      assert_int_equal(vv_rigid_evaluate(m, q1, s->v, NULL, NULL, NULL, NULL, NULL, work), VV_OK);
      vv_query_geom_pose(m, work, g, side < 0 ? behind : ahead, NULL);
    }
    for (int k = 0; k < 3; k++) {
      double u = 0;
      for (int d = 0; d < m->nv; d++) u += (double)(Jt[k * m->nv + d] * s->v[d]);
      assert_true(fabs(u - (double)(ahead[k] - behind[k]) / (2 * h)) < 1e-6 * fastest * fastest);
    }
  }
}

static void test_jacobian(void** state) {
  (void)state;
  over_scenes(check_jacobian);
}

// Contact wrenches, moved to generalized coordinates by Jacobians at the points, are the constraint force (without
// limits).
static void check_contacts(const vvModel* m, const vvState* s, const vvReal* ctrl, vvRigidWork* work) {
  vvReal Jt[3 * 128], Jr[3 * 128];
  double sum[128] = {0}, scale = 1;
  (void)s;
  (void)ctrl;
  vvContactInfo c;
  for (int k = 0; k < work->ncontact; k++) {
    assert_int_equal(vv_query_contact(work, k, &c), VV_OK);
    assert_true(c.force[0] * c.normal[0] + c.force[1] * c.normal[1] + c.force[2] * c.normal[2] >= -1e-9);
    for (int side = 0; side < 2; side++) {
      int body = m->geom_body[side ? c.geom2 : c.geom1];
      vv_query_point_jacobian(m, work, body, c.point, Jt, Jr);
      for (int i = 0; i < 3; i++) {
        for (int d = 0; d < m->nv; d++) {
          double f = (double)(Jt[i * m->nv + d] * c.force[i] + Jr[i * m->nv + d] * c.torque[i]);
          sum[d] += side ? f : -f;
          scale = fmax(scale, fabs(f));
        }
      }
    }
  }
  assert_int_equal(vv_query_contact(work, work->ncontact, &c), VV_ERROR_ARGUMENT);
  for (int d = 0; d < m->nv && work->nlimit == 0; d++) {
    assert_true(fabs(sum[d] - (double)work->constraint[d]) < 1e-10 * scale);
  }
}

static void test_contacts(void** state) {
  (void)state;
  over_scenes(check_contacts);
}

// Momentum of a free body: M v starts with mass times the velocity of the center.
static void test_mass_and_pose(void** state) {
  (void)state;
  vvModel* m = vv_test_text(context,
                            "<mujoco><worldbody><body name='b' pos='1 2 3'><freejoint/>"
                            "<geom type='box' size='.1 .2 .3' mass='2' pos='.5 0 0'/><site pos='0 0 1'/>"
                            "</body></worldbody></mujoco>");
  vvRigidWork* work = NULL;
  assert_non_null(m);
  assert_int_equal(vv_rigid_work_create(context, m, &work), VV_OK);
  const vvReal r = (vvReal)sqrt(0.5), q[7] = {1, 2, 3, r, 0, 0, r}, v[6] = {1, 0, 0, 0, 0, 2};
  assert_int_equal(vv_rigid_evaluate(m, q, v, NULL, NULL, NULL, NULL, NULL, work), VV_OK);
  vvReal M[36], pos[3], quat[4], potential, kinetic;
  vv_query_mass_matrix(m, work, M);
  double momentum[3] = {0};
  for (int i = 0; i < 3; i++) {
    for (int d = 0; d < 6; d++) momentum[i] += (double)(M[6 * i + d] * v[d]);
  }
  // the center lies half a metre along world y, turning about z with 2 rad/s moves it with -1 m/s along x
  assert_near(momentum[0], 2 * (1 - 1), 1e-12);
  assert_near(momentum[1], 0, 1e-12);
  assert_int_equal(vv_query_site_pose(m, work, 0, pos, quat), VV_OK);
  assert_near(pos[2], 4, 1e-15);
  assert_int_equal(vv_query_geom_pose(m, work, 0, pos, NULL), VV_OK);
  assert_near(pos[1], 2.5, 1e-15);
  assert_int_equal(vv_query_body_pose(m, work, 1, NULL, quat), VV_OK);
  assert_near(quat[3], r, 1e-15);
  vv_query_energy(m, q, v, work, &potential, &kinetic);
  assert_near(potential, 2 * 9.81 * 3, 1e-14);
  assert_near(kinetic, 2 * (0.01 + 0.04) / 3 * 4 / 2, 1e-14);
  assert_int_equal(vv_query_body_pose(m, work, 2, pos, quat), VV_ERROR_ARGUMENT);
  assert_int_equal(vv_query_geom_pose(m, work, -1, pos, quat), VV_ERROR_ARGUMENT);
  assert_int_equal(vv_query_point_jacobian(m, work, 5, pos, M, NULL), VV_ERROR_ARGUMENT);
  vv_rigid_work_free(work);
  vv_model_free(context, m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_inverse), cmocka_unit_test(test_jacobian),
                                     cmocka_unit_test(test_contacts), cmocka_unit_test(test_mass_and_pose)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
