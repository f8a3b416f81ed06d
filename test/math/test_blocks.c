// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_blocks.c: matrices of blocks: random graphs of nodes of 1 to 9 unknowns, factored and solved, held against the
// product with the matrix itself; the order of elimination; growth; refusals.
// float: checked

#include "vvtest.h"

#include <stdlib.h>
#include <string.h>

#include "math/blocks.h"
#include "math/dense.h"

enum { MAX_NODE = 70, MAX_N = MAX_NODE * 9 };

typedef struct System {
  vvBlocks* b;
  vvReal* A;  // panels
  vvReal* D;  // n x n, the same as a dense matrix
  vvReal x[MAX_N + 4], y[MAX_N + 4];
  vvReal8 x8[MAX_N], y8[MAX_N];
  int n;
} System;

static vvContext* context;

static vvReal uniform(uint64_t* seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (vvReal)((double)(*seed >> 11) / (double)(UINT64_C(1) << 52) - 1);
}

static int below(uint64_t* seed, int n) {
  uniform(seed);
  return (int)((*seed >> 33) % (uint64_t)n);
}

static void create(System* s, int nnode, uint64_t* seed) {
  int first[MAX_NODE + 1] = {0};
  for (int k = 0; k < nnode; k++) first[k + 1] = first[k] + 1 + below(seed, 9);
  s->n = first[nnode];
  assert_int_equal(vv_blocks_create(context, nnode, first, &s->b), VV_OK);
  s->D = calloc((size_t)s->n * (size_t)s->n, sizeof(vvReal));
  s->A = NULL;
}

// Couples pairs at random and fills both forms with the same numbers; diagonally dominant.
static void fill(System* s, int npair, uint64_t* seed) {
  vvBlocks* b = s->b;
  memset(s->D, 0, (size_t)s->n * (size_t)s->n * sizeof(vvReal));
  vv_blocks_clear(b);
  int pair[3 * MAX_NODE][2];
  for (int p = 0; p < npair; p++) {
    pair[p][0] = below(seed, b->nnode);
    pair[p][1] = below(seed, b->nnode);
    vv_blocks_couple(b, pair[p][0], pair[p][1]);
  }
  assert_int_equal(vv_blocks_analyse(b), VV_OK);
  free(s->A);
  s->A = aligned_alloc(64, (b->size * sizeof(vvReal) + 63) / 64 * 64);
  memset(s->A, 0, b->size * sizeof(vvReal));
  for (int p = 0; p < npair; p++) {
    int i = pair[p][0], j = pair[p][1], rows;
    if (i == j) continue;
    vvReal* block = vv_blocks_between(b, s->A, i, j, &rows);
    int columns = rows == i ? j : i;
    for (int r = 0; r < vv_blocks_rows(b, rows); r++) {
      for (int c = 0; c < vv_blocks_rows(b, columns); c++) {
        vvReal value = uniform(seed);
        block[r * b->width[rows] + c] = value;
        int row = b->first[rows] + r, column = b->first[columns] + c;
        s->D[row * s->n + column] = s->D[column * s->n + row] = value;
      }
    }
  }
  for (int k = 0; k < b->nnode; k++) {
    for (int r = 0; r < vv_blocks_rows(b, k); r++) {
      vvReal* row = vv_blocks_row(b, s->A, k, r);
      for (int c = r; c < vv_blocks_rows(b, k); c++) {
        row[c] = r == c ? (vvReal)s->n : uniform(seed);
        int i = b->first[k] + r, j = b->first[k] + c;
        s->D[i * s->n + j] = s->D[j * s->n + i] = row[c];
      }
    }
  }
}

static void check_solve(System* s, uint64_t* seed) {
  memset(s->y, 0, sizeof s->y);
  for (int i = 0; i < s->n; i++) {
    s->x[i] = uniform(seed);
    for (int l = 0; l < 8; l++) s->x8[i][l] = uniform(seed);
  }
  for (int i = 0; i < s->n; i++) {
    memset(&s->y8[i], 0, sizeof(vvReal8));
    for (int j = 0; j < s->n; j++) {
      s->y[i] += s->D[i * s->n + j] * s->x[j];
      for (int l = 0; l < 8; l++) s->y8[i][l] += s->D[i * s->n + j] * s->x8[j][l];
    }
  }
  assert_true(vv_blocks_cholesky(s->b, s->A));
  vv_blocks_solve(s->b, s->A, s->y);
  vv_blocks_solve8(s->b, s->A, s->y8);
  for (int i = 0; i < s->n; i++) {
    assert_near(s->y[i], s->x[i], 300 * VV_EPSILON);
    for (int l = 0; l < 8; l++) assert_near(s->y8[i][l], s->x8[i][l], 300 * VV_EPSILON);
  }
  for (int i = s->n; i < s->n + 4; i++) assert_true(s->y[i] == 0);
}

