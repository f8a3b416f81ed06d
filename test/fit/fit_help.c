// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// fit_help.c: see fit_help.h.

#include "fit/fit_help.h"

#include "vvtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/random.h"
#include "core/text.h"
#include "visviva/output.h"
#include "visviva/roll.h"

enum { PATHS = 4, ITEMS = 16 };

const char* fit_folder(void) {
  static char folder[128];
  if (!folder[0]) {
    snprintf(folder, sizeof folder, "/tmp/visviva-fit-XXXXXX");
    assert_non_null(mkdtemp(folder));
  }
  return folder;
}

const char* fit_path(const char* name) {
  static char paths[PATHS][256];
  static int next = 0;
  char* path = paths[next++ % PATHS];
  snprintf(path, sizeof paths[0], "%s/%s", fit_folder(), name);
  return path;
}

void fit_write(const char* name, const char* text) {
  FILE* file = fopen(fit_path(name), "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static void toss(const vvModel* m, vvState* s, vvRandom* random) {
  vv_state_reset(m, s);
  for (int j = 0; j < m->njnt; j++) {
    vvReal *q = s->q + m->jnt_q[j], *v = s->v + m->jnt_v[j];
    if (m->jnt_type[j] == VV_JOINT_FREE) {
      double sum = 0, r[4];
      for (int k = 0; k < 4; k++) {
        r[k] = vv_random_normal(random);
        sum += r[k] * r[k];
      }
      for (int k = 0; k < 4; k++) q[3 + k] = (vvReal)(r[k] / sqrt(sum));
      q[2] = (vvReal)(0.11 + 0.05 * vv_random_uniform(random));
      for (int k = 0; k < 2; k++) v[k] = (vvReal)vv_random_normal(random);
      for (int k = 3; k < 6; k++) v[k] = (vvReal)(2 * vv_random_normal(random));
    } else {
      q[0] = (vvReal)(0.5 * vv_random_normal(random));
      v[0] = (vvReal)vv_random_normal(random);
    }
  }
}

static void put(FILE* file, vvReal x) {
  char text[VV_REAL_TEXT_BYTES];
  vv_real_to_text((double)x, text);
  fprintf(file, ",%s", text);
}

void fit_record(vvContext* context, const char* xml, const char* const* outputs, int noutput, int nepisode, int nsample,
                int every, const char* name) {
  vvReport report;
  vvModel* m = NULL;
  vvState* state = NULL;
  vvRollout* work = NULL;
  vvOutputItem items[ITEMS];
  vvRolloutInput in;
  memset(&in, 0, sizeof in);
  fit_write("recorded.xml", xml);
  vv_report_clear(&report);
  vvStatus status = vv_model_load_file(context, fit_path("recorded.xml"), &m, &report);
  if (status != VV_OK) print_error("%s\n", report.message);
  assert_int_equal(status, VV_OK);
  for (int i = 0; i < noutput; i++) {
    assert_int_equal(vv_output_find(m, outputs[i], &items[i], &report), VV_OK);
    items[i].adr = in.nout;
    in.nout += items[i].dim;
  }
  assert_int_equal(vv_state_create(context, m, &state), VV_OK);
  assert_int_equal(vv_rollout_create(context, m, VV_ROLLOUT_FORWARD, &work), VV_OK);
  FILE* file = fopen(fit_path(name), "w");
  assert_non_null(file);
  fprintf(file, "toss,t");
  for (int c = 0; c < in.nout; c++) fprintf(file, ",q%d", c);
  fprintf(file, "\n");
  int rows[1024];
  for (int k = 0; k < nsample; k++) rows[k] = k * every;
  vvReal* out = malloc(sizeof(vvReal) * (size_t)(nsample * in.nout));
  vvRandom random = vv_random_init(11, 0);
  in.model = m;
  in.initial = state;
  in.nstep = (nsample - 1) * every;
  in.items = items;
  in.nitem = noutput;
  in.rows = rows;
  in.nrow = nsample;
  for (int e = 0; e < nepisode; e++) {
    toss(m, state, &random);
    vvRolloutOutput result;
    memset(&result, 0, sizeof result);
    result.outputs = out;
    assert_int_equal(vv_rollout(&in, NULL, work, &result, &report), VV_OK);
    for (int k = 0; k < nsample; k++) {
      fprintf(file, "%d", e);
      put(file, (vvReal)rows[k] * m->opt_timestep[0]);
      for (int c = 0; c < in.nout; c++) put(file, out[k * in.nout + c]);
      fprintf(file, "\n");
    }
  }
  fclose(file);
  free(out);
  vv_rollout_free(work);
  vv_state_free(context, state);
  vv_model_free(context, m);
}
