// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// scene.h: what the files of src/scene and src/model share: memory of a scene, tables of attributes, tables that bind
// fields of the scene's elements to arrays of the model.

#ifndef VISVIVA_SCENE_SCENE_H_
#define VISVIVA_SCENE_SCENE_H_

#include "visviva/names.h"
#include "visviva/spec.h"

// ---- memory: blocks that live as long as the scene ------------------------------------------------------------------

// Zeroed bytes, NULL when there is no memory.
void* vv_spec_memory(vvSpec* spec, size_t bytes);

// ---- attributes -----------------------------------------------------------------------------------------------------

typedef struct vvKeyword {
  const char* key;
  int value;
} vvKeyword;

// How an attribute is read, written and checked.
typedef enum vvAttrKind {
  VV_ATTR_REAL = 0,  // min..max reals at offset
  VV_ATTR_INT,       // min..max ints at offset
  VV_ATTR_ENUM,      // keyword, an int at offset
  VV_ATTR_BOOL,      // "true" or "false", a bool at offset
  VV_ATTR_NAME,      // head.name
  VV_ATTR_CLASS,     // handled before the others
  VV_ATTR_TEXT,      // const char* at offset
  VV_ATTR_QUAT,      // double[4] at offset, also from axisangle, xyaxes, zaxis, euler
  VV_ATTR_AXISANGLE,
  VV_ATTR_XYAXES,
  VV_ATTR_ZAXIS,
  VV_ATTR_EULER,
  VV_ATTR_POLY,    // one real at offset, up to two more that must be 0
  VV_ATTR_LOOK,    // kept as text; max > 0: min..max reals, else any text
  VV_ATTR_PASS,    // no effect here; max > 0: min..max reals, else any text
  VV_ATTR_ZERO,    // not supported unless all numbers are 0
  VV_ATTR_FALSE,   // not supported unless "false" (or "auto", "none", "disable")
  VV_ATTR_REFUSED  // not supported
} vvAttrKind;

typedef struct vvAttr {
  const char* name;
  vvAttrKind kind;
  int min, max;           // count of numbers
  size_t offset;          // in the element's struct [byte]
  const vvKeyword* keys;  // of VV_ATTR_ENUM, ended by NULL
} vvAttr;

// Tables, ended by name == NULL. At most 64 rows, so that head.stated has a bit for each.
const vvAttr* vv_attr_body(void);
const vvAttr* vv_attr_inertial(void);
const vvAttr* vv_attr_frame(void);
const vvAttr* vv_attr_joint(void);
const vvAttr* vv_attr_freejoint(void);
const vvAttr* vv_attr_geom(void);
const vvAttr* vv_attr_site(void);
const vvAttr* vv_attr_actuator(int kind);  // vvActuatorKind
const vvAttr* vv_attr_tendon(void);
const vvAttr* vv_attr_sensor(int target);  // vvSensorTarget
const vvAttr* vv_attr_key(void);
const vvAttr* vv_attr_exclude(void);
const vvAttr* vv_attr_equality(int type);  // vvEqualityType; -1: of a default class
const vvAttr* vv_attr_option(void);
const vvAttr* vv_attr_compiler(void);

extern const vvKeyword vv_keys_geom_type[];
extern const vvKeyword vv_keys_joint_type[];
extern const vvKeyword vv_keys_actuator[];
extern const vvKeyword vv_keys_tristate[];
extern const vvKeyword vv_keys_frame_type[];
extern const vvKeyword vv_keys_integrator[];
extern const vvKeyword vv_keys_disable[];

// Text of a value, NULL when there is none.
const char* vv_key_text(const vvKeyword* keys, int value);

// ---- fields of elements and arrays of the model ---------------------------------------------------------------------

// Index in head.origin of a real field of an element.
#define VV_ORIGIN_INDEX(offset) (((offset) - sizeof(vvSpecHead)) / sizeof(double))

// One primary field: model array <-> spec field of the same width.
typedef struct vvBinding {
  vvElement element;
  size_t model_offset;  // of the pointer in vvModel
  size_t spec_offset;   // of the doubles in the element's struct
  int width;
} vvBinding;

// All primary fields of frames, bodies, joints, geoms, sites, actuators, sensors and equalities whose numbers are
// stored as stated in the scene (rot fields excepted); ended by width == 0.
const vvBinding* vv_spec_bindings(void);

// The quaternion that a rot field of the model belongs to.
typedef struct vvRotation {
  vvElement element;
  size_t rot_offset;   // of the pointer in vvModel
  size_t quat_offset;  // of the pointer in vvModel
  size_t spec_offset;  // of double[4] in the element's struct
} vvRotation;
const vvRotation* vv_spec_rotations(void);  // ended by rot_offset == 0

// Head of the id-th element of a kind in model order, after vv_compile; `order` as made by it.
typedef struct vvSpecOrder {
  vvSpecHead** heads[VV_ELEMENT_COUNT];
  int count[VV_ELEMENT_COUNT];
} vvSpecOrder;
vvStatus vv_spec_order_create(vvSpec* spec, vvSpecOrder* order);
void vv_spec_order_free(vvSpec* spec, vvSpecOrder* order);

// Brings origins up to date: reals that differ from the class's become the element's own.
void vv_spec_settle(vvSpec* spec);

// Default class prototypes of an element kind, NULL for kinds without.
vvSpecHead* vv_spec_prototype(const vvSpec* spec, vvElement element, int class_id);

// Replaces control characters of a message by blanks, so that it stays one line.
void vv_one_line(char* text);

// "FILE:LINE: " or "" for elements built in C, and the element as messages call it: geom "x" or geom #3.
vvStatus vv_spec_error(vvReport* report, vvStatus status, const vvSpecHead* head, const char* format, ...)
    VV_FORMAT(4, 5);
const char* vv_element_word(vvElement element);

// ---- numbers (numbers.c) --------------------------------------------------------------------------------------------

// Builds m->names from the scene; the model must be filled.
vvStatus vv_names_create(vvContext* context, vvSpec* spec, vvModel* m, const vvSpecOrder* order, vvReport* report);
void vv_names_free(vvContext* context, struct vvModelNames* names);

#endif  // VISVIVA_SCENE_SCENE_H_
