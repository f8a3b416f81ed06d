// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// contact.h: what the search for contacts returns, and a contact's geometry as evaluated from it (design, section 5).

#ifndef VISVIVA_CONTACT_H_
#define VISVIVA_CONTACT_H_

#include "visviva/kernel.h"

// How the point, normal and gap of a contact follow from the poses of its geoms; what index and second mean is stated
// in src/geom/contact_kernel.h and the files it includes.
typedef enum vvFeatureKind {
  VV_FEATURE_PLANE_SPHERE = 0,
  VV_FEATURE_PLANE_CAPSULE,
  VV_FEATURE_PLANE_BOX,
  VV_FEATURE_SPHERE_SPHERE,
  VV_FEATURE_SPHERE_CAPSULE,
  VV_FEATURE_CAPSULE_CAPSULE,
  VV_FEATURE_PLANE_CYLINDER,
  VV_FEATURE_PLANE_ELLIPSOID,
  VV_FEATURE_SPHERE_CYLINDER,
  VV_FEATURE_SPHERE_BOX,
  VV_FEATURE_CAPSULE_BOX,
  VV_FEATURE_BOX_FACE,
  VV_FEATURE_BOX_EDGE,
  VV_FEATURE_CONVEX
} vvFeatureKind;

// One contact, found by search. Nothing of it is differentiated; its integers are branches (part of the signature), its
// reals a converged start from which evaluation takes one Newton step.
typedef struct vvContactFeature {
  int geom1, geom2;  // geom types ascend
  int kind;          // vvFeatureKind
  int index;         // vertex, end, region or edge
  int second;        // more of the same
  int dim;           // condim in effect: 1, 3, 4, 6
  double y[3];       // VV_FEATURE_CONVEX: unit normal; else 0
} vvContactFeature;

// Kinds of constraints other than contacts.
typedef enum vvRowKind {
  VV_ROW_LIMIT = 0,  // of a hinge or slide; id: joint, side: 0 lower, 1 upper
  VV_ROW_FRICTION,   // dry friction of a dof; id: dof
  VV_ROW_EQUALITY,   // id: equality
  VV_ROW_BALL_LIMIT  // id: joint
} vvRowKind;

// A constraint in effect other than a contact: a limit in reach of its margin, dry friction, an equality; integers
// only.
typedef struct vvRowFeature {
  int kind;  // vvRowKind
  int id;
  int side;
} vvRowFeature;

// Geometry of a contact, world frame. The normal points from geom 1 to geom 2; gap < 0 means penetration.
typedef struct vvContactPoint {
  vvVec3 point;     // midway between the two surfaces   [m]
  vvVec3 normal;    // unit
  vvVec3 tangent1;  // unit, where the first friction direction lies
  vvVec3 tangent2;  // normal x tangent1
  vvReal gap;       // [m]
} vvContactPoint;

#endif  // VISVIVA_CONTACT_H_
