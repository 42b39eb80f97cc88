/* The split of an order of customers is the best one, by trying all cuts. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "search/split.h"
#include "support/routing_case.h"

/* The best cost of the customers in this order, by every choice of cuts between them. */
static double best_cut(const routing_case *c, const int32_t *order, int64_t count) {
  double best = (double)INFINITY;
  for (int cuts = 0; cuts < 1 << (count - 1); ++cuts) {
    int32_t tour[2 * ROUTING_MOST] = {0};
    double load = 0.0;
    bool fits = true;
    int64_t filled = 1;
    for (int64_t k = 0; k < count; ++k) {
      if (k > 0 && cuts >> (k - 1) & 1) {
        tour[filled++] = 0;
        load = 0.0;
      }
      tour[filled++] = order[k];
      load += c->demand[order[k]];
      fits &= load <= c->plan.most[0];
    }
    if (fits) best = fmin(best, edgefw__tour_length(&c->plan, tour, c->steps));
  }
  return best;
}

static void the_best_cuts_are_found(void **state) {
  (void)state;
  int changed = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    routing_case c;
    routing_make(&c, 2 + (int64_t)(seed % 8), true, false, ROUTING_WHOLE, seed);
    void *scratch = malloc(edgefw__split_bytes(c.plan.n));
    int32_t order[ROUTING_MOST];
    int64_t count = 0;
    assert_non_null(scratch);
    for (int64_t t = 0; t < c.steps; ++t)
      if (c.tour[t] != 0) order[count++] = c.tour[t];
    const double best = best_cut(&c, order, count);
    routing_take(&c);
    const double before = routing_cost(&c);
    const bool made = edgefw__split(&c.routes, scratch);
    assert_true(routing_cost(&c) == best);
    assert_true(made == (best < before));
    assert_false(edgefw__split(&c.routes, scratch));
    changed += made;
    free(scratch);
    routing_release(&c);
  }
  assert_true(changed > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_best_cuts_are_found)};
  return test_run(tests, NULL, NULL);
}
