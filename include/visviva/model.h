// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// model.h: the compiled scene. A model is read-only for every solver; its reals lie in one block of three sections,
// primary | derived | bulk, so that the gradient of a model is a model (vv_model_shadow_*): the same struct with its
// real pointers moved to another block of the same layout.
//
//   primary   the numbers of the scene as its file states them, SI and radians; each has a name (vvNumber)
//   derived   computed from the primary ones by VV_DIFF functions (vv_model_derive); never set by hand
//   bulk      constants and large data: stated orientations, keyframes
//
// Frames: "local" is the parent body's frame. Quaternions are (w, x, y, z), body to world.

#ifndef VISVIVA_MODEL_H_
#define VISVIVA_MODEL_H_

#include "visviva/base.h"
#include "visviva/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum vvJointType { VV_JOINT_FREE = 0, VV_JOINT_BALL = 1, VV_JOINT_SLIDE = 2, VV_JOINT_HINGE = 3 } vvJointType;

typedef enum vvGeomType {  // in this order geoms of a pair are sorted
  VV_GEOM_PLANE = 0,
  VV_GEOM_SPHERE = 2,
  VV_GEOM_CAPSULE = 3,
  VV_GEOM_ELLIPSOID = 4,
  VV_GEOM_CYLINDER = 5,
  VV_GEOM_BOX = 6
} vvGeomType;

typedef enum vvIntegrator {  // the format's numbers
  VV_INTEGRATOR_EULER = 0,
  VV_INTEGRATOR_RK4 = 1,
  VV_INTEGRATOR_IMPLICIT = 2,     // implicit in all velocities
  VV_INTEGRATOR_IMPLICITFAST = 3  // without the Coriolis forces of bodies that hang together
} vvIntegrator;

typedef enum vvEqualityType { VV_EQ_CONNECT = 0, VV_EQ_WELD, VV_EQ_JOINT } vvEqualityType;

// What an actuator is stated as, and so which of its numbers are its own (docs/names.md).
typedef enum vvActuatorKind {
  VV_ACTUATOR_MOTOR = 0,
  VV_ACTUATOR_GENERAL,
  VV_ACTUATOR_POSITION,
  VV_ACTUATOR_VELOCITY,
  VV_ACTUATOR_INTVELOCITY,
  VV_ACTUATOR_DAMPER,
  VV_ACTUATOR_CYLINDER,
  VV_ACTUATOR_MUSCLE
} vvActuatorKind;

typedef enum vvTransmission { VV_TRN_JOINT = 0, VV_TRN_JOINTINPARENT, VV_TRN_TENDON, VV_TRN_SITE } vvTransmission;
typedef enum vvDynType {
  VV_DYN_NONE = 0,
  VV_DYN_INTEGRATOR,
  VV_DYN_FILTER,
  VV_DYN_FILTEREXACT,
  VV_DYN_MUSCLE
} vvDynType;
typedef enum vvGainType { VV_GAIN_FIXED = 0, VV_GAIN_AFFINE, VV_GAIN_MUSCLE } vvGainType;
typedef enum vvBiasType { VV_BIAS_NONE = 0, VV_BIAS_AFFINE, VV_BIAS_MUSCLE } vvBiasType;

typedef enum vvConeType { VV_CONE_PYRAMIDAL = 0, VV_CONE_ELLIPTIC = 1 } vvConeType;

// Bits of vvModel.disable, MJCF's option/flag; the bit values are those of the file format's documentation.
typedef enum vvDisableBit {
  VV_DISABLE_CONSTRAINT = 1 << 0,
  VV_DISABLE_EQUALITY = 1 << 1,
  VV_DISABLE_FRICTIONLOSS = 1 << 2,
  VV_DISABLE_LIMIT = 1 << 3,
  VV_DISABLE_CONTACT = 1 << 4,
  VV_DISABLE_SPRING = 1 << 5,
  VV_DISABLE_DAMPER = 1 << 6,
  VV_DISABLE_GRAVITY = 1 << 7,
  VV_DISABLE_CLAMPCTRL = 1 << 8,
  VV_DISABLE_WARMSTART = 1 << 9,
  VV_DISABLE_FILTERPARENT = 1 << 10,
  VV_DISABLE_ACTUATION = 1 << 11,
  VV_DISABLE_REFSAFE = 1 << 12,
  VV_DISABLE_SENSOR = 1 << 13,
  VV_DISABLE_MIDPHASE = 1 << 14,
  VV_DISABLE_EULERDAMP = 1 << 15
} vvDisableBit;

