// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// math_kernel.h: vectors, quaternions and 3x3 matrices for kernels, by value, differentiable.
//
// symbols  quaternions are (w, x, y, z), body to world; R is row by row; A' is the transpose
//          a rotation vector r has axis r/|r| and angle |r|
// smooth   everywhere, except vv_vec3_length at 0 (derivative 0 there) and vv_quat_from_z at -z

#ifndef VISVIVA_MATH_KERNEL_H_
#define VISVIVA_MATH_KERNEL_H_

typedef struct vvVec3 {
  vvReal x, y, z;
} vvVec3;

typedef struct vvQuat {
  vvReal w, x, y, z;
} vvQuat;

typedef struct vvMat3 {
  vvReal xx, xy, xz;  // first row
  vvReal yx, yy, yz;
  vvReal zx, zy, zz;
} vvMat3;

// A spatial motion: angular [rad/s, rad/s2] and linear part [m/s, m/s2], world axes, at a stated point.
typedef struct vvMotion {
  vvVec3 ang, lin;
} vvMotion;

VV_DIFF static inline vvVec3 vv_vec3(vvReal x, vvReal y, vvReal z) {
  vvVec3 r = {x, y, z};
  return r;
}

VV_DIFF static inline vvVec3 vv_vec3_load(const vvReal* base, int i) {
  vvVec3 r = {base[i], base[i + 1], base[i + 2]};
  return r;
}

VV_DIFF static inline void vv_vec3_store(vvReal* base, int i, vvVec3 a) {
  base[i] = a.x;
  base[i + 1] = a.y;
  base[i + 2] = a.z;
}

VV_DIFF static inline vvVec3 vv_vec3_add(vvVec3 a, vvVec3 b) {
  vvVec3 r = {a.x + b.x, a.y + b.y, a.z + b.z};
  return r;
}

VV_DIFF static inline vvVec3 vv_vec3_sub(vvVec3 a, vvVec3 b) {
  vvVec3 r = {a.x - b.x, a.y - b.y, a.z - b.z};
  return r;
}

VV_DIFF static inline vvVec3 vv_vec3_scale(vvReal s, vvVec3 a) {
  vvVec3 r = {s * a.x, s * a.y, s * a.z};
  return r;
}

