/* Stage member: the vtable is too short to hold what is required. */
#include <edgefw/edgefw.h>

static const size_t vtable = sizeof(size_t);

EDGEFW_PLUGIN(EDGEFW_KIND_TERM, "short_vtable", "1.0", "a fixture", &vtable, NULL);
