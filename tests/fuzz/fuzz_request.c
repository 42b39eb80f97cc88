/* Requests of `edgefw serve`: one line of JSON. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/request.h"

#define MOST_BYTES ((size_t)1 << 20)

const char fuzz_file_name[] = "input.json";

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

/* Whatever is in it, the id can stand in an answer. */
static void check_id(const edgefw__request *request) {
  json_error_t error;
  json_t *id = json_loads(request->id, JSON_DECODE_ANY, &error);
  if (!id) fuzz_fault("the id %s is no JSON", request->id);
  json_decref(id);
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  edgefw_arena *arena = NULL;
  edgefw__request request = {.settings = {.size = sizeof request.settings}};
  FILE *file = fopen(path, "rb");
  char *text = malloc(MOST_BYTES);
  if (!file || !text) fuzz_fault("no input");
  const size_t length = fread(text, 1, MOST_BYTES, file);
  (void)fclose(file);
  edgefw_status status = edgefw_arena_create(ctx, &arena, "input", 0, true);
  if (status == EDGEFW_OK) status = edgefw__request_read(ctx, arena, text, length, 1, &request);
  check_id(&request);
  edgefw_arena_destroy(arena);
  free(text);
  return status;
}
