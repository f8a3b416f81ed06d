// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// forward.c: the forward derivative of a function: beside each assignment stands that of its tangent. With eight
// directions a tangent is a vvReal8, that of a struct S is S_tan8. Pushes and pops carry the tangent along.

#include "forward.h"

#include <string.h>

#include "analyse.h"
#include "reverse.h"
#include "rules.h"

typedef struct vvForward {
  vvCc* cc;
  vvFunc* f;  // private copy
  bool wide;
  vvBits varied;
  int nleaf;
} vvForward;

// types

static vvIrType* tan_type(vvCc* cc, vvIrType* t, bool wide);

static vvStruct* tan_struct(vvCc* cc, vvStruct* s) {
  if (s->tan8) return s->tan8->def;
  vvStruct* d = VV_IR_NEW(cc, vvStruct);
  const char* name = strncmp(s->name, "struct ", 7) == 0 ? s->name + 7 : s->name;
  d->name = vv_ir_format(cc, "%s_tan8", name);
  d->primal = s;
  d->type = VV_IR_NEW(cc, vvIrType);
  d->type->kind = VV_T_STRUCT;
  d->type->name = d->name;
  d->type->def = d;
  s->tan8 = d->type;
  d->field = vv_ir_alloc(cc, (size_t)(s->nfield + 1) * sizeof(vvField));
  for (int i = 0; i < s->nfield; i++) {
    if (!vv_ir_has_real(s->field[i].type)) continue;
    vvField* f = &d->field[d->nfield++];
    f->name = s->field[i].name;
    f->type = tan_type(cc, s->field[i].type, true);
    f->leaf = d->nleaf;
    d->nleaf += vv_ir_leaves(f->type);
  }
  return d;
}

static vvIrType* tan_type(vvCc* cc, vvIrType* t, bool wide) {
  if (!wide) return t;
  switch (t->kind) {
    case VV_T_REAL:
      return cc->t_real8;
    case VV_T_STRUCT:
      return tan_struct(cc, t->def)->type;
    case VV_T_ARRAY:
      return vv_ir_array(cc, tan_type(cc, t->elem, wide), t->count);
    case VV_T_POINTER:
      return vv_ir_pointer(cc, tan_type(cc, t->elem, wide), t->elem_const);
    default:
      return t;
  }
}

// paths

static vvVar* tan_var(vvForward* w, vvVar* v) {
  if (v->tan) return v->tan;
  v->tan = vv_ir_var(w->cc, vv_ir_format(w->cc, "%s_tan", v->name), tan_type(w->cc, v->type, w->wide));
  v->tan->is_param = v->is_param;
  v->tan->by_value = v->by_value;
  return v->tan;
}

static vvExpr* tan_path(vvForward* w, vvExpr* e) {
  vvCc* cc = w->cc;
  switch (e->kind) {
    case VV_E_VAR:
      return vv_ir_ref(cc, tan_var(w, e->var));
    case VV_E_FIELD: {
      vvExpr* a = tan_path(w, e->a);
      vvStruct* s = a->type->def;
      for (int i = 0; i < s->nfield; i++)
        if (strcmp(s->field[i].name, e->field->name) == 0) return vv_ir_field(cc, a, &s->field[i]);
      return a;
    }
    case VV_E_INDEX:
      return vv_ir_index(cc, tan_path(w, e->a), e->b);
    case VV_E_ADDR:
      return vv_ir_addr(cc, tan_path(w, e->a));
    case VV_E_BIN:
      return vv_ir_bin(cc, e->op, tan_path(w, e->a), e->b);
    case VV_E_CAST: {
      vvExpr* a = tan_path(w, e->a);
      if (e->type->kind != VV_T_POINTER || a->type->kind != VV_T_POINTER) return a;
      return vv_ir_cast(cc, vv_ir_pointer(cc, a->type->elem, e->type->elem_const), a);
    }
    default:
      return tan_path(w, e->a);
  }
}

static bool varies(vvForward* w, const vvExpr* e) {
  return vv_is_varied(e, w->varied);
}

static bool path_varies(vvForward* w, const vvExpr* path) {
  return vv_adjoint_overlaps(path, w->varied);
}

// expressions: NULL is the zero tangent

static vvExpr* scalar(vvForward* w, vvExpr* e) {
  if (!w->wide || vv_ir_same_type(e->type, w->cc->t_real)) return e;
  return vv_ir_cast(w->cc, w->cc->t_real, e);
}

