# Read by cpack for each generator, after its configuration: where packages differ from the bundle.
if(CPACK_GENERATOR STREQUAL "DEB")
  set(CPACK_INSTALL_CMAKE_PROJECTS "${CPACK_EDGEFW_TREE};edgefw;ALL;/")
  # Each package has a summary of its own; cpack would put this one before it.
  unset(CPACK_PACKAGE_DESCRIPTION_SUMMARY)
endif()
