# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""What the comparisons with MuJoCo share: the scenes, driven states, and the program `vv`, reached through its contract.

MuJoCo drives and steps with its Newton solver at tolerance 1e-12, 1000 iterations, ccd_tolerance 1e-10, and a line search
of tolerance 1e-8 with 200 iterations: the default line search (0.01) cuts its last steps short. That tolerance bounds the
improvement of a cost, so accelerations in elliptic cones are left with errors up to about its square root (4.6e-6 was
seen), and differences of its rollouts with a smooth error of 1e-5. Accelerations and gradients are therefore compared with
the same solver at tolerance 1e-30, which goes on until nothing improves.
"""
import csv
import json
import os
import subprocess

import mujoco
import numpy as np

from models import BUILD, ROOT, VV, own, packages

EXACT = 1e-30
T = mujoco.mjtGeom
# Pairs that MuJoCo hands to its iterative convex collider; all others are treated analytically.
CONVEX = {frozenset(p) for p in (
    (T.mjGEOM_SPHERE, T.mjGEOM_ELLIPSOID), (T.mjGEOM_CAPSULE, T.mjGEOM_ELLIPSOID), (T.mjGEOM_CAPSULE, T.mjGEOM_CYLINDER),
    (T.mjGEOM_ELLIPSOID,), (T.mjGEOM_ELLIPSOID, T.mjGEOM_CYLINDER), (T.mjGEOM_ELLIPSOID, T.mjGEOM_BOX),
    (T.mjGEOM_CYLINDER,), (T.mjGEOM_CYLINDER, T.mjGEOM_BOX))}


def scenes():
    """Name and path of every scene compared."""
    return {**own(), **packages()}


def is_convex(model, contact):
    """Whether the contact is of a pair for the convex collider."""
    return frozenset(T(t) for t in model.geom_type[contact.geom]) in CONVEX


def tighten(model, tolerance=1e-12):
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    model.opt.tolerance, model.opt.iterations = tolerance, 1000
    model.opt.ls_tolerance, model.opt.ls_iterations = 1e-8, 200
    model.opt.ccd_tolerance = 1e-10
    return model


def load(path, tolerance=1e-12):
    return tighten(mujoco.MjModel.from_xml_path(path), tolerance)


def random_controls(model, n, rng):
    """n rows of controls, uniform in their range (-1..1 without one), held for 0.02 s each."""
    low, high = -np.ones(model.nu), np.ones(model.nu)
    limited = model.actuator_ctrllimited.astype(bool)
    low[limited], high[limited] = model.actuator_ctrlrange[limited].T
    hold = max(1, round(0.02 / model.opt.timestep))
    rows = rng.uniform(low, high, (n // hold + 1, model.nu))
    return np.repeat(rows, hold, axis=0)[:n]


def drive(model, seed, seconds=1.0, settle=0.5, until_touching=False):
    """Data after 0.5 s without controls and then driven motion: random controls, and for scenes without actuators a toss at
    the start and a new push on the first body every 0.1 s, of about its weight and off its center. until_touching: the
    controls go on, from their first row, until something touches, at most for as long again."""
    rng = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    n = round(seconds / model.opt.timestep)
    controls = random_controls(model, n, rng)
    push = max(1, round(0.1 / model.opt.timestep))
    if model.nu == 0:
        toss = np.full(model.nv, 0.6)
        for joint in np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE):
            toss[model.jnt_dofadr[joint] + np.arange(3, 6)] = 6
        data.qvel[:] = rng.normal(size=model.nv) * toss
    else:
        for k in range(round(settle / model.opt.timestep)):
            mujoco.mj_step(model, data)
    for k in range(n):
        if model.nu == 0 and model.nbody > 1 and k % push == 0:
            weight = 9.81 * model.body_mass[1]
            force = weight * (rng.normal(size=3) * (0.5, 0.5, 0.2) - (0, 0, 0.3))
            data.xfrc_applied[1] = np.concatenate([force, 0.03 * weight * rng.normal(size=3)])
        data.ctrl[:] = controls[k]
        mujoco.mj_step(model, data)
    for k in range(round(seconds / model.opt.timestep) if until_touching else 0):
        if any(c.efc_address >= 0 for c in data.contact):
            break
        data.ctrl[:] = controls[k]
        mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
    data.xfrc_applied[:] = 0
    warned = [str(mujoco.mjtWarning(i)) for i, w in enumerate(data.warning) if w.number]
    if warned:
        raise RuntimeError(f"MuJoCo's own run warns: {', '.join(warned)}")
    return data


def written(name):
    """A name as it stands in a path of the contract."""
    for letter, code in (("%", "%25"), ("/", "%2F"), ("*", "%2A"), (",", "%2C"), (" ", "%20")):
        name = name.replace(letter, code)
    return name


def vv(arguments, allowed=(0,), timeout=170):
    run = subprocess.run([VV, *map(str, arguments)], capture_output=True, text=True, timeout=timeout)
    if run.returncode not in allowed:
        said = run.stderr.strip()[-300:] or run.stdout.strip()[-300:]
        raise RuntimeError(f"vv {' '.join(map(str, arguments))}: exit {run.returncode}: {said}")
    return run.stdout


def write_state(path, data):
    keys = ("qpos", "qvel", "act", "mocap_pos", "mocap_quat")
    with open(path, "w") as file:
        json.dump({key: getattr(data, key).tolist() for key in keys if getattr(data, key).size}, file)


def write_rows(path, rows, header=None):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        if header:
            out.writerow(header)
        for row in rows:
            out.writerow([repr(float(x)) for x in row])


def read_trajectory(path):
    """Column names and rows of a TRAJ.csv."""
    with open(path) as file:
        head = file.readline().rstrip("\n").split(",")
        return head, np.loadtxt(file, delimiter=",", ndmin=2)


def columns(head, prefix):
    return [i for i, name in enumerate(head) if name.startswith(prefix)]


def copy_with(path, folder, tag, option):
    """The scene with an option of its own after all others; what it includes is linked beside."""
    text = open(path).read()
    end = text.rindex("</mujoco>")
    name = os.path.join(folder, tag + os.path.basename(path))
    with open(name, "w") as file:
        file.write(text[:end] + option + text[end:])
    here = os.path.dirname(path)
    for part in ("common", "parts"):
        if os.path.isdir(os.path.join(here, part)) and not os.path.exists(os.path.join(folder, part)):
            os.symlink(os.path.join(here, part), os.path.join(folder, part))
    return name
