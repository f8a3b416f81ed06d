// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// analyse.h: what statements read and write, which leaves carry derivatives.

#ifndef VVCC_ANALYSE_H_
#define VVCC_ANALYSE_H_

#include "ir.h"

// Numbers the leaves of all variables of f, parameters first; gives their count.
int vv_number(vvCc* cc, vvFunc* f);
int vv_param_leaves(const vvFunc* f);
// The leaves a path or pointer stands for; exact: it names all of them, once. False: none (tables, NULL).
bool vv_range(const vvExpr* e, int* start, int* count, bool* exact);
void vv_reads_expr(const vvExpr* e, vvBits bits);
void vv_reads_index(const vvExpr* path, vvBits bits);
// Of the statement itself, not of the blocks inside it.
void vv_reads_stmt(vvCc* cc, const vvStmt* s, vvBits bits);
void vv_writes_stmt(vvCc* cc, const vvStmt* s, vvBits bits);
void vv_reads_block(vvCc* cc, const vvBlock* b, vvBits bits);
void vv_writes_block(vvCc* cc, const vvBlock* b, vvBits bits);
// Fills f->reads, f->writes, f->needs_tape.
void vv_summarise(vvCc* cc, vvFunc* f);
// Nothing but declarations.
bool vv_is_empty(const vvBlock* b);
// Removes assignments to locals that nobody reads.
void vv_ir_prune(vvCc* cc, vvFunc* f);
// Whether the derivative of e can be nonzero when the leaves in v vary.
bool vv_is_varied(const vvExpr* e, vvBits v);
// Adds to v all that depends on v.
void vv_varied(vvCc* cc, vvFunc* f, vvBits v);
// Adds to u all that u depends on.
void vv_useful(vvCc* cc, vvFunc* f, vvBits u);
// The parameters of a call whose arguments have a leaf in v.
uint64_t vv_call_mask(const vvStmt* s, vvBits v);

#endif  // VVCC_ANALYSE_H_
