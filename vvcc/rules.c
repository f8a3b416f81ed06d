// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// rules.c: derivatives that the author wrote.
//
//   VV_VJP_OF(f) void g(arguments of f, [value returned by f,] cotangent of that value, a bar per active argument)
//   VV_JVP_OF(f) R g(arguments of f, each active one followed by its tangent, tangent of the value returned)
//
// The rule is lowered like a kernel, so that it can be differentiated forward. Where some bars are not wanted it gets
// NULL for pointers and a variable of its own for values. A rule that takes the value returned is for functions that
// write no memory: the value is then kept until the reverse has run.

#include "rules.h"

#include <string.h>

#include "analyse.h"
#include "reverse.h"

static vvFunc* find(vvCc* cc, const char* name) {
  for (int i = 0; i < cc->nfunc; i++)
    if (strcmp(cc->func[i]->name, name) == 0) return cc->func[i];
  return NULL;
}

static const char* type_text(vvCc* cc, const vvIrType* t) {
  if (t->kind != VV_T_POINTER) return t->kind == VV_T_ARRAY ? "array" : t->name;
  return vv_ir_format(cc, "%s%s*", t->elem_const ? "const " : "", type_text(cc, t->elem));
}

typedef struct vvWanted {
  vvIrType** type;
  int n;
  const char* text;
} vvWanted;

static void want(vvCc* cc, vvWanted* w, vvIrType* t, const char* name) {
  w->type[w->n++] = t;
  w->text = vv_ir_format(cc, "%s%s%s %s", w->text, *w->text ? ", " : "", type_text(cc, t), name);
}

static vvIrType* bar_type(vvCc* cc, vvIrType* t) {
  return vv_ir_pointer(cc, t->kind == VV_T_POINTER ? t->elem : t, false);
}

static vvWanted wanted(vvCc* cc, const vvFunc* f, bool reverse, bool value) {
  vvWanted w = {vv_ir_alloc(cc, (size_t)(2 * f->nparam + 4) * sizeof(vvIrType*)), 0, ""};
  uint64_t mask = vv_deriv_default_mask(f);
  bool real = vv_ir_has_real(f->ret_type);
  for (int i = 0; i < f->nparam; i++) {
    want(cc, &w, f->param[i]->type, f->param[i]->name);
    if (!reverse && (mask >> i & 1)) want(cc, &w, f->param[i]->type, vv_ir_format(cc, "%s_tan", f->param[i]->name));
  }
  if (!reverse) {
    if (real) want(cc, &w, vv_ir_pointer(cc, f->ret_type, false), "r_tan");
    return w;
  }
  if (value) want(cc, &w, f->ret_type, "r");
  if (real) want(cc, &w, f->ret_type, "r_bar");
  for (int i = 0; i < f->nparam; i++)
    if (mask >> i & 1) want(cc, &w, bar_type(cc, f->param[i]->type), vv_ir_format(cc, "%s_bar", f->param[i]->name));
  return w;
}

static bool fits(const vvFunc* g, const vvWanted* w) {
  if (g->nparam != w->n) return false;
  for (int i = 0; i < w->n; i++)
    if (!vv_ir_same_type(g->param[i]->type, w->type[i])) return false;
  return true;
}

static bool may_write(const vvFunc* f) {
  for (int i = 0; i < f->nparam; i++)
    if (f->param[i]->type->kind == VV_T_POINTER && !f->param[i]->type->elem_const) return true;
  return false;
}

void vv_rules_link(vvCc* cc) {
  for (int i = 0; i < cc->nfunc; i++) {
    vvFunc* g = cc->func[i];
    if (!g->rule_of) continue;
    vvFunc* f = find(cc, g->rule_of);
    if (!f || !f->generated || f->rule_of)
      vv_ir_refuse(cc, g->file, g->line,
                   vv_ir_format(cc, "a rule for \"%s\", which is no VV_DIFF function", g->rule_of),
                   "declare that function with VV_DIFF before its rule");
    vvWanted w = wanted(cc, f, g->is_vjp, false);
    bool ok = fits(g, &w) && g->ret_type->kind == (g->is_vjp ? VV_T_VOID : f->ret_type->kind);
    if (!ok && g->is_vjp && f->ret_type->kind != VV_T_VOID) {
      vvWanted more = wanted(cc, f, true, true);
      g->takes_value = ok = fits(g, &more) && g->ret_type->kind == VV_T_VOID;
    }
    if (!ok)
      vv_ir_refuse(cc, g->file, g->line,
                   vv_ir_format(cc, "\"%s\" does not have the arguments of a %s derivative of \"%s\"", g->name,
                                g->is_vjp ? "reverse" : "forward", f->name),
                   vv_ir_format(cc, "%s %s(%s)", g->is_vjp ? "void" : type_text(cc, f->ret_type), g->name, w.text));
    if (g->takes_value && may_write(f))
      vv_ir_refuse(cc, g->file, g->line, "a rule that takes the value returned, of a function that writes memory",
                   "take the value out of the arguments");
    if (cc->no_rules) continue;
    if (g->is_vjp) {
      f->vjp_rule = g;
    } else {
      f->jvp_rule = g;
    }
  }
}

static vvFunc* make(vvCc* cc, const vvFunc* f, const char* name) {
  vvFunc* g = VV_IR_NEW(cc, vvFunc);
  g->name = name;
  g->file = f->file;
  g->line = f->line;
  g->generated = true;
  g->is_static = true;
  g->body = vv_ir_block(cc);
  g->ret_type = cc->t_void;
  g->param = vv_ir_alloc(cc, (size_t)(2 * f->nparam + 4) * sizeof(vvVar*));
  return g;
}

