// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_forms.c: every form of forms_kernel.c, language_kernel.c and rules_kernel.c against central differences.
//
// For seeded points and random directions: f_vjp against differences extrapolated from two steps, f_jvp against f_vjp
// (the dot test), f_jvp8 against f_jvp, f_fwd against f bit by bit, and f_vjp_jvp against differences of f_vjp.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "forms_kernel.vv.h"
#include "language_kernel.vv.h"
#include "rules_kernel.vv.h"
#include "vvcc/forms_kernel.h"
#include "vvcc/language_kernel.h"
#include "vvcc/rules_kernel.h"

// float: checked (bits and tangents; differences need double)
#ifdef VV_REAL_IS_FLOAT
#define SAME 1e-4  // jvp and jvp8
#define DUAL 2e-3  // jvp and vjp
#else
#define SAME 1e-12
#define DUAL 1e-11
#endif

#define NX 12
#define TAPE_BYTES (1 << 20)

typedef struct vvForm {
  const char* name;
  vvReal (*f)(const vvReal*, vvReal*, int);
  vvReal (*fwd)(const vvReal*, vvReal*, int, vvTapeMem*);
  void (*rev)(const vvReal*, vvReal*, int, vvReal, vvReal*, vvReal*, vvTapeMem*);
  void (*vjp)(const vvReal*, vvReal*, int, vvReal, vvReal*, vvReal*, vvTapeMem*);
#ifndef VV_FORMS_REVERSE_ONLY
  vvReal (*jvp)(const vvReal*, const vvReal*, vvReal*, vvReal*, int, vvReal*);
  vvReal (*jvp8)(const vvReal*, const vvReal8*, vvReal*, vvReal8*, int, vvReal8*);
  void (*vjp_jvp)(const vvReal*, const vvReal*, vvReal*, vvReal*, int, vvReal, vvReal, vvReal*, vvReal*, vvReal*,
                  vvReal*, vvTapeMem*);
#endif
} vvForm;

#ifdef VV_FORMS_REVERSE_ONLY
#define ROW(name) {#name, name, name##_fwd, name##_rev, name##_vjp},
#else
#define ROW(name) {#name, name, name##_fwd, name##_rev, name##_vjp, name##_jvp, name##_jvp8, name##_vjp_jvp},
#endif
static const vvForm FORMS[] = {VV_FORMS(ROW) VV_LANGUAGE(ROW) VV_RULES(ROW)};

typedef struct vvPoint {
  vvReal x[NX], y[NX];  // where
  vvReal u[NX], w[NX];  // direction in x and y
  vvReal r_bar, b[NX];  // seeds of the returned value and of the final y
} vvPoint;

static double uniform(uint64_t* state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*state >> 11) / 9007199254740992.0;
}

static void make_point(uint64_t seed, vvPoint* p) {
  uint64_t s = seed * 977 + 5;
  for (int i = 0; i < NX; i++) {
    p->x[i] = 0.2 + uniform(&s);
    p->y[i] = 0.2 + uniform(&s);
    p->u[i] = 2 * uniform(&s) - 1;
    p->w[i] = 2 * uniform(&s) - 1;
    p->b[i] = 2 * uniform(&s) - 1;
  }
  p->r_bar = 0.5 + uniform(&s);
}

// r_bar * returned + b . final y, at the point moved by e along the direction
static double functional(const vvForm* form, const vvPoint* p, double e) {
  vvReal x[NX], y[NX];
  for (int i = 0; i < NX; i++) {
    x[i] = p->x[i] + e * p->u[i];
    y[i] = p->y[i] + e * p->w[i];
  }
  double s = p->r_bar * form->f(x, y, 4);
  for (int i = 0; i < NX; i++) s += p->b[i] * y[i];
  return s;
}

static double difference(const vvForm* form, const vvPoint* p, double e) {
  return (functional(form, p, e) - functional(form, p, -e)) / (2 * e);
}

static void gradient(const vvForm* form, const vvPoint* p, vvTapeMem* tape, vvReal* x_bar, vvReal* y_bar) {
  vvReal y[NX];
  memcpy(y, p->y, sizeof y);
  memcpy(y_bar, p->b, sizeof p->b);
  memset(x_bar, 0, sizeof p->x);
  tape->used = 0;
  form->vjp(p->x, y, 4, p->r_bar, x_bar, y_bar, tape);
  assert_int_equal(tape->overflow, 0);
}

static double along(const vvPoint* p, const vvReal* x_bar, const vvReal* y_bar) {
  double s = 0;
  for (int i = 0; i < NX; i++) s += x_bar[i] * p->u[i] + y_bar[i] * p->w[i];
  return s;
}

