// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// work.c: the workspace, one block cut into arrays by a table walked twice: once to measure, once to hand out.

#include "rigid/work.h"

#include <string.h>

#include "geom/collide.h"

// Hands out pieces of a block, or just counts bytes while block is NULL.
typedef struct Cutter {
  unsigned char* block;
  size_t used;
} Cutter;

static void* cut(Cutter* c, size_t n, size_t size) {
  void* piece = c->block ? c->block + c->used : NULL;
  c->used += (n * size + VV_ALIGNMENT - 1) / VV_ALIGNMENT * VV_ALIGNMENT;
  return piece;
}

static vvReal* cut_reals(Cutter* c, size_t n) {
  return (vvReal*)cut(c, n, sizeof(vvReal));
}

static void lay_out(vvRigidWork* w, const vvModel* m, size_t nrow, Cutter* c) {
  size_t nbody = (size_t)m->nbody, nv = (size_t)m->nv, stride = (size_t)w->stride;
  size_t ncontact = (size_t)w->ncontact_max, nlimit = (size_t)w->nlimit_max, ngeom = (size_t)m->ngeom;
  size_t nzero = 1 + (size_t)m->nv + (size_t)m->nu + (size_t)m->na;
  w->ref = cut_reals(c, 3 * (size_t)m->ntree);
  w->xpos = cut_reals(c, 3 * nbody);
  w->xquat = cut_reals(c, 4 * nbody);
  w->xmat = cut_reals(c, 9 * nbody);
  w->S = cut_reals(c, 6 * nv);
  w->contacts = (vvContactFeature*)cut(c, ncontact, sizeof(vvContactFeature));
  w->points = (vvContactPoint*)cut(c, ncontact, sizeof(vvContactPoint));
  w->limits = (vvLimitFeature*)cut(c, nlimit, sizeof(vvLimitFeature));
  w->M = cut_reals(c, nv * stride);
  w->bias = cut_reals(c, stride);
  w->tau = cut_reals(c, stride);
  w->constraint = cut_reals(c, stride);
  w->a = cut_reals(c, stride);
  w->a2 = cut_reals(c, stride);
  w->rows = (vvRigidContact*)cut(c, ncontact, sizeof(vvRigidContact));
  w->J = cut_reals(c, nrow * stride);
  w->span = (int*)cut(c, 2 * nv, sizeof(int));
  w->limit_law = cut_reals(c, VV_LIMIT_WIDTH * nlimit);
  w->geom_pos = cut_reals(c, 3 * ngeom);
  w->geom_axis = cut_reals(c, 3 * ngeom);
  w->inertia = cut_reals(c, 10 * nbody);
  w->composite = cut_reals(c, 10 * nbody);
  w->V = cut_reals(c, 6 * nbody);
  w->G = cut_reals(c, 6 * nbody);
  w->F = cut_reals(c, 6 * nbody);
  w->H = cut_reals(c, nv * stride);
  w->LH = cut_reals(c, nv * stride);
  w->LM = cut_reals(c, nv * stride);
  w->LD = cut_reals(c, nv * stride);
  w->scratch = cut_reals(c, 10 * stride);
  w->q1 = cut_reals(c, (size_t)m->nq);
  w->zero = cut_reals(c, nzero);
  w->stage_q = cut_reals(c, (size_t)m->nq);
  w->stage_v = cut_reals(c, stride);
  w->stage_start = cut_reals(c, stride);
  w->sum_v = cut_reals(c, stride);
  w->sum_a = cut_reals(c, stride);
}

// Most contacts of all pairs, and most rows of any of them.
static void count_contacts(const vvModel* m, int* ncontact, int* dim) {
  long long n = 0;
  *dim = 1;
  for (int k = 0; k < m->npair; k++) {
    int g1 = m->pair_geom[2 * k], g2 = m->pair_geom[2 * k + 1];
    n += vv_collide_max(m->geom_type[g1], m->geom_type[g2]);
    if (m->geom_condim[g1] > *dim) *dim = m->geom_condim[g1];
    if (m->geom_condim[g2] > *dim) *dim = m->geom_condim[g2];
  }
  *ncontact = n < VV_RIGID_MAX_CONTACT ? (int)n : VV_RIGID_MAX_CONTACT;
}

// Rows of M reach over the dofs of their tree, which are neighbours.
static void find_spans(const vvModel* m, int* span) {
  for (int first = 0; first < m->nv;) {
    int tree = m->body_tree[m->dof_body[first]], last = first;
    while (last < m->nv && m->body_tree[m->dof_body[last]] == tree) last++;
    for (int d = first; d < last; d++) {
      span[2 * d] = first & ~3;
      span[2 * d + 1] = vv_dense_stride(last);
    }
    first = last;
  }
}

vvStatus vv_rigid_work_create(vvContext* context, const vvModel* m, vvRigidWork** work) {
  if (!work) return VV_ERROR_ARGUMENT;
  *work = NULL;
  if (!context || !m) return VV_ERROR_ARGUMENT;
  vvRigidWork sizes;
  memset(&sizes, 0, sizeof sizes);
  int dim;
  count_contacts(m, &sizes.ncontact_max, &dim);
  sizes.nv = m->nv;
  sizes.nbody = m->nbody;
  sizes.nu = m->nu;
  sizes.stride = vv_dense_stride(m->nv);
  for (int j = 0; j < m->njnt; j++) sizes.nlimit_max += m->jnt_limited[j] ? 2 : 0;
  size_t nrow = (size_t)sizes.ncontact_max * (size_t)dim;
  Cutter measure = {NULL, 0};
  lay_out(&sizes, m, nrow, &measure);
  vvRigidWork* w = VV_NEW(context, vvRigidWork, 1);
  if (!w) return VV_ERROR_MEMORY;
  *w = sizes;
  w->context = context;
  w->bytes = measure.used;
  w->block = (unsigned char*)vv_alloc(context, w->bytes);
  if (!w->block) {
    VV_DELETE(context, w, vvRigidWork, 1);
    return VV_ERROR_MEMORY;
  }
  Cutter hand_out = {w->block, 0};
  lay_out(w, m, nrow, &hand_out);
  find_spans(m, w->span);
  vv_report_clear(&w->report);
  *work = w;
  return VV_OK;
}

void vv_rigid_work_free(vvRigidWork* work) {
  if (!work) return;
  vvContext* context = work->context;
  vv_free(context, work->block, work->bytes);
  VV_DELETE(context, work, vvRigidWork, 1);
}
