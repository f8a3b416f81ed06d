// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_problem.c: problems in YAML: one clear line with file and key path for each thing that is wrong; windows and
// episodes held out; ties.

#include "vvtest.h"

#include <stdio.h>
#include <string.h>

#include "fit/fit_help.h"
#include "fit/problem.h"

static const char* const scene =
    "<mujoco><option timestep=\"0.01\"/><worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 1\"/>"
    "<body name=\"ball\"><freejoint/><geom name=\"ball\" type=\"sphere\" size=\"0.1\"/></body>"
    "<body name=\"arm\"><joint name=\"h\" axis=\"0 1 0\"/><geom name=\"arm\" type=\"sphere\" "
    "size=\"0.1\"/></body></worldbody>"
    "<actuator><motor name=\"m\" joint=\"h\"/></actuator></mujoco>";

static int setup(void** state) {
  static vvContext* context;
  FILE* file = NULL;
  fit_write("scene.xml", scene);
  file = fopen(fit_path("r.csv"), "w");
  if (!file) return -1;
  fprintf(file, "e,t,x,y,z,a,b,c,d,half\n");
  for (int e = 0; e < 7; e++) {
    for (int k = 0; k < 11 + e; k++) {
      fprintf(file, "%d,%.17g,0,0,1,1,0,0,0,%g\n", e, 0.013 * k, e == 3 && k == 2 ? 2.5 : 2);
    }
  }
  if (fclose(file) != 0) return -1;
  *state = NULL;
  vvStatus status = vv_context_create(NULL, &context);
  *state = context;
  return status;
}

static int teardown(void** state) {
  size_t left = vv_context_memory(*state).bytes;
  vv_context_destroy(*state);
  return left != 0;
}

#define REC "scene: scene.xml\nrecording: {file: r.csv, time: t, episode: e}\n"
#define SIG "signals: {body/ball/pos: {columns: [x, y, z]}}\n"
#define FREE "free: {geom/ball/friction/0: {start: 1}}\n"

static vvStatus read_text(vvContext* context, const char* yaml, vvFitProblem** p, vvReport* report) {
  fit_write("p.yaml", yaml);
  vv_report_clear(report);
  return vv_fit_problem_read(context, fit_path("p.yaml"), NULL, 3, p, report);
}

typedef struct Bad {
  const char* yaml;
  const char* message;  // what follows the folder
} Bad;

