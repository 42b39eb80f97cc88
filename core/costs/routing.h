/* An instance as solvers see it, with plain arrays: a closed tour over n nodes, or routes from and
 * to node 0 within a capacity. */
#ifndef EDGEFW__ROUTING_H
#define EDGEFW__ROUTING_H

#include "edgefw/problem.h"

typedef struct edgefw__routing {
  int64_t n;            /* nodes, a depot included */
  const double *cost;   /* (n,n), row = from */
  const double *demand; /* (n), 0 at the depot, node 0; NULL: no depot, one tour */
  double capacity;      /* of a route */
  double forbidden;     /* arcs that cost as much or more must not be used; 0: none */
} edgefw__routing;

/* View `instance` of a problem in this way; its data are used, not copied. UNSUPPORTED: the problem
 * declares something that does not fit. */
EDGEFW_NODISCARD edgefw_status edgefw__routing_of(edgefw_context *ctx, const char *problem_name,
                                                  const edgefw_problem *problem,
                                                  const edgefw_instance *instance,
                                                  edgefw__routing *out);

/* May the arc be used? It is a place in `cost`. */
bool edgefw__routing_allows(const edgefw__routing *routing, int64_t arc);

/* Entries of a tour in the form that the problem's `check` takes: n, with a depot 2n (problem.h).
 */
int64_t edgefw__routing_steps(const edgefw__routing *routing);

#endif
