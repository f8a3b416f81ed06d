// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// command_info.c: vv info.

#include "cli/cli.h"

int vv_command_info(vvCli* cli) {
  return vv_cli_error("%s is not built yet", cli->command->name);
}
