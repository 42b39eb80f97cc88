/* The version of the library that is loaded. */
#include "edgefw/solver.h"

const char *edgefw_version(void) {
  return EDGEFW_VERSION;
}
