/* A heuristic that leaves out the last node of larger instances. */
#include <edgefw/edgefw.h>

static edgefw_status construct(const edgefw_route_plan *plan, const edgefw_options *options,
                               const void *shared, int64_t start, int32_t *tour) {
  const int64_t count = plan->n > 5 ? plan->n - 1 : plan->n;
  (void)options;
  (void)shared;
  for (int64_t i = 0; i < plan->n; ++i) tour[i] = (int32_t)((start + i) % count);
  return EDGEFW_OK;
}

static const edgefw_heuristic heuristic = {.size = sizeof heuristic, .construct = construct};

EDGEFW_PLUGIN(EDGEFW_KIND_HEURISTIC, "lossy", "1.0", "a bad heuristic for tests", &heuristic, NULL);
