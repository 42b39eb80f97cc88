/* Somebody's solutions: priced on the file's numbers, or refused with node and place. */
/* needs plugins: atsp acvrp radar */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "data/dataset.h"
#include "eval/check_solution.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"

/* The best tour is 1-3-2-4 (5359); backwards it costs 6371. */
#define FOUR                                                                                       \
  "TYPE: ATSP\nDIMENSION: 4\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\n"        \
  "EDGE_WEIGHT_SECTION\n0 2609 2564 2622 2750 0 461 13 2795 45 0 58 2737 493 448 0\nEOF\n"

/* The depot is the last node: depot - 2 - 1 - depot costs 100, backwards 1002. */
#define THREE                                                                                      \
  "NAME : three\nTYPE : ACVRP\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\n"    \
  "DIMENSION : 3\nCAPACITY : 2\nEDGE_WEIGHT_SECTION\n0 2 0 100 0 1000 0 0 0\nDEMAND_SECTION\n"     \
  "1 1\n2 1\n3 0\nDEPOT_SECTION\n3\nEOF\n"

typedef struct fixture {
  tiny_model tiny;
  edgefw_arena *arena;
  sandbox box;
} fixture;

static fixture f;

static int set_up(void **state) {
  (void)state;
  tiny_begin(&f.tiny, NULL, TINY_PLAIN, "reference");
  tiny_ok(&f.tiny, edgefw_arena_create(f.tiny.ctx, &f.arena, "test", 0, true));
  sandbox_create(&f.box);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sandbox_remove(&f.box);
  edgefw_arena_destroy(f.arena);
  tiny_close(&f.tiny);
  return 0;
}

static edgefw_status check(const char *problem, const char *instance, const char *solution,
                           edgefw__checked_solution *out) {
  const char *file = edgefw_arena_text(f.arena, sandbox_write(&f.box, "four.x", instance));
  const char *tour = edgefw_arena_text(f.arena, sandbox_write(&f.box, "answer.y", solution));
  return edgefw__check_solution(
      f.tiny.ctx, f.arena, f.tiny.registry,
      &(edgefw__check_request){.problem = problem, .instance = file, .solution = tour}, out);
}

static void refuse(const char *instance, const char *solution, edgefw_status status,
                   const char *part) {
  edgefw__checked_solution out;
  tiny_fails(&f.tiny, check(NULL, instance, solution, &out), status, part);
}

static void a_tour_is_priced(void **state) {
  (void)state;
  edgefw__checked_solution out;
  tiny_ok(&f.tiny, check(NULL, FOUR, "TOUR_SECTION\n1\n3\n2\n4\n-1\n", &out));
  assert_true(out.cost == 5359.0 && isnan(out.stated));
  assert_string_equal(out.name, "four");
  assert_string_equal(out.problem, "atsp");
  assert_int_equal(out.n, 4);
  assert_int_equal(out.routes, 0);
  tiny_ok(&f.tiny, check(NULL, FOUR, "TOUR_SECTION\n4 2 3 1\n", &out));
  assert_true(out.cost == 6371.0);
}

static void routes_are_priced(void **state) {
  (void)state;
  edgefw__checked_solution out;
  tiny_ok(&f.tiny, check(NULL, THREE, "Route #1: 2 1\nCost 100\n", &out));
  assert_true(out.cost == 100.0 && out.stated == 100.0);
  assert_int_equal(out.routes, 1);
  assert_int_equal(out.n, 3);
  tiny_ok(&f.tiny, check("acvrp", THREE, "Route #1: 1\nRoute #2: 2\n", &out));
  assert_true(out.cost == 1000.0 && isnan(out.stated));
  assert_int_equal(out.routes, 2);
}

static void what_is_no_tour_names_node_and_place(void **state) {
  (void)state;
  refuse(FOUR, "TOUR_SECTION\n1\n3\n2\n-1\n", EDGEFW_MISMATCH, "does not visit node 4");
  refuse(FOUR, "TOUR_SECTION\n1\n3\n3\n2\n-1\n", EDGEFW_FORMAT, "line 4: the tour visits node 3");
  refuse(FOUR, "TOUR_SECTION\n1\n3\n2\n5\n-1\n", EDGEFW_FORMAT, "line 5: found '5'");
  refuse(THREE, "Route #1: 2\n", EDGEFW_MISMATCH, "no route visits customer 1");
  refuse(THREE, "Route #1: 2 1\nRoute #2: 2\n", EDGEFW_FORMAT, "line 2: customer 2 comes again");
  refuse(THREE, "Route #1: 3\n", EDGEFW_FORMAT, "line 1: found '3' in a route");
}

static void a_load_too_large_names_route_and_customer(void **state) {
  (void)state;
  static const char heavy[] =
      "NAME : heavy\nTYPE : ACVRP\nEDGE_WEIGHT_TYPE : EXPLICIT\nDIMENSION : 4\nCAPACITY : 5\n"
      "EDGE_WEIGHT_SECTION\n0 1 1 1 1 0 1 1 1 1 0 1 1 1 1 0\n"
      "DEMAND_SECTION\n1 0\n2 2\n3 3\n4 1\nDEPOT_SECTION\n1\n";
  edgefw__checked_solution out;
  tiny_ok(&f.tiny, check(NULL, heavy, "Route #1: 3\nRoute #2: 1 2\n", &out));
  refuse(heavy, "Route #1:\nRoute #2: 3 2 1\n", EDGEFW_CHECK_FAILED,
         "route 1 carries 6 when it has served customer 1; the capacity is 5");
}

