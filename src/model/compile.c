// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// compile.c: vv_compile: vvSpec -> vvModel.
//
// order     bodies depth first; joints, geoms and sites body by body in the order of the file; dofs in joint order
// reals     primary ones as stated (radians), orientations as quat0 with rot = 0; derived ones by vv_model_derive
// inertia   of a body from its <inertial>, or from its geoms: as compiler inertiafromgeom says ("auto": geoms where no
//           inertial is stated); geoms count when their group is in inertiagrouprange

#include "model/compile.h"

#include <math.h>
#include <string.h>

#include "model/derive.h"
#include "model/layout.h"
#include "visviva/names.h"

static int joint_nq(int type) {
  return type == VV_JOINT_FREE ? 7 : type == VV_JOINT_BALL ? 4 : 1;
}

static int joint_nv(int type) {
  return type == VV_JOINT_FREE ? 6 : type == VV_JOINT_BALL ? 3 : 1;
}

bool vv_compile_is_limited(int limited, const double range[2]) {
  return limited == VV_TRUE || (limited == VV_AUTO && range[0] < range[1]);
}

static vvStatus set_sizes(vvCompile* c) {
  vvSpec* spec = c->spec;
  vvModel* m = c->m;
  int64_t nq = 0, nv = 0;
  for (int i = 0; i < spec->njoint; i++) {
    nq += joint_nq(spec->joints[i]->type);
    nv += joint_nv(spec->joints[i]->type);
  }
  if (nq > INT32_MAX / 16) return vv_report_set(c->report, VV_ERROR_ARGUMENT, "too many joints");
  m->nq = (int)nq;
  m->nv = (int)nv;
  m->nu = spec->nactuator;
  m->nbody = spec->nbody;
  m->njnt = spec->njoint;
  m->ngeom = spec->ngeom;
  m->nsite = spec->nsite;
  m->ntendon = spec->ntendon;
  m->nwrap = spec->nwrap;
  m->na = vv_compile_activations(spec);
  m->nframe = spec->nframe;
  m->nsensor = spec->nsensor;
  m->neq = spec->nequality;
  m->nkey = spec->nkey;
  m->disable = spec->option.disable;
  m->cone = spec->option.cone;
  m->integrator = spec->option.integrator;
  m->settotal = spec->compiler.settotalmass > 0;
  m->balance = spec->compiler.balanceinertia;
  const vvSpecOption* o = &spec->option;
  m->fluid = (o->fluid || o->density > 0 || o->viscosity > 0) && vv_model_has_passive(m);
  return vv_compile_count_pairs(c, &m->npair);
}

static int frame_id(const vvSpecFrame* frame) {
  return frame ? frame->head.id : -1;
}

// ---- integers -------------------------------------------------------------------------------------------------------

// Whether the inertia of a body comes from its geoms. Asked for always ("true"), it still takes a stated inertial when
// no geom has mass.
static bool inertia_from_geoms(const vvCompile* c, const vvSpecBody* body, bool massive_geoms) {
  switch (c->spec->compiler.inertiafromgeom) {
    case VV_TRUE:
      return massive_geoms || !body->inertial;
    case VV_AUTO:
      return !body->inertial;
    default:
      return false;
  }
}

static bool in_groups(const vvCompile* c, const vvSpecGeom* g) {
  return g->group >= c->spec->compiler.groups[0] && g->group <= c->spec->compiler.groups[1];
}

static void fill_bodies(vvCompile* c) {
  vvModel* m = c->m;
  for (int i = 0; i < m->nbody; i++) {
    const vvSpecBody* b = VV_ORDERED(c, vvSpecBody, VV_ELEMENT_BODY, i);
    m->body_parent[i] = b->parent ? b->parent->head.id : 0;
    m->body_frame[i] = frame_id(b->frame);
    m->body_jnt[i] = m->body_dof[i] = m->body_geom[i] = -1;
    m->body_tree[i] = -1;
  }
  for (int f = 0; f < m->nframe; f++)
    m->frame_parent[f] = frame_id(VV_ORDERED(c, vvSpecFrame, VV_ELEMENT_FRAME, f)->parent);
}

