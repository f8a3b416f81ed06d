// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// derive_kernel.c: the derived reals of a model (derive_kernel.h), by the rules of MuJoCo 4.0's compiler.
//
// symbols  Q  orientation of an element's axes in the body's;  p principal moments;  F = Q diag(p) Q' about the center
//          of mass, stored xx yy zz xy xz yz; about a point at -r from it: F + mass (r.r 1 - r r')
//          L  Cholesky factor of the inertia matrix at qpos0, M = L L';  a row j of a Jacobian has (inv(M))_jj-like
//          weight j inv(M) j' = |inv(L) j'|^2
// smooth   see derive_kernel.h; an element whose segment points along -z of its frame is turned half about x, with the
//          derivative of the shortest turn from there (the roll about the segment is discontinuous at that point)

#include "rigid/derive_kernel.h"

#include "rigid/actuator_kernel.h"

// ---- poses ----------------------------------------------------------------------------------------------------------

typedef struct vvFrame {
  vvVec3 pos;
  vvQuat quat;
} vvFrame;

// Frame `parent` of the scene in its body's frame; the body's own where it is -1.
VV_DIFF static inline vvFrame enclosing(const vvRigidDerivePoses* out, int parent) {
  vvFrame f = {{0, 0, 0}, {1, 0, 0, 0}};
  if (parent >= 0) {
    f.pos = vv_vec3_load(out->frame_lpos, 3 * parent);
    f.quat = vv_quat_load(out->frame_lquat, 4 * parent);
  }
  return f;
}

// Frame a followed by b in it.
VV_DIFF static inline vvFrame composed(vvFrame a, vvVec3 pos, vvQuat quat) {
  vvFrame f = {vv_vec3_add(a.pos, vv_quat_rotate(a.quat, pos)), vv_quat_normalize(vv_quat_mul(a.quat, quat))};
  return f;
}

// Shortest turn from z to the unit vector u; at -z half a turn about x, then the shortest turn from there.
VV_DIFF static inline vvQuat turn_to(vvVec3 u) {
  vvReal s2 = u.x * u.x + u.y * u.y;
  vvQuat q = {1, 0, 0, 0};
  if (u.z >= 0) {
    vvReal w = 1 + u.z;
    vvReal k = 1 / vv_sqrt(2 * w);
    q.w = w * k;
    q.x = -u.y * k;
    q.y = u.x * k;
  } else if (s2 > 1e-20) {
    vvReal w = s2 / (1 - u.z);  // 1 + u.z without cancellation
    vvReal k = 1 / vv_sqrt(2 * w);
    q.w = w * k;
    q.x = -u.y * k;
    q.y = u.x * k;
  } else {
    vvReal w = 1 - u.z;
    vvReal k = 1 / vv_sqrt(2 * w);
    vvQuat half = {0, 1, 0, 0};
    vvQuat rest = {w * k, u.y * k, u.x * k, 0};
    q = vv_quat_mul(half, rest);
  }
  return q;
}

typedef struct vvSegment {
  vvVec3 center;  // [m]
  vvReal half;    // [m]
  vvQuat quat;    // z along the segment, towards its first point
} vvSegment;

VV_DIFF static inline vvSegment segment(const vvReal* fromto, int i) {
  vvVec3 a = vv_vec3_load(fromto, 6 * i);
  vvVec3 b = vv_vec3_load(fromto, 6 * i + 3);
  vvVec3 d = vv_vec3_sub(a, b);
  vvSegment s = {vv_vec3_scale((vvReal)0.5, vv_vec3_add(a, b)), vv_vec3_length(d) / 2, turn_to(vv_vec3_normalize(d))};
  return s;
}

// Pose in the enclosing frame and sizes of an element as its file states them, segments resolved.
typedef struct vvStatedPose {
  vvVec3 pos;
  vvQuat quat;
  vvVec3 dim;
} vvStatedPose;

VV_DIFF static inline vvStatedPose stated_geom(const vvModel* m, int g) {
  vvStatedPose r = {vv_vec3_load(m->geom_pos, 3 * g), {1, 0, 0, 0}, vv_vec3_load(m->geom_size, 3 * g)};
  if (m->geom_isfromto[g]) {
    vvSegment s = segment(m->geom_fromto, g);
    r.pos = s.center;
    r.quat = s.quat;
    r.dim.y = s.half;
    if (m->geom_type[g] == VV_GEOM_ELLIPSOID || m->geom_type[g] == VV_GEOM_BOX) {
      r.dim.y = r.dim.x;
      r.dim.z = s.half;
    }
  } else {
    r.quat = vv_stated_quat(m->geom_quat0, m->geom_rot, g);
  }
  return r;
}

