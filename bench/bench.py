#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Speed beside MuJoCo, one thread, both engines on the same states: `make bench`.

usage: bench.py [--rounds 7] [--only NAME] [--json OUT]

For each scene a motion is simulated with seeded controls; then, in alternating rounds, `vv run` repeats it and MuJoCo
replays it in pieces of 20 steps from the recorded states (positions, velocities, warm starts) under the same controls,
through `mujoco.rollout`. MuJoCo runs as the file says, with its default tolerance. Seconds are those of the computing
thread, so that other programs on the machine count less. Both scaled residuals
|M a + c - tau - J' f| / (1 + |tau| + |c| + |J' f|) are printed: ours at its largest step, MuJoCo's over a sample of the
states. `vv bench` gives the price of a gradient; the first gradient is timed from the start of a process.
Scenes marked (Euler) have their integrator replaced. A bound that is not held counts as failed.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "peer"))
import peer  # noqa: E402
import pile  # noqa: E402
import mujoco  # noqa: E402
import numpy as np  # noqa: E402
from mujoco import rollout  # noqa: E402

PIECE = 20
# Over MuJoCo's steps per second: each scene, and the geometric mean of those of MEAN.
SPEED_BOUND, MEAN_BOUND, GRADIENT_BOUND, FIRST_BOUND = 1.0, 1.2, 3.0, 0.2
MEAN = ("cartpole", "hopper", "half_cheetah", "ant", "humanoid", "pile")


def scenes(folder):
    """Name, path and steps of each scene."""
    every = peer.scenes()
    out = {"cartpole": (every["dm/cartpole"], 4000)}
    for name in ("hopper", "half_cheetah", "ant"):
        out[name] = (every["gym/" + name], 4000)
    out["humanoid"] = (every["dm/humanoid"], 4000)
    for name in ("cartpole", "hopper", "ant"):
        euler = peer.copy_with(out[name][0], folder, "euler_", '<option integrator="Euler"/>\n')
        out[name + " (Euler)"] = (euler, 4000)
    path = os.path.join(folder, "pile.xml")
    with open(path, "w") as file:
        file.write(pile.text())
    out["pile"] = (path, 1500)
    out["cube"] = (every["cube"], 4000)
    return out


def initial_state(model):
    data = mujoco.MjData(model)
    if model.nu == 0 and model.nv == 6:  # a toss that tumbles and comes to rest
        data.qvel[:] = [0.5, 0.3, 0.5, 4, -3, 2]
        data.qpos[2] += 0.15
    return data


def residual(model, data):
    """MuJoCo's scaled residual at the acceleration that mj_forward left in data."""
    force = np.zeros(model.nv)
    mujoco.mj_mulM(model, data, force, data.qacc)
    tau = data.qfrc_passive + data.qfrc_actuator + data.qfrc_applied
    r = force + data.qfrc_bias - tau - data.qfrc_constraint
    top = lambda x: np.abs(x).max()
    return top(r) / (1 + top(tau) + top(data.qfrc_bias) + top(data.qfrc_constraint))


