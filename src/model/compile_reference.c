// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// compile_reference.c: what refers to other elements by name: tendons, actuators, sensors, excludes; and keyframes,
// whose sizes follow from the model.

#include <math.h>
#include <string.h>

#include "model/compile.h"
#include "scene/sensor.h"
#include "visviva/output.h"

#define FAIL(head, ...) return vv_spec_error(c->report, VV_ERROR_FILE, head, __VA_ARGS__)

static int find(const vvCompile* c, vvElement element, const char* name) {
  for (int i = 0; i < c->order.count[element]; i++)
    if (!strcmp(c->order.heads[element][i]->name, name)) return i;
  return -1;
}

static vvStatus fill_tendons(vvCompile* c) {
  vvModel* m = c->m;
  for (int t = 0; t < m->ntendon; t++) {
    const vvSpecTendon* s = VV_ORDERED(c, vvSpecTendon, VV_ELEMENT_TENDON, t);
    m->tendon_wrap[t] = 0;
    m->tendon_num[t] = 0;
    m->tendon_limited[t] = vv_compile_is_limited(s->limited, s->range);
    m->tendon_actfrclimited[t] = vv_compile_is_limited(s->actuatorfrclimited, s->actuatorfrcrange);
    if (m->tendon_actfrclimited[t] && !(s->actuatorfrcrange[0] < s->actuatorfrcrange[1] &&
                                        s->actuatorfrcrange[0] <= 0 && s->actuatorfrcrange[1] >= 0))
      FAIL(&s->head, "tendon actuatorfrcrange is %g %g; it must be increasing and contain 0", s->actuatorfrcrange[0],
           s->actuatorfrcrange[1]);
    m->tendon_isrest[t] = s->springlength[0] == -1 && s->springlength[1] == -1;
    if (s->springlength[0] > s->springlength[1])
      FAIL(&s->head, "tendon springlength is %g %g; the first may not be the larger", s->springlength[0],
           s->springlength[1]);
    if (m->tendon_limited[t] && !(s->range[0] < s->range[1]))
      FAIL(&s->head, "tendon range is %g %g; the first must be the smaller", s->range[0], s->range[1]);
    if (s->damping != 0 && m->integrator != VV_INTEGRATOR_EULER && m->integrator != VV_INTEGRATOR_RK4)
      return vv_spec_error(c->report, VV_ERROR_UNSUPPORTED, &s->head,
                           "tendon damping is not supported yet with an implicit integrator; use Euler or RK4");
    if (m->tendon_limited[t])
      return vv_spec_error(c->report, VV_ERROR_UNSUPPORTED, &s->head,
                           "limits of tendons are not supported yet; remove range or set limited=\"false\"");
    for (int k = 0; k < 2; k++) {
      if (!m->tendon_actfrclimited[t]) m->tendon_actfrcrange[2 * t + k] = 0;
      if (!m->tendon_limited[t]) m->tendon_range[2 * t + k] = 0;
      if (m->tendon_isrest[t]) m->tendon_springlength[2 * t + k] = 0;
    }
  }
  for (int w = 0; w < m->nwrap; w++) {
    const vvSpecWrap* s = VV_ORDERED(c, vvSpecWrap, VV_ELEMENT_WRAP, w);
    int t = s->tendon->head.id, j = find(c, VV_ELEMENT_JOINT, s->joint);
    if (j < 0) FAIL(&s->head, "tendon goes over an unknown joint \"%.60s\"; correct its name", s->joint);
    if (m->jnt_type[j] != VV_JOINT_HINGE && m->jnt_type[j] != VV_JOINT_SLIDE)
      FAIL(&s->head, "a fixed tendon goes over hinges and slides; \"%.60s\" is none", s->joint);
    for (int k = 0; k < m->tendon_num[t]; k++)
      if (m->wrap_jnt[m->tendon_wrap[t] + k] == j)
        FAIL(&s->head, "a fixed tendon goes over joint \"%.60s\" twice; add up its coefficients", s->joint);
    if (m->tendon_num[t]++ == 0) m->tendon_wrap[t] = w;
    m->wrap_jnt[w] = j;
    m->wrap_tendon[w] = t;
  }
  for (int t = 0; t < m->ntendon; t++)
    if (m->tendon_num[t] == 0)
      FAIL(c->order.heads[VV_ELEMENT_TENDON][t],
           "a fixed tendon needs joints; add <joint joint=\"...\" coef=\"...\"/>");
  return VV_OK;
}

