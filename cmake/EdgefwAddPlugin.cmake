# edgefw_add_plugin(NAME source...): a plugin or a device as a shared object edgefw_NAME.so.
#
# Used by this tree and, after find_package(edgefw), by any other. The target is edgefw_NAME. It sees
# the public headers only, exports only what EDGEFW_PLUGIN marks, and must not leave a symbol open.
function(edgefw_add_plugin name)
  add_library(edgefw_${name} MODULE ${ARGN})
  target_link_libraries(edgefw_${name} PRIVATE edgefw::edgefw m)
  set_target_properties(
    edgefw_${name}
    PROPERTIES PREFIX ""
               OUTPUT_NAME edgefw_${name}
               C_STANDARD 17
               C_STANDARD_REQUIRED ON
               C_EXTENSIONS OFF
               C_VISIBILITY_PRESET hidden)
  # clang leaves the sanitizers' own symbols to the executable.
  if(NOT (CMAKE_C_COMPILER_ID MATCHES "Clang" AND EDGEFW_SANITIZE))
    target_link_options(edgefw_${name} PRIVATE -Wl,--no-undefined)
  endif()
endfunction()
