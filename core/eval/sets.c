/* What the configuration says about evaluation: settings and sets. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/path.h"
#include "eval/evaluate.h"
#include "eval/start_tour.h"
#include "files/library_files.h"
#include "files/tsplib.h"
#include "plugin/problem_shape.h"

edgefw__eval_settings edgefw__eval_settings_from(const edgefw__composition *composition) {
  const edgefw_options *eval = composition->eval, *search = composition->search;
  const bool model = !edgefw__constructs(composition);
  const bool greedy = !model || edgefw_options_choice(eval, "select") == 0;
  return (edgefw__eval_settings){.clip =
                                     model ? edgefw_options_real(eval, "logit_clip") : (double)NAN,
                                 .select = greedy ? EDGEFW_SELECT_GREEDY : EDGEFW_SELECT_SAMPLE,
                                 .starts = edgefw_options_int(eval, "starts"),
                                 .samples = 1,
                                 .augment = model ? edgefw_options_int(eval, "augment") : 1,
                                 .batch = edgefw_options_int(eval, "batch"),
                                 .seed = (uint64_t)edgefw_options_int(eval, "seed"),
                                 .improve = edgefw_options_choice(search, "improve") == 1,
                                 .improve_rollouts = edgefw_options_int(search, "improve_rollouts"),
                                 .fixed = edgefw__options_ints(search, "fixed"),
                                 .fixed_count = edgefw_options_count(search, "fixed"),
                                 .beam = edgefw_options_int(search, "beam"),
                                 .reconstruct = edgefw_options_int(search, "reconstruct"),
                                 .kicks = edgefw_options_int(search, "kicks"),
                                 .time_limit = edgefw_options_real(search, "time_limit")};
}

void edgefw__eval_settings_tell(edgefw_context *ctx, const edgefw__eval_settings *settings) {
  if (settings->time_limit > 0.0)
    edgefw_log(ctx, EDGEFW_LOG_INFO,
               "a search of %g s for each instance: results depend on how fast the machine is, and "
               "another run may find others",
               settings->time_limit);
}

/* A path that may be absent: "" and NULL are none. */
static const char *path_or_none(const char *path) {
  return path && *path ? path : NULL;
}

/* The set of the `index`-th size. */
static edgefw_status size_set(edgefw_arena *arena, const edgefw__composition *composition,
                              int64_t index, edgefw__instance_set *out) {
  const edgefw_options *eval = composition->eval, *data = composition->data;
  const int64_t n = edgefw_options_int_at(eval, "sizes", index); /* as configurations count */
  /* The composition has seen to it that there is one number, or one for each size. */
  const bool each = edgefw_options_count(eval, "instances") > 1;
  *out =
      (edgefw__instance_set){.n = edgefw__problem_nodes(&composition->problem->vtable.problem, n),
                             .size = n,
                             .count = edgefw_options_int_at(eval, "instances", each ? index : 0),
                             .seed = (uint64_t)edgefw_options_int(eval, "seed")};
  const char *test = edgefw_arena_format(arena, "test.%" PRId64, n);
  const char *reference = edgefw_arena_format(arena, "reference.%" PRId64, n);
  out->name = edgefw_arena_format(arena, "%" PRId64, n);
  if (!test || !reference || !out->name) return EDGEFW_OUT_OF_MEMORY;
  out->dataset = path_or_none(edgefw_options_text(data, test));
  out->reference = path_or_none(edgefw_options_text(data, reference));
  return EDGEFW_OK;
}

/* Read library file `path` and find out what set it is; its numbers live in `numbers`. */
static edgefw_status read_file_set(edgefw_context *ctx, edgefw_arena *arena, edgefw_arena *numbers,
                                   const edgefw__composition *composition, const char *path,
                                   edgefw_tsplib *file, edgefw__instance_set *out) {
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  int64_t nodes = 0;
  edgefw_status status = edgefw__tsplib_read(ctx, numbers, path, file);
  if (status == EDGEFW_OK)
    status = problem->file_nodes(ctx, composition->problem_options, file, &nodes);
  if (status != EDGEFW_OK) return status;
  *out = (edgefw__instance_set){.name = edgefw_arena_text(arena, file->name),
                                .n = nodes,
                                .size = nodes - edgefw__problem_nodes(problem, 0),
                                .count = 1,
                                .file = path};
  return out->name ? EDGEFW_OK : edgefw_failure(ctx);
}

