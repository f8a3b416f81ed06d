// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_dual.c: the generated derivatives of the rigid kernels against dual numbers, an oracle that shares nothing with
// vvcc, in driven states of the scenes in test/scenes. For each kernel and random tangents t and cotangents u:
//
//   value     the dual run's values equal the kernel's own
//   forward   f_jvp(t) = dual tangent
//   reverse   u . dual tangent = f_vjp(u) . t
//
// Also: the weak residual is w . r of the strong one, and r vanishes at the accelerations that the solver returned.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/random.h"
#include "derive_kernel.vv.h"
#include "dual/dual_call.h"
#include "dynamics_kernel.vv.h"
#include "force_kernel.vv.h"
#include "kinematics_kernel.vv.h"
#include "rigid/derive_kernel.h"
#include "visviva/visviva.h"

enum { MAX_REALS = 1 << 15 };

// What one comparison needs: flat values, tangents, cotangents of the inputs and outputs of a kernel.
typedef struct Bench {
  vvContext* context;
  vvModel* m;
  vvModel* m_tan;
  vvModel* m_bar;
  vvRandom random;
  DualCall call;
  size_t offsets[128];
  double* in_bar[DUAL_ARRAYS];
  double* out_value[DUAL_ARRAYS];
  double* out_tan[DUAL_ARRAYS];
  double* out_bar[DUAL_ARRAYS];
  double seed[DUAL_ARRAYS][1];
  vvTapeMem tape;
  double worst;
} Bench;

static double* reals(int n) {
  double* p = calloc((size_t)n + 1, sizeof *p);
  assert_non_null(p);
  return p;
}

static void fill(Bench* b, double* x, int n, double scale) {
  for (int i = 0; i < n; i++) x[i] = scale * (2 * vv_random_uniform(&b->random) - 1);
}

static void add_in(Bench* b, const double* value, int n) {
  DualArray* a = &b->call.in[b->call.nin];
  a->value = reals(n);
  if (value != NULL) memcpy(a->value, value, (size_t)n * sizeof *value);
  a->tangent = reals(n);
  a->size = n;
  fill(b, a->tangent, n, 1);
  b->in_bar[b->call.nin] = reals(n);
  b->call.nin++;
}

static void add_out(Bench* b, int n) {
  int i = b->call.nout++;
  b->call.out[i].value = reals(n);
  b->call.out[i].tangent = reals(n);
  b->call.out[i].size = n;
  b->out_value[i] = reals(n);
  b->out_tan[i] = reals(n);
  b->out_bar[i] = reals(n);
  fill(b, b->out_bar[i], n, 1);
}

static void clear(Bench* b) {
  for (int i = 0; i < b->call.nin; i++) {
    free(b->call.in[i].value);
    free(b->call.in[i].tangent);
    free(b->in_bar[i]);
  }
  for (int i = 0; i < b->call.nout; i++) {
    free(b->call.out[i].value);
    free(b->call.out[i].tangent);
    free(b->out_value[i]);
    free(b->out_tan[i]);
    free(b->out_bar[i]);
  }
  b->call.nin = 0;
  b->call.nout = 0;
  vv_model_shadow_zero(b->m_bar);
}

// Tangents of all reals of the model but those without meaning for the kernel (bulk).
static void fill_model(Bench* b) {
  size_t n = b->m->section_begin[VV_SECTION_COUNT];
  for (size_t i = 0; i < n; i++) b->m_tan->reals[i] = (2 * vv_random_uniform(&b->random) - 1) * 0.1;
  int k = 0;
  for (const vvField* f = vv_model_fields(); f->attribute != NULL; f++) b->offsets[k++] = f->offset;
  b->offsets[k] = SIZE_MAX;
  b->call.offsets = b->offsets;
  b->call.model = b->m;
  b->call.model_tan = b->m_tan->reals;
}

#define IN(i) b->call.in[i].value
#define TAN(i) b->call.in[i].tangent
#define BAR(i) b->in_bar[i]
#define OUT(i) b->out_value[i]
#define OUT_TAN(i) b->out_tan[i]
#define OUT_BAR(i) b->out_bar[i]

