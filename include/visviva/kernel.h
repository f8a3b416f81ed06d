// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// kernel.h: what a kernel includes. A kernel is ordinary C in a file *_kernel.c or *_kernel.h whose functions are
// marked VV_DIFF; it compiles as it stands, and vvcc generates its derivatives (docs/kernels.md has the rules).
//
//   VV_DIFF          differentiate this function
//   VV_NO_DIFF       on a parameter: a real that is treated as a constant, it has no cotangent
//   VV_WRITE_ONCE    on a pointer parameter: within one call each real reached through it is written at most once,
//                    and never read before it is written. Its values stay valid in the reverse sweep, so nothing
//                    of it is taped and loops over it are re-run.
//   VV_SECOND        beside VV_DIFF: also generate f_vjp_jvp, the forward derivative of the reverse one
//   VV_DIFF_WRT(variant, a, b)   before a VV_DIFF function: also generate f_<variant>_vjp with bars for a and b only
//   VV_VJP_OF(f)     before a function: the reverse derivative of f, instead of a generated one. Its arguments: those
//   of
//                    f, the cotangent of the value returned, a bar for each active argument (NULL: not wanted). Between
//                    the first two it may take the value that f returned.
//   VV_JVP_OF(f)     the forward derivative of f: each active argument followed by its tangent, then a pointer to the
//                    tangent of the value returned

#ifndef VISVIVA_KERNEL_H_
#define VISVIVA_KERNEL_H_

#include <math.h>

#include "visviva/base.h"

#if defined(__VVCC__)
#define VV_DIFF __attribute__((annotate("vv_diff")))
#define VV_NO_DIFF __attribute__((annotate("vv_no_diff")))
#define VV_WRITE_ONCE __attribute__((annotate("vv_write_once")))
#define VV_DIFF_WRT(...) __attribute__((annotate("vv_diff_wrt:" #__VA_ARGS__)))
#define VV_SECOND __attribute__((annotate("vv_second")))
#define VV_VJP_OF(f) __attribute__((annotate("vv_vjp_of:" #f)))
#define VV_JVP_OF(f) __attribute__((annotate("vv_jvp_of:" #f)))
#else
#define VV_DIFF
#define VV_NO_DIFF
#define VV_WRITE_ONCE
#define VV_DIFF_WRT(...)
#define VV_SECOND
#if defined(__GNUC__)
#define VV_VJP_OF(f) __attribute__((unused))
#define VV_JVP_OF(f) __attribute__((unused))
#else
#define VV_VJP_OF(f)
#define VV_JVP_OF(f)
#endif
#endif

// Math functions in the precision of vvReal.
#ifdef VV_REAL_IS_FLOAT
#define vv_sqrt sqrtf
#define vv_sin sinf
#define vv_cos cosf
#define vv_tan tanf
#define vv_asin asinf
#define vv_acos acosf
#define vv_atan atanf
#define vv_atan2 atan2f
#define vv_exp expf
#define vv_log logf
#define vv_pow powf
#define vv_fabs fabsf
#define vv_fmin fminf
#define vv_fmax fmaxf
#define vv_sinh sinhf
#define vv_cosh coshf
#define vv_tanh tanhf
#define vv_hypot hypotf
#define vv_expm1 expm1f
#define vv_log1p log1pf
#define vv_cbrt cbrtf
#define vv_floor floorf
#define vv_ceil ceilf
#define vv_fmod fmodf
#define vv_copysign copysignf
#define vv_exp2 exp2f
#define vv_log2 log2f
#define vv_log10 log10f
#define vv_asinh asinhf
#define vv_acosh acoshf
#define vv_atanh atanhf
#define vv_fdim fdimf
#define vv_fma fmaf
#define vv_erf erff
#define vv_erfc erfcf
#define vv_trunc truncf
#define vv_round roundf
#define vv_rint rintf
#define vv_nearbyint nearbyintf
#define vv_remainder remainderf
#define vv_ldexp ldexpf
#else
#define vv_sqrt sqrt
#define vv_sin sin
#define vv_cos cos
#define vv_tan tan
#define vv_asin asin
#define vv_acos acos
#define vv_atan atan
#define vv_atan2 atan2
#define vv_exp exp
#define vv_log log
#define vv_pow pow
#define vv_fabs fabs
#define vv_fmin fmin
#define vv_fmax fmax
#define vv_sinh sinh
#define vv_cosh cosh
#define vv_tanh tanh
#define vv_hypot hypot
#define vv_expm1 expm1
#define vv_log1p log1p
#define vv_cbrt cbrt
#define vv_floor floor
#define vv_ceil ceil
#define vv_fmod fmod
#define vv_copysign copysign
#define vv_exp2 exp2
#define vv_log2 log2
#define vv_log10 log10
#define vv_asinh asinh
#define vv_acosh acosh
#define vv_atanh atanh
#define vv_fdim fdim
#define vv_fma fma
#define vv_erf erf
#define vv_erfc erfc
#define vv_trunc trunc
#define vv_round round
#define vv_rint rint
#define vv_nearbyint nearbyint
#define vv_remainder remainder
#define vv_ldexp ldexp
#endif

// Memory of a reverse sweep (a stack of bytes the caller owns). Overflow sets the sticky flag and drops the push; the
// driver grows it to `peak` and repeats the sweep, so kernels cannot fail half-way.
typedef struct vvTapeMem {
  unsigned char* base;  // capacity bytes, 64-byte aligned
  size_t capacity;      // [byte]
  size_t used;          // [byte]
  size_t peak;          // [byte] largest `used` a sweep asked for, beyond capacity too
  int overflow;         // sticky
} vvTapeMem;

#ifndef VV_DUAL  // test/dual: the kernel is compiled as C++ with dual numbers
// Eight tangents at once, the type of every `_tan` in a `_jvp8`.
typedef vvReal vvReal8 __attribute__((vector_size(8 * sizeof(vvReal))));
#endif

#include "visviva/math_kernel.h"

#ifdef VV_USER_KERNEL  // a file that vv_kernel_load reads
#include "visviva/state_kernel.h"
#endif

#endif  // VISVIVA_KERNEL_H_