static const Bad bad[] = {
    {"", "p.yaml: is empty; a mapping"},
    {"- a\n", "p.yaml: is a list [a, b, ...]; a mapping"},
    {"scene: [a\nb: }", "p.yaml:2: not YAML:"},
    {SIG FREE, "p.yaml: scene: is missing; a single value is needed"},
    {REC SIG FREE "windowz: {}\n", "p.yaml: windowz: unknown key; known here: scene, recording"},
    {REC SIG FREE "windows: {samples: 5}\nwindows: {samples: 6}\n", "p.yaml: windows: appears twice"},
    {REC SIG FREE "windows: {samples: -3}\n", "p.yaml: windows/samples: is -3; a whole number from 1"},
    {REC SIG FREE "windows: {samples: 2.5}\n", "p.yaml: windows/samples: is 2.5; a whole number"},
    {REC SIG FREE "windows: {samples: many}\n", "p.yaml: windows/samples: is \"many\"; a finite number"},
    {REC SIG FREE "windows: {samples: nan}\n", "p.yaml: windows/samples: is \"nan\"; a finite number"},
    {REC SIG FREE "windows: {samples: [1]}\n", "p.yaml: windows/samples: is a list"},
    {REC SIG FREE "windows: {hop: 3}\n", "p.yaml: windows/samples: is missing"},
    {REC SIG FREE "windows: {samples: 500}\n", "r.csv: no episode has the 501 samples that a window needs"},
    {REC FREE, "p.yaml: signals: is missing"},
    {REC "signals: {}\n" FREE, "p.yaml: signals: is empty"},
    {REC "signals: {body/bull/pos: {columns: [x, y, z]}}\n" FREE, "p.yaml: signals/body/bull/pos: "},
    {REC "signals: {body/ball/pos: {columns: [x, y]}}\n" FREE,
     "p.yaml: signals/body/ball/pos/columns: has 2 columns; this quantity has 3 numbers"},
    {REC "signals: {body/ball/pos: {columns: [x, y, zz]}}\n" FREE, "r.csv:1: no column \"zz\"; the header has e, t, x"},
    {REC "signals: {body/ball/pos: {columns: [x, y, z], weight: 0}}\n" FREE,
     "p.yaml: signals/body/ball/pos/weight: is 0; a positive number"},
    {REC "signals: {body/ball/quat: {columns: [x, y, b, c]}}\n" FREE,
     "r.csv:2: columns x...: the quaternion has length 0"},
    {REC SIG FREE "initial: {body/ball/pos: [x, y, z]}\n",
     "p.yaml: initial/body/ball/pos: sets a part of the state that"},
    {REC SIG FREE "initial: {geom/ball/size: [x]}\n", "p.yaml: initial/geom/ball/size: does not set the state"},
    {REC SIG FREE "initial: {body/arm/pos: [x, y, z]}\n", "p.yaml: initial/body/arm/pos: does not set the state"},
    {REC SIG FREE "controls: {q: x}\n", "p.yaml: controls/q: no such actuator"},
    {REC SIG, "p.yaml: free: is missing"},
    {REC SIG "free: {geom/ball/colour: {}}\n", "p.yaml: free/geom/ball/colour: the scene has no such number"},
    {REC SIG "free: {geom/ball/friction/1: {start: 1}}\n", "p.yaml: free/geom/ball/friction/1: cannot be fitted: "},
    {REC SIG "free: {opt/timestep: {}}\n", "p.yaml: free/opt/timestep: cannot be fitted"},
    {REC SIG "free: {geom/ball/friction/0: {start: 1, low: 0}}\n",
     "p.yaml: free/geom/ball/friction/0/low: unknown key; known here: start, min, max, scale, also"},
    {REC SIG "free: {geom/ball/friction/0: {start: 1, min: 2}}\n",
     "p.yaml: free/geom/ball/friction/0: start is 1; it must lie between 2 and inf"},
    {REC SIG "free: {geom/ball/friction/0: {start: 1, min: 2, max: 1}}\n",
     "p.yaml: free/geom/ball/friction/0: min is 2, max is 1; min must be below max"},
    {REC SIG "free: {geom/ball/friction/0: {start: 1, min: -1}}\n",
     "p.yaml: free/geom/ball/friction/0: min is -1; this number cannot be negative"},
    {REC SIG "free: {geom/ball/pos: {start: 0.1, min: -1, scale: log}}\n",
     "p.yaml: free/geom/ball/pos: min is -1; scale: log needs a min above 0"},
    {REC SIG "free: {geom/ball/friction/0: {start: 1, scale: cubic}}\n",
     "p.yaml: free/geom/ball/friction/0/scale: is \"cubic\"; log or linear"},
    {REC SIG "free: {geom/ball/pos: {start: [0, 0]}}\n",
     "p.yaml: free/geom/ball/pos/start: has 2 numbers; one, or a list of 3"},
    {REC SIG "free: {geom/ball/pos: {start: 0}, geom/ball/pos/1: {start: 0}}\n",
     "p.yaml: free/geom/ball/pos/1: sets a number that geom/ball/pos sets, too"},
    {REC SIG FREE "starts: [[1, 2]]\n", "p.yaml: starts/0: a list of 1 numbers is needed, in the order of free"},
    {REC SIG FREE "starts: [[-1]]\n", "p.yaml: starts/0/0: is -1; geom/ball/friction/0 lies between 0 and inf"},
    {REC SIG FREE "loss: {kind: l1}\n", "p.yaml: loss/kind: is \"l1\"; squares or huber"},
    {REC SIG FREE "loss: {kind: huber}\n", "p.yaml: loss/width: is missing"},
    {REC SIG FREE "loss: {kind: squares, width: 1}\n", "p.yaml: loss/width: has no meaning with squares"},
    {REC SIG FREE "held_out: {episodes: \"e % 0 == 0\"}\n",
     "p.yaml: held_out/episodes: is \"e % 0 == 0\"; COLUMN % M == R"},
    {REC SIG FREE "held_out: {episodes: \"e % 3 == 5\"}\n", "p.yaml: held_out/episodes: is"},
    {REC SIG FREE "held_out: {episodes: \"e % 99 == 50\"}\n", "p.yaml: held_out: no episode is held out"},
    {REC SIG FREE "held_out: {episodes: \"half % 2 == 0\"}\n",
     "r.csv:38: held_out/episodes: the column is 2.5 in this"},
    {REC SIG FREE "held_out: {episodes: \"t % 2 == 0\"}\n", "r.csv:2: held_out/episodes: the column is 0.013"},
    {REC SIG FREE "held_out: {share: 1.5}\n", "p.yaml: held_out/share: is 1.5; a number between 0 and 1"},
    {REC SIG FREE "held_out: {}\n", "p.yaml: held_out: episodes or share is needed"},
    {"scene: scene.xml\nrecording: {file: r.csv, time: t}\n" SIG FREE, "r.csv:13: column t is 0 after 0.13; time must"},
    {"scene: scene.xml\nrecording: {time: t}\n" SIG FREE, "p.yaml: recording/file: is missing; name a CSV file"},
    {"scene: scene.xml\nrecording: {file: no.csv, time: t}\n" SIG FREE, "no.csv: cannot be read: "},
    {"scene: no.xml\nrecording: {file: r.csv, time: t}\n" SIG FREE, "no.xml"},
};

