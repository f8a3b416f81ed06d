// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// mjcf_write.c: the MJCF writer. Every element and default class writes what it states itself (or what differs from
// its class), so classes, frames and fromto of a file that was read survive. Orientations are written as quaternions,
// angles of joints in the scene's unit, numbers with as few digits as read back to the same double. Cameras, lights and
// assets are not written.
//
// order    what a body or frame holds stands in the order of its creation; elements of a frame stand together

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/mjcf_text.h"
#include "scene/sensor.h"
#include "visviva/output.h"

// What a body or frame holds.
typedef struct vvItem {
  int container;  // body id, or number of bodies + frame id
  vvElement kind;
  vvSpecHead* head;
} vvItem;

typedef struct vvWriter {
  vvSpec* spec;
  vvText* t;
  vvItem* items;  // sorted by container, then by creation
  int nitem;
  vvReport* report;
} vvWriter;

#define MAX_DEPTH 200

// ---- one element ----------------------------------------------------------------------------------------------------

// Attributes of `element` that are its own (origin `own`) or differ from `prototype`.
static void write_attributes(vvText* t, const vvAttr* table, const void* element, const void* prototype, int own) {
  const vvSpecHead* head = element;
  for (int i = 0; table[i].name; i++) {
    const vvAttr* a = &table[i];
    const unsigned char* at = (const unsigned char*)element + a->offset;
    const unsigned char* base = (const unsigned char*)prototype + a->offset;
    bool stated = head->stated >> i & 1;
    if (a->kind == VV_ATTR_REAL || a->kind == VV_ATTR_POLY || a->kind == VV_ATTR_QUAT) {
      const double* v = (const double*)(const void*)at;
      int most = a->kind == VV_ATTR_POLY ? 1 : a->max, n = 0;
      size_t first = VV_ORIGIN_INDEX(a->offset);
      for (int k = 0; k < most; k++)
        if (head->origin[first + (size_t)k] == own) n = k + 1;
      if (!stated && own == VV_ORIGIN_OWN && n == 1 && v[0] == 0 && !strcmp(a->name, "timeconst")) n = 0;
      if (n > 0 && n < a->min) n = a->min;
      if (n > 0 && a->kind == VV_ATTR_QUAT) n = 4;
      if (n > 0 && !isnan(v[0])) vv_text_reals(t, a->name, v, n);
    } else if (a->kind == VV_ATTR_INT && (stated || *(const int*)(const void*)at != *(const int*)(const void*)base)) {
      vv_text_int(t, a->name, *(const int*)(const void*)at);
    } else if (a->kind == VV_ATTR_ENUM && (stated || *(const int*)(const void*)at != *(const int*)(const void*)base)) {
      vv_text_attribute(t, a->name, vv_key_text(a->keys, *(const int*)(const void*)at));
    }
  }
  for (const vvSpecText* look = head->looks; look; look = look->next) vv_text_attribute(t, look->name, look->value);
}

static void write_name(vvText* t, const vvSpecHead* head) {
  if (head->name[0]) vv_text_attribute(t, "name", head->name);
}

static void write_class(vvWriter* w, const vvSpecHead* head, int around) {
  if (head->class_id != around) vv_text_attribute(w->t, "class", w->spec->classes[head->class_id]->name);
}

// Position and orientation of a body, frame or inertial, where they are not null.
static void write_pose(vvText* t, const double pos[3], const double quat[4]) {
  if (pos[0] != 0 || pos[1] != 0 || pos[2] != 0) vv_text_reals(t, "pos", pos, 3);
  if (quat[0] != 1 || quat[1] != 0 || quat[2] != 0 || quat[3] != 0) vv_text_reals(t, "quat", quat, 4);
}

static void write_looks(vvText* t, const vvSpecHead* head) {
  for (const vvSpecText* look = head->looks; look; look = look->next) vv_text_attribute(t, look->name, look->value);
}

static void write_inertial(vvText* t, const vvSpecBody* b) {
  if (!b->inertial) return;
  vv_text_open(t, "inertial");
  vv_text_reals(t, "pos", b->ipos, 3);
  vv_text_reals(t, "mass", &b->mass, 1);
  if (!isnan(b->fullinertia[0])) {
    vv_text_reals(t, "fullinertia", b->fullinertia, 6);
  } else {
    vv_text_reals(t, "diaginertia", b->diaginertia, 3);
    if (b->iquat[0] != 1 || b->iquat[1] != 0 || b->iquat[2] != 0 || b->iquat[3] != 0)
      vv_text_reals(t, "quat", b->iquat, 4);
  }
  vv_text_close(t, "inertial", true);
}

