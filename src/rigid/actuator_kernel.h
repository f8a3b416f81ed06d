// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// actuator_kernel.h: fixed tendons and actuators: lengths, activations, forces before the gear, as MuJoCo 4.0 defines
// them (its documentation, chapter "Computation", section "Actuation model").
//
//   length    l = gear . q of a joint or tendon (ball: gear . rotation vector; free: 0), l' its rate
//   input     s = clamp(ctrl), or the activation
//   force     f = clamp(gain s + bias),   gain, bias = prm0 + prm1 l + prm2 l', or a muscle's
//   act'      ctrl; (ctrl - act)/prm0; a muscle's
//   muscle    of length L and speed V in units of its optimal length; FL, FV curves are C1, pieces quadratic
//
// smooth    inside clamps and pieces; at a clamp's edge the derivative is that of the inside

#ifndef VISVIVA_RIGID_ACTUATOR_KERNEL_H_
#define VISVIVA_RIGID_ACTUATOR_KERNEL_H_

#include "visviva/kernel.h"
#include "visviva/model.h"

#define VV_ACTUATOR_TINY ((vvReal)1e-15)

// a limited to [lower, upper] with the derivative of whichever is in effect; a itself at equality.
VV_DIFF static inline vvReal vv_clamp(vvReal a, vvReal lower, vvReal upper) {
  vvReal r = a;
  if (r < lower) r = lower;
  if (r > upper) r = upper;
  return r;
}

// Sum over the joints of fixed tendon t of coef x[entry of the joint]; x: q with adr = jnt_q, v with adr = jnt_v.
VV_DIFF static inline vvReal vv_tendon_sum(const vvModel* m, int t, const vvReal* x, const int* adr) {
  vvReal sum = 0;
  for (int k = 0; k < m->tendon_num[t]; k++) {
    int w = m->tendon_wrap[t] + k;
    sum += m->wrap_coef[w] * x[adr[m->wrap_jnt[w]]];
  }
  return sum;
}

// Gear of an angular transmission in body axes: as stated, or turned from the parent's (free: the world's) axes.
VV_DIFF static inline vvVec3 vv_actuator_angular_gear(vvVec3 gear, int inparent, const vvReal* q, int iq) {
  vvVec3 g = gear;
  if (inparent) g = vv_quat_rotate(vv_quat_conj(vv_quat_normalize(vv_quat_load(q, iq))), gear);
  return g;
}

// ---- sites ----------------------------------------------------------------------------------------------------------

typedef struct vvPlace {  // of a frame in another
  vvVec3 p;
  vvQuat r;
} vvPlace;

typedef struct vvWrench {  // at a frame's origin, in its axes
  vvVec3 lin;
  vvVec3 ang;
} vvWrench;

// A wrench on a frame as one on the frame in which that one has the place a.
VV_DIFF static inline vvWrench vv_wrench_shift(vvPlace a, vvWrench w) {
  vvWrench o;
  o.lin = vv_quat_rotate(a.r, w.lin);
  o.ang = vv_vec3_add(vv_quat_rotate(a.r, w.ang), vv_vec3_cross(a.p, o.lin));
  return o;
}

// Place that joint j gives its body, in the frame before it.
VV_DIFF static inline vvPlace vv_joint_place(const vvModel* m, const vvReal* q, int j) {
  int iq = m->jnt_q[j];
  vvPlace a = {{0, 0, 0}, {1, 0, 0, 0}};
  if (m->jnt_type[j] == VV_JOINT_FREE) {
    a.p = vv_vec3_load(q, iq);
    a.r = vv_quat_normalize(vv_quat_load(q, iq + 3));
  } else if (m->jnt_type[j] == VV_JOINT_SLIDE) {
    a.p = vv_vec3_scale(q[iq] - m->qpos0[iq], vv_vec3_load(m->jnt_laxis, 3 * j));
  } else {
    vvVec3 anchor = vv_vec3_load(m->jnt_lpos, 3 * j);
    if (m->jnt_type[j] == VV_JOINT_BALL) {
      a.r = vv_quat_normalize(vv_quat_load(q, iq));
    } else {
      a.r = vv_quat_axis_angle(vv_vec3_load(m->jnt_laxis, 3 * j), q[iq] - m->qpos0[iq]);
    }
    a.p = vv_vec3_sub(anchor, vv_quat_rotate(a.r, anchor));
  }
  return a;
}

