/* Operations, grouped by kind and shape. */
#include "support/test.h"

#include "bench/flops.h"
#include "support/bench_tiny.h"

/* The tiny encoder has one block of width 8: q, k, v, combine, two of the feed-forward (8 wide,
 * like all else); the decoder four projections and the folded keys. */
static void operations_are_grouped(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw__bench_report *report = bench_tiny_open(&tiny, EDGEFW__BENCH_OPS);
  const edgefw__bench_group *group = &report->groups[0];
  for (int r = 0; r < group->row_count; ++r) {
    assert_int_equal(group->rows[r].timing.count, 1);
    assert_true(group->rows[r].timing.seconds[0] > 0);
  }
  const edgefw__bench_row *linear = bench_tiny_row(group, "linear 8->8", "forward");
  assert_int_equal(linear->calls, 6 + 5);
  assert_true(linear->flops == 2.0 * (2 * 6) * 8 * 8);
  assert_true(bench_tiny_row(group, "linear 8->8", "backward")->flops == 2 * linear->flops);
  const edgefw__bench_row *projection = bench_tiny_row(group, "linear 6->8", "backward");
  assert_int_equal(projection->calls, 1);
  assert_true(projection->flops == 2.0 * (2 * 6) * 6 * 8);
  assert_int_equal(bench_tiny_row(group, "add_norm 8", "backward")->calls, 2);
  assert_true(bench_tiny_row(group, "add_norm 8", "forward")->bytes > 0);
  const edgefw__bench_row *attention = bench_tiny_row(group, "mixed_attention 8", "forward");
  assert_true(bench_tiny_row(group, "mixed_attention 8", "saving")->flops == attention->flops);
  assert_int_equal(bench_tiny_row(group, "svd 3", "forward")->calls, 1);
  assert_true(bench_tiny_row(group, "decode", "fwd+backward")->flops ==
              3 * bench_tiny_row(group, "decode", "forward")->flops);
  assert_true(bench_tiny_row(group, "adam", "")->bytes > 0);
  const edgefw__bench_row *paths = bench_tiny_row(group, "shortest_paths", "");
  assert_true(paths->is_integer && paths->flops == 2 * edgefw__flops_shortest_paths(6));
  bench_tiny_close(&tiny, report);
}

int main(void) {
  if (bench_tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {cmocka_unit_test(operations_are_grouped)};
  return test_run(tests, NULL, NULL);
}
