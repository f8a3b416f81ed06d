#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Derivatives written by hand against generated ones: the same kernels through `vvcc` and `vvcc --no-rules`.

The rules of rules_kernel.c must be used, and give the generated gradient; a rule that is wrong must be noticed.
"""
import os, subprocess, sys, tempfile

ROOT = os.environ.get("VV_ROOT", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
VVCC = os.environ.get("VVCC", os.path.join(ROOT, "build", "vvcc"))
FORMS = "r_square r_root r_loop r_polar r_polar_loop r_solve r_dot r_forward".split()
RULES = "square_rule root_rule polar_rule solve_rule dot_rule soft_power_forward".split()
DRIVER = """#include <stdio.h>
#include "rules_kernel.vv.h"
int main(void) {
  static unsigned char memory[1 << 20] __attribute__((aligned(64)));
%s
  return 0;
}
""" % "\n".join(f"""  for (int p = 0; p < 3; p++) {{
    vvTapeMem tape = {{memory, sizeof memory, 0, 0, 0}};
    vvReal x[12], y[12], xb[12] = {{0}}, yb[12], xt[12], yt[12], t = 0;
    for (int i = 0; i < 12; i++) {{
      x[i] = 0.3 + ((7 * i + 5 * p) % 11) / 13.0;
      y[i] = 0.2 + ((5 * i + 3 * p) % 7) / 9.0;
      yb[i] = 0.1 * i - 0.4;
      xt[i] = 0.5 - 0.07 * i;
      yt[i] = 0.3 + 0.01 * i * i;
    }}
    {f}_jvp(x, xt, y, yt, 4, &t);
    for (int i = 0; i < 12; i++) y[i] = 0.2 + ((5 * i + 3 * p) % 7) / 9.0;
    {f}_vjp(x, y, 4, 1.25, xb, yb, &tape);
    printf("{f} %.15g", t);
    for (int i = 0; i < 12; i++) printf(" %.15g %.15g", xb[i], yb[i]);
    printf("\\n");
  }}""" for f in FORMS)

REFUSALS = {
    "arguments": (9, "does not have the arguments", "VV_DIFF vvReal g(vvReal a) {\n  return a * a;\n}\n\n\n\n"
                  "VV_VJP_OF(g) void rule(vvReal a, vvReal* a_bar) {\n  *a_bar += 2 * a;\n}\n"),
    "of nothing": (3, "no VV_DIFF function", "VV_VJP_OF(nothing) void rule(vvReal a, vvReal* a_bar) {\n  *a_bar += a;\n}\n"),
    "overwrites": (13, "overwrites values", "VV_DIFF static void g(const vvReal* a, vvReal* b) {\n  b[0] = a[0] * 2;\n}\n"
                   "VV_VJP_OF(g) static void rule(const vvReal* a, vvReal* b, vvReal* a_bar, vvReal* b_bar) {\n"
                   "  (void)a;\n  (void)b;\n  a_bar[0] += 2 * b_bar[0];\n  b_bar[0] = 0;\n}\n"
                   "VV_DIFF vvReal f(const vvReal* x, vvReal* y) {\n  y[0] *= y[0] * x[1]; g(x, y);\n  return y[0];\n}\n"),
}


def vvcc(folder, path, *more):
    return subprocess.run([VVCC, path, "--out-dir", folder, "-I", os.path.join(ROOT, "include"), "-I",
                           os.path.join(ROOT, "test"), *more], capture_output=True, text=True, timeout=120)


def values(folder, text, *more):
    """The driver's numbers, form by form, and the generated text."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "rules_kernel.c")
    with open(path, "w") as f:
        f.write(text)
    with open(os.path.join(folder, "driver.c"), "w") as f:
        f.write(DRIVER)
    p = vvcc(folder, path, *more)
    assert p.returncode == 0, p.stderr
    subprocess.run(["cc", "-std=c17", "-O1", "-ffp-contract=off", "-w", "-I", os.path.join(ROOT, "include"), "-I",
                    os.path.join(ROOT, "test"), "-I", folder, "driver.c", "rules_kernel.c", "rules_kernel.vv.c", "-lm",
                    "-o", "run"], cwd=folder, check=True)
    out = subprocess.run(["./run"], cwd=folder, capture_output=True, text=True, check=True, timeout=60).stdout
    with open(os.path.join(folder, "rules_kernel.vv.c")) as f:
        generated = f.read()
    return [(line.split()[0], [float(v) for v in line.split()[1:]]) for line in out.splitlines()], generated


def differing(a, b):
    bad = set()
    for (name, u), (_, v) in zip(a, b):
        if any(abs(p - q) > 1e-9 * (1 + abs(p) + abs(q)) for p, q in zip(u, v)):
            bad.add(name)
    return bad


passed = failed = 0


def check(name, good, detail=""):
    global passed, failed
    passed += bool(good)
    failed += not good
    if not good:
        print(f"{name}: {detail}")


with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(ROOT, "test", "vvcc", "rules_kernel.c")) as f:
        text = f.read()
    by_hand, used = values(os.path.join(folder, "a"), text)
    generated, plain = values(os.path.join(folder, "b"), text, "--no-rules")
    bad = differing(by_hand, generated)
    for form in FORMS:
        check(form, form not in bad, "rule and generated derivative differ")
    for rule in RULES:
        check(rule, rule + "(" in used and rule + "(" not in plain, "used wrongly")
    wrong, _ = values(os.path.join(folder, "c"), text.replace("r_bar / (3 * r * r + 1)", "r_bar / (2 * r * r + 1)"))
    check("wrong rule", differing(wrong, generated) == {"r_root", "r_loop"}, "not noticed")
    for name, (line, word, body) in REFUSALS.items():
        path = os.path.join(folder, "refused_kernel.c")
        with open(path, "w") as f:
            f.write('#include "visviva/kernel.h"\n\n' + body)
        p = vvcc(folder, path)
        check(name, p.returncode == 2 and p.stderr.startswith(f"{path}:{line}: ") and word in p.stderr, p.stderr.strip())
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
