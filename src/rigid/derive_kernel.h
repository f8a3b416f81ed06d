// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// derive_kernel.h: the derived reals of a model from its primary ones, in four stages that vv_model_derive runs in
// order, with the kinematics of qpos0 between the second and the third:
//
//   poses     frames composed, segments (fromto) resolved, joint axes normalised, qpos0 and qpos_spring
//   inertia   masses of geoms, inertias of bodies, bounds, the total mass
//   weights   inverse inertias at qpos0: dof_invweight, body_invweight
//   actuators parameters of actuators in effect; rest lengths and weights of tendons
//
// Each stage reads what the earlier ones wrote through `m` and writes its own arrays through pointers of its own.
//
// smooth   in every real except at the bounds of masses and inertias. Branches that depend on values (which geoms
// count,
//          what is bounded or balanced, which bodies are simple) are integers made by src/model/derive.c.

#ifndef VISVIVA_RIGID_DERIVE_KERNEL_H_
#define VISVIVA_RIGID_DERIVE_KERNEL_H_

#include "rigid/rigid_kernel.h"

// Least mass of a geom that counts, least length of a segment or axis, as MuJoCo's compiler has them.
#define VV_DERIVE_TINY 1e-14
#define VV_PI 3.14159265358979323846

// What a body's inertia comes from, vvRigidDeriveChoice.axes; >= 0: the one geom that counts, with its axes.
typedef enum vvInertiaAxes {
  VV_AXES_NONE = -1,      // nothing: no geom counts
  VV_AXES_SEVERAL = -2,   // several geoms, full tensor
  VV_AXES_DIAGONAL = -3,  // stated, diagonal in axes of its own
  VV_AXES_FULL = -4       // stated, full tensor
} vvInertiaAxes;

// Bits of vvRigidDeriveChoice.fix.
typedef enum vvInertiaFix {
  VV_FIX_BOUND = 1,    // a principal moment of a full tensor is below boundinertia
  VV_FIX_BALANCE = 2,  // principal moments are replaced by their mean
} vvInertiaFix;

// Branches of the stages "inertia" and "weights", per body.
typedef struct vvRigidDeriveChoice {
  int* axes;    // nbody   vvInertiaAxes or a geom
  int* fix;     // nbody   vvInertiaFix
  int* simple;  // nbody   1: moves by aligned sliders only, its weights are those of its own mass
} vvRigidDeriveChoice;

// What stage "poses" writes.
typedef struct vvRigidDerivePoses {
  vvReal* frame_lpos;   // nframe x 3   scratch: frames in their body's frame   [m]
  vvReal* frame_lquat;  // nframe x 4   scratch
  vvReal* body_lpos;
  vvReal* body_lquat;
  vvReal* jnt_lpos;
  vvReal* jnt_laxis;
  vvReal* geom_lpos;
  vvReal* geom_lquat;
  vvReal* geom_dim;
  vvReal* site_lpos;
  vvReal* site_lquat;
  vvReal* qpos0;
  vvReal* qpos_spring;
} vvRigidDerivePoses;

VV_DIFF void vv_rigid_derive_poses(const vvModel* m, VV_WRITE_ONCE vvRigidDerivePoses* out);

// raw: nbody x 10 scratch, body_inertia10 before the total mass is set. out: body_inertia10.
VV_DIFF void vv_rigid_derive_inertia(const vvModel* m, const vvRigidDeriveChoice* choice, VV_WRITE_ONCE vvReal* raw,
                                     VV_WRITE_ONCE vvReal* out);

// pose: kinematics at qpos0, motions at `ref`. Scratch: composite nbody x 10, L nv x nv (the Cholesky factor of the
// inertia matrix, lower), y nv.
VV_DIFF void vv_rigid_derive_weights(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                     const vvRigidDeriveChoice* choice, vvReal* composite, vvReal* L, vvReal* y,
                                     vvReal* body_invweight, vvReal* dof_invweight);

// What actuators and tendons have in effect. Reached only as base[index].
typedef struct vvRigidDeriveActuators {
  vvReal* gain;              // nu x 10
  vvReal* bias;              // nu x 10
  vvReal* dyn;               // nu x 10
  vvReal* acc0;              // nu
  vvReal* tendon_spring;     // ntendon x 2
  vvReal* tendon_invweight;  // ntendon
} vvRigidDeriveActuators;