VV_DIFF static inline vvStatedPose stated_site(const vvModel* m, int i) {
  vvStatedPose r = {vv_vec3_load(m->site_pos, 3 * i), {1, 0, 0, 0}, {0, 0, 0}};
  if (m->site_isfromto[i]) {
    vvSegment s = segment(m->site_fromto, i);
    r.pos = s.center;
    r.quat = s.quat;
  } else {
    r.quat = vv_stated_quat(m->site_quat0, m->site_rot, i);
  }
  return r;
}

VV_DIFF void vv_rigid_derive_poses(const vvModel* m, VV_WRITE_ONCE vvRigidDerivePoses* out) {
  for (int i = 0; i < m->nframe; i++) {
    vvFrame f = composed(enclosing(out, m->frame_parent[i]), vv_vec3_load(m->frame_pos, 3 * i),
                         vv_stated_quat(m->frame_quat0, m->frame_rot, i));
    vv_vec3_store(out->frame_lpos, 3 * i, f.pos);
    vv_quat_store(out->frame_lquat, 4 * i, f.quat);
  }
  for (int i = 0; i < m->nbody; i++) {
    vvFrame f = composed(enclosing(out, m->body_frame[i]), vv_vec3_load(m->body_pos, 3 * i),
                         vv_stated_quat(m->body_quat0, m->body_rot, i));
    vv_vec3_store(out->body_lpos, 3 * i, f.pos);
    vv_quat_store(out->body_lquat, 4 * i, f.quat);
  }
  for (int j = 0; j < m->njnt; j++) {
    vvFrame f = enclosing(out, m->jnt_frame[j]);
    int type = m->jnt_type[j];
    int iq = m->jnt_q[j];
    vvVec3 pos = {0, 0, 0};
    vvVec3 axis = {0, 0, 1};
    if (type != VV_JOINT_FREE) pos = vv_vec3_add(f.pos, vv_quat_rotate(f.quat, vv_vec3_load(m->jnt_pos, 3 * j)));
    if (type == VV_JOINT_HINGE || type == VV_JOINT_SLIDE) {
      axis = vv_vec3_normalize(vv_quat_rotate(f.quat, vv_vec3_load(m->jnt_axis, 3 * j)));
      out->qpos0[iq] = m->jnt_ref[j];
      out->qpos_spring[iq] = m->jnt_springref[j];
    } else {
      vvQuat quat = {1, 0, 0, 0};
      if (type == VV_JOINT_FREE) {
        vvVec3 origin = vv_vec3_load(out->body_lpos, 3 * m->jnt_body[j]);
        vv_vec3_store(out->qpos0, iq, origin);
        vv_vec3_store(out->qpos_spring, iq, origin);
        quat = vv_quat_load(out->body_lquat, 4 * m->jnt_body[j]);
        iq = iq + 3;
      }
      vv_quat_store(out->qpos0, iq, quat);
      vv_quat_store(out->qpos_spring, iq, quat);
    }
    vv_vec3_store(out->jnt_lpos, 3 * j, pos);
    vv_vec3_store(out->jnt_laxis, 3 * j, axis);
  }
  for (int g = 0; g < m->ngeom; g++) {
    vvStatedPose s = stated_geom(m, g);
    vvFrame f = composed(enclosing(out, m->geom_frame[g]), s.pos, s.quat);
    vv_vec3_store(out->geom_lpos, 3 * g, f.pos);
    vv_quat_store(out->geom_lquat, 4 * g, f.quat);
    vv_vec3_store(out->geom_dim, 3 * g, s.dim);
  }
  for (int i = 0; i < m->nsite; i++) {
    vvStatedPose s = stated_site(m, i);
    vvFrame f = composed(enclosing(out, m->site_frame[i]), s.pos, s.quat);
    vv_vec3_store(out->site_lpos, 3 * i, f.pos);
    vv_quat_store(out->site_lquat, 4 * i, f.quat);
  }
}

// ---- inertia --------------------------------------------------------------------------------------------------------

typedef struct vvTensor {  // symmetric 3 x 3
  vvReal xx, yy, zz, xy, xz, yz;
} vvTensor;

