/* Term distance_penalty: a penalty by distance for near candidates. */
/* needs plugins: cvrp */
#include "support/test.h"

#include "support/term_support.h"

/* The term has one logit of so many near nodes, and no feature. */
static void expect_near(const char *text, int64_t near, double epsilon) {
  term_fixture f;
  term_open(&f, text);
  const edgefw_decode_plan *plan = &f.graph.plan;
  assert_int_equal(plan->feature_count, 0);
  assert_int_equal(plan->logit_count, 1);
  assert_int_equal(plan->logits[0].kind, EDGEFW_LOGIT_NEAR_PENALTY);
  assert_int_equal(plan->logits[0].near, near);
  assert_true(plan->logits[0].far == -1.0 && plan->logits[0].epsilon == epsilon);
  term_expect_field(&f, plan->logits[0].table, "cost");
  for (int t = 0; t < EDGEFW_LOCAL_TENSORS; ++t) assert_int_equal(f.graph.logit_tensors[0][t], -1);
  term_close(&f);
}

static void it_declares_one_logit(void **state) {
  (void)state;
  expect_near(TINY_MODEL("distance_penalty"), 30, 1e-6);
}

static void more_nodes_are_near_where_there_is_a_load(void **state) {
  (void)state;
  expect_near(TINY_ON("cvrp", "distance_penalty"), 40, 0.0);
}

static void the_size_is_an_option(void **state) {
  (void)state;
  expect_near(TINY_MODEL("distance_penalty") "[term.distance_penalty]\nlocal_size = 7\n", 7, 1e-6);
}

/* Near by the file's own costs, or by the coordinates that the networks see. */
static void nearness_is_what_the_problem_says(void **state) {
  (void)state;
  static const char *const texts[] = {
      TINY_ON("cvrp\ncoordinate_scale = per_axis", "distance_penalty"),
      TINY_ON("cvrp\ncoordinate_scale = elg", "distance_penalty")};
  for (int elg = 0; elg < 2; ++elg) {
    term_fixture f;
    term_open(&f, texts[elg]);
    const int table = f.graph.plan.logits[0].table;
    if (elg)
      term_expect_distances(&f, table, "coords");
    else
      term_expect_field(&f, table, "cost");
    term_close(&f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_declares_one_logit),
      cmocka_unit_test(more_nodes_are_near_where_there_is_a_load),
      cmocka_unit_test(the_size_is_an_option),
      cmocka_unit_test(nearness_is_what_the_problem_says),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
