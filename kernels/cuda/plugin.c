/* What this device exports. */
#include "edgefw/plugin.h"
#include "edgefw/kernels.h"

extern const edgefw_kernels edgefw__cuda_kernels; /* device.cu */

EDGEFW_PLUGIN(EDGEFW_KIND_DEVICE, EDGEFW_CUDA_DEVICE_NAME, "1.0.0", EDGEFW_CUDA_DEVICE_SUMMARY,
              &edgefw__cuda_kernels, NULL);
