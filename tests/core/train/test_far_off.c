/* Epochs whose figures mean nothing any more, and those that only look odd.
 * labels: e2e */
#include "support/test.h"

#include <string.h>

#include "support/cli.h"
#include "support/tiny_model.h"
#include "train/far_off.h"

static const char *judge(double score, double loss, double gradient) {
  return edgefw__far_off(
      &(edgefw__epoch_figures){.score = score, .loss = loss, .gradient = gradient});
}

static void usual_figures_pass(void **state) {
  (void)state;
  assert_null(judge(1.5, -0.1, 0.5));
  assert_null(judge(1.5, 400.0, 9000.0)); /* 1000 nodes, untrained */
  assert_null(judge(1.5e9, -1e8, 3e8));   /* costs in other units */
  assert_null(judge(1.5e-9, -1e-10, 3e-10));
  assert_null(judge(1.5, 0.0, 0.0)); /* all rollouts equally long */
}

static void absurd_ones_are_named(void **state) {
  (void)state;
  assert_non_null(strstr(judge(1.5, 1e6, 1.0), "the loss is absurdly large"));
  assert_non_null(strstr(judge(1.5, -1e30, 1.0), "the loss is absurdly large"));
  assert_non_null(strstr(judge(1e-9, -2e4, 1.0), "the loss is absurdly large"));
  assert_non_null(strstr(judge(1.5, 0.1, 1e8), "the gradient is absurdly large"));
  assert_non_null(strstr(judge(1.5, 1e-4, 0.0), "the gradient has vanished"));
  assert_non_null(strstr(judge(1.5, -1e-9, 1e-15), "the gradient has vanished"));
}

/* With steps of that size all logits lie at the clip after the first epoch. The warning comes once
 * and says what to try. */
static void a_run_far_off_says_what_to_try(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, "[train]\nsize = 10\nepochs = 5\nmilestones = 5\ninstances_per_epoch = 32\n"
                        "batch = 8\n[variant terms]\ncheckpoint =\n");
  cli_result result =
      cli_do(box, "run tiny.ini --only train --set train.learning_rate=1000 --set decoder.terms=");
  assert_int_equal(result.status, 0);
  const char *warning = strstr(result.err, "warning: plain: epoch ");
  if (!warning) print_error("%s\n", result.err);
  assert_non_null(warning);
  assert_non_null(strstr(warning, "try a smaller [train] learning_rate (it is 1000)"));
  assert_null(strstr(warning + 1, "warning: plain: epoch "));
  cli_free(&result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(usual_figures_pass),
      cmocka_unit_test(absurd_ones_are_named),
      cmocka_unit_test_setup_teardown(a_run_far_off_says_what_to_try, sandbox_set_up,
                                      sandbox_tear_down),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
