/* Fixed nodes, from settings to what searches keep. */
#include "eval/prefix.h"

#include <inttypes.h>

edgefw_status edgefw__prefix_open(edgefw_context *ctx, const edgefw_problem *problem,
                                  const edgefw__eval_settings *settings, edgefw__prefix *out) {
  *out = (edgefw__prefix){.nodes = NULL};
  if (settings->fixed_count == 0) return EDGEFW_OK;
  out->nodes =
      edgefw_allocate(ctx, (size_t)settings->fixed_count + 1, sizeof *out->nodes, "fixed nodes");
  if (!out->nodes) return edgefw_failure(ctx);
  return edgefw__fixed_take(ctx, problem, settings->fixed, settings->fixed_count, out->nodes,
                            &out->fixed);
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
