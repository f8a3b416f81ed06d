// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// mass.c: mass matrix and bias force of trees.
//
// method   composite rigid bodies and Newton-Euler (Featherstone 2008, chapters 5 and 6) with every spatial quantity in
//          world axes at the tree's reference point, so that nothing is transformed between bodies
// symbols  inertia  m, m c (3), moments about ref xx yy zz xy xz yz; its momentum at motion (o, u):
//                   linear m u + o x mc, angular I o + mc x u
//          M_de = S_d' Ic S_e for e above d, Ic the summed inertia of what d moves
//          bias = S' (I G + V x* I V - wrenches), summed inward          [N, N m]

#include <string.h>

#include "rigid/motion_kernel.h"
#include "rigid/work.h"

typedef struct Inertia {
  vvReal mass;
  vvVec3 mc;
  vvReal xx, yy, zz, xy, xz, yz;
} Inertia;

static Inertia load_inertia(const vvReal* base, int i) {
  const vvReal* p = base + 10 * i;
  Inertia r = {p[0], {p[1], p[2], p[3]}, p[4], p[5], p[6], p[7], p[8], p[9]};
  return r;
}

// Momentum p (6, angular first) of an inertia at motion s (6).
static inline void momentum(const Inertia* I, const vvReal* s, vvReal* p) {
  vvVec3 mc = I->mc;
  p[0] = I->xx * s[0] + I->xy * s[1] + I->xz * s[2] + (mc.y * s[5] - mc.z * s[4]);
  p[1] = I->xy * s[0] + I->yy * s[1] + I->yz * s[2] + (mc.z * s[3] - mc.x * s[5]);
  p[2] = I->xz * s[0] + I->yz * s[1] + I->zz * s[2] + (mc.x * s[4] - mc.y * s[3]);
  p[3] = I->mass * s[3] + (s[1] * mc.z - s[2] * mc.y);
  p[4] = I->mass * s[4] + (s[2] * mc.x - s[0] * mc.z);
  p[5] = I->mass * s[5] + (s[0] * mc.y - s[1] * mc.x);
}

// Body i's inertia in world axes at ref: R I R', then moved by r = origin - ref.
static void world_inertia(const vvReal* local, const vvReal* R, const vvReal* x, const vvReal* ref, vvReal* out) {
  vvReal A[3][3];
  const vvReal I[3][3] = {
      {local[4], local[7], local[8]}, {local[7], local[5], local[9]}, {local[8], local[9], local[6]}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) A[i][j] = R[3 * i] * I[0][j] + R[3 * i + 1] * I[1][j] + R[3 * i + 2] * I[2][j];
  }
  vvReal mass = local[0];
  vvReal r[3], c[3];
  for (int i = 0; i < 3; i++) {
    r[i] = x[i] - ref[i];
    c[i] = R[3 * i] * local[1] + R[3 * i + 1] * local[2] + R[3 * i + 2] * local[3];
  }
  vvReal trace = 2 * (r[0] * c[0] + r[1] * c[1] + r[2] * c[2]) + mass * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  static const int index[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  out[0] = mass;
  for (int i = 0; i < 3; i++) out[1 + i] = c[i] + mass * r[i];
  for (int k = 0; k < 6; k++) {
    int i = index[k][0], j = index[k][1];
    vvReal turned = A[i][0] * R[3 * j] + A[i][1] * R[3 * j + 1] + A[i][2] * R[3 * j + 2];
    out[4 + k] = turned + (k < 3 ? trace : 0) - (r[i] * c[j] + c[i] * r[j]) - mass * r[i] * r[j];
  }
}

static vvReal dot6(const vvReal* a, const vvReal* b) {
  return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
}

