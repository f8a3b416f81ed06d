// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// load.c: kernels at run time, and runs over a range of indices.

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "kernel/build.h"

struct vvKernel {
  vvContext* ctx;
  void* handle;
  const vvKernelFunction* function;
  int n;
  char source[VV_PATH_MAX];
};

void vv_kernel_free(vvKernel* kernel) {
  if (!kernel) return;
  if (kernel->handle) dlclose(kernel->handle);
  VV_DELETE(kernel->ctx, kernel, vvKernel, 1);
}

static vvStatus open_object(vvKernel* k, const char* object, const char* file, vvReport* report) {
  k->handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
  const char* what = k->handle ? NULL : dlerror();
  if (!k->handle)
    return vv_report_set(report, VV_ERROR_FILE, "%.100s: cannot be loaded: %.120s", file, what ? what : "");
  const vvKernelFunction* (*table)(int*) = NULL;
  *(void**)&table = dlsym(k->handle, "vv_kernel_table");
  if (!table) return vv_report_set(report, VV_ERROR_FILE, "%.160s: cannot be loaded: it has no table", file);
  k->function = table(&k->n);
  return VV_OK;
}

vvStatus vv_kernel_load(vvContext* ctx, const char* file, const char* function, const vvKernelOptions* options,
                        vvKernel** kernel, vvReport* report) {
  *kernel = NULL;
  vv_report_clear(report);
  vvKernelOptions none = {0};
  if (!options) options = &none;
  vvKernelTools tools;
  vvStatus status = vv_kernel_tools(options, &tools, report);
  if (status != VV_OK) return status;
  vvKernel* k = VV_NEW(ctx, vvKernel, 1);
  if (!k) return VV_ERROR_MEMORY;
  k->ctx = ctx;
  char object[VV_PATH_MAX];
  status = vv_kernel_build(file, &tools, object, k->source, report);
  if (status == VV_OK) status = open_object(k, object, file, report);
  if (status == VV_OK && k->n == 0) {
    status = vv_report_set(report, VV_ERROR_FILE, "%.160s: has no VV_DIFF function that is not static", file);
  }
  if (status == VV_OK && function && !vv_kernel_function(k, function)) {
    status = vv_report_set(report, VV_ERROR_FILE, "%.120s: has no VV_DIFF function '%.80s' that is not static", file,
                           function);
  }
  if (status != VV_OK) {
    vv_kernel_free(k);
    return status;
  }
  *kernel = k;
  return VV_OK;
}

int vv_kernel_count(const vvKernel* kernel) {
  return kernel->n;
}

const vvKernelFunction* vv_kernel_at(const vvKernel* kernel, int i) {
  return &kernel->function[i];
}

const vvKernelFunction* vv_kernel_function(const vvKernel* kernel, const char* name) {
  for (int i = 0; i < kernel->n; i++)
    if (strcmp(kernel->function[i].name, name) == 0) return &kernel->function[i];
  return NULL;
}

const char* vv_kernel_source(const vvKernel* kernel) {
  return kernel->source;
}

// ranges

enum { MOST_SLOTS = 132, BLOCKS = 64 };

typedef struct vvLaunch {
  const vvKernelFunction* f;
  void** args;
  int begin, end, nslot;
  bool reverse;
} vvLaunch;

static bool takes_index(const vvKernelFunction* f) {
  return f->narg > 0 && 2 * f->narg + 3 <= MOST_SLOTS && f->arg[0].kind == VV_KERNEL_INT && !f->arg[0].pointer &&
         f->arg[0].size == sizeof(int) && f->value.kind == VV_KERNEL_VOID;
}

static vvStatus run_block(void* user, int index, int thread) {
  (void)thread;
  const vvLaunch* l = user;
  void* args[MOST_SLOTS] = {0};
  memcpy(args, l->args, (size_t)l->nslot * sizeof(void*));
  int i = 0, nblock = l->reverse ? 1 : BLOCKS, n = l->end - l->begin;
  args[0] = &i;
  for (int k = vv_block_begin(n, nblock, index); k < vv_block_begin(n, nblock, index + 1); k++) {
    i = l->begin + k;
    if (l->reverse) {
      l->f->vjp(args);
    } else {
      l->f->call(args);
    }
  }
  return VV_OK;
}

static vvStatus launch(vvContext* ctx, const vvKernelFunction* f, int begin, int end, void** args, bool reverse) {
  if (!takes_index(f) || end < begin) return VV_ERROR_ARGUMENT;
  vvLaunch l = {f, args, begin, end, reverse ? 2 * f->narg + 3 : f->narg + 1, reverse};
  return vv_parallel_for(ctx, reverse ? 1 : BLOCKS, run_block, &l);
}

vvStatus vv_kernel_launch(vvContext* ctx, const vvKernelFunction* f, int begin, int end, void** args) {
  return launch(ctx, f, begin, end, args, false);
}

vvStatus vv_kernel_launch_vjp(vvContext* ctx, const vvKernelFunction* f, int begin, int end, void** args) {
  return launch(ctx, f, begin, end, args, true);
}
