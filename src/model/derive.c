// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// derive.c: vv_model_derive: runs the stages of derive_kernel.h, decides their branches, checks the outcome.
//
// checks   segments and joint axes have a length; masses and inertias are not negative and those of moving bodies
//          positive; principal moments satisfy A + B >= C unless balanced; everything is finite
// symbols  F  inertia tensor of a body about its center of mass, p its principal moments

#include "model/derive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "visviva/names.h"
#include "visviva/rigid.h"

#define LEAST_MASS 1e-15  // of a moving body, mass [kg] and principal moments [kg m2]
#define SAME_FRAME 1e-6   // poses nearer than this to the identity count as the identity

// ---- memory ---------------------------------------------------------------------------------------------------------

// Next `n` reals of the block, or just the count while base is NULL.
static vvReal* take(vvReal* base, size_t* used, size_t n) {
  vvReal* p = base == NULL ? NULL : base + *used;
  *used += n;
  return p;
}

static size_t lay_out(const vvModel* m, vvDeriveWork* w) {
  size_t n = 0;
  size_t nbody = (size_t)m->nbody;
  size_t nv = (size_t)m->nv;
  vvReal* b = w->reals;
  w->poses.frame_lpos = take(b, &n, 3 * (size_t)m->nframe);
  w->poses.frame_lquat = take(b, &n, 4 * (size_t)m->nframe);
  w->poses.body_lpos = take(b, &n, 3 * nbody);
  w->poses.body_lquat = take(b, &n, 4 * nbody);
  w->poses.jnt_lpos = take(b, &n, 3 * (size_t)m->njnt);
  w->poses.jnt_laxis = take(b, &n, 3 * (size_t)m->njnt);
  w->poses.geom_lpos = take(b, &n, 3 * (size_t)m->ngeom);
  w->poses.geom_lquat = take(b, &n, 4 * (size_t)m->ngeom);
  w->poses.geom_dim = take(b, &n, 3 * (size_t)m->ngeom);
  w->poses.site_lpos = take(b, &n, 3 * (size_t)m->nsite);
  w->poses.site_lquat = take(b, &n, 4 * (size_t)m->nsite);
  w->poses.qpos0 = take(b, &n, (size_t)m->nq);
  w->poses.qpos_spring = take(b, &n, (size_t)m->nq);
  w->raw = take(b, &n, 10 * nbody);
  w->inertia10 = take(b, &n, 10 * nbody);
  w->ref = take(b, &n, 3 * (size_t)m->ntree);
  w->pose.xpos = take(b, &n, 3 * nbody);
  w->pose.xquat = take(b, &n, 4 * nbody);
  w->pose.xmat = take(b, &n, 9 * nbody);
  w->pose.S = take(b, &n, 6 * nv);
  w->composite = take(b, &n, 10 * nbody);
  w->L = take(b, &n, nv * nv);
  w->y = take(b, &n, nv);
  w->body_invweight = take(b, &n, 2 * nbody);
  w->dof_invweight = take(b, &n, nv);
  w->actuators.gain = take(b, &n, 10 * (size_t)m->nu);
  w->actuators.bias = take(b, &n, 10 * (size_t)m->nu);
  w->actuators.dyn = take(b, &n, 10 * (size_t)m->nu);
  w->actuators.acc0 = take(b, &n, (size_t)m->nu);
  w->actuators.tendon_spring = take(b, &n, 2 * (size_t)m->ntendon);
  w->actuators.tendon_invweight = take(b, &n, (size_t)m->ntendon);
  w->axes0 = take(b, &n, 4 * nbody);
  w->body_axes = take(b, &n, 4 * nbody);
  w->body_box = take(b, &n, 3 * nbody);
  w->eq_point1 = take(b, &n, 3 * (size_t)m->neq);
  w->eq_point2 = take(b, &n, 3 * (size_t)m->neq);
  w->eq_quat1 = take(b, &n, 4 * (size_t)m->neq);
  w->eq_quat2 = take(b, &n, 4 * (size_t)m->neq);
  return n;
}

