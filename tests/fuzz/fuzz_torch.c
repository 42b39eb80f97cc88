/* Archives of torch.save, and safetensors or anything else under their name: what a file is, and
 * every tensor to its end. Few changed archives have the right checksums: fuzz_pickle.c goes on
 * from there. */
#include "files/weights.h"
#include "fuzz.h"

const char fuzz_file_name[] = "input.pt";

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

static edgefw_status read_tensor(edgefw_context *ctx, edgefw__weights *weights, int index) {
  const edgefw__weight *weight = edgefw__weights_at(weights, index);
  int64_t rounded = 0;
  if (weight->type == EDGEFW__NUMBER_OTHER) return EDGEFW_OK;
  float *values = edgefw_allocate(ctx, (size_t)weight->count, sizeof *values, "a tensor");
  if (!values) return edgefw_failure(ctx);
  const edgefw_status status = edgefw__weights_read(weights, index, values, &rounded);
  edgefw_release(ctx, values);
  return status;
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  edgefw__weights *weights = NULL;
  edgefw_status status = edgefw__weights_open(ctx, path, &weights);
  for (int t = 0; status == EDGEFW_OK && t < edgefw__weights_count(weights); ++t)
    status = read_tensor(ctx, weights, t);
  edgefw__weights_close(weights);
  return status;
}