// Whether body b moves by a free joint, whose place is the whole pose.
VV_DIFF static inline int vv_body_is_free(const vvModel* m, int b) {
  int free = 0;
  if (m->body_njnt[b] > 0) free = m->jnt_type[m->body_jnt[b]] == VV_JOINT_FREE;
  return free;
}

// Place of a site in the frame of body `stop`, on the way from its body to the world.
VV_DIFF static inline vvPlace vv_site_place(const vvModel* m, const vvReal* q, int site, int stop) {
  vvPlace s;
  s.p = vv_vec3_load(m->site_lpos, 3 * site);
  s.r = vv_quat_load(m->site_lquat, 4 * site);
  int b = m->site_body[site];
  while (b != stop) {
    for (int k = 0; k < m->body_njnt[b]; k++) {
      vvPlace a = vv_joint_place(m, q, m->body_jnt[b] + m->body_njnt[b] - 1 - k);
      s.p = vv_vec3_add(a.p, vv_quat_rotate(a.r, s.p));
      s.r = vv_quat_mul(a.r, s.r);
    }
    if (!vv_body_is_free(m, b)) {
      vvQuat r = vv_quat_load(m->body_lquat, 4 * b);
      s.p = vv_vec3_add(vv_vec3_load(m->body_lpos, 3 * b), vv_quat_rotate(r, s.p));
      s.r = vv_quat_mul(r, s.r);
    }
    b = m->body_parent[b];
  }
  return s;
}

// Generalized force of a wrench on a body, in the frame after joint j of place a, on that joint: free lin and ang, ball
// lin, others lin.x.
VV_DIFF static inline vvWrench vv_joint_force(const vvModel* m, int j, vvPlace a, vvWrench w) {
  vvWrench o = {{0, 0, 0}, {0, 0, 0}};
  vvVec3 turn = vv_vec3_sub(w.ang, vv_vec3_cross(vv_vec3_load(m->jnt_lpos, 3 * j), w.lin));
  if (m->jnt_type[j] == VV_JOINT_FREE) {
    o.lin = vv_quat_rotate(a.r, w.lin);
    o.ang = w.ang;
  } else if (m->jnt_type[j] == VV_JOINT_BALL) {
    o.lin = turn;
  } else if (m->jnt_type[j] == VV_JOINT_SLIDE) {
    o.lin.x = vv_vec3_dot(vv_vec3_load(m->jnt_laxis, 3 * j), w.lin);
  } else {
    o.lin.x = vv_vec3_dot(vv_vec3_load(m->jnt_laxis, 3 * j), turn);
  }
  return o;
}

// A wrench on body b as one on its parent, once its joints are passed.
VV_DIFF static inline vvWrench vv_body_shift(const vvModel* m, int b, vvWrench w) {
  vvWrench o = w;
  if (!vv_body_is_free(m, b)) {
    vvPlace place;
    place.p = vv_vec3_load(m->body_lpos, 3 * b);
    place.r = vv_quat_load(m->body_lquat, 4 * b);
    o = vv_wrench_shift(place, w);
  }
  return o;
}

// A wrench at a site as one on its body.
VV_DIFF static inline vvWrench vv_site_shift(const vvModel* m, int site, vvWrench w) {
  vvPlace place;
  place.p = vv_vec3_load(m->site_lpos, 3 * site);
  place.r = vv_quat_load(m->site_lquat, 4 * site);
  return vv_wrench_shift(place, w);
}

// Adds to y what a wrench at a site does on the dofs between its body and `stop`, times f.
VV_DIFF static inline void vv_site_push(const vvModel* m, const vvReal* q, int site, int stop, vvWrench wrench,
                                        vvReal f, vvReal* y) {
  vvWrench w = vv_site_shift(m, site, wrench);
  int b = m->site_body[site];
  while (b != stop) {
    for (int k = 0; k < m->body_njnt[b]; k++) {
      int j = m->body_jnt[b] + m->body_njnt[b] - 1 - k;
      int d = m->jnt_v[j];
      vvPlace a = vv_joint_place(m, q, j);
      vvWrench g = vv_joint_force(m, j, a, w);
      y[d] += f * g.lin.x;
      if (m->jnt_type[j] == VV_JOINT_BALL || m->jnt_type[j] == VV_JOINT_FREE) {
        y[d + 1] += f * g.lin.y;
        y[d + 2] += f * g.lin.z;
      }
      if (m->jnt_type[j] == VV_JOINT_FREE) {
        y[d + 3] += f * g.ang.x;
        y[d + 4] += f * g.ang.y;
        y[d + 5] += f * g.ang.z;
      }
      w = vv_wrench_shift(a, w);
    }
    w = vv_body_shift(m, b, w);
    b = m->body_parent[b];
  }
}

