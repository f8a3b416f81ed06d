// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// collide_box_box.c: the search of a box with a box.
//
// method   separating axes (3 + 3 faces, 9 edge pairs); then, for a face, the other box's most opposed face clipped
//          against its four sides (Sutherland, Hodgman), for two edges their closest points. The tolerances and the
//          preference for faces are those of MuJoCo's C engine, so that both find the same points in the same order.
// symbols  C: axes of box 2 in box 1, column by column; d1, d2: centre of the other box in the axes of box 1, 2
// index    contact_box_kernel.h

#include "geom/collide_pair.h"

#define SEPARATION 1e-13  // rounding of a separation, times the sum of the half sizes
#define PARALLEL 1e-16    // squared sine below which two edges give no axis
#define AMBIGUOUS 1e-9    // component of an axis below which both corners support it
#define SAME 1e-14        // squared distance of points that count once, times the squared size of the face
#define EDGE_PENALTY 1e-6
#define MAX_VERTEX 12

typedef struct Boxes {
  vvVec3 p1, p2;
  vvMat3 R1, R2;
  vvReal s1[3], s2[3], C[3][3], d1[3], d2[3];
  vvReal slack;  // axes separate beyond this
  int code;      // 0-2 face of box 1, 3-5 face of box 2, 6 + 3 i + j edges
  vvReal separation;
} Boxes;

