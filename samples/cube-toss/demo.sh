#!/bin/sh
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# demo.sh: what `make demo` runs: recovers the numbers of a tumbling cube from its recorded motion.
# usage: samples/cube-toss/demo.sh [options of vv fit]

set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
vv=${VV:-$root/build/vv}
out=$root/build/demo

echo "A cube was tossed 24 times in another simulator, with other contact settings and sensor noise. From its recorded"
echo "motion alone, through hundreds of impacts: friction, contact stiffness, damping and inertia."
echo
rm -rf "$out"
"$vv" fit "$root/samples/cube-toss/demo.yaml" --out "$out" "$@"
echo
echo "the picture: $out/report.png"
