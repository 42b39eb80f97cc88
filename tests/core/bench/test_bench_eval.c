/* The rows of an evaluation. needs plugins: edge closure lookahead */
#include "support/test.h"

#include "bench/flops.h"
#include "support/bench_tiny.h"

static void all_sets_of_terms_are_decoded(void **state) {
  (void)state;
  tiny_model tiny;
  edgefw__bench_report *report = bench_tiny_open(&tiny, EDGEFW__BENCH_EVAL);
  assert_int_equal(report->group_count, 1);
  const edgefw__bench_group *group = &report->groups[0];
  assert_int_equal(group->row_count, 3 + 6);
  const edgefw__bench_row *rows = group->rows + 3;
  const double decode = 2 * edgefw__flops_decode(6, 6, 8);
  for (int v = 0; v < 6; ++v) {
    assert_string_equal(rows[v].name, "decode");
    assert_int_equal(rows[v].timing.count, 1);
    assert_true(rows[v].timing.seconds[0] > 0 && rows[v].ratio > 0);
    assert_true(rows[v].flops == decode);
  }
  assert_string_equal(rows[0].terms, "none");
  assert_true(rows[0].ratio == 1.0);
  assert_string_equal(rows[4].terms, report->terms);
  assert_string_equal(rows[5].changed, "lookahead.mode=masked");
  const edgefw__bench_row *encode = bench_tiny_row(group, "encode", "");
  const edgefw__bench_row *whole = bench_tiny_row(group, "evaluate", "");
  assert_true(bench_tiny_row(group, "generate", "")->timing.seconds[0] > 0);
  assert_true(encode->flops > 0 && whole->flops == encode->flops + decode);
  assert_true(whole->timing.seconds[0] > encode->timing.seconds[0]);
  bench_tiny_close(&tiny, report);
}

int main(void) {
  if (bench_tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_sets_of_terms_are_decoded)};
  return test_run(tests, NULL, NULL);
}
