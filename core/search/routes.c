/* The ring of visits: taking and giving tours, loads, and putting it together anew. */
#include "search/routes.h"

#include <string.h>

/* --- Memory --- */

size_t edgefw__routes_bytes(int64_t n, int resources) {
  const size_t most = 2 * (size_t)n;
  return most * (2 * (size_t)resources * sizeof(double) + 4 * sizeof(int32_t));
}

void edgefw__routes_place(edgefw__routes *routes, int64_t n, int resources, void *memory) {
  const int64_t most = 2 * n;
  routes->up_to = memory;
  routes->from = routes->up_to + resources * most;
  routes->ring = (int32_t *)(void *)(routes->from + resources * most);
  routes->place = routes->ring + most;
  routes->ahead = routes->place + most;
  routes->scratch = routes->ahead + most;
}

/* --- Tours --- */

void edgefw__routes_take(edgefw__routes *routes, const edgefw_route_plan *plan, const int32_t *tour,
                         int64_t steps) {
  const int64_t n = plan->n;
  routes->plan = plan;
  routes->count = routes->depots = 0;
  for (int64_t t = 0; t < steps; ++t) {
    if (plan->depot && tour[t] == 0) {
      if (t > 0 && tour[t - 1] == 0) continue;
      routes->ring[routes->count++] = (int32_t)(n + routes->depots++);
    } else {
      routes->ring[routes->count++] = tour[t];
    }
  }
  /* The tour's last return to the depot is its beginning once more. */
  if (routes->depots > 1 && routes->ring[routes->count - 1] >= n) {
    --routes->count;
    --routes->depots;
  }
  if (plan->depot && routes->depots + 1 < n)
    routes->ring[routes->count++] = (int32_t)(n + routes->depots++);
  edgefw__routes_refresh(routes);
}

void edgefw__routes_give(const edgefw__routes *routes, int32_t *tour, int64_t steps) {
  const edgefw_route_plan *plan = routes->plan;
  const int64_t begin = plan->depot ? routes->place[plan->n] : routes->place[0];
  int64_t t = 0;
  for (int64_t k = 0; k < routes->count; ++k) {
    const int64_t place = edgefw__routes_wrap(routes, begin + k);
    const int32_t node = edgefw__routes_node(routes, routes->ring[place]);
    if (plan->depot && node == 0 && t > 0 && tour[t - 1] == 0) continue;
    tour[t++] = node;
  }
  while (t < steps) tour[t++] = 0;
}

double edgefw__routes_length(const edgefw__routes *routes) {
  double length = 0.0;
  for (int64_t k = 0; k < routes->count; ++k)
    length += edgefw__routes_cost(routes, routes->ring[k],
                                  routes->ring[edgefw__routes_wrap(routes, k + 1)]);
  return length;
}

double edgefw__tour_length(const edgefw_route_plan *plan, const int32_t *tour, int64_t steps) {
  double length = 0.0;
  for (int64_t t = 0; t + 1 < steps; ++t) length += edgefw__route_cost(plan, tour[t], tour[t + 1]);
  return length + edgefw__route_cost(plan, tour[steps - 1], tour[0]);
}

/* --- Loads --- */

static bool is_depot(const edgefw__routes *routes, int64_t place) {
  return routes->ring[place] >= routes->plan->n;
}

/* Loads of one resource: once round the ring, from a depot on, and once backwards. */
static void refresh_loads(edgefw__routes *routes, int resource, int64_t begin) {
  const double *demand = routes->plan->demand[resource];
  double *up_to = routes->up_to + resource * 2 * routes->plan->n;
  double *from = routes->from + resource * 2 * routes->plan->n;
  double load = 0.0;
  for (int64_t k = 0; k < routes->count; ++k) {
    const int64_t place = edgefw__routes_wrap(routes, begin + k);
    load = is_depot(routes, place) ? 0.0 : load + demand[routes->ring[place]];
    up_to[place] = load;
  }
  load = 0.0;
  for (int64_t k = routes->count; k > 0; --k) {
    const int64_t place = edgefw__routes_wrap(routes, begin + k);
    load = is_depot(routes, place) ? 0.0 : load + demand[routes->ring[place]];
    from[place] = load;
  }
}

void edgefw__routes_refresh(edgefw__routes *routes) {
  for (int64_t k = 0; k < routes->count; ++k) routes->place[routes->ring[k]] = (int32_t)k;
  if (!routes->plan->depot) return;
  const int64_t begin = routes->place[routes->plan->n];
  int32_t ahead = 0;
  for (int64_t k = routes->count; k > 0; --k) {
    const int64_t place = edgefw__routes_wrap(routes, begin + k);
    ahead = is_depot(routes, place) ? 0 : ahead + 1;
    routes->ahead[place] = ahead;
  }
  for (int r = 0; r < routes->plan->resources; ++r) refresh_loads(routes, r, begin);
}

/* --- Stretches --- */

/* What a stretch means to the routes beside it. */
typedef struct ends {
  bool depot;        /* has it one? */
  double head, tail; /* load before its first and behind its last depot; without one, all of it */
} ends;

static ends ends_of(const edgefw__routes *routes, const edgefw__stretch *stretch, int resource) {
  const double *up_to = routes->up_to + resource * 2 * routes->plan->n;
  const double *from = routes->from + resource * 2 * routes->plan->n;
  const int64_t last = edgefw__routes_wrap(routes, stretch->first + stretch->count - 1);
  ends e = {.depot = routes->ahead[stretch->first] < stretch->count};
  if (e.depot) {
    e.head = from[stretch->first];
    e.tail = up_to[last];
    if (stretch->reversed) e = (ends){true, e.tail, e.head};
  } else {
    const int32_t visit = routes->ring[stretch->first]; /* a customer */
    e.head = e.tail = up_to[last] - up_to[stretch->first] + routes->plan->demand[resource][visit];
  }
  return e;
}

static bool fits(const edgefw__routes *routes, const edgefw__stretch *stretches, int count,
                 int resource) {
  const double most = routes->plan->most[resource];
  double load = 0.0, first_head = -1.0;
  for (int s = 0; s < count; ++s) {
    if (stretches[s].count == 0) continue;
    const ends e = ends_of(routes, &stretches[s], resource);
    if (!e.depot) {
      load += e.tail;
      continue;
    }
    if (first_head < 0.0)
      first_head = load + e.head; /* goes on where the ring ends */
    else if (load + e.head > most)
      return false;
    load = e.tail;
  }
  return load + first_head <= most;
}

bool edgefw__routes_fit(const edgefw__routes *routes, const edgefw__stretch *stretches, int count) {
  for (int r = 0; r < routes->plan->resources; ++r)
    if (!fits(routes, stretches, count, r)) return false;
  return true;
}

void edgefw__routes_join(edgefw__routes *routes, const edgefw__stretch *stretches, int count) {
  int64_t filled = 0;
  for (int s = 0; s < count; ++s)
    for (int64_t k = 0; k < stretches[s].count; ++k) {
      const int64_t at = stretches[s].reversed ? stretches[s].count - 1 - k : k;
      routes->scratch[filled++] =
          routes->ring[edgefw__routes_wrap(routes, stretches[s].first + at)];
    }
  memcpy(routes->ring, routes->scratch, (size_t)filled * sizeof *routes->ring);
  edgefw__routes_refresh(routes);
}
