// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_output_vjp.c: the generated derivatives of motions and outputs, in all their real arguments at once, against
// differences along random directions.

#include "vvtest.h"

#include <string.h>

#include "output_kernel.vv.h"
#include "rigid/output_kernel.h"
#include "rigid/rigid_scenes.h"

enum { MOST_ITEMS = 400, DIRECTIONS = 6 };

static vvContext* context;

static int setup(void** state) {
  (void)state;
  vvContextOptions options = vv_context_options_default();
  return vv_context_create(&options, &context) == VV_OK ? 0 : -1;
}

static int teardown(void** state) {
  (void)state;
  size_t left = vv_context_memory(context).bytes;
  vv_context_destroy(context);
  return left == 0 ? 0 : -1;
}

// All real arguments of motion and output in one block, so that a tangent or a cotangent of them is a block, too.
typedef struct Point {
  vvModel* m;  // its own reals
  vvRigidPose pose;
  vvReal *q, *v, *a, *ctrl;
  vvReal* block;
  size_t n;
} Point;

static Point point_create(const vvModel* m) {
  Point p = {NULL, {NULL, NULL, NULL, NULL}, NULL, NULL, NULL, NULL, NULL, 0};
  size_t nbody = (size_t)m->nbody, nv = (size_t)m->nv, nq = (size_t)m->nq, nu = (size_t)m->nu;
  p.n = 16 * nbody + 6 * nv + nq + 2 * nv + nu;
  p.block = VV_NEW(context, vvReal, p.n + 1);
  memset(p.block, 0, p.n * sizeof(vvReal));
  assert_int_equal(vv_model_shadow(context, m, &p.m), VV_OK);
  p.pose.xpos = p.block;
  p.pose.xquat = p.pose.xpos + 3 * nbody;
  p.pose.xmat = p.pose.xquat + 4 * nbody;
  p.pose.S = p.pose.xmat + 9 * nbody;
  p.q = p.pose.S + 6 * nv;
  p.v = p.q + nq;
  p.a = p.v + nv;
  p.ctrl = p.a + nv;
  return p;
}

static void point_free(Point* p) {
  VV_DELETE(context, p->block, vvReal, p->n + 1);
  vv_model_shadow_free(context, p->m);
}

typedef struct Case {
  const vvModel* m;
  vvRigidWork* work;
  vvOutputItem items[MOST_ITEMS];
  int nitem, nout;
  vvRigidMotion motion, motion_bar;
  vvReal *motions, *out, *out_bar, *u;
} Case;

static const vvReal no_act[1] = {0};  // these scenes have no activations

static void outputs_at(Case* c, const Point* p) {
  vv_rigid_motion(p->m, &p->pose, p->v, p->a, &c->motion);
  vv_rigid_output(p->m, c->work->ref, &p->pose, p->q, p->v, no_act, p->ctrl, &c->motion, c->work->contacts,
                  c->work->ncontact, c->items, c->nitem, c->out);
}

static vvRigidMotion motion_at(vvReal* base, int nbody) {
  size_t n = 6 * (size_t)nbody;
  vvRigidMotion motion = {base, base + n, base + 2 * n, base + 3 * n};
  return motion;
}

static Case case_create(const vvModel* m, vvRigidWork* work) {
  Case c = {.m = m, .work = work};
  size_t n = 24 * (size_t)m->nbody;
  for (int i = 0; i < vv_output_count(m) && c.nitem < MOST_ITEMS; i++) {
    char name[128];
    assert_true(vv_output_name(m, i, name, sizeof name));
    assert_int_equal(vv_output_find(m, name, &c.items[c.nitem], NULL), VV_OK);
    c.items[c.nitem].adr = c.nout;
    c.nout += c.items[c.nitem++].dim;
  }
  c.motions = VV_NEW(context, vvReal, 2 * n);
  memset(c.motions, 0, 2 * n * sizeof(vvReal));
  c.motion = motion_at(c.motions, m->nbody);
  c.motion_bar = motion_at(c.motions + n, m->nbody);
  c.out = VV_NEW(context, vvReal, 3 * c.nout);
  c.out_bar = c.out + c.nout;
  c.u = c.out + 2 * c.nout;
  uint64_t seed = 11;
  for (int i = 0; i < c.nout; i++) c.u[i] = (vvReal)vv_test_uniform(&seed);
  return c;
}

