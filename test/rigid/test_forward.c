// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_forward.c: the rigid step held against its own residual kernels, against closed forms, and against what a step
// promises: same bits again, no allocation, clear statuses.

#include "vvtest.h"

#include <string.h>

#include "rigid/rigid_kernel.h"
#include "rigid/rigid_scenes.h"

enum { STATES = 12, MAX_NV = 64, MAX_BODY = 32 };

static vvContext* context;

static int setup(void** state) {
  (void)state;
  return vv_context_create(NULL, &context) == VV_OK ? 0 : -1;
}

static int teardown(void** state) {
  (void)state;
  size_t left = vv_context_memory(context).bytes;
  vv_context_destroy(context);
  return left == 0 ? 0 : -1;
}

// A scene with its state, controls and workspace.
typedef struct Case {
  vvModel* m;
  vvState* s;
  vvRigidWork* work;
  vvReal ctrl[MAX_NV];
} Case;

static void open_model(Case* c, vvModel* m) {
  memset(c, 0, sizeof *c);
  assert_non_null(m);
  assert_true(m->nv <= MAX_NV && m->nbody <= MAX_BODY && m->nu <= MAX_NV);
  c->m = m;
  assert_int_equal(vv_rigid_work_create(context, m, &c->work), VV_OK);
  assert_int_equal(vv_state_create(context, m, &c->s), VV_OK);
}

static void open_text(Case* c, const char* text) {
  open_model(c, vv_test_text(context, text));
}

static void close_case(Case* c) {
  vv_rigid_work_free(c->work);
  vv_state_free(context, c->s);
  vv_model_free(context, c->m);
}

static vvStatus evaluate(Case* c, const vvReal* warmstart) {
  return vv_rigid_evaluate(c->m, c->s->q, c->s->v, NULL, c->ctrl, NULL, NULL, warmstart, c->work);
}

static void steps(Case* c, int n) {
  for (int i = 0; i < n; i++) assert_int_equal(vv_rigid_step(c->m, c->s, c->ctrl, NULL, NULL, c->work), VV_OK);
}

static double largest(const vvReal* a, int n) {
  double r = 0;
  for (int i = 0; i < n; i++) r = fmax(r, fabs((double)a[i]));
  return r;
}

// Strong residual of the kernel at acceleration a; weak residual along w in *weak.
static void kernel_residual(const Case* c, const vvReal* a, const vvReal* w, vvReal* r, vvReal* weak) {
  vvReal V[6 * MAX_BODY], A[6 * MAX_BODY], G[6 * MAX_BODY], W[6 * MAX_BODY], force[6 * MAX_BODY];
  vvRigidMotion motion = {V, A, G, W};
  const vvRigidWork* k = c->work;
  vvRigidPose pose = {k->xpos, k->xquat, k->xmat, k->S};
  vv_rigid_residual(c->m, k->ref, &pose, c->s->v, a, k->tau, NULL, 0, k->contacts, k->ncontact, k->limits, k->nlimit,
                    c->s->q, &motion, force, r);
  *weak = vv_rigid_weak(c->m, k->ref, &pose, c->s->v, a, w, k->tau, NULL, 0, k->contacts, k->ncontact, k->limits,
                        k->nlimit, c->s->q, &motion);
}

// H p by central differences of the kernel's residual; true when it agrees with the factored H.
static bool same_curvature(Case* c, uint64_t* seed) {
  int n = c->m->nv;
  vvReal p[MAX_NV], Hp[MAX_NV], up[MAX_NV], down[MAX_NV], a[MAX_NV], back[MAX_NV], weak;
  vvReal e = (vvReal)(1e-6 * (1 + largest(c->work->a, n)));
  for (int i = 0; i < n; i++) p[i] = (vvReal)vv_test_uniform(seed);
  for (int i = 0; i < n; i++) a[i] = c->work->a[i] + e * p[i];
  kernel_residual(c, a, p, up, &weak);
  for (int i = 0; i < n; i++) a[i] = c->work->a[i] - e * p[i];
  kernel_residual(c, a, p, down, &weak);
  vv_rigid_apply_H(c->work, p, Hp);
  double worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs((double)((up[i] - down[i]) / (2 * e) - Hp[i])));
  assert_int_equal(vv_rigid_solve_H(c->work, Hp, back), VV_OK);
  for (int i = 0; i < n; i++) assert_near(back[i], p[i], 1e-8);
  return worst <= 1e-5 * largest(Hp, n);
}

