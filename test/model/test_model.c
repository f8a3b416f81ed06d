// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_model.c: memory of models (shadows, variants), the hash, states and their chart, binary files.

#include "vvtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static vvModel* load(vvContext* context, const char* name) {
  char path[512];
  vvReport report;
  vvModel* m = NULL;
  snprintf(path, sizeof path, "%s/test/scenes/%s", VV_ROOT, name);
  vvStatus status = vv_model_load_file(context, path, &m, &report);
  if (status != VV_OK) print_error("%s\n", report.message);
  assert_int_equal(status, VV_OK);
  return m;
}

static void shadows(void** state) {
  (void)state;
  vvContext* context;
  vvModel *shadow, *variant;
  assert_int_equal(vv_context_create(NULL, &context), VV_OK);
  vvModel* m = load(context, "joints.xml");
  uint64_t hash = vv_model_hash(m);
  assert_int_equal(vv_model_shadow(context, m, &shadow), VV_OK);
  assert_ptr_equal(shadow->jnt_type, m->jnt_type);
  assert_true(shadow->jnt_damping != m->jnt_damping);
  assert_true(shadow->jnt_damping - shadow->reals == m->jnt_damping - m->reals);
  shadow->jnt_damping[0] = 3;
  vv_model_shadow_zero(shadow);
  for (size_t i = 0; i < m->section_begin[VV_SECTION_COUNT]; i++) assert_true(shadow->reals[i] == 0);
  assert_int_equal(vv_model_variant(context, m, &variant), VV_OK);
  assert_int_equal(vv_model_hash(variant), hash);
  assert_ptr_equal(variant->key_qpos, m->key_qpos);
  assert_ptr_equal(variant->geom_quat0, m->geom_quat0);
  variant->jnt_damping[1] += 1;
  assert_true(vv_model_hash(variant) != hash);
  assert_int_equal(vv_model_hash(m), hash);
  vv_model_variant_free(context, variant);
  vv_model_shadow_free(context, shadow);
  vv_model_free(context, m);
  assert_int_equal(vv_context_memory(context).bytes, 0);
  vv_context_destroy(context);
}

// The table covers the block without gaps, and numbers are where they say.
static void layout(void** state) {
  (void)state;
  vvContext* context;
  assert_int_equal(vv_context_create(NULL, &context), VV_OK);
  vvModel* m = load(context, "creature.xml");
  size_t at = 0;
  int section = 0;
  for (const vvField* f = vv_model_fields(); f->attribute; f++) {
    while (section < (int)f->section) assert_true(m->section_begin[++section] == at);
    assert_ptr_equal(vv_field_data(m, f), m->reals + at);
    at += (size_t)vv_model_count(m, f->element) * (size_t)vv_field_width(m, f);
  }
  assert_true(m->section_begin[VV_SECTION_COUNT] == at);
  for (int i = 0; i < m->names->nnumber; i++) {
    const vvNumber* p = &m->names->numbers[i];
    int index[2];
    assert_int_equal(vv_number_match(m, p->name, index, 2), 1);
    assert_int_equal(index[0], i);
    assert_true(p->scale > 0);
    for (int k = 0; k < p->nmember; k++) {
      const vvField* f = &vv_model_fields()[p->field];
      vvReal* begin = vv_field_data(m, f);
      vvReal* member = m->reals + p->members[k];
      assert_true(member >= begin && member < begin + vv_model_count(m, f->element) * f->width);
    }
  }
  vv_model_free(context, m);
  vv_context_destroy(context);
}

