// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// adjoint.c: the adjoint of one assignment or call.
//
//   lhs = e    t = lhs_bar;  lhs_bar = 0;  x_bar += t de/dx  for each active operand x
//   ties       |x| at 0: 0; max, min of two active equal values: half each, of one active: 0; hypot at 0: 0
//
// cc->wrong switches one rule to a wrong one, so that tests can show they would notice:
//    1  lhs_bar is not set to zero               11  sqrt without its 2
//    2  no temporary for lhs_bar                 12  operands of atan2 swapped
//    3  operands of a division swapped           13  the reverse runs counted loops forwards
//    4  the sign of the derivative of cos        14  the reverse leaves out else
//    5  overwritten values are not restored      15  the minimum passes to the larger one
//    6  the bar of a carried variable is lost    16  tanh' = 1 - tanh
//    7  a struct copy passes on its first member 17  while loops reverse one iteration less
//    8  flags of jumps are ignored               18  carried values of re-run iterations are not restored
//    9  values are restored after they are used  19  the sign of the derivative in a denominator
//   10  both sides of a tie get everything       20  pow's exponent is not lowered

#include <string.h>

#include "analyse.h"
#include "reverse.h"

bool vv_adjoint_overlaps(const vvExpr* path, vvBits bits) {
  int start, count;
  bool exact;
  if (!vv_range(path, &start, &count, &exact)) return false;
  for (int i = 0; i < count; i++)
    if (vv_bits_get(bits, start + i)) return true;
  return false;
}

bool vv_adjoint_is_active(vvReverse* r, const vvExpr* path) {
  return vv_adjoint_overlaps(path, r->active);
}

static vvVar* bar_var(vvReverse* r, vvVar* v) {
  if (v->bar) return v->bar;
  vvIrType* t = v->type;
  if (v->is_param && t->kind != VV_T_POINTER) t = vv_ir_pointer(r->cc, t, false);
  if (t->kind == VV_T_POINTER) t = vv_ir_pointer(r->cc, t->elem, false);
  v->bar = vv_ir_var(r->cc, vv_ir_format(r->cc, "%s_bar", v->name), t);
  v->bar->scope = v->scope;
  v->bar->is_param = v->is_param;
  v->bar->by_value = v->is_param && v->type->kind != VV_T_POINTER;
  return v->bar;
}

// Collects the bar of a value in a register: the caller's may be anywhere, so that each += to it would go to memory.
static vvVar* sum_var(vvReverse* r, vvVar* v) {
  vvVar* bar = bar_var(r, v);
  if (!bar->sum) bar->sum = vv_ir_var(r->cc, vv_ir_format(r->cc, "%s_sum", v->name), v->type);
  return bar->sum;
}

vvExpr* vv_adjoint_bar(vvReverse* r, const vvExpr* e) {
  vvCc* cc = r->cc;
  if (e->kind == VV_E_VAR) {
    vvExpr* b = vv_ir_ref(cc, bar_var(r, e->var));
    bool by_value = e->var->is_param && e->var->type->kind != VV_T_POINTER;
    if (by_value && r->sums) return vv_ir_ref(cc, sum_var(r, e->var));
    return by_value ? vv_ir_index(cc, b, vv_ir_int(cc, 0)) : b;
  }
  vvExpr* c = VV_IR_NEW(cc, vvExpr);
  *c = *e;
  c->a = vv_adjoint_bar(r, e->a);
  if (c->kind == VV_E_ADDR) return vv_ir_addr(cc, c->a);
  // a pointer member to const: its bar is written
  if (c->kind == VV_E_FIELD && c->type->kind == VV_T_POINTER && c->type->elem_const)
    return vv_ir_cast(cc, vv_ir_pointer(cc, c->type->elem, false), c);
  return c;
}

// expressions

static bool is_atom(const vvExpr* e) {
  if (e->kind == VV_E_LIT || e->kind == VV_E_VAR) return true;
  if (e->kind == VV_E_FIELD) return is_atom(e->a);
  return e->kind == VV_E_INDEX && e->a->kind == VV_E_VAR && e->b->kind == VV_E_LIT;
}

