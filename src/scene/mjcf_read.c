// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// mjcf_read.c: the MJCF reader's top: sections in the order in which they take effect (compiler first, then options,
// defaults, and what uses them), wherever they stand in the file.

#include <libxml/parser.h>
#include <string.h>

#include "scene/mjcf_xml.h"

typedef vvStatus (*section_fn)(vvMjcf* r, xmlNode* node);

static vvStatus read_worldbody(vvMjcf* r, xmlNode* node) {
  if (node->properties)
    return vv_mjcf_error(r, node, "worldbody has no attributes; remove \"%.40s\"", (const char*)node->properties->name);
  return vv_mjcf_read_body(r, node, r->spec->bodies[0], NULL, 0);
}

static vvStatus read_defaults(vvMjcf* r, xmlNode* node) {
  return vv_mjcf_read_default(r, node, -1);
}

// Sections that are known but not supported: refused unless empty.
static vvStatus refuse(vvMjcf* r, xmlNode* node) {
  xmlNode* child = vv_mjcf_first(node);
  if (!child) return VV_OK;
  return vv_mjcf_unsupported(r, child, "%s in <%s> is not supported yet; remove it", (const char*)child->name,
                             (const char*)node->name);
}

// Assets: textures and materials are looks, meshes and height fields matter only to geoms, which refuse them.
static vvStatus read_asset(vvMjcf* r, xmlNode* node) {
  for (xmlNode* n = vv_mjcf_first(node); n; n = vv_mjcf_next(n))
    if (vv_mjcf_is(n, "skin") || vv_mjcf_is(n, "model"))
      return vv_mjcf_unsupported(r, n, "%s in <asset> is not supported yet; remove it", (const char*)n->name);
  return vv_mjcf_pass_over(r, node);
}

// size nkey: keyframes beyond those that are stated hold the scene's own state.
static vvStatus read_size(vvMjcf* r, xmlNode* node) {
  int nkey = 0, count = 0;
  vvStatus status = vv_mjcf_pass_over(r, node);
  if (status == VV_OK) status = vv_mjcf_ints(r, node, "nkey", 1, 1, &nkey, &count);
  if (status == VV_OK && nkey > 10000)
    return vv_mjcf_error(r, node, "size nkey is %d; at most 10000 keyframes are read", nkey);
  for (int i = r->spec->nkey; status == VV_OK && i < nkey; i++)
    if (!vv_spec_add_key(r->spec)) status = vv_mjcf_no_memory(r);
  return status;
}

typedef struct vvMjcfSection {
  const char* name;
  section_fn read;
} vvMjcfSection;

static const vvMjcfSection sections[] = {{"compiler", vv_mjcf_read_compiler},
                                         {"option", vv_mjcf_read_option},
                                         {"visual", vv_mjcf_pass_over},
                                         {"statistic", vv_mjcf_pass_over},
                                         {"custom", vv_mjcf_pass_over},
                                         {"default", read_defaults},
                                         {"extension", refuse},
                                         {"asset", read_asset},
                                         {"worldbody", read_worldbody},
                                         {"contact", vv_mjcf_read_contact},
                                         {"deformable", refuse},
                                         {"equality", vv_mjcf_read_equality},
                                         {"tendon", vv_mjcf_read_tendon},
                                         {"actuator", vv_mjcf_read_actuator},
                                         {"sensor", vv_mjcf_read_sensor},
                                         {"keyframe", vv_mjcf_read_keyframe},
                                         {"size", read_size},
                                         {NULL, NULL}};

static vvStatus check_sections(vvMjcf* r, xmlNode* root) {
  const char* known[32];
  int n = 0;
  for (; sections[n].name; n++) known[n] = sections[n].name;
  known[n] = NULL;
  for (xmlNode* node = vv_mjcf_first(root); node; node = vv_mjcf_next(node)) {
    int i = 0;
    while (sections[i].name && !vv_mjcf_is(node, sections[i].name)) i++;
    if (!sections[i].name) return vv_mjcf_unknown_element(r, node, known);
  }
  for (const xmlAttr* a = root->properties; a; a = a->next)
    if (strcmp((const char*)a->name, "model"))
      return vv_mjcf_error(r, root, "mujoco has no attribute \"%.40s\"; it has \"model\"", (const char*)a->name);
  return VV_OK;
}

static vvStatus read_root(vvMjcf* r, xmlNode* root) {
  const char* model = NULL;
  vvStatus status = check_sections(r, root);
  if (status == VV_OK) status = vv_mjcf_text(r, root, "model", &model);
  if (status != VV_OK) return status;
  if (model) r->spec->model = model;
  r->spec->compiler.degree = true;
  for (int i = 0; sections[i].name; i++)
    for (xmlNode* node = vv_mjcf_first(root); node; node = vv_mjcf_next(node))
      if (vv_mjcf_is(node, sections[i].name) && (status = sections[i].read(r, node)) != VV_OK) return status;
  return VV_OK;
}

vvStatus vv_mjcf_place(vvMjcf* r, xmlNode* node, vvSpecHead* head) {
  head->line = vv_mjcf_line(node);
  head->file = vv_mjcf_file(node);
  (void)r;
  return VV_OK;
}

vvStatus vv_mjcf_class(vvMjcf* r, xmlNode* node, const char* name, int fallback, int* class_id) {
  const char* text;
  *class_id = fallback;
  vvStatus status = vv_mjcf_text(r, node, name, &text);
  if (status != VV_OK || !text) return status;
  *class_id = vv_spec_find_class(r->spec, text);
  if (*class_id >= 0) return VV_OK;
  return vv_mjcf_error(r, node, "unknown default class \"%.60s\"; define it in <default> or correct its name", text);
}

vvStatus vv_spec_read_text(vvContext* context, const char* text, size_t length, const char* name, vvSpec** out,
                           vvReport* report) {
  if (!context || !name || !out) return vv_report_set(report, VV_ERROR_ARGUMENT, "a pointer is NULL");
  *out = NULL;
  vv_report_clear(report);
  vvMjcf r = {.context = context, .report = report, .path = name};
  vvStatus status = vv_spec_create(context, &r.spec);
  if (status != VV_OK) return vv_report_set(report, status, "%s: out of memory", name);
  r.spec->file = vv_spec_text(r.spec, name);
  xmlNode* root = NULL;
  status = r.spec->file ? vv_mjcf_open(&r, text, length, &root) : vv_mjcf_no_memory(&r);
  if (status == VV_OK) status = read_root(&r, root);
  vv_mjcf_close(&r);
  if (status == VV_OK) {
    // Paths of documents live in the scene's memory, so heads may keep pointing at them.
    *out = r.spec;
  } else {
    vv_spec_free(r.spec);
  }
  return status;
}

vvStatus vv_spec_read(vvContext* context, const char* path, vvSpec** spec, vvReport* report) {
  return vv_spec_read_text(context, NULL, 0, path, spec, report);
}
