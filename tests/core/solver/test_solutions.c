/* Solutions: filled, read by structs of any size, and read past their end. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "solver/solutions.h"
#include "support/out_of_memory.h"

static edgefw_context *ctx;

static void a_new_one_is_empty(void **state) {
  (void)state;
  edgefw_solutions *s = NULL;
  int64_t stride = 0;
  assert_int_equal(edgefw__solutions_create(ctx, 2, 3, &s), EDGEFW_OK);
  edgefw_solution one = {.size = sizeof one};
  assert_int_equal(edgefw_solutions_get(s, 1, &one), EDGEFW_OK);
  assert_int_equal(one.count, 0);
  assert_true(isnan(one.cost) && isnan(one.bound));
  assert_null(one.maker);
  assert_int_equal(edgefw_solutions_count(s), 2);
  assert_int_equal(edgefw_solutions_nodes(s, &stride)[5], -1);
  assert_int_equal(stride, 3);
  assert_int_equal(edgefw_solutions_get(s, 2, &one), EDGEFW_INVALID_ARGUMENT);
  assert_int_equal(edgefw_solutions_get(s, -1, &one), EDGEFW_INVALID_ARGUMENT);
  edgefw_solutions_destroy(s);
}

/* A caller of an older version has a shorter struct, one of a newer version a longer one. */
static void structs_are_filled_as_far_as_they_go(void **state) {
  (void)state;
  edgefw_solutions *s = NULL;
  struct {
    edgefw_solution known;
    char more[16];
  } longer;
  edgefw_solution shorter;
  assert_int_equal(edgefw__solutions_create(ctx, 1, 3, &s), EDGEFW_OK);
  s->costs[0] = 7.0;
  memset(&shorter, 0x5a, sizeof shorter);
  memset(&longer, 0x5a, sizeof longer);
  shorter.size = offsetof(edgefw_solution, bound);
  longer.known.size = sizeof longer;
  assert_int_equal(edgefw_solutions_get(s, 0, &shorter), EDGEFW_OK);
  assert_int_equal(edgefw_solutions_get(s, 0, &longer.known), EDGEFW_OK);
  assert_true(shorter.cost == 7.0 && longer.known.cost == 7.0);
  assert_int_equal(((char *)&shorter)[offsetof(edgefw_solution, bound)], 0x5a);
  assert_int_equal(longer.more[0], 0x5a);
  assert_int_equal(longer.known.size, sizeof(edgefw_solution));
  edgefw_solutions_destroy(s);
}

static void names_are_kept_once(void **state) {
  (void)state;
  edgefw_solutions *s = NULL;
  char name[] = "policy";
  assert_int_equal(edgefw__solutions_create(ctx, 1, 3, &s), EDGEFW_OK);
  const char *kept = edgefw__solutions_maker(s, name);
  assert_ptr_equal(edgefw__solutions_maker(s, "policy"), kept);
  name[0] = 'x';
  assert_string_equal(kept, "policy");
  edgefw_solutions_destroy(s);
}

static edgefw_status make(edgefw_context *own, void *user) {
  edgefw_solutions *s = NULL;
  (void)user;
  const edgefw_status status = edgefw__solutions_create(own, 100, 1000, &s);
  edgefw_solutions_destroy(s);
  return status;
}

static void memory_may_end_anywhere(void **state) {
  (void)state;
  out_of_memory_sweep(make, NULL);
}

static int set_up(void **state) {
  (void)state;
  return (int)edgefw_context_create(&ctx, NULL);
}

static int tear_down(void **state) {
  (void)state;
  edgefw_context_destroy(ctx);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_new_one_is_empty),
      cmocka_unit_test(structs_are_filled_as_far_as_they_go),
      cmocka_unit_test(names_are_kept_once),
      cmocka_unit_test(memory_may_end_anywhere),
  };
  return test_run(tests, set_up, tear_down);
}
