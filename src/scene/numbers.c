// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// numbers.c: which primary reals are numbers: those that the scene states or leaves at their default and that apply to
// the element: sizes that the shape has, the range of a limited joint, density where mass comes from it, ... Numbers
// that nothing depends on (friction of a geom that touches nothing) are there with the reason, and refused in
// gradients.

#include "scene/numbers.h"

#include <math.h>
#include <string.h>

#include "scene/sensor.h"
#include "visviva/output.h"

// What geoms are used for.
typedef struct vvUse {
  const vvModel* m;
  unsigned char* geom;  // bits per geom
} vvUse;

enum {
  USE_TOUCH = 1,  // in a pair
  USE_LAW = 2,    // its friction, solref, solimp count in a pair
  USE_MIX = 4,    // ... and are mixed with the other's
  USE_SLIDE = 8,  // condim 3 or more
  USE_SPIN = 16,  // condim 4 or more
  USE_ROLL = 32,  // condim 6
  USE_MASS = 64,  // part of the inertia of a body that moves, or of the total
  USE_SENSOR = 128
};

static void use_pair(vvUse* u, int a, int b) {
  const vvModel* m = u->m;
  int pa = m->geom_priority[a], pb = m->geom_priority[b], da = m->geom_condim[a], db = m->geom_condim[b];
  int dim = pa > pb ? da : pb > pa ? db : da > db ? da : db;
  unsigned bits = USE_LAW | (pa == pb ? USE_MIX : 0u);
  if (dim >= 3) bits |= USE_SLIDE;
  if (dim >= 4) bits |= USE_SPIN;
  if (dim == 6) bits |= USE_ROLL;
  u->geom[a] = (unsigned char)(u->geom[a] | USE_TOUCH | (pa >= pb ? bits : 0u));
  u->geom[b] = (unsigned char)(u->geom[b] | USE_TOUCH | (pb >= pa ? bits : 0u));
}

// Whether sensors weigh bodies that cannot move.
static bool weighs_still(const vvModel* m) {
  for (int i = 0; i < m->nsensor; i++) {
    int type = m->sensor_type[i];
    int body = type == VV_SENSOR_FORCE || type == VV_SENSOR_TORQUE               ? m->site_body[m->sensor_obj[i]]
               : type >= VV_SENSOR_SUBTREECOM && type <= VV_SENSOR_SUBTREEANGMOM ? m->sensor_obj[i]
                                                                                 : -1;
    if (type == VV_SENSOR_EPOTENTIAL || (body >= 0 && m->body_tree[body] < 0)) return true;
  }
  return false;
}

static void use_all(vvUse* u) {
  const vvModel* m = u->m;
  for (int i = 0; i < m->npair; i++) use_pair(u, m->pair_geom[2 * i], m->pair_geom[2 * i + 1]);
  for (int g = 0; g < m->ngeom; g++) {
    bool matters = m->body_tree[m->geom_body[g]] >= 0 || m->settotal || weighs_still(m);
    if (m->geom_mkind[g] != VV_MASS_NONE && matters) u->geom[g] |= USE_MASS;
  }
  for (int i = 0; i < m->nsensor; i++) {
    if (!vv_sensor_kind(m->sensor_type[i]) || vv_sensor_kind(m->sensor_type[i])->target != VV_TARGET_FRAME) continue;
    if (m->sensor_objtype[i] == VV_FRAME_GEOM) u->geom[m->sensor_obj[i]] |= USE_SENSOR;
    if (m->sensor_ref[i] >= 0 && m->sensor_reftype[i] == VV_FRAME_GEOM) u->geom[m->sensor_ref[i]] |= USE_SENSOR;
  }
}

// ---- per element ----------------------------------------------------------------------------------------------------

// Whether a component is a number at all, and why nothing depends on it: NULL when something does.
typedef struct vvVerdict {
  bool exists;
  const char* dead;
} vvVerdict;

static const vvVerdict absent = {false, NULL};
static const vvVerdict live = {true, NULL};

static vvVerdict dead_if(bool dead, const char* reason) {
  vvVerdict v = {true, dead ? reason : NULL};
  return v;
}

static bool is(const vvField* f, const char* attribute) {
  return !strcmp(f->attribute, attribute);
}

