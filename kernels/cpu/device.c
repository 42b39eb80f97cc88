/* The device `cpu`: float32, parallel over instances, BLAS for products. The operations exist once
 * per instruction set; the best one that this processor has is picked when a device is made
 * (EDGEFW_CPU_VARIANT=v2|v3|v4 forces one), and so is what multiplies in BF16
 * (EDGEFW_CPU_BF16=plain|avx512|amx). */
#include <stdio.h>
#include <stdlib.h>

#include "edgefw/plugin.h"
#include "internal.h"
#include "shared/memory.h"

#ifdef EDGEFW_HAVE_X86_VARIANTS
extern const edgefw_kernels edgefw__cpu_kernels_v2, edgefw__cpu_kernels_v3, edgefw__cpu_kernels_v4;
#else
extern const edgefw_kernels edgefw__cpu_kernels_plain;
#endif

typedef struct cpu_variant {
  const char *name;
  const edgefw_kernels *kernels;
  bool runs_here;
} cpu_variant;

enum { MAX_VARIANTS = 3 };

/* Fastest first; returns how many. */
static int list_variants(cpu_variant out[MAX_VARIANTS]) {
#ifdef EDGEFW_HAVE_X86_VARIANTS
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  out[0] = (cpu_variant){"v4", &edgefw__cpu_kernels_v4, v4};
  out[1] = (cpu_variant){"v3", &edgefw__cpu_kernels_v3, v3};
  out[2] = (cpu_variant){"v2", &edgefw__cpu_kernels_v2, v2};
  return 3;
#else
  out[0] = (cpu_variant){"plain", &edgefw__cpu_kernels_plain, true};
  return 1;
#endif
}

/* The fastest variant that runs here, or the one called `wanted`; NULL if that cannot run. */
static const cpu_variant *pick_variant(const cpu_variant *variants, int count, const char *wanted) {
  for (int v = 0; v < count; ++v)
    if (variants[v].runs_here && (!wanted || strcmp(wanted, variants[v].name) == 0))
      return &variants[v];
  return NULL;
}

/* --- Products in BF16 --- */

/* Only the kernels of v4 have code for the processor's units. */
static bool unit_runs(const cpu_variant *variant, bf16_unit unit) {
  return (unit == BF16_PLAIN || strcmp(variant->name, "v4") == 0) &&
         edgefw__cpu_bf16_unit_runs(unit);
}

/* AVX512-BF16 multiplies no faster than FP32 does where it was measured; it is there for those who
 * ask for it. */
static edgefw_status pick_unit(edgefw_context *ctx, const cpu_variant *variant, bf16_unit *out) {
  const char *wanted = getenv("EDGEFW_CPU_BF16");
  *out = unit_runs(variant, BF16_AMX) ? BF16_AMX : BF16_PLAIN;
  if (!wanted || !*wanted) return EDGEFW_OK;
  const bf16_unit unit = edgefw__cpu_bf16_unit_named(wanted);
  if (unit == BF16_UNITS || !unit_runs(variant, unit))
    return edgefw_fail(ctx, EDGEFW_CONFIG,
                       "device cpu: EDGEFW_CPU_BF16=%s is not among what multiplies in bf16 with "
                       "the kernels of %s in this build and on this processor; expected plain%s%s "
                       "or nothing",
                       wanted, variant->name, unit_runs(variant, BF16_AVX512) ? ", avx512" : "",
                       unit_runs(variant, BF16_AMX) ? ", amx" : "");
  *out = unit;
  return EDGEFW_OK;
}

static edgefw_support precision_support(const edgefw_device *device, edgefw_precision precision) {
  switch (precision) {
  case EDGEFW_PRECISION_FP32: return EDGEFW_SUPPORT_FAST;
  case EDGEFW_PRECISION_TF32: return EDGEFW_SUPPORT_NONE;
  case EDGEFW_PRECISION_BF16: break;
  }
  return device->bf16_best == BF16_AMX ? EDGEFW_SUPPORT_FAST : EDGEFW_SUPPORT_SLOW;
}

static edgefw_status set_precision(edgefw_device *device, edgefw_precision precision) {
  if (precision_support(device, precision) == EDGEFW_SUPPORT_NONE)
    return edgefw_fail(device->ctx, EDGEFW_CONFIG, "device cpu has no tf32; expected fp32 or bf16");
  device->bf16 = precision == EDGEFW_PRECISION_BF16 ? device->bf16_best : BF16_OFF;
  return EDGEFW_OK;
}

/* --- State and memory --- */

static void destroy(edgefw_device *device) {
  if (!device) return;
  for (int t = 0; t < CPU_MAX_THREADS; ++t) edgefw_release(device->ctx, device->scratch[t].memory);
  edgefw_release(device->ctx, device->shared.memory);
  edgefw_release(device->ctx, device);
}

