/* Solutions to begin with: whose they are, what is wrong with them, and that nothing worse comes
 * out.
 * needs plugins: radar atsp acvrp */
#include "support/test.h"

#include <string.h>

#include "eval/start_tour.h"
#include "support/first_answer.h"
#include "support/io_support.h"
#include "support/sandbox.h"
#include "support/tiny_model.h"

/* The optimum is 1 2 6 3 4 5, which costs 32; 1 3 6 5 2 4 costs 276, more than any other. */
#define HAND                                                                                       \
  "NAME: hand\nTYPE: ATSP\nDIMENSION: 6\nEDGE_WEIGHT_TYPE: EXPLICIT\n"                             \
  "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"                                         \
  "0 3 41 17 5 29\n7 0 13 31 23 2\n11 43 0 1 37 19\n"                                              \
  "53 4 47 0 8 59\n6 61 21 14 0 10\n25 33 12 67 71 0\nEOF\n"
#define BEST "TOUR_SECTION\n6\n3\n4\n5\n1\n2\n-1\n"
#define POOR "TOUR_SECTION\n1\n3\n6\n5\n2\n4\n-1\n"

#define FLEET                                                                                      \
  "NAME: fleet\nTYPE: ACVRP\nDIMENSION: 4\nCAPACITY: 2\nEDGE_WEIGHT_TYPE: EXPLICIT\n"              \
  "EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 1 2 3\n4 0 5 6\n7 8 0 9\n9 7 5 0\n"     \
  "DEMAND_SECTION\n1 0\n2 1\n3 1\n4 1\nDEPOT_SECTION\n1\n-1\nEOF\n"

typedef struct fixture {
  tiny_model tiny;
  sandbox box;
  edgefw_arena *arena;
  char path[256], start[256];
  edgefw__instance_set set;
  io_log log;
} fixture;

static void open_fixture(fixture *f, const char *model, const char *name, const char *text) {
  memset(f, 0, sizeof *f);
  tiny_open(&f->tiny, model, "reference", 5, false);
  sandbox_create(&f->box);
  tiny_ok(&f->tiny, edgefw_arena_create(f->tiny.ctx, &f->arena, "test", 1 << 12, true));
  strcpy(f->path, sandbox_write(&f->box, name, text));
  tiny_ok(&f->tiny, edgefw__eval_file_set(f->tiny.ctx, f->arena, f->tiny.composition, f->path, true,
                                          &f->set));
  edgefw_set_log(f->tiny.ctx, io_collect, &f->log);
}

static void close_fixture(fixture *f) {
  edgefw_arena_destroy(f->arena);
  sandbox_remove(&f->box);
  tiny_close(&f->tiny);
}

static void begin_with(fixture *f, const char *name, const char *text) {
  strcpy(f->start, sandbox_write(&f->box, name, text));
  f->set.start = f->start;
}

static edgefw_status evaluate(fixture *f, const edgefw__eval_settings *settings,
                              edgefw__eval_result *result, first_answer *answer) {
  return edgefw__evaluate(f->tiny.model, &f->set, settings, NULL, NULL, result, first_answer_keep,
                          answer);
}

static const edgefw__eval_settings greedy = {
    .clip = 50.0, .select = EDGEFW_SELECT_GREEDY, .samples = 1, .augment = 1};

static double cost_of(fixture *f, const edgefw__eval_settings *settings) {
  edgefw__eval_result result;
  int32_t tour[8];
  first_answer answer = {.tour = tour};
  tiny_ok(&f->tiny, evaluate(f, settings, &result, &answer));
  assert_true(answer.cost == result.objective);
  return result.objective;
}

static void the_answer_is_no_worse(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_PLAIN, "hand.atsp", HAND);
  edgefw__eval_settings settings = greedy;
  settings.starts = 1;
  const double plain = cost_of(&f, &settings);
  assert_true(plain > 32.0);
  begin_with(&f, "best.tour", BEST);
  assert_true(cost_of(&f, &settings) == 32.0);
  begin_with(&f, "poor.tour", POOR);
  assert_true(cost_of(&f, &settings) == plain);
  /* It is improved as rollouts are. */
  settings.improve = true;
  assert_true(cost_of(&f, &settings) <= plain);
  f.set.start = NULL;
  const double improved = cost_of(&f, &settings);
  begin_with(&f, "poor.tour", POOR);
  assert_true(cost_of(&f, &settings) <= improved);
  close_fixture(&f);
}

/* Neither an end of the time nor of somebody's patience, however early, loses it. */
static void it_outlives_an_early_end(void **state) {
  (void)state;
  const volatile int flag = 1;
  fixture f;
  edgefw__eval_result result;
  int32_t tour[8];
  first_answer answer = {.tour = tour};
  open_fixture(&f, TINY_PLAIN, "hand.atsp", HAND);
  edgefw__eval_settings settings = greedy;
  settings.starts = 1;
  settings.improve = true;
  settings.keep_interrupted = true;
  begin_with(&f, "best.tour", BEST);
  edgefw_set_interrupt(f.tiny.ctx, &flag);
  tiny_fails(&f.tiny, evaluate(&f, &settings, &result, &answer), EDGEFW_INTERRUPTED, "interrupted");
  assert_true(answer.cost == 32.0);
  edgefw_set_interrupt(f.tiny.ctx, NULL);
  settings.deadline = 1e-9;
  assert_true(cost_of(&f, &settings) == 32.0);
  close_fixture(&f);
}

