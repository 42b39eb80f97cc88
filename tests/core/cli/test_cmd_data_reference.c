/* edgefw data reference, with a script in LKH's place.
 * labels: e2e */
#include "support/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/cli.h"
#include "support/fake_lkh.h"
#include "support/io_support.h"
#include "support/tiny_model.h"

#define REFERENCE "data reference --problem atsp --size 6 --instances 3 --lkh ./LKH "

static int setup(void **state) {
  if (sandbox_set_up(state) != 0) return -1;
  const sandbox *box = *state;
  mkdir(sandbox_path(box, "tmp"), 0700);
  setenv("TMPDIR", sandbox_path(box, "tmp"), 1);
  fake_lkh_write(box, "LKH", FAKE_LKH_GOOD);
  return 0;
}

static void generated_sets_get_costs(void **state) {
  const sandbox *box = *state;
  cli_expect(box, REFERENCE "--threads 2", 0,
             "atsp_n6_seed2026.csv: 3 instances (3 solved now), mean cost ", NULL);
  char *text = cli_read(box, "atsp_n6_seed2026.csv");
  assert_non_null(
      strstr(text, "# set: problem = atsp; size = 6; seed = 2026; distribution = tmat"));
  assert_non_null(strstr(text, "\ninstance,cost\n0,"));
  free(text);
  cli_expect(box, REFERENCE "--json", 0, "\"instances\": 3, \"solved\": 0, \"mean_cost\": ", NULL);
  assert_int_equal(fake_lkh_calls(box), 3);
  cli_expect(box, REFERENCE "--runs 2", 1, "", "with other settings");
  cli_expect(box, REFERENCE "--runs 2 --time-limit 1.5 --max-trials 7 --scale 100 -o two.csv", 0,
             "two.csv: 3 instances", NULL);
  text = cli_read(box, "two.csv");
  assert_non_null(strstr(text, "# settings: RUNS = 2, MAX_TRIALS = 7, TIME_LIMIT = 1.5, SEED = 1, "
                               "costs times 100\n"));
  free(text);
  /* An experiment reads it. */
  cli_write_config(box, "[train]\nsize = 6\nepochs = 0\n[eval]\nsizes = 6\ninstances = 3\n"
                        "[data]\nreference.6 = two.csv\n");
  cli_expect(box, "run tiny.ini", 0, "(best known)", NULL);
  cli_expect(box, "run tiny.ini --out other --set eval.seed=77", 1, "",
             "two.csv' holds costs of other instances: of (problem = atsp; size = 6; seed = 2026");
  assert_int_equal(access(sandbox_path(box, "other"), F_OK), -1);
}

static void datasets_get_costs(void **state) {
  const sandbox *box = *state;
  cli_expect(box, "data generate --problem atsp --size 6 --count 3 -o set/d.h5", 1, "", "set/d.h5");
  mkdir(sandbox_path(box, "set"), 0700);
  cli_expect(box, "data generate --problem atsp --size 6 --count 3 -o set/d.h5", 0, "", NULL);
  cli_expect(box, "data reference set/d.h5 --lkh ./LKH --instances 2 --store", 2, "",
             "--store needs the costs of all 3 instances");
  cli_expect(box, "data reference set/d.h5 --lkh ./LKH --instances 2", 0,
             "set/d.csv: 2 instances (2 solved now)", NULL);
  cli_expect(box, "data info set/d.h5", 0, "references    no", NULL);
  cli_expect(box, "data reference set/d.h5 --lkh ./LKH --store", 0, "(1 solved now)", NULL);
  cli_expect(box, "data info set/d.h5", 0, "references    best known", NULL);
  cli_expect(box, "data reference set/d.h5 --lkh ./LKH --store", 0, "(0 solved now)", NULL);
  assert_int_equal(io_count_entries(sandbox_path(box, "set")), 2);
  cli_write_config(box, "[train]\nsize = 6\nepochs = 0\n[eval]\nsizes = 6\ninstances = 3\n"
                        "[data]\ntest.6 = set/d.h5\n");
  cli_expect(box, "run tiny.ini", 0, "(best known)", NULL);
}

