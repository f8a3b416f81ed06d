// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// json_out.c: see json_out.h.

#include "cli/json_out.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

#include "cli/cli.h"

vvJsonOut vv_json_begin(FILE* file) {
  vvJsonOut json = {.file = file};
  return json;
}

// What stands before a value or key: nothing, or a comma.
static void separate(vvJsonOut* json) {
  if (json->after_key) {
    json->after_key = false;
    return;
  }
  if (json->depth == 0) return;
  if (json->filled[json->depth - 1]) fputs(", ", json->file);
  json->filled[json->depth - 1] = true;
}

static void open_level(vvJsonOut* json, char open, char close) {
  assert(json->depth < VV_JSON_DEPTH);
  separate(json);
  fputc(open, json->file);
  json->close[json->depth] = close;
  json->filled[json->depth] = false;
  json->depth++;
}

void vv_json_object(vvJsonOut* json) {
  open_level(json, '{', '}');
}

void vv_json_array(vvJsonOut* json) {
  open_level(json, '[', ']');
}

void vv_json_end(vvJsonOut* json) {
  assert(json->depth > 0);
  fputc(json->close[--json->depth], json->file);
}

static void write_string(FILE* file, const char* text) {
  fputc('"', file);
  for (const unsigned char* p = (const unsigned char*)text; *p; p++) {
    if (*p == '"' || *p == '\\') {
      fprintf(file, "\\%c", *p);
    } else if (*p < 0x20) {
      fprintf(file, "\\u%04x", *p);
    } else {
      fputc(*p, file);
    }
  }
  fputc('"', file);
}

void vv_json_key(vvJsonOut* json, const char* key) {
  separate(json);
  write_string(json->file, key);
  fputs(": ", json->file);
  json->after_key = true;
}

void vv_json_text(vvJsonOut* json, const char* text) {
  separate(json);
  if (text) {
    write_string(json->file, text);
  } else {
    fputs("null", json->file);
  }
}

void vv_json_int(vvJsonOut* json, int64_t value) {
  separate(json);
  fprintf(json->file, "%" PRId64, value);
}

void vv_json_bool(vvJsonOut* json, bool value) {
  separate(json);
  fputs(value ? "true" : "false", json->file);
}

void vv_json_real(vvJsonOut* json, double value) {
  separate(json);
  if (isfinite(value)) {
    vv_print_real(json->file, value);
  } else {
    fputs("null", json->file);
  }
}

void vv_json_hash(vvJsonOut* json, uint64_t value) {
  separate(json);
  fprintf(json->file, "\"%016" PRIx64 "\"", value);
}

void vv_json_reals(vvJsonOut* json, const char* key, const vvReal* values, int n) {
  if (key) vv_json_key(json, key);
  vv_json_array(json);
  for (int i = 0; i < n; i++) vv_json_real(json, values[i]);
  vv_json_end(json);
}

bool vv_json_finish(vvJsonOut* json) {
  assert(json->depth == 0);
  fputc('\n', json->file);
  return fflush(json->file) == 0 && !ferror(json->file);
}
