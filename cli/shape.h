// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// shape.h: placed shapes for pictures and where a ray meets them.

#ifndef VISVIVA_CLI_SHAPE_H_
#define VISVIVA_CLI_SHAPE_H_

#include "visviva/model.h"

typedef struct vvShape {
  int type;         // vvGeomType
  double pos[3];    // center, world                 [m]
  double mat[9];    // shape axes as columns, row by row
  double size[3];   // as MJCF                       [m]
  double radius;    // of the bounding sphere; plane: infinite
  double color[3];  // linear, 0..1
} vvShape;

// Radius of the bounding sphere from type and size.
double vv_shape_radius(int type, const double size[3]);

// Whether the ray start + t dir (unit), least < t < *t, meets the shape; then *t is where first, and normal (unit,
// world, outward) is filled unless NULL. A plane is met from its front only.
bool vv_shape_hit(const vvShape* shape, const double start[3], const double dir[3], double least, double* t,
                  double* normal);

#endif  // VISVIVA_CLI_SHAPE_H_
