/* How many instances are evaluated at once.
 * needs plugins: atsp acvrp radar */
#include "support/test.h"

#include "eval/evaluate.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"

static edgefw__instance_set set_of(int64_t n) {
  return (edgefw__instance_set){.name = "many", .n = n, .size = n, .count = 1000};
}

static int64_t batch_of(const tiny_model *tiny, int64_t n, const edgefw__eval_settings *settings) {
  const edgefw__instance_set set = set_of(n);
  int64_t batch = 0;
  tiny_ok(tiny, edgefw__eval_batch(tiny->model, &set, settings, &batch));
  return batch;
}

/* Tours and instances stay within bounds where heuristics construct. */
static void heuristics_take_what_fits(void **state) {
  (void)state;
  sandbox box;
  tiny_model tiny;
  sandbox_create(&box);
  tiny_open_heuristic(&tiny, &box, "[problem]\nname = atsp\n[variant h]\nconstruct = inorder\n");
  const edgefw__eval_settings all = {.batch = 0}, asked = {.batch = 7}, one = {.starts = 1};
  assert_int_equal(batch_of(&tiny, 20, &all), 64);
  assert_int_equal(batch_of(&tiny, 20, &asked), 7);
  assert_int_equal(batch_of(&tiny, 1000, &all), 16); /* 64 MiB of 1000 x 1000 nodes */
  assert_int_equal(batch_of(&tiny, 5000, &all), 1);  /* less would be none */
  assert_int_equal(batch_of(&tiny, 1000, &one), 33); /* 256 MiB of matrices */
  assert_true(edgefw__eval_constructing_bytes(tiny.composition, 1000, 0, 16) <= (320u << 20));
  tiny_close(&tiny);
  sandbox_remove(&box);
}

static void a_policy_takes_what_is_asked_for(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_PLAIN, "reference", 5, false);
  const edgefw__eval_settings all = {.batch = 0}, asked = {.batch = 7};
  edgefw__instance_set few = set_of(8);
  few.count = 3;
  assert_int_equal(batch_of(&tiny, 8, &all), 64);
  assert_int_equal(batch_of(&tiny, 8, &asked), 7);
  assert_int_equal(edgefw__eval_batch_asked(tiny.model, &few, &asked), 3);
  tiny_close(&tiny);
}

/* An optional policy is left out of instances that are too large for it. */
static void large_instances_are_for_heuristics(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_PLAIN, "reference", 5, false);
  edgefw__eval_beside beside = {.composition = tiny.composition, .starts = 1, .optional = true};
  edgefw__eval_settings settings = {.starts = 1, .beside = &beside};
  edgefw__instance_set set = set_of(EDGEFW__BESIDE_NODES);
  int64_t batch = 0;
  bool decodes = false;
  tiny_ok(&tiny, edgefw__eval_plan(tiny.model, &set, &settings, &batch, &decodes));
  assert_true(decodes && batch > 0);
  set = set_of(EDGEFW__BESIDE_NODES + 1);
  batch = 0;
  tiny_ok(&tiny, edgefw__eval_plan(tiny.model, &set, &settings, &batch, &decodes));
  assert_true(!decodes && batch > 0);
  assert_string_equal(edgefw_message(tiny.ctx), "");
  beside.optional = false;
  tiny_ok(&tiny, edgefw__eval_plan(tiny.model, &set, &settings, &batch, &decodes));
  assert_true(decodes);
  tiny_close(&tiny);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heuristics_take_what_fits),
      cmocka_unit_test(a_policy_takes_what_is_asked_for),
      cmocka_unit_test(large_instances_are_for_heuristics),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
