// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// kernel_args.c: see kernel_args.h.

#include "cli/kernel_args.h"

#include <string.h>

static double uniform(uint64_t* state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*state >> 11) / 9007199254740992.0;
}

static vvArgBlock* new_block(vvKernelArgs* a, size_t count, size_t size) {
  vvArgBlock* b = VV_NEW(a->ctx, vvArgBlock, 1);
  if (!b) return NULL;
  b->count = count;
  b->bytes = (count + 1) * size;
  b->memory = vv_alloc(a->ctx, b->bytes);
  b->bar = vv_alloc(a->ctx, b->bytes);
  b->next = a->blocks;
  a->blocks = b;
  return b->memory && b->bar ? b : NULL;
}

void vv_kernel_args_free(vvKernelArgs* a) {
  while (a->blocks) {
    vvArgBlock* b = a->blocks;
    a->blocks = b->next;
    vv_free(a->ctx, b->memory, b->bytes);
    vv_free(a->ctx, b->bar, b->bytes);
    VV_DELETE(a->ctx, b, vvArgBlock, 1);
  }
}

// numbers

static void put_number(const vvKernelType* t, void* at, double x, int64_t i) {
  if (t->kind == VV_KERNEL_REAL) {
    if (t->size == sizeof(float)) *(float*)at = (float)x;
    if (t->size == sizeof(double)) *(double*)at = x;
    return;
  }
  if (t->size == 1) *(int8_t*)at = (int8_t)i;
  if (t->size == 2) *(int16_t*)at = (int16_t)i;
  if (t->size == 4) *(int32_t*)at = (int32_t)i;
  if (t->size == 8) *(int64_t*)at = i;
}

static double get_real(const vvKernelType* t, const void* at) {
  return t->size == sizeof(float) ? (double)*(const float*)at : *(const double*)at;
}

static int64_t get_int(const vvKernelType* t, const void* at) {
  if (t->size == 1) return t->is_unsigned ? *(const uint8_t*)at : *(const int8_t*)at;
  if (t->size == 2) return t->is_unsigned ? *(const uint16_t*)at : *(const int16_t*)at;
  if (t->size == 4) return t->is_unsigned ? (int64_t) * (const uint32_t*)at : *(const int32_t*)at;
  return *(const int64_t*)at;
}

// from JSON (or at random: json NULL)

static vvStatus wrong(vvKernelArgs* a, const vvKernelType* t, const char* right) {
  return vv_report_set(a->report, VV_ERROR_FILE, "%.100s: \"%.60s\": %s", a->file, t->name, right);
}

static vvStatus fill(vvKernelArgs* a, const vvKernelType* t, char* at, char* bar, size_t n, const json_t* json);

static size_t leaves(const json_t* json) {
  if (!json_is_array(json)) return 1;
  size_t n = 0;
  for (size_t i = 0; i < json_array_size(json); i++) n += leaves(json_array_get(json, i));
  return n;
}

static vvStatus fill_number(vvKernelArgs* a, const vvKernelType* t, char* at, const json_t* json) {
  if (!json) {
    double x = uniform(&a->seed);
    put_number(t, at, 0.2 + x, 1 + (int64_t)(3 * x));
    return VV_OK;
  }
  if (json_is_boolean(json) && t->kind == VV_KERNEL_INT) {
    put_number(t, at, 0, json_is_true(json));
  } else if (json_is_integer(json) || (json_is_number(json) && t->kind == VV_KERNEL_REAL)) {
    put_number(t, at, json_number_value(json), json_integer_value(json));
  } else {
    return wrong(a, t, t->kind == VV_KERNEL_INT ? "must be a whole number" : "must be a number");
  }
  return VV_OK;
}

static vvStatus fill_struct(vvKernelArgs* a, const vvKernelType* t, char* at, char* bar, const json_t* json) {
  if (json && !json_is_object(json)) return wrong(a, t, "must be an object with the struct's members");
  for (int i = 0; i < t->nmember; i++) {
    const vvKernelType* m = &t->members[i];
    const json_t* value = json ? json_object_get(json, m->name) : NULL;
    if (json && !value) return wrong(a, m, "is missing");
    char *to = at + m->offset, *to_bar = bar + m->offset;
    vvStatus status = VV_OK;
    if (m->pointer) {
      size_t n = json ? leaves(value) : a->extent;
      vvArgBlock* b = m->kind == VV_KERNEL_VOID ? NULL : new_block(a, n, m->size);
      if (!b) return m->kind == VV_KERNEL_VOID ? wrong(a, m, "is a pointer that cannot be given") : VV_ERROR_MEMORY;
      memcpy(to, &b->memory, sizeof(void*));
      memcpy(to_bar, &b->bar, sizeof(void*));
      status = fill(a, m, b->memory, b->bar, n, value);
    } else {
      status = fill(a, m, to, to_bar, (size_t)m->count, value);
    }
    if (status != VV_OK) return status;
  }
  return VV_OK;
}