static vvVar* scratch(vvReverse* r, vvIrType* t, vvBlock* out) {
  vvVar* v = vv_ir_temp(r->cc, r->f, t, "g");
  v->scope = r->region ? r->region->loop : NULL;
  vv_ir_add(r->cc, out, vv_ir_decl(r->cc, v, false));
  return v;
}

static vvExpr* named(vvReverse* r, vvExpr* e, vvBlock* out) {
  if (is_atom(e)) return e;
  vvVar* v = scratch(r, e->type, out);
  vv_ir_add(r->cc, out, vv_ir_assign(r->cc, vv_ir_ref(r->cc, v), e));
  return vv_ir_ref(r->cc, v);
}

static vvExpr* mul(vvReverse* r, vvExpr* a, vvExpr* b) {
  if (vv_ir_is_one(a)) return b;
  if (vv_ir_is_one(b)) return a;
  return vv_ir_bin(r->cc, VV_MUL, a, b);
}

static vvExpr* divide(vvReverse* r, vvExpr* a, vvExpr* b) {
  return vv_ir_bin(r->cc, VV_DIV, a, b);
}
static vvExpr* lit(vvReverse* r, int i) {
  return vv_ir_int(r->cc, i);
}
static vvExpr* constant(vvReverse* r, const char* text) {
  return vv_ir_lit(r->cc, text, r->cc->t_real);
}

static void adjoint(vvReverse* r, vvExpr* e, vvExpr* seed, bool neg, vvExpr* result, vvBlock* out);

static _Noreturn void no_rule(vvReverse* r, const vvExpr* e) {
  vv_ir_refuse(r->cc, r->f->file, r->f->line,
               vv_ir_format(r->cc, "function \"%s\" has no derivative", vv_ir_math_name(e->fn)),
               "use another function of kernel.h");
}

static vvBlock* when(vvReverse* r, vvOp op, vvExpr* a, vvExpr* b, vvBlock* out) {
  vvStmt* s = vv_ir_stmt(r->cc, VV_S_IF, 0);
  s->cond = vv_ir_bin(r->cc, op, a, b);
  s->body = vv_ir_block(r->cc);
  vv_ir_add(r->cc, out, s);
  return s->body;
}

static void min_max(vvReverse* r, vvExpr* e, vvExpr* seed, bool neg, vvBlock* out) {
  vvOp wins = (e->fn == VV_M_FMAX) != (r->cc->wrong == 15 && e->fn == VV_M_FMIN) ? VV_GT : VV_LT;
  bool a = vv_is_varied(e->a, r->active), b = vv_is_varied(e->b, r->active);
  seed = named(r, seed, out);
  if (a) adjoint(r, e->a, seed, neg, NULL, when(r, wins, e->a, e->b, out));
  if (b) adjoint(r, e->b, seed, neg, NULL, when(r, wins, e->b, e->a, out));
  if (a && b) {
    vvBlock* tie = when(r, VV_EQ, e->a, e->b, out);
    vvExpr* half = r->cc->wrong == 10 ? seed : divide(r, seed, lit(r, 2));
    adjoint(r, e->a, half, neg, NULL, tie);
    adjoint(r, e->b, half, neg, NULL, tie);
  }
}

