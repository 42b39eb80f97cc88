/* Stage abi: built for the last ABI whose members lay in another order. */
#include "descriptor.h"

DESCRIPTOR("older_major", 1, 3, EDGEFW_KIND_TERM);
