// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// attr.c: the attributes of every MJCF element that is read: name, how it is read and checked, where its value goes.
// Rows of the kinds ZERO, FALSE and REFUSED are known to the format but not supported yet.

#include "scene/scene.h"
#include "scene/sensor.h"
#include "visviva/output.h"

#define AT(type, field) offsetof(type, field), NULL
#define KEYS(type, field, keys) offsetof(type, field), keys
#define NOWHERE 0, NULL

const vvKeyword vv_keys_geom_type[] = {{"plane", VV_GEOM_PLANE},
                                       {"sphere", VV_GEOM_SPHERE},
                                       {"capsule", VV_GEOM_CAPSULE},
                                       {"ellipsoid", VV_GEOM_ELLIPSOID},
                                       {"cylinder", VV_GEOM_CYLINDER},
                                       {"box", VV_GEOM_BOX},
                                       {NULL, 0}};
const vvKeyword vv_keys_joint_type[] = {
    {"free", VV_JOINT_FREE}, {"ball", VV_JOINT_BALL}, {"slide", VV_JOINT_SLIDE}, {"hinge", VV_JOINT_HINGE}, {NULL, 0}};
const vvKeyword vv_keys_actuator[] = {
    {"motor", VV_ACTUATOR_MOTOR},       {"general", VV_ACTUATOR_GENERAL},         {"position", VV_ACTUATOR_POSITION},
    {"velocity", VV_ACTUATOR_VELOCITY}, {"intvelocity", VV_ACTUATOR_INTVELOCITY}, {"damper", VV_ACTUATOR_DAMPER},
    {"cylinder", VV_ACTUATOR_CYLINDER}, {"muscle", VV_ACTUATOR_MUSCLE},           {NULL, 0}};

const vvKeyword vv_keys_tristate[] = {{"false", VV_FALSE}, {"true", VV_TRUE}, {"auto", VV_AUTO}, {NULL, 0}};
const vvKeyword vv_keys_frame_type[] = {
    {"body", VV_FRAME_BODY}, {"xbody", VV_FRAME_XBODY}, {"geom", VV_FRAME_GEOM}, {"site", VV_FRAME_SITE}, {NULL, 0}};
const vvKeyword vv_keys_disable[] = {{"constraint", VV_DISABLE_CONSTRAINT},
                                     {"equality", VV_DISABLE_EQUALITY},
                                     {"frictionloss", VV_DISABLE_FRICTIONLOSS},
                                     {"limit", VV_DISABLE_LIMIT},
                                     {"contact", VV_DISABLE_CONTACT},
                                     {"spring", VV_DISABLE_SPRING},
                                     {"damper", VV_DISABLE_DAMPER},
                                     {"gravity", VV_DISABLE_GRAVITY},
                                     {"clampctrl", VV_DISABLE_CLAMPCTRL},
                                     {"warmstart", VV_DISABLE_WARMSTART},
                                     {"filterparent", VV_DISABLE_FILTERPARENT},
                                     {"actuation", VV_DISABLE_ACTUATION},
                                     {"refsafe", VV_DISABLE_REFSAFE},
                                     {"sensor", VV_DISABLE_SENSOR},
                                     {"midphase", VV_DISABLE_MIDPHASE},
                                     {"eulerdamp", VV_DISABLE_EULERDAMP},
                                     {NULL, 0}};
const vvKeyword vv_keys_integrator[] = {{"Euler", VV_INTEGRATOR_EULER},
                                        {"RK4", VV_INTEGRATOR_RK4},
                                        {"implicit", VV_INTEGRATOR_IMPLICIT},
                                        {"implicitfast", VV_INTEGRATOR_IMPLICITFAST},
                                        {NULL, 0}};

static const vvKeyword keys_cone[] = {{"pyramidal", VV_CONE_PYRAMIDAL}, {"elliptic", VV_CONE_ELLIPTIC}, {NULL, 0}};
static const vvKeyword keys_solver[] = {{"PGS", 0}, {"CG", 1}, {"Newton", 2}, {NULL, 0}};
static const vvKeyword keys_bool[] = {{"false", 0}, {"true", 1}, {NULL, 0}};

const char* vv_key_text(const vvKeyword* keys, int value) {
  for (; keys->key; keys++)
    if (keys->value == value) return keys->key;
  return NULL;
}

