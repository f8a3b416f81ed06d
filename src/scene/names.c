// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// names.c: the numbers of a scene (numbers.c says which) and a group for every value that a default class hands to its
// members: those on which something depends, if there are any.
//
// storage  one block, filled by the same code that measures it: numbers, names of elements, members, texts

#include "visviva/names.h"

#include <stdlib.h>
#include <string.h>

#include "scene/numbers.h"

// ---- the block ------------------------------------------------------------------------------------------------------

typedef struct vvBlock {
  unsigned char* base;  // NULL while measuring
  size_t used;
} vvBlock;

static void* take(vvBlock* b, size_t bytes) {
  void* p = b->base ? b->base + b->used : NULL;
  b->used += (bytes + 7) / 8 * 8;
  return p;
}

static const char* take_text(vvBlock* b, const char* text) {
  size_t n = strlen(text) + 1;
  char* p = take(b, n);
  if (p) memcpy(p, text, n);
  return p;
}

size_t vv_name_escape(const char* raw, char* text, size_t size) {
  static const char hex[] = "0123456789ABCDEF";
  size_t n = 0;
  for (; *raw; raw++) {
    unsigned char ch = (unsigned char)*raw;
    bool escape = ch == '/' || ch == '*' || ch == ',' || ch <= ' ';
    char out[3] = {escape ? '%' : (char)ch, hex[ch >> 4], hex[ch & 15]};
    for (int k = 0; k < (escape ? 3 : 1); k++, n++)
      if (n + 1 < size) text[n] = out[k];
  }
  if (size > 0) text[n < size ? n : size - 1] = 0;
  return n;
}

static void append_escaped(size_t* n, char* to, const char* text) {
  *n += vv_name_escape(text, to ? to + *n : NULL, to ? SIZE_MAX : 0);
}

static void append(size_t* n, char* to, const char* text) {
  size_t k = strlen(text);
  if (to) memcpy(to + *n, text, k);
  *n += k;
}

static void append_int(size_t* n, char* to, int value) {
  char digits[16], text[16];
  int k = 0, i = 0;
  do digits[k++] = (char)('0' + value % 10);
  while ((value /= 10) > 0);
  while (k > 0) text[i++] = digits[--k];
  text[i] = 0;
  append(n, to, text);
}

typedef struct vvNamesBuild {
  const vvSpec* spec;
  const vvModel* m;
  const vvSpecOrder* order;
  const vvSingle* singles;  // in field order
  const vvSingle* grouped;  // sorted by class, field, component
  int nsingle;
  int ngrouped;  // of `grouped` that belong to a class
} vvNamesBuild;

// ELEMENT/NAME/ATTRIBUTE[/INDEX] or default/CLASS/ELEMENT/ATTRIBUTE[/INDEX], written to `to` when not NULL.
static size_t write_name(const vvNamesBuild* b, const vvSingle* s, bool group, char* to) {
  const vvField* f = &vv_model_fields()[s->field];
  size_t n = 0;
  if (group) {
    append(&n, to, "default/");
    append_escaped(&n, to, b->spec->classes[s->class_id]->name);
    append(&n, to, "/");
  }
  append(&n, to, vv_element_word(f->element));
  append(&n, to, "/");
  if (!group && f->element != VV_ELEMENT_OPTION && f->element != VV_ELEMENT_COMPILER) {
    bool wrap = f->element == VV_ELEMENT_WRAP;  // named as its tendon
    int id = wrap ? b->m->wrap_tendon[s->id] : s->id;
    const char* name = b->order->heads[wrap ? VV_ELEMENT_TENDON : f->element][id]->name;
    if (name[0]) {
      append_escaped(&n, to, name);
    } else {
      append(&n, to, "#");
      append_int(&n, to, id);
    }
    append(&n, to, "/");
  }
  int index;
  append(&n, to, vv_number_attribute(b->m, s, &index));
  if (index >= 0) {
    append(&n, to, "/");
    append_int(&n, to, index);
  }
  if (to) to[n] = 0;
  return n + 1;
}

