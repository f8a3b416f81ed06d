// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// visviva.h: the whole public API.

#ifndef VISVIVA_VISVIVA_H_
#define VISVIVA_VISVIVA_H_

#include "visviva/arena.h"
#include "visviva/base.h"
#include "visviva/batch.h"
#include "visviva/check.h"
#include "visviva/contact.h"
#include "visviva/context.h"
#include "visviva/fit.h"
#include "visviva/io.h"
#include "visviva/kernel.h"
#include "visviva/load.h"
#include "visviva/model.h"
#include "visviva/names.h"
#include "visviva/output.h"
#include "visviva/query.h"
#include "visviva/report.h"
#include "visviva/rigid.h"
#include "visviva/roll.h"
#include "visviva/row_loss.h"
#include "visviva/spec.h"
#include "visviva/state_kernel.h"
#include "visviva/tape.h"

#endif  // VISVIVA_VISVIVA_H_
