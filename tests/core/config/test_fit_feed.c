/* Which instances training takes: of size, sizes and data one counts, and the others are refused
 * unless what takes their place was set later. */
#include "support/test.h"

#include <string.h>

#include "config/fit_feed.h"
#include "config/origin.h"
#include "support/expect.h"
#include "support/io_support.h"
#include "support/toy_config.h"

static void every_size_must_suit_the_problem(void **state) {
  toy_config *t = *state;
  toy_config_refuse(t, TOY_SECTIONS "[train]\nsizes = 20, 2\n", EDGEFW_CONFIG,
                    "x.ini:6: train.sizes holds 2: problem 'toy' needs at least 3 nodes");
  toy_config_refuse(t, TOY_SECTIONS "[train]\nsizes = 2..9\n", EDGEFW_CONFIG,
                    "x.ini:6: train.sizes holds 2:");
  edgefw__config *config = toy_config_load(t, TOY_SECTIONS "[train]\nsizes = 3, 5..7\n");
  assert_int_equal(edgefw_options_count(config->variants[0].train, "sizes"), 4);
  assert_false(edgefw__train_has_size(config->variants[0].train));
  edgefw__config_destroy(config);
}

static void one_size_or_several(void **state) {
  toy_config *t = *state;
  edgefw__config *config = NULL;
  toy_config_refuse(t, TOY_SECTIONS "[train]\nsize = 20\nsizes = 20..30\n", EDGEFW_CONFIG,
                    "x.ini:6: train.size = 20 beside train.sizes (", "x.ini:7)",
                    "leave one of the keys out");
  expect_failure(
      t->ctx, toy_config_try(t, TOY_SECTIONS "[train]\nsizes = 20..30\n", "train.size=20", &config),
      EDGEFW_CONFIG, "train.size = 20 beside train.sizes (", "x.ini:6)");
  /* A size that was there before gives way: of the file to --set, of an included file to both. */
  assert_ok(t->ctx,
            toy_config_try(t, TOY_SECTIONS "[train]\nsize = 20\n", "train.sizes=20..30", &config));
  assert_false(edgefw__train_has_size(config->variants[0].train));
  edgefw__config_destroy(config);
  sandbox_write(&t->box, "base.ini", TOY_SECTIONS "[train]\nsize = 50\n");
  config = toy_config_load(t, "[experiment]\ninclude = base.ini\n[train]\nsizes = 20..30\n");
  assert_false(edgefw__train_has_size(config->variants[0].train));
  edgefw__config_destroy(config);
}

/* A variant's key comes behind that of the section, which it can also take back. */
static void a_variant_says_otherwise(void **state) {
  toy_config *t = *state;
  edgefw__config *config = toy_config_load(
      t, TOY_SECTIONS "[train]\nsize = 9\n[variant a]\ntrain.sizes = 5..6\n[variant b]\n"
                      "train.data = gone.h5\n");
  assert_int_equal(edgefw__train_largest_size(config->variants[0].train), 6);
  assert_false(edgefw__train_has_size(config->variants[1].train));
  assert_null(edgefw__train_size_insists(config->variants[1].train, "data", config->path));
  edgefw__config_destroy(config);
#define SEVERAL TOY_SECTIONS "[train]\nsizes = 5..6\n[variant a]\n"
  toy_config_refuse(t, SEVERAL "train.size = 9\n", EDGEFW_CONFIG, "x.ini:8: train.size = 9 beside",
                    "or, where one size is to count, say train.sizes = (nothing behind it)");
  config = toy_config_load(t, SEVERAL "train.size = 9\ntrain.sizes =\n");
  assert_true(edgefw__train_has_size(config->variants[0].train));
  assert_int_equal(edgefw__train_largest_size(config->variants[0].train), 9);
  edgefw__config_destroy(config);
  toy_config_refuse(t, SEVERAL "train.data = d.h5\n", EDGEFW_CONFIG, "train.sizes beside",
                    "or say train.sizes = or train.data = (nothing behind it)");
  edgefw__config_destroy(toy_config_load(t, SEVERAL "train.data = d.h5\ntrain.sizes =\n"));
}

