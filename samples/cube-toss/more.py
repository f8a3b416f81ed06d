#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""What further numbers of the real cube buy: the table of docs/real-data.md.

usage: more.py TOSSES.csv OUT [NAME ...]        uses build/vv, or the program in the environment variable VV

Each problem frees the seven numbers of real.yaml, started at their fitted values, and some more; it is written to
OUT/NAME.yaml, fitted on all windows, and its errors and doubts are printed.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VV = os.environ.get("VV", os.path.join(HERE, "..", "..", "build", "vv"))
HEAD = """scene: {scene}
recording: {{time: t, episode: toss}}
signals:
  body/cube/pos: {{columns: [x, y, z], weight: 22.4}}
  body/cube/quat: {{columns: [qw, qx, qy, qz]}}
initial:
  body/cube/linvel: [vx, vy, vz]
  body/cube/angvel: [wx, wy, wz]
windows: {{samples: 20, hop: 10}}
held_out: {{episodes: "toss % 5 == 1"}}
free:
"""
CONTACT = """  default/cube/geom/friction/0: {start: 0.19, min: 0.01, max: 2}
  default/cube/geom/solref/0: {start: 0.01, min: 0.0035, max: 0.2}
  default/cube/geom/solref/1: {start: 0.77, min: 0.05, max: 3}
  default/cube/geom/solimp/0: {start: 0.01, min: 0.01, max: 0.98}
  default/cube/geom/solimp/1: {start: 0.154, min: 0.02, max: 0.99}
  default/cube/geom/solimp/2: {start: 0.005, min: 1.0e-4, max: 0.02}
"""
INERTIA = "  body/cube/diaginertia/*: {start: 1.09e-3, min: 2.43e-4, max: 2.43e-3}\n"
INERTIA_FULL = """  body/cube/fullinertia:
    {start: [1.09e-3, 1.09e-3, 1.09e-3, 0, 0, 0], min: [2e-4, 2e-4, 2e-4, -1e-3, -1e-3, -1e-3], max: 2.43e-3}
"""
IPOS = "  body/cube/ipos: {start: [0, 0, 0], min: -0.02, max: 0.02}\n"
TEN = """  body/cube/mass: {start: 0.37}
  body/cube/ipos: {start: [0, 0, 0]}
  body/cube/fullinertia: {start: [1.09e-3, 1.09e-3, 1.09e-3, 0, 0, 0]}
"""
IMPRATIO = "  opt/impratio: {start: 1, min: 0.05, max: 50, scale: log}\n"
SIZE = "  geom/cube/size: {start: [0.0524, 0.0524, 0.0524], min: 0.045, max: 0.06}\n"
TURNING = """  default/cube/geom/friction/1: {start: 0.002, min: 1.0e-5, max: 0.1, scale: log}
  default/cube/geom/friction/2: {start: 0.0005, min: 1.0e-5, max: 0.1, scale: log}
"""
SHAPE = """  default/cube/geom/solimp/3: {start: 0.5, min: 0.05, max: 0.95}
  default/cube/geom/solimp/4: {start: 2, min: 1, max: 6}
"""
PROBLEMS = {
    "seven": ("cube.xml", CONTACT + INERTIA),
    "impratio": ("cube.xml", CONTACT + INERTIA + IMPRATIO),
    "size": ("cube.xml", CONTACT + INERTIA + SIZE),
    "impedance": ("cube.xml", CONTACT + INERTIA + SHAPE),
    "turning": ("cube-more.xml", CONTACT + INERTIA_FULL + TURNING),
    "nine": ("cube-more.xml", CONTACT + INERTIA_FULL + IPOS),
    "ten": ("cube-more.xml", CONTACT + TEN),
    "all": ("cube-more.xml", CONTACT + TEN + IMPRATIO + SIZE + TURNING),
}


def main():
    recording, out = sys.argv[1], sys.argv[2]
    os.makedirs(out, exist_ok=True)
    for name in sys.argv[3:] or PROBLEMS:
        scene, free = PROBLEMS[name]
        path = os.path.join(out, name + ".yaml")
        with open(path, "w") as file:
            file.write(HEAD.format(scene=os.path.join(HERE, scene)) + free)
        run = subprocess.run([VV, "fit", path, "--recording", recording, "--out", os.path.join(out, name), "--json"],
                             capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(run.stderr)
        report = json.loads(run.stdout)
        print(f"{name}: {len(report['numbers'])} numbers, {report['seconds']:.0f} s")
        for which in ("fitted", "held_out"):
            e = report["error"][which]
            print(f"  {which:9} {1e3 * e['body/cube/pos']:.4f} mm  {e['body/cube/quat']:.5f} rad")
        for x in report["numbers"]:
            error = "at its bound" if x["at_bound"] else x["standard_error"]
            print(f"  {x['name']:32} {x['value']:.6g}  ({error})")
        for c in report["correlations"]:
            if abs(c["r"]) > 0.9:
                print(f"  correlation {c['r']:.3f}: {c['numbers'][0]}, {c['numbers'][1]}")
        for d in report["unidentifiable"]:
            print(f"  not determined: {d}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
