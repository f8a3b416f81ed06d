// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_variants.c: variants, NULL bars, shadows of a model, calls across files, and how much tape is used.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "variants_call_kernel.vv.h"
#include "variants_kernel.vv.h"

enum { NB = 5 };

static int PARENT[NB] = {-1, 0, 1, 1, 3};
static int KIND[NB] = {1, 2, 1, 0, 1};

// All reals of a model, state and pose (or of their bars, or of a direction).
typedef struct vvWorld {
  vvReal offset[3 * NB], mass[NB], stiffness[NB], q[2 * NB], v[2 * NB], gravity[3], bias[1];
  vvReal pos[3 * NB], rot[4 * NB];
} vvWorld;

enum { N_INPUT = 3 * NB + NB + NB + 2 * NB + 2 * NB + 3 + 1 };

static const vvReal W[NB] = {1, 0.5, 2, 1, 0.25};

static vvToy toy_of(vvWorld* s) {
  vvToy m = {NB, PARENT, s->offset, s->mass, {s->stiffness, KIND}, {s->gravity[0], s->gravity[1], s->gravity[2]}};
  return m;
}

static void fill(vvWorld* s, double phase) {
  vvReal* r = (vvReal*)s;
  for (size_t i = 0; i < sizeof *s / sizeof(vvReal); i++) r[i] = (vvReal)(0.3 + 0.6 * sin(1.7 * (double)i + phase));
}

static double total(vvWorld* s) {
  vvToy m = toy_of(s);
  vvToyPose pose = {s->pos, s->rot};
  return toy_total(&m, s->q, s->v, W, &pose, s->bias);
}

static void gradient(vvWorld* s, vvWorld* bar, vvTapeMem* tape) {
  memset(bar, 0, sizeof *bar);
  vvToy m = toy_of(s), m_bar = toy_of(bar);
  vvToyPose pose = {s->pos, s->rot}, pose_bar = {bar->pos, bar->rot};
  toy_total_vjp(&m, s->q, s->v, W, &pose, s->bias, 1, &m_bar, bar->q, bar->v, &pose_bar, bar->bias, tape);
  memcpy(bar->gravity, m_bar.gravity, sizeof bar->gravity);
}

static void test_gradient_across_files(void** state) {
  (void)state;
  static unsigned char memory[4096];
  vvTapeMem tape = {memory, sizeof memory, 0, 0, 0};
  vvWorld s, bar, d;
  fill(&s, 0);
  fill(&d, 2);
  gradient(&s, &bar, &tape);
  assert_int_equal(tape.overflow, 0);
  assert_int_equal(tape.used, 0);
  double sum = 0, e = 1e-5, f[2];
  for (int i = 0; i < N_INPUT; i++) sum += ((vvReal*)&bar)[i] * ((vvReal*)&d)[i];
  for (int side = 0; side < 2; side++) {
    vvWorld t = s;
    for (int i = 0; i < N_INPUT; i++) ((vvReal*)&t)[i] += (vvReal)((side ? e : -e) * ((vvReal*)&d)[i]);
    f[side] = total(&t);
  }
  double difference = (f[1] - f[0]) / (2 * e);
  assert_true(fabs(difference - sum) < 1e-7 * (1 + fabs(sum)));
}

static void test_variant_is_part_of_whole(void** state) {
  (void)state;
  static unsigned char memory[4096];
  vvTapeMem tape = {memory, sizeof memory, 0, 0, 0};
  vvWorld s, whole, part = {.mass = {0}}, null = {.mass = {0}};
  fill(&s, 1);
  gradient(&s, &whole, &tape);
  vvToy m = toy_of(&s);
  vvToyPose pose = {s.pos, s.rot}, part_pose = {part.pos, part.rot}, null_pose = {null.pos, null.rot};
  toy_total_state_vjp(&m, s.q, s.v, W, &pose, s.bias, 1, part.q, part.v, &part_pose, &tape);
  assert_memory_equal(part.q, whole.q, sizeof part.q);
  assert_memory_equal(part.v, whole.v, sizeof part.v);
  // the bars that are NULL choose the variant
  toy_total_vjp(&m, s.q, s.v, W, &pose, s.bias, 1, NULL, null.q, null.v, &null_pose, NULL, &tape);
  assert_memory_equal(null.q, whole.q, sizeof null.q);
  assert_memory_equal(null.v, whole.v, sizeof null.v);
}

