// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// mjcf_text.c: XML text piece by piece (mjcf_text.h).

#include "scene/mjcf_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"

static void put(vvText* t, const char* text, size_t n) {
  if (t->failed) return;
  if (t->size + n + 1 > t->capacity) {
    size_t capacity = t->capacity ? t->capacity : 4096;
    while (capacity < t->size + n + 1) capacity *= 2;
    char* grown =
        t->data ? vv_context_realloc(t->context, t->data, t->capacity, capacity) : vv_alloc(t->context, capacity);
    if (!grown) {
      t->failed = true;
      return;
    }
    t->data = grown;
    t->capacity = capacity;
  }
  memcpy(t->data + t->size, text, n);
  t->size += n;
  t->data[t->size] = 0;
}

static void put_text(vvText* t, const char* text) {
  put(t, text, strlen(text));
}

static void indent(vvText* t) {
  for (int i = 0; i < t->depth; i++) put(t, "  ", 2);
}

void vv_text_open(vvText* t, const char* word) {
  indent(t);
  put(t, "<", 1);
  put_text(t, word);
}

void vv_text_attribute(vvText* t, const char* name, const char* value) {
  put(t, " ", 1);
  put_text(t, name);
  put(t, "=\"", 2);
  for (; *value; value++) {
    switch (*value) {
      case '&':
        put_text(t, "&amp;");
        break;
      case '<':
        put_text(t, "&lt;");
        break;
      case '>':
        put_text(t, "&gt;");
        break;
      case '"':
        put_text(t, "&quot;");
        break;
      case '\n':
        put_text(t, "&#10;");
        break;
      case '\r':
        put_text(t, "&#13;");
        break;
      case '\t':
        put_text(t, "&#9;");
        break;
      default:
        put(t, value, 1);
    }
  }
  put(t, "\"", 1);
}

// %.{digits}g with a decimal point in every locale.
static void format_real(double x, int digits, char text[64]) {
  char raw[64];
  int n = 0;
  bool point = false;
  snprintf(raw, sizeof raw, "%.*g", digits, x);
  for (const char* p = raw; *p; p++) {
    if (strchr("0123456789+-e", *p)) {
      text[n++] = *p;
    } else if (!point) {
      point = true;
      text[n++] = '.';
    }
  }
  text[n] = 0;
}

// As few digits as read back to the same number.
static void put_real(vvText* t, double x) {
  char text[64];
  for (int digits = 15; digits <= 17; digits++) {
    const char* end;
    double back = 0;
    format_real(x, digits, text);
    if (vv_real_from_text(text, &end, &back) && back == x) break;
  }
  put_text(t, text);
}

void vv_text_reals(vvText* t, const char* name, const double* values, int n) {
  put(t, " ", 1);
  put_text(t, name);
  put(t, "=\"", 2);
  for (int i = 0; i < n; i++) {
    if (i) put(t, " ", 1);
    put_real(t, values[i]);
  }
  put(t, "\"", 1);
}

void vv_text_int(vvText* t, const char* name, int value) {
  char text[16];
  snprintf(text, sizeof text, "%d", value);
  vv_text_attribute(t, name, text);
}

void vv_text_close(vvText* t, const char* word, bool empty) {
  (void)word;
  put_text(t, empty ? "/>\n" : ">\n");
  if (!empty) t->depth++;
}

void vv_text_end(vvText* t, const char* word) {
  t->depth--;
  indent(t);
  put(t, "</", 2);
  put_text(t, word);
  put(t, ">\n", 2);
}

void vv_text_section(vvText* t, const char* word) {
  vv_text_open(t, word);
  vv_text_close(t, word, false);
}

void vv_text_undo(vvText* t, size_t size) {
  if (t->failed) return;
  t->size = size;
  t->data[size] = 0;
}

vvStatus vv_text_take(vvText* t, char** text, size_t* length) {
  if (t->failed) return VV_ERROR_MEMORY;
  char* exact = vv_alloc(t->context, t->size + 1);
  if (!exact) return VV_ERROR_MEMORY;
  memcpy(exact, t->data, t->size);
  *text = exact;
  *length = t->size;
  return VV_OK;
}

void vv_text_free(vvText* t) {
  if (t->data) vv_free(t->context, t->data, t->capacity);
  t->data = NULL;
}

vvStatus vv_file_write_whole(vvContext* context, const char* path, const void* data, size_t bytes, vvReport* report) {
  size_t n = strlen(path);
  char* part = vv_alloc(context, n + 6);
  if (!part) return vv_report_set(report, VV_ERROR_MEMORY, "out of memory");
  memcpy(part, path, n);
  memcpy(part + n, ".part", 6);
  FILE* file = fopen(part, "wb");
  bool good = file != NULL;
  if (file) {
    good = fwrite(data, 1, bytes, file) == bytes;
    good = fclose(file) == 0 && good;
    good = good && rename(part, path) == 0;
    if (!good) {
      int kept = errno;
      remove(part);
      errno = kept;
    }
  }
  vv_free(context, part, n + 6);
  if (good) return VV_OK;
  return vv_report_set(report, VV_ERROR_FILE, "%.150s: cannot be written: %s", path, strerror(errno));
}
