// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// validate.c: a model read from a file is stepped only when all its indices are what vv_compile would have made: in
// range, and where they follow from each other, equal to what follows.

#include "model/validate.h"

#include <math.h>

#include "geom/collide.h"
#include "scene/sensor.h"
#include "visviva/output.h"

static bool within(int i, int low, int high) {
  return i >= low && i < high;
}

static int joint_nq(int type) {
  return type == VV_JOINT_FREE ? 7 : type == VV_JOINT_BALL ? 4 : 1;
}

static int joint_nv(int type) {
  return type == VV_JOINT_FREE ? 6 : type == VV_JOINT_BALL ? 3 : 1;
}

static bool valid_geom_type(int type) {
  return type == VV_GEOM_PLANE || within(type, VV_GEOM_SPHERE, VV_GEOM_BOX + 1);
}

const char* vv_model_invalid_sizes(const vvModel* m) {
  const int sizes[] = {m->nq,          m->nv,    m->na,      m->nu,    m->nbody, m->njnt,
                       m->ngeom,       m->nsite, m->nframe,  m->ntree, m->npair, m->nsensor,
                       m->nsensordata, m->nkey,  m->ntendon, m->nwrap, m->neq};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    if (sizes[i] < 0 || sizes[i] > INT32_MAX / 64) return "a size is out of range";
  if (m->nbody < 1 || m->na > m->nu) return "a size is out of range";
  if (!within(m->integrator, VV_INTEGRATOR_EULER, VV_INTEGRATOR_IMPLICITFAST + 1)) return "the integrator is unknown";
  if (m->cone != VV_CONE_PYRAMIDAL && m->cone != VV_CONE_ELLIPTIC) return "the friction cone is unknown";
  return NULL;
}

static const char* check_bodies(const vvModel* m) {
  for (int f = 0; f < m->nframe; f++)
    if (!within(m->frame_parent[f], -1, f)) return "a frame's parent is out of range";
  for (int i = 0; i < m->nbody; i++) {
    if (!within(m->body_parent[i], 0, i ? i : 1)) return "a body's parent is out of range";
    if (!within(m->body_frame[i], -1, m->nframe)) return "a body's frame is out of range";
    if (!within(m->body_inertia[i], VV_INERTIA_GEOMS, VV_INERTIA_FULL + 1)) return "a body's inertia is of no kind";
    if (!within(m->body_alone[i], 0, 2)) return "whether a body is alone is wrong";
    bool joints = m->body_njnt[i] > 0, geoms = m->body_ngeom[i] > 0;
    if (m->body_njnt[i] < 0 || m->body_ngeom[i] < 0 || m->body_ndof[i] < 0 || m->body_ndof[i] > 6)
      return "a body's counts are out of range";
    if (joints ? !within(m->body_jnt[i], 0, m->njnt) || m->body_jnt[i] > m->njnt - m->body_njnt[i]
               : m->body_jnt[i] != -1)
      return "a body's joints are out of range";
    if (geoms ? !within(m->body_geom[i], 0, m->ngeom) || m->body_geom[i] > m->ngeom - m->body_ngeom[i]
              : m->body_geom[i] != -1)
      return "a body's geoms are out of range";
    if (joints ? m->body_dof[i] != m->jnt_v[m->body_jnt[i]] : m->body_dof[i] != -1 || m->body_ndof[i])
      return "a body's dofs are wrong";
  }
  return m->body_njnt[0] ? "the world has joints" : NULL;
}

static const char* check_joints(const vvModel* m) {
  int q = 0, v = 0;
  for (int j = 0; j < m->njnt; j++) {
    int type = m->jnt_type[j], body = m->jnt_body[j];
    if (!within(type, VV_JOINT_FREE, VV_JOINT_HINGE + 1)) return "a joint's type is unknown";
    if (!within(body, 1, m->nbody) || j < m->body_jnt[body] || j >= m->body_jnt[body] + m->body_njnt[body])
      return "a joint's body is wrong";
    if (type == VV_JOINT_FREE && (m->body_parent[body] != 0 || m->body_njnt[body] != 1))
      return "a free joint is not at the top";
    if (!within(m->jnt_frame[j], -1, m->nframe)) return "a joint's frame is out of range";
    if (!within(m->jnt_limited[j], 0, 2) || (m->jnt_limited[j] && type == VV_JOINT_FREE))
      return "a joint's limit is wrong";
    if (m->jnt_q[j] != q || m->jnt_v[j] != v) return "a joint's addresses are wrong";
    int n = joint_nv(type);
    if (v > m->nv - n || q > m->nq - joint_nq(type)) return "joints have more dofs than the model";
    for (int k = 0; k < n; k++)
      if (m->dof_body[v + k] != body || m->dof_jnt[v + k] != j) return "a dof's joint is wrong";
    q += joint_nq(type);
    v += n;
  }
  return q == m->nq && v == m->nv ? NULL : "the model has more dofs than its joints";
}

