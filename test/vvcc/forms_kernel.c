// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// forms_kernel.c: see forms_kernel.h.

#include "vvcc/forms_kernel.h"

typedef struct vvPair {
  vvReal a, b;
} vvPair;

typedef struct vvBag {
  vvPair p[2];
  vvReal v[3];
  vvPair q;
  int k;
} vvBag;

// operators

VV_DIFF VV_SECOND vvReal op_sum(const vvReal* x, vvReal* y, int n) {
  y[0] = x[0] + x[1] - x[2] + (x[3] - (x[4] - x[5]));
  return y[0] - y[1] + n;
}

VV_DIFF VV_SECOND vvReal op_product(const vvReal* x, vvReal* y, int n) {
  y[1] = x[0] * x[1] * x[2] * x[0];
  return y[1] * (x[2] + y[2]) * n;
}

VV_DIFF VV_SECOND vvReal op_quotient(const vvReal* x, vvReal* y, int n) {
  y[0] = x[0] / x[1] / (x[2] * x[2]);
  y[1] = 1 / x[3] - x[4] / 3;
  return y[0] / (y[2] + x[5] / y[1]) + x[6] / n;
}

VV_DIFF VV_SECOND vvReal op_negate(const vvReal* x, vvReal* y, int n) {
  y[0] = -(-x[0] * -x[1]) - -x[2];
  return -y[0] * +x[n];
}

VV_DIFF VV_SECOND vvReal op_compound(const vvReal* x, vvReal* y, int n) {
  y[0] += x[0];
  y[0] *= x[1];
  y[1] -= y[0];
  y[1] /= x[2] + n;
  y[1] *= y[1];
  y[2] /= y[2] + 1;
  return y[0] * y[1];
}

VV_DIFF VV_SECOND vvReal op_mixed_int(const vvReal* x, vvReal* y, int n) {
  y[0] = 3 * x[0] + n * x[1] - 7;
  return y[0] / 2 + 1 / 2 * x[2] + (1 + n) / 2 * x[3];
}

VV_DIFF VV_SECOND vvReal op_cast(const vvReal* x, vvReal* y, int n) {
  int k = (int)(x[0] * 10);
  y[0] = (vvReal)k * x[1] + (vvReal)n * x[2] + (vvReal)(x[3] * x[4]);
  return y[0] + (vvReal)0.5 * x[5];
}

VV_DIFF VV_SECOND vvReal op_int_div(const vvReal* x, vvReal* y, int n) {
  int a = 17 / n, b = 17 % n;
  y[a] = x[b] * x[a];
  return y[4] * x[(a * b) % 5];
}

VV_DIFF VV_SECOND vvReal op_bits(const vvReal* x, vvReal* y, int n) {
  int a = (n << 1) | 1, b = (a >> 2) & 3, c = ~b + 5, d = a ^ 2;
  y[b] = x[c] * x[a & 7];
  return y[b] * x[d % 12];
}

VV_DIFF VV_SECOND vvReal op_comma(const vvReal* x, vvReal* y, int n) {
  int i = 0;
  vvReal s = (i = 2, x[i] * x[n]);
  y[0] = s, y[1] = s * s;
  return y[0] + y[1];
}

VV_DIFF VV_SECOND vvReal op_chain_assign(const vvReal* x, vvReal* y, int n) {
  vvReal a, b;
  a = b = x[0] * x[1];
  y[0] = y[1] = a * b + n;
  return a * y[0] + y[1];
}

VV_DIFF VV_SECOND vvReal op_increments(const vvReal* x, vvReal* y, int n) {
  int i = 0;
  y[i++] = x[0] * x[1];
  y[++i] = x[3] * x[2];
  i--;
  y[n] = x[i--] * x[3];
  n--;
  vvReal s = x[i] * y[n--];
  return y[i] * y[2] * s + y[--n];
}

VV_DIFF VV_SECOND vvReal op_ternary(const vvReal* x, vvReal* y, int n) {
  y[0] = x[0] > x[1] ? x[0] * x[2] : x[1] / x[3];
  vvReal z = n > 3 ? (x[4] > 100 ? x[5] : x[6] * x[6]) : 0;
  return (y[1] < z ? y[1] : z) * y[0];
}

VV_DIFF VV_SECOND vvReal op_ternary_int(const vvReal* x, vvReal* y, int n) {
  int k = n > 2 ? (x[0] > 0 ? 3 : 1) : 0;
  y[k] = x[k] * x[k + 1];
  return y[k];
}

VV_DIFF VV_SECOND vvReal op_logic(const vvReal* x, vvReal* y, int n) {
  vvReal s = x[0];
  if (x[0] > 0 && x[1] < 100) s = s * x[1];
  if (x[2] > 100 || !(n == 3)) s = s * x[2] + y[0];
  bool ok = x[3] > 0;
  if (ok && n) s *= s;
  return s;
}

