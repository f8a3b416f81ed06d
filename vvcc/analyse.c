// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// analyse.c: sets of leaves read and written, activity. Flow-insensitive: a leaf is varied or useful in the whole
// function or not at all.

#include "analyse.h"

#include <string.h>

static void number_var(vvVar* v, int* n) {
  v->loc = *n;
  *n += vv_ir_leaves(v->type);
}

static void number_block(const vvBlock* b, int* n) {
  for (int i = 0; i < b->n; i++) {
    vvStmt* s = b->v[i];
    if (s->kind == VV_S_DECL || s->kind == VV_S_FOR) number_var(s->var, n);
    if (s->body) number_block(s->body, n);
    if (s->orelse) number_block(s->orelse, n);
  }
}

int vv_param_leaves(const vvFunc* f) {
  int n = 0;
  for (int i = 0; i < f->nparam; i++) n += vv_ir_leaves(f->param[i]->type);
  return n;
}

int vv_number(vvCc* cc, vvFunc* f) {
  (void)cc;
  int n = 0;
  for (int i = 0; i < f->nparam; i++) number_var(f->param[i], &n);
  if (f->body) number_block(f->body, &n);
  return n;
}

bool vv_range(const vvExpr* e, int* start, int* count, bool* exact) {
  *exact = true;
  int offset = 0;
  *count = vv_ir_leaves(e->type);
  for (;;) {
    switch (e->kind) {
      case VV_E_VAR:
        *start = e->var->loc + offset;
        return e->var->loc >= 0;
      case VV_E_FIELD:
        offset += e->field->leaf;
        break;
      case VV_E_INDEX:
        *exact = false;
        break;
      case VV_E_ADDR:
      case VV_E_BIN:
      case VV_E_CAST:
        break;
      default:
        return false;
    }
    e = e->a;
  }
}

void vv_reads_index(const vvExpr* path, vvBits bits) {
  for (; path; path = path->a) {
    if (path->kind == VV_E_INDEX || path->kind == VV_E_BIN) vv_reads_expr(path->b, bits);
    if (path->kind == VV_E_LIT) return;
  }
}

static void set_range(const vvExpr* path, vvBits bits) {
  int start, count;
  bool exact;
  if (!vv_range(path, &start, &count, &exact)) return;
  for (int i = 0; i < count; i++) vv_bits_set(bits, start + i);
}

static bool meets_range(const vvExpr* path, vvBits bits) {
  int start, count;
  bool exact;
  if (!vv_range(path, &start, &count, &exact)) return false;
  for (int i = 0; i < count; i++)
    if (vv_bits_get(bits, start + i)) return true;
  return false;
}

static bool is_pointer_type(const vvIrType* t) {
  return t->kind == VV_T_POINTER || t->kind == VV_T_ARRAY;
}

void vv_reads_expr(const vvExpr* e, vvBits bits) {
  if (!e || e->kind == VV_E_LIT) return;
  if (vv_ir_is_path(e)) {
    if (!is_pointer_type(e->type)) set_range(e, bits);
    vv_reads_index(e, bits);
    return;
  }
  if (e->kind == VV_E_ADDR) {
    vv_reads_index(e, bits);
    return;
  }
  vv_reads_expr(e->a, bits);
  vv_reads_expr(e->b, bits);
  vv_reads_expr(e->c, bits);
}

// The leaves of argument i among the callee's parameter leaves `set`, mapped to the caller.
static void map_argument(const vvStmt* s, int i, int param_loc, vvBits set, vvBits bits) {
  const vvExpr* a = s->arg[i];
  int n = vv_ir_leaves(s->callee->param[i]->type);
  int start, count;
  bool exact;
  bool ok = (vv_ir_is_path(a) || is_pointer_type(a->type)) && vv_range(a, &start, &count, &exact);
  for (int k = 0; k < n; k++) {
    if (!vv_bits_get(set, param_loc + k)) continue;
    if (ok && count == n) {
      vv_bits_set(bits, start + k);
    } else if (!is_pointer_type(a->type)) {
      vv_reads_expr(a, bits);
    }
  }
}

static void map_call(const vvStmt* s, vvBits set, bool pointers_only, vvBits bits) {
  int loc = 0;
  for (int i = 0; i < s->narg; i++) {
    const vvIrType* t = s->callee->param[i]->type;
    if (!pointers_only || t->kind == VV_T_POINTER) map_argument(s, i, loc, set, bits);
    loc += vv_ir_leaves(t);
  }
}

