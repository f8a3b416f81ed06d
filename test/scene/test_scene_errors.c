// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_scene_errors.c: what is wrong with a scene is said in one line that names file and line; hostile files, files
// cut off anywhere and memory that runs out give a status.

#define _XOPEN_SOURCE 700  // mkdtemp

#include "vvtest.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static vvStatus load_text(vvContext* context, const char* text, size_t length, vvReport* report) {
  vvSpec* spec = NULL;
  vvModel* model = NULL;
  vvStatus status = vv_spec_read_text(context, text, length, "scene.xml", &spec, report);
  assert_true((status == VV_OK) == (spec != NULL));
  if (status == VV_OK) {
    status = vv_compile(context, spec, &model, report);
    assert_true((status == VV_OK) == (model != NULL));
  }
  vv_model_free(context, model);
  vv_spec_free(spec);
  return status;
}

// One line, not empty.
static void assert_one_line(const vvReport* report) {
  assert_true(report->message[0] != 0);
  for (const char* p = report->message; *p; p++) assert_true((unsigned char)*p >= ' ');
}

typedef struct vvCase {
  const char* text;
  vvStatus status;
  const char* message;
} vvCase;

#define WORLD(inside) "<mujoco>\n<worldbody>\n" inside "\n</worldbody>\n</mujoco>"
#define BALL "<geom size='0.1'/>"

static const vvCase cases[] = {
    {WORLD("<body>\n<joint frictionloss='-0.1'/>" BALL "</body>"), VV_ERROR_FILE,
     "scene.xml:4: joint #0 has a negative frictionloss; it must be 0 or more"},
    {WORLD("<body><joint frictionloss='0'/>" BALL "</body>"), VV_OK, ""},
    {WORLD("<geom size='0.1' frictoin='1'/>"), VV_ERROR_FILE,
     "scene.xml:3: geom has no attribute \"frictoin\"; did you mean \"friction\"?"},
    {WORLD("<gem/>"), VV_ERROR_FILE, "scene.xml:3: unknown element \"gem\" in <worldbody>; did you mean \"geom\"?"},
    {WORLD("<geom size='0.1'\n pos='1 2 x'/>"), VV_ERROR_FILE, "geom attribute \"pos\": \"x\" is not a number"},
    {WORLD("<geom size='0.1' pos='1 2'/>"), VV_ERROR_FILE,
     "scene.xml:3: geom attribute \"pos\" has 2 numbers; it needs 3"},
    {WORLD("<geom size='0.1' pos='1 2 3 4'/>"), VV_ERROR_FILE,
     "geom attribute \"pos\" has more than 3 numbers; it needs 3"},
    {WORLD("<geom size='0.1' pos='nan 0 0'/>"), VV_ERROR_FILE, "\"nan\" is not a finite number"},
    {WORLD("<geom size='-inf'/>"), VV_ERROR_FILE, "\"-inf\" is not a finite number"},
    {WORLD("<geom size='1e999'/>"), VV_ERROR_FILE, "\"1e999\" is too large for a number"},
    {WORLD("<geom size='0x10'/>"), VV_ERROR_FILE, "\"0x10\" is not a number"},
    {WORLD("<geom size='0,1'/>"), VV_ERROR_FILE, "\"0,1\" is not a number"},
    {WORLD("<geom size='0.1' condim='2'/>"), VV_ERROR_FILE,
     "scene.xml:3: geom #0 has condim 2; it can be 1, 3, 4 or 6"},
    {WORLD("<geom name='a' size='0.1'/>\n<geom name='a' size='0.1'/>"), VV_ERROR_FILE,
     "scene.xml:4: a second geom is named \"a\""},
    {WORLD("<geom type='mesh' mesh='m'/>"), VV_ERROR_UNSUPPORTED,
     "scene.xml:3: geom type \"mesh\" is not supported yet"},
    {WORLD("<body mocap='true'/>"), VV_ERROR_UNSUPPORTED, "body attribute \"mocap\" is not supported yet"},
    {WORLD("<body gravcomp='1'/>"), VV_OK, ""},
    {WORLD("<replicate count='2'/>"), VV_ERROR_UNSUPPORTED, "element \"replicate\" is not supported yet"},
    {WORLD("<body><joint damping='1 2'/>" BALL "</body>"), VV_ERROR_UNSUPPORTED,
     "joint attribute \"damping\" is not supported yet"},
    {WORLD("<body><joint type='ball' range='-1 1'/>" BALL "</body>"), VV_ERROR_FILE,
     "scene.xml:3: joint #0 has range -1 1; a ball's is 0 and its largest angle"},
    {"<mujoco><option integrator='implicit'/></mujoco>", VV_OK, ""},
    {"<mujoco><option density='-1.2'/></mujoco>", VV_ERROR_FILE, "option density is -1.2"},
    {"<mujoco><option><flag override='enable'/></option></mujoco>", VV_ERROR_UNSUPPORTED,
     "flag \"override\" is not supported yet"},
    {"<mujoco>\n<tendon>\n<fixed/></tendon></mujoco>", VV_ERROR_FILE,
     "scene.xml:3: a fixed tendon needs joints; add <joint joint=\"...\" coef=\"...\"/>"},
    {"<mujoco><tendon/><equality/></mujoco>", VV_OK, ""},
    {"<mujoco><actuator><adhesion body='a'/></actuator></mujoco>", VV_ERROR_UNSUPPORTED,
     "actuator \"adhesion\" is not supported yet; use another kind"},
    {"<mujoco><sensor><rangefinder site='s'/></sensor></mujoco>", VV_ERROR_UNSUPPORTED,
     "sensor \"rangefinder\" is not supported yet"},
    {"<mujoco><contact><pair/></contact></mujoco>", VV_ERROR_UNSUPPORTED, "pair is not supported yet"},
    {"<mujoco><option timestep='0'/></mujoco>", VV_ERROR_FILE, "option timestep is 0; it must be positive"},
    {"<mujoco><option><flag contact='disable'/></option>\n" WORLD(
         "<body><freejoint/><geom type='box' size='1 1 1'/></body>"
         "<body><freejoint/><geom type='box' size='1 1 1'/></body>") "</mujoco>",
     VV_ERROR_FILE, "unknown element \"mujoco\""},
    {WORLD("text"), VV_OK, ""},
    {"<!DOCTYPE a [<!ENTITY x 'y'>]><mujoco/>", VV_ERROR_FILE, "document type declarations are not read"},
    {"", VV_ERROR_FILE, "scene.xml:1: empty file"},
    {"<mujoco>\n<worldbody>\n", VV_ERROR_FILE, "scene.xml:3: not well-formed XML"},
    {"<mujoco><include file='none.xml'/></mujoco>", VV_ERROR_FILE, "cannot open the included file"},
    {NULL, VV_OK, NULL}};

