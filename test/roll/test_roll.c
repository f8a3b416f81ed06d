// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_roll.c: rollouts, reverse sweeps and forward sensitivities against each other; bits that must not depend on
// tapes, threads or repetition; no allocation once everything is made; allocations that fail.

#include "vvtest.h"

#include <stdlib.h>
#include <string.h>

#include "dynamics_kernel.vv.h"
#include "kinematics_kernel.vv.h"
#include "roll/roll_help.h"
#include "visviva/arena.h"

enum { NSTEP = 40, SETTLE = 150 };

static vvContext* context_with_threads(int nthread) {
  vvContextOptions options = vv_context_options_default();
  options.nthread = nthread;
  vvContext* ctx = NULL;
  assert_int_equal(vv_context_create(&options, &ctx), VV_OK);
  return ctx;
}

// Everything that a gradient of a scene consists of.
typedef struct allBars {
  vvGradient g;
  vvReal* block;
  size_t n;
} allBars;

static allBars make_bars(const rollScene* s) {
  const vvModel* m = s->m;
  size_t nctrl = (size_t)s->nstep * (size_t)m->nu;
  allBars b = {.n = nctrl + 2 * (size_t)m->nv + (size_t)s->nstep + 1};
  b.block = VV_NEW(s->ctx, vvReal, b.n);
  assert_non_null(b.block);
  b.g.ctrl_bar = b.block;
  b.g.q0_bar = b.block + nctrl;
  b.g.v0_bar = b.g.q0_bar + m->nv;
  b.g.adjoint_norm = b.g.v0_bar + m->nv;
  assert_int_equal(vv_model_shadow(s->ctx, m, &b.g.model), VV_OK);
  return b;
}

static void free_bars(const rollScene* s, allBars* b) {
  vv_model_shadow_free(s->ctx, b->g.model);
  VV_DELETE(s->ctx, b->block, vvReal, b->n);
}

static void fill8(vvRandom* random, vvReal8* x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    for (int lane = 0; lane < 8; lane++) x[i][lane] = (vvReal)vv_random_normal(random);
  }
}

