# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Parity of `vv run` with MuJoCo 4.0.0, scene by scene: 20 states (seeds 0..19) after 1.5 s of motion each (peer.drive); those
of even seeds go on, at most 1 s, until something touches.

  a        max|a - a_ref| / max|a_ref|, worst state. a is the acceleration that the solve returns, before the implicit
           damping of the step: `warmstart` of the state that `--save` writes after one step of Euler (a copy of the
           scene with that integrator), against qacc of mj_forward. Differences of velocities would lose digits.
  step     the same for (qvel after one step - qvel) / h with the scene's own integrator
  sensors  max|s - s_ref| / max(1, max|s_ref|) per sensor, evaluated at the state itself
  free     max|qpos - qpos_ref| after each of 100 steps with the contact flag disabled in both
  own      how far MuJoCo's a at tolerance 1e-12 is from its a at tolerance 1e-30 (peer.py), with which we compare

States with a contact of a pair that MuJoCo gives to its convex collider are held to CONVEX, all others to LIMITS.
"""
import json
import os
import tempfile

import mujoco
import numpy as np

import models
import peer

STATES, FREE_STEPS = 20, 100
LIMITS = {"a": 1e-6, "step": 1e-6, "sensors": 1e-6, "free": 1e-9}
CONVEX = {"a": 1e-4, "step": 1e-4, "sensors": 1e-4}
WALKERS = {"hopper", "walker", "walker2d", "walker2d_v5", "cheetah", "half_cheetah", "ant", "humanoid", "cube"}


def relative(x, reference):
    if not reference.size:
        return 0.0
    return float(np.abs(x - reference).max() / max(1e-9, np.abs(reference).max()))


def sensor_error(model, head, row, reference):
    worst = 0.0
    for i in range(model.nsensor):
        adr, dim = model.sensor_adr[i], model.sensor_dim[i]
        name = peer.written(model.sensor(i).name) or f"#{i}"
        cols = peer.columns(head, f"sensor/{name}[")
        if len(cols) != dim:
            raise RuntimeError(f"sensor {name}: {len(cols)} columns, {dim} expected")
        ref = reference[adr:adr + dim]
        worst = max(worst, float(np.abs(row[cols] - ref).max() / max(1.0, np.abs(ref).max())))
    return worst


def set_state(d, data, control):
    d.qpos[:], d.qvel[:], d.act[:], d.ctrl[:] = data.qpos, data.qvel, data.act, control
    d.mocap_pos[:], d.mocap_quat[:] = data.mocap_pos, data.mocap_quat


def one_state(path, euler, model, data, control, folder):
    """Errors of one step from one state."""
    state, save = os.path.join(folder, "s.json"), os.path.join(folder, "after.json")
    table, rows = os.path.join(folder, "t.csv"), os.path.join(folder, "u.csv")
    peer.write_state(state, data)
    args = ["--steps", 1, "--init", state, "--out", table, "--json"]
    if model.nu:
        peer.write_rows(rows, [control])
        args += ["--ctrl", rows]
    peer.vv(["run", euler, *args, "--save", save])
    report = json.loads(peer.vv(["run", path, *args]))
    head, trajectory = peer.read_trajectory(table)
    with open(save) as file:
        a = np.array(json.load(file)["warmstart"])
    d = mujoco.MjData(model)
    set_state(d, data, control)
    d.qacc_warmstart[:] = data.qacc_warmstart
    mujoco.mj_forward(model, d)
    ordinary = d.qacc.copy()
    peer.tighten(model, peer.EXACT)
    mujoco.mj_forward(model, d)
    touching = [c for c in d.contact if c.efc_address >= 0]
    out = {"a": relative(a, d.qacc), "own": relative(ordinary, d.qacc),
           "sensors": sensor_error(model, head, trajectory[0], d.sensordata) if model.nsensor else 0.0,
           "contacts": len(touching), "convex": any(peer.is_convex(model, c) for c in touching),
           "residual": report["residual_max"]}
    before = d.qvel.copy()
    mujoco.mj_step(model, d)
    peer.tighten(model)
    v = trajectory[-1][peer.columns(head, "qvel[")]
    h = model.opt.timestep
    out["step"] = relative((v - before) / h, (d.qvel - before) / h)
    return out


def free_run(path, model, data, controls, folder):
    """Largest |qpos - qpos_ref| in a run without contacts."""
    state, table, rows = (os.path.join(folder, name) for name in ("s.json", "t.csv", "u.csv"))
    peer.write_state(state, data)
    args = ["run", path, "--steps", FREE_STEPS, "--init", state, "--out", table]
    if model.nu:
        peer.write_rows(rows, controls)
        args += ["--ctrl", rows]
    peer.vv(args)
    head, trajectory = peer.read_trajectory(table)
    q = trajectory[:, peer.columns(head, "qpos[")]
    d = mujoco.MjData(model)
    set_state(d, data, controls[0])
    worst = 0.0
    for k in range(FREE_STEPS):
        d.ctrl[:] = controls[k]
        mujoco.mj_step(model, d)
        worst = max(worst, float(np.abs(q[k + 1] - d.qpos).max(initial=0)))
    return worst


def scene(name, path, count=STATES):
    """All states of one scene; a dict for the report."""
    result = {"scene": name}
    try:
        no = models.refusal(path)
        if no:
            return {**result, "refused": no[0], "message": no[1],
                    "failures": [] if no[0] else [f"refused without an allowed reason: {no[1]}"]}
        model = peer.load(path)
        with tempfile.TemporaryDirectory() as folder:
            euler = peer.copy_with(path, folder, "euler_", '<option integrator="Euler"/>')
            free_path = peer.copy_with(path, folder, "free_", '<option><flag contact="disable"/></option>')
            free_model = peer.load(free_path, peer.EXACT)
            states = []
            for seed in range(count):
                data = peer.drive(model, seed, until_touching=seed % 2 == 0)
                rng = np.random.default_rng(1000 + seed)
                controls = peer.random_controls(model, FREE_STEPS, rng)
                state = one_state(path, euler, model, data, controls[0], folder)
                state["free"] = free_run(free_path, free_model, data, controls, folder)
                states.append(state)
        summarize(result, states, model)
    except Exception as error:  # the scene is reported as failed, the others go on
        result["failures"] = [f"{type(error).__name__}: {error}"]
    return result


def summarize(result, states, model):
    for key in ("a", "step", "sensors", "free", "own", "residual"):
        result[key] = max(s[key] for s in states)
    groups = {True: [s for s in states if s["convex"]], False: [s for s in states if not s["convex"]]}
    result["convex"] = len(groups[True])
    result["contacts_mean"] = float(np.mean([s["contacts"] for s in states]))
    result["in_contact"] = float(np.mean([s["contacts"] > 0 for s in states]))
    result["states"], result["dofs"] = states, model.nv
    result["failures"] = []
    for convex, limits in ((False, LIMITS), (True, {**LIMITS, **CONVEX})):
        for key, limit in limits.items():
            worst = max((s[key] for s in groups[convex]), default=0.0)
            if not worst <= limit:
                seed = [s[key] for s in states].index(worst)
                result["failures"].append(f"{key} {worst:.1e} > {limit:.0e} (seed {seed})")
    if result["scene"].split("/")[-1] in WALKERS and result["in_contact"] < 0.5:
        result["failures"].append("fewer than half of the states are in contact")


def line(r):
    if r.get("refused"):
        return f"{r['scene']:20} refused: {r['refused']} ({r['message']})"
    if "a" not in r:
        return f"{r['scene']:20} FAILED  {r['failures'][0]}"
    verdict = "FAILED  " + "; ".join(r["failures"]) if r["failures"] else "ok"
    return (f"{r['scene']:20} {len(r['states']):6} {r['contacts_mean']:9.2f} {100 * r['in_contact']:8.0f} % {r['convex']:6} "
            f"{r['a']:9.1e} {r['step']:9.1e} {r['sensors']:9.1e} {r['free']:9.1e} {r['own']:9.1e} {r['residual']:9.1e}  {verdict}")


HEAD = (f"{'scene':20} {'states':>6} {'contacts':>9} {'touching':>10} {'convex':>6} {'a':>9} {'step':>9} {'sensors':>9} "
        f"{'free':>9} {'own':>9} {'residual':>9}")
