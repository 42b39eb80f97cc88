/* Rules between keys and between plugins. */
#include "support/test.h"

#include <string.h>

#include "config/fit.h"
#include "support/expect.h"
#include "support/toy_config.h"

static void sizes_must_suit_the_problem(void **state) {
  toy_config *t = *state;
  toy_config_refuse(t, TOY_SECTIONS "[train]\nsize = 2\n", EDGEFW_CONFIG, "x.ini:6: train.size = 2",
                    "at least 3 nodes");
  toy_config_refuse(t, TOY_SECTIONS "[eval]\nsizes = 20, 2\n", EDGEFW_CONFIG,
                    "x.ini:6: eval.sizes holds 2", "at least 3 nodes");
  toy_config_refuse(t, TOY_SECTIONS "[eval]\nsizes = 20, 20\n", EDGEFW_CONFIG,
                    "x.ini:6: eval.sizes holds 20 twice");
}

static void lists_must_agree(void **state) {
  toy_config *t = *state;
  toy_config_refuse(t, TOY_SECTIONS "[eval]\nsizes = 20, 30, 40\ninstances = 1, 2\n", EDGEFW_CONFIG,
                    "x.ini:7: eval.instances has 2 numbers for the 3");
  toy_config_refuse(t, TOY_SECTIONS "[train]\nmilestones = 5, 5\n", EDGEFW_CONFIG,
                    "x.ini:6: train.milestones must increase");
  toy_config_refuse(t, TOY_SECTIONS "[report]\nbuckets = 200, 100\n", EDGEFW_CONFIG,
                    "x.ini:6: report.buckets must increase");
  edgefw__config *config = toy_config_load(
      t, TOY_SECTIONS "[train]\nmilestones =\n[eval]\nsizes = 20, 30\ninstances = 1, 2\n");
  edgefw__config_destroy(config);
  config = toy_config_load(t, TOY_SECTIONS "[eval]\nsizes =\n");
  edgefw__config_destroy(config);
}

static void data_must_belong_to_a_size(void **state) {
  toy_config *t = *state;
  sandbox_write(&t->box, "f", "");
  toy_config_refuse(t, TOY_SECTIONS "[data]\ntest.abc = f\n", EDGEFW_CONFIG,
                    "x.ini:6: data.test.abc", "as in test.100");
  toy_config_refuse(t, TOY_SECTIONS "[data]\nreference.0 = f\n", EDGEFW_CONFIG,
                    "x.ini:6: data.reference.0", "as in reference.100");
  toy_config_refuse(t, TOY_SECTIONS "[data]\ntest.99999999999999999999 = f\n", EDGEFW_CONFIG,
                    "x.ini:6: data.test.999");
  toy_config_refuse(t, TOY_SECTIONS "[data]\ntset.100 = f\n", EDGEFW_CONFIG, "x.ini:6: unknown key",
                    "known keys: test.*, reference.*, optima");
}

/* Keys of validations that would never happen. */
static void validations_must_happen(void **state) {
  toy_config *t = *state;
  toy_config_refuse(t, TOY_SECTIONS "[train]\npatience = 3\n", EDGEFW_CONFIG,
                    "x.ini:6: train.patience counts validations", "set train.validate_every");
  toy_config_refuse(t, TOY_SECTIONS "[train]\nepochs = 4\nvalidate_every = 5\n", EDGEFW_CONFIG,
                    "x.ini:7: train.validate_every = 5", "no validation in 4 epochs");
  edgefw__config_destroy(
      toy_config_load(t, TOY_SECTIONS "[train]\nepochs = 4\nvalidate_every = 4\npatience = 3\n"));
  edgefw__config_destroy(
      toy_config_load(t, TOY_SECTIONS "[train]\nepochs = 0\nvalidate_every = 4\n"));
}

