/* What score terms may declare, and the plan that comes out. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "policy/term_builder.h"
#include "nn/graph.h"
#include "support/term_fixture.h"

typedef term_fixture fixture;

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
  const edgefw_value x = edgefw_graph_svd_features(f->graph, f->cost, 2, 0);
  edgefw_term_node(&f->builder, x, EDGEFW_CANDIDATE);
  expect_refusal(f, EDGEFW_INVALID_ARGUMENT, "shape (n)");
}

static void tables_with_a_gradient_are_refused(void **state) {
  fixture *f = *state;
  const edgefw_value x = edgefw_graph_svd_features(f->graph, f->cost, 2, 0);
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

/* --- A cycle cover --- */

static void a_cover_has_two_tables(void **state) {
  fixture *f = *state;
  const edgefw_value field = edgefw_graph_field(f->graph, "cost");
  const edgefw_value next = edgefw_graph_successors(f->graph, field);
  const edgefw_value rise = edgefw_graph_exchange(f->graph, field);
  for (int k = 0; k < EDGEFW_COVER_NUMBERS; ++k)
    edgefw_term_cycle_cover(&f->builder, next, rise, (edgefw_cover_number)k);
  assert_int_equal(f->graph->status, EDGEFW_OK);
  assert_int_equal(f->plan.feature_count, EDGEFW_COVER_NUMBERS);
  assert_int_equal(f->plan.table_count, 2);
  for (int k = 0; k < EDGEFW_COVER_NUMBERS; ++k) {
    const edgefw_feature *feature = &f->plan.features[k];
    assert_int_equal(feature->kind, EDGEFW_FEATURE_PATH);
    assert_int_equal(feature->path, EDGEFW_PATH_CYCLE_COVER);
    assert_int_equal(feature->number, k);
    assert_int_equal(f->builder.tables[feature->permutation], next);
    assert_int_equal(f->builder.tables[feature->table], rise);
  }
}

static void a_cover_wants_successors(void **state) {
  fixture *f = *state;
  const edgefw_value field = edgefw_graph_field(f->graph, "cost");
  const edgefw_value rise = edgefw_graph_exchange(f->graph, field);
  const edgefw_value least = edgefw_graph_row_min(f->graph, f->cost);
  edgefw_term_cycle_cover(&f->builder, least, rise, EDGEFW_COVER_RISE);
  expect_refusal(f, EDGEFW_INVALID_ARGUMENT, "takes edgefw_graph_successors");
}

static void a_cover_wants_exchanges(void **state) {
  fixture *f = *state;
  const edgefw_value field = edgefw_graph_field(f->graph, "cost");
  const edgefw_value next = edgefw_graph_successors(f->graph, field);
  edgefw_term_cycle_cover(&f->builder, next, f->cost, EDGEFW_COVER_RISE);
  expect_refusal(f, EDGEFW_INVALID_ARGUMENT, "edgefw_graph_exchange of one matrix");
}

static void a_cover_has_so_many_numbers(void **state) {
  fixture *f = *state;
  edgefw_term_cycle_cover(&f->builder, f->cost, f->cost, EDGEFW_COVER_NUMBERS);
  expect_refusal(f, EDGEFW_INVALID_ARGUMENT, "number 5 of a cycle cover");
}

static void a_cover_has_no_depot(void **state) {
  fixture *f = *state;
  f->plan.start = EDGEFW_START_EACH_CUSTOMER;
  const edgefw_value least = edgefw_graph_row_min(f->graph, f->cost);
  edgefw_term_cycle_cover(&f->builder, least, f->cost, EDGEFW_COVER_RISE);
  expect_refusal(f, EDGEFW_UNSUPPORTED, "come back to a depot");
}

/* --- Logits --- */

static void a_penalty_is_a_logit_without_parameters(void **state) {
  fixture *f = *state;
  edgefw_term_near_penalty(&f->builder, f->cost, 7, -1.5, 0.25);
  assert_int_equal(f->graph->status, EDGEFW_OK);
  assert_int_equal(f->plan.logit_count, 1);
  assert_int_equal(f->plan.feature_count, 0);
  const edgefw_logit *logit = &f->plan.logits[0];
  assert_int_equal(logit->kind, EDGEFW_LOGIT_NEAR_PENALTY);
  assert_int_equal(logit->near, 7);
  assert_true(logit->far == -1.5 && logit->epsilon == 0.25);
  assert_int_equal(f->builder.tables[logit->table], f->cost);
  assert_true(f->plan.table_is_pair[logit->table]);
  assert_int_equal(f->builder.logit_from[0], 0);
  for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t)
    assert_int_equal(f->builder.logit_tensors[0][t], -1);
  assert_int_equal(f->parameters->item_count, 0);
}

