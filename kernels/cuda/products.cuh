/* Matrix products inside fused kernels, on the tiles of mma.cuh. */
#ifndef EDGEFW_CUDA_PRODUCTS_CUH
#define EDGEFW_CUDA_PRODUCTS_CUH

#include "mma.cuh"

/* A sum over k may run in any order. To use a product's C (16,8) as the A (16,8) of the next one
 * without moving numbers between lanes, its column `product_column(k)` is taken as column k; rows
 * of B are then to be taken in that order too. */
template <int PRECISION> static __device__ __forceinline__ int product_column(int k) {
  if constexpr (PRECISION == EDGEFW_PRECISION_BF16) return k;
  return k < 4 ? 2 * k : 2 * (k - 4) + 1;
}

template <int PRECISION>
static __device__ __forceinline__ tile_a<PRECISION> tile_a_of_product(const float c[4]) {
  tile_a<PRECISION> tile = {};
  if constexpr (PRECISION == EDGEFW_PRECISION_BF16) {
    tile.high[0] = to_bf16x2(c[0], c[1]);
    tile.high[1] = to_bf16x2(c[2], c[3]);
  } else {
    const float order[4] = {c[0], c[2], c[1], c[3]};
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      tile.high[e] = to_tf32(order[e]);
      if constexpr (PRECISION == EDGEFW_PRECISION_FP32)
        tile.low[e] = to_tf32(order[e] - __uint_as_float(tile.high[e]));
    }
  }
  return tile;
}

#endif
