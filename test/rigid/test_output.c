// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_output.c: names of state quantities, sensors against rates of each other, energies, contact forces.

#include "vvtest.h"

#include <stdio.h>
#include <string.h>

#include "rigid/rigid_scenes.h"

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

// A tree with every joint type and frames of every kind, no damping, no contact.
static const char* const tree =
    "<mujoco><option timestep='0.001' gravity='.3 -.2 -9.7'><flag contact='disable'/></option><worldbody>"
    "<site name='post' pos='.3 -.2 .5' euler='10 20 30'/><body name='a b' pos='0 0 1'>"
    "<joint name='f' type='free' stiffness='2' armature='.1'/><geom name='hull' type='box' size='.1 .2 .3' euler='3 4 "
    "5'/>"
    "<body name='arm' pos='.3 .1 0' euler='20 0 10'><joint name='j' axis='1 1 0' pos='.1 0 0' stiffness='3'/>"
    "<joint name='s' type='slide' axis='0 1 1' stiffness='40' springref='.1'/>"
    "<inertial pos='.1 .05 0' euler='20 30 10' mass='1' diaginertia='.02 .03 .04'/><site name='tip' pos='.2 .1 .3'/>"
    "<body pos='.2 0 .1'><joint name='ball' type='ball' stiffness='4' pos='0 .1 0'/><geom size='.1 .2' type='capsule'/>"
    "<geom name='knob' size='.05' pos='.1 .2 .1'/></body></body></body></worldbody><sensor>"
    "<framepos name='p' objtype='site' objname='tip' reftype='geom' refname='hull'/>"
    "<framelinvel name='v' objtype='site' objname='tip' reftype='geom' refname='hull'/>"
    "<framequat name='Q' objtype='body' objname='arm' reftype='xbody' refname='a b'/>"
    "<frameangvel name='o' objtype='body' objname='arm' reftype='xbody' refname='a b'/>"
    "<framepos name='pw' objtype='body' objname='arm'/><framelinvel name='vw' objtype='body' objname='arm'/>"
    "<framelinacc name='aw' objtype='body' objname='arm'/><frameangvel name='ow' objtype='geom' objname='knob'/>"
    "<frameangacc name='dow' objtype='geom' objname='knob'/><jointpos name='jp' joint='j' cutoff='.05'/>"
    "<framelinacc name='still' objtype='site' objname='post'/><framezaxis name='z' objtype='geom' objname='knob'/>"
    "<ballquat name='bq' joint='ball'/><ballangvel name='bv' joint='ball'/><subtreecom name='sc' body='arm'/>"
    "<subtreelinvel name='sv' body='arm'/></sensor></mujoco>";

typedef struct Fixture {
  vvModel* m;
  vvRigidWork* work;
  vvState* s;
} Fixture;

static Fixture fixture_create(vvModel* m) {
  Fixture f = {m, NULL, NULL};
  assert_non_null(m);
  assert_int_equal(vv_rigid_work_create(context, m, &f.work), VV_OK);
  assert_int_equal(vv_state_create(context, m, &f.s), VV_OK);
  return f;
}

static void fixture_free(Fixture* f) {
  vv_rigid_work_free(f->work);
  vv_state_free(context, f->s);
  vv_model_free(context, f->m);
}

// Value of a quantity at q, v; its number of components is returned.
static int value_at(Fixture* f, const char* name, const vvReal* q, const vvReal* v, vvReal* out) {
  vvOutputItem item;
  vvReport report;
  vv_report_clear(&report);
  if (vv_output_find(f->m, name, &item, &report) != VV_OK) {
    print_error("%s\n", report.message);
    fail();
  }
  assert_int_equal(vv_rigid_evaluate(f->m, q, v, NULL, NULL, NULL, NULL, NULL, f->work), VV_OK);
  vv_output_evaluate(f->m, q, v, NULL, NULL, &item, 1, f->work, out);
  return item.dim;
}

