/* VROOM's problems: right values, and every member that makes another problem of one. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>

#include "files/service_json.h"
#include "files/vroom.h"
#include "support/expect.h"
#include "support/io_support.h"
#include "support/stops_case.h"

static edgefw_status read_any(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                              edgefw__stop_table *out) {
  return edgefw__service_json_read(ctx, arena, path, EDGEFW__TABLE_ANY, out);
}

/* A problem of two jobs, with members added to it, its vehicle, and its second job. */
static const char *problem(workspace *w, const char *root, const char *vehicle, const char *job) {
  return edgefw_arena_format(
      w->arena,
      "{\"vehicles\": [{\"id\": 1, \"start_index\": 2, \"end_index\": 2%s}],"
      " \"jobs\": [{\"id\": 7, \"location_index\": 0}, {\"id\": 9, \"location_index\": 1%s}],"
      " \"matrices\": {\"car\": {\"durations\": [[0,1,2],[3,0,4],[5,6,0]]}}%s}",
      vehicle, job, root);
}

static edgefw__stop_table read_text(workspace *w, const char *text, edgefw__table_choice choice) {
  edgefw__stop_table table;
  const char *path = sandbox_write(&w->box, "t.json", text);
  expect_ok(w->ctx, edgefw__service_json_read(w->ctx, w->arena, path, choice, &table));
  return table;
}

static void the_file_holds_the_stops(void **state) {
  workspace *w = *state;
  static const char *const ids[STOPS] = {"depot", "101", "102", "103", "104", "105"};
  edgefw__stop_table table;
  io_log log = {.warnings = 0};
  edgefw_set_log(w->ctx, io_collect, &log);
  expect_ok(w->ctx, read_any(w->ctx, w->arena, STOPS_DATA "vroom.json", &table));
  edgefw_set_log(w->ctx, NULL, NULL);
  stops_expect(&table, ids);
  assert_int_equal(table.depot, 0);
  assert_true(*table.capacity == 10.0);
  for (int i = 0; i < STOPS; ++i) assert_true(table.demand[i] == stops_demand[i]);
  assert_int_equal(log.warnings, 1); /* of the two vehicles */
}

/* The depot, location 2, comes first: from it to job 7 at location 0 it is 5. */
static void jobs_have_places_in_the_matrix(void **state) {
  workspace *w = *state;
  const edgefw__stop_table table = read_text(w, problem(w, "", "", ""), EDGEFW__TABLE_ANY);
  const double expected[] = {0, 5, 6, 2, 0, 1, 4, 3, 0};
  assert_int_equal(table.n, 3);
  for (int e = 0; e < 9; ++e) assert_true(table.cost[e] == expected[e]);
  assert_string_equal(table.names[2], "9");
  assert_null(table.demand);
  assert_null(table.capacity);
}

static void members_without_effect_are_passed_over(void **state) {
  workspace *w = *state;
  (void)read_text(w,
                  problem(w, ", \"shipments\": [], \"options\": {\"g\": true}",
                          ", \"skills\": [], \"speed_factor\": 1.0, \"breaks\": []",
                          ", \"service\": 300, \"priority\": 0, \"description\": \"x\", "
                          "\"location\": [13.7, 51.0], \"time_windows\": []"),
                  EDGEFW__TABLE_ANY);
}

static void pickups_are_demands_too(void **state) {
  workspace *w = *state;
  const edgefw__stop_table table =
      read_text(w, problem(w, "", ", \"capacity\": [5]", ", \"pickup\": [3]"), EDGEFW__TABLE_ANY);
  assert_true(table.demand[1] == 0.0 && table.demand[2] == 3.0);
}

