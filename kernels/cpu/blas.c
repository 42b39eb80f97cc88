/* The BLAS behind the device: one thread each, whatever library it is. The setters are weak
 * references, so that any CBLAS links. */
#include <stdio.h>

#include "internal.h"

#if defined(__GNUC__)
#define WEAK __attribute__((weak))
#else
#define WEAK
#endif

extern WEAK void openblas_set_num_threads(int threads);
extern WEAK char *openblas_get_config(void);
extern WEAK void MKL_Set_Num_Threads(int threads);
extern WEAK void bli_thread_set_num_threads(long threads);

void edgefw__cpu_blas_setup(char *name, size_t size) {
  snprintf(name, size, "CBLAS");
  if (openblas_set_num_threads) {
    openblas_set_num_threads(1);
    if (openblas_get_config) snprintf(name, size, "%s", openblas_get_config());
  } else if (MKL_Set_Num_Threads) {
    MKL_Set_Num_Threads(1);
    snprintf(name, size, "MKL");
  } else if (bli_thread_set_num_threads) {
    bli_thread_set_num_threads(1);
    snprintf(name, size, "BLIS");
  }
}
