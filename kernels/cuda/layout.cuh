/* Cuts one block of scratch into arrays, each aligned to 256 bytes; without a base it only adds up
 * what they take. */
#ifndef EDGEFW_CUDA_LAYOUT_CUH
#define EDGEFW_CUDA_LAYOUT_CUH

#include "runtime.cuh"

typedef struct cuda_layout {
  char *base;
  size_t used;
} cuda_layout;

template <typename T> static void take(cuda_layout *layout, int64_t count, T **out) {
  *out = layout->base && count > 0 ? (T *)(layout->base + layout->used) : NULL;
  layout->used += ((size_t)count * sizeof(T) + 255) / 256 * 256;
}

#endif
