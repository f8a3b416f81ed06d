// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// picture.c: which frames of a run are drawn, from where, in which colors.

#include "cli/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/render.h"
#include "rigid/rigid_kernel.h"
#include "visviva/names.h"
#include "visviva/spec.h"

enum {
  SHEET_COLUMNS = 3,
  SHEET_FRAMES = 9,
  SHEET_GAP = 6,  // [pixel]
  FRAME_WIDTH = 480,
  FRAME_HEIGHT = 360,
  FILM_FRAMES = 150,
  FILM_DELAY = 4,   // [1/100 s] least
  HIDDEN_GROUP = 3  // geoms from this group on are not drawn
};

typedef struct Film {
  const vvModel* m;
  const vvReal* q;
  const vvReal* time;
  int nframe;
  int nshape;
  int* row;           // nframe, which state
  double* color;      // ngeom x 3, linear; negative: not drawn
  vvShape* shapes;    // nframe x nshape
  vvCamera* cameras;  // nframe
  vvImage* frames;    // nframe
} Film;

static const double palette[][3] = {{0.33, 0.47, 0.62}, {0.80, 0.49, 0.35}, {0.50, 0.62, 0.45}, {0.84, 0.69, 0.40},
                                    {0.58, 0.46, 0.60}, {0.36, 0.60, 0.60}, {0.72, 0.42, 0.46}, {0.55, 0.55, 0.52}};

bool vv_picture_name_valid(const char* path) {
  size_t n = strlen(path);
  return n > 4 && (strcasecmp(path + n - 4, ".png") == 0 || strcasecmp(path + n - 4, ".gif") == 0);
}

static bool is_film(const char* path) {
  return strcasecmp(path + strlen(path) - 4, ".gif") == 0;
}

// ---- colors ----------------------------------------------------------------------------------------------------

static const char* stated_rgba(const vvSpecText* looks) {
  for (; looks; looks = looks->next) {
    if (strcmp(looks->name, "rgba") == 0) return looks->value;
  }
  return NULL;
}

// The file's rgba of every geom, where stated by itself or by its default classes.
static void read_colors(vvContext* context, Film* film) {
  const char* path = film->m->names ? film->m->names->file : NULL;
  vvSpec* spec = NULL;
  if (!path || !path[0] || vv_spec_read(context, path, &spec, NULL) != VV_OK) return;
  vvModel* model = NULL;
  if (vv_compile(context, spec, &model, NULL) == VV_OK && model->ngeom == film->m->ngeom) {
    for (int i = 0; i < spec->ngeom; i++) {
      const vvSpecGeom* geom = spec->geoms[i];
      const char* text = stated_rgba(geom->head.looks);
      for (int c = geom->head.class_id; !text && c >= 0; c = spec->classes[c]->parent) {
        text = stated_rgba(spec->classes[c]->geom.head.looks);
      }
      double rgba[4];
      int id = geom->head.id;
      if (!text || id < 0 || id >= film->m->ngeom) continue;
      if (sscanf(text, "%lf %lf %lf %lf", &rgba[0], &rgba[1], &rgba[2], &rgba[3]) != 4) continue;
      for (int k = 0; k < 3; k++) film->color[3 * id + k] = rgba[3] <= 0 ? -1 : rgba[k] * rgba[k];
    }
  }
  vv_model_free(context, model);
  vv_spec_free(spec);
}

static void choose_colors(vvContext* context, Film* film) {
  const vvModel* m = film->m;
  int hue = 0, last = -1;
  for (int g = 0; g < m->ngeom; g++) {
    int body = m->geom_body[g];
    bool fixed = m->body_tree[body] < 0;
    if (!fixed && body != last) {
      if (last >= 0) hue++;
      last = body;
    }
    for (int k = 0; k < 3; k++) {
      double c = palette[hue % 8][k];
      if (fixed) c = 0.62;
      if (m->geom_type[g] == VV_GEOM_PLANE) c = 0.80;
      film->color[3 * g + k] = c * c;
    }
  }
  read_colors(context, film);
  for (int g = 0; g < m->ngeom; g++) {
    if (m->geom_group[g] >= HIDDEN_GROUP) film->color[3 * g] = -1;
    if (m->geom_type[g] == VV_GEOM_PLANE && film->color[3 * g] >= 0) {  // floors stay calm
      for (int k = 0; k < 3; k++) film->color[3 * g + k] = 0.62 + 0.06 * film->color[3 * g + k];
    }
  }
}

