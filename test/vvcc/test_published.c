// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_published.c: the derivatives of published_kernel.c against their exact values.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "published_kernel.vv.h"
#include "rules_kernel.vv.h"
#include "vvcc/published_kernel.h"
#include "vvcc/rules_kernel.h"

static unsigned char memory[1 << 16] __attribute__((aligned(64)));

static vvTapeMem fresh_tape(void) {
  vvTapeMem tape = {memory, sizeof memory, 0, 0, 0};
  return tape;
}

static void near(double got, double right, double tolerance) {
  if (!(fabs(got - right) <= tolerance)) fail_msg("%.17g instead of %.17g", got, right);
}

static void c1(void** state) {
  (void)state;
  vvTapeMem tape = fresh_tape();
  vvReal w[2] = {1, 2}, x_bar = 0, w_bar[2] = {0, 0};
  near(case_c1(2, w, 2), 24, 0);
  case_c1_vjp(2, w, 2, 1, &x_bar, w_bar, &tape);
  near(x_bar, 36, 0);
}

static void c2(void** state) {
  (void)state;
  vvReal x[3] = {1, 2, 3};
  for (int inside = 0; inside < 2; inside++) {
    vvTapeMem tape = fresh_tape();
    vvReal x_bar[3] = {0, 0, 0};
    if (inside) {
      case_c2_inside_vjp(x, 3, 1, x_bar, &tape);
    } else {
      case_c2_vjp(x, 3, 1, x_bar, &tape);
    }
    for (int i = 0; i < 3; i++) near(x_bar[i], -1.0 / 49, 1e-17);
  }
}

static void c5(void** state) {
  (void)state;
  vvTapeMem tape = fresh_tape();
  vvReal x[3] = {1, 2, 3}, x_bar[3] = {0, 0, 0};
  near(case_c5(x, 3), 0.25, 0);
  case_c5_vjp(x, 3, 1, x_bar, &tape);
  near(x_bar[0], -1.0 / 16, 0);
  near(x_bar[1], -1.0 / 16, 0);
  near(x_bar[2], 0, 0);
}

static void c8(void** state) {
  (void)state;
  vvReal x[3] = {1.5, -2, 3}, a[3], a_bar[3] = {0, 0, 0}, x_bar[3] = {0, 0, 0};
  vvTapeMem tape = fresh_tape();
  case_c8_add_vjp(x, 3, a, 1, x_bar, a_bar, &tape);
  for (int i = 0; i < 3; i++) near(x_bar[i], 1, 0);
  tape = fresh_tape();
  memset(x_bar, 0, sizeof x_bar);
  case_c8_square_vjp(x, 3, a, 1, x_bar, a_bar, &tape);
  for (int i = 0; i < 3; i++) near(x_bar[i], 2 * x[i], 0);
}

static void c9(void** state) {
  (void)state;
  vvTapeMem tape = fresh_tape();
  vvReal x = 1, x_bar = 1, theta_bar = 0;
  case_c9_vjp(0.7, &x, &theta_bar, &x_bar, &tape);
  near(theta_bar, -sin(0.7), 1e-16);
  near(x_bar, cos(0.7), 1e-16);
}

static void c10(void** state) {
  (void)state;
  vvTapeMem tape = fresh_tape();
  vvReal x[2] = {1, 2}, y[2], y_bar[2] = {0, 0}, x_bar[2] = {0, 0};
  case_c10_vjp(x, 2, y, 1, x_bar, y_bar, &tape);
  near(x_bar[0], 3, 0);
  near(x_bar[1], 3, 0);
}

static void c14(void** state) {
  (void)state;
  vvTapeMem tape = fresh_tape();
  vvReal wave[60], plastic[61], plastic_bar[61] = {0}, amplitude_bar = 0;
  for (int k = 0; k < 60; k++) wave[k] = sin(2 * acos(-1.0) * k / 60);
  near(case_c14(0.0045, wave, 60, plastic), 0.00752962, 5e-9);
  case_c14_vjp(0.0045, wave, 60, plastic, 1, &amplitude_bar, plastic_bar, &tape);
  near(amplitude_bar, 3.895472, 5e-7);
}

