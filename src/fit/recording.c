// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// recording.c: see recording.h. The text is walked once, field by field; the first line that is wrong is named.

#include "fit/recording.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/hash.h"
#include "core/text.h"

enum { FIELD_MAX = 4096 };

#define FILE_BYTES ((size_t)2 << 30)

// A field of a line: blanks and quotes around it are gone.
typedef struct Field {
  const char* text;
  int length;
} Field;

typedef struct Reader {
  vvFitMemory* memory;
  vvRecording* recording;
  vvReport* report;
  const char* const* columns;
  const char* episode;  // column name or NULL
  const char* at;       // next byte
  const char* end;
  const char* last_episode;
  int last_length;
  uint64_t* seen;  // open-addressing table of the episodes' hashes
  int seen_size;
  int* place;  // ncolumn: field index of each column
  int episode_place;
  int nfield;  // of the header
  int line;    // of the line last taken
  Field field[FIELD_MAX];
} Reader;

static vvStatus line_error(const Reader* r, const char* format, ...) VV_FORMAT(2, 3);

static vvStatus line_error(const Reader* r, const char* format, ...) {
  char text[220];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return vv_report_set(r->report, VV_ERROR_FILE, "%s:%d: %s", r->recording->file, r->line, text);
}

static bool blank(char c) {
  return c == ' ' || c == '\t';
}

static Field trim(const char* begin, const char* end) {
  while (begin < end && blank(*begin)) begin++;
  while (end > begin && blank(end[-1])) end--;
  if (end - begin >= 2 && *begin == '"' && end[-1] == '"') {
    begin++;
    end--;
  }
  Field f = {begin, (int)(end - begin)};
  return f;
}

// Takes the next line that is not empty and cuts it into fields; *n is 0 at the end of the text.
static vvStatus next_line(Reader* r, int* n) {
  *n = 0;
  while (r->at < r->end) {
    r->line++;
    const char* stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const char* next = stop ? stop + 1 : r->end;
    if (!stop) stop = r->end;
    const char* begin = r->at;
    r->at = next;
    if (stop > begin && stop[-1] == '\r') stop--;
    size_t length = (size_t)(stop - begin);
    if (length > INT_MAX) return line_error(r, "the line is too long; one row per sample is needed");
    if (memchr(begin, 0, length)) return line_error(r, "holds a zero byte; CSV text is needed");
    if (trim(begin, stop).length == 0) continue;
    for (const char* field = begin; field <= stop;) {
      const char* comma = memchr(field, ',', (size_t)(stop - field));
      if (!comma) comma = stop;
      if (*n == FIELD_MAX) return line_error(r, "has more than %d fields", (int)FIELD_MAX);
      r->field[(*n)++] = trim(field, comma);
      field = comma + 1;
    }
    return VV_OK;
  }
  return VV_OK;
}

static bool field_is(Field f, const char* name) {
  return (size_t)f.length == strlen(name) && memcmp(f.text, name, (size_t)f.length) == 0;
}

static vvStatus missing_column(const Reader* r, const char* name, int n) {
  char known[140] = "";
  for (int i = 0; i < n; i++) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%.*s", i ? ", " : "", r->field[i].length, r->field[i].text);
  }
  return line_error(r, "no column \"%.60s\"; the header has %s", name, known);
}

static vvStatus find_column(const Reader* r, const char* name, int n, int* place) {
  *place = -1;
  for (int i = 0; i < n; i++) {
    if (!field_is(r->field[i], name)) continue;
    if (*place >= 0) return line_error(r, "two columns are called \"%.60s\"; names must differ", name);
    *place = i;
  }
  return *place < 0 ? missing_column(r, name, n) : VV_OK;
}

static vvStatus read_header(Reader* r) {
  int n = 0;
  vvStatus status = next_line(r, &n);
  if (status != VV_OK) return status;
  if (n == 0) {
    r->line = 1;
    return line_error(r, "is empty; a header with the columns' names is needed");
  }
  r->nfield = n;
  for (int c = 0; c < r->recording->ncolumn; c++) {
    status = find_column(r, r->columns[c], n, &r->place[c]);
    if (status != VV_OK) return status;
  }
  r->episode_place = -1;
  return r->episode ? find_column(r, r->episode, n, &r->episode_place) : VV_OK;
}

static vvStatus read_value(const Reader* r, int c, double* value) {
  Field f = r->field[r->place[c]];
  char text[64];
  if (f.length == 0) return line_error(r, "column %.60s is empty; a number is needed", r->columns[c]);
  if (f.length >= (int)sizeof text) {
    return line_error(r, "column %.60s: \"%.40s...\" is not a number", r->columns[c], f.text);
  }
  memcpy(text, f.text, (size_t)f.length);
  text[f.length] = 0;
  const char* end = NULL;
  if (!vv_real_from_text(text, &end, value) || *end) {
    return line_error(r, "column %.60s: \"%s\" is not a number", r->columns[c], text);
  }
  if (!isfinite(*value)) {
    return line_error(r, "column %.60s is %s; numbers must be finite: leave such rows out", r->columns[c], text);
  }
  return VV_OK;
}

// Marks an episode as seen; true when it had been seen before.
static bool seen_before(Reader* r, Field f) {
  uint64_t hash = vv_hash_bytes(VV_HASH_START, f.text, (size_t)f.length) | 1;
  int at = (int)(hash % (uint64_t)r->seen_size);
  while (r->seen[at] && r->seen[at] != hash) at = (at + 1) % r->seen_size;
  bool old = r->seen[at] == hash;
  r->seen[at] = hash;
  return old;
}

