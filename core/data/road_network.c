/* Random street networks. Everything is whole numbers, so that every machine makes the same. */
#include "data/road_network.h"

#include <stdlib.h>

#include "edgefw/rng.h"

enum {
  NEAREST = 8,     /* junctions to which a street may lead from a junction */
  PLACE_SHIFT = 12 /* from a word to a coordinate below 2^20 */
};

/* --- Scratch --- */

int32_t edgefw__road_junctions(int64_t n) {
  return (int32_t)(3 * n + 24);
}

/* Each junction finds at most NEAREST streets, and one more joins it to others. */
static int64_t most_streets(int64_t junctions) {
  return (NEAREST + 1) * junctions;
}

size_t edgefw__road_network_bytes(int64_t n) {
  const size_t junctions = (size_t)edgefw__road_junctions(n);
  const size_t streets = (size_t)most_streets((int64_t)junctions);
  const size_t bytes = streets * sizeof(edgefw__street) + (2 * streets + 1) * sizeof(uint64_t) +
                       (4 * streets + 4 * junctions + 1) * sizeof(int32_t);
  return (bytes + 7) / 8 * 8;
}

static void carve(int64_t n, void *scratch, edgefw__road_network *out) {
  const int32_t junctions = edgefw__road_junctions(n);
  const int64_t streets = most_streets(junctions);
  out->junctions = out->arcs.junctions = junctions;
  out->street_count = 0;
  out->heap = scratch;
  out->streets = (void *)(out->heap + 2 * streets + 1);
  out->x = (void *)(out->streets + streets);
  out->y = out->x + junctions;
  out->least = out->y + junctions;
  out->arcs.first = out->least + junctions;
  out->arcs.head = out->arcs.first + junctions + 1;
  out->arcs.taken = out->arcs.head + 2 * streets;
}

/* --- Streets: a planar graph of near neighbours (Gabriel and Sokal 1969) --- */

static int64_t squared(const edgefw__road_network *r, int32_t a, int32_t b) {
  const int64_t dx = r->x[a] - r->x[b], dy = r->y[a] - r->y[b];
  return dx * dx + dy * dy;
}

static void add_street(edgefw__road_network *r, int32_t a, int32_t b) {
  r->streets[r->street_count++] =
      (edgefw__street){.squared = squared(r, a, b), .low = a < b ? a : b, .high = a < b ? b : a};
}

/* The NEAREST junctions of a junction, the nearest first, of equally near ones the lower first. */
static int find_nearest(const edgefw__road_network *r, int32_t from, int32_t near[NEAREST]) {
  int64_t far[NEAREST];
  int count = 0;
  for (int32_t j = 0; j < r->junctions; ++j) {
    const int64_t length = squared(r, from, j);
    if (j == from || (count == NEAREST && length >= far[count - 1])) continue;
    int at = count < NEAREST ? count++ : count - 1;
    for (; at > 0 && far[at - 1] > length; --at) {
      far[at] = far[at - 1];
      near[at] = near[at - 1];
    }
    far[at] = length;
    near[at] = j;
  }
  return count;
}

/* A street leads to a near junction unless a third one lies within the circle over the two. Such a
 * one is nearer, so it is among those that came before. */
static void add_near_streets(edgefw__road_network *r, int32_t from) {
  int32_t near[NEAREST];
  const int count = find_nearest(r, from, near);
  for (int k = 0; k < count; ++k) {
    const int64_t length = squared(r, from, near[k]);
    bool open = true;
    for (int i = 0; i < k && open; ++i)
      open = squared(r, from, near[i]) + squared(r, near[i], near[k]) >= length;
    if (open) add_street(r, from, near[k]);
  }
}

static int compare_streets(const void *left, const void *right) {
  const edgefw__street *a = left, *b = right;
  if (a->squared != b->squared) return a->squared < b->squared ? -1 : 1;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  return (a->high > b->high) - (a->high < b->high);
}

/* From the shortest on, each once. */
static void sort_streets(edgefw__road_network *r) {
  int64_t kept = 0;
  qsort(r->streets, (size_t)r->street_count, sizeof *r->streets, compare_streets);
  for (int64_t s = 0; s < r->street_count; ++s)
    if (s == 0 || compare_streets(&r->streets[s], &r->streets[s - 1]) != 0)
      r->streets[kept++] = r->streets[s];
  r->street_count = kept;
}

/* --- Parts that no street joins (found with disjoint sets) --- */

static int32_t root_of(int32_t *parent, int32_t j) {
  while (parent[j] != j) j = parent[j] = parent[parent[j]];
  return j;
}

/* How many parts there are; r->least becomes their sets. */
static int32_t count_parts(edgefw__road_network *r) {
  int32_t *parent = r->least, parts = r->junctions;
  for (int32_t j = 0; j < r->junctions; ++j) parent[j] = j;
  for (int64_t s = 0; s < r->street_count; ++s) {
    const int32_t a = root_of(parent, r->streets[s].low), b = root_of(parent, r->streets[s].high);
    parent[a] = b;
    parts -= a != b;
  }
  return parts;
}

/* The shortest street between junction 0's part and the others. */
static void join_parts(edgefw__road_network *r) {
  edgefw__street best = {.squared = INT64_MAX};
  const int32_t home = root_of(r->least, 0);
  for (int32_t a = 0; a < r->junctions; ++a)
    for (int32_t b = a + 1; b < r->junctions; ++b) {
      if ((root_of(r->least, a) == home) == (root_of(r->least, b) == home)) continue;
      const edgefw__street street = {.squared = squared(r, a, b), .low = a, .high = b};
      if (compare_streets(&street, &best) < 0) best = street;
    }
  r->streets[r->street_count++] = best;
}

void edgefw__road_network_connect(edgefw__road_network *network) {
  network->street_count = 0;
  for (int32_t j = 0; j < network->junctions; ++j) add_near_streets(network, j);
  sort_streets(network);
  while (count_parts(network) > 1) {
    join_parts(network);
    sort_streets(network);
  }
}

static int32_t place(const edgefw_generator *generator, uint64_t number) {
  return (int32_t)(edgefw_generator_word(generator, EDGEFW_STREAM_ROAD,
                                         EDGEFW__ROAD_PLACE_WORDS + number) >>
                   PLACE_SHIFT);
}

void edgefw__road_network_place(const edgefw_generator *generator, int64_t n, void *scratch,
                                edgefw__road_network *out) {
  carve(n, scratch, out);
  for (int32_t j = 0; j < out->junctions; ++j) {
    out->x[j] = place(generator, 2 * (uint64_t)j);
    out->y[j] = place(generator, 2 * (uint64_t)j + 1);
  }
}
