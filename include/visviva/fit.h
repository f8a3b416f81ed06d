// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// fit.h: numbers of a scene from recordings. A problem (a YAML file: scene, recording, signals, free numbers) is read,
// run, and gives the numbers with their errors, correlations, and what the data cannot tell (docs/fit.md).
//
//   vv_fit_problem_read(ctx, "problem.yaml", NULL, seed, &problem, &report);
//   vv_fit_run(problem, NULL, &result, &report);
//   vv_fit_write_scene(problem, value, "fitted.xml", &report);
//
// method   Levenberg-Marquardt on exact Jacobians, the windows cut into fixed blocks, so that results do not depend on
//          the number of threads; first on few windows, then on all
// symbols  residual r = weight (model - recorded), quaternions 2 vec(q_recorded* q), sign-free; loss sum of rho(|r|^2)

#ifndef VISVIVA_FIT_H_
#define VISVIVA_FIT_H_

#include "visviva/model.h"
#include "visviva/report.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvFitProblem vvFitProblem;

// How Jacobians are made: eight numbers in one forward sweep, or one reverse sweep per residual.
typedef enum vvFitSweep { VV_FIT_SWEEP_AUTO = 0, VV_FIT_SWEEP_FORWARD, VV_FIT_SWEEP_REVERSE } vvFitSweep;

typedef struct vvFitOptions {
  const char* state_path;  // file for resuming, rewritten every iteration; NULL: none
  bool resume;             // go on from state_path
  int max_iterations;      // per start and level                                   [100]
  vvFitSweep sweep;
} vvFitOptions;

// Why a start ended.
typedef enum vvFitStop {
  VV_FIT_CONVERGED = 0,  // the next step would move less than a fiftieth of a standard error
  VV_FIT_STALLED,        // no shorter step helps: the loss is rough at that scale
  VV_FIT_MAX_ITERATIONS
} vvFitStop;

typedef struct vvFitNumber {
  const char* name;  // the key under `free`
  const char* unit;
  double start, value;    // of the best start
  double min, max;        // infinite without
  double standard_error;  // NaN: at a bound, or not determined
  bool at_bound;
} vvFitNumber;

typedef struct vvFitSignal {
  const char* name;
  const char* unit;
  double before, fitted;             // rms over the fitted windows, at the start and at the end
  double held_out_before, held_out;  // rms over the windows held out, NaN without
} vvFitSignal;

typedef struct vvFitStart {
  double* start;  // nnumber
  double* value;  // nnumber
  double loss;
  double seconds;
  int iterations;  // Jacobians made
  vvFitStop stop;
} vvFitStart;

typedef struct vvFitCorrelation {
  int a, b;  // numbers
  double r;
} vvFitCorrelation;

// A direction in the space of the numbers that the recording does not fix.
typedef struct vvFitDirection {
  double* part;   // nnumber  unit vector, each number in its own unit (its size, or its range)
  double spread;  // standard deviation along it in those units; infinite: nothing depends on it
} vvFitDirection;

// Numbers after each iteration of the best start.
typedef struct vvFitTrace {
  int level;  // 0 coarsest
  double loss_per_sample;
  double* value;  // nnumber
} vvFitTrace;

typedef struct vvFitResult {
  int nnumber, nsignal, nstart, ncorrelation, nunidentifiable, ntrace, nlag;
  vvFitNumber* numbers;
  vvFitSignal* signals;
  vvFitStart* starts;
  vvFitCorrelation* correlations;  // all pairs, strongest first
  vvFitDirection* unidentifiable;
  vvFitTrace* trace;
  double* lag;         // nlag    mean time after a window's start    [s]
  double* lag_before;  // nsignal x nlag   rms at that time, at the start
  double* lag_fitted;  // nsignal x nlag
  int best;            // start with the least loss
  int nwindow, nwindow_held_out;
  int iterations;              // all starts
  double seconds;              // all starts, resumed parts included
  int nshort;                  // episodes too short for a window, left out
  struct vvFitMemory* memory;  // everything above
} vvFitResult;

vvFitOptions vv_fit_options_default(void);

// Reads problem, scene and recording. `recording`: instead of the problem's own file, NULL: none. The seed chooses the
// episodes of held_out: {share}.
vvStatus vv_fit_problem_read(vvContext* context, const char* path, const char* recording, uint64_t seed,
                             vvFitProblem** problem, vvReport* report);
void vv_fit_problem_free(vvFitProblem* problem);

int vv_fit_number_count(const vvFitProblem* problem);

// Identity of a problem: what it says, the scene's numbers, the recording's samples, the seed.
uint64_t vv_fit_problem_hash(const vvFitProblem* problem);

// Runs all starts. VV_ERROR_CANCELLED: what was reached is in the state file. NULL options: the default ones.
vvStatus vv_fit_run(vvFitProblem* problem, const vvFitOptions* options, vvFitResult** result, vvReport* report);
void vv_fit_result_free(vvContext* context, vvFitResult* result);

// Writes the scene with these values of the free numbers.
vvStatus vv_fit_write_scene(vvFitProblem* problem, const double* value, const char* path, vvReport* report);

// Loss and its gradient with respect to the free numbers at `value`, over the fitted windows; for tests and own
// optimisers. gradient may be NULL.
vvStatus vv_fit_loss(vvFitProblem* problem, const double* value, vvFitSweep sweep, double* loss, double* gradient,
                     vvReport* report);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_FIT_H_
