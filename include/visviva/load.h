// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// load.h: kernels at run time. A kernel file is differentiated by vvcc, built with the system's C compiler and loaded;
// what has been built before is taken from a cache (by the content of everything it includes).
//
//   vv_kernel_load(ctx, "drag.c", NULL, NULL, &kernel, &report);
//   const vvKernelFunction* f = vv_kernel_function(kernel, "drag");
//   f->call(args);    args[i] is where argument i lies (for pointers: the pointer itself), args[n] takes the value
//   f->vjp(args);     args[n + 1] is the cotangent of the value, args[n + 2 + i] the bar of argument i (NULL where it
//                     has none), args[2 n + 2] a vvTapeMem*
//   f->jvp(args);     likewise with tangents
//
// Or call the functions by their own types: f->pointer[VV_KERNEL_VJP] cast to f_vjp's type.

#ifndef VISVIVA_LOAD_H_
#define VISVIVA_LOAD_H_

#include "visviva/kernel.h"
#include "visviva/report.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum vvKernelKind { VV_KERNEL_VOID = 0, VV_KERNEL_INT, VV_KERNEL_REAL, VV_KERNEL_STRUCT } vvKernelKind;

typedef enum vvKernelForm {
  VV_KERNEL_PLAIN = 0,
  VV_KERNEL_FWD,
  VV_KERNEL_REV,
  VV_KERNEL_VJP,
  VV_KERNEL_JVP,
  VV_KERNEL_JVP8,
  VV_KERNEL_FORMS
} vvKernelForm;

// A type: of an argument, of a value, of a member.
typedef struct vvKernelType {
  const char* name;                    // of the argument or member
  const char* text;                    // as C spells it
  vvKernelKind kind;                   // of the innermost element
  size_t size;                         // of one element              [byte]
  size_t offset;                       // of members, in the struct   [byte]
  int count;                           // elements of arrays, all indices together; 1 for others
  bool pointer;                        // to elements
  bool constant;                       // pointers: to const
  bool is_unsigned;                    // integers
  bool active;                         // arguments: has a bar
  bool used;                           // arguments: read or written
  const struct vvKernelType* members;  // of structs
  int nmember;
} vvKernelType;

typedef struct vvKernelFunction {
  const char* name;
  const char* signature;  // as C writes it
  int narg;
  const vvKernelType* arg;
  vvKernelType value;  // what it returns
  bool tape;           // its reverse derivative uses the tape
  void (*call)(void** args);
  void (*vjp)(void** args);  // runs the function too
  void (*jvp)(void** args);
  void (*pointer[VV_KERNEL_FORMS])(void);
} vvKernelFunction;

typedef struct vvKernelOptions {
  const char* cache;     // folder; NULL: VV_CACHE, else XDG_CACHE_HOME/visviva, else HOME/.cache/visviva
  const char* compiler;  // NULL: CC of the environment, else cc
  const char* vvcc;      // NULL: VV_VVCC of the environment, else beside the program or library, else on the PATH
  const char* include;   // folder of visviva/kernel.h; NULL: beside the program or library
} vvKernelOptions;

typedef struct vvKernel vvKernel;

// Loads a kernel file; `function`: it must have that one (NULL: any). NULL options are zeros. Errors are the compiler's
// first line, VV_ERROR_FILE; no compiler or no vvcc: VV_ERROR_UNSUPPORTED.
vvStatus vv_kernel_load(vvContext* ctx, const char* file, const char* function, const vvKernelOptions* options,
                        vvKernel** kernel, vvReport* report);
void vv_kernel_free(vvKernel* kernel);  // NULL is allowed

int vv_kernel_count(const vvKernel* kernel);
const vvKernelFunction* vv_kernel_at(const vvKernel* kernel, int i);
const vvKernelFunction* vv_kernel_function(const vvKernel* kernel, const char* name);  // NULL: there is none
const char* vv_kernel_source(const vvKernel* kernel);                                  // path of the generated text

// Runs a function whose first argument is `int i` for i = begin ... end - 1 on the context's threads; args as for
// `call` (args[0] is ignored). What it writes must lie apart for different i.
vvStatus vv_kernel_launch(vvContext* ctx, const vvKernelFunction* f, int begin, int end, void** args);
// Its reverse derivative, one index after the other, so that sums are the same every time.
vvStatus vv_kernel_launch_vjp(vvContext* ctx, const vvKernelFunction* f, int begin, int end, void** args);

#ifdef __cplusplus
}
#endif

#endif  // VISVIVA_LOAD_H_
