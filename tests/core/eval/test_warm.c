/* Batches and policies that are kept: found again, and let go in the order of their use.
 * needs plugins: atsp radar */
#include "support/test.h"

#include "eval/warm.h"
#include "support/tiny_model.h"

static tiny_model tiny;
static edgefw__warm warm;

static edgefw__batch *keep(int64_t n, int64_t capacity, bool decodes) {
  edgefw__batch *batch = NULL;
  edgefw__policy *policy = NULL;
  const edgefw_problem *problem = &tiny.composition->problem->vtable.problem;
  tiny_ok(&tiny, edgefw__batch_create(tiny.ctx, problem->fields, capacity, n, &batch));
  if (decodes) policy = tiny_policy(&tiny, capacity, n, false);
  edgefw__warm_keep(tiny.ctx, &warm, batch, policy);
  return batch;
}

static void what_is_kept_is_found(void **state) {
  (void)state;
  const edgefw__batch *heuristics = keep(6, 2, false), *decoded = keep(6, 2, true);
  assert_ptr_equal(edgefw__warm_find(&warm, 6, 0, 2)->batch, heuristics);
  assert_ptr_equal(edgefw__warm_find(&warm, 6, 6, 1)->batch, decoded);
  assert_non_null(edgefw__warm_find(&warm, 6, 6, 1)->policy);
  assert_null(edgefw__warm_find(&warm, 6, 3, 1));
  assert_null(edgefw__warm_find(&warm, 7, 6, 1));
  assert_null(edgefw__warm_find(&warm, 6, 6, 3));
  edgefw__warm_drop(tiny.ctx, &warm, decoded);
  assert_null(edgefw__warm_find(&warm, 6, 6, 1));
  assert_non_null(edgefw__warm_find(&warm, 6, 0, 1));
}

/* More room for the same size takes its place. */
static void a_size_is_kept_once(void **state) {
  (void)state;
  keep(6, 1, false);
  const edgefw__batch *larger = keep(6, 4, false);
  assert_ptr_equal(edgefw__warm_find(&warm, 6, 0, 1)->batch, larger);
  edgefw__warm_drop(tiny.ctx, &warm, larger);
  assert_null(edgefw__warm_find(&warm, 6, 0, 1));
}

static void the_one_used_longest_ago_gives_way(void **state) {
  (void)state;
  for (int64_t n = 10; n < 10 + EDGEFW__WARM_SIZES; ++n) keep(n, 1, false);
  assert_non_null(edgefw__warm_find(&warm, 10, 0, 1));
  keep(50, 1, false);
  assert_non_null(edgefw__warm_find(&warm, 10, 0, 1));
  assert_null(edgefw__warm_find(&warm, 11, 0, 1));
  assert_non_null(edgefw__warm_find(&warm, 12, 0, 1));
}

/* One that is larger than all may be together is there alone. */
static void a_large_one_is_alone(void **state) {
  (void)state;
  keep(10, 1, false);
  keep(3000, 1, false);
  assert_null(edgefw__warm_find(&warm, 10, 0, 1));
  assert_non_null(edgefw__warm_find(&warm, 3000, 0, 1));
  keep(10, 1, false);
  assert_null(edgefw__warm_find(&warm, 3000, 0, 1));
}

static int set_up(void **state) {
  (void)state;
  warm = (edgefw__warm){.clock = 0};
  tiny_open(&tiny, TINY_PLAIN, "reference", 5, false);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  edgefw__warm_drop(tiny.ctx, &warm, NULL);
  tiny_close(&tiny);
  return 0;
}

#define WARM_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      WARM_TEST(what_is_kept_is_found),
      WARM_TEST(a_size_is_kept_once),
      WARM_TEST(the_one_used_longest_ago_gives_way),
      WARM_TEST(a_large_one_is_alone),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
