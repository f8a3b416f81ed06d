// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// parse.c: reads a kernel file with libclang: types, the VV_DIFF functions of the file and of its headers with their
// annotations, constant tables, and what the generated file has to include.

#define _POSIX_C_SOURCE 200809L

#include "parse.h"

#include <stdlib.h>
#include <string.h>

#include "lower.h"
#include "rules.h"

const char* vv_parse_text(vvParser* ps, CXString s) {
  const char* c = clang_getCString(s);
  const char* r = vv_ir_format(ps->cc, "%s", c ? c : "");
  clang_disposeString(s);
  return r;
}

int vv_parse_line(CXCursor c) {
  unsigned line = 0;
  clang_getExpansionLocation(clang_getCursorLocation(c), NULL, &line, NULL, NULL);
  return (int)line;
}

unsigned vv_parse_offset(CXSourceLocation l) {
  unsigned offset = 0;
  clang_getExpansionLocation(l, NULL, NULL, NULL, &offset);
  return offset;
}

const char* vv_parse_file(vvParser* ps, CXCursor c) {
  CXFile file = NULL;
  clang_getExpansionLocation(clang_getCursorLocation(c), &file, NULL, NULL, NULL);
  return file ? vv_parse_text(ps, clang_getFileName(file)) : ps->cc->file;
}

bool vv_parse_in_main(CXCursor c) {
  return clang_Location_isFromMainFile(clang_getCursorLocation(c)) != 0;
}

static enum CXChildVisitResult collect_child(CXCursor c, CXCursor parent, CXClientData data) {
  (void)parent;
  void** d = data;
  vvCursors* list = d[0];
  vvCc* cc = d[1];
  VV_IR_PUSH(cc, list->v, list->n, list->cap, c);
  return CXChildVisit_Continue;
}

vvCursors vv_parse_children(vvParser* ps, CXCursor c) {
  vvCursors list = {NULL, 0, 0};
  void* data[2] = {&list, ps->cc};
  clang_visitChildren(c, collect_child, data);
  return list;
}

// The text between two places of one file, as written.
const char* vv_parse_source(vvParser* ps, CXSourceRange r) {
  CXFile file = NULL;
  unsigned a = 0, b = 0;
  clang_getExpansionLocation(clang_getRangeStart(r), &file, NULL, NULL, &a);
  clang_getExpansionLocation(clang_getRangeEnd(r), NULL, NULL, NULL, &b);
  size_t size = 0;
  const char* text = file ? clang_getFileContents(ps->tu, file, &size) : NULL;
  if (!text || b > size || a > b) return "";
  return vv_ir_format(ps->cc, "%.*s", (int)(b - a), text + a);
}

// types

static vvStruct* find_struct(vvParser* ps, CXType t, int line) {
  vvCc* cc = ps->cc;
  CXCursor decl = clang_getTypeDeclaration(clang_getCanonicalType(t));
  if (clang_getCursorKind(decl) == CXCursor_UnionDecl)
    vv_ir_refuse(cc, NULL, line, "unions cannot be differentiated", "use a struct");
  for (int i = 0; i < cc->nstruct; i++)
    if (clang_equalCursors(ps->struct_decl[i], decl)) return cc->strct[i];
  if (clang_Cursor_isAnonymous(decl) || clang_equalCursors(clang_getCursorDefinition(decl), clang_getNullCursor()))
    vv_ir_refuse(cc, NULL, line, "a struct without name or definition", "name and define it");
  vvStruct* s = VV_IR_NEW(cc, vvStruct);
  s->name = vv_parse_text(ps, clang_getTypeSpelling(clang_getUnqualifiedType(t)));
  if (strncmp(s->name, "const ", 6) == 0) s->name += 6;
  s->in_main = vv_parse_in_main(decl);
  int n = cc->nstruct;
  ps->struct_decl = vv_ir_grow(cc, ps->struct_decl, n, &ps->cap_struct_decl, sizeof(CXCursor));
  ps->struct_decl[n] = decl;
  VV_IR_PUSH(cc, cc->strct, cc->nstruct, cc->cap_struct, s);
  s->nleaf = -1;  // while it is read
  vvCursors kids = vv_parse_children(ps, decl);
  s->field = vv_ir_alloc(cc, (size_t)(kids.n + 1) * sizeof(vvField));
  s->type = VV_IR_NEW(cc, vvIrType);
  s->type->kind = VV_T_STRUCT;
  s->type->name = s->name;
  s->type->def = s;
  int leaf = 0;
  for (int i = 0; i < kids.n; i++) {
    if (clang_getCursorKind(kids.v[i]) != CXCursor_FieldDecl) continue;
    if (clang_Cursor_isBitField(kids.v[i]))
      vv_ir_refuse(cc, vv_parse_file(ps, kids.v[i]), vv_parse_line(kids.v[i]), "a bit field", "use an int");
    vvField* f = &s->field[s->nfield++];
    f->name = vv_parse_text(ps, clang_getCursorSpelling(kids.v[i]));
    f->type = vv_parse_type(ps, clang_getCursorType(kids.v[i]), line);
    f->leaf = leaf;
    if (vv_ir_leaves(f->type) < 0)
      vv_ir_refuse(cc, NULL, line, "a struct that contains itself", "use arrays and indices");
    leaf += vv_ir_leaves(f->type);
  }
  s->nleaf = leaf;
  return s;
}

