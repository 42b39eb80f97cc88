/* Products of 16 x 8 by 8 x 8 tiles on the tensor cores, one tile per warp, accumulated in float:
 * C (16,8) += A (16,8) B (8,8). Operands are floats in shared or global memory, rounded as they are
 * loaded; PRECISION is an edgefw_precision. FP32 splits each factor in two TF32 numbers and leaves
 * the product of the small parts out: relative error about 1e-6.
 *
 * Sums are rounded toward zero (Fasi, Higham, Mikaitis and Pranesh, Numerical behavior of NVIDIA
 * tensor cores, 2021), which the emulator repeats; add_tiles is for sums over very many rows.
 *
 * Which numbers a lane holds (g = lane / 4, t = lane % 4; PTX ISA, "Matrix Fragments for
 * mma.m16n8k8"):
 *   A: rows g and g + 8, columns t and t + 4 (BF16: 2t and 2t + 1)
 *   B: rows t and t + 4 (BF16: 2t and 2t + 1), column g
 *   C: [0] (g, 2t), [1] (g, 2t+1), [2] (g+8, 2t), [3] (g+8, 2t+1) */
#ifndef EDGEFW_CUDA_MMA_CUH
#define EDGEFW_CUDA_MMA_CUH

#include "edgefw/kernels.h"
#include "runtime.cuh"

template <int PRECISION> struct tile_a { uint32_t high[4], low[4]; /* low: FP32 only */ };
template <int PRECISION> struct tile_b { uint32_t high[2], low[2]; };

/* --- The instructions; those of the emulator are its own --- */

#ifndef EDGEFW_CUDA_EMULATED
static __device__ __forceinline__ uint32_t to_tf32(float x) {
  uint32_t bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}

/* Two numbers to bf16, `first` in the low half. */
static __device__ __forceinline__ uint32_t to_bf16x2(float first, float second) {
  uint32_t bits;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(bits) : "f"(second), "f"(first));
  return bits;
}

static __device__ __forceinline__ void mma_tf32(float c[4], const uint32_t a[4],
                                                const uint32_t b[2]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

static __device__ __forceinline__ void mma_bf16(float c[4], const uint32_t a[2],
                                                const uint32_t b[1]) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
               "{%0,%1,%2,%3};\n"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}
#endif

/* --- Tiles from functions: x(row, k) and y(k, column) give an entry, 0 beyond the operand --- */

template <int PRECISION, typename ENTRY>
static __device__ __forceinline__ tile_a<PRECISION> tile_a_from(ENTRY x) {
  const int lane = (int)(threadIdx.x % WARP_LANES), g = lane / 4, t = lane % 4;
  tile_a<PRECISION> tile = {};
  if constexpr (PRECISION == EDGEFW_PRECISION_BF16) {
    tile.high[0] = to_bf16x2(x(g, 2 * t), x(g, 2 * t + 1));
    tile.high[1] = to_bf16x2(x(g + 8, 2 * t), x(g + 8, 2 * t + 1));
  } else {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const float value = x(g + 8 * (e % 2), t + 4 * (e / 2));
      tile.high[e] = to_tf32(value);
      if constexpr (PRECISION == EDGEFW_PRECISION_FP32)
        tile.low[e] = to_tf32(value - __uint_as_float(tile.high[e]));
    }
  }
  return tile;
}

template <int PRECISION, typename ENTRY>
static __device__ __forceinline__ tile_b<PRECISION> tile_b_from(ENTRY y) {
  const int lane = (int)(threadIdx.x % WARP_LANES), g = lane / 4, t = lane % 4;
  tile_b<PRECISION> tile = {};
  if constexpr (PRECISION == EDGEFW_PRECISION_BF16) {
    tile.high[0] = to_bf16x2(y(2 * t, g), y(2 * t + 1, g));
  } else {
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      const float value = y(t + 4 * e, g);
      tile.high[e] = to_tf32(value);
      if constexpr (PRECISION == EDGEFW_PRECISION_FP32)
        tile.low[e] = to_tf32(value - __uint_as_float(tile.high[e]));
    }
  }
  return tile;
}

/* B of numbers that are bf16 already: y(pair, column) gives k = 2 pair in the low half of a word
 * and k = 2 pair + 1 in the high one. */
template <typename PAIR>
static __device__ __forceinline__ tile_b<EDGEFW_PRECISION_BF16> tile_b_from_pairs(PAIR y) {
  const int lane = (int)(threadIdx.x % WARP_LANES);
  tile_b<EDGEFW_PRECISION_BF16> tile = {};
  tile.high[0] = y(lane % 4, lane / 4);
  return tile;
}

/* Row and column, within C's 16 x 8, of entry e = 0 .. 3 of this lane. */
static __device__ __forceinline__ int tile_row(int e) {
  return (int)(threadIdx.x % WARP_LANES) / 4 + 8 * (e / 2);
}

static __device__ __forceinline__ int tile_column(int e) {
  return 2 * ((int)(threadIdx.x % WARP_LANES) % 4) + e % 2;
}

/* Largest and sum over the four lanes that share a row of C. */
static __device__ __forceinline__ float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(FULL_WARP, x, 1));
  return fmaxf(x, __shfl_xor_sync(FULL_WARP, x, 2));
}

static __device__ __forceinline__ float row_sum(float x) {
  x += __shfl_xor_sync(FULL_WARP, x, 1);
  return x + __shfl_xor_sync(FULL_WARP, x, 2);
}

/* C += A B */
template <int PRECISION>
static __device__ __forceinline__ void tile_multiply(float c[4], const tile_a<PRECISION> &a,
                                                     const tile_b<PRECISION> &b) {
  if constexpr (PRECISION == EDGEFW_PRECISION_BF16) {
    mma_bf16(c, a.high, b.high);
  } else {
    if constexpr (PRECISION == EDGEFW_PRECISION_FP32) {
      mma_tf32(c, a.low, b.high);
      mma_tf32(c, a.high, b.low);
    }
    mma_tf32(c, a.high, b.high);
  }
}

/* sum += tiles, each entry rounded to nearest. */
template <int TILES>
static __device__ __forceinline__ void add_tiles(float (&sum)[TILES][4],
                                                 const float (&tiles)[TILES][4]) {
#pragma unroll
  for (int t = 0; t < TILES; ++t)
#pragma unroll
    for (int e = 0; e < 4; ++e) sum[t][e] += tiles[t][e];
}

#endif
