/* Local search on rings: what it finds, and that costs and loads are kept in view. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "edgefw/rng.h"
#include "search/ring_moves.h"

enum { N = 7, MOST = 2 * N };

static double cost[N * N];

static double length_of(const edgefw__ring *ring) {
  double length = 0.0;
  for (int64_t k = 0; k < ring->count; ++k)
    length += cost[ring->nodes[k] * N + ring->nodes[(k + 1) % ring->count]];
  return length;
}

static void random_costs(uint64_t seed) {
  for (int e = 0; e < N * N; ++e)
    cost[e] = e % (N + 1) == 0
                  ? 0.0
                  : 1.0 + edgefw_random_below(
                              edgefw_random_word(seed, EDGEFW_STREAM_COST, 0, (uint64_t)e), 100);
}

static edgefw_route_plan plan_of(bool depot) {
  return (edgefw_route_plan){.n = N, .cost = cost, .limit = 1e9, .depot = depot};
}

static void expect_permutation(const edgefw__ring *ring) {
  bool seen[N] = {false};
  assert_int_equal(ring->count, N);
  for (int k = 0; k < N; ++k) {
    assert_false(seen[ring->nodes[k]]);
    seen[ring->nodes[k]] = true;
  }
}

/* The move is the best of all exchanges of stretches at that arc, by trying them. */
static void the_best_exchange_is_made(void **state) {
  (void)state;
  const edgefw_route_plan plan = plan_of(false);
  int changes = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    int32_t nodes[MOST] = {3, 1, 4, 0, 5, 2, 6}, scratch[2 * MOST];
    edgefw__ring ring = {nodes, N};
    int64_t looks = 1000;
    random_costs(seed);
    double best = length_of(&ring);
    const double before = best;
    for (int q = 1; q + 1 < N; ++q)
      for (int r = q + 1; r < N; ++r) {
        int32_t other[N] = {nodes[0]};
        memcpy(other + 1, nodes + q + 1, (size_t)(r - q) * sizeof *nodes);
        memcpy(other + 1 + r - q, nodes + 1, (size_t)q * sizeof *nodes);
        memcpy(other + 1 + r, nodes + r + 1, (size_t)(N - 1 - r) * sizeof *nodes);
        const double length = length_of(&(edgefw__ring){other, N});
        if (length < best) best = length;
      }
    const bool changed = edgefw__ring_improve_at(&plan, &ring, 0, scratch, &looks);
    assert_true(changed == (best < before));
    assert_true(length_of(&ring) == best);
    expect_permutation(&ring);
    changes += changed;
  }
  assert_in_range(changes, 1, 40);
}

static void improvement_ends_where_no_exchange_helps(void **state) {
  (void)state;
  const edgefw_route_plan plan = plan_of(false);
  int32_t nodes[MOST] = {3, 1, 4, 0, 5, 2, 6}, scratch[2 * MOST];
  edgefw__ring ring = {nodes, N};
  int64_t looks = 100000;
  random_costs(5);
  const double before = length_of(&ring);
  edgefw__ring_improve(&plan, &ring, scratch, &looks);
  const double after = length_of(&ring);
  assert_true(after < before && looks > 0);
  expect_permutation(&ring);
  for (int k = 0; k < N; ++k)
    assert_false(edgefw__ring_improve_at(&plan, &ring, 1, scratch, &looks));
  assert_true(length_of(&ring) == after);
}

static void without_looks_nothing_changes(void **state) {
  (void)state;
  const edgefw_route_plan plan = plan_of(false);
  int32_t nodes[MOST] = {3, 1, 4, 0, 5, 2, 6}, scratch[2 * MOST];
  edgefw__ring ring = {nodes, N};
  int64_t looks = 0;
  random_costs(5);
  edgefw__ring_improve(&plan, &ring, scratch, &looks);
  assert_int_equal(nodes[0], 3);
  assert_int_equal(nodes[6], 6);
}

/* An arc goes by way of the depot where that is cheaper, and no route becomes too heavy. */
static void routes_keep_to_their_capacity(void **state) {
  (void)state;
  static const double demand[N] = {0, 4, 3, 5, 2, 6, 1};
  edgefw_route_plan plan = plan_of(true);
  plan.resources = 1;
  plan.demand[0] = demand;
  plan.most[0] = 9.0;
  int longer = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    int32_t nodes[MOST] = {0, 1, 3, 0, 2, 5, 0, 4, 6}, scratch[2 * MOST];
    edgefw__ring ring = {nodes, 9};
    int64_t looks = 100000;
    random_costs(seed);
    for (int j = 1; j < N; ++j) cost[j] = cost[j * N] = 5.0; /* the depot is near */
    const double before = length_of(&ring);
    edgefw__ring_improve(&plan, &ring, scratch, &looks);
    assert_true(length_of(&ring) <= before);
    longer += ring.count > 9;
    int64_t begin = 0;
    bool seen[N] = {false};
    while (ring.nodes[begin] != 0) ++begin;
    double load = 0.0;
    for (int64_t k = 0; k < ring.count; ++k) {
      const int32_t node = ring.nodes[(begin + k) % ring.count];
      const int32_t next = ring.nodes[(begin + k + 1) % ring.count];
      assert_true(node != 0 || next != 0); /* no route is empty */
      assert_true(node == 0 || !seen[node]);
      seen[node] = true;
      load = node == 0 ? 0.0 : load + demand[node];
      assert_true(load <= 9.0);
    }
    for (int j = 0; j < N; ++j) assert_true(seen[j]);
  }
  assert_true(longer > 0);
}

static void an_interruption_leaves_nothing_to_look_at(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  const volatile int flag = 1;
  int32_t nodes[MOST] = {3, 1, 4, 0, 5, 2, 6}, scratch[2 * MOST];
  edgefw__ring ring = {nodes, N};
  edgefw_route_plan plan = plan_of(false);
  int64_t looks = 1000;
  random_costs(4);
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  plan.ctx = ctx;
  edgefw_set_interrupt(ctx, &flag);
  edgefw__ring_improve(&plan, &ring, scratch, &looks);
  assert_int_equal(looks, 0);
  const double length = length_of(&ring);
  edgefw_set_interrupt(ctx, NULL);
  looks = 1000;
  edgefw__ring_improve(&plan, &ring, scratch, &looks);
  assert_true(looks < 1000 && length_of(&ring) < length); /* there was something to do */
  edgefw_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_exchange_is_made),
      cmocka_unit_test(improvement_ends_where_no_exchange_helps),
      cmocka_unit_test(without_looks_nothing_changes),
      cmocka_unit_test(an_interruption_leaves_nothing_to_look_at),
      cmocka_unit_test(routes_keep_to_their_capacity),
  };
  return test_run(tests, NULL, NULL);
}
