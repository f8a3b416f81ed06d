// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// problem.c: reads a problem: scene, recording, signals, initial, controls, windows, loss, held_out. `free` and
// `starts` are read by free.c, windows are cut by windows.c.

#include "fit/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "fit/names.h"
#include "fit/parameters.h"
#include "fit/yaml.h"

enum { COLUMN_MAX = 1024 };

// What reading gathers on the way.
typedef struct Reader {
  vvFitProblem* p;
  vvYaml* yaml;
  const vvYamlNode* root;
  const char* columns[COLUMN_MAX];
  int ncolumn;
  const char* episode;
  const char* recording;
  vvFitHeldOut held_out;
} Reader;

static vvStatus no_memory(const vvYaml* yaml) {
  return vv_report_set(yaml->report, VV_ERROR_MEMORY, "out of memory");
}

// Path of a file named in the problem: relative to the problem's folder.
static char* beside(vvFitMemory* memory, const char* problem, const char* name) {
  const char* slash = strrchr(problem, '/');
  if (name[0] == '/' || !slash) return vv_fit_text(memory, name, strlen(name));
  size_t folder = (size_t)(slash - problem) + 1;
  char* path = vv_fit_text(memory, problem, folder + strlen(name));
  if (path) memcpy(path + folder, name, strlen(name) + 1);
  return path;
}

// Index of a column of the recording, added to those to be read.
static vvStatus add_column(Reader* r, const vvYamlNode* node, int* index) {
  const char* name = NULL;
  vvStatus status = vv_yaml_text(r->yaml, node, &name);
  if (status != VV_OK) return status;
  for (int i = 0; i < r->ncolumn; i++) {
    if (strcmp(r->columns[i], name) == 0) {
      *index = i;
      return VV_OK;
    }
  }
  if (r->ncolumn == COLUMN_MAX) return vv_yaml_error(r->yaml, node->path, "more than %d columns", COLUMN_MAX);
  r->columns[r->ncolumn] = vv_fit_text(&r->p->memory, name, strlen(name));
  if (!r->columns[r->ncolumn]) return no_memory(r->yaml);
  *index = r->ncolumn++;
  return VV_OK;
}

static vvStatus read_scene(Reader* r) {
  vvFitProblem* p = r->p;
  const char* name = NULL;
  vvYamlNode node = vv_yaml_child(r->yaml, r->root, "scene");
  vvStatus status = vv_yaml_text(r->yaml, &node, &name);
  if (status != VV_OK) return status;
  char* path = beside(&p->memory, p->file, name);
  if (!path) return no_memory(r->yaml);
  status = vv_spec_read(p->context, path, &p->spec, r->yaml->report);
  return status == VV_OK ? vv_compile(p->context, p->spec, &p->model, r->yaml->report) : status;
}

static vvStatus read_recording_keys(Reader* r, const char* override) {
  static const char* const keys[] = {"file", "time", "episode", NULL};
  vvYamlNode node = vv_yaml_child(r->yaml, r->root, "recording");
  vvStatus status = vv_yaml_keys(r->yaml, &node, keys);
  vvYamlNode time = vv_yaml_child(r->yaml, &node, "time");
  int index = 0;
  if (status == VV_OK) status = add_column(r, &time, &index);
  vvYamlNode episode = vv_yaml_child(r->yaml, &node, "episode");
  if (status == VV_OK && episode.node) status = vv_yaml_text(r->yaml, &episode, &r->episode);
  if (status != VV_OK) return status;
  r->recording = override;
  vvYamlNode file = vv_yaml_child(r->yaml, &node, "file");
  if (override) return VV_OK;
  if (!file.node) return vv_yaml_error(r->yaml, file.path, "is missing; name a CSV file here or by --recording");
  const char* name = NULL;
  status = vv_yaml_text(r->yaml, &file, &name);
  if (status != VV_OK) return status;
  r->recording = beside(&r->p->memory, r->p->file, name);
  return r->recording ? VV_OK : no_memory(r->yaml);
}

