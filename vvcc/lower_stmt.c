// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// lower_stmt.c: statements and whole functions. What remains is assignment, call, if, a counted loop whose counter and
// bounds nobody else changes, and while; break, continue, return and switch become flags, or vanish into the branches
// of an `if` where a branch ends with the jump.

#include <string.h>

#include "analyse.h"
#include "lower.h"

// What the caller of lower_one must know of an `if` that jumps: where to put the statements after it.
typedef struct vvTail {
  bool always;        // the statement never goes on
  vvBlock *yes, *no;  // of an if
  bool yes_always, no_always;
  unsigned yes_mask, no_mask;
} vvTail;

static unsigned lower_one(vvLower* lo, CXCursor c, vvBlock* out, vvTail* tail);
static unsigned lower_list(vvLower* lo, const CXCursor* c, int n, vvBlock* out, bool* always);

static vvVar* flag(vvLower* lo, const char* stem, vvBlock* out) {
  vvVar* v = vv_ir_temp(lo->cc, lo->f, lo->cc->t_bool, stem);
  v->is_flag = true;
  v->scope = lo->loop;
  if (out) {
    vv_ir_add(lo->cc, out, vv_ir_decl(lo->cc, v, false));
    vv_ir_add(lo->cc, out, vv_ir_assign(lo->cc, vv_ir_ref(lo->cc, v), vv_ir_int(lo->cc, 0)));
  }
  return v;
}

static void set_flag(vvLower* lo, vvVar* v, vvBlock* out) {
  vv_ir_add(lo->cc, out, vv_ir_assign(lo->cc, vv_ir_ref(lo->cc, v), vv_ir_int(lo->cc, 1)));
}

static vvExpr* and_not(vvLower* lo, vvExpr* e, vvVar* v) {
  vvExpr* n = vv_ir_un(lo->cc, VV_NOT, vv_ir_ref(lo->cc, v));
  return e ? vv_ir_bin(lo->cc, VV_LAND, e, n) : n;
}

static vvJumps* loop_jumps(vvLower* lo) {
  vvJumps* j = lo->jumps;
  while (j && j->is_switch) j = j->outer;
  return j;
}

// The condition under which statements after a jump of `mask` still run.
static vvExpr* still_running(vvLower* lo, unsigned mask) {
  vvExpr* e = NULL;
  if (mask & VV_J_BREAK) e = and_not(lo, e, lo->jumps->brk);
  if (mask & VV_J_CONTINUE) e = and_not(lo, e, loop_jumps(lo)->cont);
  if (mask & VV_J_RETURN) e = and_not(lo, e, lo->done);
  return e;
}

// Whether an integer condition or bound reads nothing that can change in its scope, so that the reverse may evaluate
// it again.
static bool is_stable(const vvExpr* e) {
  if (!e) return true;
  if (e->type->kind == VV_T_REAL || e->kind == VV_E_MATH) return false;
  if (e->kind == VV_E_LIT) return true;
  if (vv_ir_is_path(e)) {
    for (const vvExpr* p = e; p; p = p->a)
      if (p->kind == VV_E_INDEX && !is_stable(p->b)) return false;
    vvVar* r = vv_ir_root(e);
    if (r->is_table) return true;
    if (r->type->kind == VV_T_POINTER) return e->type->kind == VV_T_POINTER || r->type->elem_const;
    return e->kind == VV_E_VAR && r->frozen;
  }
  return is_stable(e->a) && is_stable(e->b) && is_stable(e->c);
}

vvExpr* vv_lower_condition(vvLower* lo, vvExpr* e, vvBlock* out) {
  if (is_stable(e)) return e;
  vvVar* v = vv_ir_temp(lo->cc, lo->f, lo->cc->t_bool, "c");
  v->scope = lo->loop;
  v->frozen = true;
  vv_ir_add(lo->cc, out, vv_ir_decl(lo->cc, v, false));
  if (e->type->kind == VV_T_REAL) e = vv_ir_bin(lo->cc, VV_NE, e, vv_ir_int(lo->cc, 0));
  vv_ir_add(lo->cc, out, vv_ir_assign(lo->cc, vv_ir_ref(lo->cc, v), e));
  return vv_ir_ref(lo->cc, v);
}

static vvStmt* add_if(vvLower* lo, vvExpr* cond, vvBlock* yes, vvBlock* no, vvBlock* out) {
  vvStmt* s = vv_ir_stmt(lo->cc, VV_S_IF, lo->line);
  s->cond = vv_lower_condition(lo, cond, out);
  s->body = yes;
  s->orelse = no;
  vv_ir_add(lo->cc, out, s);
  return s;
}

