// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// emit.c: the intermediate form as C text.

#include "emit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyse.h"
#include "place.h"

typedef struct vvText {
  vvCc* cc;
  char* s;
  size_t n, cap;
} vvText;

static void put(vvText* t, const char* format, ...) __attribute__((format(printf, 2, 3)));

static void put(vvText* t, const char* format, ...) {
  va_list a, b;
  va_start(a, format);
  va_copy(b, a);
  size_t need = (size_t)vsnprintf(NULL, 0, format, a);
  if (t->n + need + 1 > t->cap) {
    size_t cap = 2 * (t->n + need + 1) + 4096;
    char* s = vv_ir_alloc(t->cc, cap);
    if (t->n) memcpy(s, t->s, t->n);
    t->s = s;
    t->cap = cap;
  }
  vsnprintf(t->s + t->n, need + 1, format, b);
  t->n += need;
  va_end(b);
  va_end(a);
}

// expressions

static const char* const OP_TEXT[] = {"+",  "-", "*",  "/",  "%",  "<<", ">>", "&", "|", "^", "<",
                                      "<=", ">", ">=", "==", "!=", "&&", "||", "-", "!", "~"};
static const int OP_LEVEL[] = {9, 9, 10, 10, 10, 8, 8, 5, 3, 4, 7, 7, 7, 7, 6, 6, 2, 1, 11, 11, 11};

static int level(const vvExpr* e) {
  switch (e->kind) {
    case VV_E_BIN:
    case VV_E_UN:
      return OP_LEVEL[e->op];
    case VV_E_CAST:
    case VV_E_ADDR:
      return 11;
    case VV_E_COND:
      return 0;
    case VV_E_INDEX:
      return e->a->kind == VV_E_VAR && e->a->var->by_value && vv_ir_is_zero(e->b) ? 11 : 12;
    default:
      return 12;
  }
}

// A declaration of `name`, or without a name the type alone; C writes it from the inside out.
static void put_declarator(vvText* t, const vvIrType* type, const char* name) {
  const char* s = name;
  for (; type->kind == VV_T_POINTER || type->kind == VV_T_ARRAY; type = type->elem) {
    if (type->kind == VV_T_ARRAY) {
      s = vv_ir_format(t->cc, "%s[%d]", s, type->count);
      continue;
    }
    const vvIrType* e = type->elem;
    while (e->kind == VV_T_ARRAY) e = e->elem;
    bool inner = e->kind == VV_T_POINTER;  // const of an inner level stands after its star
    if (type->elem_const && !inner) put(t, "const ");
    s = vv_ir_format(t->cc, type->elem->kind == VV_T_ARRAY ? "(*%s)" : (*s && *s != '*' && *s != '[' ? "* %s" : "*%s"),
                     s);
    if (type->elem_const && inner) s = vv_ir_format(t->cc, " const%s", s);
  }
  put(t, *s && *s != '*' && *s != '[' ? "%s %s" : "%s%s", type->name, s);
}

static void put_type(vvText* t, const vvIrType* type) {
  put_declarator(t, type, "");
}

static void put_expr(vvText* t, const vvExpr* e);

static void put_at(vvText* t, const vvExpr* e, int least) {
  if (level(e) < least) {
    put(t, "(");
    put_expr(t, e);
    put(t, ")");
  } else {
    put_expr(t, e);
  }
}

static void put_binary(vvText* t, const vvExpr* e) {
  int l = OP_LEVEL[e->op];
  int left = l, right = l + 1;
  // mixtures that compilers ask to be bracketed
  if (e->op == VV_LOR || (e->op >= VV_SHL && e->op <= VV_XOR) || (e->op >= VV_LT && e->op <= VV_NE)) {
    left = e->a->kind == VV_E_BIN && e->a->op != e->op ? 11 : l;
    right = e->b->kind == VV_E_BIN ? 11 : l + 1;
    if (e->op >= VV_LT && e->op <= VV_NE) {
      left = e->a->kind == VV_E_BIN && OP_LEVEL[e->a->op] < 9 ? 11 : l;
      right = e->b->kind == VV_E_BIN && OP_LEVEL[e->b->op] < 9 ? 11 : l + 1;
    }
  }
  put_at(t, e->a, left);
  put(t, " %s ", OP_TEXT[e->op]);
  put_at(t, e->b, right);
}

