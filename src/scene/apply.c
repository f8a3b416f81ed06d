// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// apply.c: moves the present numbers of a model into the scene that it was compiled from. Where all members of a
// default class took a new value, the class gets it; where they went apart, each gets its own.

#include <math.h>
#include <string.h>

#include "scene/scene.h"

typedef struct vvApply {
  vvSpec* spec;
  const vvModel* m;
  vvSpecOrder order;
} vvApply;

// A number's place: element, component, and the field of the scene it is stored in.
typedef struct vvPlace {
  const vvField* field;
  int id, component;
  size_t offset;  // of the double in the element's struct, 0: option or compiler
  bool rotation;
} vvPlace;

static vvPlace place_of(const vvApply* a, const vvNumber* number, int member) {
  vvPlace p = {.field = &vv_model_fields()[number->field]};
  size_t index = (size_t)number->members[member] - (size_t)(vv_field_data(a->m, p.field) - a->m->reals);
  p.id = (int)(index / (size_t)p.field->width);
  p.component = (int)(index % (size_t)p.field->width);
  for (const vvBinding* b = vv_spec_bindings(); b->width; b++)
    if (b->model_offset == p.field->offset) p.offset = b->spec_offset + (size_t)p.component * sizeof(double);
  for (const vvRotation* r = vv_spec_rotations(); r->rot_offset; r++) {
    if (r->rot_offset != p.field->offset) continue;
    p.offset = r->spec_offset;
    p.rotation = true;
  }
  return p;
}

static double* real_at(void* element, size_t offset) {
  return (double*)(void*)((unsigned char*)element + offset);
}

// Scene units per model unit: degrees where the scene states them.
static double unit_of(const vvApply* a, const vvPlace* p) {
  if (!a->spec->compiler.degree || p->field->element != VV_ELEMENT_JOINT) return 1;
  int type = a->m->jnt_type[p->id];
  const char* name = p->field->attribute;
  if (type == VV_JOINT_BALL && !strcmp(name, "range")) return acos(-1.0) / 180.0;
  if (type != VV_JOINT_HINGE) return 1;
  bool angle = !strcmp(name, "range") || !strcmp(name, "ref") || !strcmp(name, "springref");
  return angle ? acos(-1.0) / 180.0 : 1;
}

// What the scene would compile to, and the value that it should have instead.
static vvReal compiled(const vvApply* a, const vvPlace* p) {
  double value = *real_at(a->order.heads[p->field->element][p->id], p->offset);
  return (vvReal)(value * unit_of(a, p));
}

static double wanted(const vvApply* a, const vvPlace* p, vvReal value) {
  return (double)value / unit_of(a, p);
}

static void set_class(vvApply* a, vvElement element, int id, size_t offset, double value) {
  size_t index = VV_ORIGIN_INDEX(offset);
  for (int i = 0; i < a->spec->nclass; i++) {
    vvSpecHead* prototype = vv_spec_prototype(a->spec, element, i);
    if (prototype && prototype->origin[index] == id) *real_at(prototype, offset) = value;
  }
  for (int i = 0; i < a->order.count[element]; i++)
    if (a->order.heads[element][i]->origin[index] == id) *real_at(a->order.heads[element][i], offset) = value;
}

// A group whose members all have one new value.
static void apply_group(vvApply* a, const vvNumber* number) {
  vvPlace p = place_of(a, number, 0);
  vvReal value = a->m->reals[number->members[0]];
  if (p.rotation || number->reason || compiled(a, &p) == value) return;
  for (int i = 1; i < number->nmember; i++)
    if (a->m->reals[number->members[i]] != value) return;
  int id = a->order.heads[p.field->element][p.id]->origin[VV_ORIGIN_INDEX(p.offset)];
  if (id >= 0) set_class(a, p.field->element, id, p.offset, wanted(a, &p, value));
}

