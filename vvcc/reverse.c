// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// reverse.c: builds the reverse derivative of a function.
//
// method   one sweep over the statements gives forward code (the primal, and the saving of values that are overwritten
//          but needed: "to be recorded") and reverse code (restoring and adjoints, last statement first). The set T
//          holds the leaves whose present value the reverse of what already ran still needs.
// kinds    joint: forward and reverse share their locals, saved values live in locals, no tape; for functions and
//          re-run iterations. split: f_fwd pushes, f_rev pops.

#include "reverse.h"

#include <string.h>

#include "analyse.h"
#include "place.h"
#include "rules.h"

vvDeriv* vv_deriv_find(vvCc* cc, vvFunc* f, uint64_t mask, bool restore) {
  for (vvDeriv* d = f->deriv; d; d = d->next)
    if (d->mask == mask && d->restore == restore) return d;
  vvDeriv* d = VV_IR_NEW(cc, vvDeriv);
  d->mask = mask;
  d->restore = restore;
  d->next = f->deriv;
  f->deriv = d;
  return d;
}

uint64_t vv_deriv_default_mask(const vvFunc* f) {
  uint64_t mask = 0;
  for (int i = 0; i < f->nparam && i < 64; i++)
    if (!f->param[i]->no_diff && vv_ir_has_real(f->param[i]->type)) mask |= (uint64_t)1 << i;
  return mask;
}

static void vary_params(const vvFunc* f, uint64_t mask, vvBits v) {
  int loc = 0;
  for (int i = 0; i < f->nparam; i++) {
    int n = vv_ir_leaves(f->param[i]->type);
    for (int k = 0; k < n; k++)
      if ((mask >> i & 1) && vv_ir_leaf_type(f->param[i]->type, k)->kind == VV_T_REAL) vv_bits_set(v, loc + k);
    loc += n;
  }
}

uint64_t vv_deriv_close_mask(vvCc* cc, vvFunc* f, uint64_t mask) {
  if (!f->body) {
    // of another file: all that it may write
    for (int i = 0; i < f->nparam; i++) {
      const vvIrType* t = f->param[i]->type;
      if (t->kind == VV_T_POINTER && !t->elem_const && !f->param[i]->no_diff && vv_ir_has_real(t))
        mask |= (uint64_t)1 << i;
    }
    return mask;
  }
  vv_summarise(cc, f);
  int n = vv_number(cc, f);
  vvBits v = vv_bits_new(cc, n);
  vary_params(f, mask, v);
  vv_varied(cc, f, v);
  int loc = 0;
  for (int i = 0; i < f->nparam; i++) {
    int m = vv_ir_leaves(f->param[i]->type);
    if (f->param[i]->type->kind == VV_T_POINTER && !f->param[i]->no_diff)
      for (int k = 0; k < m; k++)
        if (vv_bits_get(v, loc + k) && vv_bits_get(f->writes, loc + k)) mask |= (uint64_t)1 << i;
    loc += m;
  }
  return mask;
}

const char* vv_deriv_suffix(vvCc* cc, vvFunc* f, uint64_t mask) {
  if (mask == vv_deriv_default_mask(f)) return "";
  const char* s = "";
  for (int i = 0; i < f->nparam; i++)
    if (mask >> i & 1) s = vv_ir_format(cc, "%s_%s", s, f->param[i]->name);
  return *s ? s : "_none";
}

// saving and restoring

static bool is_int_step(const vvStmt* s) {
  const vvExpr* e = s->rhs;
  return s->kind == VV_S_ASSIGN && s->lhs->type->kind == VV_T_INT && e->kind == VV_E_BIN &&
         (e->op == VV_ADD || e->op == VV_SUB) && vv_ir_equal(s->lhs, e->a) && e->b->kind == VV_E_LIT;
}

static vvStmt* tape_stmt(vvReverse* r, vvStmtKind kind, vvExpr* path) {
  vvStmt* s = vv_ir_stmt(r->cc, kind, 0);
  s->lhs = path;
  return s;
}

static void save(vvReverse* r, vvExpr* path, int depth, vvBlock* fwd, vvBlock* restore) {
  vvCc* cc = r->cc;
  if (r->region->joint && depth == 0 && path->type->kind != VV_T_ARRAY) {
    vvVar* v = vv_ir_temp(cc, r->f, path->type, "old");
    v->scope = r->region->loop;
    vv_ir_add(cc, fwd, vv_ir_assign(cc, vv_ir_ref(cc, v), path));
    if (cc->wrong != 5) vv_ir_add(cc, restore, vv_ir_assign(cc, path, vv_ir_ref(cc, v)));
    return;
  }
  vv_ir_add(cc, fwd, tape_stmt(r, VV_S_PUSH, path));
  if (cc->wrong == 5) {
    // pop into nowhere
    vvVar* v = vv_ir_temp(cc, r->f, path->type, "old");
    v->scope = r->region->loop;
    path = vv_ir_ref(cc, v);
  }
  vv_ir_add(cc, restore, tape_stmt(r, VV_S_POP, path));
}

static void add_range(vvReverse* r, const vvExpr* path, vvBits bits, bool on) {
  int start, count;
  bool exact;
  if (!vv_range(path, &start, &count, &exact)) return;
  if (!on && !exact) return;
  for (int i = 0; i < count; i++) {
    if (on && !vv_bits_get(r->once, start + i)) vv_bits_set(bits, start + i);
    if (!on) vv_bits_clear(bits, start + i);
  }
}

// T |= what the block reads, without memory that keeps its values.
static void need_block(vvReverse* r, const vvBlock* b, vvBits T) {
  vvBits read = vv_bits_new(r->cc, r->nleaf);
  vv_reads_block(r->cc, b, read);
  for (int i = 0; i < r->nleaf; i++)
    if (vv_bits_get(read, i) && !vv_bits_get(r->once, i)) vv_bits_set(T, i);
}

static void need_expr(vvReverse* r, const vvExpr* e, vvBits T) {
  vvBits read = vv_bits_new(r->cc, r->nleaf);
  vv_reads_expr(e, read);
  for (int i = 0; i < r->nleaf; i++)
    if (vv_bits_get(read, i) && !vv_bits_get(r->once, i)) vv_bits_set(T, i);
}

