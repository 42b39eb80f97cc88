/* Matrices as text, of any separator, and demands in tables. */
#include "data/demands.h"
#include "files/matrix_text.h"
#include "fuzz.h"

const char fuzz_file_name[] = "input.csv";

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  edgefw_arena *arena = NULL;
  edgefw__stop_table table;
  double demand[3];
  edgefw_status status = edgefw_arena_create(ctx, &arena, "input", 0, true);
  if (status == EDGEFW_OK) status = edgefw__matrix_text_read(ctx, arena, path, &table);
  if (status == EDGEFW_FORMAT || status == EDGEFW_MISMATCH) { /* then it may be of demands */
    const edgefw__stop_table three = {.n = 3};
    edgefw_clear(ctx);
    status = edgefw__demands_read(ctx, path, &three, 0, demand);
  }
  edgefw_arena_destroy(arena);
  return status;
}
