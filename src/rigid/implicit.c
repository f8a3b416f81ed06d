// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// implicit.c: the matrix M - h D of the implicit integrators (rigid_kernel.h: vv_rigid_implicit_weak), a dense block
// for each tree, its factor with row exchanges and its solves.
//
// method   column k of every tree at once from the strong residual with d = a2 = a unit vector in each tree: trees are
//          not coupled. P A = L U by rows, L of unit diagonal; the transposed solve runs the same factor backwards

#include <string.h>

#include "core/hash.h"
#include "rigid/motion_kernel.h"
#include "rigid/work.h"

// Block of a tree of n dofs in w->LU, and its row exchanges.
typedef struct Block {
  int first, n;
  vvReal* A;  // n x n
  int* swap;
} Block;

static Block block_of(const vvRigidWork* w, int tree) {
  size_t at = 0;
  const int* first = w->mass->first;
  for (int t = 0; t < tree; t++) at += (size_t)(first[t + 1] - first[t]) * (size_t)(first[t + 1] - first[t]);
  Block b = {first[tree], first[tree + 1] - first[tree], w->LU + at, w->LU_swap + first[tree]};
  return b;
}

bool vv_rigid_has_general_node(const vvModel* m) {
  if (!vv_rigid_is_implicit(m)) return false;
  if (m->integrator == VV_INTEGRATOR_IMPLICIT || m->fluid) return true;
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_alone[i]) return true;
  }
  return false;
}

static void form(vvRigidWork* w) {
  const vvModel* m = w->model;
  vvRigidPose pose = vv_rigid_work_pose(w);
  int widest = 0;
  for (int t = 0; t < w->mass->nnode; t++)
    widest = widest < vv_blocks_rows(w->mass, t) ? vv_blocks_rows(w->mass, t) : widest;
  vvRigidMotion motion = {w->implicit[0], w->implicit[1], w->implicit[2], w->implicit[3]};
  vvReal* unit = w->scratch + 8 * w->stride;
  vvReal* r = w->scratch + 9 * w->stride;
  for (int k = 0; k < widest; k++) {
    for (int d = 0; d < m->nv; d++) unit[d] = 0;
    for (int t = 0; t < w->mass->nnode; t++) {
      if (k < vv_blocks_rows(w->mass, t)) unit[w->mass->first[t] + k] = 1;
    }
    vv_rigid_implicit_residual(m, w->ref, &pose, w->at_v, unit, unit, &motion, w->F, r);
    for (int t = 0; t < w->mass->nnode; t++) {
      Block b = block_of(w, t);
      for (int i = 0; i < b.n && k < b.n; i++) b.A[i * b.n + k] = r[b.first + i];
    }
  }
}

static uint64_t side(vvReal x) {
  return x > 0 ? 1 : x < 0 ? 2 : 0;
}

uint64_t vv_rigid_sign_implicit(const vvModel* m, const vvRigidWork* w, uint64_t hash) {
  if (!vv_rigid_is_implicit(m) || !m->fluid) return hash;
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_tree[i] < 0 || !(m->body_inertia10[10 * i] >= (vvReal)1e-15)) continue;
    vvMat3 R = vv_mat3_load(w->xmat, 9 * i);
    vvVec3 x = vv_vec3_load(w->xpos, 3 * i), ref = vv_vec3_load(w->ref, 3 * m->body_tree[i]);
    vvMotion V = vv_motion_in_body(R, x, ref, vv_motion_load(w->V, i));
    vvMotion u = vv_fluid_velocity(m, i, vv_mat3_mul_t(R, vv_vec3_load(m->opt_wind, 0)), V);
    hash = vv_hash_u64(hash, side(u.ang.x) | side(u.ang.y) << 2 | side(u.ang.z) << 4 | side(u.lin.x) << 6 |
                                 side(u.lin.y) << 8 | side(u.lin.z) << 10);
  }
  return hash;
}

static bool factor(Block b) {
  int n = b.n;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      if (vv_fabs(b.A[i * n + k]) > vv_fabs(b.A[best * n + k])) best = i;
    }
    b.swap[k] = best;
    for (int j = 0; j < n && best != k; j++) {
      vvReal t = b.A[k * n + j];
      b.A[k * n + j] = b.A[best * n + j];
      b.A[best * n + j] = t;
    }
    vvReal pivot = b.A[k * n + k];
    if (!(vv_fabs(pivot) > 0) || !isfinite(pivot)) return false;
    for (int i = k + 1; i < n; i++) {
      vvReal l = b.A[i * n + k] / pivot;
      b.A[i * n + k] = l;
      for (int j = k + 1; j < n && l != 0; j++) b.A[i * n + j] -= l * b.A[k * n + j];
    }
  }
  return true;
}

bool vv_rigid_factor_implicit(vvRigidWork* w) {
  if (w->have_LU) return true;
  form(w);
  bool good = true;
  for (int t = 0; t < w->mass->nnode && good; t++) good = factor(block_of(w, t));
  w->have_LU = good;
  return good;
}

static void solve(Block b, vvReal* x) {
  int n = b.n;
  for (int k = 0; k < n; k++) {
    vvReal t = x[b.swap[k]];
    x[b.swap[k]] = x[k];
    x[k] = t;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) x[i] -= b.A[i * n + j] * x[j];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) x[i] -= b.A[i * n + j] * x[j];
    x[i] /= b.A[i * n + i];
  }
}

static void solve_transposed(Block b, vvReal* x) {
  int n = b.n;
  for (int i = 0; i < n; i++) {
    x[i] /= b.A[i * n + i];
    for (int j = i + 1; j < n; j++) x[j] -= b.A[i * n + j] * x[i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = 0; j < i; j++) x[j] -= b.A[i * n + j] * x[i];
  }
  for (int k = n - 1; k >= 0; k--) {
    vvReal t = x[b.swap[k]];
    x[b.swap[k]] = x[k];
    x[k] = t;
  }
}

void vv_rigid_solve_implicit(const vvRigidWork* w, bool transposed, vvReal* x) {
  for (int t = 0; t < w->mass->nnode; t++) {
    Block b = block_of(w, t);
    if (transposed) {
      solve_transposed(b, x + b.first);
    } else {
      solve(b, x + b.first);
    }
  }
}