static void files_must_be_there(void **state) {
  toy_config *t = *state;
  sandbox_write(&t->box, "there", "");
  toy_config_refuse(t, TOY_SECTIONS "[eval]\nfiles = there, missing\n", EDGEFW_CONFIG,
                    "x.ini:6: eval.files: cannot read", "/missing", "No such file");
  toy_config_refuse(t, TOY_SECTIONS "file = missing\n", EDGEFW_CONFIG, "x.ini:5: backbone.file");
  toy_config_refuse(t, TOY_SECTIONS "[variant v]\ncheckpoint = missing\n", EDGEFW_CONFIG,
                    "x.ini:6: variant.checkpoint", "/missing");
  /* That of a training need not: it may have begun long ago. */
  edgefw__config_destroy(toy_config_load(t, TOY_SECTIONS "[train]\ninit = missing\n"));
}

static void plugins_must_fit_the_problem(void **state) {
  toy_config *t = *state;
  toy_config_refuse(t, TOY_SECTIONS "[variant v]\ndecoder.terms = progress, picky\n",
                    EDGEFW_UNSUPPORTED, "variant 'v': term 'picky' does not fit problem 'toy'",
                    "there are no coordinates", "these do: progress");
}

static void diagnostics_need_sizes_with_a_choice(void **state) {
  toy_config *t = *state;
  toy_config_refuse(t, TOY_SECTIONS "[diagnostics]\nstates = 1\nsizes = 20, 20\n", EDGEFW_CONFIG,
                    "x.ini:7: diagnostics.sizes holds 20 twice");
  toy_config_refuse(t, TOY_SECTIONS "[diagnostics]\nstates = 1\nsizes = 2\n", EDGEFW_CONFIG,
                    "x.ini:7");
  toy_config_refuse(t, TOY_SECTIONS "[eval]\nsizes =\n[diagnostics]\nstates = 1\n", EDGEFW_CONFIG,
                    "x.ini:8: diagnostics.states: neither diagnostics.sizes nor eval.sizes");
  toy_config_refuse(t, TOY_SECTIONS "[diagnostics]\nstates = 1\nperturbation = 0\n", EDGEFW_CONFIG,
                    "x.ini:7");
  edgefw__config *config =
      toy_config_load(t, TOY_SECTIONS "[diagnostics]\nstates = 0\nsizes = 20, 20\n");
  edgefw__config_destroy(config);
}

static void keys_of_search_must_do_something(void **state) {
  toy_config *t = *state;
  toy_config_refuse(t, TOY_SECTIONS "[search]\nimprove_rollouts = 4\n", EDGEFW_CONFIG,
                    "x.ini:6: search.improve_rollouts needs search.improve = local");
  edgefw__config_destroy(
      toy_config_load(t, TOY_SECTIONS "[search]\nimprove = local\nimprove_rollouts = 4\n"));
  edgefw__config_destroy(toy_config_load(t, TOY_SECTIONS "[search]\nbeam = 4\nreconstruct = 2\n"));
}

/* What is decoded needs a model; other searches do not. */
static void heuristics_do_not_decode(void **state) {
  toy_config *t = *state;
  toy_config_refuse(t, TOY_SECTIONS "[search]\nbeam = 4\n[variant h]\nconstruct = inorder\n",
                    EDGEFW_CONFIG,
                    "x.ini:6: search.beam needs a model that decodes, and variant 'h' has "
                    "heuristics; expected search.beam = 0 there");
  toy_config_refuse(t, TOY_SECTIONS "[variant h]\nconstruct = inorder\nsearch.reconstruct = 4\n",
                    EDGEFW_CONFIG, "search.reconstruct needs a model");
  edgefw__config_destroy(
      toy_config_load(t, TOY_SECTIONS "[search]\nbeam = 4\nkicks = 2\nfixed = 1, 2\n[variant h]\n"
                                      "construct = inorder\nsearch.beam = 0\n"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, toy_config_set_up, toy_config_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(sizes_must_suit_the_problem),
      TEST(lists_must_agree),
      TEST(data_must_belong_to_a_size),
      TEST(validations_must_happen),
      TEST(files_must_be_there),
      TEST(heuristics_do_not_decode),
      TEST(keys_of_search_must_do_something),
      TEST(plugins_must_fit_the_problem),
      TEST(diagnostics_need_sizes_with_a_choice),
  };
  return test_run(tests, NULL, NULL);
}