static bool keeps(vvReverse* r, const vvStmt* s) {
  if (!r->region->keep.w) return true;
  vvBits w = vv_bits_new(r->cc, r->nleaf);
  vv_writes_stmt(r->cc, s, w);
  for (int i = 0; i < r->nleaf; i++)
    if (vv_bits_get(w, i) && !vv_bits_get(r->once, i) && vv_bits_get(r->region->keep, i)) return true;
  return false;
}

// A plain copy of forward code, without what the region does not keep.
static void copy_kept(vvReverse* r, const vvBlock* b, vvBlock* out) {
  vvCc* cc = r->cc;
  for (int i = 0; i < b->n; i++) {
    vvStmt* s = VV_IR_NEW(cc, vvStmt);
    *s = *b->v[i];
    if ((s->kind == VV_S_ASSIGN || s->kind == VV_S_CALL) && !keeps(r, s)) continue;
    if (s->body) {
      s->body = vv_ir_block(cc);
      copy_kept(r, b->v[i]->body, s->body);
    }
    if (s->orelse) {
      s->orelse = vv_ir_block(cc);
      copy_kept(r, b->v[i]->orelse, s->orelse);
    }
    bool block = s->kind == VV_S_IF || s->kind == VV_S_FOR || s->kind == VV_S_WHILE;
    if (!block || !vv_is_empty(s->body) || !vv_is_empty(s->orelse)) vv_ir_add(cc, out, s);
  }
}

static void sweep(vvReverse* r, const vvBlock* b, vvBits T, int depth, vvBlock* fwd, vvBlock* rev);

// assignments and calls

static bool is_direct(vvReverse* r, const vvStmt* s, int depth) {
  int start, count;
  bool exact;
  if (depth > 0 || !s->lhs || !vv_range(s->lhs, &start, &count, &exact) || !exact) return false;
  vvVar* v = vv_ir_root(s->lhs);
  if (v->is_param || !vv_loops_is_inside(v->scope, r->region->loop)) return false;
  for (int i = 0; i < count; i++)
    if (r->ndef[start + i] != 1) return false;
  return true;
}

static void sweep_assign(vvReverse* r, const vvStmt* s, vvBits T, int depth, vvBlock* fwd, vvBlock* rev) {
  vvCc* cc = r->cc;
  vvBlock *adj = vv_ir_block(cc), *restore = vv_ir_block(cc);
  vv_adjoint_stmt(r, s, is_direct(r, s, depth), false, adj);
  vvBits read = vv_bits_new(cc, r->nleaf);
  vv_reads_expr(s->rhs, read);
  bool self = vv_adjoint_overlaps(s->lhs, read);
  if (is_int_step(s)) {
    if (vv_adjoint_overlaps(s->lhs, T)) {
      vvOp back = s->rhs->op == VV_ADD ? VV_SUB : VV_ADD;
      if (cc->wrong != 5) vv_ir_add(cc, rev, vv_ir_assign(cc, s->lhs, vv_ir_bin(cc, back, s->lhs, s->rhs->b)));
      vvBits index = vv_bits_new(cc, r->nleaf);
      vv_reads_index(s->lhs, index);
      vv_bits_or(T, index);
    }
    if (keeps(r, s)) vv_ir_add(cc, fwd, (vvStmt*)s);
    return;
  }
  if (self) need_block(r, adj, T);
  bool saved = vv_adjoint_overlaps(s->lhs, T);
  if (saved) {
    save(r, s->lhs, depth, fwd, restore);
    add_range(r, s->lhs, T, false);
    vvBits index = vv_bits_new(cc, r->nleaf);
    vv_reads_index(s->lhs, index);
    vv_bits_or(T, index);
  }
  if (!self) need_block(r, adj, T);
  if (saved || keeps(r, s)) vv_ir_add(cc, fwd, (vvStmt*)s);
  bool first = cc->wrong == 9 ? !self : self;
  if (first) vv_ir_append(cc, rev, restore);
  vv_ir_append(cc, rev, adj);
  if (!first) vv_ir_append(cc, rev, restore);
}

// A statement for the forward half of a split callee.
static vvStmt* forward_call(vvReverse* r, const vvStmt* s, vvFunc* fwd) {
  vvStmt* c = VV_IR_NEW(r->cc, vvStmt);
  *c = *s;
  c->callee = fwd;
  c->narg = fwd->nparam;
  c->arg = vv_ir_alloc(r->cc, (size_t)(c->narg + 1) * sizeof(vvExpr*));
  for (int i = 0; i < s->narg; i++) c->arg[i] = s->arg[i];
  if (c->narg > s->narg) c->arg[s->narg] = vv_ir_ref(r->cc, r->tape);
  return c;
}

// Whole variables with a leaf in `bits`, in order.
static int vars_of(vvReverse* r, vvBits bits, vvVar** list) {
  int n = 0;
  for (int i = 0; i < r->nleaf; i++)
    if (vv_bits_get(bits, i) && (n == 0 || list[n - 1] != r->owner[i])) list[n++] = r->owner[i];
  return n;
}

// A call whose derivative is written by hand. The rule finds what the call returned and wrote still in place; what that
// has overwritten and somebody before it needs is saved as whole variables.
static void sweep_rule(vvReverse* r, const vvStmt* s, vvBits T, int depth, vvBits written, vvBlock* fwd, vvBlock* rev) {
  vvCc* cc = r->cc;
  vvBlock *adj = vv_ir_block(cc), *restore = vv_ir_block(cc);
  vvBits lost = vv_bits_new(cc, r->nleaf);
  for (int i = 0; i < r->nleaf; i++)
    if (vv_bits_get(T, i) && vv_bits_get(written, i)) vv_bits_set(lost, i);
  bool kept = s->lhs && vv_adjoint_overlaps(s->lhs, T);
  if (kept) {
    save(r, s->lhs, depth, fwd, restore);
    add_range(r, s->lhs, T, false);
    vvBits index = vv_bits_new(cc, r->nleaf);
    vv_reads_index(s->lhs, index);
    vv_bits_or(T, index);
  }
  vvVar** list = vv_ir_alloc(cc, (size_t)(r->nleaf + 1) * sizeof(vvVar*));
  int n = vars_of(r, lost, list);
  for (int i = 0; i < n; i++) {
    if (list[i]->type->kind == VV_T_POINTER)
      vv_ir_refuse(
          cc, r->f->file, s->line,
          vv_ir_format(cc, "\"%s\", whose derivative is written by hand, overwrites values that are still needed",
                       s->callee->name),
          "let it write fresh memory");
    vvBlock* one = vv_ir_block(cc);
    save(r, vv_ir_ref(cc, list[i]), depth, fwd, one);
    vv_ir_append(cc, one, restore);
    restore = one;
    add_range(r, vv_ir_ref(cc, list[i]), T, false);
  }
  vv_adjoint_stmt(r, s, is_direct(r, s, depth), false, adj);
  need_block(r, adj, T);
  if (kept || n || keeps(r, s)) vv_ir_add(cc, fwd, (vvStmt*)s);
  vv_ir_append(cc, rev, adj);
  vv_ir_append(cc, rev, restore);
}

