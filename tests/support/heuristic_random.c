/* See heuristic_random.h. */
#include "support/test.h"

#include "support/heuristic_random.h"

#include <string.h>

#include "plugin/options.h"
#include "support/expect.h"
#include "support/routing_case.h"

void heuristic_set(heuristic_case *h, const char *key, const char *value) {
  const edgefw__setting setting = {.key = key, .value = value, .where = "test"};
  expect_ok(h->ctx,
            edgefw__options_create(h->ctx, h->arena, "heuristic", h->plugin->descriptor->options,
                                   &setting, 1, &h->options));
}

static void check_start(const heuristic_case *h, routing_case *c, int64_t start, double optimum) {
  int32_t again[2 * ROUTING_MOST];
  expect_ok(h->ctx, heuristic_tour(h, &c->plan, start, c->tour));
  routing_check(c, c->tour);
  assert_true(edgefw__tour_length(&c->plan, c->tour, c->steps) >= optimum * (1.0 - 1e-12));
  expect_ok(h->ctx, heuristic_tour(h, &c->plan, start, again));
  assert_memory_equal(again, c->tour, (size_t)c->steps * sizeof *again);
}

void heuristic_check_random(const heuristic_case *h, bool depot, uint64_t cases) {
  for (uint64_t seed = 0; seed < cases; ++seed) {
    routing_case c;
    routing_make(&c, 1 + (int64_t)(seed % 8), depot, seed & 8,
                 (routing_costs)(seed / 16 % ROUTING_COST_KINDS), seed);
    const double optimum = routing_optimum(&c);
    for (int64_t start = 0; start < heuristic_starts(h, &c.plan); ++start)
      check_start(h, &c, start, optimum);
    routing_release(&c);
  }
}
