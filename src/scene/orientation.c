// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// orientation.c: quaternions (w, x, y, z) from MJCF's other ways to state an orientation.
//
// xyaxes  x normalised, y made orthogonal to it, z = x cross y; quaternion from the matrix by its largest component
// zaxis   shortest arc from z; at -z the half turn about x
// euler   rotations in the order of the sequence; lower case about the moved axes, upper case about the fixed ones

#include <math.h>
#include <string.h>

#include "scene/scene.h"

// Vectors shorter than this have no direction.
#define TOO_SHORT 1e-14

static double normalize(double* a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * a[i];
  s = sqrt(s);
  if (s < TOO_SHORT) return s;
  for (int i = 0; i < n; i++) a[i] /= s;
  return s;
}

static void cross(const double a[3], const double b[3], double c[3]) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

bool vv_spec_quat_axisangle(const double axis[3], double angle, double quat[4]) {
  double u[3] = {axis[0], axis[1], axis[2]};
  if (normalize(u, 3) < TOO_SHORT) return false;
  double s = sin(angle / 2);
  quat[0] = cos(angle / 2);
  for (int i = 0; i < 3; i++) quat[i + 1] = s * u[i];
  return true;
}

// R is a rotation whose columns are x, y, z. 4 q_k^2 = 1 + the signed sum of the diagonal that is largest.
static void quat_from_columns(const double x[3], const double y[3], const double z[3], double quat[4]) {
  double t[4] = {x[0] + y[1] + z[2], x[0] - y[1] - z[2], y[1] - x[0] - z[2], z[2] - x[0] - y[1]};
  int k = 0;
  if (!(t[0] > 0)) {
    k = 1;
    if (t[2] > t[k]) k = 2;
    if (t[3] > t[k]) k = 3;
  }
  double p[4];  // products 4 q_k q_i
  p[k] = 1 + t[k];
  if (k == 0) {
    p[1] = y[2] - z[1], p[2] = z[0] - x[2], p[3] = x[1] - y[0];
  } else if (k == 1) {
    p[0] = y[2] - z[1], p[2] = y[0] + x[1], p[3] = z[0] + x[2];
  } else if (k == 2) {
    p[0] = z[0] - x[2], p[1] = y[0] + x[1], p[3] = z[1] + y[2];
  } else {
    p[0] = x[1] - y[0], p[1] = z[0] + x[2], p[2] = z[1] + y[2];
  }
  for (int i = 0; i < 4; i++) quat[i] = p[i] / (2 * sqrt(1 + t[k]));
  normalize(quat, 4);
}

bool vv_spec_quat_xyaxes(const double axes[6], double quat[4]) {
  double x[3] = {axes[0], axes[1], axes[2]}, y[3] = {axes[3], axes[4], axes[5]}, z[3];
  if (normalize(x, 3) < TOO_SHORT) return false;
  double d = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
  for (int i = 0; i < 3; i++) y[i] -= d * x[i];
  if (normalize(y, 3) < TOO_SHORT) return false;
  cross(x, y, z);
  if (normalize(z, 3) < TOO_SHORT) return false;
  quat_from_columns(x, y, z, quat);
  return true;
}

bool vv_spec_quat_zaxis(const double axis[3], double quat[4]) {
  double u[3] = {axis[0], axis[1], axis[2]};
  if (normalize(u, 3) < TOO_SHORT) return false;
  double r[3] = {-u[1], u[0], 0};  // z cross u
  double s = normalize(r, 3);
  if (s < 1e-10) {
    r[0] = 1;
    r[1] = 0;
  }
  double angle = atan2(s, u[2]), h = sin(angle / 2);
  quat[0] = cos(angle / 2);
  for (int i = 0; i < 3; i++) quat[i + 1] = h * r[i];
  return true;
}

static void quat_mul(const double a[4], const double b[4], double c[4]) {
  c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

bool vv_spec_quat_euler(const double angle[3], const char* sequence, double quat[4]) {
  double q[4] = {1, 0, 0, 0}, product[4];
  if (!sequence || strlen(sequence) != 3) return false;
  for (int i = 0; i < 3; i++) {
    const char* letters = "xyzXYZ";
    const char* found = strchr(letters, sequence[i]);
    if (!found) return false;
    int k = (int)(found - letters);
    double r[4] = {cos(angle[i] / 2), 0, 0, 0};
    r[1 + k % 3] = sin(angle[i] / 2);
    if (k < 3) {
      quat_mul(q, r, product);
    } else {
      quat_mul(r, q, product);
    }
    memcpy(q, product, sizeof q);
  }
  normalize(q, 4);
  memcpy(quat, q, sizeof q);
  return true;
}
