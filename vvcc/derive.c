// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// derive.c: which derivatives a kernel file gets: for every function that it defines and does not keep static f_fwd,
// f_rev, f_vjp, f_jvp, f_jvp8, with VV_SECOND also f_vjp_jvp, and the first three for each declared variant.

#include "derive.h"

#include <string.h>

#include "analyse.h"
#include "forward.h"
#include "reverse.h"

static uint64_t variant_mask(vvCc* cc, vvFunc* f, const vvVariant* v) {
  uint64_t mask = 0;
  for (int k = 0; k < v->narg; k++) {
    bool found = false;
    for (int p = 0; p < f->nparam; p++)
      if (strcmp(f->param[p]->name, v->arg[k]) == 0) {
        mask |= (uint64_t)1 << p;
        found = true;
      }
    if (!found)
      vv_ir_refuse(cc, f->file, f->line,
                   vv_ir_format(cc, "VV_DIFF_WRT names \"%s\", no argument of \"%s\"", v->arg[k], f->name),
                   "name an argument");
  }
  return vv_deriv_close_mask(cc, f, mask & vv_deriv_default_mask(f));
}

// Sends calls with some bars NULL to the variant they match.
static const char* dispatch(vvCc* cc, vvFunc* f, const vvFunc* vjp, uint64_t full) {
  if (!full) return NULL;
  int nbar = 0;
  for (int i = 0; i < f->nparam; i++) nbar += (int)(full >> i & 1);
  int first = vjp->nparam - 1 - nbar;
  const char* all = "";
  for (int i = 0; i < nbar; i++) all = vv_ir_format(cc, "%s%s%s", all, i ? " && " : "", vjp->param[first + i]->name);
  const char* s = vv_ir_format(cc, "  if (!(%s)) {\n", all);
  for (int k = 0; k < f->nvariant; k++) {
    uint64_t mask = variant_mask(cc, f, &f->variant[k]);
    const char *cond = "", *args = "";
    int bar = 0;
    for (int i = 0; i < first; i++) args = vv_ir_format(cc, "%s%s%s", args, i ? ", " : "", vjp->param[i]->name);
    for (int i = 0; i < f->nparam; i++) {
      if (!(full >> i & 1)) continue;
      const char* name = vjp->param[first + bar++]->name;
      bool wanted = mask >> i & 1;
      cond = vv_ir_format(cc, "%s%s%s%s", cond, *cond ? " && " : "", wanted ? "" : "!", name);
      if (wanted) args = vv_ir_format(cc, "%s, %s", args, name);
    }
    s = vv_ir_format(cc, "%s    if (%s) {\n      %s_%s_vjp(%s, tape);\n      return;\n    }\n", s, cond, f->name,
                     f->variant[k].name, args);
  }
  return vv_ir_format(cc, "%s    assert(0);  // a bar is NULL and no variant fits\n    return;\n  }\n", s);
}

static void publish(vvCc* cc, vvFunc* g, const char* name) {
  g->name = name;
  g->is_public = true;
  g->is_static = false;
  VV_IR_PUSH(cc, cc->out, cc->nout, cc->cap_out, g);
}

static void forward_public(vvCc* cc, vvFunc* f, uint64_t mask, const char* name) {
  publish(cc, vv_forward(cc, f, mask, false), vv_ir_format(cc, "%s_jvp", name));
  publish(cc, vv_forward(cc, f, mask, true), vv_ir_format(cc, "%s_jvp8", name));
}

void vv_derive_all(vvCc* cc) {
  int n = cc->nfunc;
  for (int i = 0; i < n; i++) {
    vvFunc* f = cc->func[i];
    if (!f->body || f->is_static || !f->in_main || f->state != 2 || f->rule_of) continue;
    uint64_t mask = vv_deriv_default_mask(f);
    for (int k = 0; k < f->nvariant; k++) {
      uint64_t m = variant_mask(cc, f, &f->variant[k]);
      if (m == mask) continue;
      vv_reverse_public(cc, f, m, f->variant[k].name);
    }
    vvFunc* vjp = vv_reverse_public(cc, f, mask, "");
    forward_public(cc, f, mask, f->name);
    if (f->second)
      publish(cc, vv_forward(cc, vjp, vv_deriv_default_mask(vjp), false), vv_ir_format(cc, "%s_vjp_jvp", f->name));
    vjp->prologue = dispatch(cc, f, vjp, mask);
  }
}
