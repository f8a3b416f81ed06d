// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// validate.h: whether a model that comes from outside may be stepped.

#ifndef VISVIVA_MODEL_VALIDATE_H_
#define VISVIVA_MODEL_VALIDATE_H_

#include "visviva/model.h"

// NULL when every index is in range and consistent and every real finite; else what is wrong.
const char* vv_model_invalid(const vvModel* m);

// NULL when the sizes are not negative and fit each other.
const char* vv_model_invalid_sizes(const vvModel* m);

#endif  // VISVIVA_MODEL_VALIDATE_H_
