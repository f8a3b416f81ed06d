// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// names.c: what the name of a state quantity means to a fit: which of its entries form a quaternion, and which entries
// of q and v it fixes at a window's start.

#include "fit/names.h"

#include <stdlib.h>
#include <string.h>

enum { SEGMENT = 256 };

// Copies segment i of a name, %2F and the like decoded; false when there is none or it is too long.
static bool segment(const char* name, int i, char text[SEGMENT]) {
  for (; i > 0; i--) {
    name = strchr(name, '/');
    if (!name) return false;
    name++;
  }
  size_t length = strcspn(name, "/"), n = 0;
  for (size_t k = 0; k < length; k++) {
    char c = name[k];
    if (c == '%' && k + 2 < length) {
      char hex[3] = {name[k + 1], name[k + 2], 0};
      char* end = NULL;
      long code = strtol(hex, &end, 16);
      if (*end == 0 && code > 0) {
        c = (char)code;
        k += 2;
      }
    }
    if (n + 1 >= SEGMENT) return false;
    text[n++] = c;
  }
  text[n] = 0;
  return true;
}

static int free_joint(const vvModel* m, int body) {
  if (body <= 0 || m->body_njnt[body] != 1) return -1;
  int j = m->body_jnt[body];
  return m->jnt_type[j] == VV_JOINT_FREE ? j : -1;
}

static void body_meaning(const vvModel* m, int body, const char* what, vvFitMeaning* out) {
  int j = free_joint(m, body);
  out->n = 3;
  if (strcmp(what, "quat") == 0) {
    out->n = 4;
    out->quat = 0;
  }
  if (j < 0) return;
  bool velocity = strcmp(what, "linvel") == 0 || strcmp(what, "angvel") == 0;
  bool second = strcmp(what, "quat") == 0 || strcmp(what, "angvel") == 0;
  out->velocity = velocity;
  out->adr = (velocity ? m->jnt_v[j] : m->jnt_q[j]) + (second ? 3 : 0);
}

static void joint_meaning(const vvModel* m, int joint, const char* what, vvFitMeaning* out) {
  static const int width_q[4] = {7, 4, 1, 1}, width_v[4] = {6, 3, 1, 1};
  int type = m->jnt_type[joint];
  out->velocity = strcmp(what, "vel") == 0;
  out->adr = out->velocity ? m->jnt_v[joint] : m->jnt_q[joint];
  out->n = out->velocity ? width_v[type] : width_q[type];
  if (!out->velocity && type == VV_JOINT_FREE) out->quat = 3;
  if (!out->velocity && type == VV_JOINT_BALL) out->quat = 0;
}

static void sensor_meaning(const vvModel* m, int sensor, vvFitMeaning* out) {
  out->n = m->sensor_dim[sensor];
  int type = m->sensor_type[sensor];
  if (type == VV_SENSOR_BALLQUAT || type == VV_SENSOR_FRAMEQUAT) out->quat = 0;
}

vvFitMeaning vv_fit_meaning(const vvModel* m, const char* name) {
  vvFitMeaning out = {.n = 0, .quat = -1, .adr = -1, .velocity = false};
  char kind[SEGMENT], element[SEGMENT], what[SEGMENT], index[SEGMENT];
  if (!segment(name, 0, kind) || !segment(name, 1, element)) return out;
  bool sensor = strcmp(kind, "sensor") == 0;
  if (!segment(name, 2, what)) what[0] = 0;
  if (strcmp(kind, "body") == 0) {
    int id = vv_model_find(m, VV_ELEMENT_BODY, element);
    if (id >= 0) body_meaning(m, id, what, &out);
  } else if (strcmp(kind, "joint") == 0) {
    int id = vv_model_find(m, VV_ELEMENT_JOINT, element);
    if (id >= 0) joint_meaning(m, id, what, &out);
  } else if (sensor) {
    int id = vv_model_find(m, VV_ELEMENT_SENSOR, element);
    if (id >= 0) sensor_meaning(m, id, &out);
  }
  if (segment(name, sensor ? 2 : 3, index)) {  // one component: no quaternion, and a part of one fixes nothing
    int i = atoi(index);
    bool inside = out.quat >= 0 && i >= out.quat && i < out.quat + 4;
    out.adr = out.adr < 0 || inside ? -1 : out.adr + i;
    out.quat = -1;
    out.n = 1;
  }
  return out;
}

static bool ends_with(const char* text, const char* end) {
  size_t a = strlen(text), b = strlen(end);
  return a >= b && strcmp(text + a - b, end) == 0;
}

const char* vv_fit_quantity_unit(const char* name) {
  bool body = strncmp(name, "body/", 5) == 0 || strncmp(name, "site/", 5) == 0;
  if (!body) return "";
  if (ends_with(name, "/quat")) return "rad";
  if (strstr(name, "/linvel")) return "m/s";
  if (strstr(name, "/angvel")) return "rad/s";
  return strstr(name, "/pos") ? "m" : "";
}
