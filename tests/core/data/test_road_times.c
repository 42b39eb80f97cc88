/* What a network takes: everybody reaches everybody, some streets have one direction, some roads
 * are fast, and each direction has a time of its own. */
#include "support/test.h"

#include <math.h>
#include <stdlib.h>

#include "data/generate.h"
#include "data/road_network.h"

enum { INSTANCES = 40, STOPS = 20 };

static void make(uint64_t instance, void *scratch, edgefw__road_network *out) {
  const edgefw_generator generator = {.seed = 2026, .instance = instance};
  edgefw__road_network_place(&generator, STOPS, scratch, out);
  edgefw__road_network_connect(out);
  edgefw__road_network_time(&generator, out);
}

static void *scratch_of(int64_t n) {
  void *scratch = calloc(1, edgefw__road_network_bytes(n));
  assert_non_null(scratch);
  return scratch;
}

/* There and back: so everybody reaches everybody. */
static void everybody_is_reached(void **state) {
  (void)state;
  void *scratch = scratch_of(STOPS);
  for (uint64_t i = 0; i < INSTANCES; ++i) {
    edgefw__road_network r;
    make(i, scratch, &r);
    edgefw__road_shortest(&r.arcs, 0, r.least, r.heap);
    for (int32_t j = 0; j < r.junctions; ++j) assert_true(r.least[j] != INT32_MAX);
    for (int64_t s = 0; s < r.street_count; ++s) {
      edgefw__street *street = &r.streets[s];
      const int32_t forth = street->forth;
      street->forth = street->back;
      street->back = forth;
    }
    edgefw__road_arcs_fill(r.streets, r.street_count, &r.arcs);
    edgefw__road_shortest(&r.arcs, 0, r.least, r.heap);
    for (int32_t j = 0; j < r.junctions; ++j) assert_true(r.least[j] != INT32_MAX);
  }
  free(scratch);
}

/* Between 10 and 50 of 100 streets, less those that had to be opened and the fast roads. */
static void some_streets_have_one_direction(void **state) {
  (void)state;
  void *scratch = scratch_of(STOPS);
  double sum = 0.0, least = 1.0, most = 0.0;
  for (uint64_t i = 0; i < INSTANCES; ++i) {
    edgefw__road_network r;
    int64_t one_way = 0;
    make(i, scratch, &r);
    for (int64_t s = 0; s < r.street_count; ++s) {
      one_way += r.streets[s].forth == 0 || r.streets[s].back == 0;
      if (r.streets[s].fast) assert_true(r.streets[s].forth > 0 && r.streets[s].back > 0);
    }
    const double share = (double)one_way / (double)r.street_count;
    sum += share;
    least = fmin(least, share);
    most = fmax(most, share);
  }
  assert_true(least > 0.0 && least < 0.12 && most > 0.25 && most < 0.5);
  assert_true(sum / INSTANCES > 0.15 && sum / INSTANCES < 0.3);
  free(scratch);
}

/* Time for a length lies where pace and direction can bring it, and both directions differ. */
static void times_follow_lengths(void **state) {
  (void)state;
  void *scratch = scratch_of(STOPS);
  int64_t fast = 0, streets = 0, equal = 0;
  for (uint64_t i = 0; i < INSTANCES; ++i) {
    edgefw__road_network r;
    make(i, scratch, &r);
    for (int64_t s = 0; s < r.street_count; ++s) {
      const edgefw__street *street = &r.streets[s];
      const double usual = floor(sqrt((double)street->squared)) / 4.0;
      const double low = (street->fast ? 0.35 : 0.7) * 0.7,
                   high = (street->fast ? 0.35 : 1.3) * 1.5;
      const int32_t times[2] = {street->forth, street->back};
      for (int d = 0; d < 2; ++d)
        if (times[d] > 0)
          assert_true(times[d] >= fmax(1.0, floor(low * usual)) && times[d] <= high * usual + 1.0);
      fast += street->fast;
      equal += street->forth == street->back;
      ++streets;
    }
  }
  assert_true(fast > streets / 10 && fast < streets / 2);
  assert_true(equal < streets / 20);
  free(scratch);
}

/* A fast road begins and ends at sides of the square: some junction near each side has one. */
static void fast_roads_cross_the_square(void **state) {
  (void)state;
  void *scratch = scratch_of(STOPS);
  edgefw__road_network r;
  make(0, scratch, &r);
  int32_t left = INT32_MAX, right = 0, low = INT32_MAX, high = 0;
  for (int64_t s = 0; s < r.street_count; ++s) {
    const int32_t ends[2] = {r.streets[s].low, r.streets[s].high};
    for (int e = 0; r.streets[s].fast && e < 2; ++e) {
      if (r.x[ends[e]] < left) left = r.x[ends[e]];
      if (r.x[ends[e]] > right) right = r.x[ends[e]];
      if (r.y[ends[e]] < low) low = r.y[ends[e]];
      if (r.y[ends[e]] > high) high = r.y[ends[e]];
    }
  }
  const int32_t side = 1 << 20;
  assert_true(left < side / 5 && right > side / 5 * 4 && low < side / 5 && high > side / 5 * 4);
  free(scratch);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everybody_is_reached), cmocka_unit_test(some_streets_have_one_direction),
      cmocka_unit_test(times_follow_lengths), cmocka_unit_test(fast_roads_cross_the_square)};
  return test_run(tests, NULL, NULL);
}