static unsigned lower_if(vvLower* lo, CXCursor c, vvBlock* out, vvTail* tail) {
  vvCc* cc = lo->cc;
  vvCursors kids = vv_parse_children(lo->ps, c);
  if (kids.n < 2) vv_lower_refuse(lo, c, "an if that is not understood", "write it plainly");
  vvExpr* cond = vv_lower_expr(lo, kids.v[0], out);
  vvBlock *yes = vv_ir_block(cc), *no = vv_ir_block(cc);
  cond = vv_lower_condition(lo, cond, out);
  tail->yes = yes;
  tail->no = no;
  tail->yes_mask = lower_list(lo, &kids.v[1], 1, yes, &tail->yes_always);
  if (kids.n > 2) tail->no_mask = lower_list(lo, &kids.v[2], 1, no, &tail->no_always);
  add_if(lo, cond, yes, no, out);
  tail->always = tail->yes_always && tail->no_always;
  return tail->yes_mask | tail->no_mask;
}

// declarations

static void bind_local(vvLower* lo, CXCursor decl, vvVar* v, vvExpr* pointer) {
  lo->local = vv_ir_grow(lo->cc, lo->local, lo->nlocal, &lo->cap_local, sizeof(vvBinding));
  lo->local[lo->nlocal++] = (vvBinding){decl, v, pointer};
}

static bool find_init(vvLower* lo, CXCursor decl, CXCursor* init) {
  CXCursor i = clang_Cursor_getVarDeclInitializer(decl);
  (void)lo;
  if (clang_Cursor_isNull(i)) return false;
  *init = i;
  return true;
}

static void lower_static_table(vvLower* lo, CXCursor decl, const char* name) {
  vvCc* cc = lo->cc;
  CXType t = clang_getCursorType(decl);
  if (!vv_parse_is_const(t)) vv_lower_refuse(lo, decl, "a static variable", "make it const or an argument");
  const char* text = vv_parse_source(lo->ps, clang_getCursorExtent(decl));
  const char* at = strstr(text, name);
  const char* renamed = vv_ir_format(cc, "%s_%s", lo->f->name, name);
  vvVar* v = vv_ir_var(cc, renamed, vv_parse_type(lo->ps, t, vv_parse_line(decl)));
  v->is_table = true;
  const char* full =
      vv_ir_format(cc, "__attribute__((unused)) %.*s%s%s;", (int)(at - text), text, renamed, at + strlen(name));
  VV_IR_PUSH(cc, cc->text, cc->ntext, cc->cap_text, full);
  bind_local(lo, decl, v, NULL);
}

static void lower_var(vvLower* lo, CXCursor decl, vvBlock* out) {
  vvCc* cc = lo->cc;
  const char* name = vv_parse_text(lo->ps, clang_getCursorSpelling(decl));
  if (clang_Cursor_getStorageClass(decl) == CX_SC_Static) {
    lower_static_table(lo, decl, name);
    return;
  }
  vvIrType* t = vv_parse_type(lo->ps, clang_getCursorType(decl), vv_parse_line(decl));
  CXCursor init;
  bool has_init = find_init(lo, decl, &init);
  if (t->kind == VV_T_POINTER) {
    if (!has_init || vv_lower_is_modified(lo, decl))
      vv_lower_refuse(lo, decl, vv_ir_format(cc, "pointer \"%s\" is assigned again", name),
                      "bind each pointer once, where declared");
    vvExpr* p = vv_lower_settle(lo, vv_lower_pointer(lo, init, out), out);
    if (p->kind == VV_E_LIT) vv_lower_refuse(lo, decl, "a local NULL pointer", "use an index and a condition");
    bind_local(lo, decl, NULL, p);
    return;
  }
  if (vv_ir_has_pointer(t)) vv_lower_refuse(lo, decl, "a local struct with pointers", "use the pointers themselves");
  if (t->kind == VV_T_ARRAY && t->count <= 0)
    vv_lower_refuse(lo, decl, "an array without constant size", "give it one");
  vvVar* v = vv_lower_local(lo, name, t, out);
  v->frozen = has_init && t->kind == VV_T_INT && !vv_lower_is_modified(lo, decl);
  bind_local(lo, decl, v, NULL);
  if (has_init) vv_lower_init(lo, vv_ir_ref(cc, v), init, out);
}

static void lower_decl(vvLower* lo, CXCursor c, vvBlock* out) {
  vvCursors kids = vv_parse_children(lo->ps, c);
  for (int i = 0; i < kids.n; i++) {
    enum CXCursorKind k = clang_getCursorKind(kids.v[i]);
    if (k == CXCursor_VarDecl) lower_var(lo, kids.v[i], out);
    if (k == CXCursor_StructDecl || k == CXCursor_UnionDecl || k == CXCursor_TypedefDecl)
      vv_lower_refuse(lo, c, "a type declared inside a function", "declare it in a header");
  }
}

