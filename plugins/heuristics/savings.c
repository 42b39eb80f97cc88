/* Heuristic `savings`: Clarke and Wright (1964), "Scheduling of vehicles from a central depot to a
 * number of delivery points"; the parallel version. Each customer has a route of its own; then, as
 * long as that saves anything, the two routes are joined whose joint i -> j saves most:
 * c_i0 + c_0j - c_ij, where i ends one route, j begins another, and the two together are not more
 * than a route may take. Where all arcs cost the same in both directions a route may be turned
 * round for it. One start. */
#include <inttypes.h>
#include <stdio.h>

#include "edgefw/edgefw.h"

typedef struct merger {
  const edgefw_route_plan *plan;
  bool symmetric;
  int32_t *next, *before;             /* (n) on a customer's route; 0: the depot */
  int32_t *route;                     /* (n) number of a customer's route: one of its customers */
  double *load[EDGEFW_MAX_RESOURCES]; /* (n) of a route */
  double *saving;                     /* (n) the most that a joint behind a customer saves */
  int32_t *joint;                     /* (n) with whom */
  int32_t *heap, count;               /* (n) customers, the one with the best joint first */
} merger;

static bool supports(const edgefw_problem *problem, const edgefw_options *options, char *why,
                     size_t why_size) {
  (void)options;
  if (problem->closing == EDGEFW_CLOSE_AT_DEPOT) return true;
  snprintf(why, why_size, "it joins routes from a depot, and there is none");
  return false;
}

static int64_t starts(const edgefw_route_plan *plan, const edgefw_options *options) {
  (void)plan;
  (void)options;
  return 1;
}

/* --- Joints --- */

static double arc(const merger *m, int64_t from, int64_t to) {
  return m->plan->cost[from * m->plan->n + to];
}

/* May a route end with i, or, turned round, begin with it? */
static bool is_end(const merger *m, int32_t i) {
  return m->next[i] == 0 || (m->symmetric && m->before[i] == 0);
}

static bool is_beginning(const merger *m, int32_t j) {
  return m->before[j] == 0 || (m->symmetric && m->next[j] == 0);
}

static bool may_join(const merger *m, int32_t i, int32_t j) {
  const int32_t a = m->route[i], b = m->route[j];
  if (a == b || !is_end(m, i) || !is_beginning(m, j)) return false;
  for (int r = 0; r < m->plan->resources; ++r)
    if (m->load[r][a] + m->load[r][b] > m->plan->most[r]) return false;
  return true;
}

/* The best joint behind i as routes are now; false: none saves anything. Routes only grow, so none
 * that was refused comes back. */
static bool find_joint(const merger *m, int32_t i) {
  m->saving[i] = 0.0;
  m->joint[i] = 0;
  if (!is_end(m, i)) return false;
  const double home = arc(m, i, 0);
  for (int32_t j = 1; j < m->plan->n; ++j) {
    const double saving = home + arc(m, 0, j) - arc(m, i, j);
    if (!(saving > m->saving[i]) || !may_join(m, i, j)) continue;
    m->saving[i] = saving;
    m->joint[i] = j;
  }
  return m->joint[i] != 0;
}

/* --- The customers with joints, the best one first --- */

static bool is_better(const merger *m, int32_t a, int32_t b) {
  if (m->saving[a] != m->saving[b]) return m->saving[a] > m->saving[b];
  return a < b;
}

static void sink(merger *m, int32_t at) {
  const int32_t customer = m->heap[at];
  for (int32_t child; (child = 2 * at + 1) < m->count; at = child) {
    if (child + 1 < m->count && is_better(m, m->heap[child + 1], m->heap[child])) ++child;
    if (!is_better(m, m->heap[child], customer)) break;
    m->heap[at] = m->heap[child];
  }
  m->heap[at] = customer;
}

/* --- Routes --- */

static void turn_round(merger *m, int32_t first) {
  for (int32_t x = first; x != 0;) {
    const int32_t next = m->next[x];
    m->next[x] = m->before[x];
    m->before[x] = next;
    x = next;
  }
}

/* Some customer's route from its first one on. */
static int32_t first_of(const merger *m, int32_t x) {
  while (m->before[x] != 0) x = m->before[x];
  return x;
}

