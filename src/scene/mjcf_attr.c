// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// mjcf_attr.c: attribute values of MJCF: numbers, keywords, orientations; reading an element's attributes by table.
// Numbers are decimal, finite, separated by blanks; too few, too many or anything else is an error that names the
// attribute.

#include <libxml/parser.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "scene/mjcf_xml.h"

#define MAX_NUMBERS 1000000

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

vvStatus vv_mjcf_text(vvMjcf* r, xmlNode* node, const char* name, const char** value) {
  *value = NULL;
  const xmlAttr* a = xmlHasProp(node, (const xmlChar*)name);
  if (!a) return VV_OK;
  xmlChar* text = xmlNodeListGetString(node->doc, a->children, 1);
  *value = vv_spec_text(r->spec, text ? (const char*)text : "");
  xmlFree(text);
  return *value ? VV_OK : vv_mjcf_no_memory(r);
}

vvStatus vv_mjcf_required(vvMjcf* r, xmlNode* node, const char* name, const char** value) {
  vvStatus status = vv_mjcf_text(r, node, name, value);
  if (status != VV_OK) return status;
  if (*value && **value) return VV_OK;
  return vv_mjcf_error(r, node, "%.40s needs the attribute \"%s\"", (const char*)node->name, name);
}

// Reads one decimal number at *text, moves *text behind it and the blanks that follow.
static vvStatus one_real(vvMjcf* r, xmlNode* node, const char* name, const char** text, double* value) {
  const char* word = *text;
  size_t n = 0;
  while (word[n] && !is_blank(word[n])) n++;
  const char* end = NULL;
  bool decimal = strspn(word, "0123456789+-.eE") == n;
  if (!decimal || !vv_real_from_text(word, &end, value) || end != word + n) {
    if (n >= 3 && (strchr("nN", word[0]) || strchr("iI", word[0]) || strchr("iI", word[1])))
      return vv_mjcf_error(r, node, "%s attribute \"%s\": \"%.*s\" is not a finite number", (const char*)node->name,
                           name, n > 30 ? 30 : (int)n, word);
    return vv_mjcf_error(r, node, "%s attribute \"%s\": \"%.*s\" is not a number", (const char*)node->name, name,
                         n > 30 ? 30 : (int)n, word);
  }
  if (!isfinite(*value))
    return vv_mjcf_error(r, node, "%s attribute \"%s\": \"%.*s\" is too large for a number", (const char*)node->name,
                         name, n > 30 ? 30 : (int)n, word);
  word += n;
  while (is_blank(*word)) word++;
  *text = word;
  return VV_OK;
}

static vvStatus wrong_count(vvMjcf* r, xmlNode* node, const char* name, int min, int max, int count, bool more) {
  const char* word = (const char*)node->name;
  const char* many = more ? "more than " : "";
  if (min == max)
    return vv_mjcf_error(r, node, "%s attribute \"%s\" has %s%d number%s; it needs %d", word, name, many, count,
                         count == 1 ? "" : "s", min);
  return vv_mjcf_error(r, node, "%s attribute \"%s\" has %s%d number%s; it needs %d to %d", word, name, many, count,
                       count == 1 ? "" : "s", min, max);
}

vvStatus vv_mjcf_reals(vvMjcf* r, xmlNode* node, const char* name, int min, int max, double* values, int* count) {
  const char* text;
  *count = 0;
  vvStatus status = vv_mjcf_text(r, node, name, &text);
  if (status != VV_OK || !text) return status;
  while (is_blank(*text)) text++;
  while (*text) {
    double value = 0;
    if (*count == max) {
      if ((status = one_real(r, node, name, &text, &value)) != VV_OK) return status;
      return wrong_count(r, node, name, min, max, max, true);
    }
    if ((status = one_real(r, node, name, &text, &values[*count])) != VV_OK) return status;
    (*count)++;
  }
  return *count < min ? wrong_count(r, node, name, min, max, *count, false) : VV_OK;
}