// loops

typedef struct vvForParts {
  CXCursor init, cond, step, body;
  bool has_init, has_cond, has_step;
} vvForParts;

// libclang leaves missing parts out: the semicolons tell which are there.
static vvForParts for_parts(vvLower* lo, CXCursor c) {
  vvForParts p;
  memset(&p, 0, sizeof p);
  CXToken* token = NULL;
  unsigned n = 0, mark[3] = {0, 0, 0};
  clang_tokenize(lo->ps->tu, clang_getCursorExtent(c), &token, &n);
  int depth = 0, found = 0;
  for (unsigned i = 0; i < n && found < 3; i++) {
    const char* s = vv_parse_text(lo->ps, clang_getTokenSpelling(lo->ps->tu, token[i]));
    if (strcmp(s, "(") == 0) depth++;
    if (strcmp(s, ")") == 0) depth--;
    bool close = depth == 0 && strcmp(s, ")") == 0 && found == 2;
    if (close || (depth == 1 && strcmp(s, ";") == 0))
      mark[found++] = vv_parse_offset(clang_getTokenLocation(lo->ps->tu, token[i]));
  }
  clang_disposeTokens(lo->ps->tu, token, n);
  if (found < 3) vv_lower_refuse(lo, c, "a for loop made by a macro", "write it out");
  vvCursors kids = vv_parse_children(lo->ps, c);
  for (int i = 0; i < kids.n; i++) {
    unsigned at = vv_parse_offset(clang_getRangeStart(clang_getCursorExtent(kids.v[i])));
    if (at < mark[0]) {
      p.init = kids.v[i];
      p.has_init = true;
    } else if (at < mark[1]) {
      p.cond = kids.v[i];
      p.has_cond = true;
    } else if (at < mark[2]) {
      p.step = kids.v[i];
      p.has_step = true;
    } else {
      p.body = kids.v[i];
    }
  }
  return p;
}

// Whether a statement can leave the loop or switch it stands in.
static bool has_exit(vvLower* lo, CXCursor c, bool nested_loop, bool nested_switch, bool want_return) {
  enum CXCursorKind k = clang_getCursorKind(c);
  if (k == CXCursor_ReturnStmt) return want_return;
  if (k == CXCursor_BreakStmt) return !nested_loop && !nested_switch;
  if (k == CXCursor_ForStmt || k == CXCursor_WhileStmt || k == CXCursor_DoStmt) nested_loop = true;
  if (k == CXCursor_SwitchStmt) nested_switch = true;
  vvCursors kids = vv_parse_children(lo->ps, c);
  for (int i = 0; i < kids.n; i++)
    if (has_exit(lo, kids.v[i], nested_loop, nested_switch, want_return)) return true;
  return false;
}

static bool refers_to_any(vvLower* lo, CXCursor c, vvCursors decls) {
  if (clang_getCursorKind(c) == CXCursor_DeclRefExpr) {
    CXCursor d = clang_getCanonicalCursor(clang_getCursorReferenced(c));
    for (int i = 0; i < decls.n; i++)
      if (clang_equalCursors(clang_getCanonicalCursor(decls.v[i]), d)) return true;
  }
  if (clang_getCursorKind(c) == CXCursor_CallExpr) return true;
  vvCursors kids = vv_parse_children(lo->ps, c);
  for (int i = 0; i < kids.n; i++)
    if (refers_to_any(lo, kids.v[i], decls)) return true;
  return false;
}

// +1 or -1 for i++, ++i, i += 1, i--, …; 0 otherwise.
static int unit_step(vvLower* lo, CXCursor step, CXCursor var) {
  step = vv_lower_strip(lo, step);
  enum CXCursorKind k = clang_getCursorKind(step);
  vvCursors kids = vv_parse_children(lo->ps, step);
  if (kids.n < 1) return 0;
  CXCursor target = vv_lower_strip(lo, kids.v[0]);
  if (clang_getCursorKind(target) != CXCursor_DeclRefExpr ||
      !clang_equalCursors(clang_getCursorReferenced(target), var))
    return 0;
  if (k == CXCursor_UnaryOperator) {
    enum CXUnaryOperatorKind u = clang_getCursorUnaryOperatorKind(step);
    if (u == CXUnaryOperator_PostInc || u == CXUnaryOperator_PreInc) return 1;
    if (u == CXUnaryOperator_PostDec || u == CXUnaryOperator_PreDec) return -1;
  }
  if (k == CXCursor_CompoundAssignOperator && kids.n == 2) {
    vvBlock* none = vv_ir_block(lo->cc);
    vvExpr* by = vv_lower_expr(lo, kids.v[1], none);
    if (!vv_ir_is_one(by)) return 0;
    enum CXBinaryOperatorKind b = clang_getCursorBinaryOperatorKind(step);
    if (b == CXBinaryOperator_AddAssign) return 1;
    if (b == CXBinaryOperator_SubAssign) return -1;
  }
  return 0;
}

