/* Small random instances for searches on finished tours, with their optimum by trying everything.
 */
#ifndef EDGEFW_TESTS_SUPPORT_ROUTING_CASE_H
#define EDGEFW_TESTS_SUPPORT_ROUTING_CASE_H

#include "search/nearby.h"
#include "search/routes.h"

enum { ROUTING_MOST = 9 }; /* nodes */

/* What the costs of a case are like. */
typedef enum routing_costs {
  ROUTING_WHOLE,     /* 1 .. 100 */
  ROUTING_FRACTIONS, /* in [0, 1) */
  ROUTING_FEW,       /* 0, 1 or 2: many are equal, some are 0 */
  ROUTING_HUGE,      /* whole numbers up to 2^53 / n */
  ROUTING_COST_KINDS
} routing_costs;

typedef struct routing_case {
  edgefw_route_plan plan;
  edgefw__nearby nearby;
  edgefw__routes routes;
  double cost[ROUTING_MOST * ROUTING_MOST], demand[ROUTING_MOST];
  int32_t near[ROUTING_MOST * ROUTING_MOST];
  double tail[ROUTING_MOST], head[ROUTING_MOST];
  int32_t
      tour[2 * ROUTING_MOST]; /* a random one; with a depot its routes are as full as they get */
  int64_t steps;
  void *memory; /* of `routes` */
} routing_case;

/* Make a case of n nodes; with a depot customers have demands 1 .. 9 and routes carry 15. Release
 * with routing_release. */
void routing_make(routing_case *c, int64_t n, bool depot, bool symmetric, routing_costs costs,
                  uint64_t seed);
void routing_release(routing_case *c);

/* Another random tour of the case. */
void routing_random_tour(const routing_case *c, uint64_t seed, int32_t *tour);

/* Fails the test unless the tour visits every node once and overloads no route. */
void routing_check(const routing_case *c, const int32_t *tour);

/* Cost of the best solution that there is. */
double routing_optimum(const routing_case *c);

/* Take the case's tour into its routes, as local search does. */
void routing_take(routing_case *c);

/* Write what the routes hold, check it, and return its cost. */
double routing_cost(const routing_case *c);

#endif
