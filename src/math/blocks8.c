// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// blocks8.c: solves with the factor of a matrix of blocks for eight right-hand sides at once.

#include "math/blocks.h"

void vv_blocks_solve8(const vvBlocks* b, const vvReal* U, vvReal8* x) {
  for (int k = 0; k < b->nnode; k++) {
    int node = b->order[k], n = vv_blocks_rows(b, node);
    vvReal8* z = x + b->first[node];
    for (int r = 0; r < n; r++) {
      const vvReal* row = U + b->panel[node] + (size_t)r * (size_t)b->width[node];
      z[r] *= row[r];
      for (int j = r + 1; j < n; j++) z[j] -= row[j] * z[r];
      for (int i = b->begin[node]; i < b->begin[node] + b->count[node]; i++) {
        vvReal8* other = x + b->first[b->column[i]];
        for (int j = 0; j < vv_blocks_rows(b, b->column[i]); j++) other[j] -= row[b->at[i] + j] * z[r];
      }
    }
  }
  for (int k = b->nnode - 1; k >= 0; k--) {
    int node = b->order[k], n = vv_blocks_rows(b, node);
    vvReal8* z = x + b->first[node];
    for (int r = n - 1; r >= 0; r--) {
      const vvReal* row = U + b->panel[node] + (size_t)r * (size_t)b->width[node];
      vvReal8 sum = z[r];
      for (int j = r + 1; j < n; j++) sum -= row[j] * z[j];
      for (int i = b->begin[node]; i < b->begin[node] + b->count[node]; i++) {
        const vvReal8* other = x + b->first[b->column[i]];
        for (int j = 0; j < vv_blocks_rows(b, b->column[i]); j++) sum -= row[b->at[i] + j] * other[j];
      }
      z[r] = sum * row[r];
    }
  }
}