vvStatus vv_derive_work_create(vvContext* ctx, const vvModel* m, vvDeriveWork* work) {
  memset(work, 0, sizeof *work);
  work->nreal = lay_out(m, work);
  work->nint = 3 * (size_t)m->nbody;
  work->reals = VV_NEW(ctx, vvReal, work->nreal);
  work->ints = VV_NEW(ctx, int, work->nint);
  if (work->reals == NULL || work->ints == NULL) {
    vv_derive_work_free(ctx, work);
    return VV_ERROR_MEMORY;
  }
  memset(work->reals, 0, work->nreal * sizeof(vvReal));
  memset(work->ints, 0, work->nint * sizeof(int));
  lay_out(m, work);
  work->choice.axes = work->ints;
  work->choice.fix = work->ints + m->nbody;
  work->choice.simple = work->ints + 2 * m->nbody;
  return VV_OK;
}

void vv_derive_work_free(vvContext* ctx, vvDeriveWork* work) {
  if (work->reals != NULL) VV_DELETE(ctx, work->reals, vvReal, work->nreal);
  if (work->ints != NULL) VV_DELETE(ctx, work->ints, int, work->nint);
  work->reals = NULL;
  work->ints = NULL;
}

// ---- branches -------------------------------------------------------------------------------------------------------

int vv_derive_axes(const vvModel* m, int i) {
  if (m->body_inertia[i] == VV_INERTIA_DIAGONAL) return VV_AXES_DIAGONAL;
  if (m->body_inertia[i] == VV_INERTIA_FULL) return VV_AXES_FULL;
  int axes = VV_AXES_NONE;
  for (int k = 0; k < m->body_ngeom[i]; k++) {
    int g = m->body_geom[i] + k;
    if (!(vv_geom_mass(m, g) > VV_DERIVE_TINY)) continue;
    if (axes != VV_AXES_NONE) return VV_AXES_SEVERAL;
    axes = g;
  }
  return axes;
}

// Principal moments of the symmetric matrix (xx yy zz xy xz yz) by Jacobi's rotations, and the axes, columns of Q.
static void principal_axes(const double F[6], double p[3], double Q[3][3]) {
  for (int i = 0; i < 9; i++) Q[i / 3][i % 3] = i % 4 == 0;
  double A[3][3] = {{F[0], F[3], F[4]}, {F[3], F[1], F[5]}, {F[4], F[5], F[2]}};
  for (int sweep = 0; sweep < 30; sweep++) {
    for (int k = 0; k < 3; k++) {
      int i = k == 2 ? 1 : 0;
      int j = k == 0 ? 1 : 2;
      if (A[i][j] == 0) continue;
      double theta = (A[j][j] - A[i][i]) / (2 * A[i][j]);
      double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
      double c = 1 / sqrt(t * t + 1);
      double s = t * c;
      for (int l = 0; l < 3; l++) {
        double a = A[l][i];
        A[l][i] = c * a - s * A[l][j];
        A[l][j] = s * a + c * A[l][j];
      }
      for (int l = 0; l < 3; l++) {
        double a = A[i][l];
        A[i][l] = c * a - s * A[j][l];
        A[j][l] = s * a + c * A[j][l];
      }
      for (int l = 0; l < 3; l++) {
        double a = Q[l][i];
        Q[l][i] = c * a - s * Q[l][j];
        Q[l][j] = s * a + c * Q[l][j];
      }
    }
  }
  for (int k = 0; k < 3; k++) p[k] = A[k][k];
}

static void principal_moments(const double F[6], double p[3]) {
  double Q[3][3];
  principal_axes(F, p, Q);
}

// F of a body from its ten numbers.
static void central_tensor(const vvReal* I, double F[6]) {
  double mass = (double)I[0];
  double c[3] = {0, 0, 0};
  for (int k = 0; k < 3 && mass > 0; k++) c[k] = (double)I[1 + k] / mass;
  F[0] = (double)I[4] - mass * (c[1] * c[1] + c[2] * c[2]);
  F[1] = (double)I[5] - mass * (c[0] * c[0] + c[2] * c[2]);
  F[2] = (double)I[6] - mass * (c[0] * c[0] + c[1] * c[1]);
  F[3] = (double)I[7] + mass * c[0] * c[1];
  F[4] = (double)I[8] + mass * c[0] * c[2];
  F[5] = (double)I[9] + mass * c[1] * c[2];
}

