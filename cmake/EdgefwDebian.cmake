# Debian packages, one for each component of EdgefwInstall.cmake:
#
#   libedgefw0      the library, with plugins and devices
#   edgefw          the program, its configurations, data and documentation
#   edgefw-models   the trained models
#   libedgefw-dev   headers, the CMake package, the pkg-config file
#
# `cpack -G DEB` in a build tree writes them there. The preset `deb` configures a tree as Debian would:
# everything below /usr, and no module whose libraries are not Debian's. What the packages depend on is
# read from their objects by dpkg-shlibdeps.
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/CPackGenerator.cmake)
set(CPACK_PACKAGE_CONTACT "edgefw contributors <contributors@edgefw.invalid>")
set(CPACK_COMPONENTS_ALL library program models development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_EDGEFW_TREE ${PROJECT_BINARY_DIR}) # for CPackGenerator.cmake

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libedgefw${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS edgefw-models)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
    "neural routing solvers - library
The shared library of edgefw, which trains and runs neural solvers of
routing problems (TSP, ATSP, CVRP, ACVRP), with its plugins and devices.")

# cpack could write this itself, but would take every plugin for a library that lacks a version.
file(WRITE ${PROJECT_BINARY_DIR}/debian/shlibs
     "libedgefw ${PROJECT_VERSION_MAJOR} ${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME} (= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME edgefw)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "edgefw-models, gnuplot-nox")
set(CPACK_COMPONENT_PROGRAM_DEPENDS library)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
    "neural routing solvers - program
The program edgefw trains and evaluates neural solvers of routing problems
(TSP, ATSP, CVRP, ACVRP) that INI files describe, and solves TSPLIB and
VRPLIB files, matrices, and answers of routing services.")

set(CPACK_DEBIAN_MODELS_PACKAGE_NAME edgefw-models)
set(CPACK_DEBIAN_MODELS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MODELS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_MODELS_DESCRIPTION
    "neural routing solvers - trained models
One trained model for each problem of edgefw, which its program and library
take where no other is named.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libedgefw-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DEPENDS library)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
    "neural routing solvers - development files
Headers for programs that solve with edgefw and for plugins of it, the CMake
package and the pkg-config file.")

# Policy wants the licence beside each package's documentation; no other installation needs it there.
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}
          RENAME copyright COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
