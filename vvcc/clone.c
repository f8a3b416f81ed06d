// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// clone.c: copies of functions, and calls replaced by the callee's body.

#include <string.h>

#include "ir.h"

typedef struct vvCloner {
  vvCc* cc;
  vvFunc* into;
  vvStmt* scope;  // loop around an inlined body
} vvCloner;

static vvExpr* add_index(vvCc* cc, vvExpr* a, vvExpr* b) {
  if (vv_ir_is_zero(a)) return b;
  if (vv_ir_is_zero(b)) return a;
  return vv_ir_bin(cc, VV_ADD, a, b);
}

vvExpr* vv_ir_offset(vvCc* cc, vvExpr* p, vvExpr* i) {
  if (p->kind == VV_E_ADDR) {
    if (vv_ir_is_zero(i)) return p->a;
    if (p->a->kind == VV_E_INDEX) return vv_ir_offset(cc, p->a->a, add_index(cc, p->a->b, i));
  }
  if (p->kind == VV_E_BIN && p->op == VV_ADD) return vv_ir_offset(cc, p->a, add_index(cc, p->b, i));
  bool drops_const = p->kind == VV_E_CAST && p->a->type->kind == VV_T_POINTER && p->a->type->elem_const &&
                     p->type->kind == VV_T_POINTER && !p->type->elem_const;
  if (p->kind == VV_E_CAST && !drops_const) return vv_ir_offset(cc, p->a, i);
  return vv_ir_index(cc, p, i);
}

vvExpr* vv_ir_copy_expr(vvCc* cc, const vvExpr* e) {
  if (!e) return NULL;
  if (e->kind == VV_E_VAR) {
    if (e->var->alias) return e->var->alias;
    return vv_ir_ref(cc, e->var->copy ? e->var->copy : e->var);
  }
  if (e->kind == VV_E_INDEX) {
    vvExpr* a = vv_ir_copy_expr(cc, e->a);
    return vv_ir_offset(cc, a, vv_ir_copy_expr(cc, e->b));
  }
  if (e->kind == VV_E_ADDR) return vv_ir_addr(cc, vv_ir_copy_expr(cc, e->a));
  vvExpr* r = VV_IR_NEW(cc, vvExpr);
  *r = *e;
  r->a = vv_ir_copy_expr(cc, e->a);
  r->b = vv_ir_copy_expr(cc, e->b);
  r->c = vv_ir_copy_expr(cc, e->c);
  return r;
}

static vvVar* copy_var(vvCloner* cl, vvVar* v) {
  vvVar* r = VV_IR_NEW(cl->cc, vvVar);
  *r = *v;
  r->loc = -1;
  r->bar = NULL;
  r->tan = NULL;
  r->copy = NULL;
  r->alias = NULL;
  r->scope = v->scope ? v->scope->copy : cl->scope;
  v->copy = r;
  return r;
}

static vvBlock* copy_block(vvCloner* cl, const vvBlock* b, vvStmt* outer);

static vvStmt* copy_stmt(vvCloner* cl, vvStmt* s, vvStmt* outer) {
  vvCc* cc = cl->cc;
  vvStmt* r = VV_IR_NEW(cc, vvStmt);
  *r = *s;
  r->copy = NULL;
  if (s->kind == VV_S_FOR || s->kind == VV_S_WHILE) {
    s->copy = r;
    r->outer = outer;
  }
  r->lhs = vv_ir_copy_expr(cc, s->lhs);
  r->rhs = vv_ir_copy_expr(cc, s->rhs);
  r->cond = vv_ir_copy_expr(cc, s->cond);
  if (s->kind == VV_S_DECL || s->kind == VV_S_FOR) r->var = copy_var(cl, s->var);
  if (s->narg) {
    r->arg = vv_ir_alloc(cc, (size_t)s->narg * sizeof(vvExpr*));
    for (int i = 0; i < s->narg; i++) r->arg[i] = vv_ir_copy_expr(cc, s->arg[i]);
  }
  vvStmt* inner = s->kind == VV_S_FOR || s->kind == VV_S_WHILE ? r : outer;
  if (s->body) r->body = copy_block(cl, s->body, inner);
  if (s->orelse) r->orelse = copy_block(cl, s->orelse, inner);
  return r;
}

static vvBlock* copy_block(vvCloner* cl, const vvBlock* b, vvStmt* outer) {
  vvBlock* r = vv_ir_block(cl->cc);
  for (int i = 0; i < b->n; i++) vv_ir_add(cl->cc, r, copy_stmt(cl, b->v[i], outer));
  return r;
}

