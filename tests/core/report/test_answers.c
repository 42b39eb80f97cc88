/* Answers as people and scripts read them. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "report/answers.h"
#include "support/workspace.h"

static const edgefw_problem closed = {.start = EDGEFW_START_EACH_NODE},
                            routes = {.start = EDGEFW_START_EACH_CUSTOMER};
static const int32_t tour[] = {0, 2, 1}, trips[] = {0, 2, 0, 1};

/* The answer to "hand" in every format: a closed tour of 3 nodes without a reference, and two
 * routes of instance 4 of a dataset with one. */
static void expect_text(workspace *w, bool depot, edgefw__answer_format format,
                        const char *expected) {
  const edgefw__instance_set file = {.name = "hand",
                                     .n = 3,
                                     .size = 3,
                                     .count = 1,
                                     .file = "x.tsp"},
                             set = {.name = "ha,nd", .n = 3, .size = 2, .dataset = "y.h5"};
  const edgefw__eval_answer tourist = {.tour = tour,
                                       .count = 3,
                                       .cost = 45,
                                       .length = 45.123,
                                       .reference = (double)NAN,
                                       .gap_percent = (double)NAN,
                                       .seconds = 0.5,
                                       .origin = "nearest"},
                            driver = {.instance = 4,
                                      .tour = trips,
                                      .count = 4,
                                      .cost = 1.5,
                                      .length = (double)NAN,
                                      .reference = 2,
                                      .gap_percent = -25,
                                      .reference_kind = EDGEFW__REFERENCE_BEST_KNOWN,
                                      .seconds = 0.25,
                                      .origin = EDGEFW__ORIGIN_POLICY};
  edgefw__text text = {.ctx = w->ctx};
  edgefw__answers_header(format, &text);
  edgefw__answers_add(depot ? &routes : &closed, depot ? &set : &file, depot ? &driver : &tourist,
                      format, &text);
  assert_string_equal(edgefw__text_get(&text), expected);
  edgefw__text_release(&text);
}

static void people_read_a_line(void **state) {
  expect_text(*state, false, EDGEFW__ANSWER_PLAIN,
              "hand: n = 3, cost 45 (unrounded 45.12), from nearest, 0.50 s\n");
  expect_text(*state, true, EDGEFW__ANSWER_PLAIN,
              "ha,nd 4: 2 customers (3 nodes), 2 routes, cost 1.5, reference 2, gap to best "
              "known -25.00 %, from the policy, 0.25 s\n");
}

static void scripts_read_json(void **state) {
  expect_text(*state, false, EDGEFW__ANSWER_JSON,
              "{\"name\": \"hand\", \"file\": \"x.tsp\", \"instance\": 0, \"n\": 3, \"cost\": 45, "
              "\"length\": 45.123, \"reference\": null, \"gap_percent\": null, "
              "\"reference_kind\": null, \"seconds\": 0.5, \"origin\": \"nearest\", "
              "\"tour\": [1, 3, 2]}\n");
  expect_text(*state, true, EDGEFW__ANSWER_JSON,
              "{\"name\": \"ha,nd\", \"file\": \"y.h5\", \"instance\": 4, \"n\": 3, \"cost\": 1.5, "
              "\"length\": null, \"reference\": 2, \"gap_percent\": -25, "
              "\"reference_kind\": \"best known\", \"seconds\": 0.25, \"origin\": \"policy\", "
              "\"tour\": [0, 2, 0, 1]}\n");
}

static void tables_are_csv(void **state) {
  expect_text(*state, false, EDGEFW__ANSWER_CSV,
              "set,instance,n,cost,length,reference,gap_percent,seconds,forbidden_arcs,"
              "reference_kind,origin\n"
              "hand,0,3,45,45.123,,,0.5,0,,nearest\n");
  expect_text(*state, true, EDGEFW__ANSWER_CSV,
              "set,instance,n,cost,length,reference,gap_percent,seconds,forbidden_arcs,"
              "reference_kind,origin\n"
              "\"ha,nd\",4,3,1.5,,2,-25,0.25,0,best known,policy\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(people_read_a_line, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(scripts_read_json, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(tables_are_csv, workspace_set_up, workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