// d/dt of a quantity along the motion with velocity v and acceleration a, fourth order.
static void rate_of(Fixture* f, const char* name, const vvReal* a, vvReal* rate) {
  static const double weight[2] = {2.0 / 3, -1.0 / 12};
  vvReal dq[64], v1[64], q1[64], out[8];
  double h = 1e-3;
  memset(rate, 0, 8 * sizeof(vvReal));
  for (int k = 1; k <= 2; k++) {
    for (int side = -1; side <= 1; side += 2) {
      double t = side * k * h;
      for (int d = 0; d < f->m->nv; d++) {
        dq[d] = t * f->s->v[d] + t * t / 2 * a[d];
        v1[d] = f->s->v[d] + t * a[d];
      }
      vv_q_retract(f->m, f->s->q, dq, q1);
      int dim = value_at(f, name, q1, v1, out);
      for (int i = 0; i < dim; i++) rate[i] += side * weight[k - 1] / h * out[i];
    }
  }
}

// 2 vec(Q* dQ/dt), body axes, or 2 vec(dQ/dt Q*), the other frame's.
static void spin(const vvReal* Q, const vvReal* rate, int outer, vvReal* o) {
  vvQuat q = vv_quat_load(Q, 0), r = vv_quat_load(rate, 0);
  vvQuat p = outer ? vv_quat_mul(r, vv_quat_conj(q)) : vv_quat_mul(vv_quat_conj(q), r);
  vv_vec3_store(o, 0, vv_vec3(2 * p.x, 2 * p.y, 2 * p.z));
}

static void assert_vectors(const char* what, const vvReal* a, const vvReal* b, int n, double tolerance) {
  for (int i = 0; i < n; i++) {
    if (!(fabs((double)(a[i] - b[i])) <= tolerance * (1 + fabs((double)b[i])))) {
      print_error("%s[%d]: %.12g is not %.12g\n", what, i, (double)a[i], (double)b[i]);
      fail();
    }
  }
}