static void fill_joints(vvCompile* c) {
  vvModel* m = c->m;
  int q = 0, v = 0;
  for (int j = 0; j < m->njnt; j++) {
    const vvSpecJoint* s = VV_ORDERED(c, vvSpecJoint, VV_ELEMENT_JOINT, j);
    int body = s->body->head.id, nv = joint_nv(s->type);
    m->jnt_type[j] = s->type;
    m->jnt_body[j] = body;
    m->jnt_frame[j] = frame_id(s->frame);
    m->jnt_q[j] = q;
    m->jnt_v[j] = v;
    m->jnt_actfrclimited[j] =
        joint_nv(s->type) == 1 && vv_compile_is_limited(s->actuatorfrclimited, s->actuatorfrcrange);
    m->jnt_limited[j] = s->type != VV_JOINT_FREE && vv_compile_is_limited(s->limited, s->range);
    if (m->body_jnt[body] < 0) {
      m->body_jnt[body] = j;
      m->body_dof[body] = v;
    }
    m->body_njnt[body]++;
    m->body_ndof[body] += nv;
    for (int k = 0; k < nv; k++) {
      m->dof_body[v + k] = body;
      m->dof_jnt[v + k] = j;
    }
    q += joint_nq(s->type);
    v += nv;
  }
}

// Welded groups, kinematic trees, and the dof before each dof on the way to the root.
static void fill_tree(vvCompile* c) {
  vvModel* m = c->m;
  for (int i = 1; i < m->nbody; i++) {
    int p = m->body_parent[i];
    m->body_weld[i] = m->body_njnt[i] ? i : m->body_weld[p];
    m->body_tree[i] = m->body_tree[p];
    if (m->body_njnt[i] && m->body_tree[i] < 0) m->body_tree[i] = m->ntree++;
  }
  for (int v = 0; v < m->nv; v++) {
    int body = m->dof_body[v];
    if (v > m->body_dof[body]) {
      m->dof_parent[v] = v - 1;
      continue;
    }
    int p = m->body_parent[body];
    while (p && !m->body_ndof[p]) p = m->body_parent[p];
    m->dof_parent[v] = p ? m->body_dof[p] + m->body_ndof[p] - 1 : -1;
  }
}

static void fill_geoms(vvCompile* c) {
  vvModel* m = c->m;
  for (int g = 0; g < m->ngeom; g++) {
    const vvSpecGeom* s = VV_ORDERED(c, vvSpecGeom, VV_ELEMENT_GEOM, g);
    int body = s->body->head.id;
    m->geom_type[g] = s->type;
    m->geom_body[g] = body;
    m->geom_frame[g] = frame_id(s->frame);
    m->geom_isfromto[g] = !isnan(s->fromto[0]);
    m->geom_shell[g] = s->shell;
    m->geom_contype[g] = s->contype;
    m->geom_conaffinity[g] = s->conaffinity;
    m->geom_condim[g] = s->condim;
    m->geom_priority[g] = s->priority;
    m->geom_group[g] = s->group;
    m->geom_mkind[g] = isnan(s->mass) ? VV_MASS_DENSITY : VV_MASS_GIVEN;
    if (body == 0 || s->type == VV_GEOM_PLANE || !in_groups(c, s)) m->geom_mkind[g] = VV_MASS_NONE;
    if (m->body_geom[body] < 0) m->body_geom[body] = g;
    m->body_ngeom[body]++;
  }
  for (int i = 0; i < m->nbody; i++) {
    const vvSpecBody* b = VV_ORDERED(c, vvSpecBody, VV_ELEMENT_BODY, i);
    bool massive = false;
    for (int k = 0; k < m->body_ngeom[i]; k++) {
      int g = m->body_geom[i] + k;
      const vvSpecGeom* s = VV_ORDERED(c, vvSpecGeom, VV_ELEMENT_GEOM, g);
      if (m->geom_mkind[g] != VV_MASS_NONE && (isnan(s->mass) ? s->density : s->mass) > 0) massive = true;
    }
    bool full = b->inertial && !isnan(b->fullinertia[0]);
    m->body_inertia[i] = i > 0 && inertia_from_geoms(c, b, massive) ? VV_INERTIA_GEOMS
                         : full                                     ? VV_INERTIA_FULL
                                                                    : VV_INERTIA_DIAGONAL;
    for (int k = 0; m->body_inertia[i] != VV_INERTIA_GEOMS && k < m->body_ngeom[i]; k++)
      m->geom_mkind[m->body_geom[i] + k] = VV_MASS_NONE;
  }
}