static vvVerdict judge_option(const vvModel* m, const vvField* f) {
  if (is(f, "gravity")) return dead_if(m->disable & VV_DISABLE_GRAVITY, "gravity is disabled");
  if (is(f, "wind") || is(f, "density") || is(f, "viscosity")) {
    if (!vv_model_has_passive(m)) return dead_if(true, "springs and dampers are disabled, and with them the fluid");
    return dead_if(!m->fluid, "there is no fluid; state density or viscosity");
  }
  if (is(f, "impratio")) return dead_if(m->npair == 0, "nothing can touch");
  return live;
}

static vvVerdict judge_compiler(const vvModel* m, const vvField* f) {
  bool stated = is(f, "settotalmass") ? m->settotal
                : is(f, "boundmass")  ? m->compiler_boundmass[0] > 0
                                      : m->compiler_boundinertia[0] > 0;
  return stated ? live : absent;
}

static vvVerdict judge_body(const vvModel* m, const vvField* f, int i) {
  if (i == 0) return absent;
  if (is(f, "pos") || is(f, "rot")) return live;
  if (is(f, "gravcomp")) {
    if (m->body_gravcomp[i] == 0) return absent;
    if (m->disable & VV_DISABLE_GRAVITY) return dead_if(true, "gravity is disabled");
    if (!vv_model_has_passive(m)) return dead_if(true, "springs and dampers are disabled, and with them gravcomp");
    return dead_if(m->body_tree[i] < 0, "the body cannot move");
  }
  int kind = m->body_inertia[i];
  if (kind == VV_INERTIA_GEOMS) return absent;
  if ((is(f, "irot") || is(f, "diaginertia")) && kind != VV_INERTIA_DIAGONAL) return absent;
  if (is(f, "fullinertia") && kind != VV_INERTIA_FULL) return absent;
  return dead_if(m->body_tree[i] < 0 && !m->settotal && !weighs_still(m), "the body cannot move");
}

// Numbers of dry friction; without one, its derivative would be one-sided.
static vvVerdict judge_friction(const vvModel* m, const vvField* f, int j, int k) {
  if (m->disable & (VV_DISABLE_FRICTIONLOSS | VV_DISABLE_CONSTRAINT)) return dead_if(true, "dry friction is disabled");
  if (is(f, "frictionloss"))
    return dead_if(m->jnt_frictionloss[j] == 0, "the joint has no dry friction, and its derivative at 0 is one-sided");
  if (m->jnt_frictionloss[j] == 0) return absent;
  static const char damped[] = "dry friction has no stiffness";
  if (is(f, "solreffriction") && k == 1) return dead_if(m->jnt_friction_solref[2 * j] > 0, damped);
  if (is(f, "solreffriction")) return dead_if(m->jnt_friction_solref[2 * j] <= 0, damped);
  return dead_if(k > 1, "dry friction has no violation");
}

static vvVerdict judge_joint(const vvModel* m, const vvField* f, int j, int k) {
  int type = m->jnt_type[j];
  bool straight = type == VV_JOINT_HINGE || type == VV_JOINT_SLIDE;
  if (is(f, "pos"))
    return type == VV_JOINT_FREE ? absent : dead_if(type == VV_JOINT_SLIDE, "a slide is the same everywhere");
  if (is(f, "axis") || is(f, "ref")) return straight ? live : absent;
  if (is(f, "springref")) return straight ? dead_if(m->disable & VV_DISABLE_SPRING, "springs are disabled") : absent;
  if (is(f, "stiffness")) return dead_if(m->disable & VV_DISABLE_SPRING, "springs are disabled");
  if (is(f, "damping")) return dead_if(m->disable & VV_DISABLE_DAMPER, "dampers are disabled");
  if (is(f, "armature")) return live;
  if (is(f, "frictionloss") || is(f, "solreffriction") || is(f, "solimpfriction")) return judge_friction(m, f, j, k);
  if (is(f, "actuatorfrcrange"))
    return m->jnt_actfrclimited[j] ? dead_if(m->disable & VV_DISABLE_ACTUATION, "actuation is disabled") : absent;
  if (type == VV_JOINT_FREE || (!straight && !m->jnt_limited[j])) return absent;
  if (is(f, "range") && !m->jnt_limited[j]) return absent;
  if (is(f, "range") && !straight && k == 0) return dead_if(true, "a ball has one bound, its largest angle");
  if (!m->jnt_limited[j]) return dead_if(true, "the joint has no limit");
  return dead_if(m->disable & (VV_DISABLE_LIMIT | VV_DISABLE_CONSTRAINT), "limits are disabled");
}

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

