/* Ways over a street network: arcs, shortest ways and connected parts against what a search of all
 * pairs finds. */
#include "support/test.h"

#include <string.h>

#include "data/road_paths.h"
#include "edgefw/rng.h"

enum { MOST = 12, MOST_STREETS = 60 };

typedef struct graph {
  edgefw__street streets[MOST_STREETS];
  int64_t count;
  int32_t first[MOST + 1], head[2 * MOST_STREETS], taken[2 * MOST_STREETS];
  edgefw__road_arcs arcs;
} graph;

static void fill(graph *g, int32_t junctions) {
  g->arcs = (edgefw__road_arcs){
      .junctions = junctions, .first = g->first, .head = g->head, .taken = g->taken};
  edgefw__road_arcs_fill(g->streets, g->count, &g->arcs);
}

/* Streets between any junctions, each direction open with a chance of `open` in 100. */
static void draw(graph *g, uint64_t seed, int32_t junctions, int64_t streets, uint32_t open) {
  memset(g, 0, sizeof *g);
  for (uint64_t s = 0; (int64_t)s < streets; ++s) {
    uint32_t word[4];
    edgefw_random_block(seed, EDGEFW_STREAM_ROAD, 0, (uint32_t)s, word);
    const int32_t a = (int32_t)edgefw_random_below(word[0], (uint32_t)junctions);
    const int32_t b = (int32_t)edgefw_random_below(word[1], (uint32_t)junctions);
    if (a == b) continue;
    edgefw__street *street = &g->streets[g->count++];
    street->low = a < b ? a : b;
    street->high = a < b ? b : a;
    if (word[2] % 100 < open) street->forth = 1 + (int32_t)(word[2] >> 20);
    if (word[3] % 100 < open) street->back = 1 + (int32_t)(word[3] >> 20);
  }
  fill(g, junctions);
}

/* Floyd's and Warshall's way; INT32_MAX: there is none. */
static void all_ways(const graph *g, int32_t least[MOST][MOST]) {
  const int32_t n = g->arcs.junctions;
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j) least[i][j] = i == j ? 0 : INT32_MAX;
  for (int64_t s = 0; s < g->count; ++s) {
    const edgefw__street *t = &g->streets[s];
    if (t->forth > 0 && t->forth < least[t->low][t->high]) least[t->low][t->high] = t->forth;
    if (t->back > 0 && t->back < least[t->high][t->low]) least[t->high][t->low] = t->back;
  }
  for (int32_t k = 0; k < n; ++k)
    for (int32_t i = 0; i < n; ++i)
      for (int32_t j = 0; j < n; ++j)
        if (least[i][k] != INT32_MAX && least[k][j] != INT32_MAX &&
            least[i][k] + least[k][j] < least[i][j])
          least[i][j] = least[i][k] + least[k][j];
}

static void arcs_stand_by_their_beginnings(void **state) {
  (void)state;
  graph g = {.count = 3,
             .streets = {{.low = 0, .high = 2, .forth = 5, .back = 6},
                         {.low = 1, .high = 2, .forth = 0, .back = 7},
                         {.low = 0, .high = 1, .forth = 8, .back = 0}}};
  fill(&g, 4); /* the last junction has no street */
  static const int32_t first[] = {0, 2, 2, 4, 4}, head[] = {2, 1, 0, 1}, taken[] = {5, 8, 6, 7};
  assert_memory_equal(g.first, first, sizeof first);
  assert_memory_equal(g.head, head, sizeof head);
  assert_memory_equal(g.taken, taken, sizeof taken);
}

static void ways_are_the_shortest(void **state) {
  (void)state;
  int64_t met = 0, missing = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    graph g;
    int32_t expected[MOST][MOST], least[MOST];
    uint64_t heap[2 * MOST_STREETS + 1];
    draw(&g, seed, 1 + (int32_t)(seed % MOST), (int64_t)(seed % MOST_STREETS), 60);
    all_ways(&g, expected);
    for (int32_t i = 0; i < g.arcs.junctions; ++i) {
      edgefw__road_shortest(&g.arcs, i, least, heap);
      for (int32_t j = 0; j < g.arcs.junctions; ++j) {
        assert_int_equal(least[j], expected[i][j]);
        missing += least[j] == INT32_MAX;
        met += least[j] != INT32_MAX;
      }
    }
  }
  assert_true(met > 1000 && missing > 1000);
}

static void parts_are_those_that_reach_each_other(void **state) {
  (void)state;
  int64_t together = 0, apart = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    graph g;
    int32_t least[MOST][MOST], part[MOST], scratch[EDGEFW__ROAD_PARTS_SCRATCH * MOST];
    draw(&g, seed, MOST, 8 + (int64_t)(seed % 24), 40 + (uint32_t)(seed % 30));
    all_ways(&g, least);
    edgefw__road_parts(&g.arcs, part, scratch);
    for (int32_t i = 0; i < MOST; ++i)
      for (int32_t j = 0; j < MOST; ++j) {
        const bool both = least[i][j] != INT32_MAX && least[j][i] != INT32_MAX;
        assert_true(part[i] >= 0);
        assert_int_equal(part[i] == part[j], both);
        together += both && i != j;
        apart += !both;
      }
  }
  assert_true(together > 1000 && apart > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(arcs_stand_by_their_beginnings),
                                     cmocka_unit_test(ways_are_the_shortest),
                                     cmocka_unit_test(parts_are_those_that_reach_each_other)};
  return test_run(tests, NULL, NULL);
}