static void case_free(Case* c) {
  VV_DELETE(context, c->motions, vvReal, 48 * c->m->nbody);
  VV_DELETE(context, c->out, vvReal, 3 * c->nout);
}

// bar of everything; state: through the variants that leave the model out.
static void reverse(Case* c, const Point* p, Point* bar, bool state) {
  vvTapeMem tape;
  vvReal no_act_bar[1] = {0};
  assert_int_equal(vv_tape_mem_init(&tape, context, 1 << 22), VV_OK);
  memcpy(c->out_bar, c->u, (size_t)c->nout * sizeof(vvReal));
  if (state) {
    vv_rigid_output_state_vjp(p->m, c->work->ref, &p->pose, p->q, p->v, no_act, p->ctrl, &c->motion, c->work->contacts,
                              c->work->ncontact, c->items, c->nitem, c->out, &bar->pose, bar->q, bar->v, no_act_bar,
                              bar->ctrl, &c->motion_bar, c->out_bar, &tape);
    vv_rigid_motion_state_vjp(p->m, &p->pose, p->v, p->a, &c->motion, &bar->pose, bar->v, bar->a, &c->motion_bar,
                              &tape);
  } else {
    vv_rigid_output_vjp(p->m, c->work->ref, &p->pose, p->q, p->v, no_act, p->ctrl, &c->motion, c->work->contacts,
                        c->work->ncontact, c->items, c->nitem, c->out, bar->m, &bar->pose, bar->q, bar->v, no_act_bar,
                        bar->ctrl, &c->motion_bar, c->out_bar, &tape);
    vv_rigid_motion_vjp(p->m, &p->pose, p->v, p->a, &c->motion, bar->m, &bar->pose, bar->v, bar->a, &c->motion_bar,
                        &tape);
  }
  assert_int_equal(tape.overflow, 0);
  vv_tape_mem_free(&tape, context);
}

// u . outputs at p + h t
static double moved(Case* c, const Point* p, const Point* t, double h, Point* at) {
  double sum = 0;
  size_t n = p->m->section_begin[VV_SECTION_COUNT];
  for (size_t i = 0; i < n; i++) at->m->reals[i] = p->m->reals[i] + (vvReal)h * t->m->reals[i];
  for (size_t i = 0; i < p->n; i++) at->block[i] = p->block[i] + (vvReal)h * t->block[i];
  outputs_at(c, at);
  for (int i = 0; i < c->nout; i++) sum += (double)(c->u[i] * c->out[i]);
  return sum;
}

static void fill_point(const Case* c, const vvState* s, const vvReal* ctrl, Point* p) {
  const vvRigidWork* w = c->work;
  size_t nbody = (size_t)c->m->nbody, nv = (size_t)c->m->nv;
  memcpy(p->m->reals, c->m->reals, c->m->section_begin[VV_SECTION_COUNT] * sizeof(vvReal));
  memcpy(p->pose.xpos, w->xpos, 3 * nbody * sizeof(vvReal));
  memcpy(p->pose.xquat, w->xquat, 4 * nbody * sizeof(vvReal));
  memcpy(p->pose.xmat, w->xmat, 9 * nbody * sizeof(vvReal));
  memcpy(p->pose.S, w->S, 6 * nv * sizeof(vvReal));
  memcpy(p->q, s->q, (size_t)c->m->nq * sizeof(vvReal));
  memcpy(p->v, s->v, nv * sizeof(vvReal));
  memcpy(p->a, w->a, nv * sizeof(vvReal));
  memcpy(p->ctrl, ctrl, (size_t)c->m->nu * sizeof(vvReal));
}