VV_DIFF static vvReal square_first(const vvReal* x) {
  return x[0] * x[0];
}

VV_DIFF VV_SECOND vvReal op_logic_call(const vvReal* x, vvReal* y, int n) {
  vvReal s = x[2];
  if (n > 100 && square_first(x) > 0) s = 3;
  if (n > 2 && square_first(x) < 100) s *= square_first(x + 1);
  if (n > 2 || square_first(y) > 3) s += x[3] * s;
  return s;
}

VV_DIFF VV_SECOND vvReal op_real_step(const vvReal* x, vvReal* y, int n) {
  vvReal a = x[0];
  a++;
  ++a;
  a--;
  y[0]++;
  return a * a * y[0] + n;
}

// math functions

VV_DIFF VV_SECOND vvReal m_sqrt(const vvReal* x, vvReal* y, int n) {
  y[0] = vv_sqrt(x[0]);
  return vv_sqrt(x[1] * x[1] + 2 * y[0] * vv_sqrt(y[1] + n));
}

VV_DIFF VV_SECOND vvReal m_trig(const vvReal* x, vvReal* y, int n) {
  y[0] = vv_sin(x[0] * x[1]) * vv_cos(x[2]) + vv_tan(x[3] / 2);
  return vv_cos(y[0] + vv_sin(y[1])) * n;
}

VV_DIFF VV_SECOND vvReal m_inverse(const vvReal* x, vvReal* y, int n) {
  y[0] = vv_asin(x[0] / 3) + vv_acos(x[1] / 3) * x[2] + vv_atan(x[3] * n);
  return y[0] * y[0];
}

VV_DIFF VV_SECOND vvReal m_atan2(const vvReal* x, vvReal* y, int n) {
  y[0] = vv_atan2(x[0], x[1]) + vv_atan2(x[2], 2) + vv_atan2((vvReal)n, x[3]) + vv_atan2(x[4] * x[4], -x[5]);
  return y[0] * x[6];
}

VV_DIFF VV_SECOND vvReal m_exp_log(const vvReal* x, vvReal* y, int n) {
  y[0] = vv_exp(x[0] * x[1]) + vv_log(x[2] + n);
  return vv_exp(-y[0] / 3) * vv_log(x[3]);
}

VV_DIFF VV_SECOND vvReal m_pow(const vvReal* x, vvReal* y, int n) {
  y[0] = vv_pow(x[0], x[1]) + vv_pow(x[2], 3) + vv_pow(2, x[3]) + vv_pow(x[4], (vvReal)0.5) + vv_pow(x[5], n);
  return y[0] * vv_pow(x[6] * x[7], -2);
}

VV_DIFF VV_SECOND vvReal m_fabs(const vvReal* x, vvReal* y, int n) {
  y[0] = vv_fabs(x[0] - x[1]) * x[2] + vv_fabs(-x[3]);
  return y[0] + vv_fabs(x[4] - n);
}

VV_DIFF VV_SECOND vvReal m_minmax(const vvReal* x, vvReal* y, int n) {
  y[0] = vv_fmin(x[0], x[1]) * vv_fmax(x[2], x[3]) + vv_fmax(x[4] * x[4], 0) + vv_fmin(x[5], (vvReal)0.1);
  return y[0] * vv_fmax(vv_fmin(x[6], x[7]), x[8]) + n;
}

VV_DIFF VV_SECOND vvReal m_hyper(const vvReal* x, vvReal* y, int n) {
  y[0] = vv_sinh(x[0]) + vv_cosh(x[1] * x[2]) * vv_tanh(x[3]);
  return vv_tanh(y[0] / n);
}

VV_DIFF VV_SECOND vvReal m_hypot(const vvReal* x, vvReal* y, int n) {
  y[0] = vv_hypot(x[0], x[1]) * vv_hypot(x[2], 2);
  return y[0] * vv_hypot((vvReal)n, y[1]);
}

VV_DIFF VV_SECOND vvReal m_small(const vvReal* x, vvReal* y, int n) {
  y[0] = vv_expm1(x[0] * x[1]) + vv_log1p(x[2]);
  return y[0] * vv_expm1(-y[1]) + n;
}

VV_DIFF VV_SECOND vvReal m_cbrt(const vvReal* x, vvReal* y, int n) {
  y[0] = vv_cbrt(x[0]) - vv_cbrt(-x[1] * n);
  return y[0] * y[0];
}

VV_DIFF VV_SECOND vvReal m_floor(const vvReal* x, vvReal* y, int n) {
  y[0] = vv_floor(7 * x[0]) * x[1] + vv_ceil(x[2] * 5) * x[3];
  return y[0] + n;
}

VV_DIFF VV_SECOND vvReal m_fmod(const vvReal* x, vvReal* y, int n) {
  y[0] = (vvReal)fmod(7 * x[0], (vvReal)0.3) * x[1] + (vvReal)fmod(10 * x[2], x[3]);
  return y[0] * n;
}

