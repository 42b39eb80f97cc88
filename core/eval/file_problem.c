/* Asking all problems whether they read a file. */
#include "eval/file_problem.h"

#include "base/text.h"
#include "data/dataset.h"
#include "eval/inputs.h"
#include "files/library_files.h"
#include "files/tsplib.h"
#include "plugin/options.h"
#include "plugin/problem_shape.h"

typedef struct question {
  edgefw_context *ctx;
  edgefw_arena *arena; /* what is read for it */
  const edgefw__registry *registry;
  const char *path;
  edgefw_tsplib file;
} question;

/* --- Library files --- */

/* Does the problem read the file? A refusal is forgotten, unless it is to be the answer. */
static edgefw_status ask(question *q, const edgefw__plugin *plugin, bool keep, bool *reads) {
  edgefw_options *options = NULL;
  int64_t nodes = 0;
  *reads = false;
  if (plugin->kind != EDGEFW_KIND_PROBLEM || !plugin->vtable.problem.file_nodes) return EDGEFW_OK;
  edgefw_status status = edgefw__options_defaults(q->ctx, q->arena, plugin->options, &options);
  if (status != EDGEFW_OK) return status;
  status = plugin->vtable.problem.file_nodes(q->ctx, options, &q->file, &nodes);
  *reads = status == EDGEFW_OK;
  if (status == EDGEFW_OK || status == EDGEFW_OUT_OF_MEMORY || keep) return status;
  edgefw_clear(q->ctx);
  return EDGEFW_OK;
}

/* Does the problem take all that the file has, and nothing else? */
static bool suits(const question *q, const edgefw__plugin *plugin) {
  const edgefw_problem *problem = &plugin->vtable.problem;
  return edgefw__problem_has_depot(problem) == (q->file.demand != NULL) &&
         (problem->coordinates != NULL) == (q->file.coordinates != NULL);
}

static edgefw_status refuse_several(const question *q, const edgefw__text *names) {
  return edgefw_fail(q->ctx, EDGEFW_CONFIG,
                     "%s: several problems read it, %s: say which one is meant with --problem",
                     q->path, edgefw__text_get(names));
}

/* No problem reads it: one says why not. */
static edgefw_status tell_why(question *q) {
  bool reads = false;
  for (size_t p = 0; p < edgefw__registry_count(q->registry); ++p) {
    const edgefw_status status = ask(q, edgefw__registry_at(q->registry, p), true, &reads);
    if (status != EDGEFW_OK) return status;
  }
  return edgefw_fail(q->ctx, EDGEFW_UNSUPPORTED, "%s: no problem plugin here reads such files",
                     q->path);
}

/* Of those that read it, those that suit; of these there must be one. */
static edgefw_status choose(question *q, const edgefw__plugin **out) {
  edgefw__text all = {.ctx = q->ctx}, suiting = {.ctx = q->ctx};
  const edgefw__plugin *reader = NULL, *best = NULL;
  int readers = 0, best_count = 0;
  edgefw_status status = EDGEFW_OK;
  for (size_t p = 0; status == EDGEFW_OK && p < edgefw__registry_count(q->registry); ++p) {
    const edgefw__plugin *plugin = edgefw__registry_at(q->registry, p);
    bool reads = false;
    status = ask(q, plugin, false, &reads);
    if (!reads) continue;
    edgefw__text_add(&all, "%s%s", readers++ ? ", " : "", plugin->descriptor->name);
    reader = plugin;
    if (!suits(q, plugin)) continue;
    edgefw__text_add(&suiting, "%s%s", best_count++ ? ", " : "", plugin->descriptor->name);
    best = plugin;
  }
  if (status == EDGEFW_OK && (all.failed || suiting.failed)) status = edgefw_failure(q->ctx);
  if (status == EDGEFW_OK && readers == 0) status = tell_why(q);
  if (status == EDGEFW_OK && best_count > 1) status = refuse_several(q, &suiting);
  if (status == EDGEFW_OK && best_count == 0 && readers > 1) status = refuse_several(q, &all);
  *out = best ? best : reader;
  edgefw__text_release(&all);
  edgefw__text_release(&suiting);
  return status;
}

/* --- All kinds of files --- */

static edgefw_status of_dataset(const question *q, const edgefw__plugin **out) {
  edgefw__dataset_summary summary;
  const edgefw_status status = edgefw__dataset_info(q->ctx, q->path, &summary);
  if (status != EDGEFW_OK) return status;
  return edgefw_note(q->ctx,
                     edgefw__registry_find(q->registry, EDGEFW_KIND_PROBLEM, summary.problem, out),
                     "the problem of dataset %s", q->path);
}

static edgefw_status of_instances(const question *q, const edgefw__instance_options *options,
                                  const edgefw__plugin **out) {
  edgefw__instance_file file;
  return edgefw__instance_file_read(q->ctx, q->arena, q->path, options, q->registry, out, &file);
}

static edgefw_status of_library(question *q, const edgefw__plugin **out) {
  const edgefw_status status = edgefw__tsplib_read(q->ctx, q->arena, q->path, &q->file);
  return status == EDGEFW_OK ? choose(q, out) : status;
}

edgefw_status edgefw__file_problem(edgefw_context *ctx, const edgefw__registry *registry,
                                   const char *path, const edgefw__instance_options *options,
                                   const edgefw__plugin **out) {
  question q = {.ctx = ctx, .registry = registry, .path = path};
  *out = NULL;
  edgefw_status status = edgefw_arena_create(ctx, &q.arena, "a file", 1 << 16, true);
  if (status != EDGEFW_OK) return status;
  if (edgefw__input_is_dataset(path))
    status = of_dataset(&q, out);
  else if (edgefw__instance_file_is(path))
    status = of_instances(&q, options, out);
  else
    status = of_library(&q, out);
  edgefw_arena_destroy(q.arena);
  return status;
}

edgefw_status edgefw__words_problem(edgefw_context *ctx, const edgefw__registry *registry,
                                    const char *const *words, int count,
                                    const edgefw__instance_options *options,
                                    const edgefw__plugin **out) {
  edgefw__library_files files = {0};
  edgefw_arena *arena = NULL;
  *out = NULL;
  edgefw_status status = edgefw_arena_create(ctx, &arena, "names of files", 0, true);
  for (int w = 0; status == EDGEFW_OK && w < count; ++w)
    status = edgefw__library_files_add(ctx, arena, words[w], &files);
  bool found = false;
  for (int64_t f = 0; status == EDGEFW_OK && !found && f < files.count; ++f) {
    const edgefw_status answer = edgefw__file_problem(ctx, registry, files.paths[f], options, out);
    found = answer == EDGEFW_OK;
    if (answer == EDGEFW_OUT_OF_MEMORY || answer == EDGEFW_CONFIG) status = answer;
    if (!found && status == EDGEFW_OK) edgefw_clear(ctx);
  }
  if (status == EDGEFW_OK && !found)
    status = edgefw__file_problem(ctx, registry, files.paths[0], options, out);
  edgefw_arena_destroy(arena);
  return status;
}
