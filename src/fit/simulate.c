// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// simulate.c: see simulate.h.
//
// symbols  y_k   outputs of row k (model)     y = (1 - s) y_k + s y_{k+1} at a sample between two rows
//          r     plain entries: w (y - recorded); quaternions: 2 w vec(q_rec* q), q = y / |y|, the sign of q_rec chosen
//                so that q_rec . q >= 0, and that of y_{k+1} so that y_k . y_{k+1} >= 0
// smooth   but where q_rec . q = 0: there the two rotations differ by half a turn

#include "fit/simulate.h"

#include <math.h>
#include <string.h>

static const double* recorded_row(const vvFitProblem* p, int row) {
  return p->recording.values + (size_t)row * (size_t)p->recording.ncolumn;
}

// The window's initial state: the model's own, then what the recording says.
static void set_initial(const vvFitShared* shared, vvFitThread* th, const vvFitWindow* w) {
  const vvFitProblem* p = shared->problem;
  const double* row = recorded_row(p, w->first);
  vv_state_reset(shared->model, th->initial);
  for (int i = 0; i < p->ninitial; i++) {
    const vvFitInitial* in = &p->initial[i];
    double scale = 1;
    if (in->quat) {
      double sum = 0;
      for (int k = 0; k < 4; k++) sum += row[in->columns[k]] * row[in->columns[k]];
      scale = 1 / sqrt(sum);
    }
    vvReal* to = (in->velocity ? th->initial->v : th->initial->q) + in->adr;
    for (int k = 0; k < in->n; k++) to[k] = (vvReal)(scale * row[in->columns[k]]);
  }
}

// Controls of step k: the last sample at or before its time holds (a thousandth of a step after it counts as at it).
static void set_controls(const vvFitShared* shared, vvFitThread* th, const vvFitWindow* w) {
  const vvFitProblem* p = shared->problem;
  int nu = p->model->nu, sample = 0;
  double h = (double)shared->model->opt_timestep[0], start = recorded_row(p, w->first)[0];
  for (int k = 0; k < w->nstep; k++) {
    while (sample < w->nsample && recorded_row(p, w->first + sample + 1)[0] - start <= (k + 1e-3) * h) sample++;
    const double* row = recorded_row(p, w->first + sample);
    for (int i = 0; i < nu; i++) th->ctrl[k * nu + i] = p->ctrl_column[i] < 0 ? 0 : (vvReal)row[p->ctrl_column[i]];
  }
}

static vvRolloutInput window_input(const vvFitShared* shared, const vvFitThread* th, const vvFitWindow* w) {
  const vvFitProblem* p = shared->problem;
  vvRolloutInput in;
  memset(&in, 0, sizeof in);
  in.model = shared->model;
  in.initial = th->initial;
  in.nstep = w->nstep;
  if (p->has_ctrl && w->nstep > 0) {
    in.ctrl = th->ctrl;
    in.nctrl = w->nstep;
  }
  in.items = p->items;
  in.nitem = p->nitem;
  in.nout = p->nout;
  in.rows = p->rows + w->rows;
  in.nrow = w->nrow;
  return in;
}

vvStatus vv_fit_simulate(const vvFitShared* shared, vvFitThread* th, const vvFitWindow* w, bool jacobian) {
  const vvFitProblem* p = shared->problem;
  set_initial(shared, th, w);
  if (p->has_ctrl) set_controls(shared, th, w);
  vvRolloutInput in = window_input(shared, th, w);
  vvRolloutOutput out;
  memset(&out, 0, sizeof out);
  out.outputs = th->outputs;
  vv_report_clear(&th->report);
  vvStatus first = vv_rollout(&in, jacobian ? th->tape : NULL, th->roll, &out, &th->report);
  if ((first != VV_OK && first != VV_ERROR_NOT_CONVERGED) || !jacobian || shared->reverse) return first;
  for (int g = 0; g < shared->ngroup; g++) {
    vvRolloutTangent tangent = {.reals_tan = shared->reals_tan[g], .q0_tan = shared->q0_tan[g]};
    vvRolloutOutputTangent out_tan = {.outputs_tan = th->outputs_tan + (size_t)g * (size_t)(p->nrow_max * p->nout)};
    vvStatus status = vv_rollout_jvp8(&in, th->tape, th->roll, &tangent, &out_tan, &th->report);
    if (status != VV_OK) return status;
  }
  return first;
}

