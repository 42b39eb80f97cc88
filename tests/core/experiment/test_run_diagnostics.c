/* Diagnostics of a run: done once, made again when model or keys change, asked of a finished run
 * without training anew, refused where they have no meaning. needs plugins: atsp tsp radar */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "support/cli.h"

#define SMALL                                                                                      \
  "[train]\nsize = 6\nepochs = 1\ninstances_per_epoch = 8\nbatch = 4\n"                            \
  "[eval]\nsizes = 6\ninstances = 4\n"
#define ASKED SMALL "[diagnostics]\nstates = 5\nsizes = 5, 6\n"

/* The cell of a column in the row of a variant, size and diagnostic; to be freed. */
static char *cell(const sandbox *box, const char *key, int column) {
  char *text = cli_read(box, "run/diagnostics.csv");
  assert_non_null(text);
  const char *row = strstr(text, key);
  if (!row) fail_msg("no row '%s' in:\n%s", key, text);
  for (int c = 0; c < column; ++c) row = strchr(row, ',') + 1;
  char *out = strndup(row, strcspn(row, ",\n"));
  free(text);
  return out;
}

static void finished_sizes_are_passed_over(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, ASKED);
  cli_expect(box, "run tiny.ini --out run", 0, "diagnostics of the directed transition",
             "plain: diagnostics of size 5, 5 states: current");
  char *first = cli_snapshot(box, "run");
  cli_expect(box, "run tiny.ini --out run", 0, "Current SignAcc", "nothing to do");
  cli_expect_same(first, cli_snapshot(box, "run"));
  assert_true(cli_exists(box, "run/plots/diagnostics.csv"));
  char *table = cli_read(box, "run/table.md");
  assert_non_null(strstr(table, "## tiny: diagnostics of the directed transition"));
  free(table);
}

/* What is asked may change without training anew; config.ini says what was asked last. */
static void other_keys_make_rows_again(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, SMALL);
  cli_expect(box, "run tiny.ini --out run", 0, NULL, NULL);
  assert_false(cli_exists(box, "run/diagnostics.csv"));
  cli_expect(box, "run tiny.ini --out run --set diagnostics.states=4", 0, "4 decoding states",
             "diagnostics of size 6, 4 states");
  char *config = cli_read(box, "run/config.ini");
  assert_non_null(strstr(config, "[diagnostics]\nstates = 4\n"));
  free(config);
  char *before = cell(box, "plain,6,current", 11);
  cli_expect(box,
             "run tiny.ini --out run --set diagnostics.states=4 --set diagnostics.perturbation=0.5",
             0, "by 0.5 mean arcs", "plain: diagnostics of size 6 are made again");
  char *after = cell(box, "plain,6,current", 11);
  assert_string_not_equal(before, after);
  free(before);
  free(after);
  /* Rows of other keys are not shown beside those in force. */
  cli_expect(box, "run tiny.ini --out run --variant plain --set diagnostics.states=3", 0,
             "3 decoding states", "plain: diagnostics of size 6 are made again");
  char *table = cli_read(box, "run/table.md");
  assert_non_null(strstr(table, "| 6 plain |"));
  assert_null(strstr(table, "| 6 terms |"));
  free(table);
  cli_expect(box, "run tiny.ini --out run", 0, NULL, NULL);
  config = cli_read(box, "run/config.ini");
  assert_null(strstr(config, "[diagnostics]"));
  free(config);
}

/* The parameters that a row is of. */
static void another_model_makes_rows_again(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, ASKED);
  cli_expect(box, "run tiny.ini --out run", 0, NULL, NULL);
  char *model = cell(box, "plain,5,current", 21), *csv = cli_read(box, "run/diagnostics.csv");
  for (char *at = csv; (at = strstr(at, model)); ++at) *at = *at == '0' ? '1' : '0';
  sandbox_write(box, "run/diagnostics.csv", csv);
  cli_expect(box, "run tiny.ini --out run", 0, NULL, "plain: diagnostics of size 5 are made again");
  char *again = cell(box, "plain,5,current", 21);
  assert_string_equal(again, model);
  free(model);
  free(again);
  free(csv);
}

static void the_step_can_be_done_alone(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, ASKED);
  cli_expect(box, "run tiny.ini --out run --only train", 0, NULL, NULL);
  assert_false(cli_exists(box, "run/diagnostics.csv"));
  cli_expect(box, "run tiny.ini --out run --only diagnostics", 0, "Current SignAcc", NULL);
  assert_false(cli_exists(box, "run/results.csv"));
  cli_expect(box, "run tiny.ini --out run --only eval", 0, "Current SignAcc", "set 6");
  cli_expect(box, "run tiny.ini --only diagnose", 2, NULL,
             "the steps are train, eval and diagnostics");
}

static void a_dry_run_shows_it(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, ASKED);
  cli_expect(box, "run tiny.ini --dry-run", 0, "diagnostics 5", NULL);
  cli_expect(box, "run tiny.ini --dry-run", 0, "[diagnostics]\nstates = 5\n", NULL);
}

/* Distances between points cannot change one by one. */
static void points_are_refused_at_once(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, ASKED);
  cli_expect(box, "run tiny.ini --out run --dry-run --set problem.name=tsp", 2, NULL,
             "the costs of problem 'tsp' are distances between points");
  cli_expect(box, "run tiny.ini --out run --set problem.name=tsp", 2, NULL, "diagnostics.states");
  assert_false(cli_exists(box, "run"));
}

static void damaged_rows_are_refused(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, ASKED);
  cli_expect(box, "run tiny.ini --out run", 0, NULL, NULL);
  sandbox_write(box, "run/diagnostics.csv", "variant,size\nplain,5\n");
  cli_expect(box, "run tiny.ini --out run", 1, NULL, "remove the file to have its diagnostics");
}

/* All files of the diagnostics are the run's own. */
static void a_fresh_run_removes_them(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, ASKED);
  cli_expect(box, "run tiny.ini --out run", 0, NULL, NULL);
  cli_write_config(box, SMALL);
  cli_expect(box, "run tiny.ini --out run --fresh", 0, NULL, NULL);
  assert_false(cli_exists(box, "run/diagnostics.csv"));
  assert_false(cli_exists(box, "run/plots/diagnostics.csv"));
  assert_false(cli_exists(box, "run/plots/diagnostics.gp"));
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, sandbox_set_up, sandbox_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      EACH(finished_sizes_are_passed_over),
      EACH(other_keys_make_rows_again),
      EACH(another_model_makes_rows_again),
      EACH(the_step_can_be_done_alone),
      EACH(a_dry_run_shows_it),
      EACH(points_are_refused_at_once),
      EACH(damaged_rows_are_refused),
      EACH(a_fresh_run_removes_them),
  };
  return test_run(tests, NULL, NULL);
}
