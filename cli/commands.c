// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// commands.c: the table of commands: arguments, options, help texts.

#include <stddef.h>
#include <string.h>

#include "cli/cli.h"

#define ROLLOUT_OPTIONS                                                                                              \
  {"steps", "N"}, {"loss", "LOSS"}, {"wrt", "A,B,..."}, {"init", "S.json"}, {"keyframe", "NAME"}, {"ctrl", "U.csv"}, \
      {"data", "D.csv"}, {"control", "FILE.c:f"}, {"force", "FILE.c:f"}, {"mode", "exact|event|soft|randomized"},    \
      {"memory", "MIB"}, {"sigma0", "M"}, {"kappa", "X"}, {"sigma-v", "V"}, {"grazing", "L"}, {"samples", "N"}, {    \
    "spread", "X"                                                                                                    \
  }

#define LOSS_HELP                                                                                                 \
  "LOSS      linear:W.csv | final:QUANTITY | sum:QUANTITY | FILE.c:function\n"                                    \
  "--wrt     numbers of the scene as vv info lists them (* matches within a segment), ctrl, qpos0, qvel0, act0\n" \
  "--init    initial state; without it the scene's own, which then counts in the gradient\n"                      \
  "--ctrl    controls: row k is held during step k, the last row after the end\n"                                 \
  "--mode    exact is the derivative of the program as it ran\n"                                                  \
  "--memory  limit of the tape in MiB\n"

const vvCliCommand vv_cli_commands[] = {
    {.name = "info",
     .arguments = "SCENE",
     .help = "vv info samples/cube-toss/cube.xml\n\n"
             "Counts of the scene, its numbers (name, value, unit, primary, differentiable or the reason why not) and\n"
             "the names of its state quantities.\n",
     .nposition_min = 1,
     .nposition_max = 1,
     .run = vv_command_info},
    {.name = "run",
     .arguments = "SCENE",
     .help = "vv run samples/cube-toss/cube.xml --time 1 --out trajectory.csv\n\n"
             "Simulates.\n\n"
             "--steps N or --time T   how long, one of them\n"
             "--init S.json           initial state; --keyframe NAME: a keyframe of the scene\n"
             "--ctrl U.csv            controls: row k is held during step k\n"
             "--out TRAJ.csv          states and sensors, a row per step\n"
             "--save S.json           the final state; continuing from it is bit-identical\n"
             "--picture P.png|P.gif   a contact sheet or a film\n"
             "--static                find the equilibrium instead\n"
             "--signature             with --json: one hash per step of every branch taken\n",
     .nposition_min = 1,
     .nposition_max = 1,
     .option = {{"steps", "N"},
                {"time", "T"},
                {"init", "S.json"},
                {"keyframe", "NAME"},
                {"ctrl", "U.csv"},
                {"out", "TRAJ.csv"},
                {"save", "S.json"},
                {"picture", "P.png|P.gif"},
                {"static", NULL},
                {"signature", NULL}},
     .run = vv_command_run},
    {.name = "grad",
     .arguments = "SCENE",
     .help = "vv grad samples/cube-toss/cube.xml --steps 100 --loss final:body/cube/pos/0 --wrt qvel0\n\n"
             "Gradient of a rollout.\n\n" LOSS_HELP
             "--out     write G.json\n--trace-nan  name the first place where a number stopped being finite\n",
     .nposition_min = 1,
     .nposition_max = 1,
     .option = {ROLLOUT_OPTIONS, {"out", "G.json"}, {"trace-nan", NULL}},
     .run = vv_command_grad},
    {.name = "check",
     .arguments = "SCENE",
     .help = "vv check samples/cube-toss/cube.xml --steps 50 --loss final:body/cube/pos/0 --wrt qvel0\n\n"
             "The gradient of vv grad against differences, direction by direction, with verdicts; exit 1 only with a\n"
             "mismatch.\n\n" LOSS_HELP "--tolerance X  relative, 1e-6\n",
     .nposition_min = 1,
     .nposition_max = 1,
     .option = {ROLLOUT_OPTIONS, {"tolerance", "X"}},
     .run = vv_command_check},
    {.name = "jac",
     .arguments = "SCENE",
     .help = "vv jac samples/cube-toss/cube.xml --json\n\n"
             "Derivative of one step: A (state by state) and B (state by control), with --sensors C and D too.\n",
     .nposition_min = 1,
     .nposition_max = 1,
     .option = {{"init", "S.json"}, {"keyframe", "NAME"}, {"ctrl", "U.csv"}, {"sensors", NULL}},
     .run = vv_command_jac},
    {.name = "fit",
     .arguments = "PROBLEM.yaml",
     .help = "vv fit samples/cube-toss/demo.yaml --out build/demo\n\n"
             "Identifies numbers of a scene from recordings; writes DIR/fitted.xml, report.json and report.png.\n\n"
             "--recording R.csv  instead of the problem's own file\n"
             "--out DIR          where results go\n"
             "--resume           go on from an interrupted run in DIR\n",
     .nposition_min = 1,
     .nposition_max = 1,
     .option = {{"recording", "R.csv"}, {"out", "DIR"}, {"resume", NULL}},
     .run = vv_command_fit},
    {.name = "optimize",
     .arguments = "PROBLEM.yaml",
     .help = "vv optimize problem.yaml --out DIR\n\nBest controls or design for an objective. Not built yet.\n",
     .nposition_min = 1,
     .nposition_max = 1,
     .option = {{"out", "DIR"}, {"resume", NULL}}},
    {.name = "bench",
     .arguments = "SCENE...",
     .help = "vv bench samples/cube-toss/cube.xml --json\n\n"
             "Steps per second, and the prices of gradients and Jacobians in steps.\n",
     .nposition_min = 1,
     .nposition_max = VV_CLI_MAX_POSITION,
     .option = {{"worlds", "N"}},
     .run = vv_command_bench},
    {.name = "kernel",
     .arguments = "FILE.c",
     .help =
         "vv kernel samples/kernel/spring.c --check\n\n"
         "Compiles and differentiates a kernel file (docs/kernels.md) and lists its functions. --check compares their\n"
         "derivatives with differences at random points, --emit c prints the derivative's text, --run FUNCTION runs\n"
         "one with the arguments of A.json: {\"args\": {\"x\": [1, 2], \"n\": 2}, \"seed\": {\"return\": 1}}.\n",
     .nposition_min = 1,
     .nposition_max = 1,
     .option = {{"emit", "c|opencl|cuda"},
                {"check", NULL},
                {"run", "FUNCTION"},
                {"args", "A.json"},
                {"device", "cpu|opencl"}},
     .run = vv_command_kernel},
    {.name = "convert",
     .arguments = "IN OUT",
     .help = "vv convert samples/cube-toss/cube.xml cube-flat.xml\n\n"
             "Reads a scene and writes it in the format of the second name (MJCF: .xml).\n",
     .nposition_min = 2,
     .nposition_max = 2,
     .run = vv_command_convert},
    {.name = "render",
     .arguments = "SCENE",
     .help = "vv render SCENE\n\nPictures and films. Not built yet; vv run --picture draws a contact sheet or GIF.\n",
     .nposition_min = 1,
     .nposition_max = 1},
    {.name = "view",
     .arguments = "SCENE",
     .help = "vv view SCENE\n\nA window. Not built yet; vv run --picture draws a contact sheet or GIF.\n",
     .nposition_min = 1,
     .nposition_max = 1},
    {.name = NULL},
};

