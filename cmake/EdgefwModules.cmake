# What plugins and devices of this tree have in common besides edgefw_add_plugin().

# edgefw_set_rpath(TARGET FOLDER): where an installed object looks for libraries, relative to its own
# place. As DT_RPATH: that also holds for what those libraries need (DT_RUNPATH does not), and is
# looked at before LD_LIBRARY_PATH.
function(edgefw_set_rpath target folder)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "\$ORIGIN${folder}")
  target_link_options(${target} PRIVATE LINKER:--disable-new-dtags)
endfunction()

# edgefw_add_module_in(FOLDER NAME source...): edgefw_add_plugin with our warnings, put into a folder
# below the one where the binary looks ("" for that one itself), and installed.
function(edgefw_add_module_in folder name)
  edgefw_add_plugin(${name} ${ARGN})
  target_link_libraries(edgefw_${name} PRIVATE edgefw_warnings)
  set_target_properties(edgefw_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY
                                                  ${EDGEFW_PLUGIN_OUTPUT_DIR}${folder})
  string(REGEX REPLACE "/[^/]+" "/.." up "${folder}")
  edgefw_set_rpath(edgefw_${name} "/..${up}")
  install(TARGETS edgefw_${name} LIBRARY DESTINATION ${EDGEFW_PLUGIN_INSTALL_DIR}${folder}
                                         COMPONENT library)
  set_property(GLOBAL APPEND PROPERTY EDGEFW_MODULES edgefw_${name})
endfunction()

# edgefw_add_module(NAME source...): the same in the folder where the binary looks.
function(edgefw_add_module name)
  edgefw_add_module_in("" ${name} ${ARGN})
endfunction()

# Deletes modules whose source is gone, or the binary would still find them.
function(edgefw_remove_stale_modules)
  get_property(modules GLOBAL PROPERTY EDGEFW_MODULES)
  file(GLOB built ${EDGEFW_PLUGIN_OUTPUT_DIR}/edgefw_*.so ${EDGEFW_PLUGIN_OUTPUT_DIR}/*/edgefw_*.so)
  foreach(path IN LISTS built)
    get_filename_component(name ${path} NAME_WE)
    if(NOT name IN_LIST modules)
      message(STATUS "Removing ${path}: no source")
      file(REMOVE ${path})
    endif()
  endforeach()
endfunction()
