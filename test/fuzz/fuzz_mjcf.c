// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// fuzz_mjcf.c: hostile scenes. Whatever the bytes are: a status and one line that names the place, or a scene that is
// written, read again and compiled; and all memory comes back.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "visviva/visviva.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void require(bool good, const char* what, const vvReport* report) {
  if (good) return;
  fprintf(stderr, "%s: status %d, message '%s'\n", what, (int)report->status, report->message);
  abort();
}

// A refusal says where ("fuzz.xml:LINE: ..." or "fuzz.xml: ...") in one line.
static void check_refusal(vvStatus status, const vvReport* report) {
  if (status == VV_ERROR_MEMORY) return;
  require(strncmp(report->message, "fuzz.xml:", 9) == 0, "the message names no place", report);
  for (const char* p = report->message; *p; p++)
    require((unsigned char)*p >= ' ', "the message is not one line", report);
}

static void check_round_trip(vvContext* context, vvSpec* spec) {
  vvReport report;
  char* text = NULL;
  size_t length = 0;
  vv_report_clear(&report);
  require(vv_spec_write_text(spec, &text, &length, &report) == VV_OK, "a scene that was read is not written", &report);
  vvSpec* again = NULL;
  vvStatus status = vv_spec_read_text(context, text, length, "fuzz.xml", &again, &report);
  if (status != VV_OK) fprintf(stderr, "%s\n", text);
  require(status == VV_OK, "a scene that was written is not read", &report);
  vv_spec_free(again);
  vv_free(context, text, length + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vvContext* context = NULL;
  vvReport report;
  vv_report_clear(&report);
  if (vv_context_create(NULL, &context) != VV_OK) return 0;
  vvSpec* spec = NULL;
  vvStatus status = vv_spec_read_text(context, (const char*)data, size, "fuzz.xml", &spec, &report);
  if (status == VV_OK) {
    check_round_trip(context, spec);
    vvModel* model = NULL;
    status = vv_compile(context, spec, &model, &report);
    require(status == VV_OK || (!model && report.message[0]), "a scene is refused without a message", &report);
    if (model) vv_model_free(context, model);
    vv_spec_free(spec);
  } else {
    check_refusal(status, &report);
    require(spec == NULL, "a refused scene is not NULL", &report);
  }
  require(vv_context_memory(context).bytes == 0, "memory was kept", &report);
  vv_context_destroy(context);
  return 0;
}
