// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// base.h: the scalar type, status codes and the version; every other public header includes it.

#ifndef VISVIVA_BASE_H_
#define VISVIVA_BASE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VV_VERSION_MAJOR 0
#define VV_VERSION_MINOR 1
#define VV_VERSION_PATCH 0

// The scalar of the whole library: double, or float when built with -DVV_REAL=float.
#ifdef VV_REAL
typedef VV_REAL vvReal;
#else
typedef double vvReal;
#endif

// What a public call that can fail returns. Details go to the report or the error message of the call.
typedef enum vvStatus {
  VV_OK = 0,
  VV_ERROR_ARGUMENT,       // a pointer, size or value that the call cannot take
  VV_ERROR_MEMORY,         // the allocator returned NULL
  VV_ERROR_CAPACITY,       // an arena or tape is full; the size needed is reported; grow it and repeat
  VV_ERROR_NOT_CONVERGED,  // result usable, residual above the tolerance
  VV_ERROR_SINGULAR,       // a factorization failed, result unusable
  VV_ERROR_NOT_FINITE,     // NaN or infinity appeared; step and element are reported
  VV_ERROR_FILE,           // a file that cannot be read, written or understood
  VV_ERROR_UNSUPPORTED,    // known, but not built yet, or not differentiable: refused by name
  VV_ERROR_CANCELLED       // the context's cancel callback asked to stop
} vvStatus;

// A short constant text for a status, never NULL.
const char* vv_status_text(vvStatus status);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_BASE_H_
