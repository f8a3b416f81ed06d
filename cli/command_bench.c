// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// command_bench.c: vv bench: steps per second, and what gradients and Jacobians cost in rollouts and steps.
//
// protocol  2 s passive, 2 s of controls uniform in their range, then 1000 steps with such controls, measured on one
//           thread; loss: a seeded linear functional of the final state
// figures   medians of 21 repetitions, fewer but at least 7 where these take over 10 s; seconds are the thread's own,
// so that other programs on the machine count less

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/inputs.h"
#include "cli/json_out.h"
#include "core/random.h"
#include "visviva/roll.h"
#include "visviva/spec.h"

enum { NSTEP = 1000, NREPEAT = 21, NREPEAT_SLOW = 7, MAX_STEPS = 1000000 };

#define SLOW 10.0  // [s]

typedef struct benchResult {
  double steps_per_second;
  double gradient;        // over forward, controls only
  double gradient_model;  // with the model's numbers
  double jacobian;        // over step
  double contacts_mean;
  double iterations_mean;
  double residual_max;
  size_t peak_bytes;
} benchResult;

// What one scene's measurement works with.
typedef struct bench {
  vvContext* ctx;
  const vvModel* m;
  vvRollout* work;
  vvTape* tape;
  vvModel* shadow;
  vvState* start;
  vvReal* ctrl;      // most x nu
  int most;          // rows of controls
  vvReal* seed;      // 2 nv   cotangents of the final q and v
  vvReal* ctrl_bar;  // NSTEP x nu
  vvReal8* tan;      // 5 nv + nu
} bench;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a;
  double y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* x, int n) {
  qsort(x, (size_t)n, sizeof(double), compare);
  return x[n / 2];
}

static void fill_controls(const vvModel* m, vvRandom* random, vvReal* ctrl, int n) {
  for (int k = 0; k < n; k++) {
    for (int u = 0; u < m->nu; u++) {
      double low = m->actuator_ctrllimited[u] ? (double)m->actuator_ctrlrange[2 * u] : -1;
      double high = m->actuator_ctrllimited[u] ? (double)m->actuator_ctrlrange[2 * u + 1] : 1;
      ctrl[(size_t)k * (size_t)m->nu + (size_t)u] = (vvReal)(low + (high - low) * vv_random_uniform(random));
    }
  }
}

static bool usable(vvStatus status) {
  return status == VV_OK || status == VV_ERROR_NOT_CONVERGED;
}

// Runs n steps from b->start and leaves the end there.
static vvStatus warm_up(bench* b, const vvReal* ctrl, int n, vvReport* report) {
  vvRolloutInput in = {.model = b->m, .initial = b->start, .nstep = n, .ctrl = ctrl, .nctrl = ctrl ? n : 0};
  vvRolloutOutput out = {.final = b->start};
  vvStatus status = vv_rollout(&in, NULL, b->work, &out, report);
  return usable(status) ? VV_OK : status;
}

// Seconds of a plain rollout.
static vvStatus time_forward(bench* b, const vvRolloutInput* in, benchResult* r, double* seconds, vvReport* report) {
  vvRolloutOutput out = {0};
  double t0 = now();
  vvStatus status = vv_rollout(in, NULL, b->work, &out, report);
  *seconds = now() - t0;
  r->contacts_mean = out.contacts_mean;
  r->iterations_mean = out.iterations_mean;
  r->residual_max = out.residual_max;
  return usable(status) ? VV_OK : status;
}

// Seconds of a recording rollout and its reverse sweep.
static vvStatus time_gradient(bench* b, const vvRolloutInput* in, bool model, double* seconds, vvReport* report) {
  vvRolloutSeed seed = {.q_bar = b->seed, .v_bar = b->seed + b->m->nv};
  vvGradient g = {.ctrl_bar = b->ctrl_bar, .model = model ? b->shadow : NULL};
  double t0 = now();
  vvStatus status = vv_rollout(in, b->tape, b->work, NULL, report);
  if (!usable(status)) return status;
  if (model) vv_model_shadow_zero(b->shadow);
  status = vv_rollout_vjp(in, b->tape, b->work, &seed, &g, report);
  if (status == VV_OK && model) status = vv_model_derive_vjp(b->ctx, b->m, b->shadow);
  *seconds = now() - t0;
  return status;
}

// All columns of A and B at the first step of `in`.
static vvStatus one_jacobian(bench* b, const vvRolloutInput* in, vvReport* report) {
  const vvModel* m = b->m;
  int n = 2 * m->nv + m->nu;
  vvReal8* ctrl_tan = b->tan + 2 * m->nv;
  vvReal8* q = ctrl_tan + m->nu;
  vvRolloutTangent tangent = {.q0_tan = b->tan, .v0_tan = b->tan + m->nv, .ctrl_tan = ctrl_tan};
  vvRolloutOutputTangent out = {.q_tan = q, .v_tan = q + m->nv};
  for (int begin = 0; begin < n; begin += 8) {
    memset(b->tan, 0, (size_t)n * sizeof(vvReal8));
    for (int lane = 0; lane < 8 && begin + lane < n; lane++) b->tan[begin + lane][lane] = 1;
    vvStatus status = vv_rollout_jvp8(in, b->tape, b->work, &tangent, &out, report);
    if (status != VV_OK) return status;
  }
  return VV_OK;
}

