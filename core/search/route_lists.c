/* Linked lists of customers, one for each route. */
#include "search/route_lists.h"

#include <string.h>

/* --- Memory --- */

size_t edgefw__route_lists_bytes(int64_t n, int resources) {
  const size_t bytes = (size_t)n * (6 * sizeof(int32_t) + (2 + (size_t)resources) * sizeof(double));
  return (bytes + 63) / 64 * 64;
}

void edgefw__route_lists_place(edgefw__route_lists *lists, const edgefw_route_plan *plan,
                               void *memory) {
  const int64_t n = plan->n;
  lists->plan = plan;
  lists->routes = 0;
  lists->load = memory;
  lists->arc = lists->load + plan->resources * n;
  lists->closing = lists->arc + n;
  lists->next = (int32_t *)(void *)(lists->closing + n);
  lists->before = lists->next + n;
  lists->route = lists->before + n;
  lists->first = lists->route + n;
  lists->last = lists->first + n;
  lists->count = lists->last + n;
}

/* --- Tours --- */

static void append(edgefw__route_lists *lists, int32_t customer, int64_t r) {
  edgefw__route_lists_insert(lists, customer, r, r < lists->routes ? lists->last[r] : 0);
}

void edgefw__route_lists_take(edgefw__route_lists *lists, const int32_t *tour, int64_t steps) {
  bool begins = true;
  lists->routes = 0;
  for (int64_t i = 0; i < lists->plan->n; ++i) lists->route[i] = EDGEFW__NO_ROUTE;
  for (int64_t t = 0; t < steps; ++t) {
    if (tour[t] != 0) append(lists, tour[t], begins ? lists->routes : lists->routes - 1);
    begins = tour[t] == 0;
  }
  for (int64_t r = 0; r < lists->routes; ++r) edgefw__route_lists_weigh(lists, r);
}

void edgefw__route_lists_give(const edgefw__route_lists *lists, int32_t *tour, int64_t steps) {
  int64_t t = 0;
  for (int64_t r = 0; r < lists->routes; ++r) {
    if (lists->count[r] == 0) continue;
    tour[t++] = 0;
    for (int32_t c = lists->first[r]; c != 0; c = lists->next[c]) tour[t++] = c;
  }
  while (t < steps) tour[t++] = 0;
}

double edgefw__route_lists_length(const edgefw__route_lists *lists) {
  double length = 0.0;
  for (int64_t r = 0; r < lists->routes; ++r) {
    int32_t from = 0;
    if (lists->count[r] == 0) continue;
    for (int32_t c = lists->first[r]; c != 0; from = c, c = lists->next[c])
      length += edgefw__route_cost(lists->plan, from, c);
    length += edgefw__route_cost(lists->plan, from, 0);
  }
  return length;
}

/* --- Customers --- */

/* Cost of the arc into `next`, or, where that is 0, of the one that closes route r. */
static double *arc_into(edgefw__route_lists *lists, int32_t next, int64_t r) {
  return next ? &lists->arc[next] : &lists->closing[r];
}

/* Make `before` and `next` neighbours in route r; 0 is its beginning or its end. */
static void link_up(edgefw__route_lists *lists, int64_t r, int32_t before, int32_t next) {
  *(before ? &lists->next[before] : &lists->first[r]) = next;
  *(next ? &lists->before[next] : &lists->last[r]) = before;
  *arc_into(lists, next, r) = edgefw__route_cost(lists->plan, before, next);
}

double edgefw__route_lists_remove(edgefw__route_lists *lists, int32_t customer) {
  const int32_t before = lists->before[customer], next = lists->next[customer];
  const int32_t r = lists->route[customer];
  const double removed = lists->arc[customer] + *arc_into(lists, next, r);
  link_up(lists, r, before, next);
  lists->route[customer] = EDGEFW__NO_ROUTE;
  --lists->count[r];
  return removed - *arc_into(lists, next, r);
}

void edgefw__route_lists_insert(edgefw__route_lists *lists, int32_t customer, int64_t r,
                                int32_t before) {
  const int64_t n = lists->plan->n;
  if (r == lists->routes) {
    ++lists->routes;
    lists->count[r] = lists->first[r] = lists->last[r] = 0;
    for (int k = 0; k < lists->plan->resources; ++k) lists->load[k * n + r] = 0.0;
  }
  const int32_t next = before ? lists->next[before] : lists->first[r];
  link_up(lists, r, before, customer);
  link_up(lists, r, customer, next);
  lists->route[customer] = (int32_t)r;
  ++lists->count[r];
  for (int k = 0; k < lists->plan->resources; ++k)
    lists->load[k * n + r] += lists->plan->demand[k][customer];
}

void edgefw__route_lists_weigh(edgefw__route_lists *lists, int64_t r) {
  for (int k = 0; k < lists->plan->resources; ++k) {
    double load = 0.0;
    if (lists->count[r] > 0)
      for (int32_t c = lists->first[r]; c != 0; c = lists->next[c])
        load += lists->plan->demand[k][c];
    lists->load[k * lists->plan->n + r] = load;
  }
}

bool edgefw__route_lists_fits(const edgefw__route_lists *lists, int32_t customer, int64_t r) {
  const edgefw_route_plan *plan = lists->plan;
  for (int k = 0; k < plan->resources; ++k)
    if (lists->load[k * plan->n + r] + plan->demand[k][customer] > plan->most[k]) return false;
  return true;
}

int64_t edgefw__route_lists_empty(const edgefw__route_lists *lists) {
  for (int64_t r = 0; r < lists->routes; ++r)
    if (lists->count[r] == 0) return r;
  return lists->routes;
}

/* --- Copies --- */

void edgefw__route_lists_copy_route(edgefw__route_lists *to, const edgefw__route_lists *from,
                                    int64_t r) {
  const int64_t n = from->plan->n;
  to->first[r] = from->first[r];
  to->last[r] = from->last[r];
  to->count[r] = from->count[r];
  to->closing[r] = from->closing[r];
  for (int k = 0; k < from->plan->resources; ++k) to->load[k * n + r] = from->load[k * n + r];
  if (from->count[r] == 0) return;
  for (int32_t c = from->first[r]; c != 0; c = from->next[c]) {
    to->next[c] = from->next[c];
    to->before[c] = from->before[c];
    to->arc[c] = from->arc[c];
    to->route[c] = (int32_t)r;
  }
}

void edgefw__route_lists_copy(edgefw__route_lists *to, const edgefw__route_lists *from) {
  to->routes = from->routes;
  for (int64_t r = 0; r < from->routes; ++r) edgefw__route_lists_copy_route(to, from, r);
}
