// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// reference.c: the slow step.
//
// method   each body moves freely in space; the joints give, for every dof d, the velocity of its center of mass Jv_d
//          and its angular velocity Jw_d, world axes. Then
//            M = sum mass Jv'Jv + Jw' I Jw + armature
//            c = sum mass Jv'(dJv/dt v - g) + Jw'(I dJw/dt v + w x I w)
//          with dJ/dt from a central difference of eighth order along the motion. Constraint rows are written out one
//          by one and a minimises  (a - a0)'M(a - a0)/2 + s(J a - a_ref)  by Newton steps with halving.
// symbols  as in the documentation of MuJoCo's constraint model; R inverse weight, D = 1/R

#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if !defined(VV_REAL_IS_FLOAT)

typedef struct Pose {
  double* x;       // nbody x 3   origin
  double* R;       // nbody x 9   body to world
  double* Jw;      // nbody x 3 x nv
  double* Jv;      // nbody x 3 x nv   at the center of mass
  double* com;     // nbody x 3
  double* axis;    // nv x 3   scratch: axis of each dof, world
  double* anchor;  // nv x 3   scratch: point on it
} Pose;

static double* zeros(size_t n) {
  return calloc(n + 1, sizeof(double));
}

static Pose pose_create(const vvModel* m) {
  size_t nb = (size_t)m->nbody, nv = (size_t)m->nv;
  Pose p = {zeros(3 * nb), zeros(9 * nb), zeros(3 * nb * nv), zeros(3 * nb * nv),
            zeros(3 * nb), zeros(3 * nv), zeros(3 * nv)};
  return p;
}

static void pose_free(Pose* p) {
  double* all[] = {p->x, p->R, p->Jw, p->Jv, p->com, p->axis, p->anchor};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) free(all[k]);
}

// ---- small geometry -------------------------------------------------------------------------------------------------

static void cross(const double* a, const double* b, double* c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double* a, const double* b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

// y = R x, y = R' x
static void turn(const double* R, const double* x, double* y) {
  for (int i = 0; i < 3; i++) y[i] = dot(R + 3 * i, x, 3);
}

static void unturn(const double* R, const double* x, double* y) {
  for (int i = 0; i < 3; i++) y[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}

static void mul3(const double* A, const double* B, double* C) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
  }
}

// Rotation by Rodrigues' formula: 1 + sin K + (1 - cos) K K about a unit axis.
static void rotation(const double* axis, double angle, double* R) {
  double K[9] = {0, -axis[2], axis[1], axis[2], 0, -axis[0], -axis[1], axis[0], 0}, KK[9];
  mul3(K, K, KK);
  for (int i = 0; i < 9; i++) R[i] = (i % 4 == 0) + sin(angle) * K[i] + (1 - cos(angle)) * KK[i];
}

static void quat_rotation(const double* quat, double* R) {
  double n = sqrt(dot(quat, quat, 4)), s = sqrt(dot(quat + 1, quat + 1, 3)) / n;
  double axis[3] = {1, 0, 0};
  for (int i = 0; i < 3 && s > 0; i++) axis[i] = quat[1 + i] / (n * s);
  rotation(axis, 2 * atan2(s, quat[0] / n), R);
}

// ---- kinematics -----------------------------------------------------------------------------------------------------

