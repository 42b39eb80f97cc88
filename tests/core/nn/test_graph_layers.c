/* Layers and inputs of problems with coordinates or a depot: shapes, names, refusals. */
#include "support/test.h"

#include <stdlib.h>

#include "nn/graph.h"
#include "support/tiny_model.h"

static const edgefw_field fields[] = {{.name = "cost", .shape = EDGEFW_FIELD_PAIR},
                                      {.name = "place", .shape = EDGEFW_FIELD_POINT},
                                      {.name = "weight", .shape = EDGEFW_FIELD_NODE},
                                      {.name = "room", .shape = EDGEFW_FIELD_SCALAR},
                                      {.name = NULL}};
static const edgefw_problem problem = {.size = sizeof problem, .fields = fields};

typedef struct fixture {
  tiny_model tiny;
  edgefw__parameters *parameters;
  edgefw_graph *graph;
} fixture;

static int begin(void **state) {
  fixture *f = calloc(1, sizeof *f);
  tiny_begin(&f->tiny, NULL, TINY_PLAIN, "reference64");
  tiny_ok(&f->tiny, edgefw__parameters_create(f->tiny.ctx, f->tiny.engine.kernels,
                                              f->tiny.engine.device, &f->parameters));
  tiny_ok(&f->tiny, edgefw__graph_create(f->parameters, &problem, 5, &f->graph));
  *state = f;
  return 0;
}

static int end(void **state) {
  fixture *f = *state;
  edgefw__graph_destroy(f->graph);
  edgefw__parameters_destroy(f->parameters);
  tiny_close(&f->tiny);
  free(f);
  return 0;
}

static void inputs_have_the_width_of_their_field(void **state) {
  edgefw_graph *graph = ((fixture *)*state)->graph;
  assert_ptr_equal(edgefw_graph_problem(graph), &problem);
  const edgefw_value weight = edgefw_graph_input(graph, "weight", EDGEFW_INPUT_RAW, NULL);
  assert_int_equal(edgefw_graph_width(graph, weight), 1);
  const edgefw_value place = edgefw_graph_input(graph, "place", EDGEFW_INPUT_RAW, NULL);
  assert_int_equal(edgefw_graph_width(graph, place), 2);
  assert_true(edgefw_graph_is_pair(graph, edgefw_graph_input(graph, "cost", EDGEFW_INPUT_RAW, "")));
  const edgefw_value share = edgefw_graph_input(graph, "weight", EDGEFW_INPUT_SHARE, NULL);
  const edgefw_value ratio = edgefw_graph_input(graph, "weight", EDGEFW_INPUT_RATIO, "room");
  assert_int_not_equal(share, weight);
  assert_int_not_equal(share, ratio);
  assert_int_equal(edgefw_graph_input(graph, "weight", EDGEFW_INPUT_RATIO, "room"), ratio);
  assert_int_equal(graph->status, EDGEFW_OK);
}

static void joined_values_add_up(void **state) {
  edgefw_graph *graph = ((fixture *)*state)->graph;
  const edgefw_value place = edgefw_graph_input(graph, "place", EDGEFW_INPUT_RAW, NULL);
  const edgefw_value weight = edgefw_graph_input(graph, "weight", EDGEFW_INPUT_RAW, NULL);
  const edgefw_value all = edgefw_graph_concat(graph, place, weight);
  assert_int_equal(edgefw_graph_width(graph, all), 3);
  const edgefw_value depot = edgefw_graph_linear(graph, place, 8, 0, "depot");
  const edgefw_value nodes = edgefw_graph_linear(graph, all, 8, 0, "nodes");
  const edgefw_value h = edgefw_graph_depot_and_customers(graph, depot, nodes);
  assert_int_equal(edgefw_graph_width(graph, h), 8);
  assert_int_equal(edgefw_graph_width(graph, edgefw_graph_attention(graph, h, h, h, 4)), 8);
  assert_int_equal(graph->status, EDGEFW_OK);
}

static void tables_of_ranks_and_assignment_are_pairs(void **state) {
  edgefw_graph *graph = ((fixture *)*state)->graph;
  const edgefw_value cost = edgefw_graph_field(graph, "cost");
  const edgefw_value table = edgefw_graph_zscore(graph, cost);
  assert_true(edgefw_graph_is_pair(graph, edgefw_graph_row_rank(graph, table)));
  assert_true(edgefw_graph_is_pair(graph, edgefw_graph_column_rank(graph, table)));
  assert_true(edgefw_graph_is_pair(graph, edgefw_graph_assignment(graph, cost)));
  assert_int_equal(edgefw_graph_assignment(graph, table), 0); /* raw fields only */
}

static void misfits_are_refused(void **state) {
  fixture *f = *state;
  for (int fault = 0; fault < 6; ++fault) {
    edgefw_graph *graph = f->graph;
    const edgefw_value place = edgefw_graph_input(graph, "place", EDGEFW_INPUT_RAW, NULL);
    const edgefw_value weight = edgefw_graph_input(graph, "weight", EDGEFW_INPUT_RAW, NULL);
    edgefw_value bad = 0;
    switch (fault) {
    case 0: bad = edgefw_graph_input(graph, "wieght", EDGEFW_INPUT_RAW, NULL); break;
    case 1: bad = edgefw_graph_input(graph, "room", EDGEFW_INPUT_RAW, NULL); break;
    case 2: bad = edgefw_graph_input(graph, "weight", EDGEFW_INPUT_RATIO, "place"); break;
    case 3: bad = edgefw_graph_depot_and_customers(graph, place, weight); break;
    case 4: bad = edgefw_graph_attention(graph, place, place, place, 3); break;
    default: bad = edgefw_graph_attention(graph, place, place, weight, 1); break;
    }
    assert_int_equal(bad, 0);
    assert_int_not_equal(graph->status, EDGEFW_OK);
    edgefw__graph_destroy(graph);
    edgefw_clear(f->tiny.ctx);
    tiny_ok(&f->tiny, edgefw__graph_create(f->parameters, &problem, 5, &f->graph));
  }
}

int main(void) {
  if (tiny_missing()) return 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(inputs_have_the_width_of_their_field, begin, end),
      cmocka_unit_test_setup_teardown(joined_values_add_up, begin, end),
      cmocka_unit_test_setup_teardown(tables_of_ranks_and_assignment_are_pairs, begin, end),
      cmocka_unit_test_setup_teardown(misfits_are_refused, begin, end)};
  return test_run(tests, NULL, NULL);
}
