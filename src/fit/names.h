// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// names.h: what the name of a state quantity means to a fit.

#ifndef VISVIVA_FIT_NAMES_H_
#define VISVIVA_FIT_NAMES_H_

#include "visviva/names.h"
#include "visviva/output.h"

typedef struct vvFitMeaning {
  int n;          // entries; 0: not a quantity with a meaning here
  int quat;       // first entry of a quaternion, -1: none
  int adr;        // first entry of q (or v) that it fixes, -1: none
  bool velocity;  // entries of v
} vvFitMeaning;

// Of a name like body/cube/pos, joint/knee/vel, sensor/x.
vvFitMeaning vv_fit_meaning(const vvModel* m, const char* name);

// Unit of a body's or site's quantity (of the rotation vector for a quaternion), "" for others.
const char* vv_fit_quantity_unit(const char* name);

#endif  // VISVIVA_FIT_NAMES_H_
