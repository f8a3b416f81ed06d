// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_fit.c: numbers are recovered from synthetic recordings; forward and reverse Jacobians agree with each other and
// with differences; bounds, ties, what is not determined; resuming; threads.

#include "vvtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fit/fit_help.h"

#define CUBE(step, mu, tc, dr, inertial, half)                                                                  \
  "<mujoco><option timestep=\"" step                                                                            \
  "\" cone=\"elliptic\"/>"                                                                                      \
  "<default><default class=\"c\"><geom friction=\"" mu " 0.005 0.0001\" solref=\"" tc " " dr                    \
  "\"/></default></default>"                                                                                    \
  "<worldbody><geom name=\"table\" class=\"c\" type=\"plane\" size=\"5 5 1\"/><body name=\"cube\"><freejoint/>" \
  "<inertial " inertial "/><geom name=\"cube\" class=\"c\" type=\"box\" size=\"" half                           \
  " 0.05 0.05\"/></body>"                                                                                       \
  "</worldbody></mujoco>"

#define START CUBE("0.002", "0.5", "0.02", "1", "pos=\"0 0 0\" mass=\"0.4\" diaginertia=\"8e-4 8e-4 8e-4\"", "0.05")
#define TRUTH CUBE("0.002", "0.31", "0.03", "0.7", "pos=\"0 0 0\" mass=\"0.4\" diaginertia=\"1e-3 1e-3 1e-3\"", "0.05")

#define SIGNALS                                                                                                     \
  "recording: {file: r.csv, time: t, episode: toss}\n"                                                              \
  "signals:\n  body/cube/pos: {columns: [q0, q1, q2], weight: 20}\n  body/cube/quat: {columns: [q3, q4, q5, q6]}\n" \
  "initial: {body/cube/linvel: [q7, q8, q9], body/cube/angvel: [q10, q11, q12]}\n"

#define FREE3                                                                         \
  "free:\n  default/c/geom/friction/0: {start: 0.5, min: 0.01, max: 2, scale: log}\n" \
  "  default/c/geom/solref/0: {start: 0.02, min: 0.006, max: 0.2, scale: log}\n"      \
  "  default/c/geom/solref/1: {start: 1, min: 0.05, max: 3}\n"                        \
  "  body/cube/diaginertia/*: {start: 8e-4, min: 2e-4, max: 3e-3, scale: log}\n"

static const char* const outputs[] = {"body/cube/pos", "body/cube/quat", "body/cube/linvel", "body/cube/angvel"};

static vvContext* make_context(int threads) {
  vvContext* context = NULL;
  vvContextOptions options = vv_context_options_default();
  options.nthread = threads;
  assert_int_equal(vv_context_create(&options, &context), VV_OK);
  return context;
}

static vvFitProblem* read_problem(vvContext* context, const char* scene, const char* yaml) {
  vvFitProblem* problem = NULL;
  vvReport report;
  vv_report_clear(&report);
  fit_write("scene.xml", scene);
  fit_write("problem.yaml", yaml);
  vvStatus status = vv_fit_problem_read(context, fit_path("problem.yaml"), NULL, 0, &problem, &report);
  if (status != VV_OK) print_error("%s\n", report.message);
  assert_int_equal(status, VV_OK);
  return problem;
}

static vvFitResult* run(vvFitProblem* problem, const vvFitOptions* options) {
  vvFitResult* result = NULL;
  vvReport report;
  vv_report_clear(&report);
  vvStatus status = vv_fit_run(problem, options, &result, &report);
  if (status != VV_OK) print_error("%s\n", report.message);
  assert_int_equal(status, VV_OK);
  return result;
}

static int setup(void** state) {
  *state = make_context(1);
  fit_record(*state, TRUTH, outputs, 4, 10, 41, 4, "r.csv");
  return 0;
}

static int teardown(void** state) {
  size_t left = vv_context_memory(*state).bytes;
  vv_context_destroy(*state);
  return left != 0;
}

