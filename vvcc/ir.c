// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// ir.c: making and comparing types, expressions, statements and sets of leaves. All memory comes from one pool.

#include "ir.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct vvPool {
  struct vvPool* next;
  size_t used, size;
} vvPool;

#define POOL_CHUNK ((size_t)1 << 20)

void* vv_ir_alloc(vvCc* cc, size_t size) {
  size = (size + 15) & ~(size_t)15;
  vvPool* p = cc->pool;
  if (!p || p->used + size > p->size) {
    size_t chunk = size + 64 > POOL_CHUNK ? size + 64 : POOL_CHUNK;
    p = calloc(1, chunk);
    if (!p) vv_ir_refuse(cc, cc->file, 1, "out of memory", "use a smaller kernel file");
    p->next = cc->pool;
    p->used = (sizeof(vvPool) + 15) & ~(size_t)15;
    p->size = chunk;
    cc->pool = p;
  }
  void* r = (char*)p + p->used;
  p->used += size;
  return r;
}

void vv_ir_free(vvCc* cc) {
  while (cc->pool) {
    vvPool* next = cc->pool->next;
    free(cc->pool);
    cc->pool = next;
  }
}

char* vv_ir_format(vvCc* cc, const char* format, ...) {
  va_list a, b;
  va_start(a, format);
  va_copy(b, a);
  int n = vsnprintf(NULL, 0, format, a);
  char* s = vv_ir_alloc(cc, (size_t)n + 1);
  vsnprintf(s, (size_t)n + 1, format, b);
  va_end(b);
  va_end(a);
  return s;
}

_Noreturn void vv_ir_refuse(vvCc* cc, const char* file, int line, const char* reason, const char* remedy) {
  snprintf(cc->message, sizeof cc->message, "%s:%d: %s; %s", file ? file : cc->file, line, reason, remedy);
  longjmp(cc->fail, 1);
}

void* vv_ir_grow(vvCc* cc, void* a, int n, int* cap, size_t size) {
  if (n < *cap) return a;
  int m = *cap ? 2 * *cap : 8;
  void* r = vv_ir_alloc(cc, (size_t)m * size);
  if (n) memcpy(r, a, (size_t)n * size);
  *cap = m;
  return r;
}

// types

static vvIrType* make_type(vvCc* cc, vvTypeKind kind, const char* name) {
  vvIrType* t = VV_IR_NEW(cc, vvIrType);
  t->kind = kind;
  t->name = name;
  return t;
}

void vv_ir_init_types(vvCc* cc) {
  cc->t_void = make_type(cc, VV_T_VOID, "void");
  cc->t_int = make_type(cc, VV_T_INT, "int");
  cc->t_bool = make_type(cc, VV_T_INT, "bool");
  cc->t_real = make_type(cc, VV_T_REAL, "vvReal");
  cc->t_double = make_type(cc, VV_T_REAL, "double");
  cc->t_float = make_type(cc, VV_T_REAL, "float");
  cc->t_real8 = make_type(cc, VV_T_REAL, "vvReal8");
  cc->t_tape = vv_ir_pointer(cc, make_type(cc, VV_T_TAPE, "vvTapeMem"), false);
}

vvIrType* vv_ir_pointer(vvCc* cc, vvIrType* elem, bool elem_const) {
  vvIrType* t = make_type(cc, VV_T_POINTER, NULL);
  t->elem = elem;
  t->elem_const = elem_const;
  return t;
}

vvIrType* vv_ir_array(vvCc* cc, vvIrType* elem, int count) {
  vvIrType* t = make_type(cc, VV_T_ARRAY, NULL);
  t->elem = elem;
  t->count = count;
  return t;
}

int vv_ir_leaves(const vvIrType* t) {
  switch (t->kind) {
    case VV_T_INT:
    case VV_T_REAL:
      return 1;
    case VV_T_STRUCT:
      return t->def->nleaf;
    case VV_T_ARRAY:
    case VV_T_POINTER:
      return vv_ir_leaves(t->elem);
    case VV_T_VOID:
    case VV_T_TAPE:
      break;
  }
  return 0;
}

