// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// picture.h: pictures of a run: a contact sheet (PNG) or a film (GIF).
//
// The drawing is in software: every shape is intersected exactly by the rays of the pixels that its bounding sphere
// covers (depth buffer), planes are endless checkered floors, one directional light casts shadows, 2 x 2 samples a
// pixel. The camera frames the moving bodies over the whole run, or follows them when they travel far.

#ifndef VISVIVA_CLI_PICTURE_H_
#define VISVIVA_CLI_PICTURE_H_

#include "visviva/model.h"
#include "visviva/report.h"

// True when the name ends with .png or .gif.
bool vv_picture_name_valid(const char* path);

// Draws the states q (n x nq) at the times `time` [s], ascending. A name ending with .png gives 3 x 3 frames spread
// over the run, .gif a film in real time of at most 150 frames. Colors: the scene file's rgba where it states one, else
// a calm palette. VV_ERROR_FILE when the file cannot be written.
vvStatus vv_picture_write(vvContext* context, const char* path, const vvModel* m, const vvReal* q, const vvReal* time,
                          int n, vvReport* report);

#endif  // VISVIVA_CLI_PICTURE_H_
