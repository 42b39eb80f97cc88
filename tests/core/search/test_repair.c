/* Tours that rollouts could not keep free of forbidden arcs. */
#include "support/test.h"

#include <math.h>
#include <string.h>

#include "data/forbidden.h"
#include "search/repair.h"
#include "support/check.h"
#include "support/tiny_model.h"

enum { N = 8, COUNT = 3, STEPS = 2 * N };

typedef struct fixture {
  tiny_model tiny;
  edgefw__batch *batch;
  edgefw__policy *policy;
  int32_t tours[COUNT * STEPS];
  double lengths[COUNT];
  edgefw__repair_end ends[COUNT];
  edgefw__incumbents best;
} fixture;

static void open_fixture(fixture *f, const char *text) {
  memset(f, 0, sizeof *f);
  tiny_open(&f->tiny, text, "reference", 5, false);
  f->batch = tiny_batch(&f->tiny, N, 3, 0, COUNT);
  f->policy = tiny_policy(&f->tiny, COUNT, N, false);
  f->best = (edgefw__incumbents){.tours = f->tours, .lengths = f->lengths};
  f->batch->has_forbidden = true;
  for (int b = 0; b < COUNT; ++b) f->batch->limits[b] = (double)INFINITY;
}

static void close_fixture(fixture *f) {
  edgefw__policy_destroy(f->policy);
  edgefw__batch_destroy(f->tiny.ctx, f->batch);
  tiny_close(&f->tiny);
}

static double *cost_of(const fixture *f, int b) {
  return f->batch->data[0] + b * N * N; /* both problems declare costs first */
}

/* Forbid the arcs that `keep` does not want, at a price above any tour. */
static void forbid(fixture *f, int b, bool (*keep)(int i, int j)) {
  f->batch->limits[b] = (double)(2 * N + 1);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      if (i != j && !keep(i, j)) cost_of(f, b)[i * N + j] = f->batch->limits[b];
}

static edgefw__forbidden_use used(const fixture *f, int b) {
  const edgefw_instance instance = edgefw__batch_instance(f->batch, b);
  return edgefw__forbidden_used(&f->tiny.composition->problem->vtable.problem, &instance,
                                f->tours + b * f->policy->steps, f->policy->steps);
}

/* The problem's own checker prices the tour as the repair says. */
static void expect_checked(fixture *f, int b) {
  const edgefw_instance instance = edgefw__batch_instance(f->batch, b);
  double cost = 0.0;
  tiny_ok(&f->tiny, f->tiny.composition->problem->vtable.problem.check(
                        f->tiny.ctx, f->tiny.composition->problem_options, &instance,
                        f->tours + b * f->policy->steps, f->policy->steps, &cost));
  check_close(f->lengths[b], cost, 1e-12, 0.0, "length");
}

static void set_tour(fixture *f, int b, const int32_t *tour) {
  memcpy(f->tours + b * f->policy->steps, tour, (size_t)f->policy->steps * sizeof *tour);
}

static bool is_next(int i, int j) {
  return j == (i + 1) % N;
}

static bool is_next_or_far(int i, int j) {
  return is_next(i, j) || (i + j) % 3 == 0;
}

static bool leaves_node_1_unreached(int i, int j) {
  (void)i;
  return j != 1;
}

static void tours_are_freed_where_that_is_possible(void **state) {
  (void)state;
  static const int32_t tour[N] = {0, 2, 4, 6, 1, 3, 5, 7};
  fixture f;
  open_fixture(&f, TINY_PLAIN);
  forbid(&f, 0, is_next); /* one tour is left */
  forbid(&f, 1, is_next_or_far);
  forbid(&f, 2, leaves_node_1_unreached);
  for (int b = 0; b < COUNT; ++b) {
    set_tour(&f, b, tour);
    assert_true(used(&f, b).arcs > 0);
  }
  tiny_ok(&f.tiny, edgefw__search_repair(f.tiny.ctx, &f.tiny.composition->problem->vtable.problem,
                                         f.batch, &f.best, f.ends));
  for (int b = 0; b < COUNT; ++b) expect_checked(&f, b);
  assert_int_equal(used(&f, 0).arcs, 0);
  assert_int_equal(used(&f, 1).arcs, 0);
  assert_int_equal(used(&f, 2).arcs, 1); /* no more than must be */
  assert_int_equal(f.ends[0], EDGEFW__REPAIR_FREE);
  assert_int_equal(f.ends[1], EDGEFW__REPAIR_FREE);
  assert_int_equal(f.ends[2], EDGEFW__REPAIR_NO_TOUR);
  close_fixture(&f);
}

/* Also where other instances of the batch have forbidden arcs. */
static void free_tours_stay_as_they_are(void **state) {
  (void)state;
  static const int32_t tour[N] = {0, 2, 4, 6, 1, 3, 5, 7}, ring[N] = {3, 4, 5, 6, 7, 0, 1, 2};
  fixture f;
  open_fixture(&f, TINY_PLAIN);
  forbid(&f, 1, is_next_or_far);
  for (int b = 0; b < COUNT; ++b) {
    set_tour(&f, b, b == 1 ? ring : tour);
    f.lengths[b] = -1.0;
  }
  tiny_ok(&f.tiny, edgefw__search_repair(f.tiny.ctx, &f.tiny.composition->problem->vtable.problem,
                                         f.batch, &f.best, f.ends));
  for (int b = 0; b < COUNT; ++b) {
    check_same_bits(f.tours + b * N, b == 1 ? ring : tour, sizeof tour, "tour");
    assert_true(f.lengths[b] == -1.0);
    assert_int_equal(f.ends[b], EDGEFW__REPAIR_FREE);
  }
  close_fixture(&f);
}

static bool is_next_or_depot(int i, int j) {
  return j == 0 || i == 0 || j == i + 1;
}

/* Customers 1 .. 7 may be reached from the one before; 3 has no way home. */
static bool has_no_way_home_from_3(int i, int j) {
  return i == 3 ? j == 4 : is_next_or_depot(i, j);
}

static void routes_are_freed_too(void **state) {
  (void)state;
  static const int32_t routes[STEPS] = {0, 7, 3, 1, 0, 4, 2, 0, 6, 5};
  fixture f;
  open_fixture(&f, TINY_ON("acvrp", ""));
  forbid(&f, 0, is_next_or_depot);
  forbid(&f, 1, has_no_way_home_from_3);
  for (int b = 0; b < COUNT; ++b) {
    double *demand = f.batch->data[1] + b * N;
    for (int j = 0; j < N; ++j) demand[j] = j > 0 ? 5.0 : 0.0;
    f.batch->data[2][b] = 15.0;
    set_tour(&f, b, routes);
  }
  const edgefw__rollout_request request = {.clip = 10.0, .lengths_only = true};
  tiny_ok(&f.tiny, edgefw__policy_run(f.policy, f.batch, &request)); /* tolerances are known */
  tiny_ok(&f.tiny, edgefw__search_repair(f.tiny.ctx, &f.tiny.composition->problem->vtable.problem,
                                         f.batch, &f.best, f.ends));
  for (int b = 0; b < 2; ++b) {
    expect_checked(&f, b);
    assert_int_equal(used(&f, b).arcs, 0);
    assert_int_equal(f.ends[b], EDGEFW__REPAIR_FREE);
  }
  assert_int_equal(f.tours[2 * STEPS + 1], 7);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tours_are_freed_where_that_is_possible),
      cmocka_unit_test(free_tours_stay_as_they_are),
      cmocka_unit_test(routes_are_freed_too),
  };
  return tiny_missing() ? TEST_SKIPPED : test_run(tests, NULL, NULL);
}
