/* Annealed routes: never worse, always a solution, the optimum of small ones, the same again. */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "edgefw/context.h"
#include "search/anneal.h"
#include "support/routing_case.h"

static double anneal(edgefw_context *ctx, const routing_case *c, const edgefw__kicks *kicks,
                     int32_t *tour) {
  void *memory = malloc(edgefw__anneal_bytes(c->plan.n, c->plan.resources));
  assert_non_null(memory);
  const double length = edgefw__anneal(ctx, &c->plan, memory, kicks, tour, c->steps);
  free(memory);
  routing_check(c, tour);
  assert_true(length == edgefw__tour_length(&c->plan, tour, c->steps));
  return length;
}

typedef struct heard {
  int64_t count;
  double least;
} heard;

static void hear(void *user, double length) {
  heard *h = user;
  assert_true(h->count == 0 || length < h->least);
  *h = (heard){h->count + 1, length};
}

static void small_routes_become_optimal(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  int optima = 0, cases = 0;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  for (uint64_t seed = 0; seed < 400; ++seed, ++cases) {
    routing_case c;
    int32_t again[2 * ROUTING_MOST];
    int64_t made = -1;
    heard h = {0};
    routing_make(&c, 1 + (int64_t)(seed % 9), true, seed & 16,
                 (routing_costs)(seed / 32 % ROUTING_COST_KINDS), seed);
    memcpy(again, c.tour, sizeof again);
    const double before = edgefw__tour_length(&c.plan, c.tour, c.steps);
    const edgefw__kicks kicks = {
        .count = 300, .seed = 5, .instance = seed, .better = hear, .user = &h, .made = &made};
    const double after = anneal(ctx, &c, &kicks, c.tour);
    assert_true(after <= before);
    assert_true(after < before ? h.count > 0 : h.count == 0 || h.least <= before);
    if (c.plan.n > 2) assert_int_equal(made, 300);
    h = (heard){0};
    assert_true(anneal(ctx, &c, &kicks, again) == after);
    assert_memory_equal(again, c.tour, (size_t)c.steps * sizeof *again);
    optima += after <= routing_optimum(&c) * (1.0 + 1e-12);
    routing_release(&c);
  }
  edgefw_context_destroy(ctx);
  assert_true(optima >= cases * 99 / 100);
}

static void time_and_interruption_end_it(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  routing_case c;
  int64_t made = -1;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  routing_make(&c, 9, true, false, ROUTING_WHOLE, 1);
  edgefw__kicks kicks = {.count = INT64_MAX, .seconds = 1e-3, .made = &made};
  (void)anneal(ctx, &c, &kicks, c.tour);
  assert_true(made > 0);
  static const volatile int interrupted = 1;
  edgefw_set_interrupt(ctx, &interrupted);
  kicks.seconds = 0.0;
  (void)anneal(ctx, &c, &kicks, c.tour);
  assert_int_equal(made, 0);
  routing_release(&c);
  edgefw_context_destroy(ctx);
}

/* Another first kick draws other numbers. */
static void kicks_go_on_behind_others(void **state) {
  (void)state;
  edgefw_context *ctx = NULL;
  int differ = 0;
  assert_int_equal(edgefw_context_create(&ctx, NULL), EDGEFW_OK);
  for (uint64_t seed = 0; seed < 50; ++seed) {
    routing_case c;
    int32_t other[2 * ROUTING_MOST];
    routing_make(&c, 9, true, false, ROUTING_WHOLE, seed);
    memcpy(other, c.tour, sizeof other);
    const edgefw__kicks kicks = {.count = 3, .seed = 5},
                        later = {.count = 3, .seed = 5, .first = 3};
    differ += anneal(ctx, &c, &kicks, c.tour) != anneal(ctx, &c, &later, other);
    routing_release(&c);
  }
  edgefw_context_destroy(ctx);
  assert_true(differ > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(small_routes_become_optimal),
                                     cmocka_unit_test(time_and_interruption_end_it),
                                     cmocka_unit_test(kicks_go_on_behind_others)};
  return test_run(tests, NULL, NULL);
}
