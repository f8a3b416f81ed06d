// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_sample_spec.c: samples/spec/spec.c runs, and what it writes is the scene that it built.

#include "vvtest.h"

#define main sample_main
#include "samples/spec/spec.c"
#undef main

static void sample(void** state) {
  (void)state;
  static char program[] = "spec", path[] = VV_BUILD "/test_sample_spec.xml";
  char* arguments[] = {program, path, NULL};
  assert_int_equal(sample_main(2, arguments), 0);
  vvContext* context;
  vvReport report;
  vvModel* m;
  int number;
  assert_int_equal(vv_context_create(NULL, &context), VV_OK);
  assert_int_equal(vv_model_load_file(context, path, &m, &report), VV_OK);
  assert_int_equal(m->nbody, 3);
  assert_int_equal(m->npair, 2);
  assert_int_equal(vv_number_match(m, "default/arm/joint/damping/0", &number, 1), 1);
  assert_near(vv_number_value(m, number), 0.1, VV_EPSILON);
  assert_int_equal(m->names->numbers[number].nmember, 2);
  vv_model_free(context, m);
  vv_context_destroy(context);
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sample)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