VV_DIFF static inline vvTensor tensor_muladd(vvTensor a, vvReal s, vvTensor b) {
  vvTensor r = {a.xx + s * b.xx, a.yy + s * b.yy, a.zz + s * b.zz, a.xy + s * b.xy, a.xz + s * b.xz, a.yz + s * b.yz};
  return r;
}

// Q diag(p) Q'
VV_DIFF static inline vvTensor tensor_turned(vvQuat Q, vvVec3 p) {
  vvMat3 R = vv_quat_matrix(Q);
  vvTensor t = {R.xx * R.xx * p.x + R.xy * R.xy * p.y + R.xz * R.xz * p.z,
                R.yx * R.yx * p.x + R.yy * R.yy * p.y + R.yz * R.yz * p.z,
                R.zx * R.zx * p.x + R.zy * R.zy * p.y + R.zz * R.zz * p.z,
                R.xx * R.yx * p.x + R.xy * R.yy * p.y + R.xz * R.yz * p.z,
                R.xx * R.zx * p.x + R.xy * R.zy * p.y + R.xz * R.zz * p.z,
                R.yx * R.zx * p.x + R.yy * R.zy * p.y + R.yz * R.zz * p.z};
  return t;
}

// r.r 1 - r r'
VV_DIFF static inline vvTensor tensor_point(vvVec3 r) {
  vvTensor t = {
      r.y * r.y + r.z * r.z, r.x * r.x + r.z * r.z, r.x * r.x + r.y * r.y, -r.x * r.y, -r.x * r.z, -r.y * r.z};
  return t;
}

// inv(a), a not singular.
VV_DIFF static inline vvTensor tensor_inverse(vvTensor a) {
  vvReal cxx = a.yy * a.zz - a.yz * a.yz;
  vvReal cxy = a.xz * a.yz - a.xy * a.zz;
  vvReal cxz = a.xy * a.yz - a.xz * a.yy;
  vvReal k = 1 / (a.xx * cxx + a.xy * cxy + a.xz * cxz);
  vvTensor r = {k * cxx, k * (a.xx * a.zz - a.xz * a.xz), k * (a.xx * a.yy - a.xy * a.xy), k * cxy,
                k * cxz, k * (a.xy * a.xz - a.xx * a.yz)};
  return r;
}

// Symmetric part of a b, which is a b where they commute.
VV_DIFF static inline vvTensor tensor_mul(vvTensor a, vvTensor b) {
  vvReal h = (vvReal)0.5;
  vvTensor r = {a.xx * b.xx + a.xy * b.xy + a.xz * b.xz,
                a.xy * b.xy + a.yy * b.yy + a.yz * b.yz,
                a.xz * b.xz + a.yz * b.yz + a.zz * b.zz,
                h * (a.xx * b.xy + a.xy * b.yy + a.xz * b.yz + b.xx * a.xy + b.xy * a.yy + b.xz * a.yz),
                h * (a.xx * b.xz + a.xy * b.yz + a.xz * b.zz + b.xx * a.xz + b.xy * a.yz + b.xz * a.zz),
                h * (a.xy * b.xz + a.yy * b.yz + a.yz * b.zz + b.xy * a.xz + b.yy * a.yz + b.yz * a.zz)};
  return r;
}

// F with principal moments raised to at least `bound`: bound 1 + (X + |X|)/2 with X = F - bound 1 and |X| = X sign(X),
// the sign by Newton's iteration S <- (S + inv(S))/2, which converges for every X without the eigenvalue 0.
VV_DIFF static vvTensor tensor_bounded(vvTensor F, vvReal bound) {
  vvTensor one = {1, 1, 1, 0, 0, 0};
  vvTensor zero = {0, 0, 0, 0, 0, 0};
  vvTensor X = tensor_muladd(F, -bound, one);
  vvTensor S = tensor_muladd(zero, 1 / (F.xx + F.yy + F.zz + bound), X);
  for (int k = 0; k < 60; k++) S = tensor_muladd(tensor_muladd(zero, (vvReal)0.5, S), (vvReal)0.5, tensor_inverse(S));
  return tensor_muladd(tensor_muladd(tensor_muladd(zero, bound, one), (vvReal)0.5, X), (vvReal)0.5, tensor_mul(X, S));
}

VV_DIFF static inline vvVec3 bounded_moments(vvVec3 p, vvReal bound, int balance) {
  vvVec3 r = p;
  if (r.x < bound) r.x = bound;
  if (r.y < bound) r.y = bound;
  if (r.z < bound) r.z = bound;
  if (balance) {
    vvReal mean = (r.x + r.y + r.z) / 3;
    r = vv_vec3(mean, mean, mean);
  }
  return r;
}

