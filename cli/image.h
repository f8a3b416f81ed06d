// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// image.h: pixels in memory, text on them, PNG and GIF files.

#ifndef VISVIVA_CLI_IMAGE_H_
#define VISVIVA_CLI_IMAGE_H_

#include "visviva/base.h"

typedef struct vvImage {
  int width, height;   // [pixel]
  unsigned char* rgb;  // height x width x 3, row by row from the top
} vvImage;

// Writes text of digits, '.', '-', 's' and blanks with its upper left corner at (x, y); a dot of a letter is
// `scale` pixels wide. Other characters are left out.
void vv_image_text(vvImage* image, int x, int y, int scale, const char* text, const unsigned char color[3]);
int vv_image_text_width(int scale, const char* text);

bool vv_image_write_png(const char* path, const vvImage* image);

// Writes an endless film of frames of one size; delay in hundredths of a second. Colors are reduced to 255 by median
// cut over all frames; pixels that stand still are left transparent.
bool vv_image_write_gif(const char* path, const vvImage* frames, int nframe, int delay);

#endif  // VISVIVA_CLI_IMAGE_H_
