/* See transformer_support.h. */
#include "support/test.h"

#include "support/transformer_support.h"

#include <stdio.h>

#include "support/tiny_model.h"

#define SMALL "embedding_dim = 8\nheads = 2\nlayers = 2\nff_hidden = 4\n"

typedef char configuration[512];

/* A model of this problem and the backbone that is tested, with further keys of the backbone. */
static const char *configure(configuration text, const char *problem, void **state,
                             const char *keys) {
  const char *backbone = *state;
  snprintf(text, sizeof(configuration),
           "[problem]\nname = %s\n[decoder]\nterms =\nheads = 2\n[backbone]\nname = %s\n%s",
           problem, backbone, keys);
  return text;
}

static void its_defaults_are_the_published_ones(void **state) {
  tiny_model tiny;
  configuration text;
  tiny_begin(&tiny, NULL, configure(text, "tsp", state, ""), "reference");
  const edgefw_options *options = tiny.composition->backbone_options;
  assert_int_equal(edgefw_options_int(options, "embedding_dim"), 128);
  assert_int_equal(edgefw_options_int(options, "layers"), 6);
  assert_int_equal(edgefw_options_int(options, "heads"), 8);
  assert_int_equal(edgefw_options_int(options, "ff_hidden"), 512);
  tiny_close(&tiny);
}

typedef struct expectation {
  const char *name;
  int64_t count;
} expectation;

/* The model has these parameters outside of the blocks, those in each of two blocks, and no other.
 */
static void expect_parameters(const char *text, const expectation *once, const expectation *block) {
  tiny_model tiny;
  tiny_open(&tiny, text, "reference", 1, false);
  const edgefw__parameters *parameters = tiny.model->parameters;
  int wanted = 0;
  for (int layer = -1; layer < 2; ++layer)
    for (const expectation *e = layer < 0 ? once : block; e->name; ++e, ++wanted) {
      char name[128];
      if (layer < 0)
        snprintf(name, sizeof name, "%s", e->name);
      else
        snprintf(name, sizeof name, "encoder.layers.%d.%s", layer, e->name);
      const int found = edgefw__parameters_find(parameters, name);
      if (found < 0) fail_msg("no parameter %s", name);
      assert_int_equal(parameters->items[found].count, e->count);
    }
  assert_int_equal(parameters->item_count, wanted);
  assert_int_equal(parameters->foreign_count, 0);
  tiny_close(&tiny);
}

static void without_a_depot_it_has_the_names_of_tsp(void **state) {
  static const expectation once[] = {{"encoder.embedding.weight", 16},
                                     {"encoder.embedding.bias", 8},
                                     {"decoder.Wq_first.weight", 64},
                                     {"decoder.Wq_last.weight", 64},
                                     {"decoder.Wk.weight", 64},
                                     {"decoder.Wv.weight", 64},
                                     {"decoder.multi_head_combine.weight", 64},
                                     {"decoder.multi_head_combine.bias", 8},
                                     {NULL, 0}};
  static const expectation block[] = {{"Wq.weight", 64},
                                      {"Wk.weight", 64},
                                      {"Wv.weight", 64},
                                      {"multi_head_combine.weight", 64},
                                      {"multi_head_combine.bias", 8},
                                      {"addAndNormalization1.norm.weight", 8},
                                      {"addAndNormalization1.norm.bias", 8},
                                      {"feedForward.W1.weight", 32},
                                      {"feedForward.W1.bias", 4},
                                      {"feedForward.W2.weight", 32},
                                      {"feedForward.W2.bias", 8},
                                      {"addAndNormalization2.norm.weight", 8},
                                      {"addAndNormalization2.norm.bias", 8},
                                      {NULL, 0}};
  configuration text;
  expect_parameters(configure(text, "tsp", state, SMALL), once, block);
}

static void with_a_depot_it_has_the_names_of_cvrp(void **state) {
  static const expectation once[] = {{"encoder.embedding_depot.weight", 16},
                                     {"encoder.embedding_depot.bias", 8},
                                     {"encoder.embedding_node.weight", 24},
                                     {"encoder.embedding_node.bias", 8},
                                     {"decoder.Wq_last.weight", 72},
                                     {"decoder.Wk.weight", 64},
                                     {"decoder.Wv.weight", 64},
                                     {"decoder.multi_head_combine.weight", 64},
                                     {"decoder.multi_head_combine.bias", 8},
                                     {NULL, 0}};
  static const expectation block[] = {{"Wq.weight", 64},
                                      {"Wk.weight", 64},
                                      {"Wv.weight", 64},
                                      {"multi_head_combine.weight", 64},
                                      {"multi_head_combine.bias", 8},
                                      {"add_n_normalization_1.norm.weight", 8},
                                      {"add_n_normalization_1.norm.bias", 8},
                                      {"feed_forward.W1.weight", 32},
                                      {"feed_forward.W1.bias", 4},
                                      {"feed_forward.W2.weight", 32},
                                      {"feed_forward.W2.bias", 8},
                                      {"add_n_normalization_2.norm.weight", 8},
                                      {"add_n_normalization_2.norm.bias", 8},
                                      {NULL, 0}};
  configuration text;
  expect_parameters(configure(text, "cvrp", state, SMALL), once, block);
}

static void refuse(void **state, const char *problem, const char *keys, const char *part) {
  tiny_model tiny;
  configuration text;
  tiny_begin(&tiny, NULL, configure(text, "tsp", state, ""), "reference");
  edgefw__config *config = NULL;
  tiny_fails(&tiny,
             edgefw__compose_text(tiny.ctx, tiny.registry, configure(text, problem, state, keys),
                                  "test", &config),
             EDGEFW_UNSUPPORTED, part);
  assert_null(config);
  tiny_close(&tiny);
}

static void it_needs_coordinates(void **state) {
  refuse(state, "atsp", "", "it needs coordinates, and the problem has a cost matrix only");
}

static void heads_must_divide_the_width(void **state) {
  refuse(state, "tsp", "embedding_dim = 10\nheads = 4\n",
         "embedding_dim = 10 is no multiple of heads = 4");
}

int transformer_run_tests(char *backbone) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(its_defaults_are_the_published_ones, backbone),
      cmocka_unit_test_prestate(without_a_depot_it_has_the_names_of_tsp, backbone),
      cmocka_unit_test_prestate(with_a_depot_it_has_the_names_of_cvrp, backbone),
      cmocka_unit_test_prestate(it_needs_coordinates, backbone),
      cmocka_unit_test_prestate(heads_must_divide_the_width, backbone),
  };
  return cmocka_run_group_tests_name(backbone, tests, NULL, NULL);
}