#define ORIENTATION(type)                                                                                 \
  {"quat", VV_ATTR_QUAT, 4, 4, AT(type, quat)}, {"axisangle", VV_ATTR_AXISANGLE, 4, 4, AT(type, quat)},   \
      {"xyaxes", VV_ATTR_XYAXES, 6, 6, AT(type, quat)}, {"zaxis", VV_ATTR_ZAXIS, 3, 3, AT(type, quat)}, { \
    "euler", VV_ATTR_EULER, 3, 3, AT(type, quat)                                                          \
  }

static const vvAttr attr_body[] = {{"name", VV_ATTR_NAME, 0, 0, NOWHERE},
                                   {"childclass", VV_ATTR_CLASS, 0, 0, NOWHERE},
                                   {"pos", VV_ATTR_REAL, 3, 3, AT(vvSpecBody, pos)},
                                   ORIENTATION(vvSpecBody),
                                   {"mocap", VV_ATTR_FALSE, 0, 0, NOWHERE},
                                   {"gravcomp", VV_ATTR_REAL, 1, 1, AT(vvSpecBody, gravcomp)},
                                   {"sleep", VV_ATTR_FALSE, 0, 0, NOWHERE},
                                   {"simple", VV_ATTR_PASS, 0, 0, NOWHERE},
                                   {"user", VV_ATTR_LOOK, 1, 1000, NOWHERE},
                                   {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_inertial[] = {{"pos", VV_ATTR_REAL, 3, 3, AT(vvSpecBody, ipos)},
                                       {"quat", VV_ATTR_QUAT, 4, 4, AT(vvSpecBody, iquat)},
                                       {"axisangle", VV_ATTR_AXISANGLE, 4, 4, AT(vvSpecBody, iquat)},
                                       {"xyaxes", VV_ATTR_XYAXES, 6, 6, AT(vvSpecBody, iquat)},
                                       {"zaxis", VV_ATTR_ZAXIS, 3, 3, AT(vvSpecBody, iquat)},
                                       {"euler", VV_ATTR_EULER, 3, 3, AT(vvSpecBody, iquat)},
                                       {"mass", VV_ATTR_REAL, 1, 1, AT(vvSpecBody, mass)},
                                       {"diaginertia", VV_ATTR_REAL, 3, 3, AT(vvSpecBody, diaginertia)},
                                       {"fullinertia", VV_ATTR_REAL, 6, 6, AT(vvSpecBody, fullinertia)},
                                       {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_frame[] = {{"name", VV_ATTR_NAME, 0, 0, NOWHERE},
                                    {"childclass", VV_ATTR_CLASS, 0, 0, NOWHERE},
                                    {"pos", VV_ATTR_REAL, 3, 3, AT(vvSpecFrame, pos)},
                                    ORIENTATION(vvSpecFrame),
                                    {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_joint[] = {
    {"name", VV_ATTR_NAME, 0, 0, NOWHERE},
    {"class", VV_ATTR_CLASS, 0, 0, NOWHERE},
    {"type", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecJoint, type, vv_keys_joint_type)},
    {"group", VV_ATTR_LOOK, 1, 1, NOWHERE},
    {"pos", VV_ATTR_REAL, 3, 3, AT(vvSpecJoint, pos)},
    {"axis", VV_ATTR_REAL, 3, 3, AT(vvSpecJoint, axis)},
    {"springdamper", VV_ATTR_ZERO, 2, 2, NOWHERE},
    {"limited", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecJoint, limited, vv_keys_tristate)},
    {"actuatorfrclimited", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecJoint, actuatorfrclimited, vv_keys_tristate)},
    {"solreflimit", VV_ATTR_REAL, 1, 2, AT(vvSpecJoint, solreflimit)},
    {"solimplimit", VV_ATTR_REAL, 1, 5, AT(vvSpecJoint, solimplimit)},
    {"solreffriction", VV_ATTR_REAL, 1, 2, AT(vvSpecJoint, solreffriction)},
    {"solimpfriction", VV_ATTR_REAL, 1, 5, AT(vvSpecJoint, solimpfriction)},
    {"stiffness", VV_ATTR_POLY, 1, 3, AT(vvSpecJoint, stiffness)},
    {"range", VV_ATTR_REAL, 2, 2, AT(vvSpecJoint, range)},
    {"actuatorfrcrange", VV_ATTR_REAL, 2, 2, AT(vvSpecJoint, actuatorfrcrange)},
    {"actuatorgravcomp", VV_ATTR_FALSE, 0, 0, NOWHERE},
    {"margin", VV_ATTR_REAL, 1, 1, AT(vvSpecJoint, margin)},
    {"ref", VV_ATTR_REAL, 1, 1, AT(vvSpecJoint, ref)},
    {"springref", VV_ATTR_REAL, 1, 1, AT(vvSpecJoint, springref)},
    {"armature", VV_ATTR_REAL, 1, 1, AT(vvSpecJoint, armature)},
    {"damping", VV_ATTR_POLY, 1, 3, AT(vvSpecJoint, damping)},
    {"frictionloss", VV_ATTR_REAL, 1, 1, AT(vvSpecJoint, frictionloss)},
    {"user", VV_ATTR_LOOK, 1, 1000, NOWHERE},
    {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_freejoint[] = {{"name", VV_ATTR_NAME, 0, 0, NOWHERE},
                                        {"group", VV_ATTR_LOOK, 1, 1, NOWHERE},
                                        {"align", VV_ATTR_FALSE, 0, 0, NOWHERE},
                                        {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_geom[] = {{"name", VV_ATTR_NAME, 0, 0, NOWHERE},
                                   {"class", VV_ATTR_CLASS, 0, 0, NOWHERE},
                                   {"type", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecGeom, type, vv_keys_geom_type)},
                                   {"contype", VV_ATTR_INT, 1, 1, AT(vvSpecGeom, contype)},
                                   {"conaffinity", VV_ATTR_INT, 1, 1, AT(vvSpecGeom, conaffinity)},
                                   {"condim", VV_ATTR_INT, 1, 1, AT(vvSpecGeom, condim)},
                                   {"group", VV_ATTR_INT, 1, 1, AT(vvSpecGeom, group)},
                                   {"priority", VV_ATTR_INT, 1, 1, AT(vvSpecGeom, priority)},
                                   {"size", VV_ATTR_REAL, 1, 3, AT(vvSpecGeom, size)},
                                   {"material", VV_ATTR_PASS, 0, 0, NOWHERE},
                                   {"friction", VV_ATTR_REAL, 1, 3, AT(vvSpecGeom, friction)},
                                   {"mass", VV_ATTR_REAL, 1, 1, AT(vvSpecGeom, mass)},
                                   {"density", VV_ATTR_REAL, 1, 1, AT(vvSpecGeom, density)},
                                   {"shellinertia", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecGeom, shell, keys_bool)},
                                   {"solmix", VV_ATTR_REAL, 1, 1, AT(vvSpecGeom, solmix)},
                                   {"solref", VV_ATTR_REAL, 1, 2, AT(vvSpecGeom, solref)},
                                   {"solimp", VV_ATTR_REAL, 1, 5, AT(vvSpecGeom, solimp)},
                                   {"margin", VV_ATTR_REAL, 1, 1, AT(vvSpecGeom, margin)},
                                   {"gap", VV_ATTR_REAL, 1, 1, AT(vvSpecGeom, gap)},
                                   {"surfacevel", VV_ATTR_ZERO, 1, 6, NOWHERE},
                                   {"adhesion", VV_ATTR_ZERO, 1, 1, NOWHERE},
                                   {"fromto", VV_ATTR_REAL, 6, 6, AT(vvSpecGeom, fromto)},
                                   {"pos", VV_ATTR_REAL, 3, 3, AT(vvSpecGeom, pos)},
                                   ORIENTATION(vvSpecGeom),
                                   {"hfield", VV_ATTR_REFUSED, 0, 0, NOWHERE},
                                   {"mesh", VV_ATTR_REFUSED, 0, 0, NOWHERE},
                                   {"fitscale", VV_ATTR_PASS, 1, 1, NOWHERE},
                                   {"rgba", VV_ATTR_LOOK, 1, 4, NOWHERE},
                                   {"fluidshape", VV_ATTR_FALSE, 0, 0, NOWHERE},
                                   {"fluidcoef", VV_ATTR_PASS, 1, 5, NOWHERE},
                                   {"user", VV_ATTR_LOOK, 1, 1000, NOWHERE},
                                   {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_site[] = {{"name", VV_ATTR_NAME, 0, 0, NOWHERE},
                                   {"class", VV_ATTR_CLASS, 0, 0, NOWHERE},
                                   {"type", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecSite, type, vv_keys_geom_type)},
                                   {"group", VV_ATTR_INT, 1, 1, AT(vvSpecSite, group)},
                                   {"pos", VV_ATTR_REAL, 3, 3, AT(vvSpecSite, pos)},
                                   ORIENTATION(vvSpecSite),
                                   {"material", VV_ATTR_PASS, 0, 0, NOWHERE},
                                   {"size", VV_ATTR_REAL, 1, 3, AT(vvSpecSite, size)},
                                   {"fromto", VV_ATTR_REAL, 6, 6, AT(vvSpecSite, fromto)},
                                   {"rgba", VV_ATTR_LOOK, 1, 4, NOWHERE},
                                   {"user", VV_ATTR_LOOK, 1, 1000, NOWHERE},
                                   {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvKeyword keys_dyn[] = {{"none", VV_DYN_NONE},     {"integrator", VV_DYN_INTEGRATOR},
                                     {"filter", VV_DYN_FILTER}, {"filterexact", VV_DYN_FILTEREXACT},
                                     {"muscle", VV_DYN_MUSCLE}, {NULL, 0}};
static const vvKeyword keys_gain[] = {
    {"fixed", VV_GAIN_FIXED}, {"affine", VV_GAIN_AFFINE}, {"muscle", VV_GAIN_MUSCLE}, {NULL, 0}};
static const vvKeyword keys_bias[] = {
    {"none", VV_BIAS_NONE}, {"affine", VV_BIAS_AFFINE}, {"muscle", VV_BIAS_MUSCLE}, {NULL, 0}};

// What all actuators share.
#define ACTUATOR_ROWS                                                                                             \
  {"name", VV_ATTR_NAME, 0, 0, NOWHERE}, {"class", VV_ATTR_CLASS, 0, 0, NOWHERE},                                 \
      {"group", VV_ATTR_INT, 1, 1, AT(vvSpecActuator, group)}, {"nsample", VV_ATTR_ZERO, 1, 1, NOWHERE},          \
      {"interp", VV_ATTR_PASS, 0, 0, NOWHERE}, {"delay", VV_ATTR_ZERO, 1, 1, NOWHERE},                            \
      {"ctrlrange", VV_ATTR_REAL, 2, 2, AT(vvSpecActuator, ctrlrange)}, {"user", VV_ATTR_LOOK, 1, 1000, NOWHERE}, \
      {"ctrllimited", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecActuator, ctrllimited, vv_keys_tristate)},                   \
      {"forcelimited", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecActuator, forcelimited, vv_keys_tristate)},                 \
      {"forcerange", VV_ATTR_REAL, 2, 2, AT(vvSpecActuator, forcerange)},                                         \
      {"lengthrange", VV_ATTR_REAL, 2, 2, AT(vvSpecActuator, lengthrange)},                                       \
      {"gear", VV_ATTR_REAL, 1, 6, AT(vvSpecActuator, gear)}, {"damping", VV_ATTR_ZERO, 1, 3, NOWHERE},           \
      {"armature", VV_ATTR_ZERO, 1, 1, NOWHERE}, {"cranklength", VV_ATTR_REFUSED, 0, 0, NOWHERE},                 \
      {"joint", VV_ATTR_TEXT, 0, 0, AT(vvSpecActuator, joint)},                                                   \
      {"jointinparent", VV_ATTR_TEXT, 0, 0, AT(vvSpecActuator, joint)},                                           \
      {"tendon", VV_ATTR_TEXT, 0, 0, AT(vvSpecActuator, tendon)}, {"slidersite", VV_ATTR_REFUSED, 0, 0, NOWHERE}, \
      {"cranksite", VV_ATTR_REFUSED, 0, 0, NOWHERE}, {"site", VV_ATTR_TEXT, 0, 0, AT(vvSpecActuator, site)}, {    \
    "refsite", VV_ATTR_TEXT, 0, 0, AT(vvSpecActuator, refsite)                                                    \
  }
#define ACT_ROWS                                                                          \
  {"actlimited", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecActuator, actlimited, vv_keys_tristate)}, \
      {"actrange", VV_ATTR_REAL, 2, 2, AT(vvSpecActuator, actrange)}, {                   \
    "actearly", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecActuator, actearly, keys_bool)             \
  }
#define END_ROW \
  { NULL, VV_ATTR_REAL, 0, 0, NOWHERE }
#define SLOT(field, index) offsetof(vvSpecActuator, field) + (index) * sizeof(double), NULL

static const vvAttr attr_motor[] = {ACTUATOR_ROWS, END_ROW};

static const vvAttr attr_general[] = {ACTUATOR_ROWS,
                                      ACT_ROWS,
                                      {"body", VV_ATTR_REFUSED, 0, 0, NOWHERE},
                                      {"actdim", VV_ATTR_PASS, 1, 1, NOWHERE},
                                      {"input", VV_ATTR_FALSE, 0, 0, NOWHERE},
                                      {"velrange", VV_ATTR_PASS, 2, 2, NOWHERE},
                                      {"ffrange", VV_ATTR_PASS, 2, 2, NOWHERE},
                                      {"dyntype", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecActuator, dyntype, keys_dyn)},
                                      {"gaintype", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecActuator, gaintype, keys_gain)},
                                      {"biastype", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecActuator, biastype, keys_bias)},
                                      {"dynprm", VV_ATTR_REAL, 1, 10, AT(vvSpecActuator, dynprm)},
                                      {"gainprm", VV_ATTR_REAL, 1, 10, AT(vvSpecActuator, gainprm)},
                                      {"biasprm", VV_ATTR_REAL, 1, 10, AT(vvSpecActuator, biasprm)},
                                      END_ROW};

static const vvAttr attr_position[] = {ACTUATOR_ROWS,
                                       ACT_ROWS,
                                       {"inheritrange", VV_ATTR_ZERO, 1, 1, NOWHERE},
                                       {"kp", VV_ATTR_REAL, 1, 1, SLOT(gainprm, 0)},
                                       {"kv", VV_ATTR_REAL, 1, 1, SLOT(biasprm, 2)},
                                       {"dampratio", VV_ATTR_REAL, 1, 1, SLOT(biasprm, 3)},
                                       {"timeconst", VV_ATTR_REAL, 1, 1, SLOT(dynprm, 0)},
                                       END_ROW};

static const vvAttr attr_velocity[] = {ACTUATOR_ROWS, {"kv", VV_ATTR_REAL, 1, 1, SLOT(gainprm, 0)}, END_ROW};

static const vvAttr attr_intvelocity[] = {ACTUATOR_ROWS,
                                          ACT_ROWS,
                                          {"inheritrange", VV_ATTR_ZERO, 1, 1, NOWHERE},
                                          {"kp", VV_ATTR_REAL, 1, 1, SLOT(gainprm, 0)},
                                          {"kv", VV_ATTR_REAL, 1, 1, SLOT(biasprm, 2)},
                                          {"dampratio", VV_ATTR_REAL, 1, 1, SLOT(biasprm, 3)},
                                          END_ROW};

static const vvAttr attr_damper[] = {ACTUATOR_ROWS, {"kv", VV_ATTR_REAL, 1, 1, SLOT(gainprm, 2)}, END_ROW};

static const vvAttr attr_cylinder[] = {ACTUATOR_ROWS,
                                       {"timeconst", VV_ATTR_REAL, 1, 1, SLOT(dynprm, 0)},
                                       {"area", VV_ATTR_REAL, 1, 1, SLOT(gainprm, 0)},
                                       {"diameter", VV_ATTR_REFUSED, 0, 0, NOWHERE},
                                       {"bias", VV_ATTR_REAL, 3, 3, SLOT(biasprm, 0)},
                                       END_ROW};

static const vvAttr attr_muscle[] = {ACTUATOR_ROWS,
                                     {"timeconst", VV_ATTR_REAL, 2, 2, SLOT(dynprm, 0)},
                                     {"tausmooth", VV_ATTR_REAL, 1, 1, SLOT(dynprm, 2)},
                                     {"range", VV_ATTR_REAL, 2, 2, SLOT(gainprm, 0)},
                                     {"force", VV_ATTR_REAL, 1, 1, SLOT(gainprm, 2)},
                                     {"scale", VV_ATTR_REAL, 1, 1, SLOT(gainprm, 3)},
                                     {"lmin", VV_ATTR_REAL, 1, 1, SLOT(gainprm, 4)},
                                     {"lmax", VV_ATTR_REAL, 1, 1, SLOT(gainprm, 5)},
                                     {"vmax", VV_ATTR_REAL, 1, 1, SLOT(gainprm, 6)},
                                     {"fpmax", VV_ATTR_REAL, 1, 1, SLOT(gainprm, 7)},
                                     {"fvmax", VV_ATTR_REAL, 1, 1, SLOT(gainprm, 8)},
                                     END_ROW};

static const vvAttr attr_tendon[] = {
    {"name", VV_ATTR_NAME, 0, 0, NOWHERE},
    {"class", VV_ATTR_CLASS, 0, 0, NOWHERE},
    {"group", VV_ATTR_INT, 1, 1, AT(vvSpecTendon, group)},
    {"limited", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecTendon, limited, vv_keys_tristate)},
    {"range", VV_ATTR_REAL, 2, 2, AT(vvSpecTendon, range)},
    {"actuatorfrclimited", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecTendon, actuatorfrclimited, vv_keys_tristate)},
    {"actuatorfrcrange", VV_ATTR_REAL, 2, 2, AT(vvSpecTendon, actuatorfrcrange)},
    {"solreflimit", VV_ATTR_REAL, 1, 2, AT(vvSpecTendon, solreflimit)},
    {"solimplimit", VV_ATTR_REAL, 1, 5, AT(vvSpecTendon, solimplimit)},
    {"solreffriction", VV_ATTR_PASS, 1, 2, NOWHERE},
    {"solimpfriction", VV_ATTR_PASS, 1, 5, NOWHERE},
    {"frictionloss", VV_ATTR_ZERO, 1, 1, NOWHERE},
    {"margin", VV_ATTR_REAL, 1, 1, AT(vvSpecTendon, margin)},
    {"stiffness", VV_ATTR_POLY, 1, 3, AT(vvSpecTendon, stiffness)},
    {"damping", VV_ATTR_POLY, 1, 3, AT(vvSpecTendon, damping)},
    {"springlength", VV_ATTR_REAL, 1, 2, AT(vvSpecTendon, springlength)},
    {"armature", VV_ATTR_ZERO, 1, 1, NOWHERE},
    {"width", VV_ATTR_LOOK, 1, 1, NOWHERE},
    {"material", VV_ATTR_PASS, 0, 0, NOWHERE},
    {"rgba", VV_ATTR_LOOK, 1, 4, NOWHERE},
    {"user", VV_ATTR_LOOK, 1, 1000, NOWHERE},
    END_ROW};

