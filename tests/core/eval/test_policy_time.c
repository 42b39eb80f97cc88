/* The time that a policy would take. */
#include "support/test.h"

#include "base/clock.h"
#include "eval/policy_time.h"
#include "support/tiny_model.h"

static tiny_model tiny;

static double time_of(const edgefw__batch *batch, const edgefw__eval_settings *settings) {
  double seconds = 0.0;
  tiny_ok(&tiny, edgefw__policy_time(tiny.model, batch, settings, &seconds));
  return seconds;
}

/* Of 200 nodes it measures 100 and reckons with eight times as much. It is not exact, and need not
 * be: more than a tenth and less than ten times of what it takes, but for a machine that was busy
 * with something else just then. */
static void it_is_about_what_decoding_takes(void **state) {
  (void)state;
  const edgefw__eval_settings settings = {.clip = 10, .augment = 1};
  edgefw__batch *batch = tiny_batch(&tiny, 200, 3, 0, 1);
  edgefw__policy *policy = tiny_policy(&tiny, 1, 200, false);
  const edgefw__rollout_request request = {.clip = 10, .lengths_only = true};
  bool right = false;
  for (int trial = 0; trial < 5 && !right; ++trial) {
    const double estimate = time_of(batch, &settings), begin = edgefw__seconds();
    tiny_ok(&tiny, edgefw__policy_run(policy, batch, &request));
    const double took = edgefw__seconds() - begin;
    right = estimate > 0.1 * took && estimate < 10.0 * took;
  }
  assert_true(right);
  edgefw__policy_destroy(policy);
  edgefw__batch_destroy(tiny.ctx, batch);
}

/* Every sample, symmetry and beam is as much again. */
static void runs_are_counted(void **state) {
  (void)state;
  edgefw__eval_settings settings = {.augment = 8, .samples = 5, .beam = 3};
  assert_true(edgefw__policy_runs(&settings) == 11.0);
  settings.select = EDGEFW_SELECT_SAMPLE;
  assert_true(edgefw__policy_runs(&settings) == 43.0);
}

/* More nodes than are measured are more work. */
static void more_work_is_more_time(void **state) {
  (void)state;
  const edgefw__eval_settings few = {.clip = 10, .augment = 1, .starts = 1};
  edgefw__batch *small = tiny_batch(&tiny, 20, 3, 0, 2), *large = tiny_batch(&tiny, 400, 3, 0, 1);
  assert_true(time_of(large, &few) > 4.0 * time_of(small, &few));
  edgefw__batch_destroy(tiny.ctx, large);
  edgefw__batch_destroy(tiny.ctx, small);
}

static int set_up(void **state) {
  (void)state;
  tiny_open(&tiny, TINY_PLAIN, tiny_has_device("cpu") ? "cpu" : "reference", 5, false);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  tiny_close(&tiny);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_about_what_decoding_takes),
      cmocka_unit_test(runs_are_counted),
      cmocka_unit_test(more_work_is_more_time),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, set_up, tear_down);
}
