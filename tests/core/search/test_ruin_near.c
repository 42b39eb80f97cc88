/* Neighbour lists are what sorting all nodes would give. */
#include "support/test.h"

#include <stdlib.h>

#include "search/ruin.h"

enum { N = 70 };

static double cost[N * N];

/* Node number `rank` of all but `self`, from `first` on, by `key`; equal ones in their order. */
static int32_t ranked(double (*key)(int, int), int self, int first, int64_t rank) {
  for (int j = first; j < N; ++j) {
    int64_t before = 0;
    if (j == self) continue;
    for (int i = first; i < N; ++i)
      if (i != self && (key(self, i) < key(self, j) || (key(self, i) == key(self, j) && i < j)))
        ++before;
    if (before == rank) return j;
  }
  return -1;
}

static double out_of(int self, int other) {
  return cost[self * N + other];
}
static double into(int self, int other) {
  return cost[other * N + self];
}
static double cheaper(int self, int other) {
  return out_of(self, other) < into(self, other) ? out_of(self, other) : into(self, other);
}

static void lists_are_sorted(void **state) {
  (void)state;
  edgefw__ruin_near near;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) cost[i * N + j] = i == j ? 0.0 : (double)((i * 37 + j * 91) % 101);
  const edgefw_route_plan plan = {.n = N, .cost = cost, .depot = true};
  void *memory = malloc(edgefw__ruin_near_bytes(N));
  assert_non_null(memory);
  edgefw__ruin_near_find(&plan, memory, &near);
  assert_int_equal(near.each, EDGEFW__RUIN_NEAR);
  assert_int_equal(near.ends, EDGEFW__RUIN_ENDS);
  for (int i = 1; i < N; ++i) {
    for (int64_t k = 0; k < near.each; ++k)
      assert_int_equal(near.near[i * near.each + k], ranked(cheaper, i, 1, k));
    for (int64_t k = 0; k < near.ends; ++k) {
      assert_int_equal(near.heads[i * near.ends + k], ranked(out_of, i, 0, k));
      assert_int_equal(near.tails[i * near.ends + k], ranked(into, i, 0, k));
    }
    for (int j = 0; j < N; ++j) assert_true(near.turned[i * N + j] == into(i, j));
  }
  free(memory);
}

static void few_nodes_have_short_lists(void **state) {
  (void)state;
  for (int64_t n = 1; n < 5; ++n) {
    edgefw__ruin_near near;
    const edgefw_route_plan plan = {.n = n, .cost = cost, .depot = true};
    void *memory = malloc(edgefw__ruin_near_bytes(n));
    assert_non_null(memory);
    edgefw__ruin_near_find(&plan, memory, &near);
    assert_int_equal(near.each, n > 2 ? n - 2 : 0);
    assert_int_equal(near.ends, n - 1);
    free(memory);
  }
}

/* Memory for many nodes is enough for fewer, of which costs are kept a second time. */
static void memory_serves_fewer_nodes(void **state) {
  (void)state;
  const int64_t n = EDGEFW__RUIN_TURNED;
  edgefw__ruin_near near;
  double *many = calloc((size_t)(n * n), sizeof *many);
  void *memory = malloc(edgefw__ruin_near_bytes(n + 1));
  assert_non_null(many);
  assert_non_null(memory);
  assert_true(edgefw__ruin_near_bytes(n + 1) >= edgefw__ruin_near_bytes(n));
  many[n] = 3.0; /* from node 1 to the depot */
  const edgefw_route_plan plan = {.n = n, .cost = many, .depot = true};
  edgefw__ruin_near_find(&plan, memory, &near);
  assert_true(near.turned[1] == 3.0 && near.turned[n * n - 1] == 0.0);
  free(memory);
  free(many);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lists_are_sorted),
                                     cmocka_unit_test(few_nodes_have_short_lists),
                                     cmocka_unit_test(memory_serves_fewer_nodes)};
  return test_run(tests, NULL, NULL);
}