// Principal moments of body i before bounds: as stated where they are, else from the tensor in raw.
static void moments_of(const vvModel* m, int axes, int i, const vvReal* raw, double p[3]) {
  if (axes == VV_AXES_DIAGONAL) {
    for (int k = 0; k < 3; k++) p[k] = (double)m->body_diaginertia[3 * i + k];
  } else if (axes >= 0) {
    vvVec3 q = vv_geom_moments(m, axes);
    p[0] = (double)q.x;
    p[1] = (double)q.y;
    p[2] = (double)q.z;
  } else if (axes == VV_AXES_FULL) {
    double F[6];
    for (int k = 0; k < 6; k++) F[k] = (double)m->body_fullinertia[6 * i + k];
    principal_moments(F, p);
  } else if (axes == VV_AXES_SEVERAL) {
    double F[6];
    central_tensor(raw + 10 * i, F);
    principal_moments(F, p);
  } else {
    p[0] = p[1] = p[2] = 0;
  }
}

// A + B >= C for all three, with the rounding of a tensor's eigenvalues left out of account.
static bool can_be_a_body(const double p[3], int axes) {
  double slack = axes == VV_AXES_SEVERAL || axes == VV_AXES_FULL ? 1e-12 * (p[0] + p[1] + p[2]) : 0;
  return p[0] + p[1] >= p[2] - slack && p[0] + p[2] >= p[1] - slack && p[1] + p[2] >= p[0] - slack;
}

static int fix_of(const vvModel* m, int axes, const double p[3]) {
  double bound = (double)m->compiler_boundinertia[0];
  double r[3];
  int fix = 0;
  for (int k = 0; k < 3; k++) {
    r[k] = p[k] < bound ? bound : p[k];
    if (p[k] < bound && (axes == VV_AXES_SEVERAL || axes == VV_AXES_FULL)) fix |= VV_FIX_BOUND;
  }
  if (m->balance && !can_be_a_body(r, axes)) fix |= VV_FIX_BALANCE;
  return fix;
}

static bool is_null_pos(const vvReal* p) {
  return fabs((double)p[0]) < SAME_FRAME && fabs((double)p[1]) < SAME_FRAME && fabs((double)p[2]) < SAME_FRAME;
}

static bool is_null_quat(vvQuat q) {
  return fabs(fabs((double)q.w) - 1) < SAME_FRAME && fabs((double)q.x) < SAME_FRAME && fabs((double)q.y) < SAME_FRAME &&
         fabs((double)q.z) < SAME_FRAME;
}

// Whether the principal axes of body i, in the order of falling moments where they come from a tensor, are its own.
static bool has_own_axes(const vvModel* m, int axes, int i, const vvReal* raw) {
  if (axes == VV_AXES_DIAGONAL) return is_null_quat(vv_stated_quat(m->body_iquat0, m->body_irot, i));
  if (axes >= 0) return is_null_quat(vv_quat_load(m->geom_lquat, 4 * axes));
  double F[6];
  central_tensor(raw + 10 * i, F);
  double tiny = 1e-12 * (F[0] + F[1] + F[2]);
  double far = 2 * SAME_FRAME;
  return F[0] >= F[1] - tiny && F[1] >= F[2] - tiny && fabs(F[3]) <= fmax(tiny, far * fabs(F[0] - F[1])) &&
         fabs(F[4]) <= fmax(tiny, far * fabs(F[0] - F[2])) && fabs(F[5]) <= fmax(tiny, far * fabs(F[1] - F[2]));
}

// MuJoCo takes the weights of a body from its mass alone where it hangs on the world, has no children, its center of
// mass and axes are those of its frame, and all its joints are sliders along frame axes.
static int is_simple(const vvModel* m, int axes, int i, const vvReal* raw) {
  int parent = m->body_parent[i];
  if (i == 0 || m->body_njnt[i] == 0) return 0;
  if (parent != 0 && (m->body_parent[parent] != 0 || m->body_ndof[parent] != 0)) return 0;
  for (int k = i + 1; k < m->nbody; k++) {
    if (m->body_parent[k] == i) return 0;
  }
  vvReal mass = raw[10 * i];
  if (!(mass > 0)) return 0;
  vvReal center[3] = {raw[10 * i + 1] / mass, raw[10 * i + 2] / mass, raw[10 * i + 3] / mass};
  if (!is_null_pos(center) || !has_own_axes(m, axes, i, raw)) return 0;
  for (int k = 0; k < m->body_njnt[i]; k++) {
    int j = m->body_jnt[i] + k;
    int along = 0;
    for (int c = 0; c < 3; c++) along += fabs((double)m->jnt_laxis[3 * j + c]) > VV_DERIVE_TINY;
    if (m->jnt_type[j] != VV_JOINT_SLIDE || !is_null_pos(m->jnt_lpos + 3 * j) || along != 1) return 0;
  }
  return 1;
}

