// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_load.c: kernels loaded at run time, from C: calls, derivatives, ranges on threads, the cache, errors.

#include "vvtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static vvContext* context;
static char folder[] = "/tmp/vv-load-XXXXXX";
static char path[128], cache[128];

static void write_kernel(const char* text) {
  FILE* f = fopen(path, "w");
  assert_non_null(f);
  fputs("#include \"visviva/kernel.h\"\n", f);
  fputs(text, f);
  assert_int_equal(fclose(f), 0);
}

static const char POWERS[] =
    "VV_DIFF vvReal powers(const vvReal* x, int n, vvReal k) {\n"
    "  vvReal s = 0;\n  for (int i = 0; i < n; i++) s = s * k + x[i] * x[i];\n  return s;\n}\n"
    "VV_DIFF void each(int i, const vvReal* x, vvReal k, VV_WRITE_ONCE vvReal* y) {\n  y[i] = k * x[i] * x[i];\n}\n";

static vvStatus load(const char* function, vvKernel** kernel, vvReport* report) {
  vvKernelOptions o = {.cache = cache};
  return vv_kernel_load(context, path, function, &o, kernel, report);
}

static void test_call(void** state) {
  (void)state;
  write_kernel(POWERS);
  vvKernel* kernel;
  vvReport report;
  assert_int_equal(load("powers", &kernel, &report), VV_OK);
  assert_int_equal(vv_kernel_count(kernel), 2);
  const vvKernelFunction* f = vv_kernel_function(kernel, "powers");
  assert_string_equal(f->signature, "vvReal powers(const vvReal* x, int n, vvReal k)");
  assert_true(f->arg[0].active && f->arg[0].constant && !f->arg[1].active && f->arg[2].active && f->tape);
  vvReal x[3] = {1, 2, 3}, k = 2, value = 0, seed = 1, x_bar[3] = {0}, k_bar = 0;
  int n = 3;
  vvTapeMem tape;
  assert_int_equal(vv_tape_mem_init(&tape, context, 1 << 12), VV_OK);
  void* args[9] = {x, &n, &k, &value, &seed, x_bar, NULL, &k_bar, &tape};
  f->call(args);
  assert_near(value, 4 + 8 + 9, 0);
  f->vjp(args);
  assert_near(x_bar[0], 8, 0);
  assert_near(x_bar[1], 8, 0);
  assert_near(x_bar[2], 6, 0);
  assert_near(k_bar, 2 * k * 1 + 4, 0);
  vvReal x_tan[3] = {1, 0, 0}, k_tan = 0, tangent = 0;
  void* forward[9] = {x, &n, &k, &value, &tangent, x_tan, NULL, &k_tan, NULL};
  f->jvp(forward);
  assert_near(tangent, 8, 0);
  vvReal (*plain)(const vvReal*, int, vvReal) = NULL;
  void (*any)(void) = f->pointer[VV_KERNEL_PLAIN];
  memcpy(&plain, &any, sizeof plain);
  assert_near(plain(x, 2, 1), 5, 0);
  vv_tape_mem_free(&tape, context);
  vv_kernel_free(kernel);
}

static void test_range(void** state) {
  (void)state;
  enum { N = 1000 };
  vvKernel* kernel;
  vvReport report;
  write_kernel(POWERS);
  assert_int_equal(load(NULL, &kernel, &report), VV_OK);
  const vvKernelFunction* f = vv_kernel_function(kernel, "each");
  vvReal x[N], y[N], x_bar[N], y_bar[N], k = 3, k_bar = 0, sum = 0;
  for (int i = 0; i < N; i++) {
    x[i] = (vvReal)(i % 7) / 4;
    y[i] = -1;
    x_bar[i] = 0;
    y_bar[i] = 1;
    if (i >= 10) sum += x[i] * x[i];
  }
  vvTapeMem tape;
  assert_int_equal(vv_tape_mem_init(&tape, context, 1 << 12), VV_OK);
  void* args[11] = {NULL, x, &k, y, NULL, NULL, NULL, x_bar, &k_bar, y_bar, &tape};
  assert_int_equal(vv_kernel_launch(context, f, 10, N, args), VV_OK);
  for (int i = 0; i < N; i++) assert_near(y[i], i < 10 ? -1 : 3 * x[i] * x[i], 0);
  assert_int_equal(vv_kernel_launch_vjp(context, f, 10, N, args), VV_OK);
  for (int i = 0; i < N; i++) assert_near(x_bar[i], i < 10 ? 0 : 6 * x[i], 0);
  assert_near(k_bar, sum, 1e3 * VV_EPSILON);
  assert_int_equal(vv_kernel_launch(context, vv_kernel_function(kernel, "powers"), 0, 3, args), VV_ERROR_ARGUMENT);
  vv_tape_mem_free(&tape, context);
  vv_kernel_free(kernel);
}

