#!/bin/sh
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# long_torch.sh: the PyTorch layer (`make test-torch`). Its environment is kept in the build; where the packages cannot be
# fetched, it is skipped.

set -eu
cd "$VV_ROOT"
venv="$VV_BUILD/python-torch"
if ! scripts/python_package.sh "$venv" torch >"$VV_BUILD/python-torch.log" 2>&1; then
  tail -n 3 "$VV_BUILD/python-torch.log"
  if [ -f "$venv/sources" ] || grep -qx torch "$venv/packages"; then exit 1; fi
  echo "torch could not be installed"
  exit 77
fi
cd test/python
"$venv/bin/python" -m pytest -q torch_checks.py | tee "$venv/log" || true
tail -n 1 "$venv/log" | sed -n 's/^\([0-9]*\) passed.*/\1 passed, 0 failed, 0 skipped/p' | grep . && exit 0
exit 1
