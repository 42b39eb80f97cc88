/* Every diagnostic on states made by hand, with a logit that is known: l(j) = -10 D_ij + 2 D_ji,
 * which answers to the arc that leads to j as it should, and to the one back a little. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "diagnostics/verdict.h"
#include "support/check.h"

enum { N = 4, I = 1, J = 3 };

static const edgefw__diagnostic_rules rules = {
    .perturbation = 0.5, .closeness = 0.1, .swap_threshold = 0.25};

static double logit(const double *cost) {
  return -10.0 * cost[I * N + J] + 2.0 * cost[J * N + I];
}

/* The state of a matrix with these two costs, whose unit is 0.2, answered by `answer`. */
static edgefw__diagnosed_state state_of(double forth, double back, double (*answer)(const double *),
                                        double *changed_cost) {
  double cost[N * N];
  for (int k = 0; k < N * N; ++k) cost[k] = k;
  cost[I * N + J] = forth;
  cost[J * N + I] = back;
  edgefw__diagnosed_state state = {.current = I,
                                   .candidate = J,
                                   .unit = 0.2,
                                   .forth = forth,
                                   .back = back,
                                   .logit = answer(cost),
                                   .pair = {-1, -1}};
  for (int which = 0; which < EDGEFW__COUNTERFACTUALS; ++which) {
    double other[N * N];
    memcpy(other, cost, sizeof cost);
    edgefw__counterfactual_set((edgefw__diagnostic)which, &state, &rules, N, other);
    state.changed[which] = answer(other);
    if (changed_cost) {
      changed_cost[2 * which] = other[I * N + J];
      changed_cost[2 * which + 1] = other[J * N + I];
    }
    for (int k = 0; k < N * N; ++k) /* nothing else moves */
      assert_true(k == I * N + J || k == J * N + I || other[k] == cost[k]);
    edgefw__counterfactual_unset(&state, N, other);
    assert_memory_equal(other, cost, sizeof cost);
  }
  return state;
}

static edgefw__verdict verdict(edgefw__diagnostic which, const edgefw__diagnosed_state *state) {
  return edgefw__verdict_of(which, state, &rules);
}

static void counterfactuals_change_two_costs(void **state) {
  (void)state;
  double found[2 * EDGEFW__COUNTERFACTUALS];
  /* A unit of 0.2, by half a unit: 0.1. */
  const double expected[] = {0.4, 0.7, 0.3, 0.8, 0.4, 0.6, 0.7, 0.3};
  const edgefw__diagnosed_state plain = state_of(0.3, 0.7, logit, found);
  check_close_f64(found, expected, 8, 1e-15, 0.0, "costs forth and back");
  check_close(edgefw__perturbation_of(&plain, &rules), 0.1, 1e-15, 0.0, "perturbation");
  (void)state_of(0.3, 0.04, logit, found);
  check_close(found[2 * EDGEFW__ANTISYM + 1], 0.0, 0.0, 0.0, "a cost that is lowered to 0");
}

static void a_good_logit_hits(void **state) {
  (void)state;
  const edgefw__diagnosed_state dearer = state_of(0.3, 0.7, logit, NULL);
  const edgefw__diagnosed_state cheaper = state_of(0.7, 0.3, logit, NULL);
  assert_int_equal(verdict(EDGEFW__CURRENT, &dearer), EDGEFW__HIT);
  assert_int_equal(verdict(EDGEFW__REVERSE, &dearer), EDGEFW__MISS); /* it rises */
  assert_int_equal(verdict(EDGEFW__ANTISYM, &dearer), EDGEFW__HIT);
  assert_int_equal(verdict(EDGEFW__SWAP, &dearer), EDGEFW__HIT);
  assert_int_equal(verdict(EDGEFW__SWAP, &cheaper), EDGEFW__HIT);
}

static double against(const double *cost) {
  return -logit(cost);
}

