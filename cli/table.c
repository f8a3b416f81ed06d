// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// table.c: CSV tables (table.h).

#include "cli/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

vvStatus vv_file_read(vvContext* ctx, const char* path, char** text, size_t* bytes, vvReport* report) {
  *text = NULL;
  *bytes = 0;
  FILE* file = fopen(path, "rb");
  if (!file) return vv_report_set(report, VV_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
  size_t capacity = 1 << 16;
  size_t n = 0;
  char* data = vv_alloc(ctx, capacity);
  vvStatus status = data ? VV_OK : VV_ERROR_MEMORY;
  while (status == VV_OK) {
    n += fread(data + n, 1, capacity - 1 - n, file);
    if (n < capacity - 1) break;
    char* larger = vv_context_realloc(ctx, data, capacity, 2 * capacity);
    if (!larger) {
      status = VV_ERROR_MEMORY;
      break;
    }
    data = larger;
    capacity *= 2;
  }
  if (status == VV_OK && ferror(file)) {
    status = vv_report_set(report, VV_ERROR_FILE, "%s: cannot be read: %s", path, strerror(errno));
  }
  fclose(file);
  char* exact = status == VV_OK ? vv_context_realloc(ctx, data, capacity, n + 1) : NULL;
  if (!exact) {
    vv_free(ctx, data, capacity);
    return status == VV_OK ? VV_ERROR_MEMORY : status;
  }
  exact[n] = 0;
  *text = exact;
  *bytes = n;
  return VV_OK;
}

void vv_table_free(vvTable* table) {
  if (!table->ctx) return;
  VV_DELETE(table->ctx, table->name, char*, table->ncol);
  VV_DELETE(table->ctx, table->value, double, (size_t)table->row_capacity*(size_t)table->ncol);
  VV_DELETE(table->ctx, table->line, int, table->row_capacity);
  if (table->text) vv_free(table->ctx, table->text, table->text_bytes + 1);
  memset(table, 0, sizeof *table);
}

int vv_table_column(const vvTable* table, const char* name) {
  for (int i = 0; table->name && i < table->ncol; i++) {
    if (strcmp(table->name[i], name) == 0) return i;
  }
  return -1;
}

// Cuts the next field off *at: ends it with 0, trims blanks; `last` tells that the line ends here.
static char* take_field(char** at, bool* last) {
  char* begin = *at;
  char* end = begin + strcspn(begin, ",");
  *last = *end == 0;
  *at = *last ? end : end + 1;
  *end = 0;
  while (*begin == ' ' || *begin == '\t') begin++;
  while (end > begin && (end[-1] == ' ' || end[-1] == '\t')) *--end = 0;
  return begin;
}

static int count_fields(const char* line) {
  int n = 1;
  for (; *line; line++) n += *line == ',';
  return n;
}

static bool is_number(const char* text, double* value) {
  const char* end = NULL;
  return vv_real_from_text(text, &end, value) && end != text && *end == 0;
}

// True when the first field of the line is not a number.
static bool is_header(const char* line) {
  char field[64];
  size_t n = strcspn(line, ",");
  if (n >= sizeof field) return true;
  memcpy(field, line, n);
  field[n] = 0;
  double value = 0;
  char* at = field;
  bool last = false;
  return !is_number(take_field(&at, &last), &value);
}

static vvStatus grow_rows(vvTable* table) {
  int capacity = table->row_capacity > 0 ? 2 * table->row_capacity : 64;
  size_t width = (size_t)table->ncol;
  double* value = VV_NEW(table->ctx, double, (size_t)capacity* width);
  int* line = VV_NEW(table->ctx, int, capacity);
  if (!value || !line) {
    VV_DELETE(table->ctx, value, double, (size_t)capacity* width);
    VV_DELETE(table->ctx, line, int, capacity);
    return VV_ERROR_MEMORY;
  }
  if (table->nrow > 0) {
    memcpy(value, table->value, (size_t)table->nrow * width * sizeof(double));
    memcpy(line, table->line, (size_t)table->nrow * sizeof(int));
  }
  VV_DELETE(table->ctx, table->value, double, (size_t)table->row_capacity* width);
  VV_DELETE(table->ctx, table->line, int, table->row_capacity);
  table->value = value;
  table->line = line;
  table->row_capacity = capacity;
  return VV_OK;
}

static vvStatus read_header(vvTable* table, char* line) {
  table->name = VV_NEW(table->ctx, char*, table->ncol);
  if (!table->name) return VV_ERROR_MEMORY;
  bool last = false;
  for (int i = 0; i < table->ncol; i++) table->name[i] = take_field(&line, &last);
  return VV_OK;
}

static vvStatus read_row(vvTable* table, const char* path, char* line, int number, vvReport* report) {
  int n = count_fields(line);
  if (n != table->ncol) {
    return vv_report_set(report, VV_ERROR_FILE, "%s:%d: %d columns; the lines above have %d", path, number, n,
                         table->ncol);
  }
  if (table->nrow == table->row_capacity && grow_rows(table) != VV_OK) return VV_ERROR_MEMORY;
  double* row = table->value + (size_t)table->nrow * (size_t)table->ncol;
  bool last = false;
  for (int i = 0; i < n; i++) {
    const char* field = take_field(&line, &last);
    if (!is_number(field, &row[i]) || !isfinite(row[i])) {
      return vv_report_set(report, VV_ERROR_FILE, "%s:%d: column %d: '%.40s' is not a finite number", path, number,
                           i + 1, field);
    }
  }
  table->line[table->nrow++] = number;
  return VV_OK;
}

static vvStatus read_lines(vvTable* table, const char* path, vvReport* report) {
  char* at = table->text;
  if (strncmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;
  if (memchr(table->text, 0, table->text_bytes)) {
    return vv_report_set(report, VV_ERROR_FILE, "%s: holds a zero byte; it must be text", path);
  }
  bool first = true;
  for (int number = 1; *at; number++) {
    char* line = at;
    size_t length = strcspn(line, "\n");
    at = line + length + (line[length] == '\n');
    line[length] = 0;
    if (length > 0 && line[length - 1] == '\r') line[length - 1] = 0;
    if (line[strspn(line, " \t")] == 0) continue;
    vvStatus status = VV_OK;
    if (first) {
      table->ncol = count_fields(line);
      first = false;
      status = is_header(line) ? read_header(table, line) : read_row(table, path, line, number, report);
    } else {
      status = read_row(table, path, line, number, report);
    }
    if (status != VV_OK) return status;
  }
  return VV_OK;
}

vvStatus vv_table_read(vvContext* ctx, const char* path, vvTable* table, vvReport* report) {
  memset(table, 0, sizeof *table);
  table->ctx = ctx;
  vvStatus status = vv_file_read(ctx, path, &table->text, &table->text_bytes, report);
  if (status == VV_OK) status = read_lines(table, path, report);
  if (status != VV_OK) vv_table_free(table);
  return status;
}
