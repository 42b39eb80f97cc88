/* Stage kind: a kind that does not exist. */
#include "descriptor.h"

DESCRIPTOR("wrong_kind", EDGEFW_ABI_MAJOR, EDGEFW_ABI_MINOR, 99);
