// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_scene_build.c: a scene built in C, written and read again; numbers set in a model and moved back into the scene:
// into its classes where all members agree, into the elements where not.

#include "vvtest.h"

#include <stdlib.h>
#include <string.h>

static const char* const names_scene =
    "<mujoco><compiler angle='degree'/><default><geom friction='0.5' conaffinity='0'/><default class='leg'><geom "
    "friction='0.8' size='0.05'/>"
    "<joint damping='2' range='-90 45'/></default></default><worldbody><geom name='floor' type='plane' size='1 1 1' "
    "conaffinity='1'/>"
    "<body name='a' pos='0 0 1' childclass='leg'><joint name='ja'/><geom name='ga'/><geom name='own' "
    "friction='0.9'/></body>"
    "<body name='b/c, d*' pos='1 0 1' childclass='leg'><joint name='jb' damping='3'/><geom/><site name='s'/></body>"
    "<body name='box' pos='3 0 1'><freejoint name='f'/><geom name='gb' type='box' size='0.1 0.2 0.3' euler='10 20 "
    "30'/></body>"
    "</worldbody><actuator><motor name='m' joint='ja' gear='3' ctrlrange='-1 1'/></actuator></mujoco>";

typedef struct vvSetup {
  vvContext* context;
  vvSpec* spec;
  vvModel* m;
} vvSetup;

static vvSetup setup(const char* text) {
  vvSetup s = {NULL, NULL, NULL};
  vvReport report;
  assert_int_equal(vv_context_create(NULL, &s.context), VV_OK);
  vvStatus status = vv_spec_read_text(s.context, text, strlen(text), "scene.xml", &s.spec, &report);
  if (status == VV_OK) status = vv_compile(s.context, s.spec, &s.m, &report);
  if (status != VV_OK) print_error("%s\n", report.message);
  assert_int_equal(status, VV_OK);
  return s;
}

static void teardown(vvSetup* s) {
  vv_model_free(s->context, s->m);
  vv_spec_free(s->spec);
  assert_int_equal(vv_context_memory(s->context).bytes, 0);
  vv_context_destroy(s->context);
}

static int number(const vvModel* m, const char* name) {
  int index = -1;
  int n = vv_number_match(m, name, &index, 1);
  if (n != 1) print_error("%s: %d matches\n", name, n);
  assert_int_equal(n, 1);
  return index;
}

static void names(void** state) {
  (void)state;
  vvSetup s = setup(names_scene);
  const vvModel* m = s.m;
  double right = acos(-1.0) / 2;
  assert_near(vv_number_value(m, number(m, "joint/ja/range/0")), -right, VV_EPSILON);
  assert_near(vv_number_value(m, number(m, "joint/jb/damping/0")), 3, 0);
  assert_near(vv_number_value(m, number(m, "default/leg/joint/damping/0")), 2, 0);
  assert_int_equal(m->names->numbers[number(m, "default/leg/joint/damping/0")].nmember, 1);
  assert_int_equal(m->names->numbers[number(m, "default/leg/geom/friction/0")].nmember, 2);
  assert_int_equal(m->names->numbers[number(m, "default/main/geom/friction/0")].nmember, 2);
  assert_near(vv_number_value(m, number(m, "geom/own/friction/0")), 0.9, VV_EPSILON);
  assert_near(vv_number_value(m, number(m, "body/b%2Fc%2C%20d%2A/pos/0")), 1, 0);
  assert_near(vv_number_value(m, number(m, "geom/#3/size/0")), 0.05, VV_EPSILON);
  assert_near(vv_number_value(m, number(m, "geom/gb/density")), 1000, 0);
  assert_int_equal(vv_number_match(m, "geom/*/friction", NULL, 0), 5);  // condim 3: sliding friction only
  assert_int_equal(vv_number_match(m, "geom/g*/friction/0", NULL, 0), 2);
  assert_int_equal(vv_number_match(m, "opt/gravity", NULL, 0), 3);
  assert_int_equal(vv_number_match(m, "geom/gb/rot", NULL, 0), 3);
  assert_int_equal(vv_number_match(m, "body/box/mass", NULL, 0), 0);
  assert_int_equal(vv_number_match(m, "joint/ja", NULL, 0), 0);
  assert_int_equal(vv_number_match(m, "joint/f/axis", NULL, 0), 0);
  assert_int_equal(vv_number_match(m, "geom/floor/size", NULL, 0), 0);
  assert_int_equal(vv_number_match(m, "geom/gb/condim", NULL, 0), 0);
  assert_int_equal(vv_number_match(m, "", NULL, 0), 0);
  // nothing depends on these; they are found alone, with the reason
  assert_string_equal(m->names->numbers[number(m, "geom/gb/friction/1")].reason,
                      "no contact of this geom has torsional friction");
  assert_null(m->names->numbers[number(m, "geom/gb/friction/0")].reason);
  assert_int_equal(vv_model_find(m, VV_ELEMENT_BODY, "b/c, d*"), 2);
  assert_int_equal(vv_model_find(m, VV_ELEMENT_GEOM, "#3"), 3);
  assert_int_equal(vv_model_find(m, VV_ELEMENT_GEOM, "#5"), -1);
  assert_int_equal(vv_model_find(m, VV_ELEMENT_JOINT, ""), -1);
  teardown(&s);
}

