/* Members of a vtable (edgefw_kernels) for devices that work in the host's memory. */
#ifndef EDGEFW_KERNELS_SHARED_MEMORY_H
#define EDGEFW_KERNELS_SHARED_MEMORY_H

#include <string.h>

#include "edgefw/kernels.h"

static void *allocate(edgefw_device *device, size_t bytes, const char *what) {
  return edgefw_allocate(device->ctx, bytes, 1, what);
}

static void release(edgefw_device *device, void *memory) {
  edgefw_release(device->ctx, memory);
}

static void zero(edgefw_device *device, void *memory, size_t bytes) {
  (void)device;
  memset(memory, 0, bytes);
}

#endif