static const char* check_tree(const vvModel* m) {
  int ntree = 0;
  for (int i = 0; i < m->nbody; i++) {
    int p = m->body_parent[i], weld = i == 0 ? 0 : m->body_njnt[i] ? i : m->body_weld[p];
    int tree = i == 0 ? -1 : m->body_tree[p];
    if (m->body_njnt[i] && tree < 0) tree = ntree++;
    if (m->body_weld[i] != weld || m->body_tree[i] != tree) return "a body's tree is wrong";
    int ndof = 0;
    for (int k = 0; k < m->body_njnt[i]; k++) {
      if (m->jnt_body[m->body_jnt[i] + k] != i) return "a body's joints are wrong";
      ndof += joint_nv(m->jnt_type[m->body_jnt[i] + k]);
    }
    if (m->body_ndof[i] != ndof) return "a body's dofs are wrong";
    for (int k = 0; k < m->body_ngeom[i]; k++)
      if (m->geom_body[m->body_geom[i] + k] != i) return "a body's geoms are wrong";
  }
  for (int v = 0; v < m->nv; v++) {
    int body = m->dof_body[v], p = m->body_parent[body];
    while (p && !m->body_ndof[p]) p = m->body_parent[p];
    int parent = v > m->body_dof[body] ? v - 1 : p ? m->body_dof[p] + m->body_ndof[p] - 1 : -1;
    if (m->dof_parent[v] != parent) return "a dof's parent is wrong";
  }
  return ntree == m->ntree ? NULL : "the number of trees is wrong";
}

static const char* check_geoms(const vvModel* m) {
  for (int g = 0; g < m->ngeom; g++) {
    if (!valid_geom_type(m->geom_type[g])) return "a geom's type is unknown";
    int body = m->geom_body[g], dim = m->geom_condim[g];
    if (!within(body, 0, m->nbody) || g < m->body_geom[body] || g >= m->body_geom[body] + m->body_ngeom[body])
      return "a geom's body is wrong";
    if (!within(m->geom_frame[g], -1, m->nframe)) return "a geom's frame is out of range";
    if (!within(m->geom_mkind[g], VV_MASS_NONE, VV_MASS_GIVEN + 1)) return "a geom's mass is of no kind";
    if (dim != 1 && dim != 3 && dim != 4 && dim != 6) return "a geom's condim is not 1, 3, 4 or 6";
  }
  for (int i = 0; i < m->npair; i++) {
    int a = m->pair_geom[2 * i], b = m->pair_geom[2 * i + 1];
    if (!within(a, 0, m->ngeom) || !within(b, 0, m->ngeom) || a == b) return "a pair's geoms are out of range";
    int one = m->geom_type[a], two = m->geom_type[b];
    if (one > two || vv_collide_max(one, two) == 0) return "a pair's shapes have no collider";
  }
  for (int i = 0; i < m->nsite; i++)
    if (!within(m->site_body[i], 0, m->nbody) || !within(m->site_frame[i], -1, m->nframe) ||
        !valid_geom_type(m->site_type[i]))
      return "a site is out of range";
  return NULL;
}

static bool frame_exists(const vvModel* m, int type, int id) {
  if (type == VV_FRAME_GEOM) return within(id, 0, m->ngeom);
  if (type == VV_FRAME_SITE) return within(id, 0, m->nsite);
  return (type == VV_FRAME_BODY || type == VV_FRAME_XBODY) && within(id, 0, m->nbody);
}

// A sensor's object and reference.
static const char* check_sensor(const vvModel* m, const vvSensorKind* kind, int i) {
  int obj = m->sensor_obj[i], ref = m->sensor_ref[i], type = m->sensor_objtype[i];
  bool frame = kind->target == VV_TARGET_FRAME;
  if (ref != -1 && (!frame || !frame_exists(m, m->sensor_reftype[i], ref)))
    return "a sensor's reference is out of range";
  switch (kind->target) {
    case VV_TARGET_FRAME:
      return frame_exists(m, type, obj) ? NULL : "a sensor's object is out of range";
    case VV_TARGET_SITE:
      return type == VV_FRAME_SITE && frame_exists(m, type, obj) ? NULL : "a sensor's site is out of range";
    case VV_TARGET_BODY:
      return type == VV_FRAME_XBODY && frame_exists(m, type, obj) ? NULL : "a sensor's body is out of range";
    case VV_TARGET_ACTUATOR:
      return within(obj, 0, m->nu) ? NULL : "a sensor's actuator is out of range";
    case VV_TARGET_JOINT:
    case VV_TARGET_BALL:
      if (!within(obj, 0, m->njnt)) return "a sensor's joint is out of range";
      if (kind->target == VV_TARGET_BALL ? m->jnt_type[obj] != VV_JOINT_BALL : m->jnt_type[obj] < VV_JOINT_SLIDE)
        return "a sensor's joint is of the wrong type";
      return NULL;
    default:
      return NULL;
  }
}

// Whether body b is `stop` or below it.
static bool is_below(const vvModel* m, int b, int stop) {
  while (b > stop) b = m->body_parent[b];
  return b == stop;
}

