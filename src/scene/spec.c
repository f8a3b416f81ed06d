// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// spec.c: vvSpec's memory, its elements and their defaults. Elements live in pool blocks that are freed with the
// scene, so pointers to them stay valid; lists of pointers grow by doubling.

#include "scene/scene.h"

#include <math.h>
#include <string.h>

#define POOL_BLOCK 16384

typedef struct vvSpecPool {
  struct vvSpecPool* next;
  size_t bytes;  // of this block, header included
  size_t used;
} vvSpecPool;

_Static_assert(sizeof(vvSpecHead) % sizeof(double) == 0, "reals must follow the head without a gap");
_Static_assert(offsetof(vvSpecGeom, pos) == sizeof(vvSpecHead), "reals must follow the head");
_Static_assert(offsetof(vvSpecGeom, gap) - sizeof(vvSpecHead) < VV_SPEC_NREAL * sizeof(double), "VV_SPEC_NREAL");

void* vv_spec_memory(vvSpec* spec, size_t bytes) {
  if (bytes > SIZE_MAX / 4) return NULL;
  size_t need = (bytes + 15) / 16 * 16, header = (sizeof(vvSpecPool) + 15) / 16 * 16;
  if (!spec->pool || spec->pool->bytes - spec->pool->used < need) {
    size_t size = need + header > POOL_BLOCK ? need + header : POOL_BLOCK;
    vvSpecPool* block = vv_alloc(spec->context, size);
    if (!block) return NULL;
    block->next = spec->pool;
    block->bytes = size;
    block->used = header;
    spec->pool = block;
  }
  void* memory = (unsigned char*)spec->pool + spec->pool->used;
  spec->pool->used += need;
  return memory;
}

const char* vv_spec_text(vvSpec* spec, const char* text) {
  if (!spec || !text) return NULL;
  size_t n = strlen(text) + 1;
  char* copy = vv_spec_memory(spec, n);
  if (copy) memcpy(copy, text, n);
  return copy;
}

vvStatus vv_spec_name(vvSpec* spec, vvSpecHead* element, const char* name) {
  if (!spec || !element || !name) return VV_ERROR_ARGUMENT;
  const char* copy = vv_spec_text(spec, name);
  if (!copy) return VV_ERROR_MEMORY;
  element->name = copy;
  return VV_OK;
}

// Capacity of a list of n pointers that grew by doubling.
static size_t list_capacity(int n) {
  size_t capacity = 8;
  while (capacity < (size_t)n) capacity *= 2;
  return n == 0 ? 0 : capacity;
}

// Appends to a list, false when there is no memory.
static bool list_append(vvSpec* spec, void*** list, int* n, void* element) {
  if (*n >= INT32_MAX / 4) return false;
  size_t have = list_capacity(*n), want = list_capacity(*n + 1);
  if (want != have) {
    void** grown = vv_alloc(spec->context, want * sizeof(void*));
    if (!grown) return false;
    if (have) memcpy(grown, *list, have * sizeof(void*));
    vv_free(spec->context, *list, have * sizeof(void*));
    *list = grown;
  }
  (*list)[(*n)++] = element;
  return true;
}

// Appends an element (its head comes first) and gives it its rank.
static bool element_append(vvSpec* spec, void*** list, int* n, void* element) {
  ((vvSpecHead*)element)->order = spec->norder++;
  return list_append(spec, list, n, element);
}

static void list_free(vvSpec* spec, void* list, int n) {
  vv_free(spec->context, list, list_capacity(n) * sizeof(void*));
}

static void head_reset(vvSpecHead* head, int class_id) {
  head->name = "";
  head->file = "";
  head->looks = NULL;
  head->stated = 0;
  head->line = 0;
  head->class_id = class_id;
  head->id = -1;
}

static void head_builtin(vvSpecHead* head) {
  head_reset(head, 0);
  for (int i = 0; i < VV_SPEC_NREAL; i++) head->origin[i] = VV_ORIGIN_BUILTIN;
}

