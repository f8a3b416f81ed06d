// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// mjcf_xml.h: what the files of the MJCF reader share: documents with includes resolved, errors with file and line,
// attributes by table.

#ifndef VISVIVA_SCENE_MJCF_XML_H_
#define VISVIVA_SCENE_MJCF_XML_H_

#include <libxml/tree.h>

#include "scene/scene.h"

typedef struct vvMjcf {
  vvContext* context;
  vvSpec* spec;
  vvReport* report;
  const char* path;        // of the main file
  struct vvMjcfDoc* docs;  // all documents, freed at the end
  int ndoc;
} vvMjcf;

// Parses the main file (from text when `text` is not NULL) and everything it includes.
vvStatus vv_mjcf_open(vvMjcf* r, const char* text, size_t length, xmlNode** root);
void vv_mjcf_close(vvMjcf* r);

// Child elements in order, those of included files in place of their <include>; NULL at the end.
xmlNode* vv_mjcf_first(xmlNode* parent);
xmlNode* vv_mjcf_next(xmlNode* node);

bool vv_mjcf_is(const xmlNode* node, const char* name);

// Fills the report with "FILE:LINE: message" and returns VV_ERROR_FILE (or the given status).
vvStatus vv_mjcf_error(vvMjcf* r, const xmlNode* node, const char* format, ...) VV_FORMAT(3, 4);
vvStatus vv_mjcf_unsupported(vvMjcf* r, const xmlNode* node, const char* format, ...) VV_FORMAT(3, 4);
vvStatus vv_mjcf_no_memory(vvMjcf* r);
int vv_mjcf_line(const xmlNode* node);
const char* vv_mjcf_file(const xmlNode* node);

// Value of an attribute as a copy in the scene's memory: *value is NULL when it is absent.
vvStatus vv_mjcf_text(vvMjcf* r, xmlNode* node, const char* name, const char** value);
// The same, but absence is an error.
vvStatus vv_mjcf_required(vvMjcf* r, xmlNode* node, const char* name, const char** value);

// min to max finite numbers; *count says how many there were, 0 when the attribute is absent.
vvStatus vv_mjcf_reals(vvMjcf* r, xmlNode* node, const char* name, int min, int max, double* values, int* count);
// Any number of finite numbers, in the scene's memory.
vvStatus vv_mjcf_real_list(vvMjcf* r, xmlNode* node, const char* name, double** values, int* count);
vvStatus vv_mjcf_ints(vvMjcf* r, xmlNode* node, const char* name, int min, int max, int* values, int* count);
vvStatus vv_mjcf_keyword(vvMjcf* r, xmlNode* node, const char* name, const vvKeyword* keys, int* value, bool* found);

// Reads all attributes of a node into `element` by table; unknown ones are errors. `head` may be NULL; reals that are
// read get the origin `origin`.
vvStatus vv_mjcf_attributes(vvMjcf* r, xmlNode* node, const vvAttr* table, void* element, vvSpecHead* head,
                            int16_t origin);

// An element that may not stand here; says which known one is near.
vvStatus vv_mjcf_unknown_element(vvMjcf* r, xmlNode* node, const char* const* known);
// Known words, ended by NULL: the nearest to `word` within two letters, or NULL.
const char* vv_mjcf_nearest(const char* word, const char* const* known);
// Errors unless the node has no child elements.
vvStatus vv_mjcf_no_children(vvMjcf* r, xmlNode* node);

// Elements of looks, memory and remarks: their words are checked, nothing is read (mjcf_known.c).
vvStatus vv_mjcf_pass_over(vvMjcf* r, xmlNode* node);

// Sections (mjcf_read_*.c).
vvStatus vv_mjcf_read_compiler(vvMjcf* r, xmlNode* node);
vvStatus vv_mjcf_read_option(vvMjcf* r, xmlNode* node);
vvStatus vv_mjcf_read_default(vvMjcf* r, xmlNode* node, int parent);
vvStatus vv_mjcf_read_body(vvMjcf* r, xmlNode* node, vvSpecBody* body, vvSpecFrame* frame, int class_id);
vvStatus vv_mjcf_read_contact(vvMjcf* r, xmlNode* node);
vvStatus vv_mjcf_read_tendon(vvMjcf* r, xmlNode* node);
vvStatus vv_mjcf_read_actuator(vvMjcf* r, xmlNode* node);
vvStatus vv_mjcf_read_equality(vvMjcf* r, xmlNode* node);
vvStatus vv_mjcf_read_sensor(vvMjcf* r, xmlNode* node);
vvStatus vv_mjcf_read_keyframe(vvMjcf* r, xmlNode* node);
// A springlength of one number stands for both ends.
void vv_mjcf_tendon_length(const xmlNode* node, double springlength[2]);
vvStatus vv_mjcf_actuator_attributes(vvMjcf* r, xmlNode* node, vvSpecActuator* a, int16_t origin);
// Refuses types of geoms and sites that are known but not supported.
vvStatus vv_mjcf_check_type(vvMjcf* r, xmlNode* node);
// Fills the head with name, file and line.
vvStatus vv_mjcf_place(vvMjcf* r, xmlNode* node, vvSpecHead* head);
// Class that `node` names by attribute `name`, else `fallback`.
vvStatus vv_mjcf_class(vvMjcf* r, xmlNode* node, const char* name, int fallback, int* class_id);

#endif  // VISVIVA_SCENE_MJCF_XML_H_