// sum(outputs_bar . outputs_tan) of forward sensitivities equals sum(bar . tan) of the reverse sweep, in all directions
// at once: the model's reals (primary and derived as independent), initial state, controls.
static void dot_test(const char* path, bool own_initial) {
  vvContext* ctx = context_with_threads(1);
  rollScene* s = roll_scene_load(ctx, VV_ROOT, path, SETTLE, NSTEP);
  assert_non_null(s);
  const vvModel* m = s->m;
  vvRolloutInput in = roll_scene_input(s);
  if (own_initial) in.initial = NULL;
  vvRollout* work = NULL;
  vvTape* tape = NULL;
  assert_int_equal(vv_rollout_create(ctx, m, VV_ROLLOUT_ALL, &work), VV_OK);
  assert_int_equal(vv_tape_create(ctx, &tape), VV_OK);
  assert_int_equal(vv_rollout(&in, tape, work, NULL, NULL), VV_OK);
  size_t nout = (size_t)vv_rollout_rows(&in) * (size_t)in.nout;
  size_t nv = (size_t)m->nv;
  size_t nctrl = (size_t)s->nstep * (size_t)m->nu;
  // Sections primary and derived; bulk is constant.
  size_t nreal = m->section_begin[VV_SECTION_BULK];
  vvReal* seed_bar = VV_NEW(ctx, vvReal, nout + 2 * nv);
  vvReal8* tan = VV_NEW(ctx, vvReal8, vv_model_real_count(m) + 2 * nv + nctrl);
  vvReal8* out_tan = VV_NEW(ctx, vvReal8, nout + 2 * nv);
  vvRandom random = vv_random_init(3, 2);
  roll_fill_normal(&random, seed_bar, nout + 2 * nv);
  vvReal8* state_tan = tan + vv_model_real_count(m);
  fill8(&random, tan, nreal);
  fill8(&random, state_tan, 2 * nv + nctrl);
  vvRolloutTangent tangent = {.reals_tan = tan,
                              .q0_tan = state_tan,
                              .v0_tan = state_tan + nv,
                              .ctrl_tan = nctrl > 0 ? state_tan + 2 * nv : NULL};
  vvRolloutOutputTangent out = {.outputs_tan = out_tan, .q_tan = out_tan + nout, .v_tan = out_tan + nout + nv};
  assert_int_equal(vv_rollout_jvp8(&in, tape, work, &tangent, &out, NULL), VV_OK);
  allBars bars = make_bars(s);
  vvRolloutSeed seed = {.outputs_bar = seed_bar, .q_bar = seed_bar + nout, .v_bar = seed_bar + nout + nv};
  assert_int_equal(vv_rollout_vjp(&in, tape, work, &seed, &bars.g, NULL), VV_OK);
  for (int lane = 0; lane < 8; lane++) {
    double forward = 0;
    double reverse = 0;
    double size = 0;
    for (size_t i = 0; i < nout + 2 * nv; i++) {
      double x = (double)(seed_bar[i] * out_tan[i][lane]);
      forward += x;
      size += fabs(x);
    }
    for (size_t i = 0; i < nreal; i++) reverse += (double)(bars.g.model->reals[i] * tan[i][lane]);
    for (size_t i = 0; i < nv; i++) reverse += (double)(bars.g.q0_bar[i] * state_tan[i][lane]);
    for (size_t i = 0; i < nv; i++) reverse += (double)(bars.g.v0_bar[i] * state_tan[nv + i][lane]);
    for (size_t i = 0; i < nctrl; i++) reverse += (double)(bars.g.ctrl_bar[i] * state_tan[2 * nv + i][lane]);
    if (!(fabs(forward - reverse) <= 1e-9 * size)) {
      print_error("%s lane %d: forward %.17g, reverse %.17g\n", path, lane, forward, reverse);
      fail();
    }
  }
  free_bars(s, &bars);
  VV_DELETE(ctx, out_tan, vvReal8, nout + 2 * nv);
  VV_DELETE(ctx, tan, vvReal8, vv_model_real_count(m) + 2 * nv + nctrl);
  VV_DELETE(ctx, seed_bar, vvReal, nout + 2 * nv);
  vv_tape_free(tape);
  vv_rollout_free(work);
  roll_scene_free(s);
  assert_int_equal(vv_context_memory(ctx).bytes, 0);
  vv_context_destroy(ctx);
}

static void test_forward_and_reverse_agree(void** state) {
  (void)state;
  for (int i = 0; roll_scenes[i]; i++) dot_test(roll_scenes[i], false);
  dot_test(roll_scenes[0], true);
}