// Cuts a signal of n entries into a quaternion and what stands before and after it.
static vvStatus cut_parts(Reader* r, vvFitSignalIn* s, int out, int n, int quat) {
  s->parts = VV_FIT_NEW(&r->p->memory, vvFitPart, 3);
  if (!s->parts) return no_memory(r->yaml);
  int ends[4] = {0, quat < 0 ? n : quat, quat < 0 ? n : quat + 4, n};
  for (int i = 0; i < 3; i++) {
    if (ends[i + 1] == ends[i]) continue;
    vvFitPart part = {i == 1, out + ends[i], ends[i], ends[i + 1] - ends[i]};
    s->parts[s->npart++] = part;
    s->nresidual += part.quat ? 3 : part.n;
  }
  return VV_OK;
}

static vvStatus add_initial(Reader* r, const vvYamlNode* node, const vvFitMeaning* meaning, const int* columns) {
  vvFitProblem* p = r->p;
  for (int first = 0; first < meaning->n;) {
    vvFitInitial* in = &p->initial[p->ninitial++];
    in->velocity = meaning->velocity;
    in->quat = first == meaning->quat;
    in->adr = meaning->adr + first;
    in->n = in->quat ? 4 : meaning->quat > first ? meaning->quat - first : meaning->n - first;
    in->columns = VV_FIT_NEW(&p->memory, int, in->n);
    if (!in->columns) return no_memory(r->yaml);
    memcpy(in->columns, columns + first, sizeof(int) * (size_t)in->n);
    for (int k = 0; k < p->ninitial - 1; k++) {
      const vvFitInitial* other = &p->initial[k];
      if (other->velocity == in->velocity && other->adr < in->adr + in->n && in->adr < other->adr + other->n) {
        return vv_yaml_error(r->yaml, node->path, "sets a part of the state that another key sets; keep one of them");
      }
    }
    for (int k = 0; k < in->n && !in->velocity; k++) p->q_set[in->adr + k] = p->q_recorded = true;
    first += in->n;
  }
  return VV_OK;
}

static vvStatus read_columns(Reader* r, const vvYamlNode* node, int n, int* columns) {
  if (!node->node) return vv_yaml_error(r->yaml, node->path, "is missing; a list of %d columns is needed", n);
  if (node->node->type == YAML_MAPPING_NODE || vv_yaml_length(node) != n) {
    return vv_yaml_error(r->yaml, node->path, "has %d columns; this quantity has %d numbers", vv_yaml_length(node), n);
  }
  vvStatus status = VV_OK;
  for (int i = 0; i < n && status == VV_OK; i++) {
    vvYamlNode item = vv_yaml_item(r->yaml, node, i);
    status = add_column(r, &item, &columns[i]);
  }
  return status;
}

static vvStatus find_output(Reader* r, const vvYamlNode* node, const char* key, int* n) {
  vvFitProblem* p = r->p;
  vvReport local;
  vv_report_clear(&local);
  vvOutputItem* item = &p->items[p->nitem];
  vvStatus status = vv_output_find(p->model, key, item, &local);
  if (status != VV_OK) {
    return vv_yaml_error(r->yaml, node->path, "%s", local.message[0] ? local.message : "unknown quantity");
  }
  p->nitem++;
  item->adr = p->nout;
  p->nout += item->dim;
  *n = item->dim;
  return VV_OK;
}

