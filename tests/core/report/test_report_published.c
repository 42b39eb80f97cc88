/* Reported rows: grouped by method and set, kept in order. */
#include "support/test.h"

#include <string.h>

#include "report/report_published.h"
#include "support/workspace.h"
#include "support/expect.h"

#define HEADER "method,set,size,obj,gap_percent,time_minutes,note\n"

static edgefw_status read(workspace *w, const char *text, edgefw__published *published) {
  return edgefw__published_read(w->ctx, w->arena, sandbox_write(&w->box, "p.csv", text), published);
}

static void rows_become_a_grid(void **state) {
  workspace *w = *state;
  edgefw__published published;
  edgefw__text text = {.ctx = w->ctx};
  expect_ok(w->ctx, read(w,
                         HEADER "B,atsp,100,1.5,0.7,0.04,scaled\nB,atsp,200,1.6,,0.1,scaled\n"
                                "A,atsp,200,1.4,0.1,2,\nA,x,<=9,,,,\n",
                         &published));
  assert_int_equal(published.grid.rows, 2);
  assert_int_equal(published.grid.groups, 3);
  assert_string_equal(published.grid.labels[0], "B");
  assert_string_equal(published.grid.headings[1], "ATSP-200");
  assert_string_equal(published.grid.headings[2], "X <=9");
  assert_string_equal(*edgefw__grid_cell(&published.grid, 0, 0, 1), "0.70%");
  assert_null(*edgefw__grid_cell(&published.grid, 0, 1, 1));
  assert_null(*edgefw__grid_cell(&published.grid, 1, 0, 0));
  edgefw__published_notes(&published, &text);
  assert_string_equal(edgefw__text_get(&text), "\nNotes:\n\n- B: scaled\n");
  edgefw__text_release(&text);
}

static void damage_is_named(void **state) {
  workspace *w = *state;
  edgefw__published published;
  expect_failure(w->ctx, read(w, "method,set\nA,atsp\n", &published), EDGEFW_FORMAT, "'size'");
  expect_failure(w->ctx, read(w, HEADER "A,atsp,100,good,,,\n", &published), EDGEFW_FORMAT,
                 "p.csv:2", "column obj", "'good'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(rows_become_a_grid, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(damage_is_named, workspace_set_up, workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
