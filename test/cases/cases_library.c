// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// cases_library.c: the cases of test/cases that are about the library: D9, H1, H3, H9, H12, I2.
//
// Without arguments all run; with names those. A row for each quantity: what|measured|right|error|ok or bad, which
// cases.py prints as a table. Exit 1 when a row is bad.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "visviva/roll.h"
#include "visviva/spec.h"
#include "visviva/visviva.h"

#ifndef VV_ROOT
#define VV_ROOT "."
#endif

static bool all_good = true;

static void row(const char* what, const char* measured, const char* right, double error, bool good) {
  char text[32] = "";
  if (error >= 0) snprintf(text, sizeof text, "%.1e", error);
  printf("%s|%s|%s|%s|%s\n", what, measured, right, text, good ? "ok" : "bad");
  all_good = all_good && good;
}

static void row_near(const char* what, double measured, double right, double tolerance) {
  char a[32], b[32];
  snprintf(a, sizeof a, "%.9g", measured);
  snprintf(b, sizeof b, "%.9g", right);
  double error = fabs(measured - right) / fmax(1, fabs(right));
  row(what, a, b, error, error <= tolerance);
}

static void demand(vvStatus status, const vvReport* report, const char* what) {
  if (status == VV_OK) return;
  fprintf(stderr, "%s: %s\n", what, report && report->message[0] ? report->message : vv_status_text(status));
  exit(2);
}

static vvContext* make_context(void) {
  vvContext* context = NULL;
  demand(vv_context_create(NULL, &context), NULL, "context");
  return context;
}

static vvModel* load(vvContext* context, const char* name) {
  char path[512];
  vvReport report;
  vvModel* m = NULL;
  vv_report_clear(&report);
  snprintf(path, sizeof path, "%s/test/cases/%s.xml", VV_ROOT, name);
  demand(vv_model_load_file(context, path, &m, &report), &report, name);
  return m;
}

// ---- D9 ------------------------------------------------------------------------------------------------------------

static void case_d9(void) {
  vvContext* context = make_context();
  vvModel* m = load(context, "D9");
  row_near("disable flags", m->disable, 144, 0);
  vv_model_free(context, m);
  vv_context_destroy(context);
}

// ---- H1 ------------------------------------------------------------------------------------------------------------

enum { H1_STEPS = 60 };

// Numbers that nothing can depend on: the floor moved in itself, a ball turned about its center, and gaps, which only
// tell from where on contacts without force are listed.
static const char* const h1_idle[] = {"geom/floor/pos/0", "geom/floor/pos/1", "geom/floor/rot/2", "geom/ball/rot/0",
                                      "geom/ball/rot/1",  "geom/ball/rot/2",  "geom/floor/gap",   "geom/ball/gap",
                                      "geom/rod/gap",     "geom/crate/gap"};

typedef struct Probe {
  const vvModel* m;
  vvContext* context;
  vvOutputItem* items;
  vvReal* ctrl;
  vvReal* found;   // trajectory and outputs of the scene as it stands, controls
                   // up, then down
  vvReal* found1;  // with a number changed
  size_t ntrajectory, noutput;
} Probe;

static vvStatus probe_run(const Probe* p, const vvModel* m, vvReal* found) {
  vvRollout* work = NULL;
  vvStatus status = VV_OK;
  demand(vv_rollout_create(p->context, m, VV_ROLLOUT_FORWARD, &work), NULL, "workspace");
  for (int side = -1; side <= 1 && status == VV_OK; side += 2) {
    for (int u = 0; u < m->nu; u++) p->ctrl[u] = (vvReal)(0.6 * side);
    vvRolloutInput in = {.model = m,
                         .nstep = H1_STEPS,
                         .ctrl = p->ctrl,
                         .nctrl = 1,
                         .items = p->items,
                         .nitem = m->nsensor,
                         .nout = m->nsensordata};
    vvRolloutOutput out = {.trajectory = found, .outputs = found + p->ntrajectory};
    status = vv_rollout(&in, NULL, work, &out, NULL);
    found += p->ntrajectory + p->noutput;
  }
  vv_rollout_free(work);
  return status;
}

