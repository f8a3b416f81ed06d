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
#include "visviva/batch.h"

typedef struct jacobians {
  int nx, nu, ny;
  vvReal* A;  // nx x nx
  vvReal* B;  // nx x nu
  vvReal* C;  // ny x nx
  vvReal* D;  // ny x nu
} jacobians;

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
  vvReal* ctrl = VV_NEW(ctx, vvReal, m->nu);
  vvOutputItem* items = VV_NEW(ctx, vvOutputItem, m->nsensor);
  jacobians J = {.nx = 2 * m->nv + m->na, .nu = m->nu, .ny = sensors ? m->nsensordata : 0};
  size_t n = (size_t)(J.nx + J.ny) * (size_t)(J.nx + J.nu);
  vvReal* block = VV_NEW(ctx, vvReal, n);
  vvBatch* batch = NULL;
  vvReport report;
  vv_report_clear(&report);
  vvStatus status = ctrl && items && block ? VV_OK : VV_ERROR_MEMORY;
  if (status == VV_OK && sensors) status = vv_output_sensors(m, items, &report);
  if (status == VV_OK) status = vv_batch_create(ctx, m, 1, VV_ROLLOUT_TANGENT, &batch);
  if (status == VV_OK) {
    J.A = block;
    J.B = J.A + J.nx * J.nx;
    J.C = J.B + J.nx * J.nu;
    J.D = J.C + J.ny * J.nx;
    if (scene->ctrl) memcpy(ctrl, scene->ctrl, (size_t)m->nu * sizeof(vvReal));
    vvBatchInput in = {.state = scene->state ? scene->state->block : NULL,
                       .ctrl = ctrl,
                       .nctrl = 1,
                       .items = items,
                       .nitem = sensors ? m->nsensor : 0,
                       .nout = J.ny};
    vvBatchJacobian out = {.A = J.A, .B = J.B, .C = J.C, .D = J.D};
    status = vv_batch_jacobian(batch, &in, &out, &report);
  }
  bool usable = status == VV_OK || status == VV_ERROR_NOT_CONVERGED;
  int code = usable ? report_result(cli, &J) : 0;
  if (code == VV_EXIT_DONE) code = vv_cli_fail(status, &report, "differentiating the step");
  vv_batch_free(batch);
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
