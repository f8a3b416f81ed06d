// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_derive_vjp.c: derivatives of derived numbers with respect to every primary one, reverse and forward, against
// differences and against each other.

#include "vvtest.h"

#include <stdlib.h>
#include <string.h>

#include "model/derive.h"
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

static void fill(vvReal* a, size_t n, uint64_t seed) {
  for (size_t i = 0; i < n; i++) a[i] = (vvReal)vv_test_uniform(&seed);
}

// What the derivation decides at a model's numbers: the integers of the choice.
static void choice_of(vvModel* m, int* choice) {
  vvDeriveWork work;
  assert_int_equal(vv_derive_work_create(context, m, &work), VV_OK);
  vv_derive_choose(m, &work);
  memcpy(choice, work.ints, work.nint * sizeof(int));
  vv_derive_work_free(context, &work);
}

// u . derived numbers with primary number i moved by h; false where the derivation decides otherwise there.
static bool moved(vvModel* m, size_t i, double h, const vvReal* u, const int* choice, int* choice1, double* value) {
  vvReal keep = m->reals[i];
  vvReport report;
  m->reals[i] = (vvReal)((double)keep + h);
  bool valid = vv_model_derive(context, m, &report) == VV_OK;
  if (valid) choice_of(m, choice1);
  *value = 0;
  for (size_t k = m->section_begin[VV_SECTION_DERIVED]; k < m->section_begin[VV_SECTION_BULK]; k++) {
    *value += (double)(u[k - m->section_begin[VV_SECTION_DERIVED]] * m->reals[k]);
  }
  m->reals[i] = keep;
  return valid && memcmp(choice, choice1, 3 * (size_t)m->nbody * sizeof(int)) == 0;
}

// Central difference of fourth order with an estimate of its own error.
static bool difference(vvModel* m, size_t i, double h, const vvReal* u, const int* choice, int* choice1, double* d,
                       double* error) {
  double f[4];
  static const double at[4] = {-2, -1, 1, 2};
  for (int k = 0; k < 4; k++) {
    if (!moved(m, i, at[k] * h, u, choice, choice1, &f[k])) return false;
  }
  double once = (f[2] - f[1]) / (2 * h), twice = (f[3] - f[0]) / (4 * h);
  *d = once + (once - twice) / 3;
  *error = fabs(once - twice) / 3;
  return true;
}

static void check_model(vvModel* m, const char* name, int* resolved, int* total) {
  size_t begin = m->section_begin[VV_SECTION_DERIVED], end = m->section_begin[VV_SECTION_BULK];
  vvReal* u = VV_NEW(context, vvReal, end - begin);
  int* choice = VV_NEW(context, int, 6 * m->nbody);
  vvModel* bar = NULL;
  vvReport report;
  assert_int_equal(vv_model_shadow(context, m, &bar), VV_OK);
  fill(u, end - begin, 3);
  vv_model_shadow_zero(bar);
  memcpy(bar->reals + begin, u, (end - begin) * sizeof(vvReal));
  choice_of(m, choice);
  assert_int_equal(vv_model_derive_vjp(context, m, bar), VV_OK);
  for (size_t k = begin; k < end; k++) assert_true(bar->reals[k] == 0);
  for (size_t i = 0; i < begin; i++) {
    double best = INFINITY, d = 0, scale = fmax(fabs((double)m->reals[i]), 0.01), g = (double)bar->reals[i];
    for (double h = 1e-3; h > 1e-8; h /= 10) {
      double trial, error;
      if (!difference(m, i, h * scale, u, choice, choice + 3 * m->nbody, &trial, &error)) continue;
      error += 1e-13 / (h * scale);
      if (error < best) {
        best = error;
        d = trial;
      }
    }
    ++*total;
    if (!(best < 1e-5 * (1 + fabs(d)))) continue;
    ++*resolved;
    if (!(fabs(g - d) <= 1e-6 * (1 + fabs(d)) + 10 * best)) {
      const vvField* f = vv_model_fields();
      size_t at = 0;
      while (i >= at + (size_t)vv_model_count(m, f->element) * (size_t)vv_field_width(m, f)) {
        at += (size_t)vv_model_count(m, f->element) * (size_t)vv_field_width(m, f);
        f++;
      }
      print_error("%s: %d/%s[%d]: %.12g, difference %.12g +- %.1g\n", name, f->element, f->attribute, (int)(i - at), g,
                  d, best);
      fail();
    }
  }
  assert_int_equal(vv_model_derive(context, m, &report), VV_OK);
  vv_model_shadow_free(context, bar);
  VV_DELETE(context, choice, int, 6 * m->nbody);
  VV_DELETE(context, u, vvReal, end - begin);
}