// ---- shapes ----------------------------------------------------------------------------------------------------

// Shapes of state `row` into `shapes`; returns their number. pose: of the model.
static int place_shapes(const Film* film, int row, vvRigidPose* pose, const vvReal* ref, vvShape* shapes) {
  const vvModel* m = film->m;
  int n = 0;
  vv_rigid_kinematics(m, film->q + (size_t)row * (size_t)m->nq, ref, pose);
  for (int g = 0; g < m->ngeom; g++) {
    if (film->color[3 * g] < 0) continue;
    int b = m->geom_body[g];
    vvQuat body = vv_quat_load(pose->xquat, 4 * b);
    vvVec3 pos = vv_vec3_add(vv_vec3_load(pose->xpos, 3 * b), vv_quat_rotate(body, vv_vec3_load(m->geom_lpos, 3 * g)));
    vvMat3 R = vv_quat_matrix(vv_quat_mul(body, vv_quat_load(m->geom_lquat, 4 * g)));
    vvShape* s = &shapes[n++];
    s->type = m->geom_type[g];
    s->pos[0] = pos.x, s->pos[1] = pos.y, s->pos[2] = pos.z;
    vvReal mat[9];
    vv_mat3_store(mat, 0, R);
    for (int k = 0; k < 9; k++) s->mat[k] = mat[k];
    for (int k = 0; k < 3; k++) {
      s->size[k] = m->geom_dim[3 * g + k];
      s->color[k] = film->color[3 * g + k];
    }
    s->radius = vv_shape_radius(s->type, s->size);
  }
  return n;
}

static bool place_all(Film* film) {
  const vvModel* m = film->m;
  int n = 16 * m->nbody + 6 * m->nv + 3 * m->ntree;
  vvReal* memory = calloc((size_t)n, sizeof *memory);
  film->shapes = calloc((size_t)film->nframe * (size_t)m->ngeom + 1, sizeof *film->shapes);
  if (memory && film->shapes) {
    vvRigidPose pose = {memory, memory + 3 * m->nbody, memory + 7 * m->nbody, memory + 16 * m->nbody};
    const vvReal* ref = memory + 16 * m->nbody + 6 * m->nv;
    film->nshape = place_shapes(film, film->row[0], &pose, ref, film->shapes);
    for (int f = 1; f < film->nframe; f++) {
      place_shapes(film, film->row[f], &pose, ref, film->shapes + (size_t)f * (size_t)film->nshape);
    }
  }
  bool good = memory && film->shapes;
  free(memory);
  return good;
}

// ---- camera ----------------------------------------------------------------------------------------------------

// Which shapes the camera has to show: those that move, or all when none does.
static void choose_shown(const Film* film, bool* shown) {
  const vvModel* m = film->m;
  int nshown = 0;
  for (int pass = 0; pass < 2 && nshown == 0; pass++) {
    int s = 0;
    for (int g = 0; g < m->ngeom; g++) {
      if (film->color[3 * g] < 0) continue;
      shown[s] = m->geom_type[g] != VV_GEOM_PLANE && (pass == 1 || m->body_tree[m->geom_body[g]] >= 0);
      nshown += shown[s++];
    }
  }
}

static void bounds(const vvShape* shapes, int n, const bool* shown, double low[3], double high[3]) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3 && shown[i]; k++) {
      low[k] = fmin(low[k], shapes[i].pos[k] - shapes[i].radius);
      high[k] = fmax(high[k], shapes[i].pos[k] + shapes[i].radius);
    }
  }
}

static void look_along(vvCamera* c, const double forward[3]) {
  double length = sqrt(forward[0] * forward[0] + forward[1] * forward[1] + forward[2] * forward[2]);
  for (int k = 0; k < 3; k++) c->forward[k] = forward[k] / length;
  double flat = sqrt(c->forward[0] * c->forward[0] + c->forward[1] * c->forward[1]);
  c->right[0] = c->forward[1] / flat;
  c->right[1] = -c->forward[0] / flat;
  c->right[2] = 0;
  c->up[0] = c->right[1] * c->forward[2];
  c->up[1] = -c->right[0] * c->forward[2];
  c->up[2] = c->right[0] * c->forward[1] - c->right[1] * c->forward[0];
}

