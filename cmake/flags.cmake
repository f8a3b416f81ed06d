# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# vv_flags: flags of every target of this project. vv_warnings: the warning set of hand-written C (generated code is
# compiled without the conversion warnings).

include(CheckCSourceRuns)

find_package(Threads REQUIRED)

add_library(vv_flags INTERFACE)
target_compile_options(vv_flags INTERFACE -ffp-contract=off -fno-math-errno -fno-trapping-math)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # The objects serve both libraries; without this, exported functions would not be inlined into each other.
  target_compile_options(vv_flags INTERFACE -fno-semantic-interposition)
endif()

set(vv_wide_options "")  # of files that work on vvReal8
if(VV_ARCH STREQUAL "auto")
  check_c_source_runs("
    int main(void) {
      __builtin_cpu_init();
      return !(__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") && __builtin_cpu_supports(\"bmi\") &&
               __builtin_cpu_supports(\"bmi2\") && __builtin_cpu_supports(\"popcnt\"));
    }" VV_CPU_HAS_V3)
  if(VV_CPU_HAS_V3)
    target_compile_options(vv_flags INTERFACE -march=x86-64-v3)
  endif()
  # Eight tangents at once fill one AVX-512 register; without it gcc takes them apart in memory, which costs a factor of 4.
  check_c_source_runs("
    int main(void) {
      __builtin_cpu_init();
      return !(__builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"avx512bw\") &&
               __builtin_cpu_supports(\"avx512cd\") && __builtin_cpu_supports(\"avx512dq\") &&
               __builtin_cpu_supports(\"avx512vl\"));
    }" VV_CPU_HAS_V4)
  if(VV_CPU_HAS_V3 AND VV_CPU_HAS_V4)
    set(vv_wide_options -march=x86-64-v4)
  endif()
elseif(NOT VV_ARCH STREQUAL "none")
  target_compile_options(vv_flags INTERFACE -march=${VV_ARCH})
endif()

if(VV_FLOAT)
  target_compile_definitions(vv_flags INTERFACE VV_REAL=float VV_REAL_IS_FLOAT)
endif()
if(VV_SANITIZE)
  target_compile_options(vv_flags INTERFACE -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined
    -fno-omit-frame-pointer)
  target_link_options(vv_flags INTERFACE -fsanitize=address,undefined)
endif()
set(VV_FUZZ OFF)
if(VV_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL "Clang")
  set(VV_FUZZ ON)
  target_compile_options(vv_flags INTERFACE $<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link>)
endif()

add_library(vv_warnings INTERFACE)
target_compile_options(vv_warnings INTERFACE -Wall -Wextra -Wpedantic)
if(NOT VV_FLOAT)
  target_compile_options(vv_warnings INTERFACE -Wconversion -Wno-sign-conversion)
  if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
    # clang warns of NAN and INFINITY, which are floats, and of enum constants among doubles.
    target_compile_options(vv_warnings INTERFACE -Wno-double-promotion -Wno-enum-float-conversion)
  else()
    target_compile_options(vv_warnings INTERFACE -Wdouble-promotion)
  endif()
endif()
if(VV_WERROR)
  target_compile_options(vv_warnings INTERFACE -Werror)
endif()
