// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// row_loss.c: a user's kernel as the loss of a rollout (row_loss.h).
//
// outputs  of a row: q (nq), v (nv), activations (na), then the sensors

#include "visviva/row_loss.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "visviva/arena.h"

struct vvRowLoss {
  vvContext* ctx;
  const vvKernelFunction* f;
  vvOutputItem* items;
  int nitem, nout, capacity;
  int sensor;  // where the sensors begin in a row
  const vvReal* data;
  int ndata, ndatum;
};

// What one evaluation works on; arrays of one block.
typedef struct vvRowWork {
  vvState *state, *state_bar;
  vvModel* m_bar;
  bool own_m_bar;
  vvReal *ctrl, *ctrl_bar, *data_bar, *block;
  size_t reals;
  vvTapeMem tape;
} vvRowWork;

enum { TAPE_START = 1 << 16, SLOTS = 7 };

static bool text_is(const vvKernelType* t, const char* text) {
  return strcmp(t->text, text) == 0;
}

static vvStatus check_function(const vvKernelFunction* f, bool data, vvReport* report) {
  static const char* const types[SLOTS] = {
      "const vvModel*", "const vvState*", "const vvReal*", "const vvReal*", "const vvReal*", "int", "int"};
  bool good = f->narg == SLOTS && f->value.kind == VV_KERNEL_REAL && f->value.size == sizeof(vvReal);
  for (int i = 0; good && i < SLOTS; i++) good = text_is(&f->arg[i], types[i]);
  if (!good) {
    return vv_report_set(report, VV_ERROR_ARGUMENT,
                         "%.60s: a loss is vvReal f(const vvModel* m, const vvState* s, const vvReal* ctrl, const "
                         "vvReal* sensor, const vvReal* data, int step, int nstep)",
                         f->name);
  }
  if (f->arg[4].used && !data) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "%.60s reads data; give its rows with --data", f->name);
  }
  return VV_OK;
}

static vvStatus add_item(vvRowLoss* l, const vvModel* m, const char* what, int i, vvReport* report) {
  char name[32];
  snprintf(name, sizeof name, "%s[%d]", what, i);
  vvOutputItem* item = &l->items[l->nitem];
  vvStatus status = vv_output_find(m, name, item, report);
  if (status != VV_OK) return status;
  item->adr = l->nout;
  l->nout += item->dim;
  l->nitem++;
  return VV_OK;
}

static vvStatus add_items(vvRowLoss* l, const vvModel* m, vvReport* report) {
  vvStatus status = VV_OK;
  for (int i = 0; i < m->nq && status == VV_OK; i++) status = add_item(l, m, "qpos", i, report);
  for (int i = 0; i < m->nv && status == VV_OK; i++) status = add_item(l, m, "qvel", i, report);
  for (int i = 0; i < m->na && status == VV_OK; i++) status = add_item(l, m, "act", i, report);
  if (status != VV_OK) return status;
  l->sensor = l->nout;
  status = vv_output_sensors(m, l->items + l->nitem, report);
  for (int i = 0; i < m->nsensor && status == VV_OK; i++) {
    vvOutputItem* item = &l->items[l->nitem++];
    item->adr += l->sensor;
    if (item->adr + item->dim > l->nout) l->nout = item->adr + item->dim;
  }
  return status;
}

vvStatus vv_row_loss_create(vvContext* ctx, const vvModel* m, const vvKernelFunction* f, const vvReal* data, int ndata,
                            int ndatum, vvRowLoss** loss, vvReport* report) {
  *loss = NULL;
  vv_report_clear(report);
  vvStatus status = check_function(f, data != NULL, report);
  if (status != VV_OK) return status;
  vvRowLoss* l = VV_NEW(ctx, vvRowLoss, 1);
  if (!l) return VV_ERROR_MEMORY;
  *l = (vvRowLoss){.ctx = ctx, .f = f, .data = data, .ndata = ndata, .ndatum = ndatum};
  l->capacity = m->nq + m->nv + m->na + m->nsensor;
  l->items = VV_NEW(ctx, vvOutputItem, l->capacity);
  status = l->items ? add_items(l, m, report) : VV_ERROR_MEMORY;
  if (status != VV_OK) {
    vv_row_loss_free(l);
    return status;
  }
  *loss = l;
  return VV_OK;
}

void vv_row_loss_free(vvRowLoss* l) {
  if (!l) return;
  VV_DELETE(l->ctx, l->items, vvOutputItem, l->capacity);
  VV_DELETE(l->ctx, l, vvRowLoss, 1);
}

