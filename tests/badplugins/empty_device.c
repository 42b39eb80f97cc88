/* Stage member: a device without a single operation. */
#include <edgefw/edgefw.h>
#include <edgefw/kernels.h>

static const edgefw_kernels kernels = {.size = sizeof kernels, .dtype = EDGEFW_F32};

EDGEFW_PLUGIN(EDGEFW_KIND_DEVICE, "empty_device", "1.0", "a fixture", &kernels, NULL);
