/* edgefw solve takes the shipped model of the file's problem.
 * labels: e2e
 * needs plugins: atsp cvrp radar nearest */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "support/cli.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"

#define SHIPPED " --model-path shipped "
#define HAND                                                                                       \
  "NAME: hand\nTYPE: ATSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\n"                             \
  "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"                                         \
  "0 9 1 9\n9 0 9 1\n9 1 0 9\n1 9 9 0\nEOF\n"
#define FLEET                                                                                      \
  "NAME: fleet\nTYPE: CVRP\nDIMENSION: 3\nCAPACITY: 2\nEDGE_WEIGHT_TYPE: EUC_2D\n"                 \
  "NODE_COORD_SECTION\n1 0 0\n2 3 0\n3 0 4\nDEMAND_SECTION\n1 0\n2 1\n3 1\nDEPOT_SECTION\n1\n-1\n"

static sandbox box;

/* Train a tiny model of atsp, and ship it. */
static int set_up(void **state) {
  (void)state;
  sandbox_create(&box);
  cli_write_config(&box, CLI_SHORT_TRAINING);
  cli_expect(&box, "run tiny.ini --only train --variant plain", 0, NULL, NULL);
  sandbox_link(&box, "shipped/tiny.h5", "../runs/tiny/plain/checkpoint-1.h5");
  sandbox_write(&box, "hand.atsp", HAND);
  sandbox_write(&box, "fleet.vrp", FLEET);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sandbox_remove(&box);
  return 0;
}

static void the_problems_model_is_taken(void **state) {
  (void)state;
  cli_expect(&box, "solve hand.atsp" SHIPPED, 0, "cost 4",
             "the model is shipped/tiny.h5, which is shipped for atsp");
  cli_expect(&box, "solve hand.atsp --sample 2 --beam 2 --device cpu" SHIPPED, 0, "cost 4",
             "shipped/tiny.h5");
}

static double cost_of(const char *arguments, const char *origin) {
  cli_result result = cli_do(&box, arguments);
  const char *from = strstr(result.out, "\"origin\": "), *at = strstr(result.out, "\"cost\": ");
  assert_int_equal(result.status, 0);
  assert_true(at && from && (!origin || strstr(from, origin) == from + strlen("\"origin\": ")));
  const double cost = strtod(at + strlen("\"cost\": "), NULL);
  cli_free(&result);
  return cost;
}

/* The model of one step is worse than the heuristics: these are beside it, unless told otherwise,
 * and the answer says whose it is. */
static void heuristics_are_beside_the_model(void **state) {
  (void)state;
#define SOLVE "solve " EDGEFW_SOURCE_DIR "/data/atsplib/br17.atsp --json --improve none"
  const double heuristics = cost_of(SOLVE " --no-model", NULL);
  const double model = cost_of(SOLVE SHIPPED "--construct none", "\"policy\"");
  assert_true(heuristics < model);
  assert_true(cost_of(SOLVE SHIPPED, NULL) == heuristics);
  assert_true(cost_of(SOLVE " --model shipped/tiny.h5", NULL) == heuristics);
  assert_true(cost_of(SOLVE " --model shipped/tiny.h5 --construct none", "\"policy\"") == model);
  assert_true(cost_of(SOLVE " --construct nearest" SHIPPED, "\"nearest\"") >= heuristics);
#undef SOLVE
  cli_expect(&box, "data generate --problem atsp --size 6 --count 9 --seed 8 -o set.h5", 0, NULL,
             NULL);
  cli_expect(&box, "solve set.h5" SHIPPED, 0, "from ", "the best tours began with ");
}

/* Another problem's file, or somebody who wants none, has what there was without any model. */
static void others_are_left_alone(void **state) {
  (void)state;
  static const char *const words[] = {"solve hand.atsp --no-model" SHIPPED,
                                      "solve hand.atsp --construct nearest" SHIPPED,
                                      "solve fleet.vrp" SHIPPED};
  for (int w = 0; w < 3; ++w) {
    cli_result result = cli_do(&box, words[w]);
    assert_int_equal(result.status, 0);
    assert_null(strstr(result.err, "shipped/"));
    cli_free(&result);
  }
  cli_expect(&box, "solve hand.atsp --no-model --model shipped/tiny.h5", 2, "",
             "--no-model beside --model: leave one of them out");
}

static void a_bad_file_is_a_warning(void **state) {
  (void)state;
  sandbox_write(&box, "bad/a.h5", "no HDF5 at all");
  cli_expect(&box, "solve hand.atsp --model-path bad" SHIPPED, 0, "cost 4",
             "the model bad/a.h5 is left out: ");
  cli_expect(&box, "solve hand.atsp --model bad/a.h5", 1, "", "bad/a.h5");
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_problems_model_is_taken),
      cmocka_unit_test(heuristics_are_beside_the_model),
      cmocka_unit_test(others_are_left_alone),
      cmocka_unit_test(a_bad_file_is_a_warning),
  };
  return test_run(tests, set_up, tear_down);
}
