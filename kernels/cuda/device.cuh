/* What the files of this device share: its state, scratch memory, launching with a status, and the
 * operations that make up its vtable. */
#ifndef EDGEFW_CUDA_DEVICE_CUH
#define EDGEFW_CUDA_DEVICE_CUH

#include "edgefw/kernels.h"
#include "runtime.cuh"
#include "shapes.h"

/* Scratch memory by purpose. Two that are in use at the same time must be different ones. */
enum {
  CUDA_SCRATCH_STAGING = 0, /* what is uploaded or downloaded */
  CUDA_SCRATCH_PARTS,       /* partial sums that are reduced in order */
  CUDA_SCRATCH_WORK,        /* an operation's own */
  CUDA_SCRATCH_MORE,
  CUDA_SCRATCH_SAVED,     /* what decode's forward leaves to its backward */
  CUDA_SCRATCH_LOGITS,    /* folded weights of a decode's logits */
  CUDA_SCRATCH_BACKWARD,  /* gradients of decode's backward */
  CUDA_SCRATCH_FORBIDDEN, /* limits of forbidden arcs */
  CUDA_SCRATCH_SLOTS
};

typedef struct cuda_block {
  void *memory;
  size_t bytes;
} cuda_block;

struct edgefw_device {
  edgefw_context *ctx;
  cudaStream_t stream;
  edgefw_precision precision;
  cudaError_t unreported; /* of what has no status; the next launch or `finish` reports it */
  size_t shared_limit;    /* bytes of shared memory that one block may have */
  int multiprocessors;
  cuda_block scratch[CUDA_SCRATCH_SLOTS];
  void *host; /* pinned */
  size_t host_bytes;
  struct cuda_libraries *libraries; /* BLAS and solver handles (libraries.cuh) */
  char description[400];
};

/* OK, or DEVICE_ERROR / OUT_OF_MEMORY saying what failed. */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_check(edgefw_device *device, cudaError_t error,
                                                  const char *what);

/* At least `bytes` in a slot, contents undefined, kept between calls; NULL with a recorded
 * OUT_OF_MEMORY. Growing waits for work that may still use the old memory. */
void *edgefw__cuda_scratch(edgefw_device *device, int slot, size_t bytes, const char *what);

/* As above, but NULL without a failure recorded: the caller then tries less. */
void *edgefw__cuda_try_scratch(edgefw_device *device, int slot, size_t bytes);

/* Scratch for as many of `batch` instances as there is memory for, `bytes` each: halved until they
 * fit. NULL with a recorded OUT_OF_MEMORY if not even one does. */
void *edgefw__cuda_scratch_for(edgefw_device *device, int slot, int64_t batch, size_t bytes,
                               const char *what, int64_t *instances);

/* Gives a slot's memory back. */
void edgefw__cuda_release_scratch(edgefw_device *device, int slot);

/* At least `bytes` of pinned host memory, one block for all; NULL with a recorded failure. */
void *edgefw__cuda_host(edgefw_device *device, size_t bytes, const char *what);

/* Copies between host and device, in order with the queue. `to_device` returns when `from` may be
 * overwritten, `to_host` when `to` has arrived. */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_to_device(edgefw_device *device, void *to,
                                                      const void *from, size_t bytes);
EDGEFW_NODISCARD edgefw_status edgefw__cuda_to_host(edgefw_device *device, void *to,
                                                    const void *from, size_t bytes);

/* The error that no status has told yet; it counts as told then. */
static inline cudaError_t edgefw__cuda_take_unreported(edgefw_device *device) {
  const cudaError_t error = device->unreported;
  device->unreported = cudaSuccess;
  return error;
}

/* Queues a kernel; `what` names it in the message if that fails. A grid of nothing is nothing. */
template <typename... P, typename... A>
EDGEFW_NODISCARD static inline edgefw_status launch(edgefw_device *device, const char *what,
                                                    void (*kernel)(P...), launch_shape shape,
                                                    A... args) {
  if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0) return EDGEFW_OK;
  cudaError_t error = edgefw__cuda_take_unreported(device);
  if (error == cudaSuccess) error = launch_on(device->stream, kernel, shape, args...);
  return error == cudaSuccess ? EDGEFW_OK : edgefw__cuda_check(device, error, what);
}

/* body(P) with the device's precision as a constant, P an edgefw_precision. */
template <typename BODY>
EDGEFW_NODISCARD static inline edgefw_status with_precision(const edgefw_device *device,
                                                            BODY body) {
  switch (device->precision) {
  case EDGEFW_PRECISION_TF32: return body(std::integral_constant<int, EDGEFW_PRECISION_TF32>{});
  case EDGEFW_PRECISION_BF16: return body(std::integral_constant<int, EDGEFW_PRECISION_BF16>{});
  default: return body(std::integral_constant<int, EDGEFW_PRECISION_FP32>{});
  }
}

/* One thread for each of `count` numbers. */
static inline launch_shape shape_of_elements(int64_t count) {
  return launch_shape{dim3((unsigned)cuda_blocks_of(count, CUDA_ELEMENT_THREADS)),
                      CUDA_ELEMENT_THREADS, 0};
}

/* One warp for each of `count` things. */
static inline launch_shape shape_of_warps(int64_t count) {
  return launch_shape{dim3((unsigned)cuda_blocks_of(count, CUDA_ELEMENT_THREADS / WARP_LANES)),
                      CUDA_ELEMENT_THREADS, 0};
}

/* A block for each instance, whose threads go through `count` things; with room for block_sum. */
static inline launch_shape shape_of_instances(int64_t batch, int64_t count) {
  return launch_shape{dim3((unsigned)cuda_blocks_of(batch, 1)),
                      (unsigned)cuda_threads_for(count, CUDA_TABLE_THREADS), 32 * sizeof(double)};
}

/* A kernel's loop over numbers, however many blocks there are. */
#define FOR_ELEMENTS(e, count)                                                                     \
  for (int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; e < (count);                    \
       e += (int64_t)gridDim.x * blockDim.x)

/* The same for warps; all lanes of one take part in each. */
#define FOR_WARPS(e, count)                                                                        \
  for (int64_t e = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP_LANES; e < (count);     \
       e += (int64_t)gridDim.x * blockDim.x / WARP_LANES)

/* out (width) += sum over `rows` of x (rows,width); in fixed blocks of rows. */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_add_column_sums(edgefw_device *device, int64_t rows,
                                                            int64_t width, const float *x,
                                                            float *out);

/* order (batch,n,n): for each row i of table (batch,n,n) all columns j by ascending table[i][j],
 * ties by j, a NaN last; by table[j][i] with `reverse`. (sort.cu) */
EDGEFW_NODISCARD edgefw_status edgefw__cuda_sort_arcs(edgefw_device *device, int64_t batch,
                                                      int64_t n, const float *table, bool reverse,
                                                      int32_t *order);

/* --- Operations: edgefw__cuda_NAME for each member of the list, and the services --- */
#define CALL(name, args) edgefw_status edgefw__cuda_##name(edgefw_device *, const args *);
#define SIZE(name, args) size_t edgefw__cuda_##name(const args *);
EDGEFW_OPERATIONS(CALL, SIZE)
#undef CALL
#undef SIZE
edgefw_status edgefw__cuda_sum_squares(edgefw_device *, const void *x, int64_t count, double *out);
edgefw_status edgefw__cuda_product(edgefw_device *, int64_t size, const void *a, const void *b,
                                   void *c);
void edgefw__cuda_shortest_paths(int32_t *cost, int64_t n);
edgefw_status edgefw__cuda_closed_costs(edgefw_device *, const edgefw_closed_costs_args *);

#endif
