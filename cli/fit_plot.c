// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// fit_plot.c: report.png: a script for gnuplot with its data inside, piped to the program. Four panels: errors before
// and after, error over time within a window, loss over iterations, numbers over iterations.

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/fit_report.h"

static const char* const colors[] = {"#2c6fbb", "#d1603d", "#3a9a5b", "#8d5aa8",
                                     "#c2a12c", "#4aa6a6", "#b5537a", "#6b6b6b"};

enum { NUMBERS_DRAWN = 8 };

// Text inside double quotes, without gnuplot's enhanced marks.
static void put_text(FILE* f, const char* text) {
  fputc('"', f);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\' || *text == '`' || (unsigned char)*text < 32) {
      fputc('?', f);
    } else {
      fputc(*text, f);
    }
  }
  fputc('"', f);
}

static void put_number(FILE* f, double x) {
  if (isfinite(x)) {
    vv_print_real(f, x);
  } else {
    fputs("NaN", f);
  }
  fputc(' ', f);
}

static void begin(FILE* f, const char* path) {
  fprintf(f, "set terminal pngcairo noenhanced size 1500,1000 font 'sans,12' background '#ffffff'\nset output ");
  put_text(f, path);
  fprintf(f,
          "\nset border 3 lc rgb '#555555'\nset tics nomirror textcolor rgb '#333333'\n"
          "set grid ytics lc rgb '#dddddd' lw 1 lt 1\nset key top left reverse Left noopaque\n"
          "set multiplot layout 2,2 margins 0.08,0.97,0.09,0.94 spacing 0.11,0.13\n");
}

// Bars: rms before and after, in multiples of the error before, per signal.
static void errors(FILE* f, const vvFitResult* r) {
  bool held = r->nwindow_held_out > 0;
  fprintf(f,
          "set title 'Error left, share of the error before'\nset style data histograms\n"
          "set style histogram clustered gap 1\nset style fill solid 0.9 noborder\nset boxwidth 0.9\n"
          "set yrange [0:1.35]\nset xtics norotate\n$e << EOD\n");
  for (int i = 0; i < r->nsignal; i++) {
    const vvFitSignal* s = &r->signals[i];
    char label[128];
    snprintf(label, sizeof label, "%.80s%s%s%s", s->name, s->unit[0] ? " [" : "", s->unit, s->unit[0] ? "]" : "");
    put_text(f, label);
    fputc(' ', f);
    put_number(f, 1);
    put_number(f, s->fitted / s->before);
    put_number(f, held ? s->held_out / s->held_out_before : (double)NAN);
    fputc('\n', f);
  }
  fprintf(f, "EOD\nplot $e using 2:xtic(1) lc rgb '#c9c9c9' title 'before', $e using 3 lc rgb '%s' title 'fitted'",
          colors[0]);
  if (held) fprintf(f, ", $e using 4 lc rgb '%s' title 'held out'", colors[2]);
  for (int i = 0; i < r->nsignal; i++) {
    const vvFitSignal* s = &r->signals[i];
    const double at[3] = {1, s->fitted / s->before, s->held_out / s->held_out_before};
    const double value[3] = {s->before, s->fitted, s->held_out};
    for (int k = 0; k < (held ? 3 : 2); k++) {
      double x = i + (k - (held ? 1.0 : 0.5)) / (held ? 4.0 : 3.0);
      fprintf(f, ", '+' using (%.6f):(%.6f):(", x, isfinite(at[k]) ? at[k] + 0.04 : 0);
      char text[40];
      snprintf(text, sizeof text, "%.3g", value[k]);
      put_text(f, text);
      fprintf(f, ") every ::::0 with labels font ',10' tc rgb '#333333' notitle");
    }
  }
  fprintf(f, "\nunset boxwidth\nset yrange [*:*]\nset xtics autofreq\n");
}

// rms over the time after a window's start; each signal scaled by its largest error before.
static void over_time(FILE* f, const vvFitResult* r) {
  fprintf(f,
          "set title 'Error over the time after a window starts, by its largest before'\nset style data lines\n"
          "set xlabel 'time [s]'\nset yrange [0:*]\n");
  for (int i = 0; i < r->nsignal; i++) {
    double most = 0;
    for (int k = 0; k < r->nlag; k++) most = fmax(most, r->lag_before[i * r->nlag + k]);
    fprintf(f, "$t%d << EOD\n0 0 0\n", i);
    for (int k = 0; k < r->nlag; k++) {
      put_number(f, r->lag[k]);
      put_number(f, r->lag_before[i * r->nlag + k] / most);
      put_number(f, r->lag_fitted[i * r->nlag + k] / most);
      fputc('\n', f);
    }
    fprintf(f, "EOD\n");
  }
  fprintf(f, "plot ");
  for (int i = 0; i < r->nsignal; i++) {
    const char* color = colors[i % NUMBERS_DRAWN];
    char title[128];
    fprintf(f, "%s$t%d using 1:2 lw 2 dt 2 lc rgb '%s' title ", i ? ", " : "", i, color);
    snprintf(title, sizeof title, "%.80s, before", r->signals[i].name);
    put_text(f, title);
    fprintf(f, ", $t%d using 1:3 lw 3 lc rgb '%s' title ", i, color);
    snprintf(title, sizeof title, "%.80s, fitted", r->signals[i].name);
    put_text(f, title);
  }
  fprintf(f, "\nset yrange [*:*]\n");
}

static void over_iterations(FILE* f, const vvFitResult* r) {
  fprintf(f, "set title 'Loss per sample'\nset xlabel 'iteration'\nset logscale y\nset format y '%%g'\n$l << EOD\n");
  for (int i = 0; i < r->ntrace; i++) {
    put_number(f, i);
    put_number(f, r->trace[i].loss_per_sample);
    put_number(f, r->trace[i].level);
    fputc('\n', f);
    if (i + 1 < r->ntrace && r->trace[i + 1].level != r->trace[i].level) fputc('\n', f);
  }
  fprintf(f,
          "EOD\nplot $l using 1:2 with linespoints lw 2 pt 7 ps 1 lc rgb '%s' title "
          "'a gap: on to more windows'\nunset logscale y\n",
          colors[0]);
}

// Numbers by their ends: 1 is the fitted value.
static void numbers(FILE* f, const vvFitResult* r) {
  int n = r->nnumber < NUMBERS_DRAWN ? r->nnumber : NUMBERS_DRAWN;
  fprintf(f, "set title 'Numbers, divided by their fitted values'\nset key top right noreverse Right\n$n << EOD\n");
  for (int i = 0; i < r->ntrace; i++) {
    put_number(f, i);
    for (int k = 0; k < n; k++) {
      double end = r->numbers[k].value;
      put_number(f, end != 0 ? r->trace[i].value[k] / end : (double)NAN);
    }
    fputc('\n', f);
  }
  fprintf(f, "EOD\nplot ");
  for (int k = 0; k < n; k++) {
    char title[160];
    snprintf(title, sizeof title, "%.80s = %.4g", r->numbers[k].name, r->numbers[k].value);
    fprintf(f, "%s$n using 1:%d with lines lw 2.5 lc rgb '%s' title ", k ? ", " : "", k + 2, colors[k]);
    put_text(f, title);
  }
  fprintf(f, "\nunset multiplot\nset output\n");
}

bool vv_fit_report_picture(const char* path, const vvFitResult* r, const char** reason) {
  *reason = "gnuplot is not installed";
  if (system("command -v gnuplot >/dev/null 2>&1") != 0) return false;
  unlink(path);
  struct sigaction ignore, before;
  memset(&ignore, 0, sizeof ignore);
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, &before);
  FILE* f = popen("gnuplot >/dev/null 2>&1", "w");
  bool good = f != NULL;
  if (f) {
    begin(f, path);
    errors(f, r);
    over_time(f, r);
    over_iterations(f, r);
    numbers(f, r);
    good = pclose(f) == 0;
  }
  sigaction(SIGPIPE, &before, NULL);
  *reason = "gnuplot failed";
  return good && access(path, R_OK) == 0;
}