static vvIrType* named(vvParser* ps, vvTypeKind kind, CXType t) {
  vvCc* cc = ps->cc;
  const char* name = vv_parse_text(ps, clang_getTypeSpelling(clang_getUnqualifiedType(t)));
  if (strncmp(name, "const ", 6) == 0) name += 6;
  if (strcmp(name, "vvReal") == 0) {
    cc->real_is_float = clang_getCanonicalType(t).kind == CXType_Float;
    return cc->t_real;
  }
  if (strcmp(name, "double") == 0) return cc->t_double;
  if (strcmp(name, "float") == 0) return cc->t_float;
  if (strcmp(name, "int") == 0) return cc->t_int;
  if (strcmp(name, "_Bool") == 0 || strcmp(name, "bool") == 0) return cc->t_bool;
  vvIrType* r = VV_IR_NEW(cc, vvIrType);
  r->kind = kind;
  r->name = name;
  return r;
}

vvIrType* vv_parse_type(vvParser* ps, CXType t, int line) {
  vvCc* cc = ps->cc;
  CXType c = clang_getCanonicalType(t);
  vvIrType* r;
  if (clang_isVolatileQualifiedType(c)) vv_ir_refuse(cc, NULL, line, "a volatile variable", "take volatile off");
  switch (c.kind) {
    case CXType_Void:
      return cc->t_void;
    case CXType_Bool:
      return cc->t_bool;
    case CXType_Float:
    case CXType_Double:
      return named(ps, VV_T_REAL, t);
    case CXType_UChar:
    case CXType_UShort:
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
      r = named(ps, VV_T_INT, t);
      r->is_unsigned = true;
      return r;
    case CXType_Char_S:
    case CXType_Char_U:
    case CXType_SChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong:
    case CXType_Enum:
      return named(ps, VV_T_INT, t);
    case CXType_Record:
      return find_struct(ps, t, line)->type;
    default:
      break;
  }
  // sugar hides pointers and arrays: take it off step by step, so that element types keep their names
  for (int i = 0;
       i < 16 && t.kind != CXType_Pointer && t.kind != CXType_ConstantArray && t.kind != CXType_IncompleteArray; i++) {
    if (t.kind == CXType_Elaborated) {
      t = clang_Type_getNamedType(t);
    } else if (t.kind == CXType_Typedef) {
      t = clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(t));
    } else {
      t = clang_getCanonicalType(t);
    }
  }
  if (t.kind == CXType_Pointer) {
    CXType e = clang_getPointeeType(t);
    CXType ec = clang_getCanonicalType(e);
    if (ec.kind == CXType_FunctionProto || ec.kind == CXType_FunctionNoProto)
      vv_ir_refuse(cc, NULL, line, "a function pointer", "call the function by its name");
    bool opaque =
        ec.kind == CXType_Void ||
        (ec.kind == CXType_Record && clang_Cursor_isNull(clang_getCursorDefinition(clang_getTypeDeclaration(ec))));
    if (opaque) return named(ps, VV_T_INT, t);  // a handle: kept as it is, never followed
    return vv_ir_pointer(cc, vv_parse_type(ps, e, line), clang_isConstQualifiedType(ec) != 0);
  }
  if (t.kind == CXType_ConstantArray || t.kind == CXType_IncompleteArray) {
    vvIrType* e = vv_parse_type(ps, clang_getArrayElementType(t), line);
    return vv_ir_array(cc, e, t.kind == CXType_ConstantArray ? (int)clang_getArraySize(t) : 0);
  }
  vv_ir_refuse(cc, NULL, line,
               vv_ir_format(cc, "type \"%s\" cannot be differentiated", vv_parse_text(ps, clang_getTypeSpelling(t))),
               "use vvReal, int, structs, arrays and pointers");
}

