# The target `bundle`: a TGZ that runs on x86-64 Linux with the C library of the build machine, or a
# later one, and nothing else installed. It holds what `cmake --install` installs, the tests of
# devices in libexec, and every library that these need, except those of the C library and of CUDA.
#
# Libraries of the bundle lie in lib. Our objects name that folder relative to their own place by
# DT_RPATH (EdgefwModules.cmake, core/CMakeLists.txt), which, other than DT_RUNPATH, holds for what
# their libraries need in turn.
set(EDGEFW_BUNDLE edgefw-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})

install(PROGRAMS tools/gpu_check.sh DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/edgefw
        COMPONENT bundle EXCLUDE_FROM_ALL)
install(FILES README.md CHANGELOG.md LICENSE DESTINATION . COMPONENT bundle EXCLUDE_FROM_ALL)
# A component of its own: Python wheels take it, too, behind the others (docs/python.md).
install(CODE "set(EDGEFW_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")" COMPONENT libraries EXCLUDE_FROM_ALL)
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/BundleLibraries.cmake COMPONENT libraries EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_FILE_NAME ${EDGEFW_BUNDLE})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR})
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_CMAKE_PROJECTS)
foreach(component library program models development bundle libraries) # these last: of what lies there
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS ${PROJECT_BINARY_DIR} edgefw ${component} /)
endforeach()

add_custom_target(
  bundle
  COMMAND ${CMAKE_CPACK_COMMAND} --config ${PROJECT_BINARY_DIR}/CPackConfig.cmake
  COMMAND ${CMAKE_COMMAND} -E echo "${PROJECT_BINARY_DIR}/${EDGEFW_BUNDLE}.tar.gz"
  WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
  USES_TERMINAL VERBATIM)
get_property(modules GLOBAL PROPERTY EDGEFW_MODULES)
add_dependencies(bundle edgefw ${modules})
if(EDGEFW_BUILD_TESTS)
  get_property(tests GLOBAL PROPERTY EDGEFW_BUNDLE_TESTS)
  add_dependencies(bundle ${tests})
endif()
