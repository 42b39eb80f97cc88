/* Stage abi: built for the next major ABI. */
#include "descriptor.h"

DESCRIPTOR("newer_major", EDGEFW_ABI_MAJOR + 1, 0, EDGEFW_KIND_TERM);
