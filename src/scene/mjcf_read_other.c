// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// mjcf_read_other.c: contact, tendon, actuator, sensor, keyframe.

#include <libxml/parser.h>
#include <string.h>

#include "scene/mjcf_xml.h"
#include "scene/sensor.h"

vvStatus vv_mjcf_read_contact(vvMjcf* r, xmlNode* node) {
  static const char* const known[] = {"exclude", "pair", NULL};
  for (xmlNode* n = vv_mjcf_first(node); n; n = vv_mjcf_next(n)) {
    if (vv_mjcf_is(n, "pair"))
      return vv_mjcf_unsupported(r, n,
                                 "pair is not supported yet; state contype, conaffinity and friction at the geoms");
    if (!vv_mjcf_is(n, "exclude")) return vv_mjcf_unknown_element(r, n, known);
    const char *body1, *body2;
    vvStatus status = vv_mjcf_required(r, n, "body1", &body1);
    if (status == VV_OK) status = vv_mjcf_required(r, n, "body2", &body2);
    if (status != VV_OK) return status;
    vvSpecExclude* e = vv_spec_add_exclude(r->spec, body1, body2);
    if (!e) return vv_mjcf_no_memory(r);
    status = vv_mjcf_place(r, n, &e->head);
    if (status == VV_OK) status = vv_mjcf_attributes(r, n, vv_attr_exclude(), e, &e->head, VV_ORIGIN_OWN);
    if (status == VV_OK) status = vv_mjcf_no_children(r, n);
    if (status != VV_OK) return status;
  }
  return VV_OK;
}

// Makes an actuator one of a kind, with that kind's own defaults where it was none.
static void set_kind(vvSpecActuator* a, int kind) {
  static const double muscle[9] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
  if (a->kind == kind) return;
  a->kind = kind;
  if (kind == VV_ACTUATOR_POSITION || kind == VV_ACTUATOR_INTVELOCITY || kind == VV_ACTUATOR_DAMPER)
    for (int k = 1; k < 10; k++) a->gainprm[k] = a->biasprm[k] = 0;
  if (kind == VV_ACTUATOR_POSITION) a->dynprm[0] = 0;
  if (kind == VV_ACTUATOR_DAMPER) a->gainprm[2] = 1;
  if (kind == VV_ACTUATOR_MUSCLE) {
    for (int k = 0; k < 9; k++)
      if (a->gainprm[k] == (k == 0)) a->gainprm[k] = muscle[k];
    if (a->dynprm[0] == 1) a->dynprm[0] = 0.01;
    if (a->dynprm[1] == 0) a->dynprm[1] = 0.04;
  }
}

vvStatus vv_mjcf_actuator_attributes(vvMjcf* r, xmlNode* node, vvSpecActuator* a, int16_t origin) {
  int kind = 0;
  while (!vv_mjcf_is(node, vv_keys_actuator[kind].key)) kind++;
  set_kind(a, kind);
  vvStatus status = vv_mjcf_attributes(r, node, vv_attr_actuator(kind), a, &a->head, origin);
  if (status != VV_OK) return status;
  bool joint = xmlHasProp(node, (const xmlChar*)"joint") != NULL;
  bool parent = xmlHasProp(node, (const xmlChar*)"jointinparent") != NULL;
  bool tendon = xmlHasProp(node, (const xmlChar*)"tendon") != NULL;
  bool site = xmlHasProp(node, (const xmlChar*)"site") != NULL;
  if (joint + parent + tendon + site > 1)
    return vv_mjcf_error(r, node,
                         "actuator drives more than one thing; keep one of joint, jointinparent, tendon and site");
  if (xmlHasProp(node, (const xmlChar*)"refsite") && (joint || parent || tendon))
    return vv_mjcf_error(r, node, "refsite needs site; add it");
  if (kind == VV_ACTUATOR_MUSCLE && site) return vv_mjcf_error(r, node, "muscle has no attribute \"site\"");
  if (joint || parent) a->in_parent = parent;
  if (joint || parent || tendon) a->site = a->refsite = "";
  if (joint || parent || site) a->tendon = "";
  if (tendon || site) a->joint = "";
  double dim = 0;
  int count = 0;
  if ((status = vv_mjcf_reals(r, node, "actdim", 1, 1, &dim, &count)) != VV_OK) return status;
  if (count && dim > 1) return vv_mjcf_unsupported(r, node, "actdim is not supported yet beyond 1; remove it");
  return VV_OK;
}

