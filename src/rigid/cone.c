// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// cone.c: the constraint law of one contact as a convex function s(x) of x = J a - a_ref, x in the contact frame:
// force f = -ds/dx, curvature C = d2s/dx2, and both along a line. constraint_law_kernel.h states the law; its force is
// the same as the one here.
//
//   pyramid   s = D0/2 sum over edges of min(0, x0 +- mu_k xk)^2;  dim 1: D0/2 min(0, x0)^2
//   equality  s = 1/2 sum of Dk xk^2
//   elliptic  u0 = cone x0, uk = mu_k xk, N = u0, T = |u1..|, Dm = D0/(cone^2 (1 + cone^2)):
//             top 0;  bottom 1/2 sum of Dk xk^2;  middle Dm/2 (N - cone T)^2

#include <string.h>

#include "rigid/work.h"

enum { TOP = 0, MIDDLE = 1, BOTTOM = 2 };

static void pyramid_force(vvRigidContact* c) {
  vvReal x0 = c->x[0];
  for (int k = 0; k < c->dim; k++) c->f[k] = 0;
  c->zone = 0;
  if (c->dim == 1) {
    if (x0 < 0) {
      c->zone = 1;
      c->f[0] = -c->D0 * x0;
    }
  }
  for (int k = 1; k < c->dim; k++) {
    vvReal up = x0 + c->mu[k] * c->x[k], down = x0 - c->mu[k] * c->x[k];
    vvReal p = 0, q = 0;
    if (up < 0) {
      c->zone |= 1 << (2 * k - 1);
      p = -c->D0 * up;
    }
    if (down < 0) {
      c->zone |= 1 << (2 * k);
      q = -c->D0 * down;
    }
    c->f[0] += p + q;
    c->f[k] = c->mu[k] * (p - q);
  }
}

static void pyramid_curvature(const vvRigidContact* c, vvReal* C) {
  if (c->dim == 1) C[0] = c->D0;
  for (int k = 1; k < c->dim; k++) {
    int up = c->zone >> (2 * k - 1) & 1, down = c->zone >> (2 * k) & 1;
    C[0] += c->D0 * (vvReal)(up + down);
    C[k] = C[VV_MAX_DIM * k] = c->D0 * c->mu[k] * (vvReal)(up - down);
    C[VV_MAX_DIM * k + k] = c->D0 * c->mu[k] * c->mu[k] * (vvReal)(up + down);
  }
}

static void pyramid_along(const vvRigidContact* c, vvReal alpha, vvReal* slope, vvReal* curve) {
  vvReal y0 = c->x[0] + alpha * c->dx[0], s = 0, t = 0;
  if (c->dim == 1 && y0 < 0) {
    s = y0 * c->dx[0];
    t = c->dx[0] * c->dx[0];
  }
  for (int k = 1; k < c->dim; k++) {
    vvReal yk = c->mu[k] * (c->x[k] + alpha * c->dx[k]), dk = c->mu[k] * c->dx[k];
    if (y0 + yk < 0) {
      s += (y0 + yk) * (c->dx[0] + dk);
      t += (c->dx[0] + dk) * (c->dx[0] + dk);
    }
    if (y0 - yk < 0) {
      s += (y0 - yk) * (c->dx[0] - dk);
      t += (c->dx[0] - dk) * (c->dx[0] - dk);
    }
  }
  *slope += c->D0 * s;
  *curve += c->D0 * t;
}

// Zone at scaled coordinates u (u[0] = N) and T.
static int elliptic_zone(vvReal cone, vvReal N, vvReal T) {
  if (N < 0 && cone * N + T <= 0) return BOTTOM;
  return T > 0 && N < cone * T ? MIDDLE : TOP;
}

// u from x, returns T; below 1e-15 T counts as 0.
static vvReal scaled(const vvRigidContact* c, const vvReal* x, vvReal* u) {
  vvReal sum = 0;
  u[0] = c->cone * x[0];
  for (int k = 1; k < c->dim; k++) {
    u[k] = c->mu[k] * x[k];
    sum += u[k] * u[k];
  }
  return sum > VV_LAW_TINY * VV_LAW_TINY ? vv_sqrt(sum) : 0;
}

static vvReal middle_weight(const vvRigidContact* c) {
  return c->D0 / (c->cone * c->cone * (1 + c->cone * c->cone));
}