// How a body's inertia is stated.
typedef enum vvInertiaKind { VV_INERTIA_GEOMS = 0, VV_INERTIA_DIAGONAL = 1, VV_INERTIA_FULL = 2 } vvInertiaKind;

// How a geom's mass is stated: not part of any inertia, by density, by mass.
typedef enum vvGeomMassKind { VV_MASS_NONE = 0, VV_MASS_DENSITY = 1, VV_MASS_GIVEN = 2 } vvGeomMassKind;

typedef enum vvElement {  // what can carry a name
  VV_ELEMENT_OPTION = 0,
  VV_ELEMENT_COMPILER,
  VV_ELEMENT_FRAME,
  VV_ELEMENT_BODY,
  VV_ELEMENT_JOINT,
  VV_ELEMENT_DOF,
  VV_ELEMENT_GEOM,
  VV_ELEMENT_SITE,
  VV_ELEMENT_TENDON,
  VV_ELEMENT_WRAP,  // a joint of a fixed tendon; its numbers are named as the tendon's
  VV_ELEMENT_ACTUATOR,
  VV_ELEMENT_SENSOR,
  VV_ELEMENT_EQUALITY,
  VV_ELEMENT_KEY,
  VV_ELEMENT_COUNT
} vvElement;

typedef enum vvSection { VV_SECTION_PRIMARY = 0, VV_SECTION_DERIVED, VV_SECTION_BULK, VV_SECTION_COUNT } vvSection;

