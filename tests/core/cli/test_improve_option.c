/* --improve: what solve and eval make of rollouts.
 * labels: e2e
 * needs plugins: atsp radar */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "support/cli.h"
#include "support/tiny_model.h"

#define MODEL "--model runs/tiny/terms/checkpoint-1.h5"

static sandbox box;

static int set_up(void **state) {
  (void)state;
  sandbox_create(&box);
  cli_write_config(&box, CLI_SHORT_TRAINING);
  sandbox_write(&box, "hand.atsp",
                "NAME: hand\nTYPE: ATSP\nDIMENSION: 6\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
                "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
                "0 3 41 17 5 29\n7 0 13 31 23 2\n11 43 0 1 37 19\n"
                "53 4 47 0 8 59\n6 61 21 14 0 10\n25 33 12 67 71 0\nEOF\n");
  cli_expect(&box, "run tiny.ini --only train", 0, NULL, NULL);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sandbox_remove(&box);
  return 0;
}

/* The cost that a command prints for one set. */
static double cost_of(const char *command) {
  cli_result result = cli_do(&box, command);
  assert_int_equal(result.status, 0);
  const char *at = strstr(result.out, "cost ");
  assert_non_null(at);
  const double cost = strtod(at + strlen("cost "), NULL);
  cli_free(&result);
  return cost;
}

/* Trained for one step, the model's own tour is a poor one; of so few nodes local search from every
 * start leaves the best. */
static void rollouts_are_improved_unless_told_otherwise(void **state) {
  (void)state;
  const double plain = cost_of("solve hand.atsp --improve none --construct none " MODEL);
  const double improved = cost_of("solve hand.atsp --construct none " MODEL);
  assert_true(improved < plain);
  assert_true(improved == 32.0);
  assert_true(cost_of("solve hand.atsp --improve local --construct none " MODEL) == improved);
}

/* A poor tour, kicked, becomes the best; also within a limit. */
static void kicks_go_on_from_the_best_tour(void **state) {
  (void)state;
  assert_true(cost_of("eval hand.atsp --kicks 100 " MODEL) == 32.0);
  assert_true(cost_of("solve hand.atsp --improve none --construct none --time-limit 0.05 " MODEL) ==
              32.0);
}

static void eval_leaves_rollouts_as_they_are(void **state) {
  (void)state;
  const double plain = cost_of("eval hand.atsp " MODEL);
  assert_true(plain == cost_of("eval hand.atsp --improve none " MODEL));
  assert_true(plain > cost_of("eval hand.atsp --improve local " MODEL));
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rollouts_are_improved_unless_told_otherwise),
      cmocka_unit_test(kicks_go_on_from_the_best_tour),
      cmocka_unit_test(eval_leaves_rollouts_as_they_are),
  };
  return test_run(tests, set_up, tear_down);
}
