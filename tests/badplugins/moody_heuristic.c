/* A heuristic whose tours differ from call to call, and that does not tell of memory that failed.
 */
#include <edgefw/edgefw.h>
#include <stdatomic.h>

static _Atomic int calls;

static bool supports(const edgefw_problem *problem, const edgefw_options *options, char *why,
                     size_t why_size) {
  (void)options;
  (void)why;
  (void)why_size;
  return problem->start == EDGEFW_START_EACH_NODE; /* without a word of why not */
}

static edgefw_status construct(const edgefw_route_plan *plan, const edgefw_options *options,
                               const void *shared, int64_t start, int32_t *tour) {
  const int64_t first = atomic_fetch_add(&calls, 1) / 2 + start;
  (void)options;
  (void)shared;
  edgefw_release(plan->ctx, edgefw_allocate(plan->ctx, 1, 64, "what may fail"));
  for (int64_t i = 0; i < plan->n; ++i) tour[i] = (int32_t)((first + i) % plan->n);
  return EDGEFW_OK;
}

static const edgefw_heuristic heuristic = {
    .size = sizeof heuristic, .supports = supports, .construct = construct};

EDGEFW_PLUGIN(EDGEFW_KIND_HEURISTIC, "moody", "1.0", "a bad heuristic for tests", &heuristic, NULL);
