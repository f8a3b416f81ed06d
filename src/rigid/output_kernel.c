// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// output_kernel.c: sensors and state quantities as functions of poses, motions and controls.
//
// symbols  x, Q    origin and orientation of a frame, world;  p, P  those of the reference frame
//          V, A, G  motions of a body at the reference point of its tree (rigid_kernel.h)
// sensors  by MuJoCo 4.0's definitions (documentation, XML reference, "sensor"). A frame that turns with velocity o
// moves
//          its points by o x r, which velocities with a reference frame leave out. Accelerations are
//          (A + G at x) + o x v, with G minus gravity. Cutoffs clamp, with derivative 0 beyond.
// smooth   except at cutoffs, clamps of controls, and in the branches of the contact law

#include "rigid/output_kernel.h"

#include "rigid/actuator_kernel.h"
#include "rigid/derive_kernel.h"
#include "rigid/motion_kernel.h"
#include "rigid/sensor_kernel.h"

VV_DIFF void vv_rigid_motion(const vvModel* m, const vvRigidPose* pose, const vvReal* v, const vvReal* a,
                             VV_WRITE_ONCE vvRigidMotion* motion) {
  vvMotion zero = {{0, 0, 0}, {0, 0, 0}};
  vvMotion fall = {{0, 0, 0}, {0, 0, 0}};
  if (!(m->disable & VV_DISABLE_GRAVITY)) fall.lin = vv_vec3_scale(-1, vv_vec3_load(m->opt_gravity, 0));
  vv_motion_store(motion->V, 0, zero);
  vv_motion_store(motion->A, 0, zero);
  vv_motion_store(motion->G, 0, fall);
  for (int i = 1; i < m->nbody; i++) {
    vvMotion V = vv_motion_load(motion->V, m->body_parent[i]);
    vvMotion A = vv_motion_load(motion->A, m->body_parent[i]);
    vvMotion G = vv_motion_load(motion->G, m->body_parent[i]);
    for (int k = 0; k < m->body_njnt[i]; k++) {
      int j = m->body_jnt[i] + k;
      int d = m->jnt_v[j];
      int turns = 1;  // dofs whose axes turn with what is outward of V
      if (m->jnt_type[j] == VV_JOINT_FREE || m->jnt_type[j] == VV_JOINT_BALL) turns = 3;
      if (m->jnt_type[j] == VV_JOINT_FREE) {  // axes of the world, at rest
        for (int c = 0; c < 3; c++) {
          vvMotion S = vv_motion_load(pose->S, d + c);
          V = vv_motion_muladd(V, v[d + c], S);
          A = vv_motion_muladd(A, a[d + c], S);
        }
        d = d + 3;
      }
      vvMotion turn = zero;
      for (int c = 0; c < turns; c++) {
        vvMotion S = vv_motion_load(pose->S, d + c);
        turn = vv_motion_muladd(turn, v[d + c], S);
        A = vv_motion_muladd(A, a[d + c], S);
      }
      G = vv_motion_muladd(G, 1, vv_motion_cross(V, turn));
      V = vv_motion_muladd(V, 1, turn);
    }
    vv_motion_store(motion->V, i, V);
    vv_motion_store(motion->A, i, A);
    vv_motion_store(motion->G, i, G);
  }
}

// ---- frames ---------------------------------------------------------------------------------------------------------

typedef struct vvOutputFrame {
  vvVec3 x;
  vvQuat Q;
} vvOutputFrame;

VV_DIFF static inline int frame_body(const vvModel* m, int type, int id) {
  int body = id;
  if (type == VV_FRAME_GEOM) body = m->geom_body[id];
  if (type == VV_FRAME_SITE) body = m->site_body[id];
  return body;
}

