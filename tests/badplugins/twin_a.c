/* Stage clash: one of two plugins of the same kind and name. */
#include "descriptor.h"

DESCRIPTOR("twin", EDGEFW_ABI_MAJOR, EDGEFW_ABI_MINOR, EDGEFW_KIND_TERM);
