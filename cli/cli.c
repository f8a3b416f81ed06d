// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// cli.c: parsing of arguments, form of errors, dispatch.

#include "cli/cli.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text.h"

static const vvCliOption common_options[] = {
    {"json", NULL}, {"quiet", NULL}, {"threads", "K"}, {"seed", "S"}, {NULL, NULL}};

int vv_cli_error(const char* format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  for (char* p = line; *p; p++) {
    if (iscntrl((unsigned char)*p)) *p = '?';
  }
  fprintf(stderr, "vv: %s\n", line);
  return VV_EXIT_USAGE;
}

int vv_cli_fail(vvStatus status, const vvReport* report, const char* what) {
  if (status == VV_OK) return VV_EXIT_DONE;
  if (status == VV_ERROR_CANCELLED) {
    vv_cli_error("interrupted");
    return VV_EXIT_INTERRUPTED;
  }
  if (report && report->message[0]) {
    vv_cli_error("%s", report->message);
  } else {
    vv_cli_error("%s: %s", what, vv_status_text(status));
  }
  return status == VV_ERROR_NOT_CONVERGED ? VV_EXIT_FAILED : VV_EXIT_USAGE;
}

void vv_print_real(FILE* file, double x) {
  char text[VV_REAL_TEXT_BYTES];
  vv_real_to_text(x, text);
  fputs(text, file);
}

void vv_cli_progress(double share, const char* what, void* user) {
  const vvCli* cli = user;
  if ((cli && cli->quiet) || !isatty(STDERR_FILENO)) return;
  fprintf(stderr, "\r%s: %3.0f %%%s", what, 100 * share, share >= 1 ? "\n" : "");
  fflush(stderr);
}

static int option_index(const vvCliOption* options, int n, const char* name) {
  for (int i = 0; i < n && options[i].name; i++) {
    if (strcmp(options[i].name, name) == 0) return i;
  }
  return -1;
}

bool vv_cli_has(const vvCli* cli, const char* option) {
  int i = option_index(cli->command->option, VV_CLI_MAX_OPTION, option);
  return i >= 0 && cli->given[i];
}

const char* vv_cli_text(const vvCli* cli, const char* option) {
  int i = option_index(cli->command->option, VV_CLI_MAX_OPTION, option);
  return i >= 0 ? cli->value[i] : NULL;
}

static bool parse_int(const char* option, const char* text, long least, long most, long* value) {
  char* end = NULL;
  errno = 0;
  long x = strtol(text, &end, 10);
  if (end == text || *end || errno || x < least || x > most) {
    vv_cli_error("--%s %s: not a whole number from %ld to %ld", option, text, least, most);
    return false;
  }
  *value = x;
  return true;
}

bool vv_cli_int(const vvCli* cli, const char* option, long least, long most, long* value) {
  const char* text = vv_cli_text(cli, option);
  return text ? parse_int(option, text, least, most, value) : true;
}

bool vv_cli_real(const vvCli* cli, const char* option, double least, double most, double* value) {
  const char* text = vv_cli_text(cli, option);
  if (!text) return true;
  const char* end = NULL;
  double x = 0;
  if (!vv_real_from_text(text, &end, &x) || *end || !(x >= least && x <= most)) {
    vv_cli_error("--%s %s: not a number from %g to %g", option, text, least, most);
    return false;
  }
  *value = x;
  return true;
}

