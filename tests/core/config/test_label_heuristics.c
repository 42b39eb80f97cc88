/* Which heuristics make labels: those named, or all that fit, whose names are kept. */
#include "support/test.h"

#include <string.h>

#include "config/label_heuristics.h"
#include "support/expect.h"
#include "support/toy_config.h"

#define IMITATE TOY_SECTIONS "[train]\nobjective = imitation\nlabels = search\n"

static void all_that_fit_are_named(void **state) {
  toy_config *t = *state;
  edgefw__config *config = toy_config_load(t, IMITATE);
  const edgefw__composition *c = &config->variants[0];
  assert_int_equal(c->label_heuristics.count, 1);
  assert_string_equal(c->label_heuristics.names[0], "inorder");
  assert_non_null(strstr(c->text, "label_heuristics = inorder\n"));
  assert_string_equal(edgefw_options_text_at(c->train, "label_heuristics", 0), "inorder");
  assert_int_equal(edgefw_options_int(c->train, "size"), 100); /* other keys are as they were */
  edgefw__config_destroy(config);
}

static void those_named_are_taken(void **state) {
  toy_config *t = *state;
  edgefw__config *config = toy_config_load(t, IMITATE "label_heuristics = by_number\nsize = 9\n");
  const edgefw__composition *c = &config->variants[0];
  assert_int_equal(c->label_heuristics.count, 1);
  assert_string_equal(c->label_heuristics.plugins[0]->descriptor->name, "inorder");
  assert_non_null(strstr(c->text, "label_heuristics = by_number\n"));
  assert_int_equal(edgefw_options_int(c->train, "size"), 9);
  edgefw__config_destroy(config);
  toy_config_refuse(t, IMITATE "label_heuristics = inordr\n", EDGEFW_PLUGIN_FIND,
                    "did you mean 'inorder'", "x.ini:8: train.label_heuristics");
  toy_config_refuse(t, IMITATE "label_heuristics = inorder, by_number\n", EDGEFW_CONFIG,
                    "x.ini:8: train.label_heuristics lists 'by_number' twice");
}

static void other_trainings_have_none(void **state) {
  toy_config *t = *state;
  edgefw__config *config = toy_config_load(t, TOY_SECTIONS);
  assert_int_equal(config->variants[0].label_heuristics.count, 0);
  assert_non_null(strstr(config->variants[0].text, "label_heuristics =\n"));
  edgefw__config_destroy(config);
}

/* Evaluating a checkpoint needs no heuristics. */
static void a_stored_text_may_miss_some(void **state) {
  toy_config *t = *state;
  edgefw__config *config = NULL;
  expect_ok(t->ctx,
            edgefw__compose_text(t->ctx, t->registry, IMITATE "label_heuristics = gone, inorder\n",
                                 "x.h5", &config));
  assert_int_equal(config->variants[0].label_heuristics.count, 1);
  assert_non_null(strstr(config->variants[0].text, "label_heuristics = gone, inorder\n"));
  edgefw__config_destroy(config);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_that_fit_are_named),
      cmocka_unit_test(those_named_are_taken),
      cmocka_unit_test(other_trainings_have_none),
      cmocka_unit_test(a_stored_text_may_miss_some),
  };
  return test_run(tests, toy_config_set_up, toy_config_tear_down);
}
