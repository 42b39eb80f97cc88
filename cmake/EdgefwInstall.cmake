# Installation, the CMake package and the pkg-config file, in four components:
#
#   library      libedgefw.so and what it opens: plugins and devices
#   program      edgefw, its configurations, data and documentation
#   models       the trained models
#   development  headers, the CMake package, the pkg-config file
#
# Packages have one each (EdgefwDebian.cmake); `cmake --install` takes all of them.
include(CMakePackageConfigHelpers)

install(
  TARGETS libedgefw
  EXPORT edgefw-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
          COMPONENT library
          NAMELINK_COMPONENT development)
install(TARGETS edgefw RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY configs data DESTINATION ${CMAKE_INSTALL_DATADIR}/edgefw COMPONENT program)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/edgefw COMPONENT models)
install(
  DIRECTORY core/include/edgefw
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development
  FILES_MATCHING
  PATTERN "*.h")
install(FILES kernels/kernels.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/edgefw COMPONENT development)

set(EDGEFW_CMAKE_INSTALL_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/edgefw)
install(EXPORT edgefw-targets NAMESPACE edgefw:: DESTINATION ${EDGEFW_CMAKE_INSTALL_DIR}
        COMPONENT development)
configure_package_config_file(
  cmake/edgefw-config.cmake.in ${PROJECT_BINARY_DIR}/edgefw-config.cmake
  INSTALL_DESTINATION ${EDGEFW_CMAKE_INSTALL_DIR}
  PATH_VARS EDGEFW_PLUGIN_INSTALL_DIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/edgefw-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/edgefw-config.cmake
              ${PROJECT_BINARY_DIR}/edgefw-config-version.cmake cmake/EdgefwAddPlugin.cmake
        DESTINATION ${EDGEFW_CMAKE_INSTALL_DIR} COMPONENT development)

# Relative to its own place, so that the installed tree can be moved.
file(RELATIVE_PATH EDGEFW_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
     ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/edgefw.pc.in ${PROJECT_BINARY_DIR}/edgefw.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/edgefw.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)