// Directional derivatives in primary numbers: tangents through vv_model_derive_jvp8 and the rollout, against the
// reverse sweep and vv_model_derive_vjp.
static void test_primary_numbers(void** state) {
  (void)state;
  vvContext* ctx = context_with_threads(1);
  for (int i = 0; roll_scenes[i]; i++) {
    rollScene* s = roll_scene_load(ctx, VV_ROOT, roll_scenes[i], SETTLE, NSTEP);
    assert_non_null(s);
    const vvModel* m = s->m;
    vvRolloutInput in = roll_scene_input(s);
    in.initial = NULL;
    vvRollout* work = NULL;
    vvTape* tape = NULL;
    assert_int_equal(vv_rollout_create(ctx, m, VV_ROLLOUT_ALL, &work), VV_OK);
    assert_int_equal(vv_tape_create(ctx, &tape), VV_OK);
    assert_int_equal(vv_rollout(&in, tape, work, NULL, NULL), VV_OK);
    size_t nout = (size_t)vv_rollout_rows(&in) * (size_t)in.nout;
    vvReal8* tan = VV_NEW(ctx, vvReal8, vv_model_real_count(m));
    vvReal8* out_tan = VV_NEW(ctx, vvReal8, nout);
    vvReal* seed_bar = VV_NEW(ctx, vvReal, nout);
    vvRandom random = vv_random_init(9, 9);
    roll_fill_normal(&random, seed_bar, nout);
    int number[8];
    for (int lane = 0; lane < 8; lane++) {
      do {
        number[lane] = (int)vv_random_below(&random, (uint64_t)m->names->nnumber);
      } while (m->names->numbers[number[lane]].reason);
      vv_number_tangent(m, number[lane], lane, tan);
    }
    assert_int_equal(vv_model_derive_jvp8(ctx, m, tan), VV_OK);
    vvRolloutTangent tangent = {.reals_tan = tan};
    vvRolloutOutputTangent out = {.outputs_tan = out_tan};
    assert_int_equal(vv_rollout_jvp8(&in, tape, work, &tangent, &out, NULL), VV_OK);
    allBars bars = make_bars(s);
    vvRolloutSeed seed = {.outputs_bar = seed_bar};
    assert_int_equal(vv_rollout_vjp(&in, tape, work, &seed, &bars.g, NULL), VV_OK);
    assert_int_equal(vv_model_derive_vjp(ctx, m, bars.g.model), VV_OK);
    for (int lane = 0; lane < 8; lane++) {
      double forward = 0;
      double size = 1e-4;
      for (size_t k = 0; k < nout; k++) {
        forward += (double)(seed_bar[k] * out_tan[k][lane]);
        size += fabs((double)(seed_bar[k] * out_tan[k][lane]));
      }
      double reverse = (double)vv_number_bar(bars.g.model, number[lane]);
      if (!(fabs(forward - reverse) <= 1e-8 * size)) {
        print_error("%s %s: forward %.17g, reverse %.17g\n", roll_scenes[i], m->names->numbers[number[lane]].name,
                    forward, reverse);
        fail();
      }
    }
    free_bars(s, &bars);
    VV_DELETE(ctx, seed_bar, vvReal, nout);
    VV_DELETE(ctx, out_tan, vvReal8, nout);
    VV_DELETE(ctx, tan, vvReal8, vv_model_real_count(m));
    vv_tape_free(tape);
    vv_rollout_free(work);
    roll_scene_free(s);
  }
  vv_context_destroy(ctx);
}

// The gradient without the model's numbers is bit for bit that with them, and a tape changes nothing.
static void test_bits(void** state) {
  (void)state;
  vvContext* ctx = context_with_threads(1);
  for (int i = 0; roll_scenes[i]; i++) {
    rollScene* s = roll_scene_load(ctx, VV_ROOT, roll_scenes[i], SETTLE, NSTEP);
    assert_non_null(s);
    vvRolloutInput in = roll_scene_input(s);
    vvRollout* work = NULL;
    vvRollout* other = NULL;
    vvTape* tape = NULL;
    assert_int_equal(vv_rollout_create(ctx, s->m, VV_ROLLOUT_REVERSE, &work), VV_OK);
    assert_int_equal(vv_rollout_create(ctx, s->m, VV_ROLLOUT_FORWARD, &other), VV_OK);
    assert_int_equal(vv_tape_create(ctx, &tape), VV_OK);
    size_t nout = (size_t)vv_rollout_rows(&in) * (size_t)in.nout;
    vvReal* y = VV_NEW(ctx, vvReal, 3 * nout);
    uint64_t signature[2][NSTEP];
    vvState* end[3] = {NULL, NULL, NULL};
    for (int k = 0; k < 3; k++) assert_int_equal(vv_state_create(ctx, s->m, &end[k]), VV_OK);
    vvRolloutOutput plain = {.outputs = y, .final = end[0], .signature = signature[0]};
    vvRolloutOutput taped = {.outputs = y + nout, .final = end[1], .signature = signature[1]};
    assert_int_equal(vv_rollout(&in, NULL, other, &plain, NULL), VV_OK);
    assert_int_equal(vv_rollout(&in, tape, work, &taped, NULL), VV_OK);
    assert_memory_equal(y, y + nout, nout * sizeof(vvReal));
    assert_memory_equal(end[0]->block, end[1]->block, end[0]->size * sizeof(vvReal));
    assert_memory_equal(signature[0], signature[1], sizeof signature[0]);
    // Steps one by one give the same bits as the rollout.
    vvRigidWork* rigid = NULL;
    assert_int_equal(vv_rigid_work_create(ctx, s->m, &rigid), VV_OK);
    vv_state_copy(s->start, end[2]);
    for (int k = 0; k < NSTEP; k++) {
      assert_int_equal(vv_rigid_step(s->m, end[2], in.ctrl ? s->ctrl + k * s->m->nu : NULL, NULL, NULL, rigid), VV_OK);
    }
    assert_memory_equal(end[0]->block, end[2]->block, end[0]->size * sizeof(vvReal));
    vvReal* seed_bar = y + 2 * nout;
    vvRandom random = vv_random_init(5, 5);
    roll_fill_normal(&random, seed_bar, nout);
    vvRolloutSeed seed = {.outputs_bar = seed_bar};
    allBars a = make_bars(s);
    allBars b = make_bars(s);
    assert_int_equal(vv_rollout_vjp(&in, tape, work, &seed, &a.g, NULL), VV_OK);
    vv_model_shadow_free(ctx, b.g.model);
    b.g.model = NULL;
    assert_int_equal(vv_rollout_vjp(&in, tape, work, &seed, &b.g, NULL), VV_OK);
    for (size_t k = 0; k < a.n; k++) assert_near(a.block[k], b.block[k], 1e-12 * (1 + fabs((double)a.block[k])));
    VV_DELETE(ctx, b.block, vvReal, b.n);
    free_bars(s, &a);
    vv_rigid_work_free(rigid);
    for (int k = 0; k < 3; k++) vv_state_free(ctx, end[k]);
    VV_DELETE(ctx, y, vvReal, 3 * nout);
    vv_tape_free(tape);
    vv_rollout_free(other);
    vv_rollout_free(work);
    roll_scene_free(s);
  }
  vv_context_destroy(ctx);
}