// y of a part at a sample.
static void interpolate(const vvFitPart* part, const vvReal* y0, const vvReal* y1, double share, double* y) {
  double sign = 1;
  if (part->quat && share > 0) {
    double dot = 0;
    for (int k = 0; k < 4; k++) dot += (double)y0[k] * (double)y1[k];
    if (dot < 0) sign = -1;
  }
  for (int k = 0; k < part->n; k++)
    y[k] = share > 0 ? (1 - share) * (double)y0[k] + sign * share * (double)y1[k] : (double)y0[k];
}

// Matrix of the quaternion residual: r = Q y with Q (3 x 4) made of the recorded quaternion, 1/|y| and the weight; the
// derivative of r adds the change of |y|, see below.
static void quaternion_matrix(const double* rec, double scale, double Q[3][4]) {
  double w = scale * rec[0], x = scale * rec[1], y = scale * rec[2], z = scale * rec[3];
  double rows[3][4] = {{-x, w, z, -y}, {-y, -z, w, x}, {-z, y, -x, w}};
  memcpy(Q, rows, sizeof rows);
}

// For a part with values y: residuals r (n, or 3) and the matrix D = dr/dy (rows x n). Returns the rows.
static int part_residual(const vvFitPart* part, const double* rec, const double* y, double weight, double r[4],
                         double D[4][4]) {
  if (!part->quat) return 0;
  double norm = 0, dot = 0, length = 0, Q[3][4];
  for (int k = 0; k < 4; k++) {
    norm += y[k] * y[k];
    dot += y[k] * rec[k];
    length += rec[k] * rec[k];
  }
  norm = sqrt(norm);
  quaternion_matrix(rec, (dot < 0 ? -2 : 2) * weight / (norm * sqrt(length)), Q);
  for (int i = 0; i < 3; i++) {
    r[i] = 0;
    for (int k = 0; k < 4; k++) r[i] += Q[i][k] * y[k];
    for (int k = 0; k < 4; k++) D[i][k] = Q[i][k] - r[i] * y[k] / (norm * norm);  // q = y/|y|
  }
  return 3;
}

// Adds the forward Jacobian of one entry: dr/dy_k times the tangent of y_k.
static void add_tangent(const vvFitShared* shared, const vvFitThread* th, size_t at, size_t next, double share,
                        double slope, double next_sign, double* A, int lead) {
  const vvFitProblem* p = shared->problem;
  size_t size = (size_t)p->nrow_max * (size_t)p->nout;
  for (int g = 0; g < shared->ngroup; g++) {
    const vvReal8* tan = th->outputs_tan + (size_t)g * size;
    int n = p->nfree - 8 * g < 8 ? p->nfree - 8 * g : 8;
    for (int d = 0; d < n; d++) {
      double y = (double)tan[at][d];
      if (share > 0) y = (1 - share) * y + next_sign * share * (double)tan[next][d];
      A[(size_t)(8 * g + d) * (size_t)lead] += slope * y;
    }
  }
}

static double next_sign_of(const vvFitPart* part, const vvReal* y0, const vvReal* y1, double share) {
  if (!part->quat || share <= 0) return 1;
  double dot = 0;
  for (int k = 0; k < 4; k++) dot += (double)y0[k] * (double)y1[k];
  return dot < 0 ? -1 : 1;
}

void vv_fit_residual(const vvFitShared* shared, const vvFitThread* th, const vvFitWindow* w, int j, double* r,
                     double* A, int lead, double* squares) {
  const vvFitProblem* p = shared->problem;
  const double* row = recorded_row(p, w->first + 1 + j);
  vvFitPlace place = p->places[w->places + j];
  size_t base = (size_t)place.row * (size_t)p->nout, next = place.share > 0 ? base + (size_t)p->nout : base;
  int at = 0;
  for (int s = 0; s < p->nsignal; s++) {
    const vvFitSignalIn* signal = &p->signals[s];
    double sum = 0, weight = signal->weight;
    for (int k = 0; k < signal->npart; k++) {
      const vvFitPart* part = &signal->parts[k];
      const vvReal *y0 = th->outputs + base + part->out, *y1 = th->outputs + next + part->out;
      double sign = next_sign_of(part, y0, y1, place.share);
      if (part->quat) {
        double y[4], rec[4], D[4][4];
        interpolate(part, y0, y1, place.share, y);
        for (int c = 0; c < 4; c++) rec[c] = row[signal->columns[part->column + c]];
        part_residual(part, rec, y, weight, r + at, D);
        for (int i = 0; i < 3; i++) {
          sum += r[at + i] * r[at + i];
          for (int c = 0; c < 4 && A; c++) {
            add_tangent(shared, th, base + (size_t)(part->out + c), next + (size_t)(part->out + c), place.share,
                        D[i][c], sign, A + at + i, lead);
          }
        }
        at += 3;
        continue;
      }
      for (int c = 0; c < part->n; c++) {
        double y = (double)y0[c];
        if (place.share > 0) y = (1 - place.share) * y + place.share * (double)y1[c];
        r[at] = weight * (y - row[signal->columns[part->column + c]]);
        sum += r[at] * r[at];
        if (A) {
          add_tangent(shared, th, base + (size_t)(part->out + c), next + (size_t)(part->out + c), place.share, weight,
                      1, A + at, lead);
        }
        at++;
      }
    }
    squares[s] = sum / (weight * weight);
  }
}

