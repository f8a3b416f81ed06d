// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// yaml.h: reading a YAML document key by key. Every error names the file and the path of keys:
// "problem.yaml: windows/samples: is -3; a whole number from 1 to 1000000".

#ifndef VISVIVA_FIT_YAML_H_
#define VISVIVA_FIT_YAML_H_

#include <yaml.h>

#include "visviva/report.h"

enum { VV_YAML_PATH = 512 };

typedef struct vvYaml {
  yaml_document_t document;
  const char* file;
  vvReport* report;
} vvYaml;

// A node with its path; node NULL: absent.
typedef struct vvYamlNode {
  yaml_node_t* node;
  char path[VV_YAML_PATH];
} vvYamlNode;

// Reads the first document of a file; the root must be a mapping.
vvStatus vv_yaml_open(vvYaml* yaml, const char* file, vvReport* report, vvYamlNode* root);
void vv_yaml_close(vvYaml* yaml);

// "FILE: PATH: message" into the report; returns VV_ERROR_FILE.
vvStatus vv_yaml_error(const vvYaml* yaml, const char* path, const char* format, ...) VV_FORMAT(3, 4);

// The node must be a mapping (sequence, scalar); absent: an error that says what is missing.
vvStatus vv_yaml_need(const vvYaml* yaml, const vvYamlNode* node, yaml_node_type_t type);

// Child of a mapping by key; absent: node NULL, with the path it would have.
vvYamlNode vv_yaml_child(vvYaml* yaml, const vvYamlNode* node, const char* key);

// Keys of a mapping: how many, the i-th key's text and its value.
int vv_yaml_count(const vvYamlNode* node);
vvYamlNode vv_yaml_at(vvYaml* yaml, const vvYamlNode* node, int i, const char** key);

// Refuses keys that are not in the list (ended by NULL) and keys that appear twice; a NULL list allows all.
vvStatus vv_yaml_keys(vvYaml* yaml, const vvYamlNode* node, const char* const* list);

// Items of a sequence; a scalar counts as a sequence of one.
int vv_yaml_length(const vvYamlNode* node);
vvYamlNode vv_yaml_item(vvYaml* yaml, const vvYamlNode* node, int i);

// Scalars. The text is the document's.
vvStatus vv_yaml_text(const vvYaml* yaml, const vvYamlNode* node, const char** text);
vvStatus vv_yaml_real(const vvYaml* yaml, const vvYamlNode* node, double* value);
vvStatus vv_yaml_int(const vvYaml* yaml, const vvYamlNode* node, int least, int most, int* value);

#endif  // VISVIVA_FIT_YAML_H_
