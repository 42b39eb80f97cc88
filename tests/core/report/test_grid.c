/* Grids: alignment, wrapping, Markdown. */
#include "support/test.h"

#include "report/grid.h"
#include "support/workspace.h"
#include "support/expect.h"

static edgefw__grid sample(workspace *w) {
  static const char *const titles[] = {"Obj", "Gap"};
  edgefw__grid grid;
  expect_ok(w->ctx, edgefw__grid_create(w->ctx, w->arena, 2, 2, 2, &grid));
  grid.corner = "name";
  grid.titles = titles;
  grid.headings[0] = "first";
  grid.headings[1] = "a long heading";
  grid.labels[0] = "x|y";
  grid.labels[1] = "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"; /* five characters */
  *edgefw__grid_cell(&grid, 0, 0, 0) = "1.25";
  *edgefw__grid_cell(&grid, 1, 1, 1) = "10.00%";
  return grid;
}

static void columns_are_aligned(void **state) {
  workspace *w = *state;
  edgefw__text text = {.ctx = w->ctx};
  const edgefw__grid grid = sample(w);
  edgefw__grid_plain(&grid, 100, &text);
  assert_string_equal(edgefw__text_get(&text),
                      "            first   a long heading\n"
                      "name     Obj  Gap      Obj     Gap\n"
                      "----------------------------------\n"
                      "x|y     1.25    -        -       -\n"
                      "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9      -    -        -  10.00%\n");
  edgefw__text_release(&text);
}

static void what_is_too_wide_is_wrapped(void **state) {
  workspace *w = *state;
  edgefw__text text = {.ctx = w->ctx};
  const edgefw__grid grid = sample(w);
  edgefw__grid_plain(&grid, 33, &text);
  assert_string_equal(edgefw__text_get(&text),
                      "            first\n"
                      "name     Obj  Gap\n"
                      "-----------------\n"
                      "x|y     1.25    -\n"
                      "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9      -    -\n"
                      "\n"
                      "        a long heading\n"
                      "name       Obj     Gap\n"
                      "----------------------\n"
                      "x|y          -       -\n"
                      "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9        -  10.00%\n");
  edgefw__text_release(&text);
}

static void markdown_is_one_table(void **state) {
  workspace *w = *state;
  edgefw__text text = {.ctx = w->ctx};
  const edgefw__grid grid = sample(w);
  edgefw__grid_markdown(&grid, &text);
  assert_string_equal(edgefw__text_get(&text),
                      "| name | first: Obj | Gap | a long heading: Obj | Gap |\n"
                      "|---|---:|---:|---:|---:|\n"
                      "| x\\|y | 1.25 | - | - | - |\n"
                      "| \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9 | - | - | - | 10.00% |\n");
  edgefw__text_release(&text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(columns_are_aligned, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(what_is_too_wide_is_wrapped, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(markdown_is_one_table, workspace_set_up, workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
