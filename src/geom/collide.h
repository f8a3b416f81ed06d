// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// collide.h: the search for contacts. It returns features only; vv_contact_evaluate gives their geometry.

#ifndef VISVIVA_GEOM_COLLIDE_H_
#define VISVIVA_GEOM_COLLIDE_H_

#include "visviva/contact.h"
#include "visviva/model.h"

// Most contacts that two geoms of these types (ascending) can have.
int vv_collide_max(int type1, int type2);

// Contacts of all pairs of m with gap below their margin, in the order of m->pair_geom. Poses of bodies in: xpos
// (nbody x 3), xmat (nbody x 9). Scratch: geom_pos, geom_axis (ngeom x 3 each). VV_ERROR_CAPACITY when more than
// `capacity` were found; *count says how many there are.
vvStatus vv_collide(const vvModel* m, const vvReal* xpos, const vvReal* xmat, vvReal* geom_pos, vvReal* geom_axis,
                    vvContactFeature* contacts, int capacity, int* count);

#endif  // VISVIVA_GEOM_COLLIDE_H_