static void what_makes_another_problem_is_named(void **state) {
  workspace *w = *state;
  static const struct {
    const char *root, *vehicle, *job, *place;
  } cases[] = {
      {"", "", ", \"time_windows\": [[0, 10]]", "jobs[1].time_windows"},
      {"", "", ", \"skills\": [1]", "jobs[1].skills"},
      {"", "", ", \"priority\": 5", "jobs[1].priority"},
      {"", "", ", \"delivery\": [1]", "jobs[1]"}, /* and the vehicle has no capacity */
      {"", ", \"capacity\": [5, 6]", "", "vehicles[0].capacity[1]"},
      {"", ", \"capacity\": [5]", ", \"delivery\": [1], \"pickup\": [1]", "jobs[1].pickup"},
      {"", ", \"capacity\": [5]", ", \"delivery\": [1, 2]", "jobs[1].delivery[1]"},
      {"", ", \"time_window\": [0, 10]", "", "vehicles[0].time_window"},
      {"", ", \"breaks\": [{\"id\": 1}]", "", "vehicles[0].breaks"},
      {"", ", \"max_tasks\": 4", "", "vehicles[0].max_tasks"},
      {"", ", \"max_travel_time\": 4", "", "vehicles[0].max_travel_time"},
      {"", ", \"costs\": {\"fixed\": 10}", "", "vehicles[0].costs"},
      {"", ", \"skills\": [1]", "", "vehicles[0].skills"},
      {", \"shipments\": [{}]", "", "", "shipments"},
      {"", "}, {\"id\": 2, \"start_index\": 1, \"end_index\": 1", "", "vehicles[1].start_index"},
      {"", "}, {\"id\": 2, \"start_index\": 2, \"end_index\": 2", "", "vehicles[1]"},
      {"", ", \"capacity\": [5]}, {\"id\": 2, \"start_index\": 2, \"end_index\": 2", "",
       "vehicles[1].capacity"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    edgefw__stop_table table;
    const char *text = problem(w, cases[k].root, cases[k].vehicle, cases[k].job);
    const char *path = sandbox_write(&w->box, "t.json", text);
    expect_failure(w->ctx, read_any(w->ctx, w->arena, path, &table), EDGEFW_UNSUPPORTED, "t.json",
                   cases[k].place, "another problem");
  }
}

#define MATRICES "\"matrices\": {\"car\": {\"durations\": [[0,1],[2,0]]}}"
#define VEHICLE  "\"vehicles\": [{\"id\": 1, \"start_index\": 0, \"end_index\": 0}]"
#define JOB      "\"jobs\": [{\"id\": 1, \"location_index\": 1}]"

static void faults_are_named_with_their_place(void **state) {
  static const stops_fault faults[] = {
      {"{" VEHICLE ", " JOB "}", EDGEFW_FORMAT, {"matrices is missing", "asks no service"}},
      {"{" VEHICLE ", " JOB ", \"matrices\": {\"bike\": {}}}",
       EDGEFW_FORMAT,
       {"matrices.car.durations is missing"}},
      {"{" VEHICLE ", " JOB ", \"matrices\": {\"car\": {\"durations\": [[0,-1],[2,0]]}}}",
       EDGEFW_FORMAT,
       {"from 'depot' to '1'", "-1"}},
      {"{" JOB ", " MATRICES "}", EDGEFW_FORMAT, {"vehicles is missing"}},
      {"{" VEHICLE ", " MATRICES "}", EDGEFW_FORMAT, {"jobs is missing"}},
      {"{" VEHICLE ", \"jobs\": [], " MATRICES "}", EDGEFW_FORMAT, {"jobs is an array of 0"}},
      {"{" VEHICLE ", \"jobs\": [5], " MATRICES "}", EDGEFW_FORMAT, {"jobs[0] is 5"}},
      {"{" VEHICLE ", \"jobs\": [{\"location_index\": 1}], " MATRICES "}",
       EDGEFW_FORMAT,
       {"jobs[0].id is missing"}},
      {"{" VEHICLE ", \"jobs\": [{\"id\": 1}], " MATRICES "}",
       EDGEFW_FORMAT,
       {"jobs[0].location_index is missing", "0 to 1"}},
      {"{" VEHICLE ", \"jobs\": [{\"id\": 1, \"location_index\": 2}], " MATRICES "}",
       EDGEFW_FORMAT,
       {"jobs[0].location_index is 2", "0 to 1"}},
      {"{" VEHICLE ", \"jobs\": [{\"id\": 1, \"location_index\": 1}, {\"id\": 1, "
       "\"location_index\": 1}], " MATRICES "}",
       EDGEFW_FORMAT,
       {"stop 2 and stop 3"}},
      {"{\"vehicles\": [{\"id\": 1, \"start_index\": 0}], " JOB ", " MATRICES "}",
       EDGEFW_UNSUPPORTED,
       {"vehicles[0].end_index", "missing"}},
      {"{\"vehicles\": [{\"id\": 1, \"start_index\": 0, \"end_index\": 1}], " JOB ", " MATRICES "}",
       EDGEFW_UNSUPPORTED,
       {"vehicles[0].end_index", "end where they start"}},
      {NULL, EDGEFW_OK, {NULL}}};
  stops_expect_faults(*state, "t.json", read_any, faults);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_file_holds_the_stops, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(jobs_have_places_in_the_matrix, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(members_without_effect_are_passed_over, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(pickups_are_demands_too, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(what_makes_another_problem_is_named, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(faults_are_named_with_their_place, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
