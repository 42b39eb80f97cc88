/* Neighbour lists: the cheapest arcs of each node in their order, ties by number. */
#include "support/test.h"

#include <math.h>

#include "support/routing_case.h"

static void lists_are_sorted_and_complete(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    routing_case c;
    routing_make(&c, 9, false, false, ROUTING_FEW, seed);
    assert_int_equal(c.nearby.each, 8);
    for (int32_t i = 0; i < 9; ++i) {
      const int32_t *near = edgefw__nearby_of(&c.nearby, i);
      bool seen[9] = {false};
      for (int k = 0; k < 8; ++k) {
        assert_true(near[k] != i && !seen[near[k]]);
        seen[near[k]] = true;
        if (k == 0) continue;
        const double before = c.cost[i * 9 + near[k - 1]] - c.head[near[k - 1]];
        const double here = c.cost[i * 9 + near[k]] - c.head[near[k]];
        assert_true(before < here || (before == here && near[k - 1] < near[k]));
      }
    }
    routing_release(&c);
  }
}

/* Reduced costs are at least 0, and some arc into each node has 0; with a depot
 * and where costs have no direction they are the costs. */
static void costs_are_reduced(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    routing_case c;
    const bool depot = seed & 1, symmetric = seed & 2;
    routing_make(&c, 2 + (int64_t)(seed % 8), depot, symmetric, ROUTING_WHOLE, seed);
    for (int32_t i = 0; i < c.plan.n; ++i) {
      double out = (double)INFINITY, in = (double)INFINITY;
      if (depot || c.nearby.symmetric) assert_true(c.tail[i] == 0.0 && c.head[i] == 0.0);
      for (int32_t j = 0; j < c.plan.n; ++j) {
        if (i == j) continue;
        out = fmin(out, edgefw__nearby_reduced(&c.nearby, c.cost[i * c.plan.n + j], i, j));
        in = fmin(in, edgefw__nearby_reduced(&c.nearby, c.cost[j * c.plan.n + i], j, i));
      }
      assert_true(out >= 0.0);
      if (!depot && !c.nearby.symmetric) assert_true(in == 0.0);
    }
    routing_release(&c);
  }
}

static void long_rows_are_cut_to_the_cheapest(void **state) {
  (void)state;
  enum { N = 40 };
  static double cost[N * N];
  static int32_t nodes[N * EDGEFW__NEARBY_ROUTES];
  static double tail[N], head[N];
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) cost[i * N + j] = i == j ? 0.0 : (double)((j * 7 + i) % N);
  assert_int_equal(edgefw__nearby_count(N), N * EDGEFW__NEARBY_ROUTES);
  for (int depot = 0; depot < 2; ++depot) {
    const int each = depot ? EDGEFW__NEARBY_ROUTES : EDGEFW__NEARBY;
    const edgefw_route_plan plan = {.n = N, .cost = cost, .depot = depot};
    edgefw__nearby nearby = {.nodes = nodes, .tail = tail, .head = head};
    edgefw__nearby_find(&plan, &nearby);
    assert_int_equal(nearby.each, each);
    for (int32_t i = 0; i < N; ++i) {
      const int32_t end = edgefw__nearby_of(&nearby, i)[each - 1];
      int before = 0;
      for (int j = 0; j < N; ++j) {
        const double here = cost[i * N + j] - head[j], last = cost[i * N + end] - head[end];
        before += j != i && (here < last || (here == last && j < end));
      }
      assert_int_equal(before, each - 1);
    }
  }
}

static void symmetry_is_seen(void **state) {
  (void)state;
  routing_case c;
  routing_make(&c, 7, false, true, ROUTING_FRACTIONS, 3);
  assert_true(c.nearby.symmetric);
  c.cost[1] += 1e-9;
  edgefw__nearby_find(&c.plan, &c.nearby);
  assert_false(c.nearby.symmetric);
  routing_release(&c);
}

/* The arcs of one node may differ, if it is asked for, and no others. */
static void one_node_may_be_left_out_of_symmetry(void **state) {
  (void)state;
  routing_case c;
  routing_make(&c, 7, false, true, ROUTING_FRACTIONS, 3);
  c.cost[2 * 7 + 4] += 1.0;
  for (int32_t odd = -1; odd < 7; ++odd) {
    edgefw__nearby_find_but(&c.plan, odd, &c.nearby);
    assert_int_equal(c.nearby.odd, odd);
    assert_true(c.nearby.symmetric == (odd == 2 || odd == 4));
  }
  routing_release(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lists_are_sorted_and_complete),        cmocka_unit_test(costs_are_reduced),
      cmocka_unit_test(long_rows_are_cut_to_the_cheapest),    cmocka_unit_test(symmetry_is_seen),
      cmocka_unit_test(one_node_may_be_left_out_of_symmetry),
  };
  return test_run(tests, NULL, NULL);
}