// Dynamics of an actuator's activation.
static int dynamics(const vvSpecActuator* s) {
  switch (s->kind) {
    case VV_ACTUATOR_GENERAL:
      return s->dyntype;
    case VV_ACTUATOR_POSITION:
      return s->dynprm[0] > 0 ? VV_DYN_FILTEREXACT : VV_DYN_NONE;
    case VV_ACTUATOR_INTVELOCITY:
      return VV_DYN_INTEGRATOR;
    case VV_ACTUATOR_CYLINDER:
      return VV_DYN_FILTER;
    case VV_ACTUATOR_MUSCLE:
      return VV_DYN_MUSCLE;
    default:
      return VV_DYN_NONE;
  }
}

int vv_compile_activations(const vvSpec* spec) {
  int n = 0;
  for (int i = 0; i < spec->nactuator; i++) n += dynamics(spec->actuators[i]) != VV_DYN_NONE;
  return n;
}

static void set_types(vvModel* m, const vvSpecActuator* s, int i) {
  int gain = VV_GAIN_FIXED, bias = VV_BIAS_AFFINE;
  if (s->kind == VV_ACTUATOR_GENERAL) gain = s->gaintype, bias = s->biastype;
  if (s->kind == VV_ACTUATOR_MOTOR) bias = VV_BIAS_NONE;
  if (s->kind == VV_ACTUATOR_DAMPER) gain = VV_GAIN_AFFINE, bias = VV_BIAS_NONE;
  if (s->kind == VV_ACTUATOR_MUSCLE) gain = VV_GAIN_MUSCLE, bias = VV_BIAS_MUSCLE;
  bool servo = s->kind == VV_ACTUATOR_POSITION || s->kind == VV_ACTUATOR_INTVELOCITY;
  bool ratio = s->kind == VV_ACTUATOR_GENERAL && gain == VV_GAIN_FIXED && bias == VV_BIAS_AFFINE &&
               s->gainprm[0] == -s->biasprm[1] && s->biasprm[2] > 0;
  m->actuator_kind[i] = s->kind;
  m->actuator_dyntype[i] = dynamics(s);
  m->actuator_gaintype[i] = gain;
  m->actuator_biastype[i] = bias;
  m->actuator_damping[i] = ratio || (servo && s->biasprm[3] > 0);
  m->actuator_actearly[i] = s->actearly != 0;
  m->actuator_actlimited[i] =
      m->actuator_dyntype[i] != VV_DYN_NONE && vv_compile_is_limited(s->actlimited, s->actrange);
  if (s->kind == VV_ACTUATOR_INTVELOCITY) m->actuator_actlimited[i] = 1;
}

// Range of lengths of a muscle: as stated, or the limits of its joint.
static vvStatus fill_length_range(vvCompile* c, const vvSpecActuator* s, int i) {
  vvModel* m = c->m;
  bool muscle = m->actuator_gaintype[i] == VV_GAIN_MUSCLE || m->actuator_biastype[i] == VV_BIAS_MUSCLE;
  for (int k = 0; k < 2; k++) m->actuator_lengthrange[2 * i + k] = muscle ? (vvReal)s->lengthrange[k] : 0;
  if (muscle && !(s->lengthrange[0] < s->lengthrange[1]))
    FAIL(&s->head, "a muscle needs its range of lengths; add lengthrange=\"SHORTEST LONGEST\"");
  return VV_OK;
}