// Gradients of several rollouts, each by whichever thread.
enum { NROLL = 6 };

typedef struct threadJob {
  const rollScene* s;
  vvRollout** work;
  vvTape* tape[NROLL];
  allBars bars[NROLL];
  const vvReal* seed_bar;
} threadJob;

static vvStatus roll_one(void* user, int index, int thread) {
  threadJob* job = user;
  vvRolloutInput in = roll_scene_input(job->s);
  in.nstep = NSTEP - 5 * index;
  in.nctrl = in.ctrl ? in.nstep : 0;
  vvStatus status = vv_rollout(&in, job->tape[index], job->work[thread], NULL, NULL);
  if (status != VV_OK) return status;
  vvRolloutSeed seed = {.outputs_bar = job->seed_bar};
  return vv_rollout_vjp(&in, job->tape[index], job->work[thread], &seed, &job->bars[index].g, NULL);
}

static void run_threads(int nthread, vvReal* sum, size_t nreal) {
  vvContext* ctx = context_with_threads(nthread);
  rollScene* s = roll_scene_load(ctx, VV_ROOT, roll_scenes[2], SETTLE, NSTEP);
  assert_non_null(s);
  vvRolloutInput in = roll_scene_input(s);
  size_t nout = (size_t)vv_rollout_rows(&in) * (size_t)in.nout;
  vvReal* seed_bar = VV_NEW(ctx, vvReal, nout);
  vvRandom random = vv_random_init(5, 5);
  roll_fill_normal(&random, seed_bar, nout);
  vvRollout* work[2] = {NULL, NULL};
  threadJob job = {.s = s, .work = work, .seed_bar = seed_bar};
  for (int i = 0; i < nthread; i++) assert_int_equal(vv_rollout_create(ctx, s->m, VV_ROLLOUT_REVERSE, &work[i]), VV_OK);
  for (int i = 0; i < NROLL; i++) {
    assert_int_equal(vv_tape_create(ctx, &job.tape[i]), VV_OK);
    job.bars[i] = make_bars(s);
  }
  assert_int_equal(vv_parallel_for(ctx, NROLL, roll_one, &job), VV_OK);
  size_t n = s->m->section_begin[VV_SECTION_BULK];
  assert_true(n <= nreal);
  for (int i = 0; i < NROLL; i++) {
    for (size_t k = 0; k < n; k++) sum[k] += job.bars[i].g.model->reals[k];
    vv_tape_free(job.tape[i]);
    free_bars(s, &job.bars[i]);
  }
  for (int i = 0; i < nthread; i++) vv_rollout_free(work[i]);
  VV_DELETE(ctx, seed_bar, vvReal, nout);
  roll_scene_free(s);
  vv_context_destroy(ctx);
}