// The same text is built once; another text is built anew.
static void test_cache(void** state) {
  (void)state;
  vvKernel* kernel;
  vvReport report;
  char first[1024];
  struct stat before, after;
  write_kernel(POWERS);
  assert_int_equal(load(NULL, &kernel, &report), VV_OK);
  snprintf(first, sizeof first, "%s", vv_kernel_source(kernel));
  vv_kernel_free(kernel);
  assert_int_equal(stat(first, &before), 0);
  assert_int_equal(load(NULL, &kernel, &report), VV_OK);
  assert_string_equal(vv_kernel_source(kernel), first);
  assert_int_equal(stat(first, &after), 0);
  assert_int_equal(before.st_ino, after.st_ino);
  vv_kernel_free(kernel);
  write_kernel("VV_DIFF vvReal powers(vvReal x) {\n  return x;\n}\n");
  assert_int_equal(load(NULL, &kernel, &report), VV_OK);
  assert_string_not_equal(vv_kernel_source(kernel), first);
  vv_kernel_free(kernel);
}

static void refused(const char* text, vvStatus status, const char* word) {
  vvKernel* kernel;
  vvReport report;
  if (text) write_kernel(text);
  assert_int_equal(load("powers", &kernel, &report), status);
  assert_null(kernel);
  if (!strstr(report.message, word)) fail_msg("\"%s\" without \"%s\"", report.message, word);
}

static void test_errors(void** state) {
  (void)state;
  refused("VV_DIFF vvReal powers(vvReal x) {\n  return x +;\n}\n", VV_ERROR_FILE, "kernel.c:3:");
  refused("VV_DIFF vvReal powers(vvReal x) {\n  return lgamma(x);\n}\n", VV_ERROR_FILE, "has no derivative");
  refused("VV_DIFF vvReal other(vvReal x) {\n  return x;\n}\n", VV_ERROR_FILE, "no VV_DIFF function 'powers'");
  refused("VV_DIFF static vvReal powers(vvReal x) {\n  return x;\n}\n", VV_ERROR_FILE, "not static");
  refused("#include \"missing.h\"\n", VV_ERROR_FILE, "missing.h");
  unlink(path);
  refused(NULL, VV_ERROR_FILE, "cannot be read");
  write_kernel(POWERS);
  vvKernel* kernel;
  vvReport report;
  vvKernelOptions o = {.cache = cache, .compiler = "no-such-compiler"};
  assert_int_equal(vv_kernel_load(context, path, NULL, &o, &kernel, &report), VV_ERROR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "no C compiler 'no-such-compiler'"));
  o = (vvKernelOptions){.cache = cache, .vvcc = "/no/such/vvcc"};
  assert_int_equal(vv_kernel_load(context, path, NULL, &o, &kernel, &report), VV_ERROR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "vvcc is not there"));
}

static int setup(void** state) {
  (void)state;
  vvContextOptions o = vv_context_options_default();
  o.nthread = 2;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/a kernel.c", folder);
  snprintf(cache, sizeof cache, "%s/cache", folder);
  return vv_context_create(&o, &context);
}

static int teardown(void** state) {
  (void)state;
  vv_context_destroy(context);
  char command[160];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_call),
      cmocka_unit_test(test_range),
      cmocka_unit_test(test_cache),
      cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