VV_DIFF static inline vvTensor fixed_tensor(vvTensor F, vvReal bound, int fix) {
  vvTensor r = F;
  if (fix & VV_FIX_BOUND) r = tensor_bounded(F, bound);
  if (fix & VV_FIX_BALANCE) {
    vvReal mean = (r.xx + r.yy + r.zz) / 3;
    vvTensor t = {mean, mean, mean, 0, 0, 0};
    r = t;
  }
  return r;
}

typedef struct vvBodyMass {
  vvReal mass;
  vvVec3 center;
  vvTensor F;  // about the center, body axes
} vvBodyMass;

VV_DIFF static vvBodyMass stated_body(const vvModel* m, int i, int axes, int fix) {
  vvReal bound = m->compiler_boundinertia[0];
  vvBodyMass b = {m->body_mass[i], vv_vec3_load(m->body_ipos, 3 * i), {0, 0, 0, 0, 0, 0}};
  if (axes == VV_AXES_DIAGONAL) {
    vvVec3 p = bounded_moments(vv_vec3_load(m->body_diaginertia, 3 * i), bound, fix & VV_FIX_BALANCE);
    b.F = tensor_turned(vv_quat_normalize(vv_stated_quat(m->body_iquat0, m->body_irot, i)), p);
  } else {
    vvTensor F = {m->body_fullinertia[6 * i],     m->body_fullinertia[6 * i + 1], m->body_fullinertia[6 * i + 2],
                  m->body_fullinertia[6 * i + 3], m->body_fullinertia[6 * i + 4], m->body_fullinertia[6 * i + 5]};
    b.F = fixed_tensor(F, bound, fix);
  }
  return b;
}

// Sum over the geoms that count.
VV_DIFF static vvBodyMass several_geoms(const vvModel* m, int i, int fix) {
  vvBodyMass b = {0, {0, 0, 0}, {0, 0, 0, 0, 0, 0}};
  vvVec3 sum = {0, 0, 0};
  vvTensor F = {0, 0, 0, 0, 0, 0};
  for (int k = 0; k < m->body_ngeom[i]; k++) {
    int g = m->body_geom[i] + k;
    vvReal mass = vv_geom_mass(m, g);
    if (mass > VV_DERIVE_TINY) {
      b.mass += mass;
      sum = vv_vec3_muladd(sum, mass, vv_vec3_load(m->geom_lpos, 3 * g));
    }
  }
  b.center = vv_vec3_scale(1 / b.mass, sum);
  for (int k = 0; k < m->body_ngeom[i]; k++) {
    int g = m->body_geom[i] + k;
    vvReal mass = vv_geom_mass(m, g);
    if (mass > VV_DERIVE_TINY) {
      vvVec3 r = vv_vec3_sub(vv_vec3_load(m->geom_lpos, 3 * g), b.center);
      F = tensor_muladd(F, 1, tensor_turned(vv_quat_load(m->geom_lquat, 4 * g), vv_geom_moments(m, g)));
      F = tensor_muladd(F, mass, tensor_point(r));
    }
  }
  b.F = fixed_tensor(F, m->compiler_boundinertia[0], fix);
  return b;
}

VV_DIFF static inline vvBodyMass one_geom(const vvModel* m, int g, int fix) {
  vvVec3 p = bounded_moments(vv_geom_moments(m, g), m->compiler_boundinertia[0], fix & VV_FIX_BALANCE);
  vvBodyMass b = {vv_geom_mass(m, g), vv_vec3_load(m->geom_lpos, 3 * g),
                  tensor_turned(vv_quat_load(m->geom_lquat, 4 * g), p)};
  return b;
}

// Without geoms: what the bounds leave, about the body's stated position, as MuJoCo places it.
VV_DIFF static inline vvBodyMass no_geom(const vvModel* m, int i) {
  vvReal p = m->compiler_boundinertia[0];
  vvBodyMass b = {0, vv_vec3_load(m->body_pos, 3 * i), {p, p, p, 0, 0, 0}};
  return b;
}