static void test_threads(void** state) {
  (void)state;
  enum { MOST = 1 << 15 };
  vvReal* one = calloc(MOST, sizeof(vvReal));
  vvReal* two = calloc(MOST, sizeof(vvReal));
  run_threads(1, one, MOST);
  run_threads(2, two, MOST);
  assert_memory_equal(one, two, MOST * sizeof(vvReal));
  double size = 0;
  for (int i = 0; i < MOST; i++) size += fabs((double)one[i]);
  assert_true(size > 0);
  free(one);
  free(two);
}

// What reverse.c relies on: the forward halves of kinematics and of the weak residuals leave nothing on the generated
// code's tape, and the motions they leave are those of vv_rigid_weak_motions and vv_rigid_damping_motions.
static void test_forward_halves(void** state) {
  (void)state;
  vvContext* ctx = context_with_threads(1);
  for (int i = 0; roll_scenes[i]; i++) {
    rollScene* s = roll_scene_load(ctx, VV_ROOT, roll_scenes[i], SETTLE, NSTEP);
    assert_non_null(s);
    const vvModel* m = s->m;
    vvRigidWork* rigid = NULL;
    assert_int_equal(vv_rigid_work_create(ctx, m, &rigid), VV_OK);
    assert_int_equal(vv_rigid_evaluate(m, s->start->q, s->start->v, NULL, NULL, NULL, NULL, NULL, rigid), VV_OK);
    size_t n = 6 * (size_t)m->nbody;
    vvReal* block = VV_NEW(ctx, vvReal, 8 * n);
    assert_non_null(block);
    vvRigidMotion motion = {block, block + n, block + 2 * n, block + 3 * n};
    vvRigidPose pose = {rigid->xpos, rigid->xquat, rigid->xmat, rigid->S};
    vvTapeMem mem = {0};
    assert_int_equal(vv_tape_mem_init(&mem, ctx, 1 << 16), VV_OK);
    vv_rigid_kinematics_fwd(m, s->start->q, rigid->ref, &pose, &mem);
    vv_rigid_kinematics_state_fwd(m, s->start->q, rigid->ref, &pose, &mem);
    assert_int_equal(mem.used, 0);
    const vvReal* v = s->start->v;
    vv_rigid_weak_fwd(m, rigid->ref, &pose, v, rigid->a, rigid->bias, rigid->tau, NULL, 0, rigid->contacts,
                      rigid->ncontact, rigid->limits, rigid->nlimit, s->start->q, &motion, &mem);
    vv_rigid_weak_state_fwd(m, rigid->ref, &pose, v, rigid->a, rigid->bias, rigid->tau, NULL, 0, rigid->contacts,
                            rigid->ncontact, rigid->limits, rigid->nlimit, s->start->q, &motion, &mem);
    assert_int_equal(mem.used, 0);
    vvRigidMotion again = {block + 4 * n, block + 5 * n, block + 6 * n, block + 7 * n};
    vv_rigid_weak_motions(m, &pose, v, rigid->a, rigid->bias, &again);
    assert_memory_equal(block, block + 4 * n, 4 * n * sizeof(vvReal));
    vv_rigid_damping_weak_fwd(m, rigid->ref, &pose, v, rigid->a, rigid->bias, block, block + n, &mem);
    vv_rigid_damping_weak_state_fwd(m, rigid->ref, &pose, v, rigid->a, rigid->bias, block, block + n, &mem);
    assert_int_equal(mem.used, 0);
    vv_rigid_damping_motions(m, &pose, v, rigid->bias, block + 4 * n, block + 5 * n);
    assert_memory_equal(block, block + 4 * n, 2 * n * sizeof(vvReal));
    vv_tape_mem_free(&mem, ctx);
    VV_DELETE(ctx, block, vvReal, 8 * n);
    vv_rigid_work_free(rigid);
    roll_scene_free(s);
  }
  vv_context_destroy(ctx);
}

