/* Medians, quartiles, ratios, and when to stop measuring. */
#include "support/test.h"

#include "bench/timing.h"
#include "support/check.h"

static edgefw__timing timing_of(const double *seconds, int count) {
  edgefw__timing timing = {0};
  for (int i = 0; i < count; ++i) edgefw__timing_add(&timing, seconds[i]);
  return timing;
}

static void the_spread_is_that_of_the_sorted_samples(void **state) {
  (void)state;
  const edgefw__timing odd = timing_of((double[]){5, 1, 4, 2, 3}, 5);
  const edgefw__timing even = timing_of((double[]){4, 1, 2, 10}, 4);
  const edgefw__spread a = edgefw__timing_spread(&odd), b = edgefw__timing_spread(&even);
  const double found[] = {a.min, a.lower, a.median, a.upper, a.max,
                          b.min, b.lower, b.median, b.upper, b.max};
  const double expected[] = {1, 2, 3, 4, 5, 1, 1.75, 3, 5.5, 10};
  check_close_f64(found, expected, 10, 1e-15, 0, "spread");
}

static void few_samples_have_a_spread_too(void **state) {
  (void)state;
  const edgefw__timing none = {0}, one = timing_of((double[]){7}, 1);
  const edgefw__spread a = edgefw__timing_spread(&none), b = edgefw__timing_spread(&one);
  assert_true(a.min == 0 && a.median == 0 && a.max == 0);
  assert_true(b.min == 7 && b.lower == 7 && b.median == 7 && b.upper == 7 && b.max == 7);
}

static void samples_beyond_the_room_are_dropped(void **state) {
  (void)state;
  edgefw__timing timing = {0};
  for (int i = 0; i < 3 * EDGEFW__TIMING_SAMPLES; ++i) edgefw__timing_add(&timing, i);
  assert_int_equal(timing.count, EDGEFW__TIMING_SAMPLES);
  assert_true(edgefw__timing_spread(&timing).max == EDGEFW__TIMING_SAMPLES - 1);
}

static void turns_are_compared_pair_by_pair(void **state) {
  (void)state;
  const edgefw__timing base = timing_of((double[]){1, 10, 2}, 3);
  const edgefw__timing pairs = timing_of((double[]){2, 20, 4}, 3); /* the second one disturbed */
  const edgefw__timing fewer = timing_of((double[]){6, 8}, 2), none = {0};
  check_close(edgefw__timing_ratio(&pairs, &base), 2, 1e-15, 0, "ratio of pairs");
  check_close(edgefw__timing_ratio(&fewer, &base), 3.5, 1e-15, 0, "ratio of medians");
  assert_true(edgefw__timing_ratio(&none, &base) == 0 && edgefw__timing_ratio(&base, &none) == 0);
}

static void measuring_stops_by_number_or_time(void **state) {
  (void)state;
  const edgefw__timing_rule timed = {.least = 1, .most = 5, .budget = 2.0};
  assert_true(edgefw__timing_more(&timed, 0, 0.0));
  assert_true(edgefw__timing_more(&timed, 1, 1.9));
  assert_false(edgefw__timing_more(&timed, 1, 2.1)); /* the warm-up took it all */
  assert_true(edgefw__timing_more(&timed, 5, 1.9));
  assert_false(edgefw__timing_more(&timed, 6, 1.9)); /* five and the warm-up */
  assert_false(edgefw__timing_more(&timed, 2, 2.1));
  const edgefw__timing_rule counted = {.least = 3, .most = 3};
  assert_true(edgefw__timing_more(&counted, 1, 100.0));
  assert_true(edgefw__timing_more(&counted, 3, 100.0));
  assert_false(edgefw__timing_more(&counted, 4, 0.0));
  const edgefw__timing_rule once = {.least = 1, .most = 1};
  assert_false(edgefw__timing_more(&once, 1, 0.0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_spread_is_that_of_the_sorted_samples),
      cmocka_unit_test(few_samples_have_a_spread_too),
      cmocka_unit_test(samples_beyond_the_room_are_dropped),
      cmocka_unit_test(turns_are_compared_pair_by_pair),
      cmocka_unit_test(measuring_stops_by_number_or_time),
  };
  return test_run(tests, NULL, NULL);
}