static void set_reals(double* to, int n, const double* from) {
  memcpy(to, from, (size_t)n * sizeof(double));
}

static const double default_solref[2] = {0.02, 1};
static const double default_solimp[5] = {0.9, 0.95, 0.001, 0.5, 2};

// The format's own defaults.
static void joint_builtin(vvSpecJoint* joint) {
  head_builtin(&joint->head);
  joint->type = VV_JOINT_HINGE;
  joint->axis[2] = 1;
  joint->limited = VV_AUTO;
  joint->actuatorfrclimited = VV_AUTO;
  set_reals(joint->solreflimit, 2, default_solref);
  set_reals(joint->solimplimit, 5, default_solimp);
  set_reals(joint->solreffriction, 2, default_solref);
  set_reals(joint->solimpfriction, 5, default_solimp);
}

static void class_builtin(vvSpecClass* c) {
  joint_builtin(&c->joint);
  head_builtin(&c->geom.head);
  c->geom.type = VV_GEOM_SPHERE;
  c->geom.quat[0] = 1;
  c->geom.fromto[0] = NAN;
  c->geom.density = 1000;
  c->geom.mass = NAN;
  set_reals(c->geom.friction, 3, (const double[3]){1, 0.005, 0.0001});
  set_reals(c->geom.solref, 2, default_solref);
  set_reals(c->geom.solimp, 5, default_solimp);
  c->geom.solmix = 1;
  c->geom.contype = 1;
  c->geom.conaffinity = 1;
  c->geom.condim = 3;
  head_builtin(&c->site.head);
  c->site.type = VV_GEOM_SPHERE;
  c->site.quat[0] = 1;
  c->site.fromto[0] = NAN;
  set_reals(c->site.size, 3, (const double[3]){0.005, 0.005, 0.005});
  head_builtin(&c->actuator.head);
  c->actuator.gear[0] = 1;
  c->actuator.ctrllimited = VV_AUTO;
  c->actuator.forcelimited = VV_AUTO;
  c->actuator.actlimited = VV_AUTO;
  c->actuator.gainprm[0] = 1;
  c->actuator.dynprm[0] = 1;
  c->actuator.joint = "";
  c->actuator.tendon = "";
  c->actuator.site = "";
  c->actuator.refsite = "";
  head_builtin(&c->tendon.head);
  c->tendon.limited = VV_AUTO;
  c->tendon.actuatorfrclimited = VV_AUTO;
  c->tendon.springlength[0] = c->tendon.springlength[1] = -1;
  set_reals(c->tendon.solreflimit, 2, default_solref);
  set_reals(c->tendon.solimplimit, 5, default_solimp);
  head_builtin(&c->equality.head);
  c->equality.active = 1;
  c->equality.torquescale = 1;
  c->equality.polycoef[1] = 1;
  set_reals(c->equality.solref, 2, default_solref);
  set_reals(c->equality.solimp, 5, default_solimp);
  c->equality.object1 = c->equality.object2 = "";
}

int vv_spec_find_class(const vvSpec* spec, const char* name) {
  for (int i = 0; i < spec->nclass; i++)
    if (!strcmp(spec->classes[i]->name, name)) return i;
  return -1;
}

int vv_spec_add_class(vvSpec* spec, const char* name, int parent) {
  if (!spec || !name || parent >= spec->nclass || spec->nclass >= INT16_MAX) return -1;
  if (vv_spec_find_class(spec, name) >= 0) return -1;
  vvSpecClass* c = vv_spec_memory(spec, sizeof(vvSpecClass));
  if (!c) return -1;
  if (parent < 0) {
    class_builtin(c);
  } else {
    *c = *spec->classes[parent];
  }
  c->parent = parent;
  c->name = vv_spec_text(spec, name);
  int id = spec->nclass;
  vvSpecHead* heads[6] = {&c->joint.head,    &c->geom.head,     &c->site.head,
                          &c->actuator.head, &c->equality.head, &c->tendon.head};
  for (int i = 0; i < 6; i++) head_reset(heads[i], id);
  if (!c->name || !list_append(spec, (void***)&spec->classes, &spec->nclass, c)) return -1;
  return id;
}

