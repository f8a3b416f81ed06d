// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// row_loss.h: a user's kernel as the loss of a rollout, summed over its rows 0 ... N:
//
//   vvReal f(const vvModel* m, const vvState* s, const vvReal* ctrl, const vvReal* sensor, const vvReal* data, int
//   step,
//            int nstep)
//
// at row `step`: the state, the controls held then (NULL at row N), the sensors evaluated there, row `step` of the data
// (NULL without data). The rollout evaluates the items of vv_row_loss_items at all rows; then
//
//   vv_row_loss_value(loss, &in, outputs, time, &value, NULL);
//   vv_row_loss_vjp(loss, &in, outputs, time, outputs_bar, time_bar, ctrl_bar, m_bar);
//   vv_rollout_vjp with these seeds, and its ctrl_bar added

#ifndef VISVIVA_ROW_LOSS_H_
#define VISVIVA_ROW_LOSS_H_

#include "visviva/load.h"
#include "visviva/roll.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvRowLoss vvRowLoss;

// data: ndata rows of ndatum reals, which must not change while the loss is used; NULL: none. Refuses functions of
// another signature, and one that reads data where there is none.
vvStatus vv_row_loss_create(vvContext* ctx, const vvModel* m, const vvKernelFunction* f, const vvReal* data, int ndata,
                            int ndatum, vvRowLoss** loss, vvReport* report);
void vv_row_loss_free(vvRowLoss* loss);  // NULL is allowed

// What the rollout is to evaluate at every row.
const vvOutputItem* vv_row_loss_items(const vvRowLoss* loss, int* nitem, int* nout);

// Value of the loss for a rollout of in->model under in->ctrl; terms (NULL allowed): the sum of the rows' sizes. May be
// called from several threads. VV_ERROR_ARGUMENT: more rows than data.
vvStatus vv_row_loss_value(const vvRowLoss* loss, const vvRolloutInput* in, const vvReal* outputs, const vvReal* time,
                           double* value, double* terms);

// Its cotangents: outputs_bar (rows x nout) and time_bar (rows) are overwritten; ctrl_bar (N x nu) and m_bar, where not
// NULL, accumulate.
vvStatus vv_row_loss_vjp(const vvRowLoss* loss, const vvRolloutInput* in, const vvReal* outputs, const vvReal* time,
                         vvReal* outputs_bar, vvReal* time_bar, vvReal* ctrl_bar, vvModel* m_bar);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_ROW_LOSS_H_
