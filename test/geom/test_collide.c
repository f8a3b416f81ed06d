// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// test_collide.c: contacts of every pair of shapes against closed forms: which there are, in what order, their points,
// normals, tangents and gaps; margins, gaps and condims.

#include "vvtest.h"

#include <stdio.h>
#include <string.h>

#include "geom/collide.h"
#include "geom/contact_kernel.h"
#include "rigid/rigid_kernel.h"
#include "rigid/rigid_scenes.h"

enum { MAX = 16 };

static vvContext* context;

typedef struct Found {
  vvModel* m;
  vvReal xpos[3 * MAX], xquat[4 * MAX], xmat[9 * MAX];
  vvContactFeature feature[MAX];
  vvContactPoint point[MAX];
  int n;
} Found;

static int setup(void** state) {
  (void)state;
  return vv_context_create(NULL, &context) == VV_OK ? 0 : -1;
}

static int teardown(void** state) {
  (void)state;
  size_t left = vv_context_memory(context).bytes;
  vv_context_destroy(context);
  return left == 0 ? 0 : -1;
}

static void assert_frame(const vvContactPoint* p) {
  assert_near(vv_vec3_dot(p->normal, p->normal), 1, 1e-14);
  assert_near(vv_vec3_dot(p->tangent1, p->tangent1), 1, 1e-14);
  assert_near(vv_vec3_dot(p->normal, p->tangent1), 0, 1e-14);
  vvVec3 t = vv_vec3_cross(p->normal, p->tangent1);
  assert_near(vv_vec3_dot(t, p->tangent2), 1, 1e-14);
}

// Contacts of a scene as stated.
static void find(Found* f, const char* text) {
  vvReal S[6 * 6 * MAX], ref[3 * MAX] = {0}, pos[3 * MAX], axis[3 * MAX];
  memset(f, 0, sizeof *f);
  f->m = vv_test_text(context, text);
  assert_non_null(f->m);
  vvRigidPose pose = {f->xpos, f->xquat, f->xmat, S};
  vv_rigid_kinematics(f->m, f->m->qpos0, ref, &pose);
  assert_int_equal(vv_collide(f->m, f->xpos, f->xmat, pos, axis, f->feature, MAX, &f->n), VV_OK);
  for (int k = 0; k < f->n; k++) {
    const vvContactFeature* c = &f->feature[k];
    f->point[k] = vv_contact_evaluate(f->m, f->xpos, f->xquat, f->feature, k);
    assert_frame(&f->point[k]);
    assert_true(f->point[k].gap < f->m->geom_margin[c->geom1] + f->m->geom_margin[c->geom2]);
  }
  if (f->n > 1) {
    int found;
    assert_int_equal(vv_collide(f->m, f->xpos, f->xmat, pos, axis, f->feature, f->n - 1, &found), VV_ERROR_CAPACITY);
    assert_int_equal(found, f->n);
  }
}

static void drop(Found* f) {
  vv_model_free(context, f->m);
}

static void assert_vector(vvVec3 a, double x, double y, double z) {
  assert_near(a.x, x, 1e-13);
  assert_near(a.y, y, 1e-13);
  assert_near(a.z, z, 1e-13);
}

#define WORLD(static_geom, moving) \
  "<mujoco><worldbody>" static_geom "<body><freejoint/>" moving "</body></worldbody></mujoco>"
#define FLOOR "<geom type='plane' size='1 1 1'/>"

static void test_plane_sphere(void** state) {
  (void)state;
  Found f;
  find(&f, WORLD("<geom type='plane' size='1 1 1' pos='0 0 1' euler='90 0 0'/>",
                 "<geom type='sphere' size='.2' pos='.3 -.15 .4'/>"));
  assert_int_equal(f.n, 1);  // normal (0, -1, 0)
  assert_near(f.point[0].gap, 0.15 - 0.2, 1e-14);
  assert_vector(f.point[0].normal, 0, -1, 0);
  assert_vector(f.point[0].point, 0.3, 0.025, 0.4);
  assert_vector(f.point[0].tangent1, 0, 0, 1);
  drop(&f);
  find(&f, WORLD(FLOOR, "<geom type='sphere' size='.2' pos='0 0 .2'/>"));
  assert_int_equal(f.n, 0);  // gap 0 is not below margin 0
  drop(&f);
}

