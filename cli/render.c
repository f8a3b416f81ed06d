// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// render.c: a depth buffer of exactly intersected shapes, Lambert shading, shadows, 2 x 2 samples a pixel.
//
// symbols  depth   distance along the ray of a sample     [m]
//          colors  linear; files hold their square root (a display's gamma, nearly)

#include "cli/render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 2 };

typedef struct Sample {
  float depth;
  int shape;  // -1: background
} Sample;

typedef struct View {
  const vvShape* shapes;
  int nshape;
  const vvCamera* camera;
  int width, height;  // in samples
  double focal;       // [sample]
  Sample* samples;
} View;

static const double light[3] = {-0.36, -0.48, 0.8};  // unit, towards the light
static const double horizon[3] = {0.90, 0.91, 0.91};
static const double zenith[3] = {0.56, 0.68, 0.80};

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void ray(const View* view, int x, int y, double dir[3]) {
  const vvCamera* c = view->camera;
  double u = (x + 0.5 - 0.5 * view->width) / view->focal;
  double v = (0.5 * view->height - y - 0.5) / view->focal;
  double scale = 1 / sqrt(1 + u * u + v * v);
  for (int k = 0; k < 3; k++) dir[k] = scale * (c->forward[k] + u * c->right[k] + v * c->up[k]);
}

// Samples from *begin to *end (excluded) that a ball may cover along one axis of the picture.
static void cover(double offset, double radius, double z, double focal, int n, int* begin, int* end) {
  *begin = 0;
  *end = n;
  if (z <= 1.01 * radius) return;
  double low = offset - radius, high = offset + radius;
  low /= low < 0 ? z - radius : z + radius;
  high /= high < 0 ? z + radius : z - radius;
  double first = fmax(0, floor(0.5 * n + focal * low)), last = fmin(n, ceil(0.5 * n + focal * high) + 1);
  *begin = first < n ? (int)first : n;
  *end = last > 0 ? (int)last : 0;
}

static void draw_shape(View* view, int id) {
  const vvShape* shape = &view->shapes[id];
  const vvCamera* c = view->camera;
  int x0 = 0, x1 = view->width, y0 = 0, y1 = view->height;
  if (shape->type != VV_GEOM_PLANE) {
    double p[3] = {shape->pos[0] - c->eye[0], shape->pos[1] - c->eye[1], shape->pos[2] - c->eye[2]};
    double z = dot(p, c->forward);
    if (z < -shape->radius) return;
    cover(dot(p, c->right), shape->radius, z, view->focal, view->width, &x0, &x1);
    cover(-dot(p, c->up), shape->radius, z, view->focal, view->height, &y0, &y1);
  }
  for (int y = y0; y < y1; y++) {
    for (int x = x0; x < x1; x++) {
      Sample* s = &view->samples[(size_t)y * (size_t)view->width + (size_t)x];
      double dir[3], t = (double)s->depth;
      ray(view, x, y, dir);
      if (vv_shape_hit(shape, c->eye, dir, 1e-3, &t, NULL)) {
        s->depth = (float)t;
        s->shape = id;
      }
    }
  }
}

static bool in_shadow(const View* view, const double p[3], int skip) {
  for (int i = 0; i < view->nshape; i++) {
    const vvShape* shape = &view->shapes[i];
    double t = 1e9;
    if (i == skip || shape->type == VV_GEOM_PLANE) continue;
    if (vv_shape_hit(shape, p, light, 0, &t, NULL)) return true;
  }
  return false;
}

static void sky(const double dir[3], double color[3]) {
  double s = fmin(1, fmax(0, 1.6 * dir[2] + 0.1));
  for (int k = 0; k < 3; k++) color[k] = horizon[k] + s * (zenith[k] - horizon[k]);
}