static void body_default(vvSpecBody* body) {
  head_builtin(&body->head);
  body->quat[0] = 1;
  body->iquat[0] = 1;
  body->fullinertia[0] = NAN;
  body->childclass = -1;
}

static void option_default(vvSpec* spec) {
  spec->option.timestep = 0.002;
  spec->option.gravity[2] = -9.81;
  spec->option.impratio = 1;
  spec->option.tolerance = 1e-8;
  spec->option.iterations = 100;
  spec->option.solver = 2;
  spec->compiler.settotalmass = -1;
  spec->compiler.groups[1] = 5;
  spec->compiler.inertiafromgeom = VV_AUTO;
  spec->compiler.autolimits = true;
  memcpy(spec->compiler.eulerseq, "xyz", 4);
}

vvStatus vv_spec_create(vvContext* context, vvSpec** out) {
  if (!context || !out) return VV_ERROR_ARGUMENT;
  *out = NULL;
  vvSpec* spec = vv_alloc(context, sizeof(vvSpec));
  if (!spec) return VV_ERROR_MEMORY;
  spec->context = context;
  spec->file = "";
  spec->model = "";
  option_default(spec);
  vvSpecBody* world = vv_spec_memory(spec, sizeof(vvSpecBody));
  if (!world || vv_spec_add_class(spec, "main", -1) < 0 ||
      !element_append(spec, (void***)&spec->bodies, &spec->nbody, world)) {
    vv_spec_free(spec);
    return VV_ERROR_MEMORY;
  }
  body_default(world);
  world->head.name = "world";
  world->childclass = 0;
  *out = spec;
  return VV_OK;
}

void vv_spec_free(vvSpec* spec) {
  if (!spec) return;
  list_free(spec, spec->classes, spec->nclass);
  list_free(spec, spec->bodies, spec->nbody);
  list_free(spec, spec->frames, spec->nframe);
  list_free(spec, spec->joints, spec->njoint);
  list_free(spec, spec->geoms, spec->ngeom);
  list_free(spec, spec->sites, spec->nsite);
  list_free(spec, spec->tendons, spec->ntendon);
  list_free(spec, spec->wraps, spec->nwrap);
  list_free(spec, spec->actuators, spec->nactuator);
  list_free(spec, spec->sensors, spec->nsensor);
  list_free(spec, spec->keys, spec->nkey);
  list_free(spec, spec->excludes, spec->nexclude);
  list_free(spec, spec->equalities, spec->nequality);
  vvContext* context = spec->context;
  for (vvSpecPool* p = spec->pool; p;) {
    vvSpecPool* next = p->next;
    vv_free(context, p, p->bytes);
    p = next;
  }
  vv_free(context, spec, sizeof(vvSpec));
}

// Class that an element of a body or frame takes when it names none.
static int class_around(const vvSpecBody* body, const vvSpecFrame* frame) {
  for (; frame; frame = frame->parent)
    if (frame->childclass >= 0) return frame->childclass;
  for (; body; body = body->parent) {
    if (body->childclass >= 0) return body->childclass;
    for (const vvSpecFrame* f = body->frame; f; f = f->parent)
      if (f->childclass >= 0) return f->childclass;
  }
  return 0;
}

static int class_or_around(const vvSpec* spec, const vvSpecBody* body, int class_id) {
  return class_id >= 0 && class_id < spec->nclass ? class_id : class_around(body, NULL);
}

vvSpecBody* vv_spec_add_body(vvSpec* spec, vvSpecBody* parent, vvSpecFrame* frame) {
  if (!spec || !parent) return NULL;
  vvSpecBody* body = vv_spec_memory(spec, sizeof(vvSpecBody));
  if (!body || !element_append(spec, (void***)&spec->bodies, &spec->nbody, body)) return NULL;
  body_default(body);
  body->parent = parent;
  body->frame = frame;
  if (parent->last_child) {
    parent->last_child->next = body;
  } else {
    parent->first_child = body;
  }
  parent->last_child = body;
  return body;
}

