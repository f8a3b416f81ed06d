// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// command_jac.c: vv jac: derivatives of one step, x' = f(x, u), y = g(x, u), by forward sensitivities in eight
// directions at a time.
//
//   A = dx'/dx, B = dx'/du, C = dy/dx, D = dy/du;  x in the order dq (tangent), v, act; y the sensors

#include <stdio.h>
#include <string.h>

#include "cli/inputs.h"
#include "cli/json_out.h"
#include "visviva/roll.h"

typedef struct jacobians {
  int nx, nu, ny;
  vvReal* A;  // nx x nx
  vvReal* B;  // nx x nu
  vvReal* C;  // ny x nx
  vvReal* D;  // ny x nu
} jacobians;

// Scratch: tangents in and out.
typedef struct scratch {
  vvReal8* q0;
  vvReal8* v0;
  vvReal8* act0;
  vvReal8* ctrl;
  vvReal8* q;
  vvReal8* v;
  vvReal8* act;
  vvReal8* y;
  vvReal8* block;
  size_t n;
} scratch;

static vvStatus make_scratch(vvContext* ctx, const vvModel* m, int ny, scratch* s) {
  size_t nv = (size_t)m->nv;
  size_t na = (size_t)m->na;
  s->n = 4 * nv + 2 * na + (size_t)m->nu + (size_t)ny;
  s->block = VV_NEW(ctx, vvReal8, s->n);
  if (!s->block) return VV_ERROR_MEMORY;
  s->q0 = s->block;
  s->v0 = s->q0 + nv;
  s->q = s->v0 + nv;
  s->v = s->q + nv;
  s->act0 = s->v + nv;
  s->act = s->act0 + na;
  s->ctrl = s->act + na;
  s->y = s->ctrl + m->nu;
  return VV_OK;
}

// Entry i of (dq, v, act, u) at the start of the step.
static vvReal8* entry(const vvModel* m, scratch* s, int i) {
  if (i < m->nv) return &s->q0[i];
  i -= m->nv;
  if (i < m->nv) return &s->v0[i];
  i -= m->nv;
  return i < m->na ? &s->act0[i] : &s->ctrl[i - m->na];
}

static void take_column(const vvModel* m, const scratch* s, int column, int lane, jacobians* J) {
  bool control = column >= J->nx;
  int width = control ? J->nu : J->nx;
  int at = control ? column - J->nx : column;
  vvReal* X = control ? J->B : J->A;
  vvReal* Y = control ? J->D : J->C;
  for (int i = 0; i < m->nv; i++) X[i * width + at] = s->q[i][lane];
  for (int i = 0; i < m->nv; i++) X[(m->nv + i) * width + at] = s->v[i][lane];
  for (int i = 0; i < m->na; i++) X[(2 * m->nv + i) * width + at] = s->act[i][lane];
  for (int i = 0; i < J->ny; i++) Y[i * width + at] = s->y[i][lane];
}

static vvStatus fill(const vvRolloutInput* in, vvTape* tape, vvRollout* work, scratch* s, jacobians* J,
                     vvReport* report) {
  const vvModel* m = in->model;
  vvStatus worst = vv_rollout(in, tape, work, NULL, report);
  if (worst != VV_OK && worst != VV_ERROR_NOT_CONVERGED) return worst;
  int n = J->nx + J->nu;
  for (int begin = 0; begin < n; begin += 8) {
    memset(s->block, 0, s->n * sizeof(vvReal8));
    for (int lane = 0; lane < 8 && begin + lane < n; lane++) (*entry(m, s, begin + lane))[lane] = 1;
    vvRolloutTangent tangent = {.q0_tan = s->q0, .v0_tan = s->v0, .act0_tan = s->act0, .ctrl_tan = s->ctrl};
    vvRolloutOutputTangent out = {.outputs_tan = s->y, .q_tan = s->q, .v_tan = s->v, .act_tan = s->act};
    vvStatus status = vv_rollout_jvp8(in, tape, work, &tangent, &out, worst == VV_OK ? report : NULL);
    if (status != VV_OK) return status;
    for (int lane = 0; lane < 8 && begin + lane < n; lane++) take_column(m, s, begin + lane, lane, J);
  }
  return worst;
}

static void write_matrix(vvJsonOut* j, const char* key, const vvReal* X, int nrow, int ncol) {
  vv_json_key(j, key);
  vv_json_array(j);
  for (int i = 0; i < nrow; i++) vv_json_reals(j, NULL, X + (size_t)i * (size_t)ncol, ncol);
  vv_json_end(j);
}

