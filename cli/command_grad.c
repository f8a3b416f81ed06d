// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// command_grad.c: vv grad: the gradient of a rollout's loss.

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cli/json_out.h"
#include "cli/loss.h"

// Results of the command; arrays of one block.
typedef struct gradResult {
  vvGradient g;
  vvReal* block;
  size_t reals;
  vvReal* outputs;
  vvReal* time;
  vvReal* ctrl_more;  // N x nu   what a user's loss asks of the controls itself
  size_t nctrl;
  double loss;
  double forward_s;
  double backward_s;
  double residual_max;
  double growth_per_s;
} gradResult;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static vvStatus allocate(vvContext* ctx, const vvGradArguments* a, gradResult* r) {
  const vvModel* m = a->scene.model;
  size_t n = (size_t)a->nstep;
  size_t nv = (size_t)m->nv;
  size_t nctrl = n * (size_t)m->nu;
  size_t nout = (size_t)a->loss.nrow * (size_t)a->loss.nout;
  r->nctrl = nctrl;
  r->reals = 2 * nctrl + 2 * nv + (size_t)m->na + n + 1 + nout + (size_t)a->loss.nrow;
  r->block = VV_NEW(ctx, vvReal, r->reals);
  if (!r->block) return VV_ERROR_MEMORY;
  r->g.ctrl_bar = r->block;
  r->g.q0_bar = r->g.ctrl_bar + nctrl;
  r->g.v0_bar = r->g.q0_bar + nv;
  r->g.act0_bar = r->g.v0_bar + nv;
  r->g.adjoint_norm = r->g.act0_bar + m->na;
  r->outputs = r->g.adjoint_norm + n + 1;
  r->time = r->outputs + nout;
  r->ctrl_more = r->time + a->loss.nrow;
  return a->wrt.nnumber > 0 ? vv_model_shadow(ctx, m, &r->g.model) : VV_OK;
}

static double loss_value(const vvLoss* loss, const gradResult* r) {
  size_t n = (size_t)loss->nrow * (size_t)loss->nout;
  double value = 0;
  for (size_t i = 0; i < n; i++) value += (double)(loss->outputs_bar[i] * r->outputs[i]);
  for (int i = 0; loss->time_bar && i < loss->nrow; i++) value += (double)(loss->time_bar[i] * r->time[i]);
  return value;
}

// Plain rollout first (its time is forward_s), then the recording one and the reverse sweep.
static vvStatus run(vvContext* ctx, const vvGradArguments* a, vvRollout* work, vvTape* tape, gradResult* r,
                    vvReport* report) {
  vvRolloutInput in = vv_grad_rollout(a);
  vvRolloutOutput out = {.outputs = r->outputs, .time = r->time};
  double t0 = now();
  vvStatus worst = vv_rollout(&in, NULL, work, &out, report);
  double t1 = now();
  if (worst != VV_OK && worst != VV_ERROR_NOT_CONVERGED) return worst;
  vvStatus status = vv_rollout(&in, tape, work, &out, report);
  if (status != VV_OK && status != VV_ERROR_NOT_CONVERGED) return status;
  if (!a->loss.row) r->loss = loss_value(&a->loss, r);
  r->residual_max = out.residual_max;
  vvRolloutSeed seed = {.outputs_bar = a->loss.outputs_bar, .time_bar = a->loss.time_bar};
  if (a->loss.row) {
    status = vv_row_loss_value(a->loss.row, &in, r->outputs, r->time, &r->loss, NULL);
    if (status == VV_OK) {
      status = vv_row_loss_vjp(a->loss.row, &in, r->outputs, r->time, a->loss.outputs_bar, a->loss.time_bar,
                               r->ctrl_more, r->g.model);
    }
    if (status != VV_OK) return status;
  }
  status = vv_rollout_vjp(&in, tape, work, &seed, &r->g, worst == VV_OK ? report : NULL);
  if (status == VV_OK && r->g.model) status = vv_model_derive_vjp(ctx, a->scene.model, r->g.model);
  for (size_t i = 0; i < r->nctrl; i++) r->g.ctrl_bar[i] += r->ctrl_more[i];
  double t2 = now();
  if (status != VV_OK) return status;
  r->forward_s = t1 - t0;
  r->backward_s = fmax(t2 - t1 - r->forward_s, 0);
  r->growth_per_s = vv_adjoint_growth(r->g.adjoint_norm, a->nstep, (double)a->scene.model->opt_timestep[0]);
  return worst;
}