static void test_residual_and_curvature(void** state) {
  (void)state;
  uint64_t seed = 5;
  int contacts = 0, limits = 0, same = 0, total = 0;
  for (int i = 0; vv_test_scenes[i]; i++) {
    Case c;
    open_model(&c, vv_test_scene(context, VV_ROOT, vv_test_scenes[i]));
    for (int k = 0; k < STATES; k++) {
      vvReal r[MAX_NV], w[MAX_NV], a[MAX_NV], weak, dot = 0;
      vv_test_state(c.m, k, c.work, c.s, c.ctrl);
      assert_int_equal(evaluate(&c, NULL), VV_OK);
      for (int d = 0; d < c.m->nv; d++) w[d] = (vvReal)vv_test_uniform(&seed);
      memcpy(a, c.work->a, sizeof(vvReal) * (size_t)c.m->nv);
      kernel_residual(&c, a, w, r, &weak);
      double size =
          1 + largest(c.work->tau, c.m->nv) + largest(c.work->bias, c.m->nv) + largest(c.work->constraint, c.m->nv);
      assert_true(largest(r, c.m->nv) <= 1e-11 * size);
      for (int d = 0; d < c.m->nv; d++) dot += w[d] * r[d];
      assert_true(fabs((double)(weak - dot)) <= 1e-10 * size);
      assert_int_equal(vv_rigid_relinearize(c.m, c.s->q, c.s->v, a, c.work->contacts, c.work->ncontact, c.work->limits,
                                            c.work->nlimit, c.work),
                       VV_OK);
      total++;
      same += same_curvature(&c, &seed);
      contacts += c.work->ncontact;
      limits += c.work->nlimit;
    }
    close_case(&c);
  }
  assert_true(contacts > 100 && limits > 5);
  assert_true(same >= 0.95 * total);
}

static void test_bias_of_kernel(void** state) {
  (void)state;
  for (int i = 0; vv_test_scenes[i]; i++) {
    Case c;
    open_model(&c, vv_test_scene(context, VV_ROOT, vv_test_scenes[i]));
    c.m->disable |= VV_DISABLE_CONSTRAINT;
    for (int k = 0; k < STATES; k += 2) {
      vvReal r[MAX_NV], zero[MAX_NV] = {0}, weak;
      vv_test_state(c.m, k, c.work, c.s, c.ctrl);
      assert_int_equal(evaluate(&c, NULL), VV_OK);
      assert_int_equal(c.work->ncontact + c.work->nlimit, 0);
      kernel_residual(&c, zero, zero, r, &weak);
      double size = largest(c.work->bias, c.m->nv) + largest(c.work->tau, c.m->nv);
      for (int d = 0; d < c.m->nv; d++) {
        assert_true(fabs((double)(r[d] - (c.work->bias[d] - c.work->tau[d]))) <= 1e-12 * size);
      }
    }
    close_case(&c);
  }
}

// A wrench at a body's origin and the same as generalized forces S' wrench give the same acceleration.
static void test_wrench(void** state) {
  (void)state;
  Case c;
  uint64_t seed = 9;
  open_model(&c, vv_test_scene(context, VV_ROOT, "joints"));
  vvReal wrench[6 * MAX_BODY] = {0}, r0[MAX_NV], force[6 * MAX_BODY], zero[MAX_NV] = {0}, a[MAX_NV];
  vvReal V[6 * MAX_BODY], A[6 * MAX_BODY], G[6 * MAX_BODY], W[6 * MAX_BODY], applied[MAX_NV];
  vvRigidMotion motion = {V, A, G, W};
  vv_test_state(c.m, 2, c.work, c.s, c.ctrl);
  for (int k = 0; k < 6 * c.m->nbody; k++) wrench[k] = (vvReal)(10 * vv_test_uniform(&seed));
  assert_int_equal(vv_rigid_evaluate(c.m, c.s->q, c.s->v, NULL, c.ctrl, NULL, wrench, NULL, c.work), VV_OK);
  memcpy(a, c.work->a, sizeof a[0] * (size_t)c.m->nv);
  vvRigidPose pose = {c.work->xpos, c.work->xquat, c.work->xmat, c.work->S};
  vv_rigid_residual(c.m, c.work->ref, &pose, zero, zero, zero, wrench, c.m->nbody, NULL, 0, NULL, 0, c.s->q, &motion,
                    force, applied);
  vv_rigid_residual(c.m, c.work->ref, &pose, zero, zero, zero, NULL, 0, NULL, 0, NULL, 0, c.s->q, &motion, force, r0);
  for (int d = 0; d < c.m->nv; d++) applied[d] = r0[d] - applied[d];
  assert_true(largest(applied, c.m->nv) > 1);
  assert_int_equal(vv_rigid_evaluate(c.m, c.s->q, c.s->v, NULL, c.ctrl, applied, NULL, NULL, c.work), VV_OK);
  for (int d = 0; d < c.m->nv; d++) assert_near(c.work->a[d], a[d], 1e-10);
  close_case(&c);
}