static void recovers(void** state) {
  vvFitProblem* problem = read_problem(*state, START,
                                       "scene: scene.xml\n" SIGNALS "windows: {samples: 10, hop: 10}\n" FREE3
                                       "held_out: {episodes: \"toss % 5 == 1\"}\n");
  vvFitResult* r = run(problem, NULL);
  const double truth[4] = {0.31, 0.03, 0.7, 1e-3};
  assert_int_equal(r->nwindow, 32);
  assert_int_equal(r->nwindow_held_out, 8);
  for (int i = 0; i < 4; i++) {
    assert_true(fabs(r->numbers[i].value / truth[i] - 1) < 1e-6);
    assert_true(r->numbers[i].standard_error < 1e-6 * truth[i]);
    assert_false(r->numbers[i].at_bound);
  }
  for (int i = 0; i < 2; i++) {
    assert_true(r->signals[i].before > 1e-3);
    assert_true(r->signals[i].fitted < 1e-8 && r->signals[i].held_out < 1e-8);
  }
  assert_int_equal(r->nunidentifiable, 0);
  vv_fit_result_free(*state, r);
  vv_fit_problem_free(problem);
}

// The same numbers from a start far away, by a robust loss with some windows spoilt.
static void bound_is_reported(void** state) {
  vvFitProblem* problem =
      read_problem(*state, START,
                   "scene: scene.xml\n" SIGNALS
                   "windows: {samples: 10}\nfree:\n"
                   "  default/c/geom/friction/0: {start: 0.5, min: 0.4, max: 2}\n"
                   "  body/cube/diaginertia/*: {start: 8e-4, min: 2e-4, max: 3e-3}\nloss: {kind: huber, width: 0.1}\n");
  vvFitResult* r = run(problem, NULL);
  assert_true(r->numbers[0].at_bound && r->numbers[0].value == 0.4);
  assert_true(isnan(r->numbers[0].standard_error));
  assert_false(r->numbers[1].at_bound);
  vv_fit_result_free(*state, r);
  vv_fit_problem_free(problem);
}

// Contacts are soft in proportion to the inertia behind them, so only the ratio of inertia to mass shows.
static void names_what_is_not_determined(void** state) {
  vvFitProblem* problem = read_problem(*state, TRUTH,
                                       "scene: scene.xml\n" SIGNALS
                                       "windows: {samples: 10}\nfree:\n"
                                       "  body/cube/mass: {start: 0.5, min: 0.1, max: 2, scale: log}\n"
                                       "  body/cube/diaginertia/*: {start: 8e-4, min: 2e-4, max: 3e-3, scale: log}\n");
  vvFitResult* r = run(problem, NULL);
  assert_int_equal(r->nunidentifiable, 1);
  assert_near(fabs(r->unidentifiable[0].part[0]), sqrt(0.5), 1e-3);
  assert_near(r->unidentifiable[0].part[0], r->unidentifiable[0].part[1], 1e-3);
  assert_near(r->numbers[1].value / r->numbers[0].value, 1e-3 / 0.4, 1e-5);
  vv_fit_result_free(*state, r);
  vv_fit_problem_free(problem);
}

static void number_without_effect_is_refused(void** state) {
  vvFitProblem* problem = read_problem(*state, START,
                                       "scene: scene.xml\n" SIGNALS
                                       "windows: {samples: 10}\nfree:\n"
                                       "  default/c/geom/friction/0: {start: 0.5, min: 0.1}\n"
                                       "  geom/table/pos/0: {start: 0}\n");
  vvFitResult* r = NULL;
  vvReport report;
  vv_report_clear(&report);
  assert_int_equal(vv_fit_run(problem, NULL, &r, &report), VV_ERROR_ARGUMENT);
  assert_non_null(
      strstr(report.message, "problem.yaml: free/geom/table/pos/0: nothing in the recording depends on it"));
  vv_fit_problem_free(problem);
}