// Poses and Jacobians of all bodies at q.
static void kinematics(const vvModel* m, const double* q, Pose* p) {
  int nv = m->nv;
  memset(p->Jw, 0, sizeof(double) * (size_t)(3 * m->nbody * nv));
  memset(p->Jv, 0, sizeof(double) * (size_t)(3 * m->nbody * nv));
  double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  memcpy(p->R, identity, sizeof identity);
  for (int i = 1; i < m->nbody; i++) {
    int up = m->body_parent[i];
    double L[9], R[9], T[9], x[3], y[3];
    quat_rotation(m->body_lquat + 4 * i, L);
    mul3(p->R + 9 * up, L, R);
    turn(p->R + 9 * up, m->body_lpos + 3 * i, x);
    for (int k = 0; k < 3; k++) x[k] += p->x[3 * up + k];
    for (int j = m->body_jnt[i]; j < m->body_jnt[i] + m->body_njnt[i]; j++) {
      int d = m->jnt_v[j], iq = m->jnt_q[j], type = m->jnt_type[j];
      double anchor[3], axis[3];
      turn(R, m->jnt_lpos + 3 * j, anchor);
      turn(R, m->jnt_laxis + 3 * j, axis);
      for (int k = 0; k < 3; k++) anchor[k] += x[k];
      if (type == VV_JOINT_SLIDE) {
        for (int k = 0; k < 3; k++) x[k] += (q[iq] - m->qpos0[iq]) * axis[k];
      } else if (type == VV_JOINT_FREE) {
        for (int k = 0; k < 3; k++) x[k] = anchor[k] = q[iq + k];
        quat_rotation(q + iq + 3, R);
      } else {
        if (type == VV_JOINT_HINGE) rotation(m->jnt_laxis + 3 * j, q[iq] - m->qpos0[iq], L);
        if (type == VV_JOINT_BALL) quat_rotation(q + iq, L);
        mul3(R, L, T);
        memcpy(R, T, sizeof T);
        turn(R, m->jnt_lpos + 3 * j, y);
        for (int k = 0; k < 3; k++) x[k] = anchor[k] - y[k];
      }
      if (type == VV_JOINT_SLIDE || type == VV_JOINT_HINGE) {
        memcpy(p->axis + 3 * d, axis, sizeof axis);
        memcpy(p->anchor + 3 * d, anchor, sizeof anchor);
      }
      int turning = type == VV_JOINT_FREE ? d + 3 : d;
      for (int c = 0; c < 3 && (type == VV_JOINT_FREE || type == VV_JOINT_BALL); c++) {
        for (int k = 0; k < 3; k++) {
          if (type == VV_JOINT_FREE) p->axis[3 * (d + c) + k] = c == k;
          p->axis[3 * (turning + c) + k] = R[3 * k + c];
          p->anchor[3 * (turning + c) + k] = anchor[k];
        }
      }
    }
    memcpy(p->R + 9 * i, R, sizeof R);
    memcpy(p->x + 3 * i, x, sizeof x);
    double mass = m->body_inertia10[10 * i], local[3];
    for (int k = 0; k < 3; k++) local[k] = mass > 0 ? m->body_inertia10[10 * i + 1 + k] / mass : 0;
    turn(R, local, p->com + 3 * i);
    for (int k = 0; k < 3; k++) p->com[3 * i + k] += x[k];
  }
}

// Column d of the Jacobian of point `point` on body i: angular and linear part.
static void column(const vvModel* m, const Pose* p, int i, int d, const double* point, double* w, double* u) {
  memset(w, 0, 3 * sizeof(double));
  memset(u, 0, 3 * sizeof(double));
  int b = i;
  while (b > 0 && b != m->dof_body[d]) b = m->body_parent[b];
  if (b == 0) return;
  int j = m->dof_jnt[d];
  const double* axis = p->axis + 3 * d;
  bool slides = m->jnt_type[j] == VV_JOINT_SLIDE || (m->jnt_type[j] == VV_JOINT_FREE && d < m->jnt_v[j] + 3);
  if (slides) {
    memcpy(u, axis, 3 * sizeof(double));
    return;
  }
  double r[3] = {point[0] - p->anchor[3 * d], point[1] - p->anchor[3 * d + 1], point[2] - p->anchor[3 * d + 2]};
  memcpy(w, axis, 3 * sizeof(double));
  cross(axis, r, u);
}

static void jacobians(const vvModel* m, Pose* p) {
  for (int i = 1; i < m->nbody; i++) {
    for (int d = 0; d < m->nv; d++) {
      double w[3], u[3];
      column(m, p, i, d, p->com + 3 * i, w, u);
      for (int k = 0; k < 3; k++) {
        p->Jw[(3 * i + k) * m->nv + d] = w[k];
        p->Jv[(3 * i + k) * m->nv + d] = u[k];
      }
    }
  }
}

