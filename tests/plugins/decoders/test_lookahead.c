/* Term lookahead: the cheapest arcs out of and into the candidate. */
#include "support/test.h"

#include "support/term_support.h"

static void it_declares_two_minima(void **state) {
  (void)state;
  tiny_require_term("lookahead");
  term_fixture f;
  term_open(&f, TINY_MODEL("lookahead"));
  assert_int_equal(f.graph.plan.feature_count, 2);
  assert_int_equal(f.graph.plan.table_count, 2);
  term_expect(&f, 0, EDGEFW_FEATURE_NODE, "row_min", EDGEFW_CANDIDATE, EDGEFW_CURRENT);
  term_expect(&f, 1, EDGEFW_FEATURE_NODE, "column_min", EDGEFW_CANDIDATE, EDGEFW_CURRENT);
  term_close(&f);
}

static void masked_declares_the_remaining_minima(void **state) {
  (void)state;
  tiny_require_term("lookahead");
  term_fixture f;
  term_open(&f, TINY_MODEL("lookahead") "[term.lookahead]\nmode = masked\n");
  assert_int_equal(f.graph.plan.feature_count, 2);
  assert_int_equal(f.graph.plan.table_count, 1);
  term_expect(&f, 0, EDGEFW_FEATURE_PATH, "zscore", EDGEFW_CANDIDATE, EDGEFW_CLOSING);
  term_expect(&f, 1, EDGEFW_FEATURE_PATH, "zscore", EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  term_close(&f);
}

static void other_modes_are_refused(void **state) {
  (void)state;
  tiny_require_term("lookahead");
  term_fixture f;
  term_open(&f, TINY_MODEL("lookahead") "[term.lookahead]\nmode = static\n");
  assert_string_equal(edgefw_options_text(f.tiny.composition->terms.options[0], "mode"), "static");
  edgefw__config *config = NULL;
  tiny_fails(&f.tiny,
             edgefw__compose_text(f.tiny.ctx, f.tiny.registry,
                                  TINY_MODEL("lookahead") "[term.lookahead]\nmode = dynamic\n",
                                  "test", &config),
             EDGEFW_CONFIG, "mode");
  assert_null(config);
  term_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_declares_two_minima),
      cmocka_unit_test(masked_declares_the_remaining_minima),
      cmocka_unit_test(other_modes_are_refused),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
