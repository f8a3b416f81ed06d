// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// language_kernel.c: the language beyond forms_kernel.c: arrays with several indices, structs in arrays and in structs,
// integers of every width, initialisers, the rest of math.h, assignments inside expressions; see test_forms.c.

#include "vvcc/language_kernel.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

// implicit conversions and missing braces are part of the language
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
#pragma GCC diagnostic ignored "-Wmissing-braces"

typedef struct vvPoint3 {
  vvReal v[3];
} vvPoint3;
typedef struct vvSpringDef {
  int a, b;
  vvReal k, rest;
} vvSpringDef;
typedef struct vvFrame {
  vvReal R[3][3];
  vvPoint3 p[2];
  int tag;
  bool on;
} vvFrame;
typedef struct vvChain {
  vvFrame f[3];
  vvReal weight;
} vvChain;
typedef enum vvKind { VV_KIND_A, VV_KIND_B = 5, VV_KIND_C } vvKind;

VV_DIFF VV_SECOND vvReal g_matrix(const vvReal* x, vvReal* y, int n) {
  vvReal A[3][4], B[4][3] = {{0}}, C[3][3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) A[i][j] = B[j][i] = x[4 * i + j] * x[i + j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      C[i][j] = 0;
      for (int k = 0; k < 4; k++) C[i][j] += A[i][k] * B[k][j];
    }
  y[n] = C[0][0] * C[1][2] - C[2][1];
  return C[n % 3][1];
}

VV_DIFF static vvReal det2(vvReal m[2][2]) {
  m[0][0] *= m[1][1];
  return m[0][0] - m[0][1] * m[1][0];
}

VV_DIFF VV_SECOND vvReal g_matrix_param(const vvReal* x, vvReal* y, int n) {
  vvReal m[2][2] = {{x[0], x[1]}, {x[2], x[n]}};
  y[0] = det2(m);
  return m[0][0] * y[0];
}

VV_DIFF static vvReal trace_of(const vvReal (*m)[3], int n) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) s += m[i][i] * m[0][i];
  return s;
}

VV_DIFF VV_SECOND vvReal g_rows(const vvReal* x, vvReal* y, int n) {
  vvReal m[3][3];
  for (int i = 0; i < 9; i++) m[i / 3][i % 3] = x[i] * y[0];
  return trace_of((const vvReal(*)[3])m, 3) + n;
}

VV_DIFF VV_SECOND vvReal g_cube(const vvReal* x, vvReal* y, int n) {
  vvReal c[2][3][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 2; k++) c[i][j][k] = x[i + j] * x[6 + k] * (i + 1);
  for (int j = 1; j < 3; j++) c[1][j][0] = c[1][j - 1][0] * c[0][j][1];
  y[1] = c[1][2][0];
  return c[1][1][1] + y[n];
}

VV_DIFF VV_SECOND vvReal g_nested(const vvReal* x, vvReal* y, int n) {
  vvChain c = {0};
  for (int i = 0; i < 3; i++) {
    c.f[i].tag = (i + 1) % 3;
    c.f[i].on = i != 1;
    for (int j = 0; j < 3; j++) {
      c.f[i].R[j][i] = x[i + j] * x[j];
      c.f[i].p[1].v[j] = x[3 * i + j];
    }
  }
  c.weight = x[11];
  vvChain d = c;
  vvFrame* f = &d.f[1];
  f->R[0][1] *= d.f[2].p[1].v[0];
  d.f[0] = *f;
  if (d.f[n % 3].on) d.f[d.f[1].tag].p[1].v[2] += d.f[0].R[0][1];
  y[2] = d.f[2].p[1].v[2];
  return d.f[0].R[2][1] * d.weight;
}

VV_DIFF static vvReal energy(const vvSpringDef* s, int ns, const vvReal* x) {
  vvReal e = 0;
  for (int i = 0; i < ns; i++) {
    vvReal d = x[s[i].a] - x[s[i].b] - s[i].rest;
    e += s[i].k * d * d / 2;
  }
  return e;
}

VV_DIFF VV_SECOND vvReal g_springs(const vvReal* x, vvReal* y, int n) {
  vvSpringDef s[3];
  for (int i = 0; i < 3; i++) {
    vvSpringDef one = {.a = i, .b = i + n, .rest = x[i] * y[i], .k = 1 + x[4 + i]};
    s[i] = one;
  }
  return energy(s, 3, x);
}

VV_DIFF static void shift(vvFrame* f, int i, vvReal by) {
  for (int k = 0; k < 3; k++) f[i].p[1].v[k] += by * f[i].R[k][0];
  f[i].tag++;
}

