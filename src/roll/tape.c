// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// tape.c: memory of a rollout's record (tape.h). Chunks double in size from 64 kB to 4 MB and are kept for the next
// rollout; growing never moves what is recorded.

#include "roll/tape.h"

#include <string.h>

#include "visviva/rigid.h"

enum { FIRST_CHUNK = 1 << 16, LARGEST_CHUNK = 1 << 22 };

typedef struct tapeChunk {
  struct tapeChunk* next;
  size_t capacity;  // of the data that follows [byte]
  size_t used;
  size_t pad[5];  // data begin at a multiple of 64
} tapeChunk;

struct vvTape {
  vvContext* ctx;
  uint64_t inputs;  // hash of what the rollout was given
  tapeChunk* first;
  tapeChunk* current;   // NULL: nothing recorded yet
  unsigned char** row;  // per evaluation, where its header lies
  size_t row_capacity;
  size_t limit;     // 0: none
  size_t recorded;  // bytes of all rows
  uint64_t id;      // of the recording: the context\'s allocations at creation (high half), counted up (low half)
  int nrow;         // evaluations recorded so far
  int nstep;        // of the rollout begun
  int nstage;       // evaluations of a step
  int nq, nv, na;
};

vvStatus vv_tape_create(vvContext* ctx, vvTape** tape) {
  if (!tape) return VV_ERROR_ARGUMENT;
  *tape = NULL;
  if (!ctx) return VV_ERROR_ARGUMENT;
  vvTape* t = VV_NEW(ctx, vvTape, 1);
  if (!t) return VV_ERROR_MEMORY;
  t->ctx = ctx;
  t->id = (uint64_t)vv_context_memory(ctx).ncall << 32;
  *tape = t;
  return VV_OK;
}

void vv_tape_free(vvTape* tape) {
  if (!tape) return;
  vvContext* ctx = tape->ctx;
  for (tapeChunk* c = tape->first; c;) {
    tapeChunk* next = c->next;
    vv_free(ctx, c, sizeof(tapeChunk) + c->capacity);
    c = next;
  }
  VV_DELETE(ctx, tape->row, unsigned char*, tape->row_capacity);
  VV_DELETE(ctx, tape, vvTape, 1);
}

void vv_tape_limit(vvTape* tape, size_t bytes) {
  tape->limit = bytes;
}

size_t vv_tape_bytes(const vvTape* tape) {
  return tape->recorded;
}

uint64_t vv_tape_id(const vvTape* tape) {
  return tape->id;
}

int vv_tape_steps(const vvTape* tape) {
  return tape->nrow > 0 ? (tape->nrow - 1) / tape->nstage : 0;
}

// Appends a chunk that holds at least `bytes` to the list.
static vvStatus add_chunk(vvTape* tape, size_t bytes) {
  tapeChunk** end = &tape->first;
  size_t capacity = FIRST_CHUNK;
  while (*end) {
    if ((*end)->capacity >= capacity) capacity = 2 * (*end)->capacity;
    end = &(*end)->next;
  }
  if (capacity > LARGEST_CHUNK) capacity = LARGEST_CHUNK;
  if (capacity < bytes) capacity = (bytes + 63) & ~(size_t)63;
  tapeChunk* c = vv_alloc(tape->ctx, sizeof(tapeChunk) + capacity);
  if (!c) return VV_ERROR_MEMORY;
  c->capacity = capacity;
  *end = c;
  return VV_OK;
}

vvStatus vv_tape_reserve(vvTape* tape, size_t bytes) {
  if (!tape) return VV_ERROR_ARGUMENT;
  size_t have = 0;
  for (const tapeChunk* c = tape->first; c; c = c->next) have += c->capacity;
  return have < bytes ? add_chunk(tape, bytes - have) : VV_OK;
}

vvStatus vv_tape_begin(vvTape* tape, const vvModel* m, int nstep) {
  tape->nstage = vv_rigid_stages(m);
  size_t need = (size_t)nstep * (size_t)tape->nstage + 1;
  tape->id++;
  tape->nrow = 0;
  tape->recorded = 0;
  tape->current = tape->first;
  if (tape->first) tape->first->used = 0;
  tape->nstep = nstep;
  tape->nq = m->nq;
  tape->nv = m->nv;
  tape->na = m->na;
  if (need > tape->row_capacity) {
    unsigned char** row = vv_context_realloc(tape->ctx, tape->row, tape->row_capacity * sizeof(unsigned char*),
                                             need * sizeof(unsigned char*));
    if (!row) return VV_ERROR_MEMORY;
    tape->row = row;
    tape->row_capacity = need;
  }
  return VV_OK;
}