static edgefw_status create(edgefw_context *ctx, edgefw_device **out) {
  *out = NULL;
  cpu_variant variants[MAX_VARIANTS];
  const int count = list_variants(variants);
  const char *wanted = getenv("EDGEFW_CPU_VARIANT");
  if (wanted && !*wanted) wanted = NULL;
  const cpu_variant *variant = pick_variant(variants, count, wanted);
  if (!variant)
    return edgefw_fail(ctx, wanted ? EDGEFW_CONFIG : EDGEFW_PLUGIN_INIT,
                       "device cpu: EDGEFW_CPU_VARIANT=%s is not among the instruction sets that "
                       "this build and processor have; expected %s or nothing",
                       wanted ? wanted : "(none)", count > 1 ? "v2, v3 or v4" : "plain");
  bf16_unit unit;
  const edgefw_status status = pick_unit(ctx, variant, &unit);
  if (status != EDGEFW_OK) return status;
  edgefw_device *device = edgefw_allocate(ctx, 1, sizeof *device, "device cpu");
  if (!device) return edgefw_failure(ctx);
  char blas[112];
  edgefw__cpu_blas_setup(blas, sizeof blas);
  device->ctx = ctx;
  device->variant = variant->kernels;
  device->bf16_best = unit;
  snprintf(device->description, sizeof device->description, "%s kernels, BLAS: %s",
           count > 1 ? variant->name : "plain C", blas);
  *out = device;
  return EDGEFW_OK;
}

static const char *describe(const edgefw_device *device) {
  return device->description;
}

void *edgefw__cpu_reserve(edgefw_device *device, cpu_block *block, size_t bytes, const char *what) {
  if (block->memory && block->bytes >= bytes) return block->memory;
  edgefw_release(device->ctx, block->memory);
  block->memory = edgefw_allocate(device->ctx, bytes, 1, what);
  block->bytes = block->memory ? bytes : 0;
  return block->memory;
}

edgefw_status edgefw__cpu_reserve_scratch(edgefw_device *device, size_t bytes, const char *what) {
  for (int t = 0; t < edgefw_threads(device->ctx); ++t)
    if (!edgefw__cpu_reserve(device, &device->scratch[t], bytes, what))
      return edgefw_failure(device->ctx);
  return EDGEFW_OK;
}

static void upload(edgefw_device *device, void *to, const double *from, int64_t count) {
  (void)device;
  float *out = to;
  for (int64_t e = 0; e < count; ++e) out[e] = (float)from[e];
}

static void download(edgefw_device *device, double *to, const void *from, int64_t count) {
  (void)device;
  const float *in = from;
  for (int64_t e = 0; e < count; ++e) to[e] = (double)in[e];
}

/* --- Operations: to the device's variant --- */

/* For what is asked without a device at hand. */
static const edgefw_kernels *best_kernels(void) {
  cpu_variant variants[MAX_VARIANTS];
  const int count = list_variants(variants);
  const cpu_variant *variant = pick_variant(variants, count, NULL);
  return variant ? variant->kernels : variants[count - 1].kernels;
}

#define CALL(operation, arguments)                                                                 \
  static edgefw_status operation(edgefw_device *device, const arguments *args) {                   \
    return device->variant->operation(device, args);                                               \
  }
/* Without a device at hand; sizes are the same for all variants. */
#define SIZE(member, arguments)                                                                    \
  static size_t member(const arguments *args) {                                                    \
    return best_kernels()->member(args);                                                           \
  }
EDGEFW_OPERATIONS(CALL, SIZE)
#undef CALL
#undef SIZE

static edgefw_status sum_squares(edgefw_device *device, const void *x, int64_t count, double *out) {
  return device->variant->sum_squares(device, x, count, out);
}

static edgefw_status product(edgefw_device *device, int64_t size, const void *a, const void *b,
                             void *c) {
  return device->variant->product(device, size, a, b, c);
}

static void shortest_paths(int32_t *cost, int64_t n) {
  best_kernels()->shortest_paths(cost, n);
}

#define MEMBER(name, args) .name = name,
/* Not formatted: clang-format sees no comma at the end of a macro. */
/* clang-format off */
static const edgefw_kernels kernels = {
    .size = sizeof(edgefw_kernels),
    .dtype = EDGEFW_F32,
    .rank = 20,
    .create = create,
    .destroy = destroy,
    .describe = describe,
    .precision_support = precision_support,
    .set_precision = set_precision,
    .allocate = allocate,
    .release = release,
    .zero = zero,
    .upload = upload,
    .download = download,
    .sum_squares = sum_squares,
    .product = product,
    .shortest_paths = shortest_paths,
    EDGEFW_OPERATIONS(MEMBER, MEMBER)
};
/* clang-format on */
#undef MEMBER

EDGEFW_PLUGIN(EDGEFW_KIND_DEVICE, "cpu", "1.0.0",
              "float32 on the processor: BLAS products, vectorised kernels, OpenMP threads",
              &kernels, NULL);
