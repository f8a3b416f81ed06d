// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// price_kernel.h: kernels of physics whose derivatives are timed; see price.c.

#ifndef VISVIVA_BENCH_PRICE_KERNEL_H_
#define VISVIVA_BENCH_PRICE_KERNEL_H_

#include "visviva/kernel.h"

// A tree of bodies with one hinge each, parents before children.
typedef struct vvPriceTree {
  int n;
  const int* parent;      // n  -1: the ground
  const vvReal* axis;     // n x 3  in the body's axes
  const vvReal* offset;   // n x 3  of the hinge in the parent's axes                       [m]
  const vvReal* mass;     // n                                                              [kg]
  const vvReal* com;      // n x 3  mass times centre of mass, from the hinge               [kg m]
  const vvReal* inertia;  // n x 6  about the hinge: xx yy zz xy xz yz                      [kg m^2]
} vvPriceTree;

typedef struct vvPriceBody {
  vvQuat q;      // to world axes
  vvVec3 p;      // of the hinge
  vvVec3 w, dw;  // angular velocity and acceleration, world axes
  vvVec3 dv;     // acceleration of the hinge
} vvPriceBody;

VV_DIFF_WRT(state, q, v, a)
VV_DIFF void price_tree(const vvPriceTree* m, const vvReal* q, const vvReal* v, const vvReal* a,
                        VV_WRITE_ONCE vvPriceBody* b, vvReal* force, VV_WRITE_ONCE vvReal* tau);
VV_DIFF vvReal price_tet(int n, const int* index, const vvReal* x, const vvReal* Dm_inv, const vvReal* volume,
                         vvReal mu, vvReal lambda, vvReal* force);
VV_DIFF vvReal price_bend(int n, const int* index, const vvReal* x, const vvReal* stiffness, const vvReal* rest);
VV_DIFF void price_p2g(int n, int side, const vvReal* x, const vvReal* v, const vvReal* C, const vvReal* stress,
                       vvReal mass, vvReal dt, vvReal* grid);
VV_DIFF void price_mlp(int batch, const vvReal* W, const vvReal* b, const vvReal* x, VV_WRITE_ONCE vvReal* y);
VV_DIFF vvMat3 price_polar_one(vvMat3 F);
VV_DIFF void price_polar(int n, const vvReal* F, VV_WRITE_ONCE vvReal* R);
VV_DIFF vvReal price_recurrence(int n, vvReal x, vvReal r);

#endif  // VISVIVA_BENCH_PRICE_KERNEL_H_