// q1 = q moved for the time t with velocity v.
static void move(const vvModel* m, const double* q, const double* v, double t, double* q1) {
  memcpy(q1, q, sizeof(double) * (size_t)m->nq);
  for (int j = 0; j < m->njnt; j++) {
    int iq = m->jnt_q[j], d = m->jnt_v[j];
    if (m->jnt_type[j] == VV_JOINT_HINGE || m->jnt_type[j] == VV_JOINT_SLIDE) {
      q1[iq] += t * v[d];
      continue;
    }
    if (m->jnt_type[j] == VV_JOINT_FREE) {
      for (int k = 0; k < 3; k++) q1[iq + k] += t * v[d + k];
      iq += 3;
      d += 3;
    }
    double speed = sqrt(dot(v + d, v + d, 3)), e[4] = {cos(t * speed / 2), 0, 0, 0};
    for (int k = 0; k < 3 && speed > 0; k++) e[1 + k] = sin(t * speed / 2) * v[d + k] / speed;
    const double* b = q + iq;
    double c[3];
    cross(b + 1, e + 1, c);
    q1[iq] = b[0] * e[0] - dot(b + 1, e + 1, 3);
    for (int k = 0; k < 3; k++) q1[iq + 1 + k] = b[0] * e[1 + k] + e[0] * b[1 + k] + c[k];
  }
}

// ---- unconstrained motion -------------------------------------------------------------------------------------------

// Moments of body i about its center of mass, world axes.
static void world_inertia(const vvModel* m, const Pose* p, int i, double* I) {
  const double* t = m->body_inertia10 + 10 * i;
  double mass = t[0], c[3] = {0, 0, 0}, A[9], B[9];
  for (int k = 0; k < 3 && mass > 0; k++) c[k] = t[1 + k] / mass;
  double body[9] = {t[4], t[7], t[8], t[7], t[5], t[9], t[8], t[9], t[6]};
  for (int r = 0; r < 3; r++) {
    for (int s = 0; s < 3; s++) body[3 * r + s] -= mass * ((r == s) * dot(c, c, 3) - c[r] * c[s]);
  }
  mul3(p->R + 9 * i, body, A);
  for (int r = 0; r < 3; r++) {
    for (int s = 0; s < 3; s++) B[3 * r + s] = p->R[9 * i + 3 * s + r];
  }
  mul3(A, B, I);
}