const vvOutputItem* vv_row_loss_items(const vvRowLoss* l, int* nitem, int* nout) {
  *nitem = l->nitem;
  *nout = l->nout;
  return l->items;
}

// evaluation

static void free_work(const vvRowLoss* l, const vvModel* m, vvRowWork* w) {
  (void)m;
  vv_state_free(l->ctx, w->state);
  vv_state_free(l->ctx, w->state_bar);
  if (w->own_m_bar && w->m_bar) vv_model_shadow_free(l->ctx, w->m_bar);
  VV_DELETE(l->ctx, w->block, vvReal, w->reals);
  if (w->tape.base) vv_tape_mem_free(&w->tape, l->ctx);
}

static vvStatus make_work(const vvRowLoss* l, const vvModel* m, bool reverse, vvModel* m_bar, vvRowWork* w) {
  memset(w, 0, sizeof *w);
  vvStatus status = vv_state_create(l->ctx, m, &w->state);
  w->reals = 2 * (size_t)m->nu + (size_t)l->ndatum + 3;
  w->block = VV_NEW(l->ctx, vvReal, w->reals);
  if (status == VV_OK && !w->block) status = VV_ERROR_MEMORY;
  if (status != VV_OK || !reverse) return status;
  w->ctrl = w->block;
  w->ctrl_bar = w->ctrl + m->nu + 1;
  w->data_bar = w->ctrl_bar + m->nu + 1;
  w->m_bar = m_bar;
  w->own_m_bar = !m_bar;
  status = vv_state_create(l->ctx, m, &w->state_bar);
  if (status == VV_OK && !m_bar) status = vv_model_shadow(l->ctx, m, &w->m_bar);
  if (status == VV_OK) status = vv_tape_mem_init(&w->tape, l->ctx, TAPE_START);
  return status;
}

static void set_state(const vvModel* m, const vvReal* row, vvReal time, vvState* s) {
  memcpy(s->q, row, (size_t)m->nq * sizeof(vvReal));
  memcpy(s->v, row + m->nq, (size_t)m->nv * sizeof(vvReal));
  if (m->na > 0) memcpy(s->act, row + m->nq + m->nv, (size_t)m->na * sizeof(vvReal));
  s->time[0] = time;
}

// Arguments of the function at row k.
static void set_row(const vvRowLoss* l, const vvRolloutInput* in, const vvReal* outputs, const vvReal* time, int k,
                    vvRowWork* w, void** args) {
  const vvModel* m = in->model;
  const vvReal* row = outputs + (size_t)k * (size_t)l->nout;
  set_state(m, row, time[k], w->state);
  const vvReal* ctrl = NULL;
  if (k < in->nstep) {
    int at = k < in->nctrl ? k : in->nctrl - 1;
    ctrl = in->ctrl && in->nctrl > 0 ? in->ctrl + (size_t)at * (size_t)m->nu : w->block;  // zeros
  }
  args[0] = (void*)m;
  args[1] = w->state;
  args[2] = (void*)ctrl;
  args[3] = (void*)(row + l->sensor);
  args[4] = l->data ? (void*)(l->data + (size_t)k * (size_t)l->ndatum) : NULL;
}

static vvStatus check_rows(const vvRowLoss* l, const vvRolloutInput* in) {
  return l->data && in->nstep + 1 > l->ndata ? VV_ERROR_ARGUMENT : VV_OK;
}

vvStatus vv_row_loss_value(const vvRowLoss* l, const vvRolloutInput* in, const vvReal* outputs, const vvReal* time,
                           double* value, double* terms) {
  vvRowWork w;
  vvStatus status = check_rows(l, in);
  if (status != VV_OK) return status;
  status = make_work(l, in->model, false, NULL, &w);
  *value = 0;
  if (terms) *terms = 0;
  for (int k = 0; k <= in->nstep && status == VV_OK; k++) {
    vvReal one = 0;
    void* args[SLOTS + 1] = {0};
    set_row(l, in, outputs, time, k, &w, args);
    int nstep = in->nstep;
    args[5] = &k;
    args[6] = &nstep;
    args[7] = &one;
    l->f->call(args);
    *value += (double)one;
    if (terms) *terms += fabs((double)one);
  }
  free_work(l, in->model, &w);
  return status;
}

