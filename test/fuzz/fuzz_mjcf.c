// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// fuzz_mjcf.c: hostile scenes. Whatever the bytes are: a status and one line that names the place, or a scene that is
// written, read again and compiled; small ones then take a few steps and the reverse sweep over them, which ends with
// finite numbers or with a status and a message. All memory comes back.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "visviva/visviva.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void require(bool good, const char* what, const vvReport* report) {
  if (good) return;
  fprintf(stderr, "%s: status %d, message '%s'\n", what, (int)report->status, report->message);
  abort();
}

// A refusal says where ("fuzz.xml:LINE: ..." or "fuzz.xml: ...") in one line.
static void check_refusal(vvStatus status, const vvReport* report) {
  if (status == VV_ERROR_MEMORY) return;
  require(strncmp(report->message, "fuzz.xml:", 9) == 0, "the message names no place", report);
  for (const char* p = report->message; *p; p++)
    require((unsigned char)*p >= ' ', "the message is not one line", report);
}

static void check_round_trip(vvContext* context, vvSpec* spec) {
  vvReport report;
  char* text = NULL;
  size_t length = 0;
  vv_report_clear(&report);
  require(vv_spec_write_text(spec, &text, &length, &report) == VV_OK, "a scene that was read is not written", &report);
  vvSpec* again = NULL;
  vvStatus status = vv_spec_read_text(context, text, length, "fuzz.xml", &again, &report);
  if (status != VV_OK) fprintf(stderr, "%s\n", text);
  require(status == VV_OK, "a scene that was written is not read", &report);
  vv_spec_free(again);
  vv_free(context, text, length + 1);
}

enum { STEPS = 4, DOFS_MOST = 80, ELEMENTS_MOST = 200 };

static bool all_finite(const vvReal* x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

// A run that fails says why in one line.
static bool check_run(vvStatus status, const vvReport* report) {
  if (status == VV_OK || status == VV_ERROR_NOT_CONVERGED) return true;
  require(status == VV_ERROR_MEMORY || report->message[0], "a run fails without a message", report);
  return false;
}

typedef struct vvFuzzRun {
  vvRolloutInput in;
  vvRolloutSeed seed;
  vvGradient gradient;
  vvRollout* work;
  vvTape* tape;
  vvOutputItem* items;
  vvReal *ctrl, *ones, *outputs, *bars;
  int nctrl, nones, nbars;
} vvFuzzRun;

static bool prepare(vvContext* context, const vvModel* m, vvFuzzRun* r) {
  int rows = STEPS + 1, nout = m->nsensordata;
  r->nctrl = m->nu;
  r->nones = rows * nout + 2 * m->nv + m->na;
  r->nbars = STEPS * m->nu + 2 * m->nv + m->na;
  r->ctrl = VV_NEW(context, vvReal, (size_t)r->nctrl);
  r->ones = VV_NEW(context, vvReal, (size_t)r->nones);
  r->outputs = VV_NEW(context, vvReal, (size_t)(rows * nout));
  r->bars = VV_NEW(context, vvReal, (size_t)r->nbars);
  r->items = VV_NEW(context, vvOutputItem, (size_t)m->nsensor);
  if (!r->ctrl || !r->ones || !r->outputs || !r->bars || !r->items) return false;
  for (int i = 0; i < r->nctrl; i++) r->ctrl[i] = (vvReal)0.3;
  for (int i = 0; i < r->nones; i++) r->ones[i] = 1;
  r->in = (vvRolloutInput){.model = m, .nstep = STEPS, .items = r->items, .nitem = m->nsensor, .nout = nout};
  if (m->nu > 0) {
    r->in.ctrl = r->ctrl;
    r->in.nctrl = 1;
  }
  if (nout == 0) r->in.items = NULL;
  vvReal* x = r->ones;
  r->seed = (vvRolloutSeed){x, NULL, x + rows * nout, x + rows * nout + m->nv, x + rows * nout + 2 * m->nv};
  vvReal* b = r->bars;
  r->gradient.ctrl_bar = b;
  r->gradient.q0_bar = b + STEPS * m->nu;
  r->gradient.v0_bar = r->gradient.q0_bar + m->nv;
  r->gradient.act0_bar = r->gradient.v0_bar + m->nv;
  return vv_model_shadow(context, m, &r->gradient.model) == VV_OK && vv_tape_create(context, &r->tape) == VV_OK &&
         vv_rollout_create(context, m, VV_ROLLOUT_REVERSE, &r->work) == VV_OK;
}

static void clear(vvContext* context, const vvModel* m, vvFuzzRun* r) {
  vv_rollout_free(r->work);
  vv_tape_free(r->tape);
  if (r->gradient.model) vv_model_shadow_free(context, r->gradient.model);
  VV_DELETE(context, r->ctrl, vvReal, (size_t)r->nctrl);
  VV_DELETE(context, r->ones, vvReal, (size_t)r->nones);
  VV_DELETE(context, r->outputs, vvReal, (size_t)((STEPS + 1) * m->nsensordata));
  VV_DELETE(context, r->bars, vvReal, (size_t)r->nbars);
  VV_DELETE(context, r->items, vvOutputItem, (size_t)m->nsensor);
}

// A few steps and back.
static void check_motion(vvContext* context, const vvModel* m) {
  if (m->nv > DOFS_MOST || m->ngeom > ELEMENTS_MOST || m->nsensor > ELEMENTS_MOST || m->nu > ELEMENTS_MOST) return;
  vvFuzzRun r = {0};
  vvReport report;
  vv_report_clear(&report);
  if (prepare(context, m, &r) && (m->nsensor == 0 || vv_output_sensors(m, r.items, &report) == VV_OK)) {
    vvRolloutOutput out = {.outputs = r.outputs};
    if (check_run(vv_rollout(&r.in, r.tape, r.work, &out, &report), &report)) {
      require(all_finite(r.outputs, (STEPS + 1) * m->nsensordata), "a sensor is not finite", &report);
      vv_report_clear(&report);
      if (check_run(vv_rollout_vjp(&r.in, r.tape, r.work, &r.seed, &r.gradient, &report), &report))
        require(vv_model_derive_vjp(context, m, r.gradient.model) == VV_OK, "derived numbers have no reverse", &report);
    }
  }
  clear(context, m, &r);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vvContext* context = NULL;
  vvReport report;
  vv_report_clear(&report);
  if (vv_context_create(NULL, &context) != VV_OK) return 0;
  vvSpec* spec = NULL;
  vvStatus status = vv_spec_read_text(context, (const char*)data, size, "fuzz.xml", &spec, &report);
  if (status == VV_OK) {
    check_round_trip(context, spec);
    vvModel* model = NULL;
    status = vv_compile(context, spec, &model, &report);
    require(status == VV_OK || (!model && report.message[0]), "a scene is refused without a message", &report);
    if (model) check_motion(context, model);
    if (model) vv_model_free(context, model);
    vv_spec_free(spec);
  } else {
    check_refusal(status, &report);
    require(spec == NULL, "a refused scene is not NULL", &report);
  }
  require(vv_context_memory(context).bytes == 0, "memory was kept", &report);
  vv_context_destroy(context);
  return 0;
}
