/* The reference devices: plain scalar C, the oracle that other devices are tested against. This
 * file takes in all parts and is compiled twice, with EDGEFW_REAL float ("reference") and double
 * ("reference64"). */
#include "reference.h"

#include "edgefw/plugin.h"
#include "edgefw/version.h"
#include "shared/memory.h"

#include "reference_operations.h" /* written by CMake: every file of this folder but those below */

/* The decode loop, in the order of use. */
#include "decode_state.c"

#include "decode_features.c"

#include "decode_near.c"

#include "decode_local.c"

#include "decode_step.c"

#include "decode.c"

#define IS_DOUBLE (sizeof(real) == sizeof(double))

static edgefw_status create(edgefw_context *ctx, edgefw_device **out) {
  *out = edgefw_allocate(ctx, 1, sizeof(edgefw_device), "reference device");
  if (*out == NULL) return EDGEFW_OUT_OF_MEMORY;
  (*out)->ctx = ctx;
  return EDGEFW_OK;
}

static void destroy(edgefw_device *device) {
  if (device != NULL) edgefw_release(device->ctx, device);
}

static const char *describe(const edgefw_device *device) {
  (void)device;
  return IS_DOUBLE ? "plain C, double" : "plain C, float";
}

static void upload(edgefw_device *device, void *to, const double *from, int64_t count) {
  (void)device;
  for (int64_t i = 0; i < count; ++i) set(to, i, from[i]);
}

static void download(edgefw_device *device, double *to, const void *from, int64_t count) {
  (void)device;
  for (int64_t i = 0; i < count; ++i) to[i] = get(from, i);
}

#define MEMBER(name, args) .name = name,
/* Not formatted: clang-format sees no comma at the end of a macro. */
/* clang-format off */
static const edgefw_kernels kernels = {
    .size = sizeof(edgefw_kernels),
    .dtype = IS_DOUBLE ? EDGEFW_F64 : EDGEFW_F32,
    .rank = IS_DOUBLE ? 0 : 10, /* reference64 is slower still, and only the tests need it */
    .create = create,
    .destroy = destroy,
    .describe = describe,
    .allocate = allocate,
    .release = release,
    .zero = zero,
    .upload = upload,
    .download = download,
    .sum_squares = sum_squares,
    .shortest_paths = shortest_paths,
    EDGEFW_OPERATIONS(MEMBER, MEMBER)
};
/* clang-format on */
#undef MEMBER

EDGEFW_PLUGIN(EDGEFW_KIND_DEVICE, IS_DOUBLE ? "reference64" : "reference", EDGEFW_VERSION,
              "plain scalar C, the oracle of the tests", &kernels, NULL);
