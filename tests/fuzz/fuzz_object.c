/* Shared objects, as far as they are looked at before the system opens them;
 * tests/fuzz/object/small.elf is one of a few functions, without a C library. Nothing is opened
 * here. */
#include "fuzz.h"
#include "plugin/object_file.h"

const char fuzz_file_name[] = "edgefw_input.so";

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  char why[256] = "";
  if (edgefw__object_file_check(path, why, sizeof why)) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_PLUGIN_OPEN, "%s", why);
}
