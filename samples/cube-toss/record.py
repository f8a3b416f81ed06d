#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Makes demo.csv, the recording that the demo fits: tosses of a cube simulated by MuJoCo.

usage: record.py [demo.csv]          needs: pip install mujoco==4.0.0 numpy

The recorded cube is not the model that is fitted: other friction, stiffness, damping and inertia; torsional and rolling
friction; pyramidal cones; a quarter of the step; a table softer than the cube; and noise of a motion capture on every
sample: 0.3 mm, 3 mrad, 1 cm/s, 0.05 rad/s (standard deviations).
"""
import sys

import mujoco
import numpy as np

RATE, TOSSES, SECONDS, SEED = 148, 24, 0.7, 7
XML = """<mujoco><option timestep="{step}" integrator="implicitfast" cone="pyramidal" impratio="3"/>
<worldbody><geom type="plane" size="5 5 1" friction="0.21 0.004 0.0003" solref="0.014 0.8" solimp="0.7 0.93 0.003" condim="6"/>
<body><freejoint/><inertial pos="0 0 0" mass="0.37" diaginertia="9.6e-4 9.6e-4 9.6e-4"/>
<geom type="box" size="0.0524 0.0524 0.0524" friction="0.21 0.004 0.0003" solref="0.010 0.6" solimp="0.7 0.93 0.003"
      condim="6"/></body></worldbody></mujoco>"""


def random_unit(rng, n):
    x = rng.normal(size=n)
    return x / np.linalg.norm(x)


def rotate_by(q, r):
    """q times the rotation vector r (body axes)."""
    out = q.copy()
    mujoco.mju_quatIntegrate(out, r, 1.0)
    return out


def toss(model, rng):
    """Rows t x y z qw qx qy qz vx vy vz wx wy wz of one toss, without noise."""
    data = mujoco.MjData(model)
    data.qpos[:3] = [rng.uniform(-0.2, 0.2), rng.uniform(-0.2, 0.2), rng.uniform(0.11, 0.2)]
    data.qpos[3:7] = random_unit(rng, 4)
    heading = rng.uniform(0, 2 * np.pi)
    speed = rng.uniform(0.5, 1.5)
    data.qvel[:3] = [speed * np.cos(heading), speed * np.sin(heading), rng.uniform(-0.5, 0.3)]
    data.qvel[3:6] = rng.uniform(1, 6) * random_unit(rng, 3)
    rows = []
    per_sample = round(1 / RATE / model.opt.timestep)
    for k in range(round(SECONDS * RATE)):
        rows.append(np.concatenate([[k / RATE], data.qpos, data.qvel]))
        mujoco.mj_step(model, data, per_sample)
    return np.array(rows)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "demo.csv"
    rng = np.random.default_rng(SEED)
    model = mujoco.MjModel.from_xml_string(XML.format(step=1 / RATE / 16))
    with open(path, "w") as out:
        out.write("toss,t,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n")
        for number in range(TOSSES):
            for row in toss(model, rng):
                row[1:4] += 3e-4 * rng.normal(size=3)
                row[4:8] = rotate_by(row[4:8], 3e-3 * rng.normal(size=3))
                row[8:11] += 1e-2 * rng.normal(size=3)
                row[11:14] += 5e-2 * rng.normal(size=3)
                fields = [f"{row[0]:.6f}"] + [f"{x:.5f}" for x in row[1:4]] + [f"{x:.6f}" for x in row[4:8]]
                out.write(f"{number}," + ",".join(fields + [f"{x:.4f}" for x in row[8:]]) + "\n")


if __name__ == "__main__":
    main()
