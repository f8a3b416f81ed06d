// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// mjcf_read_other.c: contact, actuator, sensor, keyframe.

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

// A general actuator must say what a motor is: gain 1, no bias, no dynamics.
static vvStatus check_general(vvMjcf* r, xmlNode* node) {
  double gain[10] = {1};
  int count = 0;
  const char* type;
  vvStatus status = vv_mjcf_reals(r, node, "gainprm", 1, 10, gain, &count);
  if (status == VV_OK) status = vv_mjcf_text(r, node, "gaintype", &type);
  if (status != VV_OK) return status;
  if (type && strcmp(type, "fixed"))
    return vv_mjcf_unsupported(r, node, "general attribute \"gaintype\" is not supported yet beyond \"fixed\"");
  if (gain[0] != 1)
    return vv_mjcf_unsupported(r, node,
                               "general attribute \"gainprm\" is not supported yet beyond 1; put it into gear");
  return VV_OK;
}

vvStatus vv_mjcf_actuator_attributes(vvMjcf* r, xmlNode* node, vvSpecActuator* a, int16_t origin) {
  bool general = vv_mjcf_is(node, "general");
  vvStatus status = vv_mjcf_attributes(r, node, general ? vv_attr_general() : vv_attr_motor(), a, &a->head, origin);
  if (status == VV_OK && general) status = check_general(r, node);
  if (status != VV_OK) return status;
  bool joint = xmlHasProp(node, (const xmlChar*)"joint") != NULL;
  bool parent = xmlHasProp(node, (const xmlChar*)"jointinparent") != NULL;
  if (joint && parent) return vv_mjcf_error(r, node, "actuator has joint and jointinparent; keep one");
  if (joint || parent) a->in_parent = parent;
  return VV_OK;
}

vvStatus vv_mjcf_read_actuator(vvMjcf* r, xmlNode* node) {
  static const char* const known[] = {"motor",  "general",  "position", "velocity", "intvelocity", "orientation", "pid",
                                      "damper", "cylinder", "muscle",   "adhesion", "dcmotor",     "plugin",      NULL};
  for (xmlNode* n = vv_mjcf_first(node); n; n = vv_mjcf_next(n)) {
    if (!vv_mjcf_is(n, "motor") && !vv_mjcf_is(n, "general")) {
      for (int i = 0; known[i]; i++)
        if (vv_mjcf_is(n, known[i]))
          return vv_mjcf_unsupported(r, n, "actuator \"%s\" is not supported yet; use motor", known[i]);
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
    if (!*a->joint) return vv_mjcf_error(r, n, "%s drives nothing; add joint=\"...\"", (const char*)n->name);
  }
  return VV_OK;
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