VV_DIFF VV_SECOND vvReal g_struct_write(const vvReal* x, vvReal* y, int n) {
  vvFrame f[2] = {{.tag = 1}, {.p = {{{0}}, {{x[0], x[1], x[2]}}}, .on = true}};
  for (int k = 0; k < 3; k++) f[1].R[k][0] = x[k + 3];
  shift(f, 1, x[n]);
  shift(f, f[1].tag, y[0]);
  return f[1].p[1].v[1] * f[1].tag;
}

VV_DIFF VV_SECOND vvReal g_choose_struct(const vvReal* x, vvReal* y, int n) {
  vvVec3 a = {x[0], x[1], x[2]}, b = {x[3], x[4], x[5]};
  vvVec3 c = x[6] > x[7] ? a : vv_vec3_cross(a, b);
  vvVec3 d = n > 3 ? vv_vec3_add(a, c) : b;
  y[0] = d.x;
  return vv_vec3_dot(c, d);
}

VV_DIFF VV_SECOND vvReal g_choose_index(const vvReal* x, vvReal* y, int n) {
  y[n > 2 ? 1 : 0] = x[x[0] > x[1] ? 2 : 3] * vv_sin(x[4] > 0 ? x[5] : x[6]);
  return y[1] * y[0];
}

VV_DIFF VV_SECOND vvReal g_small_ints(const vvReal* x, vvReal* y, int n) {
  uint8_t a = 250;
  a += (uint8_t)n + 6;
  int16_t b = (int16_t)(32767 - n), c = 5;
  int d = b + c;
  unsigned char e = 200, f = 100;
  int g = e + f;
  int64_t h = (int64_t)g << 20;
  char q = 'c';
  bool t = n, u = !n;
  y[a] = x[d % 7] * x[g / 50] + (vvReal)(h >> 20) * x[q - 'a'] + (t + u) * x[1];
  size_t z = 3;
  for (size_t i = z; i-- > 0;) y[i] *= x[i];
  return y[a] * x[e % 12];
}

VV_DIFF static vvReal by_kind(vvKind k, vvReal a) {
  switch (k) {
    case VV_KIND_A:
      return a * a;
    case VV_KIND_B:
      a += 1; /* fall through */
    case VV_KIND_C:
      return a * 3;
    default:
      break;
  }
  return 0;
}

VV_DIFF VV_SECOND vvReal g_enum(const vvReal* x, vvReal* y, int n) {
  vvKind k = n > 3 ? VV_KIND_B : VV_KIND_A;
  y[0] = by_kind(k, x[0]) * by_kind((vvKind)(k + 1), x[1]);
  return y[0] + by_kind(VV_KIND_A, x[2]);
}

VV_DIFF VV_SECOND vvReal g_float(const vvReal* x, vvReal* y, int n) {
  float a = (float)x[0];
  double b = x[1] * 2.0f;
  float c = sinf(a) * a;
  y[0] = c + b + sqrt(x[2]) + fabsf(a);
  return y[0] * n;
}

VV_DIFF VV_SECOND vvReal g_math(const vvReal* x, vvReal* y, int n) {
  y[0] = copysign(x[0], -1.0) + exp2(x[1]) + log2(x[2]) + log10(x[3]) + asinh(x[4]) + acosh(1 + x[5]) + atanh(x[6] / 3);
  y[1] = fma(x[0], x[1], x[2]) + fdim(x[3], x[4]) + erf(x[5]) + erfc(x[6]) + trunc(7 * x[7]) + round(x[8] * 5) +
         rint(x[9]);
  return y[0] * y[1] + remainder(x[0] * 7, 2.0) + n + ldexp(x[2], 3) + nearbyint(x[2]);
}

VV_DIFF VV_SECOND vvReal g_classify(const vvReal* x, vvReal* y, int n) {
  vvReal s = x[0];
  if (isnan(s) || isinf(s)) return 0;
  if (isfinite(x[1]) && !signbit(x[2])) s *= x[1];
  if (s < INFINITY && s > -HUGE_VAL) s *= x[3] * M_PI;
  int k = abs(-n);
  return s * x[k] + y[0];
}

VV_DIFF VV_SECOND vvReal g_assert(const vvReal* x, vvReal* y, int n) {
  assert(n > 0);
  return x[0] * x[n] + y[1];
}

VV_DIFF VV_SECOND vvReal g_designators(const vvReal* x, vvReal* y, int n) {
  vvReal t[6] = {[2] = x[0] * x[1], x[2], [0] = 1};
  vvReal m[2][2] = {x[0], x[1], x[2], x[3]};
  vvFrame f = {.p[1].v = {x[4], x[5]}, .R[0] = {x[6]}};
  int w[3] = {[1] = 2};
  y[0] = t[2] * t[3] + t[0] + t[w[1]] + f.p[1].v[1] * f.R[0][0];
  return m[1][0] * m[0][1] + n;
}

