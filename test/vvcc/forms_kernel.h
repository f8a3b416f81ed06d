// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// forms_kernel.h: one small kernel for every operator, math function and control form that vvcc differentiates. All
// have one signature: x (12) is read, y (12) is read and written, n is 4; see test_forms.c.

#ifndef VISVIVA_TEST_FORMS_KERNEL_H_
#define VISVIVA_TEST_FORMS_KERNEL_H_

#include "visviva/kernel.h"

#define VV_FORMS(F)                                                                                                  \
  F(op_sum)                                                                                                          \
  F(op_product) F(op_quotient) F(op_negate) F(op_compound) F(op_mixed_int) F(op_cast) F(op_int_div) F(op_bits)       \
      F(op_comma) F(op_chain_assign) F(op_increments) F(op_ternary) F(op_ternary_int) F(op_logic) F(op_logic_call)   \
          F(op_real_step) F(m_sqrt) F(m_trig) F(m_inverse) F(m_atan2) F(m_exp_log) F(m_pow) F(m_fabs) F(m_minmax)    \
              F(m_hyper) F(m_hypot) F(m_small) F(m_cbrt) F(m_floor) F(m_fmod) F(c_if) F(c_else_if) F(c_nested_if)    \
                  F(c_for) F(c_for_down) F(c_for_step) F(c_for_le) F(c_for_outer_var) F(c_for_missing)               \
                      F(c_for_bound_changes) F(c_while) F(c_do) F(c_break) F(c_continue) F(c_break_nested)           \
                          F(c_return_early) F(c_return_loop) F(c_return_nested) F(c_switch) F(c_switch_fall)         \
                              F(c_switch_return) F(c_switch_loop) F(c_trip_count) F(c_do_continue) F(c_for_comma)    \
                                  F(s_copy) F(s_array) F(s_nested) F(s_array_of) F(s_literal) F(s_by_pointer)        \
                                      F(s_swap) F(a_inplace) F(a_shift) F(a_carried) F(a_local) F(a_local_2d)        \
                                          F(a_index_overwritten) F(a_table) F(a_pointer) F(a_scatter) F(a_int_array) \
                                              F(a_self) F(a_cholesky) F(a_zero_fill) F(f_call) F(f_call_loop)        \
                                                  F(f_call_inplace) F(f_call_nested) F(f_call_in_loop)               \
                                                      F(f_call_writes) F(f_param_changed) F(f_no_diff) F(f_same_arg) \
                                                          F(f_ignored) F(f_ret_write) F(f_unsigned) F(l_carry)       \
                                                              F(l_carry_struct) F(l_accumulate_used) F(l_fibonacci)  \
                                                                  F(l_newton) F(l_three_deep) F(l_while_array)       \
                                                                      F(q_all) F(q_chain) F(l_dead_write)            \
                                                                          F(l_overwrite_twice)

#define VV_FORMS_DECLARE(name) VV_DIFF vvReal name(const vvReal* x, vvReal* y, int n);
VV_FORMS(VV_FORMS_DECLARE)

#endif  // VISVIVA_TEST_FORMS_KERNEL_H_
