#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Random kernels against dual numbers: vvcc's reverse and forward derivatives of programs nobody wrote by hand.

usage: test_random_programs.py [--programs 2000] [--seed 1] [--batch 100] [--vvcc build/vvcc] [--wrong-rules] [--keep DIR]

Each batch is one translation unit of `--batch` programs. The same text is compiled as C, differentiated by vvcc, and
compiled as C++ with dual numbers (test/dual/dual.h); for each program a driver compares, at random points, f_vjp and
f_jvp and f_jvp8 with the dual derivative for every active entry, and the primal outputs bit by bit.
--wrong-rules instead runs one batch per deliberately wrong adjoint rule (vvcc --wrong 1..20): each must be caught.
The features that rule 15 of the compiler's rules asks for are counted and printed; too few of one is a failure.
"""
import argparse, os, random, shutil, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NX, NT, NY = 4, 5, 4
RULES = 20
FEATURES = ("loop-carried arrays", "data-dependent trip counts", "early return", "in-place writes",
            "nested structs, several indices")

PRELUDE = """#include "visviva/kernel.h"

typedef struct Pair {
  vvReal a, b;
  int n;
} Pair;

typedef struct Nest {
  Pair p;
  vvReal c[3];
} Nest;

VV_DIFF static inline vvReal h_leaf(vvReal a, vvReal b) {
  vvReal s = a * b;
  if (s > 1) return vv_sin(a) + b;
  return vv_fmax(s, s) - a;
}

VV_DIFF static vvReal h_loop(const vvReal* p, int n, vvReal r) {
  vvReal s = r;
  for (int i = 0; i < n; i++) {
    s = s * (vvReal)0.5 + vv_sin(p[i] * s);
    if (s > 2) break;
  }
  return s;
}

VV_DIFF static vvReal h_write(vvReal* p, int i, vvReal r) {
  vvReal old = p[i];
  p[i] = old * r + (vvReal)0.25;
  return old - r;
}

VV_DIFF static vvReal h_nest(Nest* q, int i, vvReal r) {
  q[i].p.a = q[i].p.a * r + q[1 - i].c[i];
  for (int j = 0; j < 3; j++) q[i].c[j] = vv_sin(q[i].c[j] + q[i].p.b * r);
  q[i].p.n++;
  return q[i].c[1];
}

VV_DIFF static inline Nest h_turn(Nest q, vvReal r) {
  Nest s = q;
  s.p.a = q.p.b * r;
  s.c[0] = q.c[2] - r;
  s.c[2] = q.c[0];
  return s;
}

VV_DIFF static vvReal h_rows(vvReal m[2][3], int k, vvReal r) {
  vvReal s = 0;
  do {
    s += m[k % 2][k] * r;
    m[(k + 1) % 2][k] *= (vvReal)0.75;
  } while (++k < 3);
  return s;
}

