/* JSON files: where they are no JSON, and where a value is another one than expected. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/json_file.h"
#include "support/expect.h"
#include "support/workspace.h"

static void what_is_no_json_is_refused_with_its_place(void **state) {
  workspace *w = *state;
  static const struct {
    const char *text, *words[3];
  } cases[] = {{"", {"line 1", "expected JSON"}},
               {"{\"a\": 1,\n}", {"line 2", "column 1"}},
               {"[1, 2", {"line 1"}},
               {"[NaN]", {"invalid token", "NaN"}},
               {"[1e999]", {"overflow"}},
               {"[99999999999999999999]", {"too big"}},
               {"{\"a\": 1, \"a\": 2}", {"duplicate", "a"}},
               {"[1] 2", {"end of file"}},
               {"[\"\xff\"]", {"decode byte"}}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    json_t *root = NULL;
    const char *path = sandbox_write(&w->box, "t.json", cases[k].text);
    const edgefw_status status = edgefw__json_file_read(w->ctx, path, &root);
    const char *words[] = {"t.json", cases[k].words[0], cases[k].words[1], cases[k].words[2], NULL};
    expect_failure_at(w->ctx, status, EDGEFW_FORMAT, words, __FILE__, __LINE__);
    assert_null(root);
  }
}

/* Nesting has an end, before the stack has. */
static void deep_nesting_is_refused(void **state) {
  workspace *w = *state;
  enum { DEPTH = 1000000 };
  char *text = malloc(DEPTH + 1);
  json_t *root = NULL;
  assert_non_null(text);
  memset(text, '[', DEPTH);
  text[DEPTH] = '\0';
  const char *path = sandbox_write(&w->box, "t.json", text);
  free(text);
  expect_failure(w->ctx, edgefw__json_file_read(w->ctx, path, &root), EDGEFW_FORMAT,
                 "maximum parsing depth");
}

static void a_square_is_read_with_null_for_no_way(void **state) {
  workspace *w = *state;
  const edgefw__json_place place = {.ctx = w->ctx, .path = "t.json", .where = "durations"};
  double *cost = NULL;
  int64_t n = 0;
  json_t *table = json_loads("[[0, 1.5], [null, 0]]", 0, NULL);
  expect_ok(w->ctx, edgefw__json_square(&place, w->arena, table, &n, &cost));
  json_decref(table);
  assert_int_equal(n, 2);
  assert_true(cost[1] == 1.5 && isinf(cost[2]));
}

static void a_wrong_square_is_named_by_its_place(void **state) {
  workspace *w = *state;
  const edgefw__json_place place = {.ctx = w->ctx, .path = "t.json", .where = "durations"};
  static const struct {
    const char *text, *words[2];
  } cases[] = {{"{}", {"durations is an object", "rows"}},
               {"[[0]]", {"durations is an array of 1", "2 to 50000 rows"}},
               {"[[0, 1], [2]]", {"durations[1] is an array of 1", "an array of 2"}},
               {"[[0, 1], 5]", {"durations[1] is 5", "an array of 2"}},
               {"[[0, 1], [\"x\", 0]]", {"durations[1][0] is 'x'", "a number or null"}},
               {"[[0, true], [1, 0]]", {"durations[0][1] is true", "a number or null"}}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    double *cost = NULL;
    int64_t n = 0;
    json_t *table = json_loads(cases[k].text, 0, NULL);
    assert_non_null(table);
    expect_failure(w->ctx, edgefw__json_square(&place, w->arena, table, &n, &cost), EDGEFW_FORMAT,
                   "t.json", cases[k].words[0], cases[k].words[1]);
    json_decref(table);
  }
}

static void numbers_have_bounds(void **state) {
  workspace *w = *state;
  const edgefw__json_place root = {.ctx = w->ctx, .path = "t.json"};
  const edgefw__json_place place = edgefw__json_member(&root, "index");
  json_t *three = json_integer(3), *text = json_string("3"), *less = json_real(-0.5);
  int64_t index = 0;
  double amount = 0.0;
  expect_ok(w->ctx, edgefw__json_index(&place, three, 4, &index));
  assert_int_equal(index, 3);
  expect_failure(w->ctx, edgefw__json_index(&place, three, 3, &index), EDGEFW_FORMAT, "index is 3",
                 "0 to 2");
  expect_failure(w->ctx, edgefw__json_index(&place, text, 4, &index), EDGEFW_FORMAT, "'3'");
  expect_failure(w->ctx, edgefw__json_index(&place, NULL, 4, &index), EDGEFW_FORMAT,
                 "index is missing");
  expect_ok(w->ctx, edgefw__json_amount(&place, three, &amount));
  assert_true(amount == 3.0);
  expect_failure(w->ctx, edgefw__json_amount(&place, less, &amount), EDGEFW_FORMAT, "-0.5");
  json_decref(three);
  json_decref(text);
  json_decref(less);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_is_no_json_is_refused_with_its_place, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(deep_nesting_is_refused, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_square_is_read_with_null_for_no_way, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(a_wrong_square_is_named_by_its_place, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(numbers_have_bounds, workspace_set_up, workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
