/* The device: its making and memory, copies, and the vtable. */
#include "libraries.cuh"

edgefw_status edgefw__cuda_check(edgefw_device *device, cudaError_t error, const char *what) {
  if (error == cudaSuccess) return EDGEFW_OK;
  (void)cudaGetLastError(); /* or a library would take it for its own */
  if (error == cudaErrorMemoryAllocation)
    return edgefw_fail(device->ctx, EDGEFW_OUT_OF_MEMORY,
                       "device cuda: no GPU memory is left for %s", what);
  return edgefw_fail(device->ctx, EDGEFW_INTERNAL, "device cuda: %s failed: %s", what,
                     cudaGetErrorString(error));
}

/* For callers whose status is that a pointer is NULL. */
static void record(edgefw_device *device, cudaError_t error, const char *what) {
  const edgefw_status status = edgefw__cuda_check(device, error, what);
  (void)status;
}

/* --- Making --- */

static void destroy(edgefw_device *device) {
  if (!device) return;
  if (device->stream) (void)cudaStreamSynchronize(device->stream); /* it may use the memory */
  for (int slot = 0; slot < CUDA_SCRATCH_SLOTS; ++slot)
    (void)cudaFree(device->scratch[slot].memory);
  (void)cudaFreeHost(device->host);
  edgefw__cuda_libraries_destroy(device);
  edgefw__cuda_close(device);
  edgefw_release(device->ctx, device);
}

static edgefw_status create(edgefw_context *ctx, edgefw_device **out) {
  *out = NULL;
  edgefw_device *device = (edgefw_device *)edgefw_allocate(ctx, 1, sizeof *device, "device cuda");
  if (!device) return edgefw_failure(ctx);
  device->ctx = ctx;
  edgefw_status status = edgefw__cuda_open(device);
  if (status == EDGEFW_OK) status = edgefw__cuda_libraries_create(device);
  if (status == EDGEFW_OK) {
    *out = device;
  } else {
    destroy(device);
  }
  return status;
}

static const char *describe(const edgefw_device *device) {
  return device->description;
}

static edgefw_support precision_support(const edgefw_device *, edgefw_precision) {
  return EDGEFW_SUPPORT_FAST;
}

static edgefw_status set_precision(edgefw_device *device, edgefw_precision precision) {
  device->precision = precision;
  return EDGEFW_OK;
}

static edgefw_status finish(edgefw_device *device) {
  const cudaError_t before = edgefw__cuda_take_unreported(device);
  const cudaError_t error = cudaStreamSynchronize(device->stream);
  return edgefw__cuda_check(device, error == cudaSuccess ? before : error, "work on the GPU");
}

static edgefw_status memory(edgefw_device *device, size_t *free_bytes, size_t *total) {
  return edgefw__cuda_check(device, cudaMemGetInfo(free_bytes, total), "a look at GPU memory");
}

/* --- Memory --- */

void edgefw__cuda_release_scratch(edgefw_device *device, int slot) {
  if (!device->scratch[slot].memory) return;
  (void)cudaStreamSynchronize(device->stream); /* what is queued may still use it */
  (void)cudaFree(device->scratch[slot].memory);
  device->scratch[slot] = (cuda_block){NULL, 0};
}

static cudaError_t grow_scratch(edgefw_device *device, int slot, size_t bytes) {
  cuda_block *block = &device->scratch[slot];
  if (block->memory && block->bytes >= bytes) return cudaSuccess;
  edgefw__cuda_release_scratch(device, slot);
  const cudaError_t error = cudaMalloc(&block->memory, bytes ? bytes : 1);
  if (error == cudaSuccess) {
    block->bytes = bytes;
  } else {
    block->memory = NULL;
    (void)cudaGetLastError(); /* or the next launch would report it */
  }
  return error;
}

void *edgefw__cuda_try_scratch(edgefw_device *device, int slot, size_t bytes) {
  return grow_scratch(device, slot, bytes) == cudaSuccess ? device->scratch[slot].memory : NULL;
}

void *edgefw__cuda_scratch(edgefw_device *device, int slot, size_t bytes, const char *what) {
  const cudaError_t error = grow_scratch(device, slot, bytes);
  record(device, error, what);
  return error == cudaSuccess ? device->scratch[slot].memory : NULL;
}

void *edgefw__cuda_scratch_for(edgefw_device *device, int slot, int64_t batch, size_t bytes,
                               const char *what, int64_t *instances) {
  for (*instances = batch > 0 ? batch : 1; *instances > 1; *instances = (*instances + 1) / 2) {
    void *block = edgefw__cuda_try_scratch(device, slot, (size_t)*instances * bytes);
    if (block) return block;
  }
  return edgefw__cuda_scratch(device, slot, bytes, what);
}

void *edgefw__cuda_host(edgefw_device *device, size_t bytes, const char *what) {
  if (device->host && device->host_bytes >= bytes) return device->host;
  (void)cudaFreeHost(device->host);
  device->host = NULL;
  device->host_bytes = 0;
  const cudaError_t error = cudaMallocHost(&device->host, bytes ? bytes : 1);
  if (error != cudaSuccess) {
    device->host = NULL;
    (void)cudaGetLastError();
    const edgefw_status status =
        error == cudaErrorMemoryAllocation
            ? edgefw_fail(device->ctx, EDGEFW_OUT_OF_MEMORY,
                          "device cuda: no pinned host memory is left for %s", what)
            : edgefw__cuda_check(device, error, what);
    (void)status;
    return NULL;
  }
  device->host_bytes = bytes;
  return device->host;
}