// Weights may be too large for the sums: infinite or undefined results are an error, not a JSON null.
static vvStatus check_finite(const vvGradArguments* a, const gradResult* r, vvReport* report) {
  if (!isfinite(r->loss)) return vv_report_set(report, VV_ERROR_NOT_FINITE, "the loss is not finite");
  const vvReal* last = r->g.act0_bar + a->scene.model->na;
  for (const vvReal* x = r->block; x < last; x++) {
    if (!isfinite(*x)) return vv_report_set(report, VV_ERROR_NOT_FINITE, "the gradient is not finite");
  }
  for (int i = 0; i < a->wrt.nnumber; i++) {
    if (isfinite(vv_number_bar(r->g.model, a->wrt.numbers[i]))) continue;
    return vv_report_set(report, VV_ERROR_NOT_FINITE, "the gradient of %.80s is not finite",
                         a->scene.model->names->numbers[a->wrt.numbers[i]].name);
  }
  return VV_OK;
}

// Key of a number in G.json: the name without its component, so that components of one attribute share a list, unless
// the command line named the component.
static void write_part(vvJsonOut* j, const vvModel* m, const vvWrt* wrt, const vvWrtPart* part, const vvModel* m_bar) {
  bool pattern = strchr(part->text, '*') != NULL;
  const char* end = strrchr(part->text, '/');
  bool shared = pattern && !(end && end[1] >= '0' && end[1] <= '9' && end[2] == 0);
  char open[512] = "";
  for (int i = part->first; i < part->first + part->n; i++) {
    const char* name = m->names->numbers[wrt->numbers[i]].name;
    char key[512];
    snprintf(key, sizeof key, "%s", pattern ? name : part->text);
    char* slash = strrchr(key, '/');
    if (shared && slash && slash[1] >= '0' && slash[1] <= '9' && slash[2] == 0) *slash = 0;
    if (strcmp(key, open) != 0) {
      if (open[0]) vv_json_end(j);
      vv_json_key(j, key);
      vv_json_array(j);
      snprintf(open, sizeof open, "%s", key);
    }
    vv_json_real(j, (double)vv_number_bar(m_bar, wrt->numbers[i]));
  }
  if (open[0]) vv_json_end(j);
}

static void write_rows(vvJsonOut* j, const vvReal* rows, int nrow, int width) {
  vv_json_key(j, "ctrl");
  vv_json_array(j);
  for (int k = 0; k < nrow; k++) vv_json_reals(j, NULL, rows + (size_t)k * (size_t)width, width);
  vv_json_end(j);
}

static bool write_json(FILE* file, const vvGradArguments* a, const gradResult* r) {
  const vvModel* m = a->scene.model;
  vvJsonOut j = vv_json_begin(file);
  vv_json_object(&j);
  vv_json_key(&j, "loss");
  vv_json_real(&j, r->loss);
  vv_json_key(&j, "steps");
  vv_json_int(&j, a->nstep);
  vv_json_key(&j, "mode");
  vv_json_text(&j, "exact");
  vv_json_key(&j, "forward_s");
  vv_json_real(&j, r->forward_s);
  vv_json_key(&j, "backward_s");
  vv_json_real(&j, r->backward_s);
  vv_json_key(&j, "residual_max");
  vv_json_real(&j, r->residual_max);
  vv_json_key(&j, "growth_per_s");
  vv_json_real(&j, r->growth_per_s);
  vv_json_key(&j, "chart");
  vv_json_text(&j, "body-rotation-vector");
  vv_json_key(&j, "grad");
  vv_json_object(&j);
  if (a->wrt.ctrl) write_rows(&j, r->g.ctrl_bar, a->nstep, m->nu);
  if (a->wrt.qpos0) vv_json_reals(&j, "qpos0", r->g.q0_bar, m->nv);
  if (a->wrt.qvel0) vv_json_reals(&j, "qvel0", r->g.v0_bar, m->nv);
  if (a->wrt.act0) vv_json_reals(&j, "act0", r->g.act0_bar, m->na);
  for (int i = 0; i < a->wrt.npart; i++) write_part(&j, m, &a->wrt, &a->wrt.part[i], r->g.model);
  vv_json_end(&j);
  vv_json_end(&j);
  return vv_json_finish(&j);
}

