# SPDX-FileCopyrightText: The visviva authors
# SPDX-License-Identifier: Apache-2.0
#
# Installation: headers, libraries, programs, a pkg-config file and a CMake package, both named visviva (visviva_f32).

include(CMakePackageConfigHelpers)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/${VV_LIBRARY})
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
set(pc_flags "")
if(VV_FLOAT)
  set(pc_flags "-DVV_REAL=float -DVV_REAL_IS_FLOAT")
endif()

install(DIRECTORY include/visviva DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS visviva_shared EXPORT visviva_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS visviva_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET vv)
  install(TARGETS vv RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET vvcc)
  install(TARGETS vvcc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

configure_file(cmake/visviva.pc.in ${VV_LIBRARY}.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${VV_LIBRARY}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set_target_properties(visviva_shared PROPERTIES EXPORT_NAME ${VV_LIBRARY})
install(EXPORT visviva_targets NAMESPACE visviva:: FILE ${VV_LIBRARY}-config.cmake DESTINATION ${package_directory})
write_basic_package_version_file(${VV_LIBRARY}-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${VV_LIBRARY}-config-version.cmake DESTINATION ${package_directory})