static vvStatus read_signal(Reader* r, const char* key, vvYamlNode* node) {
  static const char* const keys[] = {"columns", "weight", NULL};
  vvFitProblem* p = r->p;
  vvFitSignalIn* s = &p->signals[p->nsignal];
  vvStatus status = vv_yaml_keys(r->yaml, node, keys);
  if (status != VV_OK) return status;
  int out = p->nout;
  status = find_output(r, node, key, &s->ncolumn);
  if (status != VV_OK) return status;
  s->name = vv_fit_text(&p->memory, key, strlen(key));
  s->unit = vv_fit_quantity_unit(key);
  s->columns = VV_FIT_NEW(&p->memory, int, s->ncolumn);
  s->weight = 1;
  if (!s->name || !s->columns) return no_memory(r->yaml);
  vvYamlNode columns = vv_yaml_child(r->yaml, node, "columns");
  vvYamlNode weight = vv_yaml_child(r->yaml, node, "weight");
  status = read_columns(r, &columns, s->ncolumn, s->columns);
  if (status == VV_OK && weight.node) {
    status = vv_yaml_real(r->yaml, &weight, &s->weight);
    if (status == VV_OK && !(s->weight > 0)) {
      status = vv_yaml_error(r->yaml, weight.path, "is %.9g; a positive number is needed", s->weight);
    }
  }
  vvFitMeaning meaning = vv_fit_meaning(p->model, key);
  if (status == VV_OK) status = cut_parts(r, s, out, s->ncolumn, meaning.quat);
  if (status == VV_OK && meaning.adr >= 0) status = add_initial(r, node, &meaning, s->columns);
  p->nresidual += s->nresidual;
  p->nsignal++;
  return status;
}

static vvStatus read_signals(Reader* r) {
  vvFitProblem* p = r->p;
  vvYamlNode signals = vv_yaml_child(r->yaml, r->root, "signals");
  vvYamlNode initial = vv_yaml_child(r->yaml, r->root, "initial");
  vvStatus status = vv_yaml_keys(r->yaml, &signals, NULL);
  if (status == VV_OK && initial.node) status = vv_yaml_keys(r->yaml, &initial, NULL);
  if (status != VV_OK) return status;
  int n = vv_yaml_count(&signals), ni = vv_yaml_count(&initial);
  if (n == 0) return vv_yaml_error(r->yaml, signals.path, "is empty; at least one quantity is needed");
  if (n > VV_FIT_SIGNAL_MAX) return vv_yaml_error(r->yaml, signals.path, "more than %d signals", VV_FIT_SIGNAL_MAX);
  p->signals = VV_FIT_NEW(&p->memory, vvFitSignalIn, n);
  p->items = VV_FIT_NEW(&p->memory, vvOutputItem, n);
  p->initial = VV_FIT_NEW(&p->memory, vvFitInitial, 3 * (n + ni));
  p->q_set = VV_FIT_NEW(&p->memory, bool, p->model->nq);
  if (!p->signals || !p->items || !p->initial || !p->q_set) return no_memory(r->yaml);
  for (int i = 0; i < n && status == VV_OK; i++) {
    const char* key = NULL;
    vvYamlNode node = vv_yaml_at(r->yaml, &signals, i, &key);
    status = read_signal(r, key, &node);
  }
  for (int i = 0; i < ni && status == VV_OK; i++) {
    const char* key = NULL;
    int columns[16];
    vvYamlNode node = vv_yaml_at(r->yaml, &initial, i, &key);
    vvFitMeaning meaning = vv_fit_meaning(p->model, key);
    if (meaning.adr < 0) {
      return vv_yaml_error(r->yaml, node.path,
                           "does not set the state; pos, quat, linvel, angvel of a body with a free joint do, and pos, "
                           "vel of a joint");
    }
    status = read_columns(r, &node, meaning.n, columns);
    if (status == VV_OK) status = add_initial(r, &node, &meaning, columns);
  }
  return status;
}

static vvStatus read_controls(Reader* r) {
  vvFitProblem* p = r->p;
  vvYamlNode node = vv_yaml_child(r->yaml, r->root, "controls");
  p->ctrl_column = VV_FIT_NEW(&p->memory, int, p->model->nu);
  if (!p->ctrl_column) return no_memory(r->yaml);
  for (int i = 0; i < p->model->nu; i++) p->ctrl_column[i] = -1;
  if (!node.node) return VV_OK;
  vvStatus status = vv_yaml_keys(r->yaml, &node, NULL);
  int n = vv_yaml_count(&node);
  for (int i = 0; i < n && status == VV_OK; i++) {
    const char* key = NULL;
    vvYamlNode column = vv_yaml_at(r->yaml, &node, i, &key);
    int id = vv_model_find(p->model, VV_ELEMENT_ACTUATOR, key);
    if (id < 0) return vv_yaml_error(r->yaml, column.path, "no such actuator; vv info lists them");
    status = add_column(r, &column, &p->ctrl_column[id]);
    p->has_ctrl = true;
  }
  return status;
}

