// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// command_fit.c: vv fit.

#include "cli/cli.h"

int vv_command_fit(vvCli* cli) {
  return vv_cli_error("%s is not built yet", cli->command->name);
}