static bool close_to(double a, double b, double tolerance) {
  return fabs(a - b) <= tolerance * (1 + fabs(a) + fabs(b));
}

// g_float computes in float: seven digits.
static double slack(const vvForm* form) {
  return strcmp(form->name, "g_float") == 0 ? 1e6 : 1;
}

static int check_reverse(const vvForm* form, const vvPoint* p, vvTapeMem* tape) {
  vvReal x_bar[NX], y_bar[NX];
  gradient(form, p, tape, x_bar, y_bar);
  double g = along(p, x_bar, y_bar);
  double d = (4 * difference(form, p, 5e-6) - difference(form, p, 1e-5)) / 3;
  if (close_to(g, d, 1e-7 * slack(form))) return 0;
  printf("%s: vjp %.12g, differences %.12g\n", form->name, g, d);
  return 1;
}

static int check_forward_bits(const vvForm* form, const vvPoint* p, vvTapeMem* tape) {
  vvReal y[2][NX], r[2];
  memcpy(y[0], p->y, sizeof y[0]);
  memcpy(y[1], p->y, sizeof y[1]);
  r[0] = form->f(p->x, y[0], 4);
  tape->used = 0;
  r[1] = form->fwd(p->x, y[1], 4, tape);
  if (memcmp(y[0], y[1], sizeof y[0]) == 0 && memcmp(&r[0], &r[1], sizeof r[0]) == 0) return 0;
  printf("%s: f_fwd and f differ\n", form->name);
  return 1;
}

#ifndef VV_FORMS_REVERSE_ONLY
static int check_tangent(const vvForm* form, const vvPoint* p, vvTapeMem* tape) {
  vvReal x_bar[NX], y_bar[NX], y[NX], w[NX], r_tan = 0;
  gradient(form, p, tape, x_bar, y_bar);
  memcpy(y, p->y, sizeof y);
  memcpy(w, p->w, sizeof w);
  form->jvp(p->x, p->u, y, w, 4, &r_tan);
  double t = p->r_bar * r_tan;
  for (int i = 0; i < NX; i++) t += p->b[i] * w[i];
  int bad = 0;
  if (!close_to(t, along(p, x_bar, y_bar), DUAL * slack(form))) {
    printf("%s: jvp %.15g, vjp %.15g\n", form->name, t, along(p, x_bar, y_bar));
    bad = 1;
  }
  // direction k of eight: the direction scaled by k - 3
  vvReal8 x8[NX], y8[NX], r8 = {0};
  for (int i = 0; i < NX; i++)
    for (int k = 0; k < 8; k++) {
      x8[i][k] = (k - 3) * p->u[i];
      y8[i][k] = (k - 3) * p->w[i];
    }
  memcpy(y, p->y, sizeof y);
  form->jvp8(p->x, x8, y, y8, 4, &r8);
  for (int k = 0; k < 8; k++) {
    bool good = close_to(r8[k], (k - 3) * r_tan, SAME * slack(form));
    for (int i = 0; i < NX; i++) good = good && close_to(y8[i][k], (k - 3) * w[i], SAME * slack(form));
    if (!good) {
      printf("%s: jvp8 and jvp differ\n", form->name);
      return 1;
    }
  }
  return bad;
}

static int check_second(const vvForm* form, const vvPoint* p, vvTapeMem* tape) {
  vvReal x_bar[NX] = {0}, x_bar_tan[NX] = {0}, y[NX], w[NX], y_bar[NX], y_bar_tan[NX] = {0};
  memcpy(y, p->y, sizeof y);
  memcpy(w, p->w, sizeof w);
  memcpy(y_bar, p->b, sizeof y_bar);
  tape->used = 0;
  form->vjp_jvp(p->x, p->u, y, w, 4, p->r_bar, 0, x_bar, x_bar_tan, y_bar, y_bar_tan, tape);
  vvReal g[2][2][NX];
  const double e = 1e-5;
  for (int side = 0; side < 2; side++) {
    vvPoint q = *p;
    for (int i = 0; i < NX; i++) {
      q.x[i] += (side ? e : -e) * p->u[i];
      q.y[i] += (side ? e : -e) * p->w[i];
    }
    gradient(form, &q, tape, g[side][0], g[side][1]);
  }
  for (int i = 0; i < NX; i++) {
    double dx = (g[1][0][i] - g[0][0][i]) / (2 * e), dy = (g[1][1][i] - g[0][1][i]) / (2 * e);
    double scale = slack(form) * (1 + fabs(g[0][0][i]) + fabs(g[0][1][i]));
    if (!close_to(x_bar_tan[i], dx, 2e-5 * scale) || !close_to(y_bar_tan[i], dy, 2e-5 * scale)) {
      printf("%s: vjp_jvp [%d] %.12g %.12g, differences %.12g %.12g\n", form->name, i, x_bar_tan[i], y_bar_tan[i], dx,
             dy);
      return 1;
    }
  }
  return 0;
}
#endif

