/* Where customers go that were taken out of their routes. */
#include <math.h>

#include "search/ruin.h"

/* A place is passed over this often. */
#define BLINK 0.01

/* How often customers come back in which order, as shares of 11. */
enum { BY_CHANCE = 4, BY_DEMAND = 4, FARTHEST_FIRST = 2, ORDERS = 11 };

/* --- The order --- */

static double demand_of(const edgefw_route_plan *plan, int32_t customer) {
  double demand = 0.0;
  for (int k = 0; k < plan->resources; ++k)
    if (plan->most[k] > 0.0) demand += plan->demand[k][customer] / plan->most[k];
  return demand;
}

/* The customer with the least key comes first. */
static double key_of(const edgefw_route_plan *plan, int32_t customer, int64_t order,
                     edgefw__ruin_random *random) {
  if (order < BY_CHANCE) return edgefw__ruin_unit(random);
  if (order < BY_CHANCE + BY_DEMAND) return -demand_of(plan, customer);
  const double away = edgefw__route_cost(plan, 0, customer) + edgefw__route_cost(plan, customer, 0);
  return order < BY_CHANCE + BY_DEMAND + FARTHEST_FIRST ? -away : away;
}

static void sort(const edgefw_route_plan *plan, edgefw__ruin_random *random,
                 edgefw__ruined *ruined) {
  const int64_t order = edgefw__ruin_below(random, ORDERS);
  double keys[EDGEFW__RUIN_MOST];
  for (int k = 0; k < ruined->count; ++k) {
    const int32_t customer = ruined->customers[k];
    const double key = key_of(plan, customer, order, random);
    int at = k;
    for (; at > 0 && key < keys[at - 1]; --at) {
      keys[at] = keys[at - 1];
      ruined->customers[at] = ruined->customers[at - 1];
    }
    keys[at] = key;
    ruined->customers[at] = customer;
  }
}

/* --- Places --- */

typedef struct place {
  double cost;
  int64_t route;
  int32_t before;
} place;

/* A look for the best place of one customer. */
typedef struct look {
  const edgefw__route_lists *lists;
  edgefw__ruin_random *random;
  int64_t blink; /* places until the next one that is passed over */
  int32_t customer;
  const double *from, *to; /* costs of arcs to the customer, `step` apart, and from it */
  int64_t step;
  place best;
} look;

/* Drawn once for many places. */
static int64_t until_blink(edgefw__ruin_random *random) {
  return (int64_t)(log(1.0 - edgefw__ruin_unit(random)) / log(1.0 - BLINK));
}

/* Behind `before` of route r, which has room. */
static void look_at(look *l, int64_t r, int32_t before) {
  const edgefw__route_lists *lists = l->lists;
  if (l->blink-- == 0) {
    l->blink = until_blink(l->random);
    return;
  }
  const int32_t next = before ? lists->next[before] : lists->first[r];
  const double arc = next ? lists->arc[next] : lists->closing[r];
  const double cost = l->from[before * l->step] + l->to[next] - arc;
  if (cost < l->best.cost) l->best = (place){cost, r, before};
}

static bool has_room(const look *l, int64_t r) {
  return l->lists->count[r] > 0 && edgefw__route_lists_fits(l->lists, l->customer, r);
}

/* First or last in all routes. */
static void look_at_ends(look *l, bool last) {
  for (int64_t r = 0; r < l->lists->routes; ++r)
    if (has_room(l, r)) look_at(l, r, last ? l->lists->last[r] : 0);
}

static void look_behind(look *l, int32_t tail) {
  const int32_t r = l->lists->route[tail];
  if (tail == 0)
    look_at_ends(l, false);
  else if (r != EDGEFW__NO_ROUTE && has_room(l, r))
    look_at(l, r, tail);
}

static void look_before(look *l, int32_t head) {
  const int32_t r = l->lists->route[head];
  if (head == 0)
    look_at_ends(l, true);
  else if (r != EDGEFW__NO_ROUTE && has_room(l, r))
    look_at(l, r, l->lists->before[head]);
}

static void look_into(look *l, int64_t r) {
  if (!has_room(l, r)) return;
  look_at(l, r, 0);
  for (int32_t c = l->lists->first[r]; c != 0; c = l->lists->next[c]) look_at(l, r, c);
}

/* Routes that have lost a string have room, and are looked at everywhere, others beside near nodes.
 */
static place find(look *l, const edgefw__ruin_near *near, const edgefw__ruined *ruined,
                  int32_t customer) {
  const edgefw_route_plan *plan = l->lists->plan;
  l->customer = customer;
  l->step = near->turned ? 1 : plan->n;
  l->from = near->turned ? near->turned + customer * plan->n : plan->cost + customer;
  l->to = plan->cost + customer * plan->n;
  l->best = (place){edgefw__route_cost(plan, 0, customer) + edgefw__route_cost(plan, customer, 0),
                    edgefw__route_lists_empty(l->lists), 0};
  for (int k = 0; k < ruined->strings; ++k) look_into(l, ruined->routes[k]);
  for (int64_t k = 0; k < near->ends; ++k) {
    look_behind(l, near->tails[customer * near->ends + k]);
    look_before(l, near->heads[customer * near->ends + k]);
  }
  return l->best;
}

static void touch(edgefw__ruined *ruined, int64_t route) {
  for (int k = 0; k < ruined->touched; ++k)
    if (ruined->routes[k] == route) return;
  ruined->routes[ruined->touched++] = (int32_t)route;
}

double edgefw__recreate(edgefw__route_lists *lists, const edgefw__ruin_near *near,
                        edgefw__ruin_random *random, edgefw__ruined *ruined) {
  double added = 0.0;
  look l = {.lists = lists, .random = random, .blink = until_blink(random)};
  sort(lists->plan, random, ruined);
  for (int k = 0; k < ruined->count; ++k) {
    const place best = find(&l, near, ruined, ruined->customers[k]);
    edgefw__route_lists_insert(lists, ruined->customers[k], best.route, best.before);
    touch(ruined, best.route);
    added += best.cost;
  }
  return added;
}
