#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""The price of generated reverse derivatives: time(f_vjp) / time(f), forward included, -O3, one thread.

usage: price.py [--build build] [--json OUT]

Runs build/bench/price, prints its table and holds it to the bounds: no ratio above 4, the median at most 3.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST, MEDIAN = 4.0, 3.0


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--build", default=os.path.join(ROOT, "build"))
    ap.add_argument("--json")
    a = ap.parse_args()
    subprocess.run(["cmake", "--build", a.build, "--target", "price", "--", "--quiet"], check=True)
    out = json.loads(subprocess.run([os.path.join(a.build, "bench", "price")], capture_output=True, text=True, check=True).stdout)
    print(f"{'kernel':<40}{'f':>11}{'f_vjp':>11}{'ratio':>7}{'tape':>9}   by hand")
    failed = 0
    for k in out["kernels"]:
        hand = f"{k['hand_us']:.2f} us" if "hand_us" in k else ""
        over = "" if k["ratio"] <= MOST else f"  above {MOST:g}"
        failed += bool(over)
        print(f"{k['name']:<40}{k['f_us']:>8.2f} us{k['vjp_us']:>8.2f} us{k['ratio']:>7.2f}{k['tape_bytes']:>9}   {hand}{over}")
    median = statistics.median(k["ratio"] for k in out["kernels"])
    failed += median > MEDIAN
    print(f"median {median:.2f} ({out['precision']})" + ("" if median <= MEDIAN else f"  above {MEDIAN:g}"))
    if a.json:
        with open(a.json, "w") as f:
            json.dump(out, f, indent=1)
    print(f"{len(out['kernels']) + 1 - failed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
