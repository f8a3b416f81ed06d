// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// lower_expr.c: expressions. Side effects become statements of their own; `?:` of reals and `&&`, `||` whose right
// side needs statements become `if`; math functions and divisions inside a real expression get a temporary each.

#include <stdlib.h>
#include <string.h>

#include "analyse.h"
#include "lower.h"

_Noreturn void vv_lower_refuse(vvLower* lo, CXCursor c, const char* reason, const char* remedy) {
  vv_ir_refuse(lo->cc, vv_parse_file(lo->ps, c), vv_parse_line(c), reason, remedy);
}

vvVar* vv_lower_local(vvLower* lo, const char* name, vvIrType* type, vvBlock* out) {
  vvVar* v = name ? vv_ir_var(lo->cc, name, type) : vv_ir_temp(lo->cc, lo->f, type, "t");
  v->is_temp = !name;
  v->scope = lo->loop;
  vv_ir_add(lo->cc, out, vv_ir_decl(lo->cc, v, false));
  return v;
}

CXCursor vv_lower_strip(vvLower* lo, CXCursor c) {
  for (;;) {
    enum CXCursorKind k = clang_getCursorKind(c);
    if (k != CXCursor_ParenExpr && k != CXCursor_UnexposedExpr) return c;
    vvCursors kids = vv_parse_children(lo->ps, c);
    if (kids.n != 1) return c;
    c = kids.v[0];
  }
}

static bool same_decl(CXCursor a, CXCursor b) {
  return clang_equalCursors(clang_getCanonicalCursor(a), clang_getCanonicalCursor(b)) != 0;
}

bool vv_lower_is_modified(vvLower* lo, CXCursor decl) {
  for (int i = 0; i < lo->modified.n; i++)
    if (same_decl(lo->modified.v[i], decl)) return true;
  return false;
}

// The declaration under an lvalue: of x in x, x.y, x[i].
static CXCursor lvalue_decl(vvLower* lo, CXCursor c) {
  for (;;) {
    c = vv_lower_strip(lo, c);
    enum CXCursorKind k = clang_getCursorKind(c);
    if (k == CXCursor_DeclRefExpr) return clang_getCursorReferenced(c);
    if (k != CXCursor_MemberRefExpr && k != CXCursor_ArraySubscriptExpr) return clang_getNullCursor();
    vvCursors kids = vv_parse_children(lo->ps, c);
    if (kids.n == 0) return clang_getNullCursor();
    c = vv_lower_strip(lo, kids.v[0]);
    // what a pointer leads to is not the pointer
    if (clang_getCanonicalType(clang_getCursorType(c)).kind == CXType_Pointer) return clang_getNullCursor();
  }
}

void vv_lower_collect_modified(vvLower* lo, CXCursor c, vvCursors* list) {
  enum CXCursorKind k = clang_getCursorKind(c);
  vvCursors kids = vv_parse_children(lo->ps, c);
  bool modifies = k == CXCursor_CompoundAssignOperator;
  if (k == CXCursor_BinaryOperator) modifies = clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign;
  if (k == CXCursor_UnaryOperator) {
    enum CXUnaryOperatorKind u = clang_getCursorUnaryOperatorKind(c);
    modifies = u == CXUnaryOperator_PostInc || u == CXUnaryOperator_PostDec || u == CXUnaryOperator_PreInc ||
               u == CXUnaryOperator_PreDec || u == CXUnaryOperator_AddrOf;
  }
  if (modifies && kids.n > 0) {
    CXCursor d = lvalue_decl(lo, kids.v[0]);
    if (!clang_equalCursors(d, clang_getNullCursor())) VV_IR_PUSH(lo->cc, list->v, list->n, list->cap, d);
  }
  for (int i = 0; i < kids.n; i++) vv_lower_collect_modified(lo, kids.v[i], list);
}

// literals and constants

static vvExpr* evaluated(vvLower* lo, CXCursor c, bool real) {
  vvCc* cc = lo->cc;
  CXEvalResult r = clang_Cursor_Evaluate(c);
  vvExpr* e = NULL;
  if (r) {
    CXEvalResultKind k = clang_EvalResult_getKind(r);
    if (k == CXEval_Int) {
      bool is_unsigned = clang_EvalResult_isUnsignedInt(r) != 0;
      long long v = clang_EvalResult_getAsLongLong(r);
      const char* suffix = is_unsigned ? "u" : (v > 2147483647LL || v < -2147483647LL ? "l" : "");
      e = vv_ir_lit(cc, vv_ir_format(cc, v < 0 && !is_unsigned ? "(%lld%s)" : "%lld%s", v, suffix), cc->t_int);
      if (real) e->text = vv_ir_format(cc, "%lld.0", v);
    } else if (k == CXEval_Float) {
      double v = clang_EvalResult_getAsDouble(r);
      char text[64];
      snprintf(text, sizeof text, "%.17g", v);
      if (!strpbrk(text, ".eni")) strcat(text, ".0");
      if (v != v) strcpy(text, "NAN");
      if (v - v != 0 && v == v) strcpy(text, v > 0 ? "INFINITY" : "-INFINITY");
      e = vv_ir_lit(cc, vv_ir_format(cc, v < 0 ? "(%s)" : "%s", text), cc->t_double);
    }
    clang_EvalResult_dispose(r);
  }
  if (!e) vv_lower_refuse(lo, c, "a constant that cannot be evaluated", "write the number");
  return e;
}

static vvExpr* literal(vvLower* lo, CXCursor c) {
  vvCc* cc = lo->cc;
  bool real = clang_getCursorKind(c) == CXCursor_FloatingLiteral;
  CXToken* token = NULL;
  unsigned n = 0;
  clang_tokenize(lo->ps->tu, clang_getCursorExtent(c), &token, &n);
  const char* text = NULL;
  if (n >= 1 && clang_getTokenKind(token[0]) == CXToken_Literal)
    text = vv_parse_text(lo->ps, clang_getTokenSpelling(lo->ps->tu, token[0]));
  // a literal that stands in a macro: the extent is the macro's use
  bool plain = text && n <= 2;
  clang_disposeTokens(lo->ps->tu, token, n);
  vvIrType* t = vv_parse_type(lo->ps, clang_getCursorType(c), vv_parse_line(c));
  if (!plain) {
    vvExpr* e = evaluated(lo, c, real);
    e->type = t;
    return e;
  }
  return vv_ir_lit(cc, text, t);
}

