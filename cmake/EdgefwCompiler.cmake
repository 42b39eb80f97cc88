# Warnings (target edgefw_warnings) and sanitizers (the whole build).
set(EDGEFW_C_WARNINGS
    -Wall
    -Wextra
    -Wpedantic
    -Wshadow
    -Wconversion
    -Wno-sign-conversion
    -Wdouble-promotion
    -Wstrict-prototypes
    -Wmissing-prototypes
    -Wcast-qual
    -Wvla
    -Wundef
    # clang would refuse the {NULL} that ends a table.
    $<$<C_COMPILER_ID:Clang,AppleClang>:-Wno-missing-field-initializers>
    # gcc knows fewer ranges in instrumented code, and then doubts every buffer.
    $<$<AND:$<C_COMPILER_ID:GNU>,$<BOOL:${EDGEFW_SANITIZE}>>:-Wno-format-truncation>
    $<$<BOOL:${EDGEFW_WERROR}>:-Werror>)
add_library(edgefw_warnings INTERFACE)
target_compile_options(edgefw_warnings INTERFACE "$<$<COMPILE_LANGUAGE:C>:${EDGEFW_C_WARNINGS}>")

if(EDGEFW_SANITIZE STREQUAL "address")
  set(EDGEFW_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=all
                            -fno-omit-frame-pointer)
elseif(EDGEFW_SANITIZE STREQUAL "thread")
  set(EDGEFW_SANITIZE_FLAGS -fsanitize=thread -fno-omit-frame-pointer)
elseif(EDGEFW_SANITIZE)
  message(FATAL_ERROR "EDGEFW_SANITIZE is '${EDGEFW_SANITIZE}'; expected address or thread")
endif()
if(EDGEFW_SANITIZE)
  add_compile_options(${EDGEFW_SANITIZE_FLAGS})
  add_link_options(${EDGEFW_SANITIZE_FLAGS})
  # The plugin loader then never closes a plugin, so that reports can still name its functions.
  add_compile_definitions(EDGEFW_SANITIZE=1)
endif()

# Drivers in tests/fuzz are led by what the code does; without it they change files blindly.
option(EDGEFW_FUZZER "Build the fuzz drivers with libFuzzer (clang)" OFF)
if(EDGEFW_FUZZER)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "EDGEFW_FUZZER needs clang; the compiler is ${CMAKE_C_COMPILER_ID}")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