static void bad_requests_are_refused(void **state) {
  const sandbox *box = *state;
  cli_expect(box, "data reference", 2, "", "--problem is missing; or name a dataset");
  cli_expect(box, "data reference --problem atsp", 2, "", "--size is missing");
  cli_expect(box, "data reference --problem atsp --size 1", 2, "", "needs at least 2");
  cli_expect(box, "data reference a b", 2, "", "'b' is one argument too many");
  cli_expect(box, "data reference a.h5 --seed 3", 2, "", "--seed is for generated instances");
  cli_expect(box, "data reference a.h5", 1, "", "a.h5");
  cli_expect(box, REFERENCE "--store", 2, "", "--store needs a dataset");
  cli_expect(box, REFERENCE "--time-limit 0", 2, "", "expected a number above 0");
  cli_expect(box, "data reference --problem atsp --size 6 --lkh ./none", 2, "",
             "./none is no executable file: LKH-3 is free");
  cli_expect(box, "data reference --problem atsp --size 3 --instances 2 --lkh ./none", 0,
             "2 instances (2 solved now)", NULL); /* by trying all */
}

/* --- Forbidden arcs --- */

#define MATRIX(far)                                                                                \
  "TYPE: ATSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"        \
  "EDGE_WEIGHT_SECTION\n0 2.5 " far " 1\n1 0 2.5 " far "\n1 1 0 2.5\n2.5 1 " far " 0\nEOF\n"

/* Costs belong to the rule with which they were found: the same arcs at another price are another
 * instance. LKH takes the fractions without a scale, for the arcs' price is no cost. */
static void costs_belong_to_the_forbidden_rule(void **state) {
  const sandbox *box = *state;
  sandbox_write(box, "f.atsp", MATRIX("9"));
  cli_expect(box, "data import f.atsp --problem atsp -o f.h5", 0, NULL, NULL);
  cli_expect(box, "data reference f.h5 --lkh ./LKH --set problem.forbidden=9", 0,
             "f.csv: 1 instances (1 solved now), mean cost 10", NULL);
  char *with = cli_read(box, "f.csv"), *rule = strstr(with, "; forbidden = 9\n");
  assert_non_null(rule);
  cli_write_config(box, "[train]\nsize = 4\nepochs = 0\n[eval]\nsizes = 4\ninstances = 1\n"
                        "[data]\ntest.4 = f.h5\nreference.4 = f.csv\n");
  cli_expect(box, "run tiny.ini --out a --set problem.forbidden=9", 0, NULL, NULL);
  cli_expect(box, "run tiny.ini --out b", 1, "", "; forbidden = 9), while the set 4 is (problem");
  /* As an older program wrote it, or one without the rule. */
  memmove(rule, rule + strlen("; forbidden = 9"), strlen(rule + strlen("; forbidden = 9")) + 1);
  sandbox_write(box, "f.csv", with);
  cli_expect(box, "run tiny.ini --out b", 0, NULL, NULL);
  cli_expect(box, "run tiny.ini --out c --set problem.forbidden=9", 1, "", "; forbidden = 9), ");
  free(with);
}

static void stored_costs_belong_to_the_rule_too(void **state) {
  const sandbox *box = *state;
  const char *const run = "run tiny.ini --out b";
  sandbox_write(box, "f.atsp", MATRIX("9"));
  cli_expect(box, "data import f.atsp --problem atsp -o f.h5", 0, NULL, NULL);
  cli_expect(box, "data reference f.h5 --lkh ./LKH --set problem.forbidden=9 --store", 0, NULL,
             NULL);
  cli_write_config(box, "[train]\nsize = 4\nepochs = 0\n[eval]\nsizes = 4\ninstances = 1\n"
                        "[data]\ntest.4 = f.h5\n");
  cli_expect(box, "run tiny.ini --out a --set problem.forbidden=9", 0, NULL, NULL);
  cli_expect(box, run, 1, "", "found with [problem] forbidden = 9, while it is none here");
  cli_expect(box, "data reference f.h5 --lkh ./LKH -o g.csv --store", 0, NULL, NULL);
  cli_expect(box, run, 0, NULL, NULL);
}

/* --- Bounds --- */

#define BOUND "data reference --problem acvrp --size 20 --instances 50 --bound "

/* The costs of a file of references, by instance. */
static void read_costs(const char *text, double *cost, int count) {
  const char *row = strstr(text, "instance,cost\n");
  assert_non_null(row);
  row += strlen("instance,cost\n");
  for (int i = 0; i < count; ++i) {
    char *end = NULL;
    assert_int_equal(strtol(row, &end, 10), i);
    cost[i] = strtod(end + 1, &end);
    row = end + 1;
  }
}