static void write_joint(vvWriter* w, const vvSpecJoint* s, int around) {
  vvText* t = w->t;
  bool plain = s->stiffness == 0 && s->damping == 0 && s->armature == 0 && s->frictionloss == 0;
  if (s->is_free_element && plain) {
    vv_text_open(t, "freejoint");
    write_name(t, &s->head);
    write_looks(t, &s->head);
    vv_text_close(t, "freejoint", true);
    return;
  }
  vv_text_open(t, "joint");
  write_name(t, &s->head);
  if (s->is_free_element) {
    // a joint of type free takes defaults that a freejoint does not: all that matters is written
    vv_text_attribute(t, "type", "free");
    vv_text_reals(t, "stiffness", &s->stiffness, 1);
    vv_text_reals(t, "damping", &s->damping, 1);
    vv_text_reals(t, "armature", &s->armature, 1);
    vv_text_reals(t, "frictionloss", &s->frictionloss, 1);
    vv_text_reals(t, "solreffriction", s->solreffriction, 2);
    vv_text_reals(t, "solimpfriction", s->solimpfriction, 5);
    write_looks(t, &s->head);
  } else {
    write_class(w, &s->head, around);
    write_attributes(t, vv_attr_joint(), s, &w->spec->classes[s->head.class_id]->joint, VV_ORIGIN_OWN);
  }
  vv_text_close(t, "joint", true);
}

static void write_geom(vvWriter* w, const vvSpecGeom* s, int around) {
  vv_text_open(w->t, "geom");
  write_name(w->t, &s->head);
  write_class(w, &s->head, around);
  write_attributes(w->t, vv_attr_geom(), s, &w->spec->classes[s->head.class_id]->geom, VV_ORIGIN_OWN);
  vv_text_close(w->t, "geom", true);
}