// Power of the same wrench at velocity v.
VV_DIFF static inline vvReal vv_site_rate(const vvModel* m, const vvReal* q, const vvReal* v, int site, int stop,
                                          vvWrench wrench) {
  vvReal sum = 0;
  vvWrench w = vv_site_shift(m, site, wrench);
  int b = m->site_body[site];
  while (b != stop) {
    for (int k = 0; k < m->body_njnt[b]; k++) {
      int j = m->body_jnt[b] + m->body_njnt[b] - 1 - k;
      int d = m->jnt_v[j];
      vvPlace a = vv_joint_place(m, q, j);
      vvWrench g = vv_joint_force(m, j, a, w);
      sum += g.lin.x * v[d];
      if (m->jnt_type[j] == VV_JOINT_BALL || m->jnt_type[j] == VV_JOINT_FREE) {
        sum += g.lin.y * v[d + 1] + g.lin.z * v[d + 2];
      }
      if (m->jnt_type[j] == VV_JOINT_FREE) sum += vv_vec3_dot(g.ang, vv_vec3_load(v, d + 3));
      w = vv_wrench_shift(a, w);
    }
    w = vv_body_shift(m, b, w);
    b = m->body_parent[b];
  }
  return sum;
}

// Gear of actuator u as a wrench in the axes of its site: as stated, or stated in the axes of the reference site.
VV_DIFF static inline vvWrench vv_site_gear(const vvModel* m, const vvReal* q, int u) {
  vvWrench g;
  g.lin = vv_vec3_load(m->actuator_gear, 6 * u);
  g.ang = vv_vec3_load(m->actuator_gear, 6 * u + 3);
  if (m->actuator_ref[u] >= 0) {
    vvPlace s = vv_site_place(m, q, m->actuator_trnid[u], m->actuator_stop[u]);
    vvPlace r = vv_site_place(m, q, m->actuator_ref[u], m->actuator_stop[u]);
    vvQuat turn = vv_quat_mul(vv_quat_conj(s.r), r.r);
    g.lin = vv_quat_rotate(turn, g.lin);
    g.ang = vv_quat_rotate(turn, g.ang);
  }
  return g;
}

// The opposite of the gear, at the reference site.
VV_DIFF static inline vvWrench vv_site_counter(const vvModel* m, int u) {
  vvWrench g;
  g.lin = vv_vec3_scale(-1, vv_vec3_load(m->actuator_gear, 6 * u));
  g.ang = vv_vec3_scale(-1, vv_vec3_load(m->actuator_gear, 6 * u + 3));
  return g;
}

// Length between site and reference site: gear . (place of the one in the other, rotation vector).
VV_DIFF static inline vvReal vv_site_length(const vvModel* m, const vvReal* q, int u) {
  vvPlace s = vv_site_place(m, q, m->actuator_trnid[u], m->actuator_stop[u]);
  vvPlace r = vv_site_place(m, q, m->actuator_ref[u], m->actuator_stop[u]);
  vvVec3 p = vv_quat_rotate(vv_quat_conj(r.r), vv_vec3_sub(s.p, r.p));
  vvVec3 turn = vv_quat_log(vv_quat_mul(vv_quat_conj(r.r), s.r));
  return vv_vec3_dot(vv_vec3_load(m->actuator_gear, 6 * u), p) +
         vv_vec3_dot(vv_vec3_load(m->actuator_gear, 6 * u + 3), turn);
}

VV_DIFF static inline vvReal vv_actuator_length(const vvModel* m, int u, const vvReal* q) {
  vvReal l = 0;
  int id = m->actuator_trnid[u];
  if (m->actuator_trntype[u] == VV_TRN_SITE) {
    if (m->actuator_ref[u] >= 0) l = vv_site_length(m, q, u);
  } else if (m->actuator_trntype[u] == VV_TRN_TENDON) {
    l = m->actuator_gear[6 * u] * vv_tendon_sum(m, id, q, m->jnt_q);
  } else if (m->jnt_type[id] == VV_JOINT_BALL) {
    vvVec3 g = vv_actuator_angular_gear(vv_vec3_load(m->actuator_gear, 6 * u),
                                        m->actuator_trntype[u] == VV_TRN_JOINTINPARENT, q, m->jnt_q[id]);
    l = vv_vec3_dot(g, vv_quat_log(vv_quat_normalize(vv_quat_load(q, m->jnt_q[id]))));
  } else if (m->jnt_type[id] != VV_JOINT_FREE) {
    l = m->actuator_gear[6 * u] * q[m->jnt_q[id]];
  }
  return l;
}

