// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// context.h: what a program gives the library: allocator, threads, log, cancel and progress callbacks. No globals:
// everything that allocates, runs in parallel or reports takes the context. One context is used by one thread at a
// time; several contexts may live side by side.

#ifndef VISVIVA_CONTEXT_H_
#define VISVIVA_CONTEXT_H_

#include "visviva/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Every block of vv_alloc and of an arena starts at a multiple of this [byte].
#define VV_ALIGNMENT 64

typedef enum vvLogLevel { VV_LOG_DEBUG = 0, VV_LOG_INFO, VV_LOG_WARNING, VV_LOG_ERROR, VV_LOG_OFF } vvLogLevel;

// Callbacks may be NULL, then the default in brackets holds. All get `user`. `allocate` and `cancel` may be called
// from the context's own threads, so they must be safe to call from several threads at once.
typedef struct vvContextOptions {
  void* (*allocate)(size_t bytes, size_t alignment, void* user);   // NULL = out of memory   [aligned_alloc]
  void (*release)(void* memory, size_t bytes, void* user);         // bytes as allocated     [free]
  void (*log)(vvLogLevel level, const char* message, void* user);  // one line, no newline   [nothing]
  bool (*cancel)(void* user);                                      // true: stop soon        [never]
  void (*progress)(double share, const char* what, void* user);    // share 0..1             [nothing]
  void* user;                                                      // handed to all of them
  vvLogLevel log_level;                                            // least level handed to log
  int nthread;                                                     // threads, the caller included, 1..1024
} vvContextOptions;

// What the context's allocator has done so far.
typedef struct vvMemoryUse {
  size_t bytes;  // now in use               [byte]
  size_t peak;   // most ever in use         [byte]
  size_t ncall;  // allocations made, releases not counted
} vvMemoryUse;

typedef struct vvContext vvContext;

// One thread, C allocator, no callbacks, log level warning.
vvContextOptions vv_context_options_default(void);

// Makes a context and starts its threads; NULL options are the default ones. `*context` is NULL on error.
vvStatus vv_context_create(const vvContextOptions* options, vvContext** context);

// Stops the threads and frees the context; NULL is allowed. Blocks still allocated stay the caller's loss.
void vv_context_destroy(vvContext* context);

int vv_context_thread_count(const vvContext* context);
void* vv_context_user(const vvContext* context);
vvMemoryUse vv_context_memory(const vvContext* context);

// `bytes` zeroed bytes, 64-byte aligned; NULL when there is no memory. 0 bytes give a valid block.
void* vv_alloc(vvContext* context, size_t bytes);

// Frees a block of vv_alloc; `bytes` as asked for there. NULL is allowed.
void vv_free(vvContext* context, void* memory, size_t bytes);

// Moves a block to a new size, new bytes zeroed; NULL when there is no memory, then the old block stands.
void* vv_context_realloc(vvContext* context, void* memory, size_t old_bytes, size_t new_bytes);

// Zeroed array of n elements of `type`; NULL also when n * sizeof overflows.
#define VV_NEW(context, type, n) ((type*)vv_alloc_array((context), (size_t)(n), sizeof(type)))
#define VV_DELETE(context, pointer, type, n) vv_free((context), (pointer), (size_t)(n) * sizeof(type))
void* vv_alloc_array(vvContext* context, size_t count, size_t size);

#if defined(__GNUC__)
#define VV_FORMAT(a, b) __attribute__((format(printf, a, b)))
#else
#define VV_FORMAT(a, b)
#endif

// A line for the log, at most 511 bytes.
void vv_context_log(vvContext* context, vvLogLevel level, const char* format, ...) VV_FORMAT(3, 4);

// True when the program asked to stop; long work asks between pieces and returns VV_ERROR_CANCELLED.
bool vv_context_cancelled(vvContext* context);

// Tells the program how far the work is.
void vv_context_progress(vvContext* context, double share, const char* what);

// One piece of parallel work: `index` in 0..n-1, `thread` in 0..nthread-1 (for picking a thread's own scratch).
typedef vvStatus (*vvParallelFn)(void* user, int index, int thread);

// Calls fn once for every index, on all threads, and returns when all are done: the status of the lowest index that
// failed, pieces not yet begun being dropped after a failure or a cancel. Which thread takes which index varies, so a
// piece writes to its own place only, and sums are made over a fixed number of pieces and combined in index order
// (vv_block_begin). Not to be called from inside a piece (VV_ERROR_ARGUMENT).
vvStatus vv_parallel_for(vvContext* context, int n, vvParallelFn fn, void* user);

// First index of block b when n items are cut into nblock blocks; block b ends where b + 1 begins.
static inline int vv_block_begin(int n, int nblock, int b) {
  return (int)((int64_t)n * b / nblock);
}

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_CONTEXT_H_
