/* Checkpoints in HDF5. */
#include <math.h>

#include "files/checkpoint.h"
#include "fuzz.h"
#include "recipe.h"

const char fuzz_file_name[] = "checkpoint-3.h5";

/* HDF5 keeps memory of its own when it refuses a damaged file. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
  return "detect_leaks=0:allocator_may_return_null=1";
}

static const char *const objects[] = {"/",
                                      "/parameters",
                                      "/parameters/a.weight",
                                      "/parameters/b",
                                      "/optimizer",
                                      "/optimizer/m",
                                      "/optimizer/m/a.weight",
                                      "/optimizer/v",
                                      "/optimizer/v/a.weight",
                                      "/history",
                                      "/history/loss",
                                      "/partial",
                                      "/ema",
                                      "/ema/a.weight",
                                      NULL};
static const char *const attributes[] = {
    "format", "format_version", "problem",   "backbone", "terms",       "plugins",     "config",
    "epoch",  "step",           "instances", "loss_sum", "init_digest", "data_digest", NULL};
static const recipe_format format = {EDGEFW_TEST_DATA "/fuzz/checkpoint/good.h5", objects,
                                     attributes};

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

/* So that numbers are read though nothing is done with them. */
static volatile float number_read;

/* What was taken can be read to its end, and training could go on from it. */
static void check(const edgefw__checkpoint_content *content) {
  for (int64_t t = 0; t < content->tensor_count; ++t) {
    const edgefw__checkpoint_tensor *tensor = &content->tensors[t];
    int64_t count = 1;
    for (int axis = 0; axis < tensor->rank; ++axis) count *= tensor->shape[axis];
    for (int64_t e = 0; e < count; ++e) {
      number_read = tensor->value[e];
      if (tensor->v && !(isfinite(tensor->m[e]) && tensor->v[e] >= 0.0F))
        fuzz_fault("moments that are none were taken");
      if (tensor->ema && !isfinite(tensor->ema[e])) fuzz_fault("a mean that is none was taken");
    }
  }
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  edgefw__checkpoint *checkpoint = NULL;
  recipe_prepare(&format, path);
  const edgefw_status status = edgefw__checkpoint_open(ctx, path, &checkpoint);
  if (status == EDGEFW_OK) check(edgefw__checkpoint_content_of(checkpoint));
  edgefw__checkpoint_close(checkpoint);
  return status;
}
