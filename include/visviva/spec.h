// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// spec.h: vvSpec, a scene that can be edited: the elements of MJCF as plain structs. A file is read into it
// (vv_spec_read), C programs build it with vv_spec_add_*, vv_compile turns it into a vvModel, vv_spec_write writes it.
//
// Values. A new element starts with the values of its default class; write its fields directly. Lengths are metres,
// orientations quaternions (w, x, y, z). Joint ranges, ref and springref of hinges and ranges of balls are in degrees
// while `compiler.degree` is true (as in files that do not say angle="radian"), else radians; vv_spec_create starts
// with radians. NaN means "not stated" where a field says so.
//
// Origins. head.origin[i] says where the i-th real of an element (in the order of its struct) comes from: the element
// itself, a default class, or the format's own default. Changing a field makes it the element's own. Groups of numbers
// (default/CLASS/...) and the writer follow origins, so that a fitted scene keeps the structure of its file.

#ifndef VISVIVA_SPEC_H_
#define VISVIVA_SPEC_H_

#include "visviva/context.h"
#include "visviva/model.h"
#include "visviva/report.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VV_SPEC_NREAL 64

// Values of vvSpecHead.origin other than the index of a default class.
typedef enum vvOrigin { VV_ORIGIN_BUILTIN = -2, VV_ORIGIN_OWN = -1 } vvOrigin;

// MJCF's "true", "false", "auto".
typedef enum vvTristate { VV_FALSE = 0, VV_TRUE = 1, VV_AUTO = 2 } vvTristate;

// Attribute texts that only concern looks, kept for the writer.
typedef struct vvSpecText {
  const char* name;
  const char* value;
  struct vvSpecText* next;
} vvSpecText;

// The first member of every element.
typedef struct vvSpecHead {
  const char* name;               // "" without; vv_spec_name sets it
  const char* file;               // where it is stated, "" when built in C
  vvSpecText* looks;              // rgba and the like
  uint64_t stated;                // bits of the attributes that the element itself states, in the order of its table
  int line;                       // 0 when built in C
  int class_id;                   // its default class
  int id;                         // index in the model, set by vv_compile
  int order;                      // rank among all elements of the scene by creation, for the writer
  int16_t origin[VV_SPEC_NREAL];  // vvOrigin or class
} vvSpecHead;

typedef struct vvSpecBody vvSpecBody;
typedef struct vvSpecFrame vvSpecFrame;

struct vvSpecFrame {
  vvSpecHead head;
  double pos[3];  // [m] in the enclosing frame
  double quat[4];
  vvSpecBody* body;     // whose child it is
  vvSpecFrame* parent;  // enclosing frame, or NULL
  int childclass;       // default class of what it holds, -1: that of its surroundings
};

struct vvSpecBody {
  vvSpecHead head;
  double pos[3];  // [m] in the enclosing frame
  double quat[4];
  double ipos[3];         // inertial: center of mass in the body's frame   [m]
  double iquat[4];        //           axes of diaginertia
  double mass;            //                                                [kg]
  double diaginertia[3];  //           about the center of mass             [kg m2]
  double fullinertia[6];  //           xx yy zz xy xz yz; NaN first: not stated   [kg m2]
  double gravcomp;        // share of the weight that is borne                  [1]
  bool inertial;          // has an <inertial>
  int childclass;         // default class of what it holds, -1: that of its surroundings
  vvSpecBody* parent;     // NULL: the world body
  vvSpecFrame* frame;     // enclosing frame, or NULL
  vvSpecBody* first_child;
  vvSpecBody* last_child;
  vvSpecBody* next;  // next child of the same parent
};

typedef struct vvSpecJoint {
  vvSpecHead head;
  double pos[3];  // [m] in the enclosing frame
  double axis[3];
  double range[2];   // [m, angle]
  double stiffness;  // [N/m, N m/rad]
  double damping;    // [N s/m, N m s/rad]
  double armature;   // [kg, kg m2]
  double ref;        // [m, angle]
  double springref;  // [m, angle]
  double margin;     // [m, rad]
  double solreflimit[2];
  double solimplimit[5];
  double actuatorfrcrange[2];  // [N, N m]
  double frictionloss;         // most of dry friction   [N, N m]
  double solreffriction[2];
  double solimpfriction[5];
  int type;                // vvJointType
  int actuatorfrclimited;  // vvTristate
  int limited;             // vvTristate
  bool is_free_element;    // written as <freejoint>
  vvSpecBody* body;
  vvSpecFrame* frame;
} vvSpecJoint;