void vv_rigid_mass(const vvModel* m, vvRigidWork* w) {
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_tree[i] < 0) continue;
    world_inertia(m->body_inertia10 + 10 * i, w->xmat + 9 * i, w->xpos + 3 * i, w->ref + 3 * m->body_tree[i],
                  w->inertia + 10 * i);
    memcpy(w->composite + 10 * i, w->inertia + 10 * i, 10 * sizeof(vvReal));
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    int parent = m->body_parent[i];
    if (m->body_tree[i] < 0 || m->body_tree[parent] < 0) continue;
    for (int k = 0; k < 10; k++) w->composite[10 * parent + k] += w->composite[10 * i + k];
  }
  memset(w->M, 0, sizeof(vvReal) * w->mass->size);
  for (int d = 0; d < m->nv; d++) {
    vvReal p[6];
    Inertia I = load_inertia(w->composite, m->dof_body[d]);
    momentum(&I, w->S + 6 * d, p);
    int tree = m->body_tree[m->dof_body[d]], first = w->mass->first[tree], width = w->mass->width[tree];
    vvReal* M = w->M + w->mass->panel[tree];
    int row = d - first;
    M[row * width + row] = dot6(w->S + 6 * d, p) + m->jnt_armature[m->dof_jnt[d]];
    for (int e = m->dof_parent[d]; e >= 0; e = m->dof_parent[e]) {
      vvReal value = dot6(w->S + 6 * e, p);
      M[row * width + e - first] = value;
      M[(e - first) * width + row] = value;
    }
  }
  w->have_LM = w->have_LD = w->have_LU = false;
}

// a += s b, six reals
static void add6(vvReal* a, vvReal s, const vvReal* b) {
  for (int k = 0; k < 6; k++) a[k] += s * b[k];
}

// g += s (v x b), motions
static void add_cross(vvReal* g, vvReal s, const vvReal* v, const vvReal* b) {
  g[0] += s * (v[1] * b[2] - v[2] * b[1]);
  g[1] += s * (v[2] * b[0] - v[0] * b[2]);
  g[2] += s * (v[0] * b[1] - v[1] * b[0]);
  g[3] += s * ((v[1] * b[5] - v[2] * b[4]) + (v[4] * b[2] - v[5] * b[1]));
  g[4] += s * ((v[2] * b[3] - v[0] * b[5]) + (v[5] * b[0] - v[3] * b[2]));
  g[5] += s * ((v[0] * b[4] - v[1] * b[3]) + (v[3] * b[1] - v[4] * b[0]));
}

// V and G of body i after its joints.
static void joint_motions(const vvModel* m, int i, const vvReal* v, const vvReal* S, vvReal* V, vvReal* G) {
  for (int k = 0; k < m->body_njnt[i]; k++) {
    int j = m->body_jnt[i] + k;
    int d = m->jnt_v[j];
    if (m->jnt_type[j] == VV_JOINT_HINGE || m->jnt_type[j] == VV_JOINT_SLIDE) {
      add_cross(G, v[d], V, S + 6 * d);
      add6(V, v[d], S + 6 * d);
      continue;
    }
    if (m->jnt_type[j] == VV_JOINT_FREE) {
      for (int e = 0; e < 3; e++) add6(V, v[d + e], S + 6 * (d + e));
      d += 3;
    }
    vvReal turn[6] = {0, 0, 0, 0, 0, 0};
    for (int e = 0; e < 3; e++) add6(turn, v[d + e], S + 6 * (d + e));
    add_cross(G, 1, V, turn);
    add6(V, 1, turn);
  }
}

// F = I G + V x* I V - wrench of body i.
static void body_force(const vvModel* m, int i, const vvReal* wrench, const vvRigidWork* w, vvReal* F) {
  const vvReal* V = w->V + 6 * i;
  vvReal p[6];
  Inertia I = load_inertia(w->inertia, i);
  if (m->body_gravcomp[i] != 0 && vv_model_has_passive(m) && !(m->disable & VV_DISABLE_GRAVITY)) {
    vvReal G[6];
    memcpy(G, w->G + 6 * i, sizeof G);
    for (int k = 0; k < 3; k++) G[3 + k] += m->body_gravcomp[i] * m->opt_gravity[k];
    momentum(&I, G, F);
  } else {
    momentum(&I, w->G + 6 * i, F);
  }
  momentum(&I, V, p);
  F[0] += (V[1] * p[2] - V[2] * p[1]) + (V[4] * p[5] - V[5] * p[4]);
  F[1] += (V[2] * p[0] - V[0] * p[2]) + (V[5] * p[3] - V[3] * p[5]);
  F[2] += (V[0] * p[1] - V[1] * p[0]) + (V[3] * p[4] - V[4] * p[3]);
  F[3] += V[1] * p[5] - V[2] * p[4];
  F[4] += V[2] * p[3] - V[0] * p[5];
  F[5] += V[0] * p[4] - V[1] * p[3];
  if (wrench) {
    const vvReal* f = wrench + 6 * i;
    const vvReal* ref = w->ref + 3 * m->body_tree[i];
    vvReal r[3] = {w->xpos[3 * i] - ref[0], w->xpos[3 * i + 1] - ref[1], w->xpos[3 * i + 2] - ref[2]};
    F[0] -= f[3] + (r[1] * f[2] - r[2] * f[1]);
    F[1] -= f[4] + (r[2] * f[0] - r[0] * f[2]);
    F[2] -= f[5] + (r[0] * f[1] - r[1] * f[0]);
    for (int k = 0; k < 3; k++) F[3 + k] -= f[k];
  }
}

