// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// state.c: states, and the chart in which their changes are measured: per quaternion a body-frame rotation vector r,
// q1 = q exp(r).
//
// For the unit quaternion q and small r,  q exp(r) = q + q (0, r)/2,  so the tangent cotangent of an ambient one g is
//   r_bar = 1/2 vec(conj(q) g)
// and the ambient cotangent orthogonal to q that gives r_bar back is g = 2 q (0, r_bar) for unit q. Where q has length
// L, kinematics are those of q/L: the first formula stays, the second becomes g = 2 q (0, r_bar)/L^2.

#include <string.h>

#include "visviva/kernel.h"
#include "visviva/model.h"

size_t vv_state_size(const vvModel* m) {
  return 1 + (size_t)m->nq + 2 * (size_t)m->nv + (size_t)m->na;
}

vvStatus vv_state_create(vvContext* ctx, const vvModel* m, vvState** s) {
  if (!ctx || !m || !s) return VV_ERROR_ARGUMENT;
  *s = vv_alloc(ctx, sizeof(vvState));
  if (!*s) return VV_ERROR_MEMORY;
  vvState* state = *s;
  state->nq = m->nq;
  state->nv = m->nv;
  state->na = m->na;
  state->size = vv_state_size(m);
  state->block = VV_NEW(ctx, vvReal, state->size);
  if (!state->block) {
    vv_free(ctx, state, sizeof(vvState));
    *s = NULL;
    return VV_ERROR_MEMORY;
  }
  state->time = state->block;
  state->q = state->time + 1;
  state->v = state->q + m->nq;
  state->act = state->v + m->nv;
  state->warmstart = state->act + m->na;
  vv_state_reset(m, state);
  return VV_OK;
}

void vv_state_reset(const vvModel* m, vvState* s) {
  if (!m || !s) return;
  memset(s->block, 0, s->size * sizeof(vvReal));
  memcpy(s->q, m->qpos0, (size_t)m->nq * sizeof(vvReal));
}

vvStatus vv_state_keyframe(const vvModel* m, int key, vvState* s) {
  if (!m || !s || key < 0 || key >= m->nkey) return VV_ERROR_ARGUMENT;
  vv_state_reset(m, s);
  *s->time = m->key_time[key];
  memcpy(s->q, m->key_qpos + (size_t)key * (size_t)m->nq, (size_t)m->nq * sizeof(vvReal));
  memcpy(s->v, m->key_qvel + (size_t)key * (size_t)m->nv, (size_t)m->nv * sizeof(vvReal));
  memcpy(s->act, m->key_act + (size_t)key * (size_t)m->na, (size_t)m->na * sizeof(vvReal));
  return VV_OK;
}

void vv_state_copy(const vvState* from, vvState* to) {
  if (from && to && from->size == to->size) memcpy(to->block, from->block, from->size * sizeof(vvReal));
}

void vv_state_free(vvContext* ctx, vvState* s) {
  if (!ctx || !s) return;
  VV_DELETE(ctx, s->block, vvReal, s->size);
  vv_free(ctx, s, sizeof(vvState));
}

// First quaternion entry and first rotational dof of a joint, -1 where it has none.
static int quat_start(const vvModel* m, int j) {
  if (m->jnt_type[j] == VV_JOINT_FREE) return m->jnt_q[j] + 3;
  return m->jnt_type[j] == VV_JOINT_BALL ? m->jnt_q[j] : -1;
}

static int turn_start(const vvModel* m, int j) {
  return m->jnt_type[j] == VV_JOINT_FREE ? m->jnt_v[j] + 3 : m->jnt_v[j];
}

// Plain entries of a joint: 3 of a free, none of a ball, 1 of others.
static int plain_count(const vvModel* m, int j) {
  return m->jnt_type[j] == VV_JOINT_FREE ? 3 : m->jnt_type[j] == VV_JOINT_BALL ? 0 : 1;
}

void vv_q_retract(const vvModel* m, const vvReal* q, const vvReal* dq, vvReal* q1) {
  for (int j = 0; j < m->njnt; j++) {
    int iq = m->jnt_q[j], iv = m->jnt_v[j], k = quat_start(m, j);
    for (int i = 0; i < plain_count(m, j); i++) q1[iq + i] = q[iq + i] + dq[iv + i];
    if (k < 0) continue;
    vvQuat turned = vv_quat_mul(vv_quat_load(q, k), vv_quat_exp(vv_vec3_load(dq, turn_start(m, j))));
    vv_quat_store(q1, k, vv_quat_normalize(turned));
  }
}

void vv_q_difference(const vvModel* m, const vvReal* q0, const vvReal* q1, vvReal* dq) {
  for (int j = 0; j < m->njnt; j++) {
    int iq = m->jnt_q[j], iv = m->jnt_v[j], k = quat_start(m, j);
    for (int i = 0; i < plain_count(m, j); i++) dq[iv + i] = q1[iq + i] - q0[iq + i];
    if (k < 0) continue;
    vvQuat a = vv_quat_normalize(vv_quat_load(q0, k)), b = vv_quat_normalize(vv_quat_load(q1, k));
    vv_vec3_store(dq, turn_start(m, j), vv_quat_log(vv_quat_mul(vv_quat_conj(a), b)));
  }
}

void vv_q_tan_to_tangent(const vvModel* m, const vvReal* q, const vvReal* q_tan, vvReal* dq) {
  for (int j = 0; j < m->njnt; j++) {
    int iq = m->jnt_q[j], iv = m->jnt_v[j], k = quat_start(m, j);
    for (int i = 0; i < plain_count(m, j); i++) dq[iv + i] = q_tan[iq + i];
    if (k < 0) continue;
    vvQuat p = vv_quat_load(q, k);
    vvReal scale = 2 / (p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z);
    vvQuat turn = vv_quat_mul(vv_quat_conj(p), vv_quat_load(q_tan, k));
    vvVec3 r = {scale * turn.x, scale * turn.y, scale * turn.z};
    vv_vec3_store(dq, turn_start(m, j), r);
  }
}

void vv_q_bar_to_tangent(const vvModel* m, const vvReal* q, const vvReal* q_bar, vvReal* dq_bar) {
  for (int j = 0; j < m->njnt; j++) {
    int iq = m->jnt_q[j], iv = m->jnt_v[j], k = quat_start(m, j);
    for (int i = 0; i < plain_count(m, j); i++) dq_bar[iv + i] = q_bar[iq + i];
    if (k < 0) continue;
    vvQuat p = vv_quat_mul(vv_quat_conj(vv_quat_load(q, k)), vv_quat_load(q_bar, k));
    vvVec3 half = {p.x / 2, p.y / 2, p.z / 2};
    vv_vec3_store(dq_bar, turn_start(m, j), half);
  }
}

void vv_q_bar_to_ambient(const vvModel* m, const vvReal* q, const vvReal* dq_bar, vvReal* q_bar) {
  for (int j = 0; j < m->njnt; j++) {
    int iq = m->jnt_q[j], iv = m->jnt_v[j], k = quat_start(m, j);
    for (int i = 0; i < plain_count(m, j); i++) q_bar[iq + i] = dq_bar[iv + i];
    if (k < 0) continue;
    vvQuat p = vv_quat_load(q, k);
    vvReal s = p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z;
    vvVec3 r = vv_vec3_load(dq_bar, turn_start(m, j));
    vvReal scale = s > 0 ? 2 / s : 2;
    vvQuat g = {0, scale * r.x, scale * r.y, scale * r.z};
    vv_quat_store(q_bar, k, vv_quat_mul(p, g));
  }
}
