// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// image_gif.c: GIF films.
//
// method   colors: a histogram over 32 levels a channel, split at the median of the longest side until there are 255
//          boxes (Heckbert 1982); codes: LZW with variable width, 9 to 12 bits (GIF89a specification, appendix F)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/image.h"

enum {
  NLEVEL = 32,
  NCELL = NLEVEL * NLEVEL * NLEVEL,
  NCOLOR = 255,
  TRANSPARENT = 255,
  CODE_CLEAR = 256,
  CODE_END = 257,
  CODE_LIMIT = 4096,
  NHASH = 8192
};

// Colors of the film.
typedef struct Palette {
  unsigned char rgb[256][3];
  unsigned char of_cell[NCELL];  // color of a histogram cell
} Palette;

typedef struct Box {
  int begin, end;  // in the list of cells
  long weight;     // pixels
  int axis;        // longest side
  int length;      // [level]
} Box;

typedef struct Encoder {
  FILE* file;
  unsigned char block[255];
  int nblock;
  unsigned bits;  // not yet written, lowest first
  int nbits;
  int key[NHASH];  // prefix code << 8 | next pixel, -1: empty
  int code[NHASH];
  int next;   // next free code
  int width;  // bits of a code
} Encoder;

static int cell_of(const unsigned char* rgb) {
  return (rgb[0] >> 3) << 10 | (rgb[1] >> 3) << 5 | rgb[2] >> 3;
}

static int level(int cell, int axis) {
  return cell >> (10 - 5 * axis) & 31;
}

static int by_red(const void* a, const void* b) {
  return level(*(const int*)a, 0) - level(*(const int*)b, 0);
}

static int by_green(const void* a, const void* b) {
  return level(*(const int*)a, 1) - level(*(const int*)b, 1);
}

static int by_blue(const void* a, const void* b) {
  return level(*(const int*)a, 2) - level(*(const int*)b, 2);
}

static Box make_box(const int* cells, const long* count, int begin, int end) {
  Box box = {.begin = begin, .end = end};
  int low[3] = {NLEVEL, NLEVEL, NLEVEL}, high[3] = {-1, -1, -1};
  for (int i = begin; i < end; i++) {
    box.weight += count[cells[i]];
    for (int k = 0; k < 3; k++) {
      int l = level(cells[i], k);
      if (l < low[k]) low[k] = l;
      if (l > high[k]) high[k] = l;
    }
  }
  for (int k = 0; k < 3; k++) {
    if (high[k] - low[k] > box.length) {
      box.length = high[k] - low[k];
      box.axis = k;
    }
  }
  return box;
}

// Cuts the box with the most (pixels x length) until none can be cut or there are NCOLOR; returns their number.
static int cut(int* cells, const long* count, int ncell, Box* boxes) {
  static int (*const order[3])(const void*, const void*) = {by_red, by_green, by_blue};
  int nbox = 1;
  boxes[0] = make_box(cells, count, 0, ncell);
  while (nbox < NCOLOR) {
    int best = -1;
    double most = 0;
    for (int b = 0; b < nbox; b++) {
      double score = (double)boxes[b].weight * boxes[b].length * boxes[b].length;
      if (score > most) {
        most = score;
        best = b;
      }
    }
    if (best < 0) break;
    Box box = boxes[best];
    qsort(cells + box.begin, (size_t)(box.end - box.begin), sizeof *cells, order[box.axis]);
    long sum = 0;
    int at = box.begin;
    while (at < box.end - 1 && 2 * (sum + count[cells[at]]) <= box.weight) sum += count[cells[at++]];
    if (at == box.begin) at++;
    boxes[best] = make_box(cells, count, box.begin, at);
    boxes[nbox++] = make_box(cells, count, at, box.end);
  }
  return nbox;
}

static bool make_palette(const vvImage* frames, int nframe, Palette* palette) {
  long* count = calloc(NCELL, sizeof *count);
  double(*sum)[3] = calloc(NCELL, sizeof *sum);
  int* cells = calloc(NCELL, sizeof *cells);
  bool good = count && sum && cells;
  if (good) {
    for (int f = 0; f < nframe; f++) {
      size_t n = (size_t)frames[f].width * (size_t)frames[f].height;
      for (size_t i = 0; i < n; i++) {
        const unsigned char* p = frames[f].rgb + 3 * i;
        int c = cell_of(p);
        count[c]++;
        for (int k = 0; k < 3; k++) sum[c][k] += p[k];
      }
    }
    int ncell = 0;
    for (int c = 0; c < NCELL; c++) {
      if (count[c]) cells[ncell++] = c;
    }
    Box boxes[NCOLOR];
    int nbox = cut(cells, count, ncell, boxes);
    memset(palette, 0, sizeof *palette);
    for (int b = 0; b < nbox; b++) {
      double total[3] = {0, 0, 0};
      for (int i = boxes[b].begin; i < boxes[b].end; i++) {
        palette->of_cell[cells[i]] = (unsigned char)b;
        for (int k = 0; k < 3; k++) total[k] += sum[cells[i]][k];
      }
      for (int k = 0; k < 3; k++) palette->rgb[b][k] = (unsigned char)(total[k] / (double)boxes[b].weight + 0.5);
    }
  }
  free(count);
  free(sum);
  free(cells);
  return good;
}

