/* Files of other programs on the command line: every form is solved and its cost is that of the
 * tour, by this file's own sum; stops keep their names; options that do nothing are refused.
 * labels: e2e
 * needs plugins: atsp acvrp */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cli.h"
#include "support/npz_support.h"
#include "support/stops_case.h"
#include "support/tiny_model.h"

#define MODEL   "--model runs/tiny/plain/checkpoint-1.h5"
#define VEHICLE "--model runs/vehicle/plain/checkpoint-1.h5"

static sandbox box;

static int set_up(void **state) {
  (void)state;
  sandbox_create(&box);
  cli_write_config(&box, CLI_SHORT_TRAINING);
  cli_expect(&box, "run tiny.ini --only train --variant plain", 0, NULL, NULL);
  cli_expect(&box,
             "run tiny.ini --only train --variant plain --set problem.name=acvrp "
             "--out runs/vehicle",
             0, NULL, NULL);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sandbox_remove(&box);
  return 0;
}

/* The number behind `key` in a line of JSON. */
static double number(const char *text, const char *key) {
  const char *at = strstr(text, key);
  if (!at) fail_msg("no %s in %s", key, text);
  return strtod(at + strlen(key), NULL);
}

/* Read the list behind `key`; returns its length. */
static int list(const char *text, const char *key, int out[2 * STOPS]) {
  const char *at = strstr(text, key);
  int count = 0;
  if (!at) fail_msg("no %s in %s", key, text);
  at += strlen(key);
  while (*at != ']' && count < 2 * STOPS) {
    char *end = NULL;
    out[count++] = (int)strtol(at, &end, 10);
    at = end + strspn(end, ", ");
  }
  return count;
}

/* What a way along these stops, from 0, and back costs. A missing one fails the test. */
static double price(const int *stops, int count) {
  double cost = 0.0;
  for (int t = 0; t < count; ++t) {
    const double way = stops_cost[stops[t]][stops[(t + 1) % count]];
    if (stops[t] != stops[(t + 1) % count] && way < 0) fail_msg("a missing way is used");
    cost += way;
  }
  return cost;
}

static void solve(const char *file, const char *options) {
  char arguments[512];
  int tour[2 * STOPS];
  snprintf(arguments, sizeof arguments, "solve " STOPS_DATA "%s --json %s", file, options);
  cli_result result = cli_do(&box, arguments);
  if (result.status != 0) fail_msg("%s: %s", arguments, result.err);
  const int count = list(result.out, "\"tour\": [", tour);
  assert_int_equal(count, STOPS);
  for (int t = 0; t < count; ++t) --tour[t];
  assert_true(number(result.out, "\"cost\": ") == price(tour, count));
  assert_true(number(result.out, "\"cost\": ") >= stops_shortest_tour());
  cli_free(&result);
}

static void every_form_is_solved(void **state) {
  (void)state;
  static const char *const files[] = {"stops.csv", "stops-semicolon.csv", "stops.tsv",
                                      "stops.txt", "stops.npy",           "osrm.json",
                                      "ors.json",  "valhalla.json"};
  for (size_t k = 0; k < sizeof files / sizeof *files; ++k) solve(files[k], MODEL);
  solve("vroom.json", MODEL " --problem atsp");
  solve("stops.npz", MODEL " --problem atsp");
}

/* Loads, and the cost of routes: the depot is node 0 and the first stop. */
static void routes_are_solved_with_their_loads(void **state) {
  (void)state;
  static const char *const inputs[] = {
      "vroom.json", "stops.npz", "stops.csv --demands 0,4,3,5,2,6 --capacity 10",
      "stops.csv --demands " STOPS_DATA "demands.csv --capacity 10"};
  for (size_t k = 0; k < sizeof inputs / sizeof *inputs; ++k) {
    char arguments[512];
    int tour[2 * STOPS];
    double load = 0.0;
    snprintf(arguments, sizeof arguments, "solve " STOPS_DATA "%s --json " VEHICLE, inputs[k]);
    cli_result result = cli_do(&box, arguments);
    if (result.status != 0) fail_msg("%s: %s", arguments, result.err);
    const int count = list(result.out, "\"tour\": [", tour);
    assert_true(number(result.out, "\"cost\": ") == price(tour, count));
    for (int t = 0; t < count; ++t) {
      load = tour[t] == 0 ? 0.0 : load + stops_demand[tour[t]];
      assert_true(load <= 10.0);
    }
    cli_free(&result);
  }
}