static vvExpr* settle_bound(vvLower* lo, vvExpr* e, vvBlock* out) {
  if (is_stable(e)) return e;
  vvVar* v = vv_ir_temp(lo->cc, lo->f, e->type, "n");
  v->scope = lo->loop;
  v->frozen = true;
  vv_ir_add(lo->cc, out, vv_ir_decl(lo->cc, v, false));
  vv_ir_add(lo->cc, out, vv_ir_assign(lo->cc, vv_ir_ref(lo->cc, v), e));
  return vv_ir_ref(lo->cc, v);
}

// The counted form; false when the loop is not of it (nothing has been emitted then).
static bool lower_counted(vvLower* lo, const vvForParts* p, vvBlock* out, unsigned* mask) {
  vvCc* cc = lo->cc;
  if (!p->has_init || !p->has_cond || !p->has_step || clang_getCursorKind(p->init) != CXCursor_DeclStmt) return false;
  vvCursors decls = vv_parse_children(lo->ps, p->init);
  if (decls.n != 1 || clang_getCursorKind(decls.v[0]) != CXCursor_VarDecl) return false;
  CXCursor var = decls.v[0], init;
  vvIrType* t = vv_parse_type(lo->ps, clang_getCursorType(var), vv_parse_line(var));
  if (t->kind != VV_T_INT || !find_init(lo, var, &init)) return false;
  CXCursor cond = vv_lower_strip(lo, p->cond);
  if (clang_getCursorKind(cond) != CXCursor_BinaryOperator) return false;
  vvCursors sides = vv_parse_children(lo->ps, cond);
  CXCursor left = vv_lower_strip(lo, sides.v[0]);
  if (clang_getCursorKind(left) != CXCursor_DeclRefExpr || !clang_equalCursors(clang_getCursorReferenced(left), var))
    return false;
  int step = unit_step(lo, p->step, var);
  enum CXBinaryOperatorKind k = clang_getCursorBinaryOperatorKind(cond);
  vvOp op;
  if (step == 1 && k == CXBinaryOperator_LT) {
    op = VV_LT;
  } else if (step == 1 && k == CXBinaryOperator_LE && !t->is_unsigned) {
    op = VV_LE;
  } else if (step == -1 && k == CXBinaryOperator_GT) {
    op = VV_GT;
  } else if (step == -1 && k == CXBinaryOperator_GE && !t->is_unsigned) {
    op = VV_GE;
  } else {
    return false;
  }
  vvCursors changed = {NULL, 0, 0};
  vv_lower_collect_modified(lo, p->body, &changed);
  VV_IR_PUSH(cc, changed.v, changed.n, changed.cap, var);
  vvCursors body_changed = changed;
  body_changed.n--;
  if (refers_to_any(lo, sides.v[1], changed) || has_exit(lo, p->body, false, false, true)) return false;
  for (int i = 0; i < body_changed.n; i++)
    if (clang_equalCursors(body_changed.v[i], var)) return false;
  vvBlock* pre = vv_ir_block(cc);
  vvExpr* bound = vv_lower_expr(lo, sides.v[1], pre);
  // memory that is not const may change in the body
  vvVar* root = bound->kind == VV_E_VAR || bound->kind == VV_E_LIT ? NULL : vv_ir_root(bound);
  if (bound->type->kind != VV_T_INT || (!is_stable(bound) && root && root->type->kind == VV_T_POINTER)) return false;
  vvExpr* start = vv_lower_expr(lo, init, pre);
  if (start->type->kind != VV_T_INT) return false;
  vv_ir_append(cc, out, pre);
  vvStmt* s = vv_ir_stmt(cc, VV_S_FOR, lo->line);
  s->outer = lo->loop;
  s->rhs = settle_bound(lo, start, out);
  s->cond = settle_bound(lo, bound, out);
  s->op = op;
  s->step = step;
  s->var = vv_ir_var(cc, vv_parse_text(lo->ps, clang_getCursorSpelling(var)), t);
  s->var->scope = s;
  s->var->frozen = true;
  s->body = vv_ir_block(cc);
  bind_local(lo, var, s->var, NULL);
  vvJumps j = {lo->jumps, false, NULL, NULL};
  lo->jumps = &j;
  lo->loop = s;
  j.cont = flag(lo, "next", s->body);
  bool always = false;
  lower_list(lo, &p->body, 1, s->body, &always);
  lo->jumps = j.outer;
  lo->loop = s->outer;
  vv_ir_add(cc, out, s);
  lo->f->has_loop = true;
  *mask = 0;
  return true;
}