static vvExpr* times(vvForward* w, vvExpr* t, vvExpr* factor) {
  if (!t || vv_ir_is_one(factor)) return t;
  return vv_ir_bin(w->cc, VV_MUL, t, scalar(w, factor));
}

static vvExpr* over(vvForward* w, vvExpr* t, vvExpr* d) {
  return t ? vv_ir_bin(w->cc, VV_DIV, t, scalar(w, d)) : NULL;
}

static vvExpr* plus(vvForward* w, vvExpr* a, vvExpr* b) {
  if (!a) return b;
  if (!b) return a;
  return vv_ir_bin(w->cc, VV_ADD, a, b);
}

static vvExpr* minus(vvForward* w, vvExpr* a, vvExpr* b) {
  if (!b) return a;
  if (!a) return vv_ir_un(w->cc, VV_NEG, b);
  return vv_ir_bin(w->cc, VV_SUB, a, b);
}

static vvExpr* tangent(vvForward* w, vvExpr* e, vvExpr* result);

static vvExpr* constant(vvForward* w, const char* text) {
  return vv_ir_lit(w->cc, text, w->cc->t_real);
}

static _Noreturn void no_rule(vvForward* w, const vvExpr* e) {
  vv_ir_refuse(w->cc, w->f->file, w->f->line,
               vv_ir_format(w->cc, "function \"%s\" has no derivative here", vv_ir_math_name(e->fn)),
               "give its result a variable of its own");
}

static vvExpr* math1(vvForward* w, vvExpr* e, vvExpr* result) {
  vvCc* cc = w->cc;
  vvExpr *x = e->a, *y = result ? result : e, *t = tangent(w, x, NULL), *one = vv_ir_int(cc, 1);
  switch (e->fn) {
    case VV_M_SQRT:
      return over(w, t, vv_ir_bin(cc, VV_MUL, vv_ir_int(cc, 2), y));
    case VV_M_SIN:
      return times(w, t, vv_ir_math(cc, VV_M_COS, x, NULL));
    case VV_M_COS:
      return times(w, t, vv_ir_un(cc, VV_NEG, vv_ir_math(cc, VV_M_SIN, x, NULL)));
    case VV_M_TAN:
      return times(w, t, vv_ir_bin(cc, VV_ADD, one, vv_ir_bin(cc, VV_MUL, y, y)));
    case VV_M_ASIN:
    case VV_M_ACOS: {
      vvExpr* c = vv_ir_bin(cc, VV_SUB, one, vv_ir_bin(cc, VV_MUL, x, x));
      vvExpr* d = over(w, t, vv_ir_math(cc, VV_M_SQRT, c, NULL));
      return e->fn == VV_M_ASIN ? d : minus(w, NULL, d);
    }
    case VV_M_ATAN:
      return over(w, t, vv_ir_bin(cc, VV_ADD, one, vv_ir_bin(cc, VV_MUL, x, x)));
    case VV_M_EXP:
      return times(w, t, y);
    case VV_M_LOG:
      return over(w, t, x);
    case VV_M_SINH:
      return times(w, t, vv_ir_math(cc, VV_M_COSH, x, NULL));
    case VV_M_COSH:
      return times(w, t, vv_ir_math(cc, VV_M_SINH, x, NULL));
    case VV_M_TANH:
      return times(w, t, vv_ir_bin(cc, VV_SUB, one, vv_ir_bin(cc, VV_MUL, y, y)));
    case VV_M_EXPM1:
      return times(w, t, vv_ir_bin(cc, VV_ADD, y, one));
    case VV_M_LOG1P:
      return over(w, t, vv_ir_bin(cc, VV_ADD, one, x));
    case VV_M_CBRT:
      return over(w, t, vv_ir_bin(cc, VV_MUL, vv_ir_bin(cc, VV_MUL, vv_ir_int(cc, 3), y), y));
    case VV_M_EXP2:
      return times(w, times(w, t, constant(w, VV_LN2)), y);
    case VV_M_LOG2:
      return over(w, t, vv_ir_bin(cc, VV_MUL, x, constant(w, VV_LN2)));
    case VV_M_LOG10:
      return over(w, t, vv_ir_bin(cc, VV_MUL, x, constant(w, VV_LN10)));
    case VV_M_ASINH:
    case VV_M_ACOSH: {
      vvOp op = e->fn == VV_M_ASINH ? VV_ADD : VV_SUB;
      return over(w, t, vv_ir_math(cc, VV_M_SQRT, vv_ir_bin(cc, op, vv_ir_bin(cc, VV_MUL, x, x), one), NULL));
    }
    case VV_M_ATANH:
      return over(w, t, vv_ir_bin(cc, VV_SUB, one, vv_ir_bin(cc, VV_MUL, x, x)));
    case VV_M_ERF:
    case VV_M_ERFC: {
      vvExpr* d = vv_ir_math(cc, VV_M_EXP, vv_ir_bin(cc, VV_MUL, vv_ir_un(cc, VV_NEG, x), x), NULL);
      t = times(w, times(w, t, constant(w, VV_TWO_OVER_SQRT_PI)), d);
      return e->fn == VV_M_ERF ? t : minus(w, NULL, t);
    }
    default:
      no_rule(w, e);
  }
}

