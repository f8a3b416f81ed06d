// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// constraint_law_kernel.h: the soft constraint law of contacts and limits: from gap, velocity and acceleration of a row
// to its force, as MuJoCo 4.0 defines it (its documentation, chapter "Computation", sections on the constraint model
// and parameters).
//
//   a_ref = -B v - K d(g) (g - margin)          reference acceleration of a row          [m/s2, rad/s2]
//   R     = (1 - d)/d * weight,  D = 1/R        weight: inverse inertia seen by the row  [1/kg]
//   f     = -D (a - a_ref)  where negative      frictionless and pyramid rows            [N]
//   f     = -D (a - a_ref) within +-loss         dry friction, K = 0                       [N, N m]
//   cone  zones of the elliptic cone in scaled coordinates u0 = mu x0, uj = mu_j xj,  x = a - a_ref,
//         N = u0, T = |u1..|:  top N >= mu T: 0;  bottom mu N + T <= 0: f = -D x;
//         middle: f0 = -Dm mu (N - mu T),  fj = -f0 mu_j uj/T,  Dm = D0/(mu^2 (1 + mu^2))
//
// smooth   inside each zone; d(g) is C1 inside the width and kinks where it saturates. Ties as vvcc rule 13.
// clamps   friction >= 1e-5, derivative 0 below; solimp clamps likewise. refsafe is the larger of two active numbers.

#ifndef VISVIVA_RIGID_CONSTRAINT_LAW_KERNEL_H_
#define VISVIVA_RIGID_CONSTRAINT_LAW_KERNEL_H_

#include "visviva/contact.h"
#include "visviva/model.h"

#define VV_LAW_TINY ((vvReal)1e-15)
#define VV_LAW_MIN_FRICTION ((vvReal)1e-5)
#define VV_LAW_MIN_IMPEDANCE ((vvReal)0.0001)
#define VV_LAW_MAX_IMPEDANCE ((vvReal)0.9999)

// Stiffness, damping and impedance of one row, from solref and solimp at (gap - margin).
typedef struct vvLaw {
  vvReal K;  // [1/s2]
  vvReal B;  // [1/s]
  vvReal d;  // impedance [1]
} vvLaw;

// Parameters of a contact after mixing the two geoms' numbers.
typedef struct vvContactParameters {
  vvReal slide, spin, roll;                   // friction                         [1, m, m]
  vvReal ref0, ref1;                          // solref
  vvReal imp0, imp1, width, midpoint, power;  // solimp
  vvReal margin;                              // [m]
} vvContactParameters;

// Reference acceleration and inverse regularisation of an elliptic or frictionless contact's rows, or of all pyramid
// rows (D0 only).
typedef struct vvContactWeights {
  vvReal D0;  // normal row, or every pyramid row      [kg]
  vvReal D1;  // sliding rows                          [kg]
  vvReal D3;  // spinning row                          [kg m2]
  vvReal D4;  // rolling rows                          [kg m2]
  vvReal mu;  // friction of the regularised cone      [1]
} vvContactWeights;

// a clamped to [lower, upper]; the derivative at and beyond a bound is 0.
VV_DIFF static inline vvReal vv_law_clamp(vvReal a, VV_NO_DIFF vvReal lower, VV_NO_DIFF vvReal upper) {
  vvReal r = a;
  if (a <= lower) r = lower;
  if (a >= upper) r = upper;
  return r;
}

// a^p for a in [0, 1).
VV_DIFF static inline vvReal vv_law_power(vvReal a, vvReal p) {
  vvReal r = 0;
  if (a > 0) r = vv_pow(a, p);
  return r;
}

// Impedance d at violation x = gap - margin, from clamped solimp.
VV_DIFF static inline vvReal vv_law_impedance(vvReal imp0, vvReal imp1, vvReal width, vvReal midpoint, vvReal power,
                                              vvReal x) {
  vvReal d0 = vv_law_clamp(imp0, VV_LAW_MIN_IMPEDANCE, VV_LAW_MAX_IMPEDANCE);
  vvReal d1 = vv_law_clamp(imp1, VV_LAW_MIN_IMPEDANCE, VV_LAW_MAX_IMPEDANCE);
  vvReal mid = vv_law_clamp(midpoint, VV_LAW_MIN_IMPEDANCE, VV_LAW_MAX_IMPEDANCE);
  vvReal p = vv_law_clamp(power, 1, 1e10);
  vvReal d = 0;
  if (width <= VV_LAW_TINY) {
    d = (vvReal)0.5 * (d0 + d1);
  } else {
    vvReal s = vv_fabs(x) / width;
    if (s >= 1) {
      d = d1;
    } else if (s <= 0) {
      d = d0;
    } else {
      vvReal y = s;
      if (p == 2) {  // without the pow; the factors are 1, and there for the derivative in p
        if (s <= mid) y = s * s / mid * (1 + (p - 2) * vv_log(s / mid));
        if (s > mid) y = 1 - (1 - s) * (1 - s) / (1 - mid) * (1 + (p - 2) * vv_log((1 - s) / (1 - mid)));
      } else if (p != 1) {
        if (s <= mid) y = vv_law_power(s, p) / vv_law_power(mid, p - 1);
        if (s > mid) y = 1 - vv_law_power(1 - s, p) / vv_law_power(1 - mid, p - 1);
      }
      d = d0 + y * (d1 - d0);
    }
  }
  return d;
}

