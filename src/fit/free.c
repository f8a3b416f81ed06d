// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// free.c: reads the free numbers and the starts of a problem.
//
//   free:
//     geom/cube/friction/0: {start: 1, min: 0.01, max: 2, scale: log}      one number
//     body/cube/diaginertia/*: {start: 8e-4, ...}                          one value for all that match: tied
//     body/cube/ipos: {start: [0, 0, 0], min: -0.01, max: 0.01}            a list: one free number for each that
//     matches geom/cube/size: {}                                                   no start: the scene's values, one
//     for each geom/a/friction/0: {start: 1, also: [geom/b/friction/0]}             tied to others by name

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit/problem.h"
#include "fit/yaml.h"

enum { MATCH_MAX = 4096 };

static vvStatus no_memory(const vvYaml* yaml) {
  return vv_report_set(yaml->report, VV_ERROR_MEMORY, "out of memory");
}

// Numbers that a pattern names, appended to `list`; refuses what cannot be fitted.
static vvStatus match(vvFitProblem* p, const vvYaml* yaml, const char* path, const char* pattern, int* list, int* n) {
  const vvModelNames* names = p->model->names;
  int found = vv_number_match(p->model, pattern, list + *n, MATCH_MAX - *n);
  if (found == 0) {
    return vv_yaml_error(yaml, path, "the scene has no such number; vv info lists them");
  }
  if (found > MATCH_MAX - *n) return vv_yaml_error(yaml, path, "names more than %d numbers", MATCH_MAX);
  for (int i = 0; i < found; i++) {
    const vvNumber* number = &names->numbers[list[*n + i]];
    if (number->reason) return vv_yaml_error(yaml, path, "cannot be fitted: %s", number->reason);
    if (strcmp(number->name, "opt/timestep") == 0) {
      return vv_yaml_error(yaml, path, "cannot be fitted: the samples' places among the steps depend on it");
    }
    for (int k = 0; k < *n + i; k++) {
      if (list[k] == list[*n + i]) return vv_yaml_error(yaml, path, "names %s twice", number->name);
    }
  }
  *n += found;
  return VV_OK;
}

// The i-th of n values of a key that is a number or a list of n numbers.
static vvStatus value_at(vvYaml* yaml, const vvYamlNode* node, int i, int n, double* value) {
  if (!node->node) return VV_OK;
  if (node->node->type == YAML_SEQUENCE_NODE && vv_yaml_length(node) != n) {
    return vv_yaml_error(yaml, node->path, "has %d numbers; one, or a list of %d, is needed", vv_yaml_length(node), n);
  }
  vvYamlNode item = node->node->type == YAML_SEQUENCE_NODE ? vv_yaml_item(yaml, node, i) : *node;
  return vv_yaml_real(yaml, &item, value);
}

static vvStatus check_range(const vvYaml* yaml, const vvYamlNode* node, vvFitFree* f, const vvNumber* number) {
  const char* path = node->path;
  if (number->sign >= 0 && !isfinite(f->min)) f->min = number->sign ? 1e-9 * (double)number->scale : 0;
  if (f->scale == VV_FIT_LOG && !isfinite(f->min)) f->min = 1e-300;
  if (f->scale == VV_FIT_LOG && !(f->min > 0)) {
    return vv_yaml_error(yaml, path, "min is %.9g; scale: log needs a min above 0", f->min);
  }
  if (number->sign >= 0 && f->min < 0) {
    return vv_yaml_error(yaml, path, "min is %.9g; this number cannot be negative", f->min);
  }
  if (number->sign > 0 && f->min <= 0) return vv_yaml_error(yaml, path, "min is 0; this number must stay above 0");
  if (!(f->min < f->max)) {
    return vv_yaml_error(yaml, path, "min is %.9g, max is %.9g; min must be below max", f->min, f->max);
  }
  if (!(f->start >= f->min && f->start <= f->max)) {
    return vv_yaml_error(yaml, path, "start is %.9g; it must lie between %.9g and %.9g", f->start, f->min, f->max);
  }
  double size = fmax(fabs(f->start), (double)number->scale);
  f->unit_size = f->scale == VV_FIT_LOG ? 0 : isfinite(f->min) && isfinite(f->max) ? f->max - f->min : size;
  return VV_OK;
}

