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
import importlib.util
import json
import os
import subprocess

import mujoco
import numpy as np

ROOT = os.environ.get("VV_ROOT") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ.get("VV_BUILD") or os.path.join(ROOT, "build")
VV = os.environ.get("VV") or os.path.join(BUILD, "vv")
EXACT = 1e-30
OWN = ("joints", "pairs_pyramidal", "pairs_elliptic", "creature", "pile")


def package_file(package, *parts):
    """A file inside an installed package, without importing it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(f"the Python package {package} is not installed")
    return os.path.join(list(spec.submodule_search_locations)[0], *parts)


def scenes():
    """Name and path of every scene compared."""
    out = {"cube": os.path.join(ROOT, "test", "scenes", "cube.xml"),
           "pendulum": package_file("dm_control", "suite", "pendulum.xml"),
           "half_cheetah": package_file("gymnasium", "envs", "mujoco", "assets", "half_cheetah.xml")}
    out.update({name: os.path.join(ROOT, "test", "scenes", name + ".xml") for name in OWN})
    return out


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


def drive(model, seed, seconds=1.0):
    """Data after driven motion: random controls, and for bodies without actuators a new push every 0.1 s of about the
    weight, off the center, and at the start a toss."""
    rng = np.random.default_rng(seed)
    data = mujoco.MjData(model)
    n = round(seconds / model.opt.timestep)
    controls = random_controls(model, n, rng)
    push = max(1, round(0.1 / model.opt.timestep))
    if model.nu == 0:
        data.qvel[:] = rng.normal(size=model.nv) * np.array([0.6, 0.6, 0.6, 6, 6, 6])
    for k in range(n):
        if model.nu == 0 and k % push == 0:
            weight = 9.81 * model.body_mass[1]
            force = weight * (rng.normal(size=3) * (0.5, 0.5, 0.2) - (0, 0, 0.3))
            data.xfrc_applied[1] = np.concatenate([force, 0.03 * weight * rng.normal(size=3)])
        data.ctrl[:] = controls[k]
        mujoco.mj_step(model, data)
    data.xfrc_applied[:] = 0
    return data


def vv(arguments, allowed=(0,), timeout=170):
    run = subprocess.run([VV, *map(str, arguments)], capture_output=True, text=True, timeout=timeout)
    if run.returncode not in allowed:
        said = run.stderr.strip()[-300:] or run.stdout.strip()[-300:]
        raise RuntimeError(f"vv {' '.join(map(str, arguments))}: exit {run.returncode}: {said}")
    return run.stdout


def write_state(path, data):
    with open(path, "w") as file:
        json.dump({"qpos": data.qpos.tolist(), "qvel": data.qvel.tolist()}, file)


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


def copy_without_contacts(path, folder):
    """The scene with contacts disabled by an option of its own after all others; what it includes is linked beside."""
    text = open(path).read()
    end = text.rindex("</mujoco>")
    name = os.path.join(folder, "free_" + os.path.basename(path))
    with open(name, "w") as file:
        file.write(text[:end] + '<option><flag contact="disable"/></option>' + text[end:])
    here = os.path.dirname(path)
    for part in ("common", "parts"):
        if os.path.isdir(os.path.join(here, part)) and not os.path.exists(os.path.join(folder, part)):
            os.symlink(os.path.join(here, part), os.path.join(folder, part))
    return name
