// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// node.h: a node finds y with r(y; in) = 0 by whatever method is fastest; its derivative comes from the equation alone.
//
//   H = dr/dy at the returned y        H' w = y_bar        in_bar -= (dr/d in)' w
//
// The last product is the reverse derivative of one scalar, the weak residual psi(w; y, in) = w . r(y; in), with w held
// fixed and seed -1. Inputs and their cotangents live in `self`.

#ifndef VISVIVA_IMPLICIT_NODE_H_
#define VISVIVA_IMPLICIT_NODE_H_

#include "visviva/base.h"

// Unknowns that other solvers may touch: a force on unknown first + i enters r as -force. Coupling solves several nodes
// jointly through these.
typedef struct vvNodeInterface {
  int first, count;
} vvNodeInterface;

typedef struct vvNode {
  const char* name;
  int n;                                                         // unknowns
  void* self;                                                    // the solver's data, handed to all of these
  vvReal (*weak)(void* self, const vvReal* w, const vvReal* y);  // psi
  void (*weak_vjp)(void* self, const vvReal* w, const vvReal* y, vvReal seed);  // in_bar += seed d(psi)/d in
  vvStatus (*solve)(void* self, const vvReal* start, vvReal* y);                // start NULL: none
  vvStatus (*solve_transposed)(void* self, const vvReal* y_bar, vvReal* w);     // at the last solution
  void (*apply_H)(void* self, const vvReal* x, vvReal* Hx);                     // at the last solution
  vvNodeInterface interface;
} vvNode;

// Reverse derivative of y = solve(in): in_bar in `self` accumulates; w (n) receives the adjoint, which is also the
// cotangent of a force on each unknown.
vvStatus vv_node_vjp(const vvNode* node, const vvReal* y, const vvReal* y_bar, vvReal* w);

// How well a node keeps its word at its solution y, along the directions p and w (n each, scratch: 2 n):
// |w . (r(y + e p) - r(y - e p))/2e - w . H p| and |p . y_bar - w' H p| with H' w' = y_bar, relative to the products.
// NaN when the transposed solve fails.
vvReal vv_node_error(const vvNode* node, const vvReal* y, const vvReal* p, const vvReal* w, vvReal e, vvReal* scratch);

#endif  // VISVIVA_IMPLICIT_NODE_H_
