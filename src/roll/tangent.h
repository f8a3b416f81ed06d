// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// tangent.h: making and freeing the scratch of forward sensitivities.

#ifndef VISVIVA_ROLL_TANGENT_H_
#define VISVIVA_ROLL_TANGENT_H_

#include "visviva/context.h"
#include "visviva/model.h"

typedef struct vvTangentWork vvTangentWork;  // tangent_work.h

vvStatus vv_tangent_create(vvContext* ctx, const vvModel* m, vvTangentWork** work);
void vv_tangent_free(vvContext* ctx, vvTangentWork* work);  // NULL is allowed

#endif  // VISVIVA_ROLL_TANGENT_H_