static void math1(vvReverse* r, vvExpr* e, vvExpr* g, bool neg, vvExpr* result, vvBlock* out) {
  vvCc* cc = r->cc;
  vvExpr* x = e->a;
  vvExpr* y = result ? result : e;
  vvExpr* d = NULL;
  switch (e->fn) {
    case VV_M_SQRT:
      d = divide(r, g, cc->wrong == 11 ? y : mul(r, lit(r, 2), y));
      break;
    case VV_M_SIN:
      d = mul(r, g, vv_ir_math(cc, VV_M_COS, x, NULL));
      break;
    case VV_M_COS:
      d = mul(r, g, vv_ir_math(cc, VV_M_SIN, x, NULL));
      neg = cc->wrong == 4 ? neg : !neg;
      break;
    case VV_M_TAN:
      d = mul(r, g, vv_ir_bin(cc, VV_ADD, lit(r, 1), mul(r, y, y)));
      break;
    case VV_M_ASIN:
    case VV_M_ACOS:
      d = divide(r, g, vv_ir_math(cc, VV_M_SQRT, vv_ir_bin(cc, VV_SUB, lit(r, 1), mul(r, x, x)), NULL));
      if (e->fn == VV_M_ACOS) neg = !neg;
      break;
    case VV_M_ATAN:
      d = divide(r, g, vv_ir_bin(cc, VV_ADD, lit(r, 1), mul(r, x, x)));
      break;
    case VV_M_EXP:
      d = mul(r, g, y);
      break;
    case VV_M_LOG:
      d = divide(r, g, x);
      break;
    case VV_M_SINH:
      d = mul(r, g, vv_ir_math(cc, VV_M_COSH, x, NULL));
      break;
    case VV_M_COSH:
      d = mul(r, g, vv_ir_math(cc, VV_M_SINH, x, NULL));
      break;
    case VV_M_TANH:
      d = mul(r, g, vv_ir_bin(cc, VV_SUB, lit(r, 1), cc->wrong == 16 ? y : mul(r, y, y)));
      break;
    case VV_M_EXPM1:
      d = mul(r, g, vv_ir_bin(cc, VV_ADD, y, lit(r, 1)));
      break;
    case VV_M_LOG1P:
      d = divide(r, g, vv_ir_bin(cc, VV_ADD, lit(r, 1), x));
      break;
    case VV_M_CBRT:
      d = divide(r, g, mul(r, mul(r, lit(r, 3), y), y));
      break;
    case VV_M_EXP2:
      d = mul(r, mul(r, g, constant(r, VV_LN2)), y);
      break;
    case VV_M_LOG2:
      d = divide(r, g, mul(r, x, constant(r, VV_LN2)));
      break;
    case VV_M_LOG10:
      d = divide(r, g, mul(r, x, constant(r, VV_LN10)));
      break;
    case VV_M_ASINH:
      d = divide(r, g, vv_ir_math(cc, VV_M_SQRT, vv_ir_bin(cc, VV_ADD, mul(r, x, x), lit(r, 1)), NULL));
      break;
    case VV_M_ACOSH:
      d = divide(r, g, vv_ir_math(cc, VV_M_SQRT, vv_ir_bin(cc, VV_SUB, mul(r, x, x), lit(r, 1)), NULL));
      break;
    case VV_M_ATANH:
      d = divide(r, g, vv_ir_bin(cc, VV_SUB, lit(r, 1), mul(r, x, x)));
      break;
    case VV_M_ERF:
    case VV_M_ERFC:
      d = vv_ir_math(cc, VV_M_EXP, mul(r, vv_ir_un(cc, VV_NEG, x), x), NULL);
      d = mul(r, mul(r, g, constant(r, VV_TWO_OVER_SQRT_PI)), named(r, d, out));
      if (e->fn == VV_M_ERFC) neg = !neg;
      break;
    case VV_M_FABS:
      g = named(r, g, out);
      adjoint(r, x, g, neg, NULL, when(r, VV_GT, x, lit(r, 0), out));
      adjoint(r, x, g, !neg, NULL, when(r, VV_LT, x, lit(r, 0), out));
      return;
    default:
      no_rule(r, e);
  }
  adjoint(r, x, d, neg, NULL, out);
}

