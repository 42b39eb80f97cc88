/* Training on another distribution than that of test sets, and what is refused.
 * needs plugins: atsp radar */
#include "support/test.h"

#include "config/train_distribution.h"
#include "support/expect.h"
#include "support/io_support.h"
#include "support/tiny_model.h"
#include "support/toy_config.h"

static void without_it_training_has_the_problems_options(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference");
  assert_ptr_equal(tiny.composition->train_problem_options, tiny.composition->problem_options);
  tiny_close(&tiny);
}

static void training_alone_has_it(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_begin(&tiny, NULL, TINY_PLAIN "[train]\ndistribution = road\n", "reference");
  const edgefw__composition *c = tiny.composition;
  assert_int_equal(edgefw_options_choice(c->problem_options, "distribution"), 0);
  assert_int_equal(edgefw_options_choice(c->train_problem_options, "distribution"), 1);
  assert_int_equal(edgefw__options_size(c->train_problem_options),
                   edgefw__options_size(c->problem_options));
  tiny_close(&tiny);
}

static void what_does_not_fit_is_refused(void **state) {
  toy_config *t = *state;
  toy_config_refuse(t, TOY_SECTIONS "[train]\ndistribution = road\n", EDGEFW_CONFIG,
                    "x.ini:6: train.distribution = road: problem 'toy' has no distributions");
  sandbox_write(&t->box, "mine.h5", "");
  toy_config_refuse(t, TOY_SECTIONS "[train]\ndistribution = road\ndata = mine.h5\n", EDGEFW_CONFIG,
                    "x.ini:6: train.distribution = road would change nothing", "train.data");
}

static void an_unknown_one_is_refused(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw__config *config = NULL;
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference");
  expect_failure(tiny.ctx,
                 edgefw__compose_text(tiny.ctx, tiny.registry,
                                      TINY_PLAIN "[train]\ndistribution = moon\n", "x.ini",
                                      &config),
                 EDGEFW_CONFIG, "train.distribution = 'moon'", "tmat|road|mixed");
  tiny_close(&tiny);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_it_training_has_the_problems_options),
      cmocka_unit_test(training_alone_has_it),
      cmocka_unit_test(an_unknown_one_is_refused),
      cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, toy_config_set_up,
                                      toy_config_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