static void mass_and_bias(const vvModel* m, const double* q, const double* v, Pose* p, vvReference* out) {
  static const double weight[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  int nv = m->nv;
  size_t n = (size_t)(3 * m->nbody * nv);
  double fastest = 1, *q1 = zeros((size_t)m->nq), *dJw = zeros(n), *dJv = zeros(n);
  for (int d = 0; d < nv; d++) fastest = fmax(fastest, fabs(v[d]));
  double h = 0.02 / fastest;
  Pose moved = pose_create(m);
  for (int k = 1; k <= 4; k++) {
    for (int side = -1; side <= 1; side += 2) {
      move(m, q, v, side * k * h, q1);
      kinematics(m, q1, &moved);
      jacobians(m, &moved);
      for (size_t e = 0; e < n; e++) {
        dJw[e] += side * weight[k - 1] / h * moved.Jw[e];
        dJv[e] += side * weight[k - 1] / h * moved.Jv[e];
      }
    }
  }
  kinematics(m, q, p);
  jacobians(m, p);
  for (int i = 1; i < m->nbody; i++) {
    double I[9], w[3], Iw[3], gyro[3], dw[3], force[3], torque[3], mass = m->body_inertia10[10 * i];
    world_inertia(m, p, i, I);
    for (int k = 0; k < 3; k++) {
      w[k] = dot(p->Jw + (3 * i + k) * nv, v, nv);
      dw[k] = dot(dJw + (3 * i + k) * nv, v, nv);
      double g = m->disable & VV_DISABLE_GRAVITY ? 0 : m->opt_gravity[k];
      force[k] = mass * (dot(dJv + (3 * i + k) * nv, v, nv) - g);
    }
    turn(I, w, Iw);
    cross(w, Iw, gyro);
    turn(I, dw, torque);
    for (int d = 0; d < nv; d++) {
      double u[3], o[3], Io[3];
      for (int k = 0; k < 3; k++) {
        u[k] = p->Jv[(3 * i + k) * nv + d];
        o[k] = p->Jw[(3 * i + k) * nv + d];
        out->bias[d] += u[k] * force[k] + o[k] * (torque[k] + gyro[k]);
      }
      turn(I, o, Io);
      for (int e = 0; e < nv; e++) {
        for (int k = 0; k < 3; k++) {
          out->M[d * nv + e] += mass * u[k] * p->Jv[(3 * i + k) * nv + e] + Io[k] * p->Jw[(3 * i + k) * nv + e];
        }
      }
    }
  }
  for (int d = 0; d < nv; d++) out->M[d * nv + d] += m->jnt_armature[m->dof_jnt[d]];
  pose_free(&moved);
  free(q1);
  free(dJw);
  free(dJv);
}

// Rotation vector, body axes, from quaternion b to a.
static void turned(const double* b, const double* a, double* r) {
  double c[3], n = sqrt(dot(a, a, 4)), w = dot(a, b, 4) / n, s;
  cross(b + 1, a + 1, c);
  for (int k = 0; k < 3; k++) r[k] = (b[0] * a[1 + k] - a[0] * b[1 + k] - c[k]) / n;
  s = sqrt(dot(r, r, 3));
  double sign = w < 0 ? -1 : 1;
  for (int k = 0; k < 3; k++) r[k] *= s > 1e-9 ? sign * 2 * atan2(s, sign * w) / s : sign * 2;
}

static double clip(double x, const double* range) {
  return x < range[0] ? range[0] : x > range[1] ? range[1] : x;
}

static void forces(const vvModel* m, const Pose* p, const double* q, const double* v, const double* ctrl,
                   const double* applied, double* tau) {
  for (int d = 0; d < m->nv; d++) {
    tau[d] = applied ? applied[d] : 0;
    if (!(m->disable & VV_DISABLE_DAMPER)) tau[d] -= m->jnt_damping[m->dof_jnt[d]] * v[d];
  }
  for (int j = 0; j < m->njnt && !(m->disable & VV_DISABLE_SPRING); j++) {
    int iq = m->jnt_q[j], d = m->jnt_v[j], linear = m->jnt_type[j] == VV_JOINT_FREE ? 3 : 1;
    double k = m->jnt_stiffness[j], r[3];
    if (m->jnt_type[j] == VV_JOINT_BALL) linear = 0;
    for (int c = 0; c < linear; c++) tau[d + c] -= k * (q[iq + c] - m->qpos_spring[iq + c]);
    if (linear == 1) continue;
    turned(m->qpos_spring + iq + linear, q + iq + linear, r);
    for (int c = 0; c < 3; c++) tau[d + linear + c] -= k * r[c];
  }
  for (int u = 0; u < m->nu && !(m->disable & VV_DISABLE_ACTUATION); u++) {
    int j = m->actuator_trnid[u], d = m->jnt_v[j], type = m->jnt_type[j];
    double f = ctrl ? ctrl[u] : 0;
    const double* gear = m->actuator_gear + 6 * u;
    if (m->actuator_ctrllimited[u] && !(m->disable & VV_DISABLE_CLAMPCTRL)) f = clip(f, m->actuator_ctrlrange + 2 * u);
    if (m->actuator_forcelimited[u]) f = clip(f, m->actuator_forcerange + 2 * u);
    int linear = type == VV_JOINT_FREE ? 3 : type == VV_JOINT_BALL ? 0 : 1;
    for (int c = 0; c < linear; c++) tau[d + c] += f * gear[c];
    if (linear == 1) continue;
    for (int c = 0; c < 3; c++) {
      double g = gear[linear + c];
      if (m->actuator_trntype[u] == VV_TRN_JOINTINPARENT) {
        // gear in the parent's axes (the world's for a free joint), the dof's axes are the body's
        int up = m->body_parent[m->jnt_body[j]];
        double L[9], P[9], axis[3];
        memcpy(P, p->R, sizeof P);  // world
        if (type == VV_JOINT_BALL) {
          quat_rotation(m->body_lquat + 4 * m->jnt_body[j], L);
          mul3(p->R + 9 * up, L, P);
        }
        unturn(P, p->axis + 3 * (d + linear + c), axis);
        g = dot(axis, gear + linear, 3);
      }
      tau[d + linear + c] += f * g;
    }
  }
}

// ---- constraints ----------------------------------------------------------------------------------------------------

// One group of rows: a limit, a frictionless contact or one pyramid edge (n = 1), or an elliptic contact (n = condim).
typedef struct Rows {
  int n;
  double* J;                         // n x nv
  double ref[6], D[6], mu[6], cone;  // mu, cone: elliptic only
  double loss;                       // dry friction: its bound, 0: not dry friction
} Rows;

// Stiffness and damping times impedance of one row; returns the impedance.
static double law(const vvModel* m, const double* solref, const double* solimp, double x, double* K, double* B) {
  double d0 = fmin(fmax(solimp[0], 0.0001), 0.9999), d1 = fmin(fmax(solimp[1], 0.0001), 0.9999);
  double mid = fmin(fmax(solimp[3], 0.0001), 0.9999), p = fmax(solimp[4], 1), d, s = fabs(x) / fmax(solimp[2], 1e-300);
  double r0 = solref[0], r1 = solref[1];
  if ((r0 > 0) != (r1 > 0)) r0 = 0.02, r1 = 1;
  if (r0 > 0) {
    if (!(m->disable & VV_DISABLE_REFSAFE)) r0 = fmax(r0, 2 * m->opt_timestep[0]);
    *B = 2 / (d1 * r0);
    *K = 1 / (d1 * d1 * r0 * r0 * r1 * r1);
  } else {
    *B = -r1 / d1;
    *K = -r0 / (d1 * d1);
  }
  if (d0 == d1 || solimp[2] <= 1e-15) return (d0 + d1) / 2;
  if (s >= 1) return d1;
  d = s <= mid ? pow(s, p) / pow(mid, p - 1) : 1 - pow(1 - s, p) / pow(1 - mid, p - 1);
  return d0 + d * (d1 - d0);
}

// solref, solimp, friction and margin of two geoms in contact.
static void mix(const vvModel* m, int a, int b, double* solref, double* solimp, double* friction, double* margin) {
  double wa = m->geom_solmix[a], wb = m->geom_solmix[b], s = wa / (wa + wb);
  if (wa < 1e-15 && wb < 1e-15) s = 0.5;
  if (wa >= 1e-15 && wb < 1e-15) s = 1;
  if (wa < 1e-15 && wb >= 1e-15) s = 0;
  int priority = m->geom_priority[a] - m->geom_priority[b];
  if (priority != 0) s = priority > 0;
  bool direct = priority == 0 && (m->geom_solref[2 * a] <= 0 || m->geom_solref[2 * b] <= 0);
  for (int k = 0; k < 2; k++) {
    double ra = m->geom_solref[2 * a + k], rb = m->geom_solref[2 * b + k];
    solref[k] = direct ? fmin(ra, rb) : s * ra + (1 - s) * rb;
  }
  for (int k = 0; k < 5; k++) solimp[k] = s * m->geom_solimp[5 * a + k] + (1 - s) * m->geom_solimp[5 * b + k];
  for (int k = 0; k < 3; k++) {
    double fa = m->geom_friction[3 * a + k], fb = m->geom_friction[3 * b + k];
    friction[k] = fmax(priority == 0 ? fmax(fa, fb) : priority > 0 ? fa : fb, 1e-5);
  }
  *margin = m->geom_margin[a] + m->geom_margin[b];
}

// Rows of a contact. Returns how many groups were written.
static int contact_rows(const vvModel* m, const Pose* p, const double* v, const vvContactFeature* f,
                        const vvContactPoint* at, Rows* out) {
  int nv = m->nv, dim = f->dim, a = m->geom_body[f->geom1], b = m->geom_body[f->geom2];
  double solref[2], solimp[5], friction[3], margin, K, B, J[6 * 200];
  double point[3] = {at->point.x, at->point.y, at->point.z};
  double frame[3][3] = {{at->normal.x, at->normal.y, at->normal.z},
                        {at->tangent1.x, at->tangent1.y, at->tangent1.z},
                        {at->tangent2.x, at->tangent2.y, at->tangent2.z}};
  mix(m, f->geom1, f->geom2, solref, solimp, friction, &margin);
  double mu[6] = {0, friction[0], friction[0], friction[1], friction[2], friction[2]};
  for (int d = 0; d < nv; d++) {
    double wa[3], ua[3], wb[3], ub[3];
    column(m, p, a, d, point, wa, ua);
    column(m, p, b, d, point, wb, ub);
    for (int k = 0; k < 3; k++) {
      wb[k] -= wa[k];
      ub[k] -= ua[k];
    }
    for (int k = 0; k < 3; k++) {
      J[k * nv + d] = dot(frame[k], ub, 3);
      J[(3 + k) * nv + d] = dot(frame[k], wb, 3);
    }
  }
  double x = at->gap - margin, imp = law(m, solref, solimp, x, &K, &B);
  double weight = m->body_invweight[2 * a] + m->body_invweight[2 * b], ratio = (1 - imp) / imp;
  if (dim == 1 || m->cone == VV_CONE_ELLIPTIC) {
    out->n = dim;
    out->J = zeros((size_t)(dim * nv));
    memcpy(out->J, J, sizeof(double) * (size_t)(dim * nv));
    out->D[0] = 1 / fmax(ratio * weight, 1e-15);
    out->cone = friction[0] / sqrt(m->opt_impratio[0]);
    for (int k = 0; k < dim; k++) {
      if (k > 0) out->D[k] = out->D[0] * m->opt_impratio[0] * mu[k] * mu[k] / (mu[1] * mu[1]);
      out->ref[k] = -B * dot(J + k * nv, v, nv) - (k == 0 ? K * imp * x : 0);
      out->mu[k] = mu[k];
    }
    return 1;
  }
  // pyramid: edges n + mu_k e_k and n - mu_k e_k
  double R = 2 * friction[0] * friction[0] / m->opt_impratio[0] *
             fmax(ratio * (weight + friction[0] * friction[0] * weight), 1e-15);
  for (int e = 0; e < 2 * (dim - 1); e++) {
    int k = 1 + e / 2;
    out[e].n = 1;
    out[e].J = zeros((size_t)nv);
    for (int d = 0; d < nv; d++) out[e].J[d] = J[d] + (e % 2 ? -1 : 1) * mu[k] * J[k * nv + d];
    out[e].D[0] = 1 / R;
    out[e].ref[0] = -B * dot(out[e].J, v, nv) - K * imp * x;
  }
  return 2 * (dim - 1);
}

static int limit_rows(const vvModel* m, const double* q, const double* v, Rows* out) {
  int n = 0;
  for (int j = 0; j < m->njnt; j++) {
    for (int side = 0; side < 2 && m->jnt_limited[j]; side++) {
      double sign = side ? -1 : 1, K, B;
      double x = sign * (q[m->jnt_q[j]] - m->jnt_range[2 * j + side]) - m->jnt_margin[j];
      if (x >= 0) continue;
      double imp = law(m, m->jnt_solref + 2 * j, m->jnt_solimp + 5 * j, x, &K, &B);
      out[n].n = 1;
      out[n].J = zeros((size_t)m->nv);
      out[n].J[m->jnt_v[j]] = sign;
      out[n].D[0] = 1 / fmax((1 - imp) / imp * m->dof_invweight[m->jnt_v[j]], 1e-15);
      out[n].ref[0] = -B * sign * v[m->jnt_v[j]] - K * imp * x;
      n++;
    }
  }
  return n;
}

static int friction_rows(const vvModel* m, const double* v, Rows* out) {
  int n = 0;
  for (int d = 0; d < m->nv; d++) {
    int j = m->dof_jnt[d];
    if (m->jnt_frictionloss[j] == 0) continue;
    double K, B, imp = law(m, m->jnt_friction_solref + 2 * j, m->jnt_friction_solimp + 5 * j, 0, &K, &B);
    out[n].n = 1;
    out[n].J = zeros((size_t)m->nv);
    out[n].J[d] = 1;
    out[n].D[0] = 1 / fmax((1 - imp) / imp * m->dof_invweight[d], 1e-15);
    out[n].ref[0] = -B * v[d];
    out[n].loss = m->jnt_frictionloss[j];
    n++;
  }
  return n;
}

// Cost s(x), its gradient g and Hessian C (6 x 6) of one group at x = J a - a_ref.
static double cost(const Rows* r, const double* x, double* g, double C[6][6]) {
  memset(g, 0, 6 * sizeof(double));
  memset(C, 0, 36 * sizeof(double));
  if (r->loss > 0) {
    bool slides = fabs(r->D[0] * x[0]) >= r->loss;
    g[0] = slides ? copysign(r->loss, x[0]) : r->D[0] * x[0];
    C[0][0] = slides ? 0 : r->D[0];
    return slides ? r->loss * (fabs(x[0]) - r->loss / r->D[0] / 2) : g[0] * x[0] / 2;
  }
  double N = r->cone * x[0], T = 0, s = 0;
  for (int k = 1; k < r->n; k++) T += r->mu[k] * r->mu[k] * x[k] * x[k];
  T = sqrt(T);
  if (r->n == 1 ? x[0] < 0 : r->cone * N + T <= 0) {
    for (int k = 0; k < r->n; k++) {
      s += r->D[k] * x[k] * x[k] / 2;
      g[k] = r->D[k] * x[k];
      C[k][k] = r->D[k];
    }
  } else if (r->n > 1 && N < r->cone * T) {
    // s = Dm e^2/2 with e = N - cone T, a function of u = (N, mu_k x_k)
    double Dm = r->D[0] / (r->cone * r->cone * (1 + r->cone * r->cone)), e = N - r->cone * T, de[6] = {r->cone};
    for (int k = 1; k < r->n; k++) de[k] = -r->cone * r->mu[k] * r->mu[k] * x[k] / T;
    s = Dm * e * e / 2;
    for (int k = 0; k < r->n; k++) {
      g[k] = Dm * e * de[k];
      for (int l = 0; l < r->n; l++) {
        C[k][l] = Dm * de[k] * de[l];
        if (k > 0 && l > 0) {
          double mk = r->mu[k] * r->mu[k], ml = r->mu[l] * r->mu[l];
          C[k][l] -= Dm * e * r->cone * ((k == l) * mk / T - mk * x[k] * ml * x[l] / (T * T * T));
        }
      }
    }
  }
  return s;
}

// ---- linear algebra, solver -----------------------------------------------------------------------------------------

// x = inv(A) b by elimination with row exchanges; A and b are kept.
static void solve(int n, const double* A, const double* b, double* x) {
  double* W = zeros((size_t)(n * (n + 1)));
  for (int i = 0; i < n; i++) {
    memcpy(W + i * (n + 1), A + i * n, sizeof(double) * (size_t)n);
    W[i * (n + 1) + n] = b[i];
  }
  for (int c = 0; c < n; c++) {
    int best = c;
    for (int i = c + 1; i < n; i++) {
      if (fabs(W[i * (n + 1) + c]) > fabs(W[best * (n + 1) + c])) best = i;
    }
    for (int k = 0; k <= n; k++) {
      double t = W[c * (n + 1) + k];
      W[c * (n + 1) + k] = W[best * (n + 1) + k];
      W[best * (n + 1) + k] = t;
    }
    for (int i = c + 1; i < n; i++) {
      double f = W[i * (n + 1) + c] / W[c * (n + 1) + c];
      for (int k = c; k <= n; k++) W[i * (n + 1) + k] -= f * W[c * (n + 1) + k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    double t = W[i * (n + 1) + n];
    for (int k = i + 1; k < n; k++) t -= W[i * (n + 1) + k] * x[k];
    x[i] = t / W[i * (n + 1) + i];
  }
  free(W);
}

// The function to minimise at a, its gradient and Hessian.
static double objective(int nv, const vvReference* out, const Rows* rows, int nrow, const double* a, double* gradient,
                        double* H) {
  double value = 0;
  memcpy(H, out->M, sizeof(double) * (size_t)(nv * nv));
  for (int d = 0; d < nv; d++) {
    gradient[d] = dot(out->M + d * nv, a, nv) + out->bias[d] - out->tau[d];
    for (int e = 0; e < nv; e++) value += (a[d] - out->a0[d]) * out->M[d * nv + e] * (a[e] - out->a0[e]) / 2;
  }
  for (int k = 0; k < nrow; k++) {
    const Rows* r = rows + k;
    double x[6], g[6], C[6][6];
    for (int i = 0; i < r->n; i++) x[i] = dot(r->J + i * nv, a, nv) - r->ref[i];
    value += cost(r, x, g, C);
    for (int i = 0; i < r->n; i++) {
      for (int d = 0; d < nv; d++) {
        gradient[d] += g[i] * r->J[i * nv + d];
        for (int l = 0; l < r->n; l++) {
          for (int e = 0; e < nv; e++) H[d * nv + e] += r->J[i * nv + d] * C[i][l] * r->J[l * nv + e];
        }
      }
    }
  }
  return value;
}

static double largest(const double* a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s = fmax(s, fabs(a[i]));
  return s;
}

static void minimise(const vvModel* m, const Rows* rows, int nrow, vvReference* out) {
  int nv = m->nv;
  double *g = zeros((size_t)nv), *H = zeros((size_t)(nv * nv)), *step = zeros((size_t)nv), *trial = zeros((size_t)nv);
  memcpy(out->a, out->a0, sizeof(double) * (size_t)nv);
  double value = objective(nv, out, rows, nrow, out->a, g, H);
  for (int iteration = 0; iteration < 500; iteration++) {
    out->residual = largest(g, nv) / (1 + largest(out->tau, nv));
    if (out->residual < 1e-14) break;
    solve(nv, H, g, step);
    double before = largest(g, nv), t = 1;
    bool better = false;
    for (int half = 0; half < 40 && !better; half++, t /= 2) {
      for (int d = 0; d < nv; d++) trial[d] = out->a[d] - t * step[d];
      double next = objective(nv, out, rows, nrow, trial, g, H);
      // near the minimum the value is all rounding: there the gradient decides
      better = next < value || (next <= value + 1e-13 * fabs(value) && largest(g, nv) < before);
      if (better) {
        value = next;
        memcpy(out->a, trial, sizeof(double) * (size_t)nv);
      }
    }
    if (!better) break;
  }
  objective(nv, out, rows, nrow, out->a, g, H);
  out->residual = largest(g, nv) / (1 + largest(out->tau, nv));
  free(g);
  free(H);
  free(step);
  free(trial);
}

// a2 = inv(M + h B) M a
static void damp(const vvModel* m, vvReference* out) {
  int nv = m->nv;
  double *A = zeros((size_t)(nv * nv)), *b = zeros((size_t)nv);
  bool damped = !(m->disable & (VV_DISABLE_DAMPER | VV_DISABLE_EULERDAMP));
  memcpy(A, out->M, sizeof(double) * (size_t)(nv * nv));
  for (int d = 0; d < nv; d++) {
    b[d] = dot(out->M + d * nv, out->a, nv);
    if (damped) A[d * nv + d] += m->opt_timestep[0] * m->jnt_damping[m->dof_jnt[d]];
  }
  solve(nv, A, b, out->a2);
  free(A);
  free(b);
}

vvReference* vv_reference_evaluate(const vvModel* m, const double* q, const double* v, const double* ctrl,
                                   const double* applied, const vvContactFeature* contacts,
                                   const vvContactPoint* points, int ncontact) {
  size_t nv = (size_t)m->nv;
  vvReference* out = calloc(1, sizeof *out);
  out->M = zeros(nv * nv);
  out->bias = zeros(nv);
  out->tau = zeros(nv);
  out->a0 = zeros(nv);
  out->a = zeros(nv);
  out->a2 = zeros(nv);
  Pose p = pose_create(m);
  Rows* rows = calloc((size_t)(10 * ncontact + 2 * m->njnt + m->nv + 1), sizeof *rows);
  mass_and_bias(m, q, v, &p, out);
  forces(m, &p, q, v, ctrl, applied, out->tau);
  double* free_force = zeros(nv);
  for (size_t d = 0; d < nv; d++) free_force[d] = out->tau[d] - out->bias[d];
  solve(m->nv, out->M, free_force, out->a0);
  int nrow = 0;
  if (!(m->disable & (VV_DISABLE_CONSTRAINT | VV_DISABLE_FRICTIONLOSS))) nrow += friction_rows(m, v, rows);
  if (!(m->disable & (VV_DISABLE_CONSTRAINT | VV_DISABLE_LIMIT))) nrow += limit_rows(m, q, v, rows + nrow);
  for (int k = 0; k < ncontact; k++) nrow += contact_rows(m, &p, v, contacts + k, points + k, rows + nrow);
  minimise(m, rows, nrow, out);
  damp(m, out);
  for (int k = 0; k < nrow; k++) free(rows[k].J);
  free(rows);
  free(free_force);
  pose_free(&p);
  return out;
}

void vv_reference_free(vvReference* r) {
  if (r == NULL) return;
  double* all[] = {r->M, r->bias, r->tau, r->a0, r->a, r->a2};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) free(all[k]);
  free(r);
}

#else
typedef int vvReferenceIsDoubleOnly;
#endif