static void fill_sites(vvCompile* c) {
  vvModel* m = c->m;
  for (int i = 0; i < m->nsite; i++) {
    const vvSpecSite* s = VV_ORDERED(c, vvSpecSite, VV_ELEMENT_SITE, i);
    m->site_body[i] = s->body->head.id;
    m->site_frame[i] = frame_id(s->frame);
    m->site_isfromto[i] = !isnan(s->fromto[0]);
    m->site_type[i] = s->type;
    double length = 0;
    for (int k = 0; k < 3; k++) {
      double d = m->site_isfromto[i] ? s->fromto[k + 3] - s->fromto[k] : 0;
      length += d * d;
      m->site_size[3 * i + k] = (vvReal)s->size[k];
    }
    bool round = s->type == VV_GEOM_CAPSULE || s->type == VV_GEOM_CYLINDER;
    if (m->site_isfromto[i] && !round) m->site_size[3 * i + 1] = m->site_size[3 * i];
    if (m->site_isfromto[i]) m->site_size[3 * i + (round ? 1 : 2)] = (vvReal)(sqrt(length) / 2);
  }
}

// ---- reals ----------------------------------------------------------------------------------------------------------

static vvReal* array_at(vvModel* m, size_t offset) {
  return *(vvReal**)(void*)((unsigned char*)m + offset);
}

static void fill_reals(vvCompile* c) {
  vvModel* m = c->m;
  for (const vvBinding* b = vv_spec_bindings(); b->width; b++) {
    vvReal* to = array_at(m, b->model_offset);
    for (int i = 0; i < c->order.count[b->element]; i++) {
      const double* from =
          (const double*)(const void*)((const unsigned char*)c->order.heads[b->element][i] + b->spec_offset);
      for (int k = 0; k < b->width; k++) to[i * b->width + k] = isnan(from[k]) ? 0 : (vvReal)from[k];
    }
  }
  for (const vvRotation* r = vv_spec_rotations(); r->rot_offset; r++) {
    vvReal* to = array_at(m, r->quat_offset);
    for (int i = 0; i < c->order.count[r->element]; i++) {
      const double* q =
          (const double*)(const void*)((const unsigned char*)c->order.heads[r->element][i] + r->spec_offset);
      double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      for (int k = 0; k < 4; k++) to[4 * i + k] = (vvReal)(length > 1e-15 ? q[k] / length : k == 0);
    }
  }
  const vvSpecOption* o = &c->spec->option;
  m->opt_timestep[0] = (vvReal)o->timestep;
  for (int k = 0; k < 3; k++) m->opt_gravity[k] = (vvReal)o->gravity[k];
  m->opt_impratio[0] = (vvReal)o->impratio;
  for (int k = 0; k < 3; k++) m->opt_wind[k] = (vvReal)o->wind[k];
  m->opt_density[0] = (vvReal)o->density;
  m->opt_viscosity[0] = (vvReal)o->viscosity;
  if (m->settotal) m->compiler_settotalmass[0] = (vvReal)c->spec->compiler.settotalmass;
  m->compiler_boundmass[0] = (vvReal)c->spec->compiler.boundmass;
  m->compiler_boundinertia[0] = (vvReal)c->spec->compiler.boundinertia;
}

