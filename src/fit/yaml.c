// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// yaml.c: see yaml.h. On libyaml, the parser under libcyaml: a problem has mappings whose keys are names of the scene,
// which libcyaml's fixed schemas cannot say.

#include "fit/yaml.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/text.h"

enum { FILE_BYTES = 4 << 20 };

static const char* type_word(yaml_node_type_t type) {
  switch (type) {
    case YAML_SCALAR_NODE:
      return "a single value";
    case YAML_SEQUENCE_NODE:
      return "a list [a, b, ...]";
    case YAML_MAPPING_NODE:
      return "a mapping {key: value, ...}";
    case YAML_NO_NODE:
      break;
  }
  return "nothing";
}

vvStatus vv_yaml_error(const vvYaml* yaml, const char* path, const char* format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return vv_report_set(yaml->report, VV_ERROR_FILE, "%s: %s%s%s", yaml->file, path, path[0] ? ": " : "", text);
}

static vvStatus parse(vvYaml* yaml, FILE* file) {
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return vv_report_set(yaml->report, VV_ERROR_MEMORY, "out of memory");
  yaml_parser_set_input_file(&parser, file);
  vvStatus status = VV_OK;
  if (!yaml_parser_load(&parser, &yaml->document)) {
    size_t line = parser.problem_mark.line + 1;
    status = parser.error == YAML_MEMORY_ERROR
                 ? vv_report_set(yaml->report, VV_ERROR_MEMORY, "out of memory")
                 : vv_report_set(yaml->report, VV_ERROR_FILE, "%s:%zu: not YAML: %s", yaml->file, line,
                                 parser.problem ? parser.problem : "unreadable text");
  }
  yaml_parser_delete(&parser);
  return status;
}

vvStatus vv_yaml_open(vvYaml* yaml, const char* file, vvReport* report, vvYamlNode* root) {
  memset(yaml, 0, sizeof *yaml);
  memset(root, 0, sizeof *root);
  yaml->file = file;
  yaml->report = report;
  struct stat info;
  FILE* f = fopen(file, "rb");
  if (!f) return vv_report_set(report, VV_ERROR_FILE, "%s: cannot be read: %s", file, strerror(errno));
  vvStatus status = VV_OK;
  if (fstat(fileno(f), &info) != 0 || !S_ISREG(info.st_mode)) {
    status = vv_report_set(report, VV_ERROR_FILE, "%s: is not a file; a problem in YAML is needed", file);
  } else if (info.st_size > FILE_BYTES) {
    status = vv_report_set(report, VV_ERROR_FILE, "%s: has more than 4 MiB; a problem in YAML is needed", file);
  }
  if (status == VV_OK) status = parse(yaml, f);
  fclose(f);
  if (status != VV_OK) return status;
  root->node = yaml_document_get_root_node(&yaml->document);
  if (!root->node || root->node->type != YAML_MAPPING_NODE) {
    const char* what = root->node ? type_word(root->node->type) : "empty";
    vv_yaml_close(yaml);
    return vv_report_set(report, VV_ERROR_FILE, "%s: is %s; a mapping with scene, recording, signals, free is needed",
                         file, what);
  }
  return VV_OK;
}

void vv_yaml_close(vvYaml* yaml) {
  yaml_document_delete(&yaml->document);
}

vvStatus vv_yaml_need(const vvYaml* yaml, const vvYamlNode* node, yaml_node_type_t type) {
  if (!node->node) return vv_yaml_error(yaml, node->path, "is missing; %s is needed", type_word(type));
  if (node->node->type != type) {
    return vv_yaml_error(yaml, node->path, "is %s; %s is needed", type_word(node->node->type), type_word(type));
  }
  return VV_OK;
}

static vvYamlNode step_down(const vvYamlNode* node, const char* key, yaml_node_t* value) {
  vvYamlNode child = {value, {0}};
  snprintf(child.path, sizeof child.path, "%.*s%s%.*s", VV_YAML_PATH / 2, node->path, node->path[0] ? "/" : "",
           VV_YAML_PATH / 2 - 8, key);
  return child;
}

static const char* scalar_text(const yaml_node_t* node) {
  return node && node->type == YAML_SCALAR_NODE ? (const char*)node->data.scalar.value : NULL;
}

int vv_yaml_count(const vvYamlNode* node) {
  if (!node->node || node->node->type != YAML_MAPPING_NODE) return 0;
  return (int)(node->node->data.mapping.pairs.top - node->node->data.mapping.pairs.start);
}