void vv_derive_choose(const vvModel* m, vvDeriveWork* work) {
  for (int i = 0; i < m->nbody; i++) {
    work->choice.axes[i] = vv_derive_axes(m, i);
    work->choice.fix[i] = 0;
  }
  vv_rigid_derive_inertia(m, &work->choice, work->raw, work->inertia10);
  for (int i = 1; i < m->nbody; i++) {
    double p[3];
    int axes = work->choice.axes[i];
    moments_of(m, axes, i, work->raw, p);
    work->choice.fix[i] = fix_of(m, axes, p);
    work->choice.simple[i] = is_simple(m, axes, i, work->raw);
  }
}

// The quaternion of a rotation matrix.
static void matrix_to_quat(double R[3][3], vvReal* quat) {
  double trace = R[0][0] + R[1][1] + R[2][2], q[4], s = 0;
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (R[i - 1][i - 1] > (k == 0 ? trace : R[k - 1][k - 1])) k = i;
  q[0] = k == 0 ? 1 + trace : R[(k + 1) % 3][k % 3] - R[k % 3][(k + 1) % 3];
  for (int i = 1; i < 4; i++) {
    int a = i % 3, b = (i + 1) % 3;
    if (k == 0) {
      q[i] = R[b][a] - R[a][b];
    } else {
      q[i] = i == k ? 1 + 2 * R[i - 1][i - 1] - trace : R[i - 1][k - 1] + R[k - 1][i - 1];
    }
  }
  for (int i = 0; i < 4; i++) s += q[i] * q[i];
  for (int i = 0; i < 4; i++) quat[i] = (vvReal)(q[i] / sqrt(s));
}

void vv_derive_find_axes(const vvModel* m, vvDeriveWork* work) {
  for (int i = 0; i < m->nbody; i++) {
    double F[6], p[3], Q[3][3];
    central_tensor(m->body_inertia10 + 10 * i, F);
    principal_axes(F, p, Q);
    matrix_to_quat(Q, work->axes0 + 4 * i);
  }
}

bool vv_derive_axes_free(const vvModel* m, int i) {
  double F[6], p[3];
  int axes = vv_derive_axes(m, i);
  if (axes != VV_AXES_SEVERAL && axes != VV_AXES_FULL) return false;
  central_tensor(m->body_inertia10 + 10 * i, F);
  principal_moments(F, p);
  for (int k = 0; k < 3; k++)
    if (!(fabs(p[k] - p[(k + 1) % 3]) > VV_AXES_EQUAL * (p[k] + p[(k + 1) % 3]))) return true;
  return false;
}

void vv_derive_kinematics(const vvModel* m, vvDeriveWork* work) {
  vv_rigid_reference(m, m->qpos0, work->ref);
  vv_rigid_kinematics(m, m->qpos0, work->ref, &work->pose);
}

void vv_derive_prepare(const vvModel* m, vvDeriveWork* work) {
  vv_derive_choose(m, work);
  if (m->fluid) vv_derive_find_axes(m, work);
  vv_derive_kinematics(m, work);
}

// ---- checks ---------------------------------------------------------------------------------------------------------

static vvStatus refuse(const vvModel* m, vvReport* report, vvElement element, int id, const char* what) {
  static const char* const words[VV_ELEMENT_COUNT] = {"option",   "compiler", "frame",    "body",   "joint",
                                                      "dof",      "geom",     "site",     "tendon", "tendon",
                                                      "actuator", "sensor",   "equality", "key"};
  const char* name = NULL;
  if (m->names != NULL && m->names->element[element] != NULL) name = m->names->element[element][id];
  vvStatus status = VV_ERROR_ARGUMENT;
  if (name != NULL && name[0] != '\0') {
    vv_report_set(report, status, "%s \"%s\": %s", words[element], name, what);
  } else {
    vv_report_set(report, status, "%s #%d: %s", words[element], id, what);
  }
  if (report != NULL) report->element = id;
  return status;
}

