// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// threads.c: a fixed pool of threads that share the indices 0..n-1 of a piece of work.
//
// method   The caller publishes a job (function, n, generation) and takes indices itself; each thread takes the next
//          index from one counter until none is left. Which thread runs which index varies; results do not depend on
//          it as long as each index writes to its own place. The status returned is that of the lowest failing index:
//          indices are handed out in order, so every index below a failing one has been run.

#include <pthread.h>
#include <string.h>

#include "core/context.h"

typedef struct vvWorker {
  vvPool* pool;
  pthread_t thread;
  int index;  // 1..nthread-1; 0 is the caller
} vvWorker;

struct vvPool {
  vvContext* context;
  vvWorker* worker;  // nworker
  int nworker;
  pthread_mutex_t mutex;
  pthread_cond_t start;
  pthread_cond_t done;
  uint64_t generation;  // of the job, under the mutex
  int nbusy;            // workers still in the job, under the mutex
  bool stop;            // under the mutex
  // the job
  vvParallelFn fn;
  void* user;
  int n;
  atomic_int next;   // next index to hand out
  atomic_bool drop;  // after a failure or a cancel: hand out no more
  int failed;        // lowest failing index, n: none; under the mutex
  vvStatus status;   // of `failed`
};

static void note_failure(vvPool* pool, int index, vvStatus status) {
  atomic_store(&pool->drop, true);
  pthread_mutex_lock(&pool->mutex);
  if (index < pool->failed) {
    pool->failed = index;
    pool->status = status;
  }
  pthread_mutex_unlock(&pool->mutex);
}

static void take_indices(vvPool* pool, int thread) {
  while (!atomic_load(&pool->drop)) {
    int index = atomic_fetch_add(&pool->next, 1);
    if (index >= pool->n) return;
    vvStatus status = vv_context_cancelled(pool->context) ? VV_ERROR_CANCELLED : pool->fn(pool->user, index, thread);
    if (status != VV_OK) note_failure(pool, index, status);
  }
}

static void* worker_main(void* argument) {
  vvWorker* worker = argument;
  vvPool* pool = worker->pool;
  uint64_t seen = 0;
  pthread_mutex_lock(&pool->mutex);
  for (;;) {
    while (!pool->stop && pool->generation == seen) pthread_cond_wait(&pool->start, &pool->mutex);
    if (pool->stop) break;
    seen = pool->generation;
    pthread_mutex_unlock(&pool->mutex);
    take_indices(pool, worker->index);
    pthread_mutex_lock(&pool->mutex);
    if (--pool->nbusy == 0) pthread_cond_signal(&pool->done);
  }
  pthread_mutex_unlock(&pool->mutex);
  return NULL;
}

static void stop_workers(vvPool* pool, int nstarted) {
  pthread_mutex_lock(&pool->mutex);
  pool->stop = true;
  pthread_cond_broadcast(&pool->start);
  pthread_mutex_unlock(&pool->mutex);
  for (int i = 0; i < nstarted; i++) pthread_join(pool->worker[i].thread, NULL);
}

static void free_pool(vvContext* context, vvPool* pool) {
  pthread_cond_destroy(&pool->done);
  pthread_cond_destroy(&pool->start);
  pthread_mutex_destroy(&pool->mutex);
  VV_DELETE(context, pool->worker, vvWorker, pool->nworker);
  VV_DELETE(context, pool, vvPool, 1);
}

vvStatus vv_pool_create(vvContext* context, int nthread, vvPool** pool) {
  *pool = NULL;
  vvPool* p = VV_NEW(context, vvPool, 1);
  if (!p) return VV_ERROR_MEMORY;
  p->context = context;
  p->nworker = nthread - 1;
  p->worker = VV_NEW(context, vvWorker, p->nworker);
  if (!p->worker) {
    VV_DELETE(context, p, vvPool, 1);
    return VV_ERROR_MEMORY;
  }
  atomic_init(&p->next, 0);
  atomic_init(&p->drop, false);
  pthread_mutex_init(&p->mutex, NULL);
  pthread_cond_init(&p->start, NULL);
  pthread_cond_init(&p->done, NULL);
  for (int i = 0; i < p->nworker; i++) {
    p->worker[i].pool = p;
    p->worker[i].index = i + 1;
    if (pthread_create(&p->worker[i].thread, NULL, worker_main, &p->worker[i]) != 0) {
      stop_workers(p, i);
      free_pool(context, p);
      return VV_ERROR_MEMORY;
    }
  }
  *pool = p;
  return VV_OK;
}

void vv_pool_destroy(vvContext* context, vvPool* pool) {
  stop_workers(pool, pool->nworker);
  free_pool(context, pool);
}

static vvStatus run_serial(vvContext* context, int n, vvParallelFn fn, void* user) {
  for (int i = 0; i < n; i++) {
    if (vv_context_cancelled(context)) return VV_ERROR_CANCELLED;
    vvStatus status = fn(user, i, 0);
    if (status != VV_OK) return status;
  }
  return VV_OK;
}

static vvStatus run_pool(vvPool* pool, int n, vvParallelFn fn, void* user) {
  pthread_mutex_lock(&pool->mutex);
  pool->fn = fn;
  pool->user = user;
  pool->n = n;
  pool->failed = n;
  pool->status = VV_OK;
  atomic_store(&pool->next, 0);
  atomic_store(&pool->drop, false);
  pool->nbusy = pool->nworker;
  pool->generation++;
  pthread_cond_broadcast(&pool->start);
  pthread_mutex_unlock(&pool->mutex);
  take_indices(pool, 0);
  pthread_mutex_lock(&pool->mutex);
  while (pool->nbusy > 0) pthread_cond_wait(&pool->done, &pool->mutex);
  vvStatus status = pool->status;
  pthread_mutex_unlock(&pool->mutex);
  return status;
}

vvStatus vv_parallel_for(vvContext* context, int n, vvParallelFn fn, void* user) {
  if (!context || !fn || n < 0) return VV_ERROR_ARGUMENT;
  if (atomic_exchange(&context->busy, true)) return VV_ERROR_ARGUMENT;
  vvStatus status = VV_OK;
  if (!context->pool || n < 2) {
    status = run_serial(context, n, fn, user);
  } else {
    status = run_pool(context->pool, n, fn, user);
  }
  atomic_store(&context->busy, false);
  return status;
}