// Seconds of a step's Jacobians, mean over every 50th step of the rollout, every 250th where there are many dofs.
static vvStatus time_jacobian(bench* b, const vvRolloutInput* rollout, double* seconds, vvReport* report) {
  const vvModel* m = b->m;
  double sum = 0;
  int count = 0, stride = m->nv > 100 ? 250 : 50;
  vv_state_copy(rollout->initial, b->start);
  for (int k = 0; k < NSTEP; k += stride, count++) {
    vvRolloutInput one = *rollout;
    one.nstep = 1;
    one.initial = b->start;
    one.ctrl = rollout->ctrl ? rollout->ctrl + (size_t)k * (size_t)m->nu : NULL;
    one.nctrl = one.ctrl ? 1 : 0;
    vvStatus status = vv_rollout(&one, b->tape, b->work, NULL, report);
    if (!usable(status)) return status;
    double t0 = now();
    status = one_jacobian(b, &one, report);
    sum += now() - t0;
    if (status != VV_OK) return status;
    one.nstep = stride;
    one.nctrl = one.ctrl ? stride : 0;
    vvRolloutOutput last = {.final = b->start};
    status = vv_rollout(&one, NULL, b->work, &last, report);
    if (!usable(status)) return status;
  }
  *seconds = sum / count;
  return VV_OK;
}

// Every repetition measures all of it next to each other, so that ratios see the same machine; the first one warms up.
static vvStatus measure_all(bench* b, const vvRolloutInput* in, benchResult* r, vvReport* report) {
  double forward[NREPEAT];
  double gradient[NREPEAT];
  double with_model[NREPEAT];
  double jacobian[NREPEAT];
  double begin = now();
  int n = 0;
  for (int i = -1; i < NREPEAT && (i < NREPEAT_SLOW || now() - begin < SLOW); i++) {
    int k = i < 0 ? 0 : i;
    n = k + 1;
    vvStatus status = time_forward(b, in, r, &forward[k], report);
    if (status == VV_OK) status = time_gradient(b, in, false, &gradient[k], report);
    if (status == VV_OK) status = time_gradient(b, in, true, &with_model[k], report);
    if (status == VV_OK) status = time_jacobian(b, in, &jacobian[k], report);
    if (status != VV_OK) return status;
    gradient[k] /= forward[k];
    with_model[k] /= forward[k];
    jacobian[k] /= forward[k] / NSTEP;
  }
  r->steps_per_second = NSTEP / median(forward, n);
  r->gradient = median(gradient, n);
  r->gradient_model = median(with_model, n);
  r->jacobian = median(jacobian, n);
  return VV_OK;
}

// Fewer than 2 s when the timestep is so small that they would never end.
static int steps_of_two_seconds(const vvModel* m) {
  double count = ceil(2 / (double)m->opt_timestep[0]);
  return count < MAX_STEPS ? (int)count : MAX_STEPS;
}

static vvStatus allocate(bench* b) {
  const vvModel* m = b->m;
  vvContext* ctx = b->ctx;
  size_t nu = (size_t)m->nu;
  int two_seconds = steps_of_two_seconds(m);
  b->most = two_seconds > NSTEP ? two_seconds : NSTEP;
  vvStatus status = vv_rollout_create(ctx, m, VV_ROLLOUT_ALL, &b->work);
  if (status == VV_OK) status = vv_tape_create(ctx, &b->tape);
  if (status == VV_OK) status = vv_model_shadow(ctx, m, &b->shadow);
  if (status == VV_OK) status = vv_state_create(ctx, m, &b->start);
  if (status != VV_OK) return status;
  b->ctrl = VV_NEW(ctx, vvReal, (size_t)b->most * nu);
  b->seed = VV_NEW(ctx, vvReal, 2 * m->nv);
  b->ctrl_bar = VV_NEW(ctx, vvReal, NSTEP * nu);
  b->tan = VV_NEW(ctx, vvReal8, 4 * m->nv + m->nu);
  return b->ctrl && b->seed && b->ctrl_bar && b->tan ? VV_OK : VV_ERROR_MEMORY;
}

static void release(bench* b) {
  const vvModel* m = b->m;
  vvContext* ctx = b->ctx;
  size_t nu = (size_t)m->nu;
  VV_DELETE(ctx, b->tan, vvReal8, 4 * m->nv + m->nu);
  VV_DELETE(ctx, b->ctrl_bar, vvReal, NSTEP * nu);
  VV_DELETE(ctx, b->seed, vvReal, 2 * m->nv);
  VV_DELETE(ctx, b->ctrl, vvReal, (size_t)b->most * nu);
  vv_state_free(ctx, b->start);
  if (b->shadow) vv_model_shadow_free(ctx, b->shadow);
  vv_tape_free(b->tape);
  vv_rollout_free(b->work);
}

