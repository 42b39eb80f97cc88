/* Running gnuplot: outcomes, and strings with quotes. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdlib.h>
#include <unistd.h>

#include "experiment/gnuplot.h"
#include "support/expect.h"
#include "support/sandbox.h"

typedef struct bench {
  edgefw_context *ctx;
  edgefw_arena *arena;
  sandbox box;
} bench;

static int set_up(void **state) {
  bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  assert_int_equal(edgefw_context_create(&b->ctx, NULL), EDGEFW_OK);
  expect_ok(b->ctx, edgefw_arena_create(b->ctx, &b->arena, "test", 1 << 12, true));
  sandbox_create(&b->box);
  *state = b;
  return 0;
}

static int tear_down(void **state) {
  bench *b = *state;
  sandbox_remove(&b->box);
  edgefw_arena_destroy(b->arena);
  edgefw_context_destroy(b->ctx);
  free(b);
  return 0;
}

/* A program called gnuplot that does what the test says, found first. */
static void fake(bench *b, const char *script) {
  const char *path = sandbox_write(&b->box, "bin/gnuplot", script);
  char *argv_path = edgefw_arena_format(b->arena, "%s:/usr/bin:/bin", sandbox_path(&b->box, "bin"));
  assert_int_equal(access(path, F_OK), 0);
  char *command = edgefw_arena_format(b->arena, "chmod +x %s", path);
  assert_int_equal(system(command), 0);
  assert_int_equal(setenv("PATH", argv_path, 1), 0);
}

static edgefw__gnuplot_outcome run(bench *b) {
  edgefw__gnuplot_outcome outcome = EDGEFW__GNUPLOT_FAILED;
  expect_ok(b->ctx, edgefw__gnuplot_run(b->ctx, b->arena, b->box.folder, "it's.gp", &outcome));
  return outcome;
}

static void outcomes_are_told_apart(void **state) {
  bench *b = *state;
  char *path = edgefw_arena_text(b->arena, getenv("PATH"));
  fake(b, "#!/bin/sh\nexit 0\n");
  assert_int_equal(run(b), EDGEFW__GNUPLOT_DONE);
  fake(b, "#!/bin/sh\necho noise; exit 1\n");
  assert_int_equal(run(b), EDGEFW__GNUPLOT_FAILED);
  assert_int_equal(setenv("PATH", "/none", 1), 0);
  assert_int_equal(run(b), EDGEFW__GNUPLOT_MISSING);
  assert_int_equal(setenv("PATH", path, 1), 0);
}

static void strings_are_quoted(void **state) {
  bench *b = *state;
  assert_string_equal(edgefw__gnuplot_string(b->arena, "it's"), "'it''s'");
  assert_string_equal(edgefw__gnuplot_string(b->arena, ""), "''");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(outcomes_are_told_apart, set_up, tear_down),
      cmocka_unit_test_setup_teardown(strings_are_quoted, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
