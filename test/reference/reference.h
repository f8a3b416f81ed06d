// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// reference.h: a slow step of rigid bodies, straight from the textbook, to hold the fast one against.
//
// It shares with the library the model's derived numbers and the list of contacts (features, points, normals, gaps),
// nothing else: its kinematics, mass matrix, bias force, constraint law and solver are written here a second time,
// dense and without shortcuts. Doubles only.

#ifndef VISVIVA_TEST_REFERENCE_H_
#define VISVIVA_TEST_REFERENCE_H_

#include "visviva/contact.h"
#include "visviva/model.h"

typedef struct vvReference {
  double* M;        // nv x nv   mass matrix
  double* bias;     // nv        Coriolis, centrifugal, gravity                   [N, N m]
  double* tau;      // nv        springs, damping, motors, applied                [N, N m]
  double* a0;       // nv        acceleration without constraints
  double* a;        // nv        acceleration
  double* a2;       // nv        acceleration that advances v (damping at the end of the step)
  double residual;  // largest entry of M a + c - tau - J' f, over 1 + that of tau
} vvReference;

// One evaluation at (q, v); ctrl nu, applied nv or NULL. Free with vv_reference_free.
vvReference* vv_reference_evaluate(const vvModel* m, const double* q, const double* v, const double* ctrl,
                                   const double* applied, const vvContactFeature* contacts,
                                   const vvContactPoint* points, int ncontact);
void vv_reference_free(vvReference* r);

#endif  // VISVIVA_TEST_REFERENCE_H_