// Whether a variable of type t holds constants: clang keeps the qualifier on the array or on its element.
bool vv_parse_is_const(CXType t) {
  for (;;) {
    CXType c = clang_getCanonicalType(t);
    if (clang_isConstQualifiedType(t) || clang_isConstQualifiedType(c)) return true;
    if (c.kind != CXType_ConstantArray && c.kind != CXType_IncompleteArray) return false;
    t = clang_getArrayElementType(t.kind == c.kind ? t : c);
  }
}

vvBinding* vv_parse_global(vvParser* ps, CXCursor decl) {
  for (int i = 0; i < ps->nglobal; i++)
    if (clang_equalCursors(ps->global[i].decl, decl)) return &ps->global[i];
  return NULL;
}

vvFunc* vv_parse_find(vvParser* ps, const char* name) {
  for (int i = 0; i < ps->cc->nfunc; i++)
    if (strcmp(ps->cc->func[i]->name, name) == 0) return ps->cc->func[i];
  return NULL;
}

// functions and their annotations

static vvVariant* add_variant(vvParser* ps, vvFunc* f, const char* text, int line) {
  vvCc* cc = ps->cc;
  char* s = vv_ir_format(cc, "%s", text);
  const char* part[64];
  int n = 0;
  for (char *save = NULL, *p = strtok_r(s, ", \t", &save); p && n < 64; p = strtok_r(NULL, ", \t", &save))
    part[n++] = p;
  if (n < 2) vv_ir_refuse(cc, f->file, line, "VV_DIFF_WRT needs a name and arguments", "VV_DIFF_WRT(state, q, v)");
  for (int i = 0; i < f->nvariant; i++)
    if (strcmp(f->variant[i].name, part[0]) == 0) return &f->variant[i];
  vvVariant* grown = vv_ir_alloc(cc, (size_t)(f->nvariant + 1) * sizeof(vvVariant));
  if (f->nvariant) memcpy(grown, f->variant, (size_t)f->nvariant * sizeof(vvVariant));
  f->variant = grown;
  vvVariant* v = &f->variant[f->nvariant++];
  v->name = part[0];
  v->narg = n - 1;
  v->arg = vv_ir_alloc(cc, (size_t)n * sizeof(char*));
  for (int i = 1; i < n; i++) v->arg[i - 1] = part[i];
  return v;
}

// VV_VJP_OF(f) and VV_JVP_OF(f); gives whether there is one.
static bool read_rule(vvParser* ps, vvFunc* f, vvCursors kids) {
  for (int i = 0; i < kids.n; i++) {
    if (clang_getCursorKind(kids.v[i]) != CXCursor_AnnotateAttr) continue;
    const char* a = vv_parse_text(ps, clang_getCursorSpelling(kids.v[i]));
    if (strncmp(a, "vv_vjp_of:", 10) != 0 && strncmp(a, "vv_jvp_of:", 10) != 0) continue;
    if (f) {
      f->rule_of = a + 10;
      f->is_vjp = a[3] == 'v';
    }
    return true;
  }
  return false;
}

static bool is_marked(vvParser* ps, vvCursors kids) {
  for (int i = 0; i < kids.n; i++)
    if (clang_getCursorKind(kids.v[i]) == CXCursor_AnnotateAttr &&
        strcmp(vv_parse_text(ps, clang_getCursorSpelling(kids.v[i])), "vv_diff") == 0)
      return true;
  return false;
}

