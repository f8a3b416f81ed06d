// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_text.c: numbers as text in several locales, random numbers.
//
// float: checked

#include "vvtest.h"

#include <locale.h>
#include <string.h>

#include "core/random.h"
#include "core/text.h"

static void check_round_trip(void) {
  vvRandom r = vv_random_init(3, 0);
  char text[VV_REAL_TEXT_BYTES];
  for (int i = 0; i < 2000; i++) {
    uint64_t bits = vv_random_u64(&r);
    double x, y;
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x)) continue;
    const char* end = NULL;
    int n = vv_real_to_text(x, text);
    assert_int_equal(n, strlen(text));
    assert_null(strchr(text, ','));
    assert_true(vv_real_from_text(text, &end, &y));
    assert_ptr_equal(end, text + n);
    assert_memory_equal(&x, &y, sizeof x);
  }
}

static void check_forms(void) {
  static const struct {
    const char* text;
    double value;
    int length;
  } forms[] = {{"1.5", 1.5, 3}, {" -.25e1,7", -2.5, 7}, {"3,5", 3, 1},        {"1e3x", 1000, 3},
               {"7.", 7, 2},    {"0x1.8p1", 3, 7},      {"2.5.1", 2.5, 3},    {"1 2.5", 1, 1},
               {"+4", 4, 2},    {"1e5 0.5", 1e5, 3},    {"-0.125)", -.125, 6}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const char* end = NULL;
    double x = -1;
    assert_true(vv_real_from_text(forms[i].text, &end, &x));
    assert_true(x == forms[i].value);
    assert_int_equal(end - forms[i].text, forms[i].length);
  }
  double x = 0;
  const char* end = NULL;
  assert_false(vv_real_from_text("", &end, &x));
  assert_false(vv_real_from_text("abc", &end, &x));
  assert_false(vv_real_from_text(".", &end, &x));
  assert_false(vv_real_from_text(",5", &end, &x));
  assert_true(vv_real_from_text("inf", NULL, &x));
  assert_true(isinf(x));
  char text[VV_REAL_TEXT_BYTES];
  vv_real_to_text(0.1, text);
  assert_string_equal(text, "0.10000000000000001");
}

static void test_c_locale(void** unused) {
  (void)unused;
  check_round_trip();
  check_forms();
}

static void test_comma_locale(void** unused) {
  (void)unused;
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) skip();
  assert_string_equal(localeconv()->decimal_point, ",");
  check_round_trip();
  check_forms();
  setlocale(LC_NUMERIC, "C");
}

static void test_random(void** unused) {
  (void)unused;
  const int count = 100000;
  vvRandom r = vv_random_init(1, 2);
  double sum = 0, squares = 0, normal = 0, normal_squares = 0;
  int bin[7] = {0};
  for (int i = 0; i < count; i++) {
    double u = vv_random_uniform(&r), g = vv_random_normal(&r);
    assert_true(u >= 0 && u < 1);
    sum += u;
    squares += u * u;
    normal += g;
    normal_squares += g * g;
    bin[vv_random_below(&r, 7)]++;
  }
  assert_near(sum / count, 0.5, 0.005);
  assert_near(squares / count, 1.0 / 3, 0.005);
  assert_near(normal / count, 0, 0.015);
  assert_near(normal_squares / count, 1, 0.01);
  for (int k = 0; k < 7; k++) assert_near(bin[k] * 7.0 / count, 1, 0.02);
  vvRandom a = vv_random_init(5, 0), b = vv_random_init(5, 0), c = vv_random_init(5, 1);
  assert_true(vv_random_u64(&a) == vv_random_u64(&b));
  assert_true(vv_random_u64(&a) != vv_random_u64(&c));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_c_locale),
      cmocka_unit_test(test_comma_locale),
      cmocka_unit_test(test_random),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