static vvVerdict judge_contact(const vvUse* u, const vvField* f, int g, int k) {
  static const char* const frictions[] = {"no contact of this geom has friction",
                                          "no contact of this geom has torsional friction",
                                          "no contact of this geom has rolling friction"};
  const vvModel* m = u->m;
  unsigned use = u->geom[g];
  if (!m->geom_contype[g] && !m->geom_conaffinity[g]) return absent;
  if (!(use & USE_TOUCH)) return dead_if(true, "the geom touches nothing");
  if (is(f, "gap")) return dead_if(true, "no force depends on it, it only widens the search for contacts");
  if (is(f, "friction")) return dead_if(!(use & (k == 0 ? USE_SLIDE : k == 1 ? USE_SPIN : USE_ROLL)), frictions[k]);
  if (is(f, "solmix")) return dead_if(!(use & USE_MIX), "geoms of other priority decide");
  if (is(f, "solref") || is(f, "solimp")) return dead_if(!(use & USE_LAW), "geoms of higher priority decide");
  return live;
}

static vvVerdict judge_geom(const vvUse* u, const vvField* f, int g, int k) {
  static const char still[] = "neither motion nor a sensor depends on the geom";
  const vvModel* m = u->m;
  unsigned use = u->geom[g];
  int type = m->geom_type[g];
  bool placed = use & (USE_TOUCH | USE_MASS | USE_SENSOR), fromto = m->geom_isfromto[g];
  if (is(f, "pos")) return fromto ? absent : dead_if(!placed, still);
  if (is(f, "rot")) {
    if (placed && type == VV_GEOM_SPHERE && !(use & USE_SENSOR))
      return dead_if(true, "turning a sphere changes nothing");
    return fromto ? absent : dead_if(!placed, still);
  }
  if (is(f, "fromto")) return fromto ? dead_if(!placed, still) : absent;
  if (is(f, "size")) return k < size_count(type, fromto) ? dead_if(!(use & (USE_TOUCH | USE_MASS)), still) : absent;
  if (is(f, "density") || is(f, "mass")) {
    int kind = is(f, "density") ? VV_MASS_DENSITY : VV_MASS_GIVEN;
    if (m->geom_mkind[g] != kind) return absent;
    if (!(use & USE_MASS)) return dead_if(true, "the body cannot move");
    vvReal value = kind == VV_MASS_DENSITY ? m->geom_density[g] : m->geom_mass[g];
    return dead_if(value < (vvReal)1e-14, "a geom without mass does not count in its body's inertia");
  }
  return judge_contact(u, f, g, k);
}

// Which of the slots of an actuator are its numbers, by kind: "gainprm" etc. of a general one, else under the name that
// the file gives them. NULL: none.
static const char* slot_name(const vvModel* m, const vvField* f, int i, int k, int* index) {
  static const char* const muscle[] = {"range", "range", "force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"};
  int kind = m->actuator_kind[i];
  char slot = is(f, "gainprm") ? 'g' : is(f, "biasprm") ? 'b' : 'd';
  *index = -1;
  switch (kind) {
    case VV_ACTUATOR_GENERAL:
      *index = k;
      if (slot == 'd')
        return m->actuator_dyntype[i] > VV_DYN_INTEGRATOR && k < (m->actuator_dyntype[i] == VV_DYN_MUSCLE ? 3 : 1)
                   ? f->attribute
                   : NULL;
      if (slot == 'b') {
        if (m->actuator_damping[i] && k == 1) return NULL;
        return m->actuator_biastype[i] == VV_BIAS_AFFINE && k < 3   ? f->attribute
               : m->actuator_biastype[i] == VV_BIAS_MUSCLE && k < 9 ? f->attribute
                                                                    : NULL;
      }
      return k < (m->actuator_gaintype[i] == VV_GAIN_FIXED    ? 1
                  : m->actuator_gaintype[i] == VV_GAIN_AFFINE ? 3
                                                              : 9)
                 ? f->attribute
                 : NULL;
    case VV_ACTUATOR_POSITION:
    case VV_ACTUATOR_INTVELOCITY:
      if (slot == 'g') return k == 0 ? "kp" : NULL;
      if (slot == 'b')
        return k == 2 && !m->actuator_damping[i] ? "kv" : k == 3 && m->actuator_damping[i] ? "dampratio" : NULL;
      return k == 0 && m->actuator_dyntype[i] == VV_DYN_FILTEREXACT ? "timeconst" : NULL;
    case VV_ACTUATOR_VELOCITY:
      return slot == 'g' && k == 0 ? "kv" : NULL;
    case VV_ACTUATOR_DAMPER:
      return slot == 'g' && k == 2 ? "kv" : NULL;
    case VV_ACTUATOR_CYLINDER:
      if (slot == 'b') *index = k;
      if (slot == 'b') return k < 3 ? "bias" : NULL;
      return k == 0 ? (slot == 'g' ? "area" : "timeconst") : NULL;
    case VV_ACTUATOR_MUSCLE:
      if (slot == 'g' && k < 2) *index = k;
      if (slot == 'd' && k < 2) *index = k;
      if (slot == 'g') return k < 9 ? muscle[k] : NULL;
      return slot == 'd' && k < 3 ? (k < 2 ? "timeconst" : "tausmooth") : NULL;
    default:
      return NULL;
  }
}