// control

VV_DIFF VV_SECOND vvReal c_if(const vvReal* x, vvReal* y, int n) {
  vvReal s = x[0];
  if (x[1] > 0) s = s * x[1];
  if (n < 0) s = 0;
  if (s > 100) y[0] = 0;
  return s * y[0];
}

VV_DIFF VV_SECOND vvReal c_else_if(const vvReal* x, vvReal* y, int n) {
  vvReal s;
  if (n == 1) {
    s = x[0];
  } else if (n == 4) {
    s = x[1] * x[2];
    y[0] = s * s;
  } else {
    s = 0;
  }
  return s + y[0] * x[3];
}

VV_DIFF VV_SECOND vvReal c_nested_if(const vvReal* x, vvReal* y, int n) {
  vvReal s = x[0];
  if (x[1] > 0) {
    if (x[2] > 50) {
      s = s * 3;
    } else {
      vvReal t = s * x[3];
      s = t * t;
      if (n > 3) s = s + t;
    }
    y[0] *= s;
  }
  return s * y[0];
}

VV_DIFF VV_SECOND vvReal c_for(const vvReal* x, vvReal* y, int n) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) s += x[i] * x[i + 1] * y[i];
  return s * s;
}

VV_DIFF VV_SECOND vvReal c_for_down(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  for (int i = n; i > 0; i--) s = s * x[i] + y[i - 1];
  for (int i = n; i >= 1; --i) s = vv_sin(s) * x[i];
  return s;
}

VV_DIFF VV_SECOND vvReal c_for_step(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  for (int i = 0; i < 3 * n; i += 3) s = s * x[i] + y[i + 1];
  for (int i = 2 * n; i >= 0; i -= 2) s += vv_sin(s) * x[i];
  for (int i = 1; i < 12; i *= 2) s = s * (x[i] + 1);
  return s;
}

VV_DIFF VV_SECOND vvReal c_for_le(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  for (int i = 1; i <= n; ++i) {
    s *= x[i];
    y[i] = s * x[i - 1];
  }
  return s + y[2];
}

VV_DIFF VV_SECOND vvReal c_for_outer_var(const vvReal* x, vvReal* y, int n) {
  int i;
  vvReal s = 0;
  for (i = 0; i < n; i++) {
    s += x[i] * s + 1;
    if (s > 3) break;
  }
  y[i] = s * x[i];
  for (i = 0; i < 3; i++) y[i] *= s;
  return y[2] * x[i];
}

VV_DIFF VV_SECOND vvReal c_for_missing(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  int i = 0;
  for (; i < n;) s *= x[i++];
  for (;;) {
    s = s * s + x[i];
    if (++i > 8) break;
  }
  for (int k = 0; k < 3;) {
    s += x[k] * s;
    k++;
  }
  for (int k = 0;; k++) {
    if (k == 2) break;
    y[k] = s * y[k];
  }
  return s * y[1];
}

VV_DIFF VV_SECOND vvReal c_for_bound_changes(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  int m = 2;
  for (int i = 0; i < m; i++) {
    s = s * x[i] + 1;
    if (m < n + 1) m++;
  }
  for (int i = 0; i < 10; i++) {
    s = s * y[i];
    i += 2;
  }
  return s;
}

VV_DIFF VV_SECOND vvReal c_while(const vvReal* x, vvReal* y, int n) {
  vvReal s = x[0];
  int k = 0;
  while (s < 20) {
    s = s * (1 + x[k % n]) + (vvReal)0.1;
    k++;
  }
  while (n > 0 && s > 1) {
    n--;
    s = s * y[n];
  }
  return s;
}

VV_DIFF VV_SECOND vvReal c_do(const vvReal* x, vvReal* y, int n) {
  vvReal s = x[0];
  int k = 0;
  do {
    s = vv_sqrt(s * x[k] + 1);
    y[k] = s;
  } while (++k < n);
  do s = s * s;
  while (0);
  return s * y[1];
}

VV_DIFF VV_SECOND vvReal c_break(const vvReal* x, vvReal* y, int n) {
  vvReal t = 1;
  for (int i = 0; i < n; i++) {
    t += x[i];
    if (t > 2) break;
    y[i] = t * y[i];
  }
  return 1 / t + y[0];
}

VV_DIFF VV_SECOND vvReal c_continue(const vvReal* x, vvReal* y, int n) {
  vvReal t = 1;
  for (int i = 0; i < 2 * n; i++) {
    if (i % 3 == 1) continue;
    t = t * x[i];
    if (x[i] > (vvReal)0.7) continue;
    y[i] = t;
  }
  return t * y[0] * y[3];
}

VV_DIFF VV_SECOND vvReal c_break_nested(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      if (k > i) break;
      if ((k + i) % 2) continue;
      s = s * x[k] + x[i];
      if (s > 4) {
        s = s / 2;
        break;
      }
    }
    if (s > 100) break;
    y[i] = s * y[i];
  }
  return s + y[3];
}