static double product(const Point* a, const Point* b, double* scale) {
  double sum = 0;
  for (size_t i = 0; i < a->m->section_begin[VV_SECTION_COUNT]; i++) {
    sum += (double)(a->m->reals[i] * b->m->reals[i]);
    *scale += fabs((double)(a->m->reals[i] * b->m->reals[i]));
  }
  for (size_t i = 0; i < a->n; i++) {
    sum += (double)(a->block[i] * b->block[i]);
    *scale += fabs((double)(a->block[i] * b->block[i]));
  }
  return sum;
}

static void check_state(Case* c, const vvState* s, const vvReal* ctrl, int k, int* resolved) {
  Point p = point_create(c->m), bar = point_create(c->m), t = point_create(c->m), at = point_create(c->m);
  size_t n = c->m->section_begin[VV_SECTION_COUNT];
  uint64_t seed = 100 + (uint64_t)k;
  fill_point(c, s, ctrl, &p);
  outputs_at(c, &p);
  reverse(c, &p, &bar, false);
  Point bar2 = point_create(c->m);
  reverse(c, &p, &bar2, true);
  assert_memory_equal(bar.block, bar2.block, bar.n * sizeof(vvReal));
  for (int direction = 0; direction < DIRECTIONS; direction++) {
    for (size_t i = 0; i < n; i++) t.m->reals[i] = p.m->reals[i] * (vvReal)vv_test_uniform(&seed);
    for (size_t i = 0; i < t.n; i++) t.block[i] = (vvReal)vv_test_uniform(&seed);
    double scale = 0, g = product(&bar, &t, &scale), d = 0, error = INFINITY;
    for (double h = 1e-5; h > 1e-10; h /= 10) {
      double once = (moved(c, &p, &t, h, &at) - moved(c, &p, &t, -h, &at)) / (2 * h);
      double twice = (moved(c, &p, &t, 2 * h, &at) - moved(c, &p, &t, -2 * h, &at)) / (4 * h);
      if (fabs(once - twice) < error) {
        error = fabs(once - twice);
        d = once;
      }
    }
    if (!(error < 1e-6 * scale)) continue;  // a branch of the contact law lies between
    ++*resolved;
    if (!(fabs(g - d) <= 1e-6 * scale)) {
      print_error("state %d: reverse %.12g, difference %.12g +- %.1g, scale %.3g\n", k, g, d, error, scale);
      fail();
    }
  }
  point_free(&p);
  point_free(&bar);
  point_free(&bar2);
  point_free(&t);
  point_free(&at);
}

static void test_differences(void** state) {
  (void)state;
  int resolved = 0, total = 0;
  for (int i = 0; vv_test_scenes[i] != NULL; i++) {
    vvModel* m = vv_test_scene(context, VV_ROOT, vv_test_scenes[i]);
    vvRigidWork* work = NULL;
    vvState* s = NULL;
    vvReal ctrl[64] = {0};
    assert_non_null(m);
    assert_int_equal(vv_rigid_work_create(context, m, &work), VV_OK);
    assert_int_equal(vv_state_create(context, m, &s), VV_OK);
    Case c = case_create(m, work);
    for (int k = 0; k < 4; k++) {
      vv_test_state(m, k, work, s, ctrl);
      assert_int_equal(vv_rigid_evaluate(m, s->q, s->v, NULL, ctrl, NULL, NULL, NULL, work), VV_OK);
      check_state(&c, s, ctrl, k, &resolved);
      total += DIRECTIONS;
    }
    case_free(&c);
    vv_state_free(context, s);
    vv_rigid_work_free(work);
    vv_model_free(context, m);
  }
  print_message("%d of %d directions resolved by differences\n", resolved, total);
  assert_true(10 * resolved >= 9 * total);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_differences)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
