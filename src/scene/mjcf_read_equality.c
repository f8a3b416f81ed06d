// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// mjcf_read_equality.c: connect, weld and joint of the section equality.

#include <libxml/parser.h>

#include "scene/mjcf_xml.h"

static bool has(xmlNode* node, const char* name) {
  return xmlHasProp(node, (const xmlChar*)name) != NULL;
}

// Names of the two objects. Connects and welds are between bodies or between sites.
static vvStatus read_objects(vvMjcf* r, xmlNode* n, vvEqualityType type, bool* site, const char* object[2]) {
  static const char* const words[3][2] = {{"joint1", "joint2"}, {"body1", "body2"}, {"site1", "site2"}};
  bool body = has(n, "body1") || has(n, "body2");
  *site = type != VV_EQ_JOINT && (has(n, "site1") || has(n, "site2"));
  if (*site && body) return vv_mjcf_error(r, n, "%s names bodies and sites; keep one kind", (const char*)n->name);
  if (*site && (has(n, "anchor") || has(n, "relpose")))
    return vv_mjcf_error(r, n, "%s between sites has no anchor or relpose; remove it", (const char*)n->name);
  if (!*site && type == VV_EQ_CONNECT && !has(n, "anchor"))
    return vv_mjcf_error(r, n, "connect needs body1 and anchor, or site1 and site2");
  const char* const* word = words[type == VV_EQ_JOINT ? 0 : *site ? 2 : 1];
  vvStatus status = vv_mjcf_required(r, n, word[0], &object[0]);
  if (status == VV_OK)
    status = *site ? vv_mjcf_required(r, n, word[1], &object[1]) : vv_mjcf_text(r, n, word[1], &object[1]);
  if (status == VV_OK && !object[1]) object[1] = "";
  return status;
}

vvStatus vv_mjcf_read_equality(vvMjcf* r, xmlNode* node) {
  static const char* const known[] = {"connect", "weld", "joint", "tendon", "flex", "flexvert", "flexstrain", NULL};
  for (xmlNode* n = vv_mjcf_first(node); n; n = vv_mjcf_next(n)) {
    int type = 0;
    while (known[type] && !vv_mjcf_is(n, known[type])) type++;
    if (!known[type]) return vv_mjcf_unknown_element(r, n, known);
    if (type > VV_EQ_JOINT)
      return vv_mjcf_unsupported(r, n, "equality \"%s\" is not supported yet; remove it", known[type]);
    bool site = false;
    const char* object[2] = {"", ""};
    int class_id = 0;
    vvStatus status = read_objects(r, n, (vvEqualityType)type, &site, object);
    if (status == VV_OK) status = vv_mjcf_class(r, n, "class", 0, &class_id);
    if (status != VV_OK) return status;
    vvSpecEquality* e = vv_spec_add_equality(r->spec, (vvEqualityType)type, site, object[0], object[1], class_id);
    if (!e) return vv_mjcf_no_memory(r);
    status = vv_mjcf_place(r, n, &e->head);
    if (status == VV_OK) status = vv_mjcf_attributes(r, n, vv_attr_equality(type), e, &e->head, VV_ORIGIN_OWN);
    if (status == VV_OK) status = vv_mjcf_no_children(r, n);
    if (status != VV_OK) return status;
  }
  return VV_OK;
}
