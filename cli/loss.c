// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// loss.c: LOSS and --wrt (loss.h).

#include "cli/loss.h"

#include <stdio.h>
#include <string.h>

#include "cli/table.h"
#include "visviva/names.h"

// ---- losses ---------------------------------------------------------------------------------------------------------

void vv_loss_free(vvLoss* loss) {
  if (!loss->ctx) return;
  size_t n = (size_t)loss->nrow * (size_t)loss->nout;
  VV_DELETE(loss->ctx, loss->items, vvOutputItem, loss->nitem);
  vv_row_loss_free(loss->row);
  vv_kernel_free(loss->kernel);
  VV_DELETE(loss->ctx, loss->data, vvReal, (size_t)loss->ndata * (size_t)loss->ndatum);
  VV_DELETE(loss->ctx, loss->rows, int, loss->nrow);
  VV_DELETE(loss->ctx, loss->outputs_bar, vvReal, n);
  VV_DELETE(loss->ctx, loss->time_bar, vvReal, loss->nrow);
  memset(loss, 0, sizeof *loss);
}

static vvStatus allocate(vvLoss* loss, int nitem, int nrow, int nout, bool time) {
  loss->nitem = nitem;
  loss->nrow = nrow;
  loss->nout = nout;
  if (!loss->items) loss->items = VV_NEW(loss->ctx, vvOutputItem, nitem);
  loss->rows = VV_NEW(loss->ctx, int, nrow);
  loss->outputs_bar = VV_NEW(loss->ctx, vvReal, (size_t)nrow * (size_t)nout);
  if (time) loss->time_bar = VV_NEW(loss->ctx, vvReal, nrow);
  bool good = loss->items && loss->rows && loss->outputs_bar && (!time || loss->time_bar);
  return good ? VV_OK : VV_ERROR_MEMORY;
}

// final:QUANTITY or sum:QUANTITY, a scalar.
static vvStatus parse_quantity(const vvModel* m, const char* quantity, bool sum, int nstep, vvLoss* loss,
                               vvReport* report) {
  vvOutputItem item;
  vvStatus status = vv_output_find(m, quantity, &item, report);
  if (status != VV_OK) return status;
  if (item.dim != 1) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "--loss: %.80s has %d components; name one, as in %.80s/0",
                         quantity, item.dim, quantity);
  }
  int nrow = sum ? nstep + 1 : 1;
  status = allocate(loss, 1, nrow, 1, false);
  if (status != VV_OK) return status;
  loss->items[0] = item;
  loss->items[0].adr = 0;
  for (int r = 0; r < nrow; r++) {
    loss->rows[r] = sum ? r : nstep;
    loss->outputs_bar[r] = 1;
  }
  return VV_OK;
}

// Items of the columns of W.csv: column 0 is the step, `time` the column of t or -1.
static vvStatus find_columns(const vvModel* m, const vvTable* table, const char* path, vvLoss* loss, int* time,
                             vvReport* report) {
  if (!table->name || strcmp(table->name[0], "step") != 0) {
    return vv_report_set(report, VV_ERROR_FILE, "%s:1: the header must begin with 'step', then columns of a trajectory",
                         path);
  }
  loss->nitem = table->ncol;
  loss->items = VV_NEW(loss->ctx, vvOutputItem, loss->nitem);
  if (!loss->items) return VV_ERROR_MEMORY;
  *time = -1;
  for (int c = 1; c < table->ncol; c++) {
    const char* name = table->name[c];
    for (int k = 0; k < c; k++) {
      if (strcmp(table->name[k], name) == 0) {
        return vv_report_set(report, VV_ERROR_FILE, "%s:1: column '%.60s' is given twice", path, name);
      }
    }
    if (strcmp(name, "t") == 0) {
      *time = c;
      continue;
    }
    vvReport inner;
    vv_report_clear(&inner);
    vvStatus status = vv_output_find(m, name, &loss->items[c], &inner);
    if (status == VV_OK && loss->items[c].dim != 1) status = VV_ERROR_ARGUMENT;
    if (status != VV_OK) {
      return vv_report_set(report, VV_ERROR_FILE, "%s:1: column '%.60s' is no column of the trajectory%s%s", path, name,
                           inner.message[0] ? ": " : "", inner.message);
    }
  }
  return VV_OK;
}