// Color of a floor at p without light: squares of two shades, whose contrast goes as they shrink below a sample of
// `footprint` metres.
static void floor_color(const View* view, const vvShape* plane, const double p[3], double footprint, double color[3]) {
  const double* R = plane->mat;
  double r[3] = {p[0] - plane->pos[0], p[1] - plane->pos[1], p[2] - plane->pos[2]};
  double u = R[0] * r[0] + R[3] * r[1] + R[6] * r[2], v = R[1] * r[0] + R[4] * r[1] + R[7] * r[2];
  double square = floor(u / view->camera->checker) + floor(v / view->camera->checker);
  bool dark = fmod(fabs(square), 2) > 0.5;
  double contrast = 0.10 / (1 + pow(2 * footprint / view->camera->checker, 4));
  for (int k = 0; k < 3; k++) color[k] = (0.90 + (dark ? -contrast : contrast)) * plane->color[k];
}

static void shade(const View* view, const Sample* s, const double dir[3], double color[3]) {
  if (s->shape < 0) {
    sky(dir, color);
    return;
  }
  const vvShape* shape = &view->shapes[s->shape];
  bool plane = shape->type == VV_GEOM_PLANE;
  double p[3], n[3] = {0, 0, 1}, t = 1e9, base[3];
  if (!vv_shape_hit(shape, view->camera->eye, dir, 1e-3, &t, n)) t = (double)s->depth;
  for (int k = 0; k < 3; k++) p[k] = view->camera->eye[k] + t * dir[k] + 1e-6 * n[k];
  if (plane) {
    floor_color(view, shape, p, t / view->focal / fmax(0.01, -dot(n, dir)), base);
  } else {
    memcpy(base, shape->color, sizeof base);
  }
  double lit = fmax(0, dot(n, light));
  if (lit > 0 && in_shadow(view, p, plane ? -1 : s->shape)) lit *= 0.15;
  double facing = fmax(0, -dot(n, dir));
  double half[3] = {light[0] - dir[0], light[1] - dir[1], light[2] - dir[2]};
  double gloss = plane || lit <= 0.15 ? 0 : 0.22 * pow(fmax(0, dot(n, half)) / sqrt(dot(half, half)), 40);
  double ambient = 0.36 + 0.10 * n[2] + 0.06 * facing;
  double fade = plane ? 1 - exp(-pow(t / view->camera->haze, 2)) : 0;
  double far[3];
  sky(dir, far);
  for (int k = 0; k < 3; k++) {
    color[k] = base[k] * (ambient + 0.72 * lit) + gloss;
    color[k] += fade * (far[k] - color[k]);
  }
}

static unsigned char byte_of(double linear) {
  double s = sqrt(fmin(1, fmax(0, linear)));
  return (unsigned char)(255 * s + 0.5);
}

bool vv_render(const vvShape* shapes, int nshape, const vvCamera* camera, vvImage* image) {
  View view = {.shapes = shapes, .nshape = nshape, .camera = camera};
  view.width = SAMPLES * image->width;
  view.height = SAMPLES * image->height;
  view.focal = 0.5 * view.height / camera->tangent;
  size_t n = (size_t)view.width * (size_t)view.height;
  view.samples = calloc(n, sizeof *view.samples);
  if (!view.samples) return false;
  for (size_t i = 0; i < n; i++) view.samples[i] = (Sample){1e9f, -1};
  for (int i = 0; i < nshape; i++) draw_shape(&view, i);
  for (int y = 0; y < image->height; y++) {
    for (int x = 0; x < image->width; x++) {
      double sum[3] = {0, 0, 0};
      for (int i = 0; i < SAMPLES * SAMPLES; i++) {
        int sx = SAMPLES * x + i % SAMPLES, sy = SAMPLES * y + i / SAMPLES;
        double dir[3], color[3];
        ray(&view, sx, sy, dir);
        shade(&view, &view.samples[(size_t)sy * (size_t)view.width + (size_t)sx], dir, color);
        for (int k = 0; k < 3; k++) sum[k] += fmin(1, color[k]) / (SAMPLES * SAMPLES);
      }
      unsigned char* p = image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x);
      for (int k = 0; k < 3; k++) p[k] = byte_of(sum[k]);
    }
  }
  free(view.samples);
  return true;
}
