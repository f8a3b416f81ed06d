// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// bindings.c: which field of a scene's element goes to which array of the model, the order of elements in the model
// (bodies depth first, what they hold in the order of the file), and where values come from.

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scene/scene.h"

#define ROW(element, array, type, field, width) \
  { element, offsetof(vvModel, array), offsetof(type, field), width }

static const vvBinding bindings[] = {ROW(VV_ELEMENT_FRAME, frame_pos, vvSpecFrame, pos, 3),
                                     ROW(VV_ELEMENT_BODY, body_pos, vvSpecBody, pos, 3),
                                     ROW(VV_ELEMENT_BODY, body_mass, vvSpecBody, mass, 1),
                                     ROW(VV_ELEMENT_BODY, body_ipos, vvSpecBody, ipos, 3),
                                     ROW(VV_ELEMENT_BODY, body_diaginertia, vvSpecBody, diaginertia, 3),
                                     ROW(VV_ELEMENT_BODY, body_fullinertia, vvSpecBody, fullinertia, 6),
                                     ROW(VV_ELEMENT_BODY, body_gravcomp, vvSpecBody, gravcomp, 1),
                                     ROW(VV_ELEMENT_JOINT, jnt_pos, vvSpecJoint, pos, 3),
                                     ROW(VV_ELEMENT_JOINT, jnt_axis, vvSpecJoint, axis, 3),
                                     ROW(VV_ELEMENT_JOINT, jnt_range, vvSpecJoint, range, 2),
                                     ROW(VV_ELEMENT_JOINT, jnt_stiffness, vvSpecJoint, stiffness, 1),
                                     ROW(VV_ELEMENT_JOINT, jnt_damping, vvSpecJoint, damping, 1),
                                     ROW(VV_ELEMENT_JOINT, jnt_armature, vvSpecJoint, armature, 1),
                                     ROW(VV_ELEMENT_JOINT, jnt_ref, vvSpecJoint, ref, 1),
                                     ROW(VV_ELEMENT_JOINT, jnt_springref, vvSpecJoint, springref, 1),
                                     ROW(VV_ELEMENT_JOINT, jnt_margin, vvSpecJoint, margin, 1),
                                     ROW(VV_ELEMENT_JOINT, jnt_solref, vvSpecJoint, solreflimit, 2),
                                     ROW(VV_ELEMENT_JOINT, jnt_solimp, vvSpecJoint, solimplimit, 5),
                                     ROW(VV_ELEMENT_JOINT, jnt_actfrcrange, vvSpecJoint, actuatorfrcrange, 2),
                                     ROW(VV_ELEMENT_JOINT, jnt_frictionloss, vvSpecJoint, frictionloss, 1),
                                     ROW(VV_ELEMENT_JOINT, jnt_friction_solref, vvSpecJoint, solreffriction, 2),
                                     ROW(VV_ELEMENT_JOINT, jnt_friction_solimp, vvSpecJoint, solimpfriction, 5),
                                     ROW(VV_ELEMENT_GEOM, geom_pos, vvSpecGeom, pos, 3),
                                     ROW(VV_ELEMENT_GEOM, geom_fromto, vvSpecGeom, fromto, 6),
                                     ROW(VV_ELEMENT_GEOM, geom_size, vvSpecGeom, size, 3),
                                     ROW(VV_ELEMENT_GEOM, geom_density, vvSpecGeom, density, 1),
                                     ROW(VV_ELEMENT_GEOM, geom_mass, vvSpecGeom, mass, 1),
                                     ROW(VV_ELEMENT_GEOM, geom_friction, vvSpecGeom, friction, 3),
                                     ROW(VV_ELEMENT_GEOM, geom_solref, vvSpecGeom, solref, 2),
                                     ROW(VV_ELEMENT_GEOM, geom_solimp, vvSpecGeom, solimp, 5),
                                     ROW(VV_ELEMENT_GEOM, geom_solmix, vvSpecGeom, solmix, 1),
                                     ROW(VV_ELEMENT_GEOM, geom_margin, vvSpecGeom, margin, 1),
                                     ROW(VV_ELEMENT_GEOM, geom_gap, vvSpecGeom, gap, 1),
                                     ROW(VV_ELEMENT_SITE, site_pos, vvSpecSite, pos, 3),
                                     ROW(VV_ELEMENT_SITE, site_fromto, vvSpecSite, fromto, 6),
                                     ROW(VV_ELEMENT_ACTUATOR, actuator_gear, vvSpecActuator, gear, 6),
                                     ROW(VV_ELEMENT_ACTUATOR, actuator_ctrlrange, vvSpecActuator, ctrlrange, 2),
                                     ROW(VV_ELEMENT_ACTUATOR, actuator_forcerange, vvSpecActuator, forcerange, 2),
                                     ROW(VV_ELEMENT_ACTUATOR, actuator_actrange, vvSpecActuator, actrange, 2),
                                     ROW(VV_ELEMENT_ACTUATOR, actuator_lengthrange, vvSpecActuator, lengthrange, 2),
                                     ROW(VV_ELEMENT_ACTUATOR, actuator_gainprm, vvSpecActuator, gainprm, 10),
                                     ROW(VV_ELEMENT_ACTUATOR, actuator_biasprm, vvSpecActuator, biasprm, 10),
                                     ROW(VV_ELEMENT_ACTUATOR, actuator_dynprm, vvSpecActuator, dynprm, 10),
                                     ROW(VV_ELEMENT_TENDON, tendon_range, vvSpecTendon, range, 2),
                                     ROW(VV_ELEMENT_TENDON, tendon_actfrcrange, vvSpecTendon, actuatorfrcrange, 2),
                                     ROW(VV_ELEMENT_TENDON, tendon_margin, vvSpecTendon, margin, 1),
                                     ROW(VV_ELEMENT_TENDON, tendon_stiffness, vvSpecTendon, stiffness, 1),
                                     ROW(VV_ELEMENT_TENDON, tendon_damping, vvSpecTendon, damping, 1),
                                     ROW(VV_ELEMENT_TENDON, tendon_springlength, vvSpecTendon, springlength, 2),
                                     ROW(VV_ELEMENT_TENDON, tendon_solref, vvSpecTendon, solreflimit, 2),
                                     ROW(VV_ELEMENT_TENDON, tendon_solimp, vvSpecTendon, solimplimit, 5),
                                     ROW(VV_ELEMENT_WRAP, wrap_coef, vvSpecWrap, coef, 1),
                                     ROW(VV_ELEMENT_SENSOR, sensor_cutoff, vvSpecSensor, cutoff, 1),
                                     ROW(VV_ELEMENT_EQUALITY, eq_anchor, vvSpecEquality, anchor, 3),
                                     ROW(VV_ELEMENT_EQUALITY, eq_relpos, vvSpecEquality, relpos, 3),
                                     ROW(VV_ELEMENT_EQUALITY, eq_torquescale, vvSpecEquality, torquescale, 1),
                                     ROW(VV_ELEMENT_EQUALITY, eq_polycoef, vvSpecEquality, polycoef, 5),
                                     ROW(VV_ELEMENT_EQUALITY, eq_solref, vvSpecEquality, solref, 2),
                                     ROW(VV_ELEMENT_EQUALITY, eq_solimp, vvSpecEquality, solimp, 5),
                                     {VV_ELEMENT_OPTION, 0, 0, 0}};

