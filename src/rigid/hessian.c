// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// hessian.c: H = M + J' C J of the acceleration node, C = -df/dx of each constraint, as a matrix of blocks over the
// trees (math/blocks.h): a contact between two trees couples them.

#include <string.h>

#include "rigid/work.h"

static vvStatus reserve(vvRigidWork* w, size_t need) {
  if (need <= w->LH_max) return VV_OK;
  size_t most = need + need / 2;
  vvReal* LH = VV_NEW(w->context, vvReal, most);
  if (!LH) return vv_report_set(&w->report, VV_ERROR_MEMORY, "no memory for the matrix of the acceleration");
  VV_DELETE(w->context, w->LH, vvReal, w->LH_max);
  w->LH = LH;
  w->LH_max = most;
  return VV_OK;
}

vvStatus vv_rigid_couple(vvRigidWork* w) {
  vv_blocks_clear(w->coupled);
  for (int k = 0; k < w->nrow; k++) {
    const vvRigidContact* c = &w->rows[k];
    if (c->npart == 2) vv_blocks_couple(w->coupled, c->part[0].tree, c->part[1].tree);
  }
  vvStatus status = vv_blocks_analyse(w->coupled);
  return status == VV_OK ? reserve(w, w->coupled->size) : status;
}

// CJ = C J at one tree, with C dim x dim in rows of VV_MAX_DIM; sign 1 or -1.
static inline __attribute__((always_inline)) void multiply(int dim, const vvReal* C, vvReal sign, const vvRigidPart* p,
                                                           vvReal* CJ) {
  for (int d = 0; d < p->width; d += 4) {
    vvReal4 J[VV_MAX_DIM];
    for (int i = 0; i < dim; i++) J[i] = vv_dense_load4(p->J + i * p->width + d);
    for (int i = 0; i < dim; i++) {
      vvReal4 sum = {0, 0, 0, 0};
      for (int j = 0; j < dim; j++) sum += C[VV_MAX_DIM * i + j] * J[j];
      vv_dense_store4(CJ + i * p->width + d, sign * sum);
    }
  }
}

// H += J' CJ within one tree, upper triangle.
static inline __attribute__((always_inline)) void add_own(int dim, int stride, const vvRigidPart* p, const vvReal* CJ,
                                                          vvReal* H) {
  int width = p->width;
  for (int d = 0; d < width; d++) {
    vvReal J[VV_MAX_DIM];
    bool moved = false;
    for (int i = 0; i < dim; i++) {
      J[i] = p->J[i * width + d];
      moved = moved || J[i] != 0;
    }
    if (!moved) continue;
    vvReal* row = H + d * stride;
    for (int e = d & ~3; e < width; e += 4) {
      vvReal4 sum = vv_dense_load4(row + e);
      for (int i = 0; i < dim; i++) sum += J[i] * vv_dense_load4(CJ + i * width + e);
      vv_dense_store4(row + e, sum);
    }
  }
}

// Adds J' C J of a contact with `dim` rows.
static inline __attribute__((always_inline)) void add_contact(int dim, const vvReal* C, const vvRigidContact* c,
                                                              vvRigidWork* w) {
  const vvBlocks* b = w->coupled;
  for (int k = 0; k < c->npart; k++) {
    const vvRigidPart* p = &c->part[k];
    multiply(dim, C, 1, p, w->CJ);
    add_own(dim, b->width[p->tree], p, w->CJ, w->LH + b->panel[p->tree]);
  }
  if (c->npart == 2) {
    int early;
    vvReal* block = vv_blocks_between(b, w->LH, c->part[0].tree, c->part[1].tree, &early);
    const vvRigidPart* rows = &c->part[early == c->part[0].tree ? 0 : 1];
    const vvRigidPart* columns = &c->part[early == c->part[0].tree ? 1 : 0];
    int n = vv_blocks_rows(b, early);
    multiply(dim, C, -1, columns, w->CJ);
    vv_dense_subtract_product(dim, n < rows->width ? n : rows->width, columns->width, rows->width, rows->J,
                              columns->width, w->CJ, b->width[early], block);
  }
}

static void add_single(int d, vvReal D, vvRigidWork* w) {
  const vvModel* m = w->model;
  int tree = m->body_tree[m->dof_body[d]], row = d - w->coupled->first[tree];
  vv_blocks_row(w->coupled, w->LH, tree, row)[row] += D;
}

bool vv_rigid_factor_hessian(vvRigidWork* w) {
  vvReal C[VV_MAX_DIM * VV_MAX_DIM];
  const vvBlocks* b = w->coupled;
  memset(w->LH, 0, sizeof(vvReal) * b->size);
  for (int k = 0; k < b->nnode; k++) {
    const vvReal* M = w->M + w->mass->panel[k];
    size_t bytes = sizeof(vvReal) * (size_t)w->mass->width[k];
    for (int r = 0; r < vv_blocks_rows(b, k); r++)
      memcpy(vv_blocks_row(b, w->LH, k, r), M + r * w->mass->width[k], bytes);
  }
  for (int k = 0; k < w->nrow; k++) {
    const vvRigidContact* c = &w->rows[k];
    if (!vv_cone_curvature(c, C)) continue;
    switch (c->dim) {
      case 1:
        add_contact(1, C, c, w);
        break;
      case 3:
        add_contact(3, C, c, w);
        break;
      case 4:
        add_contact(4, C, c, w);
        break;
      default:
        add_contact(VV_MAX_DIM, C, c, w);
    }
  }
  for (int k = 0; k < w->nsingle; k++) {
    const vvRigidSingle* s = &w->singles[k];
    add_single(s->dof, vv_single_curvature(s, s->x), w);
  }
  return vv_blocks_cholesky(b, w->LH);
}
