/* Several runs taken together. The samples' second variant costs 1/4 more than the first, whatever
 * the instance; a run's shift adds to both. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "report/joined.h"
#include "support/check.h"
#include "support/expect.h"
#include "support/run_sample.h"

static void join(const workspace *w, int runs, edgefw__joined *joined) {
  static const char *const names[] = {"a", "b", "c", "d"};
  static const double shifts[] = {0.0, 0.5, 0.25, 0.0};
  const char *folders[4];
  for (int r = 0; r < runs; ++r) {
    run_sample sample = run_sample_of(names[r], r + 1);
    sample.shift = shifts[r];
    folders[r] = edgefw_arena_text(w->arena, run_sample_write(w, &sample));
  }
  expect_ok(w->ctx, edgefw__joined_read(w->ctx, w->arena, folders, runs, joined));
}

static void means_and_deviations_are_over_the_runs(void **state) {
  const workspace *w = *state;
  edgefw__joined joined;
  edgefw__over_runs cost, gap;
  join(w, 3, &joined);
  assert_int_equal(joined.runs, 3);
  assert_int_equal(joined.set_count, 2);
  assert_string_equal(joined.sets[0].heading, "ATSP-6 (3)");
  assert_string_equal(joined.sets[1].heading, "1 file");
  expect_ok(w->ctx, edgefw__joined_summary(&joined, 0, 0, &cost, &gap));
  check_close(cost.mean, 1.375, 1e-12, 0, "mean of 1.125, 1.625, 1.375");
  check_close(cost.deviation, 0.25, 1e-12, 0, "its deviation");
  check_close(gap.mean, 37.5, 1e-10, 0, "gap");
  check_close(gap.deviation, 25, 1e-10, 0, "its deviation");
  expect_ok(w->ctx, edgefw__joined_summary(&joined, 1, 1, &cost, &gap));
  assert_true(isnan(cost.mean)); /* costs of files are of different sizes */
  check_close(gap.mean, 100.0 * 2 / 39, 1e-10, 0, "gap of the file");
}

static void pairs_are_runs_and_instances(void **state) {
  const workspace *w = *state;
  edgefw__joined joined;
  edgefw__joined_test test;
  join(w, 4, &joined);
  expect_ok(w->ctx, edgefw__joined_compare(&joined, 1, 0, 0, &test));
  assert_int_equal(test.seeds.count, 4);
  check_close(test.seeds.mean, 0.25, 1e-12, 0, "difference");
  assert_int_equal(test.seed_ranks.count, 4);
  check_close(test.seed_ranks.p, 0.125, 1e-12, 0, "2 of 16 assignments");
  assert_int_equal(test.instance_count, 3);
  check_close(test.instances.p, 0.25, 1e-12, 0, "2 of 8 assignments");
  expect_ok(w->ctx, edgefw__joined_compare(&joined, 0, 1, 0, &test));
  check_close(test.seeds.mean, -0.25, 1e-12, 0, "the other way round");
  expect_ok(w->ctx, edgefw__joined_compare(&joined, 1, 0, 1, &test));
  check_close(test.seeds.mean, 100.0 * 2 / 39, 1e-10, 0, "difference of the files' gaps");
  assert_int_equal(test.instance_count, 1);
}

/* Instances count once, with the mean over the runs; rounding is no difference. */
static void instances_are_means_over_the_runs(void **state) {
  const workspace *w = *state;
  edgefw__joined joined;
  edgefw__joined_test test;
  join(w, 2, &joined);
#define ROWS "instance,cost,reference,gap_percent,seconds\n"
  sandbox_write(&w->box, "a/results/plain-6.csv", ROWS "0,1,1,0,1\n1,1,1,0,1\n2,1,1,0,1\n");
  sandbox_write(&w->box, "b/results/plain-6.csv", ROWS "0,1,1,0,1\n1,1,1,0,1\n2,1,1,0,1\n");
  sandbox_write(&w->box, "a/results/terms-6.csv", ROWS "0,3,1,0,1\n1,2,1,0,1\n2,1,1,0,1\n");
  sandbox_write(&w->box, "b/results/terms-6.csv",
                ROWS "0,2,1,0,1\n1,0,1,0,1\n2,1.0000000000000002,1,0,1\n");
  expect_ok(w->ctx, edgefw__joined_compare(&joined, 1, 0, 0, &test));
  assert_int_equal(test.instance_count, 3);
  assert_int_equal(test.instances.count, 1); /* differences 1.5, 0, 0 */
  check_close(test.instances.sum, 1, 0, 0, "rank of the one");
  sandbox_write(&w->box, "b/results/terms-6.csv", ROWS "0,2,1,0,1\n");
  expect_ok(w->ctx, edgefw__joined_compare(&joined, 1, 0, 0, &test));
  assert_int_equal(test.instance_count, 0); /* not the same ones in all runs */
}

int main(void) {
#define JOINED_TEST(name)                                                                          \
  cmocka_unit_test_setup_teardown(name, workspace_set_up, workspace_tear_down)
  const struct CMUnitTest tests[] = {
      JOINED_TEST(means_and_deviations_are_over_the_runs),
      JOINED_TEST(pairs_are_runs_and_instances),
      JOINED_TEST(instances_are_means_over_the_runs),
  };
  return test_run(tests, NULL, NULL);
}