static vvStatus read_windows(Reader* r) {
  static const char* const keys[] = {"samples", "hop", NULL};
  vvFitProblem* p = r->p;
  vvYamlNode node = vv_yaml_child(r->yaml, r->root, "windows");
  if (!node.node) return VV_OK;
  vvStatus status = vv_yaml_keys(r->yaml, &node, keys);
  vvYamlNode samples = vv_yaml_child(r->yaml, &node, "samples");
  vvYamlNode hop = vv_yaml_child(r->yaml, &node, "hop");
  if (status == VV_OK) status = vv_yaml_int(r->yaml, &samples, 1, 1000000, &p->samples);
  p->hop = p->samples;
  if (status == VV_OK && hop.node) status = vv_yaml_int(r->yaml, &hop, 1, 1000000, &p->hop);
  return status;
}

static vvStatus read_loss(Reader* r) {
  static const char* const keys[] = {"kind", "width", NULL};
  vvYamlNode node = vv_yaml_child(r->yaml, r->root, "loss");
  if (!node.node) return VV_OK;
  const char* kind = NULL;
  vvStatus status = vv_yaml_keys(r->yaml, &node, keys);
  vvYamlNode kind_node = vv_yaml_child(r->yaml, &node, "kind");
  vvYamlNode width = vv_yaml_child(r->yaml, &node, "width");
  if (status == VV_OK) status = vv_yaml_text(r->yaml, &kind_node, &kind);
  if (status != VV_OK) return status;
  if (strcmp(kind, "squares") == 0) {
    return width.node ? vv_yaml_error(r->yaml, width.path, "has no meaning with squares; remove it") : VV_OK;
  }
  if (strcmp(kind, "huber") != 0) {
    return vv_yaml_error(r->yaml, kind_node.path, "is \"%.40s\"; squares or huber is needed", kind);
  }
  status = vv_yaml_real(r->yaml, &width, &r->p->huber);
  if (status == VV_OK && !(r->p->huber > 0)) {
    status = vv_yaml_error(r->yaml, width.path, "is %.9g; a positive number is needed", r->p->huber);
  }
  return status;
}

// "COLUMN % M == R"
static vvStatus read_rule(Reader* r, const vvYamlNode* node) {
  const char* text = NULL;
  vvStatus status = vv_yaml_text(r->yaml, node, &text);
  if (status != VV_OK) return status;
  const char* percent = strchr(text, '%');
  char column[128], rest[8];
  size_t length = percent ? (size_t)(percent - text) : 0;
  while (length && text[length - 1] == ' ') length--;
  int m = 0, remainder = 0;
  bool good = length > 0 && length < sizeof column && sscanf(percent, "%% %9d == %9d%7s", &m, &remainder, rest) == 2 &&
              m >= 2 && remainder >= 0 && remainder < m;
  if (!good) {
    return vv_yaml_error(r->yaml, node->path, "is \"%.60s\"; COLUMN %% M == R is needed, 0 <= R < M", text);
  }
  memcpy(column, text, length);
  column[length] = 0;
  r->held_out.modulus = m;
  r->held_out.remainder = remainder;
  for (int i = 0; i < r->ncolumn; i++) {
    if (strcmp(r->columns[i], column) == 0) r->held_out.column = i;
  }
  if (r->held_out.column >= 0) return VV_OK;
  if (r->ncolumn == COLUMN_MAX) return vv_yaml_error(r->yaml, node->path, "more than %d columns", COLUMN_MAX);
  r->columns[r->ncolumn] = vv_fit_text(&r->p->memory, column, length);
  r->held_out.column = r->ncolumn++;
  return r->columns[r->held_out.column] ? VV_OK : no_memory(r->yaml);
}

