// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// batch.c: many worlds on the context's threads (batch.h).
//
// method   a piece of parallel work is one world: it writes to its own part of the arrays and to its thread's scratch,
//          so results do not depend on threads. A world with its own numbers is a variant of the model, derived anew
//          only when its values have changed since the last call.
// symbols  x = (dq, v, act), nx entries; eight columns of a Jacobian in one forward sweep

#include "visviva/batch.h"

#include <string.h>

#include "visviva/names.h"

typedef struct batchThread {
  vvRollout* work;
  vvState* state;
  vvModel* shadow;  // reverse with numbers
  vvReal8* tan8;    // tangents of one sweep, see cut_tangents
  vvReal8* reals8;  // tangents of the model's reals
  size_t tan8_size;
  size_t reals8_size;
} batchThread;

typedef struct batchWorld {
  vvTape* tape;
  vvModel* variant;  // NULL: no numbers of its own yet
  vvReal* values;    // that the variant was derived at
} batchWorld;

struct vvBatch {
  vvContext* ctx;
  const vvModel* m;
  vvRolloutUse use;
  int nworld, nthread;
  batchThread* threads;
  batchWorld* worlds;
  double* residual;   // nworld
  vvStatus* status;   // nworld
  vvReport* reports;  // nworld
  int* numbers;       // of the variants
  int nnumber;
  int recorded;  // steps that every tape holds, -1: none
};

// Tangents of one forward sweep.
typedef struct tangents {
  vvReal8 *q0, *v0, *act0, *ctrl;  // in: nv, nv, na, nctrl x nu
  vvReal8 *q, *v, *act, *out;      // back: nv, nv, na, rows x nout
} tangents;

