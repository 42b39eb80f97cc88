/* A routing case with its lists. */
#include "support/ruin_case.h"

#include <stdlib.h>

#include "support/test.h"

void ruin_make(ruin_case *c, int64_t n, uint64_t seed) {
  routing_make(&c->routing, n, true, false, ROUTING_WHOLE, seed);
  c->memory = malloc(edgefw__route_lists_bytes(n, c->routing.plan.resources));
  c->near_memory = malloc(edgefw__ruin_near_bytes(n) + 1);
  assert_non_null(c->memory);
  assert_non_null(c->near_memory);
  edgefw__route_lists_place(&c->lists, &c->routing.plan, c->memory);
  edgefw__route_lists_take(&c->lists, c->routing.tour, c->routing.steps);
  edgefw__ruin_near_find(&c->routing.plan, c->near_memory, &c->near);
}

void ruin_release(ruin_case *c) {
  free(c->near_memory);
  free(c->memory);
  routing_release(&c->routing);
}
