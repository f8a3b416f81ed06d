// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// collide_convex.c: the search of two convex shapes without a closed form: ellipsoids with everything, cylinders with
// capsule, cylinder and box.
//
// method   the maximum of s(n) = n.(p2 - p1) - h1(n) - h2(n) over unit n. h1 + h2 is a sum of square roots of quadratic
//          forms n.Q n (a segment size a: Q = size^2 a a', a disc, an ellipsoid); kinks are rounded by adding e^2
//          size^2 to Q, and e goes to 0 in steps, each solved by Newton with a line search, from the best of a set of
//          directions. The axes that n then is orthogonal to are held in the last steps, which are those of the
//          evaluation and go on to rounding.
// index    contact_convex_kernel.h
// differs  one contact for each pair; MuJoCo adds up to four for pairs among capsule, cylinder and box

#include "geom/collide_pair.h"

#define MAX_TERM 8
#define SMALLEST 1e-7  // last rounding e
#define ON_KINK 3e-6   // n is orthogonal to an axis below this sine

// h(n) = sqrt(n.Q n), Q = k (sum of squares) as needed.
typedef struct Term {
  vvMat3 Q;
  vvReal round;  // squared size that e^2 multiplies
} Term;

typedef struct Problem {
  vvConvex shape[2];
  int type[2];
  vvVec3 d;
  int nterm;
  Term term[MAX_TERM];
  vvReal e;
} Problem;

static vvMat3 outer(vvReal k, vvVec3 a) {
  vvMat3 r = {k * a.x * a.x, k * a.x * a.y, k * a.x * a.z, k * a.x * a.y, k * a.y * a.y,
              k * a.y * a.z, k * a.x * a.z, k * a.y * a.z, k * a.z * a.z};
  return r;
}

static vvMat3 sum(vvMat3 a, vvReal k, vvMat3 b) {
  vvMat3 r = {a.xx + k * b.xx, a.xy + k * b.xy, a.xz + k * b.xz, a.yx + k * b.yx, a.yy + k * b.yy,
              a.yz + k * b.yz, a.zx + k * b.zx, a.zy + k * b.zy, a.zz + k * b.zz};
  return r;
}

static void add_term(Problem* p, vvMat3 Q, vvReal round) {
  Term t = {Q, round};
  p->term[p->nterm++] = t;
}

static void add_shape(Problem* p, int k) {
  static const vvMat3 unit = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const vvConvex* c = &p->shape[k];
  vvVec3 s = c->size;
  vvMat3 xx = outer(s.x * s.x, c->x), yy = outer(s.y * s.y, c->y), zz = outer(s.z * s.z, c->z), zero = {0};
  switch (p->type[k]) {
    case VV_GEOM_ELLIPSOID:
      add_term(p, sum(sum(xx, 1, yy), 1, zz), 0);
      break;
    case VV_GEOM_BOX:
      add_term(p, xx, s.x * s.x);
      add_term(p, yy, s.y * s.y);
      add_term(p, zz, s.z * s.z);
      break;
    case VV_GEOM_CYLINDER:
      add_term(p, sum(sum(zero, s.x * s.x, unit), -s.x * s.x, outer(1, c->z)), s.x * s.x);
      add_term(p, outer(s.y * s.y, c->z), s.y * s.y);
      break;
    case VV_GEOM_CAPSULE:
      add_term(p, outer(s.y * s.y, c->z), s.y * s.y);
      add_term(p, sum(zero, s.x * s.x, unit), 0);
      break;
    default:
      add_term(p, sum(zero, s.x * s.x, unit), 0);
  }
}

// s(n); with G not NULL its gradient and Hessian in space.
static vvReal separation(const Problem* p, vvVec3 n, vvVec3* G, vvMat3* H) {
  vvReal s = vv_vec3_dot(n, p->d);
  vvMat3 zero = {0};
  if (G) *G = p->d;
  if (H) *H = zero;
  for (int k = 0; k < p->nterm; k++) {
    const Term* t = &p->term[k];
    vvReal add = p->e * p->e * t->round;
    vvVec3 Qn = vv_vec3_muladd(vv_mat3_mul(t->Q, n), add, n);
    vvReal h = vv_sqrt(vv_fmax(vv_vec3_dot(n, Qn), (vvReal)1e-300));
    s -= h;
    if (!G) continue;
    *G = vv_vec3_muladd(*G, -1 / h, Qn);
    vvMat3 Q = t->Q;
    Q.xx += add;
    Q.yy += add;
    Q.zz += add;
    *H = sum(sum(*H, -1 / h, Q), 1 / (h * h * h), outer(1, Qn));
  }
  return s;
}

