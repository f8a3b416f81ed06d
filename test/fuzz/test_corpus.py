#!/usr/bin/env python3
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
"""Replays the fuzzers' corpus and all scenes of test/ in the sanitizer build: no crash, leak or hang."""
import glob
import os
import subprocess
import sys

ROOT, BUILD = os.environ["VV_ROOT"], os.environ["VV_BUILD"]
program = os.path.join(BUILD, "asan", "test", "fuzz_mjcf")
files = sorted(glob.glob(os.path.join(ROOT, "test", "fuzz", "corpus", "*")))
files += sorted(glob.glob(os.path.join(ROOT, "test", "scenes", "*.xml")) + glob.glob(os.path.join(ROOT, "test", "cases", "*.xml")))
if not os.path.exists(program):
    print(f"{program} is not built")
    sys.exit(1)
passed = failed = 0
for first in range(0, len(files), 50):
    batch = files[first:first + 50]
    run = subprocess.run([program, "-timeout=20", "-rss_limit_mb=3000", *batch], capture_output=True, text=True, errors="replace")
    done = run.stderr.count("Executed ")
    passed += done
    if run.returncode != 0 or done != len(batch):
        failed += 1
        print(f"{batch[min(done, len(batch) - 1)]}: exit {run.returncode}\n{run.stderr[-2000:]}")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