// K, B and d of a row. Mixed signs of solref fall back to the default (0.02, 1), as the format defines.
VV_DIFF static inline vvLaw vv_law(vvReal ref0, vvReal ref1, vvReal imp0, vvReal imp1, vvReal width, vvReal midpoint,
                                   vvReal power, vvReal timestep, int refsafe, vvReal x) {
  vvLaw law = {0, 0, 0};
  vvReal r0 = ref0;
  vvReal r1 = ref1;
  if ((ref0 > 0) != (ref1 > 0)) {
    r0 = (vvReal)0.02;
    r1 = 1;
  }
  // The larger of r0 and 2 timestep; half of each where they are equal, as for any two active values.
  if (refsafe && r0 > 0) {
    vvReal least = 2 * timestep;
    if (r0 == least) r0 = (vvReal)0.5 * (r0 + least);
    if (r0 < least) r0 = least;
  }
  vvReal d1 = vv_law_clamp(imp1, VV_LAW_MIN_IMPEDANCE, VV_LAW_MAX_IMPEDANCE);
  if (r0 > 0) {
    law.K = 1 / (d1 * d1 * r0 * r0 * r1 * r1);
    law.B = 2 / (d1 * r0);
  } else {
    law.K = -r0 / (d1 * d1);
    law.B = -r1 / d1;
  }
  law.d = vv_law_impedance(imp0, imp1, width, midpoint, power, x);
  return law;
}

// (1 - d)/d * weight, at least 1e-15.
VV_DIFF static inline vvReal vv_law_regularisation(vvReal d, vvReal weight) {
  vvReal R = (1 - d) / d * weight;
  if (R < VV_LAW_TINY) R = VV_LAW_TINY;
  return R;
}

// Numbers of geoms g1 and g2, mixed: the higher priority wins; else maximal friction, weighted solref and solimp
// (smaller of both where one is in direct form).
VV_DIFF static inline vvContactParameters vv_contact_parameters(const vvModel* m, int g1, int g2) {
  vvContactParameters c = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  int only = -1;
  if (m->geom_priority[g1] > m->geom_priority[g2]) only = g1;
  if (m->geom_priority[g1] < m->geom_priority[g2]) only = g2;
  if (only >= 0) {
    c.slide = m->geom_friction[3 * only];
    c.spin = m->geom_friction[3 * only + 1];
    c.roll = m->geom_friction[3 * only + 2];
    c.ref0 = m->geom_solref[2 * only];
    c.ref1 = m->geom_solref[2 * only + 1];
    c.imp0 = m->geom_solimp[5 * only];
    c.imp1 = m->geom_solimp[5 * only + 1];
    c.width = m->geom_solimp[5 * only + 2];
    c.midpoint = m->geom_solimp[5 * only + 3];
    c.power = m->geom_solimp[5 * only + 4];
  } else {
    vvReal mix1 = m->geom_solmix[g1];
    vvReal mix2 = m->geom_solmix[g2];
    vvReal s = (vvReal)0.5;
    if (mix1 >= VV_LAW_TINY && mix2 >= VV_LAW_TINY) {
      s = mix1 / (mix1 + mix2);
    } else if (mix1 >= VV_LAW_TINY) {
      s = 1;
    } else if (mix2 >= VV_LAW_TINY) {
      s = 0;
    }
    c.slide = vv_fmax(m->geom_friction[3 * g1], m->geom_friction[3 * g2]);
    c.spin = vv_fmax(m->geom_friction[3 * g1 + 1], m->geom_friction[3 * g2 + 1]);
    c.roll = vv_fmax(m->geom_friction[3 * g1 + 2], m->geom_friction[3 * g2 + 2]);
    if (m->geom_solref[2 * g1] > 0 && m->geom_solref[2 * g2] > 0) {
      c.ref0 = s * m->geom_solref[2 * g1] + (1 - s) * m->geom_solref[2 * g2];
      c.ref1 = s * m->geom_solref[2 * g1 + 1] + (1 - s) * m->geom_solref[2 * g2 + 1];
    } else {
      c.ref0 = vv_fmin(m->geom_solref[2 * g1], m->geom_solref[2 * g2]);
      c.ref1 = vv_fmin(m->geom_solref[2 * g1 + 1], m->geom_solref[2 * g2 + 1]);
    }
    c.imp0 = s * m->geom_solimp[5 * g1] + (1 - s) * m->geom_solimp[5 * g2];
    c.imp1 = s * m->geom_solimp[5 * g1 + 1] + (1 - s) * m->geom_solimp[5 * g2 + 1];
    c.width = s * m->geom_solimp[5 * g1 + 2] + (1 - s) * m->geom_solimp[5 * g2 + 2];
    c.midpoint = s * m->geom_solimp[5 * g1 + 3] + (1 - s) * m->geom_solimp[5 * g2 + 3];
    c.power = s * m->geom_solimp[5 * g1 + 4] + (1 - s) * m->geom_solimp[5 * g2 + 4];
  }
  c.slide = vv_fmax(c.slide, VV_LAW_MIN_FRICTION);
  c.spin = vv_fmax(c.spin, VV_LAW_MIN_FRICTION);
  c.roll = vv_fmax(c.roll, VV_LAW_MIN_FRICTION);
  c.margin = m->geom_margin[g1] + m->geom_margin[g2];
  return c;
}

