// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// inputs.h: what commands read besides the scene: states (S.json) and controls (U.csv), and the options --init,
// --keyframe, --ctrl that name them.

#ifndef VISVIVA_CLI_INPUTS_H_
#define VISVIVA_CLI_INPUTS_H_

#include "cli/cli.h"
#include "visviva/model.h"

// Reads S.json over the values that state and ctrl (nu, or NULL) hold already; what the file leaves out stays.
// *has_ctrl tells whether it states controls. Errors name the file and the key.
vvStatus vv_state_read(vvContext* ctx, const vvModel* m, const char* path, vvState* state, vvReal* ctrl, bool* has_ctrl,
                       vvReport* report);

// Writes all keys of S.json; continuing from the file is bit-identical. The file appears whole or not at all.
vvStatus vv_state_write(const vvModel* m, const vvState* state, const vvReal* ctrl, const char* path, vvReport* report);

// Reads U.csv: *nrow rows of nu controls, columns by a header of actuator names or in model order. More rows than
// nstep are an error (nstep < 0: any number). Free with VV_DELETE(ctx, *rows, vvReal, *nrow x nu).
vvStatus vv_controls_read(vvContext* ctx, const vvModel* m, const char* path, int nstep, vvReal** rows, int* nrow,
                          vvReport* report);

// Scene, initial state and controls as the command line states them.
typedef struct vvCliScene {
  vvContext* ctx;
  vvModel* model;
  vvState* state;
  bool stated;   // by --init or --keyframe; else the scene's own
  vvReal* ctrl;  // nctrl x nu, NULL: zeros
  int nctrl;
} vvCliScene;

// Loads position[0] and the options; prints the error and returns the exit code, 0 when all is there. Free in any case.
int vv_cli_scene_load(vvCli* cli, int nstep, vvCliScene* scene);
void vv_cli_scene_free(vvCliScene* scene);

#endif  // VISVIVA_CLI_INPUTS_H_
