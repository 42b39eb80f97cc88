/* From a composition to a model: devices, parameters by their published names, the decode plan.
 * labels: oom */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/failing_allocator.h"
#include "support/tiny_model.h"

static int64_t count_of(const tiny_model *tiny, const char *name) {
  const int index = edgefw__parameters_find(tiny->model->parameters, name);
  if (index < 0) fail_msg("no parameter %s", name);
  return tiny->model->parameters->items[index].count;
}

static void parameters_have_their_published_names(void **state) {
  (void)state;
  tiny_require_term("edge");
  tiny_require_term("closure");
  tiny_require_term("lookahead");
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference64", 1, false);
  assert_int_equal(count_of(&tiny, "projection.weight"), 8 * 6);
  assert_int_equal(count_of(&tiny, "projection.bias"), 8);
  assert_int_equal(count_of(&tiny, "encoder.layers.0.Wq.weight"), 64);
  assert_int_equal(count_of(&tiny, "encoder.layers.0.mixed_score_MHA.mix1_weight"), 2 * 3 * 4);
  assert_int_equal(count_of(&tiny, "encoder.layers.0.add_n_normalization_1.norm.weight"), 8);
  assert_int_equal(count_of(&tiny, "encoder.layers.0.feed_forward.W2.bias"), 8);
  assert_int_equal(count_of(&tiny, "decoder.Wq_0.weight"), 64);
  assert_int_equal(count_of(&tiny, "decoder.Wq_1.weight"), 64);
  assert_int_equal(count_of(&tiny, "decoder.multi_head_combine.weight"), 64);
  assert_int_equal(count_of(&tiny, "decoder.multi_head_combine.bias"), 8);
  assert_int_equal(count_of(&tiny, "decoder.edge_bias.0.weight"), 4 * 6);
  assert_int_equal(count_of(&tiny, "decoder.edge_bias.2.weight"), 4);
  assert_int_equal(count_of(&tiny, "decoder.edge_bias.2.bias"), 1);
  assert_int_equal(edgefw__parameters_find(tiny.model->parameters, "decoder.Wk.bias"), -1);
  assert_int_equal(tiny.model->parameters->foreign_total, 64 + 8);
  tiny_close(&tiny);
}

static void no_terms_make_no_mlp(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_PLAIN, "reference64", 1, false);
  assert_int_equal(edgefw__parameters_find(tiny.model->parameters, "decoder.edge_bias.0.weight"),
                   -1);
  edgefw__policy_graph graph;
  tiny_ok(&tiny, edgefw__model_write(tiny.model, 5, true, &graph));
  assert_int_equal(graph.plan.feature_count, 0);
  for (int p = 0; p < 4; ++p) assert_int_equal(graph.mlp[p], -1);
  edgefw__graph_destroy(graph.graph);
  tiny_close(&tiny);
}

static void the_plan_is_what_was_composed(void **state) {
  (void)state;
  tiny_require_term("edge");
  tiny_require_term("closure");
  tiny_require_term("lookahead");
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS, "reference64", 1, false);
  edgefw__policy_graph graph;
  tiny_ok(&tiny, edgefw__model_write(tiny.model, 5, true, &graph));
  assert_int_equal(graph.plan.width, 8);
  assert_int_equal(graph.plan.heads, 2);
  assert_int_equal(graph.plan.hidden, 4);
  assert_int_equal(graph.plan.feature_count, 6);
  assert_int_equal(graph.plan.table_count, 3); /* costs, row minima, column minima */
  assert_int_equal(graph.plan.query, EDGEFW_QUERY_FIRST);
  assert_int_equal(graph.plan.closing, EDGEFW_CLOSE_AT_START);
  assert_true(graph.q_first > 0 && graph.fold > 0 && graph.fold_bias > 0);
  assert_int_equal(edgefw_graph_width(graph.graph, graph.encoding.key), 8);
  edgefw__graph_destroy(graph.graph);
  tiny_close(&tiny);
}