// The table's rows in order of their steps: order[r] is the r-th row.
static vvStatus order_rows(const vvTable* table, const char* path, int nstep, int* order, vvReport* report) {
  for (int r = 0; r < table->nrow; r++) {
    double step = table->value[(size_t)r * (size_t)table->ncol];
    if (!(step >= 0 && step <= nstep) || step != (double)(int)step) {
      return vv_report_set(report, VV_ERROR_FILE, "%s:%d: step %g is not a whole number from 0 to %d", path,
                           table->line[r], step, nstep);
    }
    int at = r;
    while (at > 0 && table->value[(size_t)order[at - 1] * (size_t)table->ncol] > step) {
      order[at] = order[at - 1];
      at--;
    }
    order[at] = r;
    if (at > 0 && table->value[(size_t)order[at - 1] * (size_t)table->ncol] == step) {
      return vv_report_set(report, VV_ERROR_FILE, "%s:%d: step %g is given twice", path, table->line[r], step);
    }
  }
  return VV_OK;
}

static vvStatus fill_linear(const vvModel* m, const vvTable* table, const char* path, int nstep, int* order,
                            vvLoss* loss, vvReport* report) {
  int time = -1;
  vvStatus status = find_columns(m, table, path, loss, &time, report);
  if (status == VV_OK) status = order_rows(table, path, nstep, order, report);
  if (status != VV_OK) return status;
  int nitem = 0;
  for (int c = 1; c < table->ncol; c++) {
    if (c == time) continue;
    loss->items[nitem] = loss->items[c];
    loss->items[nitem].adr = nitem;
    nitem++;
  }
  // The block of items keeps its size; fewer of them count.
  int room = loss->nitem;
  status = allocate(loss, room, table->nrow, nitem, time >= 0);
  if (status != VV_OK) return status;
  for (int r = 0; r < table->nrow; r++) {
    const double* value = table->value + (size_t)order[r] * (size_t)table->ncol;
    loss->rows[r] = (int)value[0];
    if (time >= 0) loss->time_bar[r] = (vvReal)value[time];
    for (int c = 1, i = 0; c < table->ncol; c++) {
      if (c != time) loss->outputs_bar[(size_t)r * (size_t)nitem + (size_t)i++] = (vvReal)value[c];
    }
  }
  return VV_OK;
}

static vvStatus parse_linear(const vvModel* m, const char* path, int nstep, vvLoss* loss, vvReport* report) {
  vvTable table;
  vvStatus status = vv_table_read(loss->ctx, path, &table, report);
  if (status != VV_OK) return status;
  int* order = VV_NEW(loss->ctx, int, table.nrow);
  status = VV_ERROR_MEMORY;
  if (order) status = fill_linear(m, &table, path, nstep, order, loss, report);
  VV_DELETE(loss->ctx, order, int, table.nrow);
  vv_table_free(&table);
  return status;
}

static vvStatus read_data(vvLoss* loss, const char* path, int nstep, vvReport* report) {
  vvTable table;
  vvStatus status = vv_table_read(loss->ctx, path, &table, report);
  if (status != VV_OK) return status;
  size_t n = (size_t)table.nrow * (size_t)table.ncol;
  loss->data = VV_NEW(loss->ctx, vvReal, n);
  if (!loss->data) status = VV_ERROR_MEMORY;
  if (status == VV_OK) {
    loss->ndata = table.nrow;
    loss->ndatum = table.ncol;
    for (size_t i = 0; i < n; i++) loss->data[i] = (vvReal)table.value[i];
    if (table.nrow < nstep + 1) {
      status = vv_report_set(report, VV_ERROR_FILE, "%.120s: has %d rows; a loss over %d steps needs %d", path,
                             table.nrow, nstep, nstep + 1);
    }
  }
  vv_table_free(&table);
  return status;
}

// FILE.c:function
static vvStatus parse_kernel(const vvModel* m, const char* text, const char* data, int nstep, vvLoss* loss,
                             vvReport* report) {
  char file[1024];
  const char* colon = strrchr(text, ':');
  size_t n = (size_t)(colon - text);
  if (n >= sizeof file || !colon[1]) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "--loss %.80s: must be FILE.c:function", text);
  }
  memcpy(file, text, n);
  file[n] = 0;
  vvStatus status = vv_kernel_load(loss->ctx, file, colon + 1, NULL, &loss->kernel, report);
  if (status == VV_OK && data) status = read_data(loss, data, nstep, report);
  if (status != VV_OK) return status;
  const vvKernelFunction* f = vv_kernel_function(loss->kernel, colon + 1);
  status = vv_row_loss_create(loss->ctx, m, f, loss->data, loss->ndata, loss->ndatum, &loss->row, report);
  if (status != VV_OK) return status;
  int nitem = 0;
  int nout = 0;
  vv_row_loss_items(loss->row, &nitem, &nout);
  status = allocate(loss, 0, nstep + 1, nout, true);
  for (int k = 0; status == VV_OK && k <= nstep; k++) loss->rows[k] = k;
  return status;
}

