// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// output.h: what sensors measure, and of which frame.

#ifndef VISVIVA_OUTPUT_H_
#define VISVIVA_OUTPUT_H_

// What a frame sensor's object or reference is.
typedef enum vvFrameType {
  VV_FRAME_BODY = 0,  // center of mass and principal axes of the body's inertia
  VV_FRAME_XBODY,     // the body's own frame
  VV_FRAME_GEOM,
  VV_FRAME_SITE
} vvFrameType;

typedef enum vvSensorType {
  VV_SENSOR_JOINTPOS = 0,
  VV_SENSOR_JOINTVEL,
  VV_SENSOR_BALLQUAT,
  VV_SENSOR_BALLANGVEL,
  VV_SENSOR_FRAMEPOS,
  VV_SENSOR_FRAMEQUAT,
  VV_SENSOR_FRAMEXAXIS,
  VV_SENSOR_FRAMEYAXIS,
  VV_SENSOR_FRAMEZAXIS,
  VV_SENSOR_FRAMELINVEL,
  VV_SENSOR_FRAMEANGVEL,
  VV_SENSOR_FRAMELINACC,
  VV_SENSOR_FRAMEANGACC
} vvSensorType;

#endif  // VISVIVA_OUTPUT_H_
