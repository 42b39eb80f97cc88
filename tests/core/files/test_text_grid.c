/* Lines of cells: which separator, and numbers with their place. */
#include "support/test.h"

#include <math.h>

#include "files/text_grid.h"
#include "support/expect.h"
#include "support/workspace.h"

static void the_first_line_tells_the_separator(void **state) {
  workspace *w = *state;
  static const struct {
    const char *text;
    char separator;
    int64_t cells;
  } cases[] = {{"a,b\n", ',', 2},       {"1,5;2\n", ';', 2},   {"1,5\t\t2\n", '\t', 3},
               {"\"a;b\",c\n", ',', 2}, {"1  2 3 \n", ' ', 3}, {"# a;b\n\n1,2,3\n", ',', 3},
               {"word\n", ' ', 1}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
    edgefw__text_grid grid;
    const char *path = sandbox_write(&w->box, "t.txt", cases[k].text);
    expect_ok(w->ctx, edgefw__text_grid_read(w->ctx, path, &grid));
    assert_int_equal(grid.separator, cases[k].separator);
    assert_int_equal(grid.count, 1);
    assert_int_equal(grid.rows[0].count, cases[k].cells);
    edgefw__text_grid_close(&grid);
  }
}

static void numbers_have_a_place(void **state) {
  workspace *w = *state;
  edgefw__text_grid grid;
  double value = 0.0;
  const char *path = sandbox_write(&w->box, "t.txt", "\n1 nan\nx -2e1\n");
  expect_ok(w->ctx, edgefw__text_grid_read(w->ctx, path, &grid));
  expect_ok(w->ctx, edgefw__text_grid_number(&grid, 0, 1, &value));
  assert_true(isinf(value));
  expect_ok(w->ctx, edgefw__text_grid_number(&grid, 1, 1, &value));
  assert_true(value == -20.0);
  expect_failure(w->ctx, edgefw__text_grid_number(&grid, 1, 0, &value), EDGEFW_FORMAT, "t.txt:3",
                 "column 1", "'x'", "expected a number");
  edgefw__text_grid_close(&grid);
}

static void names_are_words_or_count_up(void **state) {
  workspace *w = *state;
  edgefw__text_grid grid;
  const char *path = sandbox_write(&w->box, "t.csv", "a,b,c\n0,1,2\n1,x,\n");
  expect_ok(w->ctx, edgefw__text_grid_read(w->ctx, path, &grid));
  assert_true(edgefw__text_grid_are_words(&grid, EDGEFW__FIRST_LINE, 0, 3));
  assert_false(edgefw__text_grid_are_words(&grid, EDGEFW__FIRST_COLUMN, 0, 3));
  assert_false(edgefw__text_grid_are_words(&grid, EDGEFW__FIRST_LINE, 0, 0));
  assert_true(edgefw__text_grid_count_up(&grid, EDGEFW__FIRST_COLUMN, 1, 2));
  assert_false(edgefw__text_grid_count_up(&grid, EDGEFW__FIRST_COLUMN, 0, 3));
  edgefw__text_grid_close(&grid);
}

static void what_is_no_text_is_refused(void **state) {
  workspace *w = *state;
  edgefw__text_grid grid;
  expect_failure(w->ctx, edgefw__text_grid_read(w->ctx, "/none/t.csv", &grid), EDGEFW_IO,
                 "/none/t.csv");
  edgefw__text_grid_close(&grid);
  const char *path = sandbox_write_bytes(&w->box, "t.csv", "1\0002", 3);
  expect_failure(w->ctx, edgefw__text_grid_read(w->ctx, path, &grid), EDGEFW_FORMAT,
                 "not a text file");
  edgefw__text_grid_close(&grid);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_first_line_tells_the_separator, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(numbers_have_a_place, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(names_are_words_or_count_up, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(what_is_no_text_is_refused, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
