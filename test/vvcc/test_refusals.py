#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""What vvcc cannot differentiate: one line FILE:LINE: reason; remedy on stderr, exit code 2, no output files."""
import os, re, subprocess, sys, tempfile

ROOT = os.environ.get("VV_ROOT", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
VVCC = os.environ.get("VVCC", os.path.join(ROOT, "build", "vvcc"))
F = "VV_DIFF vvReal f(const vvReal* x, int n) "
M = "typedef struct M {\n  vvReal* a;\n} M;\n"

# name: (line of the refusal, word in the reason, text after the include and a blank line)
CASES = {
    "goto": (5, "goto", F + "{\n  vvReal s = 0;\nagain:\n  if (n-- > 0) goto again;\n  return s;\n}\n"),
    "recursion": (3, "calls itself", "VV_DIFF static vvReal g(vvReal a, int n) {\n  if (n == 0) return a;\n"
                  "  return g(a * a, n - 1);\n}\n" + F + "{\n  return g(x[0], n);\n}\n"),
    "function pointer": (3, "function pointer", "VV_DIFF vvReal f(vvReal x, vvReal (*op)(vvReal)) {\n  return op(x);\n}\n"),
    "allocation": (4, "allocation", "void* malloc(unsigned long);\n" + F + "{ vvReal* t = malloc(8);\n"
                   "  return t[0] + x[n];\n}\n"),
    "union": (8, "union", "typedef union U {\n  vvReal a;\n  int b;\n} U;\n" + F + "{\n  U u;\n  u.a = x[n];\n  return u.a;\n}\n"),
    "varargs": (3, "variable number", "VV_DIFF vvReal f(int n, ...) {\n  return n;\n}\n"),
    "reassigned pointer": (4, "assigned again", F + "{\n  const vvReal* p = x;\n  p = x + n;\n  return p[0];\n}\n"),
    "moving parameter": (4, "assigned again", F + "{\n  return *x++ + n;\n}\n"),
    "chosen pointer": (4, "pointer chosen", F + "{\n  const vvReal* p = n ? x : x + 1;\n  return p[0];\n}\n"),
    "write through const": (7, "const", M + "VV_DIFF vvReal f(const M* m) {\n  m->a[0] = 1;\n  return m->a[1];\n}\n"),
    "call that writes const": (10, "const", M + "VV_DIFF static void g(vvReal* a) {\n  a[0] = 1;\n}\n"
                               "VV_DIFF vvReal f(const M* m) {\n  g(m->a);\n  return m->a[1];\n}\n"),
    "no derivative": (7, "has no derivative", "static vvReal g(vvReal a) {\n  return a;\n}\n" + F + "{\n  return g(x[n]);\n}\n"),
    "unknown function": (4, "has no derivative", F + "{\n  return lgamma(x[n]);\n}\n"),
    "global": (5, "not const", "static vvReal g = 1;\n" + F + "{\n  return x[n] * g;\n}\n"),
    "local struct with pointers": (7, "struct with pointers", M + "VV_DIFF vvReal f(vvReal* x) {\n  M m = {x};\n  return m.a[0];\n}\n"),
    "list": (7, "contains itself", "typedef struct L {\n  vvReal v;\n  struct L* next;\n} L;\nVV_DIFF vvReal f(const L* l) {\n  return l->v;\n}\n"),
    "array of variable size": (4, "type", F + "{\n  vvReal t[n];\n  t[0] = x[0];\n  return t[0];\n}\n"),
    "long double": (3, "long double", "VV_DIFF vvReal f(long double x) {\n  return (vvReal)x;\n}\n"),
    "bit field": (4, "bit field", "typedef struct B {\n  int a : 3;\n  vvReal v;\n} B;\nVV_DIFF vvReal f(const B* b) {\n  return b->v;\n}\n"),
    "volatile": (4, "volatile", F + "{\n  volatile vvReal t = x[n];\n  return t;\n}\n"),
    "pointer difference": (4, "between pointers", F + "{\n  return x[&x[n] - x];\n}\n"),
    "returns a pointer": (3, "returns a pointer", "VV_DIFF const vvReal* f(const vvReal* x) {\n  return x + 1;\n}\n"),
    "variant": (3, "no argument", "VV_DIFF_WRT(state, q) " + F + "{\n  return x[n];\n}\n"),
    "order of a call": (8, "order", "VV_DIFF static vvReal g(vvReal* a) {\n  a[0] *= 2;\n  return a[0];\n}\n"
                        "VV_DIFF vvReal f(vvReal* x) {\n  return x[0] + g(x);\n}\n"),
    "order of arguments": (9, "order", "VV_DIFF static vvReal g(vvReal* a, vvReal b) {\n  a[0] *= b;\n  return a[0];\n}\n"
                           "VV_DIFF vvReal f(vvReal* x) {\n  vvReal t = 3;\n  return vv_fmax(t, g(&t, 2)) + g(x, 1);\n}\n"),
    "local type": (4, "type declared", F + "{\n  struct P { vvReal a; } p = {x[n]};\n  return p.a;\n}\n"),
    "atomic type": (3, "_Atomic", "VV_DIFF vvReal f(const vvReal* x, _Atomic int* n) {\n  return x[(*n)++];\n}\n"),
    # cases C20, C21 and RG15c: the language has no work-groups and no atomics
    "C20": (4, "barrier", "void barrier(int);\n" + F + "{ barrier(1);\n  return x[n];\n}\n"),
    "C21": (4, "__sync_fetch_and_min", "VV_DIFF vvReal f(const vvReal* x, int* n) {\n"
            "  return x[__sync_fetch_and_min(n, 3)];\n}\n"),
    "RG15c": (4, "not understood", "VV_DIFF vvReal f(const vvReal* x, int* n) {\n"
              "  return vv_sqrt(x[__atomic_fetch_add(n, 1, __ATOMIC_SEQ_CST)]);\n}\n"),
    "no rule": (4, "tgamma", F + "{\n  return tgamma(x[n]);\n}\n"),
    "not C": (4, "expected", F + "{\n  return x[n]\n}\n"),
    "nested too deep": (4, "nesting", F + "{\n  return " + "(" * 3000 + "x[n]" + ")" * 3000 + ";\n}\n"),
    "very long sum": (1, "", F + "{\n  return " + " + ".join(["x[n]"] * 30000) + ";\n}\n"),
}

passed = failed = 0
with tempfile.TemporaryDirectory() as folder:
    for name, (line, word, text) in CASES.items():
        path = os.path.join(folder, "case_kernel.c")
        with open(path, "w") as f:
            f.write('#include "visviva/kernel.h"\n\n' + text)
        p = subprocess.run([VVCC, path, "--out-dir", folder, "-I", os.path.join(ROOT, "include")],
                           capture_output=True, text=True, timeout=120)
        m = re.fullmatch(r"(.*):(\d+): (.+); (.+)\n", p.stderr)
        good = p.returncode == 2 and m and int(m[2]) == line and word in m[3] and m[1] == path and os.listdir(folder) == ["case_kernel.c"]
        passed += bool(good)
        failed += not good
        if not good:
            print(f"{name}: exit {p.returncode}, wanted line {line} and \"{word}\", got: {p.stderr.strip()[:200]}")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