static vvVerdict judge_actuator(const vvModel* m, const vvField* f, int i, int k) {
  bool off = m->disable & VV_DISABLE_ACTUATION || m->actuator_disabled[i];
  const char* reason = m->actuator_disabled[i] ? "the actuator's group is disabled" : "actuation is disabled";
  int index;
  if (is(f, "ctrlrange")) {
    if (!m->actuator_ctrllimited[i]) return absent;
    return off ? dead_if(true, reason) : dead_if(m->disable & VV_DISABLE_CLAMPCTRL, "clamping of controls is disabled");
  }
  if (is(f, "forcerange")) return m->actuator_forcelimited[i] ? dead_if(off, reason) : absent;
  if (is(f, "actrange")) return m->actuator_actlimited[i] ? dead_if(off, reason) : absent;
  if (is(f, "lengthrange")) {
    bool muscle = m->actuator_gaintype[i] == VV_GAIN_MUSCLE || m->actuator_biastype[i] == VV_BIAS_MUSCLE;
    return muscle ? dead_if(off, reason) : absent;
  }
  if (!is(f, "gear")) {
    if (!slot_name(m, f, i, k, &index)) return absent;
    bool general = m->actuator_kind[i] == VV_ACTUATOR_GENERAL;
    if (m->actuator_damping[i] && general && is(f, "gainprm"))
      return dead_if(true, "the gain of a servo with a damping ratio is stated twice, as biasprm too");
    if (m->actuator_gaintype[i] == VV_GAIN_MUSCLE && is(f, "gainprm") && k == 3)
      return dead_if(off || m->actuator_gainprm[10 * i + 2] >= 0, off ? reason : "the muscle's force is stated");
    if (m->actuator_gaintype[i] == VV_GAIN_MUSCLE && is(f, "gainprm") && k == 2)
      return dead_if(off || m->actuator_gainprm[10 * i + 2] < 0, off ? reason : "a negative force stands for scale");
    return dead_if(off, reason);
  }
  if (m->actuator_trntype[i] == VV_TRN_TENDON) return k == 0 ? dead_if(off, reason) : absent;
  if (m->actuator_trntype[i] == VV_TRN_SITE) return dead_if(off, reason);
  int type = m->jnt_type[m->actuator_trnid[i]];
  return k < (type == VV_JOINT_FREE ? 6 : type == VV_JOINT_BALL ? 3 : 1) ? dead_if(off, reason) : absent;
}

static vvVerdict judge_tendon(const vvModel* m, const vvField* f, int t) {
  if (is(f, "stiffness")) return dead_if(m->disable & VV_DISABLE_SPRING, "springs are disabled");
  if (is(f, "damping")) return dead_if(m->disable & VV_DISABLE_DAMPER, "dampers are disabled");
  if (is(f, "actuatorfrcrange"))
    return m->tendon_actfrclimited[t] ? dead_if(m->disable & VV_DISABLE_ACTUATION, "actuation is disabled") : absent;
  if (is(f, "springlength"))
    return m->tendon_isrest[t] ? absent : dead_if(m->disable & VV_DISABLE_SPRING, "springs are disabled");
  return m->tendon_limited[t] ? dead_if(m->disable & (VV_DISABLE_LIMIT | VV_DISABLE_CONSTRAINT), "limits are disabled")
                              : absent;
}

static vvVerdict judge_site(const vvModel* m, const vvField* f, int i) {
  return is(f, "fromto") == (m->site_isfromto[i] != 0) ? live : absent;
}

