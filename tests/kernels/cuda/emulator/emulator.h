/* CUDA on the host, for tests: the part of the run-time and of the device functions that
 * kernels/cuda uses. Blocks of a launch run one after another; the threads of a block are fibers of
 * the calling thread that change places at barriers and collectives.
 *
 * What it finds: a barrier that not all threads reach and a collective that not the whole warp
 * takes part in (both end the process with a message); reads of shared or device memory that
 * nothing wrote (it begins as NaN); overruns of either (under AddressSanitizer); and missing
 * barriers, since EDGEFW_EMULATOR_ORDER = forward (the default), reverse or shuffle decides in
 * which order threads run between two barriers. EDGEFW_EMULATOR_MEMORY limits device memory to so
 * many bytes. */
#ifndef EDGEFW_CUDA_EMULATOR_H
#define EDGEFW_CUDA_EMULATOR_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <functional>

/* --- Language --- */
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define NOT_INLINE       __attribute__((noinline, unused))

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
static inline float4 make_float4(float x, float y, float z, float w) {
  return float4{x, y, z, w};
}

namespace emulator {

struct position {
  dim3 thread, block, threads, blocks;
};

/* Of the running fiber. */
const position &here(void);
unsigned char *shared_memory(void);
void synchronize_block(void);
void synchronize_warp(void);
/* Every lane gives `bytes` (at most 64) and gets a pointer to what all 32 gave, 64 bytes apart. It
 * stays valid until the lane's next collective. */
const unsigned char *gather(const void *given, size_t bytes);
void async_copy(void *shared, const void *global, size_t bytes);
void async_commit(void);
void async_wait(int groups);

void launch(dim3 grid, unsigned threads, size_t shared, const std::function<void()> &kernel);

} // namespace emulator

#define threadIdx (emulator::here().thread)
#define blockIdx  (emulator::here().block)
#define blockDim  (emulator::here().threads)
#define gridDim   (emulator::here().blocks)

/* --- Barriers and collectives --- */
static inline void __syncthreads(void) {
  emulator::synchronize_block();
}
static inline void __syncwarp(unsigned = 0xffffffffu) {
  emulator::synchronize_warp();
}

template <typename T> static inline T emulator_shuffle(T value, unsigned lane) {
  T result;
  memcpy(&result, emulator::gather(&value, sizeof value) + 64 * (lane & 31u), sizeof result);
  return result;
}
template <typename T> static inline T __shfl_sync(unsigned, T value, int lane) {
  return emulator_shuffle(value, (unsigned)lane);
}
template <typename T> static inline T __shfl_xor_sync(unsigned, T value, int mask) {
  return emulator_shuffle(value, (threadIdx.x % 32u) ^ (unsigned)mask);
}
template <typename T> static inline T __shfl_up_sync(unsigned, T value, unsigned delta) {
  const unsigned lane = threadIdx.x % 32u;
  return emulator_shuffle(value, lane >= delta ? lane - delta : lane);
}
static inline unsigned __ballot_sync(unsigned, int predicate) {
  const unsigned char *all = emulator::gather(&predicate, sizeof predicate);
  unsigned bits = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    int value;
    memcpy(&value, all + 64 * lane, sizeof value);
    bits |= (value != 0 ? 1u : 0u) << lane;
  }
  return bits;
}
static inline int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}

/* --- Device functions --- */
/* Macros: the C library declares functions of these names. */
#define __expf(x) expf(x)
static inline float rsqrtf(float x) {
  return 1.0f / sqrtf(x);
}
static inline unsigned __float_as_uint(float x) {
  unsigned bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline float __uint_as_float(unsigned bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
static inline int __ffs(int x) {
  return __builtin_ffs(x);
}
static inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz((unsigned)x);
}
template <typename T> static inline T min(T x, T y) {
  return y < x ? y : x;
}
template <typename T> static inline T max(T x, T y) {
  return x < y ? y : x;
}

/* --- What runtime.cuh and mma.cuh write in PTX --- */
template <typename T> static inline T *shared_memory(void) {
  return (T *)emulator::shared_memory();
}
static inline void async_copy16(void *shared, const void *global) {
  emulator::async_copy(shared, global, 16);
}
static inline void async_commit(void) {
  emulator::async_commit();
}
template <int N> static inline void async_wait(void) {
  emulator::async_wait(N);
}

static inline uint32_t to_tf32(float x) {
  if (x != x) return 0x7fffffffu;
  return (__float_as_uint(x) + 0x1000u) & ~0x1fffu; /* to nearest, ties away from zero */
}
static inline uint32_t emulator_bf16(float x) {
  const uint32_t bits = __float_as_uint(x);
  return x != x ? 0x7fffu : (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
}
static inline uint32_t to_bf16x2(float first, float second) {
  return emulator_bf16(first) | emulator_bf16(second) << 16;
}

/* Products of tiles, as the tensor cores make them. (emulator.cc) */
void mma_tf32(float c[4], const uint32_t a[4], const uint32_t b[2]);
void mma_bf16(float c[4], const uint32_t a[2], const uint32_t b[1]);

/* --- Run-time --- */
typedef enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2
} cudaError_t;
typedef struct emulated_stream *cudaStream_t;
typedef enum cudaMemcpyKind {
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3
} cudaMemcpyKind;

cudaError_t emulated_malloc(void **out, size_t bytes);
template <typename T> static inline cudaError_t cudaMalloc(T **out, size_t bytes) {
  return emulated_malloc((void **)out, bytes);
}
cudaError_t cudaFree(void *memory);
cudaError_t cudaMallocHost(void **out, size_t bytes);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream);
static inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
static inline cudaError_t cudaGetLastError(void) {
  return cudaSuccess;
}
const char *cudaGetErrorString(cudaError_t error);

#endif