static vvExpr* math2(vvForward* w, vvExpr* e, vvExpr* result) {
  vvCc* cc = w->cc;
  vvExpr *x = e->a, *p = e->b, *y = result ? result : e;
  vvExpr *a = tangent(w, x, NULL), *b = tangent(w, p, NULL);
  switch (e->fn) {
    case VV_M_ATAN2: {
      vvExpr* n = vv_ir_bin(cc, VV_ADD, vv_ir_bin(cc, VV_MUL, x, x), vv_ir_bin(cc, VV_MUL, p, p));
      return over(w, minus(w, times(w, a, p), times(w, b, x)), n);
    }
    case VV_M_POW: {
      vvExpr* low = vv_ir_math(cc, VV_M_POW, x, vv_ir_bin(cc, VV_SUB, p, vv_ir_int(cc, 1)));
      return times(w, times(w, a, p), low);  // the part of p: see special()
    }
    case VV_M_REMAINDER:
    case VV_M_FMOD:
      return minus(w, a, times(w, b, vv_ir_bin(cc, VV_DIV, vv_ir_bin(cc, VV_SUB, x, y), p)));
    case VV_M_FMA:
      return plus(w, plus(w, times(w, a, p), times(w, b, x)), tangent(w, e->c, NULL));
    case VV_M_LDEXP:
      return times(w, a, vv_ir_math(cc, VV_M_LDEXP, vv_ir_int(cc, 1), p));
    case VV_M_COPYSIGN:
      if (!a) return NULL;
      no_rule(w, e);  // see special()
    default:
      no_rule(w, e);
  }
}

static vvExpr* tangent(vvForward* w, vvExpr* e, vvExpr* result) {
  vvCc* cc = w->cc;
  if (!varies(w, e)) return NULL;
  if (vv_ir_is_path(e)) return tan_path(w, e);
  switch (e->kind) {
    case VV_E_CAST: {
      vvExpr* t = tangent(w, e->a, NULL);
      return w->wide || !t ? t : vv_ir_cast(cc, e->type, t);
    }
    case VV_E_UN:
      return minus(w, NULL, tangent(w, e->a, NULL));
    case VV_E_MATH:
      return e->b ? math2(w, e, result) : math1(w, e, result);
    case VV_E_BIN: {
      vvExpr *a = tangent(w, e->a, NULL), *b = tangent(w, e->b, NULL);
      if (e->op == VV_ADD) return plus(w, a, b);
      if (e->op == VV_SUB) return minus(w, a, b);
      if (e->op == VV_MUL) return plus(w, times(w, a, e->b), times(w, b, e->a));
      if (e->op == VV_DIV) return over(w, minus(w, a, times(w, b, result ? result : e)), e->b);
      return NULL;
    }
    default:
      return NULL;
  }
}

// statements

static vvBlock* when(vvForward* w, vvOp op, vvExpr* a, vvExpr* b, vvBlock* out) {
  vvStmt* s = vv_ir_stmt(w->cc, VV_S_IF, 0);
  s->cond = vv_ir_bin(w->cc, op, a, b);
  s->body = vv_ir_block(w->cc);
  vv_ir_add(w->cc, out, s);
  return s->body;
}

