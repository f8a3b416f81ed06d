// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// fields.c: the tables of vvModel's arrays: reals with unit, typical size and sign, and integers. Order within a
// section is the order of the numbers' names.

#include "model/layout.h"

#define P VV_SECTION_PRIMARY
#define D VV_SECTION_DERIVED
#define B VV_SECTION_BULK
#define AT(member) offsetof(vvModel, member)

enum { FREE = -1, NOT_NEGATIVE = 0, POSITIVE = 1, NQ = 0, NV = -1, NA = -2, NU = -3 };

static const vvField fields[] = {
    // primary
    {VV_ELEMENT_OPTION, P, 1, AT(opt_timestep), "timestep", "s", (vvReal)0.002, POSITIVE},
    {VV_ELEMENT_OPTION, P, 3, AT(opt_gravity), "gravity", "m/s2", (vvReal)9.81, FREE},
    {VV_ELEMENT_OPTION, P, 1, AT(opt_impratio), "impratio", "", 1, POSITIVE},
    {VV_ELEMENT_OPTION, P, 3, AT(opt_wind), "wind", "m/s", 1, FREE},
    {VV_ELEMENT_OPTION, P, 1, AT(opt_density), "density", "kg/m3", 1, NOT_NEGATIVE},
    {VV_ELEMENT_OPTION, P, 1, AT(opt_viscosity), "viscosity", "Pa s", (vvReal)0.001, NOT_NEGATIVE},
    {VV_ELEMENT_COMPILER, P, 1, AT(compiler_settotalmass), "settotalmass", "kg", 1, POSITIVE},
    {VV_ELEMENT_COMPILER, P, 1, AT(compiler_boundmass), "boundmass", "kg", 1, NOT_NEGATIVE},
    {VV_ELEMENT_COMPILER, P, 1, AT(compiler_boundinertia), "boundinertia", "kg m2", (vvReal)0.01, NOT_NEGATIVE},
    {VV_ELEMENT_FRAME, P, 3, AT(frame_pos), "pos", "m", (vvReal)0.1, FREE},
    {VV_ELEMENT_FRAME, P, 3, AT(frame_rot), "rot", "rad", 1, FREE},
    {VV_ELEMENT_BODY, P, 3, AT(body_pos), "pos", "m", (vvReal)0.1, FREE},
    {VV_ELEMENT_BODY, P, 3, AT(body_rot), "rot", "rad", 1, FREE},
    {VV_ELEMENT_BODY, P, 1, AT(body_mass), "mass", "kg", 1, POSITIVE},
    {VV_ELEMENT_BODY, P, 3, AT(body_ipos), "ipos", "m", (vvReal)0.1, FREE},
    {VV_ELEMENT_BODY, P, 3, AT(body_irot), "irot", "rad", 1, FREE},
    {VV_ELEMENT_BODY, P, 3, AT(body_diaginertia), "diaginertia", "kg m2", (vvReal)0.01, POSITIVE},
    {VV_ELEMENT_BODY, P, 6, AT(body_fullinertia), "fullinertia", "kg m2", (vvReal)0.01, FREE},
    {VV_ELEMENT_BODY, P, 1, AT(body_gravcomp), "gravcomp", "", 1, FREE},
    {VV_ELEMENT_JOINT, P, 3, AT(jnt_pos), "pos", "m", (vvReal)0.1, FREE},
    {VV_ELEMENT_JOINT, P, 3, AT(jnt_axis), "axis", "", 1, FREE},
    {VV_ELEMENT_JOINT, P, 2, AT(jnt_range), "range", "[m, rad]", 1, FREE},
    {VV_ELEMENT_JOINT, P, 1, AT(jnt_stiffness), "stiffness", "[N/m, N m/rad]", 1, NOT_NEGATIVE},
    {VV_ELEMENT_JOINT, P, 1, AT(jnt_damping), "damping", "[N s/m, N m s/rad]", 1, NOT_NEGATIVE},
    {VV_ELEMENT_JOINT, P, 1, AT(jnt_armature), "armature", "[kg, kg m2]", (vvReal)0.01, NOT_NEGATIVE},
    {VV_ELEMENT_JOINT, P, 1, AT(jnt_ref), "ref", "[m, rad]", 1, FREE},
    {VV_ELEMENT_JOINT, P, 1, AT(jnt_springref), "springref", "[m, rad]", 1, FREE},
    {VV_ELEMENT_JOINT, P, 1, AT(jnt_margin), "margin", "[m, rad]", (vvReal)0.01, NOT_NEGATIVE},
    {VV_ELEMENT_JOINT, P, 2, AT(jnt_solref), "solreflimit", "[s, 1] or [1/s2, 1/s]", 1, FREE},
    {VV_ELEMENT_JOINT, P, 5, AT(jnt_solimp), "solimplimit", "[1, 1, m, 1, 1]", 1, NOT_NEGATIVE},
    {VV_ELEMENT_JOINT, P, 2, AT(jnt_actfrcrange), "actuatorfrcrange", "[N, N m]", 1, FREE},
    {VV_ELEMENT_JOINT, P, 1, AT(jnt_frictionloss), "frictionloss", "[N, N m]", (vvReal)0.1, NOT_NEGATIVE},
    {VV_ELEMENT_JOINT, P, 2, AT(jnt_friction_solref), "solreffriction", "[s, 1] or [1/s2, 1/s]", 1, FREE},
    {VV_ELEMENT_JOINT, P, 5, AT(jnt_friction_solimp), "solimpfriction", "[1, 1, m, 1, 1]", 1, NOT_NEGATIVE},
    {VV_ELEMENT_GEOM, P, 3, AT(geom_pos), "pos", "m", (vvReal)0.1, FREE},
    {VV_ELEMENT_GEOM, P, 3, AT(geom_rot), "rot", "rad", 1, FREE},
    {VV_ELEMENT_GEOM, P, 6, AT(geom_fromto), "fromto", "m", (vvReal)0.1, FREE},
    {VV_ELEMENT_GEOM, P, 3, AT(geom_size), "size", "m", (vvReal)0.1, POSITIVE},
    {VV_ELEMENT_GEOM, P, 1, AT(geom_density), "density", "kg/m3", 1000, NOT_NEGATIVE},
    {VV_ELEMENT_GEOM, P, 1, AT(geom_mass), "mass", "kg", 1, NOT_NEGATIVE},
    {VV_ELEMENT_GEOM, P, 3, AT(geom_friction), "friction", "[1, m, m]", 1, NOT_NEGATIVE},
    {VV_ELEMENT_GEOM, P, 2, AT(geom_solref), "solref", "[s, 1] or [1/s2, 1/s]", 1, FREE},
    {VV_ELEMENT_GEOM, P, 5, AT(geom_solimp), "solimp", "[1, 1, m, 1, 1]", 1, NOT_NEGATIVE},
    {VV_ELEMENT_GEOM, P, 1, AT(geom_solmix), "solmix", "", 1, NOT_NEGATIVE},
    {VV_ELEMENT_GEOM, P, 1, AT(geom_margin), "margin", "m", (vvReal)0.01, NOT_NEGATIVE},
    {VV_ELEMENT_GEOM, P, 1, AT(geom_gap), "gap", "m", (vvReal)0.01, NOT_NEGATIVE},
    {VV_ELEMENT_SITE, P, 3, AT(site_pos), "pos", "m", (vvReal)0.1, FREE},
    {VV_ELEMENT_SITE, P, 3, AT(site_rot), "rot", "rad", 1, FREE},
    {VV_ELEMENT_SITE, P, 6, AT(site_fromto), "fromto", "m", (vvReal)0.1, FREE},
    {VV_ELEMENT_ACTUATOR, P, 6, AT(actuator_gear), "gear", "[1, m]", 1, FREE},
    {VV_ELEMENT_ACTUATOR, P, 2, AT(actuator_ctrlrange), "ctrlrange", "", 1, FREE},
    {VV_ELEMENT_ACTUATOR, P, 2, AT(actuator_forcerange), "forcerange", "[N, N m]", 1, FREE},
    {VV_ELEMENT_ACTUATOR, P, 2, AT(actuator_actrange), "actrange", "", 1, FREE},
    {VV_ELEMENT_ACTUATOR, P, 2, AT(actuator_lengthrange), "lengthrange", "", 1, FREE},
    {VV_ELEMENT_ACTUATOR, P, 10, AT(actuator_gainprm), "gainprm", "", 1, FREE},
    {VV_ELEMENT_ACTUATOR, P, 10, AT(actuator_biasprm), "biasprm", "", 1, FREE},
    {VV_ELEMENT_ACTUATOR, P, 10, AT(actuator_dynprm), "dynprm", "", (vvReal)0.01, FREE},
    {VV_ELEMENT_TENDON, P, 2, AT(tendon_range), "range", "", 1, FREE},
    {VV_ELEMENT_TENDON, P, 2, AT(tendon_actfrcrange), "actuatorfrcrange", "N", 1, FREE},
    {VV_ELEMENT_TENDON, P, 1, AT(tendon_margin), "margin", "", (vvReal)0.01, NOT_NEGATIVE},
    {VV_ELEMENT_TENDON, P, 1, AT(tendon_stiffness), "stiffness", "", 1, NOT_NEGATIVE},
    {VV_ELEMENT_TENDON, P, 1, AT(tendon_damping), "damping", "", 1, NOT_NEGATIVE},
    {VV_ELEMENT_TENDON, P, 2, AT(tendon_springlength), "springlength", "", 1, FREE},
    {VV_ELEMENT_TENDON, P, 2, AT(tendon_solref), "solreflimit", "[s, 1] or [1/s2, 1/s]", 1, FREE},
    {VV_ELEMENT_TENDON, P, 5, AT(tendon_solimp), "solimplimit", "[1, 1, m, 1, 1]", 1, NOT_NEGATIVE},
    {VV_ELEMENT_WRAP, P, 1, AT(wrap_coef), "coef", "", 1, FREE},
    {VV_ELEMENT_SENSOR, P, 1, AT(sensor_cutoff), "cutoff", "", 1, NOT_NEGATIVE},
    {VV_ELEMENT_EQUALITY, P, 3, AT(eq_anchor), "anchor", "m", (vvReal)0.1, FREE},
    {VV_ELEMENT_EQUALITY, P, 3, AT(eq_relpos), "relpos", "m", (vvReal)0.1, FREE},
    {VV_ELEMENT_EQUALITY, P, 3, AT(eq_relrot), "relrot", "rad", 1, FREE},
    {VV_ELEMENT_EQUALITY, P, 1, AT(eq_torquescale), "torquescale", "m", 1, FREE},
    {VV_ELEMENT_EQUALITY, P, 5, AT(eq_polycoef), "polycoef", "[m, rad]", 1, FREE},
    {VV_ELEMENT_EQUALITY, P, 2, AT(eq_solref), "solref", "[s, 1] or [1/s2, 1/s]", 1, FREE},
    {VV_ELEMENT_EQUALITY, P, 5, AT(eq_solimp), "solimp", "[1, 1, m, 1, 1]", 1, NOT_NEGATIVE},
    // derived
    {VV_ELEMENT_BODY, D, 3, AT(body_lpos), "lpos", "m", 1, FREE},
    {VV_ELEMENT_BODY, D, 4, AT(body_lquat), "lquat", "", 1, FREE},
    {VV_ELEMENT_BODY, D, 10, AT(body_inertia10), "inertia10", "[kg, kg m, kg m2]", 1, FREE},
    {VV_ELEMENT_BODY, D, 2, AT(body_invweight), "invweight", "[1/kg, 1/(kg m2)]", 1, FREE},
    {VV_ELEMENT_BODY, D, 4, AT(body_axes), "axes", "", 1, FREE},
    {VV_ELEMENT_BODY, D, 3, AT(body_box), "box", "m", 1, FREE},
    {VV_ELEMENT_DOF, D, 1, AT(dof_invweight), "invweight", "[1/kg, 1/(kg m2)]", 1, FREE},
    {VV_ELEMENT_JOINT, D, 3, AT(jnt_lpos), "lpos", "m", 1, FREE},
    {VV_ELEMENT_JOINT, D, 3, AT(jnt_laxis), "laxis", "", 1, FREE},
    {VV_ELEMENT_GEOM, D, 3, AT(geom_lpos), "lpos", "m", 1, FREE},
    {VV_ELEMENT_GEOM, D, 4, AT(geom_lquat), "lquat", "", 1, FREE},
    {VV_ELEMENT_GEOM, D, 3, AT(geom_dim), "dim", "m", 1, FREE},
    {VV_ELEMENT_SITE, D, 3, AT(site_lpos), "lpos", "m", 1, FREE},
    {VV_ELEMENT_SITE, D, 4, AT(site_lquat), "lquat", "", 1, FREE},
    {VV_ELEMENT_ACTUATOR, D, 10, AT(actuator_gain), "gain", "", 1, FREE},
    {VV_ELEMENT_ACTUATOR, D, 10, AT(actuator_bias), "bias", "", 1, FREE},
    {VV_ELEMENT_ACTUATOR, D, 10, AT(actuator_dyn), "dyn", "", 1, FREE},
    {VV_ELEMENT_ACTUATOR, D, 1, AT(actuator_acc0), "acc0", "", 1, FREE},
    {VV_ELEMENT_TENDON, D, 2, AT(tendon_spring), "spring", "", 1, FREE},
    {VV_ELEMENT_TENDON, D, 1, AT(tendon_invweight), "invweight", "", 1, FREE},
    {VV_ELEMENT_EQUALITY, D, 3, AT(eq_point1), "point1", "m", 1, FREE},
    {VV_ELEMENT_EQUALITY, D, 3, AT(eq_point2), "point2", "m", 1, FREE},
    {VV_ELEMENT_EQUALITY, D, 4, AT(eq_quat1), "quat1", "", 1, FREE},
    {VV_ELEMENT_EQUALITY, D, 4, AT(eq_quat2), "quat2", "", 1, FREE},
    {VV_ELEMENT_OPTION, D, NQ, AT(qpos0), "qpos0", "[m, rad]", 1, FREE},
    {VV_ELEMENT_OPTION, D, NQ, AT(qpos_spring), "qpos_spring", "[m, rad]", 1, FREE},
    // bulk
    {VV_ELEMENT_FRAME, B, 4, AT(frame_quat0), "quat0", "", 1, FREE},
    {VV_ELEMENT_BODY, B, 4, AT(body_quat0), "quat0", "", 1, FREE},
    {VV_ELEMENT_BODY, B, 4, AT(body_iquat0), "iquat0", "", 1, FREE},
    {VV_ELEMENT_GEOM, B, 4, AT(geom_quat0), "quat0", "", 1, FREE},
    {VV_ELEMENT_SITE, B, 4, AT(site_quat0), "quat0", "", 1, FREE},
    {VV_ELEMENT_SITE, B, 3, AT(site_size), "size", "m", (vvReal)0.1, FREE},
    {VV_ELEMENT_EQUALITY, B, 4, AT(eq_relquat0), "relquat0", "", 1, FREE},
    {VV_ELEMENT_KEY, B, 1, AT(key_time), "time", "s", 1, FREE},
    {VV_ELEMENT_KEY, B, NQ, AT(key_qpos), "qpos", "[m, rad]", 1, FREE},
    {VV_ELEMENT_KEY, B, NV, AT(key_qvel), "qvel", "[m/s, rad/s]", 1, FREE},
    {VV_ELEMENT_KEY, B, NA, AT(key_act), "act", "", 1, FREE},
    {VV_ELEMENT_KEY, B, NU, AT(key_ctrl), "ctrl", "", 1, FREE},
    {VV_ELEMENT_OPTION, B, 0, 0, NULL, NULL, 0, 0}};

