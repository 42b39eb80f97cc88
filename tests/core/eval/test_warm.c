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

/* As many entries as there is room for are kept, without any other; more are not. */
static void there_is_room_for_so_much(void **state) {
  (void)state;
  edgefw__batch batch = {.capacity = 1, .n = 2048};
  assert_true(edgefw__warm_takes(&batch));
  batch.n = 2049;
  assert_false(edgefw__warm_takes(&batch));
  keep(10, 1, false);
  keep(2048, 1, false);
  assert_null(edgefw__warm_find(&warm, 10, 0, 1));
  assert_non_null(edgefw__warm_find(&warm, 2048, 0, 1));
  keep(10, 1, false);
  assert_null(edgefw__warm_find(&warm, 2048, 0, 1));
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
      WARM_TEST(there_is_room_for_so_much),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
