# Run while a bundle is installed: copies every library that its objects need into its lib folder.
set(bundle "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
set(lib "${bundle}/${EDGEFW_LIBDIR}")
file(GLOB programs "${bundle}/bin/edgefw" "${bundle}/libexec/edgefw/tests/test_*")
file(GLOB libraries "${lib}/libedgefw.so.*")
file(GLOB modules "${lib}/edgefw/edgefw_*.so")

# Left to the machine: the C library, the loader, the kernel's own, and CUDA, whose libraries are
# larger than all the rest and come with the driver or the toolkit.
set(left_out
    "^(ld-linux.*|libc|libm|libmvec|libdl|libpthread|librt|libresolv|libutil|libanl|libnsl|libnss_.*)\\.so.*"
    "^linux-vdso\\.so.*"
    "^lib(cuda|cudart|cublas|cublasLt|cusolver|cusparse|nvrtc|nvJitLink|nvidia-.*)\\.so.*")

file(
  GET_RUNTIME_DEPENDENCIES
  EXECUTABLES ${programs}
  LIBRARIES ${libraries}
  MODULES ${modules}
  RESOLVED_DEPENDENCIES_VAR found
  UNRESOLVED_DEPENDENCIES_VAR missing
  CONFLICTING_DEPENDENCIES_PREFIX twice
  PRE_EXCLUDE_REGEXES ${left_out} "^libedgefw\\.so.*")
if(missing)
  message(FATAL_ERROR "The bundle needs libraries that are not found here: ${missing}")
endif()
foreach(name IN LISTS twice_FILENAMES) # found in several folders: the first one is as good
  list(GET twice_${name} 0 path)
  list(APPEND found ${path})
endforeach()
foreach(path IN LISTS found)
  get_filename_component(name ${path} NAME) # the name that objects ask for
  file(REAL_PATH ${path} real)
  file(COPY_FILE ${real} ${lib}/${name} ONLY_IF_DIFFERENT)
endforeach()
list(LENGTH found count)
message(STATUS "${count} libraries of this machine are in the bundle")
