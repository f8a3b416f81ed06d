// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// command_convert.c: vv convert.

#include "cli/cli.h"

int vv_command_convert(vvCli* cli) {
  return vv_cli_error("%s is not built yet", cli->command->name);
}