// In the precision that the kernel asked for.
static void put_math_name(vvText* t, const vvExpr* e) {
  const char* name = vv_ir_math_name(e->fn);
  if (e->type == t->cc->t_float) {
    put(t, "%sf(", name);
  } else if (e->type == t->cc->t_double || e->type->kind == VV_T_INT) {
    put(t, "%s(", name);
  } else {
    put(t, "vv_%s(", name);
  }
}

static void put_expr(vvText* t, const vvExpr* e) {
  switch (e->kind) {
    case VV_E_LIT:
      put(t, "%s", e->text);
      return;
    case VV_E_VAR:
      put(t, "%s", e->var->name);
      return;
    case VV_E_FIELD:
      if (e->a->kind == VV_E_INDEX && vv_ir_is_zero(e->a->b) && e->a->a->type->kind == VV_T_POINTER) {
        put_at(t, e->a->a, 12);
        put(t, "->%s", e->field->name);
      } else {
        put_at(t, e->a, 12);
        put(t, ".%s", e->field->name);
      }
      return;
    case VV_E_INDEX:
      if (level(e) == 11) {
        put(t, "*%s", e->a->var->name);
        return;
      }
      put_at(t, e->a, 12);
      put(t, "[");
      put_expr(t, e->b);
      put(t, "]");
      return;
    case VV_E_ADDR:
      put(t, "&");
      put_at(t, e->a, 12);
      return;
    case VV_E_UN:
      put(t, "%s", OP_TEXT[e->op]);
      put_at(t, e->a, e->a->kind == VV_E_LIT && e->a->text[0] == '-' ? 13 : 12);
      return;
    case VV_E_BIN:
      put_binary(t, e);
      return;
    case VV_E_CAST:
      put(t, "(");
      put_type(t, e->type);
      put(t, ")");
      put_at(t, e->a, 12);
      return;
    case VV_E_COND:
      put_at(t, e->a, 3);
      put(t, " ? ");
      put_at(t, e->b, 1);
      put(t, " : ");
      put_at(t, e->c, 1);
      return;
    case VV_E_MATH:
      put_math_name(t, e);
      put_expr(t, e->a);
      for (const vvExpr* more = e->b; more; more = more == e->b ? e->c : NULL) {
        put(t, ", ");
        put_expr(t, more);
      }
      put(t, ")");
      return;
  }
}

// statements

static void indent(vvText* t, int depth) {
  put(t, "%*s", 2 * depth, "");
}

static void put_decl(vvText* t, const vvIrType* type, const char* name) {
  put_declarator(t, type, name);
}

static bool is_scalar(const vvIrType* t) {
  return t->kind == VV_T_INT || (t->kind == VV_T_REAL && strcmp(t->name, "vvReal8") != 0);
}

static void put_zero(vvText* t, const vvIrType* type) {
  if (is_scalar(type)) {
    put(t, "0");
  } else if (type->kind == VV_T_STRUCT || type->kind == VV_T_REAL) {
    put(t, "(");
    put_type(t, type);
    put(t, "){0}");
  } else {
    put(t, "{0}");
  }
}

static void put_call(vvText* t, const vvStmt* s) {
  put(t, "%s(", s->callee->name);
  for (int i = 0; i < s->narg; i++) {
    if (i) put(t, ", ");
    const vvIrType *p = s->callee->param[i]->type, *a = s->arg[i]->type;
    // C17 lets const be added to rows of an array by a cast only
    bool rows = p->kind == VV_T_POINTER && p->elem->kind == VV_T_ARRAY && p->elem_const &&
                !(a->kind == VV_T_POINTER && a->elem_const);
    if (rows) {
      put(t, "(");
      put_type(t, p);
      put(t, ")");
    }
    put_at(t, s->arg[i], rows ? 11 : 0);
  }
  put(t, ");\n");
}

static void put_block(vvText* t, const vvBlock* b, int depth);

static void put_for(vvText* t, const vvStmt* s, int depth) {
  const char* name = s->var->name;
  put(t, "for (");
  put_decl(t, s->var->type, name);
  put(t, " = ");
  if (s->rhs->kind != VV_E_LIT && s->rhs->type->name && strcmp(s->rhs->type->name, s->var->type->name) != 0) {
    put(t, "(%s)", s->var->type->name);
    put_at(t, s->rhs, 12);
  } else {
    put_expr(t, s->rhs);
  }
  if (s->countdown) {
    put(t, "; %s-- > ", name);
    put_at(t, s->cond, 8);
    put(t, ";) {\n");
  } else {
    put(t, "; %s %s ", name, OP_TEXT[s->op]);
    put_at(t, s->cond, 8);
    put(t, "; %s%s) {\n", name, s->step > 0 ? "++" : "--");
  }
  put_block(t, s->body, depth + 1);
  indent(t, depth);
  put(t, "}\n");
}