static void add_attention(fixture *f, int64_t near, int64_t from_step, const char *name) {
  const edgefw_local_attention spec = {
      .size = sizeof spec, .near = near, .from_step = from_step, .epsilon = 0.5};
  edgefw_term_local_attention(&f->builder, f->cost, f->points, &spec, name);
}

/* Logit `index` has its tensors under these names, with these shapes; 0: a vector. */
static void expect_tensors(const fixture *f, int index, const char *name, int64_t inputs) {
  static const char *const suffixes[EDGEFW_LOCAL_TENSORS] = {
      [EDGEFW_LOCAL_EMBED] = "init_emb.weight",
      [EDGEFW_LOCAL_EMBED_BIAS] = "init_emb.bias",
      [EDGEFW_LOCAL_TOKEN] = "cur_token_emb",
      [EDGEFW_LOCAL_QUERY] = "Wq.weight",
      [EDGEFW_LOCAL_KEY] = "Wk.weight",
      [EDGEFW_LOCAL_VALUE] = "Wv.weight",
      [EDGEFW_LOCAL_COMBINE] = "multi_head_combine.weight",
      [EDGEFW_LOCAL_COMBINE_BIAS] = "multi_head_combine.bias"};
  const int64_t columns[EDGEFW_LOCAL_TENSORS] = {inputs, 0, 0, 32, 32, 32, 32, 0};
  for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t) {
    char full[128];
    snprintf(full, sizeof full, "decoder.%s.%s", name, suffixes[t]);
    const int found = edgefw__parameters_find(f->parameters, full);
    assert_int_equal(f->builder.logit_tensors[index][t], found);
    assert_true(found >= 0);
    const edgefw__parameter *item = &f->parameters->items[found];
    assert_int_equal(item->rank, columns[t] ? 2 : 1);
    assert_int_equal(item->shape[0], 32);
    if (columns[t]) assert_int_equal(item->shape[1], columns[t]);
  }
}

static void an_attention_has_tensors_of_its_own(void **state) {
  fixture *f = *state;
  add_attention(f, 7, 300, "near.0");
  f->plan.resource_count = 1; /* a load is an input more */
  add_attention(f, 9, 0, "near.1");
  assert_int_equal(f->graph->status, EDGEFW_OK);
  assert_int_equal(f->plan.logit_count, 2);
  assert_int_equal(f->plan.logits[0].kind, EDGEFW_LOGIT_LOCAL_ATTENTION);
  assert_int_equal(f->plan.logits[0].near, 7);
  assert_int_equal(f->plan.logits[1].near, 9);
  assert_true(f->plan.logits[0].epsilon == 0.5);
  assert_int_equal(f->builder.logit_from[0], 300);
  assert_int_equal(f->builder.logit_from[1], 0);
  assert_int_equal(f->builder.tables[f->plan.logits[1].table], f->cost);
  assert_int_equal(f->builder.tables[f->plan.logits[1].points], f->points);
  assert_int_equal(f->plan.table_count, 2); /* both logits look at the same */
  assert_int_equal(f->parameters->item_count, 2 * EDGEFW_LOCAL_TENSORS);
  expect_tensors(f, 0, "near.0", 2);
  expect_tensors(f, 1, "near.1", 3);
}

static void an_attention_may_have_had_another_name(void **state) {
  fixture *f = *state;
  const edgefw_local_attention spec = {.size = sizeof spec, .near = 7, .former = "before"};
  edgefw_term_local_attention(&f->builder, f->cost, f->points, &spec, "now");
  expect_tensors(f, 0, "now", 2);
  assert_int_equal(edgefw__parameters_find(f->parameters, "decoder.before.Wq.weight"), -1);
  const edgefw__parameter *items = f->parameters->items;
  assert_string_equal(items[EDGEFW_LOCAL_QUERY].former, "decoder.before.Wq.weight");
  assert_string_equal(items[EDGEFW_LOCAL_TOKEN].former, "decoder.before.cur_token_emb");
  add_attention(f, 7, 0, "other");
  for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t)
    assert_null(items[EDGEFW_LOCAL_TENSORS + t].former);
}

