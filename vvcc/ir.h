// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// ir.h: the structured intermediate form between a kernel's text and its derivatives.
//
// A function is parameters, one block of statements and the variable it returns. Expressions have no side effects and
// no calls of kernels; those are statements. A path is an lvalue: a variable, then fields and indices. Every variable
// owns a range of leaves: one per scalar of its type, where arrays and pointers count their element once. Analyses
// are sets of leaves.

#ifndef VVCC_IR_H_
#define VVCC_IR_H_

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct vvIrType vvIrType;
typedef struct vvStruct vvStruct;
typedef struct vvVar vvVar;
typedef struct vvExpr vvExpr;
typedef struct vvStmt vvStmt;
typedef struct vvFunc vvFunc;
typedef struct vvCc vvCc;

typedef enum vvTypeKind { VV_T_VOID, VV_T_INT, VV_T_REAL, VV_T_STRUCT, VV_T_ARRAY, VV_T_POINTER, VV_T_TAPE } vvTypeKind;

struct vvIrType {
  vvTypeKind kind;
  const char* name;  // spelling of int, real and struct types
  vvIrType* elem;    // of arrays and pointers
  int count;         // of arrays
  vvStruct* def;     // of structs
  bool elem_const;   // of pointers: the element is const
  bool is_unsigned;  // of ints
};

typedef struct vvField {
  const char* name;
  vvIrType* type;
  int leaf;  // first leaf inside the struct
} vvField;

struct vvStruct {
  const char* name;
  int nfield;
  vvField* field;
  int nleaf;
  bool in_main;  // defined in the kernel file itself: its text is copied
  vvIrType* type;
  vvIrType* tan8;    // the type of its eight tangents, once made
  vvStruct* primal;  // of a tan8 struct: the struct it belongs to
};

struct vvVar {
  const char* name;
  vvIrType* type;
  bool is_param;
  bool is_table;    // constant table of the translation unit
  bool no_diff;     // VV_NO_DIFF
  bool write_once;  // VV_WRITE_ONCE
  bool assigned;    // a by-value parameter that the body assigns
  bool is_flag;     // made by the lowering of jumps: removed when never read
  bool is_temp;     // made for the value of one expression, read once
  bool frozen;      // keeps its value from its declaration to the end of its scope
  vvStmt* scope;    // innermost loop that it is declared in, NULL: the function
  bool by_value;    // the bar or tangent pointer of something passed by value: written *x_bar
  int loc;          // first leaf, -1 while not numbered
  vvVar* bar;       // during reverse
  vvVar* sum;       // of a bar passed by pointer: the local that collects it
  vvVar* tan;       // during forward
  vvVar* copy;      // during cloning
  vvExpr* alias;    // during inlining: what a pointer parameter stands for
  int uses;         // during emission
};

typedef enum vvExprKind {
  VV_E_LIT,    // text
  VV_E_VAR,    // var
  VV_E_FIELD,  // a.field, a->field where a is an index with a literal 0
  VV_E_INDEX,  // a[b]
  VV_E_ADDR,   // &a
  VV_E_UN,     // op a
  VV_E_BIN,    // a op b
  VV_E_MATH,   // fn(a, b, c)
  VV_E_CAST,   // (type) a
  VV_E_COND    // a ? b : c, not of reals
} vvExprKind;

typedef enum vvOp {
  VV_ADD,
  VV_SUB,
  VV_MUL,
  VV_DIV,
  VV_MOD,
  VV_SHL,
  VV_SHR,
  VV_AND,
  VV_OR,
  VV_XOR,
  VV_LT,
  VV_LE,
  VV_GT,
  VV_GE,
  VV_EQ,
  VV_NE,
  VV_LAND,
  VV_LOR,
  VV_NEG,
  VV_NOT,
  VV_BITNOT
} vvOp;

typedef enum vvMath {
  VV_M_NONE,
  VV_M_SQRT,
  VV_M_SIN,
  VV_M_COS,
  VV_M_TAN,
  VV_M_ASIN,
  VV_M_ACOS,
  VV_M_ATAN,
  VV_M_ATAN2,
  VV_M_EXP,
  VV_M_LOG,
  VV_M_POW,
  VV_M_FABS,
  VV_M_FMIN,
  VV_M_FMAX,
  VV_M_SINH,
  VV_M_COSH,
  VV_M_TANH,
  VV_M_HYPOT,
  VV_M_EXPM1,
  VV_M_LOG1P,
  VV_M_CBRT,
  VV_M_FLOOR,
  VV_M_CEIL,
  VV_M_FMOD,
  VV_M_COPYSIGN,
  VV_M_EXP2,
  VV_M_LOG2,
  VV_M_LOG10,
  VV_M_ASINH,
  VV_M_ACOSH,
  VV_M_ATANH,
  VV_M_FDIM,
  VV_M_FMA,
  VV_M_ERF,
  VV_M_ERFC,
  VV_M_TRUNC,
  VV_M_ROUND,
  VV_M_RINT,
  VV_M_NEARBYINT,
  VV_M_REMAINDER,
  VV_M_LDEXP,
  VV_M_ISNAN,
  VV_M_ISINF,
  VV_M_ISFINITE,
  VV_M_SIGNBIT,  // integers from here on
  VV_M_COUNT
} vvMath;

