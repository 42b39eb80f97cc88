/* Heuristic `split`: route first, cluster second (Beasley 1983). A giant tour of the customers, the
 * depot left out, is cut into routes at least cost. Giant tours follow the cycles of the optimal
 * assignment over the customers (shared/sequential.h). Start s begins with customer s + 1. Fewer
 * starts than customers are taken where there are many, for they differ less and cost more. */
#include <math.h>
#include <stdio.h>

#include "edgefw/edgefw.h"
#include "shared/sequential.h"

/* So many starts of many customers, ... */
#define MOST_STARTS 64

/* ... and of very many this number divided by them ... */
#define CUSTOMERS 64000

/* ... but at least these. */
#define LEAST_STARTS 10

static bool supports(const edgefw_problem *problem, const edgefw_options *options, char *why,
                     size_t why_size) {
  (void)options;
  if (problem->closing == EDGEFW_CLOSE_AT_DEPOT) return true;
  snprintf(why, why_size, "it cuts a tour into routes, which needs a depot");
  return false;
}

static int64_t starts(const edgefw_route_plan *plan, const edgefw_options *options) {
  (void)options;
  const int64_t customers = plan->n - 1;
  int64_t starts = customers < MOST_STARTS ? customers : MOST_STARTS;
  if (starts > LEAST_STARTS && starts * customers > CUSTOMERS) starts = CUSTOMERS / customers;
  if (customers > LEAST_STARTS && starts < LEAST_STARTS) starts = LEAST_STARTS;
  return starts > 1 ? starts : 1;
}

static edgefw_status prepare(const edgefw_route_plan *plan, const edgefw_options *options,
                             void **shared) {
  (void)options;
  if (plan->n < 2) return EDGEFW_OK;
  sequential *tours = edgefw_allocate(plan->ctx, 1, sizeof *tours, "giant tours");
  if (!tours) return edgefw_failure(plan->ctx);
  *shared = tours;
  return sequential_prepare(plan->ctx, plan->n - 1, plan->n, plan->cost + plan->n + 1, tours);
}

static void release(const edgefw_route_plan *plan, void *shared) {
  if (shared) sequential_release(plan->ctx, shared);
  edgefw_release(plan->ctx, shared);
}

/* A giant tour and its cuts. */
typedef struct giant {
  double *cost;       /* (n) */
  int32_t *cut;       /* (n) */
  int32_t *customers; /* (n - 1) */
} giant;

/* The routes in their order. cut[j] is where the route that ends with customer j begins; turned
 * round, a cut leads from a route's beginning to its end. */
static void write_routes(const giant *g, int64_t customers, int32_t *tour) {
  int64_t end = customers, filled = 0;
  int32_t next = (int32_t)customers;
  while (end > 0) {
    const int32_t begin = g->cut[end];
    g->cut[end] = next;
    next = (int32_t)end;
    end = begin;
  }
  for (int64_t begin = 0; begin < customers;) {
    const int64_t until = begin == 0 ? next : g->cut[begin];
    tour[filled++] = 0;
    for (int64_t k = begin; k < until; ++k) tour[filled++] = g->customers[k];
    begin = until;
  }
}

static edgefw_status cut_tour(const edgefw_route_plan *plan, const sequential *tours, int64_t start,
                              const giant *g, int32_t *tour) {
  const int64_t customers = plan->n - 1;
  const edgefw_status status =
      sequential_tour(plan->ctx, tours, (int32_t)(start % customers), g->customers);
  if (status != EDGEFW_OK) return status;
  for (int64_t k = 0; k < customers; ++k) ++g->customers[k]; /* the depot is node 0 */
  if (!isfinite(edgefw_split_order(plan, customers, g->customers, g->cost, g->cut)))
    return edgefw_fail(plan->ctx, EDGEFW_INFEASIBLE,
                       "a customer alone is more than a route may take");
  write_routes(g, customers, tour);
  return EDGEFW_OK;
}

static edgefw_status construct(const edgefw_route_plan *plan, const edgefw_options *options,
                               const void *shared, int64_t start, int32_t *tour) {
  (void)options;
  const size_t n = (size_t)plan->n;
  if (n < 2) return EDGEFW_OK;
  giant g = {.cost =
                 edgefw_allocate(plan->ctx, n, sizeof *g.cost + 2 * sizeof *g.cut, "a giant tour")};
  if (!g.cost) return edgefw_failure(plan->ctx);
  g.cut = (int32_t *)(void *)(g.cost + n);
  g.customers = g.cut + n;
  const edgefw_status status = cut_tour(plan, shared, start, &g, tour);
  edgefw_release(plan->ctx, g.cost);
  return status;
}

static const edgefw_heuristic heuristic = {.size = sizeof heuristic,
                                           .supports = supports,
                                           .starts = starts,
                                           .prepare = prepare,
                                           .release = release,
                                           .construct = construct};

EDGEFW_PLUGIN(EDGEFW_KIND_HEURISTIC, "split", "1.0.0",
              "giant tours along the cycles of an assignment, cut into routes at least cost",
              &heuristic, NULL);
