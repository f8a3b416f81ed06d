#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""vv grad, check, jac and bench from outside: files and keys of the contract, closed forms, and what is refused."""

import json
import os
import subprocess
import sys
import tempfile

VV = os.environ["VV"]
ROOT = os.environ["VV_ROOT"]
CUBE = os.path.join(ROOT, "test/scenes/cube.xml")

PUSHED = """<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><body name="b">
<joint name="x" type="slide" axis="1 0 0"/><geom name="g" type="sphere" size="0.1" mass="2"/></body></worldbody>
<actuator><motor name="push" joint="x"/></actuator><sensor><jointpos name="s" joint="x"/></sensor></mujoco>"""

failures = []
count = 0


def check(good, what):
    global count
    count += 1
    if not good:
        failures.append(what)
        print("FAILED", what)


def vv(*arguments, code=0):
    run = subprocess.run([VV, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    check(run.returncode == code, f"exit {run.returncode}, not {code}: vv {' '.join(map(str, arguments))}: {run.stderr}")
    if code == 2:
        check(run.stderr.startswith("vv: ") and run.stderr.count("\n") == 1 and not run.stdout,
              f"one line on stderr: {run.stderr!r} {run.stdout[:80]!r}")
    return run.stdout if code != 2 else run.stderr


def near(a, b, tolerance=1e-12):
    return abs(a - b) <= tolerance * (1 + abs(b))


def closed_forms(folder):
    """A mass pushed by a motor: x_N = h^2/m sum over k of (N - k) u_k, v_N = h/m sum of u_k (Euler's method)."""
    scene = os.path.join(folder, "pushed.xml")
    with open(scene, "w") as file:
        file.write(PUSHED)
    n, h, m = 10, 0.01, 2.0
    with open(os.path.join(folder, "u.csv"), "w", newline="") as file:
        file.write("\ufeffpush\r\n" + "".join(f"{0.5 * (k + 1)}\r\n" for k in range(n)))
    u = [0.5 * (k + 1) for k in range(n)]
    out = os.path.join(folder, "a b.json")
    vv("grad", scene, "--steps", n, "--ctrl", os.path.join(folder, "u.csv"), "--loss", "final:joint/x/pos", "--wrt",
       "ctrl,qpos0,qvel0,geom/g/mass,opt/timestep,opt/gravity", "--out", out)
    with open(out) as file:
        g = json.load(file)
    check(list(g) == ["loss", "steps", "mode", "forward_s", "backward_s", "residual_max", "growth_per_s", "chart",
                      "grad"], f"keys {list(g)}")
    check(g["chart"] == "body-rotation-vector" and g["mode"] == "exact" and g["steps"] == n, "values of G.json")
    loss = h * h / m * sum((n - k) * u[k] for k in range(n))
    check(near(g["loss"], loss), f"loss {g['loss']}, not {loss}")
    ctrl = g["grad"]["ctrl"]
    check(len(ctrl) == n and all(near(ctrl[k][0], h * h / m * (n - k)) for k in range(n)), f"ctrl {ctrl}")
    check(near(g["grad"]["qpos0"][0], 1) and near(g["grad"]["qvel0"][0], n * h), "qpos0, qvel0")
    check(near(g["grad"]["geom/g/mass"][0], -loss / m), f"mass {g['grad']['geom/g/mass']}")
    check(near(g["grad"]["opt/timestep"][0], 2 * loss / h), f"timestep {g['grad']['opt/timestep']}")
    check(near(g["grad"]["opt/gravity"][0], h * h * n * (n + 1) / 2), "gravity along x")
    with open(os.path.join(folder, "w.csv"), "w") as file:
        file.write("step,sensor/s[0],t,qvel[0]\n10,1,2,0\n5,0,0,3\n")
    g = json.loads(vv("grad", scene, "--steps", n, "--ctrl", os.path.join(folder, "u.csv"), "--loss",
                      "linear:" + os.path.join(folder, "w.csv"), "--wrt", "ctrl,opt/timestep", "--json"))
    check(near(g["loss"], loss + 2 * n * h + 3 * h / m * sum(u[:5])), f"linear loss {g['loss']}")
    check(near(g["grad"]["ctrl"][2][0], h * h / m * (n - 2) + 3 * h / m), "linear: ctrl")
    check(near(g["grad"]["opt/timestep"][0], 2 * loss / h + 2 * n + 3 / m * sum(u[:5])), "linear: timestep")
    with open(os.path.join(folder, "short.csv"), "w") as file:
        file.write("1\n2\n")
    held = json.loads(vv("grad", scene, "--steps", 4, "--ctrl", os.path.join(folder, "short.csv"), "--loss",
                         "final:joint/x/vel", "--wrt", "ctrl", "--json"))
    check(all(near(row[0], h / m) for row in held["grad"]["ctrl"]), "held rows are not summed")
    jac = json.loads(vv("jac", scene, "--sensors", "--json"))
    check(list(jac) == ["A", "B", "C", "D", "order"] and jac["order"] == ["dq", "v", "act"], "keys of jac")
    check(all(near(x, y) for x, y in zip(sum(jac["A"], []), [1, h, 0, 1])), f"A {jac['A']}")
    check(near(jac["B"][0][0], h * h / m) and near(jac["B"][1][0], h / m), f"B {jac['B']}")
    check(jac["C"] == [[1, 0]] and jac["D"] == [[0]], f"C {jac['C']} D {jac['D']}")
    return scene


def checks(folder):
    state = os.path.join(folder, "s.json")
    with open(state, "w") as file:
        json.dump({"qpos": [0, 0, 0.06, 0.92, 0.1, 0.3, 0.05], "qvel": [1, 0.3, -0.5, 0.5, -2, 3]}, file)
    out = json.loads(vv("check", CUBE, "--steps", 30, "--init", state, "--loss", "final:body/cube/linvel/0", "--wrt",
                        "qvel0,default/main/geom/friction,body/cube/mass", "--json"))
    check(set(out) == {"directions", "resolved", "unchanged", "growth_per_s"}, f"keys of check {list(out)}")
    verdicts = [d["verdict"] for d in out["directions"]]
    check("mismatch" not in verdicts and verdicts.count("ok") >= 0.9 * len(verdicts), f"verdicts {verdicts}")
    for d in out["directions"]:
        check(("name" in d) != ("mixture" in d) and
              {"adjoint", "difference", "error", "verdict", "step", "where"} < set(d), f"direction {d}")
    friction = next(d for d in out["directions"] if d.get("name") == "default/main/geom/friction/0")
    check(abs(friction["adjoint"]) > 1e-3, "friction counts")
    again = json.loads(vv("check", CUBE, "--steps", 30, "--init", state, "--loss", "final:body/cube/linvel/0", "--wrt",
                          "qvel0,default/main/geom/friction,body/cube/mass", "--json", "--threads", 2))
    check(again == out, "two threads, same bits")


def refusals(folder, scene):
    base = ["grad", scene, "--steps", 3]
    vv(*base, "--wrt", "ctrl", code=2)
    vv(*base, "--loss", "final:joint/x/pos", code=2)
    good = [*base, "--loss", "final:joint/x/pos"]
    for wrt in ("geom/none/mass", "geom/g/nothing", "", "ctrl,,qpos0", "geom/g/mass,geom/g/mass", "qpos"):
        vv(*good, "--wrt", wrt, code=2)
    for loss in ("final:body/b/pos", "final:body/none/pos/0", "sum:", "nothing", "linear:" + folder + "/none.csv",
                 "loss.c:f"):
        vv(*base, "--loss", loss, "--wrt", "ctrl", code=2)
    for extra in (["--mode", "soft"], ["--mode", "event"], ["--mode", "wild"], ["--data", "d.csv"],
                  ["--control", "f.c:f"], ["--force", "f.c:f"], ["--memory", "0"], ["--keyframe", "none"]):
        vv(*good, "--wrt", "ctrl", *extra, code=2)
    for text in ("step,qpos[0]\n4,1\n", "qpos[0]\n1\n", "step,qpos[7]\n1,1\n", "step,qpos[0]\n1,nan\n",
                 "step,qpos[0]\n1\n", "step,qpos[0]\n1,1\n1,2\n", "step,qpos[0],qpos[0]\n1,1,1\n"):
        path = os.path.join(folder, "bad.csv")
        with open(path, "w") as file:
            file.write(text)
        error = vv(*base, "--loss", "linear:" + path, "--wrt", "ctrl", code=2)
        check("bad.csv:" in error, f"the error names the file: {error!r}")
    for text in ('{"qpos": [1, 2]}', '{"nothing": 1}', '[1]', '{"qpos": ["a"]}', '{"qpos": [0], "qpos": [1]}', "{"):
        path = os.path.join(folder, "bad.json")
        with open(path, "w") as file:
            file.write(text)
        error = vv(*good, "--wrt", "ctrl", "--init", path, code=2)
        check("bad.json" in error, f"the error names the file: {error!r}")
    vv("grad", CUBE, "--steps", 400, "--loss", "final:body/cube/pos/0", "--wrt", "qvel0", "--quiet")


def bench(scene):
    out = json.loads(vv("bench", scene, "--json"))
    check(len(out["scenes"]) == 1, "one scene")
    check(set(out["scenes"][0]) == {"scene", "steps_per_second", "gradient_over_forward",
                                    "gradient_with_model_over_forward", "jacobian_over_step", "contacts_mean",
                                    "residual_max", "peak_bytes"}, f"keys of bench {out}")
    check(out["scenes"][0]["steps_per_second"] > 1000, "steps per second")


def main():
    with tempfile.TemporaryDirectory() as folder:
        scene = closed_forms(folder)
        checks(folder)
        refusals(folder, scene)
        bench(scene)
    print(f"{count - len(failures)} passed, {len(failures)} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
