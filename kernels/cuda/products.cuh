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

/* The block's product of left (rows,inner) and right (inner,columns), given as functions of their
 * two indices. Warps take turns at pieces of 16 x 8 * TILES: finish(row, column, sum) gets one that
 * begins there, each lane its entries (tile_row(e), 8 * t + tile_column(e)); some of them may lie
 * beyond the result. */
template <int PRECISION, int TILES, typename LEFT, typename RIGHT, typename FINISH>
static __device__ __forceinline__ void block_product(int rows, int columns, int inner, LEFT left,
                                                     RIGHT right, FINISH finish) {
  const int across = (columns + 8 * TILES - 1) / (8 * TILES), down = (rows + 15) / 16;
  const int warps = (int)(blockDim.x / WARP_LANES);
  for (int piece = (int)(threadIdx.x / WARP_LANES); piece < down * across; piece += warps) {
    const int row = piece / across * 16, column = piece % across * 8 * TILES;
    float sum[TILES][4] = {};
    for (int k = 0; k < inner; k += 8) {
      const auto a = tile_a_from<PRECISION>([&](int r, int c) {
        return row + r < rows && k + c < inner ? left(row + r, k + c) : 0.0f;
      });
#pragma unroll
      for (int t = 0; t < TILES; ++t) {
        const auto b = tile_b_from<PRECISION>([&](int r, int c) {
          const int at = column + 8 * t + c;
          return k + r < inner && at < columns ? right(k + r, at) : 0.0f;
        });
        tile_multiply<PRECISION>(sum[t], a, b);
      }
    }
    finish(row, column, sum);
  }
}

/* The same, where each entry is stored on its own: store(row, column, value). */
template <int PRECISION, int TILES, typename LEFT, typename RIGHT, typename STORE>
static __device__ __forceinline__ void block_product_entries(int rows, int columns, int inner,
                                                             LEFT left, RIGHT right, STORE store) {
  block_product<PRECISION, TILES>(
      rows, columns, inner, left, right, [&](int row, int column, const float(&sum)[TILES][4]) {
#pragma unroll
        for (int t = 0; t < TILES; ++t)
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            const int i = row + tile_row(e), j = column + 8 * t + tile_column(e);
            if (i < rows && j < columns) store(i, j, sum[t][e]);
          }
      });
}

#endif