// axes: of inertial frames, as vvOutputItem has them.
VV_DIFF static inline vvOutputFrame frame_of(const vvModel* m, const vvRigidPose* pose, int type, int id, int axes) {
  int body = frame_body(m, type, id);
  vvQuat Q = vv_quat_load(pose->xquat, 4 * body);
  vvVec3 local = {0, 0, 0};
  vvQuat turn = {1, 0, 0, 0};
  if (type == VV_FRAME_GEOM) {
    local = vv_vec3_load(m->geom_lpos, 3 * id);
    turn = vv_quat_load(m->geom_lquat, 4 * id);
  } else if (type == VV_FRAME_SITE) {
    local = vv_vec3_load(m->site_lpos, 3 * id);
    turn = vv_quat_load(m->site_lquat, 4 * id);
  } else if (type == VV_FRAME_BODY) {
    local = vv_body_center(m, body);
    if (axes >= 0) {
      turn = vv_quat_load(m->geom_lquat, 4 * axes);
    } else if (axes == VV_AXES_DIAGONAL) {
      turn = vv_quat_normalize(vv_stated_quat(m->body_iquat0, m->body_irot, body));
    } else if (axes == VV_AXES_NONE) {
      turn = vv_quat_normalize(vv_stated_quat(m->body_quat0, m->body_rot, body));
    }
  }
  vvOutputFrame f = {vv_vec3_add(vv_vec3_load(pose->xpos, 3 * body), vv_quat_rotate(Q, local)), vv_quat_mul(Q, turn)};
  return f;
}

// Velocity at point x of body i, world axes.
VV_DIFF static inline vvMotion velocity_at(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvReal* V, int i,
                                           vvVec3 x) {
  return vv_motion_at(vv_motion_load(V, i), vv_tree_ref(m, ref, i), x);
}

// Acceleration of the material point x of body i, minus gravity.
VV_DIFF static inline vvMotion acceleration_at(const vvModel* m, VV_NO_DIFF const vvReal* ref,
                                               const vvRigidMotion* motion, int i, vvVec3 x) {
  vvMotion v = velocity_at(m, ref, motion->V, i, x);
  vvMotion sum = vv_motion_muladd(vv_motion_load(motion->A, i), 1, vv_motion_load(motion->G, i));
  vvMotion r = vv_motion_at(sum, vv_tree_ref(m, ref, i), x);
  r.lin = vv_vec3_add(r.lin, vv_vec3_cross(v.ang, v.lin));
  return r;
}

VV_DIFF static inline vvVec3 frame_axis(vvQuat Q, int kind) {
  vvVec3 e = {0, 0, 1};
  if (kind == VV_SENSOR_FRAMEXAXIS) e = vv_vec3(1, 0, 0);
  if (kind == VV_SENSOR_FRAMEYAXIS) e = vv_vec3(0, 1, 0);
  return vv_quat_rotate(Q, e);
}

// The vector that a frame kind measures (all but framequat), before its reference frame.
VV_DIFF static inline vvVec3 frame_vector(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidMotion* motion,
                                          int kind, int body, vvOutputFrame f) {
  vvVec3 r = f.x;
  if (kind == VV_SENSOR_FRAMELINVEL || kind == VV_SENSOR_FRAMEANGVEL) {
    vvMotion v = velocity_at(m, ref, motion->V, body, f.x);
    r = v.lin;
    if (kind == VV_SENSOR_FRAMEANGVEL) r = v.ang;
  } else if (kind == VV_SENSOR_FRAMELINACC || kind == VV_SENSOR_FRAMEANGACC) {
    vvMotion a = acceleration_at(m, ref, motion, body, f.x);
    r = a.lin;
    if (kind == VV_SENSOR_FRAMEANGACC) r = a.ang;
  } else if (kind != VV_SENSOR_FRAMEPOS) {
    r = frame_axis(f.Q, kind);
  }
  return r;
}

// The same seen from a reference frame at p with orientation P.
VV_DIFF static inline vvVec3 seen_from(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidMotion* motion,
                                       int kind, vvVec3 value, vvOutputFrame f, int body, vvOutputFrame g) {
  vvVec3 r = value;
  if (kind == VV_SENSOR_FRAMEPOS) {
    r = vv_vec3_sub(r, g.x);
  } else if (kind == VV_SENSOR_FRAMELINVEL || kind == VV_SENSOR_FRAMEANGVEL) {
    vvMotion v = velocity_at(m, ref, motion->V, body, g.x);
    if (kind == VV_SENSOR_FRAMEANGVEL) {
      r = vv_vec3_sub(r, v.ang);
    } else {
      r = vv_vec3_sub(vv_vec3_sub(r, v.lin), vv_vec3_cross(v.ang, vv_vec3_sub(f.x, g.x)));
    }
  }
  return vv_quat_rotate(vv_quat_conj(g.Q), r);
}

