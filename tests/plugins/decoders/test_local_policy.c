/* Term local_policy: attention over the near set. */
/* needs plugins: tsp cvrp */
#include "support/test.h"

#include <stdio.h>

#include "support/term_support.h"

static void expect_local(const term_fixture *f, int64_t near, int64_t from_step) {
  const edgefw_decode_plan *plan = &f->graph.plan;
  assert_int_equal(plan->feature_count, 0);
  assert_int_equal(plan->logit_count, 1);
  assert_int_equal(plan->logits[0].kind, EDGEFW_LOGIT_LOCAL_ATTENTION);
  assert_int_equal(plan->logits[0].near, near);
  term_expect_field(f, plan->logits[0].table, "cost");
  term_expect_field(f, plan->logits[0].points, "coords");
  assert_int_equal(f->graph.logit_from[0], from_step);
}

/* Names and sizes of the published tensors; an input more where there is a load. */
static void expect_parameters(const term_fixture *f, const char *layer, int64_t inputs) {
  const struct {
    const char *name;
    int64_t count;
  } expected[] = {{"init_emb.weight", 32 * inputs},
                  {"init_emb.bias", 32},
                  {"cur_token_emb", 32},
                  {"Wq.weight", 1024},
                  {"Wk.weight", 1024},
                  {"Wv.weight", 1024},
                  {"multi_head_combine.weight", 1024},
                  {"multi_head_combine.bias", 32}};
  const edgefw__parameters *parameters = f->tiny.model->parameters;
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
    char name[128];
    snprintf(name, sizeof name, "decoder.%s.%s", layer, expected[i].name);
    const int found = edgefw__parameters_find(parameters, name);
    if (found < 0) fail_msg("no parameter %s", name);
    assert_int_equal(parameters->items[found].count, expected[i].count);
  }
}

static void distances_have_an_epsilon(void **state) {
  (void)state;
  static const char *const texts[] = {TINY_ON("tsp", "local_policy"),
                                      TINY_ON("cvrp", "local_policy")};
  for (int i = 0; i < 2; ++i) {
    term_fixture f;
    term_open(&f, texts[i]);
    assert_true(f.graph.plan.logits[0].epsilon == 1e-6);
    term_close(&f);
  }
}

static void it_declares_one_learned_logit(void **state) {
  (void)state;
  term_fixture f;
  term_open(&f, TINY_ON("tsp", "local_policy"));
  expect_local(&f, 30, 0);
  expect_parameters(&f, "local_policy_0", 2);
  term_close(&f);
}

static void nearness_is_what_the_problem_says(void **state) {
  (void)state;
  term_fixture f;
  term_open(&f, TINY_ON("tsp\ncoordinate_scale = elg", "local_policy"));
  term_expect_distances(&f, f.graph.plan.logits[0].table, "coords");
  term_close(&f);
}

static void it_sees_the_load_where_there_is_one(void **state) {
  (void)state;
  term_fixture f;
  term_open(&f, TINY_ON("cvrp", "local_policy"));
  expect_local(&f, 40, 0);
  expect_parameters(&f, "local_policies.0", 3);
  term_close(&f);
}

static void size_and_first_step_are_options(void **state) {
  (void)state;
  term_fixture f;
  term_open(&f, TINY_ON("tsp", "local_policy") "[term.local_policy]\nlocal_size = 5\n"
                                               "from_step = 200000\n");
  expect_local(&f, 5, 200000);
  term_close(&f);
}

static void it_needs_coordinates(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_begin(&tiny, NULL, TINY_PLAIN, "reference");
  edgefw__config *config = NULL;
  tiny_fails(
      &tiny,
      edgefw__compose_text(tiny.ctx, tiny.registry, TINY_MODEL("local_policy"), "test", &config),
      EDGEFW_UNSUPPORTED, "it needs coordinates, and the problem has a cost matrix only");
  assert_null(config);
  tiny_close(&tiny);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_declares_one_learned_logit),
      cmocka_unit_test(nearness_is_what_the_problem_says),
      cmocka_unit_test(it_sees_the_load_where_there_is_one),
      cmocka_unit_test(distances_have_an_epsilon),
      cmocka_unit_test(size_and_first_step_are_options),
      cmocka_unit_test(it_needs_coordinates),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