/* The published size, so that a change of the architecture shows here. */
static void the_papers_model_has_3_3_million_parameters(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, "[problem]\nname = atsp\n[backbone]\nname = radar\n[decoder]\nterms =\n",
            "reference", 1, false);
  const int64_t projection = 20 * 256 + 256, square = 256 * 256;
  const int64_t mix = 8 * (3 * 16 + 16 + 16 + 1), norm = 2 * 256;
  const int64_t feed_forward = 2 * 256 * 512 + 512 + 256;
  const int64_t block = 4 * square + 3 * 256 + mix + 2 * norm + feed_forward;
  const int64_t decoder = 5 * square + 256;
  /* The published state dict counts one linear layer more per block, which nothing uses. */
  const int64_t foreign = 5 * (square + 256);
  assert_int_equal(tiny.model->parameters->total, projection + 5 * block + decoder);
  assert_int_equal(tiny.model->parameters->foreign_total, foreign);
  assert_int_equal(projection + 5 * block + decoder + foreign, 3299752);
  tiny_close(&tiny);
}

static void one_seed_is_one_model(void **state) {
  (void)state;
  tiny_model first, again, other;
  tiny_open(&first, TINY_OURS, "reference", 11, false);
  tiny_open(&again, TINY_OURS, "reference", 11, true);
  tiny_open(&other, TINY_OURS, "reference", 12, false);
  const size_t bytes = (size_t)first.model->parameters->total * sizeof(float);
  check_same_bits(again.model->parameters->values, first.model->parameters->values, bytes,
                  "the same seed");
  const float *a = first.model->parameters->values, *b = other.model->parameters->values;
  assert_true(a[0] < b[0] || a[0] > b[0]);
  assert_null(first.model->parameters->gradients);
  assert_non_null(again.model->parameters->gradients);
  tiny_close(&first);
  tiny_close(&again);
  tiny_close(&other);
}

static void zero_init_leaves_the_terms_without_influence(void **state) {
  (void)state;
  tiny_require_term("edge");
  tiny_model tiny;
  tiny_open(&tiny, TINY_OURS "edge_mlp_init = zero\n", "reference64", 1, false);
  const edgefw__parameters *parameters = tiny.model->parameters;
  const int index = edgefw__parameters_find(parameters, "decoder.edge_bias.2.weight");
  const double *values = edgefw__parameters_at(parameters, parameters->values, index);
  for (int e = 0; e < 4; ++e) assert_true(values[e] == 0.0);
  tiny_close(&tiny);
}

static void heads_that_do_not_divide_are_refused(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_begin(&tiny, NULL,
             "[problem]\nname = atsp\n[backbone]\nname = radar\nembedding_dim = 8\nheads = 2\n"
             "[decoder]\nterms =\nheads = 3\n",
             "reference64");
  tiny_fails(&tiny, edgefw__model_create(&tiny.engine, tiny.composition, 1, false, &tiny.model),
             EDGEFW_CONFIG, "heads = 3 does not divide the embedding width 8");
  assert_null(tiny.model);
  tiny_close(&tiny);
}

/* --- [eval] terms --- */

#define ON_TSP(terms, eval) TINY_ON("tsp", terms) "[eval]\nterms = " eval "\n"

/* A model whose evaluation has other terms than its training; its plans of both. */
static void expect_plans(const char *text, int training, int evaluation) {
  tiny_model tiny;
  tiny_open(&tiny, text, "reference64", 1, false);
  for (int eval = 0; eval < 2; ++eval) {
    edgefw__policy_graph graph;
    tiny_ok(&tiny, edgefw__model_write(tiny.model, 5, eval == 0, &graph));
    assert_int_equal(graph.plan.logit_count, eval ? evaluation : training);
    edgefw__graph_destroy(graph.graph);
  }
  tiny_close(&tiny);
}

static void evaluation_may_add_a_logit_without_parameters(void **state) {
  (void)state;
  tiny_require_term("distance_penalty");
  expect_plans(ON_TSP("", "distance_penalty"), 0, 1);
  expect_plans(ON_TSP("edge", "edge, distance_penalty"), 0, 1);
}

static void evaluation_may_leave_logits_out(void **state) {
  (void)state;
  tiny_require_term("distance_penalty");
  tiny_require_term("local_policy");
  expect_plans(ON_TSP("local_policy, distance_penalty", "local_policy"), 2, 1);
  expect_plans(ON_TSP("local_policy", ""), 1, 0);
  expect_plans(ON_TSP("local_policy", "trained"), 1, 1);
}

