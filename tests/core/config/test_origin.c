/* Which configuration wrote a checkpoint: what may differ, and what is named when it differs. */
#include "support/test.h"

#include <string.h>

#include "config/origin.h"
#include "support/expect.h"
#include "support/toy_config.h"

#define TEXT                                                                                       \
  TOY_SECTIONS "[decoder]\nterms = progress\n[train]\nlearning_rate = 1e-3\nvalidate_every = 2\n"

/* Compare TEXT, changed by one --set, with the text `kept`. */
static edgefw_status check(toy_config *t, const char *set, const char *kept) {
  edgefw__config *config = NULL;
  edgefw_arena *scratch = NULL;
  expect_ok(t->ctx, toy_config_try(t, TEXT, set, &config));
  expect_ok(t->ctx, edgefw_arena_create(t->ctx, &scratch, "test", 1 << 12, true));
  const edgefw_status status =
      edgefw__origin_check(t->ctx, scratch, &config->variants[0], kept, "x.h5");
  edgefw_arena_destroy(scratch);
  edgefw__config_destroy(config);
  return status;
}

/* The text that a checkpoint of TEXT keeps; it lives as long as *config. */
static const char *kept_of(toy_config *t, edgefw__config **config) {
  *config = toy_config_load(t, TEXT);
  return (*config)->variants[0].text;
}

static void its_own_configuration_is_the_origin(void **state) {
  toy_config *t = *state;
  edgefw__config *config = NULL;
  const char *kept = kept_of(t, &config);
  expect_ok(t->ctx, check(t, NULL, kept));
  static const char *const free_ones[] = {"train.epochs=7",        "train.checkpoint_every=3",
                                          "train.patience=3",      "eval.logit_clip=3",
                                          "experiment.threads=3",  "eval.select=sample",
                                          "experiment.name=other", "train.learning_rate=0.00100"};
  for (size_t i = 0; i < sizeof free_ones / sizeof *free_ones; ++i)
    expect_ok(t->ctx, check(t, free_ones[i], kept));
  edgefw__config_destroy(config);
}

static void what_training_depends_on_is_named(void **state) {
  toy_config *t = *state;
  edgefw__config *config = NULL;
  const char *kept = kept_of(t, &config);
  const struct {
    const char *set, *says;
  } differing[] = {
      {"experiment.seed=8", "[experiment] seed is '1234' there and '8' here"},
      {"train.learning_rate=0.5", "[train] learning_rate is '0.001' there and '0.5' here"},
      {"train.size=9", "[train] size is '100' there and '9' here"},
      {"train.milestones=5", "[train] milestones"},
      {"train.validate_every=3", "[train] validate_every is '2' there and '3' here"},
      {"train.ema=0.5", "[train] ema is '0' there and '0.5' here"},
      {"train.init=p.h5", "[train] init is '' there and '"},
      {"problem.scale=3", "[problem] scale"},
      {"backbone.width=3", "[backbone] width"},
      {"decoder.logit_clip=3", "[decoder] logit_clip is '10' there and '3' here"},
      {"term.progress.mode=moving", "[term.progress] mode"},
  };
  for (size_t i = 0; i < sizeof differing / sizeof *differing; ++i)
    expect_failure(t->ctx, check(t, differing[i].set, kept), EDGEFW_MISMATCH, "'x.h5'",
                   differing[i].says);
  edgefw__config_destroy(config);
}

/* An older program did not write the keys that came later; their defaults are what it did. */
static void missing_keys_count_as_defaults(void **state) {
  toy_config *t = *state;
  static const char few[] =
      "[experiment]\nseed = 1234\n[train]\nlearning_rate = 1e-3\nvalidate_every = 2\n";
  expect_ok(t->ctx, check(t, NULL, few));
  expect_failure(t->ctx, check(t, "train.gamma=0.5", few), EDGEFW_MISMATCH,
                 "[train] gamma is '0.1' there and '0.5' here");
}

/* A file of another origin says nothing of a seed. */
static void a_text_without_seed_is_refused(void **state) {
  toy_config *t = *state;
  expect_failure(t->ctx, check(t, NULL, ""), EDGEFW_MISMATCH, "[experiment] seed is 'not set'");
  expect_failure(t->ctx, check(t, NULL, "no ini"), EDGEFW_CONFIG, "kept in 'x.h5'");
}

int main(void) {
#define ORIGIN_TEST(name)                                                                          \
  cmocka_unit_test_setup_teardown(name, toy_config_set_up, toy_config_tear_down)
  const struct CMUnitTest tests[] = {
      ORIGIN_TEST(its_own_configuration_is_the_origin),
      ORIGIN_TEST(what_training_depends_on_is_named),
      ORIGIN_TEST(missing_keys_count_as_defaults),
      ORIGIN_TEST(a_text_without_seed_is_refused),
  };
  return test_run(tests, NULL, NULL);
}
