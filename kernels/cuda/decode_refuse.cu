/* Why a rollout could not go on, in the words of kernels/reference: its tour is followed once more,
 * on the host. */
#include "decode.cuh"

typedef struct decode_place {
  bool *visited;
  double left[EDGEFW_MAX_RESOURCES];
  int64_t distinct, current;
} decode_place;

static bool has_depot(const edgefw_decode_args *args) {
  return args->plan->start == EDGEFW_START_EACH_CUSTOMER;
}

/* To the node that entry `step` of the tour is. */
static void follow(const edgefw_decode_args *args, int64_t b, int32_t node, decode_place *place) {
  if (!place->visited[node]) ++place->distinct;
  place->visited[node] = true;
  place->current = node;
  for (int r = 0; r < args->plan->resource_count; ++r)
    place->left[r] = has_depot(args) && node == 0
                         ? args->resources.capacity[r][b]
                         : place->left[r] - args->resources.demand[r][b * args->nodes + node];
}

/* The first resource that a node asks too much of, -1 if there is none. */
static int exceeded(const edgefw_decode_args *args, int64_t b, int64_t node,
                    const decode_place *place) {
  for (int r = 0; r < args->plan->resource_count; ++r)
    if (args->resources.demand[r][b * args->nodes + node] >
        place->left[r] + args->resources.slack[r][b])
      return r;
  return -1;
}

/* Why `node` may not be visited at `step`, in `asks` where that takes numbers. */
static const char *why_closed(const edgefw_decode_args *args, int64_t b, int64_t step, int64_t node,
                              const decode_place *place, char *asks, size_t size) {
  if (node < 0 || node >= args->nodes) return "is out of range";
  if (has_depot(args) && step == 0) return "is not the depot, where every tour begins";
  if (has_depot(args) && node == 0) return "is the depot, on which the vehicle stands already";
  const int r = place->visited[node] ? -1 : exceeded(args, b, node, place);
  if (place->visited[node]) return "was visited before";
  if (r < 0) return "is behind a forbidden arc, and others are open";
  snprintf(asks, size, "demands %.17g of resource %d, of which %.17g is left",
           args->resources.demand[r][b * args->nodes + node], r, place->left[r]);
  return asks;
}

edgefw_status edgefw__cuda_decode_refuse(edgefw_device *device, const edgefw_decode_args *args,
                                         int64_t b, int64_t s, int32_t failure,
                                         const int32_t *tour) {
  const long long step = failure / DECODE_FAILURES,
                  rollout = (long long)(args->selection.first_start + s);
  const int why = failure % DECODE_FAILURES;
  if (why == DECODE_NOT_FINITE)
    return edgefw_fail(device->ctx, EDGEFW_INFEASIBLE,
                       "instance %lld of the batch, rollout %lld, step %lld: the logits are not "
                       "finite",
                       (long long)b, rollout, step);
  decode_place place = {};
  place.visited = (bool *)edgefw_allocate(device->ctx, (size_t)args->nodes, sizeof *place.visited,
                                          "a refused rollout");
  if (!place.visited) return EDGEFW_OUT_OF_MEMORY;
  for (int r = 0; r < args->plan->resource_count; ++r)
    place.left[r] = args->resources.capacity[r][b];
  for (int64_t t = 0; t < step; ++t) follow(args, b, tour[t], &place);
  char asks[128];
  const edgefw_status status =
      why == DECODE_NO_NODE
          ? edgefw_fail(device->ctx, EDGEFW_INFEASIBLE,
                        "instance %lld of the batch, rollout %lld: no node is open at step %lld, "
                        "with %lld of %lld nodes visited; a demand above the capacity is the usual "
                        "reason",
                        (long long)b, rollout, step, (long long)place.distinct,
                        (long long)args->nodes)
          : edgefw_fail(device->ctx, EDGEFW_INVALID_ARGUMENT,
                        "given tour of instance %lld, rollout %lld: node %lld at step %lld %s",
                        (long long)b, rollout, (long long)tour[step], step,
                        why_closed(args, b, step, tour[step], &place, asks, sizeof asks));
  edgefw_release(device->ctx, place.visited);
  return status;
}