void vv_reads_stmt(vvCc* cc, const vvStmt* s, vvBits bits) {
  if (s->lhs) vv_reads_index(s->lhs, bits);
  switch (s->kind) {
    case VV_S_ASSIGN:
      vv_reads_expr(s->rhs, bits);
      break;
    case VV_S_CALL:
      vv_summarise(cc, s->callee);
      map_call(s, s->callee->reads, false, bits);
      for (int i = 0; i < s->narg; i++) {
        vv_reads_index(s->arg[i], bits);
        if (s->callee->param[i]->type->kind == VV_T_INT) vv_reads_expr(s->arg[i], bits);
      }
      break;
    case VV_S_IF:
    case VV_S_WHILE:
      vv_reads_expr(s->cond, bits);
      break;
    case VV_S_FOR:
      vv_reads_expr(s->rhs, bits);
      vv_reads_expr(s->cond, bits);
      break;
    case VV_S_PUSH:
      vv_reads_expr(s->lhs, bits);
      break;
    case VV_S_POP:
    case VV_S_ZERO:
    case VV_S_DECL:
    case VV_S_GUARD:
      break;
  }
}

void vv_writes_stmt(vvCc* cc, const vvStmt* s, vvBits bits) {
  switch (s->kind) {
    case VV_S_ASSIGN:
    case VV_S_ZERO:
    case VV_S_POP:
      set_range(s->lhs, bits);
      break;
    case VV_S_CALL:
      vv_summarise(cc, s->callee);
      if (s->lhs) set_range(s->lhs, bits);
      map_call(s, s->callee->writes, true, bits);
      break;
    case VV_S_FOR:
      if (s->var->loc >= 0) vv_bits_set(bits, s->var->loc);
      break;
    default:
      break;
  }
}

void vv_reads_block(vvCc* cc, const vvBlock* b, vvBits bits) {
  if (!b) return;
  for (int i = 0; i < b->n; i++) {
    vv_reads_stmt(cc, b->v[i], bits);
    vv_reads_block(cc, b->v[i]->body, bits);
    vv_reads_block(cc, b->v[i]->orelse, bits);
  }
}

void vv_writes_block(vvCc* cc, const vvBlock* b, vvBits bits) {
  if (!b) return;
  for (int i = 0; i < b->n; i++) {
    vv_writes_stmt(cc, b->v[i], bits);
    vv_writes_block(cc, b->v[i]->body, bits);
    vv_writes_block(cc, b->v[i]->orelse, bits);
  }
}

static bool uses_tape(const vvBlock* b) {
  if (!b) return false;
  for (int i = 0; i < b->n; i++) {
    const vvStmt* s = b->v[i];
    if (s->kind == VV_S_PUSH || s->kind == VV_S_POP || s->kind == VV_S_GUARD) return true;
    if (s->kind == VV_S_CALL && s->callee->needs_tape) return true;
    if (uses_tape(s->body) || uses_tape(s->orelse)) return true;
  }
  return false;
}

void vv_summarise(vvCc* cc, vvFunc* f) {
  if (f->summed) return;
  f->summed = true;
  int np = vv_param_leaves(f);
  if (!f->body) {
    f->reads = vv_bits_new(cc, np);
    f->writes = vv_bits_new(cc, np);
    int loc = 0;
    for (int i = 0; i < f->nparam; i++) {
      int n = vv_ir_leaves(f->param[i]->type);
      bool writes = f->param[i]->type->kind == VV_T_POINTER && !f->param[i]->type->elem_const;
      for (int k = 0; k < n; k++) {
        vv_bits_set(f->reads, loc + k);
        if (writes) vv_bits_set(f->writes, loc + k);
      }
      loc += n;
    }
    return;
  }
  int n = vv_number(cc, f);
  vvBits reads = vv_bits_new(cc, n), writes = vv_bits_new(cc, n);
  vv_reads_block(cc, f->body, reads);
  if (f->ret) vv_reads_expr(f->ret, reads);
  vv_writes_block(cc, f->body, writes);
  f->reads = vv_bits_new(cc, np);
  f->writes = vv_bits_new(cc, np);
  for (int i = 0; i < np; i++) {
    if (vv_bits_get(reads, i)) vv_bits_set(f->reads, i);
    if (vv_bits_get(writes, i)) vv_bits_set(f->writes, i);
  }
  f->needs_tape = uses_tape(f->body);
}

// removal of assignments that nobody reads

static void count_uses(const vvExpr* e, const vvVar* except) {
  if (!e) return;
  if (e->kind == VV_E_VAR && e->var != except) e->var->uses++;
  count_uses(e->a, except);
  count_uses(e->b, except);
  count_uses(e->c, except);
}

