#!/bin/sh
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# python_package.sh DIRECTORY [PACKAGE...]: a Python environment in DIRECTORY with the visviva package installed from
# this tree by `pip install .`, pytest, and further packages. The environment is kept; visviva is installed anew
# whenever its sources have changed. VVCC: a kernel compiler that is already built.

set -eu

venv=$1
shift
root=$(cd "$(dirname "$0")/.." && pwd)
"$root/scripts/setup.sh" build python

[ -x "$venv/bin/python" ] || /usr/bin/python3 -m venv "$venv"
pip="$venv/bin/pip install -q --disable-pip-version-check"
missing=""
for package in pytest "$@"; do
  grep -qxF "$package" "$venv/packages" 2>/dev/null || missing="$missing $package"
done
if [ -n "$missing" ]; then
  $pip $missing
  for package in $missing; do echo "$package" >>"$venv/packages"; done
fi

sum=$(cd "$root" && find CMakeLists.txt pyproject.toml cmake include src vvcc python -type f ! -name '*.pyc' |
  LC_ALL=C sort | xargs cat | cksum)
[ "$(cat "$venv/sources" 2>/dev/null)" = "$sum" ] && exit 0
vvcc=""
[ -n "${VVCC:-}" ] && vvcc="--config-settings=cmake.define.VV_VVCC=$VVCC"
$pip --upgrade --force-reinstall --no-deps $vvcc --config-settings=build-dir="$venv/build" "$root"
$pip numpy
echo "$sum" >"$venv/sources"
