/* Term assignment: reduced costs of the assignment relaxation. */
#include "support/test.h"

#include "support/term_support.h"

static void it_declares_three_reduced_costs(void **state) {
  (void)state;
  term_fixture f;
  term_open(&f, TINY_MODEL("assignment"));
  assert_int_equal(f.graph.plan.feature_count, 3);
  assert_int_equal(f.graph.plan.table_count, 1);
  term_expect_raw(&f, 0, "assignment", EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  term_expect_raw(&f, 1, "assignment", EDGEFW_CANDIDATE, EDGEFW_CURRENT);
  term_expect_raw(&f, 2, "assignment", EDGEFW_CANDIDATE, EDGEFW_CLOSING);
  term_close(&f);
}

/* The least ones of the nodes that are left come behind them, of the same table. */
static void masked_adds_minima(void **state) {
  (void)state;
  term_fixture f;
  term_open(&f, TINY_ON("acvrp", "assignment") "[term.assignment]\nmode = masked\n");
  const edgefw_decode_plan *plan = &f.graph.plan;
  assert_int_equal(plan->feature_count, 5);
  assert_int_equal(plan->table_count, 1);
  for (int k = 3; k < 5; ++k) {
    assert_int_equal(plan->features[k].kind, EDGEFW_FEATURE_PATH);
    assert_int_equal(plan->features[k].path, EDGEFW_PATH_REMAINING_MIN);
    assert_int_equal(plan->features[k].table, plan->features[0].table);
    assert_int_equal(plan->features[k].row, k == 3 ? EDGEFW_CANDIDATE : EDGEFW_CURRENT);
  }
  term_close(&f);
}

static void it_knows_no_other_keys(void **state) {
  (void)state;
  term_fixture f;
  term_open(&f, TINY_MODEL("assignment"));
  edgefw__config *config = NULL;
  tiny_fails(&f.tiny,
             edgefw__compose_text(f.tiny.ctx, f.tiny.registry,
                                  TINY_MODEL("assignment") "[term.assignment]\nx = 1\n", "test",
                                  &config),
             EDGEFW_CONFIG, "x");
  assert_null(config);
  term_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_declares_three_reduced_costs),
      cmocka_unit_test(masked_adds_minima),
      cmocka_unit_test(it_knows_no_other_keys),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
