// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// sensor.h: what each type of sensor looks at, how many numbers it gives and whether a cutoff clamps them.

#ifndef VISVIVA_SCENE_SENSOR_H_
#define VISVIVA_SCENE_SENSOR_H_

#include "visviva/model.h"

// What a sensor's object is.
typedef enum vvSensorTarget {
  VV_TARGET_NONE = 0,  // the scene
  VV_TARGET_JOINT,     // a slide or hinge
  VV_TARGET_BALL,      // a ball joint
  VV_TARGET_FRAME,     // objtype and objname
  VV_TARGET_SITE,
  VV_TARGET_BODY,  // with all that hangs on it
  VV_TARGET_ACTUATOR,
  VV_TARGET_TENDON
} vvSensorTarget;

typedef struct vvSensorKind {
  const char* word;  // of MJCF
  int type;          // vvSensorType
  vvSensorTarget target;
  int dim;
  bool clamped;  // a cutoff is allowed
} vvSensorKind;

// NULL: no such type or word.
const vvSensorKind* vv_sensor_kind(int type);
const vvSensorKind* vv_sensor_kind_of(const char* word);
// All of them, ended by word == NULL.
const vvSensorKind* vv_sensor_kinds(void);

// MJCF's attribute for the object of a target other than a frame, NULL: none.
const char* vv_sensor_attribute(vvSensorTarget target);
// Kind of element that a target names; frames: by vvFrameType.
vvElement vv_sensor_element(vvSensorTarget target, int objtype);

#endif  // VISVIVA_SCENE_SENSOR_H_
