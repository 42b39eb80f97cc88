/* What the files of this device share: its state, scratch memory, and BLAS calls in short form. */
#ifndef EDGEFW__CPU_INTERNAL_H
#define EDGEFW__CPU_INTERNAL_H

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "bf16_unit.h"
#include "edgefw/kernels.h"
#include "edgefw/rng.h"
#include "shared/parallel.h"

#define CPU_MAX_THREADS 1024

/* One growing block; kept between calls, so that a training loop stops allocating. */
typedef struct cpu_block {
  void *memory;
  size_t bytes;
} cpu_block;

struct edgefw_device {
  edgefw_context *ctx;
  const edgefw_kernels *variant;      /* operations for this machine's instruction set */
  bf16_unit bf16_best;                /* what multiplies in BF16 here */
  bf16_unit bf16;                     /* ... at present: OFF in FP32 */
  cpu_block scratch[CPU_MAX_THREADS]; /* one per thread */
  cpu_block shared;                   /* partial results that are reduced in order */
  char description[160];
};

/* Hands out pieces of a block; with memory NULL it only adds up what they take. */
typedef struct cpu_layout {
  char *memory;
  size_t used;
} cpu_layout;

static inline void *cpu_take(cpu_layout *layout, int64_t count, size_t size) {
  void *piece = layout->memory ? layout->memory + layout->used : NULL;
  layout->used += ((size_t)count * size + 63) / 64 * 64;
  return piece;
}

static inline float *cpu_take_floats(cpu_layout *layout, int64_t count) {
  return cpu_take(layout, count, sizeof(float));
}

/* At least `bytes` in the block, contents undefined; NULL with a recorded failure. (device.c) */
void *edgefw__cpu_reserve(edgefw_device *device, cpu_block *block, size_t bytes, const char *what);

/* At least `bytes` of scratch for every thread, before they start: a thread that comes late to its
 * first work must not allocate then. (device.c) */
EDGEFW_NODISCARD edgefw_status edgefw__cpu_reserve_scratch(edgefw_device *device, size_t bytes,
                                                           const char *what);

/* As PARALLEL_STATUS, with scratch memory for each thread: NAME_one(device, args, i, &layout).
 * BYTES, in terms of the arguments `a`, is what that takes; WHAT names it where there is not so
 * much. */
#define PARALLEL_SCRATCH(name, arguments, count, bytes, what)                                      \
  static edgefw_status name##_task(void *user, int64_t i, int thread) {                            \
    const parallel_call *call = user;                                                              \
    cpu_layout layout = {call->device->scratch[thread].memory, 0};                                 \
    return name##_one(call->device, call->args, i, &layout);                                       \
  }                                                                                                \
  static edgefw_status name(edgefw_device *device, const arguments *a) {                           \
    parallel_call call = {device, a};                                                              \
    const edgefw_status status = edgefw__cpu_reserve_scratch(device, bytes, what);                 \
    if (status != EDGEFW_OK) return status;                                                        \
    return edgefw_parallel(device->ctx, count, name##_task, &call);                                \
  }

/* Blocks of so many of `total` things, and the end of block `index`. */
static inline int64_t blocks_of(int64_t total, int64_t block) {
  return (total + block - 1) / block;
}

static inline int64_t block_end(int64_t index, int64_t block, int64_t total) {
  return (index + 1) * block < total ? (index + 1) * block : total;
}

/* Keep BLAS on the calling thread: edgefw is parallel over instances. Its name for describe, into
 * `name`. (blas.c) */
void edgefw__cpu_blas_setup(char *name, size_t size);

/* C (m,n) = alpha A B^T + beta C, A B and A^T B; leading dimensions are row strides. */
static inline void gemm_nt(int64_t m, int64_t n, int64_t k, float alpha, const float *a,
                           int64_t lda, const float *b, int64_t ldb, float beta, float *c,
                           int64_t ldc) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)k, alpha, a, (int)lda,
              b, (int)ldb, beta, c, (int)ldc);
}

static inline void gemm_nn(int64_t m, int64_t n, int64_t k, float alpha, const float *a,
                           int64_t lda, const float *b, int64_t ldb, float beta, float *c,
                           int64_t ldc) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)n, (int)k, alpha, a, (int)lda,
              b, (int)ldb, beta, c, (int)ldc);
}

static inline void gemm_tn(int64_t m, int64_t n, int64_t k, float alpha, const float *a,
                           int64_t lda, const float *b, int64_t ldb, float beta, float *c,
                           int64_t ldc) {
  cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)m, (int)n, (int)k, alpha, a, (int)lda,
              b, (int)ldb, beta, c, (int)ldc);
}

#endif
