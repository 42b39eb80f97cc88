/* Asks OpenBLAS for its choice and the processor for its instruction sets. */
#include "plugin/blas_core.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libopenblas.so.0"

const char *edgefw__blas_core_for(const char *chosen, bool avx2, bool avx512) {
  /* Kernels without AVX2; all others were made with the processor in view. */
  static const char *const old[] = {"Prescott", "Core2",     "Penryn",    "Dunnington", "Nehalem",
                                    "Atom",     "Opteron",   "Barcelona", "Bobcat",     "Nano",
                                    "Katmai",   "Northwood", "Banias",    "Generic",    "Unknown"};
  if (!chosen || !avx2) return NULL;
  for (size_t i = 0; i < sizeof old / sizeof *old; ++i)
    if (strcmp(chosen, old[i]) == 0) return avx512 ? "SkylakeX" : "Haswell";
  return NULL;
}

#ifdef __x86_64__
static bool has_avx2(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#else
static bool has_avx2(void) {
  return false;
}

static bool has_avx512(void) {
  return false;
}
#endif

const char *edgefw__blas_core_missed(void) {
  if (!has_avx2() || getenv("OPENBLAS_CORETYPE")) return NULL;
  void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
  if (!library) return NULL;
  char *(*core)(void) = NULL;
  *(void **)(void *)&core = dlsym(library, "openblas_get_corename");
  const char *better = core ? edgefw__blas_core_for(core(), true, has_avx512()) : NULL;
  (void)dlclose(library);
  return better;
}
