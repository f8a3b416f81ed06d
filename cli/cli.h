// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// cli.h: what the commands of the vv program share: parsed arguments, the form of errors, numbers and JSON as text.
//
// A command is one file command_NAME.c with one function `int vv_command_NAME(vvCli* cli)` that returns the exit code.
// Its options and help text stand in commands.c; what is not listed there is refused before the command runs.
//
// exit codes  0 done · 1 a check failed or a solve did not converge · 2 bad usage or input · 130 interrupted

#ifndef VISVIVA_CLI_CLI_H_
#define VISVIVA_CLI_CLI_H_

#include <stdio.h>

#include "visviva/context.h"
#include "visviva/report.h"

enum { VV_EXIT_DONE = 0, VV_EXIT_FAILED = 1, VV_EXIT_USAGE = 2, VV_EXIT_INTERRUPTED = 130 };

enum { VV_CLI_MAX_POSITION = 256, VV_CLI_MAX_OPTION = 32 };

// One option of a command. `value` names its value in the help text; NULL: a switch.
typedef struct vvCliOption {
  const char* name;  // without the dashes
  const char* value;
} vvCliOption;

typedef struct vvCli vvCli;

typedef struct vvCliCommand {
  const char* name;
  const char* arguments;  // positional ones, as in the usage line
  const char* help;       // begins with an example that works
  int nposition_min, nposition_max;
  vvCliOption option[VV_CLI_MAX_OPTION];  // ends with a NULL name
  int (*run)(vvCli* cli);                 // NULL: not built yet
} vvCliCommand;

struct vvCli {
  const vvCliCommand* command;
  vvContext* context;                         // with the threads asked for; cancelled by SIGINT
  const char* position[VV_CLI_MAX_POSITION];  // arguments that are not options
  int nposition;
  bool given[VV_CLI_MAX_OPTION];  // per option of the command
  const char* value[VV_CLI_MAX_OPTION];
  bool json;      // --json: one JSON object on stdout
  bool quiet;     // --quiet: nothing on stdout but what was asked for
  int threads;    // --threads K, default 1
  uint64_t seed;  // --seed S, default 0
};

// Whether an option was given, and its value (NULL when not).
bool vv_cli_has(const vvCli* cli, const char* option);
const char* vv_cli_text(const vvCli* cli, const char* option);

// Numbers given by an option; `*value` stays when it was not given. On bad text an error line is printed and false
// returned: the command then returns VV_EXIT_USAGE.
bool vv_cli_int(const vvCli* cli, const char* option, long least, long most, long* value);
bool vv_cli_real(const vvCli* cli, const char* option, double least, double most, double* value);

// False, and an error, when the file that an option names for writing is one that the command reads.
bool vv_cli_apart(const vvCli* cli, const char* option);

// Prints one line "vv: ..." on stderr and returns VV_EXIT_USAGE. Control characters are printed as '?'.
int vv_cli_error(const char* format, ...) VV_FORMAT(1, 2);

// For a call that failed: prints the report's message, or the status' text with `what` before it, and returns the exit
// code: 130 when interrupted, 1 when a solve did not converge, else 2. VV_OK returns 0 and prints nothing.
int vv_cli_fail(vvStatus status, const vvReport* report, const char* what);

// True after SIGINT; the context's cancel callback asks the same.
bool vv_cli_interrupted(void);

// Writes x with 17 significant digits and a decimal point in every locale.
void vv_print_real(FILE* file, double x);

// "\rwhat: 42 %" on stderr when that is a terminal; share 1 ends the line.
void vv_cli_progress(double share, const char* what, void* user);

// Parses and runs; the whole program but for the signal handler.
int vv_cli_main(int argc, char** argv);

// The table of all commands of the contract, ends with a NULL name.
extern const vvCliCommand vv_cli_commands[];
const vvCliCommand* vv_cli_find(const char* name);
int vv_cli_help(const char* name);

int vv_command_info(vvCli* cli);
int vv_command_run(vvCli* cli);
int vv_command_grad(vvCli* cli);
int vv_command_check(vvCli* cli);
int vv_command_jac(vvCli* cli);
int vv_command_fit(vvCli* cli);
int vv_command_bench(vvCli* cli);
int vv_command_convert(vvCli* cli);
int vv_command_kernel(vvCli* cli);

#endif  // VISVIVA_CLI_CLI_H_
