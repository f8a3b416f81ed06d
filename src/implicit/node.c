// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// node.c: the implicit rule, and a check of a node against its own residual.

#include "implicit/node.h"

#include "visviva/kernel.h"

#define VV_NODE_FLOOR 1e-12

static vvReal dot(const vvReal* a, const vvReal* b, int n) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

vvStatus vv_node_vjp(const vvNode* node, const vvReal* y, const vvReal* y_bar, vvReal* w) {
  vvStatus status = node->solve_transposed(node->self, y_bar, w);
  if (status == VV_OK) node->weak_vjp(node->self, w, y, -1);
  return status;
}

vvReal vv_node_error(const vvNode* node, const vvReal* y, const vvReal* p, const vvReal* w, vvReal e, vvReal* scratch) {
  int n = node->n;
  vvReal* Hp = scratch;
  vvReal* x = scratch + n;
  for (int i = 0; i < n; i++) x[i] = y[i] + e * p[i];
  vvReal up = node->weak(node->self, w, x);
  for (int i = 0; i < n; i++) x[i] = y[i] - e * p[i];
  vvReal down = node->weak(node->self, w, x);
  node->apply_H(node->self, p, Hp);
  vvReal product = dot(w, Hp, n);
  vvReal worst = vv_fabs((up - down) / (2 * e) - product) / (vv_fabs(product) + VV_NODE_FLOOR);
  if (node->solve_transposed(node->self, w, x) != VV_OK) return (vvReal)NAN;
  vvReal back = dot(x, Hp, n), given = dot(p, w, n);
  vvReal other = vv_fabs(back - given) / (vv_fabs(given) + VV_NODE_FLOOR);
  return other > worst ? other : worst;
}
