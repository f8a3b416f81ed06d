// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// fit_help.h: scenes, recordings and problems written to files for the tests of fit.

#ifndef VISVIVA_TEST_FIT_HELP_H_
#define VISVIVA_TEST_FIT_HELP_H_

#include "visviva/fit.h"
#include "visviva/spec.h"

// Folder for this test program's files; made when missing.
const char* fit_folder(void);

// Writes text to FOLDER/name.
void fit_write(const char* name, const char* text);

// Path FOLDER/name, in one of a few static buffers.
const char* fit_path(const char* name);

// Simulates scene XML text from `nepisode` seeded states (bodies with free joints tossed, joints moved) and writes a
// recording: toss, t, then every output named (with its columns q0, q1, ... in order), to FOLDER/name. Samples are
// `every` steps apart.
void fit_record(vvContext* context, const char* xml, const char* const* outputs, int noutput, int nepisode, int nsample,
                int every, const char* name);

#endif  // VISVIVA_TEST_FIT_HELP_H_