static vvVar* add_param(vvCc* cc, vvFunc* g, const vvVar* like, bool by_value) {
  vvVar* v = vv_ir_var(cc, like->name, like->type);
  v->is_param = true;
  v->by_value = by_value;
  v->no_diff = like->no_diff;
  g->param[g->nparam++] = v;
  return v;
}

// What stands for a bar or tangent that is not wanted.
static vvExpr* nothing(vvCc* cc, vvFunc* g, const vvVar* like, bool by_value, bool address) {
  if (!by_value) return vv_ir_lit(cc, "NULL", like->type);
  vvVar* v = vv_ir_temp(cc, g, address ? like->type->elem : like->type, "none");
  vv_ir_add(cc, g->body, vv_ir_decl(cc, v, true));
  return address ? vv_ir_addr(cc, vv_ir_ref(cc, v)) : vv_ir_ref(cc, v);
}

static vvStmt* call_of(vvCc* cc, vvFunc* rule) {
  vvStmt* c = vv_ir_stmt(cc, VV_S_CALL, rule->line);
  c->callee = rule;
  c->arg = vv_ir_alloc(cc, (size_t)(rule->nparam + 1) * sizeof(vvExpr*));
  return c;
}

static void finish(vvCc* cc, vvFunc* g, vvStmt* call) {
  vv_ir_add(cc, g->body, call);
  g->has_loop = call->callee->has_loop || !call->callee->body;
  vv_summarise(cc, g);
}

vvFunc* vv_rules_reverse(vvCc* cc, vvFunc* f, uint64_t mask, bool restore) {
  vvFunc* rule = f->vjp_rule;
  if (restore)
    vv_ir_refuse(
        cc, f->file, f->line,
        vv_ir_format(cc, "\"%s\", whose derivative is written by hand, overwrites values that are still needed",
                     f->name),
        "let it write fresh memory");
  uint64_t full = vv_deriv_default_mask(f);
  if (mask == full) return rule;
  vvFunc* g = make(cc, f, vv_ir_format(cc, "%s%s_vjp", f->name, vv_deriv_suffix(cc, f, mask)));
  vvStmt* c = call_of(cc, rule);
  int first = f->nparam + rule->takes_value + vv_ir_has_real(f->ret_type);
  for (int i = 0; i < first; i++) c->arg[c->narg++] = vv_ir_ref(cc, add_param(cc, g, rule->param[i], false));
  int at = first;
  for (int i = 0; i < f->nparam; i++) {
    if (!(full >> i & 1)) continue;
    const vvVar* p = rule->param[at++];
    bool by_value = f->param[i]->type->kind != VV_T_POINTER;
    bool on = mask >> i & 1;
    c->arg[c->narg++] = on ? vv_ir_ref(cc, add_param(cc, g, p, by_value)) : nothing(cc, g, p, by_value, true);
  }
  finish(cc, g, c);
  return g;
}

vvFunc* vv_rules_forward(vvCc* cc, vvFunc* f, uint64_t mask) {
  vvFunc* rule = f->jvp_rule;
  uint64_t full = vv_deriv_default_mask(f);
  if (mask == full) return rule;
  vvFunc* g = make(cc, f, vv_ir_format(cc, "%s%s_jvp", f->name, vv_deriv_suffix(cc, f, mask)));
  vvStmt* c = call_of(cc, rule);
  int at = 0;
  for (int i = 0; i < f->nparam; i++) {
    c->arg[c->narg++] = vv_ir_ref(cc, add_param(cc, g, rule->param[at++], false));
    if (!(full >> i & 1)) continue;
    const vvVar* p = rule->param[at++];
    bool by_value = f->param[i]->type->kind != VV_T_POINTER;
    c->arg[c->narg++] = mask >> i & 1 ? vv_ir_ref(cc, add_param(cc, g, p, false)) : nothing(cc, g, p, by_value, false);
  }
  if (vv_ir_has_real(f->ret_type)) c->arg[c->narg++] = vv_ir_ref(cc, add_param(cc, g, rule->param[at], true));
  if (f->ret_type->kind != VV_T_VOID) {
    g->ret_type = f->ret_type;
    vvVar* v = vv_ir_var(cc, "r", f->ret_type);
    vv_ir_add(cc, g->body, vv_ir_decl(cc, v, false));
    g->ret = c->lhs = vv_ir_ref(cc, v);
  }
  finish(cc, g, c);
  return g;
}

void vv_rules_body(vvCc* cc, vvFunc* g, vvFunc* f, vvFunc* rule, bool again) {
  bool value = f->vjp_rule->takes_value;
  vvVar* r = NULL;
  if (!again || value) {
    vvStmt* c = call_of(cc, f);
    for (int i = 0; i < f->nparam; i++) c->arg[c->narg++] = vv_ir_ref(cc, g->param[i]);
    if (value) {
      r = vv_ir_var(cc, "value", f->ret_type);
      vv_ir_add(cc, g->body, vv_ir_decl(cc, r, false));
      c->lhs = vv_ir_ref(cc, r);
    }
    if (value || vv_bits_count(f->writes) > 0) vv_ir_add(cc, g->body, c);
  }
  vvStmt* c = call_of(cc, rule);
  int at = 0;
  for (int i = 0; i < rule->nparam; i++)
    c->arg[c->narg++] = value && i == f->nparam ? vv_ir_ref(cc, r) : vv_ir_ref(cc, g->param[at++]);
  vv_ir_add(cc, g->body, c);
}
