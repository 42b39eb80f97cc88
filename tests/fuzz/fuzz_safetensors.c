/* safetensors: the header, and every tensor to its end. */
#include "files/safetensors.h"
#include "fuzz.h"

const char fuzz_file_name[] = "input.safetensors";

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

static edgefw_status read_tensor(edgefw_context *ctx, edgefw__safetensors *file, int index) {
  const edgefw__weight *weight = edgefw__safetensors_at(file, index);
  int64_t rounded = 0;
  if (weight->type == EDGEFW__NUMBER_OTHER) return EDGEFW_OK;
  float *values = edgefw_allocate(ctx, (size_t)weight->count, sizeof *values, "a tensor");
  if (!values) return edgefw_failure(ctx);
  const edgefw_status status = edgefw__safetensors_read(file, index, values, &rounded);
  if (rounded < 0 || rounded > weight->count) fuzz_fault("more numbers were rounded than read");
  edgefw_release(ctx, values);
  return status;
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  edgefw__safetensors *file = NULL;
  edgefw_status status = edgefw__safetensors_open(ctx, path, &file);
  for (int t = 0; status == EDGEFW_OK && t < edgefw__safetensors_count(file); ++t)
    status = read_tensor(ctx, file, t);
  edgefw__safetensors_close(file);
  return status;
}
