#!/bin/sh
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# long_package.sh: the Python package, installed as a user would, and its tests. More packages than NumPy are not needed.

set -eu
cd "$VV_ROOT"
scripts/python_package.sh "$VV_BUILD/python"
cd test/python
"$VV_BUILD/python/bin/python" -m pytest -q model_checks.py |
  tee "$VV_BUILD/python/log" || true
tail -n 1 "$VV_BUILD/python/log" | sed -n 's/^\([0-9]*\) passed.*/\1 passed, 0 failed, 0 skipped/p' | grep . && exit 0
exit 1
