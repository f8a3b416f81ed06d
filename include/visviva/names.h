// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// names.h: every primary real of a model has a name, ELEMENT/NAME/ATTRIBUTE[/INDEX], with unit, typical size and sign
// (docs/names.md). A group (default/CLASS/geom/friction/0) is one number that sets all its members.

#ifndef VISVIVA_NAMES_H_
#define VISVIVA_NAMES_H_

#include "visviva/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvNumber {
  const char* name;    // canonical, escaped
  const char* unit;    // "" without
  const char* reason;  // NULL: differentiable; else why not
  vvReal scale;        // typical size
  int sign;            // 1: > 0, 0: >= 0, -1: free
  int field;           // index into vv_model_fields()
  int nmember;         // 1, or more for a group
  const int* members;  // offsets into vvModel.reals
} vvNumber;

typedef struct vvModelNames {
  int nnumber;
  vvNumber* numbers;                       // single ones in field and element order, then groups
  const char** element[VV_ELEMENT_COUNT];  // raw names per element, "" for unnamed; NULL where there are none
  int nelement[VV_ELEMENT_COUNT];
  const char* model_name;
  const char* file;     // the scene's file, "" when built in C
  void* storage;        // everything above
  size_t storage_size;  // [byte]
} vvModelNames;

// Id of an element by its raw name or by "#3"; -1: none.
int vv_model_find(const vvModel* m, vvElement element, const char* name);

// Writes a raw name as it stands in names of numbers ("/", "*", "," and blanks as %2F, %2A, %2C, %20). Returns the
// length; at most size - 1 bytes and a final 0 are written, nothing when size is 0.
size_t vv_name_escape(const char* raw, char* text, size_t size);

// Numbers whose names match a pattern ('*' within one segment; without index: all components): those without a reason,
// or, when there are none, those with one (so that a caller can say why). Writes at most `capacity` indices into
// vvModelNames.numbers in order and returns how many match.
int vv_number_match(const vvModel* m, const char* pattern, int* indices, int capacity);

// Present value (the first member's), and setting it in all members; call vv_model_derive afterwards.
vvReal vv_number_value(const vvModel* m, int number);
void vv_number_set(vvModel* m, int number, vvReal value);
// Gradient of a number: the sum of its members in a shadow after vv_model_derive_vjp.
vvReal vv_number_bar(const vvModel* m_bar, int number);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_NAMES_H_
