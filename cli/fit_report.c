// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// fit_report.c: report.json and the table of vv fit.

#include "cli/fit_report.h"

#include <math.h>

#include "cli/json_out.h"

static const double strong = 0.98;  // a correlation that is named

static const char* stop_text(vvFitStop stop) {
  switch (stop) {
    case VV_FIT_CONVERGED:
      return "converged";
    case VV_FIT_STALLED:
      return "settled: no step gains more than the roughness of the loss";
    case VV_FIT_MAX_ITERATIONS:
      return "iterations used up";
  }
  return "";
}

static void put_real(vvJsonOut* j, const char* key, double value) {
  vv_json_key(j, key);
  vv_json_real(j, value);
}

static void put_list(vvJsonOut* j, const char* key, const double* values, int n) {
  if (key) vv_json_key(j, key);
  vv_json_array(j);
  for (int i = 0; i < n; i++) vv_json_real(j, values[i]);
  vv_json_end(j);
}

static void put_numbers(vvJsonOut* j, const vvFitResult* r) {
  vv_json_key(j, "numbers");
  vv_json_array(j);
  for (int i = 0; i < r->nnumber; i++) {
    const vvFitNumber* x = &r->numbers[i];
    vv_json_object(j);
    vv_json_key(j, "name");
    vv_json_text(j, x->name);
    put_real(j, "start", x->start);
    put_real(j, "value", x->value);
    put_real(j, "standard_error", x->standard_error);
    vv_json_key(j, "at_bound");
    vv_json_bool(j, x->at_bound);
    vv_json_end(j);
  }
  vv_json_end(j);
}

static void put_correlations(vvJsonOut* j, const vvFitResult* r) {
  vv_json_key(j, "correlations");
  vv_json_array(j);
  for (int i = 0; i < r->ncorrelation; i++) {
    const vvFitCorrelation* c = &r->correlations[i];
    vv_json_object(j);
    vv_json_key(j, "numbers");
    vv_json_array(j);
    vv_json_text(j, r->numbers[c->a].name);
    vv_json_text(j, r->numbers[c->b].name);
    vv_json_end(j);
    put_real(j, "r", c->r);
    vv_json_end(j);
  }
  vv_json_end(j);
}

static void put_directions(vvJsonOut* j, const vvFitResult* r) {
  vv_json_key(j, "unidentifiable");
  vv_json_array(j);
  for (int i = 0; i < r->nunidentifiable; i++) {
    const vvFitDirection* d = &r->unidentifiable[i];
    vv_json_object(j);
    vv_json_key(j, "direction");
    vv_json_object(j);
    for (int k = 0; k < r->nnumber; k++) {
      if (fabs(d->part[k]) > 0.05) put_real(j, r->numbers[k].name, d->part[k]);
    }
    vv_json_end(j);
    put_real(j, "spread", d->spread);
    vv_json_end(j);
  }
  vv_json_end(j);
}

typedef enum Error { FITTED, HELD_OUT, BEFORE, HELD_OUT_BEFORE } Error;

static double error_of(const vvFitSignal* s, Error which) {
  switch (which) {
    case FITTED:
      return s->fitted;
    case HELD_OUT:
      return s->held_out;
    case BEFORE:
      return s->before;
    case HELD_OUT_BEFORE:
      break;
  }
  return s->held_out_before;
}

static void put_errors(vvJsonOut* j, const vvFitResult* r) {
  static const char* const keys[] = {"fitted", "held_out", "before", "held_out_before"};
  vv_json_key(j, "error");
  vv_json_object(j);
  for (int e = FITTED; e <= HELD_OUT_BEFORE; e++) {
    vv_json_key(j, keys[e]);
    vv_json_object(j);
    for (int i = 0; i < r->nsignal; i++) {
      double value = error_of(&r->signals[i], (Error)e);
      if (!isnan(value)) put_real(j, r->signals[i].name, value);
    }
    vv_json_end(j);
  }
  vv_json_end(j);
}

static void put_starts(vvJsonOut* j, const vvFitResult* r) {
  vv_json_key(j, "starts");
  vv_json_array(j);
  for (int i = 0; i < r->nstart; i++) {
    const vvFitStart* s = &r->starts[i];
    vv_json_object(j);
    put_list(j, "start", s->start, r->nnumber);
    put_list(j, "value", s->value, r->nnumber);
    put_real(j, "loss", s->loss);
    vv_json_key(j, "iterations");
    vv_json_int(j, s->iterations);
    put_real(j, "seconds", s->seconds);
    vv_json_key(j, "end");
    vv_json_text(j, stop_text(s->stop));
    vv_json_end(j);
  }
  vv_json_end(j);
}

