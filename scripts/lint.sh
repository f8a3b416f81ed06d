#!/bin/sh
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# lint.sh BUILD: clang-tidy and cppcheck on the sources, clang-format in check mode. BUILD holds compile_commands.json.

set -eu
cd "$(dirname "$0")/.."
build=$1
failed=0

scripts/sources.sh | xargs clang-format-14 --dry-run -Werror || failed=1
scripts/sources.sh | grep '^\(src\|vvcc\|cli\)/.*\.c$' |
  xargs -P "$(nproc)" -n 4 clang-tidy-14 -p "$build" --quiet 2>/dev/null || failed=1
cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
  --suppressions-list=scripts/cppcheck.txt -j "$(nproc)" -I include -I src -D_XOPEN_SOURCE=700 \
  src vvcc cli || failed=1
exit $failed