vvStatus vv_loss_parse(vvContext* ctx, const vvModel* m, const char* text, const char* data, int nstep, vvLoss* loss,
                       vvReport* report) {
  memset(loss, 0, sizeof *loss);
  loss->ctx = ctx;
  bool kernel = strncmp(text, "linear:", 7) != 0 && strncmp(text, "final:", 6) != 0 && strncmp(text, "sum:", 4) != 0;
  if (data && !kernel) return vv_report_set(report, VV_ERROR_ARGUMENT, "--data belongs to --loss FILE.c:function");
  if (strncmp(text, "linear:", 7) == 0) return parse_linear(m, text + 7, nstep, loss, report);
  if (strncmp(text, "final:", 6) == 0) return parse_quantity(m, text + 6, false, nstep, loss, report);
  if (strncmp(text, "sum:", 4) == 0) return parse_quantity(m, text + 4, true, nstep, loss, report);
  if (strstr(text, ".c:")) return parse_kernel(m, text, data, nstep, loss, report);
  return vv_report_set(report, VV_ERROR_ARGUMENT,
                       "--loss %.80s: unknown; linear:W.csv, final:QUANTITY, sum:QUANTITY, FILE.c:function are known",
                       text);
}

// ---- --wrt ----------------------------------------------------------------------------------------------------------

void vv_wrt_free(vvWrt* wrt) {
  if (!wrt->ctx) return;
  VV_DELETE(wrt->ctx, wrt->numbers, int, wrt->capacity);
  VV_DELETE(wrt->ctx, wrt->part, vvWrtPart, wrt->npart);
  if (wrt->text) vv_free(wrt->ctx, wrt->text, wrt->text_bytes);
  memset(wrt, 0, sizeof *wrt);
}

// Sets the switch of a word, `again` when it was set already; false for names of numbers.
static bool take_word(vvWrt* wrt, const char* text, bool* again) {
  bool* word = strcmp(text, "ctrl") == 0    ? &wrt->ctrl
               : strcmp(text, "qpos0") == 0 ? &wrt->qpos0
               : strcmp(text, "qvel0") == 0 ? &wrt->qvel0
               : strcmp(text, "act0") == 0  ? &wrt->act0
                                            : NULL;
  if (word) {
    *again = *word;
    *word = true;
  }
  return word != NULL;
}

static vvStatus add_numbers(const vvModel* m, vvWrt* wrt, vvWrtPart* part, vvReport* report) {
  part->first = wrt->nnumber;
  part->n = vv_number_match(m, part->text, wrt->numbers + part->first, wrt->capacity - part->first);
  if (part->n == 0) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "--wrt %.80s: no such number; vv info lists them", part->text);
  }
  if (part->first + part->n > wrt->capacity) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "--wrt %.80s: a number is asked for twice", part->text);
  }
  for (int i = part->first; i < part->first + part->n; i++) {
    const vvNumber* number = &m->names->numbers[wrt->numbers[i]];
    if (number->reason) {
      return vv_report_set(report, VV_ERROR_UNSUPPORTED, "--wrt %.80s: cannot be differentiated: %.120s", number->name,
                           number->reason);
    }
    for (int k = 0; k < part->first; k++) {
      if (wrt->numbers[k] == wrt->numbers[i]) {
        return vv_report_set(report, VV_ERROR_ARGUMENT, "--wrt %.80s: is asked for twice", number->name);
      }
    }
  }
  wrt->nnumber += part->n;
  return VV_OK;
}