static void run_jvp(Bench* b) {
  const DualCall* c = &b->call;
  const vvModel *m = b->m, *t = b->m_tan;
  vvRigidPose pose = {IN(0), IN(1), IN(2), IN(3)}, pose_tan = {TAN(0), TAN(1), TAN(2), TAN(3)};
  if (c->kernel == DUAL_KINEMATICS) {
    vvRigidPose made = {OUT(0), OUT(1), OUT(2), OUT(3)}, made_tan = {OUT_TAN(0), OUT_TAN(1), OUT_TAN(2), OUT_TAN(3)};
    vv_rigid_kinematics_jvp(m, t, IN(0), TAN(0), c->ref, &made, &made_tan);
  } else if (c->kernel == DUAL_FORCE) {
    vv_rigid_force_jvp(m, t, IN(0), TAN(0), IN(1), TAN(1), IN(2), TAN(2), IN(3), TAN(3), IN(4), TAN(4), OUT(0),
                       OUT_TAN(0));
  } else if (c->kernel == DUAL_INTEGRATE) {
    vv_rigid_integrate_jvp(m, t, IN(0), TAN(0), IN(1), TAN(1), OUT(0), OUT_TAN(0));
  } else if (c->kernel == DUAL_WEAK) {
    vvRigidMotion motion = {OUT(1), OUT(2), OUT(3), OUT(4)},
                  motion_tan = {OUT_TAN(1), OUT_TAN(2), OUT_TAN(3), OUT_TAN(4)};
    OUT(0)
    [0] = vv_rigid_weak_jvp(m, t, c->ref, &pose, &pose_tan, IN(4), TAN(4), c->a, c->w, IN(5), TAN(5), IN(6), TAN(6),
                            c->nwrench, c->contacts, c->ncontact, c->limits, c->nlimit, IN(7), TAN(7), &motion,
                            &motion_tan, OUT_TAN(0));
  } else if (c->kernel == DUAL_RESIDUAL) {
    int n = 6 * m->nbody;
    double *s = reals(5 * n), *s_tan = reals(5 * n);
    vvRigidMotion motion = {s, s + n, s + 2 * n, s + 3 * n};
    vvRigidMotion motion_tan = {s_tan, s_tan + n, s_tan + 2 * n, s_tan + 3 * n};
    vv_rigid_residual_jvp(m, t, c->ref, &pose, &pose_tan, IN(4), TAN(4), c->a, IN(5), TAN(5), IN(6), TAN(6), c->nwrench,
                          c->contacts, c->ncontact, c->limits, c->nlimit, IN(7), TAN(7), &motion, &motion_tan,
                          s + 4 * n, s_tan + 4 * n, OUT(0), OUT_TAN(0));
    free(s);
    free(s_tan);
  } else if (c->kernel == DUAL_DAMPING) {
    OUT(0)
    [0] = vv_rigid_damping_weak_jvp(m, t, c->ref, &pose, &pose_tan, c->d, c->a2, c->w, OUT(1), OUT_TAN(1), OUT(2),
                                    OUT_TAN(2), OUT_TAN(0));
  } else if (c->kernel == DUAL_POSES) {
    vvRigidDerivePoses p = {OUT(0), OUT(1), OUT(2), OUT(3),  OUT(4),  OUT(5), OUT(6),
                            OUT(7), OUT(8), OUT(9), OUT(10), OUT(11), OUT(12)};
    vvRigidDerivePoses p_tan = {OUT_TAN(0), OUT_TAN(1), OUT_TAN(2), OUT_TAN(3),  OUT_TAN(4),  OUT_TAN(5), OUT_TAN(6),
                                OUT_TAN(7), OUT_TAN(8), OUT_TAN(9), OUT_TAN(10), OUT_TAN(11), OUT_TAN(12)};
    vv_rigid_derive_poses_jvp(m, t, &p, &p_tan);
  }
}