static vvVerdict judge_equality(const vvModel* m, const vvField* f, int e, int k) {
  static const char none[] = "the equality joins no second joint";
  int type = m->eq_type[e];
  bool weld = type == VV_EQ_WELD && !m->eq_issite[e];
  if (is(f, "anchor") && (type == VV_EQ_JOINT || m->eq_issite[e])) return absent;
  if ((is(f, "relpos") || is(f, "relrot")) && !(weld && m->eq_isrel[e])) return absent;
  if (is(f, "torquescale") && type != VV_EQ_WELD) return absent;
  if (is(f, "polycoef") && type != VV_EQ_JOINT) return absent;
  if (!m->eq_active[e]) return dead_if(true, "the equality is not active");
  bool still = type != VV_EQ_JOINT && m->body_tree[m->eq_body1[e]] < 0 && m->body_tree[m->eq_body2[e]] < 0;
  if (still) return dead_if(true, "neither body can move");
  if (is(f, "polycoef") && k > 0 && m->eq_obj2[e] < 0) return dead_if(true, none);
  return dead_if(m->disable & (VV_DISABLE_EQUALITY | VV_DISABLE_CONSTRAINT), "equalities are disabled");
}

static vvVerdict judge(const vvUse* u, const vvField* f, int id, int component) {
  const vvModel* m = u->m;
  switch (f->element) {
    case VV_ELEMENT_OPTION:
      return judge_option(m, f);
    case VV_ELEMENT_COMPILER:
      return judge_compiler(m, f);
    case VV_ELEMENT_FRAME:
      return live;
    case VV_ELEMENT_BODY:
      return judge_body(m, f, id);
    case VV_ELEMENT_JOINT:
      return judge_joint(m, f, id, component);
    case VV_ELEMENT_GEOM:
      return judge_geom(u, f, id, component);
    case VV_ELEMENT_SITE:
      return judge_site(m, f, id);
    case VV_ELEMENT_ACTUATOR:
      return judge_actuator(m, f, id, component);
    case VV_ELEMENT_EQUALITY:
      return judge_equality(m, f, id, component);
    case VV_ELEMENT_TENDON:
      return judge_tendon(m, f, id);
    case VV_ELEMENT_WRAP:
      return live;
    case VV_ELEMENT_SENSOR:
      return m->sensor_cutoff[id] > 0 ? dead_if(m->disable & VV_DISABLE_SENSOR, "sensors are disabled") : absent;
    default:
      return absent;
  }
}

// ---- origins --------------------------------------------------------------------------------------------------------

// Default class that a component of a field takes its value from, -1: none.
static int origin_class(const vvSpecOrder* order, const vvField* f, int id, int component) {
  if (f->element == VV_ELEMENT_OPTION || f->element == VV_ELEMENT_COMPILER) return -1;
  size_t offset = 0;
  for (const vvBinding* b = vv_spec_bindings(); b->width; b++)
    if (b->model_offset == f->offset) offset = b->spec_offset + (size_t)component * sizeof(double);
  for (const vvRotation* r = vv_spec_rotations(); r->rot_offset; r++)
    if (r->rot_offset == f->offset) offset = r->spec_offset;
  if (!offset) return -1;
  int origin = order->heads[f->element][id]->origin[VV_ORIGIN_INDEX(offset)];
  return origin >= 0 ? origin : -1;
}

vvStatus vv_numbers_list(vvContext* context, const vvSpec* spec, const vvModel* m, const vvSpecOrder* order,
                         vvSingle** list, int* n) {
  (void)spec;
  vvUse u = {m, VV_NEW(context, unsigned char, m->ngeom)};
  *list = NULL;
  *n = 0;
  if (!u.geom) return VV_ERROR_MEMORY;
  use_all(&u);
  for (int pass = 0; pass < 2; pass++) {
    int count = 0;
    const vvField* fields = vv_model_fields();
    for (int i = 0; fields[i].attribute && fields[i].section == VV_SECTION_PRIMARY; i++) {
      const vvField* f = &fields[i];
      size_t begin = (size_t)(vv_field_data(m, f) - m->reals);
      for (int id = 0; id < vv_model_count(m, f->element); id++) {
        for (int k = 0; k < f->width; k++) {
          vvVerdict verdict = judge(&u, f, id, k);
          if (!verdict.exists) continue;
          vvSingle s = {i, id, k, -1, verdict.dead, begin + (size_t)id * (size_t)f->width + (size_t)k};
          if (pass == 1) s.class_id = origin_class(order, f, id, k), (*list)[count] = s;
          count++;
        }
      }
    }
    if (pass == 0) {
      *list = VV_NEW(context, vvSingle, count);
      *n = count;
      if (!*list) break;
    }
  }
  VV_DELETE(context, u.geom, unsigned char, m->ngeom);
  return *list ? VV_OK : VV_ERROR_MEMORY;
}

