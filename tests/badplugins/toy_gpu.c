/* A device called "cuda" for tests on machines without one: the reference device, with everything
 * optional that a GPU has. Its create() fails with $TOY_GPU_FAILS as the reason; its memory has
 * $TOY_GPU_MEMORY bytes (default: 1 GiB) and is counted; what it was asked for is in
 * toy_gpu_state(). */
#include <stdlib.h>

#include <edgefw/edgefw.h>
#include <edgefw/kernels.h>

/* The descriptor of the file taken in below is not wanted. */
#undef EDGEFW_PLUGIN
#define EDGEFW_PLUGIN(...) struct toy_gpu_unused

#define EDGEFW_REAL float
#include "reference/reference.c"

#include "badplugins/toy_gpu.h"

typedef struct toy_block {
  size_t bytes;
  char padding[56]; /* the memory behind it stays aligned */
} toy_block;

static toy_gpu_counts counts;

EDGEFW_EXPORT toy_gpu_counts *toy_gpu_state(void);
toy_gpu_counts *toy_gpu_state(void) {
  return &counts;
}

static size_t toy_total(void) {
  const char *text = getenv("TOY_GPU_MEMORY");
  return text ? (size_t)strtoull(text, NULL, 10) : (size_t)1 << 30;
}

static edgefw_status toy_create(edgefw_context *ctx, edgefw_device **out) {
  const char *reason = getenv("TOY_GPU_FAILS");
  *out = NULL;
  counts = (toy_gpu_counts){0};
  if (reason) return edgefw_fail(ctx, EDGEFW_PLUGIN_INIT, "%s", reason);
  return create(ctx, out);
}

static void *toy_allocate(edgefw_device *device, size_t bytes, const char *what) {
  if (counts.used + counts.reserved + counts.taken + bytes > toy_total()) {
    const edgefw_status status =
        edgefw_fail(device->ctx, EDGEFW_OUT_OF_MEMORY, "toy GPU: no memory is left for %s", what);
    (void)status;
    ++counts.refused;
    return NULL;
  }
  toy_block *block = edgefw_allocate(device->ctx, bytes + sizeof *block, 1, what);
  if (!block) return NULL;
  block->bytes = bytes;
  counts.used += bytes;
  return block + 1;
}

static void toy_release(edgefw_device *device, void *memory) {
  if (!memory) return;
  toy_block *block = (toy_block *)memory - 1;
  counts.used -= block->bytes;
  edgefw_release(device->ctx, block);
}

/* Decoding is counted, and has no memory for more instances than its limit. */
static edgefw_status admit_decode(edgefw_device *device, const edgefw_decode_args *args) {
  if (args->batch > counts.largest_batch) counts.largest_batch = args->batch;
  if (counts.decode_limit > 0 && args->batch > counts.decode_limit) {
    ++counts.refused;
    return edgefw_fail(device->ctx, EDGEFW_OUT_OF_MEMORY, "toy GPU: no memory is left to decode");
  }
  return EDGEFW_OK;
}

static edgefw_status admit(edgefw_device *device, const char *operation, const void *args) {
  return strcmp(operation, "decode") == 0 ? admit_decode(device, args) : EDGEFW_OK;
}

#define CALL(name, arguments)                                                                      \
  static edgefw_status toy_##name(edgefw_device *device, const arguments *args) {                  \
    const edgefw_status status = admit(device, #name, args);                                       \
    return status == EDGEFW_OK ? name(device, args) : status;                                      \
  }
#define SIZE(name, arguments)
EDGEFW_OPERATIONS(CALL, SIZE)
#undef CALL
#undef SIZE

static edgefw_support toy_precision_support(const edgefw_device *device,
                                            edgefw_precision precision) {
  (void)device;
  (void)precision;
  return EDGEFW_SUPPORT_FAST;
}

static edgefw_status toy_set_precision(edgefw_device *device, edgefw_precision precision) {
  if (precision == EDGEFW_PRECISION_BF16)
    return edgefw_fail(device->ctx, EDGEFW_UNSUPPORTED, "toy GPU: bf16 is too new for it");
  counts.precision = precision;
  ++counts.precisions_set;
  return EDGEFW_OK;
}

static edgefw_status toy_finish(edgefw_device *device) {
  (void)device;
  ++counts.finished;
  return EDGEFW_OK;
}

static edgefw_status toy_memory(edgefw_device *device, size_t *free_bytes, size_t *total) {
  (void)device;
  *total = toy_total();
  *free_bytes = *total - counts.used - counts.taken;
  return EDGEFW_OK;
}

#ifndef TOY_GPU_BLIND
static edgefw_status toy_upload_exact(edgefw_device *device, double *to, const double *from,
                                      int64_t count) {
  (void)device;
  memcpy(to, from, (size_t)count * sizeof *to);
  return EDGEFW_OK;
}
#define TOY_UPLOAD_EXACT toy_upload_exact
#else
#define TOY_UPLOAD_EXACT NULL
#endif

static edgefw_status toy_closed_costs(edgefw_device *device, const edgefw_closed_costs_args *args) {
  const int64_t n = args->nodes;
  (void)device;
  ++counts.closures;
  for (int64_t b = 0; b < args->batch; ++b) {
    int32_t *out = args->out + b * n * n;
    for (int64_t i = 0; i < n * n; ++i) {
      const uint32_t word =
          edgefw_random_word(args->seed, EDGEFW_STREAM_COST, args->instance_ids[b], (uint64_t)i);
      out[i] = i % (n + 1) == 0 ? 0 : (int32_t)edgefw_random_below(word, args->bound);
    }
    shortest_paths(out, n);
  }
  return EDGEFW_OK;
}

#define CALL(name, args) .name = toy_##name,
#define SIZE(name, args) .name = name,
/* Not formatted: clang-format sees no comma at the end of a macro. */
/* clang-format off */
static const edgefw_kernels toy = {
    .size = sizeof(edgefw_kernels),
    .dtype = EDGEFW_F32,
    .rank = 30,
    .create = toy_create,
    .destroy = destroy,
    .describe = describe,
    .allocate = toy_allocate,
    .release = toy_release,
    .zero = zero,
    .upload = upload,
    .download = download,
    .sum_squares = sum_squares,
    .shortest_paths = shortest_paths,
    .precision_support = toy_precision_support,
    .set_precision = toy_set_precision,
    .finish = toy_finish,
    .memory = toy_memory,
    .upload_exact = TOY_UPLOAD_EXACT,
    .closed_costs = toy_closed_costs,
    EDGEFW_OPERATIONS(CALL, SIZE)
};
/* clang-format on */
#undef CALL
#undef SIZE

EDGEFW_EXPORT extern const edgefw_plugin_descriptor edgefw_plugin;
const edgefw_plugin_descriptor edgefw_plugin = {.magic = EDGEFW_DESCRIPTOR_MAGIC,
                                                .abi_major = EDGEFW_ABI_MAJOR,
                                                .abi_minor = EDGEFW_ABI_MINOR,
                                                .kind = EDGEFW_KIND_DEVICE,
                                                .size = sizeof(edgefw_plugin_descriptor),
                                                .option_size = sizeof(edgefw_option),
                                                .name = "cuda",
                                                .version = "1.0.0",
                                                .summary = "a fixture: a GPU of the tests",
                                                .vtable = &toy,
                                                .options = NULL};
