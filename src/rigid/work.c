// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// work.c: the workspace, one block cut into arrays by a table walked twice: once to measure, once to hand out.

#include "rigid/work.h"

#include <string.h>

#include "geom/collide.h"

// Blocks of LH that a workspace with many trees has room for, per tree, before it grows.
enum { FIRST_BLOCKS = 8 };

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

// Reals of the arrays that depend on more than counts.
typedef struct Sizes {
  size_t mass, J, CJ;
} Sizes;

static void lay_out(vvRigidWork* w, const vvModel* m, Sizes size, Cutter* c) {
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
  w->limits = (vvRowFeature*)cut(c, nlimit, sizeof(vvRowFeature));
  w->M = cut_reals(c, size.mass);
  w->bias = cut_reals(c, stride);
  w->tau = cut_reals(c, stride);
  w->constraint = cut_reals(c, stride);
  w->a = cut_reals(c, stride);
  w->a2 = cut_reals(c, stride);
  w->rows = (vvRigidContact*)cut(c, (size_t)w->nrow_max, sizeof(vvRigidContact));
  w->J = cut_reals(c, size.J);
  w->CJ = cut_reals(c, size.CJ);
  w->singles = (vvRigidSingle*)cut(c, nlimit, sizeof(vvRigidSingle));
  w->geom_pos = cut_reals(c, 3 * ngeom);
  w->geom_axis = cut_reals(c, 3 * ngeom);
  w->inertia = cut_reals(c, 10 * nbody);
  w->composite = cut_reals(c, 10 * nbody);
  w->V = cut_reals(c, 6 * nbody);
  w->G = cut_reals(c, 6 * nbody);
  w->F = cut_reals(c, 6 * nbody);
  w->LM = cut_reals(c, size.mass);
  w->LD = cut_reals(c, size.mass);
  if (vv_rigid_is_implicit(m)) {
    w->LU = cut_reals(c, size.mass);
    w->LU_swap = (int*)cut(c, nv, sizeof(int));
    for (int k = 0; k < 4; k++) w->implicit[k] = cut_reals(c, 6 * nbody);
  }
  w->scratch = cut_reals(c, 10 * stride);
  w->q1 = cut_reals(c, (size_t)m->nq);
  w->zero = cut_reals(c, nzero);
  w->stage_q = cut_reals(c, (size_t)m->nq);
  w->stage_v = cut_reals(c, stride);
  w->stage_start = cut_reals(c, stride);
  w->stage_act = cut_reals(c, (size_t)m->na);
  w->act_dot = cut_reals(c, (size_t)m->na);
  w->sum_act_dot = cut_reals(c, (size_t)m->na);
  w->stage_k = cut_reals(c, stride);
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

// Most constraints other than contacts. Any dof may have dry friction in a model with other numbers.
static int count_rows(const vvModel* m) {
  int n = 0;
  for (int j = 0; j < m->njnt; j++) n += m->jnt_limited[j] ? 2 : 0;
  return n + m->nv + m->neq;
}

// Structures of M and H: the dofs of a tree are neighbours.
static vvStatus create_blocks(const vvModel* m, vvRigidWork* w) {
  int* first = VV_NEW(w->context, int, m->ntree + 1);
  if (!first) return VV_ERROR_MEMORY;
  for (int d = m->nv - 1; d >= 0; d--) first[m->body_tree[m->dof_body[d]]] = d;
  first[m->ntree] = m->nv;
  vvStatus status = vv_blocks_create(w->context, m->ntree, first, &w->mass);
  if (status == VV_OK) status = vv_blocks_create(w->context, m->ntree, first, &w->coupled);
  if (status == VV_OK) status = vv_blocks_analyse(w->mass);
  if (status == VV_OK) status = vv_blocks_analyse(w->coupled);
  VV_DELETE(w->context, first, int, m->ntree + 1);
  return status;
}

// The most reals a contact's row takes: the two widest trees.
static size_t row_width(const vvBlocks* b, size_t* widest) {
  size_t first = 0, second = 0;
  for (int k = 0; k < b->nnode; k++) {
    size_t width = (size_t)b->width[k];
    second = width > first ? first : width > second ? width : second;
    first = width > first ? width : first;
  }
  *widest = first;
  return first + second;
}

// Room of LH: all of it where there are few trees, else some blocks for each.
static size_t first_room(const vvBlocks* b) {
  size_t most = 0, total = 0;
  for (int k = 0; k < b->nnode; k++) {
    total += (size_t)b->width[k];
    most += (size_t)vv_blocks_rows(b, k) * total;
  }
  size_t some = FIRST_BLOCKS * b->size;
  return most < some ? most : some;
}

static vvStatus create(const vvModel* m, vvRigidWork* w) {
  int dim;
  count_contacts(m, &w->ncontact_max, &dim);
  w->nv = m->nv;
  w->nbody = m->nbody;
  w->nu = m->nu;
  w->stride = vv_dense_stride(m->ntree > 1 ? m->nv + 3 : m->nv);
  w->nlimit_max = count_rows(m);
  w->nrow_max = w->ncontact_max + m->neq + m->njnt;
  vvStatus status = create_blocks(m, w);
  if (status != VV_OK) return status;
  Sizes size = {.mass = w->mass->size};
  size.J = ((size_t)w->ncontact_max * (size_t)dim + VV_MAX_DIM * (size_t)m->neq + (size_t)m->njnt) *
           row_width(w->mass, &size.CJ);
  size.CJ *= VV_MAX_DIM;
  Cutter measure = {NULL, 0};
  lay_out(w, m, size, &measure);
  w->bytes = measure.used;
  w->block = (unsigned char*)vv_alloc(w->context, w->bytes);
  w->LH_max = first_room(w->coupled);
  w->LH = VV_NEW(w->context, vvReal, w->LH_max);
  if (!w->block || (!w->LH && w->LH_max > 0)) return VV_ERROR_MEMORY;
  Cutter hand_out = {w->block, 0};
  lay_out(w, m, size, &hand_out);
  vv_report_clear(&w->report);
  return VV_OK;
}

vvStatus vv_rigid_work_create(vvContext* context, const vvModel* m, vvRigidWork** work) {
  if (!work) return VV_ERROR_ARGUMENT;
  *work = NULL;
  if (!context || !m) return VV_ERROR_ARGUMENT;
  vvRigidWork* w = VV_NEW(context, vvRigidWork, 1);
  if (!w) return VV_ERROR_MEMORY;
  w->context = context;
  vvStatus status = create(m, w);
  if (status != VV_OK) {
    vv_rigid_work_free(w);
    return status;
  }
  *work = w;
  return VV_OK;
}

void vv_rigid_work_free(vvRigidWork* work) {
  if (!work) return;
  vvContext* context = work->context;
  vv_blocks_free(work->mass);
  vv_blocks_free(work->coupled);
  VV_DELETE(context, work->LH, vvReal, work->LH_max);
  vv_free(context, work->block, work->bytes);
  VV_DELETE(context, work, vvRigidWork, 1);
}
