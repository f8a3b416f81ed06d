// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// image.c: text on pixels and PNG files.

#include "cli/image.h"

#include <png.h>
#include <string.h>

enum { GLYPH_WIDTH = 5, GLYPH_HEIGHT = 7 };

typedef struct Glyph {
  char letter;
  unsigned char width;
  unsigned char row[GLYPH_HEIGHT];  // bit 4 is the left column
} Glyph;

static const Glyph glyphs[] = {
    {'0', 5, {0x0e, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e}}, {'1', 5, {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e}},
    {'2', 5, {0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f}}, {'3', 5, {0x0e, 0x11, 0x01, 0x06, 0x01, 0x11, 0x0e}},
    {'4', 5, {0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02}}, {'5', 5, {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e}},
    {'6', 5, {0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e}}, {'7', 5, {0x1f, 0x01, 0x02, 0x04, 0x04, 0x08, 0x08}},
    {'8', 5, {0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e}}, {'9', 5, {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c}},
    {'.', 2, {0x00, 0x00, 0x00, 0x00, 0x00, 0x18, 0x18}}, {'-', 4, {0x00, 0x00, 0x00, 0x1e, 0x00, 0x00, 0x00}},
    {'s', 5, {0x00, 0x00, 0x0e, 0x10, 0x0e, 0x01, 0x1e}}, {' ', 2, {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00}}};

static const Glyph* find_glyph(char letter) {
  for (size_t i = 0; i < sizeof glyphs / sizeof glyphs[0]; i++) {
    if (glyphs[i].letter == letter) return &glyphs[i];
  }
  return NULL;
}

int vv_image_text_width(int scale, const char* text) {
  int width = 0;
  for (; *text; text++) {
    const Glyph* g = find_glyph(*text);
    if (g) width += (g->width + 1) * scale;
  }
  return width > 0 ? width - scale : 0;
}

static void fill(vvImage* image, int x, int y, int size, const unsigned char color[3]) {
  for (int j = y; j < y + size; j++) {
    for (int i = x; i < x + size; i++) {
      if (i >= 0 && i < image->width && j >= 0 && j < image->height) {
        memcpy(image->rgb + 3 * ((size_t)j * (size_t)image->width + (size_t)i), color, 3);
      }
    }
  }
}

void vv_image_text(vvImage* image, int x, int y, int scale, const char* text, const unsigned char color[3]) {
  for (; *text; text++) {
    const Glyph* g = find_glyph(*text);
    if (!g) continue;
    for (int r = 0; r < GLYPH_HEIGHT; r++) {
      for (int c = 0; c < GLYPH_WIDTH; c++) {
        if (g->row[r] & (0x10 >> c)) fill(image, x + c * scale, y + r * scale, scale, color);
      }
    }
    x += (g->width + 1) * scale;
  }
}

bool vv_image_write_png(const char* path, const vvImage* image) {
  png_image png;
  memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  png.width = (png_uint_32)image->width;
  png.height = (png_uint_32)image->height;
  png.format = PNG_FORMAT_RGB;
  return png_image_write_to_file(&png, path, 0, image->rgb, 0, NULL) != 0;
}