VV_DIFF void vv_rigid_derive_inertia(const vvModel* m, const vvRigidDeriveChoice* choice, VV_WRITE_ONCE vvReal* raw,
                                     VV_WRITE_ONCE vvReal* out) {
  vvReal total = 0;
  for (int i = 0; i < m->nbody; i++) {
    int axes = choice->axes[i];
    int fix = choice->fix[i];
    vvBodyMass b = {0, {0, 0, 0}, {0, 0, 0, 0, 0, 0}};
    if (i > 0) {
      if (axes == VV_AXES_DIAGONAL || axes == VV_AXES_FULL) {
        b = stated_body(m, i, axes, fix);
      } else if (axes == VV_AXES_SEVERAL) {
        b = several_geoms(m, i, fix);
      } else if (axes >= 0) {
        b = one_geom(m, axes, fix);
      } else {
        b = no_geom(m, i);
      }
      if (b.mass < m->compiler_boundmass[0]) b.mass = m->compiler_boundmass[0];
    }
    vvTensor I = tensor_muladd(b.F, b.mass, tensor_point(b.center));
    raw[10 * i] = b.mass;
    vv_vec3_store(raw, 10 * i + 1, vv_vec3_scale(b.mass, b.center));
    raw[10 * i + 4] = I.xx;
    raw[10 * i + 5] = I.yy;
    raw[10 * i + 6] = I.zz;
    raw[10 * i + 7] = I.xy;
    raw[10 * i + 8] = I.xz;
    raw[10 * i + 9] = I.yz;
    total += b.mass;
  }
  vvReal scale = 1;
  if (m->settotal && total > VV_DERIVE_TINY) scale = m->compiler_settotalmass[0] / total;
  for (int k = 0; k < 10 * m->nbody; k++) out[k] = scale * raw[k];
}

// ---- weights --------------------------------------------------------------------------------------------------------

// The ten inertial numbers of body i about the reference point of its tree, world axes, stored at T + 10 i.
VV_DIFF static inline void store_world_inertia(const vvModel* m, int i, vvVec3 ref, const vvRigidPose* pose,
                                               vvReal* T) {
  vvMat3 R = vv_mat3_load(pose->xmat, 9 * i);
  vvVec3 r = vv_vec3_sub(vv_vec3_load(pose->xpos, 3 * i), ref);
  const vvReal* body = m->body_inertia10;
  vvReal mass = body[10 * i];
  vvVec3 c = vv_mat3_mul(R, vv_vec3_load(body, 10 * i + 1));
  vvVec3 x = {body[10 * i + 4], body[10 * i + 7], body[10 * i + 8]};
  vvVec3 y = {body[10 * i + 7], body[10 * i + 5], body[10 * i + 9]};
  vvVec3 z = {body[10 * i + 8], body[10 * i + 9], body[10 * i + 6]};
  vvVec3 a = vv_mat3_mul(R, x);  // rows of (R I)'
  vvVec3 b = vv_mat3_mul(R, y);
  vvVec3 d = vv_mat3_mul(R, z);
  vvReal cross = 2 * vv_vec3_dot(r, c);
  vvTensor p = tensor_point(r);
  T[10 * i] = mass;
  vv_vec3_store(T, 10 * i + 1, vv_vec3_muladd(c, mass, r));
  T[10 * i + 4] = a.x * R.xx + b.x * R.xy + d.x * R.xz + mass * p.xx + cross - 2 * r.x * c.x;
  T[10 * i + 5] = a.y * R.yx + b.y * R.yy + d.y * R.yz + mass * p.yy + cross - 2 * r.y * c.y;
  T[10 * i + 6] = a.z * R.zx + b.z * R.zy + d.z * R.zz + mass * p.zz + cross - 2 * r.z * c.z;
  T[10 * i + 7] = a.x * R.yx + b.x * R.yy + d.x * R.yz + mass * p.xy - r.x * c.y - r.y * c.x;
  T[10 * i + 8] = a.x * R.zx + b.x * R.zy + d.x * R.zz + mass * p.xz - r.x * c.z - r.z * c.x;
  T[10 * i + 9] = a.y * R.zx + b.y * R.zy + d.y * R.zz + mass * p.yz - r.y * c.z - r.z * c.y;
}

// Momentum of the inertia at T + 10 i moving as dof d; both about the same point.
VV_DIFF static inline vvMotion dof_momentum(const vvReal* T, int i, const vvReal* S, int d) {
  vvVec3 o = vv_vec3_load(S, 6 * d);
  vvVec3 u = vv_vec3_load(S, 6 * d + 3);
  vvVec3 c = vv_vec3_load(T, 10 * i + 1);
  vvVec3 Io = {T[10 * i + 4] * o.x + T[10 * i + 7] * o.y + T[10 * i + 8] * o.z,
               T[10 * i + 7] * o.x + T[10 * i + 5] * o.y + T[10 * i + 9] * o.z,
               T[10 * i + 8] * o.x + T[10 * i + 9] * o.y + T[10 * i + 6] * o.z};
  vvMotion p = {vv_vec3_add(Io, vv_vec3_cross(c, u)), vv_vec3_add(vv_vec3_scale(T[10 * i], u), vv_vec3_cross(o, c))};
  return p;
}

