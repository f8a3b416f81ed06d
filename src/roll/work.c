// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// work.c: making and freeing the scratch of rollouts.

#include "roll/work.h"

// Generated code pushes what one iteration of its loops overwrites: less than 100 bytes for each joint of one body.
enum { TAPE_MEM = 1 << 16, TAPE_MEM_JOINT = 256 };

// Cuts arrays off a block; with base NULL it only counts.
typedef struct cutter {
  vvReal* base;
  size_t used;
} cutter;

static vvReal* cut(cutter* c, size_t n) {
  vvReal* at = c->base ? c->base + c->used : NULL;
  c->used += (n + 7) & ~(size_t)7;
  return at;
}

static void cut_motion(cutter* c, size_t nbody, vvRigidMotion* motion) {
  motion->V = cut(c, 6 * nbody);
  motion->A = cut(c, 6 * nbody);
  motion->G = cut(c, 6 * nbody);
  motion->W = cut(c, 6 * nbody);
}

static void cut_reverse(cutter* c, const vvModel* m, vvReverseWork* r) {
  size_t nq = (size_t)m->nq;
  size_t nv = (size_t)m->nv;
  size_t nbody = (size_t)m->nbody;
  r->q_bar = cut(c, nq);
  r->v_bar = cut(c, nv);
  r->q1_bar = cut(c, nq);
  r->v1_bar = cut(c, nv);
  r->a_bar = cut(c, nv);
  r->a2_bar = cut(c, nv);
  r->d = cut(c, nv);
  r->w = cut(c, nv);
  r->w2 = cut(c, nv);
  r->tau = cut(c, nv);
  r->tau_bar = cut(c, nv);
  r->ctrl_bar = cut(c, (size_t)m->nu);
  r->applied_bar = cut(c, nv);
  r->wrench_bar = cut(c, 6 * nbody);
  r->held_ctrl_bar = cut(c, (size_t)m->nu);
  r->held_applied_bar = cut(c, nv);
  r->tangent_bar = cut(c, nv);
  size_t na = (size_t)m->na;
  r->act_bar = cut(c, na);
  r->act1_bar = cut(c, na);
  r->act_dot = cut(c, na);
  r->act_dot_bar = cut(c, na);
  r->act1 = cut(c, na);
  r->rk_act_bar = cut(c, na);
  r->rk_act_dot = cut(c, na);
  r->rk_act_dot_bar = cut(c, 4 * na);
  r->rk_q_bar = cut(c, nq);
  r->rk_v = cut(c, nv);
  r->rk_u = cut(c, nv);
  r->rk_u_bar = cut(c, nv);
  r->rk_x = cut(c, nv);
  r->rk_x_bar = cut(c, nv);
  r->rk_k = cut(c, 4 * nv);
  r->rk_k_bar = cut(c, 4 * nv);
  r->rk_a_bar = cut(c, 4 * nv);
  r->pose_bar.xpos = cut(c, 3 * nbody);
  r->pose_bar.xquat = cut(c, 4 * nbody);
  r->pose_bar.xmat = cut(c, 9 * nbody);
  r->pose_bar.S = cut(c, 6 * nv);
  cut_motion(c, nbody, &r->motion_bar);
  r->D = cut(c, 6 * nbody);
  r->D_bar = cut(c, 6 * nbody);
  r->W = cut(c, 6 * nbody);
  r->W_bar = cut(c, 6 * nbody);
}

static size_t most(size_t a, size_t b) {
  return a > b ? a : b;
}

static void cut_all(cutter* c, const vvModel* m, vvRollout* work) {
  work->zero = cut(c, most(6 * (size_t)m->nbody, most((size_t)m->nv, (size_t)m->nu + (size_t)m->na)));
  work->q1 = cut(c, (size_t)m->nq);
  cut_motion(c, (size_t)m->nbody, &work->motion);
  if (work->use & VV_ROLLOUT_REVERSE) cut_reverse(c, m, &work->reverse);
}

static vvStatus create(vvRollout* work, const vvModel* m) {
  vvStatus status = vv_rigid_work_create(work->ctx, m, &work->rigid);
  if (status != VV_OK) return status;
  status = vv_state_create(work->ctx, m, &work->state);
  if (status != VV_OK) return status;
  cutter c = {NULL, 0};
  cut_all(&c, m, work);
  work->block_reals = c.used;
  work->block = VV_NEW(work->ctx, vvReal, work->block_reals);
  if (!work->block) return VV_ERROR_MEMORY;
  c = (cutter){work->block, 0};
  cut_all(&c, m, work);
  if (work->use & VV_ROLLOUT_REVERSE) {
    status = vv_tape_mem_init(&work->reverse.mem, work->ctx, TAPE_MEM + TAPE_MEM_JOINT * (size_t)m->njnt);
    if (status != VV_OK) return status;
  }
  if (work->use & VV_ROLLOUT_TANGENT) return vv_tangent_create(work->ctx, m, &work->tangent);
  return VV_OK;
}

vvStatus vv_rollout_create(vvContext* ctx, const vvModel* m, vvRolloutUse use, vvRollout** work) {
  if (!work) return VV_ERROR_ARGUMENT;
  *work = NULL;
  if (!ctx || !m) return VV_ERROR_ARGUMENT;
  vvRollout* w = VV_NEW(ctx, vvRollout, 1);
  if (!w) return VV_ERROR_MEMORY;
  w->ctx = ctx;
  w->use = use;
  w->nq = m->nq;
  w->nv = m->nv;
  w->na = m->na;
  w->nu = m->nu;
  w->nbody = m->nbody;
  w->ntree = m->ntree;
  vvStatus status = create(w, m);
  if (status != VV_OK) {
    vv_rollout_free(w);
    return status;
  }
  *work = w;
  return VV_OK;
}

void vv_rollout_free(vvRollout* work) {
  if (!work) return;
  vvContext* ctx = work->ctx;
  VV_DELETE(ctx, work->out, vvReal, 2 * work->out_reals);
  vv_tangent_free(ctx, work->tangent);
  vv_tape_mem_free(&work->reverse.mem, ctx);
  VV_DELETE(ctx, work->block, vvReal, work->block_reals);
  vv_state_free(ctx, work->state);
  vv_rigid_work_free(work->rigid);
  VV_DELETE(ctx, work, vvRollout, 1);
}
