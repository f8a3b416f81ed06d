// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// report.c: filling a vvReport.

#include "visviva/report.h"

#include <stdio.h>

void vv_report_clear(vvReport* report) {
  if (!report) return;
  *report = (vvReport){.status = VV_OK, .step = -1, .element = -1};
}

vvStatus vv_report_set_v(vvReport* report, vvStatus status, const char* format, va_list arguments) {
  if (!report) return status;
  report->status = status;
  vsnprintf(report->message, sizeof report->message, format, arguments);
  return status;
}

vvStatus(vv_report_set)(vvReport* report, vvStatus status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vv_report_set_v(report, status, format, arguments);
  va_end(arguments);
  return status;
}