static vvStatus place_row(Reader* r) {
  vvRecording* rec = r->recording;
  Field f = {"", 0};
  if (r->episode) {
    f = r->field[r->episode_place];
    if (f.length == 0) return line_error(r, "column %.60s is empty; it tells episodes apart", r->episode);
  }
  bool same = rec->nepisode > 0 && f.length == r->last_length && memcmp(f.text, r->last_episode, (size_t)f.length) == 0;
  if (!same) {
    if (seen_before(r, f)) {
      return line_error(r, "%.60s %.*s appears again; the rows of an episode must be neighbours", r->episode,
                        f.length > 60 ? 60 : f.length, f.text);
    }
    vvEpisode e = {rec->nrow, 0, r->line};
    rec->episodes[rec->nepisode++] = e;
    r->last_episode = f.text;
    r->last_length = f.length;
  }
  vvEpisode* e = &rec->episodes[rec->nepisode - 1];
  const double* row = rec->values + (size_t)rec->nrow * (size_t)rec->ncolumn;
  if (e->nrow && !(row[0] > row[-rec->ncolumn])) {
    return line_error(r, "column %.60s is %.9g after %.9g; time must increase within an episode", r->columns[0], row[0],
                      row[-rec->ncolumn]);
  }
  e->nrow++;
  rec->lines[rec->nrow++] = r->line;
  return VV_OK;
}

static vvStatus read_rows(Reader* r) {
  vvRecording* rec = r->recording;
  for (;;) {
    int n = 0;
    vvStatus status = next_line(r, &n);
    if (status != VV_OK) return status;
    if (n == 0) break;
    if (n != r->nfield) return line_error(r, "has %d fields; the header has %d", n, r->nfield);
    double* row = rec->values + (size_t)rec->nrow * (size_t)rec->ncolumn;
    for (int c = 0; c < rec->ncolumn && status == VV_OK; c++) status = read_value(r, c, &row[c]);
    if (status == VV_OK) status = place_row(r);
    if (status != VV_OK) return status;
  }
  if (rec->nrow == 0) return line_error(r, "no rows after the header; one row per sample is needed");
  return VV_OK;
}

static size_t count_lines(const char* text, size_t length) {
  size_t n = 1;
  for (const char* p = text; (p = memchr(p, '\n', length - (size_t)(p - text))) != NULL; p++) n++;
  return n;
}

vvStatus vv_recording_parse(vvFitMemory* memory, const char* file, const char* text, size_t length,
                            const char* const* columns, int ncolumn, const char* episode, vvRecording* recording,
                            vvReport* report) {
  size_t nline = count_lines(text, length);
  memset(recording, 0, sizeof *recording);
  recording->file = vv_fit_text(memory, file, strlen(file));
  recording->ncolumn = ncolumn;
  if (nline >= INT_MAX / 4) return vv_report_set(report, VV_ERROR_FILE, "%s: has too many rows; cut it", file);
  vvFitMemory local = {memory->context, NULL};
  Reader* r = VV_FIT_NEW(&local, Reader, 1);
  if (r) {
    r->place = VV_FIT_NEW(&local, int, ncolumn);
    r->seen_size = (int)nline * 2 + 1;
    r->seen = VV_FIT_NEW(&local, uint64_t, r->seen_size);
  }
  recording->values = VV_FIT_NEW(memory, double, nline*(size_t)ncolumn);
  recording->lines = VV_FIT_NEW(memory, int, nline);
  recording->episodes = VV_FIT_NEW(memory, vvEpisode, nline);
  vvStatus status = VV_ERROR_MEMORY;
  if (r && r->place && r->seen && recording->values && recording->lines && recording->episodes && recording->file) {
    r->memory = memory;
    r->recording = recording;
    r->report = report;
    r->columns = columns;
    r->episode = episode;
    r->at = text;
    r->end = text + length;
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) r->at += 3;
    status = read_header(r);
    if (status == VV_OK) status = read_rows(r);
  } else {
    vv_report_set(report, status, "%s: not enough memory for %zu rows", file, nline);
  }
  vv_fit_memory_free(&local);
  return status;
}

vvStatus vv_recording_read(vvFitMemory* memory, const char* file, const char* const* columns, int ncolumn,
                           const char* episode, vvRecording* recording, vvReport* report) {
  struct stat info;
  FILE* f = fopen(file, "rb");
  if (!f) return vv_report_set(report, VV_ERROR_FILE, "%s: cannot be read: %s", file, strerror(errno));
  if (fstat(fileno(f), &info) != 0 || !S_ISREG(info.st_mode)) {
    fclose(f);
    return vv_report_set(report, VV_ERROR_FILE, "%s: is not a file; a recording in CSV is needed", file);
  }
  size_t length = (size_t)info.st_size;
  if (length > FILE_BYTES) {
    fclose(f);
    return vv_report_set(report, VV_ERROR_FILE, "%s: has more than 2 GiB; cut it", file);
  }
  vvFitMemory local = {memory->context, NULL};
  char* text = VV_FIT_NEW(&local, char, length + 1);
  vvStatus status = VV_OK;
  if (!text) {
    status = vv_report_set(report, VV_ERROR_MEMORY, "%s: not enough memory for %zu bytes", file, length);
  } else if (fread(text, 1, length, f) != length) {
    status = vv_report_set(report, VV_ERROR_FILE, "%s: cannot be read to its end", file);
  } else {
    status = vv_recording_parse(memory, file, text, length, columns, ncolumn, episode, recording, report);
  }
  fclose(f);
  vv_fit_memory_free(&local);
  return status;
}