static size_t row_bytes(const vvTape* tape, int ncontact, int nlimit) {
  size_t bytes = sizeof(vvTapeHeader) + (size_t)(tape->nq + 3 * tape->nv + tape->na) * sizeof(vvReal) +
                 (size_t)ncontact * sizeof(vvContactFeature) + (size_t)nlimit * sizeof(vvRowFeature);
  return (bytes + 15) & ~(size_t)15;
}

// Room for `bytes` in the current chunk or in one after it.
static vvStatus make_room(vvTape* tape, size_t bytes) {
  while (!tape->current || tape->current->capacity - tape->current->used < bytes) {
    tapeChunk* next = tape->current ? tape->current->next : tape->first;
    if (!next) {
      vvStatus status = add_chunk(tape, bytes);
      if (status != VV_OK) return status;
      continue;
    }
    next->used = 0;
    tape->current = next;
  }
  return VV_OK;
}

static unsigned char* put(unsigned char* at, const void* data, size_t bytes) {
  if (bytes > 0) memcpy(at, data, bytes);
  return at + bytes;
}

vvStatus vv_tape_append(vvTape* tape, const vvTapeRow* row) {
  int ncontact = row->solved ? row->ncontact : 0;
  int nlimit = row->solved ? row->nlimit : 0;
  size_t bytes = row_bytes(tape, ncontact, nlimit);
  if (tape->limit > 0 && tape->recorded + bytes > tape->limit) return VV_ERROR_CAPACITY;
  vvStatus status = make_room(tape, bytes);
  if (status != VV_OK) return status;
  vvTapeHeader header = {ncontact, nlimit, row->solved, 0};
  unsigned char* at = (unsigned char*)(tape->current + 1) + tape->current->used;
  tape->row[tape->nrow++] = at;
  tape->current->used += bytes;
  tape->recorded += bytes;
  at = put(at, &header, sizeof header);
  at = put(at, row->q, (size_t)tape->nq * sizeof(vvReal));
  at = put(at, row->v, (size_t)tape->nv * sizeof(vvReal));
  at = put(at, row->act, (size_t)tape->na * sizeof(vvReal));
  if (row->solved) {
    at = put(at, row->a, (size_t)tape->nv * sizeof(vvReal));
    at = put(at, row->a2, (size_t)tape->nv * sizeof(vvReal));
  } else {
    memset(at, 0, 2 * (size_t)tape->nv * sizeof(vvReal));
    at += 2 * (size_t)tape->nv * sizeof(vvReal);
  }
  at = put(at, row->contacts, (size_t)ncontact * sizeof(vvContactFeature));
  put(at, row->limits, (size_t)nlimit * sizeof(vvRowFeature));
  return VV_OK;
}

vvTapeRow vv_tape_row(const vvTape* tape, int k, int stage) {
  const vvTapeHeader* header = (const vvTapeHeader*)(const void*)tape->row[k * tape->nstage + stage];
  vvTapeRow row;
  row.q = (const vvReal*)(const void*)(header + 1);
  row.v = row.q + tape->nq;
  row.act = row.v + tape->nv;
  row.a = row.act + tape->na;
  row.a2 = row.a + tape->nv;
  row.contacts = (const vvContactFeature*)(const void*)(row.a2 + tape->nv);
  row.limits = (const vvRowFeature*)(const void*)(row.contacts + header->ncontact);
  row.ncontact = header->ncontact;
  row.nlimit = header->nlimit;
  row.solved = header->solved != 0;
  return row;
}

void vv_tape_mark(vvTape* tape, uint64_t inputs) {
  tape->inputs = inputs;
}

uint64_t vv_tape_inputs(const vvTape* tape) {
  return tape->inputs;
}

bool vv_tape_complete(const vvTape* tape, const vvModel* m, int nstep) {
  return tape->nstep == nstep && tape->nstage == vv_rigid_stages(m) && tape->nrow == nstep * tape->nstage + 1 &&
         tape->nq == m->nq && tape->nv == m->nv && tape->na == m->na;
}
