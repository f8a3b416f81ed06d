// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// blocks.h: symmetric positive definite matrices made of dense blocks, their Cholesky factor and its solves.
//
// The unknowns fall into nodes, node k holding the unknowns first[k] .. first[k + 1] - 1; pairs of nodes are coupled.
// Trees that contacts couple give such a matrix; a single node is a dense matrix.
//
// layout   one panel per node: a row for each of its unknowns, `width` reals: its own block, then the blocks of the
// nodes
//          that are eliminated after it and coupled to it, directly or by fill. Every block is padded with zeros to a
//          multiple of four columns. Panel rows are 32-byte aligned. Of the own block the upper triangle counts.
// order    of elimination: minimum degree on the graph of nodes, the lower index first among equals, so that it depends
//          on the set of couplings alone
// vectors  plain, entry for entry; a block's padding reaches up to 3 entries beyond its node, so that vectors need room
//          for 3 reals beyond the last unknown, finite and best 0

#ifndef VISVIVA_MATH_BLOCKS_H_
#define VISVIVA_MATH_BLOCKS_H_

#include "visviva/context.h"
#include "visviva/kernel.h"

typedef struct vvBlocks {
  int nnode;
  int* first;     // nnode + 1   unknowns of the nodes
  int* order;     // nnode       nodes in the order of elimination
  int* place;     // nnode       where a node comes in it
  size_t* panel;  // nnode       where its panel begins
  int* width;     // nnode       reals a row
  int* begin;     // nnode       its blocks beyond its own: column[begin] ...
  int* count;     // nnode       how many
  int* column;    // ncolumn_max nodes, in the order of elimination
  int* at;        // ncolumn_max where the block begins in a row
  size_t size;    // reals of all panels
  // couplings: bit j of row i; a row is nword words
  int nword;
  uint64_t* pairs;     // nnode x nword   as asked for
  uint64_t* analysed;  // nnode x nword   those that the order above belongs to
  uint64_t* graph;     // nnode x nword   scratch of the elimination
  int* degree;         // nnode
  bool known;          // there is an order
  int ncolumn_max;
  vvContext* context;
  unsigned char* block;
  size_t bytes;
} vvBlocks;

// Nodes with the unknowns first[k] .. first[k + 1] - 1, each at least one; no couplings. `*blocks` is NULL on error.
vvStatus vv_blocks_create(vvContext* context, int nnode, const int* first, vvBlocks** blocks);
void vv_blocks_free(vvBlocks* b);

// A new set of couplings: clear, couple each pair, analyse. Nothing is done where the set is the one before; memory
// grows where a set needs more than any before it.
void vv_blocks_clear(vvBlocks* b);
void vv_blocks_couple(vvBlocks* b, int i, int j);
vvStatus vv_blocks_analyse(vvBlocks* b);

static inline int vv_blocks_rows(const vvBlocks* b, int node) {
  return b->first[node + 1] - b->first[node];
}

// Row r of a node's panel.
static inline vvReal* vv_blocks_row(const vvBlocks* b, vvReal* A, int node, int r) {
  return A + b->panel[node] + (size_t)r * (size_t)b->width[node];
}

// First entry of the block of two different coupled nodes; *rows: the node whose unknowns are its rows.
vvReal* vv_blocks_between(const vvBlocks* b, vvReal* A, int i, int j, int* rows);

// A = U' U in place, U with inverted diagonal. False when A is not positive definite.
bool vv_blocks_cholesky(const vvBlocks* b, vvReal* A);

// x = inv(U' U) x; the same for eight right-hand sides.
void vv_blocks_solve(const vvBlocks* b, const vvReal* U, vvReal* x);
void vv_blocks_solve8(const vvBlocks* b, const vvReal* U, vvReal8* x);

#endif  // VISVIVA_MATH_BLOCKS_H_
