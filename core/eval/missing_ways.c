/* Ways that are missing, by the names of their stops. */
#include "eval/missing_ways.h"

#include <inttypes.h>
#include <stdio.h>

#include "data/forbidden.h"

/* Ways that a message names. */
enum { MOST_NAMED = 5 };

/* What the stop of a node is called. */
static void name_stop(const edgefw__stops *stops, const edgefw_problem *problem, int32_t node,
                      char out[64]) {
  const int64_t stop = edgefw__stops_of_node(stops, problem, node);
  if (stops->names)
    snprintf(out, 64, "'%.58s'", stops->names[stop]);
  else
    snprintf(out, 64, "stop %" PRId64, stop + !stops->from_zero);
}

edgefw_status edgefw__missing_ways(edgefw_context *ctx, const edgefw__instance_set *set,
                                   const edgefw_problem *problem, const edgefw_instance *instance,
                                   const int32_t *tour, int64_t steps, bool proven) {
  const double *cost = edgefw_instance_field(instance, problem->objective);
  char list[MOST_NAMED * 160] = "", from[64], to[64], which[48] = "";
  size_t used = 0;
  int64_t arcs = 0;
  if (!set->stops || !(instance->forbidden > 0.0)) return EDGEFW_OK;
  for (int64_t t = 0; t < steps; ++t) {
    const int32_t i = tour[t], j = tour[(t + 1) % steps];
    if (i == j || cost[i * instance->n + j] < instance->forbidden) continue;
    if (++arcs > MOST_NAMED) continue;
    name_stop(set->stops, problem, i, from);
    name_stop(set->stops, problem, j, to);
    used += (size_t)snprintf(list + used, sizeof list - used, "%sfrom %s to %s",
                             arcs > 1 ? ", " : "", from, to);
  }
  if (arcs == 0) return EDGEFW_OK;
  if (set->count > 1) snprintf(which, sizeof which, ", instance %" PRIu64, instance->id);
  return edgefw_fail(ctx, EDGEFW_INFEASIBLE, "%s%s: %s; the best one lacks %" PRId64 " way%s: %s%s",
                     set->file, which,
                     proven ? "no tour does without ways that are missing"
                            : "no tour without missing ways was found, though there may be one",
                     arcs, arcs == 1 ? "" : "s", list, arcs > MOST_NAMED ? ", ..." : "");
}