typedef struct vvModel {
  // sizes
  int nq;       // generalized positions
  int nv;       // degrees of freedom
  int na;       // actuator activations
  int nu;       // controls
  int nbody;    // bodies, body 0 is the world
  int njnt;     // joints
  int ngeom;    // geoms
  int nsite;    // sites
  int ntendon;  // fixed tendons
  int nwrap;    // joints of fixed tendons
  int nframe;   // frames, in file order; they exist only to carry numbers
  int ntree;    // kinematic trees
  int npair;    // geom pairs that may touch
  int nsensor;  // sensors
  int nsensordata;
  int neq;   // equality constraints
  int nkey;  // keyframes

  // options
  int disable;     // vvDisableBit
  int cone;        // vvConeType
  int integrator;  // vvIntegrator
  int settotal;    // 1: masses are scaled to compiler_settotalmass
  int balance;     // compiler balanceinertia
  int fluid;       // 1: a density or viscosity is stated, and passive forces act

  // frames                              nframe
  int* frame_parent;  // enclosing frame, -1: none (its body's frame)

  // bodies                              nbody
  int* body_parent;   // body, 0 for the world itself
  int* body_frame;    // enclosing frame, -1: none
  int* body_jnt;      // first joint, -1: none
  int* body_njnt;     // joints
  int* body_dof;      // first dof, -1: none
  int* body_ndof;     // dofs
  int* body_geom;     // first geom, -1: none
  int* body_ngeom;    // geoms; those of one body are neighbours
  int* body_tree;     // kinematic tree, -1: cannot move
  int* body_weld;     // body at the top of the group this one is welded to
  int* body_inertia;  // vvInertiaKind
  int* body_alone;    // 1: it has a free joint and carries nothing that moves or has mass

  // joints                              njnt
  int* jnt_type;           // vvJointType
  int* jnt_body;           // body that it moves
  int* jnt_frame;          // enclosing frame, -1: none
  int* jnt_q;              // first position
  int* jnt_v;              // first dof
  int* jnt_limited;        // 1: range holds
  int* jnt_actfrclimited;  // 1: actfrcrange holds

  // dofs                                nv
  int* dof_body;    // body
  int* dof_jnt;     // joint
  int* dof_parent;  // previous dof on the way to the root, -1: none

  // geoms                               ngeom
  int* geom_type;      // vvGeomType
  int* geom_body;      // body
  int* geom_frame;     // enclosing frame, -1: none
  int* geom_isfromto;  // 1: geom_fromto states pose and half length
  int* geom_mkind;     // vvGeomMassKind
  int* geom_shell;     // 1: mass on the surface
  int* geom_contype;
  int* geom_conaffinity;
  int* geom_condim;
  int* geom_priority;
  int* geom_group;

  // pairs                               npair
  int* pair_geom;  // 2 each, sorted by geom type

  // sites                               nsite
  int* site_body;
  int* site_frame;
  int* site_isfromto;
  int* site_type;  // vvGeomType, looks only

  // actuators                           nu
  int* actuator_kind;          // vvActuatorKind
  int* actuator_trntype;       // vvTransmission
  int* actuator_trnid;         // joint, tendon or site that it drives
  int* actuator_ref;           // reference site, -1: none
  int* actuator_stop;          // sites: lowest body that carries both, 0 without a reference
  int* actuator_wrap;          // 1: a servo on an angle: the turn of its input nearest to the length counts
  int* actuator_disabled;      // 1: its group is disabled
  int* actuator_dyntype;       // vvDynType
  int* actuator_gaintype;      // vvGainType
  int* actuator_biastype;      // vvBiasType
  int* actuator_act;           // its activation, -1: none
  int* actuator_actlimited;    // 1: actrange holds
  int* actuator_actearly;      // 1: the force comes from the activation after the step
  int* actuator_damping;       // 1: the bias's velocity gain follows from a damping ratio
  int* actuator_ctrllimited;   // 1: ctrlrange holds
  int* actuator_forcelimited;  // 1: forcerange holds

  // fixed tendons                       ntendon
  int* tendon_wrap;           // first joint
  int* tendon_num;            // joints
  int* tendon_limited;        // 1: range holds
  int* tendon_actfrclimited;  // 1: actfrcrange holds
  int* tendon_isrest;         // 1: the spring rests at the length of qpos_spring

  // joints of tendons                   nwrap
  int* wrap_jnt;     // joint, hinge or slide
  int* wrap_tendon;  // tendon

  // sensors                             nsensor
  int* sensor_type;     // vvSensorType (output.h)
  int* sensor_obj;      // id of the object
  int* sensor_objtype;  // vvFrameType (output.h)
  int* sensor_ref;      // id of the reference frame's object, -1: world
  int* sensor_reftype;  // vvFrameType
  int* sensor_adr;      // first entry of the sensor vector
  int* sensor_dim;

  // equality constraints                neq
  int* eq_type;    // vvEqualityType
  int* eq_active;  // 1: in effect
  int* eq_issite;  // connect, weld: 1 between two sites, 0 between two bodies
  int* eq_obj1;    // site, body or joint
  int* eq_obj2;    // -1: none
  int* eq_body1;   // connect, weld: the body; else 0
  int* eq_body2;
  int* eq_isrel;  // weld of bodies: 1: relpose is stated, 0: it is that of qpos0

  // ---- primary reals, as stated -----------------------------------------------------------------
  vvReal* opt_timestep;           // 1           [s]
  vvReal* opt_gravity;            // 3           [m/s2]
  vvReal* opt_impratio;           // 1           [1]
  vvReal* opt_wind;               // 3           [m/s]
  vvReal* opt_density;            // 1           of the fluid around                [kg/m3]
  vvReal* opt_viscosity;          // 1                                              [Pa s]
  vvReal* compiler_settotalmass;  // 1           [kg]
  vvReal* compiler_boundmass;     // 1           [kg]
  vvReal* compiler_boundinertia;  // 1           [kg m2]
  vvReal* frame_pos;              // nframe x 3  in the enclosing frame            [m]
  vvReal* frame_rot;              // nframe x 3  after frame_quat0, body axes      [rad]
  vvReal* body_pos;               // nbody x 3   in the enclosing frame            [m]
  vvReal* body_rot;               // nbody x 3   after body_quat0, body axes       [rad]
  vvReal* body_mass;              // nbody       stated inertials only             [kg]
  vvReal* body_ipos;              // nbody x 3   center of mass, body frame        [m]
  vvReal* body_irot;              // nbody x 3   after body_iquat0, own axes       [rad]
  vvReal* body_diaginertia;       // nbody x 3   about the center of mass          [kg m2]
  vvReal* body_fullinertia;       // nbody x 6   xx yy zz xy xz yz, body axes      [kg m2]
  vvReal* body_gravcomp;          // nbody       share of its weight that is borne    [1]
  vvReal* jnt_pos;                // njnt x 3    anchor in the body's frame        [m]
  vvReal* jnt_axis;               // njnt x 3    as stated, not normalised         [1]
  vvReal* jnt_range;              // njnt x 2                                      [m, rad]
  vvReal* jnt_stiffness;          // njnt                                          [N/m, N m/rad]
  vvReal* jnt_damping;            // njnt                                          [N s/m, N m s/rad]
  vvReal* jnt_armature;           // njnt                                          [kg, kg m2]
  vvReal* jnt_ref;                // njnt        position at qpos0                 [m, rad]
  vvReal* jnt_springref;          // njnt                                          [m, rad]
  vvReal* jnt_margin;             // njnt                                          [m, rad]
  vvReal* jnt_solref;             // njnt x 2    limit                             [s, 1] or [1/s2, 1/s]
  vvReal* jnt_solimp;             // njnt x 5    limit                             [1, 1, m, 1, 1]
  vvReal* jnt_actfrcrange;        // njnt x 2    of the sum over actuators         [N, N m]
  vvReal* jnt_frictionloss;       // njnt        most of dry friction              [N, N m]
  vvReal* jnt_friction_solref;    // njnt x 2    dry friction                      [s, 1] or [1/s2, 1/s]
  vvReal* jnt_friction_solimp;    // njnt x 5    dry friction                      [1, 1, m, 1, 1]
  vvReal* geom_pos;               // ngeom x 3   in the enclosing frame            [m]
  vvReal* geom_rot;               // ngeom x 3   after geom_quat0, geom axes       [rad]
  vvReal* geom_fromto;            // ngeom x 6   in the enclosing frame            [m]
  vvReal* geom_size;              // ngeom x 3   as stated                         [m]
  vvReal* geom_density;           // ngeom                                         [kg/m3]
  vvReal* geom_mass;              // ngeom                                         [kg]
  vvReal* geom_friction;          // ngeom x 3   sliding, torsional, rolling       [1, m, m]
  vvReal* geom_solref;            // ngeom x 2                                     [s, 1] or [1/s2, 1/s]
  vvReal* geom_solimp;            // ngeom x 5                                     [1, 1, m, 1, 1]
  vvReal* geom_solmix;            // ngeom                                         [1]
  vvReal* geom_margin;            // ngeom                                         [m]
  vvReal* geom_gap;               // ngeom                                         [m]
  vvReal* site_pos;               // nsite x 3   in the enclosing frame            [m]
  vvReal* site_rot;               // nsite x 3   after site_quat0, site axes       [rad]
  vvReal* site_fromto;            // nsite x 6   in the enclosing frame            [m]
  vvReal* actuator_gear;          // nu x 6                                        [1, m]
  vvReal* actuator_ctrlrange;     // nu x 2
  vvReal* actuator_forcerange;    // nu x 2                                        [N, N m]
  vvReal* actuator_actrange;      // nu x 2
  vvReal* actuator_lengthrange;   // nu x 2      of muscles
  vvReal* actuator_gainprm;       // nu x 10     as stated; see actuator_gain
  vvReal* actuator_biasprm;       // nu x 10
  vvReal* actuator_dynprm;        // nu x 10
  vvReal* tendon_range;           // ntendon x 2
  vvReal* tendon_actfrcrange;     // ntendon x 2  of the sum over actuators        [N]
  vvReal* tendon_margin;          // ntendon
  vvReal* tendon_stiffness;       // ntendon
  vvReal* tendon_damping;         // ntendon
  vvReal* tendon_springlength;    // ntendon x 2  where the spring rests, unless tendon_isrest
  vvReal* tendon_solref;          // ntendon x 2  limit
  vvReal* tendon_solimp;          // ntendon x 5  limit
  vvReal* wrap_coef;              // nwrap
  vvReal* sensor_cutoff;          // nsensor     0: none
  vvReal* eq_anchor;              // neq x 3     of body 1 (connect) or body 2 (weld)  [m]
  vvReal* eq_relpos;              // neq x 3     the anchor in body 1's frame          [m]
  vvReal* eq_relrot;              // neq x 3     after eq_relquat0, body 2's axes      [rad]
  vvReal* eq_torquescale;         // neq                                               [m]
  vvReal* eq_polycoef;            // neq x 5                                           [m, rad]
  vvReal* eq_solref;              // neq x 2                                           [s, 1] or [1/s2, 1/s]
  vvReal* eq_solimp;              // neq x 5                                           [1, 1, m, 1, 1]

  // ---- derived reals ------------------------------------------------------------------------------
  vvReal* body_lpos;         // nbody x 3   in the parent body's frame             [m]
  vvReal* body_lquat;        // nbody x 4   in the parent body's frame
  vvReal* body_inertia10;    // nbody x 10  mass, mass * center (3), moments about the body origin xx yy zz xy xz yz,
                             //             body axes                              [kg, kg m, kg m2]
  vvReal* body_invweight;    // nbody x 2   mean inverse inertia at the center of mass at qpos0: translation, rotation
                             //                                                    [1/kg, 1/(kg m2)]
  vvReal* body_axes;         // nbody x 4   principal axes in the body's frame, where there is a fluid
  vvReal* body_box;          // nbody x 3   edges of the box of its inertia, where there is a fluid    [m]
  vvReal* dof_invweight;     // nv          diagonal of inv(M) at qpos0, mean over the three dofs of a rotation or
                             //             translation
  vvReal* jnt_lpos;          // njnt x 3    anchor in the body's frame             [m]
  vvReal* jnt_laxis;         // njnt x 3    unit axis, body frame
  vvReal* geom_lpos;         // ngeom x 3   in the body's frame                    [m]
  vvReal* geom_lquat;        // ngeom x 4   in the body's frame
  vvReal* geom_dim;          // ngeom x 3   sizes in effect (fromto resolved)      [m]
  vvReal* site_lpos;         // nsite x 3   in the body's frame                    [m]
  vvReal* site_lquat;        // nsite x 4   in the body's frame
  vvReal* actuator_gain;     // nu x 10     parameters in effect
  vvReal* actuator_bias;     // nu x 10
  vvReal* actuator_dyn;      // nu x 10
  vvReal* actuator_acc0;     // nu          |inv(M) moment| at qpos0
  vvReal* tendon_spring;     // ntendon x 2 lengths between which the spring rests
  vvReal* tendon_invweight;  // ntendon     moment' inv(M) moment at qpos0
  vvReal* eq_point1;         // neq x 3     connect, weld: point of body 1, its frame   [m]
  vvReal* eq_point2;         // neq x 3     of body 2
  vvReal* eq_quat1;          // neq x 4     weld: what body 1 turned by it ...
  vvReal* eq_quat2;          // neq x 4     ... and body 2 turned by it shall have in common
  vvReal* qpos0;             // nq          configuration of the scene as stated   [m, rad]
  vvReal* qpos_spring;       // nq          configuration with springs at rest     [m, rad]

  // ---- bulk reals ---------------------------------------------------------------------------------
  vvReal* frame_quat0;  // nframe x 4
  vvReal* body_quat0;   // nbody x 4
  vvReal* body_iquat0;  // nbody x 4
  vvReal* geom_quat0;   // ngeom x 4
  vvReal* site_quat0;   // nsite x 4
  vvReal* site_size;    // nsite x 3   volume of touch sensors, half length of fromto included    [m]
  vvReal* eq_relquat0;  // neq x 4
  vvReal* key_time;     // nkey
  vvReal* key_qpos;     // nkey x nq
  vvReal* key_qvel;     // nkey x nv
  vvReal* key_act;      // nkey x na
  vvReal* key_ctrl;     // nkey x nu

  // ---- bookkeeping --------------------------------------------------------------------------------
  vvReal* reals;                               // the block
  size_t section_begin[VV_SECTION_COUNT + 1];  // in reals
  struct vvModelNames* names;                  // names of elements and numbers (names.h); shared by shadows
} vvModel;

