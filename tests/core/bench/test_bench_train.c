/* The phases of a training step. */
#include "support/test.h"

#include "bench/flops.h"
#include "support/bench_tiny.h"
#include "support/check.h"

static void phases_add_up_to_the_step(void **state) {
  (void)state;
  static const char *const phases[] = {"generate", "encode",   "clear",
                                       "decode",   "backward", "update"};
  tiny_model tiny;
  edgefw__bench_report *report = bench_tiny_open(&tiny, EDGEFW__BENCH_TRAIN);
  const edgefw__bench_group *group = &report->groups[0];
  double seconds = 0.0, share = 0.0;
  for (int p = 0; p < 6; ++p) {
    const edgefw__bench_row *row = bench_tiny_row(group, phases[p], "");
    assert_int_equal(row->timing.count, 1);
    assert_true(row->timing.seconds[0] > 0);
    seconds += row->timing.seconds[0];
    share += row->ratio;
  }
  const edgefw__bench_row *step = bench_tiny_row(group, "step", "");
  check_close(step->timing.seconds[0], seconds, 0, 1e-12, "seconds of the step");
  check_close(share, 1.0, 1e-12, 0, "shares");
  assert_true(step->ratio == 1.0);
  const edgefw__bench_row *svd = bench_tiny_row(group, "svd", "");
  assert_true(svd->timing.seconds[0] > 0);
  assert_true(svd->timing.seconds[0] < bench_tiny_row(group, "encode", "")->timing.seconds[0]);
  assert_true(bench_tiny_row(group, "decode", "")->flops == 3 * 2 * edgefw__flops_decode(6, 6, 8));
  bench_tiny_close(&tiny, report);
}

int main(void) {
  if (bench_tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {cmocka_unit_test(phases_add_up_to_the_step)};
  return test_run(tests, NULL, NULL);
}