static void forget_copies(const vvBlock* b) {
  for (int i = 0; i < b->n; i++) {
    vvStmt* s = b->v[i];
    s->copy = NULL;
    if (s->var) s->var->copy = NULL;
    if (s->body) forget_copies(s->body);
    if (s->orelse) forget_copies(s->orelse);
  }
}

vvFunc* vv_ir_clone(vvCc* cc, const vvFunc* f) {
  vvFunc* r = VV_IR_NEW(cc, vvFunc);
  *r = *f;
  r->deriv = NULL;
  r->summed = false;
  r->order = 0;
  r->emit = false;
  vvCloner cl = {cc, r, NULL};
  r->param = vv_ir_alloc(cc, (size_t)(f->nparam + 1) * sizeof(vvVar*));
  for (int i = 0; i < f->nparam; i++) r->param[i] = copy_var(&cl, f->param[i]);
  r->body = copy_block(&cl, f->body, NULL);
  r->ret = vv_ir_copy_expr(cc, f->ret);
  forget_copies(f->body);
  for (int i = 0; i < f->nparam; i++) f->param[i]->copy = NULL;
  return r;
}

// The index part of a pointer expression, NULL: none.
static bool index_is_plain(const vvExpr* e) {
  if (!e) return true;
  if (e->kind == VV_E_LIT) return true;
  if (e->kind == VV_E_VAR) return e->type->kind == VV_T_INT;
  if (e->kind == VV_E_BIN) return index_is_plain(e->a) && index_is_plain(e->b);
  return false;
}

// Binds impure index parts of a pointer argument to integer temporaries, so that it means the same to the end.
static vvExpr* settle_pointer(vvCloner* cl, vvExpr* p, vvBlock* out) {
  vvCc* cc = cl->cc;
  vvExpr* r = VV_IR_NEW(cc, vvExpr);
  *r = *p;
  switch (p->kind) {
    case VV_E_VAR:
      return p;
    case VV_E_ADDR:
    case VV_E_FIELD:
    case VV_E_CAST:
      r->a = settle_pointer(cl, p->a, out);
      return r;
    case VV_E_INDEX:
    case VV_E_BIN:
      r->a = settle_pointer(cl, p->a, out);
      if (!index_is_plain(p->b)) {
        vvVar* t = vv_ir_temp(cc, cl->into, p->b->type->kind == VV_T_INT ? p->b->type : cc->t_int, "at");
        t->scope = cl->scope;
        vv_ir_add(cc, out, vv_ir_decl(cc, t, false));
        vv_ir_add(cc, out, vv_ir_assign(cc, vv_ir_ref(cc, t), p->b));
        r->b = vv_ir_ref(cc, t);
      }
      return r;
    default:
      return p;
  }
}

vvExpr* vv_ir_inline(vvCc* cc, vvFunc* into, vvFunc* f, vvExpr** arg, vvStmt* scope, vvBlock* out) {
  vvCloner cl = {cc, into, scope};
  for (int i = 0; i < f->nparam; i++) {
    vvVar* p = f->param[i];
    if (p->type->kind == VV_T_POINTER || p->type->kind == VV_T_ARRAY) {
      p->alias = settle_pointer(&cl, arg[i], out);
      continue;
    }
    bool share = arg[i]->kind == VV_E_LIT;
    if (share && arg[i]->type != p->type) {
      p->alias = vv_ir_cast(cc, p->type, arg[i]);
      continue;
    }
    if (arg[i]->kind == VV_E_VAR && vv_ir_same_type(arg[i]->type, p->type)) {
      share = true;
      for (int k = 0; k < f->nparam; k++)
        if (k != i && vv_ir_root(arg[k]) == arg[i]->var && f->param[k]->type->kind == VV_T_POINTER) share = false;
    }
    if (share) {
      p->alias = arg[i];
      continue;
    }
    vvVar* v = vv_ir_var(cc, p->name, p->type);
    v->scope = scope;
    vv_ir_add(cc, out, vv_ir_decl(cc, v, false));
    vv_ir_add(cc, out, vv_ir_assign(cc, vv_ir_ref(cc, v), arg[i]));
    p->alias = vv_ir_ref(cc, v);
  }
  vvBlock* b = copy_block(&cl, f->body, scope);
  for (int i = 0; i < b->n; i++) b->v[i]->inlined = true;
  vvExpr* ret = vv_ir_copy_expr(cc, f->ret);
  forget_copies(f->body);
  for (int i = 0; i < f->nparam; i++) f->param[i]->alias = NULL;
  vv_ir_append(cc, out, b);
  return ret;
}
