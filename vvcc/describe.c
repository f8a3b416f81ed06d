// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// describe.c: FILE.vv.info.c: what the functions of a kernel file and their derivatives take and give, as tables of
// visviva/load.h, with callers of one form for all. For kernels that are loaded at run time.

#include "describe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "reverse.h"

typedef struct vvDescribe {
  vvCc* cc;
  FILE* out;
} vvDescribe;

static const char* kind_of(const vvIrType* t) {
  switch (t->kind) {
    case VV_T_INT:
      return "VV_KERNEL_INT";
    case VV_T_REAL:
      return "VV_KERNEL_REAL";
    case VV_T_STRUCT:
      return "VV_KERNEL_STRUCT";
    default:
      return "VV_KERNEL_VOID";
  }
}

static const char* plain_name(const vvStruct* s) {
  return strncmp(s->name, "struct ", 7) == 0 ? s->name + 7 : s->name;
}

// One vvKernelType; owner: the struct that it is a member of.
static void put_entry(vvDescribe* d, const vvIrType* t, const char* name, const vvStruct* owner, bool active,
                      bool used) {
  const char* text = vv_emit_type(d->cc, t, "");
  bool pointer = t->kind == VV_T_POINTER, constant = pointer && t->elem_const;
  const vvIrType* e = pointer ? t->elem : t;
  long count = 1;
  for (; e->kind == VV_T_ARRAY; e = e->elem) count *= e->count;
  bool deep = e->kind == VV_T_POINTER;  // pointers to pointers are not followed
  if (deep) e = d->cc->t_void;
  fprintf(d->out, "{\"%s\", \"%s\", %s, ", name, text, kind_of(e));
  if (e->kind == VV_T_VOID) {
    fprintf(d->out, "0, ");
  } else {
    fprintf(d->out, "sizeof(%s), ", e->name);
  }
  if (owner) {
    fprintf(d->out, "offsetof(%s, %s), ", owner->name, name);
  } else {
    fprintf(d->out, "0, ");
  }
  fprintf(d->out, "%ld, %d, %d, %d, %d, %d, ", count, pointer || deep, constant, e->is_unsigned, active, used);
  if (e->kind == VV_T_STRUCT) {
    fprintf(d->out, "vv_members_%s, %d}", plain_name(e->def), e->def->nfield);
  } else {
    fprintf(d->out, "NULL, 0}");
  }
}

static void put_struct(vvDescribe* d, const vvStruct* s, bool* done) {
  int at = 0;
  while (at < d->cc->nstruct && d->cc->strct[at] != s) at++;
  if (at == d->cc->nstruct || done[at]) return;
  done[at] = true;
  for (int i = 0; i < s->nfield; i++) {
    const vvIrType* t = s->field[i].type;
    while (t->kind == VV_T_ARRAY || t->kind == VV_T_POINTER) t = t->elem;
    if (t->kind == VV_T_STRUCT) put_struct(d, t->def, done);
  }
  fprintf(d->out, "static const vvKernelType vv_members_%s[] = {\n", plain_name(s));
  for (int i = 0; i < s->nfield; i++) {
    fprintf(d->out, "    ");
    put_entry(d, s->field[i].type, s->field[i].name, s, false, true);
    fprintf(d->out, ",\n");
  }
  if (s->nfield == 0) fprintf(d->out, "    {0},\n");
  fprintf(d->out, "};\n\n");
}

// Argument i of a caller, found in args[at].
static void put_value(vvDescribe* d, const vvIrType* t, int at) {
  if (t->kind == VV_T_POINTER) {
    fprintf(d->out, "(%s)args[%d]", vv_emit_type(d->cc, t, ""), at);
  } else {
    fprintf(d->out, "*(%s)args[%d]", vv_emit_type(d->cc, vv_ir_pointer(d->cc, (vvIrType*)t, false), ""), at);
  }
}

static void put_callers(vvDescribe* d, const vvFunc* f) {
  int n = f->nparam;
  uint64_t mask = vv_deriv_default_mask(f);
  bool real = vv_ir_has_real(f->ret_type), value = f->ret_type->kind != VV_T_VOID;
  const char* assign =
      value ? vv_ir_format(d->cc, "*(%s)args[%d] = ", vv_emit_type(d->cc, vv_ir_pointer(d->cc, f->ret_type, false), ""),
                           n)
            : "";
  fprintf(d->out, "static void vv_call_%s(void** args) {\n  (void)args;\n  %s%s(", f->name, assign, f->name);
  for (int i = 0; i < n; i++) {
    if (i) fprintf(d->out, ", ");
    put_value(d, f->param[i]->type, i);
  }
  fprintf(d->out, ");\n}\n\nstatic void vv_vjp_%s(void** args) {\n  %s_vjp(", f->name, f->name);
  for (int i = 0; i < n; i++) {
    put_value(d, f->param[i]->type, i);
    fprintf(d->out, ", ");
  }
  if (real) {
    put_value(d, f->ret_type, n + 1);
    fprintf(d->out, ", ");
  }
  for (int i = 0; i < n; i++)
    if (mask >> i & 1) {
      vvIrType* t = f->param[i]->type;
      fprintf(d->out, "(%s)args[%d], ",
              vv_emit_type(d->cc, vv_ir_pointer(d->cc, t->kind == VV_T_POINTER ? t->elem : t, false), ""), n + 2 + i);
    }
  fprintf(d->out, "(vvTapeMem*)args[%d]);\n}\n\nstatic void vv_jvp_%s(void** args) {\n  %s%s_jvp(", 2 * n + 2, f->name,
          assign, f->name);
  const char* comma = "";
  for (int i = 0; i < n; i++) {
    fprintf(d->out, "%s", comma);
    put_value(d, f->param[i]->type, i);
    if (mask >> i & 1) {
      fprintf(d->out, ", ");
      put_value(d, f->param[i]->type, n + 2 + i);
    }
    comma = ", ";
  }
  if (real)
    fprintf(d->out, "%s(%s)args[%d]", comma, vv_emit_type(d->cc, vv_ir_pointer(d->cc, f->ret_type, false), ""), n + 1);
  fprintf(d->out, ");\n}\n\n");
}