static void test_plane_capsule(void** state) {
  (void)state;
  Found f;
  find(&f, WORLD(FLOOR, "<geom type='capsule' size='.1 .5' pos='0 0 .05' euler='0 90 0'/>"));
  assert_int_equal(f.n, 2);
  assert_vector(f.point[0].point, 0.5, 0, -0.025);
  assert_vector(f.point[1].point, -0.5, 0, -0.025);
  assert_vector(f.point[0].tangent1, 1, 0, 0);
  assert_vector(f.point[0].tangent2, 0, 1, 0);
  drop(&f);
  find(&f, WORLD(FLOOR, "<geom type='capsule' size='.1 .5' pos='0 0 .55'/>"));
  assert_int_equal(f.n, 1);  // upright: the axis gives no tangent
  assert_int_equal(f.feature[0].index, 1);
  assert_vector(f.point[0].tangent1, 1, 0, 0);
  assert_near(f.point[0].gap, -0.05, 1e-14);
  drop(&f);
}

static void test_plane_box(void** state) {
  (void)state;
  Found f;
  find(&f, WORLD(FLOOR, "<geom type='box' size='.1 .2 .3' pos='0 0 .29'/>"));
  assert_int_equal(f.n, 4);
  for (int k = 0; k < 4; k++) {
    assert_int_equal(f.feature[k].index, k);
    assert_vector(f.point[k].point, k & 1 ? 0.1 : -0.1, k & 2 ? 0.2 : -0.2, -0.005);
    assert_vector(f.point[k].tangent1, 0, 1, 0);
  }
  drop(&f);
  // tipped by 45 degrees on an edge; sunk to its middle, the four corners below it count, not the eight within reach
  find(&f, WORLD(FLOOR, "<geom type='box' size='.1 .1 .1' pos='0 0 .14' euler='45 0 0'/>"));
  assert_int_equal(f.n, 2);
  assert_near(f.point[0].gap, 0.14 - 0.1 * sqrt(2), 1e-14);
  drop(&f);
  find(&f, WORLD(FLOOR, "<geom type='box' size='.1 .1 .1' pos='0 0 -5'/>"));
  assert_int_equal(f.n, 4);
  for (int k = 0; k < 4; k++) assert_int_equal(f.feature[k].index, k);
  drop(&f);
}

static void test_sphere_sphere(void** state) {
  (void)state;
  Found f;
  find(&f, WORLD("<geom type='sphere' size='.3' pos='0 0 1'/>", "<geom type='sphere' size='.2' pos='0 .3 1.3'/>"));
  assert_int_equal(f.n, 1);
  double d = 0.3 * sqrt(2), c = sqrt(0.5);
  assert_near(f.point[0].gap, d - 0.5, 1e-14);
  assert_vector(f.point[0].normal, 0, c, c);
  double reach = 0.3 + 0.5 * (d - 0.5);
  assert_vector(f.point[0].point, 0, reach * c, 1 + reach * c);
  assert_vector(f.point[0].tangent1, 0, -c, c);  // z made orthogonal, as the normal leans towards y
  drop(&f);
}

static void test_coincident(void** state) {
  (void)state;
  Found f;
  find(&f, WORLD("<geom type='sphere' size='.3'/>", "<geom type='sphere' size='.2'/>"));
  assert_vector(f.point[0].normal, 1, 0, 0);
  assert_near(f.point[0].gap, -0.5, 1e-14);
  drop(&f);
  find(&f, WORLD("<geom type='sphere' size='.3'/>", "<geom type='capsule' size='.1 .4' euler='-90 0 0'/>"));
  assert_vector(f.point[0].normal, -1, 0, 0);  // z cross y
  drop(&f);
}

