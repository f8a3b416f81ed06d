// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// binary.c: models and states as binary files (io.h).
//
// layout   magic (8 bytes) · version, byte order mark, bytes of a real (uint32 each) · hash of the model (uint64) ·
//          model: sizes and options (int32) · integers (int32) · reals · names
//          state: nq, nv, na (int32) · the state's block of reals
// texts    length (uint32) and bytes, no final 0

#include <stdio.h>
#include <string.h>

#include "model/layout.h"
#include "model/validate.h"
#include "scene/mjcf_text.h"
#include "visviva/io.h"
#include "visviva/names.h"

enum { FORMAT_VERSION = 2, BYTE_ORDER_MARK = 0x01020304, MAX_TEXT = 1 << 20 };
#define MAX_FILE_BYTES ((size_t)1 << 31)

static const char model_magic[8] = "vvmodel";
static const char state_magic[8] = "vvstate";

// ---- writing --------------------------------------------------------------------------------------------------------

// Bytes to come: counted first, then filled.
typedef struct vvOut {
  unsigned char* base;  // NULL while counting
  size_t used;
} vvOut;

static void put(vvOut* out, const void* data, size_t bytes) {
  if (out->base && bytes) memcpy(out->base + out->used, data, bytes);
  out->used += bytes;
}

static void put_u32(vvOut* out, uint32_t value) {
  put(out, &value, sizeof value);
}

static void put_i32(vvOut* out, int value) {
  int32_t v = (int32_t)value;
  put(out, &v, sizeof v);
}

static void put_text(vvOut* out, const char* text) {
  size_t n = text ? strlen(text) : 0;
  put_u32(out, (uint32_t)n);
  put(out, text, n);
}

static void put_head(vvOut* out, const char magic[8], uint64_t hash) {
  put(out, magic, 8);
  put_u32(out, FORMAT_VERSION);
  put_u32(out, BYTE_ORDER_MARK);
  put_u32(out, (uint32_t)sizeof(vvReal));
  put(out, &hash, sizeof hash);
}

// Sizes and options in file order.
enum { NSIZE = 23 };
static void size_pointers(vvModel* m, int* to[NSIZE]) {
  int* const p[NSIZE] = {&m->nq,          &m->nv,    &m->na,      &m->nu,    &m->nbody,      &m->njnt,
                         &m->ngeom,       &m->nsite, &m->nframe,  &m->ntree, &m->npair,      &m->nsensor,
                         &m->nsensordata, &m->nkey,  &m->disable, &m->cone,  &m->integrator, &m->settotal,
                         &m->balance,     &m->fluid, &m->ntendon, &m->nwrap, &m->neq};
  memcpy(to, p, sizeof p);
}

static void put_names(vvOut* out, const vvModelNames* names) {
  put_text(out, names->model_name);
  put_text(out, names->file);
  for (int e = 0; e < VV_ELEMENT_COUNT; e++) {
    put_i32(out, names->nelement[e]);
    for (int i = 0; i < names->nelement[e]; i++) put_text(out, names->element[e][i]);
  }
  put_i32(out, names->nnumber);
  for (int i = 0; i < names->nnumber; i++) {
    const vvNumber* p = &names->numbers[i];
    put_text(out, p->name);
    put_text(out, p->unit);
    put_i32(out, p->reason != NULL);
    if (p->reason) put_text(out, p->reason);
    put(out, &p->scale, sizeof p->scale);
    put_i32(out, p->sign);
    put_i32(out, p->field);
    put_i32(out, p->nmember);
    for (int k = 0; k < p->nmember; k++) put_i32(out, p->members[k]);
  }
}

static void put_model(vvOut* out, const vvModel* m) {
  vvModel sizes = *m;
  int* pointers[NSIZE];
  size_pointers(&sizes, pointers);
  put_head(out, model_magic, vv_model_hash(m));
  for (int i = 0; i < NSIZE; i++) put_i32(out, *pointers[i]);
  put(out, m->frame_parent, vv_model_int_total(m) * sizeof(int));
  // field by field, since a variant shares its bulk with the original
  for (const vvField* f = vv_model_fields(); f->attribute; f++)
    put(out, vv_field_data(m, f),
        (size_t)vv_model_count(m, f->element) * (size_t)vv_field_width(m, f) * sizeof(vvReal));
  put_names(out, m->names);
}