static void math2(vvReverse* r, vvExpr* e, vvExpr* g, bool neg, vvExpr* result, vvBlock* out) {
  vvCc* cc = r->cc;
  vvExpr *x = e->a, *p = e->b, *y = result ? result : e;
  bool a = vv_is_varied(x, r->active), b = vv_is_varied(p, r->active);
  g = named(r, g, out);
  switch (e->fn) {
    case VV_M_ATAN2: {  // y = atan2(x, p)
      vvExpr* n = divide(r, g, vv_ir_bin(cc, VV_ADD, mul(r, x, x), mul(r, p, p)));
      n = named(r, n, out);
      bool swapped = cc->wrong == 12;
      if (a) adjoint(r, x, mul(r, n, swapped ? x : p), neg, NULL, out);
      if (b) adjoint(r, p, mul(r, n, swapped ? p : x), !neg, NULL, out);
      return;
    }
    case VV_M_POW: {
      vvExpr* low = vv_ir_math(cc, VV_M_POW, x, cc->wrong == 20 ? p : vv_ir_bin(cc, VV_SUB, p, lit(r, 1)));
      // a statement of its own, for the forward derivative of this
      if (a) adjoint(r, x, mul(r, mul(r, g, p), named(r, low, out)), neg, NULL, out);
      if (b)
        adjoint(r, p, mul(r, mul(r, g, y), vv_ir_math(cc, VV_M_LOG, x, NULL)), neg, NULL,
                when(r, VV_GT, x, lit(r, 0), out));
      return;
    }
    case VV_M_HYPOT: {
      vvBlock* in = when(r, VV_GT, y, lit(r, 0), out);
      vvExpr* n = named(r, divide(r, g, y), in);
      if (a) adjoint(r, x, mul(r, n, x), neg, NULL, in);
      if (b) adjoint(r, p, mul(r, n, p), neg, NULL, in);
      return;
    }
    case VV_M_COPYSIGN: {
      vvExpr* s = mul(r, g, vv_ir_math(cc, VV_M_COPYSIGN, lit(r, 1), p));
      if (a) adjoint(r, x, s, neg, NULL, when(r, VV_GT, x, lit(r, 0), out));
      if (a) adjoint(r, x, s, !neg, NULL, when(r, VV_LT, x, lit(r, 0), out));
      return;
    }
    case VV_M_FDIM: {
      vvBlock* in = when(r, VV_GT, x, p, out);
      if (a) adjoint(r, x, g, neg, NULL, in);
      if (b) adjoint(r, p, g, !neg, NULL, in);
      return;
    }
    case VV_M_FMA:
      if (a) adjoint(r, x, mul(r, g, p), neg, NULL, out);
      if (b) adjoint(r, p, mul(r, g, x), neg, NULL, out);
      adjoint(r, e->c, g, neg, NULL, out);
      return;
    case VV_M_LDEXP:
      if (a) adjoint(r, x, vv_ir_math(cc, VV_M_LDEXP, g, p), neg, NULL, out);
      return;
    case VV_M_REMAINDER:
    case VV_M_FMOD:
      if (a) adjoint(r, x, g, neg, NULL, out);
      if (b) adjoint(r, p, mul(r, g, divide(r, vv_ir_bin(cc, VV_SUB, x, y), p)), !neg, NULL, out);
      return;
    default:
      no_rule(r, e);
  }
}

static void add_to_bar(vvReverse* r, vvExpr* path, vvExpr* seed, bool neg, vvBlock* out) {
  if (r->cc->wrong == 6 && !r->region->loop && vv_ir_root(path)->scope == NULL && !vv_ir_root(path)->is_param) {
    int start, count;
    bool exact;
    if (vv_range(path, &start, &count, &exact) && exact && r->ndef[start] > 1 && seed->kind != VV_E_VAR) return;
  }
  vvExpr* bar = vv_adjoint_bar(r, path);
  vv_ir_add(r->cc, out, vv_ir_assign(r->cc, bar, vv_ir_bin(r->cc, neg ? VV_SUB : VV_ADD, bar, seed)));
}