VV_DIFF VV_SECOND vvReal c_return_early(const vvReal* x, vvReal* y, int n) {
  if (n == 0) return 0;
  vvReal s = x[0] * x[1];
  if (s > 100) return s;
  y[0] = s * s;
  if (x[2] > 0) {
    y[1] = y[0] * x[2];
    if (n == 4) return y[1] * s;
    y[1] = 0;
  }
  return y[1];
}

VV_DIFF VV_SECOND vvReal c_return_loop(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  for (int i = 0; i < n; i++) {
    s = s * (x[i] + 1);
    if (s > 3) return s * x[i] + y[i];
    y[i] *= s;
  }
  return s * y[0];
}

VV_DIFF VV_SECOND vvReal c_return_nested(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  for (int i = 0; i < n; i++) {
    int k = 0;
    while (k < n) {
      s = s * (x[k] + (vvReal)0.6);
      if (s > 5 && i > 0) {
        y[k] = s;
        return s * s * y[k + 1];
      }
      k++;
    }
    y[i] = s;
  }
  return s + y[0];
}

VV_DIFF static vvReal choose(const vvReal* x, int k) {
  vvReal s = 0;
  switch (k) {
    case 0:
      s = x[0];
      break;
    case 1:
    case 2: {
      vvReal t = x[1] * x[2];
      s = t * t;
      break;
    }
    default:
      s = x[3] * k;
  }
  return s;
}

VV_DIFF VV_SECOND vvReal c_switch(const vvReal* x, vvReal* y, int n) {
  for (int i = 0; i < n; i++) y[i] = choose(x, i) * y[i];
  return y[0] * y[1] + y[2] * y[3];
}

VV_DIFF VV_SECOND vvReal c_switch_fall(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  for (int i = 0; i < n + 2; i++) {
    switch (i) {
      case 0:
        s = s * x[0];  // falls through
      case 1:
        s = s + x[1];  // falls through
      case 2:
        if (s > 100) break;
        s = s * s;
        break;
      default:
        s = s / 2;  // falls through
      case 4:
        s = s * x[4];
    }
    y[i] = s;
  }
  return s * y[2];
}

VV_DIFF static vvReal choose_return(const vvReal* x, int k) {
  switch (k) {
    case 0:
      return x[0] * x[0];
    case 1:
      return x[1] / x[2];
  }
  return x[3];
}

VV_DIFF VV_SECOND vvReal c_switch_return(const vvReal* x, vvReal* y, int n) {
  y[0] = choose_return(x, 0) + choose_return(x, 1) * choose_return(x, n);
  return y[0] * y[0];
}

VV_DIFF VV_SECOND vvReal c_switch_loop(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  for (int i = 0; i < 3 * n; i++) {
    switch (i % 4) {
      case 0:
        s = s * x[i];
        break;
      case 1:
        continue;
      case 3:
        if (s > 50) return s;
        s = s + x[i];
    }
    y[i] = s * s;
  }
  return s + y[4];
}

VV_DIFF VV_SECOND vvReal c_trip_count(const vvReal* x, vvReal* y, int n) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) {
    int m = (int)(5 * x[i]);
    for (int k = 0; k < m; k++) s = s * x[k] + y[i];
  }
  return s;
}

VV_DIFF VV_SECOND vvReal c_do_continue(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  int i = 0;
  do {
    i++;
    if (i == 2) continue;
    s = s * x[i];
    if (i == 5) break;
    y[i] = s;
  } while (i < 2 * n);
  return s * y[3];
}

VV_DIFF VV_SECOND vvReal c_for_comma(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  int i, k;
  for (i = 0, k = n; i < k; i++, k--) s = s * x[i] + x[k] * y[i];
  return s * y[k];
}

// structs

VV_DIFF VV_SECOND vvReal s_copy(const vvReal* x, vvReal* y, int n) {
  vvPair p = {x[0] * x[1], x[2]};
  vvPair q = p;
  q.a = q.a * p.b;
  p = q;
  vvPair r[3] = {{x[3], x[4]}, p};
  r[2] = r[0];
  r[0] = r[1];
  r[1].b *= r[2].a;
  y[0] = r[0].a * r[1].b + r[2].b * n;
  return p.a * p.b * y[0];
}

VV_DIFF VV_SECOND vvReal s_array(const vvReal* x, vvReal* y, int n) {
  vvBag b = {{{x[0], x[1]}, {x[2], 1}}, {x[3], x[4] * x[5]}, {2, 3}, 1};
  vvBag c = b;
  for (int i = 0; i < 2; i++) c.p[i].a *= b.v[i] * n;
  b = c;
  b.v[b.k] = b.v[0] * b.p[1].a;
  b.q = b.p[0];
  y[0] = b.q.a * b.q.b + b.v[1] + b.v[2];
  return y[0] * c.v[1];
}