// names

static vvExpr* global_ref(vvLower* lo, CXCursor c, CXCursor decl) {
  vvCc* cc = lo->cc;
  vvBinding* b = vv_parse_global(lo->ps, decl);
  if (b) return vv_ir_ref(cc, b->var);
  CXType t = clang_getCursorType(decl);
  if (!vv_parse_is_const(t))
    vv_lower_refuse(lo, c, "a variable outside the function that is not const", "pass it as an argument");
  const char* name = vv_parse_text(lo->ps, clang_getCursorSpelling(decl));
  vvVar* v = vv_ir_var(cc, name, vv_parse_type(lo->ps, t, vv_parse_line(c)));
  v->is_table = true;
  if (vv_parse_in_main(decl)) {
    const char* text =
        vv_ir_format(cc, "__attribute__((unused)) %s;", vv_parse_source(lo->ps, clang_getCursorExtent(decl)));
    VV_IR_PUSH(cc, cc->text, cc->ntext, cc->cap_text, text);
  }
  lo->ps->global = vv_ir_grow(cc, lo->ps->global, lo->ps->nglobal, &lo->ps->cap_global, sizeof(vvBinding));
  lo->ps->global[lo->ps->nglobal++] = (vvBinding){decl, v, NULL};
  return vv_ir_ref(cc, v);
}

static vvExpr* name_ref(vvLower* lo, CXCursor c) {
  vvCc* cc = lo->cc;
  CXCursor d = clang_getCursorReferenced(c);
  enum CXCursorKind k = clang_getCursorKind(d);
  const char* name = vv_parse_text(lo->ps, clang_getCursorSpelling(c));
  if (k == CXCursor_EnumConstantDecl) {
    if (vv_parse_in_main(d))
      return vv_ir_lit(cc, vv_ir_format(cc, "%lld", clang_getEnumConstantDeclValue(d)), cc->t_int);
    return vv_ir_lit(cc, name, cc->t_int);
  }
  if (k == CXCursor_FunctionDecl)
    vv_lower_refuse(lo, c, vv_ir_format(cc, "function \"%s\" used as a pointer", name), "call it by its name");
  for (int i = lo->nlocal - 1; i >= 0; i--)
    if (same_decl(lo->local[i].decl, d))
      return lo->local[i].pointer ? lo->local[i].pointer : vv_ir_ref(cc, lo->local[i].var);
  if (k == CXCursor_VarDecl) return global_ref(lo, c, d);
  vv_lower_refuse(lo, c, vv_ir_format(cc, "name \"%s\" cannot be used here", name), "use arguments and locals");
}

// pointers

static bool is_pointer(const vvExpr* e) {
  return e->type->kind == VV_T_POINTER || e->type->kind == VV_T_ARRAY;
}

vvExpr* vv_lower_pointer(vvLower* lo, CXCursor c, vvBlock* out) {
  c = vv_lower_strip(lo, c);
  if (clang_getCursorKind(c) == CXCursor_CStyleCastExpr) {
    vvCursors kids = vv_parse_children(lo->ps, c);
    CXCursor inner = kids.v[kids.n - 1];
    vvIrType* t = vv_parse_type(lo->ps, clang_getCursorType(c), vv_parse_line(c));
    vvExpr* p = vv_lower_expr(lo, inner, out);
    if (vv_ir_is_zero(p)) return vv_ir_lit(lo->cc, "NULL", t);
    if (!is_pointer(p) || !vv_ir_same_type(t->elem, p->type->elem))
      vv_lower_refuse(lo, c, "a cast between pointer types", "use one type");
    return p;
  }
  vvExpr* p = vv_lower_expr(lo, c, out);
  if (!is_pointer(p)) vv_lower_refuse(lo, c, "an expression that is not understood as a pointer", "use base[index]");
  return p;
}

static bool index_is_frozen(const vvExpr* e) {
  if (!e) return true;
  if (e->kind == VV_E_LIT) return true;
  if (e->kind == VV_E_VAR) return e->var->frozen;
  if (e->kind == VV_E_BIN) return index_is_frozen(e->a) && index_is_frozen(e->b);
  return false;
}

// A pointer bound once: what its index part reads is fixed in an integer.
vvExpr* vv_lower_settle(vvLower* lo, vvExpr* p, vvBlock* out) {
  vvCc* cc = lo->cc;
  if (!p || p->kind == VV_E_VAR || p->kind == VV_E_LIT) return p;
  vvExpr* r = VV_IR_NEW(cc, vvExpr);
  *r = *p;
  r->a = vv_lower_settle(lo, p->a, out);
  if ((p->kind == VV_E_INDEX || p->kind == VV_E_BIN) && !index_is_frozen(p->b)) {
    vvVar* t = vv_ir_temp(cc, lo->f, p->b->type->kind == VV_T_INT ? p->b->type : cc->t_int, "at");
    t->scope = lo->loop;
    t->frozen = true;
    vv_ir_add(cc, out, vv_ir_decl(cc, t, false));
    vv_ir_add(cc, out, vv_ir_assign(cc, vv_ir_ref(cc, t), p->b));
    r->b = vv_ir_ref(cc, t);
  }
  return r;
}

// real expressions

static bool has_var(const vvExpr* e) {
  if (!e) return false;
  return e->kind == VV_E_VAR || has_var(e->a) || has_var(e->b) || has_var(e->c);
}

static vvExpr* split_real(vvLower* lo, vvExpr* e, vvBlock* out, bool root) {
  if (!e || e->type->kind != VV_T_REAL || !has_var(e)) return e;
  if (e->kind != VV_E_UN && e->kind != VV_E_BIN && e->kind != VV_E_MATH && e->kind != VV_E_CAST) return e;
  if (e->kind == VV_E_CAST && e->a->type->kind != VV_T_REAL) return e;
  vvExpr* r = VV_IR_NEW(lo->cc, vvExpr);
  *r = *e;
  r->a = split_real(lo, e->a, out, false);
  r->b = split_real(lo, e->b, out, false);
  r->c = split_real(lo, e->c, out, false);
  bool costly = e->kind == VV_E_MATH && !vv_ir_math_is_step(e->fn);
  if (e->kind == VV_E_BIN && e->op == VV_DIV && has_var(e->b)) costly = true;
  if (!costly || root) return r;
  vvVar* t = vv_lower_local(lo, NULL, e->type, out);
  vv_ir_add(lo->cc, out, vv_ir_assign(lo->cc, vv_ir_ref(lo->cc, t), r));
  return vv_ir_ref(lo->cc, t);
}

