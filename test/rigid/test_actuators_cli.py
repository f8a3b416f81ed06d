#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""`vv check` of every number of actuators and tendons, and one clear line for wrong ones.

usage: test_actuators_cli.py
"""
import json
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.environ.get("VV_ROOT") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ.get("VV_BUILD") or os.path.join(ROOT, "build")
VV = os.environ.get("VV") or os.path.join(BUILD, "vv")
STEPS = 30
passed = failed = 0

WRT = "actuator/*/*,joint/*/damping,joint/*/armature,opt/timestep,ctrl,qpos0,qvel0"
# scene, controls, range of controls, keyframe, loss, what else
CHECKS = [
    ("actuators", 14, (-1.2, 1.1), "moved", "final:body/arm3/pos/0", ",act0"),
    ("actuators", 14, (-1.2, 1.1), None, "sum:body/rail/pos/1", ",act0"),
    ("tendons", 4, (-1.2, 1.1), None, "final:body/tip/pos/0", ",act0,tendon/*/*"),
    ("muscle", 5, (0.1, 0.9), "tense", "final:body/lower/pos/0", ",act0,tendon/*/*,geom/*/*"),
    ("muscle", 5, (0.1, 0.9), "tense", "sum:body/bob/angvel/0", ",act0"),
    ("sites", 13, (-1.2, 1.1), None, "sum:body/side/linvel/1", ",tendon/*/*,site/*/*,body/*/*"),
]

# what stands in <tendon> and in <actuator>; what the message has
WRONG = [
    ("", '<motor/>', "drives nothing"),
    ("", '<motor joint="none"/>', "unknown joint"),
    ("", '<motor site="none"/>', "unknown site"),
    ("", '<motor site="s" refsite="none"/>', "unknown site"),
    ("", '<motor joint="j" refsite="s"/>', "refsite needs site"),
    ("", '<motor joint="j" site="s"/>', "more than one thing"),
    ("", '<position joint="j" kp="1" kv="1" dampratio="1"/>', "keep one"),
    ("", '<position joint="j" kp="-1"/>', "0 or more"),
    ("", '<muscle joint="j"/>', "lengthrange"),
    ("", '<muscle site="s" lengthrange="0 1"/>', "no attribute"),
    ("", '<damper joint="j" kv="1"/>', "ctrlrange"),
    ("", '<general joint="j" dyntype="user"/>', "user"),
    ("", '<adhesion body="b" gain="1"/>', "adhesion"),
    ("", '<motor joint="j" cranksite="s"/>', "cranksite"),
    ("", '<intvelocity joint="ball" kp="1" actrange="-1 1"/>', "integrated"),
    ("<fixed/>", "", "needs joints"),
    ('<fixed><joint joint="ball" coef="1"/></fixed>', "", "hinges and slides"),
    ('<fixed springlength="1 0"><joint joint="j" coef="1"/></fixed>', "", "springlength"),
    ('<fixed actuatorfrcrange="1 2"><joint joint="j" coef="1"/></fixed>', "", "actuatorfrcrange"),
    ('<fixed><joint joint="j" coef="1"/><joint joint="j" coef="1"/></fixed>', "", "twice"),
    ('<spatial><site site="s"/><site site="s"/></spatial>', "", "spatial"),
]
SCENE = ('<mujoco><worldbody><body name="b"><joint name="j"/><geom size="0.1"/><site name="s"/></body><body>'
         '<joint name="ball" type="ball"/><geom size="0.1"/></body></worldbody>\n<tendon>{}</tendon>'
         '<actuator>{}</actuator></mujoco>')


def say(good, what, detail=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"wrong: {what}: {detail}")


def run(*arguments):
    return subprocess.run([VV, *map(str, arguments)], capture_output=True, text=True, timeout=170)


def check_numbers(folder, scene, nu, between, key, loss, more):
    rng = random.Random(1)
    controls = os.path.join(folder, "u.csv")
    with open(controls, "w") as file:
        for k in range(STEPS):
            if k % 10 == 0:
                row = [rng.uniform(*between) for _ in range(nu)]
            file.write(",".join(map(repr, row)) + "\n")
    path = os.path.join(ROOT, "test", "scenes", scene + ".xml")
    r = run("check", path, "--steps", STEPS, "--ctrl", controls, "--loss", loss, "--wrt", WRT + more, "--json",
            *(["--keyframe", key] if key else []))
    if r.returncode != 0:
        say(False, f"{scene} {loss}", f"exit {r.returncode} {r.stderr[-200:]}")
        return
    report = json.loads(r.stdout)
    n = len(report["directions"])
    bad = [d.get("name") or d.get("mixture") for d in report["directions"] if d["verdict"] == "mismatch"]
    say(not bad, f"{scene} {loss} mismatches", bad[:5])
    say(report["resolved"] >= 0.9 * n, f"{scene} {loss} resolved", f"{report['resolved']} of {n}")
    say(report["unchanged"] >= 0.85 * n, f"{scene} {loss} unchanged", f"{report['unchanged']} of {n}")


def check_wrong(folder):
    path = os.path.join(folder, "wrong.xml")
    for tendon, actuator, words in WRONG:
        with open(path, "w") as file:
            file.write(SCENE.format(tendon, actuator))
        r = run("run", path, "--steps", 1)
        lines = r.stderr.strip().split("\n")
        say(r.returncode == 2 and len(lines) == 1 and words in lines[0], tendon + actuator, f"{r.returncode} {r.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for case in CHECKS:
            check_numbers(folder, *case)
        check_wrong(folder)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
