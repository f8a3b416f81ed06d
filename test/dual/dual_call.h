// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// dual_call.h: how a test in C asks for the dual-number run of a kernel. Arrays in and out are flat, in the order of
// the kernel's real arguments (see dual_kernels.cc); reals of the model come with their tangents as one block.

#ifndef VISVIVA_TEST_DUAL_CALL_H_
#define VISVIVA_TEST_DUAL_CALL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum DualKernel {
  DUAL_KINEMATICS = 0,  // in q; out xpos xquat xmat S
  DUAL_FORCE,           // in q v ctrl applied; out tau
  DUAL_INTEGRATE,       // in q v; out q1
  DUAL_WEAK,            // in xpos xquat xmat S v tau wrench q; out psi V A G W
  DUAL_RESIDUAL,        // in as DUAL_WEAK; out r
  DUAL_DAMPING,         // in xpos xquat xmat S; out psi D W
  DUAL_POSES,           // out the arrays of vvRigidDerivePoses
  DUAL_KERNEL_COUNT
} DualKernel;

enum { DUAL_ARRAYS = 16 };

typedef struct DualArray {
  double* value;
  double* tangent;
  int size;
} DualArray;

typedef struct DualCall {
  DualKernel kernel;
  const void* model;                   // vvModel in double
  const size_t* offsets;               // of its real pointers in the struct, up to SIZE_MAX
  const double* model_tan;             // its block's tangents
  const double *ref, *a, *w, *d, *a2;  // constants of the kernels that have them
  const void *contacts, *limits;
  int ncontact, nlimit, nwrench;
  DualArray in[DUAL_ARRAYS], out[DUAL_ARRAYS];
  int nin, nout;
} DualCall;

void dual_run(DualCall* call);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_TEST_DUAL_CALL_H_
