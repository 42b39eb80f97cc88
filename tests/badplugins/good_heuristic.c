/* A heuristic with a key and with memory: nodes in their order, or in the opposite one, from each
 * start on; with a depot a route for each customer. */
#include <edgefw/edgefw.h>
#include <string.h>

static const edgefw_option options[] = {
    {"order", EDGEFW_OPTION_CHOICE, "up", "up|down", "which way it counts", 0, 0}, {0}};

/* The nodes in the order of start 0. */
static edgefw_status prepare(const edgefw_route_plan *plan, const edgefw_options *options_,
                             void **shared) {
  const int64_t first = plan->depot ? 1 : 0, count = plan->n - first;
  int32_t *order = edgefw_allocate(plan->ctx, (size_t)plan->n, sizeof *order, "an order of nodes");
  *shared = order;
  if (!order) return edgefw_failure(plan->ctx);
  for (int64_t i = 0; i < count; ++i)
    order[i] =
        (int32_t)(edgefw_options_choice(options_, "order") == 0 ? first + i : plan->n - 1 - i);
  return EDGEFW_OK;
}

static void release(const edgefw_route_plan *plan, void *shared) {
  edgefw_release(plan->ctx, shared);
}

static edgefw_status construct(const edgefw_route_plan *plan, const edgefw_options *options_,
                               const void *shared, int64_t start, int32_t *tour) {
  const int32_t *order = shared;
  const int64_t count = plan->n - (plan->depot ? 1 : 0);
  const int64_t step = plan->depot ? 2 : 1;
  (void)options_;
  for (int64_t i = 0; i < count; ++i)
    tour[i * step + (plan->depot ? 1 : 0)] = order[(start + i) % count];
  return EDGEFW_OK;
}

static const edgefw_heuristic heuristic = {
    .size = sizeof heuristic, .prepare = prepare, .release = release, .construct = construct};

EDGEFW_PLUGIN_ALIASED(EDGEFW_KIND_HEURISTIC, "inorder", "by_number", "1.0", "a heuristic for tests",
                      &heuristic, options);