/* Numbers and names of the file, whichever stop is the depot. */
static void the_depot_may_be_any_stop(void **state) {
  (void)state;
  int stops[2 * STOPS];
  cli_result result = cli_do(&box, "solve " STOPS_DATA "stops.npy --json --depot 4 " MODEL);
  assert_int_equal(result.status, 0);
  assert_int_equal(list(result.out, "\"stops\": [", stops), STOPS);
  assert_int_equal(stops[0], 4);
  cli_free(&result);
  result = cli_do(&box, "solve " STOPS_DATA
                        "stops.npy --json --depot 4 --demands 0,4,3,2,6 --capacity 7 " VEHICLE);
  assert_int_equal(result.status, 0);
  const int count = list(result.out, "\"stops\": [", stops);
  assert_int_equal(stops[0], 4);
  for (int t = 0; t < count; ++t) --stops[t];
  assert_true(number(result.out, "\"cost\": ") == price(stops, count));
  cli_free(&result);
  cli_expect(&box, "solve " STOPS_DATA "stops.csv --json --depot Cleo " MODEL, 0,
             "\"stops\": [\"Cleo\", ", NULL);
}

static void several_instances_come_in_one_file(void **state) {
  (void)state;
  cli_expect(&box, "solve " STOPS_DATA "stops-two.npy " MODEL, 0, "stops-two 1: n = 6, cost ",
             NULL);
  cli_expect(&box, "solve " STOPS_DATA "stops-two.npy -o two " MODEL, 0, NULL, NULL);
  assert_true(cli_exists(&box, "two/stops-two/0.tour") && cli_exists(&box, "two/stops-two/1.tour"));
  cli_expect(&box, "solve " STOPS_DATA "stops-two.npy --reference x.csv " MODEL, 1, NULL,
             "holds 2 instances");
}

static void solutions_are_printed_in_any_form(void **state) {
  (void)state;
#define OSRM "solve " STOPS_DATA "osrm.json " MODEL
  cli_result result = cli_do(&box, OSRM " --format csv");
  assert_int_equal(result.status, 0);
  assert_ptr_equal(strstr(result.out, "set,instance,route,position,stop,name\nosrm,0,1,1,1,Depot "
                                      "Street\n"),
                   result.out);
  assert_non_null(strstr(result.out, "\"Day, Dee Street\"\n"));
  assert_null(strstr(result.out, "cost"));
  cli_free(&result);
  cli_expect(&box, OSRM " -o -", 0, "TYPE : TOUR\nDIMENSION : 6\nTOUR_SECTION\n1\n", NULL);
  cli_expect(&box, OSRM " --format json", 0, "\"stops\": [\"Depot Street\", ", NULL);
  cli_expect(&box, OSRM " --format csv -o osrm.csv", 0, "osrm: n = 6, cost ", NULL);
  char *text = cli_read(&box, "osrm.csv");
  assert_non_null(text);
  assert_non_null(strstr(text, "osrm,0,1,1,1,Depot Street\n"));
  free(text);
  cli_expect(&box, OSRM " --format sol", 2, "", "closed tours");
  cli_expect(&box, OSRM " --format csv --json", 2, "", "--json and --csv print answers");
  cli_expect(&box, OSRM " --use distances --json", 0, "\"cost\": ", NULL);
  cli_expect(&box, "solve " STOPS_DATA "vroom.json --format sol " VEHICLE, 0, "Route #1: ", NULL);
}

