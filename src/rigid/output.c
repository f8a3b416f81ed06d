// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// output.c: names of state quantities to items of the output vector, sensors as items, evaluation in a workspace.

#include "visviva/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/derive.h"
#include "rigid/output_kernel.h"
#include "visviva/names.h"
#include "visviva/rigid.h"

#define MOST_SEGMENTS 5
#define MOST_TEXT 256  // of a quantity's name

// ---- names ----------------------------------------------------------------------------------------------------------

// A quantity's name cut at its slashes, escapes resolved; index: the last segment's number or bracket, -1: none.
typedef struct vvQuantity {
  const char* text;
  char storage[MOST_TEXT];
  const char* segment[MOST_SEGMENTS];
  int n;
  int index;
} vvQuantity;

static vvStatus bad(vvReport* report, const char* quantity, const char* what) {
  return vv_report_set(report, VV_ERROR_ARGUMENT, "%.80s: %s", quantity, what);
}

// Non-negative integer that is the whole text, -1: it is not one.
static int whole_number(const char* text) {
  if (text[0] == '\0' || strlen(text) > 9) return -1;
  for (const char* p = text; *p; p++) {
    if (*p < '0' || *p > '9') return -1;
  }
  return atoi(text);
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

static void unescape(char* text) {
  char* to = text;
  for (const char* p = text; *p; p++) {
    if (*p == '%' && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0) {
      *to++ = (char)(16 * hex_digit(p[1]) + hex_digit(p[2]));
      p += 2;
    } else {
      *to++ = *p;
    }
  }
  *to = '\0';
}

static vvStatus split(const char* text, vvQuantity* q, vvReport* report) {
  size_t length = strlen(text);
  memset(q, 0, sizeof *q);
  q->text = text;
  q->index = -1;
  if (length == 0) return bad(report, "\"\"", "a state quantity has a name such as body/cube/pos");
  if (length >= MOST_TEXT) return bad(report, text, "the name is too long");
  memcpy(q->storage, text, length + 1);
  char* bracket = strrchr(q->storage, '[');
  if (bracket != NULL && q->storage[length - 1] == ']') {
    q->storage[length - 1] = '\0';
    q->index = whole_number(bracket + 1);
    if (q->index < 0) return bad(report, text, "the index in brackets must be a whole number from 0");
    *bracket = '\0';
  }
  char* at = q->storage;
  while (at != NULL) {
    if (q->n == MOST_SEGMENTS) return bad(report, text, "there are too many parts between slashes");
    char* slash = strchr(at, '/');
    if (slash != NULL) *slash = '\0';
    unescape(at);
    if (at[0] == '\0') return bad(report, text, "a part between slashes is empty");
    q->segment[q->n++] = at;
    at = slash == NULL ? NULL : slash + 1;
  }
  return VV_OK;
}

// Selects component index of an item of dim components (all for -1).
static vvStatus select_component(const vvQuantity* q, int dim, vvOutputItem* item, vvReport* report) {
  item->first = 0;
  item->dim = dim;
  if (q->index < 0) return VV_OK;
  if (q->index >= dim) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "%.80s: the index must be in 0..%d", q->text, dim - 1);
  }
  item->first = q->index;
  item->dim = 1;
  return VV_OK;
}

// Takes the index from segment `at` when there is one; false when segments are left over or missing.
static bool ends_at(vvQuantity* q, int at) {
  if (q->n == at) return true;
  if (q->n != at + 1 || q->index >= 0) return false;
  q->index = whole_number(q->segment[at]);
  return q->index >= 0;
}

static vvStatus find_element(const vvModel* m, const vvQuantity* q, vvElement element, int segment, int* id,
                             vvReport* report) {
  *id = vv_model_find(m, element, q->segment[segment]);
  if (*id >= 0) return VV_OK;
  return vv_report_set(report, VV_ERROR_ARGUMENT, "%.80s: the scene has no %s \"%.60s\"", q->text,
                       element == VV_ELEMENT_GEOM ? "geom" : q->segment[0], q->segment[segment]);
}

// ---- items ----------------------------------------------------------------------------------------------------------

