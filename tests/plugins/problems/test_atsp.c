/* Problem atsp: its declarations, its generator, what it accepts, and a checker that catches what
 * is no tour. */
#include "support/test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/problem_support.h"
#include "support/tiny_model.h"

enum { N = 4 };

static const double costs[N * N] = {0, 1, 2, 3, 10, 0, 12, 13, 20, 21, 0, 23, 30, 31, 32, 0};

typedef struct fixture {
  tiny_model tiny;
  const edgefw_problem *problem;
  const edgefw_options *options;
  double cost[N * N];
  edgefw_instance instance; /* views cost */
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  tiny_begin(&f->tiny, NULL, TINY_PLAIN, "reference");
  f->problem = &f->tiny.composition->problem->vtable.problem;
  f->options = f->tiny.composition->problem_options;
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  tiny_close(&f->tiny);
  free(f);
  return 0;
}

static int begin(void **state) {
  fixture *f = *state;
  memcpy(f->cost, costs, sizeof costs);
  f->instance = (edgefw_instance){
      .n = N, .id = 7, .name = "mine", .fields = f->problem->fields, .data = {f->cost}};
  return 0;
}

static void it_declares_one_cost_matrix(void **state) {
  const fixture *f = *state;
  assert_string_equal(f->problem->fields[0].name, "cost");
  assert_int_equal(f->problem->fields[0].shape, EDGEFW_FIELD_PAIR);
  assert_int_equal(f->problem->fields[0].storage, EDGEFW_STORE_SCALED);
  assert_true(f->problem->fields[0].scale == 1e-6);
  assert_null(f->problem->fields[1].name);
  assert_string_equal(f->problem->objective, "cost");
  assert_int_equal(f->problem->start, EDGEFW_START_EACH_NODE);
  assert_int_equal(f->problem->closing, EDGEFW_CLOSE_AT_START);
  assert_int_equal(f->problem->query, EDGEFW_QUERY_FIRST);
  assert_int_equal(f->problem->min_nodes, 2);
}

/* Whole millionths below 1, zero diagonal, closed under the triangle inequality. */
static void generated_costs_are_a_metric(void **state) {
  const fixture *f = *state;
  edgefw__batch *batch = tiny_batch(&f->tiny, 9, 2026, 0, 3);
  for (int b = 0; b < 3; ++b) {
    const double *cost = batch->data[0] + b * 81;
    for (int i = 0; i < 9; ++i)
      for (int j = 0; j < 9; ++j) {
        const double units = cost[i * 9 + j] * 1e6;
        assert_true(units >= 0.0 && units < 1e6);
        check_close(units, round(units), 1e-6, 0.0, "whole millionths");
        if (i == j) assert_true(units == 0.0);
        for (int k = 0; k < 9; ++k)
          assert_true(cost[i * 9 + j] <= cost[i * 9 + k] + cost[k * 9 + j] + 1e-12);
      }
  }
  edgefw__batch_destroy(f->tiny.ctx, batch);
}

static void accepting_clears_the_diagonal(void **state) {
  fixture *f = *state;
  f->cost[5] = 1e9;
  f->cost[10] = -3.0;
  f->cost[15] = (double)NAN;
  tiny_ok(&f->tiny, f->problem->accept(f->tiny.ctx, f->options, &f->instance));
  check_same_bits(f->cost, costs, sizeof costs, "costs");
}

static void expect_infeasible(fixture *f, double value, const char *part) {
  f->cost[2 * N + 1] = value;
  tiny_fails(&f->tiny, f->problem->accept(f->tiny.ctx, f->options, &f->instance), EDGEFW_INFEASIBLE,
             part);
}

static void costs_that_are_none_are_refused(void **state) {
  fixture *f = *state;
  expect_infeasible(f, -1e-9, "instance mine (number 7): cost from node 3 to node 2 is -1e-09");
  expect_infeasible(f, (double)NAN, "from node 3 to node 2 is");
  expect_infeasible(f, HUGE_VAL, "from node 3 to node 2 is inf");
  expect_infeasible(f, DBL_MAX,
                    "from node 3 to node 2 is 1.79769e+308, too large for the networks' 32-bit "
                    "numbers; expected at most 1e+30: divide all costs by a common number");
  expect_infeasible(f, 1e38, "is 1e+38, too large");
  f->cost[2 * N + 1] = 1e30;
  tiny_ok(&f->tiny, f->problem->accept(f->tiny.ctx, f->options, &f->instance));
  f->instance.name = NULL;
  expect_infeasible(f, -HUGE_VAL, "instance generated (number 7)");
}

static edgefw_status check(fixture *f, const int32_t *tour, int64_t count, double *cost) {
  return f->problem->check(f->tiny.ctx, f->options, &f->instance, tour, count, cost);
}

static void a_tour_is_priced_along_its_arcs(void **state) {
  fixture *f = *state;
  double cost = 0.0;
  tiny_ok(&f->tiny, check(f, (int32_t[]){0, 2, 1, 3}, N, &cost));
  assert_true(cost == 2.0 + 21.0 + 13.0 + 30.0); /* the closing arc counts */
  tiny_ok(&f->tiny, check(f, (int32_t[]){3, 0, 2, 1}, N, &cost));
  assert_true(cost == 66.0); /* wherever it starts */
  tiny_ok(&f->tiny, check(f, (int32_t[]){3, 1, 2, 0}, N, &cost));
  assert_true(cost == 31.0 + 12.0 + 20.0 + 3.0); /* the other way round is another tour */
}