static bool mentions(const vvExpr* e, const vvVar* v) {
  if (!e) return false;
  if (e->kind == VV_E_VAR) return e->var == v;
  return mentions(e->a, v) || mentions(e->b, v) || mentions(e->c, v);
}

void vv_lower_assign(vvLower* lo, vvExpr* lhs, vvExpr* rhs, vvBlock* out) {
  vvCc* cc = lo->cc;
  // a call whose result was put into a fresh temporary writes the destination itself
  if (rhs->kind == VV_E_VAR && rhs->var->is_temp && out->n >= 2 && vv_ir_same_type(lhs->type, rhs->type)) {
    vvStmt* call = out->v[out->n - 1];
    vvStmt* decl = out->v[out->n - 2];
    bool keep = call->kind == VV_S_CALL && call->callee->vjp_rule && call->callee->vjp_rule->takes_value;
    if (call->kind == VV_S_CALL && !keep && call->lhs && call->lhs->kind == VV_E_VAR && call->lhs->var == rhs->var &&
        decl->kind == VV_S_DECL && decl->var == rhs->var) {
      call->lhs = lhs;
      out->v[out->n - 2] = call;
      out->n--;
      return;
    }
  }
  if (lhs->type->kind == VV_T_REAL && rhs->type->kind == VV_T_REAL) {
    // the root keeps its place unless its result is needed while its operand is overwritten
    bool root = !mentions(rhs, vv_ir_root(lhs));
    rhs = split_real(lo, rhs, out, root);
  }
  vvStmt* s = vv_ir_assign(cc, lhs, rhs);
  s->line = lo->line;
  vv_ir_add(cc, out, s);
}

static void init_zero(vvLower* lo, vvExpr* lhs, vvBlock* out) {
  vvCc* cc = lo->cc;
  if (lhs->type->kind == VV_T_ARRAY) {
    if (lhs->type->count <= 16) {
      for (int i = 0; i < lhs->type->count; i++) init_zero(lo, vv_ir_index(cc, lhs, vv_ir_int(cc, i)), out);
      return;
    }
    vvStmt* s = vv_ir_stmt(cc, VV_S_FOR, lo->line);
    s->var = vv_ir_temp(cc, lo->f, cc->t_int, "k");
    s->outer = lo->loop;
    s->var->scope = s;
    s->var->frozen = true;
    s->rhs = vv_ir_int(cc, 0);
    s->op = VV_LT;
    s->cond = vv_ir_int(cc, lhs->type->count);
    s->step = 1;
    s->body = vv_ir_block(cc);
    vvStmt* saved = lo->loop;
    lo->loop = s;
    init_zero(lo, vv_ir_index(cc, lhs, vv_ir_ref(cc, s->var)), s->body);
    lo->loop = saved;
    vv_ir_add(cc, out, s);
    lo->f->has_loop = true;
    return;
  }
  if (lhs->type->kind == VV_T_STRUCT) {
    for (int i = 0; i < lhs->type->def->nfield; i++)
      init_zero(lo, vv_ir_field(cc, lhs, &lhs->type->def->field[i]), out);
    return;
  }
  vv_lower_assign(lo, lhs, vv_ir_int(cc, 0), out);
}

static int elements(const vvIrType* t) {
  return t->kind == VV_T_ARRAY ? t->count : t->def->nfield;
}

static bool is_aggregate(const vvIrType* t) {
  return t->kind == VV_T_ARRAY || t->kind == VV_T_STRUCT;
}

static vvExpr* element(vvLower* lo, vvExpr* e, int i) {
  if (e->type->kind == VV_T_ARRAY) return vv_ir_index(lo->cc, e, vv_ir_int(lo->cc, i));
  return vv_ir_field(lo->cc, e, &e->type->def->field[i]);
}

// The designators of an initialiser, all children but the last; 0: it has none.
static int designators(vvLower* lo, CXCursor c, vvCursors* kids) {
  if (clang_getCursorKind(c) != CXCursor_UnexposedExpr || clang_getCursorType(c).kind != CXType_Void) return 0;
  *kids = vv_parse_children(lo->ps, c);
  return kids->n > 1 ? kids->n - 1 : 0;
}

// Whether a value goes into an aggregate as a whole: braces or a struct.
static bool fills(vvLower* lo, CXCursor value) {
  CXCursor v = vv_lower_strip(lo, value);
  return clang_getCursorKind(v) == CXCursor_InitListExpr ||
         clang_getCanonicalType(clang_getCursorType(v)).kind == CXType_Record;
}

static int designated(vvLower* lo, const vvExpr* e, CXCursor c) {
  if (clang_getCursorKind(c) == CXCursor_MemberRef && e->type->kind == VV_T_STRUCT) {
    const char* name = vv_parse_text(lo->ps, clang_getCursorSpelling(c));
    for (int i = 0; i < e->type->def->nfield; i++)
      if (strcmp(e->type->def->field[i].name, name) == 0) return i;
  }
  CXEvalResult r = e->type->kind == VV_T_ARRAY ? clang_Cursor_Evaluate(c) : NULL;
  long long at = r && clang_EvalResult_getKind(r) == CXEval_Int ? clang_EvalResult_getAsLongLong(r) : -1;
  if (r) clang_EvalResult_dispose(r);
  if (at < 0 || at >= e->type->count) vv_lower_refuse(lo, c, "a designator of this kind", "list the elements in order");
  return (int)at;
}

