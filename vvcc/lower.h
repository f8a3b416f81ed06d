// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// lower.h: from libclang's cursors to the intermediate form; shared by parse.c, lower_expr.c and lower_stmt.c.

#ifndef VVCC_LOWER_H_
#define VVCC_LOWER_H_

#include <clang-c/Index.h>

#include "ir.h"

typedef struct vvCursors {
  CXCursor* v;
  int n, cap;
} vvCursors;

// What a name of the kernel stands for: a variable, or a pointer bound once.
typedef struct vvBinding {
  CXCursor decl;
  vvVar* var;
  vvExpr* pointer;
} vvBinding;

// The flags that jumps of one loop, switch or function set.
typedef struct vvJumps {
  struct vvJumps* outer;
  bool is_switch;
  vvVar* brk;   // left by break
  vvVar* cont;  // left by continue
} vvJumps;

typedef enum vvJumpMask { VV_J_BREAK = 1, VV_J_CONTINUE = 2, VV_J_RETURN = 4 } vvJumpMask;

typedef struct vvParser {
  vvCc* cc;
  CXIndex index;
  CXTranslationUnit tu;
  vvBinding* global;
  int nglobal, cap_global;
  CXCursor* struct_decl;  // parallel to cc->strct
  int cap_struct_decl;
} vvParser;

typedef struct vvLower {
  vvParser* ps;
  vvCc* cc;
  vvFunc* f;
  vvBinding* local;
  int nlocal, cap_local;
  vvJumps* jumps;
  vvStmt* loop;  // innermost
  vvVar* ret;    // holds the value of early returns
  vvVar* done;   // set by early returns
  int line;
  vvCursors modified;  // declarations that the body assigns or takes the address of
} vvLower;

// parse.c
vvCursors vv_parse_children(vvParser* ps, CXCursor c);
vvIrType* vv_parse_type(vvParser* ps, CXType t, int line);
int vv_parse_line(CXCursor c);
unsigned vv_parse_offset(CXSourceLocation l);
const char* vv_parse_text(vvParser* ps, CXString s);
const char* vv_parse_file(vvParser* ps, CXCursor c);
const char* vv_parse_source(vvParser* ps, CXSourceRange r);
vvBinding* vv_parse_global(vvParser* ps, CXCursor decl);
bool vv_parse_in_main(CXCursor c);
bool vv_parse_is_const(CXType t);
vvFunc* vv_parse_find(vvParser* ps, const char* name);
_Noreturn void vv_lower_refuse(vvLower* lo, CXCursor c, const char* reason, const char* remedy);

// lower_expr.c
vvExpr* vv_lower_expr(vvLower* lo, CXCursor c, vvBlock* out);
void vv_lower_assign(vvLower* lo, vvExpr* lhs, vvExpr* rhs, vvBlock* out);
void vv_lower_init(vvLower* lo, vvExpr* lhs, CXCursor init, vvBlock* out);
CXCursor vv_lower_strip(vvLower* lo, CXCursor c);
vvExpr* vv_lower_pointer(vvLower* lo, CXCursor c, vvBlock* out);
bool vv_lower_is_modified(vvLower* lo, CXCursor decl);
void vv_lower_collect_modified(vvLower* lo, CXCursor c, vvCursors* list);
vvExpr* vv_lower_settle(vvLower* lo, vvExpr* pointer, vvBlock* out);
vvVar* vv_lower_local(vvLower* lo, const char* name, vvIrType* type, vvBlock* out);

// lower_stmt.c
// A condition as the reverse may evaluate it again: itself, or a variable of its own.
vvExpr* vv_lower_condition(vvLower* lo, vvExpr* e, vvBlock* out);
void vv_lower_func(vvParser* ps, vvFunc* f);

#endif  // VVCC_LOWER_H_
