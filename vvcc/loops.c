// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// loops.c: which loops re-run their iterations in reverse instead of taping what they overwrite, and what the reverse
// of a block needs at all.
//
// A loop is re-run when the memory that its reverse needs still holds its values then: read-only, or written once.
// Locals of the iteration are computed again; scalars and structs carried from one iteration to the next are pushed at
// the start of each iteration, sums that nobody needs are not.

#include "analyse.h"
#include "reverse.h"

bool vv_loops_is_inside(const vvStmt* scope, const vvStmt* loop) {
  for (; scope; scope = scope->outer)
    if (scope == loop) return true;
  return loop == NULL;
}

vvLoopInfo* vv_loops_info(vvReverse* r, const vvStmt* loop) {
  for (vvLoopInfo* i = r->info; i; i = i->next)
    if (i->loop == loop) return i;
  return NULL;
}

bool vv_loops_call_is_split(vvReverse* r, const vvStmt* s) {
  uint64_t mask = vv_call_mask(s, r->active);
  if (!mask) return false;
  return vv_reverse(r->cc, s->callee, mask, false)->fwd != NULL;
}

static bool seeds(vvReverse* r, const vvBlock* b, bool see_reruns, vvBits bits);

static bool seeds_loop(vvReverse* r, const vvStmt* s, bool see_reruns, vvBits bits) {
  vvCc* cc = r->cc;
  vvLoopInfo* info = see_reruns ? vv_loops_info(r, s) : NULL;
  bool any;
  if (info && info->rerun) {
    vvBits none = vv_bits_new(cc, r->nleaf);
    any = seeds(r, s->body, see_reruns, none);
    if (any) {
      vv_bits_or(bits, info->needs);
      vv_bits_or(bits, info->snap);
    }
  } else {
    any = seeds(r, s->body, see_reruns, bits);
  }
  if (any) vv_reads_stmt(cc, s, bits);
  return any;
}

static bool seeds(vvReverse* r, const vvBlock* b, bool see_reruns, vvBits bits) {
  if (!b) return false;
  vvCc* cc = r->cc;
  bool any = false;
  for (int i = 0; i < b->n; i++) {
    const vvStmt* s = b->v[i];
    if (s->kind == VV_S_ASSIGN || s->kind == VV_S_CALL) {
      vvBlock* chunk = vv_ir_block(cc);
      int ntemp = r->f->ntemp;
      vv_adjoint_stmt(r, s, false, false, chunk);
      r->f->ntemp = ntemp;
      if (chunk->n) {
        any = true;
        vv_reads_block(cc, chunk, bits);
        if (s->kind == VV_S_CALL && vv_loops_call_is_split(r, s)) vv_reads_stmt(cc, s, bits);
      }
    } else if (s->kind == VV_S_IF) {
      bool yes = seeds(r, s->body, see_reruns, bits);
      bool no = seeds(r, s->orelse, see_reruns, bits);
      if (yes || no) {
        any = true;
        vv_reads_stmt(cc, s, bits);
      }
    } else if (s->kind == VV_S_FOR || s->kind == VV_S_WHILE) {
      any |= seeds_loop(r, s, see_reruns, bits);
    }
  }
  return any;
}

// Adds what computes the required leaves; gives whether a statement of the block does.
static bool close_block(vvReverse* r, const vvBlock* b, vvBits bits, bool* changed) {
  if (!b) return false;
  vvCc* cc = r->cc;
  bool any = false;
  for (int i = b->n - 1; i >= 0; i--) {
    const vvStmt* s = b->v[i];
    bool kept = close_block(r, s->body, bits, changed);
    kept |= close_block(r, s->orelse, bits, changed);
    if (s->kind == VV_S_ASSIGN || s->kind == VV_S_CALL) {
      vvBits w = vv_bits_new(cc, r->nleaf);
      vv_writes_stmt(cc, s, w);
      for (int k = 0; k < r->nleaf; k++)
        if (vv_bits_get(w, k) && vv_bits_get(r->once, k)) vv_bits_clear(w, k);
      kept = vv_bits_meet(w, bits);
    }
    if (!kept) continue;
    any = true;
    vvBits read = vv_bits_new(cc, r->nleaf);
    vv_reads_stmt(cc, s, read);
    *changed |= vv_bits_or(bits, read);
  }
  return any;
}

bool vv_loops_required(vvReverse* r, const vvBlock* b, bool see_reruns, vvBits bits) {
  bool any = seeds(r, b, see_reruns, bits);
  bool changed = true;
  while (changed) {
    changed = false;
    close_block(r, b, bits, &changed);
  }
  return any;
}

static bool has_array(const vvIrType* t) {
  if (t->kind == VV_T_ARRAY) return true;
  if (t->kind != VV_T_STRUCT) return false;
  for (int i = 0; i < t->def->nfield; i++)
    if (has_array(t->def->field[i].type)) return true;
  return false;
}