struct vvExpr {
  vvExprKind kind;
  vvIrType* type;
  vvOp op;
  vvMath fn;
  vvExpr *a, *b, *c;
  vvVar* var;
  const vvField* field;
  const char* text;
};

typedef struct vvBlock {
  vvStmt** v;
  int n, cap;
} vvBlock;

typedef enum vvStmtKind {
  VV_S_DECL,    // var; zero: initialised with zero
  VV_S_ASSIGN,  // lhs = rhs
  VV_S_ZERO,    // lhs = 0, any type but arrays
  VV_S_CALL,    // [lhs =] callee(args)
  VV_S_IF,      // cond, body, orelse
  VV_S_FOR,     // var from rhs while var op cond, step +1 or -1; countdown: (var = rhs; var-- > cond;)
  VV_S_WHILE,   // cond, body
  VV_S_PUSH,    // lhs to the tape
  VV_S_POP,     // lhs from the tape
  VV_S_GUARD    // leave when the tape has overflown
} vvStmtKind;

struct vvStmt {
  vvStmtKind kind;
  int line;
  vvVar* var;
  bool zero;
  vvExpr *lhs, *rhs, *cond;
  vvOp op;
  int step;
  bool countdown;
  vvFunc* callee;
  vvExpr** arg;
  int narg;
  vvBlock *body, *orelse;
  bool inlined;   // came out of a callee
  vvStmt* outer;  // loops: the enclosing loop
  vvStmt* copy;   // during cloning
};

typedef struct vvBits {
  int n;
  uint64_t* w;
} vvBits;

// One declared variant, VV_DIFF_WRT(name, args).
typedef struct vvVariant {
  const char* name;
  int narg;
  const char** arg;
} vvVariant;

struct vvFunc {
  const char* name;
  const char* file;
  int line;
  vvIrType* ret_type;
  vvExpr* ret;  // what is returned, NULL for void
  vvVar** param;
  int nparam;
  vvBlock* body;  // NULL: declared only, defined in another kernel file
  bool is_static;
  bool in_main;          // written in the kernel file itself
  bool in_header_proto;  // a header declares it
  bool is_public;        // declared in the generated header
  bool generated;
  bool needs_tape;
  bool has_loop;
  bool emit;  // wanted in the output
  int order;  // of emission, 0: not yet
  int nvariant;
  vvVariant* variant;
  const char* rule_of;  // a derivative written by hand: of this function
  bool is_vjp;          // of a rule: reverse, else forward
  bool takes_value;     // of a reverse rule: it is given the value returned
  vvFunc *vjp_rule, *jvp_rule;
  bool second;           // VV_SECOND: f_vjp_jvp is wanted
  vvBits reads, writes;  // leaves of parameters (pointees included) that the body reads and writes
  bool summed;           // reads and writes are known
  int ntemp;
  const char* prologue;  // text put before the body
  const char* comment;
  struct vvDeriv* deriv;
  void* source;  // the parser's own
  int state;     // of lowering: 0 not, 1 under way, 2 done
};

struct vvCc {
  jmp_buf fail;
  char message[1024];
  const char* file;    // path as given
  const char* base;    // name without directory and .c
  int wrong;           // deliberately wrong rule, 0: none
  bool no_rules;       // derivatives written by hand are ignored
  bool real_is_float;  // vvReal is float
  struct vvPool* pool;
  vvIrType *t_void, *t_int, *t_bool, *t_real, *t_double, *t_float, *t_tape, *t_real8;
  vvFunc** func;
  int nfunc, cap_func;
  vvStruct** strct;
  int nstruct, cap_struct;
  const char** include;  // spelled as in the kernel file
  int ninclude, cap_include;
  const char** text;  // tables and struct definitions of the kernel file, copied
  int ntext, cap_text;
  vvFunc** out;  // functions to emit, in order
  int nout, cap_out;
};

