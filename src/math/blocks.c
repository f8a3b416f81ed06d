// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// blocks.c: matrices of dense blocks.
//
// method   right-looking: a node's panel is factored as one trapezoid (dense.c), then every pair of its blocks leaves
//          the panel of the earlier of the two nodes. Elimination joins a node's neighbours into a clique, kept as
//          bits.

#include "math/blocks.h"

#include <string.h>

#include "math/dense.h"

// Blocks beyond the own ones that a new matrix has room for, per node.
enum { FIRST_COLUMNS = 16 };

static size_t round_up(size_t bytes) {
  return (bytes + VV_ALIGNMENT - 1) / VV_ALIGNMENT * VV_ALIGNMENT;
}

static void* take(unsigned char** at, size_t n, size_t size) {
  void* piece = *at;
  *at += round_up(n * size);
  return piece;
}

vvStatus vv_blocks_create(vvContext* context, int nnode, const int* first, vvBlocks** blocks) {
  *blocks = NULL;
  vvBlocks* b = VV_NEW(context, vvBlocks, 1);
  if (!b) return VV_ERROR_MEMORY;
  size_t n = (size_t)nnode, nword = (n + 63) / 64;
  b->context = context;
  b->nnode = nnode;
  b->nword = (int)nword;
  b->bytes = 6 * round_up((n + 1) * sizeof(int)) + round_up(n * sizeof(size_t)) + round_up(n * sizeof(int)) +
             3 * round_up(n * nword * sizeof(uint64_t)) + VV_ALIGNMENT;
  b->block = (unsigned char*)vv_alloc(context, b->bytes);
  if (!b->block) {
    VV_DELETE(context, b, vvBlocks, 1);
    return VV_ERROR_MEMORY;
  }
  unsigned char* at = b->block;
  b->first = (int*)take(&at, n + 1, sizeof(int));
  b->order = (int*)take(&at, n, sizeof(int));
  b->place = (int*)take(&at, n, sizeof(int));
  b->width = (int*)take(&at, n, sizeof(int));
  b->begin = (int*)take(&at, n, sizeof(int));
  b->count = (int*)take(&at, n, sizeof(int));
  b->degree = (int*)take(&at, n, sizeof(int));
  b->panel = (size_t*)take(&at, n, sizeof(size_t));
  b->pairs = (uint64_t*)take(&at, n * nword, sizeof(uint64_t));
  b->analysed = (uint64_t*)take(&at, n * nword, sizeof(uint64_t));
  b->graph = (uint64_t*)take(&at, n * nword, sizeof(uint64_t));
  memcpy(b->first, first, (n + 1) * sizeof(int));
  *blocks = b;
  return VV_OK;
}

void vv_blocks_free(vvBlocks* b) {
  if (!b) return;
  vvContext* context = b->context;
  VV_DELETE(context, b->column, int, 2 * (size_t)b->ncolumn_max);
  vv_free(context, b->block, b->bytes);
  VV_DELETE(context, b, vvBlocks, 1);
}

// ---- structure ------------------------------------------------------------------------------------------------------

static size_t bits(const vvBlocks* b) {
  return (size_t)b->nnode * (size_t)b->nword * sizeof(uint64_t);
}

static void set_bit(uint64_t* row, int j) {
  row[j >> 6] |= UINT64_C(1) << (j & 63);
}

static void clear_bit(uint64_t* row, int j) {
  row[j >> 6] &= ~(UINT64_C(1) << (j & 63));
}

static int count_bits(const uint64_t* row, int nword) {
  int n = 0;
  for (int i = 0; i < nword; i++) n += __builtin_popcountll(row[i]);
  return n;
}

void vv_blocks_clear(vvBlocks* b) {
  if (b->nnode > 1) memset(b->pairs, 0, bits(b));
}

void vv_blocks_couple(vvBlocks* b, int i, int j) {
  if (i == j) return;
  set_bit(b->pairs + (size_t)i * (size_t)b->nword, j);
  set_bit(b->pairs + (size_t)j * (size_t)b->nword, i);
}

// Makes room for `need` blocks beyond the own ones. Columns stay; `at` is not filled yet when this is called.
static vvStatus grow(vvBlocks* b, int need) {
  if (need <= b->ncolumn_max) return VV_OK;
  int most = b->ncolumn_max > 0 ? b->ncolumn_max : FIRST_COLUMNS * b->nnode;
  while (most < need) most *= 2;
  int* column = VV_NEW(b->context, int, 2 * (size_t)most);
  if (!column) return VV_ERROR_MEMORY;
  if (b->column) memcpy(column, b->column, (size_t)b->ncolumn_max * sizeof(int));
  VV_DELETE(b->context, b->column, int, 2 * (size_t)b->ncolumn_max);
  b->column = column;
  b->at = column + most;
  b->ncolumn_max = most;
  return VV_OK;
}

