/* Heuristic patching: both modes by hand, on random instances, and what each of them promises.
 * labels: oom
 * needs plugins: patching atsp acvrp */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "edgefw/assignment.h"
#include "edgefw/rng.h"
#include "support/check.h"
#include "support/expect.h"
#include "support/heuristic_random.h"
#include "support/routing_case.h"
#include "support/tiny_model.h"

static heuristic_case h;

static int setup(void **state) {
  (void)state;
  heuristic_open(&h, "patching");
  return 0;
}

static int teardown(void **state) {
  (void)state;
  heuristic_close(&h);
  return 0;
}

static const char *const modes[] = {"dynamic", "karp"};

static double length_of(edgefw_route_plan *plan, int64_t start) {
  int32_t tour[64];
  expect_ok(h.ctx, heuristic_tour(&h, plan, start, tour));
  return edgefw__tour_length(plan, tour, plan->n);
}

/* Two pairs, 0 1 and 2 3, with arcs of cost 1, and of the arcs between them 0 -> 3 and 2 -> 1 at 2,
 * all others at 9: the way from 0 to 3, on to 2 and to 1 costs 6. */
static void pairs_are_joined_where_it_is_cheapest(void **state) {
  (void)state;
  const double cost[] = {0, 1, 9, 2, 1, 0, 9, 9, 9, 2, 0, 1, 9, 9, 1, 0};
  edgefw_route_plan plan = {.size = sizeof plan, .n = 4, .cost = cost, .limit = (double)INFINITY};
  for (int m = 0; m < 2; ++m) {
    heuristic_set(&h, "mode", modes[m]);
    assert_true(length_of(&plan, 0) == 6.0);
  }
  /* From 1 the tour passes 0, and may still leave there; from 0 too, at once. From 3 it comes by 2
   * last, where it leaves for 1. */
  heuristic_set(&h, "mode", "dynamic");
  for (int64_t start = 0; start < 4; ++start) assert_true(length_of(&plan, start) == 6.0);
}

static void starts_are_those_of_the_mode(void **state) {
  (void)state;
  const double cost[25] = {0};
  edgefw_route_plan plan = {.size = sizeof plan, .n = 5, .cost = cost, .limit = (double)INFINITY};
  heuristic_set(&h, "mode", "dynamic");
  assert_int_equal(heuristic_starts(&h, &plan), 5);
  for (int32_t start = 0; start < 5; ++start) {
    int32_t tour[5];
    expect_ok(h.ctx, heuristic_tour(&h, &plan, start, tour));
    assert_int_equal(tour[0], start);
  }
  heuristic_set(&h, "mode", "karp");
  assert_int_equal(heuristic_starts(&h, &plan), 1);
}

static void random_tours_are_solutions(void **state) {
  (void)state;
  for (int m = 0; m < 2; ++m) {
    heuristic_set(&h, "mode", modes[m]);
    heuristic_check_random(&h, false, 1200);
  }
}

/* Joining the largest cycles by hand, with everything tried that there is. */
static double join_by_hand(const edgefw_route_plan *plan, int32_t *next) {
  const int64_t n = plan->n;
  for (;;) {
    int64_t of[64], size[64] = {0}, count = 0;
    bool seen[64] = {false};
    for (int32_t i = 0; i < n; ++i) {
      if (seen[i]) continue;
      for (int32_t x = i; !seen[x]; x = next[x], ++size[count]) {
        seen[x] = true;
        of[x] = count;
      }
      ++count;
    }
    if (count == 1) break;
    int64_t one = 0, two = -1;
    for (int64_t c = 1; c < count; ++c)
      if (size[c] > size[one]) one = c;
    for (int64_t c = 0; c < count; ++c)
      if (c != one && (two < 0 || size[c] > size[two])) two = c;
    double best = (double)INFINITY;
    int32_t x = 0, y = 0;
    for (int32_t i = 0; i < n; ++i)
      for (int32_t j = 0; j < n; ++j) {
        if (of[i] != one || of[j] != two) continue;
        const double price = plan->cost[i * n + next[j]] + plan->cost[j * n + next[i]] -
                             plan->cost[i * n + next[i]] - plan->cost[j * n + next[j]];
        if (!(price < best)) continue;
        best = price;
        x = i;
        y = j;
      }
    const int32_t kept = next[x];
    next[x] = next[y];
    next[y] = kept;
  }
  double length = 0.0;
  for (int32_t i = 0; i < n; ++i) length += plan->cost[i * n + next[i]];
  return length;
}