VV_DIFF static inline vvReal vv_actuator_velocity(const vvModel* m, int u, const vvReal* q, const vvReal* v) {
  vvReal s = 0;
  int id = m->actuator_trnid[u];
  int inparent = m->actuator_trntype[u] == VV_TRN_JOINTINPARENT;
  if (m->actuator_trntype[u] == VV_TRN_SITE) {
    int ref = m->actuator_ref[u];
    s = vv_site_rate(m, q, v, id, m->actuator_stop[u], vv_site_gear(m, q, u));
    if (ref >= 0) s += vv_site_rate(m, q, v, ref, m->actuator_stop[u], vv_site_counter(m, u));
  } else if (m->actuator_trntype[u] == VV_TRN_TENDON) {
    s = m->actuator_gear[6 * u] * vv_tendon_sum(m, id, v, m->jnt_v);
  } else if (m->jnt_type[id] == VV_JOINT_BALL) {
    vvVec3 g = vv_actuator_angular_gear(vv_vec3_load(m->actuator_gear, 6 * u), inparent, q, m->jnt_q[id]);
    s = vv_vec3_dot(g, vv_vec3_load(v, m->jnt_v[id]));
  } else if (m->jnt_type[id] == VV_JOINT_FREE) {
    vvVec3 g = vv_actuator_angular_gear(vv_vec3_load(m->actuator_gear, 6 * u + 3), inparent, q, m->jnt_q[id] + 3);
    s = vv_vec3_dot(vv_vec3_load(m->actuator_gear, 6 * u), vv_vec3_load(v, m->jnt_v[id])) +
        vv_vec3_dot(g, vv_vec3_load(v, m->jnt_v[id] + 3));
  } else {
    s = m->actuator_gear[6 * u] * v[m->jnt_v[id]];
  }
  return s;
}

// Control in effect.
VV_DIFF static inline vvReal vv_actuator_control(const vvModel* m, const vvReal* ctrl, int u) {
  vvReal c = ctrl[u];
  if (m->actuator_ctrllimited[u] && !(m->disable & VV_DISABLE_CLAMPCTRL)) {
    c = vv_clamp(c, m->actuator_ctrlrange[2 * u], m->actuator_ctrlrange[2 * u + 1]);
  }
  return c;
}

// ---- muscles --------------------------------------------------------------------------------------------------------

// Of muscle u with parameters prm (gain or bias in effect): the optimal length in units of the actuator's length, and
// the normalised length.
VV_DIFF static inline vvReal vv_muscle_unit(const vvModel* m, const vvReal* prm, int u) {
  vvReal span = vv_fmax(prm[10 * u + 1] - prm[10 * u], VV_ACTUATOR_TINY);
  return (m->actuator_lengthrange[2 * u + 1] - m->actuator_lengthrange[2 * u]) / span;
}

VV_DIFF static inline vvReal vv_muscle_length(const vvModel* m, const vvReal* prm, int u, vvReal l) {
  vvReal unit = vv_fmax(vv_muscle_unit(m, prm, u), VV_ACTUATOR_TINY);
  return prm[10 * u] + (l - m->actuator_lengthrange[2 * u]) / unit;
}

// Peak active force.
VV_DIFF static inline vvReal vv_muscle_peak(const vvModel* m, const vvReal* prm, int u) {
  vvReal force = prm[10 * u + 2];
  if (force < 0) force = prm[10 * u + 3] / vv_fmax(m->actuator_acc0[u], VV_ACTUATOR_TINY);
  return force;
}