static void test_same_bits(void** state) {
  (void)state;
  for (int i = 0; vv_test_scenes[i]; i++) {
    Case c, d;
    open_model(&c, vv_test_scene(context, VV_ROOT, vv_test_scenes[i]));
    open_model(&d, vv_test_scene(context, VV_ROOT, vv_test_scenes[i]));
    vv_test_state(c.m, 1, c.work, c.s, c.ctrl);
    vv_state_copy(c.s, d.s);
    memcpy(d.ctrl, c.ctrl, sizeof d.ctrl);
    for (int k = 0; k < 50; k++) {
      steps(&c, 1);
      vvReal x[MAX_NV];
      assert_int_equal(vv_rigid_evaluate(d.m, d.s->q, d.s->v, NULL, d.ctrl, NULL, NULL, d.s->warmstart, d.work), VV_OK);
      vv_rigid_advance(d.m, d.s, d.work);
      assert_true(c.work->signature == d.work->signature);
      // what a reverse sweep does in between leaves no trace
      vv_rigid_solve_damped(d.work, d.work->a, x);
      vv_rigid_relinearize(d.m, d.s->q, d.s->v, d.work->a, d.work->contacts, d.work->ncontact, d.work->limits,
                           d.work->nlimit, d.work);
      vv_rigid_solve_H(d.work, d.work->a, x);
      assert_memory_equal(c.s->block, d.s->block, sizeof(vvReal) * c.s->size);
    }
    close_case(&c);
    close_case(&d);
  }
}

static void test_start_does_not_matter(void** state) {
  (void)state;
  uint64_t seed = 11;
  for (int i = 0; vv_test_scenes[i]; i++) {
    Case c;
    open_model(&c, vv_test_scene(context, VV_ROOT, vv_test_scenes[i]));
    for (int k = 0; k < STATES; k++) {
      vvReal a[MAX_NV], start[MAX_NV];
      vv_test_state(c.m, k, c.work, c.s, c.ctrl);
      assert_int_equal(evaluate(&c, NULL), VV_OK);
      memcpy(a, c.work->a, sizeof a[0] * (size_t)c.m->nv);
      for (int d = 0; d < c.m->nv; d++) start[d] = a[d] + (vvReal)(100 * vv_test_uniform(&seed));
      assert_int_equal(evaluate(&c, start), VV_OK);
      double size = 10 + largest(a, c.m->nv);
      for (int d = 0; d < c.m->nv; d++) assert_true(fabs((double)(c.work->a[d] - a[d])) <= 1e-9 * size);
    }
    close_case(&c);
  }
}

static void test_no_allocation(void** state) {
  (void)state;
  Case c;
  open_model(&c, vv_test_scene(context, VV_ROOT, "cube"));
  vv_test_state(c.m, 2, c.work, c.s, c.ctrl);
  size_t before = vv_context_memory(context).ncall;
  steps(&c, 10000);
  assert_int_equal(vv_context_memory(context).ncall, before);
  close_case(&c);
}

// ---- closed forms --------------------------------------------------------------------------------------------------

#define SCENE(option, body)                                              \
  "<mujoco><option timestep='0.001' " option                             \
  "/><worldbody><geom type='plane' size='5 5 1' name='floor' condim='1'" \
  " friction='0.5 0.005 0.0001'/>" body "</worldbody></mujoco>"

static void test_free_fall(void** state) {
  (void)state;
  Case c;
  open_text(&c, SCENE("", "<body pos='0 0 9'><freejoint/><geom type='sphere' size='.1'/></body>"));
  steps(&c, 100);
  assert_near(c.s->v[2], -9.81 * 0.1, 1e-13);
  assert_near(c.s->q[2], 9 - 9.81 * 1e-6 * 5050, 1e-13);
  assert_near(c.s->time[0], 0.1, 1e-13);
  close_case(&c);
}

