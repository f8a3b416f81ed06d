#!/bin/sh
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# sources.sh: the C and C++ files that are ours, one a line.

set -eu
cd "$(dirname "$0")/.."
for folder in include src vvcc cli test bench samples; do
  if [ -d $folder ]; then find $folder -name '*.[ch]' -o -name '*.cc' -o -name '*.hh'; fi
done | LC_ALL=C sort