static vvOutputItem item_of(int kind, int obj, int objtype) {
  vvOutputItem item = {.kind = kind,
                       .obj = obj,
                       .objtype = objtype,
                       .objaxes = VV_AXES_NONE,
                       .ref = -1,
                       .refaxes = VV_AXES_NONE,
                       .sensor = -1,
                       .dim = 1};
  return item;
}

static int joint_dim(const vvModel* m, int j, bool position) {
  if (m->jnt_type[j] == VV_JOINT_FREE) return position ? 7 : 6;
  if (m->jnt_type[j] == VV_JOINT_BALL) return position ? 4 : 3;
  return 1;
}

static vvStatus find_body(const vvModel* m, vvQuantity* q, vvOutputItem* item, vvReport* report) {
  static const struct {
    const char* word;
    int kind, dim;
  } kinds[] = {{"pos", VV_SENSOR_FRAMEPOS, 3},
               {"quat", VV_SENSOR_FRAMEQUAT, 4},
               {"linvel", VV_SENSOR_FRAMELINVEL, 3},
               {"angvel", VV_OUTPUT_BODYANGVEL, 3}};
  int id;
  vvStatus status = find_element(m, q, VV_ELEMENT_BODY, 1, &id, report);
  if (status != VV_OK) return status;
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    if (strcmp(q->segment[2], kinds[k].word) != 0) continue;
    *item = item_of(kinds[k].kind, id, VV_FRAME_XBODY);
    return select_component(q, kinds[k].dim, item, report);
  }
  return bad(report, q->text, "of a body there are pos, quat, linvel and angvel");
}

static vvStatus find_joint(const vvModel* m, vvQuantity* q, vvOutputItem* item, vvReport* report) {
  int id;
  vvStatus status = find_element(m, q, VV_ELEMENT_JOINT, 1, &id, report);
  if (status != VV_OK) return status;
  bool position = strcmp(q->segment[2], "pos") == 0;
  if (!position && strcmp(q->segment[2], "vel") != 0) return bad(report, q->text, "of a joint there are pos and vel");
  *item = item_of(position ? VV_OUTPUT_JOINTPOS : VV_OUTPUT_JOINTVEL, id, 0);
  return select_component(q, joint_dim(m, id, position), item, report);
}

static vvStatus find_site(const vvModel* m, vvQuantity* q, vvOutputItem* item, vvReport* report) {
  int id;
  vvStatus status = find_element(m, q, VV_ELEMENT_SITE, 1, &id, report);
  if (status != VV_OK) return status;
  if (strcmp(q->segment[2], "pos") != 0) return bad(report, q->text, "of a site there is pos");
  *item = item_of(VV_SENSOR_FRAMEPOS, id, VV_FRAME_SITE);
  return select_component(q, 3, item, report);
}

static vvStatus find_actuator(const vvModel* m, vvQuantity* q, vvOutputItem* item, vvReport* report) {
  int id;
  vvStatus status = find_element(m, q, VV_ELEMENT_ACTUATOR, 1, &id, report);
  if (status != VV_OK) return status;
  if (strcmp(q->segment[2], "force") != 0) return bad(report, q->text, "of an actuator there is force");
  *item = item_of(VV_OUTPUT_ACTUATORFORCE, id, 0);
  return select_component(q, 1, item, report);
}

static vvStatus find_contact(const vvModel* m, vvQuantity* q, vvOutputItem* item, vvReport* report) {
  int first, second;
  vvStatus status = find_element(m, q, VV_ELEMENT_GEOM, 1, &first, report);
  if (status == VV_OK) status = find_element(m, q, VV_ELEMENT_GEOM, 2, &second, report);
  if (status != VV_OK) return status;
  if (strcmp(q->segment[3], "force") != 0) return bad(report, q->text, "of a contact there is force");
  bool pair = false;
  for (int k = 0; k < m->npair; k++) {
    int a = m->pair_geom[2 * k], b = m->pair_geom[2 * k + 1];
    pair = pair || (a == first && b == second) || (a == second && b == first);
  }
  if (!pair) return bad(report, q->text, "these two geoms never touch: same body, filtered or excluded");
  *item = item_of(VV_OUTPUT_CONTACTFORCE, first, 0);
  item->ref = second;
  return select_component(q, 3, item, report);
}