edgefw_status edgefw__cuda_to_device(edgefw_device *device, void *to, const void *from,
                                     size_t bytes) {
  if (bytes == 0) return EDGEFW_OK;
  /* From pageable memory the call may or may not return before `from` has been read. */
  const edgefw_status status = edgefw__cuda_check(
      device, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, device->stream),
      "a copy to the GPU");
  return status == EDGEFW_OK ? finish(device) : status;
}

edgefw_status edgefw__cuda_to_host(edgefw_device *device, void *to, const void *from,
                                   size_t bytes) {
  if (bytes == 0) return EDGEFW_OK;
  const edgefw_status status = edgefw__cuda_check(
      device, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, device->stream),
      "a copy from the GPU");
  return status == EDGEFW_OK ? finish(device) : status;
}

static void *allocate(edgefw_device *device, size_t bytes, const char *what) {
  void *out = NULL;
  cudaError_t error = cudaMalloc(&out, bytes ? bytes : 1);
  if (error == cudaSuccess) {
    error = cudaMemsetAsync(out, 0, bytes, device->stream);
    if (error == cudaSuccess) return out;
    (void)cudaFree(out);
  } else {
    (void)cudaGetLastError();
  }
  record(device, error, what);
  return NULL;
}

/* The vtable has no status for the rest: the next launch or `finish` reports an error. */
static void keep(edgefw_device *device, cudaError_t error) {
  if (error == cudaSuccess) return;
  (void)cudaGetLastError();
  if (device->unreported == cudaSuccess) device->unreported = error;
}

static void release(edgefw_device *device, void *memory_) {
  if (!memory_) return;
  keep(device, cudaStreamSynchronize(device->stream)); /* what is queued may still use it */
  keep(device, cudaFree(memory_));
}

static void zero(edgefw_device *device, void *memory_, size_t bytes) {
  keep(device, cudaMemsetAsync(memory_, 0, bytes, device->stream));
}

enum { STAGED = 1 << 20 }; /* numbers of one piece of a copy */

/* One piece between the pinned memory and the GPU; waits until it has arrived. */
static cudaError_t copy_piece(edgefw_device *device, void *to, const void *from, int64_t count,
                              cudaMemcpyKind kind) {
  const cudaError_t error =
      cudaMemcpyAsync(to, from, (size_t)count * sizeof(float), kind, device->stream);
  return error == cudaSuccess ? cudaStreamSynchronize(device->stream) : error;
}

static void upload(edgefw_device *device, void *to, const double *from, int64_t count) {
  float *piece = (float *)edgefw__cuda_host(device, STAGED * sizeof *piece, "an upload");
  cudaError_t error = piece ? cudaSuccess : cudaErrorMemoryAllocation;
  for (int64_t first = 0; error == cudaSuccess && first < count; first += STAGED) {
    const int64_t length = count - first < STAGED ? count - first : (int64_t)STAGED;
    for (int64_t e = 0; e < length; ++e) piece[e] = (float)from[first + e];
    error = copy_piece(device, (float *)to + first, piece, length, cudaMemcpyHostToDevice);
  }
  keep(device, error);
}

static edgefw_status upload_exact(edgefw_device *device, double *to, const double *from,
                                  int64_t count) {
  return edgefw__cuda_to_device(device, to, from, (size_t)count * sizeof *to);
}

static void download(edgefw_device *device, double *to, const void *from, int64_t count) {
  float *piece = (float *)edgefw__cuda_host(device, STAGED * sizeof *piece, "a download");
  cudaError_t error = piece ? cudaSuccess : cudaErrorMemoryAllocation;
  for (int64_t first = 0; first < count; first += STAGED) {
    const int64_t length = count - first < STAGED ? count - first : (int64_t)STAGED;
    if (error == cudaSuccess)
      error =
          copy_piece(device, piece, (const float *)from + first, length, cudaMemcpyDeviceToHost);
    for (int64_t e = 0; e < length; ++e) /* what did not arrive must not pass for a result */
      to[first + e] = error == cudaSuccess ? (double)piece[e] : (double)NAN;
  }
  keep(device, error);
}

/* --- The vtable --- */

#ifdef EDGEFW_CUDA_EMULATED
#define RANK 0 /* it is there for tests, which ask for it by name */
#else
#define RANK 30
#endif

extern "C" const edgefw_kernels edgefw__cuda_kernels;
#define MEMBER(name, args) .name = edgefw__cuda_##name,
/* Not formatted: clang-format sees no comma at the end of a macro. */
/* clang-format off */
extern "C" const edgefw_kernels edgefw__cuda_kernels = {
    .size = sizeof(edgefw_kernels),
    .dtype = EDGEFW_F32,
    .rank = RANK,
    .create = create,
    .destroy = destroy,
    .describe = describe,
    .precision_support = precision_support,
    .set_precision = set_precision,
    .finish = finish,
    .memory = memory,
    .allocate = allocate,
    .release = release,
    .zero = zero,
    .upload = upload,
    .download = download,
    .upload_exact = upload_exact,
    .sum_squares = edgefw__cuda_sum_squares,
    .product = edgefw__cuda_product,
    .shortest_paths = edgefw__cuda_shortest_paths,
    .closed_costs = edgefw__cuda_closed_costs,
    EDGEFW_OPERATIONS(MEMBER, MEMBER)
};
/* clang-format on */
#undef MEMBER