// q (+) (q1 (-) q) = q1, the tangent of an ambient cotangent, and back.
static void chart(void** state) {
  (void)state;
  vvContext* context;
  assert_int_equal(vv_context_create(NULL, &context), VV_OK);
  vvModel* m = load(context, "joints.xml");
  vvReal q[64], q1[64], q2[64], dq[64], g[64], dg[64], back[64], unit[64];
  for (int i = 0; i < m->nq; i++) q[i] = m->key_qpos[i];
  for (int i = 0; i < m->nv; i++) dq[i] = (vvReal)(0.3 * sin(1 + 7 * i)), unit[i] = 0;
  for (int i = 0; i < m->nq; i++) g[i] = (vvReal)cos(3 * i);
  vv_q_retract(m, q, dq, q1);
  vv_q_difference(m, q, q1, back);
  for (int i = 0; i < m->nv; i++) assert_near(back[i], dq[i], 20 * VV_EPSILON);
  vv_q_bar_to_tangent(m, q, g, dg);
  double h = sizeof(vvReal) == 8 ? 1e-6 : 1e-2;
  for (int i = 0; i < m->nv; i++) {
    double slope = 0;
    unit[i] = (vvReal)h;
    vv_q_retract(m, q, unit, q1);
    unit[i] = (vvReal)-h;
    vv_q_retract(m, q, unit, q2);
    unit[i] = 0;
    for (int k = 0; k < m->nq; k++) slope += (double)g[k] * ((double)q1[k] - (double)q2[k]) / (2 * h);
    assert_near(dg[i], slope, 100 * h * h + 10 * VV_EPSILON / h);
  }
  vv_q_bar_to_ambient(m, q, dg, g);
  vv_q_bar_to_tangent(m, q, g, back);
  for (int i = 0; i < m->nv; i++) assert_near(back[i], dg[i], 20 * VV_EPSILON);
  const vvReal *p = q, *r = g;  // of a ball joint: the ambient cotangent is orthogonal to the quaternion
  for (int j = 0; j < m->njnt; j++)
    if (m->jnt_type[j] == VV_JOINT_BALL) p = q + m->jnt_q[j], r = g + m->jnt_q[j];
  assert_near(p[0] * r[0] + p[1] * r[1] + p[2] * r[2] + p[3] * r[3], 0, 20 * VV_EPSILON);
  vv_model_free(context, m);
  vv_context_destroy(context);
}

static void states(void** state) {
  (void)state;
  vvContext* context;
  vvState* s;
  assert_int_equal(vv_context_create(NULL, &context), VV_OK);
  vvModel* m = load(context, "joints.xml");
  assert_int_equal(vv_state_create(context, m, &s), VV_OK);
  for (int i = 0; i < m->nq; i++) assert_true(s->q[i] == m->qpos0[i]);
  assert_int_equal(vv_state_keyframe(m, 0, s), VV_OK);
  assert_near(*s->time, 0.5, 0);
  double norm = 0;
  for (int k = 0; k < 4; k++) norm += (double)s->q[3 + k] * (double)s->q[3 + k];
  assert_near(norm, 1, 10 * VV_EPSILON);  // the key's quaternion was not normalised
  assert_int_equal(vv_state_keyframe(m, 1, s), VV_ERROR_ARGUMENT);
  vv_state_reset(m, s);
  assert_true(*s->time == 0);
  vv_state_free(context, s);
  vv_model_free(context, m);
  assert_int_equal(vv_context_memory(context).bytes, 0);
  vv_context_destroy(context);
}

// ---- binary files ---------------------------------------------------------------------------------------------------

static size_t read_bytes(const char* path, unsigned char** data) {
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  size_t n = (size_t)ftell(file);
  rewind(file);
  *data = malloc(n);
  assert_int_equal(fread(*data, 1, n, file), n);
  fclose(file);
  return n;
}

static void write_bytes(const char* path, const unsigned char* data, size_t n) {
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, n, file), n);
  fclose(file);
}

static void binary_model(void** state) {
  (void)state;
  vvContext* context;
  vvReport report;
  vvModel* again;
  const char* path = VV_BUILD "/test_model.bin";
  assert_int_equal(vv_context_create(NULL, &context), VV_OK);
  vvModel* m = load(context, "creature.xml");
  assert_int_equal(vv_model_save(context, m, path, &report), VV_OK);
  assert_int_equal(vv_model_load(context, path, &again, &report), VV_OK);
  assert_int_equal(vv_model_hash(again), vv_model_hash(m));
  assert_int_equal(again->names->nnumber, m->names->nnumber);
  for (int i = 0; i < m->names->nnumber; i++) {
    assert_string_equal(again->names->numbers[i].name, m->names->numbers[i].name);
    assert_true(vv_number_value(again, i) == vv_number_value(m, i));
  }
  assert_int_equal(vv_model_find(again, VV_ELEMENT_BODY, m->names->element[VV_ELEMENT_BODY][1]), 1);
  vv_model_free(context, again);
  vv_model_free(context, m);
  unsigned char* data;
  size_t n = read_bytes(path, &data);
  for (size_t cut = 0; cut < n; cut += 1 + n / 300) {
    write_bytes(path, data, cut);
    assert_int_equal(vv_model_load(context, path, &again, &report), VV_ERROR_FILE);
    assert_null(again);
    assert_true(report.message[0] != 0);
  }
  uint32_t random = 1;
  for (int k = 0; k < 300; k++) {
    random = random * 1664525u + 1013904223u;
    size_t at = random % n;
    unsigned char kept = data[at];
    data[at] = (unsigned char)(random >> 24);
    write_bytes(path, data, n);
    if (vv_model_load(context, path, &again, &report) == VV_OK) vv_model_free(context, again);
    data[at] = kept;
  }
  free(data);
  remove(path);
  assert_int_equal(vv_context_memory(context).bytes, 0);
  vv_context_destroy(context);
}