// Where the axes of an inertial frame come from; a body without axes of its own is refused.
static vvStatus inertial_axes(const vvModel* m, const char* who, int body, bool turned, int* axes, vvReport* report) {
  *axes = body == 0 ? VV_AXES_SEVERAL : vv_derive_axes(m, body);  // the world: its own frame
  if (body > 0 && turned && (*axes == VV_AXES_SEVERAL || *axes == VV_AXES_FULL)) {
    return vv_report_set(report, VV_ERROR_UNSUPPORTED,
                         "%s: the principal axes of a full inertia are not differentiable; use objtype or reftype "
                         "\"xbody\"",
                         who);
  }
  return VV_OK;
}

// One past the last body of a subtree.
static int subtree_end(const vvModel* m, int body) {
  int end = body + 1;
  while (end < m->nbody && m->body_parent[end] >= body) end++;
  return end;
}

static vvStatus sensor_item(const vvModel* m, int s, vvOutputItem* item, vvReport* report) {
  int type = m->sensor_type[s];
  char who[96];
  const char* name =
      m->names != NULL && m->names->element[VV_ELEMENT_SENSOR] != NULL ? m->names->element[VV_ELEMENT_SENSOR][s] : "";
  if (name[0] != '\0') {
    snprintf(who, sizeof who, "sensor \"%.60s\"", name);
  } else {
    snprintf(who, sizeof who, "sensor #%d", s);
  }
  *item = item_of(type, m->sensor_obj[s], m->sensor_objtype[s]);
  item->dim = m->sensor_dim[s];
  item->sensor = s;
  if (m->disable & VV_DISABLE_SENSOR) {
    item->kind = VV_OUTPUT_ZERO;
    return VV_OK;
  }
  if (type == VV_SENSOR_EPOTENTIAL) item->kind = VV_OUTPUT_ENERGYPOTENTIAL;
  if (type == VV_SENSOR_EKINETIC) item->kind = VV_OUTPUT_ENERGYKINETIC;
  if (type == VV_SENSOR_FORCE || type == VV_SENSOR_TORQUE) item->last = subtree_end(m, m->site_body[item->obj]);
  if (type >= VV_SENSOR_SUBTREECOM && type <= VV_SENSOR_SUBTREEANGMOM) item->last = subtree_end(m, item->obj);
  if (type < VV_SENSOR_FRAMEPOS || type > VV_SENSOR_FRAMEANGACC) return VV_OK;
  item->ref = m->sensor_ref[s];
  item->reftype = m->sensor_reftype[s];
  bool turned = type == VV_SENSOR_FRAMEQUAT || type == VV_SENSOR_FRAMEXAXIS || type == VV_SENSOR_FRAMEYAXIS ||
                type == VV_SENSOR_FRAMEZAXIS;
  vvStatus status = VV_OK;
  if (item->objtype == VV_FRAME_BODY) status = inertial_axes(m, who, item->obj, turned, &item->objaxes, report);
  if (status == VV_OK && item->ref >= 0 && item->reftype == VV_FRAME_BODY) {
    status = inertial_axes(m, who, item->ref, true, &item->refaxes, report);
  }
  return status;
}

static vvStatus find_sensor(const vvModel* m, vvQuantity* q, vvOutputItem* item, vvReport* report) {
  int id;
  vvStatus status = find_element(m, q, VV_ELEMENT_SENSOR, 1, &id, report);
  if (status == VV_OK) status = sensor_item(m, id, item, report);
  return status == VV_OK ? select_component(q, item->dim, item, report) : status;
}

static vvStatus find_column(const vvModel* m, const vvQuantity* q, vvOutputItem* item, vvReport* report) {
  bool position = strcmp(q->segment[0], "qpos") == 0, activation = strcmp(q->segment[0], "act") == 0;
  int count = position ? m->nq : activation ? m->na : m->nv;
  if (count == 0) return bad(report, q->text, "the scene has none");
  if (q->index < 0 || q->index >= count) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "%.80s: the index must be in 0..%d", q->text, count - 1);
  }
  *item = item_of(position ? VV_OUTPUT_QPOS : activation ? VV_OUTPUT_ACT : VV_OUTPUT_QVEL, q->index, 0);
  return VV_OK;
}