// False where springs and dampers are both disabled, which takes compensation of gravity and fluid forces along.
static inline bool vv_model_has_passive(const vvModel* m) {
  return (m->disable & (VV_DISABLE_SPRING | VV_DISABLE_DAMPER)) != (VV_DISABLE_SPRING | VV_DISABLE_DAMPER);
}

// One array of the model. The table of all of them (vv_model_fields) drives allocation, shadows, names and files.
typedef struct vvField {
  vvElement element;  // whose count is the first dimension (VV_ELEMENT_OPTION, _COMPILER: 1)
  vvSection section;
  int width;              // reals per element; 0: nq, -1: nv, -2: na, -3: nu
  size_t offset;          // of the pointer in vvModel [byte]
  const char* attribute;  // as in names, e.g. "friction"; the member is ELEMENT_ATTRIBUTE
  const char* unit;       // e.g. "kg"; "[m, rad]" fields depend on the joint, see vv_number
  vvReal scale;           // typical size, for differences and optimisers
  int sign;               // 1: must stay positive, 0: must stay >= 0, -1: free
} vvField;

// The table, ended by attribute == NULL.
const vvField* vv_model_fields(void);
int vv_model_count(const vvModel* m, vvElement element);        // elements of a kind; option, compiler: 1
int vv_field_width(const vvModel* m, const vvField* field);     // reals per element
vvReal* vv_field_data(const vvModel* m, const vvField* field);  // the array

