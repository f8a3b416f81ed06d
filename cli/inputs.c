// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// inputs.c: states, controls and the options that name them (inputs.h).

#include "cli/inputs.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/json_out.h"
#include "cli/table.h"
#include "visviva/names.h"
#include "visviva/spec.h"

// Copies the JSON array `value` of exactly n finite numbers.
static vvStatus read_reals(const char* path, const char* key, const json_t* value, vvReal* x, int n, vvReport* report) {
  if (!json_is_array(value) || json_array_size(value) != (size_t)n) {
    return vv_report_set(report, VV_ERROR_FILE, "%s: %s: must be a list of %d numbers", path, key, n);
  }
  for (int i = 0; i < n; i++) {
    const json_t* item = json_array_get(value, (size_t)i);
    if (!json_is_number(item)) {
      return vv_report_set(report, VV_ERROR_FILE, "%s: %s/%d: must be a number", path, key, i);
    }
    x[i] = (vvReal)json_number_value(item);
  }
  return VV_OK;
}

// Which equalities are active is a part of the scene; a state may repeat it.
static vvStatus check_active(const vvModel* m, const char* path, const json_t* value, vvReport* report) {
  bool same = json_is_array(value) && (json_array_size(value) == (size_t)m->neq || json_array_size(value) == 0);
  for (size_t e = 0; same && e < json_array_size(value); e++) {
    const json_t* item = json_array_get(value, e);
    bool on = json_is_true(item) || (json_is_number(item) && json_number_value(item) != 0);
    same = on == (m->eq_active[e] != 0);
  }
  if (same) return VV_OK;
  return vv_report_set(report, VV_ERROR_FILE,
                       "%s: eq_active: must be a list of %d, as the scene has them; state active=\"...\" there", path,
                       m->neq);
}

// Quaternions of q must have a direction.
static vvStatus check_quaternions(const vvModel* m, const char* path, const vvReal* q, vvReport* report) {
  for (int j = 0; j < m->njnt; j++) {
    bool free = m->jnt_type[j] == VV_JOINT_FREE;
    if (!free && m->jnt_type[j] != VV_JOINT_BALL) continue;
    const vvReal* p = q + m->jnt_q[j] + (free ? 3 : 0);
    if (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3] < 1e-20) {
      return vv_report_set(report, VV_ERROR_FILE, "%s: qpos/%d: a quaternion must not be zero", path, (int)(p - q));
    }
  }
  return VV_OK;
}

static vvStatus read_key(const vvModel* m, const char* path, const char* key, const json_t* value, vvState* state,
                         vvReal* ctrl, bool* has_ctrl, vvReport* report) {
  if (strcmp(key, "time") == 0) {
    if (!json_is_number(value)) return vv_report_set(report, VV_ERROR_FILE, "%s: time: must be a number", path);
    state->time[0] = (vvReal)json_number_value(value);
    return VV_OK;
  }
  if (strcmp(key, "qpos") == 0) {
    vvStatus status = read_reals(path, key, value, state->q, m->nq, report);
    return status == VV_OK ? check_quaternions(m, path, state->q, report) : status;
  }
  if (strcmp(key, "qvel") == 0) return read_reals(path, key, value, state->v, m->nv, report);
  if (strcmp(key, "act") == 0) return read_reals(path, key, value, state->act, m->na, report);
  if (strcmp(key, "warmstart") == 0) return read_reals(path, key, value, state->warmstart, m->nv, report);
  if (strcmp(key, "ctrl") == 0) {
    *has_ctrl = true;
    if (ctrl) return read_reals(path, key, value, ctrl, m->nu, report);
    return VV_OK;
  }
  if (strcmp(key, "eq_active") == 0) return check_active(m, path, value, report);
  static const char* const empty[] = {"mocap_pos", "mocap_quat", "history"};
  for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
    if (strcmp(key, empty[i]) == 0) return read_reals(path, key, value, NULL, 0, report);
  }
  if (strcmp(key, "particles") == 0) {
    if (json_is_object(value) && json_object_size(value) == 0) return VV_OK;
    return vv_report_set(report, VV_ERROR_FILE, "%s: particles: the scene has none; leave the key out", path);
  }
  return vv_report_set(report, VV_ERROR_FILE,
                       "%s: %.60s: unknown key; time, qpos, qvel, act, ctrl, warmstart are known", path, key);
}

