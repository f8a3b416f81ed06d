// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// variants_kernel.h: kernels shaped like the engine's, for what forms_kernel.h cannot show: a model struct reached
// through const, arrays written once, variants, calls into another kernel file, functions that need no tape.

#ifndef VISVIVA_TEST_VARIANTS_KERNEL_H_
#define VISVIVA_TEST_VARIANTS_KERNEL_H_

#include "visviva/kernel.h"

typedef struct vvToyPart {
  vvReal* stiffness;  // nbody
  int* kind;          // nbody
} vvToyPart;

typedef struct vvToy {
  int nbody;
  int* parent;     // nbody
  vvReal* offset;  // nbody x 3
  vvReal* mass;    // nbody
  vvToyPart part;
  vvReal gravity[3];
} vvToy;

typedef struct vvToyPose {
  vvReal* pos;  // nbody x 3
  vvReal* rot;  // nbody x 4
} vvToyPose;

// A tree of hinges (kind 1), slides (kind 2) and welds; gives its energy.
VV_DIFF_WRT(state, q, v)
VV_DIFF vvReal toy_energy(const vvToy* m, const vvReal* q, const vvReal* v, VV_NO_DIFF const vvReal* w,
                          VV_WRITE_ONCE vvToyPose* pose);

// Sum of squares: needs no tape.
VV_DIFF vvReal toy_squares(const vvReal* x, int n);

// Calls toy_energy of another file and toy_squares.
VV_DIFF_WRT(state, q, v)
VV_DIFF vvReal toy_total(const vvToy* m, const vvReal* q, const vvReal* v, VV_NO_DIFF const vvReal* w,
                         VV_WRITE_ONCE vvToyPose* pose, const vvReal* bias);

#endif  // VISVIVA_TEST_VARIANTS_KERNEL_H_
