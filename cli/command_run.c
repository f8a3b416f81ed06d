// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// command_run.c: vv run: simulates a scene and writes what is asked for: the trajectory, the final state, a picture.

#include <errno.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/inputs.h"
#include "cli/json_out.h"
#include "cli/picture.h"
#include "visviva/names.h"
#include "visviva/output.h"
#include "visviva/rigid.h"

#define MAX_FRAMES 600
#define MAX_STEPS 1000000000

typedef struct Run {
  vvCli* cli;
  vvCliScene scene;
  vvRigidWork* work;
  vvReport report;
  long nstep;
  long done;       // steps
  double seconds;  // in steps
  double residual_max;
  int contacts_max;
  bool unconverged;
  FILE* out;  // trajectory
  bool write_failed;
  vvOutputItem* items;   // nsensor
  vvReal* sensors;       // nsensordata
  uint64_t* signatures;  // nstep
  vvReal* frames;        // nframe_max x nq   for the picture
  vvReal* frame_times;
  int nframe, nframe_max;
} Run;

// Seconds of the simulating thread, so that other programs on the machine count less.
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const vvReal* controls_at(const Run* run, long step) {
  const vvCliScene* s = &run->scene;
  if (!s->ctrl || s->nctrl == 0) return NULL;
  long row = step < s->nctrl ? step : s->nctrl - 1;
  return s->ctrl + row * s->model->nu;
}

// ---- trajectory ----------------------------------------------------------------------------------------------------

static void write_header(Run* run) {
  const vvModel* m = run->scene.model;
  char name[512];
  fputs("t", run->out);
  for (int i = 0; i < m->nq; i++) fprintf(run->out, ",qpos[%d]", i);
  for (int i = 0; i < m->nv; i++) fprintf(run->out, ",qvel[%d]", i);
  for (int i = 0; i < m->na; i++) fprintf(run->out, ",act[%d]", i);
  for (int s = 0; s < m->nsensor; s++) {
    const char* raw = m->names->element[VV_ELEMENT_SENSOR] ? m->names->element[VV_ELEMENT_SENSOR][s] : "";
    if (raw[0]) {
      vv_name_escape(raw, name, sizeof name);
    } else {
      snprintf(name, sizeof name, "#%d", s);
    }
    for (int i = 0; i < m->sensor_dim[s]; i++) fprintf(run->out, ",sensor/%s[%d]", name, i);
  }
  fputc('\n', run->out);
}

static void write_reals(FILE* file, const vvReal* x, int n) {
  for (int i = 0; i < n; i++) {
    fputc(',', file);
    vv_print_real(file, (double)x[i]);
  }
}

static void write_row(Run* run, const vvReal* ctrl) {
  const vvModel* m = run->scene.model;
  const vvState* s = run->scene.state;
  vv_output_evaluate(m, s->q, s->v, s->act, ctrl, run->items, m->nsensor, run->work, run->sensors);
  vv_print_real(run->out, (double)s->time[0]);
  write_reals(run->out, s->q, m->nq);
  write_reals(run->out, s->v, m->nv);
  write_reals(run->out, s->act, m->na);
  write_reals(run->out, run->sensors, m->nsensordata);
  fputc('\n', run->out);
}

// ---- set-up --------------------------------------------------------------------------------------------------------

// Number of steps from --steps, or from --time and the timestep.
static int read_length(Run* run) {
  vvCli* cli = run->cli;
  double seconds = 0;
  if (vv_cli_has(cli, "steps") == vv_cli_has(cli, "time")) {
    return vv_cli_error("vv run needs --steps N or --time T, one of them");
  }
  if (!vv_cli_int(cli, "steps", 0, MAX_STEPS, &run->nstep)) return VV_EXIT_USAGE;
  if (!vv_cli_real(cli, "time", 0, 1e9, &seconds)) return VV_EXIT_USAGE;
  int code = vv_cli_scene_load(cli, vv_cli_has(cli, "steps") ? (int)run->nstep : -1, &run->scene);
  if (code != VV_EXIT_DONE || vv_cli_has(cli, "steps")) return code;
  double count = seconds / (double)run->scene.model->opt_timestep[0];
  if (!(count <= MAX_STEPS)) return vv_cli_error("--time %g is more than %d steps", seconds, MAX_STEPS);
  run->nstep = (long)(count + 0.5);
  if (run->scene.nctrl > 1 && run->scene.nctrl > run->nstep) {
    return vv_cli_error("%s: %d rows of controls for %ld steps; leave out rows or simulate longer",
                        vv_cli_text(cli, "ctrl") ? vv_cli_text(cli, "ctrl") : "controls", run->scene.nctrl, run->nstep);
  }
  return VV_EXIT_DONE;
}

