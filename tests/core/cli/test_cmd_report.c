/* edgefw report: the page of a run, runs joined, refusals.
 * labels: e2e */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cli.h"
#include "support/html_check.h"
#include "support/run_sample.h"

static void write_runs(const workspace *w) {
  static const char *const names[] = {"one", "two", "three"};
  for (int r = 0; r < 3; ++r) {
    run_sample sample = run_sample_of(names[r], r + 1);
    sample.shift = r / 8.0;
    run_sample_write(w, &sample);
  }
}

static void expect_page(const workspace *w, const char *name) {
  char *html = cli_read(&w->box, name);
  assert_non_null(html);
  assert_true(html_is_fine(html));
  free(html);
}

static void a_page_is_written(void **state) {
  const workspace *w = *state;
  write_runs(w);
  cli_expect(&w->box, "report one", 0, "one/report.html\n", "");
  expect_page(w, "one/report.html");
  char *before = cli_snapshot(&w->box, "one"), *page = cli_read(&w->box, "one/report.html");
  cli_expect(&w->box, "report one/", 0, "one/report.html\n", "");
  cli_expect(&w->box, "report one -o page.html", 0, "page.html\n", "");
  cli_expect_same(before, cli_snapshot(&w->box, "one"));
  cli_expect_same(page, cli_read(&w->box, "page.html"));
}

static void runs_are_joined(void **state) {
  const workspace *w = *state;
  write_runs(w);
  cli_expect(&w->box, "report one two three", 0, "plain     1.2500  0.1250  25.00%  12.50%", "");
  assert_false(cli_exists(&w->box, "one/report.html"));
  cli_expect(&w->box, "report one two three -o all.html", 0, "seeds 1, 2, 3", "");
  expect_page(w, "all.html");
}

static void what_is_wrong_is_said(void **state) {
  const workspace *w = *state;
  write_runs(w);
  cli_expect(&w->box, "report", 2, "", "RUN is missing");
  cli_expect(&w->box, "report none", 2, "", "none is no run directory");
  cli_expect(&w->box, "report one one -o x.html", 2, "", "the same seed (1)");
  cli_expect(&w->box, "report one none", 2, "", "none is no run directory");
  cli_expect(&w->box, "report one two -o no/where.html", 1, "", "no/where.html");
  cli_expect(&w->box, "report one -o no/where.html", 1, "", "no/where.html");
  cli_expect(&w->box, "report one --out x", 2, "", "--out");
  sandbox_write(&w->box, "mine/config.ini", "[experiment]\nname = mine\n");
  sandbox_write(&w->box, "mine/report.html", "mine");
  cli_expect(&w->box, "report mine", 2, "", "no run wrote its config.ini");
  char *mine = cli_read(&w->box, "mine/report.html");
  assert_string_equal(mine, "mine");
  free(mine);
  assert_false(cli_exists(&w->box, "x.html"));
}

int main(void) {
#define REPORT_TEST(name)                                                                          \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      REPORT_TEST(a_page_is_written),
      REPORT_TEST(runs_are_joined),
      REPORT_TEST(what_is_wrong_is_said),
  };
  return test_run(tests, NULL, NULL);
}