static void count_block(const vvBlock* b) {
  if (!b) return;
  for (int i = 0; i < b->n; i++) {
    const vvStmt* s = b->v[i];
    if (s->kind == VV_S_ASSIGN || s->kind == VV_S_ZERO) {
      const vvVar* root = vv_ir_root(s->lhs);
      const vvVar* own = root->is_param || root->type->kind == VV_T_POINTER ? NULL : root;
      count_uses(s->lhs, own);
      count_uses(s->rhs, own);
    } else {
      bool result = s->kind == VV_S_CALL && s->lhs && s->lhs->kind == VV_E_VAR && !s->lhs->var->is_param;
      if (!result) count_uses(s->lhs, NULL);
      count_uses(s->rhs, NULL);
      count_uses(s->cond, NULL);
      for (int k = 0; k < s->narg; k++) count_uses(s->arg[k], NULL);
    }
    count_block(s->body);
    count_block(s->orelse);
  }
}

static void reset_uses(const vvBlock* b) {
  if (!b) return;
  for (int i = 0; i < b->n; i++) {
    if (b->v[i]->var) b->v[i]->var->uses = 0;
    reset_uses(b->v[i]->body);
    reset_uses(b->v[i]->orelse);
  }
}

bool vv_is_empty(const vvBlock* b) {
  if (!b) return true;
  for (int i = 0; i < b->n; i++)
    if (b->v[i]->kind != VV_S_DECL) return false;
  return true;
}

static bool prune_block(vvCc* cc, vvBlock* b) {
  if (!b) return false;
  bool changed = false;
  int n = 0;
  for (int i = 0; i < b->n; i++) {
    vvStmt* s = b->v[i];
    changed |= prune_block(cc, s->body);
    changed |= prune_block(cc, s->orelse);
    bool drop = false;
    if (s->kind == VV_S_ASSIGN || s->kind == VV_S_ZERO) {
      const vvVar* r = vv_ir_root(s->lhs);
      drop = !r->is_param && r->uses == 0;
    } else if (s->kind == VV_S_CALL && s->lhs && s->lhs->kind == VV_E_VAR && !s->lhs->var->is_param &&
               s->lhs->var->uses == 0) {
      // the result is ignored; other blocks may share the statement
      vvStmt* c = VV_IR_NEW(cc, vvStmt);
      *c = *s;
      c->lhs = NULL;
      s = c;
    } else if (s->kind == VV_S_IF) {
      drop = vv_is_empty(s->body) && vv_is_empty(s->orelse);
    } else if (s->kind == VV_S_DECL) {
      drop = s->var->uses < 0;
    } else if (s->kind == VV_S_FOR || s->kind == VV_S_WHILE) {
      drop = vv_is_empty(s->body);
    }
    if (drop) {
      changed = true;
    } else {
      b->v[n++] = s;
    }
  }
  b->n = n;
  return changed;
}

static bool is_mentioned(const vvBlock* b, const vvVar* v);

static bool expr_mentions(const vvExpr* e, const vvVar* v) {
  if (!e) return false;
  if (e->kind == VV_E_VAR) return e->var == v;
  return expr_mentions(e->a, v) || expr_mentions(e->b, v) || expr_mentions(e->c, v);
}

static bool is_mentioned(const vvBlock* b, const vvVar* v) {
  if (!b) return false;
  for (int i = 0; i < b->n; i++) {
    const vvStmt* s = b->v[i];
    if (expr_mentions(s->lhs, v) || expr_mentions(s->rhs, v) || expr_mentions(s->cond, v)) return true;
    for (int k = 0; k < s->narg; k++)
      if (expr_mentions(s->arg[k], v)) return true;
    if (is_mentioned(s->body, v) || is_mentioned(s->orelse, v)) return true;
  }
  return false;
}

static void drop_decls(vvFunc* f, vvBlock* b) {
  if (!b) return;
  int n = 0;
  for (int i = 0; i < b->n; i++) {
    vvStmt* s = b->v[i];
    drop_decls(f, s->body);
    drop_decls(f, s->orelse);
    bool keep = s->kind != VV_S_DECL || is_mentioned(f->body, s->var) || expr_mentions(f->ret, s->var);
    if (keep) b->v[n++] = s;
  }
  b->n = n;
}

void vv_ir_prune(vvCc* cc, vvFunc* f) {
  bool changed = true;
  while (changed) {
    reset_uses(f->body);
    count_block(f->body);
    if (f->ret) count_uses(f->ret, NULL);
    changed = prune_block(cc, f->body);
  }
  drop_decls(f, f->body);
}

