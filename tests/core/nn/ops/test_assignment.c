/* The assignment as nodes: shapes, refusals, values, one solution for all of them. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "support/check.h"
#include "support/graph_support.h"

enum { N = GRAPH_NODES };

static void shapes_are_known(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value cost = edgefw_graph_field(graph, "cost");
  assert_true(edgefw_graph_is_pair(graph, edgefw_graph_assignment(graph, cost)));
  assert_true(edgefw_graph_is_pair(graph, edgefw_graph_exchange(graph, cost)));
  assert_int_equal(edgefw_graph_width(graph, edgefw_graph_successors(graph, cost)), 1);
  assert_int_equal(graph->status, EDGEFW_OK);
}

static void assignment_wants_raw_input(void **state) {
  graph_fixture *f = *state;
  const edgefw_value table = graph_cost_table(f->graph);
  graph_expect_failure(f, edgefw_graph_assignment(f->graph, table), EDGEFW_INVALID_ARGUMENT,
                       "assignment takes a raw field");
}

static void successors_want_raw_input(void **state) {
  graph_fixture *f = *state;
  const edgefw_value table = graph_cost_table(f->graph);
  graph_expect_failure(f, edgefw_graph_successors(f->graph, table), EDGEFW_INVALID_ARGUMENT,
                       "assignment takes a raw field");
}

static void exchange_wants_raw_input(void **state) {
  graph_fixture *f = *state;
  const edgefw_value table = graph_cost_table(f->graph);
  graph_expect_failure(f, edgefw_graph_exchange(f->graph, table), EDGEFW_INVALID_ARGUMENT,
                       "assignment takes a raw field");
}

static int count_ops(const edgefw_graph *graph, const char *name) {
  int count = 0;
  for (int i = 0; i < graph->node_count; ++i)
    count += strcmp(graph->nodes[i].spec.op->name, name) == 0;
  return count;
}

/* Whatever is asked for, and in whatever order. */
static void it_is_solved_once(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value cost = edgefw_graph_field(graph, "cost");
  const edgefw_value first = edgefw_graph_exchange(graph, cost);
  edgefw_graph_assignment(graph, cost);
  edgefw_graph_successors(graph, cost);
  assert_int_equal(edgefw_graph_exchange(graph, cost), first);
  assert_int_equal(count_ops(graph, "assignment"), 1);
  assert_int_equal(count_ops(graph, "successors"), 1);
  assert_int_equal(count_ops(graph, "exchange"), 1);
}

/* `next` has no fixed point; the table is 0 on its arcs, and elsewhere log(1 + rise / mean). */
static void check_instance(const double *x, const double *next, const double *table) {
  double total = 0.0;
  for (int i = 0; i < N; ++i) {
    assert_true(next[i] != i);
    total += x[i * N + (int)next[i]];
  }
  for (int i = 0; i < N; ++i)
    for (int last = 0; last < N; ++last) { /* last -> j becomes last -> next[i] */
      const int j = (int)next[last], s = (int)next[i];
      double rise = x[i * N + j] + x[last * N + s] - x[i * N + s] - x[last * N + j];
      if (last == s) rise = 2.0 * x[i * N + j];
      if (i == j || last == i) rise = 0.0;
      check_close(table[i * N + j], log1p(fmax(rise, 0.0) * N / total), 1e-12, 0.0, "exchange");
    }
}

static void tables_hold_what_they_say(void **state) {
  for (int training = 0; training < 2; ++training) {
    graph_fixture *f = *state;
    const edgefw_value cost = edgefw_graph_field(f->graph, "cost");
    const edgefw_value table = edgefw_graph_exchange(f->graph, cost);
    const edgefw_value next = edgefw_graph_successors(f->graph, cost);
    graph_run(f, training == 1);
    for (int b = 0; b < GRAPH_INSTANCES; ++b)
      check_instance(f->batch->data[0] + b * N * N, graph_values(f, next) + b * N,
                     graph_values(f, table) + b * N * N);
    if (training == 0) graph_end(state);
    if (training == 0) graph_begin(state);
  }
}

/* The same fields as a problem of routes: weights 1 to 4 and 2 to 5, whose vehicles have room for
 * 8 and 9, so that two routes are the least; or without resources. Of n - 1 customers as many go on
 * to the depot as there are routes. */
static void depot_is_entered_by(void **state, const edgefw_resource *resources, int routes) {
  graph_fixture *f = *state;
  edgefw_problem problem = graph_problem;
  problem.start = EDGEFW_START_EACH_CUSTOMER;
  problem.resources = resources;
  edgefw__graph_destroy(f->graph);
  tiny_ok(&f->tiny, edgefw__graph_create(f->parameters, &problem, NULL, N, &f->graph));
  const edgefw_value cost = edgefw_graph_field(f->graph, "cost");
  const edgefw_value next = edgefw_graph_successors(f->graph, cost);
  const edgefw_value table = edgefw_graph_exchange(f->graph, cost);
  graph_run(f, false);
  for (int b = 0; b < GRAPH_INSTANCES; ++b) {
    int entered = 0;
    for (int i = 1; i < N; ++i) {
      const int to = (int)graph_values(f, next)[b * N + i];
      entered += to == 0;
      assert_true(graph_values(f, table)[(b * N + i) * N + to] == 0.0);
    }
    assert_int_equal(entered, routes);
  }
}

static void depot_is_there_for_each_route(void **state) {
  static const edgefw_resource load[] = {{.name = "load", .demand = "weight", .capacity = "room"},
                                         {.name = NULL}};
  depot_is_entered_by(state, load, 2);
}

static void depot_is_there_once_without_demands(void **state) {
  depot_is_entered_by(state, NULL, 1);
}

static void exchange_knows_its_work(void **state) {
  edgefw_graph *graph = ((graph_fixture *)*state)->graph;
  const edgefw_value table = edgefw_graph_exchange(graph, edgefw_graph_field(graph, "cost"));
  assert_true(graph_forward_work(graph, table, 3).bytes == 24 * 3 * N * N);
  assert_true(graph_backward_work(graph, table, 3).bytes == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      graph_test(shapes_are_known),
      graph_test(assignment_wants_raw_input),
      graph_test(successors_want_raw_input),
      graph_test(exchange_wants_raw_input),
      graph_test(it_is_solved_once),
      graph_test(tables_hold_what_they_say),
      graph_test(depot_is_there_for_each_route),
      graph_test(depot_is_there_once_without_demands),
      graph_test(exchange_knows_its_work),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, graph_setup, graph_teardown);
}
