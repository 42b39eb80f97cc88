/* Local search on a tour: never worse, always a solution, often the optimum of small ones. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "edgefw/context.h"
#include "search/local_search.h"
#include "support/routing_case.h"

/* How many of the cases end at the optimum. */
static double share_of_optima(bool depot, bool symmetric, uint64_t cases) {
  edgefw_context *ctx = NULL;
  uint64_t optima = 0;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  for (uint64_t seed = 0; seed < cases; ++seed) {
    routing_case c;
    routing_make(&c, 1 + (int64_t)(seed % 8), depot, symmetric,
                 (routing_costs)(seed / 8 % ROUTING_COST_KINDS), seed);
    void *memory = malloc(edgefw__local_search_bytes(c.plan.n, c.plan.resources));
    assert_non_null(memory);
    int32_t again[2 * ROUTING_MOST];
    memcpy(again, c.tour, sizeof again);
    const double before = edgefw__tour_length(&c.plan, c.tour, c.steps);
    const double after = edgefw__local_search(ctx, &c.plan, &c.nearby, memory, c.tour, c.steps);
    routing_check(&c, c.tour);
    assert_true(after <= before);
    assert_true(after == edgefw__tour_length(&c.plan, c.tour, c.steps));
    /* The same tour goes the same way; one that has been searched stays as it is. */
    assert_true(edgefw__local_search(ctx, &c.plan, &c.nearby, memory, again, c.steps) == after);
    assert_memory_equal(again, c.tour, (size_t)c.steps * sizeof *again);
    assert_true(edgefw__local_search(ctx, &c.plan, &c.nearby, memory, again, c.steps) == after);
    const double optimum = routing_optimum(&c);
    assert_true(after >= optimum * (1.0 - 1e-12));
    optima += after <= optimum * (1.0 + 1e-12);
    free(memory);
    routing_release(&c);
  }
  edgefw_context_destroy(ctx);
  return (double)optima / (double)cases;
}

static void closed_tours_with_directions(void **state) {
  (void)state;
  assert_true(share_of_optima(false, false, 4000) > 0.95);
}

static void closed_tours_without_directions(void **state) {
  (void)state;
  assert_true(share_of_optima(false, true, 4000) > 0.98);
}

static void routes_with_directions(void **state) {
  (void)state;
  assert_true(share_of_optima(true, false, 4000) > 0.92);
}

static void routes_without_directions(void **state) {
  (void)state;
  assert_true(share_of_optima(true, true, 4000) > 0.95);
}

/* Kicked long enough, small tours are optimal; never worse, and the same again. */
static void kicks_find_the_optimum(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  int optima = 0, cases = 0;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  for (uint64_t seed = 0; seed < 400; ++seed, ++cases) {
    routing_case c;
    routing_make(&c, 1 + (int64_t)(seed % 8), seed & 8, seed & 16,
                 (routing_costs)(seed / 32 % ROUTING_COST_KINDS), seed);
    void *memory = malloc(edgefw__local_search_bytes(c.plan.n, c.plan.resources));
    assert_non_null(memory);
    const double plain = edgefw__local_search(ctx, &c.plan, &c.nearby, memory, c.tour, c.steps);
    int32_t again[2 * ROUTING_MOST];
    memcpy(again, c.tour, sizeof again);
    edgefw__kicks kicks = {.count = 200, .seed = 5, .instance = seed};
    const double kicked =
        edgefw__local_search_kicks(ctx, &c.plan, &c.nearby, memory, &kicks, c.tour, c.steps);
    routing_check(&c, c.tour);
    assert_true(kicked <= plain);
    assert_true(kicked == edgefw__tour_length(&c.plan, c.tour, c.steps));
    assert_true(edgefw__local_search_kicks(ctx, &c.plan, &c.nearby, memory, &kicks, again,
                                           c.steps) == kicked);
    assert_memory_equal(again, c.tour, (size_t)c.steps * sizeof *again);
    optima += kicked <= routing_optimum(&c) * (1.0 + 1e-12);
    /* A limit in seconds ends kicks that would go on for ever. */
    kicks = (edgefw__kicks){.count = INT64_MAX, .seconds = 1e-4, .seed = 5};
    assert_true(edgefw__local_search_kicks(ctx, &c.plan, &c.nearby, memory, &kicks, c.tour,
                                           c.steps) <= kicked);
    free(memory);
    routing_release(&c);
  }
  edgefw_context_destroy(ctx);
  assert_true(optima >= cases * 99 / 100);
}

/* An interrupted search ends early, with a solution. */
static void an_interruption_leaves_a_tour(void **state) {
  (void)state;
  enum { N = 400 };
  static double cost[N * N];
  static double tail[N], head[N];
  static int32_t near[N * EDGEFW__NEARBY], tour[N], free_tour[N];
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) cost[i * N + j] = i == j ? 0 : (double)((i * 37 + j * 91) % 1009);
  const edgefw_route_plan plan = {.n = N, .cost = cost};
  edgefw__nearby nearby = {.nodes = near, .tail = tail, .head = head};
  edgefw__nearby_find(&plan, &nearby);
  void *memory = malloc(edgefw__local_search_bytes(N, 0));
  assert_non_null(memory);
  for (int32_t i = 0; i < N; ++i) tour[i] = free_tour[i] = i;
  const double whole = edgefw__local_search(ctx, &plan, &nearby, memory, free_tour, N);
  static const volatile int interrupted = 1;
  edgefw_set_interrupt(ctx, &interrupted);
  const double part = edgefw__local_search(ctx, &plan, &nearby, memory, tour, N);
  assert_true(whole < part);
  bool seen[N] = {false};
  for (int i = 0; i < N; ++i) {
    assert_false(seen[tour[i]]);
    seen[tour[i]] = true;
  }
  free(memory);
  edgefw_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_tours_with_directions),
      cmocka_unit_test(closed_tours_without_directions),
      cmocka_unit_test(routes_with_directions),
      cmocka_unit_test(routes_without_directions),
      cmocka_unit_test(kicks_find_the_optimum),
      cmocka_unit_test(an_interruption_leaves_a_tour),
  };
  return test_run(tests, NULL, NULL);
}