// A servo (gain and bias of one stiffness, input unfiltered) on a ball joint or between sites by rotation alone.
static bool wraps(const vvModel* m, const vvSpecActuator* s, int i) {
  bool servo = s->kind == VV_ACTUATOR_POSITION || s->kind == VV_ACTUATOR_INTVELOCITY ||
               (s->kind == VV_ACTUATOR_GENERAL && s->gaintype == VV_GAIN_FIXED && s->biastype == VV_BIAS_AFFINE &&
                s->gainprm[0] == -s->biasprm[1]);
  bool direct = m->actuator_dyntype[i] == VV_DYN_NONE || m->actuator_dyntype[i] == VV_DYN_INTEGRATOR;
  bool turn = s->gear[0] == 0 && s->gear[1] == 0 && s->gear[2] == 0;
  bool angle = m->actuator_trntype[i] == VV_TRN_SITE
                   ? m->actuator_ref[i] >= 0 && turn
                   : m->actuator_trntype[i] != VV_TRN_TENDON && m->jnt_type[m->actuator_trnid[i]] == VV_JOINT_BALL;
  return servo && direct && angle;
}

static vvStatus check_actuator(vvCompile* c, const vvSpecActuator* s, int i) {
  const vvModel* m = c->m;
  if ((s->kind == VV_ACTUATOR_POSITION || s->kind == VV_ACTUATOR_INTVELOCITY)) {
    if (s->biasprm[2] != 0 && s->biasprm[3] != 0) FAIL(&s->head, "actuator has kv and dampratio; keep one");
    if (s->gainprm[0] < 0 || s->biasprm[2] < 0 || s->biasprm[3] < 0 || s->dynprm[0] < 0)
      FAIL(&s->head, "kp, kv, dampratio and timeconst of an actuator must be 0 or more");
  }
  if (s->kind == VV_ACTUATOR_DAMPER && (!m->actuator_ctrllimited[i] || s->ctrlrange[0] < 0 || s->gainprm[2] < 0))
    FAIL(&s->head, "a damper needs kv of 0 or more and a ctrlrange that is not negative");
  if (m->actuator_actlimited[i] && !(s->actrange[0] < s->actrange[1]))
    FAIL(&s->head, "actuator actrange is %g %g; the first must be the smaller", s->actrange[0], s->actrange[1]);
  if (m->actuator_wrap[i] && m->actuator_dyntype[i] == VV_DYN_INTEGRATOR)
    return vv_spec_error(c->report, VV_ERROR_UNSUPPORTED, &s->head,
                         "servos on angles in three dimensions whose input is integrated are not supported yet; use "
                         "position, or a hinge");
  bool rate = m->actuator_gaintype[i] != VV_GAIN_FIXED || m->actuator_biastype[i] != VV_BIAS_NONE;
  if (rate && m->integrator != VV_INTEGRATOR_EULER && m->integrator != VV_INTEGRATOR_RK4)
    return vv_spec_error(c->report, VV_ERROR_UNSUPPORTED, &s->head,
                         "actuators whose force depends on velocity are not supported yet with an implicit integrator; "
                         "use Euler or RK4");
  if (m->actuator_damping[i] && s->gainprm[0] < 0) FAIL(&s->head, "a damping ratio needs a gain of 0 or more");
  return VV_OK;
}

// What an actuator drives.
static vvStatus fill_transmission(vvCompile* c, const vvSpecActuator* s, int i) {
  vvModel* m = c->m;
  vvElement element = s->site[0] ? VV_ELEMENT_SITE : s->tendon[0] ? VV_ELEMENT_TENDON : VV_ELEMENT_JOINT;
  const char* name = s->site[0] ? s->site : s->tendon[0] ? s->tendon : s->joint;
  int id = name[0] ? find(c, element, name) : -1;
  if (id < 0)
    FAIL(&s->head, "actuator drives an unknown %s \"%.60s\"; correct its name", vv_element_word(element), name);
  m->actuator_trnid[i] = id;
  m->actuator_trntype[i] = s->site[0]     ? VV_TRN_SITE
                           : s->tendon[0] ? VV_TRN_TENDON
                           : s->in_parent ? VV_TRN_JOINTINPARENT
                                          : VV_TRN_JOINT;
  m->actuator_ref[i] = -1;
  m->actuator_stop[i] = 0;
  if (!s->site[0] || !s->refsite[0]) return VV_OK;
  int ref = find(c, VV_ELEMENT_SITE, s->refsite);
  if (ref < 0) FAIL(&s->head, "actuator refers to an unknown site \"%.60s\"; correct its name", s->refsite);
  int a = m->site_body[id], b = m->site_body[ref];
  while (a != b) {
    if (a > b)
      a = m->body_parent[a];
    else
      b = m->body_parent[b];
  }
  m->actuator_ref[i] = ref;
  m->actuator_stop[i] = a;
  return VV_OK;
}

