// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// command_check.c: vv check: the gradient against differences, direction by direction.

#include "visviva/check.h"

#include <stdio.h>

#include "cli/json_out.h"
#include "cli/loss.h"

// The name of a single direction: the number's, or the block's with its indices.
static void direction_name(const vvModel* m, const vvCheckDirection* d, char* text, size_t size) {
  if (d->number >= 0) {
    snprintf(text, size, "%s", m->names->numbers[d->number].name);
  } else if (d->block[0] == 'c' && m->nu > 0) {
    snprintf(text, size, "%s[%d][%d]", d->block, d->index / m->nu, d->index % m->nu);
  } else {
    snprintf(text, size, "%s[%d]", d->block, d->index);
  }
}

static void write_direction(vvJsonOut* j, const vvModel* m, const vvCheckDirection* d) {
  char name[512];
  vv_json_object(j);
  if (d->index >= 0) {
    direction_name(m, d, name, sizeof name);
    vv_json_key(j, "name");
  } else {
    snprintf(name, sizeof name, "%s#%d", d->block, d->mixture);
    vv_json_key(j, "mixture");
  }
  vv_json_text(j, name);
  vv_json_key(j, "adjoint");
  vv_json_real(j, d->adjoint);
  vv_json_key(j, "difference");
  vv_json_real(j, d->difference);
  vv_json_key(j, "error");
  vv_json_real(j, d->error);
  vv_json_key(j, "verdict");
  vv_json_text(j, vv_verdict_text(d->verdict));
  vv_json_key(j, "step");
  if (d->step >= 0) {
    vv_json_int(j, d->step);
  } else {
    vv_json_text(j, NULL);
  }
  vv_json_key(j, "where");
  vv_json_text(j, d->where[0] ? d->where : NULL);
  vv_json_end(j);
}

static bool write_json(FILE* file, const vvModel* m, const vvCheckResult* r) {
  vvJsonOut j = vv_json_begin(file);
  vv_json_object(&j);
  vv_json_key(&j, "directions");
  vv_json_array(&j);
  for (int i = 0; i < r->ndirection; i++) write_direction(&j, m, &r->direction[i]);
  vv_json_end(&j);
  vv_json_key(&j, "resolved");
  vv_json_int(&j, r->nresolved);
  vv_json_key(&j, "unchanged");
  vv_json_int(&j, r->nunchanged);
  vv_json_key(&j, "growth_per_s");
  vv_json_real(&j, r->growth_per_s);
  vv_json_end(&j);
  return vv_json_finish(&j);
}

static void print_text(const vvModel* m, const vvCheckResult* r) {
  printf("%-34s %15s %15s %9s  %s\n", "direction", "adjoint", "difference", "error", "verdict");
  for (int i = 0; i < r->ndirection; i++) {
    const vvCheckDirection* d = &r->direction[i];
    char name[512];
    if (d->index >= 0) {
      direction_name(m, d, name, sizeof name);
    } else {
      snprintf(name, sizeof name, "%s, mixture %d", d->block, d->mixture);
    }
    printf("%-34s %15.8g %15.8g %9.1e  %s", name, d->adjoint, d->difference, d->error, vv_verdict_text(d->verdict));
    if (d->step >= 0) printf(" at step %d: %s", d->step, d->where);
    printf("\n");
  }
  printf("%d directions, %d resolved, %d of them with unchanged branches, %d mismatches, adjoint growth %.3g /s\n",
         r->ndirection, r->nresolved, r->nunchanged, r->nmismatch, r->growth_per_s);
}

static int report_result(const vvCli* cli, const vvModel* m, const vvCheckResult* r) {
  if (cli->json) {
    if (!write_json(stdout, m, r)) return vv_cli_error("standard output could not be written");
  } else if (!cli->quiet) {
    print_text(m, r);
  }
  return r->nmismatch > 0 ? VV_EXIT_FAILED : VV_EXIT_DONE;
}

int vv_command_check(vvCli* cli) {
  vvGradArguments a;
  double tolerance = 1e-6;
  if (!vv_cli_real(cli, "tolerance", 1e-15, 1, &tolerance)) return VV_EXIT_USAGE;
  int code = vv_grad_arguments(cli, &a);
  if (code == 0) {
    vvCheckInput in = {.rollout = vv_grad_rollout(&a),
                       .outputs_bar = a.loss.outputs_bar,
                       .time_bar = a.loss.time_bar,
                       .row_loss = a.loss.row,
                       .ctrl = a.wrt.ctrl,
                       .qpos0 = a.wrt.qpos0,
                       .qvel0 = a.wrt.qvel0,
                       .act0 = a.wrt.act0,
                       .numbers = a.wrt.numbers,
                       .nnumber = a.wrt.nnumber,
                       .tolerance = tolerance,
                       .seed = cli->seed};
    vvCheckResult* result = NULL;
    vvReport report;
    vvStatus status = vv_check(cli->context, &in, &result, &report);
    code = status == VV_OK ? report_result(cli, a.scene.model, result) : vv_cli_fail(status, &report, "checking");
    vv_check_free(cli->context, result);
  }
  vv_grad_arguments_free(&a);
  return code;
}