static void analyse_loop(vvReverse* r, vvStmt* loop) {
  vvCc* cc = r->cc;
  vvLoopInfo* info = VV_IR_NEW(cc, vvLoopInfo);
  info->loop = loop;
  info->required = vv_bits_new(cc, r->nleaf);
  info->snap = vv_bits_new(cc, r->nleaf);
  info->needs = vv_bits_new(cc, r->nleaf);
  info->mod = vv_bits_new(cc, r->nleaf);
  vv_loops_required(r, loop->body, true, info->required);
  vv_writes_block(cc, loop->body, info->mod);
  vv_writes_stmt(cc, loop, info->mod);
  info->rerun = true;
  for (int l = 0; l < r->nleaf && info->rerun; l++) {
    bool required = vv_bits_get(info->required, l);
    if (!vv_bits_get(info->mod, l) || vv_bits_get(r->once, l)) {
      if (required) vv_bits_set(info->needs, l);
      continue;
    }
    vvVar* v = r->owner[l];
    bool inside = !v->is_param && vv_loops_is_inside(v->scope, loop);
    if (inside) continue;
    bool memory = v->type->kind == VV_T_POINTER || has_array(v->type);
    if (memory) {
      if (vv_bits_get(r->full, l) || vv_bits_get(r->entry, l)) info->rerun = false;
    } else if (required) {
      vv_bits_set(info->snap, l);
    }
  }
  info->next = r->info;
  r->info = info;
}

static void analyse_block(vvReverse* r, const vvBlock* b) {
  if (!b) return;
  for (int i = 0; i < b->n; i++) {
    vvStmt* s = b->v[i];
    analyse_block(r, s->body);
    analyse_block(r, s->orelse);
    if (s->kind == VV_S_FOR || s->kind == VV_S_WHILE) analyse_loop(r, s);
  }
}

void vv_loops_analyse(vvReverse* r) {
  r->full = vv_bits_new(r->cc, r->nleaf);
  vv_loops_required(r, r->f->body, false, r->full);
  analyse_block(r, r->f->body);
}

// fusing
//
// The cotangents that an iteration starts from must be there before the loop has ended: what the loop changes outside
// itself is only summed up (its bar stays) or written once and not read (its bar is taken once). Then each iteration
// can run forward and backward at once, in forward order, so that sums keep their bits.

static bool is_sum(vvReverse* r, const vvStmt* s) {
  const vvExpr* e = s->rhs;
  if (s->kind != VV_S_ASSIGN || e->kind != VV_E_BIN || (e->op != VV_ADD && e->op != VV_SUB) ||
      !vv_ir_equal(s->lhs, e->a))
    return false;
  vvBits read = vv_bits_new(r->cc, r->nleaf);
  vv_reads_expr(e->b, read);
  return !vv_adjoint_overlaps(s->lhs, read);
}

// Whether every use of the leaves in `outer` is a sum into them or a write of memory that is written once.
static bool only_gives(vvReverse* r, const vvBlock* b, vvBits outer) {
  if (!b) return true;
  vvCc* cc = r->cc;
  for (int i = 0; i < b->n; i++) {
    const vvStmt* s = b->v[i];
    vvBits read = vv_bits_new(cc, r->nleaf), written = vv_bits_new(cc, r->nleaf);
    bool sum = is_sum(r, s);
    if (sum) {
      vv_reads_expr(s->rhs->b, read);
      vv_reads_index(s->lhs, read);
    } else {
      vv_reads_stmt(cc, s, read);
      vv_writes_stmt(cc, s, written);
    }
    for (int l = 0; l < r->nleaf; l++) {
      if (!vv_bits_get(outer, l)) continue;
      if (vv_bits_get(read, l) || (vv_bits_get(written, l) && !vv_bits_get(r->once, l))) return false;
    }
    if (!only_gives(r, s->body, outer) || !only_gives(r, s->orelse, outer)) return false;
  }
  return true;
}

int vv_loops_fuse(vvReverse* r) {
  vvCc* cc = r->cc;
  const vvBlock* b = r->f->body;
  for (int i = b->n - 1; i >= 0; i--) {
    const vvStmt* s = b->v[i];
    vvBlock one = {(vvStmt**)&b->v[i], 1, 1};
    vvBits needs = vv_bits_new(cc, r->nleaf);
    if (!vv_loops_required(r, &one, true, needs)) continue;
    vvLoopInfo* info = s->kind == VV_S_FOR ? vv_loops_info(r, s) : NULL;
    if (!info || !info->rerun || vv_bits_count(info->snap)) return -1;
    vvBits outer = vv_bits_new(cc, r->nleaf);
    for (int l = 0; l < r->nleaf; l++)
      if (vv_bits_get(info->mod, l) && vv_bits_get(r->active, l) && !vv_loops_is_inside(r->owner[l]->scope, s))
        vv_bits_set(outer, l);
    info->fused = only_gives(r, s->body, outer);
    return info->fused ? i : -1;
  }
  return -1;
}
