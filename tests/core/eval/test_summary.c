/* Means of a part of a set. */
#include "support/test.h"

#include "eval/summary.h"

enum { COUNT = 4 };

static const double costs[COUNT] = {100.0, 3.0, 5.0, 100.0},
                    reference[COUNT] = {1.0, 2.0, 2.0, 1.0};
static const edgefw__eval_sums sums = {.plain = 12.0, .constructed = 14.0};

static edgefw__eval_result summarise(const edgefw__eval_settings *settings, const double *of) {
  const edgefw__instance_set set = {.name = "4", .count = COUNT};
  const edgefw__source source = {.set = &set, .reference_kind = EDGEFW__REFERENCE_OPTIMUM};
  const edgefw__eval_costs found = {1, 3, costs, of};
  edgefw__eval_result result = {.seconds = 2.0};
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw__eval_summarise(ctx, &source, settings, &found, &sums, &result);
  edgefw_context_destroy(ctx);
  assert_true(result.instances == 2 && result.objective == 4.0 && result.seconds == 2.0);
  return result;
}

static void other_instances_do_not_count(void **state) {
  (void)state;
  const edgefw__eval_settings settings = {.augment = 1};
  const edgefw__eval_result result = summarise(&settings, reference);
  assert_true(result.has_reference && result.reference == 2.0 && result.gap_percent == 100.0);
  assert_true(result.plain_objective == 4.0 && result.constructed == 4.0);
  assert_false(summarise(&settings, NULL).has_reference);
}

static void what_was_not_done_is_not_told_apart(void **state) {
  (void)state;
  const edgefw__eval_settings augmented = {.augment = 8}, searched = {.augment = 1, .kicks = 3};
  assert_true(summarise(&augmented, NULL).plain_objective == 6.0);
  assert_true(summarise(&augmented, NULL).constructed == 4.0);
  assert_true(summarise(&searched, NULL).plain_objective == 4.0);
  assert_true(summarise(&searched, NULL).constructed == 7.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(other_instances_do_not_count),
                                     cmocka_unit_test(what_was_not_done_is_not_told_apart)};
  return test_run(tests, NULL, NULL);
}
