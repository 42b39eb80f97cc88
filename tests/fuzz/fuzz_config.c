/* Configurations: INI files, their keys and values, and what they compose. */
#include "config/compose.h"
#include "fuzz.h"

const char fuzz_file_name[] = "input.ini";

void fuzz_set_up(edgefw_context *ctx) {
  fuzz_registry(ctx);
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  edgefw__config *config = NULL;
  const edgefw_status status = edgefw__config_load(ctx, fuzz_registry(ctx), path, NULL, 0, &config);
  edgefw__config_destroy(config);
  return status;
}
