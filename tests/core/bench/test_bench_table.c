/* The tables: numbers, dashes where nothing applies, lines that fit. */
#include "support/test.h"

#include <string.h>

#include "bench/bench_table.h"
#include "support/bench_sample.h"

static void tables_are_aligned_and_narrow(void **state) {
  (void)state;
  static const char *const lines[] = {
      "P = 4.0 GF/s (product of size 2048: 3.0 before, 4.0 after the measurements)\n",
      "Operations, n = 10: 8 instances at once, 10 rollouts, P then 1.0, at most 5.00 MB\n",
      "linear 8->8          forward          2      1000       -     1     2.00   50.0%       -\n",
      "encode                                  62.5      -    1     16.0     4.00       -      -"
      "      -\n",
      "decode with a.mode=x                   250.0  37.5%    3     4.00     1.00       -      -"
      "   1.50\n",
      "step             500.0       -     1   100.0%      2.00     0.500        -       -    "
      "2.00\n"};
  bench_sample sample;
  edgefw_context *ctx = NULL;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  edgefw__text text = {.ctx = ctx};
  bench_sample_make(&sample);
  edgefw__bench_table(&sample.report, &text);
  for (size_t l = 0; l < sizeof lines / sizeof *lines; ++l)
    if (!strstr(edgefw__text_get(&text), lines[l]))
      fail_msg("missing: %s\nin:\n%s", lines[l], edgefw__text_get(&text));
  for (const char *line = edgefw__text_get(&text); *line; line += strcspn(line, "\n") + 1)
    assert_true(strcspn(line, "\n") <= 100);
  edgefw__text_release(&text);
  edgefw_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tables_are_aligned_and_narrow)};
  return test_run(tests, NULL, NULL);
}