static vvModel* write_and_read(vvSetup* s, char** text, size_t* length) {
  vvReport report;
  vvModel* m = NULL;
  vvSpec* spec = NULL;
  assert_int_equal(vv_spec_write_text(s->spec, text, length, &report), VV_OK);
  vvStatus status = vv_spec_read_text(s->context, *text, *length, "again.xml", &spec, &report);
  if (status == VV_OK) status = vv_compile(s->context, spec, &m, &report);
  if (status != VV_OK) print_error("%s\n%s\n", report.message, *text);
  assert_int_equal(status, VV_OK);
  vv_spec_free(spec);
  return m;
}

// Every number of a by its name in b.
static void assert_same_numbers(const vvModel* a, const vvModel* b, double tolerance) {
  for (int i = 0; i < a->names->nnumber; i++) {
    const vvNumber* p = &a->names->numbers[i];
    if (strstr(p->name, "/rot/") || p->nmember > 1) continue;
    assert_near(vv_number_value(b, number(b, p->name)), vv_number_value(a, i), tolerance);
  }
}

static void set(vvModel* m, const char* name, double value) {
  int index[100];
  int n = vv_number_match(m, name, index, 100);
  assert_true(n > 0);
  for (int i = 0; i < n; i++) vv_number_set(m, index[i], (vvReal)value);
}

static void applied(void** state) {
  (void)state;
  vvSetup s = setup(names_scene);
  vvReport report;
  set(s.m, "default/leg/geom/friction/0", 0.65);
  set(s.m, "joint/jb/damping/0", 3.5);
  set(s.m, "joint/ja/range/1", 0.7);
  set(s.m, "geom/gb/rot/1", 0.3);
  set(s.m, "body/box/pos/0", 2.5);
  set(s.m, "opt/gravity/2", -1.62);
  assert_int_equal(vv_model_derive(s.context, s.m, &report), VV_OK);
  assert_int_equal(vv_spec_apply_model(s.spec, s.m, &report), VV_OK);
  char* text;
  size_t length;
  vvModel* m = write_and_read(&s, &text, &length);
  assert_same_numbers(s.m, m, 4 * VV_EPSILON);
  size_t begin = s.m->section_begin[VV_SECTION_DERIVED], end = s.m->section_begin[VV_SECTION_BULK];
  for (size_t i = begin; i < end; i++) assert_near(m->reals[i], s.m->reals[i], 100 * VV_EPSILON);
  // the class took what all its members have; the joint kept its own
  assert_non_null(strstr(text, "<default class=\"leg\">"));
  assert_non_null(strstr(text, sizeof(vvReal) == 8 ? "<geom size=\"0.05\" friction=\"0.65\"/>" : "<geom size"));
  assert_int_equal(m->names->numbers[number(m, "default/leg/geom/friction/0")].nmember, 2);
  assert_int_equal(m->names->numbers[number(m, "default/leg/joint/range/1")].nmember, 1);
  vv_free(s.context, text, length + 1);
  vv_model_free(s.context, m);
  teardown(&s);
}

