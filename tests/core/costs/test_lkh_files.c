/* LKH's files: what is written, to the byte, and how tours with depot copies are read. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "costs/lkh_files.h"
#include "support/io_support.h"

static int setup(void **state) {
  return io_file_set_up(state, "file.txt");
}

static void expect_file(const io_file *f, const char *expected) {
  size_t length = 0;
  char *text = io_read(f->path, &length);
  assert_string_equal(text, expected);
  free(text);
}

static const double asymmetric[] = {9, 0.1, 0.25, 1, 9, 2, 3.0000004, 4, 9};
static const double symmetric[] = {0, 1, 2, 1, 0, 3, 2, 3, 0};
static const double demand[] = {0, 3, 4};

static void tours_are_written_as_matrices(void **state) {
  io_file *f = *state;
  const edgefw__routing one = {.n = 3, .cost = asymmetric}, two = {.n = 3, .cost = symmetric};
  assert_ok(f->ctx, edgefw__lkh_write_problem(f->ctx, f->path, &one, 1e6, 1));
  expect_file(f, "NAME : edgefw\nTYPE : ATSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EXPLICIT\n"
                 "EDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 100000 250000\n"
                 "1000000 0 2000000\n3000000 4000000 0\nEOF\n");
  assert_ok(f->ctx, edgefw__lkh_write_problem(f->ctx, f->path, &two, 1.0, 1));
  expect_file(f, "NAME : edgefw\nTYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EXPLICIT\n"
                 "EDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1 2\n1 0 3\n2 3 0\n"
                 "EOF\n");
}

/* The price of forbidden arcs takes no part in what LKH can take: they cost as much as that. */
static void forbidden_arcs_cost_the_most(void **state) {
  io_file *f = *state;
  const double cost[] = {0, 0.5, 70, 0.25, 0, 10, 70, 70, 0};
  edgefw__routing routing = {.n = 3, .cost = cost, .forbidden = 70};
  assert_ok(f->ctx, edgefw__lkh_write_problem(f->ctx, f->path, &routing, 1e6, 1));
  expect_file(f, "NAME : edgefw\nTYPE : ATSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EXPLICIT\n"
                 "EDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 500000 10737418\n"
                 "250000 0 10000000\n10737418 10737418 0\nEOF\n");
  routing.forbidden = 0;
  assert_fails(f->ctx, edgefw__lkh_write_problem(f->ctx, f->path, &routing, 1e6, 1),
               EDGEFW_UNSUPPORTED, "the largest one, 70,");
}

static void routes_are_written_with_demands(void **state) {
  io_file *f = *state;
  edgefw__routing routing = {.n = 3, .cost = symmetric, .demand = demand, .capacity = 7.0};
  assert_ok(f->ctx, edgefw__lkh_write_problem(f->ctx, f->path, &routing, 1.0, 2));
  expect_file(f, "NAME : edgefw\nTYPE : CVRP\nDIMENSION : 3\nCAPACITY : 7\nVEHICLES : 2\n"
                 "EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\n"
                 "EDGE_WEIGHT_SECTION\n0 1 2\n1 0 3\n2 3 0\nDEMAND_SECTION\n1 0\n2 3\n3 4\n"
                 "DEPOT_SECTION\n1\n-1\nEOF\n");
  /* Tenths, so times 10; thirds have no such factor and are rounded up. */
  const double fractional[] = {0, 0.3, 0.7}, thirds[] = {0, 1.0 / 3.0, 0.5};
  routing = (edgefw__routing){.n = 3, .cost = asymmetric, .demand = fractional, .capacity = 1.0};
  assert_ok(f->ctx, edgefw__lkh_write_problem(f->ctx, f->path, &routing, 10.0, 2));
  expect_file(f, "NAME : edgefw\nTYPE : ACVRP\nDIMENSION : 3\nCAPACITY : 10\nVEHICLES : 2\n"
                 "EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\n"
                 "EDGE_WEIGHT_SECTION\n0 1 2\n10 0 20\n30 40 0\nDEMAND_SECTION\n1 0\n2 3\n"
                 "3 7\nDEPOT_SECTION\n1\n-1\nEOF\n");
  routing.demand = thirds;
  assert_ok(f->ctx, edgefw__lkh_write_problem(f->ctx, f->path, &routing, 10.0, 2));
  size_t length = 0;
  char *text = io_read(f->path, &length);
  assert_non_null(strstr(text, "\n2 333334\n3 500000\n"));
  free(text);
}

static void numbers_beyond_lkhs_are_refused(void **state) {
  io_file *f = *state;
  const double large[] = {1e9, 10737418.4, 1, 0}, nothing[] = {0, NAN, 1, 0};
  const double heavy[] = {0, 2e9, 1e9};
  edgefw__routing routing = {.n = 2, .cost = large};
  assert_fails(f->ctx, edgefw__lkh_write_problem(f->ctx, f->path, &routing, 1.0, 1),
               EDGEFW_UNSUPPORTED, "choose a scale of at most 1 (--scale)");
  assert_ok(f->ctx, edgefw__lkh_write_problem(f->ctx, f->path, &routing, 0.5, 1));
  routing.cost = nothing;
  assert_fails(f->ctx, edgefw__lkh_write_problem(f->ctx, f->path, &routing, 1.0, 1),
               EDGEFW_UNSUPPORTED, "nan");
  routing = (edgefw__routing){.n = 3, .cost = symmetric, .demand = heavy, .capacity = 2e9};
  assert_fails(f->ctx, edgefw__lkh_write_problem(f->ctx, f->path, &routing, 1.0, 1),
               EDGEFW_UNSUPPORTED, "demands of 2147483647 together");
  routing = (edgefw__routing){.n = 3, .cost = symmetric};
  assert_fails(f->ctx, edgefw__lkh_write_problem(f->ctx, "/none/x", &routing, 1.0, 1), EDGEFW_IO,
               "/none/x");
}