// while, do and general for. first: the condition is tested before the first iteration.
static unsigned lower_loop(vvLower* lo, CXCursor* cond, CXCursor* step, CXCursor body, bool first, vvBlock* out) {
  vvCc* cc = lo->cc;
  vvJumps j = {lo->jumps, false, NULL, NULL};
  j.brk = flag(lo, "stop", out);
  vvStmt* s = vv_ir_stmt(cc, VV_S_WHILE, lo->line);
  s->outer = lo->loop;
  s->body = vv_ir_block(cc);
  lo->f->has_loop = true;
  vvBlock* pre = vv_ir_block(cc);
  vvBlock* inner = s->body;
  vvExpr* test = NULL;
  vvVar* go = NULL;
  vvStmt* outer_loop = lo->loop;
  lo->loop = s;
  if (cond && first) test = vv_lower_expr(lo, *cond, pre);
  if (pre->n > 0 || (cond && !first)) {
    lo->loop = outer_loop;
    go = flag(lo, "go", NULL);
    vv_ir_add(cc, out, vv_ir_decl(cc, go, false));
    set_flag(lo, go, out);
    lo->loop = s;
  }
  if (pre->n > 0) {
    vv_ir_append(cc, s->body, pre);
    vv_ir_add(cc, s->body, vv_ir_assign(cc, vv_ir_ref(cc, go), vv_ir_bin(cc, VV_NE, test, vv_ir_int(cc, 0))));
    vvStmt* guard = vv_ir_stmt(cc, VV_S_IF, lo->line);
    guard->cond = vv_lower_condition(lo, vv_ir_ref(cc, go), s->body);
    guard->body = inner = vv_ir_block(cc);
    vv_ir_add(cc, s->body, guard);
    test = NULL;
  }
  lo->jumps = &j;
  j.cont = flag(lo, "next", inner);
  bool always = false;
  unsigned mask = lower_list(lo, &body, 1, inner, &always);
  unsigned leave = mask & (VV_J_BREAK | VV_J_RETURN);
  vvBlock* rest = inner;
  if (leave && (step || (cond && !first))) {
    rest = vv_ir_block(cc);
    add_if(lo, still_running(lo, leave), rest, NULL, inner);
  }
  if (step) vv_lower_expr(lo, *step, rest);
  if (cond && !first) {
    vvExpr* again = vv_lower_expr(lo, *cond, rest);
    vv_ir_add(cc, rest, vv_ir_assign(cc, vv_ir_ref(cc, go), vv_ir_bin(cc, VV_NE, again, vv_ir_int(cc, 0))));
  }
  vvExpr* running = still_running(lo, leave);
  if (go) running = running ? vv_ir_bin(cc, VV_LAND, running, vv_ir_ref(cc, go)) : vv_ir_ref(cc, go);
  if (test) running = running ? vv_ir_bin(cc, VV_LAND, running, test) : test;
  s->cond = running ? running : vv_ir_int(cc, 1);
  lo->jumps = j.outer;
  lo->loop = s->outer;
  vv_ir_add(cc, out, s);
  return mask & VV_J_RETURN;
}

static unsigned lower_for(vvLower* lo, CXCursor c, vvBlock* out) {
  vvForParts p = for_parts(lo, c);
  unsigned mask = 0;
  if (lower_counted(lo, &p, out, &mask)) return mask;
  if (p.has_init) {
    if (clang_getCursorKind(p.init) == CXCursor_DeclStmt) {
      lower_decl(lo, p.init, out);
    } else {
      vv_lower_expr(lo, p.init, out);
    }
  }
  return lower_loop(lo, p.has_cond ? &p.cond : NULL, p.has_step ? &p.step : NULL, p.body, true, out);
}

// switch

typedef struct vvSegment {
  CXCursor label[64];
  int nlabel;
  bool is_default;
  CXCursor* stmt;
  int nstmt;
} vvSegment;