static void test_rates(void** state) {
  (void)state;
  Fixture f = fixture_create(vv_test_text(context, tree));
  vvReal ctrl[1], a[64], rate[8], value[8], o[3];
  for (int k = 0; k < 6; k += 2) {
    vv_test_state(f.m, k, f.work, f.s, ctrl);
    value_at(&f, "sensor/aw", f.s->q, f.s->v, value);
    memcpy(a, f.work->a, sizeof(vvReal) * (size_t)f.m->nv);
    rate_of(&f, "sensor/vw", a, rate);
    for (int i = 0; i < 3; i++) rate[i] -= f.m->opt_gravity[i];
    assert_vectors("linacc", value, rate, 3, 1e-7);
    static const char* const pairs[][2] = {{"sensor/p", "sensor/v"},
                                           {"sensor/pw", "sensor/vw"},
                                           {"sensor/ow", "sensor/dow"},
                                           {"sensor/sc", "sensor/sv"},
                                           {"body/a%20b/pos", "body/a%20b/linvel"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
      rate_of(&f, pairs[i][0], a, rate);
      value_at(&f, pairs[i][1], f.s->q, f.s->v, value);
      assert_vectors(pairs[i][1], value, rate, 3, 1e-7);
    }
    rate_of(&f, "body/arm/quat", a, rate);
    value_at(&f, "body/arm/quat", f.s->q, f.s->v, value);
    spin(value, rate, 0, o);
    value_at(&f, "body/arm/angvel", f.s->q, f.s->v, value);
    assert_vectors("angvel", value, o, 3, 1e-8);
    rate_of(&f, "sensor/Q", a, rate);
    value_at(&f, "sensor/Q", f.s->q, f.s->v, value);
    spin(value, rate, 1, o);
    value_at(&f, "sensor/o", f.s->q, f.s->v, value);
    assert_vectors("relative angvel", value, o, 3, 1e-8);
    assert_int_equal(value_at(&f, "sensor/still", f.s->q, f.s->v, value), 3);
    for (int i = 0; i < 3; i++) assert_true(value[i] == -f.m->opt_gravity[i]);  // as MuJoCo 4.0.0 has it
  }
  fixture_free(&f);
}

// Without damping, contact and control the energy does not change along the motion.
static void test_energy(void** state) {
  (void)state;
  Fixture f = fixture_create(vv_test_text(context, tree));
  vvReal ctrl[1], a[64], potential[8], kinetic[8], value[8];
  for (int k = 0; k < 6; k += 2) {
    vv_test_state(f.m, k, f.work, f.s, ctrl);
    value_at(&f, "energy/kinetic", f.s->q, f.s->v, value);
    memcpy(a, f.work->a, sizeof(vvReal) * (size_t)f.m->nv);
    double sum = 0;
    vvReal Mv[64];
    vv_rigid_mul_mass(f.work, f.s->v, Mv);
    for (int i = 0; i < f.m->nv; i++) sum += f.s->v[i] * Mv[i] / 2;
    assert_near(value[0], sum, 1e-12);
    rate_of(&f, "energy/potential", a, potential);
    rate_of(&f, "energy/kinetic", a, kinetic);
    assert_true(fabs(kinetic[0]) > 1);
    assert_near(kinetic[0] + potential[0], 0, 1e-7 * fabs(kinetic[0]));
  }
  fixture_free(&f);
}

static void test_components(void** state) {
  (void)state;
  Fixture f = fixture_create(vv_test_text(context, tree));
  vvReal ctrl[1], whole[8], one[8];
  vv_test_state(f.m, 2, f.work, f.s, ctrl);
  static const char* const names[] = {"body/arm/pos", "joint/f/pos", "joint/f/vel", "joint/ball/pos", "sensor/bq"};
  static const int dims[] = {3, 7, 6, 4, 4};
  for (size_t k = 0; k < 5; k++) {
    assert_int_equal(value_at(&f, names[k], f.s->q, f.s->v, whole), dims[k]);
    for (int i = 0; i < dims[k]; i++) {
      char name[64];
      snprintf(name, sizeof name, "%s/%d", names[k], i);
      assert_int_equal(value_at(&f, name, f.s->q, f.s->v, one), 1);
      assert_true(one[0] == whole[i]);
    }
  }
  assert_int_equal(value_at(&f, "qpos[8]", f.s->q, f.s->v, one), 1);
  assert_true(one[0] == f.s->q[8]);
  assert_int_equal(value_at(&f, "sensor/bq[2]", f.s->q, f.s->v, one), 1);
  assert_true(one[0] == whole[2]);
  // a cutoff clamps
  f.s->q[f.m->jnt_q[1]] = (vvReal)0.3;
  value_at(&f, "sensor/jp", f.s->q, f.s->v, one);
  assert_near(one[0], 0.05, 0);
  value_at(&f, "joint/j/pos", f.s->q, f.s->v, one);
  assert_near(one[0], 0.3, 0);
  fixture_free(&f);
}

static void test_names(void** state) {
  (void)state;
  vvModel* m = vv_test_scene(context, VV_ROOT, "creature");
  assert_non_null(m);
  int n = vv_output_count(m);
  assert_true(n > 50);
  for (int i = 0; i < n; i++) {
    char name[128];
    vvOutputItem item;
    vvReport report;
    vv_report_clear(&report);
    assert_true(vv_output_name(m, i, name, sizeof name));
    if (vv_output_find(m, name, &item, &report) != VV_OK) {
      print_error("%s\n", report.message);
      fail();
    }
    assert_true(!vv_output_name(m, i, name, 5));
  }
  assert_true(!vv_output_name(m, n, (char[8]){0}, 8));
  vv_model_free(context, m);
}

static void test_refusals(void** state) {
  (void)state;
  vvModel* m = vv_test_text(context, tree);
  static const struct {
    const char *name, *message;
  } cases[] = {{"", "has a name"},
               {"body", "no state quantity"},
               {"body/none/pos", "no body \"none\""},
               {"body/arm/mass", "pos, quat, linvel and angvel"},
               {"body/arm/pos/3", "0..2"},
               {"body/arm/pos/-1", "no state quantity"},
               {"body/arm/pos/1/1", "no state quantity"},
               {"body//pos", "empty"},
               {"a/b/c/d/e/f", "too many"},
               {"joint/f/pos/7", "0..6"},
               {"joint/j/acc", "pos and vel"},
               {"site/tip/vel", "pos"},
               {"contact/hull/knob/force", "never touch"},
               {"contact/hull/none/force", "no geom \"none\""},
               {"energy/total", "potential and kinetic"},
               {"qpos[99]", "0..12"},
               {"qpos[x]", "whole number"},
               {"qpos", "0..12"},
               {"actuator/none/force", "no actuator"},
               {"body/#9/pos", "no body"},
               {"body/arm/pos/99999999999999999999", "no state quantity"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    vvOutputItem item;
    vvReport report;
    vv_report_clear(&report);
    vvStatus status = vv_output_find(m, cases[k].name, &item, &report);
    if (status != VV_ERROR_ARGUMENT || strstr(report.message, cases[k].message) == NULL) {
      print_error("%s: \"%s\" does not say \"%s\"\n", cases[k].name, report.message, cases[k].message);
      fail();
    }
  }
  vv_model_free(context, m);
  // principal axes of a full tensor have no derivative
  m = vv_test_text(context,
                   "<mujoco><worldbody><body name='b'><freejoint/><geom size='.1'/><geom size='.1' pos='1 0 0'/>"
                   "</body></worldbody><sensor><framequat objtype='body' objname='b'/>"
                   "<framepos objtype='body' objname='b'/></sensor></mujoco>");
  vvOutputItem items[2];
  vvReport report;
  vv_report_clear(&report);
  assert_int_equal(vv_output_sensors(m, items, &report), VV_ERROR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "sensor #0"));
  assert_int_equal(vv_output_find(m, "sensor/#1", items, &report), VV_OK);
  vv_model_free(context, m);
}

// Random texts are refused or give an item inside the vector.
static void test_random_names(void** state) {
  (void)state;
  static const char* const parts[] = {"body", "joint", "sensor", "contact", "energy", "qpos", "qvel", "site",
                                      "/",    "/",     "/",      "pos",     "force",  "#1",   "arm",  "tip",
                                      "f",    "[",     "]",      "0",       "7",      "%2",   "%20",  "%00",
                                      "-",    "hull",  "knob",   "*",       "quat",   "9"};
  vvModel* m = vv_test_text(context, tree);
  uint64_t seed = 4;
  int found = 0;
  for (int k = 0; k < 20000; k++) {
    char name[256] = "";
    int n = (int)(3.5 + 2.5 * vv_test_uniform(&seed));
    for (int i = 0; i < n; i++) {
      if (i > 0 && vv_test_uniform(&seed) < 0.8) strcat(name, "/");
      strcat(name, parts[(int)(15 + 15 * vv_test_uniform(&seed)) % 30]);
    }
    vvOutputItem item;
    if (vv_output_find(m, name, &item, NULL) != VV_OK) continue;
    found++;
    assert_in_range(item.dim, 1, 7);
    assert_in_range(item.first + item.dim, 1, 7);
  }
  assert_true(found > 0);
  vv_model_free(context, m);
}

// A box at rest presses with its weight; the names' order decides the sign.
static void test_weight(void** state) {
  (void)state;
  Fixture f = fixture_create(
      vv_test_text(context,
                   "<mujoco><option timestep='.002'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
                   "<body name='b' pos='0 0 .1'><freejoint/><geom name='box' type='box' size='.1 .1 .1' mass='2'/>"
                   "<site name='box' size='.2'/></body><body pos='1 0 1'><geom pos='.2 0 0' size='.05' mass='3'/>"
                   "<site name='post'/></body></worldbody><sensor><touch name='touch' site='box'/>"
                   "<force name='own' site='box'/><accelerometer name='acc' site='box'/><force name='F' site='post'/>"
                   "<torque name='T' site='post'/></sensor></mujoco>"));
  for (int k = 0; k < 2000; k++) assert_int_equal(vv_rigid_step(f.m, f.s, NULL, NULL, NULL, f.work), VV_OK);
  vvReal force[8], back[8];
  value_at(&f, "contact/floor/box/force", f.s->q, f.s->v, force);
  value_at(&f, "contact/box/floor/force", f.s->q, f.s->v, back);
  assert_near(force[2], 2 * 9.81, 1e-6);
  assert_near(force[0], 0, 1e-6);
  for (int i = 0; i < 3; i++) assert_true(force[i] == -back[i]);
  static const struct {
    const char* name;
    double value[3];
  } expected[] = {{"sensor/touch", {2 * 9.81, 0, 0}},
                  {"sensor/own", {0, 0, 0}},  // the floor bears the box, not a joint
                  {"sensor/acc", {0, 0, 9.81}},
                  {"sensor/F", {0, 0, 3 * 9.81}},
                  {"sensor/T", {0, -0.2 * 3 * 9.81, 0}}};
  for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
    int n = value_at(&f, expected[k].name, f.s->q, f.s->v, force);
    for (int i = 0; i < n; i++) assert_near(force[i], expected[k].value[i], 1e-5);
  }
  fixture_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rates),      cmocka_unit_test(test_energy),
                                     cmocka_unit_test(test_components), cmocka_unit_test(test_names),
                                     cmocka_unit_test(test_refusals),   cmocka_unit_test(test_random_names),
                                     cmocka_unit_test(test_weight)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
