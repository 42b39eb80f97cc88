/* JSON of routing services: tables and problems. */
#include "files/service_json.h"
#include "fuzz.h"

const char fuzz_file_name[] = "input.json";

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  edgefw_arena *arena = NULL;
  edgefw__stop_table table;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "input", 0, true);
  if (status == EDGEFW_OK)
    status = edgefw__service_json_read(ctx, arena, path, EDGEFW__TABLE_ANY, &table);
  edgefw_arena_destroy(arena);
  return status;
}
