// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// price.c: what a generated reverse derivative costs: time(f_vjp) / time(f) of the kernels in price_kernel.c, forward
// included, one thread, the shortest of many rounds; two of them beside a reverse derivative written by hand. Prints
// one JSON object: {"kernels": [{"name", "f_us", "vjp_us", "ratio", "tape_bytes", "hand_us"}]}.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "price/price_kernel.h"
#include "price_kernel.vv.h"

enum { BODIES = 27, TETS = 500, HINGES = 500, PARTICLES = 500, SIDE = 24, BATCH = 16, MATRICES = 200, STEPS = 1000 };
enum { NODES = 400, GRID = 4 * SIDE * SIDE * SIDE, ROUNDS = 15 };

typedef struct vvPriceData {
  vvPriceTree tree, tree_bar;
  int parent[BODIES];
  vvReal model[2][17 * BODIES], q[BODIES], v[BODIES], a[BODIES], tau[BODIES], wrench[6 * BODIES];
  vvPriceBody body[BODIES];
  int tet[4 * TETS], hinge[4 * HINGES];
  vvReal x[3 * NODES], inverse[9 * TETS], volume[TETS], stiffness[HINGES], rest[HINGES], force[3 * NODES];
  vvReal px[3 * PARTICLES], pv[3 * PARTICLES], C[9 * PARTICLES], stress[9 * PARTICLES], grid[GRID];
  vvReal W[64 * 64], bias[64], in[64 * BATCH], out[64 * BATCH];
  vvReal F[9 * MATRICES], R[9 * MATRICES];
  vvReal bar[GRID], bar2[9 * PARTICLES], bar3[9 * PARTICLES], bar4[9 * PARTICLES], bar5[9 * PARTICLES],
      bar6[9 * PARTICLES];
  vvPriceBody body_bar[BODIES];
  vvTapeMem tape;
  vvReal sink;
} vvPriceData;

static double uniform(uint64_t* state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*state >> 11) / 9007199254740992.0;
}

static void set_tree(vvPriceTree* t, const int* parent, vvReal* block) {
  t->n = BODIES;
  t->parent = parent;
  t->axis = block;
  t->offset = block + 3 * BODIES;
  t->mass = block + 6 * BODIES;
  t->com = block + 7 * BODIES;
  t->inertia = block + 10 * BODIES;
}

static void fill(vvReal* a, int n, double low, double high, uint64_t* s) {
  for (int i = 0; i < n; i++) a[i] = (vvReal)(low + (high - low) * uniform(s));
}

static void make_tree(vvPriceData* d, uint64_t* s) {
  fill(d->model[0], 17 * BODIES, -0.3, 0.3, s);
  for (int i = 0; i < BODIES; i++) {
    d->parent[i] = i - 1 - (i % 5 == 0 && i > 3 ? 3 : 0);
    vvVec3 axis = vv_vec3_normalize(vv_vec3_load(d->model[0], 3 * i));
    vv_vec3_store(d->model[0], 3 * i, axis);
    for (int k = 0; k < 3; k++) d->model[0][10 * BODIES + 6 * i + k] += 1;
    d->model[0][6 * BODIES + i] += 1;
  }
  set_tree(&d->tree, d->parent, d->model[0]);
  set_tree(&d->tree_bar, d->parent, d->model[1]);
  fill(d->q, BODIES, -1, 1, s);
  fill(d->v, BODIES, -1, 1, s);
  fill(d->a, BODIES, -1, 1, s);
}

static void make_mesh(vvPriceData* d, uint64_t* s) {
  fill(d->x, 3 * NODES, 0, 1, s);
  for (int e = 0; e < TETS; e++) {
    for (;;) {  // four different nodes with positive volume
      for (int k = 0; k < 4; k++) d->tet[4 * e + k] = (int)(uniform(s) * NODES);
      vvVec3 x0 = vv_vec3_load(d->x, 3 * d->tet[4 * e]), f[3];
      for (int k = 0; k < 3; k++) f[k] = vv_vec3_sub(vv_vec3_load(d->x, 3 * d->tet[4 * e + 1 + k]), x0);
      vvVec3 c[3] = {vv_vec3_cross(f[1], f[2]), vv_vec3_cross(f[2], f[0]), vv_vec3_cross(f[0], f[1])};
      vvReal J = vv_vec3_dot(f[0], c[0]);
      if (J < 0.02) continue;
      // inverse of the rest shape [f0 f1 f2], rows c / J, a little stretched
      for (int k = 0; k < 3; k++) vv_vec3_store(d->inverse, 9 * e + 3 * k, vv_vec3_scale((vvReal)1.1 / J, c[k]));
      break;
    }
    d->volume[e] = 1;
  }
  for (int e = 0; e < HINGES; e++)
    for (int k = 0; k < 4; k++) d->hinge[4 * e + k] = (int)(uniform(s) * (NODES / 4)) * 4 + k;
  fill(d->stiffness, HINGES, 0.5, 1, s);
  fill(d->rest, HINGES, -0.5, 0.5, s);
}