int vv_batch_rows(const vvBatchInput* in) {
  vvRolloutInput r = {.nstep = in->nstep, .stride = in->stride};
  return vv_rollout_rows(&r);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static vvStatus create_thread(vvBatch* b, batchThread* t) {
  vvStatus status = vv_rollout_create(b->ctx, b->m, b->use, &t->work);
  if (status == VV_OK) status = vv_state_create(b->ctx, b->m, &t->state);
  if (status == VV_OK && (b->use & VV_ROLLOUT_REVERSE)) status = vv_model_shadow(b->ctx, b->m, &t->shadow);
  return status;
}

static void free_thread(vvBatch* b, batchThread* t) {
  vv_rollout_free(t->work);
  vv_state_free(b->ctx, t->state);
  if (t->shadow) vv_model_shadow_free(b->ctx, t->shadow);
  VV_DELETE(b->ctx, t->tan8, vvReal8, t->tan8_size);
  VV_DELETE(b->ctx, t->reals8, vvReal8, t->reals8_size);
}

static void free_variants(vvBatch* b) {
  for (int w = 0; w < b->nworld; w++) {
    if (b->worlds[w].variant) vv_model_variant_free(b->ctx, b->worlds[w].variant);
    VV_DELETE(b->ctx, b->worlds[w].values, vvReal, b->nnumber);
    b->worlds[w].variant = NULL;
    b->worlds[w].values = NULL;
  }
  VV_DELETE(b->ctx, b->numbers, int, b->nnumber);
  b->numbers = NULL;
  b->nnumber = 0;
}

vvStatus vv_batch_create(vvContext* ctx, const vvModel* m, int nworld, vvRolloutUse use, vvBatch** batch) {
  if (!ctx || !m || !batch || nworld < 1) return VV_ERROR_ARGUMENT;
  *batch = NULL;
  vvBatch* b = VV_NEW(ctx, vvBatch, 1);
  if (!b) return VV_ERROR_MEMORY;
  *b = (vvBatch){.ctx = ctx, .m = m, .use = use, .nworld = nworld, .recorded = -1};
  b->nthread = vv_context_thread_count(ctx);
  b->threads = VV_NEW(ctx, batchThread, b->nthread);
  b->worlds = VV_NEW(ctx, batchWorld, nworld);
  b->residual = VV_NEW(ctx, double, nworld);
  b->status = VV_NEW(ctx, vvStatus, nworld);
  b->reports = VV_NEW(ctx, vvReport, nworld);
  bool all = b->threads && b->worlds && b->residual && b->status && b->reports;
  vvStatus status = all ? VV_OK : VV_ERROR_MEMORY;
  for (int i = 0; i < b->nthread && status == VV_OK; i++) status = create_thread(b, &b->threads[i]);
  for (int w = 0; w < nworld && status == VV_OK; w++) status = vv_tape_create(ctx, &b->worlds[w].tape);
  if (status == VV_OK) {
    *batch = b;
  } else {
    vv_batch_free(b);
  }
  return status;
}

void vv_batch_free(vvBatch* b) {
  if (!b) return;
  vvContext* ctx = b->ctx;
  for (int i = 0; b->threads && i < b->nthread; i++) free_thread(b, &b->threads[i]);
  for (int w = 0; b->worlds && w < b->nworld; w++) vv_tape_free(b->worlds[w].tape);
  if (b->worlds) free_variants(b);
  VV_DELETE(ctx, b->threads, batchThread, b->nthread);
  VV_DELETE(ctx, b->worlds, batchWorld, b->nworld);
  VV_DELETE(ctx, b->residual, double, b->nworld);
  VV_DELETE(ctx, b->status, vvStatus, b->nworld);
  VV_DELETE(ctx, b->reports, vvReport, b->nworld);
  VV_DELETE(ctx, b, vvBatch, 1);
}

// Scratch for sweeps of `n` tangents, and for the model's when `model`.
static vvStatus reserve8(vvBatch* b, batchThread* t, size_t n, bool model) {
  if (t->tan8_size < n) {
    VV_DELETE(b->ctx, t->tan8, vvReal8, t->tan8_size);
    t->tan8_size = 0;
    t->tan8 = VV_NEW(b->ctx, vvReal8, n);
    if (!t->tan8) return VV_ERROR_MEMORY;
    t->tan8_size = n;
  }
  size_t reals = vv_model_real_count(b->m);
  if (model && !t->reals8) {
    t->reals8 = VV_NEW(b->ctx, vvReal8, reals);
    if (!t->reals8) return VV_ERROR_MEMORY;
    t->reals8_size = reals;
  }
  return VV_OK;
}

// ---- one world's rollout --------------------------------------------------------------------------------------------

static bool same_numbers(const vvBatch* b, const vvBatchInput* in) {
  return b->nnumber == in->nnumber &&
         (in->nnumber == 0 || memcmp(b->numbers, in->numbers, sizeof(int) * (size_t)in->nnumber) == 0);
}

// Variants for the numbers that worlds have of their own.
static vvStatus prepare_variants(vvBatch* b, const vvBatchInput* in) {
  if (same_numbers(b, in)) return VV_OK;
  free_variants(b);
  if (in->nnumber == 0) return VV_OK;
  b->numbers = VV_NEW(b->ctx, int, in->nnumber);
  if (!b->numbers) return VV_ERROR_MEMORY;
  b->nnumber = in->nnumber;
  memcpy(b->numbers, in->numbers, sizeof(int) * (size_t)in->nnumber);
  for (int w = 0; w < b->nworld; w++) {
    vvStatus status = vv_model_variant(b->ctx, b->m, &b->worlds[w].variant);
    if (status != VV_OK) return status;
    b->worlds[w].values = VV_NEW(b->ctx, vvReal, in->nnumber);
    if (!b->worlds[w].values) return VV_ERROR_MEMORY;
    for (int i = 0; i < in->nnumber; i++) b->worlds[w].values[i] = vv_number_value(b->m, in->numbers[i]);
  }
  return VV_OK;
}

// World w's model, derived at its values.
static vvStatus world_model(vvBatch* b, const vvBatchInput* in, int w, const vvModel** m, vvReport* report) {
  *m = b->m;
  if (in->nnumber == 0) return VV_OK;
  batchWorld* world = &b->worlds[w];
  *m = world->variant;
  const vvReal* values = in->values + (size_t)w * (size_t)in->nnumber;
  size_t bytes = sizeof(vvReal) * (size_t)in->nnumber;
  if (memcmp(world->values, values, bytes) == 0) return VV_OK;
  for (int i = 0; i < in->nnumber; i++) vv_number_set(world->variant, in->numbers[i], values[i]);
  vvStatus status = vv_model_derive(b->ctx, world->variant, report);
  if (status == VV_OK) {
    memcpy(world->values, values, bytes);
  } else {
    world->values[0] = values[0] == 0 ? 1 : -values[0];  // not what it was derived at: derive again next time
  }
  return status;
}

static vvStatus world_input(vvBatch* b, const vvBatchInput* in, int w, batchThread* t, vvRolloutInput* r,
                            vvReport* report) {
  const vvModel* m = b->m;
  size_t i = (size_t)w;
  *r = (vvRolloutInput){.nstep = in->nstep,
                        .nctrl = in->nctrl,
                        .napplied = in->napplied,
                        .items = in->items,
                        .nitem = in->nitem,
                        .nout = in->nout,
                        .stride = in->stride};
  if (in->ctrl) r->ctrl = in->ctrl + i * (size_t)in->nctrl * (size_t)m->nu;
  if (in->applied) r->applied = in->applied + i * (size_t)in->napplied * (size_t)m->nv;
  if (in->state) {
    memcpy(t->state->block, in->state + i * t->state->size, t->state->size * sizeof(vvReal));
    r->initial = t->state;
  }
  return world_model(b, in, w, &r->model, report);
}

// What a parallel call works on.
typedef struct batchCall {
  vvBatch* b;
  const vvBatchInput* in;
  bool record;
  vvBatchOutput* out;
  const vvBatchSeed* seed;
  const vvBatchGradient* g;
  const vvBatchTangent* tan;
  const vvBatchOutputTangent* out_tan;
  const vvBatchJacobian* jac;
} batchCall;

// x + w * n, or NULL.
static vvReal* part(vvReal* x, int w, size_t n) {
  return x ? x + (size_t)w * n : NULL;
}

static const vvReal* const_part(const vvReal* x, int w, size_t n) {
  return x ? x + (size_t)w * n : NULL;
}

static vvStatus rollout_world(void* user, int w, int thread) {
  batchCall* c = user;
  vvBatch* b = c->b;
  batchThread* t = &b->threads[thread];
  const vvModel* m = b->m;
  vvRolloutInput r;
  vvReport* report = &b->reports[w];
  b->status[w] = world_input(b, c->in, w, t, &r, report);
  if (b->status[w] != VV_OK) return b->status[w];
  size_t n = (size_t)c->in->nstep;
  size_t rows = (size_t)vv_batch_rows(c->in);
  vvBatchOutput none = {0};
  const vvBatchOutput* o = c->out ? c->out : &none;
  vvRolloutOutput out = {.outputs = part(o->outputs, w, rows * (size_t)c->in->nout),
                         .trajectory = part(o->trajectory, w, (n + 1) * (size_t)(1 + m->nq + m->nv + m->na)),
                         .signature = o->signature ? o->signature + (size_t)w * n : NULL,
                         .final = o->final ? t->state : NULL};
  b->status[w] = vv_rollout(&r, c->record ? b->worlds[w].tape : NULL, t->work, &out, report);
  b->residual[w] = out.residual_max;
  bool usable = b->status[w] == VV_OK || b->status[w] == VV_ERROR_NOT_CONVERGED;
  if (usable && o->final) {
    memcpy(o->final + (size_t)w * t->state->size, t->state->block, t->state->size * sizeof(vvReal));
  }
  return usable ? VV_OK : b->status[w];
}

// ---- calls ----------------------------------------------------------------------------------------------------------

static vvStatus check_input(vvBatch* b, const vvBatchInput* in, vvReport* report) {
  vv_report_clear(report);
  if (!b || !in) return VV_ERROR_ARGUMENT;
  bool bad = in->nstep < 0 || in->nnumber < 0 || in->stride < 0 || (in->nnumber > 0 && (!in->numbers || !in->values));
  if (bad) return vv_report_set(report, VV_ERROR_ARGUMENT, "a batch's counts do not fit its arrays");
  for (int i = 0; i < in->nnumber; i++) {
    if (in->numbers[i] < 0 || in->numbers[i] >= b->m->names->nnumber) {
      return vv_report_set(report, VV_ERROR_ARGUMENT, "there is no number %d", in->numbers[i]);
    }
  }
  return VV_OK;
}

// The outcome of a parallel call: its first failure with the world's report.
static vvStatus conclude(vvBatch* b, vvStatus status, vvReport* report) {
  if (status == VV_OK || status == VV_ERROR_CANCELLED) return status;
  for (int w = 0; w < b->nworld; w++) {
    if (b->status[w] == VV_OK || b->status[w] == VV_ERROR_NOT_CONVERGED) continue;
    const vvReport* inner = &b->reports[w];
    vv_report_set(report, b->status[w], "world %d: %.230s", w,
                  inner->message[0] ? inner->message : vv_status_text(b->status[w]));
    if (report) {
      report->step = inner->step;
      report->element = w;
    }
    return b->status[w];
  }
  return status;
}

// Of a call that has run for all worlds: the report of the first whose solves did not converge.
static vvStatus unconverged(const vvBatch* b, vvReport* report) {
  for (int w = 0; w < b->nworld; w++) {
    if (b->status[w] != VV_ERROR_NOT_CONVERGED) continue;
    if (report) *report = b->reports[w];
    return b->status[w];
  }
  return VV_OK;
}

static vvStatus run_call(batchCall* call, vvParallelFn fn, vvReport* report) {
  vvBatch* b = call->b;
  for (int w = 0; w < b->nworld; w++) {
    b->status[w] = VV_OK;
    vv_report_clear(&b->reports[w]);
  }
  return conclude(b, vv_parallel_for(b->ctx, b->nworld, fn, call), report);
}

vvStatus vv_batch_rollout(vvBatch* b, const vvBatchInput* in, bool record, vvBatchOutput* out, vvReport* report) {
  vvStatus status = check_input(b, in, report);
  if (status == VV_OK) status = prepare_variants(b, in);
  if (status != VV_OK) return status;
  b->recorded = -1;
  batchCall call = {.b = b, .in = in, .record = record, .out = out};
  status = run_call(&call, rollout_world, report);
  if (out && out->residual_max) memcpy(out->residual_max, b->residual, sizeof(double) * (size_t)b->nworld);
  if (out && out->status) memcpy(out->status, b->status, sizeof(vvStatus) * (size_t)b->nworld);
  if (status != VV_OK) return status;
  if (record) b->recorded = in->nstep;
  return unconverged(b, report);
}

// ---- reverse --------------------------------------------------------------------------------------------------------

static vvStatus vjp_world(void* user, int w, int thread) {
  batchCall* c = user;
  vvBatch* b = c->b;
  batchThread* t = &b->threads[thread];
  const vvModel* m = b->m;
  const vvBatchGradient* g = c->g;
  vvRolloutInput r;
  vvReport* report = &b->reports[w];
  b->status[w] = world_input(b, c->in, w, t, &r, report);
  if (b->status[w] != VV_OK) return b->status[w];
  size_t n = (size_t)c->in->nstep, nv = (size_t)m->nv, nu = (size_t)m->nu, na = (size_t)m->na;
  size_t rows = (size_t)vv_batch_rows(c->in);
  vvRolloutSeed seed = {.outputs_bar = const_part(c->seed->outputs_bar, w, rows * (size_t)c->in->nout),
                        .q_bar = const_part(c->seed->q_bar, w, nv),
                        .v_bar = const_part(c->seed->v_bar, w, nv),
                        .act_bar = const_part(c->seed->act_bar, w, na)};
  vvGradient gradient = {.ctrl_bar = part(g->ctrl_bar, w, n * nu),
                         .applied_bar = part(g->applied_bar, w, n * nv),
                         .q0_bar = part(g->q0_bar, w, nv),
                         .v0_bar = part(g->v0_bar, w, nv),
                         .act0_bar = part(g->act0_bar, w, na),
                         .adjoint_norm = part(g->adjoint_norm, w, n + 1)};
  bool numbers = g->nwrt > 0 && g->number_bar;
  if (numbers) {
    gradient.model = t->shadow;
    vv_model_shadow_zero(t->shadow);
  }
  b->status[w] = vv_rollout_vjp(&r, b->worlds[w].tape, t->work, &seed, &gradient, report);
  if (b->status[w] == VV_OK && numbers) b->status[w] = vv_model_derive_vjp(b->ctx, r.model, t->shadow);
  for (int i = 0; i < g->nwrt && numbers && b->status[w] == VV_OK; i++) {
    g->number_bar[(size_t)w * (size_t)g->nwrt + (size_t)i] = vv_number_bar(t->shadow, g->wrt[i]);
  }
  return b->status[w];
}

// Numbers asked for must be differentiable; the first that is not is refused by name.
static vvStatus check_wrt(const vvBatch* b, const int* wrt, int nwrt, vvReport* report) {
  for (int i = 0; i < nwrt; i++) {
    if (wrt[i] < 0 || wrt[i] >= b->m->names->nnumber) {
      return vv_report_set(report, VV_ERROR_ARGUMENT, "there is no number %d", wrt[i]);
    }
    const vvNumber* number = &b->m->names->numbers[wrt[i]];
    if (number->reason) {
      return vv_report_set(report, VV_ERROR_UNSUPPORTED, "%.120s is not differentiable: %.100s", number->name,
                           number->reason);
    }
  }
  return VV_OK;
}

static vvStatus check_recorded(const vvBatch* b, const vvBatchInput* in, vvReport* report) {
  if (b->recorded >= 0 && b->recorded == in->nstep && same_numbers(b, in)) return VV_OK;
  return vv_report_set(report, VV_ERROR_ARGUMENT, "no recorded rollout of %d steps; roll out with recording first",
                       in->nstep);
}

vvStatus vv_batch_vjp(vvBatch* b, const vvBatchInput* in, const vvBatchSeed* seed, const vvBatchGradient* gradient,
                      vvReport* report) {
  vvStatus status = check_input(b, in, report);
  if (status == VV_OK && (!seed || !gradient)) status = VV_ERROR_ARGUMENT;
  if (status == VV_OK) status = check_recorded(b, in, report);
  if (status == VV_OK) status = check_wrt(b, gradient->wrt, gradient->nwrt, report);
  if (status != VV_OK) return status;
  if (!(b->use & VV_ROLLOUT_REVERSE)) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "the batch was not made for reverse sweeps");
  }
  batchCall call = {.b = b, .in = in, .seed = seed, .g = gradient};
  return run_call(&call, vjp_world, report);
}