static bool write_json(FILE* file, const jacobians* J, bool sensors) {
  vvJsonOut j = vv_json_begin(file);
  vv_json_object(&j);
  write_matrix(&j, "A", J->A, J->nx, J->nx);
  write_matrix(&j, "B", J->B, J->nx, J->nu);
  if (sensors) {
    write_matrix(&j, "C", J->C, J->ny, J->nx);
    write_matrix(&j, "D", J->D, J->ny, J->nu);
  }
  vv_json_key(&j, "order");
  vv_json_array(&j);
  vv_json_text(&j, "dq");
  vv_json_text(&j, "v");
  vv_json_text(&j, "act");
  vv_json_end(&j);
  vv_json_end(&j);
  return vv_json_finish(&j);
}

static void print_matrix(const char* name, const vvReal* X, int nrow, int ncol) {
  printf("%s (%d x %d)\n", name, nrow, ncol);
  for (int i = 0; i < nrow; i++) {
    for (int k = 0; k < ncol; k++) printf(" %12.5g", (double)X[i * ncol + k]);
    printf("\n");
  }
}

static int report_result(const vvCli* cli, const jacobians* J) {
  bool sensors = vv_cli_has(cli, "sensors");
  if (cli->json)
    return write_json(stdout, J, sensors) ? VV_EXIT_DONE : vv_cli_error("standard output could not be written");
  if (cli->quiet) return VV_EXIT_DONE;
  print_matrix("A", J->A, J->nx, J->nx);
  print_matrix("B", J->B, J->nx, J->nu);
  if (sensors) {
    print_matrix("C", J->C, J->ny, J->nx);
    print_matrix("D", J->D, J->ny, J->nu);
  }
  return VV_EXIT_DONE;
}

static int run(vvCli* cli, const vvCliScene* scene) {
  vvContext* ctx = cli->context;
  const vvModel* m = scene->model;
  bool sensors = vv_cli_has(cli, "sensors");
  static const int first_row[] = {0};
  // Controls are written out, so that they can be moved even where they are zero.
  vvReal* ctrl = VV_NEW(ctx, vvReal, m->nu);
  vvOutputItem* items = VV_NEW(ctx, vvOutputItem, m->nsensor);
  jacobians J = {.nx = 2 * m->nv + m->na, .nu = m->nu, .ny = sensors ? m->nsensordata : 0};
  size_t n = (size_t)(J.nx + J.ny) * (size_t)(J.nx + J.nu);
  vvReal* block = VV_NEW(ctx, vvReal, n);
  scratch s = {0};
  vvRollout* work = NULL;
  vvTape* tape = NULL;
  vvReport report;
  vv_report_clear(&report);
  vvStatus status = ctrl && items && block ? VV_OK : VV_ERROR_MEMORY;
  if (status == VV_OK) status = make_scratch(ctx, m, J.ny, &s);
  if (status == VV_OK && sensors) status = vv_output_sensors(m, items, &report);
  if (status == VV_OK) status = vv_rollout_create(ctx, m, VV_ROLLOUT_TANGENT, &work);
  if (status == VV_OK) status = vv_tape_create(ctx, &tape);
  if (status == VV_OK) {
    J.A = block;
    J.B = J.A + J.nx * J.nx;
    J.C = J.B + J.nx * J.nu;
    J.D = J.C + J.ny * J.nx;
    if (scene->ctrl) memcpy(ctrl, scene->ctrl, (size_t)m->nu * sizeof(vvReal));
    vvRolloutInput in = {.model = m,
                         .initial = scene->state,
                         .nstep = 1,
                         .ctrl = ctrl,
                         .nctrl = 1,
                         .items = items,
                         .nitem = sensors ? m->nsensor : 0,
                         .nout = J.ny,
                         .rows = first_row,
                         .nrow = 1};
    status = fill(&in, tape, work, &s, &J, &report);
  }
  bool usable = status == VV_OK || status == VV_ERROR_NOT_CONVERGED;
  int code = usable ? report_result(cli, &J) : 0;
  if (code == VV_EXIT_DONE) code = vv_cli_fail(status, &report, "differentiating the step");
  vv_tape_free(tape);
  vv_rollout_free(work);
  VV_DELETE(ctx, s.block, vvReal8, s.n);
  VV_DELETE(ctx, block, vvReal, n);
  VV_DELETE(ctx, items, vvOutputItem, m->nsensor);
  VV_DELETE(ctx, ctrl, vvReal, m->nu);
  return code;
}

int vv_command_jac(vvCli* cli) {
  vvCliScene scene;
  int code = vv_cli_scene_load(cli, -1, &scene);
  if (code == 0) code = run(cli, &scene);
  vv_cli_scene_free(&scene);
  return code;
}