// Inertia matrix at qpos0, lower triangle of L, by composite bodies (Featherstone 2008, section 6.2).
VV_DIFF static void inertia_matrix(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                   vvReal* composite, vvReal* L) {
  int nv = m->nv;
  for (int k = 0; k < nv * nv; k++) L[k] = 0;
  for (int i = 0; i < m->nbody; i++) {
    if (m->body_tree[i] < 0) continue;
    store_world_inertia(m, i, vv_vec3_load(ref, 3 * m->body_tree[i]), pose, composite);
  }
  for (int n = 1; n < m->nbody; n++) {
    int i = m->nbody - n;
    int p = m->body_parent[i];
    if (m->body_tree[p] < 0) continue;
    for (int k = 0; k < 10; k++) composite[10 * p + k] += composite[10 * i + k];
  }
  for (int d = 0; d < nv; d++) {
    vvMotion f = dof_momentum(composite, m->dof_body[d], pose->S, d);
    int e = d;
    while (e >= 0) {
      L[nv * d + e] =
          vv_vec3_dot(f.ang, vv_vec3_load(pose->S, 6 * e)) + vv_vec3_dot(f.lin, vv_vec3_load(pose->S, 6 * e + 3));
      e = m->dof_parent[e];
    }
    L[nv * d + d] += m->jnt_armature[m->dof_jnt[d]];
  }
}

// L L' = M in place. A pivot that is not positive leaves infinities, which vv_model_derive reports.
VV_DIFF static void factor(int n, vvReal* L) {
  for (int j = 0; j < n; j++) {
    vvReal s = L[n * j + j];
    for (int k = 0; k < j; k++) s -= L[n * j + k] * L[n * j + k];
    vvReal pivot = 0;
    if (s > 0) pivot = vv_sqrt(s);
    L[n * j + j] = pivot;
    for (int i = j + 1; i < n; i++) {
      vvReal t = L[n * i + j];
      for (int k = 0; k < j; k++) t -= L[n * i + k] * L[n * j + k];
      L[n * i + j] = t / pivot;
    }
  }
}

// |inv(L) y|^2, y overwritten. Entries before `first` are zero.
VV_DIFF static vvReal weight(int n, const vvReal* L, int first, vvReal* y) {
  vvReal sum = 0;
  for (int i = first; i < n; i++) {
    vvReal t = y[i];
    for (int k = first; k < i; k++) t -= L[n * i + k] * y[k];
    t = t / L[n * i + i];
    y[i] = t;
    sum += t * t;
  }
  return sum;
}

VV_DIFF static void dof_weights(const vvModel* m, const vvRigidDeriveChoice* choice, const vvReal* L, vvReal* y,
                                vvReal* out) {
  for (int j = 0; j < m->njnt; j++) {
    int body = m->jnt_body[j];
    int group = 1;
    int count = 1;
    if (m->jnt_type[j] == VV_JOINT_BALL || m->jnt_type[j] == VV_JOINT_FREE) group = 3;
    if (m->jnt_type[j] == VV_JOINT_FREE) count = 2;
    for (int c = 0; c < count; c++) {
      int d = m->jnt_v[j] + 3 * c;
      vvReal sum = 0;
      if (choice->simple[body]) {
        sum = 1 / m->body_inertia10[10 * body];
      } else {
        for (int k = 0; k < group; k++) {
          for (int i = 0; i < m->nv; i++) y[i] = 0;
          y[d + k] = 1;
          sum += weight(m->nv, L, d + k, y);
        }
      }
      for (int k = 0; k < group; k++) out[d + k] = sum / (vvReal)group;
    }
  }
}