typedef struct vvSpecGeom {
  vvSpecHead head;
  double pos[3];  // [m] in the enclosing frame
  double quat[4];
  double fromto[6];    // [m] NaN first: not stated
  double size[3];      // [m]
  double density;      // [kg/m3]
  double mass;         // [kg] NaN: not stated, density holds
  double friction[3];  // [1, m, m]
  double solref[2];
  double solimp[5];
  double solmix;
  double margin;  // [m]
  double gap;     // [m]
  int type;       // vvGeomType
  int contype;
  int conaffinity;
  int condim;
  int group;
  int priority;
  int shell;  // 1: mass on the surface
  vvSpecBody* body;
  vvSpecFrame* frame;
} vvSpecGeom;

typedef struct vvSpecSite {
  vvSpecHead head;
  double pos[3];  // [m] in the enclosing frame
  double quat[4];
  double fromto[6];  // [m] NaN first: not stated
  double size[3];    // [m] looks only
  int type;          // vvGeomType
  int group;
  vvSpecBody* body;
  vvSpecFrame* frame;
} vvSpecSite;

typedef struct vvSpecActuator {
  vvSpecHead head;
  double gear[6];
  double ctrlrange[2];
  double forcerange[2];  // [N, N m]
  double actrange[2];
  // As stated for a general one. Others keep theirs here: position, intvelocity kp gain 0, kv bias 2, dampratio bias 3,
  // timeconst dyn 0; velocity kv gain 0; damper kv gain 2; cylinder area gain 0, bias bias 0..2, timeconst dyn 0;
  // muscle range, force, scale, lmin, lmax, vmax, fpmax, fvmax gain 0..8, timeconst dyn 0..1, tausmooth dyn 2.
  double gainprm[10];
  double biasprm[10];
  double dynprm[10];
  double lengthrange[2];
  int kind;          // vvActuatorKind
  int dyntype;       // vvDynType, of a general one
  int gaintype;      // vvGainType
  int biastype;      // vvBiasType
  int ctrllimited;   // vvTristate
  int forcelimited;  // vvTristate
  int actlimited;    // vvTristate
  int actearly;
  int group;
  bool in_parent;       // gear in the parent's frame (ball, free)
  const char* joint;    // name of the joint that it drives
  const char* tendon;   // name of the tendon that it drives, "" without
  const char* site;     // likewise of the site
  const char* refsite;  // and of the site to which that one is referred, "": none
} vvSpecActuator;

typedef struct vvSpecTendon {
  vvSpecHead head;
  double range[2];
  double actuatorfrcrange[2];  // [N]
  double margin;
  double stiffness;
  double damping;
  double springlength[2];  // -1 twice: as at the springs' rest
  double solreflimit[2];
  double solimplimit[5];
  int limited;             // vvTristate
  int actuatorfrclimited;  // vvTristate
  int group;
} vvSpecTendon;

// A joint of a fixed tendon.
typedef struct vvSpecWrap {
  vvSpecHead head;
  double coef;
  const char* joint;
  vvSpecTendon* tendon;
} vvSpecWrap;

typedef struct vvSpecSensor {
  vvSpecHead head;
  double cutoff;       // 0: none
  double noise;        // kept, not used
  int type;            // vvSensorType (output.h)
  int objtype;         // vvFrameType (output.h); joint sensors: not used
  int reftype;         // vvFrameType
  const char* object;  // name of the joint or of the frame's object
  const char* ref;     // name of the reference frame's object, "": world
} vvSpecSensor;

