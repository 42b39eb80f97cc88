/* Stage member: a name that no configuration could hold. */
#include "descriptor.h"

DESCRIPTOR("Bad Name", EDGEFW_ABI_MAJOR, EDGEFW_ABI_MINOR, EDGEFW_KIND_TERM);