static void put_assign(vvText* t, const vvStmt* s) {
  const vvExpr* e = s->rhs;
  bool compound = e->kind == VV_E_BIN && e->op <= VV_DIV && vv_ir_equal(e->a, s->lhs);
  if (compound && s->lhs->type->kind == VV_T_INT && s->lhs->type->name && e->op <= VV_SUB && vv_ir_is_one(e->b)) {
    put_expr(t, s->lhs);
    put(t, e->op == VV_ADD ? "++;\n" : "--;\n");
    return;
  }
  put_expr(t, s->lhs);
  if (compound) {
    put(t, " %s= ", OP_TEXT[e->op]);
    e = e->b;
  } else {
    put(t, " = ");
  }
  put_expr(t, e);
  put(t, ";\n");
}

static void put_if(vvText* t, const vvStmt* s, int depth) {
  const vvBlock *yes = s->body, *no = s->orelse;
  put(t, "if (");
  if (yes->n == 0 && no) {
    put(t, "!");
    put_at(t, s->cond, 12);
    yes = no;
    no = NULL;
  } else {
    put_expr(t, s->cond);
  }
  put(t, ") {\n");
  put_block(t, yes, depth + 1);
  indent(t, depth);
  put(t, "}");
  if (no && no->n == 1 && no->v[0]->kind == VV_S_IF) {
    put(t, " else ");
    put_if(t, no->v[0], depth);
    return;
  }
  if (no && no->n) {
    put(t, " else {\n");
    put_block(t, no, depth + 1);
    indent(t, depth);
    put(t, "}");
  }
  put(t, "\n");
}

static void put_stmt(vvText* t, const vvStmt* s, const vvStmt* next, int depth, bool* used_next) {
  indent(t, depth);
  switch (s->kind) {
    case VV_S_DECL:
      put_decl(t, s->var->type, s->var->name);
      if (next && next->lhs && next->lhs->kind == VV_E_VAR && next->lhs->var == s->var &&
          (next->kind == VV_S_ASSIGN || next->kind == VV_S_CALL) && s->var->type->kind != VV_T_ARRAY && !s->zero) {
        put(t, " = ");
        if (next->kind == VV_S_CALL) {
          put_call(t, next);
        } else {
          put_expr(t, next->rhs);
          put(t, ";\n");
        }
        *used_next = true;
        return;
      }
      if (s->zero) {
        put(t, is_scalar(s->var->type) ? " = 0" : " = {0}");
      }
      put(t, ";\n");
      return;
    case VV_S_ASSIGN:
      put_assign(t, s);
      return;
    case VV_S_ZERO:
      put_expr(t, s->lhs);
      put(t, " = ");
      put_zero(t, s->lhs->type);
      put(t, ";\n");
      return;
    case VV_S_CALL:
      if (s->lhs) {
        put_expr(t, s->lhs);
        put(t, " = ");
      }
      put_call(t, s);
      return;
    case VV_S_IF:
      put_if(t, s, depth);
      return;
    case VV_S_FOR:
      put_for(t, s, depth);
      return;
    case VV_S_WHILE:
      put(t, "while (");
      put_expr(t, s->cond);
      put(t, ") {\n");
      put_block(t, s->body, depth + 1);
      indent(t, depth);
      put(t, "}\n");
      return;
    case VV_S_PUSH:
    case VV_S_POP:
      put(t, "%s(tape, ", s->kind == VV_S_PUSH ? "VV_PUSH" : "VV_POP");
      put_expr(t, s->lhs);
      put(t, ");\n");
      return;
    case VV_S_GUARD:
      put(t, "if (tape->overflow) return;\n");
      return;
  }
}

static void put_block(vvText* t, const vvBlock* b, int depth) {
  for (int i = 0; i < b->n; i++) {
    bool used = false;
    put_stmt(t, b->v[i], i + 1 < b->n ? b->v[i + 1] : NULL, depth, &used);
    if (used) i++;
  }
}

// functions

static bool mentions_expr(const vvExpr* e, const vvVar* v) {
  if (!e) return false;
  if (e->kind == VV_E_VAR) return e->var == v;
  return mentions_expr(e->a, v) || mentions_expr(e->b, v) || mentions_expr(e->c, v);
}

