/* Stage member: the one function that a backbone must have is missing. */
#include <edgefw/edgefw.h>

static const edgefw_backbone backbone = {.size = sizeof backbone};

EDGEFW_PLUGIN(EDGEFW_KIND_BACKBONE, "null_member", "1.0", "a fixture", &backbone, NULL);
