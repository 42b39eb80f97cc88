/* Term closure: the arc from the candidate to the node that closes the route. */
#include "support/test.h"

#include "support/term_support.h"

static void it_declares_one_look_up(void **state) {
  (void)state;
  tiny_require_term("closure");
  term_fixture f;
  term_open(&f, TINY_MODEL("closure"));
  assert_int_equal(f.graph.plan.feature_count, 1);
  assert_int_equal(f.graph.plan.table_count, 1);
  term_expect(&f, 0, EDGEFW_FEATURE_PAIR, "zscore", EDGEFW_CANDIDATE, EDGEFW_CLOSING);
  term_close(&f);
}

/* The z-scores are the encoder's: there is one table of them, whoever asks. */
static void it_shares_the_encoders_table(void **state) {
  (void)state;
  tiny_require_term("closure");
  term_fixture f, plain;
  term_open(&f, TINY_MODEL("closure"));
  term_open(&plain, TINY_MODEL(""));
  assert_int_equal(f.graph.graph->node_count, plain.graph.graph->node_count);
  term_close(&plain);
  term_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_declares_one_look_up),
      cmocka_unit_test(it_shares_the_encoders_table),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