// Bytes of the real block and where each field starts follow from sizes alone; a shadow has the same.
// Allocates a zeroed shadow of m (all reals zero, integers shared). Free with vv_model_shadow_free.
vvStatus vv_model_shadow(vvContext* ctx, const vvModel* m, vvModel** shadow);
void vv_model_shadow_zero(vvModel* shadow);
void vv_model_shadow_free(vvContext* ctx, vvModel* shadow);

// A copy with its own primary and derived reals, sharing integers, names and bulk (a world with its own numbers). The
// original must outlive it.
vvStatus vv_model_variant(vvContext* ctx, const vvModel* m, vvModel** variant);
void vv_model_variant_free(vvContext* ctx, vvModel* variant);

// Recomputes the derived reals from the primary ones. VV_ERROR_ARGUMENT with a message when a body has no valid mass.
struct vvReport;
vvStatus vv_model_derive(vvContext* ctx, vvModel* m, struct vvReport* report);

// Reverse of vv_model_derive: moves the cotangents of derived reals in m_bar to its primary ones (derived become 0).
vvStatus vv_model_derive_vjp(vvContext* ctx, const vvModel* m, vvModel* m_bar);

// Forward derivative in 8 directions: primary tangents in, derived tangents out; both are blocks of
// (reals of the model) vvReal8, laid out as m->reals.
vvStatus vv_model_derive_jvp8(vvContext* ctx, const vvModel* m, void* reals_tan8);

