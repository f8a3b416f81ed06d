// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// place.c: declarations of generated code: added where missing, moved to the first assignment, given distinct names.

#include "place.h"

#include <string.h>

#include "reverse.h"

typedef struct vvVars {
  vvVar** v;
  int n, cap;
} vvVars;

static bool has(const vvVars* l, const vvVar* v) {
  for (int i = l->n - 1; i >= 0; i--)
    if (l->v[i] == v) return true;
  return false;
}

typedef struct vvPlacer {
  vvCc* cc;
  const vvStmt* loop;
  vvVars declared, missing;
} vvPlacer;

static void find_missing(vvPlacer* p, const vvExpr* e) {
  if (!e) return;
  if (e->kind == VV_E_VAR) {
    vvVar* v = e->var;
    if (v->is_param || v->is_table || has(&p->declared, v) || has(&p->missing, v)) return;
    if (vv_loops_is_inside(v->scope, p->loop)) VV_IR_PUSH(p->cc, p->missing.v, p->missing.n, p->missing.cap, v);
    return;
  }
  find_missing(p, e->a);
  find_missing(p, e->b);
  find_missing(p, e->c);
}

static void find_in_block(vvPlacer* p, const vvBlock* b) {
  if (!b) return;
  int n = p->declared.n;
  for (int i = 0; i < b->n; i++) {
    const vvStmt* s = b->v[i];
    find_missing(p, s->rhs);
    find_missing(p, s->lhs);
    if (s->kind == VV_S_DECL) VV_IR_PUSH(p->cc, p->declared.v, p->declared.n, p->declared.cap, s->var);
    int inner = p->declared.n;
    if (s->kind == VV_S_FOR) VV_IR_PUSH(p->cc, p->declared.v, p->declared.n, p->declared.cap, s->var);
    find_missing(p, s->cond);
    for (int k = 0; k < s->narg; k++) find_missing(p, s->arg[k]);
    find_in_block(p, s->body);
    find_in_block(p, s->orelse);
    p->declared.n = inner;
  }
  p->declared.n = n;
}

void vv_place_decls(vvCc* cc, vvBlock* b, const vvStmt* loop) {
  vvPlacer p;
  memset(&p, 0, sizeof p);
  p.cc = cc;
  p.loop = loop;
  if (loop && loop->var) VV_IR_PUSH(cc, p.declared.v, p.declared.n, p.declared.cap, loop->var);
  find_in_block(&p, b);
  for (int i = p.missing.n - 1; i >= 0; i--) vv_ir_insert(cc, b, 0, vv_ir_decl(cc, p.missing.v[i], true));
}

// moving declarations

static bool in_expr(const vvExpr* e, const vvVar* v) {
  if (!e) return false;
  if (e->kind == VV_E_VAR) return e->var == v;
  return in_expr(e->a, v) || in_expr(e->b, v) || in_expr(e->c, v);
}

static bool in_block(const vvBlock* b, const vvVar* v);

static bool in_head(const vvStmt* s, const vvVar* v) {
  if (in_expr(s->lhs, v) || in_expr(s->rhs, v) || in_expr(s->cond, v)) return true;
  for (int k = 0; k < s->narg; k++)
    if (in_expr(s->arg[k], v)) return true;
  return false;
}

static bool in_stmt(const vvStmt* s, const vvVar* v) {
  return in_head(s, v) || in_block(s->body, v) || in_block(s->orelse, v);
}

static bool in_block(const vvBlock* b, const vvVar* v) {
  if (!b) return false;
  for (int i = 0; i < b->n; i++)
    if (in_stmt(b->v[i], v)) return true;
  return false;
}

static bool sets_whole(const vvStmt* s, const vvVar* v) {
  if (s->kind != VV_S_ASSIGN && s->kind != VV_S_CALL && s->kind != VV_S_ZERO && s->kind != VV_S_POP) return false;
  if (!s->lhs || s->lhs->kind != VV_E_VAR || s->lhs->var != v) return false;
  if (in_expr(s->rhs, v)) return false;
  for (int k = 0; k < s->narg; k++)
    if (in_expr(s->arg[k], v)) return false;
  return true;
}

static int first_use(const vvBlock* b, int from, const vvVar* v) {
  for (int i = from; i < b->n; i++)
    if (in_stmt(b->v[i], v)) return i;
  return -1;
}

static void remove_at(vvBlock* b, int i) {
  memmove(b->v + i, b->v + i + 1, (size_t)(b->n - 1 - i) * sizeof(vvStmt*));
  b->n--;
}

