// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// problem.h: a fit problem as read: the scene, the recording, signals and their columns, windows, free numbers.

#ifndef VISVIVA_FIT_PROBLEM_H_
#define VISVIVA_FIT_PROBLEM_H_

#include "fit/recording.h"
#include "fit/yaml.h"
#include "visviva/fit.h"
#include "visviva/names.h"
#include "visviva/output.h"
#include "visviva/spec.h"

enum { VV_FIT_FREE_MAX = 200, VV_FIT_SIGNAL_MAX = 64 };

// A piece of a signal: plain entries, or a quaternion.
typedef struct vvFitPart {
  bool quat;
  int out;     // first entry in the output row
  int column;  // first entry in vvFitSignalIn.columns
  int n;       // entries: 4 for a quaternion (3 residuals)
} vvFitPart;

typedef struct vvFitSignalIn {
  const char* name;
  const char* unit;
  double weight;
  int* columns;  // ncolumn   columns of the recording
  int ncolumn;
  vvFitPart* parts;  // npart
  int npart;
  int nresidual;  // per sample
} vvFitSignalIn;

// Entries of q or v that a window's first sample sets.
typedef struct vvFitInitial {
  bool velocity;
  bool quat;  // 4 entries of q
  int adr;    // first entry of q or v
  int n;
  int* columns;  // n
} vvFitInitial;

typedef enum vvFitScale { VV_FIT_LINEAR = 0, VV_FIT_LOG } vvFitScale;

// One free number: what a key under `free` says.
typedef struct vvFitFree {
  const char* name;
  const char* unit;
  int* numbers;  // nnumber   numbers of the scene, all of them set to its value
  int nnumber;
  double start, min, max;
  double unit_size;  // in which `unidentifiable` measures it
  vvFitScale scale;
  bool bounded;  // min, max or scale is stated
  int inertia;   // -1, or the block of ten (vvFitInertia)
} vvFitFree;

// A body whose ten inertial numbers are all free, parametrised so that they stay physical (parameters.c).
typedef struct vvFitInertia {
  int slot[10];   // indices of mass, ipos 0..2, fullinertia 0..5 among the free numbers
  double length;  // [m] unit of the lengths among the parameters
} vvFitInertia;

// Where a sample lies between two rows of outputs: (1 - share) row + share (row + 1), rows counted among those asked
// for.
typedef struct vvFitPlace {
  int row;
  double share;
} vvFitPlace;

typedef struct vvFitWindow {
  int first;    // row of the recording where it starts
  int nsample;  // compared samples, those after the first
  int nstep;
  int nrow;    // rows of outputs
  int rows;    // first entry in vvFitProblem.rows
  int places;  // first entry in vvFitProblem.places
} vvFitWindow;

struct vvFitProblem {
  vvFitMemory memory;
  vvContext* context;
  const char* file;
  vvSpec* spec;
  vvModel* model;
  vvRecording recording;
  vvOutputItem* items;
  int nitem, nout;
  vvFitSignalIn* signals;
  int nsignal;
  int nresidual;  // per sample, all signals
  vvFitInitial* initial;
  int ninitial;
  bool q_recorded;   // any entry of q comes from the recording
  bool* q_set;       // nq      entry of q comes from the recording
  int* ctrl_column;  // nu      column of the recording, -1: 0
  bool has_ctrl;
  int samples, hop;  // 0: whole episodes
  vvFitFree* free;
  int nfree;
  vvFitInertia* inertias;
  int ninertia;
  double huber;    // width, 0: squares
  double* starts;  // nstart x nfree
  int nstart;
  vvFitWindow* windows;  // nwindow: fitted ones first, then those held out
  int nwindow, nfitted, nshort;
  int* rows;
  vvFitPlace* places;
  int nplace_max, nrow_max, nstep_max, nsample_max;
  uint64_t hash;
};

// What is read from `held_out`.
typedef struct vvFitHeldOut {
  int column;  // of the recording, -1: by share
  int modulus, remainder;
  double share;  // 0: nothing
} vvFitHeldOut;

// windows.c: cuts episodes into windows and places their samples among the steps.
vvStatus vv_fit_windows(vvFitProblem* problem, const vvFitHeldOut* held_out, uint64_t seed, vvReport* report);

// free.c: reads `free` and `starts`.
vvStatus vv_fit_read_free(vvFitProblem* problem, vvYaml* yaml, const vvYamlNode* root);

#endif  // VISVIVA_FIT_PROBLEM_H_