static vvReal dot3(const vvReal* a, const vvReal* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void prepare(const vvSearch* s, const vvSearchPair* p, Boxes* b) {
  b->p1 = vv_search_pos(s, p->g1);
  b->p2 = vv_search_pos(s, p->g2);
  b->R1 = vv_search_frame(s, p->g1);
  b->R2 = vv_search_frame(s, p->g2);
  const vvReal* dim = s->m->geom_dim;
  vvVec3 d = vv_vec3_sub(b->p2, b->p1);
  b->slack = 0;
  for (int i = 0; i < 3; i++) {
    vvVec3 axis = vv_contact_column(b->R1, i);
    b->s1[i] = dim[3 * p->g1 + i];
    b->s2[i] = dim[3 * p->g2 + i];
    b->slack += b->s1[i] + b->s2[i];
    b->d1[i] = vv_vec3_dot(axis, d);
    b->d2[i] = -vv_vec3_dot(vv_contact_column(b->R2, i), d);
    for (int j = 0; j < 3; j++) b->C[i][j] = vv_vec3_dot(axis, vv_contact_column(b->R2, j));
  }
  b->slack = p->reach + SEPARATION * b->slack;
}

// Best face. False where one separates.
static bool try_faces(Boxes* b) {
  b->separation = -1e10;
  for (int k = 0; k < 6; k++) {
    int i = k % 3;
    vvReal gap, other[3];
    for (int j = 0; j < 3; j++) other[j] = vv_fabs(k < 3 ? b->C[i][j] : b->C[j][i]);
    if (k < 3) {
      gap = vv_fabs(b->d1[i]) - b->s1[i] - dot3(other, b->s2);
    } else {
      gap = vv_fabs(b->d2[i]) - b->s2[i] - dot3(other, b->s1);
    }
    if (gap > b->slack) return false;
    if (gap > b->separation) {
      b->separation = gap;
      b->code = k;
    }
  }
  return true;
}

// Unit axis e_i x column j in box 1; false where the edges are parallel.
static bool edge_axis(const Boxes* b, int i, int j, vvReal* axis) {
  int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  vvReal a1 = -b->C[i2][j], a2 = b->C[i1][j], n2 = a1 * a1 + a2 * a2;
  if (n2 < PARALLEL) return false;
  vvReal k = 1 / vv_sqrt(n2);
  axis[i] = 0;
  axis[i1] = a1 * k;
  axis[i2] = a2 * k;
  return true;
}

static void in_box2(const Boxes* b, const vvReal* axis, vvReal* out) {
  for (int j = 0; j < 3; j++) out[j] = axis[0] * b->C[0][j] + axis[1] * b->C[1][j] + axis[2] * b->C[2][j];
}

// Edge pairs that beat the best face. False where one separates.
static bool try_edges(Boxes* b) {
  vvReal face = b->separation;
  int face_code = b->code;
  for (int k = 0; k < 9; k++) {
    int i = k / 3, j = k % 3;
    vvReal axis[3], other[3];
    if (!edge_axis(b, i, j, axis)) continue;
    in_box2(b, axis, other);
    other[j] = 0;
    vvReal along[3], across[3];
    for (int n = 0; n < 3; n++) {
      along[n] = vv_fabs(axis[n]);
      across[n] = vv_fabs(other[n]);
    }
    vvReal gap = vv_fabs(dot3(axis, b->d1)) - dot3(b->s1, along) - dot3(b->s2, across);
    if (gap > b->slack) return false;
    if (gap - EDGE_PENALTY * vv_fabs(gap) > b->separation && gap > face) {
      b->separation = gap;
      b->code = 6 + k;
    }
  }
  if (b->code < 6) return true;
  // an edge pair close to the best face gives way to it, for its several points
  vvReal axis[3], other[3];
  edge_axis(b, (b->code - 6) / 3, (b->code - 6) % 3, axis);
  in_box2(b, axis, other);
  vvReal along = vv_fabs(face_code < 3 ? axis[face_code] : other[face_code - 3]);
  if (along > (vvReal)0.99 && b->separation < face + (vvReal)0.05 * vv_fabs(face) + (vvReal)1e-15) b->code = face_code;
  return true;
}

static vvReal clip(vvReal x, vvReal size, int* end) {
  *end = x > size ? 1 : x < -size ? 2 : 0;
  return x > size ? size : x < -size ? -size : x;
}

// Closest points of two supporting edges: c1 + s e_i and c2 + t column j, in box 1.
typedef struct Edges {
  int i, j, ends1, ends2;  // ends: 0 within, 1 at +, 2 at -
  vvReal d2, gap;
} Edges;

static void closest_edges(const Boxes* b, const vvReal* axis, const vvReal* c1, const vvReal* c2, Edges* e) {
  int i = e->i, j = e->j, ignored;
  vvReal d[3], u[3] = {b->C[0][j], b->C[1][j], b->C[2][j]};
  for (int k = 0; k < 3; k++) d[k] = c2[k] - c1[k];
  vvReal ab = u[i], de = d[i], ue = dot3(u, d), det = 1 - ab * ab;
  vvReal s = clip(det < (vvReal)1e-15 ? 0 : (de - ab * ue) / det, b->s1[i], &ignored);
  vvReal t = clip(ab * s - ue, b->s2[j], &e->ends2);
  s = clip(de + ab * t, b->s1[i], &e->ends1);
  d[i] -= s;
  for (int k = 0; k < 3; k++) d[k] += t * u[k];
  e->d2 = dot3(d, d);
  e->gap = dot3(d, axis);
}

// Axis of a small component of the axis among the two besides i, -1: none.
static int ambiguous(const vvReal* axis, int i) {
  int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
  if (vv_fabs(axis[i1]) < (vvReal)AMBIGUOUS) return i1;
  return vv_fabs(axis[i2]) < (vvReal)AMBIGUOUS ? i2 : -1;
}

static void edge_contact(vvSearch* s, const vvSearchPair* p, const Boxes* b) {
  Edges e = {.i = (b->code - 6) / 3, .j = (b->code - 6) % 3}, best = {.d2 = 1e10};
  int flip = 0, index = 0;
  vvReal axis[3], other[3];
  edge_axis(b, e.i, e.j, axis);
  if (dot3(axis, b->d1) < 0) {
    flip = 1;
    for (int k = 0; k < 3; k++) axis[k] = -axis[k];
  }
  in_box2(b, axis, other);
  int free1 = ambiguous(axis, e.i), free2 = ambiguous(other, e.j);
  for (int trial = 0; trial < 4; trial++) {
    if ((trial & 2 && free1 < 0) || (trial & 1 && free2 < 0)) continue;
    vvReal c1[3], c2[3], local[3];
    int sign1 = 0, sign2 = 0;
    for (int k = 0; k < 3; k++) {
      bool up1 = (axis[k] >= 0) != (k == free1 && trial & 2), up2 = (other[k] < 0) != (k == free2 && trial & 1);
      c1[k] = k == e.i ? 0 : up1 ? b->s1[k] : -b->s1[k];
      local[k] = k == e.j ? 0 : up2 ? b->s2[k] : -b->s2[k];
      sign1 |= up1 << k;
      sign2 |= up2 << k;
    }
    for (int k = 0; k < 3; k++) c2[k] = b->d1[k] + dot3(b->C[k], local);
    closest_edges(b, axis, c1, c2, &e);
    if (!(e.d2 < best.d2)) continue;
    best = e;
    index = e.i | e.j << 2 | flip << 4 | (sign1 >> (e.i + 1) % 3 & 1) << 5 | (sign1 >> (e.i + 2) % 3 & 1) << 6 |
            (sign2 >> (e.j + 1) % 3 & 1) << 7 | (sign2 >> (e.j + 2) % 3 & 1) << 8 | e.ends1 << 9 | e.ends2 << 11;
  }
  if (best.gap <= b->slack) vv_search_candidate(s, p, VV_FEATURE_BOX_EDGE, index, 0, NULL, best.gap);
}

// A polygon over the reference face: place on it, height above it, and the line from each vertex to the next.
typedef struct Polygon {
  int n;
  vvReal v[MAX_VERTEX][3];
  int line[MAX_VERTEX];
} Polygon;

// Keeps the part with sign v[axis] <= limit; the new side gets the given line.
static void clip_polygon(Polygon* in, int axis, vvReal sign, vvReal limit, int line) {
  vvReal d[MAX_VERTEX];
  bool inside = true;
  for (int k = 0; k < in->n; k++) {
    d[k] = sign * in->v[k][axis] - limit;
    inside = inside && d[k] <= 0;
  }
  if (inside) return;
  Polygon out = {.n = 0};
  for (int k = 0; k < in->n; k++) {
    int next = k + 1 == in->n ? 0 : k + 1;
    if (d[k] <= 0 && out.n < MAX_VERTEX) {
      for (int c = 0; c < 3; c++) out.v[out.n][c] = in->v[k][c];
      out.line[out.n++] = d[next] <= 0 || d[k] < 0 ? in->line[k] : line;
    }
    if (((d[k] < 0 && d[next] > 0) || (d[k] > 0 && d[next] < 0)) && out.n < MAX_VERTEX) {
      vvReal t = d[k] / (d[k] - d[next]);
      for (int c = 0; c < 3; c++) out.v[out.n][c] = in->v[k][c] + t * (in->v[next][c] - in->v[k][c]);
      out.line[out.n++] = d[k] < 0 ? line : in->line[k];
    }
  }
  *in = out;
}

// The incident face over the reference face `a`; returns the index without lines.
static int incident_face(const Boxes* b, Polygon* poly) {
  bool second = b->code >= 3;
  int a = b->code % 3, f = 0;
  const vvReal* size = second ? b->s2 : b->s1;
  const vvReal* other = second ? b->s1 : b->s2;
  const vvReal* d = second ? b->d2 : b->d1;
  vvReal D[3][3];  // axes of the incident box in the reference box, by column
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) D[i][j] = second ? b->C[j][i] : b->C[i][j];
  }
  bool up = d[a] >= 0;
  for (int k = 1; k < 3; k++) {
    if (vv_fabs(D[a][k]) > vv_fabs(D[a][f])) f = k;
  }
  bool top = !((up ? 1 : -1) * D[a][f] > 0);
  int u = (f + 1) % 3, v = (f + 2) % 3;
  poly->n = 4;
  for (int k = 0; k < 4; k++) {
    vvReal su = k == 0 || k == 3 ? other[u] : -other[u], sv = k < 2 ? other[v] : -other[v];
    for (int c = 0; c < 3; c++) {
      int row = (a + 1 + c) % 3;
      poly->v[k][c] = d[row] + (top ? 1 : -1) * other[f] * D[row][f] + su * D[row][u] + sv * D[row][v];
    }
    poly->v[k][2] = (up ? poly->v[k][2] : -poly->v[k][2]) - size[a];
  }
  const int lines[4] = {2, 1, 3, 0};
  for (int k = 0; k < 4; k++) poly->line[k] = lines[k];
  return (int)second | a << 1 | up << 3 | f << 4 | top << 6;
}