// n elements; lists may be nested as they like.
static vvStatus fill_list(vvKernelArgs* a, const vvKernelType* t, char* at, char* bar, const json_t* json,
                          size_t* done) {
  for (size_t i = 0; i < json_array_size(json); i++) {
    const json_t* one = json_array_get(json, i);
    vvStatus status = json_is_array(one) ? fill_list(a, t, at, bar, one, done)
                                         : fill(a, t, at + *done * t->size, bar + *done * t->size, 1, one);
    if (status != VV_OK) return status;
    if (!json_is_array(one)) (*done)++;
  }
  return VV_OK;
}

static vvStatus fill(vvKernelArgs* a, const vvKernelType* t, char* at, char* bar, size_t n, const json_t* json) {
  if (json && json_is_array(json)) {
    if (leaves(json) != n) return wrong(a, t, "has another number of elements than its type");
    size_t done = 0;
    return fill_list(a, t, at, bar, json, &done);
  }
  if (json && n != 1) return wrong(a, t, "must be a list");
  for (size_t i = 0; i < n; i++) {
    vvStatus status = t->kind == VV_KERNEL_STRUCT ? fill_struct(a, t, at + i * t->size, bar + i * t->size, json)
                                                  : fill_number(a, t, at + i * t->size, json);
    if (status != VV_OK) return status;
  }
  return VV_OK;
}

static vvStatus build(vvKernelArgs* a, const json_t* object) {
  const vvKernelFunction* f = a->f;
  int n = f->narg;
  if (2 * n + 3 > VV_ARGS_SLOTS)
    return vv_report_set(a->report, VV_ERROR_UNSUPPORTED, "%.80s: too many arguments", f->name);
  for (int i = 0; i < n; i++) {
    const vvKernelType* t = &f->arg[i];
    const json_t* json = object ? json_object_get(object, t->name) : NULL;
    if (object && !json) return wrong(a, t, "is missing among the arguments");
    if (t->kind == VV_KERNEL_VOID) return wrong(a, t, "is a pointer that cannot be given");
    size_t count = (size_t)t->count;
    if (t->pointer) count *= json ? (leaves(json) + count - 1) / count : a->extent;
    vvArgBlock* b = new_block(a, count, t->size);
    if (!b) return VV_ERROR_MEMORY;
    a->slot[i] = b->memory;
    if (t->active) a->slot[n + 2 + i] = b->bar;
    vvStatus status = fill(a, t, b->memory, b->bar, count, json);
    if (status != VV_OK) return status;
  }
  vvArgBlock* value = new_block(a, 1, f->value.size ? f->value.size : 1);
  if (!value) return VV_ERROR_MEMORY;
  a->slot[n] = value->memory;
  a->slot[n + 1] = value->bar;
  return VV_OK;
}

vvStatus vv_kernel_args_json(vvKernelArgs* a, const json_t* object) {
  const char* key;
  json_t* value;
  json_object_foreach((json_t*)object, key, value) {
    bool known = false;
    for (int i = 0; i < a->f->narg; i++) known |= strcmp(a->f->arg[i].name, key) == 0;
    if (!known)
      return vv_report_set(a->report, VV_ERROR_FILE, "%.100s: \"%.60s\" is no argument; %.90s", a->file, key,
                           a->f->signature);
  }
  return build(a, object);
}

vvStatus vv_kernel_args_random(vvKernelArgs* a) {
  return build(a, NULL);
}