/* What solve writes costs the same to check, which reads the file anew. */
static void solutions_are_checked(void **state) {
  (void)state;
  static const char routes[] = STOPS_DATA "stops.csv --demands 4,3,5,2,6 --capacity 10 --depot ";
  char arguments[512];
  cli_expect(&box, OSRM " --depot 4 -o osrm.tour", 0, NULL, NULL);
  cli_expect(&box, "check " STOPS_DATA "osrm.json osrm.tour", 0, "as it says (atsp)", NULL);
  cli_expect(&box, "check " STOPS_DATA "osrm.json osrm.tour --use distances", 1, "",
             "says that it costs");
  snprintf(arguments, sizeof arguments, "solve %sCleo -o csv.sol " VEHICLE, routes);
  cli_expect(&box, arguments, 0, NULL, NULL);
  snprintf(arguments, sizeof arguments, "check %sCleo csv.sol", routes);
  cli_expect(&box, arguments, 0, "as it says (acvrp)", NULL);
  snprintf(arguments, sizeof arguments, "check %sEve csv.sol", routes);
  cli_expect(&box, arguments, 1, "", NULL);
  cli_expect(&box, "solve " STOPS_DATA "stops-two.npy -o pair " MODEL, 0, NULL, NULL);
  cli_expect(&box, "check " STOPS_DATA "stops-two.npy pair/stops-two/1.tour --instance 1", 0,
             "as it says", NULL);
  cli_expect(&box, "check " STOPS_DATA "stops-two.npy pair/stops-two/1.tour --instance 2", 2, "",
             "0 to 1");
  cli_expect(&box, "check " STOPS_DATA "osrm.json csv.sol", 1, "", "holds routes");
}

/* Nothing leads to the third stop, or only ways around in other files. */
static void a_missing_way_without_another_is_named(void **state) {
  (void)state;
  sandbox_write(&box, "cut.csv", ",a,b,c\na,0,1,\nb,2,0,\nc,3,4,0\n");
  sandbox_write(&box, "one.csv", ",a,b,c\na,0,1,\nb,,0,2\nc,3,,0\n");
  sandbox_write(&box, "none.csv", "0,\n,0\n");
  cli_result result = cli_do(&box, "solve cut.csv " MODEL);
  assert_int_equal(result.status, 1);
  assert_string_equal(result.out, "");
  assert_non_null(strstr(result.err, "cut.csv: no tour does without ways that are missing"));
  assert_non_null(strstr(result.err, " to 'c'"));
  cli_free(&result);
  cli_expect(&box, "solve one.csv " MODEL, 0, "n = 3, cost 6,", NULL); /* a b c: 1 + 2 + 3 */
  cli_expect(&box, "solve none.csv " MODEL, 1, "", "none");
  cli_expect(&box, "solve cut.csv one.csv " MODEL, 1, "one: n = 3, cost 6,", "not solved: cut.csv");
}

/* An instance that lacks ways keeps no other one of its file from being solved. */
static void the_other_instances_of_a_file_are_solved(void **state) {
  (void)state;
  static const double cost[3][9] = {{0, 1, 9, 9, 0, 2, 3, 9, 0},
                                    {0, 1, INFINITY, 2, 0, INFINITY, 3, 4, 0},
                                    {0, 1, 9, 9, 0, 2, 4, 9, 0}};
  npy_write(sandbox_path(&box, "three.npy"),
            &(npz_entry){.type = "<f8", .shape = "(3, 3, 3)", .bytes = cost, .count = sizeof cost});
  static const char *const batches[] = {"", " --batch 1"};
  for (size_t k = 0; k < sizeof batches / sizeof *batches; ++k) {
    char arguments[256];
    snprintf(arguments, sizeof arguments, "solve three.npy " MODEL "%s", batches[k]);
    cli_result result = cli_do(&box, arguments);
    assert_int_equal(result.status, 1);
    assert_non_null(strstr(result.out, "three 0: n = 3, cost 6,"));
    assert_null(strstr(result.out, "three 1:"));
    assert_non_null(strstr(result.out, "three 2: n = 3, cost 7,"));
    assert_non_null(strstr(result.err, "three.npy, instance 1: no tour does without ways"));
    cli_free(&result);
  }
}

static void options_that_do_nothing_are_refused(void **state) {
  (void)state;
  sandbox_write(&box, "hand.atsp", "TYPE: ATSP\nDIMENSION: 2\nEDGE_WEIGHT_SECTION\n0 1 2 0\n");
  cli_expect(&box, "solve hand.atsp --depot 2 " MODEL, 2, "", "--depot is for matrices");
  sandbox_write(&box, "m.csv", "0,1\n2,0\n");
  cli_expect(&box, "solve m.csv hand.atsp --depot 2 " MODEL, 2, "", "such as hand.atsp");
  cli_expect(&box, "solve hand.atsp m.csv --depot 2 " MODEL, 2, "", "such as hand.atsp");
  cli_expect(&box, "solve hand.atsp --use distances " MODEL, 2, "", "--use is for matrices");
  cli_expect(&box, OSRM " --use miles", 2, "", "durations or distances");
  cli_expect(&box, OSRM " --capacity 0", 2, "", "--capacity");
  cli_expect(&box, OSRM " --capacity 5", 2, "", "no demands and no capacity");
  cli_expect(&box, OSRM " --problem acvrp", 2, "", "the model is one of the problem atsp");
  cli_expect(&box, "solve " STOPS_DATA "osrm.json " VEHICLE, 1, "", "--demands");
}