VV_DIFF static inline vvReal vv_muscle_gain(const vvModel* m, int u, vvReal l, vvReal rate) {
  vvReal lmin = m->actuator_gain[10 * u + 4];
  vvReal lmax = m->actuator_gain[10 * u + 5];
  vvReal fvmax = m->actuator_gain[10 * u + 8];
  vvReal L = vv_muscle_length(m, m->actuator_gain, u, l);
  vvReal V = rate / vv_fmax(vv_muscle_unit(m, m->actuator_gain, u) * m->actuator_gain[10 * u + 6], VV_ACTUATOR_TINY);
  vvReal a = (lmin + 1) / 2;
  vvReal b = (1 + lmax) / 2;
  vvReal FL = 0;
  if (L >= lmin && L <= lmax) {
    if (L <= a) {
      vvReal x = (L - lmin) / vv_fmax(a - lmin, VV_ACTUATOR_TINY);
      FL = x * x / 2;
    } else if (L <= 1) {
      vvReal x = (1 - L) / vv_fmax(1 - a, VV_ACTUATOR_TINY);
      FL = 1 - x * x / 2;
    } else if (L <= b) {
      vvReal x = (L - 1) / vv_fmax(b - 1, VV_ACTUATOR_TINY);
      FL = 1 - x * x / 2;
    } else {
      vvReal x = (lmax - L) / vv_fmax(lmax - b, VV_ACTUATOR_TINY);
      FL = x * x / 2;
    }
  }
  vvReal y = fvmax - 1;
  vvReal FV = fvmax;
  if (V <= -1) {
    FV = 0;
  } else if (V <= 0) {
    FV = (V + 1) * (V + 1);
  } else if (V <= y) {
    FV = fvmax - (y - V) * (y - V) / vv_fmax(y, VV_ACTUATOR_TINY);
  }
  return -vv_muscle_peak(m, m->actuator_gain, u) * FL * FV;
}

VV_DIFF static inline vvReal vv_muscle_bias(const vvModel* m, int u, vvReal l) {
  vvReal fpmax = m->actuator_bias[10 * u + 7];
  vvReal b = (1 + m->actuator_bias[10 * u + 5]) / 2;
  vvReal L = vv_muscle_length(m, m->actuator_bias, u, l);
  vvReal F = 0;
  if (L > 1) {
    if (L <= b) {
      vvReal x = (L - 1) / vv_fmax(b - 1, VV_ACTUATOR_TINY);
      F = fpmax * x * x / 2;
    } else {
      vvReal x = (L - b) / vv_fmax(b - 1, VV_ACTUATOR_TINY);
      F = fpmax * (x + (vvReal)0.5);
    }
  }
  return -vv_muscle_peak(m, m->actuator_bias, u) * F;
}

VV_DIFF static inline vvReal vv_muscle_dynamics(const vvModel* m, int u, vvReal ctrl, vvReal act) {
  vvReal c = vv_clamp(ctrl, 0, 1);
  vvReal a = vv_clamp(act, 0, 1);
  vvReal slow = (vvReal)0.5 + (vvReal)1.5 * a;
  vvReal up = m->actuator_dyn[10 * u] * slow;
  vvReal down = m->actuator_dyn[10 * u + 1] / slow;
  vvReal width = m->actuator_dyn[10 * u + 2];
  vvReal d = c - act;
  vvReal tau = down;
  if (width < VV_ACTUATOR_TINY) {
    if (d > 0) tau = up;
  } else {
    vvReal x = vv_clamp(d / width + (vvReal)0.5, 0, 1);
    tau = down + (up - down) * x * x * x * (3 * x * (2 * x - 5) + 10);
  }
  return d / vv_fmax(tau, VV_ACTUATOR_TINY);
}

// ---- activations and forces -----------------------------------------------------------------------------------------

// Rate of the activation of actuator u, which has one.
VV_DIFF static inline vvReal vv_actuator_act_dot(const vvModel* m, int u, const vvReal* ctrl, vvReal act) {
  vvReal c = vv_actuator_control(m, ctrl, u);
  vvReal r = c;
  if (m->actuator_dyntype[u] == VV_DYN_FILTER || m->actuator_dyntype[u] == VV_DYN_FILTEREXACT) {
    r = (c - act) / vv_fmax(m->actuator_dyn[10 * u], VV_ACTUATOR_TINY);
  } else if (m->actuator_dyntype[u] == VV_DYN_MUSCLE) {
    r = vv_muscle_dynamics(m, u, c, act);
  }
  return r;
}

// The activation after a step at the given rate.
VV_DIFF static inline vvReal vv_actuator_next(const vvModel* m, int u, vvReal act, vvReal rate) {
  vvReal h = m->opt_timestep[0];
  vvReal next = act + h * rate;
  if (m->actuator_dyntype[u] == VV_DYN_FILTEREXACT) {
    vvReal tau = vv_fmax(m->actuator_dyn[10 * u], VV_ACTUATOR_TINY);
    next = act + rate * tau * (1 - vv_exp(-h / tau));
  }
  if (m->actuator_actlimited[u]) {
    next = vv_clamp(next, m->actuator_actrange[2 * u], m->actuator_actrange[2 * u + 1]);
  }
  return next;
}

