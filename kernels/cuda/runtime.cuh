/* What CUDA sources are written against: the CUDA run-time, or its emulation on the host, which
 * runs the same kernels in the tests (tests/kernels/cuda/emulator). And the few things that the two
 * spell differently: launching, shared memory, asynchronous copies. */
#ifndef EDGEFW_CUDA_RUNTIME_CUH
#define EDGEFW_CUDA_RUNTIME_CUH

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <tuple>
#include <type_traits>

#ifdef EDGEFW_CUDA_EMULATED
#include "emulator.h"
#else
#include <cuda_runtime.h>

/* A device function that is called: for the large parts of a kernel, which would together want more
 * registers than each of them. (__noinline__ is a word of the host's headers.) */
#define NOT_INLINE __noinline__ __attribute__((unused))

/* The block's dynamic shared memory, which every kernel cuts up itself; aligned to 16 bytes. */
template <typename T> static __device__ __forceinline__ T *shared_memory(void) {
  extern __shared__ __align__(16) unsigned char edgefw_shared[];
  return (T *)edgefw_shared;
}

/* Asynchronous copies, global to shared memory: 16 bytes, both sides aligned; committed in groups;
 * async_wait<N> returns when all but the last N groups of this thread have arrived (then
 * synchronise the block before others read them). */
static __device__ __forceinline__ void async_copy16(void *shared, const void *global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(
                   (unsigned)__cvta_generic_to_shared(shared)),
               "l"(global)
               : "memory");
}

static __device__ __forceinline__ void async_commit(void) {
  asm volatile("cp.async.commit_group;\n" ::: "memory");
}

template <int N> static __device__ __forceinline__ void async_wait(void) {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}
#endif

#define WARP_LANES 32
#define FULL_WARP  0xffffffffu

typedef struct launch_shape {
  dim3 grid;
  unsigned threads; /* of a block: a multiple of 32 */
  size_t shared;    /* bytes of dynamic shared memory */
} launch_shape;

/* Queues kernel(args...) on a stream; arguments are converted to the kernel's own types. */
template <typename... P, typename... A>
static inline cudaError_t launch_on(cudaStream_t stream, void (*kernel)(P...), launch_shape shape,
                                    A... args) {
  std::tuple<P...> values{(P)args...};
#ifdef EDGEFW_CUDA_EMULATED
  (void)stream;
  emulator::launch(shape.grid, shape.threads, shape.shared, [&] { std::apply(kernel, values); });
  return cudaSuccess;
#else
  if (shape.shared > 48 * 1024) {
    const cudaError_t error = cudaFuncSetAttribute(
        (const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shape.shared);
    if (error != cudaSuccess) return error;
  }
  return std::apply(
      [&](auto &...value) {
        void *pointers[] = {(void *)&value..., nullptr};
        return cudaLaunchKernel((const void *)kernel, shape.grid, dim3(shape.threads), pointers,
                                shape.shared, stream);
      },
      values);
#endif
}

#endif
