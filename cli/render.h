// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// render.h: one picture of placed shapes.

#ifndef VISVIVA_CLI_RENDER_H_
#define VISVIVA_CLI_RENDER_H_

#include "cli/image.h"
#include "cli/shape.h"

typedef struct vvCamera {
  double eye[3];    // [m]
  double right[3];  // unit axes of the picture
  double up[3];
  double forward[3];
  double tangent;  // of half the vertical angle of view
  double checker;  // edge of the floor's squares     [m]
  double haze;     // distance at which floors fade   [m]
} vvCamera;

// Draws the shapes; the image's size counts. False when there is no memory.
bool vv_render(const vvShape* shapes, int nshape, const vvCamera* camera, vvImage* image);

#endif  // VISVIVA_CLI_RENDER_H_