// Whether anything moves when the number becomes x, or x is refused.
static bool alive(const Probe* p, int number, vvReal x) {
  vvModel* variant = NULL;
  demand(vv_model_variant(p->context, p->m, &variant), NULL, "variant");
  vv_number_set(variant, number, x);
  vvStatus status = vv_model_derive(p->context, variant, NULL);
  if (status == VV_OK) status = probe_run(p, variant, p->found1);
  vv_model_variant_free(p->context, variant);
  size_t n = 2 * (p->ntrajectory + p->noutput);
  return status != VV_OK || memcmp(p->found, p->found1, n * sizeof(vvReal)) != 0;
}

static bool idle(const char* name) {
  for (size_t i = 0; i < sizeof h1_idle / sizeof h1_idle[0]; i++) {
    if (strcmp(name, h1_idle[i]) == 0) return true;
  }
  return false;
}

static void case_h1(void) {
  vvContext* context = make_context();
  vvModel* m = load(context, "H1");
  Probe p = {.m = m, .context = context};
  p.ntrajectory = (size_t)(H1_STEPS + 1) * (size_t)(1 + m->nq + m->nv + m->na);
  p.noutput = (size_t)(H1_STEPS + 1) * (size_t)m->nsensordata;
  p.items = calloc((size_t)m->nsensor + 1, sizeof *p.items);
  p.ctrl = calloc((size_t)m->nu + 1, sizeof *p.ctrl);
  p.found = calloc(4 * (p.ntrajectory + p.noutput), sizeof *p.found);
  if (!p.items || !p.ctrl || !p.found) exit(2);
  p.found1 = p.found + 2 * (p.ntrajectory + p.noutput);
  demand(vv_output_sensors(m, p.items, NULL), NULL, "sensors");
  demand(probe_run(&p, m, p.found), NULL, "rollout");
  int ndead = 0, nidle = 0, ntried = 0;
  char dead[160] = "none";
  for (int i = 0; i < m->names->nnumber; i++) {
    const vvNumber* number = &m->names->numbers[i];
    if (number->reason) continue;
    vvReal x = vv_number_value(m, i), step = number->scale > 0 ? number->scale / 10 : (vvReal)0.1;
    bool moves = alive(&p, i, x != 0 ? 2 * x : step) || alive(&p, i, x != 0 ? x / 2 : -step);
    ntried++;
    if (!moves && idle(number->name)) nidle++;
    if (moves != idle(number->name)) continue;
    size_t used = ndead ? strlen(dead) : 0;
    if (used + strlen(number->name) + 2 < sizeof dead) snprintf(dead + used, sizeof dead - used, "%s ", number->name);
    ndead++;
  }
  char measured[200], tried[64];
  snprintf(measured, sizeof measured, "%d: %s", ndead, dead);
  snprintf(tried, sizeof tried, "0 of %d (%d idle by symmetry)", ntried, nidle);
  row("dead numbers", measured, tried, -1, ndead == 0 && ntried > 0);
  free(p.items);
  free(p.ctrl);
  free(p.found);
  vv_model_free(context, m);
  vv_context_destroy(context);
}

// ---- H3 ------------------------------------------------------------------------------------------------------------

static void set(vvModel* m, const char* name, vvReal x) {
  int found[8];
  int n = vv_number_match(m, name, found, 8);
  if (n < 1 || n > 8) {
    fprintf(stderr, "no number %s\n", name);
    exit(2);
  }
  for (int i = 0; i < n; i++) vv_number_set(m, found[i], x);
}

static void case_h3(void) {
  vvContext* context = make_context();
  vvModel* m = load(context, "H3");
  vvModel* variant = NULL;
  demand(vv_model_variant(context, m, &variant), NULL, "variant");
  row_near("inverse weights, 1 kg: translation", (double)m->body_invweight[2], 1, 1e-12);
  row_near("  rotation", (double)m->body_invweight[3], 250, 1e-12);
  for (int pass = 0; pass < 2; pass++) {  // twice from the base value is once
    set(variant, "body/b/mass", 2);
    set(variant, "body/b/diaginertia", (vvReal)0.008);
    demand(vv_model_derive(context, variant, NULL), NULL, "derive");
    row_near(pass ? "  scaled again: translation" : "  doubled: translation", (double)variant->body_invweight[2], 0.5,
             1e-12);
    row_near("  rotation", (double)variant->body_invweight[3], 125, 1e-12);
  }
  vv_model_variant_free(context, variant);
  vv_model_free(context, m);
  vv_context_destroy(context);
}