static vvStatus prepare_memory(Run* run) {
  vvContext* ctx = run->cli->context;
  const vvModel* m = run->scene.model;
  vvStatus status = vv_rigid_work_create(ctx, m, &run->work);
  if (status != VV_OK) return status;
  if (vv_cli_has(run->cli, "out")) {
    run->items = VV_NEW(ctx, vvOutputItem, m->nsensor);
    run->sensors = VV_NEW(ctx, vvReal, m->nsensordata);
    if (!run->items || !run->sensors) return VV_ERROR_MEMORY;
    status = vv_output_sensors(m, run->items, &run->report);
    if (status != VV_OK) return status;
  }
  if (vv_cli_has(run->cli, "signature")) {
    run->signatures = VV_NEW(ctx, uint64_t, run->nstep);
    if (!run->signatures) return VV_ERROR_MEMORY;
  }
  if (vv_cli_has(run->cli, "picture")) {
    run->nframe_max = run->nstep + 1 < MAX_FRAMES ? (int)run->nstep + 1 : MAX_FRAMES;
    run->frames = VV_NEW(ctx, vvReal, (size_t)run->nframe_max * (size_t)m->nq);
    run->frame_times = VV_NEW(ctx, vvReal, run->nframe_max);
    if (!run->frames || !run->frame_times) return VV_ERROR_MEMORY;
  }
  return VV_OK;
}

static int prepare(Run* run) {
  vvCli* cli = run->cli;
  const char* picture = vv_cli_text(cli, "picture");
  const char* out = vv_cli_text(cli, "out");
  if (vv_cli_has(cli, "static")) return vv_cli_error("--static is not built yet");
  if (picture && !vv_picture_name_valid(picture)) {
    return vv_cli_error("--picture %s: the name must end with .png or .gif", picture);
  }
  if (!vv_cli_apart(cli, "out") || !vv_cli_apart(cli, "save") || !vv_cli_apart(cli, "picture")) return VV_EXIT_USAGE;
  int code = read_length(run);
  if (code != VV_EXIT_DONE) return code;
  vvStatus status = prepare_memory(run);
  if (status != VV_OK) return vv_cli_fail(status, &run->report, cli->position[0]);
  if (!out) return VV_EXIT_DONE;
  run->out = fopen(out, "w");
  if (!run->out) return vv_cli_error("%s: cannot be written: %s", out, strerror(errno));
  write_header(run);
  return VV_EXIT_DONE;
}

// ---- simulation ----------------------------------------------------------------------------------------------------

static void keep_frame(Run* run) {
  const vvModel* m = run->scene.model;
  long last = run->nstep, n = run->nframe_max;
  if (n == 0 || run->nframe >= n) return;
  long due = n > 1 ? (long)((double)last * (double)run->nframe / (double)(n - 1)) : 0;
  if (run->done < due) return;
  memcpy(run->frames + (size_t)run->nframe * (size_t)m->nq, run->scene.state->q, sizeof(vvReal) * (size_t)m->nq);
  run->frame_times[run->nframe++] = run->scene.state->time[0];
}

static void note_evaluation(Run* run) {
  const vvRigidWork* w = run->work;
  if ((double)w->residual > run->residual_max) run->residual_max = (double)w->residual;
  if (w->ncontact > run->contacts_max) run->contacts_max = w->ncontact;
  if (run->signatures) run->signatures[run->done] = w->signature;
}

// The state's row and frame; then, unless it is the last, the step.
static vvStatus simulate_step(Run* run, bool last) {
  const vvModel* m = run->scene.model;
  vvState* s = run->scene.state;
  const vvReal* ctrl = controls_at(run, run->done);
  keep_frame(run);
  if (last && !run->out) return VV_OK;
  vvStatus status = vv_rigid_evaluate(m, s->q, s->v, s->act, ctrl, NULL, NULL, s->warmstart, run->work);
  if (status == VV_ERROR_NOT_CONVERGED) {
    run->unconverged = true;
  } else if (status != VV_OK) {
    return status;
  }
  if (run->out) {
    double start = now();
    write_row(run, ctrl);
    run->write_failed = run->write_failed || ferror(run->out);
    run->seconds -= now() - start;
  }
  if (last) return VV_OK;
  for (int i = 1; i < vv_rigid_stages(m); i++) {
    status = vv_rigid_stage(m, s, i, ctrl, NULL, NULL, run->work);
    if (status == VV_ERROR_NOT_CONVERGED) {
      run->unconverged = true;
    } else if (status != VV_OK) {
      return status;
    }
  }
  note_evaluation(run);
  vv_rigid_advance(m, s, run->work);
  run->done++;
  return VV_OK;
}

// Seconds are those of all steps but for what writing rows takes.
static vvStatus simulate(Run* run) {
  double start = now();
  while (run->done < run->nstep) {
    if ((run->done & 255) == 0) {
      if (vv_context_cancelled(run->cli->context)) return VV_ERROR_CANCELLED;
      vv_context_progress(run->cli->context, (double)run->done / (double)run->nstep, "run");
    }
    vvStatus status = simulate_step(run, false);
    if (status != VV_OK) return status;
  }
  run->seconds += now() - start;
  vv_context_progress(run->cli->context, 1, "run");
  return simulate_step(run, true);
}

