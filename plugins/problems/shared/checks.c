/* What problem plugins have in common: examination of instances, tours and library files. */
#include "checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- Names in messages --- */

node_name name_node(int64_t node, bool has_depot) {
  node_name name = {"the depot"};
  if (!has_depot)
    snprintf(name.text, sizeof name.text, "node %" PRId64, node + 1);
  else if (node > 0)
    snprintf(name.text, sizeof name.text, "customer %" PRId64, node);
  return name;
}

/* --- Instances --- */

edgefw_status accept_costs(edgefw_context *ctx, const edgefw_instance *instance, bool has_depot) {
  const int64_t n = instance->n;
  double *cost = edgefw_instance_field(instance, "cost");
  for (int64_t i = 0; i < n; ++i) cost[i * n + i] = 0.0;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const double c = cost[i * n + j];
      if (c >= 0.0 && c <= EDGEFW_MAX_COST) continue;
      const bool large = c > EDGEFW_MAX_COST && isfinite(c);
      char expected[80] = "a finite number of at least 0";
      if (large)
        snprintf(expected, sizeof expected, "at most %g: divide all costs by a common number",
                 EDGEFW_MAX_COST);
      return edgefw_fail(
          ctx, EDGEFW_INFEASIBLE, INSTANCE_FORMAT "cost from %s to %s is %g%s; expected %s",
          INSTANCE_ARGUMENTS(instance), name_node(i, has_depot).text, name_node(j, has_depot).text,
          c, large ? ", too large for the networks' 32-bit numbers" : "", expected);
    }
  return EDGEFW_OK;
}

edgefw_status check_closed_tour(edgefw_context *ctx, const edgefw_options *options,
                                const edgefw_instance *instance, const int32_t *tour, int64_t count,
                                double *cost) {
  (void)options;
  const int64_t n = instance->n;
  const double *matrix = edgefw_instance_field(instance, "cost");
  if (count != n)
    return edgefw_fail(ctx, EDGEFW_CHECK_FAILED,
                       INSTANCE_FORMAT "the tour has %" PRId64 " nodes; expected %" PRId64,
                       INSTANCE_ARGUMENTS(instance), count, n);
  double total = 0.0;
  for (int64_t t = 0; t < n; ++t) {
    if (tour[t] < 0 || tour[t] >= n)
      return edgefw_fail(ctx, EDGEFW_CHECK_FAILED,
                         INSTANCE_FORMAT "position %" PRId64
                                         " of the tour is node %d; expected 0 to %" PRId64,
                         INSTANCE_ARGUMENTS(instance), t, tour[t], n - 1);
    for (int64_t earlier = 0; earlier < t; ++earlier)
      if (tour[earlier] == tour[t])
        return edgefw_fail(ctx, EDGEFW_CHECK_FAILED,
                           INSTANCE_FORMAT "the tour visits node %d twice",
                           INSTANCE_ARGUMENTS(instance), tour[t]);
  }
  for (int64_t t = 0; t < n; ++t) total += matrix[(int64_t)tour[t] * n + tour[(t + 1) % n]];
  *cost = total;
  return EDGEFW_OK;
}

/* --- Library files --- */

static edgefw_status want_type(edgefw_context *ctx, const edgefw_tsplib *file,
                               const file_wish *wish) {
  if (!file->type[0] || strcmp(file->type, wish->type) == 0) return EDGEFW_OK;
  if (wish->also_type && strcmp(file->type, wish->also_type) == 0) return EDGEFW_OK;
  return edgefw_fail(ctx, EDGEFW_UNSUPPORTED, "%s: TYPE is %s; the problem %s reads %s%s%s",
                     file->path, file->type, wish->problem, wish->type,
                     wish->also_type ? " and " : "", wish->also_type ? wish->also_type : "");
}

edgefw_status want_file(edgefw_context *ctx, const edgefw_tsplib *file, const file_wish *wish) {
  const char *weights = file->edge_weight_type[0] ? file->edge_weight_type : "missing";
  const edgefw_status status = want_type(ctx, file, wish);
  if (status != EDGEFW_OK) return status;
  if (wish->coordinates && !file->coordinates)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED,
                       "%s: EDGE_WEIGHT_TYPE is %s and there is no NODE_COORD_SECTION; the problem "
                       "%s needs coordinates: choose a problem that takes matrices",
                       file->path, weights, wish->problem);
  if (!file->weights)
    return edgefw_fail(ctx, EDGEFW_UNSUPPORTED,
                       "%s: EDGE_WEIGHT_TYPE is %s; the problem %s needs a matrix or coordinates "
                       "with the rule that makes costs of them",
                       file->path, weights, wish->problem);
  return EDGEFW_OK;
}

edgefw_status read_costs(edgefw_context *ctx, const edgefw_options *options,
                         const edgefw_tsplib *file, edgefw_instance *out) {
  (void)ctx;
  (void)options;
  memcpy(edgefw_instance_field(out, "cost"), file->weights,
         (size_t)(out->n * out->n) * sizeof(double));
  return EDGEFW_OK;
}