static int read_segments(vvLower* lo, CXCursor c, CXCursor body, vvSegment** segment) {
  vvCc* cc = lo->cc;
  vvCursors kids = vv_parse_children(lo->ps, body);
  if (clang_getCursorKind(body) != CXCursor_CompoundStmt)
    vv_lower_refuse(lo, c, "a switch without braces", "write { } around its cases");
  vvSegment* seg = vv_ir_alloc(cc, (size_t)(kids.n + 1) * sizeof(vvSegment));
  int n = 0;
  for (int i = 0; i < kids.n; i++) {
    CXCursor k = kids.v[i];
    enum CXCursorKind kind = clang_getCursorKind(k);
    if (kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt) {
      seg[n].stmt = vv_ir_alloc(cc, (size_t)(kids.n + 1) * sizeof(CXCursor));
      while (kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt) {
        vvCursors sub = vv_parse_children(lo->ps, k);
        if (kind == CXCursor_CaseStmt) {
          if (sub.n != 2 || seg[n].nlabel >= 64) vv_lower_refuse(lo, k, "a case of this kind", "use single values");
          seg[n].label[seg[n].nlabel++] = sub.v[0];
        } else {
          seg[n].is_default = true;
        }
        k = sub.v[sub.n - 1];
        kind = clang_getCursorKind(k);
      }
      seg[n].stmt[seg[n].nstmt++] = k;
      n++;
    } else {
      if (n == 0) vv_lower_refuse(lo, k, "a statement before the first case", "move it before the switch");
      seg[n - 1].stmt[seg[n - 1].nstmt++] = k;
    }
  }
  *segment = seg;
  return n;
}

static vvExpr* segment_test(vvLower* lo, vvExpr* value, const vvSegment* s, vvBlock* out) {
  vvExpr* e = NULL;
  for (int i = 0; i < s->nlabel; i++) {
    vvExpr* one = vv_ir_bin(lo->cc, VV_EQ, value, vv_lower_expr(lo, s->label[i], out));
    e = e ? vv_ir_bin(lo->cc, VV_LOR, e, one) : one;
  }
  return e ? e : vv_ir_int(lo->cc, 0);
}

// The end of a segment that leaves the switch: 1 a plain break, 2 return or continue, 0 falls through.
static int segment_end(const vvSegment* s) {
  if (s->nstmt == 0) return 0;
  enum CXCursorKind k = clang_getCursorKind(s->stmt[s->nstmt - 1]);
  return k == CXCursor_BreakStmt ? 1 : (k == CXCursor_ReturnStmt || k == CXCursor_ContinueStmt ? 2 : 0);
}

static bool segments_are_plain(vvLower* lo, const vvSegment* seg, int n) {
  for (int i = 0; i < n; i++) {
    int end = segment_end(&seg[i]);
    if (end == 0 && i + 1 < n) return false;
    for (int k = 0; k < seg[i].nstmt - (end == 1); k++)
      if (has_exit(lo, seg[i].stmt[k], false, false, false)) return false;
  }
  return true;
}

static unsigned lower_switch(vvLower* lo, CXCursor c, vvBlock* out) {
  vvCc* cc = lo->cc;
  vvCursors kids = vv_parse_children(lo->ps, c);
  if (kids.n != 2) vv_lower_refuse(lo, c, "a switch that is not understood", "use if");
  vvExpr* value = settle_bound(lo, vv_lower_expr(lo, kids.v[0], out), out);
  vvSegment* seg;
  int n = read_segments(lo, c, kids.v[1], &seg);
  vvJumps j = {lo->jumps, true, NULL, NULL};
  unsigned mask = 0;
  vvExpr* any = vv_ir_int(cc, 0);
  for (int i = 0; i < n; i++)
    if (seg[i].nlabel) {
      vvExpr* t = segment_test(lo, value, &seg[i], out);
      any = vv_ir_is_zero(any) ? t : vv_ir_bin(cc, VV_LOR, any, t);
    }
  bool always;
  if (segments_are_plain(lo, seg, n)) {
    lo->jumps = &j;
    vvBlock* chain = out;
    vvBlock* fallback = NULL;
    for (int i = 0; i < n; i++) {
      int count = seg[i].nstmt - (segment_end(&seg[i]) == 1);
      vvBlock *yes = vv_ir_block(cc), *no = vv_ir_block(cc);
      mask |= lower_list(lo, seg[i].stmt, count, yes, &always);
      if (seg[i].is_default) {
        fallback = yes;
        continue;
      }
      add_if(lo, segment_test(lo, value, &seg[i], chain), yes, no, chain);
      chain = no;
    }
    if (fallback) vv_ir_append(cc, chain, fallback);
    lo->jumps = j.outer;
    return mask;
  }
  j.brk = flag(lo, "leave", out);
  vvVar* on = flag(lo, "on", out);
  lo->jumps = &j;
  for (int i = 0; i < n; i++) {
    vvExpr* here = seg[i].nlabel ? segment_test(lo, value, &seg[i], out) : vv_ir_int(cc, 0);
    if (seg[i].is_default) here = vv_ir_bin(cc, VV_LOR, here, vv_ir_un(cc, VV_NOT, any));
    vv_ir_add(cc, out, vv_ir_assign(cc, vv_ir_ref(cc, on), vv_ir_bin(cc, VV_LOR, vv_ir_ref(cc, on), here)));
    vvExpr* run = vv_ir_ref(cc, on);
    vvExpr* more = still_running(lo, mask);
    if (more) run = vv_ir_bin(cc, VV_LAND, run, more);
    vvBlock* yes = vv_ir_block(cc);
    vvExpr* cond = vv_lower_condition(lo, run, out);
    mask |= lower_list(lo, seg[i].stmt, seg[i].nstmt, yes, &always);
    add_if(lo, cond, yes, NULL, out);
  }
  lo->jumps = j.outer;
  return mask & ~(unsigned)VV_J_BREAK;
}