vvStatus vv_mjcf_real_list(vvMjcf* r, xmlNode* node, const char* name, double** values, int* count) {
  const char* text;
  *count = 0;
  *values = NULL;
  vvStatus status = vv_mjcf_text(r, node, name, &text);
  if (status != VV_OK || !text) return status;
  size_t most = strlen(text) / 2 + 1;
  if (most > MAX_NUMBERS) most = MAX_NUMBERS;
  *values = vv_spec_memory(r->spec, most * sizeof(double));
  if (!*values) return vv_mjcf_no_memory(r);
  while (is_blank(*text)) text++;
  while (*text) {
    if ((size_t)*count == most) return vv_mjcf_error(r, node, "attribute \"%s\" has too many numbers", name);
    if ((status = one_real(r, node, name, &text, &(*values)[*count])) != VV_OK) return status;
    (*count)++;
  }
  return VV_OK;
}

vvStatus vv_mjcf_ints(vvMjcf* r, xmlNode* node, const char* name, int min, int max, int* values, int* count) {
  double reals[8];
  vvStatus status = vv_mjcf_reals(r, node, name, min, max > 8 ? 8 : max, reals, count);
  for (int i = 0; status == VV_OK && i < *count; i++) {
    if (reals[i] != floor(reals[i]) || fabs(reals[i]) > 2147483647)
      return vv_mjcf_error(r, node, "%s attribute \"%s\": %g is not a whole number of 32 bits", (const char*)node->name,
                           name, reals[i]);
    values[i] = (int)reals[i];
  }
  return status;
}

vvStatus vv_mjcf_keyword(vvMjcf* r, xmlNode* node, const char* name, const vvKeyword* keys, int* value, bool* found) {
  const char* text;
  *found = false;
  vvStatus status = vv_mjcf_text(r, node, name, &text);
  if (status != VV_OK || !text) return status;
  char list[120] = "";
  for (const vvKeyword* k = keys; k->key; k++) {
    if (!strcmp(k->key, text)) {
      *value = k->value;
      *found = true;
      return VV_OK;
    }
    if (strlen(list) + strlen(k->key) + 4 < sizeof list) {
      if (list[0]) strcat(list, ", ");
      strcat(list, k->key);
    }
  }
  return vv_mjcf_error(r, node, "%s attribute \"%s\" is \"%.30s\"; it can be %s", (const char*)node->name, name, text,
                       list);
}

// ---- near words -----------------------------------------------------------------------------------------------------

// Edit distance of two words of at most 30 letters, 99 for longer ones.
static int distance(const char* a, const char* b) {
  int na = (int)strlen(a), nb = (int)strlen(b), row[32];
  if (na > 30 || nb > 30) return 99;
  for (int j = 0; j <= nb; j++) row[j] = j;
  for (int i = 1; i <= na; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= nb; j++) {
      int change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      int best = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
      row[j] = change < best ? change : best;
    }
  }
  return row[nb];
}

const char* vv_mjcf_nearest(const char* word, const char* const* known) {
  const char* best = NULL;
  int least = 3;
  for (; *known; known++) {
    int d = distance(word, *known);
    if (d < least && d < (int)strlen(word)) {
      least = d;
      best = *known;
    }
  }
  return best;
}

vvStatus vv_mjcf_unknown_element(vvMjcf* r, xmlNode* node, const char* const* known) {
  const char* near = vv_mjcf_nearest((const char*)node->name, known);
  const char* parent = node->parent ? (const char*)node->parent->name : "";
  if (near)
    return vv_mjcf_error(r, node, "unknown element \"%.40s\" in <%.40s>; did you mean \"%s\"?", (const char*)node->name,
                         parent, near);
  return vv_mjcf_error(r, node, "unknown element \"%.40s\" in <%.40s>; remove it or correct its name",
                       (const char*)node->name, parent);
}