// Braces with designators or without all their inner braces: everything zero, then value by value.
static void init_mixed(vvLower* lo, vvExpr* lhs, vvCursors kids, CXCursor init, vvBlock* out) {
  enum { DEPTH = 16 };
  vvExpr* object[DEPTH] = {lhs};
  int at[DEPTH] = {0}, d = 0;
  init_zero(lo, lhs, out);
  for (int i = 0; i < kids.n; i++) {
    vvCursors part;
    CXCursor value = kids.v[i];
    int n = designators(lo, value, &part);
    if (n >= DEPTH) vv_lower_refuse(lo, init, "designators nested too deep", "assign the members");
    for (int k = 0; k < n; k++) {
      if (k) object[k] = element(lo, object[k - 1], at[k - 1]);
      d = k;
      at[k] = designated(lo, object[k], part.v[k]);
    }
    if (n) value = part.v[n];
    if (at[d] >= elements(object[d]->type)) vv_lower_refuse(lo, init, "more initialisers than elements", "remove some");
    vvExpr* e = element(lo, object[d], at[d]);
    while (is_aggregate(e->type) && !fills(lo, value) && d + 1 < DEPTH) {
      object[++d] = e;
      at[d] = 0;
      e = element(lo, e, 0);
    }
    vv_lower_init(lo, e, value, out);
    for (at[d]++; d > 0 && at[d] >= elements(object[d]->type); at[d]++) d--;
  }
}

// Braces: element by element, the rest zero.
static void init_list(vvLower* lo, vvExpr* lhs, CXCursor init, vvBlock* out) {
  vvCc* cc = lo->cc;
  vvCursors kids = vv_parse_children(lo->ps, init), part;
  if (!is_aggregate(lhs->type)) {
    if (kids.n == 0) {
      init_zero(lo, lhs, out);
    } else {
      vv_lower_init(lo, lhs, kids.v[0], out);
    }
    return;
  }
  int n = elements(lhs->type), at = 0;
  bool* given = vv_ir_alloc(cc, (size_t)(n + 1) * sizeof(bool));
  CXCursor* value = vv_ir_alloc(cc, (size_t)(n + 1) * sizeof(CXCursor));
  for (int i = 0; i < kids.n; i++) {
    int named = designators(lo, kids.v[i], &part);
    if (named == 1) at = designated(lo, lhs, part.v[0]);
    CXCursor v = named ? part.v[named] : kids.v[i];
    bool mixed = named > 1 || at >= n || given[at] || (is_aggregate(element(lo, lhs, at)->type) && !fills(lo, v));
    if (mixed) {
      init_mixed(lo, lhs, kids, init, out);
      return;
    }
    value[at] = v;
    given[at++] = true;
  }
  for (int i = 0; i < n; i++) {
    vvExpr* e = element(lo, lhs, i);
    if (given[i]) {
      vv_lower_init(lo, e, value[i], out);
    } else {
      init_zero(lo, e, out);
    }
  }
}

void vv_lower_init(vvLower* lo, vvExpr* lhs, CXCursor init, vvBlock* out) {
  CXCursor c = vv_lower_strip(lo, init);
  enum CXCursorKind k = clang_getCursorKind(c);
  if (k == CXCursor_InitListExpr) {
    vvCursors kids = vv_parse_children(lo->ps, c);
    bool all_zero = kids.n == 1 && clang_getCursorKind(vv_lower_strip(lo, kids.v[0])) == CXCursor_IntegerLiteral &&
                    vv_ir_is_zero(literal(lo, vv_lower_strip(lo, kids.v[0])));
    if (kids.n == 0 || all_zero) {
      init_zero(lo, lhs, out);
    } else {
      init_list(lo, lhs, c, out);
    }
    return;
  }
  if (lhs->type->kind == VV_T_ARRAY) vv_lower_refuse(lo, init, "an array initialised this way", "use a list in braces");
  vvExpr* e = vv_lower_expr(lo, c, out);
  vv_lower_assign(lo, lhs, e, out);
}

// Whether a call, or what was a call, writes something that e reads. (Assignments inside an expression may not: that
// is no C.)
static bool call_writes(const vvStmt* s, const vvExpr* e, bool inlined) {
  if (inlined && s->lhs && mentions(e, vv_ir_root(s->lhs))) return true;
  for (int k = 0; s->kind == VV_S_CALL && k < s->narg; k++) {
    const vvIrType* t = s->callee->param[k]->type;
    vvVar* root = t->kind == VV_T_POINTER && !t->elem_const ? vv_ir_root(s->arg[k]) : NULL;
    if (root && mentions(e, root)) return true;
  }
  for (int half = 0; half < 2; half++) {
    const vvBlock* b = half ? s->orelse : s->body;
    for (int i = 0; b && i < b->n; i++)
      if (call_writes(b->v[i], e, inlined || b->v[i]->inlined)) return true;
  }
  return false;
}

// The value of e is read after the statements out[from...]: C leaves open whether calls among them come before it.
static void check_order(vvLower* lo, CXCursor c, const vvExpr* e, const vvBlock* out, int from) {
  if (!e || e->kind == VV_E_LIT || e->type->kind == VV_T_POINTER || e->type->kind == VV_T_ARRAY) return;
  for (int i = from; i < out->n; i++)
    if (call_writes(out->v[i], e, out->v[i]->inlined))
      vv_lower_refuse(lo, c, "a part of the expression reads what a call in it writes, in an order that C leaves open",
                      "write two statements");
}

// calls

// The function of that name; is_float: the form for float.
static vvMath math_of(const char* name, bool* is_float) {
  if (strncmp(name, "__builtin_", 10) == 0) name += 10;
  if (strcmp(name, "isinf_sign") == 0) name = "isinf";
  for (int i = 1; i < VV_M_COUNT; i++) {
    const char* m = vv_ir_math_name((vvMath)i);
    size_t n = strlen(m);
    *is_float = name[0] && strlen(name) == n + 1 && name[n] == 'f';
    if (strncmp(name, m, n) == 0 && (name[n] == 0 || *is_float)) return (vvMath)i;
  }
  return VV_M_NONE;
}

static int math_arguments(vvMath fn) {
  switch (fn) {
    case VV_M_FMA:
      return 3;
    case VV_M_ATAN2:
    case VV_M_POW:
    case VV_M_FMIN:
    case VV_M_FMAX:
    case VV_M_HYPOT:
    case VV_M_FMOD:
    case VV_M_COPYSIGN:
    case VV_M_FDIM:
    case VV_M_REMAINDER:
    case VV_M_LDEXP:
      return 2;
    default:
      return 1;
  }
}

