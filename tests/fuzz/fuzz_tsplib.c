/* TSPLIB and VRPLIB files, and the instance that each problem makes of one. */
#include "data/batch.h"
#include "files/tsplib.h"
#include "fuzz.h"
#include "plugin/options.h"
#include "plugin/registry.h"

const char fuzz_file_name[] = "input.vrp";

enum { MAX_PROBLEMS = 16 };

static const edgefw__plugin *problems[MAX_PROBLEMS];
static edgefw_options *options[MAX_PROBLEMS]; /* all defaults */
static int problem_count;

void fuzz_set_up(edgefw_context *ctx) {
  const edgefw__registry *registry = fuzz_registry(ctx);
  static edgefw_arena *arena; /* as long as the process */
  if (edgefw_arena_create(ctx, &arena, "options", 0, true) != EDGEFW_OK) fuzz_fault("no memory");
  for (size_t p = 0; p < edgefw__registry_count(registry) && problem_count < MAX_PROBLEMS; ++p) {
    const edgefw__plugin *plugin = edgefw__registry_at(registry, p);
    if (plugin->kind != EDGEFW_KIND_PROBLEM || !plugin->vtable.problem.file_nodes) continue;
    if (edgefw__options_defaults(ctx, arena, plugin->options, &options[problem_count]) != EDGEFW_OK)
      fuzz_fault("no options: %s", edgefw_message(ctx));
    problems[problem_count++] = plugin;
  }
  if (problem_count == 0) fuzz_fault("no problem reads library files");
}

static edgefw_status make_instance(edgefw_context *ctx, int p, const edgefw_tsplib *file) {
  const edgefw_problem *problem = &problems[p]->vtable.problem;
  edgefw__batch *batch = NULL;
  int64_t n = 0;
  edgefw_status status = problem->file_nodes(ctx, options[p], file, &n);
  if (status == EDGEFW_OK && n >= problem->min_nodes)
    status = edgefw__batch_create(ctx, problem->fields, 1, n, &batch);
  if (status == EDGEFW_OK && batch) {
    edgefw_instance instance = edgefw__batch_instance(batch, 0);
    instance.name = file->name;
    status = problem->read(ctx, options[p], file, &instance);
    if (status == EDGEFW_OK) status = problem->accept(ctx, options[p], &instance);
  }
  edgefw__batch_destroy(ctx, batch);
  return status;
}

edgefw_status fuzz_read(edgefw_context *ctx, const char *path) {
  edgefw_arena *arena = NULL;
  edgefw_tsplib file = {0};
  edgefw_status status = edgefw_arena_create(ctx, &arena, "a file", 0, true);
  if (status == EDGEFW_OK) status = edgefw__tsplib_read(ctx, arena, path, &file);
  for (int p = 0; p < problem_count && status == EDGEFW_OK; ++p) {
    /* A file of another problem is refused; the next one may read it. */
    if (make_instance(ctx, p, &file) != EDGEFW_OK && p + 1 < problem_count) edgefw_clear(ctx);
  }
  edgefw_arena_destroy(arena);
  return edgefw_failure(ctx);
}
