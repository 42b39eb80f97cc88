/* What every device says of rollouts that cannot be: a tour is followed once more, on the host. */
#include <stdio.h>

#include "edgefw/kernels.h"

typedef struct place {
  bool *visited;
  double left[EDGEFW_MAX_RESOURCES];
  int64_t distinct;
} place;

static bool has_depot(const edgefw_decode_args *args) {
  return args->plan->start == EDGEFW_START_EACH_CUSTOMER;
}

/* To the next node of a tour. */
static void follow(const edgefw_decode_args *args, int64_t b, int32_t node, place *at) {
  if (!at->visited[node]) ++at->distinct;
  at->visited[node] = true;
  for (int r = 0; r < args->plan->resource_count; ++r)
    at->left[r] = has_depot(args) && node == 0
                      ? args->resources.capacity[r][b]
                      : at->left[r] - args->resources.demand[r][b * args->nodes + node];
}

/* The first resource that a node asks too much of, -1 if there is none. */
static int exceeded(const edgefw_decode_args *args, int64_t b, int64_t node, const place *at) {
  for (int r = 0; r < args->plan->resource_count; ++r)
    if (args->resources.demand[r][b * args->nodes + node] >
        at->left[r] + args->resources.slack[r][b])
      return r;
  return -1;
}

/* Why `node` may not be visited at `step`, in `asks` where that takes numbers. */
static const char *why_closed(const edgefw_decode_args *args, int64_t b, int64_t step, int64_t node,
                              const place *at, char *asks, size_t size) {
  if (node < 0 || node >= args->nodes) return "is out of range";
  if (has_depot(args) && step == 0) return "is not the depot, where every tour begins";
  if (has_depot(args) && node == 0) return "is the depot, on which the vehicle stands already";
  if (at->visited[node]) return "was visited before";
  const int r = exceeded(args, b, node, at);
  if (r < 0) return "is behind a forbidden arc, and others are open";
  snprintf(asks, size, "demands %.17g of resource %d, of which %.17g is left",
           args->resources.demand[r][b * args->nodes + node], r, at->left[r]);
  return asks;
}

edgefw_status edgefw_refuse_rollout(edgefw_context *ctx, const edgefw_decode_args *args, int64_t b,
                                    int64_t s, edgefw_refusal why, const int32_t *tour,
                                    int64_t step) {
  const long long instance = b, rollout = args->selection.first_start + s, entry = step;
  if (why == EDGEFW_REFUSAL_NOT_FINITE)
    return edgefw_fail(ctx, EDGEFW_INFEASIBLE,
                       "instance %lld of the batch, rollout %lld, step %lld: the logits are not "
                       "finite",
                       instance, rollout, entry);
  place at = {0};
  at.visited = edgefw_allocate(ctx, (size_t)args->nodes, sizeof *at.visited, "a refused rollout");
  if (!at.visited) return EDGEFW_OUT_OF_MEMORY;
  for (int r = 0; r < args->plan->resource_count; ++r) at.left[r] = args->resources.capacity[r][b];
  for (int64_t t = 0; t < step; ++t) follow(args, b, tour[t], &at);
  char asks[128];
  const edgefw_status status =
      why == EDGEFW_REFUSAL_NO_NODE
          ? edgefw_fail(ctx, EDGEFW_INFEASIBLE,
                        "instance %lld of the batch, rollout %lld: no node is open at step %lld, "
                        "with %lld of %lld nodes visited; a demand above the capacity is the usual "
                        "reason",
                        instance, rollout, entry, (long long)at.distinct, (long long)args->nodes)
          : edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                        "given tour of instance %lld, rollout %lld: node %lld at step %lld %s",
                        instance, rollout, (long long)tour[step], entry,
                        why_closed(args, b, step, tour[step], &at, asks, sizeof asks));
  edgefw_release(ctx, at.visited);
  return status;
}

edgefw_status edgefw_check_steps(edgefw_context *ctx, const edgefw_decode_args *args) {
  /* Every step goes to another customer or to the depot, there never twice in a row. */
  const int64_t steps = has_depot(args) ? 2 * args->nodes : args->nodes;
  if (args->steps == steps) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_INVALID_ARGUMENT,
                     "tours of %lld nodes have %lld entries, not %lld", (long long)args->nodes,
                     (long long)steps, (long long)args->steps);
}