static void a_logit_that_is_the_wrong_way_round_misses(void **state) {
  (void)state;
  const edgefw__diagnosed_state dearer = state_of(0.3, 0.7, against, NULL);
  const edgefw__diagnosed_state cheaper = state_of(0.7, 0.3, against, NULL);
  assert_int_equal(verdict(EDGEFW__CURRENT, &dearer), EDGEFW__MISS);
  assert_int_equal(verdict(EDGEFW__REVERSE, &dearer), EDGEFW__HIT);
  assert_int_equal(verdict(EDGEFW__ANTISYM, &dearer), EDGEFW__MISS);
  assert_int_equal(verdict(EDGEFW__SWAP, &dearer), EDGEFW__MISS);
  assert_int_equal(verdict(EDGEFW__SWAP, &cheaper), EDGEFW__MISS);
}

static double saturated(const double *cost) {
  (void)cost;
  return 50.0;
}

static void a_logit_that_does_not_move_is_a_tie(void **state) {
  (void)state;
  const edgefw__diagnosed_state flat = state_of(0.3, 0.7, saturated, NULL);
  for (int which = 0; which < EDGEFW__COUNTERFACTUALS; ++which)
    assert_int_equal(verdict((edgefw__diagnostic)which, &flat), EDGEFW__TIE);
}

/* A quarter of the unit 0.2 is 0.05. */
static void close_costs_are_not_swapped(void **state) {
  (void)state;
  const edgefw__diagnosed_state close = state_of(0.3, 0.34, logit, NULL);
  const edgefw__diagnosed_state apart = state_of(0.3, 0.36, logit, NULL);
  assert_int_equal(verdict(EDGEFW__SWAP, &close), EDGEFW__LEFT_OUT);
  assert_int_equal(verdict(EDGEFW__SWAP, &apart), EDGEFW__HIT);
  const edgefw__diagnostic_rules all = {.perturbation = 0.5};
  const edgefw__diagnosed_state equal = state_of(0.3, 0.3, logit, NULL);
  assert_int_equal(edgefw__verdict_of(EDGEFW__SWAP, &equal, &all), EDGEFW__LEFT_OUT);
  assert_int_equal(edgefw__verdict_of(EDGEFW__SWAP, &close, &all), EDGEFW__HIT);
}

static void pairs_are_compared(void **state) {
  (void)state;
  edgefw__diagnosed_state s = {.pair = {-1, -1}};
  assert_int_equal(verdict(EDGEFW__PAIR, &s), EDGEFW__LEFT_OUT);
  s = (edgefw__diagnosed_state){.pair = {0, 2}, .pair_cost = {0.1, 0.4}, .pair_logit = {3.0, 2.0}};
  assert_int_equal(verdict(EDGEFW__PAIR, &s), EDGEFW__HIT);
  s.pair_logit[1] = 4.0;
  assert_int_equal(verdict(EDGEFW__PAIR, &s), EDGEFW__MISS);
  s.pair_cost[0] = 0.9;
  assert_int_equal(verdict(EDGEFW__PAIR, &s), EDGEFW__HIT);
  s.pair_logit[1] = s.pair_logit[0];
  assert_int_equal(verdict(EDGEFW__PAIR, &s), EDGEFW__TIE);
}

static void names_are_those_of_files(void **state) {
  (void)state;
  static const char *const names[] = {"current", "reverse", "antisym", "swap", "pair"};
  for (int which = 0; which < EDGEFW__DIAGNOSTICS; ++which)
    assert_string_equal(edgefw__diagnostic_name((edgefw__diagnostic)which), names[which]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counterfactuals_change_two_costs),
      cmocka_unit_test(a_good_logit_hits),
      cmocka_unit_test(a_logit_that_is_the_wrong_way_round_misses),
      cmocka_unit_test(a_logit_that_does_not_move_is_a_tie),
      cmocka_unit_test(close_costs_are_not_swapped),
      cmocka_unit_test(pairs_are_compared),
      cmocka_unit_test(names_are_those_of_files),
  };
  return test_run(tests, NULL, NULL);
}
