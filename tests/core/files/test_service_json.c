/* Tables of OSRM, OpenRouteService and Valhalla: right values, and what is refused where. */
#include "support/test.h"

#include "files/service_json.h"
#include "support/expect.h"
#include "support/stops_case.h"

static const char *const streets[STOPS] = {"Depot Street", "Ada Street",      "Bo Street",
                                           "Cleo Street",  "Day, Dee Street", "Eve Street"};

static edgefw_status read_any(edgefw_context *ctx, edgefw_arena *arena, const char *path,
                              edgefw__stop_table *out) {
  return edgefw__service_json_read(ctx, arena, path, EDGEFW__TABLE_ANY, out);
}

static edgefw__stop_table read_text(workspace *w, const char *text, edgefw__table_choice choice) {
  edgefw__stop_table table;
  const char *path = sandbox_write(&w->box, "t.json", text);
  expect_ok(w->ctx, edgefw__service_json_read(w->ctx, w->arena, path, choice, &table));
  return table;
}

static void every_service_gives_the_stops(void **state) {
  workspace *w = *state;
  edgefw__stop_table table;
  expect_ok(w->ctx, read_any(w->ctx, w->arena, STOPS_DATA "osrm.json", &table));
  stops_expect(&table, streets);
  expect_ok(w->ctx, read_any(w->ctx, w->arena, STOPS_DATA "ors.json", &table));
  stops_expect(&table, NULL);
  expect_ok(w->ctx, read_any(w->ctx, w->arena, STOPS_DATA "valhalla.json", &table));
  stops_expect(&table, NULL);
}

static void the_table_that_is_asked_for_is_taken(void **state) {
  workspace *w = *state;
  static const char both[] = "{\"durations\": [[0,1],[2,0]], \"distances\": [[0,10],[20,0]]}";
  assert_true(read_text(w, both, EDGEFW__TABLE_ANY).cost[2] == 2.0);
  assert_true(read_text(w, both, EDGEFW__TABLE_DURATIONS).cost[2] == 2.0);
  assert_true(read_text(w, both, EDGEFW__TABLE_DISTANCES).cost[2] == 20.0);
  static const char one[] = "{\"distances\": [[0,10],[20,0]], \"durations\": null}";
  assert_true(read_text(w, one, EDGEFW__TABLE_ANY).cost[2] == 20.0);
  static const char pairs[] =
      "{\"sources_to_targets\": [[{\"time\":0,\"distance\":0}, {\"time\":1,\"distance\":10}],"
      "[{\"time\":2,\"distance\":20}, {\"time\":0,\"distance\":0}]]}";
  assert_true(read_text(w, pairs, EDGEFW__TABLE_ANY).cost[2] == 2.0);
  assert_true(read_text(w, pairs, EDGEFW__TABLE_DISTANCES).cost[2] == 20.0);
  static const char concise[] = "{\"sources_to_targets\": {\"durations\": [[0,1],[2,0]]}}";
  assert_true(read_text(w, concise, EDGEFW__TABLE_ANY).cost[2] == 2.0);
  assert_true(read_text(w, "[[0,1],[2,0]]", EDGEFW__TABLE_ANY).cost[2] == 2.0);
  edgefw__stop_table table;
  const char *path = sandbox_write(&w->box, "t.json", "[[0,1],[2,0]]");
  expect_failure(w->ctx,
                 edgefw__service_json_read(w->ctx, w->arena, path, EDGEFW__TABLE_DISTANCES, &table),
                 EDGEFW_FORMAT, "t.json", "the file is an array", "durations or distances");
}

/* Streets that two stops share are no names. */
static void shared_names_are_left_out(void **state) {
  workspace *w = *state;
  static const char text[] = "{\"durations\": [[0,1],[2,0]],"
                             "\"sources\": [{\"name\": \"Long Lane\"}, {\"name\": \"Long Lane\"}]}";
  assert_null(read_text(w, text, EDGEFW__TABLE_ANY).names);
}

#define TABLE "\"durations\": [[0,1],[2,0]]"

static void faults_are_named_with_their_place(void **state) {
  static const stops_fault faults[] = {
      {"{}", EDGEFW_FORMAT, {"durations or distances (OSRM", "VROOM"}},
      {"5", EDGEFW_FORMAT, {"line 1"}},
      {"{\"code\": \"InvalidQuery\", \"message\": \"Query string\"}",
       EDGEFW_FORMAT,
       {"a refusal of the service", "InvalidQuery: Query string"}},
      {"{\"error\": {\"code\": 6004, \"message\": \"too many\"}}", EDGEFW_FORMAT, {"too many"}},
      {"{\"durations\": [[0,1],[-2,0]]}", EDGEFW_FORMAT, {"from stop 2 to stop 1", "-2"}},
      {"{\"durations\": [[0,1,2],[2,0,3]]}", EDGEFW_FORMAT, {"durations[0] is an array of 3"}},
      {"{\"durations\": [[0,1],[\"2\",0]]}", EDGEFW_FORMAT, {"durations[1][0] is '2'"}},
      {"{" TABLE ", \"sources\": [{}, {}, {}]}", EDGEFW_FORMAT, {"sources is an array of 3"}},
      {"{" TABLE ", \"sources\": [{\"location\":[1,2]}, {\"location\":[3,4]}],"
       "\"destinations\": [{\"location\":[1,2]}, {\"location\":[3,5]}]}",
       EDGEFW_MISMATCH,
       {"sources[1] and destinations[1]"}},
      {"{\"sources_to_targets\": [[{\"time\":0},{\"time\":1}],[{\"time\":\"2\"},{\"time\":0}]]}",
       EDGEFW_FORMAT,
       {"sources_to_targets[1][0].time is '2'"}},
      {"{\"sources_to_targets\": [[{\"time\":0},{\"time\":1}],[{\"time\":2}]]}",
       EDGEFW_FORMAT,
       {"sources_to_targets[1] is an array of 1"}},
      {"{\"sources_to_targets\": [[{\"time\":0},{\"time\":1}],[{},{\"time\":0}]]}",
       EDGEFW_FORMAT,
       {"sources_to_targets[1][0].time is missing"}},
      {"{\"sources_to_targets\": [[{\"time\":0,\"to_index\":1},{\"time\":1}],[{\"time\":2},"
       "{\"time\":0}]]}",
       EDGEFW_FORMAT,
       {"sources_to_targets[0][0].to_index is 1"}},
      {NULL, EDGEFW_OK, {NULL}}};
  stops_expect_faults(*state, "t.json", read_any, faults);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_service_gives_the_stops, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(the_table_that_is_asked_for_is_taken, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(shared_names_are_left_out, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(faults_are_named_with_their_place, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