static vvExpr* real_of(vvLower* lo, vvExpr* e) {
  if (e->type->kind == VV_T_REAL) return e;
  return vv_ir_cast(lo->cc, lo->cc->t_real, e);
}

static bool has_active_operand(const vvExpr* e) {
  if (!e) return false;
  if (vv_ir_is_path(e)) return e->type->kind == VV_T_REAL;
  if (e->type->kind != VV_T_REAL) return false;
  return has_active_operand(e->a) || has_active_operand(e->b) || has_active_operand(e->c);
}

static vvExpr* value_argument(vvLower* lo, vvFunc* g, int i, vvExpr* e, vvBlock* out) {
  vvIrType* t = g->param[i]->type;
  bool bind = false;
  if (t->kind == VV_T_REAL) {
    bind = vv_ir_is_path(e) ? !vv_ir_same_type(e->type, t) && e->type->kind == VV_T_REAL : has_active_operand(e);
  } else if (t->kind == VV_T_STRUCT) {
    bind = !vv_ir_is_path(e);
  }
  if (!bind) return e;
  vvVar* v = vv_lower_local(lo, NULL, t, out);
  vv_lower_assign(lo, vv_ir_ref(lo->cc, v), e, out);
  return vv_ir_ref(lo->cc, v);
}

static void check_writes(vvLower* lo, CXCursor c, vvFunc* g, vvExpr** arg) {
  for (int i = 0; i < g->nparam; i++) {
    vvIrType* t = g->param[i]->type;
    if (t->kind != VV_T_POINTER || t->elem_const || arg[i]->kind == VV_E_LIT) continue;
    vvVar* root = vv_ir_root(arg[i]);
    if (root && root->is_param && root->type->kind == VV_T_POINTER && root->type->elem_const)
      vv_lower_refuse(lo, c, vv_ir_format(lo->cc, "\"%s\" is reached through const and would be written", root->name),
                      "take const off the argument or pass other memory");
  }
}

static bool writes_memory(const vvFunc* g) {
  int loc = 0;
  for (int i = 0; i < g->nparam; i++) {
    int n = vv_ir_leaves(g->param[i]->type);
    if (g->param[i]->type->kind == VV_T_POINTER)
      for (int k = 0; k < n; k++)
        if (vv_bits_get(g->writes, loc + k)) return true;
    loc += n;
  }
  return false;
}

static vvExpr* call_user(vvLower* lo, CXCursor c, vvFunc* g, CXCursor* arg_cursor, int narg, vvBlock* out) {
  vvCc* cc = lo->cc;
  if (g->source) vv_lower_func(lo->ps, g);
  vvExpr** arg = vv_ir_alloc(cc, (size_t)(narg + 1) * sizeof(vvExpr*));
  for (int i = 0; i < narg; i++) {
    int from = out->n;
    if (g->param[i]->type->kind == VV_T_POINTER) {
      arg[i] = vv_lower_pointer(lo, arg_cursor[i], out);
    } else {
      arg[i] = value_argument(lo, g, i, vv_lower_expr(lo, arg_cursor[i], out), out);
    }
    for (int k = 0; k < i; k++) check_order(lo, c, arg[k], out, from);
  }
  check_writes(lo, c, g, arg);
  if (g->body) vv_summarise(cc, g);
  bool rule = g->vjp_rule || g->jvp_rule;
  bool inline_it = g->body && g->is_static && !g->has_loop && !rule && writes_memory(g);
  // an argument by value that lives in memory which the call writes is copied first
  for (int i = 0; i < narg; i++) {
    if (g->param[i]->type->kind == VV_T_POINTER || arg[i]->kind == VV_E_LIT) continue;
    for (int k = 0; k < narg; k++) {
      vvIrType* t = g->param[k]->type;
      vvVar* root = t->kind == VV_T_POINTER && !t->elem_const ? vv_ir_root(arg[k]) : NULL;
      if (root && mentions(arg[i], root)) {
        vvVar* v = vv_lower_local(lo, NULL, g->param[i]->type, out);
        vv_ir_add(cc, out, vv_ir_assign(cc, vv_ir_ref(cc, v), arg[i]));
        arg[i] = vv_ir_ref(cc, v);
        break;
      }
    }
  }
  if (inline_it) {
    vvExpr* r = vv_ir_inline(cc, lo->f, g, arg, lo->loop, out);
    return r ? r : vv_ir_lit(cc, "0", cc->t_void);
  }
  vvStmt* s = vv_ir_stmt(cc, VV_S_CALL, vv_parse_line(c));
  s->callee = g;
  s->arg = arg;
  s->narg = narg;
  vvExpr* r = vv_ir_lit(cc, "0", cc->t_void);
  if (g->ret_type->kind != VV_T_VOID) {
    vvVar* v = vv_lower_local(lo, NULL, g->ret_type, out);
    r = s->lhs = vv_ir_ref(cc, v);
  }
  vv_ir_add(cc, out, s);
  return r;
}

// A function of math.h or an integer absolute value; NULL: none of these.
static vvExpr* call_math(vvLower* lo, CXCursor c, const char* name, CXCursor* arg, int narg, vvBlock* out) {
  vvCc* cc = lo->cc;
  bool is_float;
  vvMath fn = math_of(name, &is_float);
  if (fn != VV_M_NONE && narg == math_arguments(fn)) {
    vvExpr* a[3] = {NULL, NULL, NULL};
    for (int i = 0; i < narg; i++) {
      int from = out->n;
      a[i] = vv_lower_expr(lo, arg[i], out);
      for (int k = 0; k < i; k++) check_order(lo, c, a[k], out, from);
      if (fn != VV_M_LDEXP || i == 0) a[i] = real_of(lo, a[i]);
    }
    vvExpr* e = vv_ir_math(cc, fn, a[0], a[1]);
    e->c = a[2];
    if (e->type->kind == VV_T_REAL && is_float != cc->real_is_float) e->type = is_float ? cc->t_float : cc->t_double;
    return e;
  }
  bool inf = strncmp(name, "__builtin_huge_val", 18) == 0 || strncmp(name, "__builtin_inf", 13) == 0;
  if (inf) return vv_ir_lit(cc, "INFINITY", vv_parse_type(lo->ps, clang_getCursorType(c), vv_parse_line(c)));
  if ((strcmp(name, "abs") == 0 || strcmp(name, "labs") == 0 || strcmp(name, "llabs") == 0) && narg == 1) {
    vvIrType* t = vv_parse_type(lo->ps, clang_getCursorType(c), vv_parse_line(c));
    vvVar* v = vv_lower_local(lo, NULL, t, out);
    vv_lower_assign(lo, vv_ir_ref(cc, v), vv_lower_expr(lo, arg[0], out), out);
    vvExpr* e = VV_IR_NEW(cc, vvExpr);
    e->kind = VV_E_COND;
    e->type = t;
    e->a = vv_ir_bin(cc, VV_LT, vv_ir_ref(cc, v), vv_ir_int(cc, 0));
    e->b = vv_ir_un(cc, VV_NEG, vv_ir_ref(cc, v));
    e->c = vv_ir_ref(cc, v);
    return e;
  }
  return NULL;
}