vvStatus vv_wrt_parse(vvContext* ctx, const vvModel* m, const char* text, vvWrt* wrt, vvReport* report) {
  memset(wrt, 0, sizeof *wrt);
  wrt->ctx = ctx;
  wrt->text_bytes = strlen(text) + 1;
  wrt->text = vv_alloc(ctx, wrt->text_bytes);
  if (!wrt->text) return VV_ERROR_MEMORY;
  memcpy(wrt->text, text, wrt->text_bytes);
  wrt->npart = 1;
  for (const char* p = text; *p; p++) wrt->npart += *p == ',';
  wrt->capacity = m->names ? m->names->nnumber : 0;
  wrt->numbers = VV_NEW(ctx, int, wrt->capacity);
  wrt->part = VV_NEW(ctx, vvWrtPart, wrt->npart);
  if (!wrt->numbers || !wrt->part) return VV_ERROR_MEMORY;
  char* at = wrt->text;
  for (int i = 0; i < wrt->npart; i++) {
    vvWrtPart* part = &wrt->part[i];
    part->text = at;
    at += strcspn(at, ",");
    *at++ = 0;
    bool again = false;
    if (take_word(wrt, part->text, &again)) {
      if (!again) continue;
      return vv_report_set(report, VV_ERROR_ARGUMENT, "--wrt %.80s: is asked for twice", part->text);
    }
    if (part->text[0] == 0) {
      return vv_report_set(report, VV_ERROR_ARGUMENT, "--wrt: an empty name; names are separated by one comma");
    }
    vvStatus status = add_numbers(m, wrt, part, report);
    if (status != VV_OK) return status;
  }
  return VV_OK;
}

// ---- both -----------------------------------------------------------------------------------------------------------

static int check_options(const vvCli* cli) {
  static const char* const later[] = {"control", "force"};
  for (int i = 0; i < 2; i++) {
    if (vv_cli_has(cli, later[i])) return vv_cli_error("--%s is not built yet", later[i]);
  }
  const char* mode = vv_cli_text(cli, "mode");
  if (mode && strcmp(mode, "exact") != 0) {
    bool known = strcmp(mode, "event") == 0 || strcmp(mode, "soft") == 0 || strcmp(mode, "randomized") == 0;
    if (known) return vv_cli_error("--mode %s is not built yet; exact is", mode);
    return vv_cli_error("--mode %.40s: unknown; exact is the one built", mode);
  }
  static const char* const mode_options[] = {"sigma0", "kappa", "sigma-v", "grazing", "samples", "spread"};
  for (int i = 0; i < 6; i++) {
    if (vv_cli_has(cli, mode_options[i])) return vv_cli_error("--%s is not built yet", mode_options[i]);
  }
  static const char* const needed[] = {"steps", "loss", "wrt"};
  for (int i = 0; i < 3; i++) {
    if (!vv_cli_has(cli, needed[i])) {
      return vv_cli_error("--%s is missing; vv help %s shows an example", needed[i], cli->command->name);
    }
  }
  return 0;
}

int vv_grad_arguments(vvCli* cli, vvGradArguments* arguments) {
  memset(arguments, 0, sizeof *arguments);
  int code = check_options(cli);
  if (code != 0) return code;
  long nstep = 0;
  long memory = 0;
  if (!vv_cli_int(cli, "steps", 0, 100000000, &nstep) || !vv_cli_int(cli, "memory", 1, 1 << 24, &memory)) {
    return VV_EXIT_USAGE;
  }
  arguments->nstep = (int)nstep;
  arguments->memory = (size_t)memory << 20;
  code = vv_cli_scene_load(cli, arguments->nstep, &arguments->scene);
  if (code != 0) return code;
  vvReport report;
  vv_report_clear(&report);
  const vvModel* m = arguments->scene.model;
  vvStatus status = vv_wrt_parse(cli->context, m, vv_cli_text(cli, "wrt"), &arguments->wrt, &report);
  if (status == VV_OK) {
    status = vv_loss_parse(cli->context, m, vv_cli_text(cli, "loss"), vv_cli_text(cli, "data"), arguments->nstep,
                           &arguments->loss, &report);
  }
  return vv_cli_fail(status, &report, "reading the arguments");
}

void vv_grad_arguments_free(vvGradArguments* arguments) {
  vv_loss_free(&arguments->loss);
  vv_wrt_free(&arguments->wrt);
  vv_cli_scene_free(&arguments->scene);
}

vvRolloutInput vv_grad_rollout(const vvGradArguments* arguments) {
  const vvLoss* loss = &arguments->loss;
  vvRolloutInput in = {.model = arguments->scene.model,
                       .initial = arguments->scene.stated ? arguments->scene.state : NULL,
                       .nstep = arguments->nstep,
                       .ctrl = arguments->scene.ctrl,
                       .nctrl = arguments->scene.nctrl,
                       .items = loss->items,
                       .nitem = loss->nout,
                       .nout = loss->nout,
                       .rows = loss->rows,
                       .nrow = loss->nrow};
  if (loss->row) in.items = vv_row_loss_items(loss->row, &in.nitem, &in.nout);
  return in;
}