// na: activations of the actuators before i.
static bool valid_actuator(const vvModel* m, int i, int na) {
  int type = m->actuator_trntype[i], ref = m->actuator_ref[i];
  int most = type == VV_TRN_SITE ? m->nsite : type == VV_TRN_TENDON ? m->ntendon : m->njnt;
  bool dynamic = m->actuator_dyntype[i] != VV_DYN_NONE;
  return within(m->actuator_kind[i], VV_ACTUATOR_MOTOR, VV_ACTUATOR_MUSCLE + 1) &&
         within(m->actuator_trntype[i], VV_TRN_JOINT, VV_TRN_SITE + 1) && within(m->actuator_trnid[i], 0, most) &&
         within(m->actuator_dyntype[i], VV_DYN_NONE, VV_DYN_MUSCLE + 1) &&
         within(m->actuator_gaintype[i], VV_GAIN_FIXED, VV_GAIN_MUSCLE + 1) &&
         within(m->actuator_biastype[i], VV_BIAS_NONE, VV_BIAS_MUSCLE + 1) &&
         (type != VV_TRN_SITE ||
          (within(ref, -1, m->nsite) && is_below(m, m->site_body[m->actuator_trnid[i]], m->actuator_stop[i]) &&
           (ref < 0 ? m->actuator_stop[i] == 0 : is_below(m, m->site_body[ref], m->actuator_stop[i])))) &&
         m->actuator_act[i] == (dynamic ? na : -1);
}

static const char* check_sensors(const vvModel* m) {
  int na = 0;
  for (int i = 0; i < m->nu; i++) {
    if (!valid_actuator(m, i, na)) return "an actuator is out of range";
    na += m->actuator_act[i] >= 0;
  }
  if (m->na != na) return "the actuators have not as many activations as the model";
  for (int t = 0; t < m->ntendon; t++)
    if (m->tendon_num[t] < 1 || !within(m->tendon_wrap[t], 0, m->nwrap) ||
        !within(m->tendon_num[t], 1, m->nwrap - m->tendon_wrap[t] + 1))
      return "a tendon is out of range";
  for (int w = 0; w < m->nwrap; w++)
    if (!within(m->wrap_jnt[w], 0, m->njnt) || m->jnt_type[m->wrap_jnt[w]] < VV_JOINT_SLIDE ||
        !within(m->wrap_tendon[w], 0, m->ntendon))
      return "a tendon's joint is out of range";
  int adr = 0;
  for (int i = 0; i < m->nsensor; i++) {
    const vvSensorKind* kind = vv_sensor_kind(m->sensor_type[i]);
    if (!kind) return "a sensor's type is unknown";
    if (m->sensor_adr[i] != adr || m->sensor_dim[i] != kind->dim) return "a sensor's address is wrong";
    adr += m->sensor_dim[i];
    if (adr > m->nsensordata) return "sensors have more data than the model";
    const char* wrong = check_sensor(m, kind, i);
    if (wrong) return wrong;
  }
  return adr == m->nsensordata ? NULL : "the model has more sensor data than its sensors";
}

static bool straight(const vvModel* m, int j) {
  return within(j, 0, m->njnt) && m->jnt_type[j] >= VV_JOINT_SLIDE;
}

static const char* check_equalities(const vvModel* m) {
  for (int e = 0; e < m->neq; e++) {
    int type = m->eq_type[e], one = m->eq_obj1[e], two = m->eq_obj2[e], n = m->eq_issite[e] ? m->nsite : m->nbody;
    if (!within(type, VV_EQ_CONNECT, VV_EQ_JOINT + 1)) return "an equality's type is unknown";
    if (type == VV_EQ_JOINT) {
      if (!straight(m, one) || (two != -1 && !straight(m, two))) return "an equality's joint is wrong";
      if (m->eq_body1[e] != 0 || m->eq_body2[e] != 0) return "an equality's body is wrong";
      continue;
    }
    if (!within(one, 0, n) || !within(two, 0, n)) return "an equality's object is out of range";
    int body1 = m->eq_issite[e] ? m->site_body[one] : one, body2 = m->eq_issite[e] ? m->site_body[two] : two;
    if (m->eq_body1[e] != body1 || m->eq_body2[e] != body2) return "an equality's body is wrong";
  }
  return NULL;
}

static const char* check_reals(const vvModel* m) {
  for (size_t i = 0; i < m->section_begin[VV_SECTION_COUNT]; i++)
    if (!isfinite((double)m->reals[i])) return "a number is not finite";
  return m->opt_timestep[0] > 0 ? NULL : "the timestep is not positive";
}

const char* vv_model_invalid(const vvModel* m) {
  const char* wrong = check_bodies(m);
  if (!wrong) wrong = check_joints(m);
  if (!wrong) wrong = check_tree(m);
  if (!wrong) wrong = check_geoms(m);
  if (!wrong) wrong = check_sensors(m);
  if (!wrong) wrong = check_equalities(m);
  return wrong ? wrong : check_reals(m);
}