// Distance from `center` at which the shown shapes fit into the picture.
static double fitting_distance(const vvCamera* c, const vvShape* shapes, int n, const bool* shown,
                               const double center[3]) {
  double distance = 0, ty = 0.86 * c->tangent, tx = ty * (double)FRAME_WIDTH / (double)FRAME_HEIGHT;
  for (int i = 0; i < n; i++) {
    if (!shown[i]) continue;
    double p[3], x = 0, y = 0, z = 0, r = shapes[i].radius;
    for (int k = 0; k < 3; k++) {
      p[k] = shapes[i].pos[k] - center[k];
      x += p[k] * c->right[k];
      y += p[k] * c->up[k];
      z += p[k] * c->forward[k];
    }
    distance = fmax(distance, fmax((fabs(x) + r) / tx, (fabs(y) + r) / ty) - z);
  }
  return distance;
}

static double round_step(double x) {
  double unit = pow(10, floor(log10(x)));
  double s = x / unit;
  return unit * (s < 1.5 ? 1 : s < 3.5 ? 2 : s < 7.5 ? 5 : 10);
}

static void aim(Film* film, const bool* shown) {
  const double big = 1e30;
  double low[3] = {big, big, big}, high[3] = {-big, -big, -big}, size = 0;
  for (int f = 0; f < film->nframe; f++) {
    const vvShape* shapes = film->shapes + (size_t)f * (size_t)film->nshape;
    double l[3] = {big, big, big}, h[3] = {-big, -big, -big};
    bounds(shapes, film->nshape, shown, l, h);
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], l[k]);
      high[k] = fmax(high[k], h[k]);
      size = fmax(size, h[k] - l[k]);
    }
  }
  bool empty = !(low[0] <= high[0]);
  bool follow = !empty && fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2])) > 3.5 * size;
  double distance = 0;
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1 && follow) distance *= 1.5;  // shows more of the floor that passes by
    for (int f = 0; f < film->nframe; f++) {
      const vvShape* shapes = film->shapes + (size_t)f * (size_t)film->nshape;
      vvCamera* c = &film->cameras[f];
      double center[3] = {0, 0, 0}, l[3] = {big, big, big}, h[3] = {-big, -big, -big};
      if (follow) bounds(shapes, film->nshape, shown, l, h);
      for (int k = 0; k < 3 && !empty; k++) center[k] = follow ? (l[k] + h[k]) / 2 : (low[k] + high[k]) / 2;
      c->tangent = 0.34;
      look_along(c, (const double[]){0.42, 1.0, -0.40});
      if (pass == 0) distance = fmax(distance, fitting_distance(c, shapes, film->nshape, shown, center));
      if (empty) distance = 3;
      for (int k = 0; k < 3; k++) c->eye[k] = center[k] - distance * c->forward[k];
      c->checker = round_step(0.22 * distance * c->tangent);
      c->haze = 5 * distance;
    }
  }
}

// ---- files -----------------------------------------------------------------------------------------------------

static vvStatus draw_frame(void* user, int f, int thread) {
  (void)thread;
  Film* film = user;
  vvImage* image = &film->frames[f];
  if (!vv_render(film->shapes + (size_t)f * (size_t)film->nshape, film->nshape, &film->cameras[f], image)) {
    return VV_ERROR_MEMORY;
  }
  static const unsigned char ink[3] = {70, 78, 88};
  char text[32];
  snprintf(text, sizeof text, "%.2f s", (double)film->time[film->row[f]]);
  vv_image_text(image, 12, FRAME_HEIGHT - 26, 2, text, ink);
  return VV_OK;
}

static bool make_image(vvImage* image, int width, int height) {
  image->width = width;
  image->height = height;
  image->rgb = malloc((size_t)width * (size_t)height * 3);
  return image->rgb != NULL;
}