static void sizes_and_data_exclude_each_other(void **state) {
  toy_config *t = *state;
  sandbox_write(&t->box, "mine.h5", "");
  toy_config_refuse(t, TOY_SECTIONS "[train]\nsizes = 20..30\ndata = mine.h5\n", EDGEFW_CONFIG,
                    "x.ini:6: train.sizes beside train.data (", "x.ini:7)");
  toy_config_refuse(t, TOY_SECTIONS "[train]\nvalidate_every = 2\ndata = mine.h5\n", EDGEFW_CONFIG,
                    "x.ini:6: train.validate_every beside train.data (", "x.ini:7)");
  /* Whoever trains asks for the file. */
  edgefw__config_destroy(toy_config_load(t, TOY_SECTIONS "[train]\ndata = yours.h5\n"));
}

/* Of the least size: no instance may have fewer starts than it is to have labels. */
static void labels_need_starts_in_all_sizes(void **state) {
  toy_config *t = *state;
  toy_config_refuse(t,
                    TOY_SECTIONS "[train]\nobjective = imitation\nlabels = search\n"
                                 "label_starts = 8\nsizes = 20, 7..9\n",
                    EDGEFW_CONFIG,
                    "x.ini:8: train.label_starts = 8, but an instance of train.sizes = 7 has 7");
}

/* A size that does not count is not written, so the resolved text is a configuration itself, and a
 * state of it goes on whatever the included size is. */
static void a_size_that_does_not_count_is_not_kept(void **state) {
  toy_config *t = *state;
  sandbox_write(&t->box, "base.ini", TOY_SECTIONS "[train]\nsize = 50\n");
  edgefw__config *config =
      toy_config_load(t, "[experiment]\ninclude = base.ini\n[train]\nsizes = 20..30, 40\n");
  const edgefw__composition *c = &config->variants[0];
  assert_non_null(strstr(c->text, "sizes = 20..30, 40\n"));
  assert_null(strstr(c->text, "size = 50\n"));
  edgefw__config *again = toy_config_load(t, c->text);
  assert_string_equal(again->variants[0].text, c->text);
  edgefw__config_destroy(again);
  assert_ok(t->ctx, edgefw__origin_check(t->ctx, config->arena, c, c->text, "a.h5"));
  again = toy_config_load(t, TOY_SECTIONS "[train]\nsizes = 20..30, 41\n");
  expect_failure(t->ctx,
                 edgefw__origin_check(t->ctx, again->arena, &again->variants[0], c->text, "a.h5"),
                 EDGEFW_MISMATCH, "[train] sizes is '20..30, 40' there and '20..30, 41' here");
  edgefw__config_destroy(again);
  again = toy_config_load(t, TOY_SECTIONS "[train]\nsize = 50\n");
  expect_failure(t->ctx,
                 edgefw__origin_check(t->ctx, again->arena, &again->variants[0], c->text, "a.h5"),
                 EDGEFW_MISMATCH, "[train] ");
  edgefw__config_destroy(again);
  edgefw__config_destroy(config);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_size_must_suit_the_problem, toy_config_set_up,
                                      toy_config_tear_down),
      cmocka_unit_test_setup_teardown(one_size_or_several, toy_config_set_up, toy_config_tear_down),
      cmocka_unit_test_setup_teardown(a_variant_says_otherwise, toy_config_set_up,
                                      toy_config_tear_down),
      cmocka_unit_test_setup_teardown(sizes_and_data_exclude_each_other, toy_config_set_up,
                                      toy_config_tear_down),
      cmocka_unit_test_setup_teardown(labels_need_starts_in_all_sizes, toy_config_set_up,
                                      toy_config_tear_down),
      cmocka_unit_test_setup_teardown(a_size_that_does_not_count_is_not_kept, toy_config_set_up,
                                      toy_config_tear_down)};
  return test_run(tests, NULL, NULL);
}