static void refuse_eval_terms(const char *text, const char *part) {
  tiny_model tiny;
  tiny_begin(&tiny, NULL, text, "reference64");
  tiny_fails(&tiny, edgefw__model_create(&tiny.engine, tiny.composition, 1, false, &tiny.model),
             EDGEFW_CONFIG, part);
  assert_null(tiny.model);
  tiny_close(&tiny);
}

static void other_features_cannot_be_evaluated(void **state) {
  (void)state;
  tiny_require_term("edge");
  tiny_require_term("closure");
  refuse_eval_terms(TINY_MODEL("edge") "[eval]\nterms = edge, closure\n",
                    "[eval] terms have other features (4) than [decoder] terms (3)");
  refuse_eval_terms(TINY_MODEL("edge") "[eval]\nterms =\n", "other features (0)");
  refuse_eval_terms(TINY_MODEL("edge, closure") "[eval]\nterms = closure, edge\n",
                    "features are trained together; only logit terms can be left out or added");
}

static void a_learned_term_must_be_trained(void **state) {
  (void)state;
  tiny_require_term("local_policy");
  refuse_eval_terms(ON_TSP("", "local_policy"),
                    "[eval] terms would need the parameter "
                    "decoder.local_policy_0.init_emb.weight, which [decoder] terms do not train");
}

static void a_device_that_is_not_there_is_named(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference64");
  edgefw__engine engine;
  tiny_fails(&tiny, edgefw__engine_open(tiny.ctx, tiny.registry, "abacus", &engine),
             EDGEFW_PLUGIN_FIND, "abacus");
  edgefw__engine_close(&engine); /* harmless */
  tiny_close(&tiny);
}

static void automatic_is_the_fastest_device(void **state) {
  (void)state;
  if (!tiny_has_device("cpu")) skip();
  tiny_model tiny;
  tiny_open(&tiny, TINY_PLAIN, "auto", 1, false);
  assert_int_equal(tiny.engine.kernels->dtype, EDGEFW_F32);
  assert_true(tiny.engine.kernels->describe(tiny.engine.device)[0] != '\0');
  tiny_close(&tiny);
}

static void every_allocation_of_a_model_may_fail(void **state) {
  (void)state;
  failing_allocator memory;
  tiny_model tiny;
  const edgefw_allocator allocator = failing_allocator_begin(&memory, FAILING_ALLOCATOR_NEVER);
  tiny_begin(&tiny, &allocator, TINY_OURS, "reference");
  edgefw_status status = EDGEFW_OUT_OF_MEMORY;
  int64_t needed = 0;
  for (; status != EDGEFW_OK; ++needed) {
    const int64_t live = failing_allocator_live(&memory);
    failing_allocator_arm(&memory, needed);
    status = edgefw__model_create(&tiny.engine, tiny.composition, 1, true, &tiny.model);
    failing_allocator_disarm(&memory);
    if (status == EDGEFW_OK) break;
    assert_int_equal(failing_allocator_live(&memory), live);
    tiny_fails(&tiny, status, EDGEFW_OUT_OF_MEMORY, "out of memory");
  }
  assert_true(needed > 10);
  tiny_close(&tiny);
  assert_int_equal(failing_allocator_live(&memory), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_have_their_published_names),
      cmocka_unit_test(no_terms_make_no_mlp),
      cmocka_unit_test(the_plan_is_what_was_composed),
      cmocka_unit_test(the_papers_model_has_3_3_million_parameters),
      cmocka_unit_test(one_seed_is_one_model),
      cmocka_unit_test(zero_init_leaves_the_terms_without_influence),
      cmocka_unit_test(heads_that_do_not_divide_are_refused),
      cmocka_unit_test(evaluation_may_add_a_logit_without_parameters),
      cmocka_unit_test(evaluation_may_leave_logits_out),
      cmocka_unit_test(other_features_cannot_be_evaluated),
      cmocka_unit_test(a_learned_term_must_be_trained),
      cmocka_unit_test(a_device_that_is_not_there_is_named),
      cmocka_unit_test(automatic_is_the_fastest_device),
      cmocka_unit_test(every_allocation_of_a_model_may_fail),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
