/* Which strings are taken out. */
#include "search/ruin.h"

/* Customers that a ruin takes out on average, and most of one route (the paper's values). */
#define RUIN_MEAN   10.0
#define RUIN_STRING 10

/* How likely a string spares a stretch within it, and how likely that is one customer longer. */
#define SPLIT_SHARE   0.5
#define SPARED_LONGER 0.01

/* --- Random numbers --- */

static uint64_t draw(edgefw__ruin_random *random) {
  uint64_t z = random->state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

double edgefw__ruin_unit(edgefw__ruin_random *random) {
  return (double)(draw(random) >> 11) * (1.0 / 9007199254740992.0);
}

int64_t edgefw__ruin_below(edgefw__ruin_random *random, int64_t bound) {
  return (int64_t)(((draw(random) >> 32) * (uint64_t)bound) >> 32);
}

/* --- Strings --- */

static void take_out(edgefw__route_lists *lists, int32_t customer, edgefw__ruined *ruined,
                     double *saved) {
  *saved += edgefw__route_lists_remove(lists, customer);
  ruined->customers[ruined->count++] = customer;
}

/* Customers of the route before (or behind) one, `most` at most. */
static int64_t reach(const int32_t *links, int32_t customer, int64_t most) {
  int64_t count = 0;
  for (int32_t c = links[customer]; c != 0 && count < most; c = links[c]) ++count;
  return count;
}

/* Where a string of `length` begins that holds `customer`, each place as likely. */
static int32_t string_begin(const edgefw__route_lists *lists, int32_t customer, int64_t length,
                            edgefw__ruin_random *random) {
  const int64_t before = reach(lists->before, customer, length - 1);
  const int64_t behind = reach(lists->next, customer, length - 1);
  const int64_t least = length - 1 > behind ? length - 1 - behind : 0;
  int64_t back = least + edgefw__ruin_below(random, before - least + 1);
  for (; back > 0; --back) customer = lists->before[customer];
  return customer;
}

/* Take `length` customers out of the route of `customer`: a string that holds it, or one that is
 * longer and keeps a stretch within it. */
static void take_string(edgefw__route_lists *lists, int32_t customer, int64_t length,
                        edgefw__ruin_random *random, edgefw__ruined *ruined, double *saved) {
  const int64_t whole = lists->count[lists->route[customer]];
  int64_t spared = 0, first = 0;
  if (length > 1 && length < whole && edgefw__ruin_unit(random) < SPLIT_SHARE) {
    spared = 1;
    while (length + spared < whole && edgefw__ruin_unit(random) < SPARED_LONGER) ++spared;
    first = 1 + edgefw__ruin_below(random, length - 1);
  }
  int32_t c = string_begin(lists, customer, length + spared, random);
  for (int64_t k = 0; k < length + spared; ++k) {
    const int32_t next = lists->next[c];
    if (k < first || k >= first + spared) take_out(lists, c, ruined, saved);
    c = next;
  }
}

static int64_t customers_of(const edgefw__route_lists *lists, int64_t *routes) {
  int64_t customers = 0;
  *routes = 0;
  for (int64_t r = 0; r < lists->routes; ++r) {
    customers += lists->count[r];
    *routes += lists->count[r] > 0;
  }
  return customers;
}

static bool is_touched(const edgefw__ruined *ruined, int64_t route) {
  for (int k = 0; k < ruined->touched; ++k)
    if (ruined->routes[k] == route) return true;
  return false;
}

/* Take a string out of a customer's route, unless that has lost one. */
static void ruin_at(edgefw__route_lists *lists, int32_t customer, double longest,
                    edgefw__ruin_random *random, edgefw__ruined *ruined, double *saved) {
  const int32_t route = lists->route[customer];
  if (route == EDGEFW__NO_ROUTE || is_touched(ruined, route)) return;
  const double size = (double)lists->count[route], most = size < longest ? size : longest;
  const int64_t length = 1 + (int64_t)(edgefw__ruin_unit(random) * most);
  const int64_t room = EDGEFW__RUIN_MOST - ruined->count;
  int64_t taken = length < (int64_t)size ? length : (int64_t)size;
  if (taken > room) taken = room;
  if (taken < 1) return;
  ruined->routes[ruined->touched++] = route;
  take_string(lists, customer, taken, random, ruined, saved);
  edgefw__route_lists_weigh(lists, route);
}

double edgefw__ruin(edgefw__route_lists *lists, const edgefw__ruin_near *near,
                    edgefw__ruin_random *random, edgefw__ruined *ruined) {
  int64_t routes = 0;
  const double mean = (double)customers_of(lists, &routes) / (double)(routes > 0 ? routes : 1);
  const double longest = mean < RUIN_STRING ? mean : RUIN_STRING;
  const double most = 4.0 * RUIN_MEAN / (1.0 + longest) - 1.0;
  const int64_t strings = 1 + (int64_t)(edgefw__ruin_unit(random) * most);
  const int32_t seed = (int32_t)(1 + edgefw__ruin_below(random, lists->plan->n - 1));
  double saved = 0.0;
  ruined->count = ruined->touched = 0;
  ruin_at(lists, seed, longest, random, ruined, &saved);
  for (int64_t k = 0; k < near->each && ruined->touched < strings; ++k)
    ruin_at(lists, near->near[seed * near->each + k], longest, random, ruined, &saved);
  ruined->strings = ruined->touched;
  return saved;
}
