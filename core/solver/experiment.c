/* Running experiments for applications. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log_sink.h"
#include "base/onlooker.h"
#include "base/path.h"
#include "edgefw/solver.h"
#include "experiment/run.h"
#include "files/checkpoint.h"
#include "plugin/sized.h"

/* One run. */
typedef struct running {
  edgefw_run_request request;
  edgefw__onlooker onlooker;
} running;

static void tell(void *user, const edgefw__run_progress *progress) {
  running *r = user;
  const edgefw_run_progress told = {.size = sizeof told,
                                    .variant = progress->variant,
                                    .what = progress->what,
                                    .done = progress->done,
                                    .total = progress->total,
                                    .rate = progress->rate,
                                    .remaining = progress->remaining,
                                    .cost = progress->score};
  if (!r->request.progress(r->request.user, &told)) atomic_store(&r->onlooker.stop, true);
}

static edgefw_status take_request(edgefw_context *ctx, const edgefw_run_request *given,
                                  edgefw_run_request *out) {
  const unsigned all = EDGEFW_STEP_TRAIN | EDGEFW_STEP_EVAL | EDGEFW_STEP_DIAGNOSTICS;
  char why[200];
  *out = (edgefw_run_request){.size = sizeof *out};
  if (!given) return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT, "no request is given");
  if (!edgefw__sized_check(given, offsetof(edgefw_run_request, sets), why, sizeof why))
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT, "edgefw_run_request: %s", why);
  edgefw__sized_take(out, sizeof *out, given);
  if (!out->config)
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT, "the request names no configuration");
  if (out->set_count < 0 || out->set_count > INT32_MAX || (out->set_count > 0 && !out->sets))
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT, "%lld overrides; expected 0 or more",
                       (long long)out->set_count);
  if (out->steps & ~all)
    return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                       "steps = %u: expected a combination of EDGEFW_STEP_", out->steps);
  return EDGEFW_OK;
}

static unsigned steps_of(unsigned steps) {
  return (steps & EDGEFW_STEP_TRAIN ? EDGEFW__RUN_TRAIN : 0u) |
         (steps & EDGEFW_STEP_EVAL ? EDGEFW__RUN_EVAL : 0u) |
         (steps & EDGEFW_STEP_DIAGNOSTICS ? EDGEFW__RUN_DIAGNOSE : 0u);
}

static edgefw_status run(edgefw_context *ctx, running *r, const edgefw__registry *registry,
                         const edgefw__config *config) {
  edgefw__run_request request = {.registry = registry,
                                 .config = config,
                                 .folder = r->request.folder,
                                 .steps = steps_of(r->request.steps),
                                 .variant = r->request.variant,
                                 .fresh = r->request.fresh,
                                 .observer = r->request.progress ? tell : NULL,
                                 .user = r};
  edgefw__text table = {.ctx = ctx};
  edgefw__log_sink_of(ctx, &request.sink, &request.sink_user);
  edgefw__set_onlooker(ctx, &r->onlooker);
  const edgefw_status status = edgefw__experiment_run(ctx, &request, &table);
  edgefw__set_onlooker(ctx, NULL);
  edgefw__text_release(&table); /* table.md has it */
  return status;
}

edgefw_status edgefw_experiment_run(edgefw_context *ctx, const edgefw_run_request *request) {
  running r = {.onlooker = {.look = NULL}};
  edgefw__registry *registry = NULL;
  edgefw__config *config = NULL;
  edgefw_clear(ctx);
  edgefw_status status = take_request(ctx, request, &r.request);
  if (status == EDGEFW_OK) status = edgefw__registry_create(ctx, r.request.plugin_path, &registry);
  if (status == EDGEFW_OK)
    status = edgefw__config_load(ctx, registry, r.request.config, r.request.sets,
                                 (int)r.request.set_count, &config);
  if (status == EDGEFW_OK) status = run(ctx, &r, registry, config);
  edgefw__config_destroy(config);
  edgefw__registry_destroy(registry);
  return status;
}

/* --- What it has left --- */

edgefw_status edgefw_experiment_checkpoint(edgefw_context *ctx, const char *folder, char *path,
                                           size_t room) {
  edgefw_arena *arena = NULL;
  edgefw_clear(ctx);
  edgefw_status status = edgefw_arena_create(ctx, &arena, "path of a checkpoint", 0, true);
  char *found =
      status == EDGEFW_OK ? edgefw__path_join(arena, folder, EDGEFW__CHECKPOINT_BEST) : NULL;
  if (status == EDGEFW_OK && !found) status = edgefw_failure(ctx);
  if (status == EDGEFW_OK && access(found, F_OK) != 0)
    status = edgefw__checkpoint_latest(ctx, arena, folder, &found);
  if (status == EDGEFW_OK && !found)
    status = edgefw_fail(ctx, EDGEFW_IO, "'%s' has no checkpoint", folder);
  if (status == EDGEFW_OK && strlen(found) >= room)
    status = edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                         "the path of the checkpoint has %zu bytes; there is room for %zu",
                         strlen(found) + 1, room);
  if (status == EDGEFW_OK) snprintf(path, room, "%s", found);
  edgefw_arena_destroy(arena);
  return status;
}