static bool same_file(const char* a, const char* b) {
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool vv_cli_apart(const vvCli* cli, const char* option) {
  static const char* const inputs[] = {"ctrl", "init", "data"};
  const char* out = vv_cli_text(cli, option);
  if (!out) return true;
  bool apart = !same_file(out, cli->position[0]);
  for (int i = 0; i < 3; i++) {
    const char* in = vv_cli_text(cli, inputs[i]);
    if (strcmp(option, "save") == 0 && i == 1) continue;  // a state may be continued in place
    apart = apart && !(in && same_file(out, in));
  }
  const char* loss = vv_cli_text(cli, "loss");
  if (loss && strncmp(loss, "linear:", 7) == 0) apart = apart && !same_file(out, loss + 7);
  if (!apart) vv_cli_error("--%s %s: would overwrite an input; give another name", option, out);
  return apart;
}

static bool set_common(vvCli* cli, int option, const char* value) {
  long x = 0;
  switch (option) {
    case 0:
      cli->json = true;
      return true;
    case 1:
      cli->quiet = true;
      return true;
    case 2:
      if (!parse_int("threads", value, 1, 1024, &x)) return false;
      cli->threads = (int)x;
      return true;
    default: {
      char* end = NULL;
      errno = 0;
      cli->seed = strtoull(value, &end, 10);
      if (isdigit((unsigned char)value[0]) && !*end && !errno) return true;
      vv_cli_error("--seed %s: not a whole number from 0 to 18446744073709551615", value);
      return false;
    }
  }
}

// Takes the option in argv[*at] ("--name", "--name=value" or "--name value") and moves *at to its last word.
static bool take_option(vvCli* cli, int argc, char** argv, int* at) {
  char name[64];
  const char* text = argv[*at] + 2;
  size_t length = strcspn(text, "=");
  const char* value = text[length] ? text + length + 1 : NULL;
  bool named = length > 0 && length < sizeof name;
  if (named) {
    memcpy(name, text, length);
    name[length] = 0;
  }
  int common = named ? option_index(common_options, 4, name) : -1;
  int own = named ? option_index(cli->command->option, VV_CLI_MAX_OPTION, name) : -1;
  if (common < 0 && own < 0) {
    vv_cli_error("unknown option '%s'; vv help %s lists what it takes", argv[*at], cli->command->name);
    return false;
  }
  const vvCliOption* option = common >= 0 ? &common_options[common] : &cli->command->option[own];
  if (!option->value && value) {
    vv_cli_error("--%s takes no value", option->name);
    return false;
  }
  if (option->value && !value) {
    if (*at + 1 >= argc) {
      vv_cli_error("--%s needs a value: --%s %s", option->name, option->name, option->value);
      return false;
    }
    value = argv[++*at];
  }
  if (common >= 0) return set_common(cli, common, value ? value : "");
  if (cli->given[own]) {
    vv_cli_error("--%s is given twice; give it once", option->name);
    return false;
  }
  cli->given[own] = true;
  cli->value[own] = value;
  return true;
}

static bool parse(vvCli* cli, int argc, char** argv) {
  bool only_positions = false;
  for (int i = 2; i < argc; i++) {
    const char* text = argv[i];
    if (!only_positions && strcmp(text, "--") == 0) {
      only_positions = true;
    } else if (!only_positions && text[0] == '-' && text[1] == '-') {
      if (!take_option(cli, argc, argv, &i)) return false;
    } else if (!only_positions && text[0] == '-' && text[1]) {
      vv_cli_error("unknown option '%s'; options begin with two dashes", text);
      return false;
    } else if (cli->nposition == cli->command->nposition_max) {
      vv_cli_error("'%s' is one argument too many; usage: vv %s %s", text, cli->command->name, cli->command->arguments);
      return false;
    } else {
      cli->position[cli->nposition++] = text;
    }
  }
  if (cli->nposition < cli->command->nposition_min) {
    vv_cli_error("an argument is missing; usage: vv %s %s", cli->command->name, cli->command->arguments);
    return false;
  }
  return true;
}

static bool cancel(void* user) {
  (void)user;
  return vv_cli_interrupted();
}

static void print_log(vvLogLevel level, const char* message, void* user) {
  const vvCli* cli = user;
  if (!cli->quiet || level >= VV_LOG_ERROR) vv_cli_error("%s", message);
}

// `vv help`, `vv help COMMAND`, `vv --help`, `vv COMMAND --help`.
static bool wants_help(int argc, char** argv, const char** name) {
  *name = NULL;
  if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    if (argc > 2) *name = argv[2];
    return true;
  }
  for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--help") == 0) {
      *name = argv[1];
      return true;
    }
  }
  return false;
}

int vv_cli_main(int argc, char** argv) {
  if (argc < 2) return vv_cli_error("a command is missing; vv help lists the commands");
  const char* name = NULL;
  if (strcmp(argv[1], "--version") == 0) {
    printf("vv %d.%d.%d\n", VV_VERSION_MAJOR, VV_VERSION_MINOR, VV_VERSION_PATCH);
    return VV_EXIT_DONE;
  }
  if (wants_help(argc, argv, &name)) return vv_cli_help(name);
  vvCli cli = {.command = vv_cli_find(argv[1]), .threads = 1};
  if (!cli.command) return vv_cli_error("unknown command '%s'; vv help lists the commands", argv[1]);
  if (!cli.command->run) return vv_cli_error("%s is not built yet", cli.command->name);
  if (!parse(&cli, argc, argv)) return VV_EXIT_USAGE;
  vvContextOptions options = vv_context_options_default();
  options.nthread = cli.threads;
  options.cancel = cancel;
  options.log = print_log;
  options.progress = vv_cli_progress;
  options.user = &cli;
  vvStatus status = vv_context_create(&options, &cli.context);
  if (status != VV_OK) return vv_cli_fail(status, NULL, "starting");
  int code = cli.command->run(&cli);
  vv_context_destroy(cli.context);
  bool written = fflush(stdout) == 0 && !ferror(stdout);
  if (written || code == VV_EXIT_USAGE) return code;  // what failed has said so
  return vv_cli_error("standard output could not be written");
}
