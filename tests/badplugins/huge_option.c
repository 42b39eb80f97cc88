/* Refused: it claims options of 1 TiB each, so the second one would lie far outside of memory. */
#include "descriptor.h"

static const edgefw_option options[] = {
    {.key = "a", .type = EDGEFW_OPTION_INT, .fallback = "1", .help = "a key"}, {0}};

DESCRIPTOR_OPTIONS("huge_option", EDGEFW_ABI_MAJOR, EDGEFW_ABI_MINOR, EDGEFW_KIND_TERM,
                   (size_t)1 << 40, options);
