/* Tables in CSV: reference costs, best known costs, reported rows, and the results of a run. */
#include <math.h>
#include <string.h>

#include "files/reference_file.h"
#include "fuzz.h"
#include "report/report_published.h"
#include "report/results.h"

const char fuzz_file_name[] = "results.csv";

enum { INSTANCES = 8 };

void fuzz_set_up(edgefw_context *ctx) {
  (void)ctx;
}

static edgefw_status read_references(edgefw_context *ctx, const char *path) {
  double cost[INSTANCES] = {0};
  const edgefw_status status = edgefw__reference_file_read(ctx, path, INSTANCES, cost);
  for (int i = 0; i < INSTANCES && status == EDGEFW_OK; ++i)
    if (!isfinite(cost[i])) fuzz_fault("a cost that is none was taken");
  return status;
}

static edgefw_status read_results(edgefw_context *ctx, edgefw_arena *arena, const char *path) {
  char folder[512] = "";
  strncpy(folder, path, sizeof folder - 1);
  *strrchr(folder, '/') = '\0';
  edgefw__results results = {0};
  return edgefw__results_read(ctx, arena, folder, &results);
}

/* Every reader gets every file: what one refuses is nothing to the next. */
edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  edgefw_arena *arena = NULL;
  edgefw__published published;
  double optimum = 0.0;
  bool found = false;
  if (edgefw_arena_create(ctx, &arena, "a table", 0, true) != EDGEFW_OK) return edgefw_failure(ctx);
  if (read_references(ctx, path) != EDGEFW_OK) edgefw_clear(ctx);
  if (edgefw__reference_file_find(ctx, path, "br17", &optimum, NULL, &found) != EDGEFW_OK)
    edgefw_clear(ctx);
  if (edgefw__published_read(ctx, arena, path, &published) != EDGEFW_OK) edgefw_clear(ctx);
  const edgefw_status status = read_results(ctx, arena, path);
  edgefw_arena_destroy(arena);
  return status;
}