static void a_cost_that_is_not_the_solutions_is_refused(void **state) {
  (void)state;
  edgefw__checked_solution out;
  refuse(THREE, "Route #1: 2 1\nCost 101\n", EDGEFW_CHECK_FAILED,
         "says that it costs 101; it costs 100");
  /* What is written with fewer digits was rounded. */
  refuse(THREE, "Route #1: 2 1\nCost 100.4\n", EDGEFW_CHECK_FAILED, "says that it costs 100.4");
  static const char real[] =
      "NAME : real\nTYPE : ATSP\nEDGE_WEIGHT_TYPE : EXPLICIT\nDIMENSION : 2\n"
      "EDGE_WEIGHT_SECTION\n0 0.12 0.0149 0\n";
  tiny_ok(&f.tiny, check(NULL, real, "TOUR_SECTION\n1 2\n", &out));
  assert_true(out.cost == 0.12 + 0.0149);
}

static void forbidden_arcs_are_named(void **state) {
  (void)state;
  edgefw__checked_solution out;
  const char *file = edgefw_arena_text(f.arena, sandbox_write(&f.box, "four.x", FOUR));
  const char *tour =
      edgefw_arena_text(f.arena, sandbox_write(&f.box, "a.tour", "TOUR_SECTION\n1 3 2 4 -1\n"));
  edgefw__check_request request = {.instance = file, .solution = tour, .forbidden = "2700"};
  tiny_fails(&f.tiny, edgefw__check_solution(f.tiny.ctx, f.arena, f.tiny.registry, &request, &out),
             EDGEFW_CHECK_FAILED, "uses 1 forbidden arc, the first from node 4 to node 1");
  request.forbidden = "2740"; /* that arc costs 2737 */
  tiny_ok(&f.tiny, edgefw__check_solution(f.tiny.ctx, f.arena, f.tiny.registry, &request, &out));
  assert_true(out.cost == 5359.0);
  request.forbidden = "many";
  tiny_fails(&f.tiny, edgefw__check_solution(f.tiny.ctx, f.arena, f.tiny.registry, &request, &out),
             EDGEFW_CONFIG, "--forbidden 'many'");
}

/* Tours state their cost in COMMENT. */
static void a_tours_cost_is_held_to_what_it_says(void **state) {
  (void)state;
  edgefw__checked_solution out;
  tiny_ok(&f.tiny, check(NULL, FOUR, "COMMENT : cost 5359\nTOUR_SECTION\n1\n3\n2\n4\n-1\n", &out));
  assert_true(out.stated == 5359.0);
  refuse(FOUR, "COMMENT : Length = 5360\nTOUR_SECTION\n1\n3\n2\n4\n-1\n", EDGEFW_CHECK_FAILED,
         "says that it costs 5360; it costs 5359");
}

/* Instances of a dataset: the second one, with the costs of the first doubled. */
static void instances_of_datasets_are_priced(void **state) {
  (void)state;
  const char *path = edgefw_arena_text(f.arena, sandbox_path(&f.box, "set.h5"));
  const char *tour =
      edgefw_arena_text(f.arena, sandbox_write(&f.box, "3.tour", "TOUR_SECTION\n2 3 1"));
  edgefw__batch *batch = tiny_batch(&f.tiny, 3, 8, 0, 2);
  for (int i = 0; i < 9; ++i) batch->data[0][9 + i] = 2 * (batch->data[0][i] = 1 + i);
  tiny_dataset(&f.tiny, path, batch);
  edgefw__batch_destroy(f.tiny.ctx, batch);
  edgefw__checked_solution out;
  edgefw__check_request request = {.instance = path, .number = 1, .solution = tour};
  tiny_ok(&f.tiny, edgefw__check_solution(f.tiny.ctx, f.arena, f.tiny.registry, &request, &out));
  assert_true(out.cost == 2 * (6.0 + 7.0 + 2.0)); /* arcs 2-3, 3-1, 1-2 */
  assert_string_equal(out.name, "set 1");
  assert_string_equal(out.problem, "atsp");
  request.number = 2;
  tiny_fails(&f.tiny, edgefw__check_solution(f.tiny.ctx, f.arena, f.tiny.registry, &request, &out),
             EDGEFW_CONFIG, "has no instance 2; expected 0 to 1");
}

static void files_must_go_together(void **state) {
  (void)state;
  edgefw__checked_solution out;
  refuse(FOUR, "1 2 3 4\n", EDGEFW_FORMAT, "holds no solution");
  refuse(FOUR, "Route #1: 1 2 3\n", EDGEFW_UNSUPPORTED, "TYPE is ATSP");
  tiny_fails(&f.tiny, check("atsp", FOUR, "Route #1: 1 2 3\n", &out), EDGEFW_MISMATCH,
             "a solution of the problem atsp is a tour");
  tiny_fails(&f.tiny, check("asp", FOUR, "TOUR_SECTION\n1\n", &out), EDGEFW_PLUGIN_FIND, "'atsp'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tour_is_priced),
      cmocka_unit_test(routes_are_priced),
      cmocka_unit_test(what_is_no_tour_names_node_and_place),
      cmocka_unit_test(a_load_too_large_names_route_and_customer),
      cmocka_unit_test(a_cost_that_is_not_the_solutions_is_refused),
      cmocka_unit_test(forbidden_arcs_are_named),
      cmocka_unit_test(a_tours_cost_is_held_to_what_it_says),
      cmocka_unit_test(instances_of_datasets_are_priced),
      cmocka_unit_test(files_must_go_together),
  };
  return test_run(tests, set_up, tear_down);
}
