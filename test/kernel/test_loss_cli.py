#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Users' kernels as losses: vv grad and vv check with --loss FILE.c:function, beside losses that are built in."""
import json
import os
import subprocess
import sys
import tempfile

VV = os.environ["VV"]
ROOT = os.environ["VV_ROOT"]
SCENES = os.path.join(ROOT, "test", "scenes")
results = [0, 0]
HEAD = ("(const vvModel* m, const vvState* s, const vvReal* ctrl, const vvReal* sensor, const vvReal* data, int step,"
        " int nstep) {\n")


def check(name, good, *seen):
    results[0 if good else 1] += 1
    if not good:
        print("wrong:", name, *seen)


def close(a, b, tolerance=1e-11):
    return all(abs(x - y) <= tolerance * (1 + abs(x) + abs(y)) for x, y in zip(a, b)) and len(a) == len(b)


def flat(x):
    if isinstance(x, dict):
        return [v for k in sorted(x) for v in flat(x[k])]
    return [v for e in x for v in flat(e)] if isinstance(x, list) else [x]


with tempfile.TemporaryDirectory() as folder:
    env = dict(os.environ, VV_CACHE=os.path.join(folder, "cache"))

    def vv(*arguments):
        return subprocess.run([VV, *arguments], capture_output=True, text=True, timeout=240, env=env)

    def kernel(body, name="k.c", extra=""):
        path = os.path.join(folder, name)
        with open(path, "w") as f:
            f.write('#include "visviva/kernel.h"\n' + extra + "VV_DIFF vvReal f" + HEAD + body + "\n}\n")
        return path + ":f"

    def refused(name, p, says):
        lines = p.stderr.splitlines()
        check(name, p.returncode == 2 and len(lines) == 1 and lines[0].startswith("vv: ") and says in lines[0], p)

    def grad(scene, loss, wrt, steps=6, *more):
        p = vv("grad", scene, "--steps", str(steps), "--loss", loss, "--wrt", wrt, "--json", *more)
        if p.returncode != 0:
            check(loss, False, p)
            return 0, []
        g = json.loads(p.stdout)
        return g["loss"], flat(g["grad"])

    # accessors against the built-in quantities, every body of a scene with all kinds of joints
    data = os.path.join(folder, "which.csv")
    reader = kernel("""  vvBodyState b = vv_body_state(m, s, (int)data[0]);
  if (data[1] < 1) {
    vvVec3 p = vv_body_position(m, s, (int)data[0]);
    return p.x - 2 * p.z;
  }
  if (data[1] < 2) return b.lin.y;
  return vv_quat_rotate(vv_quat_conj(b.quat), b.ang).x;""", "reader.c")
    for scene in ("joints", "creature"):
        path = os.path.join(SCENES, scene + ".xml")
        info = json.loads(vv("info", path, "--json").stdout)
        bodies = [n.split("/")[1] for n in info["states"] if n.startswith("body/") and n.endswith("/pos")]
        check("body 0 is the world", bodies[0] == "world" and len(bodies) == info["counts"]["bodies"], bodies)
        wrt = "qpos0,qvel0,joint/*/damping" if scene == "joints" else "qpos0,qvel0,ctrl"
        for i, body in enumerate(bodies[1:], start=1):
            for what, parts in enumerate((("pos/0", 1, "pos/2", -2), ("linvel/1", 1), ("angvel/0", 1))):
                with open(data, "w") as f:
                    f.write("body,what\n" + f"{i},{what}\n" * 7)
                loss, g = grad(path, reader, wrt, 6, "--data", data)
                want = [0] * (len(g) + 1)
                for q, weight in zip(parts[::2], parts[1::2]):
                    want = [a + weight * b for a, b in zip(want, flat(list(grad(path, f"sum:body/{body}/{q}", wrt))))]
                check(f"{scene} {body} {parts[0]}", close([loss, *g], want), loss, want[0])

    # controls, sensors, data, time, numbers of the model: against differences
    creature = os.path.join(SCENES, "creature.xml")
    info = json.loads(vv("info", creature, "--json").stdout)
    nsensor = info["counts"]["sensordata"]
    data = os.path.join(folder, "data.csv")
    with open(data, "w") as f:
        f.write("a,b\n" + "".join(f"{0.1 * k},{1 - 0.05 * k * k}\n" for k in range(7)))
    whole = kernel(
        "  vvReal e = vv_sin(3 * s->time[0]) * data[1] + m->opt_gravity[2] * data[0];\n"
        "  if (ctrl)\n    for (int i = 0; i < m->nu; i++) e += ctrl[i] * ctrl[i] * (step + 1) / nstep;\n"
        "  for (int i = 0; i < m->nsensordata; i++) e += vv_sin(sensor[i]) * (i + 1);\n"
        "  vvVec3 p = vv_body_point(m, s, m->nbody - 1, vv_vec3(0.1, 0.2, 0.3));\n"
        "  return e + p.x * p.y * vv_exp(p.z / 4) + m->geom_friction[0];")
    wrt = "ctrl,qpos0,qvel0,opt/gravity,opt/timestep,geom/*/friction"
    p = vv("check", creature, "--steps", "6", "--loss", whole, "--data", data, "--wrt", wrt, "--json")
    verdicts = [d["verdict"] for d in json.loads(p.stdout)["directions"]] if p.returncode == 0 else []
    check("whole loss", verdicts and verdicts.count("ok") >= 0.9 * len(verdicts), p.stderr, p.returncode,
          {v: verdicts.count(v) for v in verdicts})
    check("the scene has sensors", nsensor > 0, info["counts"])
    one = grad(creature, whole, wrt, 6, "--data", data, "--threads", "1")
    check("threads change nothing", one == grad(creature, whole, wrt, 6, "--data", data, "--threads", "2"))
    p = vv("check", os.path.join(ROOT, "samples", "cube-toss", "cube.xml"), "--steps", "10", "--loss",
           os.path.join(ROOT, "samples", "kernel", "loss.c") + ":landing", "--wrt", "qpos0,qvel0")
    check("sample", p.returncode == 0 and " 0 mismatches" in p.stdout, p)
    wrong = kernel("  return g(s->q[0]);", "wrong.c",
                   "VV_DIFF static vvReal g(vvReal x) {\n  return x * x;\n}\nVV_VJP_OF(g) static void rule(vvReal x, "
                   "vvReal r_bar, vvReal* x_bar) {\n  *x_bar += 3 * x * r_bar;\n}\n")
    p = vv("check", creature, "--steps", "2", "--loss", wrong, "--wrt", "qpos0")
    check("a wrong rule is a mismatch", p.returncode == 1 and "mismatch" in p.stdout, p)

    cube = os.path.join(SCENES, "cube.xml")
    basic = ("grad", cube, "--steps", "2", "--wrt", "qpos0", "--loss")
    path = os.path.join(folder, "other.c")
    with open(path, "w") as f:
        f.write('#include "visviva/kernel.h"\nVV_DIFF vvReal f(const vvReal* x) {\n  return x[0];\n}\n')
    refused("signature", vv(*basic, path + ":f"), "a loss is vvReal f(const vvModel* m")
    refused("no function", vv(*basic, path + ":g"), "no VV_DIFF function 'g'")
    refused("no name", vv(*basic, path + ":"), "FILE.c:function")
    refused("data missing", vv(*basic, kernel("  return data[0];")), "--data")
    refused("data not asked for", vv(*basic, "final:body/cube/pos/0", "--data", data), "--data belongs")
    refused("data too short", vv("grad", cube, "--steps", "20", "--wrt", "qpos0", "--loss", kernel("  return data[0];"),
                                 "--data", data), "has 7 rows")
    refused("bad C", vv(*basic, kernel("  return s->q[0]")), "k.c:3: ")
    refused("not finite", vv(*basic, kernel("  return s->q[0] / 0;")), "not finite")

print(f"{results[0]} passed, {results[1]} failed, 0 skipped")
sys.exit(results[1] != 0)
