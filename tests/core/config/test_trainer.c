/* Variants that evaluate what another one trains. */
#include "support/test.h"

#include <stdio.h>

#include "config/trainer.h"
#include "support/expect.h"
#include "support/toy_config.h"

#define SHARED TOY_SECTIONS "[variant a]\ndecoder.terms = progress\n"

/* A variant may evaluate what another trains; what it is written as reads back. */
static void training_is_shared(void **state) {
  toy_config *t = *state;
  edgefw__config *again,
      *config = toy_config_load(
          t, SHARED "[variant b]\ntrained = a\ndecoder.terms = progress\neval.batch = 3\n"
                    "[variant c]\ntrained = a\ndecoder.terms = progress\n");
  assert_null(config->variants[0].trainer);
  for (int v = 1; v < 3; ++v) assert_ptr_equal(config->variants[v].trainer, &config->variants[0]);
  expect_ok(t->ctx, edgefw__compose_text(t->ctx, t->registry, config->text, "text", &again));
  assert_string_equal(again->text, config->text);
  assert_ptr_equal(again->variants[2].trainer, &again->variants[0]);
  edgefw__config_destroy(again);
  /* The text of one variant alone has no other to name. */
  expect_ok(t->ctx,
            edgefw__compose_text(t->ctx, t->registry, config->variants[1].text, "text", &again));
  edgefw__config_destroy(again);
  edgefw__config_destroy(config);
  const char *file = sandbox_write(&t->box, "p.h5", "x");
  config = toy_config_load(t, TOY_SECTIONS "[variant a]\ncheckpoint = p.h5\n"
                                           "[variant b]\ntrained = a\n");
  assert_string_equal(config->variants[1].checkpoint, file);
  edgefw__config_destroy(config);
}

static void what_training_depends_on_must_agree(void **state) {
  toy_config *t = *state;
  const edgefw_status config = EDGEFW_CONFIG;
  const char *const same = SHARED "[variant b]\ntrained = a\ndecoder.terms = progress\n";
  sandbox_write(&t->box, "p.h5", "x");
  toy_config_refuse(t, TOY_SECTIONS "[variant alpha]\n[variant b]\ntrained = alpah\n", config,
                    "x.ini:7: trained = alpah", "before this one", "did you mean 'alpha'?");
  toy_config_refuse(t, TOY_SECTIONS "[variant b]\ntrained = b\n", config, "before this one");
  toy_config_refuse(t, TOY_SECTIONS "[variant b]\ntrained = a\ncheckpoint = p.h5\n", config,
                    "beside checkpoint");
  toy_config_refuse(t, SHARED "[variant b]\ntrained = a\n", config, "decoder.terms",
                    "'progress' there, '' here", "[eval] and [search] only");
  toy_config_refuse(t, TOY_SECTIONS "[variant h]\nconstruct = inorder\n[variant b]\ntrained = h\n",
                    config, "trained = h", "trains nothing");
  toy_config_refuse(t, TOY_SECTIONS "[variant a]\n[variant b]\ntrained = a\nconstruct = inorder\n",
                    config, "construct = inorder beside trained = a");
  toy_config_refuse(t, TOY_SECTIONS "[variant b]\ncheckpoint = p.h5\nconstruct = inorder\n", config,
                    "construct = inorder beside checkpoint", "p.h5");
  const struct {
    const char *line, *says;
  } differing[] = {
      {"train.size = 30\n", "train.size ('100' there, '30' here)"},
      {"backbone.width = 3\n", "backbone.width"},
      {"backbone.name = deep\n", "backbone.name ('plain' there, 'deep' here)"},
      {"decoder.logit_clip = 3\n", "decoder.logit_clip"},
      {"problem.scale = 3\n", "problem.scale"},
      {"term.progress.mode = moving\n", "term.progress.mode"},
      {"[variant c]\ntrained = b\ndecoder.terms = progress\n", "trained by 'a': name it instead"},
  };
  for (size_t i = 0; i < sizeof differing / sizeof *differing; ++i) {
    char text[512];
    snprintf(text, sizeof text, "%s%s", same, differing[i].line);
    toy_config_refuse(t, text, config, differing[i].says);
  }
}