// ---- forward --------------------------------------------------------------------------------------------------------

// Cuts and zeroes the thread's scratch.
static vvStatus cut_tangents(vvBatch* b, batchThread* t, const vvBatchInput* in, bool model, tangents* x) {
  size_t nv = (size_t)b->m->nv, na = (size_t)b->m->na;
  size_t nctrl = in->ctrl ? (size_t)in->nctrl * (size_t)b->m->nu : 0;
  size_t out = (size_t)vv_batch_rows(in) * (size_t)in->nout;
  size_t n = 4 * nv + 2 * na + nctrl + out + 1;
  vvStatus status = reserve8(b, t, n, model);
  if (status != VV_OK) return status;
  memset(t->tan8, 0, n * sizeof(vvReal8));
  if (model) memset(t->reals8, 0, t->reals8_size * sizeof(vvReal8));
  x->q0 = t->tan8;
  x->v0 = x->q0 + nv;
  x->act0 = x->v0 + nv;
  x->q = x->act0 + na;
  x->v = x->q + nv;
  x->act = x->v + nv;
  x->ctrl = x->act + na;
  x->out = x->ctrl + nctrl;
  return VV_OK;
}

static vvStatus sweep(const vvRolloutInput* r, const vvTape* tape, batchThread* t, const tangents* x, bool model,
                      vvReport* report) {
  vvRolloutTangent in = {.reals_tan = model ? t->reals8 : NULL,
                         .q0_tan = x->q0,
                         .v0_tan = x->v0,
                         .act0_tan = x->act0,
                         .ctrl_tan = r->ctrl ? x->ctrl : NULL};
  vvRolloutOutputTangent out = {.outputs_tan = x->out, .q_tan = x->q, .v_tan = x->v, .act_tan = x->act};
  return vv_rollout_jvp8(r, tape, t->work, &in, &out, report);
}