static void test_symmetric_top(void** state) {
  (void)state;
  Case c;
  open_text(&c, SCENE("gravity='0 0 0'",
                      "<body pos='0 0 9'><freejoint/><inertial pos='0 0 0' mass='1'"
                      " diaginertia='2 2 3'/></body>"));
  c.s->v[3] = 1;
  c.s->v[5] = 2;
  steps(&c, 1);
  // Euler's equations: I1 w1' = (I2 - I3) w2 w3, I2 w2' = (I3 - I1) w3 w1
  assert_near(c.work->a[3], 0, 1e-14);
  assert_near(c.work->a[4], -0.5 * 2 * 1 * -1, 1e-14);
  assert_near(c.work->a[5], 0, 1e-14);
  close_case(&c);
}

// At rest a contact carries the weight; the friction of a fast slide is mu times the normal force, against the
// velocity.
static void test_friction(void** state) {
  (void)state;
  static const char* const scenes[] = {
      SCENE("cone='pyramidal'",
            "<body pos='0 0 .1'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
            "<joint type='slide'/><geom type='sphere' size='.1' condim='3' friction='.5'/></body>"),
      SCENE("cone='elliptic'",
            "<body pos='0 0 .1'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
            "<joint type='slide'/><geom type='sphere' size='.1' condim='3' friction='.5'/></body>")};
  for (int i = 0; i < 2; i++) {
    Case c;
    open_text(&c, scenes[i]);
    steps(&c, 800);
    assert_near(c.work->a[2], 0, 1e-8);
    assert_near(c.work->constraint[2], 9.81 * (double)c.m->body_inertia10[10], 1e-8);
    c.s->v[0] = i == 0 ? 0 : 3;
    c.s->v[1] = 4;
    steps(&c, 1);
    double normal = (double)c.work->constraint[2];
    assert_true(normal > 1);
    assert_near(c.work->constraint[0], i == 0 ? 0 : -0.5 * normal * 0.6, 1e-8);
    assert_near(c.work->constraint[1], i == 0 ? -0.5 * normal : -0.5 * normal * 0.8, 1e-8);
    close_case(&c);
  }
}

static void test_damping_is_implicit(void** state) {
  (void)state;
  Case c;
  open_text(&c, SCENE("gravity='0 0 0'",
                      "<body pos='0 0 9'><joint type='slide' damping='500'/>"
                      "<geom type='sphere' size='.1' mass='2'/></body>"));
  c.s->v[0] = 1;
  steps(&c, 3);
  assert_near(c.s->v[0], pow(1 / (1 + 1e-3 * 500 / 2), 3), 1e-14);
  assert_int_equal(c.work->damped, 1);
  c.m->disable |= VV_DISABLE_EULERDAMP;
  c.s->v[0] = 1;
  steps(&c, 3);
  assert_near(c.s->v[0], pow(1 - 1e-3 * 500 / 2, 3), 1e-14);
  assert_int_equal(c.work->damped, 0);
  close_case(&c);
}

static void test_limit(void** state) {
  (void)state;
  Case c;
  open_text(&c, SCENE("",
                      "<body pos='0 0 1'><joint type='slide' range='-.2 .3' limited='true'/>"
                      "<geom type='sphere' size='.1' mass='2'/></body>"));
  steps(&c, 3000);
  assert_int_equal(c.work->nlimit, 1);
  assert_int_equal(c.work->limits[0].side, 0);
  assert_near(c.work->constraint[0], 2 * 9.81, 1e-8);
  assert_true(c.s->q[0] < -0.2 && c.s->q[0] > -0.21);
  close_case(&c);
}

static void test_signature(void** state) {
  (void)state;
  Case c;
  open_text(&c,
            "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1'><joint name='j' type='slide'/>"
            "<geom type='sphere' size='.1'/></body></worldbody><actuator><motor joint='j' ctrlrange='-1 1'/></actuator>"
            "</mujoco>");
  evaluate(&c, NULL);
  uint64_t touching = c.work->signature;
  c.ctrl[0] = (vvReal)0.5;
  evaluate(&c, NULL);
  assert_true(c.work->signature == touching);
  c.ctrl[0] = 2;
  evaluate(&c, NULL);
  assert_true(c.work->signature != touching);
  uint64_t clamped = c.work->signature;
  c.ctrl[0] = -2;
  evaluate(&c, NULL);
  assert_true(c.work->signature != clamped && c.work->signature != touching);
  c.ctrl[0] = 0;
  c.s->q[0] = (vvReal)-0.01;
  evaluate(&c, NULL);
  assert_true(c.work->signature != touching);
  close_case(&c);
}