// Inverse regularisations of a contact's rows; tran: summed inverse weights of the two bodies.
VV_DIFF static inline vvContactWeights vv_contact_weights(const vvModel* m, vvContactParameters c, int g1, int g2,
                                                          int dim, vvReal d) {
  vvContactWeights w = {0, 0, 0, 0, 0};
  vvReal tran = m->body_invweight[2 * m->geom_body[g1]] + m->body_invweight[2 * m->geom_body[g2]];
  if (dim == 1) {
    w.D0 = 1 / vv_law_regularisation(d, tran);
  } else if (m->cone == VV_CONE_PYRAMIDAL) {
    vvReal R = vv_law_regularisation(d, tran + c.slide * c.slide * tran);
    vvReal impratio = vv_fmax(m->opt_impratio[0], VV_LAW_TINY);
    w.mu = c.slide / vv_sqrt(impratio);
    w.D0 = 1 / (2 * w.mu * w.mu * R);
  } else {
    vvReal R = vv_law_regularisation(d, tran);
    vvReal impratio = vv_fmax(m->opt_impratio[0], VV_LAW_TINY);
    w.mu = c.slide / vv_sqrt(impratio);
    w.D0 = 1 / R;
    w.D1 = w.D0 * impratio;
    w.D3 = w.D1 * c.spin * c.spin / (c.slide * c.slide);
    w.D4 = w.D1 * c.roll * c.roll / (c.slide * c.slide);
  }
  return w;
}

// Force of one row: -D (a - a_ref) where a < a_ref, else 0.
VV_DIFF static inline vvReal vv_law_row_force(vvReal D, vvReal a, vvReal a_ref) {
  vvReal f = 0;
  if (a < a_ref) f = -D * (a - a_ref);
  return f;
}

// Force of dry friction: -D (a - a_ref), not beyond +-loss.
VV_DIFF static inline vvReal vv_law_friction_force(vvReal D, vvReal a, vvReal a_ref, vvReal loss) {
  vvReal y = -D * (a - a_ref);
  vvReal f = y;
  if (y >= loss) f = loss;
  if (y <= -loss) f = -loss;
  return f;
}

// Contact-frame components of a relative motion: normal, two tangents; spin, two rolls.
typedef struct vvContactMotion {
  vvReal n, t1, t2, s, r1, r2;
} vvContactMotion;