static void face_contact(vvSearch* s, const vvSearchPair* p, const Boxes* b) {
  Polygon poly;
  int index = incident_face(b, &poly), a = b->code % 3;
  const vvReal* size = b->code >= 3 ? b->s2 : b->s1;
  vvReal sx = size[(a + 1) % 3], sy = size[(a + 2) % 3], same = (vvReal)SAME * (sx * sx + sy * sy);
  clip_polygon(&poly, 0, 1, sx, 4);
  clip_polygon(&poly, 0, -1, sx, 5);
  clip_polygon(&poly, 1, 1, sy, 6);
  clip_polygon(&poly, 1, -1, sy, 7);
  int taken[MAX_VERTEX], n = 0;
  for (int k = 0; k < poly.n; k++) {
    if (poly.v[k][2] > p->reach) continue;
    bool known = false;
    for (int i = 0; i < n && !known; i++) {
      vvReal dx = poly.v[taken[i]][0] - poly.v[k][0], dy = poly.v[taken[i]][1] - poly.v[k][1];
      known = dx * dx + dy * dy < same;
    }
    if (known) continue;
    taken[n++] = k;
    int one = poly.line[k == 0 ? poly.n - 1 : k - 1], two = poly.line[k];
    if (one > two) {
      int swap = one;
      one = two;
      two = swap;
    }
    vv_search_candidate(s, p, VV_FEATURE_BOX_FACE, index | one << 7 | two << 10, 0, NULL, poly.v[k][2]);
  }
}

void vv_search_box_box(vvSearch* s, const vvSearchPair* p) {
  Boxes b = {0};
  prepare(s, p, &b);
  if (!try_faces(&b) || !try_edges(&b)) return;
  if (b.code >= 6) {
    edge_contact(s, p, &b);
  } else {
    face_contact(s, p, &b);
  }
}