const vvField* vv_model_fields(void) {
  return fields;
}

int vv_model_count(const vvModel* m, vvElement element) {
  switch (element) {
    case VV_ELEMENT_OPTION:
    case VV_ELEMENT_COMPILER:
      return 1;
    case VV_ELEMENT_FRAME:
      return m->nframe;
    case VV_ELEMENT_BODY:
      return m->nbody;
    case VV_ELEMENT_JOINT:
      return m->njnt;
    case VV_ELEMENT_DOF:
      return m->nv;
    case VV_ELEMENT_GEOM:
      return m->ngeom;
    case VV_ELEMENT_SITE:
      return m->nsite;
    case VV_ELEMENT_TENDON:
      return m->ntendon;
    case VV_ELEMENT_WRAP:
      return m->nwrap;
    case VV_ELEMENT_ACTUATOR:
      return m->nu;
    case VV_ELEMENT_SENSOR:
      return m->nsensor;
    case VV_ELEMENT_EQUALITY:
      return m->neq;
    case VV_ELEMENT_KEY:
      return m->nkey;
    case VV_ELEMENT_COUNT:
      break;
  }
  return 0;
}

int vv_field_width(const vvModel* m, const vvField* field) {
  switch (field->width) {
    case NQ:
      return m->nq;
    case NV:
      return m->nv;
    case NA:
      return m->na;
    case NU:
      return m->nu;
    default:
      return field->width;
  }
}