// Sets y to row r of the Jacobian at point p of body i: translation along x, y, z (r < 3), rotation about them.
VV_DIFF static void point_row(const vvModel* m, const vvReal* S, int i, int r, vvVec3 p, vvReal* y) {
  for (int k = 0; k < m->nv; k++) y[k] = 0;
  int b = i;
  while (b > 0) {
    for (int k = 0; k < m->body_ndof[b]; k++) {
      int d = m->body_dof[b] + k;
      vvVec3 o = vv_vec3_load(S, 6 * d);
      vvVec3 u = vv_vec3_add(vv_vec3_load(S, 6 * d + 3), vv_vec3_cross(o, p));
      if (r == 0) y[d] = u.x;
      if (r == 1) y[d] = u.y;
      if (r == 2) y[d] = u.z;
      if (r == 3) y[d] = o.x;
      if (r == 4) y[d] = o.y;
      if (r == 5) y[d] = o.z;
    }
    b = m->body_parent[b];
  }
}

VV_DIFF static void body_weights(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                 const vvRigidDeriveChoice* choice, const vvReal* L, vvReal* y, vvReal* out) {
  for (int i = 0; i < m->nbody; i++) {
    vvReal tran = 0;
    vvReal rot = 0;
    if (m->body_tree[i] >= 0) {
      if (choice->simple[i]) {
        tran = 3 / m->body_inertia10[10 * i];
      } else {
        vvVec3 c = vv_quat_rotate(vv_quat_load(pose->xquat, 4 * i), vv_body_center(m, i));
        vvVec3 p = vv_vec3_sub(vv_vec3_add(vv_vec3_load(pose->xpos, 3 * i), c), vv_vec3_load(ref, 3 * m->body_tree[i]));
        for (int r = 0; r < 3; r++) {
          point_row(m, pose->S, i, r, p, y);
          tran += weight(m->nv, L, 0, y);
          point_row(m, pose->S, i, r + 3, p, y);
          rot += weight(m->nv, L, 0, y);
        }
      }
    }
    out[2 * i] = tran / 3;
    out[2 * i + 1] = rot / 3;
  }
}

VV_DIFF void vv_rigid_derive_weights(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                     const vvRigidDeriveChoice* choice, vvReal* composite, vvReal* L, vvReal* y,
                                     vvReal* body_invweight, vvReal* dof_invweight) {
  inertia_matrix(m, ref, pose, composite, L);
  factor(m->nv, L);
  dof_weights(m, choice, L, y, dof_invweight);
  body_weights(m, ref, pose, choice, L, y, body_invweight);
}

// ---- actuators and tendons ------------------------------------------------------------------------------------------

// Sets y to the moment of actuator u at qpos0.
VV_DIFF static void moment_of(const vvModel* m, int u, vvReal* y) {
  for (int d = 0; d < m->nv; d++) y[d] = 0;
  int id = m->actuator_trnid[u];
  int inparent = m->actuator_trntype[u] == VV_TRN_JOINTINPARENT;
  if (m->actuator_trntype[u] == VV_TRN_SITE) {
    int ref = m->actuator_ref[u];
    vv_site_push(m, m->qpos0, id, m->actuator_stop[u], vv_site_gear(m, m->qpos0, u), 1, y);
    if (ref >= 0) vv_site_push(m, m->qpos0, ref, m->actuator_stop[u], vv_site_counter(m, u), 1, y);
  } else if (m->actuator_trntype[u] == VV_TRN_TENDON) {
    for (int k = 0; k < m->tendon_num[id]; k++) {
      int w = m->tendon_wrap[id] + k;
      y[m->jnt_v[m->wrap_jnt[w]]] += m->actuator_gear[6 * u] * m->wrap_coef[w];
    }
  } else if (m->jnt_type[id] == VV_JOINT_FREE) {
    int d = m->jnt_v[id];
    vvVec3 g =
        vv_actuator_angular_gear(vv_vec3_load(m->actuator_gear, 6 * u + 3), inparent, m->qpos0, m->jnt_q[id] + 3);
    vv_vec3_store(y, d, vv_vec3_load(m->actuator_gear, 6 * u));
    vv_vec3_store(y, d + 3, g);
  } else if (m->jnt_type[id] == VV_JOINT_BALL) {
    vv_vec3_store(y, m->jnt_v[id],
                  vv_actuator_angular_gear(vv_vec3_load(m->actuator_gear, 6 * u), inparent, m->qpos0, m->jnt_q[id]));
  } else {
    y[m->jnt_v[id]] = m->actuator_gear[6 * u];
  }
}

// Inertia that a moment y meets at qpos0, 1 / (y' inv(M) y); 0 without a moment.
VV_DIFF static vvReal met_inertia(const vvModel* m, const vvReal* L, vvReal* y) {
  vvReal s = weight(m->nv, L, 0, y);
  vvReal r = 0;
  if (s > VV_ACTUATOR_TINY) r = 1 / s;
  return r;
}