// Angles of joints to radians, and what does not apply to a joint's or geom's kind to 0.
static void convert_reals(vvCompile* c) {
  vvModel* m = c->m;
  double turn = c->spec->compiler.degree ? acos(-1.0) / 180.0 : 1;
  for (int j = 0; j < m->njnt; j++) {
    const vvSpecJoint* s = VV_ORDERED(c, vvSpecJoint, VV_ELEMENT_JOINT, j);
    bool hinge = s->type == VV_JOINT_HINGE, slide = s->type == VV_JOINT_SLIDE;
    for (int k = 0; k < 2 && !m->jnt_actfrclimited[j]; k++) m->jnt_actfrcrange[2 * j + k] = 0;
    for (int k = 0; k < 2; k++)
      m->jnt_range[2 * j + k] = m->jnt_limited[j] ? (vvReal)(slide ? s->range[k] : s->range[k] * turn) : 0;
    m->jnt_ref[j] = hinge ? (vvReal)(s->ref * turn) : slide ? (vvReal)s->ref : 0;
    m->jnt_springref[j] = hinge ? (vvReal)(s->springref * turn) : slide ? (vvReal)s->springref : 0;
    if (s->type == VV_JOINT_FREE)
      for (int k = 0; k < 3; k++) m->jnt_pos[3 * j + k] = 0;
    if (!hinge && !slide)
      for (int k = 0; k < 3; k++) m->jnt_axis[3 * j + k] = k == 2;
  }
  for (int g = 0; g < m->ngeom; g++) {
    const vvSpecGeom* s = VV_ORDERED(c, vvSpecGeom, VV_ELEMENT_GEOM, g);
    for (int k = 0; k < 6 && !m->geom_isfromto[g]; k++) m->geom_fromto[6 * g + k] = 0;
    if (!isnan(s->mass)) m->geom_density[g] = 0;
  }
  for (int i = 0; i < m->nbody; i++) {
    if (m->body_inertia[i] != VV_INERTIA_FULL)
      for (int k = 0; k < 6; k++) m->body_fullinertia[6 * i + k] = 0;
    if (m->body_inertia[i] == VV_INERTIA_GEOMS) {
      m->body_mass[i] = 0;
      for (int k = 0; k < 3; k++) m->body_ipos[3 * i + k] = m->body_diaginertia[3 * i + k] = 0;
    }
  }
  for (int i = 0; i < m->nsite; i++)
    for (int k = 0; k < 6 && !m->site_isfromto[i]; k++) m->site_fromto[6 * i + k] = 0;
}

// ---- the whole ------------------------------------------------------------------------------------------------------

// Adds file and line to what vv_model_derive says about an element.
static vvStatus derive(vvCompile* c) {
  vvReport inner;
  vv_report_clear(&inner);
  vvStatus status = vv_model_derive(c->context, c->m, &inner);
  if (status == VV_OK) return status;
  const vvSpecHead* head = NULL;
  for (int e = VV_ELEMENT_FRAME; e < VV_ELEMENT_COUNT && inner.element >= 0; e++) {
    const char* word = vv_element_word((vvElement)e);
    if (!strncmp(inner.message, word, strlen(word)) && inner.element < c->order.count[e])
      head = c->order.heads[e][inner.element];
  }
  return vv_spec_error(c->report, status, head, "%s", inner.message);
}

// Which bodies float alone, by the masses in effect.
static void fill_alone(vvModel* m) {
  for (int i = 1; i < m->nbody; i++) {
    m->body_alone[i] = m->body_njnt[i] == 1 && m->jnt_type[m->body_jnt[i]] == VV_JOINT_FREE;
    for (int k = i + 1; k < m->nbody && m->body_alone[i]; k++) {
      bool other = m->body_tree[k] == m->body_tree[i];
      if (other && (m->body_ndof[k] > 0 || m->body_inertia10[10 * k] > 0)) m->body_alone[i] = 0;
    }
  }
}