static void sweep_call(vvReverse* r, const vvStmt* s, vvBits T, int depth, vvBlock* fwd, vvBlock* rev) {
  vvCc* cc = r->cc;
  vvBlock *adj = vv_ir_block(cc), *restore = vv_ir_block(cc);
  vvBits written = vv_bits_new(cc, r->nleaf);
  vv_writes_stmt(cc, s, written);
  int start, count;
  bool exact;
  if (s->lhs && vv_range(s->lhs, &start, &count, &exact))
    for (int i = 0; i < count; i++) vv_bits_clear(written, start + i);
  uint64_t mask = vv_call_mask(s, r->active);
  if (s->callee->vjp_rule) {
    sweep_rule(r, s, T, depth, written, fwd, rev);
    return;
  }
  // arguments that the callee overwrites and somebody before it still needs
  bool give_back = vv_bits_meet(written, T);
  vv_adjoint_stmt(r, s, is_direct(r, s, depth), give_back, adj);
  need_block(r, adj, T);
  bool again = vv_bits_meet(written, T);
  if (again && !give_back) {
    adj = vv_ir_block(cc);
    give_back = true;
    vv_adjoint_stmt(r, s, is_direct(r, s, depth), true, adj);
    need_block(r, adj, T);
  }
  bool saved = s->lhs && vv_adjoint_overlaps(s->lhs, T);
  vvDeriv* d = adj->n && (mask || give_back) ? vv_reverse(cc, s->callee, mask, give_back) : NULL;
  bool split = d && d->fwd;
  if (split && saved) {
    // the callee's pushes come before the push of what its result overwrites
    vvStmt* c = forward_call(r, s, d->fwd);
    vvVar* v = vv_ir_temp(cc, r->f, s->lhs->type, "got");
    v->scope = r->region->loop;
    c->lhs = vv_ir_ref(cc, v);
    vv_ir_add(cc, fwd, c);
    save(r, s->lhs, depth, fwd, restore);
    vv_ir_add(cc, fwd, vv_ir_assign(cc, s->lhs, c->lhs));
  } else if (saved) {
    save(r, s->lhs, depth, fwd, restore);
  }
  if (saved) {
    add_range(r, s->lhs, T, false);
    vvBits index = vv_bits_new(cc, r->nleaf);
    vv_reads_index(s->lhs, index);
    vv_bits_or(T, index);
  }
  if (split) {
    if (!saved) vv_ir_add(cc, fwd, forward_call(r, s, d->fwd));
  } else if (saved || keeps(r, s)) {
    vv_ir_add(cc, fwd, (vvStmt*)s);
  }
  vv_ir_append(cc, rev, restore);
  vv_ir_append(cc, rev, adj);
}

// Neither loops nor the tape: ignoring the condition around it is wrong but does not derail the rest.
static bool is_plain(const vvBlock* b) {
  for (int i = 0; i < b->n; i++) {
    const vvStmt* s = b->v[i];
    if (s->kind == VV_S_POP || s->kind == VV_S_FOR || s->kind == VV_S_WHILE || s->kind == VV_S_CALL) return false;
    if ((s->body && !is_plain(s->body)) || (s->orelse && !is_plain(s->orelse))) return false;
  }
  return true;
}

static void sweep_if(vvReverse* r, const vvStmt* s, vvBits T, int depth, vvBlock* fwd, vvBlock* rev) {
  vvCc* cc = r->cc;
  vvBits Ty = vv_bits_copy(cc, T), Tn = vv_bits_copy(cc, T);
  vvStmt *f = vv_ir_stmt(cc, VV_S_IF, s->line), *b = vv_ir_stmt(cc, VV_S_IF, s->line);
  f->cond = b->cond = s->cond;
  f->body = vv_ir_block(cc);
  f->orelse = vv_ir_block(cc);
  b->body = vv_ir_block(cc);
  b->orelse = vv_ir_block(cc);
  sweep(r, s->body, Ty, depth, f->body, b->body);
  if (s->orelse) sweep(r, s->orelse, Tn, depth, f->orelse, b->orelse);
  vv_bits_empty(T);
  vv_bits_or(T, Ty);
  vv_bits_or(T, Tn);
  if (f->body->n || f->orelse->n) vv_ir_add(cc, fwd, f);
  if (cc->wrong == 14 && is_plain(b->orelse)) b->orelse = vv_ir_block(cc);
  if (b->body->n || b->orelse->n) {
    need_expr(r, s->cond, T);
    bool flags = s->cond->kind == VV_E_VAR || s->cond->kind == VV_E_UN;
    vvVar* root = flags ? vv_ir_root(s->cond) : NULL;
    if (cc->wrong == 8 && root && root->type->kind == VV_T_INT && !b->orelse->n && is_plain(b->body)) {
      vv_ir_append(cc, rev, b->body);
    } else {
      vv_ir_add(cc, rev, b);
    }
  }
}

// loops

// The loop that runs over the iterations of s backwards; count: where a while loop's iterations are counted.
static vvStmt* backwards(vvReverse* r, const vvStmt* s, vvVar* count, vvBlock* body) {
  vvCc* cc = r->cc;
  vvStmt* l = vv_ir_stmt(cc, VV_S_FOR, s->line);
  l->body = body;
  if (s->kind == VV_S_WHILE) {
    l->var = vv_ir_temp(cc, r->f, cc->t_int, "left");
    l->rhs = vv_ir_ref(cc, count);
    if (cc->wrong == 17) l->rhs = vv_ir_bin(cc, VV_SUB, l->rhs, vv_ir_int(cc, 1));
    l->cond = vv_ir_int(cc, 0);
    l->op = VV_GT;
    l->step = -1;
    return l;
  }
  l->var = s->var;
  if (cc->wrong == 13 && s->op == VV_LT) {
    l->rhs = s->rhs;
    l->cond = s->cond;
    l->op = VV_LT;
    l->step = 1;
    return l;
  }
  switch (s->op) {
    case VV_LT:
      l->countdown = true;
      l->rhs = s->cond;
      l->cond = s->rhs;
      l->op = VV_GT;
      l->step = -1;
      break;
    case VV_LE:
      l->rhs = s->cond;
      l->cond = s->rhs;
      l->op = VV_GE;
      l->step = -1;
      break;
    default:
      l->rhs = s->op == VV_GT ? vv_ir_bin(cc, VV_ADD, s->cond, vv_ir_int(cc, 1)) : s->cond;
      l->cond = s->rhs;
      l->op = VV_LE;
      l->step = 1;
      break;
  }
  return l;
}