static void quat_times_exp(double q[4], const double r[3]) {
  double t = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  double s = t > 1e-8 ? sin(t / 2) / t : 0.5, w = cos(t / 2), x = s * r[0], y = s * r[1], z = s * r[2];
  double p[4] = {q[0] * w - q[1] * x - q[2] * y - q[3] * z, q[0] * x + q[1] * w + q[2] * z - q[3] * y,
                 q[0] * y - q[1] * z + q[2] * w + q[3] * x, q[0] * z + q[1] * y - q[2] * x + q[3] * w};
  double n = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  for (int k = 0; k < 4 && n > 0; k++) q[k] = p[k] / n;
}

static void apply_option(vvApply* a, const vvPlace* p, double value) {
  vvSpecOption* o = &a->spec->option;
  vvSpecCompiler* c = &a->spec->compiler;
  const char* name = p->field->attribute;
  if (!strcmp(name, "timestep")) o->timestep = value;
  if (!strcmp(name, "gravity")) o->gravity[p->component] = value;
  if (!strcmp(name, "impratio")) o->impratio = value;
  if (!strcmp(name, "wind")) o->wind[p->component] = value;
  if (!strcmp(name, "density")) o->density = value;
  if (!strcmp(name, "viscosity")) o->viscosity = value;
  if (!strcmp(name, "settotalmass")) c->settotalmass = value;
  if (!strcmp(name, "boundmass")) c->boundmass = value;
  if (!strcmp(name, "boundinertia")) c->boundinertia = value;
}

static void apply_single(vvApply* a, const vvNumber* number) {
  vvPlace p = place_of(a, number, 0);
  vvReal value = a->m->reals[number->members[0]];
  if (!p.offset) {
    apply_option(a, &p, (double)value);
    return;
  }
  vvSpecHead* head = a->order.heads[p.field->element][p.id];
  if (p.rotation) {
    const vvReal* rot = &a->m->reals[number->members[0] - p.component];
    double r[3] = {(double)rot[0], (double)rot[1], (double)rot[2]};
    if (p.component != 0 || (r[0] == 0 && r[1] == 0 && r[2] == 0)) return;
    double* q = real_at(head, p.offset);
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4 && n > 0; k++) q[k] /= n;
    quat_times_exp(q, r);
    for (size_t k = 0; k < 4; k++) head->origin[VV_ORIGIN_INDEX(p.offset) + k] = VV_ORIGIN_OWN;
    return;
  }
  int16_t* origin = &head->origin[VV_ORIGIN_INDEX(p.offset)];
  if (number->reason && *origin >= 0) return;  // follows its class, whose group does not count it
  if (compiled(a, &p) == value) return;
  *real_at(head, p.offset) = wanted(a, &p, value);
  *origin = VV_ORIGIN_OWN;
}

static bool is_group(const vvNumber* number) {
  return !strncmp(number->name, "default/", 8);
}

vvStatus vv_spec_apply_model(vvSpec* spec, const vvModel* model, vvReport* report) {
  if (!spec || !model || !model->names) return vv_report_set(report, VV_ERROR_ARGUMENT, "a pointer is NULL");
  bool same = model->nbody == spec->nbody && model->njnt == spec->njoint && model->ngeom == spec->ngeom &&
              model->nsite == spec->nsite && model->nframe == spec->nframe && model->nu == spec->nactuator &&
              model->nsensor == spec->nsensor && model->neq == spec->nequality;
  if (!same) return vv_report_set(report, VV_ERROR_ARGUMENT, "the model was not compiled from this scene");
  vvApply a = {.spec = spec, .m = model};
  vv_spec_settle(spec);
  vvStatus status = vv_spec_order_create(spec, &a.order);
  if (status != VV_OK) return vv_report_set(report, status, "out of memory");
  const vvModelNames* names = model->names;
  for (int i = 0; i < names->nnumber; i++)
    if (is_group(&names->numbers[i])) apply_group(&a, &names->numbers[i]);
  for (int i = 0; i < names->nnumber; i++)
    if (!is_group(&names->numbers[i])) apply_single(&a, &names->numbers[i]);
  vv_spec_order_free(spec, &a.order);
  return VV_OK;
}