// ---- H9, H12: the box's corner -------------------------------------------------------------------------------------

typedef struct Corner {
  vvContext* context;
  vvModel* m;
  vvState* state;
  vvRollout* work;
  vvTape* tape;
  vvOutputItem item;
} Corner;

static Corner corner_open(void) {
  Corner c = {.context = make_context()};
  vvReport report;
  vv_report_clear(&report);
  c.m = load(c.context, "H9");
  demand(vv_state_create(c.context, c.m, &c.state), NULL, "state");
  demand(vv_rollout_create(c.context, c.m, VV_ROLLOUT_REVERSE, &c.work), NULL, "workspace");
  demand(vv_tape_create(c.context, &c.tape), NULL, "tape");
  demand(vv_output_find(c.m, "site/corner/pos", &c.item, &report), &report, "corner");
  return c;
}

static void corner_close(Corner* c) {
  vv_tape_free(c->tape);
  vv_rollout_free(c->work);
  vv_state_free(c->context, c->state);
  vv_model_free(c->context, c->m);
  vv_context_destroy(c->context);
}

// Corner after one step (nothing moves: no gravity, at rest), and q0_bar of seed . corner unless seed is NULL.
static void corner_at(Corner* c, const vvReal* q, const vvReal* seed, vvReal* corner, vvReal* q0_bar) {
  int row1 = 1;
  vvReport report;
  vv_report_clear(&report);
  vv_state_reset(c->m, c->state);
  memcpy(c->state->q, q, 7 * sizeof *q);
  vvRolloutInput in = {.model = c->m,
                       .initial = c->state,
                       .nstep = 1,
                       .items = &c->item,
                       .nitem = 1,
                       .nout = 3,
                       .rows = &row1,
                       .nrow = 1};
  vvRolloutOutput out = {.outputs = corner};
  demand(vv_rollout(&in, c->tape, c->work, &out, &report), &report, "rollout");
  if (!seed) return;
  vvRolloutSeed bar = {.outputs_bar = seed};
  vvGradient gradient = {.q0_bar = q0_bar};
  demand(vv_rollout_vjp(&in, c->tape, c->work, &bar, &gradient, &report), &report, "reverse");
}

static const vvReal sample_q[7] = {(vvReal)0.3,  (vvReal)-0.2,  (vvReal)0.5,  (vvReal)0.8,
                                   (vvReal)0.36, (vvReal)0.288, (vvReal)0.384};

static void case_h9(void) {
  Corner c = corner_open();
  vvReal dq[6] = {(vvReal)0.1, (vvReal)-0.2, (vvReal)0.3, (vvReal)0.4, (vvReal)-0.5, (vvReal)0.6}, q1[7], back[6];
  vv_q_retract(c.m, sample_q, dq, q1);
  vv_q_difference(c.m, sample_q, q1, back);
  double off = 0;
  for (int i = 0; i < 6; i++) off = fmax(off, fabs((double)(back[i] - dq[i])));
  row_near("difference undoes retract: worst", off, 0, 1e-14);
  // Gradient descent on the manifold: the corner's way to a point that turning alone reaches.
  vvReal q[7], corner[3], bar[6], target[3];
  memcpy(q, sample_q, sizeof q);
  vv_q_retract(c.m, sample_q, (const vvReal[]){0, 0, 0, 1, (vvReal)-0.7, (vvReal)0.5}, q1);
  corner_at(&c, q1, NULL, target, bar);
  double distance = 0;
  for (int k = 0; k < 400; k++) {
    vvReal seed[3];
    corner_at(&c, q, NULL, corner, bar);
    for (int i = 0; i < 3; i++) seed[i] = corner[i] - target[i];
    corner_at(&c, q, seed, corner, bar);
    distance = sqrt((double)(seed[0] * seed[0] + seed[1] * seed[1] + seed[2] * seed[2]));
    for (int i = 0; i < 6; i++) bar[i] *= i < 3 ? 0 : (vvReal)-4;
    vv_q_retract(c.m, q, bar, q1);
    memcpy(q, q1, sizeof q);
  }
  row_near("descent on a free body: distance left", distance, 0, 1e-10);
  double norm = sqrt((double)(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]));
  row_near("  norm of its quaternion", norm, 1, 1e-12);
  corner_close(&c);
}