static vvStatus measure(bench* b, uint64_t seed, benchResult* r, vvReport* report) {
  const vvModel* m = b->m;
  int two_seconds = steps_of_two_seconds(m);
  vvRandom random = vv_random_init(seed, 1);
  vvStatus status = warm_up(b, NULL, two_seconds, report);
  if (status != VV_OK) return status;
  fill_controls(m, &random, b->ctrl, two_seconds);
  status = warm_up(b, m->nu > 0 ? b->ctrl : NULL, two_seconds, report);
  if (status != VV_OK) return status;
  fill_controls(m, &random, b->ctrl, NSTEP);
  for (int i = 0; i < 2 * m->nv; i++) b->seed[i] = (vvReal)vv_random_normal(&random);
  vvState* initial = NULL;
  status = vv_state_create(b->ctx, m, &initial);
  if (status != VV_OK) return status;
  vv_state_copy(b->start, initial);
  vvRolloutInput in = {.model = m,
                       .initial = initial,
                       .nstep = NSTEP,
                       .ctrl = m->nu > 0 ? b->ctrl : NULL,
                       .nctrl = m->nu > 0 ? NSTEP : 0};
  status = measure_all(b, &in, r, report);
  vv_state_free(b->ctx, initial);
  return status;
}

static int bench_scene(vvCli* cli, const char* path, benchResult* r) {
  vvReport report;
  vv_report_clear(&report);
  vvModel* model = NULL;
  vvStatus status = vv_model_load_file(cli->context, path, &model, &report);
  if (status != VV_OK) return vv_cli_fail(status, &report, path);
  bench b = {.ctx = cli->context, .m = model};
  status = allocate(&b);
  if (status == VV_OK) status = measure(&b, cli->seed, r, &report);
  r->peak_bytes = vv_context_memory(cli->context).peak;
  release(&b);
  vv_model_free(cli->context, model);
  return vv_cli_fail(status, &report, path);
}

static void write_scene(vvJsonOut* j, const char* path, const benchResult* r) {
  vv_json_object(j);
  vv_json_key(j, "scene");
  vv_json_text(j, path);
  vv_json_key(j, "steps_per_second");
  vv_json_real(j, r->steps_per_second);
  vv_json_key(j, "gradient_over_forward");
  vv_json_real(j, r->gradient);
  vv_json_key(j, "gradient_with_model_over_forward");
  vv_json_real(j, r->gradient_model);
  vv_json_key(j, "jacobian_over_step");
  vv_json_real(j, r->jacobian);
  vv_json_key(j, "contacts_mean");
  vv_json_real(j, r->contacts_mean);
  vv_json_key(j, "residual_max");
  vv_json_real(j, r->residual_max);
  vv_json_key(j, "peak_bytes");
  vv_json_int(j, (int64_t)r->peak_bytes);
  vv_json_end(j);
}

static int report_results(const vvCli* cli, const benchResult* results) {
  if (cli->json) {
    vvJsonOut j = vv_json_begin(stdout);
    vv_json_object(&j);
    vv_json_key(&j, "scenes");
    vv_json_array(&j);
    for (int i = 0; i < cli->nposition; i++) write_scene(&j, cli->position[i], &results[i]);
    vv_json_end(&j);
    vv_json_end(&j);
    return vv_json_finish(&j) ? VV_EXIT_DONE : vv_cli_error("standard output could not be written");
  }
  if (cli->quiet) return VV_EXIT_DONE;
  printf("%-36s %10s %8s %8s %8s %8s %10s %9s %10s\n", "scene", "steps/s", "gradient", "+ model", "jacobian",
         "contacts", "iterations", "residual", "bytes");
  for (int i = 0; i < cli->nposition; i++) {
    const benchResult* r = &results[i];
    printf("%-36s %10.0f %8.2f %8.2f %8.2f %8.2f %10.2f %9.1e %10zu\n", cli->position[i], r->steps_per_second,
           r->gradient, r->gradient_model, r->jacobian, r->contacts_mean, r->iterations_mean, r->residual_max,
           r->peak_bytes);
  }
  return VV_EXIT_DONE;
}

int vv_command_bench(vvCli* cli) {
  long worlds = 1;
  if (!vv_cli_int(cli, "worlds", 1, 1000000, &worlds)) return VV_EXIT_USAGE;
  if (worlds > 1) return vv_cli_error("--worlds %ld: many worlds are not built yet; 1 is", worlds);
  benchResult* results = VV_NEW(cli->context, benchResult, cli->nposition);
  if (!results) return vv_cli_fail(VV_ERROR_MEMORY, NULL, "measuring");
  int code = VV_EXIT_DONE;
  for (int i = 0; i < cli->nposition && code == VV_EXIT_DONE; i++) {
    code = bench_scene(cli, cli->position[i], &results[i]);
    vv_context_progress(cli->context, (i + 1.0) / cli->nposition, "measuring");
  }
  if (code == VV_EXIT_DONE) code = report_results(cli, results);
  VV_DELETE(cli->context, results, benchResult, cli->nposition);
  return code;
}
