/* The BLAS library's choice of kernels. OpenBLAS knows processors by their number: one that is
 * newer than the library gets kernels of 2004, several times slower than those that it could run.
 * The environment variable OPENBLAS_CORETYPE, which is read when the library is loaded, says
 * otherwise.
 */
#ifndef EDGEFW__BLAS_CORE_H
#define EDGEFW__BLAS_CORE_H

#include <stdbool.h>

/* The value of OPENBLAS_CORETYPE for a processor with these instruction sets, if `chosen`, the
 * library's own choice, is one of processors that lack them. NULL: it is fine, or not known.
 * Static.
 */
const char *edgefw__blas_core_for(const char *chosen, bool avx2, bool avx512);

/* The same for this machine and the OpenBLAS that the device cpu would load; NULL also where there
 * is none, and where the variable is set. It opens the library for a moment (some 3 ms). */
const char *edgefw__blas_core_missed(void);

#endif