vvStatus vv_state_read(vvContext* ctx, const vvModel* m, const char* path, vvState* state, vvReal* ctrl, bool* has_ctrl,
                       vvReport* report) {
  char* text = NULL;
  size_t bytes = 0;
  vvStatus status = vv_file_read(ctx, path, &text, &bytes, report);
  if (status != VV_OK) return status;
  size_t skip = bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  json_error_t error;
  json_t* root = json_loadb(text + skip, bytes - skip, JSON_REJECT_DUPLICATES, &error);
  vv_free(ctx, text, bytes + 1);
  if (!root) return vv_report_set(report, VV_ERROR_FILE, "%s:%d: %s", path, error.line, error.text);
  if (!json_is_object(root)) {
    status = vv_report_set(report, VV_ERROR_FILE, "%s: must hold one JSON object", path);
  }
  for (void* at = json_object_iter(root); at && status == VV_OK; at = json_object_iter_next(root, at)) {
    status = read_key(m, path, json_object_iter_key(at), json_object_iter_value(at), state, ctrl, has_ctrl, report);
  }
  json_decref(root);
  return status;
}

static bool write_state(FILE* file, const vvModel* m, const vvState* state, const vvReal* ctrl) {
  vvJsonOut j = vv_json_begin(file);
  vv_json_object(&j);
  vv_json_key(&j, "time");
  vv_json_real(&j, (double)state->time[0]);
  vv_json_reals(&j, "qpos", state->q, m->nq);
  vv_json_reals(&j, "qvel", state->v, m->nv);
  vv_json_reals(&j, "act", state->act, m->na);
  vv_json_reals(&j, "ctrl", ctrl, m->nu);
  vv_json_reals(&j, "mocap_pos", NULL, 0);
  vv_json_reals(&j, "mocap_quat", NULL, 0);
  vv_json_key(&j, "eq_active");
  vv_json_array(&j);
  for (int e = 0; e < m->neq; e++) vv_json_int(&j, m->eq_active[e]);
  vv_json_end(&j);
  vv_json_reals(&j, "history", NULL, 0);
  vv_json_reals(&j, "warmstart", state->warmstart, m->nv);
  vv_json_key(&j, "particles");
  vv_json_object(&j);
  vv_json_end(&j);
  vv_json_end(&j);
  return vv_json_finish(&j);
}