vvSpecFrame* vv_spec_add_frame(vvSpec* spec, vvSpecBody* body, vvSpecFrame* parent) {
  if (!spec || !body) return NULL;
  vvSpecFrame* frame = vv_spec_memory(spec, sizeof(vvSpecFrame));
  if (!frame || !element_append(spec, (void***)&spec->frames, &spec->nframe, frame)) return NULL;
  head_builtin(&frame->head);
  frame->quat[0] = 1;
  frame->body = body;
  frame->parent = parent;
  frame->childclass = -1;
  return frame;
}

// Copies the prototype of a class and resets what does not carry over.
static void* from_prototype(vvSpec* spec, const void* prototype, size_t bytes, int class_id) {
  void* element = vv_spec_memory(spec, bytes);
  if (!element) return NULL;
  memcpy(element, prototype, bytes);
  head_reset(element, class_id);
  return element;
}

vvSpecJoint* vv_spec_add_joint(vvSpec* spec, vvSpecBody* body, vvJointType type, int class_id) {
  if (!spec || !body) return NULL;
  int id = class_or_around(spec, body, class_id);
  vvSpecJoint* joint = from_prototype(spec, &spec->classes[id]->joint, sizeof(vvSpecJoint), id);
  if (!joint || !element_append(spec, (void***)&spec->joints, &spec->njoint, joint)) return NULL;
  joint->type = (int)type;
  joint->body = body;
  return joint;
}

vvSpecJoint* vv_spec_add_freejoint(vvSpec* spec, vvSpecBody* body) {
  if (!spec || !body) return NULL;
  vvSpecJoint* joint = vv_spec_memory(spec, sizeof(vvSpecJoint));
  if (!joint || !element_append(spec, (void***)&spec->joints, &spec->njoint, joint)) return NULL;
  joint_builtin(joint);
  joint->type = VV_JOINT_FREE;
  joint->is_free_element = true;
  joint->body = body;
  return joint;
}

vvSpecGeom* vv_spec_add_geom(vvSpec* spec, vvSpecBody* body, vvGeomType type, int class_id) {
  if (!spec || !body) return NULL;
  int id = class_or_around(spec, body, class_id);
  vvSpecGeom* geom = from_prototype(spec, &spec->classes[id]->geom, sizeof(vvSpecGeom), id);
  if (!geom || !element_append(spec, (void***)&spec->geoms, &spec->ngeom, geom)) return NULL;
  geom->type = (int)type;
  geom->body = body;
  return geom;
}

vvSpecSite* vv_spec_add_site(vvSpec* spec, vvSpecBody* body, int class_id) {
  if (!spec || !body) return NULL;
  int id = class_or_around(spec, body, class_id);
  vvSpecSite* site = from_prototype(spec, &spec->classes[id]->site, sizeof(vvSpecSite), id);
  if (!site || !element_append(spec, (void***)&spec->sites, &spec->nsite, site)) return NULL;
  site->body = body;
  return site;
}

vvSpecTendon* vv_spec_add_tendon(vvSpec* spec, int class_id) {
  if (!spec) return NULL;
  int id = class_id >= 0 && class_id < spec->nclass ? class_id : 0;
  vvSpecTendon* t = from_prototype(spec, &spec->classes[id]->tendon, sizeof(vvSpecTendon), id);
  if (!t || !element_append(spec, (void***)&spec->tendons, &spec->ntendon, t)) return NULL;
  return t;
}

vvSpecWrap* vv_spec_add_wrap(vvSpec* spec, vvSpecTendon* tendon, const char* joint, double coef) {
  if (!spec || !tendon || !joint) return NULL;
  if (spec->ntendon == 0 || spec->tendons[spec->ntendon - 1] != tendon) return NULL;
  vvSpecWrap* w = vv_spec_memory(spec, sizeof(vvSpecWrap));
  if (!w || !(w->joint = vv_spec_text(spec, joint))) return NULL;
  head_builtin(&w->head);
  w->coef = coef;
  w->tendon = tendon;
  if (!element_append(spec, (void***)&spec->wraps, &spec->nwrap, w)) return NULL;
  return w;
}