static void put_state(vvOut* out, const vvModel* m, const vvState* s) {
  put_head(out, state_magic, vv_model_hash(m));
  put_i32(out, s->nq);
  put_i32(out, s->nv);
  put_i32(out, s->na);
  put(out, s->block, s->size * sizeof(vvReal));
}

static vvStatus save(vvContext* ctx, const vvModel* m, const vvState* s, const char* path, vvReport* report) {
  vvOut out = {NULL, 0};
  for (int pass = 0; pass < 2; pass++) {
    size_t bytes = out.used;
    if (pass == 1 && !(out.base = vv_alloc(ctx, bytes))) return vv_report_set(report, VV_ERROR_MEMORY, "out of memory");
    out.used = 0;
    if (s) {
      put_state(&out, m, s);
    } else {
      put_model(&out, m);
    }
  }
  vvStatus status = vv_file_write_whole(ctx, path, out.base, out.used, report);
  vv_free(ctx, out.base, out.used);
  return status;
}

vvStatus vv_model_save(vvContext* ctx, const vvModel* m, const char* path, vvReport* report) {
  if (!ctx || !m || !m->names || !path) return vv_report_set(report, VV_ERROR_ARGUMENT, "a pointer is NULL");
  return save(ctx, m, NULL, path, report);
}

vvStatus vv_state_save(vvContext* ctx, const vvModel* m, const vvState* s, const char* path, vvReport* report) {
  if (!ctx || !m || !s || !path) return vv_report_set(report, VV_ERROR_ARGUMENT, "a pointer is NULL");
  return save(ctx, m, s, path, report);
}

// ---- reading --------------------------------------------------------------------------------------------------------

typedef struct vvIn {
  const unsigned char* base;
  size_t bytes, used;
  bool bad;  // read beyond the end
} vvIn;

static void get(vvIn* in, void* to, size_t bytes) {
  if (in->bad || bytes > in->bytes - in->used) {
    in->bad = true;
    memset(to, 0, bytes);
    return;
  }
  if (bytes) memcpy(to, in->base + in->used, bytes);
  in->used += bytes;
}

static uint32_t get_u32(vvIn* in) {
  uint32_t v;
  get(in, &v, sizeof v);
  return v;
}

static int get_i32(vvIn* in) {
  int32_t v;
  get(in, &v, sizeof v);
  return v;
}

static vvStatus wrong(vvReport* report, const char* path, const char* what) {
  return vv_report_set(report, VV_ERROR_FILE, "%.150s: %s", path, what);
}

static vvStatus get_head(vvIn* in, const char magic[8], const char* path, uint64_t* hash, vvReport* report) {
  char found[8];
  get(in, found, 8);
  uint32_t version = get_u32(in), mark = get_u32(in), real = get_u32(in);
  get(in, hash, sizeof *hash);
  if (in->bad || memcmp(found, magic, 8))
    return wrong(report, path, magic == model_magic ? "not a model file" : "not a state file");
  if (mark != BYTE_ORDER_MARK) return wrong(report, path, "written on a machine of other byte order");
  if (version != FORMAT_VERSION) return wrong(report, path, "written by another version; save it again");
  if (real != sizeof(vvReal)) return wrong(report, path, "written in another precision (float or double)");
  return VV_OK;
}

static vvStatus read_file(vvContext* ctx, const char* path, unsigned char** data, size_t* bytes, vvReport* report) {
  FILE* file = fopen(path, "rb");
  if (!file) return wrong(report, path, "cannot be opened; check the path");
  long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  if (end < 0 || (size_t)end > MAX_FILE_BYTES || fseek(file, 0, SEEK_SET) != 0) {
    fclose(file);
    return wrong(report, path, "cannot be read");
  }
  *bytes = (size_t)end;
  *data = vv_alloc(ctx, *bytes);
  size_t have = *data ? fread(*data, 1, *bytes, file) : 0;
  fclose(file);
  if (!*data) return vv_report_set(report, VV_ERROR_MEMORY, "out of memory");
  if (have == *bytes) return VV_OK;
  vv_free(ctx, *data, *bytes);
  return wrong(report, path, "cannot be read");
}

