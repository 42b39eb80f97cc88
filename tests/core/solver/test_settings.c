/* Settings of a call: what they come to, and what is refused.
 * needs plugins: atsp radar nearest */
#include "support/test.h"

#include <stddef.h>

#include "solver/settings.h"
#include "support/check.h"
#include "support/solver_case.h"

static edgefw__call_settings take(const solver_case *c, const edgefw_solve_settings *given) {
  edgefw__call_settings out;
  solver_case_ok(c->ctx, edgefw__call_settings_take(c->ctx, c->model, given, &out));
  return out;
}

static void nothing_said_is_as_solve_does(void **state) {
  const solver_case *c = *state;
  edgefw__call_settings out;
  solver_case_ok(c->ctx, edgefw__call_settings_take(c->ctx, c->model, NULL, &out));
  assert_ptr_equal(out.eval.beside, &out.beside);
  assert_false(out.beside.optional); /* the model was named */
  assert_true(out.eval.improve && out.eval.keep_interrupted);
  assert_int_equal(out.eval.select, EDGEFW_SELECT_GREEDY);
  assert_int_equal(out.eval.kicks, 0);
}

/* As a program has it that was built when the header ended there. */
static void members_that_a_struct_lacks_are_as_usual(void **state) {
  const solver_case *c = *state;
  const edgefw_solve_settings given = {
      .size = offsetof(edgefw_solve_settings, starts), .seed = 7, .starts = -5};
  const edgefw__call_settings taken = take(c, &given);
  assert_int_equal(taken.eval.seed, 7);
  assert_int_equal(taken.eval.starts, 0);
}

static void a_limit_is_one_of_everything(void **state) {
  const solver_case *c = *state;
  edgefw_solve_settings given = {.size = sizeof given, .time_limit = 2.0};
  check_close(take(c, &given).eval.time_limit, 2.0, 0.0, 0.0, "time of search");
  check_close(take(c, &given).eval.deadline, 2.0, 0.0, 0.0, "deadline");
  given.kicks = -1;
  check_close(take(c, &given).eval.time_limit, 0.0, 0.0, 0.0, "time of no search");
  assert_int_equal(take(c, &given).eval.kicks, 0);
}

static void sides_are_chosen(void **state) {
  const solver_case *c = *state;
  edgefw_solve_settings given = {.size = sizeof given, .makers = EDGEFW_MAKERS_POLICY};
  assert_null(take(c, &given).eval.beside);
  given.makers = EDGEFW_MAKERS_HEURISTICS;
  assert_true(take(c, &given).constructs);
}

static void expect(const solver_case *c, const edgefw_solve_settings *given, edgefw_status status,
                   const char *part) {
  edgefw__call_settings out;
  solver_case_fails(c->ctx, edgefw__call_settings_take(c->ctx, c->model, given, &out), status,
                    part);
}

static void what_makes_no_sense_is_refused(void **state) {
  const solver_case *c = *state;
  const edgefw_solve_settings usual = {.size = sizeof usual};
  edgefw_solve_settings given = usual;
  given.starts = -1;
  expect(c, &given, EDGEFW_INVALID_ARGUMENT, "starts = -1: expected 0 to");
  given = usual;
  given.kicks = -2;
  expect(c, &given, EDGEFW_INVALID_ARGUMENT, "kicks = -2");
  given = usual;
  given.augment = 3;
  expect(c, &given, EDGEFW_INVALID_ARGUMENT, "augment = 3");
  given.augment = 8;
  expect(c, &given, EDGEFW_UNSUPPORTED, "no coordinates");
  given = usual;
  given.time_limit = -1.0;
  expect(c, &given, EDGEFW_INVALID_ARGUMENT, "time_limit = -1");
  given = usual;
  given.makers = EDGEFW_MAKERS_HEURISTICS;
  given.beam = 2;
  expect(c, &given, EDGEFW_UNSUPPORTED, "beam needs a trained model");
  given.size = 1;
  expect(c, &given, EDGEFW_INVALID_ARGUMENT, "edgefw_solve_settings");
}

#define SETTINGS_TEST(name)                                                                        \
  cmocka_unit_test_setup_teardown(name, solver_case_set_up, solver_case_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      SETTINGS_TEST(nothing_said_is_as_solve_does),
      SETTINGS_TEST(a_limit_is_one_of_everything),
      SETTINGS_TEST(members_that_a_struct_lacks_are_as_usual),
      SETTINGS_TEST(sides_are_chosen),
      SETTINGS_TEST(what_makes_no_sense_is_refused),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
