// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// context.h: the insides of a context, for context.c and threads.c only.

#ifndef VISVIVA_CORE_CONTEXT_H_
#define VISVIVA_CORE_CONTEXT_H_

#include <stdatomic.h>

#include "visviva/context.h"

typedef struct vvPool vvPool;

struct vvContext {
  vvContextOptions options;  // every callback but log, cancel and progress set
  vvPool* pool;              // NULL with one thread
  atomic_size_t bytes;       // now in use
  atomic_size_t peak;
  atomic_size_t ncall;
  atomic_bool busy;  // inside vv_parallel_for
};

// Starts nthread - 1 threads that wait for work, and stops them.
vvStatus vv_pool_create(vvContext* context, int nthread, vvPool** pool);
void vv_pool_destroy(vvContext* context, vvPool* pool);

#endif  // VISVIVA_CORE_CONTEXT_H_