static void set(vvForward* w, vvExpr* lhs_tan, vvExpr* t, vvBlock* out) {
  if (t && vv_ir_equal(lhs_tan, t)) return;
  vv_ir_add(w->cc, out, t ? vv_ir_assign(w->cc, lhs_tan, t) : vv_ir_zero(w->cc, lhs_tan));
}

// Functions whose derivative has cases. Gives false for all others.
static bool special(vvForward* w, vvExpr* lhs, vvExpr* e, vvBlock* out) {
  vvCc* cc = w->cc;
  if (e->kind != VV_E_MATH) return false;
  bool cases = e->fn == VV_M_FABS || e->fn == VV_M_FMIN || e->fn == VV_M_FMAX || e->fn == VV_M_HYPOT ||
               e->fn == VV_M_COPYSIGN || e->fn == VV_M_FDIM || (e->fn == VV_M_POW && varies(w, e->b));
  if (!cases) return false;
  vvExpr *a = tangent(w, e->a, NULL), *b = e->b ? tangent(w, e->b, NULL) : NULL, *zero = vv_ir_int(cc, 0);
  // the operands may hold what lhs_tan overwrites
  vvVar* v = vv_ir_temp(cc, w->f, w->wide ? cc->t_real8 : lhs->type, "d");
  vvExpr* d = vv_ir_ref(cc, v);
  vv_ir_add(cc, out, vv_ir_decl(cc, v, true));
  if (e->fn == VV_M_FABS) {
    set(w, d, a, when(w, VV_GT, e->a, zero, out));
    set(w, d, minus(w, NULL, a), when(w, VV_LT, e->a, zero, out));
  } else if (e->fn == VV_M_COPYSIGN) {
    vvExpr* s = times(w, a, vv_ir_math(cc, VV_M_COPYSIGN, vv_ir_int(cc, 1), e->b));
    set(w, d, s, when(w, VV_GT, e->a, zero, out));
    set(w, d, minus(w, NULL, s), when(w, VV_LT, e->a, zero, out));
  } else if (e->fn == VV_M_FDIM) {
    set(w, d, minus(w, a, b), when(w, VV_GT, e->a, e->b, out));
  } else if (e->fn == VV_M_HYPOT) {
    vvExpr* sum = plus(w, times(w, a, e->a), times(w, b, e->b));
    set(w, d, over(w, sum, e), when(w, VV_GT, e, zero, out));
  } else if (e->fn == VV_M_POW) {
    set(w, d, math2(w, e, NULL), out);
    vvExpr* more = times(w, times(w, b, e), vv_ir_math(cc, VV_M_LOG, e->a, NULL));
    set(w, d, plus(w, d, more), when(w, VV_GT, e->a, zero, out));
  } else {
    vvOp wins = e->fn == VV_M_FMAX ? VV_GT : VV_LT;
    if (a) set(w, d, a, when(w, wins, e->a, e->b, out));
    if (b) set(w, d, b, when(w, wins, e->b, e->a, out));
    if (a && b) set(w, d, over(w, plus(w, a, b), vv_ir_int(cc, 2)), when(w, VV_EQ, e->a, e->b, out));
  }
  set(w, tan_path(w, lhs), d, out);
  return true;
}

static void forward_assign(vvForward* w, vvStmt* s, vvBlock* out) {
  vvCc* cc = w->cc;
  vvExpr *lhs = s->lhs, *rhs = s->rhs;
  if (!path_varies(w, lhs)) {
    vv_ir_add(cc, out, s);
    return;
  }
  if (lhs->type->kind == VV_T_STRUCT || lhs->type->kind == VV_T_ARRAY) {
    set(w, tan_path(w, lhs), path_varies(w, rhs) ? tan_path(w, rhs) : NULL, out);
    vv_ir_add(cc, out, s);
    return;
  }
  vvBits read = vv_bits_new(cc, w->nleaf);
  vv_reads_expr(rhs, read);
  bool self = vv_adjoint_overlaps(lhs, read);
  if (special(w, lhs, rhs, out)) {
    vv_ir_add(cc, out, s);
  } else if (self) {
    set(w, tan_path(w, lhs), tangent(w, rhs, NULL), out);
    vv_ir_add(cc, out, s);
  } else {
    vv_ir_add(cc, out, s);
    set(w, tan_path(w, lhs), tangent(w, rhs, lhs), out);
  }
}

