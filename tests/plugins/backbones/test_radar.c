/* Backbone radar: defaults, the parameters of a block, what it refuses, and that its options change
 * what is computed. Values are in tests/core/policy/test_golden_policy.c. */
/* needs plugins: atsp tsp acvrp cvrp */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/tiny_model.h"
#include "train/objectives/reinforce.h"

#define HEAD "[problem]\nname = atsp\n[decoder]\nterms =\nheads = 2\n[backbone]\nname = radar\n"

static void its_defaults_are_the_published_ones(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_begin(&tiny, NULL, HEAD, "reference");
  const edgefw_options *options = tiny.composition->backbone_options;
  assert_int_equal(edgefw_options_int(options, "embedding_dim"), 256);
  assert_int_equal(edgefw_options_int(options, "layers"), 5);
  assert_int_equal(edgefw_options_int(options, "heads"), 8);
  assert_int_equal(edgefw_options_int(options, "ff_hidden"), 512);
  assert_int_equal(edgefw_options_int(options, "mix_hidden"), 16);
  assert_int_equal(edgefw_options_int(options, "svd_rank"), 10);
  assert_int_equal(edgefw_options_int(options, "sinkhorn_iterations"), 10);
  assert_string_equal(edgefw_options_text(options, "attention"), "sinkhorn");
  assert_string_equal(edgefw_options_text(options, "svd"), "exact");
  tiny_close(&tiny);
}

static void every_block_has_its_parameters(void **state) {
  (void)state;
  static const char *const names[] = {"Wq.weight",
                                      "Wq.bias",
                                      "Wk.weight",
                                      "Wk.bias",
                                      "Wv.weight",
                                      "mixed_score_MHA.mix1_weight",
                                      "mixed_score_MHA.mix1_bias",
                                      "mixed_score_MHA.mix2_weight",
                                      "mixed_score_MHA.mix2_bias",
                                      "multi_head_combine.weight",
                                      "multi_head_combine.bias",
                                      "add_n_normalization_1.norm.weight",
                                      "add_n_normalization_1.norm.bias",
                                      "feed_forward.W1.weight",
                                      "feed_forward.W1.bias",
                                      "feed_forward.W2.weight",
                                      "feed_forward.W2.bias",
                                      "add_n_normalization_2.norm.weight",
                                      "add_n_normalization_2.norm.bias"};
  enum { NAMES = sizeof names / sizeof *names };
  tiny_model tiny;
  tiny_open(&tiny, HEAD "embedding_dim = 8\nheads = 2\nlayers = 3\n", "reference", 1, false);
  const edgefw__parameters *parameters = tiny.model->parameters;
  for (int layer = 0; layer < 3; ++layer)
    for (int i = 0; i < NAMES; ++i) {
      char name[128];
      snprintf(name, sizeof name, "encoder.layers.%d.%s", layer, names[i]);
      if (edgefw__parameters_find(parameters, name) < 0) fail_msg("no parameter %s", name);
    }
  /* projection.weight, .bias, the blocks, and the decoder's six. */
  assert_int_equal(parameters->item_count, 2 + 3 * NAMES + 6);
  assert_int_equal(parameters->foreign_count, 2 * 3);
  assert_string_equal(parameters->foreign[0].name, "encoder.layers.0.g_layer.weight");
  tiny_close(&tiny);
}

static void mixing_starts_within_its_bounds(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, HEAD "embedding_dim = 8\nheads = 2\nlayers = 1\nmix1_init = 3\nmix2_init = 0\n",
            "reference64", 1, false);
  const edgefw__parameters *parameters = tiny.model->parameters;
  const int first =
      edgefw__parameters_find(parameters, "encoder.layers.0.mixed_score_MHA.mix1_weight");
  const int second =
      edgefw__parameters_find(parameters, "encoder.layers.0.mixed_score_MHA.mix2_weight");
  const double *mix1 = edgefw__parameters_at(parameters, parameters->values, first);
  const double *mix2 = edgefw__parameters_at(parameters, parameters->values, second);
  double most = 0.0;
  for (int64_t e = 0; e < parameters->items[first].count; ++e) {
    assert_true(mix1[e] >= -3.0 && mix1[e] < 3.0);
    most = mix1[e] > most ? mix1[e] : most;
  }
  assert_true(most > 2.0);
  for (int64_t e = 0; e < parameters->items[second].count; ++e) assert_true(mix2[e] == 0.0);
  tiny_close(&tiny);
}

static void heads_must_divide_the_width(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_begin(&tiny, NULL, HEAD, "reference");
  edgefw__config *config = NULL;
  tiny_fails(&tiny,
             edgefw__compose_text(tiny.ctx, tiny.registry, HEAD "embedding_dim = 10\nheads = 4\n",
                                  "test", &config),
             EDGEFW_UNSUPPORTED, "embedding_dim = 10 is no multiple of heads = 4");
  assert_null(config);
  tiny_close(&tiny);
}