// The one free number i of n of a key.
static vvStatus read_one(vvFitProblem* p, vvYaml* yaml, const vvYamlNode* node, vvFitFree* f, int i, int n) {
  vvYamlNode start = vv_yaml_child(yaml, node, "start"), low = vv_yaml_child(yaml, node, "min");
  vvYamlNode high = vv_yaml_child(yaml, node, "max"), scale = vv_yaml_child(yaml, node, "scale");
  const vvNumber* number = &p->model->names->numbers[f->numbers[0]];
  f->unit = number->unit;
  f->start = (double)vv_number_value(p->model, f->numbers[0]);
  f->min = -(double)INFINITY;
  f->max = (double)INFINITY;
  f->inertia = -1;
  f->bounded = low.node || high.node || scale.node;
  vvStatus status = value_at(yaml, &start, i, n, &f->start);
  if (status == VV_OK) status = value_at(yaml, &low, i, n, &f->min);
  if (status == VV_OK) status = value_at(yaml, &high, i, n, &f->max);
  if (status == VV_OK && scale.node) {
    const char* text = NULL;
    status = vv_yaml_text(yaml, &scale, &text);
    if (status != VV_OK) return status;
    if (strcmp(text, "log") != 0 && strcmp(text, "linear") != 0) {
      return vv_yaml_error(yaml, scale.path, "is \"%.40s\"; log or linear is needed", text);
    }
    f->scale = text[1] == 'o' ? VV_FIT_LOG : VV_FIT_LINEAR;
  }
  return status == VV_OK ? check_range(yaml, node, f, number) : status;
}

static vvStatus read_key(vvFitProblem* p, vvYaml* yaml, const char* key, const vvYamlNode* node, int* list) {
  static const char* const keys[] = {"start", "min", "max", "scale", "also", NULL};
  int n = 0;
  vvStatus status = vv_yaml_keys(yaml, node, keys);
  if (status == VV_OK) status = match(p, yaml, node->path, key, list, &n);
  if (status != VV_OK) return status;
  vvYamlNode start = vv_yaml_child(yaml, node, "start"), also = vv_yaml_child(yaml, node, "also");
  bool tied = also.node || (start.node && start.node->type != YAML_SEQUENCE_NODE);
  for (int i = 0; i < vv_yaml_length(&also) && status == VV_OK; i++) {
    const char* text = NULL;
    vvYamlNode item = vv_yaml_item(yaml, &also, i);
    status = vv_yaml_text(yaml, &item, &text);
    if (status == VV_OK) status = match(p, yaml, item.path, text, list, &n);
  }
  int count = tied ? 1 : n;
  if (status == VV_OK && p->nfree + count > VV_FIT_FREE_MAX) {
    status = vv_yaml_error(yaml, node->path, "more than %d free numbers", VV_FIT_FREE_MAX);
  }
  for (int i = 0; i < count && status == VV_OK; i++) {
    vvFitFree* f = &p->free[p->nfree++];
    f->nnumber = tied ? n : 1;
    f->numbers = VV_FIT_NEW(&p->memory, int, f->nnumber);
    f->name = tied || n == 1 ? vv_fit_text(&p->memory, key, strlen(key)) : p->model->names->numbers[list[i]].name;
    if (!f->numbers || !f->name) return no_memory(yaml);
    memcpy(f->numbers, list + i, sizeof(int) * (size_t)f->nnumber);
    status = read_one(p, yaml, node, f, i, count);
  }
  return status;
}

// No real of the model may be set by two free numbers.
static vvStatus check_overlap(vvFitProblem* p, const vvYaml* yaml) {
  vvFitMemory local = {p->context, NULL};
  int* owner = VV_FIT_NEW(&local, int, p->model->section_begin[VV_SECTION_DERIVED]);
  vvStatus status = owner ? VV_OK : no_memory(yaml);
  for (int i = 0; i < p->nfree && status == VV_OK; i++) {
    for (int k = 0; k < p->free[i].nnumber && status == VV_OK; k++) {
      const vvNumber* number = &p->model->names->numbers[p->free[i].numbers[k]];
      for (int j = 0; j < number->nmember && status == VV_OK; j++) {
        int* who = &owner[number->members[j]];
        if (*who && *who != i + 1) {
          status = vv_report_set(yaml->report, VV_ERROR_FILE,
                                 "%s: free/%s: sets a number that %s sets, too; free one of them", p->file,
                                 p->free[i].name, p->free[*who - 1].name);
        }
        *who = i + 1;
      }
    }
  }
  vv_fit_memory_free(&local);
  return status;
}

static int find_free(const vvFitProblem* p, const char* name) {
  for (int i = 0; i < p->nfree; i++) {
    bool single = p->free[i].nnumber == 1;
    if (single && strcmp(p->model->names->numbers[p->free[i].numbers[0]].name, name) == 0) return i;
  }
  return -1;
}

