// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// output_kernel.h: the output vector of a state (visviva/output.h) and the motions that it is read from.

#ifndef VISVIVA_RIGID_OUTPUT_KERNEL_H_
#define VISVIVA_RIGID_OUTPUT_KERNEL_H_

#include "rigid/rigid_kernel.h"
#include "visviva/output.h"

// V, A and G of all bodies from v and a (rigid_kernel.h), all with derivatives; W is not touched.
VV_DIFF_WRT(state, pose, v, a)
VV_DIFF void vv_rigid_motion(const vvModel* m, const vvRigidPose* pose, const vvReal* v, const vvReal* a,
                             VV_WRITE_ONCE vvRigidMotion* motion);

// Item i to out[adr .. adr + dim - 1]. motion: vv_rigid_motion's; its V is read by velocities, A and G by accelerations
// and contact forces. a is the acceleration that motion was made with, q the configuration of pose.
VV_DIFF_WRT(state, pose, q, v, act, ctrl, motion)
VV_DIFF void vv_rigid_output(const vvModel* m, VV_NO_DIFF const vvReal* ref, const vvRigidPose* pose, const vvReal* q,
                             const vvReal* v, const vvReal* act, const vvReal* ctrl, const vvRigidMotion* motion,
                             VV_NO_DIFF const vvContactFeature* contacts, int ncontact, const vvOutputItem* items,
                             int nitem, vvReal* out);

#endif  // VISVIVA_RIGID_OUTPUT_KERNEL_H_
