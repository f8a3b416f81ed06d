#!/bin/sh
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# long_torch.sh: the PyTorch layer (`make test-torch`). The environment with PyTorch (gigabytes) is kept in the build.

set -eu
cd "$VV_ROOT"
scripts/python_package.sh "$VV_BUILD/python-torch" torch
cd test/python
"$VV_BUILD/python-torch/bin/python" -m pytest -q torch_checks.py | tee "$VV_BUILD/python-torch/log" || true
tail -n 1 "$VV_BUILD/python-torch/log" | sed -n 's/^\([0-9]*\) passed.*/\1 passed, 0 failed, 0 skipped/p' | grep . && exit 0
exit 1