static double distance(const vvReal* a, const vvReal* b) {
  double x = (double)(a[0] - b[0]), y = (double)(a[1] - b[1]), z = (double)(a[2] - b[2]);
  return sqrt(x * x + y * y + z * z);
}

static vvStatus check_poses(const vvModel* m, vvReport* report) {
  static const vvReal zero[3] = {0, 0, 0};
  for (int g = 0; g < m->ngeom; g++) {
    const vvReal* s = m->geom_fromto + 6 * g;
    if (m->geom_isfromto[g] && !(distance(s, s + 3) / 2 >= VV_DERIVE_TINY)) {
      return refuse(m, report, VV_ELEMENT_GEOM, g, "the points of fromto coincide; they must differ");
    }
    if (m->geom_mkind[g] != VV_MASS_NONE && (m->geom_density[g] < 0 || m->geom_mass[g] < 0)) {
      return refuse(m, report, VV_ELEMENT_GEOM, g, "mass or density is negative; it must be 0 or more");
    }
  }
  for (int i = 0; i < m->nsite; i++) {
    const vvReal* s = m->site_fromto + 6 * i;
    if (m->site_isfromto[i] && !(distance(s, s + 3) / 2 >= VV_DERIVE_TINY)) {
      return refuse(m, report, VV_ELEMENT_SITE, i, "the points of fromto coincide; they must differ");
    }
  }
  for (int j = 0; j < m->njnt; j++) {
    bool axis = m->jnt_type[j] == VV_JOINT_HINGE || m->jnt_type[j] == VV_JOINT_SLIDE;
    if (axis && !(distance(m->jnt_axis + 3 * j, zero) >= VV_DERIVE_TINY)) {
      return refuse(m, report, VV_ELEMENT_JOINT, j, "the axis has no length; give it a direction");
    }
  }
  return VV_OK;
}

// Whether body i, or one fixed to it, has a mass and moments.
static bool has_mass(const vvModel* m, int i, const bool* valid) {
  for (int k = i; k < m->nbody; k++) {
    if (m->body_weld[k] == m->body_weld[i] && valid[k]) {
      int up = k;
      while (up > i) up = m->body_parent[up];
      if (up == i) return true;
    }
  }
  return false;
}

static vvStatus check_inertia(vvContext* ctx, const vvModel* m, const vvDeriveWork* work, vvReport* report) {
  bool* valid = VV_NEW(ctx, bool, m->nbody);
  if (valid == NULL) return vv_report_set(report, VV_ERROR_MEMORY, "out of memory");
  vvStatus status = VV_OK;
  double bound = (double)m->compiler_boundinertia[0];
  valid[0] = false;
  for (int i = 1; i < m->nbody && status == VV_OK; i++) {
    double p[3];
    int axes = work->choice.axes[i];
    double mass = (double)work->raw[10 * i];
    moments_of(m, axes, i, work->raw, p);
    for (int k = 0; k < 3; k++) p[k] = p[k] < bound ? bound : p[k];
    if (axes == VV_AXES_FULL && !(p[0] > VV_DERIVE_TINY && p[1] > VV_DERIVE_TINY && p[2] > VV_DERIVE_TINY)) {
      status = refuse(m, report, VV_ELEMENT_BODY, i, "fullinertia must be positive definite");
    } else if (!(mass >= 0 && p[0] >= -1e-12 * p[1] && p[1] >= -1e-12 * p[2] && p[2] >= -1e-12 * p[0])) {
      status = refuse(m, report, VV_ELEMENT_BODY, i, "mass and inertia must be 0 or more");
    } else if (!can_be_a_body(p, axes) && !m->balance) {
      status =
          refuse(m, report, VV_ELEMENT_BODY, i,
                 "no body has these principal moments: A + B >= C must hold; balanceinertia=\"true\" replaces them "
                 "by their mean");
    }
    valid[i] = mass >= LEAST_MASS && p[0] >= LEAST_MASS && p[1] >= LEAST_MASS && p[2] >= LEAST_MASS;
  }
  for (int i = 1; i < m->nbody && status == VV_OK; i++) {
    if (m->body_njnt[i] > 0 && !has_mass(m, i, valid)) {
      status = refuse(m, report, VV_ELEMENT_BODY, i,
                      "a moving body needs mass and inertia; give it a geom with mass or an inertial");
    }
  }
  VV_DELETE(ctx, valid, bool, m->nbody);
  return status;
}