static vvStatus find_energy(vvQuantity* q, vvOutputItem* item, vvReport* report) {
  if (strcmp(q->segment[1], "potential") == 0) {
    *item = item_of(VV_OUTPUT_ENERGYPOTENTIAL, 0, 0);
  } else if (strcmp(q->segment[1], "kinetic") == 0) {
    *item = item_of(VV_OUTPUT_ENERGYKINETIC, 0, 0);
  } else {
    return bad(report, q->text, "of energy there are potential and kinetic");
  }
  return VV_OK;
}

vvStatus vv_output_find(const vvModel* m, const char* quantity, vvOutputItem* item, vvReport* report) {
  if (m == NULL || quantity == NULL || item == NULL) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "vv_output_find: a pointer is NULL");
  }
  vvQuantity q;
  vvStatus status = split(quantity, &q, report);
  if (status != VV_OK) return status;
  const char* word = q.segment[0];
  if (q.n == 1 && (strcmp(word, "qpos") == 0 || strcmp(word, "qvel") == 0 || strcmp(word, "act") == 0))
    return find_column(m, &q, item, report);
  if (strcmp(word, "energy") == 0 && q.n == 2 && q.index < 0) return find_energy(&q, item, report);
  if (strcmp(word, "sensor") == 0 && q.n >= 2 && ends_at(&q, 2)) return find_sensor(m, &q, item, report);
  if (strcmp(word, "contact") == 0 && q.n >= 4 && ends_at(&q, 4)) return find_contact(m, &q, item, report);
  if (strcmp(word, "body") == 0 && q.n >= 3 && ends_at(&q, 3)) return find_body(m, &q, item, report);
  if (strcmp(word, "joint") == 0 && q.n >= 3 && ends_at(&q, 3)) return find_joint(m, &q, item, report);
  if (strcmp(word, "site") == 0 && q.n >= 3 && ends_at(&q, 3)) return find_site(m, &q, item, report);
  if (strcmp(word, "actuator") == 0 && q.n == 3 && q.index < 0) return find_actuator(m, &q, item, report);
  return bad(report, quantity,
             "no state quantity; they are body/NAME/pos|quat|linvel|angvel, joint/NAME/pos|vel, site/NAME/pos, "
             "sensor/NAME, actuator/NAME/force, contact/A/B/force, energy/potential|kinetic");
}

vvStatus vv_output_sensors(const vvModel* m, vvOutputItem* items, vvReport* report) {
  if (m == NULL || (items == NULL && m->nsensor > 0)) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "vv_output_sensors: a pointer is NULL");
  }
  for (int s = 0; s < m->nsensor; s++) {
    vvStatus status = sensor_item(m, s, items + s, report);
    if (status != VV_OK) return status;
    items[s].adr = m->sensor_adr[s];
  }
  return VV_OK;
}

// ---- the list of all ------------------------------------------------------------------------------------------------

// The table of what an element has: words after the name.
static const struct {
  vvElement element;
  const char* word;
  const char* suffix;
} listed[] = {{VV_ELEMENT_BODY, "body", "/pos"},          {VV_ELEMENT_BODY, "body", "/quat"},
              {VV_ELEMENT_BODY, "body", "/linvel"},       {VV_ELEMENT_BODY, "body", "/angvel"},
              {VV_ELEMENT_JOINT, "joint", "/pos"},        {VV_ELEMENT_JOINT, "joint", "/vel"},
              {VV_ELEMENT_SITE, "site", "/pos"},          {VV_ELEMENT_SENSOR, "sensor", ""},
              {VV_ELEMENT_ACTUATOR, "actuator", "/force"}};

static int element_count(const vvModel* m, vvElement element) {
  if (element == VV_ELEMENT_BODY) return m->nbody;
  if (element == VV_ELEMENT_JOINT) return m->njnt;
  if (element == VV_ELEMENT_SITE) return m->nsite;
  if (element == VV_ELEMENT_SENSOR) return m->nsensor;
  return m->nu;
}