static void test_no_tape(void** state) {
  (void)state;
  vvReal x[4] = {1, 2, 3, 4}, x_bar[4] = {0};
  toy_squares_vjp(x, 4, 2, x_bar, NULL);
  for (int i = 0; i < 4; i++) assert_true(x_bar[i] == 6 * x[i] * x[i]);
}

// Iterations are re-run: the tape holds one iteration's carried values, however many bodies there are.
static void test_tape_of_one_iteration(void** state) {
  (void)state;
  static unsigned char memory[4096];
  vvTapeMem tape = {memory, sizeof memory, 0, 0, 0};
  vvWorld s, bar = {.mass = {0}};
  fill(&s, 1);
  vvToy m = toy_of(&s), m_bar = toy_of(&bar);
  vvToyPose pose = {s.pos, s.rot}, pose_bar = {bar.pos, bar.rot};
  toy_energy_vjp(&m, s.q, s.v, W, &pose, 1, &m_bar, bar.q, bar.v, &pose_bar, &tape);
  assert_int_equal(tape.overflow, 0);
  assert_true(tape.peak <= 2 * (sizeof(vvVec3) + sizeof(vvQuat)));
}

static void test_tangents_of_structs(void** state) {
  (void)state;
  vvWorld s, d, bar;
  fill(&s, 0);
  fill(&d, 3);
  static unsigned char memory[4096];
  vvTapeMem tape = {memory, sizeof memory, 0, 0, 0};
  gradient(&s, &bar, &tape);
  vvToy m = toy_of(&s), m_tan = toy_of(&d);
  vvToyPose pose = {s.pos, s.rot}, pose_tan = {d.pos, d.rot};
  vvReal r_tan = 0;
  toy_total_jvp(&m, &m_tan, s.q, d.q, s.v, d.v, W, &pose, &pose_tan, s.bias, d.bias, &r_tan);
  double sum = 0;
  for (int i = 0; i < N_INPUT; i++) sum += ((vvReal*)&bar)[i] * ((vvReal*)&d)[i];
  assert_true(fabs(sum - r_tan) < 1e-11 * (1 + fabs(sum)));

  struct {
    vvReal8 offset[3 * NB], mass[NB], stiffness[NB], q[2 * NB], v[2 * NB], gravity[3], bias[1], pos[3 * NB],
        rot[4 * NB];
  } d8;
  for (int i = 0; i < N_INPUT; i++)
    for (int k = 0; k < 8; k++) ((vvReal8*)&d8)[i][k] = (k + 1) * ((vvReal*)&d)[i];
  vvToy_tan8 m8 = {d8.offset, d8.mass, {d8.stiffness}, {d8.gravity[0], d8.gravity[1], d8.gravity[2]}};
  vvToyPose_tan8 pose8 = {d8.pos, d8.rot};
  vvReal8 r8 = {0};
  toy_total_jvp8(&m, &m8, s.q, d8.q, s.v, d8.v, W, &pose, &pose8, s.bias, d8.bias, &r8);
  for (int k = 0; k < 8; k++) assert_true(fabs(r8[k] - (k + 1) * r_tan) < 1e-11 * (1 + fabs(r_tan)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gradient_across_files),
      cmocka_unit_test(test_variant_is_part_of_whole),
      cmocka_unit_test(test_no_tape),
      cmocka_unit_test(test_tape_of_one_iteration),
      cmocka_unit_test(test_tangents_of_structs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
