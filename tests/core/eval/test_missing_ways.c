/* Tours that use ways which are missing: a failure that names them. */
#include "support/test.h"

#include "eval/missing_ways.h"
#include "support/expect.h"
#include "support/workspace.h"

static const edgefw_field fields[] = {{.name = "cost", .shape = EDGEFW_FIELD_PAIR}, {.name = NULL}};
static const edgefw_problem closed = {.objective = "cost", .start = EDGEFW_START_EACH_NODE};
static const edgefw_problem routes = {.objective = "cost", .start = EDGEFW_START_EACH_CUSTOMER};
static const char *const names[] = {"a", "b", "c"};

/* From 0 to 1 and from 2 to 0 there is no way: 70 is the price. */
static double cost[] = {0, 70, 1, 2, 0, 3, 70, 4, 0};

static edgefw_status judge(workspace *w, const edgefw_problem *problem, const edgefw__stops *stops,
                           const int32_t *tour, int64_t steps, bool proven) {
  const edgefw__instance_set set = {.name = "t", .file = "t.csv", .count = 1, .stops = stops};
  const edgefw_instance instance = {.n = 3, .fields = fields, .data = {cost}, .forbidden = 70};
  return edgefw__missing_ways(w->ctx, &set, problem, &instance, tour, steps, proven);
}

static void ways_are_named_by_their_stops(void **state) {
  workspace *w = *state;
  static const int32_t bad[] = {0, 1, 2}, good[] = {0, 2, 1}, trip[] = {0, 1, 0, 2, 0, 0};
  const edgefw__stops named = {.names = names, .n = 3}, numbered = {.n = 3};
  const edgefw__stops moved = {.names = names, .n = 3, .depot = 2};
  expect_failure(w->ctx, judge(w, &closed, &named, bad, 3, true), EDGEFW_INFEASIBLE, "t.csv",
                 "no tour does without", "lacks 2 ways", "from 'a' to 'b', from 'c' to 'a'");
  expect_failure(w->ctx, judge(w, &closed, &numbered, bad, 3, false), EDGEFW_INFEASIBLE,
                 "there may be one", "from stop 1 to stop 2");
  expect_ok(w->ctx, judge(w, &closed, &named, good, 3, true));
  expect_ok(w->ctx, judge(w, &closed, NULL, bad, 3, true)); /* no file of stops */
  /* Node 0 is the third stop, nodes 1 and 2 the others. */
  expect_failure(w->ctx, judge(w, &routes, &moved, trip, 6, true), EDGEFW_INFEASIBLE,
                 "from 'c' to 'a'", "from 'b' to 'c'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(ways_are_named_by_their_stops, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
