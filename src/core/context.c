// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// context.c: creation of a context, counted allocation, log, cancel and progress.

#include "core/context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREAD = 1024, LOG_BYTES = 512 };

static void* default_allocate(size_t bytes, size_t alignment, void* user) {
  (void)user;
  return aligned_alloc(alignment, bytes);
}

static void default_release(void* memory, size_t bytes, void* user) {
  (void)bytes;
  (void)user;
  free(memory);
}

// Bytes that a block of `bytes` takes: a multiple of the alignment, at least one; 0 when that overflows.
static size_t block_bytes(size_t bytes) {
  if (bytes == 0) return VV_ALIGNMENT;
  if (bytes > SIZE_MAX - (VV_ALIGNMENT - 1)) return 0;
  return (bytes + (VV_ALIGNMENT - 1)) / VV_ALIGNMENT * VV_ALIGNMENT;
}

vvContextOptions vv_context_options_default(void) {
  vvContextOptions o = {0};
  o.log_level = VV_LOG_WARNING;
  o.nthread = 1;
  return o;
}

vvStatus vv_context_create(const vvContextOptions* options, vvContext** context) {
  if (!context) return VV_ERROR_ARGUMENT;
  *context = NULL;
  vvContextOptions o = options ? *options : vv_context_options_default();
  if (o.nthread < 1 || o.nthread > MAX_THREAD) return VV_ERROR_ARGUMENT;
  if (!o.allocate != !o.release) return VV_ERROR_ARGUMENT;
  if (!o.allocate) {
    o.allocate = default_allocate;
    o.release = default_release;
  }
  vvContext* c = o.allocate(block_bytes(sizeof *c), VV_ALIGNMENT, o.user);
  if (!c) return VV_ERROR_MEMORY;
  memset(c, 0, sizeof *c);
  c->options = o;
  atomic_init(&c->bytes, 0);
  atomic_init(&c->peak, 0);
  atomic_init(&c->ncall, 0);
  atomic_init(&c->busy, false);
  if (o.nthread > 1) {
    vvStatus status = vv_pool_create(c, o.nthread, &c->pool);
    if (status != VV_OK) {
      o.release(c, block_bytes(sizeof *c), o.user);
      return status;
    }
  }
  *context = c;
  return VV_OK;
}

void vv_context_destroy(vvContext* context) {
  if (!context) return;
  if (context->pool) vv_pool_destroy(context, context->pool);
  vvContextOptions o = context->options;
  o.release(context, block_bytes(sizeof *context), o.user);
}

int vv_context_thread_count(const vvContext* context) {
  return context ? context->options.nthread : 1;
}

void* vv_context_user(const vvContext* context) {
  return context ? context->options.user : NULL;
}

vvMemoryUse vv_context_memory(const vvContext* context) {
  vvMemoryUse use = {0};
  if (!context) return use;
  use.bytes = atomic_load(&context->bytes);
  use.peak = atomic_load(&context->peak);
  use.ncall = atomic_load(&context->ncall);
  return use;
}

void* vv_alloc(vvContext* context, size_t bytes) {
  size_t n = block_bytes(bytes);
  if (!context || n == 0) return NULL;
  atomic_fetch_add(&context->ncall, 1);
  void* memory = context->options.allocate(n, VV_ALIGNMENT, context->options.user);
  if (!memory) return NULL;
  memset(memory, 0, n);
  size_t now = atomic_fetch_add(&context->bytes, n) + n;
  size_t peak = atomic_load(&context->peak);
  while (peak < now && !atomic_compare_exchange_weak(&context->peak, &peak, now)) {
  }
  return memory;
}

void* vv_alloc_array(vvContext* context, size_t count, size_t size) {
  if (size != 0 && count > SIZE_MAX / size) return NULL;
  return vv_alloc(context, count * size);
}

void vv_free(vvContext* context, void* memory, size_t bytes) {
  if (!context || !memory) return;
  size_t n = block_bytes(bytes);
  atomic_fetch_sub(&context->bytes, n);
  context->options.release(memory, n, context->options.user);
}

void* vv_context_realloc(vvContext* context, void* memory, size_t old_bytes, size_t new_bytes) {
  void* moved = vv_alloc(context, new_bytes);
  if (!moved) return NULL;
  if (memory) memcpy(moved, memory, old_bytes < new_bytes ? old_bytes : new_bytes);
  vv_free(context, memory, old_bytes);
  return moved;
}

void vv_context_log(vvContext* context, vvLogLevel level, const char* format, ...) {
  if (!context || !context->options.log || level < context->options.log_level || level >= VV_LOG_OFF) return;
  char line[LOG_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  context->options.log(level, line, context->options.user);
}

bool vv_context_cancelled(vvContext* context) {
  return context && context->options.cancel && context->options.cancel(context->options.user);
}

void vv_context_progress(vvContext* context, double share, const char* what) {
  if (context && context->options.progress) context->options.progress(share, what, context->options.user);
}