static bool is_described(const vvFunc* f) {
  return f->body && !f->is_static && f->in_main && f->state == 2 && !f->rule_of;
}

// Whether the body reads or writes argument i or what it leads to.
static bool is_used(const vvFunc* f, int i) {
  int loc = 0;
  for (int k = 0; k < i; k++) loc += vv_ir_leaves(f->param[k]->type);
  for (int k = 0; k < vv_ir_leaves(f->param[i]->type); k++)
    if (vv_bits_get(f->reads, loc + k) || vv_bits_get(f->writes, loc + k)) return true;
  return false;
}

static void put_function(vvDescribe* d, const vvFunc* f) {
  uint64_t mask = vv_deriv_default_mask(f);
  fprintf(d->out, "static const vvKernelType vv_arguments_%s[] = {\n", f->name);
  for (int i = 0; i < f->nparam; i++) {
    fprintf(d->out, "    ");
    put_entry(d, f->param[i]->type, f->param[i]->name, NULL, mask >> i & 1, is_used(f, i));
    fprintf(d->out, ",\n");
  }
  if (f->nparam == 0) fprintf(d->out, "    {0},\n");
  fprintf(d->out, "};\n\n");
  put_callers(d, f);
}

static bool needs_tape(vvCc* cc, vvFunc* f) {
  vvDeriv* v = vv_reverse(cc, f, vv_deriv_default_mask(f), false);
  return !v->rule && v->fwd && v->fwd->needs_tape;
}

void vv_describe(vvCc* cc, const char* dir) {
  const char* path = vv_ir_format(cc, "%s/%s.vv.info.c", dir, cc->base);
  FILE* out = fopen(path, "w");
  if (!out) vv_ir_refuse(cc, path, 1, "the file cannot be written", strerror(errno));
  vvDescribe describe = {cc, out}, *d = &describe;
  fprintf(out, "// %s.vv.info.c: what %s.c offers, written by vvcc.\n\n#include \"%s.vv.h\"\n\n", cc->base, cc->base,
          cc->base);
  fprintf(out, "#include <stddef.h>\n\n#include \"visviva/load.h\"\n\n");
  bool* done = vv_ir_alloc(cc, (size_t)(cc->nstruct + 1) * sizeof(bool));
  for (int i = 0; i < cc->nfunc; i++) {
    vvFunc* f = cc->func[i];
    if (!is_described(f)) continue;
    fprintf(out, "%s;\n\n", vv_emit_head(cc, f));
    for (int k = -1; k < f->nparam; k++) {
      const vvIrType* t = k < 0 ? f->ret_type : f->param[k]->type;
      while (t->kind == VV_T_ARRAY || t->kind == VV_T_POINTER) t = t->elem;
      if (t->kind == VV_T_STRUCT) put_struct(d, t->def, done);
    }
    put_function(d, f);
  }
  int n = 0;
  fprintf(out, "static const vvKernelFunction vv_functions[] = {\n");
  for (int i = 0; i < cc->nfunc; i++) {
    vvFunc* f = cc->func[i];
    if (!is_described(f)) continue;
    n++;
    fprintf(out, "    {\"%s\", \"%s\", %d, vv_arguments_%s,\n     ", f->name, vv_emit_head(cc, f), f->nparam, f->name);
    put_entry(d, f->ret_type, "return", NULL, vv_ir_has_real(f->ret_type), true);
    fprintf(out, ", %d, vv_call_%s, vv_vjp_%s, vv_jvp_%s,\n     {", needs_tape(cc, f), f->name, f->name, f->name);
    static const char* const form[] = {"", "_fwd", "_rev", "_vjp", "_jvp", "_jvp8"};
    for (int k = 0; k < 6; k++) fprintf(out, "%s(void (*)(void))%s%s", k ? ", " : "", f->name, form[k]);
    fprintf(out, "}},\n");
  }
  if (n == 0) fprintf(out, "    {0},\n");
  fprintf(out, "};\n\nconst vvKernelFunction* vv_kernel_table(int* n);\n");
  fprintf(out, "const vvKernelFunction* vv_kernel_table(int* n) {\n  *n = %d;\n  return vv_functions;\n}\n", n);
  if (fclose(out) != 0) vv_ir_refuse(cc, path, 1, "the file cannot be written", strerror(errno));
}
