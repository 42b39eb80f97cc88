/* The best and the worst solution of each library set of a run are drawn.
 * labels: e2e
 * needs plugins: atsp radar */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiment/run_tours.h"
#include "support/cli.h"

static char path[4096]; /* $PATH of the test */

/* Three nodes and the costs between them, the same both ways: all tours cost the same. */
static void write_instance(const sandbox *box, const char *folder, const char *name, int a, int b,
                           int c) {
  char text[400], file[320];
  snprintf(text, sizeof text,
           "NAME: %s\nTYPE: ATSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
           "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 %d %d\n%d 0 %d\n%d %d 0\n",
           name, a, b, a, c, b, c);
  snprintf(file, sizeof file, "%s/%s.atsp", folder, name);
  sandbox_write(box, file, text);
}

/* Two folders called alike, and a file alone. No gnuplot is found: figures are data. */
static int set_up(void **state) {
  if (sandbox_set_up(state) != 0) return -1;
  const sandbox *box = *state;
  snprintf(path, sizeof path, "%s", getenv("PATH"));
  setenv("PATH", box->folder, 1);
  write_instance(box, "lib", "even", 1, 1, 1);
  write_instance(box, "lib", "odd", 1, 1, 9);
  write_instance(box, "lib", "mean", 1, 2, 3);
  write_instance(box, "x/lib", "alone", 4, 5, 6);
  return 0;
}

static int tear_down(void **state) {
  setenv("PATH", path, 1);
  return sandbox_tear_down(state);
}

static void write_config(const sandbox *box, const char *more) {
  char text[600];
  snprintf(text, sizeof text,
           "[train]\nsize = 5\nepochs = 1\ninstances_per_epoch = 2\nbatch = 2\n"
           "[eval]\nsizes =\nfiles = lib, x/lib\n%s",
           more);
  cli_write_config(box, text);
}

static void expect_title(const sandbox *box, const char *figure, const char *title) {
  char name[96];
  snprintf(name, sizeof name, "run/plots/%s.gp", figure);
  char *text = cli_read(box, name);
  if (!text) fail_msg("there is no %s", name);
  if (!strstr(text, title)) fail_msg("%s lacks %s:\n%s", name, title, text);
  free(text);
}

static void solutions_are_ranked_by_gap(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "optima.csv", "set,name,n,optimum\nx,even,3,2\nx,mean,3,5\n");
  write_config(box, "[data]\noptima = optima.csv\n");
  cli_expect(box, "run tiny.ini --out run", 0, NULL, "tours: gnuplot is not installed");
  expect_title(box, "tour-plain-lib-best",
               "plain, best of lib: mean: n = 3, cost 6, gap to best known 20.00 %");
  expect_title(box, "tour-plain-lib-worst",
               "plain, worst of lib: even: n = 3, cost 3, gap to best known 50.00 %");
  expect_title(box, "tour-terms-lib-worst", "terms, worst of lib: even");
  expect_title(box, "tour-plain-lib-2-best", "plain, best of lib: alone: n = 3, cost 15");
  assert_false(cli_exists(box, "run/plots/tour-plain-lib-2-worst.csv")); /* there is one file */
  char *text = cli_read(box, "run/results/plain-solutions.csv");
  assert_non_null(text);
  assert_non_null(strstr(text, "instance,model,inputs,nodes\neven,"));
  free(text);
}

/* Without best known costs they are ranked by cost over the sum of cheapest arcs: 3/3, 11/3, 6/4.
 */
static void solutions_without_gap_are_ranked_by_a_bound(void **state) {
  const sandbox *box = *state;
  write_config(box, "");
  cli_expect(box, "run tiny.ini --out run", 0, NULL, NULL);
  expect_title(box, "tour-plain-lib-best", "plain, best of lib: even: n = 3, cost 3'");
  expect_title(box, "tour-plain-lib-worst", "plain, worst of lib: odd: n = 3, cost 11'");
}

