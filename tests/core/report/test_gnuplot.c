/* Running gnuplot: outcomes, and strings with quotes. */
#include "support/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "report/gnuplot.h"
#include "support/workspace.h"
#include "support/expect.h"

/* A program called gnuplot that does what the test says, found first. */
static void fake(workspace *w, const char *script) {
  const char *path = sandbox_write(&w->box, "bin/gnuplot", script);
  char *argv_path = edgefw_arena_format(w->arena, "%s:/usr/bin:/bin", sandbox_path(&w->box, "bin"));
  assert_int_equal(access(path, F_OK), 0);
  char *command = edgefw_arena_format(w->arena, "chmod +x %s", path);
  assert_int_equal(system(command), 0);
  assert_int_equal(setenv("PATH", argv_path, 1), 0);
}

static edgefw__gnuplot_outcome run(workspace *w) {
  edgefw__gnuplot_outcome outcome = EDGEFW__GNUPLOT_FAILED;
  expect_ok(w->ctx, edgefw__gnuplot_run(w->ctx, w->arena, w->box.folder, "it's.gp", &outcome));
  return outcome;
}

static void outcomes_are_told_apart(void **state) {
  workspace *w = *state;
  char *path = edgefw_arena_text(w->arena, getenv("PATH"));
  fake(w, "#!/bin/sh\nexit 0\n");
  assert_int_equal(run(w), EDGEFW__GNUPLOT_DONE);
  fake(w, "#!/bin/sh\necho noise; exit 1\n");
  assert_int_equal(run(w), EDGEFW__GNUPLOT_FAILED);
  assert_int_equal(setenv("PATH", "/none", 1), 0);
  assert_int_equal(run(w), EDGEFW__GNUPLOT_MISSING);
  assert_int_equal(setenv("PATH", path, 1), 0);
}

/* A name is a file's, even if gnuplot would take it for a command of the shell. */
static void names_are_no_commands(void **state) {
  workspace *w = *state;
  edgefw__gnuplot_outcome outcome;
  if (system("command -v gnuplot >/dev/null 2>&1") != 0) return;
  sandbox_write(&w->box, "<touch pwned;.gp", "set print 'loaded'; print 'x'\n");
  expect_ok(w->ctx,
            edgefw__gnuplot_run(w->ctx, w->arena, w->box.folder, "<touch pwned;.gp", &outcome));
  assert_int_equal(access(sandbox_path(&w->box, "loaded"), F_OK), 0);
  assert_int_not_equal(access(sandbox_path(&w->box, "pwned"), F_OK), 0);
  assert_int_equal(outcome, EDGEFW__GNUPLOT_DONE);
}

static void strings_are_quoted(void **state) {
  workspace *w = *state;
  assert_string_equal(edgefw__gnuplot_string(w->arena, "it's"), "'it''s'");
  assert_string_equal(edgefw__gnuplot_string(w->arena, ""), "''");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(outcomes_are_told_apart, workspace_set_up,
                                      workspace_tear_down),
      cmocka_unit_test_setup_teardown(names_are_no_commands, workspace_set_up, workspace_tear_down),
      cmocka_unit_test_setup_teardown(strings_are_quoted, workspace_set_up, workspace_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