VV_DIFF static vvBag bag_scale(vvBag b, vvReal s) {
  b.q.a *= s;
  b.v[1] = s * s * b.p[1].b;
  return b;
}

VV_DIFF VV_SECOND vvReal s_nested(const vvReal* x, vvReal* y, int n) {
  vvBag b = {0};
  b.p[1].b = x[0];
  b.q.a = x[1] * x[2];
  b = bag_scale(b, x[3] + n);
  vvBag c = bag_scale(bag_scale(b, x[4]), b.q.a);
  y[0] = b.q.a * b.v[1];
  return y[0] + c.v[1] * c.q.a;
}

VV_DIFF VV_SECOND vvReal s_array_of(const vvReal* x, vvReal* y, int n) {
  vvPair p[4];
  for (int i = 0; i < n; i++) {
    p[i].a = x[i];
    p[i].b = x[i + 1] * y[i];
  }
  for (int i = 1; i < n; i++) {
    p[i] = p[i - 1];
    p[i].a *= p[i - 1].b;
  }
  return p[3].a * p[2].b + p[0].a;
}

VV_DIFF VV_SECOND vvReal s_literal(const vvReal* x, vvReal* y, int n) {
  vvPair p = {1, 2};
  p = (vvPair){x[0] * p.b, x[1] + p.a};
  p = (vvPair){.b = p.a, .a = p.b * n};
  y[0] = p.a * p.b;
  return y[0] * p.a;
}

VV_DIFF static void pair_turn(vvPair* p, vvReal c) {
  vvReal t = p->a;
  p->a = p->b * c;
  p->b = t - p->b;
}

VV_DIFF static void pair_loop(vvPair* p, vvReal c, int n) {
  for (int i = 0; i < n; i++) {
    vvReal t = p->a;
    p->a = p->b * c;
    p->b = t * p->b;
  }
}

VV_DIFF VV_SECOND vvReal s_by_pointer(const vvReal* x, vvReal* y, int n) {
  vvPair p = {x[0], x[1]};
  vvPair list[2] = {{x[2], x[3]}, {x[4], y[0]}};
  pair_turn(&p, x[5]);
  pair_turn(&p, p.a);
  pair_loop(&p, x[6], n);
  vvReal z = p.a * p.b;
  pair_loop(&list[1], p.b, 3);
  pair_loop(list, p.a, 2);
  y[1] = list[0].a * list[1].b * z;
  return y[1] + p.a * z;
}

VV_DIFF VV_SECOND vvReal s_swap(const vvReal* x, vvReal* y, int n) {
  vvPair a = {x[0], x[1]}, b = {x[2], x[3]};
  for (int i = 0; i < n; i++) {
    vvPair t = a;
    a = b;
    b = t;
    b.a = b.a * a.b;
  }
  y[0] = a.a * b.b;
  return y[0] * b.a;
}

// arrays

VV_DIFF VV_SECOND vvReal a_inplace(const vvReal* x, vvReal* y, int n) {
  for (int i = 0; i < n; i++) y[i] = y[i] * y[i] + x[i];
  y[0] = y[0] + 1;
  y[0] = y[0] * y[0];
  y[1] = vv_cos(x[0]) * y[1];
  return y[0] * y[1];
}

VV_DIFF VV_SECOND vvReal a_shift(const vvReal* x, vvReal* y, int n) {
  for (int i = 0; i + 1 < n; i++) y[i] = y[i + 1] * y[i];
  for (int i = n - 1; i > 0; i--) y[i] = y[i - 1];
  y[n - 1] = y[n - 1];
  return y[1] * y[2] * x[0];
}

VV_DIFF VV_SECOND vvReal a_carried(const vvReal* x, vvReal* y, int n) {
  for (int i = 1; i < 3 * n; i++) y[i] = vv_sin(y[i - 1] * x[i]) + y[i];
  return y[3 * n - 1] * y[n];
}

VV_DIFF VV_SECOND vvReal a_local(const vvReal* x, vvReal* y, int n) {
  vvReal f[6] = {x[0], x[1]};
  vvReal s = 0;
  for (int r = 0; r < n; r++) {
    vvReal g[3];
    for (int k = 0; k < 3; k++) g[k] = x[r + k] * f[k];
    for (int k = 0; k < 3; k++) f[k + 3] += g[k] * g[(k + 1) % 3] + 1;
    for (int k = 0; k < 6; k++) f[k] = f[(k + 1) % 6] * (vvReal)0.7 + f[k] * f[k] / 20;
    s += f[0] * g[2];
  }
  y[0] = f[0] * f[5];
  return s * y[0];
}