vvStatus vv_state_write(const vvModel* m, const vvState* state, const vvReal* ctrl, const char* path,
                        vvReport* report) {
  char part[4096];
  struct stat info;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {  // a device or pipe: not replaced
    FILE* special = fopen(path, "wb");
    bool written = special && write_state(special, m, state, ctrl);
    if (special) written = fclose(special) == 0 && written;
    if (written) return VV_OK;
    return vv_report_set(report, VV_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
  }
  if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part) {
    return vv_report_set(report, VV_ERROR_FILE, "the name of the state file is too long");
  }
  FILE* file = fopen(part, "wb");
  if (!file) return vv_report_set(report, VV_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
  bool good = write_state(file, m, state, ctrl);
  good = fclose(file) == 0 && good;
  if (good && rename(part, path) == 0) return VV_OK;
  int error = errno;
  remove(part);
  return vv_report_set(report, VV_ERROR_FILE, "%s: cannot be written: %s", path, strerror(error));
}

// Which actuator a column drives.
static vvStatus match_columns(const vvModel* m, const vvTable* table, const char* path, int* actuator,
                              vvReport* report) {
  if (!table->name) {
    if (table->nrow > 0 && table->ncol != m->nu) {
      return vv_report_set(report, VV_ERROR_FILE, "%s:%d: %d columns; the scene has %d actuators", path, table->line[0],
                           table->ncol, m->nu);
    }
    for (int i = 0; i < table->ncol; i++) actuator[i] = i;
    return VV_OK;
  }
  for (int i = 0; i < table->ncol; i++) {
    actuator[i] = vv_model_find(m, VV_ELEMENT_ACTUATOR, table->name[i]);
    if (actuator[i] < 0) {
      return vv_report_set(report, VV_ERROR_FILE, "%s:1: column '%.60s' is no actuator of the scene", path,
                           table->name[i]);
    }
    for (int k = 0; k < i; k++) {
      if (actuator[k] == actuator[i]) {
        return vv_report_set(report, VV_ERROR_FILE, "%s:1: column '%.60s' is given twice", path, table->name[i]);
      }
    }
  }
  return VV_OK;
}

static vvStatus fill_controls(vvContext* ctx, const vvModel* m, const vvTable* table, const char* path, int nstep,
                              vvReal** rows, int* nrow, vvReport* report) {
  if (table->nrow == 0) return vv_report_set(report, VV_ERROR_FILE, "%s: holds no rows; give at least one", path);
  if (nstep >= 0 && table->nrow > nstep) {
    return vv_report_set(report, VV_ERROR_FILE, "%s:%d: more rows than the %d steps", path, table->line[nstep], nstep);
  }
  int* actuator = VV_NEW(ctx, int, table->ncol);
  if (!actuator) return VV_ERROR_MEMORY;
  vvStatus status = match_columns(m, table, path, actuator, report);
  if (status == VV_OK) {
    *rows = VV_NEW(ctx, vvReal, (size_t)table->nrow * (size_t)m->nu);
    status = *rows ? VV_OK : VV_ERROR_MEMORY;
  }
  if (status == VV_OK) {
    *nrow = table->nrow;
    for (int k = 0; k < table->nrow; k++) {
      for (int i = 0; i < table->ncol; i++) {
        (*rows)[(size_t)k * (size_t)m->nu + (size_t)actuator[i]] =
            (vvReal)table->value[(size_t)k * (size_t)table->ncol + (size_t)i];
      }
    }
  }
  VV_DELETE(ctx, actuator, int, table->ncol);
  return status;
}

vvStatus vv_controls_read(vvContext* ctx, const vvModel* m, const char* path, int nstep, vvReal** rows, int* nrow,
                          vvReport* report) {
  *rows = NULL;
  *nrow = 0;
  vvTable table;
  vvStatus status = vv_table_read(ctx, path, &table, report);
  if (status != VV_OK) return status;
  status = fill_controls(ctx, m, &table, path, nstep, rows, nrow, report);
  vv_table_free(&table);
  return status;
}

// The keyframe's controls, or S.json's, as one held row.
static vvStatus set_initial(vvCli* cli, vvCliScene* s, vvReport* report) {
  const vvModel* m = s->model;
  const char* key = vv_cli_text(cli, "keyframe");
  const char* init = vv_cli_text(cli, "init");
  if (!key && !init) return VV_OK;
  bool has_ctrl = false;
  s->stated = true;
  s->ctrl = VV_NEW(s->ctx, vvReal, m->nu);
  if (!s->ctrl) return VV_ERROR_MEMORY;
  if (key) {
    int k = vv_model_find(m, VV_ELEMENT_KEY, key);
    if (k < 0) return vv_report_set(report, VV_ERROR_ARGUMENT, "--keyframe %.80s: no keyframe of the scene", key);
    vv_state_keyframe(m, k, s->state);
    memcpy(s->ctrl, m->key_ctrl + (size_t)k * (size_t)m->nu, (size_t)m->nu * sizeof(vvReal));
    has_ctrl = true;
  }
  if (init) {
    vvStatus status = vv_state_read(s->ctx, m, init, s->state, s->ctrl, &has_ctrl, report);
    if (status != VV_OK) return status;
  }
  if (has_ctrl) {
    s->nctrl = 1;
    return VV_OK;
  }
  VV_DELETE(s->ctx, s->ctrl, vvReal, m->nu);
  s->ctrl = NULL;
  return VV_OK;
}

static vvStatus load(vvCli* cli, int nstep, vvCliScene* s, vvReport* report) {
  vvStatus status = vv_model_load_file(s->ctx, cli->position[0], &s->model, report);
  if (status == VV_OK) status = vv_state_create(s->ctx, s->model, &s->state);
  if (status == VV_OK) status = set_initial(cli, s, report);
  const char* path = vv_cli_text(cli, "ctrl");
  if (status != VV_OK || !path) return status;
  VV_DELETE(s->ctx, s->ctrl, vvReal, s->model->nu);
  s->ctrl = NULL;
  return vv_controls_read(s->ctx, s->model, path, nstep, &s->ctrl, &s->nctrl, report);
}

int vv_cli_scene_load(vvCli* cli, int nstep, vvCliScene* scene) {
  vvReport report;
  vv_report_clear(&report);
  memset(scene, 0, sizeof *scene);
  scene->ctx = cli->context;
  return vv_cli_fail(load(cli, nstep, scene, &report), &report, cli->position[0]);
}

void vv_cli_scene_free(vvCliScene* scene) {
  if (!scene->model) return;
  if (scene->ctrl) {
    VV_DELETE(scene->ctx, scene->ctrl, vvReal,
              (size_t)(scene->nctrl > 0 ? scene->nctrl : 1) * (size_t)scene->model->nu);
  }
  vv_state_free(scene->ctx, scene->state);
  vv_model_free(scene->ctx, scene->model);
  memset(scene, 0, sizeof *scene);
}
