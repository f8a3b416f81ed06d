// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// tape.h: the record of a rollout: per evaluation the configuration, velocity, the solutions of both nodes and the
// features of contacts and limits. A step has one evaluation, or four with Runge-Kutta's method; the last row has one.
// Everything else is rebuilt from these.
//
// layout   chunks of memory that stay where they are; a record lies within one chunk:
//          header | q nq | v nv | act na | a nv | a2 nv | contacts | limits

#ifndef VISVIVA_ROLL_TAPE_H_
#define VISVIVA_ROLL_TAPE_H_

#include "visviva/contact.h"
#include "visviva/roll.h"

typedef struct vvTapeHeader {
  int ncontact;
  int nlimit;
  int solved;  // 1: a, contacts and limits are those of the row; 0: only q and v, a and a2 are zero
  int pad;
} vvTapeHeader;

// A row, as read back.
typedef struct vvTapeRow {
  const vvReal* q;                   // nq
  const vvReal* v;                   // nv
  const vvReal* act;                 // na
  const vvReal* a;                   // nv   zeros where not solved
  const vvReal* a2;                  // nv   likewise; the acceleration that advances v
  const vvContactFeature* contacts;  // ncontact
  const vvRowFeature* limits;        // nlimit
  int ncontact;
  int nlimit;
  bool solved;
} vvTapeRow;

// Empties the tape for a rollout of nstep steps (nstep + 1 rows; all but the last of vv_rigid_stages evaluations).
vvStatus vv_tape_begin(vvTape* tape, const vvModel* m, int nstep);

// A hash of the rollout's inputs, to notice when they change before the derivatives.
void vv_tape_mark(vvTape* tape, uint64_t inputs);
uint64_t vv_tape_inputs(const vvTape* tape);

// Appends an evaluation; a, contacts and limits count where `solved`. VV_ERROR_CAPACITY beyond the limit,
// VV_ERROR_MEMORY.
vvStatus vv_tape_append(vvTape* tape, const vvTapeRow* row);

// Evaluation `stage` of row k of 0..N; it must have been appended.
vvTapeRow vv_tape_row(const vvTape* tape, int k, int stage);

// A number that no other recording made with the tape's context shares; never 0.
uint64_t vv_tape_id(const vvTape* tape);

// True when the tape holds all rows of a rollout of nstep steps of a model of these sizes.
bool vv_tape_complete(const vvTape* tape, const vvModel* m, int nstep);

#endif  // VISVIVA_ROLL_TAPE_H_