static vvVar* count_var(vvReverse* r, const vvStmt* s, vvBlock* fwd, vvBlock* body) {
  vvCc* cc = r->cc;
  if (s->kind != VV_S_WHILE) return NULL;
  vvVar* n = vv_ir_temp(cc, r->f, cc->t_int, "trips");
  n->scope = r->region->loop;
  vv_ir_add(cc, fwd, vv_ir_assign(cc, vv_ir_ref(cc, n), vv_ir_int(cc, 0)));
  vvExpr* e = vv_ir_ref(cc, n);
  vv_ir_add(cc, body, vv_ir_assign(cc, e, vv_ir_bin(cc, VV_ADD, e, vv_ir_int(cc, 1))));
  return n;
}

static void keep_count(vvReverse* r, vvVar* n, int depth, vvBlock* fwd, vvBlock* rev) {
  if (!n || (r->region->joint && depth == 0)) return;
  vv_ir_add(r->cc, fwd, tape_stmt(r, VV_S_PUSH, vv_ir_ref(r->cc, n)));
  vv_ir_add(r->cc, rev, tape_stmt(r, VV_S_POP, vv_ir_ref(r->cc, n)));
}

static vvStmt* loop_like(vvReverse* r, const vvStmt* s) {
  vvStmt* l = VV_IR_NEW(r->cc, vvStmt);
  *l = *s;
  l->body = vv_ir_block(r->cc);
  return l;
}

static void sweep_taped(vvReverse* r, const vvStmt* s, vvBits T, int depth, vvBlock* fwd, vvBlock* rev) {
  vvCc* cc = r->cc;
  vvBits Tl = vv_bits_copy(cc, T);
  int ntemp = r->f->ntemp;
  for (bool changed = true; changed;) {
    vvBits Tb = vv_bits_copy(cc, Tl);
    sweep(r, s->body, Tb, depth + 1, vv_ir_block(cc), vv_ir_block(cc));
    changed = vv_bits_or(Tl, Tb);
    r->f->ntemp = ntemp;
  }
  vvStmt* f = loop_like(r, s);
  vvBlock* body = vv_ir_block(cc);
  vvBits Tb = vv_bits_copy(cc, Tl);
  sweep(r, s->body, Tb, depth + 1, f->body, body);
  vv_bits_or(T, Tl);
  vv_bits_or(T, Tb);
  if (s->kind == VV_S_FOR) vv_bits_clear(T, s->var->loc);
  if (body->n == 0) {
    if (!vv_is_empty(f->body)) vv_ir_add(cc, fwd, f);
    return;
  }
  vvVar* n = count_var(r, s, fwd, f->body);
  if (!vv_is_empty(f->body)) vv_ir_add(cc, fwd, f);
  keep_count(r, n, depth, fwd, rev);
  vv_ir_add(cc, rev, backwards(r, s, n, body));
  if (s->kind == VV_S_FOR) {
    need_expr(r, s->rhs, T);
    need_expr(r, s->cond, T);
  }
}

static bool pushes(const vvBlock* b) {
  for (int i = 0; i < b->n; i++) {
    const vvStmt* s = b->v[i];
    if (s->kind == VV_S_PUSH || (s->kind == VV_S_CALL && s->callee->needs_tape)) return true;
    if ((s->body && pushes(s->body)) || (s->orelse && pushes(s->orelse))) return true;
  }
  return false;
}

// Each iteration forward and backward at once.
static void sweep_fused(vvReverse* r, const vvStmt* s, vvBlock* fwd) {
  vvCc* cc = r->cc;
  vvRegion region = {r->region, (vvStmt*)s, true, {0, NULL}};
  r->region = &region;
  vvStmt* l = loop_like(r, s);
  vvBlock* back = vv_ir_block(cc);
  vvBits Ti = vv_bits_new(cc, r->nleaf);
  sweep(r, s->body, Ti, 0, l->body, back);
  r->region = region.outer;
  if (pushes(l->body)) vv_ir_add(cc, l->body, vv_ir_stmt(cc, VV_S_GUARD, 0));
  vv_ir_append(cc, l->body, back);
  vv_place_decls(cc, l->body, s);
  vv_ir_add(cc, fwd, l);
}

