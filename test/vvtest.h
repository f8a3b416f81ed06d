// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// vvtest.h: what every unit test includes: cmocka with its own prerequisites, and tolerances in units of epsilon.

#ifndef VISVIVA_TEST_VVTEST_H_
#define VISVIVA_TEST_VVTEST_H_

// cmocka needs these four before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "visviva/visviva.h"

#ifdef VV_REAL_IS_FLOAT
#define VV_EPSILON ((double)FLT_EPSILON)
#else
#define VV_EPSILON DBL_EPSILON
#endif

// |a - b| <= tolerance (1 + |b|), false for NaN; says both when not.
#define assert_near(a, b, tolerance)                                                 \
  do {                                                                               \
    double near_a = (double)(a), near_b = (double)(b), near_t = (double)(tolerance); \
    if (!(fabs(near_a - near_b) <= near_t * (1 + fabs(near_b)))) {                   \
      print_error("%.17g is not %.17g within %g\n", near_a, near_b, near_t);         \
      fail();                                                                        \
    }                                                                                \
  } while (0)

#endif  // VISVIVA_TEST_VVTEST_H_
