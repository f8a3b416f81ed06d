// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// command_info.c: vv info: counts, numbers and state quantities of a scene, and what the file asks for that visviva
// does differently.

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/json_out.h"
#include "visviva/names.h"
#include "visviva/output.h"
#include "visviva/spec.h"

typedef struct vvCount {
  const char* name;
  int value;
} vvCount;

typedef struct vvInfo {
  vvSpec* spec;
  vvModel* m;
  vvCount counts[20];
  int ncount;
} vvInfo;

static void add_count(vvInfo* info, const char* name, int value) {
  vvCount c = {name, value};
  info->counts[info->ncount++] = c;
}

static void count_all(vvInfo* info) {
  const vvModel* m = info->m;
  add_count(info, "nq", m->nq);
  add_count(info, "nv", m->nv);
  add_count(info, "na", m->na);
  add_count(info, "nu", m->nu);
  add_count(info, "bodies", m->nbody);
  add_count(info, "trees", m->ntree);
  add_count(info, "joints", m->njnt);
  add_count(info, "geoms", m->ngeom);
  add_count(info, "pairs", m->npair);
  add_count(info, "sites", m->nsite);
  add_count(info, "frames", m->nframe);
  add_count(info, "actuators", m->nu);
  add_count(info, "sensors", m->nsensor);
  add_count(info, "equalities", m->neq);
  add_count(info, "sensordata", m->nsensordata);
  add_count(info, "keyframes", m->nkey);
  add_count(info, "numbers", m->names->nnumber);
}

// Remarks on the file, at most two; returns how many.
static int remarks(const vvInfo* info, char text[2][160]) {
  const vvSpecOption* o = &info->spec->option;
  int n = 0;
  if (o->solver != 2)
    snprintf(text[n++], 160, "the file asks for the solver %s; visviva always solves exactly, with Newton's method",
             o->solver == 0 ? "PGS" : "CG");
  if (o->iterations_stated)
    snprintf(text[n++], 160, "the file limits the solver to %d iterations; visviva always goes on to convergence",
             o->iterations);
  return n;
}

static const char* element_word(vvElement element) {
  static const char* const words[VV_ELEMENT_COUNT] = {"opt",  "compiler", "frame",  "body",     "joint",  "dof", "geom",
                                                      "site", "tendon",   "tendon", "actuator", "sensor", "key"};
  return words[element];
}

// The derived numbers of one field: follow from the primary ones.
static void write_derived(vvJsonOut* j, const vvModel* m, const vvField* f) {
  int width = vv_field_width(m, f);
  const vvReal* data = vv_field_data(m, f);
  for (int i = 0; i < vv_model_count(m, f->element) * width; i++) {
    int id = i / width;
    char name[600];
    const char* element =
        f->element == VV_ELEMENT_DOF || !m->names->element[f->element] ? "" : m->names->element[f->element][id];
    char escaped[500];
    bool named = element[0] && vv_name_escape(element, escaped, sizeof escaped) < sizeof escaped;
    if (f->element == VV_ELEMENT_OPTION) {
      snprintf(name, sizeof name, "%s/%d", f->attribute, i);
    } else if (named) {
      snprintf(name, sizeof name, "%s/%s/%s/%d", element_word(f->element), escaped, f->attribute, i % width);
    } else {
      snprintf(name, sizeof name, "%s/#%d/%s/%d", element_word(f->element), id, f->attribute, i % width);
    }
    vv_json_object(j);
    vv_json_key(j, "name");
    vv_json_text(j, name);
    vv_json_key(j, "value");
    vv_json_real(j, (double)data[i]);
    vv_json_key(j, "unit");
    vv_json_text(j, f->unit);
    vv_json_key(j, "primary");
    vv_json_bool(j, false);
    vv_json_key(j, "differentiable");
    vv_json_bool(j, false);
    vv_json_key(j, "reason");
    vv_json_text(j, "derived from primary numbers");
    vv_json_end(j);
  }
}