static void sweep_rerun(vvReverse* r, const vvStmt* s, const vvLoopInfo* info, vvBits T, int depth, vvBlock* fwd,
                        vvBlock* rev) {
  vvCc* cc = r->cc;
  vvVar** list = vv_ir_alloc(cc, (size_t)(r->nleaf + 1) * sizeof(vvVar*));
  // what the loop overwrites and somebody before it needs
  vvBlock* restore = vv_ir_block(cc);
  vvBits lost = vv_bits_new(cc, r->nleaf);
  for (int i = 0; i < r->nleaf; i++)
    if (vv_bits_get(T, i) && vv_bits_get(info->mod, i) && !vv_loops_is_inside(r->owner[i]->scope, s))
      vv_bits_set(lost, i);
  int n = vars_of(r, lost, list);
  for (int i = 0; i < n; i++) {
    vvBlock* one = vv_ir_block(cc);
    save(r, vv_ir_ref(cc, list[i]), depth, fwd, one);
    vv_ir_append(cc, one, restore);
    restore = one;
    add_range(r, vv_ir_ref(cc, list[i]), T, false);
  }
  for (int i = 0; i < r->nleaf; i++)
    if (vv_bits_get(info->mod, i) && vv_loops_is_inside(r->owner[i]->scope, s)) vv_bits_clear(T, i);
  if (info->fused) {
    sweep_fused(r, s, fwd);
    vv_ir_append(cc, rev, restore);
    return;
  }
  // forward: the loop as it stands, with the carried values pushed at the start of each iteration
  n = vars_of(r, info->snap, list);
  vvStmt* f = loop_like(r, s);
  vvBlock* body = vv_ir_block(cc);
  for (int i = 0; i < n; i++) vv_ir_add(cc, f->body, tape_stmt(r, VV_S_PUSH, vv_ir_ref(cc, list[i])));
  for (int i = n - 1; i >= 0; i--) {
    vvVar* to = list[i];
    if (cc->wrong == 18) {
      to = vv_ir_temp(cc, r->f, to->type, "old");
      to->scope = (vvStmt*)s;
    }
    vv_ir_add(cc, body, tape_stmt(r, VV_S_POP, vv_ir_ref(cc, to)));
  }
  copy_kept(r, s->body, f->body);
  // reverse: each iteration again, then backwards
  vvRegion region = {r->region, (vvStmt*)s, true, vv_bits_copy(cc, info->required)};
  r->region = &region;
  vvBlock *again = vv_ir_block(cc), *back = vv_ir_block(cc);
  vvBits Ti = vv_bits_new(cc, r->nleaf);
  sweep(r, s->body, Ti, 0, again, back);
  r->region = region.outer;
  if (back->n == 0) {
    // nothing to differentiate: the forward loop only, without pushes
    vvStmt* plain = loop_like(r, s);
    copy_kept(r, s->body, plain->body);
    if (!vv_is_empty(plain->body)) vv_ir_add(cc, fwd, plain);
    vv_ir_append(cc, rev, restore);
    return;
  }
  vvVar* count = count_var(r, s, fwd, f->body);
  if (!vv_is_empty(f->body)) vv_ir_add(cc, fwd, f);
  keep_count(r, count, depth, fwd, rev);
  vv_ir_append(cc, body, again);
  if (pushes(again)) vv_ir_add(cc, body, vv_ir_stmt(cc, VV_S_GUARD, 0));
  vv_ir_append(cc, body, back);
  vv_place_decls(cc, body, s);
  vv_ir_add(cc, rev, backwards(r, s, count, body));
  vv_ir_append(cc, rev, restore);
  for (int i = 0; i < r->nleaf; i++)
    if (vv_bits_get(info->needs, i) && !vv_bits_get(r->once, i)) vv_bits_set(T, i);
  if (s->kind == VV_S_FOR) {
    need_expr(r, s->rhs, T);
    need_expr(r, s->cond, T);
  }
}

static void sweep(vvReverse* r, const vvBlock* b, vvBits T, int depth, vvBlock* fwd, vvBlock* rev) {
  vvCc* cc = r->cc;
  vvBlock** chunk = vv_ir_alloc(cc, (size_t)(b->n + 1) * sizeof(vvBlock*));
  for (int i = 0; i < b->n; i++) {
    const vvStmt* s = b->v[i];
    chunk[i] = vv_ir_block(cc);
    switch (s->kind) {
      case VV_S_ASSIGN:
        sweep_assign(r, s, T, depth, fwd, chunk[i]);
        break;
      case VV_S_CALL:
        sweep_call(r, s, T, depth, fwd, chunk[i]);
        break;
      case VV_S_IF:
        sweep_if(r, s, T, depth, fwd, chunk[i]);
        break;
      case VV_S_FOR:
      case VV_S_WHILE: {
        vvLoopInfo* info = vv_loops_info(r, s);
        if (info->rerun) {
          sweep_rerun(r, s, info, T, depth, fwd, chunk[i]);
        } else {
          sweep_taped(r, s, T, depth, fwd, chunk[i]);
        }
        break;
      }
      default:
        break;
    }
  }
  for (int i = b->n - 1; i >= 0; i--) vv_ir_append(cc, rev, chunk[i]);
}

// functions

static void own_leaves(vvReverse* r, vvVar* v) {
  int n = vv_ir_leaves(v->type);
  for (int i = 0; i < n; i++) r->owner[v->loc + i] = v;
}

static void own_block(vvReverse* r, const vvBlock* b) {
  if (!b) return;
  for (int i = 0; i < b->n; i++) {
    const vvStmt* s = b->v[i];
    if (s->kind == VV_S_DECL || s->kind == VV_S_FOR) own_leaves(r, s->var);
    vvBits w = vv_bits_new(r->cc, r->nleaf);
    vv_writes_stmt(r->cc, s, w);
    for (int k = 0; k < r->nleaf; k++) r->ndef[k] += vv_bits_get(w, k);
    own_block(r, s->body);
    own_block(r, s->orelse);
  }
}

static void find_activity(vvReverse* r) {
  vvCc* cc = r->cc;
  vvFunc* f = r->f;
  vvBits v = vv_bits_new(cc, r->nleaf), u = vv_bits_new(cc, r->nleaf);
  vary_params(f, r->mask, v);
  vv_varied(cc, f, v);
  int loc = 0;
  for (int i = 0; i < f->nparam; i++) {
    vvVar* p = f->param[i];
    int n = vv_ir_leaves(p->type);
    for (int k = 0; k < n; k++) {
      if (p->type->kind != VV_T_POINTER || !vv_bits_get(f->writes, loc + k)) continue;
      if ((r->mask >> i & 1) && vv_ir_leaf_type(p->type, k)->kind == VV_T_REAL) vv_bits_set(u, loc + k);
      if (p->write_once && !r->restore) vv_bits_set(r->once, loc + k);
      if (r->restore) vv_bits_set(r->entry, loc + k);
    }
    loc += n;
  }
  if (f->ret) {
    int start, count;
    bool exact;
    if (vv_range(f->ret, &start, &count, &exact))
      for (int k = 0; k < count; k++)
        if (vv_ir_leaf_type(f->ret_type, k)->kind == VV_T_REAL) vv_bits_set(u, start + k);
  }
  vv_useful(cc, f, u);
  for (int i = 0; i < r->nleaf; i++)
    if (vv_bits_get(v, i) && vv_bits_get(u, i)) vv_bits_set(r->active, i);
}

// Whether the forward part of a joint reverse would have to run loops or callees with a tape.
static bool needs_loops(vvReverse* r, const vvBlock* b) {
  if (!b) return false;
  for (int i = 0; i < b->n; i++) {
    const vvStmt* s = b->v[i];
    if (s->kind == VV_S_FOR || s->kind == VV_S_WHILE) {
      vvLoopInfo* info = vv_loops_info(r, s);
      vvBits none = vv_bits_new(r->cc, r->nleaf);
      bool any = vv_loops_required(r, s->body, true, none);
      vvBlock* kept = vv_ir_block(r->cc);
      copy_kept(r, s->body, kept);
      if (!vv_is_empty(kept)) return true;
      if (any && (!info->rerun || s->kind == VV_S_WHILE || vv_bits_count(info->snap))) return true;
    } else {
      if (s->kind == VV_S_CALL && vv_loops_call_is_split(r, s)) return true;
      if (s->kind == VV_S_CALL && s->callee->has_loop && keeps(r, s)) return true;
      if (needs_loops(r, s->body) || needs_loops(r, s->orelse)) return true;
    }
  }
  return false;
}