const vvIrType* vv_ir_leaf_type(const vvIrType* t, int leaf) {
  while (t->kind == VV_T_ARRAY || t->kind == VV_T_POINTER) t = t->elem;
  if (t->kind != VV_T_STRUCT) return t;
  for (int i = t->def->nfield - 1; i >= 0; i--) {
    const vvField* f = &t->def->field[i];
    if (leaf >= f->leaf && vv_ir_leaves(f->type) > 0) return vv_ir_leaf_type(f->type, leaf - f->leaf);
  }
  return t;
}

bool vv_ir_has_real(const vvIrType* t) {
  while (t->kind == VV_T_ARRAY || t->kind == VV_T_POINTER) t = t->elem;
  if (t->kind == VV_T_REAL) return true;
  if (t->kind != VV_T_STRUCT) return false;
  for (int i = 0; i < t->def->nfield; i++)
    if (vv_ir_has_real(t->def->field[i].type)) return true;
  return false;
}

bool vv_ir_has_pointer(const vvIrType* t) {
  while (t->kind == VV_T_ARRAY) t = t->elem;
  if (t->kind == VV_T_POINTER) return true;
  if (t->kind != VV_T_STRUCT) return false;
  for (int i = 0; i < t->def->nfield; i++)
    if (vv_ir_has_pointer(t->def->field[i].type)) return true;
  return false;
}

bool vv_ir_same_type(const vvIrType* a, const vvIrType* b) {
  if (a == b) return true;
  if (a->kind != b->kind) return false;
  if (a->kind == VV_T_STRUCT) return a->def == b->def;
  if (a->kind == VV_T_ARRAY || a->kind == VV_T_POINTER) return vv_ir_same_type(a->elem, b->elem);
  return a->name && b->name && strcmp(a->name, b->name) == 0;
}

// variables and expressions

vvVar* vv_ir_var(vvCc* cc, const char* name, vvIrType* type) {
  vvVar* v = VV_IR_NEW(cc, vvVar);
  v->name = name;
  v->type = type;
  v->loc = -1;
  return v;
}

static vvExpr* make_expr(vvCc* cc, vvExprKind kind, vvIrType* type) {
  vvExpr* e = VV_IR_NEW(cc, vvExpr);
  e->kind = kind;
  e->type = type;
  return e;
}

vvExpr* vv_ir_lit(vvCc* cc, const char* text, vvIrType* type) {
  vvExpr* e = make_expr(cc, VV_E_LIT, type);
  e->text = text;
  return e;
}

vvExpr* vv_ir_int(vvCc* cc, int value) {
  return vv_ir_lit(cc, vv_ir_format(cc, "%d", value), cc->t_int);
}

vvExpr* vv_ir_ref(vvCc* cc, vvVar* v) {
  vvExpr* e = make_expr(cc, VV_E_VAR, v->type);
  e->var = v;
  return e;
}

vvExpr* vv_ir_field(vvCc* cc, vvExpr* a, const vvField* f) {
  vvExpr* e = make_expr(cc, VV_E_FIELD, f->type);
  e->a = a;
  e->field = f;
  return e;
}

vvExpr* vv_ir_index(vvCc* cc, vvExpr* a, vvExpr* i) {
  vvExpr* e = make_expr(cc, VV_E_INDEX, a->type->elem);
  e->a = a;
  e->b = i;
  return e;
}

vvExpr* vv_ir_addr(vvCc* cc, vvExpr* a) {
  // &*p is p
  if (a->kind == VV_E_INDEX && vv_ir_is_zero(a->b)) return a->a;
  vvExpr* e = make_expr(cc, VV_E_ADDR, vv_ir_pointer(cc, a->type, false));
  e->a = a;
  return e;
}

vvExpr* vv_ir_un(vvCc* cc, vvOp op, vvExpr* a) {
  if (op == VV_NEG && a->kind == VV_E_UN && a->op == VV_NEG) return a->a;
  vvExpr* e = make_expr(cc, VV_E_UN, op == VV_NOT ? cc->t_int : a->type);
  e->op = op;
  e->a = a;
  return e;
}

