// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// command_convert.c: vv convert: MJCF to MJCF, includes resolved, orientations as quaternions. The input is never
// overwritten, and what is written compiles to the same scene: that is checked before the file appears.

#define _XOPEN_SOURCE 700  // stat

#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "visviva/spec.h"

static bool same_file(const char* a, const char* b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool ends_with(const char* text, const char* end) {
  size_t n = strlen(text), k = strlen(end);
  return n >= k && !strcmp(text + n - k, end);
}

// The text that was written, read and compiled again, without a file.
static vvStatus check_text(vvContext* ctx, const char* text, size_t length, const char* name, vvReport* report) {
  vvSpec* spec = NULL;
  vvModel* model = NULL;
  vvStatus status = vv_spec_read_text(ctx, text, length, name, &spec, report);
  if (status == VV_OK) status = vv_compile(ctx, spec, &model, report);
  vv_model_free(ctx, model);
  vv_spec_free(spec);
  return status;
}

static vvStatus convert(vvContext* ctx, const char* in, const char* out, vvReport* report) {
  vvSpec* spec = NULL;
  vvModel* model = NULL;
  char* text = NULL;
  size_t length = 0;
  vvStatus status = vv_spec_read(ctx, in, &spec, report);
  if (status == VV_OK) status = vv_compile(ctx, spec, &model, report);
  if (status == VV_OK) status = vv_spec_write_text(spec, &text, &length, report);
  if (status == VV_OK) status = check_text(ctx, text, length, out, report);
  if (text) vv_free(ctx, text, length + 1);
  if (status == VV_OK) status = vv_spec_write(spec, out, report);
  vv_model_free(ctx, model);
  vv_spec_free(spec);
  return status;
}

int vv_command_convert(vvCli* cli) {
  const char *in = cli->position[0], *out = cli->position[1];
  if (!ends_with(out, ".xml"))
    return vv_cli_error("%.200s: the format is not known from the name; MJCF ends with .xml", out);
  if (same_file(in, out)) return vv_cli_error("%.200s: would overwrite the input; give another name", out);
  vvReport report;
  vv_report_clear(&report);
  return vv_cli_fail(convert(cli->context, in, out, &report), &report, in);
}