VV_DIFF static inline Pair h_pair(vvReal a, vvReal b, int n) {
  Pair p = {a - b, a * b, n};
  Pair q = p;
  q.a = q.a + (vvReal)0.1 * q.b;
  p = q;
  return p;
}
"""


class Program:
    """One random kernel `vvReal pK(const vvReal* x, int n, vvReal a, vvReal* y, int k)`."""

    def __init__(self, rng, index):
        self.rng, self.index = rng, index
        self.lines, self.depth, self.loops, self.names, self.uid = [], 1, 0, [], 0
        self.ints, self.features, self.pairs = ["k"], set(), []
        self.budget = rng.randint(8, 18)
        self.wide = rng.random() < 0.5

    def fresh(self, prefix):
        self.uid += 1
        return f"{prefix}{self.uid}"

    def emit(self, text):
        self.lines.append("  " * self.depth + text)

    def integer(self):
        r = self.rng
        kind = r.random()
        if kind < 0.4:
            return str(r.randint(0, 3))
        v = r.choice(self.ints)
        return v if kind < 0.75 else f"({v} + {r.randint(1, 3)})"

    def index_of(self, size):
        return f"({self.integer()}) % {size}" if self.rng.random() < 0.8 else str(self.rng.randrange(size))

    def atom(self):
        r = self.rng
        k = r.random()
        if k < 0.35 and self.names:
            return r.choice(self.names)
        if k < 0.5:
            return f"x[{self.index_of(NX)}]"
        if k < 0.6:
            return f"y[{self.index_of(NY)}]"
        if k < 0.72:
            return f"t[{self.index_of(NT)}]"
        if k < 0.8:
            return "a"
        if k < 0.88 and self.pairs:
            return f"{r.choice(self.pairs)}.{r.choice('ab')}"
        if k < 0.95 and self.wide:
            return self.wide_place()
        return f"(vvReal){r.uniform(-1.5, 1.5):.3f}"

    def wide_place(self):
        """A real in an array with two indices or in an array of structs in structs."""
        k = self.rng.random()
        if k < 0.4:
            return f"m[{self.index_of(2)}][{self.index_of(3)}]"
        return f"q[{self.index_of(2)}].{'p.a' if k < 0.6 else 'p.b' if k < 0.75 else f'c[{self.index_of(3)}]'}"

    def expr(self, depth=2):
        r = self.rng
        if depth == 0 or r.random() < 0.2:
            return self.atom()
        e = lambda: self.expr(depth - 1)
        k = r.randrange(17)
        if k < 3:
            return f"({e()} + {e()})"
        if k < 5:
            return f"({e()} - {e()})"
        if k < 7:
            return f"({e()} * {e()})"
        if k == 7:
            v = self.atom()
            return f"({e()} / ((vvReal)1.5 + {v} * {v}))"
        if k == 8:
            return f"vv_{r.choice(['sin', 'cos', 'tanh', 'atan', 'fabs'])}({e()})"
        if k == 9:
            v = self.atom()
            return f"vv_{r.choice(['sqrt', 'log'])}((vvReal)1.25 + {v} * {v})"
        if k == 10:
            return f"vv_{r.choice(['fmin', 'fmax', 'atan2', 'hypot'])}({e()} + (vvReal)0.37, {self.atom()} - (vvReal)1.1)"
        if k == 11:
            return f"({self.condition()} ? {e()} : {e()})"
        if k == 12:
            return f"h_leaf({e()}, {e()})"
        if k == 13:
            return f"-({e()})"
        if k == 14:
            v = self.atom()
            return r.choice([f"vv_exp2(vv_sin({e()}))", f"vv_expm1(vv_cos({e()}))", f"vv_log1p({v} * {v})", f"vv_erf({e()})",
                             f"vv_asinh({e()})", f"vv_cbrt((vvReal)1.5 + {v} * {v})", f"vv_log2((vvReal)1.1 + {v} * {v})",
                             f"vv_atanh(vv_sin({e()}) / 2)", f"vv_acosh((vvReal)1.5 + {v} * {v})", f"vv_exp(vv_sin({v}))"])
        if k == 15:
            return r.choice([f"vv_fma({e()}, {self.atom()}, {self.atom()})", f"vv_fdim({e()} + (vvReal)0.41, {self.atom()})",
                             f"vv_copysign({e()} + (vvReal)0.13, {self.atom()})", f"vv_ldexp({e()}, 1 - {self.integer()})",
                             f"vv_floor({e()} * 3)", f"vv_trunc({e()} * 5)"])
        v = self.atom()
        return f"vv_pow((vvReal)1.1 + {v} * {v}, (vvReal){r.uniform(-1.5, 1.5):.2f})"

    def bounded(self):
        e = self.expr()
        return e if self.rng.random() < 0.3 else f"vv_{self.rng.choice(['sin', 'tanh', 'cos'])}({e})"

    def condition(self):
        r = self.rng
        k = r.random()
        if k < 0.5:
            c = f"{self.atom()} {r.choice(['<', '>', '<=', '>='])} {self.atom()}"
        elif k < 0.7:
            c = f"({self.integer()}) % 3 {r.choice(['==', '!='])} {r.randint(0, 2)}"
        else:
            c = f"{self.atom()} > (vvReal){r.uniform(-1, 1):.2f} {r.choice(['&&', '||'])} {self.atom()} < (vvReal){r.uniform(-1, 1):.2f}"
        return f"({c})"

    def lvalue(self):
        r = self.rng
        k = r.random()
        if k < 0.5 and self.names:
            return r.choice(self.names)
        if k < 0.7:
            return f"t[{self.index_of(NT)}]"
        if k < 0.85 and self.pairs:
            return f"{r.choice(self.pairs)}.{r.choice('ab')}"
        if k < 0.92 and self.wide:
            return self.wide_place()
        self.features.add("in-place writes")
        return f"y[{self.index_of(NY)}]"

    def block(self, n):
        keep = (list(self.names), list(self.ints), list(self.pairs))
        self.depth += 1
        for _ in range(n):
            self.statement()
        self.depth -= 1
        self.names, self.ints, self.pairs = keep

    def statement(self):
        r = self.rng
        self.budget -= 1
        if self.budget < 0 or self.depth > 5:
            return self.simple()
        k = r.random()
        if k < 0.42:
            self.simple()
        elif k < 0.56:
            self.emit(f"if {self.condition()} {{")
            self.block(r.randint(1, 2))
            if r.random() < 0.5:
                self.emit("} else {")
                self.block(r.randint(1, 2))
            self.emit("}")
        elif k < 0.70:
            self.for_loop()
        elif k < 0.80:
            self.while_loop()
        elif k < 0.85 and self.loops:
            self.emit(f"if {self.condition()} {r.choice(['break', 'continue'])};")
        elif k < 0.90:
            self.features.add("early return")
            self.emit(f"if {self.condition()} return {self.bounded()};")
        elif k < 0.94:
            self.emit(f"switch (({self.integer()}) % 3) {{")
            for c in range(r.randint(1, 2)):
                self.emit(f"  case {c}: {self.lvalue()} = {self.bounded()}; {'break;' if r.random() < 0.7 else ''}")
            self.emit(f"  default: {self.lvalue()} {r.choice(['+=', '='])} {self.bounded()};")
            self.emit("}")
        else:
            self.carried()

    def simple(self):
        r = self.rng
        k = r.random()
        if k < 0.3 or not self.names:
            e, v = self.bounded(), self.fresh("r")
            self.emit(f"vvReal {v} = {e};")
            self.names.append(v)
        elif k < 0.6:
            self.emit(f"{self.lvalue()} {r.choice(['=', '+=', '-=', '*='])} {self.bounded()};")
        elif k < 0.68:
            self.features.add("in-place writes")
            i = self.index_of(NY)
            self.emit(f"y[{i}] = y[{i}] * {self.bounded()} + x[{self.index_of(NX)}];")
        elif k < 0.74:
            e1, e2, v = self.bounded(), self.bounded(), self.fresh("p")
            self.emit(f"Pair {v} = h_pair({e1}, {e2}, {self.integer()});")
            self.pairs.append(v)
        elif k < 0.78 and self.pairs:
            v = self.fresh("p")
            self.emit(f"Pair {v} = {r.choice(self.pairs)};")
            self.pairs.append(v)
        elif k < 0.84:
            self.features.add("in-place writes")
            self.emit(f"{r.choice(self.names)} = h_write(y, {self.index_of(NY)}, {self.bounded()});")
        elif k < 0.90:
            self.emit(f"{r.choice(self.names)} = h_loop(x, ({self.integer()}) % 4, {self.bounded()});")
        elif k < 0.925 and self.wide:
            self.emit(r.choice([f"q[{self.index_of(2)}] = q[{self.index_of(2)}];",
                                f"q[{self.index_of(2)}] = h_turn(q[{self.index_of(2)}], {self.bounded()});",
                                f"{r.choice(self.names)} = h_nest(q, {self.index_of(2)}, {self.bounded()});",
                                f"{r.choice(self.names)} = h_rows(m, {self.index_of(3)}, {self.bounded()});",
                                f"q[{self.index_of(2)}].p = {self.condition()} ? h_pair({self.atom()}, a, k) : q[k % 2].p;"]))
        elif k < 0.94:
            v = self.fresh("r")
            self.emit(f"vvReal {v} = ({r.choice(self.names)} {r.choice(['+=', '*=', '='])} {self.bounded()}) * (vvReal)0.7;")
            self.names.append(v)
        elif k < 0.96:
            self.emit(f"k = (k * {r.randint(1, 3)} + {r.randint(1, 2)}) % 4;")
        else:
            self.emit(f"t[k++ % {NT}] = vv_sin({r.choice(self.names)} * a);")

    def for_loop(self):
        r = self.rng
        i = self.fresh("i")
        bound = r.choice(["n", "2", "3", "(k % 3 + 1)", "4"])
        if bound[0] in "n(":
            self.features.add("data-dependent trip counts")
        self.emit(f"for (int {i} = 0; {i} < {bound}; {i}++) {{")
        self.ints.append(i)
        self.loops += 1
        self.block(r.randint(1, 3))
        self.loops -= 1
        self.ints.remove(i)
        self.emit("}")

    def while_loop(self):
        r = self.rng
        self.features.add("data-dependent trip counts")
        c, v = self.fresh("c"), self.fresh("r")
        self.emit(f"int {c} = 0;")
        self.emit(f"vvReal {v} = {self.bounded()};")
        do = r.random() < 0.35
        cond = f"{v} < (vvReal){r.uniform(0.5, 2.5):.2f} && {c} < 5"
        self.emit("do {" if do else f"while ({cond}) {{")
        self.loops += 1
        self.emit(f"  {c}++;")
        self.names.append(v)
        self.emit(f"  {v} += (vvReal)0.3 + (vvReal)0.2 * vv_sin({self.expr(1)});")
        self.block(r.randint(1, 2))
        self.loops -= 1
        self.emit(f"}} while ({cond});" if do else "}")

    def carried(self):
        r = self.rng
        self.features.add("loop-carried arrays")
        i = self.fresh("i")
        self.emit(f"for (int {i} = 0; {i} < {NT - 1}; {i}++) {{")
        self.emit(f"  t[{i} + 1] {r.choice(['=', '+='])} vv_sin(t[{i}] * {self.atom()}) + (vvReal)0.3 * x[{i} % {NX}];")
        if r.random() < 0.4:
            self.emit(f"  y[{i}] += t[{i}] * t[{i} + 1];")
        self.emit("}")

    def text(self):
        r = self.rng
        for feature, make in (("loop-carried arrays", self.carried), ("data-dependent trip counts", self.while_loop)):
            if r.random() < 0.25:
                make()
        while self.budget > 0:
            self.statement()
        head = [f"VV_DIFF vvReal p{self.index}(const vvReal* x, int n, vvReal a, vvReal* y, int k) {{",
                f"  vvReal t[{NT}] = {{0}};", f"  for (int i = 0; i < {NT}; i++) t[i] = x[i % {NX}] * (vvReal)0.5 + y[i % {NY}];"]
        if self.wide:
            self.features.add("nested structs, several indices")
            head += ["  vvReal m[2][3];", "  Nest q[2] = {{{a, x[0], 1}, {x[1], 1, y[0]}}, {{y[1], a, 0}, {0, x[2], x[3]}}};",
                     "  for (int i = 0; i < 6; i++) m[i / 3][i % 3] = x[i % 4] - y[i % 4] * (vvReal)0.25;"]
        return "\n".join(head + self.lines + [f"  return {self.bounded()};", "}"]) + "\n"


def driver(count):
    """C driver: reads nothing, prints one line per failing program and a summary."""
    table = ",\n".join(f"  {{p{i}, p{i}_vjp, p{i}_jvp, p{i}_jvp8, p{i}_dual}}" for i in range(count))
    return f"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "batch_kernel.vv.h"
enum {{ NX = {NX}, NY = {NY}, N = {NX + NY + 1} }};
typedef double (*Dual_f)(const double*, const double*, int, double, double, double*, double*, int, double*);
typedef struct Program {{
  vvReal (*f)(const vvReal*, int, vvReal, vvReal*, int);
  void (*vjp)(const vvReal*, int, vvReal, vvReal*, int, vvReal, vvReal*, vvReal*, vvReal*, vvTapeMem*);
  vvReal (*jvp)(const vvReal*, const vvReal*, int, vvReal, vvReal, vvReal*, vvReal*, int, vvReal*);
  vvReal (*jvp8)(const vvReal*, const vvReal8*, int, vvReal, vvReal8, vvReal*, vvReal8*, int, vvReal8*);
  Dual_f dual;
}} Program;
vvReal p0(const vvReal*, int, vvReal, vvReal*, int);
{"".join(f"vvReal p{i}(const vvReal*, int, vvReal, vvReal*, int); double p{i}_dual(const double*, const double*, int, double, double, double*, double*, int, double*);" + chr(10) for i in range(count))}
static const Program programs[] = {{
{table}
}};
static double uniform(unsigned long long* s) {{
  *s = *s * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(*s >> 11) / 9007199254740992.0 * 3 - 1.5;
}}
static int close_to(double a, double b, double scale) {{
  double d = a > b ? a - b : b - a;
  return d <= 1e-9 * (1 + scale);
}}
static int check(const Program* p, unsigned long long seed, vvTapeMem* tape, const char** what) {{
  double x[NX], y0[NY], dual[N], ybar[NY], a, scale = 0, rs;
  for (int i = 0; i < NX; i++) x[i] = uniform(&seed);
  for (int i = 0; i < NY; i++) {{ y0[i] = uniform(&seed); ybar[i] = uniform(&seed); }}
  a = uniform(&seed); rs = uniform(&seed);
  int n = (int)(seed >> 20) % 4, k = (int)(seed >> 30) % 4;
  if (n < 0) n = -n;
  if (k < 0) k = -k;
  double yp[NY], value = 0;
  memcpy(yp, y0, sizeof y0);
  value = p->f(x, n, a, yp, k);
  for (int j = 0; j < N; j++) {{
    double xt[NX] = {{0}}, yt[NY] = {{0}}, at = 0, y[NY], rt;
    if (j < NX) xt[j] = 1; else if (j < NX + NY) yt[j - NX] = 1; else at = 1;
    memcpy(y, y0, sizeof y0);
    double v = p->dual(x, xt, n, a, at, y, yt, k, &rt);
    if ((v != v && value != value) || (v == value && v - value != 0)) return 2;  /* both NaN, or the same infinity */
    if (!close_to(v, value, 0)) {{ *what = "dual value"; return 0; }}  /* constants are folded differently */
    dual[j] = rs * rt;
    for (int i = 0; i < NY; i++) dual[j] += ybar[i] * yt[i];
    if (!(dual[j] < 1e7 && dual[j] > -1e7)) return 2;
    scale = dual[j] > scale ? dual[j] : -dual[j] > scale ? -dual[j] : scale;
    double y2[NY], yt2[NY] = {{0}}, rt2 = 0;
    memcpy(y2, y0, sizeof y0);
    if (j >= NX && j < NX + NY) yt2[j - NX] = 1;
    double v2 = p->jvp(x, xt, n, a, at, y2, yt2, k, &rt2), s2 = rs * rt2;
    for (int i = 0; i < NY; i++) s2 += ybar[i] * yt2[i];
    if (!close_to(v2, value, 0)) {{ *what = "jvp value"; return 0; }}
    if (!close_to(s2, dual[j], scale)) {{ *what = "jvp"; return 0; }}
  }}
  double y[NY], xb[NX] = {{0}}, yb[NY], ab = 0;
  memcpy(y, y0, sizeof y0);
  memcpy(yb, ybar, sizeof ybar);
  tape->used = 0;
  tape->overflow = 0;
  p->vjp(x, n, a, y, k, rs, xb, &ab, yb, tape);
  if (tape->overflow || tape->used != 0) {{ *what = "tape"; return 0; }}
  for (int j = 0; j < N; j++) {{
    double g = j < NX ? xb[j] : j < NX + NY ? yb[j - NX] : ab;
    if (!close_to(g, dual[j], scale)) {{ *what = "vjp"; return 0; }}
  }}
  static vvReal8 xt8[NX], yt8[NY];
  vvReal8 rt8 = {{0}}, at8 = {{0}};
  memset(xt8, 0, sizeof xt8);
  memset(yt8, 0, sizeof yt8);
  for (int j = 0; j < 8; j++) if (j < NX) xt8[j][j] = 1; else if (j < NX + NY) yt8[j - NX][j] = 1; else at8[j] = 1;
  memcpy(y, y0, sizeof y0);
  p->jvp8(x, xt8, n, a, at8, y, yt8, k, &rt8);
  for (int j = 0; j < 8; j++) {{
    double s = rs * rt8[j];
    for (int i = 0; i < NY; i++) s += ybar[i] * yt8[i][j];
    if (!close_to(s, dual[j], scale)) {{ *what = "jvp8"; return 0; }}
  }}
  return 1;
}}
int main(void) {{
  static unsigned char memory[1 << 22] __attribute__((aligned(64)));
  vvTapeMem tape = {{memory, sizeof memory, 0, 0, 0}};
  int passed = 0, failed = 0, points = 0;
  for (int i = 0; i < {count}; i++) {{
    int ok = 1;
    for (unsigned long long s = 0; s < 6 && ok; s++) {{
      const char* what = "";
      int r = check(&programs[i], 1000003ull * (unsigned long long)i + s + 1, &tape, &what);
      points += r == 1;
      if (r == 0) {{ printf("FAIL p%d point %llu: %s\\n", i, s, what); ok = 0; }}
    }}
    if (ok) passed++; else failed++;
  }}
  printf("SUMMARY %d %d %d\\n", passed, failed, points);
  return failed != 0;
}}
"""


