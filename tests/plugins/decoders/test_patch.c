/* Term patch: what leaving the optimal assignment costs.
 * needs plugins: acvrp assignment */
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

/* All numbers of one cover, made of one solution. */
static void it_follows_the_path(void **state) {
  (void)state;
  term_fixture f;
  term_open(&f, TINY_MODEL("patch") "[term.patch]\nmode = dynamic\n");
  const edgefw_decode_plan *plan = &f.graph.plan;
  assert_int_equal(plan->feature_count, EDGEFW_COVER_NUMBERS + 1);
  assert_int_equal(plan->table_count, 3);
  for (int k = 0; k < EDGEFW_COVER_NUMBERS; ++k) {
    const edgefw_feature *feature = &plan->features[k];
    assert_int_equal(feature->kind, EDGEFW_FEATURE_PATH);
    assert_int_equal(feature->path, EDGEFW_PATH_CYCLE_COVER);
    assert_int_equal(feature->number, k);
    const edgefw_value permutation = f.graph.tables[feature->permutation],
                       rise = f.graph.tables[feature->table];
    assert_string_equal(edgefw__graph_node(f.graph.graph, permutation)->spec.op->name,
                        "successors");
    assert_string_equal(edgefw__graph_node(f.graph.graph, rise)->spec.op->name, "exchange");
  }
  const edgefw_feature *entry = &plan->features[EDGEFW_COVER_NUMBERS];
  assert_int_equal(entry->kind, EDGEFW_FEATURE_PATH);
  assert_int_equal(entry->path, EDGEFW_PATH_REMAINING_MIN);
  assert_int_equal(entry->column, EDGEFW_CANDIDATE);
  assert_string_equal(
      edgefw__graph_node(f.graph.graph, f.graph.tables[entry->table])->spec.op->name,
      "cycle_entry");
  term_close(&f);
}

static void composing_fails(const char *text, edgefw_status status, const char *why) {
  term_fixture f;
  term_open(&f, TINY_MODEL("patch"));
  edgefw__config *config = NULL;
  tiny_fails(&f.tiny, edgefw__compose_text(f.tiny.ctx, f.tiny.registry, text, "test", &config),
             status, why);
  assert_null(config);
  term_close(&f);
}

static void other_keys_and_modes_are_refused(void **state) {
  (void)state;
  composing_fails(TINY_MODEL("patch") "[term.patch]\nx = 1\n", EDGEFW_CONFIG, "x");
  composing_fails(TINY_MODEL("patch") "[term.patch]\nmode = masked\n", EDGEFW_CONFIG,
                  "static|dynamic");
}

/* The cover follows one tour: routes from a depot have the static table alone. */
static void the_path_has_no_depot(void **state) {
  (void)state;
  composing_fails(TINY_ON("acvrp", "patch") "[term.patch]\nmode = dynamic\n", EDGEFW_UNSUPPORTED,
                  "a depot that routes come back to; mode = static fits");
  term_fixture f;
  term_open(&f, TINY_ON("acvrp", "patch"));
  assert_int_equal(f.graph.plan.feature_count, 3);
  term_close(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_declares_three_exchanges),
      cmocka_unit_test(both_share_one_solution),
      cmocka_unit_test(it_follows_the_path),
      cmocka_unit_test(other_keys_and_modes_are_refused),
      cmocka_unit_test(the_path_has_no_depot),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