static bool can_be_joint(vvReverse* r) {
  if (r->restore && vv_bits_count(r->entry)) return false;
  for (int i = 0; i < r->nleaf; i++) {
    vvVar* v = r->owner[i];
    bool memory = v->is_param && v->type->kind == VV_T_POINTER && vv_bits_get(r->f->writes, i);
    if (memory && !vv_bits_get(r->once, i) && vv_bits_get(r->full, i)) return false;
  }
  return !needs_loops(r, r->f->body);
}

static vvFunc* new_func(vvReverse* r, const char* name) {
  vvFunc* g = VV_IR_NEW(r->cc, vvFunc);
  g->name = name;
  g->file = r->f->file;
  g->line = r->f->line;
  g->is_static = true;
  g->generated = true;
  g->body = vv_ir_block(r->cc);
  g->ret_type = r->cc->t_void;
  g->has_loop = r->f->has_loop;
  return g;
}

static void set_params(vvReverse* r, vvFunc* g, bool reverse) {
  vvCc* cc = r->cc;
  vvFunc* f = r->f;
  g->param = vv_ir_alloc(cc, (size_t)(2 * f->nparam + 4) * sizeof(vvVar*));
  for (int i = 0; i < f->nparam; i++) g->param[g->nparam++] = f->param[i];
  if (reverse) {
    if (r->ret_bar) g->param[g->nparam++] = r->ret_bar;
    for (int i = 0; i < f->nparam; i++)
      if (r->mask >> i & 1) {
        vvExpr* b = vv_adjoint_bar(r, vv_ir_ref(cc, f->param[i]));
        bool summed = r->sums && f->param[i]->type->kind != VV_T_POINTER;
        g->param[g->nparam++] = summed ? f->param[i]->bar : vv_ir_root(b);
      }
  }
}

static void finish(vvReverse* r, vvFunc* g, bool reverse, bool want_tape) {
  set_params(r, g, reverse);
  g->needs_tape = false;
  vv_place_decls(r->cc, g->body, NULL);
  vv_ir_prune(r->cc, g);
  g->ntemp = r->f->ntemp;
  g->summed = false;
  vv_summarise(r->cc, g);
  if (g->needs_tape || want_tape) g->param[g->nparam++] = r->tape;
  g->summed = false;
  vv_summarise(r->cc, g);
  if (want_tape) g->needs_tape = true;
}

static void add_leaves(vvReverse* r, vvExpr* to, vvExpr* from, vvBlock* out) {
  vvCc* cc = r->cc;
  const vvIrType* t = to->type;
  if (t->kind == VV_T_STRUCT) {
    for (int i = 0; i < t->def->nfield; i++)
      add_leaves(r, vv_ir_field(cc, to, &t->def->field[i]), vv_ir_field(cc, from, &t->def->field[i]), out);
  } else if (t->kind == VV_T_ARRAY) {
    for (int i = 0; i < t->count; i++)
      add_leaves(r, vv_ir_index(cc, to, vv_ir_int(cc, i)), vv_ir_index(cc, from, vv_ir_int(cc, i)), out);
  } else if (t->kind == VV_T_REAL) {
    vv_ir_add(cc, out, vv_ir_assign(cc, to, vv_ir_bin(cc, VV_ADD, to, from)));
  }
}

// Hands the sums over: x_bar[0] += x_sum.
static void add_sums(vvReverse* r, vvFunc* g) {
  for (int i = 0; r->sums && i < r->f->nparam; i++) {
    vvVar* bar = r->f->param[i]->bar;
    if (!bar || !bar->sum) continue;
    vv_ir_insert(r->cc, g->body, 0, vv_ir_decl(r->cc, bar->sum, true));
    vvExpr* to = vv_ir_index(r->cc, vv_ir_ref(r->cc, bar), vv_ir_int(r->cc, 0));
    add_leaves(r, to, vv_ir_ref(r->cc, bar->sum), g->body);
  }
}

static void build(vvReverse* r, vvDeriv* d, const char* name) {
  vvCc* cc = r->cc;
  vvFunc* f = r->f;
  vvBits required = vv_bits_new(cc, r->nleaf);
  vv_loops_required(r, f->body, true, required);
  vvRegion region = {NULL, NULL, true, required};
  r->region = &region;
  bool joint = can_be_joint(r);
  vvBits T = vv_bits_new(cc, r->nleaf);
  vvBlock *fwd = vv_ir_block(cc), *rev = vv_ir_block(cc);
  bool pub = !f->is_static && !d->restore;
  bool writes = vv_bits_count(f->writes) > 0;
  vvFunc* g = new_func(r, vv_ir_format(cc, joint && !(pub && writes) ? "%s_vjp" : "%s_rev", name));
  if (joint) {
    sweep(r, f->body, T, 0, fwd, rev);
    vv_ir_append(cc, g->body, fwd);
    if (pushes(fwd)) vv_ir_add(cc, g->body, vv_ir_stmt(cc, VV_S_GUARD, 0));
    vv_ir_append(cc, g->body, rev);
  } else {
    region.joint = false;
    region.keep.w = NULL;
    vv_bits_or(T, r->entry);
    sweep(r, f->body, T, 0, fwd, rev);
    d->fwd = new_func(r, vv_ir_format(cc, "%s_fwd", name));
    d->fwd->ret_type = f->ret_type;
    d->fwd->ret = f->ret;
    vv_ir_append(cc, d->fwd->body, fwd);
    // locals whose final values the reverse needs
    vvVar** list = vv_ir_alloc(cc, (size_t)(r->nleaf + 1) * sizeof(vvVar*));
    int n = vars_of(r, T, list);
    vvBlock* pops = vv_ir_block(cc);
    for (int i = n - 1; i >= 0; i--)
      if (!list[i]->is_param) vv_ir_add(cc, pops, tape_stmt(r, VV_S_POP, vv_ir_ref(cc, list[i])));
    for (int i = 0; i < n; i++)
      if (!list[i]->is_param) vv_ir_add(cc, d->fwd->body, tape_stmt(r, VV_S_PUSH, vv_ir_ref(cc, list[i])));
    if (pops->n || pushes(fwd)) vv_ir_add(cc, g->body, vv_ir_stmt(cc, VV_S_GUARD, 0));
    vv_ir_append(cc, g->body, pops);
    vv_ir_append(cc, g->body, rev);
  }
  add_sums(r, g);
  d->rev = g;
  if (d->fwd) finish(r, d->fwd, false, pub);
  finish(r, g, true, pub);
}

