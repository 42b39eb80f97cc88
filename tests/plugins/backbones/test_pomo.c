/* Backbone pomo, by its own name and as elg; values are in tests/core/policy/test_golden_policy.c.
 */
/* needs plugins: atsp tsp cvrp */
#include "support/test.h"

#include <stdio.h>

#include "policy/model_file.h"
#include "support/io_support.h"
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

/* Save the model's checkpoint as one of a backbone that is called `backbone`. */
static void save_as(const tiny_model *tiny, const char *backbone, const char *path) {
  edgefw_arena *arena = NULL;
  tiny_ok(tiny, edgefw_arena_create(tiny->ctx, &arena, "checkpoint", 0, true));
  const edgefw__checkpoint_content content = {.meta = {.problem = "tsp",
                                                       .backbone = backbone,
                                                       .terms = "",
                                                       .plugins = "",
                                                       .config = tiny->composition->text},
                                              .tensors = edgefw__model_tensors(tiny->model, arena),
                                              .tensor_count = tiny->model->parameters->item_count};
  assert_non_null(content.tensors);
  tiny_ok(tiny, edgefw__checkpoint_write(tiny->ctx, path, &content));
  edgefw_arena_destroy(arena);
}

/* Checkpoints of earlier versions say "elg" where this one has "pomo". */
static void checkpoints_of_either_name_are_loaded(void **state) {
  static const char *const names[] = {"pomo", "elg"};
  char folder[64], path[96];
  configuration text;
  tiny_model tiny;
  io_folder_create(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/checkpoint-0.h5", folder);
  tiny_open(&tiny, configure(text, "tsp", state, SMALL), "reference", 1, true);
  assert_string_equal(tiny.composition->backbone->descriptor->name, "pomo");
  for (int n = 0; n < 2; ++n) {
    save_as(&tiny, names[n], path);
    tiny_ok(&tiny, edgefw__model_load(tiny.model, path));
  }
  save_as(&tiny, "radar", path);
  tiny_fails(&tiny, edgefw__model_load(tiny.model, path), EDGEFW_MISMATCH,
             "its backbone is \"radar\", expected \"pomo\"");
  tiny_close(&tiny);
  io_folder_remove(folder);
}

static int run_as(char *backbone) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(its_defaults_are_the_published_ones, backbone),
      cmocka_unit_test_prestate(without_a_depot_it_has_the_names_of_tsp, backbone),
      cmocka_unit_test_prestate(with_a_depot_it_has_the_names_of_cvrp, backbone),
      cmocka_unit_test_prestate(it_needs_coordinates, backbone),
      cmocka_unit_test_prestate(heads_must_divide_the_width, backbone),
      cmocka_unit_test_prestate(checkpoints_of_either_name_are_loaded, backbone),
  };
  return cmocka_run_group_tests_name(backbone, tests, NULL, NULL);
}

int main(void) {
  char own[] = "pomo", alias[] = "elg";
  return run_as(own) + run_as(alias);
}