static void what_it_says_to_cost_is_compared(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_PLAIN, "hand.atsp", HAND);
  begin_with(&f, "best.tour", "COMMENT: cost 31\n" BEST);
  assert_true(cost_of(&f, &greedy) == 32.0);
  assert_non_null(strstr(f.log.text, "says that it costs 31; it costs 32 here"));
  begin_with(&f, "best.tour", "COMMENT: cost 32\n" BEST);
  memset(&f.log, 0, sizeof f.log);
  assert_true(cost_of(&f, &greedy) == 32.0);
  assert_int_equal(f.log.warnings, 0);
  close_fixture(&f);
}

static void refuse(fixture *f, const char *text, edgefw_status status, const char *why) {
  edgefw__eval_result result;
  int32_t tour[8];
  first_answer answer = {.tour = tour};
  begin_with(f, "wrong", text);
  tiny_fails(&f->tiny, evaluate(f, &greedy, &result, &answer), status, why);
  tiny_fails(&f->tiny, evaluate(f, &greedy, &result, &answer), status,
             "the solution to begin with");
}

static void what_is_no_solution_is_refused(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_PLAIN, "hand.atsp", HAND);
  refuse(&f, "TOUR_SECTION\n1\n2\n3\n-1\n", EDGEFW_MISMATCH, "wrong");
  refuse(&f, "DIMENSION: 7\n" BEST, EDGEFW_MISMATCH, "7");
  refuse(&f, "TOUR_SECTION\n1\n2\n3\n4\n5\n2\n-1\n", EDGEFW_FORMAT, "2");
  f.set.start = "/no/such.tour";
  edgefw__eval_result result;
  tiny_fails(&f.tiny, evaluate(&f, &greedy, &result, &(first_answer){0}), EDGEFW_IO,
             "/no/such.tour");
  close_fixture(&f);
  open_fixture(&f, TINY_ON("acvrp", ""), "fleet.vrp", FLEET);
  refuse(&f, "Route #1: 1 2 3\n", EDGEFW_CHECK_FAILED, "wrong");
  refuse(&f, "Route #1: 1 2\n", EDGEFW_MISMATCH, "wrong");
  begin_with(&f, "good.sol", "Route #1: 3 2\nRoute #2: 1\n");
  assert_true(cost_of(&f, &greedy) <= 3.0 + 5.0 + 7.0 + 1.0 + 4.0);
  close_fixture(&f);
}

/* With fixed nodes a tour must begin with them; a closed one is turned. */
static void it_begins_with_what_is_fixed(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_PLAIN, "hand.atsp", HAND);
  edgefw__eval_settings settings = greedy;
  settings.fixed = (const int64_t[]){3, 4};
  settings.fixed_count = 2;
  begin_with(&f, "best.tour", BEST);
  assert_true(cost_of(&f, &settings) == 32.0);
  settings.fixed = (const int64_t[]){3, 5};
  edgefw__eval_result result;
  tiny_fails(&f.tiny, evaluate(&f, &settings, &result, &(first_answer){0}), EDGEFW_CHECK_FAILED,
             "does not begin with the fixed nodes: at place 2 it has node 4, expected 5");
  close_fixture(&f);
}

/* A file is one input's, a folder has one of each. */
static void each_set_has_its_own(void **state) {
  (void)state;
  fixture f;
  open_fixture(&f, TINY_PLAIN, "hand.atsp", HAND);
  const edgefw_problem *problem = &f.tiny.composition->problem->vtable.problem;
  edgefw__instance_set generated = {.name = "6", .n = 6, .count = 4}, other = f.set;
  other.file = "elsewhere/other.atsp";
  edgefw__instance_set *const sets[] = {&f.set, &other, &generated};
  const char *file = edgefw_arena_text(f.arena, sandbox_write(&f.box, "s/hand.tour", BEST));
  const char *folder = edgefw_arena_text(f.arena, sandbox_path(&f.box, "s"));
  edgefw_context *ctx = f.tiny.ctx;
  tiny_ok(&f.tiny, edgefw__start_assign(ctx, f.arena, problem, "--start", file, sets, 1));
  assert_string_equal(f.set.start, file);
  tiny_fails(&f.tiny, edgefw__start_assign(ctx, f.arena, problem, "--start", file, sets, 3),
             EDGEFW_CONFIG, "there are 3 inputs");
  tiny_fails(&f.tiny, edgefw__start_assign(ctx, f.arena, problem, "--start", file, sets + 2, 1),
             EDGEFW_CONFIG, "set 6 has 4 instances of a generator; expected a file of one");
  f.set.start = NULL;
  tiny_ok(&f.tiny, edgefw__start_assign(ctx, f.arena, problem, "--start", folder, sets, 3));
  assert_string_equal(f.set.start, file);
  assert_null(other.start);
  assert_null(generated.start);
  assert_non_null(strstr(f.log.text, "2 of 3 inputs have no solution there"));
  tiny_fails(&f.tiny, edgefw__start_assign(ctx, f.arena, problem, "--start", folder, sets + 1, 2),
             EDGEFW_CONFIG, "holds no .tour that is called like an input");
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_answer_is_no_worse),
      cmocka_unit_test(it_outlives_an_early_end),
      cmocka_unit_test(what_it_says_to_cost_is_compared),
      cmocka_unit_test(what_is_no_solution_is_refused),
      cmocka_unit_test(it_begins_with_what_is_fixed),
      cmocka_unit_test(each_set_has_its_own),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
