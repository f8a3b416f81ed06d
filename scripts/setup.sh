#!/bin/sh
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# setup.sh GROUP...: installs the Debian 12 packages that a group of make targets needs and that are missing, as root or
# with sudo. When all are there it does nothing and needs no network. Groups: build, test, lint, bench,
# python.

set -eu

packages=""
for group in "$@"; do
  case $group in
    build) packages="$packages build-essential cmake ninja-build pkg-config libclang-19-dev libxml2-dev libjansson-dev
      libcyaml-dev libyaml-dev liblapack-dev libopenblas-dev libpng-dev gnuplot-nox" ;;
    test) packages="$packages clang-19 libclang-rt-19-dev libcmocka-dev python3-venv locales valgrind" ;;
    lint) packages="$packages clang-format-14 clang-tidy-14 cppcheck" ;;
    bench) packages="$packages hyperfine" ;;
    python) packages="$packages python3-dev python3-venv" ;;
    *) echo "setup.sh: unknown group '$group'; build, test, lint, bench or python" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "setup.sh: not a Debian system; these packages are assumed to be there:" $packages >&2
  exit 0
fi

# One call for all; what is not installed is missing from its output.
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $packages 2>/dev/null | sed -n 's/^installed //p' || true)
missing=""
for package in $packages; do
  case "
$installed
" in
    *"
$package
"*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -z "$missing" ] && exit 0

echo "setup.sh: installing$missing"
root=""
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup.sh: neither root nor sudo; as root: apt-get install$missing" >&2
    exit 2
  fi
  root="sudo"
fi
export DEBIAN_FRONTEND=noninteractive
$root apt-get -q update
$root apt-get -q -y --no-install-recommends install $missing
