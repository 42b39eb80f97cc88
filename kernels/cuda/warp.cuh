/* Reductions over a warp and a block, always in the same order. All lanes take part and all get the
 * result. */
#ifndef EDGEFW_CUDA_WARP_CUH
#define EDGEFW_CUDA_WARP_CUH

#include "runtime.cuh"

template <typename T> static __device__ __forceinline__ T warp_sum(T x) {
#pragma unroll
  for (int step = WARP_LANES / 2; step > 0; step /= 2) x += __shfl_xor_sync(FULL_WARP, x, step);
  return x;
}

template <typename T> static __device__ __forceinline__ T warp_max(T x) {
#pragma unroll
  for (int step = WARP_LANES / 2; step > 0; step /= 2) {
    const T other = __shfl_xor_sync(FULL_WARP, x, step);
    x = other > x ? other : x;
  }
  return x;
}

template <typename T> static __device__ __forceinline__ T warp_min(T x) {
#pragma unroll
  for (int step = WARP_LANES / 2; step > 0; step /= 2) {
    const T other = __shfl_xor_sync(FULL_WARP, x, step);
    x = other < x ? other : x;
  }
  return x;
}

/* Sum over the lanes up to and including this one. */
template <typename T> static __device__ __forceinline__ T warp_prefix_sum(T x) {
  const unsigned lane = threadIdx.x % WARP_LANES;
#pragma unroll
  for (unsigned step = 1; step < WARP_LANES; step *= 2) {
    const T before = __shfl_up_sync(FULL_WARP, x, step);
    if (lane >= step) x += before;
  }
  return x;
}

/* The largest value and where it is, the least index on a tie. */
typedef struct largest {
  float value;
  int at;
} largest;

static __device__ __forceinline__ largest larger(largest x, largest y) {
  return y.value > x.value || (y.value == x.value && y.at < x.at) ? y : x;
}

static __device__ __forceinline__ largest warp_largest(largest x) {
#pragma unroll
  for (int step = WARP_LANES / 2; step > 0; step /= 2) {
    largest other;
    other.value = __shfl_xor_sync(FULL_WARP, x.value, step);
    other.at = __shfl_xor_sync(FULL_WARP, x.at, step);
    x = larger(x, other);
  }
  return x;
}

/* Over the block, through `parts` in shared memory (one T for each of at most 32 warps). Ends with
 * a barrier, so that `parts` may be used again. */
template <typename T> static __device__ __forceinline__ T block_sum(T x, T *parts) {
  const unsigned warp = threadIdx.x / WARP_LANES, warps = blockDim.x / WARP_LANES;
  x = warp_sum(x);
  if (threadIdx.x % WARP_LANES == 0) parts[warp] = x;
  __syncthreads();
  T total = (T)0;
  for (unsigned w = 0; w < warps; ++w) total += parts[w];
  __syncthreads();
  return total;
}

template <typename T> static __device__ __forceinline__ T block_max(T x, T *parts) {
  const unsigned warp = threadIdx.x / WARP_LANES, warps = blockDim.x / WARP_LANES;
  x = warp_max(x);
  if (threadIdx.x % WARP_LANES == 0) parts[warp] = x;
  __syncthreads();
  T most = parts[0];
  for (unsigned w = 1; w < warps; ++w) most = parts[w] > most ? parts[w] : most;
  __syncthreads();
  return most;
}

#endif