/* Against optima that were found by another program. */
static void bounds_are_below_the_optima(void **state) {
  const sandbox *box = *state;
  static const char *const problems[] = {"acvrp", "atsp"};
  for (int p = 0; p < 2; ++p) {
    char arguments[256], name[64], path[512];
    double bound[200], optimum[200], sums[2] = {0.0};
    size_t length = 0;
    snprintf(arguments, sizeof arguments,
             "data reference --problem %s --size 20 --instances 200 --bound", problems[p]);
    snprintf(name, sizeof name, "%s_n20_seed2026_bound.csv", problems[p]);
    snprintf(path, sizeof path, EDGEFW_SOURCE_DIR "/data/reference/%s_n20_seed2026_exact.csv",
             problems[p]);
    cli_expect(box, arguments, 0, "200 instances (200 found now), mean bound ", NULL);
    char *bounds = cli_read(box, name), *optima = io_read(path, &length);
    assert_non_null(strstr(bounds, "\n# costs: lower bound\n# solver: assignment, for the costs"));
    read_costs(bounds, bound, 200);
    read_costs(optima, optimum, 200);
    for (int i = 0; i < 200; ++i) {
      assert_true(bound[i] > 0.0 && bound[i] <= optimum[i] * (1.0 + 1e-12));
      sums[0] += bound[i];
      sums[1] += optimum[i];
    }
    assert_true(sums[0] > 0.85 * sums[1]); /* such matrices are nearly assignment problems */
    free(bounds);
    free(optima);
  }
}

/* Whoever has no LKH gets gaps all the same. */
static void bounds_need_no_solver(void **state) {
  const sandbox *box = *state;
  cli_expect(box, BOUND "--json", 0, "\"reference_kind\": \"bound\"}", NULL);
  cli_expect(box, BOUND, 0, "50 instances (0 found now)", NULL);
  cli_expect(box, BOUND "--lkh ./LKH", 2, "", "--lkh is for LKH, which finds tours");
  cli_expect(box, BOUND "--scale 10", 2, "", "--scale is for LKH");
  assert_int_equal(fake_lkh_calls(box), 0);
  cli_expect(box, "data generate --problem atsp --size 6 --count 3 -o d.h5", 0, "", NULL);
  cli_expect(box, "data reference d.h5 --bound --store", 0, "d_bound.csv: 3 instances", NULL);
  cli_expect(box, "data info d.h5", 0, "references    bound", NULL);
  cli_write_config(box, "[train]\nsize = 6\nepochs = 0\n[eval]\nsizes = 6\ninstances = 3\n"
                        "[data]\ntest.6 = d.h5\n");
  cli_expect(box, "run tiny.ini", 0, "(bound)", "gap to bound ");
}

static void the_solvers_failures_are_reported(void **state) {
  const sandbox *box = *state;
  fake_lkh_write(box, "LKH", FAKE_LKH_FAILING);
  cli_expect(box, REFERENCE, 1, "", "ended with status 1; it said: cannot go on (instance ");
  fake_lkh_write(box, "LKH", FAKE_LKH_HANGING);
  cli_expect(box, REFERENCE "--kill-after 0.1", 1, "", "was killed after 0.1 seconds");
  assert_int_equal(io_count_entries(sandbox_path(box, "tmp")), 0);
}

static void an_interruption_stops_the_solver(void **state) {
  const sandbox *box = *state;
  const struct timespec moment = {.tv_nsec = 1000000};
  fake_lkh_write(box, "LKH", FAKE_LKH_HANGING);
  const pid_t child = cli_start(box, REFERENCE);
  for (int i = 0; i < 60000 && fake_lkh_calls(box) == 0; ++i) nanosleep(&moment, NULL);
  assert_int_equal(kill(child, SIGINT), 0);
  cli_result result = cli_wait(box, child);
  assert_int_equal(result.status, 130);
  assert_non_null(strstr(result.err, "go on with: "));
  cli_free(&result);
  assert_int_equal(io_count_entries(sandbox_path(box, "tmp")), 0);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(generated_sets_get_costs, setup, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(datasets_get_costs, setup, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(bad_requests_are_refused, setup, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(costs_belong_to_the_forbidden_rule, setup, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(stored_costs_belong_to_the_rule_too, setup,
                                      sandbox_tear_down),
      cmocka_unit_test_setup_teardown(bounds_are_below_the_optima, setup, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(bounds_need_no_solver, setup, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(the_solvers_failures_are_reported, setup, sandbox_tear_down),
      cmocka_unit_test_setup_teardown(an_interruption_stops_the_solver, setup, sandbox_tear_down),
  };
  return test_run(tests, NULL, NULL);
}
