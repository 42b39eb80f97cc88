/* Routes as linked lists of customers: taking some out and putting them elsewhere costs no more
 * than the routes that are touched, however many there are. */
#ifndef EDGEFW__ROUTE_LISTS_H
#define EDGEFW__ROUTE_LISTS_H

#include "search/route_plan.h"

/* In place of a route: the customer is in none. */
#define EDGEFW__NO_ROUTE (-1)

/* Route r is the customers from first[r] on by `next`; 0 ends it on both sides. Routes without
 * customers cost nothing and stay where they are until one is needed. */
typedef struct edgefw__route_lists {
  const edgefw_route_plan *plan;
  int64_t routes;  /* in use, or without customers: 0 .. routes - 1 */
  int32_t *next;   /* (n) */
  int32_t *before; /* (n) */
  int32_t *route;  /* (n) of a customer, or EDGEFW__NO_ROUTE */
  int32_t *first;  /* (n) of a route */
  int32_t *last;   /* (n) */
  int32_t *count;  /* (n) customers of a route */
  double *arc;     /* (n) cost of the arc into a customer */
  double *closing; /* (n) of the last arc of a route with customers */
  double *load;    /* (resources,n) of a route */
} edgefw__route_lists;

/* Bytes of the arrays for n nodes, and giving them to `lists` from such a block (aligned as memory
 * of edgefw_allocate is). */
size_t edgefw__route_lists_bytes(int64_t n, int resources);
void edgefw__route_lists_place(edgefw__route_lists *lists, const edgefw_route_plan *plan,
                               void *memory);

/* Take a tour of `steps` entries, as problem.h has them, of a plan with a depot. */
void edgefw__route_lists_take(edgefw__route_lists *lists, const int32_t *tour, int64_t steps);

/* Write it, one route after the other. */
void edgefw__route_lists_give(const edgefw__route_lists *lists, int32_t *tour, int64_t steps);

/* Cost of all routes, added up in the order in which they would be written. */
double edgefw__route_lists_length(const edgefw__route_lists *lists);

/* Take a customer out. Returns what the routes cost less. The route's load is out of date until
 * edgefw__route_lists_weigh. */
double edgefw__route_lists_remove(edgefw__route_lists *lists, int32_t customer);

/* Put a customer that is in no route behind `before` of route r (0: at its beginning); r may be a
 * route without customers or one past the last. */
void edgefw__route_lists_insert(edgefw__route_lists *lists, int32_t customer, int64_t r,
                                int32_t before);

/* Add up the load of a route anew, so that no rounding gathers. */
void edgefw__route_lists_weigh(edgefw__route_lists *lists, int64_t r);

/* May this customer join route r? */
bool edgefw__route_lists_fits(const edgefw__route_lists *lists, int32_t customer, int64_t r);

/* A route without customers, or one past the last. */
int64_t edgefw__route_lists_empty(const edgefw__route_lists *lists);

/* Make route r of `to` what it is in `from`. Copying all routes in which two lists differ makes
 * them equal; `to` has as many routes as `from` then, if told so. */
void edgefw__route_lists_copy_route(edgefw__route_lists *to, const edgefw__route_lists *from,
                                    int64_t r);

/* Make all of `to` what it is in `from`, of the same plan. */
void edgefw__route_lists_copy(edgefw__route_lists *to, const edgefw__route_lists *from);

#endif
