/* Grids as tables of HTML. */
#include "support/test.h"

#include <string.h>

#include "report/grid_html.h"
#include "support/expect.h"
#include "support/html_check.h"
#include "support/workspace.h"

static const char *const titles[] = {"Obj", "Time"};

static edgefw__grid sample(const workspace *w, int groups) {
  edgefw__grid grid;
  expect_ok(w->ctx, edgefw__grid_create(w->ctx, w->arena, 3, groups, 2, &grid));
  grid.corner = "variant";
  grid.titles = titles;
  grid.labels[0] = "(reference)";
  grid.labels[1] = "a";
  grid.labels[2] = "<b>";
  for (int g = 0; g < groups; ++g) {
    grid.headings[g] = edgefw_arena_format(w->arena, "set %d", g);
    for (int r = 0; r < 3; ++r) {
      *edgefw__grid_cell(&grid, r, g, 0) = edgefw_arena_format(w->arena, "%d.5", r == 2 ? 9 : r);
      *edgefw__grid_cell(&grid, r, g, 1) = r ? "1 s" : NULL;
    }
  }
  return grid;
}

static void rows_are_rows(void **state) {
  const workspace *w = *state;
  const edgefw__grid grid = sample(w, 2);
  edgefw__text html = {.ctx = w->ctx};
  edgefw__grid_html(&grid, 1, &html);
  const char *text = edgefw__text_get(&html);
  assert_true(html_is_fine(text));
  assert_non_null(strstr(text, "<th scope=\"colgroup\" colspan=\"2\">set 1</th>"));
  /* The best of the variants is marked, which the reference is none of. */
  assert_non_null(strstr(text, "<tr><th scope=\"row\">a</th><td class=\"best\">1.5</td><td "
                               "class=\"time\">1 s</td><td class=\"best\">1.5</td>"));
  assert_non_null(strstr(text, "<th scope=\"row\">(reference)</th><td>0.5</td><td "
                               "class=\"time\">\xE2\x80\x93</td>"));
  assert_non_null(strstr(text, "<th scope=\"row\">&lt;b&gt;</th><td>9.5</td>"));
  edgefw__text_release(&html);
}

static void many_groups_become_rows(void **state) {
  const workspace *w = *state;
  const edgefw__grid grid = sample(w, 5);
  edgefw__text html = {.ctx = w->ctx};
  edgefw__grid_html(&grid, -1, &html);
  const char *text = edgefw__text_get(&html);
  assert_true(html_is_fine(text));
  assert_non_null(strstr(text, "<th scope=\"colgroup\" colspan=\"2\">&lt;b&gt;</th>"));
  assert_non_null(strstr(text, "<tr><th scope=\"row\">set 4</th><td>0.5</td><td class=\"time\">"
                               "\xE2\x80\x93</td><td>1.5</td>"));
  assert_null(strstr(text, "class=\"best\""));
  edgefw__text_release(&html);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(rows_are_rows, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(many_groups_become_rows, workspace_set_up,
                                      workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