// Adds seed * de/dx to the bars of all active x; result: where the value of e can be read, NULL: nowhere.
static void adjoint(vvReverse* r, vvExpr* e, vvExpr* seed, bool neg, vvExpr* result, vvBlock* out) {
  if (!vv_is_varied(e, r->active)) return;
  if (vv_ir_is_path(e)) {
    add_to_bar(r, e, seed, neg, out);
    return;
  }
  if (e->kind == VV_E_CAST) {
    adjoint(r, e->a, seed, neg, NULL, out);
    return;
  }
  if (e->kind == VV_E_UN) {
    adjoint(r, e->a, seed, e->op == VV_NEG ? !neg : neg, NULL, out);
    return;
  }
  if (e->kind == VV_E_MATH) {
    if (e->fn == VV_M_FMIN || e->fn == VV_M_FMAX) {
      min_max(r, e, seed, neg, out);
    } else if (e->b) {
      math2(r, e, seed, neg, result, out);
    } else {
      math1(r, e, seed, neg, result, out);
    }
    return;
  }
  bool a = vv_is_varied(e->a, r->active), b = vv_is_varied(e->b, r->active);
  if (a && b) seed = named(r, seed, out);
  switch (e->op) {
    case VV_ADD:
    case VV_SUB:
      adjoint(r, e->a, seed, neg, NULL, out);
      adjoint(r, e->b, seed, e->op == VV_SUB ? !neg : neg, NULL, out);
      return;
    case VV_MUL:
      if (a) adjoint(r, e->a, mul(r, seed, e->b), neg, NULL, out);
      if (b) adjoint(r, e->b, mul(r, seed, e->a), neg, NULL, out);
      return;
    case VV_DIV: {
      vvExpr* by = r->cc->wrong == 3 ? e->a : e->b;
      // the reciprocal of something that a loop does not change is made once
      bool real = by->kind != VV_E_LIT && by->type->kind == VV_T_REAL;
      vvExpr* s = real ? mul(r, seed, divide(r, lit(r, 1), by)) : divide(r, seed, by);
      if (b) s = named(r, s, out);
      if (a) adjoint(r, e->a, s, neg, NULL, out);
      if (b) adjoint(r, e->b, mul(r, s, result ? result : e), (r->cc->wrong == 19) == neg, NULL, out);
      return;
    }
    default:
      return;
  }
}

// statements

static void copy_adjoint(vvReverse* r, vvExpr* lhs, vvExpr* rhs, bool direct, vvBlock* out) {
  vvCc* cc = r->cc;
  vvIrType* t = lhs->type;
  if (!vv_adjoint_is_active(r, lhs)) return;
  if (t->kind == VV_T_STRUCT) {
    int n = cc->wrong == 7 && t->def->nfield > 1 ? 1 : t->def->nfield;
    for (int i = 0; i < n; i++)
      copy_adjoint(r, vv_ir_field(cc, lhs, &t->def->field[i]), vv_ir_field(cc, rhs, &t->def->field[i]), direct, out);
  } else if (t->kind == VV_T_ARRAY) {
    for (int i = 0; i < t->count; i++)
      copy_adjoint(r, vv_ir_index(cc, lhs, vv_ir_int(cc, i)), vv_ir_index(cc, rhs, vv_ir_int(cc, i)), direct, out);
  } else if (t->kind == VV_T_REAL) {
    vvExpr* seed = vv_adjoint_bar(r, lhs);
    if (!direct) {
      vvVar* v = scratch(r, t, out);
      vv_ir_add(cc, out, vv_ir_assign(cc, vv_ir_ref(cc, v), seed));
      vv_ir_add(cc, out, vv_ir_zero(cc, seed));
      seed = vv_ir_ref(cc, v);
    }
    adjoint(r, rhs, seed, false, NULL, out);
  }
}