edgefw_status edgefw__eval_file_set(edgefw_context *ctx, edgefw_arena *arena,
                                    const edgefw__composition *composition, const char *path,
                                    bool keep, edgefw__instance_set *out) {
  if (!composition->problem->vtable.problem.file_nodes)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED, "%s: the problem %s reads no library files", path,
                       composition->problem->descriptor->name);
  if (keep) {
    edgefw_tsplib *file = edgefw_arena_take(arena, 1, sizeof *file);
    if (!file) return edgefw_failure(ctx);
    const edgefw_status status = read_file_set(ctx, arena, arena, composition, path, file, out);
    out->parsed = file;
    return status;
  }
  edgefw_arena *scratch = NULL; /* the file's matrix is needed for a moment only */
  edgefw_tsplib file = {0};
  edgefw_status status = edgefw_arena_create(ctx, &scratch, "library file", 0, true);
  if (status == EDGEFW_OK)
    status = read_file_set(ctx, arena, scratch, composition, path, &file, out);
  edgefw_arena_destroy(scratch);
  return status;
}

edgefw_status edgefw__eval_instance_set(edgefw_context *ctx, edgefw_arena *arena,
                                        const edgefw__composition *composition, const char *path,
                                        const edgefw__instance_options *options,
                                        edgefw__instance_set *out) {
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  const edgefw__plugin *plugin = composition->problem;
  edgefw__instance_file *file = edgefw_arena_take(arena, 1, sizeof *file);
  if (!file) return edgefw_failure(ctx);
  int64_t nodes = 0;
  edgefw_status status = edgefw__instance_file_read(ctx, arena, path, options, NULL, &plugin, file);
  if (status == EDGEFW_OK)
    status = problem->file_nodes(ctx, composition->problem_options, file->items, &nodes);
  if (status != EDGEFW_OK) return status;
  *out = (edgefw__instance_set){.name = file->items->name,
                                .n = nodes,
                                .size = nodes - edgefw__problem_nodes(problem, 0),
                                .count = file->count,
                                .file = path,
                                .parsed = file->items,
                                .stops = &file->stops};
  return EDGEFW_OK;
}

edgefw_status edgefw__eval_dataset_set(edgefw_context *ctx, edgefw_arena *arena,
                                       const edgefw__composition *composition, const char *path,
                                       edgefw__instance_set *out) {
  const edgefw_problem *problem = &composition->problem->vtable.problem;
  edgefw__dataset_summary summary;
  const edgefw_status status = edgefw__dataset_info(ctx, path, &summary);
  if (status != EDGEFW_OK) return status;
  *out = (edgefw__instance_set){.name = edgefw__path_stem(arena, path),
                                .n = summary.n,
                                .size = summary.n - edgefw__problem_nodes(problem, 0),
                                .count = summary.count,
                                .dataset = path};
  return out->name ? EDGEFW_OK : edgefw_failure(ctx);
}

/* Give the sets the solutions that [search] start names. */
static edgefw_status assign_starts(edgefw_context *ctx, edgefw_arena *arena,
                                   const edgefw__composition *composition,
                                   edgefw__instance_set *sets, int64_t count) {
  const char *start = path_or_none(edgefw_options_text(composition->search, "start"));
  if (!start || count == 0) return EDGEFW_OK;
  edgefw__instance_set **list = edgefw_arena_take(arena, (size_t)count, sizeof *list);
  if (!list) return edgefw_failure(ctx);
  for (int64_t s = 0; s < count; ++s) list[s] = &sets[s];
  return edgefw__start_assign(ctx, arena, &composition->problem->vtable.problem, "[search] start",
                              start, list, count);
}

edgefw_status edgefw__eval_sets(edgefw_context *ctx, edgefw_arena *arena,
                                const edgefw__composition *composition, edgefw__instance_set **out,
                                int *count) {
  const edgefw_options *eval = composition->eval;
  const int64_t sizes = edgefw_options_count(eval, "sizes");
  edgefw__library_files files = {0};
  *out = NULL;
  *count = 0;
  for (int64_t i = 0; i < edgefw_options_count(eval, "files"); ++i) {
    const edgefw_status status =
        edgefw__library_files_add(ctx, arena, edgefw_options_text_at(eval, "files", i), &files);
    if (status != EDGEFW_OK) return edgefw_note(ctx, status, "[eval] files");
  }
  edgefw__instance_set *sets =
      edgefw_arena_take(arena, (size_t)(sizes + files.count), sizeof *sets);
  if (!sets) return edgefw_failure(ctx);
  for (int64_t i = 0; i < sizes; ++i) {
    const edgefw_status status = size_set(arena, composition, i, &sets[i]);
    if (status != EDGEFW_OK) return status;
  }
  for (int64_t i = 0; i < files.count; ++i) {
    const edgefw_status status =
        edgefw__eval_file_set(ctx, arena, composition, files.paths[i], false, &sets[sizes + i]);
    if (status != EDGEFW_OK) return edgefw_note(ctx, status, "[eval] files");
    sets[sizes + i].reference = path_or_none(edgefw_options_text(composition->data, "optima"));
  }
  *out = sets;
  *count = (int)(sizes + files.count);
  return assign_starts(ctx, arena, composition, sets, *count);
}