// Every built-in against differences in both operands, reverse and forward; only steps have derivative 0.
static void c16(void** state) {
  (void)state;
  vvReal v[3] = {-2, 0.5, 3}, v_bar[3] = {0};
  vvTapeMem tape = fresh_tape();
  near(case_c16(v, 3), 1, 0);
  case_c16_vjp(v, 3, 1, v_bar, &tape);
  for (int i = 0; i < 3; i++) near(v_bar[i], 0, 0);
  for (int k = 0; k < VV_FUNCTION_COUNT; k++) {
    double largest = 0;
    for (int p = 0; p < 6; p++) {
      double a = 0.13 + 0.15 * p, b = 0.91 - 0.14 * p, h = 1e-4, d[2];
      for (int which = 0; which < 2; which++) {
        double s[2];
        for (int half = 0; half < 2; half++) {
          double e = half ? h / 2 : h, x = which ? 0 : e, y = which ? e : 0;
          s[half] = (case_c16_function(k, a + x, b + y) - case_c16_function(k, a - x, b - y)) / (2 * e);
        }
        d[which] = (4 * s[1] - s[0]) / 3;
      }
      vvReal a_bar = 0, b_bar = 0, t = 0;
      case_c16_function_vjp(k, a, b, 1, &a_bar, &b_bar, &tape);
      case_c16_function_jvp(k, a, 0.5, b, -2, &t);
      double tolerance = 1e-9 * (1 + fabs(d[0]) + fabs(d[1]));
      near(a_bar, d[0], tolerance);
      near(b_bar, d[1], tolerance);
      near(t, 0.5 * a_bar - 2 * b_bar, 1e-14 * (1 + fabs(t)));
      largest = fmax(largest, fabs(a_bar));
    }
    assert_true((largest == 0) == (k >= VV_FIRST_STEP));
  }
}

static void c18(void** state) {
  (void)state;
  vvTapeMem tape = fresh_tape();
  vvReal x[3] = {1, 2, 3}, x_bar[3] = {0};
  vvCell y[3] = {{0, 0}}, y_bar[3] = {{0, 0}};
  case_c18_vjp(x, 3, y, 1, x_bar, y_bar, &tape);
  for (int i = 0; i < 3; i++) near(x_bar[i], 1, 0);
}

// A function with a derivative written by hand, with a loop, called by nobody else.
static void c24(void** state) {
  (void)state;
  vvTapeMem tape = fresh_tape();
  vvReal x_bar = 0;
  square_vjp(3, 1, &x_bar, &tape);
  near(x_bar, 6, 0);
}

static void c25(void** state) {
  (void)state;
  vvTapeMem tape = fresh_tape();
  vvReal y[3] = {1, 2, 3}, z[3] = {1, 2, 3}, y_bar[3] = {0}, z_bar[3] = {0};
  case_c25_squared_vjp(y, z, 1, y_bar, z_bar, &tape);
  vvReal v[3] = {0, 0, 0}, v_bar[3] = {0};
  case_c25_norm_vjp(v, 1, v_bar, &tape);
  for (int i = 0; i < 3; i++) {
    near(y_bar[i], 0, 0);
    near(z_bar[i], 0, 0);
    near(v_bar[i], 0, 0);
  }
}

static void c27(void** state) {
  (void)state;
  for (int k = 0; k <= 30; k++) {
    vvTapeMem tape = fresh_tape();
    vvReal angle = 1e-6 * pow(10, k / 10.0), angle_bar = 0;
    near(case_c27(angle) / angle, 1, 1e-6);
    case_c27_vjp(angle, 1, &angle_bar, &tape);
    near(angle_bar, 1, 1e-6);
  }
}

static void c28(void** state) {
  (void)state;
  vvTapeMem tape = fresh_tape();
  vvReal x_bar = 0, y_bar = 0;
  case_c28_max_vjp(0, 1, &x_bar, &tape);
  near(x_bar, 0, 0);
  case_c28_select_vjp(0, 1, &x_bar, &tape);
  near(x_bar, 0, 0);
  case_c28_abs_vjp(0, 1, &x_bar, &tape);
  near(x_bar, 0, 0);
  case_c28_both_vjp(2, 2, 1, &x_bar, &y_bar, &tape);
  near(x_bar, 0.5, 0);
  near(y_bar, 0.5, 0);
}

static void rg15(void** state) {
  (void)state;
  vvTapeMem tape = fresh_tape();
  vvReal x[3] = {2, 2, 2}, w[3] = {1, 1, 1}, x_bar[3] = {0}, w_bar[3] = {0};
  case_rg15_product_vjp(x, 3, 1, x_bar, &tape);
  for (int i = 0; i < 3; i++) near(x_bar[i], 4, 0);
  memset(x_bar, 0, sizeof x_bar);
  case_rg15_mean_vjp(x, w, 3, 1, x_bar, w_bar, &tape);
  for (int i = 0; i < 3; i++) near(x_bar[i], 1.0 / 3, 1e-16);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(c1),  cmocka_unit_test(c2),   cmocka_unit_test(c5),  cmocka_unit_test(c8),
      cmocka_unit_test(c9),  cmocka_unit_test(c10),  cmocka_unit_test(c14), cmocka_unit_test(c16),
      cmocka_unit_test(c18), cmocka_unit_test(c24),  cmocka_unit_test(c25), cmocka_unit_test(c27),
      cmocka_unit_test(c28), cmocka_unit_test(rg15),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