/* Columns that the projection takes from features of rank 3. */
static int64_t projected_columns(const char *text) {
  tiny_model tiny;
  tiny_open(&tiny, text, "reference", 1, false);
  const edgefw__parameters *parameters = tiny.model->parameters;
  const int weight = edgefw__parameters_find(parameters, "projection.weight");
  assert_true(weight >= 0);
  const int64_t columns = parameters->items[weight].count / 8;
  tiny_close(&tiny);
  return columns;
}

static void demands_are_one_more_column(void **state) {
  (void)state;
  assert_int_equal(projected_columns(TINY_ON("atsp", "")), 6);
  assert_int_equal(projected_columns(TINY_ON("tsp", "")), 6);
  assert_int_equal(projected_columns(TINY_ON("acvrp", "")), 7);
  assert_int_equal(projected_columns(TINY_ON("cvrp", "")), 7);
}

static bool is_foreign(const edgefw__parameters *parameters, const char *name) {
  for (int f = 0; f < parameters->foreign_count; ++f)
    if (strcmp(parameters->foreign[f].name, name) == 0) return true;
  return false;
}

/* The decoder's query projections: a column more where there is a load, and no use for the first
 * node's, which published dicts have all the same. */
static void query_projections_have_their_names(void **state) {
  (void)state;
  static const char *const texts[] = {TINY_ON("atsp", ""), TINY_ON("tsp", ""), TINY_ON("acvrp", ""),
                                      TINY_ON("cvrp", "")};
  for (int i = 0; i < 4; ++i) {
    tiny_model tiny;
    tiny_open(&tiny, texts[i], "reference", 1, false);
    const edgefw__parameters *parameters = tiny.model->parameters;
    const int last = edgefw__parameters_find(parameters, "decoder.Wq_0.weight");
    const int first = edgefw__parameters_find(parameters, "decoder.Wq_1.weight");
    const bool loaded = i >= 2;
    assert_true(last >= 0);
    assert_int_equal(parameters->items[last].shape[0], 8);
    assert_int_equal(parameters->items[last].shape[1], loaded ? 9 : 8);
    assert_int_equal(first >= 0, !loaded);
    assert_int_equal(is_foreign(parameters, "decoder.Wq_1.weight"), loaded);
    tiny_close(&tiny);
  }
}

/* Embeddings (7,8) of one instance, from the same parameters. */
static double *embeddings(const char *options) {
  char text[512];
  snprintf(text, sizeof text, HEAD "embedding_dim = 8\nheads = 2\nlayers = 1\n%s", options);
  tiny_model tiny;
  tiny_open(&tiny, text, "reference64", 1, false);
  edgefw__batch *batch = tiny_batch(&tiny, 7, 3, 0, 1);
  edgefw__policy *policy = tiny_policy(&tiny, 1, 7, false);
  tiny_ok(&tiny, edgefw__policy_run(
                     policy, batch,
                     &(edgefw__rollout_request){.clip = 10.0, .objective = &edgefw__reinforce}));
  double *values = tiny_download(
      &tiny, edgefw__graph_node(policy->graph.graph, policy->graph.encoding.key)->data, 7 * 8);
  check_finite_f64(values, 7 * 8, "embeddings");
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny.ctx, batch);
  tiny_close(&tiny);
  return values;
}

static void options_change_the_encoding(void **state) {
  (void)state;
  static const char *const others[] = {"attention = softmax\n", "sinkhorn_iterations = 1\n",
                                       "svd = published\n"};
  double *usual = embeddings("svd_rank = 5\n");
  for (int i = 0; i < 3; ++i) {
    char options[128];
    snprintf(options, sizeof options, "svd_rank = 5\n%s", others[i]);
    double *other = embeddings(options);
    assert_true(check_compare_f64(other, usual, 56, 1e-6, 1e-6).bad_count > 40);
    free(other);
  }
  free(usual);
}

/* Columns beyond the nodes are zero, and the encoder is none the worse for it. */
static void a_rank_above_the_nodes_is_padded(void **state) {
  (void)state;
  free(embeddings("svd_rank = 30\n"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(its_defaults_are_the_published_ones),
      cmocka_unit_test(every_block_has_its_parameters),
      cmocka_unit_test(mixing_starts_within_its_bounds),
      cmocka_unit_test(heads_must_divide_the_width),
      cmocka_unit_test(demands_are_one_more_column),
      cmocka_unit_test(query_projections_have_their_names),
      cmocka_unit_test(options_change_the_encoding),
      cmocka_unit_test(a_rank_above_the_nodes_is_padded),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