// Weak and strong residual of the damping node agree: w . r = psi.
static void test_damping_residual(void** state) {
  (void)state;
  vvContext* ctx = context_with_threads(1);
  for (int i = 0; roll_scenes[i]; i++) {
    rollScene* s = roll_scene_load(ctx, VV_ROOT, roll_scenes[i], SETTLE, NSTEP);
    assert_non_null(s);
    const vvModel* m = s->m;
    size_t nv = (size_t)m->nv;
    size_t n = 6 * (size_t)m->nbody;
    vvRigidWork* rigid = NULL;
    assert_int_equal(vv_rigid_work_create(ctx, m, &rigid), VV_OK);
    assert_int_equal(vv_rigid_evaluate(m, s->start->q, s->start->v, NULL, NULL, NULL, NULL, NULL, rigid), VV_OK);
    vvRigidPose pose = {rigid->xpos, rigid->xquat, rigid->xmat, rigid->S};
    vvReal* x = VV_NEW(ctx, vvReal, 4 * nv + 3 * n);
    assert_non_null(x);
    vvReal* r = x + 3 * nv;
    vvReal* D = r + nv;
    vvRandom random = vv_random_init(4, 4);
    roll_fill_normal(&random, x, 3 * nv);
    vv_rigid_damping_residual(m, rigid->ref, &pose, x, x + nv, D, D + n, r);
    double strong = 0;
    double size = 0;
    for (size_t k = 0; k < nv; k++) {
      strong += (double)(x[2 * nv + k] * r[k]);
      size += fabs((double)(x[2 * nv + k] * r[k]));
    }
    double weak = (double)vv_rigid_damping_weak(m, rigid->ref, &pose, x, x + nv, x + 2 * nv, D, D + n);
    assert_true(size > 0 && fabs(weak - strong) <= 1e-12 * size);
    VV_DELETE(ctx, x, vvReal, 4 * nv + 3 * n);
    vv_rigid_work_free(rigid);
    roll_scene_free(s);
  }
  vv_context_destroy(ctx);
}

// 10,000 steps and reverses allocate nothing.
static void test_no_allocation(void** state) {
  (void)state;
  vvContext* ctx = context_with_threads(1);
  rollScene* s = roll_scene_load(ctx, VV_ROOT, roll_scenes[2], SETTLE, NSTEP);
  assert_non_null(s);
  vvRolloutInput in = roll_scene_input(s);
  vvRollout* work = NULL;
  vvTape* tape = NULL;
  vvRolloutSeed seed = {0};
  vvReal seed_bar[256];
  vvRandom random = vv_random_init(1, 1);
  roll_fill_normal(&random, seed_bar, 256);
  seed.q_bar = seed_bar;
  seed.v_bar = seed_bar + 100;
  assert_int_equal(vv_rollout_create(ctx, s->m, VV_ROLLOUT_REVERSE, &work), VV_OK);
  assert_int_equal(vv_tape_create(ctx, &tape), VV_OK);
  assert_int_equal(vv_tape_reserve(tape, 1 << 20), VV_OK);
  allBars bars = make_bars(s);
  assert_int_equal(vv_rollout(&in, tape, work, NULL, NULL), VV_OK);
  size_t before = vv_context_memory(ctx).ncall;
  for (int i = 0; i < 10000 / NSTEP; i++) {
    assert_int_equal(vv_rollout(&in, tape, work, NULL, NULL), VV_OK);
    assert_int_equal(vv_rollout_vjp(&in, tape, work, &seed, &bars.g, NULL), VV_OK);
  }
  assert_int_equal(vv_context_memory(ctx).ncall, before);
  free_bars(s, &bars);
  vv_tape_free(tape);
  vv_rollout_free(work);
  roll_scene_free(s);
  vv_context_destroy(ctx);
}