// Block for names: measured on a first pass over the file, filled on a second.
typedef struct vvNamesIn {
  vvIn in;
  unsigned char* storage;  // NULL while measuring
  size_t used;
} vvNamesIn;

static void* take(vvNamesIn* n, size_t bytes) {
  void* p = n->storage ? n->storage + n->used : NULL;
  n->used += (bytes + 7) / 8 * 8;
  return p;
}

static const char* get_text(vvNamesIn* n) {
  uint32_t length = get_u32(&n->in);
  if (length > MAX_TEXT || length > n->in.bytes - n->in.used) {
    n->in.bad = true;
    return "";
  }
  char* p = take(n, (size_t)length + 1);
  if (p) {
    get(&n->in, p, length);
    if (memchr(p, 0, length)) n->in.bad = true;
    p[length] = 0;
  } else {
    n->in.used += length;
  }
  return p;
}

// A count whose items take at least `least` bytes each.
static int get_count(vvNamesIn* n, size_t least) {
  int count = get_i32(&n->in);
  if (count < 0 || (size_t)count > (n->in.bytes - n->in.used) / least) n->in.bad = true;
  return n->in.bad ? 0 : count;
}

static int count_fields(void) {
  int n = 0;
  while (vv_model_fields()[n].attribute) n++;
  return n;
}

static void get_number(vvNamesIn* n, const vvModel* m, vvNumber* p) {
  vvNumber number = {0};
  number.name = get_text(n);
  number.unit = get_text(n);
  if (get_i32(&n->in)) number.reason = get_text(n);
  get(&n->in, &number.scale, sizeof number.scale);
  number.sign = get_i32(&n->in);
  number.field = get_i32(&n->in);
  number.nmember = get_count(n, sizeof(int32_t));
  if (number.field < 0 || number.field >= count_fields() || number.nmember < 1) n->in.bad = true;
  int* members = take(n, (size_t)number.nmember * sizeof(int));
  number.members = members;
  for (int k = 0; k < number.nmember; k++) {
    int member = get_i32(&n->in);
    if (member < 0 || (size_t)member >= m->section_begin[VV_SECTION_DERIVED]) n->in.bad = true;
    if (members) members[k] = member;
  }
  if (p) *p = number;
}

static void get_names(vvNamesIn* n, const vvModel* m, vvModelNames* names) {
  const char* model_name = get_text(n);
  const char* file = get_text(n);
  const char** lists[VV_ELEMENT_COUNT];
  int counts[VV_ELEMENT_COUNT];
  for (int e = 0; e < VV_ELEMENT_COUNT; e++) {
    int count = get_count(n, sizeof(uint32_t));
    bool named = e != VV_ELEMENT_OPTION && e != VV_ELEMENT_COMPILER && e != VV_ELEMENT_DOF;
    if (count != (named ? vv_model_count(m, (vvElement)e) : 0)) n->in.bad = true;
    lists[e] = count ? take(n, (size_t)count * sizeof(char*)) : NULL;
    counts[e] = count;
    for (int i = 0; i < count && !n->in.bad; i++) {
      const char* text = get_text(n);
      if (lists[e]) lists[e][i] = text;
    }
  }
  int nnumber = get_count(n, 24);
  vvNumber* numbers = take(n, (size_t)nnumber * sizeof(vvNumber));
  for (int i = 0; i < nnumber && !n->in.bad; i++) get_number(n, m, numbers ? numbers + i : NULL);
  if (!names) return;
  names->model_name = model_name;
  names->file = file;
  names->nnumber = nnumber;
  names->numbers = numbers;
  for (int e = 0; e < VV_ELEMENT_COUNT; e++) names->element[e] = lists[e], names->nelement[e] = counts[e];
}

