# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# vv_generate(OUT KERNEL...): runs vvcc on each *_kernel.c. OUT receives the generated NAME_kernel.vv.c and .vv.h, which
# lie in VV_GENERATED. With VV_VVCC=none nothing is generated.

set(VV_GENERATED ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${VV_GENERATED})
set(VV_VVCC_FLAGS "" CACHE STRING "more arguments for vvcc")
separate_arguments(vvcc_flags UNIX_COMMAND "${VV_VVCC_FLAGS}")
if(VV_FLOAT)
  list(APPEND vvcc_flags -D VV_REAL=float -D VV_REAL_IS_FLOAT)
endif()

# Reverse code is many small leaves that begin with zeroed cotangents: with 0 + x folded to x and, in the kernels that
# every step runs, with all leaves inlined, it runs about twice as fast (half_cheetah: 17.2 to 7.1 us a reverse step with
# gcc-12). Only signs of zeros may differ.
set(vv_generated_options -fno-signed-zeros ${vv_wide_options})
set(vv_hot_kernels "^(dynamics|kinematics|price)_kernel$")
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # gcc takes tables that a loop fills for unset ones.
  list(APPEND vv_generated_options -fno-tree-slp-vectorize -Wno-maybe-uninitialized)
  set(vv_hot_options "--param=inline-unit-growth=1000;--param=max-inline-insns-auto=400;--param=max-inline-insns-single=2000;--param=large-function-growth=2000;--param=large-stack-frame-growth=5000")
elseif(CMAKE_C_COMPILER_ID STREQUAL "Clang")
  set(vv_hot_options "-mllvm=-inline-threshold=3000")
endif()

function(vv_generate out)
  set(generated "")
  if(VV_VVCC STREQUAL "none")
    message(STATUS "no vvcc: no derivatives are generated")
  elseif(VV_VVCC)
    set(vvcc ${VV_VVCC})
    set(vvcc_target ${VV_VVCC})
  elseif(TARGET vvcc)
    set(vvcc $<TARGET_FILE:vvcc>)
    set(vvcc_target vvcc)
  endif()
  # A kernel may include any of these; generating again is cheap.
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/src/*_kernel.h
    ${PROJECT_SOURCE_DIR}/test/*_kernel.h)
  foreach(kernel IN LISTS ARGN)
    get_filename_component(name ${kernel} NAME_WLE)
    if(DEFINED vvcc)
      add_custom_command(
        OUTPUT ${VV_GENERATED}/${name}.vv.c ${VV_GENERATED}/${name}.vv.h
        COMMAND ${vvcc} ${kernel} --out-dir ${VV_GENERATED} -I ${PROJECT_SOURCE_DIR}/include
                -I ${PROJECT_SOURCE_DIR}/src -I ${CMAKE_CURRENT_SOURCE_DIR} ${vvcc_flags}
        DEPENDS ${kernel} ${headers} ${vvcc_target}
        COMMENT "vvcc ${name}.c"
        VERBATIM)
      list(APPEND generated ${VV_GENERATED}/${name}.vv.c ${VV_GENERATED}/${name}.vv.h)
      set(options ${vv_generated_options})
      if(name MATCHES "${vv_hot_kernels}")
        list(APPEND options ${vv_hot_options})
      endif()
      # Generated text is held to the warnings of C, not to those of style.
      set_source_files_properties(${VV_GENERATED}/${name}.vv.c PROPERTIES COMPILE_OPTIONS
        "-Wno-conversion;-Wno-double-promotion;-Wno-unused-function;-Wno-unused-variable;-Wno-unused-but-set-variable;-Wno-unused-but-set-parameter;-Wno-unused-parameter;${options}")
    endif()
  endforeach()
  set(${out} ${generated} PARENT_SCOPE)
endfunction()
