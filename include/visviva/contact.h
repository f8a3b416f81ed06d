// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// contact.h: what the search for contacts returns, and a contact's geometry as evaluated from it (design, section 5).

#ifndef VISVIVA_CONTACT_H_
#define VISVIVA_CONTACT_H_

#include "visviva/kernel.h"

// How the point, normal and gap of a contact follow from the poses of its geoms.
typedef enum vvFeatureKind {
  VV_FEATURE_PLANE_SPHERE = 0,
  VV_FEATURE_PLANE_CAPSULE,  // index: 0 end at +z, 1 end at -z
  VV_FEATURE_PLANE_BOX,      // index: bits 0, 1, 2 set where the corner is at +x, +y, +z
  VV_FEATURE_SPHERE_SPHERE,
  VV_FEATURE_SPHERE_CAPSULE,  // index: region of the capsule's segment (0 inside, 1 end at +z, 2 end at -z)
  VV_FEATURE_CAPSULE_CAPSULE  // index: see src/geom/collide.c
} vvFeatureKind;

// One contact, found by search; integers only, so that nothing of it is differentiated.
typedef struct vvContactFeature {
  int geom1, geom2;  // geom types ascend
  int kind;          // vvFeatureKind
  int index;         // vertex, end or region
  int dim;           // condim in effect: 1, 3, 4, 6
} vvContactFeature;

// Kinds of constraints other than contacts.
typedef enum vvRowKind {
  VV_ROW_LIMIT = 0,  // of a hinge or slide; id: joint, side: 0 lower, 1 upper
  VV_ROW_FRICTION    // dry friction of a dof; id: dof
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
