/* The ceiling: a rate where the device has a product, none where it has none. */
#include "support/test.h"

#include "bench/peak.h"
#include "support/bench_tiny.h"

static void a_device_with_a_product_has_a_rate(void **state) {
  (void)state;
  if (bench_tiny_missing()) test_skip_missing();
  tiny_model tiny;
  double rate = 0.0;
  tiny_begin(&tiny, NULL, TINY_PLAIN, "cpu");
  tiny_ok(&tiny, edgefw__peak_measure(&tiny.engine, &rate));
  assert_true(rate > 1e6);
  tiny_close(&tiny);
}

static void a_device_without_one_has_none(void **state) {
  (void)state;
  tiny_model tiny;
  double rate = 1.0;
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference");
  tiny_ok(&tiny, edgefw__peak_measure(&tiny.engine, &rate));
  assert_true(rate == 0.0);
  tiny_close(&tiny);
}

int main(void) {
  if (tiny_missing()) return TEST_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_device_with_a_product_has_a_rate),
      cmocka_unit_test(a_device_without_one_has_none),
  };
  return test_run(tests, NULL, NULL);
}