static void assign_adjoint(vvReverse* r, const vvStmt* s, bool direct, vvBlock* out) {
  vvCc* cc = r->cc;
  vvExpr *lhs = s->lhs, *rhs = s->rhs;
  if (!vv_adjoint_is_active(r, lhs)) return;
  if (lhs->type->kind == VV_T_STRUCT || lhs->type->kind == VV_T_ARRAY) {
    copy_adjoint(r, lhs, rhs, direct, out);
    return;
  }
  if (lhs->type->kind != VV_T_REAL) return;
  vvExpr* bar = vv_adjoint_bar(r, lhs);
  vvBits read = vv_bits_new(cc, r->nleaf);
  // x = x + e: the bar of x stays
  bool sum = rhs->kind == VV_E_BIN && (rhs->op == VV_ADD || rhs->op == VV_SUB) && vv_ir_equal(lhs, rhs->a);
  if (sum && cc->wrong == 0) {
    vv_reads_expr(rhs->b, read);
    if (!vv_adjoint_overlaps(lhs, read)) {
      if (vv_is_varied(rhs->b, r->active)) adjoint(r, rhs->b, bar, rhs->op == VV_SUB, NULL, out);
      return;
    }
    vv_bits_empty(read);
  }
  vv_reads_expr(rhs, read);
  vvExpr* result = vv_adjoint_overlaps(lhs, read) ? NULL : lhs;
  if (direct && cc->wrong != 1 && cc->wrong != 2) {
    if (vv_is_varied(rhs, r->active)) adjoint(r, rhs, bar, false, result, out);
    return;
  }
  if (cc->wrong == 2) {
    adjoint(r, rhs, bar, false, result, out);
    vv_ir_add(cc, out, vv_ir_zero(cc, bar));
    return;
  }
  if (vv_is_varied(rhs, r->active)) {
    vvVar* v = scratch(r, lhs->type, out);
    vv_ir_add(cc, out, vv_ir_assign(cc, vv_ir_ref(cc, v), bar));
    if (cc->wrong != 1) vv_ir_add(cc, out, vv_ir_zero(cc, bar));
    adjoint(r, rhs, vv_ir_ref(cc, v), false, result, out);
  } else {
    vv_ir_add(cc, out, vv_ir_zero(cc, bar));
  }
}

static void call_adjoint(vvReverse* r, const vvStmt* s, bool direct, bool restore, vvBlock* out) {
  vvCc* cc = r->cc;
  vvFunc* g = s->callee;
  uint64_t mask = vv_call_mask(s, r->active);
  bool lhs_active = s->lhs && vv_adjoint_is_active(r, s->lhs);
  if (!mask && lhs_active && !direct) vv_ir_add(cc, out, vv_ir_zero(cc, vv_adjoint_bar(r, s->lhs)));
  if (!mask && !restore) return;
  if (!lhs_active && g->vjp_rule && g->vjp_rule->takes_value) return;
  vvDeriv* d = vv_reverse(cc, g, mask, restore);
  vvStmt* c = vv_ir_stmt(cc, VV_S_CALL, s->line);
  c->callee = d->rev;
  c->narg = d->rev->nparam;
  c->arg = vv_ir_alloc(cc, (size_t)(c->narg + 1) * sizeof(vvExpr*));
  int n = 0;
  for (int i = 0; i < s->narg; i++) c->arg[n++] = s->arg[i];
  if (d->rule && g->vjp_rule->takes_value) c->arg[n++] = s->lhs;
  if (vv_ir_has_real(g->ret_type)) {
    vvExpr* seed;
    if (lhs_active && direct) {
      seed = vv_adjoint_bar(r, s->lhs);
    } else {
      vvVar* v = scratch(r, g->ret_type, out);
      seed = vv_ir_ref(cc, v);
      if (lhs_active) {
        vv_ir_add(cc, out, vv_ir_assign(cc, seed, vv_adjoint_bar(r, s->lhs)));
        if (cc->wrong != 1) vv_ir_add(cc, out, vv_ir_zero(cc, vv_adjoint_bar(r, s->lhs)));
      } else {
        vv_ir_add(cc, out, vv_ir_zero(cc, seed));
      }
    }
    c->arg[n++] = seed;
  }
  for (int i = 0; i < s->narg; i++) {
    if (!(mask >> i & 1)) continue;
    vvExpr* a = vv_adjoint_bar(r, s->arg[i]);
    c->arg[n++] = g->param[i]->type->kind == VV_T_POINTER ? a : vv_ir_addr(cc, a);
  }
  if (n < c->narg) c->arg[n++] = vv_ir_ref(cc, r->tape);
  vv_ir_add(cc, out, c);
}

void vv_adjoint_stmt(vvReverse* r, const vvStmt* s, bool direct, bool restore, vvBlock* out) {
  if (s->kind == VV_S_ASSIGN) assign_adjoint(r, s, direct, out);
  if (s->kind == VV_S_CALL) call_adjoint(r, s, direct, restore, out);
}