// ---- results -------------------------------------------------------------------------------------------------------

static int write_files(Run* run) {
  vvCli* cli = run->cli;
  const vvModel* m = run->scene.model;
  if (run->out) {
    bool bad = fclose(run->out) != 0 || run->write_failed;
    run->out = NULL;
    if (bad) return vv_cli_error("%s: cannot be written", vv_cli_text(cli, "out"));
  }
  if (vv_cli_text(cli, "save")) {
    long row = run->done > 0 ? run->done - 1 : 0;
    const vvReal* ctrl = controls_at(run, row);
    vvStatus status =
        vv_state_write(m, run->scene.state, ctrl ? ctrl : run->work->zero, vv_cli_text(cli, "save"), &run->report);
    if (status != VV_OK) return vv_cli_fail(status, &run->report, vv_cli_text(cli, "save"));
  }
  if (vv_cli_text(cli, "picture")) {
    vvStatus status = vv_picture_write(cli->context, vv_cli_text(cli, "picture"), m, run->frames, run->frame_times,
                                       run->nframe, &run->report);
    if (status != VV_OK) return vv_cli_fail(status, &run->report, vv_cli_text(cli, "picture"));
  }
  return VV_EXIT_DONE;
}

static void print_json(const Run* run) {
  const vvState* s = run->scene.state;
  vvJsonOut json = vv_json_begin(stdout);
  vv_json_object(&json);
  vv_json_key(&json, "steps");
  vv_json_int(&json, run->done);
  vv_json_key(&json, "time");
  vv_json_real(&json, (double)s->time[0]);
  vv_json_reals(&json, "qpos", s->q, s->nq);
  vv_json_reals(&json, "qvel", s->v, s->nv);
  vv_json_key(&json, "steps_per_second");
  vv_json_real(&json, run->seconds > 0 ? (double)run->done / run->seconds : 0);
  vv_json_key(&json, "residual_max");
  vv_json_real(&json, run->residual_max);
  vv_json_key(&json, "contacts_max");
  vv_json_int(&json, run->contacts_max);
  if (run->signatures) {
    vv_json_key(&json, "signature");
    vv_json_array(&json);
    for (long k = 0; k < run->done; k++) vv_json_hash(&json, run->signatures[k]);
    vv_json_end(&json);
  }
  vv_json_end(&json);
  vv_json_finish(&json);
}

static void print_text(const Run* run) {
  printf("%ld steps to time ", run->done);
  vv_print_real(stdout, (double)run->scene.state->time[0]);
  printf(" s, %.0f steps/s, at most %d contacts, residual %.2g\n",
         run->seconds > 0 ? (double)run->done / run->seconds : 0, run->contacts_max, run->residual_max);
}

static int finish(Run* run, vvStatus status) {
  int code = write_files(run);
  if (code != VV_EXIT_DONE) return code;
  if (status != VV_OK) {
    vvReport report = run->work->report;
    if (status == VV_ERROR_CANCELLED) vv_report_clear(&report);
    vv_report_set(&run->report, status, "%s: step %ld: %s", run->cli->position[0], run->done,
                  report.message[0] ? report.message : vv_status_text(status));
    return vv_cli_fail(status, &run->report, run->cli->position[0]);
  }
  if (run->cli->json) {
    print_json(run);
  } else if (!run->cli->quiet) {
    print_text(run);
  }
  if (run->unconverged) {
    vv_cli_error("%s: a solve did not converge, residual %.3g", run->cli->position[0], run->residual_max);
    return VV_EXIT_FAILED;
  }
  return VV_EXIT_DONE;
}

int vv_command_run(vvCli* cli) {
  Run run;
  memset(&run, 0, sizeof run);
  run.cli = cli;
  vv_report_clear(&run.report);
  int code = prepare(&run);
  if (code == VV_EXIT_DONE) code = finish(&run, simulate(&run));
  vvContext* ctx = cli->context;
  const vvModel* m = run.scene.model;
  if (run.out) fclose(run.out);
  if (run.items) VV_DELETE(ctx, run.items, vvOutputItem, m->nsensor);
  if (run.sensors) VV_DELETE(ctx, run.sensors, vvReal, m->nsensordata);
  if (run.signatures) VV_DELETE(ctx, run.signatures, uint64_t, run.nstep);
  if (run.frames) VV_DELETE(ctx, run.frames, vvReal, (size_t)run.nframe_max * (size_t)m->nq);
  if (run.frame_times) VV_DELETE(ctx, run.frame_times, vvReal, run.nframe_max);
  vv_rigid_work_free(run.work);
  vv_cli_scene_free(&run.scene);
  return code;
}