// What compiles can be saved, and what was saved is read: tendons, equalities, sensors, all pairs of shapes.
static void binary_scenes(void** state) {
  (void)state;
  static const char* const scenes[] = {"actuators.xml", "ball_limit.xml",   "cube.xml",           "equality.xml",
                                       "fluid.xml",     "frictionloss.xml", "gravcomp.xml",       "implicit.xml",
                                       "joints.xml",    "muscle.xml",       "pairs_elliptic.xml", "pairs_pyramidal.xml",
                                       "pile.xml",      "rk4.xml",          "sensors.xml",        "shapes.xml",
                                       "sites.xml",     "tendons.xml",      "touch.xml",          "../geom/convex.xml"};
  vvContext* context;
  vvReport report;
  const char* path = VV_BUILD "/test_model_scenes.bin";
  assert_int_equal(vv_context_create(NULL, &context), VV_OK);
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    vvModel *m = load(context, scenes[i]), *again;
    assert_int_equal(vv_model_save(context, m, path, &report), VV_OK);
    vvStatus status = vv_model_load(context, path, &again, &report);
    if (status != VV_OK) print_error("%s: %s\n", scenes[i], report.message);
    assert_int_equal(status, VV_OK);
    assert_int_equal(vv_model_hash(again), vv_model_hash(m));
    vv_model_free(context, again);
    vv_model_free(context, m);
  }
  remove(path);
  assert_int_equal(vv_context_memory(context).bytes, 0);
  vv_context_destroy(context);
}

static void binary_state(void** state) {
  (void)state;
  vvContext* context;
  vvReport report;
  vvState *s, *again;
  const char* path = VV_BUILD "/test_state.bin";
  assert_int_equal(vv_context_create(NULL, &context), VV_OK);
  vvModel* m = load(context, "joints.xml");
  assert_int_equal(vv_state_create(context, m, &s), VV_OK);
  assert_int_equal(vv_state_create(context, m, &again), VV_OK);
  for (size_t i = 0; i < s->size; i++) s->block[i] = (vvReal)sin((double)i);
  assert_int_equal(vv_state_save(context, m, s, path, &report), VV_OK);
  assert_int_equal(vv_state_load(context, m, path, again, &report), VV_OK);
  assert_memory_equal(s->block, again->block, s->size * sizeof(vvReal));
  m->jnt_damping[0] += 1;
  assert_int_equal(vv_state_load(context, m, path, again, &report), VV_ERROR_FILE);
  assert_non_null(strstr(report.message, "belongs to another model"));
  vvModel* none;
  assert_int_equal(vv_model_load(context, path, &none, &report), VV_ERROR_FILE);
  assert_non_null(strstr(report.message, "not a model file"));
  m->jnt_damping[0] -= 1;
  unsigned char* data;
  size_t n = read_bytes(path, &data);
  write_bytes(path, data, n - 1);
  assert_int_equal(vv_state_load(context, m, path, again, &report), VV_ERROR_FILE);
  free(data);
  remove(path);
  assert_int_equal(vv_state_load(context, m, path, again, &report), VV_ERROR_FILE);
  vv_state_free(context, again);
  vv_state_free(context, s);
  vv_model_free(context, m);
  assert_int_equal(vv_context_memory(context).bytes, 0);
  vv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(shadows),      cmocka_unit_test(layout),
                                     cmocka_unit_test(chart),        cmocka_unit_test(states),
                                     cmocka_unit_test(binary_model), cmocka_unit_test(binary_scenes),
                                     cmocka_unit_test(binary_state)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
