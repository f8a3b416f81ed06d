// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// loss.c: a loss for rollouts: the cube is to lie at a place at the end and to turn little on the way.
//
//   vv grad samples/cube-toss/cube.xml --steps 100 --loss samples/kernel/loss.c:landing --wrt qvel0
//   vv check samples/cube-toss/cube.xml --steps 10 --loss samples/kernel/loss.c:landing --wrt qpos0,qvel0

#include "visviva/kernel.h"

enum { CUBE = 1 };  // bodies are numbered in the order of the file, 0 is the world

VV_DIFF vvReal landing(const vvModel* m, const vvState* s, const vvReal* ctrl, const vvReal* sensor, const vvReal* data,
                       int step, int nstep) {
  vvBodyState cube = vv_body_state(m, s, CUBE);
  vvReal loss = (vvReal)0.01 * m->opt_timestep[0] * vv_vec3_dot(cube.ang, cube.ang);
  if (step == nstep) {
    vvReal dx = cube.pos.x - (vvReal)0.3, dy = cube.pos.y;
    loss += dx * dx + dy * dy;
  }
  return loss;
}
