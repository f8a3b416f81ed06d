// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// report.h: what happened inside a call, besides its status: iterations, residual, the place, a message. Always
// optional (NULL); trouble is data.

#ifndef VISVIVA_REPORT_H_
#define VISVIVA_REPORT_H_

#include <stdarg.h>

#include "visviva/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvReport {
  vvStatus status;    // of the call
  int iterations;     // of the solve, the largest over steps
  double residual;    // scaled residual at the end, the largest over steps
  int step;           // where the trouble was, -1: no step
  int element;        // index of body, joint, geom, ... as the message says, -1: none
  size_t needed;      // [byte] with VV_ERROR_CAPACITY: the size that would do
  char message[256];  // one line, empty without trouble; from a file: "FILE:LINE: what is wrong; what would be right"
} vvReport;

// All zero, step and element -1. NULL is allowed.
void vv_report_clear(vvReport* report);

// Writes status and message (cut at 255 bytes) unless report is NULL, and returns the status:
//   return vv_report_set(report, VV_ERROR_ARGUMENT, "timestep is %g; it must be positive", h);
vvStatus vv_report_set(vvReport* report, vvStatus status, const char* format, ...) VV_FORMAT(3, 4);
#ifdef __clang_analyzer__  // it does not follow variadic calls: show it that the status is returned
#define vv_report_set(report, status, ...) ((void)(vv_report_set)((report), (status), __VA_ARGS__), (status))
#endif
vvStatus vv_report_set_v(vvReport* report, vvStatus status, const char* format, va_list arguments);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_REPORT_H_
