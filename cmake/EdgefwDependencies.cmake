# Finds what edgefw links. Each missing library is reported with the Debian package that has it.
#
#   Threads::Threads  hdf5::hdf5  edgefw_inih  edgefw_zip  edgefw_jansson  ZLIB::ZLIB
#   edgefw_blas (CBLAS and LAPACKE)  edgefw_openmp
#
# The BLAS is OpenBLAS unless BLA_VENDOR names another (as for CMake's FindBLAS), or
# EDGEFW_BLAS_LIBRARIES lists the libraries that hold CBLAS and LAPACKE.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(PkgConfig QUIET)

# edgefw_require(VARIABLE what package): stops with the package's name if VARIABLE is not found.
function(edgefw_require variable what package)
  if(NOT ${variable})
    message(FATAL_ERROR "${what} not found. On Debian: apt-get install ${package}")
  endif()
endfunction()

# --- HDF5 -----------------------------------------------------------------------------------------
find_package(HDF5 QUIET COMPONENTS C)
edgefw_require(HDF5_FOUND "HDF5 (C library)" libhdf5-dev)

# --- inih -----------------------------------------------------------------------------------------
find_path(EDGEFW_INIH_INCLUDE_DIR ini.h)
find_library(EDGEFW_INIH_LIBRARY inih)
mark_as_advanced(EDGEFW_INIH_INCLUDE_DIR EDGEFW_INIH_LIBRARY)
edgefw_require(EDGEFW_INIH_INCLUDE_DIR "inih (ini.h)" libinih-dev)
edgefw_require(EDGEFW_INIH_LIBRARY "inih (library)" libinih-dev)
add_library(edgefw_inih INTERFACE)
target_include_directories(edgefw_inih SYSTEM INTERFACE ${EDGEFW_INIH_INCLUDE_DIR})
target_link_libraries(edgefw_inih INTERFACE ${EDGEFW_INIH_LIBRARY})
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(EDGEFW_INIH_PKG QUIET inih)
  set(EDGEFW_INIH_VERSION "${EDGEFW_INIH_PKG_VERSION}") # inih.h does not tell it
endif()

# --- libzip ---------------------------------------------------------------------------------------
find_path(EDGEFW_ZIP_INCLUDE_DIR zip.h)
find_library(EDGEFW_ZIP_LIBRARY zip)
mark_as_advanced(EDGEFW_ZIP_INCLUDE_DIR EDGEFW_ZIP_LIBRARY)
edgefw_require(EDGEFW_ZIP_INCLUDE_DIR "libzip (zip.h)" libzip-dev)
edgefw_require(EDGEFW_ZIP_LIBRARY "libzip (library)" libzip-dev)
add_library(edgefw_zip INTERFACE)
target_include_directories(edgefw_zip SYSTEM INTERFACE ${EDGEFW_ZIP_INCLUDE_DIR})
target_link_libraries(edgefw_zip INTERFACE ${EDGEFW_ZIP_LIBRARY})

# --- jansson --------------------------------------------------------------------------------------
if(PKG_CONFIG_FOUND)
  pkg_check_modules(EDGEFW_JANSSON_PKG QUIET jansson)
endif()
find_path(EDGEFW_JANSSON_INCLUDE_DIR jansson.h HINTS ${EDGEFW_JANSSON_PKG_INCLUDE_DIRS})
find_library(EDGEFW_JANSSON_LIBRARY jansson HINTS ${EDGEFW_JANSSON_PKG_LIBRARY_DIRS})
mark_as_advanced(EDGEFW_JANSSON_INCLUDE_DIR EDGEFW_JANSSON_LIBRARY)
edgefw_require(EDGEFW_JANSSON_INCLUDE_DIR "jansson (jansson.h)" libjansson-dev)
edgefw_require(EDGEFW_JANSSON_LIBRARY "jansson (library)" libjansson-dev)
add_library(edgefw_jansson INTERFACE)
target_include_directories(edgefw_jansson SYSTEM INTERFACE ${EDGEFW_JANSSON_INCLUDE_DIR})
target_link_libraries(edgefw_jansson INTERFACE ${EDGEFW_JANSSON_LIBRARY})