// Looks for bodies whose ten inertial numbers are all free.
static vvStatus find_inertias(vvFitProblem* p, const vvYaml* yaml) {
  static const char* const end[10] = {"mass",          "ipos/0",        "ipos/1",        "ipos/2",
                                      "fullinertia/0", "fullinertia/1", "fullinertia/2", "fullinertia/3",
                                      "fullinertia/4", "fullinertia/5"};
  p->inertias = VV_FIT_NEW(&p->memory, vvFitInertia, p->nfree / 10 + 1);
  if (!p->inertias) return no_memory(yaml);
  for (int i = 0; i < p->nfree; i++) {
    const char* name = p->free[i].nnumber == 1 ? p->model->names->numbers[p->free[i].numbers[0]].name : "";
    size_t length = strlen(name);
    if (strncmp(name, "body/", 5) != 0 || length < 10 || strcmp(name + length - 5, "/mass") != 0) continue;
    vvFitInertia block;
    bool all = true;
    for (int k = 0; k < 10; k++) {
      char text[512];
      snprintf(text, sizeof text, "%.*s%s", (int)(length - 4), name, end[k]);
      block.slot[k] = find_free(p, text);
      all = all && block.slot[k] >= 0;
    }
    for (int k = 0; k < 10 && all; k++) {
      vvFitFree* f = &p->free[block.slot[k]];
      if (f->bounded) {
        return vv_report_set(
            yaml->report, VV_ERROR_FILE,
            "%s: free/%s: min, max and scale have no meaning where all ten inertial numbers of a body are "
            "free, they stay physical by themselves; remove them",
            p->file, f->name);
      }
      f->inertia = p->ninertia;
      f->min = -(double)INFINITY;
      f->max = (double)INFINITY;
    }
    block.length = 0;
    if (all) p->inertias[p->ninertia++] = block;
  }
  return VV_OK;
}

static vvStatus read_starts(vvFitProblem* p, vvYaml* yaml, const vvYamlNode* root) {
  vvYamlNode node = vv_yaml_child(yaml, root, "starts");
  p->nstart = node.node ? vv_yaml_length(&node) : 1;
  if (node.node) {
    vvStatus status = vv_yaml_need(yaml, &node, YAML_SEQUENCE_NODE);
    if (status != VV_OK) return status;
    if (p->nstart < 1 || p->nstart > 10000)
      return vv_yaml_error(yaml, node.path, "has %d starts; 1 to 10000", p->nstart);
  }
  p->starts = VV_FIT_NEW(&p->memory, double, (size_t)p->nstart*(size_t)p->nfree);
  if (!p->starts) return no_memory(yaml);
  for (int s = 0; s < p->nstart; s++) {
    vvYamlNode row = node.node ? vv_yaml_item(yaml, &node, s) : node;
    if (row.node && (row.node->type != YAML_SEQUENCE_NODE || vv_yaml_length(&row) != p->nfree)) {
      return vv_yaml_error(yaml, row.path, "a list of %d numbers is needed, in the order of free", p->nfree);
    }
    for (int i = 0; i < p->nfree; i++) {
      double* value = &p->starts[s * p->nfree + i];
      *value = p->free[i].start;
      if (!row.node) continue;
      vvYamlNode item = vv_yaml_item(yaml, &row, i);
      vvStatus status = vv_yaml_real(yaml, &item, value);
      if (status != VV_OK) return status;
      if (!(*value >= p->free[i].min && *value <= p->free[i].max)) {
        return vv_yaml_error(yaml, item.path, "is %.9g; %s lies between %.9g and %.9g", *value, p->free[i].name,
                             p->free[i].min, p->free[i].max);
      }
    }
  }
  return VV_OK;
}

vvStatus vv_fit_read_free(vvFitProblem* p, vvYaml* yaml, const vvYamlNode* root) {
  vvYamlNode node = vv_yaml_child(yaml, root, "free");
  vvStatus status = vv_yaml_keys(yaml, &node, NULL);
  if (status != VV_OK) return status;
  int n = vv_yaml_count(&node);
  if (n == 0) return vv_yaml_error(yaml, node.path, "is empty; at least one number is needed");
  vvFitMemory local = {p->context, NULL};
  int* list = VV_FIT_NEW(&local, int, MATCH_MAX);
  p->free = VV_FIT_NEW(&p->memory, vvFitFree, VV_FIT_FREE_MAX);
  if (!list || !p->free) status = no_memory(yaml);
  for (int i = 0; i < n && status == VV_OK; i++) {
    const char* key = NULL;
    vvYamlNode item = vv_yaml_at(yaml, &node, i, &key);
    status = read_key(p, yaml, key, &item, list);
  }
  vv_fit_memory_free(&local);
  if (status == VV_OK) status = check_overlap(p, yaml);
  if (status == VV_OK) status = find_inertias(p, yaml);
  return status == VV_OK ? read_starts(p, yaml, root) : status;
}