vvSpecActuator* vv_spec_add_motor(vvSpec* spec, const char* joint, int class_id) {
  if (!spec || !joint) return NULL;
  int id = class_id >= 0 && class_id < spec->nclass ? class_id : 0;
  vvSpecActuator* a = from_prototype(spec, &spec->classes[id]->actuator, sizeof(vvSpecActuator), id);
  if (!a || !(a->joint = vv_spec_text(spec, joint))) return NULL;
  if (!element_append(spec, (void***)&spec->actuators, &spec->nactuator, a)) return NULL;
  return a;
}

vvSpecSensor* vv_spec_add_sensor(vvSpec* spec, int type, const char* object) {
  if (!spec || !object) return NULL;
  vvSpecSensor* s = vv_spec_memory(spec, sizeof(vvSpecSensor));
  if (!s || !(s->object = vv_spec_text(spec, object))) return NULL;
  head_builtin(&s->head);
  s->type = type;
  s->ref = "";
  return element_append(spec, (void***)&spec->sensors, &spec->nsensor, s) ? s : NULL;
}

vvSpecEquality* vv_spec_add_equality(vvSpec* spec, vvEqualityType type, bool site, const char* object1,
                                     const char* object2, int class_id) {
  if (!spec || !object1 || !object2) return NULL;
  int id = class_id >= 0 && class_id < spec->nclass ? class_id : 0;
  vvSpecEquality* e = from_prototype(spec, &spec->classes[id]->equality, sizeof(vvSpecEquality), id);
  if (!e || !(e->object1 = vv_spec_text(spec, object1)) || !(e->object2 = vv_spec_text(spec, object2))) return NULL;
  e->type = (int)type;
  e->site = site;
  return element_append(spec, (void***)&spec->equalities, &spec->nequality, e) ? e : NULL;
}

vvSpecKey* vv_spec_add_key(vvSpec* spec) {
  if (!spec) return NULL;
  vvSpecKey* key = vv_spec_memory(spec, sizeof(vvSpecKey));
  if (!key || !element_append(spec, (void***)&spec->keys, &spec->nkey, key)) return NULL;
  head_builtin(&key->head);
  return key;
}

vvStatus vv_spec_key_set(vvSpec* spec, vvSpecKey* key, const char* which, const double* values, int n) {
  if (!spec || !key || !which || n < 0 || (n && !values)) return VV_ERROR_ARGUMENT;
  double* copy = vv_spec_memory(spec, ((size_t)n + 1) * sizeof(double));
  if (!copy) return VV_ERROR_MEMORY;
  if (n) memcpy(copy, values, (size_t)n * sizeof(double));
  if (!strcmp(which, "qpos")) {
    key->qpos = copy;
    key->nqpos = n;
  } else if (!strcmp(which, "qvel")) {
    key->qvel = copy;
    key->nqvel = n;
  } else if (!strcmp(which, "act")) {
    key->act = copy;
    key->nact = n;
  } else if (!strcmp(which, "ctrl")) {
    key->ctrl = copy;
    key->nctrl = n;
  } else {
    return VV_ERROR_ARGUMENT;
  }
  return VV_OK;
}

vvSpecExclude* vv_spec_add_exclude(vvSpec* spec, const char* body1, const char* body2) {
  if (!spec || !body1 || !body2) return NULL;
  vvSpecExclude* e = vv_spec_memory(spec, sizeof(vvSpecExclude));
  if (!e || !(e->body1 = vv_spec_text(spec, body1)) || !(e->body2 = vv_spec_text(spec, body2))) return NULL;
  head_builtin(&e->head);
  return element_append(spec, (void***)&spec->excludes, &spec->nexclude, e) ? e : NULL;
}