vvStatus vv_kernel_args_seed(vvKernelArgs* a, const json_t* object) {
  const vvKernelFunction* f = a->f;
  const char* key;
  json_t* value;
  json_object_foreach((json_t*)object, key, value) {
    vvStatus status = VV_ERROR_ARGUMENT;
    if (strcmp(key, "return") == 0 && f->value.active) {
      status = fill(a, &f->value, a->slot[f->narg + 1], a->slot[f->narg], 1, value);
    }
    for (int i = 0; i < f->narg; i++) {
      const vvKernelType* t = &f->arg[i];
      if (strcmp(key, t->name) != 0 || !t->pointer || t->constant || t->kind != VV_KERNEL_REAL) continue;
      vvArgBlock* b = a->blocks;
      while (b->memory != a->slot[i]) b = b->next;
      status = fill(a, t, b->bar, b->memory, b->count, value);
    }
    if (status == VV_ERROR_ARGUMENT)
      return vv_report_set(a->report, VV_ERROR_FILE,
                           "%.100s: seed \"%.60s\": give \"return\" or an array of reals that is written", a->file,
                           key);
    if (status != VV_OK) return status;
  }
  return VV_OK;
}

// walking

static size_t count_at(const vvKernelArgs* a, const void* memory) {
  for (const vvArgBlock* b = a->blocks; b; b = b->next)
    if (b->memory == memory || b->bar == memory) return b->count;
  return 0;
}

static void print(const vvKernelArgs* a, const vvKernelType* t, const char* at, size_t n, bool list, bool bar,
                  vvJsonOut* out) {
  if (list) vv_json_array(out);
  for (size_t i = 0; i < n; i++, at += t->size) {
    if (t->kind == VV_KERNEL_REAL) vv_json_real(out, get_real(t, at));
    if (t->kind == VV_KERNEL_INT) vv_json_int(out, get_int(t, at));
    if (t->kind != VV_KERNEL_STRUCT) continue;
    vv_json_object(out);
    for (int k = 0; k < t->nmember; k++) {
      const vvKernelType* m = &t->members[k];
      if (bar && m->kind == VV_KERNEL_INT) continue;  // integers have no bar
      vv_json_key(out, m->name);
      const char* to = at + m->offset;
      if (m->pointer) memcpy(&to, at + m->offset, sizeof(void*));
      print(a, m, to, m->pointer ? count_at(a, to) : (size_t)m->count, m->pointer || m->count > 1, bar, out);
    }
    vv_json_end(out);
  }
  if (list) vv_json_end(out);
}

void vv_kernel_args_print(const vvKernelArgs* a, int i, bool bar, vvJsonOut* out) {
  const vvKernelType* t = &a->f->arg[i];
  const void* at = bar ? a->slot[a->f->narg + 2 + i] : a->slot[i];
  vv_json_key(out, t->name);
  print(a, t, at, t->pointer ? count_at(a, at) : (size_t)t->count, t->pointer || t->count > 1, bar, out);
}

void vv_kernel_args_print_value(const vvKernelArgs* a, vvJsonOut* out) {
  if (a->f->value.kind == VV_KERNEL_VOID) return;
  vv_json_key(out, "return");
  print(a, &a->f->value, a->slot[a->f->narg], 1, false, false, out);
}

static void visit_all(const vvKernelArgs* a, int arg, const vvKernelType* t, char* at, char* bar, size_t n,
                      vvArgVisit visit, void* user) {
  for (size_t i = 0; i < n; i++, at += t->size, bar += t->size) {
    if (t->kind == VV_KERNEL_REAL) visit(user, arg, at, bar, t->size);
    for (int k = 0; t->kind == VV_KERNEL_STRUCT && k < t->nmember; k++) {
      const vvKernelType* m = &t->members[k];
      char *to = at + m->offset, *to_bar = bar + m->offset;
      size_t count = (size_t)m->count;
      if (m->pointer) {
        memcpy(&to, at + m->offset, sizeof(void*));
        memcpy(&to_bar, bar + m->offset, sizeof(void*));
        count = count_at(a, to);
      }
      visit_all(a, arg, m, to, to_bar, count, visit, user);
    }
  }
}

void vv_kernel_args_visit(const vvKernelArgs* a, int i, vvArgVisit visit, void* user) {
  const vvKernelType* t = &a->f->arg[i];
  char *at = a->slot[i], *bar = a->slot[a->f->narg + 2 + i];
  if (bar) visit_all(a, i, t, at, bar, count_at(a, at), visit, user);
}

bool vv_kernel_args_possible(const vvKernelFunction* f) {
  for (int i = 0; i < f->narg; i++)
    if (f->arg[i].kind == VV_KERNEL_VOID || strstr(f->arg[i].text, "vvModel") || strstr(f->arg[i].text, "vvState"))
      return false;
  return true;
}