typedef int (*vvCheck)(const vvForm*, const vvPoint*, vvTapeMem*);

static void run(vvCheck check) {
  vvTapeMem tape = {aligned_alloc(64, TAPE_BYTES), TAPE_BYTES, 0, 0, 0};
  assert_non_null(tape.base);
  int bad = 0;
  for (size_t i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++)
    for (uint64_t seed = 0; seed < 8; seed++) {
      vvPoint p;
      make_point(seed, &p);
      if (check(&FORMS[i], &p, &tape)) {
        bad++;
        break;
      }
    }
  free(tape.base);
  assert_int_equal(bad, 0);
}

static void test_reverse(void** state) {
  (void)state;
  if (sizeof(vvReal) == sizeof(double)) run(check_reverse);
}

static void test_forward_bits(void** state) {
  (void)state;
  run(check_forward_bits);
}

#ifndef VV_FORMS_REVERSE_ONLY
static void test_tangent(void** state) {
  (void)state;
  run(check_tangent);
}

static void test_second(void** state) {
  (void)state;
  if (sizeof(vvReal) == sizeof(double)) run(check_second);
}
#endif

// Ties: half each between active values, 0 against a constant, 0 for |x| and hypot at 0; forward and reverse alike.
static void test_ties(void** state) {
  (void)state;
  vvTapeMem tape = {aligned_alloc(64, TAPE_BYTES), TAPE_BYTES, 0, 0, 0};
  for (int i = 0; i < 3; i++) {
    const char* name[] = {"m_minmax", "m_fabs", "m_hypot"};
    const vvForm* form = FORMS;
    while (strcmp(form->name, name[i]) != 0) form++;
    vvPoint p;
    make_point(1, &p);
    memset(p.b, 0, sizeof p.b);
    p.x[1] = p.x[0];
    if (i == 0) {
      p.x[3] = p.x[2];
      p.x[4] = 0;
      p.x[5] = (vvReal)0.1;
    } else if (i == 2) {
      p.x[0] = p.x[1] = 0;
    }
    vvReal x_bar[NX], y_bar[NX];
    gradient(form, &p, &tape, x_bar, y_bar);
    if (i == 0) {
      vvReal outer = p.r_bar * vv_fmax(vv_fmin(p.x[6], p.x[7]), p.x[8]);
      assert_true(x_bar[0] == x_bar[1] && close_to(x_bar[0], outer * p.x[2] / 2, SAME));
      assert_true(x_bar[2] == x_bar[3] && close_to(x_bar[2], outer * p.x[0] / 2, SAME));
      assert_true(x_bar[4] == 0 && x_bar[5] == 0);
    } else {
      assert_true(x_bar[0] == 0 && x_bar[1] == 0);
    }
#ifndef VV_FORMS_REVERSE_ONLY
    assert_int_equal(check_tangent(form, &p, &tape), 0);
#endif
  }
  free(tape.base);
}

// A tape that is too small: no crash, the flag is set, and the peak tells the size that works.
static void test_small_tape(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++) {
    vvPoint p;
    make_point(3, &p);
    vvReal x_bar[2][NX], y_bar[2][NX];
    vvTapeMem big = {aligned_alloc(64, TAPE_BYTES), TAPE_BYTES, 0, 0, 0};
    gradient(&FORMS[i], &p, &big, x_bar[0], y_bar[0]);
    for (size_t size = 0; size < big.peak; size += 8) {
      vvTapeMem small = {big.base, size, 0, 0, 0};
      vvReal y[NX];
      memcpy(y, p.y, sizeof y);
      memcpy(y_bar[1], p.b, sizeof p.b);
      memset(x_bar[1], 0, sizeof x_bar[1]);
      FORMS[i].vjp(p.x, y, 4, p.r_bar, x_bar[1], y_bar[1], &small);
      assert_int_equal(small.overflow, 1);
      assert_true(small.peak > size);
    }
    vvTapeMem exact = {big.base, big.peak, 0, 0, 0};
    gradient(&FORMS[i], &p, &exact, x_bar[1], y_bar[1]);
    assert_memory_equal(x_bar[0], x_bar[1], sizeof x_bar[0]);
    assert_memory_equal(y_bar[0], y_bar[1], sizeof y_bar[0]);
    free(big.base);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forward_bits), cmocka_unit_test(test_small_tape),
      cmocka_unit_test(test_ties),         cmocka_unit_test(test_reverse),
#ifndef VV_FORMS_REVERSE_ONLY
      cmocka_unit_test(test_tangent),      cmocka_unit_test(test_second),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