static vvFunc* declared(vvCc* cc, vvFunc* f, const char* name, uint64_t mask, bool reverse) {
  vvFunc* g = VV_IR_NEW(cc, vvFunc);
  g->name = name;
  g->ret_type = reverse ? cc->t_void : f->ret_type;
  g->generated = true;
  g->needs_tape = true;
  g->has_loop = true;
  g->file = f->file;
  g->param = vv_ir_alloc(cc, (size_t)(2 * f->nparam + 4) * sizeof(vvVar*));
  for (int i = 0; i < f->nparam; i++) g->param[g->nparam++] = f->param[i];
  if (reverse && vv_ir_has_real(f->ret_type)) g->param[g->nparam++] = vv_ir_var(cc, "r_bar", f->ret_type);
  for (int i = 0; reverse && i < f->nparam; i++) {
    if (!(mask >> i & 1)) continue;
    vvIrType* t = f->param[i]->type;
    t = vv_ir_pointer(cc, t->kind == VV_T_POINTER ? t->elem : t, false);
    g->param[g->nparam++] = vv_ir_var(cc, vv_ir_format(cc, "%s_bar", f->param[i]->name), t);
  }
  g->param[g->nparam++] = vv_ir_var(cc, "tape", cc->t_tape);
  return g;
}

// A function of another kernel file: its derivatives are called by name.
static void declare_foreign(vvCc* cc, vvFunc* f, vvDeriv* d) {
  const char* variant = NULL;
  if (d->mask == vv_deriv_default_mask(f)) variant = "";
  for (int i = 0; i < f->nvariant && !variant; i++) {
    uint64_t mask = 0;
    for (int k = 0; k < f->variant[i].narg; k++)
      for (int p = 0; p < f->nparam; p++)
        if (strcmp(f->param[p]->name, f->variant[i].arg[k]) == 0) mask |= (uint64_t)1 << p;
    if (vv_deriv_close_mask(cc, f, mask) == d->mask) variant = vv_ir_format(cc, "_%s", f->variant[i].name);
  }
  if (!variant || d->restore)
    vv_ir_refuse(cc, f->file, f->line,
                 vv_ir_format(cc, "\"%s\" of another file is called with %s", f->name,
                              d->restore ? "memory whose old values are still needed" : "inactive arguments"),
                 d->restore ? "pass fresh memory" : "declare that choice with VV_DIFF_WRT, or make it static");
  d->fwd = declared(cc, f, vv_ir_format(cc, "%s%s_fwd", f->name, variant), d->mask, false);
  d->rev = declared(cc, f, vv_ir_format(cc, "%s%s_rev", f->name, variant), d->mask, true);
}

static void prepare(vvReverse* r, vvCc* cc, vvFunc* f, uint64_t mask, bool restore) {
  memset(r, 0, sizeof *r);
  r->cc = cc;
  r->f = vv_ir_clone(cc, f);
  r->f->reads = f->reads;
  r->f->writes = f->writes;
  r->f->summed = true;
  r->mask = mask;
  r->restore = restore;
  r->nleaf = vv_number(cc, r->f);
  r->owner = vv_ir_alloc(cc, (size_t)(r->nleaf + 1) * sizeof(vvVar*));
  r->ndef = vv_ir_alloc(cc, (size_t)(r->nleaf + 1) * sizeof(int));
  for (int i = 0; i < f->nparam; i++) own_leaves(r, r->f->param[i]);
  own_block(r, r->f->body);
  r->active = vv_bits_new(cc, r->nleaf);
  r->once = vv_bits_new(cc, r->nleaf);
  r->entry = vv_bits_new(cc, r->nleaf);
  r->tape = vv_ir_var(cc, "tape", cc->t_tape);
  r->tape->is_param = true;
  static vvRegion none;  // all zero, never written
  r->region = &none;
  if (vv_ir_has_real(f->ret_type)) {
    vvVar* v = vv_ir_root(r->f->ret);
    r->ret_bar = vv_ir_var(cc, vv_ir_format(cc, "%s_bar", v->name), f->ret_type);
    r->ret_bar->is_param = true;
    v->bar = r->ret_bar;
  }
  r->sums = f->has_loop;
  find_activity(r);
  vv_loops_analyse(r);
}

vvDeriv* vv_reverse(vvCc* cc, vvFunc* f, uint64_t mask, bool restore) {
  vvDeriv* d = vv_deriv_find(cc, f, mask, restore);
  if (d->reverse_done) return d;
  d->reverse_done = true;
  if (f->vjp_rule) {
    d->rev = vv_rules_reverse(cc, f, mask, restore);
    d->rule = true;
    return d;
  }
  if (!f->body) {
    declare_foreign(cc, f, d);
    return d;
  }
  vv_summarise(cc, f);
  vvReverse r;
  prepare(&r, cc, f, mask, restore);
  const char* suffix = vv_deriv_suffix(cc, f, mask);
  for (int i = 0; i < f->nvariant; i++) {
    uint64_t m = 0;
    for (int k = 0; k < f->variant[i].narg; k++)
      for (int p = 0; p < f->nparam; p++)
        if (strcmp(f->param[p]->name, f->variant[i].arg[k]) == 0) m |= (uint64_t)1 << p;
    if (*suffix && vv_deriv_close_mask(cc, f, m) == mask) suffix = vv_ir_format(cc, "_%s", f->variant[i].name);
  }
  build(&r, d, vv_ir_format(cc, "%s%s%s", f->name, suffix, restore ? "_restore" : ""));
  return d;
}