// F -= the fluid's force on body i.
static void fluid_force(const vvModel* m, int i, const vvRigidWork* w, vvReal* F) {
  if (!(m->body_inertia10[10 * i] >= (vvReal)1e-15)) return;
  vvMat3 R = vv_mat3_load(w->xmat, 9 * i);
  vvVec3 x = vv_vec3_load(w->xpos, 3 * i), ref = vv_vec3_load(w->ref, 3 * m->body_tree[i]);
  vvMotion V = vv_motion_in_body(R, x, ref, vv_motion_load(w->V, i));
  vvMotion f = vv_fluid_force(m, i, vv_mat3_mul_t(R, vv_vec3_load(m->opt_wind, 0)), V);
  vvVec3 force = vv_mat3_mul(R, f.lin);
  vvVec3 torque = vv_vec3_add(vv_mat3_mul(R, f.ang), vv_vec3_cross(vv_vec3_sub(x, ref), force));
  const vvReal all[6] = {torque.x, torque.y, torque.z, force.x, force.y, force.z};
  for (int k = 0; k < 6; k++) F[k] -= all[k];
}

// V and G of body i, its parent's being there.
static void body_motions(const vvModel* m, int i, const vvReal* v, const vvReal* fall, vvRigidWork* w) {
  int parent = m->body_parent[i];
  vvReal* V = w->V + 6 * i;
  vvReal* G = w->G + 6 * i;
  if (m->body_tree[parent] < 0) {
    memset(V, 0, 6 * sizeof(vvReal));
    memcpy(G, fall, 6 * sizeof(vvReal));
  } else {
    memcpy(V, w->V + 6 * parent, 6 * sizeof(vvReal));
    memcpy(G, w->G + 6 * parent, 6 * sizeof(vvReal));
  }
  joint_motions(m, i, v, w->S, V, G);
}

void vv_rigid_motions(const vvModel* m, const vvReal* v, vvRigidWork* w) {
  const vvReal fall[6] = {0, 0, 0, 0, 0, 0};
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_tree[i] >= 0) body_motions(m, i, v, fall, w);
  }
}

void vv_rigid_bias(const vvModel* m, const vvReal* v, const vvReal* wrench, vvRigidWork* w) {
  vvReal fall[6] = {0, 0, 0, 0, 0, 0};
  if (!(m->disable & VV_DISABLE_GRAVITY)) {
    for (int k = 0; k < 3; k++) fall[3 + k] = -m->opt_gravity[k];
  }
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_tree[i] < 0) continue;
    body_motions(m, i, v, fall, w);
    body_force(m, i, wrench, w, w->F + 6 * i);
    if (m->fluid) fluid_force(m, i, w, w->F + 6 * i);
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    if (m->body_tree[i] < 0) continue;
    const vvReal* F = w->F + 6 * i;
    for (int k = 0; k < m->body_ndof[i]; k++) {
      int d = m->body_dof[i] + k;
      w->bias[d] = dot6(w->S + 6 * d, F);
    }
    if (m->body_tree[m->body_parent[i]] >= 0) add6(w->F + 6 * m->body_parent[i], 1, F);
  }
}

void vv_rigid_multiply_mass(const vvRigidWork* w, const vvReal* x, vvReal* y) {
  const vvBlocks* b = w->mass;
  memset(y, 0, sizeof(vvReal) * (size_t)w->stride);
  for (int k = 0; k < b->nnode; k++) {
    const vvReal* row = w->M + b->panel[k];
    for (int d = b->first[k]; d < b->first[k + 1]; d++, row += b->width[k]) {
      vv_dense_axpy(b->width[k], x[d], row, y + b->first[k]);
    }
  }
}