static void refuses(void** state) {
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    vvFitProblem* p = NULL;
    vvReport report;
    char begin[512];
    vvStatus status = read_text(*state, bad[i].yaml, &p, &report);
    snprintf(begin, sizeof begin, "%s/%s", fit_folder(), bad[i].message);
    if (status == VV_OK || strncmp(report.message, begin, strlen(begin)) != 0) {
      print_error("case %zu (status %d):\n  %s\ndoes not begin with\n  %s\n", i, (int)status, report.message, begin);
      fail();
    }
    assert_null(p);
    assert_null(strchr(report.message, '\n'));
  }
}

static void cuts_windows(void** state) {
  vvFitProblem* p = NULL;
  vvReport report;
  assert_int_equal(
      read_text(*state, REC SIG FREE "windows: {samples: 12, hop: 2}\nheld_out: {episodes: \"e % 4 == 2\"}\n", &p,
                &report),
      VV_OK);
  // episodes of 11..17 rows: starts 0, 2, ... < rows - 12: 0, 0, 1, 1, 2, 2, 3 of them; 2 and 6 held out
  assert_int_equal(p->nshort, 2);
  assert_int_equal(p->nfitted, 1 + 2 + 2);
  assert_int_equal(p->nwindow, 1 + 2 + 2 + 1 + 3);
  // samples 0.013 s apart, steps of 0.01 s: at 1.3, 2.6, 3.9, 5.2, ..., 13 (on a step), ... steps
  const vvFitWindow* w = &p->windows[0];
  const vvFitPlace* place = p->places + w->places;
  const int* rows = p->rows + w->rows;
  for (int j = 0; j < 12; j++) {
    double x = 1.3 * (j + 1), got = rows[place[j].row] + place[j].share;
    assert_near(got, x, 1e-12);
    if (place[j].share > 0) assert_int_equal(rows[place[j].row + 1], rows[place[j].row] + 1);
  }
  assert_true(place[9].share == 0 && rows[place[9].row] == 13);
  for (int i = 1; i < w->nrow; i++) assert_true(rows[i] > rows[i - 1]);
  assert_int_equal(rows[w->nrow - 1], w->nstep);
  vv_fit_problem_free(p);
}

static void holds_out_a_share(void** state) {
  vvReport report;
  vvFitProblem *p = NULL, *again = NULL;
  assert_int_equal(read_text(*state, REC SIG FREE "held_out: {share: 0.3}\n", &p, &report), VV_OK);
  assert_int_equal(p->nwindow, 7);
  assert_int_equal(p->nfitted, 5);
  assert_int_equal(vv_fit_problem_read(*state, fit_path("p.yaml"), NULL, 3, &again, &report), VV_OK);
  assert_true(vv_fit_problem_hash(p) == vv_fit_problem_hash(again));
  vv_fit_problem_free(again);
  assert_int_equal(vv_fit_problem_read(*state, fit_path("p.yaml"), NULL, 4, &again, &report), VV_OK);
  assert_true(vv_fit_problem_hash(p) != vv_fit_problem_hash(again));
  vv_fit_problem_free(again);
  vv_fit_problem_free(p);
}

static void ties(void** state) {
  vvReport report;
  vvFitProblem* p = NULL;
  assert_int_equal(
      read_text(*state,
                REC SIG "free:\n  geom/ball/pos/*: {start: 0}\n  geom/floor/pos: {start: [0, 1, 2]}\n"
                        "  geom/floor/rot: {}\n  geom/ball/friction/0: {start: 1, also: [geom/floor/friction/0]}\n",
                &p, &report),
      VV_OK);
  assert_int_equal(p->nfree, 1 + 3 + 3 + 1);
  assert_int_equal(p->free[0].nnumber, 3);
  assert_string_equal(p->free[0].name, "geom/ball/pos/*");
  assert_string_equal(p->free[2].name, "geom/floor/pos/1");
  assert_true(p->free[3].start == 2);
  assert_int_equal(p->free[7].nnumber, 2);
  vv_fit_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(refuses, setup, teardown),
      cmocka_unit_test_setup_teardown(cuts_windows, setup, teardown),
      cmocka_unit_test_setup_teardown(holds_out_a_share, setup, teardown),
      cmocka_unit_test_setup_teardown(ties, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