static void test_sphere_capsule(void** state) {
  (void)state;
  static const char* const text[3] = {
      WORLD("<geom type='capsule' size='.1 .5'/>", "<geom type='sphere' size='.2' pos='.25 0 .4'/>"),
      WORLD("<geom type='capsule' size='.1 .5'/>", "<geom type='sphere' size='.2' pos='0 0 .75'/>"),
      WORLD("<geom type='capsule' size='.1 .5'/>", "<geom type='sphere' size='.2' pos='0 0 -.75'/>")};
  for (int k = 0; k < 3; k++) {
    Found f;
    find(&f, text[k]);
    assert_int_equal(f.n, 1);
    assert_int_equal(f.feature[0].index, k);
    assert_int_equal(f.m->geom_type[f.feature[0].geom1], VV_GEOM_SPHERE);
    assert_near(f.point[0].gap, -0.05, 1e-13);
    assert_vector(f.point[0].normal, k == 0 ? -1 : 0, 0, k == 0 ? 0 : k == 1 ? -1 : 1);
    drop(&f);
  }
}

// Every region of two capsules: the reported points are the closest of the two segments, by a scan.
static void test_crossing_capsules(void** state) {
  (void)state;
  uint64_t seed = 3;
  bool seen[9] = {false};
  for (int t = 0; t < 300; t++) {
    char text[512];
    double p[6];
    for (int i = 0; i < 6; i++) p[i] = vv_test_uniform(&seed);
    snprintf(text, sizeof text,
             WORLD("<geom type='capsule' size='.4 .5' euler='0 40 0'/>",
                   "<geom type='capsule' size='.3 .3' pos='%g %g %g' euler='%g %g %g'/>"),
             p[0], 0.5 * p[1], p[2], 170 * p[3], 170 * p[4], 170 * p[5]);
    Found f;
    find(&f, text);
    if (f.n == 1) {
      int g1 = f.feature[0].geom1, g2 = f.feature[0].geom2;
      vvVec3 c1 = vv_contact_geom_pos(f.m, f.xpos, f.xquat, g1), c2 = vv_contact_geom_pos(f.m, f.xpos, f.xquat, g2);
      vvVec3 a = vv_contact_axis(vv_contact_geom_quat(f.m, f.xquat, g1));
      vvVec3 b = vv_contact_axis(vv_contact_geom_quat(f.m, f.xquat, g2));
      double least = 1e9;
      for (int i = 0; i <= 100; i++) {
        for (int j = 0; j <= 100; j++) {
          vvVec3 u = vv_vec3_muladd(c1, (vvReal)(0.5 * (i - 50) / 50), a);
          vvVec3 v = vv_vec3_muladd(c2, (vvReal)(0.3 * (j - 50) / 50), b);
          least = fmin(least, (double)vv_vec3_length(vv_vec3_sub(u, v)));
        }
      }
      double gap = (double)f.point[0].gap + 0.7;
      assert_true(gap <= least + 1e-12 && gap > least - 0.012);
      seen[f.feature[0].index] = true;
    }
    drop(&f);
  }
  for (int k = 0; k < 9; k++) assert_true(seen[k]);
}

static void test_parallel_capsules(void** state) {
  (void)state;
  Found f;
  find(&f, WORLD("<geom type='capsule' size='.1 1'/>", "<geom type='capsule' size='.1 .5' pos='.15 0 .8'/>"));
  assert_int_equal(f.n, 2);
  assert_vector(f.point[0].point, 0.075, 0, 0.3);
  assert_vector(f.point[1].point, 0.075, 0, 1);
  assert_near(f.point[0].gap, -0.05, 1e-13);
  drop(&f);
  find(&f, WORLD("<geom type='capsule' size='.1 1'/>",
                 "<geom type='capsule' size='.1 .5' pos='.15 0 .2' euler='180 0 0'/>"));
  assert_int_equal(f.n, 2);
  assert_vector(f.point[0].point, 0.075, 0, -0.3);
  assert_vector(f.point[1].point, 0.075, 0, 0.7);
  drop(&f);
}