static void elliptic_force(vvRigidContact* c) {
  vvReal u[VV_MAX_DIM];
  vvReal T = scaled(c, c->x, u);
  c->zone = elliptic_zone(c->cone, u[0], T);
  if (c->zone == TOP) {
    for (int k = 0; k < c->dim; k++) c->f[k] = 0;
  } else if (c->zone == BOTTOM) {
    for (int k = 0; k < c->dim; k++) c->f[k] = -c->D[k] * c->x[k];
  } else {
    vvReal Dm = middle_weight(c), depth = u[0] - c->cone * T;
    c->f[0] = -Dm * c->cone * depth;
    vvReal s = -c->f[0] / T;
    for (int k = 1; k < c->dim; k++) c->f[k] = s * c->mu[k] * u[k];
  }
}

// Middle zone, in u: Dm g g' + Dm depth (-cone) d2T/du2 with g = (1, -cone u/T), d2T/du2 = (1 - u u'/T^2)/T.
static void elliptic_curvature(const vvRigidContact* c, vvReal* C) {
  if (c->zone == BOTTOM) {
    for (int k = 0; k < c->dim; k++) C[VV_MAX_DIM * k + k] = c->D[k];
    return;
  }
  vvReal u[VV_MAX_DIM], g[VV_MAX_DIM];
  vvReal T = scaled(c, c->x, u);
  vvReal Dm = middle_weight(c), bend = -Dm * (u[0] - c->cone * T) * c->cone / T;
  g[0] = c->cone;
  for (int k = 1; k < c->dim; k++) g[k] = -c->mu[k] * c->cone * u[k] / T;
  for (int i = 0; i < c->dim; i++) {
    for (int j = 0; j < c->dim; j++) {
      vvReal value = Dm * g[i] * g[j];
      if (i > 0 && j > 0) value += bend * c->mu[i] * c->mu[j] * ((vvReal)(i == j) - u[i] / T * (u[j] / T));
      C[VV_MAX_DIM * i + j] = value;
    }
  }
}

static void elliptic_along(const vvRigidContact* c, vvReal alpha, vvReal* slope, vvReal* curve) {
  vvReal y[VV_MAX_DIM], u[VV_MAX_DIM], du[VV_MAX_DIM];
  for (int k = 0; k < c->dim; k++) y[k] = c->x[k] + alpha * c->dx[k];
  vvReal T = scaled(c, y, u);
  int zone = elliptic_zone(c->cone, u[0], T);
  if (zone == TOP) return;
  if (zone == BOTTOM) {
    for (int k = 0; k < c->dim; k++) {
      *slope += c->D[k] * y[k] * c->dx[k];
      *curve += c->D[k] * c->dx[k] * c->dx[k];
    }
    return;
  }
  scaled(c, c->dx, du);
  vvReal along = 0, square = 0;
  for (int k = 1; k < c->dim; k++) {
    along += u[k] * du[k];
    square += du[k] * du[k];
  }
  vvReal dT = along / T, ddT = (square - dT * dT) / T;
  vvReal Dm = middle_weight(c), depth = u[0] - c->cone * T, ddepth = du[0] - c->cone * dT;
  *slope += Dm * depth * ddepth;
  *curve += Dm * (ddepth * ddepth - depth * c->cone * ddT);
}

static void equality_force(vvRigidContact* c) {
  c->zone = 1;
  for (int k = 0; k < c->dim; k++) c->f[k] = -c->D[k] * c->x[k];
}

void vv_cone_force(vvRigidContact* c) {
  if (c->kind == VV_ROWS_EQUALITY) {
    equality_force(c);
  } else if (c->kind == VV_ROWS_PYRAMID) {
    pyramid_force(c);
  } else {
    elliptic_force(c);
  }
}

bool vv_cone_curvature(const vvRigidContact* c, vvReal* C) {
  if (c->zone == 0) return false;
  memset(C, 0, sizeof(vvReal) * VV_MAX_DIM * VV_MAX_DIM);
  if (c->kind == VV_ROWS_EQUALITY) {
    for (int k = 0; k < c->dim; k++) C[VV_MAX_DIM * k + k] = c->D[k];
  } else if (c->kind == VV_ROWS_PYRAMID) {
    pyramid_curvature(c, C);
  } else {
    elliptic_curvature(c, C);
  }
  return true;
}

void vv_cone_along(const vvRigidContact* c, vvReal alpha, vvReal* slope, vvReal* curve) {
  if (c->kind == VV_ROWS_EQUALITY) {
    for (int k = 0; k < c->dim; k++) {
      *slope += c->D[k] * (c->x[k] + alpha * c->dx[k]) * c->dx[k];
      *curve += c->D[k] * c->dx[k] * c->dx[k];
    }
  } else if (c->kind == VV_ROWS_PYRAMID) {
    pyramid_along(c, alpha, slope, curve);
  } else {
    elliptic_along(c, alpha, slope, curve);
  }
}
