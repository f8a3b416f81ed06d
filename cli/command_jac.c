// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// command_jac.c: vv jac.

#include "cli/cli.h"

int vv_command_jac(vvCli* cli) {
  return vv_cli_error("%s is not built yet", cli->command->name);
}