static void forward_call(vvForward* w, vvStmt* s, vvBlock* out) {
  vvCc* cc = w->cc;
  uint64_t mask = vv_call_mask(s, w->varied);
  bool lhs_varies = s->lhs && path_varies(w, s->lhs);
  if (!mask && !s->callee->needs_tape) {
    if (lhs_varies) vv_ir_add(cc, out, vv_ir_zero(cc, tan_path(w, s->lhs)));
    vv_ir_add(cc, out, s);
    return;
  }
  vvFunc* g = vv_forward(cc, s->callee, mask, w->wide);
  vvStmt* c = vv_ir_stmt(cc, VV_S_CALL, s->line);
  c->callee = g;
  c->lhs = s->lhs;
  c->arg = vv_ir_alloc(cc, (size_t)(g->nparam + 1) * sizeof(vvExpr*));
  for (int i = 0; i < s->narg; i++) {
    c->arg[c->narg++] = s->arg[i];
    if (!(mask >> i & 1)) continue;
    bool path = vv_ir_is_path(s->arg[i]) || s->callee->param[i]->type->kind == VV_T_POINTER;
    c->arg[c->narg++] = path ? tan_path(w, s->arg[i]) : tangent(w, s->arg[i], NULL);
  }
  if (vv_ir_has_real(s->callee->ret_type)) {
    vvExpr* t;
    if (lhs_varies) {
      t = tan_path(w, s->lhs);
    } else {
      vvVar* v = vv_ir_temp(cc, w->f, tan_type(cc, s->callee->ret_type, w->wide), "unused");
      vv_ir_add(cc, out, vv_ir_decl(cc, v, true));
      t = vv_ir_ref(cc, v);
    }
    c->arg[c->narg++] = vv_ir_addr(cc, t);
  }
  vv_ir_add(cc, out, c);
}

static void forward_tape(vvForward* w, vvStmt* s, vvBlock* out) {
  vvCc* cc = w->cc;
  vvStmt* t = NULL;
  if (vv_ir_has_real(s->lhs->type)) {
    t = vv_ir_stmt(cc, s->kind, 0);
    t->lhs = tan_path(w, s->lhs);
  }
  if (t && s->kind == VV_S_POP) vv_ir_add(cc, out, t);
  vv_ir_add(cc, out, s);
  if (t && s->kind == VV_S_PUSH) vv_ir_add(cc, out, t);
}

static vvBlock* forward_block(vvForward* w, const vvBlock* b) {
  if (!b) return NULL;
  vvCc* cc = w->cc;
  vvBlock* out = vv_ir_block(cc);
  for (int i = 0; i < b->n; i++) {
    vvStmt* s = b->v[i];
    switch (s->kind) {
      case VV_S_DECL: {
        vv_ir_add(cc, out, s);
        vvExpr* e = vv_ir_ref(cc, s->var);
        if (path_varies(w, e)) vv_ir_add(cc, out, vv_ir_decl(cc, tan_var(w, s->var), true));
        break;
      }
      case VV_S_ASSIGN:
        forward_assign(w, s, out);
        break;
      case VV_S_ZERO:
        vv_ir_add(cc, out, s);
        if (path_varies(w, s->lhs)) vv_ir_add(cc, out, vv_ir_zero(cc, tan_path(w, s->lhs)));
        break;
      case VV_S_CALL:
        forward_call(w, s, out);
        break;
      case VV_S_PUSH:
      case VV_S_POP:
        forward_tape(w, s, out);
        break;
      case VV_S_GUARD:
        vv_ir_add(cc, out, s);
        break;
      case VV_S_IF:
      case VV_S_FOR:
      case VV_S_WHILE:
        s->body = forward_block(w, s->body);
        s->orelse = forward_block(w, s->orelse);
        vv_ir_add(cc, out, s);
        break;
    }
  }
  return out;
}

// functions

static void vary_params(vvForward* w, uint64_t mask) {
  int loc = 0;
  for (int i = 0; i < w->f->nparam; i++) {
    const vvIrType* t = w->f->param[i]->type;
    int n = vv_ir_leaves(t);
    for (int k = 0; k < n; k++)
      if ((mask >> i & 1) && vv_ir_leaf_type(t, k)->kind == VV_T_REAL) vv_bits_set(w->varied, loc + k);
    loc += n;
  }
}