// Runs the reverse derivative, with a larger tape when it asks for one. Bars that a first try has touched are lost, so
// it must be tried on bars that can be made again: those of the state only; the model's are kept apart until it works.
static vvStatus run_vjp(const vvRowLoss* l, vvRowWork* w, void** args) {
  args[2 * SLOTS + 2] = &w->tape;
  w->tape.used = w->tape.peak = 0;
  w->tape.overflow = 0;
  l->f->vjp(args);
  return w->tape.overflow ? VV_ERROR_CAPACITY : VV_OK;
}

static void clear_bars(const vvRowLoss* l, const vvModel* m, vvRowWork* w) {
  memset(w->state_bar->block, 0, w->state_bar->size * sizeof(vvReal));
  memset(w->ctrl_bar, 0, ((size_t)m->nu + 1) * sizeof(vvReal));
  memset(w->data_bar, 0, ((size_t)l->ndatum + 1) * sizeof(vvReal));
}

static vvStatus reverse_row(const vvRowLoss* l, const vvRolloutInput* in, const vvReal* outputs, const vvReal* time,
                            int k, vvRowWork* w, vvReal* row_bar) {
  const vvModel* m = in->model;
  vvReal one = 0, seed = 1;
  int nstep = in->nstep;
  void* args[2 * SLOTS + 3] = {0};
  set_row(l, in, outputs, time, k, w, args);
  args[5] = &k;
  args[6] = &nstep;
  args[SLOTS] = &one;
  args[SLOTS + 1] = &seed;
  args[SLOTS + 2] = w->m_bar;
  args[SLOTS + 3] = w->state_bar;
  args[SLOTS + 4] = w->ctrl_bar;
  args[SLOTS + 5] = row_bar + l->sensor;
  args[SLOTS + 6] = w->data_bar;
  clear_bars(l, m, w);
  memset(row_bar, 0, (size_t)l->nout * sizeof(vvReal));
  vvStatus status = run_vjp(l, w, args);
  if (status != VV_OK) return status;
  memcpy(row_bar, w->state_bar->q, (size_t)m->nq * sizeof(vvReal));
  memcpy(row_bar + m->nq, w->state_bar->v, (size_t)m->nv * sizeof(vvReal));
  if (m->na > 0) memcpy(row_bar + m->nq + m->nv, w->state_bar->act, (size_t)m->na * sizeof(vvReal));
  return VV_OK;
}

// The tape that the rows need, found on bars that are thrown away.
static vvStatus size_tape(const vvRowLoss* l, const vvRolloutInput* in, const vvReal* outputs, const vvReal* time,
                          vvReal* row_bar, size_t* bytes) {
  vvRowWork w;
  vvStatus status = make_work(l, in->model, true, NULL, &w);
  *bytes = TAPE_START;
  for (int k = 0; k <= in->nstep && status == VV_OK; k++) {
    status = reverse_row(l, in, outputs, time, k, &w, row_bar);
    if (w.tape.peak > *bytes) *bytes = w.tape.peak;
    if (status == VV_ERROR_CAPACITY) {
      size_t peak = w.tape.peak;
      vv_tape_mem_free(&w.tape, l->ctx);
      status = vv_tape_mem_init(&w.tape, l->ctx, 2 * peak);
      k--;
    }
  }
  free_work(l, in->model, &w);
  return status;
}

vvStatus vv_row_loss_vjp(const vvRowLoss* l, const vvRolloutInput* in, const vvReal* outputs, const vvReal* time,
                         vvReal* outputs_bar, vvReal* time_bar, vvReal* ctrl_bar, vvModel* m_bar) {
  const vvModel* m = in->model;
  vvStatus status = check_rows(l, in);
  size_t bytes = 0;
  if (status == VV_OK) status = size_tape(l, in, outputs, time, outputs_bar, &bytes);
  if (status != VV_OK) return status;
  vvRowWork w;
  status = make_work(l, m, true, m_bar, &w);
  if (status == VV_OK && bytes > TAPE_START) {
    vv_tape_mem_free(&w.tape, l->ctx);
    status = vv_tape_mem_init(&w.tape, l->ctx, bytes);
  }
  for (int k = 0; k <= in->nstep && status == VV_OK; k++) {
    status = reverse_row(l, in, outputs, time, k, &w, outputs_bar + (size_t)k * (size_t)l->nout);
    time_bar[k] = w.state_bar->time[0];
    for (int i = 0; ctrl_bar && k < in->nstep && i < m->nu; i++)
      ctrl_bar[(size_t)k * (size_t)m->nu + (size_t)i] += w.ctrl_bar[i];
  }
  free_work(l, m, &w);
  return status;
}
