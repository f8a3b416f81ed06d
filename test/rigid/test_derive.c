// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_derive.c: derived numbers against MuJoCo's for a scene with every way to state them, closed forms, what a model
// must not be.
// float: checked

#include "vvtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rigid/derive_expected.h"

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

// Compiles the bodies given as MJCF; NULL with the message in report.
static vvModel* compiled(const char* body, const char* compiler, vvReport* report) {
  char text[4096];
  vvSpec* spec = NULL;
  vvModel* m = NULL;
  snprintf(text, sizeof text, "<mujoco><compiler %s/><worldbody>%s</worldbody></mujoco>", compiler, body);
  vv_report_clear(report);
  if (vv_spec_read_text(context, text, strlen(text), "test.xml", &spec, report) != VV_OK) return NULL;
  vvStatus status = vv_compile(context, spec, &m, report);
  vv_spec_free(spec);
  return status == VV_OK ? m : NULL;
}

static void assert_array(const char* name, const vvReal* a, const double* b, size_t n, double tolerance) {
  double scale = 1e-3;
  for (size_t i = 0; i < n; i++) scale = fmax(scale, fabs(b[i]));
  for (size_t i = 0; i < n; i++) {
    if (!(fabs((double)a[i] - b[i]) <= tolerance * scale)) {
      print_error("%s[%d] is %.17g, not %.17g\n", name, (int)i, (double)a[i], b[i]);
      fail();
    }
  }
}

