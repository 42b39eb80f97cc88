/* Fixed nodes, from settings to what searches keep. */
#include "eval/prefix.h"

#include <inttypes.h>

#include "data/instance_file.h"
#include "plugin/problem_shape.h"

/* The customer behind a stop of the file, which counts from 1; 0, or the depot's stop: the depot.
 */
static edgefw_status customer_of(edgefw_context *ctx, const edgefw_problem *problem,
                                 const edgefw__instance_set *set, int64_t stop, int64_t place,
                                 int64_t *out) {
  *out = 0;
  if (stop == 0) return EDGEFW_OK;
  for (int64_t node = 0; node < set->n; ++node) {
    if (edgefw__stops_of_node(set->stops, problem, node) + 1 != stop) continue;
    *out = node;
    return EDGEFW_OK;
  }
  return edgefw_fail(ctx, EDGEFW_CONFIG,
                     "entry %" PRId64 " of the fixed nodes is %" PRId64 ": the file has stops 1 to "
                     "%" PRId64,
                     place, stop, set->n);
}

/* list (fixed_count): the settings' nodes as the problem counts them. */
static edgefw_status take_list(edgefw_context *ctx, const edgefw_problem *problem,
                               const edgefw__instance_set *set,
                               const edgefw__eval_settings *settings, int64_t *list) {
  const bool stops = set->stops && edgefw__problem_has_depot(problem);
  edgefw_status status = EDGEFW_OK;
  for (int64_t k = 0; status == EDGEFW_OK && k < settings->fixed_count; ++k) {
    list[k] = settings->fixed[k];
    if (stops) status = customer_of(ctx, problem, set, settings->fixed[k], k + 1, &list[k]);
  }
  return status;
}

edgefw_status edgefw__prefix_open(edgefw_context *ctx, const edgefw_problem *problem,
                                  const edgefw__instance_set *set,
                                  const edgefw__eval_settings *settings, edgefw__prefix *out) {
  const int64_t count = settings->fixed_count;
  *out = (edgefw__prefix){.nodes = NULL};
  if (count == 0) return EDGEFW_OK;
  out->nodes = edgefw_allocate(ctx, (size_t)count + 1, sizeof *out->nodes, "fixed nodes");
  int64_t *list = edgefw_allocate(ctx, (size_t)count, sizeof *list, "fixed nodes");
  edgefw_status status = out->nodes && list ? EDGEFW_OK : edgefw_failure(ctx);
  if (status == EDGEFW_OK) status = take_list(ctx, problem, set, settings, list);
  if (status == EDGEFW_OK)
    status = edgefw__fixed_take(ctx, problem, list, count, out->nodes, &out->fixed);
  if (status == EDGEFW_OK) status = edgefw__fixed_fits(ctx, problem, set->n, &out->fixed);
  edgefw_release(ctx, list);
  return status;
}

void edgefw__prefix_close(edgefw_context *ctx, edgefw__prefix *prefix) {
  edgefw_release(ctx, prefix->nodes);
  prefix->nodes = NULL;
}

edgefw_status edgefw__prefix_check(edgefw_context *ctx, const edgefw_problem *problem,
                                   const char *set, const edgefw__batch *batch,
                                   const edgefw__prefix *prefix) {
  edgefw_status status = EDGEFW_OK;
  for (int64_t b = 0; prefix->nodes && status == EDGEFW_OK && b < batch->count; ++b)
    status = edgefw_note(ctx, edgefw__fixed_check(ctx, problem, batch, b, &prefix->fixed),
                         "set %s, instance %" PRIu64, set, batch->ids[b]);
  return status;
}