VV_DIFF VV_SECOND vvReal g_assign_condition(const vvReal* x, vvReal* y, int n) {
  vvReal r = x[0], s;
  int k = 0;
  while ((s = r * r + x[1]) < 20 && k++ < n) r = s + x[2];
  if ((k = n - 1) > 2) y[0] = s * x[k];
  return r * y[0];
}

VV_DIFF VV_SECOND vvReal g_compound_value(const vvReal* x, vvReal* y, int n) {
  vvReal a = x[0], b;
  b = (a *= x[1]) + 1;
  y[n -= 2] += (a -= b) * x[2];
  int i = 0, j = (i += 2) * 2;
  y[j - 1] /= (b += x[i++]);
  y[i] *= y[j - 1] = a * b;
  return y[2] * y[3] + a;
}

VV_DIFF static int find(const int* a, int n, int key) {
  for (int i = 0; i < n; i++)
    if (a[i] == key) return i;
  return -1;
}

VV_DIFF static inline int clampi(int a, int lo, int hi) {
  return a < lo ? lo : (a > hi ? hi : a);
}

VV_DIFF static bool above(vvReal a, vvReal b) {
  return a > b;
}

VV_DIFF VV_SECOND vvReal g_int_function(const vvReal* x, vvReal* y, int n) {
  int a[4] = {3, 1, 4, 1};
  int k = find(a, n, 4);
  y[clampi(n, 0, 2)] = above(x[0], x[1]) ? x[k] * x[1] : x[2];
  return y[2] * x[clampi(k + 20, 0, 11)];
}

static const vvReal W[2][3] = {{1, 2, 3}, {4, 5, 6}};

static const vvSpringDef S[2] = {{0, 1, 2.0, 0.5}, {1, 2, 3.0, 0.25}};
enum { COUNT = 2 };
VV_DIFF VV_SECOND vvReal g_tables(const vvReal* x, vvReal* y, int n) {
  static const int order[2][2] = {{1, 0}, {2, 1}};
  const vvReal half = (vvReal)0.5;
  vvReal s = 0;
  for (int i = 0; i < COUNT; i++)
    for (int j = 0; j < 3; j++) s += W[i][j] * x[order[i][j % 2]] * half;
  for (int i = 0; i < 2; i++) s += S[i].k * x[S[i].a] * (x[S[i].b] - S[i].rest);

  return s * n + y[0];
}

VV_DIFF static void split(vvReal a, int* whole, vvReal* rest) {
  *whole = (int)vv_floor(a);
  *rest = a - *whole;
}

VV_DIFF VV_SECOND vvReal g_int_out(const vvReal* x, vvReal* y, int n) {
  int w;
  vvReal r;
  split(3 * x[0], &w, &r);
  split(r * 5 + n, &w, &y[0]);
  return r * x[w % 12] * y[0];
}

VV_DIFF VV_SECOND vvReal g_pointers(const vvReal* x, vvReal* y, int n) {
  vvReal t[3][4];
  vvReal s = 0;
  for (int i = 0; i < 3; i++) {
    vvReal* row = t[i];
    const vvReal* src = x + 3 * i;
    for (int j = 0; j < n; j++) row[j] = src[j % 3] * src[0];
    vvReal* last = &row[n - 1];
    *last += s;
    s += *last * row[0];
  }
  vvReal(*m)[4] = t;
  return s + m[1][2] * y[0];
}

VV_DIFF VV_SECOND vvReal g_switch_nest(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  for (int i = 0; i < 2 * n; i++) {
    switch (i % 4) {
      case 0:
        if (x[i] > 100) break;
        s *= x[i];
        // fall through
      case 1: {
        vvReal a = s * x[1];
        switch (i) {
          case 1:
            s += a;
            break;
          case 4:
            continue;
          default:
            s -= a / 3;
        }
        break;
      }
      case 2:
        continue;
      default:
        if (s > 50) return s * x[0];
        s += x[i];
    }
    y[i % 3] += s;
  }
  return s * y[1];
}

VV_DIFF VV_SECOND vvReal g_for_two(const vvReal* x, vvReal* y, int n) {
  vvReal s = 0;
  for (int i = 0, j = 2 * n; i < j; i++, j--) s = s * x[i] + x[j];
  for (int i = 0; s < 100 && i < n; ++i) s += s * x[i];
  int i = 5;
  do s *= x[--i];
  while (i > 2);
  y[0] = s;
  return s;
}

VV_DIFF static vvVec3 twist(vvVec3 a, vvReal s) {
  a.x *= s;
  a.y += a.x;
  vvVec3 b = a;
  b.z = a.y * b.z;
  return b;
}

VV_DIFF VV_SECOND vvReal g_struct_param(const vvReal* x, vvReal* y, int n) {
  vvVec3 a = twist(vv_vec3(x[0], x[1], x[2]), x[3]);
  vvVec3 b = twist(a, twist(a, y[0]).y);
  return b.z * twist(b, 2).y + n;
}