// A full tape is a status; with more memory the same bits come out.
static void test_capacity(void** state) {
  (void)state;
  vvContext* ctx = context_with_threads(1);
  rollScene* s = roll_scene_load(ctx, VV_ROOT, roll_scenes[0], SETTLE, NSTEP);
  assert_non_null(s);
  vvRolloutInput in = roll_scene_input(s);
  vvRollout* work = NULL;
  vvTape* tape = NULL;
  vvReport report;
  allBars bars = make_bars(s);
  assert_int_equal(vv_rollout_create(ctx, s->m, VV_ROLLOUT_REVERSE, &work), VV_OK);
  assert_int_equal(vv_tape_create(ctx, &tape), VV_OK);
  vv_tape_limit(tape, 2000);
  assert_int_equal(vv_rollout(&in, tape, work, NULL, &report), VV_ERROR_CAPACITY);
  assert_true(report.step > 0);
  vvRolloutSeed seed = {0};
  assert_int_equal(vv_rollout_vjp(&in, tape, work, &seed, &bars.g, &report), VV_ERROR_ARGUMENT);
  vv_tape_limit(tape, 0);
  assert_int_equal(vv_rollout(&in, tape, work, NULL, &report), VV_OK);
  assert_int_equal(vv_tape_steps(tape), NSTEP);
  assert_true(vv_tape_bytes(tape) < 1000 * NSTEP);
  free_bars(s, &bars);
  vv_tape_free(tape);
  vv_rollout_free(work);
  roll_scene_free(s);
  vv_context_destroy(ctx);
}

// ---- allocations that fail ------------------------------------------------------------------------------------------

typedef struct failing {
  long left;  // allocations that succeed
} failing;

static void* failing_allocate(size_t bytes, size_t alignment, void* user) {
  failing* f = user;
  return f->left-- > 0 ? aligned_alloc(alignment, bytes) : NULL;
}

static void failing_release(void* memory, size_t bytes, void* user) {
  (void)bytes;
  (void)user;
  free(memory);
}

static vvStatus whole_path(vvContext* ctx, const vvRolloutInput* in) {
  vvRollout* work = NULL;
  vvTape* tape = NULL;
  vvModel* shadow = NULL;
  vvRolloutSeed seed = {0};
  vvStatus status = vv_rollout_create(ctx, in->model, VV_ROLLOUT_ALL, &work);
  if (status == VV_OK) status = vv_tape_create(ctx, &tape);
  if (status == VV_OK) status = vv_model_shadow(ctx, in->model, &shadow);
  if (status == VV_OK) status = vv_rollout(in, tape, work, NULL, NULL);
  vvGradient g = {.model = shadow};
  if (status == VV_OK) status = vv_rollout_vjp(in, tape, work, &seed, &g, NULL);
  if (shadow) vv_model_shadow_free(ctx, shadow);
  vv_tape_free(tape);
  vv_rollout_free(work);
  return status;
}

static void test_failing_allocations(void** state) {
  (void)state;
  vvContext* plain = context_with_threads(1);
  rollScene* s = roll_scene_load(plain, VV_ROOT, roll_scenes[0], SETTLE, NSTEP);
  assert_non_null(s);
  vvRolloutInput in = roll_scene_input(s);
  failing f = {0};
  vvContextOptions options = vv_context_options_default();
  options.allocate = failing_allocate;
  options.release = failing_release;
  options.user = &f;
  vvStatus status = VV_ERROR_MEMORY;
  int n = 0;
  for (; status == VV_ERROR_MEMORY && n < 200; n++) {
    vvContext* ctx = NULL;
    f.left = 1000;
    assert_int_equal(vv_context_create(&options, &ctx), VV_OK);
    f.left = n;
    status = whole_path(ctx, &in);
    assert_int_equal(vv_context_memory(ctx).bytes, 0);
    vv_context_destroy(ctx);
  }
  assert_int_equal(status, VV_OK);
  assert_true(n > 8);
  roll_scene_free(s);
  vv_context_destroy(plain);
}