// ---- energy ---------------------------------------------------------------------------------------------------------

// Squared length of the rotation vector from quaternion at b to the one at a.
VV_DIFF static inline vvReal turn_squared(const vvReal* a, const vvReal* b, int iq) {
  vvQuat from = vv_quat_load(b, iq);
  vvVec3 r = vv_quat_log(vv_quat_mul(vv_quat_conj(from), vv_quat_normalize(vv_quat_load(a, iq))));
  return vv_vec3_dot(r, r);
}

// - sum mass gravity.center + sum k/2 |q - q_spring|^2
VV_DIFF static vvReal potential_energy(const vvModel* m, const vvRigidPose* pose, const vvReal* q) {
  vvReal sum = 0;
  for (int i = 1; i < m->nbody; i++) {
    vvVec3 c = vv_quat_rotate(vv_quat_load(pose->xquat, 4 * i), vv_vec3_load(m->body_inertia10, 10 * i + 1));
    vvVec3 p = vv_vec3_muladd(c, m->body_inertia10[10 * i], vv_vec3_load(pose->xpos, 3 * i));
    if (!(m->disable & VV_DISABLE_GRAVITY)) sum -= vv_vec3_dot(vv_vec3_load(m->opt_gravity, 0), p);
  }
  for (int j = 0; j < m->njnt; j++) {
    int iq = m->jnt_q[j];
    vvReal s = 0;
    if (m->jnt_type[j] == VV_JOINT_FREE) {
      vvVec3 d = vv_vec3_sub(vv_vec3_load(q, iq), vv_vec3_load(m->qpos_spring, iq));
      s = vv_vec3_dot(d, d) + turn_squared(q, m->qpos_spring, iq + 3);
    } else if (m->jnt_type[j] == VV_JOINT_BALL) {
      s = turn_squared(q, m->qpos_spring, iq);
    } else {
      s = (q[iq] - m->qpos_spring[iq]) * (q[iq] - m->qpos_spring[iq]);
    }
    if (!(m->disable & VV_DISABLE_SPRING)) sum += m->jnt_stiffness[j] * s / 2;
  }
  return sum;
}

// v' M v / 2, by bodies and armatures.
VV_DIFF static vvReal kinetic_energy(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                     const vvReal* v, const vvReal* V) {
  vvReal sum = 0;
  for (int i = 1; i < m->nbody; i++) {
    vvMotion b = vv_motion_in_body(vv_mat3_load(pose->xmat, 9 * i), vv_vec3_load(pose->xpos, 3 * i),
                                   vv_tree_ref(m, ref, i), vv_motion_load(V, i));
    vvMotion p = vv_body_momentum(m, i, b);
    sum += (vv_vec3_dot(b.ang, p.ang) + vv_vec3_dot(b.lin, p.lin)) / 2;
  }
  for (int d = 0; d < m->nv; d++) sum += m->jnt_armature[m->dof_jnt[d]] * v[d] * v[d] / 2;
  return sum;
}

// ---- contact --------------------------------------------------------------------------------------------------------

// Total force of the contacts between geoms a and b on b, world axes.
VV_DIFF static vvVec3 contact_force_between(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                            const vvRigidMotion* motion, VV_NO_DIFF const vvContactFeature* contacts,
                                            int ncontact, int a, int b) {
  vvVec3 sum = {0, 0, 0};
  for (int k = 0; k < ncontact; k++) {
    int g1 = contacts[k].geom1;
    int g2 = contacts[k].geom2;
    if ((g1 == a && g2 == b) || (g1 == b && g2 == a)) {
      vvReal s = 1;
      if (g1 == b) s = -1;
      vvContactPoint p = vv_contact_evaluate(m, pose->xpos, pose->xquat, contacts, k);
      vvContactMotion f = vv_contact_force_of(m, ref, motion->V, motion->A, g1, g2, contacts[k].dim, p);
      sum = vv_vec3_muladd(sum, s * f.n, p.normal);
      sum = vv_vec3_muladd(sum, s * f.t1, p.tangent1);
      sum = vv_vec3_muladd(sum, s * f.t2, p.tangent2);
    }
  }
  return sum;
}