static void make_rest(vvPriceData* d, uint64_t* s) {
  fill(d->px, 3 * PARTICLES, 0.2, 0.8, s);
  fill(d->pv, 3 * PARTICLES, -1, 1, s);
  fill(d->C, 9 * PARTICLES, -1, 1, s);
  fill(d->stress, 9 * PARTICLES, -1, 1, s);
  fill(d->W, 64 * 64, -0.2, 0.2, s);
  fill(d->bias, 64, -0.2, 0.2, s);
  fill(d->in, 64 * BATCH, -1, 1, s);
  fill(d->F, 9 * MATRICES, -0.3, 0.3, s);
  for (int i = 0; i < MATRICES; i++)
    for (int k = 0; k < 3; k++) d->F[9 * i + 4 * k] += 1;
  d->tape.capacity = (size_t)64 << 20;
  d->tape.base = aligned_alloc(64, d->tape.capacity);
}

// the kernels and their derivatives, all with one signature

static void tree_f(vvPriceData* d) {
  price_tree(&d->tree, d->q, d->v, d->a, d->body, d->wrench, d->tau);
}

static void tree_vjp(vvPriceData* d) {
  price_tree_vjp(&d->tree, d->q, d->v, d->a, d->body, d->wrench, d->tau, &d->tree_bar, d->bar2, d->bar3, d->bar4,
                 d->body_bar, d->bar5, d->bar, &d->tape);
}

static void tree_state_vjp(vvPriceData* d) {
  price_tree_state_vjp(&d->tree, d->q, d->v, d->a, d->body, d->wrench, d->tau, d->bar2, d->bar3, d->bar4, d->body_bar,
                       d->bar5, d->bar, &d->tape);
}

static void tet_f(vvPriceData* d) {
  d->sink += price_tet(TETS, d->tet, d->x, d->inverse, d->volume, 1, 2, d->force);
}

static void tet_vjp(vvPriceData* d) {
  vvReal mu_bar = 0, lambda_bar = 0;
  price_tet_vjp(TETS, d->tet, d->x, d->inverse, d->volume, 1, 2, d->force, 1, d->bar2, d->bar3, d->bar4, &mu_bar,
                &lambda_bar, d->bar, &d->tape);
}

static void bend_f(vvPriceData* d) {
  d->sink += price_bend(HINGES, d->hinge, d->x, d->stiffness, d->rest);
}

static void bend_vjp(vvPriceData* d) {
  price_bend_vjp(HINGES, d->hinge, d->x, d->stiffness, d->rest, 1, d->bar2, d->bar3, d->bar4, &d->tape);
}

static void p2g_f(vvPriceData* d) {
  price_p2g(PARTICLES, SIDE, d->px, d->pv, d->C, d->stress, 1, (vvReal)1e-3, d->grid);
}

static void p2g_vjp(vvPriceData* d) {
  vvReal mass_bar = 0, dt_bar = 0;
  price_p2g_vjp(PARTICLES, SIDE, d->px, d->pv, d->C, d->stress, 1, (vvReal)1e-3, d->grid, d->bar2, d->bar3, d->bar4,
                d->bar5, &mass_bar, &dt_bar, d->bar, &d->tape);
}

static void mlp_f(vvPriceData* d) {
  price_mlp(BATCH, d->W, d->bias, d->in, d->out);
}

static void mlp_vjp(vvPriceData* d) {
  price_mlp_vjp(BATCH, d->W, d->bias, d->in, d->out, d->bar, d->bar2, d->bar3, d->bar4, &d->tape);
}

// By hand: the derivative of tanh from the output, rows of W read and written once.
static void mlp_hand(vvPriceData* d) {
  mlp_f(d);
  for (int s = 0; s < BATCH; s++)
    for (int i = 0; i < 64; i++) {
      vvReal y = d->out[64 * s + i], g = d->bar4[64 * s + i] * (1 - y * y);
      d->bar4[64 * s + i] = 0;
      d->bar2[i] += g;
      for (int j = 0; j < 64; j++) {
        d->bar[64 * i + j] += g * d->in[64 * s + j];
        d->bar3[64 * s + j] += g * d->W[64 * i + j];
      }
    }
}

static void polar_f(vvPriceData* d) {
  price_polar(MATRICES, d->F, d->R);
}