static void load8(vvReal8* to, const vvReal* from, int w, size_t n) {
  for (size_t i = 0; from && i < n; i++) to[i][0] = from[(size_t)w * n + i];
}

static void store8(vvReal* to, const vvReal8* from, int w, size_t n) {
  for (size_t i = 0; to && i < n; i++) to[(size_t)w * n + i] = from[i][0];
}

static vvStatus jvp_world(void* user, int w, int thread) {
  batchCall* c = user;
  vvBatch* b = c->b;
  batchThread* t = &b->threads[thread];
  const vvBatchTangent* d = c->tan;
  size_t nv = (size_t)b->m->nv, na = (size_t)b->m->na;
  bool numbers = d->nwrt > 0 && d->number_tan;
  vvRolloutInput r;
  tangents x;
  b->status[w] = world_input(b, c->in, w, t, &r, &b->reports[w]);
  if (b->status[w] == VV_OK) b->status[w] = cut_tangents(b, t, c->in, numbers, &x);
  if (b->status[w] != VV_OK) return b->status[w];
  load8(x.q0, d->q0_tan, w, nv);
  load8(x.v0, d->v0_tan, w, nv);
  load8(x.act0, d->act0_tan, w, na);
  if (c->in->ctrl) load8(x.ctrl, d->ctrl_tan, w, (size_t)c->in->nctrl * (size_t)b->m->nu);
  for (int i = 0; i < d->nwrt && numbers; i++) {
    const vvNumber* number = &b->m->names->numbers[d->wrt[i]];
    for (int k = 0; k < number->nmember; k++) {
      t->reals8[number->members[k]][0] += d->number_tan[(size_t)w * (size_t)d->nwrt + (size_t)i];
    }
  }
  if (numbers) b->status[w] = vv_model_derive_jvp8(b->ctx, r.model, t->reals8);
  if (b->status[w] == VV_OK) b->status[w] = sweep(&r, b->worlds[w].tape, t, &x, numbers, &b->reports[w]);
  if (b->status[w] != VV_OK) return b->status[w];
  store8(c->out_tan->outputs_tan, x.out, w, (size_t)vv_batch_rows(c->in) * (size_t)c->in->nout);
  store8(c->out_tan->q_tan, x.q, w, nv);
  store8(c->out_tan->v_tan, x.v, w, nv);
  store8(c->out_tan->act_tan, x.act, w, na);
  return VV_OK;
}

