/* What a street network takes: fast roads, streets of one direction, times.
 * Everything is whole numbers, so that every machine makes the same. */
#include <math.h>

#include "data/road_network.h"
#include "edgefw/rng.h"

enum {
  LAST_PLACE = (1 << 20) - 1,
  FAST_ROADS = 4,
  STREET_WORDS = 4,
  LEAST_ONE_WAY = 10, /* of 100 streets, drawn for the whole network */
  ONE_WAYS = 41,
  LEAST_PACE = 70, /* time for a length, in percent, of a street */
  PACES = 61,
  LEAST_DIRECTION = 70, /* ... of one of its directions, on top of that */
  DIRECTIONS = 81,
  FAST_PACE = 35, /* of a fast road */
  TIME_DIVISOR = 100 * 100 * 4
};

static uint32_t word(const edgefw_generator *generator, uint64_t which) {
  return edgefw_generator_word(generator, EDGEFW_STREAM_ROAD, which);
}

static int64_t draw(uint32_t word, int64_t least, uint32_t range) {
  return least + edgefw_random_below(word, range);
}

/* Word `which` of a street's four. */
static uint32_t street_word(const edgefw_generator *generator, const edgefw__road_network *r,
                            int64_t street, uint64_t which) {
  return word(generator, EDGEFW__ROAD_PLACE_WORDS + 2 * (uint64_t)r->junctions +
                             STREET_WORDS * (uint64_t)street + which);
}

static int32_t length_of(const edgefw__street *street) {
  /* The root of a whole number below 2^52 is not rounded up to the next whole number. */
  const int32_t length = (int32_t)sqrt((double)street->squared);
  return length > 0 ? length : 1;
}

/* --- Fast roads: ways of least length across the square --- */

static int32_t nearest_to(const edgefw__road_network *r, int64_t x, int64_t y) {
  int64_t least = INT64_MAX;
  int32_t best = 0;
  for (int32_t j = 0; j < r->junctions; ++j) {
    const int64_t dx = r->x[j] - x, dy = r->y[j] - y, length = dx * dx + dy * dy;
    if (length >= least) continue;
    least = length;
    best = j;
  }
  return best;
}

/* The first street, of those at `to`, by which a shortest way from the search's source ends. */
static edgefw__street *last_street(const edgefw__road_network *r, int32_t to) {
  for (int64_t s = 0;; ++s) {
    edgefw__street *street = &r->streets[s];
    const int32_t before = street->low == to ? street->high : street->low;
    if ((street->low == to || street->high == to) &&
        r->least[before] + length_of(street) == r->least[to])
      return street;
  }
}

/* Where a road leaves the square, along one of its sides. */
static int64_t place_of(const edgefw_generator *generator, uint64_t number) {
  return word(generator, EDGEFW__ROAD_FAST_WORDS + number) >> 12;
}

static void mark_fast_roads(const edgefw_generator *generator, edgefw__road_network *r) {
  for (int64_t s = 0; s < r->street_count; ++s)
    r->streets[s].forth = r->streets[s].back = length_of(&r->streets[s]);
  edgefw__road_arcs_fill(r->streets, r->street_count, &r->arcs);
  for (uint64_t road = 0; road < FAST_ROADS; ++road) {
    const int64_t one = place_of(generator, 2 * road);
    const int64_t other = place_of(generator, 2 * road + 1);
    const bool upward = road % 2 == 1;
    const int32_t from = upward ? nearest_to(r, one, 0) : nearest_to(r, 0, one);
    int32_t at = upward ? nearest_to(r, other, LAST_PLACE) : nearest_to(r, LAST_PLACE, other);
    edgefw__road_shortest(&r->arcs, from, r->least, r->heap);
    while (at != from) {
      edgefw__street *street = last_street(r, at);
      street->fast = 1;
      at = street->low == at ? street->high : street->low;
    }
  }
}

/* --- Streets of one direction --- */

static void draw_kinds(const edgefw_generator *generator, edgefw__road_network *r) {
  const int64_t one_way = draw(word(generator, EDGEFW__ROAD_ONE_WAY_WORD), LEAST_ONE_WAY, ONE_WAYS);
  for (int64_t s = 0; s < r->street_count; ++s) {
    edgefw__street *street = &r->streets[s];
    const int64_t kind = draw(street_word(generator, r, s, 0), 0, 100);
    const bool both = kind >= one_way || street->fast;
    street->forth = both || kind % 2 == 0;
    street->back = both || kind % 2 == 1;
  }
}

/* A street gets both its directions where ways would not lead from each of its ends to the other.
 * As the streets hold together, all junctions then reach each other. */
static void open_both_ways(edgefw__road_network *r) {
  edgefw__road_arcs_fill(r->streets, r->street_count, &r->arcs);
  edgefw__road_parts(&r->arcs, r->least, (int32_t *)(void *)r->heap);
  for (int64_t s = 0; s < r->street_count; ++s) {
    edgefw__street *street = &r->streets[s];
    if (r->least[street->low] != r->least[street->high]) street->forth = street->back = 1;
  }
}

/* --- Times --- */

static int32_t time_of(const edgefw__street *street, int64_t pace, int64_t direction) {
  const int64_t taken = length_of(street) * pace * direction / TIME_DIVISOR;
  return taken > 0 ? (int32_t)taken : 1;
}

static void draw_times(const edgefw_generator *generator, edgefw__road_network *r) {
  for (int64_t s = 0; s < r->street_count; ++s) {
    edgefw__street *street = &r->streets[s];
    const int64_t pace =
        street->fast ? FAST_PACE : draw(street_word(generator, r, s, 1), LEAST_PACE, PACES);
    const int64_t forth = draw(street_word(generator, r, s, 2), LEAST_DIRECTION, DIRECTIONS);
    const int64_t back = draw(street_word(generator, r, s, 3), LEAST_DIRECTION, DIRECTIONS);
    if (street->forth) street->forth = time_of(street, pace, forth);
    if (street->back) street->back = time_of(street, pace, back);
  }
  edgefw__road_arcs_fill(r->streets, r->street_count, &r->arcs);
}

void edgefw__road_network_time(const edgefw_generator *generator, edgefw__road_network *network) {
  mark_fast_roads(generator, network);
  draw_kinds(generator, network);
  open_both_ways(network);
  draw_times(generator, network);
}