/* Every single change of one position of a tour is caught. */
static void every_mutation_is_caught(void **state) {
  fixture *f = *state;
  static const int32_t good[N] = {2, 0, 3, 1};
  for (int t = 0; t < N; ++t)
    for (int32_t node = -2; node < N + 2; ++node) {
      int32_t tour[N];
      double cost = 0.0;
      memcpy(tour, good, sizeof good);
      if (node == tour[t]) continue;
      tour[t] = node;
      tiny_fails(&f->tiny, check(f, tour, N, &cost), EDGEFW_CHECK_FAILED,
                 node < 0 || node >= N ? "expected 0 to 3" : "twice");
    }
}

static void a_missing_node_is_caught(void **state) {
  fixture *f = *state;
  double cost = 0.0;
  tiny_fails(&f->tiny, check(f, (int32_t[]){0, 1, 2}, N - 1, &cost), EDGEFW_CHECK_FAILED,
             "the tour has 3 nodes; expected 4");
  tiny_fails(&f->tiny, check(f, (int32_t[]){0, 1, 2, 3, 0}, N + 1, &cost), EDGEFW_CHECK_FAILED,
             "the tour has 5 nodes");
}

static void files_are_read_when_they_list_weights(void **state) {
  fixture *f = *state;
  double weights[N * N], read[N * N];
  int64_t nodes = 0;
  for (int e = 0; e < N * N; ++e) weights[e] = e;
  edgefw_tsplib file = {.path = "a.atsp",
                        .name = "a",
                        .type = "ATSP",
                        .edge_weight_type = "EXPLICIT",
                        .dimension = N,
                        .weights = weights};
  static const char *const types[] = {"ATSP", "TSP", ""};
  for (int t = 0; t < 3; ++t) {
    file.type = types[t];
    tiny_ok(&f->tiny, f->problem->file_nodes(f->tiny.ctx, f->options, &file, &nodes));
    assert_int_equal(nodes, N);
  }
  edgefw_instance out = f->instance;
  out.data[0] = read;
  tiny_ok(&f->tiny, f->problem->read(f->tiny.ctx, f->options, &file, &out));
  check_same_bits(read, weights, sizeof weights, "weights");
}

static void other_files_are_refused(void **state) {
  fixture *f = *state;
  int64_t nodes = 0;
  double weights[1] = {0};
  edgefw_tsplib file = {.path = "a.vrp",
                        .name = "a",
                        .type = "CVRP",
                        .edge_weight_type = "EXPLICIT",
                        .dimension = 1,
                        .weights = weights};
  tiny_fails(&f->tiny, f->problem->file_nodes(f->tiny.ctx, f->options, &file, &nodes),
             EDGEFW_UNSUPPORTED, "a.vrp: TYPE is CVRP");
  file.type = "TSP";
  file.edge_weight_type = "EUC_2D";
  file.weights = NULL;
  tiny_fails(&f->tiny, f->problem->file_nodes(f->tiny.ctx, f->options, &file, &nodes),
             EDGEFW_UNSUPPORTED, "EDGE_WEIGHT_TYPE is EUC_2D");
}

#define atsp_test(name) cmocka_unit_test_setup_teardown(name, begin, NULL)

/* Each instance of mixed is that of one of the two, bit for bit. */
static void mixed_is_tmat_or_road(void **state) {
  problem_fixture own, *f = &own;
  (void)state;
  problem_open(f, "atsp");
  enum { COUNT = 40, SIZE = 7 };
  static const char *const names[] = {"tmat", "road", "mixed"};
  int met[2] = {0};
  for (uint64_t id = 0; id < COUNT; ++id) {
    edgefw_instance made[3];
    for (int d = 0; d < 3; ++d) {
      problem_set(f, "distribution", names[d]);
      assert_int_equal(f->problem->takes_tmat(f->options), d == 0);
      made[d] = problem_generate(f, SIZE, id);
    }
    for (int d = 0; d < 2; ++d)
      met[d] += memcmp(problem_field(&made[2], "cost"), problem_field(&made[d], "cost"),
                       SIZE * SIZE * sizeof(double)) == 0;
    for (int d = 0; d < 3; ++d) problem_release(f, &made[d]);
  }
  assert_int_equal(met[0] + met[1], COUNT);
  assert_in_range(met[0], COUNT / 4, COUNT / 4 * 3);
  problem_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      atsp_test(it_declares_one_cost_matrix),     atsp_test(generated_costs_are_a_metric),
      atsp_test(accepting_clears_the_diagonal),   atsp_test(costs_that_are_none_are_refused),
      atsp_test(a_tour_is_priced_along_its_arcs), atsp_test(every_mutation_is_caught),
      atsp_test(a_missing_node_is_caught),        atsp_test(files_are_read_when_they_list_weights),
      atsp_test(other_files_are_refused),         cmocka_unit_test(mixed_is_tmat_or_road),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, setup, teardown);
}