static void add_params(vvForward* w, vvFunc* g, uint64_t mask) {
  vvCc* cc = w->cc;
  vvFunc* f = w->f;
  g->param = vv_ir_alloc(cc, (size_t)(2 * f->nparam + 2) * sizeof(vvVar*));
  for (int i = 0; i < f->nparam; i++) {
    vvVar* p = f->param[i];
    g->param[g->nparam++] = p;
    if (mask >> i & 1) {
      g->param[g->nparam++] = tan_var(w, p);
    } else if (p->tan) {
      // assigned something that varies: its tangent is a local
      p->tan->is_param = false;
      vv_ir_insert(cc, g->body, 0, vv_ir_decl(cc, p->tan, true));
    }
  }
  if (vv_ir_has_real(f->ret_type)) {
    vvIrType* t = vv_ir_pointer(cc, tan_type(cc, f->ret_type, w->wide), false);
    vvVar* v = vv_ir_var(cc, "ret_tan", t);
    v->is_param = true;
    v->by_value = true;
    g->param[g->nparam++] = v;
  }
}

static const char* forward_name(vvCc* cc, vvFunc* f, uint64_t mask, bool wide) {
  const char* suffix = vv_deriv_suffix(cc, f, mask);
  for (int i = 0; i < f->nvariant && *suffix; i++) {
    uint64_t m = 0;
    for (int k = 0; k < f->variant[i].narg; k++)
      for (int p = 0; p < f->nparam; p++)
        if (strcmp(f->param[p]->name, f->variant[i].arg[k]) == 0) m |= (uint64_t)1 << p;
    if (vv_deriv_close_mask(cc, f, m) == mask) suffix = vv_ir_format(cc, "_%s", f->variant[i].name);
  }
  return vv_ir_format(cc, "%s%s_%s", f->name, suffix, wide ? "jvp8" : "jvp");
}

vvFunc* vv_forward(vvCc* cc, vvFunc* f, uint64_t mask, bool wide) {
  vvDeriv* d = vv_deriv_find(cc, f, mask, false);
  vvFunc** slot = wide ? &d->jvp8 : &d->jvp;
  if (*slot) return *slot;
  if (f->jvp_rule && !wide) return *slot = vv_rules_forward(cc, f, mask);
  if (!f->body && f->rule_of)
    vv_ir_refuse(cc, f->file, f->line,
                 vv_ir_format(cc, "the derivative of rule \"%s\", which another file defines", f->name),
                 "define it here or in a header");
  vv_summarise(cc, f);
  vvForward forward;
  memset(&forward, 0, sizeof forward);
  vvForward* w = &forward;
  w->cc = cc;
  w->wide = wide;
  vvFunc* g = VV_IR_NEW(cc, vvFunc);
  *slot = g;
  g->name = forward_name(cc, f, mask, wide);
  g->file = f->file;
  g->line = f->line;
  g->is_static = true;
  g->generated = true;
  g->ret_type = f->ret_type;
  if (!f->body) {
    w->f = VV_IR_NEW(cc, vvFunc);
    *w->f = *f;
    w->f->param = vv_ir_alloc(cc, (size_t)(f->nparam + 1) * sizeof(vvVar*));
    for (int i = 0; i < f->nparam; i++) {
      w->f->param[i] = VV_IR_NEW(cc, vvVar);
      *w->f->param[i] = *f->param[i];
      w->f->param[i]->tan = NULL;
    }
    g->is_static = false;
    g->needs_tape = f->needs_tape;
    add_params(w, g, mask);
    return g;
  }
  w->f = vv_ir_clone(cc, f);
  w->nleaf = vv_number(cc, w->f);
  w->varied = vv_bits_new(cc, w->nleaf);
  vary_params(w, mask);
  vv_varied(cc, w->f, w->varied);
  g->has_loop = f->has_loop;
  g->ret = w->f->ret;
  g->body = forward_block(w, w->f->body);
  add_params(w, g, mask);
  if (vv_ir_has_real(f->ret_type)) {
    vvExpr* out = vv_ir_index(cc, vv_ir_ref(cc, g->param[g->nparam - 1]), vv_ir_int(cc, 0));
    set(w, out, path_varies(w, w->f->ret) ? tan_path(w, w->f->ret) : NULL, g->body);
  }
  g->ntemp = w->f->ntemp;
  vv_ir_prune(cc, g);
  vv_summarise(cc, g);
  return g;
}