static vvExpr* call(vvLower* lo, CXCursor c, vvBlock* out) {
  vvCc* cc = lo->cc;
  int narg = clang_Cursor_getNumArguments(c);
  CXCursor* arg = vv_ir_alloc(cc, (size_t)(narg + 1) * sizeof(CXCursor));
  for (int i = 0; i < narg; i++) arg[i] = clang_Cursor_getArgument(c, (unsigned)i);
  CXCursor d = clang_getCursorReferenced(c);
  const char* name = vv_parse_text(lo->ps, clang_getCursorSpelling(c));
  if (clang_getCursorKind(d) != CXCursor_FunctionDecl)
    vv_lower_refuse(lo, c, "a call through a function pointer", "call a VV_DIFF function by its name");
  vvFunc* g = vv_parse_find(lo->ps, name);
  if (g && g->generated) return call_user(lo, c, g, arg, narg, out);
  vvExpr* known = g ? NULL : call_math(lo, c, name, arg, narg, out);
  if (known) return known;
  bool heap = strstr(name, "alloc") || strcmp(name, "free") == 0;
  if (heap) vv_lower_refuse(lo, c, "memory allocation in a kernel", "pass scratch memory as an argument");
  vv_lower_refuse(lo, c, vv_ir_format(cc, "function \"%s\" has no derivative", name),
                  "mark it VV_DIFF, or use a function of kernel.h");
}

// operators

static vvExpr* member(vvLower* lo, CXCursor c, vvBlock* out) {
  vvCursors kids = vv_parse_children(lo->ps, c);
  if (kids.n < 1) vv_lower_refuse(lo, c, "a member that cannot be read", "name the struct");
  vvExpr* a = vv_lower_expr(lo, kids.v[0], out);
  if (is_pointer(a)) a = vv_ir_offset(lo->cc, a, vv_ir_int(lo->cc, 0));
  if (a->type->kind != VV_T_STRUCT) vv_lower_refuse(lo, c, "a member of something not a struct", "use plain structs");
  const char* name = vv_parse_text(lo->ps, clang_getCursorSpelling(c));
  vvStruct* s = a->type->def;
  for (int i = 0; i < s->nfield; i++)
    if (strcmp(s->field[i].name, name) == 0) return vv_ir_field(lo->cc, a, &s->field[i]);
  vv_lower_refuse(lo, c, "a member that cannot be found", "avoid anonymous members");
}

static void check_lvalue(vvLower* lo, CXCursor c, const vvExpr* e) {
  if (!vv_ir_is_path(e)) vv_lower_refuse(lo, c, "an assignment to something that is no variable", "use base[index]");
  if (is_pointer(e)) vv_lower_refuse(lo, c, "a pointer is assigned again", "bind each pointer once, where declared");
  vvVar* root = vv_ir_root(e);
  if (root->is_table || (root->is_param && root->type->kind == VV_T_POINTER && root->type->elem_const))
    vv_lower_refuse(lo, c, vv_ir_format(lo->cc, "\"%s\" is reached through const and is written", root->name),
                    "take const off the argument");
  for (const vvExpr* p = e; p; p = p->a)
    if (p->kind == VV_E_INDEX && p->a->type->kind == VV_T_POINTER && p->a->type->elem_const)
      vv_lower_refuse(lo, c, "a write through a pointer to const", "take const off the pointer");
}

// Integer expressions take C's type, for the variables that may come to hold them.
static vvExpr* typed(vvLower* lo, CXCursor c, vvExpr* e) {
  if (e->type->kind != VV_T_INT || (e->kind != VV_E_BIN && e->kind != VV_E_UN)) return e;
  vvIrType* t = vv_parse_type(lo->ps, clang_getCursorType(c), vv_parse_line(c));
  if (t->kind == VV_T_INT) e->type = t;
  return e;
}

static vvExpr* unary(vvLower* lo, CXCursor c, vvBlock* out) {
  vvCc* cc = lo->cc;
  CXCursor kid = vv_parse_children(lo->ps, c).v[0];
  enum CXUnaryOperatorKind k = clang_getCursorUnaryOperatorKind(c);
  if (k == CXUnaryOperator_AddrOf) {
    vvExpr* a = vv_lower_expr(lo, kid, out);
    if (!vv_ir_is_path(a)) vv_lower_refuse(lo, c, "the address of something that is no variable", "use a variable");
    return vv_ir_addr(cc, a);
  }
  vvExpr* a = vv_lower_expr(lo, kid, out);
  switch (k) {
    case CXUnaryOperator_Plus:
      return a;
    case CXUnaryOperator_Minus:
      return typed(lo, c, vv_ir_un(cc, VV_NEG, a));
    case CXUnaryOperator_LNot:
      return vv_ir_un(cc, VV_NOT, a);
    case CXUnaryOperator_Not:
      return typed(lo, c, vv_ir_un(cc, VV_BITNOT, a));
    case CXUnaryOperator_Deref:
      if (!is_pointer(a)) vv_lower_refuse(lo, c, "a dereference that is not understood", "use base[index]");
      return vv_ir_offset(cc, a, vv_ir_int(cc, 0));
    default:
      break;
  }
  bool inc = k == CXUnaryOperator_PostInc || k == CXUnaryOperator_PreInc;
  bool dec = k == CXUnaryOperator_PostDec || k == CXUnaryOperator_PreDec;
  if (!inc && !dec) vv_lower_refuse(lo, c, "an operator that is not supported", "write it with plain arithmetic");
  check_lvalue(lo, c, a);
  vvExpr* result = a;
  if (k == CXUnaryOperator_PostInc || k == CXUnaryOperator_PostDec) {
    vvVar* t = vv_lower_local(lo, NULL, a->type, out);
    vv_ir_add(cc, out, vv_ir_assign(cc, vv_ir_ref(cc, t), a));
    result = vv_ir_ref(cc, t);
  }
  vv_lower_assign(lo, a, vv_ir_bin(cc, inc ? VV_ADD : VV_SUB, a, vv_ir_int(cc, 1)), out);
  return result;
}