# --- zlib -----------------------------------------------------------------------------------------
find_package(ZLIB QUIET)
edgefw_require(ZLIB_FOUND "zlib" zlib1g-dev)

# --- OpenMP: optional, the core falls back to POSIX threads ----------------------------------------
# ThreadSanitizer does not understand libgomp's barriers, so it gets the fallback.
add_library(edgefw_openmp INTERFACE)
if(NOT EDGEFW_SANITIZE STREQUAL "thread")
  find_package(OpenMP QUIET COMPONENTS C)
  if(OpenMP_C_FOUND)
    target_link_libraries(edgefw_openmp INTERFACE OpenMP::OpenMP_C)
  endif()
endif()

# --- MPI: optional, for runs of several processes ---------------------------------------------------
set(EDGEFW_MPI_FOUND OFF)
if(NOT EDGEFW_MPI STREQUAL "OFF")
  find_package(MPI QUIET COMPONENTS C)
  set(EDGEFW_MPI_FOUND ${MPI_C_FOUND})
  if(EDGEFW_MPI STREQUAL "ON")
    edgefw_require(MPI_C_FOUND "MPI (EDGEFW_MPI=ON)" "libopenmpi-dev openmpi-bin")
  endif()
endif()

# --- BLAS and LAPACKE -----------------------------------------------------------------------------
set(EDGEFW_BLAS_LIBRARIES "" CACHE STRING
    "Libraries that hold CBLAS and LAPACKE (a list); empty: search, OpenBLAS first")
add_library(edgefw_blas INTERFACE)
if(EDGEFW_BLAS_LIBRARIES)
  target_link_libraries(edgefw_blas INTERFACE ${EDGEFW_BLAS_LIBRARIES})
  set(EDGEFW_BLAS_FOUND ${EDGEFW_BLAS_LIBRARIES})
else()
  if(NOT BLA_VENDOR)
    set(BLA_VENDOR OpenBLAS)
  endif()
  find_package(BLAS QUIET)
  if(BLAS_FOUND)
    target_link_libraries(edgefw_blas INTERFACE ${BLAS_LIBRARIES})
    set(EDGEFW_BLAS_FOUND ${BLAS_LIBRARIES})
  elseif(PKG_CONFIG_FOUND)
    pkg_check_modules(EDGEFW_OPENBLAS QUIET IMPORTED_TARGET openblas)
    if(EDGEFW_OPENBLAS_FOUND)
      target_link_libraries(edgefw_blas INTERFACE PkgConfig::EDGEFW_OPENBLAS)
      set(EDGEFW_BLAS_FOUND openblas)
    endif()
  endif()
  edgefw_require(EDGEFW_BLAS_FOUND "BLAS (vendor ${BLA_VENDOR})" libopenblas-dev)
  # Vendors put LAPACKE into the same library; Debian has it apart.
  find_library(EDGEFW_LAPACKE_LIBRARY lapacke)
  mark_as_advanced(EDGEFW_LAPACKE_LIBRARY)
  if(EDGEFW_LAPACKE_LIBRARY)
    target_link_libraries(edgefw_blas INTERFACE ${EDGEFW_LAPACKE_LIBRARY})
  endif()
endif()
find_path(EDGEFW_CBLAS_INCLUDE_DIR cblas.h PATH_SUFFIXES openblas mkl
          HINTS ${EDGEFW_OPENBLAS_INCLUDE_DIRS})
find_path(EDGEFW_LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES openblas
          HINTS ${EDGEFW_OPENBLAS_INCLUDE_DIRS})
mark_as_advanced(EDGEFW_CBLAS_INCLUDE_DIR EDGEFW_LAPACKE_INCLUDE_DIR)
edgefw_require(EDGEFW_CBLAS_INCLUDE_DIR "CBLAS (cblas.h)" libopenblas-dev)
edgefw_require(EDGEFW_LAPACKE_INCLUDE_DIR "LAPACKE (lapacke.h)" liblapacke-dev)
target_include_directories(edgefw_blas SYSTEM INTERFACE ${EDGEFW_CBLAS_INCLUDE_DIR}
                                                        ${EDGEFW_LAPACKE_INCLUDE_DIR})
