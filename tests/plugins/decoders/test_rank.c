/* Term rank: where the arc stands among those out of its tail and into its head. */
#include "support/test.h"

#include "support/term_support.h"

static void it_declares_three_ranks(void **state) {
  (void)state;
  term_fixture f;
  term_open(&f, TINY_MODEL("rank"));
  assert_int_equal(f.graph.plan.feature_count, 3);
  assert_int_equal(f.graph.plan.table_count, 2);
  term_expect_raw(&f, 0, "row_rank", EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  term_expect_raw(&f, 1, "column_rank", EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  term_expect_raw(&f, 2, "row_rank", EDGEFW_CANDIDATE, EDGEFW_CLOSING);
  assert_int_equal(f.graph.plan.features[0].table, f.graph.plan.features[2].table);
  term_close(&f);
}

static void it_knows_no_keys(void **state) {
  (void)state;
  term_fixture f;
  term_open(&f, TINY_MODEL("rank"));
  edgefw__config *config = NULL;
  tiny_fails(&f.tiny,
             edgefw__compose_text(f.tiny.ctx, f.tiny.registry,
                                  TINY_MODEL("rank") "[term.rank]\nx = 1\n", "test", &config),
             EDGEFW_CONFIG, "x");
  assert_null(config);
  term_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_declares_three_ranks),
      cmocka_unit_test(it_knows_no_keys),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