// A 64-bit hash of everything a step depends on: sizes, integers and reals.
uint64_t vv_model_hash(const vvModel* m);

void vv_model_free(vvContext* ctx, vvModel* m);

// The state: all that bit-identical replay needs. One block.
typedef struct vvState {
  int nq, nv, na;
  vvReal* time;       // 1    [s]
  vvReal* q;          // nq   configuration, quaternions w x y z           [m, rad]
  vvReal* v;          // nv   velocity; angular part in body axes          [m/s, rad/s]
  vvReal* act;        // na   activations
  vvReal* warmstart;  // nv   last acceleration, where the next solve starts
  vvReal* block;      // the five above in this order
  size_t size;        // reals in block
} vvState;

size_t vv_state_size(const vvModel* m);                                   // reals in the block of a state
vvStatus vv_state_create(vvContext* ctx, const vvModel* m, vvState** s);  // the scene's own state
void vv_state_reset(const vvModel* m, vvState* s);                        // back to it
vvStatus vv_state_keyframe(const vvModel* m, int key, vvState* s);
void vv_state_copy(const vvState* from, vvState* to);
void vv_state_free(vvContext* ctx, vvState* s);

// Tangent helpers: q1 = q (+) dq (body-frame rotation vectors, nv entries) and dq = q1 (-) q0.
void vv_q_retract(const vvModel* m, const vvReal* q, const vvReal* dq, vvReal* q1);
void vv_q_difference(const vvModel* m, const vvReal* q0, const vvReal* q1, vvReal* dq);
// Ambient (nq) tangent at q to the tangent (nv) of the chart.
void vv_q_tan_to_tangent(const vvModel* m, const vvReal* q, const vvReal* q_tan, vvReal* dq);
// Ambient (nq) cotangent to tangent (nv) cotangent at q, and back (the ambient one is orthogonal to each quaternion).
void vv_q_bar_to_tangent(const vvModel* m, const vvReal* q, const vvReal* q_bar, vvReal* dq_bar);
void vv_q_bar_to_ambient(const vvModel* m, const vvReal* q, const vvReal* dq_bar, vvReal* q_bar);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_MODEL_H_
