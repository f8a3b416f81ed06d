// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// language_kernel.h: see language_kernel.c; signatures as in forms_kernel.h.

#ifndef VISVIVA_TEST_LANGUAGE_KERNEL_H_
#define VISVIVA_TEST_LANGUAGE_KERNEL_H_

#include "visviva/kernel.h"

// clang-format off
#define VV_LANGUAGE(F) \
  F(g_matrix) F(g_matrix_param) F(g_rows) F(g_cube) F(g_nested) F(g_springs) F(g_struct_write) F(g_choose_struct) \
  F(g_choose_index) F(g_small_ints) F(g_enum) F(g_float) F(g_math) F(g_classify) F(g_assert) F(g_designators) \
  F(g_assign_condition) F(g_compound_value) F(g_int_function) F(g_tables) F(g_int_out) F(g_pointers) \
  F(g_switch_nest) F(g_for_two) F(g_struct_param) F(g_compound_literal) F(g_shadow) F(g_fused) F(g_fused_once) \
  F(g_not_fused) F(g_gather) F(g_order) F(g_void_return) F(g_misc) F(g_value_twice)
// clang-format on

#define VV_LANGUAGE_DECLARE(name) VV_DIFF vvReal name(const vvReal* x, vvReal* y, int n);
VV_LANGUAGE(VV_LANGUAGE_DECLARE)

#endif  // VISVIVA_TEST_LANGUAGE_KERNEL_H_
