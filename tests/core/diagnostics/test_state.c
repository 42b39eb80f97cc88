/* Where states lie, and what is drawn in them. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "diagnostics/state.h"
#include "support/check.h"

static const edgefw_problem closed = {.start = EDGEFW_START_EACH_NODE};
static const edgefw_problem routes = {.start = EDGEFW_START_EACH_CUSTOMER};
static const double none = (double)NAN;

static void ranges_end_before_the_last_choice(void **state) {
  (void)state;
  const int32_t tour[] = {2, 0, 1, 4, 3};
  const edgefw__state_range whole = edgefw__state_range_of(&closed, tour, 5);
  assert_int_equal(whole.least, 1);
  assert_int_equal(whole.last, 3);
  const int32_t filled[] = {0, 2, 0, 1, 3, 0, 0, 0};
  const edgefw__state_range first = edgefw__state_range_of(&routes, filled, 8);
  assert_int_equal(first.least, 2);
  assert_int_equal(first.last, 4); /* before node 3 */
  const int32_t full[] = {0, 2, 0, 1, 0, 3};
  assert_int_equal(edgefw__state_range_of(&routes, full, 6).last, 5);
}

/* The states of one size go from the beginning of a tour to its end, each place alike often. */
static void states_are_spread_over_the_tour(void **state) {
  (void)state;
  const edgefw__state_range range = {1, 8};
  int count[9] = {0};
  int64_t before = 0;
  for (int64_t m = 0; m < 800; ++m) {
    const int64_t entries = edgefw__state_entries(9, m, 800, range);
    assert_in_range(entries, 1, 8);
    assert_true(entries >= before);
    before = entries;
    ++count[entries];
  }
  for (int t = 1; t <= 8; ++t) assert_in_range(count[t], 99, 101);
  const edgefw__state_range one = {3, 3};
  assert_int_equal(edgefw__state_entries(9, 0, 1, one), 3);
}

enum { N = 5 };

/* From node 0, which the route comes back to: nodes 1, 2 and 4 are open. 1 and 2 are alike: home 5
 * and 5.2, out 5 and 5.2, in 3 and 3.1. 4 is not. */
static const double cost[N * N] = {
    0,   3,  7,   9,  9, //
    5,   0,  6,   8,  9, //
    5.2, 6,  0,   8,  9, //
    9,   8,  3.1, 0,  9, //
    20,  18, 17,  16, 0,
};
static const double logits[N] = {0, 1.5, -2.5, 0, 0.25};

static edgefw__state_view view_of(double *open, double *scratch) {
  memcpy(open, logits, sizeof logits);
  open[0] = open[3] = none;
  return (edgefw__state_view){.cost = cost, .logits = open, .n = N, .scratch = scratch};
}

static edgefw__diagnosed_state drawn(const edgefw__state_view *view, int64_t number,
                                     double closeness) {
  static const int32_t tour[] = {3, 0};
  const edgefw__diagnostic_rules rules = {.closeness = closeness};
  edgefw__diagnosed_state state = {.number = number, .tour = tour, .entries = 2, .closing = 0};
  edgefw__state_draw(view, 4, &rules, &state);
  return state;
}

static void every_candidate_is_drawn_alike_often(void **state) {
  (void)state;
  double open[N], scratch[2 * N], sum = 0.0;
  const edgefw__state_view view = view_of(open, scratch);
  int count[N] = {0};
  for (int k = 0; k < N * N; ++k) sum += cost[k];
  for (int64_t number = 0; number < 3000; ++number) {
    const edgefw__diagnosed_state s = drawn(&view, number, 0.05);
    assert_int_equal(s.current, 0);
    assert_int_equal(s.open, 3);
    check_close(s.unit, sum / 20.0, 1e-12, 0.0, "mean arc");
    assert_true(s.forth == cost[s.candidate] && s.back == cost[s.candidate * N]);
    assert_true(s.logit == logits[s.candidate]);
    ++count[s.candidate];
  }
  assert_int_equal(count[0] + count[3], 0);
  for (int j = 1; j < N; ++j)
    if (j != 3) assert_in_range(count[j], 900, 1100);
}

static void pairs_are_alike_but_for_the_arc_to_them(void **state) {
  (void)state;
  double open[N], scratch[2 * N];
  edgefw__state_view view = view_of(open, scratch);
  edgefw__diagnosed_state s = drawn(&view, 1, 0.05);
  assert_int_equal(s.pair[0], 1);
  assert_int_equal(s.pair[1], 2);
  assert_true(s.pair_cost[0] == 3 && s.pair_cost[1] == 7);
  assert_true(s.pair_logit[0] == 1.5 && s.pair_logit[1] == -2.5);
  s = drawn(&view, 1, 0.01); /* 0.2 of a mean arc of 9.2 is more */
  assert_int_equal(s.pair[0], -1);
  open[2] = none; /* what is not open is no candidate */
  s = drawn(&view, 1, 0.05);
  assert_int_equal(s.pair[0], -1);
  int seen = 0;
  view = view_of(open, scratch);
  for (int64_t number = 0; number < 100; ++number) { /* everything is alike: three pairs */
    s = drawn(&view, number, 100.0);
    seen |= 1 << (s.pair[0] + s.pair[1]);
  }
  assert_int_equal(seen, 1 << 3 | 1 << 5 | 1 << 6);
}

static void a_depot_is_in_no_pair(void **state) {
  (void)state;
  double open[N], scratch[2 * N];
  edgefw__state_view view = view_of(open, scratch);
  static const int32_t tour[] = {0, 3};
  const edgefw__diagnostic_rules rules = {.closeness = 100.0};
  open[0] = 1.0;
  open[1] = none;
  view.depot = true;
  for (int64_t number = 0; number < 50; ++number) {
    edgefw__diagnosed_state s = {.number = number, .tour = tour, .entries = 2};
    edgefw__state_draw(&view, 4, &rules, &s);
    assert_int_equal(s.pair[0], 2);
    assert_int_equal(s.pair[1], 4);
  }
}

/* Costs that are the same say nothing of which logit should be larger. */
static void equal_arcs_are_no_pair(void **state) {
  (void)state;
  double open[N], scratch[2 * N], same[N * N];
  edgefw__state_view view = view_of(open, scratch);
  memcpy(same, cost, sizeof cost);
  same[1] = same[2] = same[4] = 7.0;
  view.cost = same;
  assert_int_equal(drawn(&view, 1, 100.0).pair[0], -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranges_end_before_the_last_choice),
      cmocka_unit_test(states_are_spread_over_the_tour),
      cmocka_unit_test(every_candidate_is_drawn_alike_often),
      cmocka_unit_test(pairs_are_alike_but_for_the_arc_to_them),
      cmocka_unit_test(a_depot_is_in_no_pair),
      cmocka_unit_test(equal_arcs_are_no_pair),
  };
  return test_run(tests, NULL, NULL);
}