vvStatus vv_mjcf_read_actuator(vvMjcf* r, xmlNode* node) {
  static const char* const known[] = {"motor",  "general",  "position", "velocity", "intvelocity", "orientation", "pid",
                                      "damper", "cylinder", "muscle",   "adhesion", "dcmotor",     "plugin",      NULL};
  for (xmlNode* n = vv_mjcf_first(node); n; n = vv_mjcf_next(n)) {
    int kind = 0;
    while (vv_keys_actuator[kind].key && !vv_mjcf_is(n, vv_keys_actuator[kind].key)) kind++;
    if (!vv_keys_actuator[kind].key) {
      for (int i = 0; known[i]; i++)
        if (vv_mjcf_is(n, known[i]))
          return vv_mjcf_unsupported(r, n, "actuator \"%s\" is not supported yet; use another kind", known[i]);
      return vv_mjcf_unknown_element(r, n, known);
    }
    int id = 0;
    vvStatus status = vv_mjcf_class(r, n, "class", 0, &id);
    if (status != VV_OK) return status;
    vvSpecActuator* a = vv_spec_add_motor(r->spec, "", id);
    if (!a) return vv_mjcf_no_memory(r);
    status = vv_mjcf_place(r, n, &a->head);
    if (status == VV_OK) status = vv_mjcf_actuator_attributes(r, n, a, VV_ORIGIN_OWN);
    if (status == VV_OK) status = vv_mjcf_no_children(r, n);
    if (status != VV_OK) return status;
    if (!*a->joint && !*a->tendon && !*a->site)
      return vv_mjcf_error(r, n, "%s drives nothing; add joint, tendon or site", (const char*)n->name);
    if (*a->refsite && !*a->site) return vv_mjcf_error(r, n, "refsite needs site; add it");
  }
  return VV_OK;
}

static vvStatus read_fixed(vvMjcf* r, xmlNode* node) {
  static const char* const known[] = {"joint", NULL};
  int id = 0;
  vvStatus status = vv_mjcf_class(r, node, "class", 0, &id);
  if (status != VV_OK) return status;
  vvSpecTendon* t = vv_spec_add_tendon(r->spec, id);
  if (!t) return vv_mjcf_no_memory(r);
  status = vv_mjcf_place(r, node, &t->head);
  if (status == VV_OK) status = vv_mjcf_attributes(r, node, vv_attr_tendon(), t, &t->head, VV_ORIGIN_OWN);
  for (xmlNode* n = vv_mjcf_first(node); n && status == VV_OK; n = vv_mjcf_next(n)) {
    if (!vv_mjcf_is(n, "joint")) return vv_mjcf_unknown_element(r, n, known);
    const char* joint;
    double coef = 0;
    int count = 0;
    status = vv_mjcf_required(r, n, "joint", &joint);
    if (status == VV_OK) status = vv_mjcf_reals(r, n, "coef", 1, 1, &coef, &count);
    if (status != VV_OK) return status;
    if (!count) return vv_mjcf_error(r, n, "joint of a fixed tendon needs the attribute \"coef\"");
    for (const xmlAttr* a = n->properties; a; a = a->next)
      if (strcmp((const char*)a->name, "joint") && strcmp((const char*)a->name, "coef"))
        return vv_mjcf_error(r, n, "joint of a fixed tendon has no attribute \"%.40s\"", (const char*)a->name);
    vvSpecWrap* w = vv_spec_add_wrap(r->spec, t, joint, coef);
    if (!w) return vv_mjcf_no_memory(r);
    w->head.line = vv_mjcf_line(n);
    w->head.file = vv_mjcf_file(n);
    status = vv_mjcf_no_children(r, n);
  }
  return status;
}

// springlength of one number stands for both.
vvStatus vv_mjcf_read_tendon(vvMjcf* r, xmlNode* node) {
  static const char* const known[] = {"fixed", "spatial", NULL};
  for (xmlNode* n = vv_mjcf_first(node); n; n = vv_mjcf_next(n)) {
    if (vv_mjcf_is(n, "spatial"))
      return vv_mjcf_unsupported(r, n, "spatial in <tendon> is not supported yet; use a fixed tendon");
    if (!vv_mjcf_is(n, "fixed")) return vv_mjcf_unknown_element(r, n, known);
    vvStatus status = read_fixed(r, n);
    if (status != VV_OK) return status;
    vv_mjcf_tendon_length(n, r->spec->tendons[r->spec->ntendon - 1]->springlength);
  }
  return VV_OK;
}

void vv_mjcf_tendon_length(const xmlNode* node, double springlength[2]) {
  const xmlAttr* a = xmlHasProp((xmlNode*)node, (const xmlChar*)"springlength");
  if (!a || !a->children || !a->children->content) return;
  const char* text = (const char*)a->children->content + strspn((const char*)a->children->content, " \t\n\r");
  const char* end = text + strcspn(text, " \t\n\r");
  if (end[strspn(end, " \t\n\r")] == 0) springlength[1] = springlength[0];
}