// activity

bool vv_is_varied(const vvExpr* e, vvBits v) {
  if (!e) return false;
  if (vv_ir_is_path(e)) return (e->type->kind == VV_T_REAL || e->type->kind == VV_T_STRUCT) && meets_range(e, v);
  if (e->type->kind != VV_T_REAL) return false;
  switch (e->kind) {
    case VV_E_UN:
      return vv_is_varied(e->a, v);
    case VV_E_CAST:
      return vv_is_varied(e->a, v);
    case VV_E_BIN:
      return vv_is_varied(e->a, v) || vv_is_varied(e->b, v);
    case VV_E_MATH:
      if (vv_ir_math_is_step(e->fn)) return false;
      return vv_is_varied(e->a, v) || vv_is_varied(e->b, v) || vv_is_varied(e->c, v);
    default:
      return false;
  }
}

static bool set_real_range(const vvExpr* path, vvBits bits) {
  int start, count;
  bool exact, changed = false;
  const vvVar* root = vv_ir_root(path);
  if (!root || root->no_diff || !vv_range(path, &start, &count, &exact)) return false;
  for (int i = 0; i < count; i++) {
    if (vv_ir_leaf_type(path->type, i)->kind != VV_T_REAL || vv_bits_get(bits, start + i)) continue;
    vv_bits_set(bits, start + i);
    changed = true;
  }
  return changed;
}

uint64_t vv_call_mask(const vvStmt* s, vvBits v) {
  uint64_t mask = 0;
  for (int i = 0; i < s->narg && i < 64; i++) {
    const vvVar* p = s->callee->param[i];
    if (p->no_diff || !vv_ir_has_real(p->type) || s->arg[i]->kind == VV_E_LIT) continue;
    bool on = p->type->kind == VV_T_POINTER ? meets_range(s->arg[i], v) : vv_is_varied(s->arg[i], v);
    if (on) mask |= (uint64_t)1 << i;
  }
  return mask;
}

// Which leaves of parameters and result vary in a callee when the masked parameters do.

static void callee_varied(vvCc* cc, vvFunc* g, uint64_t mask, vvBits* params, vvBits* ret) {
  vv_summarise(cc, g);
  int np = vv_param_leaves(g);
  int nr = vv_ir_leaves(g->ret_type);
  *ret = vv_bits_new(cc, nr);
  vvBits v = vv_bits_new(cc, g->body ? vv_number(cc, g) : np);
  int loc = 0;
  for (int i = 0; i < g->nparam; i++) {
    int n = vv_ir_leaves(g->param[i]->type);
    for (int k = 0; k < n; k++) {
      bool real = vv_ir_leaf_type(g->param[i]->type, k)->kind == VV_T_REAL;
      if (real && (mask >> i & 1)) vv_bits_set(v, loc + k);
      if (real && mask && !g->body && vv_bits_get(g->writes, loc + k)) vv_bits_set(v, loc + k);
    }
    loc += n;
  }
  if (g->body) vv_varied(cc, g, v);
  for (int k = 0; k < nr; k++) {
    if (vv_ir_leaf_type(g->ret_type, k)->kind != VV_T_REAL) continue;
    int start, count;
    bool exact;
    bool on = !g->body ? mask != 0 : vv_range(g->ret, &start, &count, &exact) && vv_bits_get(v, start + k);
    if (on) vv_bits_set(*ret, k);
  }
  *params = v;
}

static bool varied_call(vvCc* cc, const vvStmt* s, vvBits v) {
  uint64_t mask = vv_call_mask(s, v);
  if (!mask && !s->callee->needs_tape) return false;
  vvBits params, ret;
  callee_varied(cc, s->callee, mask, &params, &ret);
  bool changed = false;
  int start, count, loc = 0;
  bool exact;
  if (s->lhs && vv_range(s->lhs, &start, &count, &exact))
    for (int k = 0; k < count; k++)
      if (vv_bits_get(ret, k) && !vv_bits_get(v, start + k)) {
        vv_bits_set(v, start + k);
        changed = true;
      }
  for (int i = 0; i < s->narg; i++) {
    const vvIrType* t = s->callee->param[i]->type;
    int n = vv_ir_leaves(t);
    const vvVar* root = vv_ir_root(s->arg[i]);
    if (t->kind == VV_T_POINTER && root && !root->no_diff && vv_range(s->arg[i], &start, &count, &exact))
      for (int k = 0; k < n; k++)
        if (vv_bits_get(params, loc + k) && vv_bits_get(s->callee->writes, loc + k) && !vv_bits_get(v, start + k)) {
          vv_bits_set(v, start + k);
          changed = true;
        }
    loc += n;
  }
  return changed;
}