static void vehicles_suffice(void **state) {
  io_file *f = *state;
  int64_t vehicles = 0;
  double weights[41] = {0};
  for (int i = 1; i <= 40; ++i) weights[i] = 3.0; /* three per route of 10: 14 routes */
  edgefw__routing routing = {.n = 41, .demand = weights, .capacity = 10.0};
  assert_ok(f->ctx, edgefw__lkh_vehicles(f->ctx, &routing, &vehicles));
  assert_int_equal(vehicles, 14 + 3 + 1);
  routing.capacity = 3.0;
  assert_ok(f->ctx, edgefw__lkh_vehicles(f->ctx, &routing, &vehicles));
  assert_int_equal(vehicles, 40);
  weights[1] = 9.0; /* largest first: 9, then 3 x 13 in routes of 12 */
  routing.n = 15;
  routing.capacity = 12.0;
  assert_ok(f->ctx, edgefw__lkh_vehicles(f->ctx, &routing, &vehicles));
  assert_int_equal(vehicles, 4 + 1 + 1);
  routing.demand = NULL;
  assert_ok(f->ctx, edgefw__lkh_vehicles(f->ctx, &routing, &vehicles));
  assert_int_equal(vehicles, 1);
}

static void parameters_are_written(void **state) {
  io_file *f = *state;
  edgefw__lkh_parameters parameters = {.runs = 2, .seed = 1};
  assert_ok(f->ctx, edgefw__lkh_write_parameters(f->ctx, f->path, &parameters, "/a.tsp", "/b"));
  expect_file(f, "PROBLEM_FILE = /a.tsp\nTOUR_FILE = /b\nRUNS = 2\nSEED = 1\nMTSP_MIN_SIZE = 0\n"
                 "TRACE_LEVEL = 0\n");
  parameters.trials = 100;
  parameters.time_limit = 2.5;
  assert_ok(f->ctx, edgefw__lkh_write_parameters(f->ctx, f->path, &parameters, "/a.tsp", "/b"));
  expect_file(f, "PROBLEM_FILE = /a.tsp\nTOUR_FILE = /b\nRUNS = 2\nSEED = 1\nMTSP_MIN_SIZE = 0\n"
                 "TRACE_LEVEL = 0\nMAX_TRIALS = 100\nTIME_LIMIT = 2.5\n");
}

static edgefw_status read_tour(io_file *f, const char *nodes, int dimension,
                               const edgefw__routing *routing, int64_t vehicles, int32_t *tour) {
  char text[512];
  const int length = snprintf(text, sizeof text,
                              "NAME : x\nTYPE : TOUR\nDIMENSION : %d\nTOUR_SECTION\n%s\n-1\nEOF\n",
                              dimension, nodes);
  io_write(f->path, text, (size_t)length);
  return edgefw__lkh_read_tour(f->ctx, f->path, routing, vehicles, tour);
}

static void depot_copies_are_depots(void **state) {
  io_file *f = *state;
  int32_t tour[10];
  const edgefw__routing plain = {.n = 3, .cost = symmetric};
  assert_ok(f->ctx, read_tour(f, "2 3 1", 3, &plain, 1, tour));
  assert_true(tour[0] == 1 && tour[1] == 2 && tour[2] == 0);
  /* 5 nodes, 3 vehicles: copies 6 and 7. */
  const edgefw__routing routing = {.n = 5, .cost = symmetric, .demand = demand};
  static const struct {
    const char *nodes;
    int32_t tour[10];
  } cases[] = {{"1 2 3 6 4 7 5", {0, 1, 2, 0, 3, 0, 4}},
               {"3 6 4 7 5 1 2", {0, 1, 2, 0, 3, 0, 4}}, /* begins within a route */
               {"1 6 2 3 4 5 7", {0, 1, 2, 3, 4}},       /* two vehicles stay */
               {"1 2 6 7 3 4 5", {0, 1, 0, 2, 3, 4}}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    assert_ok(f->ctx, read_tour(f, cases[c].nodes, 7, &routing, 3, tour));
    assert_memory_equal(tour, cases[c].tour, sizeof tour);
  }
  assert_fails(f->ctx, read_tour(f, "1 2 3 4 5", 5, &routing, 3, tour), EDGEFW_MISMATCH,
               "DIMENSION");
  assert_fails(f->ctx, read_tour(f, "1 2 3 4 5 6 6", 7, &routing, 3, tour), EDGEFW_FORMAT, "twice");
  assert_fails(f->ctx, read_tour(f, "1 2 3 4 5 6 8", 7, &routing, 3, tour), EDGEFW_FORMAT, "8");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(tours_are_written_as_matrices, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(forbidden_arcs_cost_the_most, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(routes_are_written_with_demands, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(numbers_beyond_lkhs_are_refused, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(vehicles_suffice, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(parameters_are_written, setup, io_file_tear_down),
      cmocka_unit_test_setup_teardown(depot_copies_are_depots, setup, io_file_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