// memory and errors
void* vv_ir_alloc(vvCc* cc, size_t size);
char* vv_ir_format(vvCc* cc, const char* format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void vv_ir_refuse(vvCc* cc, const char* file, int line, const char* reason, const char* remedy);
void vv_ir_free(vvCc* cc);
#define VV_IR_NEW(cc, T) ((T*)vv_ir_alloc((cc), sizeof(T)))
// Appends to a pool array: a, n and cap are lvalues.
#define VV_IR_PUSH(cc, a, n, cap, x) ((a) = vv_ir_grow((cc), (a), (n), &(cap), sizeof(*(a))), (a)[(n)++] = (x))
void* vv_ir_grow(vvCc* cc, void* a, int n, int* cap, size_t size);

// types
void vv_ir_init_types(vvCc* cc);
vvIrType* vv_ir_pointer(vvCc* cc, vvIrType* elem, bool elem_const);
vvIrType* vv_ir_array(vvCc* cc, vvIrType* elem, int count);
int vv_ir_leaves(const vvIrType* t);
const vvIrType* vv_ir_leaf_type(const vvIrType* t, int leaf);
bool vv_ir_has_real(const vvIrType* t);
bool vv_ir_has_pointer(const vvIrType* t);
bool vv_ir_same_type(const vvIrType* a, const vvIrType* b);

// variables, expressions
vvVar* vv_ir_var(vvCc* cc, const char* name, vvIrType* type);
vvExpr* vv_ir_lit(vvCc* cc, const char* text, vvIrType* type);
vvExpr* vv_ir_int(vvCc* cc, int value);
vvExpr* vv_ir_ref(vvCc* cc, vvVar* v);
vvExpr* vv_ir_field(vvCc* cc, vvExpr* a, const vvField* f);
vvExpr* vv_ir_index(vvCc* cc, vvExpr* a, vvExpr* i);
vvExpr* vv_ir_addr(vvCc* cc, vvExpr* a);
vvExpr* vv_ir_un(vvCc* cc, vvOp op, vvExpr* a);
vvExpr* vv_ir_bin(vvCc* cc, vvOp op, vvExpr* a, vvExpr* b);
vvExpr* vv_ir_math(vvCc* cc, vvMath fn, vvExpr* a, vvExpr* b);
// Constants of derivatives.
#define VV_LN2 "(vvReal)0.69314718055994530942"
#define VV_LN10 "(vvReal)2.30258509299404568402"
#define VV_TWO_OVER_SQRT_PI "(vvReal)1.12837916709551257390"
vvExpr* vv_ir_cast(vvCc* cc, vvIrType* t, vvExpr* a);
bool vv_ir_is_path(const vvExpr* e);
bool vv_ir_equal(const vvExpr* a, const vvExpr* b);
bool vv_ir_is_zero(const vvExpr* e);
bool vv_ir_is_one(const vvExpr* e);
vvVar* vv_ir_root(const vvExpr* e);
const char* vv_ir_math_name(vvMath fn);
bool vv_ir_math_is_step(vvMath fn);  // constant between its jumps: derivative 0

// statements
void vv_ir_add(vvCc* cc, vvBlock* b, vvStmt* s);
void vv_ir_insert(vvCc* cc, vvBlock* b, int at, vvStmt* s);
void vv_ir_append(vvCc* cc, vvBlock* b, const vvBlock* more);
vvStmt* vv_ir_stmt(vvCc* cc, vvStmtKind kind, int line);
vvStmt* vv_ir_assign(vvCc* cc, vvExpr* lhs, vvExpr* rhs);
vvStmt* vv_ir_zero(vvCc* cc, vvExpr* lhs);
vvStmt* vv_ir_decl(vvCc* cc, vvVar* v, bool zero);
vvBlock* vv_ir_block(vvCc* cc);
vvVar* vv_ir_temp(vvCc* cc, vvFunc* f, vvIrType* type, const char* stem);

// sets of leaves
vvBits vv_bits_new(vvCc* cc, int n);
vvBits vv_bits_copy(vvCc* cc, vvBits a);
static inline bool vv_bits_get(vvBits a, int i) {
  return i >= 0 && i < a.n && (a.w[i >> 6] >> (i & 63) & 1) != 0;
}
static inline void vv_bits_set(vvBits a, int i) {
  if (i >= 0 && i < a.n) a.w[i >> 6] |= (uint64_t)1 << (i & 63);
}
static inline void vv_bits_clear(vvBits a, int i) {
  if (i >= 0 && i < a.n) a.w[i >> 6] &= ~((uint64_t)1 << (i & 63));
}
bool vv_bits_or(vvBits a, vvBits b);  // a |= b, true when a changed
bool vv_bits_meet(vvBits a, vvBits b);
void vv_bits_empty(vvBits a);
int vv_bits_count(vvBits a);

// clone.c
vvFunc* vv_ir_clone(vvCc* cc, const vvFunc* f);
// Appends f's body to `out`, its parameters bound to args, and gives what it returns (NULL: void).
vvExpr* vv_ir_inline(vvCc* cc, vvFunc* into, vvFunc* f, vvExpr** arg, vvStmt* scope, vvBlock* out);
vvExpr* vv_ir_copy_expr(vvCc* cc, const vvExpr* e);
vvExpr* vv_ir_offset(vvCc* cc, vvExpr* pointer, vvExpr* i);  // the path pointer[i]

#endif  // VVCC_IR_H_