typedef struct vvSpecEquality {
  vvSpecHead head;
  double anchor[3];    // connect: of body 1, weld: of body 2   [m]
  double relpos[3];    // weld: the anchor in body 1's frame    [m]
  double relquat[4];   // weld: body 2 in body 1's frame; all 0: the relative pose of the scene's configuration
  double torquescale;  // weld                                  [m]
  double polycoef[5];  // joint
  double solref[2];
  double solimp[5];
  int type;             // vvEqualityType
  int active;           // 1: in effect
  bool site;            // connect, weld: between sites
  const char* object1;  // names of bodies, sites or joints
  const char* object2;  // "": the world body; no second joint
} vvSpecEquality;

typedef struct vvSpecKey {
  vvSpecHead head;
  double time;                       // [s]
  int nqpos, nqvel, nact, nctrl;     // lengths; 0: not stated
  double *qpos, *qvel, *act, *ctrl;  // vv_spec_key_set
} vvSpecKey;

typedef struct vvSpecExclude {
  vvSpecHead head;
  const char* body1;
  const char* body2;
  int id1, id2;  // bodies in the model, set by vv_compile
} vvSpecExclude;

// A default class: prototypes with the values that its members start from.
typedef struct vvSpecClass {
  const char* name;  // "main" for class 0
  int parent;        // class, -1 for class 0
  vvSpecJoint joint;
  vvSpecGeom geom;
  vvSpecSite site;
  vvSpecActuator actuator;
  vvSpecEquality equality;
  vvSpecTendon tendon;
} vvSpecClass;

typedef struct vvSpecCompiler {
  double settotalmass;  // [kg]    <= 0: masses stay
  double boundmass;     // [kg]    least mass of a body
  double boundinertia;  // [kg m2] least principal moment
  int groups[2];        // inertiagrouprange
  int inertiafromgeom;  // vvTristate
  bool degree;
  bool autolimits;
  bool balanceinertia;
  char eulerseq[4];
} vvSpecCompiler;

typedef struct vvSpecOption {
  double timestep;    // [s]
  double gravity[3];  // [m/s2]
  double impratio;
  double wind[3];       // [m/s]
  double density;       // of the fluid around   [kg/m3]
  double viscosity;     // [Pa s]
  double tolerance;     // kept, not used: solves go on to convergence
  int iterations;       // kept, not used
  int cone;             // vvConeType
  int integrator;       // vvIntegrator
  int solver;           // as stated: 0 PGS, 1 CG, 2 Newton; solves are exact in any case
  int groups_disabled;  // bit g: actuators of group g are disabled
  int disable;          // vvDisableBit
  bool iterations_stated;
  bool fluid;   // density or viscosity are stated, be they 0
  bool energy;  // flag energy="enable"
} vvSpecOption;

struct vvSpecPool;

typedef struct vvSpec {
  vvContext* context;
  const char* file;   // "" when built in C
  const char* model;  // name
  vvSpecCompiler compiler;
  vvSpecOption option;
  int norder;  // elements created so far
  int nclass, nbody, nframe, njoint, ngeom, nsite, ntendon, nwrap, nactuator, nsensor, nkey, nexclude, nequality;
  vvSpecClass** classes;
  vvSpecBody** bodies;  // 0: the world body
  vvSpecFrame** frames;
  vvSpecJoint** joints;
  vvSpecGeom** geoms;
  vvSpecSite** sites;
  vvSpecTendon** tendons;
  vvSpecWrap** wraps;  // those of a tendon are neighbours
  vvSpecActuator** actuators;
  vvSpecSensor** sensors;
  vvSpecKey** keys;
  vvSpecExclude** excludes;
  vvSpecEquality** equalities;
  struct vvSpecPool* pool;  // memory of all of it
} vvSpec;

// An empty scene: world body, class "main", radians.
vvStatus vv_spec_create(vvContext* context, vvSpec** spec);
void vv_spec_free(vvSpec* spec);