VV_DIFF VV_SECOND vvReal a_local_2d(const vvReal* x, vvReal* y, int n) {
  vvReal A[3][3], B[3][3] = {{0}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A[i][j] = x[i + j] * y[j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) B[i][j] += A[i][k] * A[k][j];
  return B[1][2] * B[0][0] + B[2][n % 3];
}

VV_DIFF VV_SECOND vvReal a_index_overwritten(const vvReal* x, vvReal* y, int n) {
  int k = 1;
  vvReal s = 0;
  for (int i = 0; i < n; i++) {
    s = s * x[k] + y[k];
    k = (k * 3 + 1) % 7;
    y[k] = s * y[k];
  }
  return s * y[4];
}

static const vvReal WEIGHT[4] = {1, 2, -3, (vvReal)0.5};
static const int ORDER[] = {2, 0, 3, 1};

VV_DIFF VV_SECOND vvReal a_table(const vvReal* x, vvReal* y, int n) {
  static const vvReal w[3] = {3, 1, 4};
  vvReal s = 0;
  for (int i = 0; i < n; i++) s += WEIGHT[i] * x[ORDER[i]] * x[ORDER[(i + 1) % 4]] * w[i % 3];
  y[ORDER[0]] = s * s;
  return s * y[1];
}

VV_DIFF VV_SECOND vvReal a_pointer(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  for (int i = 0; i < n; i++) {
    const vvReal* a = x + 2 * i;
    vvReal* b = &y[3 * i];
    vvReal* c = b + 1;
    b[0] = a[0] * a[1] * s;
    c[1] = *b * c[0];
    s = *a * c[1];
  }
  return s;
}

VV_DIFF VV_SECOND vvReal a_scatter(const vvReal* x, vvReal* y, int n) {
  for (int i = 0; i < 3 * n; i++) y[ORDER[i % 4]] += x[i] * x[i];
  vvReal s = 0;
  for (int i = 0; i < n; i++) s += y[i] * y[(i + 1) % n];
  return s;
}

VV_DIFF VV_SECOND vvReal a_int_array(const vvReal* x, vvReal* y, int n) {
  int order[4], count = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > (vvReal)0.4) order[count++] = i;
  vvReal s = 1;
  for (int r = 0; r < 2; r++) {
    for (int i = 0; i < count; i++) {
      s = s * x[order[i]] + y[order[i]];
      order[i] = (order[i] + 1) % n;
    }
  }
  return s;
}

VV_DIFF VV_SECOND vvReal a_self(const vvReal* x, vvReal* y, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) y[i] = y[j] * x[0] + y[i];
  return y[0] * y[n - 1];
}

VV_DIFF VV_SECOND vvReal a_cholesky(const vvReal* x, vvReal* y, int n) {
  (void)n;
  vvReal A[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) A[3 * i + j] = x[i] * x[j] + (i == j ? 2 + y[i] : 0);
  for (int j = 0; j < 3; j++) {
    vvReal s = A[4 * j];
    for (int k = 0; k < j; k++) s -= A[3 * j + k] * A[3 * j + k];
    A[4 * j] = vv_sqrt(s);
    for (int i = j + 1; i < 3; i++) {
      vvReal t = A[3 * i + j];
      for (int k = 0; k < j; k++) t -= A[3 * i + k] * A[3 * j + k];
      A[3 * i + j] = t / A[4 * j];
    }
  }
  return A[0] * A[3] + A[4] * A[6] + A[7] * A[8];
}

VV_DIFF VV_SECOND vvReal a_zero_fill(const vvReal* x, vvReal* y, int n) {
  vvReal s = 0;
  for (int r = 0; r < n; r++) {
    vvReal f[20] = {0};
    f[r] = x[r] * s + 1;
    f[r + 1] += f[r] * y[r];
    s += f[r + 1] * f[r];
  }
  return s;
}

// calls

VV_DIFF static vvReal poly(vvReal a, vvReal b) {
  vvReal r = a * a + b;
  return r * b;
}

VV_DIFF VV_SECOND vvReal f_call(const vvReal* x, vvReal* y, int n) {
  y[0] = poly(x[0], x[1] * x[2]) + poly(x[3], n);
  vvReal t = poly(2, 3);
  return poly(poly(y[0], x[4]), t) / 100;
}

VV_DIFF static vvReal sum_squares(const vvReal* x, int n, vvReal scale) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) {
    s = s * (vvReal)0.9 + x[i] * x[i] * s + scale;
  }
  return s;
}

VV_DIFF VV_SECOND vvReal f_call_loop(const vvReal* x, vvReal* y, int n) {
  vvReal s = sum_squares(x, n, x[5]);
  s = s * sum_squares(y + 1, n, s);
  return s * sum_squares(x + n, 2, 1);
}

VV_DIFF static void advance(vvReal* y, const vvReal* x, int n) {
  for (int i = 0; i < n; i++) {
    y[i] = y[i] * x[i] + vv_sin(y[(i + 1) % n]);
  }
}

VV_DIFF VV_SECOND vvReal f_call_inplace(const vvReal* x, vvReal* y, int n) {
  vvReal s = y[0] * y[1];
  advance(y, x, n);
  s += y[2] * y[2];
  advance(y, x + 1, n);
  advance(y + 2, y + 6, 3);
  return s * y[0] * y[3];
}