// Appends the escaped name of an element, "#3" without; false when it does not fit.
static bool append_name(const vvModel* m, vvElement element, int id, char* text, size_t size) {
  const char* name = m->names != NULL && m->names->element[element] != NULL ? m->names->element[element][id] : "";
  size_t at = strlen(text);
  if (name[0] == '\0') return snprintf(text + at, size - at, "#%d", id) < (int)(size - at);
  for (const char* p = name; *p; p++) {
    bool escape = strchr("/*, %[]\t\r\n", *p) != NULL;
    if (at + 4 > size) return false;
    if (escape) {
      snprintf(text + at, size - at, "%%%02X", (unsigned)(unsigned char)*p);
      at += 3;
    } else {
      text[at++] = *p;
    }
    text[at] = '\0';
  }
  return true;
}

int vv_output_count(const vvModel* m) {
  int n = 2 + m->npair;
  for (size_t k = 0; k < sizeof listed / sizeof listed[0]; k++) n += element_count(m, listed[k].element);
  return n;
}

static bool append(char* text, size_t size, const char* more) {
  size_t at = strlen(text);
  return snprintf(text + at, size - at, "%s", more) < (int)(size - at);
}

bool vv_output_name(const vvModel* m, int i, char* text, size_t size) {
  if (i < 0 || size == 0) return false;
  text[0] = '\0';
  for (size_t k = 0; k < sizeof listed / sizeof listed[0]; k++) {
    int n = element_count(m, listed[k].element);
    if (i < n) {
      return append(text, size, listed[k].word) && append(text, size, "/") &&
             append_name(m, listed[k].element, i, text, size) && append(text, size, listed[k].suffix);
    }
    i -= n;
  }
  if (i < m->npair) {
    return append(text, size, "contact/") && append_name(m, VV_ELEMENT_GEOM, m->pair_geom[2 * i], text, size) &&
           append(text, size, "/") && append_name(m, VV_ELEMENT_GEOM, m->pair_geom[2 * i + 1], text, size) &&
           append(text, size, "/force");
  }
  i -= m->npair;
  if (i > 1) return false;
  return append(text, size, i == 0 ? "energy/potential" : "energy/kinetic");
}

// ---- evaluation -----------------------------------------------------------------------------------------------------

int vv_output_needs(const vvOutputItem* items, int nitem) {
  int needs = 0;
  for (int i = 0; i < nitem; i++) {
    switch (items[i].kind) {
      case VV_SENSOR_FRAMELINACC:
      case VV_SENSOR_FRAMEANGACC:
      case VV_SENSOR_ACCELEROMETER:
      case VV_SENSOR_FORCE:
      case VV_SENSOR_TORQUE:
      case VV_SENSOR_TOUCH:
      case VV_OUTPUT_CONTACTFORCE:
        needs |= VV_OUTPUT_NEEDS_ACCELERATION | VV_OUTPUT_NEEDS_VELOCITY;
        break;
      case VV_SENSOR_FRAMELINVEL:
      case VV_SENSOR_FRAMEANGVEL:
      case VV_SENSOR_GYRO:
      case VV_SENSOR_VELOCIMETER:
      case VV_SENSOR_SUBTREELINVEL:
      case VV_SENSOR_SUBTREEANGMOM:
      case VV_OUTPUT_BODYANGVEL:
      case VV_OUTPUT_ENERGYKINETIC:
        needs |= VV_OUTPUT_NEEDS_VELOCITY;
        break;
      default:
        break;
    }
  }
  return needs;
}

void vv_output_evaluate(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* act, const vvReal* ctrl,
                        const vvOutputItem* items, int nitem, struct vvRigidWork* work, vvReal* out) {
  vvRigidPose pose = {work->xpos, work->xquat, work->xmat, work->S};
  vvRigidMotion motion = {work->V, work->F, work->G, NULL};
  int needs = vv_output_needs(items, nitem);
  const vvReal* a = needs & VV_OUTPUT_NEEDS_ACCELERATION ? work->a : work->zero;
  if (needs != 0) vv_rigid_motion(m, &pose, v, a, &motion);
  vv_rigid_output(m, work->ref, &pose, q, v, act == NULL ? work->zero : act, ctrl == NULL ? work->zero : ctrl, &motion,
                  work->contacts, work->ncontact, items, nitem, out);
}
