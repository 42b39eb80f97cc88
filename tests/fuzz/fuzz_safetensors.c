/* safetensors: the header, and every tensor to its end. */
#include "weights_input.h"

const char fuzz_file_name[] = "input.safetensors";

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  return weights_input_read(ctx, path);
}