#define TEN                                                                           \
  "free:\n  body/cube/mass: {start: 0.5}\n  body/cube/ipos: {start: [0.001, 0, 0]}\n" \
  "  body/cube/fullinertia: {start: [9e-4, 8e-4, 8.5e-4, 1e-5, 0, 0]}\n"

// All ten inertial numbers, up to the scale of mass that nothing but a known stiffness could tell: from a wrong start
// they stay physical and end at the truth, scaled.
static void ten_inertial_numbers(void** state) {
  const char* truth =
      CUBE("0.002", "0.31", "0.02", "1",
           "pos=\"0.004 -0.002 0.003\" mass=\"0.4\" fullinertia=\"9e-4 1.1e-3 1e-3 5e-5 -3e-5 2e-5\"", "0.05");
  const char* start =
      CUBE("0.002", "0.31", "0.02", "1", "pos=\"0 0 0\" mass=\"0.4\" fullinertia=\"9e-4 1.1e-3 1e-3 0 0 0\"", "0.05");
  const double right[10] = {0.4, 0.004, -0.002, 0.003, 9e-4, 1.1e-3, 1e-3, 5e-5, -3e-5, 2e-5};
  fit_record(*state, truth, outputs, 4, 6, 21, 4, "ten.csv");
  vvFitProblem* problem = NULL;
  vvReport report;
  vv_report_clear(&report);
  fit_write("scene.xml", start);
  fit_write("problem.yaml", "scene: scene.xml\n" SIGNALS "windows: {samples: 10}\n" TEN);
  assert_int_equal(vv_fit_problem_read(*state, fit_path("problem.yaml"), fit_path("ten.csv"), 0, &problem, &report),
                   VV_OK);
  vvFitResult* r = run(problem, NULL);
  double scale = r->numbers[0].value / right[0];
  for (int i = 1; i < 4; i++) assert_near(r->numbers[i].value, right[i], 1e-6);
  for (int i = 4; i < 10; i++) assert_true(fabs(r->numbers[i].value / scale - right[i]) < 1e-6 * 1e-3);
  assert_int_equal(r->nunidentifiable, 1);
  vv_fit_result_free(*state, r);
  vv_fit_problem_free(problem);
}

// Gradient of the loss: forward, reverse and differences.
static void gradient_of(vvFitProblem* problem, const double* x, int n) {
  vvReport report;
  double loss = 0, loss2 = 0, up = 0, down = 0, forward[16], reverse[16], y[16];
  assert_int_equal(vv_fit_loss(problem, x, VV_FIT_SWEEP_FORWARD, &loss, forward, &report), VV_OK);
  assert_int_equal(vv_fit_loss(problem, x, VV_FIT_SWEEP_REVERSE, &loss2, reverse, &report), VV_OK);
  assert_true(loss == loss2);
  for (int i = 0; i < n; i++) {
    double e = 1e-6 * fmax(fabs(x[i]), 1e-3);
    memcpy(y, x, sizeof(double) * (size_t)n);
    y[i] = x[i] + e;
    assert_int_equal(vv_fit_loss(problem, y, VV_FIT_SWEEP_AUTO, &up, NULL, &report), VV_OK);
    y[i] = x[i] - e;
    assert_int_equal(vv_fit_loss(problem, y, VV_FIT_SWEEP_AUTO, &down, NULL, &report), VV_OK);
    double size = fmax(fabs(forward[i]), 1e-6 * loss / fmax(fabs(x[i]), 1e-3));
    assert_true(fabs(reverse[i] - forward[i]) <= 1e-10 * size);
    assert_true(fabs((up - down) / (2 * e) - forward[i]) <= 1e-5 * size);
  }
}