static void join(merger *m, int32_t i, int32_t j) {
  const int32_t a = m->route[i], b = m->route[j];
  if (m->next[i] != 0) turn_round(m, first_of(m, i));
  if (m->before[j] != 0) turn_round(m, first_of(m, j));
  m->next[i] = j;
  m->before[j] = i;
  for (int32_t x = j; x != 0; x = m->next[x]) m->route[x] = a;
  for (int r = 0; r < m->plan->resources; ++r) m->load[r][a] += m->load[r][b];
}

static void begin(merger *m) {
  const edgefw_route_plan *plan = m->plan;
  m->symmetric = true;
  for (int64_t i = 1; i < plan->n && m->symmetric; ++i)
    for (int64_t j = 0; j < i && m->symmetric; ++j) m->symmetric = arc(m, i, j) == arc(m, j, i);
  for (int32_t i = 1; i < plan->n; ++i) {
    m->route[i] = i;
    for (int r = 0; r < plan->resources; ++r) m->load[r][i] = plan->demand[r][i];
  }
  for (int32_t i = 1; i < plan->n; ++i)
    if (find_joint(m, i)) m->heap[m->count++] = i;
  for (int32_t at = m->count / 2; at-- > 0;) sink(m, at);
}

/* A joint that has become impossible gives way to the next best of its customer. */
static edgefw_status merge(merger *m) {
  while (m->count > 0) {
    const int32_t i = m->heap[0];
    if (edgefw_interrupted(m->plan->ctx))
      return edgefw_fail(m->plan->ctx, EDGEFW_INTERRUPTED, "interrupted while joining routes");
    if (may_join(m, i, m->joint[i])) join(m, i, m->joint[i]);
    if (!find_joint(m, i)) m->heap[0] = m->heap[--m->count];
    sink(m, 0);
  }
  return EDGEFW_OK;
}

static void write_routes(const merger *m, int32_t *tour) {
  int64_t filled = 0;
  for (int32_t first = 1; first < m->plan->n; ++first) {
    if (m->before[first] != 0) continue;
    tour[filled++] = 0;
    for (int32_t x = first; x != 0; x = m->next[x]) tour[filled++] = x;
  }
}

static edgefw_status check_demands(const edgefw_route_plan *plan) {
  for (int r = 0; r < plan->resources; ++r)
    for (int64_t i = 1; i < plan->n; ++i)
      if (plan->demand[r][i] > plan->most[r])
        return edgefw_fail(plan->ctx, EDGEFW_INFEASIBLE,
                           "customer %" PRId64 " alone is more than a route may take", i);
  return EDGEFW_OK;
}

static edgefw_status construct(const edgefw_route_plan *plan, const edgefw_options *options,
                               const void *shared, int64_t start, int32_t *tour) {
  (void)options;
  (void)shared;
  (void)start;
  const size_t n = (size_t)plan->n, resources = (size_t)plan->resources;
  merger m = {.plan = plan};
  edgefw_status status = check_demands(plan);
  if (status != EDGEFW_OK || n < 2) return status;
  m.saving = edgefw_allocate(plan->ctx, n, (1 + resources) * sizeof *m.saving + 5 * sizeof *m.next,
                             "routes and savings");
  if (!m.saving) return edgefw_failure(plan->ctx);
  for (size_t r = 0; r < resources; ++r) m.load[r] = m.saving + (r + 1) * n;
  m.next = (int32_t *)(void *)(m.saving + (1 + resources) * n);
  m.before = m.next + n;
  m.route = m.before + n;
  m.joint = m.route + n;
  m.heap = m.joint + n;
  begin(&m);
  status = merge(&m);
  if (status == EDGEFW_OK) write_routes(&m, tour);
  edgefw_release(plan->ctx, m.saving);
  return status;
}

static const edgefw_heuristic heuristic = {
    .size = sizeof heuristic, .supports = supports, .starts = starts, .construct = construct};

EDGEFW_PLUGIN(EDGEFW_KIND_HEURISTIC, "savings", "1.0.0",
              "one route for each customer, joined where that saves most (Clarke and Wright)",
              &heuristic, NULL);