// ---- units and sizes ------------------------------------------------------------------------------------------------

const char* vv_number_attribute(const vvModel* m, const vvSingle* s, int* index) {
  const vvField* f = &vv_model_fields()[s->field];
  // The format allows several coefficients of stiffness and damping.
  *index = f->width > 1 || is(f, "stiffness") || is(f, "damping") ? s->component : -1;
  if (f->element == VV_ELEMENT_WRAP) *index = s->id - m->tendon_wrap[m->wrap_tendon[s->id]];
  if (f->element == VV_ELEMENT_ACTUATOR && f->width == 10) return slot_name(m, f, s->id, s->component, index);
  return f->attribute;
}

// The unit of a joint's field: metres for slides, radians for turns, both for free joints.
static const char* joint_unit(const vvField* f, int type) {
  static const struct {
    const char *attribute, *slide, *turn;
  } table[] = {{"range", "m", "rad"},
               {"ref", "m", "rad"},
               {"springref", "m", "rad"},
               {"margin", "m", "rad"},
               {"stiffness", "N/m", "N m/rad"},
               {"damping", "N s/m", "N m s/rad"},
               {"armature", "kg", "kg m2"},
               {"frictionloss", "N", "N m"},
               {NULL, NULL, NULL}};
  for (int i = 0; table[i].attribute; i++)
    if (is(f, table[i].attribute))
      return type == VV_JOINT_SLIDE ? table[i].slide : type == VV_JOINT_FREE ? f->unit : table[i].turn;
  return f->unit;
}

const char* vv_number_unit(const vvModel* m, const vvSingle* s) {
  const vvField* f = &vv_model_fields()[s->field];
  int type = f->element == VV_ELEMENT_JOINT ? m->jnt_type[s->id] : VV_JOINT_SLIDE;
  if (is(f, "solref") || is(f, "solreflimit") || is(f, "solreffriction")) {
    bool direct = m->reals[s->offset] < 0;
    return s->component == 0 ? (direct ? "1/s2" : "s") : (direct ? "1/s" : "");
  }
  if (is(f, "solimp") || is(f, "solimplimit") || is(f, "solimpfriction"))
    return s->component != 2 ? "" : type == VV_JOINT_SLIDE ? "m" : "rad";
  if (is(f, "friction")) return s->component == 0 ? "" : "m";
  if (f->element == VV_ELEMENT_ACTUATOR && is(f, "forcerange")) {
    if (m->actuator_trntype[s->id] == VV_TRN_TENDON) return "";
    int joint = m->jnt_type[m->actuator_trnid[s->id]];
    return joint == VV_JOINT_SLIDE ? "N" : joint == VV_JOINT_FREE ? "N, N m" : "N m";
  }
  if (f->element == VV_ELEMENT_ACTUATOR && is(f, "gear")) {
    if (m->actuator_trntype[s->id] == VV_TRN_TENDON) return "";
    int joint = m->jnt_type[m->actuator_trnid[s->id]];
    return joint == VV_JOINT_SLIDE || (joint == VV_JOINT_FREE && s->component < 3) ? "" : "m";
  }
  return f->element == VV_ELEMENT_JOINT ? joint_unit(f, type) : f->unit;
}

vvReal vv_number_scale(const vvModel* m, const vvSingle* s) {
  const vvField* f = &vv_model_fields()[s->field];
  vvReal value = (vvReal)fabs((double)m->reals[s->offset]);
  bool sized = f->sign >= 0 || f->width == 10 || is(f, "springlength") || is(f, "coef") || is(f, "solref") ||
               is(f, "solreflimit") || is(f, "solreffriction") || is(f, "gear");
  if (sized && value > 0) return value;
  if (is(f, "friction")) return s->component == 0 ? 1 : s->component == 1 ? (vvReal)0.005 : (vvReal)0.0001;
  if (is(f, "solimp") || is(f, "solimplimit") || is(f, "solimpfriction")) return s->component == 2 ? (vvReal)0.001 : 1;
  return f->scale;
}