static vvStatus read_held_out(Reader* r) {
  static const char* const keys[] = {"episodes", "share", NULL};
  r->held_out.column = -1;
  vvYamlNode node = vv_yaml_child(r->yaml, r->root, "held_out");
  if (!node.node) return VV_OK;
  vvStatus status = vv_yaml_keys(r->yaml, &node, keys);
  if (status != VV_OK) return status;
  vvYamlNode episodes = vv_yaml_child(r->yaml, &node, "episodes");
  vvYamlNode share = vv_yaml_child(r->yaml, &node, "share");
  if ((episodes.node != NULL) == (share.node != NULL)) {
    return vv_yaml_error(r->yaml, node.path, "episodes or share is needed, one of them");
  }
  if (!r->episode) return vv_yaml_error(r->yaml, node.path, "needs episodes; recording/episode names their column");
  if (episodes.node) return read_rule(r, &episodes);
  status = vv_yaml_real(r->yaml, &share, &r->held_out.share);
  if (status == VV_OK && !(r->held_out.share > 0 && r->held_out.share < 1)) {
    status = vv_yaml_error(r->yaml, share.path, "is %.9g; a number between 0 and 1 is needed", r->held_out.share);
  }
  return status;
}

// Recorded quaternions have length 1 up to noise.
static vvStatus check_quaternion(Reader* r, const int* columns) {
  const vvRecording* rec = &r->p->recording;
  for (int i = 0; i < rec->nrow; i++) {
    const double* row = rec->values + (size_t)i * (size_t)rec->ncolumn;
    double sum = 0;
    for (int k = 0; k < 4; k++) sum += row[columns[k]] * row[columns[k]];
    if (fabs(sqrt(sum) - 1) > 0.05) {
      return vv_report_set(r->yaml->report, VV_ERROR_FILE,
                           "%s:%d: columns %.40s...: the quaternion has length %.6g; 1 is needed", rec->file,
                           rec->lines[i], r->columns[columns[0]], sqrt(sum));
    }
  }
  return VV_OK;
}

static vvStatus check_quaternions(Reader* r) {
  const vvFitProblem* p = r->p;
  vvStatus status = VV_OK;
  for (int i = 0; i < p->nsignal && status == VV_OK; i++) {
    for (int k = 0; k < p->signals[i].npart && status == VV_OK; k++) {
      const vvFitPart* part = &p->signals[i].parts[k];
      if (part->quat) status = check_quaternion(r, p->signals[i].columns + part->column);
    }
  }
  for (int i = 0; i < p->ninitial && status == VV_OK; i++) {
    if (p->initial[i].quat) status = check_quaternion(r, p->initial[i].columns);
  }
  return status;
}

static uint64_t hash_text(uint64_t hash, const char* text) {
  return text ? vv_hash_bytes(vv_hash_u64(hash, strlen(text)), text, strlen(text)) : vv_hash_u64(hash, UINT64_MAX);
}

// Identity of the problem: all that its result depends on.
static uint64_t hash_problem(const vvFitProblem* p, uint64_t seed) {
  const vvRecording* rec = &p->recording;
  uint64_t h = vv_hash_u64(vv_hash_u64(VV_HASH_START, vv_model_hash(p->model)), seed);
  h = vv_hash_bytes(h, rec->values, sizeof(double) * (size_t)rec->nrow * (size_t)rec->ncolumn);
  for (int i = 0; i < p->nsignal; i++) {
    const vvFitSignalIn* s = &p->signals[i];
    h = vv_hash_bytes(hash_text(h, s->name), s->columns, sizeof(int) * (size_t)s->ncolumn);
    h = vv_hash_bytes(h, &s->weight, sizeof s->weight);
  }
  for (int i = 0; i < p->ninitial; i++) {
    h = vv_hash_u64(h, (uint64_t)p->initial[i].adr * 2 + p->initial[i].velocity);
    h = vv_hash_bytes(h, p->initial[i].columns, sizeof(int) * (size_t)p->initial[i].n);
  }
  h = vv_hash_bytes(h, p->ctrl_column, sizeof(int) * (size_t)p->model->nu);
  for (int i = 0; i < p->nwindow; i++) {
    h = vv_hash_u64(h, (uint64_t)p->windows[i].first * 4 + (i < p->nfitted));
    h = vv_hash_u64(h, (uint64_t)p->windows[i].nsample);
  }
  for (int i = 0; i < p->nfree; i++) {
    const vvFitFree* f = &p->free[i];
    double bounds[2] = {f->min, f->max};
    h = vv_hash_bytes(hash_text(h, f->name), bounds, sizeof bounds);
    h = vv_hash_bytes(vv_hash_u64(h, f->scale), f->numbers, sizeof(int) * (size_t)f->nnumber);
  }
  h = vv_hash_bytes(h, p->starts, sizeof(double) * (size_t)p->nstart * (size_t)p->nfree);
  return vv_hash_bytes(h, &p->huber, sizeof p->huber);
}

