/* An evaluation on what an earlier one has left: the same answers, from the same memory.
 * needs plugins: atsp radar */
#include "support/test.h"

#include "eval/evaluate.h"
#include "support/check.h"
#include "support/tiny_model.h"

static tiny_model tiny;

static double evaluate(int64_t n, int64_t count, edgefw__warm *warm) {
  const edgefw__instance_set set = {.name = "set", .n = n, .size = n, .count = count, .seed = 3};
  edgefw__eval_settings settings = edgefw__eval_settings_from(tiny.composition);
  edgefw__eval_result result;
  settings.warm = warm;
  settings.batch = 4;
  tiny_ok(&tiny, edgefw__evaluate(tiny.model, &set, &settings, NULL, NULL, &result, NULL, NULL));
  return result.objective;
}

static void warm_evaluations_find_the_same(void **state) {
  (void)state;
  edgefw__warm warm = {.clock = 0};
  for (int64_t n = 5; n <= 6; ++n)
    for (int round = 0; round < 2; ++round) {
      const double cold = evaluate(n, 6, NULL);
      check_close(evaluate(n, 6, &warm), cold, 0.0, 0.0, "objective");
      check_close(evaluate(n, 2, &warm), evaluate(n, 2, NULL), 0.0, 0.0, "objective of fewer");
    }
  const edgefw__warm_size *size = edgefw__warm_find(&warm, 5, 5, 4);
  assert_non_null(size);
  const edgefw__policy *policy = size->policy;
  evaluate(5, 6, &warm);
  assert_ptr_equal(edgefw__warm_find(&warm, 5, 5, 4)->policy, policy);
  edgefw__warm_drop(tiny.ctx, &warm, NULL);
}

static int set_up(void **state) {
  (void)state;
  tiny_open(&tiny, TINY_PLAIN, "reference", 5, false);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  tiny_close(&tiny);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(warm_evaluations_find_the_same)};
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, set_up, tear_down);
}
