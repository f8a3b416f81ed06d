// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// output.h: what can be read off a state: sensors and state quantities (body/cube/pos, energy/kinetic, ...), as items
// of one output vector. An item fills out[adr .. adr + dim - 1].
//
// frames   positions, velocities and accelerations are those of the frame's origin, in world axes unless an item has a
//          reference frame; body/NAME/angvel is in body axes
// branches  which contacts a touch sensor counts is a branch: its derivative leaves out that the set changes
// needs    positions follow from q; velocities from q, v; accelerations and contact forces from the solved acceleration
//          (vv_output_needs)

#ifndef VISVIVA_OUTPUT_H_
#define VISVIVA_OUTPUT_H_

#include "visviva/model.h"
#include "visviva/report.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a frame sensor's object or reference is.
typedef enum vvFrameType {
  VV_FRAME_BODY = 0,  // center of mass and principal axes of the body's inertia
  VV_FRAME_XBODY,     // the body's own frame
  VV_FRAME_GEOM,
  VV_FRAME_SITE
} vvFrameType;

typedef enum vvSensorType {
  VV_SENSOR_JOINTPOS = 0,
  VV_SENSOR_JOINTVEL,
  VV_SENSOR_BALLQUAT,
  VV_SENSOR_BALLANGVEL,
  VV_SENSOR_FRAMEPOS,
  VV_SENSOR_FRAMEQUAT,
  VV_SENSOR_FRAMEXAXIS,
  VV_SENSOR_FRAMEYAXIS,
  VV_SENSOR_FRAMEZAXIS,
  VV_SENSOR_FRAMELINVEL,
  VV_SENSOR_FRAMEANGVEL,
  VV_SENSOR_FRAMELINACC,  // gravity counts: at rest it is -gravity
  VV_SENSOR_FRAMEANGACC,
  VV_SENSOR_GYRO,           // at a site, in its axes
  VV_SENSOR_VELOCIMETER,    //
  VV_SENSOR_ACCELEROMETER,  // gravity counts
  VV_SENSOR_FORCE,          // of the parent on the site's body, with contacts
  VV_SENSOR_TORQUE,         // the same at the site
  VV_SENSOR_TOUCH,          // normal forces of the site's body in the site's volume
  VV_SENSOR_SUBTREECOM,     // center of mass of a body and all that hangs on it
  VV_SENSOR_SUBTREELINVEL,
  VV_SENSOR_SUBTREEANGMOM,  // about that center
  VV_SENSOR_EPOTENTIAL,
  VV_SENSOR_EKINETIC
} vvSensorType;

// Kinds of items: vvSensorType and these.
typedef enum vvOutputKind {
  VV_OUTPUT_ZERO = 128,       // a sensor that is switched off
  VV_OUTPUT_BODYANGVEL,       // of body obj, body axes           3
  VV_OUTPUT_JOINTPOS,         // of joint obj                     1, 4, 7   quaternions normalised
  VV_OUTPUT_JOINTVEL,         //                                  1, 3, 6
  VV_OUTPUT_ACTUATORFORCE,    // of actuator obj, before gear     1
  VV_OUTPUT_CONTACTFORCE,     // total on geom ref from geom obj  3
  VV_OUTPUT_ENERGYPOTENTIAL,  // gravity and joint springs        1
  VV_OUTPUT_ENERGYKINETIC,    //                                  1
  VV_OUTPUT_QPOS,             // q[obj]                           1
  VV_OUTPUT_QVEL,             // v[obj]                           1
  VV_OUTPUT_ACT               // act[obj]                         1
} vvOutputKind;

typedef struct vvOutputItem {
  int kind;     // vvSensorType or vvOutputKind
  int obj;      // body, joint, geom, site, actuator, index
  int objtype;  // vvFrameType, of frame kinds
  int objaxes;  // VV_FRAME_BODY: where its axes come from (internal)
  int ref;      // reference frame's object, -1: world; CONTACTFORCE: geom
  int reftype;  // vvFrameType
  int refaxes;
  int last;    // one past the last body of obj's subtree, of kinds that sum over it (internal)
  int sensor;  // whose cutoff holds, -1: none
  int first;   // first component
  int adr;     // in the output vector
  int dim;     // components
} vvOutputItem;

// The item of a quantity: body/NAME/pos|quat|linvel|angvel[/i], joint/NAME/pos|vel[/i], site/NAME/pos[/i],
// sensor/NAME[/i], actuator/NAME/force, contact/GEOM1/GEOM2/force[/i], energy/potential|kinetic, and the columns
// qpos[i], qvel[i], act[i], sensor/NAME[i] of a trajectory. Names escaped, unnamed elements #3. adr is 0.
// VV_ERROR_ARGUMENT: no such quantity; VV_ERROR_UNSUPPORTED: one that cannot be differentiated. The report says which
// and why.
vvStatus vv_output_find(const vvModel* m, const char* quantity, vvOutputItem* item, vvReport* report);

// All sensors in order: nsensor items, sensor_adr as adr.
vvStatus vv_output_sensors(const vvModel* m, vvOutputItem* items, vvReport* report);

// All state quantities of a scene: how many, and the i-th name. False when the text does not fit.
int vv_output_count(const vvModel* m);
bool vv_output_name(const vvModel* m, int i, char* text, size_t size);

// Bits: what the items need besides q.
enum { VV_OUTPUT_NEEDS_VELOCITY = 1, VV_OUTPUT_NEEDS_ACCELERATION = 2 };
int vv_output_needs(const vvOutputItem* items, int nitem);

// Evaluates items at q, v, act (na, NULL: 0), ctrl (nu, NULL: 0) with the pose, contacts and accelerations in `work`,
// as vv_rigid_evaluate left it there. Items that need no acceleration are right after vv_rigid_relinearize, too.
struct vvRigidWork;
void vv_output_evaluate(const vvModel* m, const vvReal* q, const vvReal* v, const vvReal* act, const vvReal* ctrl,
                        const vvOutputItem* items, int nitem, struct vvRigidWork* work, vvReal* out);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_OUTPUT_H_
