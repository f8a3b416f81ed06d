# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Parity of `vv run` with MuJoCo 4.0.0, scene by scene: 20 states (seeds 0..19) after 1 s of driven motion each.

  a        max|a - a_ref| / max|a_ref|, worst state. a is the acceleration that the solve returns, before the implicit
           damping of the Euler step: `warmstart` of the state that `--save` writes after one step, against qacc of
           mj_forward. Differences of velocities would lose digits.
  step     the same for (qvel after one step - qvel) / h, which includes the damping
  sensors  max|s - s_ref| / max(1, max|s_ref|) per sensor, evaluated at the state itself
  free     max|qpos - qpos_ref| after each of 100 steps with the contact flag disabled in both
  own      how far MuJoCo's a at tolerance 1e-12 is from its a at tolerance 1e-30 (peer.py), with which we compare
"""
import json
import os
import tempfile

import mujoco
import numpy as np

import peer

STATES, FREE_STEPS = 20, 100
LIMITS = {"a": 1e-6, "step": 1e-6, "sensors": 1e-6, "free": 1e-9}


def relative(x, reference):
    return float(np.abs(x - reference).max() / max(1e-9, np.abs(reference).max()))


def sensor_error(model, head, row, reference):
    worst = 0.0
    for i in range(model.nsensor):
        adr, dim = model.sensor_adr[i], model.sensor_dim[i]
        cols = peer.columns(head, f"sensor/{model.sensor(i).name}[")
        if len(cols) != dim:
            raise RuntimeError(f"sensor {model.sensor(i).name}: {len(cols)} columns, {dim} expected")
        ref = reference[adr:adr + dim]
        worst = max(worst, float(np.abs(row[cols] - ref).max() / max(1.0, np.abs(ref).max())))
    return worst


def one_state(path, model, data, control, folder):
    """Errors of one step from one state."""
    state, save = os.path.join(folder, "s.json"), os.path.join(folder, "after.json")
    table, rows = os.path.join(folder, "t.csv"), os.path.join(folder, "u.csv")
    peer.write_state(state, data)
    args = ["run", path, "--steps", 1, "--init", state, "--out", table, "--save", save, "--json"]
    if model.nu:
        peer.write_rows(rows, [control])
        args += ["--ctrl", rows]
    report = json.loads(peer.vv(args))
    head, trajectory = peer.read_trajectory(table)
    with open(save) as file:
        a = np.array(json.load(file)["warmstart"])
    d = mujoco.MjData(model)
    d.qpos[:], d.qvel[:], d.ctrl[:] = data.qpos, data.qvel, control
    d.qacc_warmstart[:] = data.qacc_warmstart
    mujoco.mj_forward(model, d)
    ordinary = d.qacc.copy()
    peer.tighten(model, peer.EXACT)
    mujoco.mj_forward(model, d)
    out = {"a": relative(a, d.qacc), "own": relative(ordinary, d.qacc),
           "sensors": sensor_error(model, head, trajectory[0], d.sensordata) if model.nsensor else 0.0,
           "contacts": int(sum(c.efc_address >= 0 for c in d.contact)), "residual": report["residual_max"]}
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
    d.qpos[:], d.qvel[:] = data.qpos, data.qvel
    worst = 0.0
    for k in range(FREE_STEPS):
        d.ctrl[:] = controls[k]
        mujoco.mj_step(model, d)
        worst = max(worst, float(np.abs(q[k + 1] - d.qpos).max()))
    return worst


def scene(name, path):
    """All states of one scene; a dict for the report."""
    result = {"scene": name}
    try:
        model = peer.load(path)
        with tempfile.TemporaryDirectory() as folder:
            free_path = peer.copy_without_contacts(path, folder)
            free_model = peer.load(free_path)
            states = []
            for seed in range(STATES):
                data = peer.drive(model, seed)
                rng = np.random.default_rng(1000 + seed)
                controls = peer.random_controls(model, FREE_STEPS, rng)
                state = one_state(path, model, data, controls[0], folder)
                state["free"] = free_run(free_path, free_model, data, controls, folder)
                states.append(state)
        for key in ("a", "step", "sensors", "free", "own", "residual"):
            result[key] = max(s[key] for s in states)
        result["contacts_mean"] = float(np.mean([s["contacts"] for s in states]))
        result["in_contact"] = float(np.mean([s["contacts"] > 0 for s in states]))
        result["states"] = states
        result["failures"] = [f"{key} {result[key]:.1e} > {limit:.0e}" for key, limit in LIMITS.items()
                              if not result[key] <= limit]
        if name in ("cube", "half_cheetah") and result["in_contact"] < 0.5:
            result["failures"].append("fewer than half of the states are in contact")
    except Exception as error:  # the scene is reported as failed, the others go on
        result["failures"] = [f"{type(error).__name__}: {error}"]
    return result


def line(r):
    if "a" not in r:
        return f"{r['scene']:16} FAILED  {r['failures'][0]}"
    verdict = "FAILED  " + "; ".join(r["failures"]) if r["failures"] else "ok"
    return (f"{r['scene']:16} {len(r['states']):6} {r['contacts_mean']:9.2f} {100 * r['in_contact']:8.0f} % {r['a']:9.1e} "
            f"{r['step']:9.1e} {r['sensors']:9.1e} {r['free']:9.1e} {r['own']:9.1e} {r['residual']:9.1e}  {verdict}")


HEAD = (f"{'scene':16} {'states':>6} {'contacts':>9} {'touching':>10} {'a':>9} {'step':>9} {'sensors':>9} {'free':>9} "
        f"{'own':>9} {'residual':>9}")