def dual_source(count):
    out = ['#include "batch_kernel.c"']
    for i in range(count):
        out.append(f"""extern "C" double p{i}_dual(const double* x, const double* xt, int n, double a, double at, double* y, double* yt, int k, double* rt) {{
  Dual X[{NX}], Y[{NY}];
  for (int i = 0; i < {NX}; i++) X[i] = Dual(x[i], xt[i]);
  for (int i = 0; i < {NY}; i++) Y[i] = Dual(y[i], yt[i]);
  Dual r = p{i}(X, n, Dual(a, at), Y, k);
  for (int i = 0; i < {NY}; i++) {{ y[i] = Y[i].v; yt[i] = Y[i].t; }}
  *rt = r.t;
  return r.v;
}}""")
    return "\n".join(out)


def run(cmd, cwd, seconds=240):
    try:
        p = subprocess.run(cmd, cwd=cwd, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return 124, "", f"{cmd[0]} did not end"
    return p.returncode, p.stdout, p.stderr


def make_batch(folder, seed, count, vvcc, wrong=0):
    """Generates, differentiates, builds and runs one batch: (passed, failed, refused, features, messages)."""
    os.makedirs(folder, exist_ok=True)
    programs, refused, index = [], 0, 0
    rng = random.Random(seed)
    drawn = [Program(rng, i) for i in range(count)]
    texts = [p.text() for p in drawn]
    inc = ["-I", os.path.join(ROOT, "include"), "-I", folder]
    args = [vvcc, "batch_kernel.c", "--out-dir", folder, *inc] + (["--wrong", str(wrong)] if wrong else [])
    messages = []
    while True:
        with open(os.path.join(folder, "batch_kernel.c"), "w") as f:
            f.write(PRELUDE + "\n" + "\n".join(texts))
        rc, out, err = run(args, folder)
        if rc == 0:
            break
        line = (err.strip().splitlines() or ["vvcc failed without a word"])[0]
        messages.append("refused: " + line)
        refused += 1
        try:
            at, total, victim = int(line.split(":")[1]), PRELUDE.count("\n") + 1, None
            for i, t in enumerate(texts):
                total += t.count("\n") + 1
                if at <= total:
                    victim = i
                    break
        except (ValueError, IndexError):
            victim = None
        if victim is None or refused > max(5, count // 10):
            return 0, count, refused, [p.features for p in drawn], messages
        texts[victim] = f"VV_DIFF vvReal p{victim}(const vvReal* x, int n, vvReal a, vvReal* y, int k) {{\n  return a * x[0];\n}}\n"
    with open(os.path.join(folder, "driver.c"), "w") as f:
        f.write(driver(count))
    with open(os.path.join(folder, "dual.cpp"), "w") as f:
        f.write(dual_source(count))
    # without -fno-builtin gcc turns sin(atan(x)) into a quotient where the inner value has no other use: other bits
    flags = ["-O0", "-ffp-contract=off", "-fno-math-errno", "-fno-builtin", "-w", *inc]
    for cmd in (["gcc", "-std=c17", *flags, "-c", "batch_kernel.c", "-o", "primal.o"],
                ["gcc", "-std=c17", *flags, "-c", "batch_kernel.vv.c", "-o", "vv.o"],
                ["gcc", "-std=c17", *flags, "-c", "driver.c", "-o", "driver.o"],
                ["g++", "-fpermissive", *flags, "-include", os.path.join(ROOT, "test/dual/dual.h"), "-DVV_REAL=Dual",
                 "-DVV_DUAL", "-c", "dual.cpp", "-o", "dual.o"],
                ["g++", "primal.o", "vv.o", "driver.o", "dual.o", "-lm", "-o", "run"]):
        rc, out, err = run(cmd, folder)
        if rc:
            return 0, count, refused, [p.features for p in drawn], messages + ["build: " + "\n".join(err.splitlines()[:4])]
    rc, out, err = run(["./run"], folder, 30 if wrong else 120)
    lines = out.splitlines()
    if not lines or not lines[-1].startswith("SUMMARY"):
        return 0, count, refused, [p.features for p in drawn], messages + [f"crashed with {rc}"]
    passed, failed, points = map(int, lines[-1].split()[1:])
    messages += lines[:-1]
    if points < 3 * count:
        messages.append(f"only {points} usable points")
        failed += 1
    return passed, failed, refused, [p.features for p in drawn], messages


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--programs", type=int, default=2000)
    ap.add_argument("--batch", type=int, default=100)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--vvcc", default=os.environ.get("VVCC") or os.path.join(ROOT, "build", "vvcc"))
    ap.add_argument("--wrong-rules", action="store_true")
    ap.add_argument("--keep")
    a = ap.parse_args()
    a.vvcc = os.path.abspath(a.vvcc)
    base = a.keep or tempfile.mkdtemp(prefix="vv-random-")
    jobs = os.cpu_count() or 1
    if a.wrong_rules:
        with ThreadPoolExecutor(jobs) as pool:
            results = list(pool.map(lambda w: make_batch(f"{base}/wrong{w}", a.seed, 120, a.vvcc, w), range(1, RULES + 1)))
        caught = 0
        for w, (passed, failed, refused, _, messages) in enumerate(results, 1):
            wrong_found = any(m.startswith(("FAIL", "crashed")) for m in messages)  # or ran away
            caught += wrong_found
            print(f"wrong rule {w}: {failed} of 120 programs differ{'' if wrong_found else '  NOT CAUGHT ' + '; '.join(messages[:2])}")
        print(f"{caught} passed, {RULES - caught} failed, 0 skipped")
        if not a.keep:
            shutil.rmtree(base)
        return caught != RULES
    batches = max(1, a.programs // a.batch)
    with ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(lambda b: make_batch(f"{base}/b{b}", a.seed + b, a.batch, a.vvcc), range(batches)))
    total = batches * a.batch
    passed, failed, refused = (sum(r[i] for r in results) for i in range(3))
    for b, r in enumerate(results):
        for m in r[4][:6]:
            print(f"batch {b} (seed {a.seed + b}): {m}")
    features = [f for r in results for f in r[3]]
    for name in FEATURES:
        share = sum(name in f for f in features) / len(features)
        print(f"{share:6.1%} have {name}")
        if share < 0.2:
            print(f"FAIL fewer than 20 % have {name}")
            failed += 1
    print(f"{refused / total:6.1%} refused")
    if refused > 0.05 * total:
        failed += 1
    print(f"{passed} passed, {failed} failed, 0 skipped")
    if not a.keep:
        shutil.rmtree(base)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
