// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// spec.c: builds a scene in C: a pendulum with a motor over a floor; compiles it, looks up a number, sets it for all
// members of a default class, and writes the scene as MJCF.
//
//   cc spec.c -o spec $(pkg-config --cflags --libs visviva) && ./spec pendulum.xml

#include <stdio.h>

#include "visviva/visviva.h"

static vvStatus build(vvSpec* spec) {
  // members of class "arm" start with these values
  int arm = vv_spec_add_class(spec, "arm", 0);
  if (arm < 0) return VV_ERROR_MEMORY;
  spec->classes[arm]->joint.damping = 0.05;
  spec->classes[arm]->geom.size[0] = 0.02;

  vvSpecGeom* floor = vv_spec_add_geom(spec, spec->bodies[0], VV_GEOM_PLANE, -1);
  vvSpecBody* upper = vv_spec_add_body(spec, spec->bodies[0], NULL);
  vvSpecBody* lower = upper ? vv_spec_add_body(spec, upper, NULL) : NULL;
  if (!floor || !lower) return VV_ERROR_MEMORY;
  floor->size[0] = floor->size[1] = 2;
  floor->size[2] = 0.1;
  upper->pos[2] = 1;
  upper->childclass = arm;
  lower->pos[2] = -0.4;

  vvSpecBody* links[2] = {upper, lower};
  static const char* const names[2] = {"shoulder", "elbow"};
  for (int i = 0; i < 2; i++) {
    vvSpecJoint* joint = vv_spec_add_joint(spec, links[i], VV_JOINT_HINGE, -1);
    vvSpecGeom* rod = vv_spec_add_geom(spec, links[i], VV_GEOM_CAPSULE, -1);
    if (!joint || !rod) return VV_ERROR_MEMORY;
    joint->axis[1] = 1;
    joint->axis[2] = 0;
    for (int k = 0; k < 6; k++) rod->fromto[k] = k == 5 ? -0.4 : 0;
    if (vv_spec_name(spec, &joint->head, names[i]) != VV_OK) return VV_ERROR_MEMORY;
  }
  vvSpecActuator* motor = vv_spec_add_motor(spec, "shoulder", -1);
  if (!motor) return VV_ERROR_MEMORY;
  motor->gear[0] = 2;
  return VV_OK;
}

static vvStatus run(vvContext* context, vvSpec* spec, const char* path, vvReport* report) {
  vvModel* model = NULL;
  vvStatus status = build(spec);
  if (status == VV_OK) status = vv_compile(context, spec, &model, report);
  if (status != VV_OK) return status;
  int number;
  if (vv_number_match(model, "default/arm/joint/damping/0", &number, 1) == 1) {
    vv_number_set(model, number, (vvReal)0.1);  // both joints
    status = vv_model_derive(context, model, report);
  }
  if (status == VV_OK) status = vv_spec_apply_model(spec, model, report);
  if (status == VV_OK) status = vv_spec_write(spec, path, report);
  printf("%d joints, %d numbers\n", model->njnt, model->names->nnumber);
  vv_model_free(context, model);
  return status;
}

int main(int argc, char** argv) {
  vvContext* context = NULL;
  vvSpec* spec = NULL;
  vvReport report;
  vv_report_clear(&report);
  vvStatus status = vv_context_create(NULL, &context);
  if (status == VV_OK) status = vv_spec_create(context, &spec);
  if (status == VV_OK) status = run(context, spec, argc > 1 ? argv[1] : "pendulum.xml", &report);
  if (status != VV_OK) fprintf(stderr, "%s: %s\n", vv_status_text(status), report.message);
  vv_spec_free(spec);
  vv_context_destroy(context);
  return status == VV_OK ? 0 : 1;
}