// one statement

static unsigned lower_return(vvLower* lo, CXCursor c, vvBlock* out) {
  vvCursors kids = vv_parse_children(lo->ps, c);
  if (kids.n > 0) {
    vvExpr* e = vv_lower_expr(lo, kids.v[0], out);
    if (lo->f->ret_type->kind != VV_T_VOID) vv_lower_assign(lo, vv_ir_ref(lo->cc, lo->ret), e, out);
  }
  set_flag(lo, lo->done, out);
  return VV_J_RETURN;
}

static unsigned lower_one(vvLower* lo, CXCursor c, vvBlock* out, vvTail* tail) {
  enum CXCursorKind k = clang_getCursorKind(c);
  vvCursors kids;
  unsigned mask;
  lo->line = vv_parse_line(c);
  switch (k) {
    case CXCursor_CompoundStmt:
      kids = vv_parse_children(lo->ps, c);
      return lower_list(lo, kids.v, kids.n, out, &tail->always);
    case CXCursor_DeclStmt:
      lower_decl(lo, c, out);
      return 0;
    case CXCursor_NullStmt:
      return 0;
    case CXCursor_IfStmt:
      return lower_if(lo, c, out, tail);
    case CXCursor_ForStmt:
      return lower_for(lo, c, out);
    case CXCursor_WhileStmt:
      kids = vv_parse_children(lo->ps, c);
      return lower_loop(lo, &kids.v[0], NULL, kids.v[1], true, out);
    case CXCursor_DoStmt:
      kids = vv_parse_children(lo->ps, c);
      return lower_loop(lo, &kids.v[1], NULL, kids.v[0], false, out);
    case CXCursor_SwitchStmt:
      return lower_switch(lo, c, out);
    case CXCursor_ReturnStmt:
      tail->always = true;
      return lower_return(lo, c, out);
    case CXCursor_BreakStmt:
      tail->always = true;
      set_flag(lo, lo->jumps->brk, out);
      return VV_J_BREAK;
    case CXCursor_ContinueStmt:
      tail->always = true;
      set_flag(lo, loop_jumps(lo)->cont, out);
      return VV_J_CONTINUE;
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
    case CXCursor_LabelStmt:
      vv_lower_refuse(lo, c, "goto cannot be differentiated", "use loops and if");
    case CXCursor_GCCAsmStmt:
      vv_lower_refuse(lo, c, "assembler cannot be differentiated", "write it in C");
    default:
      break;
  }
  mask = 0;
  vv_lower_expr(lo, c, out);
  return mask;
}

static unsigned lower_list(vvLower* lo, const CXCursor* c, int n, vvBlock* out, bool* always) {
  unsigned mask = 0;
  *always = false;
  int nlocal = lo->nlocal;
  for (int i = 0; i < n; i++) {
    vvTail tail;
    memset(&tail, 0, sizeof tail);
    unsigned m = lower_one(lo, c[i], out, &tail);
    mask |= m;
    if (tail.always) {
      *always = true;
      break;
    }
    if (m == 0 || i + 1 == n) continue;
    if (tail.yes && tail.yes_always && tail.no_mask == 0) {
      out = tail.no;
    } else if (tail.yes && tail.no_always && tail.yes_mask == 0) {
      out = tail.yes;
    } else {
      vvBlock* rest = vv_ir_block(lo->cc);
      add_if(lo, still_running(lo, m), rest, NULL, out);
      out = rest;
    }
  }
  if (n != 1) lo->nlocal = nlocal;
  return mask;
}

// functions

static int count_returns(vvLower* lo, CXCursor c) {
  if (clang_getCursorKind(c) == CXCursor_ReturnStmt) return 1;
  int n = 0;
  vvCursors kids = vv_parse_children(lo->ps, c);
  for (int i = 0; i < kids.n; i++) n += count_returns(lo, kids.v[i]);
  return n;
}