static void put_number(vvBlock* block, const vvNamesBuild* b, vvNumber* number, const vvSingle* members, int nmember,
                       bool group) {
  char* name = take(block, write_name(b, members, group, NULL));
  int* offsets = take(block, (size_t)nmember * sizeof(int));
  if (!block->base) return;
  write_name(b, members, group, name);
  for (int i = 0; i < nmember; i++) offsets[i] = (int)members[i].offset;
  number->name = name;
  number->members = offsets;
  number->nmember = nmember;
  number->field = members[0].field;
  number->unit = vv_number_unit(b->m, &members[0]);
  number->scale = vv_number_scale(b->m, &members[0]);
  number->sign = vv_model_fields()[members[0].field].sign;
  number->reason = members[0].dead;
  for (int i = 1; i < nmember; i++)
    if (strcmp(vv_number_unit(b->m, &members[i]), number->unit))
      number->reason = "its members have different units (metres and radians)";
}

static bool same_group(const vvSingle* a, const vvSingle* b) {
  return a->class_id == b->class_id && a->field == b->field && a->component == b->component;
}

static int count_groups(const vvNamesBuild* b) {
  int n = 0;
  for (int i = 0; i < b->ngrouped; i++) n += i == 0 || !same_group(&b->grouped[i], &b->grouped[i - 1]);
  return n;
}

// Fills (or measures) the block.
static void build(const vvNamesBuild* b, vvBlock* block, vvModelNames* names) {
  int nnumber = b->nsingle + count_groups(b);
  vvNumber* numbers = take(block, (size_t)nnumber * sizeof(vvNumber));
  for (int i = 0; i < b->nsingle; i++) put_number(block, b, numbers ? numbers + i : NULL, &b->singles[i], 1, false);
  int at = b->nsingle;
  for (int i = 0; i < b->ngrouped;) {
    int end = i + 1, nlive = !b->grouped[i].dead;
    while (end < b->ngrouped && same_group(&b->grouped[i], &b->grouped[end])) nlive += !b->grouped[end++].dead;
    put_number(block, b, numbers ? numbers + at : NULL, &b->grouped[i], nlive > 0 ? nlive : end - i, true);
    at++;
    i = end;
  }
  for (int e = 0; e < VV_ELEMENT_COUNT; e++) {
    int n = b->order->count[e];
    const char** list = n ? take(block, (size_t)n * sizeof(char*)) : NULL;
    for (int i = 0; i < n; i++) {
      const char* text = take_text(block, b->order->heads[e][i]->name);
      if (list) list[i] = text;
    }
    if (block->base) names->element[e] = list, names->nelement[e] = n;
  }
  const char* model_name = take_text(block, b->spec->model);
  const char* file = take_text(block, b->spec->file);
  if (!block->base) return;
  names->nnumber = nnumber;
  names->numbers = numbers;
  names->model_name = model_name;
  names->file = file;
}

static int by_group(const void* x, const void* y) {
  const vvSingle *a = x, *b = y;
  bool ga = a->class_id >= 0, gb = b->class_id >= 0;
  if (ga != gb) return ga ? -1 : 1;
  if (a->class_id != b->class_id) return a->class_id < b->class_id ? -1 : 1;
  if (a->field != b->field) return a->field < b->field ? -1 : 1;
  if (a->component != b->component) return a->component < b->component ? -1 : 1;
  if (!a->dead != !b->dead) return a->dead ? 1 : -1;
  return (a->id > b->id) - (a->id < b->id);
}

static vvStatus build_all(vvContext* context, vvNamesBuild* b, vvModelNames** out) {
  vvBlock measure = {NULL, 0};
  build(b, &measure, NULL);
  vvModelNames* names = vv_alloc(context, sizeof(vvModelNames));
  unsigned char* storage = names ? vv_alloc(context, measure.used) : NULL;
  if (!storage) {
    vv_free(context, names, sizeof(vvModelNames));
    return VV_ERROR_MEMORY;
  }
  vvBlock block = {storage, 0};
  build(b, &block, names);
  names->storage = storage;
  names->storage_size = measure.used;
  *out = names;
  return VV_OK;
}