// New elements, NULL when there is no memory or an argument is NULL. `class_id` -1: that of the surroundings. Elements
// of a frame: set `frame` afterwards (of the same body).
int vv_spec_add_class(vvSpec* spec, const char* name, int parent);  // -1 on error, also when the name is taken
vvSpecBody* vv_spec_add_body(vvSpec* spec, vvSpecBody* parent, vvSpecFrame* frame);
vvSpecFrame* vv_spec_add_frame(vvSpec* spec, vvSpecBody* body, vvSpecFrame* parent);
vvSpecJoint* vv_spec_add_joint(vvSpec* spec, vvSpecBody* body, vvJointType type, int class_id);
vvSpecJoint* vv_spec_add_freejoint(vvSpec* spec, vvSpecBody* body);
vvSpecGeom* vv_spec_add_geom(vvSpec* spec, vvSpecBody* body, vvGeomType type, int class_id);
vvSpecSite* vv_spec_add_site(vvSpec* spec, vvSpecBody* body, int class_id);
vvSpecTendon* vv_spec_add_tendon(vvSpec* spec, int class_id);
vvSpecWrap* vv_spec_add_wrap(vvSpec* spec, vvSpecTendon* tendon, const char* joint, double coef);  // of the last tendon
vvSpecActuator* vv_spec_add_motor(vvSpec* spec, const char* joint, int class_id);
vvSpecSensor* vv_spec_add_sensor(vvSpec* spec, int type, const char* object);
vvSpecKey* vv_spec_add_key(vvSpec* spec);
vvSpecExclude* vv_spec_add_exclude(vvSpec* spec, const char* body1, const char* body2);

// Of bodies (site false; object2 "" stands for the world), of sites, or of joints (object2 "": none).
vvSpecEquality* vv_spec_add_equality(vvSpec* spec, vvEqualityType type, bool site, const char* object1,
                                     const char* object2, int class_id);

// Names an element (its head); texts are copied.
vvStatus vv_spec_name(vvSpec* spec, vvSpecHead* element, const char* name);
// A copy of a text that lives as long as the scene, NULL when there is no memory.
const char* vv_spec_text(vvSpec* spec, const char* text);
// Copies n numbers into a keyframe's array: which is "qpos", "qvel", "act" or "ctrl".
vvStatus vv_spec_key_set(vvSpec* spec, vvSpecKey* key, const char* which, const double* values, int n);
// Index of a class by its name, -1: none.
int vv_spec_find_class(const vvSpec* spec, const char* name);

// Orientations: fill quat[4] from MJCF's other forms. False when a vector is too short or a sequence is not of
// x, y, z, X, Y, Z (lower case: moving axes, upper case: fixed axes). Angles in radians.
bool vv_spec_quat_axisangle(const double axis[3], double angle, double quat[4]);
bool vv_spec_quat_xyaxes(const double axes[6], double quat[4]);
bool vv_spec_quat_zaxis(const double axis[3], double quat[4]);
bool vv_spec_quat_euler(const double angle[3], const char* sequence, double quat[4]);

// Reads an MJCF file. On error *spec is NULL and the report says "FILE:LINE: what is wrong; what would be right".
vvStatus vv_spec_read(vvContext* context, const char* path, vvSpec** spec, vvReport* report);
// The same from text; `name` stands for the file in messages, includes are looked up beside it.
vvStatus vv_spec_read_text(vvContext* context, const char* text, size_t length, const char* name, vvSpec** spec,
                           vvReport* report);

// Writes MJCF that reads back as the same scene. The file appears whole or not at all.
vvStatus vv_spec_write(vvSpec* spec, const char* path, vvReport* report);
// The same as text, in memory of the context: free with vv_free(context, *text, *length + 1).
vvStatus vv_spec_write_text(vvSpec* spec, char** text, size_t* length, vvReport* report);

// Moves the primary numbers of a model compiled from this scene back into its elements and default classes.
vvStatus vv_spec_apply_model(vvSpec* spec, const vvModel* model, vvReport* report);

// Compiles a scene; derived numbers included. On error *model is NULL. Sets head.id of the elements.
vvStatus vv_compile(vvContext* context, vvSpec* spec, vvModel** model, vvReport* report);

// Reads and compiles a file.
vvStatus vv_model_load_file(vvContext* context, const char* path, vvModel** model, vvReport* report);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_SPEC_H_
