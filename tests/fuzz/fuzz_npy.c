/* NumPy arrays in files of their own, as tables of costs or places. */
#include "files/numpy_table.h"
#include "fuzz.h"

const char fuzz_file_name[] = "input.npy";

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  edgefw_arena *arena = NULL;
  edgefw__stop_table table;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "input", 0, true);
  if (status == EDGEFW_OK) status = edgefw__numpy_table_read(ctx, arena, path, &table);
  edgefw_arena_destroy(arena);
  return status;
}
