/* Resolved texts read back to what they came from. */
#include "support/test.h"

#include <string.h>

#include "config/resolve.h"
#include "support/expect.h"
#include "support/toy_config.h"

/* text -> composition -> text is the same text, for the whole and for each variant. */
static void check_round_trip(toy_config *t, const edgefw__config *config) {
  edgefw__config *again;
  expect_ok(t->ctx, edgefw__compose_text(t->ctx, t->registry, config->text, "text", &again));
  assert_string_equal(again->text, config->text);
  assert_int_equal(again->variant_count, config->variant_count);
  for (int i = 0; i < config->variant_count; ++i) {
    edgefw__config *one;
    assert_string_equal(again->variants[i].text, config->variants[i].text);
    expect_ok(t->ctx,
              edgefw__compose_text(t->ctx, t->registry, config->variants[i].text, "text", &one));
    assert_int_equal(one->variant_count, 1);
    assert_string_equal(one->variants[0].variant, config->variants[i].variant);
    assert_string_equal(one->text, config->variants[i].text);
    assert_string_equal(one->variants[0].text, one->text);
    edgefw__config_destroy(one);
  }
  edgefw__config_destroy(again);
}

static void one_variant_is_written_flat(void **state) {
  toy_config *t = *state;
  edgefw__config *config = toy_config_load(t, TOY_SECTIONS "rate = 4e-4\n");
  assert_non_null(strstr(config->text, "[experiment]\nname = x\nseed = 1234\n"));
  assert_non_null(strstr(config->text, "\n[problem]\nname = toy\nscale = 1.5\n"));
  assert_non_null(strstr(config->text, "rate = 0.0004\nnorm = true\n")); /* canonical */
  assert_non_null(strstr(config->text, "\n[decoder]\nterms =\n"));
  assert_non_null(strstr(config->text, "milestones = 2001, 2101\n"));
  assert_non_null(strstr(config->text, "\n[variant plain]\n"));
  assert_null(strstr(config->text, "include"));
  assert_null(strstr(config->text, "[data]"));
  check_round_trip(t, config);
  edgefw__config_destroy(config);
}

/* Sections of models say nothing of heuristics, so they stay shared; and the other way round. */
static void heuristics_stand_beside_models(void **state) {
  toy_config *t = *state;
  edgefw__config *config = toy_config_load(
      t, TOY_SECTIONS "rate = 0.25\n[heuristic.inorder]\norder = down\n"
                      "[variant h]\nconstruct = inorder\n[variant a]\n[variant b]\n"
                      "train.size = 50\n[variant i]\nconstruct = inorder\neval.starts = 1\n");
  const char *h = strstr(config->text, "\n[variant h]\n"),
             *b = strstr(config->text, "\n[variant b]\n");
  const char *i = strstr(config->text, "\n[variant i]\n");
  assert_true(h && b && i);
  const char *backbone = strstr(config->text, "\n[backbone]\n");
  const char *heuristic = strstr(config->text, "\n[heuristic.inorder]\norder = down\n");
  assert_true(backbone && backbone < h && heuristic && heuristic < h);
  assert_non_null(strstr(backbone, "rate = 0.25\n"));
  assert_null(strstr(h, "rate"));
  assert_non_null(strstr(h, "\n[variant h]\nconstruct = inorder\neval.starts = 0\n\n[variant a]"));
  assert_non_null(strstr(b, "train.size = 50\n"));
  assert_null(strstr(i, "train."));
  assert_non_null(strstr(i, "construct = inorder\neval.starts = 1\n"));
  check_round_trip(t, config);
  edgefw__config_destroy(config);
  config = toy_config_load(t, "[problem]\nname = toy\n[variant h]\nconstruct = inorder\n"
                              "[variant i]\nconstruct = inorder\n"
                              "heuristic.inorder.order = down\n");
  assert_null(strstr(config->text, "[backbone]"));
  assert_null(strstr(config->text, "[decoder]"));
  assert_null(strstr(config->text, "[train]"));
  assert_non_null(strstr(config->text, "[variant i]\nconstruct = inorder\n"
                                       "heuristic.inorder.order = down\n"));
  check_round_trip(t, config);
  edgefw__config_destroy(config);
}

/* What models evaluate by is not written for heuristics, which refuse it, where models differ. */
static void heuristics_keep_out_of_how_models_decode(void **state) {
  toy_config *t = *state;
  edgefw__config *config = toy_config_load(
      t, TOY_SECTIONS "[eval]\naugment = 1\n[variant h]\nconstruct = inorder\n[variant a]\n"
                      "eval.select = sample\neval.logit_clip = 7\n[variant b]\n");
  const char *h = strstr(config->text, "\n[variant h]\n");
  assert_non_null(h);
  assert_non_null(strstr(h, "\n[variant h]\nconstruct = inorder\n\n[variant a]"));
  assert_non_null(strstr(h, "eval.select = sample\n"));
  assert_non_null(strstr(h, "eval.logit_clip = 7\n"));
  check_round_trip(t, config);
  edgefw__config_destroy(config);
}

