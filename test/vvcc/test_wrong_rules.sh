#!/bin/sh
# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# Each of the twenty deliberately wrong adjoint rules of vvcc must be caught by random programs.

exec python3 "$(dirname "$0")/test_random_programs.py" --wrong-rules "$@"
