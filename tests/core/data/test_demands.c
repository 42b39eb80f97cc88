/* Demands from a list and from tables. */
#include "support/test.h"

#include "data/demands.h"
#include "support/expect.h"
#include "support/stops_case.h"

static const char *names[STOPS]; /* as a table has them */

static edgefw_status read(workspace *w, const char *text, bool named, int64_t depot, double *out) {
  for (int i = 0; i < STOPS; ++i) names[i] = stops_names[i];
  const edgefw__stop_table table = {.n = STOPS, .names = named ? names : NULL};
  return edgefw__demands_read(w->ctx, text, &table, depot, out);
}

static void every_form_gives_the_same(void **state) {
  workspace *w = *state;
  static const struct {
    const char *text; /* a list, or with a line end what is in a table */
    bool named;
  } cases[] = {{"0,4,3,5,2,6", false},
               {"4,3,5,2,6", false},
               {"0, 4, 3, 5, 2, 6", false},
               {"0\n4\n3\n5\n2\n6\n", false},
               {"demand\n4\n3\n5\n2\n6\n", false},
               {"0 4 3 5 2 6\n", false},
               {"2,4\n3,3\n6,6\n4,5\n5,2\n", false},
               {"stop;demand\n2;4\n3;3\n4;5\n5;2\n6;6,0\n", false},
               {"Depot,0\nBo,3\nAda,4\nCleo,5\n\"Day, Dee\",2\nEve,6\n", true}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    const bool table = k > 2;
    const char *text = table ? sandbox_write(&w->box, "d.csv", cases[k].text) : cases[k].text;
    double demand[STOPS] = {9, 9, 9, 9, 9, 9};
    expect_ok(w->ctx, read(w, text, cases[k].named, 0, demand));
    for (int i = 0; i < STOPS; ++i) assert_true(demand[i] == stops_demand[i]);
  }
  double demand[STOPS];
  expect_ok(w->ctx, read(w, STOPS_DATA "demands.csv", true, 0, demand));
  for (int i = 0; i < STOPS; ++i) assert_true(demand[i] == stops_demand[i]);
}

/* The numbers of the others go around it. */
static void the_depot_may_be_any_stop(void **state) {
  workspace *w = *state;
  static const double expected[STOPS] = {1, 2, 3, 0, 4, 5};
  double demand[STOPS];
  expect_ok(w->ctx, read(w, "1,2,3,4,5", false, 3, demand));
  for (int i = 0; i < STOPS; ++i) assert_true(demand[i] == expected[i]);
}

static void faults_are_named(void **state) {
  workspace *w = *state;
  double demand[STOPS];
  expect_failure(w->ctx, read(w, "1,2,3", false, 0, demand), EDGEFW_CONFIG, "--demands 1,2,3",
                 "found 3 numbers, expected 6", "5 without the depot's");
  expect_failure(w->ctx, read(w, "1,2,3,4,-5", false, 0, demand), EDGEFW_CONFIG, "number 5 is -5");
  expect_failure(w->ctx, read(w, "1,2,x", false, 0, demand), EDGEFW_IO, "'1,2,x'", "--demands");
  static const struct {
    const char *text, *words[2];
  } cases[] = {{"1\n2\n", {"found 2 numbers", "expected 6"}},
               {"1\n2\n3\n4\nx\n", {"d.csv:5: column 1", "'x'"}},
               {"1\n2\n3\n4\n-5\n", {"d.csv:5: column 1", "at least 0"}},
               {"1O\n4\n3\n5\n2\n6\n", {"d.csv:1: column 1", "'1O'"}},
               {"2,1O\n3,4\n", {"d.csv:1: column 2", "found '1O', expected a number"}},
               {"2,ten\n3,4\n", {"d.csv:1: column 2", "found 'ten', expected a number"}},
               {"2,4\n9,3\n", {"d.csv:2: column 1", "the number of a stop"}},
               {"2,4\n2,3\n", {"d.csv:2: column 1", "every stop once"}},
               {"2,4\n3\n", {"d.csv:2", "a stop and its demand"}},
               {"2,4\n3,inf\n", {"d.csv:2: column 2", "at least 0"}}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    expect_failure(w->ctx,
                   read(w, sandbox_write(&w->box, "d.csv", cases[k].text), false, 0, demand),
                   EDGEFW_FORMAT, "d.csv", cases[k].words[0], cases[k].words[1]);
}

/* The first line of a table that names its stops is no header because its number is wrong. */
static void a_stop_is_no_header(void **state) {
  workspace *w = *state;
  double demand[STOPS];
  expect_failure(w->ctx,
                 read(w, sandbox_write(&w->box, "d.csv", "Bo,1O\nAda,4\n"), true, 0, demand),
                 EDGEFW_FORMAT, "d.csv:1: column 2", "found '1O', expected a number");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_form_gives_the_same, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(the_depot_may_be_any_stop, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_stop_is_no_header, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(faults_are_named, workspace_set_up, workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