#define SENSOR_ROWS                                                                                        \
  {"name", VV_ATTR_NAME, 0, 0, NOWHERE}, {"nsample", VV_ATTR_ZERO, 1, 1, NOWHERE},                         \
      {"interp", VV_ATTR_PASS, 0, 0, NOWHERE}, {"delay", VV_ATTR_ZERO, 1, 1, NOWHERE},                     \
      {"interval", VV_ATTR_ZERO, 1, 2, NOWHERE}, {"cutoff", VV_ATTR_REAL, 1, 1, AT(vvSpecSensor, cutoff)}, \
      {"noise", VV_ATTR_REAL, 1, 1, AT(vvSpecSensor, noise)}, {                                            \
    "user", VV_ATTR_LOOK, 1, 1000, NOWHERE                                                                 \
  }

static const vvAttr attr_sensor_joint[] = {
    SENSOR_ROWS, {"joint", VV_ATTR_TEXT, 0, 0, AT(vvSpecSensor, object)}, {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_sensor_site[] = {
    SENSOR_ROWS, {"site", VV_ATTR_TEXT, 0, 0, AT(vvSpecSensor, object)}, {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_sensor_body[] = {
    SENSOR_ROWS, {"body", VV_ATTR_TEXT, 0, 0, AT(vvSpecSensor, object)}, {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_sensor_actuator[] = {
    SENSOR_ROWS, {"actuator", VV_ATTR_TEXT, 0, 0, AT(vvSpecSensor, object)}, {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_sensor_tendon[] = {
    SENSOR_ROWS, {"tendon", VV_ATTR_TEXT, 0, 0, AT(vvSpecSensor, object)}, {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_sensor_scene[] = {SENSOR_ROWS, {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_sensor_frame[] = {
    SENSOR_ROWS,
    {"objtype", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecSensor, objtype, vv_keys_frame_type)},
    {"objname", VV_ATTR_TEXT, 0, 0, AT(vvSpecSensor, object)},
    {"reftype", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecSensor, reftype, vv_keys_frame_type)},
    {"refname", VV_ATTR_TEXT, 0, 0, AT(vvSpecSensor, ref)},
    {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_key[] = {
    {"name", VV_ATTR_NAME, 0, 0, NOWHERE},    {"time", VV_ATTR_REAL, 1, 1, AT(vvSpecKey, time)},
    {"qpos", VV_ATTR_PASS, 0, 0, NOWHERE},    {"qvel", VV_ATTR_PASS, 0, 0, NOWHERE},
    {"act", VV_ATTR_PASS, 0, 0, NOWHERE},     {"ctrl", VV_ATTR_PASS, 0, 0, NOWHERE},
    {"mpos", VV_ATTR_REFUSED, 0, 0, NOWHERE}, {"mquat", VV_ATTR_REFUSED, 0, 0, NOWHERE},
    {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_exclude[] = {{"name", VV_ATTR_NAME, 0, 0, NOWHERE},
                                      {"body1", VV_ATTR_TEXT, 0, 0, AT(vvSpecExclude, body1)},
                                      {"body2", VV_ATTR_TEXT, 0, 0, AT(vvSpecExclude, body2)},
                                      {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

#define EQUALITY_ROWS                                                             \
  {"name", VV_ATTR_NAME, 0, 0, NOWHERE}, {"class", VV_ATTR_CLASS, 0, 0, NOWHERE}, \
      {"active", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecEquality, active, keys_bool)},    \
      {"solref", VV_ATTR_REAL, 1, 2, AT(vvSpecEquality, solref)}, {               \
    "solimp", VV_ATTR_REAL, 1, 5, AT(vvSpecEquality, solimp)                      \
  }
#define EQUALITY_BODY_ROWS                                                              \
  {"body1", VV_ATTR_PASS, 0, 0, NOWHERE}, {"body2", VV_ATTR_PASS, 0, 0, NOWHERE},       \
      {"site1", VV_ATTR_PASS, 0, 0, NOWHERE}, {"site2", VV_ATTR_PASS, 0, 0, NOWHERE}, { \
    "anchor", VV_ATTR_REAL, 3, 3, AT(vvSpecEquality, anchor)                            \
  }

static const vvAttr attr_connect[] = {EQUALITY_ROWS, EQUALITY_BODY_ROWS, {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};
static const vvAttr attr_weld[] = {EQUALITY_ROWS,
                                   EQUALITY_BODY_ROWS,
                                   {"relpose", VV_ATTR_REAL, 7, 7, AT(vvSpecEquality, relpos)},
                                   {"torquescale", VV_ATTR_REAL, 1, 1, AT(vvSpecEquality, torquescale)},
                                   {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};
static const vvAttr attr_eq_joint[] = {EQUALITY_ROWS,
                                       {"joint1", VV_ATTR_PASS, 0, 0, NOWHERE},
                                       {"joint2", VV_ATTR_PASS, 0, 0, NOWHERE},
                                       {"polycoef", VV_ATTR_REAL, 1, 5, AT(vvSpecEquality, polycoef)},
                                       {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};
static const vvAttr attr_eq_class[] = {EQUALITY_ROWS, {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_option[] = {
    {"timestep", VV_ATTR_REAL, 1, 1, AT(vvSpecOption, timestep)},
    {"impratio", VV_ATTR_REAL, 1, 1, AT(vvSpecOption, impratio)},
    {"gravity", VV_ATTR_REAL, 3, 3, AT(vvSpecOption, gravity)},
    {"tolerance", VV_ATTR_REAL, 1, 1, AT(vvSpecOption, tolerance)},
    {"iterations", VV_ATTR_INT, 1, 1, AT(vvSpecOption, iterations)},
    {"cone", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecOption, cone, keys_cone)},
    {"solver", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecOption, solver, keys_solver)},
    {"ls_tolerance", VV_ATTR_PASS, 1, 1, NOWHERE},
    {"noslip_tolerance", VV_ATTR_PASS, 1, 1, NOWHERE},
    {"ccd_tolerance", VV_ATTR_PASS, 1, 1, NOWHERE},
    {"sleep_tolerance", VV_ATTR_PASS, 1, 1, NOWHERE},
    {"ls_iterations", VV_ATTR_PASS, 1, 1, NOWHERE},
    {"noslip_iterations", VV_ATTR_ZERO, 1, 1, NOWHERE},
    {"ccd_iterations", VV_ATTR_PASS, 1, 1, NOWHERE},
    {"sdf_iterations", VV_ATTR_PASS, 1, 1, NOWHERE},
    {"sdf_initpoints", VV_ATTR_PASS, 1, 1, NOWHERE},
    {"jacobian", VV_ATTR_PASS, 0, 0, NOWHERE},
    {"integrator", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecOption, integrator, vv_keys_integrator)},
    {"wind", VV_ATTR_REAL, 3, 3, AT(vvSpecOption, wind)},
    {"magnetic", VV_ATTR_PASS, 3, 3, NOWHERE},
    {"density", VV_ATTR_REAL, 1, 1, AT(vvSpecOption, density)},
    {"viscosity", VV_ATTR_REAL, 1, 1, AT(vvSpecOption, viscosity)},
    {"o_margin", VV_ATTR_PASS, 1, 1, NOWHERE},
    {"o_solref", VV_ATTR_PASS, 1, 2, NOWHERE},
    {"o_solimp", VV_ATTR_PASS, 1, 5, NOWHERE},
    {"o_friction", VV_ATTR_PASS, 1, 5, NOWHERE},
    {"actuatorgroupdisable", VV_ATTR_PASS, 0, 0, NOWHERE},
    {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

static const vvAttr attr_compiler[] = {
    {"autolimits", VV_ATTR_BOOL, 0, 0, AT(vvSpecCompiler, autolimits)},
    {"boundmass", VV_ATTR_REAL, 1, 1, AT(vvSpecCompiler, boundmass)},
    {"boundinertia", VV_ATTR_REAL, 1, 1, AT(vvSpecCompiler, boundinertia)},
    {"settotalmass", VV_ATTR_REAL, 1, 1, AT(vvSpecCompiler, settotalmass)},
    {"balanceinertia", VV_ATTR_BOOL, 0, 0, AT(vvSpecCompiler, balanceinertia)},
    {"inertiafromgeom", VV_ATTR_ENUM, 0, 0, KEYS(vvSpecCompiler, inertiafromgeom, vv_keys_tristate)},
    {"inertiagrouprange", VV_ATTR_INT, 2, 2, AT(vvSpecCompiler, groups)},
    {"angle", VV_ATTR_PASS, 0, 0, NOWHERE},
    {"coordinate", VV_ATTR_PASS, 0, 0, NOWHERE},
    {"eulerseq", VV_ATTR_PASS, 0, 0, NOWHERE},
    {"strippath", VV_ATTR_PASS, 0, 0, NOWHERE},
    {"fitaabb", VV_ATTR_PASS, 0, 0, NOWHERE},
    {"meshdir", VV_ATTR_PASS, 0, 0, NOWHERE},
    {"texturedir", VV_ATTR_PASS, 0, 0, NOWHERE},
    {"assetdir", VV_ATTR_PASS, 0, 0, NOWHERE},
    {"discardvisual", VV_ATTR_PASS, 0, 0, NOWHERE},
    {"usethread", VV_ATTR_PASS, 0, 0, NOWHERE},
    {"fusestatic", VV_ATTR_FALSE, 0, 0, NOWHERE},
    {"saveinertial", VV_ATTR_PASS, 0, 0, NOWHERE},
    {"alignfree", VV_ATTR_FALSE, 0, 0, NOWHERE},
    {"conflict", VV_ATTR_PASS, 0, 0, NOWHERE},
    {NULL, VV_ATTR_REAL, 0, 0, NOWHERE}};

const vvAttr* vv_attr_body(void) {
  return attr_body;
}
const vvAttr* vv_attr_inertial(void) {
  return attr_inertial;
}
const vvAttr* vv_attr_frame(void) {
  return attr_frame;
}
const vvAttr* vv_attr_joint(void) {
  return attr_joint;
}
const vvAttr* vv_attr_freejoint(void) {
  return attr_freejoint;
}
const vvAttr* vv_attr_geom(void) {
  return attr_geom;
}
const vvAttr* vv_attr_site(void) {
  return attr_site;
}
const vvAttr* vv_attr_actuator(int kind) {
  static const vvAttr* const tables[] = {attr_motor,       attr_general, attr_position, attr_velocity,
                                         attr_intvelocity, attr_damper,  attr_cylinder, attr_muscle};
  return tables[kind];
}
const vvAttr* vv_attr_tendon(void) {
  return attr_tendon;
}
const vvAttr* vv_attr_sensor(int target) {
  switch (target) {
    case VV_TARGET_FRAME:
      return attr_sensor_frame;
    case VV_TARGET_SITE:
      return attr_sensor_site;
    case VV_TARGET_BODY:
      return attr_sensor_body;
    case VV_TARGET_ACTUATOR:
      return attr_sensor_actuator;
    case VV_TARGET_TENDON:
      return attr_sensor_tendon;
    case VV_TARGET_NONE:
      return attr_sensor_scene;
    default:
      return attr_sensor_joint;
  }
}
const vvAttr* vv_attr_key(void) {
  return attr_key;
}
const vvAttr* vv_attr_exclude(void) {
  return attr_exclude;
}
const vvAttr* vv_attr_equality(int type) {
  static const vvAttr* const tables[] = {attr_connect, attr_weld, attr_eq_joint};
  return type < 0 ? attr_eq_class : tables[type];
}
const vvAttr* vv_attr_option(void) {
  return attr_option;
}
const vvAttr* vv_attr_compiler(void) {
  return attr_compiler;
}
