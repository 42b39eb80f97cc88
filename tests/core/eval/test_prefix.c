/* Fixed nodes of an evaluation: every answer begins with them, and a set of which no tour can is
 * named.
 * needs plugins: radar atsp acvrp */
#include "support/test.h"

#include <string.h>

#include "data/instance_file.h"
#include "eval/prefix.h"
#include "support/tiny_model.h"

static void nothing_may_be_fixed(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_PLAIN, "reference", 5, false);
  const edgefw__eval_settings settings = {.clip = 50.0};
  edgefw__prefix prefix;
  const edgefw__instance_set set = {.name = "5", .n = 5, .count = 1};
  tiny_ok(&tiny, edgefw__prefix_open(tiny.ctx, &tiny.composition->problem->vtable.problem, &set,
                                     &settings, &prefix));
  assert_null(edgefw__prefix_fixed(&prefix));
  edgefw__prefix_close(tiny.ctx, &prefix);
  tiny_close(&tiny);
}

/* Where the file counts stops, the depot among them, so do the fixed nodes. */
static void stops_are_those_of_the_file(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_ON("acvrp", "edge"), "reference", 5, false);
  const edgefw_problem *problem = &tiny.composition->problem->vtable.problem;
  const edgefw__stops stops = {.depot = 2};
  const edgefw__instance_set set = {.name = "m.csv", .n = 5, .count = 1, .stops = &stops};
  edgefw__eval_settings settings = {
      .clip = 50.0, .fixed = (const int64_t[]){4, 3, 1}, .fixed_count = 3};
  static const int32_t nodes[] = {0, 3, 0, 1};
  edgefw__prefix prefix;
  tiny_ok(&tiny, edgefw__prefix_open(tiny.ctx, problem, &set, &settings, &prefix));
  assert_int_equal(prefix.fixed.count, 4);
  assert_memory_equal(prefix.fixed.nodes, nodes, sizeof nodes);
  edgefw__prefix_close(tiny.ctx, &prefix);
  settings.fixed = (const int64_t[]){4, 6, 1};
  tiny_fails(&tiny, edgefw__prefix_open(tiny.ctx, problem, &set, &settings, &prefix), EDGEFW_CONFIG,
             "entry 2 of the fixed nodes is 6: the file has stops 1 to 5");
  edgefw__prefix_close(tiny.ctx, &prefix);
  tiny_close(&tiny);
}

/* Answers of a set, all of which begin so. */
typedef struct expected {
  const int32_t *nodes;
  int64_t count, seen;
} expected;

static edgefw_status take_answer(void *user, const edgefw__eval_answer *answer) {
  expected *e = user;
  assert_true(answer->count >= e->count);
  for (int64_t k = 0; k < e->count; ++k) assert_int_equal(answer->tour[k], e->nodes[k]);
  ++e->seen;
  return EDGEFW_OK;
}

/* All searches at once, on a generated set. */
static void keep(const char *text, const int64_t *list, int64_t count, const int32_t *nodes,
                 int64_t node_count) {
  tiny_model tiny;
  tiny_open(&tiny, text, "reference", 5, false);
  const edgefw_problem *problem = &tiny.composition->problem->vtable.problem;
  const edgefw__instance_set set = {.name = "9", .n = 9, .count = 5, .seed = 8};
  const edgefw__eval_settings settings = {.clip = 10.0,
                                          .select = EDGEFW_SELECT_GREEDY,
                                          .samples = 1,
                                          .augment = 1,
                                          .improve = true,
                                          .fixed = list,
                                          .fixed_count = count,
                                          .beam = 2,
                                          .reconstruct = 2,
                                          .kicks = 20};
  edgefw__eval_result result;
  expected e = {nodes, node_count, 0};
  tiny_ok(&tiny,
          edgefw__evaluate(tiny.model, &set, &settings, NULL, NULL, &result, take_answer, &e));
  assert_int_equal(e.seen, 5);
  assert_true(problem->min_nodes <= 9);
  tiny_close(&tiny);
}

static void answers_begin_with_them(void **state) {
  (void)state;
  keep(TINY_OURS, (const int64_t[]){5, 3, 8}, 3, (const int32_t[]){4, 2, 7}, 3);
  keep(TINY_OURS, (const int64_t[]){9}, 1, (const int32_t[]){8}, 1);
  keep(TINY_ON("acvrp", "edge"), (const int64_t[]){5, 0, 3}, 3, (const int32_t[]){0, 5, 0, 3}, 4);
}

static void a_set_without_such_a_tour_is_named(void **state) {
  (void)state;
  tiny_model tiny;
  tiny_open(&tiny, TINY_PLAIN, "reference", 5, false);
  const edgefw__instance_set set = {.name = "six", .n = 6, .count = 2, .seed = 8};
  const edgefw__eval_settings settings = {
      .clip = 10.0, .samples = 1, .augment = 1, .fixed = (const int64_t[]){5, 8}, .fixed_count = 2};
  edgefw__eval_result result;
  tiny_fails(&tiny, edgefw__evaluate(tiny.model, &set, &settings, NULL, NULL, &result, NULL, NULL),
             EDGEFW_INFEASIBLE, "place 2, node 8 is more than the instance has");
  tiny_fails(&tiny, edgefw__evaluate(tiny.model, &set, &settings, NULL, NULL, &result, NULL, NULL),
             EDGEFW_INFEASIBLE, "set six");
  tiny_close(&tiny);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_may_be_fixed),
      cmocka_unit_test(stops_are_those_of_the_file),
      cmocka_unit_test(answers_begin_with_them),
      cmocka_unit_test(a_set_without_such_a_tour_is_named),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