// ---- items ----------------------------------------------------------------------------------------------------------

VV_DIFF static inline void put3(vvReal* value, vvVec3 a) {
  value[0] = a.x;
  value[1] = a.y;
  value[2] = a.z;
}

VV_DIFF static inline void put4(vvReal* value, int i, vvQuat a) {
  value[i] = a.w;
  value[i + 1] = a.x;
  value[i + 2] = a.y;
  value[i + 3] = a.z;
}

// Position or velocity of a joint, all its components.
VV_DIFF static inline void joint_value(const vvModel* m, const vvReal* q, const vvReal* v, int kind, int j,
                                       vvReal* value) {
  int iq = m->jnt_q[j];
  int d = m->jnt_v[j];
  int type = m->jnt_type[j];
  if (kind == VV_OUTPUT_JOINTPOS || kind == VV_SENSOR_JOINTPOS || kind == VV_SENSOR_BALLQUAT) {
    if (type == VV_JOINT_FREE) {
      put3(value, vv_vec3_load(q, iq));
      put4(value, 3, vv_quat_normalize(vv_quat_load(q, iq + 3)));
    } else if (type == VV_JOINT_BALL) {
      put4(value, 0, vv_quat_normalize(vv_quat_load(q, iq)));
    } else {
      value[0] = q[iq];
    }
  } else {
    value[0] = v[d];
    if (type == VV_JOINT_FREE || type == VV_JOINT_BALL) {
      value[1] = v[d + 1];
      value[2] = v[d + 2];
    }
    if (type == VV_JOINT_FREE) {
      value[3] = v[d + 3];
      value[4] = v[d + 4];
      value[5] = v[d + 5];
    }
  }
}

VV_DIFF static void frame_value(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                const vvRigidMotion* motion, const vvOutputItem* items, int i, vvReal* value) {
  int kind = items[i].kind;
  vvOutputFrame f = frame_of(m, pose, items[i].objtype, items[i].obj, items[i].objaxes);
  vvOutputFrame g = {{0, 0, 0}, {1, 0, 0, 0}};
  if (items[i].ref >= 0) g = frame_of(m, pose, items[i].reftype, items[i].ref, items[i].refaxes);
  if (kind == VV_SENSOR_FRAMEQUAT) {
    vvQuat Q = f.Q;
    if (items[i].ref >= 0) Q = vv_quat_mul(vv_quat_conj(g.Q), f.Q);
    put4(value, 0, Q);
  } else {
    vvVec3 r = frame_vector(m, ref, motion, kind, frame_body(m, items[i].objtype, items[i].obj), f);
    if (items[i].ref >= 0) {
      r = seen_from(m, ref, motion, kind, r, f, frame_body(m, items[i].reftype, items[i].ref), g);
    }
    put3(value, r);
  }
}

// Sensors at a site, in its axes.
VV_DIFF static void site_value(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                               const vvRigidMotion* motion, const vvContactFeature* contacts, int ncontact,
                               const vvOutputItem* items, int i, vvReal* value) {
  int kind = items[i].kind;
  int body = m->site_body[items[i].obj];
  vvOutputFrame f = frame_of(m, pose, VV_FRAME_SITE, items[i].obj, VV_AXES_NONE);
  vvVec3 r = {0, 0, 0};
  if (kind == VV_SENSOR_GYRO) {
    r = frame_vector(m, ref, motion, VV_SENSOR_FRAMEANGVEL, body, f);
  } else if (kind == VV_SENSOR_VELOCIMETER) {
    r = frame_vector(m, ref, motion, VV_SENSOR_FRAMELINVEL, body, f);
  } else if (kind == VV_SENSOR_ACCELEROMETER) {
    r = frame_vector(m, ref, motion, VV_SENSOR_FRAMELINACC, body, f);
  } else {
    vvMotion force = vv_subtree_force(m, ref, pose, motion, contacts, ncontact, body, items[i].last, f.x);
    r = force.lin;
    if (kind == VV_SENSOR_TORQUE) r = force.ang;
  }
  put3(value, vv_quat_rotate(vv_quat_conj(f.Q), r));
}

