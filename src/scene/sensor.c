// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// sensor.c: the table of sensors (sensor.h).

#include "scene/sensor.h"

#include <string.h>

#include "visviva/output.h"

static const vvSensorKind kinds[] = {{"jointpos", VV_SENSOR_JOINTPOS, VV_TARGET_JOINT, 1, true},
                                     {"jointvel", VV_SENSOR_JOINTVEL, VV_TARGET_JOINT, 1, true},
                                     {"ballquat", VV_SENSOR_BALLQUAT, VV_TARGET_BALL, 4, false},
                                     {"ballangvel", VV_SENSOR_BALLANGVEL, VV_TARGET_BALL, 3, true},
                                     {"framepos", VV_SENSOR_FRAMEPOS, VV_TARGET_FRAME, 3, true},
                                     {"framequat", VV_SENSOR_FRAMEQUAT, VV_TARGET_FRAME, 4, false},
                                     {"framexaxis", VV_SENSOR_FRAMEXAXIS, VV_TARGET_FRAME, 3, false},
                                     {"frameyaxis", VV_SENSOR_FRAMEYAXIS, VV_TARGET_FRAME, 3, false},
                                     {"framezaxis", VV_SENSOR_FRAMEZAXIS, VV_TARGET_FRAME, 3, false},
                                     {"framelinvel", VV_SENSOR_FRAMELINVEL, VV_TARGET_FRAME, 3, true},
                                     {"frameangvel", VV_SENSOR_FRAMEANGVEL, VV_TARGET_FRAME, 3, true},
                                     {"framelinacc", VV_SENSOR_FRAMELINACC, VV_TARGET_FRAME, 3, true},
                                     {"frameangacc", VV_SENSOR_FRAMEANGACC, VV_TARGET_FRAME, 3, true},
                                     {"gyro", VV_SENSOR_GYRO, VV_TARGET_SITE, 3, true},
                                     {"velocimeter", VV_SENSOR_VELOCIMETER, VV_TARGET_SITE, 3, true},
                                     {"accelerometer", VV_SENSOR_ACCELEROMETER, VV_TARGET_SITE, 3, true},
                                     {"force", VV_SENSOR_FORCE, VV_TARGET_SITE, 3, true},
                                     {"torque", VV_SENSOR_TORQUE, VV_TARGET_SITE, 3, true},
                                     {"touch", VV_SENSOR_TOUCH, VV_TARGET_SITE, 1, true},
                                     {"subtreecom", VV_SENSOR_SUBTREECOM, VV_TARGET_BODY, 3, true},
                                     {"subtreelinvel", VV_SENSOR_SUBTREELINVEL, VV_TARGET_BODY, 3, true},
                                     {"subtreeangmom", VV_SENSOR_SUBTREEANGMOM, VV_TARGET_BODY, 3, true},
                                     {"e_potential", VV_SENSOR_EPOTENTIAL, VV_TARGET_NONE, 1, true},
                                     {"e_kinetic", VV_SENSOR_EKINETIC, VV_TARGET_NONE, 1, true},
                                     {NULL, 0, VV_TARGET_NONE, 0, false}};

const vvSensorKind* vv_sensor_kinds(void) {
  return kinds;
}

const vvSensorKind* vv_sensor_kind(int type) {
  for (const vvSensorKind* k = kinds; k->word; k++)
    if (k->type == type) return k;
  return NULL;
}

const vvSensorKind* vv_sensor_kind_of(const char* word) {
  for (const vvSensorKind* k = kinds; k->word; k++)
    if (!strcmp(k->word, word)) return k;
  return NULL;
}

const char* vv_sensor_attribute(vvSensorTarget target) {
  switch (target) {
    case VV_TARGET_JOINT:
    case VV_TARGET_BALL:
      return "joint";
    case VV_TARGET_SITE:
      return "site";
    case VV_TARGET_BODY:
      return "body";
    case VV_TARGET_ACTUATOR:
      return "actuator";
    case VV_TARGET_TENDON:
      return "tendon";
    default:
      return NULL;
  }
}

vvElement vv_sensor_element(vvSensorTarget target, int objtype) {
  switch (target) {
    case VV_TARGET_JOINT:
    case VV_TARGET_BALL:
      return VV_ELEMENT_JOINT;
    case VV_TARGET_SITE:
      return VV_ELEMENT_SITE;
    case VV_TARGET_ACTUATOR:
      return VV_ELEMENT_ACTUATOR;
    case VV_TARGET_FRAME:
      if (objtype == VV_FRAME_GEOM) return VV_ELEMENT_GEOM;
      return objtype == VV_FRAME_SITE ? VV_ELEMENT_SITE : VV_ELEMENT_BODY;
    default:
      return VV_ELEMENT_BODY;
  }
}