static vvStatus fill_actuators(vvCompile* c) {
  vvModel* m = c->m;
  int na = 0;
  for (int i = 0; i < m->nu; i++) {
    const vvSpecActuator* s = VV_ORDERED(c, vvSpecActuator, VV_ELEMENT_ACTUATOR, i);
    vvStatus status = fill_transmission(c, s, i);
    if (status != VV_OK) return status;
    m->actuator_disabled[i] = s->group >= 0 && s->group <= 30 && (c->spec->option.groups_disabled >> s->group & 1);
    m->actuator_ctrllimited[i] = vv_compile_is_limited(s->ctrllimited, s->ctrlrange);
    m->actuator_forcelimited[i] = vv_compile_is_limited(s->forcelimited, s->forcerange);
    set_types(m, s, i);
    m->actuator_wrap[i] = wraps(m, s, i);
    m->actuator_act[i] = m->actuator_dyntype[i] != VV_DYN_NONE ? na++ : -1;
    for (int k = 0; k < 2; k++) {
      if (!m->actuator_ctrllimited[i]) m->actuator_ctrlrange[2 * i + k] = 0;
      if (!m->actuator_forcelimited[i]) m->actuator_forcerange[2 * i + k] = 0;
      if (!m->actuator_actlimited[i]) m->actuator_actrange[2 * i + k] = 0;
    }
    status = check_actuator(c, s, i);
    if (status == VV_OK) status = fill_length_range(c, s, i);
    if (status != VV_OK) return status;
  }
  return VV_OK;
}

static vvStatus check_sensor_joint(vvCompile* c, const vvSpecSensor* s, int j) {
  int type = c->m->jnt_type[j];
  const char* word = vv_sensor_kind(s->type)->word;
  bool ball = vv_sensor_kind(s->type)->target == VV_TARGET_BALL;
  if (ball && type != VV_JOINT_BALL) FAIL(&s->head, "sensor %s needs a ball joint; \"%.50s\" is none", word, s->object);
  if (!ball && type != VV_JOINT_SLIDE && type != VV_JOINT_HINGE)
    FAIL(&s->head, "sensor %s needs a slide or hinge joint; \"%.50s\" is none", word, s->object);
  return VV_OK;
}

static vvStatus fill_sensor(vvCompile* c, const vvSpecSensor* s, int i) {
  vvModel* m = c->m;
  const vvSensorKind* kind = vv_sensor_kind(s->type);
  if (!kind) FAIL(&s->head, "a sensor has no valid type");
  const char* word = kind->word;
  bool frame = kind->target == VV_TARGET_FRAME;
  vvElement element = vv_sensor_element(kind->target, s->objtype);
  m->sensor_type[i] = s->type;
  m->sensor_obj[i] = kind->target == VV_TARGET_NONE ? 0 : s->object[0] ? find(c, element, s->object) : -1;
  m->sensor_objtype[i] = frame                            ? s->objtype
                         : kind->target == VV_TARGET_SITE ? VV_FRAME_SITE
                         : kind->target == VV_TARGET_BODY ? VV_FRAME_XBODY
                                                          : 0;
  m->sensor_ref[i] = -1;
  if (m->sensor_obj[i] < 0)
    FAIL(&s->head, "sensor %s: unknown %s \"%.50s\"; correct its name", word, vv_element_word(element), s->object);
  if (frame && s->ref[0]) {
    m->sensor_reftype[i] = s->reftype;
    m->sensor_ref[i] = find(c, vv_sensor_element(VV_TARGET_FRAME, s->reftype), s->ref);
    if (m->sensor_ref[i] < 0) FAIL(&s->head, "sensor %s: unknown reference \"%.50s\"; correct its name", word, s->ref);
    if (s->type == VV_SENSOR_FRAMELINACC || s->type == VV_SENSOR_FRAMEANGACC)
      FAIL(&s->head, "sensor %s has no reference frame; remove reftype and refname", word);
  }
  if (s->cutoff < 0) FAIL(&s->head, "sensor %s has a negative cutoff; it must be 0 or more", word);
  if (s->cutoff > 0 && !kind->clamped) FAIL(&s->head, "sensor %s cannot have a cutoff; remove it", word);
  bool joint = kind->target == VV_TARGET_JOINT || kind->target == VV_TARGET_BALL;
  return joint ? check_sensor_joint(c, s, m->sensor_obj[i]) : VV_OK;
}

