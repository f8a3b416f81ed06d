// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_node.c: the implicit rule on a small node with a known answer, and on the acceleration node of rigid bodies.

#include "vvtest.h"

#include <string.h>

#include "implicit/node.h"
#include "rigid/rigid_kernel.h"
#include "rigid/rigid_scenes.h"

// r0 = y0^3 + p y0 + c y1 - q,  r1 = y1 - s y0: not symmetric.
typedef struct Cubic {
  vvReal p, q, c, s;  // inputs
  vvReal p_bar, q_bar, c_bar, s_bar;
  vvReal y[2];  // the last solution
} Cubic;

static vvReal cubic_weak(void* self, const vvReal* w, const vvReal* y) {
  const Cubic* k = self;
  return w[0] * (y[0] * y[0] * y[0] + k->p * y[0] + k->c * y[1] - k->q) + w[1] * (y[1] - k->s * y[0]);
}

static void cubic_weak_vjp(void* self, const vvReal* w, const vvReal* y, vvReal seed) {
  Cubic* k = self;
  k->p_bar += seed * w[0] * y[0];
  k->q_bar -= seed * w[0];
  k->c_bar += seed * w[0] * y[1];
  k->s_bar -= seed * w[1] * y[0];
}

static vvStatus cubic_solve(void* self, const vvReal* start, vvReal* y) {
  Cubic* k = self;
  vvReal x = start ? start[0] : 0, slope = k->p + k->c * k->s;
  for (int i = 0; i < 100; i++) x -= (x * x * x + slope * x - k->q) / (3 * x * x + slope);
  y[0] = k->y[0] = x;
  y[1] = k->y[1] = k->s * x;
  return VV_OK;
}

static vvStatus cubic_solve_transposed(void* self, const vvReal* y_bar, vvReal* w) {
  const Cubic* k = self;
  vvReal a = 3 * k->y[0] * k->y[0] + k->p, b0 = y_bar[0], b1 = y_bar[1];  // H' = [a, -s; c, 1]
  vvReal det = a + k->s * k->c;
  if (det == 0) return VV_ERROR_SINGULAR;
  w[0] = (b0 + k->s * b1) / det;
  w[1] = (a * b1 - k->c * b0) / det;
  return VV_OK;
}

static void cubic_apply_H(void* self, const vvReal* x, vvReal* Hx) {
  const Cubic* k = self;
  vvReal x0 = x[0], x1 = x[1];
  Hx[0] = (3 * k->y[0] * k->y[0] + k->p) * x0 + k->c * x1;
  Hx[1] = x1 - k->s * x0;
}

static vvNode cubic_node(Cubic* k) {
  vvNode node = {"cubic", 2, k, cubic_weak, cubic_weak_vjp, cubic_solve, cubic_solve_transposed, cubic_apply_H, {0, 2}};
  return node;
}

// y0 at changed inputs.
static double moved(Cubic k, int input, double e) {
  vvReal y[2];
  vvReal* const place[4] = {&k.p, &k.q, &k.c, &k.s};
  *place[input] += (vvReal)e;
  cubic_solve(&k, NULL, y);
  return (double)(2 * y[0] + 3 * y[1]);
}

static void test_rule(void** state) {
  (void)state;
  Cubic k = {(vvReal)1.5, 2, (vvReal)0.7, (vvReal)-0.4, 0, 0, 0, 0, {0, 0}};
  vvNode node = cubic_node(&k);
  vvReal y[2], w[2], y_bar[2] = {2, 3};
  assert_int_equal(node.solve(node.self, NULL, y), VV_OK);
  assert_int_equal(vv_node_vjp(&node, y, y_bar, w), VV_OK);
  const vvReal bars[4] = {k.p_bar, k.q_bar, k.c_bar, k.s_bar};
  for (int i = 0; i < 4; i++) {
    double difference = (moved(k, i, 1e-5) - moved(k, i, -1e-5)) / 2e-5;
    assert_near(bars[i], difference, 1e-8);
  }
  assert_near(k.q_bar, w[0], 1e-14);  // a force on an unknown
}

