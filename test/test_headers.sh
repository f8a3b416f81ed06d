#!/bin/sh
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# visviva.h includes every public header (math_kernel.h comes with kernel.h). That each compiles alone, in C and C++, is
# part of the build (test/CMakeLists.txt).

cd "$VV_ROOT/include/visviva" || exit 1
failed=0
for header in *.h; do
  case $header in visviva.h | math_kernel.h) continue ;; esac
  grep -q "#include \"visviva/$header\"" visviva.h || { echo "visviva.h does not include $header"; failed=1; }
done
exit $failed