static void messages(void** state) {
  (void)state;
  vvContext* context;
  assert_int_equal(vv_context_create(NULL, &context), VV_OK);
  for (const vvCase* c = cases; c->text; c++) {
    vvReport report;
    vvStatus status = load_text(context, c->text, strlen(c->text), &report);
    bool good = status == c->status && strstr(report.message, c->message);
    if (!good)
      print_error("status %d, message '%s'; not %d, '%s'\n", (int)status, report.message, (int)c->status, c->message);
    assert_true(good);
    if (status != VV_OK) assert_one_line(&report);
  }
  assert_int_equal(vv_context_memory(context).bytes, 0);
  vv_context_destroy(context);
}

// ---- files ----------------------------------------------------------------------------------------------------------

static void write_file(const char* path, const char* text) {
  FILE* file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static vvStatus load_file(vvContext* context, const char* path, vvReport* report) {
  vvModel* model = NULL;
  vvStatus status = vv_model_load_file(context, path, &model, report);
  vv_model_free(context, model);
  return status;
}

static void includes(void** state) {
  (void)state;
  vvContext* context;
  vvReport report;
  char folder[] = "/tmp/vv scene XXXXXX", main_path[64], path[64];
  assert_int_equal(vv_context_create(NULL, &context), VV_OK);
  assert_non_null(mkdtemp(folder));
  snprintf(main_path, sizeof main_path, "%s/main scene.xml", folder);
  snprintf(path, sizeof path, "%s/part.xml", folder);
  write_file(main_path,
             "\xef\xbb\xbf<mujoco>\r\n<worldbody>\r\n<body name='b'>\r\n<include "
             "file='part.xml'/>\r\n</body></worldbody></mujoco>\r\n");
  write_file(path, "<any><joint/><geom size='0.1'/><geom size='0.2'/></any>");
  assert_int_equal(load_file(context, main_path, &report), VV_OK);
  write_file(path, "<any>\n\n<joint/><geom size='0.1' foo='1'/></any>");
  assert_int_equal(load_file(context, main_path, &report), VV_ERROR_FILE);
  assert_non_null(strstr(report.message, "part.xml:3: geom has no attribute \"foo\""));
  write_file(path, "<any><include file='part.xml'/></any>");
  assert_int_equal(load_file(context, main_path, &report), VV_ERROR_FILE);
  assert_non_null(strstr(report.message, "is included already"));
  write_file(path, "<any><include file='main scene.xml'/></any>");
  assert_int_equal(load_file(context, main_path, &report), VV_ERROR_FILE);
  assert_non_null(strstr(report.message, "is included already"));
  write_file(path, "<any/>");
  assert_int_equal(load_file(context, main_path, &report), VV_ERROR_FILE);
  assert_non_null(strstr(report.message, "main scene.xml:4: the included file \"part.xml\" holds no elements"));
  assert_int_equal(load_file(context, folder, &report), VV_ERROR_FILE);
  assert_int_equal(load_file(context, "/tmp/no such scene.xml", &report), VV_ERROR_FILE);
  remove(path);
  remove(main_path);
  rmdir(folder);
  assert_int_equal(vv_context_memory(context).bytes, 0);
  vv_context_destroy(context);
}

// A number with a decimal point whatever the locale says.
static void locales(void** state) {
  (void)state;
  static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C.UTF-8", NULL};
  int i = 0;
  while (names[i] && !setlocale(LC_ALL, names[i])) i++;
  vvContext* context;
  vvReport report;
  vvSpec* spec;
  char* text;
  size_t length;
  assert_int_equal(vv_context_create(NULL, &context), VV_OK);
  const char* scene = "<mujoco><option timestep='0.0125'/></mujoco>";
  assert_int_equal(vv_spec_read_text(context, scene, strlen(scene), "scene.xml", &spec, &report), VV_OK);
  assert_true(spec->option.timestep == 0.0125);
  assert_int_equal(vv_spec_write_text(spec, &text, &length, &report), VV_OK);
  assert_non_null(strstr(text, "timestep=\"0.0125\""));
  vv_free(context, text, length + 1);
  vv_spec_free(spec);
  vv_context_destroy(context);
  setlocale(LC_ALL, "C");
}

static char* read_scene(const char* name, size_t* length) {
  char path[512];
  snprintf(path, sizeof path, "%s/test/scenes/%s", VV_ROOT, name);
  FILE* file = fopen(path, "rb");
  assert_non_null(file);
  char* text = calloc(1, 1 << 16);
  *length = fread(text, 1, (1 << 16) - 1, file);
  fclose(file);
  return text;
}

// Cut off at any byte, or with a byte changed: a status, one line, and no memory lost.
static void damaged(void** state) {
  (void)state;
  static const char* const names[] = {"joints.xml", "creature.xml", NULL};
  vvContext* context;
  assert_int_equal(vv_context_create(NULL, &context), VV_OK);
  for (int i = 0; names[i]; i++) {
    size_t length;
    char* text = read_scene(names[i], &length);
    vvReport report;
    assert_int_equal(load_text(context, text, length, &report), VV_OK);
    for (size_t n = 0; n + 1 < length; n += 7) {
      vvStatus status = load_text(context, text, n, &report);
      if (status != VV_OK) assert_one_line(&report);
    }
    uint32_t random = 1;
    for (int k = 0; k < 400; k++) {
      random = random * 1664525u + 1013904223u;
      size_t at = random % length;
      char kept = text[at];
      text[at] = (char)(random >> 24);
      vvStatus status = load_text(context, text, length, &report);
      if (status != VV_OK) assert_one_line(&report);
      text[at] = kept;
    }
    free(text);
  }
  assert_int_equal(vv_context_memory(context).bytes, 0);
  vv_context_destroy(context);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

typedef struct vvBudget {
  int left;
} vvBudget;

static void* allocate(size_t bytes, size_t alignment, void* user) {
  vvBudget* budget = user;
  if (budget->left-- <= 0) return NULL;
  return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release(void* memory, size_t bytes, void* user) {
  (void)bytes, (void)user;
  free(memory);
}

static vvStatus everything(vvContext* context, const char* text, size_t length) {
  vvSpec* spec = NULL;
  vvModel* model = NULL;
  char* out = NULL;
  size_t n = 0;
  vvStatus status = vv_spec_read_text(context, text, length, "scene.xml", &spec, NULL);
  if (status == VV_OK) status = vv_compile(context, spec, &model, NULL);
  if (status == VV_OK) status = vv_spec_apply_model(spec, model, NULL);
  if (status == VV_OK) status = vv_spec_write_text(spec, &out, &n, NULL);
  if (out) vv_free(context, out, n + 1);
  vv_model_free(context, model);
  vv_spec_free(spec);
  return status;
}

static void failing_memory(void** state) {
  (void)state;
  size_t length;
  char* text = read_scene("joints.xml", &length);
  vvBudget budget = {1 << 30};
  vvContextOptions options = vv_context_options_default();
  options.allocate = allocate;
  options.release = release;
  options.user = &budget;
  vvContext* context;
  assert_int_equal(vv_context_create(&options, &context), VV_OK);
  size_t idle = vv_context_memory(context).bytes;
  vvStatus status = VV_ERROR_MEMORY;
  int n = 0;
  for (; status != VV_OK && n < 5000; n++) {
    budget.left = n;
    status = everything(context, text, length);
    assert_true(status == VV_OK || status == VV_ERROR_MEMORY);
    assert_int_equal(vv_context_memory(context).bytes, idle);
  }
  assert_int_equal(status, VV_OK);
  assert_true(n > 20);
  budget.left = 1 << 30;
  vv_context_destroy(context);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(messages), cmocka_unit_test(includes), cmocka_unit_test(locales),
                                     cmocka_unit_test(damaged), cmocka_unit_test(failing_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