static void run_vjp(Bench* b) {
  const DualCall* c = &b->call;
  const vvModel* m = b->m;
  vvModel* mb = b->m_bar;
  vvTapeMem* tape = &b->tape;
  vvRigidPose pose = {IN(0), IN(1), IN(2), IN(3)}, pose_bar = {BAR(0), BAR(1), BAR(2), BAR(3)};
  tape->used = 0;
  if (c->kernel == DUAL_KINEMATICS) {
    vvRigidPose made = {OUT(0), OUT(1), OUT(2), OUT(3)}, made_bar = {OUT_BAR(0), OUT_BAR(1), OUT_BAR(2), OUT_BAR(3)};
    vv_rigid_kinematics_vjp(m, IN(0), c->ref, &made, mb, BAR(0), &made_bar, tape);
  } else if (c->kernel == DUAL_FORCE) {
    vv_rigid_force_vjp(m, IN(0), IN(1), IN(2), IN(3), IN(4), OUT(0), mb, BAR(0), BAR(1), BAR(2), BAR(3), BAR(4),
                       OUT_BAR(0), tape);
  } else if (c->kernel == DUAL_INTEGRATE) {
    vv_rigid_integrate_vjp(m, IN(0), IN(1), OUT(0), mb, BAR(0), BAR(1), OUT_BAR(0), tape);
  } else if (c->kernel == DUAL_WEAK) {
    vvRigidMotion motion = {OUT(1), OUT(2), OUT(3), OUT(4)},
                  motion_bar = {OUT_BAR(1), OUT_BAR(2), OUT_BAR(3), OUT_BAR(4)};
    vv_rigid_weak_vjp(m, c->ref, &pose, IN(4), c->a, c->w, IN(5), IN(6), c->nwrench, c->contacts, c->ncontact,
                      c->limits, c->nlimit, IN(7), &motion, OUT_BAR(0)[0], mb, &pose_bar, BAR(4), BAR(5), BAR(6),
                      BAR(7), &motion_bar, tape);
  } else if (c->kernel == DUAL_RESIDUAL) {
    int n = 6 * m->nbody;
    double *s = reals(5 * n), *s_bar = reals(5 * n);
    vvRigidMotion motion = {s, s + n, s + 2 * n, s + 3 * n};
    vvRigidMotion motion_bar = {s_bar, s_bar + n, s_bar + 2 * n, s_bar + 3 * n};
    vv_rigid_residual_vjp(m, c->ref, &pose, IN(4), c->a, IN(5), IN(6), c->nwrench, c->contacts, c->ncontact, c->limits,
                          c->nlimit, IN(7), &motion, s + 4 * n, OUT(0), mb, &pose_bar, BAR(4), BAR(5), BAR(6), BAR(7),
                          &motion_bar, s_bar + 4 * n, OUT_BAR(0), tape);
    free(s);
    free(s_bar);
  } else if (c->kernel == DUAL_DAMPING) {
    vv_rigid_damping_weak_vjp(m, c->ref, &pose, c->d, c->a2, c->w, OUT(1), OUT(2), OUT_BAR(0)[0], mb, &pose_bar,
                              OUT_BAR(1), OUT_BAR(2), tape);
  } else if (c->kernel == DUAL_POSES) {
    vvRigidDerivePoses p = {OUT(0), OUT(1), OUT(2), OUT(3),  OUT(4),  OUT(5), OUT(6),
                            OUT(7), OUT(8), OUT(9), OUT(10), OUT(11), OUT(12)};
    vvRigidDerivePoses p_bar = {OUT_BAR(0), OUT_BAR(1), OUT_BAR(2), OUT_BAR(3),  OUT_BAR(4),  OUT_BAR(5), OUT_BAR(6),
                                OUT_BAR(7), OUT_BAR(8), OUT_BAR(9), OUT_BAR(10), OUT_BAR(11), OUT_BAR(12)};
    vv_rigid_derive_poses_vjp(m, &p, mb, &p_bar, tape);
  }
  assert_int_equal(tape->overflow, 0);
  assert_int_equal(tape->used, 0);
}

static void near(const char* what, int kernel, double got, double right, double scale) {
  if (!(fabs(got - right) <= 1e-11 * (1 + scale))) {
    fail_msg("kernel %d, %s: %.17g instead of %.17g (scale %g)", kernel, what, got, right, scale);
  }
}