// L: of the stage "weights". y: nv, scratch.
VV_DIFF void vv_rigid_derive_actuators(const vvModel* m, const vvReal* L, vvReal* y, vvRigidDeriveActuators* out);

// ---- mass properties of shapes --------------------------------------------------------------------------------------

// Volume of a geom of sizes (a, b, c), its surface when `shell`.   [m3, m2]
VV_DIFF static inline vvReal vv_shape_volume(int type, int shell, vvReal a, vvReal b, vvReal c) {
  vvReal v = 0;
  if (type == VV_GEOM_SPHERE) {
    v = (vvReal)(4 * VV_PI / 3) * a * a * a;
    if (shell) v = (vvReal)(4 * VV_PI) * a * a;
  } else if (type == VV_GEOM_CAPSULE) {
    v = (vvReal)VV_PI * a * a * (2 * b + 4 * a / 3);
    if (shell) v = (vvReal)(4 * VV_PI) * a * (a + b);
  } else if (type == VV_GEOM_CYLINDER) {
    v = (vvReal)(2 * VV_PI) * a * a * b;
    if (shell) v = (vvReal)(2 * VV_PI) * a * (a + 2 * b);
  } else if (type == VV_GEOM_ELLIPSOID) {
    v = (vvReal)(4 * VV_PI / 3) * a * b * c;
    if (shell) {  // Thomsen's approximation, relative error below 1.1 %
      vvReal p = (vvReal)1.6075;
      vvReal s = (vv_pow(a * b, p) + vv_pow(b * c, p) + vv_pow(c * a, p)) / 3;
      v = (vvReal)(4 * VV_PI) * vv_pow(s, 1 / p);
    }
  } else if (type == VV_GEOM_BOX) {
    v = 8 * a * b * c;
    if (shell) v = 8 * (a * b + b * c + c * a);
  }
  return v;
}

