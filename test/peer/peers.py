#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""make peers: motion and gradients beside MuJoCo 4.0.0 (parity.py and gradient.py say what is compared).

usage: peers.py [parity|gradient] [SCENE...]
Writes BUILD/peers/parity.json and gradient.json; ends with "N passed, N failed, N skipped"; exit 1 on a failure.
"""
import concurrent.futures
import json
import os
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import gradient  # noqa: E402
import parity  # noqa: E402
import peer  # noqa: E402

# Where the 50-step rollouts begin: seeds, seconds of driven motion before, numbers taken for MuJoCo's ladder. Seeds are
# those of fourteen for which contacts and ladder of MuJoCo's rollout stand stillest.
STARTS = {"cube": ((3, 13), 1.0, 16), "pendulum": ((0, 1), 0.5, 12), "half_cheetah": ((6, 7), 1.0, 24),
          "joints": ((1, 4), 0.3, 30), "pairs_pyramidal": ((4, 5), 1.0, 24), "pairs_elliptic": ((1, 4), 1.0, 24),
          "creature": ((0, 2), 0.5, 30), "pile": ((0, 11), 0.4, 24)}


def run(job):
    kind, name, path = job
    began = time.time()
    result = parity.scene(name, path) if kind == "parity" else gradient.scene(name, path, *STARTS[name])
    result["seconds"] = time.time() - began
    return kind, result


def write(kind, results):
    folder = os.path.join(peer.BUILD, "peers")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, kind + ".json"), "w") as file:
        json.dump(results, file, indent=1)


def main():
    words = sys.argv[1:]
    kinds = [w for w in words if w in ("parity", "gradient")] or ["parity", "gradient"]
    names = [w for w in words if w not in ("parity", "gradient")]
    try:
        scenes = peer.scenes()
    except FileNotFoundError as error:
        print(f"peers: {error}\n0 passed, 1 failed, 0 skipped")
        return 1
    unknown = [n for n in names if n not in scenes]
    if unknown:
        print(f"peers: no scene {unknown[0]}; there are {', '.join(scenes)}\n0 passed, 1 failed, 0 skipped")
        return 1
    heads = {"parity": parity.HEAD, "gradient": gradient.HEAD}
    jobs = [(kind, name, path) for kind in kinds for name, path in scenes.items() if not names or name in names]
    results = {kind: [] for kind in kinds}
    began = time.time()
    with concurrent.futures.ProcessPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        for kind, result in pool.map(run, jobs):
            if not results[kind]:
                print(("\n" if kind != kinds[0] else "") + heads[kind])
            results[kind].append(result)
            print((parity if kind == "parity" else gradient).line(result), flush=True)
    for kind in kinds:
        write(kind, results[kind])
    all_results = [r for kind in kinds for r in results[kind]]
    failed = sum(bool(r["failures"]) for r in all_results)
    print(f"{time.time() - began:.0f} s; MuJoCo {peer.mujoco.__version__}, Newton, tolerance 1e-12 (compared: 0), "
          "1000 iterations, ls_tolerance 1e-8, ccd_tolerance 1e-10")
    print(f"{len(all_results) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
