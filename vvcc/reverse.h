// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// reverse.h: reverse derivatives. The first part is what drivers call, the second is shared by reverse.c, adjoint.c and
// loops.c.

#ifndef VVCC_REVERSE_H_
#define VVCC_REVERSE_H_

#include "ir.h"

// The derivatives of one function for one choice of active parameters, made once.
typedef struct vvDeriv {
  struct vvDeriv* next;
  uint64_t mask;  // active parameters
  bool restore;   // the reverse gives written memory its old values back
  bool reverse_done;
  bool rule;     // rev is written by hand
  vvFunc* fwd;   // computes and pushes; NULL: the function itself
  vvFunc* rev;   // pops and accumulates
  vvFunc* jvp;   // forward, one direction
  vvFunc* jvp8;  // forward, eight directions
  int wide;
} vvDeriv;

vvDeriv* vv_deriv_find(vvCc* cc, vvFunc* f, uint64_t mask, bool restore);
// Parameters that carry a derivative when nothing else is said.
uint64_t vv_deriv_default_mask(const vvFunc* f);
// Adds written parameters on an active path.
uint64_t vv_deriv_close_mask(vvCc* cc, vvFunc* f, uint64_t mask);
const char* vv_deriv_suffix(vvCc* cc, vvFunc* f, uint64_t mask);
vvDeriv* vv_reverse(vvCc* cc, vvFunc* f, uint64_t mask, bool restore);
// The public f_vjp of a derivative, and f_fwd and f_rev where it has none of these names.
vvFunc* vv_reverse_public(vvCc* cc, vvFunc* f, uint64_t mask, const char* variant);

// shared by the parts

typedef struct vvLoopInfo {
  struct vvLoopInfo* next;
  const vvStmt* loop;
  bool fused;       // iterations run forward and backward at once
  bool rerun;       // iterations are run again in reverse, nothing but `snap` is taped
  vvBits required;  // leaves that the reverse of the body needs
  vvBits snap;      // of these, carried from iteration to iteration in variables outside
  vvBits needs;     // of these, not changed by the loop
  vvBits mod;       // leaves that the loop changes
} vvLoopInfo;

typedef struct vvRegion {
  struct vvRegion* outer;
  vvStmt* loop;  // NULL: the function
  bool joint;    // forward and reverse code share their locals
  vvBits keep;   // forward statements that write none of these are left out; w NULL: all stay
} vvRegion;

typedef struct vvReverse {
  vvCc* cc;
  vvFunc* f;  // private copy of the function
  uint64_t mask;
  bool restore;
  int nleaf;
  vvVar** owner;  // of a leaf
  int* ndef;      // statements that write a leaf
  vvBits active;
  vvBits once;   // memory written at most once: keeps its values
  vvBits full;   // everything that some adjoint may need
  vvBits entry;  // memory whose old values the caller needs
  vvLoopInfo* info;
  vvRegion* region;
  vvVar* tape;
  vvVar* ret_bar;
  bool sums;  // bars of values are collected in locals, added to the caller's once
} vvReverse;

// adjoint.c
vvExpr* vv_adjoint_bar(vvReverse* r, const vvExpr* path);
// Appends the adjoint of assignment or call s. direct: the bar of lhs is not used again.
void vv_adjoint_stmt(vvReverse* r, const vvStmt* s, bool direct, bool restore, vvBlock* out);
bool vv_adjoint_is_active(vvReverse* r, const vvExpr* path);
bool vv_adjoint_overlaps(const vvExpr* path, vvBits bits);

// loops.c
void vv_loops_analyse(vvReverse* r);
vvLoopInfo* vv_loops_info(vvReverse* r, const vvStmt* loop);
// Leaves needed by the reverse of a block, closed under what computes them. Gives whether it has any adjoint.
bool vv_loops_required(vvReverse* r, const vvBlock* b, bool see_reruns, vvBits bits);
bool vv_loops_call_is_split(vvReverse* r, const vvStmt* s);
bool vv_loops_is_inside(const vvStmt* scope, const vvStmt* loop);
// Marks the last loop of the function, if it may run forward and backward iteration by iteration, and gives its place
// in the body; -1: none.
int vv_loops_fuse(vvReverse* r);

#endif  // VVCC_REVERSE_H_