vvStatus vv_batch_jvp(vvBatch* b, const vvBatchInput* in, const vvBatchTangent* tangent,
                      const vvBatchOutputTangent* out, vvReport* report) {
  vvStatus status = check_input(b, in, report);
  if (status == VV_OK && (!tangent || !out)) status = VV_ERROR_ARGUMENT;
  if (status == VV_OK) status = check_recorded(b, in, report);
  if (status == VV_OK) status = check_wrt(b, tangent->wrt, tangent->nwrt, report);
  if (status != VV_OK) return status;
  if (!(b->use & VV_ROLLOUT_TANGENT)) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "the batch was not made for forward sensitivities");
  }
  batchCall call = {.b = b, .in = in, .tan = tangent, .out_tan = out};
  return run_call(&call, jvp_world, report);
}

// ---- Jacobians ------------------------------------------------------------------------------------------------------

// Entry i of (dq, v, act, u) at the start of the step.
static vvReal8* entry(const vvModel* m, const tangents* x, int i) {
  if (i < m->nv) return &x->q0[i];
  i -= m->nv;
  if (i < m->nv) return &x->v0[i];
  i -= m->nv;
  return i < m->na ? &x->act0[i] : &x->ctrl[i - m->na];
}

static void take_column(const vvModel* m, const tangents* x, int nout, int column, int lane, vvReal* X, vvReal* Y,
                        int width) {
  for (int i = 0; X && i < m->nv; i++) X[i * width + column] = x->q[i][lane];
  for (int i = 0; X && i < m->nv; i++) X[(m->nv + i) * width + column] = x->v[i][lane];
  for (int i = 0; X && i < m->na; i++) X[(2 * m->nv + i) * width + column] = x->act[i][lane];
  for (int i = 0; Y && i < nout; i++) Y[i * width + column] = x->out[i][lane];
}

