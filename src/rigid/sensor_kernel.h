// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// sensor_kernel.h: quantities of subtrees of bodies, for sensors: center of mass, momenta, and the force between a body
// and its parent.
//
// subtree  of body b: bodies b .. last - 1 (bodies are depth first); its masses m_j, centers c_j, momenta (L_j, P_j) at
//          the body's origin, world axes
// force    of the parent on b: sum over the subtree of (inertial force, weight taken off) minus contacts with bodies
//          outside; borne weight and fluids are not taken off. MuJoCo's cfrc_int, see its documentation of "force".
// touch    a contact of the site's body counts when the ray from its point outwards along the normal meets the site's
//          volume or starts in it
// smooth   in everything real, but in the branches of the contact law

#ifndef VISVIVA_RIGID_SENSOR_KERNEL_H_
#define VISVIVA_RIGID_SENSOR_KERNEL_H_

#include "geom/ray_kernel.h"
#include "rigid/motion_kernel.h"

// Sum of masses, and of mass * center in world axes.
typedef struct vvSubtreeMass {
  vvReal mass;    // [kg]
  vvVec3 moment;  // [kg m]
} vvSubtreeMass;

VV_DIFF static inline vvSubtreeMass vv_subtree_mass(const vvModel* m, const vvRigidPose* pose, int first, int last) {
  vvSubtreeMass sum = {0, {0, 0, 0}};
  for (int i = first; i < last; i++) {
    vvReal mass = m->body_inertia10[10 * i];
    vvVec3 c = vv_mat3_mul(vv_mat3_load(pose->xmat, 9 * i), vv_vec3_load(m->body_inertia10, 10 * i + 1));
    sum.mass += mass;
    sum.moment = vv_vec3_add(sum.moment, vv_vec3_muladd(c, mass, vv_vec3_load(pose->xpos, 3 * i)));
  }
  return sum;
}

// Center of mass; of a subtree without mass the origin of its first body.
VV_DIFF static inline vvVec3 vv_subtree_center(const vvModel* m, const vvRigidPose* pose, int first, int last) {
  vvSubtreeMass sum = vv_subtree_mass(m, pose, first, last);
  vvVec3 r = vv_vec3_load(pose->xpos, 3 * first);
  if (sum.mass >= (vvReal)1e-15) r = vv_vec3_scale(1 / sum.mass, sum.moment);
  return r;
}

// Momentum: linear part in .lin, angular part about `point` in .ang, world axes.
VV_DIFF static inline vvMotion vv_subtree_momentum(const vvModel* m, VV_NO_DIFF const vvReal* ref,
                                                   const vvRigidPose* pose, const vvReal* V, int first, int last,
                                                   vvVec3 point) {
  vvMotion sum = {{0, 0, 0}, {0, 0, 0}};
  for (int i = first; i < last; i++) {
    vvMat3 R = vv_mat3_load(pose->xmat, 9 * i);
    vvVec3 x = vv_vec3_load(pose->xpos, 3 * i);
    vvMotion p = vv_body_momentum(m, i, vv_motion_in_body(R, x, vv_tree_ref(m, ref, i), vv_motion_load(V, i)));
    vvVec3 P = vv_mat3_mul(R, p.lin);
    vvVec3 L = vv_vec3_add(vv_mat3_mul(R, p.ang), vv_vec3_cross(vv_vec3_sub(x, point), P));
    sum.lin = vv_vec3_add(sum.lin, P);
    sum.ang = vv_vec3_add(sum.ang, L);
  }
  return sum;
}

// Force (.lin) and torque about `point` (.ang) of the parent on body `first`, world axes.
VV_DIFF static inline vvMotion vv_subtree_force(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                                const vvRigidMotion* motion, const vvContactFeature* contacts,
                                                int ncontact, int first, int last, vvVec3 point) {
  vvMotion sum = {{0, 0, 0}, {0, 0, 0}};
  int begin = first;
  if (begin == 0) begin = 1;  // the world weighs nothing, and contacts count as forces on it
  for (int i = begin; i < last; i++) {
    vvMat3 R = vv_mat3_load(pose->xmat, 9 * i);
    vvVec3 x = vv_vec3_load(pose->xpos, 3 * i);
    vvVec3 o = vv_tree_ref(m, ref, i);
    vvMotion a = vv_motion_muladd(vv_motion_load(motion->A, i), 1, vv_motion_load(motion->G, i));
    vvMotion f = vv_body_inertial_force(m, i, vv_motion_in_body(R, x, o, vv_motion_load(motion->V, i)),
                                        vv_motion_in_body(R, x, o, a));
    vvVec3 F = vv_mat3_mul(R, f.lin);
    vvVec3 T = vv_vec3_add(vv_mat3_mul(R, f.ang), vv_vec3_cross(vv_vec3_sub(x, point), F));
    sum.lin = vv_vec3_add(sum.lin, F);
    sum.ang = vv_vec3_add(sum.ang, T);
  }
  for (int k = 0; k < ncontact; k++) {
    int g1 = contacts[k].geom1;
    int g2 = contacts[k].geom2;
    int i1 = m->geom_body[g1];
    int i2 = m->geom_body[g2];
    vvReal s = 0;
    if (i1 >= begin && i1 < last) s = s + 1;
    if (i2 >= begin && i2 < last) s = s - 1;
    if (s != 0) {
      vvContactPoint p = vv_contact_evaluate(m, pose->xpos, pose->xquat, contacts, k);
      vvContactMotion f = vv_contact_force_of(m, ref, motion->V, motion->A, g1, g2, contacts[k].dim, p);
      vvVec3 F = vv_vec3_muladd(vv_vec3_muladd(vv_vec3_scale(f.n, p.normal), f.t1, p.tangent1), f.t2, p.tangent2);
      vvVec3 T = vv_vec3_muladd(vv_vec3_muladd(vv_vec3_scale(f.s, p.normal), f.r1, p.tangent1), f.r2, p.tangent2);
      T = vv_vec3_add(T, vv_vec3_cross(vv_vec3_sub(p.point, point), F));
      sum.lin = vv_vec3_muladd(sum.lin, s, F);
      sum.ang = vv_vec3_muladd(sum.ang, s, T);
    }
  }
  return sum;
}

// Sum of the normal forces of contacts in the volume of a site at x with orientation Q.
VV_DIFF static inline vvReal vv_touch_force(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                            const vvRigidMotion* motion, const vvContactFeature* contacts, int ncontact,
                                            int site, vvVec3 x, vvQuat Q) {
  vvReal sum = 0;
  int body = m->site_body[site];
  for (int k = 0; k < ncontact; k++) {
    int g1 = contacts[k].geom1;
    int g2 = contacts[k].geom2;
    if (m->geom_body[g1] == body || m->geom_body[g2] == body) {
      vvContactPoint p = vv_contact_evaluate(m, pose->xpos, pose->xquat, contacts, k);
      vvContactMotion f = vv_contact_force_of(m, ref, motion->V, motion->A, g1, g2, contacts[k].dim, p);
      vvVec3 out = p.normal;
      if (m->geom_body[g2] == body) out = vv_vec3_scale(-1, out);
      vvQuat back = vv_quat_conj(Q);
      vvReal hit = vv_ray_shape(m->site_type[site], vv_vec3_load(m->site_size, 3 * site),
                                vv_quat_rotate(back, vv_vec3_sub(p.point, x)), vv_quat_rotate(back, out));
      if (f.n > 0 && hit >= 0) sum += f.n;
    }
  }
  return sum;
}

#endif  // VISVIVA_RIGID_SENSOR_KERNEL_H_
