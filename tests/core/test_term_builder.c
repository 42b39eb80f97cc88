/* What score terms may declare, and the plan that comes out. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdlib.h>

#include "decode/term_builder.h"
#include "nn/graph.h"
#include "support/tiny_model.h"

static const edgefw_field fields[] = {{.name = "cost", .shape = EDGEFW_FIELD_PAIR}, {.name = NULL}};
static const edgefw_problem problem = {.size = sizeof problem, .fields = fields};

typedef struct fixture {
  tiny_model tiny;
  edgefw__parameters *parameters;
  edgefw_graph *graph;
  edgefw_decode_plan plan;
  edgefw_term_builder builder;
  edgefw_value cost; /* a pair table */
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  tiny_begin(&f->tiny, NULL, TINY_PLAIN, "reference64");
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
  tiny_ok(&f->tiny, edgefw__parameters_create(f->tiny.ctx, f->tiny.engine.kernels,
                                              f->tiny.engine.device, &f->parameters));
  tiny_ok(&f->tiny, edgefw__graph_create(f->parameters, &problem, 5, &f->graph));
  f->plan = (edgefw_decode_plan){0};
  f->builder = (edgefw_term_builder){.graph = f->graph, .plan = &f->plan};
  f->cost = edgefw_graph_zscore(f->graph, edgefw_graph_field(f->graph, "cost"));
  return 0;
}

static int end(void **state) {
  fixture *f = *state;
  edgefw__graph_destroy(f->graph);
  edgefw__parameters_destroy(f->parameters);
  edgefw_clear(f->tiny.ctx);
  return 0;
}

static void features_come_in_the_order_of_the_calls(void **state) {
  fixture *f = *state;
  assert_ptr_equal(edgefw_term_graph(&f->builder), f->graph);
  const edgefw_value nearest = edgefw_graph_row_min(f->graph, f->cost);
  edgefw_term_pair(&f->builder, f->cost, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  edgefw_term_antisymmetric(&f->builder, f->cost, EDGEFW_CANDIDATE, EDGEFW_CLOSING);
  edgefw_term_node(&f->builder, nearest, EDGEFW_CANDIDATE);
  edgefw_term_state(&f->builder, EDGEFW_STATE_PROGRESS);
  assert_int_equal(f->graph->status, EDGEFW_OK);
  assert_int_equal(f->plan.feature_count, 4);
  const edgefw_feature *features = f->plan.features;
  assert_int_equal(features[0].kind, EDGEFW_FEATURE_PAIR);
  assert_int_equal(features[0].row, EDGEFW_CURRENT);
  assert_int_equal(features[0].column, EDGEFW_CANDIDATE);
  assert_int_equal(features[1].kind, EDGEFW_FEATURE_ANTISYMMETRIC);
  assert_int_equal(features[1].column, EDGEFW_CLOSING);
  assert_int_equal(features[2].kind, EDGEFW_FEATURE_NODE);
  assert_int_equal(features[3].kind, EDGEFW_FEATURE_STATE);
  /* One table of two features, one of the third. */
  assert_int_equal(f->plan.table_count, 2);
  assert_int_equal(features[1].table, features[0].table);
  assert_true(f->plan.table_is_pair[features[0].table]);
  assert_false(f->plan.table_is_pair[features[2].table]);
  assert_int_equal(f->builder.tables[features[2].table], nearest);
}

static void expect_refusal(fixture *f, edgefw_status expected, const char *part) {
  const int before = f->plan.feature_count;
  edgefw_term_state(&f->builder, EDGEFW_STATE_PROGRESS); /* sticky */
  assert_int_equal(f->plan.feature_count, before);
  tiny_fails(&f->tiny, f->graph->status, expected, part);
}

static void a_pair_needs_two_nodes(void **state) {
  fixture *f = *state;
  edgefw_term_pair(&f->builder, f->cost, EDGEFW_CURRENT, EDGEFW_CURRENT);
  expect_refusal(f, EDGEFW_INVALID_ARGUMENT, "two different nodes");
}

static void a_node_must_be_one_that_exists(void **state) {
  fixture *f = *state;
  edgefw_term_pair(&f->builder, f->cost, (edgefw_at)7, EDGEFW_CURRENT);
  expect_refusal(f, EDGEFW_INVALID_ARGUMENT, "two different nodes");
}

static void raw_fields_are_no_tables(void **state) {
  fixture *f = *state;
  edgefw_term_pair(&f->builder, edgefw_graph_field(f->graph, "cost"), EDGEFW_CURRENT,
                   EDGEFW_CANDIDATE);
  expect_refusal(f, EDGEFW_INVALID_ARGUMENT, "a computed table of shape (n,n)");
}

static void a_node_feature_wants_one_number_per_node(void **state) {
  fixture *f = *state;
  edgefw_term_node(&f->builder, f->cost, EDGEFW_CANDIDATE);
  expect_refusal(f, EDGEFW_INVALID_ARGUMENT, "a computed table of shape (n)");
}

static void wide_values_are_refused(void **state) {
  fixture *f = *state;
  const edgefw_value x = edgefw_graph_svd_features(f->graph, f->cost, 2, false);
  edgefw_term_node(&f->builder, x, EDGEFW_CANDIDATE);
  expect_refusal(f, EDGEFW_INVALID_ARGUMENT, "shape (n)");
}

static void tables_with_a_gradient_are_refused(void **state) {
  fixture *f = *state;
  const edgefw_value x = edgefw_graph_svd_features(f->graph, f->cost, 2, false);
  edgefw_term_node(&f->builder, edgefw_graph_linear(f->graph, x, 1, 0, "l"), EDGEFW_CANDIDATE);
  expect_refusal(f, EDGEFW_INVALID_ARGUMENT, "without gradient");
}

static void a_bad_handle_is_refused(void **state) {
  fixture *f = *state;
  edgefw_term_pair(&f->builder, 0, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  expect_refusal(f, EDGEFW_INVALID_ARGUMENT, "a computed table");
}

static void too_many_features_are_refused(void **state) {
  fixture *f = *state;
  for (int i = 0; i <= EDGEFW_MAX_FEATURES; ++i)
    edgefw_term_state(&f->builder, EDGEFW_STATE_PROGRESS);
  assert_int_equal(f->plan.feature_count, EDGEFW_MAX_FEATURES);
  expect_refusal(f, EDGEFW_UNSUPPORTED, "more than 32 features");
}

static void too_many_tables_are_refused(void **state) {
  fixture *f = *state;
  for (int rank = 1; rank <= EDGEFW_MAX_TABLES + 1; ++rank) {
    /* A chain of transposes: each is another table. */
    f->cost = edgefw_graph_transpose(f->graph, f->cost);
    edgefw_term_pair(&f->builder, f->cost, EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  }
  assert_int_equal(f->plan.table_count, EDGEFW_MAX_TABLES);
  expect_refusal(f, EDGEFW_UNSUPPORTED, "more than 16 tables");
}

#define builder_test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
  const struct CMUnitTest tests[] = {
      builder_test(features_come_in_the_order_of_the_calls),
      builder_test(a_pair_needs_two_nodes),
      builder_test(a_node_must_be_one_that_exists),
      builder_test(raw_fields_are_no_tables),
      builder_test(a_node_feature_wants_one_number_per_node),
      builder_test(wide_values_are_refused),
      builder_test(tables_with_a_gradient_are_refused),
      builder_test(a_bad_handle_is_refused),
      builder_test(too_many_features_are_refused),
      builder_test(too_many_tables_are_refused),
  };
  return tiny_missing() ? 0 : cmocka_run_group_tests(tests, setup, teardown);
}