static void sweeps_agree(void** state) {
  vvFitProblem* problem = read_problem(*state, START,
                                       "scene: scene.xml\n" SIGNALS "windows: {samples: 5, hop: 20}\n" FREE3
                                       "loss: {kind: huber, width: 0.05}\n");
  const double x[4] = {0.4, 0.025, 0.9, 9e-4};
  gradient_of(problem, x, 4);
  vv_fit_problem_free(problem);
  const char* start =
      CUBE("0.002", "0.31", "0.02", "1", "pos=\"0 0 0\" mass=\"0.4\" fullinertia=\"9e-4 1.1e-3 1e-3 0 0 0\"", "0.05");
  problem = read_problem(*state, start, "scene: scene.xml\n" SIGNALS "windows: {samples: 3, hop: 37}\n" TEN);
  const double ten[10] = {0.45, 0.001, -0.002, 0.001, 9e-4, 1e-3, 8e-4, 2e-5, -1e-5, 3e-5};
  gradient_of(problem, ten, 10);
  vv_fit_problem_free(problem);
}

// A hinge whose rest angle is not recorded: the gradient includes the scene's own initial state; samples lie between
// steps, with controls.
static void own_initial_state(void** state) {
  const char* scene =
      "<mujoco><option timestep=\"0.005\"/><worldbody><body name=\"a\" pos=\"0 0 1\"><joint name=\"h\" axis=\"0 1 0\""
      " damping=\"0.1\" ref=\"20\"/><geom name=\"g\" type=\"capsule\" fromto=\"0 0 0 0.3 0 0\" size=\"0.02\"/>"
      "</body></worldbody><actuator><motor name=\"m\" joint=\"h\" gear=\"2\"/></actuator></mujoco>";
  fit_write("hinge.csv",
            "time,z,vz,u\n0,1,0,0.1\n0.012,0.99,0,0.1\n0.0261,0.98,0,-0.1\n0.03,0.97,0,0\n0.0445,0.97,0,0\n");
  fit_write("scene.xml", scene);
  fit_write("problem.yaml",
            "scene: scene.xml\nrecording: {file: hinge.csv, time: time}\nsignals: {body/a/quat/1: {columns: [z]}, "
            "joint/h/pos: {columns: [z], weight: 0.5}}\ncontrols: {m: u}\nfree: {joint/h/damping/0: {start: 0.2}, "
            "actuator/m/gear/0: {start: 1.5}, geom/g/density: {start: 900}, body/a/pos: {start: [0, 0, 1]}}\n");
  vvFitProblem* problem = NULL;
  vvReport report;
  vv_report_clear(&report);
  vvStatus status = vv_fit_problem_read(*state, fit_path("problem.yaml"), NULL, 0, &problem, &report);
  if (status != VV_OK) print_error("%s\n", report.message);
  assert_int_equal(status, VV_OK);
  const double x[6] = {0.15, 2, 1000, 0, 0, 1};
  double loss = 0, forward[6], reverse[6];
  assert_int_equal(vv_fit_loss(problem, x, VV_FIT_SWEEP_FORWARD, &loss, forward, &report), VV_OK);
  assert_int_equal(vv_fit_loss(problem, x, VV_FIT_SWEEP_REVERSE, &loss, reverse, &report), VV_OK);
  for (int i = 0; i < 6; i++) assert_true(fabs(forward[i] - reverse[i]) <= 1e-10 * fmax(fabs(forward[i]), 1e-6));
  assert_true(forward[0] != 0 && forward[1] != 0 && forward[2] != 0);
  vv_fit_problem_free(problem);
}

static void same(const vvFitResult* a, const vvFitResult* b) {
  assert_int_equal(a->iterations, b->iterations);
  for (int i = 0; i < a->nnumber; i++) {
    assert_true(a->numbers[i].value == b->numbers[i].value);
    assert_true(a->numbers[i].standard_error == b->numbers[i].standard_error);
  }
  for (int i = 0; i < a->nsignal; i++) {
    assert_true(a->signals[i].fitted == b->signals[i].fitted);
    assert_true(a->signals[i].before == b->signals[i].before);
  }
  for (int s = 0; s < a->nstart; s++) assert_true(a->starts[s].loss == b->starts[s].loss);
  assert_int_equal(a->ntrace, b->ntrace);
  for (int i = 0; i < a->ntrace; i++) assert_true(a->trace[i].loss_per_sample == b->trace[i].loss_per_sample);
}