static bool mentions_block(const vvBlock* b, const vvVar* v) {
  if (!b) return false;
  for (int i = 0; i < b->n; i++) {
    const vvStmt* s = b->v[i];
    if (mentions_expr(s->lhs, v) || mentions_expr(s->rhs, v) || mentions_expr(s->cond, v)) return true;
    for (int k = 0; k < s->narg; k++)
      if (mentions_expr(s->arg[k], v)) return true;
    bool tape = s->kind == VV_S_PUSH || s->kind == VV_S_POP || s->kind == VV_S_GUARD;
    if (tape && v->type->kind == VV_T_POINTER && v->type->elem->kind == VV_T_TAPE) return true;
    if (mentions_block(s->body, v) || mentions_block(s->orelse, v)) return true;
  }
  return false;
}

static void put_head(vvText* t, const vvFunc* f, bool definition) {
  if (f->is_static) put(t, f->generated && !f->has_loop ? "static inline " : "static ");
  put_type(t, f->ret_type);
  put(t, " %s(", f->name);
  size_t column = 0;
  for (size_t i = t->n; i > 0 && t->s[i - 1] != '\n'; i--) column++;
  size_t start = column;
  for (int i = 0; i < f->nparam; i++) {
    const vvVar* p = f->param[i];
    vvText one = {t->cc, NULL, 0, 0};
    bool primal = p->type->kind == VV_T_POINTER && !strstr(p->name, "_bar") && p->type->elem->kind != VV_T_TAPE;
    bool restrict_it = definition && primal && f->generated && !f->is_static;
    put_declarator(&one, p->type, restrict_it ? vv_ir_format(t->cc, "restrict %s", p->name) : p->name);
    if (i) put(t, ",");
    if (i && column + one.n + 3 > 118) {
      put(t, "\n%*s", (int)start, "");
      column = start;
    } else if (i) {
      put(t, " ");
    }
    put(t, "%s", one.s);
    column += one.n + 2;
  }
  if (f->nparam == 0) put(t, "void");
  put(t, ")");
}

static void put_func(vvText* t, vvFunc* f) {
  vv_place_sink(t->cc, f);
  vv_place_names(t->cc, f);
  if (f->comment) put(t, "// %s\n", f->comment);
  put_head(t, f, true);
  put(t, " {\n");
  if (f->prologue) put(t, "%s", f->prologue);
  for (int i = 0; i < f->nparam; i++)
    if (!mentions_block(f->body, f->param[i]) && !mentions_expr(f->ret, f->param[i]))
      put(t, "  (void)%s;\n", f->param[i]->name);
  put_block(t, f->body, 1);
  if (f->ret) {
    put(t, "  return ");
    put_expr(t, f->ret);
    put(t, ";\n");
  }
  put(t, "}\n\n");
}

static void order_block(vvText* t, vvText* protos, const vvBlock* b);

static void put_ordered(vvText* t, vvText* protos, vvFunc* f) {
  if (f->order) return;
  f->order = 1;
  if (!f->body || (!f->is_static && !f->is_public)) {
    // somebody else's: generated ones and undeclared ones get a prototype
    if ((f->generated && f->state == 0 && !f->source) || !f->in_header_proto) {
      put_head(protos, f, false);
      put(protos, ";\n");
    }
    return;
  }
  if (f->source && !f->in_main) return;  // static inline of a header: seen by inclusion
  order_block(t, protos, f->body);
  put_func(t, f);
}

static void order_block(vvText* t, vvText* protos, const vvBlock* b) {
  if (!b) return;
  for (int i = 0; i < b->n; i++) {
    if (b->v[i]->kind == VV_S_CALL) put_ordered(t, protos, b->v[i]->callee);
    order_block(t, protos, b->v[i]->body);
    order_block(t, protos, b->v[i]->orelse);
  }
}

static void write_file(vvCc* cc, const char* path, const vvText* t) {
  FILE* f = fopen(path, "w");
  bool ok = f && fwrite(t->s, 1, t->n, f) == t->n;
  if (f && fclose(f) != 0) ok = false;
  if (!ok) vv_ir_refuse(cc, path, 1, "the file cannot be written", strerror(errno));
}

