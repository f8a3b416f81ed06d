// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// json_out.h: writing JSON piece by piece, reals with 17 digits; commas, quotes and nesting are taken care of.
//
//   vvJsonOut j = vv_json_begin(stdout);
//   vv_json_object(&j);                        {
//   vv_json_key(&j, "steps");                    "steps": 10,
//   vv_json_int(&j, 10);
//   vv_json_reals(&j, "qpos", qpos, nq);         "qpos": [...]
//   vv_json_end(&j);                           }
//   bool good = vv_json_finish(&j);

#ifndef VISVIVA_CLI_JSON_OUT_H_
#define VISVIVA_CLI_JSON_OUT_H_

#include <stdio.h>

#include "visviva/base.h"

enum { VV_JSON_DEPTH = 32 };

typedef struct vvJsonOut {
  FILE* file;
  int depth;
  char close[VV_JSON_DEPTH];   // ']' or '}' per open level
  bool filled[VV_JSON_DEPTH];  // something stands in the level already
  bool after_key;
} vvJsonOut;

vvJsonOut vv_json_begin(FILE* file);
void vv_json_object(vvJsonOut* json);
void vv_json_array(vvJsonOut* json);
void vv_json_end(vvJsonOut* json);  // closes the innermost object or array
void vv_json_key(vvJsonOut* json, const char* key);
void vv_json_text(vvJsonOut* json, const char* text);  // NULL gives null
void vv_json_int(vvJsonOut* json, int64_t value);
void vv_json_bool(vvJsonOut* json, bool value);
void vv_json_real(vvJsonOut* json, double value);    // not finite: null, JSON has no other word
void vv_json_hash(vvJsonOut* json, uint64_t value);  // 16 hexadecimal digits, as text
void vv_json_reals(vvJsonOut* json, const char* key, const vvReal* values, int n);  // key NULL: no key

// Ends the line; false when the file could not be written.
bool vv_json_finish(vvJsonOut* json);

#endif  // VISVIVA_CLI_JSON_OUT_H_
