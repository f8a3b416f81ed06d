// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// motion_kernel.h: spatial motions of bodies, the force that gives a body its acceleration, the force of a contact from
// the motions of its two bodies. See rigid_kernel.h for the symbols.

#ifndef VISVIVA_RIGID_MOTION_KERNEL_H_
#define VISVIVA_RIGID_MOTION_KERNEL_H_

#include "geom/contact_kernel.h"
#include "rigid/constraint_law_kernel.h"
#include "rigid/fluid_kernel.h"
#include "rigid/rigid_kernel.h"

VV_DIFF static inline vvMotion vv_motion_load(const vvReal* base, int i) {
  vvMotion r = {vv_vec3_load(base, 6 * i), vv_vec3_load(base, 6 * i + 3)};
  return r;
}

VV_DIFF static inline void vv_motion_store(vvReal* base, int i, vvMotion a) {
  vv_vec3_store(base, 6 * i, a.ang);
  vv_vec3_store(base, 6 * i + 3, a.lin);
}

// a + s S_d
VV_DIFF static inline vvMotion vv_motion_muladd(vvMotion a, vvReal s, vvMotion S) {
  vvMotion r = {vv_vec3_muladd(a.ang, s, S.ang), vv_vec3_muladd(a.lin, s, S.lin)};
  return r;
}

// Spatial cross product a x b of motions.
VV_DIFF static inline vvMotion vv_motion_cross(vvMotion a, vvMotion b) {
  vvMotion r = {vv_vec3_cross(a.ang, b.ang), vv_vec3_add(vv_vec3_cross(a.ang, b.lin), vv_vec3_cross(a.lin, b.ang))};
  return r;
}

// Motion at point p instead of `ref`, world axes.
VV_DIFF static inline vvMotion vv_motion_at(vvMotion a, vvVec3 ref, vvVec3 p) {
  vvMotion r = {a.ang, vv_vec3_add(a.lin, vv_vec3_cross(a.ang, vv_vec3_sub(p, ref)))};
  return r;
}

// Motion at the body origin in body axes.
VV_DIFF static inline vvMotion vv_motion_in_body(vvMat3 R, vvVec3 x, vvVec3 ref, vvMotion a) {
  vvMotion b = vv_motion_at(a, ref, x);
  vvMotion r = {vv_mat3_mul_t(R, b.ang), vv_mat3_mul_t(R, b.lin)};
  return r;
}

VV_DIFF static inline vvVec3 vv_tree_ref(const vvModel* m, VV_NO_DIFF const vvReal* ref, int body) {
  vvVec3 c = {0, 0, 0};
  if (m->body_tree[body] >= 0) c = vv_vec3_load(ref, 3 * m->body_tree[body]);
  return c;
}

// Momentum of body i moving with b (body origin, body axes): angular part in .ang, linear in .lin.
VV_DIFF static inline vvMotion vv_body_momentum(const vvModel* m, int i, vvMotion b) {
  vvReal mass = m->body_inertia10[10 * i];
  vvVec3 mc = vv_vec3_load(m->body_inertia10, 10 * i + 1);
  vvReal Ixx = m->body_inertia10[10 * i + 4];
  vvReal Iyy = m->body_inertia10[10 * i + 5];
  vvReal Izz = m->body_inertia10[10 * i + 6];
  vvReal Ixy = m->body_inertia10[10 * i + 7];
  vvReal Ixz = m->body_inertia10[10 * i + 8];
  vvReal Iyz = m->body_inertia10[10 * i + 9];
  vvVec3 Io = {Ixx * b.ang.x + Ixy * b.ang.y + Ixz * b.ang.z, Ixy * b.ang.x + Iyy * b.ang.y + Iyz * b.ang.z,
               Ixz * b.ang.x + Iyz * b.ang.y + Izz * b.ang.z};
  vvMotion p = {vv_vec3_add(Io, vv_vec3_cross(mc, b.lin)),
                vv_vec3_add(vv_vec3_scale(mass, b.lin), vv_vec3_cross(b.ang, mc))};
  return p;
}