// One turn in units of the length of an actuator on an angle.
VV_DIFF static inline vvReal vv_actuator_period(const vvModel* m, int u) {
  vvVec3 g = vv_vec3_load(m->actuator_gear, 6 * u);
  if (m->actuator_trntype[u] == VV_TRN_SITE) g = vv_vec3_load(m->actuator_gear, 6 * u + 3);
  vvReal period = 0;
  if (vv_vec3_dot(g, g) > 0) period = (vvReal)6.283185307179586477 * vv_sqrt(vv_vec3_dot(g, g));
  return period;
}

// Whole turns by which input s is off the length.
VV_DIFF static inline vvReal vv_actuator_turns(const vvModel* m, const vvReal* q, vvReal s, int u) {
  vvReal period = vv_actuator_period(m, u);
  vvReal turns = 0;
  if (period > 0) turns = vv_round((s - vv_actuator_length(m, u, q)) / period);
  return turns;
}

// Force of actuator u, before its ranges and its gear.
VV_DIFF static inline vvReal vv_actuator_raw(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* act,
                                             const vvReal* ctrl, int u) {
  vvReal s = 0;
  if (m->actuator_act[u] >= 0) {
    s = act[m->actuator_act[u]];
    if (m->actuator_actearly[u]) s = vv_actuator_next(m, u, s, vv_actuator_act_dot(m, u, ctrl, s));
  } else {
    s = vv_actuator_control(m, ctrl, u);
  }
  vvReal gain = m->actuator_gain[10 * u];
  vvReal bias = 0;
  if (m->actuator_gaintype[u] != VV_GAIN_FIXED || m->actuator_biastype[u] != VV_BIAS_NONE) {
    vvReal l = vv_actuator_length(m, u, q);
    vvReal rate = vv_actuator_velocity(m, u, q, v);
    if (m->actuator_gaintype[u] == VV_GAIN_AFFINE) {
      gain += m->actuator_gain[10 * u + 1] * l + m->actuator_gain[10 * u + 2] * rate;
    } else if (m->actuator_gaintype[u] == VV_GAIN_MUSCLE) {
      gain = vv_muscle_gain(m, u, l, rate);
    }
    if (m->actuator_biastype[u] == VV_BIAS_AFFINE) {
      bias = m->actuator_bias[10 * u] + m->actuator_bias[10 * u + 1] * l + m->actuator_bias[10 * u + 2] * rate;
    } else if (m->actuator_biastype[u] == VV_BIAS_MUSCLE) {
      bias = vv_muscle_bias(m, u, l);
    }
  }
  if (m->actuator_wrap[u]) s -= vv_actuator_period(m, u) * vv_actuator_turns(m, q, s, u);
  return gain * s + bias;
}

// Factor that brings the sum of the forces on tendon t into its range.
VV_DIFF static inline vvReal vv_tendon_share(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* act,
                                             const vvReal* ctrl, int t) {
  vvReal sum = 0;
  for (int u = 0; u < m->nu; u++) {
    if (m->actuator_disabled[u] || m->actuator_trntype[u] != VV_TRN_TENDON || m->actuator_trnid[u] != t) continue;
    sum += vv_actuator_raw(m, q, v, act, ctrl, u);
  }
  vvReal share = 1;
  if (sum < m->tendon_actfrcrange[2 * t]) share = m->tendon_actfrcrange[2 * t] / sum;
  if (sum > m->tendon_actfrcrange[2 * t + 1]) share = m->tendon_actfrcrange[2 * t + 1] / sum;
  return share;
}

// Force of actuator u, before its gear.
VV_DIFF static inline vvReal vv_actuator_force(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* act,
                                               const vvReal* ctrl, int u) {
  vvReal f = 0;
  if (!m->actuator_disabled[u]) {
    f = vv_actuator_raw(m, q, v, act, ctrl, u);
    if (m->actuator_trntype[u] == VV_TRN_TENDON && m->tendon_actfrclimited[m->actuator_trnid[u]]) {
      f = f * vv_tendon_share(m, q, v, act, ctrl, m->actuator_trnid[u]);
    }
  }
  if (m->actuator_forcelimited[u]) {
    f = vv_clamp(f, m->actuator_forcerange[2 * u], m->actuator_forcerange[2 * u + 1]);
  }
  return f;
}

#endif  // VISVIVA_RIGID_ACTUATOR_KERNEL_H_