static void test_check_catches(void** state) {
  (void)state;
  Cubic k = {(vvReal)1.5, 2, (vvReal)0.7, (vvReal)-0.4, 0, 0, 0, 0, {0, 0}};
  vvNode node = cubic_node(&k);
  vvReal y[2], scratch[4], p[2] = {1, (vvReal)-0.3}, w[2] = {(vvReal)0.2, 1};
  node.solve(node.self, NULL, y);
  assert_true(vv_node_error(&node, y, p, w, (vvReal)1e-5, scratch) < 1e-8);
  k.y[0] += (vvReal)0.01;  // H of another point
  assert_true(vv_node_error(&node, y, p, w, (vvReal)1e-5, scratch) > 1e-4);
}

// ---- the acceleration node -----------------------------------------------------------------------------------------

enum { MAX_NV = 64, MAX_BODY = 32 };

typedef struct Rigid {
  const vvModel* m;
  const vvState* s;
  vvRigidWork* work;
} Rigid;

static vvReal rigid_weak(void* self, const vvReal* w, const vvReal* a) {
  const Rigid* r = self;
  vvReal V[6 * MAX_BODY], A[6 * MAX_BODY], G[6 * MAX_BODY], W[6 * MAX_BODY];
  vvRigidMotion motion = {V, A, G, W};
  const vvRigidWork* k = r->work;
  vvRigidPose pose = {k->xpos, k->xquat, k->xmat, k->S};
  return vv_rigid_weak(r->m, k->ref, &pose, r->s->v, a, w, k->tau, NULL, 0, k->contacts, k->ncontact, k->limits,
                       k->nlimit, r->s->q, &motion);
}

static vvStatus rigid_solve_transposed(void* self, const vvReal* y_bar, vvReal* w) {
  return vv_rigid_solve_H(((Rigid*)self)->work, y_bar, w);
}

static void rigid_apply_H(void* self, const vvReal* x, vvReal* Hx) {
  vv_rigid_apply_H(((Rigid*)self)->work, x, Hx);
}

static void test_rigid(void** state) {
  (void)state;
  vvContext* context = NULL;
  uint64_t seed = 4;
  int good = 0, total = 0;
  assert_int_equal(vv_context_create(NULL, &context), VV_OK);
  for (int i = 0; vv_test_scenes[i]; i++) {
    vvModel* m = vv_test_scene(context, VV_ROOT, vv_test_scenes[i]);
    vvState* s = NULL;
    vvRigidWork* work = NULL;
    assert_non_null(m);
    assert_int_equal(vv_state_create(context, m, &s), VV_OK);
    assert_int_equal(vv_rigid_work_create(context, m, &work), VV_OK);
    for (int k = 0; k < 6; k++) {
      vvReal ctrl[MAX_NV] = {0}, p[MAX_NV], w[MAX_NV], y[MAX_NV], scratch[2 * MAX_NV];
      Rigid r = {m, s, work};
      vvNode node = {"acceleration",         m->nv,         &r,        rigid_weak, NULL, NULL,
                     rigid_solve_transposed, rigid_apply_H, {0, m->nv}};
      vv_test_state(m, k, work, s, ctrl);
      assert_int_equal(vv_rigid_evaluate(m, s->q, s->v, NULL, ctrl, NULL, NULL, NULL, work), VV_OK);
      memcpy(y, work->a, sizeof(vvReal) * (size_t)m->nv);
      for (int d = 0; d < m->nv; d++) {
        p[d] = (vvReal)vv_test_uniform(&seed);
        w[d] = (vvReal)vv_test_uniform(&seed);
      }
      total++;
      good += vv_node_error(&node, y, p, w, (vvReal)1e-5, scratch) < 1e-4;
    }
    vv_rigid_work_free(work);
    vv_state_free(context, s);
    vv_model_free(context, m);
  }
  assert_true(good >= 0.95 * total);
  vv_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rule),
      cmocka_unit_test(test_check_catches),
      cmocka_unit_test(test_rigid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