vvStatus vv_names_create(vvContext* context, vvSpec* spec, vvModel* m, const vvSpecOrder* order, vvReport* report) {
  vvSingle* singles = NULL;
  int n = 0;
  vvStatus status = vv_numbers_list(context, spec, m, order, &singles, &n);
  vvSingle* grouped = status == VV_OK ? VV_NEW(context, vvSingle, n) : NULL;
  if (!grouped) {
    if (singles) VV_DELETE(context, singles, vvSingle, n);
    return vv_report_set(report, VV_ERROR_MEMORY, "out of memory");
  }
  memcpy(grouped, singles, (size_t)n * sizeof(vvSingle));
  qsort(grouped, (size_t)n, sizeof(vvSingle), by_group);
  vvNamesBuild b = {spec, m, order, singles, grouped, n, 0};
  while (b.ngrouped < n && grouped[b.ngrouped].class_id >= 0) b.ngrouped++;
  vvModelNames* names = NULL;
  status = build_all(context, &b, &names);
  VV_DELETE(context, singles, vvSingle, n);
  VV_DELETE(context, grouped, vvSingle, n);
  if (status != VV_OK) return vv_report_set(report, status, "out of memory");
  m->names = names;
  return VV_OK;
}

void vv_names_free(vvContext* context, struct vvModelNames* names) {
  if (!context || !names) return;
  vv_free(context, names->storage, names->storage_size);
  vv_free(context, names, sizeof(vvModelNames));
}

// ---- looking up -----------------------------------------------------------------------------------------------------

int vv_model_find(const vvModel* m, vvElement element, const char* name) {
  if (!m || !m->names || !name || element < 0 || element >= VV_ELEMENT_COUNT) return -1;
  int n = m->names->nelement[element];
  for (int i = 0; i < n; i++)
    if (m->names->element[element][i][0] && !strcmp(m->names->element[element][i], name)) return i;
  if (name[0] != '#' || !name[1] || strspn(name + 1, "0123456789") != strlen(name + 1) || strlen(name) > 10) return -1;
  int id = 0;
  for (const char* p = name + 1; *p; p++) id = 10 * id + (*p - '0');
  return id < n ? id : -1;
}

// Whether one segment matches a pattern with '*'.
static bool segment_matches(const char* pattern, size_t np, const char* text, size_t nt) {
  size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;
  while (t < nt) {
    if (p < np && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < np && pattern[p] == text[t]) {
      p++;
      t++;
    } else if (star != SIZE_MAX) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < np && pattern[p] == '*') p++;
  return p == np;
}

static bool is_index(const char* text) {
  return *text && strspn(text, "0123456789") == strlen(text);
}

// The whole name, or all but its index.
static bool name_matches(const char* pattern, const char* name) {
  for (;;) {
    size_t np = strcspn(pattern, "/"), nt = strcspn(name, "/");
    if (!segment_matches(pattern, np, name, nt)) return false;
    pattern += np;
    name += nt;
    if (!*pattern && !*name) return true;
    if (!*pattern) return is_index(name + 1);
    if (!*name) return false;
    pattern++;
    name++;
  }
}

// Matches among numbers with (or without) a reason.
static int match_some(const vvModel* m, const char* pattern, bool dead, int* indices, int capacity) {
  int n = 0;
  for (int i = 0; i < m->names->nnumber; i++) {
    const vvNumber* p = &m->names->numbers[i];
    if ((p->reason != NULL) != dead || !name_matches(pattern, p->name)) continue;
    if (indices && n < capacity) indices[n] = i;
    n++;
  }
  return n;
}

int vv_number_match(const vvModel* m, const char* pattern, int* indices, int capacity) {
  if (!m || !m->names || !pattern) return 0;
  int n = match_some(m, pattern, false, indices, capacity);
  return n > 0 ? n : match_some(m, pattern, true, indices, capacity);
}

vvReal vv_number_value(const vvModel* m, int number) {
  return m->reals[m->names->numbers[number].members[0]];
}

void vv_number_set(vvModel* m, int number, vvReal value) {
  const vvNumber* p = &m->names->numbers[number];
  for (int i = 0; i < p->nmember; i++) m->reals[p->members[i]] = value;
}

vvReal vv_number_bar(const vvModel* m_bar, int number) {
  const vvNumber* p = &m_bar->names->numbers[number];
  vvReal sum = 0;
  for (int i = 0; i < p->nmember; i++) sum += m_bar->reals[p->members[i]];
  return sum;
}