// The same up to the sign of each quaternion.
static void assert_quats(const char* name, const vvReal* a, const double* b, size_t n, double tolerance) {
  for (size_t i = 0; i < n; i += 4) {
    double dot = 0, turned[4];
    for (size_t k = 0; k < 4; k++) dot += (double)a[i + k] * b[i + k];
    for (size_t k = 0; k < 4; k++) turned[k] = dot < 0 ? -b[i + k] : b[i + k];
    assert_array(name, a + i, turned, 4, tolerance);
  }
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void test_as_mujoco(void** state) {
  (void)state;
  vvModel* m = NULL;
  vvReport report;
  vv_report_clear(&report);
  if (vv_model_load_file(context, VV_ROOT "/test/rigid/derive.xml", &m, &report) != VV_OK) {
    print_error("%s\n", report.message);
    fail();
  }
  double t = 1e3 * VV_EPSILON;
  assert_int_equal(COUNT(expected_dof_invweight), m->nv);
  assert_int_equal(COUNT(expected_body_lpos), 3 * m->nbody);
  assert_array("body_lpos", m->body_lpos, expected_body_lpos, COUNT(expected_body_lpos), t);
  assert_quats("body_lquat", m->body_lquat, expected_body_lquat, COUNT(expected_body_lquat), t);
  assert_array("jnt_lpos", m->jnt_lpos, expected_jnt_lpos, COUNT(expected_jnt_lpos), t);
  assert_array("jnt_laxis", m->jnt_laxis, expected_jnt_laxis, COUNT(expected_jnt_laxis), t);
  assert_array("geom_lpos", m->geom_lpos, expected_geom_lpos, COUNT(expected_geom_lpos), t);
  assert_quats("geom_lquat", m->geom_lquat, expected_geom_lquat, COUNT(expected_geom_lquat), t);
  assert_array("site_lpos", m->site_lpos, expected_site_lpos, COUNT(expected_site_lpos), t);
  assert_quats("site_lquat", m->site_lquat, expected_site_lquat, COUNT(expected_site_lquat), t);
  assert_array("qpos0", m->qpos0, expected_qpos0, COUNT(expected_qpos0), t);
  assert_array("qpos_spring", m->qpos_spring, expected_qpos_spring, COUNT(expected_qpos_spring), t);
  // MuJoCo's shell of an ellipsoid is a difference of two solids 1e-6 apart; it loses six digits
  double rough = sizeof(vvReal) == sizeof(float) ? 0.2 : 1e-8;
  for (int i = 0; i < m->nbody; i++) {
    assert_array("body_inertia10", m->body_inertia10 + 10 * i, expected_body_inertia10 + 10 * i, 10, rough);
  }
  assert_array("body_invweight", m->body_invweight, expected_body_invweight, COUNT(expected_body_invweight), rough);
  assert_array("dof_invweight", m->dof_invweight, expected_dof_invweight, COUNT(expected_dof_invweight), rough);
  for (int g = 0; g < m->ngeom; g++) {
    int n = m->geom_type[g] == VV_GEOM_SPHERE ? 1 : m->geom_type[g] < VV_GEOM_ELLIPSOID ? 2 : 3;
    if (m->geom_type[g] == VV_GEOM_CYLINDER) n = 2;
    assert_array("geom_dim", m->geom_dim + 3 * g, expected_geom_dim + 3 * g, (size_t)n, t);
  }
  vv_model_free(context, m);
}

// A box of 2 kg on a free joint: invweights are 1/m and the mean of 1/I.
static void test_free_box(void** state) {
  (void)state;
  vvReport report;
  vvModel* m = compiled("<body><freejoint/><geom type='box' size='.1 .2 .3' mass='2'/></body>", "", &report);
  assert_non_null(m);
  double I[3] = {2 * 0.13 / 3, 2 * 0.10 / 3, 2 * 0.05 / 3};
  double mean = (1 / I[0] + 1 / I[1] + 1 / I[2]) / 3;
  assert_near(m->body_inertia10[10], 2, 4 * VV_EPSILON);
  for (int k = 0; k < 3; k++) {
    assert_near(m->body_inertia10[14 + k], I[k], 8 * VV_EPSILON);
    assert_near(m->dof_invweight[k], 0.5, 8 * VV_EPSILON);
    assert_near(m->dof_invweight[3 + k], mean, 16 * VV_EPSILON);
  }
  assert_near(m->body_invweight[2], 0.5, 8 * VV_EPSILON);
  assert_near(m->body_invweight[3], mean, 16 * VV_EPSILON);
  assert_near(m->body_invweight[0], 0, 0);
  vv_model_free(context, m);
}

// A segment along -z of its frame is turned half about x.
static void test_segment_down(void** state) {
  (void)state;
  vvReport report;
  vvModel* m = compiled(
      "<geom type='capsule' size='.1' fromto='0 0 0 0 0 1'/>"
      "<geom type='capsule' size='.1' fromto='0 0 1 0 0 0'/>",
      "", &report);
  assert_non_null(m);
  const double down[4] = {0, 1, 0, 0}, up[4] = {1, 0, 0, 0};
  assert_array("geom_lquat", m->geom_lquat, down, 4, VV_EPSILON);
  assert_array("geom_lquat", m->geom_lquat + 4, up, 4, VV_EPSILON);
  assert_near(m->geom_dim[1], 0.5, VV_EPSILON);
  assert_near(m->geom_lpos[2], 0.5, VV_EPSILON);
  vv_model_free(context, m);
}

// Deriving again changes no bit, and depends on primary numbers only.
static void test_again(void** state) {
  (void)state;
  vvReport report;
  vvModel* m = NULL;
  vv_report_clear(&report);
  assert_int_equal(vv_model_load_file(context, VV_ROOT "/test/rigid/derive.xml", &m, &report), VV_OK);
  size_t begin = m->section_begin[VV_SECTION_DERIVED], n = m->section_begin[VV_SECTION_BULK] - begin;
  vvReal* before = VV_NEW(context, vvReal, n);
  memcpy(before, m->reals + begin, n * sizeof(vvReal));
  memset(m->reals + begin, 0x41, n * sizeof(vvReal));
  assert_int_equal(vv_model_derive(context, m, &report), VV_OK);
  assert_memory_equal(before, m->reals + begin, n * sizeof(vvReal));
  VV_DELETE(context, before, vvReal, n);
  vv_model_free(context, m);
}

static void test_refusals(void** state) {
  (void)state;
  static const struct {
    const char *body, *compiler, *message;
  } cases[] = {
      {"<body name='b'><joint/></body>", "", "needs mass"},
      {"<body name='b'><joint/><geom size='.1' mass='0'/></body>", "", "needs mass"},
      {"<body><joint/><body name='c'><joint/><geom size='.1'/></body></body>", "", "needs mass"},
      {"<body name='b'><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 3'/></body>", "", "A + B >= C"},
      {"<body name='b'><joint/><inertial pos='0 0 0' mass='1' fullinertia='1 1 3 0 0 0.1'/></body>", "", "A + B >= C"},
      {"<body name='b'><joint/><inertial pos='0 0 0' mass='1' fullinertia='1 1 1 2 0 0'/></body>", "", "positive"},
      {"<body name='b'><joint/><inertial pos='0 0 0' mass='-1' diaginertia='1 1 1'/></body>", "", "needs mass"},
      {"<body name='b'><joint axis='0 0 0'/><geom size='.1'/></body>", "", "axis"},
      {"<body name='b'><joint/><geom type='capsule' size='.1' fromto='1 1 1 1 1 1'/></body>", "", "fromto"},
      {"<body name='b'><joint type='slide'/><joint type='slide'/><geom size='.1'/></body>", "", "positive definite"},
      {"<body name='b'><joint/><geom size='.1' density='-5'/></body>", "", "negative"}};
  for (size_t k = 0; k < COUNT(cases); k++) {
    vvReport report;
    vvModel* m = compiled(cases[k].body, cases[k].compiler, &report);
    if (m != NULL || strstr(report.message, cases[k].message) == NULL) {
      print_error("%s: \"%s\" does not say \"%s\"\n", cases[k].body, report.message, cases[k].message);
      fail();
    }
  }
  // what is allowed: mass on a body fixed to the moving one; balanced moments
  vvReport report;
  vvModel* m = compiled("<body><joint/><body><geom size='.1'/></body></body>", "", &report);
  assert_non_null(m);
  vv_model_free(context, m);
  m = compiled("<body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 4'/></body>", "balanceinertia='true'",
               &report);
  assert_non_null(m);
  assert_near(m->body_inertia10[14], 2, 4 * VV_EPSILON);
  vv_model_free(context, m);
}

// The n-th allocation fails, for every n.
static int countdown;

static void* failing_allocate(size_t bytes, size_t alignment, void* user) {
  (void)user;
  if (countdown-- == 0) return NULL;
  return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void failing_release(void* memory, size_t bytes, void* user) {
  (void)bytes;
  (void)user;
  free(memory);
}

static void test_out_of_memory(void** state) {
  (void)state;
  vvReport report;
  vvModel* m = compiled("<body><freejoint/><geom size='.1'/></body>", "", &report);
  assert_non_null(m);
  vvContextOptions options = vv_context_options_default();
  options.allocate = failing_allocate;
  options.release = failing_release;
  countdown = -1;
  vvContext* small = NULL;
  assert_int_equal(vv_context_create(&options, &small), VV_OK);
  vvStatus status = VV_ERROR_MEMORY;
  for (int n = 0; n < 20 && status != VV_OK; n++) {
    countdown = n;
    status = vv_model_derive(small, m, &report);
    if (status != VV_OK) assert_int_equal(status, VV_ERROR_MEMORY);
    if (n == 0) assert_int_equal(status, VV_ERROR_MEMORY);
  }
  assert_int_equal(status, VV_OK);
  assert_int_equal(vv_context_memory(small).bytes, 0);
  vv_context_destroy(small);
  vv_model_free(context, m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_mujoco),    cmocka_unit_test(test_free_box),
                                     cmocka_unit_test(test_segment_down), cmocka_unit_test(test_again),
                                     cmocka_unit_test(test_refusals),     cmocka_unit_test(test_out_of_memory)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
