// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// main.c: the vv program. SIGINT sets a flag that long work asks for; a second one ends the program at once.

#include <signal.h>

#include "cli/cli.h"

static volatile sig_atomic_t interrupted;  // the one global: a signal handler has no other way

static void on_interrupt(int signal_number) {
  (void)signal_number;
  interrupted = 1;
}

bool vv_cli_interrupted(void) {
  return interrupted != 0;
}

int main(int argc, char** argv) {
  struct sigaction action = {0};
  action.sa_handler = on_interrupt;
  action.sa_flags = (int)SA_RESETHAND;
  sigaction(SIGINT, &action, NULL);
  return vv_cli_main(argc, argv);
}
