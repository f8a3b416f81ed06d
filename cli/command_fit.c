// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// command_fit.c: vv fit: reads the problem, runs it, writes fitted.xml, report.json, report.png into DIR.
//
// DIR      is made when it is missing. It may hold an earlier end of the same problem, which is replaced; one that
// holds
//          anything of another problem is refused, as is an interrupted fit without --resume.
// state    DIR/fit.state: what --resume goes on from; its second line tells whose it is

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/fit_report.h"

enum { PATH_BYTES = 4096 };

typedef struct Folder {
  const char* name;  // NULL: nothing is written
  char state[PATH_BYTES];
} Folder;

static bool in_folder(const Folder* folder, const char* name, char path[PATH_BYTES]) {
  return snprintf(path, PATH_BYTES, "%s/%s", folder->name, name) < PATH_BYTES;
}

static bool present(const Folder* folder, const char* name) {
  char path[PATH_BYTES];
  struct stat info;
  return in_folder(folder, name, path) && stat(path, &info) == 0;
}

// Makes every missing folder of a path.
static int make_folders(const char* path) {
  char part[PATH_BYTES];
  size_t length = strlen(path);
  if (length >= sizeof part) return ENAMETOOLONG;
  for (size_t i = 1; i <= length; i++) {
    if (path[i] != '/' && path[i] != 0) continue;
    memcpy(part, path, i);
    part[i] = 0;
    if (mkdir(part, 0777) != 0 && errno != EEXIST) return errno;
  }
  struct stat info;
  if (stat(path, &info) != 0) return errno;
  return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
}

// Problem that a state file belongs to; false when there is none or it is not readable.
static bool state_owner(const char* path, uint64_t* hash) {
  FILE* file = fopen(path, "r");
  if (!file) return false;
  bool good = fscanf(file, "%*[^\n]%16" SCNx64, hash) == 1;
  fclose(file);
  return good;
}

static int check_folder(const vvCli* cli, const vvFitProblem* problem, Folder* folder) {
  bool resume = vv_cli_has(cli, "resume");
  folder->name = vv_cli_text(cli, "out");
  if (!folder->name) {
    return resume ? vv_cli_error("--resume needs --out DIR, where the interrupted fit is") : VV_EXIT_DONE;
  }
  if (!folder->name[0] || !in_folder(folder, "fit.state", folder->state)) {
    return vv_cli_error("--out '%.60s' is not a folder", folder->name);
  }
  bool reports = present(folder, "report.json") || present(folder, "fitted.xml");
  uint64_t owner = 0;
  if (present(folder, "fit.state")) {
    if (!state_owner(folder->state, &owner) || owner != vv_fit_problem_hash(problem)) {
      return vv_cli_error(
          "%s: holds a fit of another problem (or scene, recording or seed); choose another --out, or "
          "remove it",
          folder->name);
    }
    if (!resume && !reports) {
      return vv_cli_error("%s: holds an interrupted fit of this problem; go on with --resume, or remove it",
                          folder->name);
    }
  } else if (reports) {
    return vv_cli_error("%s: holds a report that is not of this problem; choose another --out, or remove it",
                        folder->name);
  } else if (resume) {
    return vv_cli_error("%s: holds no interrupted fit; leave --resume out", folder->name);
  }
  int error = make_folders(folder->name);
  return error ? vv_cli_error("%s: cannot be made: %s", folder->name, strerror(error)) : VV_EXIT_DONE;
}

static int write_json(const Folder* folder, const vvFitResult* result) {
  char path[PATH_BYTES], name[PATH_BYTES];
  if (!in_folder(folder, "report.json", path) || !in_folder(folder, "report.json.new", name)) {
    return vv_cli_error("%s: the path is too long", folder->name);
  }
  FILE* file = fopen(name, "w");
  if (!file) return vv_cli_error("%s: cannot be written: %s", name, strerror(errno));
  bool good = vv_fit_report_json(file, result);
  if (fclose(file) != 0 || !good || rename(name, path) != 0) {
    return vv_cli_error("%s: cannot be written: %s", path, strerror(errno));
  }
  return VV_EXIT_DONE;
}

// fitted.xml of the best start, and with several starts start-1.xml, start-2.xml, ... of each.
static int write_scenes(vvFitProblem* problem, const Folder* folder, const vvFitResult* result) {
  char path[PATH_BYTES], name[32];
  vvReport report;
  for (int i = -1; i < (result->nstart > 1 ? result->nstart : 0); i++) {
    const vvFitStart* start = &result->starts[i < 0 ? result->best : i];
    snprintf(name, sizeof name, "start-%d.xml", i + 1);
    if (!in_folder(folder, i < 0 ? "fitted.xml" : name, path)) {
      return vv_cli_error("%s: the path is too long", folder->name);
    }
    vv_report_clear(&report);
    vvStatus status = vv_fit_write_scene(problem, start->value, path, &report);
    if (status != VV_OK) return vv_cli_fail(status, &report, "writing the fitted scene");
  }
  return VV_EXIT_DONE;
}

static int write_all(const vvCli* cli, vvFitProblem* problem, const Folder* folder, const vvFitResult* result) {
  int code = folder->name ? write_scenes(problem, folder, result) : VV_EXIT_DONE;
  if (code == VV_EXIT_DONE && folder->name) code = write_json(folder, result);
  if (code != VV_EXIT_DONE) return code;
  if (cli->json) vv_fit_report_json(stdout, result);
  if (!cli->json && !cli->quiet) vv_fit_report_text(stdout, result);
  if (!folder->name) return VV_EXIT_DONE;
  char path[PATH_BYTES];
  const char* reason = NULL;
  if (!in_folder(folder, "report.png", path)) return code;
  bool drawn = vv_fit_report_picture(path, result, &reason);
  if (cli->json || cli->quiet) return code;
  if (drawn) {
    printf("wrote %s/fitted.xml, report.json, report.png\n", folder->name);
  } else {
    printf("wrote %s/fitted.xml, report.json; no picture: %s\n", folder->name, reason);
  }
  return code;
}

int vv_command_fit(vvCli* cli) {
  vvReport report;
  vvFitProblem* problem = NULL;
  vvFitResult* result = NULL;
  Folder folder = {0};
  vv_report_clear(&report);
  vvStatus status =
      vv_fit_problem_read(cli->context, cli->position[0], vv_cli_text(cli, "recording"), cli->seed, &problem, &report);
  if (status != VV_OK) return vv_cli_fail(status, &report, "reading the problem");
  int code = check_folder(cli, problem, &folder);
  if (code == VV_EXIT_DONE) {
    vvFitOptions options = vv_fit_options_default();
    options.state_path = folder.name ? folder.state : NULL;
    options.resume = vv_cli_has(cli, "resume");
    status = vv_fit_run(problem, &options, &result, &report);
    vv_context_progress(cli->context, 1, "fit");
    if (status == VV_ERROR_CANCELLED && folder.name) {
      vv_cli_error("interrupted; what is reached is kept, go on with --resume");
      code = VV_EXIT_INTERRUPTED;
    } else {
      code = vv_cli_fail(status, &report, "fitting");
    }
  }
  if (code == VV_EXIT_DONE) code = write_all(cli, problem, &folder, result);
  vv_fit_result_free(cli->context, result);
  vv_fit_problem_free(problem);
  return code;
}
