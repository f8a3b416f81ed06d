#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""make cases: small inputs that have broken other engines (docs/cases.md), run through build/vv and the library.

usage: cases.py [ID...]
Prints a line per quantity: id, quantity, measured, right, error, verdict. Ends with "N passed, N failed, N skipped",
counted by case; exit 1 on a failure. The right values are closed forms, differences of our own steps where the case asks
for them, or MuJoCo 4.0.0 where it says (ref).
"""
import json
import math
import os
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "peer"))

import mujoco  # noqa: E402
import numpy as np  # noqa: E402

import peer  # noqa: E402


class Case:
    """Collects the rows of one case."""

    def __init__(self, name, folder):
        self.name, self.folder, self.rows = name, folder, []
        self.good = True

    def row(self, what, measured, right, error, good):
        self.rows.append((what, measured, right, error, good))
        self.good = self.good and bool(good)

    def close(self, what, measured, right, tolerance, relative=True):
        """|measured - right| <= tolerance (times |right|)."""
        m, r = np.atleast_1d(np.asarray(measured, float)), np.atleast_1d(np.asarray(right, float))
        error = float(np.abs(m - r).max()) if m.shape == r.shape else math.inf
        if relative:
            error /= max(float(np.abs(r).max()), 1e-300)
        self.row(what, text(measured), text(right), f"{error:.1e}", error <= tolerance)

    def holds(self, what, measured, right, good):
        self.row(what, text(measured), right, "", good)

    def path(self, name):
        return os.path.join(self.folder, name)


def text(x):
    if isinstance(x, (list, tuple, np.ndarray)):
        flat = np.ravel(np.asarray(x, float))
        return " ".join(f"{v:.6g}" for v in flat[:4]) + (" ..." if len(flat) > 4 else "")
    return f"{x:.9g}" if isinstance(x, float) else str(x)


def file_of(name):
    return os.path.join(HERE, name + ".xml")


def edited(case, name, changes):
    """The scene with texts replaced, written beside the other temporary files."""
    content = open(file_of(name)).read()
    for old, new in changes:
        if old not in content:
            raise RuntimeError(f"{name}.xml has no '{old}'")
        content = content.replace(old, new)
    path = case.path(f"{name}_{len(os.listdir(case.folder))}.xml")
    with open(path, "w") as file:
        file.write(content)
    return path


def state_file(case, **parts):
    path = case.path(f"state_{len(os.listdir(case.folder))}.json")
    with open(path, "w") as file:
        json.dump({key: np.asarray(value, float).tolist() for key, value in parts.items()}, file)
    return path


def control_file(case, rows):
    path = case.path(f"controls_{len(os.listdir(case.folder))}.csv")
    peer.write_rows(path, rows)
    return path


def run(case, path, steps, *extra):
    """Trajectory of vv run: column names and rows."""
    table = case.path("trajectory.csv")
    peer.vv(["run", path, "--steps", steps, "--out", table, *extra])
    return peer.read_trajectory(table)


def final(trajectory, prefix):
    head, rows = trajectory
    return rows[-1][peer.columns(head, prefix)]


def gradient(case, path, steps, loss, wrt, *extra):
    out = case.path("gradient.json")
    peer.vv(["grad", path, "--steps", steps, "--loss", loss, "--wrt", wrt, "--out", out, *extra])
    with open(out) as file:
        return json.load(file)


def flat(x):
    return np.ravel(np.asarray(x, float))


def check(path, steps, loss, wrt, *extra):
    return json.loads(peer.vv(["check", path, "--steps", steps, "--loss", loss, "--wrt", wrt, "--json", *extra],
                              allowed=(0, 1)))


def verdicts(report):
    return [d["verdict"] for d in report["directions"]]


def numbers(path):
    """name: entry of vv info."""
    return {n["name"]: n for n in json.loads(peer.vv(["info", path, "--json"]))["numbers"]}


def value(found, name):
    """Value of a number; of all its components when the name has no index."""
    if name in found:
        return float(found[name]["value"])
    parts = [float(n["value"]) for key, n in found.items() if key.rsplit("/", 1)[0] == name]
    if not parts:
        raise RuntimeError(f"vv info lists no number {name}")
    return parts


def extrapolated(f, step, rungs=4):
    """Central differences, the step halved each time, extrapolated twice; the last one."""
    d = [(f(step / 2**k) - f(-step / 2**k)) / (2 * step / 2**k) for k in range(rungs)]
    for power in (4, 16):
        d = [(power * d[k + 1] - d[k]) / (power - 1) for k in range(len(d) - 1)]
    return d[-1]


# ---- gradients through contact ----------------------------------------------------------------------------------


def turned(q, r):
    """Quaternion q times the rotation vector r (body axes)."""
    angle = float(np.linalg.norm(r))
    s = math.sin(angle / 2) / angle if angle > 0 else 0.5
    out = np.zeros(4)
    mujoco.mju_mulQuat(out, np.asarray(q, float), np.array([math.cos(angle / 2), *(s * np.asarray(r))]))
    return out


def free_tangent(q0, q1):
    """q1 (-) q0 of one free body."""
    inverse, relative, r = np.zeros(4), np.zeros(4), np.zeros(3)
    mujoco.mju_negQuat(inverse, q0[3:])
    mujoco.mju_mulQuat(relative, inverse, q1[3:])
    mujoco.mju_quat2Vel(r, relative, 1.0)
    return np.concatenate([q1[:3] - q0[:3], r])


def step_jacobian(case, path, q, v, h=1e-6):
    """A of one free body by central differences of our own step."""
    def after(dq, dv):
        moved = np.concatenate([q[:3] + dq[:3], turned(q[3:], dq[3:])])
        trajectory = run(case, path, 1, "--init", state_file(case, qpos=moved, qvel=v + dv))
        return final(trajectory, "qpos["), final(trajectory, "qvel[")
    base, _ = after(np.zeros(6), np.zeros(6))
    columns = []
    for i in range(12):
        d = np.zeros(12)
        d[i] = h
        (qp, vp), (qm, vm) = after(d[:6], d[6:]), after(-d[:6], -d[6:])
        columns.append(np.concatenate([free_tangent(base, qp) - free_tangent(base, qm), vp - vm]) / (2 * h))
    return np.array(columns).T


def a1(case):
    path = file_of("A1")
    v = np.array([0, 0, 0.01, 0, 0, 0])

    def jacobian(z):
        state = state_file(case, qpos=[0, 0, z, 1, 0, 0, 0], qvel=v)
        return np.array(json.loads(peer.vv(["jac", path, "--init", state, "--json"]))["A"], float)
    for z in (0.0999, 0.1001):
        q = np.array([0, 0, z, 1, 0, 0, 0])
        reference = step_jacobian(case, path, q, v)
        error = float(np.abs(jacobian(z) - reference).max() / np.abs(reference).max())
        case.row(f"A at z = {z}", f"max {np.abs(reference).max():.4g}", "differences", f"{error:.1e}", error <= 1e-6)
    exact = jacobian(0.1)
    case.holds("A at z = 0.1 finite", bool(np.isfinite(exact).all()), "True", np.isfinite(exact).all())
    sides = [float(np.abs(exact - jacobian(0.1 + d)).max()) for d in (-1e-9, 1e-9)]
    case.row("A at z = 0.1 is one side's", "inside" if sides[0] < sides[1] else "outside", "one of them",
             f"{min(sides):.1e}", min(sides) < 1e-4)


def shot(model, force, steps=300):
    d = mujoco.MjData(model)
    for k in range(steps):
        d.ctrl[0] = force if k == 0 else 0
        mujoco.mj_step(model, d)
    return d.qpos.copy()


def a2(case):
    path = file_of("A2")
    model = peer.load(path)

    def pushed(force):
        controls = control_file(case, [[force], [0]])
        rows = [flat(gradient(case, path, 300, f"final:joint/{j}/pos", "ctrl", "--ctrl", controls)["grad"]["ctrl"])[0]
                for j in ("capsule", "sphere")]
        return np.array(rows), controls
    measured, _ = pushed(499)
    right = extrapolated(lambda e: shot(model, 499 + e), 1e-2)
    case.close("dq/du at 499 N, MuJoCo's differences", measured, right, 1e-6)
    case.close("  as the case states them", measured, [-0.000399, 0.001599], 6e-7, relative=False)
    case.close("  sum", float(measured.sum()), 0.0012, 1e-9)
    measured, controls = pushed(500)
    case.holds("dq/du at 500 N finite", measured, "finite", np.isfinite(measured).all())
    case.close("  sum", float(measured.sum()), 0.0012, 1e-9)
    below, above = pushed(499.999)[0], pushed(500.001)[0]
    off = [float(np.abs(measured - side).max() / np.abs(side).max()) for side in (below, above)]
    case.row("  one of the one-sided values", text(measured), f"{text(below)} or {text(above)}", f"{min(off):.1e}",
             min(off) < 1e-3)
    found = verdicts(check(path, 300, "final:joint/sphere/pos", "actuator/push/gear/0", "--ctrl", controls))
    case.holds("  the check says", " ".join(found), "jump", found == ["jump"])


def a4(case):
    path, name = file_of("A4"), "joint/hinge/frictionloss"
    case.close("q50", float(final(run(case, path, 50), "qpos[0]")[0]), 2.92243, 5e-6, relative=False)
    g = float(flat(gradient(case, path, 50, "final:joint/hinge/pos", name)["grad"][name])[0])
    case.close("dq50/dfrictionloss", g, -18.1207, 5e-5, relative=False)
    report = check(path, 50, "final:joint/hinge/pos", "joint/hinge/*friction*")
    found = verdicts(report)
    case.holds("check of all numbers of dry friction", f"{found.count('ok')} of {len(found)} ok", "all ok",
               found.count("ok") == len(found) > 0)
    without = edited(case, "A4", [(' frictionloss="0.01"', "")])
    refused = [n for n in numbers(without).values() if n["name"] == name and not n["differentiable"]]
    case.holds("without dry friction", refused[0]["reason"] if refused else "", "refused by name", len(refused) == 1)


def a5(case):
    for cone, x_right, slope_right in (("pyramidal", 0.190089, -0.199087), ("elliptic", 0.190087, -0.199070)):
        resting = edited(case, "A5", [('cone="pyramidal"', f'cone="{cone}"')])
        wrt = "default/main/geom/friction/0,geom/floor/friction/0,geom/ball/friction/0"
        g = gradient(case, resting, 100, "final:body/ball/pos/0", wrt)["grad"]
        slope = np.concatenate([flat(v) for v in g.values()])
        case.holds(f"resting, {cone}: dx/dmu", slope, "0", len(slope) == 3 and np.all(slope == 0))
        sliding = edited(case, "A5", [('cone="pyramidal"', f'cone="{cone}"'), ('friction="0.5', 'friction="0.05')])
        start = state_file(case, qpos=[0, 0, 0.0999, 1, 0, 0, 0], qvel=[1, 0, 0, 0, 0, 0])
        x = float(final(run(case, sliding, 100, "--init", start), "qpos[0]")[0])
        case.close(f"sliding, {cone}: x", x, x_right, 6e-7, relative=False)
        g = gradient(case, sliding, 100, "final:body/ball/pos/0", wrt, "--init", start)["grad"]
        both = float(flat(g["geom/floor/friction/0"])[0] + flat(g["geom/ball/friction/0"])[0])
        case.close(f"sliding, {cone}: dx/dmu, both geoms", both, slope_right, 6e-7, relative=False)
        case.close("  as a group", float(flat(g["default/main/geom/friction/0"])[0]), both, 1e-12)


def slid_by_impratio(case, start):
    def f(impratio):
        path = edited(case, "A14d", [('impratio="10"', f'impratio="{impratio!r}"')])
        return float(final(run(case, path, 100, "--init", start), "qpos[0]")[0])
    return f


def a14b(case):
    path = file_of("A14b")
    start = state_file(case, qpos=[0.05, 0.02], qvel=[1.5, -2.0])
    model = peer.load(path)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = [0.05, 0.02], [1.5, -2.0]
    peer.tighten(model, peer.EXACT)
    mujoco.mj_forward(model, data)
    qacc = (final(run(case, path, 1, "--init", start), "qvel") - data.qvel) / model.opt.timestep
    case.close("qacc (MuJoCo)", qacc, data.qacc, 1e-9)
    for joint, d in (("shoulder", 0), ("elbow", 1)):
        loss = f"final:joint/{joint}/vel"
        g = flat(gradient(case, path, 1, loss, "qvel0", "--init", start)["grad"]["qvel0"])

        def speed(e, i):
            v = np.array([1.5, -2.0])
            v[i] += e
            return float(final(run(case, path, 1, "--init", state_file(case, qpos=[0.05, 0.02], qvel=list(v))), "qvel")[d])
        right = [extrapolated(lambda e, i=i: speed(e, i), 0.1) for i in range(2)]
        case.close(f"d {joint} after a step / d qvel", g, right, 1e-6)


def a14d(case):
    path = file_of("A14d")
    start = state_file(case, qpos=[0, 0, 0.0999, 0.98, 0, 0, 0.17], qvel=[1.5, 0.4, 0, 0, 0, 2])
    f = slid_by_impratio(case, start)
    g = float(flat(gradient(case, path, 100, "final:body/box/pos/0", "opt/impratio", "--init", start)["grad"]["opt/impratio"])[0])
    case.close("dx/d impratio", g, extrapolated(lambda e: f(10 + e), 0.02), 1e-6)
    report = check(path, 100, "final:body/box/pos/0", "qvel0,geom/floor/friction,opt/impratio,geom/*/solref", "--init", start)
    found = verdicts(report)
    case.holds("check of speeds, friction, impratio", f"{found.count('ok')} of {len(found)} ok", "no mismatch, 90 % ok",
               "mismatch" not in found and found.count("ok") >= 0.9 * len(found))


def a14f(case):
    path = file_of("A14f")
    controls = control_file(case, [[0.6]])
    start = state_file(case, qpos=[0.3], qvel=[-0.5])
    loss, wrt = "final:joint/hinge/pos", "actuator/servo/kp,joint/hinge/stiffness,ctrl"
    g = gradient(case, path, 20, loss, wrt, "--init", start, "--ctrl", controls)["grad"]

    def angle(kp=10.0, stiffness=3.0, ctrl=0.6):
        scene = edited(case, "A14f", [('kp="10"', f'kp="{kp!r}"'), ('stiffness="3"', f'stiffness="{stiffness!r}"')])
        m = peer.load(scene)
        d = mujoco.MjData(m)
        d.qpos[:], d.qvel[:], d.ctrl[:] = 0.3, -0.5, ctrl
        mujoco.mj_step(m, d, 20)
        return float(d.qpos[0])
    for name, found, f in (("kp", g["actuator/servo/kp"], lambda e: angle(kp=10 + e)),
                           ("stiffness", g["joint/hinge/stiffness"], lambda e: angle(stiffness=3 + e)),
                           ("ctrl", g["ctrl"], lambda e: angle(ctrl=0.6 + e))):
        case.close(f"d angle / d {name}, MuJoCo's differences", float(flat(found).sum()), extrapolated(f, 1e-2), 1e-6)
    found = verdicts(check(path, 20, loss, wrt + ",qpos0,qvel0", "--init", start, "--ctrl", controls))
    case.holds("check", f"{found.count('ok')} of {len(found)} ok", "all", found.count("ok") == len(found))


def a19(case):
    path = file_of("A19")

    def one(act, ctrl, wrt):
        start, controls = state_file(case, act=[act]), control_file(case, [[ctrl]])
        out = gradient(case, path, 1, "final:act[0]", wrt, "--init", start, "--ctrl", controls)
        return float(out["loss"]), [float(np.sum(flat(out["grad"][w]))) for w in wrt.split(",")]
    value, (slope,) = one(0, 0.5, "ctrl")
    case.close("act after a step", value, 0.2, 1e-14)
    case.close("d act / d ctrl", slope, 0.4, 1e-14)
    for a in (0.0, 0.5, 1.0):
        value, slopes = one(a, a, "ctrl,act0")
        case.holds(f"ctrl = act = {a}: act, its slopes", [value, *slopes], "act as it was, finite",
                   value == a and bool(np.isfinite(slopes).all()))
        slow = 0.5 + 1.5 * a
        sides = [0.002 / (0.01 * slow), 0.002 / (0.04 / slow)] + ([0.0] if a in (0, 1) else [])
        case.holds("  slope by ctrl is one side's", slopes[0], f"one of {text(sides)}",
                   min(abs(slopes[0] - s) for s in sides) < 1e-12)


def d19(case):
    path = file_of("D19")
    numbers = {n["name"]: n["value"] for n in json.loads(peer.vv(["info", path, "--json"]))["numbers"]}
    m = peer.load(path)
    case.close("velocity gain of the bias, MuJoCo's", numbers["actuator/servo/bias/2"], float(m.actuator_biasprm[0, 2]), 1e-12)
    case.close("  as the case states it", numbers["actuator/servo/bias/2"], -2.5105, 5e-5, relative=False)
    case.close("forcerange", [numbers[f"actuator/servo/forcerange/{i}"] for i in range(2)], [-3.5, 3.5], 0)
    start, controls = state_file(case, qpos=[0.2], qvel=[1]), control_file(case, [[2]])
    head, rows = run(case, path, 100, "--init", start, "--ctrl", controls)
    d = mujoco.MjData(m)
    d.qpos[:], d.qvel[:], d.ctrl[:] = 0.2, 1, 2
    mujoco.mj_step(m, d, 100)
    case.close("angle after 100 steps at ctrl 2, MuJoCo's", rows[-1, head.index("qpos[0]")], float(d.qpos[0]), 1e-12)
    loss, wrt = "final:joint/hinge/pos", "actuator/servo/*,geom/arm/*,ctrl"
    found = verdicts(check(path, 30, loss, wrt, "--init", start, "--ctrl", controls))
    near = control_file(case, [[0.21]])
    found += verdicts(check(path, 30, loss, wrt, "--init", start, "--ctrl", near))
    case.holds("check, at the range and within", f"{found.count('ok')} of {len(found)} ok", "no mismatch, 90 % ok",
               "mismatch" not in found and found.count("ok") >= 0.9 * len(found))
def a11(case):
    path = file_of("A11")
    start = state_file(case, qpos=[0, 0, 0.3, 0.96, 0.2, 0.1, 0.17], qvel=[1.5, 0.4, 0, 0, 0, 2])
    table = run(case, path, 200, "--init", start)
    for k, name in enumerate(("x", "y", "z")):
        g = gradient(case, path, 200, f"final:body/box/pos/{k}", "qpos0,geom/*/*,opt/*", "--init", start)
        case.close(f"{name} with and without gradients", float(g["loss"]), float(final(table, f"qpos[{k}]")[0]), 0.0)


def a14e(case):
    path = file_of("A14e")
    start = state_file(case, qpos=[0.2, -0.7], qvel=[1, -2])
    for loss in ("final:body/tip/quat/1", "final:body/tip/pos/0"):
        report = check(path, 50, loss, "qpos0,qvel0,body/*/*,joint/*/*,geom/*/*,opt/*", "--init", start)
        found = verdicts(report)
        case.holds(loss, f"{found.count('ok')} of {len(found)} ok", "no mismatch, 90 % ok",
                   "mismatch" not in found and found.count("ok") >= 0.9 * len(found))
    table = run(case, path, 50, "--init", start)
    d = mujoco.MjData(peer.load(path))
    d.qpos[:], d.qvel[:] = [0.2, -0.7], [1, -2]
    for _ in range(50):
        mujoco.mj_step(peer.load(path), d)
    case.close("q after 50 steps", final(table, "qpos"), d.qpos, 1e-10)


def a14g(case):
    path = file_of("A14g")
    model = peer.load(path)
    spec = mujoco.MjSpec.from_file(path)
    body = spec.body("upper")
    pos, quat = np.array(body.pos), np.array(body.quat) / np.linalg.norm(body.quat)
    start = state_file(case, qpos=[0.4, -0.7], qvel=[1, -2])
    loss = "final:sensor/tip/0"
    g = gradient(case, path, 50, loss, "body/upper/pos,body/upper/rot", "--init", start)["grad"]

    def tip(dpos, drot):
        body.pos, body.quat = pos + dpos, turned(quat, drot)
        m = peer.tighten(spec.compile())
        d = mujoco.MjData(m)
        d.qpos[:], d.qvel[:] = [0.4, -0.7], [1, -2]
        mujoco.mj_step(m, d, 50)
        mujoco.mj_forward(m, d)
        return float(d.sensordata[0])
    unit, zero = np.eye(3), np.zeros(3)
    right = [extrapolated(lambda e, i=i: tip(e * unit[i], zero), 1e-3) for i in range(3)]
    case.close("d tip / d base pos, MuJoCo's differences", flat(g["body/upper/pos"]), right, 1e-6)
    right = [extrapolated(lambda e, i=i: tip(zero, e * unit[i]), 1e-3) for i in range(3)]
    case.close("d tip / d base rot, MuJoCo's differences", flat(g["body/upper/rot"]), right, 1e-6)
    case.holds("fixed base", f"nv = {model.nv}", "nv = 2", model.nv == 2)


def b4(case):
    found = numbers(file_of("B4"))
    case.close("solref of the connect", [value(found, f"equality/pin/solref/{i}") for i in range(2)], [0.005, 1], 0)


def b6(case):
    for name in ("B6", "B6point"):
        path = file_of(name)
        model = mujoco.MjModel.from_xml_path(path)
        q = np.array([0.1, -0.2, 1.1, 0.98, 0.1, 0.05, -0.15, 0.4])
        q[3:7] /= np.linalg.norm(q[3:7])
        start = state_file(case, qpos=list(q), qvel=[0.3, -0.4, 0.2, 1.0, -0.5, 0.7, 2.0])
        verdict = []
        for i in range(3):
            report = check(path, 1, f"final:body/second/linvel/{i}", "qpos0,qvel0,ctrl,equality/*/*", "--init", start,
                           "--ctrl", control_file(case, [[0.3] * model.nu]))
            verdict += verdicts(report)
        wrong = [v for v in verdict if v not in ("ok", "unresolved")]
        case.holds(f"{name}: check in q, v, tau and the weld's numbers", f"{verdict.count('ok')} of {len(verdict)} ok",
                   "no mismatch, 90 % ok", not wrong and verdict.count("ok") >= 0.9 * len(verdict))


def b9(case):
    head, rows = run(case, file_of("B9"), 1000, "--init", state_file(case, qpos=[0, 0], qvel=[0, 100]))
    spin = rows[:, head.index("qvel[1]")]
    still = rows[:, head.index("qpos[0]")]
    case.close("speed of the free one", float(spin[np.argmax(np.abs(spin - 100))]), 100.0, 1e-12)
    case.close("angle of the limited one", float(np.abs(still).max()), 0.0, 1e-12, relative=False)


# ---- import ------------------------------------------------------------------------------------------------------


def d1(case):
    found = numbers(file_of("D1"))
    case.close("sliding friction", value(found, "geom/g/friction/0"), 1.0, 0)
    case.close("size", value(found, "geom/g/size/0"), 0.2, 0)


def d2(case):
    path = file_of("D2")
    case.close("armature", value(numbers(path), "joint/j/armature"), 0.01, 0)
    v = float(final(run(case, path, 1), "qvel[0]")[0])
    case.close("fall in one step: a slide", v, -9.81 * 0.002 / 1.01, 1e-12)


def d5(case):
    head, rows = run(case, file_of("D5"), 0)
    case.close("pos", rows[0][peer.columns(head, "sensor/pos[")], [-1, 0, 0], 1e-12)
    case.close("quat", rows[0][peer.columns(head, "sensor/quat[")], [math.sqrt(0.5), 0, 0, math.sqrt(0.5)], 1e-12)


def d7(case):
    path = file_of("D7a")
    p = subprocess.run([peer.VV, "run", path, "--steps", "1"], capture_output=True, text=True)
    line = next(i for i, s in enumerate(open(path).read().splitlines(), 1) if "<joint" in s)
    said = p.stderr.strip()
    good = p.returncode == 2 and said.count("\n") == 0 and f"{path}:{line}:" in said and "limited" in said
    case.holds("no limited, autolimits off", said.replace(path, "D7a.xml")[:90], f"D7a.xml:{line}: ..., exit 2", good)
    head, rows = run(case, file_of("D7b"), 500, "--init", state_file(case, qpos=[0], qvel=[2]))
    case.close("limited=false: speed stays", float(rows[:, head.index("qvel[0]")].min()), 2.0, 1e-12)


def d8(case):
    found = numbers(file_of("D8"))
    for name, right in (("damping", 2.0), ("stiffness", 3.0), ("range/0", -math.pi / 2), ("range/1", math.pi / 2),
                        ("springref", math.radians(10))):
        case.close(name, value(found, "joint/j/" + name), right, 1e-15)


def d9(case):
    save = case.path("after.json")
    run(case, file_of("D9"), 1, "--save", save)
    with open(save) as file:
        a = np.array(json.load(file)["warmstart"])
    case.close("acceleration", a, np.zeros(6), 0, relative=False)
    library(case, "D9")


def d17(case):
    path = file_of("D17")
    found = numbers(path)
    case.close("mass", value(found, "body/b/mass"), 1.5, 0)
    case.close("moments", value(found, "body/b/diaginertia"), [0.02] * 3, 0)
    trajectory = run(case, path, 1, "--ctrl", control_file(case, [[1, 1]]))
    case.close("acceleration under 1.5 N, 0.02 N m and gravity", final(trajectory, "qvel[") / 0.001,
               [1, 0, -10, 0, 0, 1], 1e-9)


def d26(case):
    path = file_of("D26")
    head, rows = run(case, path, 0)
    case.close("quat", rows[0][peer.columns(head, "sensor/quat[")], [math.sqrt(0.5), 0, 0, math.sqrt(0.5)], 1e-12)
    found = numbers(path)
    case.close("solref", [value(found, f"geom/g/solref/{i}") for i in (0, 1)], [0.05, 1], 0)


# ---- identification, design --------------------------------------------------------------------------------------


def library(case, name):
    """Rows of a case printed by the C program cases_library: what|measured|right|error|ok or bad."""
    program = os.path.join(peer.BUILD, "test", "cases_library")
    p = subprocess.run([program, name], capture_output=True, text=True, env={**os.environ, "VV_ROOT": peer.ROOT})
    lines = [s.split("|") for s in p.stdout.splitlines() if s.count("|") == 4]
    for what, measured, right, error, word in lines:
        case.row(what, measured, right, error, word == "ok")
    if p.returncode not in (0, 1) or not lines:
        case.holds("cases_library", (p.stderr.strip() or f"exit {p.returncode}")[-80:], "rows", False)


def h3(case):
    library(case, "H3")
    path = file_of("H3")
    start = state_file(case, qpos=[0, 0, 0.0995, 1, 0, 0, 0], qvel=[0.3, 0, 0, 0, 0, 0])

    def height(mass):
        other = edited(case, "H3", [('mass="1"', f'mass="{mass!r}"')])
        return float(final(run(case, other, 50, "--init", start), "qpos[2]")[0])
    g = gradient(case, path, 50, "final:body/b/pos/2", "body/b/mass", "--init", start)["grad"]["body/b/mass"]
    case.close("dz/dmass with the inverse weights' path", float(flat(g)[0]), extrapolated(lambda e: height(1 + e), 1e-2), 1e-6)


def h4(case):
    path = file_of("H4")
    controls = control_file(case, [[1]])
    for n in (100, 10000):
        theta = 0.01**2 * n * (n + 1) / 2 / 2
        g = gradient(case, path, n, "final:joint/j/pos", "body/b/diaginertia/2", "--ctrl", controls)
        if n == 100:
            case.close("theta after 100 steps", float(g["loss"]), theta, 1e-12)
        slope = float(flat(g["grad"]["body/b/diaginertia/2"])[0])
        case.close(f"dtheta/dI after {n} steps", slope, -theta / 2, 1e-9)


def h9(case):
    report = json.loads(peer.vv(["jac", file_of("H9"), "--json"]))
    shape = np.array(report["A"], float).shape
    case.holds("size of A", f"{shape[0]} x {shape[1]}" if len(shape) == 2 else str(shape), "12 x 12", shape == (12, 12))
    case.holds("order", " ".join(report["order"]), "dq v act", report["order"] == ["dq", "v", "act"])
    library(case, "H9")


def i5(case):
    path = file_of("I5")
    args = ["grad", path, "--steps", 10, "--loss", "final:body/torso/pos/2", "--wrt", "ctrl,qpos0,qvel0"]
    times = []
    for _ in range(3):
        began = time.perf_counter()
        peer.vv(args + ["--out", case.path("g.json")])
        times.append(time.perf_counter() - began)
    case.row("process start to first gradient [s]", f"{min(times):.3f}", "< 0.2 (1 demanded)", "", min(times) < 0.2)


# ---- numerical stability -----------------------------------------------------------------------------------------


def j2(case):
    path = file_of("J2")
    start = state_file(case, qpos=[0, 0, math.pi / 2, 0], qvel=[0.1, 0.2, 0.3, 0.4])
    done = subprocess.run([peer.VV, "run", path, "--steps", "10", "--init", start, "--json"], capture_output=True, text=True)
    result = json.loads(done.stdout)
    finite = bool(np.isfinite(result["qpos"] + result["qvel"]).all())
    case.holds("state after 10 steps finite", finite, "True", finite)
    warned = "singular" in done.stderr
    case.holds("a warning", warned, "True", warned)
    g = gradient(case, path, 10, "final:joint/x/pos", "qpos0,qvel0", "--init", start)["grad"]
    finite = bool(np.isfinite(np.concatenate([flat(g["qpos0"]), flat(g["qvel0"])])).all())
    case.holds("gradient finite", finite, "True", finite)


def j10(case):
    path = file_of("J10")
    found = json.loads(peer.vv(["jac", path, "--json"]))
    A = np.array(found["A"], float)
    case.close("dv'/dv at rest in a fluid", A[6:, 6:], np.eye(6), 1e-15)
    g = gradient(case, path, 20, "final:body/ball/pos/0", "qvel0,opt/density,opt/wind")["grad"]
    case.close("dx/d density at rest", float(flat(g["opt/density"])[0]), 0.0, 0.0, relative=False)
    case.close("dx/dv", float(flat(g["qvel0"])[0]), 20 * 0.002, 1e-13)
    case.close("dx/d wind", float(flat(g["opt/wind"])[0]), 0.0, 0.0, relative=False)


def j4(case):
    path = file_of("J4")
    start = state_file(case, qpos=[0], qvel=[-5])
    head, rows = run(case, path, 1000, "--init", start)
    q = rows[:, head.index("qpos[0]")]
    m = peer.load(path)
    d = mujoco.MjData(m)
    d.qvel[0] = -5
    reference = [0.0]
    for _ in range(1000):
        mujoco.mj_step(m, d)
        reference.append(float(d.qpos[0]))
    case.close("lowest angle [deg], MuJoCo's", math.degrees(q.min()), math.degrees(min(reference)), 1e-9)
    case.close("  as the case states it", math.degrees(q.min()), -202.1, 0.05, relative=False)
    largest = math.degrees(float(np.abs(np.diff(q)).max()))
    case.holds("largest step [deg]", round(largest, 6), "<= 0.573", largest <= math.degrees(0.01) * (1 + 1e-9))


def j6(case):
    controls = control_file(case, [[0.7]])
    g = gradient(case, file_of("J6"), 100, "final:joint/j/pos", "ctrl", "--ctrl", controls)
    case.close("d height / d thrust", float(flat(g["grad"]["ctrl"]).sum()), 0.505, 1e-12)
    case.close("height", float(g["loss"]), 0.7 * 0.505, 1e-12)


CASES = {"A1": a1, "A2": a2, "A4": a4, "A5": a5, "A11": a11, "A14b": a14b, "A14d": a14d, "A14e": a14e, "A14f": a14f,
         "A14g": a14g, "A19": a19, "B4": b4, "B6": b6, "B9": b9, "D1": d1, "D2": d2, "D5": d5, "D7": d7,
         "D8": d8, "D9": d9, "D17": d17, "D19": d19, "D26": d26, "H1": lambda c: library(c, "H1"), "H3": h3, "H4": h4,
         "H9": h9,
         "H12": lambda c: library(c, "H12"), "I2": lambda c: library(c, "I2"), "I5": i5, "J2": j2, "J4": j4, "J6": j6, "J10": j10}


def main():
    wanted = sys.argv[1:] or list(CASES)
    unknown = [w for w in wanted if w not in CASES]
    if unknown:
        print(f"cases: no case {unknown[0]}; there are {', '.join(CASES)}\n0 passed, 1 failed, 0 skipped")
        return 1
    print(f"{'id':5} {'quantity':46} {'measured':38} {'right':38} {'error':>8}  verdict")
    failed = 0
    for name in wanted:
        with tempfile.TemporaryDirectory() as folder:
            case = Case(name, folder)
            try:
                CASES[name](case)
            except Exception as error:  # the case has failed, the others go on
                case.holds(type(error).__name__, str(error).replace(folder, "")[-200:], "no error", False)
        for what, measured, right, error, good in case.rows:
            print(f"{name:5} {what:46} {measured:38.90} {right:38} {error:>8}  {'ok' if good else 'FAILED'}")
        if not case.rows or not case.good:
            failed += 1
        sys.stdout.flush()
    print(f"{len(wanted) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
