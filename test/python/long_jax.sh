#!/bin/sh
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# long_jax.sh: the JAX layer (`make test-jax`). Its environment is kept in the build; where the packages cannot be
# fetched, it is skipped.

set -eu
cd "$VV_ROOT"
venv="$VV_BUILD/python-jax"
if ! VV_JAX=1 scripts/python_package.sh "$venv" jax >"$VV_BUILD/python-jax.log" 2>&1; then
  tail -n 3 "$VV_BUILD/python-jax.log"
  if [ -f "$venv/sources" ] || grep -qx jax "$venv/packages"; then exit 1; fi
  echo "jax could not be installed"
  exit 77
fi
cd test/python
"$venv/bin/python" -m pytest -q jax_checks.py | tee "$venv/log" || true
tail -n 1 "$venv/log" | sed -n 's/^\([0-9]*\) passed.*/\1 passed, 0 failed, 0 skipped/p' | grep . && exit 0
exit 1
