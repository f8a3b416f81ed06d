#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Speed beside MuJoCo, one thread, both engines on the same states: `make bench`.

usage: bench.py [--steps 4000] [--rounds 7] [--json OUT]

For each scene a motion is simulated with seeded controls; then, in alternating rounds, `vv run` repeats it and MuJoCo
replays it in pieces of 20 steps from the recorded states (positions, velocities, warm starts) under the same controls,
through `mujoco.rollout`. MuJoCo runs as the file says, with its default tolerance. Both scaled residuals
|M a + c - tau - J' f| / (1 + |tau| + |c| + |J' f|) are printed: ours at its largest step, MuJoCo's over a sample of the
states. `vv bench` gives the price of a gradient; the first gradient is timed from the start of a process.
A bound that is not held counts as failed.
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
import mujoco  # noqa: E402
import numpy as np  # noqa: E402
from mujoco import rollout  # noqa: E402

PIECE = 20
STEP_BOUND, GRADIENT_BOUND, FIRST_BOUND = 1.5, 4.0, 0.2


def scenes():
    every = peer.scenes()
    return {"half_cheetah": every["gym/half_cheetah"], "cube": every["cube"]}


def initial_state(model):
    data = mujoco.MjData(model)
    if model.nu == 0:  # a toss that tumbles and comes to rest
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
        self.q, self.v, self.u = q, v, controls

    def seconds_per_step(self):
        begin = time.perf_counter()
        rollout.rollout(self.model, self.data, self.state, self.control if self.model.nu else None, nstep=PIECE,
                        initial_warmstart=self.warm)
        return (time.perf_counter() - begin) / (len(self.state) * PIECE)

    def residual_max(self, sample=200):
        worst, contacts = 0.0, []
        for k in np.linspace(0, len(self.u) - 1, sample).astype(int):
            self.data.qpos[:], self.data.qvel[:], self.data.ctrl[:] = self.q[k], self.v[k], self.u[k]
            mujoco.mj_forward(self.model, self.data)
            worst = max(worst, residual(self.model, self.data))
            contacts.append(self.data.ncon)
        return worst, float(np.mean(contacts))


def measure(name, path, steps, rounds, folder):
    model = mujoco.MjModel.from_xml_path(path)
    rng = np.random.default_rng(0)
    controls = peer.random_controls(model, steps, rng)
    init, rows_file, traj = (os.path.join(folder, f"{name}.{end}") for end in ("json", "ctrl.csv", "traj.csv"))
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
        ours.append(1 / said["steps_per_second"])
        theirs.append(replay.seconds_per_step())
    ratios = np.array(ours) / np.array(theirs)
    their_residual, contacts = replay.residual_max()
    gradient = json.loads(peer.vv(["bench", path, "--json", "--threads", 1]))["scenes"][0]
    return {"scene": name, "steps": steps, "contacts_mean": contacts, "ours_steps_per_second": 1 / np.median(ours),
            "mujoco_steps_per_second": 1 / np.median(theirs), "time_over_mujoco": float(np.median(ratios)),
            "ratio_min": float(ratios.min()), "ratio_max": float(ratios.max()),
            "residual_max": said["residual_max"], "mujoco_residual_max": their_residual, **{
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", default=os.path.join(peer.BUILD, "bench.json"))
    a = parser.parse_args()
    results, failed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, path in scenes().items():
            r = measure(name, path, a.steps, a.rounds, folder)
            r["first_gradient_s"] = first_gradient(path, folder)
            results.append(r)
            print(f"{name}: {r['ours_steps_per_second']:,.0f} steps/s, MuJoCo {r['mujoco_steps_per_second']:,.0f}; "
                  f"time a step {r['time_over_mujoco']:.2f} x MuJoCo's ({r['ratio_min']:.2f}-{r['ratio_max']:.2f}), "
                  f"{r['contacts_mean']:.1f} contacts")
            print(f"  residual {r['residual_max']:.1e}, MuJoCo {r['mujoco_residual_max']:.1e}; gradient/forward "
                  f"{r['gradient_over_forward']:.2f}, with the model's numbers "
                  f"{r['gradient_with_model_over_forward']:.2f}, Jacobian/step {r['jacobian_over_step']:.2f}; "
                  f"first gradient {r['first_gradient_s']:.3f} s")
            bounds = {"time a step": r["time_over_mujoco"] <= STEP_BOUND,
                      "residual": r["residual_max"] <= max(r["mujoco_residual_max"], 1e-10),
                      "gradient": r["gradient_over_forward"] <= GRADIENT_BOUND,
                      "first gradient": r["first_gradient_s"] < FIRST_BOUND}
            for what, held in bounds.items():
                if not held:
                    failed += 1
                    print(f"  FAIL {what} is over its bound")
    with open(a.json, "w") as file:
        json.dump(results, file, indent=1)
    print(f"{4 * len(results) - failed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