static vvStatus read_all(Reader* r, const char* recording, uint64_t seed) {
  static const char* const keys[] = {"scene", "recording", "signals",  "initial", "controls", "windows",
                                     "free",  "loss",      "held_out", "starts",  NULL};
  vvFitProblem* p = r->p;
  vvStatus status = vv_yaml_keys(r->yaml, r->root, keys);
  if (status == VV_OK) status = read_scene(r);
  if (status == VV_OK) status = read_recording_keys(r, recording);
  if (status == VV_OK) status = read_signals(r);
  if (status == VV_OK) status = read_controls(r);
  if (status == VV_OK) status = read_windows(r);
  if (status == VV_OK) status = read_loss(r);
  if (status == VV_OK) status = read_held_out(r);
  if (status == VV_OK) status = vv_fit_read_free(p, r->yaml, r->root);
  if (status == VV_OK) status = vv_fit_prepare_inertias(p, r->yaml->report);
  if (status != VV_OK) return status;
  status =
      vv_recording_read(&p->memory, r->recording, r->columns, r->ncolumn, r->episode, &p->recording, r->yaml->report);
  if (status == VV_OK) status = check_quaternions(r);
  if (status == VV_OK) status = vv_fit_windows(p, &r->held_out, seed, r->yaml->report);
  if (status == VV_OK) p->hash = hash_problem(p, seed);
  return status;
}

vvStatus vv_fit_problem_read(vvContext* context, const char* path, const char* recording, uint64_t seed,
                             vvFitProblem** problem, vvReport* report) {
  if (!problem) return VV_ERROR_ARGUMENT;
  *problem = NULL;
  if (!context || !path) return vv_report_set(report, VV_ERROR_ARGUMENT, "a context and a path are needed");
  vvFitProblem* p = VV_NEW(context, vvFitProblem, 1);
  Reader* r = VV_NEW(context, Reader, 1);
  if (p) p->context = p->memory.context = context;
  vvStatus status = p && r ? VV_OK : vv_report_set(report, VV_ERROR_MEMORY, "out of memory");
  if (status == VV_OK) {
    vvYaml yaml;
    vvYamlNode root;
    p->file = vv_fit_text(&p->memory, path, strlen(path));
    r->p = p;
    r->yaml = &yaml;
    r->root = &root;
    status =
        p->file ? vv_yaml_open(&yaml, p->file, report, &root) : vv_report_set(report, VV_ERROR_MEMORY, "out of memory");
    if (status == VV_OK) {
      status = read_all(r, recording, seed);
      vv_yaml_close(&yaml);
    }
  }
  VV_DELETE(context, r, Reader, 1);
  if (status == VV_OK) {
    *problem = p;
  } else {
    vv_fit_problem_free(p);
  }
  return status;
}

void vv_fit_problem_free(vvFitProblem* problem) {
  if (!problem) return;
  vvContext* context = problem->context;
  vv_model_free(context, problem->model);
  vv_spec_free(problem->spec);
  vv_fit_memory_free(&problem->memory);
  VV_DELETE(context, problem, vvFitProblem, 1);
}

int vv_fit_number_count(const vvFitProblem* problem) {
  return problem->nfree;
}

uint64_t vv_fit_problem_hash(const vvFitProblem* problem) {
  return problem->hash;
}