/* The rule of `dynamic` as it is said: at every node on the way all exits of all later nodes are
 * looked at. */
static double follow_by_hand(const edgefw_route_plan *plan, int32_t *next, int32_t start) {
  const int64_t n = plan->n;
  int32_t at = start;
  double length = 0.0;
  for (int64_t step = 0; step < n; ++step) {
    bool inside[64] = {false};
    int32_t before[64], best_x = at, best_j = -1;
    double best = (double)INFINITY;
    for (int32_t i = 0; i < n; ++i) before[next[i]] = i;
    for (int32_t x = at; !inside[x]; x = next[x]) inside[x] = true;
    for (int32_t x = at;; x = next[x]) {
      for (int32_t j = 0; j < n; ++j) {
        if (inside[j]) continue;
        const double price = plan->cost[x * n + j] + plan->cost[before[j] * n + next[x]] -
                             plan->cost[x * n + next[x]] - plan->cost[before[j] * n + j];
        if (!(price < best)) continue;
        best = price;
        best_x = x;
        best_j = j;
      }
      if (next[x] == start) break;
    }
    if (best_j >= 0 && best_x == at) {
      next[before[best_j]] = next[at];
      next[at] = best_j;
    }
    length += plan->cost[at * n + next[at]];
    at = next[at];
  }
  return length;
}

/* Random costs in [0, 1): without ties both ways of reckoning take the same exits. */
static void both_modes_do_as_they_say(void **state) {
  (void)state;
  enum { N = 40 };
  double cost[N * N];
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const bool symmetric = seed & 1; /* then there are many cycles */
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        const int word = symmetric && j < i ? j * N + i : i * N + j;
        const uint32_t bits = edgefw_random_word(seed, EDGEFW_STREAM_COST, 0, (uint64_t)word);
        cost[i * N + j] = i == j ? 0.0 : 1.0 + edgefw_random_unit(bits);
      }
    edgefw_route_plan plan = {.size = sizeof plan, .n = N, .cost = cost, .limit = (double)INFINITY};
    int32_t assigned[N], next[N];
    expect_ok(h.ctx, edgefw_assignment_solve(h.ctx, N, cost, assigned, NULL, NULL));
    heuristic_set(&h, "mode", "karp");
    memcpy(next, assigned, sizeof next);
    const double karp = join_by_hand(&plan, next);
    check_close(length_of(&plan, 0), karp, 1e-12, 1e-12, "karp");
    heuristic_set(&h, "mode", "dynamic");
    for (int32_t start = 0; start < N; start += 7) {
      memcpy(next, assigned, sizeof next);
      const double dynamic = follow_by_hand(&plan, next, start);
      check_close(length_of(&plan, start), dynamic, 1e-12, 1e-12, "dynamic");
    }
  }
}

static void depots_are_refused(void **state) {
  (void)state;
  heuristic_fits(&h, "atsp");
  heuristic_does_not_fit(&h, "acvrp", "it makes closed tours, and the problem has a depot");
}

static void an_interruption_and_lack_of_memory_are_told(void **state) {
  (void)state;
  static const volatile int interrupted = 1;
  routing_case c;
  int32_t tour[ROUTING_MOST];
  routing_make(&c, 8, false, true, ROUTING_FRACTIONS, 4);
  for (int m = 0; m < 2; ++m) {
    heuristic_set(&h, "mode", modes[m]);
    heuristic_sweep_memory(&h, &c.plan, 0);
    c.plan.ctx = h.ctx;
    edgefw_set_interrupt(h.ctx, &interrupted);
    tiny_fails(&h, heuristic_tour(&h, &c.plan, 0, tour), EDGEFW_INTERRUPTED, "interrupted");
    edgefw_set_interrupt(h.ctx, NULL);
  }
  routing_release(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_are_joined_where_it_is_cheapest),
      cmocka_unit_test(starts_are_those_of_the_mode),
      cmocka_unit_test(random_tours_are_solutions),
      cmocka_unit_test(both_modes_do_as_they_say),
      cmocka_unit_test(depots_are_refused),
      cmocka_unit_test(an_interruption_and_lack_of_memory_are_told),
  };
  return test_run(tests, setup, teardown);
}