// The node of least degree that is not eliminated yet.
static int next_node(const vvBlocks* b) {
  int best = -1;
  for (int k = 0; k < b->nnode; k++) {
    if (b->place[k] < 0 && (best < 0 || b->degree[k] < b->degree[best])) best = k;
    if (best >= 0 && b->degree[best] == 0) break;
  }
  return best;
}

// Takes a node out of the graph; its neighbours become its blocks and a clique.
static vvStatus eliminate(vvBlocks* b, int node, int* ncolumn) {
  size_t nword = (size_t)b->nword;
  uint64_t* row = b->graph + (size_t)node * nword;
  vvStatus status = grow(b, *ncolumn + b->degree[node]);
  if (status != VV_OK) return status;
  b->begin[node] = *ncolumn;
  b->count[node] = b->degree[node];
  for (size_t i = 0; i < nword; i++) {
    for (uint64_t word = row[i]; word; word &= word - 1) {
      b->column[(*ncolumn)++] = (int)(64 * i) + __builtin_ctzll(word);
    }
  }
  for (int k = b->begin[node]; k < *ncolumn; k++) {
    uint64_t* other = b->graph + (size_t)b->column[k] * nword;
    for (size_t i = 0; i < nword; i++) other[i] |= row[i];
    clear_bit(other, node);
    clear_bit(other, b->column[k]);
    b->degree[b->column[k]] = count_bits(other, b->nword);
  }
  return VV_OK;
}

// The part of a list that starts at k; without couplings there are no lists.
static int* from(int* list, int k) {
  return list ? list + k : NULL;
}

// Blocks of a panel into the order of elimination, and where each begins.
static void lay_out_panel(vvBlocks* b, int node) {
  int* column = from(b->column, b->begin[node]);
  int at = vv_dense_stride(vv_blocks_rows(b, node));
  for (int i = 1; i < b->count[node]; i++) {
    int moved = column[i], k = i;
    for (; k > 0 && b->place[column[k - 1]] > b->place[moved]; k--) column[k] = column[k - 1];
    column[k] = moved;
  }
  for (int i = 0; i < b->count[node]; i++) {
    b->at[b->begin[node] + i] = at;
    at += vv_dense_stride(vv_blocks_rows(b, column[i]));
  }
  b->width[node] = at;
  b->panel[node] = b->size;
  b->size += (size_t)at * (size_t)vv_blocks_rows(b, node);
}

vvStatus vv_blocks_analyse(vvBlocks* b) {
  if (b->known && (b->nnode <= 1 || memcmp(b->pairs, b->analysed, bits(b)) == 0)) return VV_OK;
  b->known = false;
  memcpy(b->analysed, b->pairs, bits(b));
  memcpy(b->graph, b->pairs, bits(b));
  for (int k = 0; k < b->nnode; k++) {
    b->place[k] = -1;
    b->degree[k] = count_bits(b->graph + (size_t)k * (size_t)b->nword, b->nword);
  }
  int ncolumn = 0;
  for (int n = 0; n < b->nnode; n++) {
    int node = next_node(b);
    b->order[n] = node;
    b->place[node] = n;
    vvStatus status = eliminate(b, node, &ncolumn);
    if (status != VV_OK) return status;
  }
  b->size = 0;
  for (int n = 0; n < b->nnode; n++) lay_out_panel(b, b->order[n]);
  b->known = true;
  return VV_OK;
}

vvReal* vv_blocks_between(const vvBlocks* b, vvReal* A, int i, int j, int* rows) {
  int early = b->place[i] < b->place[j] ? i : j, late = early == i ? j : i;
  int k = b->begin[early];
  while (b->column[k] != late) k++;
  *rows = early;
  return A + b->panel[early] + b->at[k];
}

// ---- numbers --------------------------------------------------------------------------------------------------------

// What a node's blocks take away from the panels of the nodes after it.
static void update(const vvBlocks* b, int node, vvReal* A) {
  const int* column = from(b->column, b->begin[node]);
  const int* at = from(b->at, b->begin[node]);
  const vvReal* U = A + b->panel[node];
  int count = b->count[node], n = vv_blocks_rows(b, node), width = b->width[node];
  for (int i = 0; i < count; i++) {
    int target = column[i], rows = vv_blocks_rows(b, target), to = b->begin[target];
    vvReal* T = A + b->panel[target];
    vv_dense_subtract_product(n, rows, vv_dense_stride(rows), width, U + at[i], width, U + at[i], b->width[target], T);
    for (int j = i + 1; j < count; j++) {
      while (b->column[to] != column[j]) to++;
      vv_dense_subtract_product(n, rows, vv_dense_stride(vv_blocks_rows(b, column[j])), width, U + at[i], width,
                                U + at[j], b->width[target], T + b->at[to]);
    }
  }
}