// f_vjp of a function that writes memory in a loop, each iteration forward and backward at once; NULL: not possible.
static vvFunc* fused(vvCc* cc, vvFunc* f, uint64_t mask, const char* name) {
  vvReverse rev, *r = &rev;
  prepare(r, cc, f, mask, false);
  // the same loop for all variants, so that all of them give the same bits
  vvReverse whole;
  prepare(&whole, cc, f, vv_deriv_default_mask(f), false);
  int at = vv_loops_fuse(&whole);
  if (at < 0 || vv_loops_fuse(r) != at) return NULL;
  vvRegion region = {NULL, NULL, true, {0, NULL}};
  r->region = &region;
  vvFunc* g = new_func(r, vv_ir_format(cc, "%s_vjp", name));
  vvBits T = vv_bits_new(cc, r->nleaf);
  vvBlock* back = vv_ir_block(cc);
  sweep(r, r->f->body, T, 0, g->body, back);
  if (pushes(g->body)) vv_ir_add(cc, g->body, vv_ir_stmt(cc, VV_S_GUARD, 0));
  vv_ir_append(cc, g->body, back);
  add_sums(r, g);
  finish(r, g, true, true);
  return g;
}

// public forms

static vvStmt* call_stmt(vvCc* cc, vvFunc* g, vvExpr* lhs) {
  vvStmt* c = vv_ir_stmt(cc, VV_S_CALL, 0);
  c->callee = g;
  c->lhs = lhs;
  c->narg = g->nparam;
  c->arg = vv_ir_alloc(cc, (size_t)(g->nparam + 1) * sizeof(vvExpr*));
  for (int i = 0; i < g->nparam; i++) c->arg[i] = vv_ir_ref(cc, g->param[i]);
  return c;
}

static vvFunc* wrapper(vvCc* cc, const vvFunc* f, const char* name) {
  vvFunc* g = VV_IR_NEW(cc, vvFunc);
  g->name = name;
  g->file = f->file;
  g->line = f->line;
  g->generated = true;
  g->is_public = true;
  g->has_loop = true;
  g->body = vv_ir_block(cc);
  g->ret_type = cc->t_void;
  return g;
}

static void add_out(vvCc* cc, vvFunc* g) {
  g->is_public = true;
  g->is_static = false;
  VV_IR_PUSH(cc, cc->out, cc->nout, cc->cap_out, g);
}

// f_fwd of a function that needs none: the function itself.
static vvFunc* plain_forward(vvCc* cc, vvFunc* f, vvFunc* rev, const char* name) {
  vvFunc* g = wrapper(cc, f, name);
  g->nparam = f->nparam + 1;
  g->param = vv_ir_alloc(cc, (size_t)(g->nparam + 1) * sizeof(vvVar*));
  for (int i = 0; i < f->nparam; i++) g->param[i] = rev->param[i];
  g->param[f->nparam] = rev->param[rev->nparam - 1];
  vvStmt* c = call_stmt(cc, f, NULL);
  for (int i = 0; i < f->nparam; i++) c->arg[i] = vv_ir_ref(cc, g->param[i]);
  if (f->ret_type->kind != VV_T_VOID) {
    g->ret_type = f->ret_type;
    vvVar* v = vv_ir_var(cc, "r", f->ret_type);
    vv_ir_add(cc, g->body, vv_ir_decl(cc, v, false));
    g->ret = c->lhs = vv_ir_ref(cc, v);
  }
  vv_ir_add(cc, g->body, c);
  return g;
}

// f_fwd, f_rev and f_vjp of a function whose derivative is written by hand.
static vvFunc* rule_public(vvCc* cc, vvFunc* f, vvFunc* rule, const char* name) {
  vvFunc* made[2];
  for (int k = 0; k < 2; k++) {
    vvFunc* g = made[k] = wrapper(cc, f, vv_ir_format(cc, k ? "%s_vjp" : "%s_rev", name));
    g->param = vv_ir_alloc(cc, (size_t)(rule->nparam + 2) * sizeof(vvVar*));
    int values = f->nparam + vv_ir_has_real(f->ret_type);
    for (int i = 0; i < rule->nparam; i++) {
      if (f->vjp_rule->takes_value && i == f->nparam) continue;
      vvVar* p = g->param[g->nparam] = VV_IR_NEW(cc, vvVar);
      *p = *rule->param[i];
      p->bar = p->tan = p->copy = NULL;
      p->by_value = false;
      if (g->nparam < f->nparam) p->no_diff = f->param[i]->no_diff;
      if (g->nparam >= values) p->by_value = false;
      g->nparam++;
    }
    vvVar* tape = g->param[g->nparam++] = vv_ir_var(cc, "tape", cc->t_tape);
    tape->is_param = true;
    vv_rules_body(cc, g, f, rule, k == 0);
    g->needs_tape = true;
    vv_summarise(cc, g);
    g->needs_tape = true;
  }
  add_out(cc, plain_forward(cc, f, made[0], vv_ir_format(cc, "%s_fwd", name)));
  add_out(cc, made[0]);
  add_out(cc, made[1]);
  return made[1];
}

vvFunc* vv_reverse_public(vvCc* cc, vvFunc* f, uint64_t mask, const char* variant) {
  const char* name = *variant ? vv_ir_format(cc, "%s_%s", f->name, variant) : f->name;
  vvDeriv* d = vv_reverse(cc, f, mask, false);
  if (d->rule) return rule_public(cc, f, d->rev, name);
  bool joint = d->fwd == NULL;
  bool writes = vv_bits_count(f->writes) > 0;
  vvFunc* fwd = d->fwd;
  if (joint) fwd = plain_forward(cc, f, d->rev, vv_ir_format(cc, "%s_fwd", name));
  add_out(cc, fwd);
  add_out(cc, d->rev);
  vvFunc* once = joint && writes ? fused(cc, f, mask, name) : NULL;
  if (once) {
    add_out(cc, once);
    return once;
  }
  vvFunc* other = wrapper(cc, f, vv_ir_format(cc, joint && !writes ? "%s_rev" : "%s_vjp", name));
  other->param = d->rev->param;
  other->nparam = d->rev->nparam;
  if (!(joint && !writes)) {
    vvFunc* first = joint ? f : fwd;
    vvStmt* c = call_stmt(cc, first, NULL);
    for (int i = 0; i < f->nparam; i++) c->arg[i] = vv_ir_ref(cc, d->rev->param[i]);
    if (!joint) c->arg[c->narg - 1] = vv_ir_ref(cc, d->rev->param[d->rev->nparam - 1]);
    vv_ir_add(cc, other->body, c);
  }
  vv_ir_add(cc, other->body, call_stmt(cc, d->rev, NULL));
  add_out(cc, other);
  return joint && !writes ? d->rev : other;
}