static void write_site(vvWriter* w, const vvSpecSite* s, int around) {
  vv_text_open(w->t, "site");
  write_name(w->t, &s->head);
  write_class(w, &s->head, around);
  write_attributes(w->t, vv_attr_site(), s, &w->spec->classes[s->head.class_id]->site, VV_ORIGIN_OWN);
  vv_text_close(w->t, "site", true);
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

static int container_of_frame(const vvWriter* w, const vvSpecFrame* frame, const vvSpecBody* body) {
  return frame ? w->spec->nbody + frame->head.id : body->head.id;
}

static int by_container(const void* x, const void* y) {
  const vvItem *a = x, *b = y;
  if (a->container != b->container) return a->container < b->container ? -1 : 1;
  return (a->head->order > b->head->order) - (a->head->order < b->head->order);
}

static void add_item(vvWriter* w, int container, vvElement kind, vvSpecHead* head) {
  vvItem item = {container, kind, head};
  w->items[w->nitem++] = item;
}

static vvStatus collect(vvWriter* w) {
  vvSpec* s = w->spec;
  size_t n = (size_t)s->nbody + (size_t)s->nframe + (size_t)s->njoint + (size_t)s->ngeom + (size_t)s->nsite;
  w->items = VV_NEW(s->context, vvItem, n);
  if (!w->items) return VV_ERROR_MEMORY;
  for (int i = 1; i < s->nbody; i++)
    add_item(w, container_of_frame(w, s->bodies[i]->frame, s->bodies[i]->parent), VV_ELEMENT_BODY, &s->bodies[i]->head);
  for (int i = 0; i < s->nframe; i++)
    add_item(w, container_of_frame(w, s->frames[i]->parent, s->frames[i]->body), VV_ELEMENT_FRAME, &s->frames[i]->head);
  for (int i = 0; i < s->njoint; i++)
    add_item(w, container_of_frame(w, s->joints[i]->frame, s->joints[i]->body), VV_ELEMENT_JOINT, &s->joints[i]->head);
  for (int i = 0; i < s->ngeom; i++)
    add_item(w, container_of_frame(w, s->geoms[i]->frame, s->geoms[i]->body), VV_ELEMENT_GEOM, &s->geoms[i]->head);
  for (int i = 0; i < s->nsite; i++)
    add_item(w, container_of_frame(w, s->sites[i]->frame, s->sites[i]->body), VV_ELEMENT_SITE, &s->sites[i]->head);
  qsort(w->items, (size_t)w->nitem, sizeof(vvItem), by_container);
  return VV_OK;
}

// First item of a container.
static int first_item(const vvWriter* w, int container) {
  int low = 0, high = w->nitem;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (w->items[middle].container < container) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static vvStatus write_items(vvWriter* w, int container, int around, int depth);

static vvStatus write_nested(vvWriter* w, const vvItem* item, int around, int depth) {
  bool is_body = item->kind == VV_ELEMENT_BODY;
  const vvSpecBody* b = (const vvSpecBody*)(const void*)item->head;
  const vvSpecFrame* f = (const vvSpecFrame*)(const void*)item->head;
  const char* word = is_body ? "body" : "frame";
  int childclass = is_body ? b->childclass : f->childclass;
  vv_text_open(w->t, word);
  write_name(w->t, item->head);
  if (childclass >= 0) vv_text_attribute(w->t, "childclass", w->spec->classes[childclass]->name);
  if (is_body) {
    write_pose(w->t, b->pos, b->quat);
    if (b->gravcomp != 0) vv_text_reals(w->t, "gravcomp", &b->gravcomp, 1);
  } else {
    write_pose(w->t, f->pos, f->quat);
  }
  write_looks(w->t, item->head);
  vv_text_close(w->t, word, false);
  if (is_body) write_inertial(w->t, b);
  int container = is_body ? b->head.id : w->spec->nbody + f->head.id;
  vvStatus status = write_items(w, container, childclass >= 0 ? childclass : around, depth + 1);
  vv_text_end(w->t, word);
  return status;
}

static vvStatus write_items(vvWriter* w, int container, int around, int depth) {
  if (depth > MAX_DEPTH)
    return vv_report_set(w->report, VV_ERROR_UNSUPPORTED, "bodies nest deeper than %d; XML readers refuse that",
                         MAX_DEPTH);
  for (int i = first_item(w, container); i < w->nitem && w->items[i].container == container; i++) {
    const vvItem* item = &w->items[i];
    const void* element = item->head;
    vvStatus status = VV_OK;
    if (item->kind == VV_ELEMENT_JOINT) {
      write_joint(w, element, around);
    } else if (item->kind == VV_ELEMENT_GEOM) {
      write_geom(w, element, around);
    } else if (item->kind == VV_ELEMENT_SITE) {
      write_site(w, element, around);
    } else {
      status = write_nested(w, item, around, depth);
    }
    if (status != VV_OK) return status;
  }
  return VV_OK;
}

// ---- defaults -------------------------------------------------------------------------------------------------------

static void write_prototype(vvWriter* w, const char* word, const vvAttr* table, const void* mine, const void* base,
                            int id) {
  size_t before = w->t->size;
  vv_text_open(w->t, word);
  size_t empty = w->t->size;
  write_attributes(w->t, table, mine, base, id);
  if (w->t->size == empty) {
    vv_text_undo(w->t, before);
  } else {
    vv_text_close(w->t, word, true);
  }
}

static vvStatus write_class_tree(vvWriter* w, int id, const vvSpecClass* builtin, int depth) {
  if (depth > MAX_DEPTH) return vv_report_set(w->report, VV_ERROR_UNSUPPORTED, "default classes nest too deep");
  const vvSpecClass* c = w->spec->classes[id];
  const vvSpecClass* base = id == 0 ? builtin : w->spec->classes[c->parent];
  size_t before = w->t->size;
  vv_text_open(w->t, "default");
  if (id > 0) vv_text_attribute(w->t, "class", c->name);
  vv_text_close(w->t, "default", false);
  size_t empty = w->t->size;
  write_prototype(w, "joint", vv_attr_joint(), &c->joint, &base->joint, id);
  write_prototype(w, "geom", vv_attr_geom(), &c->geom, &base->geom, id);
  write_prototype(w, "site", vv_attr_site(), &c->site, &base->site, id);
  write_prototype(w, "equality", vv_attr_equality(-1), &c->equality, &base->equality, id);
  write_prototype(w, "tendon", vv_attr_tendon(), &c->tendon, &base->tendon, id);
  write_prototype(w, vv_keys_actuator[c->actuator.kind].key, vv_attr_actuator(c->actuator.kind), &c->actuator,
                  &base->actuator, id);
  vvStatus status = VV_OK;
  for (int i = id + 1; i < w->spec->nclass && status == VV_OK; i++)
    if (w->spec->classes[i]->parent == id) status = write_class_tree(w, i, builtin, depth + 1);
  if (id == 0 && w->t->size == empty) {
    vv_text_undo(w->t, before);
    w->t->depth--;
  } else {
    vv_text_end(w->t, "default");
  }
  return status;
}

// ---- other sections -------------------------------------------------------------------------------------------------

static void write_compiler(vvWriter* w) {
  const vvSpecCompiler* c = &w->spec->compiler;
  vvText* t = w->t;
  vv_text_open(t, "compiler");
  vv_text_attribute(t, "angle", c->degree ? "degree" : "radian");
  if (!c->autolimits) vv_text_attribute(t, "autolimits", "false");
  if (c->inertiafromgeom != VV_AUTO) vv_text_attribute(t, "inertiafromgeom", c->inertiafromgeom ? "true" : "false");
  if (c->groups[0] != 0 || c->groups[1] != 5) {
    double groups[2] = {c->groups[0], c->groups[1]};
    vv_text_reals(t, "inertiagrouprange", groups, 2);
  }
  if (c->settotalmass > 0) vv_text_reals(t, "settotalmass", &c->settotalmass, 1);
  if (c->boundmass > 0) vv_text_reals(t, "boundmass", &c->boundmass, 1);
  if (c->boundinertia > 0) vv_text_reals(t, "boundinertia", &c->boundinertia, 1);
  if (c->balanceinertia) vv_text_attribute(t, "balanceinertia", "true");
  vv_text_close(t, "compiler", true);
}

static void write_option(vvWriter* w) {
  static const char* const solvers[] = {"PGS", "CG", "Newton"};
  const vvSpecOption* o = &w->spec->option;
  vvText* t = w->t;
  vv_text_open(t, "option");
  vv_text_reals(t, "timestep", &o->timestep, 1);
  vv_text_reals(t, "gravity", o->gravity, 3);
  if (o->impratio != 1) vv_text_reals(t, "impratio", &o->impratio, 1);
  if (o->wind[0] != 0 || o->wind[1] != 0 || o->wind[2] != 0) vv_text_reals(t, "wind", o->wind, 3);
  if (o->fluid || o->density != 0) vv_text_reals(t, "density", &o->density, 1);
  if (o->fluid || o->viscosity != 0) vv_text_reals(t, "viscosity", &o->viscosity, 1);
  if (o->cone == VV_CONE_ELLIPTIC) vv_text_attribute(t, "cone", "elliptic");
  if (o->integrator != VV_INTEGRATOR_EULER)
    vv_text_attribute(t, "integrator", vv_key_text(vv_keys_integrator, o->integrator));
  if (o->solver >= 0 && o->solver < 2) vv_text_attribute(t, "solver", solvers[o->solver]);
  if (o->tolerance != 1e-8) vv_text_reals(t, "tolerance", &o->tolerance, 1);
  if (o->iterations != 100) vv_text_int(t, "iterations", o->iterations);
  if (o->groups_disabled) {
    char groups[128] = "";
    int n = 0;
    for (int g = 0; g < 31; g++)
      if (o->groups_disabled >> g & 1) n += snprintf(groups + n, sizeof groups - (size_t)n, n ? " %d" : "%d", g);
    vv_text_attribute(t, "actuatorgroupdisable", groups);
  }
  bool flags = o->disable || o->energy;
  vv_text_close(t, "option", !flags);
  if (!flags) return;
  vv_text_open(t, "flag");
  for (const vvKeyword* k = vv_keys_disable; k->key; k++)
    if (o->disable & k->value) vv_text_attribute(t, k->key, "disable");
  if (o->energy) vv_text_attribute(t, "energy", "enable");
  vv_text_close(t, "flag", true);
  vv_text_end(t, "option");
}

static void write_contact(vvWriter* w) {
  if (!w->spec->nexclude) return;
  vv_text_section(w->t, "contact");
  for (int i = 0; i < w->spec->nexclude; i++) {
    const vvSpecExclude* e = w->spec->excludes[i];
    vv_text_open(w->t, "exclude");
    write_name(w->t, &e->head);
    vv_text_attribute(w->t, "body1", e->body1);
    vv_text_attribute(w->t, "body2", e->body2);
    vv_text_close(w->t, "exclude", true);
  }
  vv_text_end(w->t, "contact");
}

static void write_equalities(vvWriter* w) {
  static const char* const words[] = {"connect", "weld", "joint"};
  static const char* const objects[3][2] = {{"joint1", "joint2"}, {"body1", "body2"}, {"site1", "site2"}};
  if (!w->spec->nequality) return;
  vv_text_section(w->t, "equality");
  for (int i = 0; i < w->spec->nequality; i++) {
    const vvSpecEquality* e = w->spec->equalities[i];
    const char* const* object = objects[e->type == VV_EQ_JOINT ? 0 : e->site ? 2 : 1];
    vv_text_open(w->t, words[e->type]);
    write_name(w->t, &e->head);
    write_class(w, &e->head, 0);
    vv_text_attribute(w->t, object[0], e->object1);
    if (e->object2[0]) vv_text_attribute(w->t, object[1], e->object2);
    write_attributes(w->t, vv_attr_equality(e->type), e, &w->spec->classes[e->head.class_id]->equality, VV_ORIGIN_OWN);
    vv_text_close(w->t, words[e->type], true);
  }
  vv_text_end(w->t, "equality");
}

static void write_tendons(vvWriter* w) {
  if (!w->spec->ntendon) return;
  vv_text_section(w->t, "tendon");
  for (int i = 0, k = 0; i < w->spec->ntendon; i++) {
    const vvSpecTendon* t = w->spec->tendons[i];
    vv_text_open(w->t, "fixed");
    write_name(w->t, &t->head);
    write_class(w, &t->head, 0);
    write_attributes(w->t, vv_attr_tendon(), t, &w->spec->classes[t->head.class_id]->tendon, VV_ORIGIN_OWN);
    write_looks(w->t, &t->head);
    vv_text_close(w->t, "fixed", false);
    for (; k < w->spec->nwrap && w->spec->wraps[k]->tendon == t; k++) {
      vv_text_open(w->t, "joint");
      vv_text_attribute(w->t, "joint", w->spec->wraps[k]->joint);
      vv_text_reals(w->t, "coef", &w->spec->wraps[k]->coef, 1);
      vv_text_close(w->t, "joint", true);
    }
    vv_text_end(w->t, "fixed");
  }
  vv_text_end(w->t, "tendon");
}

static void write_actuators(vvWriter* w) {
  if (!w->spec->nactuator) return;
  vv_text_section(w->t, "actuator");
  for (int i = 0; i < w->spec->nactuator; i++) {
    const vvSpecActuator* a = w->spec->actuators[i];
    const char* word = vv_keys_actuator[a->kind].key;
    vv_text_open(w->t, word);
    write_name(w->t, &a->head);
    write_class(w, &a->head, 0);
    if (a->site[0]) vv_text_attribute(w->t, "site", a->site);
    if (a->site[0] && a->refsite[0]) vv_text_attribute(w->t, "refsite", a->refsite);
    if (a->tendon[0]) vv_text_attribute(w->t, "tendon", a->tendon);
    if (a->joint[0]) vv_text_attribute(w->t, a->in_parent ? "jointinparent" : "joint", a->joint);
    write_attributes(w->t, vv_attr_actuator(a->kind), a, &w->spec->classes[a->head.class_id]->actuator, VV_ORIGIN_OWN);
    vv_text_close(w->t, word, true);
  }
  vv_text_end(w->t, "actuator");
}

static void write_sensors(vvWriter* w) {
  if (!w->spec->nsensor) return;
  vv_text_section(w->t, "sensor");
  for (int i = 0; i < w->spec->nsensor; i++) {
    const vvSpecSensor* s = w->spec->sensors[i];
    const vvSensorKind* kind = vv_sensor_kind(s->type);
    const char* word = kind->word;
    vv_text_open(w->t, word);
    write_name(w->t, &s->head);
    const char* attribute = vv_sensor_attribute(kind->target);
    if (attribute) vv_text_attribute(w->t, attribute, s->object);
    if (kind->target == VV_TARGET_FRAME) {
      vv_text_attribute(w->t, "objtype", vv_key_text(vv_keys_frame_type, s->objtype));
      vv_text_attribute(w->t, "objname", s->object);
      if (s->ref[0]) {
        vv_text_attribute(w->t, "reftype", vv_key_text(vv_keys_frame_type, s->reftype));
        vv_text_attribute(w->t, "refname", s->ref);
      }
    }
    if (s->cutoff != 0) vv_text_reals(w->t, "cutoff", &s->cutoff, 1);
    if (s->noise != 0) vv_text_reals(w->t, "noise", &s->noise, 1);
    write_looks(w->t, &s->head);
    vv_text_close(w->t, word, true);
  }
  vv_text_end(w->t, "sensor");
}

static void write_keys(vvWriter* w) {
  if (!w->spec->nkey) return;
  vv_text_section(w->t, "keyframe");
  for (int i = 0; i < w->spec->nkey; i++) {
    const vvSpecKey* k = w->spec->keys[i];
    vv_text_open(w->t, "key");
    write_name(w->t, &k->head);
    if (k->time != 0) vv_text_reals(w->t, "time", &k->time, 1);
    if (k->nqpos) vv_text_reals(w->t, "qpos", k->qpos, k->nqpos);
    if (k->nqvel) vv_text_reals(w->t, "qvel", k->qvel, k->nqvel);
    if (k->nact) vv_text_reals(w->t, "act", k->act, k->nact);
    if (k->nctrl) vv_text_reals(w->t, "ctrl", k->ctrl, k->nctrl);
    vv_text_close(w->t, "key", true);
  }
  vv_text_end(w->t, "keyframe");
}

// ---- the whole ------------------------------------------------------------------------------------------------------

static vvStatus write_all(vvWriter* w, const vvSpecClass* builtin) {
  vv_text_open(w->t, "mujoco");
  if (w->spec->model[0]) vv_text_attribute(w->t, "model", w->spec->model);
  vv_text_close(w->t, "mujoco", false);
  write_compiler(w);
  write_option(w);
  vvStatus status = write_class_tree(w, 0, builtin, 0);
  if (status != VV_OK) return status;
  vv_text_section(w->t, "worldbody");
  status = write_items(w, 0, 0, 0);
  if (status != VV_OK) return status;
  vv_text_end(w->t, "worldbody");
  write_contact(w);
  write_equalities(w);
  write_tendons(w);
  write_actuators(w);
  write_sensors(w);
  write_keys(w);
  vv_text_end(w->t, "mujoco");
  return VV_OK;
}

vvStatus vv_spec_write_text(vvSpec* spec, char** text, size_t* length, vvReport* report) {
  if (!spec || !text || !length) return vv_report_set(report, VV_ERROR_ARGUMENT, "a pointer is NULL");
  *text = NULL;
  *length = 0;
  vv_spec_settle(spec);
  vvSpec* plain = NULL;
  vvSpecOrder order;
  vvText t = {.context = spec->context};
  vvWriter w = {.spec = spec, .t = &t, .report = report};
  vvStatus status = vv_spec_create(spec->context, &plain);
  if (status == VV_OK) status = vv_spec_order_create(spec, &order);
  if (status == VV_OK) {
    status = collect(&w);
    vv_spec_order_free(spec, &order);
  }
  if (status == VV_OK) status = write_all(&w, plain->classes[0]);
  if (w.items) {
    size_t n =
        (size_t)spec->nbody + (size_t)spec->nframe + (size_t)spec->njoint + (size_t)spec->ngeom + (size_t)spec->nsite;
    VV_DELETE(spec->context, w.items, vvItem, n);
  }
  vv_spec_free(plain);
  if (status == VV_OK) status = vv_text_take(&t, text, length);
  vv_text_free(&t);
  return status == VV_ERROR_MEMORY ? vv_report_set(report, status, "out of memory") : status;
}

vvStatus vv_spec_write(vvSpec* spec, const char* path, vvReport* report) {
  if (!spec || !path) return vv_report_set(report, VV_ERROR_ARGUMENT, "a pointer is NULL");
  char* text = NULL;
  size_t length = 0;
  vvStatus status = vv_spec_write_text(spec, &text, &length, report);
  if (status != VV_OK) return status;
  status = vv_file_write_whole(spec->context, path, text, length, report);
  vv_free(spec->context, text, length + 1);
  return status;
}