vvYamlNode vv_yaml_at(vvYaml* yaml, const vvYamlNode* node, int i, const char** key) {
  const yaml_node_pair_t* pair = node->node->data.mapping.pairs.start + i;
  const char* text = scalar_text(yaml_document_get_node(&yaml->document, pair->key));
  *key = text ? text : "";
  return step_down(node, *key, yaml_document_get_node(&yaml->document, pair->value));
}

vvYamlNode vv_yaml_child(vvYaml* yaml, const vvYamlNode* node, const char* key) {
  int n = vv_yaml_count(node);
  for (int i = 0; i < n; i++) {
    const char* text = NULL;
    vvYamlNode child = vv_yaml_at(yaml, node, i, &text);
    if (strcmp(text, key) == 0) return child;
  }
  return step_down(node, key, NULL);
}

static bool in_list(const char* const* list, const char* key) {
  for (int i = 0; list[i]; i++) {
    if (strcmp(list[i], key) == 0) return true;
  }
  return false;
}

static vvStatus unknown_key(const vvYaml* yaml, const char* path, const char* const* list) {
  char known[200] = "";
  for (int i = 0; list[i]; i++) {
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", list[i]);
  }
  return vv_yaml_error(yaml, path, "unknown key; known here: %s", known);
}

vvStatus vv_yaml_keys(vvYaml* yaml, const vvYamlNode* node, const char* const* list) {
  vvStatus status = vv_yaml_need(yaml, node, YAML_MAPPING_NODE);
  int n = vv_yaml_count(node);
  for (int i = 0; i < n && status == VV_OK; i++) {
    const char* key = NULL;
    vvYamlNode child = vv_yaml_at(yaml, node, i, &key);
    if (!key[0]) return vv_yaml_error(yaml, child.path, "has a key that is not a text");
    if (list && !in_list(list, key)) return unknown_key(yaml, child.path, list);
    for (int k = 0; k < i; k++) {
      const char* other = NULL;
      vv_yaml_at(yaml, node, k, &other);
      if (strcmp(key, other) == 0) return vv_yaml_error(yaml, child.path, "appears twice; give it once");
    }
  }
  return status;
}

int vv_yaml_length(const vvYamlNode* node) {
  if (!node->node) return 0;
  if (node->node->type != YAML_SEQUENCE_NODE) return 1;
  return (int)(node->node->data.sequence.items.top - node->node->data.sequence.items.start);
}

vvYamlNode vv_yaml_item(vvYaml* yaml, const vvYamlNode* node, int i) {
  if (node->node->type != YAML_SEQUENCE_NODE) return *node;
  char key[16];
  snprintf(key, sizeof key, "%d", i);
  return step_down(node, key, yaml_document_get_node(&yaml->document, node->node->data.sequence.items.start[i]));
}

vvStatus vv_yaml_text(const vvYaml* yaml, const vvYamlNode* node, const char** text) {
  vvStatus status = vv_yaml_need(yaml, node, YAML_SCALAR_NODE);
  if (status != VV_OK) return status;
  *text = scalar_text(node->node);
  if (!(*text)[0] || strlen(*text) != node->node->data.scalar.length) {
    return vv_yaml_error(yaml, node->path, "is empty; a text is needed");
  }
  return VV_OK;
}

vvStatus vv_yaml_real(const vvYaml* yaml, const vvYamlNode* node, double* value) {
  const char* text = NULL;
  const char* end = NULL;
  vvStatus status = vv_yaml_text(yaml, node, &text);
  if (status != VV_OK) return status;
  if (!vv_real_from_text(text, &end, value) || *end || !isfinite(*value)) {
    return vv_yaml_error(yaml, node->path, "is \"%.60s\"; a finite number is needed", text);
  }
  return VV_OK;
}

vvStatus vv_yaml_int(const vvYaml* yaml, const vvYamlNode* node, int least, int most, int* value) {
  double x = 0;
  vvStatus status = vv_yaml_real(yaml, node, &x);
  if (status != VV_OK) return status;
  if (!(x >= least && x <= most) || x != floor(x)) {
    return vv_yaml_error(yaml, node->path, "is %s; a whole number from %d to %d is needed", scalar_text(node->node),
                         least, most);
  }
  *value = (int)x;
  return VV_OK;
}