static vvStatus unknown_attribute(vvMjcf* r, xmlNode* node, const char* name, const vvAttr* table) {
  const char* known[65];
  int n = 0;
  for (; n < 64 && table[n].name; n++) known[n] = table[n].name;
  known[n] = NULL;
  const char* near = vv_mjcf_nearest(name, known);
  if (near)
    return vv_mjcf_error(r, node, "%s has no attribute \"%.40s\"; did you mean \"%s\"?", (const char*)node->name, name,
                         near);
  return vv_mjcf_error(r, node, "%s has no attribute \"%.40s\"; remove it or correct its name", (const char*)node->name,
                       name);
}

// ---- by table -------------------------------------------------------------------------------------------------------

static vvStatus unsupported_attribute(vvMjcf* r, xmlNode* node, const char* name, const char* remedy) {
  return vv_mjcf_unsupported(r, node, "%s attribute \"%s\" is not supported yet; %s", (const char*)node->name, name,
                             remedy);
}

static void mark(vvSpecHead* head, const vvAttr* a, int count, int16_t origin) {
  if (!head) return;
  size_t first = VV_ORIGIN_INDEX(a->offset);
  for (size_t i = 0; i < (size_t)count && first + i < VV_SPEC_NREAL; i++) head->origin[first + i] = origin;
}

static vvStatus read_orientation(vvMjcf* r, xmlNode* node, const vvAttr* a, double* quat) {
  double v[6];
  int count = 0;
  vvStatus status = vv_mjcf_reals(r, node, a->name, a->min, a->max, v, &count);
  if (status != VV_OK) return status;
  double unit = r->spec->compiler.degree ? 180.0 : 1, scale = r->spec->compiler.degree ? acos(-1.0) : 1;
  bool good = true;
  switch (a->kind) {
    case VV_ATTR_QUAT:
      good = v[0] != 0 || v[1] != 0 || v[2] != 0 || v[3] != 0;
      if (good) memcpy(quat, v, 4 * sizeof(double));
      break;
    case VV_ATTR_AXISANGLE:
      good = vv_spec_quat_axisangle(v, v[3] / unit * scale, quat);
      break;
    case VV_ATTR_XYAXES:
      good = vv_spec_quat_xyaxes(v, quat);
      break;
    case VV_ATTR_ZAXIS:
      good = vv_spec_quat_zaxis(v, quat);
      break;
    default:
      for (int i = 0; i < 3; i++) v[i] = v[i] / unit * scale;
      good = vv_spec_quat_euler(v, r->spec->compiler.eulerseq, quat);
      break;
  }
  if (good) return VV_OK;
  return vv_mjcf_error(r, node, "%s attribute \"%s\" is too short to have a direction", (const char*)node->name,
                       a->name);
}

static vvStatus check_off(vvMjcf* r, xmlNode* node, const vvAttr* a) {
  double v[8];
  int count = 0;
  const char* text = NULL;
  vvStatus status = VV_OK;
  if (a->kind == VV_ATTR_ZERO) {
    status = vv_mjcf_reals(r, node, a->name, a->min, a->max, v, &count);
    for (int i = 0; status == VV_OK && i < count; i++)
      if (v[i] != 0) return unsupported_attribute(r, node, a->name, "remove it or set it to 0");
    return status;
  }
  if (a->kind == VV_ATTR_REFUSED) return unsupported_attribute(r, node, a->name, "remove it");
  if ((status = vv_mjcf_text(r, node, a->name, &text)) != VV_OK) return status;
  if (!strcmp(text, "false") || !strcmp(text, "auto") || !strcmp(text, "none") || !strcmp(text, "disable"))
    return VV_OK;
  return unsupported_attribute(r, node, a->name, "remove it");
}

static vvStatus keep_look(vvMjcf* r, xmlNode* node, const vvAttr* a, vvSpecHead* head) {
  int count = 0;
  double* values = NULL;
  vvStatus status = VV_OK;
  if (a->max > 0) {
    status = vv_mjcf_real_list(r, node, a->name, &values, &count);
    if (status == VV_OK && (count < a->min || count > a->max))
      return wrong_count(r, node, a->name, a->min, a->max, count, false);
  }
  if (status != VV_OK || a->kind == VV_ATTR_PASS || !head) return status;
  vvSpecText* look = vv_spec_memory(r->spec, sizeof(vvSpecText));
  if (!look) return vv_mjcf_no_memory(r);
  look->name = a->name;
  vvSpecText** last = &head->looks;
  while (*last) last = &(*last)->next;
  *last = look;
  return vv_mjcf_text(r, node, a->name, &look->value);
}

