// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// mjcf_read_body.c: worldbody, body, frame and what they hold.

#include <libxml/parser.h>
#include <math.h>
#include <string.h>

#include "scene/mjcf_xml.h"

static vvStatus read_inertial(vvMjcf* r, xmlNode* node, vvSpecBody* body) {
  if (!body->parent) return vv_mjcf_error(r, node, "the world body has no inertia; remove <inertial>");
  if (body->inertial) return vv_mjcf_error(r, node, "a second <inertial> in one body; keep one");
  const char* text;
  vvStatus status = vv_mjcf_required(r, node, "pos", &text);
  if (status == VV_OK) status = vv_mjcf_required(r, node, "mass", &text);
  vvSpecHead head = body->head;
  if (status == VV_OK) status = vv_mjcf_attributes(r, node, vv_attr_inertial(), body, &body->head, VV_ORIGIN_OWN);
  body->head.stated = head.stated;
  if (status != VV_OK) return status;
  body->inertial = true;
  if (isnan(body->fullinertia[0])) return vv_mjcf_no_children(r, node);
  if (xmlHasProp(node, (const xmlChar*)"diaginertia"))
    return vv_mjcf_error(r, node, "inertial has diaginertia and fullinertia; keep one");
  static const char* const forms[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler", NULL};
  for (int i = 0; forms[i]; i++)
    if (xmlHasProp(node, (const xmlChar*)forms[i]))
      return vv_mjcf_error(r, node, "inertial has fullinertia and \"%s\"; remove \"%s\"", forms[i], forms[i]);
  return vv_mjcf_no_children(r, node);
}

static vvStatus read_joint(vvMjcf* r, xmlNode* node, vvSpecBody* body, vvSpecFrame* frame, int class_id) {
  if (!body->parent) return vv_mjcf_error(r, node, "the world body cannot have joints; put the joint into a body");
  bool free_element = vv_mjcf_is(node, "freejoint");
  vvSpecJoint* joint = free_element
                           ? vv_spec_add_freejoint(r->spec, body)
                           : vv_spec_add_joint(r->spec, body, r->spec->classes[class_id]->joint.type, class_id);
  if (!joint) return vv_mjcf_no_memory(r);
  joint->frame = frame;
  vvStatus status = vv_mjcf_place(r, node, &joint->head);
  if (status == VV_OK)
    status = vv_mjcf_attributes(r, node, free_element ? vv_attr_freejoint() : vv_attr_joint(), joint, &joint->head,
                                VV_ORIGIN_OWN);
  return status == VV_OK ? vv_mjcf_no_children(r, node) : status;
}

vvStatus vv_mjcf_check_type(vvMjcf* r, xmlNode* node) {
  const char* type;
  vvStatus status = vv_mjcf_text(r, node, "type", &type);
  if (status == VV_OK && type && (!strcmp(type, "mesh") || !strcmp(type, "hfield") || !strcmp(type, "sdf")))
    return vv_mjcf_unsupported(r, node, "%s type \"%s\" is not supported yet; use sphere, capsule, box, ...",
                               (const char*)node->name, type);
  return status;
}

static vvStatus read_geom(vvMjcf* r, xmlNode* node, vvSpecBody* body, vvSpecFrame* frame, int class_id) {
  vvStatus status = vv_mjcf_check_type(r, node);
  if (status != VV_OK) return status;
  vvSpecGeom* geom = vv_spec_add_geom(r->spec, body, r->spec->classes[class_id]->geom.type, class_id);
  if (!geom) return vv_mjcf_no_memory(r);
  geom->frame = frame;
  status = vv_mjcf_place(r, node, &geom->head);
  if (status == VV_OK) status = vv_mjcf_attributes(r, node, vv_attr_geom(), geom, &geom->head, VV_ORIGIN_OWN);
  return status == VV_OK ? vv_mjcf_no_children(r, node) : status;
}

static vvStatus read_site(vvMjcf* r, xmlNode* node, vvSpecBody* body, vvSpecFrame* frame, int class_id) {
  vvStatus status = vv_mjcf_check_type(r, node);
  if (status != VV_OK) return status;
  vvSpecSite* site = vv_spec_add_site(r->spec, body, class_id);
  if (!site) return vv_mjcf_no_memory(r);
  site->frame = frame;
  status = vv_mjcf_place(r, node, &site->head);
  if (status == VV_OK) status = vv_mjcf_attributes(r, node, vv_attr_site(), site, &site->head, VV_ORIGIN_OWN);
  return status == VV_OK ? vv_mjcf_no_children(r, node) : status;
}

static vvStatus read_frame(vvMjcf* r, xmlNode* node, vvSpecBody* body, vvSpecFrame* parent, int class_id) {
  int inner = class_id;
  vvStatus status = vv_mjcf_class(r, node, "childclass", class_id, &inner);
  if (status != VV_OK) return status;
  vvSpecFrame* frame = vv_spec_add_frame(r->spec, body, parent);
  if (!frame) return vv_mjcf_no_memory(r);
  if (xmlHasProp(node, (const xmlChar*)"childclass")) frame->childclass = inner;
  status = vv_mjcf_place(r, node, &frame->head);
  if (status == VV_OK) status = vv_mjcf_attributes(r, node, vv_attr_frame(), frame, &frame->head, VV_ORIGIN_OWN);
  return status == VV_OK ? vv_mjcf_read_body(r, node, body, frame, inner) : status;
}

static vvStatus read_child_body(vvMjcf* r, xmlNode* node, vvSpecBody* parent, vvSpecFrame* frame, int class_id) {
  int inner = class_id;
  vvStatus status = vv_mjcf_class(r, node, "childclass", class_id, &inner);
  if (status != VV_OK) return status;
  vvSpecBody* body = vv_spec_add_body(r->spec, parent, frame);
  if (!body) return vv_mjcf_no_memory(r);
  if (xmlHasProp(node, (const xmlChar*)"childclass")) body->childclass = inner;
  status = vv_mjcf_place(r, node, &body->head);
  if (status == VV_OK) status = vv_mjcf_attributes(r, node, vv_attr_body(), body, &body->head, VV_ORIGIN_OWN);
  return status == VV_OK ? vv_mjcf_read_body(r, node, body, NULL, inner) : status;
}

vvStatus vv_mjcf_read_body(vvMjcf* r, xmlNode* node, vvSpecBody* body, vvSpecFrame* frame, int class_id) {
  static const char* const known[] = {"inertial",  "joint",    "freejoint", "geom",   "site",
                                      "frame",     "body",     "camera",    "light",  "plugin",
                                      "composite", "flexcomp", "replicate", "attach", NULL};
  for (xmlNode* n = vv_mjcf_first(node); n; n = vv_mjcf_next(n)) {
    int own = class_id;
    vvStatus status = VV_OK;
    bool classed = vv_mjcf_is(n, "joint") || vv_mjcf_is(n, "geom") || vv_mjcf_is(n, "site") ||
                   vv_mjcf_is(n, "camera") || vv_mjcf_is(n, "light");
    if (classed) status = vv_mjcf_class(r, n, "class", class_id, &own);
    if (status != VV_OK) return status;
    if (vv_mjcf_is(n, "inertial")) {
      if (frame && body->parent)
        return vv_mjcf_unsupported(r, n, "inertial inside <frame> is not supported yet; move it out of the frame");
      status = read_inertial(r, n, body);
    } else if (vv_mjcf_is(n, "joint") || vv_mjcf_is(n, "freejoint")) {
      status = read_joint(r, n, body, frame, own);
    } else if (vv_mjcf_is(n, "geom")) {
      status = read_geom(r, n, body, frame, own);
    } else if (vv_mjcf_is(n, "site")) {
      status = read_site(r, n, body, frame, own);
    } else if (vv_mjcf_is(n, "frame")) {
      status = read_frame(r, n, body, frame, class_id);
    } else if (vv_mjcf_is(n, "body")) {
      status = read_child_body(r, n, body, frame, class_id);
    } else if (vv_mjcf_is(n, "camera") || vv_mjcf_is(n, "light")) {
      status = vv_mjcf_pass_over(r, n);
    } else {
      for (int i = 0; known[i]; i++)
        if (vv_mjcf_is(n, known[i]))
          return vv_mjcf_unsupported(r, n, "element \"%s\" is not supported yet; remove it", known[i]);
      status = vv_mjcf_unknown_element(r, n, known);
    }
    if (status != VV_OK) return status;
  }
  return VV_OK;
}
