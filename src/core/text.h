// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// text.h: numbers as text with a decimal point in every locale.

#ifndef VISVIVA_CORE_TEXT_H_
#define VISVIVA_CORE_TEXT_H_

#include "visviva/base.h"

// Bytes that vv_real_to_text needs at most, the final 0 included.
#define VV_REAL_TEXT_BYTES 32

// Writes x with 17 significant digits (%.17g; nan, inf, -inf), returns the length.
int vv_real_to_text(double x, char text[VV_REAL_TEXT_BYTES]);

// Reads the number at the start of `text` (decimal or hexadecimal, "inf" and "nan" too, leading blanks skipped).
// `end` is the first byte after it; false when there is none, then end = text.
bool vv_real_from_text(const char* text, const char** end, double* value);

#endif  // VISVIVA_CORE_TEXT_H_
