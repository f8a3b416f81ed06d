// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// compile_reference.c: what refers to other elements by name: actuators, sensors, excludes; and keyframes, whose sizes
// follow from the model.

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

static vvStatus fill_actuators(vvCompile* c) {
  vvModel* m = c->m;
  for (int i = 0; i < m->nu; i++) {
    const vvSpecActuator* s = VV_ORDERED(c, vvSpecActuator, VV_ELEMENT_ACTUATOR, i);
    int j = s->joint[0] ? find(c, VV_ELEMENT_JOINT, s->joint) : -1;
    if (j < 0) FAIL(&s->head, "actuator drives an unknown joint \"%.60s\"; correct its name", s->joint);
    m->actuator_jnt[i] = j;
    m->actuator_inparent[i] = s->in_parent;
    m->actuator_ctrllimited[i] = vv_compile_is_limited(s->ctrllimited, s->ctrlrange);
    m->actuator_forcelimited[i] = vv_compile_is_limited(s->forcelimited, s->forcerange);
    for (int k = 0; k < 2; k++) {
      if (!m->actuator_ctrllimited[i]) m->actuator_ctrlrange[2 * i + k] = 0;
      if (!m->actuator_forcelimited[i]) m->actuator_forcerange[2 * i + k] = 0;
    }
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

vvStatus vv_compile_references(vvCompile* c) {
  vvStatus status = fill_actuators(c);
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
