/* --start, --fixed, --beam, --reconstruct: what solve and eval search with a model.
 * labels: e2e
 * needs plugins: atsp radar nearest */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "support/cli.h"
#include "support/tiny_model.h"

#define MODEL "--model runs/tiny/terms/checkpoint-1.h5"
#define HEAD                                                                                       \
  "TYPE: ATSP\nDIMENSION: 6\nEDGE_WEIGHT_TYPE: EXPLICIT\n"                                         \
  "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"                                         \
  "0 3 41 17 5 29\n7 0 13 31 23 2\n11 43 0 1 37 19\n"                                              \
  "53 4 47 0 8 59\n6 61 21 14 0 10\n25 33 12 67 71 0\nEOF\n"

static sandbox box;

static int set_up(void **state) {
  (void)state;
  sandbox_create(&box);
  cli_write_config(&box, CLI_SHORT_TRAINING);
  sandbox_write(&box, "in/hand.atsp", "NAME: hand\n" HEAD);
  sandbox_write(&box, "in/other.atsp", "NAME: other\n" HEAD);
  sandbox_write(&box, "best.tour", "TOUR_SECTION\n1\n2\n6\n3\n4\n5\n-1\n");
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

#define ONE "solve in/hand.atsp --starts 1 --improve none --construct none " MODEL

/* What solve wrote is a solution to begin with, and so is any other. */
static void an_answer_begins_another_search(void **state) {
  (void)state;
  const double plain = cost_of(ONE " -o plain.tour");
  assert_true(plain > 32.0);
  assert_true(cost_of(ONE " --start plain.tour") == plain);
  assert_true(cost_of(ONE " --start best.tour") == 32.0);
  assert_true(cost_of("eval in/hand.atsp --starts 1 --start best.tour " MODEL) == 32.0);
  cli_expect(&box, "eval in/hand.atsp --csv --start best.tour --kicks 1 " MODEL, 0,
             "greedy+start+kicks", NULL);
  cli_expect(&box, ONE " --start none.tour", 1, NULL, "none.tour");
}

static void a_start_is_one_inputs_or_a_folder_has_one_of_each(void **state) {
  (void)state;
  cli_expect(&box, "solve in --start best.tour " MODEL, 2, NULL, "there are 2 inputs");
  cli_expect(&box, "eval 6 --start best.tour " MODEL, 2, NULL, "expected a file of one");
  sandbox_write(&box, "starts/other.tour", "TOUR_SECTION\n1\n2\n6\n3\n4\n5\n-1\n");
  cli_expect(&box, "solve in --starts 1 --improve none --start starts " MODEL, 0,
             "other: n = 6, cost 32", "1 of 2 inputs have no solution there");
}

static void a_wrong_start_is_told_with_its_place(void **state) {
  (void)state;
  sandbox_write(&box, "twice.tour", "TOUR_SECTION\n1\n2\n6\n3\n4\n2\n-1\n");
  sandbox_write(&box, "short.tour", "DIMENSION: 5\nTOUR_SECTION\n1\n2\n3\n4\n5\n-1\n");
  cli_expect(&box, ONE " --start twice.tour", 1, NULL, "twice.tour");
  cli_expect(&box, ONE " --start short.tour", 1, NULL, "short.tour");
}

/* The optimum from 5, 3 costs 58, that of all tours 32. */
static void fixed_nodes_stay_in_front(void **state) {
  (void)state;
  cli_expect(&box, "solve in/hand.atsp --json --fixed 5,3 --kicks 20 --construct none " MODEL, 0,
             "\"tour\": [5, 3, 4, 2, 6, 1]", NULL);
  assert_true(cost_of("solve in/hand.atsp --fixed 5,3 --kicks 20 --construct none " MODEL) == 58.0);
  assert_true(cost_of("solve in/hand.atsp --fixed 4 --kicks 20 --construct none " MODEL) == 32.0);
  cli_expect(&box, "eval in/hand.atsp --csv --fixed 5,3 " MODEL, 0, "greedy+fixed,", NULL);
}

static void fixed_nodes_that_no_tour_begins_with_are_refused(void **state) {
  (void)state;
  cli_expect(&box, ONE " --fixed 5,7", 1, NULL, "place 2, node 7 is more than the instance has");
  cli_expect(&box, ONE " --fixed 5,5", 1, NULL, "place 2, node 5 is there for the second time");
  cli_expect(&box, ONE " --fixed 5,0", 2, NULL, "entry 2 of the fixed nodes is 0");
  cli_expect(&box, ONE " --fixed 5,x", 2, NULL, "--fixed '5,x': 'x' is no node");
  cli_expect(&box, ONE " --fixed 5,", 2, NULL, "'' is no node");
}

/* A beam as wide as there are tours from the start finds the best one. */
static void beams_are_searched_beside_rollouts(void **state) {
  (void)state;
  assert_true(cost_of(ONE " --beam 120") == 32.0);
  assert_true(cost_of(ONE " --beam 1") == cost_of(ONE));
  cli_expect(&box, "eval in/hand.atsp --csv --beam 2 " MODEL, 0, "greedy+beam,", NULL);
  cli_expect(&box, ONE " --beam 0", 2, NULL, "--beam '0'");
}

static void stretches_are_decoded_again(void **state) {
  (void)state;
  assert_true(cost_of(ONE " --reconstruct 20") == 32.0);
  cli_expect(&box, "eval in/hand.atsp --csv --reconstruct 2 --kicks 3 " MODEL, 0,
             "greedy+reconstruct+kicks,", NULL);
  cli_expect(&box, ONE " --reconstruct 0", 2, NULL, "--reconstruct '0'");
}

static void a_time_is_not_reproducible_and_the_log_says_so(void **state) {
  (void)state;
  cli_expect(&box, ONE " --time-limit 0.05", 0, "cost 32", "how fast the machine is");
  cli_expect(&box, ONE " --time-limit 0.05 --reconstruct 1000000000", 0, "cost 32",
             "how fast the machine is");
}

/* Without a model heuristics construct: they begin with what is fixed, and beside a solution; what
 * is decoded needs a model. */
static void heuristics_are_searched_as_well(void **state) {
  (void)state;
#define PLAIN "solve in/hand.atsp --starts 1 --improve none --no-model"
  assert_true(cost_of(PLAIN " --start best.tour") == 32.0);
  assert_true(cost_of("solve in/hand.atsp --fixed 5,3 --kicks 20 --no-model") == 58.0);
  cli_expect(&box, "solve in/hand.atsp --json --fixed 5,3 --kicks 20 --no-model", 0,
             "\"tour\": [5, 3, 4, 2, 6, 1]", NULL);
  cli_expect(&box, PLAIN " --beam 2", 2, NULL, "--beam needs a model that decodes (--model)");
  cli_expect(&box, PLAIN " --reconstruct 2", 2, NULL, "--reconstruct needs a model");
#undef PLAIN
}

/* The same keys in a configuration, whose rows are made again when the solution changes. */
static void a_configuration_searches_as_well(void **state) {
  (void)state;
  cli_write_config(&box, CLI_SHORT_TRAINING
                   "files = in/hand.atsp\n"
                   "starts = 1\n[search]\nstart = mine.tour\nfixed = 1, 2\nbeam = 2\n"
                   "reconstruct = 1\nimprove = local\nkicks = 3\n");
  sandbox_write(&box, "mine.tour", "TOUR_SECTION\n1\n2\n6\n3\n4\n5\n-1\n");
  cli_expect(&box, "run tiny.ini --out searched", 0, NULL, NULL);
  char *rows = cli_read(&box, "searched/results.csv");
  assert_non_null(strstr(rows, "hand,6,1,greedy+beam+fixed+start+local+reconstruct+kicks,"));
  assert_non_null(strstr(rows, ",32,"));
  free(rows);
  cli_expect(&box, "run tiny.ini --out searched", 0, NULL, "nothing to do");
  sandbox_write(&box, "mine.tour", "TOUR_SECTION\n1\n2\n3\n4\n5\n6\n-1\n");
  cli_result again = cli_do(&box, "run tiny.ini --out searched");
  assert_int_equal(again.status, 0);
  assert_null(strstr(again.err, "nothing to do"));
  cli_free(&again);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_answer_begins_another_search),
      cmocka_unit_test(a_start_is_one_inputs_or_a_folder_has_one_of_each),
      cmocka_unit_test(a_wrong_start_is_told_with_its_place),
      cmocka_unit_test(fixed_nodes_stay_in_front),
      cmocka_unit_test(fixed_nodes_that_no_tour_begins_with_are_refused),
      cmocka_unit_test(beams_are_searched_beside_rollouts),
      cmocka_unit_test(stretches_are_decoded_again),
      cmocka_unit_test(a_time_is_not_reproducible_and_the_log_says_so),
      cmocka_unit_test(heuristics_are_searched_as_well),
      cmocka_unit_test(a_configuration_searches_as_well),
  };
  return test_run(tests, set_up, tear_down);
}
