/* Operations that are not there yet. */
#include "device.cuh"
#define PENDING(name, args)                                                                        \
  edgefw_status edgefw__cuda_##name(edgefw_device *device, const args *) {                         \
    return edgefw_fail(device->ctx, EDGEFW_UNSUPPORTED, "device cuda: no " #name " yet");          \
  }
PENDING(decode, edgefw_decode_args)
size_t edgefw__cuda_decode_scratch(const edgefw_decode_args *) {
  return 0;
}