static bool op_of(enum CXBinaryOperatorKind k, vvOp* op) {
  switch (k) {
    case CXBinaryOperator_Mul:
    case CXBinaryOperator_MulAssign:
      *op = VV_MUL;
      return true;
    case CXBinaryOperator_Div:
    case CXBinaryOperator_DivAssign:
      *op = VV_DIV;
      return true;
    case CXBinaryOperator_Rem:
    case CXBinaryOperator_RemAssign:
      *op = VV_MOD;
      return true;
    case CXBinaryOperator_Add:
    case CXBinaryOperator_AddAssign:
      *op = VV_ADD;
      return true;
    case CXBinaryOperator_Sub:
    case CXBinaryOperator_SubAssign:
      *op = VV_SUB;
      return true;
    case CXBinaryOperator_Shl:
    case CXBinaryOperator_ShlAssign:
      *op = VV_SHL;
      return true;
    case CXBinaryOperator_Shr:
    case CXBinaryOperator_ShrAssign:
      *op = VV_SHR;
      return true;
    case CXBinaryOperator_And:
    case CXBinaryOperator_AndAssign:
      *op = VV_AND;
      return true;
    case CXBinaryOperator_Or:
    case CXBinaryOperator_OrAssign:
      *op = VV_OR;
      return true;
    case CXBinaryOperator_Xor:
    case CXBinaryOperator_XorAssign:
      *op = VV_XOR;
      return true;
    case CXBinaryOperator_LT:
      *op = VV_LT;
      return true;
    case CXBinaryOperator_GT:
      *op = VV_GT;
      return true;
    case CXBinaryOperator_LE:
      *op = VV_LE;
      return true;
    case CXBinaryOperator_GE:
      *op = VV_GE;
      return true;
    case CXBinaryOperator_EQ:
      *op = VV_EQ;
      return true;
    case CXBinaryOperator_NE:
      *op = VV_NE;
      return true;
    case CXBinaryOperator_LAnd:
      *op = VV_LAND;
      return true;
    case CXBinaryOperator_LOr:
      *op = VV_LOR;
      return true;
    default:
      return false;
  }
}

// a && b, a || b: b is evaluated only where C does.
static vvExpr* logical(vvLower* lo, vvOp op, CXCursor ca, CXCursor cb, vvBlock* out) {
  vvCc* cc = lo->cc;
  vvExpr* a = vv_lower_expr(lo, ca, out);
  vvBlock* right = vv_ir_block(cc);
  vvExpr* b = vv_lower_expr(lo, cb, right);
  if (right->n == 0) return vv_ir_bin(cc, op, a, b);
  vvVar* t = vv_lower_local(lo, NULL, cc->t_int, out);
  vvExpr* te = vv_ir_ref(cc, t);
  vv_ir_add(cc, out, vv_ir_assign(cc, te, vv_ir_bin(cc, VV_NE, a, vv_ir_int(cc, 0))));
  // the condition must outlive the assignment in the branch
  vvVar* u = vv_lower_local(lo, NULL, cc->t_int, out);
  vv_ir_add(cc, out, vv_ir_assign(cc, vv_ir_ref(cc, u), op == VV_LAND ? te : vv_ir_un(cc, VV_NOT, te)));
  vvStmt* s = vv_ir_stmt(cc, VV_S_IF, lo->line);
  s->cond = vv_ir_ref(cc, u);
  s->body = right;
  vv_ir_add(cc, right, vv_ir_assign(cc, te, vv_ir_bin(cc, VV_NE, b, vv_ir_int(cc, 0))));
  vv_ir_add(cc, out, s);
  return te;
}

static vvExpr* arithmetic(vvLower* lo, CXCursor c, vvOp op, vvExpr* a, vvExpr* b) {
  if (is_pointer(a) || is_pointer(b)) {
    if (op == VV_EQ || op == VV_NE) return vv_ir_bin(lo->cc, op, a, b);
    if (op == VV_ADD && is_pointer(a)) return vv_ir_bin(lo->cc, VV_ADD, a, b);
    if (op == VV_ADD) return vv_ir_bin(lo->cc, VV_ADD, b, a);
    if (op == VV_SUB && !is_pointer(b)) return vv_ir_bin(lo->cc, VV_ADD, a, vv_ir_un(lo->cc, VV_NEG, b));
    vv_lower_refuse(lo, c, "arithmetic between pointers", "use indices");
  }
  return vv_ir_bin(lo->cc, op, a, b);
}

static vvExpr* binary(vvLower* lo, CXCursor c, vvBlock* out) {
  vvCursors kids = vv_parse_children(lo->ps, c);
  if (kids.n != 2) vv_lower_refuse(lo, c, "an operator that is not understood", "write it with plain arithmetic");
  enum CXBinaryOperatorKind k = clang_getCursorBinaryOperatorKind(c);
  vvOp op;
  if (k == CXBinaryOperator_Comma) {
    vv_lower_expr(lo, kids.v[0], out);
    return vv_lower_expr(lo, kids.v[1], out);
  }
  if (k == CXBinaryOperator_Assign) {
    vvExpr* lhs = vv_lower_expr(lo, kids.v[0], out);
    check_lvalue(lo, kids.v[0], lhs);
    if (clang_getCursorKind(vv_lower_strip(lo, kids.v[1])) == CXCursor_CompoundLiteralExpr) {
      vv_lower_assign(lo, lhs, vv_lower_expr(lo, kids.v[1], out), out);
    } else {
      vv_lower_init(lo, lhs, kids.v[1], out);
    }
    return lhs;
  }
  if (!op_of(k, &op)) vv_lower_refuse(lo, c, "an operator that is not supported", "write it with plain arithmetic");
  if (clang_getCursorKind(c) == CXCursor_CompoundAssignOperator) {
    vvExpr* lhs = vv_lower_expr(lo, kids.v[0], out);
    check_lvalue(lo, kids.v[0], lhs);
    int from = out->n;
    vvExpr* rhs = vv_lower_expr(lo, kids.v[1], out);
    check_order(lo, c, lhs, out, from);
    vv_lower_assign(lo, lhs, arithmetic(lo, c, op, lhs, rhs), out);
    return lhs;
  }
  if (op == VV_LAND || op == VV_LOR) return logical(lo, op, kids.v[0], kids.v[1], out);
  vvExpr* a = vv_lower_expr(lo, kids.v[0], out);
  int from = out->n;
  vvExpr* b = vv_lower_expr(lo, kids.v[1], out);
  check_order(lo, c, a, out, from);
  return typed(lo, c, arithmetic(lo, c, op, a, b));
}