static const char* const two_starts = "scene: scene.xml\n" SIGNALS "windows: {samples: 10, hop: 6}\n" FREE3
                                      "starts: [[0.5, 0.02, 1, 8e-4], [0.2, 0.05, 0.4, 1.5e-3]]\n";

static void threads_do_not_matter(void** state) {
  vvFitProblem* problem = read_problem(*state, START, two_starts);
  vvFitResult* one = run(problem, NULL);
  vvContext* two = make_context(2);
  vvFitProblem* again = read_problem(two, START, two_starts);
  vvFitResult* other = run(again, NULL);
  same(one, other);
  vv_fit_result_free(two, other);
  vv_fit_problem_free(again);
  vv_context_destroy(two);
  vv_fit_result_free(*state, one);
  vv_fit_problem_free(problem);
}

// Asks to stop after so many questions.
static bool stop_after(void* user) {
  int* left = user;
  return (*left)-- <= 0;
}

static void resumes_with_the_same_bits(void** state) {
  vvFitProblem* problem = read_problem(*state, START, two_starts);
  vvFitResult* whole = run(problem, NULL);
  vvFitOptions options = vv_fit_options_default();
  const char* path = fit_path("resume.state");
  char name[256];
  snprintf(name, sizeof name, "%s", path);
  options.state_path = name;
  int interrupted = 0;
  for (int part = 0; part < 200; part++) {
    int left = 300 + 300 * part;
    vvContext* context = NULL;
    vvContextOptions co = vv_context_options_default();
    co.cancel = stop_after;
    co.user = &left;
    assert_int_equal(vv_context_create(&co, &context), VV_OK);
    vvFitProblem* again = read_problem(context, START, two_starts);
    vvFitResult* r = NULL;
    vvReport report;
    vv_report_clear(&report);
    options.resume = part > 0;
    vvStatus status = vv_fit_run(again, &options, &r, &report);
    if (status == VV_OK) same(whole, r);
    vv_fit_result_free(context, r);
    vv_fit_problem_free(again);
    vv_context_destroy(context);
    if (status == VV_OK) break;
    assert_int_equal(status, VV_ERROR_CANCELLED);
    interrupted++;
  }
  assert_true(interrupted > 2 && interrupted < 199);
  vv_fit_result_free(*state, whole);
  vv_fit_problem_free(problem);
}

static void state_of_another_problem(void** state) {
  vvFitOptions options = vv_fit_options_default();
  char name[256];
  snprintf(name, sizeof name, "%s", fit_path("other.state"));
  options.state_path = name;
  vvFitProblem* problem = read_problem(*state, START, "scene: scene.xml\n" SIGNALS "windows: {samples: 20}\n" FREE3);
  vvFitResult* r = run(problem, &options);
  vv_fit_result_free(*state, r);
  vv_fit_problem_free(problem);
  problem = read_problem(*state, START, "scene: scene.xml\n" SIGNALS "windows: {samples: 19}\n" FREE3);
  vvReport report;
  options.resume = true;
  vv_report_clear(&report);
  assert_int_equal(vv_fit_run(problem, &options, &r, &report), VV_ERROR_FILE);
  assert_non_null(strstr(report.message, "is of another problem"));
  fit_write("other.state", "visviva-fit-state 1\nxyz");
  vv_report_clear(&report);
  assert_int_equal(vv_fit_run(problem, &options, &r, &report), VV_ERROR_FILE);
  assert_non_null(strstr(report.message, "is not a whole state file"));
  vv_fit_problem_free(problem);
}