// Principal moments of a solid of unit mass.   [m2]
VV_DIFF static inline vvVec3 vv_shape_solid_moments(int type, vvReal a, vvReal b, vvReal c) {
  vvVec3 I = {0, 0, 0};
  if (type == VV_GEOM_SPHERE) {
    I.x = 2 * a * a / 5;
    I.y = I.x;
    I.z = I.x;
  } else if (type == VV_GEOM_CAPSULE) {
    // two half balls, together a share s of the mass, their centers 3/8 a beyond the ends of the segment
    vvReal s = 2 * a / (2 * a + 3 * b);
    vvReal h = 2 * b;
    I.x = (1 - s) * (3 * a * a + h * h) / 12 + s * (2 * a * a / 5 + h * (3 * a + 2 * h) / 8);
    I.y = I.x;
    I.z = (1 - s) * a * a / 2 + s * 2 * a * a / 5;
  } else if (type == VV_GEOM_CYLINDER) {
    I.x = (3 * a * a + 4 * b * b) / 12;
    I.y = I.x;
    I.z = a * a / 2;
  } else if (type == VV_GEOM_ELLIPSOID) {
    I = vv_vec3((b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5);
  } else if (type == VV_GEOM_BOX) {
    I = vv_vec3((b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3);
  }
  return I;
}

// Moments of a shell of unit mass between the ellipsoids of semiaxes (a, b, c) and (a, b, c) + 1e-6, which is how
// MuJoCo defines the shell: (V1 I1 - V0 I0)/(V1 - V0), with the common factor 4 pi/15 dropped.
VV_DIFF static inline vvVec3 vv_shape_ellipsoid_shell(vvReal a, vvReal b, vvReal c) {
  vvReal e = (vvReal)1e-6;
  vvReal a1 = a + e;
  vvReal b1 = b + e;
  vvReal c1 = c + e;
  vvReal v0 = a * b * c;
  vvReal v1 = a1 * b1 * c1;
  vvReal k = 1 / (5 * (v1 - v0));
  vvVec3 I = {k * (v1 * (b1 * b1 + c1 * c1) - v0 * (b * b + c * c)),
              k * (v1 * (a1 * a1 + c1 * c1) - v0 * (a * a + c * c)),
              k * (v1 * (a1 * a1 + b1 * b1) - v0 * (a * a + b * b))};
  return I;
}

// Principal moments of a shell of unit mass, spread evenly over the surface.   [m2]
VV_DIFF static inline vvVec3 vv_shape_shell_moments(int type, vvReal a, vvReal b, vvReal c) {
  vvVec3 I = {0, 0, 0};
  if (type == VV_GEOM_SPHERE) {
    I.x = 2 * a * a / 3;
    I.y = I.x;
    I.z = I.x;
  } else if (type == VV_GEOM_CAPSULE) {
    // two half spheres, a share s, their centers a/2 beyond the ends of the segment; tube of length 2 b
    vvReal s = a / (a + b);
    vvReal far = b + a / 2;
    I.x = (1 - s) * (6 * a * a + 4 * b * b) / 12 + s * (2 * a * a / 3 + far * far - a * a / 4);
    I.y = I.x;
    I.z = (1 - s) * a * a + s * 2 * a * a / 3;
  } else if (type == VV_GEOM_CYLINDER) {
    // each lid has a share s
    vvReal s = a / (2 * a + 4 * b);
    I.x = (1 - 2 * s) * (6 * a * a + 4 * b * b) / 12 + 2 * s * (a * a / 4 + b * b);
    I.y = I.x;
    I.z = (1 - 2 * s) * a * a + s * a * a;
  } else if (type == VV_GEOM_ELLIPSOID) {
    I = vv_shape_ellipsoid_shell(a, b, c);
  } else if (type == VV_GEOM_BOX) {
    // the faces normal to x have a share sx: x2 is a2 on them, a2/3 on the mean of the others
    vvReal area = a * b + b * c + c * a;
    vvReal sx = b * c / area;
    vvReal sy = c * a / area;
    vvReal sz = a * b / area;
    vvReal xx = (1 + 2 * sx) / 3 * a * a;
    vvReal yy = (1 + 2 * sy) / 3 * b * b;
    vvReal zz = (1 + 2 * sz) / 3 * c * c;
    I = vv_vec3(yy + zz, xx + zz, xx + yy);
  }
  return I;
}

// Mass of geom g by its sizes in effect.   [kg]
VV_DIFF static inline vvReal vv_geom_mass(const vvModel* m, int g) {
  vvReal mass = 0;
  vvReal volume = vv_shape_volume(m->geom_type[g], m->geom_shell[g], m->geom_dim[3 * g], m->geom_dim[3 * g + 1],
                                  m->geom_dim[3 * g + 2]);
  if (m->geom_mkind[g] == VV_MASS_DENSITY) mass = m->geom_density[g] * volume;
  if (m->geom_mkind[g] == VV_MASS_GIVEN && volume > VV_DERIVE_TINY) mass = m->geom_mass[g];
  return mass;
}

// Principal moments of geom g about its center, its axes.   [kg m2]
VV_DIFF static inline vvVec3 vv_geom_moments(const vvModel* m, int g) {
  vvReal a = m->geom_dim[3 * g];
  vvReal b = m->geom_dim[3 * g + 1];
  vvReal c = m->geom_dim[3 * g + 2];
  vvVec3 I = {0, 0, 0};
  if (m->geom_shell[g]) {
    I = vv_shape_shell_moments(m->geom_type[g], a, b, c);
  } else {
    I = vv_shape_solid_moments(m->geom_type[g], a, b, c);
  }
  return vv_vec3_scale(vv_geom_mass(m, g), I);
}

// A quaternion stated as q0 exp(rot).
VV_DIFF static inline vvQuat vv_stated_quat(const vvReal* quat0, const vvReal* rot, int i) {
  return vv_quat_mul(vv_quat_load(quat0, 4 * i), vv_quat_exp(vv_vec3_load(rot, 3 * i)));
}

// Center of mass of body i in its frame; of a body without mass the place where its file would put one.   [m]
VV_DIFF static inline vvVec3 vv_body_center(const vvModel* m, int i) {
  vvVec3 c = {0, 0, 0};
  vvReal mass = m->body_inertia10[10 * i];
  if (mass > 0) {
    c = vv_vec3_scale(1 / mass, vv_vec3_load(m->body_inertia10, 10 * i + 1));
  } else if (m->body_inertia[i] == VV_INERTIA_GEOMS) {
    c = vv_vec3_load(m->body_pos, 3 * i);
  } else {
    c = vv_vec3_load(m->body_ipos, 3 * i);
  }
  return c;
}

#endif  // VISVIVA_RIGID_DERIVE_KERNEL_H_