static int real_rank(const vvCc* cc, const vvIrType* t) {
  if (t == cc->t_real8) return 4;
  if (t->name && strcmp(t->name, "double") == 0) return 3;
  if (t->name && strcmp(t->name, "float") == 0) return 1;
  return 2;
}

vvExpr* vv_ir_bin(vvCc* cc, vvOp op, vvExpr* a, vvExpr* b) {
  vvIrType* t = a->type;
  if (op >= VV_LT && op <= VV_LOR) {
    t = cc->t_int;
  } else if (a->type->kind == VV_T_POINTER || a->type->kind == VV_T_ARRAY) {
    t = a->type;
  } else if (a->type->kind == VV_T_REAL && b->type->kind == VV_T_REAL) {
    t = real_rank(cc, a->type) >= real_rank(cc, b->type) ? a->type : b->type;
  } else if (b->type->kind == VV_T_REAL) {
    t = b->type;
  } else if (a->type->kind == VV_T_INT) {
    // the wider of two integer types, as far as the spelling tells
    bool wide_b = strstr(b->type->name, "size_t") || strstr(b->type->name, "long") || strstr(b->type->name, "64");
    bool narrow_a = strcmp(a->type->name, "bool") == 0 || strcmp(a->type->name, "char") == 0;
    if (wide_b || narrow_a || (b->type->is_unsigned && !a->type->is_unsigned)) t = b->type;
    if (t->name && strcmp(t->name, "bool") == 0) t = cc->t_int;
  }
  vvExpr* e = make_expr(cc, VV_E_BIN, t);
  e->op = op;
  e->a = a;
  e->b = b;
  return e;
}

vvExpr* vv_ir_math(vvCc* cc, vvMath fn, vvExpr* a, vvExpr* b) {
  vvExpr* e = make_expr(cc, VV_E_MATH, fn >= VV_M_ISNAN ? cc->t_int : cc->t_real);
  e->fn = fn;
  e->a = a;
  e->b = b;
  return e;
}

vvExpr* vv_ir_cast(vvCc* cc, vvIrType* t, vvExpr* a) {
  vvExpr* e = make_expr(cc, VV_E_CAST, t);
  e->a = a;
  return e;
}

bool vv_ir_is_path(const vvExpr* e) {
  return e->kind == VV_E_VAR || e->kind == VV_E_FIELD || e->kind == VV_E_INDEX;
}

bool vv_ir_equal(const vvExpr* a, const vvExpr* b) {
  if (a == b) return true;
  if (!a || !b || a->kind != b->kind) return false;
  switch (a->kind) {
    case VV_E_LIT:
      return strcmp(a->text, b->text) == 0;
    case VV_E_VAR:
      return a->var == b->var;
    case VV_E_FIELD:
      return a->field == b->field && vv_ir_equal(a->a, b->a);
    case VV_E_CAST:
      return vv_ir_same_type(a->type, b->type) && vv_ir_equal(a->a, b->a);
    case VV_E_MATH:
      if (a->fn != b->fn) return false;
      break;
    case VV_E_UN:
    case VV_E_BIN:
      if (a->op != b->op) return false;
      break;
    case VV_E_INDEX:
    case VV_E_ADDR:
    case VV_E_COND:
      break;
  }
  return vv_ir_equal(a->a, b->a) && vv_ir_equal(a->b, b->b) && vv_ir_equal(a->c, b->c);
}

bool vv_ir_is_zero(const vvExpr* e) {
  return e->kind == VV_E_LIT && (strcmp(e->text, "0") == 0 || strcmp(e->text, "0.0") == 0);
}

bool vv_ir_is_one(const vvExpr* e) {
  return e->kind == VV_E_LIT && (strcmp(e->text, "1") == 0 || strcmp(e->text, "1.0") == 0);
}

vvVar* vv_ir_root(const vvExpr* e) {
  while (e && e->kind != VV_E_VAR) e = e->a;
  return e ? e->var : NULL;
}