static void write_numbers(vvJsonOut* j, const vvModel* m) {
  vv_json_key(j, "numbers");
  vv_json_array(j);
  for (int i = 0; i < m->names->nnumber; i++) {
    const vvNumber* number = &m->names->numbers[i];
    vv_json_object(j);
    vv_json_key(j, "name");
    vv_json_text(j, number->name);
    vv_json_key(j, "value");
    vv_json_real(j, (double)vv_number_value(m, i));
    vv_json_key(j, "unit");
    vv_json_text(j, number->unit);
    vv_json_key(j, "primary");
    vv_json_bool(j, true);
    vv_json_key(j, "differentiable");
    vv_json_bool(j, number->reason == NULL);
    vv_json_key(j, "reason");
    vv_json_text(j, number->reason);
    vv_json_end(j);
  }
  for (const vvField* f = vv_model_fields(); f->attribute; f++)
    if (f->section == VV_SECTION_DERIVED) write_derived(j, m, f);
  vv_json_end(j);
}

static int print_json(const vvInfo* info) {
  vvJsonOut j = vv_json_begin(stdout);
  char text[2][160], name[1024];
  vv_json_object(&j);
  vv_json_key(&j, "model");
  vv_json_text(&j, info->m->names->model_name);
  vv_json_key(&j, "counts");
  vv_json_object(&j);
  for (int i = 0; i < info->ncount; i++) {
    vv_json_key(&j, info->counts[i].name);
    vv_json_int(&j, info->counts[i].value);
  }
  vv_json_end(&j);
  write_numbers(&j, info->m);
  vv_json_key(&j, "states");
  vv_json_array(&j);
  for (int i = 0; i < vv_output_count(info->m); i++)
    if (vv_output_name(info->m, i, name, sizeof name)) vv_json_text(&j, name);
  vv_json_end(&j);
  vv_json_key(&j, "remarks");
  vv_json_array(&j);
  int n = remarks(info, text);
  for (int i = 0; i < n; i++) vv_json_text(&j, text[i]);
  vv_json_end(&j);
  vv_json_end(&j);
  return vv_json_finish(&j) ? VV_EXIT_DONE : vv_cli_error("standard output could not be written");
}

static int print_text(const vvInfo* info) {
  const vvModel* m = info->m;
  char text[2][160], name[1024];
  if (m->names->model_name[0]) printf("model %s\n", m->names->model_name);
  for (int i = 0; i < info->ncount; i++) printf("%s%s %d", i ? ", " : "", info->counts[i].name, info->counts[i].value);
  int n = remarks(info, text);
  for (int i = 0; i < n; i++) printf("\nnote: %s", text[i]);
  printf("\n\nnumbers (name, value, unit):\n");
  for (int i = 0; i < m->names->nnumber; i++) {
    const vvNumber* number = &m->names->numbers[i];
    printf("  %-36s ", number->name);
    vv_print_real(stdout, (double)vv_number_value(m, i));
    printf("%s%s", number->unit[0] ? " " : "", number->unit);
    if (number->nmember > 1) printf("  (sets %d)", number->nmember);
    if (number->reason) printf("  not differentiable: %s", number->reason);
    printf("\n");
  }
  printf("\nstate quantities:\n");
  for (int i = 0; i < vv_output_count(m); i++)
    if (vv_output_name(m, i, name, sizeof name)) printf("  %s\n", name);
  return VV_EXIT_DONE;
}

int vv_command_info(vvCli* cli) {
  vvInfo info = {NULL, NULL, {{NULL, 0}}, 0};
  vvReport report;
  vv_report_clear(&report);
  vvStatus status = vv_spec_read(cli->context, cli->position[0], &info.spec, &report);
  if (status == VV_OK) status = vv_compile(cli->context, info.spec, &info.m, &report);
  int code = vv_cli_fail(status, &report, cli->position[0]);
  if (status == VV_OK) {
    count_all(&info);
    code = cli->json ? print_json(&info) : print_text(&info);
  }
  vv_model_free(cli->context, info.m);
  vv_spec_free(info.spec);
  return code;
}