static void what_variants_share_is_written_once(void **state) {
  toy_config *t = *state;
  sandbox_write(&t->box, "m.h5", "x");
  edgefw__config *config = toy_config_load(
      t, TOY_SECTIONS "[term.progress]\nmode = moving\n[variant a]\ndecoder.terms = progress\n"
                      "[variant b]\ntrain.size = 50\n"
                      "[variant c]\nbackbone.name = deep\ncheckpoint = m.h5\n");
  const char *a = strstr(config->text, "\n[variant a]\n"),
             *b = strstr(config->text, "\n[variant b]\n");
  const char *c = strstr(config->text, "\n[variant c]\n");
  assert_true(a && b && c);
  /* Only what differs stands in the variants. */
  assert_non_null(strstr(a, "decoder.terms = progress\n"));
  assert_non_null(strstr(a, "term.progress.mode = moving\n"));
  assert_non_null(strstr(b, "train.size = 50\n"));
  assert_null(strstr(a, "train.batch"));
  assert_non_null(strstr(c, "backbone.name = deep\nbackbone.depth = 2\n"));
  assert_non_null(strstr(c, "checkpoint = /"));
  assert_null(strstr(config->text, "[backbone]"));
  assert_non_null(strstr(config->variants[0].text, "\n[backbone]\nname = plain\n"));
  assert_null(strstr(config->variants[0].text, "[variant b]"));
  check_round_trip(t, config);
  edgefw__config_destroy(config);
}

/* Long values are broken into lines that a reader joins again. */
static void long_values_are_continued(void **state) {
  toy_config *t = *state;
  char text[4096] = TOY_SECTIONS "label = ", name[200] = "";
  for (int i = 0; i < 60; ++i) strcat(text, i % 7 == 6 ? "\n   a b" : "word\\# x");
  strcat(text, "\nfile = ");
  for (int i = 0; i < 18; ++i) strcat(name, "long-name_");
  sandbox_write(&t->box, name, "x");
  strcat(text, "\\\n  ");
  strcat(text, name);
  strcat(text, "\n[eval]\nfiles = ");
  for (int i = 0; i < 5; ++i) {
    strcat(text, i ? ",\n  \\\n  " : "\\\n  ");
    strcat(text, name);
  }
  edgefw__config *config = toy_config_load(t, text);
  assert_true(strlen(edgefw_options_text(config->variants[0].backbone_options, "label")) > 300);
  assert_string_equal(edgefw_options_text(config->variants[0].backbone_options, "file"),
                      sandbox_path(&t->box, name));
  for (const char *line = config->text; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    assert_true(strcspn(line, "\n") <= 198);
  }
  check_round_trip(t, config);
  edgefw__config_destroy(config);
}

static void a_value_that_no_file_can_hold_is_refused(void **state) {
  toy_config *t = *state;
  edgefw__config *config;
  sandbox_write(&t->box, "odd ;folder/x.h5", "x");
  const char *path = sandbox_write(&t->box, "odd ;folder/x.ini", TOY_SECTIONS "file = x.h5\n");
  expect_failure(t->ctx, edgefw__config_load(t->ctx, t->registry, path, NULL, 0, &config),
                 EDGEFW_CONFIG, "cannot be written to an INI file", "odd ;folder");
  assert_null(config);
}

/* What nobody asks for leaves no trace, and a checkpoint does not say what is asked of it. */
static void diagnostics_are_written_where_they_are_asked_for(void **state) {
  toy_config *t = *state;
  edgefw__config *without = toy_config_load(t, TOY_SECTIONS);
  assert_null(strstr(without->text, "diagnostics"));
  edgefw__config *config =
      toy_config_load(t, TOY_SECTIONS "[diagnostics]\nstates = 7\ncloseness = 0.5\n");
  assert_non_null(strstr(config->text, "[diagnostics]\nstates = 7\nsizes =\n"));
  assert_non_null(strstr(config->text, "\ncloseness = 0.5\n"));
  assert_string_equal(config->variants[0].text, without->variants[0].text);
  check_round_trip(t, config);
  edgefw__config_destroy(without);
  edgefw__config_destroy(config);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, toy_config_set_up, toy_config_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(one_variant_is_written_flat),
      TEST(heuristics_stand_beside_models),
      TEST(heuristics_keep_out_of_how_models_decode),
      TEST(what_variants_share_is_written_once),
      TEST(long_values_are_continued),
      TEST(a_value_that_no_file_can_hold_is_refused),
      TEST(diagnostics_are_written_where_they_are_asked_for),
  };
  return test_run(tests, NULL, NULL);
}