static vvExpr* conditional(vvLower* lo, CXCursor c, vvBlock* out) {
  vvCc* cc = lo->cc;
  vvCursors kids = vv_parse_children(lo->ps, c);
  if (kids.n != 3) vv_lower_refuse(lo, c, "a conditional that is not understood", "use if");
  vvIrType* t = vv_parse_type(lo->ps, clang_getCursorType(c), vv_parse_line(c));
  if (t->kind == VV_T_POINTER || t->kind == VV_T_ARRAY)
    vv_lower_refuse(lo, c, "a pointer chosen by a condition", "choose an index instead");
  vvExpr* cond = vv_lower_expr(lo, kids.v[0], out);
  vvBlock *yes = vv_ir_block(cc), *no = vv_ir_block(cc);
  vvExpr* a = vv_lower_expr(lo, kids.v[1], yes);
  vvExpr* b = vv_lower_expr(lo, kids.v[2], no);
  if (t->kind == VV_T_INT && yes->n == 0 && no->n == 0) {
    vvExpr* e = VV_IR_NEW(cc, vvExpr);
    e->kind = VV_E_COND;
    e->type = t;
    e->a = cond;
    e->b = a;
    e->c = b;
    return e;
  }
  if (t->kind == VV_T_REAL) t = a->type->kind == VV_T_REAL && vv_ir_same_type(a->type, b->type) ? a->type : t;
  if (t->kind == VV_T_VOID) vv_lower_refuse(lo, c, "a conditional without value", "use if");
  cond = vv_lower_condition(lo, cond, out);
  vvVar* v = vv_lower_local(lo, NULL, t, out);
  vv_lower_assign(lo, vv_ir_ref(cc, v), a, yes);
  vv_lower_assign(lo, vv_ir_ref(cc, v), b, no);
  vvStmt* s = vv_ir_stmt(cc, VV_S_IF, lo->line);
  s->cond = cond;
  s->body = yes;
  s->orelse = no;
  vv_ir_add(cc, out, s);
  return vv_ir_ref(cc, v);
}

static vvExpr* cast(vvLower* lo, CXCursor c, vvBlock* out) {
  vvCc* cc = lo->cc;
  vvCursors kids = vv_parse_children(lo->ps, c);
  CXCursor inner = kids.v[kids.n - 1];
  if (clang_getCanonicalType(clang_getCursorType(c)).kind == CXType_Void) {
    vv_lower_expr(lo, inner, out);
    return vv_ir_lit(cc, "0", cc->t_void);
  }
  vvIrType* t = vv_parse_type(lo->ps, clang_getCursorType(c), vv_parse_line(c));
  if (t->kind == VV_T_POINTER) return vv_lower_pointer(lo, c, out);
  vvExpr* a = vv_lower_expr(lo, inner, out);
  return vv_ir_cast(cc, t, a);
}

vvExpr* vv_lower_expr(vvLower* lo, CXCursor c, vvBlock* out) {
  vvCc* cc = lo->cc;
  enum CXCursorKind k = clang_getCursorKind(c);
  if (k == CXCursor_ParenExpr || k == CXCursor_UnexposedExpr) {
    CXCursor s = vv_lower_strip(lo, c);
    if (clang_equalCursors(s, c)) vv_lower_refuse(lo, c, "an expression that is not understood", "write it plainly");
    return vv_lower_expr(lo, s, out);
  }
  switch (k) {
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CharacterLiteral:
      return literal(lo, c);
    case CXCursor_CXXBoolLiteralExpr:
      return evaluated(lo, c, false);
    case CXCursor_UnaryExpr: {
      vvExpr* e = evaluated(lo, c, false);
      e->type = vv_parse_type(lo->ps, clang_getCursorType(c), vv_parse_line(c));
      return e;
    }
    case CXCursor_DeclRefExpr:
      return name_ref(lo, c);
    case CXCursor_MemberRefExpr:
      return member(lo, c, out);
    case CXCursor_ArraySubscriptExpr: {
      vvCursors kids = vv_parse_children(lo->ps, c);
      vvExpr* a = vv_lower_expr(lo, kids.v[0], out);
      vvExpr* i = vv_lower_expr(lo, kids.v[1], out);
      if (!is_pointer(a)) vv_lower_refuse(lo, c, "an index into something that is no array", "use base[index]");
      return vv_ir_offset(cc, a, i);
    }
    case CXCursor_UnaryOperator:
      return unary(lo, c, out);
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
      return binary(lo, c, out);
    case CXCursor_ConditionalOperator:
      return conditional(lo, c, out);
    case CXCursor_CallExpr:
      return call(lo, c, out);
    case CXCursor_CStyleCastExpr:
      return cast(lo, c, out);
    case CXCursor_CompoundLiteralExpr: {
      vvCursors kids = vv_parse_children(lo->ps, c);
      vvIrType* t = vv_parse_type(lo->ps, clang_getCursorType(c), vv_parse_line(c));
      vvVar* v = vv_lower_local(lo, NULL, t, out);
      vv_lower_init(lo, vv_ir_ref(cc, v), kids.v[kids.n - 1], out);
      return vv_ir_ref(cc, v);
    }
    default:
      break;
  }
  vv_lower_refuse(lo, c, "an expression that is not supported in a kernel", "use plain C arithmetic");
}