static void put_word(FILE* file, int value) {
  putc(value & 255, file);
  putc(value >> 8 & 255, file);
}

static void flush_block(Encoder* e) {
  if (e->nblock == 0) return;
  putc(e->nblock, e->file);
  fwrite(e->block, 1, (size_t)e->nblock, e->file);
  e->nblock = 0;
}

static void put_code(Encoder* e, int code) {
  e->bits |= (unsigned)code << e->nbits;
  e->nbits += e->width;
  while (e->nbits >= 8) {
    e->block[e->nblock++] = (unsigned char)(e->bits & 255);
    if (e->nblock == 255) flush_block(e);
    e->bits >>= 8;
    e->nbits -= 8;
  }
}

static void reset_codes(Encoder* e) {
  memset(e->key, -1, sizeof e->key);
  e->next = CODE_END + 1;
  e->width = 9;
}

static void encode(Encoder* e, const unsigned char* pixels, size_t n) {
  e->bits = 0;
  e->nbits = e->nblock = 0;
  reset_codes(e);
  put_code(e, CODE_CLEAR);
  int prefix = pixels[0];
  for (size_t i = 1; i < n; i++) {
    int key = prefix << 8 | pixels[i];
    unsigned h = (unsigned)key * 2654435761u >> 19;
    while (e->key[h] >= 0 && e->key[h] != key) h = (h + 1) % NHASH;
    if (e->key[h] == key) {
      prefix = e->code[h];
      continue;
    }
    put_code(e, prefix);
    prefix = pixels[i];
    if (e->next == CODE_LIMIT) {
      put_code(e, CODE_CLEAR);
      reset_codes(e);
      continue;
    }
    e->key[h] = key;
    e->code[h] = e->next;
    if (e->next == 1 << e->width) e->width++;
    e->next++;
  }
  put_code(e, prefix);
  if (e->next == 1 << e->width && e->width < 12) e->width++;
  put_code(e, CODE_END);
  if (e->nbits > 0) {
    e->block[e->nblock++] = (unsigned char)(e->bits & 255);
    if (e->nblock == 255) flush_block(e);
  }
  flush_block(e);
  putc(0, e->file);
}

static void put_frame(Encoder* e, const vvImage* frame, const Palette* palette, int delay, unsigned char* pixels,
                      unsigned char* shown, bool first) {
  size_t n = (size_t)frame->width * (size_t)frame->height;
  for (size_t i = 0; i < n; i++) {
    unsigned char color = palette->of_cell[cell_of(frame->rgb + 3 * i)];
    pixels[i] = !first && shown[i] == color ? TRANSPARENT : color;
    shown[i] = color;
  }
  static const unsigned char control[] = {0x21, 0xf9, 4, 1 << 2 | 1};
  fwrite(control, 1, sizeof control, e->file);
  put_word(e->file, delay);
  putc(TRANSPARENT, e->file);
  putc(0, e->file);
  putc(0x2c, e->file);
  put_word(e->file, 0);
  put_word(e->file, 0);
  put_word(e->file, frame->width);
  put_word(e->file, frame->height);
  putc(0, e->file);
  putc(8, e->file);
  encode(e, pixels, n);
}

bool vv_image_write_gif(const char* path, const vvImage* frames, int nframe, int delay) {
  size_t n = (size_t)frames[0].width * (size_t)frames[0].height;
  Palette* palette = malloc(sizeof *palette);
  Encoder* encoder = malloc(sizeof *encoder);
  unsigned char* pixels = malloc(n);
  unsigned char* shown = calloc(n, 1);
  bool good = palette && encoder && pixels && shown && make_palette(frames, nframe, palette);
  FILE* file = good ? fopen(path, "wb") : NULL;
  good = file != NULL;
  if (good) {
    encoder->file = file;
    fwrite("GIF89a", 1, 6, file);
    put_word(file, frames[0].width);
    put_word(file, frames[0].height);
    putc(0xf7, file);  // global table of 256 colors
    putc(0, file);
    putc(0, file);
    fwrite(palette->rgb, 1, sizeof palette->rgb, file);
    fwrite("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", 1, 19, file);  // for ever
    for (int f = 0; f < nframe; f++) put_frame(encoder, &frames[f], palette, delay, pixels, shown, f == 0);
    putc(0x3b, file);
    good = !ferror(file);
    if (fclose(file) != 0) good = false;
  }
  free(palette);
  free(encoder);
  free(pixels);
  free(shown);
  return good;
}
