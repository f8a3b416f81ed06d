// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// command_check.c: vv check.

#include "cli/cli.h"

int vv_command_check(vvCli* cli) {
  return vv_cli_error("%s is not built yet", cli->command->name);
}