VV_DIFF VV_SECOND vvReal g_compound_literal(const vvReal* x, vvReal* y, int n) {
  vvVec3 a = vv_vec3_add((vvVec3){x[0], x[1], x[2]}, (vvVec3){.y = x[3]});
  vvReal s = vv_vec3_length(vv_vec3_load((vvReal[]){x[4], x[5], a.y}, 0));
  y[0] = ((vvReal[3]){a.x, a.y, s})[n % 3];
  return y[0] * a.z;
}

VV_DIFF VV_SECOND vvReal g_shadow(const vvReal* x, vvReal* y, int n) {
  vvReal a = x[0];
  {
    vvReal a = x[1] * 2;
    y[0] *= a;
    {
      vvReal a = y[0];
      y[1] += a * a;
    }
  }
  for (int i = 0; i < 2; i++) {
    vvReal a = x[i] * y[1];
    for (int i = 0; i < 2; i++) {
      vvReal n = a * x[i];
      y[i] += n;
    }
  }
  return a * y[0] + n;
}

VV_DIFF static void scatter(const vvReal* v, const int* to, int n, vvReal* out) {
  for (int i = 0; i < n; i++) out[to[i]] += v[i] * v[i];
}

VV_DIFF VV_SECOND vvReal g_gather(const vvReal* x, vvReal* y, int n) {
  int to[6] = {2, 0, 2, 5, 1, 0};
  scatter(x, to, 6, y);
  vvReal s = 0;
  for (int i = 0; i < n; i++) s += y[to[i]] * y[to[(i + 1) % 6]];
  return s;
}

VV_DIFF static vvReal bump(vvReal* p) {
  *p *= 2;
  return *p;
}

VV_DIFF VV_SECOND vvReal g_order(const vvReal* x, vvReal* y, int n) {
  vvReal a = x[0], b;
  b = bump(&a);
  b += a;
  vvReal c = (bump(&a), a) * x[1];
  return b * c + bump(&y[0]) * n;
}

VV_DIFF static void maybe(vvReal* y, vvReal a, int n) {
  if (n > 3) {
    y[0] = a;
    return;
  }
  if (a > 100) return;
  y[1] *= a;
}

VV_DIFF VV_SECOND vvReal g_void_return(const vvReal* x, vvReal* y, int n) {
  maybe(y, x[0] * x[1], n);
  maybe(y, x[2], n - 2);
  return y[0] * y[1];
}

VV_DIFF VV_SECOND vvReal g_misc(const vvReal* x, vvReal* y, int n) {
  _Static_assert(sizeof(int) == 4, "int");
  vvReal t[4] = {0};
  register int i = 0;
  for (; i < (int)(sizeof t / sizeof t[0]); i++) {
    t[i] = x[i];
    ;
  }
  if (n)
    ;
  else
    y[0] = 3;
  const vvReal* const p = t;
  return p[2] * t[3] + y[0];
}

// loops that f_vjp runs forward and backward at once, and one that it may not

VV_DIFF VV_SECOND vvReal g_fused(const vvReal* x, vvReal* y, int n) {
  vvReal scale = vv_sin(x[0]) * x[11], energy = 0;
  vvReal t[3] = {x[0] * scale, x[1] * scale, x[2] * scale};
  for (int i = 0; i < 2 * n; i++) {
    vvReal d = x[i] - t[i % 3], e = d * d * scale;
    for (int k = 0; k < 3; k++) y[(i + k) % 12] += e * t[k];
    if (d > 0) y[i] -= d * x[i + 1];
    energy += e / x[9];
  }
  return energy;
}

VV_DIFF VV_SECOND vvReal g_fused_once(const vvReal* x, VV_WRITE_ONCE vvReal* y, int n) {
  vvReal s = x[3], r = 2 * s;
  for (int i = 0; i < 3 * n; i++) {
    vvReal d = vv_sin(x[i] * s);
    y[i] = d * d;
  }
  return r;
}

VV_DIFF VV_SECOND vvReal g_not_fused(const vvReal* x, vvReal* y, int n) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) {
    y[i + 1] += y[i] * x[i];
    s += x[i + 2] * x[i];
  }
  y[0] *= s;
  return s * x[0];
}

// a call's value that is used twice, right after it was made
VV_DIFF VV_SECOND vvReal g_value_twice(const vvReal* x, vvReal* y, int n) {
  for (int i = 0; i < n; i++) {
    if (x[i] > (vvReal)0.3) {
      vvReal l = vv_vec3_length(vv_vec3_load(x, i));
      y[2 * i] = l;
      y[2 * i + 1] = l;
    } else {
      y[i] = x[i];
    }
  }
  return y[1] * y[3];
}