static void polar_vjp(vvPriceData* d) {
  price_polar_vjp(MATRICES, d->F, d->R, d->bar2, d->bar3, &d->tape);
}

static void recurrence_f(vvPriceData* d) {
  d->sink += price_recurrence(STEPS, (vvReal)0.3, (vvReal)3.7);
}

static void recurrence_vjp(vvPriceData* d) {
  vvReal x_bar = 0, r_bar = 0;
  price_recurrence_vjp(STEPS, (vvReal)0.3, (vvReal)3.7, 1, &x_bar, &r_bar, &d->tape);
  d->sink += x_bar + r_bar;
}

static void recurrence_hand(vvPriceData* d) {
  vvReal x[STEPS], r = (vvReal)3.7, s = (vvReal)0.3;
  for (int i = 0; i < STEPS; i++) {
    x[i] = s;
    s = r * s * (1 - s);
  }
  vvReal g = 1, r_bar = 0;
  for (int i = STEPS; i-- > 0;) {
    r_bar += g * x[i] * (1 - x[i]);
    g *= r * (1 - 2 * x[i]);
  }
  d->sink += g + r_bar + s;
}

typedef struct vvPriceRow {
  const char* name;
  void (*f)(vvPriceData*);
  void (*vjp)(vvPriceData*);
  void (*hand)(vvPriceData*);
} vvPriceRow;

static const vvPriceRow ROWS[] = {
    {"inverse dynamics, 27 dof", tree_f, tree_vjp, NULL},
    {"inverse dynamics, 27 dof, state only", tree_f, tree_state_vjp, NULL},
    {"neo-Hookean tetrahedra", tet_f, tet_vjp, NULL},
    {"cloth bending", bend_f, bend_vjp, NULL},
    {"particles to grid", p2g_f, p2g_vjp, NULL},
    {"layer of 64 units", mlp_f, mlp_vjp, mlp_hand},
    {"polar factor, own rule", polar_f, polar_vjp, NULL},
    {"recurrence of 1000 steps", recurrence_f, recurrence_vjp, recurrence_hand},
};

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Values that cotangents start from: ones, so that no work is skipped and nothing overflows.
static void reset(vvPriceData* d) {
  vvReal* bars[] = {d->bar2, d->bar3, d->bar4, d->bar5, d->bar6};
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < 9 * PARTICLES; i++) bars[k][i] = (vvReal)0.01;
  for (int i = 0; i < GRID; i++) d->bar[i] = (vvReal)0.01;
  memset(d->model[1], 0, sizeof d->model[1]);
  memset(d->force, 0, sizeof d->force);
  memset(d->grid, 0, sizeof d->grid);
  memset(d->body_bar, 0, sizeof d->body_bar);
}

static void run(const vvPriceRow* row, vvPriceData* d, int last) {
  void (*part[3])(vvPriceData*) = {row->f, row->vjp, row->hand};
  double best[3] = {1e30, 1e30, 1e30};
  reset(d);
  d->tape.used = d->tape.peak = 0;
  row->vjp(d);
  size_t peak = d->tape.peak;
  double start = seconds();
  int repeat = 1;
  row->vjp(d);
  while (repeat < 4000 && repeat * (seconds() - start) < 2e-3) repeat *= 2;
  for (int round = 0; round < ROUNDS; round++)
    for (int k = 0; k < 3; k++) {
      if (!part[k]) continue;
      reset(d);
      part[k](d);
      double t0 = seconds();
      for (int i = 0; i < repeat; i++) part[k](d);
      double t = (seconds() - t0) / repeat;
      if (t < best[k]) best[k] = t;
    }
  printf("    {\"name\": \"%s\", \"f_us\": %.4f, \"vjp_us\": %.4f, \"ratio\": %.3f, \"tape_bytes\": %zu", row->name,
         1e6 * best[0], 1e6 * best[1], best[1] / best[0], peak);
  if (part[2]) printf(", \"hand_us\": %.4f", 1e6 * best[2]);
  printf("}%s\n", last ? "" : ",");
}

int main(void) {
  vvPriceData* d = calloc(1, sizeof *d);
  if (!d) return 2;
  uint64_t s = 7;
  make_tree(d, &s);
  make_mesh(d, &s);
  make_rest(d, &s);
  if (!d->tape.base) return 2;
  printf("{\n  \"precision\": \"%s\",\n  \"kernels\": [\n", sizeof(vvReal) == 8 ? "double" : "float");
  int n = (int)(sizeof ROWS / sizeof ROWS[0]);
  for (int i = 0; i < n; i++) run(&ROWS[i], d, i + 1 == n);
  printf("  ]\n}\n");
  free(d->tape.base);
  free(d);
  return 0;
}