const vvBinding* vv_spec_bindings(void) {
  return bindings;
}

#define TURN(element, rot, quat, type, field) \
  { element, offsetof(vvModel, rot), offsetof(vvModel, quat), offsetof(type, field) }

static const vvRotation rotations[] = {TURN(VV_ELEMENT_FRAME, frame_rot, frame_quat0, vvSpecFrame, quat),
                                       TURN(VV_ELEMENT_BODY, body_rot, body_quat0, vvSpecBody, quat),
                                       TURN(VV_ELEMENT_BODY, body_irot, body_iquat0, vvSpecBody, iquat),
                                       TURN(VV_ELEMENT_GEOM, geom_rot, geom_quat0, vvSpecGeom, quat),
                                       TURN(VV_ELEMENT_SITE, site_rot, site_quat0, vvSpecSite, quat),
                                       TURN(VV_ELEMENT_EQUALITY, eq_relrot, eq_relquat0, vvSpecEquality, relquat),
                                       {VV_ELEMENT_OPTION, 0, 0, 0}};

const vvRotation* vv_spec_rotations(void) {
  return rotations;
}

vvSpecHead* vv_spec_prototype(const vvSpec* spec, vvElement element, int class_id) {
  if (class_id < 0 || class_id >= spec->nclass) return NULL;
  vvSpecClass* c = spec->classes[class_id];
  switch (element) {
    case VV_ELEMENT_JOINT:
      return &c->joint.head;
    case VV_ELEMENT_GEOM:
      return &c->geom.head;
    case VV_ELEMENT_SITE:
      return &c->site.head;
    case VV_ELEMENT_TENDON:
      return &c->tendon.head;
    case VV_ELEMENT_ACTUATOR:
      return &c->actuator.head;
    case VV_ELEMENT_EQUALITY:
      return &c->equality.head;
    default:
      return NULL;
  }
}