// Places the declaration of v at or after statement `from` of b.
static void sink(vvCc* cc, vvFunc* f, vvBlock* b, int from, vvVar* v, bool zero) {
  int u = first_use(b, from, v);
  if (u < 0) {
    if (in_expr(f->ret, v)) vv_ir_add(cc, b, vv_ir_decl(cc, v, true));
    return;
  }
  vvStmt* s = b->v[u];
  if (sets_whole(s, v)) {
    if (s->kind == VV_S_ZERO) {
      b->v[u] = vv_ir_decl(cc, v, true);
    } else {
      vv_ir_insert(cc, b, u, vv_ir_decl(cc, v, s->kind == VV_S_POP));
    }
    return;
  }
  bool later = first_use(b, u + 1, v) >= 0 || (b == f->body && in_expr(f->ret, v));
  bool nested = s->kind == VV_S_IF || s->kind == VV_S_FOR || s->kind == VV_S_WHILE;
  if (nested && !later && !in_head(s, v) && s->var != v) {
    bool yes = in_block(s->body, v), no = in_block(s->orelse, v);
    if (s->kind == VV_S_IF && yes != no) {
      sink(cc, f, yes ? s->body : s->orelse, 0, v, zero);
      return;
    }
    if (s->kind != VV_S_IF) {
      int w = first_use(s->body, 0, v);
      if (w >= 0 && sets_whole(s->body->v[w], v)) {
        sink(cc, f, s->body, 0, v, zero);
        return;
      }
    }
  }
  // v starts at zero: the first sum is an assignment
  if (s->kind == VV_S_ASSIGN && s->lhs->kind == VV_E_VAR && s->lhs->var == v && v->type->kind == VV_T_REAL &&
      s->rhs->kind == VV_E_BIN && s->rhs->op <= VV_SUB && s->rhs->a->kind == VV_E_VAR && s->rhs->a->var == v &&
      !in_expr(s->rhs->b, v) && zero) {
    vvStmt* set = VV_IR_NEW(cc, vvStmt);
    *set = *s;
    set->rhs = s->rhs->op == VV_ADD ? s->rhs->b : vv_ir_un(cc, VV_NEG, s->rhs->b);
    b->v[u] = set;
    vv_ir_insert(cc, b, u, vv_ir_decl(cc, v, false));
    return;
  }
  bool small = v->type->kind != VV_T_ARRAY || zero;
  vv_ir_insert(cc, b, u, vv_ir_decl(cc, v, small));
}

static void sink_block(vvCc* cc, vvFunc* f, vvBlock* b) {
  if (!b) return;
  // declarations that have been placed stand right before their first use: leave those
  for (int i = 0; i < b->n; i++) {
    vvStmt* s = b->v[i];
    if (s->kind != VV_S_DECL) continue;
    int u = first_use(b, i + 1, s->var);
    bool placed = u == i + 1 && (sets_whole(b->v[u], s->var) || s->line == -1) && b->v[u]->kind != VV_S_ZERO;
    if (placed || s->line == -1) continue;
    remove_at(b, i);
    int before = b->n;
    sink(cc, f, b, i, s->var, s->zero);
    if (b->n > before || (u >= 0 && b->v[u - 1]->kind == VV_S_DECL))
      for (int k = 0; k < b->n; k++)
        if (b->v[k]->kind == VV_S_DECL && b->v[k]->var == s->var) b->v[k]->line = -1;
    i--;
  }
  for (int i = 0; i < b->n; i++) {
    sink_block(cc, f, b->v[i]->body);
    sink_block(cc, f, b->v[i]->orelse);
  }
}

void vv_place_sink(vvCc* cc, vvFunc* f) {
  sink_block(cc, f, f->body);
}

// names

typedef struct vvNamer {
  vvCc* cc;
  vvVars seen;
} vvNamer;

static void name_var(vvNamer* n, vvVar* v) {
  if (has(&n->seen, v)) return;
  const char* base = v->name;
  for (int k = 2;; k++) {
    bool clash = false;
    for (int i = 0; i < n->seen.n; i++)
      if (strcmp(n->seen.v[i]->name, v->name) == 0) clash = true;
    if (!clash) break;
    v->name = vv_ir_format(n->cc, "%s_%d", base, k);
  }
  VV_IR_PUSH(n->cc, n->seen.v, n->seen.n, n->seen.cap, v);
}

static void name_block(vvNamer* n, const vvBlock* b) {
  if (!b) return;
  for (int i = 0; i < b->n; i++) {
    if (b->v[i]->kind == VV_S_DECL || b->v[i]->kind == VV_S_FOR) name_var(n, b->v[i]->var);
    name_block(n, b->v[i]->body);
    name_block(n, b->v[i]->orelse);
  }
}

void vv_place_names(vvCc* cc, vvFunc* f) {
  vvNamer n;
  memset(&n, 0, sizeof n);
  n.cc = cc;
  for (int i = 0; i < f->nparam; i++) name_var(&n, f->param[i]);
  name_block(&n, f->body);
}
