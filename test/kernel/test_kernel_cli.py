#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""vv kernel: listing, derivative text, checks, runs, and one line for everything that goes wrong."""
import glob
import json
import os
import subprocess
import sys
import tempfile

VV = os.environ["VV"]
ROOT = os.environ["VV_ROOT"]
results = [0, 0]


def check(name, good, *seen):
    results[0 if good else 1] += 1
    if not good:
        print("wrong:", name, *seen)


with tempfile.TemporaryDirectory() as folder:
    env = dict(os.environ, VV_CACHE=os.path.join(folder, "cache"))

    def vv(*arguments):
        return subprocess.run([VV, "kernel", *arguments], capture_output=True, text=True, timeout=120, env=env)

    def kernel(text, name="k.c"):
        path = os.path.join(folder, name)
        with open(path, "w") as f:
            f.write('#include "visviva/kernel.h"\n' + text)
        return path

    def refused(name, p, code, says):
        lines = p.stderr.splitlines()
        check(name, p.returncode == code and len(lines) == 1 and lines[0].startswith("vv: ") and says in lines[0], p)

    for path in sorted(glob.glob(os.path.join(ROOT, "samples", "kernel", "*.c"))):
        p = vv(path, "--check")
        check(path, p.returncode == 0 and "MISMATCH" not in p.stdout and p.stdout.count(": ") >= 1, p)
        with open(path) as f:
            check(f"{path} is short", len(f.readlines()) < 100)

    good = kernel("typedef struct P {\n  vvReal k[2];\n  int n;\n  const vvReal* w;\n} P;\n"
                  "VV_DIFF vvReal f(const vvReal* x, int n, P* p, vvReal* y) {\n  vvReal s = 0;\n"
                  "  for (int i = 0; i < n; i++) {\n    s += p->k[1] * x[i] * p->w[i];\n    y[i] *= s;\n  }\n"
                  "  p->k[0] = s;\n  return s * s;\n}\n")
    p = vv(good)
    check("list", p.returncode == 0 and "vvReal f(const vvReal* x, int n, P* p, vvReal* y)" in p.stdout
          and "active: x, p, y" in p.stdout and "tape: used" in p.stdout, p)
    p = vv(good, "--json")
    check("list as JSON", json.loads(p.stdout)["functions"][0]["active"] == ["x", "p", "y"], p)
    p = vv(good, "--emit", "c")
    check("emit", p.returncode == 0 and "void f_vjp(" in p.stdout and "vvReal f_jvp(" in p.stdout, p)
    p = vv(good, "--check")
    check("check", p.returncode == 0 and "f: ok" in p.stdout, p)
    args = os.path.join(folder, "a.json")

    def run(args_object, path=good, **more):
        with open(args, "w") as f:
            json.dump({"args": args_object, **more}, f)
        return vv(path, "--run", "f", "--args", args)

    one = {"x": [1, 2], "n": 2, "p": {"k": [5, 3], "n": 1, "w": [1, 0.5]}, "y": [1, 1]}
    p = run(one, seed={"return": 1, "y": [0, 1]})
    out = json.loads(p.stdout)
    # s1 = 3 x0 w0 = 3, s = s1 + 3 x1 w1 = 6; y1 = s
    check("outputs", out["outputs"] == {"return": 36, "p": [{"k": [6, 3], "n": 1, "w": [1, 0.5]}], "y": [3, 6]}, p)
    check("gradient", out["grad"] == {"x": [39, 19.5], "p": [{"k": [0, 26], "w": [39, 78]}], "y": [0, 6]}, p)
    refused("missing argument", run({"x": [1, 2], "n": 2, "y": [1, 1]}), 2, '"p": is missing')
    refused("missing member", run(dict(one, p={"k": [1, 2], "n": 1})), 2, '"w": is missing')
    refused("unknown argument", run(dict(one, z=1)), 2, '"z" is no argument')
    refused("wrong type", run(dict(one, n=1.5)), 2, '"n": must be a whole number')
    refused("wrong length", run(dict(one, p={"k": [1, 2, 3], "n": 1, "w": [1]})), 2, "another number of elements")
    refused("unknown key", run(one, extra=1), 2, '"extra" is unknown')
    refused("unknown seed", run(one, seed={"n": 1}), 2, 'seed "n"')
    with open(args, "w") as f:
        f.write("{\n\"args\": {,}}\n")
    refused("no JSON", vv(good, "--run", "f", "--args", args), 2, "a.json:2:")
    refused("no such function", vv(good, "--run", "g", "--args", args), 2, "'g'")
    refused("args without run", vv(good, "--args", args), 2, "--run")

    wrong = kernel("VV_DIFF vvReal f(vvReal x, vvReal k) {\n  return x * x * k;\n}\n"
                   "VV_VJP_OF(f) void rule(vvReal x, vvReal k, vvReal r_bar, vvReal* x_bar, vvReal* k_bar) {\n"
                   "  *x_bar += 2 * x * k * r_bar;\n  *k_bar += x * r_bar;\n}\n", "wrong.c")
    p = vv(wrong, "--check")
    check("mismatch", p.returncode == 1 and "f: MISMATCH in argument k" in p.stdout, p)
    refused("bad C", vv(kernel("VV_DIFF vvReal f(vvReal x) {\n  return x\n}\n", "bad.c")), 2, "bad.c:3: ")
    refused("no derivative", vv(kernel("VV_DIFF vvReal f(vvReal x) {\n  return lgamma(x);\n}\n", "bad.c")), 2, "bad.c:3: ")
    refused("nothing", vv(kernel("int f(int x) {\n  return x;\n}\n", "bad.c")), 2, "no VV_DIFF function")
    refused("no file", vv(os.path.join(folder, "none.c")), 2, "cannot be read")
    refused("not C", vv(args), 2, "ends with .c")
    crash = kernel("VV_DIFF vvReal f(const vvReal* x, int n) {\n  return x[n * 1000000000];\n}\n", "crash.c")
    refused("crash", vv(crash, "--check"), 2, "crashed")
    env["VV_VVCC"] = "/no/such/vvcc"
    refused("no vvcc", vv(good), 2, "vvcc is not there")
    del env["VV_VVCC"]
    env["CC"] = "no-such-cc"
    refused("no compiler", vv(good), 2, "no C compiler 'no-such-cc'")

print(f"{results[0]} passed, {results[1]} failed, 0 skipped")
sys.exit(results[1] != 0)