VV_DIFF static vvReal outer_call(vvReal* y, const vvReal* x, int n) {
  vvReal s = 1;
  for (int i = 0; i < 2; i++) {
    advance(y, x, n);
    s = s * y[i] + sum_squares(y, n, s);
  }
  return s;
}

VV_DIFF VV_SECOND vvReal f_call_nested(const vvReal* x, vvReal* y, int n) {
  vvReal s = outer_call(y, x, n);
  return s * outer_call(y + 4, x + 2, 3) * y[0];
}

VV_DIFF VV_SECOND vvReal f_call_in_loop(const vvReal* x, vvReal* y, int n) {
  vvReal s = 0;
  for (int i = 0; i < n; i++) {
    vvReal t = sum_squares(x + i, 3, s);
    s = t * (vvReal)0.3 + poly(s, x[i]) / 10;
    y[i] = s;
  }
  return s * y[1];
}

VV_DIFF static void store_two(vvReal* y, int i, vvReal a, vvReal b) {
  y[i] = a * b;
  y[i + 1] = y[i] + a;
}

VV_DIFF VV_SECOND vvReal f_call_writes(const vvReal* x, vvReal* y, int n) {
  for (int i = 0; i < n; i++) store_two(y, 2 * i, x[i], y[2 * i]);
  store_two(y, 0, y[0], y[1]);
  vvReal local[4];
  store_two(local, 0, x[0], x[1]);
  store_two(local, 2, local[0], local[1]);
  return y[0] * y[1] * y[5] + local[3] * local[2];
}

VV_DIFF static vvReal changes_param(vvReal a, int k) {
  while (k > 0) {
    a = a * a + (vvReal)0.1;
    k--;
  }
  return a;
}

VV_DIFF VV_SECOND vvReal f_param_changed(const vvReal* x, vvReal* y, int n) {
  y[0] = changes_param(x[0], n - 2) * y[0];
  n = 2;
  return changes_param(y[0], n) * x[n];
}

VV_DIFF static vvReal half_active(vvReal a, VV_NO_DIFF vvReal b, VV_NO_DIFF const vvReal* c) {
  return a * b * c[0];
}

VV_DIFF VV_SECOND vvReal f_no_diff(const vvReal* x, vvReal* y, int n) {
  static const vvReal fixed[2] = {3, 4};
  y[0] = half_active(x[0], 2, fixed) * half_active(x[1] * x[2], n, fixed + 1);
  return y[0];
}

VV_DIFF VV_SECOND vvReal f_same_arg(const vvReal* x, vvReal* y, int n) {
  y[0] = poly(x[0], x[0]) + poly(y[1], y[1]) * n;
  vvVec3 a = {x[1], x[2], x[3]};
  return vv_vec3_dot(a, a) * y[0];
}

VV_DIFF static vvReal writes_and_returns(vvReal* y, vvReal a) {
  for (int i = 0; i < 3; i++) y[i] = y[i] * a;
  return y[0] * y[2];
}

VV_DIFF VV_SECOND vvReal f_ignored(const vvReal* x, vvReal* y, int n) {
  writes_and_returns(y, x[0]);
  (void)n;
  return y[1];
}

VV_DIFF VV_SECOND vvReal f_ret_write(const vvReal* x, vvReal* y, int n) {
  vvReal a = x[0];
  for (int i = 0; i < n; i++) a = writes_and_returns(y + i, a);
  y[5] = writes_and_returns(y, a + 1);
  return a * y[1] * y[5];
}

VV_DIFF VV_SECOND vvReal f_unsigned(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  for (unsigned i = 0; i < (unsigned)n; i++) s = s * x[i] + 1;
  for (size_t i = (size_t)n; i > 0; i--) s = s * x[i - 1] + y[i];
  return s;
}

// values carried by loops

VV_DIFF VV_SECOND vvReal l_carry(const vvReal* x, vvReal* y, int n) {
  vvReal a = x[0], b = x[1];
  for (int i = 0; i < n; i++) {
    vvReal c = a * b;
    a = vv_sin(b) + x[i];
    b = c * y[i];
  }
  return a * b;
}

VV_DIFF VV_SECOND vvReal l_carry_struct(const vvReal* x, vvReal* y, int n) {
  vvVec3 p = {x[0], x[1], x[2]};
  vvVec3 v = {x[3], x[4], x[5]};
  for (int i = 0; i < n; i++) {
    vvVec3 f = vv_vec3_scale(-vv_vec3_length(p), p);
    v = vv_vec3_muladd(v, (vvReal)0.1, f);
    p = vv_vec3_muladd(p, (vvReal)0.1 + y[i], v);
  }
  return vv_vec3_dot(p, vv_vec3_cross(v, vv_vec3(1, 2, 3)));
}