// Two unit vectors that complete n.
static void tangents(vvVec3 n, vvVec3* t1, vvVec3* t2) {
  vvVec3 e = {1, 0, 0};
  if (vv_fabs(n.x) > (vvReal)0.6) e = vv_vec3(0, 1, 0);
  *t1 = vv_contact_unit(vv_vec3_cross(n, e));
  *t2 = vv_vec3_cross(n, *t1);
}

// Newton's ascent of s at the rounding p->e.
static vvVec3 ascend(const Problem* p, vvVec3 n) {
  for (int step = 0; step < 30; step++) {
    vvVec3 G, t1, t2;
    vvMat3 H;
    vvReal s = separation(p, n, &G, &H), radial = vv_vec3_dot(n, G);
    tangents(n, &t1, &t2);
    vvVec3 H1 = vv_mat3_mul(H, t1), H2 = vv_mat3_mul(H, t2);
    vvReal g1 = vv_vec3_dot(G, t1), g2 = vv_vec3_dot(G, t2);
    vvReal a = radial - vv_vec3_dot(H1, t1), b = -vv_vec3_dot(H1, t2), c = radial - vv_vec3_dot(H2, t2);
    // -Hessian = [a b; b c], shifted until it is positive definite
    vvReal least = (a + c) / 2 - vv_hypot((a - c) / 2, b), size = vv_fabs(a) + vv_fabs(c) + (vvReal)1e-12;
    vvReal shift = least < (vvReal)1e-10 * size ? (vvReal)1e-3 * size - least : 0;
    a += shift;
    c += shift;
    vvReal det = a * c - b * b, u1 = (c * g1 - b * g2) / det, u2 = (a * g2 - b * g1) / det;
    vvReal length = vv_hypot(u1, u2), along = g1 * u1 + g2 * u2, alpha = length > 1 ? 1 / length : 1;
    if (!(length > (vvReal)1e-13) || along < (vvReal)1e-15 * (vv_fabs(s) + vv_vec3_length(p->d))) break;
    vvVec3 next = n;
    bool better = false;
    for (int cut = 0; cut < 12 && !better; cut++, alpha /= 2) {
      next = vv_contact_unit(vv_vec3_muladd(vv_vec3_muladd(n, alpha * u1, t1), alpha * u2, t2));
      better = separation(p, next, NULL, NULL) > s + (vvReal)1e-4 * alpha * along;
    }
    if (!better) break;
    n = next;
    if (length < (vvReal)1e-3 * p->e) break;
  }
  return n;
}

// The branch at n: index without flip, axes that n is orthogonal to.
typedef struct Branch {
  int index, second;
} Branch;

static void hold(const Problem* p, Branch* b, int which) {
  int one = b->second & 7;
  if (b->second >> 3) return;
  if (one == 0) {
    b->second = which;
    return;
  }
  vvVec3 u = vv_convex_axis(p->shape[0], p->shape[1], one), v = vv_convex_axis(p->shape[0], p->shape[1], which);
  vvVec3 c = vv_vec3_cross(u, v);
  if (vv_vec3_dot(c, c) > (vvReal)1e-6) b->second |= which << 3;
}

static Branch branch_at(const Problem* p, vvVec3 n) {
  Branch b = {0, 0};
  int code[2] = {0, 0}, cap[2] = {0, 0};
  for (int k = 1; k >= 0; k--) {  // flat sides of the later type first
    const vvConvex* c = &p->shape[k];
    vvVec3 d = vv_vec3_scale(k == 0 ? 1 : -1, n);
    const vvReal x[3] = {vv_vec3_dot(c->x, d), vv_vec3_dot(c->y, d), vv_vec3_dot(c->z, d)};
    int type = p->type[k];
    cap[k] = type == VV_GEOM_CYLINDER && vv_hypot(x[0], x[1]) < (vvReal)ON_KINK;
    for (int i = 0, unit = 1; i < 3; i++, unit *= 3) {
      bool kink = type == VV_GEOM_BOX || cap[k] || (i == 2 && (type == VV_GEOM_CYLINDER || type == VV_GEOM_CAPSULE));
      if (!kink) continue;
      if (vv_fabs(x[i]) < (vvReal)ON_KINK) {
        hold(p, &b, 1 + 3 * k + i);
      } else {
        code[k] += x[i] > 0 ? unit : 2 * unit;
      }
    }
  }
  b.index = code[0] + 27 * code[1] + 729 * cap[0] + 1458 * cap[1];
  if (b.second >> 3) {
    vvVec3 u = vv_convex_axis(p->shape[0], p->shape[1], b.second & 7);
    vvVec3 v = vv_convex_axis(p->shape[0], p->shape[1], b.second >> 3);
    if (vv_vec3_dot(vv_vec3_cross(u, v), n) < 0) b.index += 2916;
  }
  return b;
}

#define STARTS 5
#define DIRECTIONS 48