/* A second run does nothing, and what is missing is made again, from what is kept. */
static void nothing_is_done_twice(void **state) {
  const sandbox *box = *state;
  write_config(box, "");
  cli_expect(box, "run tiny.ini --out run", 0, NULL, NULL);
  cli_expect(box, "run tiny.ini --out run", 0, NULL, "nothing to do");
  char *before = cli_snapshot(box, "run");
  assert_int_equal(unlink(sandbox_path(box, "run/plots/tour-plain-lib-best.csv")), 0);
  cli_result again = cli_do(box, "run tiny.ini --out run");
  assert_int_equal(again.status, 0);
  assert_null(strstr(again.err, "set even"));
  cli_free(&again);
  cli_expect_same(before, cli_snapshot(box, "run"));
  before = cli_results(box, "run");
  assert_int_equal(unlink(sandbox_path(box, "run/results/plain-solutions.csv")), 0);
  cli_expect(box, "run tiny.ini --out run", 0, NULL, "plain: set even");
  assert_true(cli_exists(box, "run/results/plain-solutions.csv"));
  cli_expect_same(before, cli_results(box, "run"));
  cli_expect(box, "run tiny.ini --out run --fresh", 0, NULL, NULL);
  cli_expect(box, "run tiny.ini --out run", 0, NULL, "nothing to do");
}

/* Somebody has changed the table: what does not check is not drawn, and the run goes on. */
static void changed_solutions_are_not_drawn(void **state) {
  const sandbox *box = *state;
  write_config(box, "");
  cli_expect(box, "run tiny.ini --out run", 0, NULL, NULL);
  char *text = cli_read(box, "run/results/plain-solutions.csv");
  char *line = text ? strstr(text, "even,") : NULL;
  assert_non_null(line);
  char *nodes = line + strcspn(line, "\n") - 5; /* of "0 1 2" */
  nodes[4] = nodes[2];
  sandbox_write(box, "run/results/plain-solutions.csv", text);
  free(text);
  cli_expect(box, "run tiny.ini --out run", 0, NULL, "plain: no figure of even:");
}

/* Whatever a folder is called, figures can be written. */
static void names_of_folders_are_tamed(void **state) {
  const sandbox *box = *state;
  char folder[260] = "it's \"a\" \xc3\xa9 ", config[400], name[200];
  memset(folder + strlen(folder), 'x', 150);
  write_instance(box, folder, "even", 1, 1, 1);
  snprintf(config, sizeof config,
           "[train]\nsize = 5\nepochs = 1\ninstances_per_epoch = 2\nbatch = 2\n"
           "[eval]\nsizes =\nfiles = %s\n",
           folder);
  cli_write_config(box, config);
  cli_expect(box, "run tiny.ini --out run", 0, NULL, NULL);
  snprintf(name, sizeof name, "tour-plain-it_s__a_____%.36s-best", folder + 12);
  expect_title(box, name, "plain, best of it''s \"a\" \xc3\xa9 xxx");
  cli_expect(box, "run tiny.ini --out run", 0, NULL, "nothing to do");
  cli_expect(box, "run tiny.ini --out run --fresh --only train", 0, NULL, NULL);
  char *files = cli_snapshot(box, "run");
  assert_null(strstr(files, "tour-")); /* they are the run's own, and cleared */
  free(files);
}

/* As before where there are no library files. */
static void runs_without_library_sets_have_none(void **state) {
  const sandbox *box = *state;
  cli_write_config(box, "[train]\nsize = 5\nepochs = 1\ninstances_per_epoch = 2\nbatch = 2\n"
                        "[eval]\nsizes = 5\ninstances = 1\n");
  cli_expect(box, "run tiny.ini --out run", 0, NULL, NULL);
  assert_false(cli_exists(box, "run/results/plain-solutions.csv"));
  char *files = cli_snapshot(box, "run");
  assert_null(strstr(files, "tour-"));
  free(files);
}

static void names_are_the_run_s_own(void **state) {
  (void)state;
  assert_true(edgefw__run_tours_owns("tour-a-lib-best.svg", "a"));
  assert_true(edgefw__run_tours_owns("tour-a-b-lib-2-worst.png", "a-b"));
  assert_false(edgefw__run_tours_owns("tour-a-lib-best.svgz", "a"));
  assert_false(edgefw__run_tours_owns("tour-a--best.svg", "a"));
  assert_false(edgefw__run_tours_owns("tour-a-lib-best", "a"));
  assert_false(edgefw__run_tours_owns("tour-a-l b-best.svg", "a"));
  assert_false(edgefw__run_tours_owns("tour-a", "a"));
}

int main(void) {
#define TOURS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TOURS_TEST(solutions_are_ranked_by_gap),
      TOURS_TEST(solutions_without_gap_are_ranked_by_a_bound),
      TOURS_TEST(nothing_is_done_twice),
      TOURS_TEST(changed_solutions_are_not_drawn),
      TOURS_TEST(names_of_folders_are_tamed),
      TOURS_TEST(runs_without_library_sets_have_none),
      cmocka_unit_test(names_are_the_run_s_own),
  };
  return test_run(tests, NULL, NULL);
}