// ---- origins --------------------------------------------------------------------------------------------------------

static bool differ(double a, double b) {
  return a != b && !(isnan(a) && isnan(b));
}

// Reals of an element against those of its class's prototype: what is not its own comes from where the class has it.
static void settle_one(vvSpecHead* head, const vvSpecHead* prototype, size_t bytes, int16_t origin) {
  size_t n = (bytes - sizeof(vvSpecHead)) / sizeof(double);
  const double* a = (const double*)(const void*)(head + 1);
  const double* b = (const double*)(const void*)(prototype + 1);
  for (size_t i = 0; i < n && i < VV_SPEC_NREAL; i++)
    if (head->origin[i] != origin) head->origin[i] = differ(a[i], b[i]) ? origin : prototype->origin[i];
}

void vv_spec_settle(vvSpec* spec) {
  for (int i = 1; i < spec->nclass; i++) {
    vvSpecClass *c = spec->classes[i], *p = spec->classes[c->parent];
    int16_t id = (int16_t)i;
    settle_one(&c->joint.head, &p->joint.head, offsetof(vvSpecJoint, type), id);
    settle_one(&c->geom.head, &p->geom.head, offsetof(vvSpecGeom, type), id);
    settle_one(&c->site.head, &p->site.head, offsetof(vvSpecSite, type), id);
    settle_one(&c->actuator.head, &p->actuator.head, offsetof(vvSpecActuator, kind), id);
    settle_one(&c->tendon.head, &p->tendon.head, offsetof(vvSpecTendon, limited), id);
    settle_one(&c->equality.head, &p->equality.head, offsetof(vvSpecEquality, type), id);
  }
  const int16_t own = VV_ORIGIN_OWN;
  for (int i = 0; i < spec->njoint; i++) {
    vvSpecJoint* e = spec->joints[i];
    if (e->is_free_element) continue;
    settle_one(&e->head, &spec->classes[e->head.class_id]->joint.head, offsetof(vvSpecJoint, type), own);
  }
  for (int i = 0; i < spec->ngeom; i++) {
    vvSpecGeom* e = spec->geoms[i];
    settle_one(&e->head, &spec->classes[e->head.class_id]->geom.head, offsetof(vvSpecGeom, type), own);
  }
  for (int i = 0; i < spec->nsite; i++) {
    vvSpecSite* e = spec->sites[i];
    settle_one(&e->head, &spec->classes[e->head.class_id]->site.head, offsetof(vvSpecSite, type), own);
  }
  for (int i = 0; i < spec->nactuator; i++) {
    vvSpecActuator* e = spec->actuators[i];
    settle_one(&e->head, &spec->classes[e->head.class_id]->actuator.head, offsetof(vvSpecActuator, kind), own);
  }
  for (int i = 0; i < spec->ntendon; i++) {
    vvSpecTendon* e = spec->tendons[i];
    settle_one(&e->head, &spec->classes[e->head.class_id]->tendon.head, offsetof(vvSpecTendon, limited), own);
  }
  for (int i = 0; i < spec->nequality; i++) {
    vvSpecEquality* e = spec->equalities[i];
    settle_one(&e->head, &spec->classes[e->head.class_id]->equality.head, offsetof(vvSpecEquality, type), own);
  }
}

// ---- order ----------------------------------------------------------------------------------------------------------

// Elements that bodies hold, sorted stably by body.
static void order_by_body(vvSpecHead** out, void* const* elements, int n, size_t body_offset, int nbody, int* start) {
  memset(start, 0, ((size_t)nbody + 1) * sizeof(int));
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < n; i++) {
      const vvSpecBody* body = *(vvSpecBody* const*)(const void*)((const unsigned char*)elements[i] + body_offset);
      int id = body->head.id;
      if (pass == 0) {
        start[id + 1]++;
      } else {
        out[start[id]++] = elements[i];
      }
    }
    for (int b = 0; pass == 0 && b < nbody; b++) start[b + 1] += start[b];
  }
}

static void order_as_listed(vvSpecHead** out, void* const* elements, int n) {
  for (int i = 0; i < n; i++) out[i] = elements[i];
}

// Bodies depth first. Returns how many were reached.
static int order_bodies(vvSpec* spec, vvSpecHead** out) {
  int n = 0;
  for (vvSpecBody* b = spec->bodies[0]; b;) {
    b->head.id = n;
    out[n++] = &b->head;
    if (b->first_child) {
      b = b->first_child;
      continue;
    }
    while (b && !b->next) b = b->parent;
    b = b ? b->next : NULL;
  }
  return n;
}

