/* One solution, begun elsewhere: the same cost, all starts, both directions where they cost the
 * same. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/routing_case.h"
#include "train/label_tours.h"

enum { N = ROUTING_MOST, MOST = 40, STEPS = 2 * N };

static const edgefw__label_draw draw = {7, 3};

/* Labels of a case's tour; every one is a solution of the same cost. */
static int64_t label(const routing_case *c, int64_t count, const edgefw__label_draw *how,
                     int32_t *tours) {
  void *memory = malloc(edgefw__label_tours_bytes(c->plan.n));
  assert_non_null(memory);
  const int64_t choices =
      edgefw__label_tours(&c->plan, c->tour, c->steps, count, how, memory, tours);
  const double cost = edgefw__tour_length(&c->plan, c->tour, c->steps);
  for (int64_t k = 0; k < count; ++k) {
    routing_check(c, tours + k * c->steps);
    check_close(edgefw__tour_length(&c->plan, tours + k * c->steps, c->steps), cost, 1e-12, 1e-12,
                "cost of a label");
  }
  free(memory);
  return choices;
}

static int64_t place_of(const int32_t *tour, int64_t steps, int32_t node) {
  int64_t t = 0;
  while (t < steps && tour[t] != node) ++t;
  return t;
}

/* As many labels as nodes begin with each of them once; fewer begin apart from each other. */
static void closed_tours_begin_everywhere(void **state) {
  (void)state;
  for (int64_t count = 1; count <= N; ++count) {
    routing_case c;
    int32_t tours[N * N];
    bool seen[N] = {false};
    routing_make(&c, N, false, false, ROUTING_WHOLE, 5);
    assert_int_equal(label(&c, count, &draw, tours), N - 1);
    for (int64_t k = 0; k < count; ++k) {
      const int32_t *tour = tours + k * N;
      assert_false(seen[tour[0]]);
      seen[tour[0]] = true;
      const int64_t place = place_of(c.tour, N, tour[0]);
      assert_true(place >= N * k / count && place < N * (k + 1) / count);
      for (int64_t t = 0; t < N; ++t) /* its own direction alone */
        assert_int_equal(tour[t], c.tour[(place + t) % N]);
    }
    routing_release(&c);
  }
}

/* Of many labels of a tour that costs the same both ways, how many are turned round? */
static int64_t count_reversed(bool symmetric) {
  routing_case c;
  int32_t tours[MOST * N];
  int64_t reversed = 0;
  routing_make(&c, N, false, symmetric, ROUTING_WHOLE, 5);
  (void)label(&c, MOST, &draw, tours);
  for (int64_t k = 0; k < MOST; ++k) {
    const int64_t place = place_of(c.tour, N, tours[k * N]);
    reversed += tours[k * N + 1] != c.tour[(place + 1) % N];
  }
  routing_release(&c);
  return reversed;
}

static void closed_tours_run_both_ways_where_they_may(void **state) {
  (void)state;
  assert_int_equal(count_reversed(false), 0);
  const int64_t reversed = count_reversed(true);
  assert_true(reversed > MOST / 4 && reversed < 3 * MOST / 4);
}

/* The load of the route that begins behind the depot at entry t, and its end. */
static double load_of(const routing_case *c, const int32_t *tour, int64_t *t) {
  double load = 0.0;
  for (++*t; *t < c->steps && tour[*t] != 0; ++*t) load += c->demand[tour[*t]];
  return load;
}

/* Every route comes first in some label; the others follow, the fullest first. */
static void every_route_comes_first(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    routing_case c;
    int32_t tours[MOST * STEPS];
    int64_t routes = 0;
    bool first[N] = {false};
    routing_make(&c, N, true, false, ROUTING_WHOLE, seed);
    for (int64_t t = 0; t + 1 < c.steps; ++t) routes += c.tour[t] == 0 && c.tour[t + 1] != 0;
    assert_true(routes > 1);
    assert_int_equal(label(&c, MOST, &draw, tours), N + routes - 3);
    for (int64_t k = 0; k < MOST; ++k) {
      const int32_t *tour = tours + k * c.steps;
      double before = 1e9;
      int64_t t = 0;
      first[tour[1]] = true;
      for (int64_t r = 0; r < routes; ++r) {
        const double load = load_of(&c, tour, &t);
        assert_true(load <= before);
        before = r == 0 ? 1e9 : load;
      }
    }
    int64_t begun = 0;
    for (int64_t j = 1; j < N; ++j) begun += first[j];
    assert_int_equal(begun, routes); /* in one direction alone */
    routing_release(&c);
  }
}

/* Routes of symmetric costs begin at either end. */
static void routes_run_both_ways_where_they_may(void **state) {
  (void)state;
  routing_case c;
  int32_t tours[MOST * STEPS];
  bool first[N] = {false};
  int64_t begun = 0, ends = 0;
  routing_make(&c, N, true, true, ROUTING_WHOLE, 2);
  (void)label(&c, MOST, &draw, tours);
  for (int64_t k = 0; k < MOST; ++k) first[tours[k * c.steps + 1]] = true;
  for (int64_t t = 1; t < c.steps; ++t) {
    const bool begins = c.tour[t] != 0 && c.tour[t - 1] == 0;
    const bool stops = c.tour[t] != 0 && (t + 1 == c.steps || c.tour[t + 1] == 0);
    ends += begins || stops;
  }
  for (int64_t j = 1; j < N; ++j) begun += first[j];
  assert_int_equal(begun, ends);
  routing_release(&c);
}

static void the_draw_alone_decides(void **state) {
  (void)state;
  const edgefw__label_draw others[] = {{8, 3}, {7, 4}};
  for (int depot = 0; depot < 2; ++depot) {
    routing_case c;
    int32_t once[4 * STEPS], again[4 * STEPS];
    routing_make(&c, N, depot == 1, true, ROUTING_WHOLE, 1);
    const size_t bytes = (size_t)(4 * c.steps) * sizeof *once;
    (void)label(&c, 4, &draw, once);
    (void)label(&c, 4, &draw, again);
    check_same_bits(again, once, bytes, "labels");
    for (int o = 0; o < 2; ++o) {
      (void)label(&c, 4, &others[o], again);
      assert_true(memcmp(again, once, bytes) != 0);
    }
    routing_release(&c);
  }
}

/* The smallest instances: two cities; one customer, whose label chooses nothing. */
static void the_smallest_have_labels(void **state) {
  (void)state;
  for (int depot = 0; depot < 2; ++depot) {
    routing_case c;
    int32_t tours[2 * 4];
    routing_make(&c, 2, depot == 1, false, ROUTING_WHOLE, 1);
    assert_int_equal(label(&c, 2, &draw, tours), depot == 1 ? 0 : 1);
    routing_release(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_tours_begin_everywhere),
      cmocka_unit_test(closed_tours_run_both_ways_where_they_may),
      cmocka_unit_test(every_route_comes_first),
      cmocka_unit_test(routes_run_both_ways_where_they_may),
      cmocka_unit_test(the_draw_alone_decides),
      cmocka_unit_test(the_smallest_have_labels),
  };
  return test_run(tests, NULL, NULL);
}
