/* Term patch: what leaving the optimal assignment costs. */
#include "support/test.h"

#include <string.h>

#include "nn/op.h"
#include "support/term_support.h"

static void it_declares_three_exchanges(void **state) {
  (void)state;
  term_fixture f;
  term_open(&f, TINY_MODEL("patch"));
  assert_int_equal(f.graph.plan.feature_count, 3);
  assert_int_equal(f.graph.plan.table_count, 1);
  term_expect_raw(&f, 0, "exchange", EDGEFW_CURRENT, EDGEFW_CANDIDATE);
  term_expect_raw(&f, 1, "exchange", EDGEFW_CANDIDATE, EDGEFW_CURRENT);
  term_expect_raw(&f, 2, "exchange", EDGEFW_CANDIDATE, EDGEFW_CLOSING);
  term_close(&f);
}

/* With the term that has the table of reduced costs. */
static void both_share_one_solution(void **state) {
  (void)state;
  term_fixture f;
  term_open(&f, TINY_MODEL("assignment, patch"));
  const edgefw_graph *graph = f.graph.graph;
  int solved = 0;
  for (int i = 0; i < graph->node_count; ++i)
    solved += strcmp(graph->nodes[i].spec.op->name, "assignment") == 0;
  assert_int_equal(solved, 1);
  assert_int_equal(f.graph.plan.feature_count, 6);
  assert_int_equal(f.graph.plan.table_count, 2);
  term_close(&f);
}

static void it_knows_no_keys(void **state) {
  (void)state;
  term_fixture f;
  term_open(&f, TINY_MODEL("patch"));
  edgefw__config *config = NULL;
  tiny_fails(&f.tiny,
             edgefw__compose_text(f.tiny.ctx, f.tiny.registry,
                                  TINY_MODEL("patch") "[term.patch]\nx = 1\n", "test", &config),
             EDGEFW_CONFIG, "x");
  assert_null(config);
  term_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_declares_three_exchanges),
      cmocka_unit_test(both_share_one_solution),
      cmocka_unit_test(it_knows_no_keys),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