static void mark_loops(vvFunc* f, const vvBlock* b) {
  for (int i = 0; i < b->n; i++) {
    vvStmt* s = b->v[i];
    if (s->kind == VV_S_FOR || s->kind == VV_S_WHILE) f->has_loop = true;
    if (s->kind == VV_S_CALL && (!s->callee->body || s->callee->has_loop)) f->has_loop = true;
    if (s->body) mark_loops(f, s->body);
    if (s->orelse) mark_loops(f, s->orelse);
  }
}

static void lower_body(vvLower* lo, CXCursor body) {
  vvCc* cc = lo->cc;
  vvFunc* f = lo->f;
  vvCursors kids = vv_parse_children(lo->ps, body);
  bool last_is_return = kids.n > 0 && clang_getCursorKind(kids.v[kids.n - 1]) == CXCursor_ReturnStmt;
  bool single = last_is_return && count_returns(lo, body) == 1;
  if (f->ret_type->kind != VV_T_VOID && !single) {
    lo->ret = vv_ir_var(cc, "ret", f->ret_type);
    vv_ir_add(cc, f->body, vv_ir_decl(cc, lo->ret, true));
    f->ret = vv_ir_ref(cc, lo->ret);
  }
  lo->done = flag(lo, "done", f->body);
  bool always = false;
  if (!single || f->ret_type->kind == VV_T_VOID) {
    lower_list(lo, kids.v, kids.n, f->body, &always);
    return;
  }
  // the only return is the last statement: what it names is returned as it is
  unsigned mask = 0;
  for (int i = 0; i + 1 < kids.n; i++) {
    vvTail tail;
    memset(&tail, 0, sizeof tail);
    mask |= lower_one(lo, kids.v[i], f->body, &tail);
  }
  (void)mask;
  vvCursors value = vv_parse_children(lo->ps, kids.v[kids.n - 1]);
  lo->line = vv_parse_line(kids.v[kids.n - 1]);
  vvExpr* e = vv_lower_expr(lo, value.v[0], f->body);
  bool plain = e->kind == VV_E_VAR && !e->var->is_param && !e->var->is_table && vv_ir_same_type(e->type, f->ret_type);
  if (plain && e->var->scope == NULL) {
    f->ret = e;
    return;
  }
  lo->ret = vv_ir_var(cc, "ret", f->ret_type);
  vv_ir_add(cc, f->body, vv_ir_decl(cc, lo->ret, false));
  f->ret = vv_ir_ref(cc, lo->ret);
  vv_lower_assign(lo, f->ret, e, f->body);
}

void vv_lower_func(vvParser* ps, vvFunc* f) {
  vvCc* cc = ps->cc;
  if (f->state == 2) return;
  CXCursor c = *(CXCursor*)f->source;
  if (f->state == 1)
    vv_ir_refuse(cc, f->file, f->line, vv_ir_format(cc, "function \"%s\" calls itself", f->name), "use a loop");
  f->state = 1;
  vvLower lower;
  memset(&lower, 0, sizeof lower);
  vvLower* lo = &lower;
  lo->ps = ps;
  lo->cc = cc;
  lo->f = f;
  f->body = vv_ir_block(cc);
  CXCursor body = clang_getNullCursor();
  vvCursors kids = vv_parse_children(ps, c);
  for (int i = 0; i < kids.n; i++)
    if (clang_getCursorKind(kids.v[i]) == CXCursor_CompoundStmt) body = kids.v[i];
  vv_lower_collect_modified(lo, body, &lo->modified);
  if (f->ret_type->kind == VV_T_POINTER)
    vv_ir_refuse(cc, f->file, f->line, "a function that returns a pointer", "return an index");
  for (int i = 0; i < f->nparam; i++) {
    CXCursor decl = clang_Cursor_getArgument(c, (unsigned)i);
    vvVar* p = f->param[i];
    bool modified = vv_lower_is_modified(lo, decl);
    if (p->type->kind == VV_T_POINTER) {
      bind_local(lo, decl, p, NULL);
    } else if (modified) {
      vvVar* v = vv_ir_var(cc, p->name, p->type);
      vv_ir_add(cc, f->body, vv_ir_decl(cc, v, false));
      vv_ir_add(cc, f->body, vv_ir_assign(cc, vv_ir_ref(cc, v), vv_ir_ref(cc, p)));
      bind_local(lo, decl, v, NULL);
    } else {
      p->frozen = p->type->kind == VV_T_INT;
      bind_local(lo, decl, p, NULL);
    }
  }
  lower_body(lo, body);
  f->state = 2;
  vv_ir_prune(cc, f);
  mark_loops(f, f->body);
  vv_summarise(cc, f);
  if (f->vjp_rule && f->vjp_rule->source) vv_lower_func(ps, f->vjp_rule);
  if (f->jvp_rule && f->jvp_rule->source) vv_lower_func(ps, f->jvp_rule);
}
