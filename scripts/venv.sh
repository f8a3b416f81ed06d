#!/bin/sh
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# venv.sh DIRECTORY: the Python environment of tests, peers and benches, with the packages that serve as oracles and
# the models that come in their wheels. Done once; a stamp holds the versions.

set -eu

venv=$1
with_dependencies="numpy==2.4.6 scipy==1.17.1 mujoco==4.0.0"
models_only="dm-control==1.0.50 gymnasium==1.4.0"
wanted="$with_dependencies | $models_only"

[ -x "$venv/bin/python" ] && [ "$(cat "$venv/stamp" 2>/dev/null)" = "$wanted" ] && exit 0

echo "venv.sh: $wanted"
rm -rf "$venv"
/usr/bin/python3 -m venv "$venv"
"$venv/bin/pip" install -q --disable-pip-version-check $with_dependencies
"$venv/bin/pip" install -q --disable-pip-version-check --no-deps $models_only
echo "$wanted" >"$venv/stamp"