static void read_param(vvParser* ps, vvFunc* f, int i, CXCursor c) {
  vvCc* cc = ps->cc;
  vvVar* p = f->param[i];
  const char* name = vv_parse_text(ps, clang_getCursorSpelling(c));
  int line = vv_parse_line(c);
  if (!p) {
    vvIrType* t = vv_parse_type(ps, clang_getCursorType(c), line);
    if (t->kind == VV_T_ARRAY) {
      CXType e = clang_getArrayElementType(clang_getCursorType(c));
      t = vv_ir_pointer(cc, t->elem, clang_isConstQualifiedType(clang_getCanonicalType(e)) != 0);
    }
    p = f->param[i] = vv_ir_var(cc, name, t);
    p->is_param = true;
    if (!vv_ir_has_pointer(t) || t->kind == VV_T_POINTER) {
      // fine: scalars, structs of scalars, pointers
    } else {
      vv_ir_refuse(cc, f->file, line, "a struct with pointers passed by value", "pass a pointer to it");
    }
  }
  if (*name) p->name = name;
  vvCursors kids = vv_parse_children(ps, c);
  for (int k = 0; k < kids.n; k++) {
    if (clang_getCursorKind(kids.v[k]) != CXCursor_AnnotateAttr) continue;
    const char* a = vv_parse_text(ps, clang_getCursorSpelling(kids.v[k]));
    if (strcmp(a, "vv_no_diff") == 0) p->no_diff = true;
    if (strcmp(a, "vv_write_once") == 0) p->write_once = true;
  }
}

static void read_function(vvParser* ps, CXCursor c) {
  vvCc* cc = ps->cc;
  vvCursors kids = vv_parse_children(ps, c);
  const char* name = vv_parse_text(ps, clang_getCursorSpelling(c));
  vvFunc* f = vv_parse_find(ps, name);
  bool rule = read_rule(ps, NULL, kids);
  bool marked = rule || is_marked(ps, kids);
  if (!f && !marked && !clang_isCursorDefinition(c)) return;
  if (!f) {
    f = VV_IR_NEW(cc, vvFunc);
    f->name = name;
    f->file = vv_parse_file(ps, c);
    f->line = vv_parse_line(c);
    VV_IR_PUSH(cc, cc->func, cc->nfunc, cc->cap_func, f);
  }
  if (rule) read_rule(ps, f, kids);
  if (marked) f->generated = true;  // here: to be differentiated, until lowering
  bool is_def = clang_isCursorDefinition(c) != 0;
  if (!f->generated && !is_def) return;
  int n = clang_Cursor_getNumArguments(c);
  if (f->generated) {
    if (clang_Cursor_isVariadic(c))
      vv_ir_refuse(cc, f->file, vv_parse_line(c), "a variable number of arguments", "write the arguments out");
    if (!f->param) f->param = vv_ir_alloc(cc, (size_t)(n + 1) * sizeof(vvVar*));
    f->nparam = n;
    if (!f->ret_type) f->ret_type = vv_parse_type(ps, clang_getCursorResultType(c), vv_parse_line(c));
    for (int i = 0; i < n; i++) read_param(ps, f, i, clang_Cursor_getArgument(c, (unsigned)i));
    for (int i = 0; i < kids.n; i++) {
      if (clang_getCursorKind(kids.v[i]) != CXCursor_AnnotateAttr) continue;
      const char* a = vv_parse_text(ps, clang_getCursorSpelling(kids.v[i]));
      if (strncmp(a, "vv_diff_wrt:", 12) == 0) add_variant(ps, f, a + 12, vv_parse_line(c));
      if (strcmp(a, "vv_second") == 0) f->second = true;
    }
    f->is_static = f->is_static || clang_Cursor_getStorageClass(c) == CX_SC_Static;
    if (!is_def && !vv_parse_in_main(c)) f->in_header_proto = true;
  }
  if (is_def) {
    CXCursor* keep = VV_IR_NEW(cc, CXCursor);
    *keep = c;
    f->source = keep;
    f->file = vv_parse_file(ps, c);
    f->line = vv_parse_line(c);
    f->in_main = vv_parse_in_main(c);
  }
}