vvReal* vv_field_data(const vvModel* m, const vvField* field) {
  return *(vvReal* const*)(const void*)((const unsigned char*)m + field->offset);
}

static const vvIntField int_fields[] = {{VV_COUNT_FRAME, 1, AT(frame_parent)},
                                        {VV_COUNT_BODY, 1, AT(body_parent)},
                                        {VV_COUNT_BODY, 1, AT(body_frame)},
                                        {VV_COUNT_BODY, 1, AT(body_jnt)},
                                        {VV_COUNT_BODY, 1, AT(body_njnt)},
                                        {VV_COUNT_BODY, 1, AT(body_dof)},
                                        {VV_COUNT_BODY, 1, AT(body_ndof)},
                                        {VV_COUNT_BODY, 1, AT(body_geom)},
                                        {VV_COUNT_BODY, 1, AT(body_ngeom)},
                                        {VV_COUNT_BODY, 1, AT(body_tree)},
                                        {VV_COUNT_BODY, 1, AT(body_weld)},
                                        {VV_COUNT_BODY, 1, AT(body_inertia)},
                                        {VV_COUNT_BODY, 1, AT(body_alone)},
                                        {VV_COUNT_JOINT, 1, AT(jnt_type)},
                                        {VV_COUNT_JOINT, 1, AT(jnt_body)},
                                        {VV_COUNT_JOINT, 1, AT(jnt_frame)},
                                        {VV_COUNT_JOINT, 1, AT(jnt_q)},
                                        {VV_COUNT_JOINT, 1, AT(jnt_v)},
                                        {VV_COUNT_JOINT, 1, AT(jnt_limited)},
                                        {VV_COUNT_JOINT, 1, AT(jnt_actfrclimited)},
                                        {VV_COUNT_DOF, 1, AT(dof_body)},
                                        {VV_COUNT_DOF, 1, AT(dof_jnt)},
                                        {VV_COUNT_DOF, 1, AT(dof_parent)},
                                        {VV_COUNT_GEOM, 1, AT(geom_type)},
                                        {VV_COUNT_GEOM, 1, AT(geom_body)},
                                        {VV_COUNT_GEOM, 1, AT(geom_frame)},
                                        {VV_COUNT_GEOM, 1, AT(geom_isfromto)},
                                        {VV_COUNT_GEOM, 1, AT(geom_mkind)},
                                        {VV_COUNT_GEOM, 1, AT(geom_shell)},
                                        {VV_COUNT_GEOM, 1, AT(geom_contype)},
                                        {VV_COUNT_GEOM, 1, AT(geom_conaffinity)},
                                        {VV_COUNT_GEOM, 1, AT(geom_condim)},
                                        {VV_COUNT_GEOM, 1, AT(geom_priority)},
                                        {VV_COUNT_GEOM, 1, AT(geom_group)},
                                        {VV_COUNT_PAIR, 2, AT(pair_geom)},
                                        {VV_COUNT_SITE, 1, AT(site_body)},
                                        {VV_COUNT_SITE, 1, AT(site_frame)},
                                        {VV_COUNT_SITE, 1, AT(site_isfromto)},
                                        {VV_COUNT_SITE, 1, AT(site_type)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_kind)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_trntype)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_trnid)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_ref)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_stop)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_wrap)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_disabled)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_dyntype)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_gaintype)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_biastype)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_act)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_actlimited)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_actearly)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_damping)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_ctrllimited)},
                                        {VV_COUNT_ACTUATOR, 1, AT(actuator_forcelimited)},
                                        {VV_COUNT_TENDON, 1, AT(tendon_wrap)},
                                        {VV_COUNT_TENDON, 1, AT(tendon_num)},
                                        {VV_COUNT_TENDON, 1, AT(tendon_limited)},
                                        {VV_COUNT_TENDON, 1, AT(tendon_actfrclimited)},
                                        {VV_COUNT_TENDON, 1, AT(tendon_isrest)},
                                        {VV_COUNT_WRAP, 1, AT(wrap_jnt)},
                                        {VV_COUNT_WRAP, 1, AT(wrap_tendon)},
                                        {VV_COUNT_SENSOR, 1, AT(sensor_type)},
                                        {VV_COUNT_SENSOR, 1, AT(sensor_obj)},
                                        {VV_COUNT_SENSOR, 1, AT(sensor_objtype)},
                                        {VV_COUNT_SENSOR, 1, AT(sensor_ref)},
                                        {VV_COUNT_SENSOR, 1, AT(sensor_reftype)},
                                        {VV_COUNT_SENSOR, 1, AT(sensor_adr)},
                                        {VV_COUNT_SENSOR, 1, AT(sensor_dim)},
                                        {VV_COUNT_EQUALITY, 1, AT(eq_type)},
                                        {VV_COUNT_EQUALITY, 1, AT(eq_active)},
                                        {VV_COUNT_EQUALITY, 1, AT(eq_issite)},
                                        {VV_COUNT_EQUALITY, 1, AT(eq_obj1)},
                                        {VV_COUNT_EQUALITY, 1, AT(eq_obj2)},
                                        {VV_COUNT_EQUALITY, 1, AT(eq_body1)},
                                        {VV_COUNT_EQUALITY, 1, AT(eq_body2)},
                                        {VV_COUNT_EQUALITY, 1, AT(eq_isrel)},
                                        {VV_COUNT_FRAME, 0, 0}};

const vvIntField* vv_model_int_fields(void) {
  return int_fields;
}
