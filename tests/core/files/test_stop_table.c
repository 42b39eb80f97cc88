/* Stops by name and number, and what no table may hold. */
#include "support/test.h"

#include <math.h>

#include "files/stop_table.h"
#include "support/expect.h"
#include "support/workspace.h"

static void a_name_comes_before_a_number(void **state) {
  (void)state;
  const char *names[] = {"2", "1", "c"};
  const edgefw__stop_table named = {.n = 3, .names = names}, numbered = {.n = 3};
  assert_int_equal(edgefw__stop_table_find(&named, "2"), 0);
  assert_int_equal(edgefw__stop_table_find(&named, "c"), 2);
  assert_int_equal(edgefw__stop_table_find(&named, "3"), 2);
  assert_int_equal(edgefw__stop_table_find(&numbered, "2"), 1);
  assert_int_equal(edgefw__stop_table_find(&numbered, "0"), -1);
  assert_int_equal(edgefw__stop_table_find(&numbered, "4"), -1);
  assert_int_equal(edgefw__stop_table_find(&numbered, "c"), -1);
  /* Where names are numbers, a number that is none of them is a wrong name. */
  const char *numbers[] = {"10", "2", "30"};
  const edgefw__stop_table labelled = {.n = 3, .names = numbers};
  assert_int_equal(edgefw__stop_table_find(&labelled, "2"), 1);
  assert_int_equal(edgefw__stop_table_find(&labelled, "1"), -1);
  assert_false(edgefw__stop_table_takes_numbers(&labelled));
  assert_true(edgefw__stop_table_takes_numbers(&named));
}

static void names_are_different(void **state) {
  workspace *w = *state;
  const char *names[] = {"a", "b", "a"};
  edgefw__stop_table table = {.path = "t.csv", .n = 3, .names = names};
  expect_failure(w->ctx, edgefw__stop_table_check_names(w->ctx, &table, "the header"),
                 EDGEFW_FORMAT, "t.csv", "the header", "stop 1 and stop 3", "'a'");
  names[2] = "";
  expect_failure(w->ctx, edgefw__stop_table_check_names(w->ctx, &table, "the header"),
                 EDGEFW_FORMAT, "stop 3", "no name");
  names[2] = "c";
  expect_ok(w->ctx, edgefw__stop_table_check_names(w->ctx, &table, "the header"));
}

static void costs_are_none_or_at_least_0(void **state) {
  workspace *w = *state;
  double cost[] = {-7, 1, (double)NAN, 0, 0, 2, -3, 0};
  edgefw__stop_table table = {.path = "t.npy", .count = 2, .n = 2, .cost = cost};
  expect_failure(w->ctx, edgefw__stop_table_check_costs(w->ctx, &table), EDGEFW_FORMAT, "t.npy",
                 "from stop 2 to stop 1 in table 2", "-3");
  cost[6] = 3;
  expect_ok(w->ctx, edgefw__stop_table_check_costs(w->ctx, &table));
  assert_true(isinf(cost[2]) && cost[2] > 0);
  double points[] = {0, 1, 2e150, 3};
  edgefw__stop_table places = {.path = "t.csv", .count = 1, .n = 2, .points = points};
  expect_failure(w->ctx, edgefw__stop_table_check_costs(w->ctx, &places), EDGEFW_FORMAT, "t.csv",
                 "stop 2", "2e+150");
  table.n = 1;
  expect_failure(w->ctx, edgefw__stop_table_check_costs(w->ctx, &table), EDGEFW_MISMATCH,
                 "1 stop;");
  table.n = 50001;
  expect_failure(w->ctx, edgefw__stop_table_check_costs(w->ctx, &table), EDGEFW_MISMATCH, "50001");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_name_comes_before_a_number, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(names_are_different, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(costs_are_none_or_at_least_0, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