class Replay:
    """The recorded motion, as pieces for mujoco.rollout."""

    def __init__(self, path, head, rows, controls, warm):
        self.model = mujoco.MjModel.from_xml_path(path)
        self.data = mujoco.MjData(self.model)
        m, n = self.model, len(controls) // PIECE
        q, v = rows[:, peer.columns(head, "qpos[")], rows[:, peer.columns(head, "qvel[")]
        starts = np.arange(n) * PIECE
        self.state = np.zeros((n, mujoco.mj_stateSize(m, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
        self.state[:, 1:1 + m.nq] = q[starts]
        self.state[:, 1 + m.nq:1 + m.nq + m.nv] = v[starts]
        self.control = controls[:n * PIECE].reshape(n, PIECE, m.nu)
        self.warm = warm[starts]
        self.q, self.v, self.u, self.all_warm = q, v, controls, warm

    def seconds_per_step(self):
        begin = time.thread_time()
        rollout.rollout(self.model, self.data, self.state, self.control if self.model.nu else None, nstep=PIECE,
                        initial_warmstart=self.warm)
        return (time.thread_time() - begin) / (len(self.state) * PIECE)

    def sample(self, count=200):
        """Largest residual, mean contacts and mean iterations over states of the motion."""
        worst, contacts, iterations = 0.0, [], []
        for k in np.linspace(0, len(self.u) - 1, count).astype(int):
            self.data.qpos[:], self.data.qvel[:], self.data.ctrl[:] = self.q[k], self.v[k], self.u[k]
            self.data.qacc_warmstart[:] = self.all_warm[k]
            mujoco.mj_forward(self.model, self.data)
            worst = max(worst, residual(self.model, self.data))
            contacts.append(self.data.ncon)
            iterations.append(self.data.solver_niter.max())
        return worst, float(np.mean(contacts)), float(np.mean(iterations))


def measure(name, path, steps, rounds, folder):
    model = mujoco.MjModel.from_xml_path(path)
    rng = np.random.default_rng(0)
    controls = peer.random_controls(model, steps, rng)
    init, rows_file, traj = (os.path.join(folder, f"run.{end}") for end in ("json", "ctrl.csv", "traj.csv"))
    peer.write_state(init, initial_state(model))
    run = ["run", path, "--steps", steps, "--init", init, "--json", "--threads", 1]
    if model.nu:
        peer.write_rows(rows_file, controls)
        run += ["--ctrl", rows_file]
    peer.vv(run + ["--out", traj])
    head, rows = peer.read_trajectory(traj)
    v = rows[:, peer.columns(head, "qvel[")]
    warm = np.vstack([np.zeros(model.nv), np.diff(v, axis=0)[:-1] / model.opt.timestep])
    replay = Replay(path, head, rows, controls, warm)
    ours, theirs = [], []
    for _ in range(rounds):
        said = json.loads(peer.vv(run))
        ours.append(said["steps_per_second"])
        theirs.append(1 / replay.seconds_per_step())
    ratios = np.array(ours) / np.array(theirs)
    their_residual, contacts, iterations = replay.sample()
    gradient = json.loads(peer.vv(["bench", path, "--json", "--threads", 1], timeout=900))["scenes"][0]
    return {"scene": name, "steps": steps, "contacts_mean": contacts, "ours_steps_per_second": float(np.median(ours)),
            "mujoco_steps_per_second": float(np.median(theirs)), "speed_over_mujoco": float(np.median(ratios)),
            "ratio_min": float(ratios.min()), "ratio_max": float(ratios.max()), "residual_max": said["residual_max"],
            "mujoco_residual_max": their_residual, "mujoco_iterations_mean": iterations, **{
                key: gradient[key] for key in ("gradient_over_forward", "gradient_with_model_over_forward",
                                               "jacobian_over_step")}}


def first_gradient(path, folder):
    """Seconds from the start of a process to a gradient of 100 steps on disk, the least of five."""
    out = os.path.join(folder, "g.json")
    command = [peer.VV, "grad", path, "--steps", "100", "--loss", "final:energy/kinetic", "--wrt", "qvel0", "--out", out]
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - begin)
    return min(times)


def report(name, r):
    """Prints a scene's figures; how many bounds were not held."""
    print(f"{name}: {r['ours_steps_per_second']:,.0f} steps/s, MuJoCo {r['mujoco_steps_per_second']:,.0f}: "
          f"{r['speed_over_mujoco']:.2f} x ({r['ratio_min']:.2f}-{r['ratio_max']:.2f}); "
          f"{r['contacts_mean']:.1f} contacts, MuJoCo's iterations "
          f"{r['mujoco_iterations_mean']:.2f}")
    print(f"  residual {r['residual_max']:.1e}, MuJoCo {r['mujoco_residual_max']:.1e}; gradient/forward "
          f"{r['gradient_over_forward']:.2f}, with the model's numbers {r['gradient_with_model_over_forward']:.2f}, over "
          f"MuJoCo's forward {r['gradient_over_forward'] / r['speed_over_mujoco']:.2f}; Jacobian/step "
          f"{r['jacobian_over_step']:.2f}; first gradient {r['first_gradient_s']:.3f} s", flush=True)
    bounds = {"speed": r["speed_over_mujoco"] >= SPEED_BOUND,
              "residual": r["residual_max"] <= max(r["mujoco_residual_max"], 1e-10),
              "gradient": r["gradient_over_forward"] <= GRADIENT_BOUND,
              "first gradient": r["first_gradient_s"] < FIRST_BOUND or name == "pile"}
    failed = [what for what, held in bounds.items() if not held]
    for what in failed:
        print(f"  FAIL {what} is over its bound")
    return len(bounds), len(failed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", help="scenes whose name contains this")
    parser.add_argument("--json", default=os.path.join(peer.BUILD, "bench.json"))
    a = parser.parse_args()
    results, count, failed = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (path, steps) in scenes(folder).items():
            if a.only and a.only not in name:
                continue
            try:
                r = measure(name, path, steps, a.rounds, folder)
                r["first_gradient_s"] = first_gradient(path, folder)
            except RuntimeError as error:
                print(f"{name}: FAIL {error}", flush=True)
                count, failed = count + 1, failed + 1
                continue
            results.append(r)
            more, bad = report(name, r)
            count, failed = count + more, failed + bad
    ratios = [r["speed_over_mujoco"] for r in results if r["scene"] in MEAN]
    if ratios:
        mean = float(np.exp(np.mean(np.log(ratios))))
        count, failed = count + 1, failed + (mean < MEAN_BOUND)
        print(f"geometric mean of {len(ratios)} scenes: {mean:.2f} x MuJoCo's steps per second")
    with open(a.json, "w") as file:
        json.dump(results, file, indent=1)
    print(f"{count - failed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
