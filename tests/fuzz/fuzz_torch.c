/* Archives of torch.save, and safetensors or anything else under their name. Few changed archives
 * have the right checksums: fuzz_pickle.c goes on from there. */
#include "weights_input.h"

const char fuzz_file_name[] = "input.pt";

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  return weights_input_read(ctx, path);
}