static vvStatus fill_sensors(vvCompile* c) {
  vvModel* m = c->m;
  for (int i = 0; i < m->nsensor; i++) {
    const vvSpecSensor* s = VV_ORDERED(c, vvSpecSensor, VV_ELEMENT_SENSOR, i);
    vvStatus status = fill_sensor(c, s, i);
    bool counts = s->type == VV_SENSOR_FORCE || s->type == VV_SENSOR_TORQUE;
    for (int e = 0; e < m->neq && counts; e++)
      if (m->eq_type[e] != VV_EQ_JOINT)
        return vv_spec_error(c->report, VV_ERROR_UNSUPPORTED, &s->head,
                             "force and torque sensors are not supported yet beside connect and weld; remove one");
    if (status != VV_OK) return status;
    m->sensor_adr[i] = m->nsensordata;
    m->sensor_dim[i] = vv_sensor_kind(s->type)->dim;
    m->nsensordata += m->sensor_dim[i];
  }
  return VV_OK;
}

vvStatus vv_compile_excludes(vvCompile* c) {
  for (int i = 0; i < c->spec->nexclude; i++) {
    vvSpecExclude* e = c->spec->excludes[i];
    e->id1 = find(c, VV_ELEMENT_BODY, e->body1);
    e->id2 = find(c, VV_ELEMENT_BODY, e->body2);
    if (e->id1 < 0 || e->id2 < 0)
      FAIL(&e->head, "exclude names an unknown body \"%.60s\"; correct its name", e->id1 < 0 ? e->body1 : e->body2);
  }
  return VV_OK;
}

// Objects of a connect or weld.
static vvStatus fill_bodies(vvCompile* c, const vvSpecEquality* s, int e) {
  vvModel* m = c->m;
  vvElement element = s->site ? VV_ELEMENT_SITE : VV_ELEMENT_BODY;
  const char* word = s->site ? "site" : "body";
  int one = find(c, element, s->object1), two = s->object2[0] || s->site ? find(c, element, s->object2) : 0;
  if (one < 0 || two < 0)
    FAIL(&s->head, "equality names an unknown %s \"%.50s\"; correct its name", word, one < 0 ? s->object1 : s->object2);
  m->eq_obj1[e] = one;
  m->eq_obj2[e] = two;
  m->eq_body1[e] = s->site ? m->site_body[one] : one;
  m->eq_body2[e] = s->site ? m->site_body[two] : two;
  const double* q = s->relquat;
  m->eq_isrel[e] = s->type == VV_EQ_WELD && !s->site && (q[0] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 0);
  return VV_OK;
}

