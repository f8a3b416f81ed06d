// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// io.h: models and states as binary files: exact, quick to read, for the machine's own byte order and this precision. A
// state names the model that it belongs to by its hash. Files are checked in full when read: a damaged or foreign one
// is an error with one line, never a crash. (S.json and U.csv of the vv program are texts, see docs.)

#ifndef VISVIVA_IO_H_
#define VISVIVA_IO_H_

#include "visviva/context.h"
#include "visviva/model.h"
#include "visviva/report.h"

#ifdef __cplusplus
extern "C" {
#endif

// Files appear whole or not at all.
vvStatus vv_model_save(vvContext* ctx, const vvModel* m, const char* path, vvReport* report);
vvStatus vv_model_load(vvContext* ctx, const char* path, vvModel** m, vvReport* report);

// `s` must be a state of m (vv_state_create).
vvStatus vv_state_save(vvContext* ctx, const vvModel* m, const vvState* s, const char* path, vvReport* report);
vvStatus vv_state_load(vvContext* ctx, const vvModel* m, const char* path, vvState* s, vvReport* report);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_IO_H_
