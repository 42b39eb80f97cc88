/* The search for a tour without forbidden arcs: it finds one exactly where there is one. */
#include "support/test.h"

#include <string.h>

#include "edgefw/rng.h"
#include "search/free_tour.h"
#include "support/io_support.h"

enum { N = 6, LARGE = 60 };

static edgefw_context *ctx;
static double cost[LARGE * LARGE];

static int set_up(void **state) {
  (void)state;
  return edgefw_context_create(&ctx, NULL) == EDGEFW_OK ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  edgefw_context_destroy(ctx);
  return 0;
}

/* Arcs cost 1, forbidden ones 2: `percent` of them. */
static edgefw_route_plan random_plan(uint64_t seed, int64_t n, uint32_t percent, bool depot) {
  for (int64_t e = 0; e < n * n; ++e) {
    const uint32_t word = edgefw_random_word(seed, EDGEFW_STREAM_COST, 0, (uint64_t)e);
    cost[e] = e % (n + 1) == 0 ? 0.0 : edgefw_random_below(word, 100) < percent ? 2.0 : 1.0;
  }
  return (edgefw_route_plan){.n = n, .cost = cost, .limit = 2.0, .depot = depot};
}

static edgefw__free_tour_end search(const edgefw_route_plan *plan, int64_t looks,
                                    edgefw__ring *ring) {
  edgefw__free_tour_end end;
  assert_ok(ctx, edgefw__free_tour(ctx, plan, &looks, ring, &end));
  return end;
}

/* Is there a way on from tour[0 .. count), by trying all? Loads as the plan says. */
static bool exists(const edgefw_route_plan *plan, int32_t current, uint32_t visited, double load) {
  if (visited == (1u << N) - 1u && cost[current * N] < 2.0) return true;
  for (int32_t j = 1; j < N; ++j) {
    const double more = plan->resources > 0 ? load + plan->demand[0][j] : 0.0;
    if ((visited >> j & 1u) || !(cost[current * N + j] < 2.0)) continue;
    if (plan->resources > 0 && more > plan->most[0]) continue;
    if (exists(plan, j, visited | 1u << j, more)) return true;
  }
  return plan->depot && current != 0 && cost[current * N] < 2.0 && exists(plan, 0, visited, 0.0);
}

static void expect_tour(const edgefw_route_plan *plan, const edgefw__ring *ring) {
  bool seen[LARGE] = {false};
  double load = 0.0;
  assert_int_equal(ring->nodes[0], 0);
  for (int64_t k = 0; k < ring->count; ++k) {
    const int32_t node = ring->nodes[k], next = ring->nodes[(k + 1) % ring->count];
    assert_true(node != next);
    assert_false(edgefw__route_forbidden(plan, node, next));
    assert_true(!seen[node] || (plan->depot && node == 0));
    seen[node] = true;
    load = node == 0 || plan->resources == 0 ? 0.0 : load + plan->demand[0][node];
    assert_true(plan->resources == 0 || load <= plan->most[0]);
  }
  for (int64_t j = 0; j < plan->n; ++j) assert_true(seen[j]);
}

static void it_knows_whether_there_is_a_tour(void **state) {
  (void)state;
  static const double demand[N] = {0, 3, 1, 4, 2, 5};
  int found = 0, none = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    int32_t nodes[2 * N];
    edgefw__ring ring = {.nodes = nodes};
    edgefw_route_plan plan = random_plan(seed, N, 50 + 10 * (seed % 3), seed % 2 == 1);
    if (seed % 4 == 1) {
      plan.resources = 1;
      plan.demand[0] = demand;
      plan.most[0] = 7.0;
    }
    const edgefw__free_tour_end end = search(&plan, 1000000, &ring);
    assert_int_equal(end,
                     exists(&plan, 0, 1, 0.0) ? EDGEFW__FREE_TOUR_FOUND : EDGEFW__FREE_TOUR_NONE);
    if (end == EDGEFW__FREE_TOUR_FOUND) expect_tour(&plan, &ring);
    found += end == EDGEFW__FREE_TOUR_FOUND;
    none += end == EDGEFW__FREE_TOUR_NONE;
  }
  assert_true(found > 50 && none > 50);
}

static void larger_sparse_graphs_are_no_trouble(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    int32_t nodes[2 * LARGE];
    edgefw__ring ring = {.nodes = nodes};
    const edgefw_route_plan plan = random_plan(seed, LARGE, 85, seed % 2 == 1);
    assert_int_equal(search(&plan, 10000000, &ring), EDGEFW__FREE_TOUR_FOUND);
    expect_tour(&plan, &ring);
  }
}

static void it_stops_where_it_is_told(void **state) {
  (void)state;
  int32_t nodes[2 * LARGE];
  edgefw__ring ring = {.nodes = nodes};
  int stopped = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    edgefw__free_tour_end end;
    int64_t looks = 10 * LARGE * LARGE;
    const edgefw_route_plan plan = random_plan(seed, LARGE, 90, false);
    assert_ok(ctx, edgefw__free_tour(ctx, &plan, &looks, &ring, &end));
    assert_true(looks > -2 * LARGE); /* no more than the last step */
    stopped += end == EDGEFW__FREE_TOUR_STOPPED;
  }
  assert_true(stopped > 0);
  const edgefw_route_plan easy = random_plan(1, LARGE, 50, false);
  assert_int_equal(search(&easy, 10 * LARGE * LARGE - 1, &ring), EDGEFW__FREE_TOUR_STOPPED);
}

/* With any number of looks left. */
static void an_interruption_stops_it(void **state) {
  (void)state;
  int32_t nodes[2 * LARGE];
  edgefw__ring ring = {.nodes = nodes};
  edgefw__free_tour_end end = EDGEFW__FREE_TOUR_FOUND;
  int64_t looks = INT64_MAX / 2;
  const volatile int flag = 1;
  edgefw_route_plan plan = random_plan(3, LARGE, 85, false);
  plan.ctx = ctx;
  edgefw_set_interrupt(ctx, &flag);
  assert_ok(ctx, edgefw__free_tour(ctx, &plan, &looks, &ring, &end));
  edgefw_set_interrupt(ctx, NULL);
  assert_int_equal(end, EDGEFW__FREE_TOUR_STOPPED);
  assert_int_equal(looks, 0);
  assert_int_equal(search(&plan, 10000000, &ring), EDGEFW__FREE_TOUR_FOUND);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_knows_whether_there_is_a_tour),
      cmocka_unit_test(larger_sparse_graphs_are_no_trouble),
      cmocka_unit_test(it_stops_where_it_is_told),
      cmocka_unit_test(an_interruption_stops_it),
  };
  return test_run(tests, set_up, tear_down);
}
