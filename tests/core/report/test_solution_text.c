/* Solutions in every form, with the names of stops. */
#include "support/test.h"

#include <string.h>

#include "report/solution_text.h"
#include "support/expect.h"
#include "support/workspace.h"

static const edgefw_problem closed = {.start = EDGEFW_START_EACH_NODE,
                                      .solution = EDGEFW_SOLUTION_TOUR};
static const edgefw_problem routes = {.start = EDGEFW_START_EACH_CUSTOMER,
                                      .solution = EDGEFW_SOLUTION_ROUTES};
static const char *const names[] = {"a,b", "c", "d"};

static void expect_text(workspace *w, const edgefw_problem *problem,
                        const edgefw__instance_set *set, const edgefw__eval_answer *answer,
                        edgefw__solution_form form, const char *expected) {
  edgefw__text text = {.ctx = w->ctx};
  edgefw__solution_text_header(form, &text);
  edgefw__solution_text_add(problem, set, answer, form, &text);
  assert_string_equal(edgefw__text_get(&text), expected);
  edgefw__text_release(&text);
}

static void stops_have_their_names(void **state) {
  workspace *w = *state;
  static const int32_t tour[] = {2, 0, 1}, trips[] = {0, 2, 0, 1};
  const edgefw__stops stops = {.names = names, .n = 3, .depot = 1};
  const edgefw__instance_set set = {
      .name = "s", .n = 3, .count = 1, .file = "s.csv", .stops = &stops};
  const edgefw__eval_answer tourist = {.tour = tour, .count = 3, .cost = 4.5};
  const edgefw__eval_answer driver = {.tour = trips, .count = 4, .cost = 0.1};
  expect_text(w, &closed, &set, &tourist, EDGEFW__SOLUTION_CSV,
              "set,instance,route,position,stop,name\n"
              "s,0,1,1,3,d\ns,0,1,2,1,\"a,b\"\ns,0,1,3,2,c\n");
  /* The depot, node 0, is the second stop: node 1 is the first, node 2 the third. */
  expect_text(w, &routes, &set, &driver, EDGEFW__SOLUTION_CSV,
              "set,instance,route,position,stop,name\ns,0,1,1,3,d\ns,0,2,1,1,\"a,b\"\n");
  expect_text(w, &closed, &set, &tourist, EDGEFW__SOLUTION_TOUR,
              "NAME : s.tour\nCOMMENT : cost 4.5\nTYPE : TOUR\nDIMENSION : 3\nTOUR_SECTION\n"
              "3\n1\n2\n-1\nEOF\n");
  expect_text(w, &routes, &set, &driver, EDGEFW__SOLUTION_SOL,
              "Route #1: 2\nRoute #2: 1\nCost 0.1\n");
  edgefw__text text = {.ctx = w->ctx};
  edgefw__solution_text_add(&routes, &set, &driver, EDGEFW__SOLUTION_JSON, &text);
  assert_non_null(strstr(edgefw__text_get(&text),
                         "\"tour\": [0, 2, 0, 1], \"stops\": [\"c\", \"d\", \"c\", \"a,b\"]}"));
  edgefw__text_release(&text);
}

static void other_files_have_numbers(void **state) {
  workspace *w = *state;
  static const int32_t tour[] = {0, 2, 1}, trips[] = {0, 2, 0, 1};
  const edgefw__instance_set set = {.name = "s", .n = 3, .count = 9, .dataset = "s.h5"};
  const edgefw__eval_answer tourist = {.instance = 7, .tour = tour, .count = 3, .cost = 4};
  const edgefw__eval_answer driver = {.instance = 7, .tour = trips, .count = 4, .cost = 4};
  expect_text(w, &closed, &set, &tourist, EDGEFW__SOLUTION_CSV,
              "set,instance,route,position,stop,name\ns,7,1,1,1,\ns,7,1,2,3,\ns,7,1,3,2,\n");
  expect_text(w, &routes, &set, &driver, EDGEFW__SOLUTION_CSV,
              "set,instance,route,position,stop,name\ns,7,1,1,2,\ns,7,2,1,1,\n");
  expect_text(w, &closed, &set, &tourist, EDGEFW__SOLUTION_TOUR,
              "NAME : s-7.tour\nCOMMENT : cost 4\nTYPE : TOUR\nDIMENSION : 3\nTOUR_SECTION\n"
              "1\n3\n2\n-1\nEOF\n");
}

static void a_form_fits_the_problem(void **state) {
  workspace *w = *state;
  edgefw__solution_form form = EDGEFW__SOLUTION_JSON;
  expect_ok(w->ctx, edgefw__solution_form_parse(w->ctx, "tour", &closed, &form));
  assert_int_equal(form, EDGEFW__SOLUTION_TOUR);
  expect_ok(w->ctx, edgefw__solution_form_parse(w->ctx, "csv", &routes, &form));
  assert_int_equal(form, EDGEFW__SOLUTION_CSV);
  expect_failure(w->ctx, edgefw__solution_form_parse(w->ctx, "sol", &closed, &form), EDGEFW_CONFIG,
                 "--format sol", "closed tours", "expected tour");
  expect_failure(w->ctx, edgefw__solution_form_parse(w->ctx, "tour", &routes, &form), EDGEFW_CONFIG,
                 "--format tour", "routes", "expected sol");
  expect_failure(w->ctx, edgefw__solution_form_parse(w->ctx, "xml", &closed, &form), EDGEFW_CONFIG,
                 "--format 'xml'", "tour, sol, json or csv");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(stops_have_their_names, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(other_files_have_numbers, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_form_fits_the_problem, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