// Refuses what turns or scales a body in a fluid whose principal axes are not determined by it.
static void refuse_free_axes(vvCompile* c) {
  const vvModel* m = c->m;
  const vvField* fields = vv_model_fields();
  for (int n = 0; m->fluid && n < m->names->nnumber; n++) {
    vvNumber* number = &m->names->numbers[n];
    const vvField* f = &fields[number->field];
    bool full = f->offset == offsetof(vvModel, body_fullinertia), geom = f->element == VV_ELEMENT_GEOM;
    if (!full && !geom) continue;
    bool shape = f->offset == offsetof(vvModel, geom_pos) || f->offset == offsetof(vvModel, geom_rot) ||
                 f->offset == offsetof(vvModel, geom_fromto) || f->offset == offsetof(vvModel, geom_size) ||
                 f->offset == offsetof(vvModel, geom_density) || f->offset == offsetof(vvModel, geom_mass);
    if (geom && !shape) continue;
    for (int k = 0; k < number->nmember; k++) {
      int i = (number->members[k] - (int)(vv_field_data(m, f) - m->reals)) / f->width;
      if (geom && m->geom_mkind[i] == VV_MASS_NONE) continue;
      int body = geom ? m->geom_body[i] : i;
      if (m->body_tree[body] >= 0 && vv_derive_axes_free(m, body))
        number->reason = "two principal moments of the body are equal; its axes in the fluid do not follow smoothly";
    }
  }
}

static vvStatus compile(vvCompile* c) {
  vvStatus status = vv_compile_check(c);
  if (status == VV_OK) status = vv_compile_excludes(c);
  if (status == VV_OK) status = set_sizes(c);
  if (status != VV_OK) return status;
  status = vv_model_allocate(c->context, c->m);
  if (status != VV_OK) return vv_report_set(c->report, status, "out of memory");
  fill_bodies(c);
  fill_joints(c);
  fill_tree(c);
  fill_geoms(c);
  fill_sites(c);
  fill_reals(c);
  convert_reals(c);
  status = vv_compile_references(c);
  if (status == VV_OK) status = vv_compile_fill_pairs(c);
  if (status == VV_OK) status = vv_names_create(c->context, c->spec, c->m, &c->order, c->report);
  if (status == VV_OK) status = derive(c);
  if (status == VV_OK) fill_alone(c->m);
  if (status == VV_OK) refuse_free_axes(c);
  if (status == VV_OK) status = vv_compile_keys(c);
  return status;
}

vvStatus vv_compile(vvContext* context, vvSpec* spec, vvModel** model, vvReport* report) {
  if (!context || !spec || !model) return vv_report_set(report, VV_ERROR_ARGUMENT, "a pointer is NULL");
  *model = NULL;
  vv_report_clear(report);
  vvCompile c = {.context = context, .spec = spec, .report = report};
  vv_spec_settle(spec);
  c.m = vv_alloc(context, sizeof(vvModel));
  vvStatus status = c.m ? vv_spec_order_create(spec, &c.order) : VV_ERROR_MEMORY;
  if (status != VV_OK) {
    vv_free(context, c.m, sizeof(vvModel));
    return vv_report_set(report, status, "out of memory");
  }
  status = compile(&c);
  vv_spec_order_free(spec, &c.order);
  if (status == VV_OK) {
    *model = c.m;
  } else {
    vv_model_free(context, c.m);
  }
  return status;
}

vvStatus vv_model_load_file(vvContext* context, const char* path, vvModel** model, vvReport* report) {
  if (!context || !path || !model) return vv_report_set(report, VV_ERROR_ARGUMENT, "a pointer is NULL");
  *model = NULL;
  vvSpec* spec = NULL;
  vvStatus status = vv_spec_read(context, path, &spec, report);
  if (status == VV_OK) status = vv_compile(context, spec, model, report);
  vv_spec_free(spec);
  return status;
}
