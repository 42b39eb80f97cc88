/* edgefw solve without a model: the problem is found, heuristics construct, the best is printed.
 * labels: e2e
 * needs plugins: atsp cvrp */
#include "support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/cli.h"
#include "support/sandbox.h"
#include "support/toy_plugins.h"

#define PLUGINS " --plugin-path plugins --construct inorder "
#define HAND                                                                                       \
  "NAME: hand\nTYPE: ATSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\n"                             \
  "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"                                         \
  "0 9 1 9\n9 0 9 1\n9 1 0 9\n1 9 9 0\nEOF\n"
#define FLEET                                                                                      \
  "NAME: fleet\nTYPE: CVRP\nDIMENSION: 3\nCAPACITY: 2\nEDGE_WEIGHT_TYPE: EUC_2D\n"                 \
  "NODE_COORD_SECTION\n1 0 0\n2 3 0\n3 0 4\nDEMAND_SECTION\n1 0\n2 1\n3 1\nDEPOT_SECTION\n1\n-1\n"

static sandbox box;

static int set_up(void **state) {
  (void)state;
  sandbox_create(&box);
  sandbox_link(&box, "plugins/edgefw_inorder.so", toy_fixture("good_heuristic"));
  sandbox_link(&box, "plugins/edgefw_toy.so", toy_fixture("good_problem"));
  sandbox_write(&box, "hand.atsp", HAND);
  sandbox_write(&box, "fleet.vrp", FLEET);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sandbox_remove(&box);
  return 0;
}

/* 1 2 3 4 costs 9 + 9 + 9 + 1, and the search finds 1 3 2 4, which costs 4. */
static void the_best_tour_is_printed(void **state) {
  (void)state;
  cli_expect(&box, "solve hand.atsp" PLUGINS "--improve none", 0, "28",
             "constructed by inorder, without anything learned; a model that was trained on such "
             "instances (--model) may do better");
  cli_expect(&box, "solve hand.atsp" PLUGINS "-o hand.tour --starts 1 --kicks 3", 0, "cost 4",
             NULL);
  char *tour = cli_read(&box, "hand.tour");
  assert_non_null(strstr(tour, "TOUR_SECTION\n1\n3\n2\n4\n-1"));
  free(tour);
  cli_expect(&box, "check hand.atsp hand.tour", 0, "4", NULL);
}

/* All that fit construct, and a route of both customers is the best there is. */
static void the_problem_is_found(void **state) {
  (void)state;
  cli_expect(&box, "solve fleet.vrp --no-model --plugin-path plugins", 0, "cost 12",
             "constructed by");
  cli_expect(&box, "solve fleet.vrp hand.atsp" PLUGINS, 1, "cost 12", "hand.atsp");
}

static void what_needs_a_model_is_refused(void **state) {
  (void)state;
  cli_expect(&box, "solve hand.atsp --no-model --sample 3", 2, "", "--sample is for a model");
  cli_expect(&box, "solve hand.atsp --no-model --augment 8", 2, "", "--augment");
  cli_expect(&box, "solve hand.atsp --no-model --precision fp32", 2, "", "--precision");
  cli_expect(&box, "solve hand.atsp --no-model --device cpu", 2, "", "--device is for a model");
  cli_expect(&box, "solve hand.atsp --construct nothing", 2, "", "nothing");
  cli_expect(&box, "solve hand.atsp --no-model --construct none", 2, "",
             "--no-model beside --construct none: nothing is left");
  cli_expect(&box, "solve hand.atsp --problem toy --plugin-path plugins --construct none", 2, "",
             "no model is shipped for the problem toy");
  cli_expect(&box, "solve hand.atsp --problem cvrp" PLUGINS, 1, "", "hand.atsp");
  cli_expect(&box, "solve none.atsp" PLUGINS, 1, "", "none.atsp");
  cli_expect(&box, "eval hand.atsp", 2, "", "--model is missing");
}

/* No time at all is left for local search. */
static void first_tours_count_in_the_time_limit(void **state) {
  (void)state;
  cli_expect(&box, "solve hand.atsp" PLUGINS, 0, "cost 4", NULL);
  cli_expect(&box, "solve hand.atsp" PLUGINS "--time-limit 1e-9", 0, "cost 28", NULL);
}

/* Stopped, it prints and writes the best that it has, and says so by its exit status. */
static void an_interrupted_search_keeps_its_best(void **state) {
  (void)state;
  const pid_t child =
      cli_start(&box, "solve hand.atsp" PLUGINS "--time-limit 200 --threads 1 -o kept.tour");
  nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
  assert_int_equal(kill(child, SIGINT), 0);
  cli_result result = cli_wait(&box, child);
  assert_int_equal(result.status, 130);
  assert_non_null(strstr(result.out, "cost 4"));
  assert_non_null(strstr(result.err, "interrupted"));
  cli_free(&result);
  cli_expect(&box, "check hand.atsp kept.tour", 0, "4", NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_best_tour_is_printed),
      cmocka_unit_test(the_problem_is_found),
      cmocka_unit_test(what_needs_a_model_is_refused),
      cmocka_unit_test(first_tours_count_in_the_time_limit),
      cmocka_unit_test(an_interrupted_search_keeps_its_best),
  };
  return test_run(tests, set_up, tear_down);
}