static vvStatus read_value(vvMjcf* r, xmlNode* node, const vvAttr* a, void* element, vvSpecHead* head, int16_t origin) {
  unsigned char* to = (unsigned char*)element + a->offset;
  double v[3] = {0, 0, 0};
  int count = 0;
  bool found = false;
  vvStatus status = VV_OK;
  switch (a->kind) {
    case VV_ATTR_REAL:
      status = vv_mjcf_reals(r, node, a->name, a->min, a->max, (double*)(void*)to, &count);
      mark(head, a, count, origin);
      return status;
    case VV_ATTR_POLY:
      status = vv_mjcf_reals(r, node, a->name, a->min, a->max, v, &count);
      if (status == VV_OK && (v[1] != 0 || v[2] != 0))
        return unsupported_attribute(r, node, a->name, "keep its first number only");
      *(double*)(void*)to = v[0];
      mark(head, a, 1, origin);
      return status;
    case VV_ATTR_INT:
      return vv_mjcf_ints(r, node, a->name, a->min, a->max, (int*)(void*)to, &count);
    case VV_ATTR_ENUM:
      return vv_mjcf_keyword(r, node, a->name, a->keys, (int*)(void*)to, &found);
    case VV_ATTR_BOOL: {
      static const vvKeyword keys[] = {{"false", 0}, {"true", 1}, {NULL, 0}};
      int value = 0;
      status = vv_mjcf_keyword(r, node, a->name, keys, &value, &found);
      if (status == VV_OK) *(bool*)to = value != 0;
      return status;
    }
    case VV_ATTR_NAME:
      return vv_mjcf_text(r, node, a->name, &head->name);
    case VV_ATTR_CLASS:
      return VV_OK;
    case VV_ATTR_TEXT:
      return vv_mjcf_text(r, node, a->name, (const char**)(void*)to);
    case VV_ATTR_QUAT:
    case VV_ATTR_AXISANGLE:
    case VV_ATTR_XYAXES:
    case VV_ATTR_ZAXIS:
    case VV_ATTR_EULER:
      status = read_orientation(r, node, a, (double*)(void*)to);
      mark(head, a, 4, origin);
      return status;
    case VV_ATTR_LOOK:
    case VV_ATTR_PASS:
      return keep_look(r, node, a, head);
    case VV_ATTR_ZERO:
    case VV_ATTR_FALSE:
    case VV_ATTR_REFUSED:
      return check_off(r, node, a);
  }
  return VV_OK;
}

static bool is_orientation(vvAttrKind kind) {
  return kind >= VV_ATTR_QUAT && kind <= VV_ATTR_EULER;
}

vvStatus vv_mjcf_attributes(vvMjcf* r, xmlNode* node, const vvAttr* table, void* element, vvSpecHead* head,
                            int16_t origin) {
  const char* orientation = NULL;
  for (const xmlAttr* x = node->properties; x; x = x->next) {
    const char* name = (const char*)x->name;
    int i = 0;
    while (table[i].name && strcmp(table[i].name, name)) i++;
    if (!table[i].name || x->ns) return unknown_attribute(r, node, name, table);
    if (is_orientation(table[i].kind)) {
      if (orientation)
        return vv_mjcf_error(r, node, "%s states its orientation twice (\"%s\" and \"%s\"); keep one",
                             (const char*)node->name, orientation, name);
      orientation = name;
    }
    vvStatus status = read_value(r, node, &table[i], element, head, origin);
    if (status != VV_OK) return status;
    if (head) head->stated |= UINT64_C(1) << i;
  }
  return VV_OK;
}
