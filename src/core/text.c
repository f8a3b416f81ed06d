// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// text.c: see text.h. printf and strtod follow the locale's decimal separator; it is exchanged for a point.

#include "core/text.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOKEN_BYTES = 1024 };

int vv_real_to_text(double x, char text[VV_REAL_TEXT_BYTES]) {
  int n = snprintf(text, VV_REAL_TEXT_BYTES, "%.17g", x);
  const char* separator = localeconv()->decimal_point;
  char* found = strcmp(separator, ".") != 0 ? strstr(text, separator) : NULL;
  if (found) {
    size_t length = strlen(separator);
    *found = '.';
    memmove(found + 1, found + length, strlen(found + length) + 1);
    n -= (int)length - 1;
  }
  return n;
}

// In a locale whose separator is not a point: reads a copy in which the first point is that separator.
static bool read_in_locale(const char* text, const char* separator, const char** end, double* value) {
  char copy[TOKEN_BYTES + 16];
  size_t length = strcspn(text, ".");
  if (strcspn(text, separator) < length) length = strcspn(text, separator);  // the separator itself ends the number
  size_t extra = 0;
  if (length > TOKEN_BYTES / 2 || strlen(separator) > 8) return false;
  memcpy(copy, text, length);
  size_t used = length;
  if (text[length] == '.') {
    memcpy(copy + used, separator, strlen(separator));
    used += strlen(separator);
    extra = strlen(separator) - 1;
    size_t tail = strspn(text + length + 1, "0123456789abcdefABCDEFpPxX+-");
    if (tail > TOKEN_BYTES / 2) return false;
    memcpy(copy + used, text + length + 1, tail);
    used += tail;
  }
  copy[used] = 0;
  char* stop = NULL;
  *value = strtod(copy, &stop);
  size_t read = (size_t)(stop - copy);
  if (read == 0) return false;
  *end = text + (read > length ? read - extra : read);
  return true;
}

bool vv_real_from_text(const char* text, const char** end, double* value) {
  const char* unused = NULL;
  if (!end) end = &unused;
  *end = text;
  const char* separator = localeconv()->decimal_point;
  if (strcmp(separator, ".") != 0) return read_in_locale(text, separator, end, value);
  char* stop = NULL;
  *value = strtod(text, &stop);
  *end = stop;
  return stop != text;
}