/* Initial numbers are within the bounds of a linear layer, and not all alike. */
static void tensors_begin_as_linear_layers(void **state) {
  fixture *f = *state;
  add_attention(f, 7, 0, "near");
  tiny_ok(&f->tiny, edgefw__parameters_seal(f->parameters, 1, false));
  const double bounds[EDGEFW_LOCAL_TENSORS] = {1 / sqrt(2.0),  1 / sqrt(2.0),  1.0,
                                               1 / sqrt(32.0), 1 / sqrt(32.0), 1 / sqrt(32.0),
                                               1 / sqrt(32.0), 1 / sqrt(32.0)};
  for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t) {
    const edgefw__parameter *item = &f->parameters->items[t];
    const double *values = edgefw__parameters_at(f->parameters, f->parameters->values, t);
    double largest = 0.0;
    for (int64_t i = 0; i < item->count; ++i) largest = fmax(largest, fabs(values[i]));
    assert_true(largest <= bounds[t] && largest > 0.7 * bounds[t]);
  }
}

static void expect_no_logit(fixture *f, int count, edgefw_status expected, const char *part) {
  assert_int_equal(f->plan.logit_count, count);
  edgefw_term_near_penalty(&f->builder, f->cost, 1, 0.0, 0.0); /* sticky */
  assert_int_equal(f->plan.logit_count, count);
  assert_int_equal(f->parameters->item_count, 0);
  tiny_fails(&f->tiny, f->graph->status, expected, part);
}

static void a_near_set_has_a_node_at_least(void **state) {
  fixture *f = *state;
  edgefw_term_near_penalty(&f->builder, f->cost, 0, -1.0, 0.0);
  expect_no_logit(f, 0, EDGEFW_INVALID_ARGUMENT, "a near set of 0 nodes in logit 1");
}

static void an_attention_has_a_node_at_least(void **state) {
  fixture *f = *state;
  add_attention(f, -3, 0, "near");
  expect_no_logit(f, 0, EDGEFW_INVALID_ARGUMENT, "a near set of -3 nodes in logit 1");
}

static void no_epsilon_is_negative(void **state) {
  fixture *f = *state;
  edgefw_term_near_penalty(&f->builder, f->cost, 3, -1.0, -0.5);
  expect_no_logit(f, 0, EDGEFW_INVALID_ARGUMENT, "an epsilon of -0.5 in logit 1");
}

static void no_epsilon_is_infinite(void **state) {
  fixture *f = *state;
  edgefw_term_near_penalty(&f->builder, f->cost, 3, -1.0, (double)INFINITY);
  expect_no_logit(f, 0, EDGEFW_INVALID_ARGUMENT, "an epsilon of inf in logit 1");
}

static void too_many_logits_are_refused(void **state) {
  fixture *f = *state;
  for (int i = 0; i <= EDGEFW_MAX_LOGITS; ++i)
    edgefw_term_near_penalty(&f->builder, f->cost, 1, -1.0, 0.0);
  expect_no_logit(f, EDGEFW_MAX_LOGITS, EDGEFW_INVALID_ARGUMENT, "at most 4 logits");
}

static void points_have_two_numbers(void **state) {
  fixture *f = *state;
  f->points = edgefw_graph_row_min(f->graph, f->cost); /* one */
  add_attention(f, 3, 0, "near");
  expect_no_logit(f, 0, EDGEFW_INVALID_ARGUMENT, "a computed table of shape (n,2)");
}

static void points_are_no_matrix(void **state) {
  fixture *f = *state;
  f->points = f->cost;
  add_attention(f, 3, 0, "near");
  expect_no_logit(f, 0, EDGEFW_INVALID_ARGUMENT, "a computed table of shape (n,2)");
}

static void distances_are_a_matrix(void **state) {
  fixture *f = *state;
  edgefw_term_near_penalty(&f->builder, f->points, 3, -1.0, 0.0);
  expect_no_logit(f, 0, EDGEFW_INVALID_ARGUMENT, "a pair look-up takes a computed table");
}

#define builder_test(name)                                                                         \
  cmocka_unit_test_setup_teardown(name, term_fixture_begin, term_fixture_end)

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
      builder_test(a_cover_has_two_tables),
      builder_test(a_cover_wants_successors),
      builder_test(a_cover_wants_exchanges),
      builder_test(a_cover_has_so_many_numbers),
      builder_test(a_cover_has_no_depot),
      builder_test(a_penalty_is_a_logit_without_parameters),
      builder_test(an_attention_has_tensors_of_its_own),
      builder_test(an_attention_may_have_had_another_name),
      builder_test(tensors_begin_as_linear_layers),
      builder_test(a_near_set_has_a_node_at_least),
      builder_test(an_attention_has_a_node_at_least),
      builder_test(no_epsilon_is_negative),
      builder_test(no_epsilon_is_infinite),
      builder_test(too_many_logits_are_refused),
      builder_test(points_have_two_numbers),
      builder_test(points_are_no_matrix),
      builder_test(distances_are_a_matrix),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, term_fixture_open, term_fixture_close);
}