static void put_tan8(vvText* t, const vvStruct* s) {
  const vvStruct* d = s->tan8->def;
  for (int i = 0; i < d->nfield; i++) {
    const vvIrType* e = d->field[i].type;
    while (e->kind == VV_T_ARRAY || e->kind == VV_T_POINTER) e = e->elem;
    if (e->kind == VV_T_STRUCT && e->def->primal) put_tan8(t, e->def->primal);
  }
  put(t, "#ifndef VV_TAN8_%s\n#define VV_TAN8_%s\ntypedef struct %s {\n", s->name, s->name, d->name);
  for (int i = 0; i < d->nfield; i++) {
    put(t, "  ");
    put_decl(t, d->field[i].type, d->field[i].name);
    put(t, ";\n");
  }
  put(t, "} %s;\n#endif\n\n", d->name);
}

static void put_guard_name(vvText* t, const char* base) {
  for (const char* c = base; *c; c++)
    put(t, "%c", *c >= 'a' && *c <= 'z' ? *c - 32 : ((*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ? *c : '_'));
}

const char* vv_emit_type(vvCc* cc, const vvIrType* type, const char* name) {
  vvText t = {cc, NULL, 0, 0};
  put_declarator(&t, type, name);
  return t.s;
}

const char* vv_emit_head(vvCc* cc, const vvFunc* f) {
  vvText t = {cc, NULL, 0, 0};
  put(&t, "%s %s(", vv_emit_type(cc, f->ret_type, ""), f->name);
  for (int i = 0; i < f->nparam; i++)
    put(&t, "%s%s", i ? ", " : "", vv_emit_type(cc, f->param[i]->type, f->param[i]->name));
  put(&t, f->nparam ? ")" : "void)");
  return t.s;
}

// What the types of the kernel file need: these go into the header.
static bool is_type_text(const char* text) {
  static const char* const start[] = {"typedef", "struct", "enum", "#define"};
  for (size_t i = 0; i < sizeof start / sizeof start[0]; i++)
    if (strncmp(text, start[i], strlen(start[i])) == 0) return true;
  return false;
}

void vv_emit_files(vvCc* cc, const char* dir) {
  vvText body = {cc, NULL, 0, 0}, protos = {cc, NULL, 0, 0}, h = {cc, NULL, 0, 0}, c = {cc, NULL, 0, 0};
  put(&protos, "%s", "");
  put(&body, "%s", "");
  for (int i = 0; i < cc->nout; i++) put_ordered(&body, &protos, cc->out[i]);

  put(&h, "// SPDX-FileCopyrightText: The visviva authors\n// SPDX-License-Identifier: Apache-2.0\n//\n");
  put(&h, "// %s.vv.h: derivatives of %s.c, generated by vvcc.\n\n#ifndef VV_GENERATED_", cc->base, cc->base);
  put_guard_name(&h, cc->base);
  put(&h, "_VV_H_\n#define VV_GENERATED_");
  put_guard_name(&h, cc->base);
  put(&h, "_VV_H_\n\n");
  for (int i = 0; i < cc->ninclude; i++) put(&h, "%s\n", cc->include[i]);
  put(&h,
      "\n#if defined(__GNUC__)\n#pragma GCC diagnostic ignored \"-Wpsabi\"  // eight tangents by value\n#endif\n\n");
  bool own_types = false;
  for (int i = 0; i < cc->nstruct; i++) own_types |= cc->strct[i]->in_main;
  if (own_types)
    for (int i = 0; i < cc->ntext; i++)
      if (is_type_text(cc->text[i])) put(&h, "%s\n\n", cc->text[i]);
  for (int i = 0; i < cc->nstruct; i++)
    if (cc->strct[i]->tan8) put_tan8(&h, cc->strct[i]);
  put(&h, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  for (int i = 0; i < cc->nout; i++) {
    put_head(&h, cc->out[i], false);
    put(&h, ";\n");
  }
  put(&h, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");

  put(&c, "// SPDX-FileCopyrightText: The visviva authors\n// SPDX-License-Identifier: Apache-2.0\n//\n");
  put(&c, "// %s.vv.c: derivatives of %s.c, generated by vvcc.\n\n", cc->base, cc->base);
  put(&c, "#include \"%s.vv.h\"\n\n#include <assert.h>\n\n#include \"visviva/tape.h\"\n\n", cc->base);
  for (int i = 0; i < cc->ntext; i++) {
    if (!(own_types && is_type_text(cc->text[i]))) put(&c, "%s\n", cc->text[i]);
  }
  put(&c, "%s\n%s", protos.s, body.s);
  write_file(cc, vv_ir_format(cc, "%s/%s.vv.h", dir, cc->base), &h);
  write_file(cc, vv_ir_format(cc, "%s/%s.vv.c", dir, cc->base), &c);
}
