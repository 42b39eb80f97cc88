/* Heuristic `nearest`: always go on to the nearest open node, from every start; O(n^2) for each.
 * With a depot start s goes to customer s + 1 first, then to the nearest one that the route can
 * still take, and home when there is none. Forbidden arcs are left to the last: a route goes home
 * before it uses one. Of equal nodes the lower one is nearer. */
#include "edgefw/edgefw.h"

typedef struct walk {
  const edgefw_route_plan *plan;
  int32_t *open; /* (n) nodes that have not been visited, in any order */
  int64_t count;
  double load[EDGEFW_MAX_RESOURCES];
} walk;

static bool fits(const walk *w, int32_t node) {
  for (int r = 0; r < w->plan->resources; ++r)
    if (!(w->load[r] + w->plan->demand[r][node] <= w->plan->most[r])) return false;
  return true;
}

/* Place in `open` of the nearest node that fits; -1: there is none. */
static int64_t find_nearest(const walk *w, int32_t from) {
  const double *cost = w->plan->cost + from * w->plan->n;
  int64_t best = -1;
  for (int64_t k = 0; k < w->count; ++k) {
    const int32_t node = w->open[k];
    if (best >= 0) {
      const int32_t other = w->open[best];
      if (cost[node] > cost[other] || (cost[node] == cost[other] && node > other)) continue;
    }
    if (fits(w, node)) best = k;
  }
  return best;
}

static int32_t visit(walk *w, int64_t at) {
  const int32_t node = w->open[at];
  w->open[at] = w->open[--w->count];
  for (int r = 0; r < w->plan->resources; ++r) w->load[r] += w->plan->demand[r][node];
  return node;
}

static bool is_forbidden(const walk *w, int32_t from, int32_t to) {
  return w->plan->cost[from * w->plan->n + to] >= w->plan->limit;
}

/* Is it better to end the route at `from` than to go to open[at]? */
static bool goes_home(const walk *w, int32_t from, int64_t at) {
  if (!w->plan->depot || from == 0) return false;
  if (at < 0) return true;
  return is_forbidden(w, from, w->open[at]) && !is_forbidden(w, from, 0);
}

static edgefw_status follow(walk *w, int32_t from, int32_t *tour, int64_t filled) {
  while (w->count > 0) {
    const int64_t at = find_nearest(w, from);
    if (edgefw_interrupted(w->plan->ctx))
      return edgefw_fail(w->plan->ctx, EDGEFW_INTERRUPTED, "interrupted on the way to the nearest");
    if (goes_home(w, from, at)) {
      for (int r = 0; r < w->plan->resources; ++r) w->load[r] = 0.0;
      from = 0;
    } else if (at < 0) {
      return edgefw_fail(w->plan->ctx, EDGEFW_INFEASIBLE,
                         "customer %d alone is more than a route may take", (int)w->open[0]);
    } else {
      from = visit(w, at);
    }
    tour[filled++] = from;
  }
  return EDGEFW_OK;
}

/* The first node of a tour, with a depot its first two. */
static edgefw_status begin(walk *w, int64_t start, int32_t *tour) {
  const edgefw_route_plan *plan = w->plan;
  const int32_t first = plan->depot ? 1 : 0;
  for (int32_t node = first; node < plan->n; ++node) w->open[w->count++] = node;
  if (start >= w->count) return EDGEFW_OK; /* a depot without customers */
  if (!fits(w, w->open[start]))
    return edgefw_fail(plan->ctx, EDGEFW_INFEASIBLE,
                       "customer %d alone is more than a route may take", (int)w->open[start]);
  tour[first] = visit(w, start);
  return follow(w, tour[first], tour, first + 1);
}

static edgefw_status construct(const edgefw_route_plan *plan, const edgefw_options *options,
                               const void *shared, int64_t start, int32_t *tour) {
  (void)options;
  (void)shared;
  walk w = {.plan = plan};
  w.open = edgefw_allocate(plan->ctx, (size_t)plan->n, sizeof *w.open, "the open nodes of a tour");
  if (!w.open) return edgefw_failure(plan->ctx);
  const edgefw_status status = begin(&w, start, tour);
  edgefw_release(plan->ctx, w.open);
  return status;
}

static const edgefw_heuristic heuristic = {.size = sizeof heuristic, .construct = construct};

EDGEFW_PLUGIN(EDGEFW_KIND_HEURISTIC, "nearest", "1.0.0",
              "go on to the nearest open node, from every start", &heuristic, NULL);
