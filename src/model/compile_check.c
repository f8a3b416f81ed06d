// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// compile_check.c: rules for single elements of a scene, with file and line: names, sizes, limits, joints of a body.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/compile.h"

const char* vv_compile_title(const vvSpecHead* head, const char* word, char buffer[80]) {
  if (head->name[0]) {
    snprintf(buffer, 80, "%s \"%.50s\"", word, head->name);
  } else {
    snprintf(buffer, 80, "%s #%d", word, head->id);
  }
  return buffer;
}

#define TITLE(head, word) vv_compile_title(head, word, (char[80]){0})
#define FAIL(head, ...) return vv_spec_error(c->report, VV_ERROR_FILE, head, __VA_ARGS__)

// ---- names ----------------------------------------------------------------------------------------------------------

static int by_name(const void* a, const void* b) {
  const vvSpecHead *x = *(vvSpecHead*const*)a, *y = *(vvSpecHead*const*)b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

static vvStatus check_names(vvCompile* c) {
  for (int e = VV_ELEMENT_FRAME; e < VV_ELEMENT_COUNT; e++) {
    int n = c->order.count[e];
    vvSpecHead** heads = VV_NEW(c->context, vvSpecHead*, n);
    if (!heads) return vv_report_set(c->report, VV_ERROR_MEMORY, "out of memory");
    memcpy(heads, c->order.heads[e], (size_t)n * sizeof(vvSpecHead*));
    qsort(heads, (size_t)n, sizeof(vvSpecHead*), by_name);
    const vvSpecHead* repeated = NULL;
    for (int i = 1; i < n && !repeated; i++)
      if (heads[i]->name[0] && !strcmp(heads[i]->name, heads[i - 1]->name)) repeated = heads[i];
    VV_DELETE(c->context, heads, vvSpecHead*, n);
    if (repeated)
      FAIL(repeated, "a second %s is named \"%.60s\"; names must differ", vv_element_word((vvElement)e),
           repeated->name);
  }
  return VV_OK;
}

// ---- values ---------------------------------------------------------------------------------------------------------

// All reals bound to the model must be finite; NaN stands for "not stated" in fromto, mass and fullinertia.
static vvStatus check_finite(vvCompile* c) {
  for (const vvBinding* b = vv_spec_bindings(); b->width; b++) {
    for (int i = 0; i < c->order.count[b->element]; i++) {
      const vvSpecHead* head = c->order.heads[b->element][i];
      const double* v = (const double*)(const void*)((const unsigned char*)head + b->spec_offset);
      bool optional =
          b->model_offset == offsetof(vvModel, geom_fromto) || b->model_offset == offsetof(vvModel, geom_mass) ||
          b->model_offset == offsetof(vvModel, site_fromto) || b->model_offset == offsetof(vvModel, body_fullinertia);
      for (int k = 0; k < b->width; k++) {
        if (isfinite(v[k]) || (optional && isnan(v[0]))) continue;
        const char* word = vv_element_word(b->element);
        FAIL(head, "%s has a number that is not finite", TITLE(head, word));
      }
    }
  }
  return VV_OK;
}

static vvStatus check_option(vvCompile* c) {
  const vvSpecOption* o = &c->spec->option;
  const vvSpecHead place = {.file = c->spec->file, .line = c->spec->file[0] ? 1 : 0};
  if (!(o->timestep > 0) || !isfinite(o->timestep))
    FAIL(&place, "option timestep is %g; it must be positive", o->timestep);
  if (!(o->impratio > 0) || !isfinite(o->impratio))
    FAIL(&place, "option impratio is %g; it must be positive", o->impratio);
  for (int k = 0; k < 3; k++)
    if (!isfinite(o->gravity[k])) FAIL(&place, "option gravity is not finite");
  const vvSpecCompiler* p = &c->spec->compiler;
  if (p->boundmass < 0 || p->boundinertia < 0) FAIL(&place, "compiler boundmass and boundinertia must be 0 or more");
  return VV_OK;
}

static vvStatus check_range(vvCompile* c, const vvSpecHead* head, const char* word, const char* limits,
                            const char* attribute, int limited, const double range[2], bool autolimits) {
  bool stated = range[0] != 0 || range[1] != 0;
  if (limited == VV_AUTO && stated && !autolimits)
    FAIL(head, "%s has %s but not %s; state %s=\"true\" or \"false\", or compiler autolimits=\"true\"",
         TITLE(head, word), attribute, limits, limits);
  if (vv_compile_is_limited(limited, range) && !(range[0] < range[1]))
    FAIL(head, "%s has %s %g %g; the first number must be smaller", TITLE(head, word), attribute, range[0], range[1]);
  return VV_OK;
}

static vvStatus check_joint(vvCompile* c, const vvSpecJoint* s) {
  const vvSpecHead* head = &s->head;
  if (s->type < VV_JOINT_FREE || s->type > VV_JOINT_HINGE) FAIL(head, "%s has no valid type", TITLE(head, "joint"));
  if (s->frictionloss < 0) FAIL(head, "%s has a negative frictionloss; it must be 0 or more", TITLE(head, "joint"));
  bool straight = s->type == VV_JOINT_HINGE || s->type == VV_JOINT_SLIDE;
  if (straight) {
    double length = sqrt(s->axis[0] * s->axis[0] + s->axis[1] * s->axis[1] + s->axis[2] * s->axis[2]);
    if (length < 1e-14) FAIL(head, "%s has an axis without length; give it a direction", TITLE(head, "joint"));
    vvStatus status = check_range(c, head, "joint", "actuatorfrclimited", "actuatorfrcrange", s->actuatorfrclimited,
                                  s->actuatorfrcrange, c->spec->compiler.autolimits);
    if (status != VV_OK) return status;
    return check_range(c, head, "joint", "limited", "range", s->limited, s->range, c->spec->compiler.autolimits);
  }
  if (s->type == VV_JOINT_FREE) {
    if (s->body->parent != c->spec->bodies[0])
      FAIL(head, "%s is free inside a moving or nested body; free joints belong to bodies of the world",
           TITLE(head, "joint"));
    return VV_OK;
  }
  bool range = s->range[0] != 0 || s->range[1] != 0;
  if (s->limited == VV_AUTO && range && !c->spec->compiler.autolimits)
    FAIL(head, "%s has range but not limited; state limited=\"true\" or \"false\"", TITLE(head, "joint"));
  if (vv_compile_is_limited(s->limited, s->range) && (s->range[0] != 0 || !(s->range[1] > 0)))
    FAIL(head, "%s has range %g %g; a ball's is 0 and its largest angle", TITLE(head, "joint"), s->range[0],
         s->range[1]);
  return VV_OK;
}

// Joints of one body together.
static vvStatus check_bodies(vvCompile* c) {
  for (int j = 0, first = 0; j < c->order.count[VV_ELEMENT_JOINT]; j++) {
    const vvSpecJoint* s = VV_ORDERED(c, vvSpecJoint, VV_ELEMENT_JOINT, j);
    if (s->body != VV_ORDERED(c, vvSpecJoint, VV_ELEMENT_JOINT, first)->body) first = j;
    if (!s->body->parent) FAIL(&s->head, "the world body cannot have joints");
    int dofs = 0;
    bool ball = false;
    for (int k = first; k <= j; k++) {
      const vvSpecJoint* e = VV_ORDERED(c, vvSpecJoint, VV_ELEMENT_JOINT, k);
      dofs += e->type == VV_JOINT_FREE ? 6 : e->type == VV_JOINT_BALL ? 3 : 1;
      if (ball && (e->type == VV_JOINT_BALL || e->type == VV_JOINT_HINGE))
        FAIL(&e->head, "%s turns after a ball joint of the same body; put it before or into a child body",
             TITLE(&e->head, "joint"));
      ball = ball || e->type == VV_JOINT_BALL;
    }
    if (dofs > 6) FAIL(&s->head, "%s has more than 6 degrees of freedom", TITLE(&s->body->head, "body"));
  }
  return VV_OK;
}

// Sizes that a shape of this type must state.
static int size_count(int type, bool fromto) {
  switch (type) {
    case VV_GEOM_SPHERE:
      return 1;
    case VV_GEOM_CAPSULE:
    case VV_GEOM_CYLINDER:
      return fromto ? 1 : 2;
    case VV_GEOM_ELLIPSOID:
    case VV_GEOM_BOX:
      return fromto ? 1 : 3;
    default:
      return 0;
  }
}

static vvStatus check_shape(vvCompile* c, const vvSpecHead* head, const char* word, int type, const double pos[3],
                            const double fromto[6], const double size[3]) {
  bool segment = !isnan(fromto[0]);
  if (segment) {
    if (type == VV_GEOM_PLANE || type == VV_GEOM_SPHERE)
      FAIL(head, "%s: fromto needs a capsule, cylinder, ellipsoid or box; state type", TITLE(head, word));
    if (pos[0] != 0 || pos[1] != 0 || pos[2] != 0) FAIL(head, "%s has pos and fromto; keep one", TITLE(head, word));
    double d2 = 0;
    for (int k = 0; k < 3; k++) d2 += (fromto[k] - fromto[k + 3]) * (fromto[k] - fromto[k + 3]);
    if (sqrt(d2) / 2 < 1e-14) FAIL(head, "%s: the points of fromto coincide; they must differ", TITLE(head, word));
  }
  for (int k = 0; k < size_count(type, segment); k++)
    if (!(size[k] > 0))
      FAIL(head, "%s needs size %d to be positive, it is %g; a %s has %d size%s", TITLE(head, word), k + 1, size[k],
           vv_key_text(vv_keys_geom_type, type), size_count(type, segment), size_count(type, segment) == 1 ? "" : "s");
  return VV_OK;
}

static vvStatus check_geom(vvCompile* c, const vvSpecGeom* s) {
  const vvSpecHead* head = &s->head;
  if (!vv_key_text(vv_keys_geom_type, s->type)) FAIL(head, "%s has no valid type", TITLE(head, "geom"));
  if (s->condim != 1 && s->condim != 3 && s->condim != 4 && s->condim != 6)
    FAIL(head, "%s has condim %d; it can be 1, 3, 4 or 6", TITLE(head, "geom"), s->condim);
  if (s->type == VV_GEOM_PLANE) {
    if (!(s->size[2] > 0)) FAIL(head, "%s: a plane needs three sizes, the third positive", TITLE(head, "geom"));
    for (const vvSpecBody* b = s->body; b; b = b->parent)
      for (int j = 0; j < c->spec->njoint; j++)
        if (c->spec->joints[j]->body == b)
          FAIL(head, "%s is a plane in a moving body; planes belong to fixed bodies", TITLE(head, "geom"));
  }
  if (isnan(s->mass) ? s->density < 0 : s->mass < 0)
    FAIL(head, "%s has a negative mass or density", TITLE(head, "geom"));
  for (int k = 0; k < 3; k++)
    if (s->friction[k] < 0) FAIL(head, "%s has a negative friction", TITLE(head, "geom"));
  return check_shape(c, head, "geom", s->type, s->pos, s->fromto, s->size);
}

static vvStatus check_site(vvCompile* c, const vvSpecSite* s) {
  const vvSpecHead* head = &s->head;
  if (!vv_key_text(vv_keys_geom_type, s->type) || s->type == VV_GEOM_PLANE)
    FAIL(head, "%s cannot have this type; use sphere, capsule, ellipsoid, cylinder or box", TITLE(head, "site"));
  return check_shape(c, head, "site", s->type, s->pos, s->fromto, s->size);
}

static vvStatus check_actuator(vvCompile* c, const vvSpecActuator* s) {
  bool autolimits = c->spec->compiler.autolimits;
  vvStatus status =
      check_range(c, &s->head, "actuator", "ctrllimited", "ctrlrange", s->ctrllimited, s->ctrlrange, autolimits);
  if (status != VV_OK) return status;
  return check_range(c, &s->head, "actuator", "forcelimited", "forcerange", s->forcelimited, s->forcerange, autolimits);
}

static vvStatus check_frames(vvCompile* c) {
  for (int e = VV_ELEMENT_JOINT; e <= VV_ELEMENT_SITE; e++) {
    if (e == VV_ELEMENT_DOF) continue;
    for (int i = 0; i < c->order.count[e]; i++) {
      const vvSpecHead* head = c->order.heads[e][i];
      const vvSpecFrame* frame = e == VV_ELEMENT_JOINT  ? ((const vvSpecJoint*)(const void*)head)->frame
                                 : e == VV_ELEMENT_GEOM ? ((const vvSpecGeom*)(const void*)head)->frame
                                                        : ((const vvSpecSite*)(const void*)head)->frame;
      const vvSpecBody* body = e == VV_ELEMENT_JOINT  ? ((const vvSpecJoint*)(const void*)head)->body
                               : e == VV_ELEMENT_GEOM ? ((const vvSpecGeom*)(const void*)head)->body
                                                      : ((const vvSpecSite*)(const void*)head)->body;
      if (frame && frame->body != body)
        FAIL(head, "%s lies in a frame of another body", TITLE(head, vv_element_word((vvElement)e)));
    }
  }
  return VV_OK;
}

vvStatus vv_compile_check(vvCompile* c) {
  vvStatus status = check_option(c);
  if (status == VV_OK) status = check_finite(c);
  if (status == VV_OK) status = check_names(c);
  if (status == VV_OK) status = check_frames(c);
  for (int i = 0; status == VV_OK && i < c->spec->njoint; i++) status = check_joint(c, c->spec->joints[i]);
  if (status == VV_OK) status = check_bodies(c);
  for (int i = 0; status == VV_OK && i < c->spec->ngeom; i++) status = check_geom(c, c->spec->geoms[i]);
  for (int i = 0; status == VV_OK && i < c->spec->nsite; i++) status = check_site(c, c->spec->sites[i]);
  for (int i = 0; status == VV_OK && i < c->spec->nactuator; i++) status = check_actuator(c, c->spec->actuators[i]);
  return status;
}
