// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// fit_report.h: a fit's result as JSON, as a table for people, and as a picture.

#ifndef VISVIVA_CLI_FIT_REPORT_H_
#define VISVIVA_CLI_FIT_REPORT_H_

#include <stdio.h>

#include "visviva/fit.h"

// report.json; false when the file could not be written.
bool vv_fit_report_json(FILE* file, const vvFitResult* result);

// Numbers before and after, errors, what the data cannot tell.
void vv_fit_report_text(FILE* file, const vvFitResult* result);

// Draws report.png with gnuplot. False with a reason when there is no picture (no gnuplot, no room on the disk).
bool vv_fit_report_picture(const char* path, const vvFitResult* result, const char** reason);

#endif  // VISVIVA_CLI_FIT_REPORT_H_