vvStatus vv_spec_order_create(vvSpec* spec, vvSpecOrder* order) {
  memset(order, 0, sizeof *order);
  const int counts[VV_ELEMENT_COUNT] = {
      [VV_ELEMENT_FRAME] = spec->nframe, [VV_ELEMENT_BODY] = spec->nbody,         [VV_ELEMENT_JOINT] = spec->njoint,
      [VV_ELEMENT_GEOM] = spec->ngeom,   [VV_ELEMENT_SITE] = spec->nsite,         [VV_ELEMENT_TENDON] = spec->ntendon,
      [VV_ELEMENT_WRAP] = spec->nwrap,   [VV_ELEMENT_ACTUATOR] = spec->nactuator, [VV_ELEMENT_SENSOR] = spec->nsensor,
      [VV_ELEMENT_KEY] = spec->nkey,     [VV_ELEMENT_EQUALITY] = spec->nequality};
  for (int e = 0; e < VV_ELEMENT_COUNT; e++) {
    order->heads[e] = VV_NEW(spec->context, vvSpecHead*, counts[e] + 1);
    if (!order->heads[e]) {
      vv_spec_order_free(spec, order);
      return VV_ERROR_MEMORY;
    }
    order->count[e] = counts[e];
  }
  int* start = VV_NEW(spec->context, int, spec->nbody + 2);
  if (!start) {
    vv_spec_order_free(spec, order);
    return VV_ERROR_MEMORY;
  }
  order_bodies(spec, order->heads[VV_ELEMENT_BODY]);
  order_by_body(order->heads[VV_ELEMENT_JOINT], (void* const*)spec->joints, spec->njoint, offsetof(vvSpecJoint, body),
                spec->nbody, start);
  order_by_body(order->heads[VV_ELEMENT_GEOM], (void* const*)spec->geoms, spec->ngeom, offsetof(vvSpecGeom, body),
                spec->nbody, start);
  order_by_body(order->heads[VV_ELEMENT_SITE], (void* const*)spec->sites, spec->nsite, offsetof(vvSpecSite, body),
                spec->nbody, start);
  order_as_listed(order->heads[VV_ELEMENT_FRAME], (void* const*)spec->frames, spec->nframe);
  order_as_listed(order->heads[VV_ELEMENT_TENDON], (void* const*)spec->tendons, spec->ntendon);
  order_as_listed(order->heads[VV_ELEMENT_WRAP], (void* const*)spec->wraps, spec->nwrap);
  order_as_listed(order->heads[VV_ELEMENT_ACTUATOR], (void* const*)spec->actuators, spec->nactuator);
  order_as_listed(order->heads[VV_ELEMENT_SENSOR], (void* const*)spec->sensors, spec->nsensor);
  order_as_listed(order->heads[VV_ELEMENT_EQUALITY], (void* const*)spec->equalities, spec->nequality);
  order_as_listed(order->heads[VV_ELEMENT_KEY], (void* const*)spec->keys, spec->nkey);
  for (int e = 0; e < VV_ELEMENT_COUNT; e++)
    for (int i = 0; i < order->count[e]; i++) order->heads[e][i]->id = i;
  VV_DELETE(spec->context, start, int, spec->nbody + 2);
  return VV_OK;
}

void vv_spec_order_free(vvSpec* spec, vvSpecOrder* order) {
  for (int e = 0; e < VV_ELEMENT_COUNT; e++) {
    if (order->heads[e]) VV_DELETE(spec->context, order->heads[e], vvSpecHead*, order->count[e] + 1);
    order->heads[e] = NULL;
  }
}

// ---- messages -------------------------------------------------------------------------------------------------------

const char* vv_element_word(vvElement element) {
  static const char* const words[VV_ELEMENT_COUNT] = {"opt",      "compiler", "frame",    "body",   "joint",
                                                      "dof",      "geom",     "site",     "tendon", "tendon",
                                                      "actuator", "sensor",   "equality", "key"};
  return element < VV_ELEMENT_COUNT ? words[element] : "";
}

void vv_one_line(char* text) {
  for (; *text; text++)
    if ((unsigned char)*text < ' ' || *text == 0x7f) *text = ' ';
}

vvStatus vv_spec_error(vvReport* report, vvStatus status, const vvSpecHead* head, const char* format, ...) {
  char text[200];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  vv_one_line(text);
  if (head && head->line > 0) return vv_report_set(report, status, "%s:%d: %s", head->file, head->line, text);
  return vv_report_set(report, status, "%s", text);
}
