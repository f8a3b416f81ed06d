// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// output_row.h: the outputs of one row of a rollout and their derivatives.

#ifndef VISVIVA_ROLL_OUTPUT_ROW_H_
#define VISVIVA_ROLL_OUTPUT_ROW_H_

#include "roll/tangent.h"
#include "roll/work.h"

// Outputs at the state work->state, row k; `solved`: work->rigid holds the solution of the acceleration node there.
vvStatus vv_roll_output(const vvRolloutInput* in, int k, bool solved, vvRollout* work, vvReal* out);

// Adds the outputs' cotangents to q_bar, v_bar, a_bar, ctrl_bar, pose_bar of work->reverse and to m_bar (unless NULL);
// work->rigid is linearised at the row.
vvStatus vv_roll_output_vjp(const vvRolloutInput* in, int k, const vvTapeRow* row, vvRollout* work,
                            const vvReal* out_bar, vvModel* m_bar);

// Eight tangents of the outputs from those of q, v, a, poses in t and of the controls; work->rigid as above.
vvStatus vv_roll_output_jvp8(const vvRolloutInput* in, int k, const vvTapeRow* row, vvRollout* work, vvTangentWork* t,
                             const vvReal8* ctrl_tan, vvReal8* out_tan);

#endif  // VISVIVA_ROLL_OUTPUT_ROW_H_