const vvCliCommand* vv_cli_find(const char* name) {
  for (const vvCliCommand* c = vv_cli_commands; c->name; c++) {
    if (strcmp(c->name, name) == 0) return c;
  }
  return NULL;
}

static void print_usage(const vvCliCommand* c) {
  printf("\nusage: vv %s %s", c->name, c->arguments);
  for (int i = 0; i < VV_CLI_MAX_OPTION && c->option[i].name; i++) {
    if (c->option[i].value) {
      printf(" [--%s %s]", c->option[i].name, c->option[i].value);
    } else {
      printf(" [--%s]", c->option[i].name);
    }
  }
  printf(" [--json] [--quiet] [--threads K] [--seed S]\n");
}

int vv_cli_help(const char* name) {
  if (name) {
    const vvCliCommand* c = vv_cli_find(name);
    if (!c) return vv_cli_error("unknown command '%s'; vv help lists the commands", name);
    fputs(c->help, stdout);
    print_usage(c);
    return VV_EXIT_DONE;
  }
  printf(
      "vv run samples/cube-toss/cube.xml --time 1 --out trajectory.csv\n\n"
      "usage: vv COMMAND ... [--json] [--quiet] [--threads K] [--seed S]; vv --version; vv help COMMAND\n\n");
  for (const vvCliCommand* c = vv_cli_commands; c->name; c++) {
    printf("  %-9s %s%s\n", c->name, c->arguments, c->run ? "" : "  (not built yet)");
  }
  printf("\nExit code: 0 done, 1 a check failed or a solve did not converge, 2 bad usage or input, 130 interrupted.\n");
  return VV_EXIT_DONE;
}