/* Training may begin with what a variant before it has trained, which may differ in anything. */
static void training_begins_with_another(void **state) {
  toy_config *t = *state;
  edgefw__config *again,
      *config = toy_config_load(t, SHARED "[variant b]\ntrained = a\ndecoder.terms = progress\n"
                                          "[variant c]\ntrain.init_from = b\ntrain.size = 30\n"
                                          "[variant d]\ntrain.init_from = c\n"
                                          "[variant e]\ntrained = d\ntrain.init_from = c\n");
  assert_null(config->variants[0].initial);
  assert_ptr_equal(config->variants[2].initial, &config->variants[0]); /* whose training it is */
  assert_ptr_equal(config->variants[3].initial, &config->variants[2]);
  assert_null(config->variants[4].initial); /* it trains nothing */
  expect_ok(t->ctx, edgefw__compose_text(t->ctx, t->registry, config->text, "text", &again));
  assert_string_equal(again->text, config->text);
  assert_ptr_equal(again->variants[3].initial, &again->variants[2]);
  edgefw__config_destroy(again);
  /* The text of one variant alone keeps the name, and needs no such variant. */
  expect_ok(t->ctx,
            edgefw__compose_text(t->ctx, t->registry, config->variants[2].text, "text", &again));
  assert_null(again->variants[0].initial);
  assert_string_equal(edgefw_options_text(again->variants[0].train, "init_from"), "b");
  edgefw__config_destroy(again);
  edgefw__config_destroy(config);
}

static void what_training_cannot_begin_with_is_refused(void **state) {
  toy_config *t = *state;
  const edgefw_status config = EDGEFW_CONFIG;
  sandbox_write(&t->box, "p.h5", "x");
  toy_config_refuse(t, TOY_SECTIONS "[variant alpha]\n[variant b]\ntrain.init_from = alpah\n",
                    config, "x.ini:7: train.init_from = alpah", "stands before this one",
                    "did you mean 'alpha'?");
  toy_config_refuse(t, TOY_SECTIONS "[variant b]\ntrain.init_from = b\n", config,
                    "stands before this one");
  toy_config_refuse(t,
                    TOY_SECTIONS "[variant a]\ntrain.init_from = b\n"
                                 "[variant b]\ntrain.init_from = a\n",
                    config, "train.init_from = b", "stands before this one");
  toy_config_refuse(
      t, TOY_SECTIONS "[train]\ninit = p.h5\n[variant a]\n[variant b]\ntrain.init_from = a\n",
      config, "train.init_from = a beside train.init = ", "p.h5");
  toy_config_refuse(
      t, TOY_SECTIONS "[variant h]\nconstruct = inorder\n[variant b]\ntrain.init_from = h\n",
      config, "train.init_from = h", "has no parameters");
}

/* Search changes nothing about where the solutions of a variant begin; starts and models do. */
static void what_begins_alike_is_known(void **state) {
  toy_config *t = *state;
  edgefw__config *config = toy_config_load(
      t, SHARED "[variant b]\ntrained = a\ndecoder.terms = progress\nsearch.kicks = 3\n"
                "[variant c]\ndecoder.terms = progress\n"
                "[variant d]\nconstruct = inorder\n"
                "[variant e]\nconstruct = inorder\nsearch.improve = local\n"
                "[variant f]\nconstruct = inorder\neval.starts = 1\n"
                "[variant g]\ntrained = a\ndecoder.terms = progress\neval.select = sample\n");
  static const int first[] = {0, 0, 2, 3, 3, 5, 6};
  for (int v = 0; v < 7; ++v)
    for (int other = 0; other < 7; ++other)
      assert_int_equal(edgefw__begin_alike(&config->variants[v], &config->variants[other]),
                       first[v] == first[other]);
  edgefw__config_destroy(config);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, toy_config_set_up, toy_config_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(training_is_shared),           TEST(what_training_depends_on_must_agree),
      TEST(training_begins_with_another), TEST(what_training_cannot_begin_with_is_refused),
      TEST(what_begins_alike_is_known),
  };
  return test_run(tests, NULL, NULL);
}