bool vv_blocks_cholesky(const vvBlocks* b, vvReal* A) {
  for (int k = 0; k < b->nnode; k++) {
    int node = b->order[k];
    vvReal* panel = A + b->panel[node];
    if (!vv_dense_cholesky(vv_blocks_rows(b, node), b->width[node], panel, panel)) return false;
    update(b, node, A);
  }
  return true;
}

// Up to four rows of a panel, beginning with a multiple of four; rows that are missing are the first one again.
typedef struct Rows {
  int count;
  const vvReal* row[4];
} Rows;

static Rows rows_at(const vvBlocks* b, const vvReal* U, int node, int r, int n) {
  const vvReal* first = U + b->panel[node] + (size_t)r * (size_t)b->width[node];
  Rows rows = {n - r < 4 ? n - r : 4, {first, first, first, first}};
  for (int k = 1; k < rows.count; k++) rows.row[k] = first + k * b->width[node];
  return rows;
}

// x -= rows' y over the columns from .. to - 1, x at column `from`.
static void subtract_rows(const Rows* rows, const vvReal* y, int from, int to, vvReal* x) {
  for (int c = from; c < to; c += 4, x += 4) {
    vvReal4 s = vv_dense_load4_loose(x) - y[0] * vv_dense_load4(rows->row[0] + c);
    s -= y[1] * vv_dense_load4(rows->row[1] + c);
    s -= y[2] * vv_dense_load4(rows->row[2] + c);
    vv_dense_store4_loose(x, s - y[3] * vv_dense_load4(rows->row[3] + c));
  }
}

// sum += rows . x over the columns from .. to - 1, x at column `from`.
static void add_products(const Rows* rows, int from, int to, const vvReal* x, vvReal4* sum) {
  for (int c = from; c < to; c += 4, x += 4) {
    vvReal4 s = vv_dense_load4_loose(x);
    for (int k = 0; k < 4; k++) sum[k] += s * vv_dense_load4(rows->row[k] + c);
  }
}

static void solve_down(const vvBlocks* b, const vvReal* U, int node, vvReal* x) {
  int n = vv_blocks_rows(b, node), own = vv_dense_stride(n);
  vvReal* z = x + b->first[node];
  for (int r = 0; r < n; r += 4) {
    Rows rows = rows_at(b, U, node, r, n);
    vvReal y[4] = {0, 0, 0, 0};
    for (int k = 0; k < rows.count; k++) {
      y[k] = z[r + k];
      for (int i = 0; i < k; i++) y[k] -= y[i] * rows.row[i][r + k];
      y[k] *= rows.row[k][r + k];
    }
    for (int k = 0; k < rows.count; k++) z[r + k] = y[k];
    subtract_rows(&rows, y, r + 4, own, z + r + 4);
    for (int i = b->begin[node]; i < b->begin[node] + b->count[node]; i++) {
      int other = b->column[i];
      subtract_rows(&rows, y, b->at[i], b->at[i] + vv_dense_stride(vv_blocks_rows(b, other)), x + b->first[other]);
    }
  }
}

static void solve_up(const vvBlocks* b, const vvReal* U, int node, vvReal* x) {
  int n = vv_blocks_rows(b, node), own = vv_dense_stride(n);
  vvReal* z = x + b->first[node];
  for (int r = (n - 1) & ~3; r >= 0; r -= 4) {
    Rows rows = rows_at(b, U, node, r, n);
    vvReal4 sum[4] = {{0}};
    add_products(&rows, r + 4, own, z + r + 4, sum);
    for (int i = b->begin[node]; i < b->begin[node] + b->count[node]; i++) {
      int other = b->column[i];
      add_products(&rows, b->at[i], b->at[i] + vv_dense_stride(vv_blocks_rows(b, other)), x + b->first[other], sum);
    }
    for (int k = rows.count - 1; k >= 0; k--) {
      vvReal y = z[r + k] - ((sum[k][0] + sum[k][1]) + (sum[k][2] + sum[k][3]));
      for (int i = k + 1; i < rows.count; i++) y -= rows.row[k][r + i] * z[r + i];
      z[r + k] = y * rows.row[k][r + k];
    }
  }
}

void vv_blocks_solve(const vvBlocks* b, const vvReal* U, vvReal* x) {
  for (int k = 0; k < b->nnode; k++) solve_down(b, U, b->order[k], x);
  for (int k = b->nnode - 1; k >= 0; k--) solve_up(b, U, b->order[k], x);
}