static void destroy(System* s) {
  vv_blocks_free(s->b);
  free(s->A);
  free(s->D);
}

static void test_random(void** state) {
  (void)state;
  System* s = aligned_alloc(64, (sizeof(System) + 63) / 64 * 64);
  uint64_t seed = 5;
  for (int nnode = 1; nnode <= MAX_NODE; nnode += nnode < 8 ? 1 : 9) {
    create(s, nnode, &seed);
    for (int density = 0; density <= 3; density++) {  // from no coupling to much fill
      fill(s, density * nnode, &seed);
      check_solve(s, &seed);
    }
    destroy(s);
  }
  free(s);
}

// The order depends on the set of couplings alone, not on what came before or on how often a pair is named.
static void test_order(void** state) {
  (void)state;
  const int first[] = {0, 6, 12, 18, 24, 30};
  vvBlocks *a, *b;
  assert_int_equal(vv_blocks_create(context, 5, first, &a), VV_OK);
  assert_int_equal(vv_blocks_create(context, 5, first, &b), VV_OK);
  vv_blocks_couple(a, 0, 1);
  assert_int_equal(vv_blocks_analyse(a), VV_OK);
  vv_blocks_clear(a);
  const int star[4][2] = {{0, 1}, {2, 0}, {0, 3}, {4, 0}};
  for (int k = 0; k < 4; k++) {
    vv_blocks_couple(a, star[k][0], star[k][1]);
    vv_blocks_couple(b, star[3 - k][1], star[3 - k][0]);
    vv_blocks_couple(b, star[k][0], star[k][1]);
  }
  assert_int_equal(vv_blocks_analyse(a), VV_OK);
  assert_int_equal(vv_blocks_analyse(b), VV_OK);
  assert_memory_equal(a->order, b->order, 5 * sizeof(int));
  assert_true(a->size == b->size);
  assert_true(a->size == 4 * 6 * 16 + 6 * 8);  // the middle of the star last or last but one: no fill
  vv_blocks_free(a);
  vv_blocks_free(b);
}

static void test_indefinite(void** state) {
  (void)state;
  System* s = aligned_alloc(64, (sizeof(System) + 63) / 64 * 64);
  uint64_t seed = 6;
  create(s, 6, &seed);
  fill(s, 10, &seed);
  vv_blocks_row(s->b, s->A, 3, 0)[0] = -1;
  assert_false(vv_blocks_cholesky(s->b, s->A));
  destroy(s);
  free(s);
}

// The n-th allocation fails, for every n: an error, nothing leaks, and the next try succeeds.
static int left;

static void* allocate(size_t bytes, size_t alignment, void* user) {
  (void)user;
  return left-- > 0 ? aligned_alloc(alignment, bytes) : NULL;
}

static void release(void* memory, size_t bytes, void* user) {
  (void)bytes;
  (void)user;
  free(memory);
}

static void test_no_memory(void** state) {
  (void)state;
  vvContextOptions options = vv_context_options_default();
  options.allocate = allocate;
  options.release = release;
  left = 1000;
  vvContext* poor;
  assert_int_equal(vv_context_create(&options, &poor), VV_OK);
  const int first[] = {0, 2, 4, 6};
  for (int n = 0; n < 2; n++) {
    vvBlocks* b;
    left = n;
    assert_int_equal(vv_blocks_create(poor, 3, first, &b), VV_ERROR_MEMORY);
    assert_null(b);
  }
  vvBlocks* b;
  left = 2;
  assert_int_equal(vv_blocks_create(poor, 3, first, &b), VV_OK);
  vv_blocks_couple(b, 0, 2);
  assert_int_equal(vv_blocks_analyse(b), VV_ERROR_MEMORY);
  left = 1;
  assert_int_equal(vv_blocks_analyse(b), VV_OK);
  vv_blocks_free(b);
  vv_context_destroy(poor);
}

int main(void) {
  if (vv_context_create(NULL, &context) != VV_OK) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_order),
      cmocka_unit_test(test_indefinite),
      cmocka_unit_test(test_no_memory),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  vv_context_destroy(context);
  return failed;
}