static void test_refusals(void** state) {
  (void)state;
  vvContext* ctx = context_with_threads(1);
  rollScene* s = roll_scene_load(ctx, VV_ROOT, roll_scenes[0], 1, NSTEP);
  assert_non_null(s);
  vvRollout* work = NULL;
  assert_int_equal(vv_rollout_create(ctx, s->m, VV_ROLLOUT_FORWARD, &work), VV_OK);
  vvReport report;
  vvRolloutInput in = roll_scene_input(s);
  static const int falling[] = {3, 2};
  in.rows = falling;
  in.nrow = 2;
  assert_int_equal(vv_rollout(&in, NULL, work, NULL, &report), VV_ERROR_ARGUMENT);
  in = roll_scene_input(s);
  in.nstep = -1;
  assert_int_equal(vv_rollout(&in, NULL, work, NULL, &report), VV_ERROR_ARGUMENT);
  in = roll_scene_input(s);
  in.nout = 1;
  assert_int_equal(vv_rollout(&in, NULL, work, NULL, &report), VV_ERROR_ARGUMENT);
  in = roll_scene_input(s);
  s->start->v[2] = (vvReal)NAN;
  assert_int_equal(vv_rollout(&in, NULL, work, NULL, &report), VV_ERROR_NOT_FINITE);
  assert_int_equal(report.step, 0);
  vv_rollout_free(work);
  roll_scene_free(s);
  vv_context_destroy(ctx);
}

// Case C13: inputs that change between the recording and the reverse sweep.
static void test_changed_inputs(void** state) {
  (void)state;
  vvContext* ctx = context_with_threads(1);
  rollScene* s = roll_scene_load(ctx, VV_ROOT, "test/scenes/creature.xml", 2, NSTEP);
  assert_non_null(s);
  vvRollout* work = NULL;
  vvTape* tape = NULL;
  assert_int_equal(vv_rollout_create(ctx, s->m, VV_ROLLOUT_ALL, &work), VV_OK);
  assert_int_equal(vv_tape_create(ctx, &tape), VV_OK);
  vvRolloutInput in = roll_scene_input(s);
  vvReport report;
  assert_int_equal(vv_rollout(&in, tape, work, NULL, &report), VV_OK);
  size_t nv = (size_t)s->m->nv;
  vvReal* bar = VV_NEW(ctx, vvReal, 3 * nv);
  for (size_t i = 0; i < nv; i++) bar[i] = 1;
  vvRolloutSeed seed = {.q_bar = bar, .v_bar = bar};
  vvGradient first = {.q0_bar = bar + nv}, second = {.q0_bar = bar + 2 * nv};
  assert_int_equal(vv_rollout_vjp(&in, tape, work, &seed, &first, &report), VV_OK);
  vvReal kept = s->ctrl[3];
  s->ctrl[3] += 1;
  assert_int_equal(vv_rollout_vjp(&in, tape, work, &seed, &second, &report), VV_ERROR_ARGUMENT);
  assert_non_null(strstr(report.message, "have changed"));
  vvRolloutTangent none = {0};
  vvRolloutOutputTangent out = {0};
  assert_int_equal(vv_rollout_jvp8(&in, tape, work, &none, &out, &report), VV_ERROR_ARGUMENT);
  s->ctrl[3] = kept;
  s->start->q[0] += 1;  // the tape has the state
  assert_int_equal(vv_rollout_vjp(&in, tape, work, &seed, &second, &report), VV_OK);
  assert_memory_equal(first.q0_bar, second.q0_bar, nv * sizeof(vvReal));
  VV_DELETE(ctx, bar, vvReal, 3 * nv);
  vv_tape_free(tape);
  vv_rollout_free(work);
  roll_scene_free(s);
  vv_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_forward_and_reverse_agree),
      cmocka_unit_test(test_bits),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_forward_halves),
      cmocka_unit_test(test_damping_residual),
      cmocka_unit_test(test_primary_numbers),
      cmocka_unit_test(test_no_allocation),
      cmocka_unit_test(test_capacity),
      cmocka_unit_test(test_failing_allocations),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_changed_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