/* --- Datasets --- */

static void every_form_becomes_a_dataset(void **state) {
  (void)state;
  static const struct {
    const char *arguments, *info;
  } cases[] = {{"stops.csv", "atsp"},
               {"osrm.json", "atsp"},
               {"vroom.json", "acvrp"},
               {"stops-two.npy", "atsp"},
               {"stops.tsv --demands 4,3,5,2,6 --capacity 10", "acvrp"},
               {"places.csv --capacity 10", "cvrp"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char arguments[512];
    snprintf(arguments, sizeof arguments, "data import " STOPS_DATA "%s -o set.h5",
             cases[k].arguments);
    cli_expect(&box, arguments, 0, "", "of 6 nodes");
    cli_expect(&box, "data info set.h5", 0, cases[k].info, NULL);
  }
  cli_expect(&box, "data import " STOPS_DATA "stops-two.npy -o set.h5 --scale 1e-6", 0, "",
             "2 instances of 6 nodes");
}

/* The dataset's instance is solved as its file is. */
static void a_dataset_costs_what_its_file_costs(void **state) {
  (void)state;
  cli_result file = cli_do(&box, "solve " STOPS_DATA "vroom.json --json " VEHICLE);
  cli_expect(&box, "data import " STOPS_DATA "vroom.json -o set.h5", 0, NULL, NULL);
  cli_result set = cli_do(&box, "solve set.h5 --json " VEHICLE);
  assert_int_equal(file.status, 0);
  assert_int_equal(set.status, 0);
  assert_true(number(file.out, "\"cost\": ") == number(set.out, "\"cost\": "));
  cli_free(&file);
  cli_free(&set);
}

static void wrong_imports_write_nothing(void **state) {
  (void)state;
  static const struct {
    const char *arguments;
    int status;
    const char *word;
  } cases[] = {{"bad.csv", 1, "bad.csv:2: column 1"},
               {STOPS_DATA "vroom.json --field capacity=1", 2, "--field is for .npz files"},
               {STOPS_DATA "stops.npz --problem acvrp --depot 2", 2, "--depot is not for .npz"},
               {STOPS_DATA "stops.npz", 2, "--problem is missing"},
               {STOPS_DATA "stops.csv --problem acvrp", 1, "--demands"},
               {STOPS_DATA "stops-two.npy " STOPS_DATA "stops.csv", 2, "imported alone"},
               {STOPS_DATA "stops.csv hand.csv", 1, "one size"}};
  sandbox_write(&box, "bad.csv", "0,1\n-2,0\n");
  sandbox_write(&box, "hand.csv", "0,1\n2,0\n");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    char arguments[512];
    snprintf(arguments, sizeof arguments, "data import %s -o wrong.h5", cases[k].arguments);
    cli_expect(&box, arguments, cases[k].status, "", cases[k].word);
    assert_false(cli_exists(&box, "wrong.h5"));
  }
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_form_is_solved),
      cmocka_unit_test(routes_are_solved_with_their_loads),
      cmocka_unit_test(the_depot_may_be_any_stop),
      cmocka_unit_test(several_instances_come_in_one_file),
      cmocka_unit_test(solutions_are_printed_in_any_form),
      cmocka_unit_test(solutions_are_checked),
      cmocka_unit_test(a_missing_way_without_another_is_named),
      cmocka_unit_test(the_other_instances_of_a_file_are_solved),
      cmocka_unit_test(options_that_do_nothing_are_refused),
      cmocka_unit_test(every_form_becomes_a_dataset),
      cmocka_unit_test(a_dataset_costs_what_its_file_costs),
      cmocka_unit_test(wrong_imports_write_nothing),
  };
  return test_run(tests, set_up, tear_down);
}