// |inv(L L') y|, y overwritten.
VV_DIFF static vvReal solved_length(int n, const vvReal* L, vvReal* y) {
  vvReal sum = 0;
  for (int i = 0; i < n; i++) {
    vvReal t = y[i];
    for (int k = 0; k < i; k++) t -= L[n * i + k] * y[k];
    y[i] = t / L[n * i + i];
  }
  for (int j = 0; j < n; j++) {
    int i = n - 1 - j;
    vvReal t = y[i];
    for (int k = i + 1; k < n; k++) t -= L[n * k + i] * y[k];
    y[i] = t / L[n * i + i];
  }
  for (int i = 0; i < n; i++) sum += y[i] * y[i];
  vvReal r = 0;
  if (sum > 0) r = vv_sqrt(sum);
  return r;
}

VV_DIFF static void parameters_of(const vvModel* m, int u, vvRigidDeriveActuators* out) {
  int kind = m->actuator_kind[u];
  for (int k = 0; k < 10; k++) {
    vvReal gain = 0;
    vvReal bias = 0;
    vvReal dyn = 0;
    if (kind == VV_ACTUATOR_GENERAL || kind == VV_ACTUATOR_CYLINDER || kind == VV_ACTUATOR_MUSCLE) {
      gain = m->actuator_gainprm[10 * u + k];
      bias = m->actuator_biasprm[10 * u + k];
      if (kind == VV_ACTUATOR_MUSCLE) bias = gain;
    }
    if (kind == VV_ACTUATOR_MOTOR && k == 0) gain = 1;
    if (kind == VV_ACTUATOR_POSITION || kind == VV_ACTUATOR_INTVELOCITY) {
      if (k == 0) gain = m->actuator_gainprm[10 * u];
      if (k == 1) bias = -m->actuator_gainprm[10 * u];
      if (k == 2) bias = -m->actuator_biasprm[10 * u + 2];
    }
    if (kind == VV_ACTUATOR_VELOCITY) {
      if (k == 0) gain = m->actuator_gainprm[10 * u];
      if (k == 2) bias = -m->actuator_gainprm[10 * u];
    }
    if (kind == VV_ACTUATOR_DAMPER && k == 2) gain = -m->actuator_gainprm[10 * u + 2];
    if (m->actuator_dyntype[u] != VV_DYN_NONE) dyn = m->actuator_dynprm[10 * u + k];
    out->gain[10 * u + k] = gain;
    out->bias[10 * u + k] = bias;
    out->dyn[10 * u + k] = dyn;
  }
}

VV_DIFF void vv_rigid_derive_actuators(const vvModel* m, const vvReal* L, vvReal* y, vvRigidDeriveActuators* out) {
  for (int u = 0; u < m->nu; u++) {
    parameters_of(m, u, out);
    out->acc0[u] = 0;
    if (m->actuator_damping[u]) {
      vvReal ratio = m->actuator_biasprm[10 * u + 3];
      if (m->actuator_kind[u] == VV_ACTUATOR_GENERAL) ratio = m->actuator_biasprm[10 * u + 2];
      moment_of(m, u, y);
      out->bias[10 * u + 2] = -2 * ratio * vv_sqrt(m->actuator_gainprm[10 * u] * met_inertia(m, L, y));
    }
    if (m->actuator_gaintype[u] == VV_GAIN_MUSCLE || m->actuator_biastype[u] == VV_BIAS_MUSCLE) {
      moment_of(m, u, y);
      out->acc0[u] = solved_length(m->nv, L, y);
    }
  }
  for (int t = 0; t < m->ntendon; t++) {
    vvReal low = m->tendon_springlength[2 * t];
    vvReal high = m->tendon_springlength[2 * t + 1];
    if (m->tendon_isrest[t]) {
      low = vv_tendon_sum(m, t, m->qpos_spring, m->jnt_q);
      high = low;
    }
    out->tendon_spring[2 * t] = low;
    out->tendon_spring[2 * t + 1] = high;
    for (int d = 0; d < m->nv; d++) y[d] = 0;
    for (int k = 0; k < m->tendon_num[t]; k++) {
      int w = m->tendon_wrap[t] + k;
      y[m->jnt_v[m->wrap_jnt[w]]] += m->wrap_coef[w];
    }
    out->tendon_invweight[t] = weight(m->nv, L, 0, y);
  }
}
