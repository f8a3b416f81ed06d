// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// mjcf_text.h: XML text piece by piece, and files that appear whole or not at all.
//
//   vv_text_open(t, "geom")                    <geom
//   vv_text_attribute(t, "name", "a")                name="a"
//   vv_text_close(t, "geom", true)                            />      (false: ">", ended by vv_text_end)

#ifndef VISVIVA_SCENE_MJCF_TEXT_H_
#define VISVIVA_SCENE_MJCF_TEXT_H_

#include "scene/scene.h"

typedef struct vvText {
  vvContext* context;
  char* data;
  size_t size, capacity;
  int depth;    // of open elements
  bool failed;  // out of memory
} vvText;

void vv_text_open(vvText* t, const char* word);
void vv_text_attribute(vvText* t, const char* name, const char* value);  // escaped
void vv_text_reals(vvText* t, const char* name, const double* values, int n);
void vv_text_int(vvText* t, const char* name, int value);
void vv_text_close(vvText* t, const char* word, bool empty);
void vv_text_end(vvText* t, const char* word);
void vv_text_section(vvText* t, const char* word);  // <word>
void vv_text_undo(vvText* t, size_t size);          // back to an earlier size
// Hands the text over: free with vv_free(context, *text, *length + 1).
vvStatus vv_text_take(vvText* t, char** text, size_t* length);
void vv_text_free(vvText* t);

// Writes PATH.part and renames it.
vvStatus vv_file_write_whole(vvContext* context, const char* path, const void* data, size_t bytes, vvReport* report);

#endif  // VISVIVA_SCENE_MJCF_TEXT_H_