// Hands out blocks until `left` is 0.
typedef struct Scarce {
  long left;
} Scarce;

static void* scarce_allocate(size_t bytes, size_t alignment, void* user) {
  Scarce* scarce = user;
  return scarce->left-- > 0 ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment) : NULL;
}

static void scarce_release(void* memory, size_t bytes, void* user) {
  (void)bytes;
  (void)user;
  free(memory);
}

// Whichever allocation fails, the status says so and nothing is lost.
static void allocations_may_fail(void** state) {
  (void)state;
  fit_write("scene.xml", START);
  fit_write("problem.yaml", "scene: scene.xml\n" SIGNALS "windows: {samples: 2, hop: 38}\n" FREE3);
  bool done = false;
  for (long n = 1; !done; n += n < 400 ? 1 : 97) {
    Scarce scarce = {n};
    vvContext* context = NULL;
    vvContextOptions options = vv_context_options_default();
    options.allocate = scarce_allocate;
    options.release = scarce_release;
    options.user = &scarce;
    if (vv_context_create(&options, &context) != VV_OK) continue;
    vvFitProblem* problem = NULL;
    vvFitResult* r = NULL;
    vvReport report;
    vvFitOptions fit = vv_fit_options_default();
    fit.max_iterations = 2;
    vv_report_clear(&report);
    vvStatus status = vv_fit_problem_read(context, fit_path("problem.yaml"), NULL, 0, &problem, &report);
    if (status == VV_OK) status = vv_fit_run(problem, &fit, &r, &report);
    done = scarce.left > 0;
    assert_true(done ? status == VV_OK : status == VV_ERROR_MEMORY);
    vv_fit_result_free(context, r);
    vv_fit_problem_free(problem);
    assert_int_equal(vv_context_memory(context).bytes, 0);
    vv_context_destroy(context);
  }
}

// The fitted scene reads back with the fitted numbers, in its default class.
static void writes_the_scene(void** state) {
  vvFitProblem* problem = read_problem(*state, START, "scene: scene.xml\n" SIGNALS "windows: {samples: 20}\n" FREE3);
  const double x[4] = {0.123, 0.045, 0.6, 1.1e-3};
  vvReport report;
  vvModel* m = NULL;
  vv_report_clear(&report);
  assert_int_equal(vv_fit_write_scene(problem, x, fit_path("fitted.xml"), &report), VV_OK);
  assert_int_equal(vv_model_load_file(*state, fit_path("fitted.xml"), &m, &report), VV_OK);
  for (int g = 0; g < 2; g++) {
    assert_true(m->geom_friction[3 * g] == (vvReal)0.123 && m->geom_solref[2 * g] == (vvReal)0.045);
  }
  for (int k = 0; k < 3; k++) assert_true(m->body_diaginertia[3 + k] == (vvReal)1.1e-3);
  vv_model_free(*state, m);
  vv_fit_problem_free(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(recovers, setup, teardown),
      cmocka_unit_test_setup_teardown(bound_is_reported, setup, teardown),
      cmocka_unit_test_setup_teardown(names_what_is_not_determined, setup, teardown),
      cmocka_unit_test_setup_teardown(number_without_effect_is_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(ten_inertial_numbers, setup, teardown),
      cmocka_unit_test_setup_teardown(sweeps_agree, setup, teardown),
      cmocka_unit_test_setup_teardown(own_initial_state, setup, teardown),
      cmocka_unit_test_setup_teardown(threads_do_not_matter, setup, teardown),
      cmocka_unit_test_setup_teardown(resumes_with_the_same_bits, setup, teardown),
      cmocka_unit_test_setup_teardown(state_of_another_problem, setup, teardown),
      cmocka_unit_test_setup_teardown(allocations_may_fail, setup, teardown),
      cmocka_unit_test_setup_teardown(writes_the_scene, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