// Row d of the Cholesky factor has the length sqrt(M_dd); a pivot that is nothing of it means that dof d adds no
// motion.
static bool has_pivot(const vvModel* m, const vvReal* L, int d) {
  const vvReal* row = L + (size_t)m->nv * (size_t)d;
  double sum = 0, epsilon = sizeof(vvReal) == sizeof(float) ? 1e-6 : 1e-14;
  for (int k = 0; k <= d; k++) sum += (double)row[k] * (double)row[k];
  return isfinite(sum) && (double)row[d] * (double)row[d] > epsilon * sum;
}

static vvStatus check_weights(const vvModel* m, const vvDeriveWork* work, vvReport* report) {
  for (int d = 0; d < m->nv; d++) {
    if (!has_pivot(m, work->L, d) || !isfinite((double)m->dof_invweight[d])) {
      return refuse(m, report, VV_ELEMENT_JOINT, m->dof_jnt[d],
                    "the inertia matrix is not positive definite here; two joints must not move a body alike");
    }
  }
  for (int i = 0; i < m->nbody; i++) {
    double sum = 0;
    for (int k = 0; k < 10; k++) sum += (double)m->body_inertia10[10 * i + k];
    for (int k = 0; k < 3; k++) sum += (double)m->body_lpos[3 * i + k];
    for (int k = 0; k < 4; k++) sum += (double)m->body_lquat[4 * i + k];
    if (!isfinite(sum + (double)m->body_invweight[2 * i] + (double)m->body_invweight[2 * i + 1])) {
      return refuse(m, report, VV_ELEMENT_BODY, i, "its numbers are not finite");
    }
  }
  return VV_OK;
}

// ---- the derivation -------------------------------------------------------------------------------------------------

static vvStatus derive(vvContext* ctx, vvModel* m, vvDeriveWork* work, vvReport* report) {
  vvRigidDerivePoses poses = {
      work->poses.frame_lpos, work->poses.frame_lquat, m->body_lpos, m->body_lquat, m->jnt_lpos,   m->jnt_laxis,
      m->geom_lpos,           m->geom_lquat,           m->geom_dim,  m->site_lpos,  m->site_lquat, m->qpos0,
      m->qpos_spring};
  vvStatus status = check_poses(m, report);
  if (status != VV_OK) return status;
  vv_rigid_derive_poses(m, &poses);
  vv_derive_choose(m, work);
  status = check_inertia(ctx, m, work, report);
  if (status != VV_OK) return status;
  vv_rigid_derive_inertia(m, &work->choice, work->raw, m->body_inertia10);
  if (m->fluid) vv_derive_find_axes(m, work);
  vv_rigid_derive_boxes(m, &work->choice, work->axes0, m->body_axes, m->body_box);
  vv_derive_kinematics(m, work);
  vv_rigid_derive_equalities(m, &work->pose, m->eq_point1, m->eq_point2, m->eq_quat1, m->eq_quat2);
  vv_rigid_derive_weights(m, work->ref, &work->pose, &work->choice, work->composite, work->L, work->y,
                          m->body_invweight, m->dof_invweight);
  vvRigidDeriveActuators actuators = {m->actuator_gain, m->actuator_bias, m->actuator_dyn,
                                      m->actuator_acc0, m->tendon_spring, m->tendon_invweight};
  vv_rigid_derive_actuators(m, work->L, work->y, &actuators);
  return check_weights(m, work, report);
}

vvStatus vv_model_derive(vvContext* ctx, vvModel* m, struct vvReport* report) {
  vvDeriveWork work;
  vvStatus status = vv_derive_work_create(ctx, m, &work);
  if (status != VV_OK) return vv_report_set(report, status, "out of memory");
  status = derive(ctx, m, &work, report);
  vv_derive_work_free(ctx, &work);
  return status;
}
