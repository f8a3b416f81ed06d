#!/bin/sh
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# docs.sh: checks the documentation: every file of ours that a markdown page links to exists.

set -eu
cd "$(dirname "$0")/.."
failed=0
for page in *.md docs/*.md samples/*/*.md; do
  [ -f "$page" ] || continue
  folder=$(dirname "$page")
  for link in $(grep -o '](\([^)#:]*\))' "$page" | sed 's/^](//; s/)$//'); do
    [ -e "$folder/$link" ] || { echo "$page: $link does not exist"; failed=1; }
  done
done
[ $failed = 0 ] && echo "docs: all links of all pages hold"
exit $failed
