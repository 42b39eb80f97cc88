/* A heuristic plugin: solutions without anything learned. A variant with `construct = NAME` has one
 * in place of a backbone; its tours are checked, priced, improved and timed like those of a policy.
 * It sees a problem through its declaration alone, so it serves any problem of its kind.
 *
 *   static const edgefw_heuristic heuristic = {.size = sizeof heuristic, .construct = construct};
 *   EDGEFW_PLUGIN(EDGEFW_KIND_HEURISTIC, "nearest", "1.0.0", "go to the nearest", &heuristic,
 * NULL);
 */
#ifndef EDGEFW_HEURISTIC_H
#define EDGEFW_HEURISTIC_H

#include "edgefw/options.h"
#include "edgefw/problem.h"

EDGEFW_BEGIN_DECLS

/* One instance as searches on tours see it: priced arcs, and what routes may carry. */
typedef struct edgefw_route_plan {
  size_t size;         /* set by the core: members behind it are not there */
  edgefw_context *ctx; /* memory, failures, interruption; NULL in searches that nobody interrupts */
  int64_t n;
  const double *cost; /* (n,n) entries of the objective, row = from; diagonal 0 */
  double limit;       /* arcs that cost this or more are forbidden: no tour uses one while it can do
                         without. INFINITY: none is */
  bool depot;         /* node 0 may be visited again and again, never twice in a row */
  int resources;
  const double *demand[EDGEFW_MAX_RESOURCES]; /* (n), 0 at the depot */
  double most[EDGEFW_MAX_RESOURCES];          /* that a route may take: capacity and tolerance */
} edgefw_route_plan;

/* All functions may be called from several threads at once, also on one instance: what `prepare`
 * made is only read by `construct`. Same instance and options, same tours. */
typedef struct edgefw_heuristic {
  size_t size; /* sizeof(edgefw_heuristic) */

  /* Optional (NULL: fits every problem). As edgefw_backbone.supports. */
  bool (*supports)(const edgefw_problem *problem, const edgefw_options *options, char *why,
                   size_t why_size);

  /* Optional (NULL: one for each node, with a depot for each customer, at least 1). Number of
   * different tours that this instance has, at least 1; the best counts. */
  int64_t (*starts)(const edgefw_route_plan *plan, const edgefw_options *options);

  /* Optional (NULL: nothing is shared). What the tours of all starts of an instance have in common;
   * *shared is given to `construct` and, also after a failure, to `release`. */
  edgefw_status (*prepare)(const edgefw_route_plan *plan, const edgefw_options *options,
                           void **shared);

  /* Required with prepare. `shared` may be NULL. */
  void (*release)(const edgefw_route_plan *plan, void *shared);

  /* Required. Write a whole tour, as problem.h has them: n entries, with a depot 2n of which the
   * first is 0 and what is left over is 0. `tour` comes filled with 0. Start s of a problem without
   * depot need not be the tour's first node. Failures: OUT_OF_MEMORY, INTERRUPTED, INFEASIBLE where
   * a customer alone is more than a route may take. */
  edgefw_status (*construct)(const edgefw_route_plan *plan, const edgefw_options *options,
                             const void *shared, int64_t start, int32_t *tour);
} edgefw_heuristic;

/* Cut `count` customers, which are visited in this order, into the routes that cost least together
 * (Beasley 1983, "Route first, cluster second": a shortest path over the places between customers).
 * cost (count + 1) gets what the first j of them cost, INFINITY where one of them alone is more
 * than a route may take; cut (count + 1) where the last route of these begins: behind the first
 * cut[j]. So the last route is behind cut[count], the one before it behind cut[cut[count]], up to
 * 0. Without a resource a route may have any number of customers. O(count times customers a route).
 * Returns cost[count]. */
EDGEFW_API double edgefw_split_order(const edgefw_route_plan *plan, int64_t count,
                                     const int32_t *customers, double *cost, int32_t *cut);

EDGEFW_END_DECLS

#endif