// Compares the kernel of b->call, whose inputs and outputs have been added.
static void compare(Bench* b) {
  DualCall* c = &b->call;
  dual_run(c);
  run_jvp(b);
  double left = 0, scale = 0;
  for (int i = 0; i < c->nout; i++) {
    double size = 0;
    for (int k = 0; k < c->out[i].size; k++) {
      size = fmax(size, fmax(fabs(c->out[i].value[k]), fabs(c->out[i].tangent[k])));
    }
    for (int k = 0; k < c->out[i].size; k++) {
      near("value", c->kernel, b->out_value[i][k], c->out[i].value[k], size);
      near("jvp", c->kernel, b->out_tan[i][k], c->out[i].tangent[k], size);
      left += b->out_bar[i][k] * c->out[i].tangent[k];
      scale += fabs(b->out_bar[i][k] * c->out[i].tangent[k]);
    }
  }
  run_vjp(b);
  double right = 0;
  for (int i = 0; i < c->nin; i++) {
    for (int k = 0; k < c->in[i].size; k++) right += b->in_bar[i][k] * c->in[i].tangent[k];
  }
  size_t n = b->m->section_begin[VV_SECTION_COUNT];
  for (size_t i = 0; i < n; i++) right += b->m_bar->reals[i] * b->m_tan->reals[i];
  near("vjp", c->kernel, right, left, scale);
  clear(b);
}

static void add_pose(Bench* b, const vvRigidWork* w) {
  add_in(b, w->xpos, 3 * b->m->nbody);
  add_in(b, w->xquat, 4 * b->m->nbody);
  add_in(b, w->xmat, 9 * b->m->nbody);
  add_in(b, w->S, 6 * b->m->nv);
}

static void compare_dynamics(Bench* b, const vvRigidWork* w, const vvState* s, const double* x, DualKernel kernel) {
  const vvModel* m = b->m;
  b->call.kernel = kernel;
  b->call.a = w->a;
  b->call.w = x;
  b->call.contacts = w->contacts;
  b->call.limits = w->limits;
  b->call.ncontact = w->ncontact;
  b->call.nlimit = w->nlimit;
  b->call.nwrench = m->nbody;
  add_pose(b, w);
  add_in(b, s->v, m->nv);
  add_in(b, w->tau, m->nv);
  add_in(b, NULL, 6 * m->nbody);
  add_in(b, s->q, m->nq);
  if (kernel == DUAL_WEAK) {
    add_out(b, 1);
    for (int i = 0; i < 4; i++) add_out(b, 6 * m->nbody);
  } else {
    add_out(b, m->nv);
  }
  compare(b);
}

static void compare_state(Bench* b, const vvRigidWork* w, const vvState* s, const double* ctrl) {
  const vvModel* m = b->m;
  double* x = reals(3 * m->nv);
  fill(b, x, 3 * m->nv, 1);
  b->call.ref = w->ref;
  fill_model(b);
  b->call.kernel = DUAL_KINEMATICS;
  add_in(b, s->q, m->nq);
  add_out(b, 3 * m->nbody);
  add_out(b, 4 * m->nbody);
  add_out(b, 9 * m->nbody);
  add_out(b, 6 * m->nv);
  compare(b);
  b->call.kernel = DUAL_FORCE;
  add_in(b, s->q, m->nq);
  add_in(b, s->v, m->nv);
  add_in(b, s->act, m->na);
  add_in(b, ctrl, m->nu);
  add_in(b, NULL, m->nv);
  add_out(b, m->nv);
  compare(b);
  b->call.kernel = DUAL_INTEGRATE;
  add_in(b, s->q, m->nq);
  add_in(b, s->v, m->nv);
  add_out(b, m->nq);
  compare(b);
  compare_dynamics(b, w, s, x, DUAL_WEAK);
  compare_dynamics(b, w, s, x, DUAL_RESIDUAL);
  b->call.kernel = DUAL_DAMPING;
  b->call.d = x + m->nv;
  b->call.a2 = x + 2 * m->nv;
  add_pose(b, w);
  add_out(b, 1);
  add_out(b, 6 * m->nbody);
  add_out(b, 6 * m->nbody);
  compare(b);
  b->call.kernel = DUAL_POSES;
  const int widths[] = {3 * m->nframe, 4 * m->nframe, 3 * m->nbody, 4 * m->nbody, 3 * m->njnt,
                        3 * m->njnt,   3 * m->ngeom,  4 * m->ngeom, 3 * m->ngeom, 3 * m->nsite,
                        4 * m->nsite,  m->nq,         m->nq};
  for (int i = 0; i < 13; i++) add_out(b, widths[i]);
  compare(b);
  free(x);
}