static vvStatus write_sheet(const char* path, const Film* film) {
  vvImage sheet;
  int step_x = FRAME_WIDTH + SHEET_GAP, step_y = FRAME_HEIGHT + SHEET_GAP;
  if (!make_image(&sheet, SHEET_COLUMNS * step_x + SHEET_GAP, SHEET_COLUMNS * step_y + SHEET_GAP))
    return VV_ERROR_MEMORY;
  memset(sheet.rgb, 255, (size_t)sheet.width * (size_t)sheet.height * 3);
  for (int f = 0; f < film->nframe; f++) {
    int x = SHEET_GAP + f % SHEET_COLUMNS * step_x, y = SHEET_GAP + f / SHEET_COLUMNS * step_y;
    for (int j = 0; j < FRAME_HEIGHT; j++) {
      memcpy(sheet.rgb + 3 * ((size_t)(y + j) * (size_t)sheet.width + (size_t)x),
             film->frames[f].rgb + 3 * (size_t)j * FRAME_WIDTH, 3 * FRAME_WIDTH);
    }
  }
  bool good = vv_image_write_png(path, &sheet);
  free(sheet.rgb);
  return good ? VV_OK : VV_ERROR_FILE;
}

// Frames at even times; returns the delay between them [1/100 s].
static int choose_rows(Film* film, int n, int nframe, double step) {
  int row = 0;
  for (int f = 0; f < nframe; f++) {
    double t = film->time[0] + f * step;
    while (row + 1 < n && fabs(film->time[row + 1] - t) <= fabs(film->time[row] - t)) row++;
    film->row[f] = row;
  }
  film->nframe = nframe;
  return (int)(100 * step + 0.5);
}

static vvStatus draw(vvContext* context, const char* path, Film* film, int n) {
  double duration = film->time[n - 1] - film->time[0];
  bool is_gif = is_film(path);
  double step = duration / (SHEET_FRAMES - 1);
  int nframe = SHEET_FRAMES;
  if (is_gif) {
    step = fmax(FILM_DELAY, ceil(100 * duration / (FILM_FRAMES - 1))) / 100;
    nframe = (int)floor(duration / step + 1e-6) + 1;
  }
  size_t ngeom = (size_t)film->m->ngeom + 1;
  film->row = calloc((size_t)nframe, sizeof *film->row);
  film->color = calloc(3 * ngeom, sizeof *film->color);
  film->cameras = calloc((size_t)nframe, sizeof *film->cameras);
  film->frames = calloc((size_t)nframe, sizeof *film->frames);
  bool* shown = calloc(ngeom, sizeof *shown);
  bool good = film->row && film->color && film->cameras && film->frames && shown;
  int delay = 0;
  if (good) {
    delay = choose_rows(film, n, nframe, step);
    choose_colors(context, film);
    good = place_all(film);
  }
  for (int f = 0; f < nframe && good; f++) good = make_image(&film->frames[f], FRAME_WIDTH, FRAME_HEIGHT);
  vvStatus status = VV_ERROR_MEMORY;
  if (good) {
    choose_shown(film, shown);
    aim(film, shown);
    status = vv_parallel_for(context, film->nframe, draw_frame, film);
  }
  free(shown);
  if (status != VV_OK) return status;
  if (!is_gif) return write_sheet(path, film);
  return vv_image_write_gif(path, film->frames, film->nframe, delay) ? VV_OK : VV_ERROR_FILE;
}

vvStatus vv_picture_write(vvContext* context, const char* path, const vvModel* m, const vvReal* q, const vvReal* time,
                          int n, vvReport* report) {
  if (!vv_picture_name_valid(path)) {
    return vv_report_set(report, VV_ERROR_ARGUMENT, "%s: pictures are written as .png or .gif; name one of them", path);
  }
  if (n < 1) return vv_report_set(report, VV_ERROR_ARGUMENT, "%s: there is no state to draw", path);
  Film film = {.m = m, .q = q, .time = time};
  vvStatus status = draw(context, path, &film, n);
  for (int f = 0; f < film.nframe && film.frames; f++) free(film.frames[f].rgb);
  free(film.row);
  free(film.color);
  free(film.shapes);
  free(film.cameras);
  free(film.frames);
  if (status == VV_ERROR_FILE) return vv_report_set(report, status, "%s: cannot be written", path);
  return status == VV_OK ? VV_OK : vv_report_set(report, status, "%s: %s", path, vv_status_text(status));
}