// Keeps the best directions apart from each other by a few degrees. False where n separates beyond reach.
static bool offer(const Problem* p, vvVec3 n, vvReal reach, vvVec3* best, vvReal* value) {
  vvReal s = separation(p, n, NULL, NULL);
  if (s > reach) return false;
  for (int i = 0; i < STARTS; i++) {
    if (vv_vec3_dot(n, best[i]) > (vvReal)0.98 && s <= value[i]) return true;
    if (!(s > value[i])) continue;
    int end = i;
    while (end < STARTS - 1 && vv_vec3_dot(n, best[end]) <= (vvReal)0.98) end++;
    for (int k = end; k > i; k--) {
      best[k] = best[k - 1];
      value[k] = value[k - 1];
    }
    best[i] = n;
    value[i] = s;
    return true;
  }
  return true;
}

static bool find_starts(Problem* p, vvReal reach, vvVec3* best, vvReal* value) {
  vvVec3 none = {0, 0, 0};
  for (int i = 0; i < STARTS; i++) {
    best[i] = none;
    value[i] = -(vvReal)1e30;
  }
  if (!offer(p, vv_contact_unit(p->d), reach, best, value)) return false;
  for (int i = 1; i <= 6; i++) {
    vvVec3 u = vv_convex_axis(p->shape[0], p->shape[1], i);
    if (vv_vec3_dot(u, p->d) < 0) u = vv_vec3_scale(-1, u);
    if (!offer(p, u, reach, best, value)) return false;
    for (int j = 4; j <= 6 && i < 4; j++) {
      vvVec3 v =
          vv_vec3_cross(vv_convex_axis(p->shape[0], p->shape[1], i), vv_convex_axis(p->shape[0], p->shape[1], j));
      if (vv_vec3_dot(v, v) < (vvReal)1e-6) continue;
      v = vv_contact_unit(v);
      if (vv_vec3_dot(v, p->d) < 0) v = vv_vec3_scale(-1, v);
      if (!offer(p, v, reach, best, value)) return false;
    }
  }
  for (int i = 0; i < DIRECTIONS; i++) {  // the best n never points away from p2 - p1: s(n) > s(-n)
    vvReal z = 1 - (2 * (vvReal)i + 1) / DIRECTIONS, r = vv_sqrt(1 - z * z),
           turn = (vvReal)2.399963229728653 * (vvReal)i;
    vvVec3 n = {r * vv_cos(turn), r * vv_sin(turn), z};
    if (vv_vec3_dot(n, p->d) < 0) n = vv_vec3_scale(-1, n);
    if (!offer(p, n, reach, best, value)) return false;
  }
  return true;
}

void vv_search_convex(vvSearch* s, const vvSearchPair* pair) {
  Problem p = {.nterm = 0, .e = 0};
  for (int k = 0; k < 2; k++) {
    int g = k == 0 ? pair->g1 : pair->g2;
    vvMat3 R = vv_search_frame(s, g);
    p.type[k] = s->m->geom_type[g];
    p.shape[k].p = vv_search_pos(s, g);
    p.shape[k].x = vv_contact_column(R, 0);
    p.shape[k].y = vv_contact_column(R, 1);
    p.shape[k].z = vv_contact_column(R, 2);
    p.shape[k].size = vv_search_size(s, g);
    add_shape(&p, k);
  }
  p.d = vv_vec3_sub(p.shape[1].p, p.shape[0].p);
  vvVec3 start[STARTS], n = {0, 0, 1};
  vvReal value[STARTS], most = -(vvReal)1e30;
  if (!find_starts(&p, pair->reach, start, value)) return;
  for (int i = 0; i < STARTS && value[i] > -(vvReal)1e29; i++) {
    vvVec3 at = start[i];
    for (p.e = (vvReal)0.1; p.e > (vvReal)0.9e-4; p.e /= 10) at = ascend(&p, at);
    p.e = 0;
    vvReal got = separation(&p, at, NULL, NULL);
    if (got > pair->reach) return;
    if (!(got > most)) continue;
    most = got;
    n = at;
  }
  for (p.e = (vvReal)1e-5; p.e > (vvReal)0.9 * SMALLEST; p.e /= 10) n = ascend(&p, n);
  Branch b = branch_at(&p, n);
  vvConvexPair r = {n, {0, 0, 0}, {0, 0, 0}, 0};
  for (int step = 0; step < 6; step++) {
    r = vv_convex_pair(p.shape[0], p.type[0], p.shape[1], p.type[1], n, b.index, b.second);
    vvVec3 change = vv_vec3_sub(r.n, n);
    n = r.n;
    if (vv_vec3_dot(change, change) < (vvReal)1e-30) break;
  }
  const vvReal y[3] = {n.x, n.y, n.z};
  vv_search_candidate(s, pair, VV_FEATURE_CONVEX, b.index, b.second, y, r.gap);
}
