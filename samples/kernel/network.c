// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// network.c: a small neural network as a force: eight hidden units between a state and a force. Its reverse derivative
// gives the gradient in the weights.
//
//   vv kernel samples/kernel/network.c --check

#include "visviva/kernel.h"

enum { IN = 6, HIDDEN = 8, OUT = 3 };

typedef struct Network {
  vvReal W1[HIDDEN][IN], b1[HIDDEN];
  vvReal W2[OUT][HIDDEN], b2[OUT];
} Network;

VV_DIFF void network_force(const Network* net, const vvReal* state, vvReal* force) {
  vvReal h[HIDDEN];
  for (int i = 0; i < HIDDEN; i++) {
    vvReal s = net->b1[i];
    for (int j = 0; j < IN; j++) s += net->W1[i][j] * state[j];
    h[i] = vv_tanh(s);
  }
  for (int i = 0; i < OUT; i++) {
    force[i] = net->b2[i];
    for (int j = 0; j < HIDDEN; j++) force[i] += net->W2[i][j] * h[j];
  }
}

// How far the force is from a wanted one: what training minimises.
VV_DIFF vvReal network_loss(const Network* net, const vvReal* state, const vvReal* wanted) {
  vvReal force[OUT], s = 0;
  network_force(net, state, force);
  for (int i = 0; i < OUT; i++) s += (force[i] - wanted[i]) * (force[i] - wanted[i]);
  return s;
}