VV_DIFF VV_SECOND vvReal l_accumulate_used(const vvReal* x, vvReal* y, int n) {
  vvReal a = x[0] * x[0], s = 0;
  for (int k = 0; k < n; k++) s += y[k] * x[0];
  vvReal t = 1;
  for (int k = 0; k < n; k++) t += x[k];
  return s * a / t;
}

VV_DIFF VV_SECOND vvReal l_fibonacci(const vvReal* x, vvReal* y, int n) {
  vvReal a = x[0], b = x[1];
  for (int i = 0; i < 2 * n; i++) {
    vvReal c = a + b * y[i];
    a = b;
    b = c;
  }
  return a * b;
}

VV_DIFF VV_SECOND vvReal l_newton(const vvReal* x, vvReal* y, int n) {
  vvReal r = 1;
  int k = 0;
  while (vv_fabs(r * r - x[0] - 1) > (vvReal)1e-12 && k < 50) {
    r = (r + (x[0] + 1) / r) / 2;
    k++;
  }
  y[0] = r * n;
  return r * x[1];
}

VV_DIFF VV_SECOND vvReal l_three_deep(const vvReal* x, vvReal* y, int n) {
  vvReal s = 1;
  for (int i = 0; i < 2; i++) {
    vvReal u = x[i];
    for (int j = 0; j < 2; j++) {
      vvReal w = u * x[i + j];
      for (int k = 0; k < 2; k++) {
        w = w * x[k] + s;
        s += w * u / 5;
        u = u + y[k] * w / 7;
      }
      s = s * (vvReal)0.9;
    }
    y[i] = s * u;
  }
  return s * y[n % 2];
}

VV_DIFF VV_SECOND vvReal l_while_array(const vvReal* x, vvReal* y, int n) {
  int i = 0;
  while (i < 3 * n - 1 && y[i] < 100) {
    y[i + 1] = y[i] * x[i] + y[i + 1];
    if (y[i + 1] > 1) y[i + 1] = y[i + 1] / 2;
    i++;
  }
  return y[i] * y[i - 1];
}

VV_DIFF VV_SECOND vvReal l_dead_write(const vvReal* x, vvReal* y, int n) {
  for (int i = 0; i < n; i++) y[i] = 2 * x[i] * y[i];
  for (int i = 0; i < n; i++) y[i] = 3 * x[i];
  vvReal s = 0;
  for (int i = 0; i < n; i++) s += y[i];
  return s;
}

VV_DIFF VV_SECOND vvReal l_overwrite_twice(const vvReal* x, vvReal* y, int n) {
  vvReal t = x[0];
  vvReal s = t * t;
  t = x[1] * s;
  s = s + t * t;
  t = x[2] * t * s;
  for (int i = 0; i < n; i++) {
    t = t * x[i];
    s = s + t * t;
    t = s * y[i] / 10;
  }
  return s * t;
}

// the helpers of math_kernel.h

VV_DIFF VV_SECOND vvReal q_all(const vvReal* x, vvReal* y, int n) {
  vvQuat q = vv_quat_normalize(vv_quat_load(x, 0));
  vvVec3 a = vv_vec3_load(x, 4), b = vv_vec3_load(y, 0);
  vvQuat p = vv_quat_mul(q, vv_quat_exp(vv_vec3_scale((vvReal)0.3, a)));
  vvVec3 r = vv_quat_rotate(p, vv_vec3_normalize(b));
  vvMat3 R = vv_quat_matrix(q);
  vvVec3 u = vv_mat3_mul(R, a), w = vv_mat3_mul_t(R, vv_vec3_sub(b, r));
  vvQuat z = vv_quat_from_z(vv_vec3_normalize(u));
  vvVec3 l = vv_quat_log(vv_quat_mul(vv_quat_conj(p), z));
  vv_mat3_store(y, 3, R);
  vv_vec3_store(y, 0, l);
  vv_quat_store(y, 5, vv_quat_axis_angle(vv_vec3_normalize(a), x[7] * n));
  vvMat3 M = vv_mat3_load(x, 2);
  return vv_vec3_dot(vv_vec3_add(u, w), vv_vec3_cross(l, vv_mat3_mul(M, a))) + vv_vec3_length(vv_vec3_muladd(a, 2, w));
}

VV_DIFF VV_SECOND vvReal q_chain(const vvReal* x, vvReal* y, int n) {
  vvQuat q = {1, 0, 0, 0};
  vvVec3 p = {0, 0, 0};
  vvReal e = 0;
  for (int i = 0; i < n; i++) {
    vvVec3 axis = vv_vec3_normalize(vv_vec3_load(x, i));
    q = vv_quat_mul(q, vv_quat_axis_angle(axis, x[i + 4]));
    p = vv_vec3_add(p, vv_quat_rotate(q, vv_vec3_load(y, 2 * i)));
    e += vv_vec3_dot(p, p);
  }
  return e * p.x;
}
