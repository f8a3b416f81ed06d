// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// check_where.c: names the contact or limit in which two rollouts differ at a step.

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geom/contact_kernel.h"
#include "roll/check_plan.h"

static const double GRAZING = 1e-6;  // change of the gap in a step   [m]

static void element_name(const vvModel* m, vvElement element, int i, char* text, size_t size) {
  const char* name = NULL;
  if (m->names && m->names->element[element] && i < m->names->nelement[element]) name = m->names->element[element][i];
  if (name && name[0]) {
    snprintf(text, size, "%.40s", name);
  } else {
    snprintf(text, size, "#%d", i);
  }
}

static bool same_contact(const vvContactFeature* a, const vvContactFeature* b) {
  return a->geom1 == b->geom1 && a->geom2 == b->geom2 && a->kind == b->kind && a->index == b->index &&
         a->second == b->second;
}

// First contact of `a` that `b` has not, -1: none.
static int contact_only_in(const vvTapeRow* a, const vvTapeRow* b) {
  for (int i = 0; i < a->ncontact; i++) {
    int k = 0;
    while (k < b->ncontact && !same_contact(&a->contacts[i], &b->contacts[k])) k++;
    if (k == b->ncontact) return i;
  }
  return -1;
}

static bool same_row(const vvRowFeature* a, const vvRowFeature* b) {
  return a->kind == b->kind && a->id == b->id && a->side == b->side;
}

static int limit_only_in(const vvTapeRow* a, const vvTapeRow* b) {
  for (int i = 0; i < a->nlimit; i++) {
    int k = 0;
    while (k < b->nlimit && !same_row(&a->limits[i], &b->limits[k])) k++;
    if (k == b->nlimit) return i;
  }
  return -1;
}

static bool same_features(const vvTapeRow* a, const vvTapeRow* b) {
  return contact_only_in(a, b) < 0 && contact_only_in(b, a) < 0 && limit_only_in(a, b) < 0 && limit_only_in(b, a) < 0;
}

// Gap of a contact at row k of the plan's rollout.
static double gap_at(const vvCheckPlan* plan, int k, const vvContactFeature* c, vvCheckWorker* w) {
  vvTapeRow row = vv_tape_row(plan->tape, k, 0);
  vvRigidWork* rigid = w->work->rigid;
  vvRigidPose pose = {rigid->xpos, rigid->xquat, rigid->xmat, rigid->S};
  vv_rigid_kinematics(plan->m, row.q, rigid->ref, &pose);
  return (double)vv_contact_evaluate(plan->m, rigid->xpos, rigid->xquat, c, 0).gap;
}

void vv_check_where(const vvCheckPlan* plan, const vvTape* tape, int step, vvCheckWorker* worker,
                    vvCheckDirection* direction, bool* grazing) {
  const vvModel* m = plan->m;
  vvTapeRow base = vv_tape_row(plan->tape, step, 0);
  vvTapeRow other = vv_tape_row(tape, step, 0);
  for (int stage = 1; stage < vv_rigid_stages(m) && same_features(&base, &other); stage++) {
    base = vv_tape_row(plan->tape, step, stage);
    other = vv_tape_row(tape, step, stage);
  }
  char a[48];
  char b[48];
  direction->step = step;
  *grazing = false;
  const vvContactFeature* contact = NULL;
  int i = contact_only_in(&base, &other);
  if (i >= 0) contact = &base.contacts[i];
  if (!contact) {
    i = contact_only_in(&other, &base);
    if (i >= 0) contact = &other.contacts[i];
  }
  if (contact) {
    element_name(m, VV_ELEMENT_GEOM, contact->geom1, a, sizeof a);
    element_name(m, VV_ELEMENT_GEOM, contact->geom2, b, sizeof b);
    snprintf(direction->where, sizeof direction->where, "contact %s/%s", a, b);
    if (step > 0)
      *grazing = fabs(gap_at(plan, step, contact, worker) - gap_at(plan, step - 1, contact, worker)) < GRAZING;
    return;
  }
  i = limit_only_in(&base, &other);
  const vvRowFeature* limit = i >= 0 ? &base.limits[i] : NULL;
  if (!limit) {
    i = limit_only_in(&other, &base);
    if (i >= 0) limit = &other.limits[i];
  }
  if (limit) {
    if (limit->kind == VV_ROW_EQUALITY) {
      element_name(m, VV_ELEMENT_EQUALITY, limit->id, a, sizeof a);
      snprintf(direction->where, sizeof direction->where, "equality %s", a);
      return;
    }
    bool friction = limit->kind == VV_ROW_FRICTION;
    element_name(m, VV_ELEMENT_JOINT, friction ? m->dof_jnt[limit->id] : limit->id, a, sizeof a);
    snprintf(direction->where, sizeof direction->where, "%s %s", friction ? "dry friction" : "limit", a);
    return;
  }
  snprintf(direction->where, sizeof direction->where, "a zone or clamp of the same contacts and limits");
}
