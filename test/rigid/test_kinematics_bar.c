// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_kinematics_bar.c: the reverse derivative of kinematics that is written by hand against the generated one, at
// random cotangents, on every scene and on joints of all types in one body; quaternions need not be normalised. float:
// checked

#include "vvtest.h"

#include <string.h>

#include "kinematics_kernel.vv.h"
#include "rigid/rigid_scenes.h"
#include "rigid/work.h"

static vvContext* context;

static const char mixed[] =
    "<mujoco><worldbody><body pos='.1 .2 .3' euler='20 0 30'>"
    "<joint type='slide' axis='1 2 3' pos='.1 0 0'/><joint type='hinge' axis='0 1 1' pos='0 .2 .1'/>"
    "<joint type='hinge' axis='1 0 0'/><joint type='ball' pos='.1 .1 0'/><geom size='.1'/>"
    "<body pos='0 .3 0'><joint type='ball'/><geom size='.1'/><body pos='.2 0 0'><geom size='.05'/>"
    "<body pos='.1 0 .1'><joint type='slide' axis='0 0 1'/><geom size='.04'/></body></body></body></body>"
    "<body pos='1 0 0'><freejoint/><geom size='.1'/><body pos='0 0 .2'><joint axis='0 1 0'/><geom size='.1'/></body>"
    "</body></worldbody></mujoco>";

typedef struct Bars {
  vvReal* block;
  size_t n;
  vvRigidPose pose;
  vvReal* q;
} Bars;

static Bars bars_create(const vvModel* m) {
  size_t nbody = (size_t)m->nbody, nv = (size_t)m->nv;
  Bars b = {NULL, 16 * nbody + 6 * nv + (size_t)m->nq, {NULL, NULL, NULL, NULL}, NULL};
  b.block = VV_NEW(context, vvReal, b.n);
  b.pose.xpos = b.block;
  b.pose.xquat = b.pose.xpos + 3 * nbody;
  b.pose.xmat = b.pose.xquat + 4 * nbody;
  b.pose.S = b.pose.xmat + 9 * nbody;
  b.q = b.pose.S + 6 * nv;
  return b;
}

// At one state; the largest q_bar.
static vvReal compare(const vvModel* m, const vvReal* q, vvRigidWork* work, Bars* a, Bars* b, vvTapeMem* mem,
                      uint64_t* seed) {
  vvRigidPose pose = vv_rigid_work_pose(work);
  vvReal* F = VV_NEW(context, vvReal, 6 * m->nbody);
  vv_rigid_reference(m, q, work->ref);
  vv_rigid_kinematics(m, q, work->ref, &pose);
  for (size_t i = 0; i < a->n; i++) a->block[i] = (vvReal)vv_test_uniform(seed);
  memcpy(b->block, a->block, a->n * sizeof(vvReal));
  vv_rigid_kinematics_bar(m, q, work->ref, &pose, a->q, &a->pose, F);
  vv_rigid_kinematics_state_vjp(m, q, work->ref, &pose, b->q, &b->pose, mem);
  vvReal most = 1;
  for (int i = 0; i < m->nq; i++) most = vv_fmax(most, vv_fabs(b->q[i]));
  for (size_t i = 0; i < a->n; i++) assert_near(a->block[i], b->block[i], 100 * VV_EPSILON * most);
  for (size_t i = 0; i < a->n - (size_t)m->nq; i++) assert_true(a->block[i] == 0);
  VV_DELETE(context, F, vvReal, 6 * m->nbody);
  return most;
}

static void compare_model(vvModel* m) {
  assert_non_null(m);
  vvRigidWork* work;
  vvState* state;
  vvTapeMem mem;
  vvReal ctrl[64];
  assert_int_equal(vv_rigid_work_create(context, m, &work), VV_OK);
  assert_int_equal(vv_state_create(context, m, &state), VV_OK);
  assert_int_equal(vv_tape_mem_init(&mem, context, 1 << 16), VV_OK);
  Bars a = bars_create(m), b = bars_create(m);
  uint64_t seed = 11;
  vvReal most = 0;
  for (int k = 0; k < 4; k++) {
    vv_test_state(m, k, work, state, ctrl);
    for (int j = 0; j < m->njnt; j++) {
      if (m->jnt_type[j] != VV_JOINT_BALL && m->jnt_type[j] != VV_JOINT_FREE) continue;
      vvReal* quat = state->q + m->jnt_q[j] + (m->jnt_type[j] == VV_JOINT_FREE ? 3 : 0);
      for (int i = 0; i < 4; i++) quat[i] *= (vvReal)(1 + 0.2 * k);
    }
    most = vv_fmax(most, compare(m, state->q, work, &a, &b, &mem, &seed));
  }
  assert_true(most > 1);
  VV_DELETE(context, a.block, vvReal, a.n);
  VV_DELETE(context, b.block, vvReal, b.n);
  vv_tape_mem_free(&mem, context);
  vv_state_free(context, state);
  vv_rigid_work_free(work);
  vv_model_free(context, m);
}

static void test_scenes(void** state) {
  (void)state;
  for (int i = 0; vv_test_scenes[i]; i++) compare_model(vv_test_scene(context, VV_ROOT, vv_test_scenes[i]));
}

static void test_mixed(void** state) {
  (void)state;
  compare_model(vv_test_text(context, mixed));
}

int main(void) {
  if (vv_context_create(NULL, &context) != VV_OK) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scenes),
      cmocka_unit_test(test_mixed),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  failed += vv_context_memory(context).bytes != 0;
  vv_context_destroy(context);
  return failed;
}