static void test_margin_and_priority(void** state) {
  (void)state;
  Found f;
  find(&f, WORLD("<geom type='plane' size='1 1 1' margin='.01' condim='4'/>",
                 "<geom type='sphere' size='.2' pos='0 0 .225' margin='.02' condim='1'/>"));
  assert_int_equal(f.n, 1);  // margins add
  assert_int_equal(f.feature[0].dim, 4);
  drop(&f);
  find(&f, WORLD("<geom type='plane' size='1 1 1' margin='.01' condim='4'/>",
                 "<geom type='sphere' size='.2' pos='0 0 .225' gap='.02' priority='1' condim='1'/>"));
  assert_int_equal(f.n, 0);  // a gap widens the search only
  drop(&f);
  find(&f, WORLD("<geom type='plane' size='1 1 1' condim='4'/>",
                 "<geom type='sphere' size='.2' pos='0 0 .1' priority='1' condim='1'/>"));
  assert_int_equal(f.feature[0].dim, 1);
  drop(&f);
}

static void test_most_contacts(void** state) {
  (void)state;
  assert_int_equal(vv_collide_max(VV_GEOM_PLANE, VV_GEOM_BOX), 4);
  assert_int_equal(vv_collide_max(VV_GEOM_CAPSULE, VV_GEOM_CAPSULE), 2);
  assert_int_equal(vv_collide_max(VV_GEOM_BOX, VV_GEOM_BOX), 8);
  assert_int_equal(vv_collide_max(VV_GEOM_SPHERE, VV_GEOM_BOX), 1);
}

static void test_convex(void** state) {
  (void)state;
  Found f;
  find(&f, WORLD("<geom type='ellipsoid' size='.3 .4 .2'/>", "<geom type='sphere' size='.1' pos='0 0 .29'/>"));
  assert_int_equal(f.n, 1);
  assert_near(f.point[0].gap, -0.01, 1e-13);
  assert_vector(f.point[0].point, 0, 0, 0.195);
  drop(&f);
  find(&f, WORLD("<geom type='box' size='.3 .4 .2'/>", "<geom type='cylinder' size='.1 .2' pos='.1 .1 .39'/>"));
  assert_int_equal(f.n, 1);
  assert_near(vv_fabs(f.point[0].normal.z), 1, 1e-13);
  assert_near(f.point[0].gap, -0.01, 1e-13);
  drop(&f);
  find(&f, WORLD("<geom type='cylinder' size='.1 .5'/>",
                 "<geom type='cylinder' size='.1 .5' pos='.19 0 0' euler='90 0 0'/>"));
  assert_int_equal(f.n, 1);
  assert_near(f.point[0].gap, -0.01, 1e-13);
  assert_vector(f.point[0].point, 0.095, 0, 0);
  drop(&f);
}

static void test_box_box(void** state) {
  (void)state;
  Found f;
  find(&f, WORLD("<geom type='box' size='.3 .4 .2'/>", "<geom type='box' size='.1 .1 .1' pos='.25 0 .29'/>"));
  assert_int_equal(f.n, 4);  // clipped at x = .3
  for (int k = 0; k < 4; k++) {
    assert_near(f.point[k].gap, -0.01, 1e-14);
    assert_true(f.point[k].point.x < 0.3 + 1e-13);
  }
  drop(&f);
  find(&f, WORLD("<geom type='box' size='.1 .1 .5' euler='0 0 45'/>",
                 "<geom type='box' size='.1 .5 .1' pos='.28 0 0' euler='0 45 0'/>"));
  assert_int_equal(f.n, 1);  // two edges
  assert_int_equal(f.feature[0].kind, VV_FEATURE_BOX_EDGE);
  assert_near(f.point[0].gap, 0.28 - 0.2 * sqrt(2), 1e-13);
  drop(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plane_sphere),
      cmocka_unit_test(test_plane_capsule),
      cmocka_unit_test(test_plane_box),
      cmocka_unit_test(test_sphere_sphere),
      cmocka_unit_test(test_coincident),
      cmocka_unit_test(test_sphere_capsule),
      cmocka_unit_test(test_crossing_capsules),
      cmocka_unit_test(test_parallel_capsules),
      cmocka_unit_test(test_margin_and_priority),
      cmocka_unit_test(test_most_contacts),
      cmocka_unit_test(test_convex),
      cmocka_unit_test(test_box_box),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