// a + s b
VV_DIFF static inline vvVec3 vv_vec3_muladd(vvVec3 a, vvReal s, vvVec3 b) {
  vvVec3 r = {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
  return r;
}

VV_DIFF static inline vvReal vv_vec3_dot(vvVec3 a, vvVec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

VV_DIFF static inline vvVec3 vv_vec3_cross(vvVec3 a, vvVec3 b) {
  vvVec3 r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  return r;
}

// |a|; the derivative at a = 0 is 0.
VV_DIFF static inline vvReal vv_vec3_length(vvVec3 a) {
  vvReal s = a.x * a.x + a.y * a.y + a.z * a.z;
  vvReal l = 0;
  if (s > 0) l = vv_sqrt(s);
  return l;
}

// a / |a|, or (0, 0, 1) with derivative 0 where |a| < 1e-15.
VV_DIFF static inline vvVec3 vv_vec3_normalize(vvVec3 a) {
  vvVec3 r = {0, 0, 1};
  vvReal s = a.x * a.x + a.y * a.y + a.z * a.z;
  if (s > 1e-30) {
    vvReal k = 1 / vv_sqrt(s);
    r.x = k * a.x;
    r.y = k * a.y;
    r.z = k * a.z;
  }
  return r;
}

VV_DIFF static inline vvQuat vv_quat_load(const vvReal* base, int i) {
  vvQuat r = {base[i], base[i + 1], base[i + 2], base[i + 3]};
  return r;
}

VV_DIFF static inline void vv_quat_store(vvReal* base, int i, vvQuat a) {
  base[i] = a.w;
  base[i + 1] = a.x;
  base[i + 2] = a.y;
  base[i + 3] = a.z;
}

VV_DIFF static inline vvQuat vv_quat_mul(vvQuat a, vvQuat b) {
  vvQuat r = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
              a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
  return r;
}

VV_DIFF static inline vvQuat vv_quat_conj(vvQuat a) {
  vvQuat r = {a.w, -a.x, -a.y, -a.z};
  return r;
}

// a / |a|, or the identity with derivative 0 where |a| < 1e-15.
VV_DIFF static inline vvQuat vv_quat_normalize(vvQuat a) {
  vvQuat r = {1, 0, 0, 0};
  vvReal s = a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z;
  if (s > 1e-30) {
    vvReal k = 1 / vv_sqrt(s);
    r.w = k * a.w;
    r.x = k * a.x;
    r.y = k * a.y;
    r.z = k * a.z;
  }
  return r;
}

// exp of the rotation vector r: (cos(t/2), sin(t/2) r/t), t = |r|; by series for t^2 < 1e-6, so smooth at 0.
VV_DIFF static inline vvQuat vv_quat_exp(vvVec3 r) {
  vvReal t2 = r.x * r.x + r.y * r.y + r.z * r.z;
  vvReal c = 1 - t2 / 8 + t2 * t2 / 384;
  vvReal s = (vvReal)0.5 - t2 / 48 + t2 * t2 / 3840;
  if (t2 > 1e-6) {
    vvReal t = vv_sqrt(t2);
    c = vv_cos(t / 2);
    s = vv_sin(t / 2) / t;
  }
  vvQuat q = {c, s * r.x, s * r.y, s * r.z};
  return q;
}

// Rotation by `angle` about the unit axis u.
VV_DIFF static inline vvQuat vv_quat_axis_angle(vvVec3 u, vvReal angle) {
  vvReal s = vv_sin(angle / 2);
  vvQuat q = {vv_cos(angle / 2), s * u.x, s * u.y, s * u.z};
  return q;
}

// Rotation vector of the unit quaternion q, |r| <= pi, sign-free; smooth at the identity.
VV_DIFF static inline vvVec3 vv_quat_log(vvQuat q) {
  vvReal sign = 1;
  if (q.w < 0) sign = -1;
  vvReal w = sign * q.w;
  vvReal s2 = q.x * q.x + q.y * q.y + q.z * q.z;
  vvReal k = 0;
  if (s2 > 1e-6) {
    vvReal s = vv_sqrt(s2);
    k = 2 * vv_atan2(s, w) / s;
  } else {
    k = 2 / w - 2 * s2 / (3 * w * w * w) + 2 * s2 * s2 / (5 * w * w * w * w * w);
  }
  k = k * sign;
  vvVec3 r = {k * q.x, k * q.y, k * q.z};
  return r;
}

// Rotation matrix of the unit quaternion q.
VV_DIFF static inline vvMat3 vv_quat_matrix(vvQuat q) {
  vvMat3 R = {q.w * q.w + q.x * q.x - q.y * q.y - q.z * q.z,
              2 * (q.x * q.y - q.w * q.z),
              2 * (q.x * q.z + q.w * q.y),
              2 * (q.x * q.y + q.w * q.z),
              q.w * q.w - q.x * q.x + q.y * q.y - q.z * q.z,
              2 * (q.y * q.z - q.w * q.x),
              2 * (q.x * q.z - q.w * q.y),
              2 * (q.y * q.z + q.w * q.x),
              q.w * q.w - q.x * q.x - q.y * q.y + q.z * q.z};
  return R;
}

// R(q) a for the unit quaternion q.
VV_DIFF static inline vvVec3 vv_quat_rotate(vvQuat q, vvVec3 a) {
  vvReal tx = 2 * (q.y * a.z - q.z * a.y);
  vvReal ty = 2 * (q.z * a.x - q.x * a.z);
  vvReal tz = 2 * (q.x * a.y - q.y * a.x);
  vvVec3 r = {a.x + q.w * tx + q.y * tz - q.z * ty, a.y + q.w * ty + q.z * tx - q.x * tz,
              a.z + q.w * tz + q.x * ty - q.y * tx};
  return r;
}

VV_DIFF static inline vvMat3 vv_mat3_load(const vvReal* base, int i) {
  vvMat3 r = {base[i],     base[i + 1], base[i + 2], base[i + 3], base[i + 4],
              base[i + 5], base[i + 6], base[i + 7], base[i + 8]};
  return r;
}

VV_DIFF static inline void vv_mat3_store(vvReal* base, int i, vvMat3 a) {
  base[i] = a.xx;
  base[i + 1] = a.xy;
  base[i + 2] = a.xz;
  base[i + 3] = a.yx;
  base[i + 4] = a.yy;
  base[i + 5] = a.yz;
  base[i + 6] = a.zx;
  base[i + 7] = a.zy;
  base[i + 8] = a.zz;
}

// A b
VV_DIFF static inline vvVec3 vv_mat3_mul(vvMat3 A, vvVec3 b) {
  vvVec3 r = {A.xx * b.x + A.xy * b.y + A.xz * b.z, A.yx * b.x + A.yy * b.y + A.yz * b.z,
              A.zx * b.x + A.zy * b.y + A.zz * b.z};
  return r;
}

// A' b
VV_DIFF static inline vvVec3 vv_mat3_mul_t(vvMat3 A, vvVec3 b) {
  vvVec3 r = {A.xx * b.x + A.yx * b.y + A.zx * b.z, A.xy * b.x + A.yy * b.y + A.zy * b.z,
              A.xz * b.x + A.yz * b.y + A.zz * b.z};
  return r;
}

// Unit quaternion that takes z to the unit vector u by the shortest arc; at u = -z the half turn about x, with
// derivative 0.
VV_DIFF static inline vvQuat vv_quat_from_z(vvVec3 u) {
  vvQuat q = {0, 1, 0, 0};
  vvReal w = 1 + u.z;
  if (w > 1e-14) {
    vvReal k = 1 / vv_sqrt(2 * w);
    q.w = w * k;
    q.x = -u.y * k;
    q.y = u.x * k;
  }
  return q;
}

#endif  // VISVIVA_MATH_KERNEL_H_
