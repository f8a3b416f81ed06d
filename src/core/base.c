// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// base.c: texts of the status codes.

#include "visviva/base.h"

const char* vv_status_text(vvStatus status) {
  switch (status) {
    case VV_OK:
      return "done";
    case VV_ERROR_ARGUMENT:
      return "an argument is not valid";
    case VV_ERROR_MEMORY:
      return "out of memory";
    case VV_ERROR_CAPACITY:
      return "an arena or a tape is full";
    case VV_ERROR_NOT_CONVERGED:
      return "a solve did not converge";
    case VV_ERROR_SINGULAR:
      return "a matrix is singular";
    case VV_ERROR_NOT_FINITE:
      return "a number is not finite";
    case VV_ERROR_FILE:
      return "a file could not be read, written or understood";
    case VV_ERROR_UNSUPPORTED:
      return "not supported";
    case VV_ERROR_CANCELLED:
      return "cancelled";
  }
  return "unknown status";
}