// Force of a frictionless (dim 1) or pyramidal contact in its frame: v, a are relative motions (geom 2 minus geom 1) of
// the velocity and of the acceleration J a. Entries beyond dim do not matter.
VV_DIFF static inline vvContactMotion vv_contact_force_pyramid(vvContactParameters c, vvContactWeights w, vvLaw law,
                                                               int dim, vvReal gap, vvContactMotion v,
                                                               vvContactMotion a) {
  vvContactMotion f = {0, 0, 0, 0, 0, 0};
  vvReal ref = -law.B * v.n - law.K * law.d * (gap - c.margin);
  if (dim == 1) {
    f.n = vv_law_row_force(w.D0, a.n, ref);
  } else {
    vvReal p1 = vv_law_row_force(w.D0, a.n + c.slide * a.t1, ref - law.B * c.slide * v.t1);
    vvReal m1 = vv_law_row_force(w.D0, a.n - c.slide * a.t1, ref + law.B * c.slide * v.t1);
    vvReal p2 = vv_law_row_force(w.D0, a.n + c.slide * a.t2, ref - law.B * c.slide * v.t2);
    vvReal m2 = vv_law_row_force(w.D0, a.n - c.slide * a.t2, ref + law.B * c.slide * v.t2);
    f.n = p1 + m1 + p2 + m2;
    f.t1 = c.slide * (p1 - m1);
    f.t2 = c.slide * (p2 - m2);
  }
  if (dim > 3) {
    vvReal p3 = vv_law_row_force(w.D0, a.n + c.spin * a.s, ref - law.B * c.spin * v.s);
    vvReal m3 = vv_law_row_force(w.D0, a.n - c.spin * a.s, ref + law.B * c.spin * v.s);
    f.n += p3 + m3;
    f.s = c.spin * (p3 - m3);
  }
  if (dim > 4) {
    vvReal p4 = vv_law_row_force(w.D0, a.n + c.roll * a.r1, ref - law.B * c.roll * v.r1);
    vvReal m4 = vv_law_row_force(w.D0, a.n - c.roll * a.r1, ref + law.B * c.roll * v.r1);
    vvReal p5 = vv_law_row_force(w.D0, a.n + c.roll * a.r2, ref - law.B * c.roll * v.r2);
    vvReal m5 = vv_law_row_force(w.D0, a.n - c.roll * a.r2, ref + law.B * c.roll * v.r2);
    f.n += p4 + m4 + p5 + m5;
    f.r1 = c.roll * (p4 - m4);
    f.r2 = c.roll * (p5 - m5);
  }
  return f;
}

// Force of an elliptic contact in its frame, dim 3, 4 or 6.
VV_DIFF static inline vvContactMotion vv_contact_force_elliptic(vvContactParameters c, vvContactWeights w, vvLaw law,
                                                                int dim, vvReal gap, vvContactMotion v,
                                                                vvContactMotion a) {
  vvContactMotion f = {0, 0, 0, 0, 0, 0};
  vvReal n = a.n + law.B * v.n + law.K * law.d * (gap - c.margin);
  vvReal t1 = a.t1 + law.B * v.t1;
  vvReal t2 = a.t2 + law.B * v.t2;
  vvReal s = 0;
  vvReal r1 = 0;
  vvReal r2 = 0;
  if (dim > 3) s = a.s + law.B * v.s;
  if (dim > 4) {
    r1 = a.r1 + law.B * v.r1;
    r2 = a.r2 + law.B * v.r2;
  }
  vvReal N = w.mu * n;
  vvReal u1 = c.slide * t1;
  vvReal u2 = c.slide * t2;
  vvReal u3 = c.spin * s;
  vvReal u4 = c.roll * r1;
  vvReal u5 = c.roll * r2;
  vvReal T2 = u1 * u1 + u2 * u2 + u3 * u3 + u4 * u4 + u5 * u5;
  vvReal T = 0;
  if (T2 > VV_LAW_TINY * VV_LAW_TINY) T = vv_sqrt(T2);
  if (N < 0 && w.mu * N + T <= 0) {
    f.n = -w.D0 * n;
    f.t1 = -w.D1 * t1;
    f.t2 = -w.D1 * t2;
    f.s = -w.D3 * s;
    f.r1 = -w.D4 * r1;
    f.r2 = -w.D4 * r2;
  } else if (T > 0 && N < w.mu * T) {
    vvReal Dm = w.D0 / (w.mu * w.mu * (1 + w.mu * w.mu));
    f.n = -Dm * w.mu * (N - w.mu * T);
    vvReal k = -f.n / T;
    f.t1 = k * c.slide * u1;
    f.t2 = k * c.slide * u2;
    f.s = k * c.spin * u3;
    f.r1 = k * c.roll * u4;
    f.r2 = k * c.roll * u5;
  }
  return f;
}

// Force of any contact in its frame.
VV_DIFF static inline vvContactMotion vv_contact_force(int cone, vvContactParameters c, vvContactWeights w, vvLaw law,
                                                       int dim, vvReal gap, vvContactMotion v, vvContactMotion a) {
  vvContactMotion f = {0, 0, 0, 0, 0, 0};
  if (dim == 1 || cone == VV_CONE_PYRAMIDAL) {
    f = vv_contact_force_pyramid(c, w, law, dim, gap, v, a);
  } else {
    f = vv_contact_force_elliptic(c, w, law, dim, gap, v, a);
  }
  return f;
}

#endif  // VISVIVA_RIGID_CONSTRAINT_LAW_KERNEL_H_