const char* vv_ir_math_name(vvMath fn) {
  static const char* const name[VV_M_COUNT] = {
      "",          "sqrt",  "sin",   "cos",   "tan",      "asin",     "acos",  "atan",  "atan2", "exp",
      "log",       "pow",   "fabs",  "fmin",  "fmax",     "sinh",     "cosh",  "tanh",  "hypot", "expm1",
      "log1p",     "cbrt",  "floor", "ceil",  "fmod",     "copysign", "exp2",  "log2",  "log10", "asinh",
      "acosh",     "atanh", "fdim",  "fma",   "erf",      "erfc",     "trunc", "round", "rint",  "nearbyint",
      "remainder", "ldexp", "isnan", "isinf", "isfinite", "signbit"};
  return name[fn];
}

bool vv_ir_math_is_step(vvMath fn) {
  return fn == VV_M_FLOOR || fn == VV_M_CEIL || fn == VV_M_TRUNC || fn == VV_M_ROUND || fn == VV_M_RINT ||
         fn == VV_M_NEARBYINT || fn >= VV_M_ISNAN;
}

// statements

vvBlock* vv_ir_block(vvCc* cc) {
  return VV_IR_NEW(cc, vvBlock);
}

void vv_ir_add(vvCc* cc, vvBlock* b, vvStmt* s) {
  VV_IR_PUSH(cc, b->v, b->n, b->cap, s);
}

void vv_ir_insert(vvCc* cc, vvBlock* b, int at, vvStmt* s) {
  vv_ir_add(cc, b, s);
  memmove(b->v + at + 1, b->v + at, (size_t)(b->n - 1 - at) * sizeof(vvStmt*));
  b->v[at] = s;
}

void vv_ir_append(vvCc* cc, vvBlock* b, const vvBlock* more) {
  for (int i = 0; i < more->n; i++) vv_ir_add(cc, b, more->v[i]);
}

vvStmt* vv_ir_stmt(vvCc* cc, vvStmtKind kind, int line) {
  vvStmt* s = VV_IR_NEW(cc, vvStmt);
  s->kind = kind;
  s->line = line;
  return s;
}

vvStmt* vv_ir_assign(vvCc* cc, vvExpr* lhs, vvExpr* rhs) {
  vvStmt* s = vv_ir_stmt(cc, VV_S_ASSIGN, 0);
  s->lhs = lhs;
  s->rhs = rhs;
  return s;
}

vvStmt* vv_ir_zero(vvCc* cc, vvExpr* lhs) {
  vvStmt* s = vv_ir_stmt(cc, VV_S_ZERO, 0);
  s->lhs = lhs;
  return s;
}

vvStmt* vv_ir_decl(vvCc* cc, vvVar* v, bool zero) {
  vvStmt* s = vv_ir_stmt(cc, VV_S_DECL, 0);
  s->var = v;
  s->zero = zero;
  return s;
}

vvVar* vv_ir_temp(vvCc* cc, vvFunc* f, vvIrType* type, const char* stem) {
  return vv_ir_var(cc, vv_ir_format(cc, "%s%d", stem, ++f->ntemp), type);
}

// sets

vvBits vv_bits_new(vvCc* cc, int n) {
  vvBits a = {n, vv_ir_alloc(cc, ((size_t)(n + 63) / 64 + 1) * sizeof(uint64_t))};
  return a;
}

vvBits vv_bits_copy(vvCc* cc, vvBits a) {
  vvBits b = vv_bits_new(cc, a.n);
  vv_bits_or(b, a);
  return b;
}

bool vv_bits_or(vvBits a, vvBits b) {
  bool changed = false;
  for (int i = 0; i < (a.n + 63) / 64 && i < (b.n + 63) / 64; i++) {
    uint64_t w = a.w[i] | b.w[i];
    changed |= w != a.w[i];
    a.w[i] = w;
  }
  return changed;
}

bool vv_bits_meet(vvBits a, vvBits b) {
  for (int i = 0; i < (a.n + 63) / 64 && i < (b.n + 63) / 64; i++)
    if (a.w[i] & b.w[i]) return true;
  return false;
}

void vv_bits_empty(vvBits a) {
  memset(a.w, 0, ((size_t)(a.n + 63) / 64) * sizeof(uint64_t));
}

int vv_bits_count(vvBits a) {
  int n = 0;
  for (int i = 0; i < a.n; i++) n += vv_bits_get(a, i);
  return n;
}