// ---- trouble -------------------------------------------------------------------------------------------------------

static void test_not_finite(void** state) {
  (void)state;
  Case c;
  open_model(&c, vv_test_scene(context, VV_ROOT, "joints"));
  const vvReal bad[3] = {(vvReal)NAN, (vvReal)INFINITY, -(vvReal)INFINITY};
  for (int i = 0; i < 3; i++) {
    vvReal* const place[3] = {&c.s->q[3], &c.s->v[2], &c.ctrl[0]};
    static const char* const name[3] = {"qpos[3]", "qvel[2]", "ctrl[0]"};
    for (int k = 0; k < 3; k++) {
      vvReal good = *place[k];
      *place[k] = bad[i];
      vvReal before = c.s->time[0];
      assert_int_equal(vv_rigid_step(c.m, c.s, c.ctrl, NULL, NULL, c.work), VV_ERROR_NOT_FINITE);
      assert_non_null(strstr(c.work->report.message, name[k]));
      assert_true(c.s->time[0] == before);
      *place[k] = good;
    }
  }
  c.s->v[0] = (vvReal)1e200;
  c.s->v[1] = (vvReal)1e200;
  c.s->v[4] = (vvReal)-1e200;
  assert_int_equal(vv_rigid_step(c.m, c.s, c.ctrl, NULL, NULL, c.work), VV_ERROR_NOT_FINITE);
  close_case(&c);
}

static void test_capacity(void** state) {
  (void)state;
  Case c;
  open_model(&c, vv_test_scene(context, VV_ROOT, "pairs_pyramidal"));
  vv_test_state(c.m, 1, c.work, c.s, c.ctrl);
  assert_int_equal(evaluate(&c, NULL), VV_OK);
  int n = c.work->ncontact, room = c.work->ncontact_max;
  assert_true(n > 1);
  c.work->ncontact_max = n - 1;
  assert_int_equal(evaluate(&c, NULL), VV_ERROR_CAPACITY);
  c.work->ncontact_max = room;
  assert_int_equal(evaluate(&c, NULL), VV_OK);
  close_case(&c);
}

static void test_singular(void** state) {
  (void)state;
  Case c;
  open_text(&c, SCENE("", "<body pos='0 0 9'><freejoint/><geom type='sphere' size='.1'/></body>"));
  for (int k = 0; k < 10; k++) c.m->body_inertia10[10 + k] = 0;
  assert_int_equal(evaluate(&c, NULL), VV_ERROR_SINGULAR);
  close_case(&c);
}

static void test_other_model(void** state) {
  (void)state;
  Case c, d;
  open_model(&c, vv_test_scene(context, VV_ROOT, "cube"));
  open_model(&d, vv_test_scene(context, VV_ROOT, "joints"));
  assert_int_equal(vv_rigid_step(c.m, c.s, NULL, NULL, NULL, d.work), VV_ERROR_ARGUMENT);
  close_case(&c);
  close_case(&d);
}

static void test_coincident_spheres(void** state) {
  (void)state;
  Case c;
  open_text(&c,
            "<mujoco><option gravity='0 0 0' timestep='.002'/><worldbody>"
            "<body><freejoint/><geom type='sphere' size='.1' mass='1'/></body>"
            "<body pos='0 0 0'><freejoint/><geom type='sphere' size='.1' mass='1'/></body></worldbody></mujoco>");
  for (int k = 0; k < 2; k++) {
    vv_state_reset(c.m, c.s);
    c.s->q[7] = (vvReal)(1e-9 * k);
    steps(&c, 1);
    assert_true(isfinite((double)c.s->v[0]) && c.s->v[6] > 0);
    assert_near(c.s->v[0], -c.s->v[6], 1e-12);
    assert_near(c.s->v[1], 0, 1e-12);
  }
  close_case(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_residual_and_curvature),
      cmocka_unit_test(test_bias_of_kernel),
      cmocka_unit_test(test_wrench),
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_start_does_not_matter),
      cmocka_unit_test(test_no_allocation),
      cmocka_unit_test(test_free_fall),
      cmocka_unit_test(test_symmetric_top),
      cmocka_unit_test(test_friction),
      cmocka_unit_test(test_damping_is_implicit),
      cmocka_unit_test(test_limit),
      cmocka_unit_test(test_signature),
      cmocka_unit_test(test_not_finite),
      cmocka_unit_test(test_capacity),
      cmocka_unit_test(test_singular),
      cmocka_unit_test(test_other_model),
      cmocka_unit_test(test_coincident_spheres),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