// Members that went apart get numbers of their own.
static void applied_apart(void** state) {
  (void)state;
  vvSetup s = setup(names_scene);
  vvReport report;
  set(s.m, "geom/ga/friction/0", 0.3);
  assert_int_equal(vv_spec_apply_model(s.spec, s.m, &report), VV_OK);
  char* text;
  size_t length;
  vvModel* m = write_and_read(&s, &text, &length);
  assert_same_numbers(s.m, m, VV_EPSILON);
  assert_int_equal(m->names->numbers[number(m, "default/leg/geom/friction/0")].nmember, 1);
  vv_free(s.context, text, length + 1);
  vv_model_free(s.context, m);
  teardown(&s);
}

static void built(void** state) {
  (void)state;
  vvSetup s = {NULL, NULL, NULL};
  vvReport report;
  assert_int_equal(vv_context_create(NULL, &s.context), VV_OK);
  assert_int_equal(vv_spec_create(s.context, &s.spec), VV_OK);
  vvSpec* spec = s.spec;
  int arm_class = vv_spec_add_class(spec, "arm", 0);
  assert_int_equal(arm_class, 1);
  assert_int_equal(vv_spec_add_class(spec, "arm", 0), -1);
  spec->classes[arm_class]->joint.damping = 0.25;
  vvSpecGeom* floor = vv_spec_add_geom(spec, spec->bodies[0], VV_GEOM_PLANE, -1);
  floor->size[0] = floor->size[1] = floor->size[2] = 1;
  vvSpecBody* arm = vv_spec_add_body(spec, spec->bodies[0], NULL);
  arm->pos[2] = 1;
  arm->childclass = arm_class;
  assert_int_equal(vv_spec_name(spec, &arm->head, "arm \"1\" <&>"), VV_OK);
  vvSpecJoint* hinge = vv_spec_add_joint(spec, arm, VV_JOINT_HINGE, -1);
  assert_near(hinge->damping, 0.25, 0);
  assert_int_equal(vv_spec_name(spec, &hinge->head, "hinge"), VV_OK);
  hinge->range[0] = -1;
  hinge->range[1] = 1;
  vvSpecFrame* frame = vv_spec_add_frame(spec, arm, NULL);
  frame->pos[0] = 0.5;
  vvSpecGeom* rod = vv_spec_add_geom(spec, arm, VV_GEOM_CAPSULE, -1);
  rod->frame = frame;
  rod->size[0] = 0.05;
  rod->fromto[0] = rod->fromto[1] = rod->fromto[2] = rod->fromto[3] = rod->fromto[4] = 0;
  rod->fromto[5] = -0.4;
  vvSpecActuator* motor = vv_spec_add_motor(spec, "hinge", -1);
  motor->gear[0] = 5;
  vvSpecKey* key = vv_spec_add_key(spec);
  double angle = 0.3;
  assert_int_equal(vv_spec_key_set(spec, key, "qpos", &angle, 1), VV_OK);
  assert_int_equal(vv_compile(s.context, spec, &s.m, &report), VV_OK);
  assert_int_equal(s.m->nbody, 2);
  assert_int_equal(s.m->npair, 1);
  assert_near(s.m->geom_lpos[3], 0.5, VV_EPSILON);
  assert_near(vv_number_value(s.m, number(s.m, "default/arm/joint/damping/0")), 0.25, 0);
  char* text;
  size_t length;
  vvModel* m = write_and_read(&s, &text, &length);
  assert_int_equal(vv_model_hash(m), vv_model_hash(s.m));
  vv_free(s.context, text, length + 1);
  vv_model_free(s.context, m);
  // without a file, messages name the element
  hinge->range[1] = -2;
  hinge->limited = VV_TRUE;
  vvModel* none;
  assert_int_equal(vv_compile(s.context, spec, &none, &report), VV_ERROR_FILE);
  assert_null(none);
  assert_non_null(strstr(report.message, "joint \"hinge\" has range -1 -2; the first number must be smaller"));
  hinge->range[1] = NAN;
  assert_int_equal(vv_compile(s.context, spec, &none, &report), VV_ERROR_FILE);
  assert_non_null(strstr(report.message, "joint \"hinge\" has a number that is not finite"));
  teardown(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(applied),
                                     cmocka_unit_test(applied_apart), cmocka_unit_test(built)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