static bool copy_leaves(const vvExpr* from, const vvExpr* to, vvBits v) {
  int a, b, n, m;
  bool exact, changed = false;
  if (vv_ir_root(to)->no_diff || !vv_range(from, &a, &n, &exact) || !vv_range(to, &b, &m, &exact) || n != m)
    return false;
  for (int i = 0; i < n; i++)
    if (vv_bits_get(v, a + i) && !vv_bits_get(v, b + i)) {
      vv_bits_set(v, b + i);
      changed = true;
    }
  return changed;
}

static bool varied_block(vvCc* cc, const vvBlock* b, vvBits v) {
  if (!b) return false;
  bool changed = false;
  for (int i = 0; i < b->n; i++) {
    const vvStmt* s = b->v[i];
    if (s->kind == VV_S_ASSIGN) {
      if (s->lhs->type->kind == VV_T_STRUCT && vv_ir_is_path(s->rhs)) changed |= copy_leaves(s->rhs, s->lhs, v);
      if (s->lhs->type->kind == VV_T_REAL && vv_is_varied(s->rhs, v)) changed |= set_real_range(s->lhs, v);
    } else if (s->kind == VV_S_CALL) {
      changed |= varied_call(cc, s, v);
    } else if (s->kind == VV_S_PUSH || s->kind == VV_S_POP) {
      changed |= set_real_range(s->lhs, v);
    }
    changed |= varied_block(cc, s->body, v);
    changed |= varied_block(cc, s->orelse, v);
  }
  return changed;
}

void vv_varied(vvCc* cc, vvFunc* f, vvBits v) {
  while (varied_block(cc, f->body, v)) {
  }
}

static bool useful_expr(const vvExpr* e, vvBits u) {
  if (!e || e->kind == VV_E_LIT) return false;
  if (vv_ir_is_path(e)) return set_real_range(e, u);
  if (e->type->kind != VV_T_REAL || e->kind == VV_E_COND) return false;
  if (e->kind == VV_E_MATH && vv_ir_math_is_step(e->fn)) return false;
  bool changed = useful_expr(e->a, u);
  if (useful_expr(e->b, u)) changed = true;
  if (e->kind == VV_E_MATH && useful_expr(e->c, u)) changed = true;
  return changed;
}

static bool useful_call(vvCc* cc, const vvStmt* s, vvBits u) {
  vv_summarise(cc, s->callee);
  vvBits written = vv_bits_new(cc, u.n);
  vv_writes_stmt(cc, s, written);
  if (!vv_bits_meet(written, u)) return false;
  bool changed = false;
  int loc = 0;
  for (int i = 0; i < s->narg; i++) {
    const vvVar* p = s->callee->param[i];
    int n = vv_ir_leaves(p->type);
    if (!p->no_diff) {
      if (p->type->kind != VV_T_POINTER) {
        changed |= useful_expr(s->arg[i], u);
      } else {
        int start, count;
        bool exact;
        if (vv_range(s->arg[i], &start, &count, &exact))
          for (int k = 0; k < n; k++)
            if (vv_bits_get(s->callee->reads, loc + k) && vv_ir_leaf_type(p->type, k)->kind == VV_T_REAL &&
                !vv_bits_get(u, start + k)) {
              vv_bits_set(u, start + k);
              changed = true;
            }
      }
    }
    loc += n;
  }
  return changed;
}

static bool useful_block(vvCc* cc, const vvBlock* b, vvBits u) {
  if (!b) return false;
  bool changed = false;
  for (int i = b->n - 1; i >= 0; i--) {
    const vvStmt* s = b->v[i];
    changed |= useful_block(cc, s->body, u);
    changed |= useful_block(cc, s->orelse, u);
    if (s->kind == VV_S_ASSIGN) {
      if (s->lhs->type->kind == VV_T_STRUCT && vv_ir_is_path(s->rhs)) {
        changed |= copy_leaves(s->lhs, s->rhs, u);
      } else if (s->lhs->type->kind == VV_T_REAL && meets_range(s->lhs, u)) {
        changed |= useful_expr(s->rhs, u);
      }
    } else if (s->kind == VV_S_CALL) {
      changed |= useful_call(cc, s, u);
    }
  }
  return changed;
}

void vv_useful(vvCc* cc, vvFunc* f, vvBits u) {
  while (useful_block(cc, f->body, u)) {
  }
}