// Force on body i that gives it acceleration a at velocity v, all at the body origin in body axes.
VV_DIFF static inline vvMotion vv_body_inertial_force(const vvModel* m, int i, vvMotion v, vvMotion a) {
  vvMotion pa = vv_body_momentum(m, i, a);
  vvMotion pv = vv_body_momentum(m, i, v);
  vvMotion f = {vv_vec3_add(pa.ang, vv_vec3_add(vv_vec3_cross(v.ang, pv.ang), vv_vec3_cross(v.lin, pv.lin))),
                vv_vec3_add(pa.lin, vv_vec3_cross(v.ang, pv.lin))};
  return f;
}

// Force that body i, turned by R, needs from its joints and contacts to accelerate by a (minus gravity) at velocity v,
// all at the body origin in body axes: the inertial force minus the borne weight and the force of the fluid.
VV_DIFF static inline vvMotion vv_body_force(const vvModel* m, int i, vvMat3 R, vvMotion v, vvMotion a) {
  vvMotion b = a;
  int passive = (m->disable & (VV_DISABLE_SPRING | VV_DISABLE_DAMPER)) != (VV_DISABLE_SPRING | VV_DISABLE_DAMPER);
  if (m->body_gravcomp[i] != 0 && passive && !(m->disable & VV_DISABLE_GRAVITY))
    b.lin = vv_vec3_muladd(a.lin, m->body_gravcomp[i], vv_mat3_mul_t(R, vv_vec3_load(m->opt_gravity, 0)));
  vvMotion f = vv_body_inertial_force(m, i, v, b);
  if (m->fluid && m->body_inertia10[10 * i] >= (vvReal)1e-15)
    f = vv_motion_muladd(f, -1, vv_fluid_force(m, i, vv_mat3_mul_t(R, vv_vec3_load(m->opt_wind, 0)), v));
  return f;
}

// Motion of geom 2's body minus that of geom 1's at the contact point, in the contact frame.
VV_DIFF static inline vvContactMotion vv_contact_relative_motion(const vvModel* m, VV_NO_DIFF const vvReal* ref,
                                                                 const vvReal* motion, int body1, int body2,
                                                                 vvContactPoint p) {
  vvMotion a = vv_motion_at(vv_motion_load(motion, body1), vv_tree_ref(m, ref, body1), p.point);
  vvMotion b = vv_motion_at(vv_motion_load(motion, body2), vv_tree_ref(m, ref, body2), p.point);
  vvVec3 u = vv_vec3_sub(b.lin, a.lin);
  vvVec3 o = vv_vec3_sub(b.ang, a.ang);
  vvContactMotion r = {vv_vec3_dot(p.normal, u), vv_vec3_dot(p.tangent1, u), vv_vec3_dot(p.tangent2, u),
                       vv_vec3_dot(p.normal, o), vv_vec3_dot(p.tangent1, o), vv_vec3_dot(p.tangent2, o)};
  return r;
}

// Force of contact `p` between geoms g1 and g2, on geom 2's body, in the contact frame.
VV_DIFF static inline vvContactMotion vv_contact_force_of(const vvModel* m, VV_NO_DIFF const vvReal* ref,
                                                          const vvReal* V, const vvReal* A, int g1, int g2, int dim,
                                                          vvContactPoint p) {
  vvContactParameters c = vv_contact_parameters(m, g1, g2);
  vvLaw law = vv_law(c.ref0, c.ref1, c.imp0, c.imp1, c.width, c.midpoint, c.power, m->opt_timestep[0],
                     !(m->disable & VV_DISABLE_REFSAFE), p.gap - c.margin);
  vvContactWeights w = vv_contact_weights(m, c, g1, g2, dim, law.d);
  vvContactMotion v = vv_contact_relative_motion(m, ref, V, m->geom_body[g1], m->geom_body[g2], p);
  vvContactMotion a = vv_contact_relative_motion(m, ref, A, m->geom_body[g1], m->geom_body[g2], p);
  return vv_contact_force(m->cone, c, w, law, dim, p.gap, v, a);
}

#endif  // VISVIVA_RIGID_MOTION_KERNEL_H_
