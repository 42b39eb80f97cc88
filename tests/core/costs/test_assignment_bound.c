/* Lower bounds by the assignment problem: by hand, and against the best of all solutions.
 * labels: oom */
#include "support/test.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "costs/assignment_bound.h"
#include "support/failing_allocator.h"

enum { MOST = 7 };

static double bound_of(const edgefw__routing *routing) {
  edgefw_context *ctx = NULL;
  double bound = -1.0;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  assert_int_equal(edgefw__assignment_bound(ctx, routing, &bound), EDGEFW_OK);
  edgefw_context_destroy(ctx);
  return bound;
}

static void closed_tours_by_hand(void **state) {
  (void)state;
  const double one[] = {5}, two[] = {9, 1, 2, 9};
  assert_true(bound_of(&(edgefw__routing){.n = 1, .cost = one}) == 0.0);
  assert_true(bound_of(&(edgefw__routing){.n = 2, .cost = two}) == 3.0); /* no loops */
  /* Two pairs far from one another: the assignment has two cycles and costs 4. */
  const double pairs[] = {0, 1, 50, 50, 1, 0, 50, 50, 50, 50, 0, 1, 50, 50, 1, 0};
  assert_true(bound_of(&(edgefw__routing){.n = 4, .cost = pairs}) == 4.0);
}

static void routes_by_hand(void **state) {
  (void)state;
  const double cost[] = {0, 5, 5, 5, 0, 2, 5, 1, 0}, demand[] = {0, 3, 4};
  edgefw__routing routing = {.n = 3, .cost = cost, .demand = demand, .capacity = 7.0};
  assert_true(bound_of(&routing) == 11.0); /* 0-2-1; and never 1-2-1 with an idle depot */
  routing.capacity = 6.0;
  assert_true(bound_of(&routing) == 20.0);
  /* More routes than the demands ask for cost less here. */
  const double apart[] = {0, 1, 1, 1, 0, 9, 1, 9, 0};
  routing = (edgefw__routing){.n = 3, .cost = apart, .demand = demand, .capacity = 7.0};
  assert_true(bound_of(&routing) == 4.0);
}

/* --- Against the best of all solutions --- */

typedef struct enumeration {
  const edgefw__routing *routing;
  int32_t order[MOST];
  int64_t count; /* nodes to be ordered */
  double best;
} enumeration;

static double arc(const edgefw__routing *r, int32_t from, int32_t to) {
  return r->cost[from * r->n + to];
}

/* The cheapest routes that take the customers in this order. */
static double split(const edgefw__routing *r, const int32_t *order, int64_t count) {
  double best[MOST + 1] = {0.0};
  for (int64_t end = 1; end <= count; ++end) {
    double load = 0.0, inside = 0.0;
    best[end] = (double)INFINITY;
    for (int64_t begin = end - 1; begin >= 0; --begin) {
      load += r->demand[order[begin]];
      if (load > r->capacity) break;
      if (begin + 1 < end) inside += arc(r, order[begin], order[begin + 1]);
      best[end] = fmin(best[end],
                       best[begin] + arc(r, 0, order[begin]) + inside + arc(r, order[end - 1], 0));
    }
  }
  return best[count];
}

static double price(const enumeration *e) {
  const edgefw__routing *r = e->routing;
  if (r->demand) return split(r, e->order, e->count);
  double total = arc(r, 0, e->order[0]) + arc(r, e->order[e->count - 1], 0);
  for (int64_t k = 1; k < e->count; ++k) total += arc(r, e->order[k - 1], e->order[k]);
  return total;
}

static void try_orders(enumeration *e, int64_t fixed) {
  if (fixed == e->count) e->best = fmin(e->best, price(e));
  for (int64_t k = fixed; k < e->count; ++k) {
    const int32_t swapped = e->order[fixed];
    e->order[fixed] = e->order[k];
    e->order[k] = swapped;
    try_orders(e, fixed + 1);
    e->order[k] = e->order[fixed];
    e->order[fixed] = swapped;
  }
}

static double optimum_of(const edgefw__routing *routing) {
  enumeration e = {.routing = routing, .count = routing->n - 1, .best = (double)INFINITY};
  for (int32_t k = 0; k < e.count; ++k) e.order[k] = k + 1;
  try_orders(&e, 0);
  return e.best;
}

static double draw(uint32_t *seed, uint32_t below) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)((*seed >> 8) % below);
}

static void no_solution_costs_less(void **state) {
  (void)state;
  uint32_t seed = 7;
  int tight = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const int64_t n = 2 + trial % (MOST - 1);
    double cost[MOST * MOST], demand[MOST] = {0};
    for (int64_t k = 0; k < n * n; ++k) cost[k] = draw(&seed, 100);
    for (int64_t i = 1; i < n; ++i) demand[i] = 1.0 + draw(&seed, 9);
    const edgefw__routing routing = {.n = n,
                                     .cost = cost,
                                     .demand = trial % 3 ? demand : NULL,
                                     .capacity = 9.0 + draw(&seed, 12)};
    const double bound = bound_of(&routing), optimum = optimum_of(&routing);
    if (bound > optimum) print_error("trial %d: bound %g, optimum %g\n", trial, bound, optimum);
    assert_true(bound <= optimum);
    assert_true(bound > 0.0 || optimum == 0.0 || n > 2);
    tight += bound == optimum;
  }
  assert_true(tight > 60); /* a bound of 0 would be right, too */
}

static void it_can_be_interrupted(void **state) {
  (void)state;
  const volatile int flag = 1;
  const double cost[] = {9, 1, 2, 9};
  edgefw_context *ctx = NULL;
  double bound = 0.0;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw_set_interrupt(ctx, &flag);
  assert_int_equal(edgefw__assignment_bound(ctx, &(edgefw__routing){.n = 2, .cost = cost}, &bound),
                   EDGEFW_INTERRUPTED);
  edgefw_context_destroy(ctx);
}

static void failures_of_memory_come_out(void **state) {
  (void)state;
  const double cost[] = {0, 5, 5, 5, 0, 2, 5, 1, 0}, demand[] = {0, 3, 4};
  const edgefw__routing routing = {.n = 3, .cost = cost, .demand = demand, .capacity = 7.0};
  bool failed = true;
  for (int64_t n = 0; failed; ++n) {
    failing_allocator memory;
    edgefw_allocator allocator = failing_allocator_begin(&memory, n);
    edgefw_context *ctx = NULL;
    double bound = 0.0;
    edgefw_status status = edgefw_context_create(&ctx, &allocator);
    if (status == EDGEFW_OK) status = edgefw__assignment_bound(ctx, &routing, &bound);
    failed = failing_allocator_failed(&memory);
    assert_int_equal(status, failed ? EDGEFW_OUT_OF_MEMORY : EDGEFW_OK);
    edgefw_context_destroy(ctx);
    assert_int_equal(failing_allocator_live(&memory), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_tours_by_hand),        cmocka_unit_test(routes_by_hand),
      cmocka_unit_test(no_solution_costs_less),      cmocka_unit_test(it_can_be_interrupted),
      cmocka_unit_test(failures_of_memory_come_out),
  };
  return test_run(tests, NULL, NULL);
}