// w . r(a) = weak(w; a), and r = 0 at the solver's a.
static void identities(Bench* b, const vvRigidWork* w, const vvState* s) {
  const vvModel* m = b->m;
  int n = 6 * m->nbody;
  double *x = reals(m->nv), *r = reals(m->nv), *space = reals(5 * n), *none = reals(n);
  fill(b, x, m->nv, 1);
  vvRigidPose pose = {w->xpos, w->xquat, w->xmat, w->S};
  vvRigidMotion motion = {space, space + n, space + 2 * n, space + 3 * n};
  vv_rigid_residual(m, w->ref, &pose, s->v, w->a, w->tau, none, 0, w->contacts, w->ncontact, w->limits, w->nlimit, s->q,
                    &motion, space + 4 * n, r);
  double psi = vv_rigid_weak(m, w->ref, &pose, s->v, w->a, x, w->tau, none, 0, w->contacts, w->ncontact, w->limits,
                             w->nlimit, s->q, &motion);
  double sum = 0, scale = 1;
  for (int i = 0; i < m->nv; i++) {
    sum += x[i] * r[i];
    scale = fmax(scale, fmax(fabs(w->tau[i]), fmax(fabs(w->bias[i]), fabs(w->constraint[i]))));
  }
  near("weak and strong residual", DUAL_WEAK, psi, sum, 10 * scale);
  for (int i = 0; i < m->nv; i++) {
    if (fabs(r[i]) > 1e-10 * scale) fail_msg("residual %g of dof %d at the solution", r[i], i);
  }
  free(x);
  free(r);
  free(space);
  free(none);
}

static void scene(const char* path) {
  Bench bench = {0}, *b = &bench;
  vvReport report = {0};
  vvRigidWork* w = NULL;
  vvState* s = NULL;
  assert_int_equal(vv_context_create(NULL, &b->context), VV_OK);
  if (vv_model_load_file(b->context, path, &b->m, &report) != VV_OK) fail_msg("%s: %s", path, report.message);
  assert_int_equal(vv_model_shadow(b->context, b->m, &b->m_tan), VV_OK);
  assert_int_equal(vv_model_shadow(b->context, b->m, &b->m_bar), VV_OK);
  assert_int_equal(vv_rigid_work_create(b->context, b->m, &w), VV_OK);
  assert_int_equal(vv_state_create(b->context, b->m, &s), VV_OK);
  b->tape.capacity = 1 << 22;
  b->tape.base = vv_alloc(b->context, b->tape.capacity);
  b->random = vv_random_init(7, 0);
  double* ctrl = reals(b->m->nu);
  int contacts = 0;
  for (int k = 0; k < 500; k++) {
    if (k % 20 == 0) fill(b, ctrl, b->m->nu, 1);
    assert_int_equal(vv_rigid_evaluate(b->m, s->q, s->v, NULL, ctrl, NULL, NULL, s->warmstart, w), VV_OK);
    if (k % 50 == 49) {
      compare_state(b, w, s, ctrl);
      identities(b, w, s);
      contacts += w->ncontact;
    }
    assert_int_equal(vv_rigid_step(b->m, s, ctrl, NULL, NULL, w), VV_OK);
  }
  print_message("%s: %d contacts in the compared states\n", path, contacts);
  free(ctrl);
  vv_free(b->context, b->tape.base, b->tape.capacity);
  vv_state_free(b->context, s);
  vv_rigid_work_free(w);
  vv_model_shadow_free(b->context, b->m_tan);
  vv_model_shadow_free(b->context, b->m_bar);
  vv_model_free(b->context, b->m);
  vv_context_destroy(b->context);
}

#define SCENE(name)                              \
  static void scene_##name(void** state) {       \
    (void)state;                                 \
    scene(VV_ROOT "/test/scenes/" #name ".xml"); \
  }
SCENE(cube)
SCENE(joints)
SCENE(pairs_pyramidal)
SCENE(pairs_elliptic)
SCENE(creature)
SCENE(pile)
SCENE(frictionloss)
SCENE(equality)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scene_cube),           cmocka_unit_test(scene_joints),   cmocka_unit_test(scene_pairs_pyramidal),
      cmocka_unit_test(scene_pairs_elliptic), cmocka_unit_test(scene_creature), cmocka_unit_test(scene_pile),
      cmocka_unit_test(scene_frictionloss),   cmocka_unit_test(scene_equality),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