static vvStatus jacobian_world(void* user, int w, int thread) {
  batchCall* c = user;
  vvBatch* b = c->b;
  batchThread* t = &b->threads[thread];
  const vvModel* m = b->m;
  int nx = 2 * m->nv + m->na, nu = m->nu, ny = c->in->nout;
  vvRolloutInput r;
  tangents x;
  vvStatus worst = world_input(b, c->in, w, t, &r, &b->reports[w]);
  if (worst == VV_OK) worst = vv_rollout(&r, b->worlds[w].tape, t->work, NULL, &b->reports[w]);
  b->status[w] = worst;
  if (worst != VV_OK && worst != VV_ERROR_NOT_CONVERGED) return worst;
  size_t i = (size_t)w;
  vvReal* A = part(c->jac->A, w, (size_t)nx * (size_t)nx);
  vvReal* B = part(c->jac->B, w, (size_t)nx * (size_t)nu);
  vvReal* C = part(c->jac->C, w, (size_t)ny * (size_t)nx);
  vvReal* D = part(c->jac->D, w, (size_t)ny * (size_t)nu);
  for (int begin = 0; begin < nx + nu; begin += 8) {
    vvStatus status = cut_tangents(b, t, c->in, false, &x);
    for (int lane = 0; lane < 8 && begin + lane < nx + nu && status == VV_OK; lane++) {
      (*entry(m, &x, begin + lane))[lane] = 1;
    }
    if (status == VV_OK) status = sweep(&r, b->worlds[i].tape, t, &x, false, &b->reports[w]);
    if (status != VV_OK) return b->status[w] = status;
    for (int lane = 0; lane < 8 && begin + lane < nx + nu; lane++) {
      int column = begin + lane;
      if (column < nx) take_column(m, &x, ny, column, lane, A, C, nx);
      if (column >= nx) take_column(m, &x, ny, column - nx, lane, B, D, nu);
    }
  }
  return VV_OK;
}

vvStatus vv_batch_jacobian(vvBatch* b, const vvBatchInput* in, const vvBatchJacobian* jacobian, vvReport* report) {
  vvStatus status = check_input(b, in, report);
  if (status == VV_OK && !jacobian) status = VV_ERROR_ARGUMENT;
  if (status != VV_OK) return status;
  if (!(b->use & VV_ROLLOUT_TANGENT)) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "the batch was not made for forward sensitivities");
  }
  if (!in->ctrl && b->m->nu > 0) return vv_report_set(report, VV_ERROR_ARGUMENT, "Jacobians need a row of controls");
  status = prepare_variants(b, in);
  if (status != VV_OK) return status;
  b->recorded = -1;
  vvBatchInput one = *in;
  one.nstep = 1;
  one.stride = 2;  // outputs at the state that the step leaves, row 0
  batchCall call = {.b = b, .in = &one, .jac = jacobian};
  status = run_call(&call, jacobian_world, report);
  return status == VV_OK ? unconverged(b, report) : status;
}