static void add_text(vvParser* ps, const char* text) {
  vvCc* cc = ps->cc;
  VV_IR_PUSH(cc, cc->text, cc->ntext, cc->cap_text, text);
}

static void read_top(vvParser* ps) {
  vvCc* cc = ps->cc;
  vvCursors top = vv_parse_children(ps, clang_getTranslationUnitCursor(ps->tu));
  for (int i = 0; i < top.n; i++) {
    CXCursor c = top.v[i];
    enum CXCursorKind k = clang_getCursorKind(c);
    bool in_main = vv_parse_in_main(c);
    CXSourceRange r = clang_getCursorExtent(c);
    if (k == CXCursor_InclusionDirective && in_main) {
      const char* text = vv_parse_source(ps, r);
      VV_IR_PUSH(cc, cc->include, cc->ninclude, cc->cap_include, text);
    } else if (k == CXCursor_MacroDefinition && in_main) {
      add_text(ps, vv_ir_format(cc, "#define %s", vv_parse_source(ps, r)));
    } else if (k == CXCursor_FunctionDecl) {
      read_function(ps, c);
    } else if ((k == CXCursor_StructDecl || k == CXCursor_EnumDecl) && in_main) {
      // inside a typedef its text is copied with the typedef, which is the next cursor
      bool inside = i + 1 < top.n && clang_getCursorKind(top.v[i + 1]) == CXCursor_TypedefDecl &&
                    vv_parse_offset(clang_getRangeStart(clang_getCursorExtent(top.v[i + 1]))) <=
                        vv_parse_offset(clang_getRangeStart(r));
      if (!inside) add_text(ps, vv_ir_format(cc, "%s;", vv_parse_source(ps, r)));
    } else if (k == CXCursor_TypedefDecl && in_main) {
      add_text(ps, vv_ir_format(cc, "%s;", vv_parse_source(ps, r)));
    }
  }
}

static void report_errors(vvParser* ps) {
  vvCc* cc = ps->cc;
  for (unsigned i = 0; i < clang_getNumDiagnostics(ps->tu); i++) {
    CXDiagnostic d = clang_getDiagnostic(ps->tu, i);
    if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
      unsigned line = 0;
      CXFile file = NULL;
      clang_getExpansionLocation(clang_getDiagnosticLocation(d), &file, &line, NULL, NULL);
      const char* name = file ? vv_parse_text(ps, clang_getFileName(file)) : NULL;
      vv_ir_refuse(cc, name, (int)line, vv_parse_text(ps, clang_getDiagnosticSpelling(d)), "make it valid C first");
    }
    clang_disposeDiagnostic(d);
  }
}

void vv_parse_kernel(vvCc* cc, int narg, const char* const* arg) {
  vvParser* ps = VV_IR_NEW(cc, vvParser);
  ps->cc = cc;
  ps->index = clang_createIndex(0, 0);
  const char** all = vv_ir_alloc(cc, (size_t)(narg + 6) * sizeof(char*));
  int n = 0;
  all[n++] = "-std=c17";
  all[n++] = "-D__VVCC__=1";
  all[n++] = "-DNDEBUG";  // assert() is no part of a derivative
  all[n++] = "-D_XOPEN_SOURCE=700";
  all[n++] = "-Wno-everything";
  for (int i = 0; i < narg; i++) all[n++] = arg[i];
  enum CXErrorCode e = clang_parseTranslationUnit2(ps->index, cc->file, all, n, NULL, 0,
                                                   CXTranslationUnit_DetailedPreprocessingRecord, &ps->tu);
  if (e != CXError_Success || !ps->tu)
    vv_ir_refuse(cc, cc->file, 1, "the file cannot be read as C", "check its path and that it compiles");
  report_errors(ps);
  read_top(ps);
  vv_rules_link(cc);
  for (int i = 0; i < cc->nfunc; i++) {
    vvFunc* f = cc->func[i];
    if (f->generated && f->source && f->in_main) vv_lower_func(ps, f);
  }
}