static void case_h12(void) {
  Corner c = corner_open();
  const vvReal seed[3] = {(vvReal)0.7, (vvReal)-1.1, (vvReal)0.4};
  vvReal corner[3], bar[6], ambient[7];
  corner_at(&c, sample_q, seed, corner, bar);
  vv_q_bar_to_ambient(c.m, sample_q, bar, ambient);
  double dot = 0, largest = 0, off = 0;
  for (int i = 3; i < 7; i++) {
    const double h = 1e-5;
    double side[2] = {0, 0};
    for (int s = 0; s < 2; s++) {
      vvReal q[7];
      memcpy(q, sample_q, sizeof q);
      q[i] += (vvReal)(s ? -h : h);
      corner_at(&c, q, NULL, corner, bar);
      for (int k = 0; k < 3; k++) side[s] += (double)(seed[k] * corner[k]);
    }
    dot += (double)(ambient[i] * sample_q[i]);
    largest = fmax(largest, fabs((double)ambient[i]));
    off = fmax(off, fabs((double)ambient[i] - (side[0] - side[1]) / (2 * h)));
  }
  row_near("gradient . q", dot, 0, 1e-14);
  row_near("worst difference from raw quaternion's / largest", off / largest, 0, 1e-8);
  corner_close(&c);
}

// ---- I2 ------------------------------------------------------------------------------------------------------------

static long resident_kib(void) {
  long total = 0, resident = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &total, &resident) != 2) resident = -1;
  if (file) fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void cycle(vvContext* context, const vvModel* m, vvState* state) {
  vvRollout* work = NULL;
  vvTape* tape = NULL;
  vvModel* shadow = NULL;
  vvReal q_bar[6] = {1, 0, 0, 0, 0, 0}, q0_bar[6];
  vvRolloutInput in = {.model = m, .initial = state, .nstep = 5};
  vvRolloutOutput out = {.outputs = NULL};
  vvRolloutSeed seed = {.q_bar = q_bar};
  demand(vv_rollout_create(context, m, VV_ROLLOUT_REVERSE, &work), NULL, "workspace");
  demand(vv_tape_create(context, &tape), NULL, "tape");
  demand(vv_model_shadow(context, m, &shadow), NULL, "shadow");
  demand(vv_rollout(&in, tape, work, &out, NULL), NULL, "rollout");
  vvGradient gradient = {.q0_bar = q0_bar, .model = shadow};
  demand(vv_rollout_vjp(&in, tape, work, &seed, &gradient, NULL), NULL, "reverse");
  vv_model_shadow_free(context, shadow);
  vv_tape_free(tape);
  vv_rollout_free(work);
}

static void case_i2(void) {
  enum { CYCLES = 10000, WARM = 500 };
  long before = 0;
  size_t bytes = 0;
  vvContext* context = make_context();
  vvModel* m = load(context, "A5");
  vvState* state = NULL;
  demand(vv_state_create(context, m, &state), NULL, "state");
  for (int k = 0; k < CYCLES; k++) {
    if (k == WARM) {
      before = resident_kib();
      bytes = vv_context_memory(context).bytes;
    }
    cycle(context, m, state);
  }
  row_near("growth of the resident size, 10000 cycles [KiB]", (double)(resident_kib() - before), 0, 64);
  row_near("growth of the context's memory [byte]", (double)vv_context_memory(context).bytes - (double)bytes, 0, 0);
  vv_state_free(context, state);
  vv_model_free(context, m);
  row_near("left after freeing [byte]", (double)vv_context_memory(context).bytes, 0, 0);
  vv_context_destroy(context);
  for (int k = 0; k < 220; k++) {  // what the first loads leave in the allocator is not growth
    if (k == 20) before = resident_kib();
    vv_context_destroy(make_context());
    context = make_context();
    m = load(context, "H1");
    vv_model_free(context, m);
    vv_context_destroy(context);
  }
  row_near("growth over 200 loads of a scene [KiB]", (double)(resident_kib() - before), 0, 256);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } cases[] = {{"D9", case_d9}, {"H1", case_h1}, {"H3", case_h3}, {"H9", case_h9}, {"H12", case_h12}, {"I2", case_i2}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    bool wanted = argc < 2;
    for (int k = 1; k < argc; k++) wanted = wanted || strcmp(argv[k], cases[i].name) == 0;
    if (wanted) cases[i].run();
  }
  return all_good ? 0 : 1;
}