static bool known_sensor(const xmlNode* node) {
  static const char* const others[] = {"touch",
                                       "accelerometer",
                                       "velocimeter",
                                       "gyro",
                                       "force",
                                       "torque",
                                       "magnetometer",
                                       "camprojection",
                                       "rangefinder",
                                       "tendonpos",
                                       "tendonvel",
                                       "actuatorpos",
                                       "actuatorvel",
                                       "actuatorfrc",
                                       "jointactuatorfrc",
                                       "tendonactuatorfrc",
                                       "jointlimitpos",
                                       "jointlimitvel",
                                       "jointlimitfrc",
                                       "tendonlimitpos",
                                       "tendonlimitvel",
                                       "tendonlimitfrc",
                                       "subtreecom",
                                       "subtreelinvel",
                                       "subtreeangmom",
                                       "insidesite",
                                       "distance",
                                       "normal",
                                       "fromto",
                                       "contact",
                                       "e_potential",
                                       "e_kinetic",
                                       "clock",
                                       "tactile",
                                       "user",
                                       "plugin",
                                       NULL};
  for (int i = 0; others[i]; i++)
    if (vv_mjcf_is(node, others[i])) return true;
  return false;
}

static vvStatus read_frame_sensor(vvMjcf* r, xmlNode* node, vvSpecSensor* s) {
  const char* text;
  vvStatus status = vv_mjcf_required(r, node, "objtype", &text);
  if (status == VV_OK) status = vv_mjcf_required(r, node, "objname", &text);
  if (status != VV_OK) return status;
  static const char* const attributes[] = {"objtype", "reftype", NULL};
  for (int i = 0; attributes[i]; i++) {
    if ((status = vv_mjcf_text(r, node, attributes[i], &text)) != VV_OK) return status;
    if (text && !strcmp(text, "camera"))
      return vv_mjcf_unsupported(r, node, "%s=\"camera\" is not supported yet; use a site", attributes[i]);
  }
  bool type = xmlHasProp(node, (const xmlChar*)"reftype") != NULL,
       name = xmlHasProp(node, (const xmlChar*)"refname") != NULL;
  if (type != name)
    return vv_mjcf_error(r, node, "reftype and refname go together; add \"%s\"", type ? "refname" : "reftype");
  return vv_mjcf_attributes(r, node, vv_attr_sensor(VV_TARGET_FRAME), s, &s->head, VV_ORIGIN_OWN);
}

vvStatus vv_mjcf_read_sensor(vvMjcf* r, xmlNode* node) {
  const char* known[64];
  int n = 0;
  for (; n < 63 && vv_sensor_kinds()[n].word; n++) known[n] = vv_sensor_kinds()[n].word;
  known[n] = NULL;
  for (xmlNode* x = vv_mjcf_first(node); x; x = vv_mjcf_next(x)) {
    const vvSensorKind* kind = vv_sensor_kind_of((const char*)x->name);
    if (!kind && known_sensor(x))
      return vv_mjcf_unsupported(r, x, "sensor \"%s\" is not supported yet; remove it", (const char*)x->name);
    if (!kind) return vv_mjcf_unknown_element(r, x, known);
    vvSpecSensor* s = vv_spec_add_sensor(r->spec, kind->type, "");
    if (!s) return vv_mjcf_no_memory(r);
    vvStatus status = vv_mjcf_place(r, x, &s->head);
    const char* attribute = vv_sensor_attribute(kind->target);
    const char* object;
    if (status == VV_OK && kind->target == VV_TARGET_FRAME) {
      status = read_frame_sensor(r, x, s);
    } else if (status == VV_OK) {
      if (attribute) status = vv_mjcf_required(r, x, attribute, &object);
      if (status == VV_OK) status = vv_mjcf_attributes(r, x, vv_attr_sensor(kind->target), s, &s->head, VV_ORIGIN_OWN);
    }
    if (status == VV_OK) status = vv_mjcf_no_children(r, x);
    if (status != VV_OK) return status;
  }
  return VV_OK;
}

vvStatus vv_mjcf_read_keyframe(vvMjcf* r, xmlNode* node) {
  static const char* const known[] = {"key", NULL};
  static const char* const arrays[] = {"qpos", "qvel", "act", "ctrl", NULL};
  for (xmlNode* n = vv_mjcf_first(node); n; n = vv_mjcf_next(n)) {
    if (!vv_mjcf_is(n, "key")) return vv_mjcf_unknown_element(r, n, known);
    vvSpecKey* key = vv_spec_add_key(r->spec);
    if (!key) return vv_mjcf_no_memory(r);
    vvStatus status = vv_mjcf_place(r, n, &key->head);
    if (status == VV_OK) status = vv_mjcf_attributes(r, n, vv_attr_key(), key, &key->head, VV_ORIGIN_OWN);
    for (int i = 0; status == VV_OK && arrays[i]; i++) {
      double* values;
      int count;
      status = vv_mjcf_real_list(r, n, arrays[i], &values, &count);
      if (status == VV_OK && count > 0 && vv_spec_key_set(r->spec, key, arrays[i], values, count) != VV_OK)
        status = vv_mjcf_no_memory(r);
    }
    if (status == VV_OK) status = vv_mjcf_no_children(r, n);
    if (status != VV_OK) return status;
  }
  return VV_OK;
}