// Seeds outputs_bar with the derivative of residual `index` of sample j.
static void seed_residual(const vvFitShared* shared, vvFitThread* th, const vvFitWindow* w, int j, int index) {
  const vvFitProblem* p = shared->problem;
  const double* row = recorded_row(p, w->first + 1 + j);
  vvFitPlace place = p->places[w->places + j];
  size_t base = (size_t)place.row * (size_t)p->nout, next = place.share > 0 ? base + (size_t)p->nout : base;
  int at = 0;
  for (int s = 0; s < p->nsignal; s++) {
    const vvFitSignalIn* signal = &p->signals[s];
    for (int k = 0; k < signal->npart; k++) {
      const vvFitPart* part = &signal->parts[k];
      int n = part->quat ? 3 : part->n, i = index - at;
      at += n;
      if (i < 0 || i >= n) continue;
      const vvReal *y0 = th->outputs + base + part->out, *y1 = th->outputs + next + part->out;
      double sign = next_sign_of(part, y0, y1, place.share), y[16], rec[4], r[4], D[4][4];
      if (part->quat) {
        interpolate(part, y0, y1, place.share, y);
        for (int c = 0; c < 4; c++) rec[c] = row[signal->columns[part->column + c]];
        part_residual(part, rec, y, signal->weight, r, D);
      }
      for (int c = 0; c < part->n; c++) {
        double slope = part->quat ? D[i][c] : c == i ? signal->weight : 0;
        th->outputs_bar[base + (size_t)(part->out + c)] += (vvReal)((1 - place.share) * slope);
        if (place.share > 0) th->outputs_bar[next + (size_t)(part->out + c)] += (vvReal)(sign * place.share * slope);
      }
      return;
    }
  }
}

// Row of A from a shadow: the free numbers' gradient, then by the slopes to the parameters.
static void shadow_row(const vvFitShared* shared, const vvFitThread* th, double* A, int lead) {
  const vvFitProblem* p = shared->problem;
  int n = p->nfree;
  for (int c = 0; c < n; c++) A[(size_t)c * (size_t)lead] = 0;
  for (int i = 0; i < n; i++) {
    double bar = 0;
    for (int k = 0; k < p->free[i].nnumber; k++) bar += (double)vv_number_bar(th->shadow, p->free[i].numbers[k]);
    if (bar == 0) continue;
    for (int c = 0; c < n; c++) A[(size_t)c * (size_t)lead] += bar * shared->slopes[i * n + c];
  }
}

vvStatus vv_fit_reverse_rows(const vvFitShared* shared, vvFitThread* th, const vvFitWindow* w, double* A, int lead) {
  const vvFitProblem* p = shared->problem;
  const vvModel* m = shared->model;
  vvRolloutInput in = window_input(shared, th, w);
  for (int j = 0; j < w->nsample; j++) {
    for (int i = 0; i < p->nresidual; i++) {
      memset(th->outputs_bar, 0, sizeof(vvReal) * (size_t)(w->nrow * p->nout));
      seed_residual(shared, th, w, j, i);
      vv_model_shadow_zero(th->shadow);
      vvRolloutSeed seed = {.outputs_bar = th->outputs_bar};
      vvGradient gradient = {.q0_bar = th->q0_bar, .model = th->shadow};
      vvStatus status = vv_rollout_vjp(&in, th->tape, th->roll, &seed, &gradient, &th->report);
      if (status != VV_OK) return status;
      // the entries of q that the recording does not set are the scene's own
      vv_q_bar_to_ambient(m, th->initial->q, th->q0_bar, th->q0_ambient);
      for (int k = 0; k < m->nq; k++) {
        if (!p->q_set[k]) th->shadow->qpos0[k] += th->q0_ambient[k];
      }
      status = vv_model_derive_vjp(shared->context, m, th->shadow);
      if (status != VV_OK) return status;
      shadow_row(shared, th, A + j * p->nresidual + i, lead);
    }
  }
  return VV_OK;
}