static int write_file(const char* path, const vvGradArguments* a, const gradResult* r) {
  FILE* file = fopen(path, "wb");
  if (!file) return vv_cli_error("%s: cannot be written: %s", path, strerror(errno));
  bool good = write_json(file, a, r);
  good = fclose(file) == 0 && good;
  return good ? VV_EXIT_DONE : vv_cli_error("%s: cannot be written: %s", path, strerror(errno));
}

static void print_line(const char* name, double value) {
  printf("%-32s ", name);
  vv_print_real(stdout, value);
  printf("\n");
}

static void print_list(const char* name, const vvReal* x, int n) {
  for (int i = 0; i < n; i++) {
    char text[96];
    snprintf(text, sizeof text, "%s[%d]", name, i);
    print_line(text, (double)x[i]);
  }
}

static void print_text(const vvGradArguments* a, const gradResult* r) {
  const vvModel* m = a->scene.model;
  print_line("loss", r->loss);
  print_line("residual_max", r->residual_max);
  print_line("growth_per_s", r->growth_per_s);
  for (int k = 0; a->wrt.ctrl && k < a->nstep; k++) {
    char name[64];
    snprintf(name, sizeof name, "ctrl[%d]", k);
    print_list(name, r->g.ctrl_bar + (size_t)k * (size_t)m->nu, m->nu);
  }
  if (a->wrt.qpos0) print_list("qpos0", r->g.q0_bar, m->nv);
  if (a->wrt.qvel0) print_list("qvel0", r->g.v0_bar, m->nv);
  if (a->wrt.act0) print_list("act0", r->g.act0_bar, m->na);
  for (int i = 0; i < a->wrt.nnumber; i++) {
    print_line(m->names->numbers[a->wrt.numbers[i]].name, (double)vv_number_bar(r->g.model, a->wrt.numbers[i]));
  }
}

static int report_result(vvCli* cli, const vvGradArguments* a, const gradResult* r, vvStatus status,
                         const vvReport* report) {
  const char* path = vv_cli_text(cli, "out");
  int code = path ? write_file(path, a, r) : VV_EXIT_DONE;
  if (code != VV_EXIT_DONE) return code;
  if (cli->json && !write_json(stdout, a, r)) return vv_cli_error("standard output could not be written");
  if (!cli->json && !path && !cli->quiet) print_text(a, r);
  return vv_cli_fail(status, report, "rolling out");
}

int vv_command_grad(vvCli* cli) {
  vvGradArguments a;
  if (!vv_cli_apart(cli, "out")) return VV_EXIT_USAGE;
  int code = vv_grad_arguments(cli, &a);
  if (code == 0) {
    vvContext* ctx = cli->context;
    vvRollout* work = NULL;
    vvTape* tape = NULL;
    gradResult r = {0};
    vvReport report;
    vv_report_clear(&report);
    vvStatus status = vv_rollout_create(ctx, a.scene.model, VV_ROLLOUT_REVERSE, &work);
    if (status == VV_OK) status = vv_tape_create(ctx, &tape);
    if (status == VV_OK) status = allocate(ctx, &a, &r);
    if (status == VV_OK) {
      vv_tape_limit(tape, a.memory);
      status = run(ctx, &a, work, tape, &r, &report);
    }
    if (status == VV_OK || status == VV_ERROR_NOT_CONVERGED) {
      vvStatus finite = check_finite(&a, &r, &report);
      if (finite != VV_OK) status = finite;
    }
    bool usable = status == VV_OK || status == VV_ERROR_NOT_CONVERGED;
    code = usable ? report_result(cli, &a, &r, status, &report) : vv_cli_fail(status, &report, "rolling out");
    if (r.g.model) vv_model_shadow_free(ctx, r.g.model);
    VV_DELETE(ctx, r.block, vvReal, r.reals);
    vv_tape_free(tape);
    vv_rollout_free(work);
  }
  vv_grad_arguments_free(&a);
  return code;
}