static vvStatus read_names(vvContext* ctx, vvIn* in, vvModel* m, const char* path, vvReport* report) {
  vvNamesIn measure = {*in, NULL, 0};
  get_names(&measure, m, NULL);
  if (measure.in.bad || measure.in.used != in->bytes) return wrong(report, path, "the names are damaged");
  vvModelNames* names = vv_alloc(ctx, sizeof(vvModelNames));
  unsigned char* storage = names ? vv_alloc(ctx, measure.used) : NULL;
  if (!storage) {
    vv_free(ctx, names, sizeof(vvModelNames));
    return vv_report_set(report, VV_ERROR_MEMORY, "out of memory");
  }
  vvNamesIn fill = {*in, storage, 0};
  get_names(&fill, m, names);
  names->storage = storage;
  names->storage_size = measure.used;
  m->names = names;
  return fill.in.bad ? wrong(report, path, "the names are damaged") : VV_OK;
}

static vvStatus read_model(vvContext* ctx, vvIn* in, vvModel* m, const char* path, vvReport* report) {
  uint64_t hash = 0;
  vvStatus status = get_head(in, model_magic, path, &hash, report);
  if (status != VV_OK) return status;
  int* pointers[NSIZE];
  size_pointers(m, pointers);
  for (int i = 0; i < NSIZE; i++) *pointers[i] = get_i32(in);
  const char* invalid = in->bad ? "the file is cut off" : vv_model_invalid_sizes(m);
  if (invalid) return wrong(report, path, invalid);
  size_t nint = vv_model_int_total(m), nreal = vv_model_real_total(m), rest = in->bytes - in->used;
  if (nint > rest / sizeof(int) || nreal > (rest - nint * sizeof(int)) / sizeof(vvReal))
    return wrong(report, path, "the file is cut off");
  status = vv_model_allocate(ctx, m);
  if (status != VV_OK) return vv_report_set(report, status, "out of memory");
  get(in, m->frame_parent, nint * sizeof(int));
  get(in, m->reals, nreal * sizeof(vvReal));
  invalid = vv_model_invalid(m);
  if (invalid) return wrong(report, path, invalid);
  if (vv_model_hash(m) != hash) return wrong(report, path, "the file is damaged: its hash does not fit");
  return read_names(ctx, in, m, path, report);
}

vvStatus vv_model_load(vvContext* ctx, const char* path, vvModel** model, vvReport* report) {
  if (!ctx || !path || !model) return vv_report_set(report, VV_ERROR_ARGUMENT, "a pointer is NULL");
  *model = NULL;
  vv_report_clear(report);
  unsigned char* data = NULL;
  size_t bytes = 0;
  vvStatus status = read_file(ctx, path, &data, &bytes, report);
  if (status != VV_OK) return status;
  vvModel* m = vv_alloc(ctx, sizeof(vvModel));
  vvIn in = {data, bytes, 0, false};
  status = m ? read_model(ctx, &in, m, path, report) : vv_report_set(report, VV_ERROR_MEMORY, "out of memory");
  vv_free(ctx, data, bytes);
  if (status == VV_OK) {
    *model = m;
  } else {
    vv_model_free(ctx, m);
  }
  return status;
}

// Reads into `block` of s->size reals; s stays as it is on error.
static vvStatus read_state(vvIn* in, const vvModel* m, const char* path, vvState* s, vvReport* report) {
  uint64_t hash = 0;
  vvStatus status = get_head(in, state_magic, path, &hash, report);
  if (status != VV_OK) return status;
  int nq = get_i32(in), nv = get_i32(in), na = get_i32(in);
  if (hash != vv_model_hash(m)) return wrong(report, path, "belongs to another model");
  if (nq != s->nq || nv != s->nv || na != s->na || in->bytes - in->used != s->size * sizeof(vvReal))
    return wrong(report, path, "the file is damaged: its size does not fit");
  get(in, s->block, s->size * sizeof(vvReal));
  return in->bad ? wrong(report, path, "the file is cut off") : VV_OK;
}

vvStatus vv_state_load(vvContext* ctx, const vvModel* m, const char* path, vvState* s, vvReport* report) {
  if (!ctx || !m || !path || !s) return vv_report_set(report, VV_ERROR_ARGUMENT, "a pointer is NULL");
  vv_report_clear(report);
  unsigned char* data = NULL;
  size_t bytes = 0;
  vvStatus status = read_file(ctx, path, &data, &bytes, report);
  if (status != VV_OK) return status;
  vvIn in = {data, bytes, 0, false};
  status = read_state(&in, m, path, s, report);
  vv_free(ctx, data, bytes);
  return status;
}