VV_DIFF static void subtree_value(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose,
                                  const vvRigidMotion* motion, const vvOutputItem* items, int i, vvReal* value) {
  int first = items[i].obj;
  int last = items[i].last;
  vvVec3 r = vv_subtree_center(m, pose, first, last);
  if (items[i].kind != VV_SENSOR_SUBTREECOM) {
    vvMotion p = vv_subtree_momentum(m, ref, pose, motion->V, first, last, r);
    r = p.ang;
    if (items[i].kind == VV_SENSOR_SUBTREELINVEL) {
      vvSubtreeMass sum = vv_subtree_mass(m, pose, first, last);
      r = vv_vec3(0, 0, 0);
      if (sum.mass >= (vvReal)1e-15) r = vv_vec3_scale(1 / sum.mass, p.lin);
    }
  }
  put3(value, r);
}

VV_DIFF void vv_rigid_output(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose, const vvReal* q,
                             const vvReal* v, const vvReal* act, const vvReal* ctrl, const vvRigidMotion* motion,
                             VV_NO_DIFF const vvContactFeature* contacts, int ncontact, const vvOutputItem* items,
                             int nitem, vvReal* out) {
  for (int i = 0; i < nitem; i++) {
    int kind = items[i].kind;
    int obj = items[i].obj;
    vvReal value[7] = {0, 0, 0, 0, 0, 0, 0};
    if (kind >= VV_SENSOR_FRAMEPOS && kind <= VV_SENSOR_FRAMEANGACC) {
      frame_value(m, ref, pose, motion, items, i, value);
    } else if (kind >= VV_SENSOR_GYRO && kind <= VV_SENSOR_TORQUE) {
      site_value(m, ref, pose, motion, contacts, ncontact, items, i, value);
    } else if (kind == VV_SENSOR_TOUCH) {
      vvOutputFrame f = frame_of(m, pose, VV_FRAME_SITE, obj, VV_AXES_NONE);
      value[0] = vv_touch_force(m, ref, pose, motion, contacts, ncontact, obj, f.x, f.Q);
    } else if (kind >= VV_SENSOR_SUBTREECOM && kind <= VV_SENSOR_SUBTREEANGMOM) {
      subtree_value(m, ref, pose, motion, items, i, value);
    } else if (kind == VV_OUTPUT_BODYANGVEL) {
      vvMotion V = vv_motion_load(motion->V, obj);
      put3(value, vv_mat3_mul_t(vv_mat3_load(pose->xmat, 9 * obj), V.ang));
    } else if (kind == VV_OUTPUT_ACTUATORFORCE) {
      if (!(m->disable & VV_DISABLE_ACTUATION)) value[0] = vv_actuator_force(m, q, v, act, ctrl, obj);
    } else if (kind == VV_OUTPUT_CONTACTFORCE) {
      put3(value, contact_force_between(m, ref, pose, motion, contacts, ncontact, obj, items[i].ref));
    } else if (kind == VV_OUTPUT_ENERGYPOTENTIAL) {
      value[0] = potential_energy(m, pose, q);
    } else if (kind == VV_OUTPUT_ENERGYKINETIC) {
      value[0] = kinetic_energy(m, ref, pose, v, motion->V);
    } else if (kind == VV_OUTPUT_QPOS) {
      value[0] = q[obj];
    } else if (kind == VV_OUTPUT_QVEL) {
      value[0] = v[obj];
    } else if (kind == VV_OUTPUT_ACT) {
      value[0] = act[obj];
    } else if (kind != VV_OUTPUT_ZERO) {
      joint_value(m, q, v, kind, obj, value);
    }
    vvReal cutoff = 0;
    if (items[i].sensor >= 0) cutoff = m->sensor_cutoff[items[i].sensor];
    for (int k = 0; k < items[i].dim; k++) {
      vvReal x = value[items[i].first + k];
      if (cutoff > 0) x = vv_clamp(x, -cutoff, cutoff);
      out[items[i].adr + k] = x;
    }
  }
}
