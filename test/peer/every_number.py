#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Every differentiable number of every scene in test/scenes is checked, and every kind of number moves something.

Each scene runs twice: from its own state, so that gradients include the path through it, and from a driven one. The loss
is a seeded linear functional of everything a trajectory holds (qpos, qvel, act, sensors) at every step. `vv check` on
all numbers, controls and initial states must know no mismatch. Over all scenes, each kind of number (element, attribute,
index) that is called differentiable must have had a gradient that is not exactly 0; else either it is differentiable in
name only, or no scene exercises it, and its silence proves nothing. STILL lists exceptions with reasons.

Not part of the test run: it takes minutes and does not pass yet (docs/parity.md).

usage: every_number.py [SCENE...]; with scenes named, kinds without effect are only listed.
"""
import concurrent.futures
import json
import os
import sys
import tempfile

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402

import gradient  # noqa: E402
import models  # noqa: E402
import peer  # noqa: E402

STEPS = 20
STILL = {}  # kind: why its gradient is exactly 0 in all scenes


def kind(name):
    """Element, attribute and index of a number, without the element's name."""
    parts = name.split("/")
    return "/".join(parts if parts[0] == "opt" else parts[:1] + parts[2:])


def inputs(path, model, driven, folder):
    """Arguments of vv grad and vv check: controls, weights of the loss, initial state."""
    rng = np.random.default_rng(7)
    table, controls, weights = (os.path.join(folder, n) for n in ("t.csv", "u.csv", "w.csv"))
    args = [path, "--steps", STEPS]
    if model.nu:
        peer.write_rows(controls, 1.3 * peer.random_controls(model, STEPS, rng))  # some beyond their range
        args += ["--ctrl", controls]
    if driven:
        peer.write_state(os.path.join(folder, "s.json"), peer.drive(model, 3, 0.4, 0))
        args += ["--init", os.path.join(folder, "s.json")]
    peer.vv(["run", *args, "--out", table])
    head, rows = peer.read_trajectory(table)
    head, rows = head[1:], rows[:, 1:]
    size = np.maximum(1, np.abs(rows).max(axis=0, initial=0))
    values = rng.standard_normal(rows.shape) / size
    peer.write_rows(weights, np.column_stack([np.arange(len(rows)), values]), ["step", *head])
    return args + ["--loss", "linear:" + weights]


def value_of(found, name):
    """Gradient of a number, which may stand in the list of its attribute."""
    if name in found:
        return max(map(abs, flat(found[name])))
    whole, index = name.rsplit("/", 1)
    return abs(found[whole][int(index)])


def flat(value):
    return [x for v in value for x in flat(v)] if isinstance(value, list) else [value]


def one(job):
    """Verdicts of one rollout and, for each kind of number, the largest |gradient|."""
    name, path, driven = job
    result = {"scene": name, "driven": driven, "kinds": {}, "failures": [], "verdicts": {}}
    try:
        model = peer.load(path)
        names = sorted(n for n in gradient.numbers(path) if not n.startswith("default/"))
        with tempfile.TemporaryDirectory() as folder:
            args = inputs(path, model, driven, folder)
            out = os.path.join(folder, "g.json")
            wrt = ",".join(gradient.state_names(model) + gradient.patterns(names))
            peer.vv(["grad", *args, "--wrt", wrt, "--out", out])
            with open(out) as file:
                found = json.load(file)["grad"]
            check = gradient.own_check(args, wrt)
        for n in names:
            result["kinds"][kind(n)] = max(result["kinds"].get(kind(n), 0.0), value_of(found, n))
        result["verdicts"] = check["verdicts"]
        result["failures"] = check["wrong"]
    except Exception as error:  # this scene is reported as failed, the others go on
        result["failures"] = [f"{type(error).__name__}: {error}"]
    return result


def main():
    scenes = {n: p for n, p in models.own().items() if not sys.argv[1:] or n in sys.argv[1:]}
    jobs = [(n, p, driven) for n, p in scenes.items() for driven in (False, True)]
    kinds, failed, passed = {}, 0, 0
    with concurrent.futures.ProcessPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        for r in pool.map(one, jobs):
            words = ", ".join(f"{n} {word}" for word, n in sorted(r["verdicts"].items()))
            print(f"{r['scene']:20} {'driven' if r['driven'] else 'own':7} {words or 'FAILED'}", flush=True)
            for f in r["failures"]:
                print(f"  FAILED {f}")
            failed += bool(r["failures"])
            passed += not r["failures"]
            for k, size in r["kinds"].items():
                kinds[k] = max(kinds.get(k, 0.0), size)
    for k, size in sorted(kinds.items()):
        still = size == 0
        if still != (k in STILL):
            print(f"{'no effect anywhere' if still else 'has an effect, but is listed in STILL'}: {k}")
        if not sys.argv[1:]:
            failed += still != (k in STILL)
            passed += still == (k in STILL)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