static vvStatus fill_equalities(vvCompile* c) {
  vvModel* m = c->m;
  for (int e = 0; e < m->neq; e++) {
    const vvSpecEquality* s = VV_ORDERED(c, vvSpecEquality, VV_ELEMENT_EQUALITY, e);
    m->eq_type[e] = s->type;
    m->eq_active[e] = s->active != 0;
    m->eq_issite[e] = s->type != VV_EQ_JOINT && s->site;
    m->eq_obj2[e] = -1;
    if (s->type != VV_EQ_JOINT) {
      vvStatus status = fill_bodies(c, s, e);
      if (status != VV_OK) return status;
      continue;
    }
    m->eq_obj1[e] = find(c, VV_ELEMENT_JOINT, s->object1);
    if (s->object2[0]) m->eq_obj2[e] = find(c, VV_ELEMENT_JOINT, s->object2);
    for (int k = 0; k < (s->object2[0] ? 2 : 1); k++) {
      int j = k ? m->eq_obj2[e] : m->eq_obj1[e];
      const char* name = k ? s->object2 : s->object1;
      if (j < 0) FAIL(&s->head, "equality names an unknown joint \"%.50s\"; correct its name", name);
      if (m->jnt_type[j] != VV_JOINT_HINGE && m->jnt_type[j] != VV_JOINT_SLIDE)
        FAIL(&s->head, "an equality of joints needs hinges and slides; \"%.50s\" is none", name);
    }
    if (m->eq_obj1[e] == m->eq_obj2[e]) FAIL(&s->head, "an equality of joints needs two different ones");
  }
  return VV_OK;
}

vvStatus vv_compile_references(vvCompile* c) {
  vvStatus status = fill_tendons(c);
  if (status == VV_OK) status = fill_actuators(c);
  if (status == VV_OK) status = fill_equalities(c);
  return status == VV_OK ? fill_sensors(c) : status;
}

// ---- keyframes ------------------------------------------------------------------------------------------------------

// Copies a stated array; what it leaves out at its end, or all of it, keeps the default.
static vvStatus key_array(vvCompile* c, const vvSpecKey* key, const char* name, const double* stated, int nstated,
                          int n, const vvReal* otherwise, vvReal* to) {
  if (nstated > n)
    FAIL(&key->head, "key \"%.40s\" has %d numbers in %s; it needs %d", key->head.name, nstated, name, n);
  for (int i = 0; i < n; i++) {
    to[i] = i < nstated ? (vvReal)stated[i] : otherwise ? otherwise[i] : 0;
    if (!isfinite((double)to[i]))
      FAIL(&key->head, "key \"%.40s\" has a number in %s that is not finite", key->head.name, name);
  }
  return VV_OK;
}

static void normalize_quaternions(const vvModel* m, vvReal* q) {
  for (int j = 0; j < m->njnt; j++) {
    bool free = m->jnt_type[j] == VV_JOINT_FREE;
    if (!free && m->jnt_type[j] != VV_JOINT_BALL) continue;
    vvReal* p = q + m->jnt_q[j] + (free ? 3 : 0);
    double length = sqrt((double)(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]));
    for (int k = 0; k < 4; k++) p[k] = length < 1e-15 ? (vvReal)(k == 0) : (vvReal)((double)p[k] / length);
  }
}

vvStatus vv_compile_keys(vvCompile* c) {
  vvModel* m = c->m;
  for (int i = 0; i < m->nkey; i++) {
    const vvSpecKey* key = VV_ORDERED(c, vvSpecKey, VV_ELEMENT_KEY, i);
    m->key_time[i] = (vvReal)key->time;
    vvReal* q = m->key_qpos + (size_t)i * (size_t)m->nq;
    vvStatus status = key_array(c, key, "qpos", key->qpos, key->nqpos, m->nq, m->qpos0, q);
    if (status == VV_OK)
      status = key_array(c, key, "qvel", key->qvel, key->nqvel, m->nv, NULL, m->key_qvel + (size_t)i * (size_t)m->nv);
    if (status == VV_OK)
      status = key_array(c, key, "act", key->act, key->nact, m->na, NULL, m->key_act + (size_t)i * (size_t)m->na);
    if (status == VV_OK)
      status = key_array(c, key, "ctrl", key->ctrl, key->nctrl, m->nu, NULL, m->key_ctrl + (size_t)i * (size_t)m->nu);
    if (status != VV_OK) return status;
    normalize_quaternions(m, q);
  }
  return VV_OK;
}
