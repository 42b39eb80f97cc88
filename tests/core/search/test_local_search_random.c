/* Local search and kicks on many small random instances of every kind: never worse than what came
 * in, never better than the best there is, always a solution, the same on any number of threads.
 * EDGEFW_SEARCH_CASES says how many instances; 12000 without it.
 * labels: threads */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "search/anneal.h"
#include "search/kick_tour.h"
#include "search/local_search.h"
#include "support/check.h"
#include "support/routing_case.h"

enum { CHUNK = 500, CASES = 12000, KICKS = 5, STEPS = 2 * ROUTING_MOST };

/* What one number of threads made of a case. */
typedef struct outcome {
  int32_t improved[STEPS], kicked[STEPS], annealed[STEPS];
  double improved_cost, kicked_cost, annealed_cost;
} outcome;

typedef struct chunk {
  edgefw_context *ctx;
  routing_case cases[CHUNK];
  outcome outcomes[CHUNK];
  void *memory[3]; /* of each thread */
} chunk;

/* Every 8th case has costs that are all equal, every 8th has none at all. */
static void make_case(routing_case *c, uint64_t seed) {
  routing_make(c, 1 + (int64_t)(seed % 8), seed >> 3 & 1, seed >> 4 & 1,
               (routing_costs)(seed / 32 % ROUTING_COST_KINDS), seed);
  const uint64_t special = seed / 32 / ROUTING_COST_KINDS % 8;
  if (special > 1) return;
  for (int64_t e = 0; e < c->plan.n * c->plan.n; ++e)
    c->cost[e] = e % (c->plan.n + 1) == 0 || special == 0 ? 0.0 : 0.7;
  edgefw__nearby_find(&c->plan, &c->nearby);
}

static edgefw_status search_case(void *user, int64_t index, int thread) {
  chunk *k = user;
  const routing_case *c = &k->cases[index];
  outcome *o = &k->outcomes[index];
  const edgefw__kicks kicks = {.count = KICKS, .seed = 3, .instance = (uint64_t)index};
  memcpy(o->improved, c->tour, sizeof o->improved);
  o->improved_cost =
      edgefw__local_search(k->ctx, &c->plan, &c->nearby, k->memory[thread], o->improved, c->steps);
  memcpy(o->kicked, o->improved, sizeof o->kicked);
  o->kicked_cost = edgefw__local_search_kicks(k->ctx, &c->plan, &c->nearby, k->memory[thread],
                                              &kicks, o->kicked, c->steps);
  memcpy(o->annealed, c->tour, sizeof o->annealed);
  o->annealed_cost = edgefw__tour_length(&c->plan, c->tour, c->steps);
  if (c->plan.depot)
    o->annealed_cost =
        edgefw__anneal(k->ctx, &c->plan, k->memory[thread], &kicks, o->annealed, c->steps);
  return EDGEFW_OK;
}

/* A cost is added up in the tour's order, the optimum in another one. */
static void check_case(routing_case *c, const outcome *o) {
  const double before = edgefw__tour_length(&c->plan, c->tour, c->steps);
  const double least = routing_optimum(c) * (1.0 - 1e-12);
  routing_check(c, o->improved);
  routing_check(c, o->kicked);
  routing_check(c, o->annealed);
  assert_true(o->improved_cost == edgefw__tour_length(&c->plan, o->improved, c->steps));
  assert_true(o->kicked_cost == edgefw__tour_length(&c->plan, o->kicked, c->steps));
  assert_true(o->improved_cost <= before && o->kicked_cost <= o->improved_cost);
  assert_true(o->annealed_cost == edgefw__tour_length(&c->plan, o->annealed, c->steps));
  assert_true(o->annealed_cost <= before);
  assert_true(o->kicked_cost >= least && o->annealed_cost >= least);
}

static void search_chunk(chunk *k, uint64_t first) {
  static outcome one_thread[CHUNK];
  for (int i = 0; i < CHUNK; ++i) make_case(&k->cases[i], first + (uint64_t)i);
  for (int threads = 1; threads <= 3; ++threads) {
    memset(k->outcomes, 0, sizeof k->outcomes);
    edgefw_set_threads(k->ctx, threads);
    assert_int_equal(edgefw_parallel(k->ctx, CHUNK, search_case, k), EDGEFW_OK);
    if (threads == 1) memcpy(one_thread, k->outcomes, sizeof one_thread);
    check_same_bits(k->outcomes, one_thread, sizeof one_thread, "tours");
  }
  for (int i = 0; i < CHUNK; ++i) check_case(&k->cases[i], &k->outcomes[i]);
  for (int i = 0; i < CHUNK; ++i) routing_release(&k->cases[i]);
}

static void improved_tours_are_sound(void **state) {
  (void)state;
  static chunk k;
  const char *asked = getenv("EDGEFW_SEARCH_CASES");
  const uint64_t cases = asked ? strtoull(asked, NULL, 10) : CASES;
  assert_int_equal(edgefw_context_create(&k.ctx, NULL), EDGEFW_OK);
  for (int t = 0; t < 3; ++t) {
    k.memory[t] = malloc(edgefw__kick_bytes(ROUTING_MOST, 1));
    assert_non_null(k.memory[t]);
  }
  for (uint64_t first = 0; first < cases; first += CHUNK) search_chunk(&k, first);
  for (int t = 0; t < 3; ++t) free(k.memory[t]);
  edgefw_context_destroy(k.ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(improved_tours_are_sound)};
  return test_run(tests, NULL, NULL);
}