bool vv_fit_report_json(FILE* file, const vvFitResult* r) {
  vvJsonOut j = vv_json_begin(file);
  vv_json_object(&j);
  put_numbers(&j, r);
  put_correlations(&j, r);
  put_directions(&j, r);
  put_errors(&j, r);
  vv_json_key(&j, "windows");
  vv_json_object(&j);
  vv_json_key(&j, "fitted");
  vv_json_int(&j, r->nwindow);
  vv_json_key(&j, "held_out");
  vv_json_int(&j, r->nwindow_held_out);
  vv_json_key(&j, "episodes_too_short");
  vv_json_int(&j, r->nshort);
  vv_json_end(&j);
  vv_json_key(&j, "iterations");
  vv_json_int(&j, r->iterations);
  put_real(&j, "seconds", r->seconds);
  put_starts(&j, r);
  vv_json_end(&j);
  return vv_json_finish(&j);
}

// ---- for people --------------------------------------------------------------------------------------------------

static int name_width(const vvFitResult* r) {
  size_t width = 6;
  for (int i = 0; i < r->nnumber; i++) {
    size_t length = 0;
    while (r->numbers[i].name[length]) length++;
    if (length > width) width = length;
  }
  return width > 60 ? 60 : (int)width;
}

static void print_numbers(FILE* file, const vvFitResult* r) {
  int width = name_width(r);
  fprintf(file, "%-*s %14s %14s   %-12s\n", width, "number", "start", "fitted", "std. error");
  for (int i = 0; i < r->nnumber; i++) {
    const vvFitNumber* x = &r->numbers[i];
    fprintf(file, "%-*s %14.6g %14.6g   ", width, x->name, x->start, x->value);
    if (x->at_bound) {
      fprintf(file, "at its bound");
    } else if (isnan(x->standard_error)) {
      fprintf(file, "not determined");
    } else {
      fprintf(file, "%-12.2g", x->standard_error);
    }
    fprintf(file, "  %s\n", x->unit);
  }
}

static void print_errors(FILE* file, const vvFitResult* r) {
  bool held = r->nwindow_held_out > 0;
  fprintf(file, "\n%-24s %12s %12s%s   (rms; %d windows fitted", "error", "before", "fitted",
          held ? "     held out: before      fitted" : "", r->nwindow);
  if (held) fprintf(file, ", %d held out", r->nwindow_held_out);
  fprintf(file, ")\n");
  for (int i = 0; i < r->nsignal; i++) {
    const vvFitSignal* s = &r->signals[i];
    fprintf(file, "%-24s %12.5g %12.5g", s->name, s->before, s->fitted);
    if (held) fprintf(file, "         %12.5g %12.5g", s->held_out_before, s->held_out);
    fprintf(file, "   %s\n", s->unit);
  }
}

static void print_doubts(FILE* file, const vvFitResult* r) {
  for (int i = 0; i < r->ncorrelation && fabs(r->correlations[i].r) > strong; i++) {
    const vvFitCorrelation* c = &r->correlations[i];
    fprintf(file, "hardly told apart: %s and %s, correlation %.4f\n", r->numbers[c->a].name, r->numbers[c->b].name,
            c->r);
  }
  for (int i = 0; i < r->nunidentifiable; i++) {
    const vvFitDirection* d = &r->unidentifiable[i];
    fprintf(file, "not determined:");
    for (int k = 0; k < r->nnumber; k++) {
      if (fabs(d->part[k]) > 0.05) fprintf(file, " %+.2f %s", d->part[k], r->numbers[k].name);
    }
    fprintf(file, "\n");
  }
}

void vv_fit_report_text(FILE* file, const vvFitResult* r) {
  print_numbers(file, r);
  print_errors(file, r);
  fprintf(file, "\n");
  print_doubts(file, r);
  for (int i = 0; i < r->nstart; i++) {
    const vvFitStart* s = &r->starts[i];
    fprintf(file, "start %d: loss %.8g, %d iterations, %.1f s, %s%s\n", i + 1, s->loss, s->iterations, s->seconds,
            stop_text(s->stop), r->nstart > 1 && i == r->best ? " (best)" : "");
  }
  if (r->nshort) fprintf(file, "%d episodes are too short for a window\n", r->nshort);
}
