/* Few kicks are iterated local search, many of routes end with annealing. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "edgefw/context.h"
#include "search/kick_tour.h"
#include "search/local_search.h"
#include "support/routing_case.h"

typedef double search(const edgefw_context *ctx, const edgefw_route_plan *plan,
                      const edgefw__nearby *nearby, void *memory, const edgefw__kicks *kicks,
                      int32_t *tour, int64_t steps);

static double run(search *how, edgefw_context *ctx, const routing_case *c,
                  const edgefw__kicks *kicks, int32_t *tour) {
  void *memory = malloc(edgefw__kick_bytes(c->plan.n, c->plan.resources));
  assert_non_null(memory);
  memcpy(tour, c->tour, sizeof c->tour);
  const double length = how(ctx, &c->plan, &c->nearby, memory, kicks, tour, c->steps);
  free(memory);
  routing_check(c, tour);
  assert_true(length == edgefw__tour_length(&c->plan, tour, c->steps));
  return length;
}

static void few_kicks_are_iterated_local_search(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  for (uint64_t seed = 0; seed < 100; ++seed) {
    routing_case c;
    int32_t tour[2 * ROUTING_MOST], same[2 * ROUTING_MOST];
    routing_make(&c, 4 + (int64_t)(seed % 6), seed & 1, false, ROUTING_WHOLE, seed);
    const edgefw__kicks kicks = {.count = seed & 1 ? 100 : 5000, .seed = 5, .instance = seed};
    (void)run(edgefw__kick_tour, ctx, &c, &kicks, tour);
    (void)run(edgefw__local_search_kicks, ctx, &c, &kicks, same);
    assert_memory_equal(tour, same, (size_t)c.steps * sizeof *tour);
    routing_release(&c);
  }
  edgefw_context_destroy(ctx);
}

static void many_kicks_of_routes_reach_the_optimum(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  for (uint64_t seed = 0; seed < 12; ++seed) {
    routing_case c;
    int32_t tour[2 * ROUTING_MOST], again[2 * ROUTING_MOST];
    int64_t made = 0;
    routing_make(&c, 2 + (int64_t)(seed * 5 % 8), true, seed & 1,
                 (routing_costs)(seed % ROUTING_COST_KINDS), seed);
    const int64_t count = EDGEFW__KICKS_TO_ANNEAL * (c.plan.n - 1);
    const edgefw__kicks kicks = {.count = count, .seed = 5, .instance = seed, .made = &made};
    const double length = run(edgefw__kick_tour, ctx, &c, &kicks, tour);
    assert_true(length <= routing_optimum(&c) * (1.0 + 1e-12));
    if (c.plan.n > 3) assert_int_equal(made, count);
    (void)run(edgefw__kick_tour, ctx, &c, &kicks, again);
    assert_memory_equal(tour, again, (size_t)c.steps * sizeof *tour);
    routing_release(&c);
  }
  edgefw_context_destroy(ctx);
}

static void a_limit_in_seconds_ends_them(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  routing_case c;
  int32_t tour[2 * ROUTING_MOST];
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  routing_make(&c, 9, true, false, ROUTING_WHOLE, 3);
  const double before = edgefw__tour_length(&c.plan, c.tour, c.steps);
  const edgefw__kicks kicks = {.count = INT64_MAX, .seconds = 0.02, .seed = 5};
  assert_true(run(edgefw__kick_tour, ctx, &c, &kicks, tour) <= before);
  routing_release(&c);
  edgefw_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(few_kicks_are_iterated_local_search),
                                     cmocka_unit_test(many_kicks_of_routes_reach_the_optimum),
                                     cmocka_unit_test(a_limit_in_seconds_ends_them)};
  return test_run(tests, NULL, NULL);
}