// u . (forward derivative along t) = (reverse derivative of u) . t, in all eight directions.
static void check_forward(const vvModel* m) {
  size_t begin = m->section_begin[VV_SECTION_DERIVED], end = m->section_begin[VV_SECTION_BULK];
  size_t n = m->section_begin[VV_SECTION_COUNT];
  vvReal* u = VV_NEW(context, vvReal, end);
  vvReal8* tan = VV_NEW(context, vvReal8, n);
  vvReal before = m->reals[begin];
  vvModel* bar = NULL;
  assert_int_equal(vv_model_shadow(context, m, &bar), VV_OK);
  vv_model_shadow_zero(bar);
  fill(u, end, 5);
  memcpy(bar->reals + begin, u + begin, (end - begin) * sizeof(vvReal));
  memset(tan, 0, n * sizeof(vvReal8));
  fill((vvReal*)tan, 8 * begin, 9);
  assert_int_equal(vv_model_derive_vjp(context, m, bar), VV_OK);
  assert_int_equal(vv_model_derive_jvp8(context, m, tan), VV_OK);
  for (int k = 0; k < 8; k++) {
    double forward = 0, reverse = 0, scale = 0;
    for (size_t i = begin; i < end; i++) forward += (double)(u[i] * tan[i][k]);
    for (size_t i = 0; i < begin; i++) {
      reverse += (double)(bar->reals[i] * tan[i][k]);
      scale += fabs((double)(bar->reals[i] * tan[i][k]));
    }
    assert_true(scale > 0);
    if (!(fabs(forward - reverse) <= 1e-11 * scale)) {
      print_error("direction %d: forward %.15g, reverse %.15g\n", k, forward, reverse);
      fail();
    }
  }
  assert_true(before == m->reals[begin]);
  vv_model_shadow_free(context, bar);
  VV_DELETE(context, tan, vvReal8, n);
  VV_DELETE(context, u, vvReal, end);
}

static vvModel* derive_scene(void) {
  vvModel* m = NULL;
  vvReport report;
  vv_report_clear(&report);
  if (vv_model_load_file(context, VV_ROOT "/test/rigid/derive.xml", &m, &report) != VV_OK) {
    print_error("%s\n", report.message);
    fail();
  }
  return m;
}

static void test_differences(void** state) {
  (void)state;
  int resolved = 0, total = 0;
  vvModel* m = derive_scene();
  check_model(m, "derive", &resolved, &total);
  vv_model_free(context, m);
  m = vv_test_scene(context, VV_ROOT, "creature");
  check_model(m, "creature", &resolved, &total);
  vv_model_free(context, m);
  m = vv_test_text(context,
                   "<mujoco><compiler settotalmass='7'/><worldbody><body><freejoint/><geom size='.1'/>"
                   "<body pos='1 0 0'><joint/><geom type='capsule' size='.1' fromto='0 0 0 0 0 1'/>"
                   "<geom type='box' size='.1 .2 .3' shellinertia='true'/></body></body></worldbody></mujoco>");
  check_model(m, "total", &resolved, &total);
  vv_model_free(context, m);
  print_message("%d of %d numbers resolved by differences\n", resolved, total);
  assert_true(10 * resolved > 9 * total);
}

static void test_forward(void** state) {
  (void)state;
  vvModel* m = derive_scene();
  check_forward(m);
  vv_model_free(context, m);
  for (int i = 0; vv_test_scenes[i] != NULL; i++) {
    m = vv_test_scene(context, VV_ROOT, vv_test_scenes[i]);
    assert_non_null(m);
    check_forward(m);
    vv_model_free(context, m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_differences), cmocka_unit_test(test_forward)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
