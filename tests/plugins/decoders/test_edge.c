/* Term edge: the arc to the candidate, its reverse, and their difference. */
#include "support/test.h"

#include "support/term_support.h"

static void it_declares_three_look_ups(void **state) {
  (void)state;
  tiny_require_term("edge");
  term_fixture f;
  term_open(&f, TINY_MODEL("edge"));
  assert_int_equal(f.graph.plan.feature_count, 3);
  assert_int_equal(f.graph.plan.table_count, 1);
  term_expect(&f, 0, EDGEFW_FEATURE_PAIR, "zscore", EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  term_expect(&f, 1, EDGEFW_FEATURE_PAIR, "zscore", EDGEFW_CANDIDATE, EDGEFW_CURRENT);
  term_expect(&f, 2, EDGEFW_FEATURE_ANTISYMMETRIC, "zscore", EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  term_close(&f);
}

static void it_has_no_keys(void **state) {
  (void)state;
  tiny_require_term("edge");
  term_fixture f;
  term_open(&f, TINY_MODEL("edge"));
  assert_null(f.tiny.composition->terms.plugins[0]->options[0].key);
  term_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_declares_three_look_ups),
      cmocka_unit_test(it_has_no_keys),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
